//===- Vectors.cpp - Vectors of the loops form as loops of scalars --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is read, summed or carried becomes an array of one thread; any other
// vector is computed element by element where one of these, or a store, needs
// it.
//
//===----------------------------------------------------------------------===//

#include "GNN/Conversion/Passes.h"
#include "GNN/Dialect/Tile/IR/FormAttributes.h"
#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_CONVERTGNNTILEVECTORSTOSCALARLOOPS
#include "GNN/Conversion/Passes.h.inc"
} // namespace gnn

namespace {
/// Makes the loops of scalars of one loop over blocks.
class VectorLoops {
public:
  explicit VectorLoops(scf::ForallOp blocks)
      : blocks(blocks), b(blocks.getLoc(), blocks) {}

  LogicalResult run();

private:
  using Indices = SmallVector<Value>;
  using Body = llvm::function_ref<LogicalResult(const Indices &)>;

  // Elements.
  FailureOr<Value> element(Value value, const Indices &at);
  FailureOr<Value> compute(Operation *op, const Indices &at);
  FailureOr<Value> elementOfConstant(arith::ConstantOp op, const Indices &at);
  FailureOr<Value> elementOfBroadcast(vector::BroadcastOp op,
                                      const Indices &at);
  FailureOr<Value> elementOfReduction(vector::MultiDimReductionOp op,
                                      const Indices &at);
  FailureOr<Value> elementOfRows(LoadRowsOp op, const Indices &at);
  FailureOr<Value> elementOfRead(vector::TransferReadOp op, const Indices &at);
  FailureOr<Value> pointwise(Operation *op, const Indices &at);

  // Statements.
  LogicalResult lower(Block &block);
  LogicalResult lower(Operation *op);
  LogicalResult lowerFor(scf::ForOp loop);
  LogicalResult lowerIf(scf::IfOp op);
  LogicalResult lowerWrite(vector::TransferWriteOp op);
  LogicalResult lowerContract(vector::ContractionOp op);
  LogicalResult lowerStore(StoreRowsOp op);
  LogicalResult fill(Value array, Value value);
  LogicalResult keep(Value value);

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value scalar(Value value) { return scalars.lookupOrDefault(value); }
  Value arrayFor(Type type);
  LogicalResult forAll(ArrayRef<int64_t> shape, Body body,
                       const Indices &outer = {});
  /// Whether a row and column are inside; null where all are.
  FailureOr<Value> isInside(Value mask, std::optional<int64_t> below, Value row,
                            Value column);

  scf::ForallOp blocks, made;
  ImplicitLocOpBuilder b;
  IRMapping scalars;
  llvm::DenseMap<Value, Value> arrays;
};
} // namespace

static LogicalResult refuse(Operation *op, StringRef expected) {
  return op->emitOpError("has no loops of scalars: expected ") << expected;
}

/// An array of one thread, in front of all loops.
Value VectorLoops::arrayFor(Type type) {
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPointToStart(made.getBody());
  auto vector = cast<VectorType>(type);
  return memref::AllocaOp::create(
      b, MemRefType::get(vector.getShape(), vector.getElementType()));
}

