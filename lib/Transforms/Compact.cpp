//===- Compact.cpp - Compute on pairs, nodes and types --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row that depends on fewer things than an edge is computed once for each
// combination of these (Hector 3.2.2), at either end of the edge.
//
//===----------------------------------------------------------------------===//

#include "GNN/Transforms/Passes.h"

#include "GNN/Analysis/CostModel.h"
#include "GNN/Dialect/GNN/IR/GNN.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace gnn;

namespace gnn {
#define GEN_PASS_DEF_COMPACT
#include "GNN/Transforms/Passes.h.inc"
} // namespace gnn

//===----------------------------------------------------------------------===//
// What a row depends on
//===----------------------------------------------------------------------===//

namespace {

/// Things that a row can depend on, as bits.
enum : unsigned {
  dependsOnEdge = 1,
  dependsOnEdgeType = 2,
  dependsOnSrc = 4,
  dependsOnDst = 8,
  dependsOnSrcType = 16,
  dependsOnDstType = 32,
};

/// Rows that values can be computed on instead, and the way there.
struct Target {
  RowPath path;    ///< from the rows that values are on
  unsigned covers; ///< what these rows know
};

/// A graph, the rows of one space of it, and the spaces coarser than these.
class Origin {
public:
  Origin(GraphOp graph, RowSpace space);

  /// What is known to a row that `path` leads to, which begins in this space.
  unsigned getKnown(RowPath path) const;

  /// What a row of `value` depends on. `value` is in this space.
  unsigned getDependence(Value value) const;

  /// The coarsest rows that know as much.
  std::optional<Target> findTarget(unsigned dependence) const;

  GraphOp graph;
  RowSpace space;

private:
  /// The things of one end, where there is one.
  static unsigned nodeAt(std::optional<EndPoint> end) {
    return end == EndPoint::Dst ? dependsOnDst : dependsOnSrc;
  }
  static unsigned typeAt(std::optional<EndPoint> end) {
    return end == EndPoint::Dst ? dependsOnDstType : dependsOnSrcType;
  }
  unsigned getDependence(Value value, RowPath path) const;

  SmallVector<Target> targets; ///< from coarse to fine
};

} // namespace

Origin::Origin(GraphOp graph, RowSpace space) : graph(graph), space(space) {
  bool square = graph.getKind() == GraphKind::Square;
  auto add = [&](RowSpace to, std::optional<EndPoint> end) {
    RowPath path = {space, to, std::nullopt};
    if (!path.exists() || path.isIdentity())
      return;
    if (path.isAmbiguous())
      path.via = end;
    else if (end && path.getEnd() && path.getEnd() != end)
      return;
    targets.push_back({path, getKnown(path)});
  };
  add(RowSpace::EdgeType, std::nullopt);
  for (EndPoint end : {EndPoint::Src, EndPoint::Dst})
    add(RowSpace::NodeType, end);
  for (EndPoint end : {EndPoint::Src, EndPoint::Dst})
    add(square                 ? RowSpace::Node
        : end == EndPoint::Src ? RowSpace::Src
                               : RowSpace::Dst,
        end);
  for (EndPoint end : {EndPoint::Src, EndPoint::Dst})
    add(end == EndPoint::Src ? RowSpace::SrcPair : RowSpace::DstPair, end);
}

unsigned Origin::getKnown(RowPath path) const {
  unsigned ofSchema = 0;
  GraphOp declared = graph;
  for (EndPoint end : {EndPoint::Src, EndPoint::Dst})
    if (declared.hasNodeTypesAt(end))
      ofSchema |= typeAt(end);
  std::optional<EndPoint> end = path.getEnd();
  switch (path.to) {
  case RowSpace::Edge:
    return ~0u;
  case RowSpace::SrcPair:
  case RowSpace::DstPair:
    return nodeAt(end) | typeAt(end) | dependsOnEdgeType | ofSchema;
  case RowSpace::Src:
  case RowSpace::Dst:
  case RowSpace::Node:
    return nodeAt(end) | typeAt(end);
  case RowSpace::EdgeType:
    return dependsOnEdgeType | ofSchema;
  case RowSpace::NodeType:
    return typeAt(end);
  case RowSpace::Graph:
    return 0;
  }
  return ~0u;
}

