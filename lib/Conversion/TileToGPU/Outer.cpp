//===- Outer.cpp - Sums of outer products as a kernel ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block owns one piece of one type's matrix, or of one tile's, and walks the
// rows of that in order, some at a time: the same bits on every run, without
// atomics.
//
//===----------------------------------------------------------------------===//

#include "TileProduct.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

/// Rows of both sides have their columns side by side.
static ProductOperand operand(OuterOp op, unsigned side) {
  auto type =
      cast<MemRefType>((side == 0 ? op.getLeft() : op.getRight()).getType());
  return {/*byDepth=*/false,
          type.getShape().back() % 4 == 0 &&
              cast<AtAttr>(op.getInputsAt()[side]).getOffset() % 4 == 0};
}

namespace {
class OuterLowering {
public:
  OuterLowering(OuterOp op, Kernel &kernel, ProductLayout layout)
      : op(op), kernel(kernel), e(kernel.device),
        left(cast<MemRefType>(op.getLeft().getType())),
        right(cast<MemRefType>(op.getRight().getType())),
        product(kernel, layout, left.getElementType(), operand(op, 0),
                operand(op, 1)) {}

  void run();

private:
  AtAttr at(unsigned i) { return cast<AtAttr>(op.getInputsAt()[i]); }
  void locate();
  Value load(unsigned side, const ProductPiece &piece, Value row0);
  void storeRow(Value sums, int64_t i);
  int64_t heads() { return std::max<int64_t>(1, op.getHeads()); }
  SmallVector<Value> sumAll(ValueRange sums);
  SmallVector<Value> sumRows(ValueRange sums);
  SmallVector<Value> sumHeads();
  void storeSums(Value value);

  OuterOp op;
  Kernel &kernel;
  Emitter &e;
  MemRefType left, right;
  TileProduct product;
  Value type, begin, end, firstRow, firstColumn, head;
};
} // namespace

void OuterLowering::locate() {
  type = kernel.blockId(gpu::Dimension::x);
  if (op.getTypes() && op.getTypes()->isFixed()) {
    int64_t perType = op.getTypes()->getCount();
    begin = e.mul(type, e.index(perType));
    end = e.add(begin, e.index(perType));
  } else if (op.getTypes()) {
    std::tie(begin, end) =
        reachElements(kernel, e, *op.getTypes(), op.getRows(), type);
  } else {
    begin = e.index(0);
    end = kernel.rows(op.getRows());
  }
  int64_t columnTiles =
      llvm::divideCeil(right.getShape().back(), product.columns());
  Value tile = kernel.blockId(gpu::Dimension::y);
  SmallVector<Value> place = e.delinearize(tile, {columnTiles});
  firstRow = e.mul(place[0], e.index(ProductLayout::rows));
  firstColumn = e.mul(place[1], e.index(product.columns()));
  if (op.getHeads() && !op.sumsHeads())
    head = kernel.blockId(gpu::Dimension::z);
}

/// Columns of a row of one side that lie side by side; 0 past the last row.
Value OuterLowering::load(unsigned side, const ProductPiece &piece,
                          Value row0) {
  int64_t size = (side == 0 ? left : right).getShape().back();
  Value buffer = kernel.buffer(side == 0 ? op.getLeft() : op.getRight(),
                               rowsOf(at(side), op.getRows(), {}), true);
  Value row = e.add(row0, piece.depth);
  Value inside = e.less(row, end);
  Value reached = reachRow(kernel, e, at(side), op.getRows(),
                           e.min(row, e.sub(end, e.index(1))));
  Value column = e.add(side == 0 ? firstRow : firstColumn, piece.across);
  int64_t tile = side == 0 ? ProductLayout::rows : product.columns();
  if (size % tile) {
    Value columnInside = e.less(column, e.index(size));
    column = e.select(columnInside, column, e.index(0));
    inside = e.both(inside, columnInside);
  }
  if (at(side).getOffset())
    column = e.add(column, e.index(at(side).getOffset()));
  SmallVector<Value> indices{reached};
  if (at(side).getHead())
    indices.push_back(head);
  indices.push_back(column);
  Value value = e.load(buffer, indices, piece.width);
  return e.select(inside, value, e.constant(value.getType(), 0));
}

void OuterLowering::storeRow(Value sums, int64_t i) {
  Value output = kernel.buffer(op.getOutput(), op.getGroups(), false);
  int64_t in = left.getShape().back(), out = right.getShape().back();
  int64_t width = ProductLayout::columnsPerThread;
  bool whole = out % width == 0;
  Value row = e.add(firstRow, product.row(i));
  Value rowInside =
      in % ProductLayout::rows ? e.less(row, e.index(in)) : Value();
  for (int64_t j = 0; j < width; j += whole ? width : 1) {
    Value column = e.add(firstColumn, e.add(product.column(), e.index(j)));
    Value inside = out % product.columns()
                       ? e.both(rowInside, e.less(column, e.index(out)))
                       : rowInside;
    e.guard(inside, [&] {
      Value value =
          whole ? sums : vector::ExtractOp::create(e.builder, e.loc, sums, j);
      SmallVector<Value> indices;
      if (op.getTypes())
        indices.push_back(type);
      if (head && !op.sumsHeads())
        indices.push_back(head);
      indices.append({row, column});
      e.store(value, output, indices);
    });
  }
}

