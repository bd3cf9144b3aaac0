//===- PropertiesTest.cpp - Answers of ops to passes ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/GNN/IR/GNNFeatureOps.h"
#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Dialect/GNN/IR/GNNSparseOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace gnn;

namespace {

/// Parses one op on the values below; `op` is its text without a name for the
/// result.
class PropertiesTest : public ::testing::Test {
protected:
  PropertiesTest() {
    context.loadDialect<GNNDialect, arith::ArithDialect, func::FuncDialect>();
  }

  /// The op, alive until the next call.
  Operation *parse(const std::string &op) {
    std::string text = R"mlir(
      !edge = tensor<?x8xf32, #gnn.rows<@g, edge>>
      !edge_score = tensor<?xf32, #gnn.rows<@g, edge>>
      !edge_heads = tensor<?x8x4xf32, #gnn.rows<@g, edge>>
      !node = tensor<?x8xf32, #gnn.rows<@g, node>>
      !node_heads = tensor<?x8x4xf32, #gnn.rows<@g, node>>
      !node_wide = tensor<?x8x5xf32, #gnn.rows<@g, node>>
      !index = tensor<?x8xi32, #gnn.rows<@g, node>>
      !pair = tensor<?x8xf32, #gnn.rows<@g, src_pair>>
      !out = tensor<?x16xf32, #gnn.rows<@g, src_pair>>
      !type = tensor<3x8xf32, #gnn.rows<@g, edge_type>>
      !typed = tensor<3x8x16xf32, #gnn.rows<@g, edge_type>>
      !typed_bias = tensor<3x16xf32, #gnn.rows<@g, edge_type>>
      gnn.graph @g square {node_types = 2, edge_types = 3}
      func.func @f(%edge: !edge, %score: !edge_score, %edge_heads: !edge_heads,
                   %node: !node, %node_heads: !node_heads, %index: !index,
                   %pair: !pair, %typed: !typed, %typed_bias: !typed_bias,
                   %vector: tensor<8xf32>, %seed: i64,
                   %node_wide: !node_wide) {
    )mlir" + op + "\nreturn }";
    module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return nullptr;
    auto func = *module->getOps<func::FuncOp>().begin();
    return &func.getBody().front().front();
  }

  std::optional<LinearAction> action(const std::string &op, unsigned operand) {
    return cast<LinearOpInterface>(parse(op)).getLinearAction(operand);
  }

  std::string reason(const std::string &op, unsigned operand) {
    return cast<DifferentiableOpInterface>(parse(op))
        .getNoGradientReason(operand)
        .str();
  }

  RowCostInterface cost(const std::string &op) {
    return cast<RowCostInterface>(parse(op));
  }

