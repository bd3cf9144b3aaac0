//===- Search.h - Which schedules are measured ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A search proposes schedules and is told their times. Budgets, interrupts and
// what is kept are of the loop that drives it, and the same for all searches.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TUNE_SEARCH_H
#define GNN_TUNE_SEARCH_H

#include "GNN/Tune/Measurer.h"

#include <functional>
#include <memory>
#include <optional>

namespace gnn::tune {

/// A schedule that was measured.
struct Trial {
  /// Complete, and as it was first proposed; the same where it cannot be
  /// honoured.
  Schedule schedule, proposed;
  Measurement measured;
  /// Seconds from the start of the search until it was measured.
  double at = 0;
};

/// The trials of a search, in order. The first is the chosen schedule.
struct History {
  std::vector<Trial> trials;
  /// The trial that is faster than the chosen schedule; none where no one is.
  std::optional<size_t> faster;
  /// Whether somebody has stopped it.
  bool isStopped = false;

  /// The fastest; the chosen schedule where no other one is faster. Needs a
  /// trial.
  const Trial &best() const { return trials[faster.value_or(0)]; }
  /// The trials that have times, fastest first.
  std::vector<size_t> ranked() const;
  /// The trial of a complete schedule; null where there is none.
  const Trial *find(const Schedule &schedule) const;
};

/// A way of searching. Its proposals depend on the space, the seed that it
/// was made with, and the times that it is told, and on nothing else.
class Search {
public:
  virtual ~Search();

  /// The schedules to measure next; fields may be open. Empty: all is done. A
  /// schedule that is known already costs nothing, and one that cannot be
  /// honoured is dropped.
  virtual std::vector<Schedule> propose(const SearchSpace &space,
                                        const History &history) = 0;
};

/// One field at a time: each of its values with all others left to the passes;
/// then the same around the best, until nothing is faster or all is known.
std::unique_ptr<Search> createCoordinateSearch();

/// Schedules of the list, drawn without repetition.
std::unique_ptr<Search> createRandomSearch(uint64_t seed);

/// All schedules of the list; of more than `most`, so many at equal distances.
std::unique_ptr<Search> createExhaustiveSearch(size_t most);

/// The numbers in the list of schedules in the order of a model, the likely
/// fastest first.
using ModelOrder = std::vector<size_t>;

/// The names of all searches, with commas between.
std::string listSearches();

/// Whether the search of that name asks a model (ModelSearch.h).
bool asksModel(llvm::StringRef name);

/// A search by its name; `order` is that of a search that asks a model. The
/// error lists the names.
runtime::Expected<std::unique_ptr<Search>>
createSearch(llvm::StringRef name, uint64_t seed, ModelOrder order = {});

/// The limits of a search.
struct Limits {
  /// Seconds of `Measurer::elapsed`.
  double seconds = 5;
  /// Asked between batches: whether to stop with what there is. Told the trials
  /// so far.
  std::function<bool(const History &)> isStopped = {};
  /// Told of each trial, and once more where it is measured once more.
  std::function<void(const Trial &)> record = {};
};

/// Drives a search to its end or that of its limits. Measures the chosen
/// schedule first. Before the end the best ones are measured once more beside
/// the chosen one, and the fastest of these is the best of the history only
/// where its gain is larger than its spread.
History runSearch(Search &search, Measurer &measurer, const Limits &limits);

} // namespace gnn::tune

#endif // GNN_TUNE_SEARCH_H
