//===- ModelTest.cpp - Models of schedules --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/ScheduleModels/NetworkModel.h"
#include "GNN/Analysis/ScheduleModels/TreeModel.h"

#include "GNN/Runtime/Files.h"

#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace gnn;
using namespace gnn::tune;

static std::string readFileOfInputs(const std::string &name) {
  auto text = runtime::readFile(GNN_TUNE_INPUTS "/" + name);
  EXPECT_TRUE(text) << text.message();
  return text ? *text : "";
}

static std::string replace(std::string text, llvm::StringRef from,
                           llvm::StringRef to) {
  size_t at = text.find(from.str());
  EXPECT_NE(at, std::string::npos) << from.str();
  return text.replace(at, from.size(), to);
}

//===----------------------------------------------------------------------===//
// Trees
//===----------------------------------------------------------------------===//

/// The models and their scores are LightGBM's
/// (python/tests/test_schedule_models.py makes such): missing values are NaN,
/// zeros too, or there are none.
TEST(TreeModel, ScoresHaveTheBitsOfLightGBM) {
  for (const char *name : {"nan", "zero", "none"}) {
    auto model = TreeModel::parse(
        readFileOfInputs(std::string("trees-") + name + ".txt"), name);
    ASSERT_TRUE(model) << model.message();
    EXPECT_EQ((*model)->featureNames().front(), "template.features");
    std::string text = readFileOfInputs(std::string("trees-") + name + ".tsv");
    unsigned rows = 0;
    for (llvm::StringRef line : llvm::split(llvm::StringRef(text), '\n')) {
      if (line.empty())
        continue;
      std::vector<double> values;
      for (llvm::StringRef word : llvm::split(line, '\t'))
        values.push_back(std::strtod(word.str().c_str(), nullptr));
      double expected = values.back();
      values.pop_back();
      EXPECT_EQ((*model)->score(values), expected) << line.str();
      ++rows;
    }
    EXPECT_EQ(rows, 15u);
  }
}

/// A feature that a table does not have is missing; the most is the least
/// weight.
TEST(TreeModel, WeighsTablesByNames) {
  std::string text = readFileOfInputs("trees-nan.txt");
  auto model = TreeModel::parse(text, "trees");
  ASSERT_TRUE(model);
  FeatureTable table;
  table.names = {"new", "graph.edges", "template.features", "template.heads"};
  table.rows = {{9, 1, 2, 3}, {9, -1, -2, -3}};
  auto weights = (*model)->weigh(table);
  ASSERT_TRUE(weights);
  double nan = std::nan("");
  EXPECT_EQ((*weights)[0], -(*model)->score(std::vector<double>{2, 3, 1, nan}));
  EXPECT_EQ((*weights)[1],
            -(*model)->score(std::vector<double>{-2, -3, -1, nan}));
}

TEST(TreeModel, HasNoOrderOfInfiniteScores) {
  std::string text = readFileOfInputs("trees-nan.txt");
  for (size_t at = 0; (at = text.find("leaf_value=", at)) != std::string::npos;
       ++at) {
    size_t end = text.find('\n', at);
    auto count = llvm::count(llvm::StringRef(text).slice(at, end), ' ') + 1;
    std::string huge = "leaf_value=1e308";
    for (int i = 1; i < count; ++i)
      huge += " 1e308";
    text.replace(at, end - at, huge);
  }
  auto model = TreeModel::parse(text, "m");
  ASSERT_TRUE(model) << model.message();
  FeatureTable table;
  table.names = {"template.features"};
  table.rows = {{1}};
  EXPECT_EQ((*model)->weigh(table).message(),
            "m: expected finite costs of schedules, got -inf: are its "
            "parameters too large?");
}

