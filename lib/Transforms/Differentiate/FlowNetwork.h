//===- FlowNetwork.h - A smallest cut of a network --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_DIFFERENTIATE_FLOWNETWORK_H
#define GNN_LIB_TRANSFORMS_DIFFERENTIATE_FLOWNETWORK_H

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
  /// The nodes on the side of the source of a smallest cut: those that it
  /// reaches once no more flows.
  llvm::BitVector cut();

private:
  struct Edge {
    unsigned to;
    double capacity;
  };
  /// Finds a way with room and fills it; whether there was one.
  bool augment();

  std::vector<Edge> edges; ///< an edge and, next to it, its reverse
  std::vector<llvm::SmallVector<unsigned, 4>> edgesOf;
};

} // namespace gnn

#endif // GNN_LIB_TRANSFORMS_DIFFERENTIATE_FLOWNETWORK_H
