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

#include "../Utils/Blocks.h"
#include "../Utils/IndexArrays.h"
#include "../Utils/Products.h"

#include "GNN/Dialect/Tile/IR/ProductLayout.h"
#include "GNN/Transforms/Blocks/Passes.h"
#include "GNN/Transforms/Remarks.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_BLOCKPRODUCTS
#include "GNN/Transforms/Blocks/Passes.h.inc"
} // namespace gnn

namespace {
/// Some rows of one type.
struct TypeRows {
  Value first, count, type;
};

/// The loop that one product becomes.
class ProductBlocks {
public:
  explicit ProductBlocks(TileOpInterface op) : op(op), host(op) {
    host.stateCost();
    structures = host.indexArrays();
    arrays = IndexArrays(op, structures);
  }

  void block(GemmOp gemm, const ProductLayout &layout);
  void block(OuterOp outer, const ProductLayout &layout);

private:
  IndexBuilder openBody(ArrayRef<Value> ends, ArrayRef<int64_t> steps);
  TypeRows locate(IndexBuilder &body, GemmOp gemm, Value rows);
  TypeRows locate(IndexBuilder &body, OuterOp outer, Value rows);
  template <typename ProductOp> ProductOp moveIn();

  TileOpInterface op;
  BlockBuilder host;
  SmallVector<Value> structures;
  IndexArrays arrays;
  BlocksOp loop;
};
} // namespace

/// As many of `most` as are left before `end`.
static Value atMost(IndexBuilder &b, int64_t most, Value end, Value first) {
  return b.min(b.index(most), b.sub(end, first));
}

/// `value` over `by`, and what is left.
static std::pair<Value, Value> divide(IndexBuilder &b, Value value,
                                      int64_t by) {
  auto digits = affine::AffineDelinearizeIndexOp::create(
      b, value, ArrayRef<int64_t>{by}, /*hasOuterBound=*/false);
  return {digits.getResult(0), digits.getResult(1)};
}

IndexBuilder ProductBlocks::openBody(ArrayRef<Value> ends,
                                     ArrayRef<int64_t> steps) {
  loop = host.loop(ends, steps);
  return IndexBuilder(op.getLoc(), loop.getBody()->getTerminator());
}

/// The product in the loop's body, on views of its buffers.
template <typename ProductOp> ProductOp ProductBlocks::moveIn() {
  host.viewOperands();
  op->moveBefore(loop.getBody()->getTerminator());
  return cast<ProductOp>(*op);
}

TypeRows ProductBlocks::locate(IndexBuilder &body, GemmOp gemm, Value rows) {
  constexpr int64_t tileRows = ProductLayout::rows;
  Value tile = loop.getInductionVars()[0];
  if (!gemm.getTypes())
    return {tile, atMost(body, tileRows, rows, tile), {}};
  if (gemm.getTypes()->isFixed()) {
    int64_t perType = gemm.getTypes()->getCount();
    auto [type, number] =
        divide(body, tile, llvm::divideCeil(perType, tileRows));
    Value offset = body.mul(number, tileRows);
    Value first = body.add(body.mul(type, perType), offset);
    return {first, atMost(body, tileRows, body.index(perType), offset), type};
  }
  Value tiles = arrays.get(StructureKey::tiles(gemm.getTypes()->get().space,
                                               gemm.getRows().get(), tileRows));
  Value at = IndexArrays::firstOfTile(body, tile);
  Value type = body.loadIndex(tiles, at);
  Value first = body.loadIndex(tiles, body.add(at, 1));
  Value end = body.loadIndex(tiles, body.add(at, 2));
  return {first, body.sub(end, first), type};
}

TypeRows ProductBlocks::locate(IndexBuilder &body, OuterOp outer, Value rows) {
  if (!outer.getTypes())
    return {body.index(0), rows, {}};
  Value type = loop.getInductionVars()[0];
  if (outer.getTypes()->isFixed()) {
    int64_t perType = outer.getTypes()->getCount();
    return {body.mul(type, perType), body.index(perType), type};
  }
  auto [begin, end] =
      arrays.elementsOf(body, *outer.getTypes(), outer.getRows(), type);
  return {begin, body.sub(end, begin), type};
}

