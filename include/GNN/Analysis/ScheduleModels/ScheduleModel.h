//===- ScheduleModel.h - Which schedules are likely fast --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_ANALYSIS_SCHEDULEMODELS_SCHEDULEMODEL_H
#define GNN_ANALYSIS_SCHEDULEMODELS_SCHEDULEMODEL_H

#include "GNN/Analysis/ScheduleModels/Features.h"

#include <memory>

namespace gnn::tune {

/// A trained model that weighs the schedules of one template.
class ScheduleModel {
public:
  virtual ~ScheduleModel();

  /// A number for each row: the less, the faster. Numbers of two tables are not
  /// compared. The error says why the model is not for this template.
  virtual runtime::Expected<std::vector<double>>
  weigh(const FeatureTable &table) const = 0;

  /// The model in a file: LightGBM's text, or networks as
  /// benchmarks/tuning/train_cost_model.py writes them. The error has the line
  /// that is wrong.
  static runtime::Expected<std::shared_ptr<const ScheduleModel>>
  load(const std::string &path);
  /// The model of a rule `ranked:FILE`, the syntax of the option
  /// `schedule-rule`.
  static runtime::Expected<std::shared_ptr<const ScheduleModel>>
  ofRule(llvm::StringRef rule);
  /// The same of a text; `name` is what errors begin with.
  static runtime::Expected<std::shared_ptr<const ScheduleModel>>
  parse(llvm::StringRef text, const std::string &name);
};

/// How a model is trained that is for schedules which another is not for, as
/// the end of an error.
inline constexpr llvm::StringLiteral howToTrain =
    "; benchmarks/tuning/retrain.py trains models (docs/TuningModels.md)";

/// The numbers of schedules, the least weight first; of equal ones in order.
std::vector<size_t> sortByWeight(llvm::ArrayRef<double> weights);

/// Whether a multiprocessor has room for a block of a schedule, by the estimate
/// of registers, or that is not known; else it is not launched.
bool haveRoom(const FeatureTable &table, size_t row);

/// The numbers of the schedules of a table, the likely fastest first. Those
/// whose blocks have no room are last. The error is the model's.
runtime::Expected<std::vector<size_t>>
orderSchedules(const ScheduleModel &model, const FeatureTable &table);

} // namespace gnn::tune

#endif // GNN_ANALYSIS_SCHEDULEMODELS_SCHEDULEMODEL_H
