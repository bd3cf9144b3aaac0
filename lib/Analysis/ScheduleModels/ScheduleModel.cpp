//===- ScheduleModel.cpp - Which schedules are likely fast ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/ScheduleModels/ScheduleModel.h"

#include "GNN/Analysis/ScheduleModels/NetworkModel.h"
#include "GNN/Analysis/ScheduleModels/TreeModel.h"
#include "GNN/OptionFiles/OptionFiles.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <limits>

using namespace gnn;
using runtime::Expected;

ScheduleModel::~ScheduleModel() = default;

Expected<std::shared_ptr<const ScheduleModel>>
ScheduleModel::load(const std::string &path) {
  auto file = readInput(path);
  if (!file)
    return file.takeError();
  return parse((*file)->getBuffer(), path);
}

Expected<std::shared_ptr<const ScheduleModel>>
ScheduleModel::ofRule(llvm::StringRef rule) {
  llvm::StringRef path = rule;
  if (!path.consume_front("ranked:") || path.empty())
    return runtime::failure("expected rule or ranked:FILE, got '", rule.str(),
                            "'");
  return load(path.str());
}

Expected<std::shared_ptr<const ScheduleModel>>
ScheduleModel::parse(llvm::StringRef text, const std::string &name) {
  auto widen =
      [](auto model) -> Expected<std::shared_ptr<const ScheduleModel>> {
    if (!model)
      return model.takeError();
    return std::shared_ptr<const ScheduleModel>(std::move(*model));
  };
  if (text.ltrim().starts_with("{"))
    return widen(NetworkModel::parse(text, name));
  return widen(TreeModel::parse(text, name));
}

runtime::Error gnn::expectFinite(const std::string &name,
                                 llvm::ArrayRef<double> weights) {
  for (double weight : weights)
    if (!std::isfinite(weight))
      return runtime::failure(name,
                              ": expected finite costs of schedules, got ",
                              weight, ": are its parameters too large?");
  return {};
}

std::vector<size_t> gnn::sortByWeight(llvm::ArrayRef<double> weights) {
  std::vector<std::pair<double, size_t>> sorted;
  for (auto [i, weight] : llvm::enumerate(weights))
    sorted.push_back(
        {std::isnan(weight) ? std::numeric_limits<double>::infinity() : weight,
         i});
  llvm::sort(sorted);
  std::vector<size_t> order;
  for (auto [weight, i] : sorted)
    order.push_back(i);
  return order;
}

bool gnn::haveRoom(const FeatureTable &table, size_t row) {
  auto blocks = table.find("layout.resident_blocks");
  return !blocks || table.rows[row][*blocks] != 0;
}

Expected<std::vector<size_t>> gnn::orderSchedules(const ScheduleModel &model,
                                                  const FeatureTable &table) {
  auto weights = model.weigh(table);
  if (!weights)
    return weights.takeError();
  for (auto [row, weight] : llvm::enumerate(*weights))
    if (!haveRoom(table, row))
      weight = std::numeric_limits<double>::infinity();
  return sortByWeight(*weights);
}
