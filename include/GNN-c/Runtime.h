/*===- Runtime.h - C API of the running side --------------------*- C -*-===*\
|*
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Graphs, devices, packages and bound functions: all that is needed to run
|* compiled code, without the compiler.
|*
|* Errors. A function that may fail returns a GnnError, which is null on
|* success. The caller destroys it. A failing function leaves its outputs
|* untouched.
|*
|* Lifetimes. Handles are reference-counted. A function that returns a handle
|* returns one reference, which the caller releases. A bound function keeps its
|* package, graphs and device alive; a derived graph keeps nothing of the first
|* graph. A pointer that has no destroy function belongs to the handle it came
|* from, and lives as long as this handle. If a process loads both libraries, a
|* handle of one must not be passed to functions of the other.
|*
|* Threads and nulls. Handles are immutable and may be used from several threads
|* at once. Functions to retain, release and destroy accept null. Other
|* functions that cannot fail do not accept it.
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

/** Memory of the caller: its address, and its size in bytes. A buffer that is
 *  too small for a function is an error. Null is legal for a size of 0. */
typedef struct GnnBuffer {
  void *data;
  int64_t bytes;
} GnnBuffer;

/** Memory of the caller that the library only reads. */
typedef struct GnnConstBuffer {
  const void *data;
  int64_t bytes;
} GnnConstBuffer;

/* -------------------------------------------------------------------------- */
/* Errors and strings                                                         */
/* -------------------------------------------------------------------------- */

/** The message of an error: lower-case, one line, "expected X, got Y". It lives
 *  as long as the error. */
GNN_CAPI const char *gnnErrorMessage(const GnnError *error);

/** The kinds of failures, for callers that handle them differently. */
typedef enum GnnErrorKind {
  /** Anything else: files, devices, memory, wrong calls. */
  GNN_ERROR_OTHER = 0,
  /** An option of the compiler: an unknown name or an invalid value. */
  GNN_ERROR_OPTION = 1,
  /** The program that is compiled is wrong. */
  GNN_ERROR_PROGRAM = 2,
  /** A graph with fewer types of edges, or of nodes, than a program declares.
   *  If some types have no members, state the numbers in GnnGraphArrays. */
  GNN_ERROR_EDGE_TYPES = 3,
  GNN_ERROR_NODE_TYPES = 4,
  /** A file or an array needs more bytes than a limit allows. */
  GNN_ERROR_LIMIT = 5,
  /** A graph whose edges are not in the order that a program declares. */
  GNN_ERROR_EDGE_ORDER = 6
} GnnErrorKind;
GNN_CAPI GnnErrorKind gnnErrorKind(const GnnError *error);

/** Destroys an error. Null is legal. */
GNN_CAPI void gnnErrorDestroy(GnnError *error);

/** Destroys a string that a function returned as `char *`. Null is legal. */
GNN_CAPI void gnnStringDestroy(char *string);

/** The version of the library, "MAJOR.MINOR.PATCH"; never freed. */
GNN_CAPI const char *gnnRuntimeVersion(void);

/** Writes a file as the library itself does. The file is written completely or
 *  not at all. Symbolic links are followed, and a replaced file keeps its
 *  permissions. Devices and pipes are written directly. The result is 0, or the
 *  errno of the failure. */
GNN_CAPI int gnnWriteFile(const char *path, const void *bytes, size_t size);

/** The bytes of memory of the machine, or of its control group. They are the
 *  limit of arrays that are read from files. */
GNN_CAPI int64_t gnnPhysicalMemory(void);

/** The number of host threads that check, sort and upload graphs, generate code
 *  and run kernels on the CPU, at most 1024. The default is OMP_NUM_THREADS, or
 *  else the number of cores; 0 restores it. Results have the same bits for any
 *  number of threads. */
GNN_CAPI int64_t gnnNumThreads(void);
GNN_CAPI GnnError *gnnSetNumThreads(int64_t count);

/* -------------------------------------------------------------------------- */
/* Graphs                                                                     */
/* -------------------------------------------------------------------------- */

typedef enum GnnSide { GNN_SRC = 0, GNN_DST = 1 } GnnSide;

/** The arrays of a graph. gnnGraphCreate reads the pointers during the call,
 *  gnnGraphBorrow keeps them. Zero nodes, edges or types are legal. */
