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

#include "GNN/Overlay/Timing.h"

#include <vector>

namespace gnn::overlay {

/// Cycles of edges through both networks, cycle by cycle.
EntryCycles networkCycles(runtime::ArrayView<Edge> edges,
                          const Parameters &parameters,
                          const TimingOptions &options);

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

/// What goes through a network: the port that it goes to, and a number.
struct Packet {
  uint32_t port = 0;
  uint32_t value = 0;
};

/// A butterfly of 2 x 2 switches, log2(ports) stages of them, each with a queue
/// at either input. A packet takes a cycle a stage.
class Butterfly {
public:
  Butterfly(uint64_t ports, uint64_t depth);

  bool takes(uint64_t port) const { return !at(0, port).isFull(); }
  void push(uint64_t port, const Packet &packet) { at(0, port).push(packet); }

  /// Moves packets by one stage. sink(packet) takes one that has arrived at its
  /// port, or returns false.
  template <typename Sink> void step(Sink sink) {
    for (uint64_t stage = stages; stage-- > 0;)
      for (uint64_t port = 0; port < ports; ++port)
        move(stage, port, sink);
  }

private:
  Fifo<Packet> &at(uint64_t stage, uint64_t port) {
    return queues[stage * ports + port];
  }
  const Fifo<Packet> &at(uint64_t stage, uint64_t port) const {
    return queues[stage * ports + port];
  }

  /// Gives the output `port` of a stage to one of the inputs that want it.
  template <typename Sink>
  void move(uint64_t stage, uint64_t port, Sink &sink) {
    uint64_t bit = uint64_t(1) << (stages - 1 - stage);
    uint8_t &turn = turns[stage * ports + port];
    for (uint64_t side : {turn, uint8_t(1 - turn)}) {
      uint64_t input = side ? port ^ bit : port;
      Fifo<Packet> &queue = at(stage, input);
      if (queue.isEmpty() || (queue.front().port & bit) != (port & bit))
        continue;
      if (stage + 1 == stages) {
        if (!sink(queue.front()))
          return;
      } else {
        if (at(stage + 1, port).isFull())
          return;
        at(stage + 1, port).push(queue.front());
      }
      queue.pop();
      turn = static_cast<uint8_t>(1 - side);
      return;
    }
  }

  uint64_t ports, stages = 0;
  std::vector<Fifo<Packet>> queues;
  /// The input that is served first.
  std::vector<uint8_t> turns;
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
