//===- Costs.cpp - Cycles of instructions ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Costs.h"

#include "Guarded.h"
#include "Network.h"
#include "Parallel.h"
#include "Support.h"

using namespace gnn::overlay;
using namespace gnn::runtime;

static uint64_t idealCycles(uint64_t edges, const Parameters &parameters) {
  return divideUp(2 * edges, parameters.psys);
}

/// Not less than the fullest bank or pipeline.
static EntryCycles bankCycles(ArrayView<Edge> edges,
                              const Parameters &parameters) {
  uint64_t p = parameters.psys;
  std::vector<uint64_t> sources(p), pipelines(p / 2), ends(p);
  for (const Edge &edge : edges) {
    ++sources[edge.src % p];
    ++pipelines[edge.dst % p / 2];
    ++ends[edge.src % p];
    ++ends[edge.dst % p];
  }
  auto most = [](const std::vector<uint64_t> &counts) {
    return *std::max_element(counts.begin(), counts.end());
  };
  uint64_t ideal = idealCycles(edges.size(), parameters);
  return {std::max({ideal, most(sources), most(pipelines)}),
          std::max(ideal, most(ends))};
}

static EntryCycles countCycles(ArrayView<Edge> edges,
                               const Parameters &parameters,
                               const TimingOptions &options, bool ofSpdmm,
                               bool ofSddmm) {
  uint64_t ideal = idealCycles(edges.size(), parameters);
  switch (options.network) {
  case NetworkModel::Ideal:
    break;
  case NetworkModel::Banks:
    return bankCycles(edges, parameters);
  case NetworkModel::Network: {
    EntryCycles least = bankCycles(edges, parameters);
    EntryCycles found =
        networkCycles(edges, parameters, options, ofSpdmm, ofSddmm);
    return {std::max(least.spdmm, found.spdmm),
            std::max(least.sddmm, found.sddmm)};
  }
  }
  return {ideal, ideal};
}

EntryCycles gnn::overlay::cyclesOfEdges(ArrayView<Edge> edges,
                                        const Parameters &parameters,
                                        const TimingOptions &options) {
  return countCycles(edges, parameters, options, true, true);
}

Expected<Costs> Costs::create(const Program &program,
                              const Partition &partition,
                              const TimingOptions &options) {
  Costs costs(program, options);
  if (options.network == NetworkModel::Ideal || partition.edges() == 0)
    return costs;
  if (!partition.hasEdges())
    return failure("--network=", nameOf(options.network),
                   ": expected the edges of a graph, got counts alone");
  bool hasSpdmm = false, hasSddmm = false;
  for (const Instruction &instruction : program.instructions) {
    hasSpdmm |= instruction.as<Spdmm>() != nullptr;
    hasSddmm |= instruction.as<Sddmm>() != nullptr;
  }
  if (!hasSpdmm && !hasSddmm)
    return costs;
  const std::vector<Entry> &entries = partition.entries();
  costs.entries.resize(entries.size());
  std::vector<std::vector<Edge>> buffers(numThreads());
  forTasks(entries.size(), numThreads(), [&](unsigned worker, size_t at) {
    std::vector<Edge> &edges = buffers[worker];
    edges.resize(entries[at].count);
    for (size_t i = 0; i < edges.size(); ++i)
      edges[i] = partition.edgeAt(entries[at].first + i);
    costs.entries[at] =
        countCycles(edges, program.parameters, options, hasSpdmm, hasSddmm);
  });
  return costs;
}

EntryCycles Costs::cyclesOf(const EdgesInBuffer &edges, uint64_t named) const {
  if (edges.entry < entries.size() && (named == 0 || named == edges.count))
    return entries[edges.entry];
  uint64_t ideal = idealCycles(named ? named : edges.count, parameters);
  return {ideal, ideal};
}

Cost Costs::ofAct(const Act &act, const EdgesInBuffer &edges) const {
  // Weights of edges lie in rows of a fiber's width.
  uint64_t rows = act.onEdges
                      ? divideUp(act.count ? act.count : edges.count, fiber)
                      : act.count;
  uint64_t p = parameters.psys;
  auto kind = static_cast<ActivationKind>(act.kind);
  if (kind == ActivationKind::Relu || kind == ActivationKind::Prelu)
    return {divideUp(2 * rows, p) * divideUp(fiber, p), Mode::VectorAdd,
            &KernelCycles::activation};
  constexpr uint64_t activationElements = 16;
  return {divideUp(rows * fiber, activationElements), Mode::None,
          &KernelCycles::activation};
}

Cost Costs::of(const Instruction &instruction, const Csi &csi,
               uint64_t iteration, const EdgesInBuffer &edges,
               bool isFirst) const {
  uint64_t p = parameters.psys;
  if (const Gemm *gemm = instruction.as<Gemm>()) {
    uint64_t length =
        lengthAt(instruction, gemm->length, csi.in, fiber, iteration);
    uint64_t fill = isFirst && options.hasOverheads ? 2 * (p - 1) : 0;
    return {divideUp(gemm->rows, p) * divideUp(gemm->columns, p) * length +
                fill,
            Mode::Gemm, &KernelCycles::gemm, fill};
  }
  if (const Spdmm *spdmm = instruction.as<Spdmm>())
    return {cyclesOf(edges, spdmm->edges).spdmm, Mode::Spdmm,
            &KernelCycles::spdmm};
  if (const Sddmm *sddmm = instruction.as<Sddmm>()) {
    uint64_t width =
        lengthAt(instruction, sddmm->width, csi.in, fiber, iteration);
    return {cyclesOf(edges, sddmm->edges).sddmm * divideUp(width, p),
            Mode::Sddmm, &KernelCycles::sddmm};
  }
  if (const Vadd *vadd = instruction.as<Vadd>())
    return {divideUp(2 * vadd->rows, p) * divideUp(vadd->width, p),
            Mode::VectorAdd, &KernelCycles::vadd};
  if (const Init *init = instruction.as<Init>()) {
    uint64_t rows = init->onEdges ? divideUp(edges.count, fiber) : init->count;
    return {options.hasOverheads ? divideUp(rows, p) : 0, Mode::None,
            &KernelCycles::init};
  }
  if (const Act *act = instruction.as<Act>()) {
    Cost cost = ofAct(*act, edges);
    // An activation layer of its own is work, not an overhead.
    bool isLayer = csi.type == uint64_t(LayerType::Activation) ||
                   csi.type == uint64_t(LayerType::BatchNorm);
    if (!options.hasOverheads && !isLayer)
      return {0, Mode::None, &KernelCycles::activation};
    return cost;
  }
  return {};
}
