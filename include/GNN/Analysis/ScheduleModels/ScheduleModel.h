//===- ScheduleModel.h - Which schedules are likely fast --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_ANALYSIS_SCHEDULEMODELS_SCHEDULEMODEL_H
#define GNN_ANALYSIS_SCHEDULEMODELS_SCHEDULEMODEL_H

#include "GNN/Analysis/ScheduleModels/Features.h"

#include <memory>

namespace gnn {

/// A trained model that weighs the schedules of one template.
class ScheduleModel {
public:
  virtual ~ScheduleModel();

  /// Gives a number for each row; the smallest is the fastest. Numbers of two
  /// tables cannot be compared. The error is the reason that the model does not
  /// suit the template.
  virtual runtime::Expected<std::vector<double>>
  weigh(const FeatureTable &table) const = 0;

  /// Loads a model from a file: LightGBM's text, or networks of
  /// benchmarks/tuning/train_cost_model.py. The error has the line that is
  /// wrong.
  static runtime::Expected<std::shared_ptr<const ScheduleModel>>
  load(const std::string &path);
  /// Loads the model of a rule `ranked:FILE`, the syntax of the option
  /// `schedule-rule`.
  static runtime::Expected<std::shared_ptr<const ScheduleModel>>
  ofRule(llvm::StringRef rule);
  /// Parses the text of a model. Errors begin with `name`.
  static runtime::Expected<std::shared_ptr<const ScheduleModel>>
  parse(llvm::StringRef text, const std::string &name);
};

/// How a model is trained that is for schedules which another is not for, as
/// the end of an error.
inline constexpr llvm::StringLiteral howToTrain =
    "; benchmarks/tuning/retrain.py trains models (docs/TuningModels.md)";

/// The error of the model of that name where a weight is not finite, as huge
/// parameters make them: such weights have no order.
runtime::Error expectFinite(const std::string &name,
                            llvm::ArrayRef<double> weights);

/// The indices of schedules, the smallest weight first; equal weights keep
/// their order.
std::vector<size_t> sortByWeight(llvm::ArrayRef<double> weights);

/// Whether a multiprocessor has room for a block of a schedule, by the estimate
/// of registers. It is true if that is unknown. Without room the kernel cannot
/// be launched.
bool haveRoom(const FeatureTable &table, size_t row);

/// The indices of the schedules of a table, likely fastest first. Those whose
/// blocks have no room are last. The error is the model's.
runtime::Expected<std::vector<size_t>>
orderSchedules(const ScheduleModel &model, const FeatureTable &table);

} // namespace gnn

#endif // GNN_ANALYSIS_SCHEDULEMODELS_SCHEDULEMODEL_H