/// Of a template of another kind it does not know all fields, even if it knows
/// one that has the same name.
TEST(TreeModel, IsForSchedulesWhoseFieldsItKnows) {
  std::string text = readFileOfInputs("trees-nan.txt");
  auto model = TreeModel::parse(
      replace(text, "feature_names=template.features template.heads",
              "feature_names=field.lanes template.heads"),
      "trees");
  ASSERT_TRUE(model) << model.message();
  FeatureTable table;
  table.names = {"template.heads", "field.lanes", "field.n", "field.kind"};
  table.rows = {{1, 0, 16, 0}, {1, 8, 32, 0}};
  EXPECT_EQ((*model)->weigh(table).message(),
            "trees: expected a model of all fields that these schedules set, "
            "got one without n" +
                howToTrain.str());
  table.rows[0][2] = table.rows[1][2] = 0;
  EXPECT_TRUE((*model)->weigh(table));
}

TEST(TreeModel, WrongLinesAreNamed) {
  const std::string text = readFileOfInputs("trees-nan.txt");
  auto errorOf = [&](llvm::StringRef from, llvm::StringRef to) {
    return TreeModel::parse(replace(text, from, to), "m").message();
  };
  EXPECT_EQ(TreeModel::parse("", "m").message(),
            "m:1: expected 'tree', with which a text model of LightGBM begins, "
            "got ''");
  EXPECT_EQ(errorOf("version=v4", "version=v9"),
            "m:2: expected version=v3 or v4");
  EXPECT_EQ(errorOf("num_class=1", "num_class=3"),
            "m:3: expected 'num_class=1', got 3");
  EXPECT_EQ(errorOf(" template.heads", ""),
            "m:8: expected 4 names, one beyond max_feature_idx, got 3");
  for (const char *name : {"template.head", "field.lane", "lanes", "field."})
    EXPECT_EQ(errorOf(" template.heads", std::string(" ") + name),
              std::string("m:8: expected features of schedules, got '") + name +
                  "'" + howToTrain.str());
  EXPECT_EQ(errorOf("num_leaves=5", "num_leaves=0"),
            "m:13: expected a leaf or more, got 0");
  EXPECT_EQ(errorOf("num_leaves=5", "num_leaves=4294967296"),
            "m:21: expected 4294967296 numbers of 'leaf_value', got 5");
  EXPECT_EQ(errorOf("num_cat=0", "num_cat=1"),
            "m:14: expected numerical splits, got categorical ones");
  EXPECT_EQ(errorOf("is_linear=0", "is_linear=1"),
            "m:27: expected leaves that are numbers, got linear ones");
  EXPECT_EQ(errorOf("decision_type=10", "decision_type=9"),
            "m:18: expected numerical splits, got a categorical one");
  EXPECT_EQ(errorOf("decision_type=10", "decision_type=12"),
            "m:18: expected a decision of 0 to 11, got 12");
  EXPECT_EQ(errorOf("split_feature=0", "split_feature=4"),
            "m:15: expected one of 4 features, got 4");
  // A split above itself would be a cycle.
  EXPECT_EQ(errorOf("left_child=1", "left_child=0"),
            "m:19: expected a leaf, or a split behind split 0, got 0");
  EXPECT_EQ(errorOf("left_child=1", "left_child=-6"),
            "m:19: expected a leaf, or a split behind split 0, got -6");
  EXPECT_EQ(errorOf("threshold=0", "threshold=x"),
            "m:17: expected numbers of 'threshold', got 'x.47000000000000003'");
  size_t leaf = text.find("leaf_value=") + 11;
  for (const char *value : {"1e9999", "-1e9999", "inf"})
    EXPECT_EQ(TreeModel::parse(std::string(text).replace(
                                   leaf, text.find(' ', leaf) - leaf, value),
                               "m")
                  .message(),
              "m:21: expected finite numbers of 'leaf_value', got an infinite "
              "one");
  EXPECT_EQ(errorOf("Tree=1", "Tree=2"),
            "m:31: expected 'Tree=1' or 'end of trees', got 'Tree=2'");
  EXPECT_EQ(errorOf("\nthreshold=", "\nthreshold_=").substr(0, 40),
            "m:12: expected 'threshold=' of this tree");
  // Half a file.
  std::string half = text.substr(0, text.find("Tree=2"));
  EXPECT_NE(TreeModel::parse(half, "m").message().find(
                "expected 'end of trees', got the end of the file"),
            std::string::npos);
  // No prefix of a model crashes or is one, but for that of all trees alone.
  for (size_t end = 0; end < text.find("end of parameters"); end += 7)
    if (end < text.find("end of trees") || end > text.find("feature_importan"))
      EXPECT_FALSE(TreeModel::parse(text.substr(0, end), "m")) << end;
  EXPECT_TRUE(
      TreeModel::parse(text.substr(0, text.find("feature_importan")), "m"));
  EXPECT_TRUE(TreeModel::parse(text, "m"));
}

