//===- Tune.cpp - Faster schedules of a function --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Tune/Tune.h"

#include "GNN/Target/PlanGraphs.h"
#include "GNN/Transforms/Schedules/Records.h"
#include "GNN/Tune/DeviceMeasurer.h"
#include "GNN/Tune/ModelSearch.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <atomic>
#include <cmath>
#include <map>

using namespace mlir;
using namespace gnn;
using namespace gnn::tune;
using runtime::Error;
using runtime::Expected;

//===----------------------------------------------------------------------===//
// Templates
//===----------------------------------------------------------------------===//

/// "2 gat_3_attention (traverse <dst, edge.in_rows, features = 64>)": what
/// `TuneOptions::number` takes, the first kernel of the template, and its key.
static std::string nameOf(const IsolatedTemplate &alone, size_t number,
                          StringRef kernel) {
  return llvm::formatv("{0} {1} ({2} {3})", number, kernel, alone.key.kind,
                       alone.key.domain);
}

namespace {
/// The templates of a function, and those that are to be searched: one of each
/// key.
struct Templates {
  std::vector<IsolatedTemplate> alone;
  std::vector<size_t> numbers;

  Error list(ModuleOp module, const CompileOptions &compile,
             const TuneOptions &options, Tuned &result);
};
} // namespace

Error Templates::list(ModuleOp module, const CompileOptions &compile,
                      const TuneOptions &options, Tuned &result) {
  alone = isolateTemplates(module, options.function);
  if (alone.empty())
    return runtime::failure("function '", options.function,
                            "': expected ops that become kernels, got none");
  auto kernels = nameKernels(module, options.function, compile);
  if (!kernels)
    return kernels.takeError();
  std::map<tile::TemplateKey, size_t> searched;
  if (options.number && *options.number < alone.size())
    searched[alone[*options.number].key] = *options.number;
  std::vector<std::string> names;
  for (auto [i, one, kernel] : llvm::enumerate(alone, *kernels)) {
    TunedTemplate tuned;
    tuned.number = i;
    tuned.name = nameOf(one, i, kernel);
    names.push_back(tuned.name);
    if (!options.number)
      searched.try_emplace(one.key, i);
    if (auto same = searched.find(one.key); same != searched.end()) {
      if (same->second == i)
        numbers.push_back(i);
      else
        tuned.sameAs = same->second;
    }
    result.templates.push_back(std::move(tuned));
  }
  if (options.number && *options.number >= alone.size())
    return Error("op: expected the number of a template of '" +
                     options.function + "', one of " + llvm::join(names, ", ") +
                     "; got " + std::to_string(*options.number),
                 runtime::ErrorKind::Option);
  result.numToSearch = numbers.size();
  return {};
}

/// Gives equal templates what the search of one has found.
static void share(const TunedTemplate &found, Tuned &result) {
  for (TunedTemplate &tuned : result.templates) {
    if (tuned.sameAs != found.number)
      continue;
    tuned.milliseconds = found.milliseconds;
    tuned.faster = found.faster;
  }
}

/// Tells of the search of a template, one of `count`; whether to stop.
static bool showProgress(const TunedTemplate &tuned, size_t count,
                         const History &history, double done,
                         const TuneOptions &options) {
  Progress progress{tuned.name, tuned.number, count};
  for (const Trial &trial : history.trials)
    ++(trial.measured.isTimed() ? progress.timed : progress.dropped);
  std::vector<size_t> order = history.ranked();
  if (!order.empty())
    progress.best = history.trials[order.front()].measured.ratio;
  progress.done = std::min(done, 1.0);
  return options.progress && options.progress(progress);
}

/// The order in which the model of the search, if it asks one, would measure
/// the schedules of a template.
static Expected<ModelOrder> askModel(const IsolatedTemplate &alone,
                                     const SearchSpace &space,
                                     const TuneOptions &options) {
  if (!asksModel(options.search))
    return ModelOrder();
  if (!options.model)
    return runtime::failure("expected a model, got none");
  return orderSchedules(*options.model,
                        computeFeatures(alone.op(),
                                        tile::getScheduleKind(alone.op()),
                                        space.listed));
}

