//===- Regions.cpp - Regions of the memory of a program -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Regions.h"

#include "OverlayForms.h"
#include "Placement.h"

#include "GNN/Dialect/GNN/IR/FunctionAttributes.h"
#include "GNN/Dialect/GNN/IR/GNNFeatureOps.h"
#include "GNN/Dialect/GNN/IR/GNNRowOps.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace gnn;

using overlay::Piece;
using overlay::ProgramOp;
using overlay::RegionOp;

namespace {
/// The part of a piece that lies within rows and columns of the region from
/// (row, column) on, moved to (toRow, toColumn); none: nothing does.
std::optional<Piece> cut(Piece piece, ArrayRef<int64_t> numbers) {
  SmallVector<uint64_t> block(numbers.begin(), numbers.end());
  uint64_t row = std::max(piece.row, block[0]);
  uint64_t column = std::max(piece.column, block[1]);
  uint64_t endRow = std::min(piece.row + piece.rows, block[0] + block[4]);
  uint64_t endColumn =
      std::min(piece.column + piece.columns, block[1] + block[5]);
  if (row >= endRow || column >= endColumn)
    return std::nullopt;
  piece.argumentRow += row - piece.row;
  piece.argumentColumn += column - piece.column;
  piece.row = row - block[0] + block[2];
  piece.column = column - block[1] + block[3];
  piece.rows = endRow - row;
  piece.columns = endColumn - column;
  return piece;
}

/// Builds the program of one function.
class ProgramBuilder {
public:
  ProgramBuilder(func::FuncOp func, overlay::OverlayTargetAttr target,
                 overlay::PartitionAttr partition)
      : func(func), target(target), partition(partition), builder(func) {}

  FailureOr<ProgramOp> run();

private:
  std::string nameOf(BlockArgument argument);
  StringAttr uniqueName(StringRef wanted);
  RegionOp addRegion(Location loc, StringAttr name, overlay::RegionKind kind,
                     ArrayRef<int64_t> extents, overlay::RegionRole role,
                     ArrayRef<Piece> pieces = {}, StringRef argument = {});
  RegionOp addRowsRegion(Location loc, StringAttr name, RankedTensorType type,
                         overlay::RegionRole role, StringRef argument = {});
  FailureOr<SmallVector<Piece>> piecesOf(Operation *user, Value weight);
  FailureOr<Value> read(Operation *layer, OpOperand &operand);
  Value readRegion(Location loc, Type type, RegionOp region);
  FailureOr<RegionOp> addAffine(Operation *layer, Value scale, Value shift);
  RegionOp edgesWithoutWeights(Location loc);
  bool hasInputEdges();
  LogicalResult addLayer(overlay::LayerOpInterface layer, int64_t number);

  func::FuncOp func;
  overlay::OverlayTargetAttr target;
  overlay::PartitionAttr partition;
  OpBuilder builder;
  ProgramOp program;
  Block *body = nullptr;
  DenseSet<StringAttr> names;
  /// What values of the function are in the program, and the regions of
  /// results.
  IRMapping map;
  DenseMap<Value, RegionOp> regionOfResult;
  /// The regions of weights.
  DenseMap<Value, RegionOp> regionOfWeight;
  RegionOp unweighted;
  SmallVector<RegionOp> inputs, outputs;
  /// Temporary regions with the first and last layers that need them.
  struct Temporary {
    RegionOp region;
    int64_t first, last;
  };
  SmallVector<Temporary> temporaries;
};
} // namespace

std::string ProgramBuilder::nameOf(BlockArgument argument) {
  unsigned number = argument.getArgNumber();
  auto name = func.getArgAttrOfType<StringAttr>(number, attribute::name);
  return name ? name.str() : defaultInputName(number);
}

StringAttr ProgramBuilder::uniqueName(StringRef wanted) {
  StringAttr name = builder.getStringAttr(wanted);
  for (unsigned i = 1; !names.insert(name).second; ++i)
    name = builder.getStringAttr(wanted + "_" + Twine(i));
  return name;
}

