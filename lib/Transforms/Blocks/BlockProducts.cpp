//===- BlockProducts.cpp - Products as loops over blocks ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block of a gemm takes one tile of rows of one type, from the list that is
// made when the graph is bound; a block of an outer all rows of one type. Such
// tiles are no rectangles of the operands, which are found through index arrays
// besides, so that upstream's tiling, which takes slices of operands, does not
// fit: the range is the op's own.
//
//===----------------------------------------------------------------------===//

#include "../Products.h"
#include "Blocks.h"

#include "GNN/Dialect/Tile/IR/ProductLayout.h"
#include "GNN/Transforms/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_BLOCKPRODUCTS
#include "GNN/Transforms/Passes.h.inc"
} // namespace gnn

namespace {
/// Some rows of one type.
struct Rows {
  Value first, count, type;
};

/// Short names for index arithmetic in the body of a loop over blocks.
struct BodyBuilder {
  ImplicitLocOpBuilder b;

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value add(Value x, int64_t y) {
    return arith::AddIOp::create(b, x, index(y));
  }
  Value sub(Value x, Value y) { return arith::SubIOp::create(b, x, y); }
  Value mul(Value x, int64_t y) {
    return arith::MulIOp::create(b, x, index(y));
  }
  /// As many of `most` as are left before `end`.
  Value atMost(int64_t most, Value end, Value first) {
    return arith::MinSIOp::create(b, index(most), sub(end, first));
  }
  Value loadIndex(Value array, Value at) {
    return arith::IndexCastOp::create(b, b.getIndexType(),
                                      memref::LoadOp::create(b, array, at));
  }
  /// `value` over `by`, and what is left.
  std::pair<Value, Value> divide(Value value, int64_t by) {
    auto digits = affine::AffineDelinearizeIndexOp::create(
        b, value, ArrayRef<int64_t>{by}, /*hasOuterBound=*/false);
    return {digits.getResult(0), digits.getResult(1)};
  }
};

/// What one product becomes.
class ProductBlocks {
public:
  explicit ProductBlocks(TileOpInterface op) : op(op), host(op) {
    host.stateCost();
    arrays = host.indexArrays();
  }

  void block(GemmOp gemm, const ProductLayout &layout);
  void block(OuterOp outer, const ProductLayout &layout);

private:
  Value arrayOf(const StructureKey &key);
  BodyBuilder openBody(ArrayRef<Value> ends, ArrayRef<int64_t> steps);
  Rows locate(BodyBuilder &body, GemmOp gemm, Value rows);
  Rows locate(BodyBuilder &body, OuterOp outer, Value rows);
  template <typename ProductOp> ProductOp moveIn();

  TileOpInterface op;
  BlockBuilder host;
  SmallVector<Value> arrays;
  scf::ForallOp loop;
};
} // namespace

Value ProductBlocks::arrayOf(const StructureKey &key) {
  for (auto [other, array] : llvm::zip_equal(op.getStructures(), arrays))
    if (other == key)
      return array;
  llvm_unreachable("a product names the index arrays that it reads");
}

BodyBuilder ProductBlocks::openBody(ArrayRef<Value> ends,
                                    ArrayRef<int64_t> steps) {
  loop = host.forall(ends, steps);
  return {ImplicitLocOpBuilder(op.getLoc(), loop.getBody()->getTerminator())};
}

/// The product in the loop's body, on views of its buffers.
template <typename ProductOp> ProductOp ProductBlocks::moveIn() {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    AtAttr at = op.getAccess(operand);
    RowDomain rows =
        at ? getRowsOf(
                 at, isa<OuterOp>(*op) ? op.getElements() : op.getGroups(), {})
           : op.getGroups(); // of an outer's matrices
    operand.set(host.view(operand.get(), rows));
  }
  op->moveBefore(loop.getBody()->getTerminator());
  return cast<ProductOp>(*op);
}

Rows ProductBlocks::locate(BodyBuilder &body, GemmOp gemm, Value rows) {
  constexpr int64_t tileRows = ProductLayout::rows;
  Value tile = loop.getInductionVar(0);
  if (!gemm.getTypes())
    return {tile, body.atMost(tileRows, rows, tile), {}};
  if (gemm.getTypes()->isFixed()) {
    int64_t perType = gemm.getTypes()->getCount();
    auto [type, number] =
        body.divide(tile, llvm::divideCeil(perType, tileRows));
    Value offset = body.mul(number, tileRows);
    Value first =
        arith::AddIOp::create(body.b, body.mul(type, perType), offset);
    return {first, body.atMost(tileRows, body.index(perType), offset), type};
  }
  Value tiles = arrayOf(StructureKey::tiles(gemm.getTypes()->get().space,
                                            gemm.getRows().get(), tileRows));
  Value at = body.mul(tile, 3); // (type, begin, end)
  Value type = body.loadIndex(tiles, at);
  Value first = body.loadIndex(tiles, body.add(at, 1));
  Value end = body.loadIndex(tiles, body.add(at, 2));
  return {first, body.sub(end, first), type};
}

