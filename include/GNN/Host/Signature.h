//===- Signature.h - Arguments of a kernel ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_HOST_SIGNATURE_H
#define GNN_HOST_SIGNATURE_H

#include "GNN/Runtime/KernelSignature.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace gnn::host {

/// The signature of a kernel of the form of gnn-verify-kernel-form. The memory
/// behind arguments follows from the memref.reinterpret_casts at the beginning
/// of the kernel. The result refers to no IR.
runtime::KernelSignature readSignature(mlir::gpu::GPUFuncOp kernel);

} // namespace gnn::host

#endif // GNN_HOST_SIGNATURE_H
