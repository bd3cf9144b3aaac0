//===- Compact.cpp - Compute on pairs, nodes and types --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row that depends on fewer things than an edge is computed once for each
// combination of these (Hector 3.2.2), at either end of the edge.
//
//===----------------------------------------------------------------------===//

#include "GNN/Transforms/Graph/Passes.h"
#include "GNN/Transforms/Remarks.h"

#include "GNN/Analysis/Comparisons.h"
#include "GNN/Analysis/Finiteness.h"
#include "GNN/Analysis/RowAnalysis.h"
#include "GNN/Dialect/GNN/IR/FunctionAttributes.h"
#include "GNN/Dialect/GNN/IR/GNN.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace gnn;

namespace gnn {
#define GEN_PASS_DEF_COMPACT
#include "GNN/Transforms/Graph/Passes.h.inc"
} // namespace gnn

//===----------------------------------------------------------------------===//
// Moving values
//===----------------------------------------------------------------------===//

namespace {

/// Computes values on the coarser rows of a target instead.
class Mover {
public:
  /// `to` leads from the rows of the values, which are of `graph`.
  Mover(OpBuilder &builder, GraphOp graph, RowPath to)
      : builder(builder), graph(graph), to(to) {}

  /// `value` on the rows of the target, which know all it depends on.
  Value move(Value value);
  /// Whether that takes a product or a reduction, which stays where it is,
  /// along with `value`.
  bool drags(Value value) const;
  /// Whether the derivatives of all that moves are finite.
  bool hasFiniteDerivatives(const Finiteness &finiteness) const {
    return llvm::all_of(built, [&](Operation *op) {
      return isa<GatherOp>(op) || finiteness.hasFiniteDerivatives(op);
    });
  }

  void learn(Finiteness &finiteness) const {
    for (Operation *op : built)
      finiteness.learn(op);
  }

  /// Takes back all that was built.
  void undo() {
    for (Operation *op : llvm::reverse(built))
      op->erase();
  }

private:
  /// `type` on the rows of `space`.
  RankedTensorType onRows(Type type, RowSpace space);
  Value gather(Location loc, Value input, RowSpace space,
               std::optional<EndPoint> via);
  /// Rows that `path` leads to from the values', on the rows of the target.
  Value gatherWeights(Location loc, Value weights, std::optional<EndPoint> end);
  Value follow(Location loc, Value value, RowPath path);
  /// The path from the target to rows that `path` leads to, if there is one.
  std::optional<RowPath> pathFromTarget(RowPath path) const;

  OpBuilder &builder;
  GraphOp graph;
  RowPath to;
  DenseMap<Value, Value> moved;
  SmallVector<Operation *> built;
};

} // namespace

RankedTensorType Mover::onRows(Type type, RowSpace space) {
  int64_t rows =
      space == RowSpace::EdgeType ? graph.getEdgeTypes() : graph.getNodeTypes();
  return withRowSpace(cast<RankedTensorType>(type), space, rows);
}

Value Mover::gather(Location loc, Value input, RowSpace space,
                    std::optional<EndPoint> via) {
  auto op = GatherOp::create(builder, loc, onRows(input.getType(), space),
                             input, via);
  built.push_back(op);
  return op;
}

std::optional<RowPath> Mover::pathFromTarget(RowPath path) const {
  RowPath from = {to.to, path.to, std::nullopt};
  if (!from.exists())
    return std::nullopt;
  if (from.isAmbiguous())
    from.via = path.getEnd();
  // Node types at the other end of a pair are known by its edge type alone.
  bool sameEnd = !from.getEnd() || !path.getEnd() ||
                 from.getEnd() == path.getEnd() || from.isIdentity();
  return sameEnd ? std::optional(from) : std::nullopt;
}

Value Mover::follow(Location loc, Value value, RowPath path) {
  if (path.isIdentity())
    return move(value);
  if (std::optional<RowPath> from = pathFromTarget(path))
    return from->isIdentity() ? value : gather(loc, value, to.to, from->via);
  if (path.to == RowSpace::NodeType) {
    Value types = gather(loc, value, RowSpace::EdgeType, path.getEnd());
    return gather(loc, types, to.to, std::nullopt);
  }
  // Finer rows than the target's that are themselves gathered.
  auto inner = value.getDefiningOp<GatherOp>();
  return follow(loc, inner.getInput(),
                *compose(path, inner.getRowPaths().front()));
}

