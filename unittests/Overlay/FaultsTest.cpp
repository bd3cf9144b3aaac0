//===- FaultsTest.cpp - Programs with faults ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Overlay/Machine.h"

#include "Builder.h"
#include "Graphs.h"

#include "GNN/Runtime/ThreadPool.h"

#include <limits>

using namespace gnn::overlay;
using namespace gnn::overlay::testing;

namespace {
void expectStart(const std::string &said, const std::string &start) {
  EXPECT_EQ(said.substr(0, start.size()), start);
}

/// An aggregate of a graph of 100 vertices in blocks of 32, the instructions of
/// which are csi, (init, load edge, load feature, spdmm, store) x 4.
class Faults : public ::testing::Test {
protected:
  Faults() : graph(randomGraph("graph", 100, 300, 0, 100, 11)) {
    auto made = Partition::create(graph.graph, 32, Parameters());
    partition = std::make_unique<Partition>(std::move(*made));
    builder = std::make_unique<Builder>(*partition);
    builder->addFeatures("x", RegionRole::Input, 16);
    builder->addEdges("a", RegionRole::Input, /*isWeighted=*/false);
    builder->addFeatures("y", RegionRole::Output, 16);
    builder->aggregate("x", "a", "y", 16, Aggregation::Sum);
    x.assign(1600, 1);
  }

  Program &program() { return builder->program; }
  Instruction &at(size_t place) { return program().instructions[place]; }
  template <typename Body> Body &bodyAt(size_t place) {
    return std::get<Body>(at(place).body);
  }

  /// What the simulator says, after `change` of the memory.
  template <typename Change> std::string message(Change change) {
    auto memory = Memory::create(program());
    if (!memory)
      return memory.message();
    if (auto error =
            memory->fill(program(), *partition, {{"x", {x, {100, 16}}}}))
      return error.message();
    change(*memory);
    return execute(program(), *memory).message();
  }
  std::string message() {
    return message([](Memory &) {});
  }

  TestGraph graph;
  std::unique_ptr<Partition> partition;
  std::unique_ptr<Builder> builder;
  std::vector<float> x;
};
} // namespace

TEST_F(Faults, None) { EXPECT_EQ(message(), ""); }

TEST_F(Faults, MissingLocks) {
  at(3).lock = 0;
  EXPECT_EQ(message(),
            "layer 'layer1': tile 0: instruction 4: deadlock: it waits until "
            "feature buffer 0 is full, which was filled without a lock");
  at(3).lock = 1;
  at(2).lock = 0;
  EXPECT_EQ(message(),
            "layer 'layer1': tile 0: instruction 4: deadlock: it waits until "
            "edge buffer 0 is full, which was filled without a lock");
  at(2).lock = 1;
  at(1).lock = 0;
  EXPECT_EQ(message(),
            "layer 'layer1': tile 0: instruction 1: deadlock: it waits until "
            "the output is full, which nothing has filled");
}

TEST_F(Faults, MissingUnlocks) {
  at(4).unlock = EdgeBit;
  EXPECT_EQ(message(),
            "layer 'layer1': tile 0: instruction 3: deadlock: it waits until "
            "feature buffer 0 is empty, which nothing unlocks");
  at(4).unlock = FeatureBit;
  EXPECT_EQ(message(),
            "layer 'layer1': tile 0: instruction 2: deadlock: it waits until "
            "edge buffer 0 is empty, which nothing unlocks");
  at(4).unlock = EdgeBit | FeatureBit;
  at(5).unlock = 0;
  EXPECT_EQ(message(), "layer 'layer1': tile 0: expected all buffers unlocked "
                       "at the end of the tile, got the output locked");
  at(5).unlock = OutputBit | WeightBit;
  EXPECT_EQ(message(), "layer 'layer1': tile 0: instruction 5: expected it to "
                       "unlock what it reads, got weight buffer 0");
}

TEST_F(Faults, OverwrittenBuffer) {
  // Both the lock of the second iteration and the unlock of the first are gone.
  Instruction second = at(3);
  second.loop = 0;
  second.lock = 0;
  second.end = 0;
  program().instructions.insert(program().instructions.begin() + 4, second);
  at(4).loop = 1;
  EXPECT_EQ(message(),
            "layer 'layer1': tile 0: instruction 4: expected a lock: "
            "it overwrites feature buffer 0, which is locked");
}

