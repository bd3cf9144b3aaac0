//===- CompileTemplate.cpp - One template with schedules ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Tune/CompileTemplate.h"

#include "GNN/Analysis/CostModel.h"
#include "GNN/Dialect/Tile/IR/KernelName.h"
#include "GNN/Host/CrashHandlers.h"
#include "GNN/InitDialects.h"
#include "GNN/Pipelines/Pipelines.h"
#include "GNN/Runtime/Seconds.h"
#include "GNN/Target/Compile.h"

#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <atomic>
#include <thread>

using namespace mlir;
using namespace gnn;
using namespace gnn::tune;
using runtime::Error;
using runtime::Expected;
using tile::TileOpInterface;

namespace {
/// Keeps the first error that is reported in a context, in place of printing.
class FirstError {
public:
  explicit FirstError(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          if (text.empty() &&
              diagnostic.getSeverity() == DiagnosticSeverity::Error)
            text = diagnostic.str();
          return success();
        }) {}

  Error take() const {
    return runtime::failure(text.empty() ? "failed without a diagnostic"
                                         : text);
  }

private:
  std::string text;
  ScopedDiagnosticHandler handler;
};
} // namespace

/// Gives the template of `module` a schedule, or reports why it cannot have it.
static LogicalResult setSchedule(ModuleOp module, const Schedule &schedule) {
  TileOpInterface op = findTemplate(module);
  auto report = [&] { return emitError(op.getLoc()); };
  Attribute made = tile::getScheduleKind(op).withValues(schedule, report);
  if (!made)
    return failure();
  op.setTileSchedule(made);
  if (std::string why = op.explainSchedule(); !why.empty())
    return emitError(op.getLoc()) << why;
  return success();
}

Expected<Schedule> gnn::tune::readSchedule(const IsolatedTemplate &alone,
                                           const tile::ScheduleFields &fields) {
  TileOpInterface op = alone.op();
  FirstError error(op->getContext());
  FailureOr<Attribute> made = tile::makeSchedule(op, fields, op.getLoc());
  if (failed(made))
    return error.take();
  return cast<tile::ScheduleInterface>(*made).getValues().vec();
}

Expected<Schedule> gnn::tune::completeSchedule(const IsolatedTemplate &alone,
                                               const Schedule &schedule,
                                               const CompileOptions &options) {
  OwningOpRef<ModuleOp> module = alone.module.get().clone();
  FirstError error(module->getContext());
  if (failed(setSchedule(*module, schedule)) ||
      failed(lowerToTemplates(*module, options, /*choosesSchedules=*/true)))
    return error.take();
  auto made =
      cast<tile::ScheduleInterface>(findTemplate(*module).getTileSchedule());
  return made.getValues().vec();
}

Expected<std::shared_ptr<const runtime::Graph>>
Place::graphOf(const std::string &name) const {
  auto found = graphs.find(name);
  if (found != graphs.end())
    return found->second;
  return runtime::failure(
      "graph '", name,
      "': expected a graph, or statistics in its declaration (stats = "
      "#gnn.stats<...>) for a synthetic graph, got neither");
}

Expected<std::vector<std::string>>
gnn::tune::nameKernels(ModuleOp module, StringRef function,
                       const CompileOptions &options) {
  OwningOpRef<ModuleOp> copy = module.clone();
  FirstError error(copy->getContext());
  if (failed(lowerToTemplates(*copy, options, /*choosesSchedules=*/true)))
    return error.take();
  std::vector<std::string> names;
  size_t launches = 0;
  for (auto op :
       copy->lookupSymbol<func::FuncOp>(function).getOps<TileOpInterface>()) {
    names.push_back(tile::nameKernel(function, launches, op));
    launches += countLaunches(op);
  }
  return names;
}

Expected<std::vector<std::shared_ptr<const runtime::Graph>>>
Place::graphsOf(const runtime::FunctionPlan &plan) const {
  std::vector<std::shared_ptr<const runtime::Graph>> result;
  for (const runtime::GraphSpec &spec : plan.graphs) {
    auto graph = graphOf(spec.name);
    if (!graph)
      return graph.takeError();
    result.push_back(std::move(*graph));
  }
  return result;
}

namespace {
/// One job with copies of all that it uses, for a thread that may be given up.
struct Task {
  /// What all jobs share.
  struct Setup {
    explicit Setup(const Place &place) : place(place) {
      registerDialects(registry);
    }
    const Place place;
    DialectRegistry registry;
    CrashHandlers handlers;
  };

  Task(const CompileJob &job, std::shared_ptr<const Setup> setup)
      : text(job.alone->text), function(job.alone->key.function),
        schedule(job.schedule), setup(std::move(setup)) {}

