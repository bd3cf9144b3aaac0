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

namespace {
/// A loop around what is built; the outermost one is that over groups.
struct Scope {
  Scope(Scope *outer, std::optional<Dim> dim, Value at, OpBuilder builder)
      : outer(outer), dim(dim), at(at), builder(builder) {}

  Scope *outer;
  std::optional<Dim> dim; ///< none: the groups
  Value at;
  /// At the end of the loop's body, as far as it is built.
  OpBuilder builder;
  /// What is known in it.
  llvm::DenseMap<Value, Value> values;
};

using ScopeBody =
    llvm::function_ref<SmallVector<Value>(Scope &, ValueRange carried)>;

class TraverseLoops {
public:
  TraverseLoops(TraverseOp op, Loops &loops, const Bounds &bounds)
      : op(op), loops(loops), bounds(bounds), domain(op.getDomain()) {}

  void run();

private:
  // Loops.
  Positions range(Dim dim);
  SmallVector<Value> nest(Scope &scope, ArrayRef<Dim> dims, ValueRange init,
                          ScopeBody body);

  // Where operands lie.
  RowDomain domainOf(AtAttr at) {
    return at.getStart(domain.getGroups(), domain.getElements());
  }
  SmallVector<Value> indices(Scope &scope, AtAttr at);
  SmallVector<Value> indicesOfColumn(Scope &scope, Value buffer);
  Value view(Value buffer, AtAttr at) {
    return loops.view(buffer,
                      at.getRows(domain.getGroups(), domain.getElements()));
  }
  Value groupAt(OpBuilder &builder, Value position);
  void locateParts(OpBuilder &builder, Value group);
  void copyOverwritten(Scope &group);
  void store(Scope &group, unsigned output);

  // Values.
  Value evaluate(Value value, Scope &scope);
  void compute(Operation *inner, Value value, Scope &scope);
  Value load(BlockArgument argument, Scope &scope);
  Value reduce(ReduceOp op, Scope &scope);
  SmallVector<Value>
  addParts(Scope &scope, ValueRange states, ArrayRef<Value> reduced,
           llvm::function_ref<SmallVector<Value>(OpBuilder &, ValueRange,
                                                 ValueRange)>
               add);
  Value sizeOf(OpBuilder &b, Dim dim, Type type);
  Value divide(Scope &scope, Value sum, ArrayRef<Dim> dims);
  Value unlessEmpty(Scope &scope, Value value, int64_t otherwise);
  void fold(FoldOp op, OpResult result, Scope &scope);
  void argReduce(ArgReduceOp op, Scope &scope);

  TraverseOp op;
  Loops &loops;
  const Bounds &bounds;
  DomainAttr domain;
  /// The elements of the group, those that are walked, and the parts that a
  /// long group is made of.
  Positions elements, walked, parts;
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

/// Where the loop over `dim` is.
static Value positionOf(Dim dim, Scope &scope) {
  return scope.dim == dim ? scope.at : positionOf(dim, *scope.outer);
}

static Value groupOf(Scope &scope) {
  return scope.outer ? groupOf(*scope.outer) : scope.at;
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

SmallVector<Value> TraverseLoops::nest(Scope &scope, ArrayRef<Dim> dims,
                                       ValueRange init, ScopeBody body) {
  if (dims.empty())
    return body(scope, init);
  return loops.loop(scope.builder, range(dims.front()), init,
                    [&](OpBuilder &builder, Value at, ValueRange carried) {
                      Scope inner(&scope, dims.front(), at, builder);
                      return nest(inner, dims.drop_front(), carried, body);
                    });
}

//===----------------------------------------------------------------------===//
// Where operands lie
//===----------------------------------------------------------------------===//

SmallVector<Value> TraverseLoops::indices(Scope &scope, AtAttr at) {
  SmallVector<Value> indices;
  if (at.getAnchor() != Anchor::All) {
    Value position = at.getAnchor() == Anchor::Element
                         ? positionOf(Dim::Element, scope)
                         : groupOf(scope);
    indices.push_back(loops.reach(scope.builder, at, domainOf(at), position));
  }
  if (at.getHead())
    indices.push_back(positionOf(Dim::Head, scope));
  if (at.getFeature())
    indices.push_back(loops.add(scope.builder, positionOf(Dim::Feature, scope),
                                at.getOffset()));
  return indices;
}

/// Row i of weights that are read the other way round is column i mod columns
/// of matrix i div columns.
SmallVector<Value> TraverseLoops::indicesOfColumn(Scope &scope, Value buffer) {
  OpBuilder &builder = scope.builder;
  Value columns = loops.index(cast<MemRefType>(buffer.getType()).getDimSize(2));
  Value group = groupOf(scope);
  return {arith::DivUIOp::create(builder, loops.loc, group, columns),
          positionOf(Dim::Feature, scope),
          arith::RemUIOp::create(builder, loops.loc, group, columns)};
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
      SmallVector<Value> from = indices(scope, at);
      Value value = loops.load(scope.builder, view(input->get(), at), from);
      loops.store(scope.builder, value, copy, ArrayRef(from).drop_front());
      return SmallVector<Value>();
    });
    copies[input->getOperandNumber()] = copy;
  }
}

