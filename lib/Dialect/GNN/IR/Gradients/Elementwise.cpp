//===- Elementwise.cpp - Gradients of ops of arith and math ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface for elementwise ops of upstream, by external models: the
// partial derivative of each operand, times the gradient. At points without a
// derivative, and at those of ties and NaN, it is what torch takes.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/GNN/IR/GNNDialect.h"
#include "GNN/Dialect/GNN/IR/GNNFeatureOps.h"
#include "GNN/Dialect/GNN/IR/Gradients.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace gnn;

namespace {
/// The input of a rule of one op: the gradient with respect to an operand, `x`,
/// from that of the result, `g`.
struct RuleInput {
  GradientBuilder &b;
  Operation *op;
  Value g;

  Value x(unsigned operand = 0) const { return op->getOperand(operand); }
  Value y() const { return op->getResult(0); }
  Value number(double value) const { return b.splat(y().getType(), value); }
  Value is(arith::CmpFPredicate kind, Value lhs, Value rhs) const {
    return arith::CmpFOp::create(b.builder, b.loc, kind, lhs, rhs);
  }
  Value isNaN(Value value) const {
    return is(arith::CmpFPredicate::UNO, value, value);
  }
  Value isBoth(Value lhs, Value rhs) const {
    return arith::AndIOp::create(b.builder, b.loc, lhs, rhs);
  }
  Value isEither(Value lhs, Value rhs) const {
    return arith::OrIOp::create(b.builder, b.loc, lhs, rhs);
  }
};

using Rule = Value (*)(const RuleInput &, unsigned operand);

/// Gives an op the interface by one rule for all its operands.
template <typename Op, Rule rule>
struct Model : DifferentiableOpInterface::ExternalModel<Model<Op, rule>, Op> {
  StringRef getNoGradientReason(Operation *op, unsigned operand) const {
    return gnn::detail::integerHasNoGradient(op, operand);
  }
  LogicalResult buildGradient(Operation *op, OpBuilder &builder,
                              ArrayRef<Value> gradients,
                              const llvm::BitVector &asked,
                              MutableArrayRef<Value> ofOperands) const {
    GradientBuilder b(builder, op->getLoc());
    for (unsigned operand : asked.set_bits())
      ofOperands[operand] = rule({b, op, gradients[0]}, operand);
    return success();
  }
};
} // namespace

template <typename Op, Rule rule> static void attach(MLIRContext *context) {
  Op::template attachInterface<Model<Op, rule>>(*context);
}

//===----------------------------------------------------------------------===//
// arith
//===----------------------------------------------------------------------===//

static Value ofAdd(const RuleInput &p, unsigned) { return p.g; }

static Value ofSub(const RuleInput &p, unsigned operand) {
  return operand == 0 ? p.g : p.b.neg(p.g);
}

static Value ofMul(const RuleInput &p, unsigned operand) {
  return p.b.mul(p.g, p.x(1 - operand));
}

static Value ofDiv(const RuleInput &p, unsigned operand) {
  if (operand == 0)
    return p.b.div(p.g, p.x(1));
  return p.b.neg(p.b.div(p.b.mul(p.g, p.y()), p.x(1)));
}

static Value ofNeg(const RuleInput &p, unsigned) { return p.b.neg(p.g); }

/// The gradient goes to the operand that is the result. Equal ones have half of
/// it each, and NaN beside a number is the result too.
static Value ofExtreme(const RuleInput &p, unsigned operand) {
  using P = arith::CmpFPredicate;
  Value own = p.x(operand), other = p.x(1 - operand);
  P loses = isa<arith::MaximumFOp>(p.op) ? P::OLT : P::OGT;
  Value shared = p.b.select(p.is(P::OEQ, own, other), p.b.mul(p.g, 0.5), p.g);
  return p.b.select(p.is(loses, own, other), p.number(0), shared);
}

/// The same where a number goes before NaN; the first of equal ones has all.
static Value ofExtremeNumber(const RuleInput &p, unsigned operand) {
  using P = arith::CmpFPredicate;
  P wins = isa<arith::MaxNumFOp>(p.op) ? P::OGE : P::OLE;
  Value first = p.isEither(p.is(wins, p.x(0), p.x(1)), p.isNaN(p.x(1)));
  Value zero = p.number(0);
  return operand == 0 ? p.b.select(first, p.g, zero)
                      : p.b.select(first, zero, p.g);
}

