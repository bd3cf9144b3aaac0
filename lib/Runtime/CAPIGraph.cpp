//===- CAPIGraph.cpp - C API of graphs and graph files --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CAPIHandles.h"
#include "Parallel.h"

#include "GNN/Runtime/GraphFunctions.h"
#include "GNN/Runtime/Structures.h"

#include <algorithm>

using namespace gnn::runtime;

namespace {
GraphSide toSide(GnnSide side) {
  return side == GNN_DST ? GraphSide::Dst : GraphSide::Src;
}

std::vector<std::string> names(const char *const *texts, int64_t count) {
  std::vector<std::string> result;
  for (int64_t i = 0; texts && i < count; ++i)
    result.push_back(texts[i] ? texts[i] : "");
  return result;
}

/// All of the arrays but the ids.
Expected<GraphArrays> sizes(const GnnGraphArrays &given) {
  if (given.idBits != 32 && given.idBits != 64)
    return failure("expected ids of 32 or 64 bits, got ", given.idBits);
  for (int64_t types : {given.numNodeTypes, given.numEdgeTypes})
    if (types < 0 || types > kMaxTypes)
      return failure("expected 0 to ", kMaxTypes, " types, got ", types);
  GraphArrays arrays;
  arrays.square = given.square;
  arrays.numSrcNodes = given.numSrcNodes;
  arrays.numDstNodes = given.numDstNodes;
  arrays.numEdges = given.numEdges;
  arrays.numNodeTypes = given.numNodeTypes;
  arrays.numEdgeTypes = given.numEdgeTypes;
  arrays.nodeTypeNames = names(given.nodeTypeNames, given.numNodeTypes);
  arrays.edgeTypeNames = names(given.edgeTypeNames, given.numEdgeTypes);
  if (!given.schema.data)
    return arrays;
  Expected<std::vector<EdgeTypeEnds>> schema =
      readSchema(given.schema, given.numEdgeTypes);
  if (!schema)
    return schema.takeError();
  arrays.schema = std::move(*schema);
  return arrays;
}

/// The ids of a call, where they are or as 32-bit copies.
struct Ids {
  Error take(const GnnConstBuffer &given, int64_t count, const char *what,
             const int32_t *&result) {
    // A count out of range is Graph::create's to refuse.
    count = std::max<int64_t>(count, 0);
    if (given.data &&
        (given.bytes % (bits / 8) != 0 || given.bytes / (bits / 8) != count))
      return failure(what, ": expected ", count, " ids of ", bits,
                     " bits, got ", given.bytes, " bytes");
    if (!given.data || bits == 32) {
      result = static_cast<const int32_t *>(given.data);
      return {};
    }
    auto narrow = narrowIds(
        {static_cast<const int64_t *>(given.data), static_cast<size_t>(count)},
        what);
    if (!narrow)
      return narrow.takeError();
    result = narrow->data();
    copies.push_back(std::move(*narrow));
    return {};
  }

