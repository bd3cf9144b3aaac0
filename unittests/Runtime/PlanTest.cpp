//===- PlanTest.cpp - Launch plans ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Runtime/Plan.h"
#include "TestPlans.h"
#include "Testing.h"

#include <cmath>

using namespace gnn::runtime;
using namespace gnn::runtime::testing;

namespace {
/// The plan's text with one piece replaced.
std::string planWith(const std::string &piece, const std::string &other) {
  std::string text = sumPlanText();
  size_t place = text.find(piece);
  EXPECT_NE(place, std::string::npos) << piece;
  return text.replace(place, piece.size(), other);
}

std::string planProblem(const std::string &text) {
  return LaunchPlan::parse(text).message();
}

/// A function of expressions only.
FunctionPlan expressions(std::vector<Expr> exprs) {
  FunctionPlan plan;
  plan.name = "f";
  plan.exprs = std::move(exprs);
  return plan;
}

Expr constant(int64_t value) {
  Expr expr;
  expr.value = value;
  return expr;
}

Expr binary(Expr::Op op, int64_t a, int64_t b) {
  Expr expr;
  expr.op = op;
  expr.args = {a, b};
  return expr;
}

int64_t applied(Expr::Op op, int64_t a, int64_t b) {
  auto values =
      evaluate(expressions({constant(a), constant(b), binary(op, 0, 1)}), {});
  EXPECT_TRUE(values) << values.message();
  return values ? values->back() : INT64_MIN;
}
} // namespace

TEST(Plan, ParsesAndPrints) {
  auto plan = LaunchPlan::parse(sumPlanText());
  ASSERT_TRUE(plan) << plan.message();
  EXPECT_EQ(plan->chip, "sm_90");
  ASSERT_EQ(plan->functions.size(), 1u);
  const FunctionPlan &function = plan->functions[0];
  EXPECT_EQ(function.exprs.size(), 11u);
  EXPECT_EQ(function.structures[1].key.str(), "map edge.in_rows src");
  EXPECT_EQ(function.steps[0].args[1].kind, ArgSpec::Kind::Workspace);
  EXPECT_EQ(function.steps[0].args[1].bytes, 4);
  EXPECT_EQ(function.steps[1].flops, -1);
  std::string text = plan->json();
  auto again = LaunchPlan::parse(text);
  ASSERT_TRUE(again) << again.message();
  EXPECT_EQ(again->json(), text);
  EXPECT_TRUE(plan->find("sum"));
  EXPECT_EQ(plan->find("mean").message(),
            "expected one of the functions sum; got 'mean'");
}

TEST(Plan, SaysWhatKernelsCompute) {
  std::string text =
      planWith("\"flops\": 2", "\"flops\": 2, \"ops\": [\"mulf at "
                               "a.mlir:1:2\", \"aggregate\"], "
                               "\"schedule\": \"rows_per_block = 4\"");
  size_t place = text.find("\"bytes\": 4");
  text.insert(place, "\"value\": \"f32[dst of g, 3]\", ");
  auto plan = LaunchPlan::parse(text);
  ASSERT_TRUE(plan) << plan.message();
  const StepSpec &step = plan->functions[0].steps[0];
  EXPECT_EQ(step.ops,
            (std::vector<std::string>{"mulf at a.mlir:1:2", "aggregate"}));
  EXPECT_EQ(step.schedule, "rows_per_block = 4");
  EXPECT_EQ(step.args[1].value, "f32[dst of g, 3]");
  std::string printed = plan->json();
  EXPECT_TRUE(contains(printed, "\"ops\":[\"mulf at a.mlir:1:2\","
                                "\"aggregate\"],\"schedule\":"
                                "\"rows_per_block = 4\""));
  EXPECT_EQ(LaunchPlan::parse(printed)->json(), printed);
}

