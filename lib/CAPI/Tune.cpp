//===- Tune.cpp - C API of tuning -----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN-c/Tune.h"

#include "CAPIHandles.h"
#include "CompilerHandles.h"
#include "Work.h"

#include "GNN/OptionFiles/Inputs.h"
#include "GNN/OptionFiles/OptionFiles.h"
#include "GNN/Runtime/ThreadPool.h"
#include "GNN/Target/Compile.h"
#include "GNN/Target/FindFunction.h"
#include "GNN/Tune/SyntheticGraph.h"
#include "GNN/Tune/Tune.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace gnn;
using gnn::runtime::Error;
using gnn::runtime::ErrorKind;
using gnn::runtime::Expected;
using gnn::runtime::expectPointers;
using gnn::runtime::failure;
using gnn::runtime::guardedCall;
namespace json = llvm::json;

/// The seed of inputs that the caller leaves out.
static constexpr uint64_t inputSeed = 1;

static std::string listed(llvm::ArrayRef<int64_t> shape) {
  std::vector<std::string> sizes;
  for (int64_t size : shape)
    sizes.push_back(std::to_string(size));
  return "[" + llvm::join(sizes, ", ") + "]";
}

/// The bytes of an array for an input.
static Expected<std::string> readArray(const GnnArray &array,
                                       const runtime::TensorInfo &info) {
  llvm::ArrayRef<int64_t> shape(array.shape, array.rank);
  if (runtime::name(info.dtype) != llvm::StringRef(array.dtype) ||
      shape != llvm::ArrayRef(info.shape))
    return failure("input '", info.name, "': expected ",
                   runtime::name(info.dtype), listed(info.shape), ", got ",
                   array.dtype, listed(shape));
  return std::string(static_cast<const char *>(array.data), info.bytes);
}

/// The bytes of all inputs.
static Expected<std::vector<std::string>>
readInputs(llvm::ArrayRef<GnnArray> arrays,
           const std::vector<runtime::TensorInfo> &infos) {
  for (const GnnArray &array : arrays)
    if (llvm::none_of(
            infos, [&](const auto &info) { return info.name == array.name; }))
      return failure(
          "inputs: expected one of ",
          llvm::join(llvm::map_range(
                         infos, [](const auto &info) { return info.name; }),
                     ", "),
          "; got '", array.name, "'");
  std::vector<std::string> contents;
  for (auto [i, info] : llvm::enumerate(infos)) {
    const GnnArray *given = nullptr;
    for (const GnnArray &array : arrays)
      if (info.name == array.name)
        given = &array;
    if (!given && info.dtype != runtime::DataType::F32)
      return failure("expected the values of ", runtime::name(info.dtype),
                     " input '", info.name, "', got none");
    if (!given) {
      contents.push_back(run::randomValues(info, inputSeed, i));
      continue;
    }
    auto bytes = readArray(*given, info);
    if (!bytes)
      return bytes.takeError();
    contents.push_back(std::move(*bytes));
  }
  return contents;
}

/// What became of each template, and the synthetic graphs.
static std::string describe(const tune::Tuned &tuned,
                            llvm::ArrayRef<std::string> graphs) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  json::OStream out(stream);
  out.object([&] {
    out.attributeArray("schedules", [&] {
      for (const tune::TunedTemplate &one : tuned.templates)
        if (!one.line.empty())
          out.rawValue(llvm::StringRef(one.line).trim());
    });
    out.attributeArray("templates", [&] {
      for (const tune::TunedTemplate &one : tuned.templates)
        out.object([&] {
          out.attribute("number", int64_t(one.number));
          out.attribute("name", one.name);
          out.attribute("milliseconds", one.milliseconds);
          int64_t timed = one.timed();
          out.attribute("timed", timed);
          out.attributeObject("filtered", [&] {
            for (const auto &[filter, count] : one.filtered)
              out.attribute(filter, int64_t(count));
          });
          out.attribute("dropped", int64_t(one.history.trials.size()) - timed);
          if (!one.history.faster)
            return;
          const tune::Measurement &best = one.history.best().measured;
          out.attribute("tuned_milliseconds", one.tunedMilliseconds());
          out.attribute("ratio", best.ratio);
          out.attribute("spread", best.spread);
        });
    });
    out.attributeArray("graphs", [&] {
      for (const std::string &line : graphs)
        out.value(line);
    });
    out.attribute("stopped", tuned.isStopped);
    if (!tuned.broken.empty())
      out.attribute("broken", tuned.broken);
  });
  return text;
}

