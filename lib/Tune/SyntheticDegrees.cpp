//===- SyntheticDegrees.cpp - Degrees of equal statistics -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The edges of each type are shared by a power law of nodes in the order of
// their popularity, whose exponent makes the squares of degrees those that are
// declared.
//
//===----------------------------------------------------------------------===//

#include "SyntheticDegrees.h"

#include "Numbers.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace gnn;
using namespace gnn::tune;

namespace {
/// The degrees of the nodes at one end.
class Degrees {
public:
  Degrees(GraphOp op, EndPoint end, const EndStatistics &statistics,
          const Nodes &nodes, uint64_t seed, llvm::function_ref<bool()> isOver)
      : op(op), end(end), statistics(statistics), nodes(nodes), seed(seed),
        isOver(isOver) {}

  /// By type: the pairs whose squares come nearest to those declared.
  std::vector<std::vector<Pair>> find();

private:
  std::vector<std::vector<Pair>> spread(double exponent);
  void spreadType(size_t type, double exponent, std::vector<Pair> &pairs);
  std::vector<int32_t> choosePlaces(size_t type, size_t count, double exponent,
                                    bool hasHub);
  void share(MutableArrayRef<Pair> pairs, ArrayRef<int32_t> places,
             int64_t edges, int64_t most, double exponent);
  void chooseHub();
  double squares() const;

  GraphOp op;
  const EndPoint end;
  const EndStatistics &statistics;
  const Nodes &nodes;
  const uint64_t seed;
  const llvm::function_ref<bool()> isOver;
  /// The node of the longest row; -1 where its length is not known.
  int32_t hub = -1;
  std::vector<int64_t> degrees;
};
} // namespace

/// The exponent from which on a row takes all that it may have.
static constexpr double mostExponent = 32;
static constexpr unsigned stepsOfFit = 18;
/// A fit ends within this part of the variance of degrees.
static constexpr double goodFit = 2e-3;

/// The longest row is of the node type whose pairs may be longest together.
void Degrees::chooseHub() {
  if (!statistics.longest || nodes.all.empty())
    return;
  int64_t best = -1;
  for (int64_t nodeType = 0; nodeType < int64_t(op.getNodeTypes());
       ++nodeType) {
    if (nodes.ofType[nodeType].empty())
      continue;
    int64_t sum = 0;
    for (size_t type = 0; type < statistics.edges.size(); ++type) {
      int64_t of = op.getNodeTypeOf(type, end);
      if (statistics.pairs[type] && (of < 0 || of == nodeType))
        sum += statistics.mostOfPair(type);
    }
    if (sum > best) {
      best = sum;
      hub = nodes.ofType[nodeType].front();
    }
  }
}

/// `count` places of the eligible nodes, ascending and the hub's at first: the
/// larger the exponent, the more of them are popular nodes'.
std::vector<int32_t> Degrees::choosePlaces(size_t type, size_t count,
                                           double exponent, bool hasHub) {
  ArrayRef<int32_t> eligible = nodes.eligible(op.getNodeTypeOf(type, end));
  Numbers numbers(seed * 0x2545f4914f6cdd1dull + 2 * type + int(end));
  std::vector<int32_t> places;
  int64_t skipped = -1;
  if (hasHub) {
    skipped = llvm::find(eligible, hub) - eligible.begin();
    places.push_back(skipped);
  }
  int64_t left = count - places.size(), size = eligible.size() - hasHub;
  int64_t last = -1;
  for (int64_t i = 0; i < left; ++i) {
    double at = (double(i) + numbers.fraction()) / double(left);
    int64_t place = i; // all of them
    if (left < size)
      place = int64_t(std::pow(at, 1 + exponent) * double(size));
    place = std::min(std::max(place, last + 1), size - (left - i));
    while (statistics.longest && place < size - (left - i) &&
           degrees[eligible[place + (hasHub && place >= skipped)]] >=
               statistics.longest)
      ++place; // no edge fits there any more
    last = place;
    places.push_back(place + (hasHub && place >= skipped));
  }
  return places;
}

/// Adds edges to pairs, which have one each, by the weights of their places;
/// none gets over `most`, and no row over the longest, unless too few do.
void Degrees::share(MutableArrayRef<Pair> pairs, ArrayRef<int32_t> places,
                    int64_t edges, int64_t most, double exponent) {
  std::vector<double> weights, room;
  for (auto [pair, place] : llvm::zip_equal(pairs, places)) {
    weights.push_back(std::pow(double(place) + 1, -exponent));
    int64_t free = most - 1;
    if (statistics.longest)
      free = std::clamp<int64_t>(statistics.longest - degrees[pair.node] - 1, 0,
                                 free);
    room.push_back(double(free));
  }
  std::vector<bool> isFull(pairs.size());
  double left = double(edges), weight = 0;
  for (bool isChanged = true; isChanged;) {
    if (isOver())
      return; // weights are of no use before the last step
    isChanged = false;
    left = double(edges);
    weight = 0;
    for (size_t i = 0; i < pairs.size(); ++i)
      isFull[i] ? left -= room[i] : weight += weights[i];
    for (size_t i = 0; i < pairs.size(); ++i)
      if (!isFull[i] && left * weights[i] > room[i] * weight)
        isFull[i] = isChanged = true;
  }
  bool hasNoRoom = weight == 0 && left > 0.5;
  double sum = 0;
  for (size_t i = 0; i < pairs.size(); ++i) {
    double from = std::floor(sum + 0.5);
    sum += isFull[i] ? room[i] : left * weights[i] / weight;
    if (hasNoRoom)
      sum += left / double(pairs.size());
    pairs[i].edges += int64_t(std::floor(sum + 0.5) - from);
  }
}

