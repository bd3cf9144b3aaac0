//===- EdgeWalks.cpp - Elements in equal shares ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A team walks 64 elements that lie side by side, whatever groups they are of:
// each word of the stream has a row and says whether its group ends. Several
// are loaded at once; where none of them ends a group, there is no branch.
//
// A team leaves the head, its part of a group that began before its share, in
// workgroup memory, and keeps the tail, that of one that goes on behind it.
// Then the team in which a group begins adds the heads behind its own tail. At
// a block's borders pieces are left. The places where groups begin are known
// when the graph is bound (TeamShare in Lattice.h).
//
//===----------------------------------------------------------------------===//

#include "EdgeWalks.h"

#include "../Utils/LongSums.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

//===----------------------------------------------------------------------===//
// Values of the body
//===----------------------------------------------------------------------===//

void EdgeWalk::collect() {
  llvm::SetVector<Value> needs;
  for (Operation &inner : op.getBody().front().without_terminator())
    if (reducesElements(&inner)) {
      for (Value operand : inner.getOperands())
        collectNeeds(operand, needs);
      reductions.push_back(&inner);
      for (Value result : inner.getResults())
        types.push_back(typeAt(result.getType(), getLevel(result)));
    }
  auto yield = cast<YieldOp>(op.getBody().front().getTerminator());
  for (auto [i, value] : llvm::enumerate(yield.getValues()))
    if (op.getOutputAt(i).getAnchor() == Anchor::Element) {
      collectNeeds(value, needs);
      outputs.push_back(i);
    }
  collectNumbers(needs);
  for (Value value : needs) {
    bool isOfElement = getLevel(value).element;
    if (isOfGroup(op, value))
      (isOfElement ? ofBoth : ofGroup).push_back(value);
    else
      (isOfElement ? ofElement : fixed).push_back(value);
  }
}

void EdgeWalk::run() {
  collect();
  if (op.isCyclic())
    return forTeams([&](Value team) { walkCyclic(team); });
  if (layout.addsAtomically)
    return forTeams([&](Value team) { walkShare(team); });
  heads = makeArrays(types, gpu::AddressSpace::Workgroup);
  tails = makeArrays(types, gpu::AddressSpace::Private);
  if (!types.empty())
    tailGroups = makeArrays(b.getI32Type(), gpu::AddressSpace::Private);
  forTeams([&](Value team) { walkShare(team); });
  if (!types.empty())
    forTeams([&](Value team) { handOver(team); });
}

/// Something that each team of the block does.
void EdgeWalk::forTeams(function_ref<void(Value)> body) {
  OpBuilder::InsertionGuard restore(b);
  auto teams = TeamsOp::create(b, getSpread());
  b.setInsertionPointToStart(teams.getBody());
  auto each =
      ParallelOp::create(b, TypeRange(), layout.rowsPerBlock, Worker::Team);
  Block &block = each.getBody().emplaceBlock();
  b.setInsertionPointToEnd(&block);
  rowValues.clear();
  rows.clear();
  body(block.addArgument(b.getIndexType(), b.getLoc()));
  YieldOp::create(b);
}

//===----------------------------------------------------------------------===//
// A share
//===----------------------------------------------------------------------===//

Carried EdgeWalk::start(Value share, Value first) {
  Carried carried;
  carried.states = statesOfGroup(first);
  carried.place = fieldOf(share, TeamShare::First);
  carried.group = filledAt(carried.place);
  carried.next = filledAt(b.add(carried.place, 1));
  carried.isHead = hasFlag(fieldOf(share, TeamShare::Flags), TeamShare::Inside);
  if (facts.needsSizes)
    carried.begin = first;
  carried.groupValues = valuesOfGroup(carried.group);
  if (loadsGroupsAhead()) {
    carried.second = filledAt(b.add(carried.place, 2));
    carried.nextValues = valuesOfGroup(carried.next);
  }
  return carried;
}

