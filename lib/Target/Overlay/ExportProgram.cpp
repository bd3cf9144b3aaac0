//===- ExportProgram.cpp - Programs of the overlay from ops ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Target/Overlay.h"

#include "GNN/Dialect/Overlay/IR/Overlay.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::overlay;

namespace {
/// Where a program, its instructions and its parts stand.
struct Locations {
  explicit Locations(Location program) : program(program) {}

  Location at(const InstructionPlace &place) const {
    const Locations &of = place.part ? parts[*place.part] : *this;
    return place.instruction ? of.instructions[*place.instruction] : of.program;
  }

  Location program;
  SmallVector<Location> instructions;
  std::vector<Locations> parts;
};

class Exporter {
public:
  explicit Exporter(ProgramOp op) : op(op), locations(op.getLoc()) {}

  /// The program, unchecked.
  FailureOr<Program> run();
  const Locations &getLocations() const { return locations; }

private:
  LogicalResult addRegions();
  LogicalResult addLayer(LayerBlockOp layer);
  LogicalResult addBlock(mlir::Block &block, bool inLoop, bool isTile);
  FailureOr<Instruction> build(Operation &op);
  LogicalResult add(Operation &op, Instruction instruction);
  /// An address in units: of a region and bytes behind it.
  uint64_t addressOf(FlatSymbolRefAttr region, int64_t offset, uint64_t unit);

  ProgramOp op;
  Program program;
  Locations locations;
  llvm::StringMap<uint64_t> addresses;
};
} // namespace

LogicalResult Exporter::addRegions() {
  for (auto of : op.getBody().getOps<RegionOp>()) {
    overlay::Region region;
    region.name = of.getSymName().str();
    region.kind = of.getKind().getValue();
    region.role = of.getRole().getValue();
    region.address = of.getAddress();
    region.bytes = of.getBytes();
    region.rows = of.getExtents()[0];
    region.columns = of.getExtents()[1];
    if (auto from = of.getFrom()) {
      region.firstRow = (*from)[0];
      region.firstColumn = (*from)[1];
    }
    if (of.getArgument()) {
      Piece whole;
      whole.argument = of.getArgument()->str();
      region.pieces.push_back(whole);
    }
    if (ArrayAttr pieces = of.getPiecesAttr())
      for (auto fields : pieces.getAsRange<ArrayAttr>())
        region.pieces.push_back(readPiece(fields));
    addresses[region.name] = region.address;
    program.regions.push_back(std::move(region));
  }
  return success();
}

uint64_t Exporter::addressOf(FlatSymbolRefAttr region, int64_t offset,
                             uint64_t unit) {
  return region ? (addresses.lookup(region.getValue()) + offset) / unit : 0;
}

static uint64_t bitsOf(std::optional<BuffersAttr> buffers) {
  return buffers ? buffers->getBits() : 0;
}

/// The parameter of a function: a slope, a column, or an address.
static uint64_t parameterOf(ActAttr act, uint64_t address) {
  switch (act.getKind()) {
  case overlay::ActivationKind::Prelu:
    return llvm::bit_cast<uint32_t>(
        static_cast<float>(act.getParameter().getValueAsDouble()));
  case overlay::ActivationKind::Divide:
    return static_cast<uint64_t>(act.getParameter().getValueAsDouble());
  case overlay::ActivationKind::Affine:
    return address;
  default:
    return 0;
  }
}

