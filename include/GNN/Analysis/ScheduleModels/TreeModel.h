//===- TreeModel.h - Trees of LightGBM --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads what `Booster.save_model` writes, and computes the raw score, the bits
// that LightGBM's `predict(raw_score=True)` gives.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_ANALYSIS_SCHEDULEMODELS_TREEMODEL_H
#define GNN_ANALYSIS_SCHEDULEMODELS_TREEMODEL_H

#include "GNN/Analysis/ScheduleModels/ScheduleModel.h"

namespace gnn {

/// A sum of regression trees with numerical splits.
class TreeModel : public ScheduleModel {
public:
  /// Errors: a text that is no such model, with the line; categorical splits,
  /// linear leaves, averaged trees, several scores a row, numbers that are not
  /// finite, and features that no schedule has.
  static runtime::Expected<std::shared_ptr<const TreeModel>>
  parse(llvm::StringRef text, const std::string &name);

  const std::vector<std::string> &featureNames() const { return names; }

  /// The score of a row of `featureNames().size()` values; the higher, the
  /// earlier a ranker puts it.
  double score(llvm::ArrayRef<double> row) const;

  /// The scores, negated. A feature that the table does not have is missing; an
  /// error if its schedules set a field that the model does not know.
  runtime::Expected<std::vector<double>>
  weigh(const FeatureTable &table) const override;

private:
  friend class TreeReader;

  /// How a split takes values that are missing.
  enum class Missing { None, Zero, NaN };

  struct Split {
    size_t feature;
    double threshold;
    Missing missing;
    bool goesLeft; ///< where it is missing
    /// Below 0: leaf ~child.
    int left, right;
  };
  struct Tree {
    std::vector<Split> splits;
    std::vector<double> leaves;

    double score(llvm::ArrayRef<double> row) const;
  };

  std::string name;
  std::vector<std::string> names;
  std::vector<Tree> trees;
};

} // namespace gnn

#endif // GNN_ANALYSIS_SCHEDULEMODELS_TREEMODEL_H
