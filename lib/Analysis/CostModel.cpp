//===- CostModel.cpp - Costs of ops and kernels ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/CostModel.h"
#include "GNN/Dialect/GNN/IR/GNNRowOps.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace gnn;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

bool KernelWork::isEmpty() const {
  bool gathersNothing = llvm::all_of(
      gathers, [](const GatherWork &gather) { return gather.rows == 0; });
  return getFlops() == 0 && streamBytes == 0 && gathersNothing;
}

double KernelWork::getBytes() const { return streamBytes + getGatheredBytes(); }

double KernelWork::getGatheredBytes() const {
  double bytes = 0;
  for (const GatherWork &gather : gathers)
    if (!gather.isAgain)
      bytes += gather.rows * gather.rowBytes;
  return bytes;
}

KernelWork &KernelWork::operator+=(const KernelWork &other) {
  productRows += other.productRows;
  productFlops += other.productFlops;
  productTileFlops += other.productTileFlops;
  otherFlops += other.otherFlops;
  streamBytes += other.streamBytes;
  gathers.append(other.gathers);
  reducedRows = std::max(reducedRows, other.reducedRows);
  if (lengths.rows < other.lengths.rows)
    lengths = other.lengths;
  longestRow += other.longestRow;
  walks.append(other.walks);
  crowding = std::max(crowding, other.crowding);
  return *this;
}

KernelWork &KernelWork::operator*=(double factor) {
  productRows *= factor;
  productFlops *= factor;
  productTileFlops *= factor;
  otherFlops *= factor;
  streamBytes *= factor;
  reducedRows *= factor;
  lengths *= factor;
  for (GatherWork &gather : gathers)
    gather.rows *= factor;
  for (WalkWork &walk : walks) {
    walk.slots *= factor;
    walk.rows *= factor;
    walk.edges *= factor;
  }
  return *this;
}

CostModel::CostModel(Operation *op, CostKind kind)
    : figures(gnn::getFigures(op)), kind(kind) {
  if (kind == CostKind::Full && !getAbilities(op).longRows)
    this->kind = CostKind::WholeRows;
}

/// The bytes of the tables that a kernel gathers from, which share the L2.
static double countTableBytes(const KernelWork &kernel) {
  llvm::SmallPtrSet<Value, 4> known;
  double bytes = 0;
  for (const GatherWork &gather : kernel.gathers)
    if (!gather.isAgain && !gather.isWritten &&
        (!gather.table || known.insert(gather.table).second))
      bytes += gather.tableRows * gather.rowBytes / gather.ranges;
  return bytes;
}

/// How often a sector of the table is read, which has several short rows.
static double readsOfSector(const GatherWork &gather) {
  return gather.rows / std::max(gather.tableRows, 1.0) *
         std::max(1.0, sectorBytes / std::max(gather.rowBytes, 1.0));
}

/// The share of the sectors of a table that have been read in a time, and of
/// the reads of it that are of these: by the mean number of reads of a sector,
/// where that has a gamma distribution of this skew.
static double shareOfSectors(double reads, double skew) {
  return skew < 1e-3 ? -std::expm1(-reads)
                     : 1 - std::pow(1 + skew * reads, -1 / skew);
}
static double shareOfReads(double reads, double skew) {
  return skew < 1e-3 ? -std::expm1(-reads)
                     : 1 - std::pow(1 + skew * reads, -1 - 1 / skew);
}

