//===- AttentionScore.h - The scores of a softmax ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_GRAPH_ATTENTIONSCORE_H
#define GNN_LIB_TRANSFORMS_GRAPH_ATTENTIONSCORE_H

#include "GNN/Dialect/GNN/IR/GNN.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseSet.h"

namespace gnn {

using Features = llvm::SmallVector<int64_t>;

/// A value with rows, and the path from an edge to its row; or a weight.
struct EdgeRead {
  mlir::Value value;
  RowPath path = {RowSpace::Edge, RowSpace::Edge, std::nullopt};
  /// Those that it is read with. The value has as many, but others where a
  /// reshape was looked through.
  Features features;

  bool isOnEdges() const {
    return path.isIdentity() && getRows(value.getType());
  }
  /// The end by which an edge leads to it, where there are two.
  std::optional<EndPoint> getEnd() const {
    return getRows(value.getType()) ? path.via : std::nullopt;
  }
  bool operator==(const EdgeRead &other) const {
    return value == other.value && getEnd() == other.getEnd() &&
           features == other.features;
  }
};

/// `value` as edges that are at it read it.
EdgeRead readHere(mlir::Value value);
/// An operand of `op`, which is on edges, as edges read it.
EdgeRead readOperand(mlir::Operation *op, unsigned operand);
/// Reads a gathered or reshaped row where it comes from, with the features that
/// it is read with here.
EdgeRead readAtSource(EdgeRead read);
/// `value` with these features a row, at no cost.
mlir::Value reshaped(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value value, llvm::ArrayRef<int64_t> features);
/// Whether `op` is a product of two rows on edges.
bool isProduct(mlir::Operation *op);
/// The beginning of `all` that is as large as `own`; none where no dimension of
/// `all` ends there.
std::optional<Features> beginningOf(llvm::ArrayRef<int64_t> all,
                                    llvm::ArrayRef<int64_t> own);

/// The ops on edges that lead to the scores of a softmax and that nothing else
/// reads, each of which says something about one edge: the body of an
/// attention. Gathers, reshapes and constants are looked through.
class ScoreSlice {
public:
  /// The slice of the scores with these features, which are as many as
  /// `softmax` has.
  ScoreSlice(EdgeSoftmaxOp softmax, llvm::ArrayRef<int64_t> scores);

  /// The reads of the ops, in their order.
  llvm::ArrayRef<EdgeRead> getInputs() const { return inputs; }
  /// Whether an op was left out since a body has at most two dimensions.
  bool lacksDimensions() const { return tooManyDimensions; }
  /// Builds the body from a value for each input; gives the score.
  mlir::Value emit(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::ValueRange arguments) const;

private:
  /// An op of the slice, with the features that its value has in the body.
  struct SlicedOp {
    mlir::Operation *op;
    Features features;
    llvm::SmallVector<EdgeRead> operands;
  };

  void plan(EdgeSoftmaxOp softmax);
  void take(mlir::Operation *op);
  bool fits(llvm::ArrayRef<int64_t> shape);
  void want(const EdgeRead &read);
  void addInput(const EdgeRead &read);

  EdgeRead score;
  llvm::SmallVector<SlicedOp> ops; ///< the last op first
  llvm::SmallVector<EdgeRead> inputs;
  llvm::DenseSet<mlir::Operation *> taken; ///< those of the ops, and readers
  /// The features with which ops read values of edges; none where they
  /// differ.
  llvm::DenseMap<mlir::Value, std::optional<Features>> wanted;
  Features longest; ///< of the body
  bool tooManyDimensions = false;
};

} // namespace gnn

#endif // GNN_LIB_TRANSFORMS_GRAPH_ATTENTIONSCORE_H
