//===- MergedRows.cpp - Elements of groups that are walked together -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StructureBuilder.h"

#include "Parallel.h"

#include <algorithm>
#include <tuple>

using namespace gnn::runtime;
using gnn::MergedRows;

/// The group has no element in the entry.
static constexpr int32_t kNone = INT32_MIN;

namespace {
/// An element of one of the groups that are merged.
struct Member {
  int32_t target;   ///< the row that it leads to
  int32_t group;    ///< which one of the groups it is of
  int32_t position; ///< in the order of the elements

  bool operator<(const Member &other) const {
    return std::tie(target, group, position) <
           std::tie(other.target, other.group, other.position);
  }
};
} // namespace

/// Adds the entries of elements that lead to one row, in the order of groups
/// and positions: each entry has the next one of each group.
static void addEntries(const Member *begin, const Member *end, int64_t rows,
                       std::vector<int32_t> &entries) {
  auto length = static_cast<size_t>(MergedRows::entryLength(rows));
  size_t first = entries.size(), next = first;
  for (const Member *at = begin; at != end; ++at) {
    next = at == begin || at->group != at[-1].group ? first : next + length;
    if (next == entries.size()) {
      entries.push_back(at->target);
      entries.insert(entries.end(), length - 1, kNone | at->position);
    }
    entries[next + 1 + static_cast<size_t>(at->group)] = at->position;
  }
}

Expected<SharedIndices> StructureBuilder::merged(const StructureKey &key) {
  SharedIndices row = rows(key.group, key.elements);
  SharedIndices groups = permutation({key.group, key.order});
  Expected<SharedIndices> map =
      get(StructureKey::map(key.elements, key.target));
  if (!map)
    return map;
  const Indices &target = **map;
  auto together = static_cast<size_t>(key.tile);
  size_t length = static_cast<size_t>(MergedRows::entryLength(key.tile)),
         tiles = (groups->size() + together - 1) / together;
  unsigned parts = partsOf(target.size());
  std::vector<std::vector<int32_t>> entries(parts);
  std::vector<int64_t> counts(tiles); // of entries
  forParts(tiles, parts, [&](unsigned part, size_t begin, size_t end) {
    std::vector<Member> members;
    for (size_t tile = begin; tile < end; ++tile) {
      members.clear();
      size_t first = tile * together,
             last = std::min(first + together, groups->size());
      for (size_t at = first; at < last; ++at) {
        auto group = static_cast<size_t>((*groups)[at]);
        int32_t from = (*row)[group], to = (*row)[group + 1];
        if (key.longest && to - from > key.longest)
          continue;
        for (int32_t position = from; position < to; ++position)
          members.push_back({target[static_cast<size_t>(position)],
                             static_cast<int32_t>(at - first), position});
      }
      std::sort(members.begin(), members.end());
      size_t before = entries[part].size();
      const Member *all = members.data(), *behind = all + members.size();
      while (all != behind) {
        const Member *next = std::find_if(all, behind, [&](const Member &one) {
          return one.target != all->target;
        });
        addEntries(all, next, key.tile, entries[part]);
        all = next;
      }
      counts[tile] =
          static_cast<int64_t>((entries[part].size() - before) / length);
    }
  });
  Indices first(row->size()), all;
  int64_t sum = 0;
  for (size_t tile = 0; tile < first.size(); ++tile) {
    first[tile] = static_cast<int32_t>(sum);
    sum += tile < tiles ? counts[tile] : 0;
  }
  for (std::vector<int32_t> &part : entries) {
    all.insert(all.end(), part.begin(), part.end());
    part = {};
  }
  StructureKey merged = key;
  merged.kind = StructureKey::Kind::Merged;
  SharedIndices list = keep(merged, std::move(all));
  SharedIndices starts = keep(StructureKey::mergedRows(key), std::move(first));
  return key.kind == StructureKey::Kind::Merged ? list : starts;
}