TEST(ScheduleModel, OrdersByWeightThenPlace) {
  const double weights[] = {3, 1, std::nan(""), 1, -2};
  EXPECT_EQ(sortByWeight(weights), (std::vector<size_t>{4, 1, 3, 0, 2}));
}

/// A model that likes the last rows best.
TEST(ScheduleModel, WhatIsNotLaunchedComesLast) {
  struct Backwards : ScheduleModel {
    runtime::Expected<std::vector<double>>
    weigh(const FeatureTable &table) const override {
      std::vector<double> weights;
      for (size_t i = 0; i < table.rows.size(); ++i)
        weights.push_back(-double(i));
      return weights;
    }
  };
  FeatureTable table;
  table.names = {"layout.resident_blocks"};
  table.rows = {{1}, {std::nan("")}, {0}, {4}, {0}};
  auto order = orderSchedules(Backwards(), table);
  ASSERT_TRUE(order);
  EXPECT_EQ(*order, (std::vector<size_t>{3, 1, 0, 2, 4}));
}

//===----------------------------------------------------------------------===//
// Networks
//===----------------------------------------------------------------------===//

/// One feature, whose logarithm is normalized by 1 and 4, and two hidden units:
/// relu(z) and relu(-z), of which the cost is 3 times the first plus the
/// second.
static const std::string network = R"({"networks": [{"kind": "g-spmm",
  "features": ["layout.threads"], "offset": 0.5, "epsilon": 1e-12,
  "mean": [1], "variance": [4], "scale": [2], "shift": [0.25],
  "layers": [{"weights": [[1], [-1]], "biases": [0, 0]},
             {"weights": [[3, 1]], "biases": [-2]}]}]})";

static FeatureTable makeTable(llvm::ArrayRef<double> threads) {
  FeatureTable table;
  table.names = {"template.sums", "template.reduces_features",
                 "layout.threads"};
  for (double one : threads)
    table.rows.push_back({1, 0, one});
  return table;
}

TEST(NetworkModel, CostsAreNormalizedOverSchedules) {
  auto model = NetworkModel::parse(network, "m");
  ASSERT_TRUE(model) << model.message();
  auto costs =
      (*model)->weigh(makeTable(std::vector<double>{1, 64, std::nan(""), -3}));
  ASSERT_TRUE(costs) << costs.message();
  auto cost = [](double value) {
    double z = (std::log(value + 0.5) - 1) / 2 * 2 + 0.25;
    return 3 * std::max(z, 0.0) + std::max(-z, 0.0) - 2;
  };
  // What is missing, or below 0, counts as 0.
  double raw[] = {cost(1), cost(64), cost(0), cost(0)};
  double mean = 0, variance = 0;
  for (double one : raw)
    mean += one / 4;
  for (double one : raw)
    variance += (one - mean) * (one - mean) / 4;
  for (int i = 0; i < 4; ++i)
    EXPECT_NEAR((*costs)[i], (raw[i] - mean) / std::sqrt(variance), 1e-9);
}

