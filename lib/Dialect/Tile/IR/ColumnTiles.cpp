//===- ColumnTiles.cpp - Tiles of columns, one after the other ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/ColumnTiles.h"

#include "GNN/Dialect/Tile/IR/Buffers.h"
#include "GNN/Dialect/Tile/IR/TraverseLayout.h"

using namespace mlir;
using namespace gnn::tile;

static bool hasDim(Operation *op, Dim dim) {
  auto reduce = dyn_cast<ReduceOp>(op);
  return reduce &&
         llvm::is_contained(reduce.getDims(), static_cast<int32_t>(dim));
}

bool gnn::tile::reducesFeatures(Operation *op) {
  return hasDim(op, Dim::Feature);
}

llvm::DenseSet<Value> gnn::tile::findNeeding(Block &body, ValueRange values) {
  llvm::DenseSet<Value> needing(values.begin(), values.end());
  for (Operation &inner : body)
    if (llvm::any_of(inner.getOperands(),
                     [&](Value operand) { return needing.contains(operand); }))
      needing.insert(inner.result_begin(), inner.result_end());
  return needing;
}

/// The condition on both kinds of tiles: rows lie as accesses say, and nothing
/// of them is there already.
static std::string explainTiles(TraverseOp op) {
  if (op.getPartsOf())
    return "its long groups are made of parts";
  if (llvm::any_of(op.getInputsAt().getAsRange<AtAttr>(),
                   [](AtAttr at) { return at.getColumn(); }))
    return "it reads weights the other way round";
  return "";
}

static bool isSame(Level x, Level y) { return x.within(y) && y.within(x); }

/// Whether an output has a number for each point at which a reduction gives
/// one, in its order, in a buffer that nothing is read of.
static bool mayHold(TraverseOp op, unsigned output, ReduceOp reduce) {
  OpOperand &operand = op.getDpsInitsMutable()[output];
  RowDomain space = op.getOutputAt(output).getSpace();
  if (space && space != (op.getElements() ? op.getElements() : op.getGroups()))
    return false;
  if (getElementTypeOrSelf(operand.get().getType()) != reduce.getType() ||
      !isSame(getLevel(op.getOutputAt(output)), getLevel(reduce)) ||
      !op.getWrittenColumns(operand).isWhole)
    return false;
  return llvm::none_of(op.getInputs(), [&](Value input) {
    return isa<MemRefType>(input.getType()) &&
           getBuffer(input) == getBuffer(operand.get());
  });
}

SmallVector<PartialResult> gnn::tile::findPartialResults(TraverseOp op,
                                                         std::string &why) {
  auto refuse = [&](StringRef because) {
    why = because.str();
    return SmallVector<PartialResult>();
  };
  if (why = explainTiles(op); !why.empty())
    return {};
  Block &body = op.getBody().front();
  SmallVector<ReduceOp> reductions;
  SmallVector<Value> reduced;
  for (ReduceOp reduce : body.getOps<ReduceOp>())
    if (reducesFeatures(reduce))
      reduced.push_back(reduce);
  llvm::DenseSet<Value> needing = findNeeding(body, reduced);
  for (Operation &inner : body.without_terminator()) {
    if (reducesElements(&inner))
      return refuse("it reduces over elements besides");
    if (!reducesFeatures(&inner))
      continue;
    if (llvm::any_of(inner.getOperands(),
                     [&](Value operand) { return needing.contains(operand); }))
      return refuse("what is reduced needs a reduction of all features");
    if (getLevel(inner.getResult(0)).element != bool(op.getElements()))
      return refuse("expected a result of each element");
    reductions.push_back(cast<ReduceOp>(inner));
  }
  for (AtAttr at : op.getOutputsAt().getAsRange<AtAttr>())
    if (at.getFeature())
      return refuse("its results have features");
  // The sum that tiles have added to an output is needed for that output alone.
  ValueRange yielded = body.getTerminator()->getOperands();
  SmallVector<PartialResult> partial;
  for (ReduceOp reduce : reductions) {
    PartialResult own{reduce};
    needing = findNeeding(body, reduce.getResult());
    SmallVector<unsigned> outputs;
    for (auto [i, value] : llvm::enumerate(yielded))
      if (needing.contains(value))
        outputs.push_back(i);
    bool isTaken = llvm::any_of(partial, [&](PartialResult other) {
      return other.output && llvm::is_contained(outputs, *other.output);
    });
    if (outputs.size() == 1 && !isTaken && mayHold(op, outputs[0], reduce))
      own.output = outputs[0];
    partial.push_back(own);
  }
  return partial;
}

std::string gnn::tile::explainHeadTiles(TraverseOp op) {
  if (std::string why = explainTiles(op); !why.empty())
    return why;
  if (op.getDomain().getHeads() == 1)
    return "rows have one head";
  bool reducesHeads = false;
  op.getBody().walk(
      [&](ReduceOp reduce) { reducesHeads |= hasDim(reduce, Dim::Head); });
  if (reducesHeads)
    return "it reduces over heads";
  for (AtAttr at : op.getOutputsAt().getAsRange<AtAttr>())
    if (!at.getHead())
      return "a result is one for all heads";
  return "";
}
