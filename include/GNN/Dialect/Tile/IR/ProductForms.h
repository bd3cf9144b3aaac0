//===- ProductForms.h - Products in their forms -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the blocked and loops forms of gemm and outer say beside their ops.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_TILE_IR_PRODUCTFORMS_H
#define GNN_DIALECT_TILE_IR_PRODUCTFORMS_H

#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace gnn::tile {

/// Discardable attributes of the loops form. On an op that stages a vector in
/// workgroup memory, or sums a product: which thread holds what of it, a
/// SpreadAttr.
inline constexpr llvm::StringLiteral spreadAttribute = "gnn_tile.spread";
/// On an array `[.., depth, across]` in workgroup memory, an i64 P: element
/// (k, m) lies at `m xor 8 * (k / 4 mod P)`, so that threads that write one
/// column each, of several k, write to different banks.
inline constexpr llvm::StringLiteral permutedAttribute = "gnn_tile.permuted";
/// On a loop over the summed dimension: what a step stages is loaded while the
/// step before is summed. Taken away by `gnn-tile-load-ahead`.
inline constexpr llvm::StringLiteral loadAheadAttribute = "gnn_tile.load_ahead";
/// On an op that stages what is to be copied instead, past the registers of
/// threads. Taken away by `gnn-tile-copy-async`.
inline constexpr llvm::StringLiteral copyAsyncAttribute = "gnn_tile.copy_async";
/// On an op that stages what a `gnn_tile.load_rows` gives: threads copy it and
/// need not wait for it, before an `nvgpu.device_async_wait`.
inline constexpr llvm::StringLiteral asyncAttribute = "gnn_tile.async";
/// On a `vector.contract`, which cores multiply, a ProductKindAttr; absent: the
/// general ones.
inline constexpr llvm::StringLiteral kindAttribute = "gnn_tile.kind";

/// The rows that `write` stages where a thread can copy them: from global
/// memory, in their order, 16 bytes of one at a time. Null where it stages
/// anything else.
LoadRowsOp getCopiedRows(mlir::vector::TransferWriteOp write);

inline bool isOnTensorCores(mlir::vector::ContractionOp op) {
  auto kind = op->getAttrOfType<ProductKindAttr>(kindAttribute);
  return kind && kind.getValue() != ProductKind::FFMA;
}

/// What the sums of a product on tensor cores have: so many rows, a multiple of
/// the columns of two fragments, and of the depth that is summed at once.
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
