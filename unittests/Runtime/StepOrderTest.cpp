//===- StepOrderTest.cpp - What steps wait for ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepOrder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace gnn::runtime;

using Steps = std::vector<std::vector<Access>>;
using Order = std::vector<std::vector<size_t>>;

static Access reads(size_t memory, int64_t begin, int64_t bytes) {
  return {memory, begin, bytes, false};
}
static Access writes(size_t memory, int64_t begin, int64_t bytes) {
  return {memory, begin, bytes, true};
}

TEST(StepOrder, WaitsForWhatConflicts) {
  // Writes then reads, reads then writes, two writes; not two reads.
  EXPECT_EQ(orderSteps({{writes(0, 0, 8)}, {reads(0, 4, 8)}}),
            (Order{{}, {0}}));
  EXPECT_EQ(orderSteps({{reads(0, 0, 8)}, {writes(0, 4, 8)}}),
            (Order{{}, {0}}));
  EXPECT_EQ(orderSteps({{writes(0, 0, 8)}, {writes(0, 7, 1)}}),
            (Order{{}, {0}}));
  EXPECT_EQ(orderSteps({{reads(0, 0, 8)}, {reads(0, 0, 8)}}), (Order{{}, {}}));
  // Not for its neighbours, for nothing, or for other memory.
  EXPECT_EQ(orderSteps({{writes(0, 0, 8)},
                        {writes(0, 8, 8)},
                        {writes(0, 4, 0)},
                        {writes(1, 0, 8)}}),
            (Order{{}, {}, {}, {}}));
  EXPECT_EQ(orderSteps({}), Order());
}

TEST(StepOrder, LeavesOutWhatOthersWaitFor) {
  // A chain, then two branches that meet.
  EXPECT_EQ(orderSteps({{writes(0, 0, 1)},
                        {reads(0, 0, 1), writes(0, 1, 1)},
                        {reads(0, 0, 1), reads(0, 1, 1), writes(0, 2, 1)},
                        {reads(0, 0, 1), writes(0, 3, 1)},
                        {reads(0, 2, 1), reads(0, 3, 1), writes(0, 0, 1)}}),
            (Order{{}, {0}, {1}, {0}, {2, 3}}));
}

/// Whatever is left out is implied, and nothing implied is there.
TEST(StepOrder, KeepsAllConflicts) {
  std::mt19937 random(1);
  auto below = [&](uint32_t bound) {
    return static_cast<uint32_t>(random()) % bound;
  };
  for (int turn = 0; turn < 50; ++turn) {
    Steps steps(1 + below(12));
    for (auto &step : steps)
      for (unsigned i = below(4); i-- > 0;)
        step.push_back({below(2), below(8), below(4), below(3) == 0});
    Order order = orderSteps(steps);
    size_t count = steps.size();
    std::vector<std::vector<bool>> before(count, std::vector<bool>(count));
    for (size_t i = 0; i < count; ++i)
      for (size_t j : order[i]) {
        ASSERT_LT(j, i);
        before[i][j] = true;
        for (size_t k = 0; k < j; ++k)
          before[i][k] = before[i][k] || before[j][k];
      }
    for (size_t i = 0; i < count; ++i)
      for (size_t j = 0; j < i; ++j) {
        bool conflict = false;
        for (const Access &a : steps[i])
          for (const Access &b : steps[j])
            for (int64_t byte = 0; byte < 16; ++byte)
              conflict |= a.memory == b.memory && (a.written || b.written) &&
                          a.begin <= byte && byte < a.begin + a.bytes &&
                          b.begin <= byte && byte < b.begin + b.bytes;
        if (conflict)
          EXPECT_TRUE(before[i][j]) << turn << ": " << i << " after " << j;
        // An edge is a conflict that no other edge implies.
        if (std::count(order[i].begin(), order[i].end(), j)) {
          EXPECT_TRUE(conflict);
          for (size_t k : order[i])
            EXPECT_FALSE(before[k][j]);
        }
      }
  }
}
