//===- Search.cpp - Which schedules are measured --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Tune/ModelSearch.h"

#include "Numbers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <numeric>
#include <set>

using namespace gnn;
using namespace gnn::tune;

Search::~Search() = default;

//===----------------------------------------------------------------------===//
// What is known
//===----------------------------------------------------------------------===//

const Trial *History::find(const Schedule &schedule) const {
  auto found = llvm::find_if(
      trials, [&](const Trial &trial) { return trial.schedule == schedule; });
  return found == trials.end() ? nullptr : &*found;
}

std::vector<size_t> History::ranked() const {
  std::vector<size_t> order;
  for (auto [i, trial] : llvm::enumerate(trials))
    if (trial.measured.isTimed())
      order.push_back(i);
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::pair(trials[a].measured.ratio, a) <
           std::pair(trials[b].measured.ratio, b);
  });
  return order;
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

namespace {
/// Drives one search.
class Driver {
public:
  Driver(Search &search, Measurer &measurer, const Limits &limits)
      : search(search), measurer(measurer), limits(limits),
        begin(measurer.elapsed()) {}

  History run();

private:
  double seconds() const { return measurer.elapsed() - begin; }
  bool isOver();
  void measure(llvm::ArrayRef<Schedule> schedules,
               llvm::ArrayRef<Schedule> proposed);
  void add(const Schedule &schedule, const Schedule &proposed,
           const Measurement &measured);
  bool measureNew(llvm::ArrayRef<Schedule> proposed);
  void choose();

  Search &search;
  Measurer &measurer;
  const Limits &limits;
  const double begin;
  History history;
};
} // namespace

/// The part of the budget that is left for measuring the best once more.
static constexpr double partOfFinal = 0.1;
/// The trials that are measured once more.
static constexpr size_t finalists = 3;
/// A gain below this is none, however small the spread.
static constexpr double leastGain = 0.01;
/// Proposals without anything new after which a search has nothing to say.
static constexpr unsigned mostFruitless = 100;

bool Driver::isOver() {
  if (!history.isStopped && limits.isStopped && limits.isStopped(history))
    history.isStopped = true;
  return history.isStopped || !measurer.broken().empty() ||
         seconds() >= limits.seconds * (1 - partOfFinal);
}

void Driver::measure(llvm::ArrayRef<Schedule> schedules,
                     llvm::ArrayRef<Schedule> proposed) {
  std::vector<Measurement> found = measurer.measure(schedules);
  for (auto [schedule, asked, measured] :
       llvm::zip_equal(schedules, proposed, found))
    add(schedule, asked, measured);
}

void Driver::add(const Schedule &schedule, const Schedule &proposed,
                 const Measurement &measured) {
  history.trials.push_back({schedule, proposed, measured, seconds()});
  if (limits.record)
    limits.record(history.trials.back());
}

/// Measures what is not known. Whether there was anything. Schedules that
/// cannot be honoured are dropped with their reasons.
bool Driver::measureNew(llvm::ArrayRef<Schedule> proposed) {
  std::vector<Schedule> schedules, asked;
  for (const Schedule &schedule : proposed) {
    auto complete = measurer.complete(schedule);
    if (!complete && !history.find(schedule))
      add(schedule, schedule,
          Measurement::drop("schedule: " + complete.message()));
    if (!complete || history.find(*complete) ||
        llvm::is_contained(schedules, *complete))
      continue;
    schedules.push_back(std::move(*complete));
    asked.push_back(schedule);
  }
  size_t size = std::max<size_t>(measurer.batchSize(), 1);
  llvm::ArrayRef<Schedule> all = schedules, from = asked;
  for (size_t i = 0; i < all.size() && !isOver(); i += size) {
    size_t count = std::min(size, all.size() - i);
    measure(all.slice(i, count), from.slice(i, count));
  }
  return !schedules.empty();
}

