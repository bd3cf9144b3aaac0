//===- GraphPlan.cpp - Which kernels build which structure ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphBuild.h"

#include "StructureBuilder.h"

using namespace gnn::runtime;
using gnn::RowEnd;
using gnn::RowKind;
using gnn::TeamShare;

DeviceSort GraphBuild::sortOf(OrderedSpace rows) {
  bool isOfDst = gnn::endOf(rows.space) == RowEnd::Dst;
  switch (rows.order) {
  case Order::InRows:
    return DeviceSort::Dst;
  case Order::OutRows:
    return DeviceSort::Src;
  case Order::SrcPairs:
    return DeviceSort::SrcPairs;
  case Order::DstPairs:
    return DeviceSort::DstPairs;
  case Order::ByNode:
    return isOfDst ? DeviceSort::DstByNode : DeviceSort::SrcByNode;
  case Order::ByType:
    return isOfDst ? DeviceSort::DstTypes : DeviceSort::SrcTypes;
  default:
    return isOfDst ? DeviceSort::DstPairs : DeviceSort::SrcPairs;
  }
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

GraphBuild::Ref GraphBuild::take(int64_t words) {
  Ref ref;
  ref.array = {bytes, kWord * words, true};
  ref.step = 1;
  bytes += alignTo(kWord * words, kTensorAlignment);
  return ref;
}

int64_t GraphBuild::lengthOf(const StructureKey &key) {
  switch (key.kind) {
  case StructureKey::Kind::Map:
    if (key.elements == OrderedSpace{Space::Edge, Order::Natural})
      return rows; // With those that are no edges of a derived graph.
    return size(key.elements.space);
  case StructureKey::Kind::Tiles:
  case StructureKey::Kind::LongTiles:
    return 3 * tileCount(key);
  case StructureKey::Kind::Stream:
    return TeamShare::streamLength(size(key.elements.space));
  case StructureKey::Kind::Filled:
    return TeamShare::filledLength(size(key.group));
  case StructureKey::Kind::Shares:
    return TeamShare::sharesLength(size(key.elements.space), key.tile);
  case StructureKey::Kind::CutRows:
    return 3 * count(CountKey::cutRowCount(key.group, key.elements, key.tile));
  default:
    return size(key.group) + 1;
  }
}

/// Where a structure is planned; null where it is not.
const GraphBuild::Ref *GraphBuild::find(const StructureKey &key) const {
  uint64_t word = Planned::wordOf(key);
  for (const Planned &one : arrays)
    if (one.word == word && one.tile == key.tile)
      return &one.ref;
  return nullptr;
}

GraphBuild::Ref GraphBuild::add(const StructureKey &key, int64_t words) {
  if (key.kind == StructureKey::Kind::Stream)
    bytes = alignTo(bytes, TeamShare::lineBytes);
  Ref out = take(words);
  arrays.push_back({Planned::wordOf(key), key.tile, out});
  return out;
}

/// A structure, which is made when it is first asked for.
GraphBuild::Ref GraphBuild::array(const StructureKey &key) {
  if (const Ref *found = find(key))
    return *found;
  Ref out = add(key, lengthOf(key));
  switch (key.kind) {
  case StructureKey::Kind::Map:
    makeMap(key, out);
    break;
  case StructureKey::Kind::Rows:
    makeRows(key, out);
    break;
  case StructureKey::Kind::TileRows:
  case StructureKey::Kind::LongTileRows:
    makeTileRows(key, out);
    break;
  case StructureKey::Kind::Tiles:
  case StructureKey::Kind::LongTiles:
    makeTiles(key, out);
    break;
  case StructureKey::Kind::Stream:
    makeStream(key, out);
    break;
  case StructureKey::Kind::Filled:
    makeFilled(key, out);
    break;
  case StructureKey::Kind::Shares:
    makeShares(key, out);
    break;
  case StructureKey::Kind::CutRows:
    makeCutRows(key, out);
    break;
  case StructureKey::Kind::Merged: // the host builds these
  case StructureKey::Kind::MergedRows:
    break;
  }
  return out;
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

void GraphBuild::move(const Ref &out, int64_t rows, const Chain &chain,
                      int64_t how, int64_t by, const Ref &place, int64_t plus) {
  std::array<Ref, 3> refs;
  if (chain.isZero) {
    how = kTimes;
    by = 0;
  } else {
    refs = chain.refs;
  }
  launches->add(
      BuildKernel::Move, rows,
      {out.array, place.array, refs[0].array, refs[1].array, refs[2].array},
      {rows, how, by, plus, place.step, place.less, refs[0].step, refs[0].less,
       refs[1].step, refs[1].less, refs[2].step, refs[2].less});
}

/// The ids that the caller gave; a Ref without a step where there are none.
GraphBuild::Ref GraphBuild::given(Space space) const {
  const DeviceIds &ids = space == Space::Src           ? edges.src
                         : space == Space::Dst         ? edges.dst
                         : space == Space::EdgeType    ? edges.edgeType
                         : space == Space::SrcNodeType ? edges.srcNodeType
                                                       : edges.dstNodeType;
  Ref ref;
  if (!ids.values)
    return ref;
  RowEnd end = gnn::endOf(space);
  int64_t count = kindOf(space) == RowKind::NodeType ? nodes(end) : givenEdges;
  ref.step = ids.stride * ids.bits / 32;
  ref.array = KernelArray::at(
      ids.values, count ? kWord * ((count - 1) * ref.step + ids.bits / 32) : 0);
  return ref;
}

/// Those of all rows of sorts: behind the ids are those of new loops.
GraphBuild::Ref GraphBuild::column(Space space) {
  if (!newLoops() || kindOf(space) == RowKind::NodeType)
    return given(space);
  bool isNode = kindOf(space) == RowKind::Node;
  if (!isNode && edges.numEdgeTypes == 1)
    return {};
  for (const auto &[other, ref] : columns)
    if (other == space)
      return ref;
  Ref out = take(rows), behind = slice(out, givenEdges, newLoops());
  columns.push_back({space, out});
  Ref ids = given(space);
  move(out, givenEdges, {{ids}, ids.step == 0});
  if (isNode)
    move(behind, newLoops(), {});
  else
    move(behind, newLoops(), {}, kTimes, 0, {}, edges.derivation.loopType);
  return out;
}

/// For each position of an order, the row in the natural one.
GraphBuild::Ref GraphBuild::order(OrderedSpace space) {
  if (kindOf(space.space) == RowKind::Pair)
    return array(StructureKey::map(space, {space.space, Order::Natural}));
  return positionsOf(batch(sortOf(space)));
}

/// For each sorted row of keys, which row it was.
GraphBuild::Ref GraphBuild::positionsOf(const Batch &of) const {
  Ref ref;
  ref.array = KernelArray::at(positions + of.begin, kWord * of.size);
  ref.step = 1;
  return ref;
}

/// The first sorted edge of each different key.
GraphBuild::Ref GraphBuild::firstRows(DeviceSort sort, int64_t groups) {
  sort = canonical(sort);
  if (sort == DeviceSort::SrcPairs)
    return array(
        StructureKey::rows(Space::SrcPair, {Space::Edge, Order::SrcPairs}));
  if (sort == DeviceSort::DstPairs)
    return array(
        StructureKey::rows(Space::DstPair, {Space::Edge, Order::DstPairs}));
  for (const auto &[other, ref] : firsts)
    if (other == sort)
      return ref;
  Ref out = take(groups + 1);
  firsts.push_back({sort, out});
  makeStarts(*launches, batch(sort), out.array);
  return out;
}

void GraphBuild::makeStarts(KernelLaunches &launches, const Batch &of,
                            const KernelArray &out) const {
  launches.add(BuildKernel::Starts, of.size + 1,
               {inScratch(sums + of.begin - begin, of.size + 1), out},
               {of.size + 1});
}

/// From rows of one space to those of another, both in natural orders.
void GraphBuild::addStep(Space from, Space to, Chain &chain) {
  if (from == to || to == Space::ParentEdge)
    return; // Rows of sorts are the parent's edges with loops behind.
  RowEnd end = gnn::endOf(to);
  if (kindOf(to) == RowKind::NodeType && kindOf(from) != RowKind::Node)
    addStep(from, end == RowEnd::Dst ? Space::Dst : Space::Src, chain);
  else if (kindOf(from) == RowKind::Pair || kindOf(to) == RowKind::Pair) {
    chain.add(
        array(StructureKey::map({from, Order::Natural}, {to, Order::Natural})));
    return;
  }
  Ref ref = column(to);
  chain.isZero |= ref.step == 0;
  chain.add(ref);
}

void GraphBuild::makeMap(const StructureKey &key, const Ref &out) {
  OrderedSpace from = key.elements, to = key.target;
  if (to.space == Space::ParentLoop)
    return move(out, size(from.space), {}, kAsItIs, 0, {}, givenEdges);
  int64_t count = size(from.space);
  bool isOfPair = kindOf(from.space) == RowKind::Pair;
  bool isOfDst = gnn::endOf(isOfPair ? from.space : to.space) == RowEnd::Dst;
  auto pairs = isOfDst ? DeviceSort::DstPairs : DeviceSort::SrcPairs;
  if (from.space == to.space && from.order == Order::Natural &&
      to.order != Order::Natural)
    return move(out, count, {}, kAsItIs, 0, order(to));
  if (from.order == Order::Natural && to.order == Order::Natural) {
    if (isOfPair && (kindOf(to.space) == RowKind::Node ||
                     kindOf(to.space) == RowKind::EdgeType)) {
      const Batch &of = batch(pairs);
      Ref keys;
      keys.array = KernelArray::at(sorted + of.begin, kWord * of.size);
      keys.step = 1;
      keys.less = of.base;
      bool isNode = kindOf(to.space) == RowKind::Node;
      return move(out, count, {{firstRows(pairs, count), keys}},
                  isNode ? kRest : kDivided, of.step);
    }
    if (from.space == Space::Edge && kindOf(to.space) == RowKind::Pair) {
      const Batch &of = batch(pairs);
      Ref number; // One less than the pairs up to and with its own.
      int64_t word = sums + of.begin - begin;
      number.array = inScratch(word + 1, of.size);
      number.step = 1;
      number.less = of.numberedBefore + 1;
      return move(
          out, count, {{number}}, kAsItIs, 0,
          order({Space::Edge, isOfDst ? Order::DstPairs : Order::SrcPairs}));
    }
  }
  move(out, count, chainOf(from, to));
}

/// The chain from rows in one order to those of another, where this takes no
/// more than steps.
GraphBuild::Chain GraphBuild::chainOf(OrderedSpace from, OrderedSpace to) {
  if (kindOf(from.space) == RowKind::Pair && from.order == Order::ByNode &&
      to == OrderedSpace{from.space, Order::Natural}) {
    DeviceSort sort = sortOf(from);
    Ref pair = array(StructureKey::map({Space::Edge, Order::Natural},
                                       {from.space, Order::Natural}));
    return {firstRows(sort, size(from.space)), positionsOf(batch(sort)), pair};
  }
  Chain chain;
  if (from.order != Order::Natural)
    chain.add(order(from));
  addStep(from.space, to.space, chain);
  if (to.order != Order::Natural)
    chain.add(array(StructureKey::map({to.space, Order::Natural}, to)));
  return chain;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// Makes the row pointers of many groups.
void GraphBuild::makeRows(const StructureKey &key, const Ref &out) {
  const Batch &of = batch(sortOf(key.elements));
  if (kindOf(key.group) == RowKind::Pair)
    return makeStarts(*launches, of, out.array);
  int64_t groups = size(key.group) + 1;
  if (findRows(key.group, key.elements))
    return move(out, groups, {rowsOf(key)});
  if (kindOf(key.elements.space) == RowKind::Pair)
    search(*launches, of, of.base, edges.numEdgeTypes, groups, {}, out.array);
  else
    search(*launches, of, of.base, 1, groups, out.array, {});
}

void GraphBuild::makeTileRows(const StructureKey &key, const Ref &out) {
  int64_t groups = size(key.group);
  Ref rows = rowsOf(key);
  Ref partial = take(KernelLaunches::blocksFor(BuildKernel::Sums, groups + 1));
  scan(*launches, rows.array, groups,
       key.isOfLong() ? Weight::LongPieces : Weight::Pieces, key.tile,
       partial.array, out.array, {});
}

void GraphBuild::makeTiles(const StructureKey &key, const Ref &out) {
  int64_t tiles = tileCount(key);
  if (!tiles)
    return;
  Ref rows = rowsOf(key), first = array(StructureKey::tileRows(key));
  launches->add(BuildKernel::Tiles, tiles, {rows.array, first.array, out.array},
                {tiles, size(key.group), key.tile});
}

/// Words that the host copies, which have no others between them.
GraphBuild::Ref GraphBuild::give(const std::vector<int64_t> &values,
                                 std::vector<int32_t> &words) {
  int64_t start = bytes - static_cast<int64_t>(words.size()) * kWord;
  Ref out = take(static_cast<int64_t>(values.size()));
  words.insert(words.end(), values.begin(), values.end());
  words.resize(static_cast<size_t>((bytes - start) / kWord));
  return out;
}

void GraphBuild::give(const StructureKey &key,
                      const std::vector<int64_t> &values,
                      std::vector<int32_t> &words) {
  if (!find(key))
    arrays.push_back({Planned::wordOf(key), key.tile, give(values, words)});
}

/// The rows of few groups, the first tiles of each and lists of them, which the
/// host knows.
void GraphBuild::addHostRows(const StructureKey &key,
                             std::vector<int32_t> &words) {
  std::vector<int64_t> rows = hostRows(key.group, key.elements);
  give(StructureKey::rows(key.group, key.elements), rows, words);
  if (!key.hasSize() || key.isOfBlocks())
    return addHostLists(key, rows, words);
  std::vector<int64_t> first = {0};
  for (size_t g = 0; g + 1 < rows.size(); ++g)
    first.push_back(first.back() +
                    Cut{key.tile, key.isOfLong()}.count(rows[g + 1] - rows[g]));
  bool isTiles = key.kind == StructureKey::Kind::Tiles ||
                 key.kind == StructureKey::Kind::LongTiles;
  give(isTiles ? StructureKey::tileRows(key) : key, first, words);
}

void GraphBuild::plan(int64_t &size, KernelLaunches &given) {
  int64_t start = bytes = size;
  launches = &given;
  arrays.reserve(2 * needs.structures.size() + 8);
  std::vector<int32_t> words;
  for (const StructureKey &key : needs.structures)
    if (key.kind != StructureKey::Kind::Map &&
        (kindOf(key.group) == RowKind::Graph ||
         kindOf(key.group) == RowKind::EdgeType ||
         kindOf(key.group) == RowKind::NodeType))
      addHostRows(key, words);
  given.addCopy(start, std::move(words));
  for (const StructureKey &key : needs.structures)
    if (!listsByDegree(key))
      array(key);
  size = bytes;
  launches = nullptr;
}

BuiltGraph GraphBuild::finish(const char *memory) {
  BuiltGraph graph;
  graph.square = edges.square;
  graph.selfLoops = needs.sorts.has(DeviceSort::Loops);
  graph.dstSorted = needs.dstSorted;
  graph.schema = needs.schema;
  graph.counts.reserve(needs.counts.size());
  for (const CountKey &key : needs.counts)
    graph.counts[key] = count(key);
  graph.structures.reserve(needs.structures.size());
  for (const StructureKey &key : needs.structures)
    graph.structures[key] = {
        reinterpret_cast<const int32_t *>(memory + find(key)->array.begin),
        lengthOf(key)};
  return graph;
}
