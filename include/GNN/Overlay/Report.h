//===- Report.h - What the simulator found ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_OVERLAY_REPORT_H
#define GNN_OVERLAY_REPORT_H

#include "GNN/Overlay/Program.h"

#include <string>
#include <vector>

namespace gnn::overlay {

/// Ideal: data arrives at once. Shared: processing elements share channels.
enum class MemoryModel { Ideal, Shared };

/// The way of edges to banks and pipelines. Ideal: p_sys / 2 edges a cycle.
/// Banks: at least the cycles of the fullest bank or pipeline. Network:
/// switches with queues, and an adder that a destination leaves after its
/// latency.
enum class NetworkModel { Ideal, Banks, Network };

struct TimingOptions {
  MemoryModel memory = MemoryModel::Shared;
  NetworkModel network = NetworkModel::Ideal;
  /// Loads overlap computation; otherwise each waits for the other.
  bool overlap = true;
  /// An extension of the paper's design: elements that aggregate share reads of
  /// rows, if one requests rows that another one is reading.
  bool multicast = false;
  /// Whether INIT, the fill of the array and activations take cycles: without
  /// them the closed form remains.
  bool hasOverheads = true;
#define GNN_OVERLAY_TIMING(name, keyword, value, summary) uint64_t name = value;
#include "GNN/Overlay/TimingOptions.def"
};

/// Cycles of a processing element in a layer: busy, waiting and idle ones add
/// up to the cycles of the layer.
struct ElementCycles {
  /// Cycles in which it computes.
  uint64_t busy = 0;
  /// Cycles in a tile without a computation: it waits for memory or
  /// instructions.
  uint64_t waiting = 0;
  /// Cycles without a tile.
  uint64_t idle = 0;
  /// Cycles in which a load waits for a buffer, with or without a computation.
  uint64_t locked = 0;
  uint64_t tiles = 0;
};

/// Bytes between processing elements and the memory.
struct TrafficBytes {
#define GNN_OVERLAY_TRAFFIC(name) uint64_t name = 0;
#define GNN_OVERLAY_ALL_TRAFFIC(use)                                           \
  use(weights) use(edges) use(features) use(storedFeatures) use(storedEdges)   \
      use(descriptors) use(parameters) use(instructions)
  GNN_OVERLAY_ALL_TRAFFIC(GNN_OVERLAY_TRAFFIC)
#undef GNN_OVERLAY_TRAFFIC

  uint64_t total() const;
  TrafficBytes &operator+=(const TrafficBytes &other);
};

/// Cycles of all processing elements by the kind of computation.
struct KernelCycles {
#define GNN_OVERLAY_KERNEL(name) uint64_t name = 0;
#define GNN_OVERLAY_ALL_KERNELS(use)                                           \
  use(init) use(gemm) use(fill) use(spdmm) use(sddmm) use(vadd)                \
      use(activation) use(modeChanges)
  GNN_OVERLAY_ALL_KERNELS(GNN_OVERLAY_KERNEL)
#undef GNN_OVERLAY_KERNEL

  uint64_t total() const;
  KernelCycles &operator+=(const KernelCycles &other);
};

struct LayerReport {
  std::string name;
  LayerType type = LayerType::Linear;
  uint64_t in = 0, out = 0;
  uint64_t tiles = 0;
  uint64_t cycles = 0;
  std::vector<ElementCycles> elements;
  TrafficBytes bytes;
  KernelCycles kernels;
};

/// A part of a program (a super partition).
struct PartReport {
  uint64_t cycles = 0;
  /// Bytes that the host sends before it and receives after it.
  uint64_t bytesIn = 0, bytesOut = 0;
  /// Whether it reads data that the previous part sends to the host: then
  /// nothing is sent while that part runs.
  bool waits = false;
};

struct Report {
  TimingOptions options;
  Parameters parameters;
  uint64_t vertices = 0, edges = 0, n1 = 0, n2 = 0;
  uint64_t instructionBytes = 0;
  /// Bytes that the host sends: features and edges without padding, with
  /// padding, and also with weights and instructions.
  uint64_t unpaddedBytes = 0, paddedBytes = 0, allBytes = 0;
  std::vector<LayerReport> layers;
  /// The parts of a program with parts; each layer belongs to one.
  std::vector<PartReport> parts;

  uint64_t cycles() const;
  TrafficBytes bytes() const;
  /// T_LoH, simulated.
  double seconds() const;
  /// T_comm of this number of bytes.
  double transferSeconds(uint64_t bytes) const;
  /// The time of all parts with their transfers: while one runs, the results of
  /// the previous one are received, and the operands of the next one sent,
  /// unless it has to wait for them. 0 without parts.
  double partSeconds() const;

  std::string json() const;
  std::string text() const;
};

const char *nameOf(MemoryModel model);
const char *nameOf(NetworkModel model);

} // namespace gnn::overlay

#endif // GNN_OVERLAY_REPORT_H
