//===- PipelinedLoop.cpp - Steps that begin a step early ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PipelinedLoop.h"

#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace gnn::tile;

static std::string quote(Operation *op) {
  return "'" + op->getName().getStringRef().str() + "'";
}

//===----------------------------------------------------------------------===//
// Analysis
//===----------------------------------------------------------------------===//

std::string PipelinedLoop::take(Value value) {
  if (value == loop.getInductionVar())
    return "";
  std::string depends = ("what is " + done + " depends on ").str();
  if (llvm::is_contained(loop.getRegionIterArgs(), value))
    return depends + "what is summed";
  Operation *op = value.getDefiningOp();
  if (!op || op->getParentOp() != loop || beginning.contains(op))
    return "";
  // What a region takes of the body is no operand.
  if (op->getNumRegions() != 0 || (!isPure(op) && !isa<LoadRowsOp>(op)))
    return depends + quote(op);
  for (Value operand : op->getOperands())
    if (std::string why = take(operand); !why.empty())
      return why;
  beginning.insert(op);
  return "";
}

std::string PipelinedLoop::take(vector::TransferWriteOp write) {
  auto array = write.getBase().getDefiningOp<memref::AllocaOp>();
  if (!array || array->getParentOp() == loop || array.getType().getRank() != 2)
    return "a step writes to an array that is not staged";
  if (!array.getType().hasStaticShape())
    return "a step stages an array of dynamic size";
  if (arrays.empty())
    depth = array.getType().getDimSize(0);
  if (array.getType().getDimSize(0) != depth)
    return "a step stages arrays of several depths";
  // What the step before has left would be in the other buffer.
  bool isUsedBefore = llvm::any_of(array->getUsers(), [&](Operation *user) {
    return user->getBlock() == write->getBlock() &&
           user->isBeforeInBlock(write);
  });
  if (isUsedBefore)
    return "a step uses an array before it stages in it";
  arrays.insert(array);
  staged.insert(write.getVector());
  return take(write.getVector());
}

/// Constants are of both parts.
bool PipelinedLoop::isOfBeginning(Operation &op) {
  if (staging == Staging::Ahead && isa<vector::TransferWriteOp>(op))
    return true;
  return beginning.contains(&op) && !matchPattern(&op, m_Constant());
}

bool PipelinedLoop::isOfBeginning(Value value) {
  Operation *op = value.getDefiningOp();
  return value == loop.getInductionVar() || (op && isOfBeginning(*op));
}

/// Whether `write` writes all that `read` reads of the same array.
static bool covers(vector::TransferWriteOp write, vector::TransferReadOp read) {
  AffineMap map = write.getPermutationMap();
  if (write.getMask() || write.hasOutOfBoundsDim() ||
      read.hasOutOfBoundsDim() || !map.isPermutation() ||
      !llvm::all_of(write.getIndices(), isZeroInteger))
    return false;
  auto array = cast<MemRefType>(write.getBase().getType());
  AffineMap readMap = read.getPermutationMap();
  for (auto [i, extent] : llvm::enumerate(array.getShape())) {
    AffineExpr dim = getAffineDimExpr(i, write.getContext());
    auto extentOf = [&](VectorType type, AffineMap map) {
      std::optional<unsigned> position = map.getResultPosition(dim);
      return position ? type.getDimSize(*position) : 1;
    };
    int64_t written = extentOf(write.getVectorType(), map);
    bool isInside = isZeroInteger(read.getIndices()[i]) &&
                    extentOf(read.getVectorType(), readMap) <= written;
    if (written != extent && !isInside)
      return false;
  }
  return true;
}

/// Whether what `read` reads is written in front of it, and no step in between.
bool PipelinedLoop::isStagedFor(vector::TransferReadOp read,
                                memref::AllocaOp array) {
  return llvm::any_of(array->getUsers(), [&](Operation *user) {
    auto write = dyn_cast<vector::TransferWriteOp>(user);
    if (!write || write.getBase() != array.getResult() || !covers(write, read))
      return false;
    Block *block = write->getBlock();
    Operation *reader = block->findAncestorOpInBlock(*read);
    if (!reader || !write->isBeforeInBlock(reader))
      return false;
    Operation *steps = block->findAncestorOpInBlock(*loop);
    return !steps || steps->isBeforeInBlock(write) ||
           reader->isBeforeInBlock(steps);
  });
}

