//===- GraphGroups.cpp - Groups counted and listed by kernels -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts of many groups that have to be known before structures are planned,
// and the arrays of walks by edges, which StreamBuilder.cpp builds on the host.
//
//===----------------------------------------------------------------------===//

#include "GraphBuild.h"

#include <algorithm>
#include <tuple>

using namespace gnn::runtime;
using gnn::RowKind;
using gnn::TeamShare;

/// The operations of `groups`.
enum { kFilled, kAll, kCutRows, kCutPairs, kEnds };

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

GraphBuild::Weight GraphBuild::weightOf(const CountKey &key) {
  switch (key.kind) {
  case CountKey::Kind::LongTileCount:
    return Weight::LongPieces;
  case CountKey::Kind::LongElementCount:
    return Weight::LongElements;
  case CountKey::Kind::CutRowCount:
    return kindOf(key.space) == RowKind::Pair ? Weight::Border : Weight::Cut;
  default:
    return Weight::Pieces;
  }
}

const GraphBuild::GroupScan *GraphBuild::findScan(Weight weight, Space group,
                                                  OrderedSpace elements,
                                                  int64_t tile) const {
  for (const GroupScan &scan : scans)
    if (scan.weight == weight && scan.group == group &&
        scan.elements == elements && scan.tile == tile)
      return &scan;
  return nullptr;
}

const GraphBuild::ManyRows *GraphBuild::findRows(Space group,
                                                 OrderedSpace elements) const {
  for (const ManyRows &one : manyRows)
    if (one.group == group && one.elements == elements)
      return &one;
  return nullptr;
}

/// Those that counts and structures of nodes and pairs need.
void GraphBuild::addScans(int64_t &scratch, int64_t &host) {
  auto addCount = [&](const CountKey &key) {
    RowKind kind = kindOf(key.space);
    if (!key.hasSize() || key.kind == CountKey::Kind::PieceCount ||
        (kind != RowKind::Node && kind != RowKind::Pair))
      return;
    addScan({weightOf(key), key.space, key.elements, key.tile}, scratch, &host);
  };
  for (const CountKey &key : needs.counts)
    addCount(key);
  for (const StructureKey &key : needs.structures) {
    if (key.kind == StructureKey::Kind::CutRows)
      addCount(CountKey::cutRowCount(key.group, key.elements, key.tile));
    bool listsFilled = key.kind == StructureKey::Kind::Filled ||
                       key.kind == StructureKey::Kind::Shares;
    if (listsFilled && kindOf(key.group) == RowKind::Node)
      addScan({Weight::Filled, key.group, key.elements}, scratch, nullptr);
  }
}

/// `host` is where the host gets what is counted; null: it does not.
void GraphBuild::addScan(const GroupScan &scan, int64_t &scratch,
                         int64_t *host) {
  if (findScan(scan.weight, scan.group, scan.elements, scan.tile))
    return;
  int64_t count = rowsOf(scan) + 1;
  if (scan.weight != Weight::Border && !findRows(scan.group, scan.elements)) {
    manyRows.push_back({scan.group, scan.elements, scratch});
    scratch += count;
  }
  GroupScan &added = scans.emplace_back(scan);
  added.partial = scratch;
  added.first = scratch + KernelLaunches::blocksFor(BuildKernel::Sums, count);
  scratch = added.first + count;
  if (host)
    added.report = (*host)++;
}

void GraphBuild::countGroups(KernelLaunches &launches) {
  for (const ManyRows &one : manyRows) {
    const Batch &of = batch(sortOf(one.elements));
    int64_t count = mostOf(one.group) + 1;
    KernelArray made = inScratch(one.words, count);
    if (kindOf(one.group) == RowKind::Pair) {
      launches.add(BuildKernel::Move, count, {made, {}, {}, {}, {}},
                   {count, kTimes, 0, of.size, 0, 0, 0, 0, 0, 0, 0, 0});
      makeStarts(launches, of, made);
      continue;
    }
    bool ofPairs = one.elements.space != Space::Edge;
    search(launches, of, of.base, ofPairs ? edges.numEdgeTypes : 1, count,
           ofPairs ? std::nullopt : std::make_optional(made),
           ofPairs ? std::make_optional(made) : std::nullopt);
  }
  for (const GroupScan &one : scans) {
    int64_t count = rowsOf(one);
    KernelArray values;
    if (one.weight == Weight::Border) {
      const Batch &of = batch(sortOf(one.elements));
      values = KernelArray::at(sorted + of.begin, kWord * of.size);
    } else {
      values = inScratch(findRows(one.group, one.elements)->words, count + 1);
    }
    scan(launches, values, count, one.weight, one.tile,
         inScratch(one.partial,
                   KernelLaunches::blocksFor(BuildKernel::Sums, count + 1)),
         inScratch(one.first, count + 1),
         one.report < 0 ? std::nullopt
                        : std::make_optional(onHost(one.report, 1)));
  }
}

