//===- Processors.cpp - Processors of shared objects ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Runtime/Processors.h"

#include <algorithm>
#include <array>
#include <iterator>

using namespace gnn::runtime;

ArrayView<Processor> gnn::runtime::listProcessors() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  static const Processor processors[] = {
      {"x86-64-v4", "x86-64-v4", false,
       __builtin_cpu_supports("x86-64-v4") != 0},
      {"x86-64-v3", "x86-64-v3", true,
       __builtin_cpu_supports("x86-64-v3") != 0},
      {"x86-64-v2", "x86-64-v2", false,
       __builtin_cpu_supports("x86-64-v2") != 0},
      {"x86-64", "x86-64", true, true}};
#elif defined(__aarch64__)
  static const Processor processors[] = {{"aarch64", "generic", true, true}};
#else
  static const std::array<Processor, 0> processors = {};
#endif
  return {std::data(processors), std::size(processors)};
}

const Processor *gnn::runtime::findProcessor(std::string_view name) {
  ArrayView<Processor> all = listProcessors();
  const auto *found =
      std::find_if(all.begin(), all.end(),
                   [&](const Processor &one) { return one.name == name; });
  return found == all.end() ? nullptr : found;
}

std::string gnn::runtime::objectFormat(std::string_view processor) {
  return std::string(processor) + ".so";
}
