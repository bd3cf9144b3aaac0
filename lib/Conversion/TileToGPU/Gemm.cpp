//===- Gemm.cpp - A product of rows and typed weights as a kernel ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block takes one tile of rows of one type (grid.x walks the tile list that
// is made when the graph is bound), one tile of columns (grid.y) and one head
// (grid.z). Rows past the tile's end read its last row again and are not
// stored.
//
//===----------------------------------------------------------------------===//

#include "TileProduct.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

/// Rows of the input have the depth side by side.
static ProductOperand inputOperand(GemmOp op) {
  auto type = cast<MemRefType>(op.getInput().getType());
  return {/*byDepth=*/true, type.getShape().back() % 4 == 0 &&
                                op.getInputAt().getOffset() % 4 == 0 &&
                                op.getIn() % 4 == 0};
}

static ProductOperand weightOperand(GemmOp op) {
  return {op.getTransposed(),
          (op.getTransposed() ? op.getIn() : op.getOut()) % 4 == 0};
}

namespace {
class GemmLowering {
public:
  GemmLowering(GemmOp op, Kernel &kernel, ProductLayout layout)
      : op(op), kernel(kernel), e(kernel.device),
        element(cast<MemRefType>(op.getInput().getType()).getElementType()),
        product(kernel, layout, element, inputOperand(op), weightOperand(op)) {}

  void run();

private:
  void locateTile();
  Value loadInput(const ProductPiece &piece, Value row, Value k0);
  Value loadWeight(const ProductPiece &piece, Value k0);
  Value depthInside(Value k);
  void storeRow(Value sums, int64_t i);
  SmallVector<Value> withHead(Value row, bool hasHead, Value column);
  Value loadExtra(unsigned number, Value row, Value column, int64_t width);

  GemmOp op;
  Kernel &kernel;
  Emitter &e;
  Type element;
  TileProduct product;
  Value type, begin, end, firstColumn, head;
  Value weightRow;              // of the weight that the type has
  SmallVector<Value> inputRows; // that this thread loads, one a piece
};
} // namespace

void GemmLowering::locateTile() {
  Value tile = kernel.blockId(gpu::Dimension::x);
  int64_t rows = ProductLayout::rows;
  if (op.getTypes() && op.getTypes()->isFixed()) {
    int64_t perType = op.getTypes()->getCount();
    SmallVector<Value> place = e.delinearize(
        tile, {static_cast<int64_t>(llvm::divideCeil(perType, rows))});
    type = place[0];
    Value first = e.mul(type, e.index(perType));
    begin = e.add(first, e.mul(place[1], e.index(rows)));
    end = e.min(e.add(begin, e.index(rows)), e.add(first, e.index(perType)));
  } else if (op.getTypes()) {
    Value tiles = kernel.structure(StructureKey::tiles(
        op.getTypes()->get().space, op.getRows().get(), rows));
    Value at = e.mul(tile, e.index(3));
    type = e.loadIndex(tiles, at);
    begin = e.loadIndex(tiles, e.add(at, e.index(1)));
    end = e.loadIndex(tiles, e.add(at, e.index(2)));
  } else {
    begin = e.mul(tile, e.index(rows));
    end = e.min(e.add(begin, e.index(rows)), kernel.rows(op.getRows()));
  }
  weightRow =
      op.getWeights()
          ? e.loadIndex(kernel.structure(StructureKey::map(
                            op.getTypes()->get(), op.getWeights()->get())),
                        type)
          : type;
  firstColumn =
      e.mul(kernel.blockId(gpu::Dimension::y), e.index(product.columns()));
  head =
      op.getOutputAt().getHead() ? kernel.blockId(gpu::Dimension::z) : Value();
  for (const ProductPiece &piece : product.leftPieces())
    inputRows.push_back(
        reachRow(kernel, e, op.getInputAt(), op.getRows(),
                 e.min(e.add(begin, piece.across), e.sub(end, e.index(1)))));
}

SmallVector<Value> GemmLowering::withHead(Value row, bool hasHead,
                                          Value column) {
  SmallVector<Value> indices;
  if (row)
    indices.push_back(row);
  if (hasHead)
    indices.push_back(head);
  if (column)
    indices.push_back(column);
  return indices;
}

/// Whether `k` is inside the depth; null where it always is.
Value GemmLowering::depthInside(Value k) {
  return op.getIn() % product.depth() ? e.less(k, e.index(op.getIn()))
                                      : Value();
}

Value GemmLowering::loadInput(const ProductPiece &piece, Value row, Value k0) {
  AtAttr at = op.getInputAt();
  Value input =
      kernel.buffer(op.getInput(), rowsOf(at, op.getRows(), {}), true);
  Value k = e.add(k0, piece.depth);
  Value inside = depthInside(k);
  Value safe = inside ? e.select(inside, k, e.index(0)) : k;
  if (at.getOffset())
    safe = e.add(safe, e.index(at.getOffset()));
  Value value = e.load(input, withHead(row, at.getHead(), safe), piece.width);
  return inside ? e.select(inside, value, e.constant(value.getType(), 0))
                : value;
}

