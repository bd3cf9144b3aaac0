//===- Stats.cpp - Statistics of a graph ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The statistics of graphs that are derived from one with statistics.
//
//===----------------------------------------------------------------------===//

#include "GNN/Dialect/GNN/IR/GNNDialect.h"
#include "GNN/Lattice/Lattice.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace gnn;

/// The sum of non-negative counts, saturated.
static int64_t sumOf(ArrayRef<int64_t> counts) {
  int64_t sum = 0;
  for (int64_t count : counts)
    if (__builtin_add_overflow(sum, count, &sum))
      return std::numeric_limits<int64_t>::max();
  return sum;
}

StatsAttr StatsAttr::restrictTo(ArrayRef<int64_t> types) const {
  auto take = [&](DenseI64ArrayAttr counts) -> DenseI64ArrayAttr {
    if (!counts || counts.empty())
      return counts;
    SmallVector<int64_t> taken;
    for (int64_t type : types)
      taken.push_back(counts[type]);
    return DenseI64ArrayAttr::get(getContext(), taken);
  };
  DenseI64ArrayAttr ofType = take(getTypeEdges());
  int64_t edges = sumOf(ofType);
  return get(getContext(), getSrcNodes(), getDstNodes(), edges, ofType,
             take(getSrcPairs()), take(getDstPairs()),
             /*in_degree_squares=*/0, /*in_degree_max=*/0,
             /*out_degree_squares=*/0, /*out_degree_max=*/0,
             take(getSrcPairMax()), take(getDstPairMax()),
             /*near_edges=*/nullptr);
}

StatsAttr StatsAttr::withLoops(int64_t type) const {
  int64_t nodes = getDstNodes();
  auto change = [&](DenseI64ArrayAttr counts,
                    function_ref<int64_t(int64_t)> become) {
    SmallVector<int64_t> all(counts.asArrayRef());
    all.resize(std::max<size_t>(all.size(), type + 1));
    all[type] = become(all[type]);
    return DenseI64ArrayAttr::get(getContext(), all);
  };
  // Each node has a pair of the type then.
  auto pairs = [&](int64_t) { return nodes; };
  auto longestPair = [&](DenseI64ArrayAttr counts) {
    return counts && !counts.empty()
               ? change(counts, [](int64_t most) { return most + 1; })
               : counts;
  };
  // One more each: (d + 1)^2 = d^2 + 2d + 1. Unknown squares and degrees are 0.
  auto squares = [&](int64_t all) {
    return all ? all + 2 * getEdges() + nodes : 0;
  };
  auto longest = [](int64_t most) { return most ? most + 1 : 0; };
  DenseI64ArrayAttr near = getNearEdges();
  if (near && !near.empty())
    near = DenseI64ArrayAttr::get(
        getContext(),
        llvm::map_to_vector(near.asArrayRef(),
                            [&](int64_t count) { return count + nodes; }));
  return get(getContext(), getSrcNodes(), nodes, getEdges() + nodes,
             change(getTypeEdges(), [&](int64_t of) { return of + nodes; }),
             change(getSrcPairs(), pairs), change(getDstPairs(), pairs),
             squares(getInDegreeSquares()), longest(getInDegreeMax()),
             squares(getOutDegreeSquares()), longest(getOutDegreeMax()),
             longestPair(getSrcPairMax()), longestPair(getDstPairMax()), near);
}

/// How many of `nodes` have an element in one of `shards` ranges, over all of
/// them, where each has `degree` elements, the share `near` of which lies in
/// one range.
static double expectPairs(double nodes, double degree, double near,
                          double shards) {
  double own = std::min(1.0, near * degree);
  double far = degree * (1 - near);
  return nodes * (own + (shards - own) * (1 - std::pow(1 - 1 / shards, far)));
}

