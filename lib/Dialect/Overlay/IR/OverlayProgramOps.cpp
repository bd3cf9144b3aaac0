//===- OverlayProgramOps.cpp - Programs of the overlay --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verification. The ODS descriptions hold the labels that the comments below
// refer to.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Overlay/IR/Overlay.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::overlay;

#define GET_OP_CLASSES
#include "GNN/Dialect/Overlay/IR/OverlayProgramOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Programs and regions
//===----------------------------------------------------------------------===//

namespace {
struct Interval {
  uint64_t begin, end;
  RegionOp region;
};
/// Where an instruction reaches a region: at an offset, and in a loop as often
/// as it says, some bytes further each time.
struct Reach {
  int64_t offset, stride = 0;
  bool byDescriptor = false, isWritten = false;
};
} // namespace

/// The program that a part is of; null: it is none.
static ProgramOp programOf(ProgramOp part) {
  return dyn_cast_or_null<ProgramOp>(part->getParentOp());
}

LogicalResult ProgramOp::verify() {
  if (ProgramOp whole = programOf(*this);
      whole && (whole.getTarget() != getTarget() ||
                whole.getPartition() != getPartition() ||
                whole.getGraphAttr() != getGraphAttr())) // C5
    return mlir::emitError(getLoc())
           << "expected a part of the target, the partition and the graph of "
              "its program";
  const Parameters &values = getTarget().getValues();
  auto n1 = static_cast<uint64_t>(getPartition().getN1());
  auto n2 = static_cast<uint64_t>(getPartition().getN2());
  if (n2 == values.featureColumns && n1 % values.psys == 0 &&
      n1 <= values.featureRows) // C3
    return success();
  return mlir::emitError(getLoc()) // without the op, which may be long
         << "expected n1 to be a multiple of " << values.psys << " up to "
         << values.featureRows << " and n2 " << values.featureColumns
         << ", got " << n1 << " and " << n2;
}

LogicalResult ProgramOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!getGraphAttr() || programOf(*this)) // C5
    return success();
  auto graph = symbols.lookupNearestSymbolFrom<GraphOp>((*this)->getParentOp(),
                                                        getGraphAttr());
  if (graph && graph.getKind() == GraphKind::Square) // C6
    return success();
  return mlir::emitError(getLoc()) // without the op, which may be long
         << "expected a square gnn.graph of the module, got @" << *getGraph();
}

/// Whether `count` numbers from `from` on are among `all`; none is negative.
static bool isRange(int64_t from, int64_t count, int64_t all) {
  return count <= all && from <= all - count;
}

/// The edges of whole shards by their entries; none: a range of others.
static std::optional<int64_t> edgesOf(PartitionAttr partition, int64_t from,
                                      int64_t count) {
  int64_t entry = 0, edges = 0, blocks = partition.getBlocks();
  bool begins = false;
  for (int64_t shard = 0; shard <= blocks; ++shard) {
    begins |= entry == from;
    if (begins && entry == from + count)
      return edges;
    if (shard == blocks)
      break;
    if (begins)
      edges += partition.getShardEdges()[shard];
    entry += partition.getNumEntries(shard);
  }
  return std::nullopt;
}

/// Checks that a region of a part is a window of one of the program.
static LogicalResult verifyWindow(RegionOp region, ProgramOp whole) {
  auto of = whole.lookupSymbol<RegionOp>(region.getSymNameAttr());
  if (!of || of.getKind() != region.getKind())
    return region.emitOpError("expected a region of the program that has the "
                              "kind and the name of its window");
  overlay::RegionKind kind = region.getKind().getValue();
  PartitionAttr partition = whole.getPartition();
  ArrayRef<int64_t> from = *region.getFrom();
  ArrayRef<int64_t> extents = region.getExtents(), all = of.getExtents();
  bool isWhole = from[0] == 0 && from[1] == 0 && extents == all;
  bool isWithin = isRange(from[0], extents[0], all[0]) &&
                  isRange(from[1], extents[1], all[1]);
  if (isWithin && kind == overlay::RegionKind::Features) {
    int64_t end = from[0] + extents[0];
    isWhole = from[0] % partition.getN1() == 0 &&
              (end == all[0] || end % partition.getN1() == 0) &&
              from[1] % partition.getN2() == 0;
  }
  if (isWithin && kind == overlay::RegionKind::Edges)
    isWhole =
        from[1] == 0 && (!partition.getShardEdges() ||
                         edgesOf(partition, from[0], extents[0]) == extents[1]);
  if (!isWhole)
    return region.emitOpError("expected a window of @")
           << of.getSymName() << " [" << all
           << "] in whole blocks and fibers, or shards, got [" << extents
           << "] from [" << from << "]";
  return success();
}

