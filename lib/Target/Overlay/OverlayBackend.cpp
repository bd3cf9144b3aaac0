//===- OverlayBackend.cpp - Programs of the overlay, simulated ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramPlan.h"

#include "../RunStage.h"

#include "GNN/Analysis/TargetBackend.h"
#include "GNN/Analysis/Targets.h"
#include "GNN/CPU/Compile.h"
#include "GNN/CPU/Processor.h"
#include "GNN/Dialect/GNN/IR/FunctionAttributes.h"
#include "GNN/Dialect/Overlay/IR/Overlay.h"
#include "GNN/Overlay/Device.h"
#include "GNN/Pipelines/Overlay.h"
#include "GNN/Pipelines/Pipelines.h"
#include "GNN/Target/Backends.h"
#include "GNN/Target/Compile.h"
#include "GNN/Target/Overlay.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace gnn;

/// The kind of target, and what its device calls itself.
static constexpr llvm::StringLiteral overlayKind = "overlay";

using PackagePtr = std::shared_ptr<const runtime::Package>;

namespace {
/// Functions become programs of the overlay; what they read of weights and the
/// graph alone is computed on the CPU.
class OverlayBackend : public TargetBackend {
public:
  llvm::StringRef getKind() const override { return overlayKind; }

  llvm::Expected<TargetAttr>
  makeTarget(MLIRContext *context,
             const TargetRequest &request) const override {
    if (!request.chip.empty())
      return llvm::createStringError("expected no chip of the overlay, got " +
                                     request.chip);
    auto registers = cpu::getRegisters(cpu::getProcessor());
    if (!registers)
      return registers.takeError();
    auto host = makeCPUTarget(context, "", *registers);
    if (!host)
      return host.takeError();
    return TargetAttr::get(context, overlayKind, "", "", host->getLimits(),
                           host->getAbilities(), host->getFigures());
  }

  std::optional<FailureOr<PackagePtr>>
  compile(ModuleOp module, const CompileOptions &options) const override;

  std::optional<OwnCompilation> getOwnCompilation() const override;

  runtime::Expected<std::shared_ptr<runtime::Device>>
  openDevice() const override {
    return overlay::createDevice(cpu::compileKernels);
  }
};
} // namespace

/// Whether the order of products and sums is chosen. Options are checked before
/// a backend has them.
static bool choosesOrder(const CompileOptions &options) {
  PassSwitches switches;
  std::string message;
  (void)parsePassSwitches(options.passes, switches, message);
  return switches.orderAggregate;
}

std::optional<OwnCompilation> OverlayBackend::getOwnCompilation() const {
  static const llvm::StringRef taken[] = {"target", "passes", "phases",
                                          "threads"};
  static const llvm::StringRef switches[] = {"order-aggregate"};
  auto print = [](const CompileOptions &options) {
    return "gnn-overlay-pipeline{order=" +
           std::string(choosesOrder(options) ? "true}" : "false}");
  };
  return OwnCompilation{taken, switches, print};
}

/// Errors: gradients.
static LogicalResult refuseGradients(ModuleOp module) {
  for (auto func : module.getOps<func::FuncOp>())
    if (func->hasAttr(attribute::gradients))
      return func.emitError("target=overlay: expected no gradients: the "
                            "overlay is for inference");
  return success();
}

/// Errors: programs, which no functions are compiled to.
static LogicalResult refusePrograms(ModuleOp module) {
  for (auto program : module.getOps<overlay::ProgramOp>())
    return emitError(program.getLoc(), // without the op, which may be long
                     "target=overlay: expected functions, got a "
                     "gnn_overlay.program: gnn-translate --gnn-to-overlay "
                     "writes it");
  return success();
}

