//===- Traversals.cpp - The cost of one traversal -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The counts of templates, with the caches that gathers meet and the rounds of
// walks, which follow from the schedule that a traversal will have.
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/CostModel.h"
#include "GNN/Analysis/RowStatistics.h"
#include "GNN/Dialect/Tile/IR/TraverseLayout.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace {
/// The share of a traversal that is described: all of it, the parts of its long
/// groups, or what is left when these are made of parts.
struct Share {
  enum class Kind { All, Parts, Rest } kind = Kind::All;
  int64_t length = 0;     ///< elements of a group that is not long
  bool isOfWhole = false; ///< whether the op is yet to be split

  /// The share of an op as it is.
  explicit Share(TraverseOp op) {
    if (op.getGroups().isLongTiles()) {
      kind = Kind::Parts;
      length = op.getGroups().getTiles().tile;
    } else if (op.getPartsOf()) {
      kind = Kind::Rest;
      length = op.getLongLength();
    }
  }
  Share(Kind kind, int64_t length)
      : kind(kind), length(length), isOfWhole(true) {}
};

/// How many rows a traversal has to do with.
struct RowCounts {
  RowCounts(TraverseOp op, Share share, StatsAttr stats)
      : groups(op.getGroups()), elements(op.getElements()), stats(stats) {
    numGroups = countRows(groups, stats);
    numElements = countRows(elements, stats);
    if (!elements)
      return;
    if (share.kind == Share::Kind::All) {
      longest = countLongestGroup(groups, elements, stats);
      return;
    }
    StructureKey key =
        share.kind == Share::Kind::Parts && groups.isTiles()
            ? groups.getTiles()
            : StructureKey::longTiles(groups.get().space, elements.get(),
                                      share.length);
    auto length = static_cast<double>(share.length);
    double inLong = countInLong(key.group, key.elements, length, stats);
    numParts = countRows(RowDomain::tilesOf(key), stats);
    longest = countLongestGroup(key.group, key.elements, stats);
    if (share.kind == Share::Kind::Rest) {
      numElements -= inLong;
      return;
    }
    numGroups = numParts;
    numElements = inLong;
    longest = length;
  }

  double count(RowDomain domain) const {
    if (domain == elements)
      return numElements;
    return domain == groups ? numGroups : countRows(domain, stats);
  }

  RowDomain groups, elements;
  StatsAttr stats;
  double numGroups = 0, numElements = 0, numParts = 0, longest = 0;
};
} // namespace

/// Sums over features for each element, for each of which a round waits.
static int64_t countSums(TraverseOp op) {
  return llvm::count_if(op.getBody().getOps<ReduceOp>(), [](ReduceOp reduce) {
    return getLevel(reduce.getValue()).element &&
           llvm::any_of(reduce.getDims(), [](int32_t dim) {
             return dim != static_cast<int32_t>(Dim::Element);
           });
  });
}

/// Registers of a lane. Where features are summed inside of a walk, all that is
/// loaded of the elements in flight waits for that, and is there once more as a
/// product. Fitted on kernels of 32 to 175 registers: two sums of 64 features
/// beside a weighted one, 1 to 4 elements in flight, 4 to 16 lanes.
static double estimateRegisters(const TraverseFacts &facts,
                                const TraverseLayout &layout) {
  if (!facts.shufflesInsideElements)
    return layout.registers;
  auto floats = [&](ArrayRef<Level> levels) {
    double count = 0;
    for (Level level : levels)
      if (level.feature)
        count += layout.partCount(level) * layout.vector;
    return count;
  };
  constexpr double others = 28, copies = 2;
  return others + floats(facts.sums) + floats(facts.rowValues) +
         copies * layout.inFlight * floats(facts.elementLoads);
}

/// Warps of `registers` a lane that a multiprocessor holds, in whole blocks.
static double countWarps(TargetLimits limits, double registers,
                         double warpsOfBlock) {
  constexpr double unit = 8, most = 64;
  double ofBlock = std::ceil(registers / unit) * unit *
                   static_cast<double>(limits.lanes) * warpsOfBlock;
  double blocks = std::max(
      1.0, std::floor(static_cast<double>(limits.registers) / ofBlock));
  return std::min(most, blocks * warpsOfBlock);
}

