//===- FuseProducts.cpp - Rows read and written by the product ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A gather in front of a gemm or an outer becomes its gather list, what follows
// a gemm row by row becomes its epilogue (Hector 3.3.1, 3.4.2), and sums of the
// rows on one side of an outer become a result of that.
//
//===----------------------------------------------------------------------===//

#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Tile/Passes.h"

#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

#include <set>

using namespace mlir;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_FUSEPRODUCTS
#include "GNN/Transforms/Tile/Passes.h.inc"
} // namespace gnn

static int64_t lastSize(Value value) {
  return cast<ShapedType>(value.getType()).getShape().back();
}

/// True if the traversal only copies rows: one input, yielded as it is.
static bool isGather(TraverseOp op) {
  Block &body = op.getBody().front();
  return op.getInputs().size() == 1 && op.getOutputs().size() == 1 &&
         !op.getDomain().getElements() &&
         body.getTerminator()->getOperand(0) == body.getArgument(0);
}

/// The access from `rows` to where `at` leads from `from`; none if no map does.
static std::optional<AtAttr> through(RowDomain rows, RowDomain from,
                                     AtAttr at) {
  if (at.getAnchor() == Anchor::All || rows == from)
    return at;
  RowDomain target = at.getSpace() ? at.getSpace() : from;
  if (target == rows)
    target = {};
  else if (!hasMap(rows, target))
    return std::nullopt;
  return AtAttr::get(at.getContext(), Anchor::Group, target, at.getHead(),
                     at.getFeature(), at.getOffset());
}

namespace {
/// An operand of a product whose rows may come through a gather list.
struct GatherOperand {
  TileOpInterface product;
  OpOperand *operand;
  RowDomain rows;   ///< that the product walks
  int64_t features; ///< that it reads of a row
  bool isPart;      ///< there may be more of them

  TraverseOp getMaker() const {
    return operand->get().getDefiningOp<TraverseOp>();
  }
  void read(Value value, AtAttr at) const;
};
} // namespace

static SmallVector<GatherOperand> getGatherOperands(TileOpInterface product) {
  SmallVector<GatherOperand> sides;
  if (auto gemm = dyn_cast<GemmOp>(*product))
    sides.push_back({product, &gemm.getInputMutable(), gemm.getRows(),
                     gemm.getIn(), /*isPart=*/true});
  if (auto outer = dyn_cast<OuterOp>(*product))
    for (OpOperand *operand :
         {&outer.getLeftMutable(), &outer.getRightMutable()})
      sides.push_back({product, operand, outer.getRows(),
                       lastSize(operand->get()), /*isPart=*/false});
  return sides;
}

/// Makes the product read the rows of `value` that `at` leads to.
void GatherOperand::read(Value value, AtAttr at) const {
  operand->set(value);
  if (auto gemm = dyn_cast<GemmOp>(*product))
    return gemm.setInputAtAttr(at);
  auto outer = cast<OuterOp>(*product);
  SmallVector<Attribute> accesses(outer.getInputsAt().getValue());
  accesses[operand->getOperandNumber()] = at;
  outer.setInputsAtAttr(ArrayAttr::get(at.getContext(), accesses));
}

/// Why the product cannot read what `gather` reads, at `at`; empty if it can.
static std::string planGather(const GatherOperand &side, TraverseOp gather,
                              std::optional<AtAttr> &at) {
  TileOpInterface product = side.product;
  if (!isGather(gather))
    return "it does more than copy rows";
  if (gather.getSchedule() || product.getTileSchedule())
    return "it has a schedule";
  if (gather.getGraphAttr() != product.getGraphAttr())
    return "it walks another graph";
  AtAttr out = gather.getOutputAt(0), in = gather.getInputAt(0);
  AtAttr read = product.getAccess(*side.operand);
  int64_t features = gather.getDomain().getFeatures();
  if (out.getOffset() || read.getOffset() || side.features != features ||
      lastSize(gather.getOutputs()[0]) != features)
    return "only a part of its features is read or written";
  if (in.getHead() != read.getHead() || !in.getFeature())
    return "it repeats features";
  if (in.getColumn())
    return "it reads columns";
  if (!side.isPart && lastSize(gather.getInputs()[0]) != features)
    return "it reads a part of the features that there are";
  RowDomain from = gather.getDomain().getGroups();
  RowDomain reads = read.getSpace() ? read.getSpace() : side.rows;
  if (out.getSpace() || reads != from)
    return "its rows are read in another order";
  if (in.getAnchor() != Anchor::All)
    at = through(side.rows, from, in);
  return at ? "" : "no map leads from the product's rows to what it reads";
}

