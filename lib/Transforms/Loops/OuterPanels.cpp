//===- OuterPanels.cpp - outer on the core of a CPU -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Utils/LongSums.h"
#include "../Utils/Products.h"
#include "PanelLoops.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace {
class OuterPanels : public PanelLoops {
public:
  OuterPanels(OuterOp op, const ProductLayout &layout, Panel panel)
      : PanelLoops(op, op.getIndexArrays(), panel), op(op), layout(layout),
        body(op, b, arrays) {}

  void run();

private:
  using AddRow = function_ref<SmallVector<Value>(Value, ValueRange)>;
  SmallVector<Value> sumRows(ValueRange sums, AddRow add);
  void endRun(ArrayRef<Value> own);
  SmallVector<Value> sumAll(int64_t count, AddRow add);
  SmallVector<Value> loadRow(unsigned side, Value row, ArrayRef<Piece> pieces);
  void runPanel(Value first, ArrayRef<Piece> pieces);
  void storeSums(ArrayRef<Piece> pieces);

  OuterOp op;
  const ProductLayout &layout;
  OuterBody body;
  Value waiting; // sums of the runs before, and their errors
};
} // namespace

/// Over all rows of a head.
SmallVector<Value> OuterPanels::sumRows(ValueRange sums, AddRow add) {
  Value end = b.add(op.getFirstRow(), op.getRowCount());
  if (!layout.runs)
    return b.loop(op.getFirstRow(), end, b.index(1), sums, add);
  Value length = b.index(layout.runs);
  b.loop(op.getFirstRow(), end, length, [&](Value begin) {
    SmallVector<Value> zeros(sums.size(), zero());
    Value count = b.min(length, b.sub(end, begin));
    endRun(b.loop(b.index(0), count, b.index(1), zeros,
                  [&](Value number, ValueRange before) {
                    return add(b.add(begin, number), before);
                  }));
  });
  return SmallVector<Value>(sums);
}

/// Adds what a run has to the sums before, which wait in memory with their
/// errors: registers hold those of the run.
void OuterPanels::endRun(ArrayRef<Value> own) {
  for (auto [i, run] : llvm::enumerate(own)) {
    Value sum[] = {b.index(i), b.index(0)},
          error[] = {b.index(own.size() + i), b.index(0)};
    LongSum next =
        addRun(b, {load(waiting, sum, Value()), load(waiting, error, Value())},
               /*factor=*/Value(), run);
    store(next.sum, waiting, sum, Value());
    store(next.error, waiting, error, Value());
  }
}

/// Over all rows, of one head after the other where they are summed: so many
/// sums.
SmallVector<Value> OuterPanels::sumAll(int64_t count, AddRow add) {
  SmallVector<Value> sums(count, zero());
  if (layout.runs)
    for (int64_t i = 0; i < 2 * count; ++i)
      store(sums[0], waiting, {b.index(i), b.index(0)}, Value());
  if (op.sumsHeads())
    sums = b.loop(b.index(0), b.index(op.getHeads()), b.index(1), sums,
                  [&](Value head, ValueRange before) {
                    body.head = head;
                    return sumRows(before, add);
                  });
  else
    sums = sumRows(sums, add);
  if (layout.runs)
    for (auto [i, sum] : llvm::enumerate(sums))
      sum = joinParts(
          b, {load(waiting, {b.index(i), b.index(0)}, Value()),
              load(waiting, {b.index(count + i), b.index(0)}, Value())});
  return sums;
}

SmallVector<Value> OuterPanels::loadRow(unsigned side, Value row,
                                        ArrayRef<Piece> pieces) {
  SmallVector<Value> values;
  for (const Piece &piece : pieces)
    values.push_back(load(op->getOperand(side),
                          body.indices(side, row, piece.column), piece.mask));
  return values;
}

/// Four columns of the left side, counted from the block's first.
void OuterPanels::runPanel(Value first, ArrayRef<Piece> pieces) {
  int64_t in = op.getIn();
  Value last = b.index(in - 1);
  SmallVector<Value> columns, inside;
  for (int64_t i = 0; i < Panel::rows; ++i) {
    Value number = b.add(op.getLeftColumn(), b.add(first, i));
    inside.push_back(i ? b.less(number, b.index(in)) : Value());
    columns.push_back(b.min(number, last));
  }
  int64_t count = Panel::rows * pieces.size();
  SmallVector<Value> sums = sumAll(count, [&](Value row, ValueRange before) {
    SmallVector<Value> values;
    for (Value column : columns)
      values.push_back(memref::LoadOp::create(b, op.getLeft(),
                                              body.indices(0, row, column)));
    return multiply(values, loadRow(1, row, pieces), before);
  });
  for (int64_t i = 0; i < Panel::rows; ++i)
    b.where(inside[i], [&] {
      for (auto [j, piece] : llvm::enumerate(pieces))
        store(sums[i * pieces.size() + j], op.getOutput(),
              body.indicesOfOutput(columns[i], piece.column), piece.mask);
    });
}

/// The block of the first columns of one side adds up the other.
void OuterPanels::storeSums(ArrayRef<Piece> pieces) {
  SmallVector<Value> sums =
      sumAll(pieces.size(), [&](Value row, ValueRange before) {
        SmallVector<Value> next;
        for (auto [sum, value] :
             llvm::zip(before, loadRow(op.getSummedSide(), row, pieces)))
          next.push_back(arith::AddFOp::create(b, sum, value));
        return next;
      });
  for (auto [piece, sum] : llvm::zip(pieces, sums))
    store(sum, op.getSums(), body.indicesOfSums(piece.column), piece.mask);
}

void OuterPanels::run() {
  if (layout.runs)
    waiting = allocate(2 * Panel::rows * panel.vectors, panel.width);
  int64_t in = op.getIn();
  int64_t out = op.getOut();
  Value left = op.getLeftColumn();
  Value count = b.min(b.sub(b.index(in), left), b.index(ProductLayout::rows));
  forEachPanel(
      op.getRightColumn(), layout.columns, out, [&](ArrayRef<Piece> pieces) {
        b.loop(b.index(0), count, b.index(Panel::rows),
               [&](Value first) { runPanel(first, pieces); });
        if (op.getSums() && !op.getSumsLeft())
          b.where(b.less(left, b.index(1)), [&] { storeSums(pieces); });
      });
  if (op.getSumsLeft())
    b.where(b.less(op.getRightColumn(), b.index(1)), [&] {
      forEachPanel(left, ProductLayout::rows, in,
                   [&](ArrayRef<Piece> pieces) { storeSums(pieces); });
    });
}

void gnn::tile::lowerToPanels(OuterOp op, const ProductLayout &layout,
                              Panel panel) {
  OuterPanels(op, layout, panel).run();
}
