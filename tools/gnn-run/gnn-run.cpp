//===- gnn-run.cpp - Run a function on a graph file -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a module, binds a graph, and runs one function on the CPU, a GPU or
// the emulator.
//
//===----------------------------------------------------------------------===//

#include "../ToolMain.h"
#include "Compare.h"

#include "GNN/Analysis/TargetBackend.h"
#include "GNN/Analysis/Targets.h"
#include "GNN/Dialect/GNN/IR/FunctionAttributes.h"
#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Emulator/EmulatorDevice.h"
#include "GNN/InitDialects.h"
#include "GNN/OptionFiles/Inputs.h"
#include "GNN/OptionFiles/OptionFiles.h"
#include "GNN/Plugins.h"
#include "GNN/Runtime/BoundFunction.h"
#include "GNN/Runtime/CUDA.h"
#include "GNN/Runtime/Structures.h"
#include "GNN/Target/AttachGradients.h"
#include "GNN/Target/AttachStatistics.h"
#include "GNN/Target/Backends.h"
#include "GNN/Target/Compile.h"
#include "GNN/Target/Explain.h"
#include "GNN/Target/FindFunction.h"
#include "GNN/Target/NameGraphs.h"
#include "GNN/Target/ParseProgram.h"
#include "GNN/Target/Ptxas.h"
#include "GNN/Version.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

#include <chrono>

using namespace llvm;
using namespace gnn;

static CompileOptions forChip() {
  CompileOptions options;
  options.chip = "sm_90";
  return options;
}

namespace {
/// The options, made when the tool runs: the library of a static build, which
/// has the code of several tools, has none when it is loaded.
struct Options : run::ModuleOptions {
  Options() : ModuleOptions("gnn-run options") {
    function.setDescription(
        "The function to run; by default the only one that is not private. The "
        "others are compiled too, as remarks and --explain show");
  }

  cl::opt<bool> refinedTypes{
      "refine-types",
      cl::desc("Split edge types until each joins one node type to one node "
               "type; edges are added first"),
      cl::cat(category)};
  CompileFlags flags{category, "run", forChip()};
  cl::opt<std::string> reportFile{
      "report",
      cl::desc("Print how each kernel is launched and what it costs, or write "
               "it as JSON"),
      cl::value_desc("FILE.json"), cl::ValueOptional, cl::cat(category)};
  cl::opt<std::string> outputDirectory{
      "output", cl::desc("Write each output to a file of this folder"),
      cl::value_desc("DIR"), cl::cat(category)};
  cl::list<std::string> compared{
      "compare",
      cl::desc("Compile a second time with one more option, run both versions "
               "in turns, and print the differences: times, launches, "
               "registers, kernels, schedules, outputs (docs/Debugging.md)"),
      cl::value_desc("passes|stage-passes|schedules|stop-at=VALUE"),
      cl::cat(category)};
  cl::opt<bool> unchecked{"unchecked",
                          cl::desc("Emulate without a check of each access"),
                          cl::cat(category)};
  cl::opt<uint64_t> shuffleSeed{"shuffle",
                                cl::desc("Emulate threads in a random order"),
                                cl::value_desc("SEED"), cl::cat(category)};

  cl::opt<std::string> explainFile{
      "explain",
      cl::desc("Print the choices of passes and the costs of kernels, or write "
               "them as a page with measured times (.html), or as a graph for "
               "Graphviz (.dot)"),
      cl::value_desc("FILE.html|FILE.dot"), cl::ValueOptional,
      cl::cat(category)};
  cl::opt<std::string> remarksFilter{
      "remarks-filter",
      cl::desc("Print the remarks of passes whose whole name matches, those of "
               "--stage-passes among them"),
      cl::value_desc("REGEX"), cl::cat(category)};
};
} // namespace

static Options *given = nullptr;
/// The target, or where to run as nobody has said it, and the GPU.
static std::string target, chip;
/// What --explain writes behind the run.
static std::optional<Explanation> page;

static int fail(const Twine &message) {
  return tools::fail("gnn-run", message);
}

