//===- TileFolds.cpp - Canonical forms of gnn_tile ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses at the outermost level where they can be (Hector 3.4.1), none that
// the body does not use, and none of heads where there is one.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

/// All elements of a group lead to the row that the group leads to, so an
/// access from the element can start from the group. Edge types lead to node
/// types only where a schema says so: there the elements must show the way.
AtAttr gnn::tile::hoistAccess(AtAttr at, DomainAttr domain) {
  RowDomain groups = domain.getGroups(), space = at.getSpace();
  if (groups.isIn(Space::EdgeType) && space.isKind(RowKind::NodeType))
    return at;
  if (at.getAnchor() != Anchor::Element || !space ||
      groups.isIn(Space::Graph) || space.hasSpaceOf(domain.getElements()) ||
      !hasMap(groups, space))
    return at;
  return AtAttr::get(at.getContext(), Anchor::Group,
                     space == groups ? RowDomain() : space, at.getHead(),
                     at.getFeature(), at.getOffset());
}

namespace {
struct HoistAccesses : OpRewritePattern<TraverseOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TraverseOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Attribute> accesses;
    for (AtAttr at : op.getInputsAt().getAsRange<AtAttr>())
      accesses.push_back(hoistAccess(at, op.getDomain()));
    if (ArrayRef<Attribute>(accesses) == op.getInputsAt().getValue())
      return rewriter.notifyMatchFailure(op, "all accesses are outermost");
    rewriter.modifyOpInPlace(
        op, [&] { op.setInputsAtAttr(rewriter.getArrayAttr(accesses)); });
    return success();
  }
};

/// Inputs that are read along one way become one: a row that is scored and then
/// weighed.
struct JoinEqualInputs : OpRewritePattern<TraverseOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TraverseOp op,
                                PatternRewriter &rewriter) const override {
    llvm::DenseMap<std::pair<Value, Attribute>, BlockArgument> known;
    bool joined = false;
    for (auto [i, argument] :
         llvm::enumerate(op.getBody().front().getArguments())) {
      auto [it, isNew] =
          known.try_emplace({op.getInputs()[i], op.getInputAt(i)}, argument);
      if (isNew || argument.use_empty())
        continue;
      rewriter.replaceAllUsesWith(argument, it->second);
      joined = true;
    }
    return joined ? success()
                  : rewriter.notifyMatchFailure(op, "no two inputs are equal");
  }
};

/// An input that the body does not use is not read, and its rows are not looked
/// up.
struct DropUnusedInputs : OpRewritePattern<TraverseOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(TraverseOp op,
                                PatternRewriter &rewriter) const override {
    Block &body = op.getBody().front();
    llvm::BitVector unused(body.getNumArguments());
    SmallVector<Attribute> accesses;
    for (auto [i, argument] : llvm::enumerate(body.getArguments()))
      if (argument.use_empty())
        unused.set(i);
      else
        accesses.push_back(op.getInputAt(i));
    if (unused.none())
      return rewriter.notifyMatchFailure(op, "all inputs are used");
    rewriter.modifyOpInPlace(op, [&] {
      for (int i = unused.find_last(); i >= 0; i = unused.find_prev(i))
        op.getInputsMutable().erase(i);
      op.setInputsAtAttr(rewriter.getArrayAttr(accesses));
      body.eraseArguments(unused);
    });
    return success();
  }
};
/// The only head of a row is the row: a walk reads what is seen as [rows, 1,
/// features] as it is, so that the traversal that makes it can share the walk.
struct ReadOnlyHead : OpRewritePattern<TraverseOp> {
  using OpRewritePattern::OpRewritePattern;

  static bool isOnlyHead(Value value, AtAttr at) {
    auto expand = value.getDefiningOp<tensor::ExpandShapeOp>();
    if (!expand || !at.getHead() || !at.getFeature())
      return false;
    RankedTensorType type = expand.getResultType();
    return type.getRank() == 3 && expand.getSrcType().getRank() == 2 &&
           type.getDimSize(1) == 1 &&
           expand.getReassociationIndices()[0].size() == 1 &&
           type.getEncoding() == expand.getSrcType().getEncoding();
  }

  LogicalResult matchAndRewrite(TraverseOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getElements())
      return rewriter.notifyMatchFailure(op, "it walks no elements");
    bool found = false;
    SmallVector<Attribute> accesses(op.getInputsAt().getValue());
    SmallVector<Value> inputs(op.getInputs());
    for (auto [i, input] : llvm::enumerate(inputs)) {
      AtAttr at = op.getInputAt(i);
      if (!isOnlyHead(input, at))
        continue;
      found = true;
      input = input.getDefiningOp<tensor::ExpandShapeOp>().getSrc();
      accesses[i] = AtAttr::get(at.getContext(), at.getAnchor(), at.getSpace(),
                                /*head=*/false, /*feature=*/true,
                                at.getOffset(), at.getColumn());
    }
    if (!found)
      return rewriter.notifyMatchFailure(op, "no input has an only head");
    rewriter.modifyOpInPlace(op, [&] {
      op.getInputsMutable().assign(inputs);
      op.setInputsAtAttr(rewriter.getArrayAttr(accesses));
    });
    return success();
  }
};
} // namespace

void TraverseOp::getCanonicalizationPatterns(RewritePatternSet &results,
                                             MLIRContext *context) {
  results.add<DropUnusedInputs, HoistAccesses, JoinEqualInputs, ReadOnlyHead>(
      context);
}
