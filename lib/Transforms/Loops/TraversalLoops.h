//===- TraversalLoops.h - A traversal as loops ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The body of a traversal is scalar code at levels. Here each value becomes a
// scalar or a vector over the heads and features of its level. Elements are
// walked once for every rank of reductions: a reduction of what needs no other
// reduction has rank 0, and so on.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_LOOPS_TRAVERSALLOOPS_H
#define GNN_LIB_TRANSFORMS_LOOPS_TRAVERSALLOOPS_H

#include "../Utils/IndexArrays.h"

#include "GNN/Dialect/Tile/IR/TraverseLayout.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SetVector.h"

#include <map>

namespace gnn::tile {

/// A row of a range, and what is known at it.
struct LocatedRow {
  mlir::Value row, inside; ///< a valid row; whether it counts (null: it does)
  mlir::Value begin, end;  ///< positions of its elements
  mlir::Value walked;      ///< where its walk over them ends
  /// Positions of the parts that it is made of; null: of none.
  mlir::Value firstPart, endPart;
  llvm::DenseMap<mlir::Value, mlir::Value> rowValues;
  std::map<RowDomain, mlir::Value> rows;
};

/// Makes the loops of one traversal on a range, in front of it.
class TraversalLoops : protected LocatedRow {
public:
  TraversalLoops(TraverseOp op, TraverseLayout layout);

  void run();

protected:
  /// A point of a walk at which values that vary by element are computed.
  struct WalkPoint {
    mlir::Value position; // in the elements' order, always a valid one
    mlir::Value number;   // the same of padding too; null where there is none
    llvm::DenseMap<mlir::Value, mlir::Value> values;
    std::map<RowDomain, mlir::Value> rows;
  };

  // Rows (LowerTraversals.cpp).
  /// The lanes that a block has for one step of its rows.
  SpreadAttr getSpread();
  void makeRowsOfBlock();
  void locateRow(mlir::Value number);
  mlir::Value isLongRow();
  mlir::Value makeTeamRows();
  void makeLongRows(mlir::Value flags);
  void makeRow();
  void rankValues();
  void locateParts();
  void locateCutRow();
  void storeGroup();

  // Values (TraversalLoops.cpp).
  mlir::Type typeAt(mlir::Type element, Level level);
  mlir::Value valueOf(mlir::Value value);
  mlir::Value evaluate(mlir::Value value);
  mlir::Value evaluateArgument(mlir::BlockArgument argument);
  mlir::Value evaluateIndex(IndexOp index);
  mlir::Value evaluatePointwise(mlir::Operation *inner);
  mlir::Value spread(mlir::Value value, Level level);
  mlir::Value reduceVector(ReduceOp reduce, mlir::Value value, Level level);
  mlir::Value rowOf(AtAttr at);
  llvm::SmallVector<mlir::Value> indicesOf(AtAttr at) {
    return indicesOf(at, at.getAnchor() == Anchor::All ? nullptr : rowOf(at));
  }
  llvm::SmallVector<mlir::Value> indicesOf(AtAttr at, mlir::Value row) {
    return getIndices(b, at, row, at.getHead() ? b.index(0) : mlir::Value(),
                      op.getFirstColumn());
  }
  mlir::Value load(mlir::Value memref, mlir::ValueRange indices, AtAttr at);
  mlir::Value read(mlir::Value memref, mlir::VectorType type,
                   mlir::ValueRange indices, mlir::AffineMap map);
  mlir::AffineMap mapOf(AtAttr at, mlir::MemRefType type);
  mlir::Value columnMask(mlir::VectorType type, mlir::AffineMap map);
  void store(unsigned output);
  void write(mlir::Value value, mlir::Value memref, mlir::ValueRange indices,
             AtAttr at);

  // Walks over elements (TraversalWalks.cpp).
  /// Reductions that are ready after one walk.
  using Reductions = llvm::ArrayRef<mlir::Operation *>;
  void walkElements(int64_t rank);
  /// What is computed at the elements of one walk.
  struct Walked {
    llvm::SmallVector<mlir::Operation *> reductions;
    llvm::SmallVector<unsigned> outputs;
    llvm::SetVector<mlir::Value> needs; ///< operands first
  };
  Walked collectWalked(int64_t rank);
  llvm::SmallVector<mlir::Value> walkParts(Reductions reductions);
  WalkOp createWalk(mlir::Value begin, mlir::Value end, Reductions reductions,
                    int64_t inFlight, int64_t run, int64_t window = 0);
  llvm::SmallVector<mlir::Value>
  combineAll(Reductions reductions, mlir::ValueRange a, mlir::ValueRange b);
  /// The states `before` with those of several elements; `isStarted`: they
  /// began with `statesFrom`.
  llvm::SmallVector<mlir::Value>
  addAll(Reductions reductions, mlir::ValueRange before,
         llvm::ArrayRef<mlir::ValueRange> elements, bool isStarted = false);
  llvm::SmallVector<mlir::Value>
  rescale(SoftmaxSumOp op, llvm::ArrayRef<mlir::ValueRange> states);
  void finishAll(Reductions reductions, mlir::ValueRange results);
  void collectNeeds(mlir::Value value, llvm::SetVector<mlir::Value> &needs);
  llvm::SmallVector<mlir::Value> identitiesOf(mlir::Operation *reduction);
  llvm::SmallVector<mlir::Value> statesFrom(mlir::Operation *reduction,
                                            mlir::Value position);
  llvm::SmallVector<mlir::Value> statesOf(mlir::Operation *reduction);
  llvm::SmallVector<mlir::Value>
  combine(mlir::Operation *reduction, mlir::ValueRange a, mlir::ValueRange b);
  mlir::Value highestOf(mlir::ValueRange states);
  void finish(mlir::Operation *reduction, mlir::ValueRange results);

  // Several rows of a team (MergedRows.cpp).
  void makeMergedRows(mlir::Value team);

  // Arithmetic.
  mlir::Value constant(mlir::Type type, double value);
  mlir::Value constant(mlir::Type type, mlir::TypedAttr value);
  mlir::Value combineKind(Reduction kind, mlir::Value a, mlir::Value b);
  mlir::TypedAttr identityOf(Reduction kind, mlir::Type element);

  TraverseOp op;
  TraverseLayout layout;
  DomainAttr domain;
  IndexBuilder b;
  IndexArrays arrays;

  int64_t heads, columns; ///< of a row, and of the features of the range
  bool hasPartOfColumns;  ///< the last range of columns is shorter
  bool byBlock = false;   ///< the block walks one row
  mlir::Value firstRow;   ///< of those that the block walks side by side
  bool ofParts = false;   ///< the row is long, and made of parts alone
  llvm::DenseMap<mlir::Value, int64_t> ranks; ///< walks before it is ready
  int64_t lastRank = -1;
  WalkPoint *point = nullptr; ///< of the walk that is made
};

/// Makes the loops of a walk by edges (EdgeWalks.cpp), and says what lanes load
/// ahead.
std::string lowerEdgeWalk(TraverseOp op, const TraverseLayout &layout);

} // namespace gnn::tile

#endif // GNN_LIB_TRANSFORMS_LOOPS_TRAVERSALLOOPS_H