typedef struct GnnGraphArrays {
  /** Source and destination nodes are the same set. */
  bool square;
  /** Bits of an id in all arrays below: 32 or 64, signed. */
  int32_t idBits;
  /** Numbers of nodes. If `square`, numDstNodes is not read. */
  int64_t numSrcNodes;
  int64_t numDstNodes;
  /** Edges, under 2^31. */
  int64_t numEdges;
  /** Types, at most 65535 each. */
  int64_t numNodeTypes;
  int64_t numEdgeTypes;
  /** Ids, exactly numEdges each. A null edgeType stands for zeros. */
  GnnConstBuffer edgeSrc;
  GnnConstBuffer edgeDst;
  GnnConstBuffer edgeType;
  /** Ids, one for each node. Null stands for zeros. If `square`, dstNodeType is
   *  not read. */
  GnnConstBuffer srcNodeType;
  GnnConstBuffer dstNodeType;
  /** int32[numEdgeTypes][2]: node types of the source and destination of each
   *  edge type, -1 for any; null: no schema. */
  GnnConstBuffer schema;
  /** Names in UTF-8, one for each type. Null stands for types without names. */
  const char *const *nodeTypeNames;
  const char *const *edgeTypeNames;
} GnnGraphArrays;

/** Copies `count` ids to 32-bit ids. The ids have `bits` bits (8, 16, 32 or 64)
 *  and are signed or unsigned. `bad` gets the index of the first id outside [0,
 *  limit), or -1 if there is none. */
GNN_CAPI GnnError *gnnCopyIds(const void *ids, int32_t bits, bool isSigned,
                              int64_t count, int64_t limit, int32_t *result,
                              int64_t *bad);

/** Makes a graph from copies of the arrays. */
GNN_CAPI GnnError *gnnGraphCreate(const GnnGraphArrays *arrays,
                                  GnnGraph **graph);

/** Makes a graph that uses the arrays in place; idBits must be 32. The arrays
 *  must stay unchanged until the graph calls `release(context)`. It does so
 *  once, on the thread that drops the last reference, and never after a failure
 *  of this function. `release` may be null. Names and schema are copied. */
GNN_CAPI GnnError *gnnGraphBorrow(const GnnGraphArrays *arrays,
                                  void (*release)(void *context), void *context,
                                  GnnGraph **graph);

GNN_CAPI void gnnGraphRetain(GnnGraph *graph);
/** Drops a reference. Bound functions are references, too: the copies of a
 *  graph on a device are freed with the last bound function (gnnBoundRelease),
 *  even after gnnGraphClearStructures. */
GNN_CAPI void gnnGraphRelease(GnnGraph *graph);

GNN_CAPI bool gnnGraphIsSquare(const GnnGraph *graph);
GNN_CAPI int64_t gnnGraphNumNodes(const GnnGraph *graph, GnnSide side);
GNN_CAPI int64_t gnnGraphNumEdges(const GnnGraph *graph);
GNN_CAPI int64_t gnnGraphNumNodeTypes(const GnnGraph *graph);
GNN_CAPI int64_t gnnGraphNumEdgeTypes(const GnnGraph *graph);

/** The node of each edge on one side, or the type of each edge:
 *  int32[edges]. */
GNN_CAPI const int32_t *gnnGraphEdgeEnds(const GnnGraph *graph, GnnSide side);
GNN_CAPI const int32_t *gnnGraphEdgeTypes(const GnnGraph *graph);

/** The type of each node: int32[nodes of that side]. */
GNN_CAPI const int32_t *gnnGraphNodeTypes(const GnnGraph *graph, GnnSide side);

/** The node types of the source and destination of each edge type: int32[edge
 *  types][2]; null if the graph has no schema. */
GNN_CAPI const int32_t *gnnGraphSchema(const GnnGraph *graph);

/** The name of a type; null if types have no names, or there is no such
 *  type. */
GNN_CAPI const char *gnnGraphNodeTypeName(const GnnGraph *graph, int64_t type);
GNN_CAPI const char *gnnGraphEdgeTypeName(const GnnGraph *graph, int64_t type);

/** Gives the number of the type with a name. An unknown name is an error. */
GNN_CAPI GnnError *gnnGraphFindNodeType(const GnnGraph *graph, const char *name,
                                        int32_t *type);
GNN_CAPI GnnError *gnnGraphFindEdgeType(const GnnGraph *graph, const char *name,
                                        int32_t *type);

