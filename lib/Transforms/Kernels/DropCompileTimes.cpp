//===- DropCompileTimes.cpp - Binaries without times ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Transforms/Kernels/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace gnn {
#define GEN_PASS_DEF_DROPCOMPILETIMES
#include "GNN/Transforms/Kernels/Passes.h.inc"
} // namespace gnn

using namespace mlir;

/// `object` without those of its properties that are times.
static Attribute dropTimes(gpu::ObjectAttr object) {
  DictionaryAttr properties = object.getProperties();
  if (!properties)
    return object;
  SmallVector<NamedAttribute> kept;
  for (NamedAttribute property : properties)
    if (property.getName() != "LLVMIRToISATimeInMs" &&
        property.getName() != "ISAToBinaryTimeInMs")
      kept.push_back(property);
  MLIRContext *context = object.getContext();
  return gpu::ObjectAttr::get(
      context, object.getTarget(), object.getFormat(), object.getObject(),
      kept.empty() ? nullptr : DictionaryAttr::get(context, kept),
      object.getKernels());
}

namespace {

struct DropCompileTimes : gnn::impl::DropCompileTimesBase<DropCompileTimes> {
  using DropCompileTimesBase::DropCompileTimesBase;

  void runOnOperation() override {
    for (auto binary : getOperation().getOps<gpu::BinaryOp>()) {
      SmallVector<Attribute> objects;
      for (Attribute object : binary.getObjects())
        objects.push_back(dropTimes(cast<gpu::ObjectAttr>(object)));
      binary.setObjectsAttr(ArrayAttr::get(&getContext(), objects));
    }
  }
};

} // namespace
