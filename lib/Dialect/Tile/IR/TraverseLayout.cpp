//===- TraverseLayout.cpp - Which thread does what ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/TraverseLayout.h"

#include "GNN/Dialect/GNN/IR/Target.h"
#include "GNN/Dialect/Tile/IR/ColumnTiles.h"
#include "GNN/Dialect/Tile/IR/Registers.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

/// Shared memory of a block that results of teams leave to others.
static constexpr int64_t otherSharedBytes = 8 << 10;

/// Bytes at which arrays in workgroup memory begin.
static constexpr int64_t alignmentOfArrays = 16;

//===----------------------------------------------------------------------===//
// The layout
//===----------------------------------------------------------------------===//

/// Teams add up their parts of a row, those of a warp by themselves, unless
/// nothing is reduced over elements, a block has one team, or it takes too much
/// memory. Where rows go by length, each warp also says whether it has a long
/// one.
static void shareRows(TraverseLayout &layout, const TraverseFacts &facts) {
  int64_t warps = layout.warps(), bytes = 0;
  auto addArray = [&](int64_t values) {
    bytes += llvm::alignTo(4 * values, alignmentOfArrays);
  };
  if (warps > 1)
    for (Level level : facts.sums)
      addArray(layout.countHeld(level) * warps * layout.featureLanes *
               layout.headLanes);
  if (layout.rowWalk == RowWalk::ByLength)
    addArray(warps);
  layout.sharesRows = !facts.sums.empty() && layout.rowsPerBlock > 1 &&
                      bytes <= facts.limits.sharedBytes - otherSharedBytes;
  layout.sharedBytes = layout.sharesRows ? bytes : 0;
}

/// In a walk by edges a team leaves the group that it begins in to the others
/// of its block.
static void shareEdges(TraverseLayout &layout, const TraverseFacts &facts) {
  int64_t parts = 0;
  if (layout.addsAtomically)
    return;
  for (Level level : facts.sums)
    parts += layout.countHeld(level);
  int64_t lanes = layout.featureLanes * layout.headLanes;
  layout.sharedBytes = 4 * layout.rowsPerBlock * parts * lanes;
}

/// A walk by edges has the sums of its group, the rows of all elements under
/// way, and where each of them lies and its word. Where rows are reduced or
/// weighed, half of their products are there, too. Fitted on 150 schedules: of
/// 8 of 10 kernels ptxas takes 0.9 to 1.3 times as many
/// (benchmarks/tuning/registers.py).
static int64_t estimateByEdges(const TraverseFacts &facts,
                               const TraverseLayout &layout) {
  int64_t sums = 0, rows = 0;
  for (Level level : facts.sums)
    sums += layout.countHeld(level);
  for (Level level : facts.elementLoads)
    rows += level.feature ? layout.countHeld(level) : 0;
  if (facts.shufflesInsideElements || facts.weighsElements)
    rows += rows / 2;
  return 30 + sums + layout.inFlight * (rows + 2);
}

/// Sums stay in registers with what is added to them; of loads in flight and
/// what is held of the row, ptxas keeps few at a time. Fitted on schedules of
/// seven models: 8 of 10 kernels take 0.7 to 1.8 times as many
/// (benchmarks/sweep.py --ptxas).
static int64_t estimateRegisters(const TraverseFacts &facts,
                                 const TraverseLayout &layout) {
  if (layout.rowWalk == RowWalk::ByEdges)
    return estimateByEdges(facts, layout);
  int64_t sums = 0, loads = 0;
  for (Level level : facts.sums)
    sums += layout.countHeld(level);
  if (layout.runs) // and those of the runs before, in two parts
    sums *= 3;
  sums *= layout.rowsPerTeam;
  for (Level level : facts.rowValues)
    loads += layout.countHeld(level);
  for (Level level : facts.elementLoads)
    loads += layout.inFlight * layout.countHeld(level);
  return 28 + (32 * sums + 3 * loads) / 20;
}