/// Why `op` cannot be the product's epilogue; empty if it can.
static std::string planEpilogue(GemmOp gemm, TraverseOp op) {
  if (gemm.getSchedule())
    return "the product has a schedule";
  if (op.getSchedule())
    return "its reader has a schedule";
  if (op.getGraph() != gemm.getGraph())
    return "its reader walks another graph";
  if (gemm.getWrittenColumns(gemm.getOutputMutable()).isOfSomeRows)
    return "only some of its rows are written";
  AtAttr written = gemm.getOutputAt();
  RowDomain stored = written.getSpace() ? written.getSpace() : gemm.getRows();
  if (op.getDomain().getElements() || op.getDomain().getGroups() != stored)
    return "its reader walks other rows";
  for (Operation &inner : op.getBody().front().without_terminator())
    if (isa<ReduceOp, IndexOp>(inner))
      return "its reader needs more than the product's current row and column";
  if (op.getOutputs().size() != 1)
    return "its reader has several results";
  if (llvm::is_contained(op.getOutputs(), gemm.getResult()))
    return "its reader writes on it";
  auto isWhole = [&](Value value, AtAttr at) {
    return at.getHead() == written.getHead() && at.getFeature() &&
           !at.getOffset() && lastSize(value) == gemm.getOut();
  };
  bool whole = op.getDomain().getFeatures() == gemm.getOut() &&
               op.getDomain().getHeads() == gemm.getHeads() &&
               isWhole(gemm.getOutput(), written) &&
               isWhole(op.getOutputs()[0], op.getOutputAt(0));
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    AtAttr at = op.getInputAt(i);
    if (input == gemm.getResult())
      whole &= isWhole(input, at) && !at.getSpace();
    else
      whole &= !at.getColumn() && (!at.getHead() || written.getHead());
  }
  return whole ? "" : "the columns of its reader are not those of the product";
}

/// The traversal that alone reads the product; null if none does.
static TraverseOp onlyReader(GemmOp gemm) {
  if (gemm->getNumResults() != 1 || gemm.getResult().use_empty())
    return nullptr;
  Operation *reader = *gemm.getResult().user_begin();
  for (Operation *other : gemm.getResult().getUsers())
    if (other != reader)
      return nullptr;
  return dyn_cast<TraverseOp>(reader);
}

namespace {
/// The operands of a product beyond those it has, as its epilogue needs them.
struct Extras {
  SmallVector<Value> values;
  SmallVector<Attribute> accesses;
  SmallVector<int64_t> numbers; // of the reader's inputs; -1: the product
  AtAttr outputAt;
};
} // namespace

/// The extras of `gemm` and the other inputs of `op`, seen from the product's
/// rows; false if no map leads to one of them.
static bool collectExtras(GemmOp gemm, TraverseOp op, Extras &extras) {
  RowDomain rows = gemm.getRows(), stored = op.getDomain().getGroups();
  extras.values.assign(gemm.getExtras().begin(), gemm.getExtras().end());
  extras.accesses.assign(gemm.getExtrasAt().begin(), gemm.getExtrasAt().end());
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    if (input == gemm.getResult()) {
      extras.numbers.push_back(-1);
      continue;
    }
    std::optional<AtAttr> at = through(rows, stored, op.getInputAt(i));
    if (!at)
      return false;
    extras.numbers.push_back(extras.values.size());
    extras.values.push_back(input);
    extras.accesses.push_back(*at);
  }
  std::optional<AtAttr> at = through(rows, stored, op.getOutputAt(0));
  if (at)
    extras.outputAt = *at;
  return at.has_value();
}

/// Puts the body of `op` behind that of `gemm`, and `gemm` in the place of
/// `op`.
static void fuseEpilogue(IRRewriter &rewriter, GemmOp gemm, TraverseOp op,
                         const Extras &extras) {
  rewriter.setInsertionPoint(op);
  Location loc = rewriter.getFusedLoc({gemm.getLoc(), op.getLoc()});
  auto fused = GemmOp::create(
      rewriter, loc, op.getOutputs()[0].getType(), gemm.getGraphAttr(),
      gemm.getRowsAttr(), gemm.getTypesAttr(), gemm.getWeightsAttr(),
      gemm.getInput(), gemm.getWeight(), extras.values, op.getOutputs()[0],
      gemm.getInputAt(), rewriter.getArrayAttr(extras.accesses),
      extras.outputAt, gemm.getTransposedAttr(), gemm.getScheduleAttr());
  Block &block = fused.getBody().emplaceBlock();
  Block &first = gemm.getBody().front(), &second = op.getBody().front();
  block.addArgument(first.getArgument(0).getType(), loc);
  for (Value extra : extras.values)
    block.addArgument(getElementTypeOrSelf(extra.getType()), loc);
  OpBuilder inside = OpBuilder::atBlockBegin(&block);
  IRMapping mapping;
  for (auto [from, to] : llvm::zip(first.getArguments(), block.getArguments()))
    mapping.map(from, to);
  for (Operation &inner : first.without_terminator())
    inside.clone(inner, mapping);
  Value product = mapping.lookupOrDefault(first.getTerminator()->getOperand(0));
  for (auto [i, number] : llvm::enumerate(extras.numbers))
    mapping.map(second.getArgument(i),
                number < 0 ? product : Value(block.getArgument(1 + number)));
  for (Operation &inner : second)
    inside.clone(inner, mapping);
  rewriter.replaceOp(op, fused.getResult());
  rewriter.eraseOp(gemm);
}

