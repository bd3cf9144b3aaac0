//===- GraphBuild.cpp - Structures of one graph by kernels ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphBuild.h"

#include "StructureBuilder.h"

#include <algorithm>

using namespace gnn::runtime;
using gnn::RowEnd;
using gnn::RowKind;
using gnn::TeamShare;

static KernelArray at(const void *address, int64_t bytes) {
  return KernelArray::at(address, bytes);
}

//===----------------------------------------------------------------------===//
// Sorts
//===----------------------------------------------------------------------===//

static RowEnd sideOf(DeviceSort sort) {
  switch (sort) {
  case DeviceSort::DstPairs:
  case DeviceSort::DstByNode:
  case DeviceSort::Dst:
  case DeviceSort::DstTypes:
    return RowEnd::Dst;
  default:
    return RowEnd::Src;
  }
}

static bool isOfNodes(DeviceSort sort) {
  return sort == DeviceSort::SrcTypes || sort == DeviceSort::DstTypes;
}

static bool isOfPairs(DeviceSort sort) {
  return sort == DeviceSort::SrcPairs || sort == DeviceSort::DstPairs;
}

static bool isByNode(DeviceSort sort) {
  return sort == DeviceSort::SrcByNode || sort == DeviceSort::DstByNode;
}

static DeviceSort pick(RowEnd end, DeviceSort src, DeviceSort dst) {
  return end == RowEnd::Dst ? dst : src;
}

/// One type makes nodes of pairs, and a square graph has one list of nodes.
DeviceSort GraphBuild::canonical(DeviceSort sort) const {
  if (isOfNodes(sort))
    return edges.square ? DeviceSort::SrcTypes : sort;
  bool isPair = isOfPairs(sort) || isByNode(sort);
  if (edges.numEdgeTypes == 1 && isPair)
    return pick(sideOf(sort), DeviceSort::SrcPairs, DeviceSort::DstPairs);
  auto pairs = pick(sideOf(sort), DeviceSort::SrcPairs, DeviceSort::DstPairs);
  if (edges.numEdgeTypes == 1 && sort != DeviceSort::Loops &&
      needs.sorts.has(pairs))
    return pairs;
  return sort;
}

const GraphBuild::Batch &GraphBuild::batch(DeviceSort sort) const {
  sort = canonical(sort);
  return std::find_if(batches.begin(), batches.end(),
                      [&](auto &one) { return one.first == sort; })
      ->second;
}

GraphBuild::GraphBuild(const DeviceBuilder::Needs &needs,
                       const DeviceEdges &edges, RadixSort &all,
                       int64_t &scratch, int64_t &host)
    : needs(needs), edges(edges), begin(all.size()) {
  givenEdges = edges.numEdges;
  givenTypes = edges.numEdgeTypes;
  rows = givenEdges + newLoops();
  if (isDerived() || shards())
    this->edges.numEdgeTypes = edges.derivation.numEdgeTypes(givenTypes);
  DeviceSorts sorts;
  needs.sorts.forEach([&](DeviceSort sort) { sorts.insert(canonical(sort)); });
  // All ids are in some key, and so are checked.
  bool isGiven = !isDerived() && !shards(); // and not checked elsewhere
  if (edges.srcNodeType.values && isGiven)
    sorts.insert(canonical(DeviceSort::SrcTypes));
  if (edges.dstNodeType.values && isGiven)
    sorts.insert(canonical(DeviceSort::DstTypes));
  bool areEdges = false;
  sorts.forEach([&](DeviceSort sort) {
    areEdges |= !isOfNodes(sort) && sort != DeviceSort::Loops;
  });
  if (!needs.hasDerived && !areEdges)
    sorts.insert(DeviceSort::Dst);
  batches.reserve(kNumDeviceSorts);
  // Those that are numbered come first.
  sorts.forEach([&](DeviceSort sort) { addBatch(sort, all, host); });
  sums = scratch;
  partial = sums + numbered + 1;
  scratch =
      partial + KernelLaunches::blocksFor(BuildKernel::Sums, numbered + 1);
  addScans(scratch, host);
  if (needs.dstSorted)
    addOrderCheck(host);
  addSchemaCheck(scratch, host);
}

/// Where the keys of a sort begin. Sorts that are numbered lie side by side,
/// and a row is numbered where its key is not that of the row before:
/// neighbours have no key in common. Where both have under 31 bits there is
/// always room.
int64_t GraphBuild::placeKeys(int64_t values, bool isNumbered) {
  constexpr int64_t limit = int64_t(1) << 32;
  int64_t begin = 0;
  if (isNumbered && lastKey + values <= limit)
    begin = lastKey;
  else if (isNumbered && values > firstKey)
    narrow = false;
  narrow &= values <= limit;
  if (isNumbered) {
    firstKey = begin;
    lastKey = begin + values;
  }
  return begin;
}

