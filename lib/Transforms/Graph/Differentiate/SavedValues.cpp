//===- SavedValues.cpp - Save a value, or compute it again ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The smallest cut, in bytes, between what the forward pass has and what the
// backward pass reads: each value is a pair of nodes joined by its bytes. A
// value that takes a product or a walk to compute hangs on the source, so that
// it, or something behind it, is saved; rows of features of edges are not to be
// cut. Arguments and results cost nothing: their owner has them.
//
//===----------------------------------------------------------------------===//

#include "SavedValues.h"

#include "FlowNetwork.h"

#include "../Utils.h"

#include "GNN/Analysis/CostModel.h"
#include "GNN/Dialect/GNN/IR/GNN.h"
#include "GNN/Dialect/GNN/IR/Gradients.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace gnn;

/// An op that reads more than so many times what it writes is not cheap.
static constexpr double mostReads = 4;

static StatsAttr statsOf(Operation *from, Type type) {
  if (!getRows(type))
    return getNominalStats(from->getContext());
  StatsAttr stats = getStats(from, type);
  return stats ? stats : getNominalStats(from->getContext());
}

llvm::DenseSet<Value> gnn::findSources(ValueRange values,
                                       function_ref<bool(Value)> isGiven) {
  llvm::DenseSet<Value> sources(values.begin(), values.end());
  SmallVector<Value> left(values);
  while (!left.empty()) {
    Value value = left.pop_back_val();
    Operation *maker = value.getDefiningOp();
    if (!maker || isGiven(value))
      continue;
    for (Value operand : getReads(maker))
      if (sources.insert(operand).second)
        left.push_back(operand);
  }
  return sources;
}

SavedValues::SavedValues(const JointFunction &joint, GradientMemory memory,
                         ArrayRef<SparedReaders> spared)
    : joint(joint), memory(memory), areSpared(spared.size()) {
  findBackward(spared);
  for (Value value : findSources(joint.outputs(), [](Value) { return false; }))
    if (Operation *maker = value.getDefiningOp())
      forward.insert(maker);
  listPrimal();
  decide(findNeeded(cut(spared)));
}

void SavedValues::findBackward(ArrayRef<SparedReaders> spared) {
  for (Value cotangent :
       joint.body().getArguments().drop_front(joint.numInputs))
    ofGradients.insert(cotangent);
  for (Operation &op : joint.body().without_terminator())
    if (llvm::any_of(getReads(&op),
                     [&](Value operand) { return !isPrimal(operand); }))
      for (Value result : op.getResults())
        ofGradients.insert(result);
  // Only of ops that a gradient is computed by.
  llvm::DenseSet<Value> needed = findSources(
      joint.gradients(), [&](Value value) { return isPrimal(value); });
  for (Value gradient : joint.gradients())
    if (isPrimal(gradient))
      read.insert(gradient);
  readIfKept.resize(spared.size());
  for (Operation &op : joint.body().without_terminator()) {
    if (llvm::none_of(op.getResults(), [&](Value result) {
          return needed.contains(result) && !isPrimal(result);
        }))
      continue;
    const auto *found = llvm::find_if(spared, [&](const SparedReaders &some) {
      return some.readers.contains(&op);
    });
    auto &reads =
        found == spared.end() ? read : readIfKept[found - spared.begin()];
    for (Value operand : getReads(&op))
      if (isPrimal(operand))
        reads.insert(operand);
  }
}

double SavedValues::bytesOf(const JointFunction &joint, RankedTensorType type) {
  return RowCount::bytes(type).evaluate(statsOf(joint.func, type));
}

StringRef SavedValues::whyNotSaved(Value value) const {
  if (Operation *maker = value.getDefiningOp();
      maker && !forward.contains(maker))
    return "the forward pass has no use for it";
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return "numbers that are no tensors are never saved";
  if (type.getElementType().isInteger(1))
    return "conditions are never saved";
  if (getRowSpace(type) == RowSpace::Edge &&
      getNumFeatures(type) > mostNumbersOfEdge)
    return "rows of many features of edges are never saved";
  return {};
}

StringRef SavedValues::whyNotAgain(Value value) const {
  Operation *maker = value.getDefiningOp();
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !maker || !forward.contains(maker) ||
      maker->getNumOperands() == 0)
    return {};
  std::optional<OpCounts> counts = countOp(maker);
  bool ofWeights = !getRows(type) || isTypeRows(type);
  if (!counts)
    return ofWeights || isRowWise(maker) ? "" : "what it costs is not known";
  StatsAttr stats = statsOf(joint.func, type);
  double rows = RowCount::rows(type).evaluate(stats);
  if (counts->productRows.evaluate(stats) > 0 && !ofWeights)
    return memory == GradientMemory::Low ? "" : "a product makes it";
  if (ofWeights)
    return counts->flops.evaluate(stats) > 0 ? "it is a weight, and small" : "";
  if (!isRowWise(maker) &&
      !isa<ReshapeOp, RebindRowsOp, PrefixRowsOp, RestrictRowsOp>(maker))
    return "a sum over rows makes it";
  double written = counts->writtenBytes.evaluate(stats);
  if (counts->readBytes.evaluate(stats) > mostReads * std::max(written, rows))
    return memory == GradientMemory::Low ? "" : "it is a sum of many numbers";
  return {};
}