void Degrees::spreadType(size_t type, double exponent,
                         std::vector<Pair> &pairs) {
  int64_t count = statistics.pairs[type], most = statistics.mostOfPair(type);
  if (!count || isOver())
    return;
  int64_t of = op.getNodeTypeOf(type, end);
  int64_t ofHub = 0;
  if (hub >= 0 && (of < 0 || nodes.type[hub] == of))
    ofHub = std::min(most, statistics.longest - degrees[hub]);
  ArrayRef<int32_t> eligible = nodes.eligible(of);
  std::vector<int32_t> places = choosePlaces(type, count, exponent, ofHub > 0);
  pairs.reserve(places.size());
  for (int32_t place : places)
    pairs.push_back({eligible[place], 1});
  // The hub has its share, and one pair is as long as the longest.
  int64_t left = statistics.edges[type] - count;
  size_t fixed = 0;
  auto fix = [&](int64_t edges) {
    int64_t added = std::min(edges - 1, left);
    pairs[fixed++].edges += added;
    left -= added;
  };
  if (ofHub > 0)
    fix(ofHub);
  if (statistics.knowsLongest(type) && ofHub < most)
    for (size_t i = fixed; i < pairs.size(); ++i) {
      if (statistics.longest &&
          degrees[pairs[i].node] + most > statistics.longest)
        continue;
      std::swap(pairs[fixed], pairs[i]);
      std::swap(places[fixed], places[i]);
      fix(most);
      break;
    }
  share(MutableArrayRef(pairs).drop_front(fixed),
        ArrayRef(places).drop_front(fixed), fixed < pairs.size() ? left : 0,
        most, exponent);
  if (fixed == pairs.size())
    pairs.back().edges += left;
  for (const Pair &pair : pairs)
    degrees[pair.node] += pair.edges;
}

/// Types with the longest pairs choose first.
std::vector<std::vector<Pair>> Degrees::spread(double exponent) {
  degrees.assign(statistics.nodes, 0);
  std::vector<size_t> order(statistics.edges.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::pair(-statistics.mostOfPair(a), a) <
           std::pair(-statistics.mostOfPair(b), b);
  });
  std::vector<std::vector<Pair>> pairs(order.size());
  for (size_t type : order)
    spreadType(type, exponent, pairs[type]);
  return pairs;
}

double Degrees::squares() const {
  double sum = 0;
  for (int64_t degree : degrees)
    sum += double(degree) * double(degree);
  return sum;
}

std::vector<std::vector<Pair>> Degrees::find() {
  chooseHub();
  if (!statistics.squares)
    return spread(0);
  const auto wanted = double(statistics.squares);
  auto edges = double(std::accumulate(statistics.edges.begin(),
                                      statistics.edges.end(), int64_t(0)));
  double variance = wanted - edges * edges / double(statistics.nodes);
  double low = 0, high = 0, nearest = HUGE_VAL; // high: 0 until there is one
  std::vector<std::vector<Pair>> best;
  for (unsigned i = 0; i < stepsOfFit && low < mostExponent; ++i) {
    if (nearest <= goodFit * variance || isOver())
      break;
    double middle =
        high > 0 ? (low + high) / 2 : std::clamp(2 * low, 1.0, mostExponent);
    auto pairs = spread(middle);
    double over = squares() - wanted;
    (over < 0 ? low : high) = middle;
    if (std::abs(over) < nearest) {
      nearest = std::abs(over);
      best = std::move(pairs);
    }
  }
  return best;
}

std::vector<std::vector<Pair>>
gnn::tune::findDegrees(GraphOp op, EndPoint end,
                       const EndStatistics &statistics, const Nodes &nodes,
                       uint64_t seed, llvm::function_ref<bool()> isOver) {
  // Nodes are numbered by popularity meanwhile: places ascend, and with them
  // the memory of their degrees, which every step of the fit passes through.
  Nodes popular;
  popular.ofType.resize(nodes.ofType.size());
  for (auto [number, node] : llvm::enumerate(nodes.all)) {
    if (number % stepsBetweenChecks == 0 && isOver())
      return {};
    popular.all.push_back(number);
    popular.type.push_back(nodes.type[node]);
    popular.ofType[nodes.type[node]].push_back(number);
  }
  auto pairs = Degrees(op, end, statistics, popular, seed, isOver).find();
  for (std::vector<Pair> &ofType : pairs)
    for (Pair &pair : ofType)
      pair.node = nodes.all[pair.node];
  return pairs;
}
