//===- RowOps.cpp - Ops along paths of the lattice ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gather, aggregate, degree, apply, sddmm, spmm, edge_softmax: traversals.
//
//===----------------------------------------------------------------------===//

#include "OpLowerings.h"

#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Dialect/GNN/IR/GNNSparseOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace gnn;
using tile::Anchor;
using tile::AtAttr;
using tile::Dim;

/// The dimensions of features by which rows of `domain` are copied or added up.
/// Rows of types are weights, of which no dimension is heads: all of a row are
/// columns, which blocks share.
static SmallVector<int64_t> copiedDims(ArrayRef<int64_t> features,
                                       tile::RowDomain domain) {
  if (features.size() == 2 &&
      (domain.isKind(RowKind::EdgeType) || domain.isKind(RowKind::NodeType)))
    return {sizeOf(features)};
  return walkedDims(features);
}

static LogicalResult lowerGather(GatherOp op, Lowering &lowering) {
  LoweredRows result = lowering.describe(op.getType());
  LoweredRows input = lowering.view(op.getInput());
  SmallVector<int64_t> dims = copiedDims(result.features, result.getDomain());
  result.features = dims;
  input = lowering.reshape(op.getLoc(), input, dims);
  lowering.setRowwise(op, result, dims,
                      {lowering.leading(input, result, op.getVia())}, copied);
  return success();
}

static LogicalResult lowerAggregate(AggregateOp op, Lowering &lowering) {
  Location loc = op.getLoc();
  auto inputType = cast<RankedTensorType>(op.getInput().getType());
  RowSpace space = *getRowSpace(inputType);
  LoweredRows result = lowering.describe(op.getResult().getType(), op.getVia());
  if (!op.getVia() && (space == RowSpace::SrcPair || space == RowSpace::Src))
    result = lowering.describe(op.getResult().getType(), EndPoint::Src);
  tile::RowDomain elements = lowering.elementsOf(result.getDomain(), space);
  if (!elements)
    return op.emitOpError("has no lowering: no structure lists the rows of '")
           << stringifyRowSpace(space) << "' by '" << result.getDomain().str()
           << "'";
  SmallVector<int64_t> dims = copiedDims(result.features, elements);
  result.features = dims;
  LoweredRows input = lowering.reshape(loc, lowering.view(op.getInput()), dims);
  auto domain = lowering.domainOf(result.getDomain(), elements, dims);
  Input read = lowering.leading(input, Anchor::Element, elements, op.getVia(),
                                dims.size());
  AtAttr at = lowering.leadingAt(Anchor::Group, dims.size(), dims.size());
  Type element = inputType.getElementType();
  tile::Reduction kind = reductionOf(op.getKind());
  if (!op.getArgument()) {
    result.tensor = lowering.traverse(
        loc, result.graph, domain, {read}, lowering.empty(loc, result, element),
        at, [&](OpBuilder &b, Location loc, ValueRange args) {
          return emitReduce(b, loc, kind, Dim::Element, args[0]);
        });
    lowering.set(op.getResult(), result);
    return success();
  }
  // The argument is a row of the input, in the user's order.
  tile::RowDomain user = elements.getNatural();
  auto edge =
      AtAttr::get(op.getContext(), Anchor::Element,
                  user == elements ? tile::RowDomain() : user, false, false, 0);
  LoweredRows argument = result;
  Value outputs[] = {
      lowering.empty(loc, result, element),
      lowering.empty(loc, argument, lowering.builder.getI32Type())};
  ResultRange results = lowering.traverse(
      loc, result.graph, domain, {read}, outputs, {at, at},
      [&](OpBuilder &b, Location loc, ValueRange args) -> SmallVector<Value> {
        Value row = tile::IndexOp::create(b, loc, b.getI32Type(), edge);
        auto best = tile::ArgReduceOp::create(b, loc, element, b.getI32Type(),
                                              kind, args[0], row);
        return {best.getExtreme(), best.getArgument()};
      });
  result.tensor = results[0];
  argument.tensor = results[1];
  lowering.set(op.getResult(), result);
  lowering.set(op.getArgument(), argument);
  return success();
}

static LogicalResult lowerDegree(DegreeOp op, Lowering &lowering) {
  std::optional<EndPoint> end = op.getVia();
  if (!end && (op.getOf() == RowSpace::SrcPair || op.getOf() == RowSpace::Src))
    end = EndPoint::Src;
  LoweredRows result = lowering.describe(op.getType(), end);
  tile::RowDomain elements =
      lowering.elementsOf(result.getDomain(), op.getOf());
  if (!elements)
    return op.emitOpError("has no lowering: no structure lists the rows of '")
           << stringifyRowSpace(op.getOf()) << "' by '"
           << result.getDomain().str() << "'";
  Type element = cast<RankedTensorType>(op.getType()).getElementType();
  result.tensor =
      lowering.traverse(op.getLoc(), result.graph,
                        lowering.domainOf(result.getDomain(), elements, {}), {},
                        lowering.empty(op.getLoc(), result, element),
                        lowering.leadingAt(Anchor::Group, 0, 0),
                        [&](OpBuilder &b, Location loc, ValueRange) -> Value {
                          return tile::SizeOp::create(b, loc, element);
                        });
  lowering.set(op, result);
  return success();
}

