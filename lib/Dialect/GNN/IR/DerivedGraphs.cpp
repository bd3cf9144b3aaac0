//===- DerivedGraphs.cpp - Graphs made of edges of others, and their rows -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verification.h"

#include "GNN/Dialect/GNN/IR/GNNRowOps.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::detail;

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

/// Verifies the edge types of a graph that is derived by loops.
static LogicalResult verifyLoopTypes(GraphOp graph, GraphOp parent) {
  if (!graph.getLoops())
    return success();
  int64_t types = parent.getEdgeTypes(),
          loopType = graph.getLoopType().value_or(0);
  if (loopType < 0 || loopType > types)
    return graph.emitOpError("expected a type of new loops from 0 to ")
           << types << ", got " << loopType;
  int64_t expected = types + (graph.addsLoops() && loopType == types);
  if (graph.getShards() ||
      static_cast<int64_t>(graph.getEdgeTypes()) == expected)
    return success();
  return graph.emitOpError("expected ")
         << expected << " edge types, those of @" << parent.getSymName()
         << (expected > types ? " and that of new loops" : "") << ", got "
         << graph.getEdgeTypes();
}

LogicalResult GraphOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!isDerived())
    return success();
  auto parent =
      symbols.lookupNearestSymbolFrom<GraphOp>(*this, getParentGraphAttr());
  if (!parent) // C8
    return emitOpError("is derived from @")
           << *getParentGraph()
           << ", which no gnn.graph of the module declares";
  if (parent.isDerived()) // C8
    return emitOpError("is derived from @")
           << *getParentGraph() << ": expected a graph that is not derived, "
           << "such as @" << *parent.getParentGraph();
  int64_t parentTypes = parent.getEdgeTypes();
  for (int64_t type : getParentTypes().value_or(ArrayRef<int64_t>()))
    if (type < 0 || type >= parentTypes) // C9
      return emitOpError("expected edge types of @")
             << *getParentGraph() << " from 0 to under " << parentTypes
             << ", got " << type;
  if (failed(verifyLoopTypes(*this, parent))) // C14
    return failure();
  if (parent.getKind() != getKind()) // C10
    return emitOpError("expected a ")
           << stringifyGraphKind(parent.getKind()) << " graph as @"
           << *getParentGraph() << " is, got a "
           << stringifyGraphKind(getKind()) << " one";
  if (parent.getNodeTypes() != getNodeTypes()) // C10
    return emitOpError("expected the ")
           << parent.getNodeTypes() << " node types of @" << *getParentGraph()
           << ", got " << getNodeTypes();
  if (parent.getStatsAttr() && getStatsAttr()) { // C12
    StatsAttr expected = deriveStats(parent.getStatsAttr());
    StatsAttr stats = getStatsAttr();
    bool byTypes = getParentTypes().has_value() && !getShards();
    auto counts = [&](StatsAttr stats) {
      return std::tuple(stats.getSrcNodes(), stats.getDstNodes(),
                        byTypes ? stats.getTypeEdges() : nullptr,
                        byTypes ? stats.getSrcPairs() : nullptr,
                        byTypes ? stats.getDstPairs() : nullptr);
    };
    if (counts(stats) != counts(expected))
      return emitOpError("expected the nodes, ")
             << (byTypes ? "and the edges and pairs of each type, " : "")
             << "as the stats of @" << *getParentGraph()
             << " count them: " << expected << ", got " << stats;
  }
  if (!parent.getSchema() || !getSchema())
    return success();
  for (auto [index, type] : llvm::enumerate(getTypesOfParent()))
    for (EndPoint end : {EndPoint::Src, EndPoint::Dst})
      if (getNodeTypeOf(index, end) != parent.getNodeTypeOf(type, end)) // C11
        return emitOpError("schema of edge type ")
               << index << ": expected the " << stringifyEndPoint(end)
               << " node type " << parent.getNodeTypeOf(type, end) << " of @"
               << *getParentGraph() << "'s edge type " << type << ", got "
               << getNodeTypeOf(index, end);
  return success();
}

SmallVector<int64_t> GraphOp::getTypesOfParent() {
  if (getShards())
    return {};
  if (auto types = getParentTypes())
    return llvm::to_vector(*types);
  // All, in their order; a further type is of new loops alone.
  int64_t count = getEdgeTypes();
  auto parent = SymbolTable::lookupNearestSymbolFrom<GraphOp>(
      *this, getParentGraphAttr());
  if (parent)
    count = std::min<int64_t>(count, parent.getEdgeTypes());
  return llvm::to_vector(llvm::seq<int64_t>(0, count));
}

