//===- Ranges.cpp - Templates on ranges -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/Ranges.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace {
/// A part of a range: whether it is there, and whether it has to be.
struct RangePart {
  StringRef name;
  bool isGiven, isNeeded;
};
} // namespace

template <typename TemplateOp>
static LogicalResult verifyRangeOf(TemplateOp op, ArrayRef<RangePart> parts) {
  for (const RangePart &part : parts)
    if (part.isGiven != part.isNeeded)
      return op.emitOpError("expected ")
             << (part.isNeeded ? "'" : "no '") << part.name << "' "
             << (op.isOnRange() ? "on its range" : "without a range of rows");
  if (!op.isOnRange()) {
    if (op.getIndexArrays().empty())
      return success();
    return op.emitOpError("expected a range of rows beside 'index_arrays'");
  }
  for (Type type : op.getOperandTypes())
    if (isa<TensorType>(type))
      return op.emitOpError("expected memrefs on a range, got ") << type;
  if (failed(op.verifySchedule()))
    return failure();
  size_t expected = op.getStructures().size();
  if (op.getIndexArrays().size() != expected)
    return op.emitOpError("expected as many 'index_arrays' as it reads: ")
           << expected << ", got " << op.getIndexArrays().size();
  return success();
}

LogicalResult gnn::tile::verifyRange(TraverseOp op) {
  bool on = op.isOnRange();
  return verifyRangeOf(
      op, {{"rows", static_cast<bool>(op.getEndRow()), on},
           {"columns", static_cast<bool>(op.getFirstColumn()), on}});
}

LogicalResult gnn::tile::verifyRange(GemmOp op) {
  bool on = op.isOnRange();
  auto has = [](Value value) { return static_cast<bool>(value); };
  return verifyRangeOf(
      op, {{"rows", has(op.getRowCount()), on},
           {"type", has(op.getTypeRow()), on && op.getTypes()},
           {"weight", has(op.getWeightRow()), on && op.getWeights()},
           {"columns", has(op.getFirstColumn()), on},
           {"head", has(op.getHead()), on && op.getOutputAt().getHead()}});
}

LogicalResult gnn::tile::verifyRange(OuterOp op) {
  bool on = op.isOnRange();
  auto has = [](Value value) { return static_cast<bool>(value); };
  return verifyRangeOf(op, {{"rows", has(op.getRowCount()), on},
                            {"type", has(op.getTypeRow()), on && op.getTypes()},
                            {"left", has(op.getLeftColumn()), on},
                            {"right", has(op.getRightColumn()), on},
                            {"head", has(op.getHead()),
                             on && op.getHeads() && !op.sumsHeads()}});
}
