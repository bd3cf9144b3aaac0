//===- Lane.cpp - Arithmetic on values, written as formulas ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lane.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace gnn;

/// The type of `like` with another element type.
static Type withElement(Type like, Type element) {
  if (auto shaped = dyn_cast<ShapedType>(like))
    return shaped.clone(element);
  return element;
}

static Lane constant(const Lane &like, TypedAttr element) {
  TypedAttr attribute = element;
  if (auto shaped = dyn_cast<ShapedType>(like.value().getType()))
    attribute = cast<TypedAttr>(
        DenseElementsAttr::get(shaped, cast<Attribute>(element)));
  return Lane(like.builder(),
              arith::ConstantOp::create(like.builder(), attribute));
}

bool Lane::isFloat() const {
  return isa<FloatType>(getElementTypeOrSelf(v.getType()));
}

Lane Lane::like(double number) const {
  Type element = getElementTypeOrSelf(v.getType());
  if (isFloat())
    return constant(*this, b->getFloatAttr(element, number));
  return constant(*this,
                  b->getIntegerAttr(element, static_cast<int64_t>(number)));
}

Lane Lane::likeBits(uint64_t bits) const {
  Type element = getElementTypeOrSelf(v.getType());
  APInt value(64, bits);
  return constant(
      *this,
      b->getIntegerAttr(element, value.trunc(element.getIntOrFloatBitWidth())));
}

template <typename Op> static Lane convert(const Lane &from, Type element) {
  Type type = withElement(from.value().getType(), element);
  return Lane(from.builder(),
              Op::create(from.builder(), type, from.value()).getResult());
}

static unsigned widthOf(const Lane &lane) {
  return getElementTypeOrSelf(lane.value().getType()).getIntOrFloatBitWidth();
}

Lane Lane::bits() const {
  return convert<arith::BitcastOp>(*this, b->getIntegerType(widthOf(*this)));
}

Lane Lane::asFloat() const {
  return convert<arith::BitcastOp>(*this, widthOf(*this) == 64
                                              ? Type(b->getF64Type())
                                              : Type(b->getF32Type()));
}

Lane Lane::toFloat(Type element) const {
  unsigned to = element.getIntOrFloatBitWidth(), from = widthOf(*this);
  if (!isFloat())
    return convert<arith::SIToFPOp>(*this, element);
  if (from == to)
    return *this;
  return from < to ? convert<arith::ExtFOp>(*this, element)
                   : convert<arith::TruncFOp>(*this, element);
}

Lane Lane::toF32() const { return toFloat(b->getF32Type()); }
Lane Lane::toF64() const { return toFloat(b->getF64Type()); }

Lane Lane::toI32() const {
  return convert<arith::TruncIOp>(*this, b->getI32Type());
}

Lane Lane::toI64() const {
  return convert<arith::ExtUIOp>(*this, b->getI64Type());
}

template <typename Op> static Lane make(const Lane &a, const Lane &b) {
  return Lane(a.builder(),
              Op::create(a.builder(), a.value(), b.value()).getResult());
}

template <typename FloatOp, typename IntOp>
static Lane makeEither(const Lane &a, const Lane &b) {
  return a.isFloat() ? make<FloatOp>(a, b) : make<IntOp>(a, b);
}

Lane gnn::operator+(Lane a, Lane b) {
  return makeEither<arith::AddFOp, arith::AddIOp>(a, b);
}
Lane gnn::operator-(Lane a, Lane b) {
  return makeEither<arith::SubFOp, arith::SubIOp>(a, b);
}
Lane gnn::operator*(Lane a, Lane b) {
  return makeEither<arith::MulFOp, arith::MulIOp>(a, b);
}
Lane gnn::operator/(Lane a, Lane b) { return make<arith::DivFOp>(a, b); }
Lane gnn::operator&(Lane a, Lane b) { return make<arith::AndIOp>(a, b); }
Lane gnn::operator|(Lane a, Lane b) { return make<arith::OrIOp>(a, b); }
Lane gnn::operator^(Lane a, Lane b) { return make<arith::XOrIOp>(a, b); }
Lane gnn::operator<<(Lane a, Lane b) { return make<arith::ShLIOp>(a, b); }
Lane gnn::operator>>(Lane a, Lane b) { return make<arith::ShRUIOp>(a, b); }
Lane gnn::arithmeticShift(Lane a, unsigned places) {
  return make<arith::ShRSIOp>(a, a.like(places));
}

static Lane compare(const Lane &a, const Lane &b, arith::CmpFPredicate floats,
                    arith::CmpIPredicate integers) {
  ImplicitLocOpBuilder &builder = a.builder();
  Value result =
      a.isFloat()
          ? arith::CmpFOp::create(builder, floats, a.value(), b.value())
                .getResult()
          : arith::CmpIOp::create(builder, integers, a.value(), b.value())
                .getResult();
  return Lane(builder, result);
}

Lane gnn::operator<(Lane a, Lane b) {
  return compare(a, b, arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt);
}
Lane gnn::operator<=(Lane a, Lane b) {
  return compare(a, b, arith::CmpFPredicate::OLE, arith::CmpIPredicate::sle);
}
Lane gnn::operator==(Lane a, Lane b) {
  return compare(a, b, arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq);
}
Lane gnn::isNaN(Lane a) {
  return compare(a, a, arith::CmpFPredicate::UNO, arith::CmpIPredicate::ne);
}

Lane gnn::select(Lane condition, Lane a, Lane b) {
  return Lane(a.builder(),
              arith::SelectOp::create(a.builder(), condition.value(), a.value(),
                                      b.value())
                  .getResult());
}

Lane gnn::fma(Lane a, Lane b, Lane c) {
  return Lane(a.builder(),
              math::FmaOp::create(a.builder(), a.value(), b.value(), c.value())
                  .getResult());
}

template <typename Op> static Lane makeUnary(const Lane &a) {
  return Lane(a.builder(), Op::create(a.builder(), a.value()).getResult());
}

Lane gnn::abs(Lane a) { return makeUnary<math::AbsFOp>(a); }
Lane gnn::sqrt(Lane a) { return makeUnary<math::SqrtOp>(a); }
Lane gnn::trunc(Lane a) { return makeUnary<math::TruncOp>(a); }
Lane gnn::copySign(Lane a, Lane b) { return make<math::CopySignOp>(a, b); }

Lane gnn::clamp(Lane a, double low, double high) {
  // Not minimumf and maximumf: those are several instructions on a host.
  Lane below = select(high < a, high, a);
  return select(below < low, low, below);
}

Lane gnn::polynomial(Lane x, ArrayRef<double> coefficients) {
  Lane sum = x.like(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = fma(sum, x, coefficient);
  return sum;
}
