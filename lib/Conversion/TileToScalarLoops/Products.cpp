//===- Products.cpp - gemm and outer as loops -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarLoops.h"

#include "GNN/Dialect/Tile/IR/InPlace.h"
#include "GNN/Dialect/Tile/IR/Ranges.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;
using namespace gnn::tile::scalar;

/// `sum + a * b`.
static Value multiplyAdd(OpBuilder &builder, Loops &loops, Value sum, Value a,
                         Value b) {
  Value product = arith::MulFOp::create(
      builder, loops.loc, loops.widen(builder, a), loops.widen(builder, b));
  return arith::AddFOp::create(builder, loops.loc, sum, product);
}

/// Those of the values that there are.
static SmallVector<Value> list(ArrayRef<Value> values) {
  return llvm::filter_to_vector(values, [](Value value) { return value; });
}

//===----------------------------------------------------------------------===//
// gemm
//===----------------------------------------------------------------------===//

namespace {
class GemmLoops {
public:
  GemmLoops(GemmOp op, Loops &loops, const Bounds &bounds)
      : op(op), loops(loops), bounds(bounds), rows(op.getRows()) {}

  void run();

private:
  void copyInput(OpBuilder &builder);
  void findWeight(OpBuilder &builder);
  Value sum(OpBuilder &builder);
  Value loadInput(OpBuilder &builder, Value k);
  Value loadWeight(OpBuilder &builder, Value k);
  Value loadExtra(OpBuilder &builder, unsigned number);
  void storeElement(OpBuilder &builder);

  GemmOp op;
  Loops &loops;
  const Bounds &bounds;
  RowDomain rows;
  Value row, type, weightRow, head, column;
  /// A row that is written over, before it is.
  Value copy;
};
} // namespace

/// The type of the row, and the row of the weights that it has.
void GemmLoops::findWeight(OpBuilder &builder) {
  auto lead = [&](RowDomain to, RowDomain from, Value at) {
    auto access = AtAttr::get(op.getContext(), Anchor::Group, to,
                              /*head=*/false, /*feature=*/false, 0);
    return loops.reach(builder, access, from, at);
  };
  if (!op.getTypes())
    return;
  if (op.isOnRange()) {
    type = op.getTypeRow();
    weightRow = op.getMatrixRow();
    return;
  }
  RowDomain types = *op.getTypes();
  if (types.isFixed())
    type = arith::DivUIOp::create(builder, loops.loc, row,
                                  loops.index(types.getCount()));
  else // no map leads to the one row of the graph
    type = types.isIn(Space::Graph) ? loops.index(0) : lead(types, rows, row);
  weightRow = op.getWeights() ? lead(*op.getWeights(), types, type) : type;
}

void GemmLoops::copyInput(OpBuilder &builder) {
  AtAttr at = op.getInputAt();
  SmallVector<int64_t> shape;
  if (at.getHead())
    shape.push_back(op.getHeads());
  shape.push_back(op.getIn());
  if (!copy)
    copy = loops.array(shape, getElementTypeOrSelf(op.getInput().getType()));
  // All heads share a row without heads.
  Positions heads = at.getHead() ? bounds.heads : loops.range(1);
  loops.loop(builder, heads, {}, [&](OpBuilder &b, Value h, ValueRange) {
    loops.loop(
        b, loops.range(op.getIn()), {}, [&](OpBuilder &b, Value k, ValueRange) {
          Value input = loops.view(op.getInput(), at.getRows(rows, {}));
          Value from = loops.reach(b, at, rows, row);
          Value value =
              loops.load(b, input, list({from, at.getHead() ? h : Value(), k}));
          loops.store(b, value, copy, list({at.getHead() ? h : Value(), k}));
          return SmallVector<Value>();
        });
    return SmallVector<Value>();
  });
}

Value GemmLoops::loadInput(OpBuilder &builder, Value k) {
  AtAttr at = op.getInputAt();
  Value ofHead = at.getHead() ? head : Value();
  if (copy)
    return loops.load(builder, copy, list({ofHead, k}));
  Value input = loops.view(op.getInput(), at.getRows(rows, {}));
  Value from = loops.reach(builder, at, rows, row);
  if (isInWorkgroup(op.getInput())) // the rows of the range alone
    from = arith::SubIOp::create(builder, loops.loc, from, op.getFirstRow());
  return loops.load(
      builder, input,
      list({from, ofHead, loops.add(builder, k, at.getOffset())}));
}

