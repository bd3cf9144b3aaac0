//===- KernelLaunches.cpp - Launches that build structures ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLaunches.h"

#include "KernelCall.h"

#include <tuple>

using namespace gnn::runtime;

static constexpr int64_t kThreads = KernelCall::kThreads, kRowsOfThread = 8;

int64_t KernelLaunches::blocksFor(BuildKernel kernel, int64_t rows) {
  bool ofBlocks = kernel == BuildKernel::Sums || kernel == BuildKernel::Scan;
  int64_t block = ofBlocks ? kThreads * kRowsOfThread : kThreads;
  return (rows + block - 1) / block;
}

void KernelLaunches::add(BuildKernel kernel, int64_t rows,
                         ArrayView<KernelArray> arrays,
                         ArrayView<int64_t> numbers) {
  if (rows <= 0)
    return;
  size_t number = list.size();
  Record &record = list.emplace_back();
  record.kernel = kernel;
  record.rows = rows;
  record.arrays = allArrays.size();
  record.numbers = allNumbers.size();
  allArrays.insert(allArrays.end(), arrays.begin(), arrays.end());
  allNumbers.insert(allNumbers.end(), numbers.begin(), numbers.end());
  for (size_t i = groupBegin; i < written.size(); ++i) {
    const KernelArray &array = written[i].first;
    size_t before = written[i].second;
    if (std::none_of(arrays.begin(), arrays.end(), [&](const KernelArray &own) {
          return own.overlaps(array);
        }))
      continue;
    if (record.waiting && orders.back().first == before)
      continue; // It writes another array that this one reads.
    orders.push_back({before, number});
    ++record.waiting;
    record.first = std::max(record.first, list[before].first + 1);
  }
  const BuildKernelForm &form = formOf(kernel);
  for (size_t i = 0; i < form.numWritten; ++i)
    if (const KernelArray &array = arrays[form.firstWritten + i];
        array.bytes > 0)
      written.push_back({array, number});
}

/// Steps follow one another, and what is in a launch is of one step. The number
/// of steps is the least that dependent records allow; a record that nothing
/// waits for yet is put off until there is another launch of its kernel, or
/// until the last step in which it may be.
Error KernelLaunches::run(const BuildKernels &kernels, void *memory,
                          Stream stream) {
  for (const auto &[offset, words] : copies)
    if (Error error = kernels.device().copyInStream(
            static_cast<char *>(memory) + offset, words.data(),
            kWord * static_cast<int64_t>(words.size()), stream))
      return error;
  int64_t steps = 0;
  for (const Record &record : list)
    steps = std::max(steps, record.first + 1);
  for (Record &record : list)
    record.last = steps - 1;
  for (size_t i = orders.size(); i-- > 0;) {
    auto [before, after] = orders[i];
    list[before].last = std::min(list[before].last, list[after].last - 1);
  }
  for (size_t i = 0; i < list.size(); ++i)
    if (!list[i].waiting)
      ready.push_back(i);
  for (int64_t step = 0; step < steps; ++step) {
    std::sort(ready.begin(), ready.end(), [&](size_t a, size_t b) {
      return std::tie(list[a].kernel, list[a].last, a) <
             std::tie(list[b].kernel, list[b].last, b);
    });
    for (size_t begin = 0, end; begin < ready.size(); begin = end) {
      BuildKernel kernel = list[ready[begin]].kernel;
      end = begin + 1;
      while (end < ready.size() && list[ready[end]].kernel == kernel)
        ++end;
      auto most = static_cast<size_t>(formOf(kernel).slots);
      for (size_t i = begin; i < end && list[ready[i]].last <= step;
           i += most) {
        size_t count = std::min(most, end - i);
        if (Error error = launch({&ready[i], count}, kernels, memory, stream))
          return error;
        for (size_t launched = i; launched < i + count; ++launched)
          list[ready[launched]].launched = step;
      }
    }
    ready.erase(
        std::remove_if(ready.begin(), ready.end(),
                       [&](size_t i) { return list[i].launched == step; }),
        ready.end());
    for (auto [before, after] : orders)
      if (list[before].launched == step && --list[after].waiting == 0)
        ready.push_back(after);
  }
  clear();
  return {};
}

void KernelLaunches::clear() {
  copies.clear();
  list.clear();
  allArrays.clear();
  allNumbers.clear();
  written.clear();
  orders.clear();
  ready.clear();
  groupBegin = 0;
}

/// One launch of one kernel for records that do not depend on one another. The
/// first of them stands in where there are fewer than slots; no block works for
/// these.
Error KernelLaunches::launch(ArrayView<size_t> records,
                             const BuildKernels &kernels, void *memory,
                             Stream stream) const {
  BuildKernel kernel = list[records[0]].kernel;
  const BuildKernelForm &form = formOf(kernel);
  auto slots = static_cast<size_t>(form.slots);
  auto recordOf = [&](size_t slot) -> const Record & {
    return list[records[slot < records.size() ? slot : 0]];
  };
  KernelCall call;
  int64_t blocks = 0;
  for (size_t slot = 0; slot < slots; ++slot)
    call.addArrays(
        {&allArrays[recordOf(slot).arrays], static_cast<size_t>(form.arrays)},
        memory);
  for (size_t slot = 0; slot < slots; ++slot) {
    const Record &record = recordOf(slot);
    blocks = std::max(blocks, blocksFor(kernel, record.rows));
    call.addNumbers(
        {&allNumbers[record.numbers], static_cast<size_t>(form.numbers)});
  }
  return call.launch(kernels, kernel, blocks,
                     static_cast<int64_t>(records.size()), stream);
}
