//===- Lowering.h - Kernels as host functions -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_EMULATOR_LOWERING_H
#define GNN_LIB_EMULATOR_LOWERING_H

#include "Run/Program.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/StringMap.h"

#include <vector>

namespace gnn::emulator {

/// Builds calls into the emulator and accesses to the context.
struct CallBuilder {
  mlir::OpBuilder builder;
  mlir::Location loc;
  /// !llvm.ptr: the KernelContext.
  mlir::Value context;
  /// Functions of the host module that were called, by name.
  llvm::StringMap<mlir::Operation *> entries = {};

  mlir::Value i32(int64_t value);
  mlir::Value i64(int64_t value);
  mlir::Value index(int64_t value);
  mlir::Value toI64(mlir::Value value);
  mlir::Value toIndex(mlir::Value value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  /// The same of indices; `isLarge` becomes true where it has not 64 bits.
  mlir::Value mul(mlir::Value a, mlir::Value b, mlir::Value &isLarge);
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value a,
                      mlir::Value b);
  mlir::Value either(mlir::Value a, mlir::Value b);
  mlir::Value both(mlir::Value a, mlir::Value b);
  /// All lanes where an i1 holds, none where it does not; null: always all.
  mlir::Value all(mlir::Value when);
  /// The pointer behind an address.
  mlir::Value pointer(mlir::Value address);
  /// A field of the context; `constant` where it never changes in a block.
  mlir::Value field(int64_t offset, mlir::Type type, bool constant);
  void setField(int64_t offset, mlir::Value value);
  /// Calls an entry of Entries.h; the result or null.
  mlir::Value call(llvm::StringRef entry, mlir::ValueRange arguments);
  /// Element `indices` of a memref as an index.
  mlir::Value address(mlir::Value memref, mlir::ValueRange indices);
  /// Ends the block with a fault where `condition` holds. `values` go to the
  /// context and may be built in the body.
  void failIf(mlir::Value condition, uint32_t site, FaultKind kind,
              llvm::function_ref<llvm::SmallVector<mlir::Value>()> values);
};

/// Checks of one kernel, put in front of its ops.
class Checks {
public:
  explicit Checks(CallBuilder &emit) : emit(emit) {}

  /// The access of `count`, an index, elements. None is accessed where `lanes`,
  /// an i64, is 0; null: never. With `byLane` its bits are the lanes that are
  /// accessed, at most 64.
  struct Access {
    mlir::Value count, lanes;
    uint64_t alignment = 1; // bytes
    FaultKind race = FaultKind::None;
    bool byLane = false;
    bool isLoad = false;
  };

  /// Elements from `indices` on, in bounds, aligned and, where memory is shared
  /// and they may race, without a race.
  void check(uint32_t site, mlir::Value memref, mlir::ValueRange indices,
             const Access &access);
  /// `count` of them, with the alignment that `op` says, which may load them.
  void access(uint32_t site, mlir::Operation *op, mlir::Value memref,
              mlir::ValueRange indices, int64_t count, FaultKind race);
  /// The same where `mask` is set.
  void maskedAccess(uint32_t site, mlir::Operation *op, mlir::Value memref,
                    mlir::ValueRange indices, mlir::Value mask, FaultKind race);
  void alignment(uint32_t site, mlir::Value address, int64_t alignment,
                 mlir::Value when);
  void argumentCast(uint32_t site, mlir::memref::ReinterpretCastOp op);
  void view(uint32_t site, mlir::memref::ViewOp op);
  void subview(uint32_t site, mlir::memref::SubViewOp op);
  void division(uint32_t site, mlir::Operation *op, bool isSigned);

private:
  void call(uint32_t site, AccessKind kind, mlir::Value address,
            const Access &access, mlir::ValueRange indices,
            mlir::ValueRange extents);

  CallBuilder &emit;
};

/// Names of what the compiling half adds to the host module.
std::string threadFunctionName(llvm::StringRef kernel);
std::string kernelFunctionName(llvm::StringRef kernel);

/// Adds to `host` a function that runs one thread of `kernel`: its arguments,
/// shared memory by attribution, dynamic shared memory (memref<1xi8>), the
/// context (!llvm.ptr), the thread's x, y and z. `kernel` has the form of
/// gnn-verify-kernel-form. Sites are appended to `sites`.
CompiledKernel lowerKernel(mlir::gpu::GPUFuncOp kernel, mlir::ModuleOp host,
                           bool checked, std::vector<Site> &sites);

/// Offsets of the static attributions in shared memory, in bytes.
llvm::SmallVector<int64_t> layOutShared(mlir::gpu::GPUFuncOp kernel,
                                        int64_t &bytes);

} // namespace gnn::emulator

#endif // GNN_LIB_EMULATOR_LOWERING_H
