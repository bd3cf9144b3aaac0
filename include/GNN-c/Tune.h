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

/** How to tune. Zeros and nulls are the values by default. */
typedef struct GnnTuneSettings {
  /** The one function there is by default. */
  const char *function;
  /** The number of the one template to tune, or -1 for all. */
  int64_t number;
  /** Seconds that all of it may take: above 0. */
  double seconds;
  /** "coordinate" (by default), "random" or "exhaustive". */
  const char *search;
  uint64_t seed;
  /** The file that all measurements are added to, and the name that they get
   *  there; null: none. */
  const char *store;
  const char *cell;
  /** The file that gets records of what is found, which the option `records` of
   *  compiling reads; null: none. */
  const char *records;
  /** Threads that compile; 0: as many as gnnNumThreads. */
  int64_t threads;
  GnnTuneProgress progress;
  void *context;
  /** Filters that candidates have to pass before they are compiled, with commas
   *  between: "registers" (by default), "utilization", "balance"; "": none. */
  const char *filters;
} GnnTuneSettings;

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
 *  about each graph that was made of statistics; `stopped`; `broken`, why it
 *  ended early, if a kernel hangs or a device or file fails: then the process
 *  should end. Errors are those of gnnCompile, without reproducer. */
GNN_CAPI GnnError *gnnTune(const char *text, size_t size, const char *name,
                           const GnnCompileOptions *options,
                           const GnnTuneSettings *settings,
                           const GnnArray *inputs, int64_t numInputs,
                           GnnDevice *device, char **result);

#ifdef __cplusplus
}
#endif

#endif /* GNN_C_TUNE_H */
