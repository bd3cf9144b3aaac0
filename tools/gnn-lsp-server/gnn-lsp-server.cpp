//===- gnn-lsp-server.cpp - IR in an editor -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's language server with the dialects of this project.
//
//===----------------------------------------------------------------------===//

#include "GNN/InitAll.h"
#include "GNN/Version.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  gnn::setVersionPrinter();
  mlir::DialectRegistry registry;
  gnn::registerAll(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
