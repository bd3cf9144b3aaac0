//===- Passes.h - Passes on kernels -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations generated from Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TRANSFORMS_KERNELS_PASSES_H
#define GNN_TRANSFORMS_KERNELS_PASSES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace gnn {

#define GEN_PASS_DECL
#include "GNN/Transforms/Kernels/Passes.h.inc"

/// Whether a GPU may have an instruction for a power: it may be approximate.
bool isFastPower(mlir::Operation *op);

/// Patterns of `gnn-expand-device-math`: functions that a GPU lacks, on floats
/// of at most 32 bits, become arithmetic within 2 ulp. They are applied once,
/// because their results need none of them. Powers that an instruction computes
/// may be kept.
void populateExpandDeviceMathPatterns(mlir::RewritePatternSet &patterns,
                                      bool keepsFastPowers = false);

/// Patterns of `gnn-expand-lanes`.
void populateExpandLanesPatterns(mlir::RewritePatternSet &patterns);

} // namespace gnn

#endif // GNN_TRANSFORMS_KERNELS_PASSES_H
