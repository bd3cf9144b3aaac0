//===- Tune.h - Faster schedules of a function ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TUNE_TUNE_H
#define GNN_TUNE_TUNE_H

#include "GNN/Tune/CompileTemplate.h"
#include "GNN/Tune/Models/ScheduleModel.h"
#include "GNN/Tune/SpaceFilter.h"
#include "GNN/Tune/Store.h"

namespace gnn::tune {

/// The state of a search, for who waits for it.
struct Progress {
  /// The template, and which of how many it is.
  std::string name;
  size_t number = 0, count = 0;
  /// Schedules that were measured, those that were dropped, and the least
  /// ratio.
  size_t timed = 0, dropped = 0;
  double best = 1;
  /// The part of the budget that is gone.
  double done = 0;
};

/// How to tune.
struct TuneOptions {
  std::string function;
  /// The number of the one template to tune; none: all of them.
  std::optional<size_t> number;
  /// For all templates together.
  double seconds = 5;
  /// The name of a search, and its seed.
  std::string search = "coordinate";
  uint64_t seed = 0;
  /// The model of searches that ask one.
  std::shared_ptr<const ScheduleModel> model;
  /// Gets all measurements, where it is given; `cell` names them.
  const Store *store = nullptr;
  std::string cell;
  /// A file that gets records of what is found (GNN/Transforms/Schedules/
  /// Records.h); empty: none.
  std::string records;
  std::string version;
  /// Told of progress between batches; whether to stop.
  std::function<bool(const Progress &)> progress = {};
  /// The contents of the inputs, which the plan has alone and in this order.
  std::function<runtime::Expected<std::vector<std::string>>(
      const std::vector<runtime::TensorInfo> &, const runtime::FunctionPlan &)>
      inputs;
};

/// One template of the function.
struct TunedTemplate {
  size_t number = 0;
  std::string name;
  /// Milliseconds as it was chosen, alone; of the search, if there was one.
  double milliseconds = 0;
  llvm::ArrayRef<tile::ScheduleField> fields;
  /// Empty where it was not searched.
  History history;
  /// A line of a schedule file; empty where the chosen schedule stays.
  std::string line;
  /// Why it was not searched, where the model of the search is not for it.
  std::string refusal;
  /// Filters, and how many listed schedules each has left out.
  SpaceFilter::Removed filtered;

  /// The schedules that were measured.
  size_t timed() const;
  /// Milliseconds of the faster schedule: those of the chosen one by its ratio,
  /// since clocks drift between measurements. Needs a faster schedule.
  double tunedMilliseconds() const {
    return milliseconds * history.best().measured.ratio;
  }
};

struct Tuned {
  std::vector<TunedTemplate> templates;
  bool isStopped = false;

  /// The lines of all templates.
  std::string lines() const;
};

/// Searches faster schedules of the templates of a function of `module`, which
/// has the form that `lowerToTemplates` makes. Templates share the budget by
/// their times; each runs alone on what those before it leave.
runtime::Expected<Tuned> tune(mlir::ModuleOp module, const Place &place,
                              const TuneOptions &options);

/// The same by times of a store, without a device and inputs. Each template has
/// the budget for itself.
runtime::Expected<Tuned> replay(mlir::ModuleOp module,
                                llvm::ArrayRef<StoredMeasurement> stored,
                                const CompileOptions &compile,
                                const TuneOptions &options);

/// The features of what a store has of a cell, for those who train models: a
/// line of JSON for each template that it has measurements of, with `names`,
/// `rows` of features (null where they are missing), `schedules`, and of each
/// `milliseconds`, `ratio` and `seconds`, and where there is a model its
/// `weights`, or why it is not for the template, `refusal`. Dropped ones are
/// left out.
runtime::Expected<std::string>
listFeatures(mlir::ModuleOp module, llvm::ArrayRef<StoredMeasurement> stored,
             const CompileOptions &compile, const TuneOptions &options);

} // namespace gnn::tune

#endif // GNN_TUNE_TUNE_H