/// Checks that regions are of the graph of the program.
static LogicalResult verifyExtents(ProgramOp program) {
  PartitionAttr partition = program.getPartition();
  ProgramOp whole = programOf(program);
  for (auto region : program.getBody().getOps<RegionOp>()) {
    if (whole) {
      if (failed(verifyWindow(region, whole)))
        return failure();
      continue;
    }
    overlay::RegionKind kind = region.getKind().getValue();
    ArrayRef<int64_t> extents = region.getExtents();
    if (kind == overlay::RegionKind::Features &&
        extents[0] != partition.getVertices())
      return region.emitOpError("expected a row for each of ")
             << partition.getVertices() << " vertices, got " << extents[0];
    if (kind == overlay::RegionKind::Edges &&
        extents[1] != partition.getEdges())
      return region.emitOpError("expected a column for each of ")
             << partition.getEdges() << " edges, got " << extents[1];
    if (kind == overlay::RegionKind::Edges && partition.getShardEdges() &&
        extents[0] != partition.getNumEntries())
      return region.emitOpError("expected a row for each of ")
             << partition.getNumEntries() << " entries, got " << extents[0];
  }
  return success();
}

/// Whether two regions may lie in the same memory: what is filled before the
/// program runs may not, nor what is read behind it.
static bool mayShare(RegionOp one, RegionOp other) {
  if (one.getKind().getValue() == overlay::RegionKind::Edges ||
      other.getKind().getValue() == overlay::RegionKind::Edges)
    return false;
  RegionRole role = one.getRole().getValue();
  return role == RegionRole::Temporary || role != other.getRole().getValue();
}

/// Checks that regions lie apart, and those of a part within the memory.
static LogicalResult verifyAddresses(ProgramOp program) {
  SmallVector<Interval> intervals;
  bool isPart(programOf(program));
  for (auto region : program.getBody().getOps<RegionOp>()) {
    uint64_t bytes = region.getBytes();
    uint64_t begin = region.getAddress();
    if (isPart && begin + bytes > program.getTarget().getValues().memoryBytes)
      return region.emitOpError("expected an end within ")
             << program.getTarget().getValues().memoryBytes << " bytes, got "
             << begin + bytes;
    intervals.push_back({begin, begin + bytes, region});
  }
  llvm::sort(intervals, [](const Interval &a, const Interval &b) {
    return a.begin < b.begin;
  });
  SmallVector<Interval> open; // those before that reach further
  for (Interval interval : intervals) {
    if (interval.begin == interval.end)
      continue;
    llvm::erase_if(open, [&](const Interval &before) {
      return before.end <= interval.begin;
    });
    for (const Interval &before : open)
      if (!mayShare(before.region, interval.region))
        return interval.region.emitOpError("expected a region apart from @")
               << RegionOp(before.region).getSymName();
    open.push_back(interval);
  }
  return success();
}

LogicalResult ProgramOp::verifyRegions() {
  bool hasLayers = false, hasBlocks = false, hasParts = false, behind = false;
  for (Operation &op : getBody().front()) {
    if (isa<RegionOp>(op)) {
      if (behind) // C1
        return op.emitOpError("expected regions in front of all else");
      continue;
    }
    behind = true;
    bool isLayer = isa<ReadOp, PlaceOp, LayerOpInterface>(op);
    if (!isLayer && !isa<LayerBlockOp, ProgramOp>(op)) // C1
      return op.emitOpError("expected regions, layers and layer blocks in a "
                            "program of the overlay");
    (isLayer ? hasLayers : isa<ProgramOp>(op) ? hasParts : hasBlocks) = true;
  }
  if (hasLayers + hasBlocks + hasParts > 1) // C1
    return mlir::emitError(getLoc())
           << "expected layers, layer blocks or parts, got several of these";
  if (programOf(*this) && (hasLayers || hasParts)) // C1
    return mlir::emitError(getLoc()) << "expected layer blocks in a part";
  if (failed(verifyExtents(*this))) // C4
    return failure();
  return verifyAddresses(*this); // C2
}

