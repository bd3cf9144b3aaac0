//===- InitAll.h - Register every dialect, pass and pipeline ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one place that knows what the compiler consists of, for tools that take
// any IR: gnn-opt and the language server.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_INITALL_H
#define GNN_INITALL_H

#include "GNN/Conversion/Passes.h"
#include "GNN/Emulator/Passes.h"
#include "GNN/InitDialects.h"
#include "GNN/Pipelines/Pipelines.h"
#include "GNN/Target/Passes.h"
#include "GNN/Transforms/Passes.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"

namespace gnn {

/// Registers all dialects and extensions with `registry`, and all passes and
/// pipelines with the process, MLIR's own included. Call it once per process.
inline void registerAll(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllToLLVMIRTranslations(registry);
  mlir::registerAllPasses();
  registerDialects(registry);
  registerGNNConversionPasses();
  registerGNNEmulatorPasses();
  registerGNNTargetPasses();
  registerGNNTransformsPasses();
  registerPipelines();
}

} // namespace gnn

#endif // GNN_INITALL_H
