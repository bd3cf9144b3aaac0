//===- GroupEdges.cpp - Dots of edges by destination ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A score of each edge reads a row at both ends. Where edges are walked by
// their destinations, in equal shares, a destination's row is read once and
// stays in registers (Hector 3.3.2, SDDMM).
//
//===----------------------------------------------------------------------===//

#include "GroupEdges.h"

#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Tile/Passes.h"

#include "GNN/Analysis/CostModel.h"
#include "GNN/Dialect/Tile/IR/TraverseLayout.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_GROUPEDGES
#include "GNN/Transforms/Tile/Passes.h.inc"
} // namespace gnn

/// Whether an access leads to rows of features at the destination.
static bool readsDestination(AtAttr at) {
  return at.getAnchor() == Anchor::Group &&
         at.getSpace() == RowDomain(Space::Dst) && at.getFeature();
}

std::string gnn::tile::explainNoDot(TraverseOp op) {
  RowDomain groups = op.getGroups();
  if (op.getElements() || !groups.isIn(Space::Edge))
    return "expected one row for each edge";
  if (op.getTileSchedule())
    return "it has a schedule";
  auto accesses =
      llvm::map_to_vector(op.getReadInputs(), [&](OpOperand *input) {
        return op.getAccess(*input);
      });
  if (llvm::none_of(accesses, readsDestination))
    return "it reads no rows of features at destinations";
  if (llvm::any_of(accesses, [](AtAttr at) { return at.getColumn(); }))
    return "it reads weights the other way round";
  auto isOfFeatures = [](AtAttr at) { return at.getFeature(); };
  if (llvm::any_of(op.getOutputsAt().getAsRange<AtAttr>(), isOfFeatures))
    return "its rows have features, which are not reduced";
  return "";
}

/// The same access where edges are elements of their destinations.
static AtAttr ofElement(AtAttr at, RowDomain edges, RowDomain inRows) {
  if (at.getAnchor() != Anchor::Group)
    return at;
  Anchor anchor = Anchor::Element;
  RowDomain space = at.getSpace() ? at.getSpace() : edges;
  if (space == RowDomain(Space::Dst)) {
    anchor = Anchor::Group;
    space = RowDomain();
  } else if (space == inRows) {
    space = RowDomain();
  }
  return AtAttr::get(at.getContext(), anchor, space, at.getHead(),
                     at.getFeature(), at.getOffset());
}

TraverseOp gnn::tile::groupByDestination(TraverseOp op) {
  OpBuilder builder(op);
  RowDomain edges = op.getGroups(), inRows(Space::Edge, RowOrder::InRows);
  auto map = [&](ArrayAttr accesses) {
    return builder.getArrayAttr(llvm::map_to_vector(
        accesses.getAsRange<AtAttr>(),
        [&](AtAttr at) -> Attribute { return ofElement(at, edges, inRows); }));
  };
  auto grouped = cast<TraverseOp>(builder.clone(*op));
  DomainAttr domain = op.getDomain();
  grouped.setDomainAttr(DomainAttr::get(op.getContext(), Space::Dst, inRows,
                                        domain.getHeads(),
                                        domain.getFeatures()));
  grouped.setInputsAtAttr(map(op.getInputsAt()));
  grouped.setOutputsAtAttr(map(op.getOutputsAt()));
  grouped.getBody().walk([&](IndexOp index) {
    index.setAtAttr(ofElement(index.getAt(), edges, inRows));
  });
  return grouped;
}

/// The only reader of a result, but for its sizes, behind `reshapes`.
static Operation *findReader(Value result,
                             SmallVectorImpl<Operation *> &reshapes) {
  Operation *reader = nullptr;
  for (Operation *user : result.getUsers()) {
    if (isa<tensor::DimOp>(user))
      continue;
    if (reader)
      return nullptr;
    reader = user;
  }
  if (!isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(reader))
    return reader;
  reshapes.push_back(reader);
  return findReader(reader->getResult(0), reshapes);
}

/// The type without an order of rows.
static Type inNaturalOrder(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return RankedTensorType::get(type.getShape(), type.getElementType());
}