/// The values that elements need of a group.
SmallVector<Value> EdgeWalk::valuesOfGroup(Value group) {
  for (Value value : ofGroup)
    rowValues.erase(value);
  rows.clear();
  row = group;
  if (llvm::any_of(ofGroup, [](Value value) {
        return isa_and_nonnull<SizeOp>(value.getDefiningOp());
      })) {
    IndexArrays::ElementRange elements =
        arrays.elementsOf(b, domain.getGroups(), domain.getElements(), row);
    begin = elements.begin;
    end = elements.end;
  }
  Values values;
  for (Value value : ofGroup)
    values.push_back(valueOf(value));
  rows.clear();
  return values;
}

void EdgeWalk::walkShare(Value team) {
  for (Value value : fixed)
    (void)valueOf(value);
  Value first = b.add(firstRow, b.mul(team, TeamShare::elements));
  Value share = shareOf(team);
  Carried before = start(share, first);
  before.states = takeApart(before.states);
  Values carried = before.pack(b);
  size_t count = carried.size();
  if (loadsWordsAhead())
    llvm::append_range(carried, loadWords(share, b.number32(0)));
  auto at = [&](Value offset) {
    return b.add(first,
                 arith::IndexCastUIOp::create(b, b.getIndexType(), offset));
  };
  Value inFlight = b.number32(layout.inFlight);
  Value last = b.number32(TeamShare::elements - layout.inFlight);
  teamOfStep = team;
  auto body = [&](Value offset, ValueRange all) {
    stepOfBlock = b.add(
        firstRow, arith::IndexCastUIOp::create(b, b.getIndexType(), offset));
    Values own(all.drop_front(count)), ahead;
    if (own.empty())
      own = loadWords(share, offset);
    else // those of the next step, in front of this one's rows
      ahead = loadWords(share, b.min(b.add(offset, inFlight), last));
    Values left =
        step(at(offset), before.unpack(b, all.take_front(count)), own, team);
    llvm::append_range(left, ahead);
    return left;
  };
  Values left = b.loop(b.number32(0), b.number32(TeamShare::elements), inFlight,
                       carried, body);
  if (types.empty())
    return;
  Carried now = before.unpack(b, ValueRange(left).take_front(count));
  now.states = putTogether(now.states);
  if (layout.addsAtomically)
    return addLast(now, team);
  b.where(now.isHead, [&] { leave(now.states, heads, team); });
  leave(now.states, tails, team);
  leave(b.toI32(now.group), tailGroups, team);
}

/// The words of each stream of the elements of a share from `offset` on.
SmallVector<Value> EdgeWalk::loadWords(Value share, Value offset) {
  Values loaded;
  for (RowDomain target : op.getStreamTargets())
    llvm::append_range(loaded,
                       arrays.wordsOf(b, op, target, share, offset,
                                      layout.inFlight, loadsWholeLines()));
  return loaded;
}

//===----------------------------------------------------------------------===//
// Heads and tails of teams
//===----------------------------------------------------------------------===//

/// How two states are combined, as a region would say it.
void EdgeWalk::makeCombine(Block &block) {
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPointToEnd(&block);
  for (unsigned i = 0; i < 2; ++i)
    for (Type type : types)
      block.addArgument(type, b.getLoc());
  ValueRange states = block.getArguments();
  llvm::SaveAndRestore ofRegion(rowValues);
  YieldOp::create(b, combineAll(reductions, states.take_front(types.size()),
                                states.drop_front(types.size())));
}

