//===- PlantedFaults.cpp - Passes that are wrong --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pass that ends the process, one that computes something else and one that
// leaves an op its verifier refuses, for gnn-reduce to find where.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/GNN/IR/GNN.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

#include <cstdlib>

using namespace mlir;
using namespace gnn;

namespace {

template <typename Derived>
struct Planted : PassWrapper<Derived, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Planted<Derived>)
};

/// Ends the process at a softmax of scores that were scaled.
struct EndsProcess : Planted<EndsProcess> {
  StringRef getArgument() const override { return "test-ends-process"; }
  void runOnOperation() override {
    getOperation().walk([](EdgeSoftmaxOp op) {
      if (op.getOperand().getDefiningOp<arith::MulFOp>())
        std::abort();
    });
  }
};

/// Adds where messages that are summed were multiplied.
struct ComputesWrong : Planted<ComputesWrong> {
  StringRef getArgument() const override { return "test-computes-wrong"; }
  void runOnOperation() override {
    getOperation().walk([](AggregateOp op) {
      if (auto inner = op.getOperand().getDefiningOp<ApplyOp>())
        inner.setKind(BinaryKind::Add);
    });
  }
};

/// Gives products of activations their weight as rows.
struct LeavesInvalid : Planted<LeavesInvalid> {
  StringRef getArgument() const override { return "test-leaves-invalid"; }
  void runOnOperation() override {
    getOperation().walk([](TypedLinearOp op) {
      if (op->getOperand(0).getDefiningOp<ActivationOp>())
        op->setOperand(0, op->getOperand(1));
    });
  }
};

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "GNNPlantedFaults", "0.1", [] {
            PassRegistration<EndsProcess>();
            PassRegistration<ComputesWrong>();
            PassRegistration<LeavesInvalid>();
          }};
}
