/*===- Overlay.h - C API of programs of the overlay -------------*- C -*-===*\
|*
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Programs of the overlay of GraphAGILE (docs/Overlay.md): from the text of a
|* module to a `.ga` file and back, functional runs, and simulated times. libGNN
|* has these functions; the rules of Runtime.h on errors, lifetimes and threads
|* hold here too.
|*
|* Options are text: names and values as "n1=96 unroll=true", with spaces
|* between; null and "" are none. A value in ' or " may have spaces. A name that
|* there is not, or a value that it cannot have, is a GNN_ERROR_OPTION.
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

/** The subshards of a graph, or their counts of edges alone. */
typedef struct GnnOverlayPartition GnnOverlayPartition;

/* -------------------------------------------------------------------------- */
/* Programs                                                                   */
/* -------------------------------------------------------------------------- */

/** Compiles a function of the text of a module, `size` bytes that need no end,
 *  by gnn-overlay-pipeline, whose options these are. `name` stands for the file
 *  in messages. `function`: "" is the one there is. One of layers
 *  (ops of gnn_overlay) begins behind steps 1 and 2. A `gnn_overlay.program` of
 *  that name, as gnnOverlayProgramText gives it, is assembled as it is, without
 *  options and graph.
 *
 *  The program is for `graph`, or for the blocks and entries of `partition`, as
 *  one of counts; both null: for the option `graph`, a file, for the numbers of
 *  the options `vertices` and `edges`, or for those that the module states
 *  (`#gnn.stats`). An option that what is given has no use for is an error, as
 *  `n1` beside a partition. Errors are those of gnnCompile; the option
 *  `reproducer` names the file of its reproducer. */
GNN_CAPI GnnError *gnnOverlayCompile(const char *text, size_t size,
                                     const char *name, const char *function,
                                     const GnnGraph *graph,
                                     const GnnOverlayPartition *partition,
                                     const char *options,
                                     GnnOverlayProgram **program);

/** The program of a `.ga` file's bytes, checked: regions, tiles, addresses. */
GNN_CAPI GnnError *gnnOverlayProgramRead(const void *bytes, size_t size,
                                         GnnOverlayProgram **program);

/** The bytes of its `.ga` file; free them with gnnStringDestroy. */
GNN_CAPI GnnError *gnnOverlayProgramBytes(const GnnOverlayProgram *program,
                                          char **bytes, size_t *size);

GNN_CAPI void gnnOverlayProgramRetain(GnnOverlayProgram *program);
GNN_CAPI void gnnOverlayProgramRelease(GnnOverlayProgram *program);

/** The module of a `gnn_overlay.program` of that name: the disassembly. Gives a
 *  string for gnnStringDestroy. */
GNN_CAPI GnnError *gnnOverlayProgramText(const GnnOverlayProgram *program,
                                         const char *name, char **text);

/** The program as a JSON object: parameters, vertices, edges, n1, n2, blocks,
 *  instructions and their bytes, counts by mnemonic, regions, layers, parts
 *  (where a graph does not fit the memory: layer, regions, instruction bytes),
 *  inputs and outputs with their shapes, bytes that go to the memory, and of
 * one that was compiled the seconds of the host by phase and `loops`, how self
 * loops are added to its graph ("": they are not). Gives a string for
 *  gnnStringDestroy. */
GNN_CAPI GnnError *gnnOverlayProgramDescribe(const GnnOverlayProgram *program,
                                             char **json);

/** The instructions as a JSON array, [mnemonic, {field: number}] each, of
 *  fields that are not 0. Gives a string for gnnStringDestroy. */
GNN_CAPI GnnError *
gnnOverlayProgramInstructions(const GnnOverlayProgram *program, char **json);

/** The text of a module with the function `prepare`, which computes from
 *  weights and the graph the other inputs of a program that was compiled
 *  ("prepare.0", ...). Null: there are none, or the program was read. */
GNN_CAPI const char *gnnOverlayProgramPrepare(const GnnOverlayProgram *program);