/// Loops over all indices of a shape.
LogicalResult VectorLoops::forAll(ArrayRef<int64_t> shape, Body body,
                                  const Indices &outer) {
  if (shape.empty())
    return body(outer);
  auto loop = scf::ForOp::create(b, index(0), index(shape.front()), index(1));
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  Indices indices(outer);
  indices.push_back(loop.getInductionVar());
  return forAll(shape.drop_front(), body, indices);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

FailureOr<Value> VectorLoops::element(Value value, const Indices &at) {
  if (!isa<VectorType>(value.getType()))
    return scalar(value);
  if (Value array = arrays.lookup(value))
    return memref::LoadOp::create(b, array, at).getResult();
  return compute(value.getDefiningOp(), at);
}

FailureOr<Value> VectorLoops::elementOfConstant(arith::ConstantOp op,
                                                const Indices &at) {
  auto dense = cast<DenseElementsAttr>(op.getValue());
  if (!dense.isSplat())
    return refuse(op, "one value everywhere");
  return arith::ConstantOp::create(b, dense.getSplatValue<TypedAttr>())
      .getResult();
}

FailureOr<Value> VectorLoops::elementOfBroadcast(vector::BroadcastOp op,
                                                 const Indices &at) {
  auto source = dyn_cast<VectorType>(op.getSourceType());
  if (!source)
    return scalar(op.getSource());
  Indices from(ArrayRef<Value>(at).take_back(source.getRank()));
  for (auto [i, size] : llvm::enumerate(source.getShape()))
    if (size == 1)
      from[i] = index(0);
  return element(op.getSource(), from);
}

/// A sum over the first dimension, in its order.
FailureOr<Value> VectorLoops::elementOfReduction(vector::MultiDimReductionOp op,
                                                 const Indices &at) {
  if (op.getKind() != vector::CombiningKind::ADD ||
      op.getReductionMask() != SmallVector<bool>{true, false})
    return refuse(op, "a sum over the first of two dimensions");
  FailureOr<Value> first = element(op.getAcc(), at);
  if (failed(first))
    return failure();
  auto loop = scf::ForOp::create(b, index(0),
                                 index(op.getSourceVectorType().getDimSize(0)),
                                 index(1), *first);
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPointToEnd(loop.getBody());
  FailureOr<Value> term =
      element(op.getSource(), {loop.getInductionVar(), at.front()});
  if (failed(term))
    return failure();
  Value sum = arith::AddFOp::create(b, loop.getRegionIterArg(0), *term);
  scf::YieldOp::create(b, sum);
  return loop.getResult(0);
}

FailureOr<Value> VectorLoops::isInside(Value mask, std::optional<int64_t> below,
                                       Value row, Value column) {
  Value inside;
  if (mask) {
    FailureOr<Value> isRow = element(mask, {row});
    if (failed(isRow))
      return failure();
    inside = *isRow;
  }
  if (!below)
    return inside;
  Value isColumn = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, column,
                                         index(*below));
  return inside ? arith::AndIOp::create(b, inside, isColumn).getResult()
                : isColumn;
}

/// The indices of an element of a tile of rows.
template <typename RowsOp> static bool hasRow(RowsOp op) {
  return static_cast<bool>(op.getRowVector());
}

FailureOr<Value> VectorLoops::elementOfRows(LoadRowsOp op, const Indices &at) {
  Value row = hasRow(op) ? at.front() : Value(), column;
  if (op.hasColumns())
    column =
        arith::AddIOp::create(b, scalar(op.getIndices().back()), at.back());
  FailureOr<Value> inside =
      isInside(op.getInside(), op.getBelow(), row, column);
  if (failed(inside))
    return failure();
  if (op.getBelow()) // nothing is read past the end
    column = arith::SelectOp::create(
        b,
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, column,
                              index(*op.getBelow())),
        column, index(0));
  Indices indices;
  for (Value from : op.getIndices()) {
    FailureOr<Value> one = element(from, {row});
    if (failed(one))
      return failure();
    indices.push_back(*one);
  }
  if (column)
    indices.back() = column;
  Value value = memref::LoadOp::create(b, scalar(op.getSource()), indices);
  if (!*inside)
    return value;
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(value.getType()));
  return arith::SelectOp::create(b, *inside, value, zero).getResult();
}

FailureOr<Value> VectorLoops::elementOfRead(vector::TransferReadOp op,
                                            const Indices &at) {
  if (!op.getPermutationMap().isMinorIdentity() || op.hasOutOfBoundsDim() ||
      op.getMask() || !isa<MemRefType>(op.getBase().getType()))
    return refuse(op, "a read that stays inside of an array");
  Indices indices =
      llvm::map_to_vector(op.getIndices(), [&](Value i) { return scalar(i); });
  size_t leading = indices.size() - at.size();
  for (auto [i, offset] : llvm::enumerate(at))
    indices[leading + i] =
        arith::AddIOp::create(b, indices[leading + i], offset);
  return memref::LoadOp::create(b, scalar(op.getBase()), indices).getResult();
}

FailureOr<Value> VectorLoops::pointwise(Operation *op, const Indices &at) {
  if (!OpTrait::hasElementwiseMappableTraits(op) || op->getNumResults() != 1)
    return refuse(op, "an op whose elements are known");
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    FailureOr<Value> one = element(operand, at);
    if (failed(one))
      return failure();
    operands.push_back(*one);
  }
  OperationState state(op->getLoc(), op->getName(), operands,
                       {getElementTypeOrSelf(op->getResult(0).getType())},
                       op->getAttrs());
  return b.create(state)->getResult(0);
}

