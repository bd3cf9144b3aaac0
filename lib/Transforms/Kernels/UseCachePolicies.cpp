//===- UseCachePolicies.cpp - What the last cache evicts first ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/Targets.h"
#include "GNN/Transforms/Kernels/Passes.h"
#include "GNN/Transforms/Remarks.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/FormatVariadic.h"

namespace gnn {
#define GEN_PASS_DEF_USECACHEPOLICIES
#include "GNN/Transforms/Kernels/Passes.h.inc"
} // namespace gnn

using namespace mlir;

/// The numbers of a load, and the bytes that they have together.
static constexpr int64_t together = 4, bytes = 16;

/// The global memory of a GPU in LLVM's terms; 0 is any.
static constexpr unsigned global = 1;

/// Whether a policy is for it: 16 bytes in one piece that are read once.
static bool isReadOnce(LLVM::LoadOp load) {
  auto type = dyn_cast<VectorType>(load.getType());
  unsigned memory = load.getAddr().getType().getAddressSpace();
  return load.getNontemporal() && !load.getVolatile_() &&
         load.getOrdering() == LLVM::AtomicOrdering::not_atomic && type &&
         type.getRank() == 1 && type.getDimSize(0) == together &&
         !type.isScalable() && type.getElementType().isIntOrFloat() &&
         type.getElementTypeBitWidth() == 32 &&
         load.getAlignment().value_or(0) >= bytes &&
         (memory == 0 || memory == global);
}

/// Whether the kernel writes nothing of what an address leads to.
static bool isReadOnly(Value address) {
  while (Operation *op = address.getDefiningOp()) {
    if (!isa<LLVM::GEPOp, LLVM::AddrSpaceCastOp>(op))
      return false;
    address = op->getOperand(0);
  }
  auto argument = cast<BlockArgument>(address);
  auto kernel = dyn_cast<LLVM::LLVMFuncOp>(argument.getOwner()->getParentOp());
  return kernel && argument.getOwner()->isEntryBlock() &&
         kernel.getArgAttr(argument.getArgNumber(),
                           LLVM::LLVMDialect::getReadonlyAttrName()) &&
         kernel.getArgAttr(argument.getArgNumber(),
                           LLVM::LLVMDialect::getNoAliasAttrName());
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

/// The same load with a policy. The assembly is marked as having side effects:
/// otherwise LLVM sinks it to its use, and lanes wait for it there.
static void replace(LLVM::LoadOp load, Value policy) {
  ImplicitLocOpBuilder b(load.getLoc(), load);
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), global);
  Value address = load.getAddr();
  std::string text =
      ("ld.global" + StringRef(isReadOnly(address) ? ".nc" : "") +
       ".L2::cache_hint.v4.b32 {$0, $1, $2, $3}, [$4], $5;")
          .str();
  if (address.getType() != pointer)
    address = LLVM::AddrSpaceCastOp::create(b, pointer, address);
  auto four = LLVM::LLVMStructType::getLiteral(
      b.getContext(), SmallVector<Type>(together, b.getI32Type()));
  Value loaded = makeAsm(b, four, {address, policy}, text, "=r,=r,=r,=r,l,l",
                         /*hasEffects=*/true);
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

static unsigned getVersion(NVVM::NVVMTargetAttr target) {
  return gnn::getPTXVersion(target.getChip(), target.getFeatures());
}

/// Why kernels have no policies; empty if they may.
static std::string explainRefusal(gpu::GPUModuleOp kernels) {
  if (!gnn::getAbilities(kernels).cachePolicies)
    return "the target has none";
  ArrayAttr targets = kernels.getTargetsAttr();
  if (!targets)
    return "";
  for (auto target : targets.getAsRange<NVVM::NVVMTargetAttr>()) {
    unsigned version = getVersion(target);
    if (version < gnn::cachePolicyPTX && !target.getFeatures().empty())
      return llvm::formatv("PTX {0}.{1} has none", version / 10, version % 10);
  }
  return "";
}

/// Has PTX be of a version with policies, where none was asked for and that of
/// the chip is older.
static void raiseVersion(gpu::GPUModuleOp kernels) {
  ArrayAttr attr = kernels.getTargetsAttr();
  if (!attr)
    return;
  SmallVector<Attribute> targets(attr.getValue());
  for (Attribute &one : targets) {
    auto target = dyn_cast<NVVM::NVVMTargetAttr>(one);
    if (target && getVersion(target) < gnn::cachePolicyPTX)
      one = NVVM::NVVMTargetAttr::get(
          target.getContext(), target.getO(), target.getTriple(),
          target.getChip(), ("+ptx" + Twine(gnn::cachePolicyPTX)).str(),
          target.getFlags(), target.getLink(), target.getVerifyTarget());
  }
  kernels.setTargetsAttr(ArrayAttr::get(kernels.getContext(), targets));
}

namespace {
struct UseCachePolicies : gnn::impl::UseCachePoliciesBase<UseCachePolicies> {
  void runOnOperation() override {
    std::string why = explainRefusal(getOperation());
    bool hasPolicies = false;
    getOperation().walk([&](LLVM::LLVMFuncOp kernel) {
      SmallVector<LLVM::LoadOp> loads;
      kernel.walk([&](LLVM::LoadOp load) {
        if (isReadOnce(load))
          loads.push_back(load);
      });
      if (loads.empty())
        return;
      if (!why.empty()) {
        gnn::refused(getArgument(), kernel.getLoc())
            << "no cache policies for " + gnn::counted(loads.size(), "load") +
                   ": " + why;
        return;
      }
      hasPolicies = true;
      auto b = ImplicitLocOpBuilder::atBlockBegin(kernel.getLoc(),
                                                  &kernel.getBody().front());
      Value policy =
          makeAsm(b, b.getI64Type(), {},
                  "createpolicy.fractional.L2::evict_first.b64 $0, 1.0;", "=l",
                  /*hasEffects=*/false);
      for (LLVM::LoadOp load : loads)
        replace(load, policy);
      gnn::passed(getArgument(), kernel.getLoc(), "CachePolicy")
          << "the L2 first evicts the data of " +
                 gnn::counted(loads.size(), "load");
    });
    if (hasPolicies)
      raiseVersion(getOperation());
  }
};
} // namespace
