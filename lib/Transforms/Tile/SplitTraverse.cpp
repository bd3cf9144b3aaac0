//===- SplitTraverse.cpp - A traversal of tiles, and one of groups --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first one computes what reductions need, the second one what follows
// them.
//
//===----------------------------------------------------------------------===//

#include "SplitSums.h"

#include "GNN/Dialect/Tile/IR/TraverseLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

Value gnn::tile::emptyParts(OpBuilder &builder, Location loc,
                            FlatSymbolRefAttr graph, RowDomain rows,
                            ArrayRef<int64_t> features, Type element) {
  Value count = CountOp::create(builder, loc, builder.getIndexType(),
                                graph.getValue(), rows.getCountKey());
  SmallVector<int64_t> shape{ShapedType::kDynamic};
  shape.append(features.begin(), features.end());
  return tensor::EmptyOp::create(builder, loc, shape, element,
                                 ValueRange(count));
}

/// Adds all that the values of `needs` are computed from, up to reductions over
/// elements.
static void addNeeds(Block &body, SetVector<Value> &needs) {
  for (Operation &inner : llvm::reverse(body))
    if (!reducesElements(&inner) &&
        llvm::any_of(inner.getResults(),
                     [&](Value result) { return needs.contains(result); }))
      needs.insert(inner.operand_begin(), inner.operand_end());
}

/// Finds what is computed in which step. Why the traversal cannot be split;
/// empty if it can.
std::string gnn::tile::planSplit(TraverseOp op, SplitBody &split) {
  Block &body = op.getBody().front();
  llvm::DenseSet<Value> late; // known once all elements have been walked
  for (Operation &inner : body.without_terminator()) {
    bool isLate = isa<SizeOp>(inner) ||
                  llvm::any_of(inner.getOperands(), [&](Value operand) {
                    return late.contains(operand);
                  });
    if (reducesElements(&inner)) {
      if (isLate)
        return "a reduction needs all elements of its group first";
      split.reductions.push_back(&inner);
      isLate = true;
      split.before.insert(inner.operand_begin(), inner.operand_end());
    }
    if (isLate)
      late.insert(inner.result_begin(), inner.result_end());
  }
  Operation *yield = body.getTerminator();
  for (auto [i, value] : llvm::enumerate(yield->getOperands())) {
    if (op.getOutputAt(i).getAnchor() != Anchor::Element)
      continue;
    if (late.contains(value))
      return "rows of elements need all elements of their group first";
    split.ofElements.push_back(i);
    split.before.insert(value);
  }
  addNeeds(body, split.before);
  for (Value value : split.before) {
    AtAttr at;
    if (auto argument = dyn_cast<BlockArgument>(value))
      at = op.getInputAt(argument.getArgNumber());
    else if (auto index = value.getDefiningOp<IndexOp>())
      at = index.getAt();
    if (at && at.getAnchor() == Anchor::Group && at.getSpace() &&
        at.getSpace() != op.getGroups())
      return "no map leads from a tile to what it reads for its group";
  }
  split.behind.insert(yield->operand_begin(), yield->operand_end());
  auto addSize = [&](Type type) {
    if (!llvm::is_contained(split.sizes, type))
      split.sizes.push_back(type);
  };
  for (Operation *inner : split.reductions) {
    if (auto fold = dyn_cast<FoldOp>(inner))
      split.behind.insert(fold.getIdentity().begin(), fold.getIdentity().end());
    if (auto reduce = dyn_cast<ReduceOp>(inner))
      if (reduce.getKind() == Reduction::Mean)
        addSize(reduce.getType());
  }
  addNeeds(body, split.behind);
  for (Value value : split.behind)
    if (value.getDefiningOp<SizeOp>())
      addSize(value.getType());
  return "";
}

SmallVector<int64_t> gnn::tile::featuresAt(Level level, DomainAttr domain) {
  SmallVector<int64_t> features;
  if (level.head)
    features.push_back(domain.getHeads());
  if (level.feature)
    features.push_back(domain.getFeatures());
  return features;
}

namespace {
/// One of the two traversals, whose operands are collected.
struct TraverseDraft {
  SmallVector<Value> inputs, outputs;
  SmallVector<Attribute> inputsAt, outputsAt;

