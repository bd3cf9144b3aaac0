//===- KernelTableTest.cpp - Kernels of a shared object -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Testing.h"

#include "GNN/Runtime/KernelTable.h"

using namespace gnn::runtime;
using namespace gnn::runtime::testing;

namespace {
KernelParameter numberOf(int64_t size) {
  KernelParameter parameter;
  parameter.kind = KernelParameter::Kind::Number;
  parameter.size = size;
  return parameter;
}

KernelParameter memoryOf(KernelParameter::Access access,
                         std::optional<DataType> element) {
  KernelParameter parameter;
  parameter.kind = KernelParameter::Kind::Memory;
  parameter.alignment = 16;
  parameter.access = access;
  parameter.bytes = 12;
  parameter.element = element;
  return parameter;
}

KernelSignature::Term constantTerm(int64_t value) {
  KernelSignature::Term term;
  term.value = value;
  return term;
}

KernelSignature::Term argumentTerm(size_t number) {
  KernelSignature::Term term;
  term.argument = number;
  return term;
}

KernelSignature::Term resultTerm(Expr::Op op, size_t left, size_t right) {
  KernelSignature::Term term;
  term.op = op;
  term.left = left;
  term.right = right;
  return term;
}

/// A kernel that has all that a table can say.
KernelTable makeTable() {
  using Access = KernelParameter::Access;
  std::vector<KernelSignature::Term> terms = {argumentTerm(0),
                                              constantTerm(INT64_MIN)};
  for (Expr::Op op :
       {Expr::Op::Add, Expr::Op::Sub, Expr::Op::Mul, Expr::Op::CeilDiv,
        Expr::Op::FloorDiv, Expr::Op::Min, Expr::Op::Max})
    terms.push_back(resultTerm(op, 0, terms.size() - 1));
  KernelSignature::Array array;
  array.argument = 2;
  array.elementBytes = 4;
  array.offset = 1;
  array.sizes = {0, 2};
  array.strides = {3, 8};
  auto signature = KernelSignature::create(
      {numberOf(8), numberOf(4), memoryOf(Access::Writes, DataType::BF16),
       memoryOf(Access::Reads, std::nullopt)},
      terms, {array});
  EXPECT_TRUE(signature) << signature.message();
  return {"x86-64-v3", {{"a \"b\"", *signature, 64}, {"c", {}, 0}}};
}
} // namespace

TEST(KernelTable, IsReadAsItIsWritten) {
  KernelTable table = makeTable();
  std::string text = table.json();
  auto read = KernelTable::parse(text);
  ASSERT_TRUE(read) << read.message();
  EXPECT_EQ(read->json(), text);
  EXPECT_EQ(read->processor, "x86-64-v3");
  ASSERT_EQ(read->kernels.size(), 2u);
  const KernelEntry &kernel = read->kernels[0];
  EXPECT_EQ(kernel.name, "a \"b\"");
  EXPECT_EQ(kernel.sharedBytes, 64);
  const KernelSignature &given = table.kernels[0].signature;
  ASSERT_EQ(kernel.signature.parameters().size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    const KernelParameter &a = kernel.signature.parameters()[i],
                          &b = given.parameters()[i];
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.size, b.size);
    EXPECT_EQ(a.alignment, b.alignment);
    EXPECT_EQ(a.access, b.access);
    EXPECT_EQ(a.bytes, b.bytes);
    EXPECT_EQ(a.element, b.element);
  }
  ASSERT_EQ(kernel.signature.terms().size(), given.terms().size());
  for (size_t i = 0; i < given.terms().size(); ++i) {
    const KernelSignature::Term &a = kernel.signature.terms()[i],
                                &b = given.terms()[i];
    EXPECT_EQ(a.op, b.op) << i;
    EXPECT_EQ(a.argument, b.argument) << i;
    EXPECT_EQ(a.value, b.value) << i;
    EXPECT_EQ(a.left, b.left) << i;
    EXPECT_EQ(a.right, b.right) << i;
  }
  EXPECT_EQ(kernel.signature.arrays()[0].strides, (std::vector<size_t>{3, 8}));
}

