//===- ProgramTest.cpp - Programs and their files -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Overlay/Program.h"

#include <gtest/gtest.h>

#include <random>

using namespace gnn::overlay;

namespace {
/// A vector_add of one tile: y = x + x.
Program smallProgram() {
  Program program;
  program.vertices = 20;
  program.edges = 3;
  program.n1 = 32;
  program.n2 = 16;
  program.regions = {
      {"x", RegionKind::Features, RegionRole::Input, 0, 2048, 20, 16, 0, 0, {}},
      {"y",
       RegionKind::Features,
       RegionRole::Output,
       2048,
       2048,
       20,
       16,
       0,
       0,
       {}},
      {"a", RegionKind::Edges, RegionRole::Input, 4096, 128, 1, 3, 0, 0, {}},
      {"b", RegionKind::Row, RegionRole::Input, 4224, 128, 1, 17, 0, 0, {}}};
  Piece number, block;
  number.value = -0.5f;
  number.rows = number.columns = 1;
  block.argument = "bias";
  block.transposed = true;
  block.pitch = 1;
  block.column = 1;
  block.rows = 1;
  block.columns = 16;
  program.regions[3].pieces = {number, block};
  Piece whole;
  whole.argument = "x";
  program.regions[0].pieces = {whole};
  program.layers = {{"add", 0}};
  Csi csi;
  csi.type = uint64_t(LayerType::VectorAdd);
  csi.layer = 1;
  csi.in = csi.out = 16;
  csi.tiles = 1;
  program.instructions.emplace_back(csi);
  for (uint64_t buffer : {0, 1}) {
    Load load;
    load.space = uint64_t(Space::Features);
    load.count = 32;
    load.width = 16;
    program.instructions.emplace_back(load);
    program.instructions.back().lock = 1;
    program.instructions.back().buffer = buffer;
  }
  Vadd vadd;
  vadd.rows = 32;
  vadd.width = 16;
  program.instructions.emplace_back(vadd);
  program.instructions.back().lock = 1;
  program.instructions.back().unlock = FeatureBit;
  Store store;
  store.space = uint64_t(Space::Features);
  store.address = 2048 / 64;
  store.count = 32;
  store.width = 16;
  program.instructions.emplace_back(store);
  program.instructions.back().unlock = OutputBit;
  program.instructions.back().end = 1;
  return program;
}

/// The error of a program after a change.
template <typename Change> std::string errorOf(Change change) {
  Program program = smallProgram();
  change(program);
  return verify(program).message();
}

template <typename Body> Body &bodyOf(Program &program, size_t at) {
  return std::get<Body>(program.instructions[at].body);
}
} // namespace

TEST(Program, ChoosesN1) {
  // The table of section 6.5's parameters for the paper's graphs.
  Parameters u250;
  const std::pair<uint64_t, uint64_t> expected[] = {
      {3327, 112},    {2708, 96},      {19717, 624},    {89250, 2800},
      {232965, 7296}, {716847, 16304}, {1569960, 16368}};
  for (auto [vertices, n1] : expected)
    EXPECT_EQ(chooseN1(vertices, u250), n1) << vertices;
  EXPECT_EQ(chooseN1(0, u250), 16u);
  EXPECT_EQ(chooseN1(1, u250), 16u);
  Parameters one;
  one.pes = 1;
  EXPECT_EQ(chooseN1(100, one, 1), 112u);
  // Products of more blocks would not fit 64 bits.
  for (uint64_t blocks : {uint64_t(1) << 31, uint64_t(1) << 57, ~uint64_t(0)})
    EXPECT_EQ(chooseN1(uint64_t(1) << 30, u250, blocks), 16u) << blocks;
}

TEST(Program, BytesOfRegions) {
  Program program;
  program.vertices = 2708;
  program.n1 = 96;
  program.n2 = 16;
  auto bytes = [&](RegionKind kind, uint64_t rows, uint64_t columns) {
    return regionBytes(kind, rows, columns, program);
  };
  EXPECT_EQ(bytes(RegionKind::Features, 2708, 1433), 64u * 96 * 29 * 90);
  EXPECT_EQ(bytes(RegionKind::Weights, 1433, 16), 1024u * 90);
  EXPECT_EQ(bytes(RegionKind::Weights, 16, 7), 1024u);
  EXPECT_EQ(bytes(RegionKind::Row, 1, 17), 128u);
  EXPECT_EQ(bytes(RegionKind::Affine, 1, 17), 256u);
  EXPECT_EQ(bytes(RegionKind::Edges, 841, 5429), 16u * 844 + 65152);
  EXPECT_EQ(bytes(RegionKind::Edges, 0, 0), 0u);
}