/// Those of the sums of 64 features that the time of a row was measured with.
static constexpr double usualRegisters = 48;

/// The bytes of a row of `value`, all its heads and features included.
static double countRowBytes(TraverseOp op, Value value, AtAttr at) {
  DomainAttr domain = op.getDomain();
  auto type = cast<ShapedType>(value.getType());
  return type.getElementTypeBitWidth() / 8.0 *
         static_cast<double>((at.getHead() ? domain.getHeads() : 1) *
                             (at.getFeature() ? domain.getFeatures() : 1));
}

/// Whether rows of `to` are met in their order on the way through `from`: edges
/// lie in the order of their destinations.
static bool isInOrder(GraphOp graph, RowDomain from, RowDomain to) {
  bool areSorted = graph && graph.getDstSorted();
  return (areSorted ? ofSortedEdges(from) : from) ==
             RowDomain(Space::Edge, RowOrder::InRows) &&
         to.getEnd() == RowEnd::Dst;
}

/// Where most rows that elements lead to come from: of several tables, the
/// farthest.
static RowsFrom findRows(TraverseOp op, StatsAttr stats) {
  double l2Bytes = getFigures(op).l2Bytes;
  auto graph =
      SymbolTable::lookupNearestSymbolFrom<GraphOp>(op, op.getGraphAttr());
  RowsFrom from = RowsFrom::Unknown;
  for (OpOperand *input : op.getReadInputs()) {
    AtAttr at = op.getAccess(*input);
    if (at.getAnchor() != Anchor::Element || !at.getFeature() ||
        !at.getSpace() || at.getSpace().hasSpaceOf(op.getElements()) ||
        isInOrder(graph, op.getElements(), at.getSpace()))
      continue;
    GatherWork gather = describeGather(
        at.getSpace(), 1, countRowBytes(op, input->get(), at), stats);
    gather.tableRows /= countRanges(op, op.getElements(), at.getSpace());
    bool isNear = llvm::any_of(gather.near, [&](GatherWork::Near near) {
      return near.share > 0.5 && near.rows * gather.rowBytes <= l2Bytes;
    });
    bool isHeld = gather.tableRows * gather.rowBytes <= l2Bytes;
    from = std::max(from, isHeld   ? RowsFrom::L2
                          : isNear ? RowsFrom::Near
                                   : RowsFrom::Memory);
  }
  return from;
}

TraverseFacts gnn::getScheduleFacts(TraverseOp op, StatsAttr stats) {
  TraverseFacts facts(op);
  facts.processors = getFigures(op).processors;
  if (!stats || !facts.hasElements)
    return facts;
  facts.meanLength = countMean(facts.groups, op.getElements(), stats);
  facts.numElements = countRows(op.getElements(), stats);
  facts.longestLength =
      countLongestGroup(facts.groups, op.getElements(), stats);
  facts.rowsFrom = findRows(op, stats);
  return facts;
}

TraverseFacts gnn::getScheduleFacts(TraverseOp op) {
  auto graph =
      SymbolTable::lookupNearestSymbolFrom<GraphOp>(op, op.getGraphAttr());
  return getScheduleFacts(op, graph ? getStats(graph) : nullptr);
}

/// Who walks the rows of a traversal: as its schedule says, or as the passes on
/// schedules choose, which take tiles of columns first.
static RowWalk findRowWalk(TraverseOp op, const TraverseFacts &facts) {
  TraverseSchedule schedule(op);
  if (schedule.rowWalk)
    return *schedule.rowWalk;
  chooseVector(schedule, facts);
  chooseColumns(schedule, facts);
  chooseLanes(schedule, facts);
  chooseRows(schedule, facts);
  return chooseRowWalk(schedule, facts);
}