/// The weights of node types for each edge type. A transposition of them stays
/// next to the product, which then reads them the other way.
Value Mover::gatherWeights(Location loc, Value weights,
                           std::optional<EndPoint> end) {
  auto transpose = weights.getDefiningOp<WeightTransposeOp>();
  if (!transpose)
    return gather(loc, weights, RowSpace::EdgeType, end);
  Value input = gather(loc, transpose.getInput(), RowSpace::EdgeType, end);
  auto op = WeightTransposeOp::create(
      builder, loc, onRows(weights.getType(), RowSpace::EdgeType), input);
  built.push_back(op);
  return op;
}

Value Mover::move(Value value) {
  if (Value done = moved.lookup(value))
    return done;
  Operation *op = value.getDefiningOp();
  Location loc = op->getLoc();
  if (auto gatherOp = dyn_cast<GatherOp>(op))
    return moved[value] =
               follow(loc, gatherOp.getInput(), gatherOp.getRowPaths().front());
  SmallVector<Value> operands;
  SmallVector<std::pair<unsigned, std::optional<EndPoint>>> ends;
  auto rowWise = dyn_cast<RowWiseOpInterface>(op);
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    std::optional<RowPath> path = getOperandPath(operand);
    bool staysThere = false;
    if (path && rowWise && rowWise.mayLeadElsewhere(number)) {
      std::optional<RowPath> from = pathFromTarget(*path);
      staysThere = !path->isIdentity() && from;
      if (!from && path->to == RowSpace::NodeType) {
        // The edge type knows it; weights stay in rows of types.
        operands.push_back(gatherWeights(loc, operand.get(), path->getEnd()));
        ends.push_back({number, std::nullopt});
        continue;
      }
      ends.push_back({number, staysThere ? from->via : std::nullopt});
    }
    operands.push_back(!path || staysThere ? operand.get()
                                           : follow(loc, operand.get(), *path));
  }
  Operation *clone = builder.clone(*op);
  clone->setOperands(operands);
  clone->getResult(0).setType(onRows(value.getType(), to.to));
  for (auto [number, end] : ends)
    cast<RowWiseOpInterface>(clone).setOperandEnd(number, end);
  built.push_back(clone);
  return moved[value] = clone->getResult(0);
}

//===----------------------------------------------------------------------===//
// Gains
//===----------------------------------------------------------------------===//

namespace {

/// How much an op costs beyond what it is fused with.
enum class Weight {
  Free,        ///< another view of its operand
  Elementwise, ///< part of the kernel that makes or reads its operand
  Heavy,       ///< a product or a reduction of features: a kernel of its own
};

} // namespace

static bool isZero(const RowCount &count, RowSpace space) {
  return count.getFactor(space) == 0 && count.getConstant() == 0;
}

static Weight weigh(Operation *op) {
  auto cost = dyn_cast<RowCostInterface>(op);
  if (!cost)
    return Weight::Elementwise; // of another dialect
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  RowSpace space = *getRowSpace(type);
  if (isZero(cost.getWrittenBytes(), space))
    return Weight::Free;
  bool reduces = llvm::any_of(op->getOperandTypes(), [&](Type operand) {
    return getRows(operand) && getNumFeatures(cast<RankedTensorType>(operand)) >
                                   getNumFeatures(type);
  });
  bool isProduct = !isZero(cost.getProductRows(), space);
  return isProduct || reduces ? Weight::Heavy : Weight::Elementwise;
}

bool Mover::drags(Value value) const {
  return llvm::any_of(built, [&](Operation *op) {
    return op->getResult(0) != moved.lookup(value) &&
           weigh(op) == Weight::Heavy;
  });
}

/// Whether a kernel that makes an operand of `moved` can go on with it: that
/// operand is computed, and for `op` alone, which `moved` stands for.
static bool continuesKernel(Operation *op, Operation *moved) {
  auto isForOp = [&](Operation *user) {
    return user == moved ||
           (isa<GatherOp>(user) && llvm::all_equal(user->getUsers()) &&
            llvm::is_contained(user->getUsers(), op));
  };
  return llvm::any_of(moved->getOperands(), [&](Value operand) {
    Operation *maker = operand.getDefiningOp();
    return maker && !isa<GatherOp>(maker) &&
           getRows(operand.getType()) ==
               getRows(moved->getResult(0).getType()) &&
           llvm::all_of(operand.getUsers(), isForOp);
  });
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

/// An op on the rows of a target, which is as yet beside the one it stands for.
struct Candidate {
  Mover mover;
  RowPath to;
  Value value;
  std::string numbers; ///< that decide on it
  double cost = 0, rows = 0;
};

struct Compact : gnn::impl::CompactBase<Compact> {
  using CompactBase::CompactBase;

  void runOnOperation() override {
    model.emplace(getOperation(), cost.getValue());
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isRowWise(op) && !isa<GatherOp>(op))
        ops.push_back(op);
    });
    staying.clear();
    finiteness.reset();
    if (getOperation()->hasAttr(attribute::gradients))
      finiteness.emplace(getOperation());
    IRRewriter rewriter(&getContext());
    RowAnalysis rows(RowAnalysis::Scope::OwnRows);
    for (Operation *op : ops)
      compact(rewriter, op, rows);
    // Ops that only fed what has moved.
    for (Operation *op : llvm::reverse(ops))
      if (isOpTriviallyDead(op))
        rewriter.eraseOp(op);
  }

