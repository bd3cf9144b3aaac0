//===- Guarded.h - No exception leaves the library --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_GUARDED_H
#define GNN_LIB_RUNTIME_GUARDED_H

#include "GNN/Runtime/Error.h"

#include <exception>
#include <new>

namespace gnn::runtime {

/// Runs `body`, which returns an Error or an Expected, and turns an exception
/// (out of memory, above all) into a failure. Public functions of the library
/// that allocate are wrapped in it: no exception leaves the library.
template <typename Body>
auto guarded(const char *what, Body body) -> decltype(body()) {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return failure(what, ": out of host memory");
  } catch (const std::exception &exception) {
    return failure(what, ": ", exception.what());
  }
}

} // namespace gnn::runtime

#endif // GNN_LIB_RUNTIME_GUARDED_H
