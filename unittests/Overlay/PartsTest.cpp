//===- PartsTest.cpp - Programs of parts ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Overlay/Machine.h"
#include "GNN/Overlay/Timing.h"

#include "Builder.h"
#include "Graphs.h"

using namespace gnn::overlay;
using namespace gnn::overlay::testing;

namespace {
/// relu of 40 x 20 features in 3 blocks of 16 rows, as a whole and as parts of
/// a block each.
struct Relu {
  Relu() : graph(randomGraph("uniform", 40, 90, 0, 40, 1)) {
    partition = std::make_unique<Partition>(
        std::move(*Partition::create(graph.graph, 16, {})));
    Builder builder(*partition);
    builder.addFeatures("x", RegionRole::Input, 20);
    builder.addFeatures("y", RegionRole::Output, 20);
    builder.activation("x", "y", 20, {ActivationKind::Relu});
    whole = builder.program;
    parted = whole;
    parted.instructions.clear();
    parted.layers.clear();
    for (uint64_t block = 0; block < 3; ++block)
      parted.parts.push_back(part(block));
  }

  /// Both fibers of a block. Operands and results of parts that follow each
  /// other lie apart.
  Program part(uint64_t block) const {
    Program made = whole;
    made.layers = {{"layer1", 0}};
    for (Region &region : made.regions) {
      region.pieces.clear();
      region.firstRow = 16 * block;
      region.rows = std::min<uint64_t>(16, 40 - 16 * block);
      region.bytes = 2 * 16 * addressUnit;
      region.address = region.bytes * (2 * block + (region.name == "y"));
    }
    Csi csi = *whole.instructions[0].as<Csi>();
    csi.tiles = 2;
    made.instructions = {csi};
    for (uint64_t fiber = 0; fiber < 2; ++fiber)
      for (uint64_t i = 0; i < 3; ++i) {
        // A tile is a load, a function and a store; fibers have three tiles.
        Instruction next = whole.instructions[1 + 3 * (3 * fiber + block) + i];
        uint64_t place = 16 * fiber;
        if (Load *load = std::get_if<Load>(&next.body))
          load->address = made.regions[0].address / addressUnit + place;
        if (Store *store = std::get_if<Store>(&next.body))
          store->address = made.regions[1].address / addressUnit + place;
        made.instructions.push_back(next);
      }
    return made;
  }

  std::vector<float> run(const Program &program) const {
    std::vector<float> x(40 * 20);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = static_cast<float>(i % 7) - 3;
    auto memory = Memory::create(program);
    EXPECT_TRUE(bool(memory)) << memory.message();
    auto error = memory->fill(program, *partition, {{"x", {x, {40, 20}}}});
    EXPECT_FALSE(bool(error)) << error.message();
    error = execute(program, *memory);
    EXPECT_FALSE(bool(error)) << error.message();
    return *memory->readFeatures(program, program.regions[1]);
  }

  TestGraph graph;
  std::unique_ptr<Partition> partition;
  Program whole, parted;
};

std::string messageOf(const Program &program) {
  return verify(program).message();
}
} // namespace

TEST(Parts, GiveTheBitsOfTheWhole) {
  Relu relu;
  EXPECT_EQ(messageOf(relu.parted), "");
  EXPECT_EQ(relu.run(relu.parted), relu.run(relu.whole));
  auto back = read(*write(relu.parted));
  ASSERT_TRUE(bool(back)) << back.message();
  EXPECT_TRUE(*back == relu.parted);
}

TEST(Parts, ReportsCyclesAndBytes) {
  Relu relu;
  TimingOptions options;
  options.memory = MemoryModel::Ideal;
  auto report = simulate(relu.parted, *relu.partition, options);
  ASSERT_TRUE(bool(report)) << report.message();
  ASSERT_EQ(report->parts.size(), 3u);
  uint64_t cycles = 0;
  for (const PartReport &part : report->parts) {
    cycles += part.cycles;
    EXPECT_EQ(part.bytesIn, 2 * 16 * 64 + 7 * 16u); // rows and instructions
    EXPECT_EQ(part.bytesOut, 2 * 16 * 64u);
    EXPECT_FALSE(part.waits);
  }
  EXPECT_EQ(report->cycles(), cycles);
  EXPECT_EQ(report->instructionBytes, 3 * 7 * 16u);
}