/// Makes programs of the functions of a module, and writes each form where
/// options ask for it.
static LogicalResult makePrograms(ModuleOp module,
                                  const CompileOptions &options) {
  OverlayPipelineOptions pipeline;
  pipeline.order = choosesOrder(options);
  overlay::GivenGraph given;
  given.takesOthers = true;
  for (const NamedGraph &named : options.graphs)
    given.graphs[named.name] = named.graph;
  for (const auto &[i, step] : llvm::enumerate(getOverlaySteps())) {
    PassManager pm(module.getContext());
    step.build(pm, pipeline, given);
    if (failed(pm.run(module)) ||
        failed(writePhase(module, options.phasesDirectory, i + 1,
                          stringifyWord(step.to))))
      return failure();
  }
  return success();
}

/// Compiles what is computed before programs for the CPU; null: nothing is.
static FailureOr<PackagePtr> compilePrepare(ModuleOp module,
                                            const CompileOptions &options) {
  OwningOpRef<ModuleOp> rest = module.clone();
  for (auto program :
       llvm::make_early_inc_range(rest->getOps<overlay::ProgramOp>()))
    program.erase();
  if (rest->getOps<func::FuncOp>().empty())
    return PackagePtr();
  (*rest)->removeAttr(attribute::target);
  CompileOptions onCPU;
  onCPU.target = cpuKind.str();
  onCPU.threads = options.threads;
  if (!options.phasesDirectory.empty()) {
    llvm::SmallString<128> folder(options.phasesDirectory);
    llvm::sys::path::append(folder, "prepare");
    onCPU.phasesDirectory = folder.str().str();
  }
  return compileToPackage(*rest, onCPU);
}

std::optional<FailureOr<PackagePtr>>
OverlayBackend::compile(ModuleOp module, const CompileOptions &options) const {
  if (failed(refuseGradients(module)) || failed(refusePrograms(module)))
    return failure();
  llvm::StringMap<overlay::Signature> signatures;
  Location first = module.getLoc(); // of a function; passes erase them
  for (auto func : module.getOps<func::FuncOp>()) {
    if (func.isExternal() || func.isPrivate())
      continue;
    FailureOr<overlay::Signature> signature = overlay::describeFunction(func);
    if (failed(signature))
      return failure();
    if (signatures.empty())
      first = func.getLoc();
    signatures[func.getSymName()] = *signature;
  }
  if (failed(makePrograms(module, options)))
    return failure();
  FailureOr<PackagePtr> prepare = compilePrepare(module, options);
  if (failed(prepare))
    return failure();
  runtime::LaunchPlan plan;
  std::string constants, kernels;
  if (PackagePtr package = *prepare) {
    constants = package->constants();
    plan.constantBytes = package->plan().constantBytes;
    kernels = package->images().at("mlir");
  }
  std::map<std::string, std::string> programs;
  for (auto op : module.getOps<overlay::ProgramOp>()) {
    FailureOr<overlay::Program> program = exportOverlayProgram(op);
    if (failed(program))
      return failure();
    std::string name = op.getSymName().str();
    const runtime::FunctionPlan *before = nullptr;
    if (*prepare)
      for (const runtime::FunctionPlan &function : (*prepare)->plan().functions)
        if (function.name == name + ".prepare")
          before = &function;
    plan.functions.push_back(overlay::makeProgramPlan(
        module, signatures.at(name), *program, *op.getGraph(), before));
    runtime::Expected<std::string> bytes = overlay::write(*program);
    if (!bytes)
      return FailureOr<PackagePtr>(op.emitError(bytes.message()));
    programs[name] = *bytes;
  }
  if (plan.functions.empty())
    return FailureOr<PackagePtr>(emitError(
        first, "has no overlay layer: expected a function of rows of nodes"));
  auto image = overlay::packImage(programs, kernels);
  if (!image)
    return FailureOr<PackagePtr>(module.emitError(image.message()));
  auto package = runtime::Package::create(
      std::move(plan), {{overlay::imageFormat, *image}}, std::move(constants));
  if (!package)
    return FailureOr<PackagePtr>(module.emitError(package.message()));
  return FailureOr<PackagePtr>(*package);
}

void gnn::registerOverlayBackend() {
  registerBackend(std::make_unique<OverlayBackend>());
}
