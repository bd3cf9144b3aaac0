/*===- CAPIHeader.c - The C API's header in C ---------------------*- C -*-===*\
|*
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#include "GNN-c/DeviceColumns.h"
#include "GNN-c/Model.h"

const char *versionFromC(void);

const char *versionFromC(void) { return gnnRuntimeVersion(); }
