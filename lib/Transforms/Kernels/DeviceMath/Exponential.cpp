//===- Exponential.cpp - exp and what is made of it -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Coefficients are minimax fits of the form used, each rounded to f32 in turn
// with the rest fitted again.
//
//===----------------------------------------------------------------------===//

#include "DeviceMath.h"

using namespace gnn;

namespace {

/// x = integer * step + rest, with the integer also as i32.
struct Reduced {
  Lane integer;
  Lane index;
  Lane rest;
};

constexpr double log2E = 0x1.715476p+0;
/// ln 2 in two parts: the first has zeros at its end, so that its product with
/// an exponent is exact.
constexpr double ln2High = 0x1.62e4p-1;
constexpr double ln2Low = 0x1.7f7d1cp-20;
/// Adding it to a small number leaves the number, rounded, in the last bits.
constexpr double roundingShift = 0x1.8p+23;
constexpr uint32_t roundingShiftBits = 0x4b400000;

/// e^r for |r| <= ln(2)/2: 2^-28.2.
constexpr double expTerms[] = {1.0,           1.0,           0x1.fffffcp-2,
                               0x1.555492p-3, 0x1.5558b0p-5, 0x1.12398ep-7,
                               0x1.6a4d60p-10};
/// 2^r for |r| <= 1/2: 2^-28.3.
constexpr double exp2Terms[] = {1.0,           0x1.62e430p-1, 0x1.ebfbdcp-3,
                                0x1.c6af7ap-5, 0x1.3b2dd4p-7, 0x1.5f095ap-10,
                                0x1.4178b0p-13};
/// (e^r - 1 - r) / r^2: 2^-31.1 of e^r - 1.
constexpr double expm1Terms[] = {0x1.000000p-1, 0x1.555554p-3,  0x1.5554f8p-5,
                                 0x1.1112d8p-7, 0x1.6d3a4ap-10, 0x1.9e7380p-13};
/// (tanh x - x) / x^3 in x^2, for |x| <= 0.625: 2^-32.4 of tanh.
constexpr double tanhTerms[] = {-0x1.555554p-2, 0x1.11107ap-3,  -0x1.b9f188p-5,
                                0x1.63a550p-6,  -0x1.0c5ed0p-7, 0x1.1a2816p-9};
/// erf(x) / x - 1 in x^2, for |x| <= 0.93: 2^-30 of erf.
constexpr double erfTerms[] = {0x1.06eba8p-3,  -0x1.812740p-2, 0x1.ce2d64p-4,
                               -0x1.b80112p-6, 0x1.544a1ap-8,  -0x1.a60a2ep-11,
                               0x1.4f6760p-14};
/// -ln(1 - erf x) / x for 0.92 <= x <= 3.95: 2^-30.3 of erf.
constexpr double erfcTerms[] = {0x1.20ef1cp+0,  0x1.45328ap-1, 0x1.b3259cp-4,
                                -0x1.8551d2p-6, 0x1.dd6e36p-9, -0x1.527e46p-12,
                                0x1.78e02cp-17};

} // namespace

/// x = n ln 2 + rest with |rest| <= ln(2)/2, for |x| < 2^20.
static Reduced reduceByLn2(Lane x) {
  Lane shifted = fma(x, log2E, roundingShift);
  Lane n = shifted - roundingShift;
  Lane index = shifted.bits() - shifted.bits().likeBits(roundingShiftBits);
  Lane rest = fma(n, -ln2Low, fma(n, -ln2High, x));
  return {n, index, rest};
}

/// 2^n of an i32, for -127 < n < 128.
static Lane powerOfTwo(Lane n) { return ((n + 127) << n.like(23)).asFloat(); }

/// value * 2^n for |n| <= 252: rounds once, at the end, also where the result
/// is denormal.
static Lane scale(Lane value, Lane n) {
  Lane half = arithmeticShift(n, 1);
  return value * powerOfTwo(half) * powerOfTwo(n - half);
}

/// e^x for |x| < 87: no overflow, no denormals.
static Lane expInRange(Lane x) {
  Reduced reduced = reduceByLn2(x);
  return polynomial(reduced.rest, expTerms) * powerOfTwo(reduced.index);
}

Lane device_math::exp(Lane x) {
  // Beyond these the result is 0 or infinity in any case.
  Reduced reduced = reduceByLn2(clamp(x, -104.5, 89.0));
  return scale(polynomial(reduced.rest, expTerms), reduced.index);
}

Lane device_math::exp2(Lane x) {
  Lane inside = clamp(x, -151.0, 129.0);
  Lane shifted = inside + roundingShift;
  Lane rest = inside - (shifted - roundingShift);
  Lane n = shifted.bits() - shifted.bits().likeBits(roundingShiftBits);
  return scale(polynomial(rest, exp2Terms), n);
}

Lane device_math::expm1(Lane x) {
  // Half of 2^n (e^r - 1) + 2^n - 1, so that 2^128 does not appear.
  Reduced reduced = reduceByLn2(clamp(x, -20.0, 88.9));
  Lane r = reduced.rest;
  Lane small = fma(polynomial(r, expm1Terms), r * r, r);
  Lane half = powerOfTwo(reduced.index - 1);
  Lane sum = fma(small, half, half - 0.5);
  Lane result = select(reduced.index == 0, small, sum + sum);
  return select(x == 0, x, result); // keeps the sign of zero
}

Lane device_math::tanh(Lane x) {
  Lane magnitude = abs(x);
  Lane square = x * x;
  Lane small =
      fma(polynomial(square, tanhTerms), square * magnitude, magnitude);
  Lane inside = select(10.0 < magnitude, 10.0, magnitude); // 1 from 9.02 on
  Lane large = 1.0 - 2.0 / (expInRange(inside + inside) + 1.0);
  return copySign(select(magnitude < 0.625, small, large), x);
}

Lane device_math::erf(Lane x) {
  Lane magnitude = abs(x);
  Lane small = fma(polynomial(x * x, erfTerms), magnitude, magnitude);
  Lane inside = select(4.0 < magnitude, 4.0, magnitude); // 1 from 3.92 on
  Lane logarithm = inside * polynomial(inside, erfcTerms);
  Lane large = 1.0 - expInRange(0.0 - logarithm);
  return copySign(select(magnitude < 0.92, small, large), x);
}
