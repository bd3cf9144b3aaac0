//===- CUDACapture.h - Launches at once in a CUDA graph ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_CUDA_CUDACAPTURE_H
#define GNN_LIB_RUNTIME_CUDA_CUDACAPTURE_H

#include "CUDA/Driver.h"

#include "GNN/Runtime/Device.h"

namespace gnn::runtime::cuda {

/// Launches of `device` into a stream that is being captured; null where it is
/// not. All must outlive what is returned.
Expected<std::unique_ptr<Capture>> beginCapture(Device &device,
                                                const Driver &driver,
                                                Context context,
                                                DriverStream stream);

/// The launches of `work` on a stream of their own, as a CUDA graph, which
/// keeps `device` alive. The driver must outlive it.
Expected<std::unique_ptr<Replay>>
captureReplay(std::shared_ptr<Device> device, const Driver &driver,
              Context context, const std::function<Error(Stream)> &work);

} // namespace gnn::runtime::cuda

#endif // GNN_LIB_RUNTIME_CUDA_CUDACAPTURE_H
