//===- FeaturesTest.cpp - Schedules as rows of numbers --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/ScheduleModels/Features.h"

#include "GNN/InitDialects.h"
#include "GNN/Target/Backends.h"
#include "GNN/Target/Compile.h"
#include "GNN/Tune/CompileTemplate.h"

#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mlir;
using namespace gnn;
using namespace gnn::tune;

static const char *declarations = R"(
#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 1, edge_types = 1, dst_sorted,
  stats = #gnn.stats<src_nodes = 1000, dst_nodes = 1000, edges = 8000,
    type_edges = [8000], src_pairs = [1000], dst_pairs = [900],
    in_degree_squares = 128000, in_degree_max = 80, near_edges = [2000, 4000, 8000]>}
)";

static const char *sum = R"(
func.func @f(%x: tensor<?x20xf32, #node> {gnn.name = "x"})
    -> (tensor<?x20xf32, #node> {gnn.name = "out"}) {
  %0 = gnn.gather %x via src : tensor<?x20xf32, #node> -> tensor<?x20xf32, #edge>
  %1 = gnn.aggregate sum %0 via dst : tensor<?x20xf32, #edge> -> tensor<?x20xf32, #node>
  return %1 : tensor<?x20xf32, #node>
})";

static const char *product = R"(
func.func @f(%x: tensor<?x20xf32, #node> {gnn.name = "x"},
             %w: tensor<20x24xf32> {gnn.name = "w"})
    -> (tensor<?x24xf32, #node> {gnn.name = "out"}) {
  %0 = gnn.linear %x, %w : (tensor<?x20xf32, #node>, tensor<20x24xf32>) -> tensor<?x24xf32, #node>
  return %0 : tensor<?x24xf32, #node>
})";

namespace {
/// The features of all schedules of a function's first template.
class Listing {
public:
  explicit Listing(llvm::StringRef function, llvm::StringRef target = "cuda") {
    registerDialects(registry);
    registerBackends();
    context = std::make_unique<MLIRContext>(registry);
    module = parseSourceString<ModuleOp>(
        (llvm::Twine(declarations) + function).str(), context.get());
    EXPECT_TRUE(module);
    CompileOptions options;
    options.target = target.str();
    EXPECT_TRUE(succeeded(
        lowerToTemplates(*module, options, /*choosesSchedules=*/false)));
    alone = isolateTemplates(*module, "f");
    EXPECT_FALSE(alone.empty());
    auto space = listSpace(alone.front(), optionsBehindTemplates(options));
    EXPECT_TRUE(space) << space.message();
    listed = space->listed;
    table = computeFeatures(alone.front().op(),
                            tile::getScheduleKind(alone.front().op()), listed);
    EXPECT_EQ(table.rows.size(), listed.size());
  }

  double at(size_t row, llvm::StringRef name) const {
    auto column = table.find(name);
    EXPECT_TRUE(column) << name.str();
    return column ? table.rows[row][*column] : 0;
  }

  DialectRegistry registry;
  std::unique_ptr<MLIRContext> context;
  OwningOpRef<ModuleOp> module;
  std::vector<IsolatedTemplate> alone;
  std::vector<ListedSchedule> listed;
  FeatureTable table;
};
} // namespace

TEST(Features, SaysWhatATemplateComputesOfAGraph) {
  Listing listing(sum);
  ASSERT_GT(listing.listed.size(), 1000u);
  std::pair<const char *, double> expected[] = {
      {"template.is_product", 0},
      {"template.features", 20},
      {"template.heads", 1},
      {"template.walks_elements", 1},
      {"template.reduces_features", 0},
      {"template.sums", 1},
      {"template.gathers", 1},
      {"template.gathered_bytes", 8000 * 80},
      {"template.written_bytes", 1000 * 80},
      {"graph.groups", 1000},
      {"graph.elements", 8000},
      {"graph.mean_length", 8},
      {"graph.edges", 8000},
      {"graph.variation", 1}, // 128 - 64 is the square of the mean
      {"graph.longest_length", 80},
      {"graph.near_4k", 0.25},
      {"graph.near_32k", 0.5},
      {"graph.near_256k", 1},
      {"graph.table_bytes", 1000 * 80}};
  for (auto [name, value] : expected)
    for (size_t row : {size_t(0), listing.listed.size() - 1})
      EXPECT_EQ(listing.at(row, name), value) << name;
}

/// Algorithm 4 as it is printed, repaired, of the fields themselves.
TEST(Features, MetricsAreThoseOfAlgorithm4) {
  Listing listing(sum);
  const double nnz = 8000, numNodes = 1000, featLen = 20;
  for (size_t row = 0; row < listing.listed.size(); row += 7) {
    auto at = [&](const char *name) { return listing.at(row, name); };
    double kMTile = at("field.rows_per_block");
    double kLaneWidth = at("field.lanes");
    double kNTile = kLaneWidth * at("field.vector");
    double kNRegTile = std::max(at("field.columns_per_block") / kNTile, 1.0);
    double kNnzTile = std::max(at("field.window"), 1.0);
    double outMemAccessEff = std::min(kMTile / 8.0, 1.0);
    double nnzRatio = nnz / ((2 * numNodes * featLen) + numNodes + nnz + 1);
    double penalty = 128.0 / (kMTile * kNTile);
    if (kMTile * kNTile <= 128)
      penalty = 1.0;
    EXPECT_DOUBLE_EQ(at("g_sparse.out_mem_access_eff"), outMemAccessEff);
    EXPECT_DOUBLE_EQ(at("g_sparse.access_eff"), outMemAccessEff * nnzRatio);
    EXPECT_DOUBLE_EQ(at("g_sparse.par_degree"), 1.0 / kNRegTile);
    EXPECT_DOUBLE_EQ(at("g_sparse.data_reuse"), kNRegTile);
    EXPECT_DOUBLE_EQ(at("g_sparse.thread_block_size_penalty"), penalty);
    EXPECT_DOUBLE_EQ(at("g_sparse.shared_mem_size"), kNnzTile * kMTile);
    EXPECT_EQ(at("g_sparse.out_mem_access_eff_thread_x_factor"),
              kMTile >= 8 ? 1.0 : 2.0);
    EXPECT_DOUBLE_EQ(at("g_sparse.mem_access_eff_factor_2"),
                     std::min(kLaneWidth / 8.0, 1.0));
    EXPECT_EQ(at("g_sparse.total_num_threads"), kMTile * kLaneWidth);
    EXPECT_DOUBLE_EQ(at("g_sparse.warp_shuffle_factor"), kLaneWidth / featLen);
    EXPECT_EQ(at("g_sparse.feat_len_factor"), 1);
  }
}

