//===- Traverse.cpp - A traversal as loops --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value of the body is computed by recursion where it is needed, in the
// innermost of the loops that it varies by, once a turn of it. A reduction is a
// loop of its own.
//
//===----------------------------------------------------------------------===//

#include "ScalarLoops.h"

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

/// The arithmetic of a region, of those of its values that are asked for:
/// `mapping` holds its arguments.
static Value cloneValue(OpBuilder &builder, Value value, IRMapping &mapping) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    cloneValue(builder, operand, mapping);
  builder.clone(*op, mapping);
  return mapping.lookup(value);
}

namespace {
/// A loop around what is built; the outermost one is that over groups.
struct Scope {
  Scope(Scope *outer, std::optional<Dim> dim, Value at,
        OpBuilder::InsertPoint end)
      : outer(outer), dim(dim), at(at), end(end) {}

  Scope *outer;
  std::optional<Dim> dim; ///< none: the groups
  Value at;
  /// Where the loop's body ends, as far as it is built.
  OpBuilder::InsertPoint end;
  /// What is known in it.
  llvm::DenseMap<Value, Value> values;
};

using Values = SmallVector<Value>;
using ScopeBody = llvm::function_ref<Values(Scope &, ValueRange carried)>;

class TraverseLoops {
public:
  TraverseLoops(TraverseOp op, Loops &loops, const Bounds &bounds)
      : op(op), loops(loops), b(loops.b), bounds(bounds),
        domain(op.getDomain()) {}

  void run();

private:
  // Loops.
  Positions range(Dim dim);
  Values nest(Scope &scope, ArrayRef<Dim> dims, ValueRange init,
              ScopeBody body);

  // Where operands lie.
  RowDomain domainOf(AtAttr at) {
    return at.getStart(domain.getGroups(), domain.getElements());
  }
  Values indices(Scope &scope, AtAttr at);
  Values indicesOfColumn(Scope &scope, Value buffer);
  Value groupAt(Value position);
  void locateParts(Value group, Value position);
  void copyOverwritten(Scope &group);
  void store(Scope &group, unsigned output);
  void storeOutputs(Value at, llvm::function_ref<bool(Anchor)> isStored);

  // Elements of a block, whatever groups they are of.
  void walkBlock(Positions block);
  void storePieces(Value at, Value piece);
  void storeNothing(Value piece);

  // Values.
  Value evaluate(Value value, Scope &scope);
  void compute(Operation *inner, Value value, Scope &scope);
  Value load(BlockArgument argument, Scope &scope);
  Value reduce(ReduceOp op, Scope &scope);
  Values addParts(Scope &scope, ValueRange states, ArrayRef<Value> reduced,
                  llvm::function_ref<Values(ValueRange, ValueRange)> add);
  Value sizeOf(Dim dim, Type type);
  Value divide(Value sum, ArrayRef<Dim> dims);
  Value unlessEmpty(Value value, int64_t otherwise);
  void fold(FoldOp op, OpResult result, Scope &scope);
  void argReduce(ArgReduceOp op, Scope &scope);

  TraverseOp op;
  Loops &loops;
  IndexBuilder &b;
  const Bounds &bounds;
  DomainAttr domain;
  /// The elements of the group, those that are walked, and the parts that a
  /// long group is made of.
  Positions elements, walked, parts;
  /// Whether what no elements give is asked for, of a group that has some.
  bool isOfNothing = false;
  /// Of inputs that are outputs too: their row, before it is written.
  llvm::DenseMap<unsigned, Value> copies;
};
} // namespace

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

static bool varies(Level level, Dim dim) {
  return dim == Dim::Element ? level.element
         : dim == Dim::Head  ? level.head
                             : level.feature;
}

/// The innermost loop around `scope`, or it itself, that a value of this level
/// varies by.
static Scope &home(Level level, Scope &scope) {
  return !scope.dim || varies(level, *scope.dim) ? scope
                                                 : home(level, *scope.outer);
}