// Every text that differs in a byte is an error, or a table that verifies.
TEST(KernelTable, EditedTexts) {
  std::string text = makeTable().json();
  int errors = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    EXPECT_FALSE(KernelTable::parse(text.substr(0, i)));
    for (char other : {'9', '"', '[', '-', '\xff'}) {
      std::string edited = text;
      edited[i] = other;
      auto read = KernelTable::parse(edited);
      errors += !read;
      if (!read)
        EXPECT_EQ(read.message().find('\n'), std::string::npos);
      else
        EXPECT_EQ(KernelTable::parse(read->json())->json(), read->json());
    }
  }
  EXPECT_GT(errors, 1000);
}

TEST(KernelTable, WrongTexts) {
  std::string text = makeTable().json();
  auto message = [&](const std::string &piece, const std::string &other) {
    std::string edited = text;
    size_t place = edited.find(piece);
    EXPECT_NE(place, std::string::npos) << piece;
    return KernelTable::parse(edited.replace(place, piece.size(), other))
        .message();
  };
  struct {
    const char *piece, *other, *problem;
  } cases[] = {
      {"\"version\":1", "\"version\":2",
       "table of kernels: version: expected 1, got 2"},
      {"\"name\":\"c\"", "\"name\":\"a \\\"b\\\"\"",
       "kernels: expected names of one kernel each, got 'a \"b\"' twice"},
      {"\"number\":8", "\"number\":2",
       "kernels[0]: parameter 0: expected a pointer of 8 bytes or a number of "
       "4 or 8, got 2"},
      {"\"alignment\":16", "\"alignment\":0",
       "kernels[0]: parameter 2: expected an alignment of 1 or more and 0 or "
       "more bytes, got 0 and 12"},
      {"\"written\":true", "\"written\":1",
       "kernels[0].parameters[2].written: expected true or false, got 1"},
      {"\"bf16\"", "\"bf17\"", "kernels[0].parameters[2].element: expected"},
      {"{\"argument\":0}", "{\"argument\":2}",
       "kernels[0]: term 0: expected the number of a parameter that is a "
       "number, got 2"},
      {"{\"argument\":0}", "{\"argument\":-1}",
       "kernels[0].terms[0].argument: expected 0 or more, got -1"},
      {"\"add\":[0,1]", "\"add\":[0,2]",
       "kernels[0]: term 2: expected operands in front of it, got 0 and 2"},
      {"\"add\":[0,1]", "\"add\":[0]",
       "kernels[0].terms[2].add: expected 2 operands, got 1"},
      {"\"add\":[0,1]", "\"count\":[0,1]",
       "kernels[0].terms[2]: expected a constant, an argument or an op, got"},
      {"\"argument\":2,", "\"argument\":1,",
       "kernels[0]: array 0: expected elements of 1 or more bytes in the "
       "memory of a parameter, got 4 and parameter 1"},
      {"\"strides\":[3,8]", "\"strides\":[3]",
       "kernels[0]: array 0: expected as many strides as sizes"},
      {"\"strides\":[3,8]", "\"strides\":[3,9]", "got 2 and 2 of 9 terms"},
      {"\"shared_bytes\":64", "\"shared_bytes\":64,\"more\":1",
       "kernels[0]: expected no field 'more', got 1"},
      {"\"shared_bytes\":64", "\"shared_bytes\":9223372036854775808",
       "kernels[0].shared_bytes: expected an integer of 64 bits, got"},
  };
  for (const auto &[piece, other, problem] : cases)
    EXPECT_TRUE(contains(message(piece, other), problem)) << other;
  std::string deep(100000, '[');
  EXPECT_TRUE(contains(KernelTable::parse(deep).message(), "nesting"));
  EXPECT_TRUE(contains(KernelTable::parse("").message(), "table of kernels: "));
}
