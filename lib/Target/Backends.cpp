//===- Backends.cpp - The kinds of target of this compiler ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Target/Backends.h"

#include <mutex>

void gnn::registerBackends() {
  static std::once_flag once;
  std::call_once(once, [] {
    registerCUDABackend();
    registerEmulatorBackend();
    registerCPUBackend();
    registerOverlayBackend();
  });
}