  /// 7 nodes, 20 edges, 12 source pairs, 9 destination pairs.
  StatsAttr stats() {
    auto counts = [&](ArrayRef<int64_t> values) {
      return DenseI64ArrayAttr::get(&context, values);
    };
    return StatsAttr::get(&context, 7, 7, 20, counts({10, 10, 0}),
                          counts({6, 6, 0}), counts({5, 4, 0}), 0, 0, 0, 0,
                          nullptr, nullptr, nullptr);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

} // namespace

TEST_F(PropertiesTest, PathsActOnRows) {
  EXPECT_EQ(action("gnn.gather %node via src : !node -> !edge", 0),
            LinearAction::Rows);
  EXPECT_EQ(action("gnn.aggregate mean %edge via dst : !edge -> !node", 0),
            LinearAction::Rows);
  EXPECT_EQ(action("gnn.aggregate max %edge via dst : !edge -> !node", 0),
            std::nullopt);
}

TEST_F(PropertiesTest, ProductsActOnFeatures) {
  std::string product =
      "gnn.typed_linear %pair, %typed : (!pair, !typed) -> !out";
  EXPECT_EQ(action(product, 0), LinearAction::FeaturesByType);
  EXPECT_EQ(action(product, 1), LinearAction::Weight);
  // A bias makes it affine.
  EXPECT_EQ(action("gnn.typed_linear %pair, %typed bias %typed_bias : (!pair, "
                   "!typed, !typed_bias) -> !out",
                   0),
            std::nullopt);
  std::string dot = "gnn.dot %node, %vector : (!node, tensor<8xf32>) -> "
                    "tensor<?xf32, #gnn.rows<@g, node>>";
  EXPECT_EQ(action(dot, 0), LinearAction::Features);
  EXPECT_EQ(action(dot, 1), LinearAction::Weight);
}

TEST_F(PropertiesTest, SumsOfRowsActByWhatTheyKeep) {
  EXPECT_EQ(action("gnn.sum_rows %node : !node -> tensor<8xf32>", 0),
            LinearAction::Rows);
  EXPECT_EQ(
      action("gnn.sum_rows %node_heads : !node_heads -> tensor<4xf32>", 0),
      LinearAction::RowsAndFeatures);
  EXPECT_EQ(action("gnn.sum_rows %vector : tensor<8xf32> -> tensor<f32>", 0),
            LinearAction::Weight);
  EXPECT_EQ(action("gnn.pad %node at 1 : !node -> tensor<?x9xf32, "
                   "#gnn.rows<@g, node>>",
                   0),
            LinearAction::Features);
}

TEST_F(PropertiesTest, FactorsActByTheirShape) {
  // A factor for each edge leaves the features alone.
  std::string scale = "gnn.spmm mul %node via src, %score reduce sum via dst : "
                      "(!node, !edge_score) -> !node";
  EXPECT_EQ(action(scale, 0), LinearAction::Rows);
  EXPECT_EQ(action(scale, 1), LinearAction::RowsAndFeatures);
  // A factor for each head does not.
  EXPECT_EQ(action("gnn.spmm mul %node_heads via src, %edge reduce sum via dst "
                   ": (!node_heads, !edge) -> !node_heads",
                   0),
            LinearAction::RowsAndFeatures);
  std::string apply = "gnn.apply mul %edge, %edge_heads : (!edge, !edge_heads) "
                      "-> !edge_heads";
  EXPECT_EQ(action(apply, 1), LinearAction::FeaturesByRow);
  std::string quotient =
      "gnn.apply div %edge, %score : (!edge, !edge_score) -> !edge";
  EXPECT_EQ(action(quotient, 0), LinearAction::Rows);
  EXPECT_EQ(action(quotient, 1), std::nullopt);
  // A sum is affine in each operand.
  EXPECT_EQ(action("gnn.apply add %edge, %edge : (!edge, !edge) -> !edge", 0),
            std::nullopt);
  EXPECT_EQ(action("gnn.spmm copy %node via src reduce max via dst : (!node) "
                   "-> !node",
                   0),
            std::nullopt);
}

TEST_F(PropertiesTest, ReasonsAgainstGradients) {
  EXPECT_EQ(reason("gnn.gather %node via src : !node -> !edge", 0), "");
  EXPECT_EQ(reason("gnn.gather %index via src : !index -> "
                   "tensor<?x8xi32, #gnn.rows<@g, edge>>",
                   0),
            "integers have no gradient");
  std::string dropout =
      "gnn.dropout %node p = 0.5 seed %seed offset %seed : !node";
  EXPECT_EQ(reason(dropout, 0), "");
  EXPECT_EQ(reason(dropout, 1), "integers have no gradient");
  std::string norm =
      "gnn.batch_norm %node mean %vector variance %vector gamma %vector beta "
      "%vector eps = 1.0e-5 : !node, tensor<8xf32>";
  EXPECT_EQ(reason(norm, 0), "");
  EXPECT_EQ(reason(norm, 1), "running statistics are not trained");
  EXPECT_EQ(reason(norm, 2), "running statistics are not trained");
  EXPECT_EQ(reason(norm, 3), "");
}

TEST_F(PropertiesTest, CostOfGather) {
  auto gather = cost("gnn.gather %node via src : !node -> !edge");
  EXPECT_EQ(gather.getFlops().evaluate(stats()), 0);
  // For each edge, 8 features and an id.
  EXPECT_EQ(gather.getReadBytes().getFactor(RowSpace::Edge), 36);
  EXPECT_EQ(gather.getReadBytes().evaluate(stats()), 20 * 36);
  EXPECT_EQ(gather.getWrittenBytes().evaluate(stats()), 20 * 32);
}

TEST_F(PropertiesTest, CostOfProduct) {
  auto product = cost("gnn.typed_linear %pair, %typed : (!pair, !typed) -> "
                      "!out");
  EXPECT_EQ(product.getFlops().evaluate(stats()), 12.0 * 2 * 8 * 16);
  // Pair rows, and the weights of all types once.
  EXPECT_EQ(product.getReadBytes().getConstant(), 3 * 8 * 16 * 4);
  EXPECT_EQ(product.getReadBytes().evaluate(stats()),
            12 * 8 * 4 + 3 * 8 * 16 * 4);
  EXPECT_EQ(product.getWrittenBytes().evaluate(stats()), 12 * 16 * 4);
}

TEST_F(PropertiesTest, CostOfWeightOuter) {
  // For each type 8 outer products of 16 with 16, whether they are summed or
  // not.
  for (std::string result :
       {"tensor<3x16x16xf32, #gnn.rows<@g, edge_type>>", "tensor<16x16xf32>"}) {
    auto outer =
        cost("gnn.weight_outer %typed, %typed : (!typed, !typed) -> " + result);
    EXPECT_EQ(outer.getFlops().evaluate(stats()), 3.0 * 8 * 2 * 16 * 16);
    EXPECT_EQ(outer.getReadBytes().evaluate(stats()), 2 * 3 * 8 * 16 * 4);
  }
}

TEST_F(PropertiesTest, CostOfSpmm) {
  auto spmm = cost("gnn.spmm mul %node_heads via src, %edge reduce mean via "
                   "dst : (!node_heads, !edge) -> !node_heads");
  EXPECT_EQ(spmm.getFlops().evaluate(stats()), 20 * 2 * 32 + 7 * 32);
  // Source rows with their id, edge rows, and each edge's place.
  EXPECT_EQ(spmm.getReadBytes().evaluate(stats()),
            20 * (32 * 4 + 4) + 20 * 8 * 4 + 20 * 4);
  EXPECT_EQ(spmm.getWrittenBytes().evaluate(stats()), 7 * 32 * 4);
}

TEST_F(PropertiesTest, TransposesCostWhereTheyAreCopied) {
  std::string transpose = "%t = gnn.weight_transpose %typed : (!typed) -> "
                          "tensor<3x16x8xf32, #gnn.rows<@g, edge_type>>\n";
  auto inPlace = cost(
      transpose + "gnn.weight_product %typed, %t : (!typed, tensor<3x16x8xf32, "
                  "#gnn.rows<@g, edge_type>>) -> tensor<3x8x8xf32, "
                  "#gnn.rows<@g, edge_type>>");
  EXPECT_EQ(inPlace.getReadBytes().evaluate(stats()), 0);
  EXPECT_EQ(inPlace.getWrittenBytes().evaluate(stats()), 0);
  auto copied = cost(
      transpose + "gnn.weight_product %t, %typed : (tensor<3x16x8xf32, "
                  "#gnn.rows<@g, edge_type>>, !typed) -> tensor<3x16x16xf32, "
                  "#gnn.rows<@g, edge_type>>");
  EXPECT_EQ(copied.getReadBytes().evaluate(stats()), 3 * 16 * 8 * 4);
  EXPECT_EQ(copied.getWrittenBytes().evaluate(stats()), 3 * 16 * 8 * 4);
}

TEST_F(PropertiesTest, ViewsCostNothing) {
  auto reshape = cost("gnn.reshape %node : !node -> "
                      "tensor<?x2x4xf32, #gnn.rows<@g, node>>");
  EXPECT_EQ(reshape.getReadBytes().evaluate(stats()), 0);
  EXPECT_EQ(reshape.getWrittenBytes().evaluate(stats()), 0);
}

// Scores of 4 and values of 5 features do not meet in one walk.
TEST_F(PropertiesTest, CostOfScoresThatMustBeStored) {
  auto costOf = [&](const std::string &stored, const std::string &value) {
    return cost("gnn.attention(%a = %node_heads via dst, %b = %node_heads via "
                "src) value " +
                value + " via src over dst" + stored +
                " : (!node_heads, !node_heads, !node_" + value.substr(6) +
                ") -> !node_" + value.substr(6) + R"mlir( {
      %d = gnn.row_dot %a, %b : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8xf32>
      gnn.yield %d : tensor<8xf32>
    })mlir");
  };
  auto wide = costOf("", "%node_wide");
  EXPECT_TRUE(cast<AttentionOp>(wide.getOperation()).mustStore());
  double read = wide.getReadBytes().evaluate(stats());
  double written = wide.getWrittenBytes().evaluate(stats());
  // Rows of the result, and 8 scores an edge with the highest of each group.
  EXPECT_EQ(written, 7 * 8 * 5 * 4 + 20 * 8 * 4 + 7 * 8 * 4);
  wide = costOf(" stored", "%node_wide");
  EXPECT_EQ(read, wide.getReadBytes().evaluate(stats()));
  EXPECT_EQ(written, wide.getWrittenBytes().evaluate(stats()));
  auto same = costOf("", "%node_heads");
  EXPECT_FALSE(cast<AttentionOp>(same.getOperation()).mustStore());
  EXPECT_EQ(same.getWrittenBytes().evaluate(stats()), 7 * 8 * 4 * 4);
  // The product, the softmax and the weighted sum.
  EXPECT_EQ(same.getFlops().getFactor(RowSpace::Edge),
            2 * 8 * 4 + 8 * 5 + 2 * 8 * 4);
}

