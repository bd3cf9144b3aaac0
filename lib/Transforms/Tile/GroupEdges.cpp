//===- GroupEdges.cpp - Dots of edges by destination ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A score of each edge reads a row at both ends. Where edges are walked by
// their destinations, in equal shares, a destination's row is read once and
// stays in registers (Hector 3.3.2, SDDMM).
//
//===----------------------------------------------------------------------===//

#include "GroupEdges.h"

#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Tile/Passes.h"

#include "GNN/Analysis/CostModel.h"
#include "GNN/Dialect/Tile/IR/TraverseLayout.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_GROUPEDGES
#include "GNN/Transforms/Tile/Passes.h.inc"
} // namespace gnn

/// Whether an access leads to rows of features at the destination.
static bool readsDestination(AtAttr at) {
  return at.getAnchor() == Anchor::Group &&
         at.getSpace() == RowDomain(Space::Dst) && at.getFeature();
}

std::string gnn::tile::explainNoDot(TraverseOp op) {
  RowDomain groups = op.getGroups();
  if (op.getElements() || !groups.isIn(Space::Edge))
    return "expected one row for each edge";
  if (op.getTileSchedule())
    return "it has a schedule";
  auto accesses =
      llvm::map_to_vector(op.getReadInputs(), [&](OpOperand *input) {
        return op.getAccess(*input);
      });
  if (llvm::none_of(accesses, readsDestination))
    return "it reads no rows of features at destinations";
  if (llvm::any_of(accesses, [](AtAttr at) { return at.getColumn(); }))
    return "it reads weights the other way round";
  auto isOfFeatures = [](AtAttr at) { return at.getFeature(); };
  if (llvm::any_of(op.getOutputsAt().getAsRange<AtAttr>(), isOfFeatures))
    return "its rows have features, which are not reduced";
  return "";
}

/// The same access where edges are elements of their destinations.
static AtAttr ofElement(AtAttr at, RowDomain edges, RowDomain inRows) {
  if (at.getAnchor() != Anchor::Group)
    return at;
  Anchor anchor = Anchor::Element;
  RowDomain space = at.getSpace() ? at.getSpace() : edges;
  if (space == RowDomain(Space::Dst)) {
    anchor = Anchor::Group;
    space = RowDomain();
  } else if (space == inRows) {
    space = RowDomain();
  }
  return AtAttr::get(at.getContext(), anchor, space, at.getHead(),
                     at.getFeature(), at.getOffset());
}

TraverseOp gnn::tile::groupByDestination(TraverseOp op) {
  OpBuilder builder(op);
  RowDomain edges = op.getGroups(), inRows(Space::Edge, RowOrder::InRows);
  auto map = [&](ArrayAttr accesses) {
    return builder.getArrayAttr(llvm::map_to_vector(
        accesses.getAsRange<AtAttr>(),
        [&](AtAttr at) -> Attribute { return ofElement(at, edges, inRows); }));
  };
  auto grouped = cast<TraverseOp>(builder.clone(*op));
  DomainAttr domain = op.getDomain();
  grouped.setDomainAttr(DomainAttr::get(op.getContext(), Space::Dst, inRows,
                                        domain.getHeads(),
                                        domain.getFeatures()));
  grouped.setInputsAtAttr(map(op.getInputsAt()));
  grouped.setOutputsAtAttr(map(op.getOutputsAt()));
  grouped.getBody().walk([&](IndexOp index) {
    index.setAtAttr(ofElement(index.getAt(), edges, inRows));
  });
  return grouped;
}

namespace {
struct GroupEdges : gnn::impl::GroupEdgesBase<GroupEdges> {
  using GroupEdgesBase::GroupEdgesBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (edges >= -1 && edges <= 1)
      return success();
    return emitError(UnknownLoc::get(context))
           << getArgument() << ": expected 'edges' -1, 0 or 1, got "
           << edges.getValue();
  }

  void runOnOperation() override {
    SmallVector<TraverseOp> ops;
    getOperation()->walk([&](TraverseOp op) {
      if (!op.getElements() && op.getGroups().isIn(Space::Edge))
        ops.push_back(op);
    });
    for (TraverseOp op : ops)
      visit(op);
  }

private:
  void visit(TraverseOp op) {
    std::string gain, why = explainNoDot(op);
    if (!why.empty()) {
      refused(getArgument(), op.getLoc()) << why;
      return;
    }
    TraverseOp grouped = groupByDestination(op);
    why = explainEdges(grouped, edges, gain, op);
    if (!why.empty()) {
      grouped.erase();
      refused(getArgument(), op.getLoc()) << why;
      return;
    }
    TraverseSchedule schedule;
    schedule.rowWalk = RowWalk::ByEdges;
    schedule.setOn(grouped);
    op->replaceAllUsesWith(grouped);
    op.erase();
    passed(getArgument(), grouped.getLoc(), "Grouped")
        << ("a destination's row is read once for its edges" + gain);
  }
};
} // namespace
