//===- GemmPanels.cpp - gemm on the core of a CPU -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A transposed weight has its rows, not its columns, side by side: it is copied
// first, as many of the summed rows as a block may have memory for. Where these
// are not all, the sums of the range wait in between.
//
//===----------------------------------------------------------------------===//

#include "../Utils/Products.h"
#include "PanelLoops.h"

#include "GNN/Dialect/Tile/IR/InPlace.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

/// Bytes that a block of any target may have of its own.
static constexpr int64_t mostOwned = 48 << 10;

namespace {
class GemmPanels : public PanelLoops {
public:
  GemmPanels(GemmOp op, const ProductLayout &layout, Panel panel)
      : PanelLoops(op, op.getIndexArrays(), panel), op(op), layout(layout),
        body(op, b, arrays) {}

  void run();

private:
  /// A column of the range in the block's own arrays.
  Value own(Value column) { return b.sub(column, op.getFirstColumn()); }
  Value loadInput(int64_t number, Value k) {
    return memref::LoadOp::create(
        b, op.getInput(), body.indices(op.getInputAt(), inputs[number], k));
  }
  void copyWeight(Value begin, Value end);
  Value loadWeight(Value k, const Piece &piece);
  Value loadExtra(unsigned number, Value row, const Piece &piece);
  void storeRow(Value row, const Piece &piece, Value sum);
  void runParts(int64_t depth);
  void runPanels(Value begin, Value end, Value isLast);
  void locateRows(Value first);
  void copyRows();
  void runPanel(ArrayRef<Piece> pieces, Value begin, Value end, Value isLast);

  GemmOp op;
  const ProductLayout &layout;
  GemmBody body;
  int64_t columns = 0;      // of the block's own arrays
  Value copied, copiedFrom; // of a transposed weight, [rows, columns]
  Value waiting;            // sums of the range, [rows, columns]
  // Four rows: their numbers in the range, whether they are in it, where they
  // are, and where their inputs are, or a copy of these.
  SmallVector<Value> numbers, inside, rows, inputs;
  Value copiedInput;
};
} // namespace

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Rows `begin` to `end` of the summed dimension.
void GemmPanels::copyWeight(Value begin, Value end) {
  copiedFrom = begin;
  Value left = b.sub(b.index(op.getOut()), op.getFirstColumn());
  b.loop(begin, end, b.index(1), [&](Value k) {
    b.loop(b.index(0), b.min(left, b.index(columns)), b.index(1), [&](Value n) {
      Value value = memref::LoadOp::create(
          b, op.getWeight(),
          body.indicesOfWeight(k, b.add(op.getFirstColumn(), n)));
      memref::StoreOp::create(b, value, copied, ValueRange{b.sub(k, begin), n});
    });
  });
}

Value GemmPanels::loadWeight(Value k, const Piece &piece) {
  if (copied)
    return load(copied, {b.sub(k, copiedFrom), own(piece.column)}, piece.mask);
  return load(op.getWeight(), body.indicesOfWeight(k, piece.column),
              piece.mask);
}

Value GemmPanels::loadExtra(unsigned number, Value row, const Piece &piece) {
  AtAttr at = op.getExtraAt(number);
  Value extra = op.getExtras()[number];
  Value reached = body.rowOfExtra(at, [&] { return body.reach(at, row); });
  SmallVector<Value> indices = body.indices(at, reached, piece.column);
  if (at.getFeature())
    return load(extra, indices, piece.mask);
  return broadcast(memref::LoadOp::create(b, extra, indices));
}