/// Shows what takes long, on one line of a terminal.
static void showProgress(StringRef what, double done) {
  if (!sys::Process::StandardErrIsDisplayed())
    return;
  errs() << formatv("\r{0,-60} {1,3}%", what, int(done * 100));
  if (done >= 1)
    errs() << "\r" << std::string(66, ' ') << "\r";
}

/// Where to run, as nobody has said it.
static std::string chooseTarget() {
  if (given->unchecked || given->shuffleSeed.getNumOccurrences())
    return "emulator";
  if (runtime::openCudaDevice())
    return "cuda";
  return given->flags.isGiven("chip") ? "emulator" : "cpu";
}

static runtime::Expected<std::shared_ptr<runtime::Device>> openDevice() {
  registerBackends();
  auto backend = findBackend(target);
  if (!backend)
    return runtime::failure("--target: ", toString(backend.takeError()));
  if (target != "emulator")
    return (*backend)->openDevice();
  emulator::DeviceOptions options;
  options.kernels.checked = !given->unchecked;
  if (given->shuffleSeed.getNumOccurrences())
    options.seed = given->shuffleSeed;
  options.progress = [](const std::string &kernel, int64_t done, int64_t all) {
    showProgress("emulating " + kernel,
                 double(done) / std::max<int64_t>(all, 1));
  };
  return emulator::createDevice(options);
}

/// Says what the graph pipeline does to `module`. A page has the times of a run
/// and so waits for it.
static mlir::LogicalResult printExplanation(mlir::ModuleOp module) {
  CompileOptions options = *given->flags;
  options.target = target;
  bool hasChip = target == "cuda" || given->flags.isGiven("chip");
  options.chip = hasChip ? chip : "";
  auto explanation = explain(module, options);
  if (mlir::failed(explanation))
    return mlir::failure();
  StringRef path = given->explainFile;
  if (path.ends_with(".html")) {
    page = std::move(*explanation);
  } else if (path.empty()) {
    printText(*explanation, outs());
  } else if (runtime::Error error = writeDot(*explanation, path)) {
    fail("--explain: " + error.message());
    return mlir::failure();
  }
  return mlir::success();
}

/// Whether `module` can be compiled so, or one error at the option, which has
/// no place in the file.
static mlir::LogicalResult verifyOptions(mlir::ModuleOp module,
                                         const CompileOptions &options,
                                         bool isSecond) {
  mlir::ScopedDiagnosticHandler handler(
      module.getContext(), [&](mlir::Diagnostic &error) {
        std::string text = error.str();
        if (given->flags->target.empty() &&
            StringRef(text).starts_with("target:"))
          text += ", which gnn-run chooses without --target";
        fail((isSecond ? "--compare: " : "--") + text);
        return success();
      });
  return checkOptions(module, options);
}

/// Prints the remarks that are asked for, as gnn-opt does with
/// --remark-format=emitRemark.
static mlir::LogicalResult printRemarks(mlir::MLIRContext &context) {
  namespace remark = mlir::remark;
  if (given->remarksFilter.empty())
    return mlir::success();
  remark::RemarkCategories categories;
  categories.passed = categories.missed = categories.failed =
      categories.analysis = given->remarksFilter;
  return remark::enableOptimizationRemarks(
      context, /*streamer=*/nullptr,
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories,
      /*printAsEmitRemarks=*/true);
}

