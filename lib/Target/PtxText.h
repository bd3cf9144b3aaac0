//===- PtxText.h - PTX as one text that says what it computes ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TARGET_PTXTEXT_H
#define GNN_LIB_TARGET_PTXTEXT_H

#include "GNN/Runtime/Plan.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace gnn {

/// One text of what LLVM makes of several modules: one header, then the kernels
/// of all, and one list of files.
std::string joinPtx(llvm::ArrayRef<llvm::StringRef> texts);

/// `ptx` with a comment in front of each kernel that `plan` launches: the ops
/// that it computes, and what each parameter is.
std::string commentKernels(llvm::StringRef ptx,
                           const runtime::LaunchPlan &plan);

} // namespace gnn

#endif // GNN_LIB_TARGET_PTXTEXT_H
