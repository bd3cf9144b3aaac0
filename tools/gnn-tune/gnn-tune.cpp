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
#include "GNN/Target/Backends.h"
#include "GNN/Target/FindFunction.h"
#include "GNN/Target/NameGraphs.h"
#include "GNN/Target/ParseProgram.h"
#include "GNN/Tune/Search.h"
#include "GNN/Tune/Tune.h"
#include "GNN/Version.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SourceMgr.h"

#include <chrono>
#include <csignal>
#include <cstdlib>

using namespace llvm;
using namespace gnn;

namespace {
/// The options, made when the tool runs: the library of a static build, which
/// has the code of several tools, has none when it is loaded.
struct Options : run::ModuleOptions {
  Options() : ModuleOptions("gnn-tune options") {
    weights.setInitialValue("random:1");
    graphFiles.setDescription(
        "A graph file, given once for each graph of the function; by default "
        "graphs are made from the statistics in their declarations");
    cl::getRegisteredOptions().lookup("target")->setDescription(
        "Target: cuda, cpu, or one of a plugin; by default a GPU if there is "
        "one, else cpu");
  }

  cl::opt<std::string> op{
      "op",
      cl::desc("Tune only the template with this number, from 0; by default "
               "all, which share the budget by their times"),
      cl::value_desc("N"), cl::cat(category)};
  cl::opt<std::string> budget{
      "budget",
      cl::desc("Limit of the time of the run, which includes compilation: "
               "500ms, 5s, 2m (default 5s)"),
      cl::value_desc("TIME"), cl::cat(category)};
  cl::opt<std::string> out{
      "out",
      cl::desc("Write the schedules that are faster than the chosen ones, for "
               "gnn-run --schedules (docs/Schedules.md)"),
      cl::value_desc("FILE.jsonl"), cl::cat(category)};
  cl::opt<std::string> store{
      "store", cl::desc("Add all measurements to a file (docs/Tuning.md)"),
      cl::value_desc("FILE.jsonl"), cl::cat(category)};
  cl::opt<std::string> records{
      "records",
      cl::desc("Add a record of each schedule that is found to a file, for "
               "gnn-run --records; records also apply to other functions and "
               "graphs (docs/Tuning.md)"),
      cl::value_desc("FILE.jsonl"), cl::cat(category)};
  cl::opt<std::string> replay{
      "replay",
      cl::desc("Take times from a store instead of a device, to compare "
               "searches; --target says which kind of target they are of"),
      cl::value_desc("FILE.jsonl"), cl::cat(category)};
  cl::opt<std::string> cell{
      "cell",
      cl::desc("Name of the measurements in the store; by default the graph "
               "files and the function"),
      cl::value_desc("NAME"), cl::cat(category)};
  const std::string searches =
      "How to search: " + tune::listSearches() +
      "; by default the first, the last three with --model "
      "(docs/TuningModels.md)";
  cl::opt<std::string> search{"search", cl::desc(searches),
                              cl::value_desc("NAME"), cl::cat(category)};
  cl::opt<std::string> filter{
      "filter",
      cl::desc("Filters that drop candidates before they are compiled, with "
               "commas between: registers (default), utilization, balance; "
               "empty: none (docs/Schedules.md)"),
      cl::value_desc("NAMES"), cl::cat(category)};
  cl::opt<std::string> model{
      "model",
      cl::desc("Trained model of the search: trees of LightGBM, or networks"),
      cl::value_desc("FILE"), cl::cat(category)};
  cl::opt<std::string> trace{
      "trace",
      cl::desc("Write all measurements in order, a line of JSON for each"),
      cl::value_desc("FILE.jsonl"), cl::cat(category)};
  cl::opt<std::string> features{
      "features",
      cl::desc(
          "Write the features of the schedules in the store of --replay, and "
          "the predictions of --model, to train models; nothing is tuned"),
      cl::value_desc("FILE.jsonl"), cl::cat(category)};
  cl::opt<std::string> seed{
      "seed",
      cl::desc("Seed of a search that draws random numbers, and of graphs that "
               "are made from statistics"),
      cl::value_desc("SEED"), cl::cat(category)};
  cl::opt<std::string> jobs{
      "jobs",
      cl::desc("Threads that compile, at most one for each core; by default "
               "OMP_NUM_THREADS, or else one for each core"),
      cl::value_desc("COUNT"), cl::cat(category)};
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

/// The same for an error, which may be about a flag.
static int fail(const runtime::Error &error) {
  bool isOfFlag = error.kind() == runtime::ErrorKind::Option;
  return fail((isOfFlag ? "--" : "") + error.message());
}

/// Shows how far the search is, on one line of a terminal.
static bool showProgress(const tune::Progress &progress) {
  if (sys::Process::StandardErrIsDisplayed()) {
    if (!progress.count) {
      errs() << "\rmaking a graph of the declared statistics ";
      return isInterrupted;
    }
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

/// All trials in order, a line each: seconds since the search of its template
/// began, and what it found.
static std::string describeTrials(const tune::Tuned &tuned) {
  std::string text;
  raw_string_ostream stream(text);
  for (const tune::TunedTemplate &one : tuned.templates) {
    SearchSpace space;
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
  runtime::Error checkFiles() const;
  static runtime::Error checkCombinations(bool isListing);
  runtime::Error openDevice();
  runtime::Error loadGraphs();
  bool compile();
  runtime::Expected<std::vector<std::string>>
  readInputs(const std::vector<runtime::TensorInfo> &infos,
             const runtime::FunctionPlan &plan) const;
  int listFeatures(tune::Tuned &found) const;
  int write(const tune::Tuned &tuned, bool isWhole) const;
  runtime::Error nameCell();
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

/// An error for an option that others leave no use for.
runtime::Error Run::checkCombinations(bool isListing) {
  auto refuse = [](const cl::Option &option, StringRef why) {
    return runtime::failure("--", option.ArgStr.str(), ": expected none with ",
                            why.str());
  };
  const cl::Option *ofDevices[] = {&given->filter, &given->store, &given->jobs,
                                   std::addressof(given->inputs),
                                   &given->weights};
  const cl::Option *ofSearches[] = {&given->out,     &given->trace,
                                    &given->records, &given->budget,
                                    &given->search,  &given->seed};
  for (const cl::Option *option : ofDevices)
    if (option->getNumOccurrences() && !given->replay.empty())
      return refuse(*option, "--replay, which neither compiles nor measures");
  for (const cl::Option *option : ofSearches)
    if (option->getNumOccurrences() && isListing)
      return refuse(*option, "--features, which searches nothing");
  if (!given->cell.empty() && given->store.empty() && given->replay.empty())
    return runtime::failure("--cell: expected --store or --replay, whose "
                            "measurements it names, got neither");
  return {};
}

runtime::Error Run::checkArguments() {
  if (runtime::Error error = given->check())
    return error;
  if (runtime::Error error = run::expectValues(
          {&given->out, &given->store, &given->records, &given->replay,
           &given->cell, &given->model, &given->trace, &given->features}))
    return error;
  for (const cl::opt<std::string> *option : {&given->store, &given->records})
    if (*option == "-")
      return runtime::failure("--", option->ArgStr.str(), ": expected ",
                              option->ValueStr.str(),
                              ", to which lines are added, got '-'");
  bool isListing = !given->features.empty();
  if (given->file.empty())
    return runtime::failure("expected FILE.mlir, got none");
  if (given->out.empty() && !isListing)
    return runtime::failure("--out: expected FILE.jsonl, got none");
  if (isListing && given->replay.empty())
    return runtime::failure("--features: expected --replay with a store");
  if (runtime::Error error = checkCombinations(isListing))
    return error;
  if (runtime::Error error = setOptions())
    return error;
  if (runtime::Error error = checkFiles())
    return error;
  // They are tried before anything is measured.
  for (const cl::opt<std::string> *option :
       {&given->out, &given->trace, &given->features}) {
    runtime::NewFile file;
    if (option->empty() || *option == "-")
      continue;
    if (int status = file.create(*option, {""}))
      return runtime::failure("--", option->ArgStr.str(), ": cannot write '",
                              option->getValue(), "': ", std::strerror(status));
  }
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

/// An error where a file would be lost by writing another.
runtime::Error Run::checkFiles() const {
  std::vector<NamedFile> files = given->listFiles();
  append_range(files, ArrayRef<NamedFile>{
                          {"--replay", given->replay.getValue(), false},
                          {"--out", given->out.getValue(), true},
                          {"--trace", given->trace.getValue(), true},
                          {"--features", given->features.getValue(), true}});
  append_range(files, options.listFiles("--"));
  return expectDistinct(files);
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
  options.begin = std::chrono::steady_clock::now();
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
  module = parseProgram(sources, context.get());
  if (!module)
    return false;
  auto failWith = [](llvm::Error error) {
    fail("--function: " + toString(std::move(error)));
    return false;
  };
  if (options.function.empty()) {
    auto only = findFunction(*module);
    if (!only)
      return failWith(only.takeError());
    options.function = only->getName().str();
  }
  std::vector<std::string> names = listGraphs(*module, options.function);
  auto named = nameGraphs(*module, options.function, loaded);
  if (mlir::failed(named))
    return false;
  std::vector<std::string> withoutPlace; // errors of options
  mlir::ScopedDiagnosticHandler keep(
      context.get(), [&](mlir::Diagnostic &error) {
        auto place = dyn_cast<mlir::FileLineColLoc>(error.getLocation());
        if (!place || place.getLine() > 0)
          return failure();
        withoutPlace.push_back(error.str());
        return success();
      });
  auto kind = runtime::ErrorKind::Program;
  if (mlir::failed(tune::lower(*module, *named, place, kind))) {
    for (const std::string &text : withoutPlace)
      fail((kind == runtime::ErrorKind::Option ? "--" : "") + text);
    return false;
  }
  if (auto function = findFunction(*module, options.function); !function)
    return failWith(function.takeError());
  if (loaded.empty())
    return true;
  auto found = run::findGraphs(names, loaded);
  if (!found)
    fail(found.message());
  return static_cast<bool>(found);
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
int Run::listFeatures(tune::Tuned &found) const {
  auto text =
      tune::listFeatures(*module, stored, place.options, options, found);
  endProgress();
  if (!text)
    return fail(text.takeError());
  if (found.isStopped) {
    outs() << "stopped by Ctrl-C; " << given->features.getValue()
           << " is not written\n";
    return 128 + SIGINT;
  }
  if (runtime::Error error = writeOutput(given->features, *text))
    return fail("--features: " + error.message());
  return 0;
}

/// Writes what was found; a search that is not `isWhole` and has found nothing,
/// or that has measured nothing, leaves an earlier file.
int Run::write(const tune::Tuned &tuned, bool isWhole) const {
  outs() << tuned.table();
  bool isKept = tuned.lines().empty() && !(isWhole && tuned.isBegun());
  if (!isKept)
    if (runtime::Error error = writeOutput(given->out, tuned.lines()))
      return fail("--out: " + error.message());
  if (!given->trace.empty())
    if (runtime::Error error = writeOutput(given->trace, describeTrials(tuned)))
      return fail("--trace: " + error.message());
  if (isKept)
    outs() << (isWhole ? "no time was left to measure: expected a larger "
                         "--budget; "
                       : "no faster schedule is found; ")
           << given->out.getValue() << " is not written\n";
  else if (tuned.lines().empty())
    outs() << "no measured schedule is faster than the chosen ones, so "
           << given->out.getValue() << " is empty\n";
  return 0;
}

/// Names measurements by graphs and function where no name is given.
runtime::Error Run::nameCell() {
  if (!options.cell.empty() || (options.store.empty() && stored.empty()))
    return {};
  std::string name;
  for (const std::string &text : given->graphFiles)
    name += text + " ";
  if (runtime::Error error =
          options.set("cell", name + options.function, "--cell"))
    return runtime::failure(error.message(), ", the default");
  return {};
}

int Run::tuneFunction() {
  tune::Tuned tuned;
  std::signal(SIGINT, interrupt);
  runtime::Error error = tune::prepare(*module, options, place, tuned);
  endProgress();
  if (error)
    return fail(run::withOption(error));
  if (tuned.isStopped) {
    outs() << "stopped by Ctrl-C before the search; " << given->out.getValue()
           << " is not written\n";
    return 128 + SIGINT;
  }
  for (const std::string &line : tuned.graphs)
    outs() << line << "\n";
  if (runtime::Error error = nameCell())
    return fail(error.message());
  if (!given->features.empty())
    return listFeatures(tuned);
  runtime::Error failed =
      given->replay.empty()
          ? tune::tune(*module, place, options, tuned)
          : tune::replay(*module, stored, place.options, options, tuned);
  std::signal(SIGINT, SIG_DFL);
  endProgress();
  int status = 0;
  if (!failed || tuned.isBegun())
    status = write(tuned, !failed && !tuned.isStopped);
  if (failed)
    return fail(failed);
  if (!tuned.isStopped || status)
    return status;
  outs() << "stopped by Ctrl-C, " << tuned.numSearched() << " of "
         << tuned.numToSearch << " templates searched\n";
  return 128 + SIGINT;
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
  int status = tools::finish("gnn-tune", Run().run());
  if (tune::hasAbandonedThreads()) // they use what an orderly end destroys
    std::_Exit(status);
  return status;
}
