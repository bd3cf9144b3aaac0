//===- TraverseLayout.cpp - Which thread does what ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/TraverseLayout.h"

#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

/// Vectors of one row that a lane can hold: many more than there are registers.
static constexpr int64_t maxHeldVectors = 256;

/// What results of teams may take of the 48 KiB of shared memory.
static constexpr int64_t maxSharedBytes = 40 << 10;

/// Elements of a row that lanes take at once; more would wait for each other
/// where rows are short.
static constexpr int64_t mostElementLanes = 8;

/// Elements whose loads a lane issues before it waits for the first.
static constexpr int64_t elementsInFlight = 4;

/// Threads of a block, where its rows divide them.
static constexpr int64_t blockThreads = 256;

/// Rounds of a team's walk above which a row is long.
static constexpr int64_t longRounds = 32;

static int64_t orOne(int64_t value) { return std::max<int64_t>(value, 1); }

//===----------------------------------------------------------------------===//
// The schedule
//===----------------------------------------------------------------------===//

TraverseSchedule::TraverseSchedule(TraverseOp op) {
  TraverseScheduleAttr attr = op.getScheduleAttr();
  if (!attr)
    return;
  columnsPerBlock = attr.getColumnsPerBlock();
  vector = attr.getVector();
  lanes = attr.getLanes();
  headLanes = attr.getHeadLanes();
  elementLanes = attr.getElementLanes();
  inFlight = attr.getInFlight();
  rowsPerBlock = attr.getRowsPerBlock();
  if (attr.getRowOrder())
    rowOrder = attr.getRowOrder().getValue();
  if (attr.getRowWalk())
    rowWalk = attr.getRowWalk().getValue();
  splitRows = attr.getSplitRows();
}

void TraverseSchedule::setOn(TraverseOp op) const {
  MLIRContext *context = op.getContext();
  op.setScheduleAttr(TraverseScheduleAttr::get(
      context, columnsPerBlock, vector, lanes, headLanes, elementLanes,
      inFlight, rowsPerBlock,
      rowOrder ? TakenOrderAttr::get(context, *rowOrder) : nullptr,
      rowWalk ? RowWalkAttr::get(context, *rowWalk) : nullptr, splitRows));
}

//===----------------------------------------------------------------------===//
// The op
//===----------------------------------------------------------------------===//

bool gnn::tile::reducesElements(Operation *op) {
  auto reduce = dyn_cast<ReduceOp>(op);
  return isa<FoldOp, ArgReduceOp>(op) ||
         (reduce && llvm::is_contained(reduce.getDims(),
                                       static_cast<int32_t>(Dim::Element)));
}

TraverseFacts::TraverseFacts(TraverseOp op) {
  DomainAttr domain = op.getDomain();
  heads = domain.getHeads();
  features = domain.getFeatures();
  hasElements = static_cast<bool>(domain.getElements());
  op.getBody().walk([&](ReduceOp reduce) {
    bool acrossLanes = llvm::any_of(reduce.getDims(), [](int32_t dim) {
      return dim != static_cast<int32_t>(Dim::Element);
    });
    reducesFeatures |= acrossLanes;
    shufflesInsideElements |=
        acrossLanes &&
        (getLevel(reduce.getValue()).element || reducesElements(reduce));
  });
  widestVector = std::gcd<int64_t>(domain.getFeatures(), 4);
  auto restrict = [&](Value operand, AtAttr at) {
    if (!at.getFeature())
      return;
    auto type = cast<ShapedType>(operand.getType());
    widestVector = std::gcd(widestVector, type.getShape().back());
    widestVector = std::gcd(widestVector, at.getOffset());
  };
  for (auto [i, input] : llvm::enumerate(op.getInputs()))
    restrict(input, op.getInputAt(i));
  for (auto [i, output] : llvm::enumerate(op.getOutputs()))
    restrict(output, op.getOutputAt(i));
}

TraverseFacts::TraverseFacts(int64_t heads, int64_t features,
                             bool shufflesInsideElements)
    : heads(heads), features(features), hasElements(true),
      reducesFeatures(shufflesInsideElements),
      shufflesInsideElements(shufflesInsideElements),
      widestVector(std::gcd<int64_t>(features, 4)) {}

//===----------------------------------------------------------------------===//
// What is not chosen
//===----------------------------------------------------------------------===//

