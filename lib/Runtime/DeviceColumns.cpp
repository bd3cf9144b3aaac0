//===- DeviceColumns.cpp - Columns of ids by a kernel ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceColumns.h"

#include "KernelCall.h"

#include <algorithm>

using namespace gnn::runtime;

static constexpr auto kSlots =
    static_cast<size_t>(formOf(BuildKernel::Columns).slots);

/// `columns` are not empty and fill the slots; the first of them stands in for
/// those that are missing, in which no block works.
static Error launch(const DeviceColumn *columns, size_t count,
                    const BuildKernels &kernels, Stream stream) {
  KernelCall call;
  int64_t blocks = 0;
  auto column = [&](size_t slot) -> const DeviceColumn & {
    return columns[slot < count ? slot : 0];
  };
  for (size_t slot = 0; slot < kSlots; ++slot) {
    const DeviceColumn &one = column(slot);
    call.addArray(one.out, kWord * one.count);
    call.addArray(one.ids.values, kWord * one.ids.words(one.count));
  }
  for (size_t slot = 0; slot < kSlots; ++slot) {
    const DeviceColumn &one = column(slot);
    blocks = std::max(blocks, (one.count + KernelCall::kThreads - 1) /
                                  KernelCall::kThreads);
    for (int64_t value :
         {one.count, one.base, one.ids.step(), one.ids.bits / 32 - 1,
          one.ids.values ? one.limit : -1})
      call.addNumber(value);
  }
  return call.launch(kernels, BuildKernel::Columns, blocks,
                     static_cast<int64_t>(count), stream);
}

Error gnn::runtime::writeColumns(const std::vector<DeviceColumn> &columns,
                                 const Package &package,
                                 const std::shared_ptr<Device> &device,
                                 Stream stream) {
  BuildKernel wanted = BuildKernel::Columns;
  auto kernels = BuildKernels::find(package, device, {&wanted, 1});
  if (!kernels)
    return kernels.takeError();
  std::vector<DeviceColumn> filled;
  std::copy_if(columns.begin(), columns.end(), std::back_inserter(filled),
               [](const DeviceColumn &column) { return column.count > 0; });
  for (size_t first = 0; first < filled.size(); first += kSlots)
    if (Error error =
            launch(filled.data() + first,
                   std::min(kSlots, filled.size() - first), *kernels, stream)) {
      // The caller frees what launches before may still read and write. The
      // first of two errors is the one to tell.
      (void)device->synchronize(stream);
      return error;
    }
  return {};
}
