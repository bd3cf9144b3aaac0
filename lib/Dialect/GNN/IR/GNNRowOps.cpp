//===- GNNRowOps.cpp - Graphs and the paths between rows ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verification.h"

#include "GNN/Dialect/GNN/IR/GNNRowOps.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::detail;

//===----------------------------------------------------------------------===//
// graph
//===----------------------------------------------------------------------===//

/// Parses `[[0, 1], [-1, -1]]` into a flat list of pairs.
static ParseResult parseSchema(OpAsmParser &parser, DenseI64ArrayAttr &schema) {
  SmallVector<int64_t> ends;
  auto parsePair = [&]() -> ParseResult {
    int64_t src, dst;
    if (parser.parseLSquare() || parser.parseInteger(src) ||
        parser.parseComma() || parser.parseInteger(dst) ||
        parser.parseRSquare())
      return failure();
    ends.append({src, dst});
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parsePair))
    return failure();
  schema = parser.getBuilder().getDenseI64ArrayAttr(ends);
  return success();
}

static ParseResult parseCount(OpAsmParser &parser, IntegerAttr &count) {
  int64_t value;
  if (parser.parseInteger(value))
    return failure();
  count = parser.getBuilder().getI64IntegerAttr(value);
  return success();
}

/// Parses `types [0, 2]`, `loops remove`, `loops replace type 0` or `shards 4
/// of src`, which may follow the others.
static ParseResult parseDerivation(OpAsmParser &parser,
                                   DenseI64ArrayAttr &types,
                                   LoopsKindAttr &loops, IntegerAttr &loopType,
                                   IntegerAttr &shards,
                                   EndPointAttr &shardEnd) {
  auto parseWord = [&](auto symbolize, StringRef expected,
                       auto &value) -> ParseResult {
    StringRef text;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&text))
      return failure();
    value = symbolize(text);
    if (value)
      return success();
    return parser.emitError(loc) << "expected " << expected << ", got " << text;
  };
  if (succeeded(parser.parseOptionalKeyword("types"))) {
    types = dyn_cast_if_present<DenseI64ArrayAttr>(
        DenseI64ArrayAttr::parse(parser, Type()));
    if (!types)
      return failure();
  } else if (succeeded(parser.parseOptionalKeyword("loops"))) {
    std::optional<LoopsKind> kind;
    if (parseWord([](StringRef text) { return symbolizeLoopsKind(text); },
                  "remove, add, replace or remaining", kind))
      return failure();
    loops = LoopsKindAttr::get(parser.getContext(), *kind);
    if (succeeded(parser.parseOptionalKeyword("type")) &&
        parseCount(parser, loopType))
      return failure();
  }
  if (failed(parser.parseOptionalKeyword("shards"))) {
    if (types || loops)
      return success();
    return parser.emitError(parser.getCurrentLocation())
           << "expected 'types', 'loops' or 'shards' of the parent";
  }
  std::optional<EndPoint> end;
  if (parseCount(parser, shards) || parser.parseKeyword("of") ||
      parseWord([](StringRef text) { return symbolizeEndPoint(text); },
                "src or dst", end))
    return failure();
  shardEnd = EndPointAttr::get(parser.getContext(), *end);
  return success();
}

static void printDerivation(OpAsmPrinter &printer, Operation *,
                            DenseI64ArrayAttr types, LoopsKindAttr loops,
                            IntegerAttr loopType, IntegerAttr shards,
                            EndPointAttr shardEnd) {
  if (types) {
    printer << "types ";
    types.print(printer);
  }
  if (loops)
    printer << "loops " << stringifyLoopsKind(loops.getValue());
  if (loopType)
    printer << " type " << loopType.getInt();
  if (shards)
    printer << (types || loops ? " " : "") << "shards " << shards.getInt()
            << " of " << stringifyEndPoint(shardEnd.getValue());
}