TEST(Features, LayoutsFollowFromFields) {
  Listing listing(sum);
  unsigned byEdges = 0, idle = 0;
  for (size_t row = 0; row < listing.listed.size(); row += 3) {
    auto at = [&](const char *name) { return listing.at(row, name); };
    double team =
        at("field.lanes") * at("field.head_lanes") * at("field.element_lanes");
    double rows = at("field.rows_per_block");
    EXPECT_EQ(at("layout.team"), team);
    EXPECT_EQ(at("layout.threads"), team * rows);
    EXPECT_EQ(at("layout.threads"), listing.listed[row].facts.threads);
    double walk = at("field.row_walk"); // team, block, by_length, by_edges
    double positions = walk == 4 ? 8000 : 1000;
    double merged = std::max(at("field.rows_per_team"), 1.0);
    double each = walk == 4 ? 64 * rows : walk == 2 ? 1 : rows * merged;
    EXPECT_EQ(at("layout.blocks"),
              std::ceil(positions / each) * at("layout.tiles"));
    byEdges += walk == 4;
    double step = at("field.element_lanes") * at("field.in_flight");
    EXPECT_EQ(at("layout.step_elements"), step);
    EXPECT_DOUBLE_EQ(at("layout.idle_elements"),
                     1 - 8 / (std::ceil(8 / step) * step));
    double vectors = at("field.lanes") * at("field.vector");
    idle += vectors == 32 && at("layout.idle_lanes") == 1 - 20.0 / 32;
    EXPECT_LE(at("layout.occupancy"), 1);
    EXPECT_GT(at("layout.waves"), 0);
    EXPECT_LE(at("layout.last_wave"), 1);
    EXPECT_EQ(std::isnan(at("layout.split_of_mean")), walk != 3);
  }
  EXPECT_GT(byEdges, 0u);
  EXPECT_GT(idle, 0u);
}

/// A block of 896 threads has room for 72 registers of each; more are given as
/// 80, unless the schedule has a bound.
TEST(Features, BlocksHaveRoomAsTheFilterSays) {
  Listing listing(sum);
  tile::TileOpInterface op = listing.alone.front().op();
  tile::ScheduleInterface kind = tile::getScheduleKind(op);
  size_t bound = 0;
  while (kind.getTable()[bound].name != "max_registers")
    ++bound;
  std::vector<ListedSchedule> large(3, listing.listed.front());
  const int64_t needed[] = {72, 73, 73};
  for (auto [schedule, registers] : llvm::zip_equal(large, needed)) {
    schedule.facts.threads = 896;
    schedule.facts.registers = registers;
    schedule.schedule[bound] = 0;
  }
  large.back().schedule[bound] = 64;
  FeatureTable table = computeFeatures(op, kind, large);
  size_t blocks = *table.find("layout.resident_blocks");
  EXPECT_EQ(table.rows[0][blocks], 1);
  EXPECT_EQ(table.rows[1][blocks], 0);
  EXPECT_EQ(table.rows[2][blocks], 1);
  size_t share = *table.find("layout.registers_of_most");
  EXPECT_DOUBLE_EQ(table.rows[0][share], 1);
  EXPECT_DOUBLE_EQ(table.rows[1][share], 73 / 72.0);
  EXPECT_DOUBLE_EQ(table.rows[2][share], 73 / 64.0);
}

/// What makes no sense is missing: a product has no lanes, a core no registers.
TEST(Features, OthersAreMissing) {
  Listing ofProduct(product);
  ASSERT_FALSE(ofProduct.listed.empty());
  EXPECT_EQ(ofProduct.at(0, "template.is_product"), 1);
  EXPECT_EQ(ofProduct.at(0, "template.features"), 24);
  EXPECT_TRUE(std::isnan(ofProduct.at(0, "layout.team")));
  EXPECT_TRUE(std::isnan(ofProduct.at(0, "graph.mean_length")));
  EXPECT_FALSE(std::isnan(ofProduct.at(0, "field.n")));
  Listing ofCore(sum, "cpu");
  ASSERT_FALSE(ofCore.listed.empty());
  EXPECT_TRUE(std::isnan(ofCore.at(0, "layout.occupancy")));
  EXPECT_EQ(ofCore.at(0, "layout.team"), 1);
  EXPECT_EQ(ofCore.at(0, "graph.mean_length"), 8);
  EXPECT_FALSE(ofCore.table.find("field.lanes"));
}
