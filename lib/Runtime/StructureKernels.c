/*===- StructureKernels.c - The bytes of a package ------------------------===*\
|*                                                                            *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

__asm__(".section .rodata\n"
        ".balign 16\n"
        ".global structureKernelsBegin, structureKernelsEnd\n"
        "structureKernelsBegin:\n"
        ".incbin \"" GNN_STRUCTURE_KERNELS "\"\n"
        "structureKernelsEnd:\n"
        ".byte 0\n"
        ".previous\n");
