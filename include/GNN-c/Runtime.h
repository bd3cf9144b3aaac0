/*===- Runtime.h - C API of the running side --------------------*- C -*-===*\
|*
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Graphs, devices, packages and bound functions: all that is needed to run
|* compiled code, without the compiler.
|*
|* Errors. A function that may fail returns a GnnError, null on success; the
|* caller destroys it. A failing function leaves its outputs untouched.
|*
|* Lifetimes. Handles are reference-counted: a function that gives a handle
|* gives one reference, which the caller releases; releasing null is legal. A
|* handle keeps alive what it was made from: a bound function its package,
|* graphs and device, a derived graph nothing of the first graph. Pointers that
|* are given without a destroy function belong to the handle they came from and
|* live as long as it does. A handle goes to functions of the library that gave
|* it alone, where a process loads both. Handles are immutable and may be used
|* from several threads at once. Functions that cannot fail take no null
|* handles, except to retain, release and destroy.
|*
\*===----------------------------------------------------------------------===*/

#ifndef GNN_C_RUNTIME_H
#define GNN_C_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define GNN_CAPI
#else
#define GNN_CAPI __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct GnnError GnnError;
typedef struct GnnGraph GnnGraph;
typedef struct GnnGraphFile GnnGraphFile;
typedef struct GnnDevice GnnDevice;
typedef struct GnnPackage GnnPackage;
typedef struct GnnBoundFunction GnnBoundFunction;

/** Memory of the caller: its address, and its size in bytes. A size smaller
 *  than a function needs is an error; null is legal for a size of 0. */
typedef struct GnnBuffer {
  void *data;
  int64_t bytes;
} GnnBuffer;

/** The same, where the library only reads. */
typedef struct GnnConstBuffer {
  const void *data;
  int64_t bytes;
} GnnConstBuffer;

/* -------------------------------------------------------------------------- */
/* Errors and strings                                                         */
/* -------------------------------------------------------------------------- */

/** The message: lower-case, one line, "expected X, got Y". Lives as long as the
 *  error. */
GNN_CAPI const char *gnnErrorMessage(const GnnError *error);

/** The kinds of failures, for callers that handle them differently. */
typedef enum GnnErrorKind {
  /** Anything else: files, devices, memory, wrong calls. */
  GNN_ERROR_OTHER = 0,
  /** A request to the compiler, such as a switch that it does not have. */
  GNN_ERROR_OPTION = 1,
  /** The program that is compiled. */
  GNN_ERROR_PROGRAM = 2,
  /** A graph with fewer types of edges, or of nodes, than a program declares.
   *  If some types have no members, state the numbers in GnnGraphArrays. */
  GNN_ERROR_EDGE_TYPES = 3,
  GNN_ERROR_NODE_TYPES = 4,
  /** More bytes than a limit allows. */
  GNN_ERROR_LIMIT = 5,
  /** A graph whose edges are not in the order that a program declares. */
  GNN_ERROR_EDGE_ORDER = 6
} GnnErrorKind;
GNN_CAPI GnnErrorKind gnnErrorKind(const GnnError *error);

/** Null is legal. */
GNN_CAPI void gnnErrorDestroy(GnnError *error);

/** Destroys a string that a function gave as `char *`. Null is legal. */
GNN_CAPI void gnnStringDestroy(char *string);

/** "MAJOR.MINOR.PATCH" of the library; never freed. */
GNN_CAPI const char *gnnRuntimeVersion(void);

/** Writes a file in the way of the library: whole or not at all, through
 *  symbolic links, with the permissions of the file that it replaces. Devices
 *  and pipes are written directly. Returns 0, or the errno of the failure. */
GNN_CAPI int gnnWriteFile(const char *path, const void *bytes, size_t size);

/** The bytes of memory of the machine, or of its control group: the limit for
 *  arrays that are read from files. */
GNN_CAPI int64_t gnnPhysicalMemory(void);

/** Threads of the host that check, sort and upload graphs, make code, and run
 *  kernels on the CPU, at most 1024. The default is OMP_NUM_THREADS, or else
 *  the number of cores; 0 restores it. Results have the same bits for any
 *  number. */
GNN_CAPI int64_t gnnNumThreads(void);
GNN_CAPI GnnError *gnnSetNumThreads(int64_t count);