FailureOr<Instruction> Exporter::build(Operation &op) {
  return llvm::TypeSwitch<Operation *, FailureOr<Instruction>>(&op)
      .Case([&](LoadOp op) -> FailureOr<Instruction> {
        Load load;
        overlay::Space space = op.getSpace().getValue();
        load.space = static_cast<uint64_t>(space);
        load.address = addressOf(op.getRegionAttr(), op.getOffset(),
                                 addressUnitOf(space, op.getByDescriptor()));
        load.stride = op.getStride() / addressUnit;
        load.count = op.getRows();
        load.width = op.getWidth();
        load.byDescriptor = op.getByDescriptor();
        load.fiberStride = op.getFiberStride() / addressUnit;
        Instruction instruction(load);
        instruction.buffer = op.getBuffer();
        instruction.lock = op.getLock();
        instruction.unlock = bitsOf(op.getUnlock());
        return instruction;
      })
      .Case([&](StoreOp op) -> FailureOr<Instruction> {
        Store store;
        overlay::Space space = op.getSpace().getValue();
        store.space = static_cast<uint64_t>(space);
        store.address = addressOf(op.getRegionAttr(), op.getOffset(),
                                  addressUnitOf(space, op.getByDescriptor()));
        store.count = op.getRows();
        store.width = op.getWidth();
        store.byDescriptor = op.getByDescriptor();
        store.fiber = op.getFiber();
        Instruction instruction(store);
        instruction.unlock = bitsOf(op.getUnlock());
        return instruction;
      })
      .Case([&](InitOp op) -> FailureOr<Instruction> {
        Init init;
        init.count = op.getRows();
        init.width = op.getWidth();
        init.trips = op.getTrips();
        init.value = static_cast<uint64_t>(op.getValue().getValue());
        init.onEdges = op.getOnEdges();
        init.address =
            addressOf(op.getRegionAttr(), op.getOffset(), addressUnit);
        Instruction instruction(init);
        instruction.lock = op.getLock();
        return instruction;
      })
      .Case([&](GemmOp op) -> FailureOr<Instruction> {
        Gemm gemm;
        gemm.rows = op.getRows();
        gemm.length = op.getLength();
        gemm.columns = op.getColumns();
        gemm.accumulate = op.getAccumulate();
        gemm.fiber = op.getFiber();
        Instruction instruction(gemm);
        instruction.buffer = op.getBuffer();
        instruction.unlock = bitsOf(op.getUnlock());
        return instruction;
      })
      .Case([&](SpdmmOp op) -> FailureOr<Instruction> {
        Spdmm spdmm;
        spdmm.edges = op.getEdges();
        spdmm.aggregation =
            static_cast<uint64_t>(op.getAggregation().getValue());
        spdmm.width = op.getWidth();
        Instruction instruction(spdmm);
        instruction.buffer = op.getBuffer();
        instruction.unlock = bitsOf(op.getUnlock());
        return instruction;
      })
      .Case([&](SddmmOp op) -> FailureOr<Instruction> {
        Sddmm sddmm;
        sddmm.edges = op.getEdges();
        sddmm.width = op.getWidth();
        sddmm.accumulate = op.getAccumulate();
        Instruction instruction(sddmm);
        instruction.buffer = op.getBuffer();
        instruction.unlock = bitsOf(op.getUnlock());
        return instruction;
      })
      .Case([&](VaddOp op) -> FailureOr<Instruction> {
        Vadd vadd;
        vadd.rows = op.getRows();
        vadd.width = op.getWidth();
        Instruction instruction(vadd);
        instruction.buffer = op.getBuffer();
        instruction.lock = op.getLock();
        instruction.unlock = bitsOf(op.getUnlock());
        return instruction;
      })
      .Case([&](ActOp op) -> FailureOr<Instruction> {
        overlay::Act act;
        act.count = op.getCount();
        act.onEdges = op.getOnEdges();
        act.kind = static_cast<uint64_t>(op.getFunction().getKind());
        act.parameter = parameterOf(
            op.getFunction(),
            addressOf(op.getRegionAttr(), op.getOffset(), addressUnit));
        Instruction instruction(act);
        instruction.buffer = op.getBuffer();
        instruction.lock = op.getLock();
        instruction.unlock = bitsOf(op.getUnlock());
        return instruction;
      })
      .Default([](Operation *op) -> FailureOr<Instruction> {
        return op->emitOpError("expected an instruction");
      });
}

