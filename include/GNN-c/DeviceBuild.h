/*===- DeviceBuild.h - Structures that a device builds ----------*- C -*-===*\
|*
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Graphs with ids on a device. Kernels on this device build their index arrays
|* (structures, docs/Structures.md). The rules of Runtime.h on errors and
|* lifetimes hold.
|*
\*===----------------------------------------------------------------------===*/

#ifndef GNN_C_DEVICEBUILD_H
#define GNN_C_DEVICEBUILD_H

#include "GNN-c/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The counts and structures (docs/Structures.md) of the graph `name` that
 *  functions need. `selfLoops` and `dstSorted` request checks of the graph:
 *  each node has one self loop, and edges are sorted by destination. */
typedef struct GnnGraphNeeds {
  const char *name;
  bool selfLoops;
  bool dstSorted;
  int64_t numCounts;
  const char *const *countKeys;
  int64_t numStructures;
  const char *const *structureKeys;
  /** A graph that is derived by changing self loops: the name of its parent,
   *  how ("add", "replace", "remaining" or "remove"), and the type of new
   *  loops. Both strings are null for a graph that is given. */
  const char *parent;
  const char *loops;
  int64_t loopType;
  /** The number of shards of a derived graph, whose loops may then be null. The
   *  nodes at the end "src" or "dst" are split into this number of ranges, at
   *  least 2, and the ranges are the edge types. 0 stands for a graph without
   *  shards. */
  int64_t shards;
  const char *shardEnd;
  /** The node types at both ends of each edge type, -1 for any: int32[edge
   *  types][2]. The build checks that edges have these types. Null stands for
   *  no check. */
  GnnConstBuffer schema;
} GnnGraphNeeds;

/** The kernels that build the structures of some graphs on a device.
 *  Immutable. */
typedef struct GnnBuilder GnnBuilder;

/** The structures of some graphs while they are built. */
typedef struct GnnBuild GnnBuild;

/** Ids on a device. They have 32 or 64 bits, and each begins `stride` ids after
 *  the previous one. `bytes` is the size of the memory from the first id on.
 *  Null stands for zeros. */
typedef struct GnnDeviceIds {
  const void *values;
  int64_t bytes;
  int64_t bits;
  int64_t stride;
} GnnDeviceIds;

/** A graph on a device. The library checks the ids. */
typedef struct GnnDeviceGraph {
  const char *name;
  bool square;
  int64_t numSrcNodes, numDstNodes, numEdges, numNodeTypes, numEdgeTypes;
  GnnDeviceIds src, dst, edgeType, srcNodeType, dstNodeType;
} GnnDeviceGraph;

/** Creates a builder for a device, which is a GPU from sm_70 on or the
 *  emulator. The library contains the kernels. The builder is null if the
 *  kernels cannot build all needed structures. */
GNN_CAPI GnnError *gnnBuilderCreate(const GnnGraphNeeds *graphs,
                                    int64_t numGraphs, const GnnDevice *device,
                                    GnnBuilder **builder);
GNN_CAPI void gnnBuilderRelease(GnnBuilder *builder);

/** Whether one builder builds all structures of another one, and checks the
 *  same self loops. The order of edges does not count: if the other builder has
 *  to check it, gnnBuildSetSorted states it. */
GNN_CAPI bool gnnBuilderCovers(const GnnBuilder *builder,
                               const GnnBuilder *other);

/** Begins to build the structures of graphs.
 *
 *  The steps are gnnBuildCount and gnnBuildFill. They run on one stream, once
 *  each and in this order. Ids and memory must live until the stream is done
 *  with them. If a step fails, no other step may follow, and the stream no
 *  longer uses ids and memory.
 *
 *  `sizes` gets two numbers of int32 words: memory of the device for sorting
 *  and counting, and memory of the host that the device can write. The first
 *  number is -1 if the sort keys would need too many bits. */
GNN_CAPI GnnError *gnnBuildCreate(const GnnBuilder *builder,
                                  const GnnDeviceGraph *graphs,
                                  int64_t numGraphs, GnnBuild **build,
                                  int64_t *sizes);
GNN_CAPI void gnnBuildRelease(GnnBuild *build);

/** Sorts edges and nodes, and counts groups and elements. The call waits: the
 *  caller may reuse `numbers` when it returns. `bytes` gets the size of the
 *  structures. It is -1 if an id is wrong, or if self loops, the schema or the
 *  order of edges are not as declared. */
GNN_CAPI GnnError *gnnBuildCount(GnnBuild *build, GnnBuffer scratch,
                                 GnnBuffer numbers, void *stream,
                                 int64_t *bytes);

/** The error if `bytes` was -1, as text that lives as long as `build`; null if
 *  there was no error. The text names a graph. If a graph has several errors,
 *  the text has the first of wrong ids, self loops, the schema, and the order
 *  of edges. */
GNN_CAPI const char *gnnBuildProblem(const GnnBuild *build);

/** Builds the structures in `memory`, which is aligned to 16 bytes and lives as
 *  long as all functions that are bound to them. The call reads `scratch` of
 *  gnnBuildCount. */
GNN_CAPI GnnError *gnnBuildFill(GnnBuild *build, GnnBuffer memory,
                                void *stream);

/** States, after gnnBuildFill, that the edges of a graph are sorted by
 *  destination. This is for builds that did not check the order. Functions that
 *  expect sorted edges may then be bound. No other thread may bind at the same
 *  time. */
GNN_CAPI GnnError *gnnBuildSetSorted(GnnBuild *build, const char *graph);

/** Binds functions to the graphs. The call copies nothing and does not wait,
 *  except to load kernels that no function has used on the device before. Runs
 *  must follow gnnBuildFill on its stream. */
GNN_CAPI GnnError *gnnBuildBind(const GnnBuild *build,
                                const GnnPackage *package,
                                const char *const *functions,
                                int64_t numFunctions, GnnBoundFunction **bound);

/** Give a count of a graph, or a structure and the number of its values. */
GNN_CAPI GnnError *gnnBuildNumber(const GnnBuild *build, const char *graph,
                                  const char *key, int64_t *value);
GNN_CAPI GnnError *gnnBuildStructure(const GnnBuild *build, const char *graph,
                                     const char *key, const void **values,
                                     int64_t *size);

#ifdef __cplusplus
}
#endif

#endif /* GNN_C_DEVICEBUILD_H */
