//===- Features.h - Schedules as rows of numbers ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers of Features.def for the schedules of one template, which models
// are trained on and asked about.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_ANALYSIS_SCHEDULEMODELS_FEATURES_H
#define GNN_ANALYSIS_SCHEDULEMODELS_FEATURES_H

#include "GNN/Analysis/ScheduleModels/SearchSpace.h"

#include <optional>

namespace gnn {

/// A row for each schedule, of one number for each name.
struct FeatureTable {
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;

  /// The index of the column with a name, or none.
  std::optional<size_t> find(llvm::StringRef name) const;
};

/// The beginning of the names of fields in tables and models.
inline constexpr llvm::StringLiteral fieldPrefix = "field.";

/// Whether tables may have a feature of that name: one of Features.def, or a
/// field of the schedules of this tree or of a registered target.
bool isFeature(llvm::StringRef name);

/// The features of the schedules of `op`, which are of kind `kind`, by the
/// statistics of its graph. An open field is 0.
FeatureTable computeFeatures(tile::TileOpInterface op,
                             tile::ScheduleInterface kind,
                             llvm::ArrayRef<ListedSchedule> schedules);

} // namespace gnn

#endif // GNN_ANALYSIS_SCHEDULEMODELS_FEATURES_H
