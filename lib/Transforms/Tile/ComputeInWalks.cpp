//===- ComputeInWalks.cpp - Numbers of edges where their rows are read ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scores and their gradients follow from the rows at both ends of an edge, and
// walks over edges read the same rows. So a walk may compute them, and store
// them for the walks of the other ends; or each walk does, and nothing is
// stored for an edge.
//
//===----------------------------------------------------------------------===//

#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Tile/Passes.h"

#include "GroupEdges.h"
#include "SplitSums.h"
#include "TraversalJoins.h"

#include "GNN/Analysis/CostModel.h"
#include "GNN/Analysis/RowStatistics.h"
#include "GNN/Dialect/GNN/IR/Origin.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_COMPUTEINWALKS
#include "GNN/Transforms/Tile/Passes.h.inc"
} // namespace gnn

/// The share of the time of all that walk edges that storing a number of each
/// edge has to save where that is more than the L2 holds: half a GB for
/// additive scores of 115 million edges, one for products.
static constexpr double leastGain = 0.08;

namespace {
/// A traversal of edges, and who reads what it gives.
struct EdgeNumbers {
  TraverseOp op;
  SmallVector<TraverseOp> walks; ///< that may compute it
  /// Whether something else reads it, and has it stored.
  bool hasOthers = false;
  /// The first walk that may not, and why.
  TraverseOp refused;
  std::string why;
};

/// Where they are computed.
struct Choice {
  enum class Place { Apart, OneWalk, AllWalks } place = Place::Apart;
  TraverseOp host; ///< that stores them for others; none where nobody asks
  double cost = 0;
};

struct ComputeInWalks : gnn::impl::ComputeInWalksBase<ComputeInWalks> {
  using ComputeInWalksBase::ComputeInWalksBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (setting >= -1 && setting <= 2)
      return success();
    return emitError(UnknownLoc::get(context))
           << getArgument() << ": expected 'setting' -1, 0, 1 or 2, got "
           << setting.getValue();
  }

  void runOnOperation() override {
    model.emplace(getOperation(), getCostKind(longRows));
    IRRewriter rewriter(&getContext());
    for (auto function : getOperation().getOps<func::FuncOp>())
      for (Block &block : function.getBody()) {
        // Walks go, and edges with their own visit alone.
        SmallVector<TraverseOp> edges = collectJoinable(block);
        llvm::erase_if(edges, [](TraverseOp op) {
          return bool(op.getDomain().getElements());
        });
        for (TraverseOp op : edges)
          visit(rewriter, block, op);
      }
  }

private:
  void visit(IRRewriter &rewriter, Block &block, TraverseOp op);
  EdgeNumbers findReaders(TraverseOp op, const Dependences &dependences);
  /// The cost of a choice; none where it cannot be.
  std::optional<double> costOf(const EdgeNumbers &numbers, const Choice &choice,
                               const Dependences &dependences, StatsAttr stats);
  double costApart(TraverseOp op, StatsAttr stats);
  /// The least saving of storing numbers where nothing else asks for them.
  double findLeastGain(const EdgeNumbers &numbers, const Choice &choice,
                       StatsAttr stats);
  /// The choice, and the numbers or the reason behind it.
  Choice choose(const EdgeNumbers &numbers, const Dependences &dependences,
                std::string &text);
  void place(IRRewriter &rewriter, Block &block, const EdgeNumbers &numbers,
             const Choice &choice);

  std::optional<CostModel> model;
};
} // namespace

/// The numbers of edges that a walk keeps of those it computes: what others
/// read, where each walk computes them or this one alone.
static auto keptBy(const EdgeNumbers &numbers, const Choice &choice,
                   TraverseOp walk) {
  return [&numbers, &choice, walk](OpResult result) {
    return choice.host == walk &&
           llvm::any_of(result.getUsers(), [&](Operation *user) {
             bool computes = choice.place == Choice::Place::AllWalks
                                 ? llvm::is_contained(numbers.walks, user)
                                 : user == walk;
             return !computes;
           });
  };
}

static bool computes(const Choice &choice, TraverseOp walk) {
  return choice.place == Choice::Place::AllWalks || choice.host == walk;
}