/* -------------------------------------------------------------------------- */
/* Graphs                                                                     */
/* -------------------------------------------------------------------------- */

typedef enum GnnSide { GNN_SRC = 0, GNN_DST = 1 } GnnSide;

/** The arrays that a graph is made of. Pointers are read during the call
 *  (gnnGraphCreate) or kept (gnnGraphBorrow). Zero nodes, edges and types are
 * legal. */
typedef struct GnnGraphArrays {
  /** Source and destination nodes are the same set. */
  bool square;
  /** Bits of an id in all arrays below: 32 or 64, signed. */
  int32_t idBits;
  /** Nodes; numDstNodes is not read where square. */
  int64_t numSrcNodes;
  int64_t numDstNodes;
  /** Edges, under 2^31. */
  int64_t numEdges;
  /** Types, at most 65535 each. */
  int64_t numNodeTypes;
  int64_t numEdgeTypes;
  /** [numEdges] each, neither fewer nor more; edgeType null: all 0. */
  GnnConstBuffer edgeSrc;
  GnnConstBuffer edgeDst;
  GnnConstBuffer edgeType;
  /** [nodes] each; null: all 0. dstNodeType is not read where square. */
  GnnConstBuffer srcNodeType;
  GnnConstBuffer dstNodeType;
  /** int32[numEdgeTypes][2]: node types of the source and destination of each
   *  edge type, -1 for any; null: no schema. */
  GnnConstBuffer schema;
  /** [types] names each, UTF-8; null: no names. */
  const char *const *nodeTypeNames;
  const char *const *edgeTypeNames;
} GnnGraphArrays;

/** Copies `count` ids of `bits` (8, 16, 32 or 64), signed or not, to 32-bit
 * ones. `bad` gets the index of the first that is not in [0, limit), -1 where
 * all are. */
GNN_CAPI GnnError *gnnCopyIds(const void *ids, int32_t bits, bool isSigned,
                              int64_t count, int64_t limit, int32_t *result,
                              int64_t *bad);

/** Makes a graph of copies of the arrays. */
GNN_CAPI GnnError *gnnGraphCreate(const GnnGraphArrays *arrays,
                                  GnnGraph **graph);

/** Makes a graph that uses the arrays in place; idBits must be 32. The arrays
 *  must stay unchanged until the graph calls `release(context)`, once, from the
 *  thread that drops the last reference. After a failure it is not called.
 *  `release` may be null. Names and schema are copied. */
GNN_CAPI GnnError *gnnGraphBorrow(const GnnGraphArrays *arrays,
                                  void (*release)(void *context), void *context,
                                  GnnGraph **graph);

GNN_CAPI void gnnGraphRetain(GnnGraph *graph);
/** Bound functions are references too: the copies of a graph on a device are
 *  freed with the last of them (gnnBoundRelease), also after this call or after
 *  gnnGraphClearStructures. */
GNN_CAPI void gnnGraphRelease(GnnGraph *graph);

GNN_CAPI bool gnnGraphIsSquare(const GnnGraph *graph);
GNN_CAPI int64_t gnnGraphNumNodes(const GnnGraph *graph, GnnSide side);
GNN_CAPI int64_t gnnGraphNumEdges(const GnnGraph *graph);
GNN_CAPI int64_t gnnGraphNumNodeTypes(const GnnGraph *graph);
GNN_CAPI int64_t gnnGraphNumEdgeTypes(const GnnGraph *graph);

/** int32[edges]: the node of each edge on one side; its type. */
GNN_CAPI const int32_t *gnnGraphEdgeEnds(const GnnGraph *graph, GnnSide side);
GNN_CAPI const int32_t *gnnGraphEdgeTypes(const GnnGraph *graph);

/** int32[nodes of that side]: the type of each node. */
GNN_CAPI const int32_t *gnnGraphNodeTypes(const GnnGraph *graph, GnnSide side);

/** int32[edge types][2], null where the graph has no schema. */
GNN_CAPI const int32_t *gnnGraphSchema(const GnnGraph *graph);