  int32_t bits = 32;
  /// The copied arrays, which stay where they are when this moves.
  std::vector<Indices> copies;
};

Error setIds(const GnnGraphArrays &given, Ids &ids, GraphArrays &arrays) {
  ids.bits = given.idBits;
  if (Error error = ids.take(given.edgeSrc, given.numEdges, "source of edge",
                             arrays.edgeSrc))
    return error;
  if (Error error = ids.take(given.edgeDst, given.numEdges,
                             "destination of edge", arrays.edgeDst))
    return error;
  if (Error error = ids.take(given.edgeType, given.numEdges, "type of edge",
                             arrays.edgeType))
    return error;
  if (Error error = ids.take(given.srcNodeType, given.numSrcNodes,
                             "type of node", arrays.srcNodeType))
    return error;
  if (given.square)
    return {};
  return ids.take(given.dstNodeType, given.numDstNodes, "type of node",
                  arrays.dstNodeType);
}

/// A graph with copies of the arrays.
Expected<std::shared_ptr<const Graph>> copyGraph(const GnnGraphArrays &given) {
  Expected<GraphArrays> arrays = sizes(given);
  if (!arrays)
    return arrays.takeError();
  Ids ids;
  if (Error error = setIds(given, ids, *arrays))
    return error;
  // Copies that are made already need no other.
  return ids.copies.empty()
             ? Graph::create(*arrays)
             : Graph::borrow(*arrays,
                             std::make_shared<const Ids>(std::move(ids)));
}

/// Copies ids of one type; the first that is not in [0, limit), -1 for none.
template <typename Id>
int64_t copyIds(const void *ids, int64_t count, int64_t limit,
                int32_t *result) {
  auto size = static_cast<size_t>(count);
  auto *from = static_cast<const Id *>(ids);
  // As unsigned numbers, negative ids are beyond every limit.
  using Unsigned = std::make_unsigned_t<Id>;
  size_t bad = findFirst(size, [=](size_t i) {
    result[i] = static_cast<int32_t>(from[i]);
    return static_cast<uint64_t>(static_cast<Unsigned>(from[i])) >=
               static_cast<uint64_t>(limit) ||
           from[i] < Id(0);
  });
  return bad == size ? -1 : static_cast<int64_t>(bad);
}

/// Calls the caller's release when the graph goes.
struct BorrowOwner {
  ~BorrowOwner() {
    if (release)
      release(context);
  }
  void (*release)(void *) = nullptr;
  void *context = nullptr;
};

/// Gives a derived graph, or its failure.
GnnError *give(const char *function, const GnnGraph *graph, GnnGraph **result,
               Expected<DerivedGraph> (*make)(const Graph &, const void *),
               const void *parameters) {
  return guardedCall(function, [&]() -> Error {
    if (Error error = expectPointers("a graph and a result", graph, result))
      return error;
    Expected<DerivedGraph> derived = make(*graph->value, parameters);
    if (!derived)
      return derived.takeError();
    auto handle = std::make_unique<GnnGraph>();
    handle->value = std::move(derived->graph);
    handle->edgeOrigin = std::move(derived->edgeOrigin);
    handle->edgeTypeOrigin = std::move(derived->edgeTypeOrigin);
    handle->derived = true;
    *result = handle.release();
    return {};
  });
}

Error giveBlocks(const std::shared_ptr<const Graph> &graph, int64_t seeds,
                 int64_t layers, GnnGraph **blocks) {
  auto made = makeBlocks(graph, seeds, layers);
  if (!made)
    return made.takeError();
  std::vector<std::unique_ptr<GnnGraph>> handles;
  for (std::shared_ptr<const Graph> &block : *made)
    handles.emplace_back(wrap(std::move(block)));
  for (size_t i = 0; i < handles.size(); ++i)
    blocks[i] = handles[i].release();
  return {};
}

const char *nameAt(const std::vector<std::string> &names, int64_t index) {
  return index >= 0 && index < static_cast<int64_t>(names.size())
             ? names[static_cast<size_t>(index)].c_str()
             : nullptr;
}
} // namespace

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

GnnError *gnnCopyIds(const void *ids, int32_t bits, bool isSigned,
                     int64_t count, int64_t limit, int32_t *result,
                     int64_t *bad) {
  return guardedCall("ids", [&]() -> Error {
    if (Error error =
            expectPointers("ids, a result and an index", ids, result, bad))
      return error;
    if (count < 0 || limit < 0 || limit > int64_t(1) << 31)
      return failure("expected a count of 0 or more and a limit of 0 to 2^31, "
                     "got ",
                     count, " and ", limit);
    struct {
      int32_t bits;
      bool isSigned;
      int64_t (*copy)(const void *, int64_t, int64_t, int32_t *);
    } kinds[] = {{8, true, copyIds<int8_t>},   {8, false, copyIds<uint8_t>},
                 {16, true, copyIds<int16_t>}, {16, false, copyIds<uint16_t>},
                 {32, true, copyIds<int32_t>}, {32, false, copyIds<uint32_t>},
                 {64, true, copyIds<int64_t>}, {64, false, copyIds<uint64_t>}};
    for (const auto &kind : kinds)
      if (kind.bits == bits && kind.isSigned == isSigned) {
        *bad = kind.copy(ids, count, limit, result);
        return {};
      }
    return failure("expected ids of 8, 16, 32 or 64 bits, got ", bits);
  });
}

