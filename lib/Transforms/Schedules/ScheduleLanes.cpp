//===- ScheduleLanes.cpp - Lanes of a row ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleUtils.h"

#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Schedules/Passes.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_SCHEDULELANES
#include "GNN/Transforms/Schedules/Passes.h.inc"
} // namespace gnn

namespace {
struct ScheduleLanes : gnn::impl::ScheduleLanesBase<ScheduleLanes> {
  void runOnOperation() override {
    getOperation()->walk([&](TraverseOp op) {
      if (!gnn::isForGPU(op))
        return;
      TraverseSchedule schedule(op);
      TraverseFacts facts = gnn::getScheduleFacts(op);
      bool isOpen = !schedule.elementLanes;
      bool isDot = facts.isDotOfTeams() && !schedule.lanes;
      TraverseSchedule given = schedule;
      chooseLanes(schedule, facts);
      schedule.setOn(op);
      if (isOpen && facts.walksElements)
        explain(op, schedule, facts);
      if (isDot)
        explainDot(op, given, schedule, facts);
    });
  }

private:
  /// Says where vectors decided that lanes have several of them.
  void explainDot(TraverseOp op, TraverseSchedule all,
                  const TraverseSchedule &schedule, TraverseFacts facts) {
    TraverseLayout layout = layOut(schedule, facts);
    facts.gathersForGroups = false;
    chooseLanes(all, facts);
    int64_t lanes = layout.threadsPerRow();
    int64_t most = layOut(all, facts).threadsPerRow();
    if (lanes < most)
      gnn::passed(getArgument(), op.getLoc(), "FewerWarps")
          << llvm::formatv("a row has {0} instead of {1}, with {2} each, so "
                           "that fewer warps run",
                           lanes, gnn::counted(most, "lane"),
                           gnn::counted(layout.vectorsOfLane(), "vector"))
                 .str();
    else
      gnn::refused(getArgument(), op.getLoc())
          << llvm::formatv("a row has {0}, with {1} each: fewer lanes would "
                           "save warps, but take longer for their loads",
                           gnn::counted(lanes, "lane"),
                           gnn::counted(layout.vectorsOfLane(), "vector"))
                 .str();
  }

  /// The reason why the length of groups leaves the number of lanes as it is.
  static StringRef explainKept(const TraverseSchedule &schedule,
                               const TraverseFacts &facts) {
    if (schedule.rowWalk == RowWalk::ByEdges)
      return "a walk by edges has one";
    if (facts.shufflesInsideElements)
      return "reductions of features take whole warps";
    if (schedule.elementLanes == 1 &&
        layOut(schedule, facts).threadsPerRow() >= facts.limits.lanes)
      return "its features take all lanes of a warp";
    return "only shorter groups get fewer";
  }

  /// Says where the length of groups decided, and where it is not known.
  void explain(TraverseOp op, const TraverseSchedule &schedule,
               const TraverseFacts &facts) {
    int64_t lanes = schedule.elementLanes;
    TraverseFacts unknown = facts;
    unknown.meanLength = 0;
    TraverseSchedule before = schedule;
    before.elementLanes = 0;
    chooseLanes(before, unknown);
    TraverseFacts many = facts; // of which no GPU has all at work at once
    many.processors = 0;
    TraverseSchedule ofMany = schedule;
    ofMany.elementLanes = 0;
    chooseLanes(ofMany, many);
    if (lanes > ofMany.elementLanes)
      gnn::passed(getArgument(), op.getLoc(), "IdleLanes")
          << llvm::formatv("groups are so few that lanes would idle: {0} "
                           "instead of {1} lanes take their {2:F1} elements",
                           lanes, ofMany.elementLanes, facts.meanLength)
                 .str();
    else if (lanes < before.elementLanes)
      gnn::passed(getArgument(), op.getLoc(), "ShortGroups")
          << llvm::formatv(
                 "groups have {0:F1} elements on average: {1} instead "
                 "of {2} lanes take them",
                 facts.meanLength, lanes, before.elementLanes)
                 .str();
    else
      gnn::refused(getArgument(), op.getLoc())
          << llvm::formatv(
                 "a group of {0} keeps {1} for its elements: {2}",
                 facts.meanLength ? llvm::formatv("{0:F1} elements on average",
                                                  facts.meanLength)
                                        .str()
                                  : "unknown length",
                 gnn::counted(lanes, "lane"), explainKept(schedule, facts))
                 .str();
  }
};
} // namespace
