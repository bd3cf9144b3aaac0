//===- InstructionTest.cpp - Bytes of instructions ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Overlay/Instruction.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

using namespace gnn::overlay;

namespace {
std::string hex(const EncodedInstruction &bytes) {
  std::string text;
  for (uint8_t byte : bytes)
    for (int digit : {byte / 16, byte % 16})
      text += "0123456789abcdef"[digit];
  return text;
}

/// Encodes, compares, decodes, and compares again.
void expectBytes(const Instruction &instruction, const std::string &text) {
  auto bytes = encode(instruction);
  ASSERT_TRUE(bool(bytes)) << bytes.message();
  EXPECT_EQ(hex(*bytes), text);
  auto back = decode(bytes->data());
  ASSERT_TRUE(bool(back)) << back.message();
  EXPECT_TRUE(*back == instruction);
}

EncodedInstruction bytesOf(const Instruction &instruction) {
  auto bytes = encode(instruction);
  return bytes ? *bytes : EncodedInstruction();
}
} // namespace

// The bytes were computed apart from the encoder, from the widths in
// Instructions.def.

TEST(Instruction, Csi) {
  Csi csi;
  csi.type = 1;
  csi.activation = 1;
  csi.activated = 1;
  csi.layer = 2;
  csi.in = 1433;
  csi.out = 16;
  csi.tiles = 29;
  expectBytes(Instruction(csi), "01004112c82c8000e800000000000000");
}

TEST(Instruction, Load) {
  Load load;
  load.space = 2;
  load.address = 0x100000001;
  load.stride = 2784;
  load.count = 96;
  load.width = 16;
  load.byDescriptor = 1;
  Instruction instruction(load);
  instruction.loop = 1;
  instruction.lock = 1;
  instruction.buffer = 1;
  expectBytes(instruction, "42210600000004ae0000600060000000");
}

TEST(Instruction, LoadOfSeveralFibers) {
  Load load;
  load.address = 0x40;
  load.stride = 16;
  load.count = 48;
  load.width = 16;
  load.fiberStride = 1440;
  Instruction instruction(load);
  instruction.loop = 1;
  instruction.lock = 1;
  expectBytes(instruction, "42010001000000010000300020d00200");
}

TEST(Instruction, Store) {
  Store store;
  store.space = 2;
  store.address = 5;
  store.count = 96;
  store.width = 16;
  Instruction instruction(store);
  instruction.end = 1;
  instruction.unlock = OutputBit;
  expectBytes(instruction, "83101600000000060002000000000000");
  store.fiber = 2;
  instruction.body = store;
  expectBytes(instruction, "83101600000000060012000000000000");
}

TEST(Instruction, Init) {
  Init init;
  init.count = 96;
  init.width = 16;
  init.trips = 90;
  init.value = 3;
  init.address = 3;
  Instruction instruction(init);
  instruction.lock = 1;
  expectBytes(instruction, "04016000a01600c00600000000000000");
}

TEST(Instruction, Gemm) {
  Gemm gemm;
  gemm.rows = 96;
  gemm.length = 16;
  gemm.columns = 16;
  gemm.accumulate = 1;
  Instruction instruction(gemm);
  instruction.loop = 1;
  instruction.unlock = WeightBit | FeatureBit;
  expectBytes(instruction, "450a6000080300000000000000000000");
  gemm.fiber = 2;
  instruction.body = gemm;
  expectBytes(instruction, "450a6000080b00000000000000000000");
}

TEST(Instruction, Spdmm) {
  Spdmm spdmm;
  spdmm.edges = 0x12345678;
  spdmm.aggregation = 2;
  spdmm.width = 16;
  Instruction instruction(spdmm);
  instruction.loop = 1;
  instruction.unlock = EdgeBit | FeatureBit;
  expectBytes(instruction, "460c7856341282000000000000000000");
}

TEST(Instruction, Sddmm) {
  Sddmm sddmm;
  sddmm.width = 16;
  sddmm.accumulate = 1;
  Instruction instruction(sddmm);
  instruction.loop = 1;
  instruction.unlock = FeatureBit;
  expectBytes(instruction, "47080000000030000000000000000000");
}