/// The share of each gather that the L2 has: of what is replaced in the order
/// of its last use, a sector with `n` reads stays with the probability 1 -
/// exp(-n t), and `t` is what fills the cache (Che et al., 2002). For one table
/// whose rows are read alike, it is that of its bytes (`shareInL2`).
static SmallVector<double> findHits(const KernelWork &kernel,
                                    const CostModel &model) {
  struct Table {
    double bytes, reads, skew;
  };
  llvm::SmallPtrSet<Value, 4> known;
  SmallVector<Table> tables;
  double bytes = 0, most = 0, least = std::numeric_limits<double>::max();
  bool areAlike = true;
  for (const GatherWork &gather : kernel.gathers) {
    if (gather.isAgain || gather.isWritten || gather.rows <= 0 ||
        (gather.table && !known.insert(gather.table).second))
      continue;
    double reads = readsOfSector(gather);
    tables.push_back({gather.tableRows * gather.rowBytes / gather.ranges, reads,
                      gather.skew});
    bytes += tables.back().bytes;
    most = std::max(most, reads);
    least = std::min(least, reads);
    areAlike &= gather.skew == 0;
  }
  double share = model.shareInL2(bytes);
  SmallVector<double> hits(kernel.gathers.size(), share);
  if (tables.empty() || (areAlike && most <= least))
    return hits;
  double low = -40, high = 40; // of the logarithm of the time
  for (int step = 0; step < 100; ++step) {
    double middle = (low + high) / 2, time = std::exp(middle), inside = 0;
    for (const Table &table : tables)
      inside += table.bytes * shareOfSectors(table.reads * time, table.skew);
    (inside < share * bytes ? low : high) = middle;
  }
  for (auto [hit, gather] : llvm::zip_equal(hits, kernel.gathers))
    hit = shareOfReads(readsOfSector(gather) * std::exp(low), gather.skew);
  return hits;
}

double CostModel::shareInL2(double tableBytes) const {
  double times = tableBytes / figures.l2Bytes;
  return std::pow(1 + std::pow(times, KernelConstants::knee),
                  -1 / KernelConstants::knee);
}

double CostModel::gatherSeconds(const GatherWork &gather,
                                double tableBytes) const {
  double others = 1 - shareInL2(tableBytes);
  return gatherAtHits(gather, tableBytes, 1 - std::pow(others, 1 + gather.skew),
                      /*isBesideRows=*/false);
}

double CostModel::shareAtHand(const GatherWork &gather,
                              double tableBytes) const {
  double atHand = 0;
  for (GatherWork::Near near : gather.near) {
    double part = near.rows / gather.tableRows;
    if (part >= 1 || part * tableBytes * gather.ranges >
                         KernelConstants::windowShare * figures.l2Bytes)
      continue;
    double random = part * (1 - part / 4); // of a row at any place
    atHand = std::max(atHand, (near.share - random) / (1 - random));
  }
  return atHand;
}

double CostModel::gatherAtHits(const GatherWork &gather, double tableBytes,
                               double hit, bool isBesideRows) const {
  if (gather.rows <= 0)
    return 0;
  // Numbers beside rows take the sectors that they lie in.
  double leastOfMemory = gather.isWritten ? KernelConstants::writtenBytes
                         : isBesideRows   ? sectorBytes
                                          : figures.memoryRowBytes;
  double leastOfL2 = isBesideRows ? sectorBytes : figures.l2RowBytes;
  double fromMemory =
      std::max(gather.rowBytes, leastOfMemory) / figures.memoryGather;
  double fromL2 = std::max(gather.rowBytes, leastOfL2) / figures.l2Gather;
  if (gather.isAgain)
    return gather.rows * fromL2;
  double atHand = shareAtHand(gather, tableBytes);
  // Those that are near share sectors of memory.
  double ofFirst = atHand * gather.rowBytes / figures.memoryGather +
                   (1 - atHand) * fromMemory;
  if (gather.isWritten) { // what the L2 holds goes to memory by whole sectors
    double held = shareInL2(gather.tableRows * gather.rowBytes);
    return gather.rows *
           (held * (fromL2 + gather.rowBytes / figures.memoryGather) +
            (1 - held) * ofFirst);
  }
  double firsts = std::min(gather.rows, gather.tableRows);
  return firsts * ofFirst +
         (gather.rows - firsts) *
             (atHand * fromL2 / KernelConstants::nearGather +
              (1 - atHand) * (hit * fromL2 + (1 - hit) * fromMemory));
}

/// Seconds of what lanes wait for and of what they do.
static double overlap(double waits, double work) {
  constexpr double norm = KernelConstants::overlap;
  return std::pow(std::pow(waits, norm) + std::pow(work, norm), 1 / norm);
}