void GraphBuild::addBatch(DeviceSort sort, RadixSort &all, int64_t &host) {
  Batch &batch = batches.emplace_back(sort, Batch()).second;
  int64_t types = edges.numEdgeTypes, numNodes = nodes(sideOf(sort));
  int64_t values = std::max<int64_t>(1, numNodes); // Keys that there may be.
  batch.begin = all.size();
  batch.size = isOfNodes(sort) ? numNodes : rows;
  if (isOfNodes(sort))
    values = edges.numNodeTypes;
  else if (isOfPairs(sort) || isByNode(sort))
    values = std::max<int64_t>(1, values * types);
  // Behind these are the keys of what is removed and of what is refused.
  batch.removed = batch.refused = values;
  batch.isNumbered =
      isOfPairs(sort) || isByNode(sort) || sort == DeviceSort::Loops;
  if (isOfPairs(sort)) {
    batch.groups = types + 1;
    batch.step = std::max<int64_t>(1, numNodes);
  } else if (isOfNodes(sort)) {
    batch.groups = edges.numNodeTypes + 1;
    batch.step = 1;
  } else if (!isByNode(sort)) {
    batch.groups = batch.step = 1;
  }
  if (removesLoops() && !isOfNodes(sort)) {
    batch.groups += batch.groups > 0;
    batch.refused += std::max<int64_t>(1, batch.step);
  }
  batch.base = placeKeys(batch.refused + 1, batch.isNumbered);
  batch.removed += batch.base;
  batch.refused += batch.base;
  batch.report = host;
  host += batch.groups * (batch.isNumbered ? 2 : 1);
  batch.segment = all.add(batch.size, batch.base, batch.refused);
  if (batch.isNumbered)
    numbered += batch.size;
}

namespace {
/// The arguments of `keys`.
struct KeyArguments {
  std::array<KernelArray, 4> arrays;
  std::array<int64_t, 22> numbers;
  size_t numArrays = 0, numNumbers = 0;

  void add(std::initializer_list<int64_t> values) {
    for (int64_t value : values)
      numbers[numNumbers++] = value;
  }

  /// A column: words from id to id, whether they have two, the limit and what
  /// an id counts.
  void addColumn(const DeviceIds &ids, int64_t count, int64_t limit,
                 int64_t times) {
    arrays[numArrays++] = at(ids.values, kWord * ids.words(count));
    add({ids.step(), ids.bits / 32 - 1, ids.values ? limit : 0, times});
  }

  /// The range of a row's number, or of its first or second id (`of` 0 to 2),
  /// counts `times` where edge types are ranges of so many nodes.
  void addRanges(int64_t ranges, int64_t numNodes, int64_t of, int64_t times) {
    add({times ? ranges : 0, std::max<int64_t>(1, numNodes), of, times});
  }

  void launch(int64_t rows, KernelLaunches &launches) const {
    launches.add(BuildKernel::Keys, rows, {arrays.data(), arrays.size()},
                 ArrayView<int64_t>(numbers.data(), numbers.size()));
  }
};
} // namespace

/// The keys of new loops, one a node: base + times * node, and their type,
/// which is given or a range of nodes.
void GraphBuild::addLoops(int32_t *keys, const Batch &batch, int64_t ofType,
                          int64_t times, KernelLaunches &launches) const {
  KeyArguments arguments;
  arguments.arrays[arguments.numArrays++] = at(keys, kWord * newLoops());
  int64_t type = shards() ? 0 : edges.derivation.loopType;
  arguments.add({newLoops(), batch.base + ofType * type, times, batch.removed,
                 batch.refused, 0});
  for (int i = 0; i < 3; ++i)
    arguments.addColumn({}, 0, 0, 0);
  arguments.addRanges(shards(), newLoops(), 0, ofType);
  arguments.launch(newLoops(), launches);
}

