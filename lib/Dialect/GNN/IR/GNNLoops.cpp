//===- GNNLoops.cpp - Loops over the rows of a graph ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// for_edges, for_nodes, for_incoming, for_outgoing, and what their bodies
// yield.
//
//===----------------------------------------------------------------------===//

#include "Verification.h"

#include "GNN/Dialect/GNN/IR/GNNLoopOps.h"
#include "GNN/Dialect/GNN/IR/GNNRowOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::detail;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Parses `(-> (types))? attributes? body`; the body is at `row`.
static ParseResult parseLoop(OpAsmParser &parser, OperationState &state,
                             OpAsmParser::Argument row, RowType type) {
  if (succeeded(parser.parseOptionalArrow())) {
    SmallVector<Type> types;
    if (parser.parseLParen() || parser.parseTypeList(types) ||
        parser.parseRParen())
      return failure();
    state.addTypes(types);
  }
  row.type = type;
  Region *body = state.addRegion();
  if (parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
      parser.parseRegion(*body, {row}))
    return failure();
  return success();
}

/// Prints what `parseLoop` parses.
static void printLoop(OpAsmPrinter &printer, Operation *op,
                      ArrayRef<StringRef> elided) {
  if (op->getNumResults() != 0)
    printer << " -> (" << op->getResultTypes() << ")";
  printer.printOptionalAttrDictWithKeyword(op->getAttrs(), elided);
  printer << ' ';
  printer.printRegion(op->getRegion(0), /*printEntryBlockArgs=*/false);
}

/// Prints the row that the body is at.
static void printRow(OpAsmPrinter &printer, Region &body) {
  printer.printOperand(body.getArgument(0));
}

/// Parses `%row in @graph` and the loop, over rows of `space`.
static ParseResult parseLoopOver(OpAsmParser &parser, OperationState &state,
                                 RowSpace space) {
  OpAsmParser::Argument row;
  FlatSymbolRefAttr graph;
  if (parser.parseArgument(row) || parser.parseKeyword("in") ||
      parser.parseAttribute(graph, "graph", state.attributes))
    return failure();
  return parseLoop(parser, state, row,
                   RowType::get(parser.getContext(), graph, space));
}

ParseResult ForEdgesOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseLoopOver(parser, state, RowSpace::Edge);
}

void ForEdgesOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printRow(printer, getBody());
  printer << " in " << getGraphAttr();
  printLoop(printer, *this, {"graph"});
}

/// The space of the nodes at `end`, which is none for a square graph.
static RowSpace nodesAt(std::optional<EndPoint> end) {
  if (!end)
    return RowSpace::Node;
  return *end == EndPoint::Src ? RowSpace::Src : RowSpace::Dst;
}

ParseResult ForNodesOp::parse(OpAsmParser &parser, OperationState &state) {
  StringRef keyword;
  std::optional<EndPoint> end;
  if (succeeded(parser.parseOptionalKeyword(&keyword, {"src", "dst"}))) {
    end = symbolizeEndPoint(keyword);
    state.addAttribute("end", EndPointAttr::get(parser.getContext(), *end));
  }
  return parseLoopOver(parser, state, nodesAt(end));
}

void ForNodesOp::print(OpAsmPrinter &printer) {
  if (getEnd())
    printer << ' ' << stringifyEndPoint(*getEnd());
  printer << ' ';
  printRow(printer, getBody());
  printer << " in " << getGraphAttr();
  printLoop(printer, *this, {"graph", "end"});
}

/// Parses `%row of %center : type` and the loop.
static ParseResult parseIncidentLoop(OpAsmParser &parser,
                                     OperationState &state) {
  OpAsmParser::Argument row;
  OpAsmParser::UnresolvedOperand center;
  RowType type;
  if (parser.parseArgument(row) || parser.parseKeyword("of") ||
      parser.parseOperand(center) || parser.parseColonType(type) ||
      parser.resolveOperand(center, type, state.operands))
    return failure();
  return parseLoop(
      parser, state, row,
      RowType::get(parser.getContext(), type.getGraph(), RowSpace::Edge));
}

