//===- LinearMap.cpp - Products that move up a chain of linear ops --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinearMap.h"

#include "GNN/Analysis/CostModel.h"
#include "GNN/Dialect/GNN/IR/GNN.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace gnn;

static ArrayRef<int64_t> featuresOf(Value value) {
  return getFeatures(getTensorType(value));
}

static RowSpace spaceOf(Value value) { return *getRowSpace(value.getType()); }

/// The `via` of a path that takes the end `end` if it takes any.
static std::optional<EndPoint> viaOf(RowPath path) {
  return path.isAmbiguous() ? path.getEnd() : std::nullopt;
}

static RowPath identity(RowSpace space) { return {space, space, std::nullopt}; }

/// Whether a weight is a transposed one, which only products can read.
static bool isTransposed(Value weight) {
  return !!weight.getDefiningOp<WeightTransposeOp>();
}

//===----------------------------------------------------------------------===//
// Building blocks
//===----------------------------------------------------------------------===//

/// A type with the features of `type` on other rows of its graph.
RankedTensorType LinearChain::onRows(RankedTensorType type, RowSpace space) {
  GraphOp graph = getGraph(builder.getInsertionBlock()->getParentOp(), type);
  int64_t count =
      space == RowSpace::EdgeType ? graph.getEdgeTypes() : graph.getNodeTypes();
  return withRowSpace(type, space, count);
}

Value LinearChain::gather(Value value, RowPath path) {
  if (path.isIdentity())
    return value;
  return GatherOp::create(builder, loc, onRows(getTensorType(value), path.from),
                          value, viaOf(path));
}

Value LinearChain::reshape(Value value, ArrayRef<int64_t> features) {
  RankedTensorType type = getTensorType(value);
  if (getFeatures(type) == features)
    return value;
  auto target = getRows(type)
                    ? withFeatures(type, features)
                    : RankedTensorType::get(features, type.getElementType());
  return ReshapeOp::create(builder, loc, target, value);
}

Value LinearChain::multiply(Value lhs, Value rhs, bool byHeads) {
  return WeightProductOp::create(builder, loc, lhs, rhs, byHeads);
}

Value LinearChain::add(Value lhs, Value rhs) {
  return arith::AddFOp::create(builder, loc, lhs, rhs);
}

/// The part of a weight that the input's features from `offset` meet.
Value LinearChain::sliceInput(Value weight, bool isVector, int64_t offset,
                              int64_t size) {
  SmallVector<int64_t> features(featuresOf(weight));
  int64_t out = isVector ? 1 : features.pop_back_val();
  features.back() *= out;
  Value flat = reshape(weight, features);
  features.back() = size * out;
  RankedTensorType type = getTensorType(weight);
  auto target = getRows(type)
                    ? withFeatures(type, features)
                    : RankedTensorType::get(features, type.getElementType());
  Value part = SliceOp::create(builder, loc, target, flat, offset * out);
  if (isVector)
    return part;
  features.back() = size;
  features.push_back(out);
  return reshape(part, features);
}

Value LinearChain::addBias(Value value, Value bias,
                           std::optional<RowPath> types) {
  RankedTensorType type = getTensorType(value);
  if (!types)
    return add(value, BroadcastOp::create(builder, loc, type, bias));
  if (featuresOf(bias) != getFeatures(type)) {
    obstacle = "its bias is shared by heads";
    return nullptr;
  }
  return add(value, gather(bias, *types));
}

//===----------------------------------------------------------------------===//
// Where a chain ends
//===----------------------------------------------------------------------===//

