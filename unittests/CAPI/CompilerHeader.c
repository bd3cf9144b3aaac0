/*===- CompilerHeader.c - The compiler's C header in C ------------*- C -*-===*\
|*
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
\*===----------------------------------------------------------------------===*/

#include "GNN-c/Compiler.h"

const char *compilerVersionFromC(void);

const char *compilerVersionFromC(void) { return gnnCompilerVersion(); }
