//===- EmulatorDevice.h - The emulator as a device --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host memory, and kernels that the emulator runs at once.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_EMULATOR_EMULATORDEVICE_H
#define GNN_EMULATOR_EMULATORDEVICE_H

#include "GNN/Emulator/Emulator.h"
#include "GNN/Runtime/HostMemory.h"

namespace gnn::emulator {

/// How a device runs its launches.
struct DeviceOptions {
  Options kernels;
  /// Draws the order of threads between barriers; unset: ascending.
  std::optional<uint64_t> seed;
  /// Called with the running kernel and the number of its finished blocks.
  std::function<void(const std::string &kernel, int64_t done, int64_t all)>
      progress;
};

/// A device that runs images of the format "mlir": kernels as IR.
std::shared_ptr<runtime::Device> createDevice(DeviceOptions options = {});

} // namespace gnn::emulator

#endif // GNN_EMULATOR_EMULATORDEVICE_H