/// Searches one template, and writes its line where it gains.
static Error runOn(const IsolatedTemplate &alone, Measurer &measurer,
                   const TuneOptions &options, const Limits &limits,
                   TunedTemplate &tuned) {
  auto order = askModel(alone, measurer.space(), options);
  if (!order)
    tuned.refusal = order.message();
  auto search = createSearch(options.search, options.seed,
                             order ? std::move(*order) : ModelOrder());
  if (!search)
    return search.takeError();
  tuned.fields = measurer.space().fields;
  tuned.history = runSearch(**search, measurer, limits);
  const Trial &first = tuned.history.trials.front();
  if (!first.measured.isTimed())
    return Error(first.measured.dropped);
  tuned.milliseconds = first.measured.milliseconds;
  if (!tuned.history.faster)
    return {};
  const Trial &best = tuned.history.best();
  tuned.faster = best.measured;
  tile::ScheduleInterface kind = tile::getScheduleKind(alone.op());
  auto report = [&] { return emitError(alone.op().getLoc()); };
  llvm::raw_string_ostream stream(tuned.line);
  tile::printSchedule(stream, alone.key, kind.withValues(best.schedule, report),
                      nullptr);
  if (options.records.empty())
    return {};
  std::string record =
      tile::printRecord(alone.op(), kind, best.schedule, best.measured.ratio);
  return tile::addRecord(options.records, record).in("records");
}

//===----------------------------------------------------------------------===//
// On a device
//===----------------------------------------------------------------------===//

namespace {
/// Tunes the templates of one function.
class Tuner {
public:
  Tuner(ModuleOp module, const Place &place, const TuneOptions &options,
        Tuned &result)
      : module(module), place(place), options(options), store(options.store),
        memory(place.device), result(result) {}

  Error run();
  /// Whether a thread still runs in this.
  bool isHung() const {
    return hasChosenHung || (measurer && measurer->isHung());
  }

private:
  Error listTemplates() {
    return templates.list(module, place.options, options, result);
  }
  Error checkGraphs();
  Error compileChosen();
  Error setInputs();
  Error runFirst(size_t count) const;
  Error timeChosen();
  Error timeAll(const std::function<bool(size_t)> &begin,
                std::vector<double> &milliseconds) const;
  Error search(TunedTemplate &tuned);
  double elapsed() const { return options.elapsed(); }
  double shareOf(size_t number) const;

  ModuleOp module;
  const Place place;
  const TuneOptions &options;
  const Store store;
  Templates templates;
  std::vector<IsolatedTemplate> &alone = templates.alone;
  std::vector<Compiled> chosen;
  FunctionMemory memory;
  std::unique_ptr<DeviceMeasurer> measurer;
  bool hasChosenHung = false;
  Tuned &result;
};
} // namespace

/// Whether all graphs are there, and are as declared: no template is at fault
/// where one is not. What is derived of a graph is made of it.
Error Tuner::checkGraphs() {
  llvm::StringSet<> checked;
  for (const IsolatedTemplate &one : alone) {
    auto declared =
        module.lookupSymbol<GraphOp>(one.op().getGraphAttr().getValue());
    if (declared.isDerived())
      declared = module.lookupSymbol<GraphOp>(*declared.getParentGraph());
    std::string name = declared.getSymName().str();
    if (!checked.insert(name).second)
      continue;
    auto graph = place.graphOf(name);
    if (!graph)
      return graph.takeError();
    if (Error error = checkGraph(describeGraph(declared), **graph))
      return error.in("graph '" + name + "'");
  }
  return {};
}

Error Tuner::compileChosen() {
  std::vector<CompileJob> jobs;
  for (const IsolatedTemplate &one : alone)
    jobs.push_back({&one, openSchedule(one)});
  chosen = compileAll(jobs, place);
  for (auto [i, one, compiled] : llvm::enumerate(alone, chosen)) {
    if (!compiled.bound)
      return Error(compiled.why).in("template " + result.templates[i].name);
    if (Error error = memory.reserve(one, *compiled.bound))
      return error;
  }
  return {};
}