/// The features of `rows` as walked with those of `other`, which begin with
/// them or are their beginning: more than two dimensions become those that both
/// have and those that one has alone.
static SmallVector<int64_t> walkedWith(const LoweredRows &rows,
                                       const LoweredRows &other) {
  ArrayRef<int64_t> own = rows.features, others = other.features;
  size_t shared = std::min(own.size(), others.size());
  if (shared == 0 || own.size() == others.size() ||
      std::max(own.size(), others.size()) <= 2)
    return walkedDims(own);
  SmallVector<int64_t> dims = {sizeOf(own.take_front(shared))};
  if (own.size() > shared)
    dims.push_back(sizeOf(own.drop_front(shared)));
  return dims;
}

/// The operands of an op that combines two rows, or copies one, with features
/// that fit into one walk.
template <typename OpT>
static SmallVector<LoweredRows> combinedRows(Lowering &lowering, OpT op) {
  SmallVector<LoweredRows> rows;
  for (Value operand : op->getOperands())
    rows.push_back(lowering.view(operand));
  SmallVector<SmallVector<int64_t>> dims;
  for (auto [i, side] : llvm::enumerate(rows))
    dims.push_back(walkedWith(side, rows[rows.size() - 1 - i]));
  for (auto [side, own] : llvm::zip_equal(rows, dims))
    side = lowering.reshape(op.getLoc(), side, own);
  return rows;
}

/// The longest of the feature dimensions.
static SmallVector<int64_t> longest(ArrayRef<LoweredRows> rows) {
  return llvm::max_element(rows,
                           [](const LoweredRows &a, const LoweredRows &b) {
                             return a.features.size() < b.features.size();
                           })
      ->features;
}

static LogicalResult lowerApply(ApplyOp op, Lowering &lowering) {
  LoweredRows result = lowering.describe(op.getType());
  SmallVector<LoweredRows> rows = combinedRows(lowering, op);
  result.features = longest(rows);
  SmallVector<Input> inputs{
      lowering.leading(rows.front(), result, op.getLhsVia())};
  if (op.getRhs())
    inputs.push_back(lowering.leading(rows.back(), result, op.getRhsVia()));
  lowering.setRowwise(op, result, result.features, inputs,
                      [&](OpBuilder &b, Location loc, ValueRange args) {
                        return emitBinary(b, loc, op.getKind(), args[0],
                                          args.back());
                      });
  return success();
}

static LogicalResult lowerSddmm(SddmmOp op, Lowering &lowering) {
  Location loc = op.getLoc();
  LoweredRows result = lowering.describe(op.getType());
  LoweredRows lhs = lowering.view(op.getLhs()),
              rhs = lowering.view(op.getRhs());
  SmallVector<int64_t> walked(lhs.features);
  if (walked.size() > 2) { // products of heads, however many dimensions
    result.features = {sizeOf(result.features)};
    walked = {result.features[0], walked.back()};
    lhs = lowering.reshape(loc, lhs, walked);
    rhs = lowering.reshape(loc, rhs, walked);
  }
  unsigned dims = walked.size();
  lowering.setRowwise(
      op, result, walked,
      {lowering.leading(lhs, Anchor::Group, result.getDomain(), op.getLhsVia(),
                        dims),
       lowering.leading(rhs, Anchor::Group, result.getDomain(), op.getRhsVia(),
                        dims)},
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value product = arith::MulFOp::create(b, loc, args[0], args[1]);
        return emitReduce(b, loc, tile::Reduction::Sum, Dim::Feature, product);
      });
  return success();
}

static LogicalResult lowerSpmm(SpmmOp op, Lowering &lowering) {
  LoweredRows result = lowering.describe(op.getType(), op.getVia());
  tile::RowDomain elements =
      lowering.elementsOf(result.getDomain(), RowSpace::Edge);
  if (!elements)
    return op.emitOpError("has no lowering: no structure lists edges by '")
           << result.getDomain().str() << "'";
  SmallVector<LoweredRows> rows = combinedRows(lowering, op);
  SmallVector<int64_t> dims = longest(rows);
  result.features = dims;
  SmallVector<Input> inputs{lowering.leading(
      rows.front(), Anchor::Element, elements, op.getLhsVia(), dims.size())};
  if (op.getRhs())
    inputs.push_back(lowering.leading(rows.back(), Anchor::Element, elements,
                                      op.getRhsVia(), dims.size()));
  auto domain = lowering.domainOf(result.getDomain(), elements, dims);
  AtAttr at = lowering.leadingAt(Anchor::Group, dims.size(), dims.size());
  Type element = cast<RankedTensorType>(op.getType()).getElementType();
  result.tensor = lowering.traverse(
      op.getLoc(), result.graph, domain, inputs,
      lowering.empty(op.getLoc(), result, element), at,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value message = emitBinary(b, loc, op.getKind(), args[0], args.back());
        return emitReduce(b, loc, reductionOf(op.getReduce()), Dim::Element,
                          message);
      });
  lowering.set(op, result);
  return success();
}