/// Computes the body on columns of a row, and stores them.
void GemmPanels::storeRow(Value row, const Piece &piece, Value sum) {
  Value result = body.evaluate(
      sum, [&](unsigned number) { return loadExtra(number, row, piece); });
  AtAttr at = op.getOutputAt();
  store(result, op.getOutput(),
        body.indices(at, body.reach(at, row), piece.column), piece.mask);
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Rows behind the last one are the last one again.
void GemmPanels::locateRows(Value first) {
  for (SmallVector<Value> *list : {&numbers, &inside, &rows, &inputs})
    list->clear();
  Value count = op.getRowCount();
  Value last = b.sub(count, b.index(1));
  for (int64_t i = 0; i < Panel::rows; ++i) {
    Value number = b.add(first, i);
    inside.push_back(i ? b.less(number, count) : Value());
    numbers.push_back(b.min(number, last));
    rows.push_back(b.add(op.getFirstRow(), numbers.back()));
    inputs.push_back(body.reach(op.getInputAt(), rows.back()));
  }
}

/// Rows that may be written over are read for all columns before.
void GemmPanels::copyRows() {
  b.loop(b.index(0), b.index(op.getIn()), b.index(1), [&](Value k) {
    for (int64_t i = 0; i < Panel::rows; ++i) {
      Value value = loadInput(i, k);
      memref::StoreOp::create(b, value, copiedInput, ValueRange{b.index(i), k});
    }
  });
}

void GemmPanels::runPanel(ArrayRef<Piece> pieces, Value begin, Value end,
                          Value isLast) {
  SmallVector<Value> sums;
  for (Value number : numbers)
    for (const Piece &piece : pieces)
      sums.push_back(waiting
                         ? load(waiting, {number, own(piece.column)}, Value())
                         : zero());
  sums = b.loop(begin, end, b.index(1), sums, [&](Value k, ValueRange before) {
    SmallVector<Value> left, right;
    for (const Piece &piece : pieces)
      right.push_back(loadWeight(k, piece));
    for (int64_t i = 0; i < Panel::rows; ++i)
      left.push_back(copiedInput
                         ? memref::LoadOp::create(b, copiedInput,
                                                  ValueRange{b.index(i), k})
                         : loadInput(i, k));
    return multiply(left, right, before);
  });
  auto forEachSum = [&](function_ref<void(int64_t, const Piece &, Value)> put) {
    for (int64_t i = 0; i < Panel::rows; ++i)
      b.where(inside[i], [&] {
        for (auto [j, piece] : llvm::enumerate(pieces))
          put(i, piece, sums[i * pieces.size() + j]);
      });
  };
  if (waiting)
    forEachSum([&](int64_t i, const Piece &piece, Value sum) {
      store(sum, waiting, {numbers[i], own(piece.column)}, Value());
    });
  // All rows are read before one is written, which may be the same.
  b.where(isLast, [&] {
    forEachSum([&](int64_t i, const Piece &piece, Value sum) {
      storeRow(rows[i], piece, sum);
    });
  });
}

void GemmPanels::runPanels(Value begin, Value end, Value isLast) {
  b.loop(b.index(0), op.getRowCount(), b.index(Panel::rows), [&](Value first) {
    locateRows(first);
    if (copiedInput)
      copyRows();
    forEachPanel(
        op.getFirstColumn(), layout.columns, op.getOut(),
        [&](ArrayRef<Piece> pieces) { runPanel(pieces, begin, end, isLast); });
  });
}

/// `depth` rows of the summed dimension at once, or fewer at the end.
void GemmPanels::runParts(int64_t depth) {
  waiting = allocate(ProductLayout::rows, columns);
  b.loop(b.index(0), op.getRowCount(), b.index(1), [&](Value row) {
    for (int64_t i = 0; i < columns; i += panel.width)
      store(zero(), waiting, {row, b.index(i)}, Value());
  });
  Value size = b.index(op.getIn());
  b.loop(b.index(0), size, b.index(depth), [&](Value begin) {
    Value next = b.add(begin, depth);
    Value end = b.min(next, size);
    copyWeight(begin, end);
    Value isLast =
        arith::CmpIOp::create(b, arith::CmpIPredicate::sle, size, next);
    runPanels(begin, end, isLast);
  });
}

void GemmPanels::run() {
  int64_t tile = std::min(layout.columns, op.getOut());
  bool overwritesInput =
      findOverwritten(op, op.getOutputMutable()) == &op.getInputMutable();
  if (overwritesInput && tile > panel.columns())
    copiedInput = allocate(Panel::rows, op.getIn());
  if (!op.getTransposed())
    return runPanels(b.index(0), b.index(op.getIn()), Value());
  columns = llvm::alignTo(tile, panel.width);
  if (tile > panel.columns())
    columns = llvm::alignTo(tile, panel.columns());
  int64_t depth = mostOwned / (4 * columns);
  bool isWhole = op.getIn() <= depth;
  if (!isWhole)
    depth = llvm::alignDown(depth - ProductLayout::rows, 16);
  copied = allocate(isWhole ? op.getIn() : depth, columns);
  if (!isWhole)
    return runParts(depth);
  copyWeight(b.index(0), b.index(op.getIn()));
  runPanels(b.index(0), b.index(op.getIn()), Value());
}

void gnn::tile::lowerToPanels(GemmOp op, const ProductLayout &layout,
                              Panel panel) {
  GemmPanels(op, layout, panel).run();
}