RegionOp ProgramBuilder::addRegion(Location loc, StringAttr name,
                                   overlay::RegionKind kind,
                                   ArrayRef<int64_t> extents,
                                   overlay::RegionRole role,
                                   ArrayRef<Piece> pieces, StringRef argument) {
  OpBuilder::InsertionGuard guard(builder);
  auto regions = body->getOps<RegionOp>();
  if (regions.empty())
    builder.setInsertionPointToStart(body);
  else
    builder.setInsertionPointAfter(*std::next(
        regions.begin(), std::distance(regions.begin(), regions.end()) - 1));
  MLIRContext *context = builder.getContext();
  auto region = RegionOp::create(
      builder, loc, name, overlay::RegionKindAttr::get(context, kind), extents,
      overlay::RegionRoleAttr::get(context, role), /*address=*/0,
      /*from=*/DenseI64ArrayAttr(),
      argument.empty() ? StringAttr() : builder.getStringAttr(argument),
      writePieces(context, pieces));
  if (role == overlay::RegionRole::Input)
    inputs.push_back(region);
  if (role == overlay::RegionRole::Output)
    outputs.push_back(region);
  return region;
}

/// The region of rows of nodes or of weights of edges.
RegionOp ProgramBuilder::addRowsRegion(Location loc, StringAttr name,
                                       RankedTensorType type,
                                       overlay::RegionRole role,
                                       StringRef argument) {
  if (getRowSpace(type) == RowSpace::Edge)
    return addRegion(loc, name, overlay::RegionKind::Edges,
                     {partition.getNumEntries(), partition.getEdges()}, role,
                     {}, argument);
  return addRegion(loc, name, overlay::RegionKind::Features,
                   {partition.getVertices(), getNumFeatures(type)}, role, {},
                   argument);
}