static WalkWork describeWalk(TraverseOp op, Share share, const RowCounts &rows,
                             double &crowding) {
  TraverseFacts facts = getScheduleFacts(op, rows.stats);
  if (share.kind ==
      Share::Kind::Parts) // whose groups are as long as they may be
    facts.meanLength = 0;
  TraverseSchedule schedule(op);
  // Lanes are those of whole rows, even where blocks take tiles of columns:
  // those of tiles cut cora's rows of 1,024 features into pieces (19.5 us
  // instead of 13.9 on an H200).
  chooseVector(schedule, facts);
  chooseLanes(schedule, facts);
  chooseRows(schedule, facts);
  chooseSplitRows(schedule, facts);
  TraverseLayout layout = layOut(schedule, facts);
  double warps = layout.threads() / static_cast<double>(layout.warp);
  crowding =
      std::max(1.0, countWarps(facts.limits, usualRegisters, warps) /
                        countWarps(facts.limits,
                                   estimateRegisters(facts, layout), warps));
  WalkWork walk;
  walk.isScheduled = true;
  walk.walks = countWalks(op);
  walk.rows = rows.numGroups;
  walk.edges = rows.numElements;
  walk.longest = rows.longest;
  walk.edgesPerRound = layout.elementLanes * layout.inFlight;
  walk.edgesPerLongRound = layout.elementLanes * layout.longInFlight();
  walk.splitEdges = schedule.splitRows;
  walk.teams = layout.rowsPerBlock;
  walk.warps = layout.warpsPerRow();
  walk.waits = 1 + countSums(op);
  walk.inFlight = static_cast<double>(layout.inFlight);
  if (facts.limits.lanes > 1)
    walk.slots = walk.edges *
                 static_cast<double>(layout.columnTiles * layout.headTiles) *
                 describeSteps(op, facts, schedule).countSlots(true);
  if (share.kind == Share::Kind::Parts) {
    walk.isByBlocks = true;
  } else if (share.kind == Share::Kind::Rest) {
    auto length = static_cast<double>(share.length);
    walk.splitEdges = length;
    walk.parts = std::ceil(rows.longest / length);
  } else if (schedule.rowWalk || facts.meanLength) {
    walk.isByBlocks = findRowWalk(op, facts) == RowWalk::Block;
    if (walk.isByBlocks)
      walk.edgesPerLongRound = walk.edgesPerRound;
  }
  return walk;
}

GatherWork gnn::describeGather(RowDomain to, double rows, double rowBytes,
                               StatsAttr stats) {
  GatherWork gather;
  gather.rows = rows;
  gather.rowBytes = rowBytes;
  gather.tableRows = countRows(to, stats);
  // Edges lie as their nodes do.
  double ofNode = to.isKind(RowKind::Edge)
                      ? static_cast<double>(stats.getEdges()) /
                            std::max(1.0, double(stats.getDstNodes()))
                      : 1;
  if ((to.isKind(RowKind::Node) && to == to.getNatural()) ||
      to.isKind(RowKind::Edge))
    for (int64_t distance : nearDistances)
      if (double share = stats.getNearShare(static_cast<double>(distance)))
        gather.near.push_back(
            {2. * static_cast<double>(distance) * ofNode, share});
  return gather;
}

/// How unlike nodes are that edges read: those of one end by their degrees.
static double countSkew(RowDomain from, RowDomain to, StatsAttr stats) {
  bool isSrc = to.getEnd() == RowEnd::Src;
  if (!from.isKind(RowKind::Edge) || !to.isKind(RowKind::Node) ||
      to.getEnd() == RowEnd::Neither)
    return 0;
  auto squares = static_cast<double>(isSrc ? stats.getOutDegreeSquares()
                                           : stats.getInDegreeSquares());
  auto edges = static_cast<double>(stats.getEdges());
  return edges > 0
             ? std::max(0.0,
                        squares * countRows(to, stats) / (edges * edges) - 1)
             : 0;
}

/// Whether edges that are listed by pairs of a node lead to those of its rows.
static bool isOfRows(RowDomain from, RowDomain to) {
  auto edges = [](RowOrder order) { return RowDomain(Space::Edge, order); };
  return (from == edges(RowOrder::DstPairs) && to == edges(RowOrder::InRows)) ||
         (from == edges(RowOrder::SrcPairs) && to == edges(RowOrder::OutRows));
}

