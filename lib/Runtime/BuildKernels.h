//===- BuildKernels.h - Kernels that build structures -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_BUILDKERNELS_H
#define GNN_LIB_RUNTIME_BUILDKERNELS_H

#include "GNN/Runtime/Package.h"

#include <array>

namespace gnn::runtime {

/// The bytes of an id, of which all arrays are.
inline constexpr int64_t kWord = sizeof(int32_t);

/// `bytes`, or as few more as are a multiple of `alignment`.
inline int64_t alignTo(int64_t bytes, int64_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

/// The kernels of Kernels/build_kernels.py and Kernels/sort_kernels.py, which
/// the library holds as a package.
enum class BuildKernel {
  Keys,
  Digits,
  Places,
  Scatter,
  Sums,
  Scan,
  Search,
  Starts,
  Move,
  Tiles,
  Groups,
  Shares,
  Schema,
  Degrees,
  Columns
};

/// The arguments of a kernel, by which its text is made. An array is two
/// arguments, its address and its words.
struct BuildKernelForm {
  const char *name;
  /// How many things of its kind it does in one launch, each in blocks with a
  /// y of their own.
  int64_t slots;
  /// Arrays that all slots have in common, and arrays and numbers of each slot.
  int64_t commonArrays, arrays, numbers;
  /// The first array of a slot that it writes, and how many it writes.
  size_t firstWritten, numWritten;

  constexpr int64_t numArguments() const {
    return 2 * commonArrays + slots * (2 * arrays + numbers);
  }
};

constexpr BuildKernelForm kBuildKernels[] = {
    {"keys", 6, 0, 4, 22, 0, 1},   {"digits", 8, 2, 0, 5, 0, 0},
    {"places", 8, 1, 0, 5, 0, 0},  {"scatter", 8, 5, 0, 5, 0, 0},
    {"sums", 6, 0, 2, 3, 1, 1},    {"scan", 6, 0, 4, 4, 2, 2},
    {"search", 4, 0, 4, 6, 2, 2},  {"starts", 4, 0, 2, 1, 1, 1},
    {"move", 8, 0, 5, 12, 0, 1},   {"tiles", 6, 0, 3, 3, 2, 1},
    {"groups", 12, 0, 3, 4, 2, 1}, {"shares", 6, 0, 3, 5, 2, 1},
    {"schema", 2, 0, 7, 16, 0, 1}, {"degrees", 4, 0, 2, 2, 1, 1},
    {"columns", 24, 0, 2, 5, 0, 1}};
constexpr size_t kNumBuildKernels = std::size(kBuildKernels);
static_assert(kNumBuildKernels ==
              static_cast<size_t>(BuildKernel::Columns) + 1);

/// Whether each is within what a launch has room for.
constexpr bool fitLaunches() {
  for (const BuildKernelForm &form : kBuildKernels)
    if (form.numArguments() > kMaxKernelArguments)
      return false;
  return true;
}
static_assert(fitLaunches());

constexpr const BuildKernelForm &formOf(BuildKernel kernel) {
  return kBuildKernels[static_cast<size_t>(kernel)];
}

/// An array of int32 that a kernel reads or writes.
struct KernelArray {
  /// Its address, or where it begins in the memory of structures.
  int64_t begin = 0;
  int64_t bytes = 0;
  bool inMemory = false;

  static KernelArray at(const void *address, int64_t bytes) {
    return {static_cast<int64_t>(reinterpret_cast<intptr_t>(address)), bytes};
  }

  bool overlaps(const KernelArray &other) const {
    return bytes > 0 && other.bytes > 0 && begin < other.begin + other.bytes &&
           other.begin < begin + bytes && inMemory == other.inMemory;
  }
};

/// These kernels on a device.
class BuildKernels {
public:
  /// Finds kernels of a package, that of the library.
  static Expected<BuildKernels> find(const Package &package,
                                     std::shared_ptr<Device> device,
                                     ArrayView<BuildKernel> wanted);

  const Kernel &operator[](BuildKernel kernel) const {
    return *found[static_cast<size_t>(kernel)];
  }
  Device &device() const { return *owner; }
  const std::shared_ptr<Device> &sharedDevice() const { return owner; }

private:
  std::shared_ptr<Device> owner;
  std::shared_ptr<const Kernels> image;
  std::array<const Kernel *, kNumBuildKernels> found = {};
};

} // namespace gnn::runtime

#endif // GNN_LIB_RUNTIME_BUILDKERNELS_H
