//===- Checks.cpp - Checks in front of a kernel's ops ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses and arguments are checked by calls: kernels are mostly run once, and
// comparisons in their code take longer to compile than calls take to run.
// Other checks are a comparison and a cold call that never returns. Extents are
// those of the memref at hand, so a negative index is a large unsigned one.
//
//===----------------------------------------------------------------------===//

#include "GNN/Host/Passes.h"
#include "Lowering.h"
#include "Run/Entries.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/AlignmentAttrInterface.h"

#include <cstddef>
#include <limits>

using namespace mlir;
using namespace gnn::emulator;
using arith::CmpIPredicate;

static_assert(maxRank == gnn::maxMemoryRank, "has an entry for each rank");

//===----------------------------------------------------------------------===//
// CallBuilder
//===----------------------------------------------------------------------===//

Value CallBuilder::i32(int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 32);
}
Value CallBuilder::i64(int64_t value) {
  return arith::ConstantIntOp::create(builder, loc, value, 64);
}
Value CallBuilder::index(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}
Value CallBuilder::toI64(Value value) {
  if (value.getType().isInteger(64))
    return value;
  return arith::IndexCastOp::create(builder, loc, builder.getI64Type(), value);
}
Value CallBuilder::toIndex(Value value) {
  if (value.getType().isIndex())
    return value;
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                    value);
}
Value CallBuilder::add(Value a, Value b) {
  return builder.createOrFold<arith::AddIOp>(loc, a, b);
}
Value CallBuilder::mul(Value a, Value b) {
  return builder.createOrFold<arith::MulIOp>(loc, a, b);
}
Value CallBuilder::mul(Value a, Value b, Value &isLarge) {
  if (matchPattern(a, m_One()))
    return b;
  if (matchPattern(b, m_One()))
    return a;
  auto product =
      arith::MulSIExtendedOp::create(builder, loc, toI64(a), toI64(b));
  Value sign = arith::ShRSIOp::create(builder, loc, product.getLow(), i64(63));
  isLarge =
      either(isLarge, compare(CmpIPredicate::ne, product.getHigh(), sign));
  return toIndex(product.getLow());
}
Value CallBuilder::compare(CmpIPredicate predicate, Value a, Value b) {
  return builder.createOrFold<arith::CmpIOp>(loc, predicate, a, b);
}
Value CallBuilder::either(Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return builder.createOrFold<arith::OrIOp>(loc, a, b);
}
Value CallBuilder::both(Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return builder.createOrFold<arith::AndIOp>(loc, a, b);
}

Value CallBuilder::all(Value when) {
  if (!when)
    return Value();
  return arith::ExtSIOp::create(builder, loc, builder.getI64Type(), when);
}

Value CallBuilder::pointer(Value address) {
  auto type = LLVM::LLVMPointerType::get(builder.getContext());
  return LLVM::IntToPtrOp::create(builder, loc, type, toI64(address));
}

static Value fieldPointer(CallBuilder &emit, int64_t offset) {
  OpBuilder &builder = emit.builder;
  return LLVM::GEPOp::create(
      builder, emit.loc, emit.context.getType(), builder.getI8Type(),
      emit.context, ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
}

Value CallBuilder::field(int64_t offset, Type type, bool constant) {
  auto load =
      LLVM::LoadOp::create(builder, loc, type, fieldPointer(*this, offset));
  load.setInvariant(constant);
  return load;
}

void CallBuilder::setField(int64_t offset, Value value) {
  LLVM::StoreOp::create(builder, loc, value, fieldPointer(*this, offset));
}

Value CallBuilder::call(StringRef name, ValueRange arguments) {
  Operation *&entry = entries[name];
  if (!entry) {
    Operation *user = builder.getInsertionBlock()->getParentOp();
    entry = user->getParentOfType<ModuleOp>().lookupSymbol(name);
  }
  auto call = LLVM::CallOp::create(builder, loc, cast<LLVM::LLVMFuncOp>(entry),
                                   arguments);
  return call.getNumResults() == 0 ? Value() : call.getResult();
}

Value CallBuilder::address(Value memref, ValueRange indices) {
  auto type = cast<MemRefType>(memref.getType());
  int64_t bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  SmallVector<int64_t> strides;
  int64_t offset;
  bool isStatic = succeeded(type.getStridesAndOffset(strides, offset)) &&
                  !ShapedType::isDynamic(offset) &&
                  llvm::none_of(strides, ShapedType::isDynamic);
  Value base =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, memref);
  memref::ExtractStridedMetadataOp metadata;
  Value position;
  if (isStatic) {
    position = index(offset);
  } else {
    metadata = memref::ExtractStridedMetadataOp::create(builder, loc, memref);
    position = metadata.getOffset();
  }
  for (auto [dimension, at] : llvm::enumerate(indices)) {
    Value stride =
        isStatic ? index(strides[dimension]) : metadata.getStrides()[dimension];
    position = add(position, mul(at, stride));
  }
  return add(base, mul(position, index(bytes)));
}

