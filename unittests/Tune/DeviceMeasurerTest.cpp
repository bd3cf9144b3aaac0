//===- DeviceMeasurerTest.cpp - Devices that fail, and replays ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include "GNN/Tune/DeviceMeasurer.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <thread>

using namespace mlir;
using namespace gnn;
using namespace gnn::tune;

namespace {
/// The sum of a GCN on a device that fails when it is told to. A time records
/// two events; without failures the chosen schedule and each candidate are
/// timed once, and then all of them round by round.
class MeasurerOfSum : public testing::Test {
protected:
  void SetUp() override {
    program.place.device = device;
    program.makeTemplates();
    alone = isolateTemplates(*program.module, program.function);
    chosen = compileAll({{&sum(), openSchedule(sum())}}, program.place);
    ASSERT_TRUE(chosen[0].bound) << chosen[0].why;
    ASSERT_FALSE(memory.reserve(sum(), *chosen[0].bound));
  }

  const IsolatedTemplate &sum() const { return alone.back(); }

  /// A measurer on a device where all runs take so long.
  std::unique_ptr<DeviceMeasurer> create(double milliseconds) {
    device->milliseconds = milliseconds;
    auto made = DeviceMeasurer::create(sum(), chosen[0], program.place, memory);
    EXPECT_TRUE(made) << made.message();
    device->restart();
    return std::move(*made);
  }

  /// The last schedules of the list, which are not the chosen one.
  static std::vector<Schedule> candidates(DeviceMeasurer &measurer,
                                          size_t count) {
    std::vector<Schedule> result;
    for (const ListedSchedule &listed :
         llvm::reverse(measurer.space().listed)) {
      if (result.size() == count)
        break;
      auto complete = measurer.complete(listed.schedule);
      if (complete && *complete != measurer.space().chosen)
        result.push_back(*complete);
    }
    return result;
  }

  /// Between the two are the names of the function and the kernel.
  static bool hasForm(llvm::StringRef text, llvm::StringRef begin,
                      llvm::StringRef end) {
    return text.starts_with(begin) && text.ends_with(end);
  }

  Program program{"gcn", /*isForGPU=*/true};
  std::shared_ptr<TimedEmulator> device = std::make_shared<TimedEmulator>();
  std::vector<IsolatedTemplate> alone;
  std::vector<Compiled> chosen;
  FunctionMemory memory{device};
};
} // namespace

/// Where runs are short their repetitions are one replay, that nobody makes
/// else; one that cannot be made drops its candidate alone.
TEST_F(MeasurerOfSum, ReplaysShortRuns) {
  auto slow = create(1);
  EXPECT_TRUE(slow->measure(candidates(*slow, 1))[0].isTimed());
  EXPECT_EQ(device->replays, 0);
  auto measurer = create(1e-3);
  Measurement found = measurer->measure(candidates(*measurer, 1))[0];
  EXPECT_EQ(found.dropped, "");
  EXPECT_EQ(device->replays, 2);
  // Each once before the rounds, in all of which the chosen schedule is.
  EXPECT_EQ(device->runs, int(2 + 7 + found.rounds));
  device->restart();
  device->refused = 2;
  EXPECT_EQ(measurer->measure(candidates(*measurer, 1))[0].dropped,
            "capture: planted");
  EXPECT_EQ(measurer->broken(), "");
}

/// Crashes of the compiler are caught, and nothing else.
TEST_F(MeasurerOfSum, BindsOutsideOfTheCrashHandlers) {
  EXPECT_EQ(device->guardedLoads, 0);
}

/// Replays are decided upon once, and end before their kernels are unloaded.
TEST_F(MeasurerOfSum, ReplaysAllOrNone) {
  auto measurer = create(1e-3);
  std::vector<Schedule> one = candidates(*measurer, 1);
  device->milliseconds = 1; // the same kernels by a later sample
  EXPECT_TRUE(measurer->measure(one)[0].isTimed());
  EXPECT_EQ(device->replays, 2);
  device->restart();
  device->failing = 7;
  Measurement found = measurer->measure(one)[0];
  EXPECT_EQ(found.dropped, "run: planted");
  EXPECT_EQ(device->dangling, 0);
}

