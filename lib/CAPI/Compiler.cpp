//===- Compiler.cpp - C API of the compiler -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN-c/Compiler.h"

#include "CAPIHandles.h"
#include "CompilerHandles.h"
#include "Work.h"

#include "GNN/Analysis/TargetBackend.h"
#include "GNN/CPU/Compile.h"
#include "GNN/Emulator/EmulatorDevice.h"
#include "GNN/Plugins.h"
#include "GNN/Runtime/ThreadPool.h"
#include "GNN/Target/Backends.h"
#include "GNN/Target/Compile.h"
#include "GNN/Target/Explain.h"
#include "GNN/Transforms/Schedules/FilterSchedules.h"

#include "llvm/ADT/StringExtras.h"

using namespace gnn;
using gnn::runtime::Error;
using gnn::runtime::ErrorKind;
using gnn::runtime::expectPointers;
using gnn::runtime::failure;
using gnn::runtime::guardedCall;

/// The outcome of work, on success and on failure.
using capi::Outcome;

/// Works on a program; an error where that leaves it undone.
static Error workOn(llvm::StringRef text, const char *name,
                    const GnnCompileOptions &options, bool canReproduce,
                    std::unique_ptr<Outcome> &outcome, capi::Work work) {
  capi::Request request{text, name, options.graphs, options.value.gradients,
                        canReproduce ? llvm::StringRef(options.reproducer)
                                     : llvm::StringRef()};
  return capi::workOn(request, outcome, work);
}

const char *gnnCompilerVersion(void) {
  return GNN_VERSION " (MLIR " LLVM_VERSION_STRING ")";
}

GnnError *gnnLoadPlugin(const char *path) {
  return guardedCall("load plugin", [&]() -> Error {
    if (Error error = expectPointers("a path", path))
      return error;
    if (llvm::Error error = loadPlugin(path))
      return Error(llvm::toString(std::move(error)));
    return {};
  });
}

GnnError *gnnCompileOptionsCreate(GnnCompileOptions **options) {
  return guardedCall("options", [&]() -> Error {
    if (Error error = expectPointers("a result", options))
      return error;
    *options = new GnnCompileOptions;
    return {};
  });
}

void gnnCompileOptionsDestroy(GnnCompileOptions *options) { delete options; }

GnnError *gnnCompileOptionsSet(GnnCompileOptions *options, const char *name,
                               const char *value) {
  return guardedCall("options", [&]() -> Error {
    if (Error error =
            expectPointers("options, a name and a value", options, name, value))
      return error;
    if (llvm::StringRef(name) == "reproducer")
      options->reproducer = value;
    else if (llvm::Error error = options->value.set(name, value))
      return Error(llvm::toString(std::move(error)), ErrorKind::Option);
    return {};
  });
}

GnnError *gnnCompileOptionsAddGraph(GnnCompileOptions *options,
                                    const char *declaration,
                                    const GnnGraph *graph) {
  return guardedCall("options", [&]() -> Error {
    if (Error error =
            expectPointers("options, the name of a declaration and a graph",
                           options, declaration, graph))
      return error;
    options->graphs.push_back({declaration, graph->value});
    return {};
  });
}

/// With as many threads as the process has.
static CompileOptions readOptions(const GnnCompileOptions &options) {
  CompileOptions given = options.value;
  given.threads = runtime::numThreads();
  given.graphs = options.graphs;
  return given;
}

/// Whether a module takes options; if not, the failure is one of options.
static bool takesOptions(mlir::ModuleOp module, const CompileOptions &given,
                         Outcome &result) {
  if (mlir::succeeded(checkOptions(module, given)))
    return true;
  result.kind = ErrorKind::Option;
  return false;
}

GnnError *gnnCompile(const char *text, size_t size, const char *name,
                     const GnnCompileOptions *options, GnnPackage **package) {
  return guardedCall("compile", [&]() -> Error {
    if (Error error = expectPointers("text, name, options and a result", text,
                                     name, options, package))
      return error;
    CompileOptions given = readOptions(*options);
    auto outcome = std::make_unique<Outcome>();
    auto work = [&](mlir::ModuleOp module, Outcome &result) {
      if (!takesOptions(module, given, result))
        return;
      result.pipeline = compilePipeline(module, given);
      auto made = compileToPackage(module, given);
      result.isDone = mlir::succeeded(made);
      if (result.isDone)
        result.package = std::move(*made);
    };
    if (Error error = workOn({text, size}, name, *options,
                             /*canReproduce=*/true, outcome, work))
      return error;
    *package = runtime::wrap(std::move(outcome->package));
    return {};
  });
}

