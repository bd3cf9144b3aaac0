//===- LoopOps.cpp - Loops over rows that were not raised -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop's body is that of a traversal: what a row yields to itself is stored
// at the group, what is reduced over a node's edges is walked as its elements.
//
//===----------------------------------------------------------------------===//

#include "OpLowerings.h"

#include "GNN/Dialect/GNN/IR/GNNLoopOps.h"

#include "GNN/Dialect/GNN/IR/Features.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gnn;
using tile::Anchor;
using tile::AtAttr;
using tile::Dim;

namespace {
/// The domain that a traversal walks.
struct Walk {
  tile::RowDomain groups, elements;

  bool operator==(const Walk &other) const {
    return groups == other.groups && elements == other.elements;
  }
};

/// A value that a loop gives, and where it goes.
struct Item {
  Value value; ///< of the body, or of that of an inner loop
  std::optional<ReduceKind> reduction;
  std::optional<EndPoint> end;
  unsigned result; ///< of the loop
  Walk walk = {};
  /// The end that the loop's node is of edges that `value` needs inner loops
  /// over.
  std::optional<EndPoint> center = std::nullopt;
};

/// A row that the current point is, or leads to.
struct ReachedRow {
  Anchor anchor;
  tile::RowDomain from; ///< the domain of the anchor
  RowPath path;
};

/// Lowers one loop that stands in no other.
class LoopLowering {
public:
  LoopLowering(Lowering &lowering, RowLoopInterface loop)
      : lowering(lowering), loop(loop) {}
  LogicalResult run();

private:
  /// The ops and loops that `value` depends on. Returns whether it depends on
  /// what inner loops reduce.
  bool collect(Value value, llvm::SetVector<Operation *> &needed);
  /// Where the value that the loop yields as result `i` is computed.
  FailureOr<Item> plan(unsigned i);
  LogicalResult emit(ArrayRef<Item> items);
  LogicalResult chooseDims(ArrayRef<Item> items);
  void placeRows(const Walk &walk, ArrayRef<Item> items);
  FailureOr<Value> eval(Value value);
  FailureOr<Value> evalOp(Value value, Operation *op);
  FailureOr<ReachedRow> reach(Value row, Operation *user);
  Value read(const LoweredRows &rows, AtAttr at);

  Lowering &lowering;
  RowLoopInterface loop;
  // Facts of the traversal that is made now:
  SmallVector<int64_t> dims;
  DenseMap<Value, Value> scalars;
  DenseMap<Value, ReachedRow> rows;
  SmallVector<Value> inputs;
  SmallVector<Attribute> accesses;
  std::unique_ptr<Block> block;
  OpBuilder *inside = nullptr;
};
} // namespace

//===----------------------------------------------------------------------===//
// Domains of walks
//===----------------------------------------------------------------------===//

static bool isOutside(Value value) {
  return !isa<RowLoopInterface>(value.getParentBlock()->getParentOp());
}

bool LoopLowering::collect(Value value, llvm::SetVector<Operation *> &needed) {
  Operation *op = value.getDefiningOp();
  if (!op || isOutside(value))
    return false;
  if (auto inner = dyn_cast<RowLoopInterface>(op)) {
    needed.insert(op);
    Operation *yield = inner.getLoopBody()->getTerminator();
    bool reduces = collect(
        yield->getOperand(cast<OpResult>(value).getResultNumber()), needed);
    return reduces || !getRows(value.getType());
  }
  if (!needed.insert(op))
    return false;
  bool reduces = false;
  for (Value operand : op->getOperands())
    reduces |= collect(operand, needed);
  return reduces;
}

/// The walk of a loop over the edges that have each node at this end.
static Walk walkOf(EndPoint center) {
  Space node = atEnd(RowSpace::Node, toRowEnd(center));
  return {node, *gnn::elementsOf(node, Space::Edge)};
}

