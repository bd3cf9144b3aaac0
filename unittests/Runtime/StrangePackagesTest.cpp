//===- StrangePackagesTest.cpp - Plans that do not fit their kernels ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CUDA/PtxEntries.h"
#include "GNN/Runtime/Nesting.h"
#include "TestPlans.h"
#include "Testing.h"

using namespace gnn::runtime;
using namespace gnn::runtime::testing;

using Kind = KernelParameter::Kind;

namespace {
KernelParameter memory(KernelParameter::Access access, int64_t alignment = 4) {
  KernelParameter parameter;
  parameter.kind = Kind::Memory;
  parameter.access = access;
  parameter.alignment = alignment;
  return parameter;
}

KernelParameter number(int64_t size) {
  KernelParameter parameter;
  parameter.kind = Kind::Number;
  parameter.size = size;
  return parameter;
}

/// The parameters of the kernels of sumPlanText.
std::map<std::string, std::vector<KernelParameter>> sumParameters() {
  KernelParameter reads = memory(KernelParameter::Access::Reads),
                  writes = memory(KernelParameter::Access::Writes);
  return {{"sum", {reads, writes, reads, reads, number(4), number(8)}},
          {"scale", {reads, writes, number(4)}}};
}

/// The message of binding the plan, with one piece replaced, on kernels that
/// take these parameters.
std::string
messageOfBinding(const std::string &piece, const std::string &other,
                 std::map<std::string, std::vector<KernelParameter>> parameters,
                 std::map<std::string, FakeDevice::MemoryCheck> checks = {}) {
  std::string text = sumPlanText();
  size_t place = text.find(piece);
  EXPECT_NE(place, std::string::npos) << piece;
  text.replace(place, piece.size(), other);
  auto plan = LaunchPlan::parse(text);
  EXPECT_TRUE(plan) << plan.message();
  auto package = Package::create(std::move(*plan), {{"ptx", ""}});
  auto device = std::make_shared<FakeDevice>();
  device->addSumKernels();
  device->parameters = std::move(parameters);
  device->checks = std::move(checks);
  return BoundFunction::bind(*package, "sum",
                             {randomGraph(1, true, 20, 0, 90, 1, 2).build()},
                             device)
      .message();
}
} // namespace

TEST(StrangePackages, ArgumentsOfAnotherKind) {
  struct {
    const char *piece, *other, *problem;
  } cases[] = {
      {"\"sum\"", "\"sum\"", ""},
      {"{\"input\": 0}", "{\"i64\": 0}",
       "step 0 (kernel 'sum'): argument 0: expected memory, got a number "
       "(i64)"},
      {"{\"structure\": 1}", "{\"i32\": 0}",
       "argument 3: expected memory, got a number (i32)"},
      {"{\"i64\": 0}", "{\"structure\": 0}",
       "argument 5: expected a number, got memory (structure)"},
      {"{\"i32\": 1}, {\"i64\": 0}", "{\"i64\": 1}, {\"i64\": 0}",
       "argument 4: expected an argument of 4 bytes, got i64 of 8"},
      {", {\"i64\": 0}]", "]",
       "step 0 (kernel 'sum'): expected 6 arguments, "
       "got 5"},
      {"{\"input\": 0}, {\"workspace\": 5, \"bytes\": 4}",
       "{\"input\": 0}, {\"input\": 0}",
       "argument 1: expected an output or a part of the workspace that is "
       "written, as the kernel writes there, got input"},
      {"{\"input\": 0}, {\"workspace\": 5, \"bytes\": 4}",
       "{\"input\": 0}, {\"structure\": 0}",
       "as the kernel writes there, got structure"},
  };
  for (const auto &[piece, other, problem] : cases) {
    std::string message = messageOfBinding(piece, other, sumParameters());
    EXPECT_TRUE(contains(message, problem));
    EXPECT_EQ(message.empty(), *problem == 0);
  }
  // A kernel that does not say what it takes may be passed anything.
  EXPECT_EQ(messageOfBinding("{\"input\": 0}", "{\"i64\": 0}", {}), "");
}

