//===- RankingTest.cpp - The cost model against measured kernels ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of this compiler on an H200 (benchmarks/results), and what the model
// says of the ops that they compute, with the figures that are shipped. Whole
// layers are in python/tests/test_ranking.py.
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/Comparisons.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace gnn;

namespace {

/// Totals of a graph: pairs at either end, and edges of the longest row.
struct Totals {
  const char *name;
  int64_t nodes, edges, pairs, longest;
};

/// A layer of RGCN, 64 to 64, that multiplies source pairs; microseconds.
struct Layer {
  Totals graph;
  double pairs, nodes, sum; ///< both products, and the sum
};

const Layer layers[] = {
    {{"wordnet30", 264965, 1142986, 712809, 1350}, 216.8, 82.7, 220.4},
    {{"debian", 146430, 2076414, 590200, 26007}, 178.0, 47.8, 499.5},
    {{"biokg", 94000, 4800000, 1135500, 9967}, 336.9, 32.7, 326.6},
    {{"am", 1900000, 5700000, 3242600, 2875}, 982.2, 570.6, 1472.0},
};

/// An attention over 64 features in each of its forms; microseconds.
struct Attention {
  const char *model;
  Totals graph;
  double computed, store, sum, apart;
};

const Attention attentions[] = {
    {"gat", {"fb15k", 14541, 631161, 14541, 8641}, 123.0, 26.0, 70.1, 199.6},
    {"gat", {"mutag", 23644, 172098, 23644, 6784}, 125.2, 27.0, 76.6, 187.6},
    {"gat", {"aifb", 8285, 66371, 8285, 1248}, 34.9, 21.6, 23.5, 47.1},
    {"gat",
     {"debian", 146430, 2222556, 146430, 26008},
     708.2,
     135.3,
     482.4,
     1000.4},
    {"gat",
     {"wordnet30", 264965, 1407933, 264965, 1351},
     293.8,
     119.3,
     243.5,
     341.6},
    {"gat", {"biokg", 94000, 4893940, 94000, 9968}, 453.9, 86.6, 316.7, 663.0},
    {"gat",
     {"am", 1900000, 7599994, 1900000, 2876},
     2167.7,
     836.5,
     1707.8,
     2334.3},
    {"rgat", {"fb15k", 14541, 620232, 161922, 8642}, 204.7, 63.9, 124.4, 298.0},
    {"rgat", {"mutag", 23644, 148454, 76387, 6783}, 179.7, 63.7, 90.8, 252.3},
    {"rgat",
     {"debian", 146430, 2076414, 590200, 26007},
     856.2,
     201.2,
     520.2,
     1215.0},
    {"rgat",
     {"wordnet30", 264965, 1142986, 712809, 1350},
     313.1,
     121.7,
     246.7,
     383.6},
    {"rgat",
     {"biokg", 94000, 4800000, 1135500, 9967},
     596.1,
     115.9,
     365.5,
     858.2},
    {"rgat",
     {"am", 1900000, 5700000, 3242600, 2875},
     2074.0,
     860.8,
     1654.4,
     2433.7},
    {"hgt", {"fb15k", 14541, 620232, 161922, 8642}, 377.5, 197.5, 131.1, 510.7},
    {"hgt", {"mutag", 23644, 148454, 89844, 6783}, 393.3, 224.3, 120.0, 488.0},
    {"hgt", {"aifb", 8285, 58086, 27200, 1247}, 71.8, 35.5, 29.9, 96.5},
    {"hgt",
     {"debian", 146430, 2076414, 626200, 26007},
     1524.4,
     718.9,
     545.7,
     2014.4},
    {"hgt",
     {"wordnet30", 264965, 1142986, 733600, 1350},
     436.8,
     252.7,
     293.7,
     588.5},
    {"hgt",
     {"biokg", 94000, 4800000, 1135500, 9967},
     999.8,
     501.4,
     400.7,
     1468.2},
    {"hgt",
     {"am", 1900000, 5700000, 3242600, 2875},
     2827.8,
     1624.1,
     1979.0,
     3711.5},
};

/// The op of each model whose times are above.
const std::pair<StringRef, StringRef> attentionOps[] = {
    {"gat", R"mlir(
  %y = gnn.attention(%a = %l via src, %b = %l via dst) value %x via src over dst : (!l, !l, !x) -> !x {
    %s = arith.addf %a, %b : tensor<f32>
    %t = gnn.row_activation leaky_relu %s alpha = 0.2 : tensor<f32>
    gnn.yield %t : tensor<f32>
  })mlir"},
    {"rgat", R"mlir(
  %y = gnn.attention(%a = %s, %b = %d) value %p over dst : (!s, !d, !p) -> !x {
    %s = arith.addf %a, %b : tensor<f32>
    %t = gnn.row_activation leaky_relu %s alpha = 0.2 : tensor<f32>
    gnn.yield %t : tensor<f32>
  })mlir"},
    {"hgt", R"mlir(
  %y = gnn.attention(%a = %q via dst, %b = %k, %c = %t) value %v over dst : (!q, !k, !t, !k) -> !q {
    %d = gnn.row_dot %a, %b : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4xf32>
    %s = arith.mulf %d, %c : tensor<4xf32>
    gnn.yield %s : tensor<4xf32>
  })mlir"},
};

class RankingTest : public ::testing::Test {
protected:
  RankingTest() {
    context.loadDialect<arith::ArithDialect, GNNDialect, func::FuncDialect>();
  }

