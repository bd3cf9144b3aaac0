//===- ModelSearchTest.cpp - Searches that ask a model --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Tune/ModelSearch.h"

#include "GNN/Analysis/ScheduleModels/ScheduleModel.h"
#include "PlantedMeasurer.h"

#include "gtest/gtest.h"

#include <cmath>
#include <set>

using namespace gnn;
using namespace gnn::tune;

static const Schedule best = {32, 2, 64};

/// 1 of the best, and more by the steps from it.
static double cost(const Schedule &schedule) {
  double sum = 1;
  for (auto [value, other] : llvm::zip_equal(schedule, best))
    sum += std::abs(std::log2(double(value)) - std::log2(double(other)));
  return sum;
}

/// The list in the order of a model that is nearly right: it does not see
/// `long`.
static ModelOrder orderOf(const SearchSpace &space) {
  std::vector<double> weights;
  for (const ListedSchedule &listed : space.listed)
    weights.push_back(cost({listed.schedule[0], listed.schedule[1], best[2]}));
  return sortByWeight(weights);
}

static Limits noLimits() {
  Limits limits;
  limits.seconds = 1e6;
  return limits;
}

TEST(ModelSearch, RankedMeasuresTheFirstAlone) {
  PlantedMeasurer measurer(cost);
  ModelOrder order = orderOf(measurer.space());
  auto search = createRankedSearch(order);
  History history = runSearch(*search, measurer, noLimits());
  EXPECT_EQ(history.best().schedule, best);
  ASSERT_EQ(history.trials.size(), 11u); // with the chosen one
  for (size_t i = 0; i < 10; ++i)
    EXPECT_EQ(history.trials[i + 1].schedule,
              measurer.space().listed[order[i]].schedule);
}

TEST(ModelSearch, SamplingTakesThreeOfTheFirstTwenty) {
  std::set<Schedule> seen;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    PlantedMeasurer measurer(cost);
    ModelOrder order = orderOf(measurer.space());
    auto search = createSamplingSearch(order, seed);
    History history = runSearch(*search, measurer, noLimits());
    ASSERT_EQ(history.trials.size(), 4u);
    for (const Trial &trial : llvm::drop_begin(history.trials))
      seen.insert(trial.schedule);
    order.resize(20);
    for (const Trial &trial : llvm::drop_begin(history.trials))
      EXPECT_TRUE(llvm::any_of(order, [&](size_t i) {
        return measurer.space().listed[i].schedule == trial.schedule;
      }));
  }
  EXPECT_EQ(seen.size(), 20u);
}

/// Of the 20 that the model likes best it measures few more than a population.
TEST(ModelSearch, GeneticFindsTheBestOfItsCandidates) {
  PlantedMeasurer measurer(cost);
  auto search = createGeneticSearch(orderOf(measurer.space()), 1);
  History history = runSearch(*search, measurer, noLimits());
  EXPECT_EQ(history.best().schedule, best);
  EXPECT_GE(history.trials.size(), 17u);
  EXPECT_LE(history.trials.size(), 21u);
}

/// Of the whole space, children are better than what the search began with,
/// for about half of the seeds the best there is, after a sixth of the space.
TEST(ModelSearch, GeneticBreedsTowardsTheOptimum) {
  unsigned found = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    PlantedMeasurer measurer(cost);
    ModelOrder order(measurer.space().listed.size());
    for (size_t i = 0; i < order.size(); ++i)
      order[i] = i;
    GeneticOptions options;
    options.candidates = order.size();
    options.generations = 12;
    auto search = createGeneticSearch(order, seed, options);
    History history = runSearch(*search, measurer, noLimits());
    double first = 1e9;
    for (size_t i = 1; i <= options.population; ++i)
      first = std::min(first, cost(history.trials[i].schedule));
    EXPECT_LE(cost(history.best().schedule), first);
    EXPECT_LE(history.trials.size(), 1 + 16 + 12 * 10u);
    found += history.best().schedule == best;
  }
  EXPECT_GE(found, 8u); // 4 where parents are drawn whatever their times
}

TEST(ModelSearch, ChildrenAreSchedulesOfTheList) {
  PlantedMeasurer measurer(cost);
  std::set<Schedule> listed;
  for (const ListedSchedule &one : measurer.space().listed)
    listed.insert(one.schedule);
  // Those that cannot be honoured lie between these.
  ModelOrder corners;
  for (auto [i, one] : llvm::enumerate(measurer.space().listed))
    if (one.schedule[0] == 128 || one.schedule[1] == 128)
      corners.push_back(i);
  GeneticOptions options;
  options.candidates = corners.size();
  options.mutationPercent = 100;
  auto search = createGeneticSearch(corners, 3, options);
  History history;
  for (int generation = 0; generation < 4; ++generation) {
    auto proposed = search->propose(measurer.space(), history);
    EXPECT_EQ(std::set<Schedule>(proposed.begin(), proposed.end()).size(), 16u);
    for (const Schedule &schedule : proposed)
      EXPECT_TRUE(listed.count(schedule));
  }
  EXPECT_TRUE(search->propose(measurer.space(), history).empty());
}

TEST(ModelSearch, TriesTheSameForTheSameSeed) {
  auto tries = [](llvm::StringRef name, uint64_t seed) {
    PlantedMeasurer measurer(cost);
    auto search = createSearch(name, seed, orderOf(measurer.space()));
    EXPECT_TRUE(search);
    runSearch(**search, measurer, noLimits());
    return measurer.asked;
  };
  for (const char *name : {"ranked", "genetic", "sampling"})
    EXPECT_EQ(tries(name, 3), tries(name, 3)) << name;
  EXPECT_NE(tries("genetic", 3), tries("genetic", 4));
  EXPECT_NE(tries("sampling", 3), tries("sampling", 4));
}

/// Nothing is listed, nothing can be measured: all of them end.
TEST(ModelSearch, EndsWhereThereIsNothing) {
  for (const char *name : {"ranked", "genetic", "sampling"}) {
    PlantedMeasurer measurer(cost);
    auto search = createSearch(name, 1);
    ASSERT_TRUE(search);
    EXPECT_EQ(runSearch(**search, measurer, noLimits()).trials.size(), 1u);
    PlantedMeasurer failing([](const Schedule &schedule) {
      return schedule == Schedule{8, 8, 8} ? 1 : -1;
    });
    auto again = createSearch(name, 1, orderOf(failing.space()));
    EXPECT_FALSE(runSearch(**again, failing, noLimits()).faster);
  }
}
