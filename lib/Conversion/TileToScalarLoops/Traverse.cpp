//===- Traverse.cpp - A traversal as loops --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops, where operands lie, and values that are no reductions.
//
//===----------------------------------------------------------------------===//

#include "TraverseLoops.h"

#include "GNN/Dialect/Tile/IR/Combine.h"
#include "GNN/Dialect/Tile/IR/InPlace.h"
#include "GNN/Dialect/Tile/IR/Ranges.h"
#include "GNN/Dialect/Tile/IR/TraverseLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;
using namespace gnn::tile::scalar;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

static bool varies(Level level, Dim dim) {
  return dim == Dim::Element ? level.element
         : dim == Dim::Head  ? level.head
                             : level.feature;
}

Scope &scalar::home(Level level, Scope &scope) {
  return !scope.dim || varies(level, *scope.dim) ? scope
                                                 : home(level, *scope.outer);
}

Value scalar::positionOf(std::optional<Dim> dim, Scope &scope) {
  if (scope.dim == dim)
    return scope.at;
  return scope.outer ? positionOf(dim, *scope.outer) : Value();
}

/// The dimensions of an operand within its group, elements innermost: what does
/// not vary by them is computed outside.
static SmallVector<Dim> dimsOf(AtAttr at) {
  SmallVector<Dim> dims;
  for (Dim dim : {Dim::Head, Dim::Feature, Dim::Element})
    if (varies(getLevel(at), dim))
      dims.push_back(dim);
  return dims;
}

Positions TraverseLoops::range(Dim dim) {
  switch (dim) {
  case Dim::Element:
    return walked;
  case Dim::Head:
    return bounds.heads;
  case Dim::Feature:
    return bounds.columns;
  }
  llvm_unreachable("all dimensions are handled");
}

/// Builds at the end of the scope, which lies in front of the loop until that
/// is whole.
Values TraverseLoops::nest(Scope &scope, ArrayRef<Dim> dims, ValueRange init,
                           ScopeBody body) {
  if (dims.empty())
    return body(scope, init);
  auto ofDim = [&](Value at, ValueRange carried) {
    Operation *loop = b.getInsertionBlock()->getParentOp();
    scope.end = OpBuilder::InsertPoint(loop->getBlock(), loop->getIterator());
    Scope inner(&scope, dims.front(), at, b.saveInsertionPoint());
    return nest(inner, dims.drop_front(), carried, body);
  };
  Values left = loops.loop(range(dims.front()), init, ofDim);
  scope.end = b.saveInsertionPoint();
  return left;
}

//===----------------------------------------------------------------------===//
// Where operands lie
//===----------------------------------------------------------------------===//

Values TraverseLoops::indices(Scope &scope, AtAttr at) {
  Value row;
  if (at.getAnchor() == Anchor::Element)
    row = positionOf(Dim::Element, scope);
  else if (at.getAnchor() == Anchor::Group)
    row = positionOf(std::nullopt, scope);
  bool isStreamed = op.readsStreams() && op.isOnRange() &&
                    at.getAnchor() == Anchor::Element && at.getSpace() &&
                    needsMap(domain.getElements(), at.getSpace());
  if (isStreamed)
    row = IndexArrays::rowOfWord(
        b, loops.arrays.wordAt(b, op, at.getSpace(), row));
  else if (row)
    row = loops.arrays.reach(
        b, at, at.getStart(domain.getGroups(), domain.getElements()), row);
  return getIndices(b, at, row, positionOf(Dim::Head, scope),
                    positionOf(Dim::Feature, scope));
}

/// Row i of weights that are read the other way round is column i mod columns
/// of matrix i div columns.
Values TraverseLoops::indicesOfColumn(Scope &scope, Value buffer) {
  Value columns = b.index(cast<MemRefType>(buffer.getType()).getDimSize(2));
  Value group = positionOf(std::nullopt, scope);
  return {arith::DivUIOp::create(b, group, columns),
          positionOf(Dim::Feature, scope),
          arith::RemUIOp::create(b, group, columns)};
}

/// The columns of a row as an array has them that is their copy.
static AtAttr ofCopy(AtAttr at) {
  return at.from(-at.getHeadOffset(), -at.getOffset());
}

/// Another column of a row may be needed when one has been written. A number of
/// an element is read where it is written, and nowhere else.
void TraverseLoops::copyOverwritten(Scope &group) {
  for (OpOperand &output : op.getDpsInitsMutable()) {
    OpOperand *input = findOverwritten(op, output);
    if (!input)
      continue;
    AtAttr at = op.getAccess(*input);
    if (at.getAnchor() == Anchor::Element)
      continue;
    SmallVector<int64_t> shape;
    if (at.getHead())
      shape.push_back(domain.getHeads());
    if (at.getFeature())
      shape.push_back(domain.getFeatures());
    Value copy =
        loops.array(shape, getElementTypeOrSelf(input->get().getType()));
    nest(group, dimsOf(at), {}, [&](Scope &scope, ValueRange) {
      Values from = indices(scope, at);
      Values to = indices(scope, ofCopy(at));
      loops.store(loops.load(input->get(), from), copy,
                  ArrayRef(to).drop_front());
      return Values();
    });
    copies[input->getOperandNumber()] = copy;
  }
}

