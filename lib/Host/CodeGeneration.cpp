//===- CodeGeneration.cpp - From the LLVM dialect to code -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Host/CodeGeneration.h"

#include "GNN/Host/CrashHandlers.h"
#include "GNN/Host/HostCode.h"
#include "GNN/Runtime/ThreadPool.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

#include <atomic>

using namespace mlir;
using namespace gnn;

/// The processor of that name, with no feature but its own.
static llvm::Expected<llvm::orc::JITTargetMachineBuilder>
describeProcessor(StringRef processor) {
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

llvm::Expected<llvm::orc::JITTargetMachineBuilder>
host::describeMachine(const Optimization &optimization) {
  auto machine = describeProcessor(optimization.processor);
  if (!machine)
    return machine;
  machine->getOptions().AllowFPOpFusion = optimization.mayContract
                                              ? llvm::FPOpFusion::Fast
                                              : llvm::FPOpFusion::Strict;
  // Selecting better instructions takes longer than one small run.
  machine->setCodeGenOptLevel(optimization.runs == Runs::Many
                                  ? llvm::CodeGenOptLevel::Default
                                  : llvm::CodeGenOptLevel::None);
  // By default code in memory has the large model, whose calls no fast
  // selection knows. Linkers make stubs for what lies farther than 2 GiB.
  machine->setRelocationModel(llvm::Reloc::PIC_)
      .setCodeModel(llvm::CodeModel::Small);
  return machine;
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
host::createMachine(StringRef processor) {
  auto builder = describeProcessor(processor);
  if (!builder)
    return builder.takeError();
  return builder->createTargetMachine();
}

/// Passes for code that is made once and mostly run once.
static llvm::ModulePassManager buildBriefPasses(host::Runs runs) {
  llvm::FunctionPassManager passes;
  // Instructions are selected fast of numbers alone.
  if (runs == host::Runs::Once) {
    llvm::ScalarizerPassOptions options;
    options.ScalarizeLoadStore = true;
    passes.addPass(llvm::ScalarizerPass(options));
  }
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/false));
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::InstSimplifyPass());
  passes.addPass(llvm::DCEPass());
  llvm::ModulePassManager all;
  all.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
  return all;
}

/// Optimizes a module for `machine`.
static void optimize(llvm::Module &module, llvm::TargetMachine &machine,
                     host::Runs runs) {
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
  llvm::ModulePassManager passes =
      runs != host::Runs::Many
          ? buildBriefPasses(runs)
          : builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2);
  passes.run(module, modules);
}

namespace {
/// One module on its way to code. Its context is no other's.
struct Unit {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<llvm::TargetMachine> machine;
  host::Object object;
  std::string problem;
  runtime::Error crash;

  void compile(host::Runs runs) {
    optimize(*module, *machine, runs);
    auto made = llvm::orc::SimpleCompiler(*machine)(*module);
    if (made)
      object = std::move(*made);
    else
      problem = llvm::toString(made.takeError());
  }
};
} // namespace

llvm::Expected<std::vector<host::Object>>
host::generateCode(ArrayRef<ModuleOp> modules,
                   llvm::orc::JITTargetMachineBuilder &machine, Runs runs,
                   unsigned threads) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  for (ModuleOp module : modules)
    module.getContext()->appendDialectRegistry(registry);
  auto units = std::make_unique<std::vector<Unit>>(modules.size());
  for (auto [module, unit] : llvm::zip_equal(modules, *units)) {
    auto made = machine.createTargetMachine();
    if (!made)
      return made.takeError();
    unit.machine = std::move(*made);
    CollectedErrors errors(module->getContext());
    unit.module = translateModuleToLLVMIR(module, unit.context, "kernels");
    if (!unit.module)
      return errors.take();
    unit.module->setTargetTriple(unit.machine->getTargetTriple());
    unit.module->setDataLayout(unit.machine->createDataLayout());
  }
  auto count = static_cast<unsigned>(
      std::clamp<size_t>(units->size(), 1, std::max(1u, threads)));
  std::atomic<size_t> next{0};
  runtime::runOnThreads(
      count,
      [&](unsigned) {
        for (size_t i = next++; i < units->size(); i = next++) {
          Unit &unit = (*units)[i];
          unit.crash = runSafely([&] { unit.compile(runs); });
        }
      },
      count);
  for (const Unit &unit : *units)
    if (unit.crash) {
      (void)units.release(); // what a crash leaves is not touched
      return llvm::createStringError(unit.crash.message());
    }
  std::vector<Object> objects;
  for (Unit &unit : *units) {
    if (!unit.problem.empty())
      return llvm::createStringError(unit.problem);
    objects.push_back(std::move(unit.object));
  }
  return objects;
}
