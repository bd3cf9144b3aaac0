//===- GNNAttention.cpp - Scores, softmax and weighted sum in one op ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verification.h"

#include "GNN/Dialect/GNN/IR/GNNLoopOps.h"
#include "GNN/Dialect/GNN/IR/GNNSparseOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::detail;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// The type that the body has of one row of `type`, or of a weight.
static RankedTensorType oneRowOf(RankedTensorType type) {
  return RankedTensorType::get(getFeatures(type), type.getElementType());
}

/// An end, or a unit where there is none.
static Attribute endOrUnit(MLIRContext *context, std::optional<EndPoint> end) {
  return end ? Attribute(EndPointAttr::get(context, *end))
             : UnitAttr::get(context);
}

void AttentionOp::build(
    OpBuilder &builder, OperationState &state, Type result, ValueRange inputs,
    ArrayRef<std::optional<EndPoint>> inputEnds, Value value,
    std::optional<EndPoint> valueEnd, Value factor,
    std::optional<EndPoint> factorEnd, RowSpace over,
    function_ref<Value(OpBuilder &, Location, ValueRange)> score) {
  MLIRContext *context = builder.getContext();
  state.addTypes(result);
  state.addOperands(inputs);
  state.addOperands(value);
  if (factor)
    state.addOperands(factor);
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.setInputVias(builder.getArrayAttr(llvm::map_to_vector(
      inputEnds, [&](auto end) { return endOrUnit(context, end); })));
  if (valueEnd)
    properties.setValueVia(EndPointAttr::get(context, *valueEnd));
  if (factorEnd)
    properties.setFactorVia(EndPointAttr::get(context, *factorEnd));
  properties.setOver(RowSpaceAttr::get(context, over));
  llvm::copy(
      ArrayRef<int32_t>{static_cast<int32_t>(inputs.size()), 1, factor ? 1 : 0},
      properties.operandSegmentSizes.begin());
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(state.addRegion());
  for (Value input : inputs)
    body->addArgument(oneRowOf(cast<RankedTensorType>(input.getType())),
                      state.location);
  Value scored = score(builder, state.location, body->getArguments());
  YieldOp::create(builder, state.location, scored, {std::nullopt},
                  {std::nullopt});
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Parses `via src`, `via dst` or nothing.
static ParseResult parseEnd(OpAsmParser &parser, std::optional<EndPoint> &end) {
  if (failed(parser.parseOptionalKeyword("via")))
    return success();
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  if (parser.parseKeyword(&name))
    return failure();
  end = symbolizeEndPoint(name);
  if (!end)
    return parser.emitError(loc) << "expected src or dst, got " << name;
  return success();
}

static void printEnd(OpAsmPrinter &printer, std::optional<EndPoint> end) {
  if (end)
    printer << " via " << stringifyEndPoint(*end);
}

void AttentionOp::getAsmBlockArgumentNames(Region &body,
                                           OpAsmSetValueNameFn setName) {
  for (Value argument : body.getArguments())
    setName(argument, "in");
}

ParseResult AttentionOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Attribute> ends;
  MLIRContext *context = parser.getContext();
  auto parseInput = [&]() -> ParseResult {
    std::optional<EndPoint> end;
    if (parser.parseArgument(arguments.emplace_back()) || parser.parseEqual() ||
        parser.parseOperand(operands.emplace_back()) || parseEnd(parser, end))
      return failure();
    ends.push_back(endOrUnit(context, end));
    return success();
  };
  auto parseRows = [&](StringRef viaName) -> ParseResult {
    std::optional<EndPoint> end;
    if (parser.parseOperand(operands.emplace_back()) || parseEnd(parser, end))
      return failure();
    if (end)
      state.addAttribute(viaName, EndPointAttr::get(context, *end));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseInput) ||
      parser.parseKeyword("value") ||
      parseRows(getValueViaAttrName(state.name)))
    return failure();
  bool hasFactor = succeeded(parser.parseOptionalKeyword("factor"));
  if (hasFactor && parseRows(getFactorViaAttrName(state.name)))
    return failure();
  if (parser.parseKeyword("over"))
    return failure();
  SMLoc overLoc = parser.getCurrentLocation();
  StringRef over;
  if (parser.parseKeyword(&over))
    return failure();
  std::optional<RowSpace> space = symbolizeRowSpace(over);
  if (!space)
    return parser.emitError(overLoc) << "expected a row space, got " << over;
  if (succeeded(parser.parseOptionalKeyword("stored")))
    state.addAttribute(getStoredAttrName(state.name), UnitAttr::get(context));
  SMLoc typesLoc = parser.getCurrentLocation();
  FunctionType types;
  if (parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
      parser.parseColonType(types) ||
      parser.resolveOperands(operands, types.getInputs(), typesLoc,
                             state.operands))
    return failure();
  for (auto [argument, type] : llvm::zip(arguments, types.getInputs())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return parser.emitError(typesLoc)
             << "expected rows of a graph or a weight, got " << type;
    argument.type = oneRowOf(tensor);
  }
  state.addTypes(types.getResults());
  state.addAttribute(getInputViasAttrName(state.name),
                     parser.getBuilder().getArrayAttr(ends));
  state.addAttribute(getOverAttrName(state.name),
                     RowSpaceAttr::get(context, *space));
  state.addAttribute(
      getOperandSegmentSizesAttrName(state.name),
      parser.getBuilder().getDenseI32ArrayAttr(
          {static_cast<int32_t>(arguments.size()), 1, hasFactor ? 1 : 0}));
  return parser.parseRegion(*state.addRegion(), arguments,
                            /*enableNameShadowing=*/true);
}

