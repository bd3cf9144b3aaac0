//===- AnnotateMutexes.cpp - Which instruction fills a buffer -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OverlayForms.h"

#include "GNN/Transforms/Overlay/Passes.h"
#include "GNN/Transforms/Remarks.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::overlay;

namespace gnn {
#define GEN_PASS_DEF_OVERLAYANNOTATEMUTEXES
#include "GNN/Transforms/Overlay/Passes.h.inc"
} // namespace gnn

namespace {
struct OverlayAnnotateMutexes
    : gnn::impl::OverlayAnnotateMutexesBase<OverlayAnnotateMutexes> {
  void runOnOperation() override {
    if (failed(verifyForm(getOperation(), OverlayForm::Mapped)))
      return signalPassFailure();
    for (auto program : getOperation().getOps<ProgramOp>()) {
      size_t tiles = 0;
      program.walk([&](TilingBlockOp tile) { // in parts too
        annotate(tile.getBody().front());
        ++tiles;
      });
      passed(getArgument(), program.getLoc(), "Annotated")
          << counted(tiles, "tile");
    }
  }

  /// Annotates the instructions of a tile, or of its loop.
  void annotate(Block &block) {
    Builder builder(&getContext());
    // Of each buffer, the last instruction that reads it.
    Operation *last[4] = {};
    uint64_t filled = 0; // in this block
    for (Operation &op : block) {
      if (auto loop = dyn_cast<LoopOp>(op)) {
        annotate(loop.getBody().front());
        continue;
      }
      Accesses accesses = accessesOf(op);
      if (accesses.fills)
        op.setAttr("lock", builder.getUnitAttr());
      op.removeAttr("unlock");
      for (unsigned buffer = 0; buffer < 4; ++buffer) {
        uint64_t bit = uint64_t(1) << buffer;
        if (accesses.fills & bit) {
          // Two loads may fill both halves of one kind before they are read.
          if (last[buffer])
            unlock(last[buffer], bit);
          last[buffer] = nullptr;
          filled |= bit;
        }
        if (accesses.reads & bit & filled)
          last[buffer] = &op;
      }
    }
    for (unsigned buffer = 0; buffer < 4; ++buffer)
      if (last[buffer])
        unlock(last[buffer], uint64_t(1) << buffer);
  }

  void unlock(Operation *op, uint64_t bit) {
    auto old = op->getAttrOfType<BuffersAttr>("unlock");
    op->setAttr("unlock", BuffersAttr::get(&getContext(),
                                           (old ? old.getBits() : 0) | bit));
  }
};
} // namespace
