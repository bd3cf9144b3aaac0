//===- Compile.cpp - From a module to a package ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the stages one by one, keeps the IR of each where asked, and packs the
// launch plan with the kernels.
//
//===----------------------------------------------------------------------===//

#include "GNN/Target/Compile.h"

#include "CUDA/LowerToPTX.h"
#include "RunStage.h"

#include "GNN/Analysis/ScheduleModels/ScheduleModel.h"
#include "GNN/Analysis/TargetBackend.h"
#include "GNN/Analysis/Targets.h"
#include "GNN/Dialect/GNN/IR/FunctionAttributes.h"
#include "GNN/Dialect/Tile/IR/Tile.h"
#include "GNN/OptionFiles/OptionFiles.h"
#include "GNN/Pipelines/Pipelines.h"
#include "GNN/Target/Backends.h"
#include "GNN/Target/LaunchPlan.h"
#include "GNN/Transforms/Schedules/Passes.h"
#include "GNN/Transforms/Schedules/Records.h"
#include "GNN/Transforms/Stages/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace gnn;

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

InFlightDiagnostic gnn::emitOptionError(ModuleOp module, const Twine &message) {
  Location location = module.getLoc();
  if (auto place = location->findInstanceOf<FileLineColLoc>())
    location = FileLineColLoc::get(place.getFilename(), 0, 0);
  return emitError(location, message);
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

namespace {
/// The target of a module, and its backend.
struct ChosenTarget {
  TargetAttr target;
  const TargetBackend *backend;

  /// Whether a stage makes what comes behind the last form of the backend.
  bool isBehind(const Stage &stage) const {
    return stage.to > backend->getLastForm();
  }
};
} // namespace

/// The kind that the options ask for.
static StringRef getKind(const CompileOptions &given, TargetAttr known) {
  if (!given.target.empty())
    return given.target;
  if (!given.chip.empty())
    return "cuda";
  return known && known.getKind() != "cuda" ? known.getKind() : "emulator";
}

static std::string describe(CoreRegisters registers) {
  return llvm::formatv("{0} vector registers of {1} elements", registers.count,
                       registers.vector);
}

/// The target by the options, or the one that `module` has already, or one
/// error.
static FailureOr<ChosenTarget> readTarget(ModuleOp module,
                                          const CompileOptions &given) {
  registerBackends();
  TargetAttr known = findTarget(module);
  auto backend = findBackend(getKind(given, known));
  if (!backend)
    return emitOptionError(module, "target: ")
           << llvm::toString(backend.takeError());
  TargetRequest request{given.chip, std::nullopt};
  if (!given.objects.empty()) {
    auto registers = (*backend)->getRegisters(given.objects);
    if (!registers)
      return emitOptionError(module, "objects: ")
             << llvm::toString(registers.takeError());
    if (given.chip.empty()) // the machine that compiles does not matter
      request.registers = *registers;
    if (known && (*backend)->takes(known))
      if (CoreRegisters own = getCoreRegisters(known); !(own == *registers))
        return emitOptionError(module, "objects: ")
               << "expected processors of which the widest has "
               << describe(own) << ", which the module is for, got '"
               << given.objects << "', of which it has "
               << describe(*registers);
  }
  // A chip may be that of several GPUs.
  if (known && (*backend)->takes(known) &&
      (given.chip.empty() || given.chip == known.getChip()))
    return ChosenTarget{known, *backend};
  auto target = (*backend)->makeTarget(module.getContext(), request);
  if (!target)
    return emitOptionError(module, "chip: ")
           << llvm::toString(target.takeError());
  if ((*backend)->getLastForm() == Form::Binaries)
    if (llvm::Error error = checkChip(target->getChip(), given.features))
      return emitOptionError(module, "chip: ")
             << llvm::toString(std::move(error));
  if (known && known != *target)
    return emitOptionError(module, "target: ")
           << explainMismatch(known, *target);
  return ChosenTarget{*target, *backend};
}

/// Emits an error at an option, or a switch of passes, that means nothing for
/// the target.
static LogicalResult checkMeaning(ModuleOp module, const CompileOptions &given,
                                  const TargetBackend &backend) {
  std::optional<OwnCompilation> own = backend.getOwnCompilation();
  if (!own)
    return success();
  auto check = [&](StringRef prefix, ArrayRef<StringRef> names,
                   ArrayRef<StringRef> known) -> LogicalResult {
    for (StringRef name : names)
      if (!llvm::is_contained(known, name))
        return emitOptionError(module, prefix)
               << name << " has no meaning for target " << backend.getKind()
               << ": expected one of " << llvm::join(known, ", ") << ", got '"
               << name << "'";
    return success();
  };
  if (failed(check("", given.listGiven(), own->options)))
    return failure();
  return check("passes: ", listGivenSwitches(given.passes), own->switches);
}

/// The user's passes, all of them of stages that run, or one error.
static LogicalResult readStagePasses(ModuleOp module,
                                     const CompileOptions &given,
                                     const ChosenTarget &chosen,
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
    bool needsOther = chosen.isBehind(*stage);
    if (!isAhead(*stage, form, stages) || needsOther ||
        isBehindStop(point, stages.stopAt))
      return emitOptionError(module,
                             "stage-passes: expected a stage that runs on "
                             "this module, got '")
             << point << "'"
             << (needsOther ? " without a GPU to compile for" : "");
  }
  return success();
}

