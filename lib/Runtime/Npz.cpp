//===- Npz.cpp - Graphs in .npz files -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Runtime/Npz.h"

#include "Guarded.h"

#include <algorithm>

using namespace gnn::runtime;

namespace {
/// Reads the arrays of one file and checks their lengths.
class Loader {
public:
  explicit Loader(const NpzFile &file) : file(file) {}
  Expected<GraphFile> load();

private:
  /// A 1-dimensional integer array of `size` elements (any where -1), a mask
  /// may be bool; stays empty where the file has none.
  Error integers(const char *name, int64_t size, std::vector<int32_t> &result,
                 bool isMask = false);
  Error text(const char *name, std::vector<std::string> &result);
  Error types(const char *ids, const char *names, int64_t &count,
              const std::vector<int32_t> &first,
              const std::vector<int32_t> &second,
              std::vector<std::string> &typeNames);
  Error schema(int64_t edgeTypes, std::vector<EdgeTypeEnds> &result);
  Error graph(GraphFile &result);
  Error features(int64_t nodes, GraphFile &result);

  const NpzFile &file;
};
} // namespace

static Error checkShape(const NpyArray &array, int64_t size) {
  if (array.shape.size() != 1)
    return failure("expected one dimension, got ", array.describe());
  if (size >= 0 && array.shape[0] != size)
    return failure("expected ", size, " elements, got ", array.shape[0]);
  return {};
}

Error Loader::integers(const char *name, int64_t size,
                       std::vector<int32_t> &result, bool isMask) {
  if (!file.has(name))
    return {};
  Expected<NpyArray> array = file.read(name);
  if (!array)
    return array.takeError();
  if (Error error = checkShape(*array, size))
    return error.in(name);
  if (array->dtype == DataType::I1 && !isMask)
    return failure(name, ": expected integers, got ", array->describe());
  Expected<std::vector<int32_t>> values = array->toInt32();
  if (!values)
    return values.takeError().in(name);
  result = std::move(*values);
  return {};
}

Error Loader::text(const char *name, std::vector<std::string> &result) {
  if (!file.has(name))
    return {};
  Expected<NpyArray> array = file.read(name);
  if (!array)
    return array.takeError();
  if (Error error = checkShape(*array, -1))
    return error.in(name);
  if (!array->isText)
    return failure(name, ": expected text, got ", array->describe());
  result = std::move(array->strings);
  return {};
}

/// The number of types: as many as there are names; without names one more than
/// the largest id, and at least one.
Error Loader::types(const char *ids, const char *names, int64_t &count,
                    const std::vector<int32_t> &first,
                    const std::vector<int32_t> &second,
                    std::vector<std::string> &typeNames) {
  if (Error error = text(names, typeNames))
    return error;
  int32_t largest = -1;
  for (int32_t id : first)
    largest = std::max(largest, id);
  for (int32_t id : second)
    largest = std::max(largest, id);
  count = std::max<int64_t>(int64_t(largest) + 1, 1);
  if (!file.has(names))
    return {};
  if (largest >= 0 && count > static_cast<int64_t>(typeNames.size()))
    return failure(ids, ": expected ids under ", typeNames.size(),
                   ", as there are ", names, "; got ", largest);
  count = static_cast<int64_t>(typeNames.size());
  return {};
}

Error Loader::schema(int64_t edgeTypes, std::vector<EdgeTypeEnds> &result) {
  if (!file.has("schema"))
    return {};
  Expected<NpyArray> array = file.read("schema");
  if (!array)
    return array.takeError();
  if (array->shape != std::vector<int64_t>{edgeTypes, 2})
    return failure("schema: expected a shape of ", edgeTypes, "x2, got ",
                   array->describe());
  Expected<std::vector<int32_t>> values = array->toInt32();
  if (!values)
    return values.takeError().in("schema");
  for (size_t i = 0; i + 1 < values->size(); i += 2)
    result.push_back({(*values)[i], (*values)[i + 1]});
  return {};
}

Error Loader::graph(GraphFile &result) {
  for (const char *name : {"edge_src", "edge_dst", "node_type"})
    if (!file.has(name))
      return failure("expected an array '", name, "', got none");
  std::vector<int32_t> src, dst, type, nodeType, dstNodeType;
  if (Error error = integers("edge_src", -1, src))
    return error;
  int64_t edges = static_cast<int64_t>(src.size());
  if (Error error = integers("edge_dst", edges, dst))
    return error;
  if (Error error = integers("edge_type", edges, type))
    return error;
  if (Error error = integers("node_type", -1, nodeType))
    return error;
  if (Error error = integers("dst_node_type", -1, dstNodeType))
    return error;
  GraphArrays arrays;
  if (Error error = types("node_type", "node_type_names", arrays.numNodeTypes,
                          nodeType, dstNodeType, arrays.nodeTypeNames))
    return error;
  if (!file.has("edge_type"))
    type.assign(src.size(), 0);
  if (Error error = types("edge_type", "edge_type_names", arrays.numEdgeTypes,
                          type, {}, arrays.edgeTypeNames))
    return error;
  if (!file.has("edge_type") && arrays.edgeTypeNames.size() > 1)
    return failure("expected an array 'edge_type' for ",
                   arrays.edgeTypeNames.size(), " edge types, got none");
  if (Error error = schema(arrays.numEdgeTypes, arrays.schema))
    return error;
  arrays.square = !file.has("dst_node_type");
  arrays.numSrcNodes = static_cast<int64_t>(nodeType.size());
  arrays.numDstNodes = static_cast<int64_t>(dstNodeType.size());
  arrays.numEdges = edges;
  arrays.edgeSrc = src.data();
  arrays.edgeDst = dst.data();
  arrays.edgeType = type.data();
  arrays.srcNodeType = nodeType.data();
  arrays.dstNodeType = dstNodeType.data();
  auto graph = Graph::create(arrays);
  if (!graph)
    return graph.takeError();
  result.graph = std::move(*graph);
  return {};
}

