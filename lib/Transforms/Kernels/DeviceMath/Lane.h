//===- Lane.h - Arithmetic on values, written as formulas -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thin wrapper of a value, so that the expansion of a function reads like the
// formula it is. Scalars and vectors alike: "a lane" is one element.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_KERNELS_DEVICEMATH_LANE_H
#define GNN_LIB_TRANSFORMS_KERNELS_DEVICEMATH_LANE_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace gnn {

/// A scalar or vector of a float or signless integer type. Both sides of an
/// operator have the same type; a number beside one stands for a constant of
/// its type.
class Lane {
public:
  Lane(mlir::ImplicitLocOpBuilder &builder, mlir::Value value)
      : b(&builder), v(value) {}

  mlir::Value value() const { return v; }
  mlir::ImplicitLocOpBuilder &builder() const { return *b; }
  bool isFloat() const;

  /// The constant `number`, rounded to this value's type.
  Lane like(double number) const;
  /// The constant with these low bits, of this integer value's type.
  Lane likeBits(uint64_t bits) const;

  /// The same bits, as an integer or float of the same width.
  Lane bits() const;
  Lane asFloat() const;
  /// The same value in another type (rounded to nearest even where needed);
  /// integers are read as signed by `toF32` and `toF64`.
  Lane toF32() const;
  Lane toF64() const;
  /// Integers: low bits, or zeros in front.
  Lane toI32() const;
  Lane toI64() const;
  /// Rounded to, or exactly extended from, a narrower float of this kind.
  Lane toFloat(mlir::Type element) const;

private:
  mlir::ImplicitLocOpBuilder *b;
  mlir::Value v;
};

Lane operator+(Lane a, Lane b);
Lane operator-(Lane a, Lane b);
Lane operator*(Lane a, Lane b);
Lane operator/(Lane a, Lane b);
Lane operator&(Lane a, Lane b);
Lane operator|(Lane a, Lane b);
Lane operator^(Lane a, Lane b);
/// Shifts of integers; `>>` fills with zeros.
Lane operator<<(Lane a, Lane b);
Lane operator>>(Lane a, Lane b);
/// Shift right that repeats the sign.
Lane arithmeticShift(Lane a, unsigned places);

inline Lane operator+(Lane a, double b) { return a + a.like(b); }
inline Lane operator-(Lane a, double b) { return a - a.like(b); }
inline Lane operator*(Lane a, double b) { return a * a.like(b); }
inline Lane operator-(double a, Lane b) { return b.like(a) - b; }
inline Lane operator/(double a, Lane b) { return b.like(a) / b; }

/// Ordered comparisons (false where a side is NaN) of floats, signed ones of
/// integers; the result is i1 a lane.
Lane operator<(Lane a, Lane b);
Lane operator<=(Lane a, Lane b);
Lane operator==(Lane a, Lane b);
inline Lane operator<(Lane a, double b) { return a < a.like(b); }
inline Lane operator<(double a, Lane b) { return b.like(a) < b; }
inline Lane operator<=(Lane a, double b) { return a <= a.like(b); }
inline Lane operator==(Lane a, double b) { return a == a.like(b); }
/// True where `a` is NaN.
Lane isNaN(Lane a);

Lane select(Lane condition, Lane a, Lane b);
inline Lane select(Lane condition, Lane a, double b) {
  return select(condition, a, a.like(b));
}
inline Lane select(Lane condition, double a, Lane b) {
  return select(condition, b.like(a), b);
}

/// a * b + c, rounded once.
Lane fma(Lane a, Lane b, Lane c);
inline Lane fma(Lane a, double b, Lane c) { return fma(a, a.like(b), c); }
inline Lane fma(Lane a, Lane b, double c) { return fma(a, b, a.like(c)); }
inline Lane fma(Lane a, double b, double c) {
  return fma(a, a.like(b), a.like(c));
}

Lane abs(Lane a);
Lane sqrt(Lane a);
/// Rounded towards zero to an integer, still a float.
Lane trunc(Lane a);
/// The magnitude of `a` with the sign of `b`.
Lane copySign(Lane a, Lane b);

/// `a` within [low, high]; NaN stays NaN.
Lane clamp(Lane a, double low, double high);

/// sum of coefficients[i] * x^i by Horner's rule, one fma a step.
Lane polynomial(Lane x, llvm::ArrayRef<double> coefficients);

} // namespace gnn

#endif // GNN_LIB_TRANSFORMS_KERNELS_DEVICEMATH_LANE_H
