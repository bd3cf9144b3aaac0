//===- WriteInPlace.cpp - Results in the memory of what they are made of --===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Tile/Passes.h"

#include "RowCounts.h"
#include "TensorUtils.h"

#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_WRITEINPLACE
#include "GNN/Transforms/Tile/Passes.h.inc"
} // namespace gnn

/// The most templates that go on with one tensor: bufferization asks of each
/// two of them whether they conflict.
static constexpr unsigned longestChain = 32;

namespace {
/// A tensor that templates of this function make a result in.
struct NewTensor {
  tensor::EmptyOp made;   ///< null where it is not new
  unsigned templates = 0; ///< that have gone on with it
};
} // namespace

static NewTensor findNewTensor(Value root) {
  unsigned templates = 0;
  for (; isa_and_nonnull<TileOpInterface>(root.getDefiningOp()); ++templates) {
    auto op = cast<DestinationStyleOpInterface>(root.getDefiningOp());
    root = getRoot(op.getTiedOpOperand(cast<OpResult>(root))->get());
  }
  return {root.getDefiningOp<tensor::EmptyOp>(), templates};
}

/// Whether two new tensors have as many rows: the first ones of a tensor may be
/// read as if there were no others.
static bool haveSameRows(tensor::EmptyOp a, tensor::EmptyOp b) {
  return llvm::equal(a.getDynamicSizes(), b.getDynamicSizes(),
                     [](Value a, Value b) { return areEqualCounts(a, b); });
}

/// Calls `visit` for each use of `tensor` or of a reshaped form of it.
static void forEachUse(Value tensor, function_ref<void(OpOperand &)> visit) {
  for (OpOperand &use : tensor.getUses())
    if (isReshape(use.getOwner()))
      forEachUse(use.getOwner()->getResult(0), visit);
    else
      visit(use);
}

/// The later of two ops of a block; either may be null.
static Operation *later(Operation *a, Operation *b) {
  return !a || (b && a->isBeforeInBlock(b)) ? b : a;
}

/// The op of the block that is or holds the last use of `tensor` beside `use`.
static Operation *findLastUser(Value tensor, Block *block,
                               const OpOperand *use = nullptr) {
  Operation *last = nullptr;
  forEachUse(tensor, [&](OpOperand &other) {
    if (&other != use)
      last = later(last, block->findAncestorOpInBlock(*other.getOwner()));
  });
  return last;
}

/// Moves an op behind `place`, and reshaped forms of its results behind it.
static void moveWithReshapes(Operation *op, Operation *place) {
  op->moveAfter(place);
  for (Operation *user : op->getUsers())
    if (isReshape(user) && user->isBeforeInBlock(op))
      moveWithReshapes(user, op);
}

/// Gives each output a new tensor of its own where it shares one: bufferization
/// asks of all that may be one buffer whether they are.
static void separateNewTensors(Block &block) {
  for (TileOpInterface op : block.getOps<TileOpInterface>())
    for (OpOperand &output :
         cast<DestinationStyleOpInterface>(*op).getDpsInitsMutable()) {
      auto made = output.get().getDefiningOp<tensor::EmptyOp>();
      if (made && !made->hasOneUse())
        output.set(OpBuilder(op).clone(*made)->getResult(0));
    }
}

/// Lets templates write a result straight in the shape in which it is returned:
/// the tensor that they fill becomes a reshaped form of one of that shape, so
/// that the buffer returned is one that is allocated.
static void allocateReshaped(Value result) {
  SmallVector<Operation *> reshapes; // behind what fills it, the last one first
  OpOperand *filled = nullptr;
  for (Value tensor = result; Operation *root = getRoot(tensor).getDefiningOp();
       tensor = filled->get()) {
    if (!isa<TileOpInterface>(root))
      break;
    for (; tensor.getDefiningOp() != root;
         tensor = reshapes.back()->getOperand(0))
      reshapes.push_back(tensor.getDefiningOp());
    filled = cast<DestinationStyleOpInterface>(root).getTiedOpOperand(
        cast<OpResult>(tensor));
  }
  auto old = filled ? getRoot(filled->get()).getDefiningOp<tensor::EmptyOp>()
                    : nullptr;
  if (!old || (reshapes.empty() && filled->get() == old))
    return;
  OpBuilder builder(filled->getOwner());
  Location loc = old.getLoc();
  // No tensor.empty: equal ones become one, and then two results one buffer.
  Value tensor = bufferization::AllocTensorOp::create(
      builder, loc, cast<RankedTensorType>(result.getType()),
      old.getDynamicSizes());
  for (Operation *reshape : reshapes) { // undone from the last to the first
    auto type = cast<RankedTensorType>(reshape->getOperand(0).getType());
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(reshape))
      tensor = tensor::CollapseShapeOp::create(
          builder, loc, type, tensor, expand.getReassociationIndices());
    else
      tensor = tensor::ExpandShapeOp::create(
          builder, loc, type, tensor,
          cast<tensor::CollapseShapeOp>(reshape).getReassociationIndices());
  }
  filled->set(tensor);
}

