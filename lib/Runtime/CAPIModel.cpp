//===- CAPIModel.cpp - C API of saved models ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN-c/Model.h"

#include "CAPIBinding.h"
#include "CAPITensors.h"

#include "GNN/Runtime/Model.h"
#include "GNN/Runtime/Npy.h"

#include <map>

using namespace gnn::runtime;

struct GnnModel : GnnCounted<GnnModel> {
  std::shared_ptr<const Model> value;
};

struct GnnBoundModel : GnnCounted<GnnBoundModel> {
  std::shared_ptr<const BoundModel> value;
};

struct GnnArrays : GnnCounted<GnnArrays> {
  std::map<std::string, NpyArray, std::less<>> values;
};

/// Gives a handle of what was made.
template <typename Handle, typename T>
static Error give(Expected<std::shared_ptr<const T>> made, Handle **result) {
  if (!made)
    return made.takeError();
  auto handle = std::make_unique<Handle>();
  handle->value = std::move(*made);
  *result = handle.release();
  return {};
}

GnnError *gnnModelLoad(const char *path, GnnModel **model) {
  return guardedCall("model", [&]() -> Error {
    if (Error error = expectPointers("a path and a result", path, model))
      return error;
    return give(Model::load(path), model);
  });
}

GnnError *gnnModelLoadBytes(const void *bytes, size_t size, GnnModel **model) {
  return guardedCall("model", [&]() -> Error {
    if (Error error = expectPointers("bytes and a result", bytes, model))
      return error;
    return give(Model::loadBytes({static_cast<const char *>(bytes), size}),
                model);
  });
}

void gnnModelRetain(GnnModel *model) {
  if (model)
    model->retain();
}

