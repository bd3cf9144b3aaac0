//===- OverlayForms.h - Forms of functions and programs ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_OVERLAY_OVERLAYFORMS_H
#define GNN_LIB_TRANSFORMS_OVERLAY_OVERLAYFORMS_H

#include "GNN/Dialect/Overlay/IR/Overlay.h"
#include "GNN/Transforms/Forms.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace gnn::overlay {

/// Whether a function is one of layers.
bool hasLayers(mlir::func::FuncOp func);

/// The graph of the layers of a function, which has some.
mlir::FlatSymbolRefAttr graphOf(mlir::func::FuncOp func);

/// Looks through views of rows of nodes.
mlir::Value throughViews(mlir::Value value);

/// The region that a value is read from or placed in; null: there is none.
mlir::FlatSymbolRefAttr regionOf(mlir::Value value);

/// Some region with the ends of the edges of a program; null: there is none.
mlir::FlatSymbolRefAttr findEdges(ProgramOp program);

/// The buffers, as bits, that an instruction fills and reads.
struct Accesses {
  uint64_t fills = 0, reads = 0;
};
Accesses accessesOf(mlir::Operation &op);

/// Check the contract of a form, as `gnn-overlay-verify-form` describes it.
mlir::LogicalResult verifyForm(mlir::ModuleOp module, OverlayForm form);
mlir::LogicalResult verifyLayers(mlir::func::FuncOp func);

} // namespace gnn::overlay

#endif // GNN_LIB_TRANSFORMS_OVERLAY_OVERLAYFORMS_H
