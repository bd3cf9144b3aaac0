//===- Inputs.cpp - Graphs and tensors of a run ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loading, running, saving.
//
//===----------------------------------------------------------------------===//

#include "GNN/OptionFiles/Inputs.h"

#include "GNN/Runtime/Files.h"
#include "GNN/Runtime/GraphFunctions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <cstring>

using namespace gnn;
using namespace gnn::run;
using llvm::StringRef;
using runtime::failure;

/// `NAME=REST`, or an empty name.
static std::pair<std::string, std::string> splitName(const std::string &text) {
  auto [name, rest] = StringRef(text).split('=');
  if (!StringRef(text).contains('='))
    return {"", text};
  return {name.str(), rest.str()};
}

runtime::Error gnn::run::withOption(const runtime::Error &error) {
  if (error.kind() != runtime::ErrorKind::Limit)
    return error;
  return failure(error.message(), " (--max-bytes allows more)");
}

runtime::Expected<LoadedGraph> gnn::run::loadGraph(const std::string &text,
                                                   const GraphChanges &changes,
                                                   int64_t maxBytes) {
  auto [name, path] = splitName(text);
  auto file = runtime::GraphFile::load(path, maxBytes);
  if (!file)
    return withOption(file.takeError());
  auto graph = file->graph;
  auto derive =
      [&](runtime::Expected<runtime::DerivedGraph> derived) -> runtime::Error {
    if (!derived)
      return derived.takeError();
    graph = derived->graph;
    return runtime::Error::success();
  };
  if (changes.addInverses)
    if (runtime::Error error = derive(runtime::addInverses(*graph)))
      return error;
  if (changes.addSelfLoops)
    if (runtime::Error error =
            derive(runtime::addSelfLoops(*graph, runtime::SelfLoops::Replace)))
      return error;
  if (changes.refineTypes)
    if (runtime::Error error = derive(runtime::refineTypes(*graph)))
      return error;
  return LoadedGraph{name, text, graph, std::move(*file)};
}

runtime::Error LoadedGraph::checkEdgeTypes(const std::string &declared,
                                           int64_t types) const {
  int64_t given = file.graph->numEdgeTypes();
  if (graph->numEdgeTypes() == types || graph->numEdgeTypes() == given)
    return runtime::Error::success();
  return failure("graph '", declared, "': expected ", types,
                 " edge types, got ", graph->numEdgeTypes(), ": '", text,
                 "' has ", given,
                 ", and --add-inverses, --add-self-loops and "
                 "--refine-types make types of their own");
}

runtime::Expected<std::vector<const LoadedGraph *>>
gnn::run::findGraphs(const std::vector<std::string> &names,
                     const std::vector<LoadedGraph> &loaded) {
  if (loaded.size() != names.size())
    return failure("expected --graph once for each graph of the function: ",
                   names.size(), ", got ", loaded.size());
  std::vector<const LoadedGraph *> result;
  for (const std::string &name : names) {
    const LoadedGraph *found = nullptr;
    std::string others;
    for (const LoadedGraph &graph : loaded) {
      if (graph.name == name || (graph.name.empty() && names.size() == 1))
        found = &graph;
      others += (others.empty() ? "'" : ", '") + graph.text + "'";
    }
    if (!found)
      return failure("expected --graph ", name, "=FILE.npz, got ", others);
    result.push_back(found);
  }
  return result;
}

runtime::Expected<Graphs>
gnn::run::pickGraphs(const std::vector<runtime::GraphSpec> &specs,
                     const std::vector<LoadedGraph> &loaded) {
  std::vector<std::string> names;
  for (const runtime::GraphSpec &spec : specs)
    names.push_back(spec.name);
  auto found = findGraphs(names, loaded);
  if (!found)
    return found.takeError();
  Graphs result;
  for (auto [spec, graph] : llvm::zip_equal(specs, *found)) {
    if (runtime::Error error = graph->checkEdgeTypes(spec.name, spec.edgeTypes))
      return error;
    result.graphs.push_back(graph->graph);
    result.files.push_back(graph->file);
  }
  return result;
}

