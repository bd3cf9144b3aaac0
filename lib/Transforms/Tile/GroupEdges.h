//===- GroupEdges.h - Dots of edges by destination --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between the pass that groups edges and those that weigh what becomes of them.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_TILE_GROUPEDGES_H
#define GNN_LIB_TRANSFORMS_TILE_GROUPEDGES_H

#include "GNN/Dialect/Tile/IR/Tile.h"

namespace gnn::tile {

/// Why it is no reduction over the features of both ends of edges; empty if it
/// is.
std::string explainNoDot(TraverseOp op);

/// The same traversal, of destinations and their edges, in front of `op`.
TraverseOp groupByDestination(TraverseOp op);

} // namespace gnn::tile

#endif // GNN_LIB_TRANSFORMS_TILE_GROUPEDGES_H