TEST(Plan, PrintsSchemasAndWeights) {
  std::string text =
      planWith("\"schema\": null", "\"schema\": [[0, -1], [0, 0]]");
  size_t place = text.find("\"inputs\": [") + 11;
  text.insert(place, R"({"name": "w", "graph": "", "space": "none",
                         "shape": [2, 3, 3], "dtype": "bf16"}, )");
  // The input of the kernel is the second now.
  auto plan = LaunchPlan::parse(text);
  ASSERT_TRUE(plan) << plan.message();
  EXPECT_EQ(plan->functions[0].inputs[0].graph, -1);
  auto again = LaunchPlan::parse(plan->json());
  ASSERT_TRUE(again) << again.message();
  EXPECT_EQ(again->json(), plan->json());
  EXPECT_EQ((*again->functions[0].graphs[0].schema)[0], (EdgeTypeEnds{0, -1}));
}

TEST(Plan, SaysWhatTensorsAre) {
  auto plain = LaunchPlan::parse(sumPlanText());
  ASSERT_TRUE(plain) << plain.message();
  EXPECT_EQ(plain->functions[0].inputs[0].role, Role::Input);
  EXPECT_EQ(plain->functions[0].outputs[0].role, Role::Output);
  EXPECT_EQ(plain->functions[0].gradientOf, "");
  EXPECT_FALSE(contains(plain->json(), "role"));
  EXPECT_EQ(plain->functions[0].outputs[0].key, "");
  EXPECT_EQ(plain->functions[0].pass, GradientPass::None);
  EXPECT_FALSE(contains(plain->json(), "gradient_of"));
  EXPECT_FALSE(contains(plain->json(), "pass"));
  std::string text = planWith("\"name\": \"sum\"",
                              "\"name\": \"sum\", \"gradient_of\": \"mean\", "
                              "\"pass\": \"backward\"");
  for (auto [name, more] :
       {std::pair("\"x\"", "\"role\": \"gradient\", \"of\": \"h\""),
        {"\"y\"", "\"role\": \"saved\""}}) {
    size_t place = text.find(std::string("\"name\": ") + name);
    text.insert(place, std::string(more) + ", ");
  }
  text.insert(text.find("\"name\": \"y\""), "\"key\": \"0f\", ");
  auto plan = LaunchPlan::parse(text);
  ASSERT_TRUE(plan) << plan.message();
  auto again = LaunchPlan::parse(plan->json());
  ASSERT_TRUE(again) << again.message();
  const FunctionPlan &function = again->functions[0];
  EXPECT_EQ(function.inputs[0].role, Role::Gradient);
  EXPECT_EQ(function.inputs[0].of, "h");
  EXPECT_EQ(function.pass, GradientPass::Backward);
  EXPECT_EQ(function.outputs[0].role, Role::Saved);
  EXPECT_EQ(function.outputs[0].key, "0f");
  EXPECT_EQ(function.gradientOf, "mean");
}

// Until the fifth version names said what is a field now.
TEST(Plan, ReadsNamesOfEarlierVersions) {
  std::string text =
      planWith("\"name\": \"sum\"", "\"name\": \"mean_forward\", "
                                    "\"gradient_of\": \"mean\"");
  text.replace(text.find("\"name\": \"x\""), 11,
               "\"name\": \"d_x\", \"role\": \"gradient\"");
  auto plan = LaunchPlan::parse(text);
  ASSERT_TRUE(plan) << plan.message();
  EXPECT_EQ(plan->functions[0].pass, GradientPass::Forward);
  EXPECT_EQ(plan->functions[0].inputs[0].of, "x");
  text.replace(text.find("\"version\": 1"), 12, "\"version\": 7");
  EXPECT_TRUE(contains(LaunchPlan::parse(text).message(),
                       "expected a function and which pass of it this is, or "
                       "neither, got 'mean' and none"));
}

