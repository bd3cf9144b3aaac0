//===- HostCode.h - From kernels to the LLVM dialect ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code that the emulator and the CPU device share.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_HOST_HOSTCODE_H
#define GNN_HOST_HOSTCODE_H

#include "GNN/Runtime/Error.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Error.h"

namespace gnn::host {

/// Kernels as IR, and the context that they live in.
struct ParsedKernels {
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// Parses an image of kernels of the format "mlir".
runtime::Expected<ParsedKernels> parseKernels(const std::string &format,
                                              const std::string &image);

/// Collects the diagnostics of a context as text during its lifetime.
class CollectedErrors {
public:
  explicit CollectedErrors(mlir::MLIRContext *context);
  llvm::Error take() {
    return llvm::createStringError(
        messages.empty() ? "failed without a diagnostic" : messages);
  }

private:
  std::string messages;
  mlir::ScopedDiagnosticHandler handler;
};

/// The kernels of `module`, each with the form of gnn-verify-kernel-form and a
/// name of its own; emits the error of the first that has not. Loads the
/// dialects that they are lowered through.
mlir::LogicalResult
collectKernels(mlir::ModuleOp module,
               llvm::SmallVectorImpl<mlir::gpu::GPUFuncOp> &kernels);

/// Replaces a conversion of floats to integers with the intrinsic, which
/// saturates and gives 0 for a NaN, as PTX's does.
void lowerToInteger(mlir::OpBuilder &builder, mlir::Operation *op,
                    llvm::StringRef intrinsic);

/// Takes memory spaces off the types of `function`: the host has one.
void stripMemorySpaces(mlir::func::FuncOp function);

/// Lowers func.funcs of scalars, vectors and memrefs to the LLVM dialect, with
/// buffers as bare pointers.
mlir::LogicalResult lowerToLLVM(mlir::ModuleOp host);

} // namespace gnn::host

#endif // GNN_HOST_HOSTCODE_H
