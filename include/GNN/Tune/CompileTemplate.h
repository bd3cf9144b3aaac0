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
  /// The options of the stages that remain after lowering to templates, as
  /// `optionsBehindTemplates` gives them.
  CompileOptions options;
  std::shared_ptr<runtime::Device> device;
  /// The graphs that functions declare, by the names of their declarations.
  std::map<std::string, std::shared_ptr<const runtime::Graph>> graphs;
  unsigned threads = 1;
  /// The filters that candidates must pass before they are compiled.
  llvm::SmallVector<ScheduleFilter> filters = {};
  /// After which a candidate is given up.
  Patience patience = {};
  /// Bytes of results that are compared before anything is timed. Larger ones
  /// are compared only if their candidate is faster.
  int64_t mostBytesToCheck = int64_t(256) << 20;

  /// The graph of a declaration; an error if nobody has given one.
  runtime::Expected<std::shared_ptr<const runtime::Graph>>
  graphOf(const std::string &name) const;
  /// The graphs of a plan, in its order.
  runtime::Expected<std::vector<std::shared_ptr<const runtime::Graph>>>
  graphsOf(const runtime::FunctionPlan &plan) const;
};

/// A template that is compiled and bound.
struct Compiled {
  std::shared_ptr<const runtime::BoundFunction> bound;
  /// The reason of a failure; empty on success.
  std::string why;
  /// How long it took.
  double seconds = 0;
};

/// A template and the schedule to compile it with. Fields may be open.
struct CompileJob {
  const IsolatedTemplate *alone = nullptr;
  Schedule schedule;
};

/// Compiles and binds templates on `place.threads` threads. Results are in the
/// order of `jobs`. A crash of the compiler is the failure of one template, and
/// the others are compiled.
std::vector<Compiled>
compileAll(llvm::ArrayRef<CompileJob> jobs, const Place &place,
           double seconds = std::numeric_limits<double>::infinity());

/// The schedule of a template with all fields open.
Schedule openSchedule(const IsolatedTemplate &alone);

/// The schedule of a template with these fields. The error says which it cannot
/// have.
runtime::Expected<Schedule> readSchedule(const IsolatedTemplate &alone,
                                         const tile::ScheduleFields &fields);

/// Completes a schedule: the compiler's passes choose its open fields. The
/// error names the field that cannot be honoured.
runtime::Expected<Schedule> completeSchedule(const IsolatedTemplate &alone,
                                             const Schedule &schedule,
                                             const CompileOptions &options);

/// The schedules of a template on its target. Errors are those of the schedule
/// that the passes choose.
runtime::Expected<SearchSpace> listSpace(const IsolatedTemplate &alone,
                                         const CompileOptions &options);

/// The name of the first kernel of each template of a function, with the
/// schedules that the compiler's passes choose: the name that it has in a run
/// of the whole function.
runtime::Expected<std::vector<std::string>>
nameKernels(mlir::ModuleOp module, llvm::StringRef function,
            const CompileOptions &options);

/// Options for modules that are lowered to templates: those of later stages,
/// without files.
CompileOptions optionsBehindTemplates(const CompileOptions &options);

} // namespace gnn::tune

#endif // GNN_TUNE_COMPILETEMPLATE_H