void AttentionOp::print(OpAsmPrinter &printer) {
  printer << '(';
  llvm::interleaveComma(
      llvm::zip(getBody().getArguments(), getInputs(), getInputVias()), printer,
      [&](auto input) {
        auto [argument, operand, end] = input;
        printer << argument << " = " << operand;
        if (auto given = dyn_cast<EndPointAttr>(end))
          printEnd(printer, given.getValue());
      });
  printer << ") value " << getValue();
  printEnd(printer, getValueVia());
  if (Value factor = getFactor()) {
    printer << " factor " << factor;
    printEnd(printer, getFactorVia());
  }
  printer << " over " << stringifyRowSpace(getOver());
  if (getStored())
    printer << " stored";
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getInputViasAttrName(), getValueViaAttrName(), getFactorViaAttrName(),
       getOverAttrName(), getStoredAttrName(),
       getOperandSegmentSizesAttrName()});
  printer << " : ";
  printer.printFunctionalType(*this);
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

/// The path from an edge to its row of `value`; none for a weight.
static std::optional<RowPath> pathTo(Value value, std::optional<EndPoint> via) {
  std::optional<RowSpace> space = getRowSpace(value.getType());
  if (!space)
    return std::nullopt;
  return RowPath{RowSpace::Edge, *space, via};
}

static std::optional<EndPoint> endOfInput(AttentionOp op, unsigned i) {
  auto end = dyn_cast<EndPointAttr>(op.getInputVias()[i]);
  return end ? std::optional(end.getValue()) : std::nullopt;
}

/// The rows of `over`: nodes where the op has rows of a square graph's.
static RowSpace groupSpace(AttentionOp op) {
  RowSpace over = op.getOver();
  auto isNode = [](Type type) { return getRowSpace(type) == RowSpace::Node; };
  bool square = llvm::any_of(op->getOperandTypes(), isNode) ||
                llvm::any_of(op->getResultTypes(), isNode);
  bool ofNodes = over == RowSpace::Src || over == RowSpace::Dst;
  return ofNodes && square ? RowSpace::Node : over;
}

/// The end of an edge that groups over `over` are at.
static EndPoint endOfGroups(RowSpace over) {
  bool ofSrc = over == RowSpace::Src || over == RowSpace::SrcPair;
  return ofSrc ? EndPoint::Src : EndPoint::Dst;
}

/// The path from an edge to rows of `space`, which are at this end.
static RowPath pathToEnd(RowSpace space, EndPoint end) {
  RowPath path = {RowSpace::Edge, space, std::nullopt};
  if (path.isAmbiguous())
    path.via = end;
  return path;
}

std::optional<RowPath> AttentionOp::getInputPath(unsigned i) {
  return pathTo(getInputs()[i], endOfInput(*this, i));
}

RowPath AttentionOp::getValuePath() {
  return *pathTo(getValue(), getValueVia());
}

std::optional<RowPath> AttentionOp::getFactorPath() {
  return getFactor() ? pathTo(getFactor(), getFactorVia()) : std::nullopt;
}

RowPath AttentionOp::getResultPath() {
  return pathToEnd(*getRowSpace(getType()), endOfGroups(getOver()));
}

RowPath AttentionOp::getGroupPath() {
  return pathToEnd(groupSpace(*this), endOfGroups(getOver()));
}

RankedTensorType AttentionOp::getStatisticsType() {
  return withFeatures(withRowSpace(getType(), groupSpace(*this)),
                      getScoreFeatures());
}

