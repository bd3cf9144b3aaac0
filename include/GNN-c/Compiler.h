/*===- Compiler.h - C API of the compiler -----------------------*- C -*-===*\
|*
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* From the text of a module to a package, and the emulator, which runs kernels
|* of a GPU on the CPU. libGNN has these functions and all of Runtime.h, whose
|* rules on errors and lifetimes hold here too.
|*
|* Threads. All functions may be called from several threads at once. Compiling
|* uses one thread of its own for the time of the call.
|*
\*===----------------------------------------------------------------------===*/

#ifndef GNN_C_COMPILER_H
#define GNN_C_COMPILER_H

#include "GNN-c/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/** "MAJOR.MINOR.PATCH (MLIR MAJOR.MINOR.PATCH)"; never freed. */
GNN_CAPI const char *gnnCompilerVersion(void);

/** Loads a plugin, a shared object with dialects, ops that lower to gnn_tile,
 * and passes (docs/Plugins.md), into this process and for good. Programs that
 * are compiled from then on may use them. Loading it again does nothing. */
GNN_CAPI GnnError *gnnLoadPlugin(const char *path);

/** How to compile: options by name, and graphs. Functions that only read it may
 * run side by side. */
typedef struct GnnCompileOptions GnnCompileOptions;

/** Gives options as they are by default, for gnnCompileOptionsDestroy. */
GNN_CAPI GnnError *gnnCompileOptionsCreate(GnnCompileOptions **options);
GNN_CAPI void gnnCompileOptionsDestroy(GnnCompileOptions *options);

/** Sets an option of docs/CAPI.md, as "target" to "cpu" or "schedules" to a
 * path; each setting of "stage-passes" adds one. An error where there is no
 * such option, or it cannot have the value; what is wrong with a program,
 * compiling says. */
GNN_CAPI GnnError *gnnCompileOptionsSet(GnnCompileOptions *options,
                                        const char *name, const char *value);

/** Adds a graph that the program will be bound to, by the name of its
 * declaration, where "" is the one there is. A declaration without statistics
 * gets those of its graph, by which passes then decide; another graph may be
 * bound all the same. The options keep a reference. */
GNN_CAPI GnnError *gnnCompileOptionsAddGraph(GnnCompileOptions *options,
                                             const char *declaration,
                                             const GnnGraph *graph);

/** Compiles the text of a module, `size` bytes that need no end. `name` stands
 *  for the file in messages.
 *
 *  Gives a new package, or an error whose message has a line for each
 *  diagnostic, as "name:line:column: message"; the first line is the first
 *  error, and notes follow the diagnostic that they belong to.
 *
 *  A crash inside the compiler is an error too, and leaks the memory of that
 *  call. During a call the process has the compiler's handlers of fatal
 *  signals, which pass on signals that the compiler did not cause. */
GNN_CAPI GnnError *gnnCompile(const char *text, size_t size, const char *name,
                              const GnnCompileOptions *options,
                              GnnPackage **package);

/** How gnnExplain writes what it has found. */
typedef enum GnnExplanationForm {
  /** Tables as text. */
  GNN_EXPLANATION_TEXT = 0,
  /** A picture in Graphviz's language. */
  GNN_EXPLANATION_DOT = 1,
  /** A page of pictures and tables, in HTML that needs no other file. */
  GNN_EXPLANATION_HTML = 2
} GnnExplanationForm;

/** Describes the work of the passes on whole-graph ops on a program, and the
 *  cost of its kernels without and with them (docs/Cost.md). It reads target,
 * chip, passes, gradients, graphs, schedules, records and schedule-rule of
 * `options`. Gives a string for gnnStringDestroy; errors are those of
 * gnnCompile, without reproducer. */
GNN_CAPI GnnError *gnnExplain(const char *text, size_t size, const char *name,
                              const GnnCompileOptions *options,
                              GnnExplanationForm form, char **explanation);

/** The schedules that the kernels of a program may have (docs/Schedules.md), a
 *  line of JSON each: those that differ in the fields `vary`, a list with
 * commas between, from what the compiler chooses; all where it is null or "".
 * Those that do not pass `filters` are left out, a list of "registers",
 * "utilization" and "balance", by the rows of the graphs of `options`; null or
 * "": none.
 * Gives a string for gnnStringDestroy; errors are those of gnnCompile. */
GNN_CAPI GnnError *gnnListSchedules(const char *text, size_t size,
                                    const char *name,
                                    const GnnCompileOptions *options,
                                    const char *vary, const char *filters,
                                    char **lines);

/** Opens the emulator, which runs the kernels of packages that keep their IR
 *  (`keep-ir`) on the CPU. Streams are not used: a run is done when it returns.
 *  `checked`: every access is checked, and undefined behaviour of a kernel is
 * an error. `seed` draws the order of threads between barriers; -1: ascending.
 */
GNN_CAPI GnnError *gnnDeviceOpenEmulator(bool checked, int64_t seed,
                                         GnnDevice **device);

/** All kinds of target, those of plugins too, with commas between. Gives a
 *  string for gnnStringDestroy. */
GNN_CAPI GnnError *gnnListTargets(char **kinds);

/** Opens the device of a kind of target: that of a plugin, or "cuda", "cpu" or
 * "emulator" as they are by default. */
GNN_CAPI GnnError *gnnDeviceOpen(const char *target, GnnDevice **device);

#ifdef __cplusplus
}
#endif

#endif /* GNN_C_COMPILER_H */
