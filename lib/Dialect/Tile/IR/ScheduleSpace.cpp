//===- ScheduleSpace.cpp - The schedules that a template may have ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fields one after the other, each with the values that it may have beside
// those before; the layout says which of them can be honoured together. A tuner
// searches these (G-Sparse III, LO-SpMM 3.3).
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/ProductLayout.h"
#include "GNN/Dialect/Tile/IR/Registers.h"
#include "GNN/Dialect/Tile/IR/TraverseLayout.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

//===----------------------------------------------------------------------===//
// traverse
//===----------------------------------------------------------------------===//

ScheduleInterface TraverseOp::getOpenSchedule() {
  return cast<ScheduleInterface>(TraverseSchedule().get(getContext()));
}

/// 1, 2, 4, ... up to the first that is at least `most`.
static SmallVector<int64_t> powersUpTo(int64_t most) {
  SmallVector<int64_t> powers;
  for (int64_t power = 1; power < 2 * most; power *= 2)
    powers.push_back(power);
  return powers;
}

namespace {
/// Goes through the fields of a traversal's schedule.
class TraverseSpace {
public:
  TraverseSpace(TraverseOp op, TraversalScheduleInterface kind,
                ScheduleUser use)
      : facts(op), kind(kind), use(use) {}

  /// Goes on with each value of the first field from `number` on that is open.
  void choose(unsigned number) {
    using namespace gnn::tile::range;
    unsigned next = 0;
#define GNN_TRAVERSE_FIELD(type, name, keyword, range, onCore, tried, ...)     \
  if (next++ >= number && !current.name &&                                     \
      (current.isOneLane ? onCore : range).most)                               \
    return forEach(&TraverseSchedule::name, tried, next);
#include "GNN/Dialect/Tile/IR/ScheduleFields.def"
    finish();
  }

private:
  template <typename T>
  void forEach(T TraverseSchedule::*field, const SmallVector<T> &values,
               unsigned next) {
    for (T value : values) {
      current.*field = value;
      choose(next);
    }
    current.*field = T();
  }

  SmallVector<int64_t> columns() const {
    SmallVector<int64_t> columns{facts.features};
    bool isOneLane = isa<CoreScheduleAttr>(kind);
    if (facts.reducesFeatures &&
        (isOneLane || !facts.columnTilesRefusal.empty()))
      return columns;
    for (int64_t narrow = narrowestTile; narrow < facts.features; narrow *= 2)
      columns.push_back(narrow);
    return columns;
  }
  SmallVector<int64_t> headTiles() const {
    SmallVector<int64_t> heads{0};
    if (!facts.headTilesRefusal.empty())
      return heads;
    for (int64_t some = 1; some < facts.heads; some *= 2)
      if (some * facts.features >= narrowestTile)
        heads.push_back(some);
    return heads;
  }
  SmallVector<int64_t> vectors() const {
    return powersUpTo(current.isOneLane ? facts.widestOfCPU
                                        : facts.widestVector);
  }
  SmallVector<int64_t> featureLanes() const {
    int64_t vectors = llvm::divideCeil(current.columnsPerBlock, current.vector);
    return powersUpTo(std::min(vectors, facts.limits.lanes));
  }
  SmallVector<int64_t> headLanes() const {
    int64_t heads = current.headsPerBlock ? current.headsPerBlock : facts.heads;
    return powersUpTo(std::min(heads, facts.limits.lanes / current.lanes));
  }
  SmallVector<int64_t> elementLanes() const {
    int64_t left = facts.limits.lanes / (current.lanes * current.headLanes);
    return powersUpTo(facts.hasElements ? left : 1);
  }
  SmallVector<int64_t> rows() const {
    SmallVector<int64_t> rows;
    int64_t least = isa<TraverseScheduleAttr>(kind) ? facts.limits.lanes : 1;
    for (int64_t threads = least; threads <= facts.limits.threads; threads *= 2)
      if (threads >= threadsPerRow())
        rows.push_back(threads / threadsPerRow());
    return rows;
  }
  SmallVector<std::optional<TakenOrder>> orders() const {
    return {TakenOrder::Natural, TakenOrder::ByDegree,
            TakenOrder::DegreeWindows};
  }
  SmallVector<std::optional<RowWalk>> walks() const {
    if (current.splitRows)
      return {RowWalk::ByLength};
    return {RowWalk::Team, RowWalk::Block, RowWalk::ByLength, RowWalk::ByEdges};
  }
  SmallVector<int64_t> splits() const {
    if (current.rowWalk != RowWalk::ByLength)
      return {0};
    TraverseSchedule schedule = current;
    chooseSplitRows(schedule, facts);
    int64_t length = schedule.splitRows;
    return {length / 4, length, 4 * length};
  }
  SmallVector<int64_t> rowsOfTeam() const {
    bool merges = facts.mergeRefusal.empty() &&
                  current.rowWalk.value_or(RowWalk::Team) == RowWalk::Team;
    return merges ? SmallVector<int64_t>{0, 2, 4, 8} : SmallVector<int64_t>{0};
  }
  /// The pass chooses by all other fields.
  SmallVector<int64_t> runs() const { return {0}; }
  SmallVector<int64_t> processorBlocks() const { return {0}; }
  /// Runs, which a pass may choose, take registers.
  SmallVector<int64_t> maxRegisters() const {
    TraverseSchedule schedule = current;
    if (facts.addsFloats && !schedule.window && !schedule.runs)
      schedule.runs = 1;
    return {0, boundFor(layOut(schedule, facts).registers)};
  }
  SmallVector<int64_t> windows() const {
    bool hasWindows =
        facts.walksElements && current.rowWalk != RowWalk::ByEdges;
    return hasWindows ? SmallVector<int64_t>{0, 128} : SmallVector<int64_t>{0};
  }
  /// The merges that have the same bits on every run.
  SmallVector<std::optional<Merge>> merges() const { return {std::nullopt}; }
  SmallVector<std::optional<ElementDistribution>> distributions() const {
    if (current.rowWalk != RowWalk::ByEdges || facts.needsGroups)
      return {std::nullopt};
    return {ElementDistribution::Blocked, ElementDistribution::Cyclic};
  }
  SmallVector<std::optional<RowLookup>> lookups() const {
    if (!facts.searchRefusal.empty())
      return {std::nullopt};
    return {std::nullopt, RowLookup::Search};
  }
  void finish();

