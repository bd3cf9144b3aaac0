//===- ApplySchedules.cpp - Schedules of a file ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/GNN/IR/ScheduleFrom.h"
#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Schedules/Passes.h"
#include "GNN/Transforms/Schedules/ScheduleFile.h"

#include <map>

using namespace mlir;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_APPLYSCHEDULES
#include "GNN/Transforms/Schedules/Passes.h.inc"
} // namespace gnn

namespace {
struct ApplySchedules : gnn::impl::ApplySchedulesBase<ApplySchedules> {
  using ApplySchedulesBase::ApplySchedulesBase;

  void runOnOperation() override {
    if (file.empty()) {
      emitError(getOperation().getLoc(),
                "gnn-tile-apply-schedules: expected a file");
      return signalPassFailure();
    }
    FailureOr<std::vector<ScheduleEntry>> entries =
        readSchedules(getOperation(), file);
    if (failed(entries) || failed(checkKeys(*entries)))
      return signalPassFailure();
    Templates templates;
    getOperation().walk([&](TileOpInterface op) {
      templates.push_back({op, TemplateKey(op)});
    });
    for (const ScheduleEntry &entry : *entries)
      if (failed(apply(entry, templates)))
        return signalPassFailure();
  }

private:
  using Templates = std::vector<std::pair<TileOpInterface, TemplateKey>>;

  /// Reports two lines about one template.
  LogicalResult checkKeys(ArrayRef<ScheduleEntry> entries) {
    std::map<TemplateKey, unsigned> lines;
    for (const ScheduleEntry &entry : entries) {
      unsigned line = cast<FileLineColLoc>(entry.loc).getLine();
      auto [known, isNew] = lines.try_emplace(entry.key, line);
      if (!isNew)
        return emitError(entry.loc, "ambiguous: expected one line for a "
                                    "template, got another one as line ")
               << known->second;
    }
    return success();
  }

  LogicalResult apply(const ScheduleEntry &entry, const Templates &templates) {
    unsigned number = 0;
    for (const auto &[op, key] : templates)
      if (key.tie() == entry.key.tie()) {
        if (failed(applyTo(op, entry)))
          return failure();
        ++number;
      }
    return number ? success() : reportUnused(entry, templates);
  }

  /// Whether older files say by this field that a block is one lane.
  static bool saysOneLane(TileOpInterface op, StringRef name, StringRef value) {
    bool isOne =
        value == "1" && (name == "in_flight" || name.ends_with("lanes"));
    return isa<CoreScheduleAttr>(getScheduleKind(op)) &&
           (isOne || value == "in_turn");
  }

  LogicalResult applyTo(TileOpInterface op, const ScheduleEntry &entry) {
    ScheduleFields fields = getFields(op.getTileSchedule());
    for (const auto &[name, value] : entry.fields) {
      if (saysOneLane(op, name, value))
        continue;
      auto [known, isNew] = fields.try_emplace(name, value);
      if (isNew || known->second == value)
        continue;
      InFlightDiagnostic diag = emitError(entry.loc, "expected '")
                                << name << "' = " << known->second
                                << ", which the template has, got " << value;
      diag.attachNote(op.getLoc()) << "the template";
      return diag;
    }
    FailureOr<Attribute> schedule = makeSchedule(op, fields, entry.loc);
    if (failed(schedule))
      return failure();
    op.setTileSchedule(*schedule);
    if (std::string why = op.explainSchedule(); !why.empty()) {
      InFlightDiagnostic diag = emitError(entry.loc) << why;
      diag.attachNote(op.getLoc()) << "the template";
      return diag;
    }
    gnn::setScheduleFrom(op, "file", describe(entry.loc));
    gnn::passed(getArgument(), op.getLoc(), "ScheduleApplied")
        << "takes the schedule of " + describe(entry.loc);
    return success();
  }

  static std::string describe(Location loc) {
    auto line = cast<FileLineColLoc>(loc);
    return (line.getFilename().getValue() + ":" + Twine(line.getLine())).str();
  }

  /// The part of the key in which the template most like the entry's differs.
  static std::string explainUnused(const ScheduleEntry &entry,
                                   const Templates &templates) {
    const TemplateKey *nearest = nullptr;
    std::string part;
    unsigned most = 0;
    for (const auto &[op, key] : templates) {
      unsigned parts;
      std::string first = entry.key.findDifference(key, parts);
      if (parts > most)
        nearest = &key, part = first, most = parts;
    }
    if (!nearest)
      return "unused: the module has no template in a function '" +
             entry.key.function + "'";
    return "stale: no template has this key; expected '" + part + "' to be " +
           nearest->str(part) + ", as in the one most like it, got " +
           entry.key.str(part);
  }

  LogicalResult reportUnused(const ScheduleEntry &entry,
                             const Templates &templates) {
    std::string why = explainUnused(entry, templates);
    if (!allowUnused)
      return emitError(entry.loc) << why;
    gnn::refused(getArgument(), entry.loc) << why;
    return success();
  }
};
} // namespace