double gnn::countRanges(TraverseOp op, RowDomain from, RowDomain to) {
  auto graph =
      SymbolTable::lookupNearestSymbolFrom<GraphOp>(op, op.getGraphAttr());
  if (!graph || !graph.getShards())
    return 1;
  bool cutsSources = graph.getShardEnd() != EndPoint::Dst;
  RowOrder order = cutsSources ? RowOrder::DstPairs : RowOrder::SrcPairs;
  bool isCut = from == RowDomain(Space::Edge, order) &&
               to.isIn(cutsSources ? Space::Src : Space::Dst);
  return isCut ? static_cast<double>(*graph.getShards()) : 1;
}

/// Bytes of maps that the order of the edges makes needless, and
/// `gnn-tile-use-edge-order` drops. The stream of a walk by edges stays, which
/// says where rows end.
static double countNeedless(TraverseOp op, GraphOp graph,
                            const RowCounts &rows) {
  SmallVector<RowDomain> needless;
  bool isStreamed = op.isByEdges() && !op.isCyclic();
  double bytes = 0;
  auto add = [&](AtAttr at) {
    RowDomain from = op.getStart(at);
    RowDomain to = at.getSpace();
    if (!to || at.getAnchor() == Anchor::All || !needsMap(from, to) ||
        isMapped(graph, from, to) || llvm::is_contained(needless, to) ||
        (isStreamed && !countMapped(op)))
      return;
    needless.push_back(to);
    bytes += 4 * rows.count(from);
  };
  for (OpOperand *input : op.getReadInputs())
    add(op.getAccess(*input));
  for (AtAttr at : op.getOutputsAt().getAsRange<AtAttr>())
    add(at);
  op.getBody().walk([&](IndexOp index) { add(index.getAt()); });
  return bytes;
}

static KernelWork describe(TraverseOp op, Share share, StatsAttr stats) {
  RowCounts rows(op, share, stats);
  auto evaluate = [&](const CountSum &sum) {
    return sum.evaluate([&](const CountKey &count) {
      if (count.kind != CountKey::Kind::Count || !share.isOfWhole)
        return evaluateCount(count, stats);
      if (rows.elements.isIn(count.space))
        return rows.numElements;
      return rows.groups.isIn(count.space)
                 ? rows.numGroups
                 : countRows(RowDomain(count.space), stats);
    });
  };
  DomainAttr domain = op.getDomain();
  TileCost cost = op.getCost();
  KernelWork work;
  work.otherFlops = evaluate(cost.flops);
  work.streamBytes = evaluate(cost.readBytes) + evaluate(cost.writtenBytes);
  double largest = 0;
  SmallVector<double, 2> edgeBytes;
  auto graph =
      SymbolTable::lookupNearestSymbolFrom<GraphOp>(op, op.getGraphAttr());
  work.streamBytes -= countNeedless(op, graph, rows);
  for (OpOperand *input : op.getReadInputs()) {
    AtAttr at = hoistAccess(op.getAccess(*input), domain);
    bool isElement = at.getAnchor() == Anchor::Element;
    RowDomain from = isElement ? domain.getElements() : domain.getGroups();
    if (at.getAnchor() == Anchor::All || !isMapped(graph, from, at.getSpace()))
      continue;
    GatherWork gather =
        describeGather(at.getSpace(), rows.count(from),
                       countRowBytes(op, input->get(), at), stats);
    if (!isElement)
      gather.near.clear();
    gather.table = input->get();
    gather.hasHeads = static_cast<bool>(at.getHead());
    gather.hasFeatures = static_cast<bool>(at.getFeature());
    gather.ranges = countRanges(op, from, at.getSpace());
    gather.skew = countSkew(from, at.getSpace(), stats);
    double tableBytes = gather.tableRows * gather.rowBytes;
    if (graph && graph.getShards() && !isElement &&
        from.isKind(RowKind::Pair)) // whose nodes ascend in each range
      continue;
    // Those of a row lie side by side in each range.
    if (graph && graph.getShards() && from.isIn(Space::Edge) &&
        isOfRows(from, at.getSpace()))
      continue;
    work.streamBytes -= gather.rows * gather.rowBytes;
    // Neighbours read the same row: it is in the L1.
    if (isInOrder(graph, from, at.getSpace())) {
      work.streamBytes += tableBytes;
      // Each edge by itself fetches it, from the L2.
      gather.isAgain = !domain.getElements();
      if (gather.isAgain)
        work.gathers.push_back(gather);
      continue;
    }
    if (isElement) {
      largest = std::max(largest, tableBytes);
      edgeBytes.push_back(gather.rowBytes);
    }
    work.gathers.push_back(gather);
  }
  // Numbers that are written in another order than that of the walk: each takes
  // a sector of its own.
  for (OpOperand &output : op.getOutputsMutable()) {
    AtAttr at = op.getAccess(output);
    RowDomain from = op.getStart(at);
    if (!isMapped(graph, from, at.getSpace()))
      continue;
    GatherWork scatter =
        describeGather(at.getSpace(), rows.count(from),
                       countRowBytes(op, output.get(), at), stats);
    scatter.table = output.get();
    scatter.isWritten = true;
    scatter.hasHeads = static_cast<bool>(at.getHead());
    scatter.hasFeatures = static_cast<bool>(at.getFeature());
    work.streamBytes -= scatter.rows * scatter.rowBytes;
    work.gathers.push_back(scatter);
  }
  if (!domain.getElements())
    return work;
  work.walks.push_back(describeWalk(op, share, rows, work.crowding));
  work.reducedRows = work.walks.back().rows;
  work.walks.back().tables = {largest};
  work.walks.back().edgeBytes = edgeBytes;
  return work;
}