template <typename OpT>
static void printIncidentLoop(OpAsmPrinter &printer, OpT op) {
  printer << ' ';
  printRow(printer, op.getBody());
  printer << " of " << op.getCenter() << " : " << op.getCenter().getType();
  printLoop(printer, op, {});
}

ParseResult ForIncomingOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseIncidentLoop(parser, state);
}

void ForIncomingOp::print(OpAsmPrinter &printer) {
  printIncidentLoop(printer, *this);
}

ParseResult ForOutgoingOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseIncidentLoop(parser, state);
}

void ForOutgoingOp::print(OpAsmPrinter &printer) {
  printIncidentLoop(printer, *this);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

RowType ForEdgesOp::getLoopRows() {
  return RowType::get(getContext(), getGraphAttr(), RowSpace::Edge);
}

RowType ForNodesOp::getLoopRows() {
  return RowType::get(getContext(), getGraphAttr(), nodesAt(getEnd()));
}

RowType ForIncomingOp::getLoopRows() {
  return RowType::get(getContext(), getCenter().getType().getGraph(),
                      RowSpace::Edge);
}

Value ForIncomingOp::getCenterNode() { return getCenter(); }
EndPoint ForIncomingOp::getCenterEnd() { return EndPoint::Dst; }

RowType ForOutgoingOp::getLoopRows() {
  return RowType::get(getContext(), getCenter().getType().getGraph(),
                      RowSpace::Edge);
}

Value ForOutgoingOp::getCenterNode() { return getCenter(); }
EndPoint ForOutgoingOp::getCenterEnd() { return EndPoint::Src; }

//===----------------------------------------------------------------------===//
// Verification of loops
//===----------------------------------------------------------------------===//

/// Verifies that the results of a loop belong to its graph.
static LogicalResult verifyResultsOf(RowLoopInterface loop) {
  FlatSymbolRefAttr graph = loop.getLoopRows().getGraph();
  for (Type type : loop->getResultTypes())
    if (RowsAttr rows = getRows(type); rows && rows.getGraph() != graph) // G1
      return loop->emitOpError("has rows of two graphs: expected @")
             << graph.getValue() << ", got @" << rows.getGraph().getValue();
  return success();
}

/// Whether a body may hold `op`.
static bool isOnOneRow(Operation &op) {
  if (op.hasTrait<OnOneRow>() ||
      isa<arith::ConstantOp, tensor::ConcatOp, tensor::ExtractSliceOp,
          tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return true;
  return op.hasTrait<OpTrait::Elementwise>() &&
         isa_and_present<arith::ArithDialect, math::MathDialect>(
             op.getDialect());
}

/// Whether a value of a body can have this type: a row, or a tensor.
static bool isTypeInBody(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return isa<RowType>(type) ||
         (tensor && (getRows(type) || tensor.hasStaticShape()));
}

/// Whether `op` takes a row of tensors, or passes them on.
static bool takesRows(Operation &op) {
  return isa<RowLoopInterface, YieldOp, ReadOp>(op);
}

/// Verifies the argument and the ops of a loop's body.
static LogicalResult verifyBody(RowLoopInterface loop) {
  Block *body = loop.getLoopBody();
  RowType rows = loop.getLoopRows();
  if (body->getNumArguments() != 1 ||
      body->getArgument(0).getType() != rows) { // G7
    auto diag = loop->emitOpError("expected a body with one argument of type ")
                << rows << ", got ";
    if (body->getNumArguments() == 1)
      return diag << body->getArgument(0).getType();
    return diag << body->getNumArguments() << " arguments";
  }
  for (Operation &op : *body) {
    if (!isOnOneRow(op)) // G8
      return op.emitOpError(
          "expected loops over a node's edges, ops on one row, elementwise "
          "arith and math, and of tensor concat, extract_slice and reshapes in "
          "the body of a loop");
    SmallVector<Type> types(op.getOperandTypes());
    llvm::append_range(types, op.getResultTypes());
    if (auto *other = llvm::find_if_not(types, isTypeInBody);
        other != types.end()) // G8
      return op.emitOpError("expected rows and tensors of static shape in the "
                            "body of a loop, got ")
             << *other;
    bool hasRows = llvm::any_of(op.getOperandTypes(),
                                [](Type type) { return !!getRows(type); });
    if (hasRows && !takesRows(op)) // G8
      return op.emitOpError("expected the features of one row in the body of a "
                            "loop, got rows of a graph: read them with "
                            "gnn.read");
  }
  return success();
}

/// Verifies the symbols of a loop's rows and results.
static LogicalResult verifyLoopSymbols(RowLoopInterface loop,
                                       SymbolTableCollection &symbols) {
  if (failed(verifyRowSpace(loop, loop.getLoopRows().getRows(), symbols)))
    return failure();
  for (Type type : loop->getResultTypes())
    if (failed(verifyRowsOf(loop, type, symbols)))
      return failure();
  return success();
}

LogicalResult ForEdgesOp::verify() { return verifyResultsOf(*this); }
LogicalResult ForEdgesOp::verifyRegions() { return verifyBody(*this); }
LogicalResult ForEdgesOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyLoopSymbols(*this, symbols);
}

LogicalResult ForNodesOp::verify() { return verifyResultsOf(*this); }
LogicalResult ForNodesOp::verifyRegions() { return verifyBody(*this); }

LogicalResult ForNodesOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto graph = symbols.lookupNearestSymbolFrom<GraphOp>(*this, getGraphAttr());
  bool bipartite = graph && graph.getKind() == GraphKind::Bipartite;
  if (graph && bipartite != getEnd().has_value()) // C1
    return emitOpError(bipartite ? "loops over nodes of a bipartite graph: "
                                   "expected 'src' or 'dst', got none"
                                 : "loops over nodes of a square graph: "
                                   "expected no end, got '")
           << (bipartite ? "" : stringifyEndPoint(*getEnd()))
           << (bipartite ? "" : "'");
  return verifyLoopSymbols(*this, symbols);
}

