//===- ScheduleSpace.cpp - The schedules that a template may have ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fields one after the other, each with the values that it may have beside
// those before; the layout says which of them can be honoured together. What a
// tuner searches (G-Sparse III, LO-SpMM 3.3).
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/ProductLayout.h"
#include "GNN/Dialect/Tile/IR/TraverseLayout.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

/// Registers that a thread has; more is spilled.
static constexpr int64_t mostRegisters = 255;

//===----------------------------------------------------------------------===//
// traverse
//===----------------------------------------------------------------------===//

ScheduleInterface TraverseOp::getOpenSchedule() {
  return cast<ScheduleInterface>(TraverseSchedule().get(getContext()));
}

namespace {
/// Goes through the fields of a traversal's schedule.
class TraverseSpace {
public:
  using Schedule = TraverseSchedule;

  TraverseSpace(TraverseOp op, TraversalScheduleInterface kind,
                ScheduleUser use)
      : facts(op), kind(kind), use(use) {}

  void run() { chooseVector(); }

private:
  void chooseVector();
  void chooseColumns();
  void chooseLanes();
  void chooseHeadLanes();
  void chooseElementLanes();
  void chooseDepth();
  void chooseRows();
  void chooseOrder();
  void chooseWalk();
  void chooseSplit();
  void finish();

  /// Goes on with `next` for each value, or for the one that is given.
  template <typename T>
  void forEach(T Schedule::*field, const SmallVector<T> &values,
               void (TraverseSpace::*next)()) {
    for (T value : given.*field ? SmallVector<T>{given.*field} : values) {
      current.*field = value;
      (this->*next)();
    }
    current.*field = given.*field;
  }
  int64_t threadsPerRow() const {
    return current.lanes * current.headLanes * current.elementLanes;
  }

  TraverseFacts facts;
  TraversalScheduleInterface kind;
  Schedule given = kind.getFields(), current = given;
  ScheduleUser use;
};
} // namespace

/// 1, 2, 4, ... up to the first that is at least `most`.
static SmallVector<int64_t> powersUpTo(int64_t most) {
  SmallVector<int64_t> powers;
  for (int64_t power = 1; power < 2 * most; power *= 2)
    powers.push_back(power);
  return powers;
}

void TraverseSpace::chooseVector() {
  forEach(&Schedule::vector,
          powersUpTo(given.isOneLane ? facts.widestOfCPU : facts.widestVector),
          &TraverseSpace::chooseColumns);
}

void TraverseSpace::chooseColumns() {
  SmallVector<int64_t> columns{facts.features};
  for (int64_t narrow = 32; narrow < facts.features; narrow *= 2)
    if (!facts.reducesFeatures)
      columns.push_back(narrow);
  forEach(&Schedule::columnsPerBlock, columns, &TraverseSpace::chooseLanes);
}

void TraverseSpace::chooseLanes() {
  int64_t vectors = llvm::divideCeil(current.columnsPerBlock, current.vector);
  forEach(&Schedule::lanes, powersUpTo(std::min(vectors, facts.limits.lanes)),
          &TraverseSpace::chooseHeadLanes);
}

void TraverseSpace::chooseHeadLanes() {
  forEach(&Schedule::headLanes,
          powersUpTo(std::min(facts.heads, facts.limits.lanes / current.lanes)),
          &TraverseSpace::chooseElementLanes);
}

void TraverseSpace::chooseElementLanes() {
  int64_t left = facts.limits.lanes / (current.lanes * current.headLanes);
  forEach(&Schedule::elementLanes, powersUpTo(facts.hasElements ? left : 1),
          &TraverseSpace::chooseDepth);
}

void TraverseSpace::chooseDepth() {
  forEach(&Schedule::inFlight, powersUpTo(facts.hasElements ? 8 : 1),
          &TraverseSpace::chooseRows);
}

void TraverseSpace::chooseRows() {
  SmallVector<int64_t> rows;
  for (int64_t threads = facts.limits.lanes; threads <= facts.limits.threads;
       threads *= 2)
    if (threads >= threadsPerRow())
      rows.push_back(threads / threadsPerRow());
  forEach(&Schedule::rowsPerBlock, rows, &TraverseSpace::chooseOrder);
}

void TraverseSpace::chooseOrder() {
  using Order = std::optional<TakenOrder>;
  forEach(&Schedule::rowOrder,
          SmallVector<Order>{TakenOrder::Natural, TakenOrder::ByDegree},
          &TraverseSpace::chooseWalk);
}

void TraverseSpace::chooseWalk() {
  using Walk = std::optional<RowWalk>;
  SmallVector<Walk> walks{RowWalk::Team, RowWalk::Block, RowWalk::ByLength};
  if (given.splitRows)
    walks = {RowWalk::ByLength};
  forEach(&Schedule::rowWalk, walks, &TraverseSpace::chooseSplit);
}

void TraverseSpace::chooseSplit() {
  if (current.rowWalk != RowWalk::ByLength)
    return finish();
  chooseSplitRows(current, facts);
  int64_t length = current.splitRows;
  forEach(&Schedule::splitRows, {length / 4, length, 4 * length},
          &TraverseSpace::finish);
}

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
                 layout.rowWalk == RowWalk::Team ? 0 : layout.sharedBytes,
                 layout.registers});
}

void TraverseOp::enumerateSchedules(Attribute given, ScheduleUser use) {
  auto kind = cast_if_present<TraversalScheduleInterface>(given);
  TraverseSpace(*this, kind ? kind : TraverseSchedule().get(getContext()), use)
      .run();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static ScheduleInterface getOpenProduct(MLIRContext *context) {
  return GemmScheduleAttr::get(context, 0, nullptr, nullptr);
}

ScheduleInterface GemmOp::getOpenSchedule() {
  return getOpenProduct(getContext());
}
ScheduleInterface OuterOp::getOpenSchedule() {
  return getOpenProduct(getContext());
}

/// Tiles of all widths on all cores, copied in all ways, for products of `in`
/// values, or of 0: the graph says.
template <typename ProductOp>
static void enumerateTiles(ProductOp op, int64_t in, Attribute given,
                           ScheduleUser use) {
  auto fixed = cast_if_present<GemmScheduleAttr>(given);
  auto isOpen = [](auto field, auto value) {
    return !field || field.getValue() == value;
  };
  auto tryOut = [&](int64_t columns, ProductKind kind, ProductCopies copies) {
    auto schedule =
        GemmScheduleAttr::get(op.getContext(), columns, kind, copies);
    bool isOther = fixed && ((fixed.getN() && fixed.getN() != columns) ||
                             !isOpen(fixed.getKind(), kind) ||
                             !isOpen(fixed.getCopies(), copies));
    if (isOther || !explainRefusal(op, schedule).empty())
      return;
    ProductLayout layout = layOut(op, schedule);
    use(schedule, {layout.threads, int64_t(llvm::divideCeil(in, layout.depth)),
                   layout.sharedBytes(), layout.registers()});
  };
  for (int64_t columns : ProductLayout::allColumns)
    for (ProductKind kind : {ProductKind::FFMA, ProductKind::TF32x3})
      for (ProductCopies copies :
           {ProductCopies::Registers, ProductCopies::Async})
        tryOut(columns, kind, copies);
}

void GemmOp::enumerateSchedules(Attribute given, ScheduleUser use) {
  enumerateTiles(*this, getIn(), given, use);
}
void OuterOp::enumerateSchedules(Attribute given, ScheduleUser use) {
  enumerateTiles(*this, /*in=*/0, given, use);
}
