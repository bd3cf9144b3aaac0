//===- StepOrder.h - Steps that each step waits for -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_STEPORDER_H
#define GNN_LIB_RUNTIME_STEPORDER_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gnn::runtime {

/// Bytes [begin, begin + bytes) of one memory that a step touches.
struct Access {
  /// Numbers that differ are memories that do not overlap.
  size_t memory = 0;
  int64_t begin = 0, bytes = 0;
  bool written = false;
};

/// For each step, the earlier steps that it waits for, ascending: those that
/// write what it touches or touch what it writes, without those that another
/// one of them waits for. Any order that keeps to this computes the same.
std::vector<std::vector<size_t>>
orderSteps(const std::vector<std::vector<Access>> &steps);

} // namespace gnn::runtime

#endif // GNN_LIB_RUNTIME_STEPORDER_H
