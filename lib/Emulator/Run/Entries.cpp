//===- Entries.cpp - The functions compiled kernels call ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Entries.h"
#include "Worker.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <array>
#include <limits>
#include <string>
#include <utility>
#include <vector>

using namespace gnn::emulator;

static Worker &workerOf(KernelContext *context) {
  return *static_cast<Worker *>(context);
}

static void barrier(KernelContext *context, uint32_t site) {
  workerOf(context).barrier(site);
}
static uint64_t shuffle(KernelContext *context, uint32_t site, uint64_t bits,
                        uint32_t offset, uint32_t width, uint32_t mode) {
  return workerOf(context).shuffle(site, bits, offset, width, mode);
}
static uint32_t ballot(KernelContext *context, uint32_t site, uint32_t vote) {
  return workerOf(context).ballot(site, vote);
}
static void warpBarrier(KernelContext *context, uint32_t site) {
  workerOf(context).warpBarrier(site);
}
static void loadMatrix(KernelContext *context, uint32_t site, const char *row,
                       char *result, uint32_t tiles, uint32_t transpose) {
  workerOf(context).loadMatrix(site, row, result, tiles, transpose != 0);
}
static void mma(KernelContext *context, uint32_t site, const char *operands,
                char *result, uint32_t k) {
  workerOf(context).mma(site, operands, result, k);
}
static void asyncCopy(KernelContext *context, uint32_t site, char *destination,
                      const char *source, int64_t bytes, int64_t elements,
                      int64_t elementBytes) {
  workerOf(context).asyncCopy(site, destination, source, bytes, elements,
                              elementBytes);
}
static void asyncCommit(KernelContext *context) {
  workerOf(context).asyncCommit();
}
static void asyncWait(KernelContext *context, uint32_t groups) {
  workerOf(context).asyncWait(groups);
}
static void fail(KernelContext *context, uint32_t site, uint32_t kind) {
  workerOf(context).fail(site, static_cast<FaultKind>(kind));
}

