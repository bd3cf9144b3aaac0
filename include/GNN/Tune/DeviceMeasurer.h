//===- DeviceMeasurer.h - Schedules timed on a device -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles schedules of one template in parallel, runs each, compares its
// result with that of the chosen schedule, and times all of them in turns.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TUNE_DEVICEMEASURER_H
#define GNN_TUNE_DEVICEMEASURER_H

#include "GNN/Tune/CompileTemplate.h"
#include "GNN/Tune/FunctionMemory.h"
#include "GNN/Tune/SpaceFilter.h"

#include <chrono>
#include <map>

namespace gnn::tune {

class DeviceMeasurer : public Measurer {
public:
  /// `chosen` is the template with the schedule that the passes choose.
  /// `memory` is as the template finds it. All outlive this. The error is that
  /// of the chosen schedule.
  static runtime::Expected<std::unique_ptr<DeviceMeasurer>>
  create(const IsolatedTemplate &alone, const Compiled &chosen,
         const Place &place, FunctionMemory &memory);

  const SearchSpace &space() const override { return schedules; }
  runtime::Expected<Schedule> complete(const Schedule &schedule) override;
  std::vector<Measurement> measure(llvm::ArrayRef<Schedule> asked) override;
  double elapsed() const override;
  size_t batchSize() const override { return place.threads; }
  std::string broken() const override { return deviceError; }
  const SpaceFilter::Removed &filtered() const { return filter.getRemoved(); }

private:
  struct Contender;
  DeviceMeasurer(const IsolatedTemplate &alone, const Compiled &chosen,
                 const Place &place, FunctionMemory &memory)
      : alone(alone), chosenOne(chosen), place(place), memory(memory) {}

  runtime::Error prepare();
  bool isCheckedFirst() const;
  void check(Contender &contender);
  void warmUp(Contender &contender);
  void drop(Contender &contender, const runtime::Error &error);
  void race(std::vector<Contender> &contenders);
  runtime::Error repeat(const Contender &contender,
                        runtime::Stream stream) const;
  void makeReplays(std::vector<Contender> &contenders);
  runtime::Expected<double> time(const Contender &contender) const;
  bool keepsOrder(const Schedule &schedule) const;

  const IsolatedTemplate &alone;
  const Compiled &chosenOne;
  const Place &place;
  FunctionMemory &memory;
  SearchSpace schedules;
  SpaceFilter filter;
  std::vector<WrittenPart> parts;
  std::vector<std::string> expected;
  /// Whether runs are so short that their repetitions are replays.
  bool isShort = false;
  /// Those that may be measured once more.
  std::map<Schedule, Compiled> kept;
  std::string deviceError;
  const std::chrono::steady_clock::time_point begin =
      std::chrono::steady_clock::now();
};

} // namespace gnn::tune

#endif // GNN_TUNE_DEVICEMEASURER_H
