//===- TilePasses.cpp - Passes on schedules and on loops ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes on kernels outside of the tree, as a plugin of gnn-opt, gnn-run and
// Python: one chooses a schedule, one rewrites loops.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/TraverseLayout.h"
#include "GNN/Transforms/Remarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace mlir;
using namespace gnn::tile;

namespace standalone {
#define GEN_PASS_DECL
#define GEN_PASS_DEF_SMALLERBLOCKS
#define GEN_PASS_DEF_DEEPENWALKS
#define GEN_PASS_REGISTRATION
#include "Passes.h.inc"
} // namespace standalone

/// The most elements of a row that one lane has under way.
static constexpr int64_t mostInFlight = 16;

namespace {

struct SmallerBlocks : standalone::impl::SmallerBlocksBase<SmallerBlocks> {
  using SmallerBlocksBase::SmallerBlocksBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (rows >= 1)
      return success();
    return emitError(UnknownLoc::get(context))
           << getArgument() << ": expected 'rows' of at least 1, got "
           << rows.getValue();
  }

  void runOnOperation() override {
    getOperation()->walk([&](TraverseOp op) {
      TraverseSchedule before(op), schedule(op);
      if (schedule.rowsPerBlock <= rows)
        return;
      schedule.rowsPerBlock = rows;
      schedule.setOn(op);
      std::string why = op.explainSchedule();
      if (why.empty()) {
        gnn::passed(getArgument(), op.getLoc(), "Rows")
            << ("blocks of " + Twine(rows) + " rows").str();
        return;
      }
      gnn::refused(getArgument(), op.getLoc()) << why;
      before.setOn(op);
    });
  }
};

struct DeepenWalks : standalone::impl::DeepenWalksBase<DeepenWalks> {
  using DeepenWalksBase::DeepenWalksBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (by >= 1 && by <= mostInFlight)
      return success();
    return emitError(UnknownLoc::get(context))
           << getArgument() << ": expected 'by' from 1 to " << mostInFlight
           << ", got " << by.getValue();
  }

  void runOnOperation() override {
    getOperation()->walk([&](WalkOp walk) {
      int64_t deeper = walk.getInFlight() * by;
      if (deeper > mostInFlight) {
        gnn::refused(getArgument(), walk.getLoc())
            << (Twine(deeper) + " elements in flight are too many").str();
        return;
      }
      walk.setInFlight(deeper);
      gnn::passed(getArgument(), walk.getLoc(), "Walk")
          << (Twine(deeper) + " elements in flight").str();
    });
  }
};

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "TilePasses", "0.1",
          [] { standalone::registerTilePassesPasses(); }};
}
