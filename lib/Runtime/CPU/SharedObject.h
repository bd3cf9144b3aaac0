//===- SharedObject.h - Kernels that were compiled before -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_CPU_SHAREDOBJECT_H
#define GNN_LIB_RUNTIME_CPU_SHAREDOBJECT_H

#include "GNN/Runtime/CPUDevice.h"

namespace gnn::runtime {

/// Loads a shared object with a KernelTable into this process. Errors: bytes
/// that the system does not load, a table that is none, of another processor,
/// or of kernels that are not there.
Expected<std::unique_ptr<CodeImage>>
loadSharedObject(const std::string &bytes, const std::string &processor);

} // namespace gnn::runtime

#endif // GNN_LIB_RUNTIME_CPU_SHAREDOBJECT_H
