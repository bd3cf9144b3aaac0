//===- LowerTraversals.cpp - Traversals on ranges as loops ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block has a row for each of its teams. It first walks those that are short,
// each by its team, then the long ones one after the other, each by all teams.
//
//===----------------------------------------------------------------------===//

#include "TraversalLoops.h"

#include "GNN/Dialect/Tile/IR/Ranges.h"
#include "GNN/Transforms/Loops/Passes.h"
#include "GNN/Transforms/Remarks.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_LOWERTRAVERSALS
#include "GNN/Transforms/Loops/Passes.h.inc"
} // namespace gnn

TraversalLoops::TraversalLoops(TraverseOp op, TraverseLayout layout)
    : op(op), layout(layout), domain(op.getDomain()), b(op.getLoc(), op),
      arrays(op, op.getIndexArrays()), heads(domain.getHeads()),
      firstRow(op.getFirstRow()) {
  columns =
      std::min(TraverseSchedule(op).columnsPerBlock, domain.getFeatures());
  hasPartOfColumns = domain.getFeatures() % columns;
}

void TraversalLoops::rankValues() {
  for (Operation &inner : op.getBody().front().without_terminator()) {
    int64_t rank = 0;
    for (Value operand : inner.getOperands())
      rank = std::max(rank, ranks.lookup(operand));
    if (reducesElements(&inner)) {
      lastRank = std::max(lastRank, rank);
      ++rank;
    }
    for (Value result : inner.getResults())
      ranks[result] = rank;
  }
  Operation *yield = op.getBody().front().getTerminator();
  for (auto [i, value] : llvm::enumerate(yield->getOperands()))
    if (op.getOutputAt(i).getAnchor() == Anchor::Element)
      lastRank = std::max(lastRank, ranks.lookup(value));
}

/// The row with that number of the range, and its elements: the last one again
/// for those behind.
void TraversalLoops::locateRow(Value number) {
  rowValues.clear();
  rows.clear();
  inside = Value();
  row = firstRow;
  if (number) {
    Value end = op.getEndRow();
    row = b.add(row, number);
    inside = b.less(row, end);
    Value last = b.sub(end, b.index(1));
    row = b.min(row, last);
  }
  if (std::optional<StructureKey> order =
          getOrderKey(domain.getGroups(), layout.rowOrder))
    row = b.loadIndex(arrays.get(*order), row);
  if (!domain.getElements())
    return;
  if (op.joinsPieces())
    locateCutRow();
  IndexArrays::ElementRange elements =
      arrays.elementsOf(b, domain.getGroups(), domain.getElements(), row);
  begin = elements.begin;
  end = elements.end;
  if (inside)
    end = arith::SelectOp::create(b, inside, end, begin);
  walked = end;
  if (op.getPartsOf() && !op.joinsPieces())
    locateParts();
}

/// The row with that number among those that pieces were left of, and these.
void TraversalLoops::locateCutRow() {
  Value list = arrays.get(op.getPartsOf()->getTiles());
  Value entry = IndexArrays::firstOfTile(b, row);
  row = b.loadIndex(list, entry);
  firstPart = b.loadIndex(list, b.add(entry, 1));
  endPart = b.loadIndex(list, b.add(entry, 2));
  ofParts = true;
  if (inside)
    endPart = arith::SelectOp::create(b, inside, endPart, firstPart);
}

/// Where the parts of a long row are. Where rows go by length, those of teams
/// are short; others walk elements or parts, of which they have one alone.
void TraversalLoops::locateParts() {
  bool byLength = layout.rowWalk == RowWalk::ByLength;
  if (byLength && !ofParts)
    return;
  IndexArrays::ElementRange parts =
      arrays.elementsOf(b, domain.getGroups(), *op.getPartsOf(), row);
  firstPart = parts.begin;
  endPart = parts.end;
  if (byLength)
    return;
  Value isLong = b.less(b.index(op.getLongLength()), b.sub(end, begin));
  endPart = arith::SelectOp::create(b, isLong, endPart, firstPart);
  walked = arith::SelectOp::create(b, isLong, begin, end);
}

