//===- ScheduleProducts.cpp - Tiles of products ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/Targets.h"
#include "GNN/Dialect/Tile/IR/ProductLayout.h"
#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Schedules/Passes.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_SCHEDULEPRODUCTS
#include "GNN/Transforms/Schedules/Passes.h.inc"
} // namespace gnn

/// The narrowest tile that holds `columns`, or the widest.
static int64_t tileFor(int64_t columns) {
  return columns <= 16 ? 16 : columns <= 32 ? 32 : 64;
}

/// Why tensor cores would be no faster; empty if they are. A step of a gemm has
/// one load to wait for, and the rest is arithmetic.
static std::string explainNoGain(GemmOp, int64_t, ProductCopies) { return ""; }

/// A step of an outer product that is loaded holds what the next one stages,
/// for which sums in fragments leave fewer registers. In training of RGCN, RGAT
/// and HGT on biokg (H200) wide tiles took 1 to 3 % more time then, and narrow
/// ones 6 % less; copied, wide ones take 3 % less (am: 8 %). With sums of
/// columns they took up to 28 % more; copied, from 12 % more (bgs) to 7 % less
/// (am).
static std::string explainNoGain(OuterOp op, int64_t columns,
                                 ProductCopies copies) {
  if (op.getSums())
    return "it sums columns too";
  if (columns > 16 && copies != ProductCopies::Async)
    return "wide tiles that are loaded take the registers of its sums";
  return "";
}

namespace {
struct ScheduleProducts : gnn::impl::ScheduleProductsBase<ScheduleProducts> {
  using ScheduleProductsBase::ScheduleProductsBase;

  void runOnOperation() override {
    abilities = gnn::getAbilities(getOperation());
    getOperation()->walk([&](GemmOp op) { choose(op, op.getOut()); });
    getOperation()->walk([&](OuterOp op) { choose(op, op.getOut()); });
  }

private:
  gnn::TargetAbilities abilities;

  template <typename ProductOp> void choose(ProductOp op, int64_t out) {
    GemmScheduleAttr given = op.getScheduleAttr();
    ProductSchedule schedule(given);
    if (!schedule.n)
      schedule.n = tileFor(out);
    auto refusal = [&] {
      return explainRefusal(op, schedule.get(op.getContext()));
    };
    if (!schedule.copies) {
      schedule.copies = ProductCopies::Async;
      if (!asyncCopies || !abilities.asyncCopies || !isTaken(op, refusal()))
        schedule.copies = ProductCopies::Registers;
    }
    if (!schedule.kind) {
      schedule.kind = ProductKind::TF32x3;
      std::string why = explainNoGain(op, schedule.n, *schedule.copies);
      if (why.empty())
        why = refusal();
      else
        why = "expected ffma to be faster than tf32x3: " + why;
      if (!tensorCores || !abilities.tf32 || !isTaken(op, why))
        schedule.kind = ProductKind::FFMA;
    }
    GemmScheduleAttr chosen = schedule.get(op.getContext());
    op.setScheduleAttr(chosen);
    if (chosen != given)
      passed(getArgument(), op.getLoc(), "Scheduled")
          << ("tiles of " + Twine(schedule.n) + " columns, multiplied by " +
              stringifyProductKind(*schedule.kind) + ", staged by " +
              stringifyProductCopies(*schedule.copies))
                 .str();
  }

  /// Whether there is no reason against what was asked for.
  bool isTaken(Operation *op, const std::string &why) {
    if (!why.empty())
      refused(getArgument(), op->getLoc()) << why;
    return why.empty();
  }
};
} // namespace