TEST(Instruction, Vadd) {
  Vadd vadd;
  vadd.rows = 96;
  vadd.width = 7;
  Instruction instruction(vadd);
  instruction.lock = 1;
  instruction.unlock = FeatureBit;
  expectBytes(instruction, "08096080030000000000000000000000");
}

TEST(Instruction, Act) {
  Act act;
  act.count = 96;
  act.kind = 2;
  act.parameter = 0x3e4ccccd; // 0.2
  Instruction instruction(act);
  instruction.buffer = outputBuffer;
  expectBytes(instruction, "094060000000a49999c9070000000000");
}

TEST(Instruction, RefusesOpcodes) {
  for (unsigned opcode = 0; opcode < 64; ++opcode) {
    EncodedInstruction bytes = {};
    bytes[0] = static_cast<uint8_t>(opcode);
    if (opcode < 1 || opcode > 9)
      EXPECT_EQ(decode(bytes.data()).message(),
                "expected an opcode from 1 to 9, got " +
                    std::to_string(opcode));
  }
}

TEST(Instruction, RefusesBitsBehindFields) {
  EncodedInstruction bytes = bytesOf(Instruction(Vadd()));
  bytes[15] = 0x80;
  EXPECT_EQ(decode(bytes.data()).message(),
            "vadd: expected 0 in the bits behind its fields");
  // The first bit behind them.
  bytes = bytesOf(Instruction(Vadd()));
  bytes[4] |= 1 << 4;
  EXPECT_EQ(decode(bytes.data()).message(),
            "vadd: expected 0 in the bits behind its fields");
  bytes = bytesOf(Instruction(Vadd()));
  bytes[1] |= 0x80;
  EXPECT_EQ(decode(bytes.data()).message(),
            "vadd: expected zero from 0 to 0, got 1");
}

TEST(Instruction, RefusesValues) {
  auto message = [](const Instruction &instruction) {
    return encode(instruction).message();
  };
  Csi csi;
  csi.type = 6;
  EXPECT_EQ(message(csi), "csi: expected type from 0 to 5, got 6");
  csi.type = 8;
  EXPECT_EQ(message(csi), "csi: expected type of 3 bits, got 8");
  csi.type = 0;
  csi.aggregation = 5;
  EXPECT_EQ(message(csi), "csi: expected aggregation from 0 to 4, got 5");
  Load load;
  load.space = 3;
  EXPECT_EQ(message(load), "load: expected space from 0 to 2, got 3");
  load.space = 0;
  load.byDescriptor = 1;
  EXPECT_EQ(message(load),
            "load: expected edges or features by descriptor, got weights");
  load.byDescriptor = 0;
  load.space = 2;
  load.fiberStride = 16;
  EXPECT_EQ(message(load),
            "load: expected tiles of weights apart, got those of space 2");
  EXPECT_EQ(message(Instruction(Store())),
            "store: expected space from 1 to 2, got 0");
  Store store;
  store.space = 1;
  store.fiber = 1;
  EXPECT_EQ(message(store),
            "store: expected a fiber of features, got one of edges");
  EXPECT_EQ(message(Instruction(Spdmm())),
            "spdmm: expected aggregation from 1 to 4, got 0");
  EXPECT_EQ(message(Instruction(Act())),
            "act: expected kind from 1 to 7, got 0");
  Instruction buffer{Vadd()};
  buffer.buffer = 3;
  EXPECT_EQ(message(buffer), "vadd: expected buffer from 0 to 2, got 3");
}

TEST(Instruction, DecodesWhatItEncodes) {
  std::mt19937_64 random(7);
  unsigned decoded = 0;
  for (unsigned i = 0; i < 200000; ++i) {
    EncodedInstruction bytes;
    for (uint8_t &byte : bytes)
      byte = static_cast<uint8_t>(random());
    bytes[0] = static_cast<uint8_t>(1 + random() % 9);
    bytes[1] &= 0x3f;
    // Bits behind the fields of the shortest instruction are mostly 0.
    for (unsigned at = 5 + random() % 9; at < 16; ++at)
      bytes[at] = 0;
    auto instruction = decode(bytes.data());
    if (!instruction)
      continue;
    ++decoded;
    EXPECT_EQ(hex(bytesOf(*instruction)), hex(bytes));
  }
  EXPECT_GT(decoded, 20000u);
}