void CallBuilder::failIf(Value condition, uint32_t site, FaultKind kind,
                         function_ref<SmallVector<Value>()> values) {
  if (matchPattern(condition, m_Zero()))
    return;
  auto ifOp = scf::IfOp::create(builder, loc, condition);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(ifOp.thenBlock()->getTerminator());
  for (auto [i, value] : llvm::enumerate(values()))
    setField(offsetof(KernelContext, values) + 8 * i, toI64(value));
  call("gnn_emulator_fail",
       {context, i32(site), i32(static_cast<uint32_t>(kind))});
}

//===----------------------------------------------------------------------===//
// Memory accesses
//===----------------------------------------------------------------------===//

static Value extentOf(CallBuilder &emit, Value memref, int64_t dimension) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.isDynamicDim(dimension))
    return emit.index(type.getDimSize(dimension));
  return memref::DimOp::create(emit.builder, emit.loc, memref, dimension);
}

/// Whether an access is in bounds whatever the thread: of numbers alone.
static bool isWithin(ArrayRef<Value> positions, ArrayRef<Value> extents,
                     Value count) {
  APInt at, extent, last;
  for (auto [dimension, pair] :
       llvm::enumerate(llvm::zip_equal(positions, extents))) {
    if (!matchPattern(std::get<0>(pair), m_ConstantInt(&at)) ||
        !matchPattern(std::get<1>(pair), m_ConstantInt(&extent)) ||
        at.uge(extent))
      return false;
    if (dimension + 1 == positions.size() &&
        (!matchPattern(count, m_ConstantInt(&last)) || (at + last).sgt(extent)))
      return false;
  }
  return true;
}

/// One more than the argument of the kernel that a memref is of; 0: of none.
/// Arrays of blocks and threads have a memory space.
static unsigned numberOfArgument(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  auto argument = dyn_cast<BlockArgument>(memref);
  if (!argument || cast<MemRefType>(memref.getType()).getMemorySpace() ||
      !isa<FunctionOpInterface>(argument.getOwner()->getParentOp()))
    return 0;
  return argument.getArgNumber() + 1;
}

void Checks::check(uint32_t site, Value memref, ValueRange indices,
                   const Access &access) {
  auto type = cast<MemRefType>(memref.getType());
  bool isShared = nvgpu::NVGPUDialect::hasSharedMemoryAddressSpace(type);
  SmallVector<Value> extents;
  for (size_t dimension = 0; dimension < indices.size(); ++dimension)
    extents.push_back(extentOf(emit, memref, dimension));
  FaultKind race = isShared ? access.race : FaultKind::None;
  bool isPlaced = access.alignment > 1 || race != FaultKind::None;
  unsigned loaded = access.isLoad ? numberOfArgument(memref) : 0;
  if (!isPlaced && !loaded &&
      (indices.empty() ||
       isWithin(SmallVector<Value>(indices), extents, access.count)))
    return;
  bool ofElement = !type.getLayout().isIdentity();
  Value address;
  if (!isPlaced)
    address = emit.i64(0);
  else if (ofElement)
    address = emit.toI64(emit.address(memref, indices));
  else
    address = emit.toI64(memref::ExtractAlignedPointerAsIndexOp::create(
        emit.builder, emit.loc, memref));
  AccessKind kind{};
  kind.bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  kind.alignment = llvm::Log2_64(access.alignment);
  kind.race = static_cast<uint64_t>(race);
  kind.ofElement = ofElement;
  kind.byLane = access.byLane;
  kind.loaded = loaded;
  call(site, kind, address, access, indices, extents);
}

