//===- Builder.h - Tiles made by hand ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs for tests of the simulator, without the compiler.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_UNITTESTS_OVERLAY_BUILDER_H
#define GNN_UNITTESTS_OVERLAY_BUILDER_H

#include "GNN/Overlay/Memory.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace gnn::overlay::testing {

/// An activation: its kind and parameter.
struct Activation {
  ActivationKind kind = ActivationKind::None;
  uint64_t parameter = 0;
};

inline uint64_t bitsOfFloat(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// Appends layers to a program, in the forms of tiles that the compiler makes.
class Builder {
public:
  Builder(const Partition &partition, Parameters parameters = {})
      : partition(partition) {
    program.parameters = parameters;
    program.vertices = partition.vertices();
    program.edges = partition.edges();
    program.n1 = partition.n1();
    program.n2 = 16;
  }

  Program program;
  bool unroll = false;

  void add(const std::string &name, RegionKind kind, RegionRole role,
           uint64_t rows, uint64_t columns) {
    Region region;
    region.name = name;
    region.kind = kind;
    region.role = role;
    region.address = end;
    region.rows = rows;
    region.columns = columns;
    region.bytes = regionBytes(kind, rows, columns, program);
    end += region.bytes;
    // An input is the argument of its name as a whole.
    if (role == RegionRole::Input) {
      Piece piece;
      piece.argument = name;
      if (kind != RegionKind::Features && kind != RegionKind::Edges) {
        piece.rows = kind == RegionKind::Affine ? 2 : rows;
        piece.columns = piece.pitch = columns;
      }
      region.pieces.push_back(piece);
    }
    program.regions.push_back(region);
  }
  void addFeatures(const std::string &name, RegionRole role, uint64_t columns) {
    add(name, RegionKind::Features, role, program.vertices, columns);
  }
  void addEdges(const std::string &name, RegionRole role,
                bool isWeighted = true) {
    add(name, RegionKind::Edges, role, partition.entries().size(),
        program.edges);
    if (!isWeighted)
      program.regions.back().pieces.clear();
  }

  void aggregate(const std::string &x, const std::string &edges,
                 const std::string &y, uint64_t f, Aggregation kind,
                 Activation act = {}, const std::string &bias = "") {
    begin(LayerType::Aggregate, f, f, fibers(f) * blocks());
    for (uint64_t i = 0; i < fibers(f); ++i)
      for (uint64_t j = 0; j < blocks(); ++j) {
        uint64_t first = partition.firstEntry(j);
        init(widthOf(i, f), partition.firstEntry(j + 1) - first,
             kind == Aggregation::Max   ? InitValue::Lowest
             : kind == Aggregation::Min ? InitValue::Highest
                                        : InitValue::Zero,
             bias, i);
        Load ofEdges, ofRows;
        ofEdges.space = uint64_t(Space::Edges);
        ofEdges.address = region(edges).address / descriptorBytes + first;
        ofEdges.byDescriptor = 1;
        ofRows.space = uint64_t(Space::Features);
        ofRows.address = rowsAt(x, i, 0);
        ofRows.stride = program.n1;
        ofRows.count = program.n1;
        ofRows.width = widthOf(i, f);
        ofRows.byDescriptor = 1;
        Spdmm spdmm;
        spdmm.aggregation = uint64_t(kind);
        spdmm.width = widthOf(i, f);
        loop({locked(ofEdges, 0), locked(ofRows, 0),
              unlocking(spdmm, EdgeBit | FeatureBit, 0)},
             f);
        finishRows(y, i, j, f, act);
      }
  }

  void linear(const std::string &x, const std::string &w, const std::string &y,
              uint64_t in, uint64_t out, Activation act = {},
              const std::string &bias = "") {
    begin(LayerType::Linear, in, out, fibers(out) * blocks());
    for (uint64_t i = 0; i < fibers(out); ++i)
      for (uint64_t j = 0; j < blocks(); ++j) {
        init(widthOf(i, out), fibers(in), InitValue::Zero, bias, i);
        Load ofWeights, ofRows;
        ofWeights.space = uint64_t(Space::Weights);
        ofWeights.address =
            region(w).address / addressUnit + i * fibers(in) * 16;
        ofWeights.stride = 16;
        ofWeights.count = 16;
        ofWeights.width = 16;
        ofRows.space = uint64_t(Space::Features);
        ofRows.address = rowsAt(x, 0, j);
        ofRows.stride = program.n1 * blocks();
        ofRows.count = program.n1;
        ofRows.width = 16;
        Gemm gemm;
        gemm.rows = program.n1;
        gemm.length = 16;
        gemm.columns = widthOf(i, out);
        gemm.accumulate = 1;
        loop({locked(ofWeights, 0), locked(ofRows, 0),
              unlocking(gemm, WeightBit | FeatureBit, 0)},
             in);
        finishRows(y, i, j, out, act);
      }
  }

  void vectorInner(const std::string &xOfSrc, const std::string &yOfDst,
                   const std::string &edges, const std::string &to, uint64_t f,
                   const std::vector<Activation> &acts = {}) {
    begin(LayerType::VectorInner, f, f, partition.entries().size());
    for (uint64_t entry = 0; entry < partition.entries().size(); ++entry) {
      init(0, fibers(f), InitValue::Zero, "", 0, /*onEdges=*/true);
      append(locked(edgesOf(edges, entry), 0));
      Load ofDst, ofSrc;
      ofDst.space = ofSrc.space = uint64_t(Space::Features);
      ofDst.address = rowsAt(yOfDst, 0, partition.shardOf(entry));
      ofSrc.address = rowsAt(xOfSrc, 0, partition.entries()[entry].block);
      ofDst.stride = ofSrc.stride = program.n1 * blocks();
      ofDst.count = ofSrc.count = program.n1;
      ofDst.width = ofSrc.width = 16;
      Sddmm sddmm;
      sddmm.width = 16;
      sddmm.accumulate = 1;
      loop(
          {locked(ofDst, 0), locked(ofSrc, 1), unlocking(sddmm, FeatureBit, 0)},
          f);
      for (const Activation &act : acts)
        append(actOf(act, 0, true, outputBuffer));
      finishEdges(to, entry);
    }
  }

  void vectorAdd(const std::string &x, const std::string &x2,
                 const std::string &y, uint64_t f, Activation act = {}) {
    begin(LayerType::VectorAdd, f, f, fibers(f) * blocks());
    for (uint64_t i = 0; i < fibers(f); ++i)
      for (uint64_t j = 0; j < blocks(); ++j) {
        append(locked(rowsOf(x, i, j, f), 0));
        append(locked(rowsOf(x2, i, j, f), 1));
        Vadd vadd;
        vadd.rows = program.n1;
        vadd.width = widthOf(i, f);
        Instruction sum = unlocking(vadd, FeatureBit, 0);
        sum.lock = 1;
        append(sum);
        finishRows(y, i, j, f, act);
      }
  }

  /// Divide takes the column `parameter` of the fiber `divisor` of features.
  void activation(const std::string &x, const std::string &y, uint64_t f,
                  Activation act, const std::string &divisor = "",
                  uint64_t divisorFiber = 0) {
    begin(act.kind == ActivationKind::Affine ? LayerType::BatchNorm
                                             : LayerType::Activation,
          f, f, fibers(f) * blocks());
    for (uint64_t i = 0; i < fibers(f); ++i)
      for (uint64_t j = 0; j < blocks(); ++j) {
        append(locked(rowsOf(x, i, j, f), 0));
        if (!divisor.empty())
          append(locked(rowsOf(divisor, divisorFiber, j, 16), 1));
        Activation here = act;
        if (act.kind == ActivationKind::Affine)
          here.parameter += 2 * i;
        Instruction made = actOf(here, program.n1, false, 0);
        made.lock = 1;
        made.unlock = FeatureBit;
        append(made);
        finishRows(y, i, j, f, {});
      }
  }

  void activateEdges(const std::string &edges, const std::string &to,
                     Activation act) {
    begin(LayerType::Activation, 1, 1, partition.entries().size());
    for (uint64_t entry = 0; entry < partition.entries().size(); ++entry) {
      append(locked(edgesOf(edges, entry), 0));
      Instruction made = actOf(act, 0, true, 0);
      made.lock = 1;
      append(made);
      finishEdges(to, entry);
    }
  }

  const Region &region(const std::string &name) const {
    return *program.find(name);
  }
  static uint64_t fibers(uint64_t f) { return (f + 15) / 16; }

private:
  uint64_t blocks() const { return partition.blocks(); }
  static uint64_t widthOf(uint64_t fiber, uint64_t f) {
    return std::min<uint64_t>(16, f - 16 * fiber);
  }
  uint64_t rowsAt(const std::string &name, uint64_t fiber,
                  uint64_t block) const {
    return region(name).address / addressUnit +
           (fiber * blocks() + block) * program.n1;
  }
  Load rowsOf(const std::string &name, uint64_t fiber, uint64_t block,
              uint64_t f) const {
    Load load;
    load.space = uint64_t(Space::Features);
    load.address = rowsAt(name, fiber, block);
    load.count = program.n1;
    load.width = widthOf(f > 16 ? fiber : 0, f);
    return load;
  }
  Load edgesOf(const std::string &name, uint64_t entry) const {
    Load load;
    load.space = uint64_t(Space::Edges);
    load.address = region(name).address / descriptorBytes + entry;
    load.byDescriptor = 1;
    return load;
  }

  static Instruction locked(const Load &load, uint64_t buffer) {
    Instruction made(load);
    made.lock = 1;
    made.buffer = buffer;
    return made;
  }
  template <typename Body>
  static Instruction unlocking(const Body &body, uint64_t bits,
                               uint64_t buffer) {
    Instruction made(body);
    made.unlock = bits;
    made.buffer = buffer;
    return made;
  }
  static Instruction actOf(const Activation &act, uint64_t count, bool onEdges,
                           uint64_t buffer) {
    Act body;
    body.count = count;
    body.onEdges = onEdges;
    body.kind = uint64_t(act.kind);
    body.parameter = act.parameter;
    Instruction made(body);
    made.buffer = buffer;
    return made;
  }

  void begin(LayerType type, uint64_t in, uint64_t out, uint64_t tiles) {
    Csi csi;
    csi.type = uint64_t(type);
    csi.layer = program.layers.size() + 1;
    csi.in = in;
    csi.out = out;
    csi.tiles = tiles;
    program.layers.push_back(
        {"layer" + std::to_string(csi.layer), program.instructions.size()});
    append(csi);
  }

  void init(uint64_t width, uint64_t trips, InitValue value,
            const std::string &bias, uint64_t fiber, bool onEdges = false) {
    Init body;
    body.count = onEdges ? 0 : program.n1;
    body.width = width;
    body.trips = unroll ? 0 : trips;
    body.value = uint64_t(value);
    body.onEdges = onEdges;
    if (!bias.empty()) {
      body.value = uint64_t(InitValue::Bias);
      body.address = region(bias).address / addressUnit + fiber;
    }
    this->trips = trips;
    Instruction made(body);
    made.lock = 1;
    append(made);
  }

  /// The body of the loop of the last init; unrolled, one for each iteration.
  void loop(std::vector<Instruction> body, uint64_t in) {
    if (!unroll) {
      for (Instruction &instruction : body) {
        instruction.loop = 1;
        if (trips)
          append(instruction);
      }
      return;
    }
    for (uint64_t trip = 0; trip < trips; ++trip)
      for (Instruction instruction : body) {
        instruction.buffer ^= trip & 1;
        if (Load *load = std::get_if<Load>(&instruction.body)) {
          if (load->space == uint64_t(Space::Edges))
            load->address += trip;
          else if (!load->byDescriptor) {
            load->address += trip * load->stride;
            load->stride = 0;
          }
        }
        if (Gemm *gemm = std::get_if<Gemm>(&instruction.body))
          gemm->length = widthOf(trip, in);
        if (Sddmm *sddmm = std::get_if<Sddmm>(&instruction.body))
          sddmm->width = widthOf(trip, in);
        append(instruction);
      }
  }

  void finishRows(const std::string &y, uint64_t fiber, uint64_t block,
                  uint64_t f, const Activation &act) {
    if (act.kind != ActivationKind::None)
      append(actOf(act, program.n1, false, outputBuffer));
    Store store;
    store.space = uint64_t(Space::Features);
    store.address = rowsAt(y, fiber, block);
    store.count = program.n1;
    store.width = widthOf(fiber, f);
    Instruction made = unlocking(store, OutputBit, 0);
    made.end = 1;
    append(made);
  }
  void finishEdges(const std::string &to, uint64_t entry) {
    Store store;
    store.space = uint64_t(Space::Edges);
    store.address = region(to).address / descriptorBytes + entry;
    store.byDescriptor = 1;
    Instruction made = unlocking(store, EdgeBit | OutputBit, 0);
    made.end = 1;
    append(made);
  }

  void append(Instruction instruction) {
    program.instructions.push_back(std::move(instruction));
  }

  const Partition &partition;
  uint64_t end = 0, trips = 0;
};

} // namespace gnn::overlay::testing

#endif // GNN_UNITTESTS_OVERLAY_BUILDER_H
