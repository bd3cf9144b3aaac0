//===- FlowNetwork.h - A smallest cut of a network --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_GRAPH_DIFFERENTIATE_FLOWNETWORK_H
#define GNN_LIB_TRANSFORMS_GRAPH_DIFFERENTIATE_FLOWNETWORK_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace gnn {

/// A network with `numNodes` nodes whose source is node 0 and whose end is node
/// 1. Every way from one to the other has an edge that is not infinite.
class FlowNetwork {
public:
  explicit FlowNetwork(unsigned numNodes) : edgesOf(numNodes) {}
  /// The capacity of an edge that is in no cut. No sum of others comes near it.
  static constexpr double infinite = 1e300;

  void connect(unsigned from, unsigned to, double capacity);
  /// The nodes on the side of the source of a smallest cut, the one nearest to
  /// the end: all that no longer lead there once no more flows.
  llvm::BitVector cut();

private:
  struct Edge {
    unsigned to;
    double capacity;
  };
  /// How many edges with room it takes from the source to each node.
  std::vector<unsigned> findDistances() const;
  /// Sends as much along these edges, from the source to the end, as they have
  /// room for.
  void fill(llvm::ArrayRef<unsigned> way);
  /// Fills ways each edge of which leads one further from the source, until
  /// there are no more.
  void fillShortest(const std::vector<unsigned> &distances);

  std::vector<Edge> edges; ///< an edge and, next to it, its reverse
  std::vector<llvm::SmallVector<unsigned, 4>> edgesOf;
};

} // namespace gnn

#endif // GNN_LIB_TRANSFORMS_GRAPH_DIFFERENTIATE_FLOWNETWORK_H