/// Compiles the file, with the options to compare where `isSecond`.
static std::shared_ptr<const runtime::Package>
compile(ArrayRef<run::LoadedGraph> graphs, double &milliseconds,
        bool isSecond = false) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  SourceMgr sources;
  auto buffer = readInput(given->file, given->maxBytes);
  if (!buffer) {
    fail(run::withOption(buffer.takeError()).message());
    return nullptr;
  }
  sources.AddNewSourceBuffer(std::move(*buffer), SMLoc());
  mlir::SourceMgrDiagnosticHandler handler(sources, &context);
  context.printOpOnDiagnostic(false);
  // What follows from the first error is no news.
  bool isKnown = false;
  mlir::ScopedDiagnosticHandler first(&context, [&](mlir::Diagnostic &error) {
    if (error.getSeverity() != mlir::DiagnosticSeverity::Error)
      return failure();
    return success(std::exchange(isKnown, true));
  });
  if (mlir::failed(printRemarks(context))) {
    fail("--remarks-filter: remarks cannot be collected");
    return nullptr;
  }
  auto start = std::chrono::steady_clock::now();
  auto module = parseProgram(sources, &context);
  if (!module)
    return nullptr;
  if (given->function.empty()) {
    auto only = findFunction(*module);
    if (!only) {
      fail("--function: " + toString(only.takeError()));
      return nullptr;
    }
    given->function = only->getName().str();
  }
  auto named = nameGraphs(*module, given->function, graphs);
  if (mlir::failed(named) || mlir::failed(attachStatistics(*module, *named)) ||
      mlir::failed(attachGradients(*module, given->flags->gradients)))
    return nullptr;
  CompileOptions options = *given->flags;
  // PTX is also what ptxas knows registers from, and what is compared.
  bool needsPtx =
      target == "cuda" ||
      (target == "emulator" &&
       (!options.phasesDirectory.empty() || !given->compared.empty() ||
        (!findPtxas().empty() && given->reportFile.getNumOccurrences())));
  options.target = needsPtx ? "cuda" : target;
  options.chip = needsPtx ? chip : "";
  options.keepIR = target != "cuda";
  options.graphs = std::move(*named);
  if (isSecond) {
    options.phasesDirectory = options.saveSchedules = "";
    for (const std::string &text : given->compared)
      if (runtime::Error failure = run::addOption(options, text)) {
        fail("--compare: " + failure.message());
        return nullptr;
      }
  }
  if (mlir::failed(verifyOptions(*module, options, isSecond)))
    return nullptr;
  if (given->explainFile.getNumOccurrences() && !isSecond &&
      mlir::failed(printExplanation(*module)))
    return nullptr;
  auto package = compileToPackage(*module, options);
  milliseconds = std::chrono::duration<double, std::milli>(
                     std::chrono::steady_clock::now() - start)
                     .count();
  return mlir::succeeded(package) ? *package : nullptr;
}

static run::GraphChanges graphChanges() {
  return {given->inverses, given->selfLoops, given->refinedTypes};
}

/// Prints the statistics of a graph file as an attribute.
static int printStatistics(const std::string &path) {
  for (const auto &[name, option] : cl::getRegisteredOptions())
    if (is_contained(option->Categories, &given->category) &&
        option->getNumOccurrences() &&
        !is_contained({"stats", "add-inverses", "add-self-loops",
                       "refine-types", "max-bytes"},
                      name))
      return fail("--" + name + ": expected no such option with --stats");
  if (!given->file.empty())
    return fail("--stats: expected no program, got '" + given->file + "'");
  auto loaded = run::loadGraph(path, graphChanges(), given->maxBytes);
  if (!loaded)
    return fail(loaded.takeError().message());
  auto statistics = runtime::statistics(*loaded->graph);
  if (!statistics)
    return fail(statistics.takeError().message());
  outs() << statistics->attribute() << "\n";
  return 0;
}

/// Asks ptxas for what the device does not know of kernels.
static void addRegisters(runtime::Report &result,
                         const runtime::Package &package) {
  auto ptx = package.images().find("ptx");
  bool isKnown = llvm::all_of(result.steps, [](const auto &step) {
    return step.kernelInfo.registers >= 0;
  });
  if (isKnown || ptx == package.images().end() || findPtxas().empty())
    return;
  auto figures = askPtxas(ptx->second, package.plan().chip);
  if (!figures) {
    WithColor::warning(errs(), "gnn-run") << figures.message() << "\n";
    return;
  }
  for (runtime::StepReport &step : result.steps)
    if (auto known = figures->find(step.code); known != figures->end())
      step.kernelInfo = known->second;
}

/// Prints the report as text, or writes it as JSON.
static runtime::Error printReport(const runtime::Report &result,
                                  double compileTime) {
  if (!given->reportFile.empty())
    return writeOutput(given->reportFile, result.json() + "\n");
  outs() << formatv("compiled in {0:f0} ms, workspace {1} bytes, structures "
                    "{2} bytes, on {3}\n",
                    compileTime, result.workspaceBytes, result.structureBytes,
                    result.device)
         << result.text();
  return {};
}

