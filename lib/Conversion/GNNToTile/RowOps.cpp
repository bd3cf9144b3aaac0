//===- RowOps.cpp - Ops along paths of the lattice ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gather, aggregate, degree, apply, sddmm, spmm, edge_softmax: traversals.
//
//===----------------------------------------------------------------------===//

#include "GNN/Conversion/GNNToTile.h"
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

LogicalResult Lowering::lowerGather(GatherOp op) {
  LoweredRows result = describe(op.getType());
  LoweredRows input = view(op.getInput());
  SmallVector<int64_t> full(result.features),
      dims = copiedDims(full, result.getDomain());
  result.features = dims;
  input = reshape(op.getLoc(), input, dims);
  result.tensor =
      rowwise(op.getLoc(), result, op.getType().getElementType(), dims,
              {leading(input, Anchor::Group, result.getDomain(), op.getVia(),
                       dims.size())},
              [](OpBuilder &, Location, ValueRange args) { return args[0]; });
  set(op.getResult(), reshape(op.getLoc(), result, full));
  return success();
}

LogicalResult Lowering::lowerAggregate(AggregateOp op) {
  Location loc = op.getLoc();
  auto inputType = cast<RankedTensorType>(op.getInput().getType());
  RowSpace space = *getRowSpace(inputType);
  LoweredRows result = describe(op.getResult().getType(), op.getVia());
  if (!op.getVia() && (space == RowSpace::SrcPair || space == RowSpace::Src))
    result = describe(op.getResult().getType(), EndPoint::Src);
  tile::RowDomain elements = elementsOf(result.getDomain(), space);
  if (!elements)
    return op.emitOpError("has no lowering: no structure lists the rows of '")
           << stringifyRowSpace(space) << "' by '" << result.getDomain().str()
           << "'";
  SmallVector<int64_t> full(result.features), dims = copiedDims(full, elements);
  result.features = dims;
  LoweredRows input = reshape(loc, view(op.getInput()), dims);
  auto domain = domainOf(result.getDomain(), elements, dims);
  Input read =
      leading(input, Anchor::Element, elements, op.getVia(), dims.size());
  auto at = AtAttr::get(builder.getContext(), Anchor::Group, {},
                        dims.size() == 2, !dims.empty(), 0);
  Type element = inputType.getElementType();
  tile::Reduction kind = reductionOf(op.getKind());
  if (!op.getArgument()) {
    result.tensor =
        traverse(loc, result.graph, domain, {read}, empty(loc, result, element),
                 at, [&](OpBuilder &b, Location loc, ValueRange args) {
                   return emitReduce(b, loc, kind, Dim::Element, args[0]);
                 });
    set(op.getResult(), reshape(loc, result, full));
    return success();
  }
  // The argument is a row of the input, in the user's order.
  tile::RowDomain user = elements.getNatural();
  auto edge =
      AtAttr::get(builder.getContext(), Anchor::Element,
                  user == elements ? tile::RowDomain() : user, false, false, 0);
  LoweredRows argument = result;
  Value outputs[] = {empty(loc, result, element),
                     empty(loc, argument, builder.getI32Type())};
  ResultRange results = traverse(
      loc, result.graph, domain, {read}, outputs, {at, at},
      [&](OpBuilder &b, Location loc, ValueRange args) -> SmallVector<Value> {
        Value row = tile::IndexOp::create(b, loc, b.getI32Type(), edge);
        auto best = tile::ArgReduceOp::create(b, loc, element, b.getI32Type(),
                                              kind, args[0], row);
        return {best.getExtreme(), best.getArgument()};
      });
  result.tensor = results[0];
  argument.tensor = results[1];
  set(op.getResult(), reshape(loc, result, full));
  set(op.getArgument(), reshape(loc, argument, full));
  return success();
}

