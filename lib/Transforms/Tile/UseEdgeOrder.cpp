//===- UseEdgeOrder.cpp - Edges that are sorted need no map ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of edges by destination and the user's are one where the graph says
// so, and a map from the one to the other is the identity.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Dialect/Tile/IR/Tile.h"
#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Tile/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_USEEDGEORDER
#include "GNN/Transforms/Tile/Passes.h.inc"
} // namespace gnn

/// The same rows, without a map where they lie in the order that the template
/// walks.
static AtAttr withoutMap(TileOpInterface op, AtAttr at) {
  RowDomain space = at.getSpace();
  if (!space)
    return at;
  if (ofSortedEdges(space) != ofSortedEdges(op.getStart(at)))
    return at;
  return AtAttr::get(at.getContext(), at.getAnchor(), RowDomain(), at.getHead(),
                     at.getFeature(), at.getOffset(), at.getColumn(),
                     at.getHeadOffset());
}

namespace {
struct UseEdgeOrder : gnn::impl::UseEdgeOrderBase<UseEdgeOrder> {
  void runOnOperation() override {
    getOperation()->walk([&](TileOpInterface op) {
      auto graph =
          SymbolTable::lookupNearestSymbolFrom<GraphOp>(op, op.getGraphAttr());
      bool drops = false, areSorted = graph.getDstSorted();
      AttrTypeReplacer replacer;
      replacer.addReplacement([&](AtAttr at) {
        AtAttr made = withoutMap(op, at);
        drops |= at.getSpace() && !made.getSpace();
        return std::pair(areSorted ? made : at, WalkResult::skip());
      });
      op->walk([&](Operation *inner) {
        if (inner == op || isa<IndexOp>(inner))
          replacer.replaceElementsIn(inner);
      });
      std::string name = "@" + graph.getSymName().str();
      if (drops && areSorted)
        passed(getArgument(), op.getLoc(), "Dropped")
            << "edges of " + name + " are reached without a map";
      else if (drops)
        refused(getArgument(), op.getLoc())
            << name + (graph.isDerived()
                           ? " is derived: nothing is known of its edges"
                           : " does not say that its edges are sorted by "
                             "destination");
    });
  }
};
} // namespace