TEST(Parts, RefusesWhatIsNoPart) {
  Relu relu;
  auto with = [&](auto change) {
    Program program = relu.parted;
    change(program);
    return messageOf(program);
  };
  EXPECT_EQ(with([](Program &p) { p.parts[1].n1 = 32; }),
            "part 1: region 'x': expected whole blocks of 32 "
            "of 40 rows and fibers of 16, got rows 16 to 32 from column 0");
  EXPECT_EQ(with([](Program &p) { p.parts[1].parameters.pes = 4; }),
            "part 1: expected the hardware and the partition "
            "of the program");
  EXPECT_EQ(with([&](Program &p) {
              p.instructions = relu.whole.instructions;
              p.layers = relu.whole.layers;
            }),
            "part 0: expected instructions in parts alone");
  EXPECT_EQ(with([](Program &p) { p.parts[2].regions[0].name = "z"; }),
            "part 2: expected a region of the program, got "
            "'z'");
  EXPECT_EQ(with([](Program &p) {
              p.parts[0].regions[1].role = RegionRole::Temporary;
            }),
            "part 0: expected inputs, and outputs that are no "
            "inputs of the program, got 'y'");
  EXPECT_EQ(with([](Program &p) { p.parts[0].regions[0].columns = 21; }),
            "part 0: expected a part of the region 'x', got "
            "16 x 21 from row 0, column 0");
  EXPECT_EQ(with([](Program &p) {
              p.parts[2].regions[1].firstRow = 32;
              p.parts[2].regions[1].rows = 0;
            }),
            "part 2: region 'y': expected 0 bytes, got 2048");
  EXPECT_EQ(with([](Program &p) { p.parts[0].regions[0].firstRow = 8; }),
            "part 0: region 'x': expected whole blocks of 16 "
            "of 40 rows and fibers of 16, got rows 8 to 24 from column 0");
  EXPECT_EQ(with([](Program &p) { p.parts[0].parts = {p.parts[1]}; }),
            "part 0: expected no parts of a part");
  EXPECT_EQ(with([](Program &p) { p.regions[0].firstRow = 16; }),
            "region 'x': expected a whole region, got one "
            "from row 16, column 0");
}

/// Operands come while the part before runs and the results before it go.
TEST(Parts, RefusesWhatIsOverwritten) {
  Relu relu;
  // Moves part 2, by its regions and instructions, to another address.
  auto moved = [&](uint64_t address) {
    Program program = relu.parted;
    Program &part = program.parts[2];
    for (Region &region : part.regions)
      region.address = address + region.address - 4 * 2048;
    for (Instruction &instruction : part.instructions) {
      if (Load *load = std::get_if<Load>(&instruction.body))
        load->address = load->address + address / 64 - 128;
      if (Store *store = std::get_if<Store>(&instruction.body))
        store->address = store->address + address / 64 - 128;
    }
    return program;
  };
  EXPECT_EQ(messageOf(moved(6 * 2048)), "");
  EXPECT_EQ(messageOf(moved(2 * 2048)),
            "part 2: expected 'x' apart from 'x' of the part "
            "before");
  EXPECT_EQ(messageOf(moved(0)),
            "part 2: expected 'y' apart from 'y', which is "
            "copied meanwhile");
}

TEST(Parts, RefusesAnotherGraph) {
  Relu relu;
  Program program = relu.parted;
  Region edges;
  edges.name = "e";
  edges.kind = RegionKind::Edges;
  edges.role = RegionRole::Input;
  edges.rows = 9;
  edges.columns = 90;
  edges.address = program.regions[1].address + program.regions[1].bytes;
  edges.bytes = regionBytes(edges.kind, edges.rows, edges.columns, program);
  program.regions.push_back(edges);
  edges.rows = 3;
  edges.firstRow = 3;
  edges.columns = 2; // fewer than shard 1 has
  edges.bytes = regionBytes(edges.kind, edges.rows, edges.columns, program);
  edges.address = 1 << 16;
  program.parts[1].regions.push_back(edges);
  EXPECT_EQ(messageOf(program), "");
  EXPECT_NE(relu.partition->checkProgram(program).message().find(
                "part 1: expected at most 2 edges of 'e', which the program "
                "was made for, got "),
            std::string::npos);
}

TEST(Parts, TransfersGoOnWhilePartsRun) {
  Report report;
  report.options.frequency = 100;
  report.options.hostBandwidth = 10;
  EXPECT_EQ(report.partSeconds(), 0);
  report.parts = {
      {500, 20, 10, false}, {300, 30, 10, false}, {200, 10, 40, false}};
  // 2 in; 5 beside 3 in; 3 beside 1 out and 1 in; 2 beside 1 out; 4 out.
  EXPECT_DOUBLE_EQ(report.partSeconds(), 2 + 5 + 3 + 2 + 4);
  report.parts[0].cycles = 100; // 1 beside 3 in
  EXPECT_DOUBLE_EQ(report.partSeconds(), 2 + 3 + 3 + 2 + 4);
  // What part 0 gives is sent to part 1: 2 in, 1, 1 out, 3 in.
  report.parts[1].waits = true;
  EXPECT_DOUBLE_EQ(report.partSeconds(), 2 + 1 + 1 + 3 + 3 + 2 + 4);
}

/// ogbn-papers100M, one aggregate of 128 features: .673 s, 4.23 s with
/// transfers.
TEST(Parts, HasTheClosedFormOfALargeGraph) {
  std::vector<RooflineLayer> layers = {{LayerType::Aggregate, 128, 128}};
  uint64_t vertices = 111059956;
  double edges = 1615685872;
  EXPECT_NEAR(rooflineCycles(layers, vertices, edges) / 300e6, .673, .0005);
  EXPECT_NEAR(hostRooflineSeconds(layers, vertices, edges, {}, {}), 4.23, .005);
}
