//===- Arguments.cpp - Arguments and results of programs ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"

#include "Archive.h"

#include "llvm/ADT/StringRef.h"

#include <cstring>

using namespace gnn;
using namespace gnn::overlaysim;
using llvm::StringRef;
using runtime::failure;

static int64_t sizeOf(const std::vector<int64_t> &shape) {
  int64_t size = 1;
  for (int64_t extent : shape)
    size *= extent;
  return size;
}

static runtime::TensorInfo infoOf(const std::string &name,
                                  const std::vector<int64_t> &shape) {
  return {name, runtime::Role::Input, runtime::DataType::F32, shape,
          4 * sizeOf(shape)};
}

/// The bytes of one argument; `shape` becomes that of the file where there is
/// one, which may have more than the program reads.
static runtime::Expected<std::string>
loadSource(const std::string &name, std::vector<int64_t> &shape,
           uint64_t stream, const runtime::GraphFile &file,
           const std::string &source, int64_t maxBytes) {
  StringRef text(source);
  if (text.starts_with("random:")) {
    auto seed = run::parseSeed(source);
    if (!seed)
      return seed.takeError();
    return run::randomValues(infoOf(name, shape), *seed, stream);
  }
  if (text == "graph:feat") {
    if (!file.hasFeatures)
      return failure("the graph file has no features");
    if (shape.size() != 2)
      return failure("expected features of vertices for graph:feat");
    auto dense = file.features.dense(shape[1]);
    if (!dense)
      return dense.takeError();
    return std::string(reinterpret_cast<const char *>(dense->data()),
                       dense->size() * 4);
  }
  if (!text.ends_with(".npy"))
    return failure("expected FILE.npy, graph:feat or random:SEED, got '",
                   source, "'");
  auto array = runtime::readNpy(source, maxBytes);
  if (!array)
    return run::withOption(array.takeError());
  if (array->isText || array->dtype != runtime::DataType::F32)
    return failure("expected f32, got ", array->describe());
  shape = array->shape;
  return std::move(array->bytes);
}

runtime::Expected<LoadedArguments>
gnn::overlaysim::loadArguments(const overlay::Program &program,
                               const runtime::GraphFile &file,
                               const std::vector<std::string> &sources,
                               const std::string &otherwise, int64_t maxBytes) {
  auto shapes = overlay::argumentShapes(program);
  std::map<std::string, std::string> given;
  for (const std::string &text : sources) {
    auto [name, source] = StringRef(text).split('=');
    if (source.empty())
      return failure("--input: expected NAME=FILE, got '", text, "'");
    if (!given.emplace(name, source).second)
      return failure("expected --input ", name.str(), " once, got it again");
    if (!shapes.count(name.str())) {
      std::string known;
      for (const auto &[other, shape] : shapes)
        known += (known.empty() ? "" : ", ") + other;
      return failure("expected --input of one of ", known, "; got '",
                     name.str(), "'");
    }
  }
  LoadedArguments loaded;
  uint64_t stream = 0;
  for (auto &[name, shape] : shapes) {
    auto found = given.find(name);
    const std::string &source =
        found == given.end() ? otherwise : found->second;
    if (source.empty())
      return failure("expected --input ", name,
                     "=... or --weights, got neither");
    if (4.0 * double(sizeOf(shape)) > double(maxBytes))
      return run::withOption(runtime::limitExceeded(
          "input '", name, "': expected at most ", maxBytes, " bytes"));
    auto bytes = loadSource(name, shape, stream++, file, source, maxBytes);
    if (!bytes)
      return bytes.takeError().in("input '" + name + "'");
    std::string &kept = loaded.bytes[name] = std::move(*bytes);
    loaded.arguments[name] = {
        {reinterpret_cast<const float *>(kept.data()), kept.size() / 4}, shape};
  }
  return loaded;
}

runtime::Expected<run::Results>
gnn::overlaysim::readOutputs(const overlay::Program &program,
                             const overlay::Memory &memory,
                             const overlay::Partition &partition,
                             std::vector<runtime::TensorInfo> &infos) {
  run::Results results;
  for (const overlay::Region &region : program.regions) {
    if (region.role != overlay::RegionRole::Output)
      continue;
    bool onEdges = region.kind == overlay::RegionKind::Edges;
    auto values = onEdges ? memory.readWeights(program, region, partition)
                          : memory.readFeatures(program, region);
    if (!values)
      return values.takeError();
    std::vector<int64_t> shape = {static_cast<int64_t>(region.columns)};
    if (!onEdges)
      shape.insert(shape.begin(), static_cast<int64_t>(region.rows));
    infos.push_back(infoOf(region.name, shape));
    infos.back().role = runtime::Role::Output;
    results.outputs.emplace_back(reinterpret_cast<const char *>(values->data()),
                                 values->size() * 4);
  }
  return results;
}

runtime::Error
gnn::overlaysim::saveOutputs(const std::vector<runtime::TensorInfo> &infos,
                             const std::vector<std::string> &outputs,
                             const std::string &path) {
  if (!StringRef(path).ends_with(".npz"))
    return run::save(infos, outputs, path);
  std::map<std::string, std::string> entries;
  for (size_t i = 0; i < infos.size(); ++i) {
    auto header = runtime::npyHeader(infos[i].dtype, infos[i].shape);
    if (!header)
      return header.takeError();
    entries[infos[i].name + ".npy"] = *header + outputs[i];
  }
  auto packed = runtime::packArchive(entries);
  if (!packed)
    return packed.takeError();
  if (runtime::Error error = runtime::writeFile(path, {*packed}))
    return error;
  return run::save(infos, outputs, "");
}
