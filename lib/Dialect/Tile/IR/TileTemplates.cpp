//===- TileTemplates.cpp - Interface of templates -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TileOpInterface of the three templates: graph, sizes, accesses, structures,
// effects and costs. Schedules and layouts are in TraverseLayout.cpp and
// ProductLayout.cpp.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Dialect/Tile/IR/ProductLayout.h"
#include "GNN/Dialect/Tile/IR/Ranges.h"
#include "GNN/Dialect/Tile/IR/TraverseLayout.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

static FailureOr<GraphOp> findGraph(Operation *op, FlatSymbolRefAttr name,
                                    SymbolTableCollection &symbols) {
  auto graph = symbols.lookupNearestSymbolFrom<GraphOp>(op, name);
  if (graph)
    return graph;
  return op->emitOpError("is on @")
         << name.getValue() << ", which no gnn.graph of the module declares";
}

/// Checks that a graph has the rows of `space`.
static LogicalResult verifyHasRows(Operation *op, GraphOp graph, Space space) {
  if (isOfParent(space) && !graph.isDerived())
    return op->emitOpError("expected rows of a graph that is not derived, as @")
           << graph.getSymName() << ", got '" << name(space) << "'";
  bool ofLoops = space == Space::ParentLoop;
  if (isOfParent(space) &&
      (graph.addsLoops() ? !ofLoops && space != Space::ParentEdge : ofLoops))
    return op->emitOpError("expected rows of a graph with")
           << (ofLoops ? "out" : "") << " new self loops, as @"
           << graph.getSymName() << ", got '" << name(space) << "'";
  if (isOfParent(space) && graph.getShards() && !ofLoops &&
      space != Space::ParentEdge)
    return op->emitOpError("expected rows of a graph whose edge types are not "
                           "shards, as those of @")
           << graph.getSymName() << " are, got '" << name(space) << "'";
  if (space == Space::Node && graph.getKind() != GraphKind::Square)
    return op->emitOpError("expected rows of a bipartite graph, as @")
           << graph.getSymName() << ", got '" << name(space) << "'";
  return success();
}

/// Checks that a graph has the rows that an index array is about.
static LogicalResult verifyHasStructure(Operation *op, GraphOp graph,
                                        const StructureKey &key) {
  Space other =
      key.kind == StructureKey::Kind::Map ? key.target.space : key.group;
  return failure(failed(verifyHasRows(op, graph, key.elements.space)) ||
                 failed(verifyHasRows(op, graph, other)));
}

static LogicalResult verifyHasRows(Operation *op, GraphOp graph,
                                   RowDomain rows) {
  if (rows.isTiles())
    return verifyHasStructure(op, graph, rows.getTiles());
  return rows.isOfGraph() ? verifyHasRows(op, graph, rows.get().space)
                          : success();
}

LogicalResult CountOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<GraphOp> graph = findGraph(*this, getGraphAttr(), symbols);
  if (failed(graph)) // C1
    return failure();
  CountKey key = getOf();
  if (failed(verifyHasRows(*this, *graph, key.space))) // C1
    return failure();
  return key.kind == CountKey::Kind::Count
             ? success()
             : verifyHasRows(*this, *graph, key.elements.space); // C1
}

LogicalResult StructureOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FailureOr<GraphOp> graph = findGraph(*this, getGraphAttr(), symbols);
  if (failed(graph)) // C2
    return failure();
  return verifyHasStructure(*this, *graph, getKey()); // C2
}

