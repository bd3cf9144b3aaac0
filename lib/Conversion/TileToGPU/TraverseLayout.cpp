//===- TraverseLayout.cpp - Which thread does what ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules: 16-byte vectors where rows allow, features across lanes, the rest of
// the warp over elements, four elements in flight.
//
//===----------------------------------------------------------------------===//

#include "TraverseLayout.h"

#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

/// Vectors of one row that a lane can hold: many more than there are registers.
static constexpr int64_t maxHeldVectors = 256;

namespace {
/// What the body does that bears on the layout.
struct BodyFacts {
  bool hasElements = false;
  bool reducesFeatures = false;        // a reduction over features or heads
  bool shufflesInsideElements = false; // ... while elements are walked
};
} // namespace

static BodyFacts collectFacts(TraverseOp op) {
  BodyFacts facts;
  facts.hasElements = static_cast<bool>(op.getDomain().getElements());
  op.getBody().walk([&](ReduceOp reduce) {
    bool lanes = llvm::any_of(reduce.getDims(), [](int32_t dim) {
      return dim != static_cast<int32_t>(Dim::Element);
    });
    facts.reducesFeatures |= lanes;
    facts.shufflesInsideElements |=
        lanes && (getLevel(reduce.getValue()).element ||
                  llvm::is_contained(reduce.getDims(),
                                     static_cast<int32_t>(Dim::Element)));
  });
  return facts;
}

/// The widest vector for which every row of every operand is aligned.
static int64_t widestVector(TraverseOp op) {
  int64_t common = std::gcd<int64_t>(op.getDomain().getFeatures(), 4);
  auto restrict = [&](Value operand, AtAttr at) {
    if (!at.getFeature())
      return;
    auto type = cast<ShapedType>(operand.getType());
    common = std::gcd(common, type.getShape().back());
    common = std::gcd(common, at.getOffset());
  };
  for (auto [i, input] : llvm::enumerate(op.getInputs()))
    restrict(input, op.getInputAt(i));
  for (auto [i, output] : llvm::enumerate(op.getOutputs()))
    restrict(output, op.getOutputAt(i));
  return common;
}

static InFlightDiagnostic refuse(TraverseOp op, StringRef field) {
  return op.emitOpError("cannot honour the schedule's '") << field << "': ";
}

/// Fields that the plain template has no form for.
static LogicalResult checkUnsupported(TraverseOp op,
                                      TraverseScheduleAttr schedule) {
  std::pair<StringRef, bool> fields[] = {
      {"window", schedule.getWindow() != 0},
      {"stage_indices", schedule.getStageIndices()},
      {"stage_values", schedule.getStageValues()},
      {"tile_rows", schedule.getTileRows() != 0},
      {"tile_columns", schedule.getTileColumns() != 0}};
  for (auto [name, isSet] : fields)
    if (isSet)
      return refuse(op, name) << "the traversal template reads rows straight "
                                 "from global memory";
  return success();
}

static LogicalResult chooseLanes(TraverseOp op, TraverseScheduleAttr schedule,
                                 const BodyFacts &facts,
                                 TraverseLayout &layout) {
  DomainAttr domain = op.getDomain();
  int64_t features = domain.getFeatures(), heads = domain.getHeads();
  layout.vector = widestVector(op);
  if (int64_t wanted = schedule ? schedule.getVector() : 0) {
    if (layout.vector % wanted)
      return refuse(op, "vector") << "rows are aligned to " << layout.vector
                                  << " features, not to " << wanted;
    layout.vector = wanted;
  }
  int64_t vectors = llvm::divideCeil(features, layout.vector);
  layout.featureLanes = std::min<int64_t>(32, llvm::PowerOf2Ceil(vectors));
  if (schedule && schedule.getLanes())
    layout.featureLanes = schedule.getLanes();
  layout.headLanes =
      std::min<int64_t>(32 / layout.featureLanes, llvm::PowerOf2Ceil(heads));
  int64_t left = 32 / (layout.featureLanes * layout.headLanes);
  if (facts.hasElements)
    layout.elementLanes =
        facts.shufflesInsideElements ? left : std::min<int64_t>(left, 8);
  if (int64_t wanted = schedule ? schedule.getElementLanes() : 0) {
    if (wanted > left || (facts.shufflesInsideElements && wanted != left) ||
        (!facts.hasElements && wanted != 1))
      return refuse(op, "element_lanes")
             << "expected " << (facts.hasElements ? left : 1) << ", got "
             << wanted;
    layout.elementLanes = wanted;
  }
  layout.headChunks = llvm::divideCeil(heads, layout.headLanes);
  layout.chunks = llvm::divideCeil(vectors, layout.featureLanes);
  return success();
}

