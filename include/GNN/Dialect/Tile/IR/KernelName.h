//===- KernelName.h - The name of a kernel ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_TILE_IR_KERNELNAME_H
#define GNN_DIALECT_TILE_IR_KERNELNAME_H

#include "mlir/IR/Operation.h"

#include <string>

namespace gnn::tile {

/// "rgcn_3_apply_aggregate_addf": a function, the number of a launch in it, and
/// the ops of the model that the kernel computes. `op` is its template or the
/// loop over blocks made of it.
std::string nameKernel(llvm::StringRef function, size_t number,
                       mlir::Operation *op);

} // namespace gnn::tile

#endif // GNN_DIALECT_TILE_IR_KERNELNAME_H