double CostModel::issueSeconds(const KernelWork &kernel, ArrayRef<double> hits,
                               double tableBytes) const {
  double seconds = 0;
  for (const WalkWork &walk : kernel.walks) {
    double allAtHand = 1;
    for (auto [gather, hit] : llvm::zip_equal(kernel.gathers, hits))
      if (!gather.isWritten && !gather.isAgain && gather.rows > 0) {
        double atHand = shareAtHand(gather, tableBytes);
        allAtHand *= std::pow(atHand + (1 - atHand) * hit, walk.inFlight);
      }
    // A warp issues one instruction for its lanes, one of 64 operations at
    // most.
    seconds += walk.slots * 2 * KernelConstants::lanes / figures.fp32Flops *
               (1 + KernelConstants::missWait * (1 - allAtHand));
  }
  return seconds;
}

double CostModel::equalSharesSeconds(const KernelWork &kernel,
                                     ArrayRef<double> hits,
                                     double tableBytes) const {
  double widest = 0;
  for (const GatherWork &gather : kernel.gathers)
    if (!gather.isWritten)
      widest = std::max(widest, gather.rowBytes);
  double gathers = 0, scattered = 0;
  for (auto [gather, hit] : llvm::zip_equal(kernel.gathers, hits))
    (gather.isWritten ? scattered : gathers) +=
        gatherAtHits(gather, tableBytes, hit,
                     !gather.isWritten && widest > figures.l2RowBytes);
  return overlap(gathers, issueSeconds(kernel, hits, tableBytes)) + scattered +
         KernelConstants::streamShare * kernel.streamBytes /
             figures.memoryBandwidth;
}

double CostModel::steps(unsigned reads) {
  return KernelConstants::edgeSteps + KernelConstants::readSteps * reads;
}

double CostModel::longestSeconds(const WalkWork &walk) const {
  double near = KernelConstants::nearShare * figures.l2Bytes;
  double seconds = walk.walks * walk.waits * figures.waitSeconds;
  for (double table : walk.tables)
    seconds += (1 - std::min(1.0, near / std::max(table, 1.0))) *
               (figures.memoryWaitSeconds - figures.waitSeconds);
  // A block gathers at the rate of one multiprocessor.
  double bytes = 0;
  for (double row : walk.edgeBytes)
    bytes += std::max(row, figures.l2RowBytes);
  double fetch = bytes * walk.edgesPerLongRound * walk.teams *
                 figures.processors / figures.l2Gather;
  LongestRounds rounds = walk.getLongestRounds();
  return rounds.alone * seconds + rounds.together * std::max(seconds, fetch);
}

PiecesChoice
CostModel::choosePieces(double whole, double longest,
                        llvm::function_ref<double(int64_t)> costOf) const {
  PiecesChoice choice;
  choice.whole = whole;
  int64_t best = 0;
  for (auto n = static_cast<int64_t>(KernelConstants::shortestPiece);
       n <= KernelConstants::longestPiece && n < longest; n *= 2) {
    double cost = costOf(n);
    if (cost < choice.pieces)
      best = n;
    choice.pieces = std::min(choice.pieces, cost);
  }
  if (choice.pieces < KernelConstants::piecesShare * whole &&
      choice.pieces < whole - KernelConstants::piecesLaunch * getLaunch())
    choice.length = best;
  return choice;
}

double CostModel::countSerialElements(double longest) const {
  return kind == CostKind::Full
             ? std::min(longest, KernelConstants::longestPiece)
             : longest;
}

double CostModel::cost(const KernelWork &kernel) const {
  if (!isTime())
    return kernel.productRows;
  double whole = seconds(kernel);
  if (kind != CostKind::Full)
    return whole;
  auto inPieces = [&](int64_t length) {
    KernelWork pieces = kernel, rest = kernel;
    takeShare(pieces, kernel.lengths, length, /*ofPieces=*/true);
    takeShare(rest, kernel.lengths, length, /*ofPieces=*/false);
    return seconds(pieces) + seconds(rest);
  };
  return choosePieces(whole, kernel.lengths.longest, inPieces).getCost();
}

