//===- TimingTest.cpp - Cycles against worked examples --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Overlay/Timing.h"

#include "Builder.h"
#include "Channel.h"
#include "Graphs.h"

#include <cmath>

using namespace gnn::overlay;
using namespace gnn::overlay::testing;

namespace {
/// Only what the table of cycles says: no decoder, no latency, no bytes but
/// those of data.
TimingOptions bare(MemoryModel memory = MemoryModel::Ideal) {
  TimingOptions options;
  options.memory = memory;
  options.issue = options.modeChange = options.latency = 0;
  options.fetchBytes = options.descriptorBytes = 0;
  return options;
}

Parameters withPes(uint64_t pes) {
  Parameters parameters;
  parameters.pes = pes;
  return parameters;
}

Partition partitionOf(uint64_t vertices, uint64_t n1,
                      const std::vector<uint64_t> &counts,
                      const Parameters &parameters = {}) {
  auto partition = Partition::ofCounts(vertices, n1, counts, parameters);
  EXPECT_TRUE(bool(partition)) << partition.message();
  return std::move(*partition);
}

Report simulated(const Program &program, const Partition &partition,
                 const TimingOptions &options) {
  auto report = simulate(program, partition, options);
  EXPECT_TRUE(bool(report)) << report.message();
  return report ? *report : Report();
}

/// A linear layer of so many rows, one block a processing element.
Program linearProgram(const Partition &partition, const Parameters &parameters,
                      uint64_t in, uint64_t out) {
  Builder builder(partition, parameters);
  builder.addFeatures("x", RegionRole::Input, in);
  builder.add("w", RegionKind::Weights, RegionRole::Input, in, out);
  builder.addFeatures("y", RegionRole::Output, out);
  builder.linear("x", "w", "y", in, out);
  return builder.program;
}

Program aggregateProgram(const Partition &partition,
                         const Parameters &parameters, uint64_t f,
                         Activation act = {}) {
  Builder builder(partition, parameters);
  builder.addFeatures("x", RegionRole::Input, f);
  builder.addEdges("a", RegionRole::Input);
  builder.addFeatures("y", RegionRole::Output, f);
  builder.aggregate("x", "a", "y", f, Aggregation::Sum, act);
  return builder.program;
}
} // namespace

// Worked example A of the issue.
TEST(Timing, ProductOfMatrices) {
  Partition partition = partitionOf(1024, 1024, {0}, withPes(1));
  Program program = linearProgram(partition, withPes(1), 16, 16);
  Report report = simulated(program, partition, bare());
  EXPECT_EQ(report.layers[0].kernels.gemm, 1024u);
  EXPECT_EQ(report.layers[0].kernels.fill, 30u);
  EXPECT_EQ(report.layers[0].kernels.init, 64u);
  EXPECT_EQ(report.cycles(), 64u + 1054);
}

TEST(Timing, FillsTheArrayOnceATile) {
  Partition partition = partitionOf(32, 16, {0, 0, 0, 0}, withPes(1));
  Program program = linearProgram(partition, withPes(1), 40, 16);
  Report report = simulated(program, partition, bare());
  EXPECT_EQ(report.layers[0].kernels.fill, 2u * 30);
  // The last of three products sums what is left of the input.
  EXPECT_EQ(report.layers[0].kernels.gemm, 2u * (16 + 16 + 8));
}

TEST(Timing, LoadsAtHalfAChannel) {
  // 77 GB/s / 4 at 300 MHz, of two that load 64 KiB and then 1 KiB.
  Channel channel(77000000000, 4 * uint64_t(300000000), 2);
  channel.start(0, 65536, 0);
  channel.start(1, 65536, 0);
  EXPECT_EQ(channel.nextEnd(), 2043u);
  EXPECT_FALSE(channel.finish(0, 2042));
  EXPECT_TRUE(channel.finish(0, 2043));
  channel.start(0, 1024, 2043);
  EXPECT_TRUE(channel.finish(1, 2043));
  channel.start(1, 1024, 2043);
  EXPECT_EQ(channel.nextEnd(), 2043u + 32);
}

