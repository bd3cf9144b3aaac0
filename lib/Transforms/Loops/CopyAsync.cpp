//===- CopyAsync.cpp - Copy a step while the one before is summed ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The body of a loop whose steps are loaded ahead is cut in two: what stages,
// which belongs to the next step then, and the rest. LoadAhead.cpp does the
// same with what loads; here nothing is carried but the half of the arrays that
// holds the step. Elsewhere a copy goes on until what it stages is read.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/ProductForms.h"
#include "GNN/Transforms/Passes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_COPYASYNC
#include "GNN/Transforms/Passes.h.inc"
} // namespace gnn

static constexpr StringLiteral notOfRows =
    "a thread stages something else than 16 bytes of a row";

/// Waits here for all copies that have begun.
static void emitWait(OpBuilder &b, Location loc) {
  Value group = nvgpu::DeviceAsyncCreateGroupOp::create(
      b, loc, nvgpu::DeviceAsyncTokenType::get(b.getContext()), ValueRange());
  nvgpu::DeviceAsyncWaitOp::create(b, loc, group, /*numGroups=*/nullptr);
}

//===----------------------------------------------------------------------===//
// In two stages
//===----------------------------------------------------------------------===//

namespace {
/// One loop of marked writes.
class CopiedLoop {
public:
  explicit CopiedLoop(scf::ForOp loop) : loop(loop), b(loop.getLoc(), loop) {}

  /// Cuts the body in two. Empty if that can be done, else why not.
  std::string analyse();
  void rewrite();

private:
  std::string take(Value value);
  std::string takeWrite(vector::TransferWriteOp write);
  bool isAhead(Value value);
  std::string explainRest();
  void makeHalves(memref::AllocaOp array);
  IRMapping emitLoads(Value step);
  void emitCopies(IRMapping &mapping, Value half);
  SmallVector<Value> emitRest(ValueRange carried, Value half);
  void readStaged(Operation *user, Value half, IRMapping &mapping);
  void emitSome(Value begin, Value end);

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }

  scf::ForOp loop;
  ImplicitLocOpBuilder b;
  llvm::SetVector<Operation *> ahead; // what a copy is computed of, and loads
  SmallVector<vector::TransferWriteOp> writes;
  /// Where what is loaded is staged.
  llvm::SmallDenseMap<Value, vector::TransferWriteOp> stagedBy;
  int64_t depth = 0; // of what is staged
  llvm::SetVector<memref::AllocaOp> arrays;
};
} // namespace

/// Takes what computes `value` to the part that is ahead.
std::string CopiedLoop::take(Value value) {
  if (value == loop.getInductionVar())
    return "";
  if (llvm::is_contained(loop.getRegionIterArgs(), value))
    return "what is copied depends on what is summed";
  Operation *op = value.getDefiningOp();
  if (!op || op->getParentOp() != loop || ahead.contains(op))
    return "";
  if (!isPure(op) && !isa<LoadRowsOp>(op))
    return "what is copied depends on '" + op->getName().getStringRef().str() +
           "'";
  for (Value operand : op->getOperands())
    if (std::string why = take(operand); !why.empty())
      return why;
  ahead.insert(op);
  return "";
}

std::string CopiedLoop::takeWrite(vector::TransferWriteOp write) {
  auto array = write.getBase().getDefiningOp<memref::AllocaOp>();
  if (!array || array->getParentOp() == loop || array.getType().getRank() != 2)
    return "a step writes to an array that is not staged";
  if (arrays.empty())
    depth = array.getType().getDimSize(0);
  if (array.getType().getDimSize(0) != depth)
    return "a step stages arrays of several depths";
  LoadRowsOp load = getCopiedRows(write);
  if (!load)
    return notOfRows.str();
  if (!write->hasAttr(copyAsyncAttribute))
    return "a step stages what is not to be copied";
  if (load->getParentOp() != loop)
    return "a step stages what it does not load";
  bool isReadBefore = llvm::any_of(array->getUsers(), [&](Operation *user) {
    return user->getBlock() == write->getBlock() &&
           user->isBeforeInBlock(write);
  });
  if (!arrays.insert(array) || isReadBefore)
    return "a step uses an array before it stages in it";
  writes.push_back(write);
  stagedBy.try_emplace(write.getVector(), write);
  for (Value operand : {write.getVector(), Value(write.getIndices()[1])})
    if (std::string why = take(operand); !why.empty())
      return why;
  return "";
}

/// Whether a value is of the part that is ahead alone. Constants are of both.
bool CopiedLoop::isAhead(Value value) {
  Operation *op = value.getDefiningOp();
  return value == loop.getInductionVar() ||
         (op && ahead.contains(op) && !matchPattern(op, m_Constant()));
}

