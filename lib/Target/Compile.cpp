//===- Compile.cpp - From a module to a package ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the stages one by one, keeps the IR of each where asked, and packs the
// launch plan with the kernels.
//
//===----------------------------------------------------------------------===//

#include "GNN/Target/Compile.h"

#include "PtxParts.h"
#include "PtxText.h"

#include "GNN/Analysis/Targets.h"
#include "GNN/Dialect/GNN/IR/FunctionAttributes.h"
#include "GNN/Dialect/Tile/IR/Tile.h"
#include "GNN/OptionFiles/OptionFiles.h"
#include "GNN/Pipelines/Pipelines.h"
#include "GNN/Target/LaunchPlan.h"
#include "GNN/Transforms/Schedules/Passes.h"
#include "GNN/Transforms/Stages/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace gnn;

/// Writes `text` to `directory`/`name`.
static LogicalResult writeFile(ModuleOp module, StringRef directory,
                               StringRef name, StringRef text) {
  SmallString<128> path(directory);
  llvm::sys::path::append(path, name);
  if (std::error_code error = llvm::sys::fs::create_directories(directory))
    return module.emitError("cannot write '")
           << path << "': " << error.message();
  if (runtime::Error error = writeOutput(path, text))
    return module.emitError(error.message());
  return success();
}

static std::string printed(Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->print(stream, OpPrintingFlags().enableDebugInfo());
  return text;
}

/// Whether a module of this form has this stage before it.
static bool isAhead(const Stage &stage, std::optional<Form> form,
                    const StageOptions &stages) {
  return form && stage.from >= *form && !stage.isSkipped(stages);
}

/// Whether the form that passes of a point get is not made, as what it would be
/// made of is run.
static bool isBehindStop(StringRef point, StopAt stopAt) {
  std::optional<Form> last = getForm(stopAt);
  return (last == Form::Buffers && point == "after-blocked") ||
         (last == Form::Blocked && point == "after-loops");
}

/// An error of an option, which is at no place in the file.
static InFlightDiagnostic emitOptionError(ModuleOp module,
                                          const Twine &message) {
  Location location = module.getLoc();
  if (auto place = location->findInstanceOf<FileLineColLoc>())
    location = FileLineColLoc::get(place.getFilename(), 0, 0);
  return emitError(location, message);
}

/// The user's passes, all of them of stages that run, or one error.
static LogicalResult readStagePasses(ModuleOp module,
                                     const CompileOptions &given,
                                     StageOptions &stages) {
  std::string message;
  for (const std::string &text : given.stagePasses)
    if (failed(stages.addPasses(text, message)))
      return emitOptionError(module, "stage-passes: ") << message;
  std::optional<Form> form = getForm(module);
  for (StringRef point : stages.passes.getPoints()) {
    auto stage = llvm::find_if(getStages(), [&](const Stage &stage) {
      return stage.name == StagePasses::getStage(point);
    });
    bool needsChip = stage->to == Form::Binaries;
    if (!isAhead(*stage, form, stages) || (needsChip && given.chip.empty()) ||
        isBehindStop(point, stages.stopAt))
      return emitOptionError(module,
                             "stage-passes: expected a stage that runs on "
                             "this module, got '")
             << point << "'"
             << (needsChip ? " without a GPU to compile for" : "");
  }
  return success();
}

/// Whether each template has a schedule as `gnn-schedule-pipeline` completes
/// it.
static bool isScheduled(ModuleOp module) {
  ScopedDiagnosticHandler silent(module.getContext(),
                                 [](Diagnostic &) { return success(); });
  return !module
              .walk([](tile::TileOpInterface op) {
                return WalkResult(op.verifySchedule());
              })
              .wasInterrupted();
}

/// The switches of passes, all of them of stages that are ahead, or one error.
static LogicalResult readSwitches(ModuleOp module, StringRef text,
                                  PassSwitches &switches) {
  std::string message;
  if (failed(parsePassSwitches(text, switches, message)))
    return emitOptionError(module, "passes: ") << message;
  std::optional<Form> form = getForm(module);
  for (StringRef name : listGivenSwitches(text)) {
    const Stage &stage = getLastStage(name);
    bool isPast = form && stage.from < *form;
    bool isChosen = form == Form::Buffers && stage.from == Form::Buffers &&
                    stage.to == Form::Buffers && isScheduled(module);
    if (!isPast && !isChosen)
      continue;
    InFlightDiagnostic error = emitOptionError(
        module, "passes: expected a switch of a stage that the module "
                "is not past, got '");
    error << name << "' of the stage '" << stage.name << "' and a module ";
    if (isPast)
      error << "of the form '" << stringifyWord(*form) << "'";
    else
      error << "whose templates have schedules";
    return error;
  }
  return success();
}

