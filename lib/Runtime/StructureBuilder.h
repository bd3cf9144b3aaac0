//===- StructureBuilder.h - Builds structures of a graph --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_STRUCTUREBUILDER_H
#define GNN_LIB_RUNTIME_STRUCTUREBUILDER_H

#include "StructureCache.h"

#include "GNN/Runtime/Structures.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace gnn::runtime {

/// How groups are cut: into pieces of at most `tile` elements, all of them or
/// those that are longer alone.
struct Cut {
  int64_t tile;
  bool ofLong;

  int64_t count(int64_t length) const {
    return ofLong && length <= tile ? 0 : (length + tile - 1) / tile;
  }

  /// Writes the pieces of a group with some as (group, begin, end); gives the
  /// place behind them.
  int32_t *write(int32_t group, int64_t first, int64_t last,
                 int32_t *out) const {
    for (int64_t at = first; at < last; at += tile) {
      *out++ = group;
      *out++ = static_cast<int32_t>(at);
      *out++ = static_cast<int32_t>(std::min(at + tile, last));
    }
    return out;
  }
};

/// Builds structures of one graph. The cache's lock is held meanwhile.
class StructureBuilder {
public:
  explicit StructureBuilder(const Graph &graph)
      : graph(graph), kept(graph.cache()) {}

  Expected<SharedIndices> get(const StructureKey &key);
  Expected<int64_t> count(const CountKey &key);

private:
  /// Arrays that lead from row to row, one after the other.
  using Steps = std::vector<ArrayView<int32_t>>;

  const PairLists &pairs(GraphSide side) { return pairLists(graph, side); }
  int64_t size(Space space);
  void addSteps(Space from, Space to, Steps &steps);
  ArrayView<int32_t> typesOfEdgeTypes(GraphSide side);
  Indices follow(int64_t count, const Steps &steps) const;
  SharedIndices permutation(OrderedSpace space);
  SharedIndices inverse(OrderedSpace space);
  ArrayView<int32_t> rowsInParent(Space space);
  SharedIndices ofParent(const StructureKey &key);
  SharedIndices orderOfParent(OrderedSpace order);
  ArrayView<int32_t> rowsOfLoops();
  void sort(OrderedSpace space, Space group, bool wantsOrder);
  Indices rowsByDegree(OrderedSpace space);
  SharedIndices rows(Space group, OrderedSpace elements);
  Indices rowsOfEdgeTypes(OrderedSpace elements);
  SharedIndices listOfPairs(const StructureKey &key);
  SharedIndices map(const StructureKey &key);
  Indices tiles(const StructureKey &key);
  Indices tileRows(const StructureKey &key);
  int64_t countOfGroups(const CountKey &key);
  // Elements one after the other (StreamBuilder.cpp).
  Indices filled(const StructureKey &key);
  Expected<SharedIndices> stream(const StructureKey &key);
  Expected<SharedIndices> shares(const StructureKey &key);
  Indices cutRows(const StructureKey &key);
  int64_t countCutRows(const CountKey &key);
  /// Of groups that are walked together (MergedRows.cpp).
  Expected<SharedIndices> merged(const StructureKey &key);
  SharedIndices find(const StructureKey &key) const;
  SharedIndices keep(const StructureKey &key, Indices array);
  SharedIndices share(const StructureKey &key, SharedIndices array);

  const Graph &graph;
  StructureCache &kept;
  /// The arrays that steps lead through and that are not kept.
  std::vector<Indices> scratch;
};

} // namespace gnn::runtime

#endif // GNN_LIB_RUNTIME_STRUCTUREBUILDER_H
