//===- Plugins.h - Dialects, ops and passes from outside --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared objects with MLIR's entry points for plugins of dialects, of passes,
// or of both (docs/Plugins.md).
//
//===----------------------------------------------------------------------===//

#ifndef GNN_PLUGINS_H
#define GNN_PLUGINS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace mlir {
class DialectRegistry;
class OpPassManager;
} // namespace mlir

namespace gnn {

/// Loads a plugin into the process, where it stays. Its passes are registered,
/// and from then on `registerDialects` adds its dialects. A second load of the
/// same plugin has no effect. It may be called from several threads. Errors:
/// the file cannot be loaded, is no plugin, or is one for another version of
/// MLIR; or this build links MLIR statically.
llvm::Error loadPlugin(llvm::StringRef path);

/// Parses a pipeline of passes of plugins and of the tree, `canonicalize` and
/// `cse`, or writes the reason of a failure to `errors`. May be called from
/// several threads, while others load plugins.
mlir::LogicalResult parsePasses(llvm::StringRef text, mlir::OpPassManager &pm,
                                llvm::raw_ostream &errors);

/// Adds the dialects of all plugins.
void registerPluginDialects(mlir::DialectRegistry &registry);

} // namespace gnn

#endif // GNN_PLUGINS_H
