/*===- OverlayHeader.c - The overlay's C header in C --------------*- C -*-===*\
|*
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#include "GNN-c/Overlay.h"

GnnError *rooflineFromC(double *cycles);

GnnError *rooflineFromC(double *cycles) {
  GnnOverlayLayer layers[2] = {{1, 1433, 16}, {0, 16, 16}};
  return gnnOverlayRoofline(layers, 2, 2708, 5429, "", cycles);
}
