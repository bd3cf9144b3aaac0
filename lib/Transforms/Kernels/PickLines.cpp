//===- PickLines.cpp - One line of the model for each op of a kernel ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Transforms/Kernels/Passes.h"

#include "GNN/Dialect/GNN/IR/Origin.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace gnn {
#define GEN_PASS_DEF_PICKLINES
#include "GNN/Transforms/Kernels/Passes.h.inc"
} // namespace gnn

using namespace mlir;

namespace {

struct PickLines : gnn::impl::PickLinesBase<PickLines> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (FileLineColLoc place = gnn::getPlace(op->getLoc()))
        op->setLoc(place);
    });
  }
};

} // namespace