Value LinearChain::apply(Value rows, LinearMap map, RankedTensorType target) {
  SmallVector<int64_t> weight(featuresOf(map.weight));
  if (map.byHeads)
    rows = reshape(rows, {weight[0], weight[1]});
  ArrayRef<int64_t> features = featuresOf(rows);
  std::optional<EndPoint> via =
      map.types ? viaOf(*map.types) : std::optional<EndPoint>();
  Value result;
  if (map.isVector && ArrayRef(weight) == features) {
    auto type = withFeatures(getTensorType(rows), features.drop_back());
    auto noEnd = EndPointAttr();
    auto end = via ? EndPointAttr::get(builder.getContext(), *via) : noEnd;
    result = map.types
                 ? Value(SddmmOp::create(builder, loc, type, rows, noEnd,
                                         map.weight, end))
                 : Value(DotOp::create(builder, loc, type, rows, map.weight));
    return reshape(result, getFeatures(target));
  }
  if (map.isVector) {
    weight.push_back(1);
    map.weight = reshape(map.weight, weight);
  }
  SmallVector<int64_t> out;
  if (weight.size() == 3)
    out.push_back(weight.front());
  else if (features.size() == 2)
    out.push_back(features.front());
  out.push_back(weight.back());
  auto type = withFeatures(getTensorType(rows), out);
  result = map.types ? Value(TypedLinearOp::create(
                           builder, loc, type, rows, map.weight, Value(),
                           via ? EndPointAttr::get(builder.getContext(), *via)
                               : EndPointAttr()))
                     : Value(LinearOp::create(builder, loc, type, rows,
                                              map.weight, Value()));
  return reshape(result, getFeatures(target));
}

bool LinearChain::hasSchemaFor(RankedTensorType rows, EndPoint end) {
  GraphOp graph = getGraph(builder.getInsertionBlock()->getParentOp(), rows);
  if (graph.hasNodeTypesAt(end))
    return true;
  obstacle = "the schema of @" + graph.getSymName().str() +
             " does not give the node type at the " +
             stringifyEndPoint(end).str() +
             " end of every edge type; the graph function refine_types makes "
             "edge types that have one";
  return false;
}

/// Rows of types stay what they are: as few products as there are types.
Value LinearChain::typeLeaf(Value value, RowPath path, const LinearMap &map,
                            RankedTensorType target) {
  RowSpace space = spaceOf(value);
  RowPath at = path; // from the rows of the target to those of the product
  LinearMap inner = map;
  if (map.types &&
      (map.types->to != space || map.types->getEnd() != path.getEnd())) {
    RowPath other = map.types->to == RowSpace::EdgeType ? path : *map.types;
    bool toEdgeTypes =
        map.types->to == RowSpace::EdgeType || space == RowSpace::EdgeType;
    if (!toEdgeTypes || !other.getEnd() ||
        !hasSchemaFor(target, *other.getEnd()))
      return nullptr;
    RowPath down{RowSpace::EdgeType, RowSpace::NodeType, other.getEnd()};
    at = {path.from, RowSpace::EdgeType, std::nullopt};
    if (space == RowSpace::NodeType)
      value = gather(value, down);
    else
      inner.types = down;
  } else if (map.types) {
    inner.types = identity(space);
  }
  if (inner.types && inner.types->to == RowSpace::EdgeType)
    inner.types = identity(RowSpace::EdgeType);
  return gather(apply(value, inner, onRows(target, at.to)), at);
}

Value LinearChain::leaf(Value value, RowPath path, const LinearMap &map,
                        RankedTensorType target) {
  if (++terms > maxTerms)
    obstacle =
        "it would take more than " + std::to_string(maxTerms) + " products";
  if (isTypeRows(value.getType()) && !isTypeRows(target))
    if (Value result = typeLeaf(value, path, map, target))
      return result;
  bool isVectorOfType = map.isVector && map.types && !map.byHeads &&
                        featuresOf(map.weight) == featuresOf(value);
  if (!isVectorOfType)
    return apply(gather(value, path), map, target);
  // An inner product of rows of two spaces gathers by itself.
  while (auto gathered = value.getDefiningOp<GatherOp>()) {
    auto further = compose(path, gathered.getRowPaths().front());
    if (!further)
      break;
    value = gathered.getInput();
    path = *further;
  }
  auto end = [&](RowPath to) {
    std::optional<EndPoint> via = viaOf(to);
    return via ? EndPointAttr::get(builder.getContext(), *via) : EndPointAttr();
  };
  auto type = withFeatures(target, featuresOf(value).drop_back());
  Value score = SddmmOp::create(builder, loc, type, value, end(path),
                                map.weight, end(*map.types));
  return reshape(score, getFeatures(target));
}

//===----------------------------------------------------------------------===//
// Weights times weights
//===----------------------------------------------------------------------===//

