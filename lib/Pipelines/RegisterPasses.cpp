//===- RegisterPasses.cpp - The passes of stages by name ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generated functions are slow to compile: no header has them.
//
//===----------------------------------------------------------------------===//

#include "GNN/Pipelines/Pipelines.h"

#include "GNN/Conversion/Passes.h"
#include "GNN/Transforms/Passes.h"

namespace gnn {
#define GEN_PASS_REGISTRATION
#include "GNN/Conversion/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "GNN/Transforms/Passes.h.inc"
} // namespace gnn

void gnn::registerPasses() {
  registerGNNConversionPasses();
  registerGNNTransformsPasses();
}