GnnError *gnnGraphCreate(const GnnGraphArrays *given, GnnGraph **graph) {
  return guardedCall("graph", [&]() -> Error {
    if (Error error = expectPointers("arrays and a result", given, graph))
      return error;
    auto value = copyGraph(*given);
    if (!value)
      return value.takeError();
    *graph = wrap(std::move(*value));
    return {};
  });
}

GnnError *gnnGraphBorrow(const GnnGraphArrays *given, void (*release)(void *),
                         void *context, GnnGraph **graph) {
  return guardedCall("graph", [&]() -> Error {
    if (Error error = expectPointers("arrays and a result", given, graph))
      return error;
    if (given->idBits != 32)
      return failure("expected borrowed ids of 32 bits, got ", given->idBits);
    Expected<GraphArrays> arrays = sizes(*given);
    if (!arrays)
      return arrays.takeError();
    Ids ids;
    if (Error error = setIds(*given, ids, *arrays))
      return error;
    auto owner = std::make_shared<BorrowOwner>();
    auto value = Graph::borrow(*arrays, owner);
    if (!value)
      return value.takeError();
    *graph = wrap(std::move(*value));
    owner->context = context;
    owner->release = release;
    return {};
  });
}

void gnnGraphRetain(GnnGraph *graph) {
  if (graph)
    graph->retain();
}

void gnnGraphRelease(GnnGraph *graph) {
  if (graph)
    graph->release();
}

bool gnnGraphIsSquare(const GnnGraph *graph) {
  return graph->value->isSquare();
}

int64_t gnnGraphNumNodes(const GnnGraph *graph, GnnSide side) {
  return graph->value->numNodes(toSide(side));
}

int64_t gnnGraphNumEdges(const GnnGraph *graph) {
  return graph->value->numEdges();
}

int64_t gnnGraphNumNodeTypes(const GnnGraph *graph) {
  return graph->value->numNodeTypes();
}

int64_t gnnGraphNumEdgeTypes(const GnnGraph *graph) {
  return graph->value->numEdgeTypes();
}

const int32_t *gnnGraphEdgeEnds(const GnnGraph *graph, GnnSide side) {
  return graph->value->edgeEnds(toSide(side)).data();
}

const int32_t *gnnGraphEdgeTypes(const GnnGraph *graph) {
  return graph->value->edgeType().data();
}

const int32_t *gnnGraphNodeTypes(const GnnGraph *graph, GnnSide side) {
  return graph->value->nodeType(toSide(side)).data();
}

const int32_t *gnnGraphSchema(const GnnGraph *graph) {
  const std::vector<EdgeTypeEnds> &schema = graph->value->schema();
  return schema.empty() ? nullptr : &schema.front().src;
}

const char *gnnGraphNodeTypeName(const GnnGraph *graph, int64_t type) {
  return nameAt(graph->value->nodeTypeNames(), type);
}

const char *gnnGraphEdgeTypeName(const GnnGraph *graph, int64_t type) {
  return nameAt(graph->value->edgeTypeNames(), type);
}

GnnError *gnnGraphFindNodeType(const GnnGraph *graph, const char *name,
                               int32_t *type) {
  return guardedCall("node type", [&]() -> Error {
    if (Error error =
            expectPointers("a graph, a name and a result", graph, name, type))
      return error;
    Expected<int32_t> found = graph->value->findNodeType(name);
    if (found)
      *type = *found;
    return found.takeError();
  });
}

GnnError *gnnGraphFindEdgeType(const GnnGraph *graph, const char *name,
                               int32_t *type) {
  return guardedCall("edge type", [&]() -> Error {
    if (Error error =
            expectPointers("a graph, a name and a result", graph, name, type))
      return error;
    Expected<int32_t> found = graph->value->findEdgeType(name);
    if (found)
      *type = *found;
    return found.takeError();
  });
}

GnnError *gnnGraphCount(const GnnGraph *graph, const char *key,
                        int64_t *value) {
  return guardedCall("count", [&]() -> Error {
    if (Error error =
            expectPointers("a graph, a key and a result", graph, key, value))
      return error;
    Expected<CountKey> parsed = parseCountKey(key);
    if (!parsed)
      return parsed.takeError();
    Expected<int64_t> count = graph->value->count(*parsed);
    if (count)
      *value = *count;
    return count.takeError();
  });
}

