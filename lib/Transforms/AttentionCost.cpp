//===- AttentionCost.cpp - What forms of attention cost -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ops that an attention stands for become one traversal with three walks
// over the edges of each group: for the maximum, the sum of powers and the
// weighted sum. The op has two; with stored scores it has one in each of two
// kernels. What groups take beside bytes decides between them.
//
//===----------------------------------------------------------------------===//

#include "AttentionCost.h"

#include "GNN/Dialect/GNN/IR/GNNSparseOps.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace gnn;

namespace {
/// How a traversal is spread over threads where it has no schedule.
struct Spread {
  double edges; ///< of a group that its team takes in one round
  double teams; ///< of a block, a group each
  double warps; ///< of a team
};

/// A kernel of walks over the edges of all groups.
struct Walks {
  int64_t count;    ///< of walks, one after another
  int64_t computed; ///< of them compute scores
  int64_t moved;    ///< times that scores or weights are read or written
  ArrayRef<int64_t> features; ///< that each edge has in them
  bool sumsFeatures = false;
  bool weighs = false; ///< ends with the weighted sum
};

class AttentionWeigher {
public:
  AttentionWeigher(AttentionOp op, const CostModel &model, StatsAttr stats)
      : op(op), model(model), stats(stats),
        edges(RowCount::rows(RowSpace::Edge).evaluate(stats)),
        groups(RowCount::rows(op.getGroupPath().to).evaluate(stats)) {}

  AttentionSeconds weigh();

private:
  double seconds(const Walks &walks);
  double secondsOfBytes(const Walks &walks);
  double longestGroup();
  void read(KernelWork &work, Value value, RowPath path, bool again);

  AttentionOp op;
  const CostModel &model;
  StatsAttr stats;
  double edges, groups;
};
} // namespace

static double bytesOfRow(RankedTensorType type) {
  return getNumFeatures(type) * type.getElementTypeBitWidth() / 8.0;
}

/// Features across lanes, the rest of a warp over edges, four edges in flight.
static Spread spreadOf(const Walks &walks) {
  ArrayRef<int64_t> dims = walks.features;
  int64_t features = dims.empty() ? 1 : dims.back();
  int64_t heads = ShapedType::getNumElements(dims) / features;
  int64_t vectors = llvm::divideCeil(features, std::gcd<int64_t>(features, 4));
  int64_t lanes = std::min<int64_t>(32, llvm::PowerOf2Ceil(vectors));
  lanes *= std::min<int64_t>(32 / lanes, llvm::PowerOf2Ceil(heads));
  int64_t edges = 32 / lanes;
  if (!walks.sumsFeatures)
    edges = std::min<int64_t>(edges, 8);
  return {4.0 * edges, 256.0 / (lanes * edges), lanes * edges / 32.0};
}

/// The edges of the longest group; their mean where nothing is known.
double AttentionWeigher::longestGroup() {
  int64_t longest = 0;
  if (op.getOver() == RowSpace::Dst)
    longest = stats.getInDegreeMax();
  else if (op.getOver() == RowSpace::Src)
    longest = stats.getOutDegreeMax();
  return std::max<double>(longest, edges / std::max(groups, 1.0));
}

void AttentionWeigher::read(KernelWork &work, Value value, RowPath path,
                            bool again) {
  auto type = cast<RankedTensorType>(value.getType());
  if (path.isIdentity()) {
    work.streamBytes += edges * bytesOfRow(type);
    return;
  }
  // A group is walked again while its rows are still in the L2.
  double table = again ? 0 : RowCount::rows(type).evaluate(stats);
  work.gathers.push_back({edges, bytesOfRow(type), table});
}

/// Of bytes and groups, as the cost model has them, without a launch.
double AttentionWeigher::secondsOfBytes(const Walks &walks) {
  KernelWork work;
  work.reducedRows = groups;
  for (int64_t i = 0; i < walks.computed; ++i)
    for (auto [operand, path] : op.getScoreReads())
      read(work, operand, path, /*again=*/i > 0);
  double scores = ShapedType::getNumElements(op.getScoreFeatures());
  work.streamBytes +=
      walks.moved * edges * scores * op.getType().getElementTypeBitWidth() / 8;
  if (walks.weighs) {
    read(work, op.getValue(), op.getValuePath(), /*again=*/false);
    work.streamBytes += RowCount::bytes(op.getType()).evaluate(stats);
  }
  return work.isEmpty() ? 0
                        : model.cost(work) - model.getTarget().launchSeconds;
}

double AttentionWeigher::seconds(const Walks &walks) {
  const TargetFigures &target = model.getTarget();
  Spread spread = spreadOf(walks);
  double rounds = walks.count * (groups + edges / spread.edges);
  double busy = rounds * spread.warps * target.kernels.roundSeconds;
  // Groups of more than 32 rounds are walked by all teams of a block.
  double longest = longestGroup();
  double alone = std::ceil(std::min(longest / spread.edges, 32.0));
  alone = std::max(alone, longest / (spread.edges * spread.teams));
  // A product of two rows waits for their ids, the rows and the lanes' sums.
  double waits = walks.sumsFeatures && walks.computed ? 3 : 1;
  double path = walks.count * alone * waits * target.kernels.waitSeconds;
  return target.launchSeconds + std::max(busy + secondsOfBytes(walks), path);
}

AttentionSeconds AttentionWeigher::weigh() {
  constexpr double never = std::numeric_limits<double>::infinity();
  ArrayRef<int64_t> terms = op.getBodyFeatures();
  ArrayRef<int64_t> scores = op.getScoreFeatures();
  ArrayRef<int64_t> values = getFeatures(op.getValue().getType());
  bool sums = op.sumsFeatures();
  ArrayRef<int64_t> both = sums ? terms : values;
  bool meet = !op.mustStore();
  double sumOfStored = seconds({1, 0, 1, values, false, true});
  double storeWithMaximum = seconds({1, 1, 1, terms, sums});
  // Where the sum is to rows other than the groups, each has a kernel.
  if (op.getResultPath().to != op.getGroupPath().to) {
    double weights =
        meet ? seconds({3, 3, 1, terms, sums})
             : seconds({1, 1, 1, terms, sums}) + seconds({3, 0, 2, scores});
    return {weights + sumOfStored,
            meet ? seconds({2, 2, 0, terms, sums}) +
                       seconds({1, 1, 0, both, sums, true})
                 : never,
            storeWithMaximum + seconds({1, 0, 1, scores}) + sumOfStored};
  }
  if (!meet)
    return {seconds({1, 1, 1, terms, sums}) +
                seconds({3, 0, 1, values, false, true}),
            never, storeWithMaximum + sumOfStored};
  return {seconds({3, 3, 0, both, sums, true}),
          seconds({2, 2, 0, both, sums, true}), storeWithMaximum + sumOfStored};
}

AttentionSeconds gnn::weighAttention(AttentionOp op, const CostModel &model,
                                     StatsAttr stats) {
  return AttentionWeigher(op, model, stats).weigh();
}
