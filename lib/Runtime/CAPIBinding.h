//===- CAPIBinding.h - How to bind, in the C API ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_CAPIBINDING_H
#define GNN_LIB_RUNTIME_CAPIBINDING_H

#include "CAPIHandles.h"

namespace gnn::runtime {

/// The caller's allocator.
struct CallbackAllocator : Allocator {
  explicit CallbackAllocator(const GnnBindOptions &options)
      : options(options) {}
  Expected<void *> allocate(int64_t bytes) override {
    void *memory = options.allocate(options.context, bytes);
    if (!memory && bytes > 0)
      return failure("expected ", bytes, " bytes from the allocator, got null");
    return memory;
  }
  void free(void *memory) override { options.free(options.context, memory); }

  GnnBindOptions options;
};

inline Expected<BindOptions> convertOptions(const GnnBindOptions *given) {
  BindOptions options;
  if (!given)
    return options;
  if (!given->allocate != !given->free)
    return failure("expected both allocate and free, or neither");
  if (given->allocate)
    options.allocator = std::make_shared<CallbackAllocator>(*given);
  if (given->progress)
    options.progress = [given](const std::string &what, double done) {
      given->progress(given->context, what.c_str(), done);
    };
  return options;
}

} // namespace gnn::runtime

#endif // GNN_LIB_RUNTIME_CAPIBINDING_H