StatsAttr GraphOp::deriveStats(StatsAttr ofParent) {
  StatsAttr stats = ofParent;
  if (auto types = getParentTypes())
    stats = stats.restrictTo(*types);
  if (addsLoops())
    stats = stats.withLoops(*getLoopType());
  return getShards() ? stats.shard(*getShardEnd(), *getShards()) : stats;
}

GraphOp GraphOp::derive(ArrayRef<int64_t> types) {
  auto module = cast<ModuleOp>((*this)->getParentOp());
  for (auto graph : module.getOps<GraphOp>())
    if (graph.getParentGraph() == getSymName() &&
        graph.getParentTypes() == types)
      return graph;
  SmallVector<int64_t> ends;
  if (getSchema())
    for (int64_t type : types)
      ends.append({getNodeTypeOf(type, EndPoint::Src),
                   getNodeTypeOf(type, EndPoint::Dst)});
  OpBuilder builder(getContext());
  auto graph = GraphOp::create(
      builder, getLoc(), builder.getStringAttr(getSymName() + "_part"),
      getKindAttr(), FlatSymbolRefAttr::get(*this),
      builder.getDenseI64ArrayAttr(types), LoopsKindAttr(), IntegerAttr(),
      IntegerAttr(), EndPointAttr(), getNodeTypesAttr(),
      builder.getI64IntegerAttr(types.size()),
      getSchema() ? builder.getDenseI64ArrayAttr(ends) : nullptr, UnitAttr(),
      UnitAttr(), getStatsAttr() ? getStatsAttr().restrictTo(types) : nullptr);
  SymbolTable(module).insert(graph, std::next(Block::iterator(*this)));
  return graph;
}

GraphOp GraphOp::shard(EndPoint end, int64_t count) {
  auto module = cast<ModuleOp>((*this)->getParentOp());
  FlatSymbolRefAttr parent =
      isDerived() ? getParentGraphAttr() : FlatSymbolRefAttr::get(*this);
  for (auto graph : module.getOps<GraphOp>())
    if (graph.getParentGraphAttr() == parent && graph.getShards() == count &&
        graph.getShardEnd() == end &&
        graph.getParentTypesAttr() == getParentTypesAttr() &&
        graph.getLoopsAttr() == getLoopsAttr() &&
        graph.getLoopTypeAttr() == getLoopTypeAttr())
      return graph;
  OpBuilder builder(getContext());
  auto graph = GraphOp::create(
      builder, getLoc(), builder.getStringAttr(getSymName() + "_shards"),
      getKindAttr(), parent, getParentTypesAttr(), getLoopsAttr(),
      getLoopTypeAttr(), builder.getI64IntegerAttr(count),
      EndPointAttr::get(getContext(), end), getNodeTypesAttr(),
      builder.getI64IntegerAttr(count), /*schema=*/nullptr, UnitAttr(),
      UnitAttr(),
      /*stats=*/nullptr);
  SymbolTable(module).insert(graph, std::next(Block::iterator(*this)));
  return graph;
}

//===----------------------------------------------------------------------===//
// restrict_rows, expand_rows
//===----------------------------------------------------------------------===//

/// Verifies that both are rows of one space that has fewer rows in a derived
/// graph.
static LogicalResult verifyDerivedRows(EmitError emitError,
                                       RankedTensorType input,
                                       RankedTensorType result) {
  RowSpace space = *getRowSpace(input);
  if (space != RowSpace::Edge && space != RowSpace::EdgeType &&
      space != RowSpace::SrcPair && space != RowSpace::DstPair)
    return emitError() << "expected edge, edge_type, src_pair or dst_pair "
                          "rows, got "
                       << stringifyRowSpace(space) << " rows";
  if (space == getRowSpace(result))
    return success();
  return emitError() << "expected " << stringifyRowSpace(space)
                     << " rows of result, got "
                     << stringifyRowSpace(*getRowSpace(result)) << " rows";
}

/// The declared graph of rows.
static GraphOp findGraph(Operation *op, SymbolTableCollection &symbols,
                         Type rows) {
  return symbols.lookupNearestSymbolFrom<GraphOp>(op, getRows(rows).getGraph());
}

/// Verifies the paths that lead from rows of the graph of `part` to those of
/// its parent, the graph of `whole`.
static LogicalResult verifyDerivedFrom(Operation *op,
                                       SymbolTableCollection &symbols,
                                       Type part, Type whole) {
  if (failed(verifyGraphSymbols(op, symbols)))
    return failure();
  FlatSymbolRefAttr parent = getRows(whole).getGraph();
  if (findGraph(op, symbols, part).getParentGraphAttr() == parent)
    return success();
  return op->emitOpError("expected rows of a graph derived from @")
         << parent.getValue() << ", got rows of @"
         << getRows(part).getGraph().getValue();
}

