//===- AttentionKernels.cpp - Counts of kernels of attention --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernel by kernel as the op is lowered: with stored scores one finds them and
// their maxima, else each walk computes them anew. Where rows are summed into
// others than the groups, what is known of a group is written and read back.
//
//===----------------------------------------------------------------------===//

#include "Costs.h"

#include "GNN/Dialect/GNN/IR/GNNSparseOps.h"
#include "GNN/Dialect/GNN/IR/Target.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace gnn;
using gnn::detail::idBytes;

static double bytesOfRow(RankedTensorType type) {
  return getNumFeatures(type) * type.getElementTypeBitWidth() / 8.0;
}

/// Whether all edges of a row at the end of `group` lead along `path` to one
/// row.
static bool isOneOfGroup(RowPath group, RowPath path) {
  if (path.isIdentity())
    return false;
  RowPath inGroup = {group.to, path.to, std::nullopt};
  bool sameEnd = !path.getEnd() || path.getEnd() == group.getEnd();
  return inGroup.exists() && !inGroup.isAmbiguous() && sameEnd;
}

SmallVector<std::pair<Value, RowPath>> AttentionOp::getScoreReads() {
  SmallVector<std::pair<Value, RowPath>> reads;
  for (auto [i, input] : llvm::enumerate(getInputs()))
    if (std::optional<RowPath> path = getInputPath(i);
        path && !isOneOfGroup(getGroupPath(), *path))
      reads.push_back({input, *path});
  return reads;
}

ArrayRef<int64_t> AttentionOp::getSumFeatures(bool storesScores) {
  return sumsFeatures() && !storesScores ? getBodyFeatures()
                                         : getFeatures(getValue().getType());
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {
/// Counts one kernel.
class KernelCounter {
public:
  /// Counts `walks` over the edges of rows at the end of `rows`, in which an
  /// edge has `features`.
  KernelCounter(AttentionOp op, RowPath rows, int64_t walks,
                ArrayRef<int64_t> features);

  /// Scores, computed in each of the walks.
  KernelCounter &&computeScores() &&;
  /// Scores or weights of edges, which lie in the order of the groups.
  KernelCounter &&writeScores() &&;
  KernelCounter &&readScores() &&;
  /// So many numbers of each group and score.
  KernelCounter &&writeOfGroups(int64_t numbers) &&;
  KernelCounter &&readOfGroups(int64_t numbers) &&;
  /// So many operations with each score.
  KernelCounter &&operate(int64_t operations) &&;
  /// The weighted sum: a multiplication and an addition a feature.
  KernelCounter &&weigh() &&;

  KernelCounts take() && { return std::move(counts); }

private:
  void read(Value value, double rowBytes, const RowCount &tableRows,
            RowPath path, bool liesInOrder);
  void readRows(Value value, RowPath path);
  void readId(RowPath path, const RowCount &rows);

  AttentionOp op;
  RowCount edges, rows;
  double numScores, scoreBytes;
  KernelCounts counts;
  SmallVector<RowPath> ids;                      ///< that are read
  SmallVector<std::pair<Value, RowPath>> tables; ///< of rows that are
};
} // namespace

KernelCounter::KernelCounter(AttentionOp op, RowPath path, int64_t walks,
                             ArrayRef<int64_t> features)
    : op(op), edges(RowCount::rows(RowSpace::Edge)),
      rows(RowCount::rows(path.to)),
      numScores(ShapedType::getNumElements(op.getScoreFeatures())),
      scoreBytes(numScores * op.getType().getElementTypeBitWidth() / 8) {
  counts.walk.path = path;
  counts.walk.walks = walks;
  counts.walk.features.assign(features.begin(), features.end());
  // Where the edges of each row begin, and the last ones end.
  counts.readBytes = rows * idBytes + RowCount(idBytes);
}

void KernelCounter::readId(RowPath path, const RowCount &rows) {
  if (llvm::any_of(ids, [&](RowPath id) {
        return id.to == path.to && id.via == path.via;
      }))
    return;
  ids.push_back(path);
  counts.readBytes += rows * idBytes;
}

void KernelCounter::read(Value value, double rowBytes,
                         const RowCount &tableRows, RowPath path,
                         bool liesInOrder) {
  RowPath own = counts.walk.path;
  ReadCount read = {value,     edges,       rowBytes,
                    tableRows, liesInOrder, counts.walk.walks};
  if (isOneOfGroup(own, path)) {
    read.rows = rows;
    read.inOrder = true;
    read.times = 1;
    if (path.to != own.to && path.to != RowSpace::Graph)
      readId({own.to, path.to, std::nullopt}, rows);
  } else if (!liesInOrder && path.to != RowSpace::Graph) {
    readId(path, edges);
  }
  counts.readBytes += read.rows * rowBytes;
  counts.reads.push_back(read);
}

void KernelCounter::readRows(Value value, RowPath path) {
  // One walk reads a row once that it scores and weighs.
  auto isKnown = [&](const std::pair<Value, RowPath> &table) {
    return table.first == value && table.second.to == path.to &&
           table.second.via == path.via;
  };
  if (counts.walk.walks == 1 && llvm::any_of(tables, isKnown))
    return;
  tables.push_back({value, path});
  auto type = cast<RankedTensorType>(value.getType());
  // Edges are kept in the order of their destinations.
  bool toDst = isNodeSpace(counts.walk.path.to) &&
               counts.walk.path.getEnd() == EndPoint::Dst;
  read(value, bytesOfRow(type), RowCount::rows(type), path,
       path.isIdentity() && toDst);
}

KernelCounter &&KernelCounter::computeScores() && {
  counts.walk.sumsFeatures = op.sumsFeatures();
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    if (std::optional<RowPath> path = op.getInputPath(i))
      readRows(input, *path);
    else
      counts.readBytes +=
          RowCount::bytes(cast<RankedTensorType>(input.getType()));
  }
  double flops = 0;
  for (Operation &inner : op.getBody().front())
    flops += gnn::detail::flopsOnOneRow(&inner);
  counts.flops += edges * flops;
  return std::move(*this);
}