/// Parses `node_types = N, edge_types = N` with what is optional, in
/// any order.
static ParseResult parseGraphBody(OpAsmParser &parser, IntegerAttr &nodeTypes,
                                  IntegerAttr &edgeTypes,
                                  DenseI64ArrayAttr &schema,
                                  UnitAttr &selfLoops, UnitAttr &dstSorted,
                                  StatsAttr &stats) {
  SMLoc start = parser.getCurrentLocation();
  do {
    StringRef key;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&key) ||
        (key != "self_loops" && key != "dst_sorted" && parser.parseEqual()))
      return failure();
    auto again = [&](Attribute attr) -> ParseResult {
      if (!attr)
        return success();
      return parser.emitError(loc) << "'" << key << "' is given twice";
    };
    if (key == "node_types") {
      if (again(nodeTypes) || parseCount(parser, nodeTypes))
        return failure();
    } else if (key == "edge_types") {
      if (again(edgeTypes) || parseCount(parser, edgeTypes))
        return failure();
    } else if (key == "schema") {
      if (again(schema) || parseSchema(parser, schema))
        return failure();
    } else if (key == "self_loops") {
      if (again(selfLoops))
        return failure();
      selfLoops = parser.getBuilder().getUnitAttr();
    } else if (key == "dst_sorted") {
      if (again(dstSorted))
        return failure();
      dstSorted = parser.getBuilder().getUnitAttr();
    } else if (key == "stats") {
      if (again(stats) || parser.parseAttribute(stats))
        return failure();
    } else {
      return parser.emitError(loc) << "expected node_types, edge_types, "
                                      "schema, self_loops, dst_sorted "
                                      "or stats, got "
                                   << key;
    }
  } while (succeeded(parser.parseOptionalComma()));
  if (!nodeTypes || !edgeTypes)
    return parser.emitError(start)
           << "expected '" << (nodeTypes ? "edge_types" : "node_types")
           << "' of the graph";
  return success();
}

static void printGraphBody(OpAsmPrinter &printer, Operation *,
                           IntegerAttr nodeTypes, IntegerAttr edgeTypes,
                           DenseI64ArrayAttr schema, UnitAttr selfLoops,
                           UnitAttr dstSorted, StatsAttr stats) {
  printer << "node_types = " << nodeTypes.getInt()
          << ", edge_types = " << edgeTypes.getInt();
  if (schema) {
    ArrayRef<int64_t> ends = schema;
    printer << ", schema = [";
    for (size_t i = 0; i + 1 < ends.size(); i += 2)
      printer << (i ? ", [" : "[") << ends[i] << ", " << ends[i + 1] << "]";
    printer << "]";
  }
  if (selfLoops)
    printer << ", self_loops";
  if (dstSorted)
    printer << ", dst_sorted";
  if (stats)
    printer << ", stats = " << stats;
}

/// Verifies the edge types of a graph whose types are ranges of nodes.
static LogicalResult verifyShards(GraphOp graph) {
  if (graph.getShards().has_value() != graph.getShardEnd().has_value())
    return graph.emitOpError("expected the number of shards and the end whose "
                             "nodes they are, or neither");
  if (!graph.getShards())
    return success();
  int64_t shards = *graph.getShards();
  if (shards < 2)
    return graph.emitOpError("expected 2 shards or more, got ") << shards;
  if (static_cast<int64_t>(graph.getEdgeTypes()) != shards)
    return graph.emitOpError("expected an edge type for each of ")
           << shards << " shards, got " << graph.getEdgeTypes();
  if (graph.getSchema())
    return graph.emitOpError("expected no schema: its edge types are shards");
  return success();
}

