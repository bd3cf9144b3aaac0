//===- ExpandDeviceMathTest.cpp - Accuracy of the expanded functions ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs each function on this machine over floats spread evenly over all bit
// patterns, and compares with the C library in double. The stride is prime;
// GNN_MATH_STRIDE=1 takes all 2^32 (minutes a function).
//
//===----------------------------------------------------------------------===//

#include "HostKernel.h"

#include "gtest/gtest.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

using gnn::test::HostKernel;

namespace {

constexpr int64_t kChunk = 1 << 14;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

float fromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// |got - exact| in units of the last place that f32 has at `exact`.
double ulps(float got, double exact) {
  if (std::isnan(exact) || std::isnan(got))
    return std::isnan(exact) && std::isnan(got) ? 0 : kInfinity;
  float nearest = static_cast<float>(exact);
  if (got == nearest)
    return std::isinf(nearest) || std::signbit(got) == std::signbit(nearest)
               ? (std::isinf(nearest)
                      ? 0
                      : std::fabs(got - exact) /
                            std::ldexp(1.0,
                                       std::max(std::ilogb(exact), -126) - 23))
               : kInfinity;
  if (std::isinf(got)) // an overflow that was almost one
    got = std::copysign(0x1p+127f, got), exact /= 2;
  int exponent = exact == 0 ? -126 : std::max(std::ilogb(exact), -126);
  return std::fabs(got - exact) / std::ldexp(1.0, exponent - 23);
}

/// The worst case of a run.
struct Worst {
  double ulps = 0;
  float a = 0, b = 0, got = 0;
  double exact = 0;
};

/// Compares one chunk, run by vectors and by scalars, with the exact values.
template <typename Exact>
void compareChunk(const HostKernel &vectors, const HostKernel &scalars,
                  const std::vector<float> &a, const std::vector<float> &b,
                  Exact exact, Worst &worst) {
  std::vector<float> got(a.size()), scalar(a.size());
  vectors.run(a.data(), b.data(), got.data(), a.size());
  scalars.run(a.data(), b.data(), scalar.data(), a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    if (!std::isnan(got[i]) || !std::isnan(scalar[i]))
      ASSERT_EQ(bitsOf(got[i]), bitsOf(scalar[i]))
          << "vector and scalar differ at " << a[i] << ", " << b[i];
    double real = exact(double(a[i]), double(b[i]));
    double error = ulps(got[i], real);
    if (error > worst.ulps)
      worst = {error, a[i], b[i], got[i], real};
  }
}

uint64_t getStride() {
  const char *text = std::getenv("GNN_MATH_STRIDE");
  return text ? std::max(1LL, std::atoll(text)) : 4099;
}

struct Function {
  const char *name;
  double (*exact)(double);
  double limit;
};

/// A name for the test.
std::string nameOf(const testing::TestParamInfo<Function> &info) {
  return info.param.name;
}

class UnaryMath : public testing::TestWithParam<Function> {};

std::string bodyOf(const Function &function) {
  return std::string("%r = math.") + function.name + " %a : TYPE";
}

double reciprocalSqrt(double x) { return 1 / std::sqrt(x); }

} // namespace

TEST_P(UnaryMath, IsWithinTwoUlps) {
  const Function &function = GetParam();
  HostKernel vectors(bodyOf(function), 8), scalars(bodyOf(function), 1);
  ASSERT_EQ(vectors.error() + scalars.error(), "");
  auto exact = [&](double a, double) { return function.exact(a); };

  Worst worst;
  std::vector<float> a(kChunk);
  uint64_t stride = getStride();
  for (uint64_t bits = 0; bits < (uint64_t(1) << 32);) {
    for (float &value : a) {
      value = fromBits(static_cast<uint32_t>(bits));
      bits += stride; // past the end it wraps: some are taken twice
    }
    ASSERT_NO_FATAL_FAILURE(compareChunk(vectors, scalars, a, a, exact, worst));
  }
  RecordProperty("ulps", std::to_string(worst.ulps));
  printf("%-8s %.3f ulp at %a (%.9g): got %.9g, expected %.9g\n", function.name,
         worst.ulps, worst.a, worst.a, worst.got, worst.exact);
  EXPECT_LE(worst.ulps, function.limit);
}

