//===- EdgeWalks.cpp - Elements walked whatever groups they are of --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/Tile/IR/Buffers.h"
#include "GNN/Dialect/Tile/IR/Parts.h"
#include "GNN/Dialect/Tile/IR/Ranges.h"
#include "GNN/Dialect/Tile/IR/TraverseLayout.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

bool TraverseOp::isByEdges() {
  return TraverseSchedule(*this).rowWalk == RowWalk::ByEdges;
}

bool TraverseOp::joinsPieces() {
  return getPartsOf() && getPartsOf()->isPieces() && !isByEdges();
}

RowDomain TraverseOp::getPositions() {
  if (isByEdges())
    return getElements();
  if (!joinsPieces())
    return getGroups();
  StructureKey key = getPartsOf()->getTiles();
  return RowDomain::cutRows(key.group, key.elements, key.tile);
}

bool TraverseOp::needsGroups() {
  return !getReduced().empty() || !getBody().front().getOps<SizeOp>().empty();
}

bool TraverseOp::isCyclic() {
  return isByEdges() &&
         TraverseSchedule(*this).distribution == ElementDistribution::Cyclic;
}

bool TraverseOp::readsStreams() {
  return isByEdges() && !isCyclic() &&
         TeamShare::isBlock(TraverseSchedule(*this).getBlockPositions()) &&
         getElements().isOfGraph() && getGroups().isOfGraph();
}

SmallVector<RowDomain> TraverseOp::getMapTargets() {
  SmallVector<RowDomain> targets;
  bool areOfElements = isCyclic();
  auto add = [&](AtAttr at) {
    RowDomain target = at.getSpace();
    if (at.getAnchor() == Anchor::Group)
      target = areOfElements ? getGroups() : RowDomain();
    if (target && at.getAnchor() != Anchor::All &&
        needsMap(getElements(), target) && !llvm::is_contained(targets, target))
      targets.push_back(target);
  };
  for (OpOperand *input : getReadInputs())
    add(getAccess(*input));
  for (AtAttr at : getOutputsAt().getAsRange<AtAttr>())
    add(at);
  getBody().walk([&](IndexOp index) { add(index.getAt()); });
  return targets;
}

SmallVector<RowDomain> TraverseOp::getStreamTargets() {
  SmallVector<RowDomain> targets = getMapTargets();
  if (targets.empty())
    targets.push_back(getElements());
  return targets;
}

LogicalResult gnn::tile::verifyPieces(TraverseOp op, RowDomain pieces) {
  int64_t block = TraverseSchedule(op).getBlockPositions();
  if (op.isByEdges() && pieces.getTiles().tile != block) // C12
    return op.emitOpError("expected pieces of blocks of ")
           << block << " elements, as its schedule has them, got '"
           << pieces.str() << "'";
  for (auto reduce : op.getBody().front().getOps<ReduceOp>())
    if (reducesElements(reduce) && reduce.getKind() == Reduction::Mean) // C12
      return reduce.emitOpError("expected no mean over elements whose groups "
                                "are made of pieces");
  return success();
}

bool gnn::tile::isOfGroup(TraverseOp op, Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return op.getInputAt(argument.getArgNumber()).getAnchor() == Anchor::Group;
  Operation *inner = value.getDefiningOp();
  if (auto index = dyn_cast<IndexOp>(inner))
    return index.getAt().getAnchor() == Anchor::Group;
  return isa<SizeOp>(inner) ||
         llvm::any_of(inner->getOperands(),
                      [&](Value operand) { return isOfGroup(op, operand); });
}

std::string gnn::tile::explainByEdges(TraverseOp op) {
  RowDomain groups = op.getGroups(), elements = op.getElements();
  if (!elements.isOfGraph() || groups != groups.getNatural() ||
      (!groups.isKind(RowKind::Node) && !groups.isKind(RowKind::Pair)))
    return ("expected nodes or pairs that have elements, got '" + groups.str() +
            "'");
  if (op.getPartsOf() && !op.getPartsOf()->isPieces())
    return ("expected groups without parts, got parts of '" +
            op.getPartsOf()->str() + "'");
  if (isForBlock(op))
    return "expected rows that are left to no other template of the block";
  if (countWalks(op) != 1)
    return "expected elements that are walked once";
  WalkResult walk = op.getBody().walk([&](ReduceOp reduce) {
    bool exchanges = llvm::any_of(reduce.getDims(), [](int32_t dim) {
      return dim != static_cast<int32_t>(Dim::Element);
    });
    bool isOfElement =
        getLevel(reduce.getValue()).element && !reducesElements(reduce);
    return exchanges && !isOfElement ? WalkResult::interrupt()
                                     : WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return "expected no reductions over heads or features of a group";
  // Identities are there before it is known which group a share begins in.
  for (auto fold : op.getBody().front().getOps<FoldOp>())
    if (llvm::any_of(fold.getIdentity(),
                     [&](Value value) { return isOfGroup(op, value); }))
      return "expected folds whose identity is that of all groups";
  if (op.getReduced().empty() &&
      !llvm::all_of(op.getOutputsAt().getAsRange<AtAttr>(), [](AtAttr at) {
        return at.getAnchor() == Anchor::Element;
      }))
    return "expected rows of groups that are reduced of their elements";
  return "";
}

/// Whether what parts of a group give of a value adds up to what all of its
/// elements give: a sum or a mean, which may be multiplied by what is known of
/// the group. A sum is none where it is all that is wanted of another.
static bool addsUpOf(Value value) {
  Operation *inner = value.getDefiningOp();
  if (auto reduce = dyn_cast_or_null<ReduceOp>(inner))
    return reducesElements(reduce) && reduce.getDims().size() == 1 &&
           (reduce.getKind() == Reduction::Sum ||
            reduce.getKind() == Reduction::Mean);
  auto product = dyn_cast_or_null<arith::MulFOp>(inner);
  if (!product)
    return false;
  auto isKnown = [](Value factor) {
    llvm::SetVector<Operation *> needs;
    if (Operation *op = factor.getDefiningOp())
      needs.insert(op);
    for (unsigned i = 0; i < needs.size(); ++i) {
      if (reducesElements(needs[i]))
        return false;
      for (Value operand : needs[i]->getOperands())
        if (Operation *op = operand.getDefiningOp())
          needs.insert(op);
    }
    return true;
  };
  return (addsUpOf(product.getLhs()) && isKnown(product.getRhs())) ||
         (addsUpOf(product.getRhs()) && isKnown(product.getLhs()));
}

std::string gnn::tile::explainAtomic(TraverseOp op) {
  if (op.getReduced().empty())
    return "expected results of rows, whose parts are added";
  Operation *yield = op.getBody().front().getTerminator();
  for (auto [i, output] : llvm::enumerate(op.getOutputs())) {
    if (op.getOutputAt(i).getAnchor() == Anchor::Element)
      continue;
    Value value = yield->getOperand(i);
    if (!value.getType().isF32() || !addsUpOf(value))
      return ("expected results that are sums or means of f32 over elements, "
              "times what is known of their group, to add parts by atomics: "
              "result " +
              Twine(i) + " is none")
          .str();
    bool isRead = llvm::any_of(op.getInputs(), [&, output = output](Value in) {
      return in == output || (isa<MemRefType>(in.getType()) &&
                              isa<MemRefType>(output.getType()) &&
                              getBuffer(in) == getBuffer(output));
    });
    if (isRead)
      return ("expected results in memory that is not read, to set it to zero "
              "before: result " +
              Twine(i) + " is an input")
          .str();
  }
  return "";
}
