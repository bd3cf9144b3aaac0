//===- ReadThroughCopies.h - Read what is copied ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_TILE_READTHROUGHCOPIES_H
#define GNN_LIB_TRANSFORMS_TILE_READTHROUGHCOPIES_H

#include "GNN/Dialect/Tile/IR/Tile.h"

namespace gnn::tile {

/// Lets all readers of features that a traversal only copies, such as a part of
/// them or one number for all, read the original, and erases the copy. Tells
/// `changed` of each pair. Whether there was one.
bool readThroughCopies(
    mlir::Operation *root,
    llvm::function_ref<void(TraverseOp copy, TraverseOp reader)> changed);

} // namespace gnn::tile

#endif // GNN_LIB_TRANSFORMS_TILE_READTHROUGHCOPIES_H
