/*===- serve.c - Run a saved model on batches -----------------------------===*\
|*
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|*   serve [--device cuda|cpu] MODEL.gnnpkg BATCHES.npz [OUT]
|*
|* Runs a model that gnn_mlir.export saved on each batch of a file: arrays 0/x,
|* 0/edge_index, 1/x, ..., each with the number of its batch and the name of an
|* argument. A batch without ids has the graph of the batch before. The first
|* output of batch N goes to OUT.N, as floats without a header. By default a
|* model with kernels for GPUs runs on the first GPU, where there is one, and
|* kernels for other chips are then an error.
|* docs/Serving.md explains the steps.
|*
\*===----------------------------------------------------------------------===*/

#include "GNN-c/Model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ARGUMENTS 64

/* Ends the program where a call failed. */
static void check(GnnError *error) {
  if (!error)
    return;
  fprintf(stderr, "serve: %s\n", gnnErrorMessage(error));
  gnnErrorDestroy(error);
  exit(1);
}

static void *allocate(GnnDevice *device, int64_t bytes) {
  void *memory = NULL;
  check(gnnDeviceAllocate(device, bytes, &memory));
  return memory;
}

/* The kind of device for a model: a GPU where it has kernels for some and there
 * is any, else the CPU. */
static const char *chooseKind(const GnnModel *model) {
  int count = 0;
  GnnError *error = gnnCudaDeviceCount(&count);
  bool hasGpu = !error && count > 0;
  gnnErrorDestroy(error);
  GnnModelTarget target;
  for (int64_t i = 0; gnnModelTarget(model, i, &target); ++i)
    if (hasGpu && strcmp(target.kind, "cuda") == 0)
      return "cuda";
  return "cpu";
}

static GnnDevice *openDevice(const char *kind) {
  GnnDevice *device = NULL;
  check(strcmp(kind, "cpu") == 0 ? gnnDeviceOpenCpu(/*threads=*/0, &device)
                                 : gnnDeviceOpenCuda(/*ordinal=*/0, &device));
  return device;
}

/* A model that is bound to the graph of a batch, with memory for its runs. */
typedef struct Server {
  GnnDevice *device;
  GnnModel *model;
  GnnBoundModel *bound;
  GnnBuffer inputs[MAX_ARGUMENTS], outputs[MAX_ARGUMENTS], workspace;
} Server;

static void letGo(Server *server) {
  if (!server->bound)
    return;
  int64_t inputs = gnnBoundModelNumInputs(server->bound);
  int64_t outputs = gnnBoundModelNumOutputs(server->bound);
  for (int64_t i = 0; i < inputs; ++i)
    gnnDeviceFree(server->device, server->inputs[i].data);
  for (int64_t i = 0; i < outputs; ++i)
    gnnDeviceFree(server->device, server->outputs[i].data);
  gnnDeviceFree(server->device, server->workspace.data);
  gnnBoundModelRelease(server->bound);
  server->bound = NULL;
}

/* Binds the model to a graph: once for all batches that have it. */
static void bind(Server *server, const GnnArray *values, int64_t count) {
  letGo(server);
  GnnArray given[MAX_ARGUMENTS];
  int64_t numGiven = 0;
  for (int64_t i = 0; i < count; ++i)
    if (values[i].name) /* the error names what is missing */
      given[numGiven++] = values[i];
  check(gnnModelBind(server->model, given, numGiven, server->device,
                     /*options=*/NULL, &server->bound));
  GnnTensorInfo info;
  for (int64_t i = 0; gnnBoundModelInput(server->bound, i, &info); ++i)
    server->inputs[i] =
        (GnnBuffer){allocate(server->device, info.bytes), info.bytes};
  for (int64_t i = 0; gnnBoundModelOutput(server->bound, i, &info); ++i)
    server->outputs[i] =
        (GnnBuffer){allocate(server->device, info.bytes), info.bytes};
  int64_t bytes = gnnBoundModelWorkspaceBytes(server->bound);
  server->workspace = (GnnBuffer){allocate(server->device, bytes), bytes};
}

/* Whether features have the type and the shape of an input. */
static bool isLike(const GnnArray *value, const GnnTensorInfo *info) {
  bool isSame =
      strcmp(value->dtype, info->dtype) == 0 && value->rank == info->rank;
  for (int64_t i = 0; isSame && i < info->rank; ++i)
    isSame = value->shape[i] == info->shape[i];
  return isSame;
}

/* Runs one batch, whose features are on the host. */
static void run(Server *server, const GnnArray *values, int64_t count) {
  GnnConstBuffer inputs[MAX_ARGUMENTS];
  int64_t numInputs = gnnBoundModelNumInputs(server->bound);
  GnnTensorInfo info;
  for (int64_t i = 0; gnnBoundModelInput(server->bound, i, &info); ++i)
    for (int64_t j = 0; j < count; ++j)
      if (values[j].name && strcmp(values[j].name, info.name) == 0) {
        if (!isLike(&values[j], &info)) {
          fprintf(stderr,
                  "serve: %s: expected the type and shape that the "
                  "model is bound to, got others\n",
                  info.name);
          exit(1);
        }
        check(gnnDeviceCopyToDevice(server->device, server->inputs[i].data,
                                    values[j].data, info.bytes));
        inputs[i] =
            (GnnConstBuffer){server->inputs[i].data, server->inputs[i].bytes};
      }
  check(gnnBoundModelRun(server->bound, inputs, numInputs, server->outputs,
                         gnnBoundModelNumOutputs(server->bound),
                         server->workspace, /*stream=*/NULL));
  check(gnnDeviceSynchronize(server->device, /*stream=*/NULL));
}

