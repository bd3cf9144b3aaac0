//===- TraversalJoins.h - Two traversals as one -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How two traversals become one with the results of both: side by side, over
// the same rows in the same order, or what is computed for each edge into a
// walk over edges that reads it.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_TILE_TRAVERSALJOINS_H
#define GNN_LIB_TRANSFORMS_TILE_TRAVERSALJOINS_H

#include "TraversalUtils.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/BitVector.h"

namespace gnn::tile {

/// How two traversals become one.
struct Join {
  DomainAttr domain;
  /// The groups of the first, where they are the elements of the second.
  RowDomain edges;
  /// Whether the features of the first or the second are heads in the joined
  /// domain.
  bool firstIsHead = false, secondIsHead = false;

  /// Accesses as the joined traversal has them.
  AtAttr ofFirst(AtAttr at) const;
  AtAttr ofSecond(AtAttr at) const;
};

/// The values of which each op of a straight line is computed.
class Dependences {
public:
  explicit Dependences(mlir::Block &block);

  /// Whether `op` is computed of what `other` gives.
  bool dependsOn(mlir::Operation *op, mlir::Operation *other) const {
    return makers[places.at(op)].test(places.at(other));
  }
  /// Whether it is so by way of an op in between, so that the two cannot be
  /// one.
  bool dependsBetween(mlir::Operation *op, mlir::Operation *other) const;

  /// Puts `joined` in the place of two others, of which neither depends on the
  /// other but for what `second` reads of `first` itself.
  void join(mlir::Operation *first, mlir::Operation *second,
            mlir::Operation *joined);

private:
  llvm::DenseMap<mlir::Operation *, unsigned> places;
  std::vector<llvm::BitVector> makers;
};

/// Rows that may be walked by one kernel for several ends: those of edges one
/// by one, and edges or pairs that meet in nodes and pairs. Sums over types and
/// the graph are cut into pieces of their own.
bool isJoinable(TraverseOp op);

/// The traversals of a block that are.
llvm::SmallVector<TraverseOp> collectJoinable(mlir::Block &block);

/// Whether both walk the same rows in the same order.
bool areSideBySide(TraverseOp first, TraverseOp second);

/// Whether the groups of `first` are edges that `second` walks as elements, of
/// each of which it reads what `first` computes.
bool isIntoElements(TraverseOp first, TraverseOp second);

/// Whether something else than `second` reads a result of `first`.
bool isRead(mlir::OpResult result, TraverseOp second);

/// The plan for two traversals of one block that are side by side or edges and
/// their walk, the first of which comes before the second; none and the reason
/// where there is none. The results of the first one stay that `keeps` says.
std::optional<Join> planJoin(TraverseOp first, TraverseOp second,
                             const Dependences &dependences,
                             llvm::function_ref<bool(mlir::OpResult)> keeps,
                             std::string *why = nullptr);

/// Builds the joined traversal in front of `second`, with the results of the
/// first that are kept, and then those of the second that something reads. It
/// computes what these take of the first one.
TraverseOp buildJoin(mlir::OpBuilder &builder, TraverseOp first,
                     TraverseOp second, const Join &plan,
                     llvm::function_ref<bool(mlir::OpResult)> keeps);

/// Puts the joined traversal, which stands in front of the second and keeps
/// what others read, in the place of both, and what is computed of the first
/// behind it.
void replaceBoth(mlir::RewriterBase &rewriter, TraverseOp first,
                 TraverseOp second, TraverseOp joined,
                 Dependences &dependences);

} // namespace gnn::tile

#endif // GNN_LIB_TRANSFORMS_TILE_TRAVERSALJOINS_H