FailureOr<Value> VectorLoops::compute(Operation *op, const Indices &at) {
  return llvm::TypeSwitch<Operation *, FailureOr<Value>>(op)
      .Case([&](arith::ConstantOp op) { return elementOfConstant(op, at); })
      .Case([&](vector::StepOp) { return FailureOr<Value>(at.front()); })
      .Case([&](vector::BroadcastOp op) { return elementOfBroadcast(op, at); })
      .Case([&](vector::ShapeCastOp op) -> FailureOr<Value> {
        VectorType from = op.getSourceVectorType();
        VectorType to = op.getResultVectorType();
        if (from.getRank() != 1 || to.getRank() != 2 || to.getDimSize(1) != 1)
          return refuse(op, "a column of rows");
        return element(op.getSource(), {at.front()});
      })
      .Case([&](vector::ExtractStridedSliceOp op) -> FailureOr<Value> {
        if (op.hasNonUnitStrides())
          return refuse(op, "a slice without strides");
        Indices from(at);
        for (auto [i, offset] :
             llvm::enumerate(op.getOffsets().getAsRange<IntegerAttr>()))
          from[i] = arith::AddIOp::create(b, at[i], index(offset.getInt()));
        return element(op.getSource(), from);
      })
      .Case([&](vector::MultiDimReductionOp op) {
        return elementOfReduction(op, at);
      })
      .Default([&](Operation *op) { return pointwise(op, at); });
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// Writes all elements of a vector to an array.
LogicalResult VectorLoops::fill(Value array, Value value) {
  auto type = cast<VectorType>(value.getType());
  return forAll(type.getShape(), [&](const Indices &at) -> LogicalResult {
    FailureOr<Value> one = element(value, at);
    if (failed(one))
      return failure();
    memref::StoreOp::create(b, *one, array, at);
    return success();
  });
}

/// Reads a vector here, where it stands.
LogicalResult VectorLoops::keep(Value value) {
  Operation *op = value.getDefiningOp();
  Value array = arrayFor(value.getType());
  LogicalResult done =
      forAll(cast<VectorType>(value.getType()).getShape(),
             [&](const Indices &at) -> LogicalResult {
               auto rows = dyn_cast<LoadRowsOp>(op);
               FailureOr<Value> one =
                   rows ? elementOfRows(rows, at)
                        : elementOfRead(cast<vector::TransferReadOp>(op), at);
               if (failed(one))
                 return failure();
               memref::StoreOp::create(b, *one, array, at);
               return success();
             });
  arrays[value] = array;
  return done;
}

LogicalResult VectorLoops::lowerFor(scf::ForOp loop) {
  SmallVector<Value> init;
  for (auto [first, argument] :
       llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs())) {
    if (!isa<VectorType>(first.getType())) {
      init.push_back(scalar(first));
      continue;
    }
    arrays[argument] = arrayFor(first.getType());
    if (failed(fill(arrays[argument], first)))
      return failure();
  }
  auto steps = scf::ForOp::create(b, scalar(loop.getLowerBound()),
                                  scalar(loop.getUpperBound()),
                                  scalar(loop.getStep()), init);
  scalars.map(loop.getInductionVar(), steps.getInductionVar());
  size_t carried = 0;
  for (auto [argument, result] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getResults())) {
    if (isa<VectorType>(argument.getType())) {
      arrays[result] = arrays[argument];
      continue;
    }
    scalars.map(argument, steps.getRegionIterArg(carried));
    scalars.map(result, steps.getResult(carried++));
  }
  OpBuilder::InsertionGuard restore(b);
  if (init.empty())
    steps.getBody()->getTerminator()->erase();
  b.setInsertionPointToEnd(steps.getBody());
  if (failed(lower(*loop.getBody())))
    return failure();
  // All of them before one is written over.
  SmallVector<Value> next;
  SmallVector<std::pair<Value, Value>> copies;
  for (auto [value, argument] :
       llvm::zip_equal(loop.getYieldedValues(), loop.getRegionIterArgs())) {
    if (!isa<VectorType>(value.getType())) {
      next.push_back(scalar(value));
      continue;
    }
    Value array = arrayFor(value.getType());
    if (failed(fill(array, value)))
      return failure();
    copies.push_back({array, arrays[argument]});
  }
  for (auto [from, to] : copies) {
    ArrayRef<int64_t> shape = cast<MemRefType>(to.getType()).getShape();
    (void)forAll(shape, [&, from = from, to = to](const Indices &at) {
      Value value = memref::LoadOp::create(b, from, at);
      memref::StoreOp::create(b, value, to, at);
      return success();
    });
  }
  scf::YieldOp::create(b, next);
  return success();
}