TEST(Plan, SaysWhatKernelsWrite) {
  // Until the fourth version nothing is known.
  auto old = LaunchPlan::parse(sumPlanText());
  ASSERT_TRUE(old) << old.message();
  auto written = [](const LaunchPlan &plan) {
    std::vector<bool> list;
    for (const StepSpec &step : plan.functions[0].steps)
      for (const ArgSpec &arg : step.args)
        list.push_back(arg.written);
    return list;
  };
  EXPECT_EQ(written(*old), (std::vector<bool>{false, true, false, false, false,
                                              false, true, true, false}));
  EXPECT_EQ(written(*LaunchPlan::parse(old->json())), written(*old));
  std::string text = planWith("\"version\": 1", "\"version\": 5");
  EXPECT_EQ(
      LaunchPlan::parse(text).message(),
      "launch plan: functions[0] ('sum'): outputs[0] ('y'): expected a step "
      "that writes it, got none");
  size_t place = text.find("{\"output\": 0");
  text.insert(place + 1, "\"written\": true, ");
  auto plan = LaunchPlan::parse(text);
  ASSERT_TRUE(plan) << plan.message();
  EXPECT_EQ(written(*plan),
            (std::vector<bool>{false, false, false, false, false, false, false,
                               true, false}));
  EXPECT_EQ(written(*LaunchPlan::parse(plan->json())), written(*plan));
  text.insert(text.find("{\"input\": 0") + 1, "\"written\": true, ");
  EXPECT_TRUE(contains(LaunchPlan::parse(text).message(),
                       "expected writes to outputs and the workspace only, got "
                       "an argument of kind input that is written"));
  const std::string input = "\"input\": 0";
  text.replace(text.find(input), input.size(), "\"constant\": 0, \"bytes\": 0");
  EXPECT_TRUE(contains(LaunchPlan::parse(text).message(),
                       "an argument of kind constant that is written"));
}

TEST(Plan, PrintsNamesOfLaunches) {
  auto plan = LaunchPlan::parse(planWith(
      "\"kernel\": \"scale\"", "\"kernel\": \"scale\", \"name\": \"s\""));
  ASSERT_TRUE(plan) << plan.message();
  auto again = LaunchPlan::parse(plan->json());
  ASSERT_TRUE(again) << again.message();
  EXPECT_EQ(again->functions[0].steps[0].name, "");
  EXPECT_EQ(again->functions[0].steps[1].name, "s");
}

TEST(Plan, PrintsSelfLoops) {
  auto plan = LaunchPlan::parse(
      planWith("\"square\": true", "\"square\": true, \"self_loops\": true"));
  ASSERT_TRUE(plan) << plan.message();
  auto again = LaunchPlan::parse(plan->json());
  ASSERT_TRUE(again) << again.message();
  EXPECT_TRUE(again->functions[0].graphs[0].selfLoops);
}

TEST(Plan, PrintsDstSorted) {
  // A bipartite graph may be sorted too.
  auto plan = LaunchPlan::parse(
      planWith("\"square\": true", "\"square\": false, \"dst_sorted\": true"));
  ASSERT_TRUE(plan) << plan.message();
  EXPECT_FALSE(plan->functions[0].graphs[0].selfLoops);
  auto again = LaunchPlan::parse(plan->json());
  ASSERT_TRUE(again) << again.message();
  EXPECT_TRUE(again->functions[0].graphs[0].dstSorted);
  auto without = LaunchPlan::parse(
      planWith("\"square\": true", "\"square\": true, \"dst_sorted\": false"));
  ASSERT_TRUE(without) << without.message();
  EXPECT_EQ(without->json().find("dst_sorted"), std::string::npos);
}

