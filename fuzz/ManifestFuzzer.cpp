//===- ManifestFuzzer.cpp - Parses manifests of saved models --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// An input is the text of a manifest. One that is parsed names parts that it
// has, and its graphs are made of arguments of few rows. Mutations edit the
// manifest as JSON, so that most are still such texts.

#include "JsonEditor.h"
#include "ModelParts.h"

#include <cstdlib>

using namespace gnn::runtime;

namespace {
void expect(bool holds) {
  if (!holds)
    std::abort();
}

void checkCount(const ModelManifest &manifest, const ModelCount &count) {
  expect(count.constant >= 0);
  for (const ModelCount::Extent &extent : count.extents) {
    expect(extent.argument < manifest.arguments.size());
    expect(extent.dim < manifest.arguments[extent.argument].shape.size());
  }
}

/// Whether a count is of few rows, whatever the arguments.
bool isSmall(const ModelCount &count) { return count.constant < 1000; }

bool checkIds(const ModelManifest &manifest, const ModelIds &ids) {
  bool small = true;
  for (const ModelIds::Part &part : ids.parts) {
    checkCount(manifest, part.base);
    checkCount(manifest, part.count);
    if (part.limit)
      checkCount(manifest, *part.limit);
    if (part.argument)
      expect(manifest.arguments.at(*part.argument).role == "ids");
    small = small && isSmall(part.count);
  }
  return small;
}

/// Checks a graph; whether it is small.
bool checkGraph(const ModelManifest &manifest, const ModelGraph &graph) {
  checkCount(manifest, graph.srcNodes);
  checkCount(manifest, graph.dstNodes);
  bool small = isSmall(graph.srcNodes) && isSmall(graph.dstNodes);
  small &= checkIds(manifest, graph.src);
  small &= checkIds(manifest, graph.dst);
  for (const auto &types : {graph.edgeType, graph.srcType, graph.dstType})
    if (types)
      small &= checkIds(manifest, *types);
  return small;
}

void checkCalls(const ModelManifest &manifest) {
  for (const ModelCall &call : manifest.calls) {
    for (const ModelCall::Input &input : call.inputs) {
      expect(input.parameters.empty() != input.rows.empty());
      for (size_t i : input.parameters)
        expect(i < manifest.parameters.size());
      for (const ModelCall::Rows &rows : input.rows)
        checkCount(manifest, rows.zeros);
    }
    for (const ModelTarget &target : manifest.targets)
      expect(
          std::any_of(call.images.begin(), call.images.end(),
                      [&](const auto &one) { return one.target == target; }));
  }
}

/// Makes the graphs of arguments with so many rows where a manifest leaves that
/// open.
size_t makeGraphs(const ModelManifest &manifest, int64_t rows) {
  const std::vector<int64_t> ids = {0, 1, 2, 1, 0, rows - 1, 2, 1};
  constexpr int64_t mostElements = 8, mostRows = 1000;
  std::vector<ModelValue> values;
  for (const ModelTensor &said : manifest.arguments) {
    ModelValue value{said.name, said.shape, said.dtype, ids.data()};
    int64_t size = 1;
    for (int64_t &extent : value.shape) {
      extent = extent < 0 ? rows : extent;
      if (extent > mostRows || __builtin_mul_overflow(size, extent, &size))
        return 0;
    }
    if (said.role == "ids" && size > mostElements)
      return 0;
    values.push_back(std::move(value));
  }
  Expected<Arguments> arguments = Arguments::of(manifest, values);
  if (!arguments)
    return 0;
  size_t made = 0;
  for (const ModelGraph &said : manifest.graphs)
    if (checkGraph(manifest, said))
      if (auto graph = arguments->graph(said)) {
        (void)static_cast<bool>((*graph)->checkDstSorted());
        ++made;
      }
  return made;
}
} // namespace

/// The graphs that were made, for the replay of a corpus.
extern "C" size_t numRuns;
size_t numRuns = 0;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto manifest =
      ModelManifest::parse({reinterpret_cast<const char *>(data), size});
  if (!manifest)
    return 0;
  for (const ModelGraph &graph : manifest->graphs)
    checkGraph(*manifest, graph);
  for (const ModelCondition &condition : manifest->conditions)
    for (const ModelCount *count : {&condition.left, &condition.right})
      checkCount(*manifest, *count);
  checkCalls(*manifest);
  for (int64_t rows : {0, 1, 4})
    numRuns += makeGraphs(*manifest, rows);
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t capacity, unsigned seed) {
  std::string text(reinterpret_cast<char *>(data), size);
  text = editJson(text, seed);
  if (text.size() > capacity)
    return 0;
  std::copy(text.begin(), text.end(), data);
  return text.size();
}