/// What keeps the rest of a step from being computed behind its copies.
std::string CopiedLoop::explainRest() {
  if (loop.getOps<vector::ContractionOp>().empty())
    return "a step has no product";
  for (Operation &op : *loop.getBody()) {
    if (ahead.contains(&op) || isa<vector::TransferWriteOp>(op))
      continue;
    bool isLocal = op.getNumRegions() == 0 &&
                   (isPure(&op) || isa<vector::TransferReadOp>(op) ||
                    op.hasTrait<OpTrait::IsTerminator>());
    if (!isLocal)
      return "a step holds '" + op.getName().getStringRef().str() + "'";
    for (Value operand : op.getOperands())
      if (isAhead(operand) && !stagedBy.contains(operand))
        return "what is summed depends on the number of the step";
  }
  for (memref::AllocaOp array : arrays)
    for (Operation *user : array->getUsers())
      if (auto access = dyn_cast<VectorTransferOpInterface>(user);
          !access || !isZeroInteger(access.getIndices()[0]))
        return "'" + user->getName().getStringRef().str() +
               "' uses a part of what is staged";
  return "";
}

std::string CopiedLoop::analyse() {
  for (auto write : loop.getOps<vector::TransferWriteOp>())
    if (std::string why = takeWrite(write); !why.empty())
      return why;
  if (arrays.empty())
    return "a step stages nothing";
  if (std::string why = explainRest(); !why.empty())
    return why;
  // In the order of the body: operands were taken before their users, but from
  // several ends.
  llvm::SetVector<Operation *> ordered;
  for (Operation &op : *loop.getBody())
    if (ahead.contains(&op))
      ordered.insert(&op);
  ahead = std::move(ordered);
  return "";
}

/// An array of two halves; accesses outside of the loop are to the first.
void CopiedLoop::makeHalves(memref::AllocaOp array) {
  b.setInsertionPoint(array);
  MemRefType type = array.getType();
  auto halves = memref::AllocaOp::create(
      b, MemRefType::get({2 * depth, type.getDimSize(1)}, type.getElementType(),
                         MemRefLayoutAttrInterface(), type.getMemorySpace()));
  halves->setDiscardableAttrs(array->getDiscardableAttrDictionary());
  array.replaceAllUsesWith(halves.getResult());
  array.erase();
}

/// What the copies of step `step` are computed of.
IRMapping CopiedLoop::emitLoads(Value step) {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), step);
  for (Operation *op : ahead)
    b.clone(*op, mapping);
  return mapping;
}

/// Begins to copy a step to the rows from `half` on.
void CopiedLoop::emitCopies(IRMapping &mapping, Value half) {
  for (vector::TransferWriteOp write : writes) {
    auto copy = cast<vector::TransferWriteOp>(b.clone(*write, mapping));
    copy.getIndicesMutable()[0].set(half);
    copy->removeAttr(copyAsyncAttribute);
    copy->setAttr(asyncAttribute, b.getUnitAttr());
  }
}

/// What an op takes of the loaded tiles is read where they are staged.
void CopiedLoop::readStaged(Operation *user, Value half, IRMapping &mapping) {
  for (Value operand : user->getOperands()) {
    vector::TransferWriteOp write = stagedBy.lookup(operand);
    if (!write || mapping.contains(operand))
      continue;
    Value padding = arith::ConstantOp::create(
        b, b.getZeroAttr(write.getVectorType().getElementType()));
    SmallVector<bool> inBounds(2, true);
    Value read = vector::TransferReadOp::create(
        b, write.getVectorType(), write.getBase(), ValueRange{half, index(0)},
        padding, AffineMap::getMultiDimIdentityMap(2, b.getContext()),
        ArrayRef<bool>(inBounds));
    mapping.map(operand, read);
  }
}

/// Sums a step that lies in the rows from `half` on.
SmallVector<Value> CopiedLoop::emitRest(ValueRange carried, Value half) {
  IRMapping mapping;
  mapping.map(loop.getRegionIterArgs(), carried);
  for (Operation &op : loop.getBody()->without_terminator()) {
    bool isOfCopies = ahead.contains(&op) && !matchPattern(&op, m_Constant());
    if (isOfCopies || isa<vector::TransferWriteOp>(op))
      continue;
    readStaged(&op, half, mapping);
    Operation *clone = b.clone(op, mapping);
    if (auto read = dyn_cast<vector::TransferReadOp>(clone))
      read.getIndicesMutable()[0].set(half);
  }
  readStaged(loop.getBody()->getTerminator(), half, mapping);
  return llvm::map_to_vector(loop.getYieldedValues(), [&](Value value) {
    return mapping.lookupOrDefault(value);
  });
}