Error Loader::features(int64_t nodes, GraphFile &result) {
  result.hasFeatures = file.has("feat_indptr");
  if (!result.hasFeatures)
    return {};
  SparseFeatures &features = result.features;
  for (const char *name : {"feat_indices", "feat_dim"})
    if (!file.has(name))
      return failure("expected an array '", name,
                     "' beside feat_indptr, got "
                     "none");
  Expected<NpyArray> dim = file.read("feat_dim");
  if (!dim)
    return dim.takeError();
  Expected<std::vector<int32_t>> value = dim->toInt32();
  if (!value)
    return value.takeError().in("feat_dim");
  if (value->size() != 1 || (*value)[0] < 0)
    return failure("feat_dim: expected one integer of 0 or more, got ",
                   value->size() == 1 ? std::to_string((*value)[0])
                                      : dim->describe());
  features.dim = (*value)[0];
  if (Error error = integers("feat_indptr", nodes + 1, features.rows))
    return error;
  for (size_t v = 0; v < features.rows.size(); ++v)
    if (features.rows[v] < (v ? features.rows[v - 1] : 0) ||
        (v == 0 && features.rows[0] != 0))
      return failure("feat_indptr: expected 0 first and no step down, got ",
                     features.rows[v], " at ", v);
  if (Error error =
          integers("feat_indices", features.rows.back(), features.columns))
    return error;
  for (size_t i = 0; i < features.columns.size(); ++i)
    if (features.columns[i] < 0 || features.columns[i] >= features.dim)
      return failure("feat_indices ", i, ": expected 0 <= column < ",
                     features.dim, ", got ", features.columns[i]);
  if (!file.has("feat_data"))
    return {};
  Expected<NpyArray> data = file.read("feat_data");
  if (!data)
    return data.takeError();
  if (Error error = checkShape(*data, features.rows.back()))
    return error.in("feat_data");
  Expected<std::vector<float>> values = data->toFloat();
  if (!values)
    return values.takeError().in("feat_data");
  features.values = std::move(*values);
  return {};
}

Expected<GraphFile> Loader::load() {
  GraphFile result;
  if (Error error = graph(result))
    return error;
  int64_t nodes = result.graph->numNodes(GraphSide::Src);
  int64_t edges = result.graph->numEdges();
  if (Error error = features(nodes, result))
    return error;
  if (Error error = integers("label", nodes, result.label))
    return error;
  if (Error error = text("label_names", result.labelNames))
    return error;
  if (Error error = integers("train_mask", nodes, result.trainMask, true))
    return error;
  if (Error error = integers("val_mask", nodes, result.valMask, true))
    return error;
  if (Error error = integers("test_mask", nodes, result.testMask, true))
    return error;
  if (Error error = integers("edge_split", edges, result.edgeSplit))
    return error;
  return result;
}

Expected<GraphFile> GraphFile::load(const std::string &path, int64_t maxBytes) {
  return guarded(path.c_str(), [&]() -> Expected<GraphFile> {
    auto file = NpzFile::open(path, maxBytes);
    if (!file)
      return file.takeError();
    Expected<GraphFile> result = Loader(**file).load();
    if (!result)
      return result.takeError().in(path);
    return result;
  });
}

Expected<GraphFile> GraphFile::loadBytes(std::string_view bytes,
                                         int64_t maxBytes) {
  return guarded("npz", [&]() -> Expected<GraphFile> {
    auto file = NpzFile::openBytes(bytes, maxBytes);
    if (!file)
      return file.takeError();
    return Loader(**file).load();
  });
}

Expected<std::vector<float>> SparseFeatures::dense(int64_t width) const {
  return guarded("features", [&]() -> Expected<std::vector<float>> {
    if (width == 0)
      width = dim;
    int64_t size = 0;
    if (width < 0 || __builtin_mul_overflow(width, numNodes(), &size))
      return failure("expected a feature width of 0 or more, got ", width);
    if (int64_t most = physicalMemory() / int64_t(sizeof(float)); size > most)
      return limitExceeded("expected at most ", most, " dense features, got ",
                           numNodes(), " x ", width);
    std::vector<float> result(static_cast<size_t>(size), 0.0f);
    if (width == 0)
      return result;
    for (int64_t v = 0; v < numNodes(); ++v)
      for (int32_t i = rows[static_cast<size_t>(v)];
           i < rows[static_cast<size_t>(v) + 1]; ++i) {
        size_t stored = static_cast<size_t>(i);
        int64_t column = columns[stored] % width;
        result[static_cast<size_t>(v * width + column)] +=
            values.empty() ? 1.0f : values[stored];
      }
    return result;
  });
}
