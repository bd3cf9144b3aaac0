//===- LaneForms.cpp - Forms that lanes can share -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules of the loops form that gnn-verify-form checks, and that
// gnn-tile-distribute relies on.
//
//===----------------------------------------------------------------------===//

#include "LaneForms.h"

#include "GNN/Dialect/GNN/IR/Target.h"
#include "GNN/Dialect/Tile/IR/Buffers.h"
#include "GNN/Dialect/Tile/IR/Ranges.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gnn::tile;

//===----------------------------------------------------------------------===//
// Multiples
//===----------------------------------------------------------------------===//

/// As the public one; `assumed` is what loops carry and is being asked for, or
/// has been found to be one then.
static bool isMultiple(OpFoldResult number, int64_t by,
                       llvm::SmallPtrSet<Value, 4> &assumed) {
  if (std::optional<int64_t> constant = getConstantIntValue(number))
    return *constant % by == 0;
  auto value = cast<Value>(number);
  auto isAlso = [&](OpFoldResult other) {
    return isMultiple(other, by, assumed);
  };
  auto isCarried = [&](scf::ForOp loop, unsigned i) {
    llvm::SmallPtrSet<Value, 4> before(assumed);
    if (!assumed.insert(loop.getRegionIterArg(i)).second)
      return true;
    if (isAlso(loop.getInitArgs()[i]) && isAlso(loop.getYieldedValues()[i]))
      return true;
    assumed = before; // nor is what followed from it
    return false;
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    auto loop = dyn_cast<LoopLikeOpInterface>(parent);
    auto variables = loop ? loop.getLoopInductionVars() : std::nullopt;
    if (variables && llvm::is_contained(*variables, value)) {
      size_t i = llvm::find(*variables, value) - variables->begin();
      return isAlso((*loop.getLoopLowerBounds())[i]) &&
             isAlso((*loop.getLoopSteps())[i]);
    }
    auto carries = dyn_cast<scf::ForOp>(parent);
    return carries && isCarried(carries, argument.getArgNumber() - 1);
  }
  Operation *op = value.getDefiningOp();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return isCarried(loop, cast<OpResult>(value).getResultNumber());
  auto isOperandMultiple = [&](Value operand) { return isAlso(operand); };
  if (isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp,
          arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return llvm::all_of(op->getOperands(), isOperandMultiple);
  return isa<arith::MulIOp>(op) &&
         llvm::any_of(op->getOperands(), isOperandMultiple);
}

bool gnn::tile::isMultiple(OpFoldResult number, int64_t by) {
  llvm::SmallPtrSet<Value, 4> assumed;
  return ::isMultiple(number, by, assumed);
}

//===----------------------------------------------------------------------===//
// Workgroup memory
//===----------------------------------------------------------------------===//

LogicalResult gnn::tile::verifyPermuted(ArrayOp array) {
  auto permuted = static_cast<int64_t>(array.getPermuted());
  if (permuted <= 1)
    return success();
  for (Operation *user : array->getUsers()) {
    auto stage = dyn_cast<StageOp>(user);
    auto read = dyn_cast<vector::TransferReadOp>(user);
    if ((!stage && !read) || user->getParentOfType<TeamsOp>())
      return user->emitOpError("expected a permuted array to be staged and "
                               "read as a tile, outside of teams");
    Value row = stage ? stage.getRow() : read.getIndices().front();
    if (!isMultiple(row, ArrayOp::depthsTogether * permuted))
      return user->emitOpError("expected a first row that is a multiple of ")
             << ArrayOp::depthsTogether * permuted
             << " in an array with 'permuted' " << permuted;
    int64_t most = stage && stage.getTransposed() ? ArrayOp::depthsTogether
                                                  : ArrayOp::columnsTogether;
    if (stage && stage.getSpread().getEach().back() > most)
      return user->emitOpError("expected threads to stage up to ")
             << most << " elements side by side in a permuted array, got "
             << stage.getSpread();
  }
  return success();
}

/// As the public one; `known` are pairs that are the same.
static bool isSameValue(Value a, Value b,
                        DenseSet<std::pair<Value, Value>> &known) {
  if (a == b || known.contains({a, b}))
    return true;
  auto left = dyn_cast<OpResult>(a), right = dyn_cast<OpResult>(b);
  if (!left || !right || !isPure(left.getOwner()) ||
      left.getResultNumber() != right.getResultNumber() ||
      !OperationEquivalence::isEquivalentTo(
          left.getOwner(), right.getOwner(),
          [&](Value x, Value y) { return success(isSameValue(x, y, known)); },
          /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations))
    return false;
  known.insert({a, b});
  return true;
}

bool gnn::tile::isSameValue(Value a, Value b) {
  DenseSet<std::pair<Value, Value>> known;
  return ::isSameValue(a, b, known);
}

namespace {
/// An access of all lanes at once.
struct LaneAccess {
  Operation *op;
  Value view;
  SmallVector<Value> indices;
  VectorType type; ///< null: one element
  AffineMap map;
  bool isWrite;

  /// The dimensions of the buffer that are read or written, and how far.
  SmallVector<std::pair<unsigned, int64_t>> getExtents() const {
    SmallVector<std::pair<unsigned, int64_t>> extents;
    for (auto [i, expr] : llvm::enumerate(map.getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr);
          dim && type.getDimSize(i) > 1)
        extents.push_back({dim.getPosition(), type.getDimSize(i)});
    return extents;
  }
  /// Whether lanes have the same of both. A vector of one dimension is spread
  /// as the value that it is written over.
  bool isAlike(const LaneAccess &after) const {
    if (!type || !after.type)
      return !type && !after.type && (!isWrite || after.isWrite);
    bool isAsRead = !isWrite && after.isWrite && after.type.getRank() == 1;
    return isAsRead ? getExtents() == after.getExtents()
                    : type == after.type && map == after.map;
  }
  int64_t getColumns() const { return type ? type.getShape().back() : 1; }
  /// Whether both are sure to share elements, and not as lanes have them. One
  /// lane writes an element, all read it.
  bool isSpreadOtherwise(const LaneAccess &after) const {
    auto isSame = [](auto pair) {
      return isSameValue(std::get<0>(pair), std::get<1>(pair));
    };
    if (indices.empty() || (!isWrite && !after.isWrite) ||
        !isSameValue(view, after.view) ||
        !llvm::all_of(llvm::drop_end(llvm::zip(indices, after.indices)),
                      isSame))
      return false;
    if (isSameValue(indices.back(), after.indices.back()))
      return !isAlike(after);
    auto first = getConstantIntValue(indices.back()),
         second = getConstantIntValue(after.indices.back());
    return (type || after.type) && first && second &&
           *first < *second + after.getColumns() &&
           *second < *first + getColumns();
  }
};
} // namespace

static std::optional<LaneAccess> getLaneAccess(Operation *op) {
  using Access = std::optional<LaneAccess>;
  return llvm::TypeSwitch<Operation *, Access>(op)
      .Case<vector::TransferReadOp, vector::TransferWriteOp>([&](auto access) {
        return LaneAccess{op,
                          access.getBase(),
                          llvm::to_vector_of<Value>(access.getIndices()),
                          access.getVectorType(),
                          access.getPermutationMap(),
                          isa<vector::TransferWriteOp>(op)};
      })
      .Case<memref::LoadOp, memref::StoreOp>([&](auto access) {
        return LaneAccess{op,
                          access.getMemRef(),
                          llvm::to_vector_of<Value>(access.getIndices()),
                          {},
                          {},
                          isa<memref::StoreOp>(op)};
      })
      .Default([](Operation *) { return Access(); });
}

/// Checks that no lane reads what another lane of these teams writes, or writes
/// over that, as far as indices say: in one step or the next one of a loop.
static LogicalResult verifyOverwritten(TeamsOp teams) {
  SmallVector<LaneAccess> accesses;
  WalkResult walk = teams->walk([&](Operation *op) -> WalkResult {
    std::optional<LaneAccess> access = getLaneAccess(op);
    if (!access)
      return success();
    for (const LaneAccess &before : accesses)
      if (before.isSpreadOtherwise(*access))
        return op->emitOpError("expected the same indices and type as of '")
               << before.op->getName() << "', which "
               << (before.isWrite ? "writes" : "reads")
               << " that row before in these teams: lanes do not wait for each "
                  "other";
    accesses.push_back(*access);
    return success();
  });
  return failure(walk.wasInterrupted());
}

bool gnn::tile::areExchanged(LoadNumbersOp load, SpreadAttr lanes) {
  auto parts =
      static_cast<int64_t>(load.getNumbers().size()) / LoadNumbersOp::together;
  return load.getTeam() && parts > 1 && lanes.getTeamLanes() == 1 &&
         lanes.getTeams() % parts == 0;
}

/// Checks that nothing in the loop over blocks writes what is loaded as if it
/// stayed the same.
static LogicalResult verifyUnwritten(TeamsOp teams) {
  SmallVector<LoadNumbersOp> loads;
  teams->walk([&](LoadNumbersOp load) { loads.push_back(load); });
  auto blocks = teams->getParentOfType<BlocksOp>();
  if (loads.empty() || !blocks)
    return success();
  llvm::DenseSet<Value> written;
  blocks->walk([&](Operation *op) {
    for (const BufferAccess &access : getAccesses(op))
      if (access.isWrite)
        written.insert(access.buffer);
  });
  for (LoadNumbersOp load : loads)
    if (written.contains(getBuffer(load.getBuffer())))
      return load.emitOpError("expected a buffer that nothing in the loop over "
                              "blocks writes");
  return success();
}

/// Checks that private memory is that of arrays of the same loop over blocks.
static LogicalResult verifyOwned(TeamsOp teams) {
  auto blocks = teams->getParentOfType<BlocksOp>();
  WalkResult walk = teams->walk([&](Operation *op) -> WalkResult {
    for (Value operand : op->getOperands()) {
      auto array = operand.getDefiningOp<ArrayOp>();
      if (isPrivate(operand) &&
          (!array || !blocks || !blocks->isAncestor(array)))
        return op->emitOpError("expected private memory to be a gnn_tile.array "
                               "of the same loop over blocks, got ")
               << operand.getType();
    }
    return success();
  });
  return failure(walk.wasInterrupted());
}

/// Checks that lanes use no array that other lanes of these teams write.
static LogicalResult verifyArrays(TeamsOp teams) {
  llvm::DenseMap<Value, bool> isWritten;
  WalkResult walk = teams->walk([&](Operation *op) -> WalkResult {
    for (const BufferAccess &access : getAccesses(op)) {
      // Lanes wait for each other in front of and behind what stages a window.
      if (!isInWorkgroup(access.buffer) ||
          llvm::any_of(access.buffer.getUsers(), [](Operation *user) {
            return isa<StageWindowOp>(user);
          }))
        continue;
      auto [it, isNew] = isWritten.try_emplace(access.buffer, access.isWrite);
      if (it->second != access.isWrite)
        return op->emitOpError("expected an array in workgroup memory that "
                               "teams read or write, got one that they read "
                               "and write: lanes do not wait for each other");
    }
    return success();
  });
  return failure(walk.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Private memory
//===----------------------------------------------------------------------===//

/// The loop over teams whose number says the whole entry of a private array
/// that is read or written; null where there is none.
static ParallelOp getTeamsOfEntry(const LaneAccess &access, MemRefType array) {
  auto number = dyn_cast<BlockArgument>(access.indices.front());
  auto each = number ? dyn_cast<ParallelOp>(number.getOwner()->getParentOp())
                     : ParallelOp();
  auto teams = each ? each->getParentOfType<TeamsOp>() : TeamsOp();
  auto transfer = dyn_cast<VectorTransferOpInterface>(access.op);
  if (!teams || each.getOver() != Worker::Team ||
      static_cast<int64_t>(each.getCount()) != array.getDimSize(0) ||
      static_cast<int64_t>(each.getCount()) != teams.getSpread().getTeams() ||
      (transfer && transfer.getMask()))
    return {};
  ArrayRef<int64_t> entry = array.getShape().drop_front();
  bool isWhole = access.type ? access.type.getShape() == entry &&
                                   access.map.isMinorIdentity()
                             : entry.empty();
  bool isFromStart =
      llvm::all_of(llvm::drop_begin(access.indices),
                   [](Value index) { return getConstantIntValue(index) == 0; });
  return isWhole && isFromStart ? each : ParallelOp();
}

LogicalResult gnn::tile::verifyPrivate(ArrayOp array) {
  if (!isPrivate(array))
    return success();
  std::optional<LaneAccess> write;
  SmallVector<LaneAccess> reads;
  for (Operation *user : array->getUsers()) {
    std::optional<LaneAccess> access = getLaneAccess(user);
    if (!access || !getTeamsOfEntry(*access, array.getArray().getType()))
      return user->emitOpError("expected a team to read or write its whole "
                               "entry of a private array, at its number, got "
                               "another use of ")
             << array.getArray().getType();
    if (!access->isWrite)
      reads.push_back(*access);
    else if (std::exchange(write, *access))
      return user->emitOpError("expected one op that writes a private array, "
                               "got a second one");
  }
  if (!write)
    return reads.empty()
               ? success()
               : array.emitOpError("expected a team to leave something in the "
                                   "private array that it reads");
  Operation *each = write->op->getParentOp();
  if (!isa<ParallelOp>(each) || !isa<TeamsOp>(each->getParentOp()))
    return write->op->emitOpError("expected each team to leave something in a "
                                  "private array, in no loop or branch");
  auto teams = cast<TeamsOp>(each->getParentOp());
  for (const LaneAccess &read : reads) {
    auto others = read.op->getParentOfType<TeamsOp>();
    if (others == teams || !DominanceInfo().properlyDominates(teams, others) ||
        others.getSpread() != teams.getSpread())
      return read.op->emitOpError("expected teams behind those that write the "
                                  "private array, with the same spread");
  }
  return success();
}

Value gnn::tile::getLeftVector(Value array) {
  for (Operation *user : array.getUsers())
    if (auto write = dyn_cast<vector::TransferWriteOp>(user))
      return write.getVector();
  return {};
}

//===----------------------------------------------------------------------===//
// Exchanges
//===----------------------------------------------------------------------===//

namespace {
/// The cause by which a value differs between the lanes of one warp.
enum Difference : unsigned { None = 0, ByTeam = 1, ByElement = 2 };

/// Finds exchanges in loops and branches that lanes of one warp run
/// differently. The result of a load differs where its indices do.
class ExchangeVerifier {
public:
  explicit ExchangeVerifier(TeamsOp teams)
      : lanes(teams.getSpread()), lanesOfWarp(getBlockLimits(teams).lanes) {}

  LogicalResult run(TeamsOp teams);

private:
  unsigned among(Worker over);
  unsigned leftBehind(Worker over, unsigned difference);
  unsigned of(ValueRange values);
  unsigned ofControl(Operation *op);
  void add(ValueRange values, unsigned difference);
  void visit(Operation *op);
  bool isExchange(Operation *op);

  SpreadAttr lanes;
  int64_t lanesOfWarp;
  llvm::DenseMap<Value, unsigned> differences;
  bool hasChanged = false;
};
} // namespace

/// The cause by which the number of a worker differs.
unsigned ExchangeVerifier::among(Worker over) {
  unsigned difference = None;
  if (over != Worker::Element && lanes.getTeams() > 1 &&
      lanes.getTeamLanes() < lanesOfWarp)
    difference |= ByTeam;
  if (over != Worker::Team && lanes.getElements() > 1)
    difference |= ByElement;
  return difference;
}

/// The difference that is left where workers have combined what they have.
unsigned ExchangeVerifier::leftBehind(Worker over, unsigned difference) {
  return over == Worker::Element ? difference & ~ByElement : None;
}

unsigned ExchangeVerifier::of(ValueRange values) {
  unsigned difference = None;
  for (Value value : values)
    difference |= differences.lookup(value);
  return difference;
}

/// The cause by which the steps of a loop, or the choice of a branch, differ.
unsigned ExchangeVerifier::ofControl(Operation *op) {
  return llvm::TypeSwitch<Operation *, unsigned>(op)
      .Case([&](scf::ForOp op) {
        return of({op.getLowerBound(), op.getUpperBound(), op.getStep()});
      })
      .Case([&](scf::IfOp op) { return of(op.getCondition()); })
      .Case([&](WalkOp op) {
        unsigned difference = of({op.getBegin(), op.getEnd()});
        return op.getInStep() ? difference & ~ByTeam : difference;
      })
      .Default([](Operation *) { return None; });
}

void ExchangeVerifier::add(ValueRange values, unsigned difference) {
  for (Value value : values) {
    unsigned &known = differences[value];
    hasChanged |= (known | difference) != known;
    known |= difference;
  }
}

void ExchangeVerifier::visit(Operation *op) {
  unsigned control = ofControl(op);
  auto yieldedBy = [](Region &region) {
    return region.empty() ? ValueRange()
                          : region.front().getTerminator()->getOperands();
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](scf::ForOp op) {
        add(op.getInductionVar(), control);
        for (auto [init, carried, next, result] :
             llvm::zip_equal(op.getInitArgs(), op.getRegionIterArgs(),
                             op.getYieldedValues(), op.getResults()))
          add({carried, result}, control | of({init, next}));
      })
      .Case([&](scf::IfOp op) {
        for (Region &region : op->getRegions())
          for (auto [result, value] :
               llvm::zip(op.getResults(), yieldedBy(region)))
            add(result, control | of(value));
      })
      .Case([&](ParallelOp op) {
        unsigned own = among(op.getOver());
        unsigned yielded = of(yieldedBy(op.getBody()));
        add(op.getBody().getArguments(), own);
        add(op.getCombine().getArguments(), own | yielded);
        add(op.getResults(), leftBehind(op.getOver(), yielded));
      })
      .Case([&](WalkOp op) {
        bool isShared = op.getSlots() > 1;
        unsigned own = of({op.getBegin(), op.getEnd()}) |
                       (isShared ? among(op.getOver()) : None);
        unsigned yielded =
            own | of(op.getIdentity()) | of(yieldedBy(op.getBody()));
        add(op.getBody().getArguments(), own);
        add(op.getCombine().getArguments(), yielded);
        add(op.getTogether().getArguments(), yielded);
        add(op.getResults(),
            isShared ? leftBehind(op.getOver(), yielded) : yielded);
      })
      .Case<AnyTeamOp, MostOfTeamsOp>([&](auto op) {
        add(op.getResult(), of(op->getOperands()) & ~ByTeam);
      })
      .Default(
          [&](Operation *op) { add(op->getResults(), of(op->getOperands())); });
}

/// Whether lanes pass values to each other, or wait for each other.
bool ExchangeVerifier::isExchange(Operation *op) {
  auto isOver = [&](Worker over) {
    return op->getNumResults() > 0 &&
           (over == Worker::Element ? lanes.getElements()
                                    : lanes.getThreads()) > 1;
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<vector::MultiDimReductionOp, ReduceEachOp>(
          [&](auto) { return lanes.getHeads() * lanes.getFeatures() > 1; })
      .Case([&](vector::ExtractOp op) {
        return lanes.getFeatures() > 1 &&
               op.getSourceVectorType().getNumElements() > 1;
      })
      .Case([&](vector::ExtractStridedSliceOp) {
        return lanes.getFeatures() > 1;
      })
      .Case<AnyTeamOp, MostOfTeamsOp>(
          [&](auto) { return lanes.getTeamLanes() < lanesOfWarp; })
      .Case([&](StageWindowOp) { return lanes.getThreads() > 1; })
      .Case([&](LoadNumbersOp op) { return areExchanged(op, lanes); })
      .Case([&](ParallelOp op) { return isOver(op.getOver()); })
      .Case(
          [&](WalkOp op) { return op.getSlots() > 1 && isOver(op.getOver()); })
      .Default([](Operation *) { return false; });
}

LogicalResult ExchangeVerifier::run(TeamsOp teams) {
  do {
    hasChanged = false;
    teams->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op != teams)
        visit(op);
    });
  } while (hasChanged);
  WalkResult walk = teams->walk([&](Operation *op) -> WalkResult {
    auto load = dyn_cast<LoadNumbersOp>(op);
    if (load && !isMultiple(load.getFirst(), LoadNumbersOp::together))
      return op->emitOpError("expected 'first' to be a multiple of ")
             << LoadNumbersOp::together;
    if (load && load.getTeam() && of(load.getFirst()) != None)
      return op->emitOpError("expected 'first' to be the same for all teams");
    if (op == teams || !isExchange(op))
      return success();
    for (Operation *around = op->getParentOp(); around != teams;
         around = around->getParentOp())
      if (unsigned difference = ofControl(around))
        return op->emitOpError("expected control flow that is the same for all "
                               "lanes of a warp around an exchange between "
                               "them, got '")
               << around->getName() << "' that differs by "
               << (difference & ByTeam ? "team, where a team is no whole warp"
                                       : "element");
    return success();
  });
  return failure(walk.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// All rules
//===----------------------------------------------------------------------===//

LogicalResult gnn::tile::verifyTeams(TeamsOp teams) {
  return failure(failed(verifyOwned(teams)) || failed(verifyArrays(teams)) ||
                 failed(verifyOverwritten(teams)) ||
                 failed(verifyUnwritten(teams)) ||
                 failed(ExchangeVerifier(teams).run(teams)));
}
