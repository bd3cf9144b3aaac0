//===- EdgeWalks.cpp - Elements in equal shares ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A team walks 64 elements that lie side by side, whatever groups they are of:
// each word of the stream has a row and says whether its group ends. Several
// are loaded at once; where none of them ends a group, there is no branch.
//
// What a team has of a group that began before its share, the head, and of one
// that goes on behind it, the tail, it leaves in workgroup memory. Then the team
// in which a group begins adds the heads behind its own tail. At a block's
// borders pieces are left. What begins where is known when the graph is bound
// (TeamShare in Lattice.h).
//
//===----------------------------------------------------------------------===//

#include "TraversalLoops.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

/// Arrays in workgroup memory, with an entry a team for each state.
SmallVector<Value> TraversalLoops::makeTeamArrays(TypeRange types) {
  auto space = gpu::AddressSpaceAttr::get(
      b.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  SmallVector<Value> arrays;
  for (Type type : types) {
    SmallVector<int64_t> shape{layout.rowsPerBlock};
    if (auto vector = dyn_cast<VectorType>(type))
      llvm::append_range(shape, vector.getShape());
    auto array = MemRefType::get(shape, getElementTypeOrSelf(type),
                                 MemRefLayoutAttrInterface(), space);
    arrays.push_back(ArrayOp::create(b, array, /*permuted=*/1));
  }
  return arrays;
}

SmallVector<Value> TraversalLoops::indicesOfTeam(Value array, Value team) {
  SmallVector<Value> indices{team};
  auto type = cast<MemRefType>(array.getType());
  indices.append(type.getRank() - 1, b.index(0));
  return indices;
}

void TraversalLoops::leave(ValueRange states, ArrayRef<Value> arrays,
                           Value team) {
  for (auto [state, array] : llvm::zip_equal(states, arrays)) {
    SmallVector<Value> indices = indicesOfTeam(array, team);
    auto vector = dyn_cast<VectorType>(state.getType());
    if (!vector) {
      memref::StoreOp::create(b, state, array, indices);
      continue;
    }
    SmallVector<bool> inBounds(vector.getRank(), true);
    auto type = cast<MemRefType>(array.getType());
    vector::TransferWriteOp::create(
        b, /*result=*/Type(), state, array, indices,
        AffineMapAttr::get(AffineMap::getMinorIdentityMap(
            type.getRank(), vector.getRank(), b.getContext())),
        /*mask=*/Value(), b.getBoolArrayAttr(inBounds));
  }
}

SmallVector<Value> TraversalLoops::take(TypeRange types,
                                        ArrayRef<Value> arrays, Value team) {
  SmallVector<Value> states;
  for (auto [of, array] : llvm::zip_equal(types, arrays)) {
    SmallVector<Value> indices = indicesOfTeam(array, team);
    auto vector = dyn_cast<VectorType>(of);
    if (!vector) {
      states.push_back(memref::LoadOp::create(b, array, indices));
      continue;
    }
    SmallVector<bool> inBounds(vector.getRank(), true);
    auto type = cast<MemRefType>(array.getType());
    states.push_back(vector::TransferReadOp::create(
        b, vector, array, indices,
        AffineMapAttr::get(AffineMap::getMinorIdentityMap(
            type.getRank(), vector.getRank(), b.getContext())),
        constant(vector.getElementType(), 0), /*mask=*/Value(),
        b.getBoolArrayAttr(inBounds)));
  }
  return states;
}

/// Stores the states of a piece.
void TraversalLoops::storePiece(Reductions reductions, ValueRange states,
                                Value piece) {
  SmallVector<Value> reduced = op.getReduced();
  for (auto [state, part, value] :
       llvm::zip_equal(states, op.getParts(), reduced))
    write(state, part, indicesOf(TraverseOp::getPartAt(value), piece),
          TraverseOp::getPartAt(value));
}

/// Stores the rows of a group whose elements are all there.
void TraversalLoops::finishGroup(Reductions reductions, Value group,
                                 ValueRange states,
                                 IndexArrays::ElementRange elements) {
  auto knownValues = rowValues;
  auto knownRows = rows;
  row = group;
  inside = Value();
  begin = elements.begin;
  end = elements.end;
  finishAll(reductions, states);
  storeGroup();
  rowValues = knownValues;
  rows = knownRows;
}

/// A field of what is known of a share.
Value TraversalLoops::fieldOf(Value share, TeamShare::Field field) {
  Value shares = arrays.get(StructureKey::shares(
      domain.getGroups().get().space, domain.getElements().get(),
      TraverseSchedule(op).getBlockPositions()));
  return b.loadIndex(shares, b.add(b.mul(share, TeamShare::NumFields), field));
}

Value TraversalLoops::hasFlag(Value flags, int64_t flag) {
  Value bit = arith::AndIOp::create(b, flags, b.index(flag));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, bit, b.index(0));
}

