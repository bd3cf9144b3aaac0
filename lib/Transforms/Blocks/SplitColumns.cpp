//===- SplitColumns.cpp - Tiles of columns, one after the other -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is gathered of all rows stays in the L2 while a tile is walked, so tiles
// do not run side by side: each is a launch. Later tiles of columns add to what
// earlier ones have stored.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/ColumnTiles.h"
#include "GNN/Dialect/Tile/IR/Combine.h"
#include "GNN/Dialect/Tile/IR/TraverseLayout.h"
#include "GNN/Transforms/Blocks/Passes.h"
#include "GNN/Transforms/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
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
  schedule.setOn(op);
}

/// Takes what an output has already as an input.
static Value readOutput(TraverseOp op, unsigned output) {
  Value buffer = op.getOutputs()[output];
  SmallVector<Attribute> accesses(op.getInputsAt().getValue());
  accesses.push_back(op.getOutputAt(output));
  op.setInputsAtAttr(ArrayAttr::get(op.getContext(), accesses));
  op.getInputsMutable().append(buffer);
  return op.getBody().front().addArgument(
      getElementTypeOrSelf(buffer.getType()), op.getLoc());
}

/// A reduction of a tile's features. Of a mean it is the sum.
static Value reduceTile(OpBuilder &builder, ReduceOp reduce) {
  if (reduce.getKind() == Reduction::Mean)
    reduce.setKind(Reduction::Sum);
  builder.setInsertionPointAfter(reduce);
  return reduce.getResult();
}

/// Adds what earlier tiles have stored to what this one reduces.
static Value addEarlier(OpBuilder &builder, TraverseOp op,
                        PartialResult partial) {
  Value own = reduceTile(builder, partial.reduce);
  Value earlier = readOutput(op, partial.output);
  return arith::getReductionOp(
      getReductionKind(partial.reduce.getKind(), own.getType()), builder,
      partial.reduce.getLoc(), earlier, own);
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
static void storeParts(TraverseOp op, ArrayRef<PartialResult> partial,
                       ValueRange parts) {
  SmallVector<Attribute> accesses;
  SmallVector<Value> outputs;
  for (PartialResult one : partial) {
    outputs.push_back(op.getOutputs()[one.output]);
    accesses.push_back(op.getOutputAt(one.output));
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
static void reduceTiles(TraverseOp op, Taken features, int64_t all) {
  std::string why;
  SmallVector<PartialResult> partial = findPartialResults(op, why);
  bool isLast = features.first + features.count == all;
  OpBuilder builder(op.getContext());
  SmallVector<Value> parts;
  for (PartialResult one : partial) {
    bool isMean = one.reduce.getKind() == Reduction::Mean;
    parts.push_back(features.first ? addEarlier(builder, op, one)
                                   : reduceTile(builder, one.reduce));
    if (isLast)
      finish(builder, one.reduce, parts.back(), isMean, all);
  }
  if (!isLast)
    storeParts(op, partial, parts);
}

static SmallVector<Taken> cut(int64_t all, int64_t each) {
  SmallVector<Taken> tiles;
  for (int64_t first = 0; first < all; first += each)
    tiles.push_back({first, std::min(each, all - first)});
  return tiles;
}

/// Makes a traversal of each tile.
static void split(TraverseOp op, const TraverseLayout &layout,
                  bool reducesColumns) {
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
        reduceTiles(tile, ofFeatures, all);
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
    for (TraverseOp op : ops)
      if (failed(visit(op)))
        return signalPassFailure();
  }

private:
  LogicalResult visit(TraverseOp op) {
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
              ", which add to the result";
    passed(getArgument(), op.getLoc(), "Split")
        << what + ", one after the other";
    split(op, *layout, reducesColumns);
    return success();
  }
};
} // namespace
