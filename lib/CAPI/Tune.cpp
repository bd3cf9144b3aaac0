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
#include "GNN/Tune/Tune.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace gnn;
using gnn::runtime::Error;
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
  const std::string name = "input '" + info.name + "'";
  if (Error error = runtime::expectBytes(name.c_str(), array.data, info.bytes,
                                         info.bytes))
    return error;
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
    for (const GnnArray &array : arrays) {
      if (info.name != array.name)
        continue;
      if (given)
        return failure("inputs: expected one array for each input, got several "
                       "for '",
                       info.name, "'");
      given = &array;
    }
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
static std::string describe(const tune::Tuned &tuned) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  json::OStream out(stream);
  out.object([&] {
    out.attributeArray("schedules", [&] {
      for (const tune::TunedTemplate &one : tuned.templates)
        if (!one.line.empty())
          out.rawValue(llvm::StringRef(one.line).trim());
    });
    out.attribute("head", tune::tableHead);
    out.attributeArray("templates", [&] {
      for (const tune::TunedTemplate &one : tuned.templates)
        out.object([&] {
          out.attribute("function", tuned.function);
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
          if (!one.refusal.empty())
            out.attribute("refusal", one.refusal);
          out.attribute("row", one.row());
          out.attributeArray("notes", [&] {
            for (const std::string &note : one.notes())
              out.value(note);
          });
          if (one.sameAs)
            out.attribute("same_as", int64_t(*one.sameAs));
          if (!one.faster)
            return;
          out.attribute("tuned_milliseconds", one.tunedMilliseconds());
          out.attribute("ratio", one.faster->ratio);
          out.attribute("spread", one.faster->spread);
        });
    });
    out.attributeArray("graphs", [&] {
      for (const std::string &line : tuned.graphs)
        out.value(line);
    });
    out.attribute("stopped", tuned.isStopped);
  });
  return text;
}

struct GnnTuneSettings {
  tune::TuneOptions value;
};

GnnError *gnnTuneSettingsCreate(GnnTuneSettings **settings) {
  return guardedCall("settings", [&]() -> Error {
    if (Error error = expectPointers("a result", settings))
      return error;
    *settings = new GnnTuneSettings;
    (*settings)->value.version = GNN_VERSION;
    return {};
  });
}

void gnnTuneSettingsDestroy(GnnTuneSettings *settings) { delete settings; }

GnnError *gnnTuneSettingsSet(GnnTuneSettings *settings, const char *name,
                             const char *value) {
  return guardedCall("settings", [&]() -> Error {
    if (Error error = expectPointers("settings, a name and a value", settings,
                                     name, value))
      return error;
    return settings->value.set(name, value);
  });
}

GnnError *gnnTuneSettingsSetProgress(GnnTuneSettings *settings,
                                     GnnTuneProgress progress, void *context) {
  return guardedCall("settings", [&]() -> Error {
    if (Error error = expectPointers("settings", settings))
      return error;
    settings->value.progress = nullptr;
    if (progress)
      settings->value.progress = [=](const tune::Progress &told) {
        return progress(context, told.name.c_str(), told.timed, told.dropped,
                        told.best, told.done);
      };
    return {};
  });
}

/// The arrays of a caller, whose names and shapes can be read.
static Expected<llvm::ArrayRef<GnnArray>> checkArrays(const GnnArray *arrays,
                                                      int64_t count) {
  if (count < 0 || (count > 0 && !arrays))
    return failure("inputs: expected as many arrays as numInputs says, got ",
                   arrays ? "" : "null and ", count);
  llvm::ArrayRef<GnnArray> all(arrays, count);
  for (auto [i, array] : llvm::enumerate(all))
    if (!array.name || !array.dtype || array.rank < 0 ||
        (array.rank > 0 && !array.shape))
      return failure("inputs: expected a name, a dtype and a shape of array ",
                     i, ", got null or a negative rank");
  return all;
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
    *result = nullptr;
    auto arrays = checkArrays(inputs, numInputs);
    if (!arrays)
      return arrays.takeError();
    tune::TuneOptions options = settings->value;
    options.begin = std::chrono::steady_clock::now();
    options.inputs = [&](const std::vector<runtime::TensorInfo> &infos,
                         const runtime::FunctionPlan &) {
      return readInputs(*arrays, infos);
    };
    if (Error error = options.open())
      return error;
    tune::Place place;
    place.device = device->value;
    place.options = given->value;
    place.options.keepIR = place.options.target != "cuda";
    Error failed;
    auto work = [&](mlir::ModuleOp module, capi::Outcome &outcome) {
      if (mlir::failed(tune::lower(module, given->graphs, place, outcome.kind)))
        return;
      outcome.isDone = true; // what fails from here on is no diagnostic
      tune::Tuned tuned;
      failed = tune::prepare(module, options, place, tuned);
      if (!failed)
        failed = tune::tune(module, place, options, tuned);
      if (!failed || tuned.isBegun())
        outcome.answer = describe(tuned);
    };
    auto outcome = std::make_unique<capi::Outcome>();
    capi::Request request{{text, size}, name, {}, {}, {}};
    if (Error error = capi::workOn(request, outcome, work))
      return error;
    if (!outcome->answer.empty())
      *result = runtime::copyString(outcome->answer);
    return failed;
  });
}