/* Prints the outputs, and writes the first one. */
static void give(Server *server, int batch, const char *out) {
  GnnTensorInfo info;
  for (int64_t i = 0; gnnBoundModelOutput(server->bound, i, &info); ++i) {
    float *values = malloc(info.bytes > 0 ? (size_t)info.bytes : 1);
    if (!values)
      exit(1);
    check(gnnDeviceCopyToHost(server->device, values, server->outputs[i].data,
                              info.bytes));
    double sum = 0;
    for (int64_t j = 0; j < info.bytes / 4; ++j)
      sum += values[j];
    printf("batch %d: %s [%lld", batch, info.name,
           (long long)(info.rank ? info.shape[0] : 1));
    for (int64_t d = 1; d < info.rank; ++d)
      printf(", %lld", (long long)info.shape[d]);
    printf("], sum %.6g\n", sum);
    if (out && i == 0) {
      char path[4096];
      snprintf(path, sizeof path, "%s.%d", out, batch);
      int code = gnnWriteFile(path, values, (size_t)info.bytes);
      if (code) {
        fprintf(stderr, "serve: %s: %s\n", path, strerror(code));
        exit(1);
      }
    }
    free(values);
  }
}

/* The arguments of a batch by their names in the model; false where there are
 * none. What is missing is that of the batch before. */
static bool read(const GnnModel *model, const GnnArrayFile *file, int batch,
                 GnnArray *values, bool *hasGraph) {
  int64_t count = gnnModelNumArguments(model);
  bool hasAny = false;
  *hasGraph = false;
  for (int64_t i = 0; i < count; ++i) {
    GnnModelTensor argument;
    char name[4096];
    gnnModelArgument(model, i, &argument);
    snprintf(name, sizeof name, "%d/%s", batch, argument.name);
    if (!gnnArrayFileFind(file, name, &values[i]))
      continue;
    values[i].name = argument.name;
    hasAny = true;
    if (strcmp(argument.role, "ids") == 0)
      *hasGraph = true;
  }
  return hasAny;
}

/* Ends the program where a file has other arrays than those of so many batches.
 */
static void expectBatches(const GnnModel *model, const GnnArrayFile *file,
                          const char *path, int batches) {
  GnnArray array;
  for (int64_t i = 0; gnnArrayFileArray(file, i, &array); ++i) {
    char *end = NULL;
    long batch = strtol(array.name, &end, 10);
    bool isKnown =
        end != array.name && *end == '/' && batch >= 0 && batch < batches;
    GnnModelTensor argument;
    bool isNamed = false;
    for (int64_t j = 0; isKnown && gnnModelArgument(model, j, &argument); ++j)
      isNamed = isNamed || strcmp(end + 1, argument.name) == 0;
    if (isNamed)
      continue;
    gnnModelArgument(model, 0, &argument);
    fprintf(stderr,
            "serve: %s: expected arrays of batches by the names of arguments, "
            "0/%s, ..., 1/%s, ..., got '%s'\n",
            path, argument.name, argument.name, array.name);
    exit(1);
  }
}

int main(int argc, char **argv) {
  const char *kind = NULL;
  if (argc > 2 && strcmp(argv[1], "--device") == 0) {
    kind = argv[2];
    argc -= 2;
    argv += 2;
  }
  if (argc != 3 && argc != 4) {
    fprintf(stderr, "usage: serve [--device cuda|cpu] MODEL.gnnpkg "
                    "BATCHES.npz [OUT]\n");
    return 2;
  }
  Server server = {0};
  check(gnnModelLoad(argv[1], &server.model));
  int64_t count = gnnModelNumArguments(server.model);
  if (count > MAX_ARGUMENTS ||
      gnnModelNumOutputs(server.model) > MAX_ARGUMENTS) {
    fprintf(stderr, "serve: expected at most %d arguments and outputs\n",
            MAX_ARGUMENTS);
    return 1;
  }
  server.device = openDevice(kind ? kind : chooseKind(server.model));
  GnnArrayFile *file = NULL;
  check(gnnArrayFileLoad(argv[2], &file));
  GnnArray values[MAX_ARGUMENTS] = {{0}};
  bool hasGraph = false;
  int batches = 0;
  while (read(server.model, file, batches, values, &hasGraph))
    ++batches;
  expectBatches(server.model, file, argv[2], batches);
  memset(values, 0, sizeof values);
  for (int batch = 0; batch < batches; ++batch) {
    read(server.model, file, batch, values, &hasGraph);
    if (hasGraph || !server.bound)
      bind(&server, values, count);
    run(&server, values, count);
    give(&server, batch, argc == 4 ? argv[3] : NULL);
  }
  letGo(&server);
  gnnArrayFileRelease(file);
  gnnModelRelease(server.model);
  gnnDeviceRelease(server.device);
  return 0;
}
