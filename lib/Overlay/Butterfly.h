//===- Butterfly.h - A network of 2 x 2 switches ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_OVERLAY_BUTTERFLY_H
#define GNN_LIB_OVERLAY_BUTTERFLY_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gnn::overlay {

/// What goes through a network: the port that it goes to, and a number.
struct Packet {
  uint32_t port = 0;
  uint32_t value = 0;
};

/// A butterfly of 2 x 2 switches, log2(ports) stages of them, each with a queue
/// at either input. A packet takes a cycle a stage. At most 32 ports.
class Butterfly {
public:
  Butterfly(uint32_t ports, uint32_t depth);

  bool takes(uint32_t port) const { return lengths[port] < depth; }
  void push(uint32_t port, const Packet &packet) { put(0, port, packet); }

  /// Moves packets by one stage. sink(packet) takes one that has arrived at its
  /// port, or returns false.
  template <typename Sink> void step(Sink sink) {
    for (uint32_t stage = stages; stage-- > 0;)
      moveStage(stage, sink);
  }

private:
  /// Gives each output of a stage to one of the inputs that want it.
  template <typename Sink> void moveStage(uint32_t stage, Sink &sink) {
    uint32_t bit = 1u << (stages - 1 - stage);
    uint32_t upper = there[stage] & wants[stage];
    uint32_t lower = there[stage] & ~wants[stage];
    // Inputs want the output of their own number, or that of their partner.
    uint32_t outputs = ((upper | shiftUp(upper, bit)) & ports1(bit)) |
                       ((lower | shiftDown(lower, bit)) & ~ports1(bit));
    while (outputs) {
      auto port = static_cast<uint32_t>(__builtin_ctz(outputs));
      outputs &= outputs - 1;
      moveTo(stage, port, bit, port & bit ? upper : lower, sink);
    }
  }

  template <typename Sink>
  void moveTo(uint32_t stage, uint32_t port, uint32_t bit, uint32_t inputs,
              Sink &sink) {
    bool own = inputs >> port & 1, other = inputs >> (port ^ bit) & 1;
    uint32_t turn = turns[stage] >> port & 1;
    uint32_t input = own && (!other || !turn) ? port : port ^ bit;
    const Packet &packet = front(stage, input);
    if (stage + 1 == stages) {
      if (!sink(packet))
        return;
    } else {
      if (lengths[(stage + 1) * ports + port] == depth)
        return;
      put(stage + 1, port, packet);
    }
    take(stage, input);
    // The other input is served first the next time.
    uint32_t served = input == port ? 1 : 0;
    turns[stage] = (turns[stage] & ~(1u << port)) | served << port;
  }

  /// The ports whose number has that bit.
  uint32_t ports1(uint32_t bit) const { return masks[bit]; }
  /// To the partners whose number has the bit, or has it not.
  static uint32_t shiftUp(uint32_t set, uint32_t bit) { return set << bit; }
  static uint32_t shiftDown(uint32_t set, uint32_t bit) { return set >> bit; }

  const Packet &front(uint32_t stage, uint32_t port) const {
    size_t queue = stage * ports + port;
    return slots[queue * depth + firsts[queue]];
  }
  void put(uint32_t stage, uint32_t port, const Packet &packet) {
    size_t queue = stage * ports + port;
    uint32_t place = firsts[queue] + lengths[queue]++;
    slots[queue * depth + (place < depth ? place : place - depth)] = packet;
    if (lengths[queue] == 1)
      setHead(stage, port);
  }
  void take(uint32_t stage, uint32_t port) {
    size_t queue = stage * ports + port;
    firsts[queue] = firsts[queue] + 1 == depth ? 0 : firsts[queue] + 1;
    --lengths[queue];
    setHead(stage, port);
  }
  void setHead(uint32_t stage, uint32_t port) {
    uint32_t bit = 1u << (stages - 1 - stage), at = 1u << port;
    bool isThere = lengths[stage * ports + port];
    there[stage] = isThere ? there[stage] | at : there[stage] & ~at;
    bool isUpper = isThere && front(stage, port).port & bit;
    wants[stage] = isUpper ? wants[stage] | at : wants[stage] & ~at;
  }

  uint32_t ports, depth, stages = 0;
  std::vector<Packet> slots;
  std::vector<uint32_t> firsts, lengths;
  /// Of each stage, a bit for each port: a queue has a packet, the first one
  /// goes to the output whose number has the stage's bit, and the partner's
  /// packet goes first.
  std::vector<uint32_t> there, wants, turns;
  std::vector<uint32_t> masks;
};

} // namespace gnn::overlay

#endif // GNN_LIB_OVERLAY_BUTTERFLY_H
