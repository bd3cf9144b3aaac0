//===- InitAll.cpp - Register every dialect, pass and pipeline ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/InitAll.h"

#include "GNN/Host/Passes.h"
#include "GNN/InitDialects.h"
#include "GNN/Pipelines/Pipelines.h"
#include "GNN/Target/Backends.h"
#include "GNN/Target/Passes.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"

namespace gnn {
#define GEN_PASS_REGISTRATION
#include "GNN/Host/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "GNN/Target/Passes.h.inc"
} // namespace gnn

void gnn::registerAll(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllToLLVMIRTranslations(registry);
  mlir::registerAllPasses();
  registerDialects(registry);
  registerBackends();
  registerPasses();
  registerGNNHostPasses();
  registerGNNTargetPasses();
  registerPipelines();
}
