//===- CUDADevice.h - The CUDA device ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_CUDA_CUDADEVICE_H
#define GNN_LIB_RUNTIME_CUDA_CUDADEVICE_H

#include "CUDA/Driver.h"
#include "GNN/Runtime/Device.h"

namespace gnn::runtime::cuda {

/// The GPU of that number with a driver that is loaded.
Expected<std::shared_ptr<Device>>
openDevice(std::shared_ptr<const Driver> driver, int ordinal);

} // namespace gnn::runtime::cuda

#endif // GNN_LIB_RUNTIME_CUDA_CUDADEVICE_H
