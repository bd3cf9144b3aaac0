//===- KernelLaunches.cpp - Kernels that build structures -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceBuild.h"
#include "KernelCall.h"

#include <algorithm>
#include <tuple>

using namespace gnn::runtime;

using Argument = KernelLaunches::Argument;
using Builder = DeviceBuilder;

static constexpr int64_t kThreads = KernelCall::kThreads, kRowsOfThread = 8;
static constexpr int64_t kWord = sizeof(int32_t);

int64_t KernelLaunches::blocksFor(Builder::KernelName kernel, int64_t rows) {
  bool ofBlocks = kernel == Builder::Sums || kernel == Builder::Scan;
  int64_t block = ofBlocks ? kThreads * kRowsOfThread : kThreads;
  return (rows + block - 1) / block;
}

/// How many things of its kind a kernel does in one launch, each with arguments
/// of its own: those of `device_build_kernels.py`.
static size_t slotsOf(Builder::KernelName kernel) {
  switch (kernel) {
  case Builder::Move:
    return 8;
  case Builder::Keys:
  case Builder::Tiles:
    return 6;
  case Builder::Search:
  case Builder::Starts:
    return 4;
  default:
    return 1;
  }
}

/// The arguments that a kernel writes: the first of them, and how many.
static std::pair<size_t, size_t> writtenBy(Builder::KernelName kernel) {
  switch (kernel) {
  case Builder::Keys:
  case Builder::Move:
    return {0, 1};
  case Builder::Sums:
  case Builder::Starts:
    return {1, 1};
  case Builder::Scan:
  case Builder::Search:
    return {2, 2};
  default:
    return {2, 1};
  }
}

static bool overlap(const Argument &one, const Argument &other) {
  return one.bytes > 0 && other.bytes > 0 && one.inMemory == other.inMemory &&
         one.value < other.value + other.bytes &&
         other.value < one.value + one.bytes;
}

void KernelLaunches::add(Builder::KernelName kernel, int64_t rows,
                         Arguments arguments) {
  if (rows <= 0)
    return;
  Record record{kernel, rows, std::move(arguments), {}, 0};
  // Arrays come before numbers.
  auto numbers =
      std::find_if(record.arguments.begin(), record.arguments.end(),
                   [](const Argument &argument) { return argument.bytes < 0; });
  for (size_t i = 0; i < list.size(); ++i) {
    auto [first, count] = writtenBy(list[i].kernel);
    auto written = list[i].arguments.begin() + static_cast<ptrdiff_t>(first);
    bool isRead =
        std::any_of(written, written + static_cast<ptrdiff_t>(count),
                    [&](const Argument &one) {
                      return std::any_of(record.arguments.begin(), numbers,
                                         [&](const Argument &other) {
                                           return overlap(one, other);
                                         });
                    });
    if (!isRead)
      continue;
    record.after.push_back(i);
    record.step = std::max(record.step, list[i].step + 1);
  }
  list.push_back(std::move(record));
}

/// Steps follow one another, and what is in a launch is of one step. There are
/// no more steps than what depends on one another needs; what nothing waits for
/// yet is put off until there is another launch of its kernel, or until the
/// last step in which it may be.
Error KernelLaunches::run(const DeviceBuilder &builder, void *memory,
                          Stream stream) {
  for (const auto &[offset, words] : copies)
    if (Error error = builder.device->copyInStream(
            static_cast<char *>(memory) + offset, words.data(),
            kWord * static_cast<int64_t>(words.size()), stream))
      return error;
  copies.clear();
  std::vector<Record> records;
  records.swap(list);
  int64_t steps = 0;
  for (const Record &record : records)
    steps = std::max(steps, record.step + 1);
  // The last step of each, and the one that it is launched in.
  std::vector<int64_t> last(records.size(), steps - 1);
  std::vector<int64_t> at(records.size(), steps);
  for (size_t i = records.size(); i-- > 0;)
    for (size_t before : records[i].after)
      last[before] = std::min(last[before], last[i] - 1);
  std::vector<size_t> ready;
  std::vector<const Record *> together;
  for (int64_t step = 0; step < steps; ++step)
    for (int kernel = 0; kernel < Builder::numKernels; ++kernel) {
      ready.clear();
      for (size_t i = 0; i < records.size(); ++i)
        if (records[i].kernel == kernel && at[i] == steps &&
            std::all_of(records[i].after.begin(), records[i].after.end(),
                        [&](size_t before) { return at[before] < step; }))
          ready.push_back(i);
      std::sort(ready.begin(), ready.end(), [&](size_t a, size_t b) {
        return std::tie(last[a], a) < std::tie(last[b], b);
      });
      size_t most = slotsOf(Builder::KernelName(kernel));
      for (size_t first = 0; first < ready.size() && last[ready[first]] <= step;
           first += most) {
        together.clear();
        for (size_t i = first; i < std::min(first + most, ready.size()); ++i) {
          together.push_back(&records[ready[i]]);
          at[ready[i]] = step;
        }
        if (Error error = launch(together, builder, memory, stream))
          return error;
      }
    }
  return {};
}

/// One launch of one kernel for records that do not depend on one another.
Error KernelLaunches::launch(const std::vector<const Record *> &records,
                             const DeviceBuilder &builder, void *memory,
                             Stream stream) const {
  Builder::KernelName name = records.front()->kernel;
  KernelCall call;
  int64_t blocks = 0;
  size_t slots = slotsOf(name);
  for (bool arrays : {true, false})
    for (size_t slot = 0; slot < slots; ++slot) {
      const Record &record = *records[slot < records.size() ? slot : 0];
      blocks = std::max(blocks, blocksFor(name, record.rows));
      for (const Argument &argument : record.arguments) {
        if (arrays != (argument.bytes >= 0))
          continue;
        int64_t start =
            argument.inMemory ? reinterpret_cast<intptr_t>(memory) : 0;
        if (arrays)
          call.addArray(start + argument.value, argument.bytes);
        else
          call.addNumber(argument.value);
      }
    }
  return call.launch(*builder.kernels[name], *builder.device, blocks,
                     static_cast<int64_t>(records.size()), stream);
}
