//===- Search.h - Which schedules are measured ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A search proposes schedules and receives their times. The loop that drives it
// handles budgets and interrupts, and decides what is kept. It is the same for
// all searches.
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
  /// The seconds from the start of the search to the end of the measurement.
  double at = 0;
};

/// The trials of a search, in order. The first is the chosen schedule.
struct History {
  std::vector<Trial> trials;
  /// The best trial, if it is faster than the chosen schedule.
  std::optional<size_t> faster;
  /// Whether the search was stopped.
  bool isStopped = false;

  /// The best trial: that of the chosen schedule if no other one is faster.
  /// Needs a trial.
  const Trial &best() const { return trials[faster.value_or(0)]; }
  /// The indices of the trials with times, fastest first.
  std::vector<size_t> ranked() const;
  /// The trial of a complete schedule, or null.
  const Trial *find(const Schedule &schedule) const;
};

/// A strategy. Its proposals depend only on the space, on the seed that it was
/// created with, and on the times that it receives.
class Search {
public:
  virtual ~Search();

  /// Proposes the schedules to measure next; fields may be open. An empty list
  /// ends the search. A schedule that is known already, or that cannot be
  /// honoured, costs nothing.
  virtual std::vector<Schedule> propose(const SearchSpace &space,
                                        const History &history) = 0;
};

/// Searches one field at a time: each of its values, with all other fields left
/// to the passes. Then it does the same around the best schedule, until nothing
/// is faster or all schedules are known.
std::unique_ptr<Search> createCoordinateSearch();

/// Draws schedules of the list without repetition.
std::unique_ptr<Search> createRandomSearch(uint64_t seed);

/// Takes all schedules of the list. If there are more than `most`, it takes
/// this number of them, at equal distances.
std::unique_ptr<Search> createExhaustiveSearch(size_t most);

/// The indices of listed schedules in the order of a model, likely fastest
/// first.
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
  /// Called between batches with the trials so far. Returns whether to stop.
  std::function<bool(const History &)> isStopped = {};
  /// Called with each trial, and again if it is measured once more.
  std::function<void(const Trial &)> record = {};
};

/// Drives a search to its end, or to that of its limits. The chosen schedule is
/// measured first. At the end the best schedules are measured once more beside
/// the chosen one. The fastest of these is the best of the history only if its
/// gain is larger than its spread.
History runSearch(Search &search, Measurer &measurer, const Limits &limits);

} // namespace gnn::tune

#endif // GNN_TUNE_SEARCH_H
