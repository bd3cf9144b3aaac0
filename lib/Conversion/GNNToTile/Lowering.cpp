//===- Lowering.cpp - Building blocks of gnn -> gnn_tile ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Row spaces as domains, accesses, and traversals.
//
//===----------------------------------------------------------------------===//

#include "OpLowerings.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <numeric>

using namespace mlir;
using namespace gnn;
using tile::Anchor;
using tile::AtAttr;

RowEnd gnn::toRowEnd(std::optional<EndPoint> end) {
  if (!end)
    return RowEnd::Neither;
  return *end == EndPoint::Src ? RowEnd::Src : RowEnd::Dst;
}

/// The order in which the function keeps what it computes of these rows.
static tile::RowDomain keptRows(Space space) {
  return space == Space::Edge ? tile::RowDomain(space, RowOrder::InRows)
                              : tile::RowDomain(space);
}

tile::RowDomain gnn::keptRows(RowSpace space, std::optional<EndPoint> end) {
  return ::keptRows(atEnd(space, toRowEnd(end)));
}

tile::RowDomain LoweredRows::getDomain() const {
  if (!space.isOfGraph())
    return space;
  if (!tensor)
    return ::keptRows(space.get().space);
  tile::OrderAttr order = tile::getOrder(tensor.getType());
  return {space.get().space,
          order ? order.getRows().get().order : RowOrder::Natural};
}

Value gnn::emitBinary(OpBuilder &b, Location loc, BinaryKind kind, Value lhs,
                      Value rhs) {
  switch (kind) {
  case BinaryKind::Add:
    return arith::AddFOp::create(b, loc, lhs, rhs);
  case BinaryKind::Sub:
    return arith::SubFOp::create(b, loc, lhs, rhs);
  case BinaryKind::Mul:
    return arith::MulFOp::create(b, loc, lhs, rhs);
  case BinaryKind::Div:
    return arith::DivFOp::create(b, loc, lhs, rhs);
  case BinaryKind::Copy:
    return lhs;
  }
  llvm_unreachable("all binary kinds are handled");
}

Value gnn::emitReduce(OpBuilder &b, Location loc, tile::Reduction kind,
                      tile::Dim dim, Value value) {
  return tile::ReduceOp::create(b, loc, kind, {static_cast<int32_t>(dim)},
                                value);
}

tile::Reduction gnn::reductionOf(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::Sum:
    return tile::Reduction::Sum;
  case ReduceKind::Mean:
    return tile::Reduction::Mean;
  case ReduceKind::Max:
    return tile::Reduction::Max;
  case ReduceKind::Min:
    return tile::Reduction::Min;
  }
  llvm_unreachable("all reductions are handled");
}

LogicalResult gnn::checkDims(Operation *op, ArrayRef<int64_t> dims) {
  if (dims.size() <= 2)
    return success();
  return op->emitOpError("has no lowering for ")
         << dims.size() << " feature dimensions, expected at most 2";
}

int64_t gnn::sizeOf(ArrayRef<int64_t> features) {
  return std::accumulate(features.begin(), features.end(), int64_t(1),
                         std::multiplies<int64_t>());
}

SmallVector<int64_t> gnn::walkedDims(ArrayRef<int64_t> features) {
  return features.size() <= 2 ? SmallVector<int64_t>(features)
                              : SmallVector<int64_t>{sizeOf(features)};
}

bool gnn::isCondition(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->hasTrait<OpTrait::Elementwise>() &&
         getElementTypeOrSelf(value.getType()).isInteger(1);
}

LoweredRows Lowering::describe(Type type, std::optional<EndPoint> end) {
  LoweredRows rows;
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return rows;
  rows.features.assign(getFeatures(tensor).begin(), getFeatures(tensor).end());
  if (RowsAttr attr = getRows(type)) {
    rows.graph = attr.getGraph();
    rows.space = atEnd(attr.getSpace(), toRowEnd(end));
    rows.count = tensor.getDimSize(0);
  }
  return rows;
}