/** Name of a type; null where types have no names or there is no such type. */
GNN_CAPI const char *gnnGraphNodeTypeName(const GnnGraph *graph, int64_t type);
GNN_CAPI const char *gnnGraphEdgeTypeName(const GnnGraph *graph, int64_t type);

/** Number of the type of a name. */
GNN_CAPI GnnError *gnnGraphFindNodeType(const GnnGraph *graph, const char *name,
                                        int32_t *type);
GNN_CAPI GnnError *gnnGraphFindEdgeType(const GnnGraph *graph, const char *name,
                                        int32_t *type);

/** A count by its canonical text: "count edge", "tile_count dst edge.in_rows
 *  64", "max_row dst edge.in_rows". */
GNN_CAPI GnnError *gnnGraphCount(const GnnGraph *graph, const char *key,
                                 int64_t *value);

/** A structure by its canonical text, e.g. "rows dst edge.in_rows". Sets `size`
 *  to its number of values; copies them to `values` where that is not null and
 *  `capacity` values fit, an error where they do not. */
GNN_CAPI GnnError *gnnGraphStructure(const GnnGraph *graph, const char *key,
                                     int32_t *values, int64_t capacity,
                                     int64_t *size);

/** Drops the structures that the graph keeps for later bindings. */
GNN_CAPI void gnnGraphClearStructures(const GnnGraph *graph);

/** Statistics as a JSON object, to be destroyed by gnnStringDestroy. */
GNN_CAPI GnnError *gnnGraphStatistics(const GnnGraph *graph, char **json);

/** The same as `#gnn.stats<...>`, which a declaration of the graph in a module
 *  takes, to be destroyed by gnnStringDestroy. */
GNN_CAPI GnnError *gnnGraphStats(const GnnGraph *graph, char **attribute);

/** int32[nodes of that side]: edges at each node, of one type where `edgeType`
 *  is not -1. `size` is the number of nodes the caller has room for. */
GNN_CAPI GnnError *gnnGraphDegrees(const GnnGraph *graph, GnnSide side,
                                   int32_t edgeType, int32_t *degrees,
                                   int64_t size);

/* Graphs made from graphs; GNN/Runtime/GraphFunctions.h says what each does. */

/** Adds a self loop to each node, of an edge type. The number of edge types
 *  stands for a new type; -1 stands for the only type, or for a new one if the
 *  graph has several. `replace` removes the old self loops first. */
GNN_CAPI GnnError *gnnGraphAddSelfLoops(const GnnGraph *graph, bool replace,
                                        int32_t edgeType, GnnGraph **result);
GNN_CAPI GnnError *gnnGraphAddInverses(const GnnGraph *graph,
                                       GnnGraph **result);
GNN_CAPI GnnError *gnnGraphRefineTypes(const GnnGraph *graph,
                                       GnnGraph **result);
GNN_CAPI GnnError *gnnGraphMergeTypes(const GnnGraph *graph, bool edgeTypes,
                                      bool nodeTypes, GnnGraph **result);

/** The graphs that layers read for the first `seeds` nodes: `layers` bipartite
 *  graphs in `blocks`, the first layer's first. */
GNN_CAPI GnnError *gnnGraphBlocks(const GnnGraph *graph, int64_t seeds,
                                  int64_t layers, GnnGraph **blocks);

/** The same for a graph that only serves to make its blocks: gnnGraphCreate
 *  and gnnGraphBlocks in one call. */
GNN_CAPI GnnError *gnnBlocksCreate(const GnnGraphArrays *arrays, int64_t seeds,
                                   int64_t layers, GnnGraph **blocks);

/** New ids of the nodes: int32[nodes] permutations. `dstIds` is null where
 *  square. */
GNN_CAPI GnnError *gnnGraphRenumber(const GnnGraph *graph,
                                    const int32_t *srcIds, int64_t numSrcIds,
                                    const int32_t *dstIds, int64_t numDstIds,
                                    GnnGraph **result);

/** For a graph that one of these functions made: int32[edges] and int32[edge
 *  types], the origin of each in the first graph, -1 for new ones. Null for
 *  other graphs. */
GNN_CAPI const int32_t *gnnGraphEdgeOrigin(const GnnGraph *graph);
GNN_CAPI const int32_t *gnnGraphEdgeTypeOrigin(const GnnGraph *graph);

