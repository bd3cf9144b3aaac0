//===- CUDA.h - Devices of the CUDA driver ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_CUDA_H
#define GNN_RUNTIME_CUDA_H

#include "GNN/Runtime/Device.h"

namespace gnn::runtime {

/// The GPU with this number, through its primary context, which other libraries
/// of the process share. The driver is loaded at the first call; if there is
/// none, the error says which part is missing. Calls for one GPU give the same
/// device while it lives.
Expected<std::shared_ptr<Device>> openCudaDevice(int ordinal = 0);

/// The number of GPUs. A missing driver is an error.
Expected<int> countCudaDevices();

} // namespace gnn::runtime

#endif // GNN_RUNTIME_CUDA_H