void TraverseLoops::store(Scope &group, unsigned output) {
  AtAttr at = op.getOutputAt(output);
  Value yielded = op.getBody().front().getTerminator()->getOperand(output);
  nest(group, dimsOf(at), {}, [&](Scope &scope, ValueRange) {
    Value value = evaluate(yielded, scope);
    Values to = indices(scope, at);
    if (isInWorkgroup(op.getOutputs()[output])) // the rows of the range alone
      to.front() = b.sub(to.front(), op.getFirstRow());
    if (addsToRows)
      memref::AtomicRMWOp::create(b, arith::AtomicRMWKind::addf, value,
                                  op.getOutputs()[output], to);
    else
      loops.store(value, op.getOutputs()[output], to);
    return Values();
  });
}

/// The group at a position: blocks may take the rows of high degree first.
Value TraverseLoops::groupAt(Value position) {
  RowDomain groups = domain.getGroups();
  if (op.joinsPieces())
    return b.loadIndex(loops.arrays.get(op.getPartsOf()->getTiles()),
                       IndexArrays::firstOfTile(b, position));
  std::optional<TakenOrder> order = TraverseSchedule(op).rowOrder;
  std::optional<StructureKey> key =
      getOrderKey(groups, order.value_or(TakenOrder::Natural));
  if (!op.isOnRange() || !key)
    return position;
  auto natural = AtAttr::get(op.getContext(), Anchor::Group, groups,
                             /*head=*/false, /*feature=*/false, 0);
  return loops.arrays.reach(b, natural, RowDomain(key->elements), position);
}

/// A long group has parts and walks no elements, any other one has no parts; a
/// group that has pieces has these alone.
void TraverseLoops::locateParts(Value group, Value position) {
  walked = elements;
  if (!op.getPartsOf())
    return;
  if (op.joinsPieces()) {
    Value list = loops.arrays.get(op.getPartsOf()->getTiles());
    Value entry = IndexArrays::firstOfTile(b, position);
    parts = {b.loadIndex(list, b.add(entry, 1)),
             b.loadIndex(list, b.add(entry, 2))};
    walked.end = walked.begin;
    return;
  }
  Value isLong =
      b.less(b.index(op.getLongLength()), b.sub(elements.end, elements.begin));
  parts =
      loops.arrays.elementsOf(b, domain.getGroups(), *op.getPartsOf(), group);
  parts.end = arith::SelectOp::create(b, isLong, parts.end, parts.begin);
  walked.end = arith::SelectOp::create(b, isLong, elements.begin, elements.end);
}

void TraverseLoops::storeOutputs(Value at,
                                 function_ref<bool(Anchor)> isStored) {
  Scope group(nullptr, std::nullopt, at, b.saveInsertionPoint());
  copyOverwritten(group);
  for (unsigned i = 0; i < op.getOutputs().size(); ++i)
    if (isStored(op.getOutputAt(i).getAnchor()))
      store(group, i);
}

/// Stores the states of each reduction over the elements that are walked.
void TraverseLoops::storePieces(Value at, Value piece) {
  Scope group(nullptr, std::nullopt, at, b.saveInsertionPoint());
  for (auto [reduced, part] : llvm::zip(op.getReduced(), op.getParts()))
    nest(group, dimsOf(TraverseOp::getPartAt(reduced)), {},
         [&, reduced = reduced, part = part](Scope &scope, ValueRange) {
           Value value = evaluate(reduced, scope);
           loops.store(value, part,
                       getIndices(b, TraverseOp::getPartAt(reduced), piece,
                                  positionOf(Dim::Head, scope),
                                  positionOf(Dim::Feature, scope)));
           return Values();
         });
}

/// Stores the states of no elements.
void TraverseLoops::storeNothing(Value piece) {
  Positions before = walked;
  walked = {b.index(0), b.index(0)};
  isOfNothing = true;
  storePieces(b.index(0), piece);
  isOfNothing = false;
  walked = before;
}