static Value ofSelect(const RuleInput &p, unsigned operand) {
  Value zero = p.number(0);
  return operand == 1 ? p.b.select(p.x(0), p.g, zero)
                      : p.b.select(p.x(0), zero, p.g);
}

//===----------------------------------------------------------------------===//
// math
//===----------------------------------------------------------------------===//

/// 0 at 0.
static Value ofAbs(const RuleInput &p, unsigned) {
  Value zero = p.number(0);
  return p.b.select(p.b.above(p.x(), zero), p.g,
                    p.b.select(p.b.above(zero, p.x()), p.b.neg(p.g), zero));
}

static Value ofExp(const RuleInput &p, unsigned) { return p.b.mul(p.g, p.y()); }

static Value ofExp2(const RuleInput &p, unsigned) {
  return p.b.mul(p.b.mul(p.g, p.y()), std::log(2.0));
}

static Value ofExpM1(const RuleInput &p, unsigned) {
  return p.b.mul(p.g, p.b.add(p.y(), p.number(1)));
}

static Value ofLog(const RuleInput &p, unsigned) { return p.b.div(p.g, p.x()); }

static Value ofLog2(const RuleInput &p, unsigned) {
  return p.b.mul(p.b.div(p.g, p.x()), 1 / std::log(2.0));
}

static Value ofLog10(const RuleInput &p, unsigned) {
  return p.b.mul(p.b.div(p.g, p.x()), 1 / std::log(10.0));
}

static Value ofLog1p(const RuleInput &p, unsigned) {
  return p.b.div(p.g, p.b.add(p.x(), p.number(1)));
}

static Value ofSqrt(const RuleInput &p, unsigned) {
  return p.b.div(p.b.mul(p.g, 0.5), p.y());
}

static Value ofRsqrt(const RuleInput &p, unsigned) {
  Value cube = p.b.mul(p.y(), p.b.mul(p.y(), p.y()));
  return p.b.mul(p.b.mul(p.g, cube), -0.5);
}

static Value ofSin(const RuleInput &p, unsigned) {
  return p.b.mul(p.g, math::CosOp::create(p.b.builder, p.b.loc, p.x()));
}

static Value ofCos(const RuleInput &p, unsigned) {
  Value sine = math::SinOp::create(p.b.builder, p.b.loc, p.x());
  return p.b.neg(p.b.mul(p.g, sine));
}

static Value ofTan(const RuleInput &p, unsigned) {
  return p.b.mul(p.g, p.b.add(p.b.mul(p.y(), p.y()), p.number(1)));
}

static Value ofTanh(const RuleInput &p, unsigned) {
  return p.b.mul(p.g, p.b.sub(p.number(1), p.b.mul(p.y(), p.y())));
}

static Value ofAtan(const RuleInput &p, unsigned) {
  return p.b.div(p.g, p.b.add(p.b.mul(p.x(), p.x()), p.number(1)));
}

/// The gradient of the angle of (x, y), which are the operands 1 and 0: x / r^2
/// and -y / r^2, and 0 where r is.
static Value ofAtan2(const RuleInput &p, unsigned operand) {
  Value squares = p.b.add(p.b.mul(p.x(0), p.x(0)), p.b.mul(p.x(1), p.x(1)));
  Value zero = p.number(0);
  Value isPoint = p.is(arith::CmpFPredicate::OEQ, squares, zero);
  Value part = p.b.div(p.b.mul(p.g, p.x(1 - operand)), squares);
  return p.b.select(isPoint, zero, operand == 0 ? part : p.b.neg(part));
}

/// exp(-x^2), up to a factor the derivative of erf.
static Value bell(const RuleInput &p) {
  return p.b.exp(p.b.neg(p.b.mul(p.x(), p.x())));
}

static Value ofErf(const RuleInput &p, unsigned) {
  return p.b.mul(p.b.mul(p.g, bell(p)), 2 / std::sqrt(std::acos(-1.0)));
}

