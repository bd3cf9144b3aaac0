//===- Differentiate.cpp - Reverse mode over a list of ops ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/GNN/IR/FunctionAttributes.h"
#include "GNN/Dialect/GNN/IR/GNNDialect.h"
#include "GNN/Dialect/GNN/IR/GNNFeatureOps.h"
#include "GNN/Dialect/GNN/IR/Gradients.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace gnn;

//===----------------------------------------------------------------------===//
// Requests of a function
//===----------------------------------------------------------------------===//

std::string gnn::getInputName(FunctionOpInterface func, unsigned number) {
  auto name = func.getArgAttrOfType<StringAttr>(number, attribute::name);
  return name ? name.str() : defaultInputName(number);
}

std::string gnn::getResultName(FunctionOpInterface func, unsigned number) {
  auto name = func.getResultAttrOfType<StringAttr>(number, attribute::name);
  return name ? name.str() : defaultResultName(number);
}

bool gnn::mayHaveGradient(Type type) {
  return isa<RankedTensorType>(type) &&
         isFeatureType(getElementTypeOrSelf(type));
}

SmallVector<unsigned> gnn::getGradientInputs(FunctionOpInterface func,
                                             ArrayRef<std::string> names) {
  SmallVector<unsigned> inputs;
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    if (mayHaveGradient(func.getArgument(i).getType()) &&
        (names.empty() || llvm::is_contained(names, getInputName(func, i))))
      inputs.push_back(i);
  return inputs;
}

SmallVector<unsigned> gnn::getGradientInputs(FunctionOpInterface func) {
  Attribute asked = func->getAttr(attribute::gradients);
  return asked ? getGradientInputs(func, getNames(asked))
               : SmallVector<unsigned>();
}

SmallVector<std::string> gnn::getNames(Attribute list) {
  SmallVector<std::string> names;
  if (auto array = dyn_cast_or_null<ArrayAttr>(list))
    for (auto name : array.getAsRange<StringAttr>())
      names.push_back(name.str());
  return names;
}

//===----------------------------------------------------------------------===//
// Reverse mode
//===----------------------------------------------------------------------===//

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

Varying gnn::findTrained(FunctionOpInterface func) {
  SmallVector<Value> inputs;
  for (unsigned number : getGradientInputs(func))
    inputs.push_back(func.getArgument(number));
  if (inputs.empty())
    return Varying();
  SmallVector<Operation *> ops;
  for (Operation &op : func.getFunctionBody().getOps())
    ops.push_back(&op);
  return findVarying(ops, inputs);
}

/// "input 'x'", or the number of an argument that has no name.
static std::string describe(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return "a value of the function";
  unsigned number = argument.getArgNumber();
  auto func = dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (auto name =
          func ? func.getArgAttrOfType<StringAttr>(number, attribute::name)
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

/// Whether a gradient is a constant 0, as that of a step is.
static bool isConstantZero(Value gradient) {
  if (auto broadcast = gradient.getDefiningOp<gnn::BroadcastOp>())
    gradient = broadcast.getInput();
  return matchPattern(gradient, m_AnyZeroFloat());
}

/// Adds what `op` hands down of the gradients of its results. A gradient of 0
/// is not handed down: nothing is computed of it.
static LogicalResult differentiate(OpBuilder &builder, Operation *op,
                                   const Varying &varying,
                                   Gradients &gradients) {
  auto ofResults = llvm::map_to_vector(
      op->getResults(), [&](Value result) { return gradients.get(result); });
  if (llvm::none_of(ofResults, [](Value gradient) { return !!gradient; }))
    return success();
  auto rule = dyn_cast<DifferentiableOpInterface>(op);
  StringRef noRule = "no rule of differentiation is known for this op";
  llvm::BitVector asked(op->getNumOperands());
  for (OpOperand &operand : op->getOpOperands()) {
    auto found = varying.find(operand.get());
    if (found == varying.end())
      continue;
    unsigned number = operand.getOperandNumber();
    if (StringRef why = rule ? rule.getNoGradientReason(number) : noRule;
        !why.empty())
      return refuse(op, "operand " + Twine(number), found->second, why);
    asked.set(number);
  }
  for (Value read : getReads(op))
    if (auto found = varying.find(read);
        found != varying.end() && !llvm::is_contained(op->getOperands(), read))
      return refuse(op, "what its body reads", found->second,
                    rule ? rule.getNoGradientOfBodyReason() : noRule);
  if (asked.none())
    return success();
  SmallVector<Value> ofOperands(op->getNumOperands());
  if (failed(rule.buildGradient(builder, ofResults, asked, ofOperands)))
    return failure();
  llvm::DenseSet<Value> given;
  for (unsigned number : asked.set_bits()) {
    Value operand = op->getOperand(number), gradient = ofOperands[number];
    if (!gradient)
      continue;
    if (gradient.getType() != operand.getType())
      return op->emitOpError("expected a gradient of type ")
             << operand.getType() << " with respect to operand " << number
             << ", got " << gradient.getType();
    if (!isConstantZero(gradient))
      gradients.add(operand, gradient);
    given.insert(operand);
  }
  // One that is missing would be taken to be 0.
  for (unsigned number : asked.set_bits())
    if (!given.contains(op->getOperand(number)))
      return op->emitOpError("expected a gradient with respect to operand ")
             << number << ", got none";
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
  for (unsigned i = 1; i < gradients.size(); ++i)
    if (gradients[i])
      return op->emitOpError("has no rule of differentiation of result ") << i;
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
