//===- ModelSearch.cpp - Searches that ask a model ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Tune/ModelSearch.h"

#include "Numbers.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>
#include <set>

using namespace gnn;
using namespace gnn::tune;

namespace {
/// Some schedules of the list, all at once.
class FixedSearch : public Search {
public:
  explicit FixedSearch(ModelOrder numbers) : numbers(std::move(numbers)) {}

  std::vector<Schedule> propose(const SearchSpace &space,
                                const History &history) override {
    std::vector<Schedule> proposed;
    for (size_t number : numbers)
      proposed.push_back(space.listed[number].schedule);
    numbers.clear();
    return proposed;
  }

private:
  ModelOrder numbers;
};
} // namespace

std::unique_ptr<Search> gnn::tune::createRankedSearch(ModelOrder order,
                                                      size_t count) {
  order.resize(std::min(order.size(), count));
  return std::make_unique<FixedSearch>(std::move(order));
}

std::unique_ptr<Search> gnn::tune::createSamplingSearch(ModelOrder order,
                                                        uint64_t seed,
                                                        size_t candidates,
                                                        size_t count) {
  order.resize(std::min(order.size(), candidates));
  ModelOrder drawn;
  for (size_t i : Numbers(seed).shuffle(order.size()))
    if (drawn.size() < count)
      drawn.push_back(order[i]);
  return std::make_unique<FixedSearch>(std::move(drawn));
}

//===----------------------------------------------------------------------===//
// The genetic search
//===----------------------------------------------------------------------===//

namespace {
class GeneticSearch : public Search {
public:
  GeneticSearch(ModelOrder order, uint64_t seed, const GeneticOptions &options)
      : order(std::move(order)), numbers(seed), options(options) {
    this->order.resize(std::min(this->order.size(), options.candidates));
  }

  std::vector<Schedule> propose(const SearchSpace &space,
                                const History &history) override;

private:
  /// A candidate by its number.
  using Member = size_t;

  void begin(const SearchSpace &space);
  void breed(const History &history);
  double fitnessOf(Member member, const History &history) const;
  Member drawParent(llvm::ArrayRef<double> fitness);
  Schedule cross(const Schedule &mother, const Schedule &father);
  std::optional<Member> findNearest(const Schedule &child,
                                    const std::set<Member> &taken) const;
  /// The place of a value among those that candidates have in a field.
  double placeOf(size_t field, int64_t value) const {
    return std::distance(values[field].begin(),
                         values[field].lower_bound(value));
  }

  ModelOrder order;
  Numbers numbers;
  const GeneticOptions options;
  std::vector<Schedule> candidates;
  std::vector<std::set<int64_t>> values;
  std::vector<Member> population;
  size_t generation = 0;
};
} // namespace

void GeneticSearch::begin(const SearchSpace &space) {
  values.resize(space.fields.size());
  for (size_t number : order) {
    candidates.push_back(space.listed[number].schedule);
    for (auto [known, value] : llvm::zip_equal(values, candidates.back()))
      known.insert(value);
  }
  for (size_t i : numbers.shuffle(candidates.size()))
    if (population.size() < options.population)
      population.push_back(i);
}

/// The reciprocal of its time; 0 of one that has none.
double GeneticSearch::fitnessOf(Member member, const History &history) const {
  for (const Trial &trial : history.trials)
    if (trial.measured.isTimed() && agrees(trial.schedule, candidates[member]))
      return 1 / std::max(trial.measured.ratio, 1e-9);
  return 0;
}

/// A roulette wheel; any where none has a time.
GeneticSearch::Member
GeneticSearch::drawParent(llvm::ArrayRef<double> fitness) {
  double all = 0;
  for (double one : fitness)
    all += one;
  if (all <= 0)
    return population[numbers.below(population.size())];
  double ball = numbers.fraction() * all;
  for (auto [member, one] : llvm::zip_equal(population, fitness)) {
    if (ball < one)
      return member;
    ball -= one;
  }
  return population.back();
}

Schedule GeneticSearch::cross(const Schedule &mother, const Schedule &father) {
  Schedule child = mother;
  for (auto [value, other] : llvm::zip_equal(child, father))
    if (numbers.below(2))
      value = other;
  if (numbers.below(100) < options.mutationPercent) {
    size_t field = numbers.below(child.size());
    const Schedule &other = candidates[numbers.below(candidates.size())];
    child[field] = other[field];
  }
  return child;
}

std::optional<GeneticSearch::Member>
GeneticSearch::findNearest(const Schedule &child,
                           const std::set<Member> &taken) const {
  auto same = llvm::find(candidates, child);
  if (same != candidates.end() && !taken.count(same - candidates.begin()))
    return same - candidates.begin();
  std::optional<Member> nearest;
  double least = std::numeric_limits<double>::infinity();
  for (auto [member, candidate] : llvm::enumerate(candidates)) {
    if (taken.count(member))
      continue;
    double distance = 0;
    unsigned different = 0;
    for (auto [field, value] : llvm::enumerate(child)) {
      double steps = placeOf(field, value) - placeOf(field, candidate[field]);
      distance += steps * steps;
      different += value != candidate[field];
    }
    if (different <= 1)
      return member;
    if (distance < least)
      nearest = member, least = distance;
  }
  return nearest;
}

void GeneticSearch::breed(const History &history) {
  std::vector<double> fitness;
  for (Member member : population)
    fitness.push_back(fitnessOf(member, history));
  std::vector<size_t> fastest(population.size());
  for (size_t i = 0; i < fastest.size(); ++i)
    fastest[i] = i;
  llvm::sort(fastest, [&](size_t a, size_t b) {
    return std::pair(-fitness[a], a) < std::pair(-fitness[b], b);
  });
  std::vector<Member> next;
  std::set<Member> taken;
  auto take = [&](Member member) {
    next.push_back(member);
    taken.insert(member);
  };
  for (size_t i : fastest)
    if (next.size() < options.elite)
      take(population[i]);
  while (next.size() < options.population) {
    const Schedule &mother = candidates[drawParent(fitness)],
                   &father = candidates[drawParent(fitness)];
    auto child = findNearest(cross(mother, father), taken);
    if (!child)
      break;
    take(*child);
  }
  population = std::move(next);
}

std::vector<Schedule> GeneticSearch::propose(const SearchSpace &space,
                                             const History &history) {
  if (generation > options.generations || order.empty())
    return {};
  if (generation++ == 0)
    begin(space);
  else
    breed(history);
  std::vector<Schedule> proposed;
  for (Member member : population)
    proposed.push_back(candidates[member]);
  return proposed;
}

std::unique_ptr<Search>
gnn::tune::createGeneticSearch(ModelOrder order, uint64_t seed,
                               const GeneticOptions &options) {
  return std::make_unique<GeneticSearch>(std::move(order), seed, options);
}