/// Gives both weights the types of one, where both have some.
bool LinearChain::unifyTypes(Value &weight, std::optional<RowPath> &types,
                             LinearMap &map) {
  if (!types || !map.types) {
    if (types)
      map.types = types;
    return true;
  }
  if (types->to == map.types->to && types->getEnd() == map.types->getEnd())
    return true;
  RowPath toEdgeType{types->from, RowSpace::EdgeType, std::nullopt};
  if (!toEdgeType.exists()) {
    obstacle = "the weights are of other types";
    return false;
  }
  auto lift = [&](Value &value, RowPath path) {
    if (path.to == RowSpace::EdgeType)
      return true;
    if (isTransposed(value) || !path.getEnd() ||
        !hasSchemaFor(getTensorType(value), *path.getEnd()))
      return false;
    value =
        gather(value, {RowSpace::EdgeType, RowSpace::NodeType, path.getEnd()});
    return true;
  };
  if (!lift(weight, *types) || !lift(map.weight, *map.types))
    return false;
  map.types = toEdgeType;
  return true;
}

/// The map that multiplies by `weight` first, which makes rows of `outFeatures`
/// of rows of `inFeatures`, and then does what `map` does.
std::optional<LinearMap> LinearChain::combine(Value weight,
                                              ArrayRef<int64_t> inFeatures,
                                              ArrayRef<int64_t> outFeatures,
                                              std::optional<RowPath> types,
                                              LinearMap map) {
  ArrayRef<int64_t> first = featuresOf(weight), second = featuresOf(map.weight);
  bool secondHasHeads = second.size() == (map.isVector ? 2 : 3);
  bool headsDiffer = map.byHeads ? outFeatures.size() != 1
                                 : secondHasHeads && first.size() != 3;
  if (headsDiffer) {
    obstacle = "the heads of the weights do not meet";
    return std::nullopt;
  }
  if (isTransposed(weight)) {
    obstacle = "the first weight is a transposed one";
    return std::nullopt;
  }
  if (!unifyTypes(weight, types, map))
    return std::nullopt;
  LinearMap result = map;
  if (map.byHeads) {
    bool oneVector = map.isVector && second.front() == 1;
    result.weight = multiply(weight, map.weight, /*byHeads=*/true);
    result.byHeads = false;
    result.isVector = oneVector;
    if (oneVector)
      result.weight = reshape(result.weight, {first.front()});
    return result;
  }
  if (first.size() == 3 && !secondHasHeads) {
    // All heads meet the same matrix: one product with all their rows.
    Value flat = reshape(weight, {first[0] * first[1], first[2]});
    SmallVector<int64_t> features{first[0], first[1]};
    if (!map.isVector)
      features.push_back(second.back());
    result.weight = reshape(multiply(flat, map.weight), features);
    return result;
  }
  result.weight = multiply(weight, map.weight);
  return result;
}