TEST_F(PropertiesTest, CostOfLoopOverEdges) {
  auto loop = cost(R"mlir(
    %y:2 = gnn.for_edges %e in @g -> (!edge, !node) {
      %x = gnn.read %node[%e] via src : (!node, !gnn.row<@g, edge>) -> tensor<8xf32>
      %s = gnn.read %score[%e] : (!edge_score, !gnn.row<@g, edge>) -> tensor<f32>
      %r = gnn.row_broadcast %s : tensor<f32> -> tensor<8xf32>
      %p = arith.mulf %x, %r : tensor<8xf32>
      %z = arith.addf %p, %vector : tensor<8xf32>
      gnn.yield %z, sum %z via dst : tensor<8xf32>, tensor<8xf32>
    }
  )mlir");
  EXPECT_EQ(loop.getFlops().getFactor(RowSpace::Edge), 8 + 8 + 8);
  EXPECT_EQ(loop.getProductRows().evaluate(stats()), 0);
  // A source row with its id, a score, the id of the destination; the weight.
  EXPECT_EQ(loop.getReadBytes().getFactor(RowSpace::Edge), 36 + 4 + 4);
  EXPECT_EQ(loop.getReadBytes().getConstant(), 8 * 4);
  EXPECT_EQ(loop.getWrittenBytes().evaluate(stats()), (20 + 7) * 8 * 4);
}

