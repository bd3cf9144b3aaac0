//===- StructureKernels.cpp - Kernels that the library has ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StructureKernels.h"

using namespace gnn::runtime;

// StructureKernels.c defines them.
extern "C" {
extern const char structureKernelsBegin[] __attribute__((weak));
extern const char structureKernelsEnd[] __attribute__((weak));
}

Expected<std::shared_ptr<const Package>> gnn::runtime::loadStructureKernels() {
  if (!structureKernelsBegin)
    return failure("expected a library with kernels that build structures, got "
                   "a program without them");
  return Package::loadBytes(
      {structureKernelsBegin,
       static_cast<size_t>(structureKernelsEnd - structureKernelsBegin)});
}