void TraversalLoops::walkByEdges() {
  SmallVector<Operation *> reductions;
  llvm::SetVector<Value> needs;
  SmallVector<unsigned> outputs;
  for (Operation &inner : op.getBody().front().without_terminator())
    if (reducesElements(&inner)) {
      for (Value operand : inner.getOperands())
        collectNeeds(operand, needs);
      reductions.push_back(&inner);
    }
  auto yield = cast<YieldOp>(op.getBody().front().getTerminator());
  for (auto [i, value] : llvm::enumerate(yield.getValues()))
    if (op.getOutputAt(i).getAnchor() == Anchor::Element) {
      collectNeeds(value, needs);
      outputs.push_back(i);
    }
  SmallVector<Type> types;
  for (Operation *reduction : reductions)
    for (Value result : reduction->getResults())
      types.push_back(typeAt(result.getType(), getLevel(result)));
  SmallVector<Value> heads = makeTeamArrays(types),
                     tails = makeTeamArrays(types), tailRows;
  if (!types.empty())
    tailRows = makeTeamArrays(b.getI32Type());
  Value firstShare =
      arith::DivUIOp::create(b, firstRow, b.index(TeamShare::elements));
  forTeams([&](Value team) {
    walkShare(reductions, needs.getArrayRef(), outputs, firstShare, team, heads,
              tails, tailRows);
  });
  if (!types.empty())
    forTeams([&](Value team) {
      handOver(reductions, types, firstShare, team, heads, tails, tailRows);
    });
}

/// Something that each team of the block does.
void TraversalLoops::forTeams(function_ref<void(Value)> body) {
  OpBuilder::InsertionGuard restore(b);
  auto teams = TeamsOp::create(b, getSpread());
  b.setInsertionPointToStart(teams.getBody());
  auto each = ParallelOp::create(b, TypeRange(), layout.rowsPerBlock,
                                 Worker::Team);
  Block &block = each.getBody().emplaceBlock();
  b.setInsertionPointToEnd(&block);
  body(block.addArgument(b.getIndexType(), b.getLoc()));
  YieldOp::create(b);
}

void TraversalLoops::walkShare(Reductions reductions, ArrayRef<Value> needs,
                               ArrayRef<unsigned> outputs, Value firstShare,
                               Value team, ArrayRef<Value> heads,
                               ArrayRef<Value> tails,
                               ArrayRef<Value> tailRows) {
  rowValues.clear();
  rows.clear();
  Space groups = domain.getGroups().get().space;
  OrderedSpace elements = domain.getElements().get();
  SmallVector<RowDomain> targets = op.getStreamTargets();
  Value filled = arrays.get(StructureKey::filled(groups, elements));
  Value last = b.sub(op.getEndRow(), b.index(1));
  // What does not vary by element.
  for (Value value : needs)
    if (!getLevel(value).element)
      (void)valueOf(value);
  SmallVector<Value> identities;
  for (Operation *reduction : reductions)
    llvm::append_range(identities, identitiesOf(reduction));

  Value share = b.add(firstShare, team);
  Value start = b.add(firstRow, b.mul(team, TeamShare::elements));
  SmallVector<Value> carried(identities);
  if (!reductions.empty()) {
    Value first = fieldOf(share, TeamShare::First);
    carried.push_back(first);
    carried.push_back(b.loadIndex(filled, first));
    carried.push_back(b.loadIndex(filled, b.add(first, 1)));
    carried.push_back(hasFlag(fieldOf(share, TeamShare::Flags), TeamShare::Inside));
    carried.push_back(start);
  }
  // States, the place in `filled`, that group, the next one, whether the group
  // began before the share, and else where.
  unsigned count = identities.size();
  int64_t inFlight = layout.inFlight;
  auto step = [&](Value offset, ValueRange carried) -> SmallVector<Value> {
    SmallVector<WalkPoint> points(inFlight);
    SmallVector<Value> positions, words, inside;
    for (auto [u, here] : llvm::enumerate(points)) {
      positions.push_back(b.add(b.add(start, offset), u));
      inside.push_back(outputs.empty()
                           ? Value()
                           : b.less(positions.back(), op.getEndRow()));
      here.position = b.min(positions.back(), last);
    }
    Value any;
    for (RowDomain target : llvm::reverse(targets)) { // the first says the ends
      words.clear();
      for (Value position : positions)
        words.push_back(arrays.wordAt(b, op, target, position));
      for (auto [word, here] : llvm::zip_equal(words, points))
        here.rows[target] = IndexArrays::rowOfWord(b, word);
    }
    for (Value word : words)
      any = any ? arith::OrIOp::create(b, any, word).getResult() : word;
    // Each operation for all elements before the next one: loads are issued
    // together.
    for (Value value : needs)
      if (getLevel(value).element)
        for (WalkPoint &here : points) {
          point = &here;
          (void)valueOf(value);
        }
    SmallVector<SmallVector<Value>> states(inFlight);
    for (Operation *reduction : reductions)
      for (auto [here, own] : llvm::zip_equal(points, states)) {
        point = &here;
        llvm::append_range(own, statesOf(reduction));
      }
    for (unsigned output : outputs)
      for (auto [here, isIn] : llvm::zip_equal(points, inside)) {
        point = &here;
        b.where(isIn, [&] { store(output); });
      }
    point = nullptr;
    if (reductions.empty())
      return {};
    Value zero = arith::ConstantIntOp::create(b, 0, 32);
    return choose(
        b.less(any, zero), carried,
        [&] { // some groups end
          SmallVector<Value> now(carried);
          for (auto [word, own, position] :
               llvm::zip_equal(words, states, positions)) {
            ValueRange before = ValueRange(now).take_front(count);
            llvm::copy(combineAll(reductions, before, own), now.begin());
            SmallVector<Value> whole(now);
            now = choose(
                b.less(word, zero), whole,
                [&] {
                  ValueRange states = ValueRange(whole).take_front(count);
                  Value behind = b.add(position, 1);
                  where(
                      whole[count + 3], [&] { leave(states, heads, team); },
                      [&] {
                        finishGroup(reductions, whole[count + 1], states,
                                    {whole[count + 4], behind});
                      });
                  SmallVector<Value> next(identities);
                  next.push_back(b.add(whole[count], 1));
                  next.push_back(whole[count + 2]);
                  next.push_back(b.loadIndex(filled, b.add(whole[count], 2)));
                  next.push_back(constant(b.getI1Type(), 0));
                  next.push_back(behind);
                  return next;
                },
                [&] { return whole; });
          }
          return now;
        },
        [&] {
          SmallVector<Value> now(carried);
          for (const SmallVector<Value> &own : states)
            llvm::copy(combineAll(reductions,
                                  ValueRange(now).take_front(count), own),
                       now.begin());
          return now;
        });
  };
  SmallVector<Value> left = b.loop(b.index(0), b.index(TeamShare::elements),
                                   b.index(inFlight), carried, step);
  if (reductions.empty())
    return;
  ValueRange states = ValueRange(left).take_front(count);
  where(
      left[count + 3], [&] { leave(states, heads, team); },
      [&] { leave(states, tails, team); });
  leave(b.toI32(left[count + 1]), tailRows, team);
}

