//===- OverlayOps.td - Ops of the overlay ------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All of them, for the page of the dialect.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_OVERLAY_IR_OVERLAYOPS_TD
#define GNN_DIALECT_OVERLAY_IR_OVERLAYOPS_TD

include "GNN/Dialect/Overlay/IR/OverlayLayerOps.td"
include "GNN/Dialect/Overlay/IR/OverlayProgramOps.td"

#endif // GNN_DIALECT_OVERLAY_IR_OVERLAYOPS_TD
