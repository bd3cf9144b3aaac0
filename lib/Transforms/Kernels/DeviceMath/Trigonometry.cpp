//===- Trigonometry.cpp - Sine, cosine and angles -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceMath.h"

using namespace gnn;

namespace {

/// The bits of 1/(2 pi) after the point, 32 a word, and a zero word before it.
constexpr uint32_t turnsPerRadian[] = {0x00000000, 0x28be60db, 0x9391054a,
                                       0x7f09d5f4, 0x7d4d3770, 0x36d8a566,
                                       0x4f10e410, 0x7f9458ea};

/// (sin r - r) / r^3 in r^2, for |r| <= pi/4: 2^-28 of sin.
constexpr double sinTerms[] = {-0x1.555546p-3, 0x1.11077cp-7, -0x1.9955bep-13};
/// (cos r - 1 + r^2/2) / r^4 in r^2: 2^-33.
constexpr double cosTerms[] = {0x1.55554ap-5, -0x1.6c0c28p-10, 0x1.99e80cp-16};

/// atan(t) / t in t^2 for |t| <= 1: 2^-36.6.
constexpr double atanTerms[] = {
    0x1.ffffffffeb69bp-1,  -0x1.5555551cf4404p-2, 0x1.99997fdfc7310p-3,
    -0x1.248ff6ab6572bp-3, 0x1.c6e422fb188efp-4,  -0x1.72c11737efa95p-4,
    0x1.335ca9253565ap-4,  -0x1.ef02da7537923p-5, 0x1.682d73a6a3bfdp-5,
    -0x1.af870ad63ef95p-6, 0x1.7da16c6774911p-7,  -0x1.adaf568caef61p-9,
    0x1.c5fa8a3c25d81p-12};
constexpr double pi = 0x1.921fb54442d18p+1;

/// x = quadrant pi/2 + rest, |rest| <= pi/4.
struct Quadrant {
  Lane number; // i32, of which the last two bits count
  Lane rest;   // f32
};

} // namespace

/// turnsPerRadian[index + offset] by comparisons: a table would be in memory.
static Lane wordOfTurns(Lane index, unsigned offset) {
  constexpr unsigned last = std::size(turnsPerRadian) - 1;
  Lane word = index.likeBits(turnsPerRadian[last]);
  for (unsigned i = last; i-- > offset;)
    word = select(index == index.like(i - offset),
                  index.likeBits(turnsPerRadian[i]), word);
  return word;
}

/// The fraction of a turn that x is, to 2^-64 and by integers (Payne and
/// Hanek), so that any x is as good as a small one. For 1/2 <= x, finite.
static Quadrant reduceLarge(Lane x) {
  Lane bits = x.bits();
  Lane mantissa = ((bits << bits.like(8)) | bits.likeBits(0x80000000)).toI64();
  Lane exponent = (bits >> bits.like(23)) - 126;
  Lane word = arithmeticShift(exponent, 5);
  Lane places = (exponent & exponent.like(31)).toI64();

  // 96 bits of 1/(2 pi): those before them give whole turns.
  auto window = [&](unsigned offset) {
    Lane high = wordOfTurns(word, offset).toI64();
    Lane low = wordOfTurns(word, offset + 1).toI64();
    Lane pair = (high << high.like(32)) | low;
    return (pair << places) >> pair.like(32);
  };
  Lane product = mantissa * window(2);
  product = mantissa * window(1) + (product >> product.like(32));
  Lane high = mantissa * window(0);
  product = product + (high << high.like(32));

  // The first two bits, rounded, are the quadrant; the rest is +-1/2 of one.
  Lane half = product.likeBits(uint64_t(1) << 61);
  Lane number = ((product + half) >> product.like(62)).toI32();
  Lane rest = product - (number.toI64() << product.like(62));
  constexpr double radiansPerUnit = 0x1.921fb54442d18p-62; // pi/2 * 2^-62
  return {number, (rest.toF64() * radiansPerUnit).toF32()};
}

std::pair<Lane, Lane> device_math::sincos(Lane x) {
  Lane magnitude = abs(x);
  Lane small = magnitude < 0x1.921fb4p-1; // pi/4, below which x is the rest
  Quadrant quadrant = reduceLarge(magnitude);
  Lane number = select(small, 0, quadrant.number);
  Lane r = select(small, magnitude, quadrant.rest);

  Lane square = r * r;
  Lane sine = fma(polynomial(square, sinTerms), square * r, r);
  Lane cosine = fma(polynomial(square, cosTerms), square * square,
                    fma(square, -0.5, 1.0));

  // Odd quadrants exchange the two; the second bit turns the sign.
  Lane odd = (number & number.like(1)) == number.like(1);
  auto turned = [&](Lane value, Lane quadrantNumber) {
    Lane sign = (quadrantNumber & number.like(2)) << number.like(30);
    return value.bits() ^ sign;
  };
  Lane sineBits = turned(select(odd, cosine, sine), number);
  sineBits = sineBits ^ (x.bits() & number.likeBits(0x80000000));
  Lane cosineBits = turned(select(odd, sine, cosine), number + 1);

  Lane finite = magnitude < device_math::infinity;
  Lane none = x - x; // NaN where x is infinite or NaN
  return {select(finite, sineBits.asFloat(), none),
          select(finite, cosineBits.asFloat(), none)};
}

Lane device_math::atan2(Lane y, Lane x) {
  // In f64, which holds the quotient of any two f32 and rounds the sums of
  // angles far behind the last bit of the result.
  Lane height = abs(y).toF64(), width = abs(x).toF64();
  Lane steep = width < height;
  Lane less = select(steep, width, height), more = select(steep, height, width);
  Lane quotient = select(less == more, 1.0, less / more); // also if infinite
  quotient = select(more == 0.0, 0.0, quotient);
  Lane angle = quotient * polynomial(quotient * quotient, atanTerms);
  angle = select(steep, pi / 2 - angle, angle);
  Lane left = copySign(x.like(1.0), x) < 0.0;
  angle = select(left, pi - angle, angle);
  Lane result = copySign(angle.toF32(), y);
  return select(isNaN(x) | isNaN(y), x + y, result);
}

Lane device_math::atan(Lane x) { return atan2(x, x.like(1.0)); }
