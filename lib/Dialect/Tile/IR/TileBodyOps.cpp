//===- TileBodyOps.cpp - Ops in the bodies of traversals ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace gnn::tile;

LogicalResult ArgReduceOp::verify() {
  if (getKind() != Reduction::Max && getKind() != Reduction::Min) // C1
    return emitOpError("expected 'max' or 'min', got '")
           << stringifyReduction(getKind()) << "'";
  return success();
}

LogicalResult SoftmaxSumOp::inferReturnTypes(
    MLIRContext *, std::optional<Location>, ValueRange operands, DictionaryAttr,
    OpaqueProperties, RegionRange, SmallVectorImpl<Type> &types) {
  llvm::append_range(types, operands.getTypes()); // C1
  return success();
}

ParseResult SoftmaxSumOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  Type type;
  if (parser.parseOperandList(operands) ||
      parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(type) ||
      parser.resolveOperands(operands, type, state.operands))
    return failure();
  state.addTypes(SmallVector<Type>(operands.size(), type));
  return success();
}

void SoftmaxSumOp::print(OpAsmPrinter &printer) {
  printer << " " << getOperands();
  printer.printOptionalAttrDict((*this)->getAttrs());
  printer << " : " << getScore().getType();
}

LogicalResult IndexOp::verify() {
  AtAttr at = getAt();
  unsigned columns = at.getHead() + at.getFeature();
  if (columns != (at.getAnchor() == Anchor::All ? 1 : 0)) // C1
    return emitOpError("expected a row, or the head or the feature at 'all', "
                       "got ")
           << at;
  return success();
}

ParseResult FoldOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::UnresolvedOperand> values, identity;
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOperandList(values) || parser.parseKeyword("identity") ||
      parser.parseOperandList(identity) ||
      parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonTypeList(types) ||
      parser.resolveOperands(values, types, loc, state.operands) ||
      parser.resolveOperands(identity, types, loc, state.operands) ||
      parser.parseRegion(*state.addRegion()))
    return failure();
  int32_t n = values.size();
  state.addAttribute("operandSegmentSizes",
                     parser.getBuilder().getDenseI32ArrayAttr(
                         {n, static_cast<int32_t>(identity.size())}));
  state.addTypes(types);
  return success();
}

void FoldOp::print(OpAsmPrinter &printer) {
  printer << " " << getValues() << " identity " << getIdentity();
  printer.printOptionalAttrDict((*this)->getAttrs(), {"operandSegmentSizes"});
  printer << " : " << getValues().getTypes() << " ";
  printer.printRegion(getCombine());
}

LogicalResult FoldOp::verify() {
  size_t n = getValues().size();
  if (n == 0 || getIdentity().getTypes() != getValues().getTypes() ||
      getResultTypes() != getValues().getTypes()) // C1
    return emitOpError("expected as many identities and results as values: ")
           << n << ", got " << getIdentity().size() << " and "
           << getNumResults();
  Block &block = getCombine().front();
  auto yield = cast<YieldOp>(block.getTerminator());
  if (block.getNumArguments() != 2 * n || yield.getValues().size() != n) // C2
    return emitOpError("expected a region of ")
           << 2 * n << " arguments that yields " << n << " values, got "
           << block.getNumArguments() << " and " << yield.getValues().size();
  return success();
}

LogicalResult FoldOp::verifyRegions() {
  auto yield = cast<YieldOp>(getCombine().front().getTerminator());
  for (size_t i = 0, n = getValues().size(); i < n; ++i) { // C3
    Level own = getLevel(getValues()[i]);
    own.element = true;
    if (!getLevel(yield.getValues()[i]).within(own))
      return emitOpError("component ")
             << i << " depends on one that varies by more dimensions";
    if (Level identity = getLevel(getIdentity()[i]);
        !identity.within(getLevel(getResult(i)))) // C4
      return emitOpError("identity ")
             << i << " varies by more dimensions than its result"
             << (identity.element ? ", by the element" : "");
  }
  return success();
}