Value GemmLoops::loadWeight(OpBuilder &builder, Value k) {
  bool isTransposed = op.getTransposed();
  return loops.load(
      builder, op.getWeight(),
      list({weightRow, op.weightHasHeads() ? head : Value(),
            isTransposed ? column : k, isTransposed ? k : column}));
}

Value GemmLoops::sum(OpBuilder &builder) {
  auto ofDepth = [&](OpBuilder &b, Value k, ValueRange sum) {
    return SmallVector<Value>{
        multiplyAdd(b, loops, sum.front(), loadInput(b, k), loadWeight(b, k))};
  };
  Value none = loops.zero(builder);
  Value sum =
      loops.loop(builder, loops.range(op.getIn()), none, ofDepth).front();
  return loops.narrow(builder, sum,
                      getElementTypeOrSelf(op.getInput().getType()));
}

/// Of the row, of its type, of the weight of its type, or of all.
Value GemmLoops::loadExtra(OpBuilder &builder, unsigned number) {
  AtAttr at = op.getExtraAt(number);
  Value from;
  if (at.getAnchor() != Anchor::All) {
    if (type && at.getSpace() == *op.getTypes())
      from = type;
    else if (op.getWeights() && at.getSpace() == *op.getWeights())
      from = weightRow;
    else
      from = loops.reach(builder, at, rows, row);
  }
  Value extra = loops.view(op.getExtras()[number], at.getRows(rows, {}));
  return loops.load(
      builder, extra,
      list({from, at.getHead() ? head : Value(),
            at.getFeature() ? loops.add(builder, column, at.getOffset())
                            : Value()}));
}

void GemmLoops::storeElement(OpBuilder &builder) {
  IRMapping mapping;
  Block &body = op.getBody().front();
  mapping.map(body.getArgument(0), sum(builder));
  for (unsigned i = 0; i < op.getExtras().size(); ++i)
    mapping.map(body.getArgument(1 + i), loadExtra(builder, i));
  Value value =
      cloneValue(builder, body.getTerminator()->getOperand(0), mapping);
  AtAttr at = op.getOutputAt();
  loops.store(
      builder, value, loops.view(op.getOutput(), at.getRows(rows, {})),
      list({loops.reach(builder, at, rows, row), at.getHead() ? head : Value(),
            loops.add(builder, column, at.getOffset())}));
}

void GemmLoops::run() {
  bool overwrites =
      findOverwritten(op, op.getOutputMutable()) == &op.getInputMutable();
  auto ofColumn = [&](OpBuilder &builder, Value at, ValueRange) {
    column = at;
    storeElement(builder);
    return SmallVector<Value>();
  };
  auto ofHead = [&](OpBuilder &builder, Value at, ValueRange) {
    head = at;
    loops.loop(builder, bounds.columns, {}, ofColumn);
    return SmallVector<Value>();
  };
  auto ofRow = [&](OpBuilder &builder, Value at, ValueRange) {
    row = at;
    findWeight(builder);
    if (overwrites)
      copyInput(builder);
    loops.loop(builder, bounds.heads, {}, ofHead);
    return SmallVector<Value>();
  };
  loops.loop(loops.body, bounds.rows, {}, ofRow);
}

void gnn::tile::scalar::lowerGemm(GemmOp op, Loops &loops,
                                  const Bounds &bounds) {
  GemmLoops(op, loops, bounds).run();
}

//===----------------------------------------------------------------------===//
// outer
//===----------------------------------------------------------------------===//

namespace {
class OuterLoops {
public:
  OuterLoops(OuterOp op, Loops &loops, const Bounds &bounds)
      : op(op), loops(loops), bounds(bounds) {}

  void run();

private:
  Positions findRows(OpBuilder &builder);
  Value load(OpBuilder &builder, unsigned side, Value row, Value column);
  Value sum(OpBuilder &builder);
  Value sumOfSide(OpBuilder &builder, Value column);
  Positions columnsOfSums();

  OuterOp op;
  Loops &loops;
  const Bounds &bounds;
  Value type, head, left, right;
  Positions rows;
};
} // namespace

Positions OuterLoops::findRows(OpBuilder &builder) {
  if (op.isOnRange())
    return {op.getFirstRow(),
            arith::AddIOp::create(builder, loops.loc, op.getFirstRow(),
                                  op.getRowCount())};
  if (!op.getTypes())
    return {loops.index(0), loops.count(op.getRows())};
  if (!op.getTypes()->isFixed())
    return loops.elements(builder, *op.getTypes(), op.getRows(), type);
  int64_t perType = op.getTypes()->getCount();
  Value begin = loops.mul(builder, type, perType);
  return {begin, loops.add(builder, begin, perType)};
}