/// Compiles with the options to compare, and runs both.
static int
compareWith(ArrayRef<run::LoadedGraph> loaded,
            const std::vector<std::shared_ptr<const runtime::Graph>> &graphs,
            const runtime::Package &first, const runtime::BoundFunction &bound,
            const std::shared_ptr<runtime::Device> &device,
            const std::vector<std::string> &values) {
  double unused = 0;
  auto second = compile(loaded, unused, /*isSecond=*/true);
  if (!second)
    return 1;
  auto other =
      runtime::BoundFunction::bind(second, given->function, graphs, device, {});
  if (!other)
    return fail(other.takeError().message());
  run::ComparedFunction without{bound, first, [&](runtime::Report &report) {
                                  addRegisters(report, first);
                                }};
  run::ComparedFunction with{**other, *second, [&](runtime::Report &report) {
                               addRegisters(report, *second);
                             }};
  if (runtime::Error error = run::compare(without, with, *device, values))
    return fail(error.message());
  return 0;
}

/// An error where a file would be lost by writing another.
static runtime::Error checkFiles() {
  std::vector<NamedFile> files = given->listFiles();
  append_range(files, given->flags->listFiles("--"));
  for (StringRef text : given->compared)
    if (text.consume_front("schedules="))
      files.push_back({"--compare", text.str(), false});
  files.push_back({"--report", given->reportFile, true});
  files.push_back({"--explain", given->explainFile, true});
  return expectDistinct(files);
}

/// An error of an option that is wrong, or that others leave no use for.
static runtime::Error checkArguments() {
  if (given->file.empty())
    return runtime::failure("expected FILE.mlir, or --stats FILE.npz");
  if (runtime::Error error = given->check())
    return error;
  if (runtime::Error error = given->expectGraphFor(given->refinedTypes))
    return error;
  if (runtime::Error error =
          run::expectValues({&given->outputDirectory, &given->remarksFilter}))
    return error;
  if (std::string why; given->remarksFilter.getNumOccurrences() &&
                       !Regex(given->remarksFilter).isValid(why))
    return runtime::failure("--remarks-filter: expected a regular expression, "
                            "got '",
                            given->remarksFilter.getValue(), "': ", why);
  if (llvm::Error error = given->flags.checkPaths())
    return runtime::failure(toString(std::move(error)));
  if (!given->flags->records.empty())
    if (runtime::Error error = checkInput(given->flags->records))
      return error.in("--records");
  if (given->flags->allowUnusedSchedules && given->flags->schedules.empty() &&
      given->compared.empty())
    return runtime::failure(
        "--allow-unused-schedules: expected --schedules FILE.jsonl, got none");
  StringRef explained = given->explainFile;
  if (!explained.empty() && explained != "-" && !explained.ends_with(".html") &&
      !explained.ends_with(".dot"))
    return runtime::failure("--explain: expected FILE.html or FILE.dot, got '",
                            explained.str(), "'");
  const cl::Option *ofOneFunction[] = {
      &given->reportFile, &given->outputDirectory, &given->remarksFilter};
  for (const cl::Option *option : ofOneFunction)
    if (!given->compared.empty() && option->getNumOccurrences())
      return runtime::failure("--compare: expected none of --report, --output "
                              "and --remarks-filter, as two functions are run, "
                              "got --",
                              option->ArgStr.str());
  return checkFiles();
}

