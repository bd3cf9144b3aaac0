//===- gnn-reduce.cpp - Shrink modules that show a fault ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's reducer with the dialects and passes of this project, and a reduction
// of its own.
//
//===----------------------------------------------------------------------===//

#include "../OutputInMemory.h"
#include "Reduction.h"

#include "GNN/InitAll.h"
#include "GNN/Version.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"

int main(int argc, char **argv) {
  gnn::setVersionPrinter();
  mlir::DialectRegistry registry;
  gnn::registerAll(registry);
  gnn::tools::registerReductionPass();
  mlir::MLIRContext context(registry);
  return gnn::tools::runInMemory(
      "gnn-reduce", argc, argv, [&](int argc, char **argv) {
        return mlir::succeeded(mlir::mlirReduceMain(argc, argv, context));
      });
}