/** Gives a count of the graph by its key (docs/Structures.md): "count edge",
 *  "tile_count dst edge.in_rows 64", "max_row dst edge.in_rows". */
GNN_CAPI GnnError *gnnGraphCount(const GnnGraph *graph, const char *key,
                                 int64_t *value);

/** Gives a structure of the graph by its key (docs/Structures.md), such as
 *  "rows dst edge.in_rows". `size` gets the number of values. If `values` is
 *  not null, the values are copied there; more than `capacity` values are an
 *  error. */
GNN_CAPI GnnError *gnnGraphStructure(const GnnGraph *graph, const char *key,
                                     int32_t *values, int64_t capacity,
                                     int64_t *size);

/** Drops the structures that the graph keeps for later bindings. */
GNN_CAPI void gnnGraphClearStructures(const GnnGraph *graph);

/** Gives the statistics of the graph as a JSON object (docs/Cost.md), for
 *  gnnStringDestroy. */
GNN_CAPI GnnError *gnnGraphStatistics(const GnnGraph *graph, char **json);

/** Gives the statistics of the graph as the text of an attribute,
 *  `#gnn.stats<...>`, which the declaration of the graph in a module takes. The
 *  string is for gnnStringDestroy. */
GNN_CAPI GnnError *gnnGraphStats(const GnnGraph *graph, char **attribute);

/** Gives the number of edges at each node: int32[nodes of that side]. Only
 *  edges of type `edgeType` count, or all if it is -1. `size` is the capacity
 *  of `degrees` in values. */
GNN_CAPI GnnError *gnnGraphDegrees(const GnnGraph *graph, GnnSide side,
                                   int32_t edgeType, int32_t *degrees,
                                   int64_t size);

/* Graphs made from graphs; GNN/Runtime/GraphFunctions.h says what each does. */

/** Adds a self loop to each node. `edgeType` is the type of the new edges: the
 *  number of edge types stands for a new type, and -1 for the only type, or for
 *  a new one if the graph has several. `replace` removes the old self loops
 *  first. */
GNN_CAPI GnnError *gnnGraphAddSelfLoops(const GnnGraph *graph, bool replace,
                                        int32_t edgeType, GnnGraph **result);
GNN_CAPI GnnError *gnnGraphAddInverses(const GnnGraph *graph,
                                       GnnGraph **result);
GNN_CAPI GnnError *gnnGraphRefineTypes(const GnnGraph *graph,
                                       GnnGraph **result);
GNN_CAPI GnnError *gnnGraphMergeTypes(const GnnGraph *graph, bool edgeTypes,
                                      bool nodeTypes, GnnGraph **result);

/** Gives the graphs that layers read to compute the first `seeds` nodes:
 *  `layers` bipartite graphs in `blocks`, that of the first layer first. */
GNN_CAPI GnnError *gnnGraphBlocks(const GnnGraph *graph, int64_t seeds,
                                  int64_t layers, GnnGraph **blocks);

/** Gives the same blocks as gnnGraphCreate and gnnGraphBlocks, without making
 *  the whole graph. */
GNN_CAPI GnnError *gnnBlocksCreate(const GnnGraphArrays *arrays, int64_t seeds,
                                   int64_t layers, GnnGraph **blocks);

/** Gives nodes new ids, which are permutations: int32[nodes]. `dstIds` is null
 *  if the graph is square. */
GNN_CAPI GnnError *gnnGraphRenumber(const GnnGraph *graph,
                                    const int32_t *srcIds, int64_t numSrcIds,
                                    const int32_t *dstIds, int64_t numDstIds,
                                    GnnGraph **result);

/** The origin of each edge and edge type in the first graph, for a graph that
 *  one of these functions made: int32[edges] and int32[edge types]. New ones
 *  have -1. The result is null for other graphs. */
GNN_CAPI const int32_t *gnnGraphEdgeOrigin(const GnnGraph *graph);
GNN_CAPI const int32_t *gnnGraphEdgeTypeOrigin(const GnnGraph *graph);

/* -------------------------------------------------------------------------- */
/* Graph files                                                                */
/* -------------------------------------------------------------------------- */

/** Loads an .npz file with a graph, features, labels and splits
 *  (docs/Structures.md). */
GNN_CAPI GnnError *gnnGraphFileLoad(const char *path, GnnGraphFile **file);
GNN_CAPI void gnnGraphFileRetain(GnnGraphFile *file);
GNN_CAPI void gnnGraphFileRelease(GnnGraphFile *file);

