//===- DeviceMeasurer.cpp - Schedules timed on a device -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Tune/DeviceMeasurer.h"

#include "GNN/Runtime/Seconds.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>

using namespace gnn;
using namespace gnn::tune;
using runtime::Error;
using runtime::Expected;

/// Rounds of a race.
static constexpr unsigned mostRounds = 7;
/// Rounds after which one that is clearly slower leaves, and how much slower
/// than the chosen schedule and the fastest it then is.
static constexpr unsigned firstRounds = 2;
static constexpr double clearlySlower = 1.3;
/// A run that takes so much longer than the chosen schedule's is timed once.
static constexpr double farSlower = 4;
/// Milliseconds that the runs of one turn take together, if they are few.
static constexpr double turn = 0.5;
static constexpr unsigned mostRepetitions = 100;
/// Milliseconds below which a run may take less than its launches do.
static constexpr double shortRun = 0.015;
/// Runs of the chosen schedule, and the milliseconds that they may take
/// together, of which the fastest says how long it takes.
static constexpr unsigned firstRuns = 20;
static constexpr double firstMilliseconds = 50;

static double quantile(llvm::ArrayRef<double> sorted, double part) {
  return sorted[static_cast<size_t>(part * double(sorted.size() - 1) + 0.5)];
}

/// One of a race.
struct DeviceMeasurer::Contender {
  const Compiled *compiled = nullptr;
  const Schedule *schedule = nullptr;
  /// Whether it may add up sums in another order than the chosen schedule.
  bool mayDiffer = false;
  Measurement measured;
  unsigned repetitions = 1;
  /// The repetitions as one, where runs are short and the device has such.
  std::unique_ptr<runtime::Replay> replay;
  /// By round.
  std::vector<double> times, ratios;
  bool isOut = false;

  bool runs() const { return measured.isTimed() && !isOut; }
  void finish();
};

void DeviceMeasurer::Contender::finish() {
  measured.rounds = times.size();
  if (ratios.empty())
    return;
  llvm::sort(times);
  llvm::sort(ratios);
  measured.milliseconds = quantile(times, 0.5);
  measured.ratio = quantile(ratios, 0.5);
  measured.spread = (quantile(ratios, 0.75) - quantile(ratios, 0.25)) /
                    std::max(measured.ratio, 1e-9);
}

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<DeviceMeasurer>>
DeviceMeasurer::create(const IsolatedTemplate &alone, const Compiled &chosen,
                       const Place &place, FunctionMemory &memory) {
  std::unique_ptr<DeviceMeasurer> made(
      new DeviceMeasurer(alone, chosen, place, memory));
  if (Error error = made->prepare())
    return error;
  return made;
}

Error DeviceMeasurer::prepare() {
  auto listed = listSpace(alone, place.options);
  if (!listed)
    return listed.takeError();
  schedules = std::move(*listed);
  auto graph = place.graphs.find(alone.op().getGraphAttr().getValue().str());
  filter = SpaceFilter(alone, place.filters,
                       graph == place.graphs.end() ? nullptr : graph->second,
                       schedules);
  if (Error error = memory.reserve(alone, *chosenOne.bound))
    return error;
  auto graphs = place.graphsOf(chosenOne.bound->plan());
  if (!graphs)
    return graphs.takeError();
  auto found = memory.partsOf(alone, *chosenOne.bound, *graphs);
  if (!found)
    return found.takeError();
  parts = std::move(*found);
  auto contents = compute(chosenOne);
  if (!contents)
    return contents.takeError();
  expected = std::move(*contents);
  if (Error error = markUnwritten())
    return error;
  Contender contender;
  contender.compiled = &chosenOne;
  // The first runs of an idle device take longer than all others.
  double spent = 0;
  chosenMilliseconds = std::numeric_limits<double>::infinity();
  for (unsigned run = 0; run < firstRuns && spent < firstMilliseconds; ++run) {
    auto milliseconds = time(contender);
    if (!milliseconds)
      return milliseconds.takeError();
    chosenMilliseconds = std::min(chosenMilliseconds, *milliseconds);
    spent += *milliseconds;
  }
  return {};
}