/* -------------------------------------------------------------------------- */
/* Partitions                                                                 */
/* -------------------------------------------------------------------------- */

/** Sorts the edges of a square graph into subshards, on gnnNumThreads threads.
 *  Options: `n1`, rows of a block (0: by the rule), `blocks-per-pe` (4), and
 *  `skip-empty` (false). The partition keeps the graph. */
GNN_CAPI GnnError *gnnOverlayPartitionCreate(const GnnGraph *graph,
                                             const char *options,
                                             GnnOverlayPartition **partition);

/** The same as a program was compiled for; where that was a graph with its self
 *  loops replaced or added, they are first. An error where the graph has other
 *  numbers of nodes, more edges, or other entries. */
GNN_CAPI GnnError *
gnnOverlayPartitionForProgram(const GnnOverlayProgram *program,
                              const GnnGraph *graph,
                              GnnOverlayPartition **partition);

/** The entries of subshards of so many edges: uint64[blocks][blocks], where
 *  counts[j][k] is of edges from block k into block j and blocks are
 *  ceil(vertices / n1). It has no edges: nothing runs on it, and networks of
 *  edges are an error. Options: `skip-empty`. */
GNN_CAPI GnnError *gnnOverlayPartitionOfCounts(int64_t vertices, int64_t n1,
                                               GnnConstBuffer counts,
                                               const char *options,
                                               GnnOverlayPartition **partition);

GNN_CAPI void gnnOverlayPartitionRetain(GnnOverlayPartition *partition);
GNN_CAPI void gnnOverlayPartitionRelease(GnnOverlayPartition *partition);

/** The partition as a JSON object: vertices, edges, n1, blocks, entries;
 *  `bytes` of the edges with their descriptors, `unpadded` (4 V features + 12
 * E) and `padded` bytes of them and of rows of so many features; `seconds` of
 * the host by phase. Gives a string for gnnStringDestroy. */
GNN_CAPI GnnError *
gnnOverlayPartitionDescribe(const GnnOverlayPartition *partition,
                            int64_t features, char **json);

/** Writes descriptors and edges as the memory has them at address 0. `weights`
 *  are float[edges] in the order of the graph; null: all 1. `image` has the
 *  `bytes` of gnnOverlayPartitionDescribe. */
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

/** Runs the instructions on arguments, given by name, and writes the outputs,
 *  float[vertices][features] or float[edges], in the order that
 *  gnnOverlayProgramDescribe lists them. Option: `allow-non-finite` (false): a
 *  stored value that is not finite is no error. */
GNN_CAPI GnnError *gnnOverlayRun(const GnnOverlayProgram *program,
                                 const GnnOverlayPartition *partition,
                                 const GnnOverlayInput *inputs,
                                 int64_t numInputs, const char *options,
                                 const GnnBuffer *outputs, int64_t numOutputs);

/** Simulates the time of a program: a JSON object as `gnn-overlay-sim --report`
 *  writes it. Options are those of that tool: memory, network, overlap (on or
 *  off), multicast (on or off), pes, issue, latency and others, and `overheads`
 *  (on; off: init, fill and activations take no time). Gives a string for
 *  gnnStringDestroy. */
GNN_CAPI GnnError *gnnOverlaySimulate(const GnnOverlayProgram *program,
                                      const GnnOverlayPartition *partition,
                                      const char *options, char **json);

/** A layer of a closed form: its type as table II numbers it, and its features.
 */
typedef struct GnnOverlayLayer {
  int32_t type;
  int64_t in;
  int64_t out;
} GnnOverlayLayer;

/** The cycles of layers without tiles: the closed form M0, or with the option
 *  `memory=shared` that of shared memory for blocks of `n1` rows (0: by the
 *  rule), `bandwidth` and `frequency`. Another option: `pes`. */
GNN_CAPI GnnError *gnnOverlayRoofline(const GnnOverlayLayer *layers,
                                      int64_t numLayers, int64_t vertices,
                                      double edges, const char *options,
                                      double *cycles);

#ifdef __cplusplus
}
#endif

#endif /* GNN_C_OVERLAY_H */