LogicalResult VectorLoops::lowerIf(scf::IfOp op) {
  SmallVector<Type> types;
  for (Value result : op.getResults())
    if (isa<VectorType>(result.getType()))
      arrays[result] = arrayFor(result.getType());
    else
      types.push_back(result.getType());
  auto copy = scf::IfOp::create(b, types, scalar(op.getCondition()),
                                static_cast<bool>(op.elseBlock()));
  for (auto [from, to] :
       llvm::zip_equal(op->getRegions(), copy->getRegions())) {
    if (from.empty())
      continue;
    OpBuilder::InsertionGuard restore(b);
    if (to.front().mightHaveTerminator())
      to.front().getTerminator()->erase();
    b.setInsertionPointToEnd(&to.front());
    if (failed(lower(from.front())))
      return failure();
    SmallVector<Value> yielded;
    for (auto [value, result] : llvm::zip_equal(
             from.front().getTerminator()->getOperands(), op.getResults())) {
      if (!isa<VectorType>(value.getType()))
        yielded.push_back(scalar(value));
      else if (failed(fill(arrays[result], value)))
        return failure();
    }
    scf::YieldOp::create(b, yielded);
  }
  size_t number = 0;
  for (Value result : op.getResults())
    if (!isa<VectorType>(result.getType()))
      scalars.map(result, copy.getResult(number++));
  return success();
}

LogicalResult VectorLoops::lowerWrite(vector::TransferWriteOp op) {
  AffineMap map = op.getPermutationMap();
  if (!map.isProjectedPermutation() || op.hasOutOfBoundsDim() || op.getMask() ||
      !isa<MemRefType>(op.getBase().getType()))
    return refuse(op, "a write that stays inside of an array");
  auto type = cast<VectorType>(op.getVector().getType());
  return forAll(type.getShape(), [&](const Indices &at) -> LogicalResult {
    FailureOr<Value> one = element(op.getVector(), at);
    if (failed(one))
      return failure();
    Indices indices = llvm::map_to_vector(op.getIndices(),
                                          [&](Value i) { return scalar(i); });
    for (auto [i, offset] : llvm::enumerate(at)) {
      Value &position = indices[map.getDimPosition(i)];
      position = arith::AddIOp::create(b, position, offset);
    }
    memref::StoreOp::create(b, *one, scalar(op.getBase()), indices);
    return success();
  });
}

/// The products are added in the order of the dimension that is summed.
LogicalResult VectorLoops::lowerContract(vector::ContractionOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  auto type = dyn_cast<VectorType>(op.getResultType());
  if (!type || type.getRank() != 2 || maps[0].getNumDims() != 3 ||
      op.getKind() != vector::CombiningKind::ADD ||
      !isa<FloatType>(type.getElementType()))
    return refuse(op, "a product of two matrices of floats");
  unsigned summed = 3;
  for (unsigned dim = 0; dim < 3; ++dim)
    if (!maps[2].isFunctionOfDim(dim))
      summed = dim;
  int64_t depth = 0;
  for (auto [i, expr] : llvm::enumerate(maps[0].getResults()))
    if (cast<AffineDimExpr>(expr).getPosition() == summed)
      depth = op.getLhsType().getDimSize(i);
  Value array = arrayFor(type);
  LogicalResult done =
      forAll(type.getShape(), [&](const Indices &at) -> LogicalResult {
        FailureOr<Value> first = element(op.getAcc(), at);
        if (failed(first))
          return failure();
        auto loop =
            scf::ForOp::create(b, index(0), index(depth), index(1), *first);
        {
          OpBuilder::InsertionGuard restore(b);
          b.setInsertionPointToEnd(loop.getBody());
          auto pick = [&](AffineMap map) {
            return llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
              unsigned dim = cast<AffineDimExpr>(expr).getPosition();
              if (dim == summed)
                return loop.getInductionVar();
              return at[*maps[2].getResultPosition(expr)];
            });
          };
          FailureOr<Value> x = element(op.getLhs(), Indices(pick(maps[0])));
          FailureOr<Value> y = element(op.getRhs(), Indices(pick(maps[1])));
          if (failed(x) || failed(y))
            return failure();
          Value sum = math::FmaOp::create(b, *x, *y, loop.getRegionIterArg(0));
          scf::YieldOp::create(b, sum);
        }
        memref::StoreOp::create(b, loop.getResult(0), array, at);
        return success();
      });
  arrays[op.getResult()] = array;
  return done;
}

