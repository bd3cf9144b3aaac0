//===- NpyTest.cpp - NumPy arrays in files --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Runtime/Npy.h"
#include "Files.h"
#include "NpyBytes.h"
#include "Testing.h"

using namespace gnn::runtime;
using namespace gnn::runtime::testing;

namespace {
std::string npyProblem(const std::string &bytes) {
  auto array = parseNpy(bytes);
  EXPECT_FALSE(array);
  return array.message();
}
} // namespace

TEST(Npy, ReadsEveryType) {
  auto ints = [](const char *descr, auto... values) {
    using T = std::common_type_t<decltype(values)...>;
    auto array = parseNpy(npy<T>(descr, {values...}));
    EXPECT_TRUE(array) << array.message();
    return *array->toInt32();
  };
  EXPECT_EQ(ints("|i1", int8_t(-1), int8_t(2)), (std::vector<int>{-1, 2}));
  EXPECT_EQ(ints("<i2", int16_t(-1), int16_t(2)), (std::vector<int>{-1, 2}));
  EXPECT_EQ(ints("<i4", -1, 2), (std::vector<int>{-1, 2}));
  EXPECT_EQ(ints("<i8", int64_t(-1), int64_t(2)), (std::vector<int>{-1, 2}));
  EXPECT_EQ(ints("|u1", uint8_t(255)), (std::vector<int>{255}));
  EXPECT_EQ(ints("<u2", uint16_t(65535)), (std::vector<int>{65535}));
  EXPECT_EQ(ints("|b1", uint8_t(1), uint8_t(0)), (std::vector<int>{1, 0}));
  auto doubles = parseNpy(npy<double>("<f8", {1.5, -2}));
  EXPECT_EQ(*doubles->toFloat(), (std::vector<float>{1.5f, -2}));
  auto matrix = parseNpy(npyBytes("<f4", "2, 1", rawBytes<float>({1.5f, -2})));
  EXPECT_EQ(matrix->shape, (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(matrix->describe(), "f32[2x1]");
  EXPECT_EQ(matrix->values<float>()[1], -2);
  auto text = parseNpy(npyText({"ab", "", "c"}));
  ASSERT_TRUE(text) << text.message();
  EXPECT_EQ(text->strings, (std::vector<std::string>{"ab", "", "c"}));
  auto accent = parseNpy(
      npyBytes("<U3", "1,", rawBytes<uint32_t>({0xe9, 0x20ac, 0x1f600})));
  EXPECT_EQ(accent->strings[0], "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
  EXPECT_TRUE(parseNpy(npyBytes("<f4", "0, 9223372036854775807", "")));
  EXPECT_TRUE(parseNpy(npyBytes("<f4", "1,", "abcd", "True")));
}

TEST(Npy, Malformed) {
  std::string good = npy<int32_t>("<i4", {1, 2, 3});
  ASSERT_TRUE(parseNpy(good));
  for (size_t size = 0; size < good.size(); ++size)
    EXPECT_NE(npyProblem(good.substr(0, size)), "") << size;
  EXPECT_EQ(npyProblem(good + "x"), "expected 12 bytes for i32[3], got 13");
  std::string version = good;
  version[6] = 4;
  EXPECT_EQ(npyProblem(version), "expected .npy version 1 to 3, got 4");
  struct {
    const char *descr, *shape, *part;
  } cases[] = {
      {">i4", "1,",
       "expected an element type of <f4, <f8, |i1, <i2, <i4, <i8, "
       "|u1, <u2, <u4, <u8, |b1, <U; got '>i4'"},
      {"<f2", "1,", "got '<f2'"},
      {"<c8", "1,", "got '<c8'"},
      {"|O", "1,", "got '|O'"},
      {"<U0", "9999999999,", "got '<U0'"},
      {"<U-1", "1,", "got '<U-1'"},
      {"<U9223372036854775807", "1,", "got '<U9223372036854775807'"},
      {"<i4", "1152921504606846976, 4", "expected over 2^63 bytes"},
      {"<i4", "1000000000000,", "expected 4000000000000 bytes"},
      {"<i4", "-1,", "got something else"},
      {"<i4", "99999999999999999999,", "got something else"},
      {"<i4", "x", "got something else"},
      {"<i4",
       "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
       "1",
       "at most 32 sizes"},
      {"<i4', 'descr': '<i4", "1,", "got something else"},
  };
  for (const auto &[descr, shape, part] : cases)
    EXPECT_TRUE(contains(npyProblem(npyBytes(descr, shape, "abcd")), part));
  EXPECT_EQ(npyProblem(npyBytes("<i2", "2, 1", "abcd", "True")),
            "expected C order, got Fortran order");
  EXPECT_TRUE(contains(
      npyProblem(npyBytes("<U1", "1,", rawBytes<uint32_t>({0x110000}))),
      "element 0: expected a Unicode character, got 1114112"));
}

TEST(Npy, Conversions) {
  auto big = parseNpy(npy<int64_t>("<i8", {1, int64_t(1) << 32}));
  EXPECT_EQ(big->toInt32().message(),
            "element 1: expected an integer of 32 bits, got 4294967296");
  auto reals = parseNpy(npy<float>("<f4", {1}));
  EXPECT_EQ(reals->toInt32().message(), "expected integers, got f32[1]");
  auto text = parseNpy(npyText({"a"}));
  EXPECT_EQ(text->toInt32().message(), "expected integers, got text[1]");
  EXPECT_EQ(text->toFloat().message(), "expected numbers, got text[1]");
}

TEST(Npy, WritesAndReads) {
  Folder folder;
  std::string path = folder.path + "/a.npy";
  std::vector<float> values = {1, 2, 3, 4, 5, 6};
  for (const std::vector<int64_t> &shape :
       {std::vector<int64_t>{6}, {2, 3}, {1, 6, 1}, {3, 0}, {}}) {
    auto header = npyHeader(DataType::F32, shape);
    ASSERT_TRUE(header) << header.message();
    size_t count = 1;
    for (int64_t size : shape)
      count *= size;
    Error error =
        writeFile(path, {*header,
                         {reinterpret_cast<const char *>(values.data()),
                          count * sizeof(float)}});
    ASSERT_FALSE(error) << error.message();
    auto array = readNpy(path);
    ASSERT_TRUE(array) << array.message();
    EXPECT_EQ(array->shape, shape);
    EXPECT_EQ(slurp(path).size() % 64, array->bytes.size() % 64);
    for (size_t i = 0; i < array->values<float>().size(); ++i)
      EXPECT_EQ(array->values<float>()[i], values[i]);
  }
  EXPECT_TRUE(contains(npyHeader(DataType::BF16, {1}).message(),
                       "expected an element type that NumPy has, got bf16"));
  EXPECT_FALSE(npyHeader(DataType::F32, {-1}));
  EXPECT_EQ(folder.files().size(), 1u);
  EXPECT_TRUE(
      contains(readNpy(folder.path + "/b.npy").message(), "cannot open"));
  EXPECT_TRUE(contains(readNpy(folder.path).message(), "expected a file"));
}