/// A device that dies before the rounds leaves no time of those that were
/// warmed up before.
TEST_F(MeasurerOfSum, HasNoTimesOfADeviceThatDiesBeforeTheRounds) {
  auto measurer = create(1);
  std::vector<Schedule> two = candidates(*measurer, 2);
  device->failing = 4;
  device->isFatal = true;
  std::vector<Measurement> found = measurer->measure(two);
  EXPECT_TRUE(hasForm(measurer->broken(), "the device has failed: ", "dead"));
  EXPECT_EQ(found[0].dropped, measurer->broken());
  EXPECT_TRUE(hasForm(found[1].dropped, "launch: ", "planted"))
      << found[1].dropped;
}

/// The same of one that dies while replays are made, and in the first round.
TEST_F(MeasurerOfSum, HasNoTimesOfADeviceThatDiesInTheFirstRound) {
  device->isFatal = true;
  auto short_ = create(1e-3);
  std::vector<Schedule> two = candidates(*short_, 2);
  device->refused = 2;
  std::vector<Measurement> found = short_->measure(two);
  EXPECT_TRUE(hasForm(short_->broken(), "the device has failed: ", "dead"));
  EXPECT_EQ(found[0].dropped, "capture: planted");
  EXPECT_EQ(found[1].dropped, short_->broken());
  device->isDead = false;
  auto measurer = create(1);
  device->failing = 9;
  found = measurer->measure(two);
  EXPECT_TRUE(hasForm(measurer->broken(), "the device has failed: ", "dead"));
  EXPECT_TRUE(hasForm(found[0].dropped, "run: ", "planted"));
  EXPECT_EQ(found[1].dropped, measurer->broken());
}

/// Where a field keeps the bits, the result has to have those of the chosen
/// schedule.
TEST_F(MeasurerOfSum, ComparesBitsByTheFieldsThatDiffer) {
  auto measurer = create(1);
  const SearchSpace &space = measurer->space();
  EXPECT_TRUE(measurer->keepsOrder(space.chosen));
  std::vector<std::string> keeping;
  for (auto [i, field] : llvm::enumerate(space.fields)) {
    Schedule schedule = space.chosen;
    ++schedule[i];
    if (measurer->keepsOrder(schedule))
      keeping.push_back(field.name.str());
  }
  EXPECT_EQ(keeping,
            std::vector<std::string>({"heads_per_block", "processor_blocks",
                                      "row_order", "lookup", "max_registers"}));
}

/// Nothing is compared with a chosen schedule that fails, though the device
/// goes on.
TEST_F(MeasurerOfSum, EndsWhereTheChosenScheduleFails) {
  auto measurer = create(1);
  device->failing = 7;
  std::vector<Measurement> found = measurer->measure(candidates(*measurer, 2));
  EXPECT_TRUE(hasForm(measurer->broken(), "run: ", "planted"));
  EXPECT_EQ(found[0].dropped, measurer->broken());
  EXPECT_EQ(found[1].dropped, measurer->broken());
}

/// Large results, and those that the device cannot hold twice, are measured
/// without a copy of their marks.
TEST_F(MeasurerOfSum, MarksNoResultThatDoesNotFitTwice) {
  auto countAllocations = [&] {
    const int before = device->allocations;
    auto measurer = create(1);
    const int made = device->allocations - before;
    device->isFull = false;
    Measurement found = measurer->measure(candidates(*measurer, 1))[0];
    EXPECT_EQ(found.dropped, "");
    EXPECT_EQ(found.check == Check::None, program.place.mostBytesToCheck == 0);
    return made;
  };
  EXPECT_EQ(countAllocations(), 1);
  device->isFull = true;
  EXPECT_EQ(countAllocations(), 1);
  program.place.mostBytesToCheck = 0;
  EXPECT_EQ(countAllocations(), 0);
}

/// Once a run is given up, nothing else is run, whether it ends well or not.
/// The thread, and all that it uses, is in a process of its own.
TEST_F(MeasurerOfSum, LeavesTheDeviceAloneOnceARunIsGivenUp) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto exitAfterMeasuring = [&](const char *error) {
    program.place.patience = {1, 100};
    auto measurer = create(1);
    device->errorOfHeld = error;
    device->held = 3; // that of the first candidate
    measurer->measure(candidates(*measurer, 2));
    device->isHeld = false;
    while (hasAbandonedThreads())
      std::this_thread::yield();
    llvm::errs() << device->launches << " launches; " << measurer->broken();
    std::exit(0);
  };
  for (const char *error : {"", "planted"})
    EXPECT_EXIT(
        exitAfterMeasuring(error), testing::ExitedWithCode(0),
        "^3 launches; schedule <.*> runs for more than 1.1 s, 1.0000 ms "
        "by the chosen schedule, and is given up: ");
}
