//===- PlanGraphs.h - Graphs of a launch plan -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TARGET_PLANGRAPHS_H
#define GNN_TARGET_PLANGRAPHS_H

#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Runtime/Plan.h"

namespace gnn {

/// A graph that is bound.
runtime::GraphSpec describeGraph(GraphOp graph);

/// A derived graph, but for the index of its parent.
runtime::DerivedSpec describeDerived(GraphOp graph);

} // namespace gnn

#endif // GNN_TARGET_PLANGRAPHS_H
