//===- RooflineTest.cpp - Closed forms and simulated programs -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Overlay/Timing.h"

#include "Builder.h"

#include <gtest/gtest.h>

#include <map>

using namespace gnn::overlay;
using namespace gnn::overlay::testing;

namespace {
/// A graph of table IV; the edges of YE count twice.
struct PaperGraph {
  const char *name;
  uint64_t vertices, edges, features, classes;
};

const PaperGraph graphs[] = {
    {"CI", 3327, 4732, 3703, 6},         {"CO", 2708, 5429, 1433, 7},
    {"PU", 19717, 44338, 500, 3},        {"FL", 89250, 899756, 500, 7},
    {"RE", 232965, 116069919, 602, 41},  {"YE", 716847, 2 * 6977410, 300, 100},
    {"AP", 1569960, 264339468, 200, 107}};

using Layers = std::vector<RooflineLayer>;

RooflineLayer linear(uint64_t in, uint64_t out) {
  return {LayerType::Linear, in, out};
}
RooflineLayer on(LayerType type, uint64_t f) { return {type, f, f}; }

/// A linear layer and an aggregate in the order of theorem 2.
void addPair(Layers &layers, uint64_t in, uint64_t out) {
  if (in > out) {
    layers.push_back(linear(in, out));
    layers.push_back(on(LayerType::Aggregate, out));
  } else {
    layers.push_back(on(LayerType::Aggregate, in));
    layers.push_back(linear(in, out));
  }
}

/// The layers of models b1 to b8, as the closed form counts them.
Layers layersOf(int model, const PaperGraph &graph) {
  uint64_t f = graph.features, c = graph.classes;
  auto aggregate = LayerType::Aggregate, sum = LayerType::VectorAdd;
  auto inner = LayerType::VectorInner;
  Layers layers;
  switch (model) {
  case 1:
  case 2:
    addPair(layers, f, model == 1 ? 16 : 128);
    addPair(layers, model == 1 ? 16 : 128, c);
    break;
  case 3:
  case 4: {
    uint64_t hidden = model == 3 ? 128 : 256;
    addPair(layers, f, hidden);
    layers.push_back(on(sum, hidden));
    addPair(layers, hidden, c);
    layers.push_back(on(sum, c));
    break;
  }
  case 5:
    for (int layer = 0; layer < 5; ++layer) {
      uint64_t in = layer ? 128 : f;
      layers.insert(layers.end(),
                    {on(aggregate, in), on(sum, in), linear(in, 128),
                     linear(128, layer == 4 ? c : 128)});
    }
    break;
  case 6:
    layers = {linear(f, 64), on(inner, 64), on(aggregate, 64),
              linear(64, c), on(inner, c),  on(aggregate, c)};
    break;
  case 7:
    layers = {linear(f, c), on(aggregate, c), on(aggregate, c)};
    break;
  default:
    layers = {linear(f, 256)};
    for (int layer = 0; layer < 3; ++layer)
      layers.insert(layers.end(),
                    {linear(256, 256), on(aggregate, 256), on(sum, 256)});
    layers.push_back(linear(256, c));
  }
  return layers;
}

/// A graph whose subshards have the same number of edges, but for one.
Partition uniform(const PaperGraph &graph, const Parameters &parameters) {
  uint64_t n1 = chooseN1(graph.vertices, parameters);
  uint64_t blocks = (graph.vertices + n1 - 1) / n1;
  std::vector<uint64_t> counts(blocks * blocks);
  for (size_t i = 0; i < counts.size(); ++i)
    counts[i] =
        graph.edges * (i + 1) / counts.size() - graph.edges * i / counts.size();
  auto made = Partition::ofCounts(graph.vertices, n1, counts, parameters);
  EXPECT_TRUE(bool(made)) << made.message();
  return std::move(*made);
}

/// The layers one behind the other. Nobody reads their values, so weights are
/// shared, and all layers write to two regions in turn.
Program programOf(const Layers &layers, const Partition &partition,
                  const Parameters &parameters) {
  Builder builder(partition, parameters);
  uint64_t widest = 0;
  for (const RooflineLayer &layer : layers)
    widest = std::max({widest, layer.in, layer.out});
  builder.addFeatures("x0", RegionRole::Input, widest);
  builder.addFeatures("x1", RegionRole::Output, widest);
  builder.addEdges("a", RegionRole::Input);
  builder.addEdges("e", RegionRole::Output);
  builder.add("w", RegionKind::Weights, RegionRole::Input, widest, widest);
  for (size_t i = 0; i < layers.size(); ++i) {
    std::string x = i % 2 ? "x1" : "x0", y = i % 2 ? "x0" : "x1";
    const RooflineLayer &layer = layers[i];
    if (layer.type == LayerType::Linear)
      builder.linear(x, "w", y, layer.in, layer.out);
    else if (layer.type == LayerType::Aggregate)
      builder.aggregate(x, "a", y, layer.in, Aggregation::Sum);
    else if (layer.type == LayerType::VectorInner)
      builder.vectorInner(x, x, "a", "e", layer.in);
    else
      builder.vectorAdd(x, x, y, layer.in);
  }
  return builder.program;
}

/// Only what the closed form counts.
TimingOptions withoutOverheads() {
  TimingOptions options;
  options.memory = MemoryModel::Ideal;
  options.issue = options.modeChange = 0;
  options.hasOverheads = false;
  return options;
}
} // namespace

