//===- Lifting.h - From one row to all rows ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value of a loop's body is the features of one row. Lifted, it is a tensor
// with those of all rows, or one from which they are read along a path.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_GRAPH_RAISELOOPS_LIFTING_H
#define GNN_LIB_TRANSFORMS_GRAPH_RAISELOOPS_LIFTING_H

#include "GNN/Dialect/GNN/IR/GNNLoopOps.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"

namespace gnn {
class EdgeSoftmaxOp;
} // namespace gnn

namespace gnn::loops {

/// A value of a body for all rows at once. A gather or broadcast is made only
/// where an op needs it.
struct Lifted {
  mlir::Value tensor;                  ///< with rows, or a weight of all rows
  RowPath path;                        ///< from the rows of the loop; rows only
  llvm::SmallVector<int64_t> features; ///< what the tensor's are repeated to

  bool isWeight() const { return !getRows(tensor.getType()); }
  /// The features that the tensor has itself.
  llvm::ArrayRef<int64_t> own() const {
    return getFeatures(llvm::cast<mlir::RankedTensorType>(tensor.getType()));
  }
};

/// The facts of a loop's body: its rows, and its values for all of them.
struct Frame {
  RowsAttr rows;
  Frame *parent = nullptr; ///< the loop around, of whose row values are known
  RowPath toParent;        ///< from these rows to the parent's
  mlir::Region *body = nullptr;
  llvm::DenseMap<mlir::Value, Lifted> values;
  llvm::DenseMap<mlir::Value, RowPath> handles; ///< rows that the rows lead to
  llvm::DenseSet<mlir::Operation *> hoisted;    ///< lifted in the parent
  /// Ops that no tensor op can do, to be put in a loop of their own.
  llvm::SetVector<mlir::Operation *> kept;
  llvm::SmallVector<int64_t> keptFeatures; ///< the longest of theirs
};

/// Whether no op on whole tensors does what `op` of a body does.
bool mustStay(mlir::Operation *op);

/// Whether `value` can be no tensor of rows, so that what makes it stays with
/// what uses it: an integer or condition.
bool mustFollow(mlir::Value value);

/// Lifts the loops of a function, one after the other.
class Lifter {
public:
  explicit Lifter(mlir::OpBuilder &builder) : builder(builder) {}

  /// Builds ops for a loop that stands in no other, before it, and replaces its
  /// results. An op that cannot be raised, nor stay in a loop, is an error
  /// there.
  mlir::LogicalResult raise(RowLoopInterface loop);

private:
  // Loops (RaiseLoops.cpp).

  /// Lifts the ops of a loop's body, but its terminator.
  mlir::LogicalResult liftBody(Frame &frame);
  /// Lifts a loop over the edges of a node.
  mlir::LogicalResult liftIncident(Frame &frame, RowLoopInterface loop);
  /// The whole tensor of a result with rows.
  mlir::FailureOr<mlir::Value> wholeResult(Frame &frame, YieldOp yield,
                                           unsigned i, mlir::Type type);
  /// The lifted form of `value`, which an op of `frame` uses.
  mlir::FailureOr<Lifted> get(Frame &frame, mlir::Value value);
  /// The path from a row of `frame` to the row that `handle` is.
  mlir::FailureOr<RowPath> getRow(Frame &frame, mlir::Value handle,
                                  mlir::Operation *user);

  // Ops (LiftOps.cpp).

  mlir::LogicalResult lift(Frame &frame, mlir::Operation *op);
  mlir::LogicalResult liftRead(Frame &frame, ReadOp op);
  mlir::LogicalResult liftLinear(Frame &frame, RowLinearOp op);
  mlir::LogicalResult liftDot(Frame &frame, RowDotOp op);
  mlir::LogicalResult liftOuter(Frame &frame, RowOuterOp op);
  mlir::LogicalResult liftActivation(Frame &frame, RowActivationOp op);
  mlir::LogicalResult liftConcat(Frame &frame, mlir::Operation *op);
  mlir::LogicalResult liftSlice(Frame &frame, mlir::Operation *op);
  mlir::LogicalResult liftReshape(Frame &frame, mlir::Operation *op);
  mlir::LogicalResult liftElementwise(Frame &frame, mlir::Operation *op);
  /// Reduces into the rows of `type`.
  mlir::Value reduce(Frame &frame, mlir::Location loc, const Lifted &value,
                     ReduceKind kind, mlir::RankedTensorType type,
                     std::optional<EndPoint> via);
  /// A tensor with the features of each row of `frame`.
  mlir::Value materialize(Frame &frame, mlir::Location loc, const Lifted &value,
                          llvm::ArrayRef<int64_t> features);
  mlir::Value materialize(Frame &frame, mlir::Location loc,
                          const Lifted &value) {
    return materialize(frame, loc, value, value.features);
  }
  /// The type of such a tensor.
  mlir::RankedTensorType typeOf(Frame &frame, llvm::ArrayRef<int64_t> features,
                                mlir::Type element);
  /// Sets a value that has a row for each row of `frame`.
  void set(Frame &frame, mlir::Value value, mlir::Value tensor);

  // Ops that stay in a loop (KeptLoops.cpp).

  /// Whether `op` can go on in the loop of the ops kept so far, and uses them.
  static bool canJoin(Frame &frame, mlir::Operation *op);
  mlir::LogicalResult keep(Frame &frame, mlir::Operation *op);
  /// Makes a loop of the ops kept so far.
  mlir::LogicalResult flush(Frame &frame);
  /// Makes what an operand of a kept op is read from.
  mlir::LogicalResult prepareKept(Frame &frame, mlir::Value operand,
                                  mlir::Operation *user);
  /// The operand of a kept op in its new loop, at `row`.
  mlir::Value readKept(Frame &frame, mlir::OpBuilder &inside,
                       mlir::Value operand, mlir::Value row,
                       mlir::Operation *user);

  mlir::OpBuilder &builder;
  /// Tensors of the results with rows that inner loops have.
  llvm::DenseMap<mlir::Value, mlir::Value> wholes;
};

/// A loop over these rows, its body empty.
RowLoopInterface createLoop(mlir::OpBuilder &builder, mlir::Location loc,
                            RowsAttr rows, mlir::TypeRange types);

/// Makes one loop of loops in `block` over the same rows, where no row needs
/// another's values of the first. They hold no loops, and reduce nothing.
/// Returns how many loops are less. Calls `refuse` for each loop that stays
/// apart from one before for the features of the two alone, with these.
unsigned
fuseLoops(mlir::OpBuilder &builder, mlir::Block &block,
          llvm::function_ref<void(RowLoopInterface, llvm::ArrayRef<int64_t>,
                                  llvm::ArrayRef<int64_t>)>
              refuse);

/// Erases the ops of `block` that nobody needs, in loops too, and the results
/// of loops that nobody reads. Returns how many results there are less.
unsigned dropUnread(mlir::OpBuilder &builder, mlir::Block &block);

/// Turns softmax written as exp, sum and division into gnn.edge_softmax. Calls
/// `report` for each.
void raiseSoftmax(mlir::Operation *root,
                  llvm::function_ref<void(EdgeSoftmaxOp)> report);

} // namespace gnn::loops

#endif // GNN_LIB_TRANSFORMS_GRAPH_RAISELOOPS_LIFTING_H
