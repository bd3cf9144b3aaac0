//===- FuseTraversals.cpp - One walk instead of two -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A traversal whose result only one other traversal reads is computed there,
// if both walk the same loop nest (Hector 3.4.2). Rows that are only copied are
// read where they come from.
//
//===----------------------------------------------------------------------===//

#include "GNN/Transforms/Remarks.h"
#include "GNN/Transforms/Tile/Passes.h"

#include "GNN/Analysis/CostOptions.h"
#include "ReadThroughCopies.h"
#include "TraversalJoins.h"

#include "GNN/Dialect/GNN/IR/GNNRowOps.h"
#include "GNN/Dialect/GNN/IR/Origin.h"
#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/BitVector.h"

#include <set>

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_FUSETRAVERSALS
#include "GNN/Transforms/Tile/Passes.h.inc"
} // namespace gnn

namespace {

/// How the producer's loops become loops of the fused traversal.
struct Plan {
  unsigned result = 0; // the one of the producer that the consumer reads
  FlatSymbolRefAttr graph;
  DomainAttr domain;
  Anchor producerGroup = Anchor::Group; // what a group of the producer is there
  Anchor consumerGroup = Anchor::Group; // what a group of the consumer is there
  bool featureIsHead = false;           // the producer's features are heads
  RowDomain order, walked; // the producer's rows, and where it walks them there
};

/// Who reads a result of a traversal.
struct Readers {
  /// The traversals, each once; none where something else does.
  SmallVector<TraverseOp> consumers;
  /// Whether each of several may compute it again.
  bool mayRepeat = false;
  /// The first two of several that cannot, and why: of one alone, the others
  /// still stand in the way.
  SmallVector<std::pair<TraverseOp, std::string>, 2> refused = {};
};

struct FuseTraversals : gnn::impl::FuseTraversalsBase<FuseTraversals> {
  using FuseTraversalsBase::FuseTraversalsBase;

  void runOnOperation() override {
    do
      fuseAll();
    while (readCopied());
    if (refusals && getContext().getRemarkEngine())
      reportRefusals();
    readers.clear();
  }

private:
  void fuseAll();
  /// The readers of a result of a traversal, as long as these and it are what
  /// they were: many layers may read one row.
  const Readers &getReaders(OpResult produced);
  /// Drops what is known of the results of an op.
  void forgetReaders(Operation *op);
  /// Fills `plan`, or says why `produced` is not computed in `consumer`.
  std::string whyNotFused(OpResult produced, TraverseOp consumer, Plan &plan);
  /// The traversal made of a producer and a consumer.
  struct Fused {
    TraverseOp op;
    Operation *producer; ///< erased where `isErased`
    bool isErased;
  };
  std::optional<Fused> fuseOne(IRRewriter &rewriter, TraverseOp consumer);
  /// Lets all readers of features that are copied read the original. Whether
  /// something has changed.
  bool readCopied();
  /// Says each reason once for a producer, of however many readers.
  void reportRefusals();

  llvm::DenseMap<Value, Readers> readers;
};
} // namespace

static RowDomain reached(AtAttr at, DomainAttr domain) {
  return at.getRows(domain.getGroups(), domain.getElements());
}

/// Chooses heads and features of the fused domain.
static std::string planDims(TraverseOp producer, TraverseOp consumer, AtAttr in,
                            Plan &plan) {
  AtAttr out = producer.getOutputAt(plan.result);
  DomainAttr p = producer.getDomain(), c = consumer.getDomain();
  int64_t heads = p.getHeads(), features = p.getFeatures();
  if (out.getFeature() && !out.getHead() && in.getHead() && !in.getFeature()) {
    if (reducesLanes(producer) || heads != 1)
      return "it reduces the features that are heads of its consumer";
    if (readsColumns(producer))
      return "it reads columns, whose features are heads of its consumer";
    if (readsPart(producer))
      return "it reads a part of the features that are heads of its consumer";
    plan.featureIsHead = true;
    std::swap(heads, features);
  } else if (out.getHead() != in.getHead() ||
             out.getFeature() != in.getFeature()) {
    return "its features are other dimensions of its consumer";
  }
  Level uses = usedDims(producer), consumes = usedDims(consumer);
  if (plan.featureIsHead)
    std::swap(uses.head, uses.feature);
  auto joinedHeads = joinSize(heads, uses.head, c.getHeads(), consumes.head);
  auto joinedFeatures =
      joinSize(features, uses.feature, c.getFeatures(), consumes.feature);
  if (!joinedHeads || !joinedFeatures)
    return "its features differ in number from those of its consumer";
  plan.domain =
      DomainAttr::get(producer.getContext(), plan.domain.getGroups(),
                      plan.domain.getElements(), *joinedHeads, *joinedFeatures);
  return "";
}