LogicalResult RestrictRowsOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  auto input = getInput().getType(), result = getResult().getType();
  if (failed(verifyDerivedRows(emitError, input, result))) // C1
    return failure();
  return verifySameFeatures(emitError, input, result, "result"); // C2
}

LogicalResult RestrictRowsOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (failed(verifyDerivedFrom(*this, symbols, getType(),
                               getInput().getType()))) // C3
    return failure();
  if (findGraph(*this, symbols, getType()).addsLoops()) // C4
    return emitOpError("expected rows of a graph without new self loops, got "
                       "rows of @")
           << getRows(getType()).getGraph().getValue()
           << ": gnn.extend_edges gives those of its edges";
  return success();
}

LogicalResult ExpandRowsOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  for (Type type : getInputs().getTypes()) {
    auto input = cast<RankedTensorType>(type);
    if (failed(verifyDerivedRows(emitError, input, getType())) || // C1
        failed(verifySameFeatures(emitError, input, getType(),
                                  "result"))) // C2
      return failure();
  }
  return success();
}

LogicalResult ExpandRowsOp::verifySymbolUses(SymbolTableCollection &symbols) {
  llvm::SmallDenseMap<int64_t, FlatSymbolRefAttr> graphOfType;
  for (Type type : getInputs().getTypes()) {
    if (failed(verifyDerivedFrom(*this, symbols, type, getType()))) // C3
      return failure();
    FlatSymbolRefAttr name = getRows(type).getGraph();
    GraphOp graph = findGraph(*this, symbols, type);
    if (graph.addsLoops() && getRowSpace(type) != RowSpace::Edge) // C5
      return emitOpError("expected edge rows of @")
             << name.getValue() << ", which has new self loops, got "
             << stringifyRowSpace(*getRowSpace(type)) << " rows";
    for (int64_t edgeType : graph.getTypesOfParent()) // C4
      if (auto [other, isNew] = graphOfType.insert({edgeType, name}); !isNew)
        return emitOpError("expected graphs without a common edge type, got "
                           "type ")
               << edgeType << " in @" << other->second.getValue() << " and @"
               << name.getValue();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// extend_edges, loop_rows
//===----------------------------------------------------------------------===//

/// Verifies that `type` has rows of this space.
static LogicalResult verifyRowsOf(EmitError emitError, Type type,
                                  RowSpace space, StringRef what) {
  if (getRowSpace(type) == space)
    return success();
  return emitError() << "expected " << stringifyRowSpace(space) << " rows of "
                     << what << ", got "
                     << stringifyRowSpace(*getRowSpace(type)) << " rows";
}

/// Verifies that the graph of the rows of edges `looped` is that of `parent`
/// with new self loops.
static LogicalResult verifyLooped(Operation *op, SymbolTableCollection &symbols,
                                  Type looped, Type parent) {
  if (failed(verifyDerivedFrom(op, symbols, looped, parent)))
    return failure();
  if (findGraph(op, symbols, looped).addsLoops())
    return success();
  return op->emitOpError("expected edge rows of a graph with new self loops, "
                         "got rows of @")
         << getRows(looped).getGraph().getValue();
}

LogicalResult ExtendEdgesOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  RankedTensorType edges = getEdges().getType(), nodes = getNodes().getType();
  if (failed(verifyRowsOf(emitError, edges, RowSpace::Edge, "edges")) || // C1
      failed(verifyRowsOf(emitError, nodes, RowSpace::Node, "nodes")) ||
      failed(verifyRowsOf(emitError, getType(), RowSpace::Edge, "result")))
    return failure();
  return failure(
      failed(verifySameFeatures(emitError, edges, nodes, "nodes")) || // C2
      failed(verifySameFeatures(emitError, edges, getType(), "result")));
}

LogicalResult ExtendEdgesOp::verifySymbolUses(SymbolTableCollection &symbols) {
  for (Type type : getOperandTypes())
    if (failed(verifyLooped(*this, symbols, getType(), type))) // C3
      return failure();
  return success();
}

LogicalResult LoopRowsOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  RankedTensorType input = getInput().getType();
  if (failed(verifyRowsOf(emitError, input, RowSpace::Edge, "input")) || // C1
      failed(verifyRowsOf(emitError, getType(), RowSpace::Node, "result")))
    return failure();
  return verifySameFeatures(emitError, input, getType(), "result"); // C2
}

LogicalResult LoopRowsOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyLooped(*this, symbols, getInput().getType(), getType()); // C3
}