void EdgeWalk::handOver(Value team) {
  Value share = shareOf(team);
  Value flags = fieldOf(share, TeamShare::Flags);
  Value block = arith::DivUIOp::create(
      b, firstRow, b.index(TraverseSchedule(op).getBlockPositions()));
  Value head = b.mul(block, 2), tail = b.add(head, 1); // the block's pieces
  // Narrow rows have so many teams that one after the other is a long sum.
  Block both;
  makeCombine(both);
  LongStates all(both);
  bool isLong = layout.addsSharesInParts() && !all.areShort();
  /// States with the heads of the teams from `first` to before `end`.
  auto addHeads = [&](ValueRange states, Value first, Value end) {
    auto add = [&](Value other, ValueRange carried) {
      Values head = take(types, heads, other);
      return isLong ? all.add(b, carried, head)
                    : combineAll(reductions, carried, head);
    };
    if (!isLong)
      return b.loop(first, end, b.index(1), states, add);
    return all.join(b,
                    b.loop(first, end, b.index(1), all.start(b, states), add));
  };
  b.where(b.both(b.isZero(team), hasFlag(flags, TeamShare::Inside)), [&] {
    storePiece(addHeads(take(types, heads, team), b.index(1),
                        fieldOf(share, TeamShare::Span)),
               head);
    // Nothing begins in the block.
    b.where(hasFlag(flags, TeamShare::Whole),
            [&] { storePiece(identities(), tail); });
  });
  b.where(hasFlag(flags, TeamShare::HasTail), [&] {
    Value next = b.add(team, 1);
    Values states = addHeads(take(types, tails, team), next,
                             b.add(next, fieldOf(share, TeamShare::Heads)));
    where(
        hasFlag(flags, TeamShare::Crosses), [&] { storePiece(states, tail); },
        [&] {
          Value group = arith::IndexCastOp::create(
              b, b.getIndexType(),
              take(b.getI32Type(), tailGroups, team).front());
          finishGroup(group, states,
                      arrays.elementsOf(b, domain.getGroups(),
                                        domain.getElements(), group));
        });
  });
}

/// Stores the rows of a group whose elements are all there.
void EdgeWalk::finishGroup(Value group, ValueRange states,
                           IndexArrays::ElementRange elements) {
  llvm::SaveAndRestore ofGroupAlone(rowValues);
  llvm::SaveAndRestore rowsAlone(rows);
  for (Value value : ofGroup)
    rowValues.erase(value);
  rows.clear();
  row = group;
  inside = Value();
  begin = elements.begin;
  end = elements.end;
  finishAll(reductions, states);
  storeGroup();
}

void EdgeWalk::storePiece(ValueRange states, Value piece) {
  for (auto [state, part, value] :
       llvm::zip_equal(states, op.getParts(), op.getReduced())) {
    AtAttr at = TraverseOp::getPartAt(value);
    write(state, part, indicesOf(at, piece), at);
  }
}

SmallVector<OpResult> EdgeWalk::results() {
  SmallVector<OpResult> all;
  for (Operation *reduction : reductions)
    llvm::append_range(all, reduction->getOpResults());
  return all;
}

/// States before the first element of a group, or of its part here. Branches
/// ask for them: an identity of a fold that is computed there is not known
/// behind it.
SmallVector<Value> EdgeWalk::statesOfGroup(Value first) {
  llvm::SaveAndRestore ofBranch(rowValues);
  Values all;
  for (Operation *reduction : reductions)
    llvm::append_range(all, statesFrom(reduction, first));
  return all;
}

SmallVector<Value> EdgeWalk::identities() {
  llvm::SaveAndRestore ofBranch(rowValues);
  Values all;
  for (Operation *reduction : reductions)
    llvm::append_range(all, identitiesOf(reduction));
  return all;
}

/// Arrays with an entry a team.
SmallVector<Value> EdgeWalk::makeArrays(TypeRange types,
                                        gpu::AddressSpace memory) {
  auto space = gpu::AddressSpaceAttr::get(b.getContext(), memory);
  Values made;
  for (Type type : types) {
    SmallVector<int64_t> shape{layout.rowsPerBlock};
    if (auto vector = dyn_cast<VectorType>(type))
      llvm::append_range(shape, vector.getShape());
    auto array = MemRefType::get(shape, getElementTypeOrSelf(type),
                                 MemRefLayoutAttrInterface(), space);
    made.push_back(ArrayOp::create(b, array, /*permuted=*/1));
  }
  return made;
}

