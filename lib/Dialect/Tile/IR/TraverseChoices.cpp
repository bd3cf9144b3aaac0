//===- TraverseChoices.cpp - Open fields of schedules ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The vectors, columns, lanes, elements at once, rows of a block and length of
// rows that a block walks which a traversal has where nothing else is said.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/Registers.h"
#include "GNN/Dialect/Tile/IR/TraverseLayout.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

/// Elements whose loads a lane issues before it waits for the first, where rows
/// have that many.
static constexpr int64_t elementsInFlight = 4;

/// The same of a walk by edges, where elements are as many as there are: what
/// sums of 2 to 128 features on an H100 are fastest with.
static constexpr int64_t edgesInFlight = 8;
/// The same of plain sums, or of rows with numbers in their order, that one or
/// two lanes have: many of them fit. Sums of 2, 4 and 8 features of products on
/// an H200 take 0.38, 0.59 and 0.85 ms instead of 0.48, 0.68 and 0.89 with 8.
static constexpr int64_t narrowInFlight = 16, narrowLanes = 2;
/// The same of those that up to four lanes have, where most rows come from
/// memory: sums of 8 and 16 features of 2.4 million rows met in any order, an
/// H200, take 1.95 and 2.57 ms instead of 2.04 and 2.61, weighted ones 2.11 and
/// 2.72 instead of 2.23 and 2.88.
static constexpr int64_t missedInFlight = 32, missedLanes = 4;
/// The same where each is reduced over features or weighed, has an index beside
/// each of its features, or has a number in its order beside a row of more
/// lanes: products, weights, indices or numbers are held. Weighted sums of 32
/// and 64 features of products on an H200 take 1.82 and 3.39 ms instead of 2.00
/// and 3.57 with 8, maxima with their edges of 32 features 2.50 instead
/// of 3.50.
static constexpr int64_t reducedInFlight = 4;
/// Lanes of a row up to which weighted rows that the L2 holds are asked for as
/// plain ones are: those of 16 features of reddit on an H200 take 0.916 ms
/// instead of 0.936, of products, which it does not hold, 1.28 instead of 1.19.
static constexpr int64_t cachedLanes = 4;

/// Vectors that a lane takes of each head of a row at most.
static constexpr int64_t mostOfHead = 4;

/// Vectors that a block takes where groups are few, at least and at most, and
/// blocks a multiprocessor that are enough.
static constexpr int64_t leastOfFew = 4, mostOfFew = 32, enoughBlocks = 4;

/// Registers of rows, sums and elements under way with which four blocks, or
/// three, take less time than what ptxas chooses: on an H200 of reddit, GATv2
/// of 64 features 3.84 ms, 4.08 and 5.6 (of 30), dot-product attention 6.6 with
/// three and 6.8 (of 42); 4 heads of GATv2 50 with four and 29 with three (of
/// 60).
static constexpr int64_t fewHeld = 32, manyHeld = 44;

/// Elements of a group on average up to which teams of dots take turns
/// whatever lanes a row has: a share has elements of three such groups. A team
/// that has a share waits for the row of each group that begins in it; in turns
/// it reads one for each element, most of them from the L1. Dots of 32 to 256
/// features on an H200 take 0.84 to 0.98 of the time in turns where groups have
/// 4 to 16 elements, 1.07 to 1.33 where they have 32 to 256
/// (benchmarks/results/2026-11-30-h200-dots-in-turns.md).
static constexpr double mostOfShort = TeamShare::elements / 3.0;

/// Lanes that a walk by edges gives a row of one sum that would take all of a
/// warp. Sums of 128 features on an H200 by 16 lanes and by 32: of
/// products 6.17 and 6.36 ms, of 10 million random edges, weighted, 0.67 and
/// 0.89.
static constexpr int64_t mostOfSum = 16;

