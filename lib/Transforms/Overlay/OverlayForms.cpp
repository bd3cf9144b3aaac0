//===- OverlayForms.cpp - Forms of functions and programs -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The description of gnn-overlay-verify-form holds the labels that the comments
// below refer to.
//
//===----------------------------------------------------------------------===//

#include "OverlayForms.h"

#include "GNN/Dialect/GNN/IR/GNNFeatureOps.h"
#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Transforms/Overlay/Passes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::overlay;

namespace gnn {
#define GEN_PASS_DEF_OVERLAYVERIFYFORM
#include "GNN/Transforms/Overlay/Passes.h.inc"
} // namespace gnn

llvm::ArrayRef<OptionWord<OverlayForm>> OptionWords<OverlayForm>::list() {
  static const OptionWord<OverlayForm> words[] = {
      {"layers", OverlayForm::Layers},
      {"prepared", OverlayForm::Prepared},
      {"partitioned", OverlayForm::Partitioned},
      {"mapped", OverlayForm::Mapped},
      {"annotated", OverlayForm::Annotated},
      {"resident", OverlayForm::Resident}};
  return words;
}

//===----------------------------------------------------------------------===//
// Functions of layers
//===----------------------------------------------------------------------===//

bool gnn::overlay::hasLayers(func::FuncOp func) {
  return !func.isExternal() && !func.getOps<LayerOpInterface>().empty();
}

