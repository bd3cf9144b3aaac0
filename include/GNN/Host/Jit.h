//===- Jit.h - Code of the host in this process --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_HOST_JIT_H
#define GNN_HOST_JIT_H

#include "GNN/Host/CodeGeneration.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace gnn::host {

/// A function of compiled code, or that it calls.
struct Symbol {
  llvm::StringRef name;
  void *address;
};

/// Code of the host in this process, to which more may be added. It calls the C
/// library, and symbols that are given by address, so it does not depend on the
/// symbols that the process exports.
class Jit {
public:
  static llvm::Expected<std::unique_ptr<Jit>>
  create(llvm::ArrayRef<Symbol> symbols, Optimization optimization);
  ~Jit();

  /// Compiles modules of the LLVM dialect, on at most `threads` threads.
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