void Checks::call(uint32_t site, AccessKind kind, Value address,
                  const Access &access, ValueRange indices,
                  ValueRange extents) {
  SmallVector<Value> arguments{emit.context,
                               emit.i32(site),
                               emit.i64(llvm::bit_cast<int64_t>(kind)),
                               address,
                               emit.toI64(access.count),
                               access.lanes ? access.lanes : emit.i64(-1)};
  for (auto [at, extent] : llvm::zip_equal(indices, extents))
    arguments.append({emit.toI64(at), emit.toI64(extent)});
  emit.call(accessEntry(indices.size()), arguments);
}

void Checks::alignment(uint32_t site, Value address, int64_t alignment,
                       Value when) {
  AccessKind kind{};
  kind.alignment = llvm::Log2_64(alignment);
  kind.ofElement = true;
  call(site, kind, emit.toI64(address), {emit.index(1), emit.all(when)}, {},
       {});
}

static uint64_t alignmentOf(Operation *op) {
  auto aligned = dyn_cast<AlignmentAttrOpInterface>(op);
  return aligned ? aligned.getMaybeAlign().valueOrOne().value() : 1;
}

void Checks::access(uint32_t site, Operation *op, Value memref,
                    ValueRange indices, int64_t count, FaultKind race) {
  check(site, memref, indices,
        {emit.index(count), Value(), alignmentOf(op), race, /*byLane=*/false,
         isa<memref::LoadOp, vector::LoadOp>(op)});
}

void Checks::maskedAccess(uint32_t site, Operation *op, Value memref,
                          ValueRange indices, Value mask, FaultKind race) {
  OpBuilder &builder = emit.builder;
  Location loc = emit.loc;
  constexpr int64_t most = 64; // bits of the argument
  int64_t lanes = cast<VectorType>(mask.getType()).getNumElements();
  for (int64_t first = 0; first < lanes; first += most) {
    int64_t count = std::min(most, lanes - first);
    Value bits = emit.i64(0);
    for (int64_t i = 0; i < count; ++i) {
      Value lane = vector::ExtractOp::create(builder, loc, mask, first + i);
      lane = arith::ExtUIOp::create(builder, loc, builder.getI64Type(), lane);
      lane = arith::ShLIOp::create(builder, loc, lane, emit.i64(i));
      bits = arith::OrIOp::create(builder, loc, bits, lane);
    }
    SmallVector<Value> at(indices);
    at.back() = emit.add(at.back(), emit.index(first));
    check(site, memref, at,
          {emit.index(count), bits, first ? 1 : alignmentOf(op), race,
           /*byLane=*/true, isa<vector::MaskedLoadOp>(op)});
  }
}

//===----------------------------------------------------------------------===//
// Casts, views and divisions
//===----------------------------------------------------------------------===//

void Checks::argumentCast(uint32_t site, memref::ReinterpretCastOp op) {
  auto value = [&](OpFoldResult result) {
    return emit.toI64(
        getValueOrCreateConstantIndexOp(emit.builder, emit.loc, result));
  };
  int64_t bytes = llvm::divideCeil(op.getType().getElementTypeBitWidth(), 8);
  SmallVector<Value> arguments{
      emit.context, emit.i32(site),
      emit.i64(cast<BlockArgument>(op.getSource()).getArgNumber()),
      emit.i64(bytes), value(op.getMixedOffsets().front())};
  for (auto [size, stride] :
       llvm::zip_equal(op.getMixedSizes(), op.getMixedStrides()))
    arguments.append({value(size), value(stride)});
  emit.call(argumentEntry(op.getType().getRank()), arguments);
}

