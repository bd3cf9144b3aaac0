//===- MergeKernels.cpp - One kernel for launches that do the same --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As func's duplicate-function-elimination, for kernels and their launches.
//
//===----------------------------------------------------------------------===//

#include "GNN/Transforms/Kernels/Passes.h"
#include "GNN/Transforms/Remarks.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace gnn {
#define GEN_PASS_DEF_MERGEKERNELS
#include "GNN/Transforms/Kernels/Passes.h.inc"
} // namespace gnn

using namespace mlir;

static DictionaryAttr getAttributesButName(gpu::GPUFuncOp kernel) {
  NamedAttrList attributes(kernel->getAttrDictionary());
  attributes.erase(SymbolTable::getSymbolAttrName());
  return attributes.getDictionary(kernel.getContext());
}

namespace {
/// Kernels are equal in all but their names and locations.
struct SameKernel : DenseMapInfo<gpu::GPUFuncOp> {
  static unsigned getHashValue(gpu::GPUFuncOp kernel) {
    llvm::hash_code hash = hash_value(getAttributesButName(kernel));
    kernel.getBody().walk([&](Operation *op) {
      hash = llvm::hash_combine(hash,
                                OperationEquivalence::computeHash(
                                    op, OperationEquivalence::ignoreHashValue,
                                    OperationEquivalence::ignoreHashValue,
                                    OperationEquivalence::IgnoreLocations));
    });
    return hash;
  }

  static bool isEqual(gpu::GPUFuncOp a, gpu::GPUFuncOp b) {
    if (a == b)
      return true;
    for (gpu::GPUFuncOp none : {getEmptyKey(), getTombstoneKey()})
      if (a == none || b == none)
        return false;
    return getAttributesButName(a) == getAttributesButName(b) &&
           OperationEquivalence::isRegionEquivalentTo(
               &a.getBody(), &b.getBody(),
               OperationEquivalence::IgnoreLocations);
  }
};

struct MergeKernels : gnn::impl::MergeKernelsBase<MergeKernels> {
  void runOnOperation() override {
    SymbolTableCollection tables;
    SymbolUserMap users(tables, getOperation());
    for (auto module : getOperation().getOps<gpu::GPUModuleOp>()) {
      llvm::DenseSet<gpu::GPUFuncOp, SameKernel> kept;
      for (auto kernel :
           llvm::make_early_inc_range(module.getOps<gpu::GPUFuncOp>()))
        if (kernel.isKernel())
          if (auto [it, isNew] = kept.insert(kernel); !isNew)
            merge(kernel, *it, users.getUsers(kernel));
    }
  }

private:
  void merge(gpu::GPUFuncOp kernel, gpu::GPUFuncOp kept,
             ArrayRef<Operation *> users);
};
} // namespace

/// Adds the locations of a kernel's ops to those of its equal. Arguments keep
/// theirs: they say what the first launch passes.
static void fuseLocations(gpu::GPUFuncOp kept, gpu::GPUFuncOp kernel) {
  SmallVector<Location> others;
  kernel->walk([&](Operation *op) { others.push_back(op->getLoc()); });
  auto other = others.begin();
  kept->walk([&](Operation *op) {
    op->setLoc(FusedLoc::get(op->getContext(), {op->getLoc(), *other++}));
  });
}

void MergeKernels::merge(gpu::GPUFuncOp kernel, gpu::GPUFuncOp kept,
                         ArrayRef<Operation *> users) {
  if (!llvm::all_of(users, llvm::IsaPred<gpu::LaunchFuncOp>)) {
    gnn::refused(getArgument(), kernel.getLoc())
        << ("kept beside '" + kept.getName() +
            "', which does the same: not only launches name it")
               .str();
    return;
  }
  for (Operation *user : users) {
    auto launch = cast<gpu::LaunchFuncOp>(user);
    launch.setKernelAttr(
        SymbolRefAttr::get(launch.getKernelModuleName(),
                           FlatSymbolRefAttr::get(kept.getNameAttr())));
    if (!launch->hasAttr("gnn.name"))
      launch->setAttr("gnn.name", kernel.getNameAttr());
    gnn::passed(getArgument(), launch.getLoc(), "Merged")
        << ("runs '" + kept.getName() + "', which does the same as '" +
            kernel.getName() + "'")
               .str();
  }
  fuseLocations(kept, kernel);
  kernel.erase();
}