/// Threads of a block of such a walk, whose rows have 4 to 16 lanes, and of one
/// of dots, whose rows have 4 or more, where a multiprocessor has more than
/// `fewBlocks` of the larger blocks: teams wait for fewer others at the end.
/// Sums of 16 and 32 features of products on an H200: 0.98 and 1.55 ms instead
/// of 0.98 and 1.61, weighted 1.76 instead of 1.85, dots of 32 features 1.85
/// instead of 1.91; of 620 thousand edges of 64 features, which are 4.6 of the
/// larger blocks each, 22.3 us instead of 20.1
/// (benchmarks/results/2026-11-30-h200-block-sizes.md).
static constexpr int64_t smallBlock = 128, smallBlockOfDots = 64;
static constexpr int64_t leastOfSmallBlock = 4;
static constexpr double fewBlocks = 8;

/// Threads of a multiprocessor up to which a walk by edges gives a row more
/// lanes. Sums of 2 and 8 features of soc-epinions on an H200: 15.7 and 12.7 us
/// instead of 21.7 and 17.8.
static constexpr double enoughThreads = 768;

/// Elements of a row that lanes take at once where nothing is known of rows;
/// more would wait for each other where rows are short.
static constexpr int64_t mostElementLanes = 8;

/// Elements from which each lane has some in a row of the mean length. The more
/// rows share a warp, the longer is its longest, and lanes pay earlier: rows of
/// few lanes for their features are many. Sums of 1 and of 64 features over
/// rows of 1 to 7 elements on average, each with 1, 2 and more lanes, on an
/// H200.
static constexpr int64_t leastOfElements = 4, leastWhereManyRows = 2;

/// Lanes for the features of a row from which few rows share a warp.
static constexpr int64_t manyLanes = 8;

/// Elements on average from which rows have all lanes that would idle else, up
/// to a warp: the longest of few rows decides. Cora's 2,708 rows have 3.9
/// elements, 168 at most; sums of 2, 8 and 64 features on an H200: 6.1, 7.1 and
/// 5.0 us by as many lanes as its mean length asks for, 2.0, 2.5 and 3.8 by a
/// warp, argmax of 2 and 64 7.2 and 7.2, 2.7 and 5.7.
static constexpr double elementsOfIdle = 2;

/// Threads of a block, where its rows divide them.
static constexpr int64_t blockThreads = 256;

/// Rounds of a team's walk above which a row is long; the same of few rows,
/// which are all at work at once: then the kernel takes what its longest row
/// takes. The longest row of cora has 168 elements: a block walked its rows
/// above 32 (8 rounds) in place of 128, sum 7.2 to 5.0 us, GATv2 9.1 to 5.5.
/// Rows of a few times the mean length are no long ones, and blocks of many
/// rows would walk several one after the other.
/// A round whose lanes reduce features takes longer: cora's dot-product
/// attention 5.9 us by blocks above 4 rounds, 6.5 above 8, sums 4.0 and 3.8.
static constexpr int64_t longRounds = 32, longRoundsOfFew = 8;
static constexpr int64_t longRoundsOfReduced = 4;
static constexpr int64_t mostRowsOfFew = 32;
static constexpr double meansOfLong = 4;

/// Rounds of a team in which a block joins what its teams have of a row.
static constexpr double joinRounds = 1;
/// Rounds of a team by which a wave of blocks delays each of them, and the same
/// where a maximum has its index beside it, which are joined one after the
/// other. Times of an H200 are in
/// benchmarks/results/2026-11-29-h200-few-rows.md.
static constexpr double waitRounds = 3, waitRoundsOfIndices = 5;
/// Waves of blocks up to which a block each may walk rows. Two thousand rows of
/// 200 elements are four waves: a sum of 64 features gains 8% by them, maxima
/// with their edges lose 26%.
static constexpr double mostWaves = 2;

/// The fewest floats that a lane loads at once where a walk by edges has fewer
/// elements in flight than usual, so that all blocks are at work at once. Of 36
/// walks on an H200, 35 take 0.76 to 0.97 of the time by that and one 1.10
/// (benchmarks/results/2026-11-30-h200-waves.md).
static constexpr int64_t leastOfLane = 8;

/// Blocks that are at work at once on a multiprocessor; where lanes take more
/// registers for more elements, fewer.
static constexpr double blocksAtOnce = 4, blocksOfIdle = 3;

