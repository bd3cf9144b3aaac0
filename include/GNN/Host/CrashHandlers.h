//===- CrashHandlers.h - Crashes that stay inside ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_HOST_CRASHHANDLERS_H
#define GNN_HOST_CRASHHANDLERS_H

#include "GNN/Runtime/Error.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace gnn {

/// Keeps handlers of fatal signals and of LLVM's fatal errors in place during a
/// compilation. Signals that end a process on request, such as that of Ctrl-C,
/// are left alone. A crash outside of `runSafely` still ends the process.
class CrashHandlers {
public:
  CrashHandlers();
  ~CrashHandlers();
  CrashHandlers(const CrashHandlers &) = delete;
  CrashHandlers &operator=(const CrashHandlers &) = delete;
};

/// Runs `work` on this thread; the error reports a crash. Without CrashHandlers
/// a crash ends the process. The remains of a crash must not be accessed, and
/// objects that belong to frames of `work` must not be freed.
runtime::Error runSafely(llvm::function_ref<void()> work);

} // namespace gnn

#endif // GNN_HOST_CRASHHANDLERS_H
