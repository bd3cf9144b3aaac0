//===- ProductForms.h - Products on tensor cores ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shapes of their sums, and the parts of these that each thread holds.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_TILE_IR_PRODUCTFORMS_H
#define GNN_DIALECT_TILE_IR_PRODUCTFORMS_H

#include "GNN/Dialect/Tile/IR/Tile.h"

namespace gnn::tile {

/// The shape of the sums of a product on tensor cores: a number of rows, a
/// multiple of the columns of two fragments, and a multiple of the depth that
/// is summed at once.
inline constexpr int64_t fragmentRows = 64, fragmentColumns = 16,
                         fragmentDepth = 16;

/// How four warps hold the sums of a product on tensor cores, 64 rows by 16
/// columns or more of these: a thread has two rows of a fragment (g and g + 8
/// of mma.sync.m16n8k8). The columns of two adjacent fragments are interleaved,
/// so four columns of a thread are adjacent.
inline SpreadAttr getFragmentSpread(mlir::MLIRContext *context) {
  return SpreadAttr::get(context, {2, 4}, {32, 4});
}

} // namespace gnn::tile

#endif // GNN_DIALECT_TILE_IR_PRODUCTFORMS_H
