//===- Timing.h - Cycles of programs ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of a program on the overlay, by the numbers of edges of subshards
// and the sizes of rows: no features are read. Tiles of a layer go in order to
// the idle processing element of the lowest number, and all wait at its end.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_OVERLAY_TIMING_H
#define GNN_OVERLAY_TIMING_H

#include "GNN/Overlay/Partition.h"
#include "GNN/Overlay/Report.h"

namespace gnn::overlay {

/// An error if a number is outside the range of the model.
runtime::Error checkOptions(const TimingOptions &options,
                            const Parameters &parameters);

/// Simulates a program on a partition. Errors: a program of another partition,
/// mutexes that wait for ever, and networks of edges if the partition has
/// counts alone.
runtime::Expected<Report> simulate(const Program &program,
                                   const Partition &partition,
                                   const TimingOptions &options = {});

/// Cycles of the kernels on the edges of an entry, by network.
struct EntryCycles {
  uint64_t spdmm = 0;
  /// For each p_sys features of a product.
  uint64_t sddmm = 0;
};

/// Cycles for edges whose ends are in banks by their ids; `network` and its
/// sizes are those of the options.
EntryCycles cyclesOfEdges(runtime::ArrayView<Edge> edges,
                          const Parameters &parameters,
                          const TimingOptions &options);

/// When each of the edges, all ready, enters the adder of its destination, in
/// cycles from the first: one whose destination is in the adder waits.
std::vector<uint64_t> addCycles(const std::vector<uint32_t> &destinations,
                                const TimingOptions &options);

/// A layer for the closed form M0.
struct RooflineLayer {
  LayerType type = LayerType::Linear;
  uint64_t in = 0, out = 0;
};

/// The closed form M0, without tiles: cycles of layers on all processing
/// elements of 16 x 16, where memory takes no time and balance is perfect.
double rooflineCycles(const std::vector<RooflineLayer> &layers,
                      uint64_t vertices, double edges,
                      const Parameters &parameters = {});

/// The closed form of shared memory: of each layer the longer of its M0 and of
/// its bytes at the whole bandwidth. A linear layer reads its input and writes
/// a fiber for each fiber of its output, an aggregate reads all edges and rows
/// for each shard and fiber.
double sharedRooflineCycles(const std::vector<RooflineLayer> &layers,
                            uint64_t vertices, double edges, uint64_t n1,
                            const Parameters &parameters,
                            const TimingOptions &options);

/// The closed form of graphs that do not fit the memory, in seconds: of each
/// layer the longer of its M0 and of its operands and results, sent once.
double hostRooflineSeconds(const std::vector<RooflineLayer> &layers,
                           uint64_t vertices, double edges,
                           const Parameters &parameters,
                           const TimingOptions &options);

/// The layers of a program, for the closed form; activations and batch
/// normalizations of their own count nothing in it.
std::vector<RooflineLayer> rooflineLayers(const Program &program);

} // namespace gnn::overlay

#endif // GNN_OVERLAY_TIMING_H
