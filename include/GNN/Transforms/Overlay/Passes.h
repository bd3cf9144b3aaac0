//===- Passes.h - Passes on programs of the overlay -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations generated from Passes.td.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TRANSFORMS_OVERLAY_PASSES_H
#define GNN_TRANSFORMS_OVERLAY_PASSES_H

#include "GNN/Transforms/Forms.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

#include <map>
#include <memory>
#include <string>

namespace gnn {

namespace runtime {
class Graph;
} // namespace runtime
namespace overlay {
class Partition;

/// The graphs of programs, if they are not in a file: graphs by the names of
/// their declarations (empty: the only one), or the entries of the only graph's
/// subshards. Without both, the options name them.
struct GivenGraph {
  std::map<std::string, std::shared_ptr<const runtime::Graph>> graphs;
  std::shared_ptr<const Partition> partition;
  /// Programs are for other graphs of the same statistics too, as long as each
  /// subshard has one entry.
  bool takesOthers = false;
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