void gnnModelRelease(GnnModel *model) {
  if (model)
    model->release();
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

const char *gnnModelManifest(const GnnModel *model) {
  return model->value->text().c_str();
}

template <typename T> static int64_t sizeOf(const std::vector<T> &tensors) {
  return static_cast<int64_t>(tensors.size());
}

template <typename T>
static bool describeOf(const std::vector<T> &tensors, int64_t index,
                       GnnModelTensor *result) {
  if (!result || index < 0 || index >= sizeOf(tensors))
    return false;
  const ModelTensor &tensor = tensors[static_cast<size_t>(index)];
  *result = {tensor.name.c_str(), tensor.role.c_str(), name(tensor.dtype),
             static_cast<int64_t>(tensor.shape.size()), tensor.shape.data()};
  return true;
}

int64_t gnnModelNumArguments(const GnnModel *model) {
  return sizeOf(model->value->manifest().arguments);
}

int64_t gnnModelNumParameters(const GnnModel *model) {
  return sizeOf(model->value->manifest().parameters);
}

int64_t gnnModelNumOutputs(const GnnModel *model) {
  return sizeOf(model->value->manifest().outputs);
}

bool gnnModelArgument(const GnnModel *model, int64_t index,
                      GnnModelTensor *tensor) {
  return describeOf(model->value->manifest().arguments, index, tensor);
}

bool gnnModelParameter(const GnnModel *model, int64_t index,
                       GnnModelTensor *tensor) {
  return describeOf(model->value->manifest().parameters, index, tensor);
}

bool gnnModelOutput(const GnnModel *model, int64_t index,
                    GnnModelTensor *tensor) {
  return describeOf(model->value->manifest().outputs, index, tensor);
}

GnnConstBuffer gnnModelParameterData(const GnnModel *model, int64_t index) {
  if (index < 0 || index >= gnnModelNumParameters(model))
    return {nullptr, 0};
  const std::string &bytes =
      model->value->parameter(static_cast<size_t>(index)).bytes;
  return {bytes.data(), static_cast<int64_t>(bytes.size())};
}

//===----------------------------------------------------------------------===//
// Graphs, packages and bound models
//===----------------------------------------------------------------------===//

/// The arguments of a caller of C as those of the library.
static Expected<std::vector<ModelValue>> convert(const GnnModelValue *values,
                                                 int64_t count) {
  std::vector<ModelValue> made;
  for (const GnnModelValue &value : pointers(values, count)) {
    if (Error error = expectPointers("a name and a dtype of each argument",
                                     value.name, value.dtype))
      return error;
    if (value.rank < 0 || value.rank > 16 || (value.rank > 0 && !value.shape))
      return failure("argument '", value.name,
                     "': expected a shape of at most 16 dimensions, got ",
                     value.rank, value.shape ? "" : " and null");
    Expected<DataType> dtype = parseDataType(value.dtype);
    if (!dtype)
      return dtype.takeError().in("argument '" + std::string(value.name) + "'");
    made.push_back({value.name,
                    std::vector<int64_t>(value.shape, value.shape + value.rank),
                    *dtype, value.data});
  }
  return made;
}

GnnError *gnnModelGraph(const GnnModel *model, int64_t index,
                        const GnnModelValue *values, int64_t numValues,
                        GnnGraph **graph) {
  return guardedCall("model", [&]() -> Error {
    if (Error error = expectPointers("a model and a result", model, graph))
      return error;
    auto given = convert(values, numValues);
    if (!given)
      return given.takeError();
    if (index < 0)
      return failure("expected the number of a graph, got ", index);
    auto made = model->value->graph(static_cast<size_t>(index), *given);
    if (!made)
      return made.takeError();
    *graph = wrap(std::move(*made));
    return {};
  });
}

GnnError *gnnModelPackage(const GnnModel *model, const char *entry,
                          GnnPackage **package) {
  return guardedCall("model", [&]() -> Error {
    if (Error error = expectPointers("a model, an entry and a result", model,
                                     entry, package))
      return error;
    auto made = model->value->package(entry);
    if (!made)
      return made.takeError();
    *package = wrap(std::move(*made));
    return {};
  });
}

GnnError *gnnModelBind(const GnnModel *model, const GnnModelValue *values,
                       int64_t numValues, const GnnDevice *device,
                       const GnnBindOptions *options, GnnBoundModel **bound) {
  return guardedCall("model", [&]() -> Error {
    if (Error error = expectPointers("a model, a device and a result", model,
                                     device, bound))
      return error;
    auto given = convert(values, numValues);
    if (!given)
      return given.takeError();
    Expected<BindOptions> converted = convertOptions(options);
    if (!converted)
      return converted.takeError();
    return give(model->value->bind(*given, device->value, *converted), bound);
  });
}

void gnnBoundModelRetain(GnnBoundModel *bound) {
  if (bound)
    bound->retain();
}

void gnnBoundModelRelease(GnnBoundModel *bound) {
  if (bound)
    bound->release();
}

int64_t gnnBoundModelNumInputs(const GnnBoundModel *bound) {
  return static_cast<int64_t>(bound->value->inputs().size());
}

int64_t gnnBoundModelNumOutputs(const GnnBoundModel *bound) {
  return static_cast<int64_t>(bound->value->outputs().size());
}

bool gnnBoundModelInput(const GnnBoundModel *bound, int64_t index,
                        GnnTensorInfo *info) {
  return describeTensor(bound->value->inputs(), index, info);
}

bool gnnBoundModelOutput(const GnnBoundModel *bound, int64_t index,
                         GnnTensorInfo *info) {
  return describeTensor(bound->value->outputs(), index, info);
}

int64_t gnnBoundModelWorkspaceBytes(const GnnBoundModel *bound) {
  return bound->value->workspaceBytes();
}

GnnBoundFunction *gnnBoundModelFunction(const GnnBoundModel *bound,
                                        int64_t index) {
  const auto &functions = bound->value->functions();
  if (index < 0 || index >= static_cast<int64_t>(functions.size()))
    return nullptr;
  auto handle = std::make_unique<GnnBoundFunction>();
  handle->value = functions[static_cast<size_t>(index)];
  return handle.release();
}

GnnError *gnnBoundModelRun(const GnnBoundModel *bound,
                           const GnnConstBuffer *inputs, int64_t numInputs,
                           const GnnBuffer *outputs, int64_t numOutputs,
                           GnnBuffer workspace, void *stream) {
  return guardedCall("run", [&]() -> Error {
    if (Error error = expectPointers("a bound model", bound))
      return error;
    if (Error error =
            checkBuffers(*bound->value, inputs, numInputs, outputs, numOutputs))
      return error;
    return bound->value->run(buffers<ConstBuffer>(inputs, numInputs),
                             buffers<Buffer>(outputs, numOutputs),
                             {workspace.data, workspace.bytes}, stream);
  });
}

//===----------------------------------------------------------------------===//
// Arrays in files
//===----------------------------------------------------------------------===//

GnnError *gnnArraysLoad(const char *path, GnnArrays **arrays) {
  return guardedCall("arrays", [&]() -> Error {
    if (Error error = expectPointers("a path and a result", path, arrays))
      return error;
    auto file = NpzFile::open(path);
    if (!file)
      return file.takeError();
    auto handle = std::make_unique<GnnArrays>();
    for (const std::string &name : (*file)->names()) {
      Expected<NpyArray> array = (*file)->read(name);
      if (!array)
        return array.takeError().in(path);
      if (array->isText)
        return failure(path, ": expected numbers in '", name, "', got text");
      handle->values.emplace(name, std::move(*array));
    }
    *arrays = handle.release();
    return {};
  });
}

void gnnArraysRetain(GnnArrays *arrays) {
  if (arrays)
    arrays->retain();
}

void gnnArraysRelease(GnnArrays *arrays) {
  if (arrays)
    arrays->release();
}

bool gnnArraysFind(const GnnArrays *arrays, const char *name,
                   GnnModelValue *value) {
  auto found = arrays->values.find(name ? name : "");
  if (found == arrays->values.end() || !value)
    return false;
  const NpyArray &array = found->second;
  *value = {found->first.c_str(), gnn::runtime::name(array.dtype),
            static_cast<int64_t>(array.shape.size()), array.shape.data(),
            array.bytes.data()};
  return true;
}
