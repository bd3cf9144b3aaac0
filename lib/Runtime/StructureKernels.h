//===- StructureKernels.h - Kernels that the library has --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_STRUCTUREKERNELS_H
#define GNN_LIB_RUNTIME_STRUCTUREKERNELS_H

#include "GNN/Runtime/Package.h"

namespace gnn::runtime {

/// Loads the package of the kernels that build structures: PTX that each GPU
/// from sm_70 on takes, and the IR that the emulator runs. Errors: a program
/// that is linked without them.
Expected<std::shared_ptr<const Package>> loadStructureKernels();

} // namespace gnn::runtime

#endif // GNN_LIB_RUNTIME_STRUCTUREKERNELS_H
