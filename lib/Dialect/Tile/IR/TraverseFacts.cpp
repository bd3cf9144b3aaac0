//===- TraverseFacts.cpp - Facts that schedules depend on -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Dialect/GNN/IR/Target.h"
#include "GNN/Dialect/Tile/IR/ColumnTiles.h"
#include "GNN/Dialect/Tile/IR/TraverseLayout.h"

#include <numeric>
#include <set>

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

bool gnn::tile::reducesElements(Operation *op) {
  auto reduce = dyn_cast<ReduceOp>(op);
  return isa<FoldOp, ArgReduceOp, SoftmaxSumOp>(op) ||
         (reduce && llvm::is_contained(reduce.getDims(),
                                       static_cast<int32_t>(Dim::Element)));
}

bool gnn::tile::addsUp(Operation &op) {
  auto isShort = [](Type type) {
    auto ofFloats = dyn_cast<FloatType>(type);
    return ofFloats && ofFloats.getWidth() <= 32;
  };
  auto reduce = dyn_cast<ReduceOp>(op);
  bool isSum = reduce && (reduce.getKind() == Reduction::Sum ||
                          reduce.getKind() == Reduction::Mean);
  return reducesElements(&op) && (isSum || isa<SoftmaxSumOp, FoldOp>(op)) &&
         llvm::any_of(op.getResultTypes(), isShort);
}

int64_t gnn::tile::countMapped(TraverseOp op) {
  return llvm::count_if(op.getMapTargets(), [&](RowDomain target) {
    return isMapped(op, op.getElements(), target);
  });
}

/// Numbers of an element that lanes of a row need alike: those that it has, and
/// the rows that it leads to where these are rows of several numbers.
static int64_t countWindowValues(TraverseOp op) {
  DomainAttr domain = op.getDomain();
  std::set<RowDomain> reached;
  int64_t numbers = 0;
  auto reach = [&](AtAttr at) {
    if (at.getAnchor() == Anchor::Element &&
        isMapped(op, op.getElements(), at.getSpace()))
      reached.insert(at.getSpace());
  };
  for (OpOperand *input : op.getReadInputs()) {
    AtAttr at = op.getAccess(*input);
    bool isRow = (at.getFeature() && domain.getFeatures() > 1) ||
                 (at.getHead() && domain.getHeads() > 1);
    if (isRow)
      reach(at);
    else
      numbers += at.getAnchor() == Anchor::Element;
  }
  for (AtAttr at : op.getOutputsAt().getAsRange<AtAttr>())
    reach(at);
  op.getBody().walk([&](IndexOp index) { reach(index.getAt()); });
  return numbers + static_cast<int64_t>(reached.size());
}

/// Whether groups without elements lead to rows of features elsewhere.
static bool gathersRowsForGroups(TraverseOp op) {
  return !op.getElements() &&
         llvm::any_of(op.getReadInputs(), [&](OpOperand *input) {
           AtAttr at = op.getAccess(*input);
           return at.getAnchor() == Anchor::Group && at.getFeature() &&
                  isMapped(op, op.getGroups(), at.getSpace());
         });
}

/// The widest vector, up to `most`, of which each row that a traversal goes
/// through has whole ones, the last of which has features and what lies behind
/// them: rows of elements, and of groups where there are no elements. Others
/// are read and written once for all elements, and may have the last features
/// one by one.
static int64_t widestWithTail(TraverseOp op, int64_t most) {
  DomainAttr domain = op.getDomain();
  bool hasElements = static_cast<bool>(domain.getElements());
  SmallVector<std::pair<Value, AtAttr>> operands;
  for (OpOperand *input : op.getReadInputs())
    operands.push_back({input->get(), op.getAccess(*input)});
  for (auto [i, output] : llvm::enumerate(op.getOutputs()))
    operands.push_back({output, op.getOutputAt(i)});
  bool hasRows = false;
  int64_t widest = domain.getFeatures() > 1 ? most : 1;
  for (auto [operand, at] : operands) {
    if (at.getColumn())
      return 1;
    if (!at.getFeature() || at.getAnchor() == Anchor::All ||
        (hasElements && at.getAnchor() != Anchor::Element))
      continue;
    hasRows = true;
    int64_t columns = cast<ShapedType>(operand.getType()).getShape().back();
    widest = std::gcd(std::gcd(widest, columns), at.getOffset());
  }
  return hasRows ? widest : 1;
}

/// Sums over tiles have one group or some of each type, of which the graph says
/// how many there are, and other sums as many as the program says.
static int64_t countFewGroups(TraverseOp op, bool reducesHeads) {
  RowDomain groups = op.getGroups(), elements = op.getElements();
  bool areFew = elements ? elements.isTiles() ||
                               elements.isKind(RowKind::EdgeType) ||
                               elements.isKind(RowKind::NodeType)
                         : reducesHeads && groups.isFixed();
  if (!areFew)
    return 0;
  if (groups.isFixed())
    return std::max<int64_t>(1, groups.getCount());
  auto graph =
      SymbolTable::lookupNearestSymbolFrom<GraphOp>(op, op.getGraphAttr());
  if (graph && groups.isKind(RowKind::EdgeType))
    return graph.getEdgeTypes();
  if (graph && groups.isKind(RowKind::NodeType))
    return graph.getNodeTypes();
  return 1;
}

