//===- GroupSort.h - Stable sorts of elements by small integers -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_GROUPSORT_H
#define GNN_LIB_RUNTIME_GROUPSORT_H

#include "GNN/Runtime/ArrayView.h"
#include "GNN/Runtime/HostArray.h"

#include <cstdint>
#include <memory>

namespace gnn::runtime {

/// The keys of elements: (major, minor), all below their numbers.
struct SortKeys {
  ArrayView<int32_t> minor;
  int64_t numMinor = 0;
  /// Empty: all 0, and one of them.
  ArrayView<int32_t> major = {};
  int64_t numMajor = 1;
};

/// Elements in the order of one key, their minor one.
class RowSort {
public:
  /// `keys` must live as long as this.
  explicit RowSort(const SortKeys &keys);
  ~RowSort();

  /// [numMinor + 1]: where each key's elements begin in the order.
  Indices takeRows() { return std::move(rows); }

  /// [elements]: the elements in the order; those of one key ascend.
  Indices order() const;

  /// The same for a value of each element: values[order[i]].
  Indices apply(ArrayView<int32_t> values) const;

private:
  template <typename Value> Indices arrange(Value value) const;

  void pointSortedRows();

  const SortKeys &keys;
  /// Null where the keys are sorted already, as those of sampled blocks and of
  /// graphs from sparse matrices are.
  struct State;
  std::unique_ptr<State> state;
  Indices rows;
};

/// The (major, minor) that occur, ascending.
struct Groups {
  /// [groups]
  Indices minor, major;
  /// [groups + 1]: how many elements lie in the groups before each.
  Indices begin;
  /// [elements]: the group of each.
  Indices ofElement;
};
Groups findGroups(const SortKeys &keys);

} // namespace gnn::runtime

#endif // GNN_LIB_RUNTIME_GROUPSORT_H
