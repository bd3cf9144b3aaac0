//===- Differentiate.cpp - Reverse mode over a list of ops ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/GNN/IR/GNNDialect.h"
#include "GNN/Dialect/GNN/IR/Gradients.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace gnn;

void Gradients::add(Value value, Value part) {
  Value &sum = sums[value];
  sum = sum ? arith::AddFOp::create(builder, part.getLoc(), sum, part) : part;
}

SetVector<Value> gnn::getReads(Operation *op) {
  SetVector<Value> reads(op->operand_begin(), op->operand_end());
  if (!op->hasTrait<OpTrait::IsIsolatedFromAbove>())
    getUsedValuesDefinedAbove(op->getRegions(), reads);
  return reads;
}

Varying gnn::findVarying(ArrayRef<Operation *> ops, ValueRange of) {
  Varying varying;
  for (Value value : of)
    varying[value] = value;
  for (Operation *op : ops)
    for (Value read : getReads(op)) {
      auto found = varying.find(read);
      if (found == varying.end())
        continue;
      Value origin = found->second;
      for (Value result : op->getResults())
        if (isFeatureType(getElementTypeOrSelf(result.getType())))
          varying.try_emplace(result, origin);
      break;
    }
  return varying;
}

/// "input 'x'", or the number of an argument that has no name.
static std::string describe(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return "a value of the function";
  unsigned number = argument.getArgNumber();
  auto func = dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (auto name = func ? func.getArgAttrOfType<StringAttr>(number, "gnn.name")
                       : nullptr)
    return ("input '" + name.getValue() + "'").str();
  return "argument " + std::to_string(number);
}

/// Reports at `op` that it has no gradient with respect to what it reads.
static LogicalResult refuse(Operation *op, const Twine &read, Value origin,
                            StringRef reason) {
  return op->emitOpError("has no gradient with respect to ")
         << read << ", which depends on " << describe(origin) << ": " << reason;
}

/// Adds what `op` hands down of the gradients of its results.
static LogicalResult differentiate(OpBuilder &builder, Operation *op,
                                   const Varying &varying,
                                   Gradients &gradients) {
  auto ofResults = llvm::map_to_vector(
      op->getResults(), [&](Value result) { return gradients.get(result); });
  if (llvm::none_of(ofResults, [](Value gradient) { return !!gradient; }))
    return success();
  auto rule = dyn_cast<DifferentiableOpInterface>(op);
  auto reason = [&](unsigned operand) -> StringRef {
    return rule ? rule.getNoGradientReason(operand)
                : "no rule of differentiation is known for this op";
  };
  llvm::BitVector asked(op->getNumOperands());
  for (OpOperand &operand : op->getOpOperands()) {
    auto found = varying.find(operand.get());
    if (found == varying.end())
      continue;
    unsigned number = operand.getOperandNumber();
    if (StringRef why = reason(number); !why.empty())
      return refuse(op, "operand " + Twine(number), found->second, why);
    asked.set(number);
  }
  for (Value read : getReads(op))
    if (auto found = varying.find(read);
        found != varying.end() && !llvm::is_contained(op->getOperands(), read))
      return refuse(op, "what its body reads", found->second, reason(0));
  if (asked.none())
    return success();
  SmallVector<Value> ofOperands(op->getNumOperands());
  if (failed(rule.buildGradient(builder, ofResults, asked, ofOperands)))
    return failure();
  for (OpOperand &operand : op->getOpOperands()) {
    Value gradient = ofOperands[operand.getOperandNumber()];
    if (!gradient || !asked[operand.getOperandNumber()])
      continue;
    if (gradient.getType() != operand.get().getType())
      return op->emitOpError("expected a gradient of type ")
             << operand.get().getType() << " with respect to operand "
             << operand.getOperandNumber() << ", got " << gradient.getType();
    gradients.add(operand.get(), gradient);
  }
  return success();
}

LogicalResult gnn::differentiate(OpBuilder &builder, ArrayRef<Operation *> ops,
                                 const Varying &varying, Gradients &gradients) {
  for (Operation *op : llvm::reverse(ops))
    if (failed(::differentiate(builder, op, varying, gradients)))
      return failure();
  return success();
}

LogicalResult gnn::detail::transposeInOperands(
    Operation *op, OpBuilder &builder, ArrayRef<Value> gradients,
    const llvm::BitVector &asked, MutableArrayRef<Value> ofOperands) {
  auto linear = dyn_cast<LinearOpInterface>(op);
  for (unsigned operand : asked.set_bits()) {
    if (linear && linear.isLinearIn(operand))
      ofOperands[operand] =
          linear.buildTranspose(builder, operand, gradients[0]);
    if (!ofOperands[operand])
      return op->emitOpError("has no rule of differentiation with respect to "
                             "operand ")
             << operand;
  }
  return success();
}
