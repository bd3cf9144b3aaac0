//===- gnn-translate.cpp - Write PTX, packages and pictures ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../OutputInMemory.h"
#include "../ToolMain.h"
#include "GNN/Target/Translations.h"
#include "GNN/Version.h"

#include "mlir/Support/LogicalResult.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"

GNN_TOOL_MAIN(int argc, char **argv) {
  gnn::setVersionPrinter();
  gnn::registerTranslations();
  // LLVM has some hundreds, which nobody looks for here; all can be given.
  llvm::cl::HideUnrelatedOptions(gnn::getTranslationOptions());
  return gnn::tools::runInMemory(
      "gnn-translate", argc, argv, [](int argc, char **argv) {
        return mlir::succeeded(mlir::mlirTranslateMain(
            argc, argv, "gnn-mlir translation driver\n"));
      });
}
