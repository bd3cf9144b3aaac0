//===- CostModel.h - Costs of ops and kernels -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Seconds on a GPU, or rows through products alone, from the statistics of a
// graph. Every pass that decides by cost asks here.
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
class TraverseOp;
struct TraverseFacts;
struct TraverseSchedule;
} // namespace tile

/// Rows read in an order that is not that of their table.
struct GatherWork {
  double rows = 0;
  double rowBytes = 0;
  /// Rows that there are to read.
  double tableRows = 0;
  /// Whether the kernel has read them before: they are in the L2 then, and no
  /// bytes of their own.
  bool isAgain = false;
  /// Whether they are written.
  bool isWritten = false;
  /// Whether a row has one of these for each head, for each feature.
  bool hasHeads = false, hasFeatures = false;
  /// The operand that is read, where it is one.
  mlir::Value table = nullptr;
  /// Ranges of the table that are read one after another.
  double ranges = 1;
  /// Shares of rows that are read near those before, each with the rows that
  /// are that near.
  struct Near {
    double rows, share;
  };
  llvm::SmallVector<Near, 0> near = {};
  /// How unlike the rows are in how often each is read: the variance of that by
  /// the square of its mean.
  double skew = 0;
};

/// Rounds of the block that takes most, one after another.
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
  /// The same of each team where all of a block walk a row.
  double edgesPerLongRound = 1;
  /// Above so many edges all teams of a block walk a row, when each has walked
  /// its own.
  double splitEdges = 1;
  double teams = 1; ///< of a block, a row each
  /// Whether all teams of a block walk each row.
  bool isByBlocks = false;
  /// Parts that the longest row is made of in place of its edges, by all teams
  /// of a block; 0: it is walked.
  double parts = 0;
  double warps = 1; ///< of a team
  /// Whether it is that of a traversal, whose schedule is known.
  bool isScheduled = false;
  /// Times that a round waits for what it needs to go on.
  double waits = 1;
  /// Bytes of the largest table that a walk gathers from for the first time, of
  /// each walk that does.
  llvm::SmallVector<double, 2> tables;
  /// Bytes of each row that an edge gathers for one block.
  llvm::SmallVector<double, 2> edgeBytes;
  /// Whether teams take equal shares of the edges.
  bool isByEdges = false;
  /// The slots of warps in which all of its instructions are issued, and the
  /// elements of a lane whose rows it asks for at once.
  double slots = 0, inFlight = 1;

  /// Rows that teams begin, those of a block each its own or one together.
  double countTeamRows() const { return isByBlocks ? rows * teams : rows; }
  /// Rounds of all teams.
  double getRounds() const {
    return walks * (countTeamRows() + edges / edgesPerRound);
  }
  /// Those of one walk.
  LongestRounds getLongestRounds() const;
};

/// One kernel as the cost model sees it.
struct KernelWork {
  /// Rows through a product with weights, and the flops of that.
  double productRows = 0;
  double productFlops = 0;
  /// The same where tiles are filled up (`tileFlops`), which takes the time.
  double productTileFlops = 0;
  double otherFlops = 0;
  /// Read or written once, in order; ids of gathered rows among them.
  double streamBytes = 0;
  llvm::SmallVector<GatherWork, 1> gathers;
  /// Rows that a walk of edges or pairs reduces into, and the steps of the
  /// longest of them (`CostModel::steps` of each edge).
  double reducedRows = 0;
  double longestRow = 0;
  /// The lengths of these rows where long ones may become pieces in a kernel of
  /// their own (gnn-tile-split-long-rows); no rows where they stay whole.
  RowLengths lengths;
  /// Walks that an op says itself, in place of a longest row.
  llvm::SmallVector<WalkWork, 0> walks;
  /// How many times as many warps other kernels have at work, whose lanes hold
  /// fewer registers. Rows and rounds take as much longer, gathers, of which a
  /// lane has several under way, its root.
  double crowding = 1;

  /// Whether there is nothing to do, and so no kernel.
  bool isEmpty() const;
  double getFlops() const { return productFlops + otherFlops; }
  /// Bytes that are read or written, wherever they come from.
  double getBytes() const;
  /// The bytes that are gathered for the first time.
  double getGatheredBytes() const;

