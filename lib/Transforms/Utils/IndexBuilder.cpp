//===- IndexBuilder.cpp - Index arithmetic and accesses -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexBuilder.h"

#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace gnn::tile;

IndexBuilder::Values
IndexBuilder::loop(Value begin, Value end, Value step, ValueRange inits,
                   function_ref<Values(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(*this, begin, end, step, inits);
  InsertionGuard restore(*this);
  if (inits.empty())
    setInsertionPoint(loop.getBody()->getTerminator());
  else
    setInsertionPointToEnd(loop.getBody());
  Values next = body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!inits.empty())
    scf::YieldOp::create(*this, next);
  return loop.getResults();
}

void IndexBuilder::loop(Value begin, Value end, Value step,
                        function_ref<void(Value)> body) {
  (void)loop(begin, end, step, {}, [&](Value at, ValueRange) {
    body(at);
    return Values();
  });
}

FailureOr<IndexBuilder::Values>
IndexBuilder::branchLike(scf::IfOp op, Value condition, TypeRange types,
                         function_ref<FailureOr<Values>(Block &)> fill) {
  auto copy = scf::IfOp::create(*this, types, condition,
                                static_cast<bool>(op.elseBlock()));
  for (auto [from, to] :
       llvm::zip_equal(op->getRegions(), copy->getRegions())) {
    if (from.empty())
      continue;
    InsertionGuard restore(*this);
    if (to.front().mightHaveTerminator())
      to.front().getTerminator()->erase();
    setInsertionPointToEnd(&to.front());
    FailureOr<Values> yielded = fill(from.front());
    if (failed(yielded))
      return failure();
    scf::YieldOp::create(*this, *yielded);
  }
  return Values(copy.getResults());
}

void IndexBuilder::where(Value condition, function_ref<void()> body) {
  InsertionGuard restore(*this);
  if (condition)
    setInsertionPointToStart(
        scf::IfOp::create(*this, condition, /*withElseRegion=*/false)
            .thenBlock());
  body();
}

Value IndexBuilder::splat(Value x, int64_t count) {
  return vector::BroadcastOp::create(*this,
                                     VectorType::get({count}, x.getType()), x);
}

Value IndexBuilder::indexLike(Value x, int64_t value) {
  if (auto type = dyn_cast<VectorType>(x.getType()))
    return splat(index(value), type.getDimSize(0));
  return x.getType().isIndex()
             ? index(value)
             : arith::ConstantIntOp::create(*this, x.getType(), value);
}

Value IndexBuilder::loadIndex(Value array, Value at) {
  Value loaded;
  if (auto type = dyn_cast<VectorType>(at.getType()))
    loaded = LoadRowsOp::create(
        *this, VectorType::get(type.getShape(), getI32Type()), array, at,
        /*inside=*/Value(), /*below=*/IntegerAttr(), /*aligned=*/1);
  else
    loaded = memref::LoadOp::create(*this, array, at);
  return arith::IndexCastOp::create(*this, at.getType(), loaded);
}

/// Buffers begin at 16 bytes.
static uint64_t alignmentOf(VectorType type) {
  return std::min<uint64_t>(16, type.getNumElements() *
                                    type.getElementTypeBitWidth() / 8);
}

Value IndexBuilder::loadVector(Value memref, ValueRange indices, int64_t width,
                               bool isAligned) {
  if (width == 1)
    return memref::LoadOp::create(*this, memref, indices);
  auto type = VectorType::get(
      {width}, cast<MemRefType>(memref.getType()).getElementType());
  auto load = vector::LoadOp::create(*this, type, memref, indices);
  if (isAligned)
    load.setAlignment(alignmentOf(type));
  return load;
}

void IndexBuilder::storeVector(Value value, Value memref, ValueRange indices,
                               bool isAligned) {
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type) {
    memref::StoreOp::create(*this, value, memref, indices);
    return;
  }
  auto store = vector::StoreOp::create(*this, value, memref, indices);
  if (isAligned)
    store.setAlignment(alignmentOf(type));
}