static LogicalResult verifyGraph(TileOpInterface op,
                                 SymbolTableCollection &symbols) {
  FailureOr<GraphOp> graph = findGraph(op, op.getGraphAttr(), symbols);
  if (failed(graph) || failed(verifyHasRows(op, *graph, op.getGroups())) ||
      failed(verifyHasRows(op, *graph, op.getElements())))
    return failure();
  for (OpOperand &operand : op->getOpOperands())
    if (AtAttr at = op.getAccess(operand))
      if (failed(verifyHasRows(op, *graph, at.getSpace())))
        return failure();
  for (const StructureKey &key : op.getStructures())
    if (failed(verifyHasStructure(op, *graph, key)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Shared pieces
//===----------------------------------------------------------------------===//

static void
collectEffects(TileOpInterface op,
               SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  auto destination = cast<DestinationStyleOpInterface>(*op);
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    if (destination.isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand,
                           SideEffects::DefaultResource::get());
    else
      effects.emplace_back(MemoryEffects::Read::get(), &operand,
                           SideEffects::DefaultResource::get());
  }
}

static int64_t bytesOf(Type type) {
  return getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8;
}

/// The columns that are written of an output whose rows are reached from
/// `from`.
static ColumnRange rangeOf(Type type, AtAttr at, RowDomain from,
                           int64_t features) {
  if (at.getSpace() && !at.getSpace().hasSpaceOf(from))
    return {0, 0, false, true};
  if (!at.getFeature())
    return {0, 1, true};
  int64_t begin = at.getOffset(), end = begin + features;
  return {begin, end,
          begin == 0 && end == cast<ShapedType>(type).getShape().back()};
}

using StructureSet = llvm::SmallSetVector<StructureKeyAttr, 4>;

/// The index arrays of a template, each once, in the order of their use.
static SmallVector<StructureKey> unwrap(const StructureSet &keys) {
  return llvm::map_to_vector(
      keys, [](StructureKeyAttr key) { return key.getValue(); });
}

static StructureKeyAttr wrap(MLIRContext *context, const StructureKey &key) {
  return StructureKeyAttr::get(context, key);
}

bool gnn::tile::isMapped(TileOpInterface op, RowDomain from, RowDomain to) {
  return isMapped(
      SymbolTable::lookupNearestSymbolFrom<GraphOp>(op, op.getGraphAttr()),
      from, to);
}

/// Adds the map that leads from `from` to the rows of an access, if one does.
static void addMap(StructureSet &keys, MLIRContext *context, RowDomain from,
                   AtAttr at) {
  if (at.getSpace() && needsMap(from, at.getSpace()))
    keys.insert(wrap(context, getMapKey(from, at.getSpace())));
}

/// The bytes of all index arrays of a template, each read once.
static CountSum bytesOfStructures(TileOpInterface op) {
  CountSum entries;
  for (const StructureKey &key : op.getStructures())
    entries += CountSum::entries(key);
  return entries * 4;
}

//===----------------------------------------------------------------------===//
// traverse
//===----------------------------------------------------------------------===//

LogicalResult TraverseOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyGraph(*this, symbols); // C8
}

void TraverseOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  collectEffects(*this, effects);
  if (!isByEdges())
    return;
  for (OpOperand &part : getPartsMutable())
    if (isa<MemRefType>(part.get().getType()))
      effects.emplace_back(MemoryEffects::Write::get(), &part,
                           SideEffects::DefaultResource::get());
}

RowDomain TraverseOp::getGroups() { return getDomain().getGroups(); }
RowDomain TraverseOp::getElements() { return getDomain().getElements(); }
RowDomain TraverseOp::getStart(AtAttr at) {
  return at.getStart(getGroups(), getElements());
}
Block *TraverseOp::getScalarBody() { return &getBody().front(); }

AtAttr TraverseOp::getAccess(OpOperand &operand) {
  unsigned number = operand.getOperandNumber(), inputs = getInputs().size();
  if (number < inputs)
    return getInputAt(number);
  unsigned output = number - inputs; // or where the range is, or an index array
  return output < getOutputs().size() ? getOutputAt(output) : AtAttr();
}

ColumnRange TraverseOp::getWrittenColumns(OpOperand &output) {
  AtAttr at = getAccess(output);
  bool isElement = at.getAnchor() == Anchor::Element;
  if (isElement && getGroups().isLongTiles())
    return {0, 0, false, /*isOfSomeRows=*/true};
  Type type = output.get().getType();
  ColumnRange range = rangeOf(type, at, isElement ? getElements() : getGroups(),
                              getDomain().getFeatures());
  if (!isElement || !getPartsOf() || !range.isWhole)
    return range;
  // Elements of long groups have their rows from the traversal of their tiles.
  int64_t columns = cast<ShapedType>(type).getShape().back();
  return {0, ShapedType::isDynamic(columns) ? 1 : columns};
}

SmallVector<OpOperand *> TraverseOp::getReadInputs() {
  SmallVector<OpOperand *> inputs;
  for (BlockArgument argument : getBody().getArguments())
    if (!argument.use_empty())
      inputs.push_back(&(*this)->getOpOperand(argument.getArgNumber()));
  return inputs;
}

