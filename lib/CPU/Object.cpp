//===- Object.cpp - Kernels as a shared object ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/CPU/Compile.h"

#include "LowerKernels.h"

#include "GNN/CPU/Processor.h"
#include "GNN/Host/HostCode.h"
#include "GNN/Host/LinkSharedObject.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"

using namespace mlir;
using namespace gnn;

/// A module that has the text of a table at its symbol.
static OwningOpRef<ModuleOp> buildTable(MLIRContext *context,
                                        const runtime::KernelTable &table) {
  Location loc = UnknownLoc::get(context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  std::string text = table.json();
  StringRef ended(text.c_str(), text.size() + 1);
  LLVM::GlobalOp::create(
      builder, loc, LLVM::LLVMArrayType::get(builder.getI8Type(), ended.size()),
      /*isConstant=*/true, LLVM::Linkage::External,
      runtime::KernelTable::kSymbol, builder.getStringAttr(ended));
  return module;
}

llvm::Expected<std::string>
cpu::compileObject(const std::string &image,
                   const runtime::Processor &processor, unsigned threads) {
  auto parsed = host::parseKernels("mlir", image);
  if (!parsed)
    return llvm::createStringError(parsed.message());
  host::CollectedErrors errors(parsed->context.get());
  SmallVector<gpu::GPUFuncOp> kernels;
  if (failed(cpu::collectKernels(*parsed->module, kernels)))
    return errors.take();
  runtime::KernelTable table;
  table.processor = processor.name;
  SmallVector<OwningOpRef<ModuleOp>> owners;
  SmallVector<ModuleOp> modules;
  auto add = [&](OwningOpRef<ModuleOp> module) {
    modules.push_back(*module);
    owners.push_back(std::move(module));
  };
  for (gpu::GPUFuncOp kernel : kernels) {
    auto lowered = cpu::lowerKernel(kernel);
    if (failed(lowered))
      return errors.take();
    table.kernels.push_back(std::move(lowered->entry));
    add(std::move(lowered->module));
  }
  add(buildTable(parsed->context.get(), table));
  host::Optimization optimization = cpu::getOptimization(processor.llvmName);
  auto machine = host::describeMachine(optimization);
  if (!machine)
    return machine.takeError();
  auto objects =
      host::generateCode(modules, *machine, optimization.runs, threads);
  if (!objects)
    return objects.takeError();
  return host::linkSharedObject(
      *objects, "kernels." + runtime::objectFormat(processor.name), *machine);
}