void SavedValues::listPrimal() {
  auto add = [&](Value value) {
    if (isPrimal(value))
      primal.insert(value);
  };
  for (Value argument : joint.body().getArguments().take_front(joint.numInputs))
    add(argument);
  for (Operation &op : joint.body().without_terminator())
    for (Value result : op.getResults())
      add(result);
}

bool SavedValues::isOwned(Value value) const {
  return isa<BlockArgument>(value) ||
         llvm::is_contained(joint.outputs(), value);
}

/// Rows of another value as they are, which are saved where that is no more.
static bool isCopy(Value value) {
  Operation *maker = value.getDefiningOp();
  return maker && isa<GatherOp, BroadcastOp, ReshapeOp, RebindRowsOp,
                      PrefixRowsOp, RestrictRowsOp>(maker);
}

llvm::DenseSet<Value> SavedValues::cut(ArrayRef<SparedReaders> spared) {
  // A value is two nodes: what it is computed from, and what reads it.
  llvm::DenseMap<Value, unsigned> nodes;
  for (Value value : primal)
    nodes.try_emplace(value, 2 + 2 * nodes.size());
  unsigned firstSpared = 2 + 2 * nodes.size();
  FlowNetwork network(firstSpared + spared.size());
  for (Value value : primal) {
    unsigned node = nodes.lookup(value);
    bool mayBeCut = isOwned(value) || whyNotSaved(value).empty();
    network.connect(
        node, node + 1,
        isOwned(value) ? 0
        : mayBeCut ? bytesOf(joint, cast<RankedTensorType>(value.getType())) +
                         (isCopy(value) ? 1 : 0)
                   : FlowNetwork::infinite);
    // The source joins values that may be cut alone, so that a cut exists.
    if (isa<BlockArgument>(value) || (mayBeCut && !whyNotAgain(value).empty()))
      network.connect(0, node, FlowNetwork::infinite);
    if (Operation *maker = value.getDefiningOp())
      for (Value operand : getReads(maker))
        network.connect(nodes.lookup(operand) + 1, node, FlowNetwork::infinite);
    if (read.contains(value))
      network.connect(node + 1, 1, FlowNetwork::infinite);
  }
  // Either the reads of readers that may be spared are saved, or the price of
  // these readers is paid.
  for (auto [i, some] : llvm::enumerate(spared)) {
    for (Value value : readIfKept[i])
      network.connect(nodes.lookup(value) + 1, firstSpared + i,
                      FlowNetwork::infinite);
    network.connect(firstSpared + i, 1, some.price);
  }
  llvm::BitVector reached = network.cut();
  for (unsigned i = 0; i < spared.size(); ++i)
    if (reached[firstSpared + i])
      areSpared.set(i);
    else
      read.insert_range(readIfKept[i]);
  llvm::DenseSet<Value> border;
  for (auto [value, node] : nodes)
    if (reached[node] && !reached[node + 1])
      border.insert(value);
  return border;
}

llvm::DenseSet<Value>
SavedValues::findNeeded(const llvm::DenseSet<Value> &border) {
  auto isGiven = [&](Value value) {
    return isOwned(value) || border.contains(value);
  };
  llvm::DenseSet<Value> needed = findSources(read.getArrayRef(), isGiven);
  for (Value value : needed)
    if (isGiven(value))
      handed.insert(value);
  return needed;
}

void SavedValues::decide(const llvm::DenseSet<Value> &needed) {
  for (Value value : primal) {
    Operation *maker = value.getDefiningOp();
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!needed.contains(value) || !maker || !forward.contains(maker) ||
        isa<arith::ConstantOp>(maker) || !type)
      continue;
    bool isSaved = handed.contains(value) && !isOwned(value);
    if (isSaved)
      saved.push_back(value);
    StringRef notAgain = whyNotAgain(value), notSaved = whyNotSaved(value);
    StringRef reason = isOwned(value)                 ? ""
                       : isSaved && !notAgain.empty() ? notAgain
                       : isSaved ? "the fewest bytes of all that would do"
                       : !notSaved.empty() ? notSaved
                                           : "cheap, from what is saved";
    decisions.push_back(
        {value, handed.contains(value), bytesOf(joint, type), reason.str()});
  }
}