LogicalResult Exporter::add(Operation &op, Instruction instruction) {
  runtime::Expected<EncodedInstruction> bytes = encode(instruction);
  if (!bytes) // without the op, which may be a layer
    return mlir::emitError(op.getLoc())
           << "'" << op.getName()
           << "' does not fit an instruction: " << bytes.message();
  program.instructions.push_back(instruction);
  locations.instructions.push_back(op.getLoc());
  return success();
}

LogicalResult Exporter::addBlock(mlir::Block &block, bool inLoop, bool isTile) {
  for (Operation &op : block) {
    if (auto loop = dyn_cast<LoopOp>(op)) {
      if (failed(addBlock(loop.getBody().front(), /*inLoop=*/true,
                          /*isTile=*/false)))
        return failure();
      continue;
    }
    FailureOr<Instruction> instruction = build(op);
    if (failed(instruction))
      return failure();
    instruction->loop = inLoop;
    instruction->end = isTile && &op == &block.back();
    if (failed(add(op, *instruction)))
      return failure();
  }
  return success();
}

LogicalResult Exporter::addLayer(LayerBlockOp layer) {
  auto tiles = layer.getBody().getOps<TilingBlockOp>();
  Csi csi;
  csi.type = static_cast<uint64_t>(layer.getType().getValue());
  if (auto aggregation = layer.getAggregation())
    csi.aggregation = static_cast<uint64_t>(aggregation->getValue());
  if (auto activation = layer.getActivation()) {
    // Three bits: an affine function counts as a normalization.
    if (activation->getValue() == overlay::ActivationKind::Affine)
      csi.normalized = 1;
    else
      csi.activation = static_cast<uint64_t>(activation->getValue());
    csi.activated = 1;
  }
  csi.normalized |= layer.getNormalized();
  csi.layer = layer.getLayer();
  csi.in = layer.getIn();
  csi.out = layer.getOut();
  csi.tiles = std::distance(tiles.begin(), tiles.end());
  program.layers.push_back(
      {layer.getName()
           ? layer.getName()->str()
           : defaultLayerName(layer.getType().getValue(), layer.getLayer()),
       program.instructions.size()});
  if (failed(add(*layer, csi)))
    return failure();
  for (auto tile : tiles)
    if (failed(addBlock(tile.getBody().front(), /*inLoop=*/false,
                        /*isTile=*/true)))
      return failure();
  return success();
}

FailureOr<Program> Exporter::run() {
  PartitionAttr partition = op.getPartition();
  program.parameters = op.getTarget().getValues();
  program.vertices = partition.getVertices();
  program.edges = partition.getEdges();
  program.n1 = partition.getN1();
  program.n2 = partition.getN2();
  if (failed(addRegions()))
    return failure();
  for (Operation &inside : op.getBody().front()) {
    if (isa<RegionOp>(inside))
      continue;
    if (auto of = dyn_cast<ProgramOp>(inside)) {
      Exporter exporter(of);
      FailureOr<Program> part = exporter.run();
      if (failed(part))
        return failure();
      locations.parts.push_back(exporter.getLocations());
      program.parts.push_back(std::move(*part));
      continue;
    }
    auto layer = dyn_cast<LayerBlockOp>(inside);
    if (!layer)
      return inside.emitOpError("expected instructions: "
                                "gnn-overlay-map-kernels makes them");
    if (failed(addLayer(layer)))
      return failure();
  }
  return std::move(program);
}

FailureOr<Program> gnn::exportOverlayProgram(ProgramOp op) {
  Exporter exporter(op);
  FailureOr<Program> program = exporter.run();
  if (failed(program))
    return failure();
  InstructionPlace place;
  if (runtime::Error error = verify(*program, &place))
    return mlir::emitError(exporter.getLocations().at(place)) // without the op
           << "expected a program that runs: " << error.message();
  return program;
}
