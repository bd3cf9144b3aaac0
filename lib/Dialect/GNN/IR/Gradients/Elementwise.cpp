//===- Elementwise.cpp - Gradients of ops of arith and math ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface for elementwise ops of upstream, by external models: the
// partial derivative of each operand, times the gradient.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/GNN/IR/GNNDialect.h"
#include "GNN/Dialect/GNN/IR/Gradients.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace gnn;

namespace {
/// What a rule of one op says: the gradient with respect to an operand, `x`,
/// from that of the result, `g`.
struct Point {
  GradientBuilder &b;
  Operation *op;
  Value g;

  Value x(unsigned operand = 0) const { return op->getOperand(operand); }
  Value y() const { return op->getResult(0); }
  Value number(double value) const { return b.splat(y().getType(), value); }
};

using Rule = Value (*)(const Point &, unsigned operand);

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

static Value ofAdd(const Point &p, unsigned) { return p.g; }

static Value ofSub(const Point &p, unsigned operand) {
  return operand == 0 ? p.g : p.b.neg(p.g);
}

static Value ofMul(const Point &p, unsigned operand) {
  return p.b.mul(p.g, p.x(1 - operand));
}

static Value ofDiv(const Point &p, unsigned operand) {
  if (operand == 0)
    return p.b.div(p.g, p.x(1));
  return p.b.neg(p.b.div(p.b.mul(p.g, p.y()), p.x(1)));
}

static Value ofNeg(const Point &p, unsigned) { return p.b.neg(p.g); }

/// The gradient goes to the operand that is the result; the second takes it
/// where both are equal, so that all of it arrives somewhere.
static Value ofExtreme(const Point &p, unsigned operand) {
  bool isMax = isa<arith::MaximumFOp, arith::MaxNumFOp>(p.op);
  Value first = isMax ? p.b.above(p.x(0), p.x(1)) : p.b.above(p.x(1), p.x(0));
  Value zero = p.number(0);
  return operand == 0 ? p.b.select(first, p.g, zero)
                      : p.b.select(first, zero, p.g);
}

static Value ofSelect(const Point &p, unsigned operand) {
  Value zero = p.number(0);
  return operand == 1 ? p.b.select(p.x(0), p.g, zero)
                      : p.b.select(p.x(0), zero, p.g);
}

//===----------------------------------------------------------------------===//
// math
//===----------------------------------------------------------------------===//

static Value ofAbs(const Point &p, unsigned) {
  return p.b.select(p.b.above(p.x(), p.number(0)), p.g, p.b.neg(p.g));
}

static Value ofExp(const Point &p, unsigned) { return p.b.mul(p.g, p.y()); }

static Value ofExp2(const Point &p, unsigned) {
  return p.b.mul(p.b.mul(p.g, p.y()), std::log(2.0));
}

static Value ofExpM1(const Point &p, unsigned) {
  return p.b.mul(p.g, p.b.add(p.y(), p.number(1)));
}

static Value ofLog(const Point &p, unsigned) { return p.b.div(p.g, p.x()); }

static Value ofLog2(const Point &p, unsigned) {
  return p.b.mul(p.b.div(p.g, p.x()), 1 / std::log(2.0));
}

static Value ofLog10(const Point &p, unsigned) {
  return p.b.mul(p.b.div(p.g, p.x()), 1 / std::log(10.0));
}

static Value ofLog1p(const Point &p, unsigned) {
  return p.b.div(p.g, p.b.add(p.x(), p.number(1)));
}

static Value ofSqrt(const Point &p, unsigned) {
  return p.b.div(p.b.mul(p.g, 0.5), p.y());
}

static Value ofRsqrt(const Point &p, unsigned) {
  Value cube = p.b.mul(p.y(), p.b.mul(p.y(), p.y()));
  return p.b.mul(p.b.mul(p.g, cube), -0.5);
}

static Value ofSin(const Point &p, unsigned) {
  return p.b.mul(p.g, math::CosOp::create(p.b.builder, p.b.loc, p.x()));
}

static Value ofCos(const Point &p, unsigned) {
  Value sine = math::SinOp::create(p.b.builder, p.b.loc, p.x());
  return p.b.neg(p.b.mul(p.g, sine));
}

static Value ofTan(const Point &p, unsigned) {
  return p.b.mul(p.g, p.b.add(p.b.mul(p.y(), p.y()), p.number(1)));
}

static Value ofTanh(const Point &p, unsigned) {
  return p.b.mul(p.g, p.b.sub(p.number(1), p.b.mul(p.y(), p.y())));
}

static Value ofAtan(const Point &p, unsigned) {
  return p.b.div(p.g, p.b.add(p.b.mul(p.x(), p.x()), p.number(1)));
}

/// Of the angle of (x, y), which are the operands 1 and 0: x / r^2 and -y /
/// r^2.
static Value ofAtan2(const Point &p, unsigned operand) {
  Value squares = p.b.add(p.b.mul(p.x(0), p.x(0)), p.b.mul(p.x(1), p.x(1)));
  Value part = p.b.div(p.b.mul(p.g, p.x(1 - operand)), squares);
  return operand == 0 ? part : p.b.neg(part);
}

/// exp(-x^2), up to a factor the derivative of erf.
static Value bell(const Point &p) {
  return p.b.exp(p.b.neg(p.b.mul(p.x(), p.x())));
}

static Value ofErf(const Point &p, unsigned) {
  return p.b.mul(p.b.mul(p.g, bell(p)), 2 / std::sqrt(std::acos(-1.0)));
}

static Value ofErfc(const Point &p, unsigned) {
  return p.b.mul(p.b.mul(p.g, bell(p)), -2 / std::sqrt(std::acos(-1.0)));
}

static Value ofFma(const Point &p, unsigned operand) {
  return operand == 2 ? p.g : p.b.mul(p.g, p.x(1 - operand));
}

/// x^c: c x^(c - 1), and x^c log x. A power of 0 has no gradient with respect
/// to its exponent.
static Value ofPow(const Point &p, unsigned operand) {
  if (operand == 0) {
    Value below = p.b.sub(p.x(1), p.number(1));
    Value power = math::PowFOp::create(p.b.builder, p.b.loc, p.x(), below);
    return p.b.mul(p.g, p.b.mul(p.x(1), power));
  }
  Value log = math::LogOp::create(p.b.builder, p.b.loc, p.x());
  Value isPositive = p.b.above(p.x(), p.number(0));
  Value part = p.b.mul(p.y(), p.b.select(isPositive, log, p.number(0)));
  return p.b.mul(p.g, part);
}

/// Steps are flat.
static Value ofStep(const Point &p, unsigned) { return p.number(0); }

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
        attach<arith::MaxNumFOp, ofExtreme>(context);
        attach<arith::MinNumFOp, ofExtreme>(context);
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
