//===- BlockRanges.cpp - The ranges of a loop over blocks -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A template on a range takes as many rows and columns as its schedule says,
// from where the loop over blocks says. A pass that changes one of the two
// leaves rows that nobody writes.
//
//===----------------------------------------------------------------------===//

#include "BlockForms.h"

#include "GNN/Dialect/Tile/IR/ProductLayout.h"
#include "GNN/Dialect/Tile/IR/Ranges.h"
#include "GNN/Dialect/Tile/IR/TraverseLayout.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace {
/// Where the range of a block begins: `step` times `number`, and `offset`.
struct Start {
  Value number; ///< of the block, from 0; null: all blocks begin there
  int64_t step = 0;
  int64_t offset = 0;
  std::optional<int64_t> blocks; ///< how many numbers there are
};

/// The range that one template takes along one dimension.
struct TakenRange {
  Operation *op;
  Value output;
  StringRef what;
  Start start;
  int64_t size;
  int64_t all; ///< what there is of it; 0: not known here
};

/// All ranges of a loop whose starts can be followed.
class TakenRanges {
public:
  explicit TakenRanges(BlocksOp loop);
  LogicalResult verify() const;

private:
  void add(TraverseOp op);
  void add(GemmOp op);
  void add(OuterOp op);
  void add(Operation *op, Value output, StringRef what, Value first,
           int64_t size, int64_t all);
  std::optional<Start> follow(Value first);
  LogicalResult verify(const TakenRange &range) const;
  LogicalResult verifyNumbers(const TakenRange &range) const;

  BlocksOp loop;
  SmallVector<TakenRange> ranges;
};
} // namespace

TakenRanges::TakenRanges(BlocksOp loop) : loop(loop) {
  for (Operation &op : loop.getBody()->without_terminator())
    llvm::TypeSwitch<Operation *>(&op).Case<TraverseOp, GemmOp, OuterOp>(
        [&](auto op) { add(op); });
}

/// Nothing where the start is none of the forms that passes make, such as one
/// that is read from an index array.
std::optional<Start> TakenRanges::follow(Value first) {
  Start start;
  if (std::optional<int64_t> constant = getConstantIntValue(first)) {
    start.offset = *constant;
    return start;
  }
  if (auto add = first.getDefiningOp<arith::AddIOp>())
    if (std::optional<int64_t> offset = getConstantIntValue(add.getRhs())) {
      start.offset = *offset;
      first = add.getLhs();
    }
  int64_t factor = 1;
  if (auto multiply = first.getDefiningOp<arith::MulIOp>())
    if (std::optional<int64_t> by = getConstantIntValue(multiply.getRhs())) {
      factor = *by;
      first = multiply.getLhs();
    }
  start.number = first;
  if (auto numbers = first.getDefiningOp<affine::AffineDelinearizeIndexOp>()) {
    start.step = factor;
    if (OpFoldResult count =
            numbers.getPaddedBasis()[cast<OpResult>(first).getResultNumber()])
      start.blocks = getConstantIntValue(count);
    return start;
  }
  auto variable = dyn_cast<BlockArgument>(first);
  if (!variable || variable.getOwner() != loop.getBody())
    return std::nullopt;
  unsigned number = variable.getArgNumber();
  int64_t step = loop.getSteps()[number];
  start.step = step * factor;
  if (std::optional<int64_t> end =
          getConstantIntValue(loop.getMixedEnds()[number]))
    start.blocks = llvm::divideCeil(std::max<int64_t>(*end, 0), step);
  return start;
}

void TakenRanges::add(Operation *op, Value output, StringRef what, Value first,
                      int64_t size, int64_t all) {
  if (std::optional<Start> start = follow(first))
    ranges.push_back({op, output, what, *start, size, all});
}

void TakenRanges::add(TraverseOp op) {
  TraverseSchedule schedule(op);
  ValueRange outputs = op.getOutputs();
  Value output = outputs.empty() ? Value() : outputs.front();
  // An output that is left to another template of the block has all rows of the
  // range.
  if (!isForBlock(op))
    add(op, output, "rows", op.getFirstRow(), schedule.getBlockPositions(), 0);
  add(op, output, "columns", op.getFirstColumn(), schedule.columnsPerBlock,
      op.getDomain().getFeatures());
}

void TakenRanges::add(GemmOp op) {
  add(op, op.getOutput(), "rows", op.getFirstRow(), ProductLayout::rows, 0);
  add(op, op.getOutput(), "columns", op.getFirstColumn(),
      op.getScheduleAttr().getN(), op.getOut());
}

void TakenRanges::add(OuterOp op) {
  add(op, op.getOutput(), "columns of 'left'", op.getLeftColumn(),
      ProductLayout::rows, op.getIn());
  add(op, op.getOutput(), "columns of 'right'", op.getRightColumn(),
      op.getScheduleAttr().getN(), op.getOut());
}

/// Checks a range with all that begin by the same number, of which it is the
/// first.
LogicalResult TakenRanges::verify(const TakenRange &range) const {
  SmallVector<int64_t> offsets;
  for (const TakenRange &other : ranges)
    if (other.op->getName() == range.op->getName() &&
        other.output == range.output && other.what == range.what &&
        other.start.number == range.start.number && other.size == range.size) {
      if (offsets.empty() && &other != &range) // checked with that one
        return success();
      offsets.push_back(other.start.offset);
    }
  llvm::sort(offsets);
  int64_t taken = 0;
  for (int64_t offset : offsets)
    if (offset <= taken)
      taken = std::max(taken, offset + range.size);
  if (range.start.number) {
    if (taken == range.start.step)
      return verifyNumbers(range);
    return range.op->emitOpError("expected ") // C8
           << range.start.step << " " << range.what
           << " a block, where the next block begins, got " << taken;
  }
  if (!range.all || taken >= range.all)
    return success();
  return range.op->emitOpError("expected all ") // C8
         << range.all << " " << range.what << " in a block, got " << taken;
}

/// Whether the blocks reach all of what there is, where both are known.
LogicalResult TakenRanges::verifyNumbers(const TakenRange &range) const {
  if (!range.all || !range.start.blocks)
    return success();
  auto expected = static_cast<int64_t>(
      llvm::divideCeil(range.all, std::max<int64_t>(range.start.step, 1)));
  if (*range.start.blocks == expected)
    return success();
  return range.op->emitOpError("expected ") // C8
         << expected << " blocks of " << range.start.step << " of its "
         << range.all << " " << range.what << ", got " << *range.start.blocks;
}

LogicalResult TakenRanges::verify() const {
  for (const TakenRange &range : ranges)
    if (failed(verify(range)))
      return failure();
  return success();
}

LogicalResult gnn::verifyRanges(BlocksOp loop) {
  return TakenRanges(loop).verify();
}
