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

/// The state of a search, for those who wait for it.
struct Progress {
  /// The template, its number, and the number of templates.
  std::string name;
  size_t number = 0, count = 0;
  /// The numbers of measured and of dropped schedules, and the least ratio.
  size_t timed = 0, dropped = 0;
  double best = 1;
  /// The share of the budget that is used.
  double done = 0;
};

/// How to tune.
struct TuneOptions {
  std::string function;
  /// The number of the one template to tune; none: all of them.
  std::optional<size_t> number;
  /// The budget of all templates together.
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
  /// Milliseconds of the chosen schedule, measured alone, or by the search if
  /// there was one.
  double milliseconds = 0;
  llvm::ArrayRef<tile::ScheduleField> fields;
  /// The trials; empty if the template was not searched.
  History history;
  /// A line of a schedule file; empty if the chosen schedule stays.
  std::string line;
  /// The reason that the template was not searched, if the model of the search
  /// does not suit it.
  std::string refusal;
  /// The filters, and the number of listed schedules that each has removed.
  SpaceFilter::Removed filtered;

  /// The number of measured schedules.
  size_t timed() const;
  /// Milliseconds of the faster schedule: those of the chosen one times the
  /// ratio, because clocks drift between measurements. Needs a faster schedule.
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

/// Searches by the times of a store, without a device and inputs. Each template
/// has the whole budget.
runtime::Expected<Tuned> replay(mlir::ModuleOp module,
                                llvm::ArrayRef<StoredMeasurement> stored,
                                const CompileOptions &compile,
                                const TuneOptions &options);

/// The features of a store's schedules of one cell, for the training of models:
/// a line of JSON for each template that the store has measurements of. A line
/// has `names`, `rows` of features (null if missing) and `schedules`, and for
/// each schedule `milliseconds`, `ratio` and `seconds`. With a model it also
/// has the `weights` of schedules, or `refusal`, the reason that the model does
/// not suit the template. Dropped schedules are left out.
runtime::Expected<std::string>
listFeatures(mlir::ModuleOp module, llvm::ArrayRef<StoredMeasurement> stored,
             const CompileOptions &compile, const TuneOptions &options);

} // namespace gnn::tune

#endif // GNN_TUNE_TUNE_H