/// What must be known to find a row: the node, and not its type besides.
static unsigned getNeeded(RowPath path, std::optional<EndPoint> end) {
  bool atDst = end == EndPoint::Dst;
  switch (path.to) {
  case RowSpace::Edge:
    return dependsOnEdge;
  case RowSpace::SrcPair:
  case RowSpace::DstPair:
    return dependsOnEdgeType | (atDst ? dependsOnDst : dependsOnSrc);
  case RowSpace::Src:
  case RowSpace::Dst:
  case RowSpace::Node:
    return atDst ? dependsOnDst : dependsOnSrc;
  case RowSpace::EdgeType:
    return dependsOnEdgeType;
  case RowSpace::NodeType:
    return atDst ? dependsOnDstType : dependsOnSrcType;
  case RowSpace::Graph:
    return 0;
  }
  return dependsOnEdge;
}

unsigned Origin::getDependence(Value value, RowPath path) const {
  if (auto gather = value.getDefiningOp<GatherOp>())
    if (auto further = compose(path, gather.getRowPaths().front()))
      return getDependence(gather.getInput(), *further);
  if (path.isIdentity())
    return getDependence(value);
  return getNeeded(path, path.getEnd());
}

unsigned Origin::getDependence(Value value) const {
  RowPath here = {space, space, std::nullopt};
  Operation *op = value.getDefiningOp();
  if (!op || !isRowWise(op))
    return getNeeded(here, here.getEnd());
  unsigned all = 0;
  for (OpOperand &operand : op->getOpOperands())
    if (std::optional<RowPath> path = getOperandPath(operand))
      all |= getDependence(operand.get(), *path);
  return all;
}

std::optional<Target> Origin::findTarget(unsigned dependence) const {
  if (dependence == 0)
    return std::nullopt; // weights alone: there is no row to gather
  for (const Target &target : targets)
    if ((dependence & ~target.covers) == 0)
      return target;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Moving values
//===----------------------------------------------------------------------===//

namespace {

/// Computes values of a base on the rows of a target instead.
class Mover {
public:
  Mover(OpBuilder &builder, const Origin &base, RowPath to)
      : builder(builder), base(base), to(to) {}

  /// `value`, which is in the base, on the rows of the target.
  Value move(Value value);

  /// Takes back all that was built.
  void undo() {
    for (Operation *op : llvm::reverse(built))
      op->erase();
  }

  ArrayRef<Operation *> getBuilt() const { return built; }

private:
  /// `type` on the rows of `space`.
  RankedTensorType onRows(Type type, RowSpace space);
  Value gather(Location loc, Value input, RowSpace space,
               std::optional<EndPoint> via);
  /// Rows that `path` leads to from the base, on the rows of the target.
  Value follow(Location loc, Value value, RowPath path);
  /// The path from the target to rows that `path` leads to, if there is one.
  std::optional<RowPath> pathFromTarget(RowPath path) const;

  OpBuilder &builder;
  const Origin &base;
  RowPath to;
  DenseMap<Value, Value> moved;
  SmallVector<Operation *> built;
};

} // namespace

RankedTensorType Mover::onRows(Type type, RowSpace space) {
  GraphOp graph = base.graph;
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
  bool sameEnd = !from.getEnd() || !path.getEnd() ||
                 from.getEnd() == path.getEnd() || from.isIdentity();
  // Node types at the other end of a pair are known by its edge type alone.
  bool otherEnd = path.to == RowSpace::NodeType && to.getEnd() &&
                  path.getEnd() && to.getEnd() != path.getEnd();
  return sameEnd && !otherEnd ? std::optional(from) : std::nullopt;
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
        operands.push_back(
            gather(loc, operand.get(), RowSpace::EdgeType, path->getEnd()));
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
// What pays
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

struct Compact : gnn::impl::CompactBase<Compact> {
  using CompactBase::CompactBase;

  LogicalResult initialize(MLIRContext *context) override {
    llvm::Expected<CostModel> created = CostModel::create(target, cost);
    if (!created)
      return emitError(UnknownLoc::get(context))
             << llvm::toString(created.takeError());
    model.emplace(*created);
    return success();
  }

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isRowWise(op) && !isa<GatherOp>(op))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (Operation *op : ops)
      compact(rewriter, op);
    // What only fed what has moved.
    for (Operation *op : llvm::reverse(ops))
      if (isOpTriviallyDead(op))
        rewriter.eraseOp(op);
  }

private:
  void compact(IRRewriter &rewriter, Operation *op);
  /// Whether to keep the op on the rows of `to`; says why in `numbers`.
  bool pays(Operation *op, Operation *moved, RowPath to, StatsAttr stats,
            std::string &numbers) const;

  std::optional<CostModel> model;
};

} // namespace

