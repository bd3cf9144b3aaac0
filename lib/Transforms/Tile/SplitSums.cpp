//===- SplitSums.cpp - Sums over types and the graph in two steps ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first step has the groups' tiles as groups, the second one as elements.
//
//===----------------------------------------------------------------------===//

#include "SplitSums.h"

#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Tile/Passes.h"

#include "GNN/Analysis/CostModel.h"
#include "GNN/Analysis/RowStatistics.h"
#include "GNN/Analysis/Targets.h"
#include "GNN/Dialect/Tile/IR/ProductLayout.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_SPLITSUMS
#include "GNN/Transforms/Tile/Passes.h.inc"
} // namespace gnn

/// Blocks of the first step for each multiprocessor that fill it.
static constexpr double fullBlocks = 4;

/// And for each core, which runs one at a time, so that all end together: of
/// sums, and of matrices, which take longer to write.
static constexpr double coreBlocks = 32, coreMatrices = 8;

/// How many times as many matrices there are, so that the last ones to end are
/// few, while tiles have as many rows as what they write does not count beside.
static constexpr double moreMatrices = 2;
static constexpr int64_t evenRows = 1024;

/// Rows of a tile, at least: a block walks them in the time of a launch.
static constexpr int64_t leastRows = 256, leastProductRows = 64;

/// Rows of a tile where nothing is known of the graph.
static constexpr int64_t usualRows = 1024;

/// Rows, and tiles, that a group is worth cutting into.
static constexpr int64_t wholeRows = 256;
static constexpr double leastTiles = 2;

/// The most features that a domain has.
static constexpr int64_t mostFeatures = int64_t(1) << 30;

namespace {
/// The facts that bear on how many rows a tile has.
struct SumShape {
  int64_t leastRows;
  double blocks;         ///< of a tile
  bool isMatrix = false; ///< which a tile writes
};

struct SplitSums : gnn::impl::SplitSumsBase<SplitSums> {
  using SplitSumsBase::SplitSumsBase;

  LogicalResult initialize(MLIRContext *context) override {
    constexpr int64_t most = std::numeric_limits<int32_t>::max();
    if (rows >= 0 && rows <= most)
      return success();
    return emitError(UnknownLoc::get(context))
           << getArgument() << ": expected 'rows' from 0 to " << most
           << ", got " << rows.getValue();
  }

