//===- ProgramPlan.h - Launch plans of programs of the overlay --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TARGET_OVERLAY_PROGRAMPLAN_H
#define GNN_LIB_TARGET_OVERLAY_PROGRAMPLAN_H

#include "GNN/Overlay/Program.h"
#include "GNN/Runtime/Plan.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace gnn::overlay {

/// An input or output of a function, with the name of its graph.
struct NamedTensor {
  runtime::TensorSpec spec;
  std::string graph;
};

/// What a function takes and gives, before it becomes a program.
struct Signature {
  std::string name;
  std::vector<NamedTensor> inputs, outputs;
};

/// Errors: a type that no plan has, at the function.
mlir::FailureOr<Signature> describeFunction(mlir::func::FuncOp func);

/// The plan of a function that is a program on the edges of `graph`: the steps
/// of `prepare`, if there are some, then one of the program, a kernel of the
/// function's name.
runtime::FunctionPlan makeProgramPlan(mlir::ModuleOp module,
                                      const Signature &signature,
                                      const Program &program,
                                      llvm::StringRef graph,
                                      const runtime::FunctionPlan *prepare);

} // namespace gnn::overlay

#endif // GNN_LIB_TARGET_OVERLAY_PROGRAMPLAN_H
