//===- Numbers.h - Numbers drawn by a seed ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TUNE_NUMBERS_H
#define GNN_LIB_TUNE_NUMBERS_H

#include <cstdint>
#include <utility>
#include <vector>

namespace gnn::tune {

/// Splitmix64: the same numbers with every library.
class Numbers {
public:
  explicit Numbers(uint64_t seed) : state(seed) {}
  uint64_t draw() {
    uint64_t z = (state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  uint64_t below(uint64_t bound) { return draw() % bound; }
  /// From 0 to below 1.
  double fraction() { return double(draw() >> 11) * 0x1p-53; }

  /// 0 to `size - 1` in a random order.
  std::vector<size_t> shuffle(size_t size) {
    std::vector<size_t> order(size);
    for (size_t i = 0; i < size; ++i)
      order[i] = i;
    for (size_t i = size; i > 1; --i)
      std::swap(order[i - 1], order[below(i)]);
    return order;
  }

private:
  uint64_t state;
};

} // namespace gnn::tune

#endif // GNN_LIB_TUNE_NUMBERS_H
