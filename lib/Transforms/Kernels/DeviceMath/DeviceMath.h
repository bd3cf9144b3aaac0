//===- DeviceMath.h - Functions as formulas ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each function takes and gives f32 lanes, is within 2 ulp over all of f32 and
// keeps C's rules (Annex F) for zeros, infinities and NaN.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_KERNELS_DEVICEMATH_DEVICEMATH_H
#define GNN_LIB_TRANSFORMS_KERNELS_DEVICEMATH_DEVICEMATH_H

#include "Lane.h"

#include <limits>
#include <utility>

namespace gnn::device_math {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

Lane exp(Lane x);
Lane exp2(Lane x);
Lane expm1(Lane x);
Lane tanh(Lane x);
Lane erf(Lane x);

Lane log(Lane x);
Lane log2(Lane x);
Lane log10(Lane x);
Lane log1p(Lane x);
Lane pow(Lane x, Lane y);

Lane atan(Lane x);
Lane atan2(Lane y, Lane x);
/// The sine and the cosine.
std::pair<Lane, Lane> sincos(Lane x);

} // namespace gnn::device_math

#endif // GNN_LIB_TRANSFORMS_KERNELS_DEVICEMATH_DEVICEMATH_H