/// The options of all stages, or one error.
static LogicalResult readOptions(ModuleOp module, const CompileOptions &given,
                                 StageOptions &stages) {
  PassSwitches switches;
  FailureOr<ChosenTarget> chosen = readTarget(module, given);
  if (failed(chosen) || failed(readSwitches(module, given.passes, switches)) ||
      failed(checkMeaning(module, given, *chosen->backend)))
    return failure();
  switches.assignGraphSwitches(stages.graph);
  switches.assignTileSwitches(stages.tile);
  switches.assignScheduleSwitches(stages);
  switches.assignBlockSwitches(stages);
  switches.assignKernelSwitches(stages);
  llvm::Expected<StopAt> stopAt = parseWord<StopAt>(given.stopAt);
  if (!stopAt)
    return emitOptionError(module, "stop-at: ")
           << llvm::toString(stopAt.takeError());
  stages.chooseStop(*stopAt);
  stages.weighRowsAsCut();
  stages.schedule.takeScheduleFiles(given);
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
  if (!given.schedules.empty()) // records never make a compilation fail
    if (runtime::Error error = checkInput(given.schedules))
      return emitOptionError(module, "schedules: ") << error.message();
  if (given.scheduleRule != "rule")
    if (auto model = ScheduleModel::ofRule(given.scheduleRule); !model)
      return emitOptionError(module, "schedule-rule: ") << model.message();
  bool hasFiles = !given.schedules.empty() || !given.records.empty() ||
                  !given.saveSchedules.empty() || !given.recordKeys.empty() ||
                  given.scheduleRule != "rule";
  if (hasFiles && !(form && *form <= Form::Buffers))
    return emitOptionError(module,
                           "schedules: expected a module with ops that become "
                           "kernels, got one without");
  if (hasFiles && *stopAt == StopAt::Structured)
    return emitOptionError(module,
                           "schedules: expected a form that has schedules, got "
                           "stop-at=structured");
  return readStagePasses(module, given, *chosen, stages);
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
  module->setAttr(attribute::target, readTarget(module, options)->target);
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
  ChosenTarget chosen = *readTarget(module, options);
  if (auto package = chosen.backend->compile(module, options))
    return *package;
  module->setAttr(attribute::target, chosen.target);
  if (failed(lowerToGPU(module, options, stages)))
    return failure();
  std::string constants;
  FailureOr<runtime::LaunchPlan> plan = makeLaunchPlan(module, &constants);
  if (failed(plan))
    return failure();
  bool isOfChip = chosen.backend->getLastForm() == Form::Binaries;
  plan->chip = isOfChip ? chosen.target.getChip().str() : "";
  plan->features = options.features;
  std::map<std::string, std::string> images;
  if (failed(
          chosen.backend->addImages({module, options, stages, *plan, images})))
    return failure();
  auto package = runtime::Package::create(std::move(*plan), std::move(images),
                                          std::move(constants));
  if (!package)
    return module.emitError(package.takeError().message());
  return *package;
}