StatsAttr StatsAttr::shard(EndPoint end, int64_t count) const {
  bool ofSrc = end == EndPoint::Src;
  int64_t edges = getEdges();
  auto even = [&](int64_t all) {
    SmallVector<int64_t> parts;
    for (int64_t shard = 0; shard < count; ++shard)
      parts.push_back(all / count + (shard < all % count));
    return DenseI64ArrayAttr::get(getContext(), parts);
  };
  // Nodes at the end that is cut lie in one range each.
  auto nodesWithEdges = [&](bool atSrc) {
    return std::min(sumOf(atSrc ? getSrcPairs() : getDstPairs()),
                    atSrc ? getSrcNodes() : getDstNodes());
  };
  int64_t cut = nodesWithEdges(ofSrc), others = nodesWithEdges(!ofSrc);
  auto shards = static_cast<double>(count);
  double pairs = 0;
  if (others)
    pairs =
        expectPairs(static_cast<double>(others),
                    static_cast<double>(edges) / static_cast<double>(others),
                    getNearShare(static_cast<double>(ofSrc ? getSrcNodes()
                                                           : getDstNodes()) /
                                 (2 * shards)),
                    shards);
  DenseI64ArrayAttr ofCut = even(std::min(cut, edges)),
                    ofOthers =
                        even(std::min(static_cast<int64_t>(pairs), edges));
  auto longest = [&](EndPoint at) -> DenseI64ArrayAttr {
    int64_t most = getLongestRow(at);
    if (!most)
      return nullptr;
    most = at == end ? most : llvm::divideCeil(most, count);
    return DenseI64ArrayAttr::get(
        getContext(),
        SmallVector<int64_t>(count, std::min(most, edges / count)));
  };
  return get(getContext(), getSrcNodes(), getDstNodes(), edges, even(edges),
             ofSrc ? ofCut : ofOthers, ofSrc ? ofOthers : ofCut,
             getInDegreeSquares(), getInDegreeMax(), getOutDegreeSquares(),
             getOutDegreeMax(), longest(EndPoint::Src), longest(EndPoint::Dst),
             getNearEdges());
}

double StatsAttr::getNearShare(double distance) const {
  double share = 0;
  if (DenseI64ArrayAttr near = getNearEdges(); near && !near.empty())
    for (auto [counted, within] : llvm::zip(near.asArrayRef(), nearDistances))
      if (within <= distance && getEdges())
        share = static_cast<double>(counted) / static_cast<double>(getEdges());
  return share;
}

int64_t StatsAttr::getLongestRow(EndPoint end) const {
  bool toDst = end == EndPoint::Dst;
  int64_t most = toDst ? getInDegreeMax() : getOutDegreeMax();
  if (most != 0)
    return most;
  DenseI64ArrayAttr ofTypes = toDst ? getDstPairMax() : getSrcPairMax();
  double expected = ofTypes ? expectLongestRow(ofTypes) : 0;
  return expected < static_cast<double>(getEdges())
             ? static_cast<int64_t>(expected)
             : getEdges();
}

double StatsAttr::expectLongestRow(ArrayRef<int64_t> longestPairs) {
  if (longestPairs.empty())
    return 0;
  auto most = static_cast<double>(*llvm::max_element(longestPairs));
  return std::sqrt(most * static_cast<double>(sumOf(longestPairs)));
}

int64_t StatsAttr::getLongestPair(EndPoint end) const {
  DenseI64ArrayAttr ofTypes =
      end == EndPoint::Dst ? getDstPairMax() : getSrcPairMax();
  if (!ofTypes || ofTypes.empty())
    return getLongestRow(end);
  return *llvm::max_element(ofTypes.asArrayRef());
}

/// The most edges of a pair at one end, by edge type, if they are known.
static LogicalResult
verifyLongestPairs(function_ref<InFlightDiagnostic()> emitError, StringRef end,
                   ArrayRef<int64_t> edges, DenseI64ArrayAttr longest) {
  if (!longest || longest.empty())
    return success();
  for (auto [type, ofType, most] : llvm::enumerate(edges, longest.asArrayRef()))
    if (most > ofType)
      return emitError() << end << "_pair_max of edge type " << type
                         << ": expected at most its " << ofType
                         << " edges, got " << most;
  return success();
}

