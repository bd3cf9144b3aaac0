//===- NetworkModel.h - Learned costs of traversals -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost model of G-Sparse (III-D, figure 9): logarithms, batch
// normalization, three dense layers, and a normalization.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_ANALYSIS_SCHEDULEMODELS_NETWORKMODEL_H
#define GNN_ANALYSIS_SCHEDULEMODELS_NETWORKMODEL_H

#include "GNN/Analysis/ScheduleModels/ScheduleModel.h"

namespace gnn {

/// A network for each of two kinds of traversals: "g-spmm" for those that
/// reduce elements, "g-sddmm" for those that reduce the features of each
/// element.
class NetworkModel : public ScheduleModel {
public:
  /// Errors: a text that is no JSON, with the line; with their place sizes that
  /// do not fit, numbers that are not finite, other kinds of networks, and
  /// features that no schedule has.
  static runtime::Expected<std::shared_ptr<const NetworkModel>>
  parse(llvm::StringRef text, const std::string &name);

  /// The costs of all rows, normalized to mean 0 and variance 1 among them.
  /// Errors: a template that the model has no network for, a feature that its
  /// schedules do not have.
  runtime::Expected<std::vector<double>>
  weigh(const FeatureTable &table) const override;

  /// A layer: the weights and the bias of each output.
  struct Layer {
    std::vector<std::vector<double>> weights;
    std::vector<double> biases;
  };
  struct Network {
    std::string kind;
    std::vector<std::string> features;
    /// The network takes the logarithm of a feature plus this number. A missing
    /// or negative feature counts as 0.
    double offset = 0;
    /// The numbers of the batch normalization.
    std::vector<double> mean, variance, scale, shift;
    double epsilon = 0;
    std::vector<Layer> layers;

    double cost(llvm::ArrayRef<double> values) const;
  };

private:
  std::vector<Network> networks;
  std::string name;
};

} // namespace gnn

#endif // GNN_ANALYSIS_SCHEDULEMODELS_NETWORKMODEL_H
