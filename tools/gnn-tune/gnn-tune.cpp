//===- gnn-tune.cpp - Faster schedules of a function ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a module up to templates, binds a graph, and measures schedules of
// each template on a GPU or the CPU.
//
//===----------------------------------------------------------------------===//

#include "../ToolMain.h"

#include "GNN/Analysis/TargetBackend.h"
#include "GNN/Analysis/Targets.h"
#include "GNN/InitDialects.h"
#include "GNN/OptionFiles/Inputs.h"
#include "GNN/OptionFiles/OptionFiles.h"
#include "GNN/Plugins.h"
#include "GNN/Runtime/CUDA.h"
#include "GNN/Target/AttachGradients.h"
#include "GNN/Target/Backends.h"
#include "GNN/Target/Compile.h"
#include "GNN/Target/FindFunction.h"
#include "GNN/Target/NameGraphs.h"
#include "GNN/Tune/Search.h"
#include "GNN/Tune/Tune.h"
#include "GNN/Version.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SourceMgr.h"

#include <csignal>

using namespace llvm;
using namespace gnn;

namespace {
/// The options, made when the tool runs: the library of a static build, which
/// has the code of several tools, has none when it is loaded.
struct Options : run::ModuleOptions {
  Options() : ModuleOptions("gnn-tune options") {
    weights.setInitialValue("random:1");
    graphFiles.setDescription("Graph file, one a graph of the function; by "
                              "default graphs are made of "
                              "the statistics in their declarations");
  }

  cl::opt<std::string> op{
      "op",
      cl::desc("The number of the one template to tune, from "
               "0; by default all, by their times"),
      cl::value_desc("N"), cl::cat(category)};
  cl::opt<std::string> budget{
      "budget",
      cl::desc("Time that all of it may take, compilation with it: 500ms, 5s, "
               "2m (default 5s)"),
      cl::value_desc("TIME"), cl::cat(category)};
  cl::opt<std::string> out{
      "out",
      cl::desc("Write the schedules that are faster than those chosen there, "
               "for --schedules of gnn-run (docs/Schedules.md)"),
      cl::value_desc("FILE.jsonl"), cl::cat(category)};
  cl::opt<std::string> store{
      "store", cl::desc("Add all measurements there (docs/Tuning.md)"),
      cl::value_desc("FILE.jsonl"), cl::cat(category)};
  cl::opt<std::string> records{
      "records",
      cl::desc("Add records of what is found there, for --records of gnn-run: "
               "they serve other functions and graphs alike (docs/Tuning.md)"),
      cl::value_desc("FILE.jsonl"), cl::cat(category)};
  cl::opt<std::string> replay{
      "replay",
      cl::desc("Take times from that store in place of a device, so that "
               "searches are compared; --target says what for"),
      cl::value_desc("FILE.jsonl"), cl::cat(category)};
  cl::opt<std::string> cell{
      "cell",
      cl::desc("The name of these measurements in the store; by default the "
               "files and the function"),
      cl::value_desc("NAME"), cl::cat(category)};
  const std::string searches =
      "How schedules are found: " + tune::listSearches() +
      "; by default the first (docs/Tuning.md)";
  cl::opt<std::string> search{"search", cl::desc(searches),
                              cl::value_desc("NAME"), cl::cat(category)};
  cl::opt<std::string> filter{
      "filter",
      cl::desc("Leave candidates out before they are compiled: registers "
               "(default), utilization, balance, with commas between "
               "(docs/Schedules.md); empty: none"),
      cl::value_desc("NAMES"), cl::cat(category)};
  cl::opt<std::string> model{
      "model",
      cl::desc("The trained model that the search asks: trees of LightGBM, or "
               "networks"),
      cl::value_desc("FILE"), cl::cat(category)};
  cl::opt<std::string> trace{
      "trace",
      cl::desc("Write there what was measured when: a line of JSON for each "
               "schedule, in order"),
      cl::value_desc("FILE.jsonl"), cl::cat(category)};
  cl::opt<std::string> features{
      "features",
      cl::desc("Write the features of what --replay has there, to train "
               "models, with what --model says of each, and tune nothing"),
      cl::value_desc("FILE.jsonl"), cl::cat(category)};
  cl::opt<std::string> seed{"seed", cl::desc("Of a search that draws numbers"),
                            cl::value_desc("N"), cl::cat(category)};
  cl::opt<std::string> jobs{
      "jobs",
      cl::desc("Threads that compile; by default as many as there are cores"),
      cl::value_desc("N"), cl::cat(category)};
  CompileFlags flags{category, "tune", {}};
};
} // namespace

