//===- TileProduct.cpp - Shared-memory tiles of a product -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Staging and the inner product.
//
//===----------------------------------------------------------------------===//

#include "TileProduct.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

/// Steps of the summed dimension that are written one after the other.
static constexpr int64_t unrolled = 16;

TileProduct::TileProduct(Kernel &kernel, ProductLayout layout, Type element,
                         ProductOperand left, ProductOperand right)
    : e(kernel.device), layout(layout), element(element),
      thread(kernel.threadId()) {
  SmallVector<Value> place = e.delinearize(thread, {layout.threadsPerRow()});
  this->left = makeSide(kernel, element, left, layout.rows,
                        e.mul(place[0], e.index(layout.rowsPerThread())));
  this->right = makeSide(kernel, element, right, layout.columns,
                         e.mul(place[1], e.index(layout.columnsPerThread)));
}

TileProduct::Side TileProduct::makeSide(Kernel &kernel, Type element,
                                        ProductOperand operand, int64_t extent,
                                        Value first) {
  Side side;
  side.extent = extent;
  side.byDepth = operand.byDepth;
  side.buffer =
      kernel.shared({(layout.loadsAhead ? 2 : 1) * depth(), extent}, element);
  side.first = first;
  for (int64_t i = 0; i < side.permutations(); ++i)
    side.places.push_back(e.bitXor(first, e.index(8 * i)));
  int64_t perThread = depth() * extent / layout.threads;
  int64_t width = operand.aligned ? std::min<int64_t>(4, perThread) : 1;
  // Of the depth, 16 at once if all threads have some then: what a warp writes
  // lies in different banks.
  int64_t line = side.byDepth
                     ? std::max(unrolled, layout.threads * width / extent)
                     : extent;
  SmallVector<Value> place = e.delinearize(thread, {line / width});
  Value at = e.mul(place[1], e.index(width));
  int64_t lines = layout.threads * width / line; // at once
  for (int64_t i = 0; i < perThread / width; ++i) {
    int64_t parts = side.byDepth ? depth() / line : 1;
    Value across = e.add(place[0], e.index(i / parts * lines));
    Value along = e.add(at, e.index(i % parts * line));
    side.pieces.push_back(side.byDepth ? ProductPiece{along, across, width}
                                       : ProductPiece{across, along, width});
  }
  return side;
}

SmallVector<Value> TileProduct::zero() {
  Type type = VectorType::get({layout.columnsPerThread}, element);
  return SmallVector<Value>(layout.rowsPerThread(), e.constant(type, 0));
}

void TileProduct::stage(const Side &side, ValueRange values, Value half) {
  for (auto [piece, value] : llvm::zip_equal(side.pieces, values)) {
    Value four =
        e.bitAnd(e.divide(piece.depth, 4), e.index(side.permutations() - 1));
    Value across = e.bitXor(piece.across, e.mul(four, e.index(8)));
    Value k = e.add(half, piece.depth);
    if (!side.byDepth || piece.width == 1) {
      e.store(value, side.buffer, {k, across});
      continue;
    }
    for (int64_t i = 0; i < piece.width; ++i)
      e.store(vector::ExtractOp::create(e.builder, e.loc, value, i),
              side.buffer, {e.add(k, e.index(i)), across});
  }
}

void TileProduct::stage(ValueRange loaded, Value half) {
  stage(left, loaded.take_front(left.pieces.size()), half);
  stage(right, loaded.drop_front(left.pieces.size()), half);
  barrier();
}

Value TileProduct::read(const Side &side, int64_t k, Value from, int64_t offset,
                        int64_t width) {
  Value place = side.places[k / 4 % side.permutations()];
  if (offset)
    place = e.add(place, e.index(offset));
  return e.load(side.buffer, {e.add(from, e.index(k)), place}, width);
}

/// Adds 16 products of what is staged.
SmallVector<Value> TileProduct::sumSome(ValueRange sums, Value from) {
  SmallVector<Value> next(sums);
  int64_t rows = std::min<int64_t>(4, layout.rowsPerThread());
  for (int64_t k = 0; k < unrolled; ++k) {
    Value b = read(right, k, from, 0, layout.columnsPerThread);
    for (int64_t first = 0; first < layout.rowsPerThread(); first += rows) {
      Value a = read(left, k, from, first, rows);
      for (int64_t i = 0; i < rows; ++i) {
        Value factor = vector::BroadcastOp::create(
            e.builder, e.loc, b.getType(),
            vector::ExtractOp::create(e.builder, e.loc, a, i));
        next[first + i] =
            math::FmaOp::create(e.builder, e.loc, factor, b, next[first + i]);
      }
    }
  }
  return next;
}