void gnn::tile::chooseLanes(TraverseSchedule &schedule,
                            const TraverseFacts &facts) {
  auto within = [](int64_t left, int64_t wanted) -> int64_t {
    return std::min<int64_t>(left, llvm::PowerOf2Ceil(wanted));
  };
  int64_t columns =
      schedule.columnsPerBlock ? schedule.columnsPerBlock : facts.features;
  int64_t vector = schedule.vector ? schedule.vector : facts.widestVector;
  if (!schedule.lanes)
    schedule.lanes = within(32, llvm::divideCeil(columns, vector));
  if (!schedule.headLanes)
    schedule.headLanes = within(32 / schedule.lanes, facts.heads);
  int64_t left = 32 / (schedule.lanes * schedule.headLanes);
  if (!schedule.elementLanes)
    schedule.elementLanes = !facts.hasElements ? 1
                            : facts.shufflesInsideElements
                                ? left
                                : std::min(left, mostElementLanes);
}

void gnn::tile::chooseRows(TraverseSchedule &schedule,
                           const TraverseFacts &facts) {
  if (!schedule.inFlight)
    schedule.inFlight = facts.hasElements ? elementsInFlight : 1;
  if (!schedule.rowsPerBlock)
    schedule.rowsPerBlock =
        orOne(blockThreads / layOut(schedule, facts).threadsPerRow());
  if (!schedule.rowOrder)
    schedule.rowOrder = TakenOrder::Natural;
}

void gnn::tile::chooseSplitRows(TraverseSchedule &schedule) {
  if (!schedule.splitRows)
    schedule.splitRows =
        longRounds * orOne(schedule.elementLanes) * orOne(schedule.inFlight);
}

//===----------------------------------------------------------------------===//
// The layout
//===----------------------------------------------------------------------===//

TraverseLayout gnn::tile::layOut(const TraverseSchedule &schedule,
                                 const TraverseFacts &facts) {
  TraverseLayout layout;
  layout.vector = orOne(schedule.vector);
  layout.featureLanes = orOne(schedule.lanes);
  layout.headLanes = orOne(schedule.headLanes);
  layout.elementLanes = orOne(schedule.elementLanes);
  layout.headChunks = llvm::divideCeil(facts.heads, layout.headLanes);
  int64_t columns =
      schedule.columnsPerBlock ? schedule.columnsPerBlock : facts.features;
  layout.columnTiles = llvm::divideCeil(facts.features, columns);
  layout.chunks = llvm::divideCeil(std::min(columns, facts.features),
                                   layout.featureLanes * layout.vector);
  layout.inFlight = orOne(schedule.inFlight);
  layout.rowsPerBlock = orOne(schedule.rowsPerBlock);
  return layout;
}

static InFlightDiagnostic refuse(TraverseOp op, StringRef field) {
  return op.emitOpError("cannot honour the schedule's '") << field << "': ";
}

/// Refuses fields about lanes and columns that cannot be honoured.
static LogicalResult checkLanes(TraverseOp op, const TraverseSchedule &schedule,
                                const TraverseFacts &facts,
                                const TraverseLayout &layout) {
  if (facts.widestVector % layout.vector)
    return refuse(op, "vector") << "rows are aligned to " << facts.widestVector
                                << " features, not to " << layout.vector;
  int64_t left = 32 / (layout.featureLanes * layout.headLanes);
  if (schedule.elementLanes &&
      (layout.elementLanes > left ||
       (facts.shufflesInsideElements && layout.elementLanes != left) ||
       (!facts.hasElements && layout.elementLanes != 1)))
    return refuse(op, "element_lanes")
           << "expected " << (facts.hasElements ? left : 1) << ", got "
           << layout.elementLanes;
  int64_t width = layout.featureLanes * layout.vector;
  int64_t columns = schedule.columnsPerBlock;
  if (columns > facts.features)
    return refuse(op, "columns_per_block")
           << "expected at most the " << facts.features
           << " features of a row, got " << columns;
  if (layout.columnTiles > 1 && columns % width)
    return refuse(op, "columns_per_block")
           << "expected a multiple of " << width << ", got " << columns;
  if (!facts.reducesFeatures)
    return success();
  if (layout.columnTiles > 1)
    return refuse(op, "columns_per_block")
           << "a reduction over features needs all " << facts.features
           << " of a row in one block, got " << columns;
  if (schedule.lanes && layout.chunks * layout.headChunks > maxHeldVectors)
    return op.emitOpError("reduces rows of ")
           << facts.heads << " x " << facts.features
           << " features, of which a lane would "
           << "hold " << layout.chunks * layout.headChunks
           << " vectors, expected at most " << maxHeldVectors;
  return success();
}