private:
  void compact(IRRewriter &rewriter, Operation *op, RowAnalysis &rows);
  /// Whether to keep the op on the rows of the candidate, were there no other.
  bool pays(Operation *op, Candidate &candidate, StatsAttr stats) const;
  /// How each edge of a long row waits for the id of its row of `pairs` if
  /// `value` goes there.
  IdWait getWait(Value value, RowSpace pairs) const;
  /// Whether `value`, of edges, is computed from rows that ids of `pairs` lead
  /// to, or will lead to.
  bool readsIds(Value value, RowSpace pairs, RowAnalysis &rows,
                SmallPtrSetImpl<Operation *> &seen) const;

  std::optional<CostModel> model;
  DenseSet<Operation *> staying;        ///< of those looked at
  std::optional<Finiteness> finiteness; ///< where gradients are asked for
};

} // namespace

static double getNumRows(Type type, StatsAttr stats) {
  return RowCount::rows(cast<RankedTensorType>(type)).evaluate(stats);
}

/// The rows of a space, with their number where it is known.
static std::string describeRows(Type type, StatsAttr stats) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (stats)
    os << llvm::format("%.0f ", getNumRows(type, stats));
  os << stringifyRowSpace(*getRowSpace(type)) << " rows";
  return text;
}

bool Compact::readsIds(Value value, RowSpace pairs, RowAnalysis &rows,
                       SmallPtrSetImpl<Operation *> &seen) const {
  Operation *op = value.getDefiningOp();
  if (getRowSpace(value.getType()) != RowSpace::Edge || !op ||
      !seen.insert(op).second)
    return false;
  if (auto gather = dyn_cast<GatherOp>(op))
    return getRowSpace(gather.getInput().getType()) == pairs;
  if (isRowWise(op) && weigh(op) == Weight::Heavy && !staying.contains(op) &&
      llvm::any_of(rows.getCoarserRows(value),
                   [&](RowPath path) { return path.to == pairs; }))
    return true;
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    return readsIds(operand, pairs, rows, seen);
  });
}

/// Whether `apply` weighs the features of `value` for a sum.
static bool isWeightedSum(ApplyOp apply, Value value) {
  Value other = apply.getLhs() == value ? apply.getRhs() : apply.getLhs();
  auto dims = [](Value value) {
    return getFeatures(cast<RankedTensorType>(value.getType())).size();
  };
  return apply.getKind() == BinaryKind::Mul && dims(other) < dims(value) &&
         llvm::any_of(
             apply.getResult().getUsers(),
             [](Operation *user) {
               auto sum = dyn_cast<AggregateOp>(user);
               return sum && (sum.getKind() == ReduceKind::Sum ||
                              sum.getKind() == ReduceKind::Mean);
             });
}

IdWait Compact::getWait(Value value, RowSpace pairs) const {
  Operation *product = value.getDefiningOp();
  // Facts of ops that come later may change before their turn.
  RowAnalysis rows(RowAnalysis::Scope::OwnRows);
  llvm::SetVector<Value> forms; // of the value: reshaped, gathered, added to
  forms.insert(value);
  IdWait wait = IdWait::None;
  for (size_t i = 0; i < forms.size(); ++i) {
    Value form = forms[i];
    for (Operation *user : form.getUsers()) {
      SmallPtrSet<Operation *, 8> seen = {product};
      auto apply = dyn_cast<ApplyOp>(user);
      if (isa<SddmmOp>(user))
        return IdWait::Score;
      if (isa<ReshapeOp, GatherOp, arith::AddFOp>(user))
        forms.insert(user->getResult(0));
      else if (apply && isWeightedSum(apply, form) &&
               !readsIds(apply.getResult(), pairs, rows, seen))
        wait = IdWait::Sum;
    }
  }
  return wait;
}

