//===- PtxText.h - PTX as one text that says what it computes ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TARGET_PTXTEXT_H
#define GNN_LIB_TARGET_PTXTEXT_H

#include "GNN/Runtime/Plan.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace gnn {

/// One text of what LLVM makes of several modules: one header, then the kernels
/// of all, and one list of files.
std::string joinPtx(llvm::ArrayRef<llvm::StringRef> texts);

/// The PTX of a gpu.module that went through LLVM.
llvm::StringRef getPtx(mlir::gpu::BinaryOp binary);

/// The PTX of some kernels of a module.
struct PtxPart {
  unsigned module; // a number
  llvm::StringRef text;
};

/// One text of the kernels of several modules, in the order of the parts, as
/// `joinPtx` makes of what LLVM makes of whole modules. Nothing where parts
/// have more than kernels in common.
std::optional<std::string> joinPtxParts(llvm::ArrayRef<PtxPart> parts);

/// `ptx` with a comment in front of each kernel that `plan` launches: the ops
/// that it computes, and what each parameter is.
std::string commentKernels(llvm::StringRef ptx,
                           const runtime::LaunchPlan &plan);

} // namespace gnn

#endif // GNN_LIB_TARGET_PTXTEXT_H