void GraphBuild::writeKeys(const RadixSort &all, int32_t *memory,
                           KernelLaunches &launches) const {
  for (const auto &[sort, batch] : batches) {
    int32_t *keys = all.unsorted(memory, batch.segment);
    RowEnd end = sideOf(sort);
    bool isOfDst = end == RowEnd::Dst;
    int64_t count = isOfNodes(sort) ? batch.size : givenEdges;
    int64_t loops = sort == DeviceSort::Loops            ? 1
                    : removesLoops() && !isOfNodes(sort) ? 2
                                                         : 0;
    KeyArguments arguments;
    arguments.arrays[arguments.numArrays++] = at(keys, kWord * count);
    arguments.add({count, batch.base, 0, batch.removed, batch.refused, loops});
    if (isOfNodes(sort)) {
      arguments.addColumn(isOfDst ? edges.dstNodeType : edges.srcNodeType,
                          count, edges.numNodeTypes, 1);
      arguments.addColumn({}, 0, 0, 0);
      arguments.addColumn({}, 0, 0, 0);
      arguments.addRanges(0, 0, 0, 0);
    } else {
      int64_t ofNode = isByNode(sort) ? edges.numEdgeTypes : 1;
      int64_t ofType = isByNode(sort)    ? 1
                       : isOfPairs(sort) ? std::max<int64_t>(1, nodes(end))
                                         : 0;
      arguments.addColumn(edges.src, count, edges.numSrcNodes,
                          isOfDst ? 0 : ofNode);
      arguments.addColumn(edges.dst, count, edges.numDstNodes,
                          isOfDst ? ofNode : 0);
      // Types that are none here are checked nevertheless.
      arguments.addColumn(edges.edgeType, count, givenTypes,
                          shards() ? 0 : ofType);
      RowEnd cut = edges.derivation.shardEnd == GraphSide::Src ? RowEnd::Src
                                                               : RowEnd::Dst;
      arguments.addRanges(shards(), nodes(cut), cut == RowEnd::Src ? 1 : 2,
                          ofType);
      if (newLoops())
        addLoops(keys + givenEdges, batch, ofType, ofNode, launches);
    }
    arguments.launch(count, launches);
  }
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

KernelArray GraphBuild::inScratch(int64_t word, int64_t words) const {
  return at(scratchMemory + word, kWord * words);
}

KernelArray GraphBuild::onHost(int64_t word, int64_t words) const {
  return at(hostMemory + word, kWord * words);
}

void GraphBuild::search(KernelLaunches &launches, const Batch &batch,
                        int64_t first, int64_t step, int64_t groups,
                        std::optional<KernelArray> place,
                        std::optional<KernelArray> number) const {
  KernelArray numbers;
  if (batch.isNumbered)
    numbers = inScratch(sums + batch.begin - begin, batch.size + 1);
  launches.add(
      BuildKernel::Search, groups,
      {at(sorted + batch.begin, kWord * batch.size), numbers,
       place.value_or(KernelArray()), number.value_or(KernelArray())},
      {groups, batch.size, first, step, place.has_value(), number.has_value()});
}

void GraphBuild::scan(KernelLaunches &launches, KernelArray values,
                      int64_t count, Weight weight, int64_t tile,
                      KernelArray partial, KernelArray out,
                      std::optional<KernelArray> total) {
  auto kind = static_cast<int64_t>(weight);
  launches.add(BuildKernel::Sums, count + 1, {values, partial},
               {count, kind, tile});
  launches.add(BuildKernel::Scan, count + 1,
               {values, partial, out, total.value_or(KernelArray())},
               {count, kind, tile, total.has_value()});
}

void GraphBuild::count(const int32_t *keys, const int32_t *order,
                       int32_t *scratch, int32_t *numbers,
                       KernelLaunches &launches) {
  sorted = keys;
  positions = order;
  scratchMemory = scratch;
  hostMemory = numbers;
  int64_t blocks = KernelLaunches::blocksFor(BuildKernel::Sums, numbered + 1);
  if (std::any_of(batches.begin(), batches.end(),
                  [](auto &one) { return one.second.isNumbered; }))
    scan(launches, at(sorted + begin, kWord * numbered), numbered,
         Weight::Differs, 1, inScratch(partial, blocks),
         inScratch(sums, numbered + 1), {});
  for (const auto &[sort, batch] : batches) {
    if (!batch.groups)
      continue;
    KernelArray places = onHost(batch.report, batch.groups);
    KernelArray different = onHost(batch.report + batch.groups, batch.groups);
    bool hasGroups = isOfPairs(sort) || isOfNodes(sort);
    int64_t first = hasGroups ? batch.base : batch.removed;
    search(launches, batch, first, batch.step, batch.groups, places,
           batch.isNumbered ? std::make_optional(different) : std::nullopt);
  }
  countGroups(launches);
  if (needs.dstSorted)
    checkOrder(launches);
  checkSchema(launches);
}

/// The number that a group counts as in a scan.
int64_t GraphBuild::weigh(const GroupScan &scan, int64_t begin, int64_t end) {
  switch (scan.weight) {
  case Weight::Border:
    return TeamShare::isCut(begin, end, scan.tile);
  case Weight::LongElements:
    return end - begin > scan.tile ? end - begin : 0;
  default:
    return Cut{scan.tile, scan.weight == Weight::LongPieces}.count(end - begin);
  }
}

GraphBuild::Problem GraphBuild::readNumbers() {
  Problem problem = isInOrder() ? Problem::None : Problem::Order;
  if (!obeysSchema())
    problem = Problem::Schema;
  int64_t before = 0;
  for (auto &[sort, batch] : batches) {
    const int32_t *found = hostMemory + batch.report;
    batch.rows.assign(found, found + batch.groups);
    if (batch.isNumbered)
      batch.numbers.assign(found + batch.groups, found + 2 * batch.groups);
    batch.numberedBefore = before;
    if (sort == DeviceSort::Loops) {
      if (batch.rows[0] != nodes(RowEnd::Src) ||
          batch.numbers[0] != nodes(RowEnd::Src))
        problem = Problem::Loops;
      before += batch.numbers[0] + (batch.rows[0] < batch.size);
      continue;
    }
    if (batch.groups && batch.rows.back() != batch.size)
      return Problem::Ids;
    int64_t size = batch.size;
    if (removesLoops() && !isOfNodes(sort)) {
      if (batch.groups) // Removed edges are no group.
        edges.numEdges = batch.rows[static_cast<size_t>(batch.groups) - 2];
      for (auto *list : {&batch.rows, &batch.numbers})
        if (!list->empty())
          list->pop_back();
    } else if (!isOfNodes(sort)) {
      edges.numEdges = rows;
    }
    if (batch.isNumbered)
      before += this->size(sideOf(sort) == RowEnd::Dst ? Space::DstPair
                                                       : Space::SrcPair) +
                (edges.numEdges < size);
  }
  for (auto &[sort, batch] : batches)
    if (!isOfNodes(sort) && sort != DeviceSort::Loops)
      batch.size = edges.numEdges;
  for (GroupScan &one : scans)
    if (one.report >= 0)
      one.count = hostMemory[one.report];
  // Removed edges have one key, which is behind those of pairs.
  if (edges.numEdges < rows)
    for (GroupScan &one : scans)
      if (kindOf(one.group) == RowKind::Pair)
        one.count -= weigh(one, edges.numEdges, rows);
  return problem;
}

int64_t GraphBuild::size(Space space) const {
  if (isOfParent(space)) // New loops lie behind the parent's edges.
    return space == Space::ParentEdge || space == Space::ParentLoop ? rows : 0;
  switch (kindOf(space)) {
  case RowKind::Edge:
    return edges.numEdges;
  case RowKind::Pair:
    return batch(pick(gnn::endOf(space), DeviceSort::SrcPairs,
                      DeviceSort::DstPairs))
        .numbers.back();
  case RowKind::Node:
    return nodes(gnn::endOf(space));
  case RowKind::NodeType:
    return edges.numNodeTypes;
  case RowKind::EdgeType:
    return edges.numEdgeTypes;
  case RowKind::Graph:
    return 1;
  }
  return 0;
}

/// The first rows of few groups.
std::vector<int64_t> GraphBuild::hostRows(Space group,
                                          OrderedSpace elements) const {
  if (group == Space::Graph)
    return {0, size(elements.space)};
  const Batch &of = batch(sortOf(elements));
  return kindOf(elements.space) == RowKind::Pair ? of.numbers : of.rows;
}

int64_t GraphBuild::count(const CountKey &key) {
  if (key.kind == CountKey::Kind::Count)
    return size(key.space);
  if (key.kind == CountKey::Kind::PieceCount)
    return 2 * numBlocks(size(key.elements.space), key.tile);
  if (const GroupScan *found =
          findScan(weightOf(key), key.space, key.elements, key.tile))
    return found->count;
  for (const auto &[other, sum] : counts)
    if (other == key)
      return sum;
  std::vector<int64_t> rows = hostRows(key.space, key.elements);
  int64_t sum = 0;
  for (size_t g = 0; g + 1 < rows.size(); ++g) {
    int64_t length = rows[g + 1] - rows[g];
    if (key.kind == CountKey::Kind::CutRowCount)
      sum += TeamShare::isCut(rows[g], rows[g + 1], key.tile);
    else if (key.kind == CountKey::Kind::LongElementCount)
      sum += length > key.tile ? length : 0;
    else
      sum += Cut{key.tile, key.kind == CountKey::Kind::LongTileCount}.count(
          length);
  }
  counts.push_back({key, sum});
  return sum;
}

int64_t GraphBuild::tileCount(const StructureKey &key) {
  return count(key.isOfLong()
                   ? CountKey::longTileCount(key.group, key.elements, key.tile)
                   : CountKey::tileCount(key.group, key.elements, key.tile));
}