/// True if the traversal adds up the rows of each group, and does nothing else.
static bool isSum(TraverseOp op) {
  if (op.getInputs().size() != 1 || op.getOutputs().size() != 1 ||
      !op.getElements())
    return false;
  Block &body = op.getBody().front();
  auto sum = body.getTerminator()->getOperand(0).getDefiningOp<ReduceOp>();
  return sum && sum.getKind() == Reduction::Sum &&
         sum.getDims() ==
             ArrayRef<int32_t>{static_cast<int32_t>(Dim::Element)} &&
         sum.getValue() == body.getArgument(0);
}

/// Why `op`, a sum of rows that `outer` has on this side, cannot be a result of
/// `outer`; empty if it can.
static std::string planSums(OuterOp outer, unsigned side, TraverseOp op) {
  if (op.getSchedule() || outer.getSchedule())
    return "it has a schedule";
  if (op.getGraphAttr() != outer.getGraphAttr())
    return "it walks another graph";
  if (op.getGroups() != outer.getGroups() ||
      op.getElements() != outer.getElements())
    return "it walks other rows than the product";
  auto read = cast<AtAttr>(outer.getInputsAt()[side]);
  AtAttr in = op.getInputAt(0), out = op.getOutputAt(0);
  if (in.getAnchor() != Anchor::Element || in.getSpace() != read.getSpace())
    return "it reads other rows than the product";
  int64_t columns = lastSize(outer->getOperand(side));
  bool whole = in.getFeature() && !in.getColumn() && !in.getOffset() &&
               op.getDomain().getFeatures() == columns && out.getFeature() &&
               !out.getOffset() && lastSize(op.getOutputs()[0]) == columns;
  if (!whole || read.getOffset())
    return "only a part of the columns is added up";
  if (outer.getHeads() || in.getHead() || out.getHead())
    return "there are heads";
  if (out.getAnchor() != Anchor::Group || out.getSpace())
    return "it writes rows elsewhere";
  return "";
}

/// Whether all that reads `first`, which comes first, comes behind `last`, or
/// is a reshape that may: one of `reshapes` then.
static bool isReadBehind(Operation *first, Operation *last,
                         SmallVectorImpl<Operation *> &reshapes) {
  return llvm::all_of(first->getUsers(), [&](Operation *user) {
    Operation *there = last->getBlock()->findAncestorOpInBlock(*user);
    if (there && last->isBeforeInBlock(there))
      return true;
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user))
      return false;
    reshapes.push_back(user);
    return isReadBehind(user, last, reshapes);
  });
}

namespace {
struct FuseProducts : gnn::impl::FuseProductsBase<FuseProducts> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    bool changed = true;
    while (changed) {
      changed = false;
      SmallVector<TileOpInterface> products;
      getOperation()->walk([&](TileOpInterface op) {
        if (isa<GemmOp, OuterOp>(*op))
          products.push_back(op);
      });
      for (TileOpInterface product : products) {
        for (const GatherOperand &side : getGatherOperands(product))
          changed |= gather(rewriter, side);
        if (auto gemm = dyn_cast<GemmOp>(*product))
          changed |= end(rewriter, gemm);
      }
    }
    SmallVector<OuterOp> outers;
    getOperation()->walk([&](OuterOp op) { outers.push_back(op); });
    for (OuterOp outer : outers)
      addSums(rewriter, outer);
    reportNotGathered();
    getOperation()->walk([&](GemmOp op) { reportNoEpilogue(op); });
  }

private:
  bool gather(IRRewriter &rewriter, const GatherOperand &side);
  bool end(IRRewriter &rewriter, GemmOp gemm);
  void addSums(IRRewriter &rewriter, OuterOp outer);
  /// Says each reason once for a traversal, of however many products.
  void reportNotGathered();
  void reportNoEpilogue(GemmOp gemm);
};
} // namespace