std::string PipelinedLoop::explainRest() {
  if (arrays.empty())
    return "a step stages nothing";
  if (loop.getOps<vector::ContractionOp>().empty())
    return "a step has no product";
  for (Operation &op : *loop.getBody()) {
    if (isOfBeginning(op))
      continue;
    bool isLocal = op.getNumRegions() == 0 &&
                   (isPure(&op) || op.hasTrait<OpTrait::IsTerminator>() ||
                    isa<vector::TransferWriteOp, vector::TransferReadOp>(op));
    if (!isLocal)
      return "a step holds " + quote(&op);
    for (Value operand : op.getOperands())
      if (isOfBeginning(operand) && !staged.contains(operand))
        return "what is summed depends on the number of the step";
  }
  for (memref::AllocaOp array : arrays)
    for (Operation *user : array->getUsers()) {
      auto access = dyn_cast<VectorTransferOpInterface>(user);
      if (!access || !isZeroInteger(access.getIndices()[0]))
        return quote(user) + " uses a part of what is staged";
      // The half that it is in depends on the number of steps.
      if (auto read = dyn_cast<vector::TransferReadOp>(user);
          read && !isStagedFor(read, array))
        return quote(user) + " reads what a step before it may have left";
    }
  return "";
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

Value PipelinedLoop::getOther(Value buffer) {
  return b.sub(b.index(depth), buffer);
}

bool PipelinedLoop::isBuffered(Value array) {
  auto alloca = array.getDefiningOp<memref::AllocaOp>();
  return alloca && arrays.contains(alloca);
}

IRMapping PipelinedLoop::emitBeginning(Value number) {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), number);
  for (Operation &op : *loop.getBody())
    if (beginning.contains(&op))
      b.clone(op, mapping);
  return mapping;
}

PipelinedLoop::Values
PipelinedLoop::emitRest(const BegunStep &step, IRMapping &mapping,
                        function_ref<void(Operation &)> inFrontOf) {
  mapping.map(loop.getRegionIterArgs(), step.sums);
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (isOfBeginning(op))
      continue;
    inFrontOf(op);
    Operation *clone = b.clone(op, mapping);
    auto access = dyn_cast<VectorTransferOpInterface>(op);
    if (!access || !isBuffered(access.getBase()))
      continue;
    if (auto write = dyn_cast<vector::TransferWriteOp>(clone))
      write.getIndicesMutable()[0].set(step.buffer);
    else
      cast<vector::TransferReadOp>(clone).getIndicesMutable()[0].set(
          step.buffer);
  }
  inFrontOf(*loop.getBody()->getTerminator());
  return llvm::map_to_vector(loop.getYieldedValues(), [&](Value value) {
    return mapping.lookupOrDefault(value);
  });
}

/// All steps, of which there is one.
PipelinedLoop::Values PipelinedLoop::emitSteps(const Stages &stages) {
  Value begin = loop.getLowerBound();
  Value buffer = b.index(0);
  Values state(loop.getInitArgs());
  size_t sums = state.size();
  llvm::append_range(state, stages.first(begin, buffer));
  state.push_back(buffer);
  auto steps = scf::ForOp::create(b, b.add(begin, loop.getStep()),
                                  loop.getUpperBound(), loop.getStep(), state);
  auto stepOf = [&](ValueRange values) {
    return BegunStep{values.take_front(sums),
                     values.drop_front(sums).drop_back(), values.back()};
  };
  {
    OpBuilder::InsertionGuard restore(b);
    b.setInsertionPointToEnd(steps.getBody());
    scf::YieldOp::create(b, stages.both(stepOf(steps.getRegionIterArgs()),
                                        steps.getInductionVar()));
  }
  return stages.last(stepOf(steps.getResults()));
}

void PipelinedLoop::makeBuffers(memref::AllocaOp array) {
  b.setInsertionPoint(array);
  MemRefType type = array.getType();
  auto buffers = memref::AllocaOp::create(
      b, MemRefType::get({2 * depth, type.getDimSize(1)}, type.getElementType(),
                         MemRefLayoutAttrInterface(), type.getMemorySpace()));
  buffers->setDiscardableAttrs(array->getDiscardableAttrDictionary());
  array.replaceAllUsesWith(buffers.getResult());
  array.erase();
}

void PipelinedLoop::rewrite(const Stages &stages) {
  Value isSome = b.less(loop.getLowerBound(), loop.getUpperBound());
  auto some = scf::IfOp::create(b, loop.getResultTypes(), isSome,
                                /*withElseRegion=*/true);
  b.setInsertionPointToStart(some.thenBlock());
  scf::YieldOp::create(b, emitSteps(stages));
  b.setInsertionPointToStart(some.elseBlock());
  scf::YieldOp::create(b, loop.getInitArgs());
  loop.replaceAllUsesWith(some.getResults());
  loop.erase();
  for (memref::AllocaOp array : arrays)
    makeBuffers(array);
}
