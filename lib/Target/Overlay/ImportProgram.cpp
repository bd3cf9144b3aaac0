//===- ImportProgram.cpp - Programs of the overlay as ops -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The disassembler.
//
//===----------------------------------------------------------------------===//

#include "GNN/Target/Overlay.h"

#include "GNN/Dialect/Overlay/IR/Overlay.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::overlay;

namespace {
class Importer {
public:
  Importer(const Program &program, Location loc, bool isPart = false)
      : program(program), isPart(isPart), builder(loc.getContext()), loc(loc) {}

  /// Makes the program behind what the block has.
  LogicalResult run(StringRef name, mlir::Block &block);

private:
  void addRegion(const overlay::Region &region);
  LogicalResult addInstruction(const Instruction &instruction);
  LogicalResult build(const Instruction &, const Csi &);
  LogicalResult build(const Instruction &, const Load &);
  LogicalResult build(const Instruction &, const Store &);
  LogicalResult build(const Instruction &, const Init &);
  LogicalResult build(const Instruction &, const Gemm &);
  LogicalResult build(const Instruction &, const Spdmm &);
  LogicalResult build(const Instruction &, const Sddmm &);
  LogicalResult build(const Instruction &, const Vadd &);
  LogicalResult build(const Instruction &, const overlay::Act &);

  /// A region and bytes behind its begin.
  struct Place {
    FlatSymbolRefAttr region;
    IntegerAttr offset;
  };
  /// The region of that kind around an address and as many bytes behind it; one
  /// that may be written.
  FailureOr<Place> locate(uint64_t address, overlay::RegionKind kind,
                          uint64_t reach = 0, bool isWritten = false);
  /// What the file calls a layer; null: by its kind and number.
  StringAttr nameOf(const Csi &csi);
  InFlightDiagnostic fail() {
    return emitError(loc) << "instruction " << position << ": ";
  }

  IntegerAttr number(uint64_t value) {
    return builder.getI64IntegerAttr(static_cast<int64_t>(value));
  }
  UnitAttr flag(uint64_t value) {
    return value ? builder.getUnitAttr() : UnitAttr();
  }
  BuffersAttr buffers(uint64_t bits) {
    return bits ? BuffersAttr::get(builder.getContext(), bits) : BuffersAttr();
  }
  MLIRContext *context() { return builder.getContext(); }

  const Program &program;
  bool isPart;
  OpBuilder builder;
  Location loc;
  size_t position = 0;
  /// Of the loop of the tile.
  uint64_t trips = 1;
  /// Where layers, tiles, instructions and those of a loop go.
  mlir::Block *layers = nullptr, *layer = nullptr, *tile = nullptr,
              *loop = nullptr;
};
} // namespace

void Importer::addRegion(const overlay::Region &region) {
  bool isWhole = region.kind == overlay::RegionKind::Features ||
                 region.kind == overlay::RegionKind::Edges;
  StringAttr argument;
  if (isWhole && !region.pieces.empty())
    argument = builder.getStringAttr(region.pieces.back().argument);
  RegionOp::create(
      builder, loc, builder.getStringAttr(region.name),
      RegionKindAttr::get(context(), region.kind),
      builder.getDenseI64ArrayAttr({static_cast<int64_t>(region.rows),
                                    static_cast<int64_t>(region.columns)}),
      RegionRoleAttr::get(context(), region.role), number(region.address),
      isPart ? builder.getDenseI64ArrayAttr(
                   {static_cast<int64_t>(region.firstRow),
                    static_cast<int64_t>(region.firstColumn)})
             : DenseI64ArrayAttr(),
      argument, isWhole ? ArrayAttr() : writePieces(context(), region.pieces));
}