/// Whether what a form is run with is decided for a module already. Memory for
/// `structured` is planned where tensors become buffers.
static bool isPastStop(Form form, StopAt stopAt) {
  std::optional<Form> last =
      stopAt == StopAt::Structured ? Form::Tensors : getForm(stopAt);
  return last && form > *last;
}

/// "cuda, NVIDIA H200 SXM".
static std::string describeKind(TargetAttr target) {
  std::string text = describeTarget(target);
  return text == target.getKind() ? text
                                  : (target.getKind() + ", " + text).str();
}

/// What the options ask to compile `module` for, or what it is for already, or
/// one error.
static FailureOr<TargetAttr> readTarget(ModuleOp module,
                                        const CompileOptions &given) {
  TargetAttr known = findTarget(module);
  // A chip may be that of several GPUs.
  if (known && !given.cores &&
      (given.chip.empty() || given.chip == known.getChip()))
    return known;
  auto target =
      given.cores
          ? makeCPUTarget(module.getContext(), "", *given.cores)
          : makeGPUTarget(module.getContext(),
                          given.chip.empty() ? "emulator" : "cuda", given.chip);
  if (!target)
    return emitOptionError(module, "chip: ")
           << llvm::toString(target.takeError());
  if (!given.chip.empty())
    if (llvm::Error error = checkChip(target->getChip(), given.features))
      return emitOptionError(module, "chip: ")
             << llvm::toString(std::move(error));
  if (known && known != *target)
    return emitOptionError(module, "target: expected ")
           << describeKind(known) << ", which the module is for, got "
           << describeKind(*target);
  return *target;
}

/// The options of all stages, or one error.
static LogicalResult readOptions(ModuleOp module, const CompileOptions &given,
                                 StageOptions &stages) {
  PassSwitches switches;
  if (failed(readTarget(module, given)) ||
      failed(readSwitches(module, given.passes, switches)))
    return failure();
  switches.assignGraphSwitches(stages.graph);
  switches.assignTileSwitches(stages.tile);
  switches.assignScheduleSwitches(stages.schedule);
  switches.assignBlockSwitches(stages);
  llvm::Expected<StopAt> stopAt = parseWord<StopAt>(given.stopAt);
  if (!stopAt)
    return emitOptionError(module, "stop-at: ")
           << llvm::toString(stopAt.takeError());
  stages.chooseStop(*stopAt);
  stages.weighRowsAsCut();
  stages.schedule.schedules = given.schedules;
  stages.schedule.allowUnusedSchedules = given.allowUnusedSchedules;
  stages.schedule.saveSchedules = given.saveSchedules;
  stages.ptx.features = given.features;
  stages.ptx.optLevel = given.optLevel;
  stages.ptx.lineInfo = given.lineInfo;
  std::optional<Form> form = getForm(module);
  if (form && isPastStop(*form, *stopAt))
    return emitOptionError(module,
                           "stop-at: expected a form that the module is not "
                           "past, got '")
           << given.stopAt << "' and a module of the form '"
           << stringifyWord(*form) << "'";
  bool hasFiles = !given.schedules.empty() || !given.saveSchedules.empty();
  if (hasFiles && !(form && *form <= Form::Buffers))
    return emitOptionError(module,
                           "schedules: expected a module with ops that become "
                           "kernels, got one without");
  if (hasFiles && *stopAt == StopAt::Structured)
    return emitOptionError(module,
                           "schedules: expected a form that has schedules, got "
                           "stop-at=structured");
  return readStagePasses(module, given, stages);
}

/// Whether the user has passes in a stage.
static bool hasPasses(const Stage &stage, const StageOptions &stages) {
  return llvm::any_of(stages.passes.getPoints(), [&](StringRef point) {
    return StagePasses::getStage(point) == stage.name;
  });
}

/// Runs one stage and keeps what it gives.
static LogicalResult runStage(ModuleOp module, const Stage &stage,
                              const StageOptions &stages,
                              StringRef phasesDirectory) {
  PassManager pm(module.getContext());
  stage.build(pm, stages);
  // gnn-opt verifies behind each pass, which takes longer. LLVM verifies what
  // the passes to PTX make.
  bool isVerifiedByPass = hasPasses(stage, stages);
  pm.enableVerifier(isVerifiedByPass);
  if (failed(pm.run(module)))
    return failure();
  if (!isVerifiedByPass && stage.to != Form::Binaries && failed(verify(module)))
    return failure();
  if (phasesDirectory.empty())
    return success();
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  size_t number = &stage - getStages().begin() + 1;
  return writeFile(module, phasesDirectory,
                   llvm::formatv("{0}-{1}.mlir", number, stage.name).str(),
                   text);
}

