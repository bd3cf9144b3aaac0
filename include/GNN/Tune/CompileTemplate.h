//===- CompileTemplate.h - One template with schedules ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TUNE_COMPILETEMPLATE_H
#define GNN_TUNE_COMPILETEMPLATE_H

#include "GNN/Analysis/ScheduleFilters.h"
#include "GNN/Runtime/BoundFunction.h"
#include "GNN/Target/CompileOptions.h"
#include "GNN/Tune/IsolatedTemplate.h"
#include "GNN/Tune/Measurer.h"
#include "GNN/Tune/Watchdog.h"

#include <limits>
#include <map>

namespace gnn::tune {

/// Where templates are compiled and run.
struct Place {
  /// Those of stages that are ahead of templates (`optionsBehindTemplates`).
  CompileOptions options;
  std::shared_ptr<runtime::Device> device;
  /// The graphs that functions declare, by the names of their declarations.
  std::map<std::string, std::shared_ptr<const runtime::Graph>> graphs;
  unsigned threads = 1;
  /// Filters that candidates have to pass before they are compiled.
  llvm::SmallVector<ScheduleFilter> filters = {};
  /// After which a candidate is given up.
  Patience patience = {};

  /// The graphs of a plan, in its order.
  runtime::Expected<std::vector<std::shared_ptr<const runtime::Graph>>>
  graphsOf(const runtime::FunctionPlan &plan) const;
};

/// A template that is compiled and bound.
struct Compiled {
  std::shared_ptr<const runtime::BoundFunction> bound;
  /// Why it could not be; empty where it is.
  std::string why;
  /// How long it took.
  double seconds = 0;
};

/// A template and the schedule that it is to have; fields may be open.
struct CompileJob {
  const IsolatedTemplate *alone = nullptr;
  Schedule schedule;
};

/// Compiles and binds templates, one after another on each of the threads.
/// Results are in the order of `jobs`. Where the compiler crashes, it says so
/// of that template, and goes on with others; it gives up one that takes more
/// than `seconds`.
std::vector<Compiled>
compileAll(llvm::ArrayRef<CompileJob> jobs, const Place &place,
           double seconds = std::numeric_limits<double>::infinity());

/// The schedule of a template with all fields open.
Schedule openSchedule(const IsolatedTemplate &alone);

/// The schedule with what the compiler's passes choose of open fields. The
/// error says which field cannot be honoured.
runtime::Expected<Schedule> completeSchedule(const IsolatedTemplate &alone,
                                             const Schedule &schedule,
                                             const CompileOptions &options);

/// The schedules of a template on its target. The error is that of the schedule
/// that the passes choose.
runtime::Expected<SearchSpace> listSpace(const IsolatedTemplate &alone,
                                         const CompileOptions &options);

/// Options for modules that have templates: without switches of the stages that
/// make these, and without files.
CompileOptions optionsBehindTemplates(const CompileOptions &options);

} // namespace gnn::tune

#endif // GNN_TUNE_COMPILETEMPLATE_H
