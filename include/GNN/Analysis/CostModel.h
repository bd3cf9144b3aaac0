//===- CostModel.h - Costs of ops and kernels -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Costs in seconds on a GPU, or in rows of products alone, from the statistics
// of a graph. Every pass that decides by cost uses this model.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_ANALYSIS_COSTMODEL_H
#define GNN_ANALYSIS_COSTMODEL_H

#include "GNN/Analysis/CostOptions.h"
#include "GNN/Analysis/RowStatistics.h"
#include "GNN/Analysis/Targets.h"
#include "GNN/Dialect/GNN/IR/GNNRowOps.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <limits>
#include <vector>

namespace gnn {
struct StructureKey;
namespace tile {
class TileOpInterface;
class TraverseOp;
struct TraverseFacts;
struct TraverseSchedule;
} // namespace tile

/// Reads of rows in another order than that of their table.
struct GatherWork {
  double rows = 0;
  double rowBytes = 0;
  /// The number of rows of the table.
  double tableRows = 0;
  /// Whether the kernel has read them before: they are then in the L2, and add
  /// no bytes.
  bool isAgain = false;
  /// Whether they are written.
  bool isWritten = false;
  /// Whether a row has one of these for each head or for each feature.
  bool hasHeads = false, hasFeatures = false;
  /// The operand that is read, if it is one.
  mlir::Value table = nullptr;
  /// Ranges of the table that are read one after another.
  double ranges = 1;
  /// Shares of rows that are read near earlier ones, each with the number of
  /// rows within this distance.
  struct Near {
    double rows, share;
  };
  llvm::SmallVector<Near, 0> near = {};
  /// How unequal the numbers of reads of the rows are: their variance divided
  /// by the square of their mean.
  double skew = 0;
};

/// Rounds of the slowest block, one after another.
struct LongestRounds {
  double alone = 0;    ///< while each team walks its own row
  double together = 0; ///< while all teams walk long rows
};

/// Walks over the edges of rows, by teams of lanes.
struct WalkWork {
  double walks = 0; ///< one after another
  double rows = 0;
  double edges = 0;
  double longest = 0; ///< edges of one row
  /// Edges of a row that its team takes in one round.
  double edgesPerRound = 1;
  /// The same for each team if all teams of a block walk a row.
  double edgesPerLongRound = 1;
  /// The number of edges above which all teams of a block walk a row, after
  /// each has walked its own.
  double splitEdges = 1;
  double teams = 1; ///< of a block, a row each
  /// Whether all teams of a block walk each row.
  bool isByBlocks = false;
  /// Parts that all teams of a block combine instead of the edges of the
  /// longest row; 0: the row is walked.
  double parts = 0;
  double warps = 1; ///< of a team
  /// Whether the walk is that of a traversal, whose schedule is known.
  bool isScheduled = false;
  /// The number of times that a round waits for its operands.
  double waits = 1;
  /// Bytes of the largest table of first gathers, for each walk that has one.
  llvm::SmallVector<double, 2> tables;
  /// Bytes of each row that an edge gathers for one block.
  llvm::SmallVector<double, 2> edgeBytes;
  /// Whether teams take equal shares of the edges.
  bool isByEdges = false;
  /// The slots of warps for the issue of all instructions, and the elements of
  /// a lane whose rows are requested at once.
  double slots = 0, inFlight = 1;

  /// Rows that teams begin: each its own, or all teams of a block one together.
  double countTeamRows() const { return isByBlocks ? rows * teams : rows; }
  /// Rounds of all teams.
  double getRounds() const {
    return walks * (countTeamRows() + edges / edgesPerRound);
  }
  /// The rounds of one walk.
  LongestRounds getLongestRounds() const;
};

/// One kernel as the cost model sees it.
struct KernelWork {
  /// Rows of a product with weights, and its flops.
  double productRows = 0;
  double productFlops = 0;
  /// The same with full tiles (`tileFlops`), which determine the time.
  double productTileFlops = 0;
  double otherFlops = 0;
  /// Bytes read or written once, in order, including ids of gathered rows.
  double streamBytes = 0;
  llvm::SmallVector<GatherWork, 1> gathers;
  /// Rows into which a walk of edges or pairs reduces, and the steps of the
  /// longest of them (`CostModel::steps` of each edge).
  double reducedRows = 0;
  double longestRow = 0;
  /// The lengths of these rows if long ones may become pieces in a separate
  /// kernel (gnn-tile-split-long-rows); empty if they stay whole.
  RowLengths lengths;
  /// Walks that an op states itself, instead of a longest row.
  llvm::SmallVector<WalkWork, 0> walks;
  /// The ratio of the active warps of other kernels, whose lanes hold fewer
  /// registers, to those of this one. Rows and rounds take this factor
  /// longer; gathers, of which a lane has several in flight, take its
  /// square root longer.
  double crowding = 1;