LogicalResult Lowering::lowerDegree(DegreeOp op) {
  std::optional<EndPoint> end = op.getVia();
  if (!end && (op.getOf() == RowSpace::SrcPair || op.getOf() == RowSpace::Src))
    end = EndPoint::Src;
  LoweredRows result = describe(op.getType(), end);
  tile::RowDomain elements = elementsOf(result.getDomain(), op.getOf());
  if (!elements)
    return op.emitOpError("has no lowering: no structure lists the rows of '")
           << stringifyRowSpace(op.getOf()) << "' by '"
           << result.getDomain().str() << "'";
  Type element = cast<RankedTensorType>(op.getType()).getElementType();
  result.tensor = traverse(
      op.getLoc(), result.graph,
      tile::DomainAttr::get(builder.getContext(), result.getDomain(), elements,
                            1, 1),
      {}, empty(op.getLoc(), result, element),
      AtAttr::get(builder.getContext(), Anchor::Group, {}, false, false, 0),
      [&](OpBuilder &b, Location loc, ValueRange) -> Value {
        return tile::SizeOp::create(b, loc, element);
      });
  set(op.getResult(), result);
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

LogicalResult Lowering::lowerApply(ApplyOp op) {
  LoweredRows result = describe(op.getType());
  SmallVector<int64_t> full(result.features);
  SmallVector<LoweredRows> rows = combinedRows(*this, op);
  result.features = longest(rows);
  size_t dims = result.features.size();
  SmallVector<Input> inputs{leading(rows.front(), Anchor::Group,
                                    result.getDomain(), op.getLhsVia(), dims)};
  if (op.getRhs())
    inputs.push_back(leading(rows.back(), Anchor::Group, result.getDomain(),
                             op.getRhsVia(), dims));
  result.tensor = rowwise(
      op.getLoc(), result,
      cast<RankedTensorType>(op.getType()).getElementType(), result.features,
      inputs, [&](OpBuilder &b, Location loc, ValueRange args) {
        return emitBinary(b, loc, op.getKind(), args[0], args.back());
      });
  set(op.getResult(), reshape(op.getLoc(), result, full));
  return success();
}

LogicalResult Lowering::lowerSddmm(SddmmOp op) {
  Location loc = op.getLoc();
  LoweredRows result = describe(op.getType());
  SmallVector<int64_t> full(result.features);
  LoweredRows lhs = view(op.getLhs()), rhs = view(op.getRhs());
  SmallVector<int64_t> walked(lhs.features);
  if (walked.size() > 2) { // products of heads, however many dimensions
    result.features = {sizeOf(full)};
    walked = {sizeOf(full), walked.back()};
    lhs = reshape(loc, lhs, walked);
    rhs = reshape(loc, rhs, walked);
  }
  unsigned dims = walked.size();
  result.tensor = rowwise(
      loc, result, cast<RankedTensorType>(op.getType()).getElementType(),
      walked,
      {leading(lhs, Anchor::Group, result.getDomain(), op.getLhsVia(), dims),
       leading(rhs, Anchor::Group, result.getDomain(), op.getRhsVia(), dims)},
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value product = arith::MulFOp::create(b, loc, args[0], args[1]);
        return emitReduce(b, loc, tile::Reduction::Sum, Dim::Feature, product);
      });
  set(op.getResult(), reshape(loc, result, full));
  return success();
}

LogicalResult Lowering::lowerSpmm(SpmmOp op) {
  LoweredRows result = describe(op.getType(), op.getVia());
  tile::RowDomain elements = elementsOf(result.getDomain(), RowSpace::Edge);
  if (!elements)
    return op.emitOpError("has no lowering: no structure lists edges by '")
           << result.getDomain().str() << "'";
  SmallVector<int64_t> full(result.features);
  SmallVector<LoweredRows> rows = combinedRows(*this, op);
  SmallVector<int64_t> dims = longest(rows);
  result.features = dims;
  SmallVector<Input> inputs{leading(rows.front(), Anchor::Element, elements,
                                    op.getLhsVia(), dims.size())};
  if (op.getRhs())
    inputs.push_back(leading(rows.back(), Anchor::Element, elements,
                             op.getRhsVia(), dims.size()));
  auto domain = domainOf(result.getDomain(), elements, dims);
  auto at = AtAttr::get(builder.getContext(), Anchor::Group, {},
                        dims.size() == 2, !dims.empty(), 0);
  Type element = cast<RankedTensorType>(op.getType()).getElementType();
  result.tensor =
      traverse(op.getLoc(), result.graph, domain, inputs,
               empty(op.getLoc(), result, element), at,
               [&](OpBuilder &b, Location loc, ValueRange args) {
                 Value message =
                     emitBinary(b, loc, op.getKind(), args[0], args.back());
                 return emitReduce(b, loc, reductionOf(op.getReduce()),
                                   Dim::Element, message);
               });
  set(op.getResult(), reshape(op.getLoc(), result, full));
  return success();
}

