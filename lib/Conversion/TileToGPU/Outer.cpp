//===- Outer.cpp - Sums of outer products as a kernel ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block owns one piece of one type's matrix, or of one tile's, and walks the
// rows of that in order, 16 at a time: the same bits on every run, without
// atomics.
//
//===----------------------------------------------------------------------===//

#include "TileProduct.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace {
class OuterLowering {
public:
  OuterLowering(OuterOp op, Kernel &kernel, ProductLayout layout)
      : op(op), kernel(kernel), e(kernel.device),
        left(cast<MemRefType>(op.getLeft().getType())),
        right(cast<MemRefType>(op.getRight().getType())),
        product(kernel, layout, left.getElementType()) {}

  void run();

private:
  AtAttr at(unsigned i) { return cast<AtAttr>(op.getInputsAt()[i]); }
  void locate();
  void stage(unsigned side, Value row0, int64_t perThread);
  void storeRow(Value sums, int64_t i);
  int64_t heads() { return std::max<int64_t>(1, op.getHeads()); }
  SmallVector<Value> sumRows(ValueRange sums);
  SmallVector<Value> sumHeads();

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

/// Stages 16 rows of one side: thread (k, c) takes `perThread` columns.
void OuterLowering::stage(unsigned side, Value row0, int64_t perThread) {
  MemRefType type = side == 0 ? left : right;
  int64_t size = type.getShape().back();
  Value buffer = kernel.buffer(side == 0 ? op.getLeft() : op.getRight(),
                               rowsOf(at(side), op.getRows(), {}), true);
  Value k = product.depth();
  Value row = e.add(row0, k);
  Value rowInside = e.less(row, end);
  Value reached = reachRow(kernel, e, at(side), op.getRows(),
                           e.min(row, e.sub(end, e.index(1))));
  for (int64_t i = 0; i < perThread; ++i) {
    Value local = e.add(e.mul(product.side(), e.index(perThread)), e.index(i));
    Value column = e.add(side == 0 ? firstRow : firstColumn, local);
    Value inside = e.less(column, e.index(size));
    column = e.select(inside, column, e.index(0));
    if (at(side).getOffset())
      column = e.add(column, e.index(at(side).getOffset()));
    SmallVector<Value> indices{reached};
    if (at(side).getHead())
      indices.push_back(head);
    indices.push_back(column);
    Value value = e.load(buffer, indices, 1);
    value = e.select(e.both(inside, rowInside), value,
                     e.constant(value.getType(), 0));
    if (side == 0)
      product.stageLeft(value, k, local);
    else
      product.stageRight(value, k, local);
  }
}

void OuterLowering::storeRow(Value sums, int64_t i) {
  Value output = kernel.buffer(op.getOutput(), op.getGroups(), false);
  int64_t width = product.columnsPerThread();
  Value row = e.add(firstRow, product.row(i));
  Value rowInside = e.less(row, e.index(left.getShape().back()));
  for (int64_t j = 0; j < width; ++j) {
    Value column = e.add(firstColumn, e.add(product.column(), e.index(j)));
    Value inside =
        e.both(rowInside, e.less(column, e.index(right.getShape().back())));
    e.guard(inside, [&] {
      Value value = width == 1
                        ? sums
                        : vector::ExtractOp::create(e.builder, e.loc, sums, j);
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
SmallVector<Value> OuterLowering::sumRows(ValueRange sums) {
  auto loop = scf::ForOp::create(e.builder, e.loc, begin, end,
                                 e.index(ProductLayout::depth), sums);
  OpBuilder::InsertionGuard restore(e.builder);
  e.builder.setInsertionPointToEnd(loop.getBody());
  stage(0, loop.getInductionVar(), ProductLayout::rows / ProductLayout::side);
  stage(1, loop.getInductionVar(), product.columnsPerThread());
  product.barrier();
  SmallVector<Value> next = product.accumulate(loop.getRegionIterArgs());
  product.barrier();
  scf::YieldOp::create(e.builder, e.loc, next);
  return loop.getResults();
}

/// One head after the other.
SmallVector<Value> OuterLowering::sumHeads() {
  auto loop =
      scf::ForOp::create(e.builder, e.loc, e.index(0), e.index(op.getHeads()),
                         e.index(1), product.zero());
  OpBuilder::InsertionGuard restore(e.builder);
  e.builder.setInsertionPointToEnd(loop.getBody());
  head = loop.getInductionVar();
  SmallVector<Value> next = sumRows(loop.getRegionIterArgs());
  scf::YieldOp::create(e.builder, e.loc, next);
  return loop.getResults();
}

void OuterLowering::run() {
  locate();
  SmallVector<Value> sums =
      op.sumsHeads() ? sumHeads() : sumRows(product.zero());
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