void TraverseLoops::store(Scope &group, unsigned output) {
  AtAttr at = op.getOutputAt(output);
  Value yielded = op.getBody().front().getTerminator()->getOperand(output);
  nest(group, dimsOf(at), {}, [&](Scope &scope, ValueRange) {
    Value value = evaluate(yielded, scope);
    SmallVector<Value> to = indices(scope, at);
    if (isInWorkgroup(op.getOutputs()[output])) // the rows of the range alone
      to.front() = arith::SubIOp::create(scope.builder, loops.loc, to.front(),
                                         op.getFirstRow());
    loops.store(scope.builder, value, view(op.getOutputs()[output], at), to);
    return SmallVector<Value>();
  });
}

/// The group at a position: blocks may take the rows of high degree first.
Value TraverseLoops::groupAt(OpBuilder &builder, Value position) {
  RowDomain groups = domain.getGroups();
  if (!op.isOnRange() || TraverseSchedule(op).rowOrder == TakenOrder::Natural)
    return position;
  auto natural = AtAttr::get(op.getContext(), Anchor::Group, groups,
                             /*head=*/false, /*feature=*/false, 0);
  RowDomain taken(groups.get().space, RowOrder::ByDegree);
  return loops.reach(builder, natural, taken, position);
}

/// A long group has parts and walks no elements, any other one has no parts.
void TraverseLoops::locateParts(OpBuilder &builder, Value group) {
  walked = elements;
  if (!op.getPartsOf())
    return;
  Location loc = loops.loc;
  Value length =
      arith::SubIOp::create(builder, loc, elements.end, elements.begin);
  Value isLong = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt,
                                       length, loops.index(op.getLongLength()));
  parts = loops.elements(builder, domain.getGroups(), *op.getPartsOf(), group);
  parts.end =
      arith::SelectOp::create(builder, loc, isLong, parts.end, parts.begin);
  walked.end = arith::SelectOp::create(builder, loc, isLong, elements.begin,
                                       elements.end);
}