/// Walks and stores one row.
void TraversalLoops::makeRow() {
  for (int64_t rank = 0; rank <= lastRank; ++rank)
    walkElements(rank);
  storeGroup();
}

void TraversalLoops::storeGroup() {
  auto yield = cast<YieldOp>(op.getBody().front().getTerminator());
  SmallVector<unsigned> outputs;
  for (auto [i, value] : llvm::enumerate(yield.getValues()))
    if (op.getOutputAt(i).getAnchor() != Anchor::Element) {
      (void)valueOf(value); // read before anything is written over it
      outputs.push_back(i);
    }
  if (outputs.empty())
    return;
  b.where(inside, [&] {
    for (unsigned output : outputs)
      store(output);
  });
}

/// Whether a row is left to all teams of the block: by its elements, or by the
/// pieces of which it is joined.
Value TraversalLoops::isLongRow() {
  Value length =
      op.joinsPieces() ? b.sub(endPart, firstPart) : b.sub(end, begin);
  return b.less(b.index(layout.splitRows), length);
}

/// Each team its row. With rows by length, says for each warp whether one of
/// its teams has left its row, because it is long.
Value TraversalLoops::makeTeamRows() {
  bool byLength = layout.rowWalk == RowWalk::ByLength;
  SmallVector<Type> types;
  if (byLength)
    types.push_back(VectorType::get({layout.warps()}, b.getI32Type()));
  auto teams = ParallelOp::create(b, types, layout.rowsPerBlock, Worker::Team);
  OpBuilder::InsertionGuard restore(b);
  Block &body = teams.getBody().emplaceBlock();
  b.setInsertionPointToEnd(&body);
  Value team = body.addArgument(b.getIndexType(), b.getLoc());
  if (layout.rowsPerTeam > 1) {
    makeMergedRows(team);
    YieldOp::create(b);
    return Value();
  }
  locateRow(team);
  Value isLong;
  if (byLength) {
    isLong = isLongRow();
    if (ofParts)
      endPart = arith::SelectOp::create(b, isLong, firstPart, endPart);
    else
      walked = end = arith::SelectOp::create(b, isLong, begin, end);
    Value isShort =
        arith::XOrIOp::create(b, isLong, constant(b.getI1Type(), 1));
    inside = arith::AndIOp::create(b, inside, isShort);
  }
  makeRow();
  if (!byLength) {
    YieldOp::create(b);
    return Value();
  }
  YieldOp::create(b, Value(arith::ExtUIOp::create(b, b.getI32Type(), isLong)));
  Block &both = teams.getCombine().emplaceBlock();
  b.setInsertionPointToEnd(&both);
  Value x = both.addArgument(b.getI32Type(), b.getLoc());
  Value y = both.addArgument(b.getI32Type(), b.getLoc());
  YieldOp::create(b, Value(arith::MaxSIOp::create(b, x, y)));
  return teams.getResult(0);
}

/// Most blocks have no long row: only rows of warps that have one are looked at
/// again. Each condition is the same for the whole block.
void TraversalLoops::makeLongRows(Value flags) {
  int64_t warps = layout.warps(), rowsPerWarp = layout.rowsPerWarp();
  Value zero = constant(b.getI32Type(), 0);
  auto where = [&](Value condition) {
    b.setInsertionPointToStart(
        scf::IfOp::create(b, condition, /*withElseRegion=*/false).thenBlock());
  };
  auto forEach = [&](int64_t count) -> Value {
    if (count == 1)
      return b.index(0);
    auto loop = scf::ForOp::create(b, b.index(0), b.index(count), b.index(1));
    b.setInsertionPointToStart(loop.getBody());
    return loop.getInductionVar();
  };
  OpBuilder::InsertionGuard restore(b);
  where(b.less(zero, vector::ReductionOp::create(
                         b, vector::CombiningKind::MAXSI, flags)));
  Value warp = forEach(warps);
  where(b.less(zero, vector::ExtractOp::create(b, flags, OpFoldResult(warp))));
  Value first = b.mul(warp, rowsPerWarp);
  ofParts = op.getPartsOf().has_value();
  locateRow(b.add(first, forEach(rowsPerWarp)));
  where(isLongRow()); // none past the last one, which have no elements
  byBlock = true;
  makeRow();
}

