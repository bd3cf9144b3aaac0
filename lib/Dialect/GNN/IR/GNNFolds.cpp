//===- GNNFolds.cpp - Folds and canonicalizations -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every rewrite here keeps each number bit for bit: what merely keeps values up
// to rounding is a pass, not a canonicalization.
//
//===----------------------------------------------------------------------===//

#include "ConstantFolds.h"

#include "GNN/Dialect/GNN/IR/GNN.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace gnn;

/// The op of this kind that defines `value`, if any.
template <typename OpT> static OpT definedBy(Value value) {
  return value ? value.getDefiningOp<OpT>() : OpT();
}

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

OpFoldResult RebindRowsOp::fold(FoldAdaptor) {
  auto inner = definedBy<RebindRowsOp>(getInput());
  if (inner && inner.getInput().getType() == getType())
    return inner.getInput();
  return {};
}

OpFoldResult RestrictRowsOp::fold(FoldAdaptor) {
  if (auto expand = definedBy<ExpandRowsOp>(getInput()))
    for (Value input : expand.getInputs())
      if (input.getType() == getType())
        return input;
  return {};
}

/// The edge types of the graphs of an op's inputs.
static llvm::SmallDenseSet<int64_t> edgeTypesOf(ExpandRowsOp op) {
  llvm::SmallDenseSet<int64_t> types;
  for (Type input : op.getInputs().getTypes()) {
    auto graph = SymbolTable::lookupNearestSymbolFrom<GraphOp>(
        op, getRows(input).getGraph());
    types.insert_range(graph.getTypesOfParent());
  }
  return types;
}

/// The sum of rows that no edge type has in common puts each where it belongs.
static LogicalResult mergeExpanded(arith::AddFOp op,
                                   PatternRewriter &rewriter) {
  auto lhs = definedBy<ExpandRowsOp>(op.getLhs()),
       rhs = definedBy<ExpandRowsOp>(op.getRhs());
  if (!lhs || !rhs || lhs == rhs || !lhs->hasOneUse() || !rhs->hasOneUse())
    return rewriter.notifyMatchFailure(op, "expected two sets of rows");
  auto types = edgeTypesOf(lhs);
  if (llvm::any_of(edgeTypesOf(rhs),
                   [&](int64_t type) { return types.contains(type); }))
    return rewriter.notifyMatchFailure(op, "they have an edge type in common");
  SmallVector<Value> inputs(lhs.getInputs());
  llvm::append_range(inputs, rhs.getInputs());
  rewriter.replaceOpWithNewOp<ExpandRowsOp>(op, op.getType(), inputs);
  return success();
}

void ExpandRowsOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                               MLIRContext *) {
  patterns.add(mergeExpanded);
}

OpFoldResult PrefixRowsOp::fold(FoldAdaptor) {
  auto extend = definedBy<ExtendRowsOp>(getInput());
  return extend ? OpFoldResult(extend.getInput()) : OpFoldResult();
}

/// One row for all edges and loops.
static LogicalResult extendBroadcast(ExtendEdgesOp op,
                                     PatternRewriter &rewriter) {
  auto edges = definedBy<BroadcastOp>(op.getEdges()),
       nodes = definedBy<BroadcastOp>(op.getNodes());
  if (!edges || !nodes || edges.getInput() != nodes.getInput() ||
      getRows(edges.getInput().getType()))
    return rewriter.notifyMatchFailure(op, "expected one row for all");
  rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), edges.getInput());
  return success();
}

void ExtendEdgesOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                MLIRContext *) {
  patterns.add(extendBroadcast);
}

/// The rows that were put there. Remaining loops have others.
OpFoldResult LoopRowsOp::fold(FoldAdaptor) {
  auto extend = definedBy<ExtendEdgesOp>(getInput());
  if (!extend)
    return {};
  auto graph = SymbolTable::lookupNearestSymbolFrom<GraphOp>(
      *this, getRows(getInput().getType()).getGraph());
  bool hasAll = graph && graph.getLoops() != LoopsKind::Remaining;
  return hasAll ? OpFoldResult(extend.getNodes()) : OpFoldResult();
}

