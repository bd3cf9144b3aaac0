//===- EdgeWalks.h - Elements in equal shares -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_LOOPS_EDGEWALKS_H
#define GNN_LIB_TRANSFORMS_LOOPS_EDGEWALKS_H

#include "TraversalLoops.h"

#include "GNN/Analysis/Targets.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <array>

namespace gnn::tile {

/// The values that a walk over a share carries from one step to the next.
struct Carried {
  llvm::SmallVector<mlir::Value> states; ///< of the reductions
  llvm::SmallVector<mlir::Value>
      groupValues;                ///< that elements need, of the group
  mlir::Value place, group, next; ///< in the list of groups, and two of these
  /// The same values of the next group, which are loaded while this one is
  /// walked, and the group behind that; else empty and null.
  llvm::SmallVector<mlir::Value> nextValues;
  mlir::Value second;
  mlir::Value isHead; ///< the group began before the share
  mlir::Value begin;  ///< else, where it did; null if sizes do not matter

  /// All of it as one list, in which indices take one register each.
  llvm::SmallVector<mlir::Value> pack(IndexBuilder &b) const {
    Carried copy = *this;
    llvm::SmallVector<mlir::Value> all;
    for (llvm::SmallVector<mlir::Value> *values : copy.getLists())
      llvm::append_range(all, *values);
    for (mlir::Value *index : copy.getIndices())
      all.push_back(b.toI32(*index));
    all.push_back(isHead);
    return all;
  }
  /// The values of such a list. It is one of as many values as these are, and
  /// has the indices that are not null here.
  Carried unpack(IndexBuilder &b, mlir::ValueRange all) const {
    Carried made = *this;
    auto take = [&] {
      mlir::Value first = all.front();
      all = all.drop_front();
      return first;
    };
    for (llvm::SmallVector<mlir::Value> *values : made.getLists())
      for (mlir::Value &value : *values)
        value = take();
    for (mlir::Value *index : made.getIndices())
      *index = mlir::arith::IndexCastOp::create(b, b.getIndexType(), take());
    made.isHead = take();
    assert(all.empty() && "expected a list of the same values");
    return made;
  }

private:
  /// In the order of the list, all that is there: values, then indices.
  std::array<llvm::SmallVector<mlir::Value> *, 3> getLists() {
    return {&states, &groupValues, &nextValues};
  }
  llvm::SmallVector<mlir::Value *> getIndices() {
    llvm::SmallVector<mlir::Value *> indices;
    for (mlir::Value *index : {&place, &group, &next, &second, &begin})
      if (*index)
        indices.push_back(index);
    return indices;
  }
};

/// Makes the loops of one walk by edges.
class EdgeWalk final : public TraversalLoops {
public:
  using TraversalLoops::TraversalLoops;
  void run();
  /// Loads in front of their use, for which lanes have registers: the choices
  /// that no field of a schedule has.
  std::string describe();

private:
  using Values = llvm::SmallVector<mlir::Value>;
  using Body = llvm::function_ref<void()>;
  using Chosen = llvm::function_ref<Values()>;

  /// The elements under way, and what they need of their groups.
  struct Batch {
    llvm::SmallVector<WalkPoint> points;
    /// The word of each, which says whether its group ends.
    Values words;
    /// Of each element, or the same of all.
    llvm::SmallVector<llvm::SmallVector<mlir::Value>> groupValues;
    /// Numbers of elements as one vector: one element a lane.
    llvm::DenseMap<mlir::Value, mlir::Value> across;

    llvm::ArrayRef<mlir::Value> getGroupValues(unsigned u) const {
      return groupValues[groupValues.size() > 1 ? u : 0];
    }
  };

