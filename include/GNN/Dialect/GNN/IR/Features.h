//===- Features.h - How features of one loop fit each other -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A traversal has one list of feature dimensions; each value in it has the
// first of them, some or all.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_GNN_IR_FEATURES_H
#define GNN_DIALECT_GNN_IR_FEATURES_H

#include "llvm/ADT/ArrayRef.h"

namespace gnn {

/// Whether `shape` is the beginning of `all`.
inline bool begins(llvm::ArrayRef<int64_t> all, llvm::ArrayRef<int64_t> shape) {
  return shape.size() <= all.size() && all.take_front(shape.size()) == shape;
}

/// Whether one of the two begins with the other, so that one traversal can hold
/// values of both.
inline bool meet(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b) {
  return begins(a, b) || begins(b, a);
}

} // namespace gnn

#endif // GNN_DIALECT_GNN_IR_FEATURES_H
