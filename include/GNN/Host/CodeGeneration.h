//===- CodeGeneration.h - From the LLVM dialect to code ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_HOST_CODEGENERATION_H
#define GNN_HOST_CODEGENERATION_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class TargetMachine;
namespace orc {
class JITTargetMachineBuilder;
} // namespace orc
} // namespace llvm

namespace gnn::host {

/// How often code will run. LLVM optimizes it accordingly.
enum class Runs {
  /// About once: vectors are split into scalars, because their instructions are
  /// slow to select.
  Once,
  /// A few times: only optimizations that save more time than they take.
  Few,
  /// The level for code that runs many times. O3 takes longer and makes no
  /// kernel faster than O2, because earlier passes have done its work.
  Many
};

/// The optimizations of LLVM for code of the host.
struct Optimization {
  Runs runs = Runs::Few;
  /// Whether a multiplication and an addition may be rounded once, unlike on a
  /// GPU.
  bool mayContract = false;
  /// LLVM's name of the processor that runs the code; "" stands for the host's.
  std::string processor;
};

/// The host as a target, or as if it were another processor of its kind, with
/// these optimizations. Errors: a name that LLVM does not know.
llvm::Expected<llvm::orc::JITTargetMachineBuilder>
describeMachine(const Optimization &optimization);

/// The machine for a processor, by LLVM's name.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createMachine(llvm::StringRef processor);

/// An object file in memory.
using Object = std::unique_ptr<llvm::MemoryBuffer>;

/// Compiles each module of the LLVM dialect to an object, on at most `threads`
/// threads. Errors: ops without a form in LLVM IR or in machine code, and
/// crashes of LLVM where there are CrashHandlers.
llvm::Expected<std::vector<Object>>
generateCode(llvm::ArrayRef<mlir::ModuleOp> modules,
             llvm::orc::JITTargetMachineBuilder &machine, Runs runs,
             unsigned threads);

} // namespace gnn::host

#endif // GNN_HOST_CODEGENERATION_H