uint64_t RegionOp::getBytes() {
  auto program = cast<ProgramOp>((*this)->getParentOp());
  Program shape;
  PartitionAttr partition = program.getPartition();
  shape.parameters = program.getTarget().getValues();
  shape.vertices = partition.getVertices();
  shape.edges = partition.getEdges();
  shape.n1 = partition.getN1();
  shape.n2 = partition.getN2();
  return regionBytes(getKind().getValue(), getExtents()[0], getExtents()[1],
                     shape);
}

/// Whether an attribute is a number of rows or columns.
static bool isCount(Attribute attr) {
  auto number = dyn_cast<IntegerAttr>(attr);
  return number && number.getType().isSignlessInteger(64) &&
         number.getInt() >= 0;
}

ArrayAttr gnn::overlay::writePieces(MLIRContext *context,
                                    ArrayRef<Piece> pieces) {
  if (pieces.empty())
    return nullptr;
  Builder builder(context);
  SmallVector<Attribute> all;
  for (const Piece &piece : pieces) {
    SmallVector<Attribute> fields = {
        piece.argument.empty()
            ? Attribute(builder.getF32FloatAttr(piece.value))
            : Attribute(builder.getStringAttr(piece.argument)),
        builder.getBoolAttr(piece.transposed)};
    for (uint64_t number :
         {piece.argumentRow, piece.argumentColumn, piece.pitch, piece.row,
          piece.column, piece.rows, piece.columns})
      fields.push_back(builder.getI64IntegerAttr(static_cast<int64_t>(number)));
    all.push_back(builder.getArrayAttr(fields));
  }
  return builder.getArrayAttr(all);
}

Piece gnn::overlay::readPiece(ArrayAttr fields) {
  auto number = [&](unsigned i) {
    return static_cast<uint64_t>(cast<IntegerAttr>(fields[i]).getInt());
  };
  Piece piece;
  if (auto name = dyn_cast<StringAttr>(fields[0]))
    piece.argument = name.str();
  else
    piece.value =
        static_cast<float>(cast<FloatAttr>(fields[0]).getValueAsDouble());
  piece.transposed = cast<BoolAttr>(fields[1]).getValue();
  piece.argumentRow = number(2);
  piece.argumentColumn = number(3);
  piece.pitch = number(4);
  piece.row = number(5);
  piece.column = number(6);
  piece.rows = number(7);
  piece.columns = number(8);
  return piece;
}

