//===- GemmLoops.cpp - A gemm on a range as loops -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps through the depth; then the body on the whole tile, and its store. Rows
// past the range's end read its last row again and are not stored.
//
//===----------------------------------------------------------------------===//

#include "../Utils/Products.h"
#include "ProductLoops.h"

#include "GNN/Dialect/Tile/IR/Ranges.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

/// Rows of the input have the depth side by side.
static ProductOperand inputOperand(GemmOp op) {
  return {/*byDepth=*/true,
          getAligned(op.getInput(), op.getInputAt(), op.getIn())};
}

static ProductOperand weightOperand(GemmOp op) {
  int64_t sideBySide = op.getTransposed() ? op.getIn() : op.getOut();
  return {op.getTransposed(), sideBySide % 4 == 0 ? 4 : 1};
}

namespace {
class GemmLoops {
public:
  GemmLoops(GemmOp op, const ProductLayout &layout)
      : op(op), loops(op, op.getIndexArrays(), layout,
                      getElementTypeOrSelf(op.getInput().getType()),
                      inputOperand(op), weightOperand(op)),
        b(loops.b), body(op, b, loops.arrays) {}

  void run();

private:
  void locate();
  Value loadInput(Value k0);
  Value loadWeight(Value k0);
  Value addStep(Value sums, Value k0);
  Value sumDepth();
  Value loadExtra(unsigned number);
  Value reach(AtAttr at);
  void store(Value tile);

  GemmOp op;
  ProductLoops loops;
  IndexBuilder &b;
  GemmBody body;
  ProductLoops::ClampedRows rows;                // of the range
  Value inputRows;                               // of the input
  llvm::SmallDenseMap<Attribute, Value> reached; // by the space
};
} // namespace

void GemmLoops::locate() {
  Value last = b.sub(b.add(op.getFirstRow(), op.getRowCount()), b.index(1));
  rows = loops.rowsFrom(op.getFirstRow(), ProductLayout::rows, last);
  inputRows = reach(op.getInputAt()); // in front of the loop
  if (isInWorkgroup(op.getInput()))   // those of the range alone
    inputRows =
        b.sub(inputRows, b.splat(op.getFirstRow(), ProductLayout::rows));
}

Value GemmLoops::loadInput(Value k0) {
  AtAttr at = op.getInputAt();
  return LoadRowsOp::create(
      b, loops.loadedType(loops.left), op.getInput(),
      body.indices(at, inputRows, k0), Value(),
      loops.columnsBelow(op.getIn(), loops.layout.depth, at.getOffset()),
      loops.left.operand.aligned);
}

Value GemmLoops::loadWeight(Value k0) {
  // Whether the depth or the columns are rows of the weight; the others lie
  // side by side.
  Value first = k0, other = op.getFirstColumn();
  int64_t count = loops.layout.depth, size = op.getIn();
  int64_t otherCount = loops.layout.columns, otherSize = op.getOut();
  if (op.getTransposed()) {
    std::swap(first, other);
    std::swap(count, otherCount);
    std::swap(size, otherSize);
  }
  ProductLoops::ClampedRows weightRows = loops.rowsFrom(first, count, size);
  first = weightRows.clamped;
  if (op.getTransposed())
    std::swap(first, other);
  return LoadRowsOp::create(
      b, loops.loadedType(loops.right), op.getWeight(),
      body.indicesOfWeight(first, other), weightRows.inside,
      loops.columnsBelow(otherSize, otherCount), loops.right.operand.aligned);
}

Value GemmLoops::addStep(Value sums, Value k0) {
  Value input = loadInput(k0), weight = loadWeight(k0);
  return loops.multiply(sums, input, weight);
}

Value GemmLoops::sumDepth() {
  int64_t depth = loops.layout.depth;
  Value zero = loops.constant({ProductLayout::rows, loops.layout.columns}, 0),
        k0 = b.index(0);
  if (op.getIn() <= depth)
    return addStep(zero, k0);
  return b
      .loop(k0, b.index(op.getIn()), b.index(depth), zero,
            [&](Value k0, ValueRange sums) {
              return SmallVector<Value>{addStep(sums[0], k0)};
            })
      .front();
}

/// The rows that those of the range lead to.
Value GemmLoops::reach(AtAttr at) {
  Value &found = reached[RowDomainAttr::get(b.getContext(), at.getSpace())];
  if (!found)
    found = body.reach(at, rows.clamped);
  return found;
}

/// The vector of an extra at all rows and columns of the tile.
Value GemmLoops::loadExtra(unsigned number) {
  constexpr int64_t tileRows = ProductLayout::rows;
  int64_t columns = loops.layout.columns;
  AtAttr at = op.getExtraAt(number);
  Value extra = op.getExtras()[number];
  Value row = body.rowOfExtra(at, [&] { return reach(at); });
  Type element = getElementTypeOrSelf(extra);
  bool isByRow = row && isa<VectorType>(row.getType());
  SmallVector<Value> indices = body.indices(at, row, op.getFirstColumn());
  auto tile = VectorType::get({tileRows, columns}, element);
  if (!isByRow && !at.getFeature())
    return vector::BroadcastOp::create(
        b, tile, memref::LoadOp::create(b, extra, indices));
  SmallVector<int64_t> shape;
  if (isByRow)
    shape.push_back(tileRows);
  if (at.getFeature())
    shape.push_back(columns);
  Value loaded = LoadRowsOp::create(
      b, VectorType::get(shape, element), extra, indices,
      isByRow ? rows.inside : Value(),
      at.getFeature() ? loops.columnsBelow(op.getOut(), columns, at.getOffset())
                      : IntegerAttr(),
      at.getFeature() ? getAligned(extra, at, op.getOut()) : 1);
  if (!at.getFeature())
    loaded = vector::ShapeCastOp::create(
        b, VectorType::get({tileRows, 1}, element), loaded);
  return loaded.getType() == tile
             ? loaded
             : vector::BroadcastOp::create(b, tile, loaded);
}

void GemmLoops::store(Value tile) {
  AtAttr at = op.getOutputAt();
  StoreRowsOp::create(
      b, tile, op.getOutput(), body.indices(at, reach(at), op.getFirstColumn()),
      rows.inside,
      loops.columnsBelow(op.getOut(), loops.layout.columns, at.getOffset()),
      getAligned(op.getOutput(), at, op.getOut()), loops.sumsSpread());
}

void GemmLoops::run() {
  locate();
  store(body.evaluate(sumDepth(),
                      [&](unsigned number) { return loadExtra(number); }));
}

void gnn::tile::lowerToLoops(GemmOp op, const ProductLayout &layout) {
  GemmLoops(op, layout).run();
}