template <typename Function> static void *addressOf(Function *function) {
  return reinterpret_cast<void *>(function);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

namespace {
/// A dimension of an access.
struct Position {
  int64_t index, extent;
  bool isInside() const {
    return static_cast<uint64_t>(index) < static_cast<uint64_t>(extent);
  }
};

/// A dimension of a view.
struct Dimension {
  int64_t size, stride;
};

/// Elements in memory, from those positions on.
struct Access {
  Worker &worker;
  uint32_t site;
  AccessKind kind;
  int64_t address, count;
  uint64_t lanes;

  bool hasLane(int64_t lane) const { return lanes >> lane & 1; }
  /// `lane` is the first one outside; -1: any.
  void failBounds(llvm::ArrayRef<Position> positions, int64_t lane) const;
  void checkLanes(llvm::ArrayRef<Position> positions, bool isRow) const;
  void checkAlignment() const;
  void checkRace() const;
};
} // namespace

LLVM_ATTRIBUTE_NOINLINE void
Access::failBounds(llvm::ArrayRef<Position> positions, int64_t lane) const {
  int64_t *said = worker.values;
  *said++ = positions.size();
  *said++ = count;
  *said++ = lane;
  for (Position position : positions) {
    *said++ = position.index;
    *said++ = position.extent;
  }
  worker.fail(site, FaultKind::OutOfBounds);
}

void Access::checkLanes(llvm::ArrayRef<Position> positions, bool isRow) const {
  auto [index, extent] = positions.back();
  for (int64_t lane = 0; lane < count; ++lane)
    if (hasLane(lane) && !(isRow && Position{index + lane, extent}.isInside()))
      failBounds(positions, lane);
}

void Access::checkAlignment() const {
  int64_t alignment = int64_t(1) << kind.alignment;
  if (LLVM_LIKELY((address & (alignment - 1)) == 0))
    return;
  worker.values[0] = address;
  worker.values[1] = alignment;
  worker.fail(site, FaultKind::Misaligned);
}

void Access::checkRace() const {
  auto race = static_cast<FaultKind>(kind.race);
  int64_t bytes = kind.bytes;
  const char *at = reinterpret_cast<const char *>(address);
  if (!kind.byLane)
    return worker.shadowAccess(site, at, count * bytes, race);
  for (int64_t lane = 0; lane < count; ++lane)
    if (hasLane(lane))
      worker.shadowAccess(site, at + lane * bytes, bytes, race);
}

/// Most calls of a checked kernel: without a loop where the rank is known.
template <size_t rank>
static void check(Access access, const std::array<Position, rank> &positions) {
  if (access.lanes == 0)
    return;
  if (access.kind.loaded)
    access.worker.loads[access.kind.loaded - 1] +=
        access.kind.byLane ? llvm::popcount(access.lanes) : access.count;
  if constexpr (rank > 0) {
    bool isRow = true;
    for (size_t i = 0; i + 1 < rank; ++i)
      isRow &= positions[i].isInside();
    auto [index, extent] = positions.back();
    bool isInside = isRow & positions.back().isInside() &
                    ((access.count == 1) | (access.count <= extent - index));
    if (access.kind.byLane)
      access.checkLanes(positions, isRow);
    else if (LLVM_UNLIKELY(!isInside))
      access.failBounds(positions, -1);
  }
  if (!access.kind.ofElement) {
    int64_t linear = 0;
    for (Position position : positions)
      linear = linear * position.extent + position.index;
    access.address += linear * static_cast<int64_t>(access.kind.bytes);
  }
  access.checkAlignment();
  if (static_cast<FaultKind>(access.kind.race) != FaultKind::None)
    access.checkRace();
}

static void checkArgument(Worker &worker, uint32_t site, int64_t number,
                          int64_t bytes, int64_t offset,
                          llvm::ArrayRef<Dimension> dimensions) {
  // Elements up to the last one, or none where an extent is zero.
  int64_t last = offset, needed;
  bool isBad = offset < 0, isEmpty = false, isLarge = false;
  for (auto [size, stride] : dimensions) {
    int64_t span;
    isEmpty |= size == 0;
    isBad |= size < 0 || stride < 0; // The end of a step back is the start.
    isLarge |= llvm::MulOverflow(size - 1, stride, span);
    isLarge |= llvm::AddOverflow(last, span, last) || last < 0;
  }
  isLarge |= llvm::AddOverflow(last, int64_t(1), needed);
  isLarge |= llvm::MulOverflow(needed, bytes, needed);
  if (isLarge)
    needed = std::numeric_limits<int64_t>::max();
  if (isEmpty)
    needed = 0;
  int64_t passed = worker.argumentBytes[number];
  if (!isBad && needed <= passed)
    return;
  worker.values[0] = number;
  worker.values[1] = needed;
  worker.values[2] = passed;
  worker.fail(site, FaultKind::ArgumentTooShort);
}

/// The functions of one rank, which take two numbers by dimension.
template <typename... Numbers> struct OfRank {
  static void access(KernelContext *context, uint32_t site, uint64_t kind,
                     int64_t address, int64_t count, uint64_t lanes,
                     Numbers... numbers) {
    const std::array<int64_t, sizeof...(numbers)> all{numbers...};
    std::array<Position, sizeof...(numbers) / 2> positions;
    for (size_t i = 0; i < positions.size(); ++i)
      positions[i] = {all[2 * i], all[2 * i + 1]};
    check({workerOf(context), site, llvm::bit_cast<AccessKind>(kind), address,
           count, lanes},
          positions);
  }
  static void argument(KernelContext *context, uint32_t site, int64_t number,
                       int64_t bytes, int64_t offset, Numbers... numbers) {
    const std::array<int64_t, sizeof...(numbers)> all{numbers...};
    std::array<Dimension, sizeof...(numbers) / 2> dimensions;
    for (size_t i = 0; i < dimensions.size(); ++i)
      dimensions[i] = {all[2 * i], all[2 * i + 1]};
    checkArgument(workerOf(context), site, number, bytes, offset, dimensions);
  }
};

namespace {
/// The entries of all ranks; they keep their names.
class RankedEntries {
public:
  RankedEntries() { add(std::make_index_sequence<maxRank + 1>()); }

  std::array<std::string, maxRank + 1> accesses, arguments;
  std::vector<Entry> entries;

private:
  template <size_t... ranks> void add(std::index_sequence<ranks...>) {
    (addRank<ranks>(std::make_index_sequence<2 * ranks>()), ...);
  }
  template <size_t rank, size_t... i> void addRank(std::index_sequence<i...>) {
    using Functions = OfRank<decltype(int64_t(i))...>;
    static const std::string numbers(2 * rank, 'l');
    static const std::string ofAccess = "vpillll" + numbers,
                             ofArgument = "vpilll" + numbers;
    accesses[rank] = "gnn_emulator_access_" + std::to_string(rank);
    arguments[rank] = "gnn_emulator_argument_" + std::to_string(rank);
    entries.push_back({accesses[rank], addressOf(Functions::access), ofAccess});
    entries.push_back(
        {arguments[rank], addressOf(Functions::argument), ofArgument});
  }
};
} // namespace

static const RankedEntries &getRankedEntries() {
  static const RankedEntries entries;
  return entries;
}

llvm::StringRef gnn::emulator::accessEntry(unsigned rank) {
  return getRankedEntries().accesses[rank];
}
llvm::StringRef gnn::emulator::argumentEntry(unsigned rank) {
  return getRankedEntries().arguments[rank];
}

llvm::ArrayRef<Entry> gnn::emulator::getEntries() {
  static const std::vector<Entry> entries = [] {
    std::vector<Entry> all = {
        {"gnn_emulator_barrier", addressOf(barrier), "vpi"},
        {"gnn_emulator_shuffle", addressOf(shuffle), "lpiliii"},
        {"gnn_emulator_ballot", addressOf(ballot), "ipii"},
        {"gnn_emulator_warp_barrier", addressOf(warpBarrier), "vpi"},
        {"gnn_emulator_load_matrix", addressOf(loadMatrix), "vpippii"},
        {"gnn_emulator_mma", addressOf(mma), "vpippi"},
        {"gnn_emulator_async_copy", addressOf(asyncCopy), "vpipplll"},
        {"gnn_emulator_async_commit", addressOf(asyncCommit), "vp"},
        {"gnn_emulator_async_wait", addressOf(asyncWait), "vpi"},
        {"gnn_emulator_fail", addressOf(fail), "vpii", /*returns=*/false},
    };
    llvm::append_range(all, getRankedEntries().entries);
    return all;
  }();
  return entries;
}
