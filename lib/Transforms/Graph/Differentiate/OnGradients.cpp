//===- OnGradients.cpp - Passes on functions of gradients alone -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../Utils/NestedPasses.h"

#include "GNN/Dialect/GNN/IR/FunctionAttributes.h"
#include "GNN/Transforms/Graph/Passes.h"

using namespace mlir;
using namespace gnn;

namespace gnn {
#define GEN_PASS_DEF_ONGRADIENTS
#include "GNN/Transforms/Graph/Passes.h.inc"
} // namespace gnn

namespace {
struct OnGradients : NestedPasses<gnn::impl::OnGradientsBase<OnGradients>> {
  using NestedPasses::NestedPasses;

  void runOnOperation() override {
    if (getOperation()->hasAttr(attribute::gradientOf))
      runNested();
  }
};
} // namespace

std::unique_ptr<Pass> gnn::createOnGradients(const OpPassManager &passes) {
  return std::make_unique<OnGradients>(passes);
}
