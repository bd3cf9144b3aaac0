//===- UseTensorCores.cpp - Sums of products as fragments hold them -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All that is to be changed in the loops form is which thread holds what of the
// sums. What reads and writes them follows.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/ProductForms.h"
#include "GNN/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_USETENSORCORES
#include "GNN/Transforms/Passes.h.inc"
} // namespace gnn

/// Why tensor cores cannot multiply so; empty if they can.
static std::string explainRefusal(vector::ContractionOp op) {
  auto sums = dyn_cast<VectorType>(op.getAccType());
  auto left = cast<VectorType>(op.getLhsType());
  if (!sums || sums.getRank() != 2 || left.getRank() != 2)
    return "expected a product of matrices";
  if (!sums.getElementType().isF32() || !left.getElementType().isF32())
    return "expected f32";
  if (sums.getDimSize(0) != fragmentRows ||
      sums.getDimSize(1) % fragmentColumns)
    return "expected sums of 64 rows and a multiple of 16 columns";
  if (left.getDimSize(0) % fragmentDepth)
    return "expected a depth that 16 divides";
  return "";
}

namespace {
struct UseTensorCores : gnn::impl::UseTensorCoresBase<UseTensorCores> {
  void runOnOperation() override {
    WalkResult walk = getOperation()->walk([&](scf::ForallOp blocks) {
      return failed(spread(blocks)) ? WalkResult::interrupt()
                                    : WalkResult::advance();
    });
    if (walk.wasInterrupted())
      signalPassFailure();
  }

private:
  LogicalResult spread(scf::ForallOp blocks) {
    Attribute before;
    auto fragments = getFragmentSpread(&getContext());
    WalkResult walk =
        blocks.getBody()->walk([&](vector::ContractionOp op) -> WalkResult {
          if (!isOnTensorCores(op))
            return WalkResult::advance();
          if (std::string why = explainRefusal(op); !why.empty())
            return op.emitOpError("cannot be multiplied on tensor cores: ")
                   << why << ", got " << op.getLhsType() << " and "
                   << op.getRhsType();
          before = op->getAttr(spreadAttribute);
          op->setAttr(spreadAttribute, fragments);
          return WalkResult::advance();
        });
    if (walk.wasInterrupted())
      return failure();
    if (!before)
      return success();
    blocks.getBody()->walk([&](StoreRowsOp op) {
      if (op.getSpreadAttr() == before)
        op.setSpreadAttr(fragments);
    });
    remark::passed(
        blocks.getLoc(),
        remark::RemarkOpts::name("TensorCores").category(getArgument()))
        << "products are summed in fragments of mma.sync";
    return success();
  }
};
} // namespace