static tune::TuneOptions readSettings(const GnnTuneSettings &settings) {
  tune::TuneOptions options;
  auto text = [](const char *value) { return std::string(value ? value : ""); };
  options.function = text(settings.function);
  if (settings.number >= 0)
    options.number = settings.number;
  options.seconds = settings.seconds;
  if (settings.search)
    options.search = settings.search;
  options.seed = settings.seed;
  options.cell = text(settings.cell);
  options.records = text(settings.records);
  options.version = GNN_VERSION;
  if (settings.progress)
    options.progress = [&settings](const tune::Progress &progress) {
      return settings.progress(settings.context, progress.name.c_str(),
                               progress.timed, progress.dropped, progress.best,
                               progress.done);
    };
  return options;
}

GnnError *gnnTune(const char *text, size_t size, const char *name,
                  const GnnCompileOptions *given,
                  const GnnTuneSettings *settings, const GnnArray *inputs,
                  int64_t numInputs, GnnDevice *device, char **result) {
  return guardedCall("tune", [&]() -> Error {
    if (Error error = expectPointers(
            "text, name, options, settings, a device and a result", text, name,
            given, settings, device, result))
      return error;
    llvm::ArrayRef<GnnArray> arrays(inputs, numInputs);
    tune::TuneOptions options = readSettings(*settings);
    options.inputs = [&](const std::vector<runtime::TensorInfo> &infos,
                         const runtime::FunctionPlan &) {
      return readInputs(arrays, infos);
    };
    tune::Store store(settings->store ? settings->store : "");
    if (settings->store) {
      if (Error error = store.check())
        return error.in("store");
      options.store = &store;
    }
    if (!options.records.empty())
      if (Error error = appendLine(options.records, ""))
        return error.in("records");
    tune::Place place;
    auto filters = tile::parseScheduleFilters(
        settings->filters ? settings->filters : "registers");
    if (!filters)
      return filters.takeError().in("filters");
    place.filters = std::move(*filters);
    place.device = device->value;
    place.threads =
        settings->threads > 0 ? settings->threads : runtime::numThreads();
    CompileOptions compile = given->value;
    compile.keepIR = compile.target != "cuda";
    Error failed;
    auto work = [&](mlir::ModuleOp module, capi::Outcome &outcome) {
      if (mlir::failed(checkOptions(module, compile))) {
        outcome.kind = ErrorKind::Option;
        return;
      }
      if (mlir::failed(
              lowerToTemplates(module, compile, /*choosesSchedules=*/false)))
        return;
      outcome.isDone = true; // what fails from here on is no diagnostic
      auto function = findFunction(module, options.function);
      if (!function) {
        failed = Error("function: " + llvm::toString(function.takeError()),
                       ErrorKind::Option);
        return;
      }
      options.function = function->getName().str();
      place.graphs = capi::nameGraphs(module, given->graphs);
      std::vector<std::string> lines;
      if (given->graphs.empty()) {
        auto made = tune::makeSyntheticGraphs(module, options.seed, lines);
        if (!made) {
          failed = made.takeError();
          return;
        }
        place.graphs = std::move(*made);
      }
      place.options = tune::optionsBehindTemplates(compile);
      auto tuned = tune::tune(module, place, options);
      if (!tuned)
        failed = tuned.takeError();
      else
        outcome.answer = describe(*tuned, lines);
    };
    auto outcome = std::make_unique<capi::Outcome>();
    capi::Request request{
        {text, size}, name, given->graphs, given->value.gradients, {}};
    if (Error error = capi::workOn(request, outcome, work))
      return error;
    if (failed)
      return failed;
    *result = runtime::copyString(outcome->answer);
    return {};
  });
}
