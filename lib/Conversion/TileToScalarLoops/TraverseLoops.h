//===- TraverseLoops.h - A traversal as loops of scalars --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value of the body is computed by recursion where it is needed, in the
// innermost of the loops that it varies by, once a turn of it. A reduction is a
// loop of its own.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CONVERSION_TILETOSCALARLOOPS_TRAVERSELOOPS_H
#define GNN_LIB_CONVERSION_TILETOSCALARLOOPS_TRAVERSELOOPS_H

#include "ScalarLoops.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace gnn::tile::scalar {

using Value = mlir::Value;

/// A loop around what is built; the outermost one is that over groups.
struct Scope {
  Scope(Scope *outer, std::optional<Dim> dim, Value at,
        mlir::OpBuilder::InsertPoint end)
      : outer(outer), dim(dim), at(at), end(end) {}

  Scope *outer;
  std::optional<Dim> dim; ///< none: the groups
  Value at;
  /// Where the loop's body ends, as far as it is built.
  mlir::OpBuilder::InsertPoint end;
  /// The values that are known in it.
  llvm::DenseMap<Value, Value> values;
};

using Values = llvm::SmallVector<Value>;
using ScopeBody = llvm::function_ref<Values(Scope &, mlir::ValueRange carried)>;

/// The innermost loop around `scope`, or it itself, that a value of this level
/// varies by.
Scope &home(Level level, Scope &scope);

/// Where the loop over `dim`, or over the groups, is; null if there is none.
Value positionOf(std::optional<Dim> dim, Scope &scope);

/// Makes the loops of one traversal.
class TraverseLoops {
public:
  TraverseLoops(TraverseOp op, Loops &loops, const Bounds &bounds)
      : op(op), loops(loops), b(loops.b), bounds(bounds),
        domain(op.getDomain()) {}

  void run();

private:
  // Loops.
  Positions range(Dim dim);
  Values nest(Scope &scope, llvm::ArrayRef<Dim> dims, mlir::ValueRange init,
              ScopeBody body);

  // Where operands lie.
  RowDomain domainOf(AtAttr at) {
    return at.getStart(domain.getGroups(), domain.getElements());
  }
  Values indices(Scope &scope, AtAttr at);
  Values indicesOfColumn(Scope &scope, Value buffer);
  Value groupAt(Value position);
  void locateParts(Value group, Value position);
  void copyOverwritten(Scope &group);
  void store(Scope &group, unsigned output);
  void storeOutputs(Value at, llvm::function_ref<bool(Anchor)> isStored);

  // Elements of a block, whatever groups they are of.
  void walkBlock(Positions block);
  void walkElements(Positions block);
  void storePieces(Value at, Value piece);
  void storeNothing(Value piece);

  // Values.
  Value evaluate(Value value, Scope &scope);
  void compute(mlir::Operation *inner, Value value, Scope &scope);
  Value load(mlir::BlockArgument argument, Scope &scope);
  Value reduce(ReduceOp op, Scope &scope);
  Values
  addParts(Scope &scope, mlir::ValueRange states, llvm::ArrayRef<Value> reduced,
           llvm::function_ref<Values(mlir::ValueRange, mlir::ValueRange)> add);
  Value sizeOf(Dim dim, mlir::Type type);
  Value divide(Value sum, llvm::ArrayRef<Dim> dims);
  Value unlessEmpty(Value value, int64_t otherwise);
  void fold(FoldOp op, mlir::OpResult result, Scope &scope);
  void argReduce(ArgReduceOp op, Scope &scope);
  Value softmaxSum(SoftmaxSumOp op, mlir::OpResult result, Scope &scope);

  TraverseOp op;
  Loops &loops;
  IndexBuilder &b;
  const Bounds &bounds;
  DomainAttr domain;
  /// The elements of the group, those that are walked, and the parts that a
  /// long group is made of.
  Positions elements, walked, parts;
  /// Whether what no elements give is asked for, of a group that has some.
  bool isOfNothing = false;
  /// Whether results are added to what is there.
  bool addsToRows = false;
  /// The rows of inputs that are outputs too, before they are written.
  llvm::DenseMap<unsigned, Value> copies;
};

} // namespace gnn::tile::scalar

#endif // GNN_LIB_CONVERSION_TILETOSCALARLOOPS_TRAVERSELOOPS_H
