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
  /// Milliseconds of the chosen schedule, measured alone, or by the search if
  /// there was one; 0 if it was not measured.
  double milliseconds = 0;
  llvm::ArrayRef<tile::ScheduleField> fields;
  /// The trials; empty if the template was not searched.
  History history;
  /// The number of the equal template whose search is also that of this one.
  std::optional<size_t> sameAs;
  /// The faster schedule's measurement, of this template or the equal one.
  std::optional<Measurement> faster;
  /// A line of a schedule file, for all equal templates; empty if the chosen
  /// schedule stays, and of templates with `sameAs`.
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
  double tunedMilliseconds() const { return milliseconds * faster->ratio; }
  /// Its line in the table, up to the name, which callers may qualify.
  std::string row() const;
  /// The lines below that one: what the filters have removed, and the refusal.
  std::vector<std::string> notes() const;
};

/// The head of the table of templates.
extern const char *const tableHead;

/// The templates of a function, and the schedules that were found for them.
struct Tuned {
  std::string function;
  std::vector<TunedTemplate> templates;
  /// A line about each graph that was made of statistics.
  std::vector<std::string> graphs;
  bool isStopped = false;
  /// The number of templates to search: one of each key.
  size_t numToSearch = 0;
  /// The number of those that a search has begun with.
  size_t numSearched() const;
  /// The lines of all templates.
  std::string lines() const;
  /// A table of what became of the templates.
  std::string table() const;
  /// Whether anything was measured.
  bool isBegun() const;
};

/// Gives `module` the statistics of graphs and the gradients that the options
/// of `place` ask for, lowers it to templates, and leaves the graphs in
/// `place`. Errors are diagnostics; those of options set `kind`.
mlir::LogicalResult lower(mlir::ModuleOp module,
                          llvm::ArrayRef<NamedGraph> graphs, Place &place,
                          runtime::ErrorKind &kind);

/// Finds the function of `module`, which has the form that `lower` makes, and
/// completes the place: options behind templates, filters, threads, and on a
/// device graphs of statistics where it has none. They may take the budget, and
/// are stopped as a search is; `tune` then does nothing.
runtime::Error prepare(mlir::ModuleOp module, TuneOptions &options,
                       Place &place, Tuned &found);

/// Searches faster schedules of the templates of the function that `prepare`
/// has found. Templates share the budget by their times; each runs alone on
/// what those before it leave. An error leaves what was found before it.
runtime::Error tune(mlir::ModuleOp module, const Place &place,
                    const TuneOptions &options, Tuned &found);

/// Searches by the times of a store, without a device and inputs. Each template
/// has the whole budget.
runtime::Error replay(mlir::ModuleOp module,
                      llvm::ArrayRef<StoredMeasurement> stored,
                      const CompileOptions &compile, const TuneOptions &options,
                      Tuned &found);

/// The features of a store's schedules of one cell, for the training of models:
/// a line of JSON for each template that the store has measurements of. A line
/// has `names`, `rows` of features (null if missing) and `schedules`, and for
/// each schedule `milliseconds`, `ratio` and `seconds`. With a model it also
/// has the `weights` of schedules, or `refusal`, the reason that the model does
/// not suit the template. Dropped schedules are left out. A list that
/// is stopped, as `found` then says, has no lines.
runtime::Expected<std::string>
listFeatures(mlir::ModuleOp module, llvm::ArrayRef<StoredMeasurement> stored,
             const CompileOptions &compile, const TuneOptions &options,
             Tuned &found);

} // namespace gnn::tune

#endif // GNN_TUNE_TUNE_H