TraverseLayout gnn::tile::layOut(const TraverseSchedule &schedule,
                                 const TraverseFacts &facts) {
  TraverseLayout layout;
  layout.vector = orOne(schedule.vector);
  layout.featureLanes = orOne(schedule.lanes);
  layout.headLanes = orOne(schedule.headLanes);
  layout.elementLanes = orOne(schedule.elementLanes);
  int64_t heads = facts.headsOfBlock(schedule);
  layout.headTiles = llvm::divideCeil(facts.heads, heads);
  layout.headChunks = llvm::divideCeil(heads, layout.headLanes);
  int64_t columns =
      schedule.columnsPerBlock ? schedule.columnsPerBlock : facts.features;
  layout.columnTiles = llvm::divideCeil(facts.features, columns);
  layout.chunks = llvm::divideCeil(std::min(columns, facts.features),
                                   layout.featureLanes * layout.vector);
  layout.inFlight = orOne(schedule.inFlight);
  layout.rowsPerBlock = orOne(schedule.rowsPerBlock);
  layout.rowsPerTeam = orOne(schedule.rowsPerTeam);
  layout.rowOrder = schedule.rowOrder.value_or(TakenOrder::Natural);
  layout.rowWalk = schedule.rowWalk.value_or(RowWalk::Team);
  layout.addsAtomically = schedule.merge == Merge::Atomic;
  layout.splitRows = schedule.splitRows;
  layout.runs = schedule.runs;
  layout.isOneLane = schedule.isOneLane;
  layout.window = schedule.window;
  layout.windowBytes =
      4 * layout.window * layout.rowsPerBlock * facts.windowValues;
  layout.warp = facts.limits.lanes;
  if (layout.rowWalk == RowWalk::ByEdges)
    shareEdges(layout, facts);
  else
    shareRows(layout, facts);
  layout.registers = estimateRegisters(facts, layout);
  return layout;
}

int64_t TraverseLayout::mostOfTeam() const {
  return rowWalk == RowWalk::ByLength
             ? llvm::divideCeil(splitRows, elementLanes)
             : 0;
}

static std::string refuse(StringRef field, const Twine &because) {
  return ("cannot honour the schedule's '" + field + "': " + because).str();
}

/// Whether all that a row of a block takes is chosen: what is checked of rows
/// before would be of lanes that nobody chose.
static bool hasLanes(const TraverseSchedule &schedule) {
  return schedule.vector && schedule.columnsPerBlock && schedule.lanes &&
         schedule.headLanes && schedule.elementLanes;
}

static std::string checkLanes(const TraverseSchedule &schedule,
                              const TraverseFacts &facts,
                              const TraverseLayout &layout) {
  int64_t widest = layout.isOneLane ? facts.widestOfCPU : facts.widestVector;
  if (widest % layout.vector)
    return refuse("vector", "rows are aligned to " + Twine(widest) +
                                " features, not to " + Twine(layout.vector));
  // `explainFields` checks that they are within a warp.
  int64_t expected = layout.elementLanes;
  if (!facts.hasElements || layout.isOneLane ||
      layout.rowWalk == RowWalk::ByEdges)
    expected = 1;
  if (schedule.elementLanes && layout.elementLanes != expected)
    return refuse("element_lanes", "expected " + Twine(expected) +
                                       (layout.rowWalk == RowWalk::ByEdges
                                            ? " where 'row_walk' is by_edges"
                                            : "") +
                                       ", got " + Twine(layout.elementLanes));
  return "";
}