void ProductBlocks::block(GemmOp gemm, const ProductLayout &layout) {
  constexpr int64_t tileRows = ProductLayout::rows;
  Value rows = host.counts.rows(gemm.getRows()), tiles = rows;
  if (gemm.getTypes() && gemm.getTypes()->isFixed()) {
    int64_t perType = gemm.getTypes()->getCount();
    tiles = host.b.index(gemm.getRows().getCount() / perType *
                         llvm::divideCeil(perType, tileRows));
  } else if (gemm.getTypes()) {
    tiles = host.counts.get(CountKey::tileCount(
        gemm.getTypes()->get().space, gemm.getRows().get(), tileRows));
  }
  bool hasHeads = gemm.getOutputAt().getHead();
  IndexBuilder body = openBody(
      {tiles, host.b.index(gemm.getOut()), host.b.index(gemm.getHeads())},
      {gemm.getTypes() ? 1 : tileRows, layout.columns, 1});
  TypeRows range = locate(body, gemm, rows);
  Value weight;
  if (gemm.getWeights())
    weight =
        body.loadIndex(arrays.get(StructureKey::map(gemm.getTypes()->get(),
                                                    gemm.getWeights()->get())),
                       range.type);
  host.b.setInsertionPoint(loop);
  auto ranged = moveIn<GemmOp>();
  ranged.getFirstRowMutable().assign(range.first);
  ranged.getRowCountMutable().assign(range.count);
  if (range.type)
    ranged.getTypeRowMutable().assign(range.type);
  if (weight)
    ranged.getWeightRowMutable().assign(weight);
  ranged.getFirstColumnMutable().assign(loop.getInductionVars()[1]);
  if (hasHeads)
    ranged.getHeadMutable().assign(loop.getInductionVars()[2]);
  ranged.getIndexArraysMutable().assign(structures);
}

void ProductBlocks::block(OuterOp outer, const ProductLayout &layout) {
  int64_t in = outer.getIn();
  int64_t out = outer.getOut();
  int64_t rowTiles = llvm::divideCeil(in, ProductLayout::rows);
  int64_t columnTiles = llvm::divideCeil(out, layout.columns);
  Value rows = host.counts.rows(outer.getRows()), types = host.b.index(1);
  if (outer.getTypes() && outer.getTypes()->isTiles())
    types = host.counts.rows(*outer.getTypes());
  else if (outer.getTypes())
    types = host.b.index(
        cast<ShapedType>(outer.getOutput().getType()).getDimSize(0));
  bool hasHeads = outer.getHeads() && !outer.sumsHeads();
  // Grids have three dimensions: the tiles of a matrix are one of them.
  IndexBuilder body = openBody({types, host.b.index(rowTiles * columnTiles),
                                host.b.index(hasHeads ? outer.getHeads() : 1)},
                               {1, 1, 1});
  TypeRows range = locate(body, outer, rows);
  auto [row, column] = divide(body, loop.getInductionVars()[1], columnTiles);
  Value left = body.mul(row, ProductLayout::rows);
  Value right = body.mul(column, layout.columns);
  host.b.setInsertionPoint(loop);
  auto ranged = moveIn<OuterOp>();
  ranged.getFirstRowMutable().assign(range.first);
  ranged.getRowCountMutable().assign(range.count);
  if (range.type)
    ranged.getTypeRowMutable().assign(range.type);
  ranged.getLeftColumnMutable().assign(left);
  ranged.getRightColumnMutable().assign(right);
  if (hasHeads)
    ranged.getHeadMutable().assign(loop.getInductionVars()[2]);
  ranged.getIndexArraysMutable().assign(structures);
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
      refused(getArgument(), op.getLoc())
          << "the product is already on a range";
      return success();
    }
    for (Type type : op->getOperandTypes())
      if (!isa<MemRefType>(type))
        return op.emitOpError("expected memrefs, got ") << type;
    FailureOr<ProductLayout> layout = getLayout(op);
    if (failed(layout))
      return failure();
    ProductBlocks(op).block(op, *layout);
    passed(getArgument(), op.getLoc(), "Blocked")
        << "tiles of " + counted(ProductLayout::rows, "row") + " and " +
               counted(layout->columns, "column");
    return success();
  }
};
} // namespace
