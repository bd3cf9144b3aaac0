//===- Emulator.h - Runs GPU kernels on the CPU -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowers the same gpu.funcs that become PTX for the host. Each GPU thread that
// waits for others is a fiber; blocks are spread over the cores. Barriers,
// shuffles, shared memory, atomics, asynchronous copies and tensor-core tiles
// behave as on the GPU, and behaviour that is undefined on a GPU is an error.
// It gives no information about a GPU's time.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_EMULATOR_EMULATOR_H
#define GNN_EMULATOR_EMULATOR_H

#include "GNN/Runtime/KernelSignature.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace gnn::emulator {

/// Options for the execution of kernels, for all launches.
struct Options {
  /// Check every access against its extents, vector accesses against the
  /// alignment they declare, shared memory for races.
  bool checked = true;
  /// Threads of the host that run blocks; 0: as many as it has cores.
  unsigned workers = 0;
};

/// One launch: `grid` blocks of `block` threads, at most 1024 a block.
struct Launch {
  std::array<int64_t, 3> grid = {1, 1, 1};
  std::array<int64_t, 3> block = {1, 1, 1};
  /// Bytes of dynamic shared memory.
  int64_t dynamicSharedBytes = 0;
  /// Addresses of the arguments' values, in the kernel's order: a pointer,
  /// int32_t or int64_t (index too).
  llvm::ArrayRef<void *> arguments;
  /// Bytes behind each pointer argument, -1 where unknown (scalars); empty:
  /// all unknown.
  llvm::ArrayRef<int64_t> argumentBytes;
  /// Counters of the elements of each argument that threads load, for checked
  /// kernels; empty: no counters. An asynchronous copy is no load.
  llvm::MutableArrayRef<int64_t> loads;
  /// Draws the order of threads between barriers; unset: ascending. Kernels
  /// without races give the same bits for every seed.
  std::optional<uint64_t> seed;
  /// Called repeatedly on the launching thread with the numbers of finished
  /// blocks and of all blocks; false stops the launch with an error.
  std::function<bool(int64_t done, int64_t all)> progress;
};

/// The known facts of a kernel.
struct KernelInfo {
  int64_t staticSharedBytes = 0;
  int64_t privateBytes = 0;
  /// Its threads wait for each other and run as fibers.
  bool needsFibers = false;
};

/// Compiled kernels. Safe to use from several threads, whose launches run one
/// after the other, and in the child of a fork.
class Emulator {
public:
  ~Emulator();

  /// Compiles all kernels of the gpu.modules in `module`, which does not change
  /// and is not needed afterwards. Errors: a kernel that violates
  /// gnn-verify-kernel-form, with op and location; two kernels of one name.
  static llvm::Expected<std::unique_ptr<Emulator>>
  create(mlir::ModuleOp module, const Options &options = {});

  /// Runs a kernel to its end. Errors: unknown kernel, arguments that do not
  /// match, and all faults of a kernel, with op, location, block and thread; of
  /// several faulty blocks the lowest is reported. The caller names the kernel.
  /// Memory keeps everything written until then.
  llvm::Error launch(llvm::StringRef kernel, const Launch &launch);

  /// The kernel of that name, if there is one.
  std::optional<KernelInfo> find(llvm::StringRef kernel) const;

  /// The signature of that kernel; null if there is none. Lives as long as this
  /// object.
  const runtime::KernelSignature *signature(llvm::StringRef kernel) const;

private:
  struct State;
  explicit Emulator(std::unique_ptr<State> state);

  std::unique_ptr<State> state;
};

} // namespace gnn::emulator

#endif // GNN_EMULATOR_EMULATOR_H