/// Rows of a derived graph that are gathered are gathered there: its nodes are
/// those of the parent.
static LogicalResult restrictGather(RestrictRowsOp op,
                                    PatternRewriter &rewriter) {
  auto gather = definedBy<GatherOp>(op.getInput());
  if (!gather)
    return rewriter.notifyMatchFailure(op, "input is not gathered");
  auto type = gather.getInput().getType();
  FlatSymbolRefAttr graph = getRows(op.getType()).getGraph();
  RowSpace space = *getRowSpace(type);
  SmallVector<int64_t> shape(type.getShape());
  if (space == RowSpace::EdgeType)
    shape[0] =
        SymbolTable::lookupNearestSymbolFrom<GraphOp>(op, graph).getEdgeTypes();
  auto source =
      RankedTensorType::get(shape, type.getElementType(),
                            RowsAttr::get(op.getContext(), graph, space));
  Value input;
  switch (space) {
  case RowSpace::Node:
  case RowSpace::Src:
  case RowSpace::Dst:
    if (!isFeatureType(type.getElementType()))
      return rewriter.notifyMatchFailure(op, "rebind_rows takes features");
    input =
        RebindRowsOp::create(rewriter, op.getLoc(), source, gather.getInput());
    break;
  case RowSpace::Edge:
  case RowSpace::EdgeType:
  case RowSpace::SrcPair:
  case RowSpace::DstPair:
    input = RestrictRowsOp::create(rewriter, op.getLoc(), source,
                                   gather.getInput());
    break;
  default:
    return rewriter.notifyMatchFailure(op, "no op takes these rows there");
  }
  rewriter.replaceOpWithNewOp<GatherOp>(op, op.getType(), input,
                                        gather.getVia());
  return success();
}

/// Weights are read the other way round by what takes them, which is then
/// behind the restriction.
static LogicalResult restrictTranspose(RestrictRowsOp op,
                                       PatternRewriter &rewriter) {
  auto transpose = definedBy<WeightTransposeOp>(op.getInput());
  if (!transpose)
    return rewriter.notifyMatchFailure(op, "input is not transposed");
  auto type = cast<RankedTensorType>(transpose.getInput().getType());
  auto all = cast<RankedTensorType>(op.getType());
  Value input = RestrictRowsOp::create(rewriter, op.getLoc(),
                                       withFeatures(all, getFeatures(type)),
                                       transpose.getInput());
  rewriter.replaceOpWithNewOp<WeightTransposeOp>(op, op.getType(), input);
  return success();
}

void RestrictRowsOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                 MLIRContext *) {
  patterns.add(restrictGather);
  patterns.add(restrictTranspose);
}

OpFoldResult GatherOp::fold(FoldAdaptor) {
  return getRowPaths().front().isIdentity() ? OpFoldResult(getInput())
                                            : OpFoldResult();
}

/// gather(gather(x)) along two paths is one gather along both.
static LogicalResult composeGathers(GatherOp op, PatternRewriter &rewriter) {
  auto inner = definedBy<GatherOp>(op.getInput());
  if (!inner)
    return rewriter.notifyMatchFailure(op, "input is not gathered");
  std::optional<RowPath> path =
      compose(op.getRowPaths().front(), inner.getRowPaths().front());
  if (!path)
    return rewriter.notifyMatchFailure(op, "no single path leads there");
  rewriter.replaceOpWithNewOp<GatherOp>(op, op.getType(), inner.getInput(),
                                        path->via);
  return success();
}

/// A weight repeated for all rows and gathered is repeated for the rows of the
/// result.
static LogicalResult gatherOfBroadcast(GatherOp op, PatternRewriter &rewriter) {
  auto broadcast = definedBy<BroadcastOp>(op.getInput());
  if (!broadcast || getRows(broadcast.getInput().getType()))
    return rewriter.notifyMatchFailure(op, "input is not a repeated weight");
  rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(),
                                           broadcast.getInput());
  return success();
}

void GatherOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *) {
  patterns.add(composeGathers);
  patterns.add(gatherOfBroadcast);
}

LogicalResult AggregateOp::fold(FoldAdaptor,
                                SmallVectorImpl<OpFoldResult> &results) {
  if (getArgument() || !getRowPaths().front().isIdentity())
    return failure();
  results.push_back(getInput());
  return success();
}

/// An argument that nobody uses is not computed.
static LogicalResult dropUnusedArgument(AggregateOp op,
                                        PatternRewriter &rewriter) {
  if (!op.getArgument() || !op.getArgument().use_empty())
    return rewriter.notifyMatchFailure(op, "no unused argument");
  auto aggregate =
      AggregateOp::create(rewriter, op.getLoc(), op.getResult().getType(),
                          op.getKind(), op.getInput(), op.getVia());
  rewriter.replaceAllUsesWith(op.getResult(), aggregate.getResult());
  rewriter.eraseOp(op);
  return success();
}