LogicalResult Lowering::lowerEdgeSoftmax(EdgeSoftmaxOp op) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getInput().getType());
  tile::RowDomain groups = keptRows(op.getOver(), {});
  tile::RowDomain elements = elementsOf(groups, *getRowSpace(type));
  if (!elements)
    return op.emitOpError("has no lowering: no structure lists the rows of '")
           << stringifyRowSpace(*getRowSpace(type)) << "' by '" << groups.str()
           << "'";
  LoweredRows result = describe(type);
  SmallVector<int64_t> full(result.features), dims = walkedDims(full);
  result.features = dims;
  LoweredRows input = reshape(loc, view(op.getInput()), dims);
  auto domain = domainOf(groups, elements, dims);
  AtAttr outputAt = access(result, Anchor::Element, elements, {},
                           dims.size() == 2, !dims.empty());
  result.tensor = traverse(
      loc, result.graph, domain,
      {leading(input, Anchor::Element, elements, {}, dims.size())},
      empty(loc, result, type.getElementType()), outputAt,
      [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
        Value highest =
            emitReduce(b, loc, tile::Reduction::Max, Dim::Element, args[0]);
        Value shifted = arith::SubFOp::create(b, loc, args[0], highest);
        Value power = math::ExpOp::create(b, loc, shifted);
        Value total =
            emitReduce(b, loc, tile::Reduction::Sum, Dim::Element, power);
        return arith::DivFOp::create(b, loc, power, total);
      });
  set(op.getResult(), reshape(loc, result, full));
  return success();
}

/// No copy: whoever reads the rows reads the parent's.
LogicalResult Lowering::lowerRestrict(RestrictRowsOp op) {
  LoweredRows rows = describe(op.getType());
  const LoweredRows &input = view(op.getInput());
  rows.tensor = input.tensor;
  rows.space = *ofParent(input.space.get().space);
  set(op.getResult(), rows);
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

void Lowering::requireCount(Location loc, const LoweredRows &rows,
                            const LoweredRows &others, bool atMost) {
  auto count = [&](const LoweredRows &side) -> Value {
    return tile::CountOp::create(builder, loc, builder.getIndexType(),
                                 side.graph.getValue(),
                                 CountKey::count(side.getDomain().get().space));
  };
  std::string expected =
      ((atMost ? "at most as many '" : "as many '") + rows.getDomain().str() +
       "' rows of @" + rows.graph.getValue() + " as '" +
       others.getDomain().str() + "' rows of @" + others.graph.getValue())
          .str();
  tile::RequireOp::create(builder, loc, count(rows), count(others),
                          builder.getStringAttr(expected), atMost);
}

/// The same memory, read as rows of another space: of as many, or of as many at
/// most where a prefix is read, which binding the graphs checks.
LogicalResult Lowering::lowerRenamed(Operation *op, bool prefix) {
  LoweredRows rows = describe(op->getResult(0).getType());
  const LoweredRows &input = get(op->getOperand(0));
  bool same = !prefix && rows.getDomain() == input.getDomain() &&
              haveSameNodes(op, rows.graph, input.graph);
  if (!same)
    requireCount(op->getLoc(), rows, input, /*atMost=*/prefix);
  rows.tensor = input.tensor;
  rows.isPrefix = prefix || input.isPrefix;
  set(op->getResult(0), rows);
  return success();
}

LogicalResult Lowering::lowerRebind(RebindRowsOp op) {
  return lowerRenamed(op, /*prefix=*/false);
}

LogicalResult Lowering::lowerPrefix(PrefixRowsOp op) {
  return lowerRenamed(op, /*prefix=*/true);
}