static Options *given = nullptr;
static volatile std::sig_atomic_t isInterrupted = 0;

/// The first Ctrl-C ends the search, a second one the process.
static void interrupt(int signal) {
  isInterrupted = 1;
  std::signal(signal, SIG_DFL);
}

static int fail(const Twine &message) {
  return tools::fail("gnn-tune", message);
}

/// Shows how far the search is, on one line of a terminal.
static bool showProgress(const tune::Progress &progress) {
  if (sys::Process::StandardErrIsDisplayed()) {
    constexpr unsigned width = 20;
    unsigned full = progress.done * width;
    errs() << formatv("\r[{0}{1}] template {2} of {3}: {4} measured, {5} "
                      "dropped, best {6:f2} of the chosen time ",
                      std::string(full, '#'), std::string(width - full, '.'),
                      progress.number + 1, progress.count, progress.timed,
                      progress.dropped, progress.best);
  }
  return isInterrupted;
}

static void endProgress() {
  if (sys::Process::StandardErrIsDisplayed())
    errs() << "\r" << std::string(90, ' ') << "\r";
}

/// What became of each template.
static void printSummary(const tune::Tuned &tuned) {
  outs() << formatv("{0,9}  {1,9}  {2,6}  {3,8}  {4,7}  template\n",
                    "ms chosen", "ms tuned", "ratio", "measured", "dropped");
  for (const tune::TunedTemplate &one : tuned.templates) {
    size_t timed = one.timed();
    std::string chosen = formatv("{0:f4}", one.milliseconds), fastest = "-",
                ratio = "-";
    if (one.history.faster) {
      fastest = formatv("{0:f4}", one.tunedMilliseconds());
      ratio = formatv("{0:f2}", one.history.best().measured.ratio);
    }
    outs() << formatv("{0,9}  {1,9}  {2,6}  {3,8}  {4,7}  {5}\n", chosen,
                      fastest, ratio, timed, one.history.trials.size() - timed,
                      one.name);
    std::string filtered;
    for (const auto &[name, count] : one.filtered)
      if (count)
        filtered +=
            formatv("{0}{1} {2}", filtered.empty() ? "" : ", ", count, name)
                .str();
    if (!filtered.empty())
      outs() << "           not compiled, by filters: " << filtered << "\n";
    if (!one.refusal.empty())
      outs() << "           not searched: " << one.refusal << "\n";
  }
}

/// All trials in order, a line each: seconds since the search of its template
/// began, and what it found.
static std::string describeTrials(const tune::Tuned &tuned) {
  std::string text;
  raw_string_ostream stream(text);
  for (const tune::TunedTemplate &one : tuned.templates) {
    tune::SearchSpace space;
    space.fields = one.fields;
    for (const tune::Trial &trial : one.history.trials) {
      json::OStream out(stream);
      out.object([&] {
        out.attribute("number", int64_t(one.number));
        out.attribute("at", trial.at);
        out.attribute("schedule", space.str(trial.schedule));
        if (trial.measured.isTimed())
          out.attribute("ratio", trial.measured.ratio);
        else
          out.attribute("dropped", trial.measured.dropped);
      });
      stream << "\n";
    }
  }
  return text;
}

namespace {
/// A tuning run, step by step.
class Run {
public:
  int run();

private:
  runtime::Error checkArguments();
  runtime::Error setOptions();
  runtime::Error openDevice();
  runtime::Error loadGraphs();
  bool compile();
  runtime::Expected<std::vector<std::string>>
  readInputs(const std::vector<runtime::TensorInfo> &infos,
             const runtime::FunctionPlan &plan) const;
  int listFeatures() const;
  int write(const tune::Tuned &tuned) const;
  int tuneFunction();

  tune::TuneOptions options;
  std::vector<tune::StoredMeasurement> stored;
  std::vector<run::LoadedGraph> loaded;
  tune::Place place;
  mlir::DialectRegistry registry;
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};
} // namespace

