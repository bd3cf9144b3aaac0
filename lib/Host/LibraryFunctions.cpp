//===- LibraryFunctions.cpp - Functions for code of the host --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LibraryFunctions.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"

#include <cmath>
#include <cstring>

using namespace gnn;

template <typename Function> static void *addressOf(Function *function) {
  return reinterpret_cast<void *>(function);
}

// Functions that the compiler calls where a processor has no instruction.
__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;
extern "C" {
Int128 __divti3(Int128, Int128);
Int128 __modti3(Int128, Int128);
UInt128 __udivti3(UInt128, UInt128);
UInt128 __umodti3(UInt128, UInt128);
float __powisf2(float, int);
double __powidf2(double, int);
}

/// A float of 16 bits is in the low bits of the register of a float.
static uint32_t rounded(llvm::APFloat value, const llvm::fltSemantics &to) {
  bool losesInfo;
  value.convert(to, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return static_cast<uint32_t>(value.bitcastToAPInt().getZExtValue());
}
template <typename From> static float toHalf(From value) {
  return llvm::bit_cast<float>(
      rounded(llvm::APFloat(value), llvm::APFloat::IEEEhalf()));
}
template <typename From> static float toBrainFloat(From value) {
  return llvm::bit_cast<float>(
      rounded(llvm::APFloat(value), llvm::APFloat::BFloat()));
}
static float fromHalf(float half) {
  llvm::APInt bits(16, llvm::bit_cast<uint32_t>(half) & 0xffff);
  llvm::APFloat value(llvm::APFloat::IEEEhalf(), bits);
  return value.convertToFloat();
}

// Picks one type's overload of a function of <cmath>.
#define GNN_UNARY(name)                                                        \
  {#name "f", addressOf<float(float)>(name##f)}, {                             \
    #name, addressOf<double(double)>(name)                                     \
  }
#define GNN_BINARY(name)                                                       \
  {#name "f", addressOf<float(float, float)>(name##f)}, {                      \
    #name, addressOf<double(double, double)>(name)                             \
  }

llvm::ArrayRef<host::Symbol> host::getLibraryFunctions() {
  static const Symbol functions[] = {
      GNN_UNARY(exp),
      GNN_UNARY(exp2),
      GNN_UNARY(expm1),
      GNN_UNARY(log),
      GNN_UNARY(log2),
      GNN_UNARY(log10),
      GNN_UNARY(log1p),
      GNN_UNARY(sin),
      GNN_UNARY(cos),
      GNN_UNARY(tan),
      GNN_UNARY(asin),
      GNN_UNARY(acos),
      GNN_UNARY(atan),
      GNN_UNARY(sinh),
      GNN_UNARY(cosh),
      GNN_UNARY(tanh),
      GNN_UNARY(asinh),
      GNN_UNARY(acosh),
      GNN_UNARY(atanh),
      GNN_UNARY(erf),
      GNN_UNARY(erfc),
      GNN_UNARY(cbrt),
      GNN_UNARY(sqrt),
      GNN_UNARY(floor),
      GNN_UNARY(ceil),
      GNN_UNARY(trunc),
      GNN_UNARY(round),
      GNN_UNARY(rint),
      GNN_UNARY(nearbyint),
      GNN_UNARY(roundeven),
      GNN_BINARY(atan2),
      GNN_BINARY(pow),
      GNN_BINARY(fmod),
      GNN_BINARY(fmin),
      GNN_BINARY(fmax),
      {"fmaf", addressOf<float(float, float, float)>(fmaf)},
      {"fma", addressOf<double(double, double, double)>(fma)},
      {"ldexpf", addressOf<float(float, int)>(ldexpf)},
      {"ldexp", addressOf<double(double, int)>(ldexp)},
      {"sincosf", addressOf<void(float, float *, float *)>(sincosf)},
      {"sincos", addressOf<void(double, double *, double *)>(sincos)},
      {"__divti3", addressOf(__divti3)},
      {"__modti3", addressOf(__modti3)},
      {"__udivti3", addressOf(__udivti3)},
      {"__umodti3", addressOf(__umodti3)},
      {"__truncsfhf2", addressOf(toHalf<float>)},
      {"__truncdfhf2", addressOf(toHalf<double>)},
      {"__extendhfsf2", addressOf(fromHalf)},
      {"__truncsfbf2", addressOf(toBrainFloat<float>)},
      {"__truncdfbf2", addressOf(toBrainFloat<double>)},
      {"__powisf2", addressOf(__powisf2)},
      {"__powidf2", addressOf(__powidf2)},
      {"memcpy", addressOf<void *(void *, const void *, size_t)>(memcpy)},
      {"memmove", addressOf<void *(void *, const void *, size_t)>(memmove)},
      {"memset", addressOf<void *(void *, int, size_t)>(memset)},
  };
  return functions;
}

#undef GNN_UNARY
#undef GNN_BINARY
