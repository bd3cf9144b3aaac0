//===- VectorElements.cpp - One element of a vector -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorLoops.h"

#include "GNN/Dialect/Tile/IR/Combine.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gnn::tile;

LogicalResult gnn::tile::refuseVectors(Operation *op, StringRef expected) {
  return op->emitOpError("has no loops of scalars: expected ") << expected;
}

FailureOr<Value> VectorLoops::element(Value value, const Indices &at) {
  if (!isa<VectorType>(value.getType()))
    return scalar(value);
  if (Value array = arrays.lookup(value))
    return memref::LoadOp::create(b, array, at).getResult();
  Operation *op = value.getDefiningOp();
  if (!op || (!blocks->isAncestor(op) && !isa<arith::ConstantOp>(op)))
    return refuseVectors(blocks, "vectors of its own, and constants");
  return compute(op, at);
}

/// The value everywhere, or the one of those that are there.
FailureOr<Value> VectorLoops::elementOfConstant(arith::ConstantOp op,
                                                const Indices &at) {
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!dense)
    return refuseVectors(op, "values that are all given");
  auto make = [&](Attribute value) -> Value {
    return arith::ConstantOp::create(b, cast<TypedAttr>(value));
  };
  if (dense.isSplat())
    return make(dense.getSplatValue<Attribute>());
  Value position = b.index(0);
  for (auto [i, size] : llvm::zip(at, dense.getType().getShape()))
    position = b.add(b.mul(position, size), i);
  Value found;
  for (auto [i, value] : llvm::enumerate(dense.getValues<Attribute>())) {
    Value isHere = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, position,
                                         b.index(i));
    found =
        found
            ? arith::SelectOp::create(b, isHere, make(value), found).getResult()
            : make(value);
  }
  return found;
}

FailureOr<Value> VectorLoops::elementOfBroadcast(vector::BroadcastOp op,
                                                 const Indices &at) {
  auto source = dyn_cast<VectorType>(op.getSourceType());
  if (!source)
    return scalar(op.getSource());
  Indices from(ArrayRef<Value>(at).take_back(source.getRank()));
  for (auto [i, size] : llvm::enumerate(source.getShape()))
    if (size == 1)
      from[i] = b.index(0);
  return element(op.getSource(), from);
}

/// Adds or drops dimensions of size 1.
FailureOr<Value> VectorLoops::elementOfShapeCast(vector::ShapeCastOp op,
                                                 const Indices &at) {
  auto isLong = [](int64_t size) { return size != 1; };
  VectorType from = op.getSourceVectorType(), to = op.getResultVectorType();
  if (!llvm::equal(llvm::make_filter_range(from.getShape(), isLong),
                   llvm::make_filter_range(to.getShape(), isLong)))
    return refuseVectors(op, "to add or drop dimensions of size 1");
  Indices left, source;
  for (auto [i, size] : llvm::zip(at, to.getShape()))
    if (isLong(size))
      left.push_back(i);
  size_t next = 0;
  for (int64_t size : from.getShape())
    source.push_back(isLong(size) ? left[next++] : b.index(0));
  return element(op.getSource(), source);
}

FailureOr<Value> VectorLoops::elementOfMask(vector::CreateMaskOp op,
                                            const Indices &at) {
  Value inside;
  for (auto [i, size] : llvm::zip(at, op.getOperands())) {
    inside = b.both(inside, b.less(i, scalar(size)));
  }
  return inside;
}

/// `count` terms, in their order, behind `init`.
FailureOr<Value>
VectorLoops::reduce(vector::CombiningKind kind, int64_t count, Value init,
                    llvm::function_ref<FailureOr<Value>(Value)> term) {
  LogicalResult done = success();
  auto step = [&](Value at, ValueRange total) -> SmallVector<Value> {
    FailureOr<Value> one = term(at);
    done = one;
    if (failed(one))
      return {};
    return {vector::makeArithReduction(b, b.getLoc(), kind, *one, total[0])};
  };
  SmallVector<Value> total =
      b.loop(b.index(0), b.index(count), b.index(1), init, step);
  return failed(done) ? FailureOr<Value>(failure()) : total[0];
}