/// The plan says the types of inputs, outputs and structures.
TEST(StrangePackages, ElementsOfAnotherType) {
  auto messageOf = [](const std::string &piece, const std::string &other) {
    auto parameters = sumParameters();
    auto &sum = parameters["sum"];
    sum[0].element = sum[1].element = DataType::F32;
    sum[2].element = sum[3].element = DataType::I32;
    parameters["scale"][1].element = DataType::F32;
    return messageOfBinding(piece, other, parameters);
  };
  EXPECT_EQ(messageOf("\"sum\"", "\"sum\""), "");
  EXPECT_TRUE(contains(messageOf("{\"structure\": 1}", "{\"input\": 0}"),
                       "step 0 (kernel 'sum'): argument 3: expected memory of "
                       "i32, got f32 (input)"));
  EXPECT_TRUE(contains(messageOf("{\"input\": 0}", "{\"structure\": 1}"),
                       "step 0 (kernel 'sum'): argument 0: expected memory of "
                       "f32, got i32 (structure)"));
  EXPECT_TRUE(isStoredAlike(DataType::U8, DataType::I1));
  EXPECT_FALSE(isStoredAlike(DataType::F16, DataType::BF16));
  EXPECT_FALSE(isStoredAlike(DataType::I64, DataType::F64));
  EXPECT_FALSE(isStoredAlike(DataType::I64, DataType::I32));
}

/// Constants are memory that is only read, of as many bytes as the plan says.
TEST(StrangePackages, Constants) {
  auto messageOf = [](const std::string &replaced, int64_t &seen) {
    std::string text = sumPlanText();
    for (auto [piece, other] :
         {std::pair<std::string, std::string>(
              "\"version\": 1", "\"version\": 8, \"constants\": 272"),
          {"\"output\": 0", "\"output\": 0, \"written\": true"},
          {"4}, {\"structure\": 0}",
           "4, \"written\": true}, {\"structure\": 0}"},
          {replaced, "{\"constant\": 32, \"bytes\": 240}"}})
      text.replace(text.find(piece), piece.size(), other);
    auto plan = LaunchPlan::parse(text);
    EXPECT_TRUE(plan) << plan.message();
    auto package = Package::create(std::move(*plan), {{"ptx", ""}},
                                   std::string(272, '\0'));
    auto device = std::make_shared<FakeDevice>();
    device->addSumKernels();
    device->parameters = sumParameters();
    device->checks["sum"] = [&](ArrayView<int64_t>,
                                ArrayView<int64_t> bytes) -> Error {
      seen = bytes[0];
      return {};
    };
    return BoundFunction::bind(*package, "sum",
                               {randomGraph(1, true, 20, 0, 90, 1, 2).build()},
                               device)
        .message();
  };
  int64_t seen = 0;
  EXPECT_EQ(messageOf("{\"input\": 0}", seen), "");
  EXPECT_EQ(seen, 240);
  EXPECT_TRUE(contains(messageOf("{\"i64\": 0}", seen),
                       "argument 5: expected a number, got memory (constant)"));
  EXPECT_TRUE(contains(
      messageOf("{\"workspace\": 5, \"bytes\": 4, \"written\": true}", seen),
      "as the kernel writes there, got constant"));
}

TEST(StrangePackages, WritesThatThePlanDoesNotTell) {
  // From version 5 on a plan says what is written.
  std::string plan = sumPlanText();
  plan.replace(plan.find("\"version\": 1"), 12, "\"version\": 5");
  std::string output = "{\"output\": 0}";
  plan.replace(plan.find(output), output.size(),
               "{\"output\": 0, \"written\": true}");
  auto parsed = LaunchPlan::parse(plan);
  ASSERT_TRUE(parsed) << parsed.message();
  auto package = Package::create(std::move(*parsed), {{"ptx", ""}});
  auto device = std::make_shared<FakeDevice>();
  device->addSumKernels();
  device->parameters = sumParameters();
  auto graph = randomGraph(1, true, 20, 0, 90, 1, 2).build();
  EXPECT_TRUE(contains(
      BoundFunction::bind(*package, "sum", {graph}, device).message(),
      "step 0 (kernel 'sum'): argument 1: expected an output or a part of the "
      "workspace that is written, as the kernel writes there, got workspace "
      "that is only read"));
}

