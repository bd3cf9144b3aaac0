//===- Network.h - Networks between edges and kernel ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The index shuffle network, which takes edges to the banks of the feature
// buffer, the data shuffle network, which takes features to pipelines, and the
// unit before an adder that keeps reads behind writes (GraphAGILE 5.4 and 7).
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_OVERLAY_NETWORK_H
#define GNN_LIB_OVERLAY_NETWORK_H

#include "Butterfly.h"

#include "GNN/Overlay/Timing.h"

#include <vector>

namespace gnn::overlay {

/// Cycles of edges through both networks, cycle by cycle, of the kernels that
/// are asked for.
EntryCycles networkCycles(runtime::ArrayView<Edge> edges,
                          const Parameters &parameters,
                          const TimingOptions &options, bool ofSpdmm,
                          bool ofSddmm);

/// A queue of a few elements.
template <typename T> class Fifo {
public:
  explicit Fifo(uint64_t depth = 1) : slots(depth) {}

  bool isEmpty() const { return count == 0; }
  bool isFull() const { return count == slots.size(); }
  const T &front() const { return slots[first]; }
  void push(const T &value) {
    size_t place = first + count++;
    slots[place < slots.size() ? place : place - slots.size()] = value;
  }
  void pop() {
    first = first + 1 == slots.size() ? 0 : first + 1;
    --count;
  }

private:
  std::vector<T> slots;
  size_t first = 0, count = 0;
};

/// The unit before an adder: an edge whose destination is in the adder waits in
/// a queue, others pass it.
class RawUnit {
public:
  RawUnit(uint64_t depth, uint64_t latency)
      : waiting(std::max<uint64_t>(depth, 1)), latency(latency) {}

  bool takes() const { return !hasArrived; }
  void take(uint32_t destination) {
    arrived = destination;
    hasArrived = true;
  }

  /// A cycle; true where an edge enters the adder, which is `entered`.
  bool step(uint64_t now);

  uint32_t entered = 0;

private:
  bool isInAdder(uint32_t destination, uint64_t now) const;
  void add(uint32_t destination, uint64_t now);

  struct Addition {
    uint32_t destination;
    uint64_t end;
  };
  std::vector<Addition> adder;
  Fifo<uint32_t> waiting;
  uint64_t latency;
  uint32_t arrived = 0;
  bool hasArrived = false;
};

} // namespace gnn::overlay

#endif // GNN_LIB_OVERLAY_NETWORK_H