bool Compact::pays(Operation *op, Candidate &candidate, StatsAttr stats) const {
  Operation *moved = candidate.value.getDefiningOp();
  if (candidate.mover.drags(op->getResult(0))) {
    candidate.numbers = "what it is made of stays where it is";
    return false;
  }
  // Rows that nothing reads count: 0 times what is not finite is not 0.
  if (finiteness && !candidate.mover.hasFiniteDerivatives(*finiteness)) {
    candidate.numbers = "its derivative may not be finite there";
    return false;
  }
  Weight weight = weigh(op);
  if (weight == Weight::Free)
    return true;
  if (weight == Weight::Elementwise) {
    bool continues = continuesKernel(op, moved);
    candidate.numbers = continues ? "in the kernel that makes its operand there"
                                  : "it would be a kernel of its own there";
    return continues;
  }
  if (!stats)
    return true;
  double numRows = getNumRows(op->getResult(0).getType(), stats);
  candidate.rows = getNumRows(candidate.value.getType(), stats);
  IdWait wait = model->isTime() && isPairSpace(candidate.to.to) &&
                        candidate.to.from == RowSpace::Edge
                    ? getWait(op->getResult(0), candidate.to.to)
                    : IdWait::None;
  Comparison costs = compareRows(*model, op, moved, candidate.to, wait, stats);
  candidate.cost = costs.after;
  llvm::raw_string_ostream os(candidate.numbers);
  if (model->getKind() == CostKind::Rows)
    os << llvm::format("%.0f rows through products instead of %.0f",
                       candidate.cost, costs.before);
  else
    os << llvm::format("%.4g us instead of %.4g", candidate.cost * 1e6,
                       costs.before * 1e6);
  // Where they take about the same, fewer rows take less memory.
  bool isFewer = candidate.rows < numRows;
  bool isDearer = model->isBetter(candidate.cost, costs.before);
  if (isFewer && !isDearer && candidate.cost > costs.before)
    os << ", about the same, in less memory";
  return isFewer && !isDearer;
}

void Compact::compact(IRRewriter &rewriter, Operation *op, RowAnalysis &rows) {
  Value result = op->getResult(0);
  auto isWeight = [](Value operand) {
    return !getRows(operand.getType()) || operand.getDefiningOp<BroadcastOp>();
  };
  // A condition has no rows to be gathered: it moves with what reads it.
  if (result.use_empty() ||
      getElementTypeOrSelf(result.getType()).isInteger(1) ||
      (weigh(op) != Weight::Heavy && llvm::all_of(op->getOperands(), isWeight)))
    return;
  StatsAttr stats = getStats(op, result.getType());
  rewriter.setInsertionPoint(op);
  std::optional<Candidate> best;
  std::string worse;
  auto describe = [&](const Candidate &candidate) {
    std::string text = describeRows(candidate.value.getType(), stats) +
                       " instead of " + describeRows(result.getType(), stats);
    return candidate.numbers.empty() ? text : text + ", " + candidate.numbers;
  };
  SmallVector<RowPath> targets = rows.getCoarserRows(result);
  for (RowPath to : targets) {
    Mover mover(rewriter, getGraph(op, result.getType()), to);
    Value value = mover.move(result);
    Candidate candidate{std::move(mover), to, value, ""};
    bool isBetter = pays(op, candidate, stats);
    if (!isBetter) {
      worse += (worse.empty() ? "" : "; ") + describe(candidate);
    } else if (best) {
      isBetter = std::pair(candidate.cost, candidate.rows) <
                 std::pair(best->cost, best->rows);
    }
    if (isBetter && best)
      best->mover.undo();
    if (isBetter)
      best.emplace(std::move(candidate));
    else
      candidate.mover.undo();
    if (best && (!stats || weigh(op) != Weight::Heavy))
      break; // as coarse as can be
  }
  if (best) {
    passed(getArgument(), op->getLoc(), "Compacted") << describe(*best);
    auto back = GatherOp::create(rewriter, op->getLoc(), result.getType(),
                                 best->value, best->to.via);
    rewriter.replaceAllUsesWith(result, back);
    if (finiteness) {
      best->mover.learn(*finiteness);
      finiteness->learn(back);
    }
    return;
  }
  staying.insert(op);
  if (!targets.empty())
    refused(getArgument(), op->getLoc()) << worse;
  else if (weigh(op) == Weight::Heavy &&
           getRowSpace(result.getType()) == RowSpace::Edge)
    refused(getArgument(), op->getLoc()) << "its rows depend on the whole edge";
}