FailureOr<Item> LoopLowering::plan(unsigned i) {
  auto yield = cast<YieldOp>(loop.getLoopBody()->getTerminator());
  Item item = {yield.getValues()[i], yield.getReduction(i), yield.getEnd(i), i};
  RowSpace space = loop.getLoopRows().getSpace();
  RowLoopInterface part;
  if (getRows(item.value.getType())) {
    part = item.value.getDefiningOp<RowLoopInterface>();
    unsigned j = cast<OpResult>(item.value).getResultNumber();
    yield = cast<YieldOp>(part.getLoopBody()->getTerminator());
    item = {yield.getValues()[j], yield.getReduction(j), yield.getEnd(j), i};
    space = RowSpace::Edge;
  }
  llvm::SetVector<Operation *> needed;
  bool reducesInside = collect(item.value, needed);
  if (part)
    needed.insert(part);
  for (Operation *op : needed)
    if (auto nested = dyn_cast<RowLoopInterface>(op)) {
      if (nested.getCenterNode() != loop.getLoopRow())
        return nested->emitOpError("has no traversal: expected the edges of "
                                   "the node that the loop around is at");
      if (item.center && item.center != nested.getCenterEnd())
        return nested->emitOpError("has no traversal: expected edges into the "
                                   "node or out of it, got both");
      item.center = nested.getCenterEnd();
    }
  if (!item.reduction) {
    item.walk =
        item.center ? walkOf(*item.center) : Walk{keptRows(space, {}), {}};
    return item;
  }
  std::optional<EndPoint> end = item.end;
  if (!end && space == RowSpace::Src)
    end = EndPoint::Src;
  item.walk.groups =
      lowering.describe(loop->getResult(i).getType(), end).getDomain();
  item.walk.elements = lowering.elementsOf(item.walk.groups, space);
  if (!item.walk.elements ||
      (reducesInside && !(item.walk == walkOf(*item.center))))
    return yield.emitOpError("has no traversal: no structure lists the rows of "
                             "the loop, with what is reduced for each, by '")
           << item.walk.groups.str() << "'";
  return item;
}

//===----------------------------------------------------------------------===//
// The rows of a traversal
//===----------------------------------------------------------------------===//

void LoopLowering::placeRows(const Walk &walk, ArrayRef<Item> items) {
  rows.clear();
  RowSpace space = loop.getLoopRows().getSpace();
  RowPath same = {space, space, std::nullopt};
  RowPath edge = {RowSpace::Edge, RowSpace::Edge, std::nullopt};
  bool hasElements = static_cast<bool>(walk.elements);
  ReachedRow group = {Anchor::Group, walk.groups, same};
  ReachedRow element = {Anchor::Element, walk.elements, same};
  loop->walk([&](RowLoopInterface inner) {
    if (inner != loop)
      rows[inner.getLoopRow()] = {Anchor::Element, walk.elements, edge};
  });
  // Where edges are walked by another end, they lead to the node.
  std::optional<EndPoint> center = items.front().center;
  if (center && !(walkOf(*center) == walk)) {
    RowPath path = {RowSpace::Edge, space, std::nullopt};
    if (path.isAmbiguous())
      path.via = center;
    rows[loop.getLoopRow()] = {Anchor::Element, walk.elements, path};
    return;
  }
  bool isElement = hasElements && (space == RowSpace::Edge ||
                                   !walk.elements.isIn(Space::Edge));
  rows[loop.getLoopRow()] = isElement ? element : group;
}

FailureOr<ReachedRow> LoopLowering::reach(Value row, Operation *user) {
  if (auto it = rows.find(row); it != rows.end())
    return it->second;
  auto follow = row.getDefiningOp<FollowOp>();
  if (!follow)
    return user->emitOpError("has no traversal: its row is of another loop");
  FailureOr<ReachedRow> reached = reach(follow.getRow(), user);
  if (failed(reached))
    return failure();
  std::optional<RowPath> path = compose(reached->path, follow.getPath());
  if (!path)
    return user->emitOpError("has no traversal: no single path leads to its "
                             "row");
  return ReachedRow{reached->anchor, reached->from, *path};
}

static bool hasTraversal(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() ||
         isa<RowLoopInterface, FollowOp, ReadOp, RowNumberOp, RowBroadcastOp,
             RowDotOp, RowActivationOp, arith::ConstantOp>(op);
}

LogicalResult LoopLowering::chooseDims(ArrayRef<Item> items) {
  llvm::SetVector<Operation *> needed;
  for (const Item &item : items)
    collect(item.value, needed);
  SmallVector<std::pair<Operation *, ArrayRef<int64_t>>> shapes;
  auto add = [&](Operation *op, Type type) {
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        tensor && !getRows(tensor))
      shapes.push_back({op, tensor.getShape()});
  };
  for (Operation *op : needed) {
    if (!hasTraversal(op))
      return op->emitOpError("has no traversal: gnn-raise-loops makes ops on "
                             "whole tensors of it");
    for (Type type : op->getResultTypes())
      add(op, type);
    for (Type type : op->getOperandTypes()) // weights are made by none of them
      add(op, type);
  }
  for (const Item &item : items)
    add(loop, item.value.getType());
  dims.clear();
  for (auto [op, shape] : shapes)
    if (shape.size() > dims.size())
      dims.assign(shape.begin(), shape.end());
  for (auto [op, shape] : shapes)
    if (failed(checkDims(op, shape)))
      return failure();
    else if (!begins(dims, shape))
      return op->emitOpError("has no traversal with the others of its loop: "
                             "expected features that begin as theirs");
  return success();
}

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