TEST(Program, ReadsWhatItWrites) {
  Program program = smallProgram();
  ASSERT_FALSE(bool(verify(program))) << verify(program).message();
  auto bytes = write(program);
  ASSERT_TRUE(bool(bytes)) << bytes.message();
  EXPECT_EQ(bytes->substr(0, 8), std::string("GNNA\2\0\0\0", 8));
  auto back = read(*bytes);
  ASSERT_TRUE(bool(back)) << back.message();
  EXPECT_TRUE(*back == program);
  EXPECT_EQ(*write(*back), *bytes);
  back->parameters.pes = 4;
  EXPECT_FALSE(*back == program);
}

TEST(Program, RefusesFilesThatAreCut) {
  std::string bytes = *write(smallProgram());
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(bool(read(bytes.substr(0, size)))) << size;
  EXPECT_EQ(read(bytes + "x").message(),
            "overlay program: expected the end of the file at byte " +
                std::to_string(bytes.size()) + ", got 1 bytes more");
  EXPECT_EQ(read("ELF file").message(),
            "overlay program: expected a file that begins with 'GNNA'");
  bytes[4] = 1;
  EXPECT_EQ(read(bytes).message(),
            "overlay program: expected version 2, got 1");
}

TEST(Program, RefusesCountsThatTheFileCannotHold) {
  std::string bytes = *write(smallProgram());
  // Number of regions, behind 12 bytes, 7 parameters and 4 numbers.
  bytes.replace(12 + 8 * 11, 4, "\xff\xff\xff\xff");
  std::string message = read(bytes).message();
  EXPECT_NE(message.find("regions at byte 104, got 4294967295"),
            std::string::npos)
      << message;
}

TEST(Program, RefusesLongNames) {
  Program program = smallProgram();
  program.layers[0].name = std::string(4096, 'n');
  ASSERT_TRUE(bool(write(program)));
  EXPECT_TRUE(bool(read(*write(program))));
  program.layers[0].name += 'n';
  EXPECT_EQ(write(program).message(),
            "overlay program: expected names of at most 4096 bytes, got 4097");
  std::string bytes = *write(smallProgram());
  // The length of the first region's name.
  bytes.replace(12 + 8 * 11 + 4, 4, std::string("\1\x10\0\0", 4));
  EXPECT_EQ(read(bytes).message(),
            "overlay program: region '': expected at most 4096 bytes of the "
            "name of a region at byte 108, got 4097");
}

TEST(Program, SurvivesEdits) {
  std::string bytes = *write(smallProgram());
  std::mt19937 random(1);
  for (unsigned i = 0; i < 20000; ++i) {
    std::string edited = bytes;
    for (unsigned edit = 0; edit < 1 + i % 3; ++edit)
      edited[random() % edited.size()] = static_cast<char>(random());
    auto program = read(edited);
    if (!program)
      continue;
    (void)bool(verify(*program));
    auto again = write(*program);
    ASSERT_TRUE(bool(again)) << again.message();
    EXPECT_EQ(*again, edited);
  }
}

TEST(Program, VerifiesRegions) {
  EXPECT_EQ(errorOf([](Program &p) { p.regions[1].address = 2040; }),
            "region 'y': expected an address and bytes that are multiples of "
            "64, got 2040 and 2048");
  EXPECT_EQ(errorOf([](Program &p) { p.regions[0].bytes = 1984; }),
            "region 'x': expected 2048 bytes, got 1984");
  EXPECT_EQ(errorOf([](Program &p) { p.parameters.memoryBytes = 4096; }),
            "region 'a': expected an end within 4096 bytes of memory, got 128 "
            "bytes at 4096");
  EXPECT_EQ(errorOf([](Program &p) { p.regions[2].address = 2048; }),
            "expected regions 'y' and 'a' apart from each other, got both at "
            "2048");
  EXPECT_EQ(errorOf([](Program &p) { p.regions[1].name = "x"; }),
            "expected one region 'x', got two");
  // Edges are no matrix of vertices.
  EXPECT_EQ(errorOf([](Program &p) {
              p.vertices = 1 << 28;
              p.edges = p.regions[2].columns = 1 << 28;
              p.regions[2].rows = 0;
              p.regions = {p.regions[2]};
              p.regions[0].address = 0;
              p.regions[0].bytes = uint64_t(12) << 28;
              p.instructions.clear();
              p.layers.clear();
            }),
            "");
  // An output may take the memory of an input that was read.
  EXPECT_EQ(errorOf([](Program &p) {
              p.regions[1].address = 0;
              bodyOf<Store>(p, 4).address = 0;
            }),
            "");
}

