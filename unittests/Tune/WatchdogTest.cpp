//===- WatchdogTest.cpp - Work that takes longer than its limit -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Tune/Watchdog.h"

#include "gtest/gtest.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <thread>

using namespace gnn::tune;

static void sleepHalfASecond() {
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
}

/// The limit is that of each part of the work, from one restart to the next.
TEST(Watchdog, RestartsItsClock) {
  bool isDone = false;
  EXPECT_TRUE(runWatched(1, [&](const auto &restart) {
    for (int part = 0; part < 3; ++part) {
      restart();
      sleepHalfASecond();
    }
    isDone = true;
  }));
  EXPECT_TRUE(isDone);
}

/// Without a restart it is that of all of them, after which the thread goes on.
TEST(Watchdog, GivesUpWorkWithoutARestart) {
  auto done = std::make_shared<std::promise<void>>();
  std::future<void> isDone = done->get_future();
  EXPECT_FALSE(runWatched(1, [done](const auto &) {
    for (int part = 0; part < 3; ++part)
      sleepHalfASecond();
    done->set_value();
  }));
  EXPECT_TRUE(hasAbandonedThreads());
  EXPECT_EQ(isDone.wait_for(std::chrono::seconds(30)),
            std::future_status::ready);
}

/// Gives up work of so many seconds, and exits: at once, or when it is done. A
/// function that destroys what such work uses says so.
[[noreturn]] static void exitAfterGivingUp(int seconds, bool waits) {
  std::atexit([] { std::fputs("destroyed.", stderr); });
  if (!runWatched(0.1, [=](const auto &) {
        std::this_thread::sleep_for(std::chrono::seconds(seconds));
      }))
    std::fputs("given up.", stderr);
  while (waits && hasAbandonedThreads())
    std::this_thread::yield();
  std::exit(7);
}

TEST(WatchdogDeathTest, DestroysNothingThatAThreadUses) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(exitAfterGivingUp(3600, /*waits=*/false),
              testing::ExitedWithCode(7), "^given up\\.$");
  EXPECT_EXIT(exitAfterGivingUp(1, /*waits=*/true), testing::ExitedWithCode(7),
              "^given up\\.destroyed\\.$");
}
