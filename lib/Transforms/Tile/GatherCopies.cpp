//===- GatherCopies.cpp - Who puts rows in another order ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A number of an edge that is written to a place of its own fetches a sector
// and writes it back. One that is read there fetches it alone, but by a kernel
// more.
//
//===----------------------------------------------------------------------===//

#include "TensorUtils.h"

#include "GNN/Analysis/CostModel.h"
#include "GNN/Dialect/GNN/IR/Target.h"
#include "GNN/Dialect/Tile/IR/ScheduleFields.h"
#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Tile/Passes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_GATHERCOPIES
#include "GNN/Transforms/Tile/Passes.h.inc"
} // namespace gnn

/// The rows that a result has one of each.
static RowDomain walkedBy(TraverseOp op, unsigned number) {
  return op.getStart(op.getOutputAt(number));
}

/// Whether a traversal makes all of a result, of which nothing was there.
static bool makesAll(TraverseOp op, unsigned number) {
  AtAttr at = op.getOutputAt(number);
  return at.getAnchor() != Anchor::All && !at.getOffset() && !at.getColumn() &&
         op.getWrittenColumns(*op.getDpsInitOperand(number)).isWhole &&
         op.getOutputs()[number].getDefiningOp<tensor::EmptyOp>();
}

/// Whether a traversal only puts all numbers of its rows in another order.
static bool isOtherOrder(TraverseOp op) {
  if (op.getInputs().size() != 1 || op.getNumResults() != 1 ||
      op.getSchedule() || op.getElements())
    return false;
  AtAttr in = op.getInputAt(0), out = op.getOutputAt(0);
  auto from = cast<RankedTensorType>(op.getInputs()[0].getType());
  auto to = cast<RankedTensorType>(op.getResult(0).getType());
  Block &body = op.getBody().front();
  return body.getTerminator()->getOperand(0) == body.getArgument(0) &&
         in.getAnchor() == Anchor::Group && !in.getOffset() &&
         !in.getColumn() && !in.getSpace() && out.getSpace() &&
         in.getHead() == out.getHead() && in.getFeature() == out.getFeature() &&
         from.getShape() == to.getShape() && makesAll(op, 0);
}

/// Whether no schedule was given to a traversal, beyond that it goes by edges.
static bool mayChange(TraverseOp op) {
  TraverseSchedule byEdges;
  byEdges.rowWalk = RowWalk::ByEdges;
  return !op.getSchedule() || op.getSchedule() == byEdges.get(op.getContext());
}

static GraphOp getGraph(TraverseOp op) {
  return SymbolTable::lookupNearestSymbolFrom<GraphOp>(op, op.getGraphAttr());
}

/// Whether a result lies in another order than that of the walk: those of edges
/// that are sorted by destination are one.
static bool isReordered(TraverseOp op, unsigned number) {
  return isMapped(getGraph(op), walkedBy(op, number),
                  op.getOutputAt(number).getSpace());
}

/// Empty if the L2 does not hold the numbers of a result beside what else it
/// has to, by statistics: each of them takes a sector of memory where it is
/// written in another order; else why it may. Dots of 2 and 64 features for
/// the 11.7 M edges of debian-files, 47 MB, on an H200: 0.56 and 1.09 ms
/// written, 0.18 and 0.67 gathered.
static std::string explainNotScattered(TraverseOp op, unsigned number) {
  auto type = cast<ShapedType>(op.getOutputs()[number].getType());
  double row = static_cast<double>(
                   ShapedType::getNumElements(type.getShape().drop_front())) *
               type.getElementTypeBitWidth() / 8;
  if (row >= sectorBytes)
    return "its rows have at least the 32 bytes of a sector";
  GraphOp graph = getGraph(op);
  StatsAttr stats = graph ? getStats(graph) : nullptr;
  double atHand = KernelConstants::tableShare *
                  CostModel(op, CostKind::Full).getFigures().l2Bytes;
  bool exceeds = stats && countRows(walkedBy(op, number), stats) * row > atHand;
  return exceeds ? ""
                 : "its result is not known to exceed two thirds of the L2";
}

//===----------------------------------------------------------------------===//
// A copy that gathers
//===----------------------------------------------------------------------===//