/// Asks for the contents of the function's inputs: arguments that the templates
/// alone have among others.
Error Tuner::setInputs() {
  auto func = module.lookupSymbol<func::FuncOp>(options.function);
  const runtime::BoundFunction &bound = *chosen.front().bound;
  runtime::FunctionPlan plan = bound.plan();
  plan.inputs.clear();
  std::vector<runtime::TensorInfo> infos;
  std::vector<unsigned> arguments;
  for (auto [i, number] : llvm::enumerate(alone.front().inputs)) {
    if (func.getArgAttr(number, "bufferize.result"))
      continue;
    arguments.push_back(number);
    infos.push_back(bound.inputs()[i]);
    plan.inputs.push_back(bound.plan().inputs[i]);
  }
  auto contents = options.inputs(infos, plan);
  if (!contents)
    return contents.takeError();
  for (auto [number, info, bytes] :
       llvm::zip_equal(arguments, infos, *contents))
    if (Error error = memory.set(number, bytes))
      return error.in("input '" + info.name + "'");
  return {};
}

/// Leaves the memory as the template of that number finds it.
Error Tuner::runFirst(size_t count) const {
  for (size_t i = 0; i < count; ++i)
    if (Error error = memory.run(alone[i], *chosen[i].bound))
      return error.in("template " + result.templates[i].name);
  return place.device->synchronize(nullptr);
}

/// Times each template once, after a run that nobody times. `begin` is told
/// which one begins, which an error is about, and says whether it may.
Error Tuner::timeAll(const std::function<bool(size_t)> &begin,
                     std::vector<double> &milliseconds) const {
  for (auto [i, one, compiled] : llvm::enumerate(alone, chosen)) {
    if (!begin(i))
      return {};
    if (Error error = memory.run(one, *compiled.bound))
      return error;
    if (Error error = place.device->synchronize(nullptr))
      return error;
  }
  for (auto [i, one, compiled] : llvm::enumerate(alone, chosen)) {
    if (!begin(i))
      return {};
    auto from = place.device->record(nullptr);
    if (!from)
      return from.takeError();
    if (Error error = memory.run(one, *compiled.bound))
      return error;
    auto to = place.device->record(nullptr);
    if (!to)
      return to.takeError();
    auto time = place.device->elapsed(**from, **to);
    if (!time)
      return time.takeError();
    milliseconds.push_back(*time);
  }
  return {};
}

/// Times each template, or gives up one that takes longer than candidates may
/// and the whole budget.
Error Tuner::timeChosen() {
  // If the thread is given up, it goes on to use this and the tuner, and
  // nothing of the caller's.
  struct Outcome {
    std::atomic<size_t> number = 0;
    std::vector<double> milliseconds;
    Error error;
  };
  auto outcome = std::make_shared<Outcome>();
  auto work = [this, outcome](const auto &restart) {
    auto begin = [&](size_t number) {
      if (!restart())
        return false;
      outcome->number = number;
      return true;
    };
    outcome->error = timeAll(begin, outcome->milliseconds);
  };
  const double limit = place.patience.limit(0) + options.seconds;
  hasChosenHung = !runWatched(limit, work);
  Error error = hasChosenHung
                    ? Error("the chosen schedule " + describeHang(limit))
                    : outcome->error;
  if (error)
    return error.in("template " + result.templates[outcome->number].name);
  for (auto [tuned, time] : llvm::zip(result.templates, outcome->milliseconds))
    tuned.milliseconds = time;
  return {};
}

/// The part of the seconds that are left, by the times of the templates that
/// are still to be searched.
double Tuner::shareOf(size_t number) const {
  double all = 0;
  for (size_t other : templates.numbers)
    if (result.templates[other].history.trials.empty())
      all += result.templates[other].milliseconds;
  double left = std::max(options.seconds - elapsed(), 0.0);
  return all > 0 ? left * result.templates[number].milliseconds / all : 0;
}