TEST(Plan, Malformed) {
  struct {
    const char *piece, *other, *part;
  } cases[] = {
      {"{\"version\": 1", "", "parse error"},
      {"\"version\": 1", "\"version\": 10", "version: expected 1 to 9, got 10"},
      {"\"version\": 1", "\"version\": 0", "version: expected 1 to 9, got 0"},
      {"\"version\": 1", "\"version\": 8, \"constants\": -4",
       "launch plan: expected constants of 0 or more bytes, got -4"},
      {"\"version\": 1", "\"version\": 8, \"constants\": \"a\"",
       "constants: expected an integer of 64 bits"},
      {"{\"input\": 0}", "{\"constant\": 0}",
       "args[0]: expected a field 'bytes', got none"},
      {"{\"input\": 0}", "{\"constant\": 0, \"bytes\": 4}",
       "args[0]: constant: expected bytes inside constants of 0, got 4 from "
       "offset 0"},
      {"{\"input\": 0}", "{\"constant\": 8, \"bytes\": 4}",
       "args[0]: constant: expected an offset that is a multiple of 16, got 8"},
      {"{\"input\": 0}", "{\"constant\": -16, \"bytes\": 4}",
       "constant: expected an offset that is a multiple of 16, got -16"},
      {"{\"input\": 0}", "{\"constant\": 0, \"bytes\": -1}",
       "expected bytes inside constants of 0, got -1 from offset 0"},
      {"{\"input\": 0}",
       "{\"constant\": 9223372036854775792, \"bytes\": 9223372036854775807}",
       "expected bytes inside constants of 0"},
      {"\"name\": \"sum\"", "\"name\": \"sum\", \"pass\": \"none\"",
       "functions[0].pass: expected forward or backward, got 'none'"},
      {"\"name\": \"x\"", "\"name\": \"x\", \"of\": \"y\"",
       "expected what it is the gradient of where it is one, got 'y' of role "
       "input"},
      {"\"version\": 1,", "", "expected a field 'version', got none"},
      {"\"version\": 1", "\"version\": 1.5", "expected an integer"},
      {"\"version\": 1", "\"version\": 1, \"extra\": 0",
       "expected no field 'extra', got 0"},
      {"\"name\": \"sum\"", "\"name\": \"sum\\n\\u0001\", \"pass\": \"a\\nb\"",
       "functions[0].pass: expected forward or backward, got 'a\\nb'"},
      {"\"kernel\": \"sum\"", "\"kernel\": \"s\\nm\", \"a\\tb\": [1]",
       "steps[0]: expected no field 'a\\x09b', got [1]"},
      {"\"name\": \"x\"", "\"name\": \"x\", \"role\": \"weight\"",
       "functions[0].inputs[0].role: expected input, output, saved or "
       "gradient, "
       "got 'weight'"},
      {"\"chip\"", "\"chips\"", "target: expected no field 'chips', got"},
      {"\"name\": \"sum\"", "\"name\": 3",
       "functions[0].name: expected a "
       "string, got 3"},
      {"\"name\": \"sum\"", "\"name\": \"\"", "expected a name, got none"},
      {"\"square\": true", "\"square\": 1", "expected true or false, got 1"},
      {"\"square\": true", "\"square\": false, \"self_loops\": true",
       "self_loops: expected a square graph, got a bipartite one"},
      {"\"square\": true", "\"square\": true, \"self_loops\": 1",
       "self_loops: expected true or false, got 1"},
      {"\"square\": true", "\"square\": true, \"dst_sorted\": 1",
       "dst_sorted: expected true or false, got 1"},
      {"\"edge_types\": 2", "\"edge_types\": 65536", "0 to 65535 types"},
      {"\"edge_types\": 2", "\"edge_types\": -1", "0 to 65535 types"},
      {"\"schema\": null", "\"schema\": [[0, 0]]", "2 edge types, got 1"},
      {"\"schema\": null", "\"schema\": [[0, 0], [0]]",
       "schema[1]: expected [source type, destination type], got [0]"},
      {"\"schema\": null", "\"schema\": [[0, 0], [0, 1]]",
       "expected -1 <= node type < 1, got 1"},
      {"\"graph\": \"g\", \"space\": \"src\"",
       "\"graph\": \"h\", \"space\": \"src\"",
       "inputs[0].graph: expected the name of one of the graphs, got 'h'"},
      {"\"graph\": \"g\", \"space\": \"src\"",
       "\"graph\": \"\", \"space\": \"src\"",
       "inputs[0] ('x'): expected a graph and a space, or neither, got a "
       "space alone"},
      {"\"space\": \"src\"", "\"space\": \"rows\"", "expected a row space"},
      {"\"shape\": [-1, 3]", "\"shape\": [-1, -1]",
       "inputs[0] ('x'): expected a size of 0 or more in dimension 1, got -1"},
      {"\"dtype\": \"f32\"", "\"dtype\": \"float\"",
       "inputs[0].dtype: expected an element type"},
      {"\"op\": \"count\"", "\"op\": \"counts\"",
       "exprs[0].op: expected const"},
      {"\"of\": \"count dst\"", "\"of\": \"count dsts\"",
       "exprs[0].of: count 'count dsts': expected a row space"},
      {"\"args\": [0, 1]", "\"args\": [0, 2]",
       "exprs[2]: argument: expected an index from 0 to under 2, got 2"},
      {"\"args\": [0, 1]", "\"args\": [-1, 0]", "to under 2, got -1"},
      {"\"args\": [0, 1]", "\"args\": [0]",
       "exprs[2].args: expected 2 integers, got 1"},
      {"\"workspace\": 10",
       "\"workspace\": 10, \"requires\": [{\"op\": \"lt\", \"args\": [0, 0], "
       "\"expected\": \"\"}]",
       "requires[0].op: expected eq or le, got 'lt'"},
      {"\"workspace\": 10",
       "\"workspace\": 10, \"requires\": [{\"op\": \"eq\", \"args\": [0, 11], "
       "\"expected\": \"\"}]",
       "requires[0]: argument: expected an index"},
      {"rows dst edge.in_rows", "rows dst edge",
       "structures[0]: structure 'rows dst edge'"},
      {"\"workspace\": 10", "\"workspace\": 11",
       "workspace: expected an index from 0 to under 11, got 11"},
      {"\"grid\": [0, 9, 9]", "\"grid\": [0, 9]",
       "steps[0].grid: expected 3 integers, got 2"},
      {"\"grid\": [0, 9, 9]", "\"grid\": [0, 9, 99]",
       "steps[0] ('sum'): grid: expected an index"},
      {"\"shared\": 8", "\"shared\": -2", "shared: expected an index"},
      {"{\"input\": 0}", "{\"input\": 1}",
       "args[0]: input: expected an index from 0 to under 1, got 1"},
      {"{\"output\": 0}", "{\"output\": 1}", "output: expected an index"},
      {"{\"structure\": 1}", "{\"structure\": 2}",
       "structure: expected an index"},
      {"{\"i32\": 1}", "{\"i32\": 1, \"i64\": 1}",
       "expected one of input, output, workspace, structure, i32, i64, "
       "constant"},
      {"{\"i32\": 1}", "{}", "expected one of input"},
      {"{\"i32\": 1}", "{\"i32\": 18446744073709551615}",
       "expected an integer of 64 bits"},
      {"{\"i32\": 1}", "{\"i32\": 1e300}", "expected an integer of 64 bits"},
      {"{\"workspace\": 5, \"bytes\": 4}", "{\"workspace\": 5}",
       "expected a field 'bytes'"},
      {"{\"workspace\": 5, \"bytes\": 4}", "{\"workspace\": 5, \"bytes\": 40}",
       "bytes: expected an index"},
      {"\"reads\": 4", "\"reads\": 44", "reads: expected an index"},
      {"\"reads\": 4", "\"reads\": 4, \"ops\": [1]",
       "steps[0].ops[0]: expected a string, got 1"},
      {"\"reads\": 4", "\"reads\": 4, \"schedule\": {}",
       "steps[0].schedule: expected a string, got {}"},
  };
  for (const auto &[piece, other, part] : cases) {
    auto plan = LaunchPlan::parse(planWith(piece, other));
    EXPECT_FALSE(plan) << other;
    EXPECT_TRUE(contains(plan.message(), part));
    EXPECT_TRUE(contains(plan.message(), "launch plan: "));
  }
  EXPECT_TRUE(contains(planProblem(""), "parse error"));
  EXPECT_TRUE(contains(planProblem("[]"), "expected an object, got []"));
  EXPECT_TRUE(contains(planProblem(std::string(100000, '[')),
                       "expected at most 50 levels of nesting"));
}