KernelWork gnn::describeTraversal(TraverseOp op, StatsAttr stats) {
  return describe(op, Share(op), stats);
}

LongRowsWork gnn::describeLongRows(TraverseOp op, int64_t length,
                                   StatsAttr stats) {
  return {describe(op, Share(Share::Kind::Parts, length), stats),
          describe(op, Share(Share::Kind::Rest, length), stats)};
}

bool gnn::mayHaveLongRows(TraverseOp op) {
  RowDomain groups = op.getGroups();
  return (groups.isKind(RowKind::Node) || groups.isKind(RowKind::Pair)) &&
         op.getElements().isOfGraph() && !op.getPartsOf() &&
         !op.getReduced().empty();
}

PiecesChoice gnn::choosePieces(const CostModel &model, TraverseOp op,
                               StatsAttr stats) {
  auto inPieces = [&](int64_t length) {
    LongRowsWork work = describeLongRows(op, length, stats);
    return model.cost(work.parts) + model.cost(work.rest);
  };
  return model.choosePieces(
      model.cost(describeTraversal(op, stats)),
      countLongestGroup(op.getGroups(), op.getElements(), stats), inPieces);
}

double gnn::costTraversal(const CostModel &model, TraverseOp op,
                          StatsAttr stats) {
  if (model.getKind() == CostKind::Full && mayHaveLongRows(op) &&
      countWalks(op) == 1)
    return choosePieces(model, op, stats).getCost();
  return model.cost(describeTraversal(op, stats));
}

void gnn::takeShare(KernelWork &work, const RowLengths &lengths, double length,
                    bool ofPieces) {
  double share = lengths.countInLong(length) / std::max(lengths.elements, 1.0);
  if (ofPieces) {
    work *= share;
    work.reducedRows = lengths.countPieces(length);
  } else {
    for (GatherWork &gather : work.gathers)
      gather.rows *= 1 - share;
  }
  work.longestRow *= std::min(1.0, length / std::max(lengths.longest, 1.0));
  for (WalkWork &walk : work.walks) {
    if (ofPieces) {
      walk.rows = work.reducedRows;
      walk.longest = std::min(walk.longest, length);
      walk.isByBlocks = true;
    } else {
      walk.edges *= 1 - share;
      walk.isByBlocks = false;
      walk.splitEdges = length;
      walk.parts = std::ceil(walk.longest / length);
    }
  }
}

void gnn::takeShare(KernelWork &work, const StructureKey &tiles,
                    StatsAttr stats) {
  takeShare(work, getLengths(tiles.group, tiles.elements, stats),
            static_cast<double>(tiles.tile),
            tiles.kind == StructureKey::Kind::LongTiles);
}
