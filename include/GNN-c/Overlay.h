/*===- Overlay.h - C API of programs of the overlay -------------*- C -*-===*\
|*
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Programs of the overlay of GraphAGILE (docs/Overlay.md): from the text of a
|* module to a `.ga` file and back, functional runs, and simulated times. libGNN
|* has these functions. The rules of Runtime.h on errors, lifetimes and threads
|* hold here, too.
|*
|* Options are text, with spaces between them: "n1=96 unroll=true". Null and ""
|* stand for no options. A value in ' or " may have spaces. An unknown name, or
|* an invalid value, is a GNN_ERROR_OPTION.
|*
\*===----------------------------------------------------------------------===*/

#ifndef GNN_C_OVERLAY_H
#define GNN_C_OVERLAY_H

#include "GNN-c/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Instructions, and the regions of the memory that they read and write. */
typedef struct GnnOverlayProgram GnnOverlayProgram;

/** The subshards of a graph, or only the number of edges of each subshard. */
typedef struct GnnOverlayPartition GnnOverlayPartition;

/* -------------------------------------------------------------------------- */
/* Programs                                                                   */
/* -------------------------------------------------------------------------- */

/** Compiles a function of a module by gnn-overlay-pipeline; `options` are
 *  options of this pipeline.
 *
 *  `text` has `size` bytes and needs no terminating null. Messages use `name`
 *  as the name of the file. `function` may be "" if the module has one
 *  function. A function of layers (ops of gnn_overlay) is compiled from
 *  gnn-overlay-partition on. A `gnn_overlay.program` of this name, as
 *  gnnOverlayProgramText gives it, is assembled as it is, without options and
 *  graph.
 *
 *  The program is for `graph`, or for the blocks and entries of `partition`. If
 *  both are null, it is for the file of the option `graph`, for the numbers of
 *  the options `vertices` and `edges`, or for the statistics that the module
 *  states (`#gnn.stats`). An option without use, such as `n1` beside a
 *  partition, is an error. Errors are those of gnnCompile. The option
 *  `reproducer` names the file of the reproducer. */
GNN_CAPI GnnError *gnnOverlayCompile(const char *text, size_t size,
                                     const char *name, const char *function,
                                     const GnnGraph *graph,
                                     const GnnOverlayPartition *partition,
                                     const char *options,
                                     GnnOverlayProgram **program);

/** Reads a program from the bytes of a `.ga` file, and checks regions, tiles
 *  and addresses. */
GNN_CAPI GnnError *gnnOverlayProgramRead(const void *bytes, size_t size,
                                         GnnOverlayProgram **program);

/** Gives the bytes of the program's `.ga` file, for gnnStringDestroy. */
GNN_CAPI GnnError *gnnOverlayProgramBytes(const GnnOverlayProgram *program,
                                          char **bytes, size_t *size);

GNN_CAPI void gnnOverlayProgramRetain(GnnOverlayProgram *program);
GNN_CAPI void gnnOverlayProgramRelease(GnnOverlayProgram *program);

/** Gives the disassembly: a module with the `gnn_overlay.program` `name`. The
 *  string is for gnnStringDestroy. */
GNN_CAPI GnnError *gnnOverlayProgramText(const GnnOverlayProgram *program,
                                         const char *name, char **text);

/** Describes the program as a JSON object: parameters, vertices, edges, n1, n2,
 *  blocks, instructions and their bytes, counts by mnemonic, regions, layers,
 *  inputs and outputs with their shapes, and the bytes that go to the memory.
 *  If the graph does not fit the memory, `parts` has the layer, regions and
 *  instruction bytes of each part. A program that was compiled also has the
 *  seconds of the host by phase, and `loops`, which states how self loops are
 *  added to its graph ("" if none are added). The string is for
 *  gnnStringDestroy. */
GNN_CAPI GnnError *gnnOverlayProgramDescribe(const GnnOverlayProgram *program,
                                             char **json);

/** Gives the instructions as a JSON array. An instruction is [mnemonic, {field:
 *  number}], without fields that are 0. The string is for gnnStringDestroy. */
GNN_CAPI GnnError *
gnnOverlayProgramInstructions(const GnnOverlayProgram *program, char **json);

/** The text of a module with the function `prepare`. From weights and the graph
 *  it computes the other inputs of a compiled program ("prepare.0", ...). The
 *  result is null if there are none, or if the program was read from a file. */
GNN_CAPI const char *gnnOverlayProgramPrepare(const GnnOverlayProgram *program);

/* -------------------------------------------------------------------------- */
/* Partitions                                                                 */
/* -------------------------------------------------------------------------- */