/// Waves in which blocks of `blockThreads` run that have so many threads a
/// group and tile of columns, `blocks` of them at once on a multiprocessor; 0
/// where lengths are not known.
static double countWaves(const TraverseSchedule &schedule,
                         const TraverseFacts &facts, int64_t threads,
                         double blocks) {
  if (!facts.meanLength)
    return 0;
  double all =
      static_cast<double>(threads * layOut(schedule, facts).columnTiles);
  return facts.numElements / facts.meanLength * all /
         (blocks * facts.processors * static_cast<double>(blockThreads));
}

/// Whether they are all at work at once.
static bool areFew(const TraverseSchedule &schedule, const TraverseFacts &facts,
                   int64_t threads, double blocks) {
  double waves = countWaves(schedule, facts, threads, blocks);
  return waves > 0 && waves <= 1;
}

/// Threads of a block: fewer where a walk by edges has many.
static int64_t chooseThreads(const TraverseSchedule &schedule,
                             const TraverseFacts &facts) {
  TraverseLayout layout = layOut(schedule, facts);
  int64_t ofRow = layout.threadsPerRow();
  double blocks = facts.numElements / TeamShare::elements *
                  static_cast<double>(ofRow * layout.columnTiles) /
                  static_cast<double>(blockThreads);
  if (schedule.rowWalk != RowWalk::ByEdges || ofRow < leastOfSmallBlock ||
      blocks <= fewBlocks * facts.processors)
    return blockThreads;
  if (facts.isDot())
    return smallBlockOfDots;
  return facts.holdsOneRow() && ofRow <= mostOfSum ? smallBlock : blockThreads;
}

/// So many that each has elements in a group of the mean length: groups that
/// are shorter than the lanes of a warp share it.
static int64_t lanesOfElements(const TraverseSchedule &schedule,
                               const TraverseFacts &facts) {
  if (!facts.walksElements)
    return 1;
  if (!facts.meanLength)
    return mostElementLanes;
  int64_t lanes = schedule.lanes * schedule.headLanes;
  auto filled = static_cast<int64_t>(
      facts.meanLength /
      (lanes >= manyLanes ? leastOfElements : leastWhereManyRows));
  int64_t count = std::clamp<int64_t>(llvm::bit_floor<uint64_t>(filled), 1,
                                      mostElementLanes);
  // Windows that are given have to have room for all lanes.
  while (facts.meanLength >= elementsOfIdle && !schedule.window &&
         2 * count * lanes <= facts.limits.lanes &&
         areFew(schedule, facts, 2 * count * lanes, blocksOfIdle))
    count *= 2;
  return count;
}

/// So many that a lane takes its elements of a group of the mean length at
/// once; of few groups of a warp each, the longest of which decides, as many as
/// of long ones.
static int64_t elementsAtOnce(const TraverseSchedule &schedule,
                              const TraverseFacts &facts) {
  if (!facts.walksElements)
    return 1;
  int64_t lanes = orOne(schedule.elementLanes);
  int64_t threads = layOut(schedule, facts).threadsPerRow();
  if (!facts.meanLength || (threads >= facts.limits.lanes &&
                            areFew(schedule, facts, threads, blocksOfIdle)))
    return elementsInFlight;
  auto each = static_cast<int64_t>(std::lround(facts.meanLength / lanes));
  return std::clamp<int64_t>(llvm::PowerOf2Ceil(each), 1, elementsInFlight);
}

void gnn::tile::chooseVector(TraverseSchedule &schedule,
                             const TraverseFacts &facts) {
  if (schedule.vector)
    return;
  int64_t columns = facts.features, vector = facts.widestVector;
  if (schedule.columnsPerBlock && schedule.columnsPerBlock < columns) {
    columns = schedule.columnsPerBlock;
    vector = std::gcd(vector, columns);
  }
  schedule.vector = vector;
  if (schedule.rowWalk != RowWalk::ByEdges || facts.numElements <= 0 ||
      facts.shufflesInsideElements || facts.weighsElements)
    return;
  auto threads = [&] {
    return facts.numElements / TeamShare::elements *
           static_cast<double>(facts.heads) *
           static_cast<double>(llvm::divideCeil(columns, schedule.vector));
  };
  while (schedule.vector > 1 && threads() < enoughThreads * facts.processors)
    schedule.vector /= 2;
}

