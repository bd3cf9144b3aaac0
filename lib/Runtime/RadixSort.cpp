//===- RadixSort.cpp - Sorting keys on a device ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RadixSort.h"

#include "KernelCall.h"

#include <algorithm>

using namespace gnn::runtime;

/// Segments of a launch.
static constexpr auto kSlots =
    static_cast<size_t>(formOf(BuildKernel::Scatter).slots);
static_assert(formOf(BuildKernel::Digits).slots == kSlots &&
              formOf(BuildKernel::Places).slots == kSlots);
// Kernels/sort_kernels.py reads them here.
static constexpr int64_t kTile = 2048, kBits = 8, kFew = 32;
static constexpr int64_t kValues = 1 << kBits; // The values of a digit.
/// Digits of a block of `places`.
static constexpr int64_t kDigitsOfBlock = 8;

size_t RadixSort::add(int64_t size, int64_t least, int64_t greatest) {
  Segment segment{keys, size, least, 1, (size + kTile - 1) / kTile, counts};
  // 32 bits have no more digits.
  while (segment.digits < 4 && (greatest - least) >> (segment.digits * kBits))
    ++segment.digits;
  keys += (size + alignment - 1) / alignment * alignment;
  // For each value of a digit the counts of tiles, and those of all.
  if (segment.tiles > 1)
    counts += kValues * (segment.tiles + 1);
  segments.push_back(segment);
  return segments.size() - 1;
}

bool RadixSort::isNarrow(int64_t size) { return size <= INT32_MAX - kTile; }

int64_t RadixSort::unsortedAt(size_t segment) const {
  const Segment &of = segments[segment];
  return of.begin + of.digits % 2 * keys;
}

Error RadixSort::run(const BuildKernels &kernels, int32_t *memory,
                     Stream stream) const {
  int64_t most = 0;
  for (const Segment &segment : segments)
    if (segment.size)
      most = std::max(most, segment.digits);
  std::vector<Segment> some;
  // The last digits of all are sorted together, into the first buffer.
  for (int64_t left = most; left-- > 0;) {
    some.clear();
    for (const Segment &segment : segments) {
      if (segment.size && segment.digits > left)
        some.push_back(segment);
      if (some.size() < kSlots && &segment != &segments.back())
        continue;
      if (Error error = runDigit(kernels, memory, some, left, stream))
        return error;
      some.clear();
    }
  }
  return {};
}

Error RadixSort::runDigit(const BuildKernels &kernels, int32_t *memory,
                          const std::vector<Segment> &some, int64_t left,
                          Stream stream) const {
  int64_t to = left % 2, from = 1 - to;
  auto run = [&](BuildKernel kernel, int64_t least) -> Error {
    KernelCall call;
    auto add = [&](int64_t word, int64_t words) {
      call.addArray(memory + word,
                    static_cast<int64_t>(sizeof(int32_t)) * words);
    };
    if (kernel != BuildKernel::Places)
      add(from * keys, keys);
    if (kernel == BuildKernel::Scatter) {
      add((2 + from) * keys, keys);
      add(to * keys, keys);
      add((2 + to) * keys, keys);
    }
    add(4 * keys, counts);
    int64_t blocks = 0;
    size_t used = 0;
    for (const Segment &segment : some) {
      if (segment.tiles < least)
        continue;
      for (int64_t value :
           {segment.size, segment.begin, segment.least,
            (segment.digits - 1 - left) * kBits, segment.countsAt})
        call.addNumber(value);
      blocks = std::max(blocks, segment.tiles);
      ++used;
    }
    if (!used)
      return {};
    for (size_t number = used * 5; number < kSlots * 5; ++number)
      call.addNumber(0);
    if (kernel == BuildKernel::Places)
      blocks = kValues / kDigitsOfBlock;
    return call.launch(kernels, kernel, blocks, static_cast<int64_t>(used),
                       stream);
  };
  if (Error error = run(BuildKernel::Digits, 2))
    return error;
  if (Error error = run(BuildKernel::Places, kFew + 1))
    return error;
  return run(BuildKernel::Scatter, 1);
}
