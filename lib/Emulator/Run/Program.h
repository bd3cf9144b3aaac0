//===- Program.h - Kernels compiled for the host ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program that the compiling half of the emulator hands to the running
// half.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_EMULATOR_RUN_PROGRAM_H
#define GNN_LIB_EMULATOR_RUN_PROGRAM_H

#include "Context.h"

#include "GNN/Runtime/KernelSignature.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <string>

namespace gnn::emulator {

/// An op of a kernel that can fail. Compiled code names it by its number.
struct Site {
  std::string op;
  std::string location;
};

/// `context` and, for each argument, where its value lies.
using KernelFunction = void (*)(KernelContext *context, void **arguments);

struct CompiledKernel {
  std::string name;
  runtime::KernelSignature signature;
  int64_t staticSharedBytes = 0;
  /// Bytes of attributions and allocas a thread.
  int64_t privateBytes = 0;
  /// Bytes of all values that a thread computes: more than compiled code
  /// spills.
  int64_t valueBytes = 0;
  /// The block it was compiled for; empty where any will do.
  llvm::SmallVector<int64_t, 3> knownBlock;
  /// Threads wait for each other: each needs a stack of its own.
  bool needsFibers = false;
  bool hasAsyncCopies = false;
  /// Shared memory is shadowed in granules of `1 << granuleShift` bytes.
  unsigned granuleShift = 2;
  KernelFunction function = nullptr;
};

} // namespace gnn::emulator

#endif // GNN_LIB_EMULATOR_RUN_PROGRAM_H
