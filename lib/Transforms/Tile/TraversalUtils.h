//===- TraversalUtils.h - Traversals made of traversals ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_TILE_TRAVERSALUTILS_H
#define GNN_LIB_TRANSFORMS_TILE_TRAVERSALUTILS_H

#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/IRMapping.h"

namespace gnn::tile {

/// Results that one kernel has at most.
inline constexpr unsigned mostResults = 6;

/// Whether a traversal reduces heads or features.
bool reducesLanes(TraverseOp op);

/// The dimensions that operands of the traversal have.
Level usedDims(TraverseOp op);

/// Whether the traversal reads fewer features of a row than there are.
bool readsPart(TraverseOp op);

/// Whether the traversal reads weights the other way round.
bool readsColumns(TraverseOp op);

/// One size for a dimension of both traversals, if they can share it; a
/// traversal that does not use the dimension takes any size.
std::optional<int64_t> joinSize(int64_t a, bool aUses, int64_t b, bool bUses);

/// Whether the traversal is at one row at a time, and reads and writes that row
/// and what is the same for all.
bool staysInRows(TraverseOp op);

/// The traversals that read a result of another, each once; none where
/// something else does.
llvm::SmallVector<TraverseOp> getConsumers(mlir::OpResult produced);

/// The inputs of a traversal that is made of others, each access of a value
/// once.
struct JoinedInputs {
  llvm::SmallVector<mlir::Value> values;
  llvm::SmallVector<mlir::Attribute> accesses;

  /// The number of the input.
  unsigned add(mlir::Value value, AtAttr at);
  /// Gives a new traversal of these inputs its block.
  mlir::Block &addBlock(TraverseOp op) const;
};

/// Copies a body, giving its index ops the translated accesses.
void cloneBody(mlir::OpBuilder &builder, mlir::Block &from,
               mlir::IRMapping &mapping,
               llvm::function_ref<AtAttr(AtAttr)> translate);

/// A traversal on tensors that gives result `number` of `op` alone, in
/// `output`, and computes and reads what that takes.
TraverseOp copyResult(mlir::OpBuilder &builder, TraverseOp op, unsigned number,
                      mlir::Value output);

} // namespace gnn::tile

#endif // GNN_LIB_TRANSFORMS_TILE_TRAVERSALUTILS_H
