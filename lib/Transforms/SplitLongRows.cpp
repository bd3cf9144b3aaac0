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

#include "GNN/Transforms/Passes.h"

#include "GNN/Analysis/CostModel.h"
#include "GNN/Analysis/RowStatistics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_SPLITLONGROWS
#include "GNN/Transforms/Passes.h.inc"
} // namespace gnn

/// Elements above which a row may be long: of 64 to 1024, 64 or 128 were the
/// best on an H200 (benchmarks/results/2026-11-23-h200-long-rows.md). With a
/// lower limit most rows would be cut; with a higher one their blocks end last.
static constexpr int64_t shortest = 64, longest = 128;

namespace {
struct SplitLongRows : gnn::impl::SplitLongRowsBase<SplitLongRows> {
  using SplitLongRowsBase::SplitLongRowsBase;

  LogicalResult initialize(MLIRContext *context) override {
    constexpr int64_t most = std::numeric_limits<int32_t>::max();
    model.emplace(target.getValue(), CostKind::Full);
    if (length >= -1 && length <= most)
      return success();
    return emitError(UnknownLoc::get(context))
           << getArgument() << ": expected 'length' from -1 to " << most
           << ", got " << length.getValue();
  }

  void runOnOperation() override {
    if (length == 0)
      return;
    SmallVector<TraverseOp> ops;
    getOperation()->walk([&](TraverseOp op) {
      if (hasLongRows(op))
        ops.push_back(op);
    });
    for (TraverseOp op : ops)
      visit(op);
  }

private:
  static bool hasLongRows(TraverseOp op);
  void visit(TraverseOp op);
  std::string choose(TraverseOp op, RowDomain &tiles, std::string &gain);
  remark::RemarkOpts named(StringRef name) {
    return remark::RemarkOpts::name(name).category(getArgument());
  }

  std::optional<CostModel> model;
};
} // namespace

/// Whether its groups are nodes or pairs, of which some may have far more
/// elements than others, and it reduces over these.
bool SplitLongRows::hasLongRows(TraverseOp op) {
  RowDomain groups = op.getGroups();
  return (groups.isKind(RowKind::Node) || groups.isKind(RowKind::Pair)) &&
         op.getElements().isOfGraph() && !op.getPartsOf() &&
         !op.getReduced().empty();
}

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
  auto graph =
      SymbolTable::lookupNearestSymbolFrom<GraphOp>(op, op.getGraphAttr());
  StatsAttr stats = graph ? getStats(graph) : nullptr;
  if (!stats)
    return "nothing is known of the length of its rows";
  double most = countLongestGroup(op.getGroups(), op.getElements(), stats);
  if (most <= shortest)
    return llvm::formatv("the longest of its rows has {0:F0} elements, which "
                         "are few",
                         most);
  double now = model->cost(describeTraversal(op, stats));
  double then = std::numeric_limits<double>::infinity();
  for (int64_t n = shortest; n <= longest && n < most; n *= 2) {
    LongRowsWork work = describeLongRows(op, n, stats);
    double cost = model->cost(work.parts) + model->cost(work.rest);
    if (cost < then)
      cut(n);
    then = std::min(then, cost);
  }
  gain = llvm::formatv(": {0} in all instead of {1} by the model, where the "
                       "longest has {2:F0}",
                       model->textOf(then), model->textOf(now), most)
             .str();
  return then < KernelFigures::piecesShare * now
             ? ""
             : "pieces of long rows pay too little" + gain;
}

void SplitLongRows::visit(TraverseOp op) {
  SplitBody split;
  RowDomain tiles;
  std::string gain, why = op.getTileSchedule() ? "it has a schedule" : "";
  if (why.empty())
    why = planSplit(op, split);
  if (why.empty())
    why = choose(op, tiles, gain);
  if (!why.empty()) {
    remark::missed(op->getLoc(), named("NotSplit")) << why;
    return;
  }
  StructureKey key = tiles.getTiles();
  remark::passed(op.getLoc(), named("Split"))
      << llvm::formatv("each '{0}' with more than {1} '{2}' rows is made of "
                       "pieces of as many{3}",
                       name(key.group), key.tile, key.elements.str(), gain)
             .str();
  splitLongRows(op, split, tiles);
}