static Value ofErfc(const RuleInput &p, unsigned) {
  return p.b.mul(p.b.mul(p.g, bell(p)), -2 / std::sqrt(std::acos(-1.0)));
}

static Value ofFma(const RuleInput &p, unsigned operand) {
  return operand == 2 ? p.g : p.b.mul(p.g, p.x(1 - operand));
}

/// Whether all elements of a value are one number, which is not 0.
static bool isNonZeroConstant(Value value) {
  if (auto broadcast = value.getDefiningOp<BroadcastOp>())
    value = broadcast.getInput();
  APFloat number(0.0);
  return matchPattern(value, m_ConstantFloat(&number)) && !number.isZero();
}

/// x^c: c x^(c - 1), which is 0 where c is, and x^c log x, which is 0 where x
/// is and c is not negative.
static Value ofPow(const RuleInput &p, unsigned operand) {
  using P = arith::CmpFPredicate;
  Value base = p.x(0), exponent = p.x(1), zero = p.number(0);
  if (operand == 0) {
    Value below = p.b.sub(exponent, p.number(1));
    Value power = math::PowFOp::create(p.b.builder, p.b.loc, base, below);
    Value part = p.b.mul(p.g, p.b.mul(exponent, power));
    return isNonZeroConstant(exponent)
               ? part
               : p.b.select(p.is(P::OEQ, exponent, zero), zero, part);
  }
  Value log = math::LogOp::create(p.b.builder, p.b.loc, base);
  Value isFlat =
      p.isBoth(p.is(P::OEQ, base, zero), p.is(P::OGE, exponent, zero));
  return p.b.select(isFlat, zero, p.b.mul(p.g, p.b.mul(p.y(), log)));
}

/// Steps are flat.
static Value ofStep(const RuleInput &p, unsigned) { return p.number(0); }

void gnn::registerGradientModels(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *context, GNNDialect *, arith::ArithDialect *) {
        attach<arith::AddFOp, ofAdd>(context);
        attach<arith::SubFOp, ofSub>(context);
        attach<arith::MulFOp, ofMul>(context);
        attach<arith::DivFOp, ofDiv>(context);
        attach<arith::NegFOp, ofNeg>(context);
        attach<arith::MaximumFOp, ofExtreme>(context);
        attach<arith::MinimumFOp, ofExtreme>(context);
        attach<arith::MaxNumFOp, ofExtremeNumber>(context);
        attach<arith::MinNumFOp, ofExtremeNumber>(context);
        attach<arith::SelectOp, ofSelect>(context);
      });
  registry.addExtension(
      +[](MLIRContext *context, GNNDialect *, math::MathDialect *) {
        attach<math::AbsFOp, ofAbs>(context);
        attach<math::ExpOp, ofExp>(context);
        attach<math::Exp2Op, ofExp2>(context);
        attach<math::ExpM1Op, ofExpM1>(context);
        attach<math::LogOp, ofLog>(context);
        attach<math::Log2Op, ofLog2>(context);
        attach<math::Log10Op, ofLog10>(context);
        attach<math::Log1pOp, ofLog1p>(context);
        attach<math::SqrtOp, ofSqrt>(context);
        attach<math::RsqrtOp, ofRsqrt>(context);
        attach<math::SinOp, ofSin>(context);
        attach<math::CosOp, ofCos>(context);
        attach<math::TanOp, ofTan>(context);
        attach<math::TanhOp, ofTanh>(context);
        attach<math::AtanOp, ofAtan>(context);
        attach<math::Atan2Op, ofAtan2>(context);
        attach<math::ErfOp, ofErf>(context);
        attach<math::ErfcOp, ofErfc>(context);
        attach<math::FmaOp, ofFma>(context);
        attach<math::PowFOp, ofPow>(context);
        attach<math::FloorOp, ofStep>(context);
        attach<math::CeilOp, ofStep>(context);
        attach<math::RoundOp, ofStep>(context);
        attach<math::RoundEvenOp, ofStep>(context);
        attach<math::TruncOp, ofStep>(context);
      });
}