TEST(NetworkModel, SaysWhatItIsNotFor) {
  auto model = NetworkModel::parse(network, "m");
  ASSERT_TRUE(model);
  FeatureTable table = makeTable(1.0);
  table.rows[0][0] = 0;
  EXPECT_EQ((*model)->weigh(table).message(),
            "m: expected a traversal that reduces elements or features, got "
            "another template");
  table.rows[0][1] = 1;
  EXPECT_EQ((*model)->weigh(table).message(),
            "m: expected a traversal that reduces elements or features, of "
            "which it has no network");
  table = makeTable(1.0);
  table.names.back() = "other";
  EXPECT_EQ((*model)->weigh(table).message(),
            "m: expected a model of features that these schedules have, got "
            "one of 'layout.threads'" +
                howToTrain.str());
}

/// Finite weights may give costs, or a variance of these, that are not.
TEST(NetworkModel, HasNoOrderOfInfiniteCosts) {
  auto errorOf = [](llvm::StringRef outputs) {
    auto model =
        NetworkModel::parse(replace(network, "[[3, 1]]", outputs), "m");
    EXPECT_TRUE(model) << model.message();
    auto costs = (*model)->weigh(makeTable(std::vector<double>{1, 64, 3}));
    return costs ? "" : costs.message();
  };
  EXPECT_EQ(errorOf("[[1e308, 1]]"),
            "m: expected finite costs of schedules, got inf: are its "
            "parameters too large?");
  EXPECT_EQ(errorOf("[[1e200, 1]]"),
            "m: expected finite costs of schedules, got inf: are its "
            "parameters too large?");
  EXPECT_EQ(errorOf("[[1e100, 1]]"), "");
}

TEST(NetworkModel, WrongNetworksAreNamed) {
  auto errorOf = [&](llvm::StringRef from, llvm::StringRef to) {
    return NetworkModel::parse(replace(network, from, to), "m").message();
  };
  EXPECT_EQ(errorOf("\"mean\": [1]", "\"mean\": []"),
            "m: networks[0]: expected 1 numbers of 'mean', one of each "
            "feature, got 0");
  EXPECT_EQ(errorOf("[[3, 1]]", "[[3]]"),
            "m: networks[0]: layers[1]: expected rows of 2 weights, got 1");
  EXPECT_EQ(errorOf("[[3, 1]]", "[[3, 1], [1, 1]]"),
            "m: networks[0]: layers[1]: expected a row of weights for each "
            "bias, got 2 for 1");
  EXPECT_EQ(errorOf("\"epsilon\": 1e-12", "\"epsilon\": 0"),
            "m: networks[0]: expected 'epsilon' and 'offset' above 0, and no "
            "'variance' below");
  EXPECT_NE(errorOf("\"kind\": \"g-spmm\"", "\"kind\": 3").find("kind"),
            std::string::npos);
  EXPECT_EQ(errorOf("g-spmm", "x"),
            "m: networks[0]: expected 'kind' to be g-spmm or g-sddmm, got 'x'");
  EXPECT_EQ(errorOf("layout.threads", "layout.thread"),
            "m: networks[0]: expected features of schedules, got "
            "'layout.thread'" +
                howToTrain.str());
  for (auto [from, to] : {std::pair("[4]", "[1e999]"),
                          {"0.5", "1e999"},
                          {"[-2]", "[-1e999]"},
                          {"[1], [-1]", "[1], [1e999]"},
                          {"1e-12", "1e999"}})
    EXPECT_EQ(errorOf(from, to),
              "m: networks[0]: expected finite numbers, got others")
        << from;
  EXPECT_EQ(NetworkModel::parse(R"({"networks": []})", "m").message(),
            "m: expected networks, got none");
  // Two of a kind.
  std::string one = network.substr(network.find("[{") + 1);
  one = one.substr(0, one.rfind("]}"));
  EXPECT_EQ(errorOf("{\"kind\"", one + ", {\"kind\""),
            "m: networks[1]: expected one network of kind 'g-spmm', got two");
  std::string half = std::string(network).substr(0, 120);
  EXPECT_EQ(NetworkModel::parse(half, "m").message().substr(0, 39),
            "m: expected a model in JSON: [3:20, byt");
  EXPECT_FALSE(NetworkModel::parse(std::string(100000, '['), "m"));
}