runtime::Error Run::checkArguments() {
  bool isListing = !given->features.empty();
  if (given->file.empty() || (given->out.empty() && !isListing))
    return runtime::failure("expected FILE.mlir and --out FILE.jsonl");
  if (runtime::Error error =
          expectDistinct({{"FILE.mlir", given->file.getValue(), false},
                          {"--replay", given->replay.getValue(), false},
                          {"--model", given->model.getValue(), false},
                          {"--out", given->out.getValue(), true},
                          {"--store", given->store.getValue(), true},
                          {"--records", given->records.getValue(), true},
                          {"--trace", given->trace.getValue(), true},
                          {"--features", given->features.getValue(), true}}))
    return error;
  if (isListing && given->replay.empty())
    return runtime::failure("--features: expected --replay with a store");
  if (runtime::Error error = setOptions())
    return error;
  if (given->filter.getNumOccurrences() && !given->replay.empty())
    return runtime::failure(
        "--filter: expected none with --replay, which compiles nothing");
  if (!given->store.empty() && !given->replay.empty())
    return runtime::failure(
        "--store: expected none with --replay, which measures nothing");
  if (runtime::Error error = given->checkWeights())
    return error;
  // It is tried before anything is measured.
  runtime::NewFile file;
  int status = given->out.empty() ? 0 : file.create(given->out, {""});
  if (status)
    return runtime::failure("--out: cannot write '", given->out.getValue(),
                            "': ", std::strerror(status));
  if (!given->replay.empty()) {
    auto lines = tune::readStore(given->replay);
    if (!lines)
      return lines.takeError().in("--replay");
    stored = std::move(*lines);
  }
  if (runtime::Error error = isListing ? options.loadModel() : options.open())
    return runtime::Error("--" + error.message());
  return {};
}

/// Takes what the flags of tuning say.
runtime::Error Run::setOptions() {
  const std::pair<const char *, const cl::opt<std::string> *> flags[] = {
      {"function", &given->function}, {"op", &given->op},
      {"budget", &given->budget},     {"search", &given->search},
      {"model", &given->model},       {"seed", &given->seed},
      {"filters", &given->filter},    {"threads", &given->jobs},
      {"store", &given->store},       {"cell", &given->cell},
      {"records", &given->records}};
  for (auto [name, flag] : flags)
    if (flag->getNumOccurrences())
      if (runtime::Error error =
              options.set(name, flag->getValue(), ("--" + flag->ArgStr).str()))
        return error;
  options.version = GNN_VERSION;
  options.maxBytes = given->maxBytes;
  options.progress = showProgress;
  options.inputs = [&](const auto &infos, const auto &plan) {
    return readInputs(infos, plan);
  };
  return {};
}

runtime::Error Run::openDevice() {
  for (const std::string &plugin : given->plugins)
    if (llvm::Error error = loadPlugin(plugin))
      return runtime::failure(toString(std::move(error)));
  registerBackends();
  std::string target = given->flags->target;
  place.options = *given->flags;
  place.options.target = target;
  if (!given->replay.empty())
    return {};
  if (target.empty())
    target = runtime::openCudaDevice() ? "cuda" : "cpu";
  if (target == "emulator")
    return runtime::failure(
        "the emulator has no times: expected target cuda or cpu");
  auto backend = findBackend(target);
  if (!backend)
    return runtime::failure("--target: ", toString(backend.takeError()));
  auto device = (*backend)->openDevice();
  if (!device)
    return device.takeError();
  place.device = *device;
  place.options.target = target;
  if (place.options.chip.empty())
    place.options.chip = (*device)->describeGPU();
  place.options.keepIR = target != "cuda";
  return {};
}

runtime::Error Run::loadGraphs() {
  for (const std::string &text : given->graphFiles) {
    auto graph = run::loadGraph(
        text, {given->inverses, given->selfLoops, false}, given->maxBytes);
    if (!graph)
      return graph.takeError();
    loaded.push_back(std::move(*graph));
  }
  return {};
}