  Expected<std::shared_ptr<const runtime::Package>> compile() const;
  Expected<std::shared_ptr<const runtime::BoundFunction>> bind() const;

  const std::string text, function;
  const Schedule schedule;
  const std::shared_ptr<const Setup> setup;
  Compiled result;
};
} // namespace

/// Compiles it, in a context of its own.
Expected<std::shared_ptr<const runtime::Package>> Task::compile() const {
  MLIRContext context(setup->registry, MLIRContext::Threading::DISABLED);
  FirstError error(&context);
  auto module = parseSourceString<ModuleOp>(text, &context);
  if (!module || failed(setSchedule(*module, schedule)))
    return error.take();
  auto package = compileToPackage(*module, setup->place.options);
  if (failed(package))
    return error.take();
  return std::move(*package);
}

/// Compiles and binds it. Only the compiler may crash: a crash of the device
/// would leave its caches and locks as they are.
Expected<std::shared_ptr<const runtime::BoundFunction>> Task::bind() const {
  Expected<std::shared_ptr<const runtime::Package>> package = nullptr;
  if (Error error = runSafely([&] { package = compile(); }))
    return error;
  if (!package)
    return package.takeError();
  auto plan = (*package)->plan().find(function);
  if (!plan)
    return plan.takeError();
  auto graphs = setup->place.graphsOf(**plan);
  if (!graphs)
    return graphs.takeError();
  return runtime::BoundFunction::bind(*package, function, std::move(*graphs),
                                      setup->place.device);
}

/// Compiles and binds one, or gives it up after so many seconds.
static Compiled makeWithin(double seconds, std::shared_ptr<Task> task) {
  auto work = [task](const auto &) {
    const auto begin = std::chrono::steady_clock::now();
    auto bound = task->bind();
    if (bound)
      task->result.bound = std::move(*bound);
    else
      task->result.why = "compile: " + bound.message();
    task->result.seconds = runtime::secondsSince(begin);
  };
  if (runWatched(seconds, work))
    return std::move(task->result);
  return {nullptr,
          llvm::formatv("compile: given up after {0:f1} s", seconds).str(),
          seconds};
}

std::vector<Compiled> gnn::tune::compileAll(ArrayRef<CompileJob> jobs,
                                            const Place &place,
                                            double seconds) {
  auto setup = std::make_shared<const Task::Setup>(place);
  std::vector<Compiled> result(jobs.size());
  std::atomic<size_t> next = 0;
  auto work = [&] {
    for (size_t i; (i = next++) < jobs.size();)
      result[i] = makeWithin(seconds, std::make_shared<Task>(jobs[i], setup));
  };
  std::vector<std::thread> threads;
  size_t count = std::min<size_t>(place.threads, jobs.size());
  for (size_t i = 0; i < count; ++i)
    threads.emplace_back(work);
  for (std::thread &thread : threads)
    thread.join();
  return result;
}

Schedule gnn::tune::openSchedule(const IsolatedTemplate &alone) {
  return Schedule(tile::getScheduleKind(alone.op()).getTable().size());
}

Expected<SearchSpace> gnn::tune::listSpace(const IsolatedTemplate &alone,
                                           const CompileOptions &options) {
  TileOpInterface op = alone.op();
  SearchSpace space;
  space.fields = tile::getScheduleKind(op).getTable();
  auto chosen = completeSchedule(alone, openSchedule(alone), options);
  if (!chosen)
    return chosen.takeError();
  space.chosen = std::move(*chosen);
  FirstError error(op->getContext());
  auto open = tile::openFields(op, {});
  if (failed(open))
    return error.take();
  space.listed = enumerateSchedules(op, *open);
  return space;
}

CompileOptions
gnn::tune::optionsBehindTemplates(const CompileOptions &options) {
  CompileOptions result = options;
  result.schedules = result.saveSchedules = result.records = "";
  result.recordKeys = "";
  result.phasesDirectory = "";
  result.gradients = result.passes = "";
  result.scheduleRule = "rule"; // what others are compared with
  result.stagePasses.clear();
  result.threads = 1;
  SmallVector<StringRef> words;
  StringRef(options.passes).split(words, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef word : words)
    for (StringRef name : listGivenSwitches(word))
      if (getLastStage(name).from >= Form::Buffers)
        result.passes += (result.passes.empty() ? "" : " ") + word.str();
  for (const std::string &text : options.stagePasses) {
    StringRef stage = StagePasses::getStage(StringRef(text).split('=').first);
    for (const Stage &known : getStages())
      if (known.name == stage && known.from >= Form::Buffers)
        result.stagePasses.push_back(text);
  }
  return result;
}
