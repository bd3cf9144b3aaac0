//===- Processor.cpp - The processor of the host --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/CPU/Processor.h"

#include "GNN/Host/CodeGeneration.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Target/TargetMachine.h"

#include <cstdlib>

using namespace gnn;

template <typename Range>
static std::string joinNames(Range &&processors, llvm::StringRef separator) {
  return llvm::join(
      llvm::map_range(processors, [](const auto &one) { return one.name; }),
      separator);
}

std::string cpu::getProcessor() {
  const char *name = std::getenv("GNN_CPU");
  return name ? name : "";
}

llvm::Expected<bool> cpu::isOptimized() {
  const char *given = std::getenv("GNN_CPU_OPTIMIZE");
  llvm::StringRef value = given ? given : "1";
  if (value != "0" && value != "1")
    return llvm::createStringError("GNN_CPU_OPTIMIZE: expected 0 or 1, got '" +
                                   value + "'");
  return value == "1";
}

llvm::Error cpu::checkProcessor(llvm::StringRef name) {
  auto machine = host::createMachine(name);
  if (machine)
    return llvm::Error::success();
  llvm::consumeError(machine.takeError());
  return llvm::createStringError("expected a processor that LLVM knows, got '" +
                                 name + "'");
}

llvm::Expected<CoreRegisters> cpu::getRegisters(llvm::StringRef name) {
  auto machine = host::createMachine(name);
  if (!machine)
    return machine.takeError();
  const llvm::MCSubtargetInfo &processor = *(*machine)->getMCSubtargetInfo();
  if ((*machine)->getTargetTriple().isAArch64())
    return CoreRegisters{4, 32};
  if (!(*machine)->getTargetTriple().isX86())
    return CoreRegisters{4, 16};
  if (processor.checkFeatures("+avx512f"))
    return CoreRegisters{16, 32};
  return CoreRegisters{processor.checkFeatures("+avx") ? 8u : 4u, 16};
}

llvm::Expected<std::vector<const runtime::Processor *>>
cpu::parseProcessors(llvm::StringRef text) {
  std::vector<const runtime::Processor *> found;
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(text, words);
  for (llvm::StringRef word : words) {
    const runtime::Processor *processor = runtime::findProcessor(word);
    if (!processor)
      return llvm::createStringError(
          "expected some of the processors " +
          joinNames(runtime::listProcessors(), ", ") + ", got '" + word + "'");
    if (!llvm::is_contained(found, processor))
      found.push_back(processor);
  }
  if (found.empty())
    return llvm::createStringError("expected processors, got '" + text + "'");
  return found;
}

std::string cpu::getCommonProcessors() {
  return joinNames(
      llvm::make_filter_range(runtime::listProcessors(),
                              [](const auto &one) { return one.isCommon; }),
      " ");
}
