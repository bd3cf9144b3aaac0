//===- NameGraphs.h - Graphs of a function by name --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TARGET_NAMEGRAPHS_H
#define GNN_TARGET_NAMEGRAPHS_H

#include "GNN/OptionFiles/Inputs.h"
#include "GNN/Target/AttachStatistics.h"

namespace gnn {

/// The names of the graphs that a function, or the function whose pass it is,
/// will be bound to.
std::vector<std::string> listGraphs(mlir::ModuleOp module,
                                    llvm::StringRef function);

/// The graphs that a function will be bound to: those named after a
/// declaration, and one without a name if the function has one graph. A graph
/// with other edge types is an error at its declaration.
mlir::FailureOr<std::vector<NamedGraph>>
nameGraphs(mlir::ModuleOp module, llvm::StringRef function,
           llvm::ArrayRef<run::LoadedGraph> graphs);

} // namespace gnn

#endif // GNN_TARGET_NAMEGRAPHS_H
