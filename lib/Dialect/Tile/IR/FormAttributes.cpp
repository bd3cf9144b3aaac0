//===- FormAttributes.cpp - Attributes of the forms of a kernel -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verification of the discardable attributes. The description of the dialect
// holds the labels that the comments below refer to.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/ProductForms.h"
#include "GNN/Dialect/Tile/IR/Ranges.h"
#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace {
/// What an attribute has to be, and at which op.
struct Rule {
  StringRef name;
  StringRef ops; // in words
  bool isAtOp;
  StringRef value; // in words
  bool isValue;
};
} // namespace

static bool isI64(Attribute value) {
  auto integer = dyn_cast<IntegerAttr>(value);
  return integer && integer.getType().isSignlessInteger(64);
}

/// Checks the array of `gnn_tile.permuted`: columns are exchanged within
/// blocks of 8 * `value` of them. A thread takes 4 of 16 depths side by side,
/// so that there are 4 exchanges at most.
static LogicalResult verifyPermuted(memref::AllocaOp array, int64_t value) {
  MemRefType type = array.getType();
  if (!isInWorkgroup(array) || type.getRank() < 2)
    return array.emitOpError("expected '")
           << permutedAttribute
           << "' at an array of workgroup memory of two or more dimensions, "
              "got "
           << type;
  int64_t columns = type.getShape().back();
  if (!llvm::is_contained({1, 2, 4}, value) || ShapedType::isDynamic(columns) ||
      columns % (8 * value))
    return array.emitOpError("expected '")
           << permutedAttribute << "' to be 1, 2 or 4, 8 times which "
           << "divides the columns of " << type << ", got " << value;
  return success();
}

LogicalResult TileDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  StringRef name = attribute.getName();
  Attribute value = attribute.getValue();
  bool isWrite = isa<vector::TransferWriteOp>(op);
  bool isContract = isa<vector::ContractionOp>(op);
  auto spread = dyn_cast<SpreadAttr>(value);
  const Rule rules[] = {
      // A1
      {spreadAttribute, "a vector.transfer_write or a vector.contract",
       isContract || isWrite, "#gnn_tile.spread without teams",
       spread && !spread.getTeams()},
      // A2
      {kindAttribute, "a vector.contract", isContract, "#gnn_tile.product_kind",
       isa<ProductKindAttr>(value)},
      // A3
      {loadAheadAttribute, "an scf.for", isa<scf::ForOp>(op), "without a value",
       isa<UnitAttr>(value)},
      {copyAsyncAttribute, "a vector.transfer_write", isWrite,
       "without a value", isa<UnitAttr>(value)},
      {asyncAttribute, "a vector.transfer_write", isWrite, "without a value",
       isa<UnitAttr>(value)},
      // A4
      {permutedAttribute, "a memref.alloca", isa<memref::AllocaOp>(op),
       "an i64", isI64(value)},
  };
  const Rule *rule =
      llvm::find_if(rules, [&](const Rule &rule) { return rule.name == name; });
  if (rule == std::end(rules))
    return success();
  if (!rule->isAtOp)
    return op->emitOpError("expected '")
           << name << "' at " << rule->ops << " only";
  if (!rule->isValue)
    return op->emitOpError("expected '")
           << name << "' to be " << rule->value << ", got " << value;
  if (name == permutedAttribute) // A4
    return verifyPermuted(cast<memref::AllocaOp>(op),
                          cast<IntegerAttr>(value).getInt());
  return success();
}
