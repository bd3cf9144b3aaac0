//===- DeviceColumns.cpp - Columns of ids by a kernel ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceColumns.h"

#include <algorithm>

using namespace gnn::runtime;

/// Those of `device_build_kernels.py`.
static constexpr size_t kSlots = 24;
static constexpr int64_t kThreads = 256, kWord = sizeof(int32_t);

namespace {
/// The arguments of one launch.
struct ArgumentList {
  int64_t values[kMaxKernelArguments], bytes[kMaxKernelArguments];
  void *pointers[kMaxKernelArguments];
  size_t used = 0;

  void add(int64_t value, int64_t size = -1) {
    values[used] = value;
    bytes[used] = size;
    pointers[used] = &values[used];
    ++used;
  }
  /// An array is followed by its number of words.
  void addArray(const void *address, int64_t words) {
    add(static_cast<int64_t>(reinterpret_cast<intptr_t>(address)),
        kWord * words);
    add(words);
  }
};
} // namespace

/// `columns` are not empty and fill the slots; the first of them stands in for
/// those that are missing, in which no block works.
static Error launch(const DeviceColumn *columns, size_t count,
                    const Kernel &kernel, Device &device, Stream stream) {
  ArgumentList arguments;
  Launch launch;
  launch.grid[0] = 0;
  launch.grid[1] = static_cast<int64_t>(count);
  launch.block[0] = kThreads;
  auto column = [&](size_t slot) -> const DeviceColumn & {
    return columns[slot < count ? slot : 0];
  };
  for (size_t slot = 0; slot < kSlots; ++slot) {
    const DeviceColumn &one = column(slot);
    int64_t words = one.ids.bits / 32;
    arguments.addArray(one.out, one.count);
    arguments.addArray(one.ids.values,
                       one.ids.values && one.count
                           ? ((one.count - 1) * one.ids.stride + 1) * words
                           : 0);
  }
  for (size_t slot = 0; slot < kSlots; ++slot) {
    const DeviceColumn &one = column(slot);
    int64_t words = one.ids.bits / 32;
    launch.grid[0] =
        std::max(launch.grid[0], (one.count + kThreads - 1) / kThreads);
    for (int64_t value : {one.count, one.base, one.ids.stride * words,
                          words - 1, one.ids.values ? one.limit : -1})
      arguments.add(value);
  }
  return device.launch(kernel, launch,
                       {arguments.pointers, arguments.bytes, arguments.used},
                       stream);
}

Error gnn::runtime::writeColumns(const std::vector<DeviceColumn> &columns,
                                 const Package &kernels,
                                 const std::shared_ptr<Device> &device,
                                 Stream stream) {
  auto image = kernels.kernelsOn(device);
  if (!image)
    return image.takeError();
  Expected<const Kernel *> kernel = (*image)->find("columns");
  if (!kernel)
    return kernel.takeError();
  std::vector<DeviceColumn> wanted;
  std::copy_if(columns.begin(), columns.end(), std::back_inserter(wanted),
               [](const DeviceColumn &column) { return column.count > 0; });
  for (size_t first = 0; first < wanted.size(); first += kSlots)
    if (Error error = launch(wanted.data() + first,
                             std::min(kSlots, wanted.size() - first), **kernel,
                             *device, stream))
      return error.in("kernel 'columns'");
  return {};
}