SmallVector<StructureKey> TraverseOp::getStructures() {
  MLIRContext *context = getContext();
  RowDomain groups = getGroups(), elements = getElements();
  StructureSet keys;
  if (auto order = TraverseSchedule(*this).rowOrder)
    if (std::optional<StructureKey> key = getOrderKey(groups, *order))
      keys.insert(wrap(context, *key));
  if (elements && !isCyclic()) // whose elements say their groups
    keys.insert(wrap(context, getRowsKey(groups, elements)));
  if (std::optional<StructureKey> merged = getMergedKey(*this)) {
    keys.insert(wrap(context, StructureKey::mergedRows(*merged)));
    keys.insert(wrap(context, *merged));
  }
  bool isStreamed = readsStreams();
  if (isStreamed) {
    Space group = groups.get().space;
    OrderedSpace order = elements.get();
    int64_t block = TraverseSchedule(*this).getBlockPositions();
    keys.insert(wrap(context, StructureKey::filled(group, order)));
    keys.insert(wrap(context, StructureKey::shares(group, order, block)));
    for (RowDomain target : getStreamTargets())
      keys.insert(
          wrap(context, StructureKey::stream(group, order, target.get())));
  } else if (isCyclic()) {
    for (RowDomain target : getMapTargets())
      keys.insert(wrap(context, getMapKey(elements, target)));
  } else if (getPartsOf()) {
    keys.insert(wrap(context, joinsPieces()
                                  ? getPartsOf()->getTiles()
                                  : getRowsKey(groups, *getPartsOf())));
  }
  auto add = [&](AtAttr at) {
    bool isElement = at.getAnchor() == Anchor::Element;
    if (std::optional<StructureKey> rows = getSearchedKey(*this, at))
      keys.insert(wrap(context, *rows));
    else if (!isElement || !isStreamed)
      addMap(keys, context, isElement ? elements : groups, at);
  };
  for (OpOperand *input : getReadInputs())
    add(getAccess(*input));
  for (unsigned i = 0; i < getOutputs().size(); ++i)
    add(getOutputAt(i));
  getBody().walk([&](IndexOp index) { add(index.getAt()); });
  return unwrap(keys);
}

TileCost TraverseOp::getCost() {
  DomainAttr domain = getDomain();
  auto columnsAt = [&](Level level) {
    return (level.head ? domain.getHeads() : 1) *
           (level.feature ? domain.getFeatures() : 1);
  };
  auto pointsAt = [&](Level level) {
    return (level.element   ? countWalked()
            : joinsPieces() ? CountSum::rows(getPositions())
                            : CountSum::rows(getGroups())) *
           columnsAt(level);
  };
  TileCost cost;
  // Each tile of columns walks the elements again.
  int64_t columns = TraverseSchedule(*this).columnsPerBlock;
  int64_t walks = columns ? llvm::divideCeil(domain.getFeatures(), columns) : 1;
  CountSum entries;
  std::optional<StructureKey> merged = getMergedKey(*this);
  for (const StructureKey &key : getStructures()) {
    if (merged && key == StructureKey::map(merged->elements, merged->target))
      continue; // entries have what it has
    bool ofElements = key.hasTarget() && !key.isMerged() && getElements() &&
                      RowDomain(key.elements) == getElements();
    entries += ofElements ? countWalked() : CountSum::entries(key);
  }
  cost.readBytes = entries * (4 * walks);
  if (getPartsOf())
    for (Value reduced : getReduced()) {
      CountSum parts =
          CountSum::rows(*getPartsOf()) * columnsAt(getLevel(reduced));
      (isByEdges() ? cost.writtenBytes : cost.readBytes) +=
          parts * bytesOf(reduced.getType());
      cost.flops += parts;
    }
  for (OpOperand &output : getDpsInitsMutable())
    if (!isInWorkgroup(output.get()))
      cost.writtenBytes += pointsAt(getLevel(getAccess(output))) *
                           bytesOf(output.get().getType());
  for (OpOperand *input : getReadInputs()) {
    AtAttr at = getAccess(*input);
    auto type = cast<ShapedType>(input->get().getType());
    if (at.getAnchor() == Anchor::All)
      cost.readBytes += type.getNumElements() * bytesOf(type);
    else if (merged && at.getAnchor() == Anchor::Element &&
             at.getSpace() == RowDomain(merged->target))
      cost.readBytes += CountSum(CountKey::mergedCount(*merged)) *
                        (columnsAt(getLevel(at)) * bytesOf(type) *
                         (at.getFeature() ? 1 : walks));
    else
      cost.readBytes += pointsAt(getLevel(at)) *
                        (bytesOf(type) * (at.getFeature() ? 1 : walks));
  }
  for (Operation &inner : getBody().front().without_terminator()) {
    std::optional<Level> level = getFloatLevel(inner);
    if (!level)
      continue;
    if (isa<SoftmaxSumOp>(inner)) // a power, and a product and a sum each
      for (Value result : inner.getResults()) {
        Level own = getLevel(result);
        own.element = true;
        cost.flops += pointsAt(own) * (own.feature ? 2 : 2 * walks);
      }
    else
      cost.flops += pointsAt(*level) * (level->feature ? 1 : walks);
  }
  return cost;
}

