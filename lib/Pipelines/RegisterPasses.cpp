//===- RegisterPasses.cpp - The passes of stages by name ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generated functions are slow to compile: no header has them.
//
//===----------------------------------------------------------------------===//

#include "GNN/Pipelines/Pipelines.h"

#include "GNN/Conversion/Passes.h"
#include "GNN/Transforms/Blocks/Passes.h"
#include "GNN/Transforms/Graph/Passes.h"
#include "GNN/Transforms/Kernels/Passes.h"
#include "GNN/Transforms/Lanes/Passes.h"
#include "GNN/Transforms/Loops/Passes.h"
#include "GNN/Transforms/Overlay/Passes.h"
#include "GNN/Transforms/Schedules/Passes.h"
#include "GNN/Transforms/Stages/Passes.h"
#include "GNN/Transforms/Tile/Passes.h"

namespace gnn {
#define GEN_PASS_REGISTRATION
#include "GNN/Conversion/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "GNN/Transforms/Blocks/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "GNN/Transforms/Graph/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "GNN/Transforms/Kernels/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "GNN/Transforms/Lanes/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "GNN/Transforms/Loops/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "GNN/Transforms/Overlay/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "GNN/Transforms/Schedules/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "GNN/Transforms/Stages/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "GNN/Transforms/Tile/Passes.h.inc"
} // namespace gnn

void gnn::registerPasses() {
  registerGNNConversionPasses();
  registerGNNBlockTransformsPasses();
  registerGNNGraphTransformsPasses();
  registerGNNKernelTransformsPasses();
  registerGNNLaneTransformsPasses();
  registerGNNLoopTransformsPasses();
  registerGNNOverlayTransformsPasses();
  registerGNNScheduleTransformsPasses();
  registerGNNStageTransformsPasses();
  registerGNNTileTransformsPasses();
}
