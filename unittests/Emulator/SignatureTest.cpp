//===- SignatureTest.cpp - Arguments of kernels ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Testing.h"

#include <cstring>

using namespace gnn::emulator;
using gnn::runtime::ArrayView;
using gnn::runtime::KernelParameter;

static const char kernel[] = R"mlir(
gpu.func @k(%x: memref<1xf32> {llvm.align = 16 : i64}, %y: memref<1xf32>, %rows: index,
            %n: i64, %small: i32, %w: memref<4x3xf32>, %unused: memref<1xi32>) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %more = arith.addi %rows, %c1 : index
  %xm = memref.reinterpret_cast %x to offset: [0], sizes: [%more, 3], strides: [3, 1]
      : memref<1xf32> to memref<?x3xf32, strided<[3, 1]>>
  %i = arith.index_cast %n : i64 to index
  %size = arith.muli %i, %c3 : index
  %ym = memref.reinterpret_cast %y to offset: [0], sizes: [%size], strides: [1]
      : memref<1xf32> to memref<?xf32, strided<[1]>>
  %part = memref.subview %ym[0] [%i] [1]
      : memref<?xf32, strided<[1]>> to memref<?xf32, strided<[1]>>
  %v = memref.load %xm[%c0, %c0] : memref<?x3xf32, strided<[3, 1]>>
  %u = memref.load %w[%c0, %c0] : memref<4x3xf32>
  %sum = arith.addf %v, %u : f32
  memref.store %sum, %part[%c0] : memref<?xf32, strided<[1]>>
  gpu.return
}
)mlir";

TEST(Signature, KindsAndAccesses) {
  auto emulator = emulate(kernel);
  ASSERT_TRUE(emulator);
  const auto &list = emulator->signature("k")->parameters();
  ASSERT_EQ(list.size(), 7u);
  using Access = KernelParameter::Access;
  bool isMemory[] = {true, true, false, false, false, true, true};
  int64_t sizes[] = {8, 8, 8, 8, 4, 8, 8}, bytes[] = {0, 0, 0, 0, 0, 48, 0};
  for (size_t i = 0; i < list.size(); ++i) {
    EXPECT_EQ(list[i].isMemory(), isMemory[i]) << i;
    EXPECT_EQ(list[i].size, sizes[i]) << i;
    EXPECT_EQ(list[i].bytes, bytes[i]) << i;
    if (isMemory[i])
      EXPECT_EQ(list[i].access, i == 1 ? Access::Writes : Access::Reads) << i;
  }
  EXPECT_EQ(list[0].element, gnn::runtime::DataType::F32);
  EXPECT_EQ(list[6].element, gnn::runtime::DataType::I32);
  EXPECT_EQ(list[2].element, std::nullopt);
  EXPECT_EQ(list[0].alignment, 16);
  EXPECT_EQ(list[1].alignment, 4);
  EXPECT_EQ(emulator->signature("none"), nullptr);
}

TEST(Signature, ArgumentsOfALaunch) {
  auto emulator = emulate(kernel);
  ASSERT_TRUE(emulator);
  alignas(16) static float memory[64];
  // x, y, three numbers, w of a static shape, and one that is not used.
  void *pointers[] = {memory,  memory, nullptr, nullptr,
                      nullptr, memory, memory};
  std::vector<void *> values;
  for (void *&pointer : pointers)
    values.push_back(&pointer);
  std::vector<int64_t> bytes = {0, 0, -1, -1, -1, 48, 0};
  auto check = [&] {
    return emulator->signature("k")->checkArguments(values, bytes).message();
  };
  EXPECT_EQ(check(), "");
  bytes[5] = -1; // unknown
  EXPECT_EQ(check(), "");
  bytes[5] = 47;
  EXPECT_EQ(check(), "argument 5: expected 48 bytes, got 47");
  bytes[5] = 48;
  pointers[0] = memory + 3;
  EXPECT_EQ(check(), ""); // Nothing is there.
  bytes[0] = bytes[6] = 4;
  EXPECT_EQ(check(), "argument 0: expected a multiple of 16 bytes as address, "
                     "got 12 more");
  pointers[0] = memory;
  pointers[6] = reinterpret_cast<char *>(memory) + 2;
  EXPECT_EQ(check(), "argument 6: expected a multiple of 4 bytes as address, "
                     "got 2 more");
  bytes.pop_back();
  EXPECT_EQ(check(), "expected bytes of 7 arguments, got 6");
  values.pop_back();
  EXPECT_EQ(check(), "expected 7 arguments, got 6");
}

