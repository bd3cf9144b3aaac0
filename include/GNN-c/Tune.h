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

/** Called with the name of a template, or with "synthetic graph" while one is
 *  generated, the numbers of measured and of dropped schedules, the smallest
 *  ratio to the time of the chosen schedule, and the share of the budget that
 *  is used. The result states whether to stop. The call comes from another
 *  thread than that of gnnTune's caller, which waits. */
typedef bool (*GnnTuneProgress)(void *context, const char *name, int64_t timed,
                                int64_t dropped, double best, double done);

/** The settings of tuning, by name. Functions that only read an object of this
 *  type may run at the same time. */
typedef struct GnnTuneSettings GnnTuneSettings;

/** Gives the default settings. gnnTuneSettingsDestroy destroys them. */
GNN_CAPI GnnError *gnnTuneSettingsCreate(GnnTuneSettings **settings);
GNN_CAPI void gnnTuneSettingsDestroy(GnnTuneSettings *settings);

/** Sets a setting by its name (docs/CAPI.md). Examples are "budget" with the
 *  value "500ms", and "op" with "2". An unknown setting, or an invalid value,
 *  is an error. */
GNN_CAPI GnnError *gnnTuneSettingsSet(GnnTuneSettings *settings,
                                      const char *name, const char *value);

/** Sets the function that is called with the progress, and its `context`. Null
 *  stands for no call. */
GNN_CAPI GnnError *gnnTuneSettingsSetProgress(GnnTuneSettings *settings,
                                              GnnTuneProgress progress,
                                              void *context);

/** Measures schedules of a function of a module on a GPU or on the CPU
 *  (docs/Tuning.md). `text`, `size`, `name` and `options` are those of
 *  gnnCompile.
 *
 *  Graphs are those of `options`. Without them, graphs are generated from the
 *  statistics in their declarations, by `seed`. `inputs` are arrays of the
 *  host, by name. Inputs of type f32 that are left out get random values. Other
 *  inputs are required, because times depend on the rows to which their values
 *  refer.
 *
 *  The result is a JSON object, for gnnStringDestroy: `schedules`, lines for
 *  the option `schedules` of the templates with a faster schedule; `templates`,
 *  the outcome of each template; `graphs`, a line about each generated graph;
 *  and `stopped`. To print a table, print the line `head`, and for each
 *  template its line `row`, its `name` on the same line, and its `notes` below.
 *  Errors are those of gnnCompile, without a reproducer. An error after the
 *  first measurement also gives the results before it; other errors give null.
 *
 *  A compilation or a kernel that takes too long is given up, but its thread
 *  goes on in the library, and keeps what it uses: handles, settings and arrays
 *  may be released. The library must stay loaded until the process ends. An
 *  exit then destroys no globals (docs/CAPI.md). */
GNN_CAPI GnnError *gnnTune(const char *text, size_t size, const char *name,
                           const GnnCompileOptions *options,
                           const GnnTuneSettings *settings,
                           const GnnArray *inputs, int64_t numInputs,
                           GnnDevice *device, char **result);

#ifdef __cplusplus
}
#endif

#endif /* GNN_C_TUNE_H */