/// Measures the best ones once more, and keeps the fastest where it gains more
/// than its spread: the least of many times is too good.
void Driver::choose() {
  std::vector<size_t> order = history.ranked();
  llvm::erase_if(order, [&](size_t i) {
    return i == 0 || history.trials[i].measured.ratio >= 1 - leastGain;
  });
  order.resize(std::min(order.size(), finalists));
  if (!history.isStopped && measurer.broken().empty() && !order.empty()) {
    std::vector<Schedule> schedules;
    for (size_t i : order)
      schedules.push_back(history.trials[i].schedule);
    std::vector<Measurement> again = measurer.measure(schedules);
    for (auto [i, measured] : llvm::zip_equal(order, again)) {
      history.trials[i].measured = measured;
      if (limits.record)
        limits.record(history.trials[i]);
    }
  }
  for (size_t i : order) {
    const Measurement &measured = history.trials[i].measured;
    bool gains = measured.isTimed() &&
                 1 - measured.ratio > std::max(leastGain, measured.spread / 2);
    if (gains &&
        (!history.faster || measured.ratio < history.best().measured.ratio))
      history.faster = i;
  }
}

History Driver::run() {
  const Schedule &chosen = measurer.space().chosen;
  measure(chosen, Schedule(chosen.size()));
  if (!history.trials.front().measured.isTimed())
    return std::move(history);
  unsigned fruitless = 0;
  while (!isOver() && fruitless < mostFruitless) {
    std::vector<Schedule> proposed = search.propose(measurer.space(), history);
    if (proposed.empty())
      break;
    fruitless = measureNew(proposed) ? 0 : fruitless + 1;
  }
  choose();
  return std::move(history);
}

History gnn::tune::runSearch(Search &search, Measurer &measurer,
                             const Limits &limits) {
  return Driver(search, measurer, limits).run();
}

//===----------------------------------------------------------------------===//
// Searches
//===----------------------------------------------------------------------===//

namespace {
/// Sets one field.
struct Move {
  size_t field;
  int64_t value;
};

class CoordinateSearch : public Search {
public:
  std::vector<Schedule> propose(const SearchSpace &space,
                                const History &history) override;

private:
  void listMoves(const SearchSpace &space);
  void rankMoves(const History &history);

  std::vector<Move> moves;
  /// The schedule that the moves begin at, as it was proposed.
  Schedule base;
};
} // namespace

/// The values of each field in the list; first of all fields the least, so that
/// a search that ends early has seen something of each.
void CoordinateSearch::listMoves(const SearchSpace &space) {
  std::vector<std::set<int64_t>> values(space.fields.size());
  for (const ListedSchedule &listed : space.listed)
    for (auto [value, known] : llvm::zip_equal(listed.schedule, values))
      if (value)
        known.insert(value);
  for (auto [value, known] : llvm::zip_equal(space.chosen, values))
    known.erase(value);
  for (bool isMore = true; isMore;) {
    isMore = false;
    for (auto [field, known] : llvm::enumerate(values)) {
      if (known.empty())
        continue;
      moves.push_back({field, *known.begin()});
      known.erase(known.begin());
      isMore = true;
    }
  }
}

/// Moves that were fast from the chosen schedule come first.
void CoordinateSearch::rankMoves(const History &history) {
  auto ratioOf = [&](const Move &move) {
    Schedule alone(base.size());
    alone[move.field] = move.value;
    for (const Trial &trial : history.trials)
      if (trial.proposed == alone && trial.measured.isTimed())
        return trial.measured.ratio;
    return std::numeric_limits<double>::infinity();
  };
  std::vector<std::tuple<double, size_t, Move>> ranked;
  for (auto [i, move] : llvm::enumerate(moves))
    ranked.push_back({ratioOf(move), i, move});
  llvm::sort(ranked, [](const auto &a, const auto &b) {
    return std::tie(std::get<0>(a), std::get<1>(a)) <
           std::tie(std::get<0>(b), std::get<1>(b));
  });
  for (auto [move, one] : llvm::zip_equal(moves, ranked))
    move = std::get<2>(one);
}

std::vector<Schedule> CoordinateSearch::propose(const SearchSpace &space,
                                                const History &history) {
  if (base.empty()) {
    base.resize(space.fields.size());
    listMoves(space);
  } else {
    std::vector<size_t> order = history.ranked();
    const Trial &best = history.trials[order.front()];
    if (best.proposed == base || best.measured.ratio >= 1)
      return {};
    base = best.proposed;
    rankMoves(history);
  }
  std::vector<Schedule> proposed;
  for (const Move &move : moves) {
    Schedule next = base;
    next[move.field] = move.value;
    proposed.push_back(std::move(next));
  }
  return proposed;
}