Rows ProductBlocks::locate(BodyBuilder &body, OuterOp outer, Value rows) {
  if (!outer.getTypes())
    return {body.index(0), rows, {}};
  Value type = loop.getInductionVar(0);
  if (outer.getTypes()->isFixed()) {
    int64_t perType = outer.getTypes()->getCount();
    return {body.mul(type, perType), body.index(perType), type};
  }
  Value array = arrayOf(getRowsKey(*outer.getTypes(), outer.getRows()));
  Value at = type;
  if (outer.getTypes()->isTiles()) // (type, begin, end)
    at = body.add(body.mul(type, 3), 1);
  Value first = body.loadIndex(array, at);
  Value end = body.loadIndex(array, body.add(at, 1));
  return {first, body.sub(end, first), type};
}

void ProductBlocks::block(GemmOp gemm, const ProductLayout &layout) {
  constexpr int64_t tileRows = ProductLayout::rows;
  Value rows = host.rows(gemm.getRows()), tiles = rows;
  if (gemm.getTypes() && gemm.getTypes()->isFixed()) {
    int64_t perType = gemm.getTypes()->getCount();
    tiles = host.index(gemm.getRows().getCount() / perType *
                       llvm::divideCeil(perType, tileRows));
  } else if (gemm.getTypes()) {
    tiles = host.count(CountKey::tileCount(gemm.getTypes()->get().space,
                                           gemm.getRows().get(), tileRows));
  }
  bool hasHeads = gemm.getOutputAt().getHead();
  BodyBuilder body =
      openBody({tiles, host.index(gemm.getOut()), host.index(gemm.getHeads())},
               {gemm.getTypes() ? 1 : tileRows, layout.columns, 1});
  Rows range = locate(body, gemm, rows);
  Value weight;
  if (gemm.getWeights())
    weight =
        body.loadIndex(arrayOf(StructureKey::map(gemm.getTypes()->get(),
                                                 gemm.getWeights()->get())),
                       range.type);
  host.builder.setInsertionPoint(loop);
  auto ranged = moveIn<GemmOp>();
  ranged.getFirstRowMutable().assign(range.first);
  ranged.getRowCountMutable().assign(range.count);
  if (range.type)
    ranged.getTypeRowMutable().assign(range.type);
  if (weight)
    ranged.getWeightRowMutable().assign(weight);
  ranged.getFirstColumnMutable().assign(loop.getInductionVar(1));
  if (hasHeads)
    ranged.getHeadMutable().assign(loop.getInductionVar(2));
  ranged.getIndexArraysMutable().assign(arrays);
}

void ProductBlocks::block(OuterOp outer, const ProductLayout &layout) {
  int64_t in = cast<ShapedType>(outer.getLeft().getType()).getShape().back();
  int64_t out = cast<ShapedType>(outer.getRight().getType()).getShape().back();
  int64_t rowTiles = llvm::divideCeil(in, ProductLayout::rows);
  int64_t columnTiles = llvm::divideCeil(out, layout.columns);
  Value rows = host.rows(outer.getRows()), types = host.index(1);
  if (outer.getTypes() && outer.getTypes()->isTiles())
    types = host.rows(*outer.getTypes());
  else if (outer.getTypes())
    types =
        host.index(cast<ShapedType>(outer.getOutput().getType()).getDimSize(0));
  bool hasHeads = outer.getHeads() && !outer.sumsHeads();
  // Grids have three dimensions: the tiles of a matrix are one of them.
  BodyBuilder body = openBody({types, host.index(rowTiles * columnTiles),
                               host.index(hasHeads ? outer.getHeads() : 1)},
                              {1, 1, 1});
  Rows range = locate(body, outer, rows);
  auto [row, column] = body.divide(loop.getInductionVar(1), columnTiles);
  Value left = body.mul(row, ProductLayout::rows);
  Value right = body.mul(column, layout.columns);
  host.builder.setInsertionPoint(loop);
  auto ranged = moveIn<OuterOp>();
  ranged.getFirstRowMutable().assign(range.first);
  ranged.getRowCountMutable().assign(range.count);
  if (range.type)
    ranged.getTypeRowMutable().assign(range.type);
  ranged.getLeftColumnMutable().assign(left);
  ranged.getRightColumnMutable().assign(right);
  if (hasHeads)
    ranged.getHeadMutable().assign(loop.getInductionVar(2));
  ranged.getIndexArraysMutable().assign(arrays);
}

namespace {
struct BlockProducts : gnn::impl::BlockProductsBase<BlockProducts> {
  void runOnOperation() override {
    auto each = [&](auto op) { return block(op); };
    if (failed(forEachProduct(getOperation(), each)))
      signalPassFailure();
  }

private:
  template <typename ProductOp> LogicalResult block(ProductOp op) {
    if (op.isOnRange()) {
      remark::missed(op.getLoc(), remark::RemarkOpts::name("Refused").category(
                                      getArgument()))
          << "is on a range already";
      return success();
    }
    for (Type type : op->getOperandTypes())
      if (!isa<MemRefType>(type))
        return op.emitOpError("expected memrefs, got ") << type;
    FailureOr<ProductLayout> layout = getLayout(op);
    if (failed(layout))
      return failure();
    ProductBlocks(op).block(op, *layout);
    remark::passed(op.getLoc(),
                   remark::RemarkOpts::name("Blocked").category(getArgument()))
        << ("tiles of " + Twine(ProductLayout::rows) + " rows and " +
            Twine(layout->columns) + " columns")
               .str();
    return success();
  }
};
} // namespace
