//===- Roofline.cpp - Closed forms of the time ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Overlay/Timing.h"

#include "Support.h"

#include <algorithm>

using namespace gnn::overlay;

static double fibersOf(uint64_t columns, uint64_t width) {
  return static_cast<double>(divideUp(columns, width));
}

double gnn::overlay::rooflineCycles(const std::vector<RooflineLayer> &layers,
                                    uint64_t vertices, double edges,
                                    const Parameters &parameters) {
  auto p = static_cast<double>(parameters.psys);
  auto pes = static_cast<double>(parameters.pes);
  auto fibers = [&](uint64_t columns) {
    return fibersOf(columns, parameters.psys);
  };
  double cycles = 0;
  for (const RooflineLayer &layer : layers)
    switch (layer.type) {
    case LayerType::Linear:
      cycles += fibers(vertices) * static_cast<double>(layer.in) *
                fibers(layer.out) / pes;
      break;
    case LayerType::Aggregate:
    case LayerType::VectorInner:
      cycles += edges * fibers(layer.in) / (p / 2 * pes);
      break;
    case LayerType::VectorAdd:
      cycles +=
          static_cast<double>(vertices) * fibers(layer.in) / (p / 2 * pes);
      break;
    default:
      break;
    }
  return cycles;
}

/// Bytes that a layer moves, each of its tiles for itself.
static double bytesOf(const RooflineLayer &layer, double vertices, double edges,
                      double blocks, uint64_t fiber) {
  constexpr double word = 4;
  double row = word * static_cast<double>(fiber);
  auto in = static_cast<double>(layer.in);
  switch (layer.type) {
  case LayerType::Linear:
    return fibersOf(layer.out, fiber) *
           (word * vertices * in + row * vertices + row * blocks * in);
  case LayerType::Aggregate:
  case LayerType::VectorInner:
    return fibersOf(layer.in, fiber) * (static_cast<double>(edgeBytes) * edges +
                                        row * vertices * (blocks + 1));
  case LayerType::VectorAdd:
    return fibersOf(layer.in, fiber) * 3 * row * vertices;
  default:
    return fibersOf(layer.in, fiber) * 2 * row * vertices;
  }
}

double gnn::overlay::sharedRooflineCycles(
    const std::vector<RooflineLayer> &layers, uint64_t vertices, double edges,
    uint64_t n1, const Parameters &parameters, const TimingOptions &options) {
  double blocks = fibersOf(vertices, n1), cycles = 0;
  double bytesOfCycle = static_cast<double>(options.bandwidth) /
                        static_cast<double>(options.frequency);
  for (const RooflineLayer &layer : layers)
    cycles += std::max(rooflineCycles({layer}, vertices, edges, parameters),
                       bytesOf(layer, static_cast<double>(vertices), edges,
                               blocks, parameters.featureColumns) /
                           bytesOfCycle);
  return cycles;
}

/// Bytes that go between the host and the memory if each of a layer's operands
/// and results does once.
static double hostBytesOf(const RooflineLayer &layer, double vertices,
                          double edges, uint64_t fiber) {
  constexpr double word = 4;
  auto rows = [&](uint64_t features) {
    return word * static_cast<double>(fiber) * vertices *
           fibersOf(features, fiber);
  };
  double ofEdges = static_cast<double>(edgeBytes) * edges;
  switch (layer.type) {
  case LayerType::Linear:
    return rows(layer.in) + rows(layer.out);
  case LayerType::Aggregate:
    return rows(layer.in) + rows(layer.out) + ofEdges;
  case LayerType::VectorInner:
    return 2 * rows(layer.in) + 2 * ofEdges;
  case LayerType::VectorAdd:
    return 3 * rows(layer.in);
  default:
    return 2 * rows(layer.in);
  }
}

double gnn::overlay::hostRooflineSeconds(
    const std::vector<RooflineLayer> &layers, uint64_t vertices, double edges,
    const Parameters &parameters, const TimingOptions &options) {
  double seconds = 0;
  for (const RooflineLayer &layer : layers)
    seconds += std::max(rooflineCycles({layer}, vertices, edges, parameters) /
                            static_cast<double>(options.frequency),
                        hostBytesOf(layer, static_cast<double>(vertices), edges,
                                    parameters.featureColumns) /
                            static_cast<double>(options.hostBandwidth));
  return seconds;
}

std::vector<RooflineLayer>
gnn::overlay::rooflineLayers(const Program &program) {
  std::vector<RooflineLayer> layers;
  for (const Instruction &instruction : program.instructions)
    if (const Csi *csi = instruction.as<Csi>())
      layers.push_back({static_cast<LayerType>(csi->type), csi->in, csi->out});
  // A layer has one part or more, one behind the other.
  uint64_t last = 0;
  for (const Program &part : program.parts)
    for (const Instruction &instruction : part.instructions)
      if (const Csi *csi = instruction.as<Csi>(); csi && csi->layer != last) {
        last = csi->layer;
        layers.push_back(
            {static_cast<LayerType>(csi->type), csi->in, csi->out});
      }
  return layers;
}
