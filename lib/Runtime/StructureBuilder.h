//===- StructureBuilder.h - Builds structures of a graph --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_STRUCTUREBUILDER_H
#define GNN_LIB_RUNTIME_STRUCTUREBUILDER_H

#include "StructureCache.h"

#include "GNN/Runtime/Structures.h"

#include <cstdint>
#include <vector>

namespace gnn::runtime {

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

  const PairLists &pairs(Side side) { return pairLists(graph, side); }
  int64_t size(Space space);
  void addSteps(Space from, Space to, Steps &steps);
  ArrayView<int32_t> typesOfEdgeTypes(Side side);
  Indices follow(int64_t count, const Steps &steps) const;
  SharedIndices permutation(OrderedSpace space);
  SharedIndices inverse(OrderedSpace space);
  ArrayView<int32_t> rowsInParent(Space space);
  SharedIndices ofParent(const StructureKey &key);
  void sort(OrderedSpace space, Space group, bool wantsOrder);
  Indices nodesByDegree(Side side);
  SharedIndices rows(Space group, OrderedSpace elements);
  Indices rowsOfEdgeTypes(OrderedSpace elements);
  SharedIndices listOfPairs(const StructureKey &key);
  SharedIndices map(const StructureKey &key);
  Indices tiles(const StructureKey &key);
  Indices tileRows(const StructureKey &key);
  int64_t countOfGroups(const CountKey &key);
  SharedIndices find(const StructureKey &key) const;
  SharedIndices keep(const StructureKey &key, Indices array);
  SharedIndices share(const StructureKey &key, SharedIndices array);

  const Graph &graph;
  StructureCache &kept;
  /// What steps lead through and is not kept.
  std::vector<Indices> scratch;
};

} // namespace gnn::runtime

#endif // GNN_LIB_RUNTIME_STRUCTUREBUILDER_H
