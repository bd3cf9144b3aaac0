//===- CrashHandlers.cpp - Crashes that stay inside -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Host/CrashHandlers.h"

#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"

#include <mutex>

using namespace gnn;
using llvm::CrashRecoveryContext;
using runtime::Error;

static std::mutex mutex;
static int users = 0;
/// The last fatal error of this thread.
static thread_local std::string fatalError;

/// Some of LLVM's fatal errors end a process by exit(), which is no signal.
static void handleFatalError(void *, const char *reason, bool isCrash) {
  CrashRecoveryContext *current = CrashRecoveryContext::GetCurrent();
  if (!current) {
    llvm::remove_fatal_error_handler();
    llvm::report_fatal_error(reason, isCrash);
  }
  fatalError = reason;
  current->HandleExit(1);
}

CrashHandlers::CrashHandlers() {
  std::lock_guard<std::mutex> lock(mutex);
  if (users++ > 0)
    return;
  CrashRecoveryContext::Enable();
  llvm::install_fatal_error_handler(handleFatalError);
}

CrashHandlers::~CrashHandlers() {
  std::lock_guard<std::mutex> lock(mutex);
  if (--users > 0)
    return;
  llvm::remove_fatal_error_handler();
  CrashRecoveryContext::Disable();
}

Error gnn::runSafely(llvm::function_ref<void()> work) {
  fatalError.clear();
  if (CrashRecoveryContext().RunSafely(work))
    return {};
  return runtime::failure("the compiler crashed",
                          fatalError.empty() ? "" : ": ", fatalError);
}
