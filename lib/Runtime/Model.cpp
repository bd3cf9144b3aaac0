//===- Model.cpp - Saved models -------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Runtime/Model.h"
#include "GNN/Runtime/Files.h"

#include "Archive.h"
#include "Guarded.h"
#include "ModelParts.h"

#include <algorithm>
#include <cstring>
#include <limits>

using namespace gnn::runtime;

static constexpr const char *kManifestEntry = "model.json";

static std::string entryOf(const ModelTensor &parameter) {
  return "parameters/" + parameter.name + ".npy";
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Checks that an array is what the manifest says of a parameter.
static Error checkParameter(const ModelTensor &said, const NpyArray &array) {
  if (array.isText || array.dtype != said.dtype || array.shape != said.shape)
    return failure("parameter '", said.name, "': expected ", describe(said),
                   ", got ", array.describe());
  return {};
}

int64_t Model::mostBytes() {
  return std::min(int64_t(1) << 36, physicalMemory());
}

Expected<std::shared_ptr<const Model>> Model::read(const Archive &archive,
                                                   int64_t maxBytes) {
  if (!archive.has(kManifestEntry))
    return failure("expected a saved model with '", kManifestEntry, "', got ",
                   archive.has("plan.json")
                       ? "a package without one, which gnnPackageLoad reads"
                       : "none");
  std::shared_ptr<Model> model(new Model());
  int64_t left = maxBytes;
  auto entry = [&](const std::string &name) -> Expected<std::string> {
    if (!archive.has(name))
      return failure("expected an entry '", name, "', got none");
    Expected<std::string> bytes = archive.read(name, left);
    if (bytes)
      left -= static_cast<int64_t>(bytes->size());
    return bytes;
  };
  Expected<std::string> text = entry(kManifestEntry);
  if (!text)
    return text.takeError();
  Expected<ModelManifest> manifest = ModelManifest::parse(*text);
  if (!manifest)
    return manifest.takeError();
  model->manifestText = std::move(*text);
  model->known = std::move(*manifest);
  for (const ModelTensor &parameter : model->known.parameters) {
    Expected<std::string> bytes = entry(entryOf(parameter));
    if (!bytes)
      return bytes.takeError();
    Expected<NpyArray> array = parseNpy(std::move(*bytes));
    if (!array)
      return array.takeError().in(entryOf(parameter));
    if (Error error = checkParameter(parameter, *array))
      return error;
    model->parameters.push_back(std::move(*array));
  }
  for (const ModelCall &call : model->known.calls)
    for (const ModelCall::Image &image : call.images) {
      if (model->entries.count(image.entry))
        continue;
      Expected<std::string> bytes = entry(image.entry);
      if (!bytes)
        return bytes.takeError();
      model->entries.emplace(image.entry, std::move(*bytes));
    }
  return std::shared_ptr<const Model>(std::move(model));
}

Expected<std::shared_ptr<const Model>> Model::load(const std::string &path,
                                                   int64_t maxBytes) {
  return guarded("model", [&]() -> Expected<std::shared_ptr<const Model>> {
    Expected<std::unique_ptr<Archive>> archive = Archive::open(path);
    if (!archive)
      return archive.takeError().in("model");
    auto model = read(**archive, maxBytes);
    if (!model)
      return model.takeError().in(path);
    return model;
  });
}

Expected<std::shared_ptr<const Model>> Model::loadBytes(std::string_view bytes,
                                                        int64_t maxBytes) {
  return guarded("model", [&]() -> Expected<std::shared_ptr<const Model>> {
    Expected<std::unique_ptr<Archive>> archive = Archive::openBytes(bytes);
    if (!archive)
      return archive.takeError().in("model");
    auto model = read(**archive, maxBytes);
    if (!model)
      return model.takeError().in("model");
    return model;
  });
}

Expected<std::shared_ptr<const Package>>
Model::package(const std::string &entry) const {
  std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<const Package> &known = packages[entry];
  if (known)
    return known;
  auto found = entries.find(entry);
  if (found == entries.end())
    return failure("expected an entry of a package, got '", entry, "'");
  auto package = Package::loadBytes(found->second);
  if (!package)
    return package.takeError().in(entry);
  known = std::move(*package);
  return known;
}

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

/// The targets of images, as "cuda (sm_90) or cpu".
static std::string listTargets(const std::vector<ModelCall::Image> &images) {
  std::vector<ModelTarget> known;
  std::string text;
  for (const ModelCall::Image &image : images) {
    if (std::find(known.begin(), known.end(), image.target) != known.end())
      continue;
    known.push_back(image.target);
    text += (text.empty() ? "" : " or ") + image.target.kind +
            (image.target.chip.empty() ? "" : " (" + image.target.chip + ")");
  }
  return text.empty() ? "none" : text;
}

Expected<const ModelCall::Image *> gnn::runtime::chooseImage(
    const ModelCall &call, const Device &device,
    const std::function<Error(const std::string &)> &checkSorted) {
  const ModelCall::Image *best = nullptr;
  std::optional<int64_t> rank;
  Error notSorted;
  for (const ModelCall::Image &image : call.images) {
    if (image.target.kind != device.kind())
      continue;
    std::optional<int64_t> own = device.rankChip(image.target.chip);
    if (!own || (rank && *own <= *rank))
      continue;
    Error error;
    for (const std::string &graph : image.dstSorted)
      if (!error)
        error = checkSorted(graph);
    if (error) {
      notSorted = std::move(error);
      continue;
    }
    best = &image;
    rank = own;
  }
  if (best)
    return best;
  if (notSorted)
    return notSorted;
  return failure("expected a device that the model was saved for, ",
                 listTargets(call.images), ", got ", device.name());
}

Expected<std::shared_ptr<const Package>>
Model::package(size_t call, const Device &device) const {
  return guarded("model", [&]() -> Expected<std::shared_ptr<const Package>> {
    if (call >= known.calls.size())
      return failure("expected one of ", known.calls.size(),
                     " calls, got number ", call);
    auto image = chooseImage(
        known.calls[call], device, [](const std::string &graph) -> Error {
          return failure("expected kernels for edges in any order, "
                         "got some for sorted edges of '",
                         graph, "' alone");
        });
    if (!image)
      return image.takeError();
    return package((*image)->entry);
  });
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

std::string gnn::runtime::describe(const ModelTensor &tensor) {
  std::string text = std::string(name(tensor.dtype)) + "[";
  for (size_t i = 0; i < tensor.shape.size(); ++i)
    text += (i ? "x" : "") + (tensor.shape[i] < 0
                                  ? std::string("?")
                                  : std::to_string(tensor.shape[i]));
  return text + "]";
}

static std::string shapeOf(const std::vector<int64_t> &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

/// Elements of an argument.
static constexpr int64_t kMostElements = int64_t(1) << 40;

/// Whether a condition holds of two numbers of rows.
static bool holds(ModelCondition::Op op, int64_t left, int64_t right) {
  switch (op) {
  case ModelCondition::Op::Equal:
    return left == right;
  case ModelCondition::Op::NotEqual:
    return left != right;
  case ModelCondition::Op::LessEqual:
    return left <= right;
  case ModelCondition::Op::Less:
    return left < right;
  }
  return false;
}

Expected<Arguments> Arguments::of(const ModelManifest &manifest,
                                  const std::vector<ModelValue> &values) {
  Arguments arguments(manifest);
  for (const ModelValue &value : values)
    if (std::none_of(manifest.arguments.begin(), manifest.arguments.end(),
                     [&](const auto &one) { return one.name == value.name; }))
      return failure("expected arguments of the model, got '", value.name, "'");
  for (const ModelTensor &said : manifest.arguments) {
    auto found =
        std::find_if(values.begin(), values.end(),
                     [&](const auto &one) { return one.name == said.name; });
    if (found == values.end())
      return failure("argument '", said.name, "': expected ", describe(said),
                     ", got none");
    if (std::any_of(found + 1, values.end(),
                    [&](const auto &one) { return one.name == said.name; }))
      return failure("argument '", said.name,
                     "': expected it once, got it again");
    bool fits = found->shape.size() == said.shape.size();
    for (size_t i = 0; fits && i < said.shape.size(); ++i)
      fits = found->shape[i] >= 0 &&
             (said.shape[i] < 0 || said.shape[i] == found->shape[i]);
    bool isIds = said.role == "ids";
    if (!fits)
      return failure("argument '", said.name, "': expected ", describe(said),
                     ", got the shape ", shapeOf(found->shape));
    bool isWide = found->dtype == DataType::I64;
    if (isIds ? !isWide && found->dtype != DataType::I32
              : found->dtype != said.dtype)
      return failure("argument '", said.name, "': expected ",
                     isIds ? "i64 or i32" : name(said.dtype), ", got ",
                     name(found->dtype));
    int64_t size = 1;
    for (int64_t extent : found->shape)
      if (extent > INT32_MAX || __builtin_mul_overflow(size, extent, &size) ||
          size > kMostElements)
        return failure("argument '", said.name, "': expected at most ",
                       kMostElements, " elements, got the shape ",
                       shapeOf(found->shape));
    if (isIds && size > 0 && !found->data)
      return failure("argument '", said.name, "': expected its ids, got null");
    arguments.values.push_back(&*found);
  }
  for (const ModelCondition &condition : manifest.conditions) {
    Expected<int64_t> left = arguments.count(condition.left);
    Expected<int64_t> right = arguments.count(condition.right);
    if (!left || !right)
      return left ? right.takeError() : left.takeError();
    if (!holds(condition.op, *left, *right))
      return failure("expected ", condition.text,
                     ", as of the arguments that the model was saved for, got ",
                     *left, " and ", *right);
  }
  return arguments;
}

Expected<int64_t> Arguments::count(const ModelCount &count) const {
  int64_t total = count.constant;
  for (const ModelCount::Extent &extent : count.extents)
    total += values[extent.argument]->shape[extent.dim];
  if (total > INT32_MAX)
    return failure("expected fewer than 2^31 rows, got ", total);
  return total;
}

namespace {
/// The numbers of an argument, in the order in which a part has them.
struct Numbers {
  Numbers(const ModelValue &value, std::optional<size_t> row)
      : isWide(value.dtype == DataType::I64),
        count(value.shape.empty() ? 1 : value.shape.back()),
        begin(row ? static_cast<int64_t>(*row) * count : 0),
        data(static_cast<const char *>(value.data)) {}
  int64_t operator[](int64_t i) const {
    return isWide ? load<int64_t>(begin + i) : load<int32_t>(begin + i);
  }

  bool isWide;
  int64_t count, begin;
  const char *data;

private:
  /// A number at any address.
  template <typename T> T load(int64_t i) const {
    T number;
    std::memcpy(&number, data + i * int64_t(sizeof(T)), sizeof(T));
    return number;
  }
};
} // namespace

Expected<int64_t> Arguments::size(const ModelIds &ids) const {
  int64_t total = 0;
  for (const ModelIds::Part &part : ids.parts) {
    Expected<int64_t> own =
        part.argument ? Numbers(*values[*part.argument], part.row).count
                      : count(part.count);
    if (!own)
      return own.takeError();
    total += *own;
  }
  return total;
}

Error Arguments::append(const ModelIds::Part &part, Indices &result) const {
  if (!part.argument) {
    Expected<int64_t> times = count(part.count);
    if (!times)
      return times.takeError();
    for (int64_t i = 0; i < *times; ++i)
      result.push_back(static_cast<int32_t>(part.number.value_or(i)));
    return {};
  }
  const std::string &name = manifest.arguments[*part.argument].name;
  Numbers numbers(*values[*part.argument], part.row);
  Expected<int64_t> base = count(part.base);
  if (!base)
    return base.takeError();
  int64_t limit = std::numeric_limits<int32_t>::max();
  if (part.limit) {
    Expected<int64_t> found = count(*part.limit);
    if (!found)
      return found.takeError();
    limit = *found;
  }
  auto at = result.size();
  result.resize(at + static_cast<size_t>(numbers.count));
  for (int64_t i = 0; i < numbers.count; ++i) {
    int64_t number = numbers[i];
    int64_t kept = part.wraps && number < 0 ? number + limit : number;
    if (part.others && (kept < 0 || kept >= *part.others))
      kept = *part.others;
    if (limit <= 0)
      return failure("argument '", name, "': expected no ids, as there are no ",
                     "nodes, got ", number, " at ", i);
    if (kept < 0 || kept >= limit)
      return failure("argument '", name, "': expected ids from ",
                     part.wraps ? -limit : 0, " to ", limit - 1, ", got ",
                     number, " at ", i);
    if (*base + kept > std::numeric_limits<int32_t>::max())
      return failure("argument '", name, "': expected ids under 2^31 behind ",
                     *base, " others, got ", number, " at ", i);
    result[at + static_cast<size_t>(i)] = static_cast<int32_t>(*base + kept);
  }
  return {};
}

Expected<Indices> Arguments::ids(const ModelIds &ids) const {
  Indices result;
  for (const ModelIds::Part &part : ids.parts)
    if (Error error = append(part, result))
      return error;
  return result;
}

namespace {
/// The arrays of a graph that borrows them.
struct OwnedIds {
  Indices src, dst, edgeType, srcType, dstType;
};
} // namespace

Expected<std::shared_ptr<const Graph>>
Arguments::graph(const ModelGraph &said) const {
  auto owned = std::make_shared<OwnedIds>();
  GraphArrays arrays;
  arrays.square = said.square;
  arrays.numEdgeTypes = said.edgeTypes;
  arrays.numNodeTypes = said.nodeTypes;
  auto nodes = [&](const ModelCount &from, int64_t &number) -> Error {
    Expected<int64_t> found = count(from);
    if (!found)
      return found.takeError();
    number = *found;
    return {};
  };
  if (Error error = nodes(said.srcNodes, arrays.numSrcNodes))
    return error;
  if (!said.square)
    if (Error error = nodes(said.dstNodes, arrays.numDstNodes))
      return error;
  // Some arrays of each: more than there is room for would end the process.
  auto checkRoom = [&](int64_t number, const char *what) -> Error {
    int64_t most = physicalMemory() / 16;
    if (number <= most)
      return {};
    return failure("graph '", said.name, "': expected at most ", most, " ",
                   what, " in the memory of this machine, got ", number);
  };
  int64_t nodeCount =
      arrays.numSrcNodes + (said.square ? 0 : arrays.numDstNodes);
  if (Error error = checkRoom(nodeCount, "nodes"))
    return error;
  Expected<int64_t> edgeCount = size(said.src);
  if (!edgeCount)
    return edgeCount.takeError();
  if (*edgeCount > INT32_MAX)
    return failure("graph '", said.name,
                   "': expected fewer than 2^31 sources, got ", *edgeCount);
  if (Error error = checkRoom(*edgeCount, "edges"))
    return error;
  auto vector = [&](const std::optional<ModelIds> &from, Indices &into,
                    const int32_t *&pointer, int64_t expected,
                    const char *what) -> Error {
    if (!from)
      return {};
    Expected<int64_t> got = size(*from); // before they take memory
    if (!got)
      return got.takeError();
    if (*got != expected)
      return failure("graph '", said.name, "': expected ", expected, " ", what,
                     ", got ", *got);
    Expected<Indices> found = ids(*from);
    if (!found)
      return found.takeError();
    into = std::move(*found);
    pointer = into.data();
    return {};
  };
  Expected<Indices> src = ids(said.src);
  if (!src)
    return src.takeError();
  owned->src = std::move(*src);
  arrays.edgeSrc = owned->src.data();
  arrays.numEdges = *edgeCount;
  if (Error error = vector(said.dst, owned->dst, arrays.edgeDst,
                           arrays.numEdges, "destinations"))
    return error;
  if (Error error = vector(said.edgeType, owned->edgeType, arrays.edgeType,
                           arrays.numEdges, "types of edges"))
    return error;
  if (Error error = vector(said.srcType, owned->srcType, arrays.srcNodeType,
                           arrays.numSrcNodes, "types of nodes"))
    return error;
  if (!said.square)
    if (Error error = vector(said.dstType, owned->dstType, arrays.dstNodeType,
                             arrays.numDstNodes, "types of nodes"))
      return error;
  return Graph::borrow(arrays, std::move(owned));
}

Expected<std::shared_ptr<const Graph>>
Model::graph(size_t index, const std::vector<ModelValue> &values) const {
  return guarded("model", [&]() -> Expected<std::shared_ptr<const Graph>> {
    if (index >= known.graphs.size())
      return failure("expected one of ", known.graphs.size(),
                     " graphs, got number ", index);
    Expected<Arguments> arguments = Arguments::of(known, values);
    if (!arguments)
      return arguments.takeError();
    return arguments->graph(known.graphs[index]);
  });
}
