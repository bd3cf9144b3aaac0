//===- LowerDeviceMath.cpp - Intrinsics of what a GPU has -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Transforms/Kernels/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace gnn {
#define GEN_PASS_DEF_LOWERDEVICEMATH
#include "GNN/Transforms/Kernels/Passes.h.inc"
} // namespace gnn

using namespace mlir;

namespace {

template <typename Op> struct CallIntrinsic : OpRewritePattern<Op> {
  CallIntrinsic(MLIRContext *context, StringRef name)
      : OpRewritePattern<Op>(context), name(name) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (!LLVM::isCompatibleType(type))
      return rewriter.notifyMatchFailure(op, "no type of LLVM");
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(
        op, type, rewriter.getStringAttr(name), op->getOperands());
    return success();
  }

  StringRef name;
};

/// Functions of integers with a flag that makes one operand undefined (zero,
/// the least integer): it stays defined.
template <typename Op, typename LLVMOp>
struct LowerInteger : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!LLVM::isCompatibleType(op.getType()))
      return rewriter.notifyMatchFailure(op, "no type of LLVM");
    rewriter.replaceOpWithNewOp<LLVMOp>(op, op.getType(), op.getOperand(),
                                        /*flag=*/false);
    return success();
  }
};

/// A power of two that may be approximate is an instruction.
struct LowerFastPower : OpRewritePattern<math::Exp2Op> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::Exp2Op op,
                                PatternRewriter &rewriter) const override {
    if (!gnn::isFastPower(op))
      return rewriter.notifyMatchFailure(op, "a power that is not approximate");
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(
        op, op.getType(),
        rewriter.getStringAttr("llvm.nvvm.ex2.approx.ftz.f32"),
        op->getOperands());
    return success();
  }
};

/// So is a reciprocal.
struct LowerFastReciprocal : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::DivFOp op,
                                PatternRewriter &rewriter) const override {
    bool isApproximate =
        arith::bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn);
    if (!op.getType().isF32() || !isApproximate ||
        !matchPattern(op.getLhs(), m_OneFloat()))
      return rewriter.notifyMatchFailure(op, "no approximate reciprocal");
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(
        op, op.getType(), rewriter.getStringAttr("llvm.nvvm.rcp.approx.ftz.f"),
        op.getRhs());
    return success();
  }
};

struct LowerBitCount : OpRewritePattern<math::CtPopOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::CtPopOp op,
                                PatternRewriter &rewriter) const override {
    if (!LLVM::isCompatibleType(op.getType()))
      return rewriter.notifyMatchFailure(op, "no type of LLVM");
    rewriter.replaceOpWithNewOp<LLVM::CtPopOp>(op, op.getOperand());
    return success();
  }
};

struct LowerDeviceMath : gnn::impl::LowerDeviceMathBase<LowerDeviceMath> {
  using LowerDeviceMathBase::LowerDeviceMathBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    add<math::AbsFOp>(patterns, "llvm.fabs");
    add<math::CeilOp>(patterns, "llvm.ceil");
    add<math::CopySignOp>(patterns, "llvm.copysign");
    add<math::FloorOp>(patterns, "llvm.floor");
    add<math::FmaOp>(patterns, "llvm.fma");
    add<math::RoundOp>(patterns, "llvm.round");
    add<math::RoundEvenOp>(patterns, "llvm.roundeven");
    add<math::SqrtOp>(patterns, "llvm.sqrt");
    add<math::TruncOp>(patterns, "llvm.trunc");
    add<arith::MaxNumFOp>(patterns, "llvm.maxnum");
    add<arith::MinNumFOp>(patterns, "llvm.minnum");
    patterns.add<
        LowerInteger<math::CountLeadingZerosOp, LLVM::CountLeadingZerosOp>,
        LowerInteger<math::CountTrailingZerosOp, LLVM::CountTrailingZerosOp>,
        LowerInteger<math::AbsIOp, LLVM::AbsOp>, LowerBitCount, LowerFastPower,
        LowerFastReciprocal>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }

private:
  template <typename Op>
  static void add(RewritePatternSet &patterns, StringRef intrinsic) {
    patterns.add<CallIntrinsic<Op>>(patterns.getContext(), intrinsic);
  }
};

} // namespace