/// max(max(x)) over groups of groups is max(x) over all, where no inner group
/// is empty: the 0 of an empty group would take part. Same for min.
static LogicalResult composeExtrema(AggregateOp op, PatternRewriter &rewriter) {
  auto inner = definedBy<AggregateOp>(op.getInput());
  bool isExtremum =
      op.getKind() == ReduceKind::Max || op.getKind() == ReduceKind::Min;
  if (!inner || !isExtremum || inner.getKind() != op.getKind() ||
      op.getArgument() || inner.getArgument())
    return rewriter.notifyMatchFailure(op, "not an extremum of extrema");
  RowPath first = inner.getRowPaths().front();
  if (!first.isOnto())
    return rewriter.notifyMatchFailure(op, "an inner group may be empty");
  std::optional<RowPath> path = compose(first, op.getRowPaths().front());
  if (!path)
    return rewriter.notifyMatchFailure(op, "no single path leads there");
  rewriter.replaceOpWithNewOp<AggregateOp>(
      op, op.getResult().getType(), op.getKind(), inner.getInput(), path->via);
  return success();
}

/// The maximum or minimum of equal rows is that row, where no group is empty.
static LogicalResult extremumOfGather(AggregateOp op,
                                      PatternRewriter &rewriter) {
  auto gather = definedBy<GatherOp>(op.getInput());
  bool isExtremum =
      op.getKind() == ReduceKind::Max || op.getKind() == ReduceKind::Min;
  if (!gather || !isExtremum || op.getArgument())
    return rewriter.notifyMatchFailure(op, "not an extremum of gathered rows");
  RowPath up = op.getRowPaths().front(), down = gather.getRowPaths().front();
  if (up.to != down.to || up.via != down.via || !up.isOnto())
    return rewriter.notifyMatchFailure(op, "other path, or empty groups");
  rewriter.replaceOp(op, gather.getInput());
  return success();
}

void AggregateOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *) {
  patterns.add(dropUnusedArgument);
  patterns.add(composeExtrema);
  patterns.add(extremumOfGather);
}

//===----------------------------------------------------------------------===//
// Several row spaces
//===----------------------------------------------------------------------===//

/// apply copy is a gather.
static LogicalResult copyToGather(ApplyOp op, PatternRewriter &rewriter) {
  if (op.getKind() != BinaryKind::Copy)
    return rewriter.notifyMatchFailure(op, "not a copy");
  rewriter.replaceOpWithNewOp<GatherOp>(op, op.getType(), op.getLhs(),
                                        op.getLhsVia());
  return success();
}

void ApplyOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *) {
  patterns.add(copyToGather);
}

/// sddmm of rows of its own space is a dot.
static LogicalResult sddmmToDot(SddmmOp op, PatternRewriter &rewriter) {
  if (!llvm::all_of(op.getRowPaths(),
                    [](RowPath path) { return path.isIdentity(); }))
    return rewriter.notifyMatchFailure(op,
                                       "an operand is in another row space");
  rewriter.replaceOpWithNewOp<DotOp>(op, op.getType(), op.getLhs(),
                                     op.getRhs());
  return success();
}

void SddmmOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *) {
  patterns.add(sddmmToDot);
}

/// spmm copy of edge rows is an aggregate.
static LogicalResult copyToAggregate(SpmmOp op, PatternRewriter &rewriter) {
  if (op.getKind() != BinaryKind::Copy ||
      getRowSpace(op.getLhs().getType()) != RowSpace::Edge)
    return rewriter.notifyMatchFailure(op, "not a copy of edge rows");
  rewriter.replaceOpWithNewOp<AggregateOp>(op, op.getType(), op.getReduce(),
                                           op.getLhs(), op.getVia());
  return success();
}

void SpmmOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *) {
  patterns.add(copyToAggregate);
}

//===----------------------------------------------------------------------===//
// Features
//===----------------------------------------------------------------------===//

OpFoldResult ActivationOp::fold(FoldAdaptor) {
  auto inner = definedBy<ActivationOp>(getInput());
  bool isTwice = inner && inner.getKind() == ActivationKind::Relu &&
                 getKind() == ActivationKind::Relu;
  return isTwice ? OpFoldResult(getInput()) : OpFoldResult();
}

OpFoldResult DropoutOp::fold(FoldAdaptor) {
  return getP().isZero() ? OpFoldResult(getInput()) : OpFoldResult();
}