  void runOnOperation() override {
    SmallVector<TileOpInterface> templates;
    getOperation()->walk([&](TileOpInterface op) {
      if (isFewGroups(op))
        templates.push_back(op);
    });
    for (TileOpInterface op : templates) {
      if (auto outer = dyn_cast<OuterOp>(*op))
        visit(outer);
      else if (auto traverse = dyn_cast<TraverseOp>(*op))
        visit(traverse);
    }
  }

private:
  static bool isFewGroups(TileOpInterface op) {
    RowDomain groups = op.getGroups();
    return groups.isKind(RowKind::EdgeType) ||
           groups.isKind(RowKind::NodeType) || groups.isKind(RowKind::Graph);
  }
  void visit(OuterOp op);
  void visit(TraverseOp op);
  std::string choose(TileOpInterface op, SumShape shape, RowDomain &tiles);
  void reportDone(TileOpInterface op, RowDomain tiles);
  void reportRefused(Operation *op, StringRef why) {
    refused(getArgument(), op->getLoc()) << why;
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Why no elements are cut into tiles; empty if they may be.
static std::string explainElements(TileOpInterface op) {
  RowDomain elements = op.getElements();
  if (op.getTileSchedule())
    return "it has a schedule";
  if (elements.isFixed())
    return "its rows are those of weights";
  if (elements.isKind(RowKind::EdgeType) || elements.isKind(RowKind::NodeType))
    return "its rows are types, of which there are few";
  if (!elements.isOfGraph())
    return "its rows are tiles already";
  return "";
}

/// Chooses the tiles that the groups of `op` are cut into, or gives the reason
/// why they stay whole.
std::string SplitSums::choose(TileOpInterface op, SumShape shape,
                              RowDomain &tiles) {
  RowDomain groups = op.getGroups(), elements = op.getElements();
  auto cut = [&](int64_t most) {
    tiles = RowDomain::tiles(groups.get().space, elements.get(), most);
    return "";
  };
  if (rows)
    return cut(rows);
  auto graph =
      SymbolTable::lookupNearestSymbolFrom<GraphOp>(op, op.getGraphAttr());
  StatsAttr stats = graph ? getStats(graph) : nullptr;
  if (!stats)
    return cut(usualRows);
  auto rowsFor = [&](double blocksPerProcessor) -> int64_t {
    double count = countRows(elements, stats) * shape.blocks /
                   (blocksPerProcessor * getFigures(op).processors);
    return llvm::bit_floor(
        static_cast<uint64_t>(std::clamp(count, 1., double(1 << 30))));
  };
  double blocks = shareLanesRows(op) ? fullBlocks
                  : shape.isMatrix   ? coreMatrices
                                     : coreBlocks;
  int64_t most = std::max(rowsFor(blocks), shape.leastRows);
  if (shape.isMatrix && most > evenRows)
    most = std::max(rowsFor(moreMatrices * blocks), evenRows);
  double longest = countLongest(groups, elements, stats);
  if (longest <= std::max<double>(leastTiles * most, wholeRows))
    return llvm::formatv("the longest of its groups has {0:F0} rows at most, "
                         "too few for tiles of {1}",
                         longest, most);
  return cut(most);
}

void SplitSums::reportDone(TileOpInterface op, RowDomain tiles) {
  StructureKey key = tiles.getTiles();
  passed(getArgument(), op.getLoc(), "Split")
      << llvm::formatv(
             "the '{0}' rows of each '{1}' are summed in tiles of {2} "
             "first",
             key.elements.str(), name(key.group), key.tile)
             .str();
}

//===----------------------------------------------------------------------===//
// Outer products
//===----------------------------------------------------------------------===//

/// `tensor` as one row of features for each of its leading dimension.
static Value flatten(OpBuilder &builder, Location loc, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.getRank() == 2)
    return tensor;
  SmallVector<ReassociationIndices> dims{{0}, {}};
  for (int64_t i = 1; i < type.getRank(); ++i)
    dims[1].push_back(i);
  return tensor::CollapseShapeOp::create(builder, loc, tensor, dims);
}

/// A tensor without a leading dimension for types with one of 1.
static Value withType(OpBuilder &builder, Location loc, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape{1};
  llvm::append_range(shape, type.getShape());
  SmallVector<ReassociationIndices> dims{{0, 1}};
  for (int64_t i = 1; i < type.getRank(); ++i)
    dims.push_back({i + 1});
  return tensor::ExpandShapeOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()), tensor,
      dims);
}

/// The sum of the `parts` of the tiles of each type, all that a tile has as one
/// row of features, in the place of `output`, which `op` writes.
static Value sumParts(IRRewriter &rewriter, OuterOp op, RowDomain tiles,
                      Value parts, Value output) {
  Location loc = op.getLoc();
  MLIRContext *context = op.getContext();
  auto type = cast<RankedTensorType>(output.getType());
  int64_t features = ShapedType::getNumElements(
      type.getShape().drop_front(op.getTypes() ? 1 : 0));
  // A tensor shared with other templates could not be written in place.
  if (auto empty = output.getDefiningOp<tensor::EmptyOp>())
    output = rewriter.clone(*empty)->getResult(0);
  if (!op.getTypes())
    output = withType(rewriter, loc, output);
  auto whole = cast<RankedTensorType>(output.getType());
  output = flatten(rewriter, loc, output);
  auto at = [&](Anchor anchor) -> Attribute {
    return AtAttr::get(context, anchor, {}, false, true, 0);
  };
  auto sums = TraverseOp::create(
      rewriter, loc, output.getType(), op.getGraphAttr(),
      DomainAttr::get(context, op.getGroups(), tiles, 1, features),
      flatten(rewriter, loc, parts), output,
      rewriter.getArrayAttr(at(Anchor::Element)),
      rewriter.getArrayAttr(at(Anchor::Group)), /*schedule=*/nullptr);
  Block &body = sums.getBody().emplaceBlock();
  Value part = body.addArgument(type.getElementType(), loc);
  OpBuilder inside = OpBuilder::atBlockBegin(&body);
  Value sum = ReduceOp::create(inside, loc, Reduction::Sum,
                               {static_cast<int32_t>(Dim::Element)}, part);
  YieldOp::create(inside, loc, sum);

  Value result = sums.getResult(0);
  if (whole.getRank() > 2) {
    SmallVector<ReassociationIndices> dims{{0}, {}};
    for (int64_t i = 1; i < whole.getRank(); ++i)
      dims[1].push_back(i);
    result = tensor::ExpandShapeOp::create(rewriter, loc, whole, result, dims);
  }
  if (!op.getTypes()) {
    SmallVector<ReassociationIndices> without{{0, 1}};
    for (int64_t i = 2; i < whole.getRank(); ++i)
      without.push_back({i});
    result =
        tensor::CollapseShapeOp::create(rewriter, loc, type, result, without);
  }
  return result;
}