  TraverseOp create(OpBuilder &builder, TraverseOp from,
                    FlatSymbolRefAttr graph, DomainAttr domain) {
    auto op = TraverseOp::create(
        builder, from.getLoc(), ValueRange(outputs).getTypes(), graph, domain,
        inputs, outputs, builder.getArrayAttr(inputsAt),
        builder.getArrayAttr(outputsAt),
        /*schedule=*/nullptr);
    Block &body = op.getBody().emplaceBlock();
    for (Value input : inputs)
      body.addArgument(getElementTypeOrSelf(input.getType()), from.getLoc());
    return op;
  }
};

/// The parts that groups are cut into.
struct Cut {
  FlatSymbolRefAttr graph; ///< of both traversals
  RowDomain groups;        ///< of the first one: a part each
  RowDomain elements;      ///< of the first one
  RowDomain parts;         ///< of the second one, which are its elements
};

/// Splits one traversal.
class TraverseSplit {
public:
  TraverseSplit(TraverseOp op, const SplitBody &parts, RowDomain tiles)
      : TraverseSplit(op, parts,
                      {op.getGraphAttr(), tiles, op.getElements(), tiles}) {}
  TraverseSplit(TraverseOp op, const SplitBody &parts, Cut cut)
      : op(op), parts(parts), domain(op.getDomain()), cut(cut),
        rewriter(op.getContext()) {
    rewriter.setInsertionPoint(op);
  }

  TwoSteps run() {
    TraverseOp first = sumTiles(parts.sizes);
    return {first, sumGroups(first)};
  }
  void runOnLong() { addParts(sumTiles({})); }

private:
  TraverseOp sumTiles(ArrayRef<Type> sizes);
  TraverseOp sumGroups(TraverseOp first);
  void addParts(TraverseOp first);
  void addInputs(TraverseDraft &draft, const SetVector<Value> &needs,
                 bool ofTiles);
  /// An access from a part in place of its group, or from its elements.
  AtAttr fromTile(AtAttr at);
  SmallVector<Value> reduceTile(OpBuilder &inside, Operation *reduction,
                                IRMapping &mapping);
  SmallVector<Value> reduceParts(OpBuilder &inside, Operation *reduction,
                                 ValueRange values, IRMapping &mapping);
  static Value sumElements(OpBuilder &inside, Location loc, Value value) {
    return ReduceOp::create(inside, loc, Reduction::Sum,
                            {static_cast<int32_t>(Dim::Element)}, value);
  }

  TraverseOp op;
  const SplitBody &parts;
  DomainAttr domain;
  Cut cut;
  IRRewriter rewriter;
  DenseMap<Type, Value> groupSizes;
};
} // namespace

AtAttr TraverseSplit::fromTile(AtAttr at) {
  RowDomain to = at.getSpace();
  if (at.getAnchor() == Anchor::Group)
    to = domain.getGroups();
  else if (at.getAnchor() == Anchor::Element && !to &&
           cut.elements != domain.getElements())
    to = domain.getElements();
  return AtAttr::get(at.getContext(), at.getAnchor(), to, at.getHead(),
                     at.getFeature(), at.getOffset());
}

/// Adds the inputs that are needed, in their order.
void TraverseSplit::addInputs(TraverseDraft &draft,
                              const SetVector<Value> &needs, bool ofTiles) {
  for (BlockArgument argument : op.getBody().getArguments()) {
    if (!needs.contains(argument))
      continue;
    AtAttr at = op.getInputAt(argument.getArgNumber());
    draft.inputs.push_back(op.getInputs()[argument.getArgNumber()]);
    draft.inputsAt.push_back(ofTiles ? fromTile(at) : at);
  }
}

/// The results of a reduction for a tile: of a mean, the sum that it divides.
SmallVector<Value> TraverseSplit::reduceTile(OpBuilder &inside,
                                             Operation *reduction,
                                             IRMapping &mapping) {
  auto reduce = dyn_cast<ReduceOp>(reduction);
  if (!reduce || reduce.getKind() != Reduction::Mean)
    return llvm::to_vector_of<Value>(
        inside.clone(*reduction, mapping)->getResults());
  Value value = mapping.lookup(reduce.getValue());
  SmallVector<int32_t> others;
  for (int32_t dim : reduce.getDims())
    if (dim != static_cast<int32_t>(Dim::Element))
      others.push_back(dim);
  if (!others.empty())
    value = ReduceOp::create(inside, reduce.getLoc(), Reduction::Mean, others,
                             value);
  return {sumElements(inside, reduce.getLoc(), value)};
}