std::unique_ptr<Search> gnn::tune::createCoordinateSearch() {
  return std::make_unique<CoordinateSearch>();
}

namespace {
/// Schedules of the list in an order that is fixed at first.
class OrderedSearch : public Search {
public:
  using Order = std::function<std::vector<size_t>(size_t size)>;
  explicit OrderedSearch(Order order) : makeOrder(std::move(order)) {}

  std::vector<Schedule> propose(const SearchSpace &space,
                                const History &history) override {
    if (!isBegun)
      order = makeOrder(space.listed.size());
    isBegun = true;
    std::vector<Schedule> proposed;
    for (; next < order.size() && proposed.size() < atOnce; ++next)
      proposed.push_back(space.listed[order[next]].schedule);
    return proposed;
  }

private:
  static constexpr size_t atOnce = 64;
  Order makeOrder;
  std::vector<size_t> order;
  size_t next = 0;
  bool isBegun = false;
};
} // namespace

std::unique_ptr<Search> gnn::tune::createRandomSearch(uint64_t seed) {
  return std::make_unique<OrderedSearch>(
      [=](size_t size) { return Numbers(seed).shuffle(size); });
}

std::unique_ptr<Search> gnn::tune::createExhaustiveSearch(size_t most) {
  return std::make_unique<OrderedSearch>([=](size_t size) {
    std::vector<size_t> order;
    size_t count = std::min(size, most);
    // A stride about the golden section of the count: the first ones lie all
    // over the list, so that an early end leaves no part of it out.
    size_t stride = std::max<size_t>(count * 0.618, 1);
    while (std::gcd(stride, count) > 1)
      ++stride;
    for (size_t i = 0; i < count; ++i)
      order.push_back(i * stride % count * size / count);
    return order;
  });
}

/// Schedules that `exhaustive` measures at most.
static constexpr size_t mostOfAll = 400;

namespace {
/// A search by its name. `create` ignores the order of a model that it does not
/// ask.
struct NamedSearch {
  llvm::StringRef name;
  bool asksModel;
  std::unique_ptr<Search> (*create)(uint64_t seed, ModelOrder order);
};
} // namespace

static const NamedSearch searches[] = {
    {"coordinate", false,
     [](uint64_t, ModelOrder) { return createCoordinateSearch(); }},
    {"random", false,
     [](uint64_t seed, ModelOrder) { return createRandomSearch(seed); }},
    {"exhaustive", false,
     [](uint64_t, ModelOrder) { return createExhaustiveSearch(mostOfAll); }},
    {"ranked", true,
     [](uint64_t, ModelOrder order) {
       return createRankedSearch(std::move(order));
     }},
    {"genetic", true,
     [](uint64_t seed, ModelOrder order) {
       return createGeneticSearch(std::move(order), seed);
     }},
    {"sampling", true,
     [](uint64_t seed, ModelOrder order) {
       return createSamplingSearch(std::move(order), seed);
     }},
};

static const NamedSearch *findSearch(llvm::StringRef name) {
  const auto *found = llvm::find_if(
      searches, [&](const NamedSearch &search) { return search.name == name; });
  return found == std::end(searches) ? nullptr : found;
}

bool gnn::tune::asksModel(llvm::StringRef name) {
  const NamedSearch *search = findSearch(name);
  return search && search->asksModel;
}

std::string gnn::tune::listSearches() {
  return llvm::join(
      llvm::map_range(searches,
                      [](const NamedSearch &search) { return search.name; }),
      ", ");
}

runtime::Expected<std::unique_ptr<Search>>
gnn::tune::createSearch(llvm::StringRef name, uint64_t seed, ModelOrder order) {
  if (const NamedSearch *search = findSearch(name))
    return search->create(seed, std::move(order));
  return runtime::failure("expected one of ", listSearches(), ", got '",
                          name.str(), "'");
}
