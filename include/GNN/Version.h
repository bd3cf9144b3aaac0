//===- Version.h - The text of --version ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_VERSION_H
#define GNN_VERSION_H

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"

namespace gnn {

/// Makes `--version` of a tool print this project's version and MLIR's. Call it
/// before the command line is parsed.
inline void setVersionPrinter() {
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << "gnn-mlir " GNN_VERSION " (MLIR " LLVM_VERSION_STRING ")\n";
  });
}

} // namespace gnn

#endif // GNN_VERSION_H
