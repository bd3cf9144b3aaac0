/*===- DeviceBuild.h - Structures that a device builds ----------*- C -*-===*\
|*
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Graphs whose ids are on a device, and whose structures kernels build there.
|* Runtime.h's rules on errors and lifetimes hold.
|*
\*===----------------------------------------------------------------------===*/

#ifndef GNN_C_DEVICEBUILD_H
#define GNN_C_DEVICEBUILD_H

#include "GNN-c/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The needs of functions of a graph of that name: counts and structures as in
 *  docs/Structures.md, and whether it is to be checked for one self loop a node
 * and for edges that are sorted by destination. */
typedef struct GnnGraphNeeds {
  const char *name;
  bool selfLoops;
  bool dstSorted;
  int64_t numCounts;
  const char *const *countKeys;
  int64_t numStructures;
  const char *const *structureKeys;
  /** A graph with other self loops has the name of the one that it is derived
   *  from, "add", "replace", "remaining" or "remove", and the type of new
   *  loops; null: it is given. */
  const char *parent;
  const char *loops;
  int64_t loopType;
  /** Shards of a derived graph, whose loops may then be null: from 2, so many
   * ranges of the nodes at the end "src" or "dst" are its edge types; 0: they
   * are not. */
  int64_t shards;
  const char *shardEnd;
  /** int32[edge types][2], the node types at both ends of each edge type that
   *  edges are to be checked for, -1: any; null: none. */
  GnnConstBuffer schema;
} GnnGraphNeeds;

/** How the structures of graphs are built on a device by kernels. Immutable. */
typedef struct GnnBuilder GnnBuilder;

/** The structures of some graphs, being built. */
typedef struct GnnBuild GnnBuild;

/** Ids on a device, of 32 or 64 bits, `stride` ids apart; null: all are 0.
 *  `bytes` is the size of the memory from the first id on. */
typedef struct GnnDeviceIds {
  const void *values;
  int64_t bytes;
  int64_t bits;
  int64_t stride;
} GnnDeviceIds;

/** A graph on a device. Its ids may be wrong. */
typedef struct GnnDeviceGraph {
  const char *name;
  bool square;
  int64_t numSrcNodes, numDstNodes, numEdges, numNodeTypes, numEdgeTypes;
  GnnDeviceIds src, dst, edgeType, srcNodeType, dstNodeType;
} GnnDeviceGraph;

/** The library has the kernels, for each GPU from sm_70 on and for the
 *  emulator. The builder is null if the kernels cannot build all needed
 *  structures. */
GNN_CAPI GnnError *gnnBuilderCreate(const GnnGraphNeeds *graphs,
                                    int64_t numGraphs, const GnnDevice *device,
                                    GnnBuilder **builder);
GNN_CAPI void gnnBuilderRelease(GnnBuilder *builder);

/** Whether one builder builds all structures of another one, and checks the
 *  same self loops. The order of edges does not count: if the other one has to
 *  check it, gnnBuildSetSorted states it. */
GNN_CAPI bool gnnBuilderCovers(const GnnBuilder *builder,
                               const GnnBuilder *other);

/** Begins to build. The steps below follow each other on one stream, each once
 *  and in this order; ids and memory must live until it is done with them. A
 *  step that fails is the last one, and is done with them. `sizes` gets two
 *  numbers of int32 words: memory of the device for sorting and counting (-1:
 *  keys would need more bits), and memory of the host that the device can
 *  write. */
GNN_CAPI GnnError *gnnBuildCreate(const GnnBuilder *builder,
                                  const GnnDeviceGraph *graphs,
                                  int64_t numGraphs, GnnBuild **build,
                                  int64_t *sizes);
GNN_CAPI void gnnBuildRelease(GnnBuild *build);

/** Sorts edges and nodes, and counts. Waits: `numbers` are free again when it
 *  returns. `bytes` is what the structures take; -1 where an id is wrong, or
 *  self loops or the order of edges are not what they should be. */
GNN_CAPI GnnError *gnnBuildCount(GnnBuild *build, GnnBuffer scratch,
                                 GnnBuffer numbers, void *stream,
                                 int64_t *bytes);

/** The error where `bytes` was -1, as text that lives as long as `build`; null
 *  where nothing is wrong. It names a graph, and ids before self loops before
 *  the schema before the order of edges. */
GNN_CAPI const char *gnnBuildProblem(const GnnBuild *build);

/** Builds the structures in memory that is 16-byte aligned and lives as long as
 *  what is bound to them. It reads `scratch` of the step before. */
GNN_CAPI GnnError *gnnBuildFill(GnnBuild *build, GnnBuffer memory,
                                void *stream);

/** Once filled: the caller knows that the edges of a graph are sorted by
 *  destination, which was not to be checked when it was built. Functions that
 *  expect it may be bound from then on. Not while another thread binds. */
GNN_CAPI GnnError *gnnBuildSetSorted(GnnBuild *build, const char *graph);

/** Binds functions to the graphs. Copies nothing and does not wait, except to
 *  load kernels that no function has used there before. Runs must follow the
 *  building of the structures in their stream. */
GNN_CAPI GnnError *gnnBuildBind(const GnnBuild *build,
                                const GnnPackage *package,
                                const char *const *functions,
                                int64_t numFunctions, GnnBoundFunction **bound);

/** A count of a graph, or a structure and the number of its values. */
GNN_CAPI GnnError *gnnBuildNumber(const GnnBuild *build, const char *graph,
                                  const char *key, int64_t *value);
GNN_CAPI GnnError *gnnBuildStructure(const GnnBuild *build, const char *graph,
                                     const char *key, const void **values,
                                     int64_t *size);

#ifdef __cplusplus
}
#endif

#endif /* GNN_C_DEVICEBUILD_H */