  /// Adds what another op does in the same kernel, to the same rows. Kernels
  /// that run one after another are weighed one by one instead.
  KernelWork &operator+=(const KernelWork &other);
  /// The same for `factor` times as many rows, the longest of which stays as
  /// long.
  KernelWork &operator*=(double factor);
};

/// The work of a kernel of an op that says it, on a target of these figures.
KernelWork describeKernel(const KernelCounts &kernel, StatsAttr stats,
                          const TargetFigures &figures);

/// The work of each kernel of `op` on a graph with `stats`, in the order in
/// which they run: those that it says, else one. In that, an operand at the end
/// of a path is gathered; an op that reduces gathers its operand, but for edges
/// into their destinations, whose order edge rows are kept in.
std::vector<KernelWork> describeKernels(mlir::Operation *op, StatsAttr stats);

/// The same of an op that reads through the gathers that make its operands. One
/// that says its kernels says what they gather.
std::vector<KernelWork> describeGathering(mlir::Operation *op, StatsAttr stats);

/// Elements of a walk that read a row of `to` each, `rows` of them.
GatherWork describeGather(tile::RowDomain to, double rows, double rowBytes,
                          StatsAttr stats);

/// Ranges of the nodes of `to` one after another from which the elements `from`
/// of `op` gather: of shards their number, else 1.
double countRanges(tile::TraverseOp op, tile::RowDomain from,
                   tile::RowDomain to);

/// The facts by which the schedule of a traversal is chosen: what the op says,
/// what its target is and, where there are statistics, how many elements its
/// groups have.
tile::TraverseFacts getScheduleFacts(tile::TraverseOp op, StatsAttr stats);
/// The same by the statistics of its graph.
tile::TraverseFacts getScheduleFacts(tile::TraverseOp op);

/// The work of a traversal on a graph with `stats`. It gathers what lies in
/// another order than its rows and has the walks of the schedule that is chosen
/// where it has none.
KernelWork describeTraversal(tile::TraverseOp op, StatsAttr stats);

/// Whether groups of a traversal may be long: nodes or pairs, of which some may
/// have far more elements than others, and which it reduces over.
bool mayHaveLongRows(tile::TraverseOp op);

/// The work of what a traversal becomes whose groups of more than `length`
/// elements are made of parts: that of the parts, and of what is left.
struct LongRowsWork {
  KernelWork parts, rest;
};
LongRowsWork describeLongRows(tile::TraverseOp op, int64_t length,
                              StatsAttr stats);

/// Leaves of the work of a kernel what the one does that walks the pieces of
/// rows of more than `length` elements, or the one that makes the rows of what
/// that gives.
void takeShare(KernelWork &work, const RowLengths &lengths, double length,
               bool ofPieces);
/// The same of the one that reads these tiles of long groups (`long_tiles`), or
/// what they give (`long_tile_rows`).
void takeShare(KernelWork &work, const StructureKey &tiles, StatsAttr stats);

/// How many rows meet at most in one row at the end of `path`; 0 where that is
/// not known.
double getLongestRow(RowPath path, StatsAttr stats);

/// The flops that a product of `rows` with a weight `[in, out]` takes the time
/// of: a tile is 32 columns wide, and fewer than 48 inputs wait for its rows.
double tileFlops(double rows, int64_t in, int64_t out);

/// The counts of an op that runs alone.
struct OpCounts {
  RowCount flops, readBytes, writtenBytes, productRows;
};

/// The counts of an op that has them by `RowCostInterface`, or of elementwise
/// arithmetic on tensors of rows; none for others.
std::optional<OpCounts> countOp(mlir::Operation *op);

/// The choice for long rows.
struct PiecesChoice {
  /// Elements of a piece; 0: rows stay whole.
  int64_t length = 0;
  double whole = 0;
  double pieces = std::numeric_limits<double>::infinity(); ///< at the least

  double getCost() const { return length ? pieces : whole; }
};

/// How passes weigh kernels by their option `long-rows`: 0 leaves rows whole.
inline CostKind getCostKind(int64_t longRows) {
  return longRows ? CostKind::Full : CostKind::WholeRows;
}

/// Weighs kernels against each other.
class CostModel {
public:
  CostModel(const TargetFigures &figures, CostKind kind)
      : figures(figures), kind(kind) {}