/// Whether a traversal knows rows of nodes and their types only, so that it is
/// the same one on every graph of these nodes.
static bool knowsOnlyNodes(TraverseOp op) {
  // Not by degree: that is a matter of the edges.
  auto ofNodes = [](RowDomain domain) {
    return !domain || domain.isKind(RowKind::NodeType) ||
           (domain.isKind(RowKind::Node) && !domain.isOfParent() &&
            !isByDegree(domain.get().order));
  };
  auto reachesNodes = [&](AtAttr at) { return ofNodes(at.getSpace()); };
  bool inside = true;
  op.getBody().walk(
      [&](IndexOp index) { inside &= reachesNodes(index.getAt()); });
  return inside && ofNodes(op.getDomain().getGroups()) &&
         !op.getDomain().getElements() &&
         llvm::all_of(op.getInputsAt().getAsRange<AtAttr>(), reachesNodes) &&
         llvm::all_of(op.getOutputsAt().getAsRange<AtAttr>(), reachesNodes);
}

/// The graph on which both traversals can be: that of the one that knows more
/// than nodes, where the graphs have the same nodes; null if there is none.
static FlatSymbolRefAttr joinGraphs(TraverseOp producer, TraverseOp consumer) {
  FlatSymbolRefAttr a = producer.getGraphAttr(), b = consumer.getGraphAttr();
  if (a == b)
    return a;
  auto first = SymbolTable::lookupNearestSymbolFrom<gnn::GraphOp>(producer, a);
  auto second = SymbolTable::lookupNearestSymbolFrom<gnn::GraphOp>(consumer, b);
  if (!first || !second || first.getNodesOf() != second.getNodesOf())
    return nullptr;
  if (knowsOnlyNodes(consumer))
    return a;
  return knowsOnlyNodes(producer) ? b : nullptr;
}

/// The domain of a traversal as one of `rows`, if it stays in rows and these
/// are the same nodes: both ends of a square graph have them in one order.
static DomainAttr overRows(TraverseOp op, RowDomain rows) {
  DomainAttr domain = op.getDomain();
  auto areNodes = [](RowDomain some) {
    return some.isKind(RowKind::Node) && !some.isOfParent() &&
           some == some.getNatural();
  };
  auto graph =
      SymbolTable::lookupNearestSymbolFrom<gnn::GraphOp>(op, op.getGraphAttr());
  if (!graph || graph.getKind() != GraphKind::Square || !areNodes(rows) ||
      !areNodes(domain.getGroups()) || !staysInRows(op))
    return domain;
  return DomainAttr::get(op.getContext(), rows, RowDomain(), domain.getHeads(),
                         domain.getFeatures());
}

/// Whether the consumer is made, row by row, of what another walk over the same
/// elements gives: the two become one walk before what is done with both.
static bool readsAnotherWalk(TraverseOp producer, TraverseOp consumer) {
  DomainAttr walk = producer.getDomain();
  llvm::SmallPtrSet<Operation *, 8> seen{producer, consumer};
  SmallVector<Operation *> left{consumer};
  while (!left.empty()) {
    Operation *reader = left.pop_back_val();
    for (Value operand : reader->getOperands()) {
      Operation *maker = operand.getDefiningOp();
      if (!maker || !seen.insert(maker).second)
        continue;
      auto other = dyn_cast<TraverseOp>(maker);
      if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(maker) ||
          (other && !other.getDomain().getElements()))
        left.push_back(maker);
      else if (other && other.getDomain().getElements() == walk.getElements() &&
               other.getDomain().getGroups() == walk.getGroups())
        return true;
    }
  }
  return false;
}

