//===- Device.cpp - Devices that run kernels ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Runtime/Device.h"

using namespace gnn::runtime;

Kernel::~Kernel() = default;
Kernels::~Kernels() = default;
Error Kernels::expect(const std::vector<std::string> &) const { return {}; }
Event::~Event() = default;
Capture::~Capture() = default;
Replay::~Replay() = default;
Device::~Device() = default;
Allocator::~Allocator() = default;

Error Device::startCopy(void *to, const void *from, int64_t bytes) {
  return copyToDevice(to, from, bytes);
}

Error Device::finishCopies() { return {}; }

Expected<std::unique_ptr<Capture>> Device::capture(Stream) {
  return std::unique_ptr<Capture>();
}

Expected<std::unique_ptr<Replay>>
Device::makeReplay(const std::function<Error(Stream)> &) {
  return std::unique_ptr<Replay>();
}

Expected<std::unique_ptr<Event>> Device::record(Stream) {
  return failure("expected a device with a timer, got ", name());
}

Expected<double> Device::elapsed(const Event &, const Event &) {
  return failure("expected a device with a timer, got ", name());
}

Error gnn::runtime::checkLaunch(const Launch &launch) {
  constexpr int64_t kMaxGrid[3] = {INT32_MAX, 65535, 65535};
  constexpr int64_t kMaxBlock[3] = {1024, 1024, 64};
  int64_t threads = 1;
  for (size_t i = 0; i < 3; ++i) {
    char axis = static_cast<char>('x' + i);
    if (launch.grid[i] < 1 || launch.grid[i] > kMaxGrid[i])
      return failure("grid ", axis, ": expected 1 to ", kMaxGrid[i], ", got ",
                     launch.grid[i]);
    if (launch.block[i] < 1 || launch.block[i] > kMaxBlock[i])
      return failure("block ", axis, ": expected 1 to ", kMaxBlock[i], ", got ",
                     launch.block[i]);
    threads *= launch.block[i];
  }
  if (threads > 1024)
    return failure("expected at most 1024 threads a block, got ", threads);
  if (launch.sharedBytes < 0 || launch.sharedBytes > INT32_MAX)
    return failure("expected 0 or more bytes of shared memory, got ",
                   launch.sharedBytes);
  return {};
}