/* -------------------------------------------------------------------------- */
/* Graph files                                                                */
/* -------------------------------------------------------------------------- */

/** Loads an .npz file with a graph, features, labels and splits. */
GNN_CAPI GnnError *gnnGraphFileLoad(const char *path, GnnGraphFile **file);
GNN_CAPI void gnnGraphFileRetain(GnnGraphFile *file);
GNN_CAPI void gnnGraphFileRelease(GnnGraphFile *file);

/** The graph, as a new reference. */
GNN_CAPI GnnGraph *gnnGraphFileGraph(const GnnGraphFile *file);

/** Width of the node features; -1 where there are none. */
GNN_CAPI int64_t gnnGraphFileFeatureDim(const GnnGraphFile *file);

/** Fills float[nodes][width] with the node features; width 0 stands for the
 *  features' own. A wider result ends in zeros, a narrower one adds column c to
 *  column c mod width. `size` is the capacity of `features` in floats. */
GNN_CAPI GnnError *gnnGraphFileFeatures(const GnnGraphFile *file, int64_t width,
                                        float *features, int64_t size);

/** "label", "train_mask", "val_mask", "test_mask" (int32[nodes]) or
 *  "edge_split" (int32[edges]); null where the file has none. */
GNN_CAPI const int32_t *gnnGraphFileArray(const GnnGraphFile *file,
                                          const char *name);

/** Name of a class; null where there is none. */
GNN_CAPI const char *gnnGraphFileLabelName(const GnnGraphFile *file,
                                           int64_t label);

/* -------------------------------------------------------------------------- */
/* Devices                                                                    */
/* -------------------------------------------------------------------------- */

/** Number of GPUs; an error where there is no CUDA driver. */
GNN_CAPI GnnError *gnnCudaDeviceCount(int *count);

/** A GPU, through the primary context that other libraries use too. */
GNN_CAPI GnnError *gnnDeviceOpenCuda(int ordinal, GnnDevice **device);

/** Opens the CPU, which runs packages compiled for "cpu": their shared objects
 *  for this processor, or, in libGNN, their kernels as IR, which LLVM compiles.
 *  Accesses are not checked. Binding kernels of more than one thread a block is
 *  an error. Streams are not used: a run is done when it returns. `threads` run
 *  blocks in parallel, and results have the same bits for any number; 0 stands
 *  for gnnNumThreads. */
GNN_CAPI GnnError *gnnDeviceOpenCpu(int threads, GnnDevice **device);

/** A processor that shared objects are made for. */
typedef struct GnnProcessor {
  /** "x86-64-v3", ... */
  const char *name;
  /** This host has its instructions. */
  bool present;
  /** One of those that serve most machines together. */
  bool common;
} GnnProcessor;

/** Describes one of those of this architecture, the widest first; false where
 *  there is none of that index. */
GNN_CAPI bool gnnProcessor(int64_t index, GnnProcessor *processor);

GNN_CAPI void gnnDeviceRetain(GnnDevice *device);
GNN_CAPI void gnnDeviceRelease(GnnDevice *device);

/** The kind of target whose kernels it runs: "cuda", "cpu", "emulator", or one
 *  of a plugin. */
GNN_CAPI const char *gnnDeviceKind(const GnnDevice *device);

/** E.g. "cuda:0 (NVIDIA H200, sm_90)". */
GNN_CAPI const char *gnnDeviceName(const GnnDevice *device);

/** The driver's description of a GPU, for the option `chip` of compiling:
 *  "sm_89, NVIDIA L40S: processors=142 clock=2.52e+09 l2_bytes=1.00663e+08
 *  memory_bandwidth=8.64e+11", in Hz, bytes and bytes a second; "" for other
 *  devices. */
GNN_CAPI const char *gnnDeviceDescribeGPU(const GnnDevice *device);

/** Memory aligned to 256 bytes, for callers without an allocator of their own;
 *  it must be freed before the device's last reference goes. */
GNN_CAPI GnnError *gnnDeviceAllocate(GnnDevice *device, int64_t bytes,
                                     void **memory);
/** Does not wait: no run in flight may use the memory, because the next
 *  allocation may reuse it. */
GNN_CAPI void gnnDeviceFree(GnnDevice *device, void *memory);

