//===- ScheduleCores.cpp - Traversals on the cores of a CPU ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleUtils.h"

#include "GNN/Analysis/Targets.h"
#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Schedules/Passes.h"

#include <numeric>

using namespace mlir;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_SCHEDULECORES
#include "GNN/Transforms/Schedules/Passes.h.inc"
} // namespace gnn

/// The most rows of a block: so many that a core takes a block seldom.
static constexpr int64_t mostRows = 64;
/// Blocks of each core, if there are so many, so that all cores end together.
static constexpr double blocksOfCore = 4;
/// The least time of a block, which takes some 0.2 us to begin.
static constexpr double leastSeconds = 4e-6;

/// Sets a field that is open.
template <typename Field, typename Value>
static void setOpen(Field &field, Value value) {
  if (!field)
    field = value;
}

/// As many as half of the registers hold as sums of a row, and no more vectors
/// than may be.
static int64_t chooseColumns(const TraverseFacts &facts, int64_t vector,
                             gnn::CoreRegisters registers) {
  if (facts.reducesFeatures)
    return facts.features;
  int64_t vectors = TraverseFacts::mostVectorsOfOneLane / facts.heads;
  int64_t most = std::min(registers.vector * registers.count / 2,
                          vector * std::max<int64_t>(1, vectors));
  return std::min(facts.features, most);
}

/// Few enough rows of a block that all cores have some, and 64 where nothing is
/// known of the graph.
static int64_t chooseRows(TraverseOp op, const TraverseFacts &facts,
                          int64_t columns) {
  auto graph =
      SymbolTable::lookupNearestSymbolFrom<gnn::GraphOp>(op, op.getGraphAttr());
  gnn::StatsAttr stats = graph ? gnn::getStats(graph) : nullptr;
  if (!stats)
    return mostRows;
  const gnn::TargetFigures &figures = gnn::getFigures(op);
  double groups = gnn::countRows(op.getGroups(), stats);
  RowDomain elements = op.getElements();
  double all = elements ? gnn::countRows(elements, stats) : 0;
  double blocksOfRow = llvm::divideCeil(facts.features, columns);
  double bytes = 4.0 * facts.heads * columns * (1 + all / std::max(groups, 1.));
  double seconds = bytes * figures.processors / figures.l2Gather;
  double rows = groups * blocksOfRow / (blocksOfCore * figures.processors);
  return llvm::bit_floor(static_cast<uint64_t>(std::clamp(
      std::max(rows, leastSeconds / seconds), 1., double(mostRows))));
}

/// The fields that are set in the schedule of a core, or an error at a schedule
/// for another target.
static FailureOr<TraverseSchedule> getGiven(TraverseOp op) {
  TraversalScheduleInterface given = op.getScheduleAttr();
  if (!given)
    return TraverseSchedule::ofCore();
  if (isa<CoreScheduleAttr>(given))
    return given.getFields();
  return op.emitOpError("schedule: expected a #")
         << CoreScheduleAttr::name << " for the cores of a CPU, got "
         << Attribute(given);
}

namespace {
struct ScheduleCores : gnn::impl::ScheduleCoresBase<ScheduleCores> {
  using ScheduleCoresBase::ScheduleCoresBase;

  void runOnOperation() override {
    gnn::CoreRegisters registers = gnn::getCoreRegisters(getOperation());
    WalkResult walk = getOperation()->walk([&](TraverseOp op) {
      FailureOr<TraverseSchedule> given = getGiven(op);
      if (failed(given))
        return WalkResult::interrupt();
      TraverseSchedule schedule = *given;
      TraverseFacts facts(op);
      int64_t widest = std::gcd(facts.widestOfCPU, registers.vector);
      if (schedule.columnsPerBlock && schedule.columnsPerBlock < facts.features)
        widest = std::gcd(widest, schedule.columnsPerBlock);
      setOpen(schedule.vector, widest);
      setOpen(schedule.columnsPerBlock,
              chooseColumns(facts, schedule.vector, registers));
      setOpen(schedule.rowsPerBlock,
              chooseRows(op, facts, schedule.columnsPerBlock));
      setOpen(schedule.rowOrder, TakenOrder::Natural);
      schedule.setOn(op);
      if (failed(getPartialLayout(op)))
        return WalkResult::interrupt();
      gnn::passed(getArgument(), op.getLoc(), "Scheduled")
          << "a core takes " + gnn::counted(schedule.rowsPerBlock, "row") +
                 ", in vectors of " + std::to_string(schedule.vector);
      return WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