/// Where the loop over `dim`, or over the groups, is; null if there is none.
static Value positionOf(std::optional<Dim> dim, Scope &scope) {
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

static SmallVector<Dim> dimsOf(ReduceOp op) {
  return llvm::map_to_vector(op.getDims(),
                             [](int32_t dim) { return static_cast<Dim>(dim); });
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
  bool isStreamed = op.isByEdges() && op.isOnRange() &&
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

/// Another column of a row may be needed when one has been written.
void TraverseLoops::copyOverwritten(Scope &group) {
  for (OpOperand &output : op.getDpsInitsMutable()) {
    OpOperand *input = findOverwritten(op, output);
    if (!input)
      continue;
    AtAttr at = op.getAccess(*input);
    SmallVector<int64_t> shape;
    if (at.getHead())
      shape.push_back(domain.getHeads());
    if (at.getFeature())
      shape.push_back(domain.getFeatures());
    Value copy =
        loops.array(shape, getElementTypeOrSelf(input->get().getType()));
    nest(group, dimsOf(at), {}, [&](Scope &scope, ValueRange) {
      Values from = indices(scope, at);
      loops.store(loops.load(input->get(), from), copy,
                  ArrayRef(from).drop_front());
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
  if (!op.isOnRange() || TraverseSchedule(op).rowOrder == TakenOrder::Natural)
    return position;
  auto natural = AtAttr::get(op.getContext(), Anchor::Group, groups,
                             /*head=*/false, /*feature=*/false, 0);
  RowDomain taken(groups.get().space, RowOrder::ByDegree);
  return loops.arrays.reach(b, natural, taken, position);
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

/// What the elements that are walked give for each reduction.
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

/// What no elements give.
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

void TraverseLoops::run() {
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
  Values from = indices(scope, at);
  if (Value copy = copies.lookup(number))
    return loops.load(copy, ArrayRef(from).drop_front());
  return loops.load(buffer, from);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// `value`, or a constant where the group has no elements.
Value TraverseLoops::unlessEmpty(Value value, int64_t otherwise) {
  if (isOfNothing) // of a group that has some elsewhere
    return value;
  Type type = value.getType();
  TypedAttr constant =
      isa<FloatType>(type)
          ? TypedAttr(b.getFloatAttr(type, static_cast<double>(otherwise)))
          : b.getIntegerAttr(type, otherwise);
  return arith::SelectOp::create(b, b.less(elements.begin, elements.end), value,
                                 arith::ConstantOp::create(b, constant));
}

/// Adds what the parts have of results of a reduction, one after the other, to
/// these states.
Values
TraverseLoops::addParts(Scope &scope, ValueRange states,
                        ArrayRef<Value> reduced,
                        function_ref<Values(ValueRange, ValueRange)> add) {
  if (!op.getPartsOf() || op.isByEdges())
    return Values(states);
  Values all = op.getReduced();
  return loops.loop(parts, states, [&](Value part, ValueRange carried) {
    Values values;
    for (Value result : reduced)
      values.push_back(
          loops.load(op.getParts()[llvm::find(all, result) - all.begin()],
                     getIndices(b, TraverseOp::getPartAt(result), part,
                                positionOf(Dim::Head, scope),
                                positionOf(Dim::Feature, scope))));
    return add(carried, values);
  });
}

/// The size of a dimension, at least 1, as a float.
Value TraverseLoops::sizeOf(Dim dim, Type type) {
  Positions range = dim == Dim::Element ? elements : this->range(dim);
  Value count = b.sub(range.end, range.begin);
  count = arith::MaxSIOp::create(b, count, b.index(1));
  return arith::SIToFPOp::create(b, type, b.toI32(count));
}

/// A mean of nothing is 0.
Value TraverseLoops::divide(Value sum, ArrayRef<Dim> dims) {
  for (Dim dim : dims)
    sum = arith::DivFOp::create(b, sum, sizeOf(dim, sum.getType()));
  return sum;
}

Value TraverseLoops::reduce(ReduceOp op, Scope &scope) {
  Type type = op.getType();
  arith::AtomicRMWKind kind = getReductionKind(op.getKind(), type);
  bool isSum = kind == arith::AtomicRMWKind::addf;
  SmallVector<Dim> dims = dimsOf(op);
  auto combine = [&](ValueRange carried, Value value) {
    return Values{
        arith::getReductionOp(kind, b, b.getLoc(), carried.front(), value)};
  };
  auto add = [&](Scope &inner, ValueRange carried) {
    Value value = evaluate(op.getValue(), inner);
    return combine(carried, isSum ? loops.widen(value) : value);
  };
  auto addPart = [&](ValueRange carried, ValueRange values) {
    Value value = isSum ? loops.widen(values.front()) : values.front();
    // A part of a mean is that of the other dimensions.
    for (Dim dim : dims)
      if (op.getKind() == Reduction::Mean && dim != Dim::Element)
        value = arith::MulFOp::create(b, value, sizeOf(dim, value.getType()));
    return combine(carried, value);
  };
  Value start =
      isSum ? loops.zero() : arith::getIdentityValue(kind, type, b, b.getLoc());
  Values state = nest(scope, dims, start, add);
  if (llvm::is_contained(dims, Dim::Element))
    state = addParts(scope, state, {op.getResult()}, addPart);
  Value total = state.front();
  if (isSum)
    total = loops.narrow(total, type);
  if (op.getKind() == Reduction::Mean)
    return divide(total, dims);
  bool isExtreme = op.getKind() != Reduction::Sum;
  return isExtreme && llvm::is_contained(dims, Dim::Element)
             ? unlessEmpty(total, 0)
             : total;
}

/// Adds one element after the other to the state. Components of a higher level
/// than that of `result` are not needed for it.
void TraverseLoops::fold(FoldOp op, OpResult result, Scope &scope) {
  unsigned count = op.getNumResults();
  SmallVector<unsigned> needed;
  Values start;
  for (unsigned i = 0; i < count; ++i)
    if (getLevel(op.getResult(i)).within(getLevel(result))) {
      needed.push_back(i);
      start.push_back(evaluate(op.getIdentity()[i], scope));
    }
  Block &combine = op.getCombine().front();
  auto addState = [&](ValueRange carried, ValueRange values) {
    IRMapping mapping;
    for (auto [state, value, i] : llvm::zip(carried, values, needed)) {
      mapping.map(combine.getArgument(i), state);
      mapping.map(combine.getArgument(count + i), value);
    }
    Values next;
    for (unsigned i : needed)
      next.push_back(
          cloneValue(b, combine.getTerminator()->getOperand(i), mapping));
    return next;
  };
  auto add = [&](Scope &inner, ValueRange carried) {
    Values values;
    for (unsigned i : needed)
      values.push_back(evaluate(op.getValues()[i], inner));
    return addState(carried, values);
  };
  Values state = nest(scope, Dim::Element, start, add), reduced;
  for (unsigned i : needed)
    reduced.push_back(op.getResult(i));
  state = addParts(scope, state, reduced, addState);
  for (auto [value, i] : llvm::zip(state, needed))
    if (&home(getLevel(op.getResult(i)), scope) == &scope)
      scope.values[op.getResult(i)] = value;
}

/// Whether `x` is beyond `y`: larger (smaller for a minimum), or a NaN where it
/// is none.
static Value isBeyond(IndexBuilder &b, Reduction kind, Value x, Value y) {
  using P = arith::CmpFPredicate;
  Value further =
      arith::CmpFOp::create(b, kind == Reduction::Max ? P::UGT : P::ULT, x, y);
  Value isNumber = arith::CmpFOp::create(b, P::ORD, y, y);
  return arith::AndIOp::create(b, further, isNumber);
}

void TraverseLoops::argReduce(ArgReduceOp op, Scope &scope) {
  Type type = op.getExtreme().getType();
  auto take = [&](ValueRange best, ValueRange other) {
    Value value = other[0], index = other[1];
    Value isBetter = isBeyond(b, op.getKind(), value, best[0]);
    Value isWorse = isBeyond(b, op.getKind(), best[0], value);
    // The lowest index of equal values.
    Value takes =
        arith::SelectOp::create(b, isWorse, isBetter, b.less(index, best[1]));
    takes = arith::OrIOp::create(b, isBetter, takes);
    return Values{arith::SelectOp::create(b, takes, value, best[0]),
                  arith::SelectOp::create(b, takes, index, best[1])};
  };
  auto next = [&](Scope &inner, ValueRange best) {
    Value other[] = {evaluate(op.getValue(), inner),
                     evaluate(op.getIndex(), inner)};
    return take(best, other);
  };
  Value start[] = {
      arith::getIdentityValue(getReductionKind(op.getKind(), type), type, b,
                              b.getLoc()),
      arith::ConstantIntOp::create(b, std::numeric_limits<int32_t>::max(), 32)};
  Values best = nest(scope, Dim::Element, start, next);
  best = addParts(scope, best, {op.getExtreme(), op.getArgument()}, take);
  scope.values[op.getExtreme()] = unlessEmpty(best[0], 0);
  scope.values[op.getArgument()] = unlessEmpty(best[1], -1);
}

void gnn::tile::scalar::buildLoops(TraverseOp op, Loops &loops,
                                   const Bounds &bounds) {
  TraverseLoops(op, loops, bounds).run();
}
