//===- gnn-opt.cpp - Run passes and pipelines on IR -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../OutputInMemory.h"
#include "../ToolMain.h"
#include "GNN/InitAll.h"
#include "GNN/Plugins.h"
#include "GNN/Version.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

/// The error of a plugin in a build that loads none, where MLIR would go on
/// without it.
static llvm::Error checkPlugins(llvm::ArrayRef<char *> arguments) {
#ifdef GNN_STATIC_MLIR
  for (size_t i = 0; i < arguments.size(); ++i) {
    llvm::StringRef argument = arguments[i];
    if (!argument.consume_front("-"))
      continue;
    argument.consume_front("-");
    auto [option, path] = argument.split('=');
    if (option != "load-pass-plugin" && option != "load-dialect-plugin")
      continue;
    if (path.empty() && i + 1 < arguments.size())
      path = arguments[i + 1];
    if (llvm::Error error = gnn::loadPlugin(path))
      return error;
  }
#endif
  return llvm::Error::success();
}

GNN_TOOL_MAIN(int argc, char **argv) {
  gnn::setVersionPrinter();
  if (llvm::Error error = checkPlugins({argv + 1, argv + argc}))
    return gnn::tools::fail("gnn-opt", llvm::toString(std::move(error)));
  mlir::DialectRegistry registry;
  gnn::registerAll(registry);
  return gnn::tools::runInMemory(
      "gnn-opt", argc, argv, [&](int argc, char **argv) {
        return mlir::succeeded(mlir::MlirOptMain(
            argc, argv, "gnn-mlir optimizer driver\n", registry));
      });
}
