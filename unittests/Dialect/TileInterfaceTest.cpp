//===- TileInterfaceTest.cpp - Interface of templates ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/GNN/IR/FunctionAttributes.h"
#include "GNN/Dialect/GNN/IR/GNN.h"
#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace gnn::tile;

namespace {

constexpr const char *source = R"(
  gnn.graph @g square {node_types = 2, edge_types = 3}
  func.func @f(%x: memref<?x64xf32>, %w: memref<?xf32>, %y: memref<?x80xf32>,
               %m: memref<3x64x8xf32>, %z: memref<?x8xf32>,
               %b: memref<3x8xf32>, %c: memref<8xf32>, %v: memref<?x64xf32>) {
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
        ins(%x, %w : memref<?x64xf32>, memref<?xf32>)
        at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<element -> edge>]
        outs(%y : memref<?x80xf32>) at [#gnn_tile.at<group : feature + 16>] {
    ^bb0(%xv: f32, %wv: f32):
      %p = arith.mulf %xv, %wv : f32
      %s = gnn_tile.reduce sum [element] %p : f32
      gnn_tile.yield %s : f32
    }
    gnn_tile.gemm @g rows src_pair types edge_type
        ins(%x, %m : memref<?x64xf32>, memref<3x64x8xf32>)
        at <group -> src : feature> extras at []
        outs(%z : memref<?x8xf32>) at <group : feature> {
    ^bb0(%acc: f32):
      gnn_tile.yield %acc : f32
    }
    gnn_tile.outer @g rows src_pair types edge_type
        ins(%x, %z : memref<?x64xf32>, memref<?x8xf32>)
        at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group : feature>]
        outs(%m : memref<3x64x8xf32>)
    gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
        ins(%x, %w : memref<?x64xf32>, memref<?xf32>)
        at [#gnn_tile.at<element -> src : feature>, #gnn_tile.at<element -> edge>]
        outs(%v : memref<?x64xf32>) at [#gnn_tile.at<group : feature>] {
    ^bb0(%xv: f32, %unused: f32):
      %s = gnn_tile.reduce sum [element] %xv : f32
      gnn_tile.yield %s : f32
    }
    gnn_tile.gemm @g rows src_pair types edge_type
        ins(%x, %m : memref<?x64xf32>, memref<3x64x8xf32>)
        at <group -> src : feature>
        extras (%b, %c, %w : memref<3x8xf32>, memref<8xf32>, memref<?xf32>)
        at [#gnn_tile.at<group -> edge_type : feature>, #gnn_tile.at<all : feature>,
            #gnn_tile.at<group -> src>]
        outs(%z : memref<?x8xf32>) at <group : feature> {
    ^bb0(%acc: f32, %bv: f32, %cv: f32, %wv: f32):
      %s = arith.addf %acc, %bv : f32
      %t = arith.addf %s, %cv : f32
      gnn_tile.yield %t : f32
    }
    %tiles = gnn_tile.count @g tile_count edge_type src_pair 128 : index
    %parts = memref.alloc(%tiles) : memref<?x64x8xf32>
    gnn_tile.outer @g rows src_pair types tiles<edge_type, src_pair, 128>
        ins(%x, %z : memref<?x64xf32>, memref<?x8xf32>)
        at [#gnn_tile.at<group -> src : feature>, #gnn_tile.at<group : feature>]
        outs(%parts : memref<?x64x8xf32>)
    %flat = memref.collapse_shape %parts [[0], [1, 2]]
        : memref<?x64x8xf32> into memref<?x512xf32>
    %sums = memref.collapse_shape %m [[0], [1, 2]]
        : memref<3x64x8xf32> into memref<3x512xf32>
    gnn_tile.traverse @g <edge_type, tiles<edge_type, src_pair, 128>, features = 512>
        ins(%flat : memref<?x512xf32>) at [#gnn_tile.at<element : feature>]
        outs(%sums : memref<3x512xf32>) at [#gnn_tile.at<group : feature>] {
    ^bb0(%part: f32):
      %sum = gnn_tile.reduce sum [element] %part : f32
      gnn_tile.yield %sum : f32
    }
    %n = gnn_tile.count @g count dst : index
    gnn_tile.require %n, %n "as many"
    gnn_tile.cost %n, %n, %n
    gnn_tile.workspace_size %n
    return
  }
)";

class TileInterface : public testing::Test {
protected:
  TileInterface() {
    context.loadDialect<gnn::GNNDialect, TileDialect, func::FuncDialect,
                        memref::MemRefDialect, arith::ArithDialect>();
    module = parseSourceString<ModuleOp>(source, &context);
    if (module)
      module->walk([&](TileOpInterface op) { templates.push_back(op); });
  }

  std::vector<std::string> structures(unsigned i) {
    std::vector<std::string> keys;
    for (const gnn::StructureKey &key : templates[i].getStructures())
      keys.push_back(key.str());
    return keys;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::vector<TileOpInterface> templates;
};

using Keys = std::vector<std::string>;

TEST_F(TileInterface, EachTemplateHasIt) {
  ASSERT_EQ(templates.size(), 7u);
  EXPECT_EQ(templates[0].getGroups().str(), "dst");
  EXPECT_EQ(templates[0].getElements().str(), "edge.in_rows");
  EXPECT_EQ(templates[1].getGroups().str(), "src_pair");
  EXPECT_FALSE(templates[1].getElements());
  EXPECT_EQ(templates[2].getGroups().str(), "edge_type");
  EXPECT_EQ(templates[2].getElements().str(), "src_pair");
  EXPECT_TRUE(templates[0].getScalarBody());
  EXPECT_FALSE(templates[2].getScalarBody());
}

TEST_F(TileInterface, Accesses) {
  ASSERT_EQ(templates.size(), 7u);
  EXPECT_EQ(templates[0].getAccess(templates[0]->getOpOperand(1)).getSpace(),
            RowDomain(gnn::Space::Edge));
  EXPECT_FALSE(templates[1].getAccess(templates[1]->getOpOperand(1)));
  EXPECT_FALSE(templates[2].getAccess(templates[2]->getOpOperand(2)));
}

TEST_F(TileInterface, Structures) {
  ASSERT_EQ(templates.size(), 7u);
  EXPECT_EQ(structures(0),
            (Keys{"rows dst edge.in_rows", "map edge.in_rows src",
                  "map edge.in_rows edge"}));
  EXPECT_EQ(structures(1),
            (Keys{"tiles edge_type src_pair 64", "map src_pair src"}));
  EXPECT_EQ(structures(2),
            (Keys{"rows edge_type src_pair", "map src_pair src"}));
}

TEST_F(TileInterface, WrittenColumns) {
  ASSERT_EQ(templates.size(), 7u);
  ColumnRange part =
      templates[0].getWrittenColumns(templates[0]->getOpOperand(2));
  EXPECT_EQ(part.begin, 16);
  EXPECT_EQ(part.end, 80);
  EXPECT_FALSE(part.isWhole);
  EXPECT_TRUE(
      templates[1].getWrittenColumns(templates[1]->getOpOperand(2)).isWhole);
}

// Rows of 64 features and a weight an edge; two maps and the row pointer.
TEST_F(TileInterface, CostByCounts) {
  ASSERT_EQ(templates.size(), 7u);
  TileCost walk = templates[0].getCost();
  EXPECT_EQ(walk.readBytes.str(), "268 * count edge + 4 * count dst + 4");
  EXPECT_EQ(walk.writtenBytes.str(), "256 * count dst");
  EXPECT_EQ(walk.flops.str(), "128 * count edge");
  TileCost product = templates[1].getCost();
  EXPECT_EQ(product.readBytes.str(),
            "260 * count src_pair + 12 * tile_count edge_type src_pair 64 + "
            "6144");
  EXPECT_EQ(product.flops.str(), "1024 * count src_pair");
  EXPECT_EQ(templates[2].getCost().writtenBytes.str(), "6144");
}

// A matrix is written for each tile, and read once.
TEST_F(TileInterface, Tiles) {
  ASSERT_EQ(templates.size(), 7u);
  EXPECT_EQ(structures(5),
            (Keys{"tiles edge_type src_pair 128", "map src_pair src"}));
  TileCost first = templates[5].getCost();
  EXPECT_EQ(first.readBytes.str(),
            "292 * count src_pair + 12 * tile_count edge_type src_pair 128");
  EXPECT_EQ(first.writtenBytes.str(),
            "2048 * tile_count edge_type src_pair 128");
  EXPECT_EQ(templates[6].getElements().str(),
            "tiles<edge_type, src_pair, 128>");
  EXPECT_EQ(structures(6), (Keys{"tile_rows edge_type src_pair 128"}));
  TileCost second = templates[6].getCost();
  EXPECT_EQ(second.readBytes.str(),
            "4 * count edge_type + 2048 * tile_count edge_type src_pair 128 + "
            "4");
  EXPECT_EQ(second.writtenBytes.str(), "2048 * count edge_type");
  EXPECT_EQ(second.flops.str(), "512 * tile_count edge_type src_pair 128");
}

// An input that the body does not use is none of the kernel.
TEST_F(TileInterface, CostOfWhatIsRead) {
  ASSERT_EQ(templates.size(), 7u);
  EXPECT_EQ(templates[3].getCost().readBytes.str(),
            "260 * count edge + 4 * count dst + 4");
}

// Operands of a row count for each; biases of a type and of all rows, as
// weights, once.
TEST_F(TileInterface, CostOfExtras) {
  ASSERT_EQ(templates.size(), 7u);
  EXPECT_EQ(templates[4].getCost().readBytes.str(),
            "264 * count src_pair + 12 * tile_count edge_type src_pair 64 + "
            "6272");
}

// Each tile of columns reads ids and weights again.
TEST_F(TileInterface, CostFollowsTheSchedule) {
  ASSERT_EQ(templates.size(), 7u);
  TraverseSchedule schedule;
  schedule.columnsPerBlock = 32;
  templates[0].setTileSchedule(schedule.get(&context));
  EXPECT_EQ(templates[0].getCost().readBytes.str(),
            "280 * count edge + 8 * count dst + 8");
}

// No text of a schedule has such values, so a pass must not keep them.
TEST_F(TileInterface, ValuesOutsideOfTheirRangesAreRefused) {
  ASSERT_EQ(templates.size(), 7u);
  auto why = [&](unsigned i, auto schedule) {
    templates[i].setTileSchedule(schedule.get(&context));
    return templates[i].explainSchedule();
  };
  TraverseSchedule walk;
  walk.inFlight = 32;
  EXPECT_EQ(why(0, walk), "");
  walk.inFlight = 64;
  EXPECT_EQ(why(0, walk), "cannot honour the schedule's 'in_flight': expected "
                          "a value from 1 to 32, got 64");
  walk.inFlight = -1;
  EXPECT_EQ(why(0, walk), "cannot honour the schedule's 'in_flight': expected "
                          "a value from 1 to 32, got -1");
  walk = {};
  walk.lanes = 12;
  EXPECT_EQ(why(0, walk), "cannot honour the schedule's 'lanes': expected a "
                          "value in {1, 2, 4, 8, 16, 32}, got 12");
  walk.lanes = walk.headLanes = 32;
  EXPECT_EQ(why(0, walk),
            "cannot honour the schedule: expected 'lanes' times 'head_lanes' "
            "times 'element_lanes' within a warp of 32, got 1024");
  walk = TraverseSchedule::ofCore();
  walk.rowsPerBlock = 2048;
  EXPECT_EQ(why(0, walk), "cannot honour the schedule's 'rows_per_block': "
                          "expected a value from 1 to 1024, got 2048");
  for (unsigned i : {1, 2}) {
    ProductSchedule product;
    product.n = 64;
    EXPECT_EQ(why(i, product), "");
    product.n = 24;
    EXPECT_EQ(why(i, product), "cannot honour the schedule's 'n': expected a "
                               "value in {16, 32, 64}, got 24");
    product.n = 0;
    product.maxRegisters = 1000;
    EXPECT_EQ(why(i, product), "cannot honour the schedule's 'max_registers': "
                               "expected a value from 24 to 255, got 1000");
  }
}

// Such a field is neither dropped nor followed.
TEST_F(TileInterface, FieldsThatCoresLackAreRefused) {
  ASSERT_EQ(templates.size(), 7u);
  gnn::TargetLimits limits;
  limits.lanes = 1;
  module.get()->setAttr(
      gnn::attribute::target,
      gnn::TargetAttr::get(&context, "cpu", "some", "", limits, {}, {}));
  auto op = cast<TraverseOp>(templates[0].getOperation());
  TraverseSchedule::ofCore().setOn(op);
  TraverseSchedule before(op), schedule(op);
  schedule.rowsPerBlock = 4;
  schedule.setOn(op);
  EXPECT_TRUE(isa<CoreScheduleAttr>(op.getScheduleAttr()));
  EXPECT_EQ(op.explainSchedule(), "");
  schedule.inFlight = 4;
  schedule.setOn(op);
  EXPECT_EQ(op.explainSchedule(), "cannot honour the schedule's 'in_flight': "
                                  "the cores of a CPU do not have it");
  before.setOn(op);
  EXPECT_TRUE(isa<CoreScheduleAttr>(op.getScheduleAttr()));
  EXPECT_EQ(op.explainSchedule(), "");
}

// They write the launch plan, and no buffer.
TEST_F(TileInterface, EffectsOnThePlan) {
  ASSERT_TRUE(module);
  unsigned found = 0;
  module->walk([&](Operation *op) {
    if (!isa<RequireOp, CostOp, WorkspaceSizeOp>(op))
      return;
    ++found;
    auto effects = getEffectsRecursively(op);
    ASSERT_TRUE(effects);
    ASSERT_EQ(effects->size(), 1u);
    EXPECT_TRUE(isa<MemoryEffects::Write>(effects->front().getEffect()));
    EXPECT_EQ(effects->front().getResource(), PlanResource::get());
  });
  EXPECT_EQ(found, 3u);
}

} // namespace