/// The degrees of one end, `most` being the largest and `squares` the sum of
/// their squares; 0: unknown.
static LogicalResult verifyDegrees(function_ref<InFlightDiagnostic()> emitError,
                                   StringRef end, int64_t nodes, int64_t edges,
                                   int64_t most, int64_t squares) {
  auto least = static_cast<int64_t>(
      llvm::divideCeil(edges, std::max<int64_t>(nodes, 1)));
  if (most && (most < least || most > edges))
    return emitError() << end << "_degree_max: expected from " << least
                       << " to " << edges << ", the mean and all edges, got "
                       << most;
  auto from = std::max(static_cast<double>(edges),
                       static_cast<double>(most) * static_cast<double>(most));
  auto to =
      static_cast<double>(most ? most : edges) * static_cast<double>(edges);
  if (squares && (static_cast<double>(squares) < from ||
                  static_cast<double>(squares) > to))
    return emitError() << end << "_degree_squares: expected from "
                       << llvm::formatv("{0:F0} to {1:F0}", from, to).str()
                       << " by the edges and the largest degree, got "
                       << squares;
  return success();
}

LogicalResult StatsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t srcNodes, int64_t dstNodes,
                                int64_t edges, DenseI64ArrayAttr typeEdges,
                                DenseI64ArrayAttr srcPairs,
                                DenseI64ArrayAttr dstPairs, int64_t inSquares,
                                int64_t inMax, int64_t outSquares,
                                int64_t outMax, DenseI64ArrayAttr srcPairMax,
                                DenseI64ArrayAttr dstPairMax,
                                DenseI64ArrayAttr nearEdges) {
  ArrayRef<int64_t> ofType = typeEdges, ofSrc = srcPairs, ofDst = dstPairs;
  auto isNegative = [](int64_t count) { return count < 0; };
  SmallVector<int64_t> counts = {srcNodes, dstNodes, edges,     inSquares,
                                 inMax,    outMax,   outSquares};
  llvm::append_range(counts, ofType);
  llvm::append_range(counts, ofSrc);
  llvm::append_range(counts, ofDst);
  for (DenseI64ArrayAttr most : {srcPairMax, dstPairMax})
    if (most)
      llvm::append_range(counts, most.asArrayRef());
  if (auto *it = llvm::find_if(counts, isNegative); it != counts.end()) // C1
    return emitError() << "expected counts of at least 0, got " << *it;
  if (ofSrc.size() != ofType.size() || ofDst.size() != ofType.size()) // C2
    return emitError() << "expected one entry for each of " << ofType.size()
                       << " edge types, got " << ofSrc.size()
                       << " in src_pairs and " << ofDst.size()
                       << " in dst_pairs";
  for (DenseI64ArrayAttr most : {srcPairMax, dstPairMax})
    if (most && !most.empty() &&
        most.size() != static_cast<int64_t>(ofType.size())) // C2
      return emitError() << "expected one entry for each of " << ofType.size()
                         << " edge types, got " << most.size()
                         << " in src_pair_max or dst_pair_max";
  if (sumOf(ofType) != edges) // C3
    return emitError() << "type_edges adds up to edges: expected " << edges
                       << ", got " << sumOf(ofType);
  for (auto [type, typed] : llvm::enumerate(ofType)) // C4
    if (ofSrc[type] > typed || ofDst[type] > typed)
      return emitError() << "edge type " << type << " has " << typed
                         << " edges: expected no more pairs, got "
                         << std::max(ofSrc[type], ofDst[type]);
  if (failed(verifyLongestPairs(emitError, "src", ofType, srcPairMax)) || // C6
      failed(verifyLongestPairs(emitError, "dst", ofType, dstPairMax)))
    return failure();
  if (failed(verifyDegrees(emitError, "in", dstNodes, edges, inMax, // C7
                           inSquares)) ||
      failed(
          verifyDegrees(emitError, "out", srcNodes, edges, outMax, outSquares)))
    return failure();
  if (!nearEdges || nearEdges.empty())
    return success();
  ArrayRef<int64_t> near = nearEdges;
  if (near.size() != std::size(nearDistances) || !llvm::is_sorted(near) ||
      near.front() < 0 || near.back() > edges) // C5
    return emitError() << "near_edges: expected " << std::size(nearDistances)
                       << " counts that ascend from 0 to " << edges << ", got ["
                       << near << "]";
  return success();
}
