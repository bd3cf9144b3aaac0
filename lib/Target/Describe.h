//===- Describe.h - Ops and types in a few words ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For pictures and tables of graph-level functions.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TARGET_DESCRIBE_H
#define GNN_LIB_TARGET_DESCRIBE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace gnn {

/// "edge of g, 8x16xf32" of tensor<?x8x16xf32, #gnn.rows<@g, edge>>; the whole
/// type of what is no tensor.
std::string describe(mlir::Type type);

/// The types of the results of `op`.
std::string describeResults(mlir::Operation *op);

/// "aggregate sum": the op's name and its words, which are enum attributes of
/// the dialect.
std::string describe(mlir::Operation *op);

/// The `gnn.name` of an argument, or "argument N".
std::string describe(mlir::func::FuncOp func, unsigned argument);

/// The `gnn.name` of a result, or "result N".
std::string describeResult(mlir::func::FuncOp func, unsigned result);

/// "rows_per_block = 4, lanes = 8" of #gnn_tile.traverse_schedule<...>; of the
/// schedules of several templates, one after the other.
std::string describeSchedule(mlir::Attribute schedule);

} // namespace gnn

#endif // GNN_LIB_TARGET_DESCRIBE_H