TEST(StrangePackages, OutputsThatNoKernelWrites) {
  auto parameters = sumParameters();
  parameters["scale"][1].access = KernelParameter::Access::Reads;
  EXPECT_EQ(messageOfBinding("\"sum\"", "\"sum\"", parameters),
            "function 'sum': output 'y': expected a kernel that writes it, got "
            "none");
  parameters["scale"][1].access = KernelParameter::Access::Unknown;
  EXPECT_EQ(messageOfBinding("\"sum\"", "\"sum\"", parameters), "");
}

TEST(StrangePackages, AddressesLessAligned) {
  auto parameters = sumParameters();
  parameters["sum"][1].alignment = 256; // of the workspace
  EXPECT_EQ(messageOfBinding("\"sum\"", "\"sum\"", parameters), "");
  parameters["sum"][0].alignment = 32;
  EXPECT_TRUE(contains(messageOfBinding("\"sum\"", "\"sum\"", parameters),
                       "step 0 (kernel 'sum'): argument 0: expected an address "
                       "aligned to 32 bytes, got one (input) that is to 16"));
}

/// Kernels are asked about numbers and bytes, but not where nothing is
/// launched.
TEST(StrangePackages, MemoryByNumbers) {
  std::vector<int64_t> numbers, bytes;
  std::map<std::string, FakeDevice::MemoryCheck> checks;
  checks["sum"] = [&](ArrayView<int64_t> n, ArrayView<int64_t> b) -> Error {
    numbers = n.vec();
    bytes = b.vec();
    return failure("argument 0: expected more");
  };
  EXPECT_EQ(messageOfBinding("\"sum\"", "\"sum\"", {}, checks),
            "function 'sum': step 0 (kernel 'sum'): argument 0: expected more");
  EXPECT_EQ(numbers[4], 3);
  EXPECT_EQ(numbers[5], 20);
  EXPECT_EQ(bytes, (std::vector<int64_t>{240, 240, 84, 360, -1, -1}));
  EXPECT_EQ(messageOfBinding("\"grid\": [0,", "\"grid\": [8,", {}, checks), "");
}

//===----------------------------------------------------------------------===//
// PTX
//===----------------------------------------------------------------------===//

TEST(PtxEntries, SayWhatKernelsTake) {
  auto entries = cuda::PtxEntries::split(
      "//\n.version 7.8\n.target sm_80\n.address_size 64\n\n"
      ".visible .entry k(\n"
      "\t.param .u64 .ptr .global .align 16 k_param_0, // .param .u8 (no)\n"
      "\t.param .u64 .ptr .align 1 k_param_1,\n"
      "\t.param .u32 k_param_2,\n"
      "\t.param .b64 k_param_3,\n"
      "\t.param .align 8 .b8 k_param_4[24],\n"
      "\t.param .f16 k_param_5\n"
      ")\n{\n\tret;\n}\n"
      ".visible .entry none()\n{\n\tret;\n}\n");
  ASSERT_TRUE(entries);
  EXPECT_TRUE(entries->parameters("none").empty());
  std::vector<KernelParameter> found = entries->parameters("k");
  ASSERT_EQ(found.size(), 6u);
  int64_t sizes[] = {8, 8, 4, 8, 24, 2}, alignments[] = {16, 1, 1, 1, 1, 1};
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].size, sizes[i]) << i;
    EXPECT_EQ(found[i].alignment, alignments[i]) << i;
    EXPECT_EQ(found[i].kind, i < 2 ? Kind::Memory : Kind::Either) << i;
    EXPECT_EQ(found[i].access, KernelParameter::Access::Unknown) << i;
  }
}

