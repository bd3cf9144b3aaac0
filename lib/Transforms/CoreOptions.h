//===- CoreOptions.h - The vector registers of a core -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks of the options that passes for the cores of a CPU share.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_COREOPTIONS_H
#define GNN_LIB_TRANSFORMS_COREOPTIONS_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"

namespace gnn {

/// Checks the options `vector` and `registers` of a pass, before it runs.
inline llvm::LogicalResult verifyCoreOptions(mlir::MLIRContext *context,
                                             llvm::StringRef pass,
                                             int64_t vector,
                                             int64_t registers) {
  if (vector >= 1 && vector <= 16 && llvm::isPowerOf2_64(vector) &&
      registers >= 8)
    return mlir::success();
  return mlir::emitError(mlir::UnknownLoc::get(context))
         << pass
         << ": expected a vector of 1, 2, 4, 8 or 16 and at least 8 registers, "
            "got "
         << vector << " and " << registers;
}

} // namespace gnn

#endif // GNN_LIB_TRANSFORMS_COREOPTIONS_H
