//===- GNNSparseOps.cpp - Rows of several spaces at once ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verification.h"

#include "GNN/Dialect/GNN/IR/GNNSparseOps.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::detail;

/// Parses `%a via src, %b, ...`: operands, each with its end or none (unit).
static ParseResult
parseTerms(OpAsmParser &parser,
           SmallVectorImpl<OpAsmParser::UnresolvedOperand> &terms,
           ArrayAttr &vias) {
  Builder &builder = parser.getBuilder();
  SmallVector<Attribute> ends;
  auto parseTerm = [&]() -> ParseResult {
    ends.push_back(builder.getUnitAttr());
    if (parser.parseOperand(terms.emplace_back()))
      return failure();
    if (failed(parser.parseOptionalKeyword("via")))
      return success();
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name))
      return failure();
    std::optional<EndPoint> end = symbolizeEndPoint(name);
    if (!end)
      return parser.emitError(loc) << "expected src or dst, got " << name;
    ends.back() = EndPointAttr::get(builder.getContext(), *end);
    return success();
  };
  if (parser.parseCommaSeparatedList(parseTerm))
    return failure();
  vias = builder.getArrayAttr(ends);
  return success();
}

static void printTerms(OpAsmPrinter &printer, Operation *, OperandRange terms,
                       ArrayAttr vias) {
  llvm::interleaveComma(llvm::zip(terms, vias), printer, [&](auto term) {
    printer << std::get<0>(term);
    if (auto end = dyn_cast<EndPointAttr>(std::get<1>(term)))
      printer << " via " << stringifyEndPoint(end.getValue());
  });
}

/// The path from rows of `from` to those of `value`.
static RowPath pathTo(RowSpace from, Value value, std::optional<EndPoint> via) {
  return {from, *getRowSpace(value.getType()), via};
}

/// Verifies that `copy` has one operand and the other kinds have two.
static LogicalResult verifyOperandCount(EmitError emitError, BinaryKind kind,
                                        Value rhs) {
  bool isCopy = kind == BinaryKind::Copy;
  if (isCopy != static_cast<bool>(rhs))
    return success();
  return emitError() << stringifyBinaryKind(kind) << ": expected "
                     << (isCopy ? "one operand, got two"
                                : "two operands, got one");
}

/// The features that two operands combine to: the longer of the two.
static ArrayRef<int64_t> combinedFeatures(Value lhs, Value rhs) {
  auto a = getFeatures(cast<RankedTensorType>(lhs.getType()));
  if (!rhs)
    return a;
  auto b = getFeatures(cast<RankedTensorType>(rhs.getType()));
  return a.size() >= b.size() ? a : b;
}

/// Verifies that the features of one operand begin with those of the other.
static LogicalResult verifyFeaturesMeet(EmitError emitError, Value lhs,
                                        Value rhs) {
  if (!rhs)
    return success();
  auto a = getFeatures(cast<RankedTensorType>(lhs.getType()));
  auto b = getFeatures(cast<RankedTensorType>(rhs.getType()));
  if (isPrefix(a, b) || isPrefix(b, a))
    return success();
  return emitError() << "expected features of one operand to begin with those "
                        "of the other, got "
                     << formatShape(a) << " and " << formatShape(b);
}

/// Verifies that `result` has the features `expected`.
static LogicalResult verifyResultFeatures(EmitError emitError,
                                          ArrayRef<int64_t> expected,
                                          RankedTensorType result) {
  if (getFeatures(result) == expected)
    return success();
  return emitError() << "expected features " << formatShape(expected)
                     << " of result, got " << formatShape(getFeatures(result));
}

/// The names of the rows that the paths of an op lead to, in their order.
static constexpr StringLiteral pathNames[] = {"lhs", "rhs", "result"};

/// Verifies that all paths exist.
static LogicalResult verifyPathsExist(EmitError emitError,
                                      ArrayRef<RowPath> paths,
                                      ArrayRef<StringLiteral> names) {
  for (auto [path, name] : llvm::zip_equal(paths, names))
    if (failed(verifyPathExists(emitError, path, name)))
      return failure();
  return success();
}

