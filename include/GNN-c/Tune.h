/*===- Tune.h - C API of tuning -----------------------------------*- C -*-===*\
|*
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Measures schedules of a function, and returns the faster ones
|* (docs/Tuning.md). libGNN has these functions. The rules of Runtime.h on
|* errors, lifetimes and threads hold here, too.
|*
\*===----------------------------------------------------------------------===*/

#ifndef GNN_C_TUNE_H
#define GNN_C_TUNE_H

#include "GNN-c/Arrays.h"
#include "GNN-c/Compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Told of a template, of how many schedules were measured and dropped, of the
 *  least part of the chosen schedule's time, and of the part of the budget that
 *  is gone. Returns whether to stop. Called by another thread than gnnTune's
 *  caller, which waits. */
typedef bool (*GnnTuneProgress)(void *context, const char *name, int64_t timed,
                                int64_t dropped, double best, double done);

/** How to tune. Functions that only read it may run side by side. */
typedef struct GnnTuneSettings GnnTuneSettings;

/** Gives settings as they are by default, for gnnTuneSettingsDestroy. */
GNN_CAPI GnnError *gnnTuneSettingsCreate(GnnTuneSettings **settings);
GNN_CAPI void gnnTuneSettingsDestroy(GnnTuneSettings *settings);

/** Sets a setting of docs/CAPI.md, as "budget" to "500ms" or "op" to "2". An
 * error where there is no such setting, or it cannot have the value. */
GNN_CAPI GnnError *gnnTuneSettingsSet(GnnTuneSettings *settings,
                                      const char *name, const char *value);

/** Sets who is told of progress, with what `context`; null: nobody. */
GNN_CAPI GnnError *gnnTuneSettingsSetProgress(GnnTuneSettings *settings,
                                              GnnTuneProgress progress,
                                              void *context);

/** Tunes a function of the text of a module, which is compiled by `options`, on
 *  a GPU or on the CPU. All graphs are those of `options`; where these have
 *  none, graphs are made of the statistics in their declarations, by `seed`.
 *  `inputs` are arrays of the host by name; inputs of type f32 that are not
 *  among them get random values, and others have to be: times depend on which
 *  rows an input numbers.
 *
 *  Gives an object of JSON, for gnnStringDestroy: `schedules`, a list of lines
 *  as the option `schedules` reads them, of the templates where one is faster
 *  than what was chosen; `templates`, what became of each; `graphs`, a line
 *  about each graph that was made of statistics; `stopped`. Errors are those of
 *  gnnCompile, without reproducer. An error after the first measurement gives
 *  what was found before it as well; another one gives null. If it says that a
 *  kernel runs too long, a thread still waits for it: the process should end.
 */
GNN_CAPI GnnError *gnnTune(const char *text, size_t size, const char *name,
                           const GnnCompileOptions *options,
                           const GnnTuneSettings *settings,
                           const GnnArray *inputs, int64_t numInputs,
                           GnnDevice *device, char **result);

#ifdef __cplusplus
}
#endif

#endif /* GNN_C_TUNE_H */