static std::string checkColumns(const TraverseSchedule &schedule,
                                const TraverseFacts &facts,
                                const TraverseLayout &layout) {
  int64_t width = layout.featureLanes * layout.vector;
  int64_t columns = schedule.columnsPerBlock, features = facts.features;
  if (columns > features)
    return refuse("columns_per_block",
                  "expected at most the " + Twine(features) +
                      " features of a row, got " + Twine(columns));
  if (layout.columnTiles > 1 && columns % width)
    return refuse("columns_per_block", "expected a multiple of " +
                                           Twine(width) + ", got " +
                                           Twine(columns));
  if (facts.reducesFeatures && layout.columnTiles > 1 &&
      (layout.isOneLane || !facts.columnTilesRefusal.empty()))
    return refuse(
        "columns_per_block",
        "a reduction over features needs all " + Twine(features) +
            " of a row in one block, got " + Twine(columns) +
            (layout.isOneLane ? "" : ": " + facts.columnTilesRefusal));
  if (schedule.headsPerBlock > facts.heads)
    return refuse("heads_per_block",
                  "expected at most the " + Twine(facts.heads) +
                      " heads of a row, got " + Twine(schedule.headsPerBlock));
  if (layout.headTiles > 1 && !facts.headTilesRefusal.empty())
    return refuse("heads_per_block", facts.headTilesRefusal);
  int64_t vectors = layout.vectorsOfLane();
  int64_t most = facts.mostVectors();
  if (layout.isOneLane) // more become loops of scalars
    return "";
  if (facts.reducesFeatures && schedule.lanes && vectors > most)
    return ("reduces rows of " + Twine(facts.heads) + " x " + Twine(features) +
            " features, of which a lane would hold " + Twine(vectors) +
            " vectors, expected at most " + Twine(most))
        .str();
  if (hasLanes(schedule) && vectors > most)
    return refuse("lanes", "a lane would go through " + Twine(vectors) +
                               " vectors of a row, expected at most " +
                               Twine(most));
  return "";
}

/// Checks the fields that a walk by edges has beside those of all walks.
static std::string checkByEdges(const TraverseSchedule &schedule,
                                const TraverseFacts &facts,
                                const TraverseLayout &layout) {
  if (layout.rowWalk != RowWalk::ByEdges)
    return schedule.merge ? refuse("merge", "expected a walk by edges")
           : schedule.distribution
               ? refuse("distribution", "expected a walk by edges")
               : "";
  if (!facts.byEdgesRefusal.empty())
    return refuse("row_walk", facts.byEdgesRefusal);
  if (schedule.distribution == ElementDistribution::Cyclic && facts.needsGroups)
    return refuse("distribution",
                  "expected no results of rows to have cyclic elements");
  if (layout.addsAtomically && !facts.atomicRefusal.empty())
    return refuse("merge", facts.atomicRefusal);
  if (layout.addsAtomically && schedule.runs)
    return refuse("runs", "expected parts of rows that atomics do not add");
  bool hasNumbers =
      llvm::any_of(facts.sums, [](Level level) { return !level.feature; });
  if (layout.addsAtomically && layout.columnTiles > 1 && hasNumbers)
    return refuse("merge", "expected all columns in a block where sums have no "
                           "features, which each tile would add");
  if (layout.rowOrder != TakenOrder::Natural)
    return refuse("row_order", "a walk by edges takes rows as they lie");
  if (TeamShare::elements % layout.inFlight)
    return refuse("in_flight",
                  "expected what divides the " + Twine(TeamShare::elements) +
                      " elements of a team, got " + Twine(layout.inFlight));
  int64_t block = schedule.getBlockPositions();
  if (schedule.rowsPerBlock && !TeamShare::isBlock(block))
    return refuse("rows_per_block",
                  "expected teams whose " + Twine(TeamShare::elements) +
                      " elements each are a power of two of at most " +
                      Twine(TeamShare::mostOfBlock) + ", got " + Twine(block));
  if (schedule.rowsPerBlock && hasLanes(schedule) &&
      layout.sharedBytes > facts.limits.sharedBytes)
    return refuse("rows_per_block", "expected results of at most " +
                                        Twine(facts.limits.sharedBytes >> 10) +
                                        " KiB a block, got " +
                                        Twine(layout.sharedBytes) + " bytes");
  return "";
}

/// Where a team takes several groups, lanes hold the sums of all of them.
static std::string checkMerge(const TraverseSchedule &schedule,
                              const TraverseFacts &facts,
                              const TraverseLayout &layout) {
  if (layout.rowsPerTeam == 1)
    return "";
  if (!facts.mergeRefusal.empty())
    return refuse("rows_per_team", facts.mergeRefusal);
  if (layout.rowWalk != RowWalk::Team)
    return refuse("rows_per_team", "expected 'row_walk' team, got " +
                                       stringifyRowWalk(layout.rowWalk));
  if (layout.window)
    return refuse("window", "the elements of several rows are merged");
  int64_t vectors = layout.vectorsOfLane() * layout.rowsPerTeam;
  int64_t most = layout.isOneLane ? TraverseFacts::mostVectorsOfOneLane
                                  : facts.mostVectors();
  if (hasLanes(schedule) && vectors > most)
    return refuse("rows_per_team", "a lane would have " + Twine(vectors) +
                                       " vectors of all rows, expected at "
                                       "most " +
                                       Twine(most));
  return "";
}