/// All steps, of which there is one.
void CopiedLoop::emitSome(Value begin, Value end) {
  IRMapping first = emitLoads(begin);
  emitCopies(first, index(0));
  SmallVector<Value> state(loop.getInitArgs());
  state.push_back(index(0));
  auto steps =
      scf::ForOp::create(b, arith::AddIOp::create(b, begin, loop.getStep()),
                         end, loop.getStep(), state);
  {
    OpBuilder::InsertionGuard restore(b);
    b.setInsertionPointToEnd(steps.getBody());
    ValueRange carried = steps.getRegionIterArgs();
    Value half = carried.back();
    IRMapping next = emitLoads(steps.getInductionVar());
    emitWait(b, b.getLoc());
    Value other = arith::SubIOp::create(b, index(depth), half);
    emitCopies(next, other);
    SmallVector<Value> sums = emitRest(carried.drop_back(), half);
    sums.push_back(other);
    scf::YieldOp::create(b, sums);
  }
  emitWait(b, b.getLoc());
  ValueRange results = steps.getResults();
  scf::YieldOp::create(b, emitRest(results.drop_back(), results.back()));
}

void CopiedLoop::rewrite() {
  Value begin = loop.getLowerBound(), end = loop.getUpperBound();
  Value isSome =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, begin, end);
  auto some = scf::IfOp::create(b, loop.getResultTypes(), isSome,
                                /*withElseRegion=*/true);
  b.setInsertionPointToStart(some.thenBlock());
  emitSome(begin, end);
  b.setInsertionPointToStart(some.elseBlock());
  scf::YieldOp::create(b, loop.getInitArgs());
  loop.replaceAllUsesWith(some.getResults());
  loop.erase();
  for (memref::AllocaOp array : arrays)
    makeHalves(array);
}

//===----------------------------------------------------------------------===//
// In one
//===----------------------------------------------------------------------===//

/// Begins to copy what `write` stages once its rows are known, and waits in
/// front of what reads it. Empty if that can be done, else why not.
static std::string copyAtOnce(vector::TransferWriteOp write) {
  LoadRowsOp load = getCopiedRows(write);
  if (!load)
    return notOfRows.str();
  auto uses = [&](Operation *op) {
    return op
        ->walk([&](Operation *inner) {
          return llvm::is_contained(inner->getOperands(), write.getBase())
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  };
  Operation *reader = write->getNextNode();
  while (reader && !uses(reader))
    reader = reader->getNextNode();
  if (!reader)
    return "nothing behind it reads what it stages";
  if (load->getBlock() == write->getBlock()) {
    bool isFree = true;
    for (Operation *op = load->getNextNode(); op != write;
         op = op->getNextNode())
      isFree &= !uses(op);
    for (Value at : write.getIndices()) {
      Operation *op = at.getDefiningOp();
      if (op && matchPattern(op, m_Constant()))
        op->moveBefore(&write->getBlock()->front());
      else
        isFree &= !op || op->getBlock() != load->getBlock() ||
                  op->isBeforeInBlock(load);
    }
    if (isFree)
      write->moveAfter(load);
  }
  write->setAttr(asyncAttribute, UnitAttr::get(write.getContext()));
  OpBuilder b(reader);
  emitWait(b, reader->getLoc());
  return "";
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct CopyAsync : gnn::impl::CopyAsyncBase<CopyAsync> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) {
      auto isMarked = [](Operation *write) {
        return write->hasAttr(copyAsyncAttribute);
      };
      if (loop->hasAttr(loadAheadAttribute) &&
          llvm::any_of(loop.getOps<vector::TransferWriteOp>(), isMarked))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      inTwoStages(loop);
    SmallVector<vector::TransferWriteOp> writes;
    getOperation()->walk([&](vector::TransferWriteOp write) {
      if (write->hasAttr(copyAsyncAttribute))
        writes.push_back(write);
    });
    for (vector::TransferWriteOp write : writes) {
      write->removeAttr(copyAsyncAttribute);
      report(write, copyAtOnce(write), "copied while others are loaded");
    }
  }

private:
  void inTwoStages(scf::ForOp loop) {
    CopiedLoop copied(loop);
    std::string why = copied.analyse();
    report(loop, why, "the next step is copied while one is summed");
    if (why.empty())
      return copied.rewrite();
    for (auto write : loop.getOps<vector::TransferWriteOp>())
      write->removeAttr(copyAsyncAttribute); // the loop loads ahead instead
  }

  void report(Operation *op, StringRef refusal, StringRef text) {
    auto named = [&](StringRef name) {
      return remark::RemarkOpts::name(name).category(getArgument());
    };
    if (refusal.empty())
      remark::passed(op->getLoc(), named("Copied")) << text;
    else
      remark::missed(op->getLoc(), named("Refused")) << refusal;
  }
};
} // namespace