/// A block takes few columns of a group where groups are few, unless that makes
/// more blocks than the GPU takes at once.
static int64_t columnsOfFew(const TraverseSchedule &schedule,
                            const TraverseFacts &facts) {
  int64_t columns = std::max(leastOfFew, schedule.lanes) * schedule.vector;
  auto blocks = [&] {
    return static_cast<double>(facts.fewGroups *
                               llvm::divideCeil(facts.features, columns));
  };
  while (columns < mostOfFew * schedule.vector &&
         blocks() > enoughBlocks * facts.processors)
    columns *= 2;
  return columns;
}

void gnn::tile::chooseColumns(TraverseSchedule &schedule,
                              const TraverseFacts &facts) {
  if (schedule.columnsPerBlock)
    return;
  int64_t features = facts.features;
  schedule.columnsPerBlock = features;
  if (facts.reducesFeatures)
    return;
  int64_t width = schedule.lanes ? schedule.lanes * schedule.vector : 0;
  // A lane goes through the heads of a row as well, by a copy of the body each;
  // where they are too many, more lanes share them.
  double vectorsPerHead = static_cast<double>(facts.mostVectors()) /
                          static_cast<double>(facts.heads);
  int64_t lanes = facts.limits.lanes;
  // Of the elements under way a lane of a walk by edges holds a vector each.
  int64_t ofHead = schedule.rowWalk == RowWalk::ByEdges ? 1 : mostOfHead;
  while (lanes > 1 && vectorsPerHead * facts.limits.lanes < lanes)
    lanes /= 2;
  if (schedule.rowWalk == RowWalk::ByEdges && facts.holdsOneRow() &&
      !facts.findsIndices && features >= facts.limits.lanes * schedule.vector)
    lanes = std::min(lanes, mostOfSum);
  int64_t whole =
      std::min(features, std::clamp<int64_t>(vectorsPerHead, 1, ofHead) *
                             lanes * schedule.vector);
  if (width && whole < features)
    whole = std::max(width, whole / width * width);
  if (facts.fewGroups)
    whole = std::min(whole, columnsOfFew(schedule, facts));
  schedule.columnsPerBlock = whole;
}

/// Lanes of a dot whose rows have so many vectors, where teams end with their
/// one row. Twice as many lanes are twice as many warps, and half as many loads
/// of a row: they pay where a lane has as many vectors as there are lanes
/// (docs/Cost.md).
static int64_t lanesOfDot(int64_t vectors) {
  int64_t lanes = 1;
  while (lanes * lanes <= vectors)
    lanes *= 2;
  return lanes;
}

void gnn::tile::chooseLanes(TraverseSchedule &schedule,
                            const TraverseFacts &facts) {
  auto within = [](int64_t left, int64_t wanted) -> int64_t {
    return std::min<int64_t>(orOne(left), llvm::PowerOf2Ceil(wanted));
  };
  int64_t columns =
      schedule.columnsPerBlock ? schedule.columnsPerBlock : facts.features;
  int64_t vector = schedule.vector ? schedule.vector : facts.widestVector;
  int64_t warp = facts.limits.lanes;
  int64_t given = orOne(schedule.headLanes) * orOne(schedule.elementLanes);
  int64_t vectors = llvm::divideCeil(columns, vector);
  int64_t ofRow = warp;
  if (facts.isDotOfTeams())
    ofRow = std::min(warp, lanesOfDot(facts.headsOfBlock(schedule) * vectors));
  if (!schedule.lanes) {
    schedule.lanes = within(ofRow / given, vectors);
    // A tile of columns is whole vectors of all lanes.
    while (columns < facts.features && schedule.lanes > 1 &&
           columns % (schedule.lanes * vector))
      schedule.lanes /= 2;
  }
  if (!schedule.headLanes)
    schedule.headLanes =
        within(ofRow / (schedule.lanes * orOne(schedule.elementLanes)),
               facts.headsOfBlock(schedule));
  int64_t left = warp / (schedule.lanes * schedule.headLanes);
  if (!schedule.elementLanes && schedule.rowWalk == RowWalk::ByEdges)
    schedule.elementLanes = 1;
  if (schedule.elementLanes)
    return;
  int64_t wanted = facts.shufflesInsideElements
                       ? left
                       : std::min(left, lanesOfElements(schedule, facts));
  // A block has room for the rows that are given.
  int64_t room = facts.limits.threads / (orOne(schedule.rowsPerBlock) *
                                         schedule.lanes * schedule.headLanes);
  schedule.elementLanes =
      std::min<int64_t>(wanted, orOne(llvm::bit_floor<uint64_t>(room)));
}

