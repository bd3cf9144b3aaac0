//===- DeviceColumns.cpp - Columns of ids by a kernel ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceColumns.h"

#include "KernelCall.h"

#include <algorithm>

using namespace gnn::runtime;

/// Those of `device_build_kernels.py`.
static constexpr size_t kSlots = 24;
static constexpr int64_t kWord = sizeof(int32_t);

/// `columns` are not empty and fill the slots; the first of them stands in for
/// those that are missing, in which no block works.
static Error launch(const DeviceColumn *columns, size_t count,
                    const Kernel &kernel, Device &device, Stream stream) {
  KernelCall call;
  int64_t blocks = 0;
  auto column = [&](size_t slot) -> const DeviceColumn & {
    return columns[slot < count ? slot : 0];
  };
  for (size_t slot = 0; slot < kSlots; ++slot) {
    const DeviceColumn &one = column(slot);
    int64_t words = one.ids.bits / 32;
    call.addArray(one.out, kWord * one.count);
    call.addArray(one.ids.values,
                  one.ids.values && one.count
                      ? kWord * ((one.count - 1) * one.ids.stride + 1) * words
                      : 0);
  }
  for (size_t slot = 0; slot < kSlots; ++slot) {
    const DeviceColumn &one = column(slot);
    int64_t words = one.ids.bits / 32;
    blocks = std::max(blocks, (one.count + KernelCall::kThreads - 1) /
                                  KernelCall::kThreads);
    for (int64_t value : {one.count, one.base, one.ids.stride * words,
                          words - 1, one.ids.values ? one.limit : -1})
      call.addNumber(value);
  }
  return call.launch(kernel, device, blocks, static_cast<int64_t>(count),
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
