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
        b(loops.b) {}

  void run();

private:
  void locate();
  /// The head of the range, if an operand has heads.
  Value headOf(bool hasHead) { return hasHead ? op.getHead() : Value(); }
  Value loadInput(Value k0);
  Value loadWeight(Value k0);
  Value addStep(Value sums, Value k0);
  Value sumDepth();
  Value loadExtra(unsigned number);
  Value widen(Value value);
  Value emitBody(Value sums);
  Value reach(AtAttr at);
  void store(Value tile);

  GemmOp op;
  ProductLoops loops;
  IndexBuilder &b;
  ProductLoops::Rows rows;                       // of the range
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
      getIndices(inputRows, headOf(at.getHead()), b.add(k0, at.getOffset())),
      Value(),
      loops.columnsBelow(op.getIn(), loops.layout.depth, at.getOffset()),
      loops.left.operand.aligned);
}

Value GemmLoops::loadWeight(Value k0) {
  // Of the depth and the columns, which are rows of the weight, and which are
  // side by side.
  Value first = k0, other = op.getFirstColumn();
  int64_t count = loops.layout.depth, size = op.getIn();
  int64_t otherCount = loops.layout.columns, otherSize = op.getOut();
  if (op.getTransposed()) {
    std::swap(first, other);
    std::swap(count, otherCount);
    std::swap(size, otherSize);
  }
  ProductLoops::Rows weightRows = loops.rowsFrom(first, count, size);
  SmallVector<Value> indices = getIndices(
      op.getMatrixRow(), headOf(op.weightHasHeads()), weightRows.clamped);
  indices.push_back(other);
  return LoadRowsOp::create(b, loops.loadedType(loops.right), op.getWeight(),
                            indices, weightRows.inside,
                            loops.columnsBelow(otherSize, otherCount),
                            loops.right.operand.aligned);
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
  auto loop =
      scf::ForOp::create(b, k0, b.index(op.getIn()), b.index(depth), zero);
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPointToEnd(loop.getBody());
  Value next = addStep(loop.getRegionIterArg(0), loop.getInductionVar());
  scf::YieldOp::create(b, next);
  return loop.getResult(0);
}

/// The rows that those of the range lead to.
Value GemmLoops::reach(AtAttr at) {
  Value &found = reached[RowDomainAttr::get(b.getContext(), at.getSpace())];
  if (!found)
    found = loops.arrays.reach(b, at, op.getRows(), rows.clamped);
  return found;
}

/// The vector of an extra at all rows and columns of the tile.
Value GemmLoops::loadExtra(unsigned number) {
  constexpr int64_t tileRows = ProductLayout::rows;
  int64_t columns = loops.layout.columns;
  AtAttr at = op.getExtraAt(number);
  Value extra = op.getExtras()[number], row;
  if (at.getAnchor() != Anchor::All) {
    row = getRowOfRange(op, at);
    if (!row)
      row = reach(at);
  }
  auto type = cast<MemRefType>(extra.getType());
  bool isByRow = row && isa<VectorType>(row.getType());
  Value column =
      at.getFeature() ? b.add(op.getFirstColumn(), at.getOffset()) : Value();
  SmallVector<Value> indices = getIndices(row, headOf(at.getHead()), column);
  if (!isByRow && !column)
    return widen(memref::LoadOp::create(b, extra, indices));
  SmallVector<int64_t> shape;
  if (isByRow)
    shape.push_back(tileRows);
  if (column)
    shape.push_back(columns);
  return widen(LoadRowsOp::create(
      b, VectorType::get(shape, type.getElementType()), extra, indices,
      isByRow ? rows.inside : Value(),
      column ? loops.columnsBelow(op.getOut(), columns, at.getOffset())
             : IntegerAttr(),
      column ? getAligned(extra, at, op.getOut()) : 1));
}

/// A scalar, or a vector of rows or of columns, at all of the tile.
Value GemmLoops::widen(Value value) {
  constexpr int64_t tileRows = ProductLayout::rows;
  auto tile = VectorType::get({tileRows, loops.layout.columns},
                              getElementTypeOrSelf(value.getType()));
  auto type = dyn_cast<VectorType>(value.getType());
  if (type == tile)
    return value;
  bool isOfRows = value.getDefiningOp<LoadRowsOp>() &&
                  !value.getDefiningOp<LoadRowsOp>().hasColumns();
  if (type && isOfRows)
    value = vector::ShapeCastOp::create(
        b, VectorType::get({tileRows, 1}, type.getElementType()), value);
  return vector::BroadcastOp::create(b, tile, value);
}

/// The body on the whole tile.
Value GemmLoops::emitBody(Value sums) {
  Block &body = op.getBody().front();
  IRMapping mapping;
  mapping.map(body.getArgument(0), sums);
  for (unsigned i = 0; i < op.getExtras().size(); ++i)
    if (!body.getArgument(1 + i).use_empty())
      mapping.map(body.getArgument(1 + i), loadExtra(i));
  ArrayRef<int64_t> shape = cast<VectorType>(sums.getType()).getShape();
  for (Operation &inner : body.without_terminator()) {
    auto type = VectorType::get(shape, inner.getResult(0).getType());
    if (auto constant = dyn_cast<arith::ConstantOp>(inner)) {
      auto splat = DenseElementsAttr::get(type, Attribute(constant.getValue()));
      mapping.map(constant, arith::ConstantOp::create(b, splat).getResult());
      continue;
    }
    SmallVector<Value> operands;
    for (Value operand : inner.getOperands())
      operands.push_back(mapping.lookup(operand));
    mapping.map(inner.getResult(0),
                mlir::clone(b, &inner, type, operands)->getResult(0));
  }
  return mapping.lookup(body.getTerminator()->getOperand(0));
}

void GemmLoops::store(Value tile) {
  AtAttr at = op.getOutputAt();
  Value column = b.add(op.getFirstColumn(), at.getOffset());
  StoreRowsOp::create(
      b, tile, op.getOutput(),
      getIndices(reach(at), headOf(at.getHead()), column), rows.inside,
      loops.columnsBelow(op.getOut(), loops.layout.columns, at.getOffset()),
      getAligned(op.getOutput(), at, op.getOut()), loops.sumsSpread());
}

void GemmLoops::run() {
  locate();
  Value sums = sumDepth();
  store(emitBody(sums));
}

void gnn::tile::lowerToLoops(GemmOp op, const ProductLayout &layout) {
  GemmLoops(op, layout).run();
}
