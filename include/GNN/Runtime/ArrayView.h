//===- ArrayView.h - A view of a constant array -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_ARRAYVIEW_H
#define GNN_RUNTIME_ARRAYVIEW_H

#include <cstddef>
#include <vector>

namespace gnn::runtime {

/// `size` values that someone else owns.
template <typename T> class ArrayView {
public:
  ArrayView() = default;
  ArrayView(const T *data, size_t size) : first(data), count(size) {}
  template <typename Allocator>
  ArrayView(const std::vector<T, Allocator> &values)
      : first(values.data()), count(values.size()) {}

  const T *data() const { return first; }
  size_t size() const { return count; }
  bool empty() const { return count == 0; }
  const T *begin() const { return first; }
  const T *end() const { return first + count; }
  const T &operator[](size_t index) const { return first[index]; }

  /// A copy that owns its values.
  std::vector<T> vec() const { return std::vector<T>(begin(), end()); }

private:
  const T *first = nullptr;
  size_t count = 0;
};

} // namespace gnn::runtime

#endif // GNN_RUNTIME_ARRAYVIEW_H