/// The map of what a reshape reads: `inner` features that it makes `outer` of.
std::optional<LinearMap> LinearChain::throughReshape(const LinearMap &map,
                                                     ArrayRef<int64_t> inner,
                                                     ArrayRef<int64_t> outer) {
  ArrayRef<int64_t> weight = featuresOf(map.weight);
  bool hasHeads = weight.size() == (map.isVector ? 2 : 3);
  if (map.byHeads) {
    if (inner != weight.take_front(2))
      return std::nullopt;
    LinearMap result = map;
    result.byHeads = false;
    return result;
  }
  LinearMap result = map;
  if (hasHeads && outer.size() == 2 && inner.size() == 1) {
    result.byHeads = true;
    return result;
  }
  bool sameRows = !hasHeads && !inner.empty() && inner.size() <= 2 &&
                  inner.back() == outer.back();
  if (!sameRows)
    return std::nullopt;
  if (map.isVector) {
    SmallVector<int64_t> features(weight);
    features.push_back(1);
    result.weight = reshape(map.weight, features);
    result.isVector = false;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Up the chain
//===----------------------------------------------------------------------===//

/// `map` of a bias of `features`, which is the same for all rows of a type.
Value LinearChain::pushBias(Value bias, ArrayRef<int64_t> features,
                            std::optional<RowPath> types, const LinearMap &map,
                            RankedTensorType target) {
  if (featuresOf(bias) != features) {
    if (types) {
      obstacle = "its bias is shared by heads";
      return nullptr;
    }
    bias = BroadcastOp::create(
        builder, loc, RankedTensorType::get(features, target.getElementType()),
        bias);
  }
  if (types)
    return typeLeaf(bias, *types, map, target);
  ArrayRef<int64_t> weight = featuresOf(map.weight);
  bool hasHeads = weight.size() == (map.isVector ? 2 : 3) && !map.byHeads;
  SmallVector<int64_t> matrix(features);
  if (hasHeads && features.size() == 1) { // all heads use the same rows
    matrix.insert(matrix.begin(), weight.front());
    auto type = RankedTensorType::get(matrix, target.getElementType());
    bias = BroadcastOp::create(builder, loc, type, bias);
  }
  if (matrix.size() == 1 || hasHeads)
    matrix.insert(matrix.end() - 1, 1);
  Value rows = multiply(reshape(bias, matrix), map.weight, map.byHeads);
  rows = reshape(rows, getFeatures(target));
  if (map.types)
    return gather(rows, *map.types);
  return BroadcastOp::create(builder, loc, target, rows);
}

Value LinearChain::pushProduct(ProductOpInterface op, const ProductOperands &of,
                               RowPath path, const LinearMap &map,
                               RankedTensorType target) {
  if (of.isVector)
    return nullptr;
  Value rows = op->getOperand(of.rows), weight = op->getOperand(of.weight);
  Value result = op->getResult(0);
  std::optional<RowPath> types;
  if (getRows(weight.getType())) {
    types = compose(path, {spaceOf(result), spaceOf(weight), of.via});
    if (!types)
      return nullptr;
  }
  std::optional<RowPath> toRows =
      compose(path, *getOperandPath(op->getOpOperand(of.rows)));
  if (!toRows)
    return nullptr;
  std::optional<LinearMap> combined =
      combine(weight, featuresOf(rows), featuresOf(result), types, map);
  if (!combined)
    return nullptr;
  Value product = leaf(rows, *toRows, *combined, target);
  if (of.bias) {
    Value bias = pushBias(op->getOperand(*of.bias), featuresOf(result), types,
                          map, target);
    if (!bias)
      return nullptr;
    product = add(product, bias);
  }
  products.push_back(op);
  return product;
}

/// The part of a weight, transposed or not, that `size` inputs meet, or that
/// gives so many outputs.
Value LinearChain::partOf(Value weight, bool ofInputs, bool isVector,
                          int64_t offset, int64_t size) {
  if (auto transpose = weight.getDefiningOp<WeightTransposeOp>())
    return WeightTransposeOp::create(
        builder, loc,
        partOf(transpose.getInput(), !ofInputs, isVector, offset, size));
  if (ofInputs)
    return sliceInput(weight, isVector, offset, size);
  RankedTensorType type = getTensorType(weight);
  SmallVector<int64_t> features(getFeatures(type));
  features.back() = size;
  auto part = getRows(type)
                  ? withFeatures(type, features)
                  : RankedTensorType::get(features, type.getElementType());
  return SliceOp::create(builder, loc, part, weight, offset);
}

/// `concat(a, b) * W = a * W[:n] + b * W[n:]`.
Value LinearChain::pushConcat(ConcatOp op, RowPath path, const LinearMap &map,
                              RankedTensorType target) {
  if (map.byHeads)
    return nullptr;
  Value sum;
  int64_t offset = 0;
  for (Value input : op.getInputs()) {
    int64_t size = featuresOf(input).back();
    LinearMap part = map;
    part.weight =
        partOf(map.weight, /*ofInputs=*/true, map.isVector, offset, size);
    Value term = push(input, path, part, target);
    sum = sum ? add(sum, term) : term;
    offset += size;
  }
  ++splits;
  return sum;
}

/// Through an op that acts on rows, for all features alike: it does so after
/// the product as well.
Value LinearChain::pushRows(Operation *op, RowPath path, const LinearMap &map,
                            RankedTensorType target) {
  auto linear = dyn_cast<LinearOpInterface>(op);
  if (!linear || op->getNumResults() != 1)
    return nullptr;
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    Value input = operand.get();
    if (linear.getLinearAction(number) != LinearAction::Rows ||
        !getRows(input.getType()) ||
        featuresOf(input) != featuresOf(op->getResult(0)))
      continue;
    if (isRowWise(op) && op->getNumOperands() == 1) { // only moves rows
      auto further = compose(path, *getOperandPath(operand));
      return further ? push(input, *further, map, target) : nullptr;
    }
    auto paths = dyn_cast<RowPathOpInterface>(op);
    if (!isa<AggregateOp>(op) || !paths)
      return nullptr;
    RowPath up = paths.getRowPaths().front();
    LinearMap inner = map;
    if (map.types) {
      RowPath below = {up.to, map.types->to, map.types->via};
      if (!below.exists() || path.from != path.to)
        return nullptr;
      inner.types = compose(up, below);
      if (!inner.types)
        return nullptr;
    }
    Value pushed =
        push(input, identity(up.from), inner, onRows(target, up.from));
    IRMapping mapping;
    mapping.map(input, pushed);
    Operation *copy = builder.clone(*op, mapping);
    copy->getResult(0).setType(onRows(target, up.to));
    return gather(copy->getResult(0), path);
  }
  return nullptr;
}

/// A number for each path; 0 for none.
static unsigned encode(std::optional<RowPath> path) {
  if (!path)
    return 0;
  unsigned via = path->via ? 1 + unsigned(*path->via) : 0;
  return 1 + via + 3 * (unsigned(path->from) + 16 * unsigned(path->to));
}

Value LinearChain::push(Value value, RowPath path, const LinearMap &map,
                        RankedTensorType target) {
  PushKey key{value.getAsOpaquePointer(),
              map.weight.getAsOpaquePointer(),
              target.getAsOpaquePointer(),
              encode(path),
              encode(map.types),
              map.isVector,
              map.byHeads};
  if (auto done = memo.find(key); done != memo.end())
    return done->second;
  Value result = isTooLong() ? nullptr : pushOnce(value, path, map, target);
  if (!result)
    result = leaf(value, path, map, target);
  return memo[key] = result;
}

/// Null where `value` is what is to be multiplied.
Value LinearChain::pushOnce(Value value, RowPath path, const LinearMap &map,
                            RankedTensorType target) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return nullptr;
  Value result;
  if (auto product = dyn_cast<ProductOpInterface>(op)) {
    if (auto operands = product.getProductOperands())
      result = pushProduct(product, *operands, path, map, target);
  } else if (isa<arith::AddFOp, arith::SubFOp>(op)) {
    OperationState state(loc, op->getName(),
                         {push(op->getOperand(0), path, map, target),
                          push(op->getOperand(1), path, map, target)},
                         {target}, op->getAttrs());
    result = builder.create(state)->getResult(0);
  } else if (auto reshaped = dyn_cast<ReshapeOp>(op)) {
    if (auto inner = throughReshape(map, featuresOf(reshaped.getInput()),
                                    featuresOf(value)))
      result = push(reshaped.getInput(), path, *inner, target);
  } else if (auto concat = dyn_cast<ConcatOp>(op)) {
    result = pushConcat(concat, path, map, target);
  } else if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    if (!getRows(broadcast.getInput().getType()))
      result = pushBias(broadcast.getInput(), featuresOf(value), std::nullopt,
                        map, target);
  } else {
    result = pushRows(op, path, map, target);
  }
  return result;
}