/// In the order of the block, which that of users is not.
EdgeNumbers ComputeInWalks::findReaders(TraverseOp op,
                                        const Dependences &dependences) {
  EdgeNumbers numbers;
  numbers.op = op;
  SmallVector<TraverseOp> users;
  for (Operation *user : op->getUsers())
    if (auto walk = dyn_cast<TraverseOp>(user);
        walk && walk->getBlock() == op->getBlock() &&
        !llvm::is_contained(users, walk) && isJoinable(walk) &&
        isIntoElements(op, walk))
      users.push_back(walk);
  llvm::sort(users,
             [](TraverseOp a, TraverseOp b) { return a->isBeforeInBlock(b); });
  for (TraverseOp walk : users) {
    std::string why;
    if (countWalks(walk) > 1)
      why = "it walks the edges more than once";
    else
      planJoin(op, walk, dependences, [](OpResult) { return false; }, &why);
    if (why.empty()) {
      numbers.walks.push_back(walk);
    } else if (!numbers.refused) {
      numbers.refused = walk;
      numbers.why = why;
    }
  }
  numbers.hasOthers = llvm::any_of(op->getUsers(), [&](Operation *user) {
    return !llvm::is_contained(numbers.walks, user);
  });
  return numbers;
}

/// As `gnn-tile-group-edges` will have it.
double ComputeInWalks::costApart(TraverseOp op, StatsAttr stats) {
  double cost = costTraversal(*model, op, stats);
  if (!groupEdges || !explainNoDot(op).empty())
    return cost;
  TraverseOp grouped = groupByDestination(op);
  std::string gain;
  if (explainEdges(grouped, edgeWalks, gain, op).empty())
    cost = std::min(cost, costByEdges(*model, grouped, stats));
  grouped.erase();
  return cost;
}

std::optional<double> ComputeInWalks::costOf(const EdgeNumbers &numbers,
                                             const Choice &choice,
                                             const Dependences &dependences,
                                             StatsAttr stats) {
  OpBuilder builder(numbers.op);
  double cost = choice.place == Choice::Place::Apart && stats
                    ? costApart(numbers.op, stats)
                    : 0;
  for (TraverseOp walk : numbers.walks) {
    TraverseOp made = walk;
    if (computes(choice, walk)) {
      auto kept = keptBy(numbers, choice, walk);
      std::optional<Join> join = planJoin(numbers.op, walk, dependences, kept);
      if (!join)
        return std::nullopt;
      made = buildJoin(builder, numbers.op, walk, *join, kept);
    }
    if (stats)
      cost += costInShards(*model, made, sourceShards, edgeWalks, stats);
    if (made != walk)
      made.erase();
  }
  return cost;
}

double ComputeInWalks::findLeastGain(const EdgeNumbers &numbers,
                                     const Choice &choice, StatsAttr stats) {
  TraverseOp op = numbers.op;
  auto kept = keptBy(numbers, choice, choice.host);
  double ofEdge = 0, bytes = 0;
  for (OpResult result : op->getResults())
    if (kept(result)) {
      auto type = cast<ShapedType>(result.getType());
      auto count = static_cast<double>(
          ShapedType::getNumElements(type.getShape().drop_front()));
      ofEdge += count;
      bytes += count * type.getElementTypeBitWidth() / 8.0;
    }
  bytes *= countRows(op.getDomain().getGroups(), stats);
  return bytes > model->getFigures().l2Bytes ? leastGain * ofEdge : 0;
}