LogicalResult RegionOp::verify() {
  auto address = static_cast<int64_t>(getAddress());
  if (address < 0 || address % addressUnit != 0) // C1
    return emitOpError("expected an address that is a multiple of 64, got ")
           << address;
  ArrayRef<int64_t> extents = getExtents();
  if (extents.size() != 2 || extents[0] < 0 || extents[1] < 0) // C2
    return emitOpError("expected two extents that are not negative");
  overlay::RegionKind kind = getKind().getValue();
  constexpr int64_t most = int64_t(1) << 44;
  double numbers = extents[0];
  if (kind == overlay::RegionKind::Features ||
      kind == overlay::RegionKind::Weights)
    numbers *= double(std::max<int64_t>(extents[1], 1));
  if (extents[1] >= int64_t(1) << 31 || numbers > double(most)) // C2
    return emitOpError("expected fewer than 2^31 columns and at most 2^44 "
                       "numbers, got ")
           << extents[0] << " x " << extents[1];
  bool isPart =
      isa_and_nonnull<ProgramOp>((*this)->getParentOp()->getParentOp());
  if (isPart != getFrom().has_value()) // C4
    return emitOpError(isPart ? "expected the place of a window in a part"
                              : "expected no window outside of parts");
  if (isPart && (getFrom()->size() != 2 ||
                 llvm::any_of(*getFrom(), [](int64_t i) { return i < 0; }) ||
                 getArgument())) // C4
    return emitOpError("expected a row and a column that are not negative, and "
                       "no argument");
  if (!getPieces())
    return success();
  if (isPart || getRole().getValue() != RegionRole::Input ||
      kind == overlay::RegionKind::Features ||
      kind == overlay::RegionKind::Edges) // C3
    return emitOpError("expected pieces of an input of weights or rows, got ")
           << toWord(getRole().getValue()) << " " << toWord(kind);
  for (Attribute attr : getPiecesAttr()) {
    auto fields = dyn_cast<ArrayAttr>(attr);
    if (!fields || fields.size() != 9 ||
        !isa<StringAttr, FloatAttr>(fields[0]) || !isa<BoolAttr>(fields[1]) ||
        !llvm::all_of(fields.getValue().drop_front(2), isCount)) // C3
      return emitOpError("expected pieces of a name or number, a flag and "
                         "seven numbers that are not negative, got ")
             << attr;
  }
  return success();
}

/// The region that `op` names, in the program around it.
static RegionOp findRegion(Operation *op, FlatSymbolRefAttr name,
                           SymbolTableCollection &symbols) {
  auto program = op->getParentOfType<ProgramOp>();
  RegionOp region =
      program ? symbols.lookupSymbolIn<RegionOp>(program, name.getAttr())
              : RegionOp();
  if (!region)
    op->emitOpError("names the region @")
        << name.getValue() << ", which the program around it does not have";
  return region;
}

/// Whether a region of a program holds what the type says.
static bool holds(RegionOp region, RankedTensorType type) {
  ArrayRef<int64_t> extents = region.getExtents();
  auto graph = cast<ProgramOp>(region->getParentOp()).getGraphAttr();
  if (RowsAttr rows = getRows(type); rows && graph && rows.getGraph() != graph)
    return false;
  switch (region.getKind().getValue()) {
  case overlay::RegionKind::Features:
    return isNodeRows(type) && type.getDimSize(1) == extents[1];
  case overlay::RegionKind::Edges:
    return isEdgeWeights(type);
  case overlay::RegionKind::Weights:
    return !getRows(type) && type.getElementType().isF32() &&
           type.getShape() == extents;
  case overlay::RegionKind::Row:
  case overlay::RegionKind::Affine:
    return !getRows(type) && type.getElementType().isF32() &&
           type.hasStaticShape() && type.getNumElements() == extents[1];
  }
  llvm_unreachable("a kind of region");
}

/// Checks that a region holds what the type says.
static LogicalResult verifyType(Operation *op, RegionOp region,
                                RankedTensorType type) {
  if (holds(region, type))
    return success();
  return op->emitOpError("expected the type of the ")
         << toWord(region.getKind().getValue()) << " [" << region.getExtents()
         << "] of @" << region.getSymName() << ", got " << type;
}

LogicalResult ReadOp::verifySymbolUses(SymbolTableCollection &symbols) {
  RegionOp region = findRegion(*this, getRegionAttr(), symbols);
  if (!region)
    return failure();
  if (region.getRole().getValue() != RegionRole::Input) // C1
    return emitOpError("expected an input, got ")
           << toWord(region.getRole().getValue());
  return verifyType(*this, region, getResult().getType()); // C2
}

