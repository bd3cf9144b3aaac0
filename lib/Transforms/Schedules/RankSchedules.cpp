//===- RankSchedules.cpp - Schedules by a trained model -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/ScheduleModels/ScheduleModel.h"
#include "GNN/Dialect/GNN/IR/ScheduleFrom.h"
#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Schedules/Passes.h"
#include "GNN/Transforms/Schedules/ScheduleFile.h"

#include <map>

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_RANKSCHEDULES
#include "GNN/Transforms/Schedules/Passes.h.inc"
} // namespace gnn

namespace {
struct RankSchedules : gnn::impl::RankSchedulesBase<RankSchedules> {
  using RankSchedulesBase::RankSchedulesBase;
  RankSchedules(const std::string &rule, OpPassManager passes)
      : passes(std::move(passes)) {
    this->rule = rule;
  }

  void runOnOperation() override;

private:
  using Choices = std::vector<Attribute>;
  /// Of templates of a module that compute the same, what the first was given
  /// and got.
  using Known = std::map<TemplateKey, std::pair<Attribute, Attribute>>;

  FailureOr<std::shared_ptr<const ScheduleModel>> loadModel();
  FailureOr<Choices> askRule();
  void choose(TileOpInterface op, Attribute schedule);
  LogicalResult rank(TileOpInterface op, const ScheduleModel &model,
                     Attribute ofRule, Known &known);

  /// Those that choose without a model; none where nobody has said which.
  std::optional<OpPassManager> passes;
};
} // namespace

std::unique_ptr<Pass> gnn::createRankSchedules(const std::string &rule,
                                               OpPassManager passes) {
  return std::make_unique<RankSchedules>(rule, std::move(passes));
}

FailureOr<std::shared_ptr<const ScheduleModel>> RankSchedules::loadModel() {
  auto model = ScheduleModel::ofRule(rule);
  if (!model)
    return emitError(getOperation().getLoc(), "schedule-rule: ")
           << model.message();
  return *model;
}

/// The schedules of all templates, in order, as the rule chooses them; none
/// where no one asks for remarks. It is applied to a copy within the module.
FailureOr<RankSchedules::Choices> RankSchedules::askRule() {
  Choices choices;
  if (!passes || !getContext().getRemarkEngine())
    return choices;
  ModuleOp copy = getOperation().clone();
  getOperation().push_back(copy);
  LogicalResult done = runPipeline(*passes, copy);
  copy.walk(
      [&](TileOpInterface op) { choices.push_back(op.getTileSchedule()); });
  copy.erase();
  if (failed(done))
    return failure();
  return choices;
}

void RankSchedules::choose(TileOpInterface op, Attribute schedule) {
  op.setTileSchedule(schedule);
  gnn::setScheduleFrom(op, "model", StringRef(rule).split(':').second);
}

/// Sets the first schedule by the model, where no file and no record has.
LogicalResult RankSchedules::rank(TileOpInterface op,
                                  const ScheduleModel &model, Attribute ofRule,
                                  Known &known) {
  if (auto from = op->getAttrOfType<StringAttr>(gnn::attribute::scheduleFrom)) {
    gnn::refused(getArgument(), op.getLoc())
        << "its schedule is from " + from.getValue().str() +
               ": the rule chooses open fields";
    return success();
  }
  FailureOr<Attribute> given = openFields(op, {});
  if (failed(given))
    return failure();
  TemplateKey key(op);
  if (auto same = known.find(key);
      same != known.end() && same->second.first == *given) {
    choose(op, same->second.second);
    return success();
  }
  std::vector<ListedSchedule> listed = enumerateSchedules(op, *given);
  ScheduleInterface kind = getScheduleKind(op);
  FeatureTable table = computeFeatures(op, kind, listed);
  auto order = orderSchedules(model, table);
  if (!order) {
    gnn::refused(getArgument(), op.getLoc()) << order.message();
    return success();
  }
  if (listed.empty()) {
    gnn::refused(getArgument(), op.getLoc())
        << "it has no schedule that can be honoured";
    return success();
  }
  if (!haveRoom(table, order->front())) {
    gnn::refused(getArgument(), op.getLoc())
        << "a multiprocessor has no room for a block of any of " +
               std::to_string(listed.size()) +
               " schedules, by the estimate of registers: the rule chooses";
    return success();
  }
  auto report = [&] { return op->emitOpError(); };
  Attribute first = kind.withValues(listed[order->front()].schedule, report);
  if (!first)
    return failure();
  choose(op, first);
  known[key] = {*given, first};
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "the first of " << listed.size() << " schedules: " << first;
  if (ofRule)
    stream << "; by the rule: " << ofRule;
  gnn::passed(getArgument(), op.getLoc(), "ScheduleRanked") << text;
  return success();
}

void RankSchedules::runOnOperation() {
  auto model = loadModel();
  if (failed(model))
    return signalPassFailure();
  FailureOr<Choices> ofRule = askRule();
  if (failed(ofRule))
    return signalPassFailure();
  Known known;
  size_t number = 0;
  WalkResult walk = getOperation().walk([&](TileOpInterface op) {
    Attribute choice = number < ofRule->size() ? (*ofRule)[number] : nullptr;
    ++number;
    return WalkResult(rank(op, **model, choice, known));
  });
  if (walk.wasInterrupted())
    signalPassFailure();
}