/// The kernels alone, as text.
static std::string kernelText(ModuleOp module) {
  OwningOpRef<ModuleOp> kernels = ModuleOp::create(module.getLoc());
  for (auto gpuModule : module.getOps<gpu::GPUModuleOp>())
    kernels->push_back(gpuModule->clone());
  return printed(*kernels);
}

/// All PTX of the module as one text.
static std::string ptxText(ModuleOp module) {
  SmallVector<StringRef> texts;
  for (auto binary : module.getOps<gpu::BinaryOp>())
    texts.push_back(getPtx(binary));
  return joinPtx(texts);
}

/// Runs the stages up to kernels and launches.
static LogicalResult lowerToGPU(ModuleOp module, const CompileOptions &options,
                                const StageOptions &stages) {
  std::optional<Form> form = getForm(module);
  if (form == Form::Binaries) // at the module: the line has all PTX
    return module.emitError("expected kernels as IR, as gnn-math-pipeline "
                            "makes them, or a form in front of these, got PTX "
                            "alone (gpu.binary)");
  for (const Stage &stage : getStages().drop_back())
    if (isAhead(stage, form, stages) &&
        failed(runStage(module, stage, stages, options.phasesDirectory)))
      return failure();
  return success();
}

/// Makes PTX of a module of kernels, with comments from their launches.
static FailureOr<std::string> lowerToPTX(ModuleOp module,
                                         const CompileOptions &options,
                                         const StageOptions &stages,
                                         const runtime::LaunchPlan &plan) {
  const Stage &stage = getStages().back();
  if (options.phasesDirectory.empty() && !hasPasses(stage, stages))
    if (std::optional<std::string> ptx =
            makePtxInParts(module, stage, stages, options.threads))
      return commentKernels(*ptx, plan);
  if (failed(runStage(module, stage, stages, options.phasesDirectory)))
    return failure();
  std::string ptx = commentKernels(ptxText(module), plan);
  if (!options.phasesDirectory.empty() &&
      failed(writeFile(module, options.phasesDirectory, "kernels.ptx", ptx)))
    return failure();
  return ptx;
}

/// Assembles the kernels; there must be one gpu.module at most.
static FailureOr<std::string> assemble(ModuleOp module, StageOptions &stages) {
  OwningOpRef<ModuleOp> copy = module.clone();
  stages.ptx.format = KernelFormat::Bin;
  LogicalResult result = runStage(*copy, getStages().back(), stages, "");
  stages.ptx.format = KernelFormat::ISA;
  if (failed(result))
    return failure();
  auto binaries = copy->getOps<gpu::BinaryOp>();
  if (!llvm::hasSingleElement(binaries))
    return module.emitError("expected one gpu.module to assemble, got ")
           << std::distance(binaries.begin(), binaries.end());
  auto object = cast<gpu::ObjectAttr>((*binaries.begin()).getObjects()[0]);
  return object.getObject().getValue().str();
}

/// The images of a module of kernels and launches, by format.
static LogicalResult addImages(ModuleOp module, const CompileOptions &options,
                               StageOptions &stages,
                               const runtime::LaunchPlan &plan,
                               std::map<std::string, std::string> &images) {
  if (options.emulated)
    images["mlir"] = kernelText(module);
  if (options.chip.empty())
    return success();
  if (options.cubin) {
    FailureOr<std::string> cubin = assemble(module, stages);
    if (failed(cubin))
      return failure();
    images["cubin"] = std::move(*cubin);
  }
  FailureOr<std::string> ptx = lowerToPTX(module, options, stages, plan);
  if (failed(ptx))
    return failure();
  images["ptx"] = std::move(*ptx);
  return success();
}

/// Whether all binaries of a module are PTX for the chip that is asked for.
static LogicalResult checkBinaries(ModuleOp module) {
  StringRef chip = getChip(module);
  for (auto binary : module.getOps<gpu::BinaryOp>()) {
    auto object = cast<gpu::ObjectAttr>(binary.getObjects()[0]);
    if (object.getFormat() != gpu::CompilationTarget::Assembly)
      return binary.emitOpError(
          "expected PTX, got an object of another format");
    auto target = dyn_cast<NVVM::NVVMTargetAttr>(object.getTarget());
    if (target && target.getChip() != chip)
      return emitOptionError(module, "chip: expected ")
             << target.getChip() << ", which the PTX is for, got " << chip;
  }
  return success();
}