GnnError *gnnGraphStructure(const GnnGraph *graph, const char *key,
                            int32_t *values, int64_t capacity, int64_t *size) {
  return guardedCall("structure", [&]() -> Error {
    if (Error error =
            expectPointers("a graph, a key and a size", graph, key, size))
      return error;
    Expected<StructureKey> parsed = parseStructureKey(key);
    if (!parsed)
      return parsed.takeError();
    auto array = graph->value->structure(*parsed);
    if (!array)
      return array.takeError();
    int64_t count = static_cast<int64_t>((*array)->size());
    if (values && capacity < count)
      return failure("expected room for ", count, " values, got ", capacity);
    *size = count;
    if (values)
      copyBytes(values, (*array)->data(), (*array)->size() * sizeof(int32_t));
    return {};
  });
}

void gnnGraphClearStructures(const GnnGraph *graph) {
  if (graph)
    graph->value->clearStructures();
}

/// The statistics of a graph in one of their forms.
static GnnError *statisticsText(const GnnGraph *graph, char **text,
                                std::string (GraphStatistics::*form)() const) {
  return guardedCall("statistics", [&]() -> Error {
    if (Error error = expectPointers("a graph and a result", graph, text))
      return error;
    Expected<GraphStatistics> result = statistics(*graph->value);
    if (!result)
      return result.takeError();
    *text = copyString(((*result).*form)());
    return {};
  });
}

GnnError *gnnGraphStatistics(const GnnGraph *graph, char **json) {
  return statisticsText(graph, json, &GraphStatistics::json);
}

GnnError *gnnGraphStats(const GnnGraph *graph, char **attribute) {
  return statisticsText(graph, attribute, &GraphStatistics::attribute);
}

GnnError *gnnGraphDegrees(const GnnGraph *graph, GnnSide side, int32_t edgeType,
                          int32_t *result, int64_t size) {
  return guardedCall("degrees", [&]() -> Error {
    if (Error error = expectPointers("a graph and a result", graph, result))
      return error;
    int64_t nodes = graph->value->numNodes(toSide(side));
    if (size != nodes)
      return failure("expected room for ", nodes, " values, got ", size);
    auto values = degrees(*graph->value, toSide(side), edgeType);
    if (!values)
      return values.takeError();
    std::copy(values->begin(), values->end(), result);
    return {};
  });
}

//===----------------------------------------------------------------------===//
// Graphs made from graphs
//===----------------------------------------------------------------------===//

GnnError *gnnGraphAddSelfLoops(const GnnGraph *graph, bool replace,
                               int32_t edgeType, GnnGraph **result) {
  struct Parameters {
    SelfLoops mode;
    int32_t edgeType;
  } parameters = {replace ? SelfLoops::Replace : SelfLoops::Add, edgeType};
  return give(
      "add_self_loops", graph, result,
      [](const Graph &first, const void *data) {
        auto *given = static_cast<const Parameters *>(data);
        return addSelfLoops(first, given->mode, given->edgeType);
      },
      &parameters);
}

GnnError *gnnGraphAddInverses(const GnnGraph *graph, GnnGraph **result) {
  return give(
      "add_inverses", graph, result,
      [](const Graph &first, const void *) { return addInverses(first); },
      nullptr);
}

GnnError *gnnGraphRefineTypes(const GnnGraph *graph, GnnGraph **result) {
  return give(
      "refine_types", graph, result,
      [](const Graph &first, const void *) { return refineTypes(first); },
      nullptr);
}

GnnError *gnnGraphMergeTypes(const GnnGraph *graph, bool edgeTypes,
                             bool nodeTypes, GnnGraph **result) {
  bool parameters[] = {edgeTypes, nodeTypes};
  return give(
      "merge_types", graph, result,
      [](const Graph &first, const void *data) {
        auto *given = static_cast<const bool *>(data);
        return mergeTypes(first, given[0], given[1]);
      },
      parameters);
}

