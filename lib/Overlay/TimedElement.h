//===- TimedElement.h - A processing element in time ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_OVERLAY_TIMEDELEMENT_H
#define GNN_LIB_OVERLAY_TIMEDELEMENT_H

#include "Buffers.h"
#include "Channel.h"
#include "Costs.h"

#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace gnn::overlay {

/// What all processing elements share.
struct TimedProgram {
  const Program &program;
  const Partition &partition;
  const TimingOptions &options;
  const Costs &costs;
  /// The edges that a load by descriptor names.
  EdgesInBuffer edgesAt(uint64_t descriptor) const;
};

class TimedElement;

/// Those who wait for a transfer of others, by its address.
using Multicast = std::map<uint64_t, std::vector<TimedElement *>>;

/// A decoder that issues in order, loads that one queue of the memory serves in
/// order, and one computation at a time.
class TimedElement {
public:
  TimedElement(const TimedProgram &shared, Channel *channel, unsigned user,
               Multicast *multicast)
      : shared(shared), channel(channel), user(user), multicast(multicast) {}

  bool isIdle() const { return tile == nullptr; }

  /// Begins a tile at a time when it is idle.
  void begin(const LayerBlock &layer, const Tile &tile, LayerReport &report,
             ElementCycles &cycles, uint64_t now);

  /// Does all that can be done at `now`; false: nothing.
  bool advance(uint64_t now);

  /// The next time at which it can do more by itself; transfers end when the
  /// channel says.
  uint64_t wake() const;

  /// The instruction that waits, for messages.
  size_t place() const { return at; }

private:
  struct Request {
    uint64_t bytes = 0;
    /// Buffers that its end fills, or empties.
    BufferSet fills = 0, empties = 0;
    bool isParameter = false, isLoad = false, isFetch = false;
    /// Of rows that others may read at the same time.
    std::optional<uint64_t> address;
  };
  struct Arrival {
    uint64_t time = 0;
    Request request;
  };
  struct Computation {
    Cost cost;
    BufferUse use;
    BufferSet unlocks = 0;
    /// Parameters that have to have arrived.
    uint64_t parameters = 0;
  };

  bool finishTransfer(uint64_t now);
  bool startTransfer(uint64_t now);
  bool joinTransfer();
  void endMulticast(const Request &request, uint64_t now);
  bool arrive(uint64_t now);
  bool finishComputation(uint64_t now);
  bool startComputation(uint64_t now);
  bool issue(uint64_t now);
  bool issueLoad(const Instruction &instruction, const Load &load,
                 uint64_t now);
  uint64_t addressOf(const Instruction &instruction, const Load &load) const;
  bool issueStore(const Instruction &instruction, const Store &store);
  bool issueComputation(const Instruction &instruction);
  bool endTile(uint64_t now);

  bool isComputing() const { return isBusy || !queue.empty(); }
  bool hasInstruction() const { return tile && at < tile->end; }
  void step();
  void skipEmptyLoop();
  void request(const Request &request) { requests.push_back(request); }
  void complete(const Request &request, uint64_t time);

  const TimedProgram &shared;
  Channel *channel;
  unsigned user;
  Multicast *multicast;

  const Tile *tile = nullptr;
  const Csi *csi = nullptr;
  LayerReport *report = nullptr;
  ElementCycles *cycles = nullptr;
  uint64_t began = 0;

  // The decoder.
  size_t at = 0;
  uint64_t trip = 0, ready = 0, lastEdges = 0;
  EdgesInBuffer edges[2], tileEdges;
  bool isFirstProduct = true, isStopped = false;
  uint64_t stoppedAt = 0;

  // Buffers: those that a load or an output has taken, and those that are full.
  BufferSet taken = 0, full = 0;

  // The memory.
  std::deque<Request> requests;
  std::deque<Arrival> arrivals;
  bool isTransferring = false, isJoined = false;
  /// When the transfer ends that it has joined.
  uint64_t joinedEnd = 0;
  uint64_t loadsOnTheirWay = 0, parametersAsked = 0, parametersThere = 0;

  // The kernel.
  std::deque<Computation> queue;
  Computation running;
  bool isBusy = false;
  uint64_t busyUntil = 0;
  Mode mode = Mode::None;
};

} // namespace gnn::overlay

#endif // GNN_LIB_OVERLAY_TIMEDELEMENT_H