LogicalResult GraphOp::verify() {
  constexpr int64_t maxTypes = 65535;
  int64_t nodeTypes = getNodeTypes(), edgeTypes = getEdgeTypes();
  for (auto [what, count] :
       {std::pair("node", nodeTypes), std::pair("edge", edgeTypes)})
    if (count < 0 || count > maxTypes) // C1
      return emitOpError("expected 0 to ")
             << maxTypes << " " << what << " types, got " << count;
  if (auto schema = getSchema()) {
    int64_t entries = schema->size();
    if (entries % 2 != 0) // C2
      return emitOpError("schema has pairs of node types: expected an even "
                         "number of entries, got ")
             << entries;
    if (entries != 2 * edgeTypes) // C2
      return emitOpError("schema has a pair of node types for each edge type: "
                         "expected ")
             << edgeTypes << ", got " << entries / 2;
    for (auto [index, type] : llvm::enumerate(*schema))
      if (type < -1 || type >= nodeTypes) // C3
        return emitOpError("schema of edge type ")
               << index / 2 << ": expected a node type below " << nodeTypes
               << " or -1, got " << type;
  }
  if (getParentTypes() && getLoops()) // C6
    return emitOpError("expected a list of edge types or loops, got both");
  if (isDerived() != (getParentTypes() || getLoops() || getShards())) // C6
    return emitOpError("expected a parent and a list of its edge types, loops "
                       "or shards, or neither");
  if (failed(verifyShards(*this))) // C15
    return failure();
  if (auto types = getParentTypes()) {
    if (!getShards() && static_cast<int64_t>(types->size()) != edgeTypes) // C7
      return emitOpError("expected one of the parent's edge types for each of ")
             << edgeTypes << " edge types, got " << types->size();
    for (size_t i = 1; i < types->size(); ++i)
      if ((*types)[i] <= (*types)[i - 1]) // C7
        return emitOpError("expected edge types that ascend, got ")
               << (*types)[i - 1] << " before " << (*types)[i];
  }
  if (getLoops() && getKind() != GraphKind::Square) // C14
    return emitOpError("loops: expected a square graph, got a bipartite one");
  bool needsType = getLoops() && *getLoops() != LoopsKind::Remove;
  if (needsType != addsLoops()) // C14
    return emitOpError(needsType ? "expected the edge type of new loops"
                                 : "expected no edge type of loops: there are "
                                   "no new ones");
  if (getSelfLoops() && (isDerived() || getKind() != GraphKind::Square)) // C13
    return emitOpError("self_loops: expected a square graph, got a ")
           << (isDerived() ? "derived" : "bipartite") << " one";
  if (getDstSorted() && isDerived()) // C16
    return emitOpError("dst_sorted: expected a graph that is not derived");
  StatsAttr stats = getStatsAttr();
  if (!stats)
    return success();
  if (stats.getTypeEdges().size() != edgeTypes) // C4
    return emitOpError("stats count the edges of each edge type: expected ")
           << edgeTypes << ", got " << stats.getTypeEdges().size();
  bool square = getKind() == GraphKind::Square;
  if (square && stats.getSrcNodes() != stats.getDstNodes()) // C5
    return emitOpError("stats of a square graph: expected as many dst_nodes as "
                       "src_nodes, ")
           << stats.getSrcNodes() << ", got " << stats.getDstNodes();
  return success();
}

int64_t GraphOp::getNodeTypeOf(int64_t edgeType, EndPoint end) {
  auto schema = getSchema();
  return schema ? (*schema)[2 * edgeType + (end == EndPoint::Dst)] : -1;
}

bool GraphOp::hasNodeTypesAt(EndPoint end) {
  if (!getSchema())
    return false;
  return llvm::all_of(llvm::seq<int64_t>(0, getEdgeTypes()), [&](int64_t type) {
    return getNodeTypeOf(type, end) >= 0;
  });
}

//===----------------------------------------------------------------------===//
// rebind_rows, prefix_rows, extend_rows
//===----------------------------------------------------------------------===//

LogicalResult RebindRowsOp::verify() {
  auto input = getInput().getType(), result = getResult().getType();
  for (RankedTensorType type : {input, result})
    if (!isNodeSpace(*getRowSpace(type))) // C1
      return emitOpError("expected src, dst or node rows, got ")
             << stringifyRowSpace(*getRowSpace(type)) << " rows";
  if (getRows(input).getGraph() == getRows(result).getGraph()) // C2
    return emitOpError("expected rows of two graphs, got rows of @")
           << getRows(input).getGraph().getValue() << " only";
  return verifySameFeatures([&] { return emitOpError(); }, input, result,
                            "result"); // C3
}

/// Verifies the spaces that an op leads from and to.
static LogicalResult verifyRowsFromTo(EmitError emitError,
                                      RankedTensorType input,
                                      RankedTensorType result, RowSpace from,
                                      RowSpace to) {
  if (getRowSpace(input) == from && getRowSpace(result) == to)
    return success();
  return emitError() << "expected " << stringifyRowSpace(from) << " rows to "
                     << stringifyRowSpace(to) << " rows, got "
                     << stringifyRowSpace(*getRowSpace(input)) << " rows to "
                     << stringifyRowSpace(*getRowSpace(result)) << " rows";
}

LogicalResult PrefixRowsOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  auto input = getInput().getType(), result = getResult().getType();
  if (failed(verifyRowsFromTo(emitError, input, result, RowSpace::Src,
                              RowSpace::Dst))) // C1
    return failure();
  return verifySameFeatures(emitError, input, result, "result"); // C2
}

LogicalResult ExtendRowsOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  auto input = getInput().getType(), result = getResult().getType();
  if (failed(verifyRowsFromTo(emitError, input, result, RowSpace::Dst,
                              RowSpace::Src))) // C1
    return failure();
  return verifySameFeatures(emitError, input, result, "result"); // C2
}

//===----------------------------------------------------------------------===//
// gather
//===----------------------------------------------------------------------===//

