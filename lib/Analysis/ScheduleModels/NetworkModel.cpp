//===- NetworkModel.cpp - Learned costs of traversals ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/ScheduleModels/NetworkModel.h"

#include "GNN/Runtime/Nesting.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

#include <cmath>

using namespace gnn;
namespace json = llvm::json;
using runtime::Error;
using runtime::Expected;

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

double NetworkModel::Network::cost(llvm::ArrayRef<double> values) const {
  std::vector<double> in;
  for (auto [i, value] : llvm::enumerate(values)) {
    double known = std::isnan(value) ? 0 : std::max(value, 0.0);
    double log = std::log(known + offset);
    in.push_back((log - mean[i]) / std::sqrt(variance[i] + epsilon) * scale[i] +
                 shift[i]);
  }
  for (auto [number, layer] : llvm::enumerate(layers)) {
    std::vector<double> out = layer.biases;
    for (auto [sum, weights] : llvm::zip_equal(out, layer.weights))
      for (auto [weight, value] : llvm::zip_equal(weights, in))
        sum += weight * value;
    if (number + 1 < layers.size())
      for (double &value : out)
        value = std::max(value, 0.0);
    in = std::move(out);
  }
  return in.front();
}

/// Mean 0 and variance 1, all of one value 0. Returns the variance before.
static double normalize(std::vector<double> &values, double epsilon) {
  double mean = 0, variance = 0, count = values.size();
  for (double value : values)
    mean += value / count;
  for (double value : values)
    variance += (value - mean) * (value - mean) / count;
  for (double &value : values)
    value = (value - mean) / std::sqrt(variance + epsilon);
  return variance;
}

static constexpr llvm::StringRef kinds[] = {"g-spmm", "g-sddmm"};

/// Which network a template has; empty if none.
static llvm::StringRef networkOf(const FeatureTable &table) {
  auto value = [&](llvm::StringRef name) {
    auto column = table.find(name);
    return column && !table.rows.empty() ? table.rows.front()[*column] : 0;
  };
  if (value("template.sums") > 0)
    return kinds[0];
  return value("template.reduces_features") > 0 ? kinds[1] : "";
}