LogicalResult PlaceOp::verifySymbolUses(SymbolTableCollection &symbols) {
  RegionOp region = findRegion(*this, getRegionAttr(), symbols);
  if (!region)
    return failure();
  if (region.getRole().getValue() == RegionRole::Input) // C1
    return emitOpError("expected an output or a temporary region, got an "
                       "input");
  if (!getValue().getDefiningOp<LayerOpInterface>() ||
      llvm::count_if(getValue().getUsers(), llvm::IsaPred<PlaceOp>) != 1) // C2
    return emitOpError("expected the result of a layer, placed once");
  return verifyType(*this, region, getValue().getType()); // C3
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Whether `op` is an instruction of a tile.
static bool isInstruction(Operation &op) {
  return isa<LoadOp, StoreOp, InitOp, GemmOp, SpdmmOp, SddmmOp, VaddOp, ActOp>(
      op);
}

/// The kind of layer that an instruction is of; none: of any.
static std::optional<LayerType> layerTypeOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<LayerType>>(op)
      .Case([](GemmOp) { return LayerType::Linear; })
      .Case([](SpdmmOp) { return LayerType::Aggregate; })
      .Case([](SddmmOp) { return LayerType::VectorInner; })
      .Case([](VaddOp) { return LayerType::VectorAdd; })
      .Default([](Operation *) { return std::nullopt; });
}

LogicalResult LayerBlockOp::verify() {
  auto layer = static_cast<int64_t>(getLayer());
  if (layer >= 1 && layer <= 255) // C3
    return success();
  return mlir::emitError(getLoc()) // without the op, which may be long
         << "expected a layer from 1 to 255, got " << layer;
}

