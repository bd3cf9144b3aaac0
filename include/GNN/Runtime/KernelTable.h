//===- KernelTable.h - Kernels of a shared object ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A shared object with kernels of one thread a block describes its kernels in a
// text, so that a runtime without compiler can call them.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_KERNELTABLE_H
#define GNN_RUNTIME_KERNELTABLE_H

#include "GNN/Runtime/KernelSignature.h"

#include <string>
#include <string_view>
#include <vector>

namespace gnn::runtime {

/// The description of a kernel, without its code.
struct KernelEntry {
  std::string name;
  KernelSignature signature;
  /// Bytes that the threads of a block would share on a GPU.
  int64_t sharedBytes = 0;
};

/// The kernels of a shared object, which has the text of this table, ended by a
/// zero, at `kSymbol`, and the function of each kernel at `symbolOf` its name.
struct KernelTable {
  static constexpr int64_t kVersion = 1;
  static constexpr const char *kSymbol = "gnn_kernels";

  static std::string symbolOf(std::string_view kernel) {
    return "gnn_kernel." + std::string(kernel);
  }

  /// The processor whose instructions the code has, as in listProcessors.
  std::string processor;
  std::vector<KernelEntry> kernels;

  std::string json() const;

  /// Errors: a text that `json` would not write, and another version.
  static Expected<KernelTable> parse(std::string_view text);
};

} // namespace gnn::runtime

#endif // GNN_RUNTIME_KERNELTABLE_H
