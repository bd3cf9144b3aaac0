//===- Measurer.h - Times of schedules --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A search asks a measurer for times. A measurer runs kernels on a device,
// replays the lines of a store, or has planted times for a test; searches do
// not see the difference.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TUNE_MEASURER_H
#define GNN_TUNE_MEASURER_H

#include "GNN/Analysis/ScheduleModels/SearchSpace.h"

namespace gnn::tune {

/// The comparison of a result with that of the chosen schedule.
enum class Check {
  None,     ///< was not compared
  SameBits, ///< the same bits
  Close     ///< sums in another order: within the tolerance
};

llvm::StringRef stringify(Check check);

/// The outcome of one schedule.
struct Measurement {
  /// The median over the rounds of the time of all launches of the template.
  double milliseconds = 0;
  /// The distance from the lower to the upper quartile, divided by the median.
  double spread = 0;
  /// The median over the rounds of the time divided by the time of the chosen
  /// schedule in the same round. Searches compare ratios, because clocks drift.
  double ratio = 0;
  /// The number of rounds. A clearly slower schedule leaves early.
  unsigned rounds = 0;
  Check check = Check::None;
  /// The schedule's share of the seconds of its batch: to compile, compare and
  /// time it.
  double seconds = 0;
  /// The reason that there is no time; empty if there is one.
  std::string dropped;

  bool isTimed() const { return dropped.empty(); }
  static Measurement drop(std::string why) {
    Measurement result;
    result.dropped = std::move(why);
    return result;
  }
};

/// The times of schedules of one template on its inputs.
class Measurer {
public:
  virtual ~Measurer();

  virtual const SearchSpace &space() const = 0;

  /// The schedule with what the compiler's passes choose of open fields. The
  /// error says which field cannot be honoured.
  virtual runtime::Expected<Schedule> complete(const Schedule &schedule) = 0;

  /// Measures complete schedules beside the chosen one. Results are in the
  /// order of `schedules`.
  virtual std::vector<Measurement>
  measure(llvm::ArrayRef<Schedule> schedules) = 0;

  /// The elapsed seconds, or those of the store that is replayed.
  virtual double elapsed() const = 0;

  /// The reason that nothing can be measured any more; empty as long as it can.
  virtual std::string broken() const { return ""; }

  /// The number of schedules that are best measured at once.
  virtual size_t batchSize() const { return 1; }
};

} // namespace gnn::tune

#endif // GNN_TUNE_MEASURER_H