/// Whether the consumer does something for each element of the producer's walk,
/// by the few numbers that its group has given: the walk goes on to do that.
static bool isReadByElements(TraverseOp producer, AtAttr out,
                             TraverseOp consumer, AtAttr in) {
  DomainAttr p = producer.getDomain(), c = consumer.getDomain();
  auto hasFewNumbers = [](DomainAttr domain) {
    return domain.getHeads() * domain.getFeatures() <= mostNumbersOfEdge;
  };
  if (!p.getElements() || c.getElements() || c.getGroups() != p.getElements() ||
      out.getAnchor() != Anchor::Group || out.getSpace() ||
      in.getAnchor() != Anchor::Group || !hasFewNumbers(p) || !hasFewNumbers(c))
    return false;
  AtAttr there = hoistAccess(
      AtAttr::get(in.getContext(), Anchor::Element, in.getSpace(), in.getHead(),
                  in.getFeature(), in.getOffset(), in.getColumn()),
      p);
  return there.getAnchor() == Anchor::Group && !there.getSpace();
}

/// Why the consumer of one result cannot be computed where the others are:
/// these stay results, of the kernel of both. Empty if it can.
static std::string whyNotAmongResults(TraverseOp producer, TraverseOp consumer,
                                      unsigned result) {
  if (producer.getNumResults() == 1)
    return "";
  bool readsLast = llvm::all_of(producer->getResults(), [&](OpResult other) {
    return other.getResultNumber() == result ||
           llvm::all_of(other.getUsers(), [&](Operation *user) {
             return user == consumer ||
                    (user->getBlock() == consumer->getBlock() &&
                     consumer->isBeforeInBlock(user));
           });
  });
  unsigned stay = llvm::count_if(producer->getResults(), [&](OpResult other) {
    return other.getResultNumber() != result && isRead(other, consumer);
  });
  bool isRowWise = producer.getDomain().getElements() &&
                   !consumer.getDomain().getElements() &&
                   producer.getOutputAt(result).getAnchor() == Anchor::Group;
  if (!readsLast || !isRowWise || stay + consumer.getNumResults() > mostResults)
    return "it has several results";
  return "";
}

/// Fills `plan`, or says why the two do not share a loop nest.
static std::string planFusion(TraverseOp producer, TraverseOp consumer,
                              AtAttr in, Plan &plan) {
  DomainAttr p = producer.getDomain(), c = consumer.getDomain();
  AtAttr out = producer.getOutputAt(plan.result);
  auto outType = cast<ShapedType>(producer.getOutputs()[plan.result].getType());
  if (producer.getSchedule() || consumer.getSchedule())
    return "it has a schedule";
  if (std::string why = whyNotAmongResults(producer, consumer, plan.result);
      !why.empty())
    return why;
  plan.graph = joinGraphs(producer, consumer);
  if (!plan.graph)
    return "it walks another graph";
  if (in.getOffset() || out.getOffset() ||
      (out.getFeature() && outType.getShape().back() != p.getFeatures()))
    return "only a part of its features is read or written";
  if (producer.getWrittenColumns(*producer.getDpsInitOperand(plan.result))
          .isOfSomeRows)
    return "only some of its rows are written";
  if (in.getAnchor() == Anchor::All)
    return "all points of its consumer read it";
  if (in.getColumn())
    return "its consumer reads its columns";

  if (isReadByElements(producer, out, consumer, in)) {
    plan.domain = p;
    plan.consumerGroup = Anchor::Element;
    return planDims(producer, consumer, in, plan);
  }
  if (p.getElements() && out.getAnchor() == Anchor::Group && !out.getSpace() &&
      !readsAnotherWalk(producer, consumer))
    c = overRows(consumer, p.getGroups());
  else if (!p.getElements())
    p = overRows(producer, reached(in, c));
  bool direct = reached(out, p) == reached(in, c);
  RowDomain walked = in.getStart(c.getGroups(), c.getElements());
  bool inPlace = direct && reached(in, c) == walked;
  // Rows that are computed one by one are so in any order of their space.
  bool reordered = direct && !p.getElements() &&
                   (inPlace || reached(in, c).hasSpaceOf(walked));
  RowDomain writes = out.getStart(p.getGroups(), p.getElements());
  if (!reordered && (!inPlace || reached(out, p) != writes))
    return "its rows are read in another order or more than once";

  plan.domain = c;
  if (!p.getElements()) {
    plan.producerGroup = in.getAnchor();
    plan.order = p.getGroups();
    plan.walked = walked;
    return planDims(producer, consumer, in, plan);
  }
  if (out.getAnchor() == Anchor::Group && in.getAnchor() == Anchor::Group &&
      !c.getElements()) {
    plan.domain = p; // the consumer joins the producer's walk
    return planDims(producer, consumer, in, plan);
  }
  if (p.getGroups() == c.getGroups() && p.getElements() == c.getElements() &&
      out.getAnchor() == in.getAnchor())
    return planDims(producer, consumer, in, plan);
  if (out.getAnchor() == Anchor::Element && in.getAnchor() == Anchor::Group &&
      !c.getElements()) {
    plan.domain = p; // what the consumer does by row, it does by element
    plan.consumerGroup = Anchor::Element;
    return planDims(producer, consumer, in, plan);
  }
  return "it walks other elements";
}

