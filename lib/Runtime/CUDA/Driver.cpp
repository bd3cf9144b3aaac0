//===- Driver.cpp - The part of the CUDA driver's API in use --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CUDA/Driver.h"

#include <dlfcn.h>

using namespace gnn::runtime;
using namespace gnn::runtime::cuda;

Expected<std::shared_ptr<const Driver>>
Driver::load(const std::string &library) {
  void *handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return failure("expected the CUDA driver, got: ", dlerror());
  auto driver = std::make_shared<Driver>();
#define GNN_CUDA_LOAD(member, symbol, ...)                                     \
  driver->member =                                                             \
      reinterpret_cast<decltype(driver->member)>(dlsym(handle, symbol));       \
  if (!driver->member)                                                         \
    return failure("expected a CUDA driver with ", symbol, ", got '", library, \
                   "' without");
  GNN_CUDA_FUNCTIONS(GNN_CUDA_LOAD)
#undef GNN_CUDA_LOAD
  if (Error error = driver->check(driver->init(0), "cuInit"))
    return error;
  return std::shared_ptr<const Driver>(std::move(driver));
}

Error Driver::check(Result result, const char *call) const {
  if (result == kSuccess)
    return {};
  const char *name = nullptr, *text = nullptr;
  if (getErrorName(result, &name) != kSuccess || !name)
    return failure(call, ": unknown CUDA error ", result);
  if (getErrorString(result, &text) != kSuccess || !text)
    text = "no description";
  return failure(call, ": ", name, " (", text, ")");
}