Expected<std::vector<double>>
NetworkModel::weigh(const FeatureTable &table) const {
  if (table.rows.empty())
    return std::vector<double>();
  llvm::StringRef kind = networkOf(table);
  auto network = llvm::find_if(
      networks, [&](const Network &one) { return one.kind == kind; });
  if (network == networks.end())
    return runtime::failure(
        name, ": expected a traversal that reduces elements or features, ",
        kind.empty() ? "got another template" : "of which it has no network");
  std::vector<size_t> columns;
  for (const std::string &feature : network->features) {
    auto column = table.find(feature);
    if (!column)
      return runtime::failure(
          name, ": expected a model of features that these schedules have, ",
          "got one of '", feature, "'", howToTrain.str());
    columns.push_back(*column);
  }
  std::vector<double> costs, values(columns.size());
  for (const std::vector<double> &row : table.rows) {
    for (auto [value, column] : llvm::zip_equal(values, columns))
      value = row[column];
    costs.push_back(network->cost(values));
  }
  if (Error error = expectFinite(name, costs))
    return error;
  if (Error error = expectFinite(name, normalize(costs, network->epsilon)))
    return error;
  return costs;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace gnn {
static bool fromJSON(const json::Value &value, NetworkModel::Layer &layer,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("weights", layer.weights) &&
         map.map("biases", layer.biases);
}

static bool fromJSON(const json::Value &value, NetworkModel::Network &network,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("kind", network.kind) &&
         map.map("features", network.features) &&
         map.map("offset", network.offset) && map.map("mean", network.mean) &&
         map.map("variance", network.variance) &&
         map.map("scale", network.scale) && map.map("shift", network.shift) &&
         map.map("epsilon", network.epsilon) &&
         map.map("layers", network.layers);
}
} // namespace gnn

/// Whether all numbers of a network are finite.
static bool isFinite(const NetworkModel::Network &network) {
  auto areFinite = [](llvm::ArrayRef<double> numbers) {
    return llvm::all_of(numbers, [](double one) { return std::isfinite(one); });
  };
  for (const NetworkModel::Layer &layer : network.layers)
    if (!areFinite(layer.biases) || !llvm::all_of(layer.weights, areFinite))
      return false;
  return areFinite({network.offset, network.epsilon}) &&
         areFinite(network.mean) && areFinite(network.variance) &&
         areFinite(network.scale) && areFinite(network.shift);
}

/// An error in a network; empty if there is none.
static std::string findError(const NetworkModel::Network &network) {
  if (!llvm::is_contained(kinds, network.kind))
    return "expected 'kind' to be " +
           llvm::join(llvm::ArrayRef(kinds), " or ") + ", got '" +
           network.kind + "'";
  size_t width = network.features.size();
  if (width == 0)
    return "expected features, got none";
  for (const std::string &feature : network.features)
    if (!isFeature(feature))
      return "expected features of schedules, got '" + feature + "'" +
             howToTrain.str();
  for (auto [key, list] : {std::pair("mean", &network.mean),
                           {"variance", &network.variance},
                           {"scale", &network.scale},
                           {"shift", &network.shift}})
    if (list->size() != width)
      return "expected " + std::to_string(width) + " numbers of '" + key +
             "', one of each feature, got " + std::to_string(list->size());
  if (!isFinite(network))
    return "expected finite numbers, got others";
  if (!(network.epsilon > 0) || !(network.offset > 0) ||
      llvm::any_of(network.variance, [](double one) { return !(one >= 0); }))
    return "expected 'epsilon' and 'offset' above 0, and no 'variance' below";
  if (network.layers.empty())
    return "expected layers, got none";
  for (auto [i, layer] : llvm::enumerate(network.layers)) {
    std::string at = "layers[" + std::to_string(i) + "]: ";
    if (layer.weights.empty() || layer.weights.size() != layer.biases.size())
      return at + "expected a row of weights for each bias, got " +
             std::to_string(layer.weights.size()) + " for " +
             std::to_string(layer.biases.size());
    for (const std::vector<double> &row : layer.weights)
      if (row.size() != width)
        return at + "expected rows of " + std::to_string(width) +
               " weights, got " + std::to_string(row.size());
    width = layer.biases.size();
  }
  if (width != 1)
    return "expected one output of the last layer, got " +
           std::to_string(width);
  return "";
}

Expected<std::shared_ptr<const NetworkModel>>
NetworkModel::parse(llvm::StringRef text, const std::string &name) {
  if (runtime::findDeepNesting(text, 100, runtime::Syntax::Text))
    return runtime::failure(name, ": expected at most 100 levels of nesting");
  auto value = json::parse(text);
  if (!value) {
    std::string line;
    llvm::handleAllErrors(value.takeError(), [&](const llvm::ErrorInfoBase &e) {
      line = e.message();
    });
    return runtime::failure(name, ": expected a model in JSON: ", line);
  }
  auto model = std::make_shared<NetworkModel>();
  model->name = name;
  json::Path::Root root(name);
  json::ObjectMapper map(*value, root);
  if (!map || !map.map("networks", model->networks))
    return runtime::failure(toString(root.getError()));
  if (model->networks.empty())
    return runtime::failure(name, ": expected networks, got none");
  for (auto [i, network] : llvm::enumerate(model->networks)) {
    if (std::string why = findError(network); !why.empty())
      return runtime::failure(name, ": networks[", i, "]: ", why);
    auto isSame = [&, kind = network.kind](const Network &other) {
      return other.kind == kind;
    };
    if (llvm::any_of(llvm::ArrayRef(model->networks).take_front(i), isSame))
      return runtime::failure(name, ": networks[", i,
                              "]: expected one network of kind '", network.kind,
                              "', got two");
  }
  return std::shared_ptr<const NetworkModel>(std::move(model));
}