Value Lowering::empty(Location loc, const LoweredRows &rows, Type element,
                      tile::RowDomain order) {
  SmallVector<int64_t> shape(rows.features);
  SmallVector<Value> sizes;
  if (rows.space && !ShapedType::isDynamic(rows.count)) {
    shape.insert(shape.begin(), rows.count);
  } else if (rows.space.isFixed()) {
    shape.insert(shape.begin(), rows.space.getCount());
  } else if (rows.space) {
    shape.insert(shape.begin(), ShapedType::kDynamic);
    sizes.push_back(tile::CountOp::create(
        builder, loc, builder.getIndexType(), rows.graph.getValue(),
        CountKey::count(rows.space.get().space)));
  }
  auto type = RankedTensorType::get(
      shape, element, tile::getOrderFor(builder.getContext(), order));
  return tensor::EmptyOp::create(builder, loc, type, sizes);
}

/// The element that all of a constant tensor are; null for other values.
static TypedAttr splatOf(Value tensor) {
  auto constant = tensor.getDefiningOp<arith::ConstantOp>();
  auto splat =
      constant ? dyn_cast<SplatElementsAttr>(constant.getValue()) : nullptr;
  return splat ? cast<TypedAttr>(splat.getSplatValue<Attribute>()) : nullptr;
}

LoweredRows Lowering::reshape(Location loc, const LoweredRows &rows,
                              ArrayRef<int64_t> features) {
  LoweredRows result = rows;
  result.features.assign(features.begin(), features.end());
  auto type = cast<RankedTensorType>(rows.tensor.getType());
  unsigned leading = rows.space ? 1 : 0;
  if (ArrayRef<int64_t>(rows.features) == features)
    return result;
  auto shapeWith = [&](ArrayRef<int64_t> tail) {
    SmallVector<int64_t> shape(type.getShape().take_front(leading));
    llvm::append_range(shape, tail);
    return RankedTensorType::get(shape, type.getElementType(),
                                 type.getEncoding());
  };
  auto groups = [&](size_t dims) {
    SmallVector<ReassociationIndices> list;
    if (leading)
      list.push_back({0});
    if (dims) {
      list.emplace_back();
      for (size_t i = 0; i < dims; ++i)
        list.back().push_back(leading + i);
    }
    return list;
  };
  if (TypedAttr splat = splatOf(rows.tensor)) {
    auto constant =
        DenseElementsAttr::get(shapeWith(features), Attribute(splat));
    result.tensor = arith::ConstantOp::create(builder, loc, constant);
    return result;
  }
  // Through one flat feature dimension; a scalar a row is [1] features.
  int64_t flat = sizeOf(features);
  Value value = rows.tensor;
  if (rows.features.size() > 1)
    value = tensor::CollapseShapeOp::create(
        builder, loc, shapeWith({flat}), value, groups(rows.features.size()));
  else if (rows.features.empty()) {
    SmallVector<ReassociationIndices> list;
    if (leading)
      list.push_back({0, 1});
    value = tensor::ExpandShapeOp::create(builder, loc, shapeWith({1}), value,
                                          list);
  }
  if (features.size() > 1)
    value = tensor::ExpandShapeOp::create(builder, loc, shapeWith(features),
                                          value, groups(features.size()));
  else if (features.empty()) {
    SmallVector<ReassociationIndices> list;
    if (leading)
      list.push_back({0, 1});
    value = tensor::CollapseShapeOp::create(builder, loc, shapeWith({}), value,
                                            list);
  }
  result.tensor = value;
  return result;
}