/// The rows of a space, with their number where it is known.
static std::string describeRows(Type type, StatsAttr stats) {
  RowCount rows = RowCount::rows(cast<RankedTensorType>(type));
  std::string text;
  llvm::raw_string_ostream os(text);
  if (stats)
    os << llvm::format("%.0f ", rows.evaluate(stats));
  os << stringifyRowSpace(*getRowSpace(type)) << " rows";
  return text;
}

bool Compact::pays(Operation *op, Operation *moved, RowPath to, StatsAttr stats,
                   std::string &numbers) const {
  Weight weight = weigh(op);
  if (weight == Weight::Free)
    return true;
  if (weight == Weight::Elementwise) {
    numbers = "it would be a kernel of its own there";
    return continuesKernel(op, moved);
  }
  if (!stats)
    return true;
  KernelWork before = model->describe(op, stats);
  KernelWork after = model->describe(moved, stats);
  if (model->getKind() == CostKind::Full) {
    // Who reads the result now goes by an id to a row that others read too.
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    double rows = RowCount::rows(type).evaluate(stats);
    double rowBytes = RowCount::bytes(type).evaluate(stats) / rows;
    auto movedType = cast<RankedTensorType>(moved->getResult(0).getType());
    double tableRows = RowCount::rows(movedType).evaluate(stats);
    before.streamBytes += rows * rowBytes;
    after.streamBytes += rows * 4;
    after.gathers.push_back({rows, rowBytes, tableRows});
  }
  double costBefore = model->cost(before), costAfter = model->cost(after);
  llvm::raw_string_ostream os(numbers);
  if (model->getKind() == CostKind::Rows)
    os << llvm::format("%.0f rows through products instead of %.0f", costAfter,
                       costBefore);
  else
    os << llvm::format("%.4g us instead of %.4g", costAfter * 1e6,
                       costBefore * 1e6);
  return model->isBetter(costBefore, costAfter) ||
         (model->getKind() == CostKind::Rows && costAfter == costBefore &&
          costAfter == 0);
}

void Compact::compact(IRRewriter &rewriter, Operation *op) {
  Value result = op->getResult(0);
  if (result.use_empty())
    return;
  Origin base(getGraph(op, result.getType()), *getRowSpace(result.getType()));
  std::optional<Target> to = base.findTarget(base.getDependence(result));
  if (!to) {
    if (weigh(op) == Weight::Heavy && base.space == RowSpace::Edge)
      remark::missed(
          op->getLoc(),
          remark::RemarkOpts::name("NotCompacted").category(getArgument()))
          << "its rows depend on the whole edge";
    return;
  }
  rewriter.setInsertionPoint(op);
  Mover mover(rewriter, base, to->path);
  Value moved = mover.move(result);
  StatsAttr stats = getStats(op, result.getType());
  std::string numbers;
  bool worthIt = pays(op, moved.getDefiningOp(), to->path, stats, numbers);
  std::string rows = describeRows(moved.getType(), stats) + " instead of " +
                     describeRows(result.getType(), stats);
  if (!numbers.empty())
    rows += ", " + numbers;
  if (!worthIt) {
    remark::missed(
        op->getLoc(),
        remark::RemarkOpts::name("NotCompacted").category(getArgument()))
        << rows;
    mover.undo();
    return;
  }
  remark::passed(op->getLoc(),
                 remark::RemarkOpts::name("Compacted").category(getArgument()))
      << rows;
  auto back = GatherOp::create(rewriter, op->getLoc(), result.getType(), moved,
                               to->path.via);
  rewriter.replaceAllUsesWith(result, back);
}
