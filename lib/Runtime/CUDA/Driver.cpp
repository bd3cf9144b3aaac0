//===- Driver.cpp - The part of the CUDA driver's API in use --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CUDA/Driver.h"

#include <dlfcn.h>

#include <sstream>

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

std::string Driver::describe(DeviceOrdinal device,
                             const std::string &who) const {
  auto ask = [&](int attribute) {
    int value = 0;
    bool isKnown = deviceGetAttribute(&value, attribute, device) == kSuccess;
    return isKnown ? static_cast<double>(value) : 0.0;
  };
  // Memory moves two numbers of the width of its bus a cycle.
  double bandwidth = 2 * 1e3 * ask(kMemoryClock) * ask(kMemoryBusWidth) / 8;
  std::ostringstream text;
  text << who << ":";
  for (auto [key, value] : {std::make_pair("processors", ask(kProcessors)),
                            std::make_pair("clock", 1e3 * ask(kClock)),
                            std::make_pair("l2_bytes", ask(kL2Bytes)),
                            std::make_pair("memory_bandwidth", bandwidth)})
    if (value > 0)
      text << " " << key << "=" << value;
  return text.str();
}
