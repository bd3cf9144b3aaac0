//===- Reduction.h - Smaller modules with the same fault --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TOOLS_GNN_REDUCE_REDUCTION_H
#define GNN_TOOLS_GNN_REDUCE_REDUCTION_H

namespace gnn::tools {

/// Registers `gnn-reduction`, the pass that makes a test case smaller.
void registerReductionPass();

} // namespace gnn::tools

#endif // GNN_TOOLS_GNN_REDUCE_REDUCTION_H