TEST(Timing, ChannelsGiveBackWhatNobodyUses) {
  Channel channel(100, 10, 2); // 10 bytes a cycle
  channel.start(0, 100, 0);
  channel.start(1, 30, 2); // 20 of 100 are through
  EXPECT_EQ(channel.nextEnd(), 8u);
  EXPECT_TRUE(channel.finish(1, 8)); // 50 of 100
  EXPECT_EQ(channel.nextEnd(), 13u);
  EXPECT_FALSE(channel.finish(0, 12));
  EXPECT_TRUE(channel.finish(0, 13));
}

TEST(Timing, ProductsWaitForMemory) {
  // Two elements of one channel, of which each loads weights in 32 cycles and
  // features in 2043, multiplies in 1054 and stores in 2043.
  Partition partition = partitionOf(2048, 1024, {0, 0, 0, 0}, withPes(2));
  Program program = linearProgram(partition, withPes(2), 16, 16);
  TimingOptions options = bare(MemoryModel::Shared);
  options.channels = 4;
  Report apart = simulated(program, partition, options);
  options.channels = 1;
  options.bandwidth /= 4;
  Report report = simulated(program, partition, options);
  EXPECT_EQ(report.cycles(), 32u + 2043 + 1054 + 2043);
  EXPECT_EQ(apart.cycles(), 16u + 1022 + 1054 + 1022);
  EXPECT_EQ(report.bytes().total(), 2u * (1024 + 2 * 65536));
}

// Worked example B.
TEST(Timing, KernelsOfEdges) {
  Partition partition = partitionOf(2000, 1008, {1000, 0, 0, 0}, withPes(1));
  auto spdmm = [&](uint64_t f) {
    Report report = simulated(aggregateProgram(partition, withPes(1), f),
                              partition, bare());
    return report.layers[0].kernels.spdmm;
  };
  EXPECT_EQ(spdmm(16), 125u);
  EXPECT_EQ(spdmm(33), 3 * 125u);

  Partition small = partitionOf(1000, 1008, {100}, withPes(1));
  Builder builder(small, withPes(1));
  builder.addFeatures("x", RegionRole::Input, 64);
  builder.addEdges("a", RegionRole::Input);
  builder.addEdges("e", RegionRole::Output);
  builder.addFeatures("y", RegionRole::Output, 64);
  builder.vectorInner("x", "x", "a", "e", 64);
  builder.vectorAdd("x", "x", "y", 16);
  Report report = simulated(builder.program, small, bare());
  EXPECT_EQ(report.layers[0].kernels.sddmm, 4u * 13);
  EXPECT_EQ(report.layers[0].kernels.init, 1u);
  // 1008 rows in a block.
  EXPECT_EQ(report.layers[1].kernels.vadd, 126u);

  Partition thousand = partitionOf(1000, 1008, {0}, withPes(1));
  Builder other(thousand, withPes(1));
  other.addFeatures("x", RegionRole::Input, 16);
  other.addFeatures("y", RegionRole::Output, 16);
  other.vectorAdd("x", "x", "y", 16);
  std::get<Vadd>(other.program.instructions[3].body).rows = 1000;
  EXPECT_EQ(simulated(other.program, thousand, bare()).cycles(), 125u);
}

TEST(Timing, EdgesInBanks) {
  std::vector<Edge> edges;
  for (uint32_t i = 0; i < 16; ++i)
    edges.push_back({16 * i, i, 1});
  TimingOptions options;
  EXPECT_EQ(cyclesOfEdges(edges, {}, options).spdmm, 2u);
  options.network = NetworkModel::Banks;
  EXPECT_EQ(cyclesOfEdges(edges, {}, options).spdmm, 16u);
  // Either end is in a bank: 0 has 16 sources and a destination.
  EXPECT_EQ(cyclesOfEdges(edges, {}, options).sddmm, 17u);
  // Sources in all banks, and destinations in two banks of one pipeline.
  std::vector<Edge> toOne;
  for (uint32_t i = 0; i < 16; ++i)
    toOne.push_back({i, 16 * i + i % 2, 1});
  EXPECT_EQ(cyclesOfEdges(toOne, {}, options).spdmm, 16u);
  options.network = NetworkModel::Network;
  EXPECT_GE(cyclesOfEdges(edges, {}, options).spdmm, 16u);
  EXPECT_GE(cyclesOfEdges(toOne, {}, options).spdmm, 16u);
}