/// Verifies the `via` of all paths.
static LogicalResult verifyVias(EmitError emitError, ArrayRef<RowPath> paths,
                                ArrayRef<StringLiteral> names) {
  for (auto [path, name] : llvm::zip_equal(paths, names))
    if (failed(verifyVia(emitError, path, name)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// apply
//===----------------------------------------------------------------------===//

SmallVector<RowPath> ApplyOp::getRowPaths() {
  RowSpace from = *getRowSpace(getType());
  SmallVector<RowPath> paths = {pathTo(from, getLhs(), getLhsVia())};
  if (getRhs())
    paths.push_back(pathTo(from, getRhs(), getRhsVia()));
  return paths;
}

LogicalResult ApplyOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  SmallVector<RowPath> paths = getRowPaths();
  auto names = ArrayRef(pathNames).take_front(paths.size());
  if (failed(verifyPathsExist(emitError, paths, names))) // C1
    return failure();
  if (failed(verifyVias(emitError, paths, names))) // C2
    return failure();
  if (failed(verifyOperandCount(emitError, getKind(), getRhs()))) // C3
    return failure();
  if (failed(verifyFeaturesMeet(emitError, getLhs(), getRhs()))) // C4
    return failure();
  return verifyResultFeatures(emitError, combinedFeatures(getLhs(), getRhs()),
                              getType()); // C5
}

//===----------------------------------------------------------------------===//
// sddmm
//===----------------------------------------------------------------------===//

SmallVector<RowPath> SddmmOp::getRowPaths() {
  RowSpace from = *getRowSpace(getType());
  return {pathTo(from, getLhs(), getLhsVia()),
          pathTo(from, getRhs(), getRhsVia())};
}

LogicalResult SddmmOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  SmallVector<RowPath> paths = getRowPaths();
  auto names = ArrayRef(pathNames).take_front(paths.size());
  auto lhs = getLhs().getType(), rhs = getRhs().getType();
  if (failed(verifyPathsExist(emitError, paths, names))) // C1
    return failure();
  if (failed(verifyVias(emitError, paths, names))) // C2
    return failure();
  if (getFeatures(lhs).empty()) // C3
    return emitOpError(
        "expected at least one feature dimension of lhs, got none");
  if (failed(verifySameFeatures(emitError, lhs, rhs, "rhs"))) // C3
    return failure();
  return verifyResultFeatures(emitError, getFeatures(lhs).drop_back(),
                              getType()); // C4
}

//===----------------------------------------------------------------------===//
// spmm
//===----------------------------------------------------------------------===//

SmallVector<RowPath> SpmmOp::getRowPaths() {
  SmallVector<RowPath> paths = {pathTo(RowSpace::Edge, getLhs(), getLhsVia())};
  if (getRhs())
    paths.push_back(pathTo(RowSpace::Edge, getRhs(), getRhsVia()));
  paths.push_back(pathTo(RowSpace::Edge, getResult(), getVia()));
  return paths;
}

LogicalResult SpmmOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  SmallVector<RowPath> paths = getRowPaths();
  SmallVector<StringLiteral> names = {pathNames[0]};
  if (getRhs())
    names.push_back(pathNames[1]);
  names.push_back(pathNames[2]);
  if (paths.back().isIdentity()) // C1
    return emitOpError(
        "expected rows that edges are reduced to, got edge rows");
  if (failed(verifyVias(emitError, paths, names))) // C2
    return failure();
  if (failed(verifyOperandCount(emitError, getKind(), getRhs()))) // C3
    return failure();
  if (failed(verifyFeaturesMeet(emitError, getLhs(), getRhs()))) // C4
    return failure();
  return verifyResultFeatures(emitError, combinedFeatures(getLhs(), getRhs()),
                              getType()); // C5
}

//===----------------------------------------------------------------------===//
// edge_softmax
//===----------------------------------------------------------------------===//

SmallVector<RowPath> EdgeSoftmaxOp::getRowPaths() {
  return {{*getRowSpace(getType()), getOver(), std::nullopt}};
}