TEST(Plan, NamesAreTheirOwn) {
  LaunchPlan plan;
  plan.functions.resize(2);
  for (FunctionPlan &function : plan.functions) {
    function.name = "f";
    function.exprs.push_back(constant(0));
  }
  EXPECT_TRUE(contains(plan.verify().message(),
                       "functions[1]: expected a name of its own, got 'f'"));
  plan.functions[1].name = "g";
  EXPECT_FALSE(plan.verify()) << plan.verify().message();
  EXPECT_TRUE(LaunchPlan::parse(plan.json()));
}

TEST(Plan, EvaluatesExpressions) {
  EXPECT_EQ(applied(Expr::Op::Add, 2, 3), 5);
  EXPECT_EQ(applied(Expr::Op::Sub, 2, 3), -1);
  EXPECT_EQ(applied(Expr::Op::Mul, -2, 3), -6);
  EXPECT_EQ(applied(Expr::Op::Min, -2, 3), -2);
  EXPECT_EQ(applied(Expr::Op::Max, -2, 3), 3);
  for (int64_t a = -9; a <= 9; ++a)
    for (int64_t b = -4; b <= 4; ++b) {
      if (b == 0)
        continue;
      double exact = static_cast<double>(a) / static_cast<double>(b);
      EXPECT_EQ(applied(Expr::Op::CeilDiv, a, b),
                static_cast<int64_t>(std::ceil(exact)))
          << a << " / " << b;
      EXPECT_EQ(applied(Expr::Op::FloorDiv, a, b),
                static_cast<int64_t>(std::floor(exact)))
          << a << " / " << b;
    }
}