  /// Whether there is no work, and so no kernel.
  bool isEmpty() const;
  double getFlops() const { return productFlops + otherFlops; }
  /// Bytes that are read or written, from any level of memory.
  double getBytes() const;
  /// The bytes that are gathered for the first time.
  double getGatheredBytes() const;

  /// Adds the work of another op in the same kernel, on the same rows. Kernels
  /// that run one after another are weighed separately instead.
  KernelWork &operator+=(const KernelWork &other);
  /// The same for `factor` times as many rows, without a change of the longest.
  KernelWork &operator*=(double factor);
};

/// The work of a kernel that an op describes, on a target with these figures.
KernelWork describeKernel(const KernelCounts &kernel, StatsAttr stats,
                          const TargetFigures &figures);

/// The work of each kernel of `op` on a graph with `stats`, in order of
/// execution: the kernels that the op describes, else one. For the latter, an
/// operand at the end of a path is gathered; an op that reduces gathers its
/// operand, except edges into their destinations, because edge rows are in
/// their order.
std::vector<KernelWork> describeKernels(mlir::Operation *op, StatsAttr stats);

/// The same for an op that reads through the gathers that compute its operands.
/// An op that describes its kernels includes their gathers.
std::vector<KernelWork> describeGathering(mlir::Operation *op, StatsAttr stats);

/// The gather of elements of a walk that read a row of `to` each, `rows` in
/// all.
GatherWork describeGather(tile::RowDomain to, double rows, double rowBytes,
                          StatsAttr stats);

/// The number of consecutive ranges of the nodes of `to` from which the
/// elements `from` of `op` gather: the number of shards, else 1.
double countRanges(tile::TraverseOp op, tile::RowDomain from,
                   tile::RowDomain to);

/// The facts that determine the schedule of a traversal: its op, its target
/// and, with statistics, the numbers of elements of its groups.
tile::TraverseFacts getScheduleFacts(tile::TraverseOp op, StatsAttr stats);
/// The same by the statistics of its graph.
tile::TraverseFacts getScheduleFacts(tile::TraverseOp op);

/// The work of a traversal on a graph with `stats`. It gathers operands in
/// another order than its rows, and has the walks of its schedule, or of the
/// schedule that it would get.
KernelWork describeTraversal(tile::TraverseOp op, StatsAttr stats);

/// Whether groups of a traversal may be long: nodes or pairs, some of which may
/// have far more elements than others, over which it reduces.
bool mayHaveLongRows(tile::TraverseOp op);

/// The work of a traversal whose groups of more than `length` elements are
/// combined from parts: the work of the parts, and of the rest.
struct LongRowsWork {
  KernelWork parts, rest;
};
LongRowsWork describeLongRows(tile::TraverseOp op, int64_t length,
                              StatsAttr stats);

/// Reduces the work of a kernel to that of the kernel that walks the pieces of
/// rows of more than `length` elements, or of the kernel that combines their
/// results.
void takeShare(KernelWork &work, const RowLengths &lengths, double length,
               bool ofPieces);
/// The same for the kernel that reads these tiles of long groups
/// (`long_tiles`), or their results (`long_tile_rows`).
void takeShare(KernelWork &work, const StructureKey &tiles, StatsAttr stats);

/// The largest number of rows that lead to one row at the end of `path`; 0 if
/// unknown.
double getLongestRow(RowPath path, StatsAttr stats);

/// The flops that determine the time of a product of `rows` with a weight `[in,
/// out]`: a tile is 32 columns wide, and fewer than 48 inputs wait for its
/// rows.
double tileFlops(double rows, int64_t in, int64_t out);

/// The counts of an op that runs alone.
struct OpCounts {
  RowCount flops, readBytes, writtenBytes, productRows;
};

/// The counts of an op with `RowCostInterface`, or of elementwise arithmetic on
/// tensors of rows; none for others.
std::optional<OpCounts> countOp(mlir::Operation *op);

/// The choice for long rows.
struct PiecesChoice {
  /// Elements of a piece; 0: rows stay whole.
  int64_t length = 0;
  double whole = 0;
  double pieces = std::numeric_limits<double>::infinity(); ///< at the least

  double getCost() const { return length ? pieces : whole; }
};

/// The cost of passes with the option `long-rows`: 0 leaves rows whole.
inline CostKind getCostKind(int64_t longRows) {
  return longRows ? CostKind::Full : CostKind::WholeRows;
}

/// Compares kernels by cost.
class CostModel {
public:
  CostModel(const TargetFigures &figures, CostKind kind)
      : figures(figures), kind(kind) {}