/// Makes runs begin with other bits than those of the expected result, so that
/// elements which a candidate leaves out are found. What the chosen schedule
/// leaves out, too, such as padding, stays as it is. Of large results, and of
/// those that do not fit on the device twice, all bits stay ones.
Error DeviceMeasurer::markUnwritten() {
  if (!isCheckedFirst())
    return {};
  std::vector<std::string> marks = expected;
  auto mark = [&]() -> Error {
    for (auto [part, bytes] : llvm::zip_equal(parts, marks))
      if (!part.isRead)
        if (Error error = memory.setBefore(part, bytes))
          return error;
    return {};
  };
  for (std::string &bytes : marks)
    for (char &byte : bytes)
      byte = ~byte;
  if (Error error = mark()) {
    for (WrittenPart &part : parts)
      if (!part.isRead)
        part.before.reset();
    return {};
  }
  auto found = compute(chosenOne);
  if (!found)
    return found.takeError();
  bool isAllWritten = true;
  for (auto [part, bytes, left, wanted] :
       llvm::zip_equal(parts, marks, *found, expected))
    for (auto [byte, now, right] : llvm::zip_equal(bytes, left, wanted))
      if (byte == now && !part.isRead) {
        byte = right;
        isAllWritten = false;
      }
  return isAllWritten ? Error() : mark();
}

/// The result of one run on what the template finds.
Expected<std::vector<std::string>>
DeviceMeasurer::compute(const Compiled &compiled) const {
  if (Error error = memory.reset(parts))
    return error;
  if (Error error = memory.run(alone, *compiled.bound))
    return error.in("launch");
  auto contents = memory.read(parts);
  if (!contents)
    return contents.takeError().in("run");
  return contents;
}

Expected<Schedule> DeviceMeasurer::complete(const Schedule &schedule) {
  return completeSchedule(alone, schedule, place.options);
}

double DeviceMeasurer::elapsed() const { return runtime::secondsSince(start); }

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

/// Says that something begins which may never end. False once the measurements
/// are given up: the device has to be left alone.
bool DeviceMeasurer::goOn() {
  if (!restartClock || restartClock())
    return true;
  deviceError = "given up";
  return false;
}

/// Says the same of something that may also overwrite what is not a result.
bool DeviceMeasurer::begin(const Contender &contender) {
  if (!goOn())
    return false;
  running = &contender;
  if (contender.compiled != &chosenOne &&
      !llvm::is_contained(suspects, &contender))
    suspects.push_back(&contender);
  return true;
}

/// "schedule <lanes = 8, row_walk = team>", for errors.
std::string
DeviceMeasurer::describe(llvm::ArrayRef<const Contender *> several) const {
  std::vector<std::string> texts;
  for (const Contender *one : several)
    texts.push_back("<" + schedules.str(*one->schedule) + ">");
  return (texts.size() > 1 ? "schedules " : "schedule ") +
         llvm::join(texts, " or ");
}

Error DeviceMeasurer::repeat(const Contender &contender,
                             runtime::Stream stream) const {
  for (unsigned i = 0; i < contender.repetitions; ++i)
    if (Error error = memory.run(alone, *contender.compiled->bound, stream))
      return error;
  return {};
}

Expected<double> DeviceMeasurer::time(const Contender &contender) {
  if (!begin(contender))
    return Error(deviceError);
  auto from = place.device->record(nullptr);
  if (!from)
    return from.takeError();
  if (Error error = contender.replay ? contender.replay->run(nullptr)
                                     : repeat(contender, nullptr))
    return error;
  auto to = place.device->record(nullptr);
  if (!to)
    return to.takeError();
  auto milliseconds = place.device->elapsed(**from, **to);
  if (!milliseconds)
    return milliseconds.takeError();
  return *milliseconds / contender.repetitions;
}

/// Makes the repetitions of each one replay, which runs once without a time:
/// repeated launches of short runs would take longer than these.
void DeviceMeasurer::makeReplays(std::vector<Contender> &contenders) {
  for (Contender &contender : contenders) {
    if (!deviceError.empty())
      return;
    if (!contender.runs())
      continue;
    if (!begin(contender))
      return;
    auto made = place.device->makeReplay(
        [&](runtime::Stream stream) { return repeat(contender, stream); });
    if (!made) {
      drop(contender, made.takeError().in("capture"));
      continue;
    }
    contender.replay = std::move(*made);
    if (!contender.replay)
      return; // the device has none
    if (Error error = contender.replay->run(nullptr))
      drop(contender, error.in("replay"));
  }
}

