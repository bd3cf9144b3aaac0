//===- ProductLayout.cpp - Tiles of products ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/ProductLayout.h"

using namespace mlir;
using namespace gnn::tile;

template <typename ProductOp>
static FailureOr<ProductLayout> layOut(ProductOp op) {
  GemmScheduleAttr schedule = op.getScheduleAttr();
  if (!schedule || !schedule.getN())
    return op.emitOpError("expected a complete schedule, got none of 'n' "
                          "(gnn-schedule-pipeline chooses what is left out)");
  ProductLayout layout;
  layout.columns = schedule.getN();
  return layout;
}

FailureOr<ProductLayout> gnn::tile::getLayout(GemmOp op) { return layOut(op); }
FailureOr<ProductLayout> gnn::tile::getLayout(OuterOp op) { return layOut(op); }

Attribute GemmOp::getTileSchedule() { return getScheduleAttr(); }
Attribute OuterOp::getTileSchedule() { return getScheduleAttr(); }
void GemmOp::setTileSchedule(Attribute schedule) {
  setScheduleAttr(cast_if_present<GemmScheduleAttr>(schedule));
}
void OuterOp::setTileSchedule(Attribute schedule) {
  setScheduleAttr(cast_if_present<GemmScheduleAttr>(schedule));
}
std::string GemmOp::explainSchedule() { return ""; }
std::string OuterOp::explainSchedule() { return ""; }
LogicalResult GemmOp::verifySchedule() { return getLayout(*this); }
LogicalResult OuterOp::verifySchedule() { return getLayout(*this); }
