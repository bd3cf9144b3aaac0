//===- MapKernels.cpp - Instructions of layers ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tiles.h"

#include "GNN/Transforms/Overlay/Passes.h"
#include "GNN/Transforms/Remarks.h"

using namespace mlir;
using namespace gnn;

namespace gnn {
#define GEN_PASS_DEF_OVERLAYMAPKERNELS
#include "GNN/Transforms/Overlay/Passes.h.inc"
} // namespace gnn

namespace {
struct OverlayMapKernels : gnn::impl::OverlayMapKernelsBase<OverlayMapKernels> {
  using OverlayMapKernelsBase::OverlayMapKernelsBase;

  void runOnOperation() override {
    if (failed(overlay::verifyForm(getOperation(), OverlayForm::Partitioned)))
      return signalPassFailure();
    for (auto program : getOperation().getOps<overlay::ProgramOp>()) {
      if (failed(checkGroup(program)))
        return signalPassFailure();
      overlay::TileBuilder builder(program, unroll, linearGroup);
      Block &body = program.getBody().front();
      auto layers = llvm::to_vector(body.getOps<overlay::LayerOpInterface>());
      for (auto [i, layer] : llvm::enumerate(layers)) {
        if (failed(builder.addLayer(layer, i + 1)))
          return signalPassFailure();
        passed(getArgument(), layer.getLoc(), "Mapped")
            << "layer " + std::to_string(i + 1) + ", " +
                   overlay::toWord(layer.getLayerType());
      }
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
        if (isa<overlay::ReadOp, overlay::PlaceOp, overlay::LayerOpInterface>(
                op))
          op.erase();
    }
  }

  /// Whether buffers hold the fibers of a tile, and their weights.
  LogicalResult checkGroup(overlay::ProgramOp program) {
    const overlay::Parameters &parameters = program.getTarget().getValues();
    overlay::PartitionAttr partition = program.getPartition();
    uint64_t most = std::min(parameters.featureRows / partition.getN1(),
                             parameters.weightRows / partition.getN2());
    unsigned group = linearGroup;
    if (group >= 1 && group <= most)
      return success();
    if (most == 0)
      return emitError(program.getLoc(), "expected a target of at least ")
             << partition.getN2() << " weight_rows, which a tile of a fiber "
             << "takes, got " << parameters.weightRows;
    return emitError(program.getLoc(), "linear-group: expected 1 to ")
           << most << " fibers, as the buffers hold of " << partition.getN1()
           << " rows each, got " << group;
  }
};
} // namespace
