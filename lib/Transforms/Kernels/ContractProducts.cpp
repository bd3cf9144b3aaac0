//===- ContractProducts.cpp - Products that are added, rounded once -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compilers of kernels contract only where they are told to, and may do so in
// one kernel and not in the next: the emulator would have other bits than a
// GPU. So it is done here.
//
//===----------------------------------------------------------------------===//

#include "GNN/Transforms/Kernels/Passes.h"
#include "GNN/Transforms/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"

namespace gnn {
#define GEN_PASS_DEF_CONTRACTPRODUCTS
#include "GNN/Transforms/Kernels/Passes.h.inc"
} // namespace gnn

using namespace mlir;

/// Whether sums alone need a value, or each of its entries. Sums with other
/// products may be contracted already.
static bool isAdded(Value value, bool ofEntries) {
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    auto entry = dyn_cast<vector::ExtractOp>(use.getOwner());
    auto fma = dyn_cast<math::FmaOp>(use.getOwner());
    return isa<arith::AddFOp>(use.getOwner()) ||
           (fma && use.get() == fma.getC() && use.get() != fma.getA() &&
            use.get() != fma.getB()) ||
           (ofEntries && entry && !entry.hasDynamicPosition() &&
            isAdded(entry.getResult(), /*ofEntries=*/false));
  });
}

/// The product that an operand is, or an entry of, if sums alone need it.
static arith::MulFOp getProduct(Value operand) {
  auto entry = operand.getDefiningOp<vector::ExtractOp>();
  Value whole = entry ? entry.getSource() : operand;
  auto product = whole.getDefiningOp<arith::MulFOp>();
  return product && isAdded(whole, /*ofEntries=*/true) ? product : nullptr;
}

/// A factor of the product that `operand` is, or an entry of.
static Value getFactor(OpBuilder &builder, Value operand, Value factor) {
  auto entry = operand.getDefiningOp<vector::ExtractOp>();
  return entry ? vector::ExtractOp::create(builder, entry.getLoc(), factor,
                                           entry.getStaticPosition())
               : factor;
}

/// Replaces a sum with a product by one operation; of two products, that on the
/// right is contracted.
static bool contract(arith::AddFOp sum) {
  if (!getElementTypeOrSelf(sum.getType()).isF32())
    return false;
  for (unsigned i : {1, 0}) {
    Value operand = sum->getOperand(i);
    arith::MulFOp product = getProduct(operand);
    if (!product)
      continue;
    OpBuilder builder(sum);
    Value left = getFactor(builder, operand, product.getLhs());
    Value right = getFactor(builder, operand, product.getRhs());
    sum.replaceAllUsesWith(math::FmaOp::create(builder, sum.getLoc(), left,
                                               right, sum->getOperand(1 - i))
                               .getResult());
    sum.erase();
    if (auto entry = operand.getDefiningOp<vector::ExtractOp>();
        entry && entry->use_empty())
      entry.erase();
    if (product->use_empty())
      product.erase();
    return true;
  }
  return false;
}

namespace {
struct ContractProducts : gnn::impl::ContractProductsBase<ContractProducts> {
  void runOnOperation() override {
    getOperation()->walk([&](gpu::GPUFuncOp kernel) {
      SmallVector<arith::AddFOp> sums;
      kernel.walk([&](arith::AddFOp sum) { sums.push_back(sum); });
      int64_t count = llvm::count_if(sums, contract);
      if (count > 0)
        gnn::passed(getArgument(), kernel.getLoc(), "Contracted")
            << gnn::counted(count, "product") + " with the sums that add them";
    });
  }
};
} // namespace
