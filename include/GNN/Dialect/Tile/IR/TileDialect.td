//===- TileDialect.td - All ops of the dialect, by theme ---*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page of the dialect is generated from this file. Code is generated for
// each theme separately, because their headers differ.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_TILE_IR_TILEDIALECT_TD
#define GNN_DIALECT_TILE_IR_TILEDIALECT_TD

include "GNN/Dialect/Tile/IR/TileOps.td"
include "GNN/Dialect/Tile/IR/TileLoopOps.td"
include "GNN/Dialect/Tile/IR/TileRowOps.td"
include "GNN/Dialect/Tile/IR/TileProductOps.td"

#endif // GNN_DIALECT_TILE_IR_TILEDIALECT_TD