TEST(Timing, DestinationsInTheAdder) {
  TimingOptions options;
  EXPECT_EQ(addCycles({5, 5, 5}, options), (std::vector<uint64_t>{0, 4, 8}));
  // Others pass those that wait.
  EXPECT_EQ(addCycles({5, 5, 6, 7}, options),
            (std::vector<uint64_t>{0, 2, 3, 4}));
}

TEST(Timing, NetworksAreSlowerThanBanks) {
  TestGraph graph = randomGraph("graph", 4096, 40000, 0, 4096, 21);
  TestGraph hub = randomGraph("hub", 4096, 4000, 32, 40, 22);
  for (const TestGraph *tested : {&graph, &hub}) {
    std::vector<Edge> edges;
    for (size_t i = 0; i < tested->edges(); ++i)
      edges.push_back({static_cast<uint32_t>(tested->src[i]),
                       static_cast<uint32_t>(tested->dst[i]), 1});
    EntryCycles found[3];
    TimingOptions options;
    for (auto model :
         {NetworkModel::Ideal, NetworkModel::Banks, NetworkModel::Network}) {
      options.network = model;
      found[int(model)] = cyclesOfEdges(edges, {}, options);
    }
    for (int i : {1, 2}) {
      EXPECT_GE(found[i].spdmm, found[i - 1].spdmm);
      EXPECT_GE(found[i].sddmm, found[i - 1].sddmm);
    }
    // Uniform edges lose throughput to conflicts, but no multiple of it.
    if (tested == &graph) {
      EXPECT_LT(found[2].spdmm, 2 * found[0].spdmm);
      EXPECT_LT(found[2].sddmm, 4 * found[0].sddmm);
    }
  }
}

// Worked example C.
TEST(Timing, AggregateOfTwoTiles) {
  Partition partition = partitionOf(32, 16, {20, 5, 0, 9}, withPes(1));
  Program program = aggregateProgram(partition, withPes(1), 16);
  EXPECT_EQ(simulated(program, partition, bare()).cycles(), 8u);
  Report report = simulated(program, partition, bare(MemoryModel::Shared));
  EXPECT_EQ(report.cycles(), 106u);
  const ElementCycles &element = report.layers[0].elements[0];
  EXPECT_EQ(element.tiles, 2u);
  EXPECT_EQ(element.busy, 8u);
  EXPECT_EQ(element.waiting, 98u);
  EXPECT_EQ(element.idle, 0u);
  EXPECT_EQ(report.bytes().edges, 12u * 34);
  EXPECT_EQ(report.bytes().features, 4u * 1024);
  EXPECT_EQ(report.bytes().storedFeatures, 2u * 1024);
  EXPECT_EQ(report.unpaddedBytes, 4u * 32 * 16 + 12 * 34);
}

TEST(Timing, DecoderAndLatency) {
  Partition partition = partitionOf(32, 16, {20, 5, 0, 9}, withPes(1));
  Program program = aggregateProgram(partition, withPes(1), 16);
  TimingOptions options = bare();
  options.issue = 1;
  // INIT, (LOAD, LOAD, SPDMM) twice, STORE: the last compute begins at its
  // issue, at 6, and the store ends with it.
  Report report = simulated(program, partition, options);
  EXPECT_EQ(report.cycles(), (6u + 1) + (6u + 2));
  // The latency is pipelined: it comes once behind loads, and once behind the
  // store of each tile.
  options = bare(MemoryModel::Shared);
  options.latency = 30;
  report = simulated(program, partition, options);
  EXPECT_GT(report.cycles(), 106u + 2 * 60 - 10);
  EXPECT_LT(report.cycles(), 106u + 2 * 60 + 10);
}

TEST(Timing, WithoutOverlap) {
  Partition partition =
      partitionOf(64, 16, std::vector<uint64_t>(16, 160), withPes(1));
  Program program = aggregateProgram(partition, withPes(1), 32);
  TimingOptions options = bare(MemoryModel::Shared);
  uint64_t with = simulated(program, partition, options).cycles();
  options.overlap = false;
  Report report = simulated(program, partition, options);
  EXPECT_GT(report.cycles(), with);
  // Every load, computation and store behind each other; an init is beside the
  // loads behind it in no case.
  uint64_t loads = 30 + 16, spdmm = 20, store = 16, init = 1;
  EXPECT_EQ(report.cycles(), 8u * (init + 4 * (loads + spdmm) + store));
}

