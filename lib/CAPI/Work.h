//===- Work.h - Work on programs on a thread of its own ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CAPI_WORK_H
#define GNN_LIB_CAPI_WORK_H

#include "GNN/Runtime/Package.h"
#include "GNN/Target/AttachStatistics.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>
#include <string>
#include <vector>

namespace gnn::capi {

/// The outcome of work on a program, on success and on failure.
struct Outcome {
  std::shared_ptr<const runtime::Package> package;
  std::string answer;
  bool isDone = false;
  std::vector<std::string> diagnostics;
  /// The passes that gnn-opt is to run to get there; none where parsing fails.
  std::string pipeline = "builtin.module()";
  /// The program with the statistics of its graphs and the gradients that it is
  /// asked for; empty where it has none.
  std::string text;
  /// The kind of failure, if something fails. Options have no reproducer:
  /// gnn-opt does not have them.
  runtime::ErrorKind kind = runtime::ErrorKind::Program;
};

using Work = llvm::function_ref<void(mlir::ModuleOp, Outcome &)>;

/// A program before it is read.
struct Request {
  llvm::StringRef text, name;
  llvm::ArrayRef<NamedGraph> graphs;
  llvm::StringRef gradients;
  /// The file that gets the text and the pipeline where the work fails; empty:
  /// none.
  llvm::StringRef reproducer;
};

/// Parses a program, gives it the statistics of graphs and says what gradients
/// it is asked for, and goes on with `work`, on a thread of its own whose
/// crashes stay inside. An error where that leaves the work undone.
runtime::Error workOn(const Request &request, std::unique_ptr<Outcome> &outcome,
                      Work work);

} // namespace gnn::capi

#endif // GNN_LIB_CAPI_WORK_H