// Splitmix64 of (seed, index).
std::string gnn::run::randomValues(const runtime::TensorInfo &info,
                                   uint64_t seed, uint64_t stream) {
  int64_t fan = info.shape.size() < 2 ? 1 : info.shape[info.shape.size() - 2];
  float scale = std::sqrt(3.0f / static_cast<float>(std::max<int64_t>(fan, 1)));
  std::string bytes(info.bytes, '\0');
  auto *values = reinterpret_cast<float *>(bytes.data());
  for (int64_t i = 0; i < info.bytes / 4; ++i) {
    uint64_t z = (seed * 0x9e3779b97f4a7c15ull) ^ (stream << 40);
    z += (static_cast<uint64_t>(i) + 1) * 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    z ^= z >> 31;
    values[i] = (static_cast<float>(z >> 40) / 8388608.0f - 1.0f) * scale;
  }
  return bytes;
}

static std::string shapeText(const std::vector<int64_t> &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

runtime::Expected<uint64_t> gnn::run::parseSeed(const std::string &source) {
  StringRef text(source);
  uint64_t seed;
  if (!text.consume_front("random:") || text.getAsInteger(10, seed))
    return failure("expected random:SEED, got '", source, "'");
  return seed;
}

runtime::Error InputOptions::checkWeights() const {
  if (weights.empty())
    return {};
  auto seed = parseSeed(weights);
  return seed ? runtime::Error() : seed.takeError().in("--weights");
}

runtime::Error InputOptions::checkOnce() const {
  for (const auto &[name, option] : llvm::cl::getRegisteredOptions())
    if (llvm::is_contained(option->Categories, &category) &&
        option->getNumOccurrencesFlag() != llvm::cl::ZeroOrMore &&
        option->getNumOccurrences() > 1)
      return failure("--", name.str(), ": expected once, got it ",
                     option->getNumOccurrences(), " times");
  return {};
}

runtime::Error gnn::run::expectValues(
    llvm::ArrayRef<const llvm::cl::opt<std::string> *> options) {
  for (const llvm::cl::opt<std::string> *option : options)
    if (option->getNumOccurrences() && option->empty())
      return failure("--", option->ArgStr.str(), ": expected ",
                     option->ValueStr.str(), ", got an empty text");
  return {};
}

runtime::Error
ModuleOptions::expectGraphFor(const llvm::cl::opt<bool> &change) const {
  if (!change || !graphFiles.empty())
    return {};
  return failure("--", change.ArgStr.str(),
                 ": expected --graph FILE.npz, whose edges it changes, got "
                 "none");
}

runtime::Error ModuleOptions::check() const {
  if (runtime::Error error = checkOnce())
    return error;
  if (runtime::Error error = expectValues({&function}))
    return error;
  for (const auto *change : {&inverses, &selfLoops})
    if (runtime::Error error = expectGraphFor(*change))
      return error;
  return checkWeights();
}

std::vector<NamedFile> ModuleOptions::listFiles() const {
  std::vector<NamedFile> files = {{"FILE.mlir", file, false}};
  for (const std::string &graph : graphFiles)
    files.push_back({"--graph", splitName(graph).second, false});
  for (const std::string &input : inputs)
    files.push_back({"--input", splitName(input).second, false});
  for (const std::string &plugin : plugins)
    files.push_back({"--load-plugin", plugin, false});
  return files;
}

/// The bytes of an input, whose shape becomes that of its array where
/// `givesShape`.
static runtime::Expected<std::string>
loadSource(runtime::TensorInfo &info, const runtime::GraphFile *file,
           uint64_t stream, const std::string &source, int64_t maxBytes,
           bool givesShape) {
  StringRef text(source);
  if (text.starts_with("random:")) {
    auto seed = parseSeed(source);
    if (!seed)
      return seed.takeError();
    if (info.dtype != runtime::DataType::F32)
      return failure("expected FILE.npy of ", runtime::name(info.dtype),
                     shapeText(info.shape), ", as random values are f32, got ",
                     source);
    return randomValues(info, *seed, stream);
  }
  if (text == "graph:feat") {
    if (!file || info.shape.size() != 2)
      return failure("expected rows of features for graph:feat, got shape ",
                     shapeText(info.shape));
    if (!file->hasFeatures)
      return failure("the graph file has no features");
    if (file->features.dim != info.shape[1])
      return failure("expected ", info.shape[1],
                     " features a node in the graph file, got ",
                     file->features.dim);
    auto dense = file->features.dense(info.shape[1]);
    if (!dense)
      return dense.takeError();
    if (static_cast<int64_t>(dense->size()) * 4 != info.bytes)
      return failure("expected ", info.shape[0], " rows, got ",
                     dense->size() / info.shape[1]);
    return std::string(reinterpret_cast<const char *>(dense->data()),
                       dense->size() * 4);
  }
  if (!text.ends_with(".npy"))
    return failure("expected FILE.npy, graph:feat or random:SEED, got '",
                   source, "'");
  auto array = runtime::readNpy(source, maxBytes);
  if (!array)
    return withOption(array.takeError());
  if (array->isText || array->dtype != info.dtype ||
      (array->shape != info.shape && !givesShape))
    return failure("expected ", runtime::name(info.dtype),
                   givesShape ? "" : shapeText(info.shape), ", got ",
                   array->describe());
  info.shape = array->shape;
  info.bytes = static_cast<int64_t>(array->bytes.size());
  return std::move(array->bytes);
}

runtime::Expected<std::vector<std::string>>
gnn::run::loadInputs(std::vector<runtime::TensorInfo> &infos,
                     const std::vector<const runtime::GraphFile *> &files,
                     const InputOptions &options, bool givesShapes) {
  llvm::StringMap<std::string> given;
  for (const std::string &text : options.inputs) {
    if (!StringRef(text).contains('='))
      return failure("--input: expected NAME=FILE, got '", text, "'");
    auto [name, source] = splitName(text);
    if (!given.try_emplace(name, source).second)
      return failure("expected --input ", name, " once, got it again");
    if (llvm::none_of(infos, [&, &name = name](auto &info) {
          return info.name == name;
        })) {
      std::string known;
      for (const runtime::TensorInfo &info : infos)
        known += (known.empty() ? "" : ", ") + info.name;
      return failure("expected --input of one of ", known, "; got '", name,
                     "'");
    }
  }
  std::vector<std::string> values;
  for (size_t i = 0; i < infos.size(); ++i) {
    auto found = given.find(infos[i].name);
    std::string source =
        found == given.end() ? options.weights.getValue() : found->second;
    if (source.empty())
      return failure("expected --input ", infos[i].name,
                     "=... or --weights "
                     "for shape ",
                     shapeText(infos[i].shape), ", got neither");
    auto bytes = loadSource(infos[i], files[i], i, source, options.maxBytes,
                            givesShapes);
    if (!bytes)
      return bytes.takeError().in("input '" + infos[i].name + "'");
    values.push_back(std::move(*bytes));
  }
  return values;
}

runtime::Error gnn::run::checkMemory(const runtime::BoundFunction &function,
                                     int64_t maxBytes) {
  double bytes = static_cast<double>(function.workspaceBytes());
  for (const auto *infos : {&function.inputs(), &function.outputs()})
    for (const runtime::TensorInfo &info : *infos)
      bytes += static_cast<double>(info.bytes);
  if (bytes <= static_cast<double>(maxBytes))
    return {};
  return withOption(
      runtime::limitExceeded("expected at most ", maxBytes,
                             " bytes of inputs, outputs and workspace, got ",
                             std::to_string(static_cast<int64_t>(bytes))));
}

namespace {
/// Memory of a device that is freed with this object.
class Memory {
public:
  static runtime::Expected<Memory> create(runtime::Device &device,
                                          int64_t bytes) {
    auto memory = device.allocate(bytes);
    if (!memory)
      return memory.takeError();
    return Memory(device, {*memory, bytes});
  }
  Memory(Memory &&other) : device(other.device), buffer(other.buffer) {
    other.buffer.data = nullptr;
  }
  ~Memory() { device->free(buffer.data); }
  runtime::Buffer get() const { return buffer; }

private:
  Memory(runtime::Device &device, runtime::Buffer buffer)
      : device(&device), buffer(buffer) {}
  runtime::Device *device;
  runtime::Buffer buffer;
};
} // namespace

runtime::Expected<Results>
gnn::run::execute(const runtime::BoundFunction &function,
                  runtime::Device &device,
                  const std::vector<std::string> &inputs, int times) {
  std::vector<Memory> memory;
  std::vector<runtime::ConstBuffer> in;
  std::vector<runtime::Buffer> out;
  for (const std::string &bytes : inputs) {
    auto made = Memory::create(device, bytes.size());
    if (!made)
      return made.takeError();
    runtime::Buffer buffer = made->get();
    if (runtime::Error error =
            device.copyToDevice(buffer.data, bytes.data(), buffer.bytes))
      return error;
    in.push_back({buffer.data, buffer.bytes});
    memory.push_back(std::move(*made));
  }
  for (const runtime::TensorInfo &info : function.outputs()) {
    auto made = Memory::create(device, info.bytes);
    if (!made)
      return made.takeError();
    out.push_back(made->get());
    memory.push_back(std::move(*made));
  }
  auto workspace = Memory::create(device, function.workspaceBytes());
  if (!workspace)
    return workspace.takeError();
  Results results;
  if (times > 0) {
    auto report = function.profile(in, out, workspace->get(), nullptr, times);
    if (!report)
      return report.takeError();
    results.report = std::move(*report);
  } else {
    if (runtime::Error error = function.run(in, out, workspace->get(), nullptr))
      return error;
    if (runtime::Error error = device.synchronize(nullptr))
      return error;
  }
  for (size_t i = 0; i < out.size(); ++i) {
    std::string bytes(function.outputs()[i].bytes, '\0');
    if (runtime::Error error =
            device.copyToHost(bytes.data(), out[i].data, bytes.size()))
      return error;
    results.outputs.push_back(std::move(bytes));
  }
  return results;
}

/// A line about an output: its shape, and for floats its norm.
static void printSummary(const runtime::TensorInfo &info,
                         const std::string &bytes) {
  llvm::outs() << info.name;
  if (info.role != runtime::Role::Output)
    llvm::outs() << " (" << runtime::name(info.role) << ")";
  llvm::outs() << ": " << runtime::name(info.dtype) << shapeText(info.shape);
  if (info.dtype == runtime::DataType::F32) {
    double sum = 0;
    auto *values = reinterpret_cast<const float *>(bytes.data());
    for (int64_t i = 0; i < info.bytes / 4; ++i)
      sum += double(values[i]) * values[i];
    llvm::outs() << llvm::format(", norm %.6g", std::sqrt(sum));
  }
  llvm::outs() << "\n";
}

/// Writes all outputs and only then gives them their names: so that none is
/// there unless all can be.
static runtime::Error writeAll(const std::vector<runtime::TensorInfo> &infos,
                               const std::vector<std::string> &outputs,
                               const std::string &directory) {
  for (const runtime::TensorInfo &info : infos)
    if (StringRef(info.name).contains('/'))
      return failure("cannot write output '", info.name,
                     "': expected a name without '/'");
  std::error_code error = llvm::sys::fs::create_directories(directory);
  if (!error && !llvm::sys::fs::is_directory(directory))
    error = std::make_error_code(std::errc::not_a_directory);
  if (!error)
    error = llvm::sys::fs::access(directory, llvm::sys::fs::AccessMode::Write);
  if (error)
    return failure("cannot write to the folder '", directory,
                   "': ", error.message());
  std::vector<std::pair<std::string, runtime::NewFile>> files;
  auto cannotWrite = [&](const std::string &path, int status) {
    return failure("cannot write '", path, "': ", std::strerror(status));
  };
  for (auto [info, bytes] : llvm::zip_equal(infos, outputs)) {
    auto header = runtime::npyHeader(info.dtype, info.shape);
    if (!header)
      return header.takeError();
    auto &[path, file] = files.emplace_back(
        directory + "/" + info.name + ".npy", runtime::NewFile());
    if (int status = file.create(path, {*header, bytes}))
      return cannotWrite(path, status);
  }
  for (auto &[path, file] : files)
    if (int status = file.keep())
      return cannotWrite(path, status);
  return runtime::Error::success();
}

runtime::Error gnn::run::save(const std::vector<runtime::TensorInfo> &infos,
                              const std::vector<std::string> &outputs,
                              const std::string &directory) {
  if (!directory.empty())
    if (runtime::Error error = writeAll(infos, outputs, directory))
      return error;
  for (size_t i = 0; i < infos.size(); ++i)
    printSummary(infos[i], outputs[i]);
  return runtime::Error::success();
}
