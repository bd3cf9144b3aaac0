/*===- TuneHeader.c - The C header of tuning in C -----------------*- C -*-===*\
|*
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#include "GNN-c/Tune.h"

GnnTuneSettings settingsFromC(double seconds);

GnnTuneSettings settingsFromC(double seconds) {
  GnnTuneSettings settings = {0};
  settings.number = -1;
  settings.seconds = seconds;
  return settings;
}