namespace {
struct WriteInPlace : gnn::impl::WriteInPlaceBase<WriteInPlace> {
  using WriteInPlaceBase::WriteInPlaceBase;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.isExternal() || !func.getBody().hasOneBlock())
      return;
    // Some move.
    if (overwrite)
      for (TileOpInterface op :
           llvm::to_vector(func.getBody().front().getOps<TileOpInterface>()))
        visit(op);
    separateNewTensors(func.getBody().front());
    Operation *terminator = func.getBody().front().getTerminator();
    llvm::for_each(terminator->getOperands(), allocateReshaped);
  }

private:
  void visit(TileOpInterface op);
  std::string makeFree(OpOperand &input, bool &moved);
};
} // namespace

/// Moves the op behind all that read the tensor of `input`. Empty if it is then
/// the last to read it, and nobody else has its memory; else why not.
std::string WriteInPlace::makeFree(OpOperand &input, bool &moved) {
  Operation *op = input.getOwner();
  Block *block = op->getBlock();
  Value root = getRoot(input.get());
  std::string shared;
  forEachUse(root, [&](OpOperand &use) {
    auto destination = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
    if (isa<func::ReturnOp>(use.getOwner()))
      shared = "it is a result of the function";
    else if (!destination)
      shared = "what is no template uses it";
    else if (destination.isDpsInit(&use))
      shared = "another template goes on with it";
    else if (&use != &input && use.getOwner() == op)
      shared = "it is input " + std::to_string(use.getOperandNumber()) +
               " as well, which may be read at other rows";
  });
  if (!shared.empty())
    return shared;
  Operation *last = findLastUser(root, block, &input);
  if (!last || last->isBeforeInBlock(op))
    return "";

  // Behind `last`, if nothing reads a result before, and nothing else that it
  // reads lives longer for it.
  auto isUsedBefore = [&](Value result) {
    bool is = false;
    forEachUse(result, [&](OpOperand &use) {
      Operation *user = block->findAncestorOpInBlock(*use.getOwner());
      is |= user == last || user->isBeforeInBlock(last);
    });
    return is;
  };
  auto livesLonger = [&](OpOperand &operand) {
    Value other = getRoot(operand.get());
    if (&operand == &input || !findNewTensor(other).made ||
        isa<tensor::EmptyOp>(other.getDefiningOp()))
      return false;
    // `last` itself may be what writes over it.
    Operation *end = findLastUser(other, block, &operand);
    return !end || !last->isBeforeInBlock(end);
  };
  if (llvm::any_of(op->getResults(), isUsedBefore))
    return "it is read later, and what reads the result comes before";
  if (llvm::any_of(op->getOpOperands(), livesLonger))
    return "it is read later, and behind that another tensor would live longer";
  moveWithReshapes(op, last);
  moved = true;
  return "";
}

void WriteInPlace::visit(TileOpInterface op) {
  auto destination = cast<DestinationStyleOpInterface>(*op);
  for (OpOperand &output : destination.getDpsInitsMutable()) {
    auto made = output.get().getDefiningOp<tensor::EmptyOp>();
    if (!made)
      continue;
    for (OpOperand *input : destination.getDpsInputOperands()) {
      NewTensor own = findNewTensor(getRoot(input->get()));
      if (!op.mayOverwrite(*input, output) || !own.made)
        continue;
      bool moved = false;
      std::string why =
          own.templates >= longestChain
              ? std::to_string(own.templates) +
                    " templates have gone on with its tensor, which is the most"
          : haveSameRows(own.made, made)
              ? makeFree(*input, moved)
              : "it may have more rows than the result";
      std::string name = "input " + std::to_string(input->getOperandNumber());
      if (!why.empty()) {
        refused(getArgument(), op.getLoc())
            << "does not write over " + name + ": " + why;
        continue;
      }
      output.set(input->get());
      passed(getArgument(), op.getLoc(), "InPlace")
          << "writes over " + name + ", which nothing reads later" +
                 (moved ? ": it moved behind what else reads it" : "");
      break;
    }
  }
}
