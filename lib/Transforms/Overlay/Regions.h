//===- Regions.h - Regions of the memory of a program -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_OVERLAY_REGIONS_H
#define GNN_LIB_TRANSFORMS_OVERLAY_REGIONS_H

#include "GNN/Dialect/Overlay/IR/Overlay.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace gnn::overlay {

/// Where the regions of a program end.
uint64_t memoryEnd(ProgramOp program);

/// Makes a program with regions of a function of layers; its layers stay on
/// tensors. Errors are diagnostics at the user's ops.
mlir::FailureOr<ProgramOp> makeProgram(mlir::func::FuncOp func,
                                       OverlayTargetAttr target,
                                       PartitionAttr partition);

} // namespace gnn::overlay

#endif // GNN_LIB_TRANSFORMS_OVERLAY_REGIONS_H