/// The results of a reduction for a group, of those for its tiles.
SmallVector<Value> TraverseSplit::reduceParts(OpBuilder &inside,
                                              Operation *reduction,
                                              ValueRange values,
                                              IRMapping &mapping) {
  Location loc = reduction->getLoc();
  if (auto fold = dyn_cast<FoldOp>(reduction)) {
    SmallVector<Value> operands(values);
    for (Value identity : fold.getIdentity())
      operands.push_back(mapping.lookup(identity));
    Operation *copy = inside.clone(*fold);
    copy->setOperands(operands);
    return llvm::to_vector_of<Value>(copy->getResults());
  }
  if (isa<SoftmaxSumOp>(reduction))
    return llvm::to_vector_of<Value>(
        SoftmaxSumOp::create(inside, loc, values)->getResults());
  if (auto arg = dyn_cast<ArgReduceOp>(reduction)) {
    auto best = ArgReduceOp::create(inside, loc, arg.getExtreme().getType(),
                                    arg.getArgument().getType(), arg.getKind(),
                                    values[0], values[1]);
    return {best.getExtreme(), best.getArgument()};
  }
  auto reduce = cast<ReduceOp>(reduction);
  if (reduce.getKind() != Reduction::Mean)
    return {ReduceOp::create(inside, loc, reduce.getKind(),
                             {static_cast<int32_t>(Dim::Element)}, values[0])};
  Value one = arith::ConstantOp::create(
      inside, loc, inside.getFloatAttr(reduce.getType(), 1));
  Value size =
      arith::MaximumFOp::create(inside, loc, groupSizes[reduce.getType()], one);
  return {arith::DivFOp::create(inside, loc,
                                sumElements(inside, loc, values[0]), size)};
}

/// The reductions of each tile, how many elements it has, as `sizes`, and the
/// rows of its elements.
TraverseOp TraverseSplit::sumTiles(ArrayRef<Type> sizes) {
  TraverseDraft draft;
  addInputs(draft, parts.before, /*ofTiles=*/true);
  auto addOutput = [&](Level level, Type element) {
    draft.outputs.push_back(emptyParts(rewriter, op.getLoc(), cut.graph,
                                       cut.groups, featuresAt(level, domain),
                                       element));
    draft.outputsAt.push_back(AtAttr::get(op.getContext(), Anchor::Group, {},
                                          level.head, level.feature, 0));
  };
  for (Operation *reduction : parts.reductions)
    for (Value result : reduction->getResults())
      addOutput(getLevel(result), result.getType());
  for (Type size : sizes)
    addOutput({}, size);
  for (unsigned i : parts.ofElements) {
    draft.outputs.push_back(op.getOutputs()[i]);
    draft.outputsAt.push_back(op.getOutputAt(i));
  }

  auto ofTiles = DomainAttr::get(op.getContext(), cut.groups, cut.elements,
                                 domain.getHeads(), domain.getFeatures());
  TraverseOp first = draft.create(rewriter, op, cut.graph, ofTiles);
  Block &body = first.getBody().front();
  OpBuilder inside = OpBuilder::atBlockBegin(&body);
  IRMapping mapping;
  unsigned next = 0;
  for (BlockArgument argument : op.getBody().getArguments())
    if (parts.before.contains(argument))
      mapping.map(argument, body.getArgument(next++));
  SmallVector<Value> yielded;
  for (Operation &inner : op.getBody().front().without_terminator()) {
    if (llvm::is_contained(parts.reductions, &inner)) {
      llvm::append_range(yielded, reduceTile(inside, &inner, mapping));
    } else if (parts.before.contains(inner.getResult(0))) {
      Operation *copy = inside.clone(inner, mapping);
      if (auto index = dyn_cast<IndexOp>(copy))
        index.setAtAttr(fromTile(index.getAt()));
    }
  }
  for (Type size : sizes)
    yielded.push_back(SizeOp::create(inside, op.getLoc(), size));
  Operation *yield = op.getBody().front().getTerminator();
  for (unsigned i : parts.ofElements)
    yielded.push_back(mapping.lookup(yield->getOperand(i)));
  YieldOp::create(inside, op.getLoc(), yielded);
  return first;
}