/// Verifies that a loop's center is a node of the space at its end.
static LogicalResult verifyCenter(EmitError emitError, RowType center,
                                  RowSpace end) {
  if (center.getSpace() == RowSpace::Node || center.getSpace() == end)
    return success();
  return emitError() << "expected a node or " << stringifyRowSpace(end)
                     << " row, got a " << stringifyRowSpace(center.getSpace())
                     << " row";
}

/// Verifies that results with rows come from a loop around its own node.
static LogicalResult verifyPartsOf(EmitError emitError, RowLoopInterface loop) {
  if (!llvm::any_of(loop->getResultTypes(),
                    [](Type type) { return !!getRows(type); }))
    return success();
  auto center = dyn_cast<BlockArgument>(loop.getCenterNode());
  if (center && center.getOwner() == loop->getBlock() &&
      isa<ForNodesOp>(loop->getParentOp()))
    return success();
  return emitError() << "has results with rows: expected the node of the "
                        "gnn.for_nodes directly around it";
}

LogicalResult ForIncomingOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  if (failed(verifyCenter(emitError, getCenter().getType(),
                          RowSpace::Dst))) // C1
    return failure();
  if (failed(verifyPartsOf(emitError, *this))) // C2
    return failure();
  return verifyResultsOf(*this);
}

LogicalResult ForIncomingOp::verifyRegions() { return verifyBody(*this); }
LogicalResult ForIncomingOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyLoopSymbols(*this, symbols);
}

LogicalResult ForOutgoingOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  if (failed(verifyCenter(emitError, getCenter().getType(),
                          RowSpace::Src))) // C1
    return failure();
  if (failed(verifyPartsOf(emitError, *this))) // C2
    return failure();
  return verifyResultsOf(*this);
}