Value OuterLoops::load(OpBuilder &builder, unsigned side, Value row,
                       Value column) {
  auto at = cast<AtAttr>(op.getInputsAt()[side]);
  Value buffer = loops.view(side == 0 ? op.getLeft() : op.getRight(),
                            at.getRows(op.getRows(), {}));
  return loops.load(builder, buffer,
                    list({loops.reach(builder, at, op.getRows(), row),
                          at.getHead() ? head : Value(),
                          loops.add(builder, column, at.getOffset())}));
}

/// Over the rows of the type, and over heads that the output does not have.
Value OuterLoops::sum(OpBuilder &builder) {
  auto overRows = [&](OpBuilder &builder, Value first) {
    auto ofRow = [&](OpBuilder &b, Value row, ValueRange sum) {
      return SmallVector<Value>{multiplyAdd(b, loops, sum.front(),
                                            load(b, 0, row, left),
                                            load(b, 1, row, right))};
    };
    return loops.loop(builder, rows, first, ofRow);
  };
  Value none = loops.zero(builder);
  if (!op.sumsHeads())
    return overRows(builder, none).front();
  auto ofHead = [&](OpBuilder &builder, Value at, ValueRange sum) {
    head = at;
    return overRows(builder, sum.front());
  };
  return loops.loop(builder, loops.range(op.getHeads()), none, ofHead).front();
}

Value OuterLoops::sumOfSide(OpBuilder &builder, Value column) {
  auto ofRow = [&](OpBuilder &b, Value row, ValueRange sum) {
    Value term = loops.widen(b, load(b, op.getSummedSide(), row, column));
    return SmallVector<Value>{
        arith::AddFOp::create(b, loops.loc, sum.front(), term)};
  };
  return loops.loop(builder, rows, loops.zero(builder), ofRow).front();
}

/// Those of the first columns of the other side compute the sums.
Positions OuterLoops::columnsOfSums() {
  OpBuilder &builder = loops.body;
  Positions own = bounds.columns, other = bounds.leftColumns;
  if (op.getSumsLeft())
    std::swap(own, other);
  Value isFirst =
      arith::CmpIOp::create(builder, loops.loc, arith::CmpIPredicate::eq,
                            other.begin, loops.index(0));
  return {own.begin, arith::SelectOp::create(builder, loops.loc, isFirst,
                                             own.end, own.begin)};
}

void OuterLoops::run() {
  RowDomain groups = op.getGroups();
  Type element = getElementTypeOrSelf(op.getOutput().getType());
  auto ofType = [&](OpBuilder &builder, Value at, ValueRange) {
    type = op.getTypes() ? at : Value();
    rows = findRows(builder);
    bool hasHeads = op.getHeads() && !op.sumsHeads();
    auto ofColumn = [&](OpBuilder &builder, Value at, ValueRange) {
      right = at;
      loops.store(builder, loops.narrow(builder, sum(builder), element),
                  loops.view(op.getOutput(), groups),
                  list({type, hasHeads ? head : Value(), left, right}));
      return SmallVector<Value>();
    };
    auto ofLeft = [&](OpBuilder &builder, Value at, ValueRange) {
      left = at;
      loops.loop(builder, bounds.columns, {}, ofColumn);
      return SmallVector<Value>();
    };
    auto ofHead = [&](OpBuilder &builder, Value at, ValueRange) {
      head = at;
      loops.loop(builder, bounds.leftColumns, {}, ofLeft);
      return SmallVector<Value>();
    };
    auto sumColumn = [&](OpBuilder &builder, Value at, ValueRange) {
      loops.store(builder,
                  loops.narrow(builder, sumOfSide(builder, at), element),
                  loops.view(op.getSums(), groups), list({type, at}));
      return SmallVector<Value>();
    };
    loops.loop(builder, hasHeads ? bounds.heads : loops.range(1), {}, ofHead);
    if (op.getSums())
      loops.loop(builder, columnsOfSums(), {}, sumColumn);
    return SmallVector<Value>();
  };
  loops.loop(loops.body, bounds.rows, {}, ofType);
}

void gnn::tile::scalar::lowerOuter(OuterOp op, Loops &loops,
                                   const Bounds &bounds) {
  OuterLoops(op, loops, bounds).run();
}
