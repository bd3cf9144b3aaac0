//===- Npz.h - Graphs in .npz files -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_NPZ_H
#define GNN_RUNTIME_NPZ_H

#include "GNN/Runtime/Graph.h"
#include "GNN/Runtime/Npy.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gnn::runtime {

/// Node features in compressed rows: node v has `values` at `columns` from
/// rows[v] to rows[v + 1].
struct SparseFeatures {
  int64_t dim = 0;
  std::vector<int32_t> rows;
  std::vector<int32_t> columns;
  /// Empty: every stored value is 1.
  std::vector<float> values;

  int64_t numNodes() const {
    return rows.empty() ? 0 : static_cast<int64_t>(rows.size()) - 1;
  }

  /// float[nodes x width] in C order; width 0 stands for dim. A wider result
  /// ends in zeros; a narrower one adds column c to column c mod width, in
  /// stored order, so that nothing is dropped.
  Expected<std::vector<float>> dense(int64_t width = 0) const;
};

/// A graph file and what comes with the graph. Arrays that the file does not
/// have are empty.
///
///   edge_src, edge_dst   integer[E]
///   edge_type            integer[E]; left out where there is one type
///   node_type            integer[N]
///   dst_node_type        integer[N_dst]: makes the graph bipartite
///   edge_type_names, node_type_names   text, one a type
///   schema               integer[edge types, 2], -1 = any
///   feat_indptr, feat_indices, feat_data, feat_dim   SparseFeatures of the
///                        (source) nodes
///   label, label_names   integer[N], -1 = none
///   train_mask, val_mask, test_mask   bool[N]
///   edge_split           integer[E]
struct GraphFile {
  std::shared_ptr<const Graph> graph;
  bool hasFeatures = false;
  SparseFeatures features;
  std::vector<int32_t> label;
  std::vector<std::string> labelNames;
  std::vector<int32_t> trainMask, valMask, testMask, edgeSplit;

  /// Reads a file; errors begin with its path and name the array. Arrays may
  /// have `maxBytes` together once unpacked.
  static Expected<GraphFile> load(const std::string &path,
                                  int64_t maxBytes = physicalMemory());
  static Expected<GraphFile> loadBytes(std::string_view bytes,
                                       int64_t maxBytes = physicalMemory());
};

} // namespace gnn::runtime

#endif // GNN_RUNTIME_NPZ_H
