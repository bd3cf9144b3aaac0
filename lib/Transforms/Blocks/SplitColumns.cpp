//===- SplitColumns.cpp - Tiles of columns, one after the other -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gathered columns of all rows stay in the L2 while a tile is walked, so
// tiles do not run side by side: each is a launch. Later tiles of columns add
// to what earlier ones have stored.
//
//===----------------------------------------------------------------------===//

#include "Behind.h"

#include "GNN/Dialect/Tile/IR/ColumnTiles.h"
#include "GNN/Dialect/Tile/IR/Combine.h"
#include "GNN/Dialect/Tile/IR/TraverseLayout.h"
#include "GNN/Transforms/Blocks/Passes.h"
#include "GNN/Transforms/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_SPLITCOLUMNS
#include "GNN/Transforms/Blocks/Passes.h.inc"
} // namespace gnn

namespace {
/// The heads or the features that a tile takes.
struct Taken {
  int64_t first, count;
};
} // namespace

/// The heads and features of a tile, and the access of an operand to them.
static void take(TraverseOp op, Taken heads, Taken features) {
  DomainAttr domain = op.getDomain();
  op.setDomainAttr(DomainAttr::get(op.getContext(), domain.getGroups(),
                                   domain.getElements(), heads.count,
                                   features.count));
  auto from = [&](ArrayAttr accesses) {
    return ArrayAttr::get(op.getContext(),
                          llvm::map_to_vector(accesses.getAsRange<AtAttr>(),
                                              [&](AtAttr at) -> Attribute {
                                                return at.from(heads.first,
                                                               features.first);
                                              }));
  };
  op.setInputsAtAttr(from(op.getInputsAt()));
  op.setOutputsAtAttr(from(op.getOutputsAt()));
  op.getBody().walk([&](IndexOp index) {
    index.setAtAttr(index.getAt().from(heads.first, features.first));
  });
  TraverseSchedule schedule(op);
  schedule.columnsPerBlock = std::min(schedule.columnsPerBlock, features.count);
  if (schedule.headsPerBlock)
    schedule.headsPerBlock = heads.count;
  // One column that is left may be narrower than a vector of the others.
  schedule.vector = std::min(schedule.vector, TraverseFacts(op).widestVector);
  schedule.setOn(op);
}

namespace {
/// Where the parts of a reduction lie, a number for each point.
struct Place {
  Value buffer;
  AtAttr at;
};
} // namespace

/// The outputs that parts lie in, and memory for those of all others.
static SmallVector<Place>
findPlaces(TraverseOp op, ArrayRef<PartialResult> partial, Behind &behind) {
  RowDomain points = op.getElements() ? op.getElements() : op.getGroups();
  Anchor anchor = op.getElements() ? Anchor::Element : Anchor::Group;
  SmallVector<Place> places;
  SmallVector<MemRefType> types;
  for (PartialResult one : partial) {
    if (one.output) {
      places.push_back(
          {op.getOutputs()[*one.output], op.getOutputAt(*one.output)});
      continue;
    }
    bool hasHeads = getLevel(one.reduce.getResult()).head;
    places.push_back(
        {Value(), AtAttr::get(op.getContext(), anchor, RowDomain(), hasHeads,
                              /*feature=*/false, /*offset=*/0)});
    SmallVector<int64_t> shape{ShapedType::kDynamic};
    if (hasHeads)
      shape.push_back(op.getDomain().getHeads());
    types.push_back(MemRefType::get(shape, one.reduce.getType()));
  }
  if (types.empty())
    return places;
  SmallVector<Value> taken = behind.take(op, types, points);
  for (Place &place : places)
    if (!place.buffer) {
      place.buffer = taken.front();
      taken.erase(taken.begin());
    }
  return places;
}

/// Takes what is there already as an input.
static Value readEarlier(TraverseOp op, Place place) {
  SmallVector<Attribute> accesses(op.getInputsAt().getValue());
  accesses.push_back(place.at);
  op.setInputsAtAttr(ArrayAttr::get(op.getContext(), accesses));
  op.getInputsMutable().append(place.buffer);
  return op.getBody().front().addArgument(
      getElementTypeOrSelf(place.buffer.getType()), op.getLoc());
}

/// A reduction of a tile's features. For a mean it is the sum.
static Value reduceTile(OpBuilder &builder, ReduceOp reduce) {
  if (reduce.getKind() == Reduction::Mean)
    reduce.setKind(Reduction::Sum);
  builder.setInsertionPointAfter(reduce);
  return reduce.getResult();
}

/// Adds what earlier tiles have stored to what this one reduces.
static Value addEarlier(OpBuilder &builder, TraverseOp op, ReduceOp reduce,
                        Place place) {
  Value own = reduceTile(builder, reduce);
  Value earlier = readEarlier(op, place);
  return arith::getReductionOp(
      getReductionKind(reduce.getKind(), own.getType()), builder,
      reduce.getLoc(), earlier, own);
}

/// Removes what no output needs.
static void removeUnused(TraverseOp op) {
  SmallVector<Operation *> inner;
  for (Operation &one : op.getBody().front().without_terminator())
    inner.push_back(&one);
  for (Operation *one : llvm::reverse(inner))
    if (isOpTriviallyDead(one))
      one->erase();
}

