/*===- run_package.c - Run a package from C -------------------------------===*\
|*
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|*   run_package --plan PACKAGE                 prints the launch plan
|*   run_package PACKAGE GRAPH.npz [FUNCTION]   runs a function of one graph
|*
|* Runs on the first GPU, with -DGNN_EXAMPLE_CPU on the CPU, and with
|* -DGNN_EXAMPLE_EMULATOR, which needs libGNN, on the emulator. Inputs are small
|* made-up numbers. docs/CAPI.md explains the steps.
|*
\*===----------------------------------------------------------------------===*/

#ifdef GNN_EXAMPLE_EMULATOR
#include "GNN-c/Compiler.h"
#else
#include "GNN-c/Runtime.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the program where a call failed. */
static void check(GnnError *error) {
  if (!error)
    return;
  fprintf(stderr, "run_package: %s\n", gnnErrorMessage(error));
  gnnErrorDestroy(error);
  exit(1);
}

static GnnDevice *openDevice(void) {
  GnnDevice *device = NULL;
#ifdef GNN_EXAMPLE_EMULATOR
  check(gnnDeviceOpenEmulator(/*checked=*/true, /*seed=*/-1, &device));
#elif defined(GNN_EXAMPLE_CPU)
  check(gnnDeviceOpenCpu(/*threads=*/0, &device));
#else
  check(gnnDeviceOpenCuda(0, &device));
#endif
  return device;
}

static void *allocate(GnnDevice *device, int64_t bytes) {
  void *memory = NULL;
  check(gnnDeviceAllocate(device, bytes, &memory));
  return memory;
}

static void *allocateHost(int64_t bytes) {
  void *memory = malloc(bytes > 0 ? (size_t)bytes : 1);
  if (!memory) {
    fprintf(stderr, "run_package: no memory for %lld bytes\n",
            (long long)bytes);
    exit(1);
  }
  return memory;
}

static GnnBuffer makeBuffer(GnnDevice *device, int64_t bytes) {
  GnnBuffer buffer = {allocate(device, bytes), bytes};
  return buffer;
}

/* Floats from -0.5 on in steps of 1/16, over and over; integers are zero. */
static GnnConstBuffer makeInput(GnnDevice *device, const GnnTensorInfo *info) {
  void *values = allocateHost(info->bytes);
  memset(values, 0, (size_t)info->bytes);
  if (strcmp(info->dtype, "f32") == 0)
    for (int64_t i = 0; i < info->bytes / 4; ++i)
      ((float *)values)[i] = (float)(i % 17) / 16 - 0.5f;
  GnnBuffer memory = makeBuffer(device, info->bytes);
  check(gnnDeviceCopyToDevice(device, memory.data, values, info->bytes));
  free(values);
  GnnConstBuffer input = {memory.data, memory.bytes};
  return input;
}

static void printOutput(GnnDevice *device, const GnnTensorInfo *info,
                        const void *memory) {
  void *values = allocateHost(info->bytes);
  check(gnnDeviceCopyToHost(device, values, memory, info->bytes));
  printf("%s: %s[", info->name, info->dtype);
  for (int64_t i = 0; i < info->rank; ++i)
    printf(i ? ", %lld" : "%lld", (long long)info->shape[i]);
  printf("]");
  if (strcmp(info->dtype, "f32") == 0) {
    double sum = 0;
    for (int64_t i = 0; i < info->bytes / 4; ++i)
      sum += ((const float *)values)[i];
    printf(", sum %.6g", sum);
  }
  printf("\n");
  free(values);
}

/* Runs once. Memory is the caller's: a server keeps it from run to run. */
static void run(GnnDevice *device, GnnBoundFunction *bound) {
  int64_t numInputs = gnnBoundNumInputs(bound);
  int64_t numOutputs = gnnBoundNumOutputs(bound);
  GnnConstBuffer *inputs = allocateHost(numInputs * (int64_t)sizeof *inputs);
  GnnBuffer *outputs = allocateHost(numOutputs * (int64_t)sizeof *outputs);
  GnnTensorInfo info;
  for (int64_t i = 0; i < numInputs && gnnBoundInput(bound, i, &info); ++i)
    inputs[i] = makeInput(device, &info);
  for (int64_t i = 0; i < numOutputs && gnnBoundOutput(bound, i, &info); ++i)
    outputs[i] = makeBuffer(device, info.bytes);
  GnnBuffer workspace = makeBuffer(device, gnnBoundWorkspaceBytes(bound));

  check(gnnBoundRun(bound, inputs, numInputs, outputs, numOutputs, workspace,
                    /*stream=*/NULL));
  check(gnnDeviceSynchronize(device, /*stream=*/NULL));

  for (int64_t i = 0; i < numOutputs && gnnBoundOutput(bound, i, &info); ++i)
    printOutput(device, &info, outputs[i].data);
  for (int64_t i = 0; i < numInputs; ++i)
    gnnDeviceFree(device, (void *)inputs[i].data);
  for (int64_t i = 0; i < numOutputs; ++i)
    gnnDeviceFree(device, outputs[i].data);
  gnnDeviceFree(device, workspace.data);
  free(inputs);
  free(outputs);
}

int main(int argc, char **argv) {
  GnnPackage *package = NULL;
  if (argc == 3 && strcmp(argv[1], "--plan") == 0) {
    check(gnnPackageLoad(argv[2], &package));
    fputs(gnnPackagePlan(package), stdout);
    gnnPackageRelease(package);
    return 0;
  }
  if (argc != 3 && argc != 4) {
    fprintf(stderr, "usage: run_package --plan PACKAGE\n"
                    "       run_package PACKAGE GRAPH.npz [FUNCTION]\n");
    return 2;
  }
  check(gnnPackageLoad(argv[1], &package));
  const char *function =
      argc == 4 ? argv[3] : gnnPackageFunctionName(package, 0);
  if (!function) {
    fprintf(stderr, "run_package: expected a package with a function\n");
    return 1;
  }
  GnnGraphFile *file = NULL;
  check(gnnGraphFileLoad(argv[2], &file));
  GnnGraph *graph = gnnGraphFileGraph(file);
  GnnDevice *device = openDevice();
  GnnBoundFunction *bound = NULL;
  check(
      gnnBind(package, function, &graph, 1, device, /*options=*/NULL, &bound));
  run(device, bound);

  /* The costs of each launch; gnnBoundProfile has times too. */
  char *report = NULL;
  check(gnnBoundReport(bound, &report));
  printf("%s\n", report);
  gnnStringDestroy(report);
  gnnBoundRelease(bound);
  gnnDeviceRelease(device);
  gnnGraphRelease(graph);
  gnnGraphFileRelease(file);
  gnnPackageRelease(package);
  return 0;
}