  /// The ops of a function on a graph.
  Block &parse(const Totals &graph, StringRef ops) {
    std::string text = R"mlir(
      !x = tensor<?x64xf32, #gnn.rows<@g, node>>
      !q = tensor<?x4x16xf32, #gnn.rows<@g, node>>
      !l = tensor<?xf32, #gnn.rows<@g, node>>
      !p = tensor<?x64xf32, #gnn.rows<@g, src_pair>>
      !k = tensor<?x4x16xf32, #gnn.rows<@g, src_pair>>
      !s = tensor<?xf32, #gnn.rows<@g, src_pair>>
      !d = tensor<?xf32, #gnn.rows<@g, dst_pair>>
      !e = tensor<?xf32, #gnn.rows<@g, edge>>
      !t = tensor<1x4xf32, #gnn.rows<@g, edge_type>>
      !typed = tensor<1x64x64xf32, #gnn.rows<@g, edge_type>>
      !weight = tensor<64x64xf32>
    )mlir";
    text += llvm::formatv(
        "gnn.graph @g square {{node_types = 1, edge_types = 1, stats = "
        "#gnn.stats<src_nodes = {0}, dst_nodes = {0}, edges = {1}, type_edges "
        "= [{1}], src_pairs = [{2}], dst_pairs = [{2}], in_degree_squares = 0, "
        "in_degree_max = {3}, out_degree_squares = 0, out_degree_max = {3}>}\n"
        "func.func @f(%x: !x, %q: !q, %l: !l, %p: !p, %k: !k, %v: !k, %s: !s, "
        "%d: !d, "
        "%e: !e, %t: !t, %typed: !typed, %weight: !weight) {{\n{4}\nreturn }\n",
        graph.nodes, graph.edges, graph.pairs, graph.longest, ops);
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    return (*module->getOps<func::FuncOp>().begin()).getBody().front();
  }

  /// Microseconds by the model.
  double predict(const KernelWork &work) {
    return 1e6 * (model.cost(work) - model.getLaunch());
  }

  double predict(const std::vector<KernelWork> &kernels) {
    EXPECT_EQ(kernels.size(), 1u);
    return predict(kernels.front());
  }

  AttentionOp parse(const Attention &attention) {
    for (auto [name, op] : attentionOps)
      if (name == attention.model)
        return cast<AttentionOp>(parse(attention.graph, op).front());
    return nullptr;
  }

