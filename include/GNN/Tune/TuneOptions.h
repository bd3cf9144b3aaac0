//===- TuneOptions.h - How to tune ------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TUNE_TUNEOPTIONS_H
#define GNN_TUNE_TUNEOPTIONS_H

#include "GNN/Analysis/ScheduleFilters.h"
#include "GNN/Analysis/ScheduleModels/ScheduleModel.h"
#include "GNN/OptionFiles/OptionFiles.h"
#include "GNN/Runtime/BoundFunction.h"
#include "GNN/Runtime/Files.h"
#include "GNN/Runtime/Seconds.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

namespace gnn::tune {

/// The state of a search, for who waits for it.
struct Progress {
  /// The template, and which of how many it is; of none while a synthetic graph
  /// is made.
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
  /// Empty: the one function there is.
  std::string function;
  /// The number of the one template to tune; none: all of them.
  std::optional<uint64_t> number;
  /// For all templates together, from `begin` on: the caller may have made
  /// graphs.
  double seconds = 5;
  std::chrono::steady_clock::time_point begin =
      std::chrono::steady_clock::now();
  /// The name of a search, and its seed.
  std::string search = "coordinate";
  uint64_t seed = 0;
  /// The file of the model that the search asks, which `open` loads.
  std::string modelFile;
  std::shared_ptr<const ScheduleModel> model;
  /// Filters that candidates have to pass before they are compiled.
  llvm::SmallVector<ScheduleFilter> filters = {ScheduleFilter::Registers};
  /// Threads that compile; none: as many as the process has.
  std::optional<uint64_t> threads;
  /// A file that gets all measurements; empty: none. `cell` names them.
  std::string store, cell;
  /// A file that gets records of what is found (GNN/Transforms/Schedules/
  /// Records.h); empty: none.
  std::string records;
  std::string version;
  /// The memory that graphs may take which are made of statistics.
  int64_t maxBytes = runtime::physicalMemory();
  /// Told of progress between batches; whether to stop.
  std::function<bool(const Progress &)> progress = {};
  /// The contents of the inputs, which the plan has alone and in this order.
  std::function<runtime::Expected<std::vector<std::string>>(
      const std::vector<runtime::TensorInfo> &, const runtime::FunctionPlan &)>
      inputs;

  /// The seconds since `begin`.
  double elapsed() const { return runtime::secondsSince(begin); }

  /// Sets one of function, op, budget, search, model, seed, filters, threads,
  /// store, cell and records. The error, which begins with the name or with
  /// `shown`, says which values there are.
  runtime::Error set(llvm::StringRef name, llvm::StringRef value,
                     llvm::StringRef shown = "");

  /// The files that are named; `prefix` comes before the name of each.
  std::vector<NamedFile> listFiles(const std::string &prefix = "") const;

  /// Loads the model, if there is one. The error begins with "model".
  runtime::Error loadModel();

  /// Loads the model, which a search has to ask, and tries the files that get
  /// something. The error begins with the name of the option.
  runtime::Error open();
};

} // namespace gnn::tune

#endif // GNN_TUNE_TUNEOPTIONS_H