SmallVector<RowPath> AttentionOp::getRowPaths() {
  SmallVector<RowPath> paths;
  for (unsigned i = 0; i < getInputs().size(); ++i)
    if (std::optional<RowPath> path = getInputPath(i))
      paths.push_back(*path);
  paths.push_back(getValuePath());
  if (std::optional<RowPath> path = getFactorPath())
    paths.push_back(*path);
  paths.push_back(getResultPath());
  return paths;
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

ArrayRef<int64_t> AttentionOp::getScoreFeatures() {
  return shapeOf(getScore());
}

/// Calls `visit` with each value of the body.
static void forEachValue(Region &body, function_ref<void(Value)> visit) {
  for (Value argument : body.getArguments())
    visit(argument);
  for (Operation &op : body.front())
    for (Value result : op.getResults())
      visit(result);
}

ArrayRef<int64_t> AttentionOp::getBodyFeatures() {
  ArrayRef<int64_t> longest;
  forEachValue(getBody(), [&](Value value) {
    if (shapeOf(value).size() > longest.size())
      longest = shapeOf(value);
  });
  return longest;
}

bool AttentionOp::sumsFeatures() {
  return !getBody().front().getOps<RowDotOp>().empty();
}

bool AttentionOp::mustStore() {
  ArrayRef<int64_t> value = getFeatures(getValue().getType());
  return sumsFeatures() && value != getScoreFeatures() &&
         value != getBodyFeatures();
}

/// An input that the body does not read is none, and one that is read twice
/// along one path is one.
static LogicalResult dropInputs(AttentionOp op, PatternRewriter &rewriter) {
  Block &body = op.getBody().front();
  llvm::BitVector dropped(op.getInputs().size());
  for (unsigned i = 0; i < dropped.size(); ++i) {
    for (unsigned j = 0; j < i; ++j)
      if (!dropped[j] && op.getInputs()[i] == op.getInputs()[j] &&
          op.getInputVias()[i] == op.getInputVias()[j])
        rewriter.replaceAllUsesWith(body.getArgument(i), body.getArgument(j));
    dropped[i] = body.getArgument(i).use_empty();
  }
  if (dropped.none())
    return rewriter.notifyMatchFailure(op, "each input is read");
  rewriter.modifyOpInPlace(op, [&] {
    SmallVector<Attribute> vias(op.getInputVias().getValue());
    for (unsigned i = dropped.size(); i-- > 0;)
      if (dropped[i]) {
        vias.erase(vias.begin() + i);
        op.getInputsMutable().erase(i);
      }
    body.eraseArguments(dropped);
    op.setInputViasAttr(rewriter.getArrayAttr(vias));
  });
  return success();
}

void AttentionOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *) {
  patterns.add(dropInputs);
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// Verifies that the rows of the result are at the end that groups are at.
static LogicalResult verifyResultRows(AttentionOp op) {
  RowSpace over = op.getOver(), rows = *getRowSpace(op.getType());
  bool ofSrc = endOfGroups(over) == EndPoint::Src;
  RowSpace nodes = ofSrc ? RowSpace::Src : RowSpace::Dst;
  RowSpace pairs = ofSrc ? RowSpace::SrcPair : RowSpace::DstPair;
  if (rows == RowSpace::Node || rows == nodes || rows == pairs)
    return success();
  return op.emitOpError("expected a result in node, ")
         << stringifyRowSpace(nodes) << " or " << stringifyRowSpace(pairs)
         << " rows over " << stringifyRowSpace(over) << ", got "
         << stringifyRowSpace(rows) << " rows";
}

/// Verifies that each operand with two paths has an end, and no other has.
static LogicalResult verifyEnds(AttentionOp op) {
  auto emitError = [&] { return Failure(op.emitOpError()); };
  size_t count = op.getInputs().size();
  bool isList = llvm::all_of(op.getInputVias(), [](Attribute end) {
    return isa<EndPointAttr, UnitAttr>(end);
  });
  if (op.getInputVias().size() != count || !isList)
    return op.emitOpError("expected an end or unit for each of the ")
           << count << " inputs, got " << op.getInputVias();
  for (unsigned i = 0; i < count; ++i) {
    std::optional<RowPath> path = op.getInputPath(i);
    if (!path && endOfInput(op, i))
      return op.emitOpError("expected no via of an input without rows, got "
                            "'via ")
             << stringifyEndPoint(*endOfInput(op, i)) << "'";
    if (path && failed(verifyVia(emitError, *path, "an input")))
      return failure();
  }
  if (failed(verifyVia(emitError, op.getValuePath(), "value")))
    return failure();
  if (!op.getFactor())
    return success();
  return verifyVia(emitError, *op.getFactorPath(), "factor");
}

LogicalResult AttentionOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  RowSpace over = getOver();
  if (!isPairSpace(over) && over != RowSpace::Src &&
      over != RowSpace::Dst) // C1
    return emitOpError(
               "expected groups over src, dst, src_pair or dst_pair, got ")
           << stringifyRowSpace(over);
  if (failed(verifyResultRows(*this))) // C2
    return failure();
  if (failed(verifyEnds(*this))) // C3
    return failure();
  if (getType().getElementType() !=
      getValue().getType().getElementType()) // C10
    return emitOpError("expected a result of ")
           << getValue().getType().getElementType() << ", got "
           << getType().getElementType();
  return verifySameFeatures(emitError, getValue().getType(), getType(),
                            "result"); // C10
}

