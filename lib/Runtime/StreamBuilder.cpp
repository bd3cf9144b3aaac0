//===- StreamBuilder.cpp - Elements one after the other ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arrays of kernels that walk the elements of all groups in equal shares,
// whatever groups they are in.
//
//===----------------------------------------------------------------------===//

#include "StructureBuilder.h"

#include "Parallel.h"

#include <algorithm>

using namespace gnn::runtime;
using gnn::TeamShare;

/// The groups that have elements.
Indices StructureBuilder::filled(const StructureKey &key) {
  SharedIndices row = rows(key.group, key.elements);
  size_t groups = row->size() - 1, next = 0;
  Indices result(static_cast<size_t>(
                     TeamShare::filledLength(static_cast<int64_t>(groups))),
                 0);
  for (size_t g = 0; g < groups; ++g)
    if ((*row)[g] < (*row)[g + 1])
      result[next++] = static_cast<int32_t>(g);
  return result;
}

Expected<SharedIndices> StructureBuilder::stream(const StructureKey &key) {
  SharedIndices row = rows(key.group, key.elements);
  auto count = static_cast<size_t>(size(key.elements.space));
  Indices result(
      static_cast<size_t>(TeamShare::streamLength(static_cast<int64_t>(count))),
      0);
  auto wordOf = [&](size_t element) -> int32_t & {
    return result[static_cast<size_t>(
        TeamShare::placeOfWord(static_cast<int64_t>(element)))];
  };
  SharedIndices map;
  if (key.elements != key.target) {
    Expected<SharedIndices> found =
        get(StructureKey::map(key.elements, key.target));
    if (!found)
      return found;
    map = *found;
  }
  forRanges(count, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      wordOf(i) = map ? (*map)[i] : static_cast<int32_t>(i);
  });
  for (size_t g = 0; g + 1 < row->size(); ++g)
    if ((*row)[g] < (*row)[g + 1])
      wordOf(static_cast<size_t>((*row)[g + 1]) - 1) |= INT32_MIN;
  return keep(key, std::move(result));
}

Expected<SharedIndices> StructureBuilder::shares(const StructureKey &key) {
  SharedIndices row = rows(key.group, key.elements);
  Expected<SharedIndices> list =
      get(StructureKey::filled(key.group, key.elements));
  if (!list)
    return list;
  const Indices &filled = **list;
  int64_t count = size(key.elements.space), block = key.tile;
  auto groupEnds = [&](int32_t group) {
    return (*row)[static_cast<size_t>(group) + 1];
  };
  // Behind them are zeros, where the first one may be.
  auto used = std::partition_point(filled.begin() + 1, filled.end(),
                                   [](int32_t group) { return group != 0; });
  // The place in `filled` of the group of an element.
  auto placeOf = [&](int64_t element) {
    auto found = std::partition_point(filled.begin(), used, [&](int32_t group) {
      return groupEnds(group) <= element;
    });
    return found - filled.begin();
  };
  Indices result(static_cast<size_t>(TeamShare::sharesLength(count, block)), 0);
  size_t shares = result.size() / TeamShare::NumFields;
  forRanges(shares, [&](size_t begin, size_t end) {
    for (size_t s = begin; s < end; ++s) {
      auto share = static_cast<int64_t>(s);
      int64_t first = share * TeamShare::elements;
      if (first >= count)
        return;
      int64_t last = std::min(first + TeamShare::elements, count) - 1;
      int64_t blockBegin = first / block * block, blockEnd = blockBegin + block;
      auto shareIn = [&](int64_t end) {
        return (std::min(end, blockEnd) - 1) / TeamShare::elements - share;
      };
      int64_t begins = placeOf(first), ends = placeOf(last);
      auto rangeOf = [&](int64_t place) {
        int32_t group = filled[static_cast<size_t>(place)];
        return std::pair<int64_t, int64_t>((*row)[static_cast<size_t>(group)],
                                           groupEnds(group));
      };
      auto [headBegin, headEnd] = rangeOf(begins);
      auto [tailBegin, tailEnd] = rangeOf(ends);
      bool isInside = headBegin < first;
      bool hasTail = tailBegin >= first && tailEnd > last + 1;
      int32_t flags = 0;
      if (isInside)
        flags |= TeamShare::Inside;
      if (hasTail)
        flags |= TeamShare::HasTail;
      if (hasTail && tailEnd > blockEnd)
        flags |= TeamShare::Crosses;
      if (headBegin < blockBegin && headEnd > blockEnd)
        flags |= TeamShare::Whole;
      int32_t *fields = result.data() + s * TeamShare::NumFields;
      fields[TeamShare::First] = static_cast<int32_t>(begins);
      fields[TeamShare::Flags] = flags;
      fields[TeamShare::Heads] =
          hasTail ? static_cast<int32_t>(shareIn(tailEnd)) : 0;
      fields[TeamShare::Span] =
          isInside ? static_cast<int32_t>(shareIn(headEnd)) + 1 : 0;
    }
  });
  return keep(key, std::move(result));
}

Indices StructureBuilder::cutRows(const StructureKey &key) {
  SharedIndices row = rows(key.group, key.elements);
  Indices result;
  for (size_t g = 0; g + 1 < row->size(); ++g) {
    int64_t begin = (*row)[g], end = (*row)[g + 1];
    if (!TeamShare::isCut(begin, end, key.tile))
      continue;
    bool isEmpty = begin == end;
    result.push_back(static_cast<int32_t>(g));
    result.push_back(
        isEmpty ? 0
                : static_cast<int32_t>(TeamShare::firstPiece(begin, key.tile)));
    result.push_back(
        isEmpty ? 0 : static_cast<int32_t>(TeamShare::endPiece(end, key.tile)));
  }
  return result;
}

int64_t StructureBuilder::countCutRows(const CountKey &key) {
  SharedIndices row = rows(key.space, key.elements);
  int64_t count = 0;
  for (size_t g = 0; g + 1 < row->size(); ++g)
    count += TeamShare::isCut((*row)[g], (*row)[g + 1], key.tile);
  return count;
}