  /// The model for the target of the module around `op`. Where its blocks do
  /// not share long rows, these stay whole.
  CostModel(mlir::Operation *op, CostKind kind);

  /// Seconds or rows of one kernel, its launch included. By `CostKind::Full`,
  /// of both kernels that it becomes where long rows are chosen to be pieces.
  ///
  /// A kernel gathers, and multiplies while it reads and writes in order:
  /// `launch + max(rows + rounds + gathers + max(flops, stream), longest row)`.
  /// The first time that a row is gathered it comes from memory; after that
  /// from the L2 with the probability with which it is there (`shareInL2`).
  /// Gathers and instructions of walks by edges overlap:
  /// `launch + norm(gathers, slots) + scattered + streams`.
  double cost(const KernelWork &kernel) const;

  /// Whether rows, the longest of which has `longest` elements, become pieces,
  /// where a kernel costs `whole` without and `costOf` a length both that it
  /// becomes: those of the best length must take less by a share, and by a part
  /// of a launch.
  PiecesChoice choosePieces(double whole, double longest,
                            llvm::function_ref<double(int64_t)> costOf) const;

  /// The elements of a row of `longest` that are walked one after another:
  /// those of a piece where it becomes pieces, or is not waited for.
  double countSerialElements(double longest) const;

  /// How many steps an edge of a row takes that reads so many tensors.
  static double steps(unsigned reads);

  /// The cost of kernels that run one after another.
  double cost(llvm::ArrayRef<KernelWork> kernels) const;

  /// The cost of a kernel whatever it does.
  double getLaunch() const { return isTime() ? figures.launchSeconds : 0; }

  /// The cost of a part of the work of a kernel that costs `whole`.
  double costOfShare(double whole, double share) const {
    return getLaunch() + (whole - getLaunch()) * share;
  }

  /// The part of a time by which the model may be wrong when it weighs two.
  static constexpr double margin = 0.05;

  /// Whether a cost of `then` is worth leaving one of `now` for: fewer rows, or
  /// a time that is shorter by more than the margin.
  bool isBetter(double now, double then) const {
    return then < (isTime() ? 1 - margin : 1) * now;
  }

  /// Whether a time is shorter by so many launches besides: that of kernels
  /// which take a few of them is not known better (docs/Cost.md).
  bool isBetterByLaunches(double now, double then, double launches) const {
    return isTime() && isBetter(now, then) &&
           now - then >= launches * getLaunch();
  }

  /// A cost as remarks have it: "12.00 us", or "5 rows of products" where they
  /// are all that counts.
  std::string textOf(double cost) const;

  CostKind getKind() const { return kind; }
  /// Whether costs are seconds.
  bool isTime() const { return kind != CostKind::Rows; }
  const TargetFigures &getFigures() const { return figures; }

  /// The share of tables of so many bytes that the L2 has, of rows that are
  /// read in random order: nearly all of a half of it, less of as many, and
  /// what fits of many times as many.
  double shareInL2(double tableBytes) const;

