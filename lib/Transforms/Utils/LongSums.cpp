//===- LongSums.cpp - Sums whose rounding errors are kept -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No operation here may be reassociated or contracted: none has fast-math
// flags, and what is subtracted is never contracted (gnn-contract-products).
//
//===----------------------------------------------------------------------===//

#include "LongSums.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace gnn::tile;

static Value addf(IndexBuilder &b, Value x, Value y) {
  return arith::AddFOp::create(b, x, y);
}
static Value subf(IndexBuilder &b, Value x, Value y) {
  return arith::SubFOp::create(b, x, y);
}

LongSum gnn::tile::addRun(IndexBuilder &b, LongSum before, Value factor,
                          Value run) {
  Value sum = addf(b, before.sum, run);
  Value taken = subf(b, sum, before.sum);
  Value error = before.error;
  if (factor)
    error = arith::MulFOp::create(b, factor, error);
  return {sum, addf(b, error, subf(b, run, taken))};
}

Value gnn::tile::joinParts(IndexBuilder &b, LongSum sum) {
  Type type = sum.sum.getType();
  auto element = cast<FloatType>(getElementTypeOrSelf(type));
  TypedAttr infinity = b.getFloatAttr(
      element, llvm::APFloat::getInf(element.getFloatSemantics()));
  if (auto vector = dyn_cast<VectorType>(type))
    infinity = DenseElementsAttr::get(vector, Attribute(infinity));
  Value isNumber = arith::CmpFOp::create(
      b, arith::CmpFPredicate::OLT, math::AbsFOp::create(b, sum.error),
      arith::ConstantOp::create(b, infinity));
  return arith::SelectOp::create(b, isNumber, addf(b, sum.sum, sum.error),
                                 sum.sum);
}

Value gnn::tile::zeroOf(IndexBuilder &b, Type type) {
  return arith::ConstantOp::create(b, b.getZeroAttr(type));
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

std::optional<LongStates::Sum> LongStates::findSum(Block &combine,
                                                   unsigned number) {
  auto sum = combine.getTerminator()
                 ->getOperand(number)
                 .getDefiningOp<arith::AddFOp>();
  if (!sum || sum->getBlock() != &combine || sum.getLhs() == sum.getRhs())
    return std::nullopt;
  Value state = combine.getArgument(number);
  for (unsigned own : {0, 1}) {
    Value operand = sum->getOperand(own);
    if (operand == state)
      return Sum{number, sum, own, Value()};
    auto product = operand.getDefiningOp<arith::MulFOp>();
    if (!product || product->getBlock() != &combine)
      continue;
    for (unsigned i : {0, 1})
      if (product->getOperand(i) == state &&
          product->getOperand(1 - i) != state)
        return Sum{number, sum, own, product->getOperand(1 - i)};
  }
  return std::nullopt;
}

LongStates::LongStates(Block &combine) : combine(combine) {
  for (unsigned i = 0; i < combine.getNumArguments() / 2; ++i)
    if (std::optional<Sum> sum = findSum(combine, i))
      sums.push_back(*sum);
}

LongStates::Values LongStates::start(IndexBuilder &b, ValueRange states) {
  Values all(states);
  for (const Sum &sum : sums)
    all.push_back(zeroOf(b, states[sum.number].getType()));
  return all;
}

LongStates::Values LongStates::add(IndexBuilder &b, ValueRange before,
                                   ValueRange run) {
  size_t count = run.size();
  IRMapping mapping;
  mapping.map(combine.getArguments().take_front(count),
              before.take_front(count));
  mapping.map(combine.getArguments().drop_front(count), run);
  Values errors(before.drop_front(count));
  for (Operation &op : combine.without_terminator()) {
    const Sum *sum =
        llvm::find_if(sums, [&](Sum &sum) { return sum.op == &op; });
    if (sum == sums.end()) {
      b.clone(op, mapping);
      continue;
    }
    auto valueOf = [&](Value value) { return mapping.lookupOrDefault(value); };
    Value &error = errors[sum - sums.begin()];
    LongSum next = addRun(b, {valueOf(op.getOperand(sum->own)), error},
                          sum->factor ? valueOf(sum->factor) : Value(),
                          valueOf(op.getOperand(1 - sum->own)));
    mapping.map(op.getResult(0), next.sum);
    error = next.error;
  }
  Values all = llvm::map_to_vector(
      combine.getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookupOrDefault(value); });
  llvm::append_range(all, errors);
  return all;
}

LongStates::Values LongStates::join(IndexBuilder &b, ValueRange parts) {
  size_t count = parts.size() - sums.size();
  Values states(parts.take_front(count));
  for (auto [sum, error] : llvm::zip_equal(sums, parts.drop_front(count)))
    states[sum.number] = joinParts(b, {states[sum.number], error});
  return states;
}
