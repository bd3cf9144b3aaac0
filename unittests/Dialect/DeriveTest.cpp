//===- DeriveTest.cpp - Declaring graphs of some edge types ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/GNN/IR/GNNRowOps.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace gnn;

namespace {
std::string print(Operation *op) {
  std::string text;
  llvm::raw_string_ostream(text) << *op;
  return text;
}
} // namespace

TEST(Derive, GraphsWithWhatIsKnownOfTheirTypes) {
  MLIRContext context;
  context.loadDialect<GNNDialect>();
  auto module = parseSourceString<ModuleOp>(R"mlir(
    gnn.graph @g square {node_types = 2, edge_types = 3,
      schema = [[0, 1], [1, 1], [-1, 0]], stats = #gnn.stats<
      src_nodes = 9, dst_nodes = 9, edges = 12, type_edges = [3, 4, 5],
      src_pairs = [1, 2, 3], dst_pairs = [3, 2, 1], in_degree_squares = 30,
      in_degree_max = 4, dst_pair_max = [2, 1, 5]>}
    gnn.graph @plain bipartite {node_types = 1, edge_types = 2}
  )mlir",
                                            &context);
  ASSERT_TRUE(module);
  SymbolTable symbols(*module);
  auto g = symbols.lookup<GraphOp>("g"),
       plain = symbols.lookup<GraphOp>("plain");
  GraphOp part = g.derive({0, 2});
  EXPECT_EQ(print(part),
            "gnn.graph @g_part square of @g types [0, 2] {node_types = 2, "
            "edge_types = 2, schema = [[0, 1], [-1, 0]], stats = #gnn.stats<"
            "src_nodes = 9, dst_nodes = 9, edges = 8, type_edges = [3, 5], "
            "src_pairs = [1, 3], dst_pairs = [3, 1], dst_pair_max = [2, 5]>}");
  // Only the longest pairs of its nodes are known; of sources nothing.
  StatsAttr stats = part.getStatsAttr();
  EXPECT_EQ(g.getStatsAttr().getLongestRow(EndPoint::Dst), 4);
  EXPECT_EQ(stats.getLongestRow(EndPoint::Dst), 5); // sqrt(5 * (2 + 5))
  EXPECT_EQ(stats.getLongestPair(EndPoint::Dst), 5);
  EXPECT_EQ(stats.getLongestRow(EndPoint::Src), 0);
  EXPECT_EQ(stats.getLongestPair(EndPoint::Src), 0);
  EXPECT_EQ(g.derive({0, 2}), part);
  EXPECT_EQ(part.getNodesOf(), "g");
  GraphOp other = g.derive({1});
  EXPECT_NE(other.getSymName(), part.getSymName());
  GraphOp none = plain.derive({});
  EXPECT_EQ(print(none), "gnn.graph @plain_part bipartite of @plain types [] "
                         "{node_types = 1, edge_types = 0}");
  EXPECT_TRUE(succeeded(verify(*module)));
  EXPECT_EQ(g->getNextNode(), other);
}