  /// Seconds that reading these rows takes, beside tables of `tableBytes` in
  /// all that share the L2; alone.
  double gatherSeconds(const GatherWork &gather, double tableBytes) const;
  double gatherSeconds(const GatherWork &gather) const {
    return gatherSeconds(gather, gather.tableRows * gather.rowBytes);
  }

private:
  /// The share of rows that are read near those before, beyond that of rows in
  /// random order, where what is near stays in the L2.
  double shareAtHand(const GatherWork &gather, double tableBytes) const;
  /// The same where the L2 has a share of what is read again, by a walk that
  /// reads longer rows beside or not.
  double gatherAtHits(const GatherWork &gather, double tableBytes, double hit,
                      bool isBesideRows) const;
  /// Seconds in which the instructions of its walks are issued: lanes go on
  /// when all rows of a batch are there.
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

/// Whether long rows of a traversal become pieces, which they may, by the work
/// of each of its kernels.
PiecesChoice choosePieces(const CostModel &model, tile::TraverseOp op,
                          StatsAttr stats);

/// The cost of a traversal: by `CostKind::Full`, of both that it becomes where
/// its long rows are chosen to be pieces.
double costTraversal(const CostModel &model, tile::TraverseOp op,
                     StatsAttr stats);

/// The declaration of the graph that rows of `type` belong to; null where it
/// has no rows or `from` is in no module that declares it.
GraphOp getGraph(mlir::Operation *from, mlir::Type type);

/// The statistics of that graph, or the part of its parent's that a derived
/// graph has; null where unknown.
StatsAttr getStats(mlir::Operation *from, mlir::Type type);
/// The same of the graph itself.
StatsAttr getStats(GraphOp graph);

/// The statistics of the graph that the first operand or result of `op` with
/// rows belongs to; null where unknown.
StatsAttr getStats(mlir::Operation *op);

/// The statistics of a graph of which nothing is known: edges are ten times as
/// many as nodes, and pairs lie between them.
StatsAttr getNominalStats(mlir::MLIRContext *context);

/// Why the model cannot weigh cuts of the rows of `op`; empty if it can, by
/// `stats`.
std::string explainCuts(tile::TraverseOp op, StatsAttr &stats);

/// Why the elements of `op` are not walked by edges, by a setting: 0 never, 1
/// wherever they can, -1 where the statistics of the graph say that it pays, by
/// as much as `gain` says. Empty if they are. The walk, with what joins its
/// pieces and in the tiles that it may take, is weighed against what `before`
/// costs otherwise: in pieces where `kind` says that long rows may still be
/// cut.
std::string explainEdges(tile::TraverseOp op, int64_t setting,
                         std::string &gain, tile::TraverseOp before,
                         CostKind kind = CostKind::Full);

/// The work of lanes for each element of a walk by edges.
struct WalkSteps {
  double operations = 0; ///< on numbers of the element
  double warps = 0;      ///< of the lanes that share it
  double results = 0;    ///< numbers of the element that are stored
  bool reducesFeatures = false;
  /// They take so many registers that half as many warps are at work.
  bool isCrowded = false;

  /// Slots of warps in which it is issued; by rows where elements are reduced
  /// and weighed one by one.
  double countSlots(bool byRows) const;
};

/// The steps of a walk in the vectors, lanes, columns and heads of `schedule`.
WalkSteps describeSteps(tile::TraverseOp op, const tile::TraverseFacts &facts,
                        const tile::TraverseSchedule &schedule);

/// The schedule by which a traversal is described as a walk by edges that takes
/// so many columns of so many heads: fields that are set stay, but for these
/// and for turns of wide rows.
tile::TraverseSchedule scheduleByEdges(tile::TraverseOp op,
                                       const tile::TraverseFacts &facts,
                                       int64_t heads, int64_t columns);

/// The schedule of a walk by rows beside one by edges: without what only walks
/// by edges have.
tile::TraverseSchedule scheduleByRows(const tile::TraverseSchedule &byEdges);

/// The schedule of the step which joins the pieces of rows that a walk by edges
/// leaves: each row by its team, or by length where the longest row is known to
/// have hundreds of them.
tile::TraverseSchedule scheduleJoin(tile::TraverseOp op,
                                    const tile::TraverseSchedule &byEdges,
                                    StatsAttr stats);

/// The work of a walk by edges that takes so many columns of so many heads, but
/// for the kernel that joins its pieces.
KernelWork describeByEdges(tile::TraverseOp op, StatsAttr stats, int64_t heads,
                           int64_t columns);

/// The cost of a walk by edges with that of the kernel that joins its pieces,
/// in the tiles that its schedule has or will have.
double costByEdges(const CostModel &model, tile::TraverseOp op,
                   StatsAttr stats);

/// The cost of a traversal with a schedule.
double costScheduled(const CostModel &model, tile::TraverseOp op,
                     StatsAttr stats);

/// The launches that a traversal with a schedule becomes: tiles that are some
/// of their own, and of a walk by edges the one that joins pieces of rows.
int64_t countLaunches(tile::TraverseOp op);

/// The cost of a traversal that is walked by edges where `explainEdges` says so
/// by this setting.
double costWalk(const CostModel &model, tile::TraverseOp op, int64_t edgeWalks,
                StatsAttr stats);

} // namespace gnn

#endif // GNN_ANALYSIS_COSTMODEL_H