/// Whether a schedule differs from the chosen one in nothing that moves the
/// terms of a sum.
bool DeviceMeasurer::keepsOrder(const Schedule &schedule) const {
  for (auto [field, value, chosen] :
       llvm::zip_equal(schedules.fields, schedule, schedules.chosen))
    if (value != chosen && field.bits != tile::sameBits)
      return false;
  return true;
}

/// Drops one that has failed on the device. Nothing else is measured any more
/// where the device has failed with it, or where it is the chosen schedule,
/// which all others are compared with.
void DeviceMeasurer::drop(Contender &contender, const Error &error) {
  contender.measured.dropped = error.message();
  if (contender.compiled == &chosenOne)
    deviceError = contender.measured.dropped;
  if (!goOn())
    return;
  Error other = memory.run(alone, *chosenOne.bound);
  if (!other)
    other = place.device->synchronize(nullptr);
  if (other)
    deviceError = "the device has failed: " + other.message();
}

/// Runs it once and compares its result.
void DeviceMeasurer::check(Contender &contender) {
  if (!begin(contender))
    return;
  auto contents = compute(*contender.compiled);
  if (!contents)
    return drop(contender, contents.takeError());
  auto found = compare(parts, expected, *contents, contender.mayDiffer);
  if (found) {
    contender.measured.check = *found;
    return;
  }
  contender.measured.dropped = found.takeError().in("result").message();
  confirm();
}

/// Ends all measurements unless the chosen schedule still has its result:
/// then somebody has written what is not a result, such as an input.
void DeviceMeasurer::confirm() {
  if (suspects.empty() || !deviceError.empty() || !begin(*suspects.back()))
    return;
  auto contents = compute(chosenOne);
  // Results of atomics, if somebody chose these, have other bits on each run.
  if (!contents)
    deviceError = "the device has failed: " + contents.message();
  else if (auto same = compare(parts, expected, *contents, /*mayDiffer=*/true);
           !same)
    deviceError = describe(suspects) +
                  " has overwritten inputs or workspace of the template: the "
                  "chosen schedule's result is another one since then (" +
                  same.message() + ")";
  suspects.clear();
}

/// Finds how long a run takes, after one that nobody times.
void DeviceMeasurer::warmUp(Contender &contender) {
  const runtime::BoundFunction &bound = *contender.compiled->bound;
  if (Error error = memory.reserve(alone, bound))
    return drop(contender, error);
  if (isCheckedFirst())
    check(contender);
  else if (begin(contender))
    if (Error error = memory.run(alone, bound))
      drop(contender, error.in("launch"));
  if (!contender.runs())
    return;
  auto first = time(contender);
  if (!first)
    return drop(contender, first.takeError().in("run"));
  contender.repetitions = std::clamp<double>(
      std::ceil(turn / std::max(*first, 1e-6)), 1, mostRepetitions);
  contender.times.push_back(*first);
}

/// Whether all results are compared before they are timed: of large ones, only
/// those that turn out to be faster.
bool DeviceMeasurer::isCheckedFirst() const {
  int64_t bytes = 0;
  for (const WrittenPart &part : parts)
    bytes += part.bytes;
  return bytes <= place.mostBytesToCheck;
}

/// Times all in turns; the first is the chosen schedule.
void DeviceMeasurer::race(std::vector<Contender> &contenders) {
  double first = contenders.front().times.front(), limit = farSlower * first;
  for (Contender &contender : contenders) {
    if (!contender.runs())
      continue;
    contender.isOut = contender.times.front() > limit;
    if (contender.isOut)
      contender.ratios = {contender.times.front() /
                          contenders.front().times.front()};
    else
      contender.times.clear();
  }
  if (chosenMilliseconds < shortRun)
    makeReplays(contenders);
  if (!deviceError.empty())
    return;
  for (unsigned round = 0; round < mostRounds; ++round) {
    double fastest = std::numeric_limits<double>::infinity();
    for (Contender &contender : contenders) {
      if (!contender.runs())
        continue;
      auto milliseconds = time(contender);
      if (!milliseconds) {
        drop(contender, milliseconds.takeError().in("run"));
        if (!deviceError.empty())
          return;
        continue;
      }
      contender.times.push_back(*milliseconds);
      contender.ratios.push_back(*milliseconds /
                                 contenders.front().times.back());
      fastest = std::min(fastest, contender.ratios.back());
    }
    for (Contender &contender : llvm::drop_begin(contenders))
      if (contender.runs() && round + 1 >= firstRounds)
        contender.isOut =
            *llvm::min_element(contender.ratios) > clearlySlower * fastest;
  }
}

