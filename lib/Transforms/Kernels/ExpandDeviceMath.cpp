//===- ExpandDeviceMath.cpp - Functions as additions and products ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formulas are in DeviceMath/; here each op is matched with its own.
//
//===----------------------------------------------------------------------===//

#include "GNN/Transforms/Kernels/Passes.h"

#include "DeviceMath/DeviceMath.h"
#include "GNN/Analysis/Targets.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace gnn {
#define GEN_PASS_DEF_EXPANDDEVICEMATH
#include "GNN/Transforms/Kernels/Passes.h.inc"
} // namespace gnn

using namespace mlir;
using namespace gnn;

namespace {

/// Replaces `Op` by `function` of its operands as f32.
template <typename Op, typename Function>
struct ExpandFunction : OpRewritePattern<Op> {
  ExpandFunction(MLIRContext *context, Function function)
      : OpRewritePattern<Op>(context), function(function) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type type = op->getOperand(0).getType();
    auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
    if (!element || element.getWidth() > 32)
      return rewriter.notifyMatchFailure(op, "not at most 32 bits");
    if (isa<ShapedType>(type) && !isa<VectorType>(type))
      return rewriter.notifyMatchFailure(op, "neither a scalar nor a vector");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    SmallVector<Lane> operands;
    for (Value operand : op->getOperands())
      operands.push_back(Lane(builder, operand).toF32());
    SmallVector<Value> results;
    for (Lane result : function(operands))
      results.push_back(result.isFloat() ? result.toFloat(element).value()
                                         : result.value());
    rewriter.replaceOp(op, results);
    return success();
  }

  Function function;
};

using Results = SmallVector<Lane, 2>;

template <typename Op, typename Function>
void add(RewritePatternSet &patterns, Function function) {
  patterns.add<ExpandFunction<Op, Function>>(patterns.getContext(), function);
}

template <typename Op>
void addUnary(RewritePatternSet &patterns, Lane (*function)(Lane)) {
  add<Op>(patterns,
          [=](ArrayRef<Lane> x) { return Results{function(x.front())}; });
}

/// A power of two, but for one that is an instruction of the target.
struct ExpandPower : ExpandFunction<math::Exp2Op, Results (*)(ArrayRef<Lane>)> {
  using Base = ExpandFunction<math::Exp2Op, Results (*)(ArrayRef<Lane>)>;
  ExpandPower(MLIRContext *context, bool keepsFast)
      : Base(context,
             [](ArrayRef<Lane> x) { return Results{device_math::exp2(x[0])}; }),
        keepsFast(keepsFast) {}

  LogicalResult matchAndRewrite(math::Exp2Op op,
                                PatternRewriter &rewriter) const override {
    if (keepsFast && gnn::isFastPower(op))
      return rewriter.notifyMatchFailure(op, "an instruction of the target");
    return Base::matchAndRewrite(op, rewriter);
  }

  bool keepsFast;
};

struct ExpandDeviceMath : gnn::impl::ExpandDeviceMathBase<ExpandDeviceMath> {
  using ExpandDeviceMathBase::ExpandDeviceMathBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateExpandDeviceMathPatterns(
        patterns, gnn::getAbilities(getOperation()).fastPowers);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace

static Lane reciprocalSqrt(Lane x) { return 1.0 / sqrt(x); }

static Results clampBetween(ArrayRef<Lane> x) {
  // NaN in any place gives NaN.
  ImplicitLocOpBuilder &b = x[0].builder();
  Value below = arith::MinimumFOp::create(b, x[0].value(), x[2].value());
  return {Lane(b, arith::MaximumFOp::create(b, below, x[1].value()))};
}

void gnn::populateExpandDeviceMathPatterns(RewritePatternSet &patterns,
                                           bool keepsFastPowers) {
  addUnary<math::ExpOp>(patterns, device_math::exp);
  patterns.add<ExpandPower>(patterns.getContext(), keepsFastPowers);
  addUnary<math::ExpM1Op>(patterns, device_math::expm1);
  addUnary<math::TanhOp>(patterns, device_math::tanh);
  addUnary<math::ErfOp>(patterns, device_math::erf);
  addUnary<math::LogOp>(patterns, device_math::log);
  addUnary<math::Log2Op>(patterns, device_math::log2);
  addUnary<math::Log10Op>(patterns, device_math::log10);
  addUnary<math::Log1pOp>(patterns, device_math::log1p);
  addUnary<math::RsqrtOp>(patterns, reciprocalSqrt);
  add<math::SinOp>(patterns, [](ArrayRef<Lane> x) {
    return Results{device_math::sincos(x[0]).first};
  });
  add<math::CosOp>(patterns, [](ArrayRef<Lane> x) {
    return Results{device_math::sincos(x[0]).second};
  });
  add<math::SincosOp>(patterns, [](ArrayRef<Lane> x) {
    auto [sine, cosine] = device_math::sincos(x[0]);
    return Results{sine, cosine};
  });
  addUnary<math::AtanOp>(patterns, device_math::atan);
  add<math::Atan2Op>(patterns, [](ArrayRef<Lane> x) {
    return Results{device_math::atan2(x[0], x[1])};
  });
  add<math::PowFOp>(patterns, [](ArrayRef<Lane> x) {
    return Results{device_math::pow(x[0], x[1])};
  });
  add<math::ClampFOp>(patterns, clampBetween);
  addUnary<math::IsNaNOp>(patterns, isNaN);
  addUnary<math::IsInfOp>(
      patterns, [](Lane x) { return abs(x) == device_math::infinity; });
  addUnary<math::IsFiniteOp>(
      patterns, [](Lane x) { return abs(x) < device_math::infinity; });
}