TEST(Program, VerifiesPieces) {
  EXPECT_EQ(errorOf([](Program &p) {
              p.regions[3].pieces[0].argumentRow = uint64_t(1) << 63;
            }),
            "region 'b': expected at most 2147483648 rows and columns of an "
            "argument, got 9223372036854775808");
  EXPECT_EQ(errorOf([](Program &p) { p.regions[3].pieces[1].column = 2; }),
            "region 'b': expected a piece within 1x17, got 1x16 at (0, 2)");
  EXPECT_EQ(errorOf([](Program &p) { p.regions[3].pieces[1].row = 1; }),
            "region 'b': expected a piece within 1x17, got 1x16 at (1, 1)");
  EXPECT_EQ(errorOf([](Program &p) { p.regions[3].pieces[1].argumentRow = 1; }),
            "region 'b': expected a piece of argument 'bias' within its 1 "
            "columns, got 2");
  EXPECT_EQ(
      errorOf([](Program &p) { p.regions[0].pieces = p.regions[3].pieces; }),
      "region 'x': expected features of one argument as a whole, got 2 pieces");
  EXPECT_EQ(errorOf([](Program &p) { p.regions[0].pieces.clear(); }),
            "region 'x': expected features of one argument as a whole, got 0 "
            "pieces");
  EXPECT_EQ(
      errorOf([](Program &p) { p.regions[1].pieces = p.regions[0].pieces; }),
      "region 'y': expected pieces of an input alone, got output features");
}

TEST(Program, VerifiesTiles) {
  EXPECT_EQ(errorOf([](Program &p) { bodyOf<Load>(p, 1).address = 34; }),
            "instruction 1: expected an address within a region, got 2048 "
            "bytes at 2176");
  EXPECT_EQ(errorOf([](Program &p) { bodyOf<Load>(p, 1).count = 16385; }),
            "instruction 1: expected rows from 0 to 16384, got 16385");
  // Fibers of the output, of 32 rows here, end with its buffer.
  EXPECT_EQ(errorOf([](Program &p) { bodyOf<Store>(p, 4).fiber = 512; }),
            "instruction 4: expected rows from 0 to 16384, got 16416");
  EXPECT_EQ(errorOf([](Program &p) {
              Gemm gemm;
              gemm.rows = 16;
              gemm.length = 16;
              gemm.fiber = 2;
              p.instructions[3].body = gemm;
              p.parameters.weightRows = 32;
            }),
            "instruction 3: expected rows of weights from 0 to 32, got 48");
  EXPECT_EQ(errorOf([](Program &p) {
              Gemm gemm;
              gemm.rows = 16;
              gemm.fiber = 512;
              p.instructions[3].body = gemm;
            }),
            "instruction 3: expected rows from 0 to 16384, got 16400");
  EXPECT_EQ(errorOf([](Program &p) { bodyOf<Vadd>(p, 3).width = 17; }),
            "instruction 3: expected width from 0 to 16, got 17");
  EXPECT_EQ(errorOf([](Program &p) { p.instructions[4].end = 0; }),
            "instruction 5: expected the end of tile 0 of 1");
  EXPECT_EQ(errorOf([](Program &p) { bodyOf<Csi>(p, 0).tiles = 0; }),
            "instruction 1: expected a csi, got an instruction outside of a "
            "tile");
  EXPECT_EQ(errorOf([](Program &p) { p.instructions[4].loop = 1; }),
            "instruction 4: expected no init and no store in a loop");
  EXPECT_EQ(errorOf([](Program &p) {
              p.instructions[1].loop = p.instructions[3].loop = 1;
            }),
            "instruction 3: expected one loop in a tile, got a second one");
  EXPECT_EQ(errorOf([](Program &p) {
              Init init;
              init.trips = 2;
              p.instructions.insert(p.instructions.begin() + 1,
                                    Instruction(init));
            }),
            "instruction 1: expected a loop of 2 iterations");
  EXPECT_EQ(errorOf([](Program &p) { p.instructions[2].buffer = 2; }),
            "instruction 2: expected buffer 0 or 1, got the output");
  EXPECT_EQ(errorOf([](Program &p) { p.layers.clear(); }),
            "expected names of 1 layers, got 0");
  EXPECT_EQ(errorOf([](Program &p) { p.n2 = 8; }),
            "expected fibers of 16 columns, got 16 words of a row of a buffer "
            "and N2 8");
  EXPECT_EQ(errorOf([](Program &p) { p.n1 = 24; }),
            "expected N1 to be a multiple of psys 16, got 24");
}

TEST(Program, VerifiesLoadsByDescriptor) {
  auto load = [](Program &p, uint64_t address) {
    Load edges;
    edges.space = uint64_t(Space::Edges);
    edges.address = address;
    edges.byDescriptor = 1;
    p.instructions[1].body = edges;
  };
  EXPECT_EQ(errorOf([&](Program &p) { load(p, 4096 / 16); }), "");
  EXPECT_EQ(errorOf([&](Program &p) { load(p, 4096 / 16 + 1); }),
            "instruction 1: expected descriptors within a region, got 1 at "
            "4112");
}
