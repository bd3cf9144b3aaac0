//===- Seconds.h - Elapsed time ---------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_SECONDS_H
#define GNN_RUNTIME_SECONDS_H

#include <chrono>

namespace gnn::runtime {

inline double secondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
      .count();
}

} // namespace gnn::runtime

#endif // GNN_RUNTIME_SECONDS_H
