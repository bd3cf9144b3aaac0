//===- Tune.h - Faster schedules of a function ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TUNE_TUNE_H
#define GNN_TUNE_TUNE_H

#include "GNN/Tune/CompileTemplate.h"
#include "GNN/Tune/SpaceFilter.h"
#include "GNN/Tune/Store.h"
#include "GNN/Tune/TuneOptions.h"

namespace gnn::tune {

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

/// The templates of a function, and the schedules that were found for them.
struct Tuned {
  std::string function;
  std::vector<TunedTemplate> templates;
  /// A line about each graph that was made of statistics.
  std::vector<std::string> graphs;
  bool isStopped = false;
  /// The lines of all templates.
  std::string lines() const;
  /// Whether anything was measured.
  bool isBegun() const;
};

/// Finds the function of `module`, which has the form that `lowerToTemplates`
/// makes, and completes the place: options behind templates, filters, threads,
/// and on a device graphs of statistics where it has none.
runtime::Error prepare(mlir::ModuleOp module, TuneOptions &options,
                       Place &place, Tuned &found);

/// Searches faster schedules of the templates of the function that `prepare`
/// has found. Templates share the budget by their times; each runs alone on
/// what those before it leave. An error leaves what was found before it.
runtime::Error tune(mlir::ModuleOp module, const Place &place,
                    const TuneOptions &options, Tuned &found);

/// The same by times of a store, without a device and inputs. Each template has
/// the budget for itself.
runtime::Error replay(mlir::ModuleOp module,
                      llvm::ArrayRef<StoredMeasurement> stored,
                      const CompileOptions &compile, const TuneOptions &options,
                      Tuned &found);

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