/// Verifies the arguments of the body.
static LogicalResult verifyArguments(AttentionOp op) {
  Region &body = op.getBody();
  if (body.getNumArguments() != op.getInputs().size())
    return op.emitOpError("expected a body with an argument for each of ")
           << op.getInputs().size() << " inputs, got "
           << body.getNumArguments();
  for (auto [input, argument] :
       llvm::zip(op.getInputs(), body.getArguments())) {
    Type expected = oneRowOf(cast<RankedTensorType>(input.getType()));
    if (argument.getType() != expected)
      return op.emitOpError("expected a body with an argument of type ")
             << expected << " for an input of type " << input.getType()
             << ", got " << argument.getType();
  }
  return success();
}

/// Whether the body of an attention may hold `op`.
static bool scoresOneEdge(Operation &op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue());
  if (isa<RowDotOp, RowActivationOp, RowBroadcastOp>(op))
    return true;
  return op.hasTrait<OpTrait::Elementwise>() &&
         isa_and_present<arith::ArithDialect, math::MathDialect>(
             op.getDialect());
}

LogicalResult AttentionOp::verifyRegions() {
  if (failed(verifyArguments(*this))) // C4
    return failure();
  for (Operation &op : getBody().front().without_terminator()) {
    bool hasShapes = llvm::all_of(op.getResultTypes(), [](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor && tensor.hasStaticShape() && !tensor.getEncoding();
    });
    if (!scoresOneEdge(op) || !hasShapes) // C5
      return op.emitOpError(
          "expected constants of one value, elementwise arith and math, "
          "gnn.row_dot, "
          "gnn.row_activation and gnn.row_broadcast on features of one row in "
          "the body of an attention");
  }
  LogicalResult fits = success();
  forEachValue(getBody(), [&](Value value) {
    if (succeeded(fits) && !isPrefix(shapeOf(value), getBodyFeatures())) // C6
      fits = emitOpError("expected features in the body that ")
             << formatShape(getBodyFeatures()) << " begin with, got "
             << formatShape(shapeOf(value));
  });
  if (failed(fits))
    return failure();
  auto yield = dyn_cast<YieldOp>(getBody().front().back());
  if (!yield || yield.getValues().size() != 1 || yield.getReduction(0) ||
      yield.getEnd(0)) // C7
    return emitOpError("expected a body that yields one value as it is");
  Type element = getValue().getType().getElementType();
  if (getElementTypeOrSelf(getScore()) != element) // C7
    return emitOpError("expected a body that yields ")
           << element << ", got " << getElementTypeOrSelf(getScore());
  ArrayRef<int64_t> scores = getScoreFeatures();
  if (getFactor() &&
      !isPrefix(getFeatures(getFactor().getType()), scores)) // C8
    return emitOpError("expected features ")
           << formatShape(scores) << " of the scores to begin with those of "
           << "factor, got " << formatShape(getFeatures(getFactor().getType()));
  if (ArrayRef<int64_t> value = getFeatures(getValue().getType());
      !isPrefix(scores, value)) // C9
    return emitOpError("expected features of value that begin with those of "
                       "the scores, ")
           << formatShape(scores) << ", got " << formatShape(value);
  RankedTensorType expected = getStatisticsType();
  bool areRight = llvm::all_of(getStatistics().getTypes(),
                               [&](Type type) { return type == expected; });
  if (size_t count = getStatistics().size();
      (count != 0 && count != 2) || !areRight) // C11
    return emitOpError("expected no statistics or two of type ")
           << expected << ", got " << getStatistics().getTypes();
  return success();
}