void TraversalLoops::handOver(Reductions reductions, TypeRange types,
                              Value firstShare, Value team,
                              ArrayRef<Value> heads, ArrayRef<Value> tails,
                              ArrayRef<Value> tailRows) {
  rowValues.clear();
  rows.clear();
  Value share = b.add(firstShare, team);
  Value flags = fieldOf(share, TeamShare::Flags);
  Value piece = b.mul(
      arith::DivUIOp::create(
          b, firstRow, b.index(TraverseSchedule(op).getBlockPositions())),
      2);
  /// States with the heads of the teams from `first` to before `end`.
  auto addHeads = [&](ValueRange states, Value first, Value end) {
    return b.loop(first, end, b.index(1), states,
                  [&](Value other, ValueRange carried) {
                    return combineAll(reductions, carried,
                                      take(types, heads, other));
                  });
  };
  b.where(b.both(b.isZero(team), hasFlag(flags, TeamShare::Inside)), [&] {
    storePiece(reductions,
               addHeads(take(types, heads, team), b.index(1),
                        fieldOf(share, TeamShare::Span)),
               piece);
    b.where(hasFlag(flags, TeamShare::Whole), [&] { // nothing begins in the block
      SmallVector<Value> identities;
      for (Operation *reduction : reductions)
        llvm::append_range(identities, identitiesOf(reduction));
      storePiece(reductions, identities, b.add(piece, 1));
    });
  });
  b.where(hasFlag(flags, TeamShare::HasTail), [&] {
    Value next = b.add(team, 1);
    SmallVector<Value> states =
        addHeads(take(types, tails, team), next,
                 b.add(next, fieldOf(share, TeamShare::Heads)));
    where(
        hasFlag(flags, TeamShare::Crosses),
        [&] { storePiece(reductions, states, b.add(piece, 1)); },
        [&] {
          Value group = take(b.getI32Type(), tailRows, team).front();
          group = arith::IndexCastOp::create(b, b.getIndexType(), group);
          finishGroup(reductions, group, states,
                      arrays.elementsOf(b, domain.getGroups(),
                                        domain.getElements(), group));
        });
  });
}

/// A branch that gives as many values of the types of `like`.
SmallVector<Value>
TraversalLoops::choose(Value condition, ValueRange like,
                       function_ref<SmallVector<Value>()> then,
                       function_ref<SmallVector<Value>()> otherwise) {
  auto branch = scf::IfOp::create(b, like.getTypes(), condition,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(b, then());
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, otherwise());
  return branch.getResults();
}

void TraversalLoops::where(Value condition, function_ref<void()> then,
                           function_ref<void()> otherwise) {
  auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard restore(b);
  b.setInsertionPointToStart(branch.thenBlock());
  then();
  b.setInsertionPointToStart(branch.elseBlock());
  otherwise();
}
