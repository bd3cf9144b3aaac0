//===- Logarithm.cpp - Logarithms and powers ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceMath.h"

#include <limits>

using namespace gnn;

namespace {

constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

/// A logarithm as log(x) = exponent * (ofTwo + ofTwoRest) + f * slope +
/// f^2 * terms(f), with x = 2^exponent (1 + f), -1/3 <= f <= 1/3.
struct Logarithm {
  double ofTwo;
  double ofTwoRest;
  double slope;
  double terms[9];
};

constexpr Logarithm natural = {0x1.62e430p-1, // ln 2 (1 + 2^-28.4)
                               0.0,
                               1.0,
                               {-0x1.000000p-1, 0x1.555506p-2, -0x1.fffefap-3,
                                0x1.99d050p-3, -0x1.559c66p-3, 0x1.1ed562p-3,
                                -0x1.f332b8p-4, 0x1.1e6ccap-3, -0x1.07c48cp-3}};
constexpr Logarithm binary = {1.0,
                              0.0,
                              0x1.715476p+0,
                              {-0x1.715476p-1, 0x1.ec7030p-2, -0x1.7153e0p-2,
                               0x1.279d70p-2, -0x1.ecd0b6p-3, 0x1.9de5bap-3,
                               -0x1.685292p-3, 0x1.9cddeep-3, -0x1.7bcb66p-3}};
constexpr Logarithm decimal = {0x1.344136p-2,
                               -0x1.ec10cp-27,
                               0x1.bcb7b2p-2,
                               {-0x1.bcb7b2p-3, 0x1.287a2ep-3, -0x1.bcb66cp-4,
                                0x1.63f6e4p-4, -0x1.28c144p-4, 0x1.f2259ep-5,
                                -0x1.b0e844p-5, 0x1.f228aap-5, -0x1.cc9440p-5}};

/// (ln(1 + m) - m) / m^2 for -1/4 <= m <= 1/2: 2^-30 of ln(1 + m).
constexpr double log1pTerms[] = {-0x1.000000p-1, 0x1.55555ap-2,  -0x1.00006ep-2,
                                 0x1.999764p-3,  -0x1.5519d6p-3, 0x1.246388p-3,
                                 -0x1.04ad32p-3, 0x1.df1c64p-4,  -0x1.750600p-4,
                                 0x1.341cb4p-5};

/// log2((1 + s) / (1 - s)) / s in s^2, for |s| <= 0.1716: 2^-52.
constexpr double log2QuotientTerms[] = {
    0x1.71547652b82ffp+1, 0x1.ec709dc39ca38p-1, 0x1.2776c516a1723p-1,
    0x1.a617567fdb085p-2, 0x1.484fa9ece19e1p-2, 0x1.0bb7ff56f033bp-2,
    0x1.f17f12c5263a3p-3};
/// 2^r for |r| <= 1/2: 2^-39.8.
constexpr double longExp2Terms[] = {
    0x1.0000000000000p+0,  0x1.62e42fef84a90p-1,  0x1.ebfbdff823c44p-3,
    0x1.c6b08dd75c00cp-5,  0x1.3b2ab71835bf2p-7,  0x1.5d874535614c0p-10,
    0x1.4308ac469bda6p-13, 0x1.00dc962266c89p-16, 0x1.63d18a3df841ap-20};

} // namespace

static Lane logarithm(Lane x, const Logarithm &base) {
  Lane denormal = x < 0x1p-126;
  Lane normal = select(denormal, x * 0x1p+23, x);
  // The exponent that brings x into [2/3, 4/3), in its place in the bits.
  Lane bits = normal.bits();
  Lane shift = (bits - bits.likeBits(0x3f2aaaab)) & bits.likeBits(0xff800000);
  Lane f = (bits - shift).asFloat() - 1.0;
  Lane exponent =
      fma(shift.toF32(), 0x1p-23, select(denormal, x.like(-23.0), x.like(0.0)));

  Lane curved = polynomial(f, base.terms) * (f * f);
  if (base.ofTwoRest != 0)
    curved = fma(exponent, base.ofTwoRest, curved);
  Lane result = fma(exponent, base.ofTwo, fma(f, base.slope, curved));

  result = select(x < device_math::infinity, result,
                  x); // infinity and NaN are their own
  return select(x <= 0.0,
                select(x == 0.0, x.like(-device_math::infinity), notANumber),
                result);
}