/// The copy to another order that alone reads a result, behind `reshapes`.
static TraverseOp findCopy(OpResult result,
                           SmallVectorImpl<Operation *> &reshapes) {
  auto copy = dyn_cast_if_present<TraverseOp>(findReader(result, reshapes));
  return copy && isOtherOrder(copy) ? copy : TraverseOp();
}

/// Bytes that copies of results read and write for each edge.
static int64_t countCopied(TraverseOp op) {
  int64_t bytes = 0;
  for (OpResult result : op->getResults()) {
    SmallVector<Operation *> reshapes;
    auto type = cast<ShapedType>(result.getType());
    TraverseOp copy = findCopy(result, reshapes);
    if (copy && !isScattered(copy)) // which goes
      bytes += 2 * ShapedType::getNumElements(type.getShape().drop_front()) *
               llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  }
  return bytes;
}

/// Writes a result of elements in the order in which a copy alone has it.
static bool writeWhereRead(TraverseOp op, unsigned number) {
  Value result = op.getResult(number), init = op.getOutputs()[number];
  SmallVector<Operation *> reshapes;
  TraverseOp copy = findCopy(op->getResult(number), reshapes);
  AtAttr at = op.getOutputAt(number);
  auto empty = init.getDefiningOp<tensor::EmptyOp>();
  if (!copy || !empty || copy.getGraphAttr() != op.getGraphAttr() ||
      copy.getGroups() != op.getElements() ||
      at.getAnchor() != Anchor::Element || at.getSpace() ||
      inNaturalOrder(copy.getResult(0)) != copy.getResult(0).getType())
    return false;
  OpBuilder builder(op);
  Value other = tensor::EmptyOp::create(
      builder, empty.getLoc(), inNaturalOrder(init), empty.getDynamicSizes());
  SmallVector<Attribute> accesses(op.getOutputsAt().getValue());
  accesses[number] = AtAttr::get(op.getContext(), Anchor::Element,
                                 copy.getOutputAt(0).getSpace(), at.getHead(),
                                 at.getFeature(), at.getOffset());
  op.setOutputsAtAttr(builder.getArrayAttr(accesses));
  op.getOutputsMutable()[number].set(other);
  result.setType(other.getType());
  for (Operation *reshape : reshapes) {
    result = reshape->getResult(0);
    result.setType(inNaturalOrder(result));
  }
  copy.getResult(0).replaceAllUsesWith(result);
  copy.erase();
  return true;
}

namespace {
struct GroupEdges : gnn::impl::GroupEdgesBase<GroupEdges> {
  using GroupEdgesBase::GroupEdgesBase;

  void runOnOperation() override {
    SmallVector<TraverseOp> ops;
    getOperation()->walk([&](TraverseOp op) {
      if (!op.getElements() && op.getGroups().isIn(Space::Edge))
        ops.push_back(op);
    });
    made.clear();
    for (TraverseOp op : ops)
      visit(op);
    for (TraverseOp op : made) // copies are among what was visited
      for (unsigned i = 0; i < op.getNumResults(); ++i)
        write(op, i);
  }

private:
  void write(TraverseOp op, unsigned number) {
    SmallVector<Operation *> reshapes;
    TraverseOp copy = findCopy(op->getResult(number), reshapes);
    if (copy && isScattered(copy))
      refused(getArgument(), op.getLoc())
          << "the L2 does not hold what it would write in the order in which "
             "it is read";
    else if (writeWhereRead(op, number))
      passed(getArgument(), op.getLoc(), "Written")
          << "its results are written in the order in which they are read";
  }

  void visit(TraverseOp op) {
    std::string gain, why = explainNoDot(op);
    if (!why.empty()) {
      refused(getArgument(), op.getLoc()) << why;
      return;
    }
    TraverseOp grouped = groupByDestination(op);
    why = explainEdges(grouped, edges, gain, op, countCopied(op));
    if (!why.empty()) {
      grouped.erase();
      refused(getArgument(), op.getLoc()) << why;
      return;
    }
    TraverseSchedule schedule;
    schedule.rowWalk = RowWalk::ByEdges;
    schedule.setOn(grouped);
    op->replaceAllUsesWith(grouped);
    op.erase();
    passed(getArgument(), grouped.getLoc(), "Grouped")
        << ("a destination's row is read once for its edges" + gain);
    made.push_back(grouped);
  }

  SmallVector<TraverseOp> made;
};
} // namespace