/// Blocks of `blockThreads` that a multiprocessor has room for: where ptxas
/// would take more registers for numbers of elements than such blocks leave it,
/// or, told nothing, saves some by loads behind the first products. The more
/// rows are under way, the more of them would be spilled.
static int64_t countUsualBlocks(const TraverseFacts &facts,
                                const TraverseLayout &layout) {
  int64_t rows = 0, held = 0;
  for (Level level : llvm::concat<const Level>(facts.sums, facts.rowValues))
    held += layout.countHeld(level);
  for (Level level : facts.elementLoads)
    if (level.feature) {
      ++rows;
      held += layout.inFlight * layout.countHeld(level);
    }
  if (held > manyHeld)
    return 0;
  // Narrower dots need more warps.
  bool isDot = facts.isDot() && layout.threadsPerRow() > 2;
  bool sumsRows =
      facts.shufflesInsideElements && !facts.sums.empty() && rows == 1;
  if (facts.weighsElements || isDot)
    return held <= fewHeld ? 4 : 3;
  return sumsRows ? 3 : 0;
}

/// As many blocks of a walk by edges as leave lanes the same registers: fewer
/// where they are larger, more where they are smaller, and no more than the
/// target has at work at once.
static int64_t chooseProcessorBlocks(const TraverseSchedule &schedule,
                                     const TraverseFacts &facts) {
  TraverseLayout layout = layOut(schedule, facts);
  int64_t threads = layout.threads();
  int64_t blocks = countUsualBlocks(facts, layout) * blockThreads / threads;
  if (int64_t most = facts.limits.processorBlocks)
    blocks = std::min(blocks, most);
  if (int64_t most = facts.limits.processorThreads)
    blocks = std::min(blocks, most / threads);
  return blocks;
}

/// Waves in which a walk by edges with so many elements in flight runs; 0 where
/// the target or the number of elements is not known.
static double countEdgeWaves(TraverseSchedule schedule,
                             const TraverseFacts &facts, int64_t inFlight) {
  if (!facts.limits.registers || !facts.limits.processorThreads ||
      !facts.processors)
    return 0;
  schedule.inFlight = inFlight;
  chooseRows(schedule, facts);
  TraverseLayout layout = layOut(schedule, facts);
  // ptxas takes fewer than the estimate, which is there to refuse schedules.
  BlockRegisters registers(layout.registers - layout.registers / 16,
                           RegisterFields(schedule), facts.limits,
                           layout.threads());
  int64_t atOnce = std::min(std::max(facts.limits.registers / registers.ofBlock,
                                     schedule.processorBlocks),
                            facts.limits.processorThreads / layout.threads());
  // Tiles of columns are launches of their own where features are reduced.
  int64_t tiles = facts.reducesFeatures ? 1 : layout.columnTiles;
  double blocks = std::ceil(facts.numElements / TeamShare::elements /
                            static_cast<double>(layout.rowsPerBlock)) *
                  static_cast<double>(tiles);
  return blocks / (facts.processors * static_cast<double>(orOne(atOnce)));
}

/// The most elements in flight, of `usual` or fewer, with which all blocks are
/// at work at once, if there are such: few blocks would be left for a second
/// wave, which takes as long as the first.
static InFlight fitOneWave(const TraverseSchedule &schedule,
                           const TraverseFacts &facts, InFlight usual) {
  if (countEdgeWaves(schedule, facts, usual.count) <= 1)
    return usual;
  for (int64_t count = usual.count / 2;
       count * orOne(schedule.vector) >= leastOfLane; count /= 2)
    if (countEdgeWaves(schedule, facts, count) <= 1)
      return {count, "more would leave blocks for a second wave"};
  return usual;
}