KernelCounter &&KernelCounter::writeScores() && {
  counts.writtenBytes += edges * scoreBytes;
  return std::move(*this);
}

KernelCounter &&KernelCounter::readScores() && {
  RowPath edge = {RowSpace::Edge, RowSpace::Edge, std::nullopt};
  read({}, scoreBytes, edges, edge,
       counts.walk.path.to == op.getGroupPath().to);
  return std::move(*this);
}

KernelCounter &&KernelCounter::writeOfGroups(int64_t numbers) && {
  counts.writtenBytes +=
      RowCount::rows(op.getGroupPath().to) * (numbers * scoreBytes);
  return std::move(*this);
}

KernelCounter &&KernelCounter::readOfGroups(int64_t numbers) && {
  RowPath path = op.getGroupPath();
  for (int64_t i = 0; i < numbers; ++i)
    read({}, scoreBytes, RowCount::rows(path.to), path, /*liesInOrder=*/false);
  return std::move(*this);
}

KernelCounter &&KernelCounter::operate(int64_t operations) && {
  counts.flops += edges * (operations * numScores);
  return std::move(*this);
}

KernelCounter &&KernelCounter::weigh() && {
  // The last walk alone has the values.
  int64_t walks = counts.walk.walks;
  counts.walk.walks = 1;
  readRows(op.getValue(), op.getValuePath());
  if (op.getFactor())
    readRows(op.getFactor(), *op.getFactorPath());
  counts.walk.walks = walks;
  counts.writtenBytes += RowCount::bytes(op.getType());
  double values = getNumFeatures(op.getValue().getType());
  counts.flops += edges * (2 * values + (op.getFactor() ? numScores : 0));
  return std::move(*this);
}

