//===- Compare.h - A function compiled in two ways --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TOOLS_GNN_RUN_COMPARE_H
#define GNN_TOOLS_GNN_RUN_COMPARE_H

#include "GNN/OptionFiles/Inputs.h"

#include "GNN/Target/Compile.h"

#include <functional>

namespace gnn::run {

/// One of the two.
struct ComparedFunction {
  const runtime::BoundFunction &function;
  const runtime::Package &package;
  /// Completes a report by what the device does not know.
  std::function<void(runtime::Report &)> complete;
};

/// Adds `NAME=VALUE` to options: `passes`, `stage-passes`, `schedules` or
/// `stop-at`.
runtime::Error addOption(CompileOptions &options, const std::string &text);

/// Runs both in turns on the same inputs and prints how long each launch takes,
/// where the device has times, how it is launched, and how far the kernels,
/// their schedules and the outputs are apart.
runtime::Error compare(const ComparedFunction &without,
                       const ComparedFunction &with, runtime::Device &device,
                       const std::vector<std::string> &inputs);

} // namespace gnn::run

#endif // GNN_TOOLS_GNN_RUN_COMPARE_H