/** The graph of the file, as a new reference. */
GNN_CAPI GnnGraph *gnnGraphFileGraph(const GnnGraphFile *file);

/** The width of the node features; -1 if the file has none. */
GNN_CAPI int64_t gnnGraphFileFeatureDim(const GnnGraphFile *file);

/** Gives the node features as float[nodes][width]; a `width` of 0 stands for
 *  the features' own. If `width` is larger, columns of zeros follow. If it is
 *  smaller, column c is added to column c mod width. `size` is the capacity of
 *  `features` in floats. */
GNN_CAPI GnnError *gnnGraphFileFeatures(const GnnGraphFile *file, int64_t width,
                                        float *features, int64_t size);

/** Gives an array of the file by its name: "label", "train_mask", "val_mask",
 *  "test_mask" (int32[nodes]) or "edge_split" (int32[edges]). The result is
 *  null if the file does not have it. */
GNN_CAPI const int32_t *gnnGraphFileArray(const GnnGraphFile *file,
                                          const char *name);

/** The name of a class of labels; null if there is none. */
GNN_CAPI const char *gnnGraphFileLabelName(const GnnGraphFile *file,
                                           int64_t label);

/* -------------------------------------------------------------------------- */
/* Devices                                                                    */
/* -------------------------------------------------------------------------- */

/** Gives the number of GPUs. A missing CUDA driver is an error. */
GNN_CAPI GnnError *gnnCudaDeviceCount(int *count);

/** Opens a GPU through its primary context, which other libraries use, too. */
GNN_CAPI GnnError *gnnDeviceOpenCuda(int ordinal, GnnDevice **device);

/** Opens the CPU. It runs packages that are compiled for "cpu": their shared
 *  objects for this processor, or, in libGNN, their kernels as IR, which
 *  LLVM compiles.
 *
 *  Accesses are not checked. Binding kernels of more than one thread a block
 *  is an error. Streams are ignored: a run is done when the call returns.
 *
 *  `threads`, at most 1024, run blocks in parallel; 0 stands for
 *  gnnNumThreads. Results have the same bits for any number of threads. */
GNN_CAPI GnnError *gnnDeviceOpenCpu(int threads, GnnDevice **device);

/** A processor that shared objects are made for. */
typedef struct GnnProcessor {
  /** The name: "x86-64-v3", ... */
  const char *name;
  /** Whether this host has its instructions. */
  bool present;
  /** Whether it is one of the few that together serve most machines. */
  bool common;
} GnnProcessor;

/** Describes a processor of this architecture; the widest has index 0. The
 *  result is false if there is none of that index. */
GNN_CAPI bool gnnProcessor(int64_t index, GnnProcessor *processor);

GNN_CAPI void gnnDeviceRetain(GnnDevice *device);
GNN_CAPI void gnnDeviceRelease(GnnDevice *device);

/** The kind of target whose kernels the device runs: "cuda", "cpu", "emulator",
 *  or one of a plugin. */
GNN_CAPI const char *gnnDeviceKind(const GnnDevice *device);

/** The name of the device, such as "cuda:0 (NVIDIA H200, sm_90)". */
GNN_CAPI const char *gnnDeviceName(const GnnDevice *device);

/** The driver's description of a GPU, for the option `chip` of a compilation:
 *  "sm_89, NVIDIA L40S: processors=142 clock=2.52e+09 l2_bytes=1.00663e+08
 *  memory_bandwidth=8.64e+11". Units are Hz, bytes, and bytes per second. Other
 *  devices give "". */
GNN_CAPI const char *gnnDeviceDescribeGPU(const GnnDevice *device);

/** Allocates memory that is aligned to 256 bytes, for callers without an
 *  allocator of their own. It must be freed before the last reference to the
 *  device is released. */
GNN_CAPI GnnError *gnnDeviceAllocate(GnnDevice *device, int64_t bytes,
                                     void **memory);
/** Frees memory without waiting. The memory must not be in use by a run,
 *  because the next allocation may reuse it. */
GNN_CAPI void gnnDeviceFree(GnnDevice *device, void *memory);

/** Copy `bytes` bytes, and return when the copy is done. On the CPU and the
 *  emulator, copying more than was allocated is an error. */
GNN_CAPI GnnError *gnnDeviceCopyToDevice(GnnDevice *device, void *to,
                                         const void *from, int64_t bytes);