TEST_F(PropertiesTest, CostOfLoopOverNodes) {
  auto loop = cost(R"mlir(
    %y = gnn.for_nodes %n in @g -> (!node) {
      %x = gnn.read %node[%n] : (!node, !gnn.row<@g, node>) -> tensor<8xf32>
      %s = gnn.for_incoming %e of %n : !gnn.row<@g, node> -> (tensor<16xf32>) {
        %v = gnn.read %node[%e] via src : (!node, !gnn.row<@g, edge>) -> tensor<8xf32>
        %w = gnn.read %typed[%e] : (!typed, !gnn.row<@g, edge>) -> tensor<8x16xf32>
        %h = gnn.row_linear %v, %w : (tensor<8xf32>, tensor<8x16xf32>) -> tensor<16xf32>
        gnn.yield sum %h : tensor<16xf32>
      }
      %r = gnn.row_activation elu %x alpha = 1.0 : tensor<8xf32>
      gnn.yield %r : tensor<8xf32>
    }
  )mlir");
  EXPECT_EQ(loop.getFlops().getFactor(RowSpace::Edge), 2 * 8 * 16 + 16);
  EXPECT_EQ(loop.getFlops().getFactor(RowSpace::Node), 3 * 8);
  EXPECT_EQ(loop.getProductRows().evaluate(stats()), 20);
  // For each edge its place and a source row with its id.
  EXPECT_EQ(loop.getReadBytes().getFactor(RowSpace::Edge), 4 + 36);
  EXPECT_EQ(loop.getReadBytes().getFactor(RowSpace::Node), 32);
  // The weights of all types once.
  EXPECT_EQ(loop.getReadBytes().getConstant(), 3 * 8 * 16 * 4);
  EXPECT_EQ(loop.getWrittenBytes().evaluate(stats()), 7 * 8 * 4);
  auto differentiable = cast<DifferentiableOpInterface>(loop.getOperation());
  EXPECT_EQ(differentiable.getNoGradientOfBodyReason().str(),
            "loops have no gradient yet, only the ops on whole tensors that "
            "gnn-raise-loops makes of them");
}

