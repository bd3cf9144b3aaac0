//===- PtxParts.h - PTX of kernels by several threads -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TARGET_PTXPARTS_H
#define GNN_LIB_TARGET_PTXPARTS_H

#include "GNN/Pipelines/Pipelines.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>

namespace gnn {

/// The PTX of the kernels of `module`, as `stage` makes it of all of them at
/// once, by up to so many threads: each has some of the kernels in a context of
/// its own. Leaves `module` as it is. Nothing where there is too little for two
/// threads, no thread can be started, or a part fails: the caller runs the
/// stage itself, and has the errors.
std::optional<std::string> makePtxInParts(mlir::ModuleOp module,
                                          const Stage &stage,
                                          const StageOptions &stages,
                                          unsigned threads);

} // namespace gnn

#endif // GNN_LIB_TARGET_PTXPARTS_H