  int64_t threadsPerRow() const {
    return current.lanes * current.headLanes * current.elementLanes;
  }

  TraverseFacts facts;
  TraversalScheduleInterface kind;
  TraverseSchedule current = kind.getFields();
  ScheduleUser use;
};
} // namespace

void TraverseSpace::finish() {
  // Lanes that are given, beside those that are tried, may not fit a warp.
  if (threadsPerRow() > facts.limits.lanes)
    return;
  TraverseLayout layout = layOut(current, facts);
  TraversalScheduleInterface schedule = kind.withFields(current);
  // The core of a CPU has no limit of a thread.
  bool spills = !layout.isOneLane && layout.registers > mostRegisters;
  if ((spills && schedule != kind) ||
      !explainRefusal(current, facts, layout).empty())
    return;
  use(schedule, {layout.threads(), layout.chunks * layout.headChunks,
                 layout.windowBytes +
                     (layout.rowWalk == RowWalk::Team ? 0 : layout.sharedBytes),
                 layout.registers});
}

void TraverseOp::enumerateSchedules(Attribute given, ScheduleUser use) {
  auto kind = cast_if_present<TraversalScheduleInterface>(given);
  TraverseSpace(*this, kind ? kind : TraverseSchedule().get(getContext()), use)
      .choose(0);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

ScheduleInterface GemmOp::getOpenSchedule() {
  return ProductSchedule().get(getContext());
}
ScheduleInterface OuterOp::getOpenSchedule() {
  return ProductSchedule().get(getContext());
}

/// Whether a listing leaves it open, or tries it last.
static bool mayBeOpen(StringRef field) {
  return llvm::is_contained({"runs", "processor_blocks", "max_registers"},
                            field);
}

/// Tiles of all widths on all cores, copied in all ways, for products of `in`
/// values, or of 0: the graph says.
template <typename ProductOp>
static void enumerateTiles(ProductOp op, int64_t in, GemmScheduleAttr schedule,
                           ScheduleUser use) {
  SmallVector<int64_t> values(schedule.getValues());
  for (auto [field, value] : llvm::zip_equal(schedule.getTable(), values)) {
    if (value || mayBeOpen(field.name))
      continue;
    for (int64_t chosen : field.list()) {
      value = chosen;
      enumerateTiles(op, in, GemmScheduleAttr::get(op.getContext(), values),
                     use);
    }
    return;
  }
  ProductLayout layout = layOut(op, schedule);
  auto give = [&](GemmScheduleAttr given) {
    if (explainRefusal(op, given).empty())
      use(given, {layout.threads, int64_t(llvm::divideCeil(in, layout.depth)),
                  layout.sharedBytes(), layout.registers()});
  };
  give(schedule);
  ProductSchedule bounded(schedule);
  if (bounded.maxRegisters)
    return;
  bounded.maxRegisters = boundFor(layout.registers());
  give(bounded.get(op.getContext()));
}

static GemmScheduleAttr orOpen(Attribute given, MLIRContext *context) {
  return given ? cast<GemmScheduleAttr>(given) : ProductSchedule().get(context);
}
void GemmOp::enumerateSchedules(Attribute given, ScheduleUser use) {
  enumerateTiles(*this, getIn(), orOpen(given, getContext()), use);
}
void OuterOp::enumerateSchedules(Attribute given, ScheduleUser use) {
  enumerateTiles(*this, /*in=*/0, orOpen(given, getContext()), use);
}