/// Adds the products of all rows of the type, of one head.
SmallVector<Value> OuterLowering::sumAll(ValueRange sums) {
  auto loadStep = [&](Value row0) {
    SmallVector<Value> values;
    for (const ProductPiece &piece : product.leftPieces())
      values.push_back(load(0, piece, row0));
    for (const ProductPiece &piece : product.rightPieces())
      values.push_back(load(1, piece, row0));
    return values;
  };
  // All right pieces of a thread have the same columns.
  auto addRight = [&](SmallVectorImpl<Value> &sums, ValueRange loaded) {
    if (op.getSums())
      for (Value value : loaded.take_back(product.rightPieces().size()))
        sums.back() =
            arith::AddFOp::create(e.builder, e.loc, sums.back(), value);
  };
  return product.sum(sums, begin, end, loadStep, addRight);
}

/// A type may have no rows.
SmallVector<Value> OuterLowering::sumRows(ValueRange sums) {
  auto some = scf::IfOp::create(e.builder, e.loc, sums.getTypes(),
                                e.less(begin, end), /*withElseRegion=*/true);
  OpBuilder::InsertionGuard restore(e.builder);
  e.builder.setInsertionPointToStart(some.thenBlock());
  scf::YieldOp::create(e.builder, e.loc, sumAll(sums));
  e.builder.setInsertionPointToStart(some.elseBlock());
  scf::YieldOp::create(e.builder, e.loc, sums);
  return some.getResults();
}

/// One head after the other.
SmallVector<Value> OuterLowering::sumHeads() {
  auto loop =
      scf::ForOp::create(e.builder, e.loc, e.index(0), e.index(op.getHeads()),
                         e.index(1), product.zero());
  OpBuilder::InsertionGuard restore(e.builder);
  e.builder.setInsertionPointToEnd(loop.getBody());
  head = loop.getInductionVar();
  product.barrier(); // the tiles of the head before have been read
  SmallVector<Value> next = sumRows(loop.getRegionIterArgs());
  scf::YieldOp::create(e.builder, e.loc, next);
  return loop.getResults();
}

/// Of the blocks that read the same columns, those of the first rows of the
/// matrix store what these add up to.
void OuterLowering::storeSums(Value value) {
  int64_t out = right.getShape().back();
  Value sums = kernel.buffer(op.getSums(), op.getGroups(), false);
  Value sum = product.sumOverThreads(value);
  Value thread = product.getThread();
  Value column = e.add(firstColumn, thread);
  Value inside = e.both(e.less(thread, e.index(product.columns())),
                        e.less(column, e.index(out)));
  if (left.getShape().back() > ProductLayout::rows)
    inside = e.both(inside, e.less(firstRow, e.index(1)));
  e.guard(inside, [&] {
    SmallVector<Value> indices{column};
    if (op.getTypes())
      indices.insert(indices.begin(), type);
    e.store(sum, sums, indices);
  });
}

void OuterLowering::run() {
  locate();
  SmallVector<Value> zero = product.zero();
  if (op.getSums()) {
    Type type = right.getElementType();
    if (int64_t width = product.rightPieces().front().width; width > 1)
      type = VectorType::get({width}, type);
    zero.push_back(e.constant(type, 0));
  }
  SmallVector<Value> sums = op.sumsHeads() ? sumHeads() : sumRows(zero);
  if (op.getSums())
    storeSums(sums.pop_back_val());
  for (auto [i, sum] : llvm::enumerate(sums))
    storeRow(sum, i);

  Emitter &host = kernel.host;
  int64_t in = left.getShape().back(), out = right.getShape().back();
  Value types = host.index(1);
  if (op.getTypes() && op.getTypes()->isTiles())
    types = kernel.hostRows(*op.getTypes());
  else if (op.getTypes())
    types =
        host.index(cast<ShapedType>(op.getOutput().getType()).getDimSize(0));
  kernel.launch(types,
                host.index(llvm::divideCeil(in, ProductLayout::rows) *
                           llvm::divideCeil(out, product.columns())),
                host.index(op.sumsHeads() ? 1 : heads()),
                ProductLayout::threads);
}

LogicalResult gnn::tile::lowerOuter(OuterOp op, Kernel &kernel) {
  FailureOr<ProductLayout> layout = getLayout(op);
  if (failed(layout))
    return failure();
  OuterLowering(op, kernel, *layout).run();
  return success();
}