// The outermost loop counts and answers for ops that stand in loops alone.
TEST_F(PropertiesTest, EveryOpOutsideOfLoopsAnswers) {
  for (RegisteredOperationName name : context.getRegisteredOperationsByDialect(
           GNNDialect::getDialectNamespace())) {
    if (name.getStringRef() == GraphOp::getOperationName() ||
        name.hasTrait<OnOneRow>())
      continue;
    EXPECT_TRUE(name.hasInterface<RowCostInterface>())
        << name.getStringRef().str();
    EXPECT_TRUE(name.hasInterface<DifferentiableOpInterface>())
        << name.getStringRef().str();
  }
}

TEST_F(PropertiesTest, BuildersInferTypes) {
  Operation *gather = parse("gnn.gather %node via src : !node -> !edge");
  Block *block = gather->getBlock();
  OpBuilder builder(&context);
  builder.setInsertionPointToEnd(block);
  Value node = block->getArgument(3), vector = block->getArgument(9);
  auto dot = DotOp::create(builder, gather->getLoc(), node, vector);
  EXPECT_EQ(getRowSpace(dot.getType()), RowSpace::Node);
  EXPECT_TRUE(getFeatures(dot.getType()).empty());
  Value inputs[] = {node, node};
  auto concat = ConcatOp::create(builder, gather->getLoc(), inputs);
  EXPECT_EQ(getFeatures(concat.getType()), ArrayRef<int64_t>({16}));
}

// A pass may ask before it builds; a refusal is silent then.
TEST_F(PropertiesTest, InferenceRefusesQuietly) {
  Operation *gather = parse("gnn.gather %node via src : !node -> !edge");
  Value score = gather->getBlock()->getArgument(1);
  SmallVector<Type> inferred;
  std::string message;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
  DictionaryAttr none = DictionaryAttr::get(&context);
  Value operands[] = {score, score};
  auto infer = [&](std::optional<Location> location) {
    return DotOp::inferReturnTypes(&context, location, operands, none, nullptr,
                                   {}, inferred);
  };
  EXPECT_TRUE(failed(infer(std::nullopt)));
  EXPECT_EQ(message, "");
  EXPECT_TRUE(failed(infer(gather->getLoc())));
  EXPECT_EQ(message, "'gnn.dot' op expected at least one feature dimension of "
                     "lhs, got none");
  EXPECT_TRUE(inferred.empty());
}
