//===- Fault.cpp - Faults as text -----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Worker.h"

#include "llvm/Support/raw_ostream.h"

using namespace gnn::emulator;

namespace {
/// Writes one fault.
class FaultPrinter {
public:
  FaultPrinter(const Fault &fault, const LaunchFrame &frame,
               llvm::ArrayRef<Site> sites, llvm::raw_ostream &os)
      : fault(fault), frame(frame), sites(sites), os(os) {}

  void print();

private:
  void printWhat();
  void printIndex();
  void printRace();
  void printAbsence();
  void printThread(uint32_t thread);

  const Fault &fault;
  const LaunchFrame &frame;
  llvm::ArrayRef<Site> sites;
  llvm::raw_ostream &os;
};
} // namespace

void FaultPrinter::printThread(uint32_t thread) {
  const ThreadPosition &at = frame.positions[thread];
  os << "thread (" << at.x << ", " << at.y << ", " << at.z << ")";
}

void FaultPrinter::print() {
  const Site &site = sites[fault.site];
  os << "'" << site.op << "' op at " << site.location << ": ";
  printWhat();
  os << "; in block (" << fault.block[0] << ", " << fault.block[1] << ", "
     << fault.block[2] << "), ";
  printThread(fault.thread);
}

void FaultPrinter::printIndex() {
  int64_t rank = fault.values[0], count = fault.values[1];
  int64_t firstOutside = fault.values[2];
  os << "index [";
  for (int64_t i = 0; i < rank; ++i) {
    int64_t index = fault.values[3 + 2 * i];
    if (i == rank - 1 && firstOutside >= 0)
      os << index + firstOutside;
    else
      os << index;
    if (i == rank - 1 && firstOutside < 0 && count > 1)
      os << " to " << index + count - 1;
    os << (i == rank - 1 ? "" : ", ");
  }
  os << "] is out of bounds of extents [";
  for (int64_t i = 0; i < rank; ++i)
    os << fault.values[4 + 2 * i] << (i == rank - 1 ? "" : ", ");
  os << "]";
}

void FaultPrinter::printRace() {
  const char *verb = fault.kind == FaultKind::RaceRead    ? "reads"
                     : fault.kind == FaultKind::RaceWrite ? "writes"
                                                          : "updates";
  os << verb << " shared memory at byte " << fault.values[0] << ", ";
  if (fault.other == pendingCell) {
    os << "where an asynchronous copy has not landed: it was not waited for";
    return;
  }
  uint32_t thread = fault.other & threadMask;
  if (thread == atomicThread)
    os << "which another atomic op";
  else if (thread == manyThreads)
    os << "which other threads";
  else {
    os << "which ";
    printThread(thread);
  }
  const char *did = !fault.values[1]         ? " read"
                    : thread == atomicThread ? " updated"
                                             : " wrote";
  os << did << " with no barrier between";
}

void FaultPrinter::printAbsence() {
  os << "not all threads get here: ";
  printThread(fault.other);
  if (fault.otherExited) {
    os << " has exited";
    return;
  }
  const Site &other = sites[fault.otherSite];
  os << " waits at '" << other.op << "' at " << other.location;
}

void FaultPrinter::printWhat() {
  const int64_t *values = fault.values;
  switch (fault.kind) {
  case FaultKind::None:
    break;
  case FaultKind::OutOfBounds:
    return printIndex();
  case FaultKind::Misaligned:
    os << "address is not aligned: expected a multiple of " << values[1]
       << " bytes, got " << values[0] % values[1] << " more";
    break;
  case FaultKind::RaceRead:
  case FaultKind::RaceWrite:
  case FaultKind::RaceAtomic:
    return printRace();
  case FaultKind::DivisionByZero:
    os << "divides by zero";
    break;
  case FaultKind::DivisionOverflow:
    os << "divides the least integer by -1";
    break;
  case FaultKind::ArgumentTooShort:
    os << "gives argument " << values[0] << " an extent of " << values[1]
       << " bytes, but the launch passes " << values[2];
    break;
  case FaultKind::ViewTooLarge:
    os << "view ends at byte " << values[0] << " of a buffer of " << values[1];
    break;
  case FaultKind::SubviewOutside:
    os << "dimension " << values[0] << " with offset " << values[1] << ", size "
       << values[2] << ", stride " << values[3] << " leaves the extent "
       << values[4];
    break;
  case FaultKind::AbsentThread:
    return printAbsence();
  case FaultKind::ShuffleWidthDiffers:
    os << "width differs in a warp: " << values[0] << " here, " << values[1]
       << " in ";
    printThread(fault.other);
    break;
  case FaultKind::ShuffleInactiveLane:
    os << "lane " << values[0] << " takes part in a shuffle of width "
       << values[1];
    break;
  case FaultKind::ShuffleWidth:
    os << "expected a width of 1 to 32, got " << values[0];
    break;
  case FaultKind::ShuffleNoLane:
    os << "reads lane " << values[0] << " of a warp of " << values[1]
       << " threads";
    break;
  case FaultKind::PartialWarp:
    os << "needs all 32 lanes, the warp has " << values[0];
    break;
  case FaultKind::AsyncCopySize:
    os << "reads " << values[0] << " elements of " << values[1]
       << " bytes for a copy of " << values[2];
    break;
  }
}

std::string gnn::emulator::describeFault(const Fault &fault,
                                         const LaunchFrame &frame,
                                         llvm::ArrayRef<Site> sites) {
  std::string text;
  llvm::raw_string_ostream os(text);
  FaultPrinter(fault, frame, sites, os).print();
  return text;
}