FailureOr<std::string> gnn::compileToPTX(ModuleOp module,
                                         const CompileOptions &options) {
  StageOptions stages;
  std::optional<Form> form = getForm(module);
  if (failed(readOptions(module, options, stages)))
    return failure();
  module->setAttr(attribute::target, *readTarget(module, options));
  if (form == Form::Binaries) {
    if (failed(checkBinaries(module)))
      return failure();
    return ptxText(module);
  }
  if (failed(lowerToGPU(module, options, stages)))
    return failure();
  // Host functions may be anything: a plan is for comments alone.
  runtime::LaunchPlan plan;
  std::string why;
  {
    ScopedDiagnosticHandler kept(module.getContext(), [&](Diagnostic &error) {
      if (error.getSeverity() != DiagnosticSeverity::Error)
        return failure();
      if (why.empty())
        why = error.str();
      return success();
    });
    if (FailureOr<runtime::LaunchPlan> made = makeLaunchPlan(module);
        succeeded(made))
      plan = std::move(*made);
  }
  // Kernels alone have no function that a plan would be of.
  if (!why.empty() && form != Form::Kernels)
    module.emitWarning("no launch plan to say what arguments are: ") << why;
  FailureOr<std::string> ptx = lowerToPTX(module, options, stages, plan);
  if (succeeded(ptx) && ptx->empty())
    return module.emitError("expected kernels or ops that become kernels");
  return ptx;
}

FailureOr<std::shared_ptr<const runtime::Package>>
gnn::compileToPackage(ModuleOp module, const CompileOptions &options) {
  StageOptions stages;
  if (failed(readOptions(module, options, stages)))
    return failure();
  TargetAttr target = *readTarget(module, options);
  module->setAttr(attribute::target, target);
  if (failed(lowerToGPU(module, options, stages)))
    return failure();
  std::string constants;
  FailureOr<runtime::LaunchPlan> plan = makeLaunchPlan(module, &constants);
  if (failed(plan))
    return failure();
  plan->chip = options.chip.empty() ? "" : target.getChip().str();
  plan->features = options.features;
  std::map<std::string, std::string> images;
  if (failed(addImages(module, options, stages, *plan, images)))
    return failure();
  auto package = runtime::Package::create(std::move(*plan), std::move(images),
                                          std::move(constants));
  if (!package)
    return module.emitError(package.takeError().message());
  return *package;
}

FailureOr<std::string> gnn::listSchedules(ModuleOp module,
                                          const CompileOptions &options,
                                          ArrayRef<std::string> vary) {
  if (!options.schedules.empty() || !options.saveSchedules.empty() ||
      !options.stagePasses.empty())
    return module.emitError("expected no files of schedules and no passes of "
                            "stages where schedules are listed");
  StageOptions stages;
  if (failed(readOptions(module, options, stages)))
    return failure();
  module->setAttr(attribute::target, *readTarget(module, options));
  std::optional<Form> form = getForm(module);
  for (const Stage &stage : getStages()) {
    bool makesTemplates = stage.from == Form::Tensors;
    bool chooses = stage.from == Form::Buffers && stage.to == Form::Buffers;
    if (isAhead(stage, form, stages) &&
        (makesTemplates || (chooses && !vary.empty())) &&
        failed(runStage(module, stage, stages, options.phasesDirectory)))
      return failure();
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (failed(listSchedules(module, vary, stream)))
    return failure();
  return text;
}

LogicalResult gnn::checkOptions(ModuleOp module,
                                const CompileOptions &options) {
  StageOptions stages;
  return readOptions(module, options, stages);
}

/// Prints the pass that makes a module one for `target`.
static void printAttaching(TargetAttr target, llvm::raw_ostream &os) {
  os << "gnn-attach-target{kind=" << target.getKind() << " chip="
     << (target.getName().empty() ? target.getChip() : target.getName());
  if (int64_t vector = target.getLimits().vector)
    os << " vector=" << vector
       << " registers=" << target.getLimits().vectorRegisters;
  os << "},";
}

std::string gnn::compilePipeline(ModuleOp module,
                                 const CompileOptions &options) {
  StageOptions stages;
  ScopedDiagnosticHandler silent(module.getContext(),
                                 [](Diagnostic &) { return success(); });
  std::optional<Form> form = getForm(module);
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "builtin.module(";
  if (succeeded(readOptions(module, options, stages))) {
    stages.schedule.saveSchedules = ""; // who repeats it keeps his file
    if (TargetAttr target = *readTarget(module, options);
        target != findTarget(module))
      printAttaching(target, stream);
    for (const Stage &stage : getStages()) {
      bool isLast = stage.to == Form::Binaries;
      if (isLast)
        stream << "gnn-verify-launch-form";
      if (!isAhead(stage, form, stages) || (isLast && options.chip.empty()))
        continue;
      stream << (isLast ? "," : "");
      stage.print(stream, stages);
      stream << (isLast ? "" : ",");
    }
  }
  stream << ")";
  return text;
}