/// Those of a walk of many waves.
static InFlight usualInFlight(const TraverseSchedule &schedule,
                              const TraverseFacts &facts) {
  if (facts.shufflesInsideElements)
    return {reducedInFlight, "features of elements are reduced"};
  if (facts.weighsElements)
    return {reducedInFlight, "scores weigh elements"};
  int64_t threads = layOut(schedule, facts).threadsPerRow();
  if (facts.findsIndices)
    return {threads == 1 ? narrowInFlight : reducedInFlight,
            "extremes have the index of their element"};
  if (facts.streams > 1)
    return {edgesInFlight, "several streams are read"};
  // Where rows end, a mean takes registers that two vectors leave it not.
  bool isMany = threads <= narrowLanes && (!facts.needsSizes || threads == 1);
  if (facts.rowsFrom == RowsFrom::Memory && facts.holdsOneRow() &&
      !facts.needsSizes && threads <= missedLanes)
    return {missedInFlight, "most rows come from memory"};
  if (facts.loadsNumbersInOrder) {
    int64_t most = facts.rowsFrom == RowsFrom::L2 ? cachedLanes : narrowLanes;
    return {isMany            ? narrowInFlight
            : threads <= most ? edgesInFlight
                              : reducedInFlight,
            "numbers beside rows lie in order"};
  }
  if (facts.isPlainSum())
    return {isMany ? narrowInFlight : edgesInFlight, "the sum is plain"};
  return {edgesInFlight, "several sums or other numbers are held"};
}

InFlight gnn::tile::chooseEdgesInFlight(const TraverseSchedule &schedule,
                                        const TraverseFacts &facts) {
  return fitOneWave(schedule, facts, usualInFlight(schedule, facts));
}

std::string gnn::tile::explainBlocked(const TraverseSchedule &schedule,
                                      const TraverseFacts &facts) {
  if (facts.needsGroups)
    return "rows have results";
  int64_t lanes = layOut(schedule, facts).threadsPerRow();
  bool isShort =
      facts.isDot() && facts.meanLength > 0 && facts.meanLength <= mostOfShort;
  if (lanes > cyclicLanes && !isShort)
    return (Twine(lanes) + " lanes have a row").str();
  return facts.mayTakeTurns ? "" : "it is turned off";
}

void gnn::tile::chooseRows(TraverseSchedule &schedule,
                           const TraverseFacts &facts) {
  bool byEdges = schedule.rowWalk == RowWalk::ByEdges;
  if (!schedule.inFlight && byEdges)
    schedule.inFlight = chooseEdgesInFlight(schedule, facts).count;
  if (!schedule.distribution && byEdges && !facts.needsGroups)
    schedule.distribution = explainBlocked(schedule, facts).empty()
                                ? ElementDistribution::Cyclic
                                : ElementDistribution::Blocked;
  if (!schedule.inFlight)
    schedule.inFlight = elementsAtOnce(schedule, facts);
  if (!schedule.rowsPerBlock) {
    int64_t threads =
        std::min(chooseThreads(schedule, facts), facts.limits.threads);
    if (schedule.processorBlocks && facts.limits.processorThreads)
      threads = std::min(threads, facts.limits.processorThreads /
                                      schedule.processorBlocks);
    schedule.rowsPerBlock = orOne(llvm::bit_floor<uint64_t>(
        threads / layOut(schedule, facts).threadsPerRow()));
    // Wide rows, which teams hand over, and windows may leave room for fewer.
    auto countBytes = [&] {
      TraverseLayout layout = layOut(schedule, facts);
      return byEdges || schedule.window
                 ? layout.sharedBytes + layout.windowBytes
                 : 0;
    };
    while (schedule.rowsPerBlock > 1 && countBytes() > facts.limits.sharedBytes)
      schedule.rowsPerBlock /= 2;
  }
  if (!schedule.processorBlocks && byEdges && !schedule.maxRegisters)
    schedule.processorBlocks = chooseProcessorBlocks(schedule, facts);
}

