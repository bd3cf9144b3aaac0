//===- Jit.cpp - Code of the emulated kernels -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One module for all kernels.
//
//===----------------------------------------------------------------------===//

#include "Compile.h"
#include "Entries.h"
#include "GNN/Emulator/HostCode.h"
#include "Lowering.h"

#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace mlir;
using namespace gnn::emulator;

/// Optimizes for host code that is made once and mostly run once: what pays for
/// itself even then.
static llvm::ModulePassManager buildPasses(llvm::PassBuilder &) {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/false));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstSimplifyPass());
  passes.addPass(llvm::DCEPass());
  llvm::ModulePassManager all;
  all.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
  return all;
}

llvm::Error gnn::emulator::generateCode(ModuleOp module, Program &program) {
  SmallVector<host::Symbol> symbols;
  for (const Entry &entry : getEntries())
    symbols.push_back({entry.name, entry.address});
  host::Optimization optimization;
  optimization.passes = buildPasses;
  // A multiplication and an addition stay two roundings, as written.
  optimization.fusion = llvm::FPOpFusion::Strict;
  // Most kernels are made for one small run: selecting better instructions
  // takes longer than they do.
  optimization.selection = llvm::CodeGenOptLevel::None;
  auto jit = host::Jit::create(symbols, optimization);
  if (!jit)
    return jit.takeError();
  if (llvm::Error error = (*jit)->add(module, /*threads=*/1))
    return error;
  for (CompiledKernel &kernel : program.kernels) {
    auto address = (*jit)->lookup(kernelFunctionName(kernel.name));
    if (!address)
      return address.takeError();
    kernel.function = address->toPtr<KernelFunction>();
  }
  program.jit = std::move(*jit);
  return llvm::Error::success();
}