/// All that the options ask for.
static int runFunction() {
  if (runtime::Error error = checkArguments())
    return fail(error.message());
  for (const std::string &plugin : given->plugins)
    if (llvm::Error error = loadPlugin(plugin))
      return fail(llvm::toString(std::move(error)));
  target = given->flags->target.empty() ? chooseTarget() : given->flags->target;
  if (StringRef(given->explainFile).ends_with(".html") &&
      !given->compared.empty())
    return fail("--explain: expected no page beside --compare, which runs two "
                "functions, got " +
                given->explainFile);
  if (given->explainFile.getNumOccurrences() &&
      given->flags.isGiven("schedules"))
    return fail("--explain: expected no --schedules, by which kernels are "
                "weighed by gnn-opt --gnn-schedule-pipeline=schedules=FILE "
                "--gnn-tile-list-costs alone");
  if (given->flags.isGiven("chip") && target != "cuda" && target != "emulator")
    return fail("--chip: expected --target=cuda or emulator, which PTX is made "
                "for, got --target=" +
                target);
  if ((given->unchecked || given->shuffleSeed.getNumOccurrences()) &&
      target != "emulator")
    return fail(Twine("--") + (given->unchecked ? "unchecked" : "shuffle") +
                ": expected --target=emulator, got --target=" + target);
  if (llvm::Error error = checkGPU(given->flags->chip))
    return fail("--chip: " + llvm::toString(std::move(error)));
  auto device = openDevice();
  if (!device)
    return fail(device.takeError().message());
  chip = given->flags.isGiven("chip") ? "" : (*device)->describeGPU();
  if (chip.empty())
    chip = given->flags->chip;
  std::vector<run::LoadedGraph> loaded;
  for (const std::string &text : given->graphFiles) {
    auto graph = run::loadGraph(text, graphChanges(), given->maxBytes);
    if (!graph)
      return fail(graph.takeError().message());
    loaded.push_back(std::move(*graph));
  }
  double compileTime = 0;
  auto package = compile(loaded, compileTime);
  if (!package)
    return 1;
  auto plan = package->plan().find(given->function);
  if (!plan)
    return fail(plan.takeError().message());
  auto graphs = run::pickGraphs((*plan)->graphs, loaded);
  if (!graphs)
    return fail(graphs.takeError().message());
  runtime::BindOptions bindOptions;
  bindOptions.progress = [](const std::string &what, double done) {
    showProgress("building " + what, done);
  };
  auto bound = runtime::BoundFunction::bind(
      package, given->function, graphs->graphs, *device, bindOptions);
  if (!bound)
    return fail(bound.takeError().message());
  if (runtime::Error error = run::checkMemory(**bound, given->maxBytes))
    return fail(error.message());
  std::vector<runtime::TensorInfo> infos = (*bound)->inputs();
  std::vector<const runtime::GraphFile *> files;
  for (const runtime::TensorSpec &input : (*plan)->inputs)
    files.push_back(input.graph < 0 ? nullptr : &graphs->files[input.graph]);
  auto values = run::loadInputs(infos, files, *given);
  if (!values)
    return fail(values.takeError().message());
  if (!given->compared.empty())
    return compareWith(loaded, graphs->graphs, *package, **bound, *device,
                       *values);
  // A page shows medians; the report of one run says so.
  int times = page ? 9 : given->reportFile.getNumOccurrences() ? 1 : 0;
  auto results = run::execute(**bound, **device, *values, times);
  if (!results)
    return fail(results.takeError().message());
  if (page) {
    addTimes(*page, results->report);
    if (runtime::Error error = writeHtml(*page, given->explainFile))
      return fail("--explain: " + error.message());
  }
  if (given->reportFile.getNumOccurrences()) {
    addRegisters(results->report, *package);
    if (runtime::Error error = printReport(results->report, compileTime))
      return fail("--report: " + error.message());
  }
  if (runtime::Error error = run::save((*bound)->outputs(), results->outputs,
                                       given->outputDirectory))
    return fail(error.message());
  return 0;
}

GNN_TOOL_MAIN(int argc, char **argv) {
  InitLLVM initialize(argc, argv);
  Options all;
  given = &all;
  setVersionPrinter();
  cl::HideUnrelatedOptions(given->category);
  // LLVM has an option of that name, which counts what passes did.
  cl::getRegisteredOptions().lookup("stats")->removeArgument();
  cl::opt<std::string> statsFile(
      "stats",
      cl::desc("Only print the statistics of a graph file, in the syntax of "
               "gnn.graph"),
      cl::value_desc("FILE.npz"), cl::cat(given->category));
  cl::ParseCommandLineOptions(argc, argv, "Run a function on a graph\n");
  int status = statsFile.empty() ? runFunction() : printStatistics(statsFile);
  return tools::finish("gnn-run", status);
}