//===----------------------------------------------------------------------===//
// The order of edges
//===----------------------------------------------------------------------===//

void GraphBuild::addOrderCheck(int64_t &host) {
  if (!followed())
    return;
  orderCheck.report = host;
  orderCheck.blocks =
      KernelLaunches::blocksFor(BuildKernel::Sums, followed() + 1);
  host += orderCheck.blocks;
}

/// Ids are read as they were given, before any sort. Those that are wrong are
/// found by their keys.
void GraphBuild::checkOrder(KernelLaunches &launches) const {
  if (!followed())
    return;
  launches.add(
      BuildKernel::Sums, followed() + 1,
      {KernelArray::at(edges.dst.values, kWord * edges.dst.words(givenEdges)),
       onHost(orderCheck.report, orderCheck.blocks)},
      {followed(), static_cast<int64_t>(Weight::Falls), edges.dst.step()});
}

bool GraphBuild::isInOrder() const {
  const int32_t *falls = hostMemory + orderCheck.report;
  return std::all_of(falls, falls + orderCheck.blocks,
                     [](int32_t count) { return count == 0; });
}

//===----------------------------------------------------------------------===//
// The schema of edges
//===----------------------------------------------------------------------===//

void GraphBuild::addSchemaCheck(int64_t &scratch, int64_t &host) {
  if (needs.schema.empty())
    return;
  schemaCheck.table = scratch;
  schemaCheck.edges = scratch + 2 * givenTypes;
  scratch = schemaCheck.edges + givenEdges + 1;
  schemaCheck.report = host;
  schemaCheck.blocks =
      KernelLaunches::blocksFor(BuildKernel::Sums, givenEdges + 2);
  host += schemaCheck.blocks;
}

Error GraphBuild::copySchema(Device &device, Stream stream) const {
  if (needs.schema.empty())
    return {};
  return device.copyInStream(scratchMemory + schemaCheck.table,
                             needs.schema.data(), 2 * kWord * givenTypes,
                             stream);
}

void GraphBuild::checkSchema(KernelLaunches &launches) const {
  if (needs.schema.empty())
    return;
  std::array<KernelArray, 7> arrays;
  std::array<int64_t, 16> numbers = {givenEdges + 1};
  arrays[0] = inScratch(schemaCheck.edges, givenEdges + 1);
  size_t column = 0;
  for (auto [ids, count, limit] :
       {std::tuple(&edges.edgeType, givenEdges, givenTypes),
        std::tuple(&edges.src, givenEdges, edges.numSrcNodes),
        std::tuple(&edges.dst, givenEdges, edges.numDstNodes),
        std::tuple(&edges.srcNodeType, edges.numSrcNodes, edges.numNodeTypes),
        std::tuple(&edges.dstNodeType, edges.numDstNodes,
                   edges.numNodeTypes)}) {
    numbers[3 * column + 1] = ids->step();
    numbers[3 * column + 2] = ids->bits / 32 - 1;
    numbers[3 * column + 3] = ids->values ? limit : 0;
    arrays[++column] = KernelArray::at(ids->values, kWord * ids->words(count));
  }
  arrays[6] = inScratch(schemaCheck.table, 2 * givenTypes);
  launches.add(BuildKernel::Schema, givenEdges + 1,
               {arrays.data(), arrays.size()},
               ArrayView<int64_t>(numbers.data(), numbers.size()));
  launches.add(BuildKernel::Sums, givenEdges + 2,
               {arrays[0], onHost(schemaCheck.report, schemaCheck.blocks)},
               {givenEdges + 1, static_cast<int64_t>(Weight::Differs), 1});
}

/// The first row counts as one that differs from the row before.
bool GraphBuild::obeysSchema() const {
  const int32_t *changes = hostMemory + schemaCheck.report;
  return needs.schema.empty() ||
         (changes[0] == 1 &&
          std::all_of(changes + 1, changes + schemaCheck.blocks,
                      [](int32_t count) { return count == 0; }));
}

//===----------------------------------------------------------------------===//
// Structures
//===----------------------------------------------------------------------===//

