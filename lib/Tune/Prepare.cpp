//===- Prepare.cpp - From a program to templates that are tuned -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Runtime/Seconds.h"
#include "GNN/Runtime/ThreadPool.h"
#include "GNN/Target/AttachGradients.h"
#include "GNN/Target/AttachStatistics.h"
#include "GNN/Target/Compile.h"
#include "GNN/Target/FindFunction.h"
#include "GNN/Tune/SyntheticGraph.h"
#include "GNN/Tune/Tune.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tune;
using runtime::Error;
using runtime::ErrorKind;

/// Whether a pipeline on modules has that pass on modules.
static bool hasPass(StringRef pipeline, StringRef name) {
  for (size_t at = 0; (at = pipeline.find(name, at)) != StringRef::npos; ++at) {
    StringRef before = pipeline.take_front(at).rtrim();
    StringRef after = pipeline.drop_front(at + name.size()).ltrim();
    if ((before.empty() || before.back() == ',') &&
        (after.empty() || StringRef(",{").contains(after.front())))
      return true;
  }
  return false;
}

/// Emits an error at passes that give templates schedules of a file or by a
/// model: those would be neither the rules', which all others are compared
/// with, nor a candidate's.
static LogicalResult checkStagePasses(ModuleOp module,
                                      const CompileOptions &options) {
  for (const std::string &text : options.stagePasses)
    for (StringRef name : {"gnn-tile-apply-schedules", "gnn-tile-apply-records",
                           "gnn-tile-rank-schedules"})
      if (hasPass(StringRef(text).split('=').second, name))
        return emitOptionError(module,
                               "stage-passes: expected no pass that takes "
                               "schedules of a file or by a model where "
                               "schedules are tuned, got '")
               << name << "'";
  return success();
}

LogicalResult gnn::tune::lower(ModuleOp module, ArrayRef<NamedGraph> graphs,
                               Place &place, ErrorKind &kind) {
  ErrorKind wrong = ErrorKind::Option;
  if (failed(attachStatistics(module, graphs, &wrong)) ||
      failed(attachGradients(module, place.options.gradients)) ||
      failed(checkOptions(module, place.options)) ||
      failed(checkStagePasses(module, place.options))) {
    kind = wrong;
    return failure();
  }
  place.graphs = mapGraphs(module, graphs);
  return lowerToTemplates(module, place.options, /*choosesSchedules=*/false);
}

/// Seconds that synthetic graphs may take even where the budget is less.
static constexpr double leastSecondsOfGraphs = 1;
/// Seconds of their making before progress is shown.
static constexpr double secondsWithoutProgress = 0.1;

Error gnn::tune::prepare(ModuleOp module, TuneOptions &options, Place &place,
                         Tuned &found) {
  auto function = findFunction(module, options.function);
  if (!function)
    return Error("function: " + llvm::toString(function.takeError()),
                 ErrorKind::Option);
  options.function = found.function = function->getName().str();
  place.options = optionsBehindTemplates(place.options);
  place.filters = options.filters;
  place.threads = options.threads.value_or(runtime::numThreads());
  if (!place.device)
    return {};
  SyntheticLimits limits;
  limits.maxBytes = options.maxBytes;
  limits.seconds = std::max(options.seconds, leastSecondsOfGraphs);
  limits.isStopped = [&] {
    Progress progress;
    progress.name = "synthetic graph";
    progress.done = std::min(options.elapsed() / options.seconds, 1.0);
    if (runtime::secondsSince(limits.begin) > secondsWithoutProgress)
      found.isStopped |= options.progress && options.progress(progress);
    return found.isStopped;
  };
  Error error = makeSyntheticGraphs(*function, options.seed, place.graphs,
                                    found.graphs, limits);
  return found.isStopped ? Error() : std::move(error);
}