void TraverseLoops::run() {
  auto ofGroup = [&](OpBuilder &builder, Value position, ValueRange) {
    Value at = groupAt(builder, position);
    Scope group(nullptr, std::nullopt, at, builder);
    if (domain.getElements()) {
      elements = loops.elements(group.builder, domain.getGroups(),
                                domain.getElements(), at);
      locateParts(group.builder, at);
    }
    copyOverwritten(group);
    for (unsigned i = 0; i < op.getOutputs().size(); ++i)
      store(group, i);
    return SmallVector<Value>();
  };
  loops.loop(loops.body, bounds.rows, {}, ofGroup);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value TraverseLoops::evaluate(Value value, Scope &scope) {
  Scope &at = home(getLevel(value), scope);
  if (Value known = at.values.lookup(value))
    return known;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return at.values[value] = load(argument, at);
  compute(value.getDefiningOp(), value, at);
  return at.values.lookup(value);
}

void TraverseLoops::compute(Operation *inner, Value value, Scope &scope) {
  OpBuilder &builder = scope.builder;
  auto toWord = [&](Value index) {
    return arith::IndexCastOp::create(builder, loops.loc, builder.getI32Type(),
                                      index);
  };
  llvm::TypeSwitch<Operation *>(inner)
      .Case([&](ReduceOp op) { scope.values[value] = reduce(op, scope); })
      .Case([&](FoldOp op) { fold(op, cast<OpResult>(value), scope); })
      .Case([&](ArgReduceOp op) { argReduce(op, scope); })
      .Case([&](IndexOp op) {
        scope.values[value] = toWord(indices(scope, op.getAt()).back());
      })
      .Case([&](SizeOp) {
        Value size = arith::SubIOp::create(builder, loops.loc, elements.end,
                                           elements.begin);
        scope.values[value] = arith::SIToFPOp::create(
            builder, loops.loc, value.getType(), toWord(size));
      })
      .Default([&](Operation *inner) {
        IRMapping mapping;
        for (Value operand : inner->getOperands())
          mapping.map(operand, evaluate(operand, scope));
        Operation *copy = builder.clone(*inner, mapping);
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
    return loops.load(scope.builder, view(buffer, at),
                      indicesOfColumn(scope, buffer));
  SmallVector<Value> from = indices(scope, at);
  if (Value copy = copies.lookup(number))
    return loops.load(scope.builder, copy, ArrayRef(from).drop_front());
  return loops.load(scope.builder, view(buffer, at), from);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// `value`, or a constant where the group has no elements.
Value TraverseLoops::unlessEmpty(Scope &scope, Value value, int64_t otherwise) {
  OpBuilder &b = scope.builder;
  Type type = value.getType();
  TypedAttr constant =
      isa<FloatType>(type)
          ? TypedAttr(b.getFloatAttr(type, static_cast<double>(otherwise)))
          : b.getIntegerAttr(type, otherwise);
  Value some = arith::CmpIOp::create(b, loops.loc, arith::CmpIPredicate::slt,
                                     elements.begin, elements.end);
  return arith::SelectOp::create(
      b, loops.loc, some, value,
      arith::ConstantOp::create(b, loops.loc, constant));
}

/// Adds what the parts have of results of a reduction, one after the other, to
/// these states.
SmallVector<Value> TraverseLoops::addParts(
    Scope &scope, ValueRange states, ArrayRef<Value> reduced,
    llvm::function_ref<SmallVector<Value>(OpBuilder &, ValueRange, ValueRange)>
        add) {
  if (!op.getPartsOf())
    return SmallVector<Value>(states);
  SmallVector<Value> all = op.getReduced();
  auto addPart = [&](OpBuilder &builder, Value at, ValueRange carried) {
    SmallVector<Value> values;
    for (Value result : reduced) {
      Value buffer = op.getParts()[llvm::find(all, result) - all.begin()];
      AtAttr access = TraverseOp::getPartAt(result);
      SmallVector<Value> indices{at};
      if (access.getHead())
        indices.push_back(positionOf(Dim::Head, scope));
      if (access.getFeature())
        indices.push_back(positionOf(Dim::Feature, scope));
      values.push_back(
          loops.load(builder, loops.view(buffer, *op.getPartsOf()), indices));
    }
    return add(builder, carried, values);
  };
  return loops.loop(scope.builder, parts, states, addPart);
}

/// The size of a dimension, at least 1, as a float.
Value TraverseLoops::sizeOf(OpBuilder &b, Dim dim, Type type) {
  Positions range = dim == Dim::Element ? elements : this->range(dim);
  Value count = arith::SubIOp::create(b, loops.loc, range.end, range.begin);
  count = arith::MaxSIOp::create(b, loops.loc, count, loops.index(1));
  return arith::SIToFPOp::create(
      b, loops.loc, type,
      arith::IndexCastOp::create(b, loops.loc, b.getI32Type(), count));
}

/// A mean of nothing is 0.
Value TraverseLoops::divide(Scope &scope, Value sum, ArrayRef<Dim> dims) {
  OpBuilder &b = scope.builder;
  for (Dim dim : dims)
    sum =
        arith::DivFOp::create(b, loops.loc, sum, sizeOf(b, dim, sum.getType()));
  return sum;
}

Value TraverseLoops::reduce(ReduceOp op, Scope &scope) {
  Type type = op.getType();
  arith::AtomicRMWKind kind = getReductionKind(op.getKind(), type);
  bool isSum = kind == arith::AtomicRMWKind::addf;
  SmallVector<Dim> dims = dimsOf(op);
  auto add = [&](Scope &inner, ValueRange carried) {
    Value value = evaluate(op.getValue(), inner);
    if (isSum)
      value = loops.widen(inner.builder, value);
    return SmallVector<Value>{arith::getReductionOp(
        kind, inner.builder, loops.loc, carried.front(), value)};
  };
  Value start =
      isSum ? loops.zero(scope.builder)
            : arith::getIdentityValue(kind, type, scope.builder, loops.loc);
  auto addPart = [&](OpBuilder &b, ValueRange carried, ValueRange values) {
    Value value = isSum ? loops.widen(b, values.front()) : values.front();
    // A part of a mean is that of the other dimensions.
    for (Dim dim : dims)
      if (op.getKind() == Reduction::Mean && dim != Dim::Element)
        value = arith::MulFOp::create(b, loops.loc, value,
                                      sizeOf(b, dim, value.getType()));
    return SmallVector<Value>{
        arith::getReductionOp(kind, b, loops.loc, carried.front(), value)};
  };
  SmallVector<Value> state = nest(scope, dims, start, add);
  if (llvm::is_contained(dims, Dim::Element))
    state = addParts(scope, state, {op.getResult()}, addPart);
  Value total = state.front();
  if (isSum)
    total = loops.narrow(scope.builder, total, type);
  if (op.getKind() == Reduction::Mean)
    return divide(scope, total, dims);
  bool isExtreme = op.getKind() != Reduction::Sum;
  return isExtreme && llvm::is_contained(dims, Dim::Element)
             ? unlessEmpty(scope, total, 0)
             : total;
}

/// Adds one element after the other to the state. Components of a higher level
/// than that of `result` are not needed for it.
void TraverseLoops::fold(FoldOp op, OpResult result, Scope &scope) {
  unsigned count = op.getNumResults();
  SmallVector<unsigned> needed;
  SmallVector<Value> start;
  for (unsigned i = 0; i < count; ++i)
    if (getLevel(op.getResult(i)).within(getLevel(result))) {
      needed.push_back(i);
      start.push_back(evaluate(op.getIdentity()[i], scope));
    }
  Block &combine = op.getCombine().front();
  auto addState = [&](OpBuilder &builder, ValueRange carried,
                      ValueRange values) {
    IRMapping mapping;
    for (auto [state, value, i] : llvm::zip(carried, values, needed)) {
      mapping.map(combine.getArgument(i), state);
      mapping.map(combine.getArgument(count + i), value);
    }
    SmallVector<Value> next;
    for (unsigned i : needed)
      next.push_back(
          cloneValue(builder, combine.getTerminator()->getOperand(i), mapping));
    return next;
  };
  auto add = [&](Scope &inner, ValueRange carried) {
    SmallVector<Value> values;
    for (unsigned i : needed)
      values.push_back(evaluate(op.getValues()[i], inner));
    return addState(inner.builder, carried, values);
  };
  SmallVector<Value> state = nest(scope, Dim::Element, start, add), reduced;
  for (unsigned i : needed)
    reduced.push_back(op.getResult(i));
  state = addParts(scope, state, reduced, addState);
  for (auto [value, i] : llvm::zip(state, needed))
    if (&home(getLevel(op.getResult(i)), scope) == &scope)
      scope.values[op.getResult(i)] = value;
}

/// Whether `a` is beyond `b`: larger (smaller for a minimum), or a NaN where it
/// is none.
static Value isBeyond(OpBuilder &b, Location loc, Reduction kind, Value x,
                      Value y) {
  using P = arith::CmpFPredicate;
  Value further = arith::CmpFOp::create(
      b, loc, kind == Reduction::Max ? P::UGT : P::ULT, x, y);
  Value isNumber = arith::CmpFOp::create(b, loc, P::ORD, y, y);
  return arith::AndIOp::create(b, loc, further, isNumber);
}

void TraverseLoops::argReduce(ArgReduceOp op, Scope &scope) {
  Type type = op.getExtreme().getType();
  auto take = [&](OpBuilder &b, ValueRange best, ValueRange other) {
    Location loc = loops.loc;
    Value value = other[0], index = other[1];
    Value isBetter = isBeyond(b, loc, op.getKind(), value, best[0]);
    Value isWorse = isBeyond(b, loc, op.getKind(), best[0], value);
    Value isLower = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                          index, best[1]);
    // The lowest index of equal values.
    Value takes = arith::SelectOp::create(b, loc, isWorse, isBetter, isLower);
    takes = arith::OrIOp::create(b, loc, isBetter, takes);
    return SmallVector<Value>{
        arith::SelectOp::create(b, loc, takes, value, best[0]),
        arith::SelectOp::create(b, loc, takes, index, best[1])};
  };
  auto next = [&](Scope &inner, ValueRange best) {
    Value other[] = {evaluate(op.getValue(), inner),
                     evaluate(op.getIndex(), inner)};
    return take(inner.builder, best, other);
  };
  OpBuilder &b = scope.builder;
  Value start[] = {arith::getIdentityValue(getReductionKind(op.getKind(), type),
                                           type, b, loops.loc),
                   arith::ConstantIntOp::create(
                       b, loops.loc, std::numeric_limits<int32_t>::max(), 32)};
  SmallVector<Value> best = nest(scope, Dim::Element, start, next);
  best = addParts(scope, best, {op.getExtreme(), op.getArgument()}, take);
  scope.values[op.getExtreme()] = unlessEmpty(scope, best[0], 0);
  scope.values[op.getArgument()] = unlessEmpty(scope, best[1], -1);
}

void gnn::tile::scalar::lowerTraverse(TraverseOp op, Loops &loops,
                                      const Bounds &bounds) {
  TraverseLoops(op, loops, bounds).run();
}
