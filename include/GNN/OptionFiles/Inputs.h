//===- Inputs.h - Graphs and tensors of a run -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files and values that gnn-run and gnn-tune, and in part gnn-overlay-sim,
// read, run and write.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_OPTIONFILES_INPUTS_H
#define GNN_OPTIONFILES_INPUTS_H

#include "GNN/OptionFiles/OptionFiles.h"
#include "GNN/Runtime/BoundFunction.h"
#include "GNN/Runtime/Files.h"
#include "GNN/Runtime/Npz.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/CommandLine.h"

#include <string>
#include <vector>

namespace gnn::run {

/// The options for the inputs of a run.
struct InputOptions {
  explicit InputOptions(const char *tool) : category(tool) {}

  llvm::cl::OptionCategory category;
  llvm::cl::opt<bool> inverses{
      "add-inverses",
      llvm::cl::desc(
          "Add the inverse of each edge, with edge types of its own"),
      llvm::cl::cat(category)};
  llvm::cl::opt<bool> selfLoops{
      "add-self-loops",
      llvm::cl::desc("Give each node exactly one self loop, of a new edge type "
                     "if the graph has several"),
      llvm::cl::cat(category)};
  llvm::cl::list<std::string> inputs{
      "input",
      llvm::cl::desc("Read an input from an array, or from the features of the "
                     "graph file, or draw it at random"),
      llvm::cl::value_desc("NAME=FILE.npy|graph:feat|random:SEED"),
      llvm::cl::cat(category)};
  llvm::cl::opt<std::string> weights{
      "weights", llvm::cl::desc("Draw all other inputs at random"),
      llvm::cl::value_desc("random:SEED"), llvm::cl::cat(category)};
  llvm::cl::opt<int64_t> maxBytes{
      "max-bytes",
      llvm::cl::desc("Limit of the memory for the arrays of a file, and for a "
                     "run; by default the memory of the machine"),
      llvm::cl::init(runtime::physicalMemory()), llvm::cl::value_desc("BYTES"),
      llvm::cl::cat(category)};

  /// An error if --weights is no seed.
  runtime::Error checkWeights() const;

  /// An error for an option that is given twice, because only the last one
  /// would have an effect.
  runtime::Error checkOnce() const;
};

/// The options for the inputs of a run of a function of a module.
struct ModuleOptions : InputOptions {
  using InputOptions::InputOptions;

  /// An error for an option that would have no effect.
  runtime::Error check() const;

  /// The files that are read: the module, graphs, inputs and plugins.
  std::vector<NamedFile> listFiles() const;

  /// An error if `change` is given without a graph whose edges it changes.
  runtime::Error expectGraphFor(const llvm::cl::opt<bool> &change) const;

  llvm::cl::opt<std::string> file{llvm::cl::Positional,
                                  llvm::cl::desc("FILE.mlir"),
                                  llvm::cl::cat(category)};
  llvm::cl::opt<std::string> function{
      "function",
      llvm::cl::desc(
          "The function; by default the only one that is not private"),
      llvm::cl::value_desc("NAME"), llvm::cl::cat(category)};
  llvm::cl::list<std::string> graphFiles{
      "graph",
      llvm::cl::desc("A graph file, given once for each graph of the function"),
      llvm::cl::value_desc("[NAME=]FILE.npz"), llvm::cl::cat(category)};
  llvm::cl::list<std::string> plugins{
      "load-plugin",
      llvm::cl::desc("Load the dialects, ops and passes of a shared object"),
      llvm::cl::value_desc("FILE.so"), llvm::cl::cat(category)};
};

/// The graphs of a function, in its order, and the files they came from.
struct Graphs {
  std::vector<std::shared_ptr<const runtime::Graph>> graphs;
  std::vector<runtime::GraphFile> files;
};

/// A graph file and the declaration that it is bound to.
struct LoadedGraph {
  /// The name of the declaration; empty if only a file was given.
  std::string name;
  /// `FILE` or `GRAPH=FILE`, as given.
  std::string text;
  std::shared_ptr<const runtime::Graph> graph;
  runtime::GraphFile file;

  /// Whether options have given the edges of the file, which are of `types`
  /// types as `declared` is, more of them.
  runtime::Error checkEdgeTypes(const std::string &declared,
                                int64_t types) const;
};

/// Changes of a loaded graph, in this order.
struct GraphChanges {
  bool addInverses = false;
  bool addSelfLoops = false;
  bool refineTypes = false;
};

/// An error if one of these options has an empty text, such as the value of an
/// unset variable of the shell.
runtime::Error
expectValues(llvm::ArrayRef<const llvm::cl::opt<std::string> *> options);

/// The same error. For a limit, it names the option that changes the limit.
runtime::Error withOption(const runtime::Error &error);

/// Loads `FILE` or `GRAPH=FILE`, arrays of at most `maxBytes`, and makes the
/// given changes.
runtime::Expected<LoadedGraph> loadGraph(const std::string &text,
                                         const GraphChanges &changes,
                                         int64_t maxBytes);

/// The loaded graph for each of `names`, the graphs of a function.
runtime::Expected<std::vector<const LoadedGraph *>>
findGraphs(const std::vector<std::string> &names,
           const std::vector<LoadedGraph> &loaded);

/// The graph of each of `specs`.
runtime::Expected<Graphs>
pickGraphs(const std::vector<runtime::GraphSpec> &specs,
           const std::vector<LoadedGraph> &loaded);

/// Uniform values in [-1, 1) times sqrt(3 / fan_in), the same for the same seed
/// and stream.
std::string randomValues(const runtime::TensorInfo &info, uint64_t seed,
                         uint64_t stream);

/// The seed of `random:SEED`.
runtime::Expected<uint64_t> parseSeed(const std::string &source);

/// The bytes of every input. `files` has the file of the graph of each; null:
/// it has none. Arrays have the shapes of `infos`. With `givesShapes`, the
/// shapes of `infos` become those of the arrays.
runtime::Expected<std::vector<std::string>>
loadInputs(std::vector<runtime::TensorInfo> &infos,
           const std::vector<const runtime::GraphFile *> &files,
           const InputOptions &options, bool givesShapes = false);

/// An error if a run needs more memory than `maxBytes`.
runtime::Error checkMemory(const runtime::BoundFunction &function,
                           int64_t maxBytes);

struct Results {
  std::vector<std::string> outputs;
  runtime::Report report;
};

/// Runs once, and then `repetitions` times to measure launches if the device
/// has a timer.
runtime::Expected<Results> execute(const runtime::BoundFunction &function,
                                   runtime::Device &device,
                                   const std::vector<std::string> &inputs,
                                   int times);

/// Writes every output to `directory`/NAME.npy, all or none, unless `directory`
/// is empty. Then it prints a line about each output.
runtime::Error save(const std::vector<runtime::TensorInfo> &infos,
                    const std::vector<std::string> &outputs,
                    const std::string &directory);

} // namespace gnn::run

#endif // GNN_OPTIONFILES_INPUTS_H
