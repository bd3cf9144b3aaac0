//===- TileOps.cpp - Ops of gnn_tile --------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verification; TileTemplates.cpp has the interface. The ODS descriptions hold
// the labels that the comments below refer to.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/InPlace.h"
#include "GNN/Dialect/Tile/IR/Parts.h"
#include "GNN/Dialect/Tile/IR/Ranges.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace gnn::tile;

//===----------------------------------------------------------------------===//
// Printing of reductions: `sum [element]`
//===----------------------------------------------------------------------===//

/// Writes dimensions as `[element, feature]`.
template <typename Stream>
static void printDims(Stream &stream, ArrayRef<int32_t> dims) {
  stream << "[";
  llvm::interleaveComma(dims, stream, [&](int32_t dim) {
    stream << stringifyDim(static_cast<Dim>(dim));
  });
  stream << "]";
}

static ParseResult parseReduction(OpAsmParser &parser, ReductionAttr &kind,
                                  DenseI32ArrayAttr &dims) {
  auto value = FieldParser<Reduction>::parse(parser);
  if (failed(value))
    return failure();
  kind = ReductionAttr::get(parser.getContext(), *value);
  SmallVector<int32_t> list;
  auto parseDim = [&]() -> ParseResult {
    auto dim = FieldParser<Dim>::parse(parser);
    if (failed(dim))
      return failure();
    list.push_back(static_cast<int32_t>(*dim));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseDim))
    return failure();
  dims = DenseI32ArrayAttr::get(parser.getContext(), list);
  return success();
}

static void printReduction(OpAsmPrinter &printer, Operation *,
                           ReductionAttr kind, DenseI32ArrayAttr dims) {
  printer << stringifyReduction(kind.getValue()) << " ";
  printDims(printer, dims);
}

#define GET_OP_CLASSES
#include "GNN/Dialect/Tile/IR/TileOps.cpp.inc"