/// The matrices of all tiles, and their sums if they are wanted, then the sum
/// of those of each type.
static void split(IRRewriter &rewriter, OuterOp op, RowDomain tiles) {
  rewriter.setInsertionPoint(op);
  SmallVector<Value> outputs = llvm::to_vector(op.getDpsInits()), parts;
  SmallVector<Type> types;
  for (Value output : outputs) {
    auto type = cast<RankedTensorType>(output.getType());
    parts.push_back(
        emptyParts(rewriter, op.getLoc(), op.getGraphAttr(), tiles,
                   type.getShape().drop_front(op.getTypes() ? 1 : 0),
                   type.getElementType()));
    types.push_back(parts.back().getType());
  }
  auto ofTiles = OuterOp::create(
      rewriter, op.getLoc(), types, op.getGraphAttr(), op.getRowsAttr(),
      RowDomainAttr::get(op.getContext(), tiles), op.getLeft(), op.getRight(),
      parts[0], op.getSums() ? parts[1] : Value(), op.getSumsLeft(),
      op.getInputsAtAttr(),
      /*schedule=*/nullptr);
  SmallVector<Value> results;
  for (auto [part, output] : llvm::zip_equal(ofTiles.getResults(), outputs))
    results.push_back(sumParts(rewriter, op, tiles, part, output));
  rewriter.replaceOp(op, results);
  for (Value output : outputs)
    if (auto empty = output.getDefiningOp<tensor::EmptyOp>())
      if (empty->use_empty())
        rewriter.eraseOp(empty);
}

void SplitSums::visit(OuterOp op) {
  std::string why = explainElements(op);
  auto output = cast<ShapedType>(op.getOutput().getType());
  ArrayRef<int64_t> matrix =
      output.getShape().drop_front(op.getTypes() ? 1 : 0);
  if (why.empty() && ShapedType::getNumElements(matrix) > mostFeatures)
    why = "its matrices are too large to be added up";
  constexpr int64_t side = ProductLayout::rows;
  int64_t a = matrix[matrix.size() - 2], b = matrix.back();
  SumShape shape{leastProductRows,
                 double(llvm::divideCeil(a, side) * llvm::divideCeil(b, side)),
                 /*isMatrix=*/true};
  if (op.getHeads() && !op.sumsHeads())
    shape.blocks *= op.getHeads();
  RowDomain tiles;
  if (why.empty())
    why = choose(op, shape, tiles);
  if (!why.empty())
    return reportRefused(op, why);
  reportDone(op, tiles);
  IRRewriter rewriter(op.getContext());
  split(rewriter, op, tiles);
}

//===----------------------------------------------------------------------===//
// Traversals
//===----------------------------------------------------------------------===//

void SplitSums::visit(TraverseOp op) {
  if (!op.getElements())
    return;
  SplitBody split;
  std::string why = planSplit(op, split);
  if (why.empty() && split.reductions.empty())
    return;
  if (why.empty() && !split.ofElements.empty())
    why = "it writes a row for each of its elements";
  if (std::string before = explainElements(op); !before.empty())
    why = before;
  RowDomain tiles;
  if (why.empty())
    why = choose(op, {leastRows, /*blocks=*/1}, tiles);
  if (!why.empty())
    return reportRefused(op, why);
  reportDone(op, tiles);
  splitTraverse(op, split, tiles);
}