static LogicalResult lowerEdgeSoftmax(EdgeSoftmaxOp op, Lowering &lowering) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getInput().getType());
  tile::RowDomain groups = keptRows(op.getOver(), {});
  tile::RowDomain elements = lowering.elementsOf(groups, *getRowSpace(type));
  if (!elements)
    return op.emitOpError("has no lowering: no structure lists the rows of '")
           << stringifyRowSpace(*getRowSpace(type)) << "' by '" << groups.str()
           << "'";
  LoweredRows result = lowering.describe(type);
  SmallVector<int64_t> dims = walkedDims(result.features);
  result.features = dims;
  LoweredRows input = lowering.reshape(loc, lowering.view(op.getInput()), dims);
  auto domain = lowering.domainOf(groups, elements, dims);
  AtAttr outputAt = lowering.access(result, Anchor::Element, elements, {},
                                    dims.size() == 2, !dims.empty());
  result.tensor = lowering.traverse(
      loc, result.graph, domain,
      {lowering.leading(input, Anchor::Element, elements, {}, dims.size())},
      lowering.empty(loc, result, type.getElementType()), outputAt,
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value highest =
            emitReduce(b, loc, tile::Reduction::Max, Dim::Element, args[0]);
        Value shifted = arith::SubFOp::create(b, loc, args[0], highest);
        Value power =
            math::ExpOp::create(b, loc, shifted, arith::FastMathFlags::afn);
        Value total =
            emitReduce(b, loc, tile::Reduction::Sum, Dim::Element, power);
        return arith::DivFOp::create(b, loc, power, total);
      });
  lowering.set(op, result);
  return success();
}

/// No copy: whoever reads the rows reads the parent's.
static LogicalResult lowerRestrict(RestrictRowsOp op, Lowering &lowering) {
  LoweredRows rows = lowering.describe(op.getType());
  const LoweredRows &input = lowering.view(op.getInput());
  rows.tensor = input.tensor;
  rows.space = *ofParent(input.space.get().space);
  lowering.set(op, rows);
  return success();
}

/// True if both graphs are made of the same nodes, whatever is bound.
static bool haveSameNodes(Operation *op, FlatSymbolRefAttr a,
                          FlatSymbolRefAttr b) {
  auto nodesOf = [&](FlatSymbolRefAttr graph) {
    return SymbolTable::lookupNearestSymbolFrom<GraphOp>(op, graph)
        .getNodesOf();
  };
  return nodesOf(a) == nodesOf(b);
}

void gnn::requireCount(Lowering &lowering, Location loc,
                       const LoweredRows &rows, const LoweredRows &others,
                       bool atMost) {
  auto count = [&](const LoweredRows &side) -> Value {
    return tile::CountOp::create(
        lowering.builder, loc, lowering.builder.getIndexType(),
        side.graph.getValue(), CountKey::count(side.getDomain().get().space));
  };
  std::string expected =
      ((atMost ? "at most as many '" : "as many '") + rows.getDomain().str() +
       "' rows of @" + rows.graph.getValue() + " as '" +
       others.getDomain().str() + "' rows of @" + others.graph.getValue())
          .str();
  tile::RequireOp::create(lowering.builder, loc, count(rows), count(others),
                          lowering.builder.getStringAttr(expected), atMost);
}

/// The same memory, read as rows of another space: of as many, or of as many at
/// most where a prefix is read, which binding the graphs checks.
static LogicalResult lowerRenamed(Operation *op, bool prefix,
                                  Lowering &lowering) {
  LoweredRows rows = lowering.describe(op->getResult(0).getType());
  const LoweredRows &input = lowering.get(op->getOperand(0));
  bool same = !prefix && rows.getDomain() == input.getDomain() &&
              haveSameNodes(op, rows.graph, input.graph);
  if (!same)
    requireCount(lowering, op->getLoc(), rows, input, /*atMost=*/prefix);
  rows.tensor = input.tensor;
  rows.isPrefix = prefix || input.isPrefix;
  lowering.set(op->getResult(0), rows);
  return success();
}

static LogicalResult lowerRebind(RebindRowsOp op, Lowering &lowering) {
  return lowerRenamed(op, /*prefix=*/false, lowering);
}

static LogicalResult lowerPrefix(PrefixRowsOp op, Lowering &lowering) {
  return lowerRenamed(op, /*prefix=*/true, lowering);
}

void gnn::registerRowLowerings(DialectRegistry &registry) {
  registerLowerings<GNNDialect, lowerGather, lowerAggregate, lowerDegree,
                    lowerApply, lowerSddmm, lowerSpmm, lowerEdgeSoftmax,
                    lowerRestrict, lowerRebind, lowerPrefix>(registry);
}