int64_t gnn::tile::getSharedBytes(TraverseOp op, const TraverseLayout &layout) {
  if (!op.getDomain().getElements() || layout.rowsPerBlock == 1)
    return 0;
  int64_t parts = 0;
  for (Operation &inner : op.getBody().front().without_terminator())
    if (reducesElements(&inner))
      for (Value result : inner.getResults()) {
        Level level = getLevel(result);
        parts += layout.partCount(level) * (level.feature ? layout.vector : 1);
      }
  int64_t bytes =
      4 * parts * layout.rowsPerBlock * layout.featureLanes * layout.headLanes;
  return bytes <= maxSharedBytes ? bytes : 0;
}

/// Fills what the rows of the op say.
static LogicalResult placeRows(TraverseOp op, const TraverseSchedule &schedule,
                               const TraverseFacts &facts,
                               TraverseLayout &layout) {
  if (!facts.hasElements && layout.inFlight != 1)
    return refuse(op, "in_flight") << "the domain has no elements";
  if (schedule.rowsPerBlock &&
      (layout.threads() > 1024 || layout.threads() % 32))
    return refuse(op, "rows_per_block")
           << "expected whole warps and at most 1024 threads, got "
           << layout.threads() << " threads";
  layout.rowOrder = schedule.rowOrder.value_or(TakenOrder::Natural);
  RowDomain groups = op.getDomain().getGroups();
  if (layout.rowOrder == TakenOrder::ByDegree &&
      (!groups.isKind(RowKind::Node) || groups != groups.getNatural()))
    return refuse(op, "row_order")
           << "expected groups of nodes, got '" << groups.str() << "'";
  layout.sharedBytes = getSharedBytes(op, layout);
  layout.rowWalk = schedule.rowWalk.value_or(RowWalk::Team);
  layout.splitRows = schedule.splitRows;
  if (!schedule.rowsPerBlock || layout.sharedBytes)
    return success();
  if (layout.splitRows || layout.rowWalk != RowWalk::Team)
    return refuse(op, layout.splitRows ? "split_rows" : "row_walk")
           << "expected reductions over elements, several rows a block and "
              "results of at most 40 KiB a block";
  return success();
}

FailureOr<TraverseLayout> gnn::tile::getPartialLayout(TraverseOp op) {
  TraverseSchedule schedule(op);
  TraverseFacts facts(op);
  TraverseLayout layout = layOut(schedule, facts);
  if (failed(checkLanes(op, schedule, facts, layout)) ||
      failed(placeRows(op, schedule, facts, layout)))
    return failure();
  return layout;
}

FailureOr<TraverseLayout> gnn::tile::getLayout(TraverseOp op) {
  TraverseSchedule schedule(op);
  bool needsSplit =
      schedule.rowWalk == RowWalk::ByLength && schedule.splitRows == 0;
  std::pair<StringRef, bool> missing[] = {
      {"columns_per_block", !schedule.columnsPerBlock},
      {"vector", !schedule.vector},
      {"lanes", !schedule.lanes},
      {"head_lanes", !schedule.headLanes},
      {"element_lanes", !schedule.elementLanes},
      {"in_flight", !schedule.inFlight},
      {"rows_per_block", !schedule.rowsPerBlock},
      {"row_order", !schedule.rowOrder},
      {"row_walk", !schedule.rowWalk},
      {"split_rows", needsSplit}};
  for (auto [field, isMissing] : missing)
    if (isMissing)
      return op.emitOpError("expected a complete schedule, got none of '")
             << field << "' (gnn-schedule-pipeline chooses what is left out)";
  return getPartialLayout(op);
}

Attribute TraverseOp::getTileSchedule() { return getScheduleAttr(); }
void TraverseOp::setTileSchedule(Attribute schedule) {
  setScheduleAttr(cast_if_present<TraverseScheduleAttr>(schedule));
}
LogicalResult TraverseOp::verifySchedule() { return getLayout(*this); }
