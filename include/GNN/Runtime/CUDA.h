//===- CUDA.h - Devices of the CUDA driver ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_CUDA_H
#define GNN_RUNTIME_CUDA_H

#include "GNN/Runtime/Device.h"

namespace gnn::runtime {

/// The GPU of that number. The driver is loaded at the first call; an error
/// says what is missing where there is none. Uses the primary context, which
/// other libraries of the process share. Two calls for one GPU give the same
/// device while it lives.
Expected<std::shared_ptr<Device>> openCudaDevice(int ordinal = 0);

/// Number of GPUs; an error where there is no driver.
Expected<int> countCudaDevices();

} // namespace gnn::runtime

#endif // GNN_RUNTIME_CUDA_H
