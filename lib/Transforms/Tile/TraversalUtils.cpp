//===- TraversalUtils.cpp - Traversals made of traversals -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TraversalUtils.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

bool gnn::tile::reducesLanes(TraverseOp op) {
  bool found = false;
  op.getBody().walk([&](ReduceOp reduce) {
    found |= llvm::any_of(reduce.getDims(), [](int32_t dim) {
      return dim != static_cast<int32_t>(Dim::Element);
    });
  });
  return found;
}

Level gnn::tile::usedDims(TraverseOp op) {
  Level used;
  for (AtAttr at : op.getInputsAt().getAsRange<AtAttr>())
    used = used | getLevel(at);
  for (AtAttr at : op.getOutputsAt().getAsRange<AtAttr>())
    used = used | getLevel(at);
  return used;
}

bool gnn::tile::readsPart(TraverseOp op) {
  return llvm::any_of(
      llvm::zip(op.getInputs(), op.getInputsAt().getAsRange<AtAttr>()),
      [&](auto input) {
        auto [value, at] = input;
        return at.getFeature() &&
               cast<ShapedType>(value.getType()).getShape().back() !=
                   op.getDomain().getFeatures();
      });
}

bool gnn::tile::readsColumns(TraverseOp op) {
  return llvm::any_of(op.getInputsAt().getAsRange<AtAttr>(),
                      [](AtAttr at) { return at.getColumn(); });
}

std::optional<int64_t> gnn::tile::joinSize(int64_t a, bool aUses, int64_t b,
                                           bool bUses) {
  if (a == b || !bUses)
    return a;
  return aUses ? std::nullopt : std::optional<int64_t>(b);
}

bool gnn::tile::staysInRows(TraverseOp op) {
  auto isOwn = [](AtAttr at) {
    return at.getAnchor() == Anchor::All ||
           (at.getAnchor() == Anchor::Group && !at.getSpace());
  };
  bool inside = true;
  op.getBody().walk([&](IndexOp index) { inside &= isOwn(index.getAt()); });
  return inside && !op.getDomain().getElements() &&
         llvm::all_of(op.getInputsAt().getAsRange<AtAttr>(), isOwn) &&
         llvm::all_of(op.getOutputsAt().getAsRange<AtAttr>(), isOwn);
}

SmallVector<TraverseOp> gnn::tile::getConsumers(OpResult produced) {
  SmallVector<TraverseOp> consumers;
  llvm::SmallPtrSet<Operation *, 8> seen;
  for (Operation *user : produced.getUsers()) {
    auto consumer = dyn_cast<TraverseOp>(user);
    if (!consumer || llvm::is_contained(consumer.getOutputs(), produced))
      return {};
    if (seen.insert(consumer).second)
      consumers.push_back(consumer);
  }
  return consumers;
}

unsigned JoinedInputs::add(Value value, AtAttr at) {
  for (unsigned i = 0; i < values.size(); ++i)
    if (values[i] == value && accesses[i] == at)
      return i;
  values.push_back(value);
  accesses.push_back(at);
  return values.size() - 1;
}

Block &JoinedInputs::addBlock(TraverseOp op) const {
  Block &block = op.getBody().emplaceBlock();
  for (Value input : values)
    block.addArgument(getElementTypeOrSelf(input.getType()), op.getLoc());
  return block;
}

void gnn::tile::cloneBody(OpBuilder &builder, Block &from, IRMapping &mapping,
                          function_ref<AtAttr(AtAttr)> translate) {
  for (Operation &op : from.without_terminator()) {
    Operation *copy = builder.clone(op, mapping);
    if (auto index = dyn_cast<IndexOp>(copy))
      index.setAtAttr(translate(index.getAt()));
  }
}

TraverseOp gnn::tile::copyResult(OpBuilder &builder, TraverseOp op,
                                 unsigned number, Value output) {
  Block &body = op.getBody().front();
  Value value = body.getTerminator()->getOperand(number);
  llvm::DenseSet<Operation *> needed;
  auto isNeeded = [&](Value inner) {
    return inner == value ||
           llvm::any_of(inner.getUsers(),
                        [&](Operation *user) { return needed.contains(user); });
  };
  for (Operation &inner : llvm::reverse(body.without_terminator()))
    if (llvm::any_of(inner.getResults(), isNeeded))
      needed.insert(&inner);
  JoinedInputs inputs;
  SmallVector<std::pair<Value, unsigned>> arguments;
  for (auto [i, argument] : llvm::enumerate(body.getArguments()))
    if (isNeeded(argument))
      arguments.emplace_back(argument,
                             inputs.add(op.getInputs()[i], op.getInputAt(i)));
  auto copy = TraverseOp::create(
      builder, op.getLoc(), output.getType(), op.getGraphAttr(), op.getDomain(),
      inputs.values, output, builder.getArrayAttr(inputs.accesses),
      builder.getArrayAttr(op.getOutputAt(number)), op.getScheduleAttr());
  Block &block = inputs.addBlock(copy);
  IRMapping mapping;
  for (auto [argument, input] : arguments)
    mapping.map(argument, block.getArgument(input));
  OpBuilder inside = OpBuilder::atBlockBegin(&block);
  for (Operation &inner : body.without_terminator())
    if (needed.contains(&inner))
      inside.clone(inner, mapping);
  YieldOp::create(inside, op.getLoc(), mapping.lookupOrDefault(value));
  return copy;
}
