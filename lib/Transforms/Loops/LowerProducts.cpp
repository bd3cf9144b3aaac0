//===- LowerProducts.cpp - Products on ranges as loops --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Staging and the inner product, which gemm and outer share.
//
//===----------------------------------------------------------------------===//

#include "../Utils/Products.h"
#include "ProductLoops.h"

#include "GNN/Transforms/Loops/Passes.h"
#include "GNN/Transforms/Remarks.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_LOWERPRODUCTS
#include "GNN/Transforms/Loops/Passes.h.inc"
} // namespace gnn

/// Steps of the depth of which threads load some side by side at least: what a
/// warp writes then lies in different banks.
static constexpr int64_t leastDepths = 16;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

int64_t gnn::tile::getAligned(Value memref, AtAttr at, int64_t columns) {
  int64_t width = cast<MemRefType>(memref.getType()).getShape().back();
  return width % 4 || at.getOffset() % 4 || columns % 4 ? 1 : 4;
}

IntegerAttr ProductLoops::columnsBelow(int64_t size, int64_t step,
                                       int64_t offset) {
  return size % step ? b.getI64IntegerAttr(size + offset) : IntegerAttr();
}

ProductLoops::ClampedRows ProductLoops::rowsFrom(Value first, int64_t count,
                                                 Value last) {
  auto type = VectorType::get({count}, b.getIndexType());
  Value rows = b.add(b.splat(first, count), vector::StepOp::create(b, type));
  if (!last)
    return {rows, {}};
  Value end = b.splat(last, count);
  Value inside = arith::CmpIOp::create(b, arith::CmpIPredicate::sle, rows, end);
  return {b.min(rows, end), inside};
}

ProductLoops::ClampedRows ProductLoops::rowsFrom(Value first, int64_t count,
                                                 int64_t size) {
  return rowsFrom(first, count, size % count ? b.index(size - 1) : Value());
}

Value ProductLoops::constant(ArrayRef<int64_t> shape, double value) {
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(VectorType::get(shape, element),
                                b.getFloatAttr(element, value)));
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

ProductLoops::ProductLoops(TileOpInterface op, ValueRange arrays,
                           const ProductLayout &layout, Type element,
                           ProductOperand left, ProductOperand right)
    : b(op.getLoc(), op), arrays(op, arrays), layout(layout), element(element),
      left(makeSide(ProductLayout::rows, left, layout.copiesLeft,
                    /*other=*/Value())),
      right(makeSide(layout.columns, right, layout.copiesRight,
                     this->left.array)) {}

SpreadAttr ProductLoops::spread(ArrayRef<int64_t> each,
                                ArrayRef<int64_t> lanes) {
  return SpreadAttr::get(b.getContext(), each, lanes);
}

SpreadAttr ProductLoops::sumsSpread() {
  return spread({layout.rowsPerThread(), ProductLayout::columnsPerThread},
                {ProductLayout::threads / layout.threadsPerRow(),
                 layout.threadsPerRow()});
}

VectorType ProductLoops::loadedType(const StagedSide &side) {
  return side.operand.byDepth
             ? VectorType::get({side.extent, layout.depth}, element)
             : VectorType::get({layout.depth, side.extent}, element);
}

/// An array to stage a side in: one that a product before has in the block, if
/// `other` is another one.
Value ProductLoops::makeArray(int64_t extent, Value other) {
  auto space = gpu::AddressSpaceAttr::get(
      b.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  auto type = MemRefType::get({layout.depth, extent}, element,
                              MemRefLayoutAttrInterface(), space);
  for (auto array : b.getInsertionBlock()->getOps<ArrayOp>())
    if (array.getArray().getType() == type && array.getArray() != other)
      return array;
  return ArrayOp::create(b, type, std::min<int64_t>(4, extent / 8));
}

ProductLoops::StagedSide ProductLoops::makeSide(int64_t extent,
                                                ProductOperand operand,
                                                bool isCopied, Value other) {
  constexpr int64_t threads = ProductLayout::threads;
  Value array = makeArray(extent, other);
  // A thread loads vectors if there are enough of them for all.
  int64_t perThread = layout.depth * extent / threads;
  int64_t width = std::min(operand.aligned, perThread);
  int64_t line = operand.byDepth
                     ? std::max(leastDepths, threads * width / extent)
                     : extent;
  return {extent, operand, array,
          spread({1, width}, {threads * width / line, line / width}), isCopied};
}

/// Stages a tile, depth first.
void ProductLoops::stage(const StagedSide &side, Value tile) {
  StageOp::create(b, tile, side.array, b.index(0),
                  /*transposed=*/side.operand.byDepth, layout.loadsAhead,
                  side.isCopied ? Staging::Async : Staging::Registers,
                  side.spread);
}

Value ProductLoops::readStaged(const StagedSide &side) {
  Value zero = b.index(0);
  Value padding = arith::ConstantOp::create(b, b.getZeroAttr(element));
  return vector::TransferReadOp::create(
      b, VectorType::get({layout.depth, side.extent}, element), side.array,
      ValueRange{zero, zero}, padding,
      AffineMap::getMultiDimIdentityMap(2, b.getContext()),
      ArrayRef<bool>{true, true});
}

Value ProductLoops::multiply(Value sums, Value leftTile, Value rightTile) {
  stage(left, leftTile);
  stage(right, rightTile);
  Value x = readStaged(left), y = readStaged(right);
  return ContractOp::create(b, sums.getType(), x, y, sums,
                            layout.onTensorCores ? ProductKind::TF32x3
                                                 : ProductKind::FFMA,
                            sumsSpread());
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct LowerProducts : gnn::impl::LowerProductsBase<LowerProducts> {
  void runOnOperation() override {
    auto lower = [&](auto op, const ProductLayout &layout) {
      lowerToLoops(op, layout);
      passed(getArgument(), op.getLoc(), "Lowered")
          << ("steps of " + Twine(layout.depth)).str();
      op.erase();
      return success();
    };
    if (failed(forEachProductOnRange(getOperation(), lower)))
      signalPassFailure();
  }
};
} // namespace
