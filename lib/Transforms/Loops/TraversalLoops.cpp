//===- TraversalLoops.cpp - Values of a traversal -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each value of the body as a scalar or a vector, at the row or at an element.
//
//===----------------------------------------------------------------------===//

#include "TraversalLoops.h"

#include "GNN/Dialect/Tile/IR/Ranges.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include <numeric>

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value TraversalLoops::constant(Type type, TypedAttr value) {
  if (auto vector = dyn_cast<VectorType>(type))
    value = DenseElementsAttr::get(vector, Attribute(value));
  return arith::ConstantOp::create(b, value);
}
Value TraversalLoops::constant(Type type, double value) {
  Type element = getElementTypeOrSelf(type);
  if (auto floatType = dyn_cast<FloatType>(element))
    return constant(type, b.getFloatAttr(floatType, value));
  return constant(type, b.getIntegerAttr(element, static_cast<int64_t>(value)));
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// Scalars where there is one head and one feature; the dimension of heads is
/// there where there are several.
Type TraversalLoops::typeAt(Type element, Level level) {
  int64_t h = level.head ? heads : 1, f = level.feature ? columns : 1;
  if (h == 1 && f == 1)
    return element;
  return heads == 1 ? VectorType::get({f}, element)
                    : VectorType::get({h, f}, element);
}

Value TraversalLoops::spread(Value value, Level level) {
  Type type = typeAt(getElementTypeOrSelf(value), level);
  if (value.getType() == type)
    return value;
  return vector::BroadcastOp::create(b, type, value);
}

/// The columns of a range that the row has, where the last one is shorter; of
/// the dimensions that a transfer reads or writes.
Value TraversalLoops::columnMask(VectorType type, AffineMap map) {
  bool hasColumns = isa<AffineDimExpr>(map.getResults().back()) &&
                    type.getShape().back() == columns;
  if (!hasPartOfColumns || !hasColumns)
    return Value();
  SmallVector<Value> sizes;
  SmallVector<int64_t> shape{columns};
  if (type.getRank() == 2 && isa<AffineDimExpr>(map.getResult(0))) {
    sizes.push_back(b.index(type.getDimSize(0)));
    shape.insert(shape.begin(), type.getDimSize(0));
  }
  sizes.push_back(b.sub(b.index(domain.getFeatures()), op.getFirstColumn()));
  return vector::CreateMaskOp::create(b, VectorType::get(shape, b.getI1Type()),
                                      sizes);
}

//===----------------------------------------------------------------------===//
// Rows of operands
//===----------------------------------------------------------------------===//

Value TraversalLoops::rowOf(AtAttr at) {
  if (at.isInOrderOf(domain))
    return point->position;
  bool element = at.getAnchor() == Anchor::Element;
  Value &known = element ? point->rows[at.getSpace()] : rows[at.getSpace()];
  if (!known)
    known =
        arrays.reach(b, at, element ? domain.getElements() : domain.getGroups(),
                     element ? point->position : row);
  return known;
}

/// Which dimensions of an operand are heads and features of its vector.
AffineMap TraversalLoops::mapOf(AtAttr at, MemRefType type) {
  unsigned rank = type.getRank();
  MLIRContext *context = b.getContext();
  auto dim = [&](bool has, unsigned number) {
    return has ? getAffineDimExpr(number, context)
               : getAffineConstantExpr(0, context);
  };
  SmallVector<AffineExpr> results;
  if (heads > 1)
    results.push_back(dim(at.getHead(), rank - 1 - (at.getFeature() ? 1 : 0)));
  results.push_back(dim(at.getFeature(), rank - 1));
  return AffineMap::get(rank, 0, results, context);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value TraversalLoops::valueOf(Value value) {
  bool element = getLevel(value).element;
  auto &known = element ? point->values : rowValues;
  if (auto it = known.find(value); it != known.end())
    return it->second;
  Value result = evaluate(value);
  (element ? point->values : rowValues)[value] = result;
  return result;
}

Value TraversalLoops::evaluate(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return evaluateArgument(argument);
  Operation *inner = value.getDefiningOp();
  LocationScope scope(b, inner->getLoc());
  if (auto index = dyn_cast<IndexOp>(inner))
    return evaluateIndex(index);
  if (auto reduce = dyn_cast<ReduceOp>(inner)) // of a vector; walks do the rest
    return reduceVector(reduce, valueOf(reduce.getValue()),
                        getLevel(reduce.getValue()));
  if (isa<SizeOp>(inner))
    return arith::SIToFPOp::create(b, value.getType(),
                                   b.toI32(b.sub(end, begin)));
  if (isa<arith::ConstantOp>(inner))
    return b.clone(*inner)->getResult(0);
  return evaluatePointwise(inner);
}

Value TraversalLoops::evaluateArgument(BlockArgument argument) {
  unsigned number = argument.getArgNumber();
  AtAttr at = op.getInputAt(number);
  Value memref = op.getInputs()[number];
  if (!at.getColumn())
    return load(memref, indicesOf(at), at);
  // [matrices, features, columns]
  auto type = cast<MemRefType>(memref.getType());
  Value width = b.index(type.getDimSize(2));
  Value indices[] = {arith::DivUIOp::create(b, row, width), op.getFirstColumn(),
                     arith::RemUIOp::create(b, row, width)};
  auto vector =
      dyn_cast<VectorType>(typeAt(type.getElementType(), getLevel(at)));
  if (!vector)
    return memref::LoadOp::create(b, memref, indices);
  SmallVector<AffineExpr> results;
  if (heads > 1)
    results.push_back(b.getAffineConstantExpr(0));
  results.push_back(b.getAffineDimExpr(1));
  return read(memref, vector, indices,
              AffineMap::get(3, 0, results, b.getContext()));
}

/// The value of an operand at the row that `indices` begin with.
Value TraversalLoops::load(Value memref, ValueRange indices, AtAttr at) {
  auto type = cast<MemRefType>(memref.getType());
  auto vector =
      dyn_cast<VectorType>(typeAt(type.getElementType(), getLevel(at)));
  if (!vector)
    return memref::LoadOp::create(b, memref, indices);
  return read(memref, vector, indices, mapOf(at, type));
}

Value TraversalLoops::read(Value memref, VectorType type, ValueRange indices,
                           AffineMap map) {
  Value padding = constant(type.getElementType(), 0);
  Value mask = columnMask(type, map);
  SmallVector<bool> inBounds(type.getRank(), true);
  return vector::TransferReadOp::create(b, type, memref, indices,
                                        AffineMapAttr::get(map), padding, mask,
                                        b.getBoolArrayAttr(inBounds));
}

/// The row; or heads and features counted from the first of the range.
Value TraversalLoops::evaluateIndex(IndexOp index) {
  AtAttr at = index.getAt();
  Type i32 = b.getI32Type();
  if (at.isInOrderOf(domain) && point->number) // which nothing is read at
    return b.toI32(point->number);
  if (at.getAnchor() != Anchor::All)
    return b.toI32(rowOf(at));
  auto type = dyn_cast<VectorType>(typeAt(i32, getLevel(at)));
  if (at.getHead()) {
    if (!type)
      return constant(i32, static_cast<double>(at.getHeadOffset()));
    SmallVector<int32_t> numbers(heads);
    std::iota(numbers.begin(), numbers.end(),
              static_cast<int32_t>(at.getHeadOffset()));
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(type, ArrayRef<int32_t>(numbers)));
  }
  Value first = b.toI32(b.add(op.getFirstColumn(), at.getOffset()));
  if (!type)
    return first;
  Value steps =
      vector::StepOp::create(b, VectorType::get({columns}, b.getIndexType()));
  steps = arith::IndexCastOp::create(b, VectorType::get({columns}, i32), steps);
  if (steps.getType() != type)
    steps = vector::BroadcastOp::create(b, type, steps);
  return b.add(vector::BroadcastOp::create(b, type, first), steps);
}

Value TraversalLoops::evaluatePointwise(Operation *inner) {
  Level level = getLevel(inner->getResult(0));
  SmallVector<Value> operands;
  for (Value operand : inner->getOperands())
    operands.push_back(spread(valueOf(operand), level));
  Type type = typeAt(inner->getResult(0).getType(), level);
  return mlir::clone(b, inner, type, operands)->getResult(0);
}

static vector::CombiningKind combiningKind(Reduction kind, Type element) {
  bool isFloat = isa<FloatType>(element);
  using Kind = vector::CombiningKind;
  switch (kind) {
  case Reduction::Sum:
  case Reduction::Mean:
    return Kind::ADD;
  case Reduction::Max:
    return isFloat ? Kind::MAXIMUMF : Kind::MAXSI;
  case Reduction::Min:
    return isFloat ? Kind::MINIMUMF : Kind::MINSI;
  }
  llvm_unreachable("all reductions are handled");
}

Value TraversalLoops::reduceVector(ReduceOp reduce, Value value, Level level) {
  Type element = getElementTypeOrSelf(value);
  bool isFloat = isa<FloatType>(element);
  std::tuple<Dim, bool, int64_t> dims[] = {
      {Dim::Feature, level.feature, domain.getFeatures()},
      {Dim::Head, level.head, domain.getHeads()}};
  auto has = [&](Dim dim) {
    return llvm::is_contained(reduce.getDims(), static_cast<int32_t>(dim));
  };
  auto scale = [&](int64_t count) -> Value {
    Value factor = constant(value.getType(), count);
    if (isFloat)
      return arith::MulFOp::create(b, value, factor);
    return arith::MulIOp::create(b, value, factor);
  };
  // Where a value does not vary, as many equal ones are reduced.
  for (auto [dim, varies, size] : dims)
    if (has(dim) && !varies && reduce.getKind() == Reduction::Sum)
      value = scale(size);
  for (auto [dim, varies, size] : dims) {
    if (!has(dim) || !varies)
      continue;
    (dim == Dim::Feature ? level.feature : level.head) = false;
    if (auto type = dyn_cast<VectorType>(value.getType());
        type && (heads > 1 || dim == Dim::Feature)) {
      int64_t axis = dim == Dim::Feature ? type.getRank() - 1 : 0;
      Type left = element;
      if (type.getRank() == 2)
        left = VectorType::get({type.getDimSize(1 - axis)}, element);
      Value nothing = constant(left, identityOf(reduce.getKind(), element));
      value = vector::MultiDimReductionOp::create(
          b, left, combiningKind(reduce.getKind(), element), value, nothing,
          ArrayRef<int64_t>{axis});
      Type reduced = typeAt(element, level);
      if (value.getType() != reduced) {
        if (isa<VectorType>(reduced))
          value = vector::ShapeCastOp::create(b, reduced, value);
        else
          value = vector::ExtractOp::create(b, value, 0);
      }
    }
    if (reduce.getKind() == Reduction::Mean)
      value = arith::DivFOp::create(b, value, constant(value.getType(), size));
  }
  return value;
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

void TraversalLoops::store(unsigned output) {
  AtAttr at = op.getOutputAt(output);
  auto yield = cast<YieldOp>(op.getBody().front().getTerminator());
  Level level = getLevel(at);
  Value value = spread(valueOf(yield.getValues()[output]), level);
  Value memref = op.getOutputs()[output];
  SmallVector<Value> indices = isInWorkgroup(memref)
                                   ? indicesOf(at, b.sub(row, op.getFirstRow()))
                                   : indicesOf(at);
  write(value, memref, indices, at);
}

void TraversalLoops::write(Value value, Value memref, ValueRange indices,
                           AtAttr at) {
  auto type = cast<MemRefType>(memref.getType());
  auto vector = dyn_cast<VectorType>(value.getType());
  if (!vector) {
    memref::StoreOp::create(b, value, memref, indices);
    return;
  }
  // A write has no dimension that the buffer lacks.
  AffineMap map = mapOf(at, type);
  SmallVector<AffineExpr> dims;
  SmallVector<int64_t> shape;
  for (auto [size, expr] : llvm::zip(vector.getShape(), map.getResults()))
    if (isa<AffineDimExpr>(expr)) {
      dims.push_back(expr);
      shape.push_back(size);
    }
  if (dims.size() < vector.getShape().size()) {
    vector = VectorType::get(shape, vector.getElementType());
    value = vector::ShapeCastOp::create(b, vector, value);
    map = AffineMap::get(type.getRank(), 0, dims, b.getContext());
  }
  SmallVector<bool> inBounds(vector.getRank(), true);
  vector::TransferWriteOp::create(
      b, /*result=*/Type(), value, memref, indices, AffineMapAttr::get(map),
      columnMask(vector, map), b.getBoolArrayAttr(inBounds));
}
