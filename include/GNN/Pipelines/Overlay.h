//===- Overlay.h - The pipeline of programs of the overlay ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_PIPELINES_OVERLAY_H
#define GNN_PIPELINES_OVERLAY_H

#include "GNN/Transforms/Overlay/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

#include <string>

namespace gnn {

/// Switches of `gnn-overlay-pipeline`.
struct OverlayPipelineOptions
    : public mlir::PassPipelineOptions<OverlayPipelineOptions> {
  Option<bool> order{*this, "order",
                     llvm::cl::desc("Multiply before or after sums over edges "
                                    "(GraphAGILE 6.3)"),
                     llvm::cl::init(true)};
  Option<bool> fuse{*this, "fuse",
                    llvm::cl::desc("Apply functions in the layer before them "
                                   "(GraphAGILE 6.4)"),
                    llvm::cl::init(true)};
  Option<bool> fromLayers{
      *this, "from-layers",
      llvm::cl::desc("Functions are of layers already, and only steps 3 and 4, "
                     "and fusion, are left"),
      llvm::cl::init(false)};
  Option<std::string> graph{
      *this, "graph",
      llvm::cl::desc("The file of the graph that programs are for")};
  Option<bool> addSelfLoops{
      *this, "add-self-loops",
      llvm::cl::desc("Give every node of the file's graph one self loop"),
      llvm::cl::init(false)};
  Option<unsigned> n1{*this, "n1",
                      llvm::cl::desc("Rows of a block; 0: by the rule"),
                      llvm::cl::init(0)};
  Option<unsigned> blocksPerPe{
      *this, "blocks-per-pe",
      llvm::cl::desc("Blocks of rows for each processing element, at least"),
      llvm::cl::init(4)};
  Option<bool> skipEmpty{
      *this, "skip-empty",
      llvm::cl::desc("Leave out subshards without edges, of a graph that is "
                     "given"),
      llvm::cl::init(false)};
  Option<uint64_t> superBytes{
      *this, "super-bytes",
      llvm::cl::desc("Most bytes of a part of a program that is cut; 0: half "
                     "the memory, of programs that do not fit it"),
      llvm::cl::init(0)};
  Option<bool> unroll{*this, "unroll", llvm::cl::desc("Unroll inner loops"),
                      llvm::cl::init(false)};
  Option<unsigned> linearGroup{
      *this, "linear-group",
      llvm::cl::desc(
          "Fibers of the output that a tile of a linear layer makes"),
      llvm::cl::init(1)};
};

/// A step of the pipeline, which makes a form.
struct OverlayStep {
  OverlayForm to;
  void (*build)(mlir::OpPassManager &pm, const OverlayPipelineOptions &options,
                const overlay::GivenGraph &given);
};

/// All steps, in order.
llvm::ArrayRef<OverlayStep> getOverlaySteps();

/// Makes a `gnn_overlay.program` of each function of a module, and a function
/// with the computations before it. Graphs may be given in place of a file.
void buildOverlayPipeline(mlir::OpPassManager &pm,
                          const OverlayPipelineOptions &options,
                          const overlay::GivenGraph &given = {});

void registerOverlayPipeline();

} // namespace gnn

#endif // GNN_PIPELINES_OVERLAY_H