Value LinearChain::pushSlice(Value value, RowPath path, int64_t offset,
                             RankedTensorType target) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return nullptr;
  auto product = dyn_cast<ProductOpInterface>(op);
  if (!product) {
    bool moves =
        isRowWise(op) && op->getNumOperands() == 1 &&
        isa<LinearOpInterface>(op) &&
        cast<LinearOpInterface>(op).getLinearAction(0) == LinearAction::Rows;
    auto further = moves ? compose(path, *getOperandPath(op->getOpOperand(0)))
                         : std::nullopt;
    return further ? pushSlice(op->getOperand(0), *further, offset, target)
                   : nullptr;
  }
  auto operands = product.getProductOperands();
  if (!operands || operands->isVector)
    return nullptr;
  Value weight = op->getOperand(operands->weight);
  std::optional<RowPath> types;
  if (getRows(weight.getType())) {
    types = compose(path, {spaceOf(value), spaceOf(weight), operands->via});
    if (!types)
      return nullptr;
  }
  int64_t size = getFeatures(target).back();
  auto cut = [&](Value whole) {
    return partOf(whole, /*ofInputs=*/false, /*isVector=*/false, offset, size);
  };
  auto toRows =
      compose(path, *getOperandPath(op->getOpOperand(operands->rows)));
  if (!toRows)
    return nullptr;
  LinearMap map{cut(weight), false, false, types};
  Value result = leaf(op->getOperand(operands->rows), *toRows, map, target);
  if (operands->bias)
    result = addBias(result, cut(op->getOperand(*operands->bias)), types);
  if (result)
    products.push_back(op);
  return result;
}