LogicalResult ForOutgoingOp::verifyRegions() { return verifyBody(*this); }
LogicalResult ForOutgoingOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyLoopSymbols(*this, symbols);
}

//===----------------------------------------------------------------------===//
// yield
//===----------------------------------------------------------------------===//

void YieldOp::build(OpBuilder &builder, OperationState &state,
                    ValueRange values,
                    ArrayRef<std::optional<ReduceKind>> reductions,
                    ArrayRef<std::optional<EndPoint>> ends) {
  MLIRContext *context = builder.getContext();
  SmallVector<Attribute> kinds, vias;
  for (std::optional<ReduceKind> kind : reductions)
    kinds.push_back(kind ? Attribute(ReduceKindAttr::get(context, *kind))
                         : builder.getUnitAttr());
  for (std::optional<EndPoint> end : ends)
    vias.push_back(end ? Attribute(EndPointAttr::get(context, *end))
                       : builder.getUnitAttr());
  state.addOperands(values);
  state.addAttribute("reductions", builder.getArrayAttr(kinds));
  state.addAttribute("ends", builder.getArrayAttr(vias));
}

std::optional<ReduceKind> YieldOp::getReduction(unsigned i) {
  auto kind = dyn_cast<ReduceKindAttr>(getReductions()[i]);
  return kind ? std::optional(kind.getValue()) : std::nullopt;
}

std::optional<EndPoint> YieldOp::getEnd(unsigned i) {
  auto end = dyn_cast<EndPointAttr>(getEnds()[i]);
  return end ? std::optional(end.getValue()) : std::nullopt;
}

ParseResult YieldOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<std::optional<ReduceKind>> reductions;
  SmallVector<std::optional<EndPoint>> ends;
  // One value, with its reduction and end; none at the end of the line.
  auto parseItem = [&](bool isFirst) -> ParseResult {
    StringRef word;
    std::optional<ReduceKind> kind;
    std::optional<EndPoint> end;
    if (succeeded(
            parser.parseOptionalKeyword(&word, {"sum", "mean", "max", "min"})))
      kind = symbolizeReduceKind(word);
    OpAsmParser::UnresolvedOperand value;
    if (OptionalParseResult parsed = parser.parseOptionalOperand(value);
        !parsed.has_value())
      return isFirst && !kind ? success() : parser.parseOperand(value);
    else if (failed(*parsed))
      return failure();
    if (succeeded(parser.parseOptionalKeyword("via"))) {
      if (failed(parser.parseOptionalKeyword(&word, {"src", "dst"})))
        return parser.emitError(parser.getCurrentLocation(),
                                "expected 'src' or 'dst'");
      end = symbolizeEndPoint(word);
    }
    operands.push_back(value);
    reductions.push_back(kind);
    ends.push_back(end);
    return success();
  };
  SMLoc loc = parser.getCurrentLocation();
  if (parseItem(/*isFirst=*/true))
    return failure();
  while (!operands.empty() && succeeded(parser.parseOptionalComma()))
    if (parseItem(/*isFirst=*/false))
      return failure();
  SmallVector<Type> types;
  if (parser.parseOptionalAttrDict(state.attributes) ||
      (!operands.empty() && parser.parseColonTypeList(types)))
    return failure();
  SmallVector<Value> values;
  if (parser.resolveOperands(operands, types, loc, values))
    return failure();
  OpBuilder builder(parser.getContext());
  build(builder, state, values, reductions, ends);
  return success();
}

void YieldOp::print(OpAsmPrinter &printer) {
  for (auto [i, value] : llvm::enumerate(getValues())) {
    printer << (i ? ", " : " ");
    if (std::optional<ReduceKind> kind = getReduction(i))
      printer << stringifyReduceKind(*kind) << ' ';
    printer << value;
    if (std::optional<EndPoint> end = getEnd(i))
      printer << " via " << stringifyEndPoint(*end);
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), {"reductions", "ends"});
  if (!getValues().empty())
    printer << " : " << getValues().getTypes();
}

