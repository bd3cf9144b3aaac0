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

#include "GNN/Analysis/Targets.h"
#include "GNN/Dialect/Tile/IR/Buffers.h"
#include "GNN/Dialect/Tile/IR/Ranges.h"
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
/// One loop whose steps are copied ahead.
class CopiedLoop {
public:
  explicit CopiedLoop(scf::ForOp loop)
      : loop(loop), steps(loop, "copied", PipelinedLoop::Begins::WithStaging),
        b(steps.b) {}

  /// Cuts the body in two. Empty if that can be done, else why not.
  std::string analyse();
  void rewrite();

private:
  std::string take(StageOp stage);
  void copy(IRMapping &loaded, Value buffer);
  void readStaged(Operation &user, Value buffer, IRMapping &mapping);
  SmallVector<Value> sum(const PipelinedLoop::BegunStep &step);

  scf::ForOp loop;
  PipelinedLoop steps;
  IndexBuilder &b;
  SmallVector<StageOp> stages;
  /// Where what is loaded is staged.
  llvm::SmallDenseMap<Value, StageOp> stagedBy;
};
} // namespace

std::string CopiedLoop::take(StageOp stage) {
  if (std::string why = steps.take(stage); !why.empty())
    return why;
  LoadRowsOp load = stage.getCopiedRows();
  if (!load)
    return notOfRows.str();
  if (stage.getBy() != Staging::Async)
    return "a step stages what is not to be copied";
  if (load->getParentOp() != loop)
    return "a step stages what it does not load";
  stages.push_back(stage);
  stagedBy.try_emplace(stage.getTile(), stage);
  return "";
}

std::string CopiedLoop::analyse() {
  for (auto stage : loop.getOps<StageOp>())
    if (std::string why = take(stage); !why.empty())
      return why;
  return steps.explainRest();
}

/// Begins to copy a step to the buffers at `buffer`.
void CopiedLoop::copy(IRMapping &loaded, Value buffer) {
  for (StageOp stage : stages) {
    auto copy = cast<StageOp>(b.clone(*stage, loaded));
    copy.getRowMutable().set(buffer);
    copy.setBy(Staging::InFlight);
    copy.setAhead(false);
  }
}

/// An op that takes a part of the loaded tiles reads it where they are staged.
void CopiedLoop::readStaged(Operation &user, Value buffer, IRMapping &mapping) {
  for (Value operand : user.getOperands()) {
    StageOp stage = stagedBy.lookup(operand);
    if (!stage || mapping.contains(operand))
      continue;
    VectorType type = stage.getTile().getType();
    Value padding =
        arith::ConstantOp::create(b, b.getZeroAttr(type.getElementType()));
    SmallVector<bool> inBounds(2, true);
    Value read = vector::TransferReadOp::create(
        b, type, stage.getArray(), ValueRange{buffer, b.index(0)}, padding,
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

/// Begins to copy what `stage` stages once its rows are known, and waits in
/// front of what reads it. Empty if that can be done, else why not.
static std::string copyAtOnce(StageOp stage) {
  LoadRowsOp load = stage.getCopiedRows();
  if (!load)
    return notOfRows.str();
  if (load->getBlock() != stage->getBlock())
    return "it stages what another block loads";
  auto uses = [&](Operation *op) {
    return op
        ->walk([&](Operation *inner) {
          return llvm::is_contained(inner->getOperands(), stage.getArray())
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  };
  Operation *reader = stage->getNextNode();
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
  for (Operation *op = load->getNextNode(); op != stage; op = op->getNextNode())
    isFree &= !uses(op);
  Operation *row = stage.getRow().getDefiningOp();
  if (row && row->getBlock() == stage->getBlock()) {
    if (matchPattern(row, m_Constant()))
      row->moveBefore(&stage->getBlock()->front());
    else
      isFree &= row->isBeforeInBlock(load);
  }
  if (isFree)
    stage->moveAfter(load);
  stage.setBy(Staging::InFlight);
  OpBuilder b(reader);
  emitWait(b, reader->getLoc());
  return "";
}

/// Why what a window stages cannot be copied; empty if it can.
static std::string explainWindow(StageWindowOp window) {
  for (Value value : window.getBody().front().getTerminator()->getOperands()) {
    auto load = value.getDefiningOp<memref::LoadOp>();
    if (!load || load->getParentOp() != window ||
        isInWorkgroup(load.getMemRef()))
      return "it stages something else than numbers in global memory";
  }
  return "";
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct CopyAsync : gnn::impl::CopyAsyncBase<CopyAsync> {
  void runOnOperation() override {
    auto isAsync = [](StageOp stage) {
      return stage.getBy() == Staging::Async;
    };
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) {
      if (isAhead(loop) && llvm::any_of(loop.getOps<StageOp>(), isAsync))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      inTwoStages(loop);
    SmallVector<StageOp> stages;
    getOperation()->walk([&](StageOp stage) {
      if (isAsync(stage))
        stages.push_back(stage);
    });
    for (StageOp stage : stages) {
      stage.setBy(Staging::Registers);
      report(stage, copyAtOnce(stage),
             "copied asynchronously while other rows are loaded");
    }
    bool canCopy = getAbilities(getOperation()).asyncCopies;
    getOperation()->walk([&](StageWindowOp window) {
      std::string why =
          canCopy ? explainWindow(window) : "the target has no such copies";
      window.setAsync(why.empty());
      report(window, why, "a window is copied past registers");
    });
  }

private:
  void inTwoStages(scf::ForOp loop) {
    CopiedLoop copied(loop);
    std::string why = copied.analyse();
    report(loop, why, "the next step is copied while one is summed");
    if (why.empty())
      return copied.rewrite();
    for (auto stage : loop.getOps<StageOp>())
      stage.setBy(Staging::Registers); // the loop loads ahead instead
  }

  void report(Operation *op, StringRef refusal, StringRef text) {
    if (refusal.empty())
      passed(getArgument(), op->getLoc(), "Copied") << text;
    else
      refused(getArgument(), op->getLoc()) << refusal;
  }
};
} // namespace
