//===- SyntheticGraph.h - A graph of equal statistics -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph with given statistics, on which kernels are measured if the edges of
// the real graph are unknown.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TUNE_SYNTHETICGRAPH_H
#define GNN_TUNE_SYNTHETICGRAPH_H

#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Runtime/Files.h"
#include "GNN/Runtime/Graph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <chrono>
#include <functional>
#include <limits>
#include <map>

namespace gnn::tune {

/// Limits of the making of graphs.
struct SyntheticLimits {
  int64_t maxBytes = runtime::physicalMemory();
  /// From `begin` on.
  double seconds = std::numeric_limits<double>::infinity();
  std::chrono::steady_clock::time_point begin =
      std::chrono::steady_clock::now();
  /// Asked now and then; whether to stop.
  std::function<bool()> isStopped = {};
};

/// A graph as it is declared, with the declared statistics; the same for the
/// same seed. It has the nodes, the edges of each type and their distinct
/// sources and destinations exactly, and the longest row and the longest pairs
/// unless they contradict each other. The sums of squared degrees and the near
/// edges are approached: `describeSynthetic` says how closely. Edges ascend by
/// destination.
///
/// The declaration has statistics. The error says which of them no graph has,
/// or which limit it exceeds.
runtime::Expected<std::shared_ptr<const runtime::Graph>>
makeSyntheticGraph(GraphOp declared, uint64_t seed,
                   const SyntheticLimits &limits = {});

/// Describes a synthetic graph: "graph 'g' is synthetic, of seed 0: 300 nodes,
/// 3000 edges; ...". Declared figures that are approached are beside the actual
/// ones.
runtime::Expected<std::string>
describeSynthetic(GraphOp declared, uint64_t seed, const runtime::Graph &graph);

using GraphsByName =
    std::map<std::string, std::shared_ptr<const runtime::Graph>>;

/// Makes the graphs that a function uses, whose declarations have statistics,
/// and that `graphs` lacks; a derived graph needs its parent.
/// `lines` gets a description of each.
runtime::Error makeSyntheticGraphs(mlir::func::FuncOp func, uint64_t seed,
                                   GraphsByName &graphs,
                                   std::vector<std::string> &lines,
                                   const SyntheticLimits &limits = {});

} // namespace gnn::tune

#endif // GNN_TUNE_SYNTHETICGRAPH_H