//===----------------------------------------------------------------------===//
// gemm
//===----------------------------------------------------------------------===//

bool GemmOp::weightHasHeads() {
  return cast<ShapedType>(getWeight().getType()).getRank() >
         2 + (getTypes() ? 1 : 0);
}

int64_t GemmOp::getHeads() {
  return getOutputAt().getHead()
             ? cast<ShapedType>(getOutput().getType()).getDimSize(1)
             : 1;
}

int64_t GemmOp::getIn() {
  ArrayRef<int64_t> tail =
      cast<ShapedType>(getWeight().getType()).getShape().take_back(2);
  return getTransposed() ? tail[1] : tail[0];
}

int64_t GemmOp::getOut() {
  ArrayRef<int64_t> tail =
      cast<ShapedType>(getWeight().getType()).getShape().take_back(2);
  return getTransposed() ? tail[0] : tail[1];
}

LogicalResult GemmOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyGraph(*this, symbols); // C8
}

void GemmOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  collectEffects(*this, effects);
}

RowDomain GemmOp::getGroups() { return getRows(); }
RowDomain GemmOp::getElements() { return {}; }
RowDomain GemmOp::getStart(AtAttr) { return getRows(); }
Block *GemmOp::getScalarBody() { return &getBody().front(); }

AtAttr GemmOp::getAccess(OpOperand &operand) {
  unsigned number = operand.getOperandNumber();
  if (number == 0)
    return getInputAt();
  if (isDpsInit(&operand))
    return getOutputAt();
  bool isExtra = number > 1 && number - 2 < getExtras().size();
  return isExtra ? getExtraAt(number - 2) : AtAttr();
}

ColumnRange GemmOp::getWrittenColumns(OpOperand &output) {
  return rangeOf(output.get().getType(), getOutputAt(), getRows(), getOut());
}

SmallVector<StructureKey> GemmOp::getStructures() {
  MLIRContext *context = getContext();
  StructureSet keys;
  if (getTypes() && getTypes()->isOfGraph())
    keys.insert(wrap(context, StructureKey::tiles(getTypes()->get().space,
                                                  getRows().get(),
                                                  ProductLayout::rows)));
  if (getWeights())
    keys.insert(wrap(
        context, StructureKey::map(getTypes()->get(), getWeights()->get())));
  for (OpOperand &operand : (*this)->getOpOperands()) {
    AtAttr at = getAccess(operand);
    // An operand of a tile's type needs no look-up for each row.
    bool isOfType =
        at && at.getSpace() &&
        (at.getSpace() == getTypes() || at.getSpace() == getWeights());
    if (at &&
        !(isOfType && operand.getOperandNumber() > 1 && !isDpsInit(&operand)))
      addMap(keys, context, getRows(), at);
  }
  return unwrap(keys);
}