Value GemmLowering::loadWeight(const ProductPiece &piece, Value k0) {
  int64_t out = op.getOut();
  Value weight = kernel.buffer(op.getWeight(), {}, true);
  Value k = e.add(k0, piece.depth), n = e.add(firstColumn, piece.across);
  Value kInside = depthInside(k);
  Value nInside = out % product.columns() ? e.less(n, e.index(out)) : Value();
  if (kInside)
    k = e.select(kInside, k, e.index(0));
  if (nInside)
    n = e.select(nInside, n, e.index(0));
  SmallVector<Value> indices;
  if (weightRow)
    indices.push_back(weightRow);
  if (op.weightHasHeads())
    indices.push_back(head);
  indices.push_back(op.getTransposed() ? n : k);
  indices.push_back(op.getTransposed() ? k : n);
  Value value = e.load(weight, indices, piece.width);
  Value inside = e.both(kInside, nInside);
  return inside ? e.select(inside, value, e.constant(value.getType(), 0))
                : value;
}

Value GemmLowering::loadExtra(unsigned number, Value row, Value column,
                              int64_t width) {
  AtAttr at = op.getExtraAt(number);
  Value extra =
      kernel.buffer(op.getExtras()[number], rowsOf(at, op.getRows(), {}), true);
  Value reached;
  if (at.getAnchor() != Anchor::All)
    reached = type && at.getSpace() == *op.getTypes() ? type
              : weightRow && at.getSpace() == op.getWeights()
                  ? weightRow
                  : reachRow(kernel, e, at, op.getRows(), row);
  Value at0 = at.getFeature() ? column : Value();
  if (at0 && at.getOffset())
    at0 = e.add(at0, e.index(at.getOffset()));
  SmallVector<Value> indices = withHead(reached, at.getHead(), at0);
  if (!at.getFeature() || width == 1) {
    Value value = e.load(extra, indices, 1);
    if (width == 1)
      return value;
    return vector::BroadcastOp::create(
        e.builder, e.loc, VectorType::get({width}, value.getType()), value);
  }
  int64_t size = cast<MemRefType>(extra.getType()).getShape().back();
  if (size % width == 0 && at.getOffset() % width == 0)
    return e.load(extra, indices, width);
  SmallVector<Value> parts;
  for (int64_t i = 0; i < width; ++i) {
    indices.back() = e.add(at0, e.index(i));
    parts.push_back(e.load(extra, indices, 1));
  }
  return vector::FromElementsOp::create(
      e.builder, e.loc, VectorType::get({width}, parts[0].getType()), parts);
}

/// Runs the epilogue on the thread's columns of one row and stores them.
void GemmLowering::storeRow(Value sums, int64_t i) {
  int64_t width = ProductLayout::columnsPerThread, out = op.getOut();
  AtAttr at = op.getOutputAt();
  auto outputType = cast<MemRefType>(op.getOutput().getType());
  bool whole = out % width == 0 && outputType.getShape().back() % width == 0 &&
               at.getOffset() % width == 0;
  Value output =
      kernel.buffer(op.getOutput(), rowsOf(at, op.getRows(), {}), false);
  Value row = e.add(begin, product.row(i));
  Value rowInside = e.less(row, end);
  for (int64_t j = 0; j < width; j += whole ? width : 1) {
    Value column = e.add(firstColumn, e.add(product.column(), e.index(j)));
    Value inside = out % product.columns()
                       ? e.both(rowInside, e.less(column, e.index(out)))
                       : rowInside;
    e.guard(inside, [&] {
      Value value =
          whole ? sums : vector::ExtractOp::create(e.builder, e.loc, sums, j);
      int64_t count = whole ? width : 1;
      IRMapping mapping;
      Block &body = op.getBody().front();
      mapping.map(body.getArgument(0), value);
      for (unsigned x = 0; x < op.getExtras().size(); ++x)
        mapping.map(body.getArgument(1 + x), loadExtra(x, row, column, count));
      Value result = emitEpilogue(e, body, mapping, count);
      Value reached = reachRow(kernel, e, at, op.getRows(), row);
      Value at0 =
          at.getOffset() ? e.add(column, e.index(at.getOffset())) : column;
      e.store(result, output, withHead(reached, at.getHead(), at0));
    });
  }
}

void GemmLowering::run() {
  locateTile();
  auto load = [&](Value k0) {
    SmallVector<Value> values;
    for (auto [piece, row] : llvm::zip_equal(product.leftPieces(), inputRows))
      values.push_back(loadInput(piece, row, k0));
    for (const ProductPiece &piece : product.rightPieces())
      values.push_back(loadWeight(piece, k0));
    return values;
  };
  SmallVector<Value> sums =
      product.sum(product.zero(), e.index(0), e.index(op.getIn()), load);
  for (auto [i, sum] : llvm::enumerate(sums))
    storeRow(sum, i);

  Emitter &host = kernel.host;
  Value rows = kernel.hostRows(op.getRows());
  Value tiles = host.ceilDiv(rows, ProductLayout::rows);
  if (op.getTypes() && op.getTypes()->isFixed()) {
    int64_t perType = op.getTypes()->getCount();
    tiles = host.index(op.getRows().getCount() / perType *
                       llvm::divideCeil(perType, ProductLayout::rows));
  } else if (op.getTypes()) {
    tiles = kernel.hostCount(CountKey::tileCount(
        op.getTypes()->get().space, op.getRows().get(), ProductLayout::rows));
  }
  kernel.launch(tiles,
                host.index(llvm::divideCeil(op.getOut(), product.columns())),
                host.index(op.getHeads()), ProductLayout::threads);
}

LogicalResult gnn::tile::lowerGemm(GemmOp op, Kernel &kernel) {
  FailureOr<ProductLayout> layout = getLayout(op);
  if (failed(layout))
    return failure();
  GemmLowering(op, kernel, *layout).run();
  return success();
}
