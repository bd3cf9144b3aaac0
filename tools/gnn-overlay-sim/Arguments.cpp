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

runtime::Expected<LoadedArguments> gnn::overlaysim::loadArguments(
    const overlay::Program &program, const overlay::Partition &partition,
    const runtime::GraphFile &file, const run::InputOptions &options) {
  std::vector<runtime::TensorInfo> infos;
  for (auto [name, shape] : overlay::argumentShapes(program)) {
    if (shape.size() == 1) // numbers of the edges that the graph has
      shape[0] = static_cast<int64_t>(partition.edges());
    infos.push_back(infoOf(name, shape));
    if (4.0 * double(sizeOf(shape)) > double(options.maxBytes))
      return run::withOption(
          runtime::limitExceeded("input '", name, "': expected at most ",
                                 options.maxBytes.getValue(), " bytes"));
  }
  std::vector<const runtime::GraphFile *> files(infos.size(), &file);
  auto bytes = run::loadInputs(infos, files, options, /*givesShapes=*/true);
  if (!bytes)
    return bytes.takeError();
  LoadedArguments loaded;
  loaded.bytes = std::move(*bytes);
  for (size_t i = 0; i < infos.size(); ++i)
    loaded.arguments[infos[i].name] = {
        {reinterpret_cast<const float *>(loaded.bytes[i].data()),
         loaded.bytes[i].size() / 4},
        infos[i].shape};
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
    std::vector<int64_t> shape = {static_cast<int64_t>(values->size())};
    if (!onEdges)
      shape = {static_cast<int64_t>(region.rows),
               static_cast<int64_t>(region.columns)};
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