/// Compiles those that are not kept.
void DeviceMeasurer::compile(llvm::ArrayRef<Schedule> asked) {
  std::vector<Schedule> fresh;
  std::vector<CompileJob> jobs;
  for (const Schedule &schedule : asked) {
    if (schedule == schedules.chosen || kept.count(schedule))
      continue;
    if (llvm::StringRef refusing = filter.findRefusing(schedule);
        !refusing.empty())
      kept[schedule].why = ("filter: " + refusing).str();
    else
      fresh.push_back(schedule);
  }
  for (const Schedule &schedule : fresh)
    jobs.push_back({&alone, schedule});
  double limit = place.patience.limit(chosenOne.seconds);
  for (auto [schedule, compiled] :
       llvm::zip_equal(fresh, compileAll(jobs, place, limit)))
    kept[schedule] = std::move(compiled);
}

/// Checks and times all; the first is the chosen schedule.
void DeviceMeasurer::measureAll(std::vector<Contender> &contenders) {
  for (Contender &contender : contenders) {
    if (!deviceError.empty())
      contender.measured.dropped = deviceError;
    else if (!contender.compiled->bound)
      contender.measured.dropped = contender.compiled->why;
    else
      warmUp(contender);
    if (&contender == &contenders.front() && !contender.measured.isTimed())
      deviceError = contender.measured.dropped;
  }
  if (deviceError.empty())
    race(contenders);
  for (Contender &contender : llvm::drop_begin(contenders)) {
    contender.finish();
    if (deviceError.empty() && !isCheckedFirst() &&
        contender.measured.isTimed() && contender.measured.ratio < 1)
      check(contender);
  }
  confirm();
  for (Contender &contender : llvm::drop_begin(contenders))
    if (!deviceError.empty() && contender.measured.isTimed())
      contender.measured.dropped = deviceError;
}

std::vector<Measurement>
DeviceMeasurer::measure(llvm::ArrayRef<Schedule> asked) {
  const double from = elapsed();
  compile(asked);
  // The thread that runs them keeps them, and the schedules, if it hangs.
  auto names = std::make_shared<const std::vector<Schedule>>(asked.vec());
  auto contenders = std::make_shared<std::vector<Contender>>(asked.size() + 1);
  for (auto [i, contender] : llvm::enumerate(*contenders)) {
    contender.schedule = i == 0 ? &schedules.chosen : &(*names)[i - 1];
    bool isChosen = *contender.schedule == schedules.chosen;
    contender.compiled = isChosen ? &chosenOne : &kept[*contender.schedule];
    contender.mayDiffer = !isChosen && !keepsOrder(*contender.schedule);
  }
  const double limit = place.patience.limit(chosenMilliseconds / 1e3);
  running = &contenders->front();
  auto work = [this, names, contenders](const auto &restart) {
    restartClock = restart;
    measureAll(*contenders);
    restartClock = nullptr;
  };
  std::vector<Measurement> result;
  if (!runWatched(limit, work)) {
    hung =
        describe(running.load()) + " " +
        describeHang(limit, llvm::formatv(", {0:f4} ms by the chosen schedule",
                                          chosenMilliseconds));
    result.assign(asked.size(), Measurement::drop(hung));
    return result;
  }
  for (auto [schedule, contender] :
       llvm::zip_equal(asked, llvm::drop_begin(*contenders))) {
    if (!contender.measured.isTimed() || contender.measured.ratio > 1) {
      contender.replay.reset(); // it has kernels of what is unloaded
      kept.erase(schedule);     // nobody measures it again
    }
    result.push_back(contender.measured);
  }
  for (Measurement &measured : result)
    measured.seconds = (elapsed() - from) / double(result.size());
  return result;
}