/// Whether rows of the order of a result lead to those of the traversal.
static bool mayGather(TraverseOp op, unsigned number) {
  RowDomain from = walkedBy(op, number), to = op.getOutputAt(number).getSpace();
  return to.hasSpaceOf(from) && hasMap(to, from);
}

/// The access of the group, or of the row in `space` that it leads to, to the
/// columns that `like` has.
static AtAttr ofGroup(AtAttr like, RowDomain space) {
  return AtAttr::get(like.getContext(), Anchor::Group, space, like.getHead(),
                     like.getFeature(), /*offset=*/0);
}

/// Lets a copy to another order read what it copies there, in place of writing
/// it there.
static void gatherCopy(TraverseOp copy) {
  MLIRContext *context = copy.getContext();
  AtAttr at = copy.getOutputAt(0);
  DomainAttr domain = copy.getDomain();
  copy.setInputsAtAttr(
      ArrayAttr::get(context, ofGroup(at, domain.getGroups())));
  copy.setOutputsAtAttr(ArrayAttr::get(context, ofGroup(at, RowDomain())));
  copy.setDomainAttr(DomainAttr::get(context, at.getSpace(), RowDomain(),
                                     domain.getHeads(), domain.getFeatures()));
}

/// Makes a result in the order of the walk, and behind it a copy that gathers.
static void gatherBehind(TraverseOp op, unsigned number) {
  MLIRContext *context = op.getContext();
  OpBuilder builder(op);
  AtAttr at = op.getOutputAt(number);
  RowDomain from = walkedBy(op, number);
  OpResult result = op->getResult(number);
  auto type = cast<RankedTensorType>(result.getType());
  auto init = op.getOutputs()[number].getDefiningOp<tensor::EmptyOp>();
  auto own = tensor::EmptyOp::create(
      builder, op.getLoc(),
      RankedTensorType::get(type.getShape(), type.getElementType(),
                            getOrderFor(context, from)),
      init.getDynamicSizes());

  SmallVector<Attribute> accesses(op.getOutputsAt().getValue());
  accesses[number] = AtAttr::get(context, at.getAnchor(), RowDomain(),
                                 at.getHead(), at.getFeature(), /*offset=*/0);
  op.setOutputsAtAttr(builder.getArrayAttr(accesses));
  op.getOutputsMutable()[number].set(own);
  result.setType(own.getType());

  builder.setInsertionPointAfter(op);
  DomainAttr domain = op.getDomain();
  auto copy = TraverseOp::create(
      builder, op.getLoc(), TypeRange(type), op.getGraphAttr(),
      DomainAttr::get(context, at.getSpace(), RowDomain(),
                      at.getHead() ? domain.getHeads() : 1,
                      at.getFeature() ? domain.getFeatures() : 1),
      ValueRange(result), ValueRange(init.getResult()),
      builder.getArrayAttr(ofGroup(at, from)),
      builder.getArrayAttr(ofGroup(at, RowDomain())), /*schedule=*/nullptr);
  result.replaceAllUsesExcept(copy.getResult(0), copy);
  Block &body = copy.getBody().emplaceBlock();
  builder.setInsertionPointToEnd(&body);
  YieldOp::create(
      builder, op.getLoc(),
      ValueRange(body.addArgument(type.getElementType(), op.getLoc())));
}

//===----------------------------------------------------------------------===//
// A walk that writes
//===----------------------------------------------------------------------===//

/// Whether nothing but `reader` reads a value, but for its sizes.
static bool hasOneReader(Value value, Operation *reader) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    return user == reader || isa<tensor::DimOp>(user);
  });
}

