//===- CAPIModel.cpp - C API of saved models ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN-c/Model.h"

#include "CAPIBinding.h"
#include "CAPITensors.h"

#include "GNN/Runtime/Model.h"

using namespace gnn::runtime;

struct GnnModel : GnnCounted<GnnModel> {
  std::shared_ptr<const Model> value;
};

struct GnnBoundModel : GnnCounted<GnnBoundModel> {
  std::shared_ptr<const BoundModel> value;
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

/// The one of that index; null where there is none.
template <typename T>
static const T *find(const std::vector<T> &all, int64_t index) {
  return index >= 0 && index < sizeOf(all) ? &all[static_cast<size_t>(index)]
                                           : nullptr;
}

template <typename T>
static bool describeOf(const std::vector<T> &tensors, int64_t index,
                       GnnModelTensor *result) {
  const ModelTensor *tensor = find(tensors, index);
  if (!tensor || !result)
    return false;
  *result = {tensor->name.c_str(), tensor->role.c_str(), name(tensor->dtype),
             static_cast<int64_t>(tensor->shape.size()), tensor->shape.data()};
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

int64_t gnnModelNumGraphs(const GnnModel *model) {
  return sizeOf(model->value->manifest().graphs);
}

int64_t gnnModelNumTargets(const GnnModel *model) {
  return sizeOf(model->value->manifest().targets);
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

bool gnnModelGraph(const GnnModel *model, int64_t index, GnnModelGraph *graph) {
  const ModelGraph *found = find(model->value->manifest().graphs, index);
  if (!found || !graph)
    return false;
  *graph = {found->name.c_str(), found->square, found->nodeTypes,
            found->edgeTypes};
  return true;
}

bool gnnModelTarget(const GnnModel *model, int64_t index,
                    GnnModelTarget *target) {
  const ModelTarget *found = find(model->value->manifest().targets, index);
  if (!found || !target)
    return false;
  *target = {found->kind.c_str(), found->chip.c_str()};
  return true;
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
static Expected<std::vector<ModelValue>>
convert(const GnnModel *model, const GnnArray *values, int64_t count) {
  if (count < 0 || (count > 0 && !values))
    return failure("expected ", gnnModelNumArguments(model), " arguments, got ",
                   count < 0 ? std::to_string(count) : "null");
  std::vector<ModelValue> made;
  for (const GnnArray &value : pointers(values, count)) {
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

GnnError *gnnModelMakeGraph(const GnnModel *model, int64_t index,
                            const GnnArray *values, int64_t numValues,
                            GnnGraph **graph) {
  return guardedCall("model", [&]() -> Error {
    if (Error error = expectPointers("a model and a result", model, graph))
      return error;
    auto given = convert(model, values, numValues);
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

int64_t gnnModelNumCalls(const GnnModel *model) {
  return sizeOf(model->value->manifest().calls);
}

const char *gnnModelCallFunction(const GnnModel *model, int64_t call) {
  const ModelCall *found = find(model->value->manifest().calls, call);
  return found ? found->function.c_str() : nullptr;
}

GnnError *gnnModelCallPackage(const GnnModel *model, int64_t call,
                              const GnnDevice *device, GnnPackage **package) {
  return guardedCall("model", [&]() -> Error {
    if (Error error = expectPointers("a model, a device and a result", model,
                                     device, package))
      return error;
    if (call < 0)
      return failure("expected the number of a call, got ", call);
    auto made =
        model->value->package(static_cast<size_t>(call), *device->value);
    if (!made)
      return made.takeError();
    *package = wrap(std::move(*made));
    return {};
  });
}

GnnError *gnnModelBind(const GnnModel *model, const GnnArray *values,
                       int64_t numValues, const GnnDevice *device,
                       const GnnBindOptions *options, GnnBoundModel **bound) {
  return guardedCall("model", [&]() -> Error {
    if (Error error = expectPointers("a model, a device and a result", model,
                                     device, bound))
      return error;
    auto given = convert(model, values, numValues);
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
