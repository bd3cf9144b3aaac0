//===- OuterLoops.cpp - An outer on a range as loops ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block walks the rows of one type in order, some at a time: the same bits on
// every run, without atomics.
//
//===----------------------------------------------------------------------===//

#include "../Utils/LongSums.h"
#include "../Utils/Products.h"
#include "ProductLoops.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

/// Rows of both sides have their columns side by side.
static ProductOperand operandOf(OuterOp op, unsigned side) {
  return {/*byDepth=*/false,
          getAligned(op->getOperand(side), OuterBody::getAccess(op, side),
                     side == 0 ? op.getIn() : op.getOut())};
}

namespace {
class OuterLoops {
public:
  OuterLoops(OuterOp op, const ProductLayout &layout)
      : op(op), loops(op, op.getIndexArrays(), layout,
                      getElementTypeOrSelf(op.getLeft().getType()),
                      operandOf(op, 0), operandOf(op, 1)),
        b(loops.b), body(op, b, loops.arrays), in(op.getIn()),
        out(op.getOut()) {}

  void run();

private:
  Value load(unsigned side, const ProductLoops::ClampedRows &rows);
  SmallVector<Value> addStep(ValueRange sums, Value row0);
  SmallVector<Value> endRun(ValueRange own, ValueRange before);
  SmallVector<Value> startSums();
  SmallVector<Value> finishSums(ValueRange sums);
  SmallVector<Value> sumRows(ValueRange sums);
  SmallVector<Value> sumHeads(ValueRange sums);
  Value addRows(Value sum, Value tile);
  void storeMatrix(Value tile);
  void storeSums(Value sum);
  /// The side whose rows are added up, and how many columns of it a block has.
  const ProductLoops::StagedSide &summed() {
    return op.getSumsLeft() ? loops.left : loops.right;
  }
  /// Rows of a step that are added up apart from each other.
  int64_t lines() { return summed().spread.getLanes()[0]; }

  OuterOp op;
  ProductLoops loops;
  IndexBuilder &b;
  OuterBody body;
  int64_t in, out;
  Value end, last;
  size_t count = 0; ///< of results: a matrix, and the sums of columns
};
} // namespace

/// Columns of the rows of a step.
Value OuterLoops::load(unsigned number, const ProductLoops::ClampedRows &rows) {
  const ProductLoops::StagedSide &side = number == 0 ? loops.left : loops.right;
  AtAttr at = OuterBody::getAccess(op, number);
  Value column = number == 0 ? op.getLeftColumn() : op.getRightColumn();
  return LoadRowsOp::create(
      b, loops.loadedType(side), op->getOperand(number),
      body.indices(number, rows.clamped, column), rows.inside,
      loops.columnsBelow(number == 0 ? in : out, side.extent, at.getOffset()),
      side.operand.aligned);
}

/// Adds the rows of a step of a side: first those of each line in order.
Value OuterLoops::addRows(Value sum, Value tile) {
  int64_t columns = summed().extent;
  for (int64_t row = 0; row < loops.layout.depth; row += lines()) {
    Value some = vector::ExtractStridedSliceOp::create(
        b, tile, ArrayRef<int64_t>{row, 0}, ArrayRef<int64_t>{lines(), columns},
        ArrayRef<int64_t>{1, 1});
    sum = arith::AddFOp::create(b, sum, some);
  }
  return sum;
}

SmallVector<Value> OuterLoops::addStep(ValueRange sums, Value row0) {
  ProductLoops::ClampedRows rows =
      loops.rowsFrom(row0, loops.layout.depth, last);
  Value left = load(0, rows), right = load(1, rows);
  SmallVector<Value> next{loops.multiply(sums[0], left, right)};
  if (op.getSums())
    next.push_back(addRows(sums[1], op.getSumsLeft() ? left : right));
  return loops.layout.runs ? endRun(next, sums.drop_front(count)) : next;
}

/// In runs, a step gives: what a run has so far, the sums of those before,
/// their errors, and the steps that it has. Here with a step more, with which
/// the run may end.
SmallVector<Value> OuterLoops::endRun(ValueRange own, ValueRange before) {
  Value steps = b.add(before.back(), 1);
  auto both = [&](ValueRange left, Value steps) {
    SmallVector<Value> all(left);
    llvm::append_range(all, before.drop_back());
    all.push_back(steps);
    return all;
  };
  auto ended = [&] {
    SmallVector<Value> all = both(own, b.index(0));
    for (size_t i = 0; i < count; ++i) {
      all[i] = zeroOf(b, own[i].getType());
      LongSum sum = addRun(b, {before[i], before[count + i]},
                           /*factor=*/Value(), own[i]);
      all[count + i] = sum.sum;
      all[2 * count + i] = sum.error;
    }
    return all;
  };
  int64_t length = loops.layout.stepsOfRun();
  if (length == 1)
    return ended();
  SmallVector<Value> same = both(own, steps);
  auto branch = scf::IfOp::create(b, ValueRange(same).getTypes(),
                                  b.isZero(b.sub(steps, b.index(length))),
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, ended());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, same);
  return branch.getResults();
}