/// The first elements of groups, which for many may be there already.
GraphBuild::Ref GraphBuild::rowsOf(const StructureKey &key) {
  const ManyRows *found = findRows(key.group, key.elements);
  if (!found)
    return array(StructureKey::rows(key.group, key.elements));
  return {inScratch(found->words, size(key.group) + 1), 1};
}

/// How many groups with elements come before each; without a step where all
/// have some.
GraphBuild::Ref GraphBuild::placesOf(const StructureKey &key) {
  if (const GroupScan *scan =
          findScan(Weight::Filled, key.group, key.elements, 1))
    return {inScratch(scan->first, rowsOf(*scan) + 1), 1};
  for (const Places &one : places)
    if (one.group == key.group && one.elements == key.elements)
      return one.ref;
  return {};
}

/// The lists that the host makes of few groups, given their first elements.
void GraphBuild::addHostLists(const StructureKey &key,
                              const std::vector<int64_t> &rows,
                              std::vector<int32_t> &words) {
  std::vector<int64_t> before, filled, cut;
  for (size_t g = 0; g + 1 < rows.size(); ++g) {
    auto group = static_cast<int64_t>(g);
    int64_t begin = rows[g], end = rows[g + 1];
    before.push_back(static_cast<int64_t>(filled.size()));
    if (begin < end)
      filled.push_back(group);
    if (key.kind == StructureKey::Kind::CutRows &&
        TeamShare::isCut(begin, end, key.tile)) {
      bool isEmpty = begin == end;
      cut.insert(cut.end(),
                 {group, isEmpty ? 0 : TeamShare::firstPiece(begin, key.tile),
                  isEmpty ? 0 : TeamShare::endPiece(end, key.tile)});
    }
  }
  filled.resize(static_cast<size_t>(
      TeamShare::filledLength(static_cast<int64_t>(rows.size()) - 1)));
  if (key.kind == StructureKey::Kind::Filled)
    give(key, filled, words);
  else if (key.kind == StructureKey::Kind::CutRows)
    give(key, cut, words);
  else if (key.kind == StructureKey::Kind::Shares && !placesOf(key).step)
    places.push_back({key.group, key.elements, give(before, words)});
}

void GraphBuild::listGroups(int64_t kind, int64_t count,
                            const StructureKey &key, const KernelArray &first,
                            const Ref &out) {
  launches->add(BuildKernel::Groups, count,
                {rowsOf(key).array, first, out.array},
                {count, size(key.group), kind, key.tile});
}

/// The rows that elements lead to are moved there, then ends are marked.
void GraphBuild::makeStream(const StructureKey &key, const Ref &out) {
  int64_t count = size(key.elements.space);
  StructureKey map = StructureKey::map(key.elements, key.target);
  Chain chain;
  if (find(map) || key.elements.order == Order::Natural) {
    if (key.elements != key.target)
      chain.add(array(map));
  } else if (key.elements != key.target) {
    chain = chainOf(key.elements, key.target);
  }
  Ref words; // their places, with this step
  words.step = -1;
  move(out, count, chain, kTimes, 1, words, 0);
  int64_t zeros = TeamShare::streamLength(count) - count;
  listGroups(kEnds, size(key.group) + zeros, key, {}, out);
}

void GraphBuild::makeFilled(const StructureKey &key, const Ref &out) {
  Ref before = placesOf(key);
  listGroups(before.step ? kFilled : kAll,
             TeamShare::filledLength(size(key.group)), key, before.array, out);
}

void GraphBuild::makeShares(const StructureKey &key, const Ref &out) {
  int64_t elements = size(key.elements.space);
  int64_t shares =
      TeamShare::sharesLength(elements, key.tile) / TeamShare::NumFields;
  Ref before = placesOf(key);
  launches->add(BuildKernel::Shares, shares,
                {rowsOf(key).array, before.array, out.array},
                {shares, elements, size(key.group), key.tile, before.step});
}

void GraphBuild::makeCutRows(const StructureKey &key, const Ref &out) {
  auto counted = CountKey::cutRowCount(key.group, key.elements, key.tile);
  if (!count(counted))
    return;
  bool ofPairs = kindOf(key.group) == RowKind::Pair;
  const GroupScan &scan =
      *findScan(weightOf(counted), key.group, key.elements, key.tile);
  int64_t rows =
      ofPairs ? numBlocks(size(key.elements.space), key.tile) : size(key.group);
  listGroups(ofPairs ? kCutPairs : kCutRows, rows, key,
             inScratch(scan.first, rows + 1), out);
}