SpreadAttr TraversalLoops::getSpread() {
  // One lane is all teams, one after the other.
  int64_t teams = layout.isOneLane ? 1 : layout.rowsPerBlock;
  return SpreadAttr::get(b.getContext(), {1, layout.vector},
                         {layout.headLanes, layout.featureLanes}, teams,
                         layout.elementLanes);
}

/// Rows that another template of the block reads: all of them, some at a time.
void TraversalLoops::makeRowsOfBlock() {
  bool isByBlock = layout.rowWalk == RowWalk::Block;
  auto steps = scf::ForOp::create(b, op.getFirstRow(), op.getEndRow(),
                                  b.index(isByBlock ? 1 : layout.rowsPerBlock));
  b.setInsertionPointToStart(steps.getBody());
  firstRow = steps.getInductionVar();
}

void TraversalLoops::run() {
  rankValues();
  auto teams = TeamsOp::create(b, getSpread());
  b.setInsertionPointToStart(teams.getBody());
  if (isForBlock(op))
    makeRowsOfBlock();
  if (layout.rowWalk == RowWalk::Block) {
    byBlock = true;
    locateRow(Value());
    makeRow();
    return;
  }
  if (Value flags = makeTeamRows())
    makeLongRows(flags);
}

static LogicalResult lower(TraverseOp op, StringRef pass) {
  if (!op.isOnRange())
    return op.emitOpError("expected a traversal on a range, got one on all "
                          "rows (gnn-tile-block-traversals makes blocks)");
  FailureOr<TraverseLayout> layout = getLayout(op);
  if (failed(layout))
    return failure();
  auto blocks = dyn_cast<BlocksOp>(op->getParentOp());
  if (!blocks)
    return op.emitOpError("expected a traversal in a loop over blocks, got '")
           << op->getParentOp()->getName() << "'";
  if (layout->isOneLane &&
      layout->vectorsOfLane() > TraverseFacts::mostVectorsOfOneLane) {
    refused(pass, op.getLoc())
        << ("expected at most " + Twine(TraverseFacts::mostVectorsOfOneLane) +
            " vectors of a row, got " + Twine(layout->vectorsOfLane()) +
            ": left for loops of scalars")
               .str();
    return success();
  }
  std::string ahead;
  if (op.isByEdges())
    ahead = lowerEdgeWalk(op, *layout);
  else
    TraversalLoops(op, *layout).run();
  passed(pass, op.getLoc(), "Lowered")
      << (layout->isOneLane
              ? "one lane takes " + counted(layout->rowsPerBlock, "row") +
                    " in turn"
              : counted(layout->rowsPerBlock, "team") + " of " +
                    counted(layout->threadsPerRow(), "lane") + ", row_walk " +
                    stringifyRowWalk(layout->rowWalk).str() + ahead +
                    (layout->rowsPerTeam > 1
                         ? ", " + std::to_string(layout->rowsPerTeam) +
                               " rows a team"
                         : ""));
  op.erase();
  // A lookup that several values need is one. The part in front of the loop is
  // left, so that kernels that do the same stay the same.
  IRRewriter rewriter(blocks.getContext());
  DominanceInfo dominance(blocks);
  eliminateCommonSubExpressions(rewriter, dominance, blocks);
  return success();
}

namespace {
struct LowerTraversals : gnn::impl::LowerTraversalsBase<LowerTraversals> {
  void runOnOperation() override {
    SmallVector<TraverseOp> ops;
    getOperation()->walk([&](TraverseOp op) { ops.push_back(op); });
    for (TraverseOp op : ops)
      if (failed(lower(op, getArgument())))
        return signalPassFailure();
  }
};
} // namespace