Value gnn::emitOnOneRow(OpBuilder &b, Operation *op, ValueRange operands,
                        size_t dims) {
  Location loc = op->getLoc();
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto splat = cast<SplatElementsAttr>(constant.getValue());
    return arith::ConstantOp::create(b, loc, splat.getSplatValue<TypedAttr>());
  }
  if (isa<RowBroadcastOp>(op))
    return operands[0];
  if (auto dot = dyn_cast<RowDotOp>(op)) {
    size_t rank = cast<RankedTensorType>(dot.getLhs().getType()).getRank();
    Value product = arith::MulFOp::create(b, loc, operands[0], operands[1]);
    return emitReduce(b, loc, tile::Reduction::Sum,
                      rank == dims ? Dim::Feature : Dim::Head, product);
  }
  if (auto activation = dyn_cast<RowActivationOp>(op))
    return emitActivation(b, loc, activation.getKind(), activation.getAlpha(),
                          operands[0],
                          operands.size() > 1 ? operands[1] : Value());
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  OperationState state(loc, op->getName(), operands, {element}, op->getAttrs());
  return b.create(state)->getResult(0);
}

Value LoopLowering::read(const LoweredRows &rows, AtAttr at) {
  for (auto [i, input] : llvm::enumerate(inputs))
    if (input == rows.tensor && accesses[i] == at)
      return block->getArgument(i);
  inputs.push_back(rows.tensor);
  accesses.push_back(at);
  return block->addArgument(getElementTypeOrSelf(rows.tensor.getType()),
                            loop.getLoc());
}

FailureOr<Value> LoopLowering::eval(Value value) {
  if (Value scalar = scalars.lookup(value))
    return scalar;
  auto type = cast<RankedTensorType>(value.getType());
  if (auto constant = value.getDefiningOp<arith::ConstantOp>()) {
    if (!isa<SplatElementsAttr>(constant.getValue()))
      return constant.emitOpError("expected a constant of one value, others "
                                  "are arguments of the function");
    return emitOnOneRow(*inside, constant, {}, dims.size());
  }
  if (isOutside(value) && !isCondition(value)) { // a weight
    if (!begins(dims, type.getShape()))
      return loop->emitOpError("has no traversal with a weight of type ")
             << type;
    Input input =
        lowering.leading(lowering.get(value), Anchor::All, {}, {}, dims.size());
    return scalars[value] = read(input.rows, input.at);
  }
  FailureOr<Value> scalar = evalOp(value, value.getDefiningOp());
  if (succeeded(scalar))
    scalars[value] = *scalar;
  return scalar;
}

FailureOr<Value> LoopLowering::evalOp(Value value, Operation *op) {
  Location loc = op->getLoc();
  if (auto inner = dyn_cast<RowLoopInterface>(op)) {
    unsigned i = cast<OpResult>(value).getResultNumber();
    auto yield = cast<YieldOp>(inner.getLoopBody()->getTerminator());
    FailureOr<Value> element = eval(yield.getValues()[i]);
    if (failed(element))
      return failure();
    return emitReduce(*inside, loc, reductionOf(*yield.getReduction(i)),
                      Dim::Element, *element);
  }
  if (auto readOp = dyn_cast<ReadOp>(op)) {
    // A value that an inner loop makes for an edge is read at that edge.
    if (auto maker = readOp.getInput().getDefiningOp<RowLoopInterface>();
        maker && maker.getCenterNode())
      return eval(maker.getLoopBody()->getTerminator()->getOperand(
          cast<OpResult>(readOp.getInput()).getResultNumber()));
    FailureOr<ReachedRow> reached = reach(readOp.getRow(), op);
    if (failed(reached))
      return failure();
    std::optional<RowPath> path =
        compose(reached->path, readOp.getRowPaths().front());
    if (!path)
      return op->emitOpError("has no traversal: no single path leads to its "
                             "row");
    Input input =
        lowering.leading(lowering.view(readOp.getInput()), reached->anchor,
                         reached->from, path->via, dims.size());
    return read(input.rows, input.at);
  }
  if (auto number = dyn_cast<RowNumberOp>(op)) {
    FailureOr<ReachedRow> reached = reach(number.getRow(), op);
    if (failed(reached))
      return failure();
    tile::RowDomain user =
        keptRows(number.getRow().getType().getSpace(), {}).getNatural();
    AtAttr at = lowering.access(user, reached->anchor, reached->from,
                                reached->path.via, false, false);
    return Value(tile::IndexOp::create(*inside, loc, inside->getI32Type(), at));
  }
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    FailureOr<Value> scalar = eval(operand);
    if (failed(scalar))
      return failure();
    operands.push_back(*scalar);
  }
  return emitOnOneRow(*inside, op, operands, dims.size());
}