TEST(Signature, MemoryByNumbers) {
  auto emulator = emulate(kernel);
  ASSERT_TRUE(emulator);
  auto check = [&](std::vector<int64_t> numbers, std::vector<int64_t> bytes) {
    return emulator->signature("k")->checkMemory(numbers, bytes).message();
  };
  EXPECT_EQ(check({0, 0, 9, 5, 1, 0, 0}, {120, 60, -1, -1, -1, 48, 0}), "");
  EXPECT_EQ(check({0, 0, 9, 5, 1, 0, 0}, {119, 60, -1, -1, -1, 48, 0}),
            "argument 0: expected 120 bytes, got 119");
  EXPECT_EQ(check({0, 0, 9, 5, 1, 0, 0}, {120, 59, -1, -1, -1, 48, 0}),
            "argument 1: expected 60 bytes, got 59");
  EXPECT_EQ(check({0, 0, 9, 5, 1, 0, 0}, {120, 60, -1, -1, -1, 47, 0}),
            "argument 5: expected 48 bytes, got 47");
  // Nothing is needed behind an empty array.
  EXPECT_EQ(check({0, 0, -1, 0, 1, 0, 0}, {0, 0, -1, -1, -1, 48, 0}), "");
  EXPECT_EQ(
      check({0, 0, int64_t(1) << 40, 5, 1, 0, 0}, {120, 60, -1, -1, -1, 48, 0}),
      "argument 0: expected 13194139533324 bytes, got 120");
  // Numbers of more than 64 bits are not taken for small ones.
  for (int64_t rows :
       {(int64_t(1) << 62) - 1, int64_t(1) << 61, INT64_MAX, INT64_MAX - 1})
    EXPECT_EQ(check({0, 0, rows, 5, 1, 0, 0}, {120, 60, -1, -1, -1, 48, 0}),
              "argument 0: expected an array of under 2^63 bytes, got more");
  EXPECT_EQ(
      check({0, 0, 9, int64_t(1) << 63, 1, 0, 0}, {120, 60, -1, -1, -1, 48, 0}),
      "argument 1: expected an array of under 2^63 bytes, got more");
  EXPECT_EQ(check({0, 0, -3, 5, 1, 0, 0}, {120, 60, -1, -1, -1, 48, 0}),
            "argument 0: expected an array of extents and strides of 0 or "
            "more, got -2");
  EXPECT_EQ(check({0, 0}, {1, 1}), "expected 7 arguments, got 2");
}

/// The emulator's own checks of extents do not overflow either.
// The last element is inside, the first one is not.
TEST(Signature, StepsBack) {
  auto emulator = emulate(R"mlir(
gpu.func @cast(%x: memref<8xf32>, %stride: index) kernel {
  %c0 = arith.constant 0 : index
  %t = gpu.thread_id x
  %step = arith.addi %stride, %t : index
  %xm = memref.reinterpret_cast %x to offset: [40], sizes: [2], strides: [%step]
      : memref<8xf32> to memref<2xf32, strided<[?], offset: 40>>
  %v = memref.load %xm[%c0] : memref<2xf32, strided<[?], offset: 40>>
  gpu.return
}
gpu.func @subview(%x: memref<8xf32>, %stride: index) kernel {
  %c0 = arith.constant 0 : index
  %offset = arith.subi %c0, %stride : index
  %part = memref.subview %x[%offset] [2] [%stride]
      : memref<8xf32> to memref<2xf32, strided<[?], offset: ?>>
  %e = memref.load %part[%c0] : memref<2xf32, strided<[?], offset: ?>>
  gpu.return
}
)mlir");
  ASSERT_TRUE(emulator);
  std::vector<float> x(8);
  for (const char *name : {"cast", "subview"})
    EXPECT_NE(
        run(*emulator, name, {1, 1, 1}, {1, 1, 1}, Arguments(x, int64_t(-40))),
        "")
        << name;
}

TEST(Signature, ExtentsOf64Bits) {
  const char casts[] = R"mlir(
gpu.func @k(%x: memref<1xf32>, %n: index) kernel {
  %c1 = arith.constant 1 : index
  %xm = memref.reinterpret_cast %x to offset: [0], sizes: [%n, 4], strides: [4, 1]
      : memref<1xf32> to memref<?x4xf32, strided<[4, 1]>>
  %v = memref.load %xm[%c1, %c1] : memref<?x4xf32, strided<[4, 1]>>
  gpu.return
}
gpu.func @view(%n: index) kernel {
  %c0 = arith.constant 0 : index
  %c9 = arith.constant 9 : index
  %shared = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
  %v = memref.view %shared[%c0][%n] : memref<?xi8, #gpu.address_space<workgroup>>
      to memref<?x16xf32, #gpu.address_space<workgroup>>
  %e = memref.load %v[%c9, %c0] : memref<?x16xf32, #gpu.address_space<workgroup>>
  gpu.return
}
gpu.func @subview(%x: memref<8xf32>, %size: index, %stride: index) kernel {
  %c1 = arith.constant 1 : index
  %part = memref.subview %x[0] [%size] [%stride]
      : memref<8xf32> to memref<?xf32, strided<[?]>>
  %e = memref.load %part[%c1] : memref<?xf32, strided<[?]>>
  gpu.return
}
)mlir";
  auto emulator = emulate(casts);
  ASSERT_TRUE(emulator);
  std::vector<float> x(8);
  EXPECT_EQ(run(*emulator, "k", {1, 1, 1}, {1, 1, 1}, Arguments(x, 2)), "");
  for (int64_t n : {int64_t(1) << 60, int64_t(1) << 61, int64_t(1) << 62})
    EXPECT_NE(run(*emulator, "k", {1, 1, 1}, {1, 1, 1}, Arguments(x, n))
                  .find("gives argument 0 an extent of"),
              std::string::npos)
        << n;
  for (int64_t n : {int64_t(1) << 58, int64_t(1) << 60})
    EXPECT_NE(run(*emulator, "view", {1, 1, 1}, {1, 1, 1}, Arguments(n),
                  std::nullopt, 64)
                  .find("memref.view"),
              std::string::npos)
        << n;
  EXPECT_NE(run(*emulator, "subview", {1, 1, 1}, {1, 1, 1},
                Arguments(x, (int64_t(1) << 32) + 1, int64_t(1) << 32))
                .find("memref.subview"),
            std::string::npos);
}
