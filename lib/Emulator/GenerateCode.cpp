//===- GenerateCode.cpp - Code of the emulated kernels --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One module for all kernels.
//
//===----------------------------------------------------------------------===//

#include "Compile.h"
#include "Lowering.h"
#include "Run/Entries.h"

#include "GNN/Host/Jit.h"

using namespace mlir;
using namespace gnn::emulator;

llvm::Error gnn::emulator::generateCode(ModuleOp module, Program &program) {
  SmallVector<host::Symbol> symbols;
  for (const Entry &entry : getEntries())
    symbols.push_back({entry.name, entry.address});
  host::Optimization optimization;
  optimization.runs = host::Runs::Once;
  auto jit = host::Jit::create(symbols, optimization);
  if (!jit)
    return jit.takeError();
  if (llvm::Error error = (*jit)->add(module, /*threads=*/1))
    return error;
  for (CompiledKernel &kernel : program.kernels) {
    auto address = (*jit)->lookup(kernelFunctionName(kernel.name));
    if (!address)
      return address.takeError();
    kernel.function = reinterpret_cast<KernelFunction>(*address);
  }
  program.jit = std::move(*jit);
  return llvm::Error::success();
}