LogicalResult LayerBlockOp::verifyRegions() {
  for (Operation &op : getBody().front())
    if (!isa<TilingBlockOp>(op)) // C1
      return op.emitOpError("expected tiling blocks in a layer block");
  WalkResult walk = getBody().walk([&](Operation *op) -> WalkResult {
    std::optional<LayerType> type = layerTypeOf(op);
    if (type && *type != getType().getValue()) // C2
      return op->emitOpError("expected instructions of a layer of type ")
             << toWord(getType().getValue());
    if (auto spdmm = dyn_cast<SpdmmOp>(op);
        spdmm && spdmm.getAggregationAttr() != getAggregationAttr()) // C2
      return spdmm.emitOpError("expected the aggregation of its layer");
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult TilingBlockOp::verifyRegions() {
  Block &body = getBody().front();
  unsigned loops = 0;
  for (Operation &op : body) {
    if (!isa<LoopOp>(op)) {
      if (!isInstruction(op)) // C1
        return op.emitOpError("expected instructions in a tiling block");
      continue;
    }
    if (++loops > 1 || &op == &body.front()) // C1
      return op.emitOpError("expected one loop, behind an instruction");
  }
  if (body.empty() || !isInstruction(body.back())) // C2
    return mlir::emitError(getLoc()) // without the op, which may be long
           << "expected an instruction at the end of a tile";
  return success();
}

LogicalResult LoopOp::verifyRegions() {
  for (Operation &op : getBody().front())
    if (!isInstruction(op)) // C1
      return op.emitOpError("expected instructions in a loop");
  return success();
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// The iterations in which an instruction runs.
static int64_t tripsOf(Operation *op) {
  auto loop = dyn_cast<LoopOp>(op->getParentOp());
  if (!loop)
    return 1;
  for (Operation *before = loop; (before = before->getPrevNode());)
    if (auto init = dyn_cast<InitOp>(before))
      return static_cast<int64_t>(init.getTrips());
  return 1;
}

/// Checks that an instruction stays within a region.
static LogicalResult verifyWithin(Operation *op, RegionOp region,
                                  const Reach &reach) {
  bool ofDescriptors = reach.byDescriptor && region.getKind().getValue() ==
                                                 overlay::RegionKind::Edges;
  auto bytes = static_cast<int64_t>(ofDescriptors ? descriptorBytes *
                                                        region.getExtents()[0]
                                                  : region.getBytes());
  int64_t trips = tripsOf(op);
  int64_t left = bytes - reach.offset; // not negative: no overflow
  if (trips <= 0 ? left >= 0
                 : left > 0 &&
                       (trips == 1 || reach.stride <= (left - 1) / (trips - 1)))
    return success();
  InFlightDiagnostic diag = op->emitOpError("expected an offset within ")
                            << bytes << " bytes of @" << region.getSymName()
                            << ", got " << reach.offset;
  if (trips > 1 && reach.stride)
    diag << " and " << trips << " iterations " << reach.stride
         << " bytes apart";
  return diag;
}

/// Checks that an instruction names a region of one kind exactly where it needs
/// one, in the program around it, and stays within it.
static LogicalResult verifyRegion(Operation *op, FlatSymbolRefAttr name,
                                  std::optional<overlay::RegionKind> kind,
                                  SymbolTableCollection &symbols,
                                  const Reach &reach) {
  if (bool(name) != kind.has_value())
    return op->emitOpError("expected ") << (kind ? "a" : "no") << " region";
  if (!name)
    return success();
  RegionOp region = findRegion(op, name, symbols);
  if (!region)
    return failure();
  if (region.getKind().getValue() != *kind)
    return op->emitOpError("expected a region of ")
           << toWord(*kind) << ", got " << toWord(region.getKind().getValue());
  if (reach.isWritten && region.getRole().getValue() == RegionRole::Input)
    return op->emitOpError("expected a region that is written, got an input");
  return verifyWithin(op, region, reach);
}

/// Checks that an offset in bytes can be encoded.
static LogicalResult verifyOffset(Operation *op, int64_t offset,
                                  int64_t unit = addressUnit) {
  if (offset >= 0 && offset % unit == 0)
    return success();
  return op->emitOpError("expected bytes that are a multiple of ")
         << unit << ", got " << offset;
}

LogicalResult LoadOp::verify() {
  if (failed(verifyOffset(
          *this, getOffset(),
          addressUnitOf(getSpace().getValue(), getByDescriptor()))) ||
      failed(verifyOffset(*this, getStride()))) // C2
    return failure();
  if (getFiberStride() &&
      getSpace().getValue() != overlay::Space::Weights) // C3
    return emitOpError("expected tiles of weights apart, got those of ")
           << toWord(getSpace().getValue());
  return verifyOffset(*this, getFiberStride()); // C3
}
LogicalResult LoadOp::verifySymbolUses(SymbolTableCollection &symbols) {
  overlay::Space space = getSpace().getValue();
  Reach reach{static_cast<int64_t>(getOffset()),
              static_cast<int64_t>(getStride()), getByDescriptor()};
  if (getByDescriptor()) // the next one, or rows of other sources
    reach.stride = space == overlay::Space::Edges ? descriptorBytes : 0;
  return verifyRegion(*this, getRegionAttr(), regionKindOf(space),
                      symbols, // C1
                      reach);  // C4
}

LogicalResult StoreOp::verify() {
  if (getFiber() && getSpace().getValue() != overlay::Space::Features) // C3
    return emitOpError("expected a fiber of features, got one of ")
           << toWord(getSpace().getValue());
  return verifyOffset(*this, getOffset(), // C2
                      addressUnitOf(getSpace().getValue(), getByDescriptor()));
}
LogicalResult StoreOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyRegion(*this, getRegionAttr(),
                      regionKindOf(getSpace().getValue()), symbols, // C1
                      {static_cast<int64_t>(getOffset()), 0, getByDescriptor(),
                       /*isWritten=*/true}); // C4
}

LogicalResult InitOp::verify() {
  if (auto trips = static_cast<int64_t>(getTrips()); trips < 0) // C4
    return emitOpError("expected trips that are not negative, got ") << trips;
  return verifyOffset(*this, getOffset()); // C2
}
LogicalResult InitOp::verifySymbolUses(SymbolTableCollection &symbols) {
  std::optional<overlay::RegionKind> kind;
  if (getValue().getValue() == InitValue::Bias)
    kind = overlay::RegionKind::Row;
  return verifyRegion(*this, getRegionAttr(), kind, symbols, // C1
                      {static_cast<int64_t>(getOffset())});  // C3
}

LogicalResult ActOp::verify() {
  return verifyOffset(*this, getOffset()); // C2
}
LogicalResult ActOp::verifySymbolUses(SymbolTableCollection &symbols) {
  std::optional<overlay::RegionKind> kind;
  if (getFunction().getKind() == overlay::ActivationKind::Affine)
    kind = overlay::RegionKind::Affine;
  return verifyRegion(*this, getRegionAttr(), kind, symbols, // C1
                      {static_cast<int64_t>(getOffset())});  // C3
}
