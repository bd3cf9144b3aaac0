//===- WatchdogTest.cpp - Work that takes longer than its limit -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Tune/Watchdog.h"

#include "gtest/gtest.h"

#include <chrono>
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
