//===- ListCosts.cpp - Costs of traversals by the model -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each traversal with its time and what that is made of, for those who hold it
// against what is measured.
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/ColumnTiles.h"
#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Dialect/Tile/IR/TraverseLayout.h"
#include "GNN/Transforms/Schedules/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_LISTCOSTS
#include "GNN/Transforms/Schedules/Passes.h.inc"
} // namespace gnn

static void print(llvm::json::OStream &json, const GatherWork &gather) {
  json.object([&] {
    json.attribute("rows", gather.rows);
    json.attribute("row_bytes", gather.rowBytes);
    json.attribute("table_rows", gather.tableRows);
    json.attribute("ranges", gather.ranges);
    json.attribute("written", gather.isWritten);
    json.attribute("again", gather.isAgain);
    json.attribute("skew", gather.skew);
    json.attributeArray("near", [&] {
      for (GatherWork::Near near : gather.near)
        json.array([&] {
          json.value(near.rows);
          json.value(near.share);
        });
    });
  });
}

namespace {
struct ListCosts : gnn::impl::ListCostsBase<ListCosts> {
  using ListCostsBase::ListCostsBase;

  void runOnOperation() override {
    CostModel model(getOperation(), getCostKind(longRows));
    getOperation().walk([&](TraverseOp op) {
      auto graph =
          SymbolTable::lookupNearestSymbolFrom<GraphOp>(op, op.getGraphAttr());
      if (StatsAttr stats = graph ? getStats(graph) : nullptr)
        print(op, model, stats);
    });
    markAllAnalysesPreserved();
  }

private:
  static void print(TraverseOp op, const CostModel &model, StatsAttr stats);
  static void printWalk(llvm::json::OStream &json, TraverseOp op,
                        const TraverseLayout &layout, const CostModel &model,
                        StatsAttr stats);
};
} // namespace

void ListCosts::print(TraverseOp op, const CostModel &model, StatsAttr stats) {
  TraverseSchedule schedule(op);
  TraverseLayout layout = layOut(schedule, TraverseFacts(op));
  std::string domain;
  llvm::raw_string_ostream(domain) << op.getDomain();
  llvm::json::OStream json(llvm::outs());
  json.object([&] {
    json.attribute("function", op->getParentOfType<func::FuncOp>().getName());
    json.attribute("domain", domain);
    json.attribute("launches", countLaunches(op));
    json.attribute("seconds", costScheduled(model, op, stats));
    if (op.isByEdges())
      printWalk(json, op, layout, model, stats);
  });
  llvm::outs() << "\n";
}

/// One tile of it, by the names of `KernelWork`.
void ListCosts::printWalk(llvm::json::OStream &json, TraverseOp op,
                          const TraverseLayout &layout, const CostModel &model,
                          StatsAttr stats) {
  DomainAttr domain = op.getDomain();
  int64_t heads = llvm::divideCeil(domain.getHeads(), layout.headTiles);
  int64_t columns = llvm::divideCeil(domain.getFeatures(), layout.columnTiles);
  KernelWork work = describeByEdges(op, stats, heads, columns);
  TraverseFacts facts = getScheduleFacts(op, stats);
  TraverseSchedule schedule = scheduleByEdges(op, facts, heads, columns);
  WalkSteps steps = describeSteps(op, facts, schedule);
  json.attributeObject("walk", [&] {
    json.attribute("joins", !op.getReduced().empty());
    json.attribute("tiles", layout.headTiles * layout.columnTiles);
    json.attribute("elements", countRows(op.getElements(), stats));
    // Those that it meets the ends of.
    bool isCyclic = schedule.distribution == ElementDistribution::Cyclic;
    json.attribute("rows", isCyclic ? 0 : countRows(op.getGroups(), stats));
    json.attribute("in_flight", schedule.inFlight);
    json.attribute("operations", steps.operations);
    json.attribute("warps", steps.warps);
    json.attribute("results", steps.results);
    json.attribute("reduces_features", steps.reducesFeatures);
    json.attribute("is_crowded", steps.isCrowded);
    json.attribute("stream_bytes", work.streamBytes);
    json.attribute("seconds", model.cost(work));
    json.attributeArray("gathers", [&] {
      for (const GatherWork &gather : work.gathers)
        ::print(json, gather);
    });
  });
}
