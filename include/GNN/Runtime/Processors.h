//===- Processors.h - Processors of shared objects --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_PROCESSORS_H
#define GNN_RUNTIME_PROCESSORS_H

#include "GNN/Runtime/ArrayView.h"

#include <string>
#include <string_view>

namespace gnn::runtime {

/// A processor that shared objects are made for: a level of the architecture
/// that this process runs on.
struct Processor {
  /// As packages and options name it: "x86-64-v3".
  const char *name;
  /// As LLVM names it.
  const char *llvmName;
  /// Whether it is one of the few that together serve most machines.
  bool isCommon;
  /// The host has its instructions.
  bool isHere;
};

/// All processors. Each has the instructions of the later ones.
ArrayView<Processor> listProcessors();

/// The processor with this name, or null.
const Processor *findProcessor(std::string_view name);

/// The format of a package's image that is a shared object for a processor.
std::string objectFormat(std::string_view processor);

} // namespace gnn::runtime

#endif // GNN_RUNTIME_PROCESSORS_H