LogicalResult ReduceOp::verify() {
  ArrayRef<int32_t> dims = getDims();
  llvm::SmallDenseSet<int32_t> seen(dims.begin(), dims.end());
  if (dims.empty() || seen.size() != dims.size()) { // C1
    InFlightDiagnostic diag =
        emitOpError("expected one or more dimensions, each once, got ");
    printDims(diag, dims);
    return diag;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Counts and structures
//===----------------------------------------------------------------------===//

LogicalResult StructureOp::verify() {
  auto type = cast<ShapedType>(getResult().getType());
  if (!type.hasRank() || type.getRank() != 1 || !type.isDynamicDim(0) ||
      !type.getElementType().isSignlessInteger(32)) // C1
    return emitOpError("expected a result of ?xi32, got ") << type;
  return success();
}

//===----------------------------------------------------------------------===//
// Templates
//===----------------------------------------------------------------------===//

static LogicalResult verifyBodyOps(Operation *op, Region &body,
                                   bool allowTileOps) {
  WalkResult walk = body.walk([&](Operation *inner) {
    Dialect *dialect = inner->getDialect();
    if (isa_and_nonnull<arith::ArithDialect, math::MathDialect>(dialect) ||
        isa<YieldOp>(inner) ||
        (allowTileOps &&
         isa<ReduceOp, ArgReduceOp, SoftmaxSumOp, FoldOp, SizeOp, IndexOp>(
             inner)))
      return WalkResult::advance();
    op->emitOpError("body holds an op that a kernel cannot compute: '")
        << inner->getName() << "'";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

/// Checks the dimensions that an access names, before their sizes are read.
static LogicalResult verifyRank(Operation *op, Type type, AtAttr at) {
  unsigned leading = at.getAnchor() == Anchor::All ? 0 : 1;
  unsigned rank = leading + at.getHead() + at.getFeature() + at.getColumn();
  auto shaped = cast<ShapedType>(type);
  if (!shaped.hasRank() || shaped.getRank() != rank)
    return op->emitOpError("expected an operand of ")
           << rank << " dimensions at " << at << ", got " << type;
  auto columns = shaped.getShape().drop_front(leading);
  if (!at.getColumn() && llvm::any_of(columns, ShapedType::isDynamic))
    return op->emitOpError("expected static sizes but that of rows at ")
           << at << ", got " << type;
  return success();
}

/// The same for what a product reads or writes row by row.
static LogicalResult verifyRowRank(Operation *op, Type type, AtAttr at) {
  if (at.getAnchor() != Anchor::Group || !at.getFeature())
    return op->emitOpError("expected an access at the group with features, "
                           "got ")
           << at;
  return verifyRank(op, type, at);
}

/// Checks that a tensor keeps its rows in the order in which `at` reads or
/// writes them: that of `rows`, none where it has no row. New self loops lie
/// behind edges in any order.
static LogicalResult verifyOrder(Operation *op, Type type, AtAttr at,
                                 RowDomain rows) {
  if (!isa<RankedTensorType>(type) || rows.isIn(gnn::Space::ParentLoop))
    return success();
  if (rows.isOfParent())
    rows = {withoutParent(rows.get().space), rows.get().order};
  OrderAttr expected = getOrderFor(op->getContext(), rows);
  if (getOrder(type) == expected)
    return success();
  if (expected)
    return op->emitOpError("expected rows in the order ")
           << expected << " at " << at << ", got " << type;
  return op->emitOpError("expected rows in their natural order at ")
         << at << ", got " << type;
}

/// Checks that a weight has no rows in an order of the graph.
static LogicalResult verifyWeightOrder(Operation *op, Type type) {
  if (!getOrder(type))
    return success();
  return op->emitOpError(
             "expected a weight, which has no rows of a graph, got ")
         << type;
}

/// Checks an operand whose columns are the rows of `groups`.
static LogicalResult verifyColumns(Operation *op, ShapedType type, AtAttr at,
                                   int64_t features, RowDomain groups) {
  if (groups.isFixed() && type.hasStaticShape() &&
      type.getDimSize(0) * type.getDimSize(2) == groups.getCount() &&
      type.getDimSize(1) == features)
    return success();
  return op->emitOpError("expected [matrices, ")
         << features << ", columns] with '" << groups.str()
         << "' columns in all, got " << type << " at " << at;
}

/// Checks the dimensions and rows of an operand against its access.
static LogicalResult verifyAccess(Operation *op, Type type, AtAttr at,
                                  int64_t heads, int64_t features,
                                  RowDomain groups, RowDomain elements,
                                  bool isOutput = false) {
  if (failed(verifyRank(op, type, at)))
    return failure();
  if (at.getColumn())
    return op->emitOpError(
               "expected an access to rows, only a traversal reads columns; "
               "got ")
           << at;
  auto shaped = cast<ShapedType>(type);
  unsigned leading = at.getAnchor() == Anchor::All ? 0 : 1;
  unsigned rank = shaped.getRank();
  if (at.getHead()) {
    // Tensors have no others.
    int64_t size = shaped.getDimSize(leading);
    bool isBuffer = isa<MemRefType>(type);
    if (isBuffer ? size - heads < at.getHeadOffset()
                 : size != heads || at.getHeadOffset())
      return op->emitOpError("expected ")
             << (isBuffer && at.getHeadOffset() ? "at least " : "")
             << static_cast<uint64_t>(at.getHeadOffset()) + heads
             << " heads, got " << type << " at " << at;
  }
  if (at.getFeature()) {
    int64_t size = shaped.getDimSize(rank - 1);
    if (size - features < at.getOffset()) // no overflow
      return op->emitOpError("expected at least ")
             << static_cast<uint64_t>(at.getOffset()) + features
             << " features, got " << type << " at " << at;
  }
  if (at.getAnchor() == Anchor::Element && !elements)
    return op->emitOpError("has an access at the element of a domain without "
                           "elements");
  RowDomain from = at.getStart(groups, elements);
  if (leading && !at.getSpace() && from.isFixed() &&
      shaped.getDimSize(0) != from.getCount())
    return op->emitOpError("expected ")
           << from.getCount() << " rows, got " << type << " at " << at;
  if (at.getSpace() && !hasMap(from, at.getSpace()) &&
      !(isOutput && isInjective(from, at.getSpace())))
    return op->emitOpError() << explainMap(from, at.getSpace());
  return verifyOrder(op, type, at,
                     !leading        ? RowDomain()
                     : at.getSpace() ? at.getSpace()
                                     : from);
}

LogicalResult TraverseOp::verify() {
  DomainAttr domain = getDomain();
  if (getInputsAt().size() != getInputs().size() ||
      getOutputsAt().size() != getOutputs().size()) // C1
    return emitOpError("expected one access an operand: ")
           << getInputs().size() << " inputs with " << getInputsAt().size()
           << " accesses, " << getOutputs().size() << " outputs with "
           << getOutputsAt().size();
  // C5, with the shapes: an element access needs elements.
  // C9, with the shapes: tensors are in the order of their access.
  for (auto [input, at] :
       llvm::zip(getInputs(), getInputsAt().getAsRange<AtAttr>())) {
    if (at.getColumn()) {
      if (failed(verifyRank(*this, input.getType(), at)) ||
          failed(verifyColumns(*this, cast<ShapedType>(input.getType()), at,
                               domain.getFeatures(),
                               domain.getGroups()))) // C2
        return failure();
      continue;
    }
    if (failed(verifyAccess(*this, input.getType(), at, domain.getHeads(),
                            domain.getFeatures(), domain.getGroups(),
                            domain.getElements()))) // C2
      return failure();
  }
  for (auto [output, at] :
       llvm::zip(getOutputs(), getOutputsAt().getAsRange<AtAttr>())) {
    if (failed(verifyAccess(*this, output.getType(), at, domain.getHeads(),
                            domain.getFeatures(), domain.getGroups(),
                            domain.getElements(), /*isOutput=*/true))) // C2
      return failure();
    RowDomain walked = getStart(at);
    if (at.getAnchor() == Anchor::All ||
        (at.getSpace() && !isInjective(walked, at.getSpace()))) // C6
      return emitOpError("several points would write one row of an output at ")
             << at;
  }
  Block &block = getBody().front();
  if (block.getNumArguments() != getInputs().size()) // C3
    return emitOpError("expected one body argument an input: ")
           << getInputs().size() << ", got " << block.getNumArguments();
  for (auto [argument, input] : llvm::zip(block.getArguments(), getInputs()))
    if (argument.getType() != getElementTypeOrSelf(input.getType())) // C3
      return emitOpError("expected a body argument of type ")
             << getElementTypeOrSelf(input.getType()) << ", got "
             << argument.getType();
  if (failed(verifyInPlace(*this))) // C10
    return failure();
  return verifyRange(*this); // C11, // C14
}

/// Checks an op of a body against the domain that it is computed in.
static LogicalResult verifyInDomain(Operation *inner, DomainAttr domain) {
  auto needsElements = [&] {
    if (auto reduce = dyn_cast<ReduceOp>(inner))
      return llvm::is_contained(reduce.getDims(),
                                static_cast<int32_t>(Dim::Element));
    if (auto index = dyn_cast<IndexOp>(inner))
      return index.getAt().getAnchor() == Anchor::Element;
    return isa<ArgReduceOp, SoftmaxSumOp, FoldOp, SizeOp>(inner);
  };
  if (!domain.getElements() && needsElements())
    return inner->emitOpError("needs a domain with elements, got ") << domain;
  auto index = dyn_cast<IndexOp>(inner);
  if (!index || !index.getAt().getSpace())
    return success();
  AtAttr at = index.getAt();
  RowDomain from = at.getStart(domain.getGroups(), domain.getElements());
  if (!hasMap(from, at.getSpace()))
    return inner->emitOpError() << explainMap(from, at.getSpace());
  return success();
}

/// After the ops of the body: levels follow their operands.
LogicalResult TraverseOp::verifyRegions() {
  if (failed(verifyBodyOps(*this, getBody(), /*allowTileOps=*/true))) // C7
    return failure();
  for (Operation &inner : getBody().front())
    if (failed(verifyInDomain(&inner, getDomain()))) // C5
      return failure();
  Block &block = getBody().front();
  auto yield = cast<YieldOp>(block.getTerminator());
  if (yield.getValues().size() != getOutputs().size()) // C4
    return emitOpError("expected one yielded value an output: ")
           << getOutputs().size() << ", got " << yield.getValues().size();
  for (auto [value, output, at] :
       llvm::zip(yield.getValues(), getOutputs(),
                 getOutputsAt().getAsRange<AtAttr>())) {
    if (value.getType() != getElementTypeOrSelf(output.getType())) // C4
      return emitOpError("expected a yielded value of type ")
             << getElementTypeOrSelf(output.getType()) << ", got "
             << value.getType();
    if (!getLevel(value).within(getLevel(at))) // C4
      return emitOpError("a value yielded to an output at ")
             << at << " varies by a dimension that the output does not have";
  }
  // C13, with the parts: there is one for each result of a reduction.
  return verifyParts(*this); // C12
}

/// True if `types` groups the rows of `rows`: by a structure of the graph, or
/// evenly, for a fixed number of rows.
static bool groupsRows(RowDomain types, RowDomain rows) {
  if (types.isFixed())
    return types.getCount() > 0 && rows.isFixed() &&
           rows.getCount() % types.getCount() == 0;
  return hasRows(types, rows);
}

/// Checks that all operands of a product hold the same floats.
static LogicalResult verifyFloats(Operation *op, TypeRange operands) {
  Type element = getElementTypeOrSelf(operands.front());
  for (Type operand : operands)
    if (!isa<FloatType>(element) || getElementTypeOrSelf(operand) != element)
      return op->emitOpError("expected operands of one float type, got ")
             << operands.front() << " and " << operand;
  return success();
}

LogicalResult GemmOp::verify() {
  if (failed(verifyFloats(*this, {getInput().getType(), getWeight().getType(),
                                  getOutput().getType()}))) // C1
    return failure();
  if (getRows().isOfParent()) // C6
    return emitOpError("expected a row space in 'rows', got '")
           << getRows().str() << "'";
  if (getTypes() && getTypes()->isTiles()) // C6
    return emitOpError("expected types that have weights, got '")
           << getTypes()->str() << "'";
  if (getTypes() && !groupsRows(*getTypes(), getRows())) // C6
    return emitOpError("the rows of one '")
           << getTypes()->str() << "' do not lie side by side in '"
           << getRows().str() << "'";
  if (getWeights() && !(getTypes() && hasMap(*getTypes(), *getWeights()))) // C7
    return emitOpError("no map leads from '")
           << getTypes().value_or(RowDomain()).str() << "' to the weights of '"
           << getWeights()->str() << "'";
  if (failed(verifyRowRank(*this, getInput().getType(), getInputAt())) || // C1
      failed(verifyRowRank(*this, getOutput().getType(), getOutputAt()))) // C1
    return failure();
  auto weight = cast<ShapedType>(getWeight().getType());
  bool heads = getOutputAt().getHead();
  int64_t least = 2 + (getTypes() ? 1 : 0);
  if (!weight.hasRank() || weight.getRank() < least ||
      weight.getRank() > least + heads) // C1
    return emitOpError("expected a weight of ")
           << least + heads << " dimensions, got " << weight;
  if (llvm::any_of(weight.getShape().drop_front(getTypes() ? 1 : 0),
                   ShapedType::isDynamic)) // C1
    return emitOpError("expected a weight of static sizes, got ") << weight;
  if (weightHasHeads() &&
      weight.getDimSize(weight.getRank() - 3) != getHeads()) // C1
    return emitOpError("expected a weight for ")
           << getHeads() << " heads, got " << weight;
  if (getInputAt().getHead() && !heads) // C1
    return emitOpError("expected an output with the heads of the input, got ")
           << getOutput().getType();
  if (failed(verifyWeightOrder(*this, weight))) // C9
    return failure();
  if (failed(verifyAccess(*this, getInput().getType(), getInputAt(), getHeads(),
                          getIn(), getRows(), {})) ||
      failed(verifyAccess(*this, getOutput().getType(), getOutputAt(),
                          getHeads(), getOut(), getRows(), {},
                          /*isOutput=*/true)))
    return failure();
  AtAttr at = getOutputAt();
  if (at.getSpace() && !isInjective(getRows(), at.getSpace())) // C2
    return emitOpError("several rows would write one row of an output at ")
           << at;
  if (getExtrasAt().size() != getExtras().size()) // C3
    return emitOpError("expected one access an extra: ")
           << getExtras().size() << ", got " << getExtrasAt().size();
  for (auto [extra, extraAt] :
       llvm::zip(getExtras(), getExtrasAt().getAsRange<AtAttr>())) {
    if (extraAt.getHead() && !heads) // C3
      return emitOpError("expected an output with the heads of an extra at ")
             << extraAt << ", got " << getOutput().getType();
    if (failed(verifyAccess(*this, extra.getType(), extraAt, getHeads(),
                            getOut(), getRows(), {}))) // C3
      return failure();
  }
  Block &block = getBody().front();
  auto yield = cast<YieldOp>(block.getTerminator());
  if (block.getNumArguments() != 1 + getExtras().size() ||
      yield.getValues().size() != 1) // C4
    return emitOpError("expected a body of ")
           << 1 + getExtras().size() << " arguments and one yielded value, got "
           << block.getNumArguments() << " and " << yield.getValues().size();
  Type element = getElementTypeOrSelf(getOutput().getType());
  if (block.getArgument(0).getType() != element ||
      yield.getValues()[0].getType() != element) // C4
    return emitOpError("expected a body from ")
           << element << " to " << element << ", got "
           << block.getArgument(0).getType() << " and "
           << yield.getValues()[0].getType();
  if (failed(verifyInPlace(*this)) || // C10
      failed(verifyRange(*this)))     // C11, // C12
    return failure();
  return verifyBodyOps(*this, getBody(), /*allowTileOps=*/false); // C5
}

/// Checks the shape that `name` is expected to have.
static LogicalResult verifyShape(Operation *op, StringRef name, ShapedType type,
                                 ArrayRef<int64_t> expected) {
  if (type.hasRank() && type.getShape() == expected)
    return success();
  InFlightDiagnostic diag = op->emitOpError("expected ")
                            << name << " of shape [";
  llvm::interleaveComma(expected, diag, [&](int64_t size) {
    ShapedType::isDynamic(size) ? diag << "?" : diag << size;
  });
  return diag << "], got " << type;
}

LogicalResult OuterOp::verify() {
  if (failed(verifyFloats(*this, {getLeft().getType(), getRight().getType(),
                                  getOutput().getType()}))) // C1
    return failure();
  if (getRows().isOfParent()) // C2
    return emitOpError("expected a row space in 'rows', got '")
           << getRows().str() << "'";
  if (getTypes() && !groupsRows(*getTypes(), getRows())) // C2
    return emitOpError("the rows of one '")
           << getTypes()->str() << "' do not lie side by side in '"
           << getRows().str() << "'";
  if (getInputsAt().size() != 2) // C3
    return emitOpError("expected two accesses, got ") << getInputsAt().size();
  auto accesses = llvm::to_vector(getInputsAt().getAsRange<AtAttr>());
  if (failed(verifyRowRank(*this, getLeft().getType(), accesses[0])) || // C3
      failed(verifyRowRank(*this, getRight().getType(), accesses[1])))  // C3
    return failure();
  auto left = cast<ShapedType>(getLeft().getType());
  auto right = cast<ShapedType>(getRight().getType());
  auto output = cast<ShapedType>(getOutput().getType());
  if (failed(verifyWeightOrder(*this, output))) // C5
    return failure();
  int64_t heads = getHeads();
  SmallVector<int64_t> expected;
  bool ofTiles = getTypes() && getTypes()->isTiles();
  if (getTypes()) {
    if (!output.hasRank() || output.getRank() == 0 ||
        output.isDynamicDim(0) != ofTiles) // C1
      return emitOpError("expected an output with ")
             << (ofTiles ? "a leading dimension of ? for the tiles"
                         : "a number of types")
             << ", got " << output;
    expected.push_back(output.getDimSize(0));
  }
  if (heads && !sumsHeads())
    expected.push_back(heads);
  // Rows of a buffer may have more columns than are read of them.
  for (auto [side, fromEnd] : {std::pair(left, 2u), {right, 1u}}) {
    int64_t columns = side.getShape().back();
    unsigned rank = output.getRank();
    expected.push_back(columns);
    if (isa<MemRefType>(side) && rank >= fromEnd &&
        !output.isDynamicDim(rank - fromEnd))
      expected.back() = std::min(columns, output.getDimSize(rank - fromEnd));
  }
  if (failed(verifyShape(*this, "an output", output, expected))) // C1
    return failure();
  ShapedType sides[] = {left, right};
  int64_t columns[] = {getIn(), getOut()};
  // C5, with the shapes: tensors are in the order of their access.
  for (auto [side, at, count] : llvm::zip_equal(sides, accesses, columns))
    if (failed(verifyAccess(*this, side, at, heads ? heads : 1, count,
                            getRows(), {})))
      return failure();
  if (failed(verifyInPlace(*this)) || // C7
      failed(verifyRange(*this)))     // C8, // C9
    return failure();
  if (!getSums())
    return getSumsLeft() ? emitOpError("expected 'sums' beside 'sums_left'")
                         : success(); // C6
  if (heads)                          // C6
    return emitOpError("expected no heads beside 'sums', got ") << heads;
  expected.erase(std::prev(expected.end(), getSumsLeft() ? 1 : 2));
  if (failed(verifyFloats(
          *this, {getOutput().getType(), getSums().getType()})) || // C6
      failed(verifyWeightOrder(*this, cast<ShapedType>(getSums().getType()))))
    return failure();
  return verifyShape(*this, "sums", cast<ShapedType>(getSums().getType()),
                     expected); // C6
}