/// Where the entry of a team begins.
static SmallVector<Value> entryOf(IndexBuilder &b, Value array, Value team) {
  SmallVector<Value> indices{team};
  indices.append(cast<MemRefType>(array.getType()).getRank() - 1, b.index(0));
  return indices;
}

/// The innermost dimensions of an array, as many as a vector has.
static AffineMapAttr innermost(Value array, VectorType vector) {
  return AffineMapAttr::get(vector::getTransferMinorIdentityMap(
      cast<MemRefType>(array.getType()), vector));
}

void EdgeWalk::leave(ValueRange states, ArrayRef<Value> arrays, Value team) {
  for (auto [state, array] : llvm::zip_equal(states, arrays)) {
    auto vector = dyn_cast<VectorType>(state.getType());
    if (!vector) {
      memref::StoreOp::create(b, state, array, entryOf(b, array, team));
      continue;
    }
    SmallVector<bool> inBounds(vector.getRank(), true);
    vector::TransferWriteOp::create(b, /*result=*/Type(), state, array,
                                    entryOf(b, array, team),
                                    innermost(array, vector), /*mask=*/Value(),
                                    b.getBoolArrayAttr(inBounds));
  }
}

SmallVector<Value> EdgeWalk::take(TypeRange types, ArrayRef<Value> arrays,
                                  Value team) {
  Values states;
  for (auto [type, array] : llvm::zip_equal(types, arrays)) {
    auto vector = dyn_cast<VectorType>(type);
    if (!vector) {
      states.push_back(
          memref::LoadOp::create(b, array, entryOf(b, array, team)));
      continue;
    }
    SmallVector<bool> inBounds(vector.getRank(), true);
    states.push_back(vector::TransferReadOp::create(
        b, vector, array, entryOf(b, array, team), innermost(array, vector),
        constant(vector.getElementType(), 0), /*mask=*/Value(),
        b.getBoolArrayAttr(inBounds)));
  }
  return states;
}

//===----------------------------------------------------------------------===//
// Fields of shares and groups
//===----------------------------------------------------------------------===//

Value EdgeWalk::shareOf(Value team) {
  return b.add(
      arith::DivUIOp::create(b, firstRow, b.index(TeamShare::elements)), team);
}

/// A field of what is known of a share.
Value EdgeWalk::fieldOf(Value share, TeamShare::Field field) {
  Value shares = arrays.get(StructureKey::shares(
      domain.getGroups().get().space, domain.getElements().get(),
      TraverseSchedule(op).getBlockPositions()));
  return b.loadIndex(shares, b.add(b.mul(share, TeamShare::NumFields), field));
}

Value EdgeWalk::hasFlag(Value flags, int64_t flag) {
  Value bit = arith::AndIOp::create(b, flags, b.index(flag));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, bit, b.index(0));
}

/// The group at a place of the list of those with elements.
Value EdgeWalk::filledAt(Value place) {
  return b.loadIndex(
      arrays.get(StructureKey::filled(domain.getGroups().get().space,
                                      domain.getElements().get())),
      place);
}

std::string EdgeWalk::describe() {
  if (op.isCyclic())
    return ", in turns";
  std::string text;
  if (loadsWordsAhead())
    text += ", the next words ahead";
  if (loadsGroupsAhead())
    text += ", values of the next group ahead";
  if (loadsWholeLines() && layout.inFlight % TeamShare::wordsTogether == 0)
    text += ", words that are loaded once";
  if (loadsShares() && llvm::any_of(ofElement, [&](Value value) {
        auto argument = dyn_cast<BlockArgument>(value);
        return argument &&
               op.getInputAt(argument.getArgNumber()).isInOrderOf(domain) &&
               getNumbersOf(argument, typeAt(value.getType(), getLevel(value)));
      }))
    text += ", numbers of shares by adjacent lanes";
  return text;
}

std::string gnn::tile::lowerEdgeWalk(TraverseOp op,
                                     const TraverseLayout &layout) {
  EdgeWalk walk(op, layout);
  walk.run();
  return walk.describe();
}