/// The access of the producer as the fused traversal has it.
static AtAttr ofProducer(AtAttr at, const Plan &plan) {
  bool isGroup = at.getAnchor() == Anchor::Group;
  RowDomain space = at.getSpace();
  if (isGroup && plan.order != plan.walked)
    space = !space ? plan.order : space == plan.walked ? RowDomain() : space;
  bool head = plan.featureIsHead ? at.getFeature() : at.getHead();
  bool feature = plan.featureIsHead ? false : at.getFeature();
  return AtAttr::get(at.getContext(),
                     isGroup ? plan.producerGroup : at.getAnchor(), space, head,
                     feature, at.getOffset(), at.getColumn());
}

/// The access of the consumer as the fused traversal has it.
static AtAttr ofConsumer(AtAttr at, const Plan &plan) {
  Anchor anchor =
      at.getAnchor() == Anchor::Group ? plan.consumerGroup : at.getAnchor();
  return AtAttr::get(at.getContext(), anchor, at.getSpace(), at.getHead(),
                     at.getFeature(), at.getOffset(), at.getColumn());
}

static TraverseOp fuse(IRRewriter &rewriter, TraverseOp producer,
                       TraverseOp consumer, const Plan &plan) {
  JoinedInputs inputs;
  SmallVector<unsigned> producerArgs, consumerArgs; // or a result of it
  for (auto [i, input] : llvm::enumerate(producer.getInputs()))
    producerArgs.push_back(
        inputs.add(input, ofProducer(producer.getInputAt(i), plan)));
  constexpr unsigned fused = ~0u;
  for (auto [i, input] : llvm::enumerate(consumer.getInputs()))
    consumerArgs.push_back(
        input.getDefiningOp() == producer
            ? fused
            : inputs.add(input, ofConsumer(consumer.getInputAt(i), plan)));
  SmallVector<Attribute> outputsAt;
  SmallVector<Value> outputs(consumer.getOutputs());
  for (AtAttr at : consumer.getOutputsAt().getAsRange<AtAttr>())
    outputsAt.push_back(ofConsumer(at, plan));
  // Other results of the producer stay, if they have readers.
  SmallVector<OpResult> others;
  for (OpResult result : producer->getResults())
    if (result.getResultNumber() != plan.result && isRead(result, consumer))
      others.push_back(result);
  for (OpResult other : others) {
    outputs.push_back(producer.getOutputs()[other.getResultNumber()]);
    outputsAt.push_back(
        ofProducer(producer.getOutputAt(other.getResultNumber()), plan));
  }

  rewriter.setInsertionPoint(consumer);
  Location loc = rewriter.getFusedLoc({producer.getLoc(), consumer.getLoc()});
  auto op = TraverseOp::create(
      rewriter, loc, ValueRange(outputs).getTypes(), plan.graph, plan.domain,
      inputs.values, outputs, rewriter.getArrayAttr(inputs.accesses),
      rewriter.getArrayAttr(outputsAt), consumer.getScheduleAttr());
  Block &block = inputs.addBlock(op);
  OpBuilder inside = OpBuilder::atBlockBegin(&block);
  IRMapping producerMap, consumerMap;
  Block &producerBody = producer.getBody().front();
  Block &consumerBody = consumer.getBody().front();
  for (auto [i, number] : llvm::enumerate(producerArgs))
    producerMap.map(producerBody.getArgument(i), block.getArgument(number));
  cloneBody(inside, producerBody, producerMap,
            [&](AtAttr at) { return ofProducer(at, plan); });
  auto ofResult = [&](unsigned number) {
    return producerMap.lookupOrDefault(
        producerBody.getTerminator()->getOperand(number));
  };
  for (auto [i, number] : llvm::enumerate(consumerArgs))
    consumerMap.map(
        consumerBody.getArgument(i),
        number == fused
            ? ofResult(
                  cast<OpResult>(consumer.getInputs()[i]).getResultNumber())
            : Value(block.getArgument(number)));
  cloneBody(inside, consumerBody, consumerMap,
            [&](AtAttr at) { return ofConsumer(at, plan); });
  SmallVector<Value> yielded;
  for (Value operand : consumerBody.getTerminator()->getOperands())
    yielded.push_back(consumerMap.lookupOrDefault(operand));
  for (OpResult other : others)
    yielded.push_back(ofResult(other.getResultNumber()));
  YieldOp::create(inside, consumerBody.getTerminator()->getLoc(), yielded);
  size_t own = consumer.getNumResults();
  rewriter.replaceOp(consumer, op.getResults().take_front(own));
  for (auto [other, result] :
       llvm::zip_equal(others, op.getResults().drop_front(own)))
    rewriter.replaceAllUsesWith(other, result);
  return op;
}