SmallVector<Value> OuterLoops::startSums() {
  SmallVector<Value> zeros{
      loops.constant({ProductLayout::rows, loops.layout.columns}, 0)};
  if (op.getSums())
    zeros.push_back(loops.constant({lines(), summed().extent}, 0));
  count = zeros.size();
  SmallVector<Value> sums(zeros);
  if (!loops.layout.runs)
    return sums;
  llvm::append_range(sums, zeros); // of the runs before, and their errors
  llvm::append_range(sums, zeros);
  sums.push_back(b.index(0));
  return sums;
}

/// With the last run, which need not have ended.
SmallVector<Value> OuterLoops::finishSums(ValueRange sums) {
  SmallVector<Value> all(sums.take_front(count));
  if (!loops.layout.runs)
    return all;
  for (size_t i = 0; i < count; ++i)
    all[i] = joinParts(b, addRun(b, {sums[count + i], sums[2 * count + i]},
                                 /*factor=*/Value(), sums[i]));
  return all;
}

/// Adds the products of all rows of the type, of one head.
SmallVector<Value> OuterLoops::sumRows(ValueRange sums) {
  auto loop = scf::ForOp::create(b, op.getFirstRow(), end,
                                 b.index(loops.layout.depth), sums);
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPointToEnd(loop.getBody());
  scf::YieldOp::create(
      b, addStep(loop.getRegionIterArgs(), loop.getInductionVar()));
  return loop.getResults();
}

/// One head after the other.
SmallVector<Value> OuterLoops::sumHeads(ValueRange sums) {
  return b.loop(b.index(0), b.index(op.getHeads()), b.index(1), sums,
                [&](Value head, ValueRange sums) {
                  body.head = head;
                  return sumRows(sums);
                });
}

void OuterLoops::storeMatrix(Value tile) {
  constexpr int64_t tileRows = ProductLayout::rows;
  ProductLoops::ClampedRows rows =
      loops.rowsFrom(op.getLeftColumn(), tileRows, in);
  StoreRowsOp::create(b, tile, op.getOutput(),
                      body.indicesOfOutput(rows.clamped, op.getRightColumn()),
                      rows.inside,
                      loops.columnsBelow(out, loops.layout.columns),
                      out % 4 == 0 ? 4 : 1, loops.sumsSpread());
}

/// Adds the lines up, in workgroup memory where each thread finds a column of
/// all. Where blocks read the same columns, those of the first rows of the
/// matrix, or its first columns, store what these add up to.
void OuterLoops::storeSums(Value sum) {
  bool ofLeft = op.getSumsLeft();
  const ProductLoops::StagedSide &side = summed();
  int64_t columns = side.extent;
  Value zero = b.index(0);
  StageOp::create(b, sum, side.array, zero, /*transposed=*/false,
                  /*ahead=*/false, Staging::Registers, side.spread);
  Value padding = arith::ConstantOp::create(b, b.getZeroAttr(loops.element));
  Value staged = vector::TransferReadOp::create(
      b, cast<VectorType>(sum.getType()), side.array, ValueRange{zero, zero},
      padding, AffineMap::getMultiDimIdentityMap(2, b.getContext()),
      ArrayRef<bool>{true, true});
  Value total = vector::MultiDimReductionOp::create(
      b, staged, loops.constant({columns}, -0.0), ArrayRef<bool>{true, false},
      vector::CombiningKind::ADD);
  OpBuilder::InsertionGuard restore(b);
  if (ofLeft ? out > loops.layout.columns : in > ProductLayout::rows) {
    Value isFirst = arith::CmpIOp::create(
        b, arith::CmpIPredicate::eq,
        ofLeft ? op.getRightColumn() : op.getLeftColumn(), zero);
    auto only = scf::IfOp::create(b, isFirst);
    b.setInsertionPointToStart(only.thenBlock());
  }
  StoreRowsOp::create(
      b, total, op.getSums(),
      body.indicesOfSums(ofLeft ? op.getLeftColumn() : op.getRightColumn()),
      Value(), loops.columnsBelow(ofLeft ? in : out, columns),
      /*aligned=*/1, loops.spread({1}, {columns}));
}

void OuterLoops::run() {
  end = b.add(op.getFirstRow(), op.getRowCount());
  last = b.sub(end, b.index(1));
  SmallVector<Value> sums = startSums();
  sums = finishSums(op.sumsHeads() ? sumHeads(sums) : sumRows(sums));
  if (op.getSums())
    storeSums(sums.pop_back_val());
  storeMatrix(sums[0]);
}

void gnn::tile::lowerToLoops(OuterOp op, const ProductLayout &layout) {
  OuterLoops(op, layout).run();
}
