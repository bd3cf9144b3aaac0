/*===- Model.h - Saved models -----------------------------------*- C -*-===*\
|*
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Models with their parameters, as gnn_mlir.export writes them. Arguments and
|* outputs have their names in the framework (docs/Serving.md). The rules of
|* Runtime.h on errors and lifetimes hold: a bound model keeps the model and the
|* device alive.
|*
\*===----------------------------------------------------------------------===*/

#ifndef GNN_C_MODEL_H
#define GNN_C_MODEL_H

#include "GNN-c/Arrays.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct GnnModel GnnModel;
typedef struct GnnBoundModel GnnBoundModel;

/** An argument, a parameter or an output of a model. */
typedef struct GnnModelTensor {
  const char *name;
  /** The role of an argument: "features" are given to each run, and "ids" are
   *  the arrays from which graphs are made when the model is bound. Other
   *  tensors have "". */
  const char *role;
  /** The type of an element: "f32", "i64", ... */
  const char *dtype;
  int64_t rank;
  /** The extents; -1 stands for any extent. */
  const int64_t *shape;
} GnnModelTensor;

/** A graph that is made from arguments. */
typedef struct GnnModelGraph {
  const char *name;
  /** Whether source and destination nodes are the same set. */
  bool square;
  int64_t numNodeTypes;
  int64_t numEdgeTypes;
} GnnModelGraph;

/** A target for which a model has kernels. */
typedef struct GnnModelTarget {
  /** The kind of target, as gnnDeviceKind gives it: "cuda", "cpu", ... */
  const char *kind;
  /** The chip of a GPU. Kernels for "sm_90" run on later chips, too; kernels
   *  for "sm_90a", with a letter, run on this chip only. Other targets have
   *  "". */
  const char *chip;
} GnnModelTarget;

/** Reads a saved model. A model that has more than 64 GiB when it is unpacked,
 *  or more than gnnPhysicalMemory, is a GNN_ERROR_LIMIT. */
GNN_CAPI GnnError *gnnModelLoad(const char *path, GnnModel **model);
GNN_CAPI GnnError *gnnModelLoadBytes(const void *bytes, size_t size,
                                     GnnModel **model);
GNN_CAPI void gnnModelRetain(GnnModel *model);
GNN_CAPI void gnnModelRelease(GnnModel *model);

/** The manifest of the model as JSON (docs/Serving.md). */
GNN_CAPI const char *gnnModelManifest(const GnnModel *model);

GNN_CAPI int64_t gnnModelNumArguments(const GnnModel *model);
GNN_CAPI int64_t gnnModelNumParameters(const GnnModel *model);
GNN_CAPI int64_t gnnModelNumOutputs(const GnnModel *model);
GNN_CAPI int64_t gnnModelNumGraphs(const GnnModel *model);
GNN_CAPI int64_t gnnModelNumTargets(const GnnModel *model);
/** Describe an argument, parameter, output, graph or target. The result is
 *  false if there is none of that index. */
GNN_CAPI bool gnnModelArgument(const GnnModel *model, int64_t index,
                               GnnModelTensor *tensor);
GNN_CAPI bool gnnModelParameter(const GnnModel *model, int64_t index,
                                GnnModelTensor *tensor);
GNN_CAPI bool gnnModelOutput(const GnnModel *model, int64_t index,
                             GnnModelTensor *tensor);
GNN_CAPI bool gnnModelGraph(const GnnModel *model, int64_t index,
                            GnnModelGraph *graph);
GNN_CAPI bool gnnModelTarget(const GnnModel *model, int64_t index,
                             GnnModelTarget *target);
/** The values of a parameter, on the host. The result is {null, 0} if there is
 *  none of that index. */
GNN_CAPI GnnConstBuffer gnnModelParameterData(const GnnModel *model,
                                              int64_t index);

/** Makes a graph of the model from arguments, which are given as to
 *  gnnModelBind. */
GNN_CAPI GnnError *gnnModelMakeGraph(const GnnModel *model, int64_t index,
                                     const GnnArray *values, int64_t numValues,
                                     GnnGraph **graph);

/** The functions that a run calls, in order: the name of each function, and its
 *  package. The package has kernels for the device and for edges in any order.
 *  The name is null if there is no call of that index. */
GNN_CAPI int64_t gnnModelNumCalls(const GnnModel *model);
GNN_CAPI const char *gnnModelCallFunction(const GnnModel *model, int64_t call);
GNN_CAPI GnnError *gnnModelCallPackage(const GnnModel *model, int64_t call,
                                       const GnnDevice *device,
                                       GnnPackage **package);

/** Makes graphs from the arguments, and binds the model to them on a device.
 *
 *  Each argument is given once, in any order, by its name. Ids are "i64" or
 *  "i32". For features, only dtype and shape are read; `data` may be null.
 *
 *  If the model has kernels for several chips, those that suit the device best
 *  are taken. A device that runs none of them is an error. The call may
 *  allocate and wait. Parameters are uploaded once for each device, by the
 *  device's own allocator. They stay, and keep the device, until the model is
 *  released. `options->progress` is called with shares from 0 to 1 for each
 *  function. */
GNN_CAPI GnnError *gnnModelBind(const GnnModel *model, const GnnArray *values,
                                int64_t numValues, const GnnDevice *device,
                                const GnnBindOptions *options,
                                GnnBoundModel **bound);
GNN_CAPI void gnnBoundModelRetain(GnnBoundModel *bound);
/** Drops a reference. The last reference must not be dropped while a run is in
 *  flight. */
GNN_CAPI void gnnBoundModelRelease(GnnBoundModel *bound);

/** The features that a run takes, in the order of the arguments, and its
 *  results, with their extents. */
GNN_CAPI int64_t gnnBoundModelNumInputs(const GnnBoundModel *bound);
GNN_CAPI int64_t gnnBoundModelNumOutputs(const GnnBoundModel *bound);
GNN_CAPI bool gnnBoundModelInput(const GnnBoundModel *bound, int64_t index,
                                 GnnTensorInfo *info);
GNN_CAPI bool gnnBoundModelOutput(const GnnBoundModel *bound, int64_t index,
                                  GnnTensorInfo *info);
GNN_CAPI int64_t gnnBoundModelWorkspaceBytes(const GnnBoundModel *bound);

/** A function that a run calls, as a new reference, for reports. The result is
 *  null if there is none of that index. */
GNN_CAPI GnnBoundFunction *gnnBoundModelFunction(const GnnBoundModel *bound,
                                                 int64_t index);

/** Launches the model on a stream, as gnnBoundRun does: it does not allocate or
 *  wait. */
GNN_CAPI GnnError *gnnBoundModelRun(const GnnBoundModel *bound,
                                    const GnnConstBuffer *inputs,
                                    int64_t numInputs, const GnnBuffer *outputs,
                                    int64_t numOutputs, GnnBuffer workspace,
                                    void *stream);

#ifdef __cplusplus
}
#endif

#endif /* GNN_C_MODEL_H */
