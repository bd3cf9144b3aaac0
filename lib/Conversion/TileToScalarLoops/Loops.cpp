//===- Loops.cpp - Loops, rows and buffers --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarLoops.h"

#include "GNN/Dialect/Tile/IR/Buffers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;
using namespace gnn::tile::scalar;

Value gnn::tile::scalar::cloneValue(OpBuilder &builder, Value value,
                                    IRMapping &mapping) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    cloneValue(builder, operand, mapping);
  builder.clone(*op, mapping);
  return mapping.lookup(value);
}

//===----------------------------------------------------------------------===//
// What the host knows
//===----------------------------------------------------------------------===//

Value Loops::index(int64_t value) {
  return arith::ConstantIndexOp::create(host, loc, value);
}

Value Loops::count(RowDomain rows) {
  if (rows.isFixed())
    return index(rows.getCount());
  return CountOp::create(host, loc, host.getIndexType(),
                         op.getGraphAttr().getValue(), rows.getCountKey());
}

Positions Loops::range(Value begin, int64_t most, Value end) {
  Value last = arith::MinSIOp::create(body, loc, add(body, begin, most), end);
  return {begin, last};
}

Value Loops::structure(const StructureKey &key) {
  if (arrays)
    for (auto [other, array] : llvm::zip_equal(op.getStructures(), *arrays))
      if (other == key)
        return array;
  auto type = MemRefType::get({ShapedType::kDynamic}, host.getI32Type());
  return StructureOp::create(host, loc, type, op.getGraphAttr(),
                             StructureKeyAttr::get(op.getContext(), key));
}

Value Loops::view(Value buffer, RowDomain rows) {
  auto type = cast<MemRefType>(buffer.getType());
  if (type.hasStaticShape() || arrays)
    return buffer;
  return withRows(host, loc, buffer, type, count(rows));
}

Value Loops::array(ArrayRef<int64_t> shape, Type element) {
  return memref::AllocaOp::create(front, loc, MemRefType::get(shape, element));
}

//===----------------------------------------------------------------------===//
// What is computed
//===----------------------------------------------------------------------===//

SmallVector<Value> Loops::loop(OpBuilder &builder, Positions range,
                               ValueRange init, LoopBody body) {
  // The builder of a scope stays in front of the loop while its body is built.
  OpBuilder own = builder;
  auto loop = scf::ForOp::create(
      own, loc, range.begin, range.end, index(1), init,
      [&](OpBuilder &inner, Location, Value at, ValueRange carried) {
        SmallVector<Value> next = body(inner, at, carried);
        scf::YieldOp::create(inner, loc, next);
      });
  return SmallVector<Value>(loop.getResults());
}

Value Loops::load(OpBuilder &builder, Value buffer, ValueRange indices) {
  return memref::LoadOp::create(builder, loc, buffer, indices);
}

void Loops::store(OpBuilder &builder, Value value, Value buffer,
                  ValueRange indices) {
  memref::StoreOp::create(builder, loc, value, buffer, indices);
}

Value Loops::add(OpBuilder &builder, Value a, int64_t b) {
  return b ? arith::AddIOp::create(builder, loc, a, index(b)) : a;
}

Value Loops::mul(OpBuilder &builder, Value a, int64_t b) {
  return arith::MulIOp::create(builder, loc, a, index(b));
}

Value Loops::zero(OpBuilder &builder) {
  return arith::ConstantOp::create(builder, loc, builder.getF64FloatAttr(0));
}

Value Loops::widen(OpBuilder &builder, Value value) {
  Type type = builder.getF64Type();
  return value.getType() == type
             ? value
             : arith::ExtFOp::create(builder, loc, type, value);
}

Value Loops::narrow(OpBuilder &builder, Value sum, Type type) {
  return sum.getType() == type
             ? sum
             : arith::TruncFOp::create(builder, loc, type, sum);
}

Value Loops::loadIndex(OpBuilder &builder, Value array, Value at) {
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    load(builder, array, at));
}

Value Loops::reach(OpBuilder &builder, AtAttr at, RowDomain from, Value row) {
  if (!at.getSpace() || !needsMap(from, at.getSpace()))
    return row;
  // A tile is (group, begin, end).
  return loadIndex(builder, structure(getMapKey(from, at.getSpace())),
                   from.isTiles() ? mul(builder, row, 3) : row);
}

Positions Loops::elements(OpBuilder &builder, RowDomain groups,
                          RowDomain elements, Value group) {
  Value array = structure(getRowsKey(groups, elements));
  Value first =
      groups.isTiles() ? add(builder, mul(builder, group, 3), 1) : group;
  return {loadIndex(builder, array, first),
          loadIndex(builder, array, add(builder, first, 1))};
}