LogicalResult EdgeSoftmaxOp::verify() {
  RowSpace over = getOver(), rows = *getRowSpace(getType());
  bool ofSrc = over == RowSpace::Src || over == RowSpace::SrcPair;
  bool ofDst = over == RowSpace::Dst || over == RowSpace::DstPair;
  if (!ofSrc && !ofDst) // C1
    return emitOpError(
               "expected groups over src, dst, src_pair or dst_pair, got ")
           << stringifyRowSpace(over);
  bool isNode = over == RowSpace::Src || over == RowSpace::Dst;
  RowSpace pair = ofSrc ? RowSpace::SrcPair : RowSpace::DstPair;
  if (rows != RowSpace::Edge && !(isNode && rows == pair)) // C2
    return emitOpError("expected edge rows")
           << (isNode ? (ofSrc ? " or src_pair rows" : " or dst_pair rows")
                      : "")
           << " over " << stringifyRowSpace(over) << ", got "
           << stringifyRowSpace(rows) << " rows";
  return success();
}

//===----------------------------------------------------------------------===//
// attention
//===----------------------------------------------------------------------===//

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

RowPath AttentionOp::getTermPath(unsigned i) {
  std::optional<EndPoint> via;
  if (auto end = dyn_cast<EndPointAttr>(getTermVias()[i]))
    via = end.getValue();
  return pathTo(RowSpace::Edge, getTerms()[i], via);
}

RowPath AttentionOp::getValuePath() {
  return pathTo(RowSpace::Edge, getValue(), getValueVia());
}

RowPath AttentionOp::getResultPath() {
  return pathToEnd(*getRowSpace(getType()), endOfGroups(getOver()));
}

RowPath AttentionOp::getGroupPath() {
  return pathToEnd(groupSpace(*this), endOfGroups(getOver()));
}

ArrayRef<int64_t> AttentionOp::getScoreFeatures() {
  auto features =
      getFeatures(cast<RankedTensorType>(getTerms().front().getType()));
  return sumsFeatures() ? features.drop_back() : features;
}

bool AttentionOp::mustStore() {
  ArrayRef<int64_t> value = getFeatures(getValue().getType());
  return sumsFeatures() && value != getScoreFeatures() &&
         value !=
             getFeatures(cast<RankedTensorType>(getTerms().front().getType()));
}

SmallVector<std::pair<Value, RowPath>> AttentionOp::getScoreReads() {
  RowPath group = getGroupPath();
  SmallVector<std::pair<Value, RowPath>> reads;
  auto add = [&](Value value, RowPath path) {
    RowPath inGroup = {group.to, path.to, std::nullopt};
    bool sameEnd = !path.getEnd() || path.getEnd() == group.getEnd();
    if (!inGroup.exists() || inGroup.isAmbiguous() || !sameEnd)
      reads.push_back({value, path});
  };
  for (auto [i, term] : llvm::enumerate(getTerms()))
    add(term, getTermPath(i));
  if (Value by = getBy(); by && getRows(by.getType()))
    add(by, pathTo(RowSpace::Edge, by, getByVia()));
  if (Value prior = getPrior())
    add(prior, pathTo(RowSpace::Edge, prior, getPriorVia()));
  return reads;
}

/// The paths of an attention and what they lead to, for messages.
static void listPaths(AttentionOp op, SmallVectorImpl<RowPath> &paths,
                      SmallVectorImpl<StringLiteral> &names) {
  auto add = [&](Value value, std::optional<EndPoint> via, StringLiteral name) {
    if (!value || !getRows(value.getType()))
      return;
    paths.push_back(pathTo(RowSpace::Edge, value, via));
    names.push_back(name);
  };
  for (unsigned i = 0; i < op.getTerms().size(); ++i) {
    paths.push_back(op.getTermPath(i));
    names.push_back("a term");
  }
  add(op.getBy(), op.getByVia(), "by");
  add(op.getPrior(), op.getPriorVia(), "prior");
  add(op.getValue(), op.getValueVia(), "value");
  add(op.getFactor(), op.getFactorVia(), "factor");
}

SmallVector<RowPath> AttentionOp::getRowPaths() {
  SmallVector<RowPath> paths;
  SmallVector<StringLiteral> names;
  listPaths(*this, paths, names);
  paths.push_back(getResultPath());
  return paths;
}

/// Verifies that `over` names groups of edges.
static LogicalResult verifyGroups(AttentionOp op) {
  RowSpace over = op.getOver();
  if (over == RowSpace::Src || over == RowSpace::Dst ||
      over == RowSpace::SrcPair || over == RowSpace::DstPair)
    return success();
  return op.emitOpError(
             "expected groups over src, dst, src_pair or dst_pair, got ")
         << stringifyRowSpace(over);
}

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

