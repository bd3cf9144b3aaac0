//===- CAPI.cpp - C API of devices, packages and bound functions ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CAPIHandles.h"
#include "CAPITensors.h"

#include "GNN/Runtime/CPUDevice.h"
#include "GNN/Runtime/CUDA.h"
#include "GNN/Runtime/Files.h"
#include "GNN/Runtime/Processors.h"
#include "GNN/Runtime/ThreadPool.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

using namespace gnn::runtime;

//===----------------------------------------------------------------------===//
// Handles, errors, strings
//===----------------------------------------------------------------------===//

/// The error that is returned where no memory is left for one. Never destroyed.
static GnnError outOfMemory{"out of host memory", GNN_ERROR_OTHER};

static_assert(static_cast<int>(ErrorKind::Other) == GNN_ERROR_OTHER &&
              static_cast<int>(ErrorKind::Option) == GNN_ERROR_OPTION &&
              static_cast<int>(ErrorKind::Program) == GNN_ERROR_PROGRAM &&
              static_cast<int>(ErrorKind::EdgeTypes) == GNN_ERROR_EDGE_TYPES &&
              static_cast<int>(ErrorKind::NodeTypes) == GNN_ERROR_NODE_TYPES &&
              static_cast<int>(ErrorKind::Limit) == GNN_ERROR_LIMIT &&
              static_cast<int>(ErrorKind::EdgeOrder) == GNN_ERROR_EDGE_ORDER);

GnnError *gnn::runtime::wrap(const Error &error) {
  if (!error)
    return nullptr;
  try {
    return new GnnError{error.message(),
                        static_cast<GnnErrorKind>(error.kind())};
  } catch (const std::bad_alloc &) {
    return &outOfMemory;
  }
}

GnnGraph *gnn::runtime::wrap(std::shared_ptr<const Graph> graph) {
  auto *handle = new GnnGraph();
  handle->value = std::move(graph);
  return handle;
}

GnnDevice *gnn::runtime::wrap(std::shared_ptr<Device> device) {
  auto handle = std::make_unique<GnnDevice>();
  handle->kind = device->kind();
  handle->name = device->name();
  handle->gpu = device->describeGPU();
  handle->value = std::move(device);
  return handle.release();
}

GnnPackage *gnn::runtime::wrap(std::shared_ptr<const Package> package) {
  auto handle = std::make_unique<GnnPackage>();
  handle->plan = package->plan().json();
  handle->value = std::move(package);
  return handle.release();
}

std::shared_ptr<const Graph> gnn::runtime::unwrap(const GnnGraph *graph) {
  return graph ? graph->value : nullptr;
}

std::shared_ptr<Device> gnn::runtime::unwrap(const GnnDevice *device) {
  return device ? device->value : nullptr;
}

std::shared_ptr<const Package> gnn::runtime::unwrap(const GnnPackage *package) {
  return package ? package->value : nullptr;
}