/// The reductions of each group, of those of its tiles, and what follows them.
TraverseOp TraverseSplit::sumGroups(TraverseOp first) {
  TraverseDraft draft;
  draft.outputs = llvm::to_vector(op.getOutputs());
  draft.outputsAt = llvm::to_vector(op.getOutputsAt());
  for (auto [part, at] : llvm::zip(first.getResults(),
                                   first.getOutputsAt().getAsRange<AtAttr>())) {
    draft.inputs.push_back(part);
    draft.inputsAt.push_back(
        AtAttr::get(op.getContext(), Anchor::Element,
                    cut.parts == cut.groups ? RowDomain() : cut.groups,
                    at.getHead(), at.getFeature(), 0));
  }
  unsigned next = draft.inputs.size();
  addInputs(draft, parts.behind, /*ofTiles=*/false);
  auto ofGroups =
      DomainAttr::get(op.getContext(), domain.getGroups(), cut.parts,
                      domain.getHeads(), domain.getFeatures());
  TraverseOp second = draft.create(rewriter, op, cut.graph, ofGroups);
  Block &body = second.getBody().front();
  OpBuilder inside = OpBuilder::atBlockBegin(&body);
  IRMapping mapping;
  for (BlockArgument argument : op.getBody().getArguments())
    if (parts.behind.contains(argument))
      mapping.map(argument, body.getArgument(next++));
  unsigned part = 0;
  for (auto [i, size] : llvm::enumerate(parts.sizes))
    groupSizes[size] = sumElements(
        inside, op.getLoc(),
        body.getArgument(first.getNumResults() - parts.sizes.size() + i));
  for (Operation &inner : op.getBody().front()) {
    if (llvm::is_contained(parts.reductions, &inner)) {
      SmallVector<Value> values;
      for (unsigned i = 0; i < inner.getNumResults(); ++i)
        values.push_back(body.getArgument(part++));
      mapping.map(inner.getResults(),
                  reduceParts(inside, &inner, values, mapping));
    } else if (auto size = dyn_cast<SizeOp>(inner)) {
      if (parts.behind.contains(size))
        mapping.map(size.getResult(), groupSizes[size.getType()]);
    } else if (isa<YieldOp>(inner) ||
               parts.behind.contains(inner.getResult(0))) {
      inside.clone(inner, mapping);
    }
  }
  return second;
}

/// The same traversal, which combines what `first` gives of long groups and
/// goes on with the rows of their elements.
void TraverseSplit::addParts(TraverseOp first) {
  ResultRange results = first.getResults();
  size_t count = results.size() - parts.ofElements.size();
  rewriter.modifyOpInPlace(op, [&] {
    op.getPartsMutable().assign(results.take_front(count));
    op.setPartsOfAttr(RowDomainAttr::get(op.getContext(), cut.groups));
    for (auto [i, rows] :
         llvm::zip(parts.ofElements, results.drop_front(count)))
      op.getOutputsMutable()[i].assign(rows);
  });
}

void gnn::tile::undo(TwoSteps steps) {
  steps.second.erase();
  SmallVector<Value> parts = llvm::to_vector(steps.first.getOutputs());
  steps.first.erase();
  for (Value part : parts) {
    Operation *empty = part.getDefiningOp();
    Operation *count = empty->getOperand(0).getDefiningOp();
    empty->erase();
    count->erase();
  }
}

void gnn::tile::splitLongRows(TraverseOp op, const SplitBody &split,
                              RowDomain tiles) {
  TraverseSplit(op, split, tiles).runOnLong();
}

TwoSteps gnn::tile::splitTraverse(TraverseOp op, const SplitBody &split,
                                  RowDomain tiles) {
  TwoSteps steps = TraverseSplit(op, split, tiles).run();
  op.replaceAllUsesWith(steps.second);
  op.erase();
  return steps;
}

std::string gnn::tile::explainShards(TraverseOp op, EndPoint end) {
  Space node = end == EndPoint::Src ? Space::Src : Space::Dst;
  bool readsNodes = false;
  auto explain = [&](AtAttr at) -> std::string {
    if (at.getAnchor() != Anchor::Element)
      return "";
    RowDomain to = at.getSpace() ? at.getSpace() : op.getElements();
    readsNodes |= to.isIn(node);
    if (to.isKind(RowKind::Pair) || to.isKind(RowKind::EdgeType))
      return "it reads '" + to.str() + "' rows, which shards do not lead to";
    return "";
  };
  for (OpOperand *input : op.getReadInputs())
    if (std::string why = explain(op.getAccess(*input)); !why.empty())
      return why;
  for (auto index : op.getBody().getOps<IndexOp>())
    if (std::string why = explain(index.getAt()); !why.empty())
      return why;
  return readsNodes ? "" : "its elements read no rows of nodes";
}

TwoSteps gnn::tile::splitIntoShards(TraverseOp op, const SplitBody &split,
                                    GraphOp shards) {
  bool ofDst = op.getGroups().getEnd() == RowEnd::Dst;
  Space pairs = ofDst ? Space::DstPair : Space::SrcPair;
  RowDomain edges(Space::Edge, ofDst ? RowOrder::DstPairs : RowOrder::SrcPairs);
  return TraverseSplit(op, split,
                       Cut{FlatSymbolRefAttr::get(shards), RowDomain(pairs),
                           edges, RowDomain(pairs, RowOrder::ByNode)})
      .run();
}