//===----------------------------------------------------------------------===//
// Nesting
//===----------------------------------------------------------------------===//

TEST(Nesting, CountsBracketsThatAreSome) {
  auto depth = [](const std::string &text, Syntax syntax = Syntax::Text) {
    int most = 0;
    while (findDeepNesting(text, most, syntax))
      ++most;
    return most;
  };
  EXPECT_EQ(depth(""), 0);
  EXPECT_EQ(depth("([{<>}])([])"), 4);
  EXPECT_EQ(depth("]]]]([)"), 2);
  EXPECT_EQ(depth("(\"[[[\\\"[[\" // ((\n)"), 1);
  EXPECT_EQ(depth("(d0) -> (d0 >= 0, 1 <= d0)"), 1);
  EXPECT_EQ(depth("\"]]]\n[["), 2); // strings end with their line
  EXPECT_EQ(depth("{ [ a < b ] // {{{\n }", Syntax::Ptx), 2);
  // Aliases and operators of MLIR.
  EXPECT_EQ(depth("#a = [1]\n#b = [#a]\n!c = t<#b, #a>\nm {x = !c}"), 4);
  EXPECT_EQ(depth("#a = [#a]\n#b //\n = //\n [#a, #d.a<#x>]\n#c = #b"), 2);
  EXPECT_EQ(depth("[1 + 2 - (3 mod 4), 5 * 6]"), 5);
  EXPECT_EQ(depth("a -1\n - // ,\n -- b"), 4);
  EXPECT_EQ(depth("{a = -1, b = -2} : -3\n-4 = -5"), 2);
  EXPECT_EQ(checkNesting("(\n ((", 2, Syntax::Text).message(),
            "line 2, column 3: expected at most 2 levels of nesting");
  EXPECT_FALSE(checkNesting("((", 2, Syntax::Text));
}

TEST(Vectors, AreShortInKernels) {
  auto isLong = [](const std::string &text) {
    return static_cast<bool>(checkVectors(text, 1024));
  };
  for (const char *text :
       {"", "vector<f32>", "vector<1024xf32>", "tensor<32x32xf32>",
        "vector<2x[4]x128xi1>", "tensor<?x512x2xf32>", "vector<", "vector<12",
        "vector", "memref<4096xf32>", "(vector<8xf32>, vector<1000xf32>)",
        "\"vector<2000xf32>\"", "// vector<2000xf32>", "vector<0x2000xf32>"})
    EXPECT_FALSE(isLong(text)) << text;
  for (const char *text :
       {"vector<1025xf32>", "tensor<33x32xf32>", "memref<2xvector<1025xf32>>",
        "!v = vector <2 x // x\n 1024xf32>", "vector<[4]x[1024]xf32>",
        "\"a\" vector<4294967296x4294967296xf32>", "vector<2000",
        "vector<100000000000000000000000000000xf32>",
        "tensor<?x4611686018427387904x4xf32>"})
    EXPECT_TRUE(isLong(text)) << text;
  EXPECT_TRUE(isLong(std::string("vector\0<2000xf32>", 17)));
  EXPECT_EQ(
      checkVectors("a\n  vector<2x4611686018427387904xf32>, b", 1024).message(),
      "line 2, column 3: expected a vector of at most 1024 elements, got "
      "vector<2x4611686018427387904xf32>");
}

/// Where a value is not what is expected, the message has it: it is not deep.
TEST(Nesting, OfPlans) {
  std::string deep(100000, '[');
  for (const std::string &text :
       {deep, "{\"version\": " + deep + std::string(100000, ']') + "}",
        "{\"version\": 1, \"x\": " + std::string(100, '{')})
    EXPECT_TRUE(contains(LaunchPlan::parse(text).message(),
                         "expected at most 50 levels of nesting"));
}
