//===- Timing.cpp - Tiles on processing elements --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Overlay/Timing.h"

#include "GNN/Overlay/Memory.h"

#include "Guarded.h"
#include "Locks.h"
#include "Parts.h"
#include "Support.h"
#include "TimedElement.h"

using namespace gnn::overlay;
using namespace gnn::runtime;

/// Most processing elements on a channel, for which its numbers are exact.
static constexpr uint64_t maxUsers = 32;

Error gnn::overlay::checkOptions(const TimingOptions &options,
                                 const Parameters &parameters) {
  auto expectRange = [](const char *what, uint64_t value, uint64_t least,
                        uint64_t most) -> Error {
    if (least <= value && value <= most)
      return {};
    return failure("--", what, ": expected a number from ", least, " to ", most,
                   ", got ", value);
  };
  constexpr uint64_t large = uint64_t(1) << 40;
  if (Error error = expectRange("frequency", options.frequency, 1, large))
    return error;
  if (Error error =
          expectRange("bandwidth", options.bandwidth, 1, large * 1024))
    return error;
  if (Error error =
          expectRange("host-bandwidth", options.hostBandwidth, 1, large * 1024))
    return error;
  if (Error error = expectRange("channels", options.channels, 1, 4096))
    return error;
  if (Error error = expectRange("queue", options.queue, 1, 1024))
    return error;
  if (Error error = expectRange("switch-depth", options.switchDepth, 1, 1024))
    return error;
  if (Error error = expectRange("raw-depth", options.rawDepth, 1, 1024))
    return error;
  for (auto [name, value] : {std::pair("issue", options.issue),
                             {"mode-change", options.modeChange},
                             {"latency", options.latency},
                             {"fetch-bytes", options.fetchBytes},
                             {"descriptor-bytes", options.descriptorBytes},
                             {"adder-latency", options.adderLatency}})
    if (Error error = expectRange(name, value, 0, 1 << 20))
      return error;
  if (divideUp(parameters.pes, options.channels) > maxUsers)
    return failure("--channels: expected at most ", maxUsers,
                   " processing elements on a channel, got ", parameters.pes,
                   " on ", options.channels);
  return {};
}

/// What makes a program wait for ever, or overwrite a buffer.
static Error checkLocks(const Program &program,
                        const std::vector<LayerBlock> &layers,
                        const TimingOptions &options) {
  for (size_t layer = 0; layer < layers.size(); ++layer)
    for (size_t tile = 0; tile < layers[layer].tiles.size(); ++tile) {
      Locks locks;
      uint64_t lastEdges = 0;
      Error error = walkTile(
          program, layers[layer].tiles[tile],
          [&](const Instruction &instruction, uint64_t iteration) -> Error {
            BufferUse use = usesOf(instruction, iteration, lastEdges);
            const Load *load = instruction.as<Load>();
            if (load && load->space == uint64_t(gnn::overlay::Space::Edges)) {
              lastEdges = bufferAt(instruction, iteration) & 1;
              if (!load->byDescriptor && options.network != NetworkModel::Ideal)
                return failure("--network=", nameOf(options.network),
                               ": expected edges by descriptor");
            }
            return locks.step(instruction, use);
          });
      if (!error)
        error = locks.finish();
      if (error)
        return error.in("tile " + std::to_string(tile))
            .in("layer '" + program.layers[layer].name + "'");
    }
  return {};
}

namespace {
class Simulation {
public:
  Simulation(const TimedProgram &shared, Report &report)
      : shared(shared), report(report) {
    const TimingOptions &options = shared.options;
    uint64_t pes = shared.program.parameters.pes;
    perChannel = divideUp(pes, options.channels);
    for (uint64_t channel = 0; channel < divideUp(pes, perChannel); ++channel)
      channels.emplace_back(options.bandwidth,
                            options.channels * options.frequency,
                            static_cast<unsigned>(perChannel));
    elements.reserve(pes);
    for (uint64_t pe = 0; pe < pes; ++pe)
      elements.emplace_back(shared, &channels[pe / perChannel],
                            static_cast<unsigned>(pe % perChannel), &multicast);
  }

