//===- TraverseLayout.h - Which thread does what ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout of a traversal over lanes, warps and blocks, as it follows from
// the op and its schedule alone. The passes that choose schedules, the lowering
// and costs share these functions.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_TILE_IR_TRAVERSELAYOUT_H
#define GNN_DIALECT_TILE_IR_TRAVERSELAYOUT_H

#include "GNN/Dialect/GNN/IR/TargetFields.h"
#include "GNN/Dialect/Tile/IR/Tile.h"

namespace gnn::tile {

/// The memory from which most gathered rows come. `Unknown`: there are no
/// statistics. `L2`: it holds all of them. `Near`: it holds those near the last
/// ones, as most are. `Memory`: the L2 holds neither.
enum class RowsFrom { Unknown, L2, Near, Memory };

/// Facts of the op that affect its schedule.
struct TraverseFacts {
  explicit TraverseFacts(TraverseOp op);
  /// The facts of a traversal of elements that is not built yet, with aligned
  /// rows.
  TraverseFacts(int64_t heads, int64_t features, bool shufflesInsideElements);

  /// The limits of a block on the target of its module.
  TargetLimits limits = TargetLimits::ofGPU();
  RowDomain groups;
  int64_t heads = 1;
  int64_t features = 1; ///< of a head
  bool hasElements = false;
  /// The body reduces over elements or has results for them: a lane that only
  /// needs the size of a group walks none.
  bool walksElements = false;
  /// Elements above which a group is combined from parts; 0: none is.
  int64_t longLength = 0;
  /// The mean number of elements of a group, those of all groups, and
  /// multiprocessors of the target; 0: unknown.
  double meanLength = 0, numElements = 0, processors = 0;
  /// Elements of the longest group, or the mean if statistics have no longer
  /// one; 0 without statistics.
  double longestLength = 0;
  /// The number of groups if there are so few that several blocks share one:
  /// those of sums over the rows of weights, over types, and over tiles; else
  /// 0.
  int64_t fewGroups = 0;
  /// The body reduces over features, or over heads.
  bool reducesFeatures = false, reducesHeads = false;
  /// It does so while elements are walked: lanes of a row then work in step.
  bool shufflesInsideElements = false;
  /// Powers of scores weigh elements, one number each beside their rows.
  bool weighsElements = false;
  /// Whether it states which element an extreme belongs to.
  bool findsIndices = false;
  /// Floats are added up over elements, or folded, in a type whose roundings
  /// matter for many elements.
  bool addsFloats = false;
  /// The reason why its elements cannot be walked independently of groups;
  /// empty if they can.
  std::string byEdgesRefusal;
  /// The reason why teams cannot add their parts of its rows atomically; empty
  /// if they can.
  std::string atomicRefusal;
  /// Whether a walk by edges needs the begin and end of groups.
  bool needsGroups = false;
  /// Whether a result depends on the number of elements of a group.
  bool needsSizes = false;
  /// Streams whose words it reads.
  int64_t streams = 1;
  /// Whether teams of walks by edges may take turns by default.
  bool mayTakeTurns = true;
  /// The reason why no row can be found by a search of row pointers; empty if
  /// one can.
  std::string searchRefusal;
  /// The reason why a team does not take several groups; empty if it may.
  std::string mergeRefusal;
  /// The same for columns in tiles, if features are reduced, and for heads.
  std::string columnTilesRefusal, headTilesRefusal;
  /// The widest vector for which every row of every operand is aligned, on a
  /// GPU and on a CPU.
  int64_t widestVector = 1, widestOfCPU = 1;
  /// The values of each element that a window may stage: the rows to which it
  /// leads, and its numbers.
  int64_t windowValues = 0;
  /// The levels of the values that are accumulated while elements are walked,
  /// that are loaded for each element, and that are held for the row.
  llvm::SmallVector<Level> sums, elementLoads, rowValues;

  /// Whether elements have numbers beside rows, and such numbers in the order
  /// of the walk. A row has features, or, if nothing has, a map leads to it.
  bool loadsNumbers = false, loadsNumbersInOrder = false;
  /// The memory from which most gathered rows come.
  RowsFrom rowsFrom = RowsFrom::Unknown;
  /// Whether groups without elements, such as edges, lead to rows of features.
  bool gathersForGroups = false;

  /// Whether rows of elements are reduced to numbers, and groups have no sums.
  bool isDot() const { return reducesFeatures && sums.empty(); }
  /// Whether a team has one element of a dot, and ends with it.
  bool isDotOfTeams() const { return isDot() && gathersForGroups; }
  /// Whether lanes of a walk by edges hold one row of a group, an element has
  /// another, and also numbers in its order or the index of an extreme.
  bool holdsOneRow() const {
    return (sums.size() == 1 || findsIndices) && streams == 1 &&
           loadsNumbers == loadsNumbersInOrder && !shufflesInsideElements &&
           !weighsElements;
  }
  /// Whether lanes of a walk by edges hold one sum of rows, and little else.
  bool isPlainSum() const {
    return sums.size() == 1 && streams == 1 && !loadsNumbers &&
           !shufflesInsideElements;
  }

