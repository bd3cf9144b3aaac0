//===- Passes.h - Passes that choose schedules ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations generated from Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TRANSFORMS_SCHEDULES_PASSES_H
#define GNN_TRANSFORMS_SCHEDULES_PASSES_H

#include "GNN/Analysis/ScheduleFilters.h"
#include "GNN/Runtime/Graph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

#include <functional>
#include <memory>

namespace gnn {

#define GEN_PASS_DECL
#include "GNN/Transforms/Schedules/Passes.h.inc"

/// The pass with the passes that choose without a model, which a remark asks.
std::unique_ptr<mlir::Pass> createRankSchedules(const std::string &rule,
                                                mlir::OpPassManager passes);

/// Filters of a listing of schedules, applied one after the other.
struct ScheduleFilters {
  llvm::SmallVector<ScheduleFilter> names;
  /// The graph that a declaration will be bound to; null if it is unknown.
  std::function<std::shared_ptr<const runtime::Graph>(llvm::StringRef)> graphOf;
};

/// Prints the lines of `gnn-tile-list-schedules`: for each template of a
/// module, each schedule that it may have on its target if the fields in `vary`
/// are open, and that passes the filters.
mlir::LogicalResult listSchedules(mlir::ModuleOp module,
                                  llvm::ArrayRef<std::string> vary,
                                  llvm::raw_ostream &os,
                                  const ScheduleFilters &filters = {});

} // namespace gnn

#endif // GNN_TRANSFORMS_SCHEDULES_PASSES_H
