//===- Passes.h - Passes on programs of the overlay -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations generated from Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TRANSFORMS_OVERLAY_PASSES_H
#define GNN_TRANSFORMS_OVERLAY_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>

namespace gnn {

namespace runtime {
class Graph;
} // namespace runtime
namespace overlay {
class Partition;

/// The graph of programs where that is no file: itself, or the entries of its
/// subshards; null: the options say it.
struct GivenGraph {
  std::shared_ptr<const runtime::Graph> graph;
  std::shared_ptr<const Partition> partition;
};
} // namespace overlay

#define GEN_PASS_DECL
#include "GNN/Transforms/Overlay/Passes.h.inc"

/// The pass for a graph in place of a file.
std::unique_ptr<mlir::Pass>
createOverlayPartition(const OverlayPartitionOptions &options,
                       overlay::GivenGraph given);

} // namespace gnn

#endif // GNN_TRANSFORMS_OVERLAY_PASSES_H
