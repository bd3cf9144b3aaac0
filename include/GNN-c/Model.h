/*===- Model.h - Saved models -----------------------------------*- C -*-===*\
|*
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Models with their parameters, as gnn_mlir.export writes them: arguments and
|* outputs have the names that they have in the framework (docs/Serving.md).
|* Runtime.h's rules on errors and lifetimes hold: a bound model keeps the model
|* and the device.
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
  /** The role of an argument: "features", which each run is given, or "ids",
   *  from which graphs are made when the model is bound; "" for others. */
  const char *role;
  /** "f32", "i64", ... */
  const char *dtype;
  int64_t rank;
  /** -1: any extent. */
  const int64_t *shape;
} GnnModelTensor;

/** A graph that is made of arguments. */
typedef struct GnnModelGraph {
  const char *name;
  /** Source and destination nodes are the same set. */
  bool square;
  int64_t numNodeTypes;
  int64_t numEdgeTypes;
} GnnModelGraph;

/** A target that a model has kernels for. */
typedef struct GnnModelTarget {
  /** As of gnnDeviceKind: "cuda", "cpu", ... */
  const char *kind;
  /** The chip of a GPU: "sm_90", whose kernels later ones run too, or
   *  "sm_90a", with a letter, whose kernels run there alone; "" of other
   *  targets. */
  const char *chip;
} GnnModelTarget;

/** Reads a saved model. GNN_ERROR_LIMIT: one of more than 64 GiB, or than
 *  gnnPhysicalMemory says, once unpacked. */
GNN_CAPI GnnError *gnnModelLoad(const char *path, GnnModel **model);
GNN_CAPI GnnError *gnnModelLoadBytes(const void *bytes, size_t size,
                                     GnnModel **model);
GNN_CAPI void gnnModelRetain(GnnModel *model);
GNN_CAPI void gnnModelRelease(GnnModel *model);

/** The manifest as JSON. */
GNN_CAPI const char *gnnModelManifest(const GnnModel *model);

GNN_CAPI int64_t gnnModelNumArguments(const GnnModel *model);
GNN_CAPI int64_t gnnModelNumParameters(const GnnModel *model);
GNN_CAPI int64_t gnnModelNumOutputs(const GnnModel *model);
GNN_CAPI int64_t gnnModelNumGraphs(const GnnModel *model);
GNN_CAPI int64_t gnnModelNumTargets(const GnnModel *model);
/** Describes one; false where there is none of that index. */
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
/** The values of a parameter, on the host; {null, 0} where there is none. */
GNN_CAPI GnnConstBuffer gnnModelParameterData(const GnnModel *model,
                                              int64_t index);

/** Makes the graph of that index of arguments. These are given as to
 *  gnnModelBind. */
GNN_CAPI GnnError *gnnModelMakeGraph(const GnnModel *model, int64_t index,
                                     const GnnArray *values, int64_t numValues,
                                     GnnGraph **graph);

/** The calls of functions that a run makes, in their order: the name of each
 *  function, null where there is none of that index, and the package that has
 *  it, with kernels for a device and for edges in any order. */
GNN_CAPI int64_t gnnModelNumCalls(const GnnModel *model);
GNN_CAPI const char *gnnModelCallFunction(const GnnModel *model, int64_t call);
GNN_CAPI GnnError *gnnModelCallPackage(const GnnModel *model, int64_t call,
                                       const GnnDevice *device,
                                       GnnPackage **package);

/** Makes the graphs of arguments and binds the model to them on a device.
 * Among kernels for several chips it takes those that suit the device best; a
 * device that runs none is an error. Each argument is given once, in any order,
 * by its name: ids are int64 or int32 ("i64", "i32"); of features dtype and
 * shape alone are read, and `data` may be null. May allocate and wait.
 * Parameters are uploaded once a device, by its own allocator, and stay, with
 * the device, until the model is released. `options->progress` is told from 0
 * to 1 of each function. */
GNN_CAPI GnnError *gnnModelBind(const GnnModel *model, const GnnArray *values,
                                int64_t numValues, const GnnDevice *device,
                                const GnnBindOptions *options,
                                GnnBoundModel **bound);
GNN_CAPI void gnnBoundModelRetain(GnnBoundModel *bound);
/** The last reference must not go while a run is in flight. */
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

/** The functions that a run calls, in their order, for reports; each is a new
 *  reference, null where there is none of that index. */
GNN_CAPI GnnBoundFunction *gnnBoundModelFunction(const GnnBoundModel *bound,
                                                 int64_t index);

/** As gnnBoundRun: launches on a stream, and does not allocate or wait. */
GNN_CAPI GnnError *gnnBoundModelRun(const GnnBoundModel *bound,
                                    const GnnConstBuffer *inputs,
                                    int64_t numInputs, const GnnBuffer *outputs,
                                    int64_t numOutputs, GnnBuffer workspace,
                                    void *stream);

#ifdef __cplusplus
}
#endif

#endif /* GNN_C_MODEL_H */