/// Whether an attribute for each value is of this kind or absent.
template <typename AttrT> static bool areAll(ArrayAttr attrs) {
  return llvm::all_of(
      attrs, [](Attribute attr) { return isa<AttrT, UnitAttr>(attr); });
}

/// Verifies that a value has the features and element type of its result.
static LogicalResult verifyFeatures(EmitError emitError, RankedTensorType value,
                                    RankedTensorType result, unsigned i) {
  if (getFeatures(value) == getFeatures(result) &&
      value.getElementType() == result.getElementType())
    return success();
  return emitError() << "expected features " << formatShape(getFeatures(result))
                     << " of " << result.getElementType() << " for result " << i
                     << ", got " << value;
}

/// Verifies a value that is reduced into a result with rows, or with none.
static LogicalResult verifyReduced(EmitError emitError, RowLoopInterface loop,
                                   RankedTensorType result, RowPath path,
                                   unsigned i) {
  if (!getRows(result)) {
    if (loop.getCenterNode())
      return success();
    return emitError() << "result " << i
                       << ": expected rows of a graph to reduce into, got "
                       << result;
  }
  if (path.isIdentity())
    return emitError() << "result " << i << ": expected rows that "
                       << stringifyRowSpace(path.from)
                       << " rows lead to, got the rows of the loop";
  return verifyPathExists(emitError, path, "result");
}

LogicalResult YieldOp::verify() {
  auto loop = dyn_cast<RowLoopInterface>((*this)->getParentOp());
  // The score of an attention, whatever its results are.
  unsigned count = loop ? (*this)->getParentOp()->getNumResults() : 1;
  for (size_t size :
       {size_t(getValues().size()), getReductions().size(), getEnds().size()})
    if (size != count) // C1
      return emitOpError("expected a value for each of ")
             << count << " results, got " << size;
  if (!areAll<ReduceKindAttr>(getReductions()) ||
      !areAll<EndPointAttr>(getEnds())) // C1
    return emitOpError("expected reductions and ends, or units");
  if (!loop) // an attention, which knows what it takes
    return success();
  auto emitError = [&] { return emitOpError(); };
  RowSpace space = loop.getLoopRows().getSpace();
  for (unsigned i = 0; i < count; ++i) {
    auto value = cast<RankedTensorType>(getValues()[i].getType());
    auto result = cast<RankedTensorType>(loop->getResult(i).getType());
    std::optional<ReduceKind> kind = getReduction(i);
    if (getRows(value)) {
      auto inner = getValues()[i].getDefiningOp<RowLoopInterface>();
      bool isPart = inner && inner->getBlock() == (*this)->getBlock();
      if (!isPart || kind || value != result) // C2
        return emitOpError("expected features of one row, or rows that an "
                           "inner loop made, of the type of result ")
               << i << ": " << result << ", got " << value;
      continue;
    }
    if (!kind) {
      if (getRowSpace(result) != space) // C3
        return emitOpError("expected a reduction to result ")
               << i << ", which has no rows of the loop: " << result;
      if (failed(verifyFeatures(emitError, value, result, i))) // C3
        return failure();
    } else {
      RowPath path = {space, getRowSpace(result).value_or(space), getEnd(i)};
      if (failed(verifyReduced(emitError, loop, result, path, i))) // C4
        return failure();
      if (failed(verifyFeatures(emitError, value, result, i))) // C4
        return failure();
      if (getRows(result) && failed(verifyVia(emitError, path, "result"))) // C5
        return failure();
    }
    if (getEnd(i) && (!kind || !getRows(result))) // C5
      return emitOpError("expected no via for result ")
             << i << ", which is not reduced into rows";
  }
  return success();
}
