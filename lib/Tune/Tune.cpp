//===- Tune.cpp - Faster schedules of a function --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Tune/Tune.h"

#include "GNN/Tune/DeviceMeasurer.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"

#include <chrono>
#include <set>

using namespace mlir;
using namespace gnn;
using namespace gnn::tune;
using runtime::Error;
using runtime::Expected;

namespace {
/// Tunes the templates of one function.
class Tuner {
public:
  Tuner(ModuleOp module, const Place &place, const TuneOptions &options)
      : module(module), place(place), options(options), memory(place.device) {}

  Expected<Tuned> run();

private:
  Error isolate();
  Error compileChosen();
  Error setInputs();
  Error runFirst(size_t count) const;
  Error timeChosen();
  Error search(TunedTemplate &tuned);
  std::string nameOf(size_t number) const;
  double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         begin)
        .count();
  }
  double shareOf(size_t number) const;

  ModuleOp module;
  const Place &place;
  const TuneOptions &options;
  const std::chrono::steady_clock::time_point begin =
      std::chrono::steady_clock::now();
  std::vector<IsolatedTemplate> alone;
  std::vector<Compiled> chosen;
  FunctionMemory memory;
  Tuned result;
  /// Those that are to be searched: one of each key.
  std::vector<size_t> numbers;
};
} // namespace

std::string Tuned::lines() const {
  std::string text;
  for (const TunedTemplate &tuned : templates)
    text += tuned.line;
  return text;
}

/// "2 (traverse dst, edge.in_rows, features = 64)".
std::string Tuner::nameOf(size_t number) const {
  const tile::TemplateKey &key = alone[number].key;
  return std::to_string(number) + " (" + key.kind + " " + key.domain + ")";
}

Error Tuner::isolate() {
  alone = isolateTemplates(module, options.function);
  if (alone.empty())
    return runtime::failure("function '", options.function,
                            "': expected ops that become kernels, got none");
  std::vector<std::string> names;
  for (size_t i = 0; i < alone.size(); ++i)
    names.push_back(nameOf(i));
  if (options.number && *options.number >= alone.size())
    return runtime::failure("expected the number of a template of '",
                            options.function, "', one of ",
                            llvm::join(names, ", "), "; got ", *options.number);
  std::set<tile::TemplateKey> known;
  for (size_t i = 0; i < alone.size(); ++i) {
    bool isNew = known.insert(alone[i].key).second;
    if (options.number ? i == *options.number : isNew)
      numbers.push_back(i);
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
      return Error(compiled.why).in("template " + nameOf(i));
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
      return error.in("template " + nameOf(i));
  return place.device->synchronize(nullptr);
}

/// Times each template once, after a run that nobody times.
Error Tuner::timeChosen() {
  if (Error error = runFirst(alone.size()))
    return error;
  for (auto [i, one, compiled] : llvm::enumerate(alone, chosen)) {
    auto from = place.device->record(nullptr);
    if (!from)
      return from.takeError();
    if (Error error = memory.run(one, *compiled.bound))
      return error;
    auto to = place.device->record(nullptr);
    if (!to)
      return to.takeError();
    auto milliseconds = place.device->elapsed(**from, **to);
    if (!milliseconds)
      return milliseconds.takeError();
    TunedTemplate tuned;
    tuned.number = i;
    tuned.name = nameOf(i);
    tuned.milliseconds = *milliseconds;
    result.templates.push_back(std::move(tuned));
  }
  return {};
}

/// The part of the seconds that are left, by the times of the templates that
/// are still to be searched.
double Tuner::shareOf(size_t number) const {
  double all = 0;
  for (size_t other : numbers)
    if (other >= number)
      all += result.templates[other].milliseconds;
  double left = std::max(options.seconds - elapsed(), 0.0);
  return all > 0 ? left * result.templates[number].milliseconds / all : 0;
}

Error Tuner::search(TunedTemplate &tuned) {
  size_t number = tuned.number;
  const IsolatedTemplate &one = alone[number];
  const double from = elapsed(), seconds = shareOf(number);
  auto search = createSearch(options.search, options.seed);
  if (!search)
    return search.takeError();
  if (Error error = runFirst(number))
    return error;
  auto measurer = DeviceMeasurer::create(one, chosen[number], place, memory);
  if (!measurer)
    return measurer.takeError();
  tuned.fields = (*measurer)->space().fields;
  Cell cell{options.cell, one.key, place.device->name(), options.version};
  Error failed;
  Limits limits;
  limits.seconds = std::max(seconds - (elapsed() - from), 0.0);
  limits.record = [&](const Trial &trial) {
    if (options.store && !failed)
      failed = options.store->add(cell, tuned.fields, trial);
  };
  limits.isStopped = [&](const History &history) {
    Progress progress{tuned.name, number, alone.size()};
    for (const Trial &trial : history.trials)
      ++(trial.measured.isTimed() ? progress.timed : progress.dropped);
    for (size_t i : history.ranked()) {
      progress.best = history.trials[i].measured.ratio;
      break;
    }
    progress.done = std::min(elapsed() / options.seconds, 1.0);
    return failed || (options.progress && options.progress(progress));
  };
  tuned.history = runSearch(**search, **measurer, limits);
  result.isStopped |= tuned.history.isStopped;
  const Trial &first = tuned.history.trials.front();
  if (!first.measured.isTimed())
    return runtime::failure(first.measured.dropped);
  if (!(*measurer)->broken().empty())
    return runtime::failure((*measurer)->broken());
  if (tuned.history.faster) {
    tile::ScheduleInterface kind = tile::getScheduleKind(one.op());
    Attribute schedule = kind.withValues(tuned.history.best().schedule, [&] {
      return emitError(one.op().getLoc());
    });
    llvm::raw_string_ostream stream(tuned.line);
    tile::printSchedule(stream, one.key, schedule, nullptr);
  }
  return failed;
}

Expected<Tuned> Tuner::run() {
  if (!place.device->hasTimer())
    return runtime::failure("the ", place.device->kind(),
                            " has no times: expected target cuda or cpu");
  if (!(options.seconds > 0))
    return runtime::failure("expected a budget above 0 seconds, got ",
                            options.seconds);
  for (auto step : {&Tuner::isolate, &Tuner::compileChosen, &Tuner::setInputs,
                    &Tuner::timeChosen})
    if (Error error = (this->*step)())
      return error;
  for (size_t number : numbers) {
    if (result.isStopped || elapsed() >= options.seconds)
      break;
    if (Error error = search(result.templates[number]))
      return error.in("template " + nameOf(number));
  }
  return std::move(result);
}

Expected<Tuned> gnn::tune::tune(ModuleOp module, const Place &place,
                                const TuneOptions &options) {
  return Tuner(module, place, options).run();
}
