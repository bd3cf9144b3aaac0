//===- ProductForms.h - Products on tensor cores ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shapes of their sums, and which thread holds what of them.
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
/// columns or more of these: a thread has two of the rows that are those of a
/// fragment (g and g + 8 of mma.sync.m16n8k8), and of two fragments side by
/// side its columns in turns, so that four lie side by side.
inline SpreadAttr getFragmentSpread(mlir::MLIRContext *context) {
  return SpreadAttr::get(context, {2, 4}, {32, 4});
}

} // namespace gnn::tile

#endif // GNN_DIALECT_TILE_IR_PRODUCTFORMS_H
