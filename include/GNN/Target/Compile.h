//===- Compile.h - From a module to a package -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler as a function: gnn in, launch plan and kernels out.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TARGET_COMPILE_H
#define GNN_TARGET_COMPILE_H

#include "GNN/Runtime/Package.h"

#include "mlir/IR/BuiltinOps.h"

namespace gnn {

struct CompileOptions {
  /// GPU to make PTX for; empty: no PTX.
  std::string chip = "sm_90";
  /// Keep the kernels as IR too, which the emulator runs.
  bool emulated = true;
  /// Fuse traversals and products.
  bool fuse = true;
  /// Where to write the IR after each stage; empty: nowhere.
  std::string phasesDirectory;
};

/// Compiles `module`, which is changed. Images: "ptx", and "mlir" for the
/// emulator. Errors are diagnostics at the user's ops.
mlir::FailureOr<std::shared_ptr<const runtime::Package>>
compileToPackage(mlir::ModuleOp module, const CompileOptions &options);

} // namespace gnn

#endif // GNN_TARGET_COMPILE_H
