//===- StructureKernels.h - Kernels that the library has --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_STRUCTUREKERNELS_H
#define GNN_LIB_RUNTIME_STRUCTUREKERNELS_H

#include "GNN/Runtime/Package.h"

namespace gnn::runtime {

/// The package of the kernels that build structures: PTX that each GPU from
/// sm_70 on takes, and what the emulator runs. Loaded once. Errors: a program
/// that was linked without them, as tools are that make them.
Expected<std::shared_ptr<const Package>> structureKernels();

} // namespace gnn::runtime

#endif // GNN_LIB_RUNTIME_STRUCTUREKERNELS_H