Lane device_math::log(Lane x) { return logarithm(x, natural); }
Lane device_math::log2(Lane x) { return logarithm(x, binary); }
Lane device_math::log10(Lane x) { return logarithm(x, decimal); }

Lane device_math::log1p(Lane x) {
  // 1 + x is 2^e (1 + m) with m = 2^-e x + (2^-e - 1) in [-1/4, 1/2]: the 1 is
  // added only where x is of its size. e comes from 1 + x rounded.
  Lane bits = (x + 1.0).bits();
  Lane shift = (bits - bits.likeBits(0x3f400000)) & bits.likeBits(0xff800000);
  Lane scaled = (x.bits() - shift).asFloat();
  Lane four = (shift.likeBits(0x40800000) - shift).asFloat(); // 4 * 2^-e
  Lane m = scaled + fma(four, 0.25, -1.0);
  Lane exponent = shift.toF32() * 0x1p-23;

  Lane mantissa = fma(polynomial(m, log1pTerms), m * m, m);
  Lane result = fma(exponent, natural.ofTwo, mantissa);

  result = select(x < device_math::infinity, result, x);
  result = select(x <= -1.0,
                  select(x == -1.0, x.like(-device_math::infinity), notANumber),
                  result);
  return copySign(result, x); // keeps the sign of zero
}

/// log2 of a positive f64, to 2^-50 of it.
static Lane log2Double(Lane x) {
  // The exponent that brings x into [sqrt(1/2), sqrt(2)).
  Lane bits = x.bits();
  Lane exponent = arithmeticShift(bits - bits.likeBits(0x3fe6a09e667f3bcd), 52);
  Lane mantissa = (bits - (exponent << exponent.like(52))).asFloat();
  Lane s = (mantissa - 1.0) / (mantissa + 1.0);
  Lane logarithm = s * polynomial(s * s, log2QuotientTerms);
  return exponent.toF64() + logarithm;
}

/// 2^t of an f64 as f32, rounded almost always to the nearest.
static Lane exp2Double(Lane t) {
  constexpr double roundingShift = 0x1.8p+52;
  Lane inside = clamp(t, -200.0, 200.0);
  Lane shifted = inside + roundingShift;
  Lane power = polynomial(inside - (shifted - roundingShift), longExp2Terms);
  Lane n = shifted.bits() << shifted.bits().like(52);
  return (power.bits() + n).asFloat().toF32();
}

Lane device_math::pow(Lane x, Lane y) {
  // In f64: y log2(x) needs 32 correct bits where it is near 128.
  Lane base = abs(x);
  Lane power = exp2Double(y.toF64() * log2Double(base.toF64()));

  Lane negative = y < 0.0;
  power = select(base == 0.0,
                 select(negative, x.like(device_math::infinity), 0.0), power);
  power = select(base == device_math::infinity,
                 select(negative, x.like(0.0), device_math::infinity), power);
  power = select(base == 1.0, 1.0, power); // also where y is infinite

  // A negative base: the sign is that of an odd exponent; a fraction has none.
  Lane half = y * 0.5;
  Lane odd = (trunc(y) == y) & (trunc(half) < half | half < trunc(half));
  Lane mirrored = copySign(power, x);
  power = select(odd, mirrored, power);
  Lane fraction = trunc(y) < y | y < trunc(y);
  Lane finiteNegative = (x < 0.0) & (-device_math::infinity < x);
  power = select(finiteNegative & fraction, notANumber, power);

  power = select(isNaN(x) | isNaN(y), x + y, power);
  return select((x == 1.0) | (y == 0.0), 1.0, power);
}
