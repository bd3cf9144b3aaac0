/*===- Compiler.h - C API of the compiler -----------------------*- C -*-===*\
|*
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Compiles the text of a module to a package. The emulator runs kernels of a
|* GPU on the CPU. libGNN has these functions and all of Runtime.h. The rules of
|* Runtime.h on errors and lifetimes hold here, too.
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

/** The version of the compiler, "MAJOR.MINOR.PATCH (MLIR MAJOR.MINOR.PATCH)";
 *  never freed. */
GNN_CAPI const char *gnnCompilerVersion(void);

/** Loads a plugin into this process, where it stays until the process ends. A
 *  plugin is a shared object with dialects, ops that lower to gnn_tile, and
 *  passes (docs/Plugins.md). Programs that are compiled later may use them. A
 *  second load of the same plugin has no effect. */
GNN_CAPI GnnError *gnnLoadPlugin(const char *path);

/** The options of a compilation, by name, and its graphs. Functions that only
 *  read an object of this type may run at the same time. */
typedef struct GnnCompileOptions GnnCompileOptions;

/** Gives the default options. gnnCompileOptionsDestroy destroys them. */
GNN_CAPI GnnError *gnnCompileOptionsCreate(GnnCompileOptions **options);
GNN_CAPI void gnnCompileOptionsDestroy(GnnCompileOptions *options);

/** Sets an option by its name (docs/CAPI.md). Examples are "target" with the
 *  value "cpu", and "schedules" with a path. Each setting of "stage-passes"
 *  adds a pass.
 *
 *  An unknown option, or an invalid value, is an error of this function. An
 *  error in the program is an error of the compilation. */
GNN_CAPI GnnError *gnnCompileOptionsSet(GnnCompileOptions *options,
                                        const char *name, const char *value);

/** Adds a graph to which the program will be bound. `declaration` is the name
 *  of the graph in the program; "" stands for the only graph.
 *
 *  If the declaration has no statistics, it gets those of this graph, and
 *  passes decide by them. The program may still be bound to other graphs. The
 *  options keep a reference to the graph. */
GNN_CAPI GnnError *gnnCompileOptionsAddGraph(GnnCompileOptions *options,
                                             const char *declaration,
                                             const GnnGraph *graph);

/** Compiles the text of a module. `text` has `size` bytes and needs no
 *  terminating null. Messages use `name` as the name of the file.
 *
 *  The result is a new package, or an error. The message of the error has a
 *  line for each diagnostic, "name:line:column: message". The first line is the
 *  first error. Notes follow their diagnostic.
 *
 *  A crash of the compiler is an error, too; the memory of that call is then
 *  leaked. During a call the process has the compiler's handlers of fatal
 *  signals. They pass on signals that the compiler did not cause. */
GNN_CAPI GnnError *gnnCompile(const char *text, size_t size, const char *name,
                              const GnnCompileOptions *options,
                              GnnPackage **package);

/** The form of the text that gnnExplain writes. */
typedef enum GnnExplanationForm {
  /** Tables as text. */
  GNN_EXPLANATION_TEXT = 0,
  /** A picture in Graphviz's language. */
  GNN_EXPLANATION_DOT = 1,
  /** A page of pictures and tables, in HTML that needs no other file. */
  GNN_EXPLANATION_HTML = 2
} GnnExplanationForm;

/** Describes the decisions of the passes on whole-graph ops, and the cost of
 *  the program's kernels without and with these passes (docs/Cost.md).
 *
 *  It reads target, chip, passes, gradients, graphs, schedules, records and
 *  schedule-rule of `options`. The result is a string for gnnStringDestroy.
 *  Errors are those of gnnCompile, without a reproducer. */
GNN_CAPI GnnError *gnnExplain(const char *text, size_t size, const char *name,
                              const GnnCompileOptions *options,
                              GnnExplanationForm form, char **explanation);

/** Lists the schedules that the kernels of a program may have
 *  (docs/Schedules.md), one line of JSON each.
 *
 *  `vary` is a list of fields with commas between. The listed schedules
 *  differ from the compiler's choice in these fields only. Null and "" stand
 *  for all fields.
 *
 *  `filters` is a list of "registers", "utilization" and "balance" with
 *  commas between. Schedules that do not pass these filters, on the graphs
 *  of `options`, are left out. Null and "" stand for no filter.
 *
 *  The result is a string for gnnStringDestroy. Errors are those of
 *  gnnCompile. */
GNN_CAPI GnnError *gnnListSchedules(const char *text, size_t size,
                                    const char *name,
                                    const GnnCompileOptions *options,
                                    const char *vary, const char *filters,
                                    char **lines);

/** Opens the emulator. It runs the kernels of packages that contain their IR
 *  (option `keep-ir`) on the CPU. Streams are ignored: a run is done when the
 *  call returns.
 *
 *  `checked`: each access is checked, and undefined behaviour of a kernel is an
 *  error. `seed` determines the order of threads between barriers; -1 stands
 *  for ascending order. */
GNN_CAPI GnnError *gnnDeviceOpenEmulator(bool checked, int64_t seed,
                                         GnnDevice **device);

/** Gives the kinds of target, those of plugins included, with commas between.
 *  The result is a string for gnnStringDestroy. */
GNN_CAPI GnnError *gnnListTargets(char **kinds);

/** Opens the device of a kind of target: "cuda", "cpu" or "emulator" with
 *  default settings, or the device of a plugin. */
GNN_CAPI GnnError *gnnDeviceOpen(const char *target, GnnDevice **device);

#ifdef __cplusplus
}
#endif

#endif /* GNN_C_COMPILER_H */