/** Copies; done when they return. A host's device knows how much it allocated:
 *  more is an error. */
GNN_CAPI GnnError *gnnDeviceCopyToDevice(GnnDevice *device, void *to,
                                         const void *from, int64_t bytes);
GNN_CAPI GnnError *gnnDeviceCopyToHost(GnnDevice *device, void *to,
                                       const void *from, int64_t bytes);

/** Waits for all launches on a stream (null: the default stream). */
GNN_CAPI GnnError *gnnDeviceSynchronize(GnnDevice *device, void *stream);

/* -------------------------------------------------------------------------- */
/* Packages                                                                   */
/* -------------------------------------------------------------------------- */

/** Reads a package. GNN_ERROR_LIMIT: one of more than 4 GiB once unpacked. */
GNN_CAPI GnnError *gnnPackageLoad(const char *path, GnnPackage **package);
GNN_CAPI GnnError *gnnPackageLoadBytes(const void *bytes, size_t size,
                                       GnnPackage **package);

/** Writes the whole file or nothing. */
GNN_CAPI GnnError *gnnPackageSave(const GnnPackage *package, const char *path);

/** The bytes that gnnPackageSave writes; free them with gnnStringDestroy. */
GNN_CAPI GnnError *gnnPackageBytes(const GnnPackage *package, char **bytes,
                                   size_t *size);

GNN_CAPI void gnnPackageRetain(GnnPackage *package);
GNN_CAPI void gnnPackageRelease(GnnPackage *package);

/** Functions of a package. Name: null where there is none of that index. */
GNN_CAPI int64_t gnnPackageNumFunctions(const GnnPackage *package);
GNN_CAPI const char *gnnPackageFunctionName(const GnnPackage *package,
                                            int64_t index);

/** Index of the function of a name; the error lists all names. */
GNN_CAPI GnnError *gnnPackageFindFunction(const GnnPackage *package,
                                          const char *name, int64_t *index);

/** The launch plan as JSON: graphs, inputs and outputs of each function among
 *  others. */
GNN_CAPI const char *gnnPackagePlan(const GnnPackage *package);

/** The kernels in a format ("ptx", "x86-64-v3.so", ...); null where there are
 *  none. `size` may be null. */
GNN_CAPI const char *gnnPackageKernels(const GnnPackage *package,
                                       const char *format, size_t *size);

/* -------------------------------------------------------------------------- */
/* Bound functions                                                            */
/* -------------------------------------------------------------------------- */

/** How to bind. All zero is legal, and what null stands for. */
typedef struct GnnBindOptions {
  /** Memory for the graph's structures on the device, 256-byte aligned; both
   *  null: the device's own. Null from `allocate` is a failure. `context` and
   *  what was allocated must live until the bound function is gone. */
  void *(*allocate)(void *context, int64_t bytes);
  void (*free)(void *context, void *memory);
  /** Told what is being built and how much is done, from 0 to 1. */
  void (*progress)(void *context, const char *what, double done);
  void *context;
} GnnBindOptions;

/** An input or output. Dense, C order. */
typedef struct GnnTensorInfo {
  const char *name;
  /** "f32", "i32", ... */
  const char *dtype;
  int64_t rank;
  const int64_t *shape;
  int64_t bytes;
} GnnTensorInfo;

/** Binds a function of a package to graphs, in the order of its declarations,
 *  on a device: builds and uploads the structures that it needs. May allocate
 *  and wait. */
GNN_CAPI GnnError *gnnBind(const GnnPackage *package, const char *function,
                           GnnGraph *const *graphs, int64_t numGraphs,
                           const GnnDevice *device,
                           const GnnBindOptions *options,
                           GnnBoundFunction **bound);

/** The same for several functions of a package, all or none of them, such as
 *  the forward and the backward pass of a sampled batch. Graphs are given by
 *  name: each function takes those that it declares. */
GNN_CAPI GnnError *
gnnBindAll(const GnnPackage *package, const char *const *functions,
           int64_t numFunctions, const char *const *graphNames,
           GnnGraph *const *graphs, int64_t numGraphs, const GnnDevice *device,
           const GnnBindOptions *options, GnnBoundFunction **bound);

GNN_CAPI void gnnBoundRetain(GnnBoundFunction *bound);