double CostModel::seconds(const KernelWork &kernel) const {
  if (kernel.isEmpty())
    return 0;
  double gathers = 0, gatheredBytes = 0;
  bool isScheduled = llvm::any_of(
      kernel.walks, [](const WalkWork &walk) { return walk.isScheduled; });
  SmallVector<double> hits =
      isScheduled ? findHits(kernel, *this) : SmallVector<double>();
  double tableBytes = countTableBytes(kernel);
  bool isByEdges = llvm::any_of(
      kernel.walks, [](const WalkWork &walk) { return walk.isByEdges; });
  if (isByEdges) {
    double longest = 0;
    for (const WalkWork &walk : kernel.walks)
      longest += longestSeconds(walk);
    return getLaunch() +
           std::max(equalSharesSeconds(kernel, hits, tableBytes), longest);
  }
  for (auto [i, gather] : llvm::enumerate(kernel.gathers)) {
    gathers += isScheduled ? gatherAtHits(gather, tableBytes, hits[i], false)
                           : gatherSeconds(gather, tableBytes);
    gatheredBytes +=
        gather.rows * std::max(gather.rowBytes, figures.l2RowBytes);
  }
  double rows = 0;
  if (!isScheduled) {
    rows = kernel.reducedRows * figures.rowSeconds;
    if (kernel.reducedRows > 0)
      gathers = std::max(gathers, gatheredBytes / figures.walkGather);
  }
  double longest = kernel.longestRow * figures.edgeSeconds;
  for (const WalkWork &walk : kernel.walks) {
    if (walk.isScheduled)
      rows += walk.countTeamRows() * walk.warps * figures.warpSeconds;
    rows += walk.getRounds() * walk.warps * figures.roundSeconds;
    longest += longestSeconds(walk);
  }
  double product = std::max(kernel.productFlops, kernel.productTileFlops);
  double issue = isScheduled ? issueSeconds(kernel, hits, tableBytes) : 0;
  double seconds = overlap(
      gathers * std::sqrt(kernel.crowding) + rows * kernel.crowding, issue);
  seconds += std::max(product / figures.productFlops +
                          kernel.otherFlops / figures.fp32Flops,
                      kernel.streamBytes / figures.memoryBandwidth);
  return getLaunch() + std::max(seconds, longest);
}

double CostModel::cost(ArrayRef<KernelWork> kernels) const {
  double sum = 0;
  for (const KernelWork &kernel : kernels)
    sum += cost(kernel);
  return sum;
}