TEST(Plan, EvaluationRefusesOverflow) {
  struct {
    Expr::Op op;
    int64_t a, b;
  } cases[] = {
      {Expr::Op::Add, INT64_MAX, 1},       {Expr::Op::Sub, INT64_MIN, 1},
      {Expr::Op::Mul, INT64_MAX / 2, 3},   {Expr::Op::CeilDiv, 1, 0},
      {Expr::Op::FloorDiv, INT64_MIN, -1},
  };
  for (const auto &[op, a, b] : cases)
    EXPECT_TRUE(contains(
        evaluate(expressions({constant(a), constant(b), binary(op, 0, 1)}), {})
            .message(),
        "exprs[2]: expected a result of 64 bits"));
}

TEST(Plan, Requirements) {
  FunctionPlan plan = expressions({constant(3), constant(4)});
  auto problem = [&](Requirement::Op op, int64_t a, int64_t b) {
    plan.requirements = {{op, {a, b}, "as many x as y"}};
    LaunchPlan whole;
    whole.functions = {plan};
    auto again = LaunchPlan::parse(whole.json());
    EXPECT_TRUE(again) << again.message();
    return evaluate(again->functions[0], {}).message();
  };
  EXPECT_EQ(problem(Requirement::Op::Equal, 0, 0), "");
  EXPECT_EQ(problem(Requirement::Op::Equal, 0, 1),
            "expected as many x as y, got 3 and 4");
  EXPECT_EQ(problem(Requirement::Op::AtMost, 0, 0), "");
  EXPECT_EQ(problem(Requirement::Op::AtMost, 0, 1), "");
  EXPECT_EQ(problem(Requirement::Op::AtMost, 1, 0),
            "expected as many x as y, got 4 and 3");
}
