//===- Diagnostics.h - Diagnostics as lines of text -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CAPI_DIAGNOSTICS_H
#define GNN_LIB_CAPI_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"

#include <string>
#include <vector>

namespace gnn::capi {

/// Adds a line for a diagnostic, as "name:line:column: message", and one for
/// each of its notes, as "name:line:column: note: message". A diagnostic
/// without a place in a file is told of `name`.
void addLines(mlir::Diagnostic &diagnostic, llvm::StringRef name,
              std::vector<std::string> &lines);

} // namespace gnn::capi

#endif // GNN_LIB_CAPI_DIAGNOSTICS_H