std::string CostModel::textOf(double cost) const {
  return kind == CostKind::Rows
             ? llvm::formatv("{0:f0} rows of products", cost).str()
             : llvm::formatv("{0:f2} us", cost * 1e6).str();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Whether rows at the fine end of `path` lie in the order of their groups:
/// edge rows are kept by destination.
static bool isInOrder(RowPath path) {
  if (path.to == RowSpace::Graph)
    return true;
  bool reachesNode = path.to == RowSpace::Dst || path.to == RowSpace::Node;
  return path.from == RowSpace::Edge && reachesNode &&
         path.getEnd() == EndPoint::Dst;
}

/// How `operand` is read by an op that follows `path` with it; none where that
/// is in order.
static std::optional<GatherWork> describeGather(Value operand, RowPath path,
                                                RankedTensorType result,
                                                StatsAttr stats) {
  auto type = cast<RankedTensorType>(operand.getType());
  std::optional<RowSpace> space = getRowSpace(type);
  if (!space || path.isIdentity())
    return std::nullopt;
  GatherWork gather;
  gather.table = operand;
  gather.tableRows = RowCount::rows(type).evaluate(stats);
  gather.rowBytes = getNumFeatures(type) * type.getElementTypeBitWidth() / 8.0;
  if (*space == path.to) {
    gather.rows = hasDynamicRows(path.from)
                      ? RowCount::rows(path.from).evaluate(stats)
                      : RowCount::rows(result).evaluate(stats);
    return gather;
  }
  gather.rows = gather.tableRows;
  return isInOrder(path) ? std::nullopt : std::optional(gather);
}

double gnn::tileFlops(double rows, int64_t in, int64_t out) {
  constexpr int64_t columns = KernelConstants::tileColumns;
  constexpr int64_t inputs = KernelConstants::tileInputs;
  return 2 * rows * std::max(in, inputs) * llvm::alignTo(out, columns);
}

/// The operations of an op that multiplies by weights; 0 for others.
static double tileFlopsOf(Operation *op, double rows) {
  auto product = dyn_cast<ProductOpInterface>(op);
  auto operands = product ? product.getProductOperands() : std::nullopt;
  if (!operands)
    return 0;
  auto weight =
      cast<RankedTensorType>(op->getOperand(operands->weight).getType());
  SmallVector<int64_t> shape(getFeatures(weight));
  if (operands->isVector)
    shape.push_back(1);
  int64_t out = shape.pop_back_val(), in = shape.pop_back_val();
  int64_t heads = shape.empty() ? 1 : shape.back();
  return tileFlops(rows * heads, in, out);
}

std::optional<OpCounts> gnn::countOp(Operation *op) {
  if (auto counts = dyn_cast<RowCostInterface>(op))
    return OpCounts{counts.getFlops(), counts.getReadBytes(),
                    counts.getWrittenBytes(), counts.getProductRows()};
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  if (!op->hasTrait<OpTrait::Elementwise>() || op->getNumResults() != 1 ||
      !isTensor(op->getResultTypes().front()))
    return std::nullopt;
  auto result = cast<RankedTensorType>(op->getResultTypes().front());
  return OpCounts{RowCount::elements(result), detail::bytesOfOperands(op),
                  detail::bytesOfResults(op), RowCount()};
}

/// The path along which `op` reduces rows: to the result's, or as a softmax
/// does and back.
static std::optional<RowPath> getReduction(RowPathOpInterface op) {
  auto withRows = llvm::make_filter_range(op->getOperandTypes(), getRows);
  SmallVector<Type> operands(withRows);
  for (auto [i, path] : llvm::enumerate(op.getRowPaths()))
    if (!path.isIdentity() &&
        (i >= operands.size() || *getRowSpace(operands[i]) == path.from))
      return path;
  return std::nullopt;
}

double gnn::getLongestRow(RowPath path, StatsAttr stats) {
  if (path.from != RowSpace::Edge)
    return isPairSpace(path.from) && isNodeSpace(path.to)
               ? stats.getTypeEdges().size()
               : 0;
  if (isPairSpace(path.to))
    return stats.getLongestPair(path.to == RowSpace::SrcPair ? EndPoint::Src
                                                             : EndPoint::Dst);
  return isNodeSpace(path.to) && path.getEnd()
             ? stats.getLongestRow(*path.getEnd())
             : 0;
}

/// The kernels that `op` says; none for other ops.
static std::vector<KernelCounts> kernelsOf(Operation *op) {
  auto costs = dyn_cast<RowCostInterface>(op);
  return costs ? costs.getKernels() : std::vector<KernelCounts>();
}

/// The work of an op that says no kernels, as one.
static KernelWork describeOne(Operation *op, StatsAttr stats) {
  KernelWork work;
  std::optional<OpCounts> counts = countOp(op);
  if (!counts)
    return work;
  work.productRows = counts->productRows.evaluate(stats);
  double flops = counts->flops.evaluate(stats);
  bool isProduct = work.productRows > 0;
  if (isProduct)
    work.productTileFlops = tileFlopsOf(op, work.productRows);
  (isProduct ? work.productFlops : work.otherFlops) = flops;
  work.streamBytes = (counts->readBytes + counts->writtenBytes).evaluate(stats);
  // A product reads its rows in order, and the weights of each type once.
  auto paths = dyn_cast<RowPathOpInterface>(op);
  if (!paths || isProduct || op->getNumResults() == 0)
    return work;
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  // A reduction into few rows is spread over many teams.
  if (std::optional<RowPath> path = getReduction(paths);
      path && (isNodeSpace(path->to) || isPairSpace(path->to))) {
    work.reducedRows = RowCount::rows(path->to).evaluate(stats);
    double longest = getLongestRow(*path, stats);
    work.longestRow = longest * CostModel::steps(op->getNumOperands());
    if (path->from == RowSpace::Edge && getRowSpace(result) != path->from)
      work.lengths = {work.reducedRows, double(stats.getEdges()), longest};
  }
  auto withRows = llvm::make_filter_range(
      op->getOperands(), [](Value v) { return getRows(v.getType()); });
  for (auto [operand, path] : llvm::zip(withRows, paths.getRowPaths())) {
    if (auto gather = describeGather(operand, path, result, stats)) {
      work.gathers.push_back(*gather);
      work.streamBytes -= gather->rows * gather->rowBytes;
    }
  }
  return work;
}

std::vector<KernelWork> gnn::describeKernels(Operation *op, StatsAttr stats) {
  std::vector<KernelWork> works;
  for (const KernelCounts &kernel : kernelsOf(op))
    works.push_back(describeKernel(kernel, stats, getFigures(op)));
  if (works.empty())
    works.push_back(describeOne(op, stats));
  return works;
}

std::vector<KernelWork> gnn::describeGathering(Operation *op, StatsAttr stats) {
  if (!kernelsOf(op).empty())
    return describeKernels(op, stats);
  KernelWork work = describeOne(op, stats);
  auto paths = dyn_cast<RowPathOpInterface>(op);
  SmallVector<RowPath> list;
  if (paths && work.productRows == 0)
    list = paths.getRowPaths();
  auto withRows = llvm::make_filter_range(
      op->getOperands(), [](Value v) { return getRows(v.getType()); });
  for (auto [i, operand] : llvm::enumerate(withRows)) {
    auto gather = operand.getDefiningOp<GatherOp>();
    bool isInStream =
        i >= list.size() || list[i].isIdentity() || isInOrder(list[i]);
    if (!gather || !isInStream)
      continue;
    double rows = RowCount::rows(gather.getType()).evaluate(stats);
    double bytes = RowCount::bytes(gather.getType()).evaluate(stats);
    auto input = cast<RankedTensorType>(gather.getInput().getType());
    if (rows == 0)
      continue;
    work.gathers.push_back(
        {rows, bytes / rows, RowCount::rows(input).evaluate(stats)});
    work.streamBytes -= bytes;
  }
  return {work};
}

//===----------------------------------------------------------------------===//
// Statistics
//===----------------------------------------------------------------------===//

GraphOp gnn::getGraph(Operation *from, Type type) {
  RowsAttr rows = getRows(type);
  if (!rows)
    return nullptr;
  return SymbolTable::lookupNearestSymbolFrom<GraphOp>(from, rows.getGraph());
}

StatsAttr gnn::getStats(Operation *from, Type type) {
  return getStats(getGraph(from, type));
}

StatsAttr gnn::getStats(GraphOp graph) {
  if (!graph || graph.getStatsAttr() || !graph.isDerived())
    return graph ? graph.getStatsAttr() : nullptr;
  auto parent = SymbolTable::lookupNearestSymbolFrom<GraphOp>(
      graph, graph.getParentGraphAttr());
  if (!parent || !parent.getStatsAttr())
    return nullptr;
  return graph.deriveStats(parent.getStatsAttr());
}

StatsAttr gnn::getNominalStats(MLIRContext *context) {
  constexpr int64_t nodes = 100'000, pairs = 400'000, edges = 1'000'000;
  auto of = [&](int64_t count) {
    return DenseI64ArrayAttr::get(context, count);
  };
  return StatsAttr::get(context, nodes, nodes, edges, of(edges), of(pairs),
                        of(pairs), 0, 0, 0, 0, {}, {}, {});
}

StatsAttr gnn::getStats(Operation *op) {
  // Rows that are taken of a graph are those of the derived one.
  for (TypeRange types :
       {TypeRange(op->getResultTypes()), TypeRange(op->getOperandTypes())})
    for (Type type : types)
      if (getRows(type))
        return getStats(op, type);
  return nullptr;
}