/// Whether a traversal gives a constant for each row, or makes one row of
/// features for each edge from rows that are there: to make it again takes less
/// than to store it and read it back.
static bool isWorthRepeating(TraverseOp op) {
  DomainAttr domain = op.getDomain();
  if (domain.getElements())
    return false;
  Block &body = op.getBody().front();
  if (body.getTerminator()->getOperand(0).getDefiningOp<arith::ConstantOp>())
    return true;
  if (!domain.getGroups().isKind(RowKind::Edge))
    return false;
  if (llvm::any_of(body, [](Operation &inner) {
        return isa<ReduceOp, ArgReduceOp, SoftmaxSumOp, FoldOp>(inner);
      }))
    return false;
  // A row that is only copied is read where it comes from, however short.
  bool copies = isa<BlockArgument>(body.getTerminator()->getOperand(0));
  return copies || domain.getHeads() * domain.getFeatures() > mostNumbersOfEdge;
}

/// The plan for all inputs of `consumer` that are `produced`.
static std::string planAll(OpResult produced, TraverseOp consumer, Plan &plan) {
  plan.result = produced.getResultNumber();
  auto producer = cast<TraverseOp>(produced.getOwner());
  std::optional<AtAttr> access;
  for (auto [i, input] : llvm::enumerate(consumer.getInputs())) {
    if (input.getDefiningOp() != producer)
      continue;
    if (access && *access != consumer.getInputAt(i))
      return "its consumer reads it in two ways";
    access = consumer.getInputAt(i);
    unsigned other = cast<OpResult>(input).getResultNumber();
    if (producer.getOutputAt(other) != producer.getOutputAt(plan.result) ||
        input.getType() != produced.getType())
      return "its consumer reads results of it that are unlike";
  }
  return planFusion(producer, consumer, *access, plan);
}

const Readers &FuseTraversals::getReaders(OpResult produced) {
  auto [entry, isNew] = readers.try_emplace(produced);
  Readers &found = entry->second;
  if (!isNew)
    return found;
  auto producer = cast<TraverseOp>(produced.getOwner());
  found.consumers = getConsumers(produced);
  found.mayRepeat = found.consumers.size() > 1 &&
                    producer.getNumResults() == 1 && isWorthRepeating(producer);
  if (found.mayRepeat)
    for (TraverseOp consumer : found.consumers) {
      Plan plan;
      if (std::string why = planAll(produced, consumer, plan); !why.empty())
        found.refused.emplace_back(consumer, why);
      if (found.refused.size() == 2)
        break;
    }
  return found;
}

