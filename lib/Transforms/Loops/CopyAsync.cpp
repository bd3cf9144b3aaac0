//===- CopyAsync.cpp - Copy a step while the one before is summed ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a loop that is to load ahead, a step begins with its copies: nothing is
// carried but the buffer that holds the step. Elsewhere a copy goes on until
// what it stages is read.
//
//===----------------------------------------------------------------------===//

#include "PipelinedLoop.h"

#include "GNN/Dialect/Tile/IR/Buffers.h"
#include "GNN/Dialect/Tile/IR/ProductForms.h"
#include "GNN/Transforms/Loops/Passes.h"
#include "GNN/Transforms/Remarks.h"

#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_COPYASYNC
#include "GNN/Transforms/Loops/Passes.h.inc"
} // namespace gnn

static constexpr StringLiteral notOfRows =
    "a thread stages something else than 16 bytes of a row in global memory";

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
  explicit CopiedLoop(scf::ForOp loop)
      : loop(loop), steps(loop, "copied", PipelinedLoop::Staging::Ahead),
        b(steps.b) {}

  /// Cuts the body in two. Empty if that can be done, else why not.
  std::string analyse();
  void rewrite();

private:
  std::string take(vector::TransferWriteOp write);
  void copy(IRMapping &loaded, Value buffer);
  void readStaged(Operation &user, Value buffer, IRMapping &mapping);
  SmallVector<Value> sum(const PipelinedLoop::BegunStep &step);

  scf::ForOp loop;
  PipelinedLoop steps;
  IndexBuilder &b;
  SmallVector<vector::TransferWriteOp> writes;
  /// Where what is loaded is staged.
  llvm::SmallDenseMap<Value, vector::TransferWriteOp> stagedBy;
};
} // namespace

std::string CopiedLoop::take(vector::TransferWriteOp write) {
  if (std::string why = steps.take(write); !why.empty())
    return why;
  LoadRowsOp load = getCopiedRows(write);
  if (!load)
    return notOfRows.str();
  if (!write->hasAttr(copyAsyncAttribute))
    return "a step stages what is not to be copied";
  if (load->getParentOp() != loop)
    return "a step stages what it does not load";
  writes.push_back(write);
  stagedBy.try_emplace(write.getVector(), write);
  return steps.take(write.getIndices()[1]);
}

std::string CopiedLoop::analyse() {
  for (auto write : loop.getOps<vector::TransferWriteOp>())
    if (std::string why = take(write); !why.empty())
      return why;
  return steps.explainRest();
}

/// Begins to copy a step to the buffers at `buffer`.
void CopiedLoop::copy(IRMapping &loaded, Value buffer) {
  for (vector::TransferWriteOp write : writes) {
    auto copy = cast<vector::TransferWriteOp>(b.clone(*write, loaded));
    copy.getIndicesMutable()[0].set(buffer);
    copy->removeAttr(copyAsyncAttribute);
    copy->setAttr(asyncAttribute, b.getUnitAttr());
  }
}

/// What an op takes of the loaded tiles is read where they are staged.
void CopiedLoop::readStaged(Operation &user, Value buffer, IRMapping &mapping) {
  for (Value operand : user.getOperands()) {
    vector::TransferWriteOp write = stagedBy.lookup(operand);
    if (!write || mapping.contains(operand))
      continue;
    Value padding = arith::ConstantOp::create(
        b, b.getZeroAttr(write.getVectorType().getElementType()));
    SmallVector<bool> inBounds(2, true);
    Value read = vector::TransferReadOp::create(
        b, write.getVectorType(), write.getBase(),
        ValueRange{buffer, b.index(0)}, padding,
        AffineMap::getMultiDimIdentityMap(2, b.getContext()),
        ArrayRef<bool>(inBounds));
    mapping.map(operand, read);
  }
}

SmallVector<Value> CopiedLoop::sum(const PipelinedLoop::BegunStep &step) {
  IRMapping mapping;
  return steps.emitRest(step, mapping, [&](Operation &op) {
    readStaged(op, step.buffer, mapping);
  });
}

void CopiedLoop::rewrite() {
  auto first = [&](Value number, Value buffer) -> SmallVector<Value> {
    IRMapping loaded = steps.emitBeginning(number);
    copy(loaded, buffer);
    return {};
  };
  auto both = [&](const PipelinedLoop::BegunStep &step, Value next) {
    IRMapping loaded = steps.emitBeginning(next);
    emitWait(b, b.getLoc());
    Value other = steps.getOther(step.buffer);
    copy(loaded, other);
    SmallVector<Value> state = sum(step);
    state.push_back(other);
    return state;
  };
  auto last = [&](const PipelinedLoop::BegunStep &step) {
    emitWait(b, b.getLoc());
    return sum(step);
  };
  steps.rewrite({first, both, last});
}

//===----------------------------------------------------------------------===//
// In one
//===----------------------------------------------------------------------===//

/// Whether `op` may write to `buffer`, or to a view of it.
static bool mayWrite(Operation *op, Value buffer) {
  WalkResult walk = op->walk([&](Operation *inner) {
    if (inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
        isa<nvgpu::DeviceAsyncCreateGroupOp, nvgpu::DeviceAsyncWaitOp>(inner))
      return WalkResult::advance();
    auto memory = dyn_cast<MemoryEffectOpInterface>(inner);
    if (!memory)
      return WalkResult::interrupt();
    SmallVector<MemoryEffects::EffectInstance> effects;
    memory.getEffects(effects);
    bool isWritten = llvm::any_of(effects, [&](const auto &effect) {
      return isa<MemoryEffects::Write>(effect.getEffect()) &&
             (!effect.getValue() || getBuffer(effect.getValue()) == buffer);
    });
    return isWritten ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

/// Begins to copy what `write` stages once its rows are known, and waits in
/// front of what reads it. Empty if that can be done, else why not.
static std::string copyAtOnce(vector::TransferWriteOp write) {
  LoadRowsOp load = getCopiedRows(write);
  if (!load)
    return notOfRows.str();
  if (load->getBlock() != write->getBlock())
    return "it stages what another block loads";
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
  Value source = getBuffer(load.getSource());
  for (Operation *op = load->getNextNode(); op != reader;
       op = op->getNextNode())
    if (mayWrite(op, source))
      return "what it copies may be written before it is read";
  bool isFree = true;
  for (Operation *op = load->getNextNode(); op != write; op = op->getNextNode())
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
    if (refusal.empty())
      passed(getArgument(), op->getLoc(), "Copied") << text;
    else
      refused(getArgument(), op->getLoc()) << refusal;
  }
};
} // namespace