  void collect();
  /// Whether the words of the next elements are asked for in front of the rows
  /// of these. Words of several streams would take the registers of rows under
  /// way, and so would many words beside numbers.
  bool loadsWordsAhead() const {
    return facts.streams * layout.inFlight <= 4 || facts.isPlainSum();
  }
  /// Whether lanes have the values that elements need of the next group while
  /// they walk this one. Walks with states would spill registers for them.
  bool loadsGroupsAhead() const { return types.empty() && !ofGroup.empty(); }
  /// Whether the words that the teams of a warp load at once are whole lines. A
  /// line that several warps load in parts is not evicted first.
  bool loadsWholeLines() const {
    int64_t bytes = 4 * TeamShare::wordsTogether;
    return layout.warp / layout.threadsPerRow() * bytes >= TeamShare::lineBytes;
  }
  /// Whether the lanes of a warp load the numbers of their shares together,
  /// whole sectors of each: one alone would reach a line of memory for each
  /// four of them.
  bool loadsShares() {
    return layout.threadsPerRow() == 1 && !op.isCyclic() &&
           LoadNumbersOp::has(layout.inFlight) &&
           4 * layout.inFlight >= sectorBytes;
  }
  /// Whether lanes exchange values where groups may end.
  bool exchanges() {
    return !numbers.empty() || llvm::any_of(ofBoth, [](mlir::Value value) {
      return llvm::isa_and_nonnull<ReduceOp>(value.getDefiningOp());
    });
  }
  void forTeams(llvm::function_ref<void(mlir::Value team)> body);
  // One team and its share (EdgeWalks.cpp).
  void walkShare(mlir::Value team);
  Carried start(mlir::Value share, mlir::Value first);
  Values valuesOfGroup(mlir::Value group);
  Values loadWords(mlir::Value share, mlir::Value offset);
  mlir::Value shareOf(mlir::Value team);
  mlir::Value fieldOf(mlir::Value share, TeamShare::Field field);
  mlir::Value hasFlag(mlir::Value flags, int64_t flag);
  mlir::Value filledAt(mlir::Value place);
  // Its steps (EdgeSteps.cpp).
  Values step(mlir::Value first, const Carried &carried,
              mlir::ValueRange loaded, mlir::Value team);
  void locate(Batch &batch, mlir::Value first, mlir::ValueRange loaded);
  void storeElements(Batch &batch);
  void add(Carried &now, Batch &batch);
  Values stepOverEnds(const Carried &carried, Batch batch);
  Values stepInOrder(const Carried &carried, Batch batch, mlir::Value team);
  void closeGroup(Carried &now, mlir::Value position, mlir::Value team);
  void nextGroup(Carried &now);
  Values choose(mlir::Value condition, mlir::TypeRange types, Chosen then,
                Chosen otherwise);
  void where(mlir::Value condition, Body then, Body otherwise);
  // Teams that take turns (CyclicWalks.cpp).
  void walkCyclic(mlir::Value team);
  Values loadMaps(mlir::Value first);
  // Numbers of elements, one a lane (EdgeNumbers.cpp).
  void collectNumbers(const llvm::SetVector<mlir::Value> &needs);
  bool mayBeNumber(mlir::Value value);
  void addNumber(mlir::Value value);
  bool isReadByPoint(mlir::Value value);
  bool isScattered(unsigned output);
  bool isGathered(mlir::Value value);
  void enterPoint(Batch &batch, unsigned u);
  void evaluateBatch(llvm::ArrayRef<mlir::Value> values, Batch &batch);
  Values loadElements(mlir::ValueRange numbers, mlir::Type type,
                      llvm::function_ref<mlir::Value(unsigned u)> load,
                      mlir::Value buffer = {});
  mlir::Value getNumbersOf(mlir::BlockArgument argument, mlir::Type type);
  void loadSideBySide(Batch &batch);
  void spreadNumbers(Batch &batch);
  bool needsNumbers(mlir::Value value);
  void evaluateReduced(Batch &batch, unsigned u);
  mlir::Type numbersAt(mlir::Type element, Level level);
  mlir::Value acrossOf(mlir::Value value, Batch &batch);
  mlir::Value collectPoints(mlir::Value value, Batch &batch);
  mlir::Value numbersOf(mlir::ValueRange each, mlir::Type element);
  mlir::Value reduceEach(ReduceOp reduce, Batch &batch);
  mlir::Value spreadAcross(mlir::Value value, mlir::Type type);
  mlir::Value ofPoint(mlir::Value across, unsigned u, mlir::Type type);
  mlir::Value overElements(mlir::Value across, Reduction kind, mlir::Type type);
  mlir::Value numbersOfElements();
  mlir::Value rowsOf(AtAttr at, Batch &batch, bool isRead);
  std::pair<mlir::Value, mlir::Value> placesOf(AtAttr at, mlir::Value buffer,
                                               Batch &batch, bool isRead);
  mlir::Value gather(mlir::BlockArgument argument, Batch &batch);
  void scatter(unsigned output, Batch &batch);
  bool isApart(mlir::OpResult result);
  Values takeApart(mlir::ValueRange states);
  Values putTogether(mlir::ValueRange states);
  mlir::Value powerOf(mlir::Value score, mlir::Value highest);
  Values addSoftmax(SoftmaxSumOp op, mlir::ValueRange before, Batch &batch);
  // States that teams leave to each other (EdgeWalks.cpp).
  void makeCombine(mlir::Block &block);
  void handOver(mlir::Value team);
  void finishGroup(mlir::Value group, mlir::ValueRange states,
                   IndexArrays::ElementRange elements);
  void storePiece(mlir::ValueRange states, mlir::Value piece);
  Values statesOfGroup(mlir::Value first);
  Values identities();
  /// The results of all reductions: one for each state.
  llvm::SmallVector<mlir::OpResult> results();
  Values makeArrays(mlir::TypeRange types, mlir::gpu::AddressSpace memory);
  void leave(mlir::ValueRange states, llvm::ArrayRef<mlir::Value> arrays,
             mlir::Value team);
  Values take(mlir::TypeRange types, llvm::ArrayRef<mlir::Value> arrays,
              mlir::Value team);
  // Parts that teams add up instead (AtomicMerges.cpp).
  void addToGroup(mlir::Value group, mlir::ValueRange states);
  void addLast(const Carried &carried, mlir::Value team);

  TraverseFacts facts{op};
  llvm::SmallVector<mlir::Operation *> reductions;
  llvm::SmallVector<mlir::Type> types; ///< of their states
  llvm::SmallVector<unsigned> outputs; ///< with a row for each element
  /// The values that each element needs. Two are the same for all elements of a
  /// group: `fixed`, and those that depend on the group, `ofGroup`. Two vary:
  /// `ofElement` by the element alone, `ofBoth` by its group too.
  llvm::SmallVector<mlir::Value> fixed, ofGroup, ofElement, ofBoth;
  /// Values of elements without features that lanes have one element of each.
  llvm::SetVector<mlir::Value> numbers;
  mlir::Value stepOfBlock, teamOfStep; ///< the first team's element, the team
  /// Arrays with an entry a team: of the block, and private ones.
  Values heads, tails, tailGroups;
};

} // namespace gnn::tile

#endif // GNN_LIB_TRANSFORMS_LOOPS_EDGEWALKS_H
