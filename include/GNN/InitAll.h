//===- InitAll.h - Register every dialect, pass and pipeline ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one place that knows what the compiler consists of. gnn-opt,
// gnn-translate, the language server and the C API all call it.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_INITALL_H
#define GNN_INITALL_H

#include "GNN/Conversion/Passes.h"
#include "GNN/Dialect/GNN/IR/GNN.h"
#include "GNN/Dialect/Tile/IR/Tile.h"
#include "GNN/Emulator/Passes.h"
#include "GNN/Pipelines/Pipelines.h"
#include "GNN/Target/Passes.h"
#include "GNN/Transforms/Passes.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"

namespace gnn {

/// Registers all dialects and extensions with `registry`.
inline void registerDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllToLLVMIRTranslations(registry);
  registry.insert<GNNDialect, tile::TileDialect>();
  tile::registerBufferizableOpInterfaceExternalModels(registry);
}

/// Registers dialects with `registry`, and all passes and pipelines with the
/// process. Call it once per process.
inline void registerAll(mlir::DialectRegistry &registry) {
  registerDialects(registry);
  mlir::registerAllPasses();
  registerGNNConversionPasses();
  registerGNNEmulatorPasses();
  registerGNNTargetPasses();
  registerGNNTransformsPasses();
  registerPipelines();
}

} // namespace gnn

#endif // GNN_INITALL_H