  /// Heads of a row that a block takes.
  int64_t headsOfBlock(const TraverseSchedule &schedule) const {
    return schedule.headsPerBlock ? std::min(schedule.headsPerBlock, heads)
                                  : heads;
  }

  /// Vectors of one row that a lane may process, including its heads: each is a
  /// copy of the body, and held until all have arrived if lanes reduce.
  int64_t mostVectors() const {
    return reducesFeatures || reducesHeads ? 256 : 1024;
  }
  /// The same for one lane: larger rows are loops of scalars.
  static constexpr int64_t mostVectorsOfOneLane = 64;

private:
  void findNumbers(TraverseOp op);
};

/// The least number of columns of a tile, of all its heads: fewer of an f32 row
/// are less than a cache line.
inline constexpr int64_t narrowestTile = 32;

/// Lanes of a row: features fastest, then heads, then elements.
struct TraverseLayout {
  int64_t vector = 1;       ///< features a lane holds side by side
  int64_t featureLanes = 1; ///< lanes over the features of a head
  int64_t headLanes = 1;    ///< lanes over heads
  int64_t elementLanes = 1; ///< lanes over the elements of a row
  int64_t chunks = 1;       ///< vectors a lane holds for one head
  int64_t headChunks = 1;   ///< heads a lane holds
  int64_t columnTiles = 1;  ///< column ranges of `chunks` vectors: grid.y, or
                            ///< launches where features are reduced
  int64_t headTiles = 1;    ///< launches, each of `headChunks` heads a lane
  int64_t inFlight = 1;     ///< elements whose loads are issued together
  int64_t rowsPerBlock = 1; ///< groups a block takes, or teams of several
  int64_t rowsPerTeam = 1;  ///< groups that a team takes together
  TakenOrder rowOrder = TakenOrder::Natural;
  RowWalk rowWalk = RowWalk::Team;
  bool addsAtomically = false; ///< teams of a walk by edges their parts of rows
  int64_t splitRows = 0;  ///< elements above which `ByLength` takes the block
  int64_t runs = 0;       ///< elements that a lane adds at once; 0: all
  int64_t window = 0;     ///< elements that a team stages; 0: none
  bool isOneLane = false; ///< which takes the rows of a block in turn
  int64_t warp = 1;       ///< lanes that run in step
  /// Whether the teams of a block can walk a row together, and the shared
  /// memory for this.
  bool sharesRows = false;
  int64_t sharedBytes = 0;
  /// The bytes of windows in addition.
  int64_t windowBytes = 0;
  /// An estimate of a thread's registers: ptxas decides.
  int64_t registers = 0;

  int64_t threadsPerRow() const {
    return featureLanes * headLanes * elementLanes;
  }
  int64_t threads() const {
    return isOneLane ? 1 : threadsPerRow() * rowsPerBlock;
  }
  int64_t rowsPerWarp() const { return warp / threadsPerRow(); }
  int64_t warps() const { return threads() / warp; }
  double warpsPerRow() const {
    return static_cast<double>(threadsPerRow()) / static_cast<double>(warp);
  }
  /// `inFlight` if a block walks the rows that `ByLength` leaves it, which are
  /// always long.
  int64_t longInFlight() const;

  /// Parts of a row, one of each share, that a block of a walk by edges adds
  /// plainly: sums of equal values are then off by 6.8e-7, those of 32 parts by
  /// 8.5e-7 and of 128 by 1.5e-6, in addition to the error of pieces.
  static constexpr int64_t plainShares = 16;
  /// Whether such a block adds them with compensation, if `runs` requests it.
  bool addsSharesInParts() const { return runs && rowsPerBlock > plainShares; }

  /// Runs of a lane below which compensation does not pay; for a row on a GPU,
  /// where registers matter, as many as keep the error at that of a few hundred
  /// roundings.
  static constexpr int64_t plainRuns = 2, plainRunsOfRow = 8;
  /// The maximum number of elements of a row that a lane has if its team walks
  /// it, because the block walks longer ones; 0: no limit.
  int64_t mostOfTeam() const;
  /// The runs of a walk in which a lane has at most this number of elements.
  int64_t runsOf(int64_t most) const {
    return most && most <= plainRunsOfRow * runs ? 0 : runs;
  }