/// Reads what a gather reads instead of what it writes.
bool FuseProducts::gather(IRRewriter &rewriter, const GatherOperand &side) {
  TraverseOp op = side.getMaker();
  std::optional<AtAttr> at;
  if (!op || !planGather(side, op, at).empty())
    return false;
  side.read(op.getInputs()[0], *at);
  if (op->use_empty())
    rewriter.eraseOp(op);
  gnn::passed(getArgument(), side.product->getLoc(), "Gathered")
      << "the product reads the rows it needs";
  return true;
}

/// Ends the product with the traversal that alone reads it.
bool FuseProducts::end(IRRewriter &rewriter, GemmOp gemm) {
  TraverseOp op = onlyReader(gemm);
  Extras extras;
  if (!op || !planEpilogue(gemm, op).empty() ||
      !collectExtras(gemm, op, extras))
    return false;
  Location loc = gemm.getLoc(); // it is replaced
  fuseEpilogue(rewriter, gemm, op, extras);
  gnn::passed(getArgument(), loc, "Epilogue")
      << "the traversal that reads the product becomes its epilogue";
  return true;
}

/// Makes one op of `outer` and the sums of the rows on one of its sides, at the
/// place of the later one.
void FuseProducts::addSums(IRRewriter &rewriter, OuterOp outer) {
  SmallVector<std::pair<TraverseOp, unsigned>> sums;
  for (unsigned side : {1, 0})
    for (Operation *user : outer->getOperand(side).getUsers())
      if (auto op = dyn_cast<TraverseOp>(user))
        if (isSum(op) && op.getInputs()[0] == outer->getOperand(side) &&
            op->getBlock() == outer->getBlock())
          sums.emplace_back(op, side);
  for (auto [op, side] : sums) {
    std::string why = planSums(outer, side, op);
    bool isLater = outer->isBeforeInBlock(op);
    Operation *first = isLater ? outer : op, *last = isLater ? op : outer;
    SmallVector<Operation *> reshapes;
    if (why.empty() && !isReadBehind(first, last, reshapes))
      why = "one of the two is read before the other";
    if (!why.empty()) {
      gnn::refused(getArgument(), op.getLoc())
          << "a kernel of its own adds up the rows: " + why;
      continue;
    }
    for (Operation *reshape : llvm::reverse(reshapes))
      rewriter.moveOpAfter(reshape, last);
    rewriter.setInsertionPoint(last);
    Location loc = rewriter.getFusedLoc({outer.getLoc(), op.getLoc()});
    Value init = op.getOutputs()[0];
    SmallVector<ReassociationIndices> rows{{0, 1}};
    if (!outer.getTypes()) // [1, columns], all rows being those of the graph
      init = tensor::CollapseShapeOp::create(rewriter, loc, init, rows);
    auto both = OuterOp::create(
        rewriter, loc, TypeRange{outer.getOutput().getType(), init.getType()},
        outer.getGraphAttr(), outer.getRowsAttr(), outer.getTypesAttr(),
        outer.getLeft(), outer.getRight(), outer.getOutput(), init,
        /*sumsLeft=*/side == 0, outer.getInputsAtAttr(), /*schedule=*/nullptr);
    Value sum = both.getResult(1);
    if (!outer.getTypes())
      sum = tensor::ExpandShapeOp::create(rewriter, loc,
                                          op.getResult(0).getType(), sum, rows);
    Location summed = op.getLoc();
    rewriter.replaceOp(op, sum);
    rewriter.replaceOp(outer, both.getResult(0));
    gnn::passed(getArgument(), summed, "Sums")
        << (side == 0 ? "the product adds up the rows on its left too"
                      : "the product adds up the rows on its right too");
    return;
  }
}

void FuseProducts::reportNotGathered() {
  std::set<std::pair<Operation *, std::string>> said;
  getOperation()->walk([&](TileOpInterface product) {
    std::optional<AtAttr> at;
    for (const GatherOperand &side : getGatherOperands(product))
      if (TraverseOp op = side.getMaker()) {
        std::string why = planGather(side, op, at);
        if (said.emplace(op, why).second)
          gnn::refused(getArgument(), op.getLoc())
              << "the rows are stored for the product: " + why;
      }
  });
}

void FuseProducts::reportNoEpilogue(GemmOp gemm) {
  TraverseOp op = onlyReader(gemm);
  if (!op) {
    if (gemm->getNumResults() &&
        llvm::any_of(gemm.getResult().getUsers(), llvm::IsaPred<TraverseOp>))
      gnn::refused(getArgument(), gemm.getLoc())
          << "the product's result is stored: it has other readers";
    return;
  }
  std::string why = planEpilogue(gemm, op);
  gnn::refused(getArgument(), gemm.getLoc())
      << "the product's result is stored: " +
             (why.empty() ? "no map leads from the product's rows to what its "
                            "reader reads"
                          : why);
}