Value ProgramBuilder::readRegion(Location loc, Type type, RegionOp region) {
  return overlay::ReadOp::create(
      builder, loc, type, FlatSymbolRefAttr::get(region.getSymNameAttr()));
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// The blocks of arguments that a weight is made of.
FailureOr<SmallVector<Piece>> ProgramBuilder::piecesOf(Operation *user,
                                                       Value weight) {
  auto type = getTensorType(weight);
  int64_t columns = type.getRank() ? type.getShape().back() : 1;
  int64_t rows = columns ? type.getNumElements() / columns : 0;
  if (auto argument = dyn_cast<BlockArgument>(weight)) {
    Piece whole;
    whole.argument = nameOf(argument);
    whole.pitch = columns;
    whole.rows = rows;
    whole.columns = columns;
    return SmallVector<Piece>{whole};
  }
  auto assemble = weight.getDefiningOp<overlay::AssembleOp>();
  if (!assemble) {
    user->emitOpError("expected a weight that is an argument: "
                      "gnn-overlay-outline-prepare makes it one");
    return failure();
  }
  SmallVector<Piece> pieces;
  for (auto [i, input] : llvm::enumerate(assemble.getInputs())) {
    FailureOr<SmallVector<Piece>> of = piecesOf(user, input);
    if (failed(of))
      return failure();
    ArrayRef<int64_t> block = assemble.getBlocks().slice(6 * i, 6);
    for (Piece piece : *of) {
      if (assemble.getTransposed()[i]) {
        piece.transposed = !piece.transposed;
        std::swap(piece.argumentRow, piece.argumentColumn);
        std::swap(piece.row, piece.column);
        std::swap(piece.rows, piece.columns);
      }
      if (std::optional<Piece> there = cut(piece, block))
        pieces.push_back(*there);
    }
  }
  ArrayRef<int64_t> ones = assemble.getOnes();
  for (size_t i = 0; i < ones.size(); i += 4) {
    Piece piece;
    piece.value = 1;
    piece.row = ones[i];
    piece.column = ones[i + 1];
    piece.rows = ones[i + 2];
    piece.columns = ones[i + 3];
    pieces.push_back(piece);
  }
  return pieces;
}

RegionOp ProgramBuilder::edgesWithoutWeights(Location loc) {
  if (!unweighted)
    unweighted = addRegion(loc, uniqueName("edges"), overlay::RegionKind::Edges,
                           {partition.getNumEntries(), partition.getEdges()},
                           overlay::RegionRole::Input);
  return unweighted;
}

/// The operand of a layer in the program: the result of a layer before it, or
/// what a region holds.
FailureOr<Value> ProgramBuilder::read(Operation *layer, OpOperand &operand) {
  Value value = overlay::throughViews(operand.get());
  if (Value there = map.lookupOrNull(value))
    return there;
  Location loc = layer->getLoc();
  auto type = getTensorType(operand.get());
  if (auto space = getRowSpace(type)) {
    std::string name = nameOf(cast<BlockArgument>(value));
    RegionOp region = addRowsRegion(loc, builder.getStringAttr(name), type,
                                    overlay::RegionRole::Input, name);
    Value there = readRegion(loc, type, region);
    map.map(value, there);
    return there;
  }
  // A weight, which lies in memory as the layer reads it.
  RegionOp &region = regionOfWeight[value];
  if (!region) {
    FailureOr<SmallVector<Piece>> pieces = piecesOf(layer, value);
    if (failed(pieces))
      return failure();
    auto argument = dyn_cast<BlockArgument>(value);
    bool isMatrix = type.getRank() == 2;
    region = addRegion(
        loc,
        argument ? builder.getStringAttr(nameOf(argument))
                 : uniqueName(isMatrix ? "weight" : "bias"),
        isMatrix ? overlay::RegionKind::Weights : overlay::RegionKind::Row,
        {isMatrix ? type.getDimSize(0) : 1, type.getShape().back()},
        overlay::RegionRole::Input, *pieces);
  }
  return readRegion(loc, type, region);
}

/// The scales and shifts of a layer, which lie in one region.
FailureOr<RegionOp> ProgramBuilder::addAffine(Operation *layer, Value scale,
                                              Value shift) {
  SmallVector<Piece> all;
  for (int64_t row : {0, 1}) {
    FailureOr<SmallVector<Piece>> pieces = piecesOf(layer, row ? shift : scale);
    if (failed(pieces))
      return failure();
    for (Piece piece : *pieces) {
      piece.row += row;
      all.push_back(piece);
    }
  }
  return addRegion(
      layer->getLoc(), uniqueName("affine"), overlay::RegionKind::Affine,
      {1, getTensorType(scale).getDimSize(0)}, overlay::RegionRole::Input, all);
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

LogicalResult ProgramBuilder::addLayer(overlay::LayerOpInterface layer,
                                       int64_t number) {
  IRMapping operands;
  auto norm = dyn_cast<overlay::BatchNormOp>(*layer);
  auto activation = dyn_cast<overlay::ActivationOp>(*layer);
  Value scale = norm ? norm.getScale() : Value();
  Value shift = norm ? norm.getShift() : Value();
  if (activation && activation.getScale()) {
    scale = activation.getScale();
    shift = activation.getShift();
  }
  if (scale) {
    FailureOr<RegionOp> region = addAffine(layer, scale, shift);
    if (failed(region))
      return failure();
    Value there = readRegion(layer->getLoc(), scale.getType(), *region);
    operands.map(scale, there);
    operands.map(shift, there);
  }
  for (OpOperand &operand : layer->getOpOperands()) {
    if (operands.contains(operand.get()))
      continue;
    FailureOr<Value> there = read(layer, operand);
    if (failed(there))
      return failure();
    operands.map(operand.get(), *there);
    // The layer that made it keeps its region until now.
    auto it = regionOfResult.find(overlay::throughViews(operand.get()));
    if (it != regionOfResult.end())
      for (Temporary &temporary : temporaries)
        if (temporary.region == it->second)
          temporary.last = std::max(temporary.last, number);
  }
  Operation *copy = builder.clone(*layer, operands);
  if (auto aggregate = dyn_cast<overlay::AggregateOp>(copy);
      aggregate && !aggregate.getWeights()) {
    auto type = RankedTensorType::get(
        {ShapedType::kDynamic}, Float32Type::get(builder.getContext()),
        RowsAttr::get(builder.getContext(),
                      getRows(aggregate.getType()).getGraph(), RowSpace::Edge));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(copy);
    Value ones =
        readRegion(layer->getLoc(), type, edgesWithoutWeights(layer->getLoc()));
    aggregate.getWeightsMutable().assign(ones);
  }
  if (isa<overlay::VectorInnerOp>(copy) && !hasInputEdges())
    edgesWithoutWeights(layer->getLoc()); // the ends of the edges
  Value result = layer->getResult(0);
  map.map(result, copy->getResult(0));
  RegionOp region = regionOfResult.lookup(result); // of an output
  if (!region) {
    region = addRowsRegion(
        layer->getLoc(), uniqueName(("layer" + Twine(number)).str()),
        getTensorType(result), overlay::RegionRole::Temporary);
    regionOfResult[result] = region;
    // Descriptors of edges are there before the program runs.
    bool ofEdges = region.getKind().getValue() == overlay::RegionKind::Edges;
    temporaries.push_back({region, ofEdges ? 0 : number, number});
    if (ofEdges)
      temporaries.back().last = std::numeric_limits<int64_t>::max();
  }
  overlay::PlaceOp::create(builder, layer->getLoc(), copy->getResult(0),
                           FlatSymbolRefAttr::get(region.getSymNameAttr()));
  return success();
}

bool ProgramBuilder::hasInputEdges() {
  return llvm::any_of(inputs, [](RegionOp region) {
    return region.getKind().getValue() == overlay::RegionKind::Edges;
  });
}

FailureOr<ProgramOp> ProgramBuilder::run() {
  program = ProgramOp::create(builder, func.getLoc(), func.getSymNameAttr(),
                              overlay::graphOf(func), target, partition);
  body = builder.createBlock(&program.getBody());
  for (BlockArgument argument : func.getArguments()) {
    StringAttr name = builder.getStringAttr(nameOf(argument));
    if (name.empty() || !names.insert(name).second)
      return emitError(func.getLoc(), "expected arguments of different names, "
                                      "got '")
             << name.getValue() << "' of argument " << argument.getArgNumber();
  }
  auto returned = cast<func::ReturnOp>(func.front().getTerminator());
  for (auto [i, operand] : llvm::enumerate(returned.getOperands())) {
    Value value = overlay::throughViews(operand);
    if (regionOfResult.contains(value))
      return returned.emitOpError("expected results that are different values, "
                                  "got result ")
             << i << " twice";
    auto named = func.getResultAttrOfType<StringAttr>(i, attribute::name);
    regionOfResult[value] = addRowsRegion(
        value.getLoc(), uniqueName(named ? named.str() : defaultResultName(i)),
        getTensorType(value), overlay::RegionRole::Output);
  }
  int64_t number = 0;
  for (auto layer : func.getOps<overlay::LayerOpInterface>()) {
    builder.setInsertionPointToEnd(body);
    if (failed(addLayer(layer, ++number)))
      return failure();
  }
  uint64_t end = 0;
  for (RegionOp region : llvm::concat<RegionOp>(inputs, outputs)) {
    region.setAddress(end);
    end += region.getBytes();
  }
  SmallVector<overlay::Life> lives;
  for (const Temporary &temporary : temporaries)
    lives.push_back({RegionOp(temporary.region).getBytes(), temporary.first,
                     temporary.last});
  for (auto [temporary, address] :
       llvm::zip(temporaries, overlay::placeByLife(lives, end)))
    temporary.region.setAddress(address);
  return program;
}

uint64_t gnn::overlay::memoryEnd(ProgramOp program) {
  uint64_t end = 0;
  for (auto region : program.getBody().getOps<RegionOp>())
    end = std::max(end, region.getAddress() + region.getBytes());
  return end;
}

FailureOr<ProgramOp> gnn::overlay::makeProgram(func::FuncOp func,
                                               OverlayTargetAttr target,
                                               PartitionAttr partition) {
  return ProgramBuilder(func, target, partition).run();
}