LogicalResult gnn::lowerToTemplates(ModuleOp module,
                                    const CompileOptions &options,
                                    bool choosesSchedules) {
  StageOptions stages;
  if (failed(readOptions(module, options, stages)))
    return failure();
  ChosenTarget chosen = *readTarget(module, options);
  if (chosen.backend->getOwnCompilation())
    return emitOptionError(module, "target: expected one whose kernels have "
                                   "schedules, got ")
           << chosen.backend->getKind();
  module->setAttr(attribute::target, chosen.target);
  std::optional<Form> form = getForm(module);
  for (const Stage &stage : getStages()) {
    bool makesTemplates = stage.from == Form::Tensors;
    bool chooses = stage.from == Form::Buffers && stage.to == Form::Buffers;
    if (isAhead(stage, form, stages) &&
        (makesTemplates || (chooses && choosesSchedules)) &&
        failed(runStage(module, stage, stages, options.phasesDirectory)))
      return failure();
  }
  return success();
}

FailureOr<std::string> gnn::listSchedules(ModuleOp module,
                                          const CompileOptions &options,
                                          ArrayRef<std::string> vary,
                                          const ScheduleFilters &filters) {
  if (!options.schedules.empty() || !options.saveSchedules.empty() ||
      !options.stagePasses.empty())
    return module.emitError("expected no files of schedules and no passes of "
                            "stages where schedules are listed");
  if (failed(lowerToTemplates(module, options,
                              /*choosesSchedules=*/!vary.empty())))
    return failure();
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (failed(listSchedules(module, vary, stream, filters)))
    return failure();
  return text;
}

LogicalResult gnn::checkOptions(ModuleOp module,
                                const CompileOptions &options) {
  // The user's own file; a compilation takes what it finds.
  if (!options.records.empty())
    if (runtime::Error error = tile::expectRecords(options.records))
      return emitOptionError(module, "records: ") << error.message();
  StageOptions stages;
  return readOptions(module, options, stages);
}

/// Prints the pass that makes a module one for `target`, of which `gpu` was
/// asked.
static void printAttaching(TargetAttr target, StringRef gpu,
                           llvm::raw_ostream &os) {
  if (findTarget(target.getName()))
    gpu = target.getName();
  else if (gpu.empty())
    gpu = target.getChip();
  bool isOfWords = gpu.contains(' ');
  os << "gnn-attach-target{kind=" << target.getKind()
     << " chip=" << (isOfWords ? "{" : "") << gpu << (isOfWords ? "}" : "");
  if (int64_t vector = target.getLimits().vector)
    os << " vector=" << vector
       << " vector-registers=" << target.getLimits().vectorRegisters;
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
    ChosenTarget chosen = *readTarget(module, options);
    if (auto own = chosen.backend->getOwnCompilation())
      return "builtin.module(" + own->printPipeline(options) + ")";
    if (chosen.target != findTarget(module))
      printAttaching(chosen.target, options.chip, stream);
    for (const Stage &stage : getStages()) {
      bool isLast = stage.to == Form::Binaries;
      if (isLast)
        stream << "gnn-verify-launch-form";
      if (!isAhead(stage, form, stages) || chosen.isBehind(stage))
        continue;
      stream << (isLast ? "," : "");
      stage.print(stream, stages);
      stream << (isLast ? "" : ",");
    }
  }
  stream << ")";
  return text;
}
