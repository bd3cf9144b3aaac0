//===- LoadAhead.cpp - Load a step while the one before is summed ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step begins with its loads, and carries what they give to the place where
// it stages them.
//
//===----------------------------------------------------------------------===//

#include "PipelinedLoop.h"

#include "GNN/Transforms/Loops/Passes.h"
#include "GNN/Transforms/Remarks.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_LOADAHEAD
#include "GNN/Transforms/Loops/Passes.h.inc"
} // namespace gnn

/// Cuts the body in two. Empty if that can be done, else why not.
static std::string analyse(scf::ForOp loop, PipelinedLoop &steps) {
  for (auto stage : loop.getOps<StageOp>())
    if (std::string why = steps.take(stage); !why.empty())
      return why;
  return steps.explainRest();
}

/// Loads what step `number` stages.
static SmallVector<Value> load(PipelinedLoop &steps, Value number) {
  IRMapping loaded = steps.emitBeginning(number);
  return llvm::map_to_vector(steps.staged.getArrayRef(), [&](Value value) {
    return loaded.lookupOrDefault(value);
  });
}

/// Stages and sums a step, and calls `loadNext` in front of the product, once
/// all of it is staged.
static SmallVector<Value> sum(PipelinedLoop &steps,
                              const PipelinedLoop::BegunStep &step,
                              function_ref<void()> loadNext) {
  IRMapping mapping;
  mapping.map(steps.staged.getArrayRef(), step.begun);
  return steps.emitRest(step, mapping, [&](Operation &op) {
    if (!loadNext || !isa<ContractOp>(op))
      return;
    loadNext();
    loadNext = nullptr;
  });
}

static void rewrite(PipelinedLoop &steps) {
  auto first = [&](Value number, Value) { return load(steps, number); };
  auto both = [&](const PipelinedLoop::BegunStep &step, Value next) {
    SmallVector<Value> loaded;
    SmallVector<Value> state =
        sum(steps, step, [&] { loaded = load(steps, next); });
    state.append(loaded);
    state.push_back(steps.getOther(step.buffer));
    return state;
  };
  auto last = [&](const PipelinedLoop::BegunStep &step) {
    return sum(steps, step, nullptr);
  };
  steps.rewrite({first, both, last});
}

namespace {
struct LoadAhead : gnn::impl::LoadAheadBase<LoadAhead> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) {
      if (isAhead(loop))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops) {
      PipelinedLoop steps(loop, "loaded", PipelinedLoop::Begins::WithLoads);
      for (auto stage : loop.getOps<StageOp>())
        stage.setAhead(false);
      if (std::string why = analyse(loop, steps); !why.empty()) {
        refused(getArgument(), loop.getLoc()) << why;
        continue;
      }
      Location loc = loop.getLoc(); // it is replaced
      rewrite(steps);
      passed(getArgument(), loc, "Ahead")
          << "the next step is loaded while one is summed";
    }
  }
};
} // namespace
