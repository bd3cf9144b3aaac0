//===- SplitLongRows.cpp - Long rows as pieces over many blocks -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One block walks a long row while the others have long ended. Here a traversal
// of the pieces of long rows comes first, and the rows are made of what it
// gives.
//
//===----------------------------------------------------------------------===//

#include "SplitSums.h"

#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Tile/Passes.h"

#include "GNN/Analysis/CostModel.h"
#include "GNN/Analysis/RowStatistics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_SPLITLONGROWS
#include "GNN/Transforms/Tile/Passes.h.inc"
} // namespace gnn

namespace {
struct SplitLongRows : gnn::impl::SplitLongRowsBase<SplitLongRows> {
  using SplitLongRowsBase::SplitLongRowsBase;

  LogicalResult initialize(MLIRContext *context) override {
    constexpr int64_t most = std::numeric_limits<int32_t>::max();
    if (length >= -1 && length <= most)
      return success();
    return emitError(UnknownLoc::get(context))
           << getArgument() << ": expected 'length' from -1 to " << most
           << ", got " << length.getValue();
  }

  void runOnOperation() override {
    model.emplace(getOperation(), CostKind::WholeRows);
    SmallVector<TraverseOp> ops;
    getOperation()->walk([&](TraverseOp op) {
      if (mayHaveLongRows(op))
        ops.push_back(op);
    });
    for (TraverseOp op : ops)
      visit(op);
  }

private:
  void visit(TraverseOp op);
  std::string choose(TraverseOp op, RowDomain &tiles, std::string &gain);

  std::optional<CostModel> model;
};
} // namespace

/// Chooses the tiles of rows that are long, or gives the reason why none is:
/// the length for which the cost model gives the least time in all, as `gain`
/// says.
std::string SplitLongRows::choose(TraverseOp op, RowDomain &tiles,
                                  std::string &gain) {
  auto cut = [&](int64_t most) {
    tiles = RowDomain::longTiles(op.getGroups().get().space,
                                 op.getElements().get(), most);
  };
  if (length > 0) {
    cut(length);
    return "";
  }
  StatsAttr stats;
  std::string why = explainCuts(op, stats);
  if (!why.empty())
    return why;
  double most = countLongestGroup(op.getGroups(), op.getElements(), stats);
  if (most <= KernelConstants::shortestPiece)
    return llvm::formatv(
        "the longest row has {0:F0} elements, too few to split", most);
  PiecesChoice choice = choosePieces(*model, op, stats);
  gain = llvm::formatv(
             ": {0} in total instead of {1} by the model; the longest "
             "row has {2:F0} elements",
             model->textOf(choice.pieces), model->textOf(choice.whole), most)
             .str();
  if (!choice.length)
    return ("pieces of long rows " +
            CostModel::explainLoss(choice.whole, choice.pieces) + gain)
        .str();
  cut(choice.length);
  return "";
}

void SplitLongRows::visit(TraverseOp op) {
  SplitBody split;
  RowDomain tiles;
  std::string gain, why = length == 0            ? "it is turned off"
                          : op.getTileSchedule() ? "it has a schedule"
                                                 : "";
  if (why.empty())
    why = planSplit(op, split);
  int64_t edges = length > 0 ? 0 : edgeWalks; // a length is asked for
  if (why.empty() && explainEdges(op, edges, gain, op).empty())
    why = "teams take equal shares of its elements" + gain;
  if (why.empty())
    why = choose(op, tiles, gain);
  if (!why.empty()) {
    refused(getArgument(), op->getLoc()) << why;
    return;
  }
  StructureKey key = tiles.getTiles();
  passed(getArgument(), op.getLoc(), "Split")
      << llvm::formatv("rows of '{0}' with more than {1} elements ('{2}') are "
                       "split into pieces of at most {1}{3}",
                       name(key.group), key.tile, key.elements.str(), gain)
             .str();
  // Each reduction gets parts of its own: equal ones are one before.
  IRRewriter rewriter(op.getContext());
  DominanceInfo dominance(op);
  eliminateCommonSubExpressions(rewriter, dominance, op);
  split = SplitBody();
  planSplit(op, split);
  splitLongRows(op, split, tiles);
}