/// Cuts wide rows into column tiles, where no reduction needs the whole row.
static LogicalResult chooseColumns(TraverseOp op, TraverseScheduleAttr schedule,
                                   const BodyFacts &facts,
                                   TraverseLayout &layout) {
  int64_t width = layout.featureLanes * layout.vector;
  int64_t chunks = facts.reducesFeatures ? layout.chunks
                                         : std::min<int64_t>(layout.chunks, 4);
  int64_t columns = schedule ? schedule.getColumnsPerBlock() : 0;
  int64_t tile = schedule ? schedule.getRegisterTile() : 0;
  if (columns) {
    if (columns % width || (tile && tile * width != columns))
      return refuse(op, "columns_per_block")
             << "expected a multiple of " << width << ", got " << columns;
    chunks = columns / width;
  } else if (tile) {
    chunks = tile;
  }
  if (facts.reducesFeatures &&
      layout.chunks * layout.headChunks > maxHeldVectors)
    return op.emitOpError("reduces rows of ")
           << op.getDomain().getHeads() << " x " << op.getDomain().getFeatures()
           << " features, of which a lane would "
           << "hold " << layout.chunks * layout.headChunks
           << " vectors, expected at most " << maxHeldVectors;
  if (facts.reducesFeatures && chunks < layout.chunks)
    return refuse(op, columns ? "columns_per_block" : "register_tile")
           << "a reduction over features needs all " << layout.chunks
           << " vectors of a row in one block";
  if ((columns || tile) && chunks > layout.chunks)
    return refuse(op, columns ? "columns_per_block" : "register_tile")
           << "a row has only " << layout.chunks << " vectors for each lane";
  layout.columnTiles = llvm::divideCeil(layout.chunks, chunks);
  layout.chunks = chunks;
  return success();
}

FailureOr<TraverseLayout> gnn::tile::chooseLayout(TraverseOp op) {
  TraverseScheduleAttr schedule = op.getScheduleAttr();
  BodyFacts facts = collectFacts(op);
  TraverseLayout layout;
  if (schedule && failed(checkUnsupported(op, schedule)))
    return failure();
  if (failed(chooseLanes(op, schedule, facts, layout)) ||
      failed(chooseColumns(op, schedule, facts, layout)))
    return failure();
  layout.inFlight = facts.hasElements ? 4 : 1;
  if (int64_t wanted = schedule ? schedule.getInFlight() : 0) {
    if (!facts.hasElements && wanted != 1)
      return refuse(op, "in_flight") << "the domain has no elements";
    layout.inFlight = wanted;
  }
  int64_t perRow = layout.threadsPerRow();
  layout.rowsPerBlock = std::max<int64_t>(1, 256 / perRow);
  RowDomain groups = op.getDomain().getGroups();
  // Types, and the whole graph, are few and have many elements each.
  if (groups.isKind(RowKind::Node) || groups.isKind(RowKind::Pair))
    layout.splitRows = 32 * layout.elementLanes * layout.inFlight;
  if (int64_t wanted = schedule ? schedule.getSplitRows() : 0) {
    layout.splitRows = wanted;
  }
  if (int64_t wanted = schedule ? schedule.getRowsPerBlock() : 0) {
    if (wanted * perRow > 1024 || (wanted * perRow) % 32)
      return refuse(op, "rows_per_block")
             << "expected whole warps and at most 1024 threads, got "
             << wanted * perRow << " threads";
    layout.rowsPerBlock = wanted;
  }
  if (schedule && schedule.getRowOrder() &&
      schedule.getRowOrder() == "by_degree") {
    if (!groups.isKind(RowKind::Node) || groups != groups.getNatural())
      return refuse(op, "row_order")
             << "expected groups of nodes, got '" << groups.str() << "'";
    layout.byDegree = true;
  }
  return layout;
}
