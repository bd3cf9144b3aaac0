//===- RowSpaces.cpp - Row spaces of tensors and their paths --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/GNN/IR/GNNRowOps.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace gnn;

//===----------------------------------------------------------------------===//
// Their text
//===----------------------------------------------------------------------===//

StringRef gnn::stringifyRowSpace(RowSpace space) {
  return name(static_cast<Space>(space));
}

std::optional<RowSpace> gnn::symbolizeRowSpace(StringRef text) {
#define GNN_ROW_SPACE(NAME, TEXT, KIND, END)                                   \
  if (text == TEXT)                                                            \
    return RowSpace::NAME;
#include "GNN/Lattice/RowSpaces.def"
  return std::nullopt;
}

FailureOr<RowSpace> FieldParser<RowSpace>::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (failed(parser.parseKeyword(&word)))
    return failure();
  if (std::optional<RowSpace> space = symbolizeRowSpace(word))
    return *space;
  InFlightDiagnostic diag = parser.emitError(loc, "expected one of ");
#define GNN_ROW_SPACE(NAME, TEXT, KIND, END) diag << TEXT ", ";
#include "GNN/Lattice/RowSpaces.def"
  return diag << "got '" << word << "'";
}

//===----------------------------------------------------------------------===//
// Rows of a type
//===----------------------------------------------------------------------===//

RowsAttr gnn::getRows(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return {};
  return dyn_cast_if_present<RowsAttr>(tensor.getEncoding());
}

std::optional<RowSpace> gnn::getRowSpace(Type type) {
  if (RowsAttr rows = getRows(type))
    return rows.getSpace();
  return std::nullopt;
}

bool gnn::isTypeRows(Type type) {
  std::optional<RowSpace> space = getRowSpace(type);
  return space == RowSpace::EdgeType || space == RowSpace::NodeType;
}

bool gnn::isFeatureType(Type type) {
  return type.isF32() || type.isBF16() || type.isF16();
}

ArrayRef<int64_t> gnn::getFeatures(RankedTensorType type) {
  return getRows(type) ? type.getShape().drop_front() : type.getShape();
}

int64_t gnn::getNumFeatures(RankedTensorType type) {
  return ShapedType::getNumElements(getFeatures(type));
}

RankedTensorType gnn::withFeatures(RankedTensorType type,
                                   ArrayRef<int64_t> features,
                                   Type elementType) {
  SmallVector<int64_t> shape = {type.getShape().front()};
  llvm::append_range(shape, features);
  return RankedTensorType::get(
      shape, elementType ? elementType : type.getElementType(),
      type.getEncoding());
}

RankedTensorType gnn::withRowSpace(RankedTensorType type, RowSpace space,
                                   int64_t numRows) {
  if (hasDynamicRows(space))
    numRows = ShapedType::kDynamic;
  else if (space == RowSpace::Graph)
    numRows = 1;
  SmallVector<int64_t> shape = {numRows};
  llvm::append_range(shape, getFeatures(type));
  auto rows = RowsAttr::get(type.getContext(), getRows(type).getGraph(), space);
  return RankedTensorType::get(shape, type.getElementType(), rows);
}

/// Spaces of this level have the numbers that they have below it.
static Space known(RowSpace space) { return static_cast<Space>(space); }

bool gnn::hasDynamicRows(RowSpace space) {
  RowKind kind = kindOf(known(space));
  return kind != RowKind::NodeType && kind != RowKind::EdgeType &&
         kind != RowKind::Graph;
}

bool gnn::isPairSpace(RowSpace space) {
  return kindOf(known(space)) == RowKind::Pair;
}

bool gnn::isNodeSpace(RowSpace space) {
  return kindOf(known(space)) == RowKind::Node;
}

//===----------------------------------------------------------------------===//
// The lattice
//===----------------------------------------------------------------------===//

/// The end of an edge that a row space is about; none for edges, types, the
/// graph, and nodes of a square graph, which are at either end.
static std::optional<EndPoint> endPointOf(RowSpace space) {
  switch (endOf(known(space))) {
  case RowEnd::Src:
    return EndPoint::Src;
  case RowEnd::Dst:
    return EndPoint::Dst;
  case RowEnd::Neither:
    return std::nullopt;
  }
  llvm_unreachable("all ends are handled");
}

/// How many rows of `to` one of `from`, read at `end`, leads to.
static unsigned countWays(RowSpace from, RowSpace to, RowEnd end) {
  Space start = atEnd(from, end);
  Space atSrc = atEnd(to, RowEnd::Src), atDst = atEnd(to, RowEnd::Dst);
  return hasStep(start, atSrc) + (atSrc != atDst && hasStep(start, atDst));
}

bool RowPath::exists() const {
  return from == to || to == RowSpace::Graph ||
         countWays(from, to, RowEnd::Src) || countWays(from, to, RowEnd::Dst);
}

bool RowPath::isAmbiguous() const {
  return countWays(from, to, RowEnd::Src) > 1;
}

