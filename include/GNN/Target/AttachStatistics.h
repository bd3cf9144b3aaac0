//===- AttachStatistics.h - Graphs tell passes their counts -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Just-in-time compilation: the graph is there before the code.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TARGET_ATTACHSTATISTICS_H
#define GNN_TARGET_ATTACHSTATISTICS_H

#include "GNN/Runtime/Error.h"
#include "GNN/Target/CompileOptions.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <memory>
#include <string>

namespace gnn {

/// Gives each of these declarations the statistics of its graph, unless it has
/// some, or is derived from a graph, or the parent of a graph, that has some. A
/// graph of another kind, or with other numbers of types, is an error at its
/// declaration; an unknown name is an error at the module. `kind` is set if a
/// graph has too few types; it may be null.
mlir::LogicalResult attachStatistics(mlir::ModuleOp module,
                                     llvm::ArrayRef<NamedGraph> graphs,
                                     runtime::ErrorKind *kind = nullptr);

/// Graphs by the names of their declarations. One without a name is that of the
/// one declaration there is.
std::map<std::string, std::shared_ptr<const runtime::Graph>>
mapGraphs(mlir::ModuleOp module, llvm::ArrayRef<NamedGraph> graphs);

} // namespace gnn

#endif // GNN_TARGET_ATTACHSTATISTICS_H
