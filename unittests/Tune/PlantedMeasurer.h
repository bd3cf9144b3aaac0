//===- PlantedMeasurer.h - Times by a function ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_UNITTESTS_TUNE_PLANTEDMEASURER_H
#define GNN_UNITTESTS_TUNE_PLANTEDMEASURER_H

#include "GNN/Tune/Measurer.h"

#include "llvm/ADT/STLExtras.h"

#include <functional>

namespace gnn::tune {

/// Three fields of powers of two, whose times a function gives: below 0 of one
/// that fails. An open field becomes 8. `wide` above 64 with `deep` above 64
/// cannot be honoured. Each measurement takes a second.
class PlantedMeasurer : public Measurer {
public:
  using Cost = std::function<double(const Schedule &)>;

  explicit PlantedMeasurer(Cost cost) : cost(std::move(cost)) {
    planted.fields = table();
    planted.chosen = {8, 8, 8};
    for (int64_t wide = 1; wide <= 128; wide *= 2)
      for (int64_t deep = 1; deep <= 128; deep *= 2)
        for (int64_t long_ = 1; long_ <= 128; long_ *= 2)
          if (complete({wide, deep, long_}))
            planted.listed.push_back({{wide, deep, long_}, {}});
  }

  static llvm::ArrayRef<tile::ScheduleField> table() {
    static const tile::ScheduleField fields[] = {
        {"wide", tile::range::powers(1, 128)},
        {"deep", tile::range::powers(1, 128)},
        {"long", tile::range::powers(1, 128)}};
    return fields;
  }

  const SearchSpace &space() const override { return planted; }

  runtime::Expected<Schedule> complete(const Schedule &schedule) override {
    Schedule result = schedule;
    for (int64_t &value : result)
      value = value ? value : 8;
    if (result[0] > 64 && result[1] > 64)
      return runtime::failure("expected wide or deep of at most 64");
    return result;
  }

  std::vector<Measurement>
  measure(llvm::ArrayRef<Schedule> schedules) override {
    std::vector<Measurement> result;
    for (const Schedule &schedule : schedules) {
      ++seconds;
      asked.push_back(schedule);
      double time = cost(schedule), chosen = cost(planted.chosen);
      if (time < 0) {
        result.push_back(Measurement::drop("result: planted"));
        continue;
      }
      Measurement measured;
      measured.milliseconds = time;
      measured.ratio = time / chosen;
      measured.rounds = 7;
      measured.seconds = 1;
      measured.check = Check::SameBits;
      result.push_back(measured);
    }
    return result;
  }

  double elapsed() const override { return seconds; }
  size_t batchSize() const override { return batch; }

  /// All that were measured, in order.
  std::vector<Schedule> asked;
  size_t batch = 4;

private:
  Cost cost;
  SearchSpace planted;
  double seconds = 0;
};

} // namespace gnn::tune

#endif // GNN_UNITTESTS_TUNE_PLANTEDMEASURER_H