  /// Vectors of a row that a lane processes, including its heads.
  int64_t vectorsOfLane() const { return chunks * headChunks; }
  /// The number of values that a lane holds for one at `level`.
  int64_t partCount(Level level) const {
    return (level.head ? headChunks : 1) * (level.feature ? chunks : 1);
  }
  /// The registers that a lane needs for a value at `level`.
  int64_t countHeld(Level level) const {
    return partCount(level) * (level.feature ? vector : 1);
  }
};

/// A field of a schedule, or 1 if it is open.
inline int64_t orOne(int64_t field) { return std::max<int64_t>(field, 1); }

/// The layout of the set fields of `schedule`, if the op can honour them.
TraverseLayout layOut(const TraverseSchedule &schedule,
                      const TraverseFacts &facts);

/// The structure by which blocks take groups in an order, with the group for
/// each position; none for memory order.
std::optional<StructureKey> getOrderKey(RowDomain groups, TakenOrder order);

/// Empty if an op of these facts can honour the set fields of `schedule`, whose
/// layout is given; else the field and the reason.
std::string explainRefusal(const TraverseSchedule &schedule,
                           const TraverseFacts &facts,
                           const TraverseLayout &layout);

/// These functions fill open fields with the defaults of traversals; costs of
/// ops that become traversals use them too. First come the vectors of a row,
/// then the columns of a block, then lanes, then elements in flight and rows of
/// a block, then the elements above which a row is long.
///
/// A vector is the widest one; for walks by edges whose elements are known to
/// be few, one with which rows have more lanes: all fit at once.
void chooseVector(TraverseSchedule &schedule, const TraverseFacts &facts);
/// The columns of a block if fewer gain nothing, for a schedule that has a
/// vector: all of a row, or those that its lanes process.
void chooseColumns(TraverseSchedule &schedule, const TraverseFacts &facts);
void chooseLanes(TraverseSchedule &schedule, const TraverseFacts &facts);
void chooseRows(TraverseSchedule &schedule, const TraverseFacts &facts);
/// This one also gives the reason.
llvm::StringRef chooseSplitRows(TraverseSchedule &schedule,
                                const TraverseFacts &facts);

/// Consecutive rounds of a team for the longest group: if each group has a team
/// and long ones a block (`by_length`), and if each group has a block,
/// including its waits. The schedule has lanes and rows.
struct RowWalkRounds {
  double ofTeam = 0, ofBlock = 0;
  double waves = 0; ///< of blocks, a group each
};
RowWalkRounds countRowWalkRounds(const TraverseSchedule &schedule,
                                 const TraverseFacts &facts);
/// Whether groups are so few, and so long, that one block each walks them in
/// less time than one team each.
bool areWalkedByBlocks(const TraverseSchedule &schedule,
                       const TraverseFacts &facts);
/// Who walks groups of nodes, pairs or types, for a schedule with lanes and
/// rows.
RowWalk chooseRowWalk(const TraverseSchedule &schedule,
                      const TraverseFacts &facts);

/// Elements that a team of a walk by edges loads at once, and the reason.
struct InFlight {
  int64_t count;
  llvm::StringRef why;
};
InFlight chooseEdgesInFlight(const TraverseSchedule &schedule,
                             const TraverseFacts &facts);

/// The most lanes of a team for which teams take turns if they may. The more
/// teams share a warp, the more often one of them meets the end of a row. Dots
/// of 8, 16 and 32 features of products on an H200: 0.99, 1.27 and 2.05 ms
/// instead of 1.89, 1.49 and 2.05; of reddit 0.89, 0.91 and 1.78 instead of
/// 1.66, 1.19 and 1.63.
inline constexpr int64_t cyclicLanes = 4;

/// The reason why teams of a walk by edges do not take turns by default; empty
/// if they do.
std::string explainBlocked(const TraverseSchedule &schedule,
                           const TraverseFacts &facts);

/// The elements of the groups that teams take together by the schedule, merged
/// by the rows of features to which they lead; none if a team has one group.
std::optional<StructureKey> getMergedKey(TraverseOp op);

/// The reason why teams cannot take several groups together; empty if they can.
std::string explainMerge(TraverseOp op);

/// The reason why the elements of all groups cannot be walked one after the
/// other (`RowWalk::ByEdges`); empty if they can.
std::string explainByEdges(TraverseOp op);

/// The row pointers that are searched for the row of an access, if the schedule
/// requests it: the access leads from rows without elements to their groups, in
/// which they are adjacent.
std::optional<StructureKey> getSearchedKey(TraverseOp op, AtAttr at);

/// The reason why there is no such access; empty if there is one.
std::string explainSearch(TraverseOp op);

/// The reason why teams cannot add their parts of a group to its rows, by
/// atomics in any order; empty if they can.
std::string explainAtomic(TraverseOp op);

/// Whether a value of the body belongs to its group, or is computed from such
/// values.
bool isOfGroup(TraverseOp op, mlir::Value value);

/// Whether `op` of a body is a reduction that a walk over elements computes.
bool reducesElements(mlir::Operation *op);
/// Whether it adds up floats over elements, or may: in a type whose roundings
/// matter for many elements.
bool addsUp(mlir::Operation &op);

/// The layout of the set fields of the op's schedule; reports the field that
/// cannot be honoured at the op.
mlir::FailureOr<TraverseLayout> getPartialLayout(TraverseOp op);

/// The same for a complete schedule; reports a missing field.
mlir::FailureOr<TraverseLayout> getLayout(TraverseOp op);

} // namespace gnn::tile

#endif // GNN_DIALECT_TILE_IR_TRAVERSELAYOUT_H