GnnError *gnnGraphBlocks(const GnnGraph *graph, int64_t seeds, int64_t layers,
                         GnnGraph **blocks) {
  return guardedCall("blocks", [&]() -> Error {
    if (Error error = expectPointers("a graph and a result", graph, blocks))
      return error;
    return giveBlocks(graph->value, seeds, layers, blocks);
  });
}

GnnError *gnnBlocksCreate(const GnnGraphArrays *given, int64_t seeds,
                          int64_t layers, GnnGraph **blocks) {
  return guardedCall("blocks", [&]() -> Error {
    if (Error error = expectPointers("arrays and a result", given, blocks))
      return error;
    auto graph = copyGraph(*given);
    if (!graph)
      return graph.takeError();
    return giveBlocks(*graph, seeds, layers, blocks);
  });
}

GnnError *gnnGraphRenumber(const GnnGraph *graph, const int32_t *srcIds,
                           int64_t numSrcIds, const int32_t *dstIds,
                           int64_t numDstIds, GnnGraph **result) {
  auto view = [](const int32_t *ids, int64_t count) -> ArrayView<int32_t> {
    return {ids, ids && count > 0 ? static_cast<size_t>(count) : 0};
  };
  ArrayView<int32_t> parameters[] = {view(srcIds, numSrcIds),
                                     view(dstIds, numDstIds)};
  return give(
      "renumber", graph, result,
      [](const Graph &first, const void *data) {
        auto *given = static_cast<const ArrayView<int32_t> *>(data);
        return renumber(first, given[0], given[1]);
      },
      parameters);
}

const int32_t *gnnGraphEdgeOrigin(const GnnGraph *graph) {
  return graph->derived ? graph->edgeOrigin.data() : nullptr;
}

const int32_t *gnnGraphEdgeTypeOrigin(const GnnGraph *graph) {
  return graph->derived ? graph->edgeTypeOrigin.data() : nullptr;
}

//===----------------------------------------------------------------------===//
// Graph files
//===----------------------------------------------------------------------===//

GnnError *gnnGraphFileLoad(const char *path, GnnGraphFile **file) {
  return guardedCall("graph file", [&]() -> Error {
    if (Error error = expectPointers("a path and a result", path, file))
      return error;
    Expected<GraphFile> value = GraphFile::load(path);
    if (!value)
      return value.takeError();
    auto handle = std::make_unique<GnnGraphFile>();
    handle->value = std::move(*value);
    *file = handle.release();
    return {};
  });
}

void gnnGraphFileRetain(GnnGraphFile *file) {
  if (file)
    file->retain();
}

void gnnGraphFileRelease(GnnGraphFile *file) {
  if (file)
    file->release();
}

GnnGraph *gnnGraphFileGraph(const GnnGraphFile *file) {
  return wrap(file->value.graph);
}

int64_t gnnGraphFileFeatureDim(const GnnGraphFile *file) {
  return file->value.hasFeatures ? file->value.features.dim : -1;
}

GnnError *gnnGraphFileFeatures(const GnnGraphFile *file, int64_t width,
                               float *features, int64_t size) {
  return guardedCall("features", [&]() -> Error {
    if (Error error = expectPointers("a file and a result", file, features))
      return error;
    if (!file->value.hasFeatures)
      return failure("expected node features in the file, got none");
    Expected<std::vector<float>> dense = file->value.features.dense(width);
    if (!dense)
      return dense.takeError();
    if (size != static_cast<int64_t>(dense->size()))
      return failure("expected room for ", dense->size(), " floats, got ",
                     size);
    std::copy(dense->begin(), dense->end(), features);
    return {};
  });
}

const int32_t *gnnGraphFileArray(const GnnGraphFile *file, const char *name) {
  const GraphFile &value = file->value;
  const std::pair<const char *, const std::vector<int32_t> *> arrays[] = {
      {"label", &value.label},          {"train_mask", &value.trainMask},
      {"val_mask", &value.valMask},     {"test_mask", &value.testMask},
      {"edge_split", &value.edgeSplit},
  };
  for (const auto &[known, array] : arrays)
    if (name && std::string_view(name) == known)
      return array->empty() ? nullptr : array->data();
  return nullptr;
}

const char *gnnGraphFileLabelName(const GnnGraphFile *file, int64_t label) {
  return nameAt(file->value.labelNames, label);
}
