//===- ExplainTest.cpp - Counts of kernels, words of ops ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Target/Explain.h"

#include "GNN/Analysis/CostModel.h"
#include "GNN/Dialect/GNN/IR/GNNSparseOps.h"
#include "GNN/InitDialects.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace gnn;

namespace {

/// A graph of 700 nodes, 9,000 edges and 3 edge types, and rows on it.
const char *const prelude = R"mlir(
  !s = tensor<?x8xf32, #gnn.rows<@g, node>>
  !x = tensor<?x8x16xf32, #gnn.rows<@g, node>>
  !e = tensor<?x8xf32, #gnn.rows<@g, edge>>
  !p = tensor<?x8x16xf32, #gnn.rows<@g, src_pair>>
  !d = tensor<?x8x16xf32, #gnn.rows<@g, dst_pair>>
  !t = tensor<3x8xf32, #gnn.rows<@g, edge_type>>
  !n = tensor<?xf32, #gnn.rows<@g, edge>>
  gnn.graph @g square {node_types = 1, edge_types = 3, stats = #gnn.stats<
    src_nodes = 700, dst_nodes = 700, edges = 9000,
    type_edges = [4000, 3000, 2000], src_pairs = [600, 500, 400],
    dst_pairs = [550, 450, 350], in_degree_squares = 200000,
    in_degree_max = 90, out_degree_squares = 200000, out_degree_max = 70>}
  func.func @f(%s: !s, %x: !x, %e: !e, %p: !p, %d: !d, %t: !t, %n: !n)
)mlir";

const char *const sum = R"mlir({
  %0 = arith.addf %a, %b : tensor<8xf32>
  gnn.yield %0 : tensor<8xf32>
})mlir";

const char *const product = R"mlir({
  %0 = gnn.row_dot %a, %b : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8xf32>
  %1 = arith.mulf %0, %c : tensor<8xf32>
  gnn.yield %1 : tensor<8xf32>
})mlir";

struct Case {
  const char *name;
  /// Operands with the groups, their types, the result and the body.
  std::string operands, types, result;
  const char *body;
  /// Kernels that would read rows of edges in order, were they not those of the
  /// caller, which lie in his: computing scores in each walk, and storing them.
  int ofCaller = 0, ofCallerStored = 0;
};

const std::vector<Case> cases = {
    {"sums of nodes",
     "(%a = %s via src, %b = %s via dst) value %x via src over dst",
     "!s, !s, !x", "!x", sum},
    {"scores of edges", "(%a = %e, %b = %s via dst) value %x via src over dst",
     "!e, !s, !x", "!x", sum, 1, 1},
    {"products of pairs",
     "(%a = %x via dst, %b = %p, %c = %t) value %p over dst", "!x, !p, !t, !p",
     "!x", product},
    {"a factor", "(%a = %e, %b = %s via dst) value %p factor %n over dst",
     "!e, !s, !p, !n", "!x", sum, 1, 2},
    {"groups of sources",
     "(%a = %s via src, %b = %s via dst) value %x via dst over src",
     "!s, !s, !x", "!x", sum},
    {"groups of pairs",
     "(%a = %s via src, %b = %s via dst) value %x via src over dst_pair",
     "!s, !s, !x", "!d", sum},
    {"groups of nodes, sums of pairs",
     "(%a = %s via src, %b = %s via dst) value %x via src over dst",
     "!s, !s, !x", "!d", sum},
    {"products, sums of pairs",
     "(%a = %x via dst, %b = %p, %c = %t) value %p over dst", "!x, !p, !t, !p",
     "!d", product},
    {"groups of pairs, sums of nodes",
     "(%a = %e, %b = %s via dst) value %p over dst_pair", "!e, !s, !p", "!x",
     sum, 1, 0},
};

class ExplainTest : public ::testing::Test {
protected:
  ExplainTest() {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  MLIRContext context;
};

} // namespace

// Each kernel of an attention reads and writes what its launch does.
TEST_F(ExplainTest, AttentionCountsItsLaunches) {
  for (const Case &one : cases)
    for (const char *stored : {"", " stored"}) {
      SCOPED_TRACE(one.name + std::string(stored));
      std::string text = prelude + (" -> " + one.result) +
                         " {\n%y = gnn.attention" + one.operands + stored +
                         " : (" + one.types + ") -> " + one.result + one.body +
                         "\nreturn %y : " + one.result + "\n}";
      auto module = parseSourceString<ModuleOp>(text, &context);
      ASSERT_TRUE(module);
      AttentionOp op;
      module->walk([&](AttentionOp found) { op = found; });
      FailureOr<Explanation> explained = explain(*module, CompileOptions());
      ASSERT_TRUE(succeeded(explained));
      const ExplainedFunction &function = explained->before.front();
      ASSERT_EQ(function.obstacle, "");
      ASSERT_EQ(function.kernels.size(), 1u);
      EXPECT_EQ(function.kernels[0].names.size(), op.getKernels().size());
      StatsAttr stats = getStats(op);
      double bytes = (op.getReadBytes() + op.getWrittenBytes()).evaluate(stats);
      int ids = op.getStored() ? one.ofCallerStored : one.ofCaller;
      EXPECT_EQ(*function.total.totalBytes, bytes + ids * 4 * 9000);
    }
}