/// Each group by itself that has elements in the block: all of them, or a
/// piece.
void TraverseLoops::walkBlock(Positions block) {
  int64_t size = TraverseSchedule(op).getBlockPositions();
  auto ofElements = [](Anchor anchor) { return anchor == Anchor::Element; };
  auto ofGroups = [](Anchor anchor) { return anchor != Anchor::Element; };
  loops.loop(bounds.groups, [&](Value at) {
    elements = loops.arrays.elementsOf(b, domain.getGroups(),
                                       domain.getElements(), at);
    walked = {arith::MaxSIOp::create(b, elements.begin, block.begin),
              b.min(elements.end, block.end)};
    Value isBefore = b.less(elements.begin, block.begin);
    Value isBehind = b.less(block.end, elements.end);
    Value isCut = arith::OrIOp::create(b, isBefore, isBehind);
    Value isWhole =
        arith::XOrIOp::create(b, isCut, arith::ConstantIntOp::create(b, 1, 1));
    b.where(b.less(walked.begin, walked.end), [&] {
      storeOutputs(at, ofElements);
      b.where(isWhole, [&] { storeOutputs(at, ofGroups); });
      b.where(isCut, [&] {
        if (TraverseSchedule(op).merge == Merge::Atomic) {
          addsToRows = true;
          storeOutputs(at, ofGroups);
          addsToRows = false;
          return;
        }
        Value piece =
            b.mul(arith::DivUIOp::create(b, block.begin, b.index(size)), 2);
        Value tail = b.add(piece, 1);
        storePieces(at, arith::SelectOp::create(b, isBefore, piece, tail));
        b.where(arith::AndIOp::create(b, isBefore, isBehind),
                [&] { storeNothing(tail); });
      });
    });
  });
}

/// Each element of the block by itself, whose group is at the end of a map.
void TraverseLoops::walkElements(Positions block) {
  RowDomain groups = domain.getGroups();
  auto toGroup = AtAttr::get(op.getContext(), Anchor::Element, groups,
                             /*head=*/false, /*feature=*/false, /*offset=*/0);
  bool needsGroup = llvm::is_contained(op.getMapTargets(), groups);
  loops.loop(block, [&](Value position) {
    Value at = needsGroup ? loops.arrays.reach(b, toGroup, domain.getElements(),
                                               position)
                          : b.index(0);
    elements = walked = {position, b.add(position, 1)};
    storeOutputs(at, [](Anchor anchor) { return anchor == Anchor::Element; });
  });
}

void TraverseLoops::run() {
  if (op.isCyclic() && op.isOnRange())
    return walkElements(bounds.rows);
  if (op.isByEdges() && (op.isOnRange() || op.getPartsOf())) {
    int64_t size = TraverseSchedule(op).getBlockPositions();
    b.loop(bounds.rows.begin, bounds.rows.end, b.index(size), [&](Value first) {
      walkBlock({first, b.min(b.add(first, size), bounds.rows.end)});
    });
    return;
  }
  loops.loop(bounds.rows, [&](Value position) {
    Value at = groupAt(position);
    if (domain.getElements()) {
      elements = loops.arrays.elementsOf(b, domain.getGroups(),
                                         domain.getElements(), at);
      locateParts(at, position);
    }
    storeOutputs(at, [](Anchor) { return true; });
  });
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value TraverseLoops::evaluate(Value value, Scope &scope) {
  Scope &at = home(getLevel(value), scope);
  if (Value known = at.values.lookup(value))
    return known;
  OpBuilder::InsertionGuard restore(b);
  b.restoreInsertionPoint(at.end);
  if (auto argument = dyn_cast<BlockArgument>(value))
    return at.values[value] = load(argument, at);
  compute(value.getDefiningOp(), value, at);
  return at.values.lookup(value);
}

void TraverseLoops::compute(Operation *inner, Value value, Scope &scope) {
  llvm::TypeSwitch<Operation *>(inner)
      .Case([&](ReduceOp op) { scope.values[value] = reduce(op, scope); })
      .Case([&](FoldOp op) { fold(op, cast<OpResult>(value), scope); })
      .Case([&](ArgReduceOp op) { argReduce(op, scope); })
      .Case([&](SoftmaxSumOp op) {
        scope.values[value] = softmaxSum(op, cast<OpResult>(value), scope);
      })
      .Case([&](IndexOp op) {
        scope.values[value] = b.toI32(indices(scope, op.getAt()).back());
      })
      .Case([&](SizeOp) {
        scope.values[value] = arith::SIToFPOp::create(
            b, value.getType(), b.toI32(b.sub(elements.end, elements.begin)));
      })
      .Default([&](Operation *inner) {
        IRMapping mapping;
        for (Value operand : inner->getOperands())
          mapping.map(operand, evaluate(operand, scope));
        Operation *copy = b.clone(*inner, mapping);
        for (auto [result, computed] :
             llvm::zip(inner->getResults(), copy->getResults()))
          scope.values[result] = computed;
      });
}

Value TraverseLoops::load(BlockArgument argument, Scope &scope) {
  unsigned number = argument.getArgNumber();
  AtAttr at = op.getInputAt(number);
  Value buffer = op.getInputs()[number];
  if (at.getColumn())
    return loops.load(buffer, indicesOfColumn(scope, buffer));
  if (Value copy = copies.lookup(number))
    return loops.load(copy, ArrayRef(indices(scope, ofCopy(at))).drop_front());
  return loops.load(buffer, indices(scope, at));
}

void gnn::tile::scalar::buildLoops(TraverseOp op, Loops &loops,
                                   const Bounds &bounds) {
  TraverseLoops(op, loops, bounds).run();
}