/// `rows` as seen from `from` by way of `via`: nodes and node types are named
/// by the end they are reached at.
static tile::RowDomain seenFrom(tile::RowDomain rows, tile::RowDomain from,
                                std::optional<EndPoint> via) {
  RowEnd end = via ? toRowEnd(via) : from.getEnd();
  if (end == RowEnd::Neither || rows != rows.getNatural())
    return rows;
  if (rows.isKind(RowKind::NodeType))
    return atEnd(RowSpace::NodeType, end);
  if (!rows.isKind(RowKind::Node))
    return rows;
  // On a square graph both names are the same rows.
  return from.isKind(RowKind::Node) ? from.getNatural()
                                    : atEnd(RowSpace::Node, end);
}

AtAttr Lowering::access(tile::RowDomain rows, Anchor anchor,
                        tile::RowDomain from, std::optional<EndPoint> via,
                        bool head, bool feature, int64_t offset) {
  tile::RowDomain domain = seenFrom(rows, from, via);
  if (!domain || (domain.isIn(Space::Graph) && from != domain))
    anchor = Anchor::All;
  if (anchor == Anchor::All || domain == from)
    domain = {};
  return AtAttr::get(builder.getContext(), anchor, domain, head, feature,
                     offset);
}

/// Graph rows are one row: read without a row index.
static LoweredRows withoutGraphRow(OpBuilder &builder, Location loc,
                                   LoweredRows rows) {
  if (!rows.space.isIn(Space::Graph))
    return rows;
  auto type = cast<RankedTensorType>(rows.tensor.getType());
  RankedTensorType row = RankedTensorType::get(type.getShape().drop_front(),
                                               type.getElementType());
  if (TypedAttr splat = splatOf(rows.tensor)) {
    rows.tensor = arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(row, Attribute(splat)));
    return rows;
  }
  SmallVector<ReassociationIndices> list;
  if (type.getRank() > 1) {
    list.push_back({0, 1});
    for (int64_t i = 2; i < type.getRank(); ++i)
      list.push_back({i});
  }
  rows.tensor =
      tensor::CollapseShapeOp::create(builder, loc, row, rows.tensor, list);
  return rows;
}

Input Lowering::leading(const LoweredRows &rows, Anchor anchor,
                        tile::RowDomain from, std::optional<EndPoint> via,
                        unsigned dims) {
  size_t own = rows.features.size();
  bool head = dims == 2 && own >= 1;
  bool feature = own == dims && dims >= 1;
  AtAttr at = access(rows, anchor, from, via, head, feature);
  if (at.getAnchor() != Anchor::All)
    return {rows, at};
  return {withoutGraphRow(builder, builder.getUnknownLoc(), rows), at};
}

Input Lowering::trailing(const LoweredRows &weight, unsigned dims) {
  size_t own = weight.features.size();
  return {weight, access(weight, Anchor::All, {}, {}, own == 2, own >= 1)};
}

AtAttr Lowering::leadingAt(Anchor anchor, size_t own, size_t dims) {
  bool head = dims == 2 && own >= 1, feature = own == dims && dims >= 1;
  return AtAttr::get(builder.getContext(), anchor, {}, head, feature, 0);
}

Value Lowering::traverse(Location loc, FlatSymbolRefAttr graph,
                         tile::DomainAttr domain, ArrayRef<Input> inputs,
                         Value output, AtAttr outputAt, Body body) {
  auto bodies = [&](OpBuilder &b, Location loc,
                    ValueRange args) -> SmallVector<Value> {
    return {body(b, loc, args)};
  };
  return traverse(loc, graph, domain, inputs, ValueRange(output), {outputAt},
                  bodies)[0];
}