/// Windows are walked in whole steps, the last one of a row aside.
static std::string checkWindow(const TraverseSchedule &schedule,
                               const TraverseFacts &facts,
                               const TraverseLayout &layout) {
  if (!layout.window)
    return "";
  if (layout.rowWalk == RowWalk::ByEdges)
    return refuse("window",
                  "a walk by edges loads words for all lanes at once");
  if (!facts.walksElements)
    return refuse("window", "no elements are walked");
  if (layout.runs)
    return refuse("window", "elements are added in runs");
  if (facts.shufflesInsideElements && layout.rowsPerWarp() > 1)
    return refuse("window", "rows share a warp, which walks them in step");
  int64_t longest =
      layout.rowWalk == RowWalk::Team ? layout.inFlight : layout.longInFlight();
  for (int64_t inFlight : {layout.inFlight, longest})
    if (int64_t step = layout.elementLanes * inFlight; layout.window % step)
      return refuse("window", "expected a multiple of the " + Twine(step) +
                                  " elements of a step, got " +
                                  Twine(layout.window));
  if (schedule.rowsPerBlock && hasLanes(schedule) &&
      layout.sharedBytes + layout.windowBytes > facts.limits.sharedBytes)
    return refuse("window", "expected windows and results of at most " +
                                Twine(facts.limits.sharedBytes >> 10) +
                                " KiB a block, got " +
                                Twine(layout.sharedBytes + layout.windowBytes) +
                                " bytes");
  return "";
}

static std::string checkRowFields(const TraverseSchedule &schedule,
                                  const TraverseFacts &facts,
                                  const TraverseLayout &layout) {
  if (layout.runs && !facts.addsFloats)
    return refuse("runs", "no floats are added up over elements");
  if (!facts.hasElements && layout.inFlight != 1)
    return refuse("in_flight", "the domain has no elements");
  if (schedule.rowsPerBlock && hasLanes(schedule) && !layout.isOneLane &&
      (layout.threads() > facts.limits.threads ||
       layout.threads() % layout.warp))
    return refuse("rows_per_block", "expected whole warps and at most " +
                                        Twine(facts.limits.threads) +
                                        " threads, got " +
                                        Twine(layout.threads()) + " threads");
  bool hasThreads = schedule.rowsPerBlock && hasLanes(schedule);
  if (std::string why = explainRefusal(RegisterFields(schedule), facts.limits,
                                       hasThreads ? layout.threads() : 0);
      !why.empty())
    return why;
  // Nodes and pairs have a degree.
  if (layout.rowOrder != TakenOrder::Natural &&
      !((facts.groups.isKind(RowKind::Node) ||
         facts.groups.isKind(RowKind::Pair)) &&
        facts.groups == facts.groups.getNatural()))
    return refuse("row_order", "expected groups of nodes or pairs, got '" +
                                   facts.groups.str() + "'");
  if (schedule.lookup && !facts.searchRefusal.empty())
    return refuse("lookup", facts.searchRefusal);
  if (facts.longLength && schedule.splitRows &&
      schedule.splitRows != facts.longLength)
    return refuse("split_rows", "groups of more than " +
                                    Twine(facts.longLength) +
                                    " elements are made of parts, got " +
                                    Twine(schedule.splitRows));
  if (layout.rowWalk == RowWalk::ByEdges)
    return "";
  if (!schedule.rowsPerBlock || !hasLanes(schedule) || layout.sharesRows)
    return "";
  if (!layout.splitRows && layout.rowWalk == RowWalk::Team)
    return "";
  StringRef field = layout.splitRows ? "split_rows" : "row_walk";
  if (facts.sums.empty())
    return refuse(field, "expected reductions over elements, got none");
  if (layout.rowsPerBlock < 2)
    return refuse(field, "expected 'rows_per_block' of 2 teams at least, which "
                         "share a row, got " +
                             Twine(layout.rowsPerBlock));
  return refuse(field,
                "expected results of at most " +
                    Twine((facts.limits.sharedBytes - otherSharedBytes) >> 10) +
                    " KiB a block, got more");
}

