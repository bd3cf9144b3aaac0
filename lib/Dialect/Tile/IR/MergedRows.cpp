//===- MergedRows.cpp - Groups that a team takes together -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/Ranges.h"
#include "GNN/Dialect/Tile/IR/TraverseLayout.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

/// The rows of features that elements lead to, of the first such input.
static RowDomain findTarget(TraverseOp op) {
  for (OpOperand *input : op.getReadInputs()) {
    AtAttr at = op.getAccess(*input);
    if (at.getAnchor() == Anchor::Element && at.getFeature() && at.getSpace() &&
        at.getSpace().isOfGraph() && needsMap(op.getElements(), at.getSpace()))
      return at.getSpace();
  }
  return RowDomain();
}

std::optional<StructureKey> gnn::tile::getMergedKey(TraverseOp op) {
  TraverseSchedule schedule(op);
  if (schedule.rowsPerTeam < 2 || !explainMerge(op).empty())
    return std::nullopt;
  OrderedSpace groups = op.getGroups().get();
  TakenOrder taken = schedule.rowOrder.value_or(TakenOrder::Natural);
  if (std::optional<StructureKey> order = getOrderKey(groups, taken))
    groups = order->elements;
  return StructureKey::merged(groups, op.getElements().get(),
                              findTarget(op).get(), schedule.rowsPerTeam,
                              op.getLongLength());
}

std::string gnn::tile::explainMerge(TraverseOp op) {
  RowDomain groups = op.getGroups(), elements = op.getElements();
  if (!elements.isOfGraph() || groups != groups.getNatural() ||
      (!groups.isKind(RowKind::Node) && !groups.isKind(RowKind::Pair)))
    return ("expected nodes or pairs that have elements, got '" + groups.str() +
            "'");
  if (isForBlock(op))
    return "expected rows that are left to no other template of the block";
  if (op.joinsPieces())
    return "expected elements, got pieces of a walk by edges";
  if (countWalks(op) != 1)
    return "expected elements that are walked once";
  for (Operation &inner : op.getBody().front().without_terminator()) {
    auto reduce = dyn_cast<ReduceOp>(inner);
    if (reduce && !reducesElements(reduce) &&
        getLevel(reduce.getValue()).element)
      return "expected features and heads of elements that are not reduced";
    bool adds = reduce && reduce.getDims().size() == 1 &&
                (reduce.getKind() == Reduction::Sum ||
                 reduce.getKind() == Reduction::Mean);
    if (reducesElements(&inner) && !adds)
      return ("expected sums and means over elements alone, got '" +
              inner.getName().getStringRef() + "'" +
              (reduce ? " " + stringifyReduction(reduce.getKind()) : ""))
          .str();
  }
  if (llvm::any_of(op.getOutputsAt().getAsRange<AtAttr>(),
                   [](AtAttr at) { return at.getAnchor() == Anchor::Element; }))
    return "expected no results of elements";
  if (!findTarget(op))
    return "expected rows of features that elements lead to";
  return "";
}
