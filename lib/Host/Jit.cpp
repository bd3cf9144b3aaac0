//===- Jit.cpp - Code of the host in this process -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Host/Jit.h"

#include "LibraryFunctions.h"

#include "GNN/Host/HostCode.h"
#include "GNN/Runtime/ThreadPool.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
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
  for (const host::Symbol &function : host::getLibraryFunctions())
    define(function.name, function.address);
  return jit.getMainJITDylib().define(
      llvm::orc::absoluteSymbols(std::move(symbols)));
}

/// The host as a target, or as if it were another processor of its kind.
static llvm::Expected<llvm::orc::JITTargetMachineBuilder>
describeMachine(StringRef processor) {
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

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
host::createMachine(StringRef processor) {
  auto builder = describeMachine(processor);
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

struct host::Jit::State {
  llvm::orc::JITTargetMachineBuilder machine;
  Runs runs;
  std::string reported; // by the session, of the last lookup
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

host::Jit::Jit(std::unique_ptr<State> state) : state(std::move(state)) {}
host::Jit::~Jit() = default;

llvm::Expected<std::unique_ptr<host::Jit>>
host::Jit::create(ArrayRef<Symbol> symbols, Optimization optimization) {
  auto machine = describeMachine(optimization.processor);
  if (!machine)
    return machine.takeError();
  machine->getOptions().AllowFPOpFusion = optimization.mayContract
                                              ? llvm::FPOpFusion::Fast
                                              : llvm::FPOpFusion::Strict;
  // Selecting better instructions takes longer than one small run.
  machine->setCodeGenOptLevel(optimization.runs == Runs::Many
                                  ? llvm::CodeGenOptLevel::Default
                                  : llvm::CodeGenOptLevel::None);
  auto state =
      std::make_unique<State>(State{*machine, optimization.runs, {}, nullptr});
  llvm::orc::LLJITBuilder builder;
  builder.setJITTargetMachineBuilder(std::move(*machine))
      .setLinkProcessSymbolsByDefault(false)
      .setPlatformSetUp(llvm::orc::setUpInactivePlatform);
  auto jit = builder.create();
  if (!jit)
    return jit.takeError();
  if (llvm::Error error = defineSymbols(**jit, symbols))
    return std::move(error);
  (*jit)->getExecutionSession().setErrorReporter(
      [reported = &state->reported](llvm::Error error) {
        std::string text = llvm::toString(std::move(error));
        if (reported->empty()) // what follows is no news
          *reported = std::move(text);
      });
  state->jit = std::move(*jit);
  return std::unique_ptr<Jit>(new Jit(std::move(state)));
}

llvm::Expected<void *> host::Jit::lookup(StringRef name) {
  std::string &reported = state->reported;
  reported.clear();
  auto address = state->jit->lookup(name);
  if (address)
    return address->toPtr<void *>();
  if (reported.empty())
    return address.takeError();
  llvm::consumeError(address.takeError());
  return llvm::createStringError("expected kernels that call what the host "
                                 "has, got: " +
                                 reported);
}

namespace {
/// One module on its way to code. Its context is no other's.
struct Unit {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::MemoryBuffer> object;
  std::string problem;

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

llvm::Error host::Jit::add(ArrayRef<ModuleOp> modules, unsigned threads) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  for (ModuleOp module : modules)
    module.getContext()->appendDialectRegistry(registry);
  std::vector<Unit> units(modules.size());
  for (auto [module, unit] : llvm::zip_equal(modules, units)) {
    auto made = state->machine.createTargetMachine();
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
      std::clamp<size_t>(units.size(), 1, std::max(1u, threads)));
  std::atomic<size_t> next{0};
  runtime::ThreadPool(count).run(count, [&](unsigned) {
    for (size_t i = next++; i < units.size(); i = next++)
      units[i].compile(state->runs);
  });
  for (Unit &unit : units) {
    if (!unit.problem.empty())
      return llvm::createStringError(unit.problem);
    if (llvm::Error error = state->jit->addObjectFile(std::move(unit.object)))
      return error;
  }
  return llvm::Error::success();
}