/** Sorts the edges of a square graph into subshards, on gnnNumThreads threads.
 *  Options are `n1`, the rows of a block (0: by the rule), `blocks-per-pe` (4),
 *  and `skip-empty` (false). The partition keeps the graph. */
GNN_CAPI GnnError *gnnOverlayPartitionCreate(const GnnGraph *graph,
                                             const char *options,
                                             GnnOverlayPartition **partition);

/** Partitions a graph as a program expects it. If the program adds or replaces
 *  self loops, this is done first. A graph with another number of nodes, with
 *  more edges, or with other entries is an error. */
GNN_CAPI GnnError *
gnnOverlayPartitionForProgram(const GnnOverlayProgram *program,
                              const GnnGraph *graph,
                              GnnOverlayPartition **partition);

/** Makes a partition from numbers of edges alone: uint64[blocks][blocks], where
 *  counts[j][k] is the number of edges from block k to block j, and blocks are
 *  ceil(vertices / n1). It has no edges, so programs cannot run on it, and
 *  simulations with the networks "banks" and "network" are errors. The option
 *  is `skip-empty`. */
GNN_CAPI GnnError *gnnOverlayPartitionOfCounts(int64_t vertices, int64_t n1,
                                               GnnConstBuffer counts,
                                               const char *options,
                                               GnnOverlayPartition **partition);

GNN_CAPI void gnnOverlayPartitionRetain(GnnOverlayPartition *partition);
GNN_CAPI void gnnOverlayPartitionRelease(GnnOverlayPartition *partition);

/** Describes the partition as a JSON object: vertices, edges, n1, blocks,
 *  entries; `bytes`, the bytes of the edges and their descriptors; `padded`,
 *  the bytes of the edges and of rows of `features` features; `unpadded`, the
 *  same without padding (4 V features + 12 E); and `seconds` of the host by
 *  phase. The string is for gnnStringDestroy. */
GNN_CAPI GnnError *
gnnOverlayPartitionDescribe(const GnnOverlayPartition *partition,
                            int64_t features, char **json);

/** Writes descriptors and edges as they are in the memory from address 0 on.
 *  `weights` are float[edges] in the order of the graph; null stands for ones.
 *  `image` has the `bytes` of gnnOverlayPartitionDescribe. */
GNN_CAPI GnnError *
gnnOverlayPartitionWrite(const GnnOverlayPartition *partition,
                         GnnConstBuffer weights, GnnBuffer image);

/* -------------------------------------------------------------------------- */
/* Runs and times                                                             */
/* -------------------------------------------------------------------------- */

/** An argument of a program: float[shape], dense, in C order. */
typedef struct GnnOverlayInput {
  const char *name;
  int64_t rank;
  const int64_t *shape;
  GnnConstBuffer values;
} GnnOverlayInput;

/** Runs the instructions on arguments, which are given by name, and writes the
 *  outputs: float[vertices][features] or float[edges], in the order of
 *  gnnOverlayProgramDescribe. A stored value that is not finite is an error,
 *  unless the option `allow-non-finite` is true. */
GNN_CAPI GnnError *gnnOverlayRun(const GnnOverlayProgram *program,
                                 const GnnOverlayPartition *partition,
                                 const GnnOverlayInput *inputs,
                                 int64_t numInputs, const char *options,
                                 const GnnBuffer *outputs, int64_t numOutputs);

/** Simulates the time of a program. The result is a JSON object as
 *  `gnn-overlay-sim --report` writes it, for gnnStringDestroy.
 *
 *  Options are those of this tool: memory, network, overlap (on or off),
 *  multicast (on or off), pes, issue, latency and others. The option
 *  `overheads` (on) may be off: then init, fill and activations take no
 *  time. */
GNN_CAPI GnnError *gnnOverlaySimulate(const GnnOverlayProgram *program,
                                      const GnnOverlayPartition *partition,
                                      const char *options, char **json);

/** A layer for gnnOverlayRoofline: its type, as table II of GraphAGILE numbers
 *  it, and its features. */
typedef struct GnnOverlayLayer {
  int32_t type;
  int64_t in;
  int64_t out;
} GnnOverlayLayer;

/** Computes the cycles of layers by a formula without tiles (docs/Overlay.md).
 *  With the option `memory=shared` it includes the bytes of blocks of `n1` rows
 *  (0: by the rule), with the options `bandwidth` and `frequency`. Another
 *  option is `pes`. */
GNN_CAPI GnnError *gnnOverlayRoofline(const GnnOverlayLayer *layers,
                                      int64_t numLayers, int64_t vertices,
                                      double edges, const char *options,
                                      double *cycles);

#ifdef __cplusplus
}
#endif

#endif /* GNN_C_OVERLAY_H */
