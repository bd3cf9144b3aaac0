//===- SearchTest.cpp - Searches of planted costs -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Tune/Search.h"

#include "PlantedMeasurer.h"

#include "gtest/gtest.h"

#include <cmath>
#include <set>

using namespace gnn;
using namespace gnn::tune;

/// The distance of a schedule to one, in steps of its fields.
static double steps(const Schedule &schedule, const Schedule &to) {
  double sum = 0;
  for (auto [value, other] : llvm::zip_equal(schedule, to))
    sum += std::abs(std::log2(double(value)) - std::log2(double(other)));
  return sum;
}

static Limits budgetOf(double count) {
  Limits limits;
  limits.seconds = count;
  return limits;
}

/// Where fields do not depend on each other, the optimum is found.
TEST(Search, CoordinatesFindAPlantedOptimum) {
  for (const Schedule &best :
       {Schedule{1, 64, 2}, Schedule{128, 1, 128}, Schedule{16, 8, 8}}) {
    PlantedMeasurer measurer(
        [&](const Schedule &schedule) { return 1 + steps(schedule, best); });
    auto search = createCoordinateSearch();
    History history = runSearch(*search, measurer, budgetOf(1000));
    EXPECT_EQ(history.best().schedule, best);
    EXPECT_LT(history.trials.size(), 80u); // of 484
  }
}

/// A pair of fields that pays together alone, and each of them a little.
TEST(Search, CoordinatesGoOnFromTheBest) {
  PlantedMeasurer measurer([](const Schedule &schedule) {
    bool isWide = schedule[0] == 32, isDeep = schedule[1] == 2;
    return isWide && isDeep ? 1.0 : isWide ? 9.0 : 10.0;
  });
  auto search = createCoordinateSearch();
  History history = runSearch(*search, measurer, budgetOf(1000));
  EXPECT_EQ(history.best().schedule, Schedule({32, 2, 8}));
}

TEST(Search, ExhaustiveFindsTheOptimumAnywhere) {
  const Schedule best = {4, 128, 1};
  auto isBest = [&](const Schedule &schedule) {
    return schedule == best ? 1.0 : 2.0;
  };
  PlantedMeasurer measurer(isBest);
  auto search = createExhaustiveSearch(1000);
  History history = runSearch(*search, measurer, budgetOf(1000));
  EXPECT_EQ(history.best().schedule, best);
  EXPECT_EQ(history.trials.size(), measurer.space().listed.size());
  // Thinned, it sees the first, and ends.
  PlantedMeasurer other(isBest);
  auto thin = createExhaustiveSearch(10);
  EXPECT_LE(runSearch(*thin, other, budgetOf(1000)).trials.size(), 11u);
}

/// The first schedules of the list differ in the last fields alone.
TEST(Search, ExhaustiveThatEndsEarlyHasSeenAllOfTheList) {
  PlantedMeasurer measurer([](const Schedule &schedule) { return 1.0; });
  auto search = createExhaustiveSearch(400);
  runSearch(*search, measurer, budgetOf(40));
  std::set<int64_t> wide;
  for (const Schedule &schedule : measurer.asked)
    wide.insert(schedule.front());
  EXPECT_EQ(wide.size(), 8u);
}

TEST(Search, TriesTheSameForTheSameSeed) {
  auto tries = [](llvm::StringRef name, uint64_t seed) {
    PlantedMeasurer measurer([](const Schedule &schedule) {
      return double(1 + (schedule[0] * 7 + schedule[1] * 3 + schedule[2]) % 97);
    });
    auto search = createSearch(name, seed);
    EXPECT_TRUE(search);
    runSearch(**search, measurer, budgetOf(60));
    return measurer.asked;
  };
  for (const char *name : {"coordinate", "random", "exhaustive"})
    EXPECT_EQ(tries(name, 3), tries(name, 3)) << name;
  EXPECT_NE(tries("random", 3), tries("random", 4));
  EXPECT_FALSE(createSearch("luck", 0));
}

TEST(Search, NothingIsMeasuredTwiceButTheBest) {
  PlantedMeasurer measurer(
      [](const Schedule &schedule) { return steps(schedule, {1, 1, 1}) + 1; });
  auto search = createCoordinateSearch();
  History history = runSearch(*search, measurer, budgetOf(1000));
  EXPECT_EQ(measurer.asked.size(), history.trials.size() + 3);
  for (auto [i, trial] : llvm::enumerate(history.trials))
    EXPECT_EQ(history.find(trial.schedule), &history.trials[i]);
}