TEST(Timing, Multicast) {
  // Two elements of two channels, which read the same rows at the same time.
  Partition partition = partitionOf(32, 16, {16, 16, 16, 16}, withPes(2));
  Program program = aggregateProgram(partition, withPes(2), 16);
  TimingOptions options = bare(MemoryModel::Shared);
  Report apart = simulated(program, partition, options);
  options.multicast = true;
  Report together = simulated(program, partition, options);
  EXPECT_EQ(apart.bytes().features, 4u * 1024);
  EXPECT_EQ(together.bytes().features, 2u * 1024);
  EXPECT_EQ(together.cycles(), apart.cycles());
  // On one channel, which is half as busy then: (6 + 16) twice, for edges and
  // rows, 2 for a product and 32 for both stores.
  options.channels = 1;
  options.bandwidth /= 4;
  EXPECT_EQ(simulated(program, partition, options).cycles(),
            2u * (6 + 16) + 2 + 32);
  options.multicast = false;
  EXPECT_EQ(simulated(program, partition, options).cycles(),
            2u * (6 + 32) + 2 + 32);
  // Nobody else asks where there is one element.
  Partition alone = partitionOf(32, 16, {16, 16, 16, 16}, withPes(1));
  Program single = aggregateProgram(alone, withPes(1), 16);
  options.multicast = true;
  EXPECT_EQ(simulated(single, alone, options).bytes().features, 4u * 1024);
}

TEST(Timing, LoadsWaitForBuffers) {
  // Five products of 16 cycles, the first with a fill of 30, behind an init of
  // 1. Loads of the third wait for the first, at 47, those of the fourth and
  // the fifth for the one two before.
  Partition partition = partitionOf(16, 16, {0}, withPes(1));
  Program program = linearProgram(partition, withPes(1), 80, 16);
  TimingOptions options = bare();
  Report report = simulated(program, partition, options);
  EXPECT_EQ(report.cycles(), 1u + 30 + 5 * 16);
  EXPECT_EQ(report.layers[0].elements[0].locked, 47u + 16 + 16);
  // Where one may wait before the kernel, the second product is issued, and the
  // load behind it begins to wait, once the first one has begun.
  options.queue = 1;
  report = simulated(program, partition, options);
  EXPECT_EQ(report.cycles(), 1u + 30 + 5 * 16);
  EXPECT_EQ(report.layers[0].elements[0].locked, 46u + 16 + 16);
}

TEST(Timing, ScalesComeBehindRows) {
  Partition partition = partitionOf(16, 16, {0}, withPes(1));
  Builder builder(partition, withPes(1));
  builder.addFeatures("x", RegionRole::Input, 16);
  builder.add("s", RegionKind::Affine, RegionRole::Input, 1, 16);
  builder.addFeatures("y", RegionRole::Output, 16);
  builder.activation(
      "x", "y", 16,
      {ActivationKind::Affine, builder.region("s").address / addressUnit});
  Report report =
      simulated(builder.program, partition, bare(MemoryModel::Shared));
  // Rows in 16 cycles, 128 bytes in 2, 16 rows of 16 values, and the store.
  EXPECT_EQ(report.cycles(), 16u + 2 + 16 + 16);
  EXPECT_EQ(report.bytes().parameters, 128u);
}

TEST(Timing, TilesGoToTheIdleElementOfTheLowestNumber) {
  // Three tiles of 10, 1 and 1 cycles and inits of 1 on two elements: the
  // third goes to the second element.
  Partition partition =
      partitionOf(48, 16, {80, 0, 0, 8, 0, 0, 8, 0, 0}, withPes(2));
  Program program = aggregateProgram(partition, withPes(2), 16);
  Report report = simulated(program, partition, bare());
  const LayerReport &layer = report.layers[0];
  EXPECT_EQ(layer.cycles, 11u);
  EXPECT_EQ(layer.elements[0].tiles, 1u);
  EXPECT_EQ(layer.elements[1].tiles, 2u);
  EXPECT_EQ(layer.elements[1].busy, 4u);
  EXPECT_EQ(layer.elements[1].idle, 7u);
}

