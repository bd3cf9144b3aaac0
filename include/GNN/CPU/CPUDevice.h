//===- CPUDevice.h - Kernels of one thread on the CPU -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host memory, and kernels compiled for the host's CPU as well as LLVM can:
// nothing is checked, blocks are spread over the cores. Blocks are independent,
// so results have the same bits for any number of threads.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_CPU_CPUDEVICE_H
#define GNN_CPU_CPUDEVICE_H

#include "GNN/Runtime/HostMemory.h"

namespace gnn::cpu {

/// How a device runs its launches.
struct DeviceOptions {
  /// Threads of the host that run blocks; 0: as many as OMP_NUM_THREADS says,
  /// or as the host has cores.
  unsigned threads = 0;
};

/// A device that runs images of the format "mlir", of kernels whose blocks have
/// one thread: others are an error when they are loaded.
std::shared_ptr<runtime::Device> createDevice(DeviceOptions options = {});

} // namespace gnn::cpu

#endif // GNN_CPU_CPUDEVICE_H
