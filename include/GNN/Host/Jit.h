//===- Jit.h - Code of the host in this process --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_HOST_JIT_H
#define GNN_HOST_JIT_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace gnn::host {

/// A function of compiled code, or that it calls.
struct Symbol {
  llvm::StringRef name;
  void *address;
};

/// How often code is to run, by which LLVM works on it.
enum class Runs {
  /// About once: vectors, which are slow to select, become numbers.
  Once,
  /// A few times: what pays for itself even then.
  Few,
  /// Many times. O3 takes longer and makes no kernel faster than O2: what it is
  /// for, the passes before have done.
  Many
};

/// The optimizations of LLVM for code of the host.
struct Optimization {
  Runs runs = Runs::Few;
  /// Whether a multiplication and an addition may be rounded once, unlike on a
  /// GPU.
  bool mayContract = false;
  /// LLVM's name of the processor that runs it; empty: that of the host.
  std::string processor;
};

/// The host as a target, or as if it were another processor of its kind.
/// Errors: a name that LLVM does not know.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createMachine(llvm::StringRef processor);

/// Code of the host in this process, to which more may be added. It calls the C
/// library and symbols that are given by address, so that nothing depends on
/// what the process exports.
class Jit {
public:
  static llvm::Expected<std::unique_ptr<Jit>>
  create(llvm::ArrayRef<Symbol> symbols, Optimization optimization);
  ~Jit();

  /// Turns modules of the LLVM dialect into code, on up to so many threads.
  llvm::Error add(llvm::ArrayRef<mlir::ModuleOp> modules, unsigned threads);

  /// The address of a function that was added. Errors: functions that it calls
  /// and the host does not have.
  llvm::Expected<void *> lookup(llvm::StringRef name);

private:
  struct State;
  explicit Jit(std::unique_ptr<State> state);

  std::unique_ptr<State> state;
};

} // namespace gnn::host

#endif // GNN_HOST_JIT_H