TraverseFacts::TraverseFacts(TraverseOp op) : limits(getBlockLimits(op)) {
  DomainAttr domain = op.getDomain();
  groups = domain.getGroups();
  heads = domain.getHeads();
  features = domain.getFeatures();
  hasElements = static_cast<bool>(domain.getElements());
  longLength = op.getLongLength();
  op.getBody().walk([&](ReduceOp reduce) {
    auto has = [&](Dim dim) {
      return llvm::is_contained(reduce.getDims(), static_cast<int32_t>(dim));
    };
    reducesFeatures |= has(Dim::Feature);
    reducesHeads |= has(Dim::Head);
    shufflesInsideElements |=
        (has(Dim::Feature) || has(Dim::Head)) &&
        (getLevel(reduce.getValue()).element || reducesElements(reduce));
  });
  fewGroups = countFewGroups(op, reducesHeads);
  weighsElements = !op.getBody().front().getOps<SoftmaxSumOp>().empty();
  findsIndices = !op.getBody().front().getOps<ArgReduceOp>().empty();
  if (hasElements)
    addsFloats = llvm::any_of(op.getBody().front().without_terminator(),
                              [](Operation &inner) { return addsUp(inner); });
  widestOfCPU = std::gcd<int64_t>(domain.getFeatures(), 16);
  auto restrict = [&](Value operand, AtAttr at) {
    if (!at.getFeature())
      return;
    if (at.getColumn()) // no two features side by side
      widestOfCPU = 1;
    auto type = cast<ShapedType>(operand.getType());
    widestOfCPU = std::gcd(widestOfCPU, type.getShape().back());
    widestOfCPU = std::gcd(widestOfCPU, at.getOffset());
  };
  for (OpOperand *input : op.getReadInputs())
    restrict(input->get(), op.getAccess(*input));
  for (auto [i, output] : llvm::enumerate(op.getOutputs()))
    restrict(output, op.getOutputAt(i));
  widestVector = std::max(std::gcd<int64_t>(widestOfCPU, 4),
                          widestWithTail(op, /*most=*/4));
  widestOfCPU = std::max(widestOfCPU, widestWithTail(op, /*most=*/16));
  for (OpOperand *input : op.getReadInputs()) {
    Level level = getLevel(op.getAccess(*input));
    (level.element ? elementLoads : rowValues).push_back(level);
  }
  gathersForGroups = gathersRowsForGroups(op);
  findNumbers(op);
  windowValues = countWindowValues(op);
  if (hasElements)
    for (Operation &inner : op.getBody().front().without_terminator())
      if (reducesElements(&inner))
        for (Value result : inner.getResults())
          sums.push_back(getLevel(result));
  byEdgesRefusal = explainByEdges(op);
  atomicRefusal = explainAtomic(op);
  needsGroups = op.needsGroups();
  Block &body = op.getBody().front();
  needsSizes =
      !body.getOps<SizeOp>().empty() ||
      llvm::any_of(body.getOps<ReduceOp>(), [](ReduceOp reduce) {
        return reducesElements(reduce) && reduce.getKind() == Reduction::Mean;
      });
  if (op.getElements())
    streams = std::max<int64_t>(1, countMapped(op));
  searchRefusal = explainSearch(op);
  mergeRefusal = explainMerge(op);
  headTilesRefusal = explainHeadTiles(op);
  if (reducesFeatures)
    findPartialResults(op, columnTilesRefusal);
  if (op.joinsPieces()) // whose elements are walked no more
    shufflesInsideElements = false;
  walksElements =
      !sums.empty() ||
      llvm::any_of(op.getOutputsAt().getAsRange<AtAttr>(),
                   [](AtAttr at) { return at.getAnchor() == Anchor::Element; });
}

void TraverseFacts::findNumbers(TraverseOp op) {
  bool hasFeatures =
      llvm::any_of(elementLoads, [](Level level) { return level.feature; });
  bool hasRows = false, hasNumbers = false, hasInOrder = false;
  for (OpOperand *input : op.getReadInputs()) {
    AtAttr at = op.getAccess(*input);
    if (!getLevel(at).element)
      continue;
    // Maps that a graph's order makes needless are dropped (UseEdgeOrder).
    bool isInOrder = !isMapped(op, op.getElements(), at.getSpace());
    bool isRow = hasFeatures ? getLevel(at).feature : !isInOrder;
    hasRows |= isRow;
    hasNumbers |= !isRow;
    hasInOrder |= !isRow && isInOrder;
  }
  loadsNumbers = hasRows && hasNumbers;
  loadsNumbersInOrder = hasRows && hasInOrder;
}

TraverseFacts::TraverseFacts(int64_t heads, int64_t features,
                             bool shufflesInsideElements)
    : heads(heads), features(features), hasElements(true), walksElements(true),
      reducesFeatures(shufflesInsideElements),
      shufflesInsideElements(shufflesInsideElements),
      widestVector(std::gcd<int64_t>(features, 4)),
      widestOfCPU(std::gcd<int64_t>(features, 16)) {}
