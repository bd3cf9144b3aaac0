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

/// Registers of a thread where a block reads 64 rows in order and stages its
/// whole depth of more than 32 at once, by columns of its tile. Told nothing,
/// ptxas takes 95 and 63, and loads what it multiplies later. Products of 33 to
/// 64 inputs take 0.83 to 0.98 of the time by these on an H200, 0.91 on
/// average. Gathered rows and weights of types lose 1 to 5% by them, deeper
/// products up to 8% (benchmarks/results/2026-11-30-h200-product-registers.md).
static constexpr int64_t registersOfWide = 128, registersOfNarrow = 96;

static int64_t chooseRegisters(GemmOp op, GemmScheduleAttr schedule) {
  if (op.getTypes() || op.getInputAt().getAnchor() != Anchor::Group ||
      op.getInputAt().getSpace())
    return 0;
  ProductLayout layout = layOut(op, schedule);
  if (!layout.onTensorCores || op.getIn() > layout.depth || layout.depth <= 32)
    return 0;
  return layout.columns == 64   ? registersOfWide
         : layout.columns == 32 ? registersOfNarrow
                                : 0;
}

/// An outer product keeps its sums, for which ptxas takes what it needs.
static int64_t chooseRegisters(OuterOp, GemmScheduleAttr) { return 0; }

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
    if (registers && !schedule.maxRegisters && !schedule.processorBlocks)
      schedule.maxRegisters =
          chooseRegisters(op, schedule.get(op.getContext()));
    GemmScheduleAttr chosen = schedule.get(op.getContext());
    op.setScheduleAttr(chosen);
    if (chosen == given)
      return;
    std::string bound;
    if (schedule.maxRegisters)
      bound = ", with up to " + std::to_string(schedule.maxRegisters) +
              " registers a thread";
    passed(getArgument(), op.getLoc(), "Scheduled")
        << ("tiles of " + Twine(schedule.n) + " columns, multiplied by " +
            stringifyProductKind(*schedule.kind) + ", staged by " +
            stringifyProductCopies(*schedule.copies) + bound)
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