  /// The model for the target of the module around `op`. If its blocks do not
  /// share long rows, these stay whole.
  CostModel(mlir::Operation *op, CostKind kind);

  /// Seconds or rows of one kernel, including its launch. By `CostKind::Full`,
  /// those of both kernels if long rows become pieces.
  ///
  /// A kernel gathers, and multiplies while it reads and writes in order:
  /// `launch + max(rows + rounds + gathers + max(flops, stream), longest row)`.
  /// The first read of a row comes from memory; later reads come from the L2
  /// with the probability that the row is there (`shareInL2`).
  /// Gathers and instructions of walks by edges overlap:
  /// `launch + norm(gathers, slots) + scattered + streams`.
  double cost(const KernelWork &kernel) const;

  /// Decides whether rows, the longest of which has `longest` elements, become
  /// pieces. A kernel costs `whole` without pieces, and `costOf` gives the cost
  /// of both kernels for a length: the best length must take less by a share,
  /// and by a part of a launch.
  PiecesChoice choosePieces(double whole, double longest,
                            llvm::function_ref<double(int64_t)> costOf) const;

  /// The elements of a row of `longest` that are walked one after another:
  /// those of a piece if it becomes pieces, or if nothing waits for it.
  double countSerialElements(double longest) const;

  /// The number of steps of an edge of a row that reads this number of tensors.
  static double steps(unsigned reads);

  /// The cost of kernels that run one after another.
  double cost(llvm::ArrayRef<KernelWork> kernels) const;

  /// The fixed cost of a kernel.
  double getLaunch() const { return isTime() ? figures.launchSeconds : 0; }

  /// The cost of a part of the work of a kernel that costs `whole`.
  double costOfShare(double whole, double share) const {
    return getLaunch() + (whole - getLaunch()) * share;
  }

  /// The relative difference below which the model does not distinguish times.
  static constexpr double margin = 0.05;

  /// Whether a cost of `then` justifies a change from a cost of `now`: fewer
  /// rows, or a time that is shorter by more than the margin.
  bool isBetter(double now, double then) const {
    return then < (isTime() ? 1 - margin : 1) * now;
  }

  /// The end of a refusal of a change that is not better: it "would be slower"
  /// or "would save too little".
  static llvm::StringRef explainLoss(double now, double then) {
    return then <= now ? "would save too little" : "would be slower";
  }

  /// Whether a time is also shorter by this number of launches: the model is
  /// less precise for kernels that take a few launches (docs/Cost.md).
  bool isBetterByLaunches(double now, double then, double launches) const {
    return isTime() && isBetter(now, then) &&
           now - then >= launches * getLaunch();
  }

  /// A cost in the text of remarks: "12.00 us", or "5 rows of products" if only
  /// rows count.
  std::string textOf(double cost) const;

  CostKind getKind() const { return kind; }
  /// Whether costs are seconds.
  bool isTime() const { return kind != CostKind::Rows; }
  const TargetFigures &getFigures() const { return figures; }

  /// The share of tables of this size that the L2 holds, for rows that are read
  /// in random order: nearly all of a table of half its size, less of one of
  /// its own size, and its own size of a much larger one.
  double shareInL2(double tableBytes) const;

  /// Seconds to read these rows, with tables of `tableBytes` in all that share
  /// the L2; or alone.
  double gatherSeconds(const GatherWork &gather, double tableBytes) const;
  double gatherSeconds(const GatherWork &gather) const {
    return gatherSeconds(gather, gather.tableRows * gather.rowBytes);
  }

private:
  /// The share of rows that are read near earlier ones and stay in the L2,
  /// beyond that of rows in random order.
  double shareAtHand(const GatherWork &gather, double tableBytes) const;
  /// The same if the L2 holds a share of the rows that are read again, for a
  /// walk that reads longer rows besides, or not.
  double gatherAtHits(const GatherWork &gather, double tableBytes, double hit,
                      bool isBesideRows) const;
  /// Seconds for the issue of its walks' instructions: lanes continue when all
  /// rows of a batch have arrived.
  double issueSeconds(const KernelWork &kernel, llvm::ArrayRef<double> hits,
                      double tableBytes) const;
  /// Seconds of a walk by edges, whose gathers find these shares in the L2.
  double equalSharesSeconds(const KernelWork &kernel,
                            llvm::ArrayRef<double> hits,
                            double tableBytes) const;
  /// Seconds of a kernel whose rows are whole, or pieces.
  double seconds(const KernelWork &kernel) const;
  /// Seconds of the longest row of a walk, for which all others wait.
  double longestSeconds(const WalkWork &walk) const;

