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

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
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
      : PanelLoops(op, op.getIndexArrays(), panel), op(op), layout(layout) {}

  void run();

private:
  SmallVector<Value> at(Value row, bool hasHead, Value column) {
    return getIndices(row, hasHead ? op.getHead() : Value(), column);
  }
  /// A column of the range in the block's own arrays.
  Value own(Value column) { return b.sub(column, op.getFirstColumn()); }
  Value allocate(int64_t rows, int64_t columns);
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

Value GemmPanels::allocate(int64_t rows, int64_t columns) {
  auto space = gpu::AddressSpaceAttr::get(
      b.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  return memref::AllocaOp::create(
      b,
      MemRefType::get({rows, columns}, b.getF32Type(),
                      MemRefLayoutAttrInterface(), space),
      b.getI64IntegerAttr(64));
}

/// Rows `begin` to `end` of the summed dimension.
void GemmPanels::copyWeight(Value begin, Value end) {
  copiedFrom = begin;
  Value left = b.sub(b.index(op.getOut()), op.getFirstColumn());
  forEach(begin, end, 1, [&](Value k) {
    forEach(b.index(0), b.min(left, b.index(columns)), 1, [&](Value n) {
      SmallVector<Value> from = at(op.getMatrixRow(), op.weightHasHeads(),
                                   b.add(op.getFirstColumn(), n));
      from.push_back(k);
      Value value = memref::LoadOp::create(b, op.getWeight(), from);
      memref::StoreOp::create(b, value, copied, ValueRange{b.sub(k, begin), n});
    });
  });
}

Value GemmPanels::loadWeight(Value k, const Piece &piece) {
  if (copied)
    return load(copied, {b.sub(k, copiedFrom), own(piece.column)}, piece.mask);
  SmallVector<Value> indices = at(op.getMatrixRow(), op.weightHasHeads(), k);
  indices.push_back(piece.column);
  return load(op.getWeight(), indices, piece.mask);
}

Value GemmPanels::loadExtra(unsigned number, Value row, const Piece &piece) {
  AtAttr access = op.getExtraAt(number);
  Value reached;
  if (access.getAnchor() != Anchor::All) {
    reached = getRowOfRange(op, access);
    if (!reached)
      reached = arrays.reach(b, access, op.getRows(), row);
  }
  Value column =
      access.getFeature() ? b.add(piece.column, access.getOffset()) : Value();
  SmallVector<Value> indices = at(reached, access.getHead(), column);
  Value extra = op.getExtras()[number];
  if (access.getFeature())
    return load(extra, indices, piece.mask);
  return broadcast(memref::LoadOp::create(b, extra, indices));
}

/// Computes the body on columns of a row, and stores them.
void GemmPanels::storeRow(Value row, const Piece &piece, Value sum) {
  Block &body = op.getBody().front();
  IRMapping mapping;
  mapping.map(body.getArgument(0), sum);
  for (unsigned x = 0; x < op.getExtras().size(); ++x)
    mapping.map(body.getArgument(1 + x), loadExtra(x, row, piece));
  auto widened = [&](Type type) {
    return VectorType::get({panel.width}, type);
  };
  auto widen = [&](Value value) -> Value {
    if (isa<VectorType>(value.getType()))
      return value;
    return vector::BroadcastOp::create(b, widened(value.getType()), value);
  };
  for (Operation &inner : body.without_terminator()) {
    if (isa<arith::ConstantOp>(inner)) {
      b.clone(inner, mapping);
      continue;
    }
    SmallVector<Value> operands;
    for (Value operand : inner.getOperands())
      operands.push_back(widen(mapping.lookup(operand)));
    Type type = widened(inner.getResult(0).getType());
    mapping.map(inner.getResult(0),
                mlir::clone(b, &inner, type, operands)->getResult(0));
  }
  Value result = widen(mapping.lookup(body.getTerminator()->getOperand(0)));
  AtAttr access = op.getOutputAt();
  store(result, op.getOutput(),
        at(arrays.reach(b, access, op.getRows(), row), access.getHead(),
           b.add(piece.column, access.getOffset())),
        piece.mask);
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
    inputs.push_back(
        arrays.reach(b, op.getInputAt(), op.getRows(), rows.back()));
  }
}

/// Rows that may be written over are read for all columns before.
void GemmPanels::copyRows() {
  AtAttr access = op.getInputAt();
  forEach(b.index(0), b.index(op.getIn()), 1, [&](Value k) {
    for (int64_t i = 0; i < Panel::rows; ++i) {
      Value value = memref::LoadOp::create(
          b, op.getInput(),
          at(inputs[i], access.getHead(), b.add(k, access.getOffset())));
      memref::StoreOp::create(b, value, copiedInput, ValueRange{b.index(i), k});
    }
  });
}

void GemmPanels::runPanel(ArrayRef<Piece> pieces, Value begin, Value end,
                          Value isLast) {
  AtAttr access = op.getInputAt();
  SmallVector<Value> sums;
  for (Value number : numbers)
    for (const Piece &piece : pieces)
      sums.push_back(waiting
                         ? load(waiting, {number, own(piece.column)}, Value())
                         : zero());
  sums = loop(begin, end, sums, [&](Value k, ValueRange before) {
    SmallVector<Value> left, right;
    for (const Piece &piece : pieces)
      right.push_back(loadWeight(k, piece));
    for (int64_t i = 0; i < Panel::rows; ++i)
      left.push_back(
          copiedInput
              ? memref::LoadOp::create(b, copiedInput,
                                       ValueRange{b.index(i), k})
              : memref::LoadOp::create(b, op.getInput(),
                                       at(inputs[i], access.getHead(),
                                          b.add(k, access.getOffset()))));
    return multiply(left, right, before);
  });
  auto forEachSum = [&](function_ref<void(int64_t, const Piece &, Value)> put) {
    for (int64_t i = 0; i < Panel::rows; ++i)
      where(inside[i], [&] {
        for (auto [j, piece] : llvm::enumerate(pieces))
          put(i, piece, sums[i * pieces.size() + j]);
      });
  };
  if (waiting)
    forEachSum([&](int64_t i, const Piece &piece, Value sum) {
      store(sum, waiting, {numbers[i], own(piece.column)}, Value());
    });
  // All rows are read before one is written, which may be the same.
  where(isLast, [&] {
    forEachSum([&](int64_t i, const Piece &piece, Value sum) {
      storeRow(rows[i], piece, sum);
    });
  });
}

void GemmPanels::runPanels(Value begin, Value end, Value isLast) {
  forEach(b.index(0), op.getRowCount(), Panel::rows, [&](Value first) {
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
  forEach(b.index(0), op.getRowCount(), 1, [&](Value row) {
    for (int64_t i = 0; i < columns; i += panel.width)
      store(zero(), waiting, {row, b.index(i)}, Value());
  });
  Value size = b.index(op.getIn());
  forEach(b.index(0), size, depth, [&](Value begin) {
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
