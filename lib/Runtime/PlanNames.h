//===- PlanNames.h - Words of launch plans ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_RUNTIME_PLANNAMES_H
#define GNN_LIB_RUNTIME_PLANNAMES_H

#include "GNN/Runtime/Plan.h"

namespace gnn::runtime {

/// In the order of the enums.
constexpr const char *kExprOps[] = {"const",   "count",    "add", "sub", "mul",
                                    "ceildiv", "floordiv", "min", "max"};
constexpr const char *kArgKinds[] = {
    "input", "output", "workspace", "structure", "i32", "i64", "constant"};

constexpr const char *kRoles[] = {"input", "output", "saved", "gradient"};
constexpr const char *kPasses[] = {"none", "forward", "backward"};
constexpr const char *kRequirementOps[] = {"eq", "le"};

inline const char *nameOf(Requirement::Op op) {
  return kRequirementOps[static_cast<size_t>(op)];
}

inline const char *nameOf(Expr::Op op) {
  return kExprOps[static_cast<size_t>(op)];
}

inline const char *nameOf(ArgSpec::Kind kind) {
  return kArgKinds[static_cast<size_t>(kind)];
}

} // namespace gnn::runtime

#endif // GNN_LIB_RUNTIME_PLANNAMES_H