void Checks::view(uint32_t site, memref::ViewOp op) {
  auto type = op.getType();
  int64_t elementBytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  Value bytes = emit.index(elementBytes);
  auto dynamic = op.getSizes().begin();
  Value negative, isLarge;
  for (int64_t size : type.getShape()) {
    Value extent =
        ShapedType::isDynamic(size) ? Value(*dynamic++) : emit.index(size);
    if (ShapedType::isDynamic(size))
      negative = emit.either(
          negative, emit.compare(CmpIPredicate::slt, extent, emit.index(0)));
    bytes = emit.mul(bytes, extent, isLarge);
  }
  Value end = emit.add(op.getByteShift(), bytes);
  isLarge = emit.either(isLarge,
                        emit.compare(CmpIPredicate::slt, end, emit.index(0)));
  Value extent = extentOf(emit, op.getSource(), 0);
  Value bad =
      emit.either(negative, emit.compare(CmpIPredicate::slt, op.getByteShift(),
                                         emit.index(0)));
  bad = emit.either(bad, emit.compare(CmpIPredicate::sgt, end, extent));
  bad = emit.either(bad, isLarge);
  emit.failIf(bad, site, FaultKind::ViewTooLarge,
              [&] { return SmallVector<Value>{end, extent}; });
  // No access to one that is not aligned is possible on a GPU.
  if (elementBytes > 1 && llvm::isPowerOf2_64(elementBytes))
    alignment(site,
              emit.add(emit.address(op.getSource(), emit.index(0)),
                       op.getByteShift()),
              elementBytes,
              emit.compare(CmpIPredicate::ne, bytes, emit.index(0)));
}

void Checks::subview(uint32_t site, memref::SubViewOp op) {
  OpBuilder &builder = emit.builder;
  auto value = [&](OpFoldResult result) {
    return getValueOrCreateConstantIndexOp(builder, emit.loc, result);
  };
  for (int64_t i = 0, rank = op.getSourceType().getRank(); i < rank; ++i) {
    Value offset = value(op.getMixedOffsets()[i]);
    Value size = value(op.getMixedSizes()[i]);
    Value stride = value(op.getMixedStrides()[i]);
    Value extent = extentOf(emit, op.getSource(), i);
    Value zero = emit.index(0);
    // An empty piece may lie at the end.
    Value isLarge;
    Value last = emit.add(
        offset, emit.mul(emit.add(size, emit.index(-1)), stride, isLarge));
    Value outside = emit.both(
        emit.compare(CmpIPredicate::sgt, size, zero),
        emit.either(emit.compare(CmpIPredicate::uge, last, extent), isLarge));
    Value bad = outside; // The last element of a step back is the first.
    for (Value number : {offset, size, stride})
      bad = emit.either(bad, emit.compare(CmpIPredicate::slt, number, zero));
    emit.failIf(bad, site, FaultKind::SubviewOutside, [&] {
      return SmallVector<Value>{emit.index(i), offset, size, stride, extent};
    });
  }
}

void Checks::division(uint32_t site, Operation *op, bool isSigned) {
  OpBuilder &builder = emit.builder;
  Location loc = emit.loc;
  Value left = op->getOperand(0), right = op->getOperand(1);
  Type type = right.getType();
  APInt divisor;
  if (matchPattern(right, m_ConstantInt(&divisor)) && !divisor.isZero() &&
      !(isSigned && divisor.isAllOnes()))
    return;
  Type element = getElementTypeOrSelf(type);
  auto constant = [&](const APInt &value) -> Value {
    TypedAttr attr = builder.getIntegerAttr(element, value);
    if (auto vector = dyn_cast<VectorType>(type))
      attr = DenseElementsAttr::get(vector, Attribute(attr));
    return arith::ConstantOp::create(builder, loc, attr);
  };
  auto any = [&](Value condition) -> Value {
    if (!isa<VectorType>(condition.getType()))
      return condition;
    return vector::ReductionOp::create(builder, loc, vector::CombiningKind::OR,
                                       condition);
  };
  unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  auto none = [] { return SmallVector<Value>(); };
  Value zero = constant(APInt::getZero(width));
  emit.failIf(any(emit.compare(CmpIPredicate::eq, right, zero)), site,
              FaultKind::DivisionByZero, none);
  if (!isSigned)
    return;
  Value overflow =
      emit.both(emit.compare(CmpIPredicate::eq, left,
                             constant(APInt::getSignedMinValue(width))),
                emit.compare(CmpIPredicate::eq, right,
                             constant(APInt::getAllOnes(width))));
  emit.failIf(any(overflow), site, FaultKind::DivisionOverflow, none);
}
