//===- StepOrder.cpp - Steps that each step waits for ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepOrder.h"

#include <algorithm>

using namespace gnn::runtime;

static bool conflict(const Access &a, const Access &b) {
  return (a.written || b.written) && a.memory == b.memory && a.bytes > 0 &&
         b.bytes > 0 && a.begin < b.begin + b.bytes &&
         b.begin < a.begin + a.bytes;
}

static bool conflict(const std::vector<Access> &step,
                     const std::vector<Access> &other) {
  return std::any_of(step.begin(), step.end(), [&](const Access &a) {
    return std::any_of(other.begin(), other.end(),
                       [&](const Access &b) { return conflict(a, b); });
  });
}

std::vector<std::vector<size_t>>
gnn::runtime::orderSteps(const std::vector<std::vector<Access>> &steps) {
  std::vector<std::vector<size_t>> after(steps.size());
  // All steps that a step comes after, at whatever distance.
  std::vector<std::vector<bool>> before(steps.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    before[i].resize(i);
    for (size_t j = i; j-- > 0;) {
      if (before[i][j] || !conflict(steps[i], steps[j]))
        continue;
      after[i].push_back(j);
      before[i][j] = true;
      for (size_t k = 0; k < j; ++k)
        if (before[j][k])
          before[i][k] = true;
    }
    std::reverse(after[i].begin(), after[i].end());
  }
  return after;
}