std::vector<KernelCounts> AttentionOp::getKernelsOf(AttentionForm form) {
  // Operations with scores: the maximum, then difference, power and sum, then
  // the quotient.
  constexpr int64_t highest = 1, power = 2, sum = 1, quotient = 1;
  constexpr int64_t softmax = highest + power + sum + quotient;
  RowPath groups = getGroupPath(), result = getResultPath();
  bool split = sumsElsewhere(), meet = !mustStore();
  ArrayRef<int64_t> terms = getBodyFeatures(), scores = getScoreFeatures();
  auto walk = [&](RowPath rows, int64_t walks, ArrayRef<int64_t> features) {
    return KernelCounter(*this, rows, walks, features);
  };
  auto computed = [&](RowPath rows, int64_t walks, ArrayRef<int64_t> features) {
    return walk(rows, walks, features).computeScores();
  };
  ArrayRef<int64_t> own = getSumFeatures(/*storesScores=*/false);
  ArrayRef<int64_t> ofStored = getSumFeatures(/*storesScores=*/true);
  switch (form) {
  case AttentionForm::Apart:
    if (!split && meet)
      return {computed(groups, 3, own).operate(softmax).weigh().take()};
    if (!split)
      return {computed(groups, 1, terms).writeScores().take(),
              walk(groups, 3, ofStored)
                  .readScores()
                  .operate(softmax)
                  .weigh()
                  .take()};
    if (meet)
      return {computed(groups, 3, terms).operate(softmax).writeScores().take(),
              walk(result, 1, ofStored).readScores().weigh().take()};
    return {computed(groups, 1, terms).writeScores().take(),
            walk(groups, 3, scores)
                .readScores()
                .operate(softmax)
                .writeScores()
                .take(),
            walk(result, 1, ofStored).readScores().weigh().take()};
  case AttentionForm::Computed:
  case AttentionForm::Online: {
    int64_t walks = form == AttentionForm::Online ? 1 : 2;
    if (!split)
      return {computed(groups, walks, own).operate(softmax).weigh().take()};
    return {computed(groups, walks, terms)
                .operate(highest + power + sum)
                .writeOfGroups(2)
                .take(),
            computed(result, 1, own)
                .readOfGroups(2)
                .operate(power + quotient)
                .weigh()
                .take()};
  }
  case AttentionForm::Stored:
    KernelCounts store = computed(groups, 1, terms)
                             .operate(highest)
                             .writeScores()
                             .writeOfGroups(1)
                             .take();
    if (!split)
      return {store, walk(groups, 1, ofStored)
                         .readScores()
                         .readOfGroups(1)
                         .operate(power + sum + quotient)
                         .weigh()
                         .take()};
    return {store,
            walk(groups, 1, scores)
                .readScores()
                .readOfGroups(1)
                .operate(power + sum)
                .writeOfGroups(1)
                .take(),
            walk(result, 1, ofStored)
                .readScores()
                .readOfGroups(2)
                .operate(power + quotient)
                .weigh()
                .take()};
  }
  llvm_unreachable("all forms are handled");
}

AttentionForm AttentionOp::getForm() {
  if (storesScores())
    return AttentionForm::Stored;
  return shareLanesRows(*this) ? AttentionForm::Online
                               : AttentionForm::Computed;
}

/// The last walk of a softmax that is summed to its groups makes the statistics
/// that no other has made.
std::vector<KernelCounts> AttentionOp::getKernels() {
  std::vector<KernelCounts> kernels = getKernelsOf(getForm());
  if (!getStatistics().empty() && !sumsElsewhere())
    kernels.back().writtenBytes +=
        RowCount::bytes(getStatisticsType()) * (storesScores() ? 1 : 2);
  return kernels;
}

//===----------------------------------------------------------------------===//
// Their sum
//===----------------------------------------------------------------------===//

static RowCount sumOf(AttentionOp op, RowCount KernelCounts::*count) {
  RowCount sum;
  for (const KernelCounts &kernel : op.getKernels())
    sum += kernel.*count;
  return sum;
}

RowCount AttentionOp::getFlops() { return sumOf(*this, &KernelCounts::flops); }

RowCount AttentionOp::getReadBytes() {
  return sumOf(*this, &KernelCounts::readBytes);
}

RowCount AttentionOp::getWrittenBytes() {
  return sumOf(*this, &KernelCounts::writtenBytes);
}