Value gnn::overlay::throughViews(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<ReshapeOp, RebindRowsOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

FlatSymbolRefAttr gnn::overlay::graphOf(func::FuncOp func) {
  auto layer = *func.getOps<LayerOpInterface>().begin();
  return getRows(layer->getResult(0).getType()).getGraph();
}

LogicalResult gnn::overlay::verifyLayers(func::FuncOp func) {
  if (!hasLayers(func))
    return success();
  if (!llvm::hasSingleElement(func.getBody()) ||
      !isa<func::ReturnOp>(func.front().back())) // C1
    return emitError(func.getLoc(),
                     "expected layers in one block that returns");
  FlatSymbolRefAttr graph = graphOf(func);
  for (auto layer : func.getOps<LayerOpInterface>()) {
    if (FlatSymbolRefAttr of =
            getRows(layer->getResult(0).getType()).getGraph();
        of != graph) // C8
      return layer->emitOpError("expected layers of one graph, got @")
             << graph.getValue() << " and @" << of.getValue();
    for (Value operand : layer->getOperands())
      if (RowsAttr rows = getRows(throughViews(operand).getType());
          rows && !haveSameNodes(func, graph, rows.getGraph())) // C8
        return layer->emitOpError("expected rows of the nodes of @")
               << graph.getValue() << ", got those of @"
               << rows.getGraph().getValue();
  }
  return success();
}

static LogicalResult verifyPrepared(func::FuncOp func) {
  for (auto layer : func.getOps<LayerOpInterface>())
    for (Value operand : layer->getOperands()) {
      Value value = throughViews(operand);
      if (getRowSpace(value.getType()) && !isa<BlockArgument>(value) &&
          !value.getDefiningOp<LayerOpInterface>()) // C2
        return layer->emitOpError(
            "expected operands that are arguments or layers: "
            "gnn-overlay-outline-prepare makes them arguments");
    }
  if (!hasLayers(func))
    return success();
  Operation *returned = func.front().getTerminator();
  for (OpOperand &operand : returned->getOpOperands())
    if (!throughViews(operand.get()).getDefiningOp<LayerOpInterface>()) // C2
      return returned->emitOpError("expected results of layers, got result ")
             << operand.getOperandNumber();
  return success();
}

//===----------------------------------------------------------------------===//
// Programs of layers
//===----------------------------------------------------------------------===//

FlatSymbolRefAttr gnn::overlay::regionOf(Value value) {
  if (auto read = value.getDefiningOp<ReadOp>())
    return read.getRegionAttr();
  for (Operation *user : value.getUsers())
    if (auto place = dyn_cast<PlaceOp>(user))
      return place.getRegionAttr();
  return nullptr;
}

FlatSymbolRefAttr gnn::overlay::findEdges(ProgramOp program) {
  for (auto region : program.getBody().getOps<RegionOp>())
    if (region.getKind().getValue() == overlay::RegionKind::Edges &&
        region.getRole().getValue() == RegionRole::Input)
      return FlatSymbolRefAttr::get(region.getSymNameAttr());
  return nullptr;
}

/// The scale and the shift of a layer; null: it has none.
static std::pair<Value, Value> affineOf(LayerOpInterface op) {
  if (auto norm = dyn_cast<overlay::BatchNormOp>(*op))
    return {norm.getScale(), norm.getShift()};
  if (auto act = dyn_cast<overlay::ActivationOp>(*op))
    return {act.getScale(), act.getShift()};
  return {};
}

static LogicalResult verifyPartitioned(ProgramOp program) {
  for (auto op : program.getBody().getOps<LayerOpInterface>()) {
    for (Value operand : op->getOperands())
      if (!regionOf(operand)) // C3
        return op->emitOpError("expected operands that regions hold: "
                               "gnn-overlay-partition reads and places them");
    if (!regionOf(op->getResult(0))) // C3
      return op->emitOpError("expected a result that is placed in a region");
    if (isa<VectorInnerOp>(*op) && !findEdges(program)) // C4
      return op->emitOpError("expected a region of edges in the program");
    auto aggregate = dyn_cast<overlay::AggregateOp>(*op);
    if (aggregate && !aggregate.getWeights()) // C4
      return op->emitOpError("expected weights of edges: gnn-overlay-partition "
                             "gives each the weight 1");
    auto [scale, shift] = affineOf(op);
    if (scale && regionOf(scale) != regionOf(shift)) // C4
      return op->emitOpError("expected a scale and a shift of one region");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Programs of instructions
//===----------------------------------------------------------------------===//

static LogicalResult verifyMapped(ProgramOp program) {
  for (Operation &op : program.getBody().front())
    if (!isa<RegionOp, LayerBlockOp, ProgramOp>(op)) // C5
      return op.emitOpError("expected instructions: gnn-overlay-map-kernels "
                            "makes them");
  return success();
}

Accesses gnn::overlay::accessesOf(Operation &op) {
  return llvm::TypeSwitch<Operation *, Accesses>(&op)
      .Case([](LoadOp op) -> Accesses {
        switch (op.getSpace().getValue()) {
        case overlay::Space::Weights:
          return {WeightBit, 0};
        case overlay::Space::Edges:
          return {EdgeBit, 0};
        case overlay::Space::Features:
          return {FeatureBit, 0};
        }
        return {};
      })
      .Case([](InitOp) -> Accesses { return {OutputBit, 0}; })
      .Case([](GemmOp) -> Accesses { return {0, WeightBit | FeatureBit}; })
      .Case([](SpdmmOp) -> Accesses { return {0, EdgeBit | FeatureBit}; })
      .Case([](SddmmOp) -> Accesses { return {0, EdgeBit | FeatureBit}; })
      .Case([](VaddOp) -> Accesses { return {OutputBit, FeatureBit}; })
      .Case([](ActOp op) -> Accesses {
        if (op.getBuffer() == outputBuffer)
          return {};
        return {OutputBit, op.getOnEdges() ? EdgeBit : FeatureBit};
      })
      .Case([](StoreOp op) -> Accesses {
        bool ofEdges = op.getSpace().getValue() == overlay::Space::Edges;
        return {0, OutputBit | (ofEdges ? uint64_t(EdgeBit) : 0)};
      })
      .Default(Accesses());
}

static LogicalResult verifyAnnotated(TilingBlockOp tile) {
  uint64_t filled = 0, emptied = 0;
  WalkResult walk = tile.getBody().walk([&](Operation *op) {
    uint64_t fills = accessesOf(*op).fills;
    if (fills && !op->hasAttr("lock")) { // C6
      op->emitOpError("expected a lock: gnn-overlay-annotate-mutexes sets it");
      return WalkResult::interrupt();
    }
    filled |= fills;
    if (auto unlock = op->getAttrOfType<BuffersAttr>("unlock"))
      emptied |= unlock.getBits();
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  if (filled == emptied)
    return success();
  return mlir::emitError(tile.getLoc()) // without the op, which may be long
         << "expected a tile that unlocks the buffers that it fills: "
            "gnn-overlay-annotate-mutexes says where"; // C6
}

static LogicalResult verifyResident(ProgramOp program) {
  if (!program.getBody().getOps<ProgramOp>().empty())
    return success();
  uint64_t memory = program.getTarget().getValues().memoryBytes;
  for (auto region : program.getBody().getOps<RegionOp>())
    if (uint64_t end = region.getAddress() + region.getBytes();
        end > memory) // C7
      return region.emitOpError("expected an end within ")
             << memory << " bytes, got " << end
             << ": gnn-overlay-super-partition makes parts that fit";
  return success();
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

LogicalResult gnn::overlay::verifyForm(ModuleOp module, OverlayForm form) {
  for (auto func : module.getOps<func::FuncOp>()) {
    if (form >= OverlayForm::Partitioned && hasLayers(func)) // C3
      return emitError(func.getLoc(), "expected programs, got a function of "
                                      "layers: gnn-overlay-partition makes "
                                      "programs");
    if (failed(verifyLayers(func)) ||
        (form == OverlayForm::Prepared && failed(verifyPrepared(func))))
      return failure();
  }
  for (auto program : module.getOps<ProgramOp>()) {
    if (form == OverlayForm::Partitioned && failed(verifyPartitioned(program)))
      return failure();
    if (form >= OverlayForm::Mapped && failed(verifyMapped(program)))
      return failure();
    if (form < OverlayForm::Annotated)
      continue;
    WalkResult walk = program.walk(
        [](TilingBlockOp tile) { return WalkResult(verifyAnnotated(tile)); });
    if (walk.wasInterrupted() ||
        (form == OverlayForm::Resident && failed(verifyResident(program))))
      return failure();
  }
  return success();
}

namespace {
struct OverlayVerifyForm : gnn::impl::OverlayVerifyFormBase<OverlayVerifyForm> {
  using OverlayVerifyFormBase::OverlayVerifyFormBase;

  void runOnOperation() override {
    if (failed(verifyForm(getOperation(), form)))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
