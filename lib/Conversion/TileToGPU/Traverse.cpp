//===- Traverse.cpp - Values of a traversal -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a lane is, and what it holds of each value of the body.
//
//===----------------------------------------------------------------------===//

#include "Reductions.h"
#include "TraverseLowering.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

//===----------------------------------------------------------------------===//
// Where this lane is
//===----------------------------------------------------------------------===//

void TraverseLowering::locateLane() {
  SmallVector<Value> place =
      e.delinearize(kernel.threadId(), {layout.elementLanes, layout.headLanes,
                                        layout.featureLanes});
  team = place[0];
  elementLane = place[1];
  headLane = place[2];
  featureLane = place[3];
}

/// The row at a position of the order in which rows are taken, and its
/// elements.
void TraverseLowering::locateRow(Value row) {
  groupValues.clear();
  groupRows.clear();
  Value rows = kernel.rows(domain.getGroups());
  groupInside = e.less(row, rows);
  group = e.min(row, e.sub(rows, e.index(1)));
  if (layout.rowOrder == TakenOrder::ByDegree) {
    OrderedSpace nodes = domain.getGroups().get();
    group = e.loadIndex(kernel.structure(StructureKey::map(
                            {nodes.space, RowOrder::ByDegree}, nodes)),
                        group);
  }
  if (!domain.getElements())
    return;
  std::tie(begin, end) =
      reachElements(kernel, e, domain.getGroups(), domain.getElements(), group);
  end = e.select(groupInside, end, begin);
}

void TraverseLowering::locateColumns() {
  int64_t step = layout.featureLanes * layout.vector;
  Value first = e.mul(featureLane, e.index(layout.vector));
  if (layout.columnTiles > 1)
    first = e.add(first, e.mul(kernel.blockId(gpu::Dimension::y),
                               e.index(layout.chunks * step)));
  bool exact =
      layout.columnTiles * layout.chunks * step == domain.getFeatures();
  for (int64_t i = 0; i < layout.chunks; ++i) {
    Value column = e.add(first, e.index(i * step));
    Value inside =
        exact ? Value() : e.less(column, e.index(domain.getFeatures()));
    columns.push_back(inside ? e.select(inside, column, e.index(0)) : column);
    columnsInside.push_back(inside);
  }
  exact = layout.headChunks * layout.headLanes == domain.getHeads();
  for (int64_t i = 0; i < layout.headChunks; ++i) {
    Value head = e.add(headLane, e.index(i * layout.headLanes));
    Value inside = exact ? Value() : e.less(head, e.index(domain.getHeads()));
    heads.push_back(inside ? e.select(inside, head, e.index(0)) : head);
    headsInside.push_back(inside);
  }
}
void TraverseLowering::rankValues() {
  for (Operation &inner : op.getBody().front().without_terminator()) {
    int64_t rank = 0;
    for (Value operand : inner.getOperands())
      rank = std::max(rank, ranks.lookup(operand));
    if (reducesElements(&inner)) {
      lastRank = std::max(lastRank, rank);
      ++rank;
    }
    for (Value result : inner.getResults())
      ranks[result] = rank;
  }
  Operation *yield = op.getBody().front().getTerminator();
  for (auto [i, value] : llvm::enumerate(yield->getOperands()))
    if (op.getOutputAt(i).getAnchor() == Anchor::Element)
      lastRank = std::max(lastRank, ranks.lookup(value));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Type TraverseLowering::heldType(Type element, Level level) {
  return level.feature && layout.vector > 1
             ? Type(VectorType::get({layout.vector}, element))
             : element;
}

Held TraverseLowering::held(Value value, unsigned point) {
  bool element = getLevel(value).element;
  auto &known = element ? points[point].values : groupValues;
  if (auto it = known.find(value); it != known.end())
    return it->second;
  Held result = evaluate(value, point);
  (element ? points[point].values : groupValues)[value] = result;
  return result;
}

Held TraverseLowering::evaluate(Value value, unsigned point) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return evaluateArgument(argument, point);
  Operation *inner = value.getDefiningOp();
  llvm::SaveAndRestore line(e.loc, inner->getLoc());
  if (auto index = dyn_cast<IndexOp>(inner))
    return evaluateIndex(index, point);
  if (auto reduce = dyn_cast<ReduceOp>(inner)) // over lanes; walks do the rest
    return reduceLanes(reduce, held(reduce.getValue(), point),
                       getLevel(reduce.getValue()));
  if (isa<SizeOp>(inner)) {
    return {arith::SIToFPOp::create(e.builder, e.loc, value.getType(),
                                    e.word(e.sub(end, begin)))};
  }
  if (isa<arith::ConstantOp>(inner))
    return {e.builder.clone(*inner)->getResult(0)};
  return evaluatePointwise(inner, point);
}

Value TraverseLowering::rowOf(AtAttr at, unsigned point) {
  bool element = at.getAnchor() == Anchor::Element;
  Value &row =
      element ? points[point].rows[at.getSpace()] : groupRows[at.getSpace()];
  if (!row)
    row = reachRow(kernel, e, at,
                   element ? domain.getElements() : domain.getGroups(),
                   element ? points[point].position : group);
  return row;
}