TEST(Timing, ChangesOfTheMode) {
  Partition partition = partitionOf(32, 16, {8, 8, 8, 8}, withPes(1));
  Program program =
      aggregateProgram(partition, withPes(1), 16, {ActivationKind::Relu, 0});
  TimingOptions options = bare();
  options.modeChange = 1;
  Report report = simulated(program, partition, options);
  // To the activation and back, but for the last.
  EXPECT_EQ(report.layers[0].kernels.modeChanges, 3u);
  EXPECT_EQ(report.layers[0].kernels.activation, 2u * 2);
  EXPECT_EQ(report.cycles(), 2u * (1 + 2 + 2) + 3);
}

// Worked example E, and the table of the closed form.
TEST(Timing, ClosedForm) {
  using L = std::vector<RooflineLayer>;
  auto A = LayerType::Aggregate;
  auto linear = LayerType::Linear;
  L b1 = {{linear, 1433, 16}, {A, 16, 16}, {linear, 16, 7}, {A, 7, 7}};
  double cycles = rooflineCycles(b1, 2708, 5429);
  EXPECT_NEAR(cycles,
              170.0 * 1433 / 8 + 5429 / 64.0 + 170 * 16 / 8 + 5429 / 64.0,
              1e-6);
  EXPECT_NEAR(cycles, 30961, 1);
  EXPECT_NEAR(cycles / 300e3, 0.1032, 1e-4);
  L b8 = {{linear, 3703, 256},
          {linear, 256, 256},
          {A, 256, 256},
          {LayerType::VectorAdd, 256, 256},
          {linear, 256, 256},
          {A, 256, 256},
          {LayerType::VectorAdd, 256, 256},
          {linear, 256, 256},
          {A, 256, 256},
          {LayerType::VectorAdd, 256, 256},
          {linear, 256, 6}};
  EXPECT_NEAR(rooflineCycles(b8, 3327, 4732) / 300e3, 6.24, 0.01);
  L b6 = {{linear, 200, 64}, {LayerType::VectorInner, 64, 64},   {A, 64, 64},
          {linear, 64, 107}, {LayerType::VectorInner, 107, 107}, {A, 107, 107}};
  EXPECT_NEAR(rooflineCycles(b6, 1569960, 264339468) / 300e3, 354, 1);
}

// Worked example E: the first layer of b1 on CO by tiles.
TEST(Timing, TilesOfALinearLayer) {
  Parameters parameters;
  Partition partition =
      partitionOf(2708, 96, std::vector<uint64_t>(29 * 29, 0), parameters);
  Program program = linearProgram(partition, parameters, 1433, 16);
  TimingOptions options = bare();
  options.hasOverheads = false;
  Report report = simulated(program, partition, options);
  // All blocks have 96 rows in memory, the last one of padding: 4 rounds.
  EXPECT_EQ(report.cycles(), 4u * 8598);
  EXPECT_GE(double(report.cycles()),
            rooflineCycles(rooflineLayers(program), 2708, 0));
}

TEST(Timing, IdealIsTheClosedFormOfUniformGraphs) {
  Parameters parameters;
  uint64_t vertices = 89250, n1 = chooseN1(vertices, parameters), blocks = 32;
  Partition partition = partitionOf(
      vertices, n1, std::vector<uint64_t>(blocks * blocks, 880), parameters);
  Builder builder(partition, parameters);
  builder.addFeatures("x", RegionRole::Input, 500);
  builder.add("w", RegionKind::Weights, RegionRole::Input, 500, 128);
  builder.addEdges("a", RegionRole::Input);
  builder.addFeatures("h", RegionRole::Temporary, 128);
  builder.addFeatures("g", RegionRole::Temporary, 128);
  builder.addFeatures("y", RegionRole::Output, 128);
  builder.linear("x", "w", "h", 500, 128);
  builder.aggregate("h", "a", "g", 128, Aggregation::Sum);
  builder.vectorAdd("h", "g", "y", 128);
  TimingOptions options = bare();
  options.hasOverheads = false;
  auto cycles = double(simulated(builder.program, partition, options).cycles());
  double least = rooflineCycles(rooflineLayers(builder.program), vertices,
                                880.0 * blocks * blocks);
  EXPECT_GE(cycles, least);
  EXPECT_LE(cycles, 1.02 * least);
}

