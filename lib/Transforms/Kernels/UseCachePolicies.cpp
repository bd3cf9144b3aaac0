//===- UseCachePolicies.cpp - What the last cache drops first -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/Targets.h"
#include "GNN/Transforms/Kernels/Passes.h"
#include "GNN/Transforms/Remarks.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace gnn {
#define GEN_PASS_DEF_USECACHEPOLICIES
#include "GNN/Transforms/Kernels/Passes.h.inc"
} // namespace gnn

using namespace mlir;

/// The numbers of a load.
static constexpr int64_t together = 4;

/// Whether it is one of those that a policy is for.
static bool isReadOnce(LLVM::LoadOp load) {
  auto type = dyn_cast<VectorType>(load.getType());
  return load.getNontemporal() && !load.getVolatile_() && type &&
         type.getRank() == 1 && type.getDimSize(0) == together &&
         type.getElementTypeBitWidth() == 32;
}

static Value makeAsm(ImplicitLocOpBuilder &b, Type type, ValueRange operands,
                     StringRef text, StringRef constraints, bool hasEffects) {
  return LLVM::InlineAsmOp::create(
             b, type, operands, text, constraints,
             /*has_side_effects=*/hasEffects,
             /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
             LLVM::AsmDialectAttr(), /*operand_attrs=*/ArrayAttr())
      .getResult(0);
}

/// The same numbers, of which the L2 keeps none that it can do without. An
/// assembly that says it has effects stays where it is: LLVM would sink another
/// one to where the numbers are used, and lanes would wait for them there.
static void replace(LLVM::LoadOp load, Value policy) {
  ImplicitLocOpBuilder b(load.getLoc(), load);
  constexpr unsigned global = 1;
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), global);
  Value address = load.getAddr();
  if (address.getType() != pointer)
    address = LLVM::AddrSpaceCastOp::create(b, pointer, address);
  auto four = LLVM::LLVMStructType::getLiteral(
      b.getContext(), SmallVector<Type>(together, b.getI32Type()));
  Value loaded = makeAsm(b, four, {address, policy},
                         "ld.global.nc.L2::cache_hint.v4.b32 "
                         "{$0, $1, $2, $3}, [$4], $5;",
                         "=r,=r,=r,=r,l,l", /*hasEffects=*/true);
  auto type = cast<VectorType>(load.getType());
  Value numbers = LLVM::PoisonOp::create(b, type.clone(b.getI32Type()));
  for (int64_t i = 0; i < together; ++i) {
    Value number = LLVM::ExtractValueOp::create(b, loaded, i);
    Value at = LLVM::ConstantOp::create(b, b.getI64Type(), i);
    numbers = LLVM::InsertElementOp::create(b, numbers, number, at);
  }
  if (numbers.getType() != type)
    numbers = LLVM::BitcastOp::create(b, type, numbers);
  load.replaceAllUsesWith(numbers);
  load.erase();
}

namespace {
struct UseCachePolicies : gnn::impl::UseCachePoliciesBase<UseCachePolicies> {
  void runOnOperation() override {
    if (!gnn::getAbilities(getOperation()).cachePolicies)
      return;
    getOperation()->walk([&](LLVM::LLVMFuncOp kernel) {
      SmallVector<LLVM::LoadOp> loads;
      kernel.walk([&](LLVM::LoadOp load) {
        if (isReadOnce(load))
          loads.push_back(load);
      });
      if (loads.empty())
        return;
      auto b = ImplicitLocOpBuilder::atBlockBegin(kernel.getLoc(),
                                                  &kernel.getBody().front());
      Value policy =
          makeAsm(b, b.getI64Type(), {},
                  "createpolicy.fractional.L2::evict_first.b64 $0, 1.0;", "=l",
                  /*hasEffects=*/false);
      for (LLVM::LoadOp load : loads)
        replace(load, policy);
      gnn::passed(getArgument(), kernel.getLoc(), "CachePolicy")
          << (Twine(loads.size()) + " loads are dropped first").str();
    });
  }
};
} // namespace