TEST_F(Faults, WrongDescriptors) {
  // The loop of the second tile begins with the first descriptor.
  bodyAt<Load>(7).address = bodyAt<Load>(2).address;
  EXPECT_EQ(message(), "layer 'layer1': tile 1: instruction 10: wrong "
                       "descriptor: expected to store block 0 of destinations, "
                       "got address " +
                           std::to_string(bodyAt<Store>(10).address * 64));
  bodyAt<Load>(7).address = bodyAt<Load>(2).address + 4;
  // A descriptor that names another block of sources.
  uint64_t table = builder->region("a").address;
  std::string said = message([&](Memory &memory) {
    reinterpret_cast<Descriptor *>(memory.data() + table)->block = 1;
  });
  expectStart(
      said, "layer 'layer1': tile 0: instruction 4: wrong descriptor: expected "
            "edges from block 1 to block 0, got on");
  said = message([&](Memory &memory) {
    reinterpret_cast<Descriptor *>(memory.data() + table)->address = 64;
  });
  expectStart(said,
              "layer 'layer1': tile 0: instruction 2: expected a descriptor of "
              "edges within region 'a', got " +
                  std::to_string(partition->entries()[0].count) + " edg");
  said = message([&](Memory &memory) {
    reinterpret_cast<Descriptor *>(memory.data() + table)->count = 100000;
  });
  EXPECT_EQ(said, "layer 'layer1': tile 0: instruction 2: expected a "
                  "descriptor of at most 65536 edges, got 100000");
}

TEST_F(Faults, WrongDescriptorsOfStores) {
  builder->addEdges("e", RegionRole::Output);
  program().instructions.clear();
  program().layers.clear();
  builder->vectorInner("x", "x", "a", "e", 16);
  EXPECT_EQ(message(), "");
  uint64_t table = builder->region("e").address;
  expectStart(message([&](Memory &memory) {
                reinterpret_cast<Descriptor *>(memory.data() + table)->block =
                    1;
              }),
              "layer 'layer1': tile 0: instruction 6: wrong descriptor: "
              "expected " +
                  std::to_string(partition->entries()[0].count) +
                  " edges from block 0, got ");
}

TEST_F(Faults, WrongSubfiber) {
  bodyAt<Load>(3).stride = 64;
  bodyAt<Load>(3).address = 0;
  expectStart(message(),
              "instruction 3: expected an address within a region, got 1433");
  bodyAt<Load>(3).stride = 16;
  EXPECT_EQ(message(), "layer 'layer1': tile 0: instruction 4: wrong "
                       "descriptor: expected rows of block 1 of sources, got "
                       "those at address 1024");
}

TEST_F(Faults, FibersThatBuffersDoNotHold) {
  builder = std::make_unique<Builder>(*partition);
  builder->addFeatures("x", RegionRole::Input, 16);
  builder->add("w", RegionKind::Weights, RegionRole::Input, 16, 32);
  program().regions.back().pieces.front().argument = ""; // all of them 0
  builder->addFeatures("y", RegionRole::Output, 16);
  builder->linear("x", "w", "y", 16, 16);
  EXPECT_EQ(message(), "");
  bodyAt<Store>(5).fiber = 1;
  EXPECT_EQ(message(), "layer 'layer1': tile 0: instruction 5: expected at "
                       "most 32 rows, as the output has, got 64");
  bodyAt<Store>(5).fiber = 0;
  bodyAt<Gemm>(4).fiber = 1;
  EXPECT_EQ(message(), "layer 'layer1': tile 0: instruction 4: expected at "
                       "most 32 rows, as are in the output, got 64");
  bodyAt<Init>(1).count = 64;
  EXPECT_EQ(message(), "layer 'layer1': tile 0: instruction 4: expected at "
                       "most 16 rows, as are in the weight buffer, got 32");
  bodyAt<Load>(2).count = 32;
  bodyAt<Load>(2).fiberStride = 16;
  EXPECT_EQ(message(), "");
  // The second tile of weights ends behind the region.
  bodyAt<Load>(2).fiberStride = 17;
  EXPECT_EQ(message(), "instruction 2: expected an address within a region, "
                       "got 2112 bytes at 8192");
}