  /// The measured kernels had whole rows.
  CostModel model{getFigures("h200"), CostKind::WholeRows};
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

/// Checks a prediction of what takes so long that no latency is all that there
/// is to it.
void expectNear(double predicted, double measured, const char *kernel) {
  constexpr double tiny = 65, factor = 1.75;
  SCOPED_TRACE(kernel);
  if (measured < tiny)
    return;
  EXPECT_GT(predicted, measured / factor);
  EXPECT_LT(predicted, measured * factor);
}

} // namespace

TEST_F(RankingTest, KernelsOfRGCN) {
  for (const Layer &layer : layers) {
    SCOPED_TRACE(layer.graph.name);
    Block &ops = parse(layer.graph, R"mlir(
      %g = gnn.gather %x : !x -> !p
      %h = gnn.typed_linear %g, %typed : (!p, !typed) -> !p
      %r = gnn.linear %x, %weight : (!x, !weight) -> !x
      %y = gnn.spmm mul %p, %e reduce sum via dst : (!p, !e) -> !x
    )mlir");
    auto op = ops.begin();
    StatsAttr stats = getStats(&*op);
    expectNear(predict(describeGathering(&*++op, stats)), layer.pairs, "pairs");
    expectNear(predict(describeKernels(&*++op, stats)), layer.nodes, "nodes");
    expectNear(predict(describeKernels(&*++op, stats)), layer.sum, "sum");
  }
}

TEST_F(RankingTest, KernelsOfAttention) {
  for (const Attention &measured : attentions) {
    SCOPED_TRACE(measured.graph.name + std::string(" ") + measured.model);
    AttentionOp op = parse(measured);
    std::vector<KernelCounts> twice = op.getKernelsOf(AttentionForm::Computed);
    ASSERT_EQ(twice.size(), 1u);
    double computed =
        predict(describeKernel(twice[0], getStats(op), model.getFigures()));
    expectNear(computed, measured.computed, "computed");
    // One walk of the same rows takes less; no time of it is known yet.
    std::vector<KernelWork> kernels = describeKernels(op, getStats(op));
    ASSERT_EQ(kernels.size(), 1u);
    EXPECT_LT(predict(kernels[0]), computed);
    op.setStored(true);
    kernels = describeKernels(op, getStats(op));
    ASSERT_EQ(kernels.size(), 2u);
    expectNear(predict(kernels[0]), measured.store, "store");
    expectNear(predict(kernels[1]), measured.sum, "sum");
    constexpr AttentionForm stored = AttentionForm::Stored;
    EXPECT_DOUBLE_EQ(
        model.cost(kernels),
        compareForms(model, op, stored, stored, getStats(op)).before);
  }
}

// Forms come in the right order where they are more than the margin and a
// second run apart.
TEST_F(RankingTest, FormsOfAttention) {
  constexpr double apart = 1.1;
  // The measured forms had lanes as rows have that are not all at work at once.
  TargetFigures figures = getFigures("h200");
  figures.processors = 0;
  CostModel ofMany(figures, CostKind::WholeRows);
  for (const Attention &measured : attentions) {
    SCOPED_TRACE(measured.graph.name + std::string(" ") + measured.model);
    AttentionOp op = parse(measured);
    double launch = 1e6 * model.getLaunch();
    std::pair<AttentionForm, double> forms[] = {
        {AttentionForm::Apart, measured.apart + launch},
        {AttentionForm::Computed, measured.computed + launch},
        {AttentionForm::Stored, measured.store + measured.sum + 2 * launch}};
    for (auto [a, first] : forms)
      for (auto [b, second] : forms)
        if (first * apart < second) {
          Comparison costs = compareForms(ofMany, op, b, a, getStats(op));
          EXPECT_LT(costs.after, costs.before)
              << first << " against " << second << " us";
        }
  }
}