//===----------------------------------------------------------------------===//
// The traversals of a loop
//===----------------------------------------------------------------------===//

LogicalResult LoopLowering::emit(ArrayRef<Item> items) {
  const Walk &walk = items.front().walk;
  if (failed(chooseDims(items)))
    return failure();
  placeRows(walk, items);
  scalars.clear();
  inputs.clear();
  accesses.clear();
  block = std::make_unique<Block>();
  OpBuilder body(loop.getContext()); // the block has no parent yet
  body.setInsertionPointToStart(block.get());
  inside = &body;
  Location loc = loop.getLoc();
  SmallVector<Value> yielded, outputs;
  SmallVector<Attribute> outputsAt;
  SmallVector<LoweredRows> results;
  for (const Item &item : items) {
    FailureOr<Value> value = eval(item.value);
    if (failed(value))
      return failure();
    Type type = loop->getResult(item.result).getType();
    std::optional<EndPoint> end = item.end;
    LoweredRows result = lowering.describe(type, end);
    Anchor anchor = Anchor::Group;
    tile::RowDomain from = walk.groups;
    if (item.reduction) {
      result.space = walk.groups;
      *value = emitReduce(*inside, loc, reductionOf(*item.reduction),
                          Dim::Element, *value);
    } else if (walk.elements && result.getDomain().isIn(Space::Edge)) {
      anchor = Anchor::Element;
      from = walk.elements;
    }
    bool head = dims.size() == 2 && !result.features.empty();
    bool feature = !dims.empty() && result.features.size() == dims.size();
    outputsAt.push_back(
        lowering.access(result, anchor, from, {}, head, feature));
    outputs.push_back(lowering.empty(loc, result, getElementTypeOrSelf(type)));
    yielded.push_back(*value);
    results.push_back(result);
  }
  tile::YieldOp::create(body, loc, yielded);
  OpBuilder &builder = lowering.builder;
  auto op = tile::TraverseOp::create(
      builder, loc, TypeRange(ValueRange(outputs)),
      loop.getLoopRows().getGraph(),
      lowering.domainOf(walk.groups, walk.elements, dims), inputs, outputs,
      builder.getArrayAttr(accesses), builder.getArrayAttr(outputsAt), nullptr);
  op.getBody().push_back(block.release());
  for (auto [item, result, tensor] :
       llvm::zip(items, results, op.getResults())) {
    result.tensor = tensor;
    lowering.set(loop->getResult(item.result), result);
  }
  return success();
}

LogicalResult LoopLowering::run() {
  SmallVector<SmallVector<Item>> walks;
  for (unsigned i = 0; i < loop->getNumResults(); ++i) {
    FailureOr<Item> item = plan(i);
    if (failed(item))
      return failure();
    auto same = llvm::find_if(walks, [&](ArrayRef<Item> items) {
      return items.front().walk == item->walk &&
             items.front().center == item->center &&
             items.front().reduction.has_value() == item->reduction.has_value();
    });
    if (same == walks.end())
      walks.push_back({*item});
    else
      same->push_back(*item);
  }
  for (ArrayRef<Item> items : walks)
    if (failed(emit(items)))
      return failure();
  return success();
}

template <typename LoopT>
static LogicalResult lowerLoop(LoopT loop, Lowering &lowering) {
  return LoopLowering(lowering, loop).run();
}

void gnn::registerLoopLowerings(DialectRegistry &registry) {
  registerLowerings<GNNDialect, lowerLoop<ForEdgesOp>, lowerLoop<ForNodesOp>,
                    lowerLoop<ForIncomingOp>, lowerLoop<ForOutgoingOp>>(
      registry);
}
