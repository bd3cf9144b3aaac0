//===- LowerToPTX.h - PTX of kernels ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TARGET_CUDA_LOWERTOPTX_H
#define GNN_LIB_TARGET_CUDA_LOWERTOPTX_H

#include "GNN/Runtime/Plan.h"
#include "GNN/Target/Compile.h"

namespace gnn {

/// All PTX of a module of binaries as one text.
std::string ptxText(mlir::ModuleOp module);

/// Makes PTX of a module of kernels, with comments from their launches.
mlir::FailureOr<std::string> lowerToPTX(mlir::ModuleOp module,
                                        const CompileOptions &options,
                                        const StageOptions &stages,
                                        const runtime::LaunchPlan &plan);

} // namespace gnn

#endif // GNN_LIB_TARGET_CUDA_LOWERTOPTX_H