std::optional<EndPoint> RowPath::getEnd() const {
  if (via)
    return via;
  if (to == RowSpace::Graph || to == RowSpace::EdgeType)
    return std::nullopt;
  return endPointOf(from) ? endPointOf(from) : endPointOf(to);
}

bool RowPath::needsSchema() const {
  return from == RowSpace::EdgeType && to == RowSpace::NodeType;
}

bool RowPath::isOnto() const {
  return from == to || (from == RowSpace::Edge && isPairSpace(to));
}

std::optional<RowPath> gnn::compose(RowPath first, RowPath second) {
  RowPath path = {first.from, second.to, std::nullopt};
  if (path.isAmbiguous()) {
    path.via = first.getEnd() ? first.getEnd() : second.getEnd();
    return path;
  }
  // A pair leads to the node type of its own end only.
  if (second.needsSchema() && path.getEnd() != second.via)
    return std::nullopt;
  return path;
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// Operands and results of `op`, in this order.
static SmallVector<Type> typesOf(Operation *op) {
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  return types;
}

LogicalResult gnn::detail::verifyOnOneGraph(Operation *op) {
  RowsAttr first;
  for (Type type : typesOf(op)) {
    RowsAttr rows = getRows(type);
    if (!rows)
      continue;
    if (!first)
      first = rows;
    if (rows.getGraph() != first.getGraph()) // G1
      return op->emitOpError("has rows of two graphs: expected @")
             << first.getGraph().getValue() << ", got @"
             << rows.getGraph().getValue();
  }
  return success();
}

/// The declaration of a graph in a symbol table around `op`, of which there may
/// be one that has no graphs.
static GraphOp findGraph(Operation *op, FlatSymbolRefAttr name,
                         SymbolTableCollection &symbols) {
  while ((op = op->getParentOp()))
    if (op->hasTrait<OpTrait::SymbolTable>())
      if (auto graph =
              symbols.lookupSymbolIn<GraphOp>(op, name.getRootReference()))
        return graph;
  return nullptr;
}

/// The graph that `rows` belongs to, of which it may be rows.
static FailureOr<GraphOp> verifiedGraph(Operation *op, RowsAttr rows,
                                        SymbolTableCollection &symbols) {
  GraphOp graph = findGraph(op, rows.getGraph(), symbols);
  if (!graph) { // G2
    op->emitOpError("names the graph @")
        << rows.getGraph().getValue()
        << ", which no gnn.graph of the module declares";
    return failure();
  }
  RowSpace space = rows.getSpace();
  bool square = graph.getKind() == GraphKind::Square;
  if (square && (space == RowSpace::Src || space == RowSpace::Dst)) { // G3
    op->emitOpError("has ") << stringifyRowSpace(space)
                            << " rows of a square graph: expected node rows";
    return failure();
  }
  if (!square && space == RowSpace::Node) { // G3
    op->emitOpError("has node rows of a bipartite graph: expected src or "
                    "dst rows");
    return failure();
  }
  return graph;
}

LogicalResult gnn::detail::verifyRowSpace(Operation *op, RowsAttr rows,
                                          SymbolTableCollection &symbols) {
  return verifiedGraph(op, rows, symbols);
}

LogicalResult gnn::detail::verifyRowsOf(Operation *op, Type type,
                                        SymbolTableCollection &symbols) {
  RowsAttr rows = getRows(type);
  if (!rows)
    return success();
  FailureOr<GraphOp> graph = verifiedGraph(op, rows, symbols);
  if (failed(graph))
    return failure();
  if (!isTypeRows(type))
    return success();
  bool ofEdges = rows.getSpace() == RowSpace::EdgeType;
  int64_t expected = ofEdges ? graph->getEdgeTypes() : graph->getNodeTypes();
  int64_t got = cast<RankedTensorType>(type).getDimSize(0);
  if (got != expected) // G4
    return op->emitOpError("has one row for each ")
           << (ofEdges ? "edge type" : "node type") << " of @"
           << rows.getGraph().getValue() << ": expected " << expected
           << ", got " << got;
  return success();
}

/// Verifies (G5) for the paths that `op` follows.
static LogicalResult verifySchemaPaths(RowPathOpInterface op,
                                       SymbolTableCollection &symbols) {
  for (RowPath path : op.getRowPaths()) {
    if (!path.needsSchema() || !path.via)
      continue;
    SmallVector<Type> types = typesOf(op);
    RowsAttr rows = getRows(*llvm::find_if(types, getRows));
    GraphOp graph = findGraph(op, rows.getGraph(), symbols);
    if (!graph.hasNodeTypesAt(*path.via)) // G5
      return op->emitOpError("follows edge types to ")
             << stringifyEndPoint(*path.via)
             << " node types: expected a schema of @"
             << rows.getGraph().getValue()
             << " that gives one for every edge type";
  }
  return success();
}

LogicalResult gnn::detail::verifyGraphSymbols(Operation *op,
                                              SymbolTableCollection &symbols) {
  for (Type type : typesOf(op))
    if (failed(verifyRowsOf(op, type, symbols)))
      return failure();
  if (auto paths = dyn_cast<RowPathOpInterface>(op))
    return verifySchemaPaths(paths, symbols);
  return success();
}
