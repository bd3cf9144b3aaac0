//===- StructureKernels.cpp - Kernels that the library has ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StructureKernels.h"

using namespace gnn::runtime;

// Of StructureKernels.c.
extern "C" {
extern const char structureKernelsBegin[] __attribute__((weak));
extern const char structureKernelsEnd[] __attribute__((weak));
}

Expected<std::shared_ptr<const Package>> gnn::runtime::structureKernels() {
  using Loaded = Expected<std::shared_ptr<const Package>>;
  if (!structureKernelsBegin)
    return failure("expected a library with kernels that build structures, got "
                   "a program without them");
  // For good: what a driver has of them goes with the process.
  static const auto *package = new Loaded(Package::loadBytes(
      {structureKernelsBegin,
       static_cast<size_t>(structureKernelsEnd - structureKernelsBegin)}));
  return *package;
}