FailureOr<Importer::Place> Importer::locate(uint64_t address,
                                            overlay::RegionKind kind,
                                            uint64_t reach, bool isWritten) {
  // Regions share addresses: any of them encodes to the same bytes. A loop of
  // no iterations may stand at the end of one.
  for (uint64_t atEnd : {0, 1})
    for (const overlay::Region &region : program.regions)
      if (region.kind == kind && region.address <= address &&
          address + reach < region.address + region.bytes + atEnd &&
          !(isWritten && region.role == RegionRole::Input))
        return Place{FlatSymbolRefAttr::get(builder.getStringAttr(region.name)),
                     number(address - region.address)};
  return fail() << "no region of " << toWord(kind) << " has the address "
                << address;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

StringAttr Importer::nameOf(const Csi &csi) {
  auto here = llvm::find_if(program.layers, [&](const overlay::Layer &layer) {
    return layer.firstInstruction == position;
  });
  if (here == program.layers.end() ||
      here->name ==
          defaultLayerName(static_cast<LayerType>(csi.type), csi.layer))
    return nullptr;
  return builder.getStringAttr(here->name);
}

LogicalResult Importer::build(const Instruction &, const Csi &csi) {
  if (csi.activation && !csi.activated)
    return fail() << "expected an activation that is enabled";
  builder.setInsertionPointToEnd(layers);
  AggregationAttr aggregation;
  if (csi.aggregation)
    aggregation = AggregationAttr::get(
        context(), static_cast<Aggregation>(csi.aggregation));
  overlay::ActivationKindAttr activation;
  if (csi.activated)
    activation = overlay::ActivationKindAttr::get(
        context(), csi.activation
                       ? static_cast<overlay::ActivationKind>(csi.activation)
                       : overlay::ActivationKind::Affine);
  bool isAffine = csi.activated && !csi.activation;
  if (isAffine && !csi.normalized)
    return fail() << "expected an activation, got none that is enabled";
  auto op = LayerBlockOp::create(
      builder, loc,
      LayerTypeAttr::get(context(), static_cast<LayerType>(csi.type)),
      number(csi.layer), number(csi.in), number(csi.out), aggregation,
      activation, flag(csi.normalized && !isAffine), nameOf(csi));
  layer = builder.createBlock(&op.getBody());
  tile = nullptr;
  return success();
}

LogicalResult Importer::build(const Instruction &of, const Load &load) {
  auto space = static_cast<overlay::Space>(load.space);
  uint64_t further = of.loop && trips && !load.byDescriptor
                         ? (trips - 1) * load.stride * addressUnit
                         : 0;
  FailureOr<Place> place =
      locate(load.address * addressUnitOf(space, load.byDescriptor),
             regionKindOf(space), further);
  if (failed(place))
    return failure();
  LoadOp::create(builder, loc, SpaceAttr::get(context(), space), place->region,
                 place->offset, number(load.stride * addressUnit),
                 number(load.count), number(load.width),
                 number(load.fiberStride * addressUnit), number(of.buffer),
                 flag(load.byDescriptor), flag(of.lock), buffers(of.unlock));
  return success();
}

LogicalResult Importer::build(const Instruction &of, const Store &store) {
  auto space = static_cast<overlay::Space>(store.space);
  FailureOr<Place> place =
      locate(store.address * addressUnitOf(space, store.byDescriptor),
             regionKindOf(space), /*reach=*/0, /*isWritten=*/true);
  if (failed(place))
    return failure();
  StoreOp::create(builder, loc, SpaceAttr::get(context(), space), place->region,
                  place->offset, number(store.fiber), number(store.count),
                  number(store.width), flag(store.byDescriptor),
                  buffers(of.unlock));
  return success();
}

LogicalResult Importer::build(const Instruction &of, const Init &init) {
  Place place{{}, number(0)};
  trips = init.trips;
  auto value = static_cast<InitValue>(init.value);
  if (value == InitValue::Bias) {
    FailureOr<Place> bias =
        locate(init.address * addressUnit, overlay::RegionKind::Row);
    if (failed(bias))
      return failure();
    place = *bias;
  }
  InitOp::create(builder, loc, InitValueAttr::get(context(), value),
                 place.region, place.offset, number(init.count),
                 number(init.width), number(init.trips), flag(init.onEdges),
                 flag(of.lock));
  return success();
}

LogicalResult Importer::build(const Instruction &of, const Gemm &gemm) {
  GemmOp::create(builder, loc, number(gemm.rows), number(gemm.length),
                 number(gemm.columns), number(gemm.fiber), number(of.buffer),
                 flag(gemm.accumulate), buffers(of.unlock));
  return success();
}

LogicalResult Importer::build(const Instruction &of, const Spdmm &spdmm) {
  SpdmmOp::create(builder, loc,
                  AggregationAttr::get(
                      context(), static_cast<Aggregation>(spdmm.aggregation)),
                  number(spdmm.edges), number(spdmm.width), number(of.buffer),
                  buffers(of.unlock));
  return success();
}

LogicalResult Importer::build(const Instruction &of, const Sddmm &sddmm) {
  SddmmOp::create(builder, loc, number(sddmm.edges), number(sddmm.width),
                  number(of.buffer), flag(sddmm.accumulate),
                  buffers(of.unlock));
  return success();
}

LogicalResult Importer::build(const Instruction &of, const Vadd &vadd) {
  VaddOp::create(builder, loc, number(vadd.rows), number(vadd.width),
                 number(of.buffer), flag(of.lock), buffers(of.unlock));
  return success();
}

LogicalResult Importer::build(const Instruction &of, const overlay::Act &act) {
  auto kind = static_cast<overlay::ActivationKind>(act.kind);
  Place place{{}, number(0)};
  FloatAttr parameter;
  if (kind == overlay::ActivationKind::Affine) {
    FailureOr<Place> affine =
        locate(act.parameter * addressUnit, overlay::RegionKind::Affine);
    if (failed(affine))
      return failure();
    place = *affine;
  } else if (kind == overlay::ActivationKind::Prelu) {
    parameter = builder.getF32FloatAttr(
        llvm::bit_cast<float>(static_cast<uint32_t>(act.parameter)));
  } else if (kind == overlay::ActivationKind::Divide) {
    parameter = builder.getF32FloatAttr(static_cast<float>(act.parameter));
  }
  ActOp::create(builder, loc, ActAttr::get(context(), kind, parameter),
                place.region, place.offset, number(act.count),
                flag(act.onEdges), number(of.buffer), flag(of.lock),
                buffers(of.unlock));
  return success();
}

LogicalResult Importer::addInstruction(const Instruction &instruction) {
  if (!instruction.as<Csi>()) {
    if (!tile) {
      builder.setInsertionPointToEnd(layer);
      auto op = TilingBlockOp::create(builder, loc);
      tile = builder.createBlock(&op.getBody());
      loop = nullptr;
      trips = 1;
    }
    builder.setInsertionPointToEnd(tile);
    if (instruction.loop) {
      if (!loop) {
        auto op = LoopOp::create(builder, loc);
        loop = builder.createBlock(&op.getBody());
      }
      builder.setInsertionPointToEnd(loop);
    }
  }
  if (failed(
          std::visit([&](const auto &body) { return build(instruction, body); },
                     instruction.body)))
    return failure();
  if (instruction.end)
    tile = nullptr;
  return success();
}

LogicalResult Importer::run(StringRef name, mlir::Block &block) {
  builder.setInsertionPointToEnd(&block);
  auto target = OverlayTargetAttr::getChecked([&] { return emitError(loc); },
                                              context(), program.parameters);
  auto signedOf = [](uint64_t value) { return static_cast<int64_t>(value); };
  auto partition = PartitionAttr::getChecked(
      [&] { return emitError(loc); }, context(), signedOf(program.vertices),
      signedOf(program.edges), signedOf(program.n1), signedOf(program.n2),
      DenseI64ArrayAttr(), DenseI64ArrayAttr(), DenseI64ArrayAttr());
  if (!target || !partition)
    return failure();
  auto op = ProgramOp::create(builder, loc, builder.getStringAttr(name),
                              FlatSymbolRefAttr(), target, partition);
  layers = builder.createBlock(&op.getBody());
  for (const overlay::Region &region : program.regions)
    addRegion(region);
  for (const Instruction &instruction : program.instructions) {
    if (failed(addInstruction(instruction)))
      return failure();
    ++position;
  }
  for (auto [i, part] : llvm::enumerate(program.parts))
    if (failed(Importer(part, loc, /*isPart=*/true)
                   .run(overlay::partName(i), *layers)))
      return failure();
  return success();
}

/// Checks that ops are the program again: fields that have no effect in an
/// instruction are in no op.
static LogicalResult checkSame(const Program &program, ModuleOp module) {
  FailureOr<Program> again =
      exportOverlayProgram(*module.getOps<ProgramOp>().begin());
  if (failed(again))
    return failure();
  size_t count =
      std::min(program.instructions.size(), again->instructions.size());
  for (size_t i = 0; i < count; ++i)
    if (!(program.instructions[i] == again->instructions[i]))
      return emitError(module.getLoc())
             << "instruction " << i << ": sets a field that has no effect here";
  if (!(program == *again))
    return emitError(module.getLoc(), "expected regions as large as they need "
                                      "to be, and layers at their heads");
  return success();
}

OwningOpRef<ModuleOp> gnn::importOverlayProgram(const Program &program,
                                                StringRef name, Location loc) {
  if (runtime::Error error = verify(program)) {
    emitError(loc) << error.message();
    return nullptr;
  }
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  if (failed(Importer(program, loc).run(name, *module->getBody())) ||
      failed(checkSame(program, *module)))
    return nullptr;
  return module;
}