TEST_P(UnaryMath, KeepsSpecialValues) {
  const Function &function = GetParam();
  HostKernel vectors(bodyOf(function), 8), scalars(bodyOf(function), 1);
  ASSERT_EQ(vectors.error() + scalars.error(), "");
  std::vector<float> a = {0.0f,
                          -0.0f,
                          1.0f,
                          -1.0f,
                          kInfinity,
                          -kInfinity,
                          kNaN,
                          -kNaN,
                          0x1p-149f,
                          -0x1p-149f,
                          0x1p-126f,
                          -0x1p-126f,
                          0x1.fp-127f,
                          0x1.fffffep+127f,
                          -0x1.fffffep+127f,
                          2.0f,
                          88.72283f,
                          88.72284f,
                          -87.33655f,
                          -103.9721f,
                          -103.9720f,
                          128.0f,
                          -149.0f,
                          -150.0f,
                          0x1.fffffep-1f,
                          0x1.000002p+0f,
                          -0x1.fffffep-1f,
                          0.5f,
                          3.14159274f,
                          1.57079637f,
                          16367173.0f,
                          1e30f};
  std::vector<float> got(a.size()), scalar(a.size());
  vectors.run(a.data(), a.data(), got.data(), a.size());
  scalars.run(a.data(), a.data(), scalar.data(), a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    double exact = function.exact(a[i]);
    EXPECT_LE(ulps(got[i], exact), function.limit)
        << function.name << "(" << a[i] << "): got " << got[i] << ", expected "
        << exact;
    EXPECT_LE(ulps(scalar[i], exact), function.limit);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Functions, UnaryMath,
    testing::Values(
        Function{"exp", std::exp, 2}, Function{"exp2", std::exp2, 2},
        Function{"expm1", std::expm1, 2}, Function{"log", std::log, 2},
        Function{"log2", std::log2, 2}, Function{"log10", std::log10, 2},
        Function{"log1p", std::log1p, 2}, Function{"tanh", std::tanh, 2},
        Function{"erf", std::erf, 2}, Function{"sin", std::sin, 2},
        Function{"cos", std::cos, 2}, Function{"atan", std::atan, 2},
        Function{"rsqrt", reciprocalSqrt, 2},
        // Left as they are: rounded to the nearest.
        Function{"sqrt", std::sqrt, 0.5}, Function{"floor", std::floor, 0},
        Function{"ceil", std::ceil, 0}, Function{"trunc", std::trunc, 0},
        Function{"roundeven", std::nearbyint, 0},
        Function{"absf", std::fabs, 0}),
    nameOf);

TEST(PowerMath, IsWithinTwoUlps) {
  std::string body = "%r = math.powf %a, %b : TYPE";
  HostKernel vectors(body, 8), scalars(body, 1);
  ASSERT_EQ(vectors.error() + scalars.error(), "");
  auto exact = [](double a, double b) { return std::pow(a, b); };
  Worst worst;
  std::mt19937 random(1);
  std::vector<float> a(kChunk), b(kChunk);
  auto compare = [&] { compareChunk(vectors, scalars, a, b, exact, worst); };

  // Any base with the exponents that models use, and some that overflow.
  for (float y :
       {-3.5f, -2.0f, -1.0f, -0.5f, 0.0f, 0.3333333f, 0.5f, 0.75f, 1.0f, 1.5f,
        2.0f, 3.0f, 4.0f, 10.0f, 101.0f, 0.001f, -40.5f, 1e-30f, 1e30f}) {
    for (int chunk = 0; chunk < 4; ++chunk) {
      for (int64_t i = 0; i < kChunk; ++i)
        a[i] = fromBits(random()), b[i] = y;
      ASSERT_NO_FATAL_FAILURE(compare());
    }
  }
  // Results over all of f32, also near 1.
  std::uniform_real_distribution<float> exponent(-150, 129);
  for (int chunk = 0; chunk < 64; ++chunk) {
    for (int64_t i = 0; i < kChunk; ++i) {
      a[i] = chunk % 2 ? 1 + std::ldexp(float(int32_t(random())), -34)
                       : fromBits(random() & 0x7fffffff);
      b[i] = exponent(random) / std::log2(a[i]);
    }
    ASSERT_NO_FATAL_FAILURE(compare());
  }
  printf("%-8s %.3f ulp at %a, %a: got %.9g, expected %.9g\n", "powf",
         worst.ulps, worst.a, worst.b, worst.got, worst.exact);
  EXPECT_LE(worst.ulps, 2);
}

TEST(AngleMath, IsWithinTwoUlps) {
  std::string body = "%r = math.atan2 %a, %b : TYPE";
  HostKernel vectors(body, 8), scalars(body, 1);
  ASSERT_EQ(vectors.error() + scalars.error(), "");
  auto exact = [](double a, double b) { return std::atan2(a, b); };
  Worst worst;
  std::mt19937 random(1);
  std::vector<float> a(kChunk), b(kChunk);
  // Any two numbers; then two of about one size, or of one exponent.
  for (int chunk = 0; chunk < 96; ++chunk) {
    for (int64_t i = 0; i < kChunk; ++i) {
      a[i] = fromBits(random());
      b[i] = chunk % 3 == 0   ? fromBits(random())
             : chunk % 3 == 1 ? std::ldexp(a[i], int(random() % 40) - 20)
                              : a[i] + std::ldexp(a[i], -int(random() % 24));
      if (random() % 2)
        b[i] = -b[i];
    }
    ASSERT_NO_FATAL_FAILURE(compareChunk(vectors, scalars, a, b, exact, worst));
  }
  printf("%-8s %.3f ulp at %a, %a: got %.9g, expected %.9g\n", "atan2",
         worst.ulps, worst.a, worst.b, worst.got, worst.exact);
  EXPECT_LE(worst.ulps, 2);
}

/// Compares a function of two numbers at all pairs of those that are special.
static void checkSpecialValues(const std::string &op,
                               double (*function)(double, double)) {
  HostKernel vectors("%r = math." + op + " %a, %b : TYPE", 1);
  ASSERT_EQ(vectors.error(), "");
  const float values[] = {0.0f,
                          -0.0f,
                          1.0f,
                          -1.0f,
                          0.5f,
                          -0.5f,
                          2.0f,
                          -2.0f,
                          3.0f,
                          -3.0f,
                          2.5f,
                          -2.5f,
                          kInfinity,
                          -kInfinity,
                          kNaN,
                          0x1p-149f,
                          16777215.0f,
                          16777216.0f,
                          -16777215.0f,
                          0x1.fffffep+127f,
                          -0x1.fffffep+127f};
  for (float x : values)
    for (float y : values) {
      float got = 0;
      vectors.run(&x, &y, &got, 1);
      double exact = function(x, y);
      EXPECT_LE(ulps(got, exact), 2) << op << "(" << x << ", " << y << "): got "
                                     << got << ", expected " << exact;
      EXPECT_TRUE(std::isnan(exact) || std::signbit(got) == std::signbit(exact))
          << op << "(" << x << ", " << y << "): got " << got << ", expected "
          << exact;
    }
}

TEST(PowerMath, KeepsSpecialValues) { checkSpecialValues("powf", std::pow); }
TEST(AngleMath, KeepsSpecialValues) { checkSpecialValues("atan2", std::atan2); }

TEST(ClampMath, KeepsNaN) {
  HostKernel clamp("%r = math.clampf %a to [%b, %b] : TYPE", 1);
  ASSERT_EQ(clamp.error(), "");
  float x = kNaN, bound = 3, got = 0;
  clamp.run(&x, &bound, &got, 1);
  EXPECT_TRUE(std::isnan(got));
  x = 5;
  clamp.run(&x, &bound, &got, 1);
  EXPECT_EQ(got, 3.0f);
}