SmallVector<Value> TraverseLowering::indicesOf(AtAttr at, unsigned head,
                                               unsigned chunk, unsigned point) {
  SmallVector<Value> indices;
  if (at.getAnchor() != Anchor::All)
    indices.push_back(rowOf(at, point));
  if (at.getHead())
    indices.push_back(heads[head]);
  if (at.getFeature())
    indices.push_back(at.getOffset()
                          ? e.add(columns[chunk], e.index(at.getOffset()))
                          : columns[chunk]);
  return indices;
}

Held TraverseLowering::evaluateArgument(BlockArgument argument,
                                        unsigned point) {
  unsigned number = argument.getArgNumber();
  AtAttr at = op.getInputAt(number);
  Level level = getLevel(at);
  Value memref =
      kernel.buffer(op.getInputs()[number],
                    rowsOf(at, domain.getGroups(), domain.getElements()), true);
  Held values;
  if (at.getColumn()) {
    auto type = cast<MemRefType>(op.getInputs()[number].getType());
    SmallVector<Value> place = e.delinearize(group, {type.getDimSize(2)});
    for (unsigned c = 0; c < chunkCount(level); ++c)
      values.push_back(e.load(memref, {place[0], columns[c], place[1]}, 1));
    return values;
  }
  for (unsigned h = 0; h < headCount(level); ++h)
    for (unsigned c = 0; c < chunkCount(level); ++c)
      values.push_back(e.load(memref, indicesOf(at, h, c, point),
                              at.getFeature() ? layout.vector : 1));
  return values;
}

Held TraverseLowering::evaluateIndex(IndexOp index, unsigned point) {
  AtAttr at = index.getAt();
  Level level = getLevel(at);
  Held values;
  for (unsigned h = 0; h < headCount(level); ++h)
    for (unsigned c = 0; c < chunkCount(level); ++c) {
      Value value = e.word(indicesOf(at, h, c, point).back());
      if (at.getFeature() && layout.vector > 1)
        value = laneColumns(e, value, layout.vector);
      values.push_back(value);
    }
  return values;
}

Held TraverseLowering::evaluatePointwise(Operation *inner, unsigned point) {
  Level level = getLevel(inner->getResult(0));
  SmallVector<Held> operands;
  for (Value operand : inner->getOperands())
    operands.push_back(spread(held(operand, point), getLevel(operand), level));
  Held results;
  for (unsigned i = 0; i < partCount(level); ++i) {
    SmallVector<Value> parts;
    for (Held &operand : operands)
      parts.push_back(operand[i]);
    OperationState state(e.loc, inner->getName(), parts,
                         {heldType(inner->getResult(0).getType(), level)},
                         inner->getAttrs());
    results.push_back(e.builder.create(state)->getResult(0));
  }
  return results;
}

/// Repeats values over the chunks of a level that varies by more.
Held TraverseLowering::spread(const Held &values, Level from, Level to) {
  Held result;
  for (unsigned h = 0; h < headCount(to); ++h)
    for (unsigned c = 0; c < chunkCount(to); ++c) {
      Value value = values[(from.head ? h : 0) * chunkCount(from) +
                           (from.feature ? c : 0)];
      Type type = heldType(getElementTypeOrSelf(value), to);
      if (value.getType() != type)
        value = vector::BroadcastOp::create(e.builder, e.loc, type, value);
      result.push_back(value);
    }
  return result;
}

Held TraverseLowering::reduceLanes(ReduceOp reduce, Held values, Level level) {
  LaneReduction lanes{e, reduce.getKind()};
  auto has = [&](Dim dim) {
    return llvm::is_contained(reduce.getDims(), static_cast<int32_t>(dim));
  };
  // Where a value does not vary, as many equal ones are reduced.
  auto repeat = [&](int64_t count) {
    if (reduce.getKind() != Reduction::Sum)
      return;
    for (Value &value : values)
      value = isa<FloatType>(getElementTypeOrSelf(value))
                  ? arith::MulFOp::create(e.builder, e.loc, value,
                                          e.constant(value.getType(), count))
                        .getResult()
                  : e.mul(value, e.constant(value.getType(), count));
  };
  if (has(Dim::Feature) && !level.feature)
    repeat(domain.getFeatures());
  if (has(Dim::Head) && !level.head)
    repeat(domain.getHeads());
  if (has(Dim::Feature) && level.feature) {
    Held reduced;
    for (unsigned h = 0; h < headCount(level); ++h) {
      Value total;
      for (unsigned c = 0; c < chunkCount(level); ++c)
        total = lanes.combine(
            total, lanes.across(lanes.mask(values[h * chunkCount(level) + c],
                                           columnsInside[c])));
      total = lanes.overLanes(total, layout.featureLanes, 1);
      reduced.push_back(lanes.divideMean(total, domain.getFeatures()));
    }
    values = reduced;
    level.feature = false;
  }
  if (!has(Dim::Head) || !level.head)
    return values;
  Held reduced;
  for (unsigned c = 0; c < chunkCount(level); ++c) {
    Value total;
    for (int64_t h = 0; h < layout.headChunks; ++h)
      total = lanes.combine(
          total, lanes.mask(values[h * chunkCount(level) + c], headsInside[h]));
    total = lanes.overLanes(total, layout.headLanes, layout.featureLanes);
    reduced.push_back(lanes.divideMean(total, domain.getHeads()));
  }
  return reduced;
}

LogicalResult gnn::tile::lowerTraverse(TraverseOp op, Kernel &kernel) {
  FailureOr<TraverseLayout> layout = getLayout(op);
  if (failed(layout))
    return failure();
  TraverseLowering(op, kernel, *layout).run();
  return success();
}
