//===- LaunchPlan.h - The host function as data -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the straight-line host functions of a module to the plan that the
// runtime carries out.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TARGET_LAUNCHPLAN_H
#define GNN_TARGET_LAUNCHPLAN_H

#include "GNN/Runtime/Plan.h"

#include "mlir/IR/BuiltinOps.h"

namespace gnn {

/// The plan of all functions of `module`, which has the form that
/// `convert-gnn-tile-to-gpu` makes: host scalars, structures, constants, views
/// of one workspace, launches. Anything else is an error at its op. `constants`
/// gets the data that kernels read of constants, as a package takes it.
mlir::FailureOr<runtime::LaunchPlan>
makeLaunchPlan(mlir::ModuleOp module, std::string *constants = nullptr);

} // namespace gnn

#endif // GNN_TARGET_LAUNCHPLAN_H
