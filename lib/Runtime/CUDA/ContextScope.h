//===- ContextScope.h - A CUDA context for a while --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_CUDA_CONTEXTSCOPE_H
#define GNN_LIB_RUNTIME_CUDA_CONTEXTSCOPE_H

#include "CUDA/Driver.h"

namespace gnn::runtime::cuda {

/// Makes a context current for a while, if it is not.
class ContextScope {
public:
  ContextScope(const Driver &driver, Context context) : driver(driver) {
    Context current = nullptr;
    Result result = driver.ctxGetCurrent(&current);
    if (result == kSuccess && current != context) {
      result = driver.ctxPushCurrent(context);
      pushed = result == kSuccess;
    }
    error = driver.check(result, "cuCtxPushCurrent");
  }
  ~ContextScope() {
    Context popped = nullptr;
    if (pushed)
      driver.ctxPopCurrent(&popped);
  }
  ContextScope(const ContextScope &) = delete;
  ContextScope &operator=(const ContextScope &) = delete;

  Error error;

private:
  const Driver &driver;
  bool pushed = false;
};

} // namespace gnn::runtime::cuda

#endif // GNN_LIB_RUNTIME_CUDA_CONTEXTSCOPE_H