SmallVector<Value> TileProduct::sumStaged(ValueRange sums, Value half) {
  if (depth() == unrolled)
    return sumSome(sums, half);
  auto loop =
      scf::ForOp::create(e.builder, e.loc, half, e.add(half, e.index(depth())),
                         e.index(unrolled), sums);
  OpBuilder::InsertionGuard restore(e.builder);
  e.builder.setInsertionPointToEnd(loop.getBody());
  scf::YieldOp::create(
      e.builder, e.loc,
      sumSome(loop.getRegionIterArgs(), loop.getInductionVar()));
  return loop.getResults();
}

/// While a step is summed, the values of the next one are on their way to
/// registers. A thread that writes to one half of the shared memory has left
/// the barrier behind which all have read what was there before.
SmallVector<Value> TileProduct::sumAhead(ValueRange sums, Value begin,
                                         Value end, Load load, Fold fold) {
  SmallVector<Value> state(sums);
  llvm::append_range(state, load(begin));
  state.push_back(e.index(0));
  auto split = [&](ValueRange values) {
    return std::make_tuple(values.take_front(sums.size()),
                           values.drop_front(sums.size()).drop_back(),
                           values.back());
  };
  auto loop =
      scf::ForOp::create(e.builder, e.loc, e.add(begin, e.index(depth())), end,
                         e.index(depth()), state);
  {
    OpBuilder::InsertionGuard restore(e.builder);
    e.builder.setInsertionPointToEnd(loop.getBody());
    auto [before, loaded, half] = split(loop.getRegionIterArgs());
    stage(loaded, half);
    SmallVector<Value> ahead = load(loop.getInductionVar());
    SmallVector<Value> next = sumStaged(before, half);
    if (fold)
      fold(next, loaded);
    llvm::append_range(next, ahead);
    next.push_back(e.sub(e.index(depth()), half));
    scf::YieldOp::create(e.builder, e.loc, next);
  }
  auto [before, loaded, half] = split(loop.getResults());
  stage(loaded, half);
  SmallVector<Value> next = sumStaged(before, half);
  if (fold)
    fold(next, loaded);
  return next;
}

SmallVector<Value> TileProduct::sum(ValueRange sums, Value begin, Value end,
                                    Load load, Fold fold) {
  if (layout.loadsAhead)
    return sumAhead(sums, begin, end, load, fold);
  auto loop =
      scf::ForOp::create(e.builder, e.loc, begin, end, e.index(depth()), sums);
  OpBuilder::InsertionGuard restore(e.builder);
  e.builder.setInsertionPointToEnd(loop.getBody());
  SmallVector<Value> loaded = load(loop.getInductionVar());
  stage(loaded, e.index(0));
  SmallVector<Value> next = sumStaged(loop.getRegionIterArgs(), e.index(0));
  if (fold)
    fold(next, loaded);
  barrier();
  scf::YieldOp::create(e.builder, e.loc, next);
  return loop.getResults();
}

Value TileProduct::sumOverThreads(Value value) {
  const ProductPiece &piece = right.pieces.front();
  barrier();
  e.store(value, right.buffer, {piece.depth, piece.across});
  barrier();
  Value column = e.min(thread, e.index(columns() - 1));
  Value sum;
  int64_t lines = layout.threads * piece.width / columns();
  for (int64_t i = 0; i < lines; ++i) {
    Value part = e.load(right.buffer, {e.index(i), column}, 1);
    sum = sum ? arith::AddFOp::create(e.builder, e.loc, sum, part) : part;
  }
  return sum;
}

void TileProduct::barrier() { gpu::BarrierOp::create(e.builder, e.loc); }

Value TileProduct::row(int64_t i) { return e.add(left.first, e.index(i)); }

Value gnn::tile::emitEpilogue(Emitter &e, Block &body, IRMapping &mapping,
                              int64_t width) {
  auto widen = [&](Value value) -> Value {
    if (width == 1 || isa<VectorType>(value.getType()))
      return value;
    return vector::BroadcastOp::create(
        e.builder, e.loc, VectorType::get({width}, value.getType()), value);
  };
  for (Operation &op : body.without_terminator()) {
    SmallVector<Value> operands;
    for (Value operand : op.getOperands())
      operands.push_back(widen(mapping.lookupOrDefault(operand)));
    if (isa<arith::ConstantOp>(op)) {
      mapping.map(op.getResult(0), e.builder.clone(op)->getResult(0));
      continue;
    }
    Type type = op.getResult(0).getType();
    if (width > 1)
      type = VectorType::get({width}, type);
    OperationState state(op.getLoc(), op.getName(), operands, {type},
                         op.getAttrs());
    mapping.map(op.getResult(0), e.builder.create(state)->getResult(0));
  }
  return widen(mapping.lookupOrDefault(body.getTerminator()->getOperand(0)));
}