LogicalResult VectorLoops::lowerStore(StoreRowsOp op) {
  auto type = cast<VectorType>(op.getValue().getType());
  return forAll(type.getShape(), [&](const Indices &at) -> LogicalResult {
    Value row = hasRow(op) ? at.front() : Value(), column;
    if (op.hasColumns())
      column =
          arith::AddIOp::create(b, scalar(op.getIndices().back()), at.back());
    FailureOr<Value> inside =
        isInside(op.getInside(), op.getBelow(), row, column);
    if (failed(inside))
      return failure();
    OpBuilder::InsertionGuard restore(b);
    if (*inside) {
      auto only = scf::IfOp::create(b, *inside);
      b.setInsertionPoint(only.thenBlock()->getTerminator());
    }
    FailureOr<Value> one = element(op.getValue(), at);
    Indices indices;
    for (Value to : op.getIndices()) {
      FailureOr<Value> position = element(to, {row});
      if (failed(position))
        return failure();
      indices.push_back(*position);
    }
    if (failed(one))
      return failure();
    if (column)
      indices.back() = column;
    memref::StoreOp::create(b, *one, scalar(op.getTarget()), indices);
    return success();
  });
}

LogicalResult VectorLoops::lower(Operation *op) {
  b.setLoc(op->getLoc());
  auto isVector = [](Type type) { return isa<VectorType>(type); };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](scf::ForOp op) { return lowerFor(op); })
      .Case([&](scf::IfOp op) { return lowerIf(op); })
      .Case([&](vector::TransferWriteOp op) { return lowerWrite(op); })
      .Case([&](vector::ContractionOp op) { return lowerContract(op); })
      .Case([&](StoreRowsOp op) { return lowerStore(op); })
      .Case<LoadRowsOp, vector::TransferReadOp>(
          [&](auto op) { return keep(op.getResult()); })
      .Default([&](Operation *op) -> LogicalResult {
        bool hasVectors = llvm::any_of(op->getResultTypes(), isVector) ||
                          llvm::any_of(op->getOperandTypes(), isVector);
        if (hasVectors && isPure(op))
          return success(); // computed where it is needed
        if (hasVectors || op->getNumRegions())
          return refuse(op, "an op of the loops form of products");
        b.clone(*op, scalars);
        return success();
      });
}

LogicalResult VectorLoops::lower(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(lower(&op)))
      return failure();
  return success();
}

LogicalResult VectorLoops::run() {
  made = scf::ForallOp::create(
      b, blocks.getMixedLowerBound(), blocks.getMixedUpperBound(),
      blocks.getMixedStep(), /*outputs=*/ValueRange(), blocks.getMapping());
  made->setDiscardableAttrs(blocks->getDiscardableAttrDictionary());
  made->setAttr(attribute::threads, b.getI64IntegerAttr(1));
  scalars.map(blocks.getInductionVars(), made.getInductionVars());
  b.setInsertionPoint(made.getBody()->getTerminator());
  if (failed(lower(*blocks.getBody())))
    return failure();
  blocks.erase();
  return success();
}

namespace {
struct ConvertGNNTileVectorsToScalarLoops
    : gnn::impl::ConvertGNNTileVectorsToScalarLoopsBase<
          ConvertGNNTileVectorsToScalarLoops> {
  void runOnOperation() override {
    SmallVector<scf::ForallOp> loops;
    getOperation()->walk([&](scf::ForallOp blocks) {
      if (!blocks->hasAttr(attribute::threads))
        loops.push_back(blocks);
    });
    for (scf::ForallOp blocks : loops) {
      remark::passed(
          blocks.getLoc(),
          remark::RemarkOpts::name("Lowered").category(getArgument()))
          << "computed by loops of one thread";
      if (failed(VectorLoops(blocks).run()))
        return signalPassFailure();
    }
  }
};
} // namespace
