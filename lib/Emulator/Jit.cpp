//===- Jit.cpp - From the LLVM dialect to host code -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One module for all kernels. What it calls is given to the JIT by address, so
// that nothing depends on what the process exports.
//
//===----------------------------------------------------------------------===//

#include "Compile.h"
#include "Entries.h"
#include "Lowering.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace mlir;
using namespace gnn::emulator;

/// Optimizes for host code that is made once and mostly run once: what pays for
/// itself even then.
static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/false));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstSimplifyPass());
  passes.addPass(llvm::DCEPass());
  llvm::ModulePassManager all;
  all.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
  all.run(module, modules);
}

static llvm::Error defineSymbols(llvm::orc::LLJIT &jit) {
  llvm::orc::SymbolMap symbols;
  auto define = [&](const Entry &entry) {
    symbols[jit.mangleAndIntern(entry.name)] = {
        llvm::orc::ExecutorAddr::fromPtr(entry.address),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  };
  llvm::for_each(getEntries(), define);
  llvm::for_each(getLibraryFunctions(), define);
  return jit.getMainJITDylib().define(
      llvm::orc::absoluteSymbols(std::move(symbols)));
}

llvm::Error gnn::emulator::generateCode(ModuleOp host, Program &program) {
  static const bool isInitialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)isInitialized;
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  host.getContext()->appendDialectRegistry(registry);

  auto machineBuilder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!machineBuilder)
    return machineBuilder.takeError();
  // A multiplication and an addition stay two roundings, as written.
  machineBuilder->getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
  // Most kernels are made for one small run: selecting better instructions
  // takes longer than they do.
  machineBuilder->setCodeGenOptLevel(llvm::CodeGenOptLevel::None);
  auto machine = machineBuilder->createTargetMachine();
  if (!machine)
    return machine.takeError();

  auto context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(host, *context, "kernels");
  if (!module)
    return llvm::createStringError("cannot translate the kernels to LLVM IR");
  module->setTargetTriple((*machine)->getTargetTriple());
  module->setDataLayout((*machine)->createDataLayout());
  optimize(*module, **machine);

  llvm::orc::LLJITBuilder builder;
  builder.setJITTargetMachineBuilder(std::move(*machineBuilder))
      .setLinkProcessSymbolsByDefault(false)
      .setPlatformSetUp(llvm::orc::setUpInactivePlatform);
  auto jit = builder.create();
  if (!jit)
    return jit.takeError();
  if (llvm::Error error = defineSymbols(**jit))
    return error;
  if (llvm::Error error = (*jit)->addIRModule(
          llvm::orc::ThreadSafeModule(std::move(module), std::move(context))))
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