void GatherOp::build(OpBuilder &, OperationState &state, Type result,
                     Value input, std::optional<EndPoint> via) {
  state.addTypes(result);
  state.addOperands(input);
  if (via)
    state.getOrAddProperties<Properties>().via =
        EndPointAttr::get(state.getContext(), *via);
}

SmallVector<RowPath> GatherOp::getRowPaths() {
  return {
      {*getRowSpace(getType()), *getRowSpace(getInput().getType()), getVia()}};
}

LogicalResult GatherOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  RowPath path = getRowPaths().front();
  if (failed(verifyPathExists(emitError, path, "input"))) // C1
    return failure();
  if (failed(verifyVia(emitError, path, "input"))) // C2
    return failure();
  return verifySameFeatures(emitError, getInput().getType(), getType(),
                            "result"); // C3
}

//===----------------------------------------------------------------------===//
// aggregate
//===----------------------------------------------------------------------===//

void AggregateOp::build(OpBuilder &, OperationState &state, Type result,
                        ReduceKind kind, Value input,
                        std::optional<EndPoint> via) {
  state.addTypes(result);
  state.addOperands(input);
  auto &properties = state.getOrAddProperties<Properties>();
  properties.kind = ReduceKindAttr::get(state.getContext(), kind);
  if (via)
    properties.via = EndPointAttr::get(state.getContext(), *via);
}

SmallVector<RowPath> AggregateOp::getRowPaths() {
  return {{*getRowSpace(getInput().getType()),
           *getRowSpace(getResult().getType()), getVia()}};
}

LogicalResult AggregateOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  auto input = getInput().getType(), result = getResult().getType();
  RowPath path = getRowPaths().front();
  if (failed(verifyPathExists(emitError, path, "result"))) // C1
    return failure();
  if (failed(verifyVia(emitError, path, "result"))) // C2
    return failure();
  if (failed(verifySameFeatures(emitError, input, result, "result"))) // C3
    return failure();
  if (input.getElementType() != result.getElementType()) // C3
    return emitOpError("expected ")
           << input.getElementType() << " features of result, got "
           << result.getElementType();
  if (!getArgument())
    return success();
  if (getKind() != ReduceKind::Max && getKind() != ReduceKind::Min) // C4
    return emitOpError("expected max or min for an argument, got ")
           << stringifyReduceKind(getKind());
  auto argument = cast<RankedTensorType>(getArgument().getType());
  if (failed(verifySameRows(emitError, result, argument, "argument"))) // C5
    return failure();
  return verifySameFeatures(emitError, result, argument, "argument"); // C5
}

//===----------------------------------------------------------------------===//
// pick
//===----------------------------------------------------------------------===//

SmallVector<RowPath> PickOp::getRowPaths() {
  return {
      {*getRowSpace(getType()), *getRowSpace(getInput().getType()), getVia()}};
}

LogicalResult PickOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  auto input = getInput().getType(), result = getResult().getType();
  RowPath path = getRowPaths().front();
  if (failed(verifyPathExists(emitError, path, "input"))) // C1
    return failure();
  if (failed(verifyVia(emitError, path, "input"))) // C2
    return failure();
  if (failed(verifySameFeatures(emitError, input, result, "result"))) // C3
    return failure();
  if (input.getElementType() != result.getElementType()) // C3
    return emitOpError("expected ")
           << input.getElementType() << " features of result, got "
           << result.getElementType();
  auto argument = getArgument().getType();
  if (failed(verifySameRows(emitError, input, argument, "argument"))) // C4
    return failure();
  return verifySameFeatures(emitError, input, argument, "argument"); // C4
}

//===----------------------------------------------------------------------===//
// degree
//===----------------------------------------------------------------------===//

SmallVector<RowPath> DegreeOp::getRowPaths() {
  return {{getOf(), *getRowSpace(getType()), getVia()}};
}

LogicalResult DegreeOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  RowPath path = getRowPaths().front();
  if (failed(verifyPathExists(emitError, path, "result"))) // C1
    return failure();
  if (failed(verifyVia(emitError, path, "result"))) // C2
    return failure();
  if (!getFeatures(getType()).empty()) // C3
    return emitOpError("expected one number a row, got features ")
           << formatShape(getFeatures(getType()));
  return success();
}

#define GET_OP_CLASSES
#include "GNN/Dialect/GNN/IR/GNNRowOps.cpp.inc"

void GNNDialect::addRowOps() {
  addOperations<
#define GET_OP_LIST
#include "GNN/Dialect/GNN/IR/GNNRowOps.cpp.inc"
      >();
}
