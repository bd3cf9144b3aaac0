//===- UseFastPowers.cpp - Powers by an instruction -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/Targets.h"
#include "GNN/Transforms/Kernels/Passes.h"
#include "GNN/Transforms/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace gnn {
#define GEN_PASS_DEF_USEFASTPOWERS
#include "GNN/Transforms/Kernels/Passes.h.inc"
} // namespace gnn

using namespace mlir;

template <typename Op> static bool isApproximate(Op op) {
  return op.getType().isF32() &&
         arith::bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn);
}

bool gnn::isFastPower(Operation *op) {
  auto power = dyn_cast<math::Exp2Op>(op);
  return power && isApproximate(power);
}

namespace {
struct UseFastPowers : gnn::impl::UseFastPowersBase<UseFastPowers> {
  void runOnOperation() override {
    if (!gnn::getAbilities(getOperation()).fastPowers)
      return;
    getOperation()->walk([&](gpu::GPUFuncOp kernel) {
      SmallVector<math::ExpOp> powers;
      kernel.walk([&](math::ExpOp op) {
        if (isApproximate(op))
          powers.push_back(op);
      });
      for (math::ExpOp op : powers) {
        ImplicitLocOpBuilder b(op.getLoc(), op);
        Value log2E = arith::ConstantOp::create(
            b, b.getF32FloatAttr(static_cast<float>(llvm::numbers::log2e)));
        Value exponent = arith::MulFOp::create(b, op.getOperand(), log2E);
        Value power =
            math::Exp2Op::create(b, exponent, arith::FastMathFlags::afn);
        op.replaceAllUsesWith(power);
        op.erase();
      }
      if (!powers.empty())
        gnn::passed(getArgument(), kernel.getLoc(), "Computed")
            << gnn::counted(powers.size(), "power") + " by an instruction";
    });
  }
};
} // namespace