/// Rows are read and written once, those in workgroup memory not, weights and
/// extras of all rows or of a type once in all, and other extras once a row.
TileCost GemmOp::getCost() {
  CountSum rows = CountSum::rows(getRows());
  int64_t heads = getHeads(), in = getIn(), out = getOut();
  int64_t bytes = bytesOf(getOutput().getType());
  auto weight = cast<ShapedType>(getWeight().getType());
  CountSum elements;
  if (!isInWorkgroup(getInput()))
    elements += rows * (heads * in);
  if (getWeights()) // one a type, of more
    elements += CountSum::rows(*getTypes()) *
                ShapedType::getNumElements(weight.getShape().drop_front());
  else
    elements += weight.getNumElements();
  TileCost cost;
  cost.readBytes = elements * bytes + bytesOfStructures(*this);
  for (auto [i, extra] : llvm::enumerate(getExtras())) {
    auto type = cast<ShapedType>(extra.getType());
    AtAttr at = getExtraAt(i);
    bool isOfType = at.getSpace() && (at.getSpace() == getTypes() ||
                                      at.getSpace() == getWeights());
    CountSum entries;
    if (type.hasStaticShape() &&
        (at.getAnchor() == Anchor::All || isOfType)) // as weights
      entries = type.getNumElements();
    else
      entries = (isOfType ? CountSum::rows(at.getSpace()) : rows) *
                ShapedType::getNumElements(type.getShape().drop_front());
    cost.readBytes += entries * bytesOf(type);
  }
  cost.writtenBytes = rows * (heads * out * bytes);
  cost.flops = rows * (2 * heads * in * out);
  return cost;
}

//===----------------------------------------------------------------------===//
// outer
//===----------------------------------------------------------------------===//

int64_t OuterOp::getIn() {
  return cast<ShapedType>(getOutput().getType()).getShape().drop_back().back();
}

int64_t OuterOp::getOut() {
  return cast<ShapedType>(getOutput().getType()).getShape().back();
}

int64_t OuterOp::getHeads() {
  if (cast<AtAttr>(getInputsAt()[0]).getHead())
    return cast<ShapedType>(getLeft().getType()).getDimSize(1);
  if (cast<AtAttr>(getInputsAt()[1]).getHead())
    return cast<ShapedType>(getRight().getType()).getDimSize(1);
  return 0;
}

bool OuterOp::sumsHeads() {
  int64_t rank = cast<ShapedType>(getOutput().getType()).getRank();
  return getHeads() && rank == (getTypes() ? 3 : 2);
}

LogicalResult OuterOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyGraph(*this, symbols); // C4
}

void OuterOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  collectEffects(*this, effects);
}

RowDomain OuterOp::getGroups() {
  return getTypes().value_or(RowDomain(Space::Graph));
}
RowDomain OuterOp::getElements() { return getRows(); }
RowDomain OuterOp::getStart(AtAttr) { return getRows(); }
Block *OuterOp::getScalarBody() { return nullptr; }

AtAttr OuterOp::getAccess(OpOperand &operand) {
  unsigned number = operand.getOperandNumber();
  return number < 2 ? cast<AtAttr>(getInputsAt()[number]) : AtAttr();
}

ColumnRange OuterOp::getWrittenColumns(OpOperand &output) {
  return {0, cast<ShapedType>(output.get().getType()).getShape().back(), true};
}

SmallVector<StructureKey> OuterOp::getStructures() {
  MLIRContext *context = getContext();
  StructureSet keys;
  if (getTypes() && !getTypes()->isFixed())
    keys.insert(wrap(context, getRowsKey(*getTypes(), getRows())));
  for (AtAttr at : getInputsAt().getAsRange<AtAttr>())
    addMap(keys, context, getRows(), at);
  return unwrap(keys);
}

/// Rows are read once, the matrices and sums written once: one a type, or one a
/// tile.
TileCost OuterOp::getCost() {
  CountSum rows = CountSum::rows(getRows());
  auto output = cast<ShapedType>(getOutput().getType());
  int64_t heads = std::max<int64_t>(1, getHeads());
  int64_t in = getIn(), out = getOut();
  TileCost cost;
  cost.readBytes =
      rows * (heads * (in + out) * bytesOf(output)) + bytesOfStructures(*this);
  ArrayRef<int64_t> shape = output.getShape();
  bool ofTiles = getTypes() && getTypes()->isTiles();
  int64_t entries = ShapedType::getNumElements(shape.drop_front(ofTiles));
  cost.flops = rows * (2 * heads * in * out);
  if (getSums()) {
    int64_t summed = getSummedSide() == 0 ? in : out;
    entries += entries / (in * out) * summed;
    cost.flops += rows * summed;
  }
  cost.writtenBytes =
      (ofTiles ? CountSum::rows(*getTypes()) : 1) * (entries * bytesOf(output));
  return cost;
}
