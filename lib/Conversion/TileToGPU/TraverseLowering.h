//===- TraverseLowering.h - A traversal as a kernel -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The body is scalar code at levels. Here each value becomes what one lane
// holds of it: one value a head chunk and feature chunk. Elements are walked
// once for every rank of reductions: a reduction of what needs no other
// reduction has rank 0, and so on. The lanes of a row are a team. Rows with
// many elements are walked by all teams of a block together, one row after the
// other. Lanes past the end of features, heads or elements read a valid row
// again and their values are masked where they would count, so that no load
// waits for a branch.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CONVERSION_TILETOGPU_TRAVERSELOWERING_H
#define GNN_LIB_CONVERSION_TILETOGPU_TRAVERSELOWERING_H

#include "Kernel.h"

#include "GNN/Dialect/Tile/IR/TraverseLayout.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/SaveAndRestore.h"

#include <map>
#include <set>

namespace gnn::tile {

/// What a lane holds of one value: [head chunk][feature chunk], with a single
/// entry in a dimension by which the value does not vary.
using Held = llvm::SmallVector<mlir::Value>;

/// Emits the kernel of one traversal.
class TraverseLowering {
public:
  TraverseLowering(TraverseOp op, Kernel &kernel, TraverseLayout layout)
      : op(op), kernel(kernel), layout(layout), domain(op.getDomain()),
        e(kernel.device) {}

  void run();

private:
  /// The point of a walk at which element-level values are computed.
  struct Point {
    mlir::Value position; // in the elements' order, always a valid one
    mlir::Value inside;   // whether it counts; null: always
    llvm::DenseMap<mlir::Value, Held> values;
    std::map<RowDomain, mlir::Value> rows;
  };

  /// What one reduction over elements accumulates.
  struct State {
    mlir::Operation *op;
    llvm::SmallVector<Held> parts; // one a result
  };

  // Where this lane is (Traverse.cpp).
  void locateLane();
  void locateColumns();
  void locateRow(mlir::Value row);
  void rankValues();

  // Rows by teams and by whole blocks (TraverseTeams.cpp).
  mlir::Value emitShortRows(mlir::Value first);
  void emitLongRows(mlir::Value first, mlir::Value isLong);
  void emitRow();
  void combineTeams(State &state);

  // Values at a point; point 0 for those that do not vary by element.
  Held held(mlir::Value value, unsigned point);
  Held evaluate(mlir::Value value, unsigned point);
  Held evaluateArgument(mlir::BlockArgument argument, unsigned point);
  Held evaluateIndex(IndexOp index, unsigned point);
  Held evaluatePointwise(mlir::Operation *inner, unsigned point);
  Held spread(const Held &values, Level from, Level to);
  Held reduceLanes(ReduceOp reduce, Held values, Level level);
  mlir::Value rowOf(AtAttr at, unsigned point);
  llvm::SmallVector<mlir::Value> indicesOf(AtAttr at, unsigned head,
                                           unsigned chunk, unsigned point);
  mlir::Type heldType(mlir::Type element, Level level);

  // Walking the elements (TraverseWalk.cpp).
  void walkElements(int64_t rank);
  void collectNeeds(mlir::Value value, llvm::SetVector<mlir::Value> &needs);
  State initialState(mlir::Operation *reduction);
  void setPoints(mlir::Value first);
  void accumulate(State &state, unsigned point);
  void combineLanes(State &state);
  void combine(State &state, llvm::ArrayRef<Held> others);
  void finish(State &state);
  llvm::SmallVector<Held> combineFold(FoldOp fold, llvm::ArrayRef<Held> earlier,
                                      llvm::ArrayRef<Held> later);
  void store(unsigned output, unsigned point);

  unsigned headCount(Level level) { return layout.headCount(level); }
  unsigned chunkCount(Level level) { return layout.chunkCount(level); }
  unsigned partCount(Level level) { return layout.partCount(level); }

  TraverseOp op;
  Kernel &kernel;
  TraverseLayout layout;
  DomainAttr domain;
  Emitter &e;

  mlir::Value featureLane, headLane, elementLane, team;
  bool byBlock = false;     // all teams walk one row
  mlir::Value elementSlot;  // which element of a round this lane takes ...
  int64_t elementSlots = 1; // ... of how many
  int64_t inFlight = 1;     // rounds whose loads are issued together
  mlir::Value group, groupInside; // a valid row; whether it counts
  mlir::Value begin, end;         // positions of its elements
  llvm::SmallVector<mlir::Value> columns, columnsInside, heads, headsInside;
  llvm::DenseMap<mlir::Value, int64_t> ranks; // walks before it is ready
  int64_t lastRank = -1;
  llvm::DenseMap<mlir::Value, Held> groupValues;
  std::map<RowDomain, mlir::Value> groupRows;
  llvm::SmallVector<Point> points;
};

} // namespace gnn::tile

#endif // GNN_LIB_CONVERSION_TILETOGPU_TRAVERSELOWERING_H
