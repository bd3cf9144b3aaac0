//===- FlatMap.h - A map in one piece of memory -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_FLATMAP_H
#define GNN_RUNTIME_FLATMAP_H

#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

namespace gnn::runtime {

/// A std::map for few keys that are added in ascending order: an array of pairs
/// in the order of their keys. If a key is inserted before others, these are
/// moved. Iterators do not outlive an insertion or an erasure.
template <typename Key, typename Value> class FlatMap {
public:
  using value_type = std::pair<Key, Value>;
  using iterator = typename std::vector<value_type>::iterator;
  using const_iterator = typename std::vector<value_type>::const_iterator;

  FlatMap() = default;
  FlatMap(std::initializer_list<value_type> given) {
    for (const value_type &one : given)
      (*this)[one.first] = one.second;
  }

  iterator begin() { return values.begin(); }
  iterator end() { return values.end(); }
  const_iterator begin() const { return values.begin(); }
  const_iterator end() const { return values.end(); }
  size_t size() const { return values.size(); }
  bool empty() const { return values.empty(); }
  void reserve(size_t count) { values.reserve(count); }

  const_iterator find(const Key &key) const {
    auto found = std::lower_bound(begin(), end(), key, isBefore);
    return found != end() && found->first == key ? found : end();
  }

  /// The value of a key, which is added if it is missing.
  Value &operator[](const Key &key) {
    iterator at = end();
    if (!empty() && !(values.back().first < key))
      at = std::lower_bound(begin(), end(), key, isBefore);
    if (at == end() || !(at->first == key))
      at = values.insert(at, {key, Value()});
    return at->second;
  }

  void erase(const Key &key) {
    if (auto found = find(key); found != end())
      values.erase(found);
  }

private:
  static bool isBefore(const value_type &one, const Key &key) {
    return one.first < key;
  }

  std::vector<value_type> values;
};

} // namespace gnn::runtime

#endif // GNN_RUNTIME_FLATMAP_H
