//===- SaveSchedules.cpp - Schedules to a file ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the schedules that were chosen.
//
//===----------------------------------------------------------------------===//

#include "GNN/Transforms/Schedules/Passes.h"
#include "GNN/Transforms/Schedules/ScheduleFile.h"

#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace mlir;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_SAVESCHEDULES
#include "GNN/Transforms/Schedules/Passes.h.inc"
} // namespace gnn

namespace {
struct SaveSchedules : gnn::impl::SaveSchedulesBase<SaveSchedules> {
  using SaveSchedulesBase::SaveSchedulesBase;

  void runOnOperation() override {
    if (file.empty()) {
      emitError(getOperation().getLoc(),
                "gnn-tile-save-schedules: expected a file");
      return signalPassFailure();
    }
    std::map<TemplateKey, TileOpInterface> known;
    std::string text;
    llvm::raw_string_ostream stream(text);
    WalkResult walk = getOperation().walk([&](TileOpInterface op) {
      TemplateKey key(op);
      auto [it, isNew] = known.try_emplace(key, op);
      if (isNew)
        printSchedule(stream, key, op.getTileSchedule(), nullptr);
      else if (it->second.getTileSchedule() != op.getTileSchedule()) {
        InFlightDiagnostic diag =
            op->emitOpError("expected the schedule of another template of the "
                            "same key, for a file cannot tell them apart: ")
            << it->second.getTileSchedule() << ", got " << op.getTileSchedule();
        diag.attachNote(it->second.getLoc()) << "the other one";
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    if (walk.wasInterrupted() ||
        failed(writeSchedules(getOperation(), file, text)))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