OpFoldResult WeightTransposeOp::fold(FoldAdaptor) {
  auto inner = definedBy<WeightTransposeOp>(getInput());
  return inner ? OpFoldResult(inner.getInput()) : OpFoldResult();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor) {
  return getInput().getType() == getType() ? OpFoldResult(getInput())
                                           : OpFoldResult();
}

/// Repeating what is repeated: one op, where both repeat the same way.
static LogicalResult composeBroadcasts(BroadcastOp op,
                                       PatternRewriter &rewriter) {
  auto inner = definedBy<BroadcastOp>(op.getInput());
  if (!inner || !getRows(inner.getInput().getType()))
    return rewriter.notifyMatchFailure(op, "input is not repeated rows");
  rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(), inner.getInput());
  return success();
}

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *) {
  patterns.add(composeBroadcasts);
  detail::addConstantFolds(patterns);
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  return getInputs().size() == 1 ? OpFoldResult(getInputs().front())
                                 : OpFoldResult();
}

OpFoldResult SumRowsOp::fold(FoldAdaptor) {
  return getInput().getType() == getType() ? OpFoldResult(getInput())
                                           : OpFoldResult();
}

OpFoldResult SliceOp::fold(FoldAdaptor) {
  if (getInput().getType() == getType())
    return getInput();
  auto pad = definedBy<PadOp>(getInput());
  if (pad && pad.getOffset() == getOffset() &&
      pad.getInput().getType() == getType())
    return pad.getInput();
  auto concat = definedBy<ConcatOp>(getInput());
  if (!concat)
    return {};
  int64_t begin = 0;
  for (Value input : concat.getInputs()) {
    if (begin == static_cast<int64_t>(getOffset()) &&
        input.getType() == getType())
      return input;
    begin += getFeatures(cast<RankedTensorType>(input.getType())).back();
  }
  return {};
}

/// A part of a part is one part.
static LogicalResult composeSlices(SliceOp op, PatternRewriter &rewriter) {
  auto inner = definedBy<SliceOp>(op.getInput());
  if (!inner)
    return rewriter.notifyMatchFailure(op, "input is not a part");
  rewriter.replaceOpWithNewOp<SliceOp>(
      op, op.getType(), inner.getInput(),
      rewriter.getI64IntegerAttr(op.getOffset() + inner.getOffset()));
  return success();
}

/// The number of features along the last dimension.
static int64_t lastSize(Value value) {
  return getFeatures(cast<RankedTensorType>(value.getType())).back();
}

/// A part of what lies between zeros, without any of them.
static LogicalResult sliceOfPad(SliceOp op, PatternRewriter &rewriter) {
  auto pad = definedBy<PadOp>(op.getInput());
  if (!pad)
    return rewriter.notifyMatchFailure(op, "input is not padded");
  int64_t begin = static_cast<int64_t>(op.getOffset() - pad.getOffset());
  if (begin < 0 || begin + lastSize(op) > lastSize(pad.getInput()))
    return rewriter.notifyMatchFailure(op, "takes zeros");
  rewriter.replaceOpWithNewOp<SliceOp>(op, op.getType(), pad.getInput(),
                                       rewriter.getI64IntegerAttr(begin));
  return success();
}

void SliceOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                          MLIRContext *) {
  patterns.add(composeSlices);
  patterns.add(sliceOfPad);
}

OpFoldResult PadOp::fold(FoldAdaptor) {
  return getInput().getType() == getType() ? OpFoldResult(getInput())
                                           : OpFoldResult();
}

/// Zeros around zeros.
static LogicalResult composePads(PadOp op, PatternRewriter &rewriter) {
  auto inner = definedBy<PadOp>(op.getInput());
  if (!inner)
    return rewriter.notifyMatchFailure(op, "input is not padded");
  rewriter.replaceOpWithNewOp<PadOp>(
      op, op.getType(), inner.getInput(),
      rewriter.getI64IntegerAttr(op.getOffset() + inner.getOffset()));
  return success();
}

/// The terms of a sum whose own sums nothing else reads, in their order.
static SmallVector<Value> termsOf(arith::AddFOp sum) {
  SmallVector<Value> terms, left{sum.getRhs(), sum.getLhs()};
  while (!left.empty()) {
    Value value = left.pop_back_val();
    auto inner = definedBy<arith::AddFOp>(value);
    if (inner && inner->hasOneUse())
      left.append({inner.getRhs(), inner.getLhs()});
    else
      terms.push_back(value);
  }
  return terms;
}

