//===- Overlay.h - Programs of the overlay as files -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TARGET_OVERLAY_H
#define GNN_TARGET_OVERLAY_H

#include "GNN/Overlay/Program.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace gnn {
namespace overlay {
class ProgramOp;
} // namespace overlay

/// The program of an op of instructions. Errors are diagnostics at its ops:
/// values that the encoding has no room for, and those of overlay::verify.
mlir::FailureOr<overlay::Program> exportOverlayProgram(overlay::ProgramOp op);

/// A module with a `gnn_overlay.program` of that name: the disassembly. Errors:
/// a program that no op can hold, at `loc`.
mlir::OwningOpRef<mlir::ModuleOp>
importOverlayProgram(const overlay::Program &program, llvm::StringRef name,
                     mlir::Location loc);

/// Registers `gnn-to-overlay` and `overlay-to-mlir`.
void registerOverlayTranslations();

} // namespace gnn

#endif // GNN_TARGET_OVERLAY_H