GNN_CAPI GnnError *gnnDeviceCopyToHost(GnnDevice *device, void *to,
                                       const void *from, int64_t bytes);

/** Waits for all launches on a stream. Null stands for the default stream. */
GNN_CAPI GnnError *gnnDeviceSynchronize(GnnDevice *device, void *stream);

/* -------------------------------------------------------------------------- */
/* Packages                                                                   */
/* -------------------------------------------------------------------------- */

/** Reads a package. A package that has more than 4 GiB when it is unpacked is a
 *  GNN_ERROR_LIMIT. */
GNN_CAPI GnnError *gnnPackageLoad(const char *path, GnnPackage **package);
GNN_CAPI GnnError *gnnPackageLoadBytes(const void *bytes, size_t size,
                                       GnnPackage **package);

/** Writes a package to a file, completely or not at all. */
GNN_CAPI GnnError *gnnPackageSave(const GnnPackage *package, const char *path);

/** Gives the bytes that gnnPackageSave writes, for gnnStringDestroy. */
GNN_CAPI GnnError *gnnPackageBytes(const GnnPackage *package, char **bytes,
                                   size_t *size);

GNN_CAPI void gnnPackageRetain(GnnPackage *package);
GNN_CAPI void gnnPackageRelease(GnnPackage *package);

/** The number of functions of a package, and the name of each. The name is null
 *  if there is no function of that index. */
GNN_CAPI int64_t gnnPackageNumFunctions(const GnnPackage *package);
GNN_CAPI const char *gnnPackageFunctionName(const GnnPackage *package,
                                            int64_t index);

/** Gives the index of the function with a name. For an unknown name, the error
 *  lists all names. */
GNN_CAPI GnnError *gnnPackageFindFunction(const GnnPackage *package,
                                          const char *name, int64_t *index);

/** The launch plan as JSON (docs/CAPI.md). Among other things it has the
 *  graphs, inputs and outputs of each function. */
GNN_CAPI const char *gnnPackagePlan(const GnnPackage *package);

/** The kernels in a format: "ptx", "x86-64-v3.so", ... The result is null if
 *  the package does not have it. `size` gets the number of bytes, and may be
 *  null. */
GNN_CAPI const char *gnnPackageKernels(const GnnPackage *package,
                                       const char *format, size_t *size);

/* -------------------------------------------------------------------------- */
/* Bound functions                                                            */
/* -------------------------------------------------------------------------- */

/** Options of binding. All members may be null, and so may the pointer to this
 *  struct. */
typedef struct GnnBindOptions {
  /** Functions that allocate and free the memory for the graph's structures on
   *  the device, aligned to 256 bytes. If both are null, the device allocates.
   *  A null result of `allocate` is a failure. `context` and the memory must
   *  live until the bound function is destroyed. */
  void *(*allocate)(void *context, int64_t bytes);
  void (*free)(void *context, void *memory);
  /** Called with the name of the structure that is being built, and with the
   *  share that is done, from 0 to 1. Null stands for no call. */
  void (*progress)(void *context, const char *what, double done);
  void *context;
} GnnBindOptions;

/** An input or output: dense, in C order. */
typedef struct GnnTensorInfo {
  const char *name;
  /** The type of an element: "f32", "i32", ... */
  const char *dtype;
  int64_t rank;
  const int64_t *shape;
  int64_t bytes;
} GnnTensorInfo;

/** Binds a function of a package to graphs on a device: builds and uploads the
 *  structures that the function needs. The graphs are in the order of the
 *  function's declarations. It may allocate and wait. */
GNN_CAPI GnnError *gnnBind(const GnnPackage *package, const char *function,
                           GnnGraph *const *graphs, int64_t numGraphs,
                           const GnnDevice *device,
                           const GnnBindOptions *options,
                           GnnBoundFunction **bound);

/** Binds several functions of a package, such as the forward and the backward
 *  pass of a sampled batch; after an error none is bound. Graphs have names
 *  here, and each function takes those that it declares. */
GNN_CAPI GnnError *
gnnBindAll(const GnnPackage *package, const char *const *functions,
           int64_t numFunctions, const char *const *graphNames,
           GnnGraph *const *graphs, int64_t numGraphs, const GnnDevice *device,
           const GnnBindOptions *options, GnnBoundFunction **bound);

GNN_CAPI void gnnBoundRetain(GnnBoundFunction *bound);