void FuseTraversals::forgetReaders(Operation *op) {
  for (Value result : op->getResults())
    readers.erase(result);
}

std::string FuseTraversals::whyNotFused(OpResult produced, TraverseOp consumer,
                                        Plan &plan) {
  const Readers &found = getReaders(produced);
  if (found.consumers.size() != 1 && !found.mayRepeat)
    return "its result has other readers";
  // A result that one reader needs stored is there for the others.
  for (auto &[other, why] : found.refused)
    if (other != consumer)
      return "its result has another reader, which cannot compute it: " + why;
  return planAll(produced, consumer, plan);
}

/// The first consumer that can be fused, again and again. Who was refused is
/// asked once more where a producer of it has changed, or what else reads that.
void FuseTraversals::fuseAll() {
  IRRewriter rewriter(&getContext());
  SmallVector<TraverseOp> ops;
  llvm::DenseMap<Operation *, unsigned> places;
  getOperation()->walk([&](TraverseOp op) {
    places[op] = ops.size();
    ops.push_back(op);
  });
  llvm::BitVector left(ops.size(), true);
  auto askReaders = [&](Operation *op) {
    if (op)
      for (Operation *reader : op->getUsers())
        if (auto found = places.find(reader); found != places.end())
          left.set(found->second);
  };
  for (int next = left.find_first(); next >= 0; next = left.find_first()) {
    left.reset(next);
    TraverseOp consumer = ops[next];
    std::optional<Fused> fused = fuseOne(rewriter, consumer);
    if (!fused)
      continue;
    places.erase(consumer);
    places[fused->op] = next;
    ops[next] = fused->op;
    left.set(next);
    if (fused->isErased) {
      left.reset(places.lookup(fused->producer));
      places.erase(fused->producer);
    } else {
      askReaders(fused->producer);
    }
    askReaders(fused->op);
    for (Value input : fused->op.getInputs())
      askReaders(input.getDefiningOp());
  }
}

std::optional<FuseTraversals::Fused>
FuseTraversals::fuseOne(IRRewriter &rewriter, TraverseOp consumer) {
  for (Value input : consumer.getInputs()) {
    auto producer = input.getDefiningOp<TraverseOp>();
    Plan plan;
    auto produced = dyn_cast<OpResult>(input);
    if (!producer || !whyNotFused(produced, consumer, plan).empty())
      continue;
    size_t count = getReaders(produced).consumers.size();
    passed(getArgument(), consumer.getLoc(), "Fused")
        << "one traversal instead of two: " + gnn::describeOrigins(producer) +
               " and " + gnn::describeOrigins(consumer) +
               (count == 1
                    ? std::string()
                    : ", which " + std::to_string(count - 1) +
                          " others compute again rather than have it stored");
    for (Operation *op : {producer.getOperation(), consumer.getOperation()}) {
      forgetReaders(op);
      for (Value read : op->getOperands())
        if (Operation *maker = read.getDefiningOp())
          forgetReaders(maker);
    }
    TraverseOp op = fuse(rewriter, producer, consumer, plan);
    bool isErased = producer->use_empty();
    Fused fused = {op, producer, isErased};
    if (isErased)
      rewriter.eraseOp(producer);
    return fused;
  }
  return std::nullopt;
}

bool FuseTraversals::readCopied() {
  readers.clear();
  return readThroughCopies(
      getOperation(), [&](TraverseOp copy, TraverseOp reader) {
        passed(getArgument(), reader.getLoc(), "ReadThrough")
            << "it reads the source of the copy: " + gnn::describeOrigins(copy);
      });
}

void FuseTraversals::reportRefusals() {
  std::set<std::pair<Operation *, std::string>> said;
  getOperation()->walk([&](TraverseOp consumer) {
    for (Value input : consumer.getInputs()) {
      auto producer = input.getDefiningOp<TraverseOp>();
      if (!producer)
        continue;
      Plan plan;
      std::string why = whyNotFused(cast<OpResult>(input), consumer, plan);
      if (said.emplace(producer, why).second)
        refused(getArgument(), producer.getLoc()) << why;
    }
  });
}