Error Tuner::search(TunedTemplate &tuned) {
  size_t number = tuned.number;
  const IsolatedTemplate &one = alone[number];
  measurer.reset();
  const double end = elapsed() + shareOf(number);
  if (Error error = runFirst(number))
    return error;
  auto created = DeviceMeasurer::create(one, chosen[number], place, memory);
  if (!created)
    return created.takeError();
  measurer = std::move(*created);
  tuned.filtered = measurer->filtered();
  Cell cell{options.cell, one.key, place.device->name(), options.version};
  Error failed;
  Limits limits;
  limits.seconds = std::max(end - elapsed(), 0.0);
  limits.record = [&](const Trial &trial) {
    if (!options.store.empty() && !failed)
      failed = store.add(cell, measurer->space().fields, trial).in("store");
  };
  limits.isStopped = [&](const History &history) {
    return failed || showProgress(tuned, alone.size(), history,
                                  elapsed() / options.seconds, options);
  };
  Error error = runOn(one, *measurer, options, limits, tuned);
  share(tuned, result);
  if (error)
    return error;
  result.isStopped |= tuned.history.isStopped;
  if (!measurer->broken().empty())
    return Error(measurer->broken());
  return failed;
}

Error Tuner::run() {
  if (!place.device->hasTimer())
    return runtime::failure("the ", place.device->kind(),
                            " has no times: expected target cuda or cpu");
  for (auto step :
       {&Tuner::listTemplates, &Tuner::checkGraphs, &Tuner::compileChosen,
        &Tuner::setInputs, &Tuner::timeChosen})
    if (Error error = (this->*step)())
      return error;
  // The longest first: what is left to the last may be too little to measure.
  llvm::stable_sort(templates.numbers, [&](size_t one, size_t other) {
    return result.templates[one].milliseconds >
           result.templates[other].milliseconds;
  });
  for (size_t number : templates.numbers) {
    if (result.isStopped || elapsed() >= options.seconds)
      break;
    if (Error error = search(result.templates[number]))
      return error.in("template " + result.templates[number].name);
  }
  return {};
}

Error gnn::tune::tune(ModuleOp module, const Place &place,
                      const TuneOptions &options, Tuned &found) {
  if (found.isStopped)
    return {};
  auto tuner = std::make_unique<Tuner>(module, place, options, found);
  Error error = tuner->run();
  if (tuner->isHung())
    (void)tuner.release(); // a thread still uses it
  return error;
}

//===----------------------------------------------------------------------===//
// By a store
//===----------------------------------------------------------------------===//

/// The measurer of a template that replays a store.
static Expected<std::unique_ptr<StoreMeasurer>>
makeStoreMeasurer(const IsolatedTemplate &one,
                  ArrayRef<StoredMeasurement> stored,
                  const CompileOptions &compile, const TuneOptions &options) {
  auto space = listSpace(one, compile);
  if (!space)
    return space.takeError();
  return StoreMeasurer::create(
      stored, options.cell, one.key, std::move(*space),
      [&](const tile::ScheduleFields &fields) {
        return readSchedule(one, fields);
      },
      [&](const Schedule &schedule) {
        return completeSchedule(one, schedule, compile);
      });
}