  Error run(const std::vector<LayerBlock> &layers) {
    for (size_t i = 0; i < layers.size(); ++i)
      if (Error error = runLayer(layers[i], shared.program.layers[i].name))
        return error.in("layer '" + shared.program.layers[i].name + "'");
    return {};
  }

private:
  Error runLayer(const LayerBlock &layer, const std::string &name) {
    const Csi &csi = *shared.program.instructions[layer.csi].as<Csi>();
    LayerReport made;
    made.name = name;
    made.type = static_cast<LayerType>(csi.type);
    made.in = csi.in;
    made.out = csi.out;
    made.tiles = layer.tiles.size();
    made.elements.resize(elements.size());
    made.bytes.instructions += shared.options.fetchBytes; // the csi
    uint64_t start = now;
    size_t next = 0;
    while (true) {
      doAll(layer, made, next);
      if (next == layer.tiles.size() && areAllIdle())
        break;
      uint64_t time = nextTime();
      if (time == Channel::never)
        return failure("deadlock at instruction ", elements[0].place());
      now = std::max(time, now);
    }
    made.cycles = now - start;
    for (ElementCycles &cycles : made.elements) {
      // Until here, the cycles of its tiles.
      cycles.idle = made.cycles - cycles.waiting;
      cycles.waiting -= cycles.busy;
    }
    report.layers.push_back(std::move(made));
    return {};
  }

  /// Does all that can be done now; tiles go to idle elements in order.
  void doAll(const LayerBlock &layer, LayerReport &made, size_t &next) {
    bool again = true;
    while (again) {
      again = false;
      for (size_t pe = 0; pe < elements.size(); ++pe)
        if (!elements[pe].isIdle() &&
            (elements[pe].wake() <= now ||
             channels[pe / perChannel].nextEnd() <= now))
          again |= elements[pe].advance(now);
      for (size_t pe = 0; pe < elements.size() && next < layer.tiles.size();
           ++pe)
        if (elements[pe].isIdle()) {
          elements[pe].begin(layer, layer.tiles[next++], made,
                             made.elements[pe], now);
          elements[pe].advance(now);
          again = true;
        }
    }
  }

  bool areAllIdle() const {
    return std::all_of(elements.begin(), elements.end(),
                       [](const TimedElement &pe) { return pe.isIdle(); });
  }

  uint64_t nextTime() const {
    uint64_t next = Channel::never;
    for (const TimedElement &pe : elements)
      if (!pe.isIdle())
        next = std::min(next, pe.wake());
    for (const Channel &channel : channels)
      next = std::min(next, channel.nextEnd());
    return next;
  }

  const TimedProgram &shared;
  Report &report;
  uint64_t perChannel = 1, now = 0;
  std::vector<Channel> channels;
  Multicast multicast;
  std::vector<TimedElement> elements;
};
} // namespace

/// Simulates a program, or a part of one, whose layers are reported as those
/// of the part of that name.
static Error simulateLayers(const Program &program, const Partition &partition,
                            const Costs &costs, const TimingOptions &options,
                            const std::string &part, Report &report) {
  auto layers = splitTiles(program);
  if (!layers)
    return layers.takeError();
  if (Error error = checkLocks(program, *layers, options))
    return error;
  size_t first = report.layers.size();
  TimedProgram shared{program, partition, options, costs};
  if (Error error = Simulation(shared, report).run(*layers))
    return error;
  if (!part.empty())
    for (size_t i = first; i < report.layers.size(); ++i)
      report.layers[i].name += ", " + part;
  return {};
}

static Error simulateParts(const Program &program, const Partition &partition,
                           const Costs &costs, const TimingOptions &options,
                           Report &report) {
  for (size_t i = 0; i < program.parts.size(); ++i) {
    std::string name = "part " + std::to_string(i);
    uint64_t before = report.cycles();
    if (Error error = simulateLayers(program.parts[i], partition, costs,
                                     options, name, report))
      return error.in(name);
    PartTransfer transfer = transferOf(program, i);
    report.parts.push_back(
        {report.cycles() - before, transfer.in, transfer.out, transfer.waits});
  }
  return {};
}

Expected<Report> gnn::overlay::simulate(const Program &program,
                                        const Partition &partition,
                                        const TimingOptions &options) {
  return guarded("overlay", [&]() -> Expected<Report> {
    if (Error error = verify(program))
      return error;
    if (Error error = checkOptions(options, program.parameters))
      return error;
    if (Error error = partition.checkProgram(program))
      return error;
    auto costs = Costs::create(program, partition, options);
    if (!costs)
      return costs.takeError();
    Report report;
    report.options = options;
    report.parameters = program.parameters;
    report.vertices = program.vertices;
    report.edges = partition.edges();
    report.n1 = program.n1;
    report.n2 = program.n2;
    report.instructionBytes = program.bytesOfInstructions();
    InputBytes inputs = inputBytes(program);
    report.paddedBytes = inputs.padded;
    report.unpaddedBytes = inputs.unpadded;
    report.allBytes = inputs.all;
    Error error =
        program.parts.empty()
            ? simulateLayers(program, partition, *costs, options, "", report)
            : simulateParts(program, partition, *costs, options, report);
    if (error)
      return error;
    return report;
  });
}
