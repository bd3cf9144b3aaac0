//===- DeviceMeasurer.h - Schedules timed on a device -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles schedules of one template in parallel, runs each, compares its
// result with that of the chosen schedule, and times all of them in turns.
// Nothing that a candidate does may wait for ever: a compilation that takes too
// long drops the candidate, and a run that does ends all measurements.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TUNE_DEVICEMEASURER_H
#define GNN_TUNE_DEVICEMEASURER_H

#include "GNN/Tune/CompileTemplate.h"
#include "GNN/Tune/FunctionMemory.h"
#include "GNN/Tune/SpaceFilter.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <map>

namespace gnn::tune {

class DeviceMeasurer : public Measurer {
public:
  /// `chosen` is the template with the schedule that the passes choose.
  /// `memory` is as the template finds it. All outlive this. The error is that
  /// of the chosen schedule. Once a kernel is given up, a thread runs in this,
  /// and all of them have to stay.
  static runtime::Expected<std::unique_ptr<DeviceMeasurer>>
  create(const IsolatedTemplate &alone, const Compiled &chosen,
         const Place &place, FunctionMemory &memory);

  const SearchSpace &space() const override { return schedules; }
  runtime::Expected<Schedule> complete(const Schedule &schedule) override;
  std::vector<Measurement> measure(llvm::ArrayRef<Schedule> asked) override;
  double elapsed() const override;
  size_t batchSize() const override { return place.threads; }
  std::string broken() const override { return isHung() ? hung : deviceError; }
  /// Whether a kernel was given up, which still runs.
  bool isHung() const { return !hung.empty(); }
  /// Whether a schedule has to give the bits of the chosen one: it differs in
  /// nothing that moves the terms of a sum.
  bool keepsOrder(const Schedule &schedule) const;
  const SpaceFilter::Removed &filtered() const { return filter.getRemoved(); }

private:
  struct Contender;
  DeviceMeasurer(const IsolatedTemplate &alone, const Compiled &chosen,
                 const Place &place, FunctionMemory &memory)
      : alone(alone), chosenOne(chosen), place(place), memory(memory) {}

  runtime::Error prepare();
  runtime::Error markUnwritten();
  void compile(llvm::ArrayRef<Schedule> asked);
  void measureAll(std::vector<Contender> &contenders);
  bool goOn();
  bool begin(const Contender &contender);
  runtime::Expected<std::vector<std::string>>
  compute(const Compiled &compiled) const;
  std::string describe(llvm::ArrayRef<const Contender *> several) const;
  bool isCheckedFirst() const;
  void check(Contender &contender);
  void confirm();
  void warmUp(Contender &contender);
  void drop(Contender &contender, const runtime::Error &error);
  void race(std::vector<Contender> &contenders);
  runtime::Error repeat(const Contender &contender,
                        runtime::Stream stream) const;
  void makeReplays(std::vector<Contender> &contenders);
  runtime::Expected<double> time(const Contender &contender);

  const IsolatedTemplate &alone;
  const Compiled &chosenOne;
  const Place &place;
  FunctionMemory &memory;
  SearchSpace schedules;
  SpaceFilter filter;
  std::vector<WrittenPart> parts;
  std::vector<std::string> expected;
  /// The time of the chosen schedule. Repetitions of a short one are replays.
  double chosenMilliseconds = 0;
  /// Those that may be measured once more.
  std::map<Schedule, Compiled> kept;
  std::string deviceError;
  /// The candidate that the measuring thread runs; the call that restarts the
  /// clock of its watchdog.
  std::atomic<const Contender *> running = nullptr;
  RestartClock restartClock;
  /// Those that have run since the last proof that they left inputs alone.
  std::vector<const Contender *> suspects;
  /// Why it was given up. The thread may still write all others above.
  std::string hung;
  const std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
};

} // namespace gnn::tune

#endif // GNN_TUNE_DEVICEMEASURER_H
