//===- HostCode.h - From func.funcs to code of the host ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the emulator and the CPU device have in common.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_EMULATOR_HOSTCODE_H
#define GNN_EMULATOR_HOSTCODE_H

#include "GNN/Runtime/Error.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetOptions.h"

#include <functional>

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace gnn::host {

/// Kernels as IR, and the context that they live in.
struct ParsedKernels {
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// Parses an image of kernels, whose format is to be "mlir".
runtime::Expected<ParsedKernels> parseKernels(const std::string &format,
                                              const std::string &image);

/// Keeps what is reported in a context as text, for as long as it stands.
class CollectedErrors {
public:
  explicit CollectedErrors(mlir::MLIRContext *context);
  llvm::Error take() {
    return llvm::createStringError(
        messages.empty() ? "failed without a diagnostic" : messages);
  }

private:
  std::string messages;
  mlir::ScopedDiagnosticHandler handler;
};

/// The kernels of `module`, each with the form of gnn-verify-kernel-form and a
/// name of its own; emits the error of the first that has not. Loads the
/// dialects that they are lowered through.
mlir::LogicalResult
collectKernels(mlir::ModuleOp module,
               llvm::SmallVectorImpl<mlir::gpu::GPUFuncOp> &kernels);

/// Replaces a conversion of floats to integers with the intrinsic, which
/// saturates and gives 0 for a NaN, as PTX's does.
void lowerToInteger(mlir::OpBuilder &builder, mlir::Operation *op,
                    llvm::StringRef intrinsic);

/// Takes memory spaces off the types of `function`: the host has one.
void stripMemorySpaces(mlir::func::FuncOp function);

/// Lowers func.funcs of scalars, vectors and memrefs to the LLVM dialect, with
/// buffers as bare pointers.
mlir::LogicalResult lowerToLLVM(mlir::ModuleOp host);

/// A function of compiled code, or that it calls.
struct Symbol {
  llvm::StringRef name;
  void *address;
};

/// What LLVM does with code of the host, and how well its backend selects.
struct Optimization {
  std::function<llvm::ModulePassManager(llvm::PassBuilder &)> passes;
  llvm::CodeGenOptLevel selection;
  llvm::FPOpFusion::FPOpFusionMode fusion;
  /// LLVM's name of the processor that runs it; empty: that of the host.
  std::string processor;
};

/// The host as a target, or as if it were another processor of its kind.
/// Errors: a name that LLVM does not know.
llvm::Expected<llvm::orc::JITTargetMachineBuilder>
describeMachine(llvm::StringRef processor);

/// Code of the host in this process, to which more may be added. It calls the C
/// library and symbols that are given by address, so that nothing depends on
/// what the process exports.
class Jit {
public:
  static llvm::Expected<std::unique_ptr<Jit>>
  create(llvm::ArrayRef<Symbol> symbols, Optimization optimization);

  /// Turns modules of the LLVM dialect into code, on up to so many threads.
  llvm::Error add(llvm::ArrayRef<mlir::ModuleOp> modules, unsigned threads);

  /// The address of a function that was added. Errors: functions that it calls
  /// and the host does not have.
  llvm::Expected<llvm::orc::ExecutorAddr> lookup(llvm::StringRef name);

private:
  Jit(llvm::orc::JITTargetMachineBuilder machine, Optimization optimization)
      : machine(std::move(machine)), optimization(std::move(optimization)) {}

  llvm::orc::JITTargetMachineBuilder machine;
  Optimization optimization;
  std::string reported; // by the session, of the last lookup
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

} // namespace gnn::host

#endif // GNN_EMULATOR_HOSTCODE_H
