//===- Ranges.cpp - Templates on ranges -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/Ranges.h"

#include "GNN/Dialect/Tile/IR/ProductLayout.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

bool gnn::tile::isInWorkgroup(Value operand) {
  auto type = dyn_cast<MemRefType>(operand.getType());
  return type && gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type);
}

bool gnn::tile::isPrivate(Value operand) {
  auto type = dyn_cast<MemRefType>(operand.getType());
  auto space =
      type ? dyn_cast_if_present<gpu::AddressSpaceAttr>(type.getMemorySpace())
           : gpu::AddressSpaceAttr();
  return space && space.getValue() == gpu::GPUDialect::getPrivateAddressSpace();
}

/// Checks that no operand is in workgroup memory, or `only` one on a range, at
/// the rows of the range.
static LogicalResult verifyWorkgroup(TileOpInterface op, bool isOnRange,
                                     OpOperand *only) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isInWorkgroup(operand.get()))
      continue;
    if (!isOnRange || &operand != only)
      return op->emitOpError("expected ")
             << (isOnRange ? "buffers in global memory but for the output of a "
                             "traversal and the input of a gemm, got "
                           : "buffers in global memory without a range, got ")
             << operand.get().getType();
    AtAttr at = op.getAccess(operand);
    auto type = cast<MemRefType>(operand.get().getType());
    if (at.getAnchor() != Anchor::Group || at.getSpace())
      return op->emitOpError("expected an array in workgroup memory at the "
                             "rows of the range, got one at ")
             << at;
    if (!type.hasStaticShape() || type.getDimSize(0) < ProductLayout::rows)
      return op->emitOpError("expected an array in workgroup memory of ")
             << ProductLayout::rows << " rows or more, got " << type;
  }
  return success();
}

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
  OpOperand *output =
      op.getOutputs().size() == 1 ? &op.getOutputsMutable()[0] : nullptr;
  if (failed(verifyWorkgroup(op, on, output)))
    return failure();
  return verifyRangeOf(
      op, {{"rows", static_cast<bool>(op.getEndRow()), on},
           {"columns", static_cast<bool>(op.getFirstColumn()), on}});
}

LogicalResult gnn::tile::verifyRange(GemmOp op) {
  bool on = op.isOnRange();
  if (failed(verifyWorkgroup(op, on, &op.getInputMutable())))
    return failure();
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
  if (failed(verifyWorkgroup(op, on, nullptr)))
    return failure();
  auto has = [](Value value) { return static_cast<bool>(value); };
  return verifyRangeOf(op, {{"rows", has(op.getRowCount()), on},
                            {"type", has(op.getTypeRow()), on && op.getTypes()},
                            {"left", has(op.getLeftColumn()), on},
                            {"right", has(op.getRightColumn()), on},
                            {"head", has(op.getHead()),
                             on && op.getHeads() && !op.sumsHeads()}});
}