char *gnn::runtime::copyString(const std::string &text) {
  char *copy = static_cast<char *>(std::malloc(text.size() + 1));
  if (!copy)
    throw std::bad_alloc();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

const char *gnnErrorMessage(const GnnError *error) {
  return error ? error->message.c_str() : "";
}

GnnErrorKind gnnErrorKind(const GnnError *error) {
  return error ? error->kind : GNN_ERROR_OTHER;
}

void gnnErrorDestroy(GnnError *error) {
  if (error != &outOfMemory)
    delete error;
}

void gnnStringDestroy(char *string) { std::free(string); }

const char *gnnRuntimeVersion(void) { return GNN_VERSION; }

int gnnWriteFile(const char *path, const void *bytes, size_t size) {
  if (!path || (!bytes && size > 0))
    return EINVAL;
  try {
    return tryWriteFile(path, {{static_cast<const char *>(bytes), size}});
  } catch (const std::bad_alloc &) {
    return ENOMEM;
  } catch (...) {
    return EIO;
  }
}

int64_t gnnPhysicalMemory(void) { return physicalMemory(); }

int64_t gnnNumThreads(void) { return numThreads(); }

static Expected<unsigned> readThreads(int64_t count) {
  if (count < 0 || count > kMaxThreads)
    return failure("expected 0 to ", kMaxThreads, " threads, got ", count);
  return static_cast<unsigned>(count);
}

GnnError *gnnSetNumThreads(int64_t count) {
  return guardedCall("threads", [&]() -> Error {
    auto threads = readThreads(count);
    if (!threads)
      return threads.takeError();
    setNumThreads(*threads);
    return {};
  });
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

GnnError *gnnCudaDeviceCount(int *count) {
  return guardedCall("cuda", [&]() -> Error {
    if (Error error = expectPointers("a result", count))
      return error;
    Expected<int> value = countCudaDevices();
    if (value)
      *count = *value;
    return value.takeError();
  });
}

GnnError *gnnDeviceOpenCuda(int ordinal, GnnDevice **device) {
  return guardedCall("cuda", [&]() -> Error {
    if (Error error = expectPointers("a result", device))
      return error;
    auto value = openCudaDevice(ordinal);
    if (!value)
      return value.takeError();
    *device = wrap(std::move(*value));
    return {};
  });
}

GnnError *gnnDeviceOpenCpu(int threads, GnnDevice **device) {
  return guardedCall("cpu", [&]() -> Error {
    if (Error error = expectPointers("a result", device))
      return error;
    auto count = readThreads(threads);
    if (!count)
      return count.takeError();
    *device = wrap(createCPUDevice(*count, compileKernels));
    return {};
  });
}

bool gnnProcessor(int64_t index, GnnProcessor *processor) {
  ArrayView<Processor> all = listProcessors();
  if (!processor || index < 0 || index >= static_cast<int64_t>(all.size()))
    return false;
  const Processor &found = all[static_cast<size_t>(index)];
  *processor = {found.name, found.isHere, found.isCommon};
  return true;
}

void gnnDeviceRetain(GnnDevice *device) {
  if (device)
    device->retain();
}

void gnnDeviceRelease(GnnDevice *device) {
  if (device)
    device->release();
}

const char *gnnDeviceKind(const GnnDevice *device) {
  return device->kind.c_str();
}

const char *gnnDeviceName(const GnnDevice *device) {
  return device->name.c_str();
}

const char *gnnDeviceDescribeGPU(const GnnDevice *device) {
  return device->gpu.c_str();
}

GnnError *gnnDeviceAllocate(GnnDevice *device, int64_t bytes, void **memory) {
  return guardedCall("allocate", [&]() -> Error {
    if (Error error = expectPointers("a device and a result", device, memory))
      return error;
    Expected<void *> value = device->value->allocate(bytes);
    if (value)
      *memory = *value;
    return value.takeError();
  });
}

void gnnDeviceFree(GnnDevice *device, void *memory) {
  if (device)
    device->value->free(memory);
}

static Error checkCopy(const GnnDevice *device, const void *to,
                       const void *from, int64_t bytes) {
  if (Error error = expectPointers("a device", device))
    return error;
  if (bytes < 0)
    return failure("expected 0 or more bytes, got ", bytes);
  return bytes ? expectPointers("memory to copy from and to", to, from)
               : Error();
}

GnnError *gnnDeviceCopyToDevice(GnnDevice *device, void *to, const void *from,
                                int64_t bytes) {
  return guardedCall("copy", [&]() -> Error {
    if (Error error = checkCopy(device, to, from, bytes))
      return error;
    return device->value->copyToDevice(to, from, bytes);
  });
}

GnnError *gnnDeviceCopyToHost(GnnDevice *device, void *to, const void *from,
                              int64_t bytes) {
  return guardedCall("copy", [&]() -> Error {
    if (Error error = checkCopy(device, to, from, bytes))
      return error;
    return device->value->copyToHost(to, from, bytes);
  });
}

GnnError *gnnDeviceSynchronize(GnnDevice *device, void *stream) {
  return guardedCall("synchronize", [&]() -> Error {
    if (Error error = expectPointers("a device", device))
      return error;
    return device->value->synchronize(stream);
  });
}

//===----------------------------------------------------------------------===//
// Packages
//===----------------------------------------------------------------------===//

GnnError *gnnPackageLoad(const char *path, GnnPackage **package) {
  return guardedCall("package", [&]() -> Error {
    if (Error error = expectPointers("a path and a result", path, package))
      return error;
    auto value = Package::load(path);
    if (!value)
      return value.takeError();
    *package = wrap(std::move(*value));
    return {};
  });
}

GnnError *gnnPackageLoadBytes(const void *bytes, size_t size,
                              GnnPackage **package) {
  return guardedCall("package", [&]() -> Error {
    if (Error error = expectPointers("bytes and a result", bytes, package))
      return error;
    auto value = Package::loadBytes({static_cast<const char *>(bytes), size});
    if (!value)
      return value.takeError();
    *package = wrap(std::move(*value));
    return {};
  });
}

GnnError *gnnPackageSave(const GnnPackage *package, const char *path) {
  return guardedCall("package", [&]() -> Error {
    if (Error error = expectPointers("a package and a path", package, path))
      return error;
    return package->value->save(path);
  });
}

GnnError *gnnPackageBytes(const GnnPackage *package, char **bytes,
                          size_t *size) {
  return guardedCall("package", [&]() -> Error {
    if (Error error =
            expectPointers("a package, bytes and a size", package, bytes, size))
      return error;
    Expected<std::string> packed = package->value->bytes();
    if (!packed)
      return packed.takeError();
    *bytes = copyString(*packed);
    *size = packed->size();
    return {};
  });
}

void gnnPackageRetain(GnnPackage *package) {
  if (package)
    package->retain();
}

void gnnPackageRelease(GnnPackage *package) {
  if (package)
    package->release();
}

int64_t gnnPackageNumFunctions(const GnnPackage *package) {
  return static_cast<int64_t>(package->value->plan().functions.size());
}

const char *gnnPackageFunctionName(const GnnPackage *package, int64_t index) {
  const std::vector<FunctionPlan> &functions = package->value->plan().functions;
  return index >= 0 && index < static_cast<int64_t>(functions.size())
             ? functions[static_cast<size_t>(index)].name.c_str()
             : nullptr;
}

GnnError *gnnPackageFindFunction(const GnnPackage *package, const char *name,
                                 int64_t *index) {
  return guardedCall("package", [&]() -> Error {
    if (Error error = expectPointers("a package, a name and a result", package,
                                     name, index))
      return error;
    const LaunchPlan &plan = package->value->plan();
    Expected<const FunctionPlan *> function = plan.find(name);
    if (function)
      *index = *function - plan.functions.data();
    return function.takeError();
  });
}

const char *gnnPackagePlan(const GnnPackage *package) {
  return package->plan.c_str();
}

const char *gnnPackageKernels(const GnnPackage *package, const char *format,
                              size_t *size) {
  for (const auto &[known, image] : package->value->images())
    if (format && known == format) {
      if (size)
        *size = image.size();
      return image.c_str();
    }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Bound functions
//===----------------------------------------------------------------------===//

void gnnBoundRetain(GnnBoundFunction *bound) {
  if (bound)
    bound->retain();
}

void gnnBoundRelease(GnnBoundFunction *bound) {
  if (bound)
    bound->release();
}

int64_t gnnBoundWorkspaceBytes(const GnnBoundFunction *bound) {
  return bound->value->workspaceBytes();
}

int64_t gnnBoundStructureBytes(const GnnBoundFunction *bound) {
  return bound->value->structureBytes();
}

int64_t gnnBoundNumInputs(const GnnBoundFunction *bound) {
  return static_cast<int64_t>(bound->value->inputs().size());
}

int64_t gnnBoundNumOutputs(const GnnBoundFunction *bound) {
  return static_cast<int64_t>(bound->value->outputs().size());
}

void gnnBoundRows(const GnnBoundFunction *bound, int64_t *rows,
                  int64_t capacity) {
  for (const auto *tensors :
       {&bound->value->inputs(), &bound->value->outputs()})
    for (const TensorInfo &info : *tensors)
      if (capacity-- > 0)
        *rows++ = info.shape.empty() ? 1 : info.shape[0];
}

bool gnnBoundInput(const GnnBoundFunction *bound, int64_t index,
                   GnnTensorInfo *info) {
  return describeTensor(bound->value->inputs(), index, info);
}

bool gnnBoundOutput(const GnnBoundFunction *bound, int64_t index,
                    GnnTensorInfo *info) {
  return describeTensor(bound->value->outputs(), index, info);
}

/// The tensor of that index; null where there is none.
static const TensorSpec *findTensor(const std::vector<TensorSpec> &tensors,
                                    int64_t index) {
  bool isThere = index >= 0 && index < static_cast<int64_t>(tensors.size());
  return isThere ? &tensors[static_cast<size_t>(index)] : nullptr;
}

static const TensorSpec *findInput(const GnnBoundFunction *bound,
                                   int64_t index) {
  return findTensor(bound->value->plan().inputs, index);
}

static const TensorSpec *findOutput(const GnnBoundFunction *bound,
                                    int64_t index) {
  return findTensor(bound->value->plan().outputs, index);
}

static const char *orNull(const std::string &text) {
  return text.empty() ? nullptr : text.c_str();
}

static const char *roleOf(const TensorSpec *tensor) {
  return tensor ? name(tensor->role) : nullptr;
}

static const char *whatGradientIsOf(const TensorSpec *tensor) {
  return tensor ? orNull(tensor->of) : nullptr;
}

static const char *keyOf(const TensorSpec *tensor) {
  return tensor ? orNull(tensor->key) : nullptr;
}

const char *gnnBoundInputRole(const GnnBoundFunction *bound, int64_t index) {
  return roleOf(findInput(bound, index));
}

const char *gnnBoundOutputRole(const GnnBoundFunction *bound, int64_t index) {
  return roleOf(findOutput(bound, index));
}

const char *gnnBoundInputOf(const GnnBoundFunction *bound, int64_t index) {
  return whatGradientIsOf(findInput(bound, index));
}

const char *gnnBoundOutputOf(const GnnBoundFunction *bound, int64_t index) {
  return whatGradientIsOf(findOutput(bound, index));
}

const char *gnnBoundInputKey(const GnnBoundFunction *bound, int64_t index) {
  return keyOf(findInput(bound, index));
}

const char *gnnBoundOutputKey(const GnnBoundFunction *bound, int64_t index) {
  return keyOf(findOutput(bound, index));
}

const char *gnnBoundGradientOf(const GnnBoundFunction *bound) {
  return orNull(bound->value->plan().gradientOf);
}

const char *gnnBoundPass(const GnnBoundFunction *bound) {
  GradientPass pass = bound->value->plan().pass;
  return pass == GradientPass::None ? nullptr : name(pass);
}

GnnError *gnnBoundRun(const GnnBoundFunction *bound,
                      const GnnConstBuffer *inputs, int64_t numInputs,
                      const GnnBuffer *outputs, int64_t numOutputs,
                      GnnBuffer workspace, void *stream) {
  return guardedCall("run", [&]() -> Error {
    if (Error error = expectPointers("a bound function", bound))
      return error;
    if (Error error =
            checkBuffers(*bound->value, inputs, numInputs, outputs, numOutputs))
      return error.in(bound->value->name());
    return bound->value->run(buffers<ConstBuffer>(inputs, numInputs),
                             buffers<Buffer>(outputs, numOutputs),
                             {workspace.data, workspace.bytes}, stream);
  });
}

GnnError *gnnBoundReport(const GnnBoundFunction *bound, char **json) {
  return guardedCall("report", [&]() -> Error {
    if (Error error =
            expectPointers("a bound function and a result", bound, json))
      return error;
    *json = copyString(bound->value->report().json());
    return {};
  });
}

GnnError *gnnBoundProfile(const GnnBoundFunction *bound,
                          const GnnConstBuffer *inputs, int64_t numInputs,
                          const GnnBuffer *outputs, int64_t numOutputs,
                          GnnBuffer workspace, void *stream, int repetitions,
                          char **json) {
  return guardedCall("profile", [&]() -> Error {
    if (Error error =
            expectPointers("a bound function and a result", bound, json))
      return error;
    if (Error error =
            checkBuffers(*bound->value, inputs, numInputs, outputs, numOutputs))
      return error.in(bound->value->name());
    Expected<Report> report = bound->value->profile(
        buffers<ConstBuffer>(inputs, numInputs),
        buffers<Buffer>(outputs, numOutputs), {workspace.data, workspace.bytes},
        stream, repetitions);
    if (!report)
      return report.takeError();
    *json = copyString(report->json());
    return {};
  });
}
