//===- GatherCopies.cpp - Copies to another order read it -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A number of an edge that is written to a place of its own fetches a sector
// and writes it back. One that is read there fetches it alone.
//
//===----------------------------------------------------------------------===//

#include "GroupEdges.h"

#include "GNN/Analysis/CostModel.h"
#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Tile/Passes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_GATHERCOPIES
#include "GNN/Transforms/Tile/Passes.h.inc"
} // namespace gnn

/// Bytes of a row from which it is written as whole sectors.
static constexpr double sectorBytes = 32;

bool gnn::tile::isOtherOrder(TraverseOp op) {
  if (op.getInputs().size() != 1 || op.getNumResults() != 1 ||
      op.getSchedule() || op.getElements())
    return false;
  AtAttr in = op.getInputAt(0), out = op.getOutputAt(0);
  auto from = cast<RankedTensorType>(op.getInputs()[0].getType());
  auto to = cast<RankedTensorType>(op.getResult(0).getType());
  auto isWhole = [&](AtAttr at) {
    return at.getAnchor() == Anchor::Group && !at.getOffset() &&
           !at.getColumn() &&
           (!at.getFeature() ||
            from.getShape().back() == op.getDomain().getFeatures());
  };
  Block &body = op.getBody().front();
  return body.getTerminator()->getOperand(0) == body.getArgument(0) &&
         isWhole(in) && isWhole(out) && !in.getSpace() && out.getSpace() &&
         in.getHead() == out.getHead() && in.getFeature() == out.getFeature() &&
         from.getShape() == to.getShape() &&
         !op.getWrittenColumns(*op.getDpsInitOperand(0)).isOfSomeRows &&
         op.getOutputs()[0].getDefiningOp<tensor::EmptyOp>();
}

bool gnn::tile::isScattered(TraverseOp copy) {
  auto graph =
      SymbolTable::lookupNearestSymbolFrom<GraphOp>(copy, copy.getGraphAttr());
  StatsAttr stats = graph ? getStats(graph) : nullptr;
  RowDomain from = copy.getGroups();
  if (!stats || !isMapped(graph, from, copy.getOutputAt(0).getSpace()))
    return false;
  auto type = cast<ShapedType>(copy.getOutputs()[0].getType());
  double row = static_cast<double>(
                   ShapedType::getNumElements(type.getShape().drop_front())) *
               type.getElementTypeBitWidth() / 8;
  return row < sectorBytes &&
         countRows(from, stats) * row >
             CostModel(copy, CostKind::Full).getFigures().l2Bytes;
}

/// Lets a copy to another order read what it copies there, in place of writing
/// it there.
static bool gatherCopy(TraverseOp copy) {
  AtAttr in = copy.getInputAt(0), out = copy.getOutputAt(0);
  RowDomain from = copy.getGroups(), to = out.getSpace();
  if (!to.hasSpaceOf(from) || !hasMap(to, from))
    return false;
  MLIRContext *context = copy.getContext();
  auto at = [&](AtAttr like, RowDomain space) -> Attribute {
    return AtAttr::get(context, Anchor::Group, space, like.getHead(),
                       like.getFeature(), /*offset=*/0);
  };
  DomainAttr domain = copy.getDomain();
  copy.setDomainAttr(DomainAttr::get(context, to, RowDomain(),
                                     domain.getHeads(), domain.getFeatures()));
  copy.setInputsAtAttr(ArrayAttr::get(context, at(in, from)));
  copy.setOutputsAtAttr(ArrayAttr::get(context, at(out, RowDomain())));
  return true;
}

namespace {
struct GatherCopies : gnn::impl::GatherCopiesBase<GatherCopies> {
  using GatherCopiesBase::GatherCopiesBase;

  void runOnOperation() override {
    getOperation()->walk([&](TraverseOp op) {
      if (!isOtherOrder(op) || gather == 0)
        return;
      if (gather < 0 && !isScattered(op))
        refused(getArgument(), op.getLoc())
            << "what it writes is not known to be numbers that the L2 does not "
               "hold";
      else if (!gatherCopy(op))
        refused(getArgument(), op.getLoc())
            << "expected an order of the rows that it copies";
      else
        passed(getArgument(), op.getLoc(), "Gathered")
            << "rows of another order are read there, not written";
    });
  }
};
} // namespace
