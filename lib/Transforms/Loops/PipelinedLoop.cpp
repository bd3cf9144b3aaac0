//===- PipelinedLoop.cpp - Steps that begin a step early ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PipelinedLoop.h"

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
  // A value of the body that a region takes is no operand.
  if (op->getNumRegions() != 0 || (!isPure(op) && !isa<LoadRowsOp>(op)))
    return depends + quote(op);
  for (Value operand : op->getOperands())
    if (std::string why = take(operand); !why.empty())
      return why;
  beginning.insert(op);
  return "";
}

std::string PipelinedLoop::take(StageOp stage) {
  auto array = stage.getArray().getDefiningOp<ArrayOp>();
  if (!array || array->getParentOp() == loop)
    return "a step stages in an array that is not one of the block";
  int64_t rows = array.getArray().getType().getDimSize(0);
  if (arrays.empty())
    depth = rows;
  if (rows != depth)
    return "a step stages arrays of several depths";
  // A tile that the step before has left would be in the other buffer.
  bool isUsedBefore = llvm::any_of(array->getUsers(), [&](Operation *user) {
    return user->getBlock() == stage->getBlock() &&
           user->isBeforeInBlock(stage);
  });
  if (isUsedBefore)
    return "a step uses an array before it stages in it";
  for (auto other : loop.getOps<StageOp>())
    if (other.getTile() == stage.getTile() &&
        other.getSpread() != stage.getSpread())
      return "a step stages a tile by two spreads";
  arrays.insert(array);
  staged.insert(stage.getTile());
  return take(stage.getTile());
}

/// Constants are of both parts.
bool PipelinedLoop::isOfBeginning(Operation &op) {
  if (begins == Begins::WithStaging && isa<StageOp>(op))
    return true;
  return beginning.contains(&op) && !matchPattern(&op, m_Constant());
}

bool PipelinedLoop::isOfBeginning(Value value) {
  Operation *op = value.getDefiningOp();
  return value == loop.getInductionVar() || (op && isOfBeginning(*op));
}

/// Whether `stage` writes all that `read` reads of the same array.
static bool covers(StageOp stage, vector::TransferReadOp read) {
  if (read.hasOutOfBoundsDim() || !isZeroInteger(stage.getRow()))
    return false;
  int64_t rows = stage.getNumRows();
  if (rows == cast<MemRefType>(stage.getArray().getType()).getDimSize(0))
    return true;
  std::optional<unsigned> dim = read.getPermutationMap().getResultPosition(
      getAffineDimExpr(0, read.getContext()));
  int64_t rowsRead = dim ? read.getVectorType().getDimSize(*dim) : 1;
  return isZeroInteger(read.getIndices()[0]) && rowsRead <= rows;
}

/// Whether what `read` reads is staged in front of it, and no step in between.
bool PipelinedLoop::isStagedFor(vector::TransferReadOp read, ArrayOp array) {
  return llvm::any_of(array->getUsers(), [&](Operation *user) {
    auto stage = dyn_cast<StageOp>(user);
    if (!stage || !covers(stage, read))
      return false;
    Block *block = stage->getBlock();
    Operation *reader = block->findAncestorOpInBlock(*read);
    if (!reader || !stage->isBeforeInBlock(reader))
      return false;
    Operation *steps = block->findAncestorOpInBlock(*loop);
    return !steps || steps->isBeforeInBlock(stage) ||
           reader->isBeforeInBlock(steps);
  });
}

std::string PipelinedLoop::explainRest() {
  if (loop.getOps<ContractOp>().empty())
    return "a step has no product";
  for (Operation &op : *loop.getBody()) {
    if (isOfBeginning(op))
      continue;
    // A branch that computes moves with what it takes of the body.
    bool isLocal = op.getNumRegions() == 0
                       ? isPure(&op) || op.hasTrait<OpTrait::IsTerminator>() ||
                             isa<StageOp, vector::TransferReadOp>(op)
                       : isa<scf::IfOp>(op) && isMemoryEffectFree(&op);
    if (!isLocal)
      return "a step holds " + quote(&op);
    WalkResult uses = op.walk([&](Operation *inner) {
      return WalkResult(
          success(llvm::none_of(inner->getOperands(), [&](Value operand) {
            return isOfBeginning(operand) && !staged.contains(operand);
          })));
    });
    if (uses.wasInterrupted())
      return "what is summed depends on the number of the step";
  }
  for (ArrayOp array : arrays)
    for (Operation *user : array->getUsers()) {
      auto stage = dyn_cast<StageOp>(user);
      auto read = dyn_cast<vector::TransferReadOp>(user);
      if ((!stage && !read) ||
          !isZeroInteger(stage ? stage.getRow() : read.getIndices()[0]))
        return quote(user) + " uses a part of what is staged";
      // The half that it is in depends on the number of steps.
      if (read && !isStagedFor(read, array))
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

bool PipelinedLoop::isBuffered(Value value) {
  auto array = value.getDefiningOp<ArrayOp>();
  return array && arrays.contains(array);
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
    if (auto stage = dyn_cast<StageOp>(clone))
      stage.getRowMutable().set(step.buffer);
    else if (auto read = dyn_cast<vector::TransferReadOp>(op);
             read && isBuffered(read.getBase()))
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

void PipelinedLoop::makeBuffers(ArrayOp array) {
  b.setInsertionPoint(array);
  MemRefType type = array.getArray().getType();
  auto buffers = ArrayOp::create(
      b,
      MemRefType::get({2 * depth, type.getDimSize(1)}, type.getElementType(),
                      MemRefLayoutAttrInterface(), type.getMemorySpace()),
      array.getPermuted());
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
  for (ArrayOp array : arrays)
    makeBuffers(array);
}
