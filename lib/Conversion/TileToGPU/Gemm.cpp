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

namespace {
class GemmLowering {
public:
  GemmLowering(GemmOp op, Kernel &kernel, ProductLayout layout)
      : op(op), kernel(kernel), e(kernel.device),
        element(cast<MemRefType>(op.getInput().getType()).getElementType()),
        product(kernel, layout, element) {}

  void run();

private:
  void locateTile();
  void stageInput(Value k0);
  void stageWeight(Value k0);
  Value loadWeight(Value k, Value n);
  void storeRow(Value sums, int64_t i);
  SmallVector<Value> withHead(Value row, bool hasHead, Value column);
  Value loadExtra(unsigned number, Value row, Value column, int64_t width);

  GemmOp op;
  Kernel &kernel;
  Emitter &e;
  Type element;
  TileProduct product;
  Value type, begin, end, firstColumn, head;
  Value weightRow; // of the weight that the type has
  Value inputRow;  // the row that this thread stages ...
  Value tileRow;   // ... as which row of the tile ...
  Value tileDepth; // ... from which of its 16 inputs on
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
  // 4 threads stage the 16 inputs of a row.
  SmallVector<Value> place = e.delinearize(product.thread, {4});
  tileRow = place[0];
  tileDepth = e.mul(place[1], e.index(4));
  Value row = e.add(begin, tileRow);
  inputRow = reachRow(kernel, e, op.getInputAt(), op.getRows(),
                      e.min(row, e.sub(end, e.index(1))));
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

void GemmLowering::stageInput(Value k0) {
  AtAttr at = op.getInputAt();
  Value input =
      kernel.buffer(op.getInput(), rowsOf(at, op.getRows(), {}), true);
  int64_t in = op.getIn();
  auto inputType = cast<MemRefType>(op.getInput().getType());
  int64_t width = inputType.getShape().back() % 4 == 0 &&
                          at.getOffset() % 4 == 0 && in % 4 == 0
                      ? 4
                      : 1;
  for (int64_t i = 0; i < 4; i += width) {
    Value localK = e.add(tileDepth, e.index(i));
    Value k = e.add(k0, localK);
    Value inside = in % ProductLayout::depth ? e.less(k, e.index(in)) : Value();
    Value safe = inside ? e.select(inside, k, e.index(0)) : k;
    if (at.getOffset())
      safe = e.add(safe, e.index(at.getOffset()));
    Value value = e.load(input, withHead(inputRow, at.getHead(), safe), width);
    if (inside)
      value = e.select(inside, value, e.constant(value.getType(), 0));
    for (int64_t j = 0; j < width; ++j) {
      Value part = width == 1
                       ? value
                       : vector::ExtractOp::create(e.builder, e.loc, value, j);
      product.stageLeft(part, e.add(localK, e.index(j)), tileRow);
    }
  }
}

Value GemmLowering::loadWeight(Value k, Value n) {
  Value weight = kernel.buffer(op.getWeight(), {}, true);
  SmallVector<Value> indices;
  if (weightRow)
    indices.push_back(weightRow);
  if (op.weightHasHeads())
    indices.push_back(head);
  indices.push_back(op.getTransposed() ? n : k);
  indices.push_back(op.getTransposed() ? k : n);
  int64_t width = product.columnsPerThread();
  if (op.getTransposed() || op.getOut() % width)
    width = 1;
  return e.load(weight, indices, width);
}

void GemmLowering::stageWeight(Value k0) {
  int64_t width = product.columnsPerThread(), out = op.getOut();
  bool whole = !op.getTransposed() && out % width == 0;
  Value localK = product.depth();
  Value k = e.add(k0, localK);
  Value kInside = op.getIn() % ProductLayout::depth
                      ? e.less(k, e.index(op.getIn()))
                      : Value();
  Value safeK = kInside ? e.select(kInside, k, e.index(0)) : k;
  for (int64_t i = 0; i < width; i += whole ? width : 1) {
    Value localN = e.add(product.column(), e.index(i));
    Value n = e.add(firstColumn, localN);
    Value inside = out % product.columns() ? e.less(n, e.index(out)) : Value();
    Value safeN = inside ? e.select(inside, n, e.index(0)) : n;
    Value value = loadWeight(safeK, safeN);
    if (Value both = e.both(inside, kInside))
      value = e.select(both, value, e.constant(value.getType(), 0));
    product.stageRight(value, localK, localN);
  }
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
  SmallVector<Value> parts; // rows of an extra need not be aligned
  for (int64_t i = 0; i < width; ++i) {
    indices.back() = e.add(at0, e.index(i));
    parts.push_back(e.load(extra, indices, 1));
  }
  return vector::FromElementsOp::create(
      e.builder, e.loc, VectorType::get({width}, parts[0].getType()), parts);
}

/// Runs the epilogue on the thread's columns of one row and stores them.
void GemmLowering::storeRow(Value sums, int64_t i) {
  int64_t width = product.columnsPerThread(), out = op.getOut();
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
      Value value = whole || width == 1
                        ? sums
                        : vector::ExtractOp::create(e.builder, e.loc, sums, j);
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
  auto loop =
      scf::ForOp::create(e.builder, e.loc, e.index(0), e.index(op.getIn()),
                         e.index(ProductLayout::depth), product.zero());
  {
    OpBuilder::InsertionGuard restore(e.builder);
    e.builder.setInsertionPointToEnd(loop.getBody());
    stageInput(loop.getInductionVar());
    stageWeight(loop.getInductionVar());
    product.barrier();
    SmallVector<Value> sums = product.accumulate(loop.getRegionIterArgs());
    product.barrier();
    scf::YieldOp::create(e.builder, e.loc, sums);
  }
  for (int64_t i = 0; i < static_cast<int64_t>(loop.getNumResults()); ++i)
    storeRow(loop.getResult(i), i);

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
