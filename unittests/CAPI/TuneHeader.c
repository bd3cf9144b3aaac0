/*===- TuneHeader.c - The C header of tuning in C -----------------*- C -*-===*\
|*
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#include "GNN-c/Tune.h"

GnnError *setBudgetFromC(GnnTuneSettings *settings, const char *budget);

GnnError *setBudgetFromC(GnnTuneSettings *settings, const char *budget) {
  return gnnTuneSettingsSet(settings, "budget", budget);
}
