//===- HostArray.h - Arrays that are written once ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_HOSTARRAY_H
#define GNN_RUNTIME_HOSTARRAY_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace gnn::runtime {

/// Memory of the host, on huge pages if it is large. Throws std::bad_alloc.
void *allocateHost(size_t bytes);
void freeHost(void *memory, size_t bytes);

/// While an object of this class exists, large memory that is freed is kept for
/// later arrays: the system takes longer to give pages than a sort takes to
/// fill them.
class HostMemoryScope {
public:
  HostMemoryScope();
  ~HostMemoryScope();
  HostMemoryScope(const HostMemoryScope &) = delete;
  HostMemoryScope &operator=(const HostMemoryScope &) = delete;
};

/// Leaves elements without a value unless one is given: an array that is
/// created by its size will be written.
template <typename T> struct HostAllocator {
  using value_type = T;

  HostAllocator() = default;
  template <typename U> HostAllocator(const HostAllocator<U> &) {}

  T *allocate(size_t count) {
    if (count > SIZE_MAX / sizeof(T))
      throw std::bad_alloc();
    return static_cast<T *>(allocateHost(count * sizeof(T)));
  }
  void deallocate(T *memory, size_t count) {
    freeHost(memory, count * sizeof(T));
  }

  template <typename U> void construct(U *place) { ::new (place) U; }
  template <typename U, typename... Values>
  void construct(U *place, Values &&...values) {
    ::new (place) U(std::forward<Values>(values)...);
  }

  template <typename U> bool operator==(const HostAllocator<U> &) const {
    return true;
  }
  template <typename U> bool operator!=(const HostAllocator<U> &) const {
    return false;
  }
};

template <typename T> using HostArray = std::vector<T, HostAllocator<T>>;

/// An index array: a structure, or ids.
using Indices = HostArray<int32_t>;

} // namespace gnn::runtime

#endif // GNN_RUNTIME_HOSTARRAY_H