TEST(Timing, ModelsAreOrdered) {
  TestGraph graph = randomGraph("graph", 3000, 60000, 0, 3000, 31);
  Parameters parameters;
  auto partition =
      Partition::create(graph.graph, chooseN1(3000, parameters), parameters);
  ASSERT_TRUE(bool(partition));
  Program program =
      aggregateProgram(*partition, parameters, 40, {ActivationKind::Exp, 0});
  uint64_t cycles[2][3];
  for (auto memory : {MemoryModel::Ideal, MemoryModel::Shared})
    for (auto network :
         {NetworkModel::Ideal, NetworkModel::Banks, NetworkModel::Network}) {
      TimingOptions options;
      options.memory = memory;
      options.network = network;
      cycles[int(memory)][int(network)] =
          simulated(program, *partition, options).cycles();
    }
  for (int network : {0, 1, 2})
    EXPECT_GE(cycles[1][network], cycles[0][network]);
  for (int network : {1, 2}) {
    EXPECT_GE(cycles[0][network], cycles[0][network - 1]);
    // Where memory decides, longer computations move requests to where fewer
    // share a channel, which may save a little.
    EXPECT_GE(double(cycles[1][network]),
              0.99 * double(cycles[1][network - 1]));
  }
  // Not less than what goes through the channels.
  TimingOptions options;
  Report report = simulated(program, *partition, options);
  EXPECT_GE(double(report.cycles()),
            double(report.bytes().total()) / (77e9 / 300e6));
}

TEST(Timing, SumsOfCyclesOfElements) {
  Partition partition =
      partitionOf(100, 16, std::vector<uint64_t>(49, 7), withPes(3));
  Program program = aggregateProgram(partition, withPes(3), 40);
  Report report = simulated(program, partition, {});
  for (const LayerReport &layer : report.layers) {
    uint64_t busy = 0;
    for (const ElementCycles &element : layer.elements) {
      EXPECT_EQ(element.busy + element.waiting + element.idle, layer.cycles);
      busy += element.busy;
    }
    EXPECT_EQ(busy, layer.kernels.total());
  }
  EXPECT_EQ(report.bytes().instructions, 16u * program.instructions.size());
}

TEST(Timing, RefusesWhatItCannotTime) {
  Partition partition = partitionOf(32, 16, {20, 5, 0, 9}, withPes(1));
  Program program = aggregateProgram(partition, withPes(1), 16);
  TimingOptions options;
  options.network = NetworkModel::Banks;
  EXPECT_EQ(simulate(program, partition, options).message(),
            "--network=banks: expected the edges of a graph, got counts alone");
  options = {};
  options.bandwidth = 0;
  EXPECT_EQ(simulate(program, partition, options).message(),
            "--bandwidth: expected a number from 1 to 1125899906842624, got 0");
  program.instructions[4].unlock = FeatureBit;
  EXPECT_EQ(simulate(program, partition, {}).message(),
            "layer 'layer1': tile 0: expected all buffers unlocked at the end "
            "of the tile, got edge buffer 0 locked");
  Partition other = partitionOf(32, 16, {20, 5, 0, 10}, withPes(1));
  EXPECT_EQ(simulate(program, other, {}).message(),
            "expected a graph of 32 nodes and at most 34 edges, which the "
            "program was "
            "made for, got 32 and 35");
}

TEST(Timing, Reports) {
  Partition partition = partitionOf(32, 16, {20, 5, 0, 9}, withPes(1));
  Program program = aggregateProgram(partition, withPes(1), 16);
  program.layers[0].name = "a \"name\"\n\xff";
  Report report = simulated(program, partition, bare(MemoryModel::Shared));
  std::string json = report.json(), text = report.text();
  EXPECT_NE(json.find("\"cycles\": 106"), std::string::npos) << json;
  EXPECT_NE(json.find("\"busy\": 8"), std::string::npos) << json;
  EXPECT_NE(json.find("\"instruction_bytes\": 176"), std::string::npos);
  EXPECT_NE(json.find("\"unpadded_bytes\": 2456"), std::string::npos);
  EXPECT_NE(json.find("\"features\": 4096"), std::string::npos) << json;
  EXPECT_NE(json.find("\"bandwidth\": 77000000000"), std::string::npos);
  EXPECT_NE(text.find("simulated: 106 cycles"), std::string::npos) << text;
  EXPECT_NE(text.find("not modelled: rows, banks and refresh of the DRAM"),
            std::string::npos)
      << text;
  for (const std::string &word : {json, text})
    EXPECT_EQ(word.find("easured"), std::string::npos);
}