/// Two terms of which one ends where the other begins; `first` comes first in
/// the sum. Terms between them are parts elsewhere, so that these may be one.
static std::optional<std::pair<unsigned, unsigned>>
findNeighbours(ArrayRef<Value> terms) {
  auto end = [](PadOp pad) {
    return static_cast<int64_t>(pad.getOffset()) + lastSize(pad.getInput());
  };
  auto begin = [](PadOp pad) { return static_cast<int64_t>(pad.getOffset()); };
  for (unsigned i = 0; i < terms.size(); ++i) {
    auto first = definedBy<PadOp>(terms[i]);
    if (!first || !first->hasOneUse())
      continue;
    for (unsigned j = i + 1; j < terms.size(); ++j) {
      auto second = definedBy<PadOp>(terms[j]);
      if (!second)
        break;
      if (second->hasOneUse() &&
          (end(first) == begin(second) || end(second) == begin(first)))
        return std::pair(i, j);
      if (begin(second) < end(first) && begin(first) < end(second))
        break;
    }
  }
  return std::nullopt;
}

/// Parts that are added up, each between zeros, are put side by side. Weights
/// stay sums: gnn.concat joins rows.
static LogicalResult joinPads(arith::AddFOp op, PatternRewriter &rewriter) {
  if (!getRows(op.getType()))
    return rewriter.notifyMatchFailure(op, "not rows");
  if (op->hasOneUse() && isa<arith::AddFOp>(*op->user_begin()))
    return rewriter.notifyMatchFailure(op, "a sum adds it to more");
  SmallVector<Value> terms = termsOf(op);
  auto found = findNeighbours(terms);
  if (!found)
    return rewriter.notifyMatchFailure(op, "expected parts side by side");
  auto [i, j] = *found;
  auto left = terms[i].getDefiningOp<PadOp>(),
       right = terms[j].getDefiningOp<PadOp>();
  if (left.getOffset() > right.getOffset())
    std::swap(left, right);
  SmallVector<Value> parts;
  for (PadOp pad : {left, right}) {
    auto concat = definedBy<ConcatOp>(pad.getInput());
    if (concat && concat->hasOneUse())
      parts.append(concat.getInputs().begin(), concat.getInputs().end());
    else
      parts.push_back(pad.getInput());
  }
  auto type = cast<RankedTensorType>(left.getInput().getType());
  SmallVector<int64_t> features(getFeatures(type));
  features.back() += lastSize(right.getInput());
  Value both = ConcatOp::create(rewriter, op.getLoc(),
                                withFeatures(type, features), parts);
  terms[i] = PadOp::create(rewriter, op.getLoc(), left.getType(), both,
                           left.getOffsetAttr());
  terms.erase(terms.begin() + j);
  Value sum = terms.front();
  for (Value term : ArrayRef(terms).drop_front())
    sum = arith::AddFOp::create(rewriter, op.getLoc(), sum, term);
  rewriter.replaceOp(op, sum);
  return success();
}

void PadOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *) {
  patterns.add(composePads);
  patterns.add(joinPads);
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  return getInput().getType() == getType() ? OpFoldResult(getInput())
                                           : OpFoldResult();
}

/// Only the last shape counts.
static LogicalResult composeReshapes(ReshapeOp op, PatternRewriter &rewriter) {
  auto inner = definedBy<ReshapeOp>(op.getInput());
  if (!inner)
    return rewriter.notifyMatchFailure(op, "input is not reshaped");
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), inner.getInput());
  return success();
}

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *) {
  patterns.add(composeReshapes);
}

/// Reducing one head, or one feature, only drops the dimension.
template <typename OpT>
static LogicalResult reduceOne(OpT op, PatternRewriter &rewriter) {
  if (getNumFeatures(op.getInput().getType()) != getNumFeatures(op.getType()))
    return rewriter.notifyMatchFailure(op, "reduces several");
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getInput());
  return success();
}

void ReduceHeadsOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                MLIRContext *) {
  patterns.add(reduceOne<ReduceHeadsOp>);
}

void ReduceFeaturesOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                   MLIRContext *) {
  patterns.add(reduceOne<ReduceFeaturesOp>);
}

/// The one head, or the one feature, is the extreme.
static LogicalResult pickOfOne(PickFeatureOp op, PatternRewriter &rewriter) {
  if (getNumFeatures(op.getInput().getType()) != getNumFeatures(op.getType()))
    return rewriter.notifyMatchFailure(op, "picks of several");
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getInput());
  return success();
}

void PickFeatureOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                MLIRContext *) {
  patterns.add(pickOfOne);
}
