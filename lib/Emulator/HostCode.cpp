//===- HostCode.cpp - From func.funcs to code of the host -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Emulator/HostCode.h"
#include "Entries.h"
#include "GNN/Emulator/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace gnn;

LogicalResult host::collectKernels(ModuleOp module,
                                   SmallVectorImpl<gpu::GPUFuncOp> &kernels) {
  llvm::StringSet<> names;
  WalkResult result = module.walk([&](gpu::GPUFuncOp kernel) {
    if (failed(gnn::verifyKernelForm(kernel)))
      return WalkResult::interrupt();
    if (!names.insert(kernel.getName()).second) {
      kernel.emitOpError("has the name of another kernel: '")
          << kernel.getName() << "'";
      return WalkResult::interrupt();
    }
    kernels.push_back(kernel);
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

void host::stripMemorySpaces(func::FuncOp function) {
  auto strip = [&](Value value) {
    auto type = dyn_cast<MemRefType>(value.getType());
    if (type && type.getMemorySpace())
      value.setType(MemRefType::get(type.getShape(), type.getElementType(),
                                    type.getLayout()));
  };
  function.walk([&](Operation *op) {
    llvm::for_each(op->getResults(), strip);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), strip);
  });
  Block &entry = function.getBody().front();
  function.setType(
      FunctionType::get(function.getContext(), entry.getArgumentTypes(), {}));
}

LogicalResult host::lowerToLLVM(ModuleOp host) {
  PassManager manager(host.getContext(), ModuleOp::getOperationName());
  manager.enableVerifier(false);
  OpPassManager &functions = manager.nest<func::FuncOp>();
  functions.addPass(memref::createExpandStridedMetadataPass());
  functions.addPass(createLowerAffinePass());
  functions.addPass(arith::createArithExpandOpsPass());
  functions.addPass(createSCFToControlFlowPass());
  manager.addPass(createConvertVectorToLLVMPass());
  manager.addPass(createConvertMathToLLVMPass());
  manager.addPass(createConvertMathToLibmPass());
  manager.addPass(createFinalizeMemRefToLLVMConversionPass());
  ConvertFuncToLLVMPassOptions options;
  options.useBarePtrCallConv = true;
  manager.addPass(createConvertFuncToLLVMPass(options));
  manager.addPass(createArithToLLVMConversionPass());
  manager.addPass(createConvertControlFlowToLLVMPass());
  manager.addPass(createUBToLLVMConversionPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
  return manager.run(host);
}

static llvm::Error defineSymbols(llvm::orc::LLJIT &jit,
                                 ArrayRef<host::Symbol> own) {
  llvm::orc::SymbolMap symbols;
  auto define = [&](StringRef name, void *address) {
    symbols[jit.mangleAndIntern(name)] = {
        llvm::orc::ExecutorAddr::fromPtr(address),
        llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  };
  for (const host::Symbol &symbol : own)
    define(symbol.name, symbol.address);
  for (const emulator::Entry &function : emulator::getLibraryFunctions())
    define(function.name, function.address);
  return jit.getMainJITDylib().define(
      llvm::orc::absoluteSymbols(std::move(symbols)));
}

llvm::Expected<llvm::orc::JITTargetMachineBuilder>
host::describeMachine(StringRef processor) {
  static const bool isInitialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)isInitialized;
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder || processor.empty())
    return builder;
  auto machine = builder->createTargetMachine();
  if (!machine)
    return machine.takeError();
  if (!(*machine)->getMCSubtargetInfo()->isCPUStringValid(processor))
    return llvm::createStringError("GNN_CPU: expected a processor that LLVM "
                                   "knows, got '" +
                                   processor + "'");
  llvm::orc::JITTargetMachineBuilder other((*machine)->getTargetTriple());
  other.setCPU(processor.str());
  return other;
}

/// Runs the passes of `optimization` on a module for `machine`.
static void optimize(llvm::Module &module, llvm::TargetMachine &machine,
                     const host::Optimization &optimization) {
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
  optimization.passes(builder).run(module, modules);
}

llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>>
host::generateCode(ModuleOp host, ArrayRef<Symbol> symbols,
                   const Optimization &optimization) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  host.getContext()->appendDialectRegistry(registry);

  auto machineBuilder = describeMachine(optimization.processor);
  if (!machineBuilder)
    return machineBuilder.takeError();
  machineBuilder->getOptions().AllowFPOpFusion = optimization.fusion;
  machineBuilder->setCodeGenOptLevel(optimization.selection);
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
  optimize(*module, **machine, optimization);

  llvm::orc::LLJITBuilder builder;
  builder.setJITTargetMachineBuilder(std::move(*machineBuilder))
      .setLinkProcessSymbolsByDefault(false)
      .setPlatformSetUp(llvm::orc::setUpInactivePlatform);
  auto jit = builder.create();
  if (!jit)
    return jit.takeError();
  if (llvm::Error error = defineSymbols(**jit, symbols))
    return std::move(error);
  if (llvm::Error error = (*jit)->addIRModule(
          llvm::orc::ThreadSafeModule(std::move(module), std::move(context))))
    return std::move(error);
  return std::move(*jit);
}