/// One walk stores numbers of edges only where that saves enough; what is apart
/// stays so unless less time is sure.
Choice ComputeInWalks::choose(const EdgeNumbers &numbers,
                              const Dependences &dependences,
                              std::string &text) {
  using Place = Choice::Place;
  TraverseOp op = numbers.op;
  auto graph =
      SymbolTable::lookupNearestSymbolFrom<GraphOp>(op, op.getGraphAttr());
  StatsAttr stats = graph ? getStats(graph) : nullptr;
  if (setting == 0 || (!stats && setting < 0)) {
    text = setting == 0 ? "it is turned off"
                        : "rows may be short, or one of them long";
    return {};
  }
  std::optional<Choice> inOne, inAll;
  auto attempt = [&](std::optional<Choice> &best, Choice choice) {
    std::optional<double> cost = costOf(numbers, choice, dependences, stats);
    if (!cost || (best && best->cost <= *cost))
      return;
    choice.cost = *cost;
    best = choice;
  };
  for (TraverseOp walk : numbers.walks)
    attempt(inOne, {Place::OneWalk, walk});
  if (numbers.walks.size() > 1) {
    if (!numbers.hasOthers)
      attempt(inAll, {Place::AllWalks, TraverseOp()});
    for (TraverseOp walk : numbers.walks)
      if (numbers.hasOthers)
        attempt(inAll, {Place::AllWalks, walk});
  }
  bool mayAll = inAll && setting != 1, mayOne = inOne && setting != 2;
  // Where others have it stored in any case, time alone decides.
  bool savesMemory = inAll && !inAll->host && inOne && stats;
  double gain = savesMemory ? findLeastGain(numbers, *inOne, stats) : 0;
  bool isWorthStoring =
      mayOne && (!mayAll || (model->isBetter(inAll->cost, inOne->cost) &&
                             inOne->cost < (1 - gain) * inAll->cost));
  Choice best = mayAll && !isWorthStoring ? *inAll : inOne ? *inOne : Choice();
  if (!stats || best.place == Place::Apart) {
    text = best.place == Place::Apart ? "no walk stores it for others" : "";
    return best;
  }
  double apart = *costOf(numbers, {}, dependences, stats);
  text = model->textOf(best.cost) + " instead of " + model->textOf(apart) +
         " by the model";
  if (inAll && inOne && setting < 0) {
    bool isAll = best.place == Place::AllWalks;
    text += ", " + model->textOf((isAll ? inOne : inAll)->cost) + " in " +
            (isAll ? "one walk that stores them" : "each walk");
  }
  if (setting < 0 && !model->isBetter(apart, best.cost))
    return {};
  return best;
}

void ComputeInWalks::place(IRRewriter &rewriter, Block &block,
                           const EdgeNumbers &numbers, const Choice &choice) {
  TraverseOp op = numbers.op;
  for (TraverseOp walk : numbers.walks) {
    if (!computes(choice, walk) || walk == choice.host)
      continue;
    Dependences dependences(block);
    auto kept = keptBy(numbers, choice, walk);
    TraverseOp joined = buildJoin(rewriter, op, walk,
                                  *planJoin(op, walk, dependences, kept), kept);
    unsigned next = 0;
    for (OpResult result : walk->getResults())
      if (!result.use_empty())
        rewriter.replaceAllUsesWith(result, joined->getResult(next++));
    rewriter.eraseOp(walk);
  }
  if (!choice.host)
    return rewriter.eraseOp(op);
  Dependences dependences(block);
  auto kept = [&](OpResult result) { return isRead(result, choice.host); };
  std::optional<Join> join = planJoin(op, choice.host, dependences, kept);
  replaceBoth(rewriter, op, choice.host,
              buildJoin(rewriter, op, choice.host, *join, kept), dependences);
}

void ComputeInWalks::visit(IRRewriter &rewriter, Block &block, TraverseOp op) {
  if (llvm::none_of(op->getUsers(), [&](Operation *user) {
        auto walk = dyn_cast<TraverseOp>(user);
        return walk && isJoinable(walk) && isIntoElements(op, walk);
      }))
    return;
  Dependences dependences(block);
  EdgeNumbers numbers = findReaders(op, dependences);
  auto refuse = [&](TraverseOp walk, const std::string &why) {
    refused(getArgument(), walk.getLoc())
        << "the values of edges that it reads are stored: " + why;
  };
  if (numbers.refused)
    refuse(numbers.refused, numbers.why);
  if (numbers.walks.empty())
    return;
  std::string text;
  Choice choice = choose(numbers, dependences, text);
  if (choice.place == Choice::Place::Apart)
    return refuse(numbers.walks.front(), text);
  bool isAll = choice.place == Choice::Place::AllWalks;
  for (TraverseOp walk : numbers.walks)
    if (computes(choice, walk))
      passed(getArgument(), walk.getLoc(), isAll ? "ComputedInAll" : "Computed")
          << (isAll ? "each of " + std::to_string(numbers.walks.size()) +
                          " walks computes the values of edges that it reads: "
                    : "a walk computes the values of edges that it reads: ") +
                 gnn::describeOrigins(op) + " and " +
                 gnn::describeOrigins(walk) + (text.empty() ? "" : ", " + text);
  place(rewriter, block, numbers, choice);
}