  TargetFigures figures;
  CostKind kind;
};

/// Decides whether long rows of a traversal, which may have some, become
/// pieces, by the work of each of its kernels.
PiecesChoice choosePieces(const CostModel &model, tile::TraverseOp op,
                          StatsAttr stats);

/// The cost of a traversal: by `CostKind::Full`, that of both traversals if its
/// long rows become pieces.
double costTraversal(const CostModel &model, tile::TraverseOp op,
                     StatsAttr stats);

/// The declaration of the graph of rows of `type`; null without rows or if no
/// module around `from` declares it.
GraphOp getGraph(mlir::Operation *from, mlir::Type type);

/// The statistics of that graph, or those of a derived graph from its parent's;
/// null if unknown.
StatsAttr getStats(mlir::Operation *from, mlir::Type type);
/// The same of the graph itself.
StatsAttr getStats(GraphOp graph);

/// The statistics of the graph of the first operand or result of `op` with
/// rows; null if unknown.
StatsAttr getStats(mlir::Operation *op);

/// The statistics of an unknown graph: edges are ten times as many as nodes,
/// and pairs lie between them.
StatsAttr getNominalStats(mlir::MLIRContext *context);

/// The reason why the model cannot weigh cuts of the rows of `op`, by `stats`;
/// empty if it can.
std::string explainCuts(tile::TraverseOp op, StatsAttr &stats);

/// The reason why the elements of `op` are not walked by edges, by a setting: 0
/// never, 1 wherever possible, -1 if it pays by the statistics of the graph,
/// with the gain in `gain`. Empty if they are. The walk, with the kernel that
/// joins its pieces and in its possible tiles, is compared with the present
/// cost of `before`: with pieces if `kind` allows cuts of long rows.
std::string explainEdges(tile::TraverseOp op, int64_t setting,
                         std::string &gain, tile::TraverseOp before,
                         CostKind kind = CostKind::Full);

/// The work of lanes for each element of a walk by edges.
struct WalkSteps {
  double operations = 0; ///< on numbers of the element
  double warps = 0;      ///< of the lanes that share it
  double results = 0;    ///< numbers of the element that are stored
  bool reducesFeatures = false;
  /// Whether the number of registers halves the number of active warps.
  bool isCrowded = false;

  /// Slots of warps for its issue; for walks by rows if elements are reduced
  /// and weighed one by one.
  double countSlots(bool byRows) const;
};

/// The steps of a walk with the vectors, lanes, columns and heads of
/// `schedule`.
WalkSteps describeSteps(tile::TraverseOp op, const tile::TraverseFacts &facts,
                        const tile::TraverseSchedule &schedule);

/// The schedule that describes a traversal as a walk by edges with this number
/// of columns and heads: other set fields stay, except that wide rows do not
/// take turns.
tile::TraverseSchedule scheduleByEdges(tile::TraverseOp op,
                                       const tile::TraverseFacts &facts,
                                       int64_t heads, int64_t columns);

/// The schedule of a walk by rows, without the fields that only walks by edges
/// have.
tile::TraverseSchedule scheduleByRows(const tile::TraverseSchedule &byEdges);

/// The schedule of the step that joins the pieces of rows that a walk by edges
/// leaves: each row by its team, or by length if the longest row is known to
/// have hundreds of pieces.
tile::TraverseSchedule scheduleJoin(tile::TraverseOp op,
                                    const tile::TraverseSchedule &byEdges,
                                    StatsAttr stats);

/// The work of a walk by edges with this number of columns and heads, without
/// the kernel that joins its pieces.
KernelWork describeByEdges(tile::TraverseOp op, StatsAttr stats, int64_t heads,
                           int64_t columns);

/// The cost of a walk by edges including the kernel that joins its pieces, in
/// the tiles that its schedule has or will have.
double costByEdges(const CostModel &model, tile::TraverseOp op,
                   StatsAttr stats);

/// The cost of a traversal with a schedule.
double costScheduled(const CostModel &model, tile::TraverseOp op,
                     StatsAttr stats);

/// The launches of a template with a schedule: one for each tile with its own
/// launch, and for a walk by edges the one that joins pieces of rows.
int64_t countLaunches(tile::TileOpInterface op);

/// The cost of a traversal that is walked by edges if `explainEdges` allows it
/// by this setting.
double costWalk(const CostModel &model, tile::TraverseOp op, int64_t edgeWalks,
                StatsAttr stats);

} // namespace gnn

#endif // GNN_ANALYSIS_COSTMODEL_H