/// Verifies how many terms there are, and that each has an end or none.
static LogicalResult verifyTerms(AttentionOp op) {
  bool isDot = op.getKind() == ScoreKind::Dot;
  size_t terms = op.getTerms().size();
  if (isDot ? terms != 2 : terms == 0)
    return op.emitOpError()
           << stringifyScoreKind(op.getKind()) << ": expected "
           << (isDot ? "two terms" : "at least one term") << ", got " << terms;
  bool isList = llvm::all_of(op.getTermVias(), [](Attribute end) {
    return isa<EndPointAttr, UnitAttr>(end);
  });
  if (op.getTermVias().size() != terms || !isList)
    return op.emitOpError("expected an end or unit for each of the ")
           << terms << " terms, got " << op.getTermVias();
  return success();
}

/// Verifies that all terms have features of one shape, with one to sum over.
static LogicalResult verifyTermFeatures(AttentionOp op) {
  auto emitError = [&] { return Failure(op.emitOpError()); };
  auto first = cast<RankedTensorType>(op.getTerms().front().getType());
  for (Value term : op.getTerms().drop_front())
    if (failed(verifySameFeatures(emitError, first,
                                  cast<RankedTensorType>(term.getType()),
                                  "all terms")))
      return failure();
  if (op.sumsFeatures() && getFeatures(first).empty())
    return op.emitOpError(
        "expected at least one feature dimension of the terms, got none");
  return success();
}

/// Verifies what only sums of terms have.
static LogicalResult verifyAddition(AttentionOp op) {
  auto emitError = [&] { return Failure(op.emitOpError()); };
  bool isDot = op.getKind() == ScoreKind::Dot;
  if (isDot && (op.getBy() || op.getLeakyRelu()))
    return op.emitOpError("dot: expected neither 'by' nor 'leaky_relu', got ")
           << (op.getBy() ? "'by'" : "'leaky_relu'");
  if (!op.getBy())
    return success();
  auto first = cast<RankedTensorType>(op.getTerms().front().getType());
  return verifySameFeatures(emitError, first, op.getBy().getType(), "by");
}

/// Verifies that a scalar of edges meets the scores.
static LogicalResult verifyScalar(AttentionOp op, Value scalar,
                                  StringRef name) {
  if (!scalar)
    return success();
  ArrayRef<int64_t> scores = op.getScoreFeatures();
  auto features = getFeatures(cast<RankedTensorType>(scalar.getType()));
  if (isPrefix(features, scores))
    return success();
  return op.emitOpError("expected features ")
         << formatShape(scores) << " of the scores to begin with those of "
         << name << ", got " << formatShape(features);
}

LogicalResult AttentionOp::verify() {
  auto emitError = [&] { return emitOpError(); };
  if (failed(verifyGroups(*this))) // C1
    return failure();
  if (failed(verifyResultRows(*this))) // C2
    return failure();
  if (failed(verifyTerms(*this))) // C4
    return failure();
  SmallVector<RowPath> paths;
  SmallVector<StringLiteral> names;
  listPaths(*this, paths, names);
  if (failed(verifyVias(emitError, paths, names))) // C3
    return failure();
  if (failed(verifyTermFeatures(*this))) // C5
    return failure();
  if (failed(verifyAddition(*this))) // C6
    return failure();
  if (failed(verifyScalar(*this, getPrior(), "prior")) ||
      failed(verifyScalar(*this, getFactor(), "factor"))) // C7
    return failure();
  ArrayRef<int64_t> scores = getScoreFeatures();
  ArrayRef<int64_t> value = getFeatures(getValue().getType());
  if (!isPrefix(scores, value)) // C8
    return emitOpError("expected features of value that begin with those of "
                       "the scores, ")
           << formatShape(scores) << ", got " << formatShape(value);
  return verifySameFeatures(emitError, getValue().getType(), getType(),
                            "result"); // C9
}

#define GET_OP_CLASSES
#include "GNN/Dialect/GNN/IR/GNNSparseOps.cpp.inc"

void GNNDialect::addSparseOps() {
  addOperations<
#define GET_OP_LIST
#include "GNN/Dialect/GNN/IR/GNNSparseOps.cpp.inc"
      >();
}