std::optional<StructureKey> gnn::tile::getOrderKey(RowDomain groups,
                                                   TakenOrder order) {
  if (order == TakenOrder::Natural)
    return std::nullopt;
  OrderedSpace rows = groups.get();
  return StructureKey::map({rows.space, order == TakenOrder::ByDegree
                                            ? RowOrder::ByDegree
                                            : RowOrder::DegreeWindows},
                           rows);
}

std::string gnn::tile::explainRefusal(const TraverseSchedule &schedule,
                                      const TraverseFacts &facts,
                                      const TraverseLayout &layout) {
  for (auto check : {checkLanes, checkColumns, checkByEdges, checkMerge,
                     checkWindow, checkRowFields})
    if (std::string why = check(schedule, facts, layout); !why.empty())
      return why;
  return "";
}

/// Why a pass has set fields that no text of a schedule has.
static std::string explainFields(TraverseOp op) {
  TraversalScheduleInterface given = op.getScheduleAttr();
  if (!given)
    return "";
  if (std::string why = explainRanges(cast<ScheduleInterface>(given));
      !why.empty())
    return why;
  TraverseSchedule schedule(given);
  if (std::string why = schedule.explainConflict(); !why.empty())
    return "cannot honour the schedule: " + why;
  return "";
}

/// Why a pass has set a field that a core lacks.
static std::string explainFieldOfGPU(TraverseOp op) {
  StringRef field = TraverseSchedule(op).findFieldOfGPU();
  bool isLacked = isa_and_nonnull<TraverseScheduleAttr>(op.getScheduleAttr()) &&
                  !field.empty() && !shareLanesRows(op);
  return isLacked ? refuse(field, "the cores of a CPU do not have it") : "";
}

std::string TraverseOp::explainSchedule() {
  for (auto explain : {explainFields, explainFieldOfGPU})
    if (std::string why = explain(*this); !why.empty())
      return why;
  TraverseSchedule schedule(*this);
  TraverseFacts facts(*this);
  return explainRefusal(schedule, facts, layOut(schedule, facts));
}

FailureOr<TraverseLayout> gnn::tile::getPartialLayout(TraverseOp op) {
  if (std::string why = explainFields(op); !why.empty())
    return op.emitOpError(why);
  TraverseSchedule schedule(op);
  TraverseFacts facts(op);
  TraverseLayout layout = layOut(schedule, facts);
  if (std::string why = explainRefusal(schedule, facts, layout); !why.empty())
    return op.emitOpError(why);
  return layout;
}

FailureOr<TraverseLayout> gnn::tile::getLayout(TraverseOp op) {
  TraverseSchedule schedule(op);
  auto mayBeOpen = [&](const ScheduleField &field) {
    return field.rule.empty() || field.name == "runs" ||
           (field.name == "split_rows" &&
            schedule.rowWalk != RowWalk::ByLength);
  };
  auto fields = cast<ScheduleInterface>(schedule.get(op.getContext()));
  for (auto [field, value] :
       llvm::zip_equal(fields.getTable(), fields.getValues()))
    if (!value && !mayBeOpen(field))
      return op.emitOpError("expected a complete schedule, got none of '")
             << field.name
             << "' (gnn-schedule-pipeline chooses what is left out)";
  return getPartialLayout(op);
}

Attribute TraverseOp::getTileSchedule() { return getScheduleAttr(); }
void TraverseOp::setTileSchedule(Attribute schedule) {
  setScheduleAttr(cast_if_present<TraversalScheduleInterface>(schedule));
}
LogicalResult TraverseOp::verifySchedule() { return getLayout(*this); }
