//===- gnn-overlay-sim.cpp - Simulate the overlay -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a program of the overlay on a graph file: its values, and its cycles.
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"

#include "../ToolMain.h"

#include "GNN/OptionFiles/OptionFiles.h"
#include "GNN/Overlay/Machine.h"
#include "GNN/Overlay/Timing.h"
#include "GNN/Version.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>

using namespace llvm;
using namespace gnn;

namespace {
enum class Switch { Off, On };

struct Options : run::InputOptions {
  Options() : InputOptions("gnn-overlay-sim options") {}

  cl::opt<std::string> file{cl::Positional, cl::desc("FILE.ga"), cl::Required,
                            cl::cat(category)};
  cl::opt<std::string> graphFile{"graph", cl::desc("Graph file"),
                                 cl::value_desc("FILE.npz"), cl::Required,
                                 cl::cat(category)};
  cl::opt<std::string> output{
      "output",
      cl::desc("Write the outputs to one file, or each to a file of a folder"),
      cl::value_desc("FILE.npz|DIR"), cl::cat(category)};
  cl::opt<std::string> reportFile{
      "report", cl::desc("Simulate the time and print it, or write it as JSON"),
      cl::value_desc("FILE.json"), cl::ValueOptional, cl::cat(category)};
  cl::opt<bool> timeOnly{
      "time-only", cl::desc("Only simulate the time, which needs no inputs"),
      cl::cat(category)};
  cl::opt<bool> roofline{
      "roofline",
      cl::desc("Print the closed form of the time, which ignores tiles, and "
               "memory unless --memory=shared is given"),
      cl::cat(category)};
  cl::opt<overlay::MemoryModel> memory{
      "memory", cl::desc("Model of loads and stores"),
      cl::init(overlay::MemoryModel::Shared),
      cl::values(
          clEnumValN(overlay::MemoryModel::Ideal, "ideal", "they take no time"),
          clEnumValN(overlay::MemoryModel::Shared, "shared",
                     "elements share the bandwidth of channels (default)")),
      cl::cat(category)};
  cl::opt<overlay::NetworkModel> network{
      "network", cl::desc("How edges reach banks and pipelines"),
      cl::init(overlay::NetworkModel::Ideal),
      cl::values(clEnumValN(overlay::NetworkModel::Ideal, "ideal",
                            "without conflicts (default)"),
                 clEnumValN(overlay::NetworkModel::Banks, "banks",
                            "as long as the fullest bank or pipeline takes"),
                 clEnumValN(overlay::NetworkModel::Network, "network",
                            "cycle by cycle, through switches and adders")),
      cl::cat(category)};
  cl::opt<Switch> overlap{
      "overlap", cl::desc("Whether loads overlap computations"),
      cl::init(Switch::On),
      cl::values(
          clEnumValN(Switch::On, "on",
                     "as far as buffers are free "
                     "(default)"),
          clEnumValN(Switch::Off, "off", "each waits for the one before it")),
      cl::cat(category)};
  cl::opt<bool> multicast{
      "multicast",
      cl::desc("Extension: an element that aggregates shares the rows that "
               "another one is reading"),
      cl::cat(category)};
  cl::opt<uint64_t> pes{"pes",
                        cl::desc("Number of processing elements to simulate; "
                                 "by default that of the program"),
                        cl::cat(category)};
  cl::opt<bool> anyValues{"allow-non-finite",
                          cl::desc("Accept results that are not finite"),
                          cl::cat(category)};
#define GNN_OVERLAY_TIMING(name, keyword, value, summary)                      \
  cl::opt<uint64_t> name{keyword,                                              \
                         cl::desc("Timing: " summary " (" #value ")"),         \
                         cl::init(value), cl::cat(category)};
#include "GNN/Overlay/TimingOptions.def"

  /// Options of times, and whether the closed form has a use for them.
  std::vector<std::pair<cl::Option *, bool>> ofTimes() {
    std::vector<std::pair<cl::Option *, bool>> options = {{&memory, true},
                                                          {&pes, true},
                                                          {&network, false},
                                                          {&overlap, false},
                                                          {&multicast, false}};
#define GNN_OVERLAY_TIMING(name, keyword, value, summary)                      \
  options.push_back({&name, false});
#include "GNN/Overlay/TimingOptions.def"
    for (auto &[option, isOfRoofline] : options)
      isOfRoofline |= option == &frequency || option == &bandwidth ||
                      option == &hostBandwidth;
    return options;
  }

  /// An error where an option is given that the others leave no use for.
  runtime::Error checkCombinations() {
    if (timeOnly)
      for (cl::Option *option :
           {static_cast<cl::Option *>(&output),
            static_cast<cl::Option *>(std::addressof(inputs)),
            static_cast<cl::Option *>(&weights),
            static_cast<cl::Option *>(&anyValues)})
        if (option->getNumOccurrences())
          return runtime::failure("--", option->ArgStr.str(),
                                  ": expected no such option with --time-only");
    if (timeOnly || reportFile.getNumOccurrences())
      return {};
    for (auto [option, isOfRoofline] : ofTimes())
      if (option->getNumOccurrences() && !(roofline && isOfRoofline))
        return runtime::failure("--", option->ArgStr.str(),
                                ": expected --report or --time-only with it",
                                isOfRoofline ? ", or --roofline" : "");
    return {};
  }
};
} // namespace

static Options *given = nullptr;

static int fail(const Twine &message) {
  return tools::fail("gnn-overlay-sim", message);
}

static overlay::TimingOptions timingOptions() {
  overlay::TimingOptions options;
  options.memory = given->memory;
  options.network = given->network;
  options.overlap = given->overlap == Switch::On;
  options.multicast = given->multicast;
#define GNN_OVERLAY_TIMING(name, keyword, value, summary)                      \
  options.name = given->name;
#include "GNN/Overlay/TimingOptions.def"
  return options;
}

namespace {
/// What a program gives.
struct Outputs {
  std::vector<runtime::TensorInfo> infos;
  std::vector<std::string> bytes;
};
} // namespace

static runtime::Expected<Outputs>
runProgram(const overlay::Program &program, const overlay::Partition &partition,
           const runtime::GraphFile &file) {
  auto loaded = overlaysim::loadArguments(program, partition, file, *given);
  if (!loaded)
    return loaded.takeError();
  auto memory = overlay::Memory::create(program, given->maxBytes);
  if (!memory)
    return run::withOption(memory.takeError());
  if (runtime::Error error =
          memory->fill(program, partition, loaded->arguments))
    return error;
  overlay::RunOptions options;
  options.checkFinite = !given->anyValues;
  options.maxBytes = given->maxBytes;
  if (runtime::Error error = overlay::execute(program, *memory, options))
    return error;
  Outputs outputs;
  auto results =
      overlaysim::readOutputs(program, *memory, partition, outputs.infos);
  if (!results)
    return results.takeError();
  outputs.bytes = std::move(results->outputs);
  return outputs;
}

/// Simulates the time, and prints or writes it.
static runtime::Error timeProgram(const overlay::Program &program,
                                  const overlay::Partition &partition) {
  auto report = overlay::simulate(program, partition, timingOptions());
  if (!report)
    return report.takeError();
  if (!given->reportFile.empty())
    return writeOutput(given->reportFile, report->json() + "\n");
  outs() << report->text();
  return {};
}

static void printRoofline(const overlay::Program &program,
                          const overlay::Partition &partition) {
  auto layers = overlay::rooflineLayers(program);
  auto edges = static_cast<double>(partition.edges());
  bool isShared = given->memory.getNumOccurrences() &&
                  given->memory == overlay::MemoryModel::Shared;
  double cycles = isShared ? overlay::sharedRooflineCycles(
                                 layers, program.vertices, edges, program.n1,
                                 program.parameters, timingOptions())
                           : overlay::rooflineCycles(layers, program.vertices,
                                                     edges, program.parameters);
  double seconds = cycles / static_cast<double>(given->frequency.getValue());
  outs() << formatv("closed form: {0:f0} cycles, {1:f6} ms\n", cycles,
                    seconds * 1e3);
  if (!program.parts.empty())
    outs() << formatv("closed form with transfers of parts: {0:f6} ms\n",
                      overlay::hostRooflineSeconds(layers, program.vertices,
                                                   edges, program.parameters,
                                                   timingOptions()) *
                          1e3);
}

static int simulateFile() {
  if (runtime::Error error = given->checkOnce())
    return fail(error.message());
  if (runtime::Error error =
          run::expectValues({&given->output, &given->graphFile}))
    return fail(error.message());
  if (runtime::Error error = given->checkWeights())
    return fail(error.message());
  if (runtime::Error error = given->checkCombinations())
    return fail(error.message());
  auto bytes = runtime::readFile(given->file, given->maxBytes);
  if (!bytes)
    return fail(run::withOption(bytes.takeError()).message());
  auto program = overlay::read(*bytes);
  if (!program)
    return fail(given->file + ": " + program.takeError().message());
  if (given->pes.getNumOccurrences())
    program->setElements(given->pes);
  if (runtime::Error error = overlay::verify(*program))
    return fail(given->file + ": " + error.message());
  if (runtime::Error error =
          overlay::checkOptions(timingOptions(), program->parameters))
    return fail(error.message());
  auto graph = run::loadGraph(given->graphFile,
                              {given->inverses, given->selfLoops, false},
                              given->maxBytes);
  if (!graph)
    return fail(graph.takeError().message());
  auto partition = overlay::Partition::forProgram(graph->graph, *program);
  if (!partition)
    return fail(given->graphFile + ": " + partition.takeError().message());
  Outputs outputs;
  if (!given->timeOnly) {
    auto found = runProgram(*program, *partition, graph->file);
    if (!found)
      return fail(found.takeError().message());
    outputs = std::move(*found);
  }
  if (given->reportFile.getNumOccurrences() || given->timeOnly)
    if (runtime::Error error = timeProgram(*program, *partition))
      return fail(error.message());
  if (given->roofline)
    printRoofline(*program, *partition);
  if (!given->timeOnly)
    if (runtime::Error error = overlaysim::saveOutputs(
            outputs.infos, outputs.bytes, given->output))
      return fail(error.message());
  return 0;
}

int main(int argc, char **argv) {
  InitLLVM initialize(argc, argv);
  Options all;
  given = &all;
  setVersionPrinter();
  cl::HideUnrelatedOptions(given->category);
  cl::ParseCommandLineOptions(argc, argv,
                              "Simulate a program of the overlay on a graph\n");
  int status = simulateFile();
  return tools::finish("gnn-overlay-sim", status);
}
