//===- gnn-opt.cpp - Run passes and pipelines on IR -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../OutputInMemory.h"
#include "GNN/InitAll.h"
#include "GNN/Version.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  gnn::setVersionPrinter();
  mlir::DialectRegistry registry;
  gnn::registerAll(registry);
  return gnn::tools::runInMemory(
      "gnn-opt", argc, argv, [&](int argc, char **argv) {
        return mlir::succeeded(mlir::MlirOptMain(
            argc, argv, "gnn-mlir optimizer driver\n", registry));
      });
}