/// Over one dimension, in its order.
FailureOr<Value> VectorLoops::elementOfReduction(vector::MultiDimReductionOp op,
                                                 const Indices &at) {
  if (op.getReductionDims().size() != 1)
    return refuseVectors(op, "a reduction of one dimension");
  FailureOr<Value> first = element(op.getAcc(), at);
  if (failed(first))
    return failure();
  int64_t dim = op.getReductionDims()[0];
  return reduce(op.getKind(), op.getSourceVectorType().getDimSize(dim), *first,
                [&](Value i) {
                  Indices from(at);
                  from.insert(from.begin() + dim, i);
                  return element(op.getSource(), from);
                });
}

FailureOr<Value> VectorLoops::elementOfExtract(vector::ExtractOp op,
                                               const Indices &at) {
  Indices from;
  for (OpFoldResult position : op.getMixedPosition())
    from.push_back(
        isa<Attribute>(position)
            ? b.index(cast<IntegerAttr>(cast<Attribute>(position)).getInt())
            : scalar(cast<Value>(position)));
  llvm::append_range(from, at);
  return element(op.getSource(), from);
}

SmallVector<Value> VectorLoops::placeOf(VectorTransferOpInterface op,
                                        const Indices &at) {
  Indices indices =
      llvm::map_to_vector(op.getIndices(), [&](Value i) { return scalar(i); });
  for (auto [offset, expr] : llvm::zip(at, op.getPermutationMap().getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      Value &position = indices[dim.getPosition()];
      position = b.add(position, offset);
    }
  return indices;
}

/// A mask has the dimensions of the memory, in their order, and none for what
/// is repeated.
FailureOr<Value> VectorLoops::isTransferred(VectorTransferOpInterface op,
                                            const Indices &at) {
  if (!op.getMask())
    return Value();
  SmallVector<std::pair<unsigned, Value>> dims;
  for (auto [i, expr] : llvm::zip(at, op.getPermutationMap().getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      dims.push_back({dim.getPosition(), i});
  llvm::sort(dims, llvm::less_first());
  return element(op.getMask(), llvm::map_to_vector(
                                   dims, [](auto &dim) { return dim.second; }));
}

FailureOr<Value> VectorLoops::elementOfRead(vector::TransferReadOp op,
                                            const Indices &at) {
  if (op.hasOutOfBoundsDim() || !isa<MemRefType>(op.getBase().getType()))
    return refuseVectors(op, "a read that stays inside of an array");
  auto transfer = cast<VectorTransferOpInterface>(op.getOperation());
  FailureOr<Value> inside = isTransferred(transfer, at);
  if (failed(inside))
    return failure();
  auto load = [&]() -> Value {
    return memref::LoadOp::create(b, scalar(op.getBase()),
                                  placeOf(transfer, at));
  };
  if (!*inside)
    return load();
  auto read = scf::IfOp::create(b, op.getVectorType().getElementType(), *inside,
                                /*withElseRegion=*/true);
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPointToEnd(read.thenBlock());
  Value loaded = load();
  scf::YieldOp::create(b, loaded);
  b.setInsertionPointToEnd(read.elseBlock());
  scf::YieldOp::create(b, scalar(op.getPadding()));
  return read.getResult(0);
}

FailureOr<Value> VectorLoops::elementOfGather(vector::GatherOp op,
                                              const Indices &at) {
  if (!matchPattern(op.getMask(), m_One()))
    return refuseVectors(op, "a gather without a mask");
  FailureOr<Value> index = element(op.getIndices(), at);
  if (failed(index))
    return failure();
  Indices from = llvm::map_to_vector(
      op.getOffsets(), [&](Value offset) { return scalar(offset); });
  from.back() = b.add(from.back(), *index);
  return memref::LoadOp::create(b, scalar(op.getBase()), from).getResult();
}

/// The vector that an entry of the last dimension is of: all are looked at.
FailureOr<Value>
VectorLoops::elementOfEach(ValueRange each, const Indices &at,
                           llvm::function_ref<FailureOr<Value>(Value)> get) {
  Value found;
  for (auto [i, one] : llvm::enumerate(each)) {
    FailureOr<Value> value = get(one);
    if (failed(value))
      return failure();
    Value isHere = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, at.back(),
                                         b.index(i));
    found = found
                ? arith::SelectOp::create(b, isHere, *value, found).getResult()
                : *value;
  }
  return found;
}

FailureOr<Value> VectorLoops::elementOfReduceEach(ReduceEachOp op,
                                                  const Indices &at) {
  return elementOfEach(
      op.getVectors(), at, [&](Value vector) -> FailureOr<Value> {
        auto type = cast<VectorType>(vector.getType());
        arith::AtomicRMWKind kind =
            getReductionKind(op.getKind(), type.getElementType());
        auto term = [&](Value i) {
          Indices from(at);
          from.back() = i;
          return element(vector, from);
        };
        FailureOr<Value> first = term(b.index(0));
        if (failed(first))
          return failure();
        LogicalResult done = success();
        auto step = [&](Value i, ValueRange total) -> SmallVector<Value> {
          FailureOr<Value> one = term(i);
          done = one;
          if (failed(one))
            return {};
          return {arith::getReductionOp(kind, b, b.getLoc(), total[0], *one)};
        };
        SmallVector<Value> total =
            b.loop(b.index(1), b.index(type.getShape().back()), b.index(1),
                   *first, step);
        return failed(done) ? FailureOr<Value>(failure()) : total[0];
      });
}

FailureOr<Value> VectorLoops::pointwise(Operation *op, const Indices &at) {
  if (!OpTrait::hasElementwiseMappableTraits(op) || op->getNumResults() != 1)
    return refuseVectors(op, "an op whose elements are known");
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    FailureOr<Value> one = element(operand, at);
    if (failed(one))
      return failure();
    operands.push_back(*one);
  }
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  return mlir::clone(b, op, type, operands)->getResult(0);
}

FailureOr<Value> VectorLoops::compute(Operation *op, const Indices &at) {
  return llvm::TypeSwitch<Operation *, FailureOr<Value>>(op)
      .Case([&](arith::ConstantOp op) { return elementOfConstant(op, at); })
      .Case([&](LoadRowsOp op) { return elementOfRows(op, at); })
      .Case([&](vector::TransferReadOp op) { return elementOfRead(op, at); })
      .Case([&](vector::GatherOp op) { return elementOfGather(op, at); })
      .Case([&](vector::StepOp) { return FailureOr<Value>(at.front()); })
      .Case([&](vector::BroadcastOp op) { return elementOfBroadcast(op, at); })
      .Case([&](vector::ShapeCastOp op) { return elementOfShapeCast(op, at); })
      .Case([&](vector::CreateMaskOp op) { return elementOfMask(op, at); })
      .Case([&](vector::ExtractOp op) { return elementOfExtract(op, at); })
      .Case([&](ReduceEachOp op) { return elementOfReduceEach(op, at); })
      .Case([&](vector::FromElementsOp op) {
        return elementOfEach(op.getElements(), at, [&](Value one) {
          return FailureOr<Value>(scalar(one));
        });
      })
      .Case([&](vector::ReductionOp op) -> FailureOr<Value> {
        if (op.getAcc())
          return refuseVectors(op, "a reduction that starts from nothing");
        FailureOr<Value> first = element(op.getVector(), {b.index(0)});
        if (failed(first))
          return failure();
        int64_t count = op.getSourceVectorType().getDimSize(0);
        return reduce(op.getKind(), count - 1, *first, [&](Value i) {
          return element(op.getVector(), {b.add(i, 1)});
        });
      })
      .Case([&](vector::ExtractStridedSliceOp op) -> FailureOr<Value> {
        Indices from(at);
        for (auto [i, offset] :
             llvm::enumerate(op.getOffsets().getAsRange<IntegerAttr>()))
          from[i] = b.add(at[i], offset.getInt());
        return element(op.getSource(), from);
      })
      .Case([&](vector::MultiDimReductionOp op) {
        return elementOfReduction(op, at);
      })
      .Default([&](Operation *op) { return pointwise(op, at); });
}
