//===- Ptxas.cpp - Reports of CUDA's assembler ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Target/Ptxas.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace gnn;
namespace sys = llvm::sys;
using llvm::SmallString;
using llvm::StringRef;
using runtime::KernelInfo;

std::string gnn::findPtxas() {
  llvm::ErrorOr<std::string> path = sys::findProgramByName("ptxas");
  return path ? *path : std::string();
}

/// Sets `value` to the number in front of `unit`, where there is one.
static void readNumber(StringRef text, StringRef unit, int64_t &value) {
  size_t end = text.find(unit);
  if (end == StringRef::npos)
    return;
  StringRef digits = text.take_front(end).rtrim();
  digits = digits.drop_front(digits.find_last_not_of("0123456789") + 1);
  int64_t number;
  if (!digits.getAsInteger(10, number))
    value = number;
}

// ptxas info    : Compiling entry function 'f_0_linear' for 'sm_90'
// ptxas info    : Function properties for f_0_linear
//     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// ptxas info    : Used 40 registers, used 1 barriers, 5248 bytes smem
std::map<std::string, KernelInfo> gnn::parsePtxas(StringRef text) {
  std::map<std::string, KernelInfo> kernels;
  KernelInfo *kernel = nullptr;
  for (StringRef line : llvm::split(text, '\n')) {
    auto [before, name] = line.split("Compiling entry function '");
    if (!name.empty())
      kernel = &kernels[name.split('\'').first.str()];
    if (!kernel)
      continue;
    readNumber(line, " bytes stack frame", kernel->localBytes);
    if (!line.contains(": Used "))
      continue;
    kernel->staticSharedBytes = 0; // not said where there are none
    readNumber(line, " registers", kernel->registers);
    readNumber(line, " bytes smem", kernel->staticSharedBytes);
  }
  return kernels;
}

runtime::Expected<std::map<std::string, KernelInfo>>
gnn::askPtxas(StringRef ptx, StringRef chip) {
  std::string program = findPtxas();
  if (program.empty())
    return runtime::failure("expected ptxas in PATH, got none");
  SmallString<128> source, log;
  if (sys::fs::createTemporaryFile("gnn-kernels", "ptx", source) ||
      sys::fs::createTemporaryFile("gnn-ptxas", "txt", log))
    return runtime::failure("expected a folder for temporary files");
  llvm::FileRemover removeSource(source), removeLog(log);
  {
    std::error_code error;
    llvm::raw_fd_ostream stream(source, error);
    stream << ptx;
    stream.close();
    if (error || stream.has_error()) {
      stream.clear_error();
      return runtime::failure("cannot write '", source.str().str(), "'");
    }
  }
  std::string arch = ("-arch=" + chip).str();
  std::optional<StringRef> redirects[] = {StringRef(), log.str(), log.str()};
  std::string message;
  int status = sys::ExecuteAndWait(
      program, {program, "-v", arch, "-o", "/dev/null", source}, std::nullopt,
      redirects, /*SecondsToWait=*/0, /*MemoryLimit=*/0, &message);
  auto text = llvm::MemoryBuffer::getFile(log);
  StringRef said = text ? (*text)->getBuffer().trim() : StringRef(message);
  if (status != 0)
    return runtime::failure("ptxas: ", said.str());
  return parsePtxas(said);
}