/// A tile that is not the last one stores the parts, and no other output.
static void storeParts(TraverseOp op, ArrayRef<Place> places,
                       ValueRange parts) {
  SmallVector<Attribute> accesses;
  SmallVector<Value> outputs;
  for (Place place : places) {
    outputs.push_back(place.buffer);
    accesses.push_back(place.at);
  }
  op.getBody().front().getTerminator()->setOperands(parts);
  op.getOutputsMutable().assign(outputs);
  op.setOutputsAtAttr(ArrayAttr::get(op.getContext(), accesses));
  removeUnused(op);
}

/// The last tile has all of each reduction.
static void finish(OpBuilder &builder, ReduceOp reduce, Value all, bool isMean,
                   int64_t features) {
  Operation *last = all.getDefiningOp();
  if (isMean) {
    Value count = arith::ConstantOp::create(
        builder, reduce.getLoc(),
        builder.getFloatAttr(all.getType(), static_cast<double>(features)));
    all = arith::DivFOp::create(builder, reduce.getLoc(), all, count);
  }
  reduce.getResult().replaceUsesWithIf(all, [&](OpOperand &use) {
    return use.getOwner() != last && use.getOwner() != all.getDefiningOp();
  });
}

/// The tile of these features, of which the one that ends at `all` is the last.
static void reduceTiles(TraverseOp op, ArrayRef<Place> places, Taken features,
                        int64_t all) {
  std::string why;
  SmallVector<PartialResult> partial = findPartialResults(op, why);
  bool isLast = features.first + features.count == all;
  OpBuilder builder(op.getContext());
  SmallVector<Value> parts;
  for (auto [one, place] : llvm::zip_equal(partial, places)) {
    bool isMean = one.reduce.getKind() == Reduction::Mean;
    parts.push_back(features.first ? addEarlier(builder, op, one.reduce, place)
                                   : reduceTile(builder, one.reduce));
    if (isLast)
      finish(builder, one.reduce, parts.back(), isMean, all);
  }
  if (!isLast)
    storeParts(op, places, parts);
}

static SmallVector<Taken> cut(int64_t all, int64_t each) {
  SmallVector<Taken> tiles;
  for (int64_t first = 0; first < all; first += each)
    tiles.push_back({first, std::min(each, all - first)});
  return tiles;
}

/// Makes a traversal of each tile.
static void split(TraverseOp op, const TraverseLayout &layout,
                  ArrayRef<Place> places) {
  bool reducesColumns = !places.empty();
  DomainAttr domain = op.getDomain();
  TraverseSchedule schedule(op);
  int64_t all = domain.getFeatures();
  int64_t heads =
      layout.headTiles > 1 ? schedule.headsPerBlock : domain.getHeads();
  int64_t columns = reducesColumns ? schedule.columnsPerBlock : all;
  OpBuilder builder(op);
  for (Taken ofHeads : cut(domain.getHeads(), heads))
    for (Taken ofFeatures : cut(all, columns)) {
      auto tile = cast<TraverseOp>(builder.clone(*op));
      if (reducesColumns)
        reduceTiles(tile, places, ofFeatures, all);
      take(tile, ofHeads, ofFeatures);
    }
  op.erase();
}

namespace {
struct SplitColumns : gnn::impl::SplitColumnsBase<SplitColumns> {
  void runOnOperation() override {
    SmallVector<TraverseOp> ops;
    getOperation()->walk([&](TraverseOp op) {
      if (!op.isOnRange())
        ops.push_back(op);
    });
    Behind behind(getOperation());
    for (TraverseOp op : ops)
      if (failed(visit(op, behind)))
        return signalPassFailure();
    behind.finish();
  }

private:
  LogicalResult visit(TraverseOp op, Behind &behind) {
    FailureOr<TraverseLayout> layout = getLayout(op);
    if (failed(layout))
      return failure();
    bool reducesColumns =
        layout->columnTiles > 1 && TraverseFacts(op).reducesFeatures;
    if (layout->headTiles == 1 && !reducesColumns)
      return success();
    if (op->getNumResults())
      return op.emitOpError("expected memrefs, got ")
             << op->getResult(0).getType();
    std::string why;
    SmallVector<PartialResult> partial;
    if (reducesColumns)
      partial = findPartialResults(op, why);
    bool needsMemory =
        llvm::any_of(partial, [](PartialResult one) { return !one.output; });
    if (needsMemory && !behind.isThere())
      return op.emitOpError("expected a function with a workspace for the "
                            "parts of its sums (gnn-tile-plan-memory)");
    SmallVector<Place> places = findPlaces(op, partial, behind);
    DomainAttr domain = op.getDomain();
    TraverseSchedule schedule(op);
    auto tiles = [](int64_t count, int64_t each, int64_t all, StringRef what) {
      return llvm::formatv("{0} tiles of {1} of {2} {3}", count, each, all,
                           what)
          .str();
    };
    std::string what;
    if (layout->headTiles > 1)
      what = tiles(layout->headTiles, schedule.headsPerBlock, domain.getHeads(),
                   "heads");
    if (reducesColumns)
      what += (what.empty() ? "" : ", each in ") +
              tiles(layout->columnTiles, schedule.columnsPerBlock,
                    domain.getFeatures(), "columns") +
              ", which add to " +
              (needsMemory ? "sums in the workspace" : "the result");
    passed(getArgument(), op.getLoc(), "Split")
        << what + ", one after the other";
    split(op, *layout, places);
    return success();
  }
};
} // namespace
