//===- Measurer.h - Times of schedules --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A search asks a measurer for times, and knows nothing of how they came to be:
// kernels run on a device, lines of a store are replayed, or a test plants
// costs.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TUNE_MEASURER_H
#define GNN_TUNE_MEASURER_H

#include "GNN/Analysis/ScheduleModels/SearchSpace.h"

namespace gnn::tune {

/// How far a result is from that of the chosen schedule.
enum class Check {
  None,     ///< was not compared
  SameBits, ///< the same bits
  Close     ///< sums in another order: within the tolerance
};

llvm::StringRef stringify(Check check);

/// The outcome of one schedule.
struct Measurement {
  /// The median of the rounds, of all launches that the template becomes.
  double milliseconds = 0;
  /// From the lower to the upper quartile, as a part of the median.
  double spread = 0;
  /// The median over the rounds of its time over that of the chosen schedule in
  /// the same round: what searches compare, since clocks drift.
  double ratio = 0;
  /// Rounds that it stayed in: one that is clearly slower leaves early.
  unsigned rounds = 0;
  Check check = Check::None;
  /// Its part of the seconds that its batch took: to compile it, to compare its
  /// result, and to time it.
  double seconds = 0;
  /// Why there is no time; empty where there is one.
  std::string dropped;

  bool isTimed() const { return dropped.empty(); }
  static Measurement drop(std::string why) {
    Measurement result;
    result.dropped = std::move(why);
    return result;
  }
};

/// The times of schedules of one template with its inputs, which a search asks.
class Measurer {
public:
  virtual ~Measurer();

  virtual const SearchSpace &space() const = 0;

  /// The schedule with what the compiler's passes choose of open fields. The
  /// error says which field cannot be honoured.
  virtual runtime::Expected<Schedule> complete(const Schedule &schedule) = 0;

  /// Measures schedules, which are complete, beside the chosen one. Results are
  /// in the order of `schedules`.
  virtual std::vector<Measurement>
  measure(llvm::ArrayRef<Schedule> schedules) = 0;

  /// The seconds that have gone by; those of a store where it is replayed.
  virtual double elapsed() const = 0;

  /// Why nothing can be measured any more; empty where it can.
  virtual std::string broken() const { return ""; }

  /// How many schedules are best measured at once.
  virtual size_t batchSize() const { return 1; }
};

} // namespace gnn::tune

#endif // GNN_TUNE_MEASURER_H