TEST_F(Faults, TilesThatDepend) {
  bodyAt<Store>(10).address = bodyAt<Store>(5).address;
  EXPECT_EQ(message(), "layer 'layer1': expected tiles that are independent, "
                       "got tiles 0 and 1 that both write address " +
                           std::to_string(bodyAt<Store>(5).address * 64));
}

TEST_F(Faults, TilesThatReadWhatOthersWrite) {
  bodyAt<Store>(10).address = 32;
  EXPECT_EQ(message(), "layer 'layer1': expected tiles that are independent, "
                       "got tile 0 that reads address 2048, which tile 1 "
                       "writes");
}

TEST_F(Faults, ValuesThatAreNotFinite) {
  auto vertex = static_cast<size_t>(graph.src[0]);
  x[vertex * 16 + 5] = std::numeric_limits<float>::infinity();
  std::string said = message();
  EXPECT_NE(said.find("layer 1 gives inf, which is not finite, for vertex "),
            std::string::npos)
      << said;
  EXPECT_NE(said.find(", feature 5 of 'y'"), std::string::npos) << said;
  auto memory = Memory::create(program());
  ASSERT_FALSE(
      bool(memory->fill(program(), *partition, {{"x", {x, {100, 16}}}})));
  EXPECT_EQ(execute(program(), *memory, {/*checkFinite=*/false}).message(), "");
}

TEST_F(Faults, ValuesThatAreNoNumbers) {
  // A comparison with one is false, and must not hide it.
  x[static_cast<size_t>(graph.src[0]) * 16] =
      std::numeric_limits<float>::quiet_NaN();
  for (Aggregation kind : {Aggregation::Max, Aggregation::Min}) {
    for (Instruction &instruction : program().instructions) {
      if (Init *init = std::get_if<Init>(&instruction.body))
        init->value = uint64_t(kind == Aggregation::Max ? InitValue::Lowest
                                                        : InitValue::Highest);
      if (Spdmm *spdmm = std::get_if<Spdmm>(&instruction.body))
        spdmm->aggregation = uint64_t(kind);
    }
    std::string said = message();
    EXPECT_NE(said.find("nan, which is not finite, for vertex "),
              std::string::npos)
        << said;
  }
}

TEST_F(Faults, OfTheFirstTileOnAnyNumberOfThreads) {
  for (Instruction &instruction : program().instructions)
    if (instruction.as<Store>())
      instruction.unlock = 0;
  gnn::runtime::setNumThreads(7);
  for (int repeat = 0; repeat < 20; ++repeat)
    EXPECT_EQ(message(), "layer 'layer1': tile 0: expected all buffers "
                         "unlocked at the end of the tile, got the output "
                         "locked");
  gnn::runtime::setNumThreads(0);
}

TEST_F(Faults, ArgumentsThatDoNotFit) {
  x.resize(1599);
  EXPECT_EQ(message(), "input 'x': expected shape (100, 16), got (100, 16)");
}

TEST_F(Faults, GraphsThatDoNotFit) {
  auto chunked =
      Partition::ofCounts(100, 32, std::vector<uint64_t>(16, 20), Parameters());
  EXPECT_EQ(
      chunked->checkProgram(program()).message(),
      "expected a graph of 100 nodes and at most 300 edges, which the program "
      "was made for, got 100 and 320");
  Parameters small;
  small.edges = 8;
  auto more = Partition::create(graph.graph, 32, small);
  EXPECT_NE(more->checkProgram(program()).message().find(
                "expected 16 entries of subshards, which the program was made "
                "for, got "),
            std::string::npos);
  bodyAt<Init>(1).trips = 3;
  EXPECT_EQ(partition->checkProgram(program()).message(),
            "instruction 2: expected a loop over the entries of a shard, got 3 "
            "iterations from address " +
                std::to_string(builder->region("a").address) +
                ": a program for this graph has to be made with it");
}