/** Drops a reference. The last reference must not be dropped while a run is in
 *  flight: this function does not wait, and the next allocation may reuse the
 *  memory on the device. */
GNN_CAPI void gnnBoundRelease(GnnBoundFunction *bound);

/** The bytes of the workspace that a run needs, aligned to 256 bytes, and the
 *  bytes of the structures on the device. */
GNN_CAPI int64_t gnnBoundWorkspaceBytes(const GnnBoundFunction *bound);
GNN_CAPI int64_t gnnBoundStructureBytes(const GnnBoundFunction *bound);

GNN_CAPI int64_t gnnBoundNumInputs(const GnnBoundFunction *bound);
GNN_CAPI int64_t gnnBoundNumOutputs(const GnnBoundFunction *bound);

/** Gives the first extent of each input and then of each output, 1 for scalars.
 *  At most `capacity` values are written. */
GNN_CAPI void gnnBoundRows(const GnnBoundFunction *bound, int64_t *rows,
                           int64_t capacity);

/** Describe an input or output. The result is false if there is none of that
 *  index. */
GNN_CAPI bool gnnBoundInput(const GnnBoundFunction *bound, int64_t index,
                            GnnTensorInfo *info);
GNN_CAPI bool gnnBoundOutput(const GnnBoundFunction *bound, int64_t index,
                             GnnTensorInfo *info);

/** The role of an input or output: "input" or "output". Functions that give
 *  gradients also have "saved", which the forward pass writes for the backward
 *  pass, and "gradient". The result is null if there is none of that index. */
GNN_CAPI const char *gnnBoundInputRole(const GnnBoundFunction *bound,
                                       int64_t index);
GNN_CAPI const char *gnnBoundOutputRole(const GnnBoundFunction *bound,
                                        int64_t index);

/** The name of the function's input or output that a gradient belongs to; null
 *  for other inputs and outputs. */
GNN_CAPI const char *gnnBoundInputOf(const GnnBoundFunction *bound,
                                     int64_t index);
GNN_CAPI const char *gnnBoundOutputOf(const GnnBoundFunction *bound,
                                      int64_t index);

/** The computation of a saved value, as text. Two values with equal texts are
 *  the same, also if their packages of the program differ. The result is null
 *  for other values, and if the computation is unknown. */
GNN_CAPI const char *gnnBoundInputKey(const GnnBoundFunction *bound,
                                      int64_t index);
GNN_CAPI const char *gnnBoundOutputKey(const GnnBoundFunction *bound,
                                       int64_t index);

/** The name of the function whose forward or backward pass this is, and which
 *  pass it is: "forward" or "backward". Both are null for other functions. */
GNN_CAPI const char *gnnBoundGradientOf(const GnnBoundFunction *bound);
GNN_CAPI const char *gnnBoundPass(const GnnBoundFunction *bound);

/** Launches the function on a stream.
 *
 *  Buffers are memory of the device, aligned to 16 bytes, with at least the
 *  bytes that gnnBoundInput, gnnBoundOutput and gnnBoundWorkspaceBytes state.
 *  Outputs and workspace must not overlap inputs or each other.
 *
 *  The call allocates nothing, copies nothing and does not wait, so it can be
 *  captured in a CUDA graph. It is re-entrant if workspaces and outputs are
 *  distinct. After an error no launch of the run is in flight. */
GNN_CAPI GnnError *gnnBoundRun(const GnnBoundFunction *bound,
                               const GnnConstBuffer *inputs, int64_t numInputs,
                               const GnnBuffer *outputs, int64_t numOutputs,
                               GnnBuffer workspace, void *stream);

/** Gives the launches of each step and their estimated cost as a JSON object
 *  (docs/Debugging.md), for gnnStringDestroy. */
GNN_CAPI GnnError *gnnBoundReport(const GnnBoundFunction *bound, char **json);

/** Gives the report of gnnBoundReport after `repetitions` runs. If the device
 *  has a timer, each step has its median time. The call waits. */
GNN_CAPI GnnError *gnnBoundProfile(const GnnBoundFunction *bound,
                                   const GnnConstBuffer *inputs,
                                   int64_t numInputs, const GnnBuffer *outputs,
                                   int64_t numOutputs, GnnBuffer workspace,
                                   void *stream, int repetitions, char **json);

#ifdef __cplusplus
}
#endif

#endif /* GNN_C_RUNTIME_H */
