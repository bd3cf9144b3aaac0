//===- Parts.cpp - Values as their threads hold them ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Distribution.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

//===----------------------------------------------------------------------===//
// Where a thread is
//===----------------------------------------------------------------------===//

/// The first row and column of this thread, computed at the body's start.
std::pair<Value, Value> Distribution::placeOf(Spread spread) {
  auto &place = places[spread.attr.getAsOpaquePointer()];
  if (place.first)
    return place;
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPointAfterValue(thread);
  auto digits = affine::AffineDelinearizeIndexOp::create(
      b, thread, ArrayRef<int64_t>{spread.laneColumns()},
      /*hasOuterBound=*/false);
  Value row = digits.getResult(0);
  if (spread.attr.getNumThreads() < threads)
    row = arith::AndIOp::create(b, row, b.index(spread.laneRows() - 1));
  place = {b.mul(row, spread.eachRows()),
           b.mul(digits.getResult(1), spread.attr.getEach().back())};
  return place;
}

Value Distribution::rowOf(Spread spread, VectorPart part) {
  int64_t each = spread.eachRows();
  return b.add(placeOf(spread).first,
               part.row / each * each * spread.laneRows() + part.row % each);
}

Value Distribution::columnOf(Spread spread, VectorPart part) {
  return b.add(placeOf(spread).second,
               part.column * spread.width() * spread.laneColumns() +
                   std::max<int64_t>(0, part.single));
}

/// The numbers of rows or columns.
Value Distribution::numberOf(VectorType type, Spread spread, VectorPart part) {
  if (!lanes)
    return rowOf(spread, part);
  int64_t i = spread.hasRows() ? part.row : part.column;
  Value first = roundsOf(spread.axis, type.getDimSize(0))[i].offset;
  if (spread.width() == 1)
    return first;
  auto wide = VectorType::get({spread.width()}, b.getIndexType());
  SmallVector<int64_t> sideBySide(
      llvm::to_vector(llvm::seq<int64_t>(0, spread.width())));
  return b.add(vector::BroadcastOp::create(b, wide, first),
               arith::ConstantOp::create(
                   b, DenseIntElementsAttr::get(wide, sideBySide)));
}

/// The entry of this lane's head, of a constant with one for each: the number
/// of the head where the constant counts them.
Value Distribution::entryOfHead(DenseElementsAttr values, VectorPart part) {
  Type element = values.getElementType();
  Value head = roundsOf(Spread::Rows, values.getNumElements())[part.row].offset;
  auto isCounted = [](auto entry) {
    auto number = dyn_cast<IntegerAttr>(entry.value());
    return number && number.getInt() == static_cast<int64_t>(entry.index());
  };
  if (element.isSignlessInteger() &&
      llvm::all_of(llvm::enumerate(values.getValues<Attribute>()), isCounted))
    return arith::IndexCastOp::create(b, element, head);
  Value found;
  for (auto [i, entry] : llvm::enumerate(values.getValues<TypedAttr>())) {
    Value value = arith::ConstantOp::create(b, entry);
    found = found ? select(arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                                 head, b.index(i)),
                           value, found)
                  : value;
  }
  return found;
}

Type Distribution::partType(Type element, Spread spread, VectorPart part) {
  if (spread.width() == 1 || part.single >= 0)
    return element;
  return VectorType::get({spread.width()}, element);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value Distribution::get(Value value, Spread spread, VectorPart part) {
  if (!isa<VectorType>(value.getType()))
    return scalar(value);
  if (spread.width() == 1)
    part.single = -1;
  auto key = keyOf(value, spread);
  if (auto found = held.find(key); found != held.end()) {
    int64_t columns = spread.columnsOf(cast<VectorType>(value.getType()));
    Value whole = found->second[part.row * columns + part.column];
    return part.single < 0 ? whole
                           : vector::ExtractOp::create(b, whole, part.single);
  }
  if (!hasAtHand)
    return compute(value, spread, part);
  std::pair at(key, std::array<int64_t, 3>{part.row, part.column, part.single});
  if (auto found = atHand.find(at); found != atHand.end())
    return found->second;
  Value made = compute(value, spread, part);
  atHand[at] = made;
  return made;
}

/// One op of the old body on the part.
Value Distribution::computePointwise(Operation *op, Spread spread,
                                     VectorPart part) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(get(operand, spread, part));
  Type type =
      partType(getElementTypeOrSelf(op->getResult(0).getType()), spread, part);
  return mlir::clone(b, op, type, operands)->getResult(0);
}

