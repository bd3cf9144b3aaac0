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

namespace gnn {

/// Gives each of these declarations the statistics of its graph, unless it has
/// some, or has a part or is a part of a graph that does. A graph of another
/// kind or with other numbers of types is an error at its declaration; a name
/// that is not declared is one at the module. `kind`, where it is given, is set
/// where a graph has too few types.
mlir::LogicalResult attachStatistics(mlir::ModuleOp module,
                                     llvm::ArrayRef<NamedGraph> graphs,
                                     runtime::ErrorKind *kind = nullptr);

} // namespace gnn

#endif // GNN_TARGET_ATTACHSTATISTICS_H