ResultRange Lowering::traverse(Location loc, FlatSymbolRefAttr graph,
                               tile::DomainAttr domain, ArrayRef<Input> inputs,
                               ValueRange outputs,
                               ArrayRef<Attribute> outputsAt, Bodies body) {
  SmallVector<Value> operands;
  SmallVector<Attribute> accesses;
  for (const Input &input : inputs)
    if (!splatOf(input.rows.tensor)) {
      operands.push_back(input.rows.tensor);
      accesses.push_back(input.at);
    }
  auto op = tile::TraverseOp::create(
      builder, loc, TypeRange(outputs), graph, domain, operands, outputs,
      builder.getArrayAttr(accesses), builder.getArrayAttr(outputsAt),
      /*schedule=*/nullptr);
  Block &block = op.getBody().emplaceBlock();
  OpBuilder inside = OpBuilder::atBlockBegin(&block);
  SmallVector<Value> arguments;
  for (const Input &input : inputs) {
    if (TypedAttr splat = splatOf(input.rows.tensor))
      arguments.push_back(arith::ConstantOp::create(inside, loc, splat));
    else
      arguments.push_back(block.addArgument(
          getElementTypeOrSelf(input.rows.tensor.getType()), loc));
  }
  tile::YieldOp::create(inside, loc, body(inside, loc, arguments));
  return op.getResults();
}

tile::DomainAttr Lowering::domainOf(tile::RowDomain groups,
                                    tile::RowDomain elements,
                                    ArrayRef<int64_t> dims) {
  int64_t heads = dims.size() == 2 ? dims[0] : 1;
  int64_t features = dims.empty() ? 1 : dims.back();
  return tile::DomainAttr::get(builder.getContext(), groups, elements, heads,
                               features);
}

Value Lowering::rowwise(Location loc, const LoweredRows &result, Type element,
                        ArrayRef<int64_t> dims, ArrayRef<Input> inputs,
                        Body body) {
  size_t own = result.features.size();
  bool head = dims.size() == 2 && own >= 1 && result.features[0] == dims[0];
  bool feature = own >= 1 && own == dims.size();
  // [rows, heads, d] reduced over heads keeps the last dimension.
  if (dims.size() == 2 && own == 1 && !head)
    feature = true;
  AtAttr at =
      AtAttr::get(builder.getContext(), Anchor::Group, {}, head, feature, 0);
  return traverse(loc, result.graph, domainOf(result.getDomain(), {}, dims),
                  inputs, empty(loc, result, element), at, body);
}

tile::RowDomain Lowering::elementsOf(tile::RowDomain groups,
                                     RowSpace elements) {
  if (!groups.isOfGraph() || groups != groups.getNatural())
    return {};
  // All rows of the graph, in the order that they are kept in; nodes as what
  // works on them row by row has them.
  if (groups.isIn(Space::Graph))
    return keptRows(elements, EndPoint::Dst);
  for (RowEnd end : {RowEnd::Src, RowEnd::Dst})
    if (auto rows = gnn::elementsOf(groups.get().space, atEnd(elements, end)))
      return *rows;
  return {};
}

/// The tensor of which `tensor` is a reshaped form.
static Value getRoot(Value tensor) {
  while (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
      tensor.getDefiningOp()))
    tensor = tensor.getDefiningOp()->getOperand(0);
  return tensor;
}

Value Lowering::result(Location loc, Value value) {
  const LoweredRows &rows = view(value);
  Value tensor = rows.tensor;
  // A tensor that a template wrote for this result alone becomes an output as
  // it is.
  Value root = getRoot(tensor);
  bool userOrder = !rows.space.isOfParent() && rows.getDomain() == rows.space;
  bool own = isa_and_nonnull<tile::TileOpInterface>(root.getDefiningOp()) &&
             userOrder && !rows.isPrefix;
  if (!own || !returned.insert(root).second)
    tensor = materialize(loc, rows, /*userOrder=*/true).tensor;
  return tensor;
}

LoweredRows Lowering::asRow(Location loc, const LoweredRows &weight) {
  LoweredRows row = reshape(loc, weight, {sizeOf(weight.features)});
  auto type = cast<RankedTensorType>(row.tensor.getType());
  auto rowType =
      RankedTensorType::get({1, type.getDimSize(0)}, type.getElementType());
  if (TypedAttr splat = splatOf(row.tensor))
    row.tensor = arith::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(rowType, Attribute(splat)));
  else
    row.tensor =
        tensor::ExpandShapeOp::create(builder, loc, rowType, row.tensor,
                                      ArrayRef<ReassociationIndices>{{0, 1}});
  row.space = tile::RowDomain::fixed(1);
  row.graph = anyGraph;
  return row;
}