TEST(Roofline, OfThePapersModels) {
  // In milliseconds, as the issue prints them.
  const double expected[8][7] = {{.323, .103, .270, 1.29, 16.0, 9.15, 40.3},
                                 {2.58, .824, 2.14, 10.0, 98.0, 72.4, 309},
                                 {2.58, .825, 2.15, 10.1, 98.2, 73.0, 310},
                                 {5.16, 1.65, 4.30, 20.1, 178, 141, 481},
                                 {3.40, 1.45, 6.54, 31.9, 505, 253, 1060},
                                 {1.29, .413, 1.08, 5.27, 100, 46.8, 354},
                                 {.321, .102, .261, 1.26, 47.2, 49.4, 250},
                                 {6.24, 2.53, 10.7, 50.2, 428, 389, 1371}};
  for (int model = 1; model <= 8; ++model)
    for (size_t i = 0; i < 7; ++i) {
      double found =
          rooflineCycles(layersOf(model, graphs[i]), graphs[i].vertices,
                         double(graphs[i].edges)) /
          300e3;
      EXPECT_NEAR(found / expected[model - 1][i], 1, 0.006)
          << "b" << model << " on " << graphs[i].name;
    }
}

TEST(Roofline, OfSharedMemory) {
  const double expected[7] = {6.69, 2.55, 9.42, 43.2, 334, 567, 2740};
  for (size_t i = 0; i < 7; ++i) {
    double found =
        sharedRooflineCycles(layersOf(2, graphs[i]), graphs[i].vertices,
                             double(graphs[i].edges),
                             chooseN1(graphs[i].vertices, {}), {}, {}) /
        300e3;
    EXPECT_NEAR(found / expected[i], 1, 0.002) << graphs[i].name;
  }
}

TEST(Roofline, TransfersOfThePapersGraphs) {
  // (4 V f + 12 E) / 31.5 GB/s in milliseconds.
  const double expected[7] = {1.566, .495, 1.269, 6.009, 62.03, 32.62, 140.57};
  for (size_t i = 0; i < 7; ++i) {
    Partition partition = uniform(graphs[i], {});
    Builder builder(partition);
    builder.addFeatures("x", RegionRole::Input, graphs[i].features);
    builder.addEdges("a", RegionRole::Input);
    auto report = simulate(builder.program, partition, {});
    ASSERT_TRUE(bool(report)) << report.message();
    EXPECT_NEAR(report->transferSeconds(report->unpaddedBytes) * 1e3 /
                    expected[i],
                1, 0.001)
        << graphs[i].name;
    EXPECT_GT(report->paddedBytes, report->unpaddedBytes);
    EXPECT_EQ(report->allBytes, report->paddedBytes);
  }
}

TEST(Roofline, IsWhatIdealProgramsTake) {
  Parameters parameters;
  for (const PaperGraph &graph : graphs) {
    Partition partition = uniform(graph, parameters);
    for (int model = 1; model <= 8; ++model) {
      Layers layers = layersOf(model, graph);
      auto report = simulate(programOf(layers, partition, parameters),
                             partition, withoutOverheads());
      ASSERT_TRUE(bool(report)) << report.message();
      double least = rooflineCycles(layers, graph.vertices, double(graph.edges),
                                    parameters);
      double ratio = double(report->cycles()) / least;
      std::string name =
          "b" + std::to_string(model) + " on " + std::string(graph.name);
      EXPECT_GE(ratio, 1) << name;
      // 29 or 30 tiles on 8 elements take 13% more, and 44 of a fiber 7%.
      bool hasFewTiles = graph.vertices < 5000;
      EXPECT_LE(ratio, hasFewTiles                                     ? 1.135
                       : graph.name == std::string("YE") && model == 1 ? 1.075
                                                                       : 1.02)
          << name;
    }
  }
}

TEST(Roofline, IsLessThanSharedProgramsTake) {
  Parameters parameters;
  for (const PaperGraph &graph : graphs) {
    Partition partition = uniform(graph, parameters);
    Layers layers = layersOf(2, graph);
    Program program = programOf(layers, partition, parameters);
    TimingOptions options;
    auto shared = simulate(program, partition, options);
    ASSERT_TRUE(bool(shared)) << shared.message();
    EXPECT_GE(double(shared->cycles()),
              sharedRooflineCycles(layers, graph.vertices, double(graph.edges),
                                   partition.n1(), parameters, options))
        << graph.name;
    options.memory = MemoryModel::Ideal;
    auto ideal = simulate(program, partition, options);
    ASSERT_TRUE(bool(ideal)) << ideal.message();
    EXPECT_GE(shared->cycles(), ideal->cycles()) << graph.name;
    // Loads beside computations save time in all of them.
    options.memory = MemoryModel::Shared;
    options.overlap = false;
    auto apart = simulate(program, partition, options);
    ASSERT_TRUE(bool(apart)) << apart.message();
    EXPECT_GT(apart->cycles(), shared->cycles()) << graph.name;
  }
}