StringRef gnn::tile::chooseSplitRows(TraverseSchedule &schedule,
                                     const TraverseFacts &facts) {
  if (schedule.splitRows)
    return "the schedule gives this length";
  if (facts.longLength) {
    schedule.splitRows = facts.longLength;
    return "longer rows are split into pieces of this length";
  }
  int64_t round = orOne(schedule.elementLanes) * orOne(schedule.inFlight);
  int64_t rounds = longRounds;
  bool decidesLongest =
      orOne(schedule.rowsPerBlock) <= mostRowsOfFew &&
      areFew(schedule, facts, layOut(schedule, facts).threadsPerRow(),
             blocksAtOnce);
  if (decidesLongest)
    rounds = std::clamp<int64_t>(
        llvm::divideCeil(static_cast<int64_t>(meansOfLong * facts.meanLength),
                         round),
        facts.shufflesInsideElements ? longRoundsOfReduced : longRoundsOfFew,
        longRounds);
  schedule.splitRows = rounds * round;
  return decidesLongest ? "rows are so few that the longest one decides"
                        : "a single team takes 32 rounds for this length";
}

RowWalkRounds gnn::tile::countRowWalkRounds(const TraverseSchedule &schedule,
                                            const TraverseFacts &facts) {
  TraverseSchedule byLength = schedule;
  chooseSplitRows(byLength, facts);
  TraverseLayout layout = layOut(schedule, facts);
  double longest = facts.longestLength;
  auto divide = [](double elements, int64_t lanes, int64_t inFlight) {
    return std::ceil(elements / static_cast<double>(lanes * inFlight));
  };
  int64_t lanes = layout.elementLanes;
  int64_t lanesOfBlock = lanes * layout.rowsPerBlock;
  auto split = static_cast<double>(byLength.splitRows);
  RowWalkRounds rounds;
  rounds.ofTeam = divide(std::min(longest, split), lanes, layout.inFlight);
  if (longest > split)
    rounds.ofTeam += divide(longest, lanesOfBlock, layout.longInFlight());
  // The more registers lanes take, the fewer blocks are at work.
  double blocks = std::clamp<double>(facts.limits.registers /
                                         (layout.registers * layout.threads()),
                                     1, blocksAtOnce);
  rounds.waves = countWaves(schedule, facts, layout.threads(), blocks);
  rounds.ofBlock =
      joinRounds +
      (facts.findsIndices ? waitRoundsOfIndices : waitRounds) * rounds.waves +
      std::max(1.0, rounds.waves) *
          divide(longest, lanesOfBlock, layout.inFlight);
  return rounds;
}

bool gnn::tile::areWalkedByBlocks(const TraverseSchedule &schedule,
                                  const TraverseFacts &facts) {
  if (!facts.meanLength || facts.longLength)
    return false;
  RowWalkRounds rounds = countRowWalkRounds(schedule, facts);
  return rounds.waves <= mostWaves && rounds.ofBlock < rounds.ofTeam;
}

RowWalk gnn::tile::chooseRowWalk(const TraverseSchedule &schedule,
                                 const TraverseFacts &facts) {
  if (schedule.splitRows)
    return RowWalk::ByLength;
  if (schedule.rowsPerTeam > 1)
    return RowWalk::Team;
  // Both take more shared memory, and a window that is given is whole steps of
  // its team, not of the block.
  auto isHonoured = [&](RowWalk walk) {
    TraverseSchedule walked = schedule;
    walked.rowWalk = walk;
    TraverseLayout layout = layOut(walked, facts);
    return layout.sharesRows && explainRefusal(walked, facts, layout).empty();
  };
  if (!layOut(schedule, facts).sharesRows)
    return RowWalk::Team;
  if (!facts.groups.isKind(RowKind::Node) &&
      !facts.groups.isKind(RowKind::Pair))
    return RowWalk::Block;
  if (areWalkedByBlocks(schedule, facts) && isHonoured(RowWalk::Block))
    return RowWalk::Block;
  return isHonoured(RowWalk::ByLength) ? RowWalk::ByLength : RowWalk::Team;
}

int64_t TraverseLayout::longInFlight() const {
  return std::max(inFlight, elementsInFlight);
}
