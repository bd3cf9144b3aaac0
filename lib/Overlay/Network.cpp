//===- Network.cpp - Edges through the networks, cycle by cycle -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Network.h"

#include <algorithm>

using namespace gnn::overlay;
using namespace gnn::runtime;

Butterfly::Butterfly(uint32_t ports, uint32_t depth)
    : ports(ports), depth(std::max(depth, 1u)) {
  while (1u << stages < ports)
    ++stages;
  slots.resize(size_t(stages) * ports * this->depth);
  firsts.resize(stages * ports);
  lengths.resize(stages * ports);
  there.resize(stages);
  wants.resize(stages);
  turns.resize(stages);
  masks.resize(ports);
  for (uint32_t bit = 1; bit < ports; bit *= 2)
    for (uint32_t port = 0; port < ports; ++port)
      if (port & bit)
        masks[bit] |= 1u << port;
}

bool RawUnit::isInAdder(uint32_t destination, uint64_t now) const {
  return std::any_of(adder.begin(), adder.end(), [&](const Addition &one) {
    return one.destination == destination && one.end > now;
  });
}

void RawUnit::add(uint32_t destination, uint64_t now) {
  adder.erase(
      std::remove_if(adder.begin(), adder.end(),
                     [&](const Addition &one) { return one.end <= now; }),
      adder.end());
  adder.push_back({destination, now + latency});
  entered = destination;
}

bool RawUnit::step(uint64_t now) {
  bool isAdded = false;
  if (!waiting.isEmpty() && !isInAdder(waiting.front(), now)) {
    add(waiting.front(), now);
    waiting.pop();
    isAdded = true;
  }
  if (!hasArrived)
    return isAdded;
  if (!isAdded && !isInAdder(arrived, now)) {
    add(arrived, now);
    hasArrived = false;
    return true;
  }
  // Behind one that waited, it waits itself only if it has to.
  if (isInAdder(arrived, now) && !waiting.isFull()) {
    waiting.push(arrived);
    hasArrived = false;
  }
  return isAdded;
}

std::vector<uint64_t>
gnn::overlay::addCycles(const std::vector<uint32_t> &destinations,
                        const TimingOptions &options) {
  RawUnit unit(options.rawDepth, options.adderLatency);
  std::vector<uint64_t> cycles;
  size_t next = 0;
  for (uint64_t now = 0; cycles.size() < destinations.size(); ++now) {
    if (unit.takes() && next < destinations.size())
      unit.take(destinations[next++]);
    if (unit.step(now))
      cycles.push_back(now);
  }
  return cycles;
}

namespace {
/// Edges that enter a network side by side: a group goes when the one before it
/// is in.
class Lanes {
public:
  explicit Lanes(uint32_t ports) : packets(ports) {}

  bool isEmpty() const { return waiting == 0; }
  void fill(uint32_t port, const Packet &packet) {
    packets[port] = packet;
    waiting |= 1u << port;
  }
  void enter(Butterfly &network) {
    for (uint32_t left = waiting; left; left &= left - 1) {
      auto port = static_cast<uint32_t>(__builtin_ctz(left));
      if (!network.takes(port))
        continue;
      network.push(port, packets[port]);
      waiting &= ~(1u << port);
    }
  }

private:
  std::vector<Packet> packets;
  uint32_t waiting = 0;
};

uint64_t spdmmCycles(ArrayView<Edge> edges, uint32_t p,
                     const TimingOptions &options) {
  auto depth = static_cast<uint32_t>(options.switchDepth);
  Butterfly toBanks(p, depth), toPipelines(p, depth);
  std::vector<RawUnit> units(p / 2,
                             RawUnit(options.rawDepth, options.adderLatency));
  Lanes lanes(p);
  size_t next = 0, added = 0;
  auto mask = static_cast<uint32_t>(p - 1);
  for (uint64_t now = 0;; ++now) {
    for (RawUnit &unit : units)
      added += unit.step(now);
    if (added == edges.size())
      return now + options.adderLatency;
    // A pipeline takes an edge a cycle, of either of its ports.
    toPipelines.step([&](const Packet &packet) {
      RawUnit &unit = units[packet.port / 2];
      if (!unit.takes())
        return false;
      unit.take(packet.value);
      return true;
    });
    // A bank reads a row a cycle.
    toBanks.step([&](const Packet &packet) {
      if (!toPipelines.takes(packet.port))
        return false;
      uint32_t dst = edges[packet.value].dst;
      toPipelines.push(packet.port, {dst & mask, dst});
      return true;
    });
    if (lanes.isEmpty())
      for (uint32_t lane = 0; lane < p / 2 && next < edges.size();
           ++lane, ++next)
        lanes.fill(2 * lane,
                   {edges[next].src & mask, static_cast<uint32_t>(next)});
    lanes.enter(toBanks);
  }
}

uint64_t sddmmCycles(ArrayView<Edge> edges, uint32_t p,
                     const TimingOptions &options) {
  auto depth = static_cast<uint32_t>(options.switchDepth);
  Butterfly toBanks(p, depth), toPipelines(p, depth);
  Lanes lanes(p);
  size_t next = 0, arrived = 0;
  auto mask = static_cast<uint32_t>(p - 1);
  for (uint64_t now = 0;; ++now) {
    // Both ends of an edge have a port of its pipeline each.
    toPipelines.step([&](const Packet &) {
      ++arrived;
      return true;
    });
    if (arrived == 2 * edges.size())
      return now + 1 + options.adderLatency;
    toBanks.step([&](const Packet &packet) {
      if (!toPipelines.takes(packet.port))
        return false;
      toPipelines.push(packet.port, {packet.value, 0});
      return true;
    });
    if (lanes.isEmpty())
      for (uint32_t lane = 0; lane < p / 2 && next < edges.size();
           ++lane, ++next) {
        auto port = static_cast<uint32_t>(2 * lane);
        lanes.fill(port, {edges[next].src & mask, port});
        lanes.fill(port + 1, {edges[next].dst & mask, port + 1});
      }
    lanes.enter(toBanks);
  }
}
} // namespace

EntryCycles gnn::overlay::networkCycles(ArrayView<Edge> edges,
                                        const Parameters &parameters,
                                        const TimingOptions &options,
                                        bool ofSpdmm, bool ofSddmm) {
  if (edges.empty())
    return {};
  auto p = static_cast<uint32_t>(parameters.psys);
  return {ofSpdmm ? spdmmCycles(edges, p, options) : 0,
          ofSddmm ? sddmmCycles(edges, p, options) : 0};
}