Error gnn::tune::replay(ModuleOp module, ArrayRef<StoredMeasurement> stored,
                        const CompileOptions &compile,
                        const TuneOptions &options, Tuned &result) {
  Templates templates;
  if (Error error = templates.list(module, compile, options, result))
    return error;
  for (size_t number : templates.numbers) {
    const IsolatedTemplate &one = templates.alone[number];
    TunedTemplate &tuned = result.templates[number];
    auto replayOne = [&]() -> Error {
      auto measurer = makeStoreMeasurer(one, stored, compile, options);
      if (!measurer)
        return measurer.takeError();
      Limits limits;
      limits.seconds = options.seconds;
      limits.isStopped = [&](const History &history) {
        return showProgress(tuned, templates.alone.size(), history,
                            (*measurer)->elapsed() / options.seconds, options);
      };
      Error error = runOn(one, **measurer, options, limits, tuned);
      share(tuned, result);
      result.isStopped |= tuned.history.isStopped;
      return error;
    };
    if (Error error = replayOne())
      return error.in("template " + tuned.name);
    if (result.isStopped)
      break;
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Features of a store
//===----------------------------------------------------------------------===//

/// Writes the line of one template.
static void writeFeatures(llvm::raw_ostream &os, const IsolatedTemplate &one,
                          size_t number, const TuneOptions &options,
                          StoreMeasurer &measurer) {
  const SearchSpace &space = measurer.space();
  std::vector<ListedSchedule> timed;
  std::vector<const Measurement *> found;
  for (const ListedSchedule &listed : space.listed) {
    auto complete = measurer.complete(listed.schedule);
    const Measurement *measured = complete ? measurer.find(*complete) : nullptr;
    if (!measured || !measured->isTimed())
      continue;
    timed.push_back(listed);
    found.push_back(measured);
  }
  FeatureTable table =
      computeFeatures(one.op(), tile::getScheduleKind(one.op()), timed);
  Expected<std::vector<double>> weights = std::vector<double>();
  if (options.model)
    weights = options.model->weigh(table);
  llvm::json::OStream out(os);
  auto writeTimes = [&](StringRef name, double Measurement::*time) {
    out.attributeArray(name, [&] {
      for (const Measurement *measured : found)
        out.value(measured->*time);
    });
  };
  auto isKnown = [](double value) { return std::isfinite(value); };
  out.object([&] {
    out.attribute("cell", options.cell);
    out.attribute("device", measurer.device());
    out.attribute("number", int64_t(number));
    out.attribute("template", one.key.kind + " " + one.key.domain);
    out.attributeArray("names", [&] {
      for (const std::string &name : table.names)
        out.value(name);
    });
    out.attributeArray("schedules", [&] {
      for (const ListedSchedule &listed : timed)
        out.value(space.str(listed.schedule));
    });
    out.attributeArray("rows", [&] {
      for (const std::vector<double> &row : table.rows)
        out.array([&] {
          for (double value : row)
            out.value(isKnown(value) ? llvm::json::Value(value)
                                     : llvm::json::Value(nullptr));
        });
    });
    writeTimes("milliseconds", &Measurement::milliseconds);
    writeTimes("ratio", &Measurement::ratio);
    writeTimes("seconds", &Measurement::seconds);
    if (!weights)
      out.attribute("refusal", weights.message());
    else if (options.model)
      out.attributeArray("weights", [&] {
        for (double weight : *weights)
          out.value(weight);
      });
  });
  os << "\n";
}

Expected<std::string>
gnn::tune::listFeatures(ModuleOp module, ArrayRef<StoredMeasurement> stored,
                        const CompileOptions &compile,
                        const TuneOptions &options, Tuned &found) {
  Templates templates;
  if (Error error = templates.list(module, compile, options, found))
    return error;
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (size_t number : templates.numbers) {
    const IsolatedTemplate &one = templates.alone[number];
    if (llvm::none_of(stored, [&](const StoredMeasurement &line) {
          return line.isOf(options.cell, one.key);
        }))
      continue;
    const TunedTemplate &tuned = found.templates[number];
    found.isStopped =
        showProgress(tuned, templates.alone.size(), History(),
                     double(number) / double(templates.alone.size()), options);
    if (found.isStopped)
      return std::string();
    auto measurer = makeStoreMeasurer(one, stored, compile, options);
    if (!measurer)
      return measurer.takeError().in("template " + tuned.name);
    writeFeatures(stream, one, number, options, **measurer);
  }
  if (text.empty())
    return runtime::failure("expected measurements of '", options.cell,
                            "' and a template of '", options.function,
                            "' in the store, got none");
  return text;
}