/// Compiles the file up to templates; errors are diagnostics.
bool Run::compile() {
  registerDialects(registry);
  context = std::make_unique<mlir::MLIRContext>(registry);
  SourceMgr sources;
  auto buffer = readInput(given->file, given->maxBytes);
  if (!buffer) {
    fail(run::withOption(buffer.takeError()).message());
    return false;
  }
  sources.AddNewSourceBuffer(std::move(*buffer), SMLoc());
  mlir::SourceMgrDiagnosticHandler handler(sources, context.get());
  context->printOpOnDiagnostic(false);
  module = mlir::parseSourceFile<mlir::ModuleOp>(sources, context.get());
  if (!module)
    return false;
  if (options.function.empty()) {
    auto only = findFunction(*module);
    if (!only) {
      fail("--function: " + toString(only.takeError()));
      return false;
    }
    options.function = only->getName().str();
  }
  auto named = nameGraphs(*module, options.function, loaded);
  if (mlir::failed(named) || mlir::failed(attachStatistics(*module, *named)) ||
      mlir::failed(attachGradients(*module, given->flags->gradients)))
    return false;
  for (const NamedGraph &graph : *named)
    place.graphs[graph.name] = graph.graph;
  {
    mlir::ScopedDiagnosticHandler options(context.get(),
                                          [&](mlir::Diagnostic &error) {
                                            fail("--" + error.str());
                                            return mlir::success();
                                          });
    if (mlir::failed(checkOptions(*module, place.options)))
      return false;
  }
  return mlir::succeeded(lowerToTemplates(*module, place.options,
                                          /*choosesSchedules=*/false));
}

runtime::Expected<std::vector<std::string>>
Run::readInputs(const std::vector<runtime::TensorInfo> &infos,
                const runtime::FunctionPlan &plan) const {
  const runtime::GraphFile synthetic;
  run::Graphs graphs;
  if (!loaded.empty()) {
    auto picked = run::pickGraphs(plan.graphs, loaded);
    if (!picked)
      return picked.takeError();
    graphs = std::move(*picked);
  }
  std::vector<const runtime::GraphFile *> files;
  for (const runtime::TensorSpec &input : plan.inputs)
    files.push_back(input.graph < 0  ? nullptr
                    : loaded.empty() ? &synthetic
                                     : &graphs.files[input.graph]);
  std::vector<runtime::TensorInfo> read = infos;
  return run::loadInputs(read, files, *given);
}

/// Writes the features of a store.
int Run::listFeatures() const {
  auto text = tune::listFeatures(*module, stored, place.options, options);
  if (!text)
    return fail(text.takeError().message());
  if (runtime::Error error = writeOutput(given->features, *text))
    return fail("--features: " + error.message());
  return 0;
}

/// Writes what was found.
int Run::write(const tune::Tuned &tuned) const {
  if (runtime::Error error = writeOutput(given->out, tuned.lines()))
    return fail("--out: " + error.message());
  if (!given->trace.empty())
    if (runtime::Error error = writeOutput(given->trace, describeTrials(tuned)))
      return fail("--trace: " + error.message());
  printSummary(tuned);
  if (tuned.lines().empty())
    outs() << "no schedule is faster than the chosen ones; "
           << given->out.getValue() << " is empty\n";
  return 0;
}

int Run::tuneFunction() {
  tune::Tuned tuned;
  if (runtime::Error error = tune::prepare(*module, options, place, tuned))
    return fail((error.kind() == runtime::ErrorKind::Option ? "--" : "") +
                run::withOption(error).message());
  for (const std::string &line : tuned.graphs)
    outs() << line << "\n";
  if (options.cell.empty()) {
    for (const std::string &text : given->graphFiles)
      options.cell += text + " ";
    options.cell += options.function;
  }
  if (!given->features.empty())
    return listFeatures();
  std::signal(SIGINT, interrupt);
  runtime::Error failed =
      given->replay.empty()
          ? tune::tune(*module, place, options, tuned)
          : tune::replay(*module, stored, place.options, options, tuned);
  std::signal(SIGINT, SIG_DFL);
  endProgress();
  int status = failed && !tuned.isBegun() ? 0 : write(tuned);
  return failed ? fail(failed.message()) : status;
}

int Run::run() {
  for (auto step : {&Run::checkArguments, &Run::openDevice, &Run::loadGraphs})
    if (runtime::Error error = (this->*step)())
      return fail(error.message());
  return compile() ? tuneFunction() : 1;
}

GNN_TOOL_MAIN(int argc, char **argv) {
  InitLLVM initialize(argc, argv);
  Options all;
  given = &all;
  setVersionPrinter();
  cl::HideUnrelatedOptions(given->category);
  cl::ParseCommandLineOptions(argc, argv,
                              "Find faster schedules of a function\n");
  int status = Run().run();
  return tools::finish("gnn-tune", status);
}
