//===- OverlayDialect.cpp - The gnn_overlay dialect -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Overlay/IR/Overlay.h"

#include "GNN/Dialect/GNN/IR/GNNRowOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::overlay;

#include "GNN/Dialect/Overlay/IR/OverlayDialect.cpp.inc"
#include "GNN/Dialect/Overlay/IR/OverlayInterfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "GNN/Dialect/Overlay/IR/OverlayAttributes.cpp.inc"

namespace {
/// Layers may stand in functions that others call.
struct OverlayInlinerInterface : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, mlir::Region *, bool,
                       IRMapping &) const final {
    return true;
  }
};
} // namespace

void OverlayDialect::initialize() {
  addInterfaces<OverlayInlinerInterface>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "GNN/Dialect/Overlay/IR/OverlayAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "GNN/Dialect/Overlay/IR/OverlayLayerOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "GNN/Dialect/Overlay/IR/OverlayProgramOps.cpp.inc"
      >();
}

static bool isF32Rows(RankedTensorType type, RowSpace space, int64_t rank) {
  return getRowSpace(type) == space && type.getElementType().isF32() &&
         type.getRank() == rank;
}

bool gnn::overlay::isNodeRows(RankedTensorType type) {
  return isF32Rows(type, RowSpace::Node, 2);
}

bool gnn::overlay::isEdgeWeights(RankedTensorType type) {
  return isF32Rows(type, RowSpace::Edge, 1);
}

bool gnn::overlay::haveSameNodes(Operation *from, FlatSymbolRefAttr one,
                                 FlatSymbolRefAttr other) {
  if (one == other)
    return true;
  auto graph = SymbolTable::lookupNearestSymbolFrom<GraphOp>(from, one);
  auto related = SymbolTable::lookupNearestSymbolFrom<GraphOp>(from, other);
  return graph && related && graph.getNodesOf() == related.getNodesOf();
}