/** Do not drop the last reference while a run is in flight: this does not wait,
 *  and the next allocation may reuse the memory on the device. */
GNN_CAPI void gnnBoundRelease(GnnBoundFunction *bound);

/** Bytes of the workspace a run needs, 256-byte aligned, and of the structures
 *  on the device. */
GNN_CAPI int64_t gnnBoundWorkspaceBytes(const GnnBoundFunction *bound);
GNN_CAPI int64_t gnnBoundStructureBytes(const GnnBoundFunction *bound);

GNN_CAPI int64_t gnnBoundNumInputs(const GnnBoundFunction *bound);
GNN_CAPI int64_t gnnBoundNumOutputs(const GnnBoundFunction *bound);

/** The first extent of each input and then of each output, 1 for scalars, up to
 *  `capacity` values. */
GNN_CAPI void gnnBoundRows(const GnnBoundFunction *bound, int64_t *rows,
                           int64_t capacity);

/** Describes an input or output; false where there is none of that index. */
GNN_CAPI bool gnnBoundInput(const GnnBoundFunction *bound, int64_t index,
                            GnnTensorInfo *info);
GNN_CAPI bool gnnBoundOutput(const GnnBoundFunction *bound, int64_t index,
                             GnnTensorInfo *info);

/** The role of an input or output: "input", "output", or in functions that give
 *  gradients also "saved" (by the forward pass for the backward pass) and
 *  "gradient"; null where there is none of that index. */
GNN_CAPI const char *gnnBoundInputRole(const GnnBoundFunction *bound,
                                       int64_t index);
GNN_CAPI const char *gnnBoundOutputRole(const GnnBoundFunction *bound,
                                        int64_t index);

/** The name of the input or output of the function whose gradient this is; null
 *  for others. */
GNN_CAPI const char *gnnBoundInputOf(const GnnBoundFunction *bound,
                                     int64_t index);
GNN_CAPI const char *gnnBoundOutputOf(const GnnBoundFunction *bound,
                                      int64_t index);

/** The computation of a saved value, as text; null for others, and where
 *  nothing is known. Equal ones are the same value, also of another package of
 *  the same program. */
GNN_CAPI const char *gnnBoundInputKey(const GnnBoundFunction *bound,
                                      int64_t index);
GNN_CAPI const char *gnnBoundOutputKey(const GnnBoundFunction *bound,
                                       int64_t index);

/** The function whose forward or backward pass this is, and which of the two:
 *  "forward" or "backward"; null where it is neither. */
GNN_CAPI const char *gnnBoundGradientOf(const GnnBoundFunction *bound);
GNN_CAPI const char *gnnBoundPass(const GnnBoundFunction *bound);

/** Launches the function on a stream. Takes memory of the device, 16-byte
 *  aligned, with at least the bytes that gnnBoundInput, gnnBoundOutput and
 *  gnnBoundWorkspaceBytes say; outputs and workspace must not overlap inputs or
 *  each other. Allocates nothing, copies nothing, does not wait, so that it can
 *  be captured in a CUDA graph. Re-entrant as long as workspaces and outputs
 *  are distinct. After an error nothing of the run is in flight. */
GNN_CAPI GnnError *gnnBoundRun(const GnnBoundFunction *bound,
                               const GnnConstBuffer *inputs, int64_t numInputs,
                               const GnnBuffer *outputs, int64_t numOutputs,
                               GnnBuffer workspace, void *stream);

/** How each step is launched and what it costs, as a JSON object
 *  (docs/Debugging.md), to be destroyed by gnnStringDestroy. */
GNN_CAPI GnnError *gnnBoundReport(const GnnBoundFunction *bound, char **json);

/** The same after `repetitions` runs, with the median time of each step where
 *  the device has a timer. Waits. */
GNN_CAPI GnnError *gnnBoundProfile(const GnnBoundFunction *bound,
                                   const GnnConstBuffer *inputs,
                                   int64_t numInputs, const GnnBuffer *outputs,
                                   int64_t numOutputs, GnnBuffer workspace,
                                   void *stream, int repetitions, char **json);

#ifdef __cplusplus
}
#endif

#endif /* GNN_C_RUNTIME_H */
