//===- Device.h - Simulated overlays as devices -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device with host memory. Its kernels are programs of the overlay, and
// kernels for the CPU that compute the inputs of programs.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_OVERLAY_DEVICE_H
#define GNN_OVERLAY_DEVICE_H

#include "GNN/Overlay/Memory.h"
#include "GNN/Runtime/CPUDevice.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace gnn::overlay {

/// The format of images that the device takes.
inline constexpr const char *imageFormat = "overlay";

/// The arguments of a program as a kernel, in order: `inputs`, `outputs` (rows
/// or weights of edges), then int32[edges] of sources and of destinations.
struct KernelInterface {
  std::vector<std::string> inputs;
  std::vector<const Region *> outputs;

  size_t size() const { return inputs.size() + outputs.size() + 2; }
};

/// `program` must outlive the result.
KernelInterface interfaceOf(const Program &program);

/// An image of programs (by name, as `.ga` files) and of kernels for the CPU as
/// IR, which may be empty.
runtime::Expected<std::string>
packImage(const std::map<std::string, std::string> &programs,
          const std::string &kernels);

/// A device that runs such images: programs functionally, by the simulator.
/// `compiler` makes code of the kernels for the CPU; null: an image without
/// these.
std::shared_ptr<runtime::Device> createDevice(runtime::KernelCompiler compiler);

} // namespace gnn::overlay

#endif // GNN_OVERLAY_DEVICE_H