LoweredRows Lowering::asWeight(Location loc, const LoweredRows &row,
                               ArrayRef<int64_t> features) {
  auto type = cast<RankedTensorType>(row.tensor.getType());
  LoweredRows weight = row;
  weight.space = {};
  weight.tensor = tensor::CollapseShapeOp::create(
      builder, loc, RankedTensorType::get(row.features, type.getElementType()),
      row.tensor, ArrayRef<ReassociationIndices>{{0, 1}});
  return reshape(loc, weight, features);
}

Value Lowering::reshaped(Location loc, Value value, ArrayRef<int64_t> shape) {
  LoweredRows all;
  all.tensor = value;
  all.features.assign(cast<RankedTensorType>(value.getType()).getShape());
  return reshape(loc, all, shape).tensor;
}

Value Lowering::repeated(Location loc, const LoweredRows &weight,
                         int64_t times) {
  LoweredRows flat = reshape(loc, weight, {sizeOf(weight.features)});
  LoweredRows result{Value(), tile::RowDomain::fixed(times), anyGraph,
                     flat.features};
  return rowwise(loc, result, getElementTypeOrSelf(weight.tensor.getType()),
                 result.features, {trailing(flat, 1)}, copied);
}

/// The domain of this graph that is walked for rows that lie in `domain`.
static tile::RowDomain walkedFor(tile::RowDomain domain) {
  return domain.isOfParent() ? ::keptRows(withoutParent(domain.get().space))
                             : domain;
}

LoweredRows Lowering::materialize(Location loc, const LoweredRows &rows,
                                  bool userOrder) {
  bool isWeight = !rows.space;
  LoweredRows flat =
      isWeight ? asRow(loc, rows) : reshape(loc, rows, {sizeOf(rows.features)});
  tile::RowDomain walked = walkedFor(flat.getDomain());
  tile::RowDomain written = userOrder ? walked.getNatural() : walked;
  auto at = [&](tile::RowDomain space) {
    return AtAttr::get(builder.getContext(), Anchor::Group,
                       space == walked ? tile::RowDomain() : space, false, true,
                       0);
  };
  LoweredRows result = flat;
  result.space = walked.getNatural();
  result.isPrefix = false;
  result.tensor = traverse(
      loc, flat.graph, domainOf(walked, {}, flat.features),
      {{flat, at(flat.getDomain())}},
      empty(loc, result, getElementTypeOrSelf(rows.tensor.getType()), written),
      at(written), copied);
  return isWeight ? asWeight(loc, result, rows.features)
                  : reshape(loc, result, rows.features);
}

const LoweredRows &Lowering::withOwnRows(Location loc, LoweredRows &rows) {
  if (rows.space.isOfParent())
    rows = materialize(loc, rows, /*userOrder=*/false);
  return rows;
}

void Lowering::set(Value value, LoweredRows rows) {
  if (rows.isTransposed)
    transposed[value] = rows;
  else
    values[value] =
        reshape(value.getLoc(), rows, describe(value.getType()).features);
}

void Lowering::setElements(Value value, Value tensor) {
  LoweredRows rows = describe(value.getType());
  rows.tensor = reshaped(value.getLoc(), tensor,
                         cast<RankedTensorType>(value.getType()).getShape());
  set(value, rows);
}

LoweredRows Lowering::get(Value value) {
  return withOwnRows(value.getLoc(), values.find(value)->second);
}

LoweredRows Lowering::weight(Value value, bool ownRows) {
  auto found = transposed.find(value);
  LoweredRows &rows =
      found == transposed.end() ? values.find(value)->second : found->second;
  return ownRows ? withOwnRows(value.getLoc(), rows) : rows;
}
