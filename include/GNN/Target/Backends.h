//===- Backends.h - The kinds of target of this compiler --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TARGET_BACKENDS_H
#define GNN_TARGET_BACKENDS_H

namespace gnn {

/// Each registers a backend: kernels as PTX for a GPU, kernels of a GPU for the
/// emulator, kernels of one thread a block for the cores of a CPU, programs of
/// the overlay.
void registerCUDABackend();
void registerEmulatorBackend();
void registerCPUBackend();
void registerOverlayBackend();

/// Registers all backends that are not registered yet.
void registerBackends();

} // namespace gnn

#endif // GNN_TARGET_BACKENDS_H