GnnError *gnnExplain(const char *text, size_t size, const char *name,
                     const GnnCompileOptions *options, GnnExplanationForm form,
                     char **explanation) {
  return guardedCall("explain", [&]() -> Error {
    if (Error error = expectPointers("text, name, options and a result", text,
                                     name, options, explanation))
      return error;
    if (form < GNN_EXPLANATION_TEXT || form > GNN_EXPLANATION_HTML)
      return runtime::failure("expected a GnnExplanationForm, got ",
                              static_cast<int>(form));
    const CompileOptions &given = options->value;
    auto outcome = std::make_unique<Outcome>();
    auto work = [&](mlir::ModuleOp module, Outcome &result) {
      if (!takesOptions(module, given, result))
        return;
      auto found = explain(module, given);
      result.isDone = mlir::succeeded(found);
      if (!result.isDone)
        return;
      llvm::raw_string_ostream stream(result.answer);
      auto *print = form == GNN_EXPLANATION_HTML  ? printHtml
                    : form == GNN_EXPLANATION_DOT ? printDot
                                                  : printText;
      print(*found, stream);
    };
    if (Error error = workOn({text, size}, name, *options,
                             /*canReproduce=*/false, outcome, work))
      return error;
    *explanation = runtime::copyString(outcome->answer);
    return {};
  });
}

GnnError *gnnListSchedules(const char *text, size_t size, const char *name,
                           const GnnCompileOptions *options, const char *vary,
                           const char *filters, char **lines) {
  return guardedCall("list schedules", [&]() -> Error {
    if (Error error = expectPointers("text, name, options and a result", text,
                                     name, options, lines))
      return error;
    std::vector<std::string> fields;
    if (llvm::StringRef names(vary ? vary : ""); !names.trim().empty())
      for (llvm::StringRef field : llvm::split(names, ','))
        fields.push_back(field.trim().str());
    auto names = tile::parseScheduleFilters(filters ? filters : "");
    if (!names)
      return names.takeError().in("filters");
    CompileOptions given = readOptions(*options);
    auto outcome = std::make_unique<Outcome>();
    auto work = [&](mlir::ModuleOp module, Outcome &result) {
      if (!takesOptions(module, given, result))
        return;
      auto graphs = mapGraphs(module, options->graphs);
      ScheduleFilters filtering{*names, [&](llvm::StringRef name) {
                                  auto found = graphs.find(name.str());
                                  return found == graphs.end() ? nullptr
                                                               : found->second;
                                }};
      auto found = listSchedules(module, given, fields, filtering);
      result.isDone = mlir::succeeded(found);
      if (result.isDone)
        result.answer = std::move(*found);
    };
    if (Error error = workOn({text, size}, name, *options,
                             /*canReproduce=*/false, outcome, work))
      return error;
    *lines = runtime::copyString(outcome->answer);
    return {};
  });
}

GnnError *gnnDeviceOpenEmulator(bool checked, int64_t seed,
                                GnnDevice **device) {
  return guardedCall("emulator", [&]() -> Error {
    if (Error error = expectPointers("a result", device))
      return error;
    if (seed < -1)
      return failure("expected a seed of 0 or more, or -1, got ", seed);
    emulator::DeviceOptions options;
    options.kernels.checked = checked;
    if (seed >= 0)
      options.seed = seed;
    *device = runtime::wrap(emulator::createDevice(std::move(options)));
    return {};
  });
}

GnnError *gnnListTargets(char **kinds) {
  return guardedCall("targets", [&]() -> Error {
    if (Error error = expectPointers("a result", kinds))
      return error;
    registerBackends();
    *kinds = runtime::copyString(
        llvm::join(llvm::map_range(listBackends(),
                                   [](const TargetBackend *backend) {
                                     return backend->getKind();
                                   }),
                   ","));
    return {};
  });
}

GnnError *gnnDeviceOpen(const char *target, GnnDevice **device) {
  return guardedCall("device", [&]() -> Error {
    if (Error error = expectPointers("a target and a result", target, device))
      return error;
    registerBackends();
    auto backend = findBackend(target);
    if (!backend)
      return Error(llvm::toString(backend.takeError()));
    auto opened = (*backend)->openDevice();
    if (!opened)
      return opened.takeError();
    *device = runtime::wrap(std::move(*opened));
    return {};
  });
}

runtime::Expected<std::unique_ptr<runtime::CodeImage>>
gnn::runtime::compileKernels(const std::string &image) {
  return cpu::compileKernels(image);
}