/// Has a traversal write what a copy alone reads where that would put it, or
/// says why it cannot.
static std::string writeThere(TraverseOp copy) {
  SmallVector<Value> values{copy.getInputs()[0]}; // to that of the traversal
  while (isReshape(values.back().getDefiningOp()))
    values.push_back(values.back().getDefiningOp()->getOperand(0));
  auto op = values.back().getDefiningOp<TraverseOp>();
  if (!op || op->getBlock() != copy->getBlock() ||
      copy.getGraphAttr() != op.getGraphAttr())
    return "no traversal of its graph gives what it copies";
  Operation *reader = copy;
  for (Value value : values) {
    if (!hasOneReader(value, reader))
      return "what it copies has other readers";
    reader = value.getDefiningOp();
  }
  if (!mayChange(op))
    return "what gives its rows has a schedule";
  unsigned number = cast<OpResult>(values.back()).getResultNumber();
  AtAttr at = op.getOutputAt(number);
  if (!makesAll(op, number) || at.getSpace() ||
      walkedBy(op, number) != copy.getGroups())
    return "what gives its rows walks others";

  OpBuilder builder(op);
  Attribute order =
      cast<RankedTensorType>(copy.getResult(0).getType()).getEncoding();
  auto ordered = [&](Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    return RankedTensorType::get(type.getShape(), type.getElementType(), order);
  };
  auto init = op.getOutputs()[number].getDefiningOp<tensor::EmptyOp>();
  Value other = tensor::EmptyOp::create(builder, init.getLoc(), ordered(init),
                                        init.getDynamicSizes());
  SmallVector<Attribute> accesses(op.getOutputsAt().getValue());
  accesses[number] = AtAttr::get(op.getContext(), at.getAnchor(),
                                 copy.getOutputAt(0).getSpace(), at.getHead(),
                                 at.getFeature(), /*offset=*/0);
  op.setOutputsAtAttr(builder.getArrayAttr(accesses));
  op.getOutputsMutable()[number].set(other);
  for (Value value : values)
    value.setType(ordered(value));
  copy.getResult(0).replaceAllUsesWith(values.front());
  copy.erase();
  return "";
}

namespace {
struct GatherCopies : gnn::impl::GatherCopiesBase<GatherCopies> {
  using GatherCopiesBase::GatherCopiesBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (gather >= -1 && gather <= 1)
      return success();
    return emitError(UnknownLoc::get(context))
           << getArgument() << ": expected 'gather' -1, 0 or 1, got "
           << gather.getValue();
  }

  void runOnOperation() override {
    SmallVector<TraverseOp> ops;
    getOperation()->walk([&](TraverseOp op) { ops.push_back(op); });
    for (TraverseOp op : ops) {
      if (isOtherOrder(op)) {
        visitCopy(op);
        continue;
      }
      for (unsigned i = 0; i < op.getNumResults(); ++i)
        visitResult(op, i);
    }
  }

private:
  /// Why a result that could be is not gathered; empty where it is.
  std::string explainWritten(TraverseOp op, unsigned number) {
    RowDomain to = op.getOutputAt(number).getSpace();
    if (gather == 0)
      return "it is turned off";
    if (isForCores(op))
      return "the cores of a CPU have no sectors of 32 bytes";
    if (!mayGather(op, number))
      return "expected an order of the rows that it writes";
    if (!isReordered(op, number))
      return "edges that are sorted by destination lie in one order";
    if (gather > 0)
      return "";
    if (std::string why = explainNotScattered(op, number); !why.empty())
      return why;
    if (!isOtherOrder(op) && to != to.getNatural())
      return "it is in the order of another walk, where copies that gather "
             "were not measured";
    return "";
  }

  /// Whether the setting leaves orders as they are.
  bool isForCores(TraverseOp op) { return gather < 0 && !shareLanesRows(op); }

  void visitCopy(TraverseOp copy) {
    Location loc = copy.getLoc();
    std::string why = explainWritten(copy, 0);
    if (why.empty()) {
      gatherCopy(copy);
      passed(getArgument(), loc, "Gathered")
          << "the rows are gathered where they are read, and not copied";
      return;
    }
    if (!isForCores(copy)) {
      std::string stays = writeThere(copy);
      if (stays.empty()) {
        passed(getArgument(), loc, "Written")
            << "the producer writes the rows to the places that the copy "
               "would give them";
        return;
      }
      why += "; " + stays;
    }
    refused(getArgument(), loc) << why;
  }

  void visitResult(TraverseOp op, unsigned number) {
    AtAttr at = op.getOutputAt(number);
    if (!at.getSpace() || !isReordered(op, number) || !mayChange(op) ||
        !makesAll(op, number))
      return;
    std::string why = explainWritten(op, number);
    if (!why.empty()) {
      refused(getArgument(), op.getLoc()) << why;
      return;
    }
    gatherBehind(op, number);
    passed(getArgument(), op.getLoc(), "Stored")
        << "the rows are stored in the order of the walk, and gathered from "
           "there";
  }
};
} // namespace
