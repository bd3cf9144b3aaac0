//===- CompilerHandles.h - Handles of the compiler's C API ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CAPI_COMPILERHANDLES_H
#define GNN_LIB_CAPI_COMPILERHANDLES_H

#include "GNN/Target/AttachStatistics.h"
#include "GNN/Target/CompileOptions.h"

#include <string>
#include <vector>

/// Options that the compiler has, and what only programs of the C API have.
struct GnnCompileOptions {
  gnn::CompileOptions value;
  std::vector<gnn::NamedGraph> graphs;
  /// File that gets the text and the pipeline where compiling fails; empty:
  /// none.
  std::string reproducer;
};

#endif // GNN_LIB_CAPI_COMPILERHANDLES_H
