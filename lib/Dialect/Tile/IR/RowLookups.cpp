//===- RowLookups.cpp - How edges find the rows that have them ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/TraverseLayout.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

/// The row pointers by which rows find what an access of them leads to.
static std::optional<StructureKey> findPointers(TraverseOp op, AtAttr at) {
  RowDomain rows = op.getGroups(), to = at.getSpace();
  if (op.getElements() || at.getAnchor() != Anchor::Group || !to ||
      !rows.isOfGraph() || !to.isOfGraph() || to != to.getNatural() ||
      (!to.isKind(RowKind::Node) && !to.isKind(RowKind::Pair)) ||
      !needsMap(rows, to) || !checkRows(to.get().space, rows.get()).empty())
    return std::nullopt;
  return StructureKey::rows(to.get().space, rows.get());
}

std::optional<StructureKey> gnn::tile::getSearchedKey(TraverseOp op,
                                                      AtAttr at) {
  if (TraverseSchedule(op).lookup != RowLookup::Search)
    return std::nullopt;
  return findPointers(op, at);
}

std::string gnn::tile::explainSearch(TraverseOp op) {
  auto isSearched = [&](AtAttr at) { return findPointers(op, at).has_value(); };
  for (OpOperand *input : op.getReadInputs())
    if (isSearched(op.getAccess(*input)))
      return "";
  if (llvm::any_of(op.getOutputsAt().getAsRange<AtAttr>(), isSearched))
    return "";
  return "expected rows without elements that lead to a node or pair whose "
         "rows lie side by side, got '" +
         op.getGroups().str() + "'";
}