TEST(Search, EndsWithItsBudget) {
  PlantedMeasurer measurer(
      [](const Schedule &schedule) { return steps(schedule, {1, 1, 1}) + 1; });
  measurer.batch = 2;
  auto search = createRandomSearch(1);
  History history = runSearch(*search, measurer, budgetOf(20));
  EXPECT_GE(history.trials.size(), 18u);
  EXPECT_LE(history.trials.size(), 20u);
  EXPECT_FALSE(history.isStopped);
  EXPECT_TRUE(history.faster);
}

TEST(Search, KeepsTheBestWhereItIsStopped) {
  PlantedMeasurer measurer(
      [](const Schedule &schedule) { return steps(schedule, {1, 1, 1}) + 1; });
  Limits limits = budgetOf(1000);
  limits.isStopped = [](const History &history) {
    return history.trials.size() > 20;
  };
  auto search = createRandomSearch(1);
  History history = runSearch(*search, measurer, limits);
  EXPECT_TRUE(history.isStopped);
  EXPECT_LE(history.trials.size(), 24u);
  ASSERT_TRUE(history.faster);
  for (const Trial &trial : history.trials)
    EXPECT_LE(history.best().measured.ratio, trial.measured.ratio);
}

/// What is dropped is never the best, though it would be the fastest.
TEST(Search, NeverChoosesWhatWasDropped) {
  PlantedMeasurer measurer([](const Schedule &schedule) {
    return schedule[0] < 8 ? -1.0 : double(schedule[0]);
  });
  auto search = createExhaustiveSearch(1000);
  History history = runSearch(*search, measurer, budgetOf(1000));
  EXPECT_FALSE(history.faster);
  EXPECT_EQ(history.best().schedule, Schedule({8, 8, 8}));
  unsigned dropped = 0;
  for (const Trial &trial : history.trials)
    dropped += trial.measured.dropped == "result: planted";
  EXPECT_EQ(dropped, 3u * 64u);
}

/// What cannot be honoured is counted once, with the reason, and not measured.
TEST(Search, DropsWhatCannotBeHonoured) {
  struct Proposals : Search {
    std::vector<Schedule> propose(const SearchSpace &,
                                  const History &history) override {
      if (history.trials.size() > 1)
        return {};
      return {{128, 128, 0}, {4, 0, 0}, {128, 128, 0}, {128, 128, 2}};
    }
  } search;
  PlantedMeasurer measurer([](const Schedule &schedule) { return 1.0; });
  Limits limits = budgetOf(1000);
  unsigned recorded = 0;
  limits.record = [&](const Trial &) { ++recorded; };
  History history = runSearch(search, measurer, limits);
  ASSERT_EQ(history.trials.size(), 4u);
  EXPECT_EQ(recorded, 4u);
  EXPECT_EQ(measurer.asked.size(), 2u);
  for (size_t i : {1, 2}) {
    EXPECT_EQ(history.trials[i].measured.dropped,
              "schedule: expected wide or deep of at most 64");
    EXPECT_EQ(history.trials[i].schedule, history.trials[i].proposed);
  }
}

/// A gain that the spread explains is none.
TEST(Search, KeepsTheChosenScheduleWhereNothingGains) {
  struct Noisy : PlantedMeasurer {
    using PlantedMeasurer::PlantedMeasurer;
    std::vector<Measurement>
    measure(llvm::ArrayRef<Schedule> schedules) override {
      auto result = PlantedMeasurer::measure(schedules);
      for (Measurement &measured : result)
        measured.spread = 0.3;
      return result;
    }
  };
  Noisy measurer(
      [](const Schedule &schedule) { return schedule[0] == 1 ? 0.9 : 1.0; });
  auto search = createExhaustiveSearch(1000);
  EXPECT_FALSE(runSearch(*search, measurer, budgetOf(1000)).faster);
}

TEST(Search, EndsWhereTheChosenScheduleFails) {
  PlantedMeasurer measurer([](const Schedule &schedule) { return -1.0; });
  auto search = createCoordinateSearch();
  History history = runSearch(*search, measurer, budgetOf(1000));
  EXPECT_EQ(history.trials.size(), 1u);
  EXPECT_EQ(history.best().measured.dropped, "result: planted");
}