Value Distribution::broadcast(vector::BroadcastOp op, Spread spread,
                              VectorPart part) {
  Type type = partType(op.getResultVectorType().getElementType(), spread, part);
  Value source = op.getSource();
  Spread of = spread.of(axisOf(source));
  if (spread.hasElements() && of.hasColumns()) // of scalars
    of.axis =
        static_cast<Spread::Axis>((of.axis & Spread::Rows) | Spread::Elements);
  if (!of.hasRows())
    part.row = 0;
  if (!of.hasColumns() && !of.hasElements())
    part.column = 0, part.single = -1;
  Value value = get(source, of, part);
  return type == value.getType() ? value
                                 : vector::BroadcastOp::create(b, type, value);
}

Value Distribution::compute(Value value, Spread spread, VectorPart part) {
  Operation *op = value.getDefiningOp();
  LocationScope scope(b, op->getLoc());
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto dense = cast<DenseElementsAttr>(constant.getValue());
    if (!dense.isSplat())
      return lanes ? entryOfHead(dense, part)
                   : numberOf(cast<VectorType>(dense.getType()), spread, part);
    Type type = partType(dense.getElementType(), spread, part);
    auto attr = dense.getSplatValue<TypedAttr>();
    if (auto vector = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vector, Attribute(attr));
    return arith::ConstantOp::create(b, attr);
  }
  if (auto step = dyn_cast<vector::StepOp>(op))
    return numberOf(step.getType(), spread, part);
  if (auto from = dyn_cast<vector::BroadcastOp>(op))
    return broadcast(from, spread, part);
  if (auto from = dyn_cast<vector::ShapeCastOp>(op)) { // dimensions of size 1
    Value source = from.getSource();
    return get(source, lanes ? spread.of(axisOf(source)) : spread, part);
  }
  if (auto from = dyn_cast<LoadRowsOp>(op))
    return load(from, spread, part);
  if (auto from = dyn_cast<vector::FromElementsOp>(op)) {
    Value element =
        roundsOf(Spread::Elements, from.getType().getDimSize(0))[0].offset;
    int64_t each = spread.laneElements(from.getType()),
            first = part.column * each;
    Value own = scalar(from.getElements()[first]);
    for (int64_t i = 1; i < each; ++i)
      own = select(arith::CmpIOp::create(b, arith::CmpIPredicate::eq, element,
                                         b.index(i)),
                   scalar(from.getElements()[first + i]), own);
    return own;
  }
  if (auto from = dyn_cast<vector::TransferReadOp>(op))
    return readStaged(from, spread, part);
  if (auto from = dyn_cast<vector::ExtractStridedSliceOp>(op)) {
    part.row +=
        cast<IntegerAttr>(from.getOffsets()[0]).getInt() / spread.laneRows();
    return get(from.getSource(), spread, part);
  }
  if (auto from = dyn_cast<vector::MultiDimReductionOp>(op))
    return reduce(from, spread, part);
  return computePointwise(op, spread, part);
}

/// All parts of `value` in a spread, row by row.
SmallVector<Value> Distribution::materialized(Value value, Spread spread) {
  auto type = cast<VectorType>(value.getType());
  SmallVector<Value> parts;
  for (int64_t row = 0; row < spread.rowsOf(type); ++row)
    for (int64_t column = 0; column < spread.columnsOf(type); ++column)
      parts.push_back(get(value, spread, {row, column, -1}));
  return parts;
}

/// Computes `value` here in the spreads that it is asked for.
void Distribution::materialize(Value value) {
  hasAtHand = static_cast<bool>(value.getDefiningOp<LoadRowsOp>());
  for (const Spread &spread : spreadsOf(value)) {
    atHand.clear();
    held.erase(keyOf(value, spread)); // where a block is distributed again
    Values parts = materialized(value, spread);
    held[keyOf(value, spread)] = parts;
  }
  hasAtHand = false;
}
