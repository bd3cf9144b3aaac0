//===- SaveSchedules.cpp - Schedules to a file ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the schedules that were chosen, and lists those that may be.
//
//===----------------------------------------------------------------------===//

#include "ScheduleFile.h"

#include "GNN/Analysis/Targets.h"
#include "GNN/OptionFiles/OptionFiles.h"
#include "GNN/Transforms/Schedules/Passes.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <set>

using namespace mlir;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_LISTSCHEDULES
#define GEN_PASS_DEF_SAVESCHEDULES
#include "GNN/Transforms/Schedules/Passes.h.inc"
} // namespace gnn

static LogicalResult writeFile(Operation *op, StringRef path, StringRef text) {
  if (gnn::runtime::Error error = gnn::writeOutput(path, text))
    return emitError(op->getLoc(), "schedules: ") << error.message();
  return success();
}

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
    if (walk.wasInterrupted() || failed(writeFile(getOperation(), file, text)))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

struct ListSchedules : gnn::impl::ListSchedulesBase<ListSchedules> {
  using ListSchedulesBase::ListSchedulesBase;

  void runOnOperation() override {
    std::string text;
    llvm::raw_string_ostream stream(text);
    if (failed(gnn::listSchedules(getOperation(), vary, stream)))
      return signalPassFailure();
    if (file.empty())
      llvm::outs() << text;
    else if (failed(writeFile(getOperation(), file, text)))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace

/// The schedule of a template without the fields that are to vary, but for
/// those that its target leaves one value of.
static FailureOr<Attribute> openFields(TileOpInterface op,
                                       ArrayRef<std::string> vary) {
  ScheduleFields fields = getFields(op.getTileSchedule());
  for (const std::string &name : vary)
    fields.erase(name);
  gnn::TargetAbilities abilities = gnn::getAbilities(op);
  bool isProduct = isa<GemmScheduleAttr>(getScheduleKind(op));
  if (isProduct && !abilities.tf32)
    fields.try_emplace("kind", "ffma");
  if (isProduct && !abilities.asyncCopies)
    fields.try_emplace("copies", "registers");
  return makeSchedule(op, fields, op.getLoc());
}

/// Whether a listed schedule differs from a chosen one in a field that may stay
/// open, and is not to vary: where the first one is chosen, it is as it is to
/// be.
static bool changesOthers(Attribute listed, Attribute given,
                          ArrayRef<std::string> vary) {
  auto before = dyn_cast_if_present<ScheduleInterface>(given);
  if (!before || (vary.empty() && !before.getValues().front()))
    return false;
  auto made = cast<ScheduleInterface>(listed);
  for (auto [field, value, old] :
       llvm::zip_equal(made.getTable(), made.getValues(), before.getValues()))
    if (field.rule.empty() && value != old &&
        !llvm::is_contained(vary, field.name))
      return true;
  return false;
}

LogicalResult gnn::listSchedules(ModuleOp module, ArrayRef<std::string> vary,
                                 raw_ostream &os) {
  std::set<TemplateKey> known;
  llvm::SetVector<StringRef> fields;
  WalkResult walk = module.walk([&](TileOpInterface op) {
    for (const ScheduleField &field : getScheduleKind(op).getTable())
      fields.insert(field.name);
    TemplateKey key(op);
    if (!known.insert(key).second)
      return WalkResult::advance();
    FailureOr<Attribute> given = openFields(op, vary);
    if (failed(given))
      return WalkResult::interrupt();
    op.enumerateSchedules(
        *given, [&](Attribute schedule, const LayoutFacts &facts) {
          if (!changesOthers(schedule, op.getTileSchedule(), vary))
            printSchedule(os, key, schedule, &facts);
        });
    return WalkResult::advance();
  });
  for (StringRef name : vary)
    if (!fields.contains(name))
      return emitError(module.getLoc(),
                       "vary: expected fields of schedules of the module's "
                       "templates (")
             << llvm::join(fields, ", ") << "), got '" << name << "'";
  return failure(walk.wasInterrupted());
}
