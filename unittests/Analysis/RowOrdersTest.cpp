//===- RowOrdersTest.cpp - Rows that wait for each other ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/RowOrders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

using namespace gnn;
using gnn::tile::TakenOrder;

namespace {

constexpr double mean = 20;

/// Rows whose lengths have a variance of so many times the mean's square.
RowSpread spreadOf(double variance, double rows = 1e6, double longest = 1e6) {
  return RowSpread({rows, mean * rows, longest},
                   (variance + 1) * mean * mean * rows);
}

TEST(RowSpread, ExpectedLongest) {
  RowSpread narrow = spreadOf(1e-4);
  EXPECT_NEAR(narrow.getVariance(), 1e-4, 1e-9);
  // Normal numbers: their mean and 0.564, 1.029, 1.424, 2.070 deviations.
  for (auto [rows, deviations] :
       {std::pair(1, 0.0), std::pair(2, 0.5642), std::pair(4, 1.0294),
        std::pair(8, 1.4236), std::pair(32, 2.0697)})
    EXPECT_NEAR(narrow.expectLongest(rows) / mean, 1 + 0.01 * deviations, 5e-4);
  RowSpread wide = spreadOf(9);
  EXPECT_NEAR(wide.expectLongest(1), mean, 0.01);
  double before = 0;
  for (double rows : {1, 2, 4, 8, 16, 1000}) {
    EXPECT_GT(wide.expectLongest(rows), 1.05 * before);
    before = wide.expectLongest(rows);
  }
  // No more than that is counted of any.
  EXPECT_LT(wide.expectLongest(1, 64), 0.9 * mean);
  EXPECT_NEAR(wide.expectLongest(1e6, 64), 64, 0.01);
}

TEST(RowSpread, SpreadOfWhatIsKnown) {
  EXPECT_EQ(RowSpread({0, 0, 0}).expectIdle(TakenOrder::Natural, 8), 1);
  EXPECT_EQ(RowSpread({100, 0, 0}).expectIdle(TakenOrder::Natural, 8), 1);
  EXPECT_EQ(RowSpread({100, 500, 5}).getVariance(), 0);
  // The longest row says how lengths are spread where their squares are not
  // known.
  for (double longest : {60., 500., 8000.}) {
    double expected = RowSpread({1e5, 1e5 * mean, longest}).expectLongest(1e5);
    EXPECT_GT(expected, 0.4 * longest);
    EXPECT_LT(expected, 1.6 * longest);
  }
}

TEST(RowSpread, IdleLanes) {
  EXPECT_EQ(spreadOf(0).expectIdle(TakenOrder::Natural, 32), 1);
  RowSpread wide = spreadOf(4);
  EXPECT_EQ(wide.expectIdle(TakenOrder::Natural, 1), 1);
  EXPECT_NEAR(wide.expectIdle(TakenOrder::Natural, 8),
              wide.expectLongest(8) / mean, 0.01);
  double idle[] = {wide.expectIdle(TakenOrder::ByDegree, 8),
                   wide.expectIdle(TakenOrder::DegreeWindows, 8),
                   wide.expectIdle(TakenOrder::Natural, 8)};
  EXPECT_LT(idle[0], 1.002);
  EXPECT_LT(idle[0], idle[1]);
  EXPECT_LT(idle[1], 1.15);
  EXPECT_GT(idle[2], 2);
  // Both are one order of fewer rows than a window has.
  RowSpread few = spreadOf(4, 1000);
  EXPECT_EQ(few.expectIdle(TakenOrder::ByDegree, 8),
            few.expectIdle(TakenOrder::DegreeWindows, 8));
}

/// By how much longer groups of rows take than if all had the mean length.
double measureIdle(const std::vector<double> &rows, size_t together) {
  double sum = 0;
  for (size_t i = 0; i < rows.size(); i += together)
    sum += static_cast<double>(together) *
           *std::max_element(rows.begin() + i, rows.begin() + i + together);
  return sum / std::accumulate(rows.begin(), rows.end(), 0.0);
}

/// Against rows that are drawn from two other distributions than the model's:
/// all lengths up to a longest alike, of which the model expects longer ones,
/// and a power of them, of which it expects fewer.
TEST(RowSpread, IdleLanesOfDrawnRows) {
  for (bool isPower : {false, true}) {
    std::mt19937 random(7);
    std::vector<double> rows(16 * degreeWindow);
    double squares = 0;
    for (double &row : rows) {
      double drawn = (random() + 1.0) / 4294967297.0;
      row = isPower ? 4 * std::pow(drawn, -0.4) : 40 * drawn;
      squares += row * row;
    }
    double all = std::accumulate(rows.begin(), rows.end(), 0.0);
    RowSpread spread({double(rows.size()), all, 40}, squares);
    auto sort = [&](size_t size) {
      for (size_t i = 0; i < rows.size(); i += size)
        std::sort(rows.begin() + i, rows.begin() + i + size, std::greater<>());
    };
    for (size_t together : {2, 8, 32})
      EXPECT_NEAR(spread.expectIdle(TakenOrder::Natural, double(together)) /
                      measureIdle(rows, together),
                  1, isPower ? 0.25 : 0.45)
          << together << " rows";
    sort(degreeWindow);
    for (size_t together : {8, 32})
      EXPECT_NEAR(
          spread.expectIdle(TakenOrder::DegreeWindows, double(together)),
          measureIdle(rows, together), 0.12);
    sort(rows.size());
    EXPECT_NEAR(spread.expectIdle(TakenOrder::ByDegree, 32),
                measureIdle(rows, 32), 0.03);
  }
}
} // namespace
