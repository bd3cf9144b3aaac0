//===- Products.cpp - gemm and outer as loops -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../Transforms/Utils/Products.h"
#include "ScalarLoops.h"

#include "GNN/Dialect/Tile/IR/InPlace.h"
#include "GNN/Dialect/Tile/IR/Ranges.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;
using namespace gnn::tile::scalar;

/// `sum + x * y`.
static Value multiplyAdd(Loops &loops, Value sum, Value x, Value y) {
  Value product =
      arith::MulFOp::create(loops.b, loops.widen(x), loops.widen(y));
  return arith::AddFOp::create(loops.b, sum, product);
}

//===----------------------------------------------------------------------===//
// gemm
//===----------------------------------------------------------------------===//

namespace {
class GemmLoops {
public:
  GemmLoops(GemmOp op, Loops &loops, const Bounds &bounds)
      : op(op), loops(loops), b(loops.b), bounds(bounds),
        body(op, b, loops.arrays) {}

  void run();

private:
  void copyInput();
  void findWeight();
  Value sum();
  Value loadInput(Value k);
  Value loadExtra(unsigned number);
  void storeElement();

  GemmOp op;
  Loops &loops;
  IndexBuilder &b;
  const Bounds &bounds;
  GemmBody body;
  Value row, column;
  /// A row that is written over, before it is.
  Value copy;
};
} // namespace

/// The type of the row, and the row of the weights that it has.
void GemmLoops::findWeight() {
  if (!op.getTypes() || op.isOnRange())
    return;
  auto lead = [&](RowDomain to, RowDomain from, Value at) {
    return loops.arrays.reach(b,
                              AtAttr::get(op.getContext(), Anchor::Group, to,
                                          /*head=*/false, /*feature=*/false, 0),
                              from, at);
  };
  RowDomain types = *op.getTypes();
  if (types.isFixed())
    body.type = arith::DivUIOp::create(b, row, b.index(types.getCount()));
  else // no map leads to the one row of the graph
    body.type =
        types.isIn(Space::Graph) ? b.index(0) : lead(types, op.getRows(), row);
  body.matrix =
      op.getWeights() ? lead(*op.getWeights(), types, body.type) : body.type;
}

void GemmLoops::copyInput() {
  AtAttr at = op.getInputAt();
  SmallVector<int64_t> shape;
  if (at.getHead())
    shape.push_back(op.getHeads());
  shape.push_back(op.getIn());
  if (!copy)
    copy = loops.array(shape, getElementTypeOrSelf(op.getInput().getType()));
  // All heads share a row without heads.
  loops.loop(at.getHead() ? bounds.heads : loops.range(1), [&](Value head) {
    loops.loop(loops.range(op.getIn()), [&](Value k) {
      body.head = head;
      SmallVector<Value> from = body.indices(at, body.reach(at, row), k);
      Value value = loops.load(op.getInput(), from);
      loops.store(value, copy, getIndices({at.getHead() ? head : Value(), k}));
    });
  });
}

Value GemmLoops::loadInput(Value k) {
  AtAttr at = op.getInputAt();
  if (copy)
    return loops.load(copy,
                      getIndices({at.getHead() ? body.head : Value(), k}));
  Value from = body.reach(at, row);
  if (isInWorkgroup(op.getInput())) // the rows of the range alone
    from = b.sub(from, op.getFirstRow());
  return loops.load(op.getInput(), body.indices(at, from, k));
}

Value GemmLoops::sum() {
  auto ofDepth = [&](Value k, ValueRange sum) {
    Value input = loadInput(k);
    Value weight = loops.load(op.getWeight(), body.indicesOfWeight(k, column));
    return SmallVector<Value>{multiplyAdd(loops, sum.front(), input, weight)};
  };
  Value sum =
      loops.loop(loops.range(op.getIn()), loops.zero(), ofDepth).front();
  return loops.narrow(sum, getElementTypeOrSelf(op.getInput().getType()));
}

Value GemmLoops::loadExtra(unsigned number) {
  AtAttr at = op.getExtraAt(number);
  Value from = body.rowOfExtra(at, [&] { return body.reach(at, row); });
  return loops.load(op.getExtras()[number], body.indices(at, from, column));
}

void GemmLoops::storeElement() {
  Value value =
      body.evaluate(sum(), [&](unsigned number) { return loadExtra(number); });
  AtAttr at = op.getOutputAt();
  loops.store(value, op.getOutput(),
              body.indices(at, body.reach(at, row), column));
}

void GemmLoops::run() {
  bool overwrites =
      findOverwritten(op, op.getOutputMutable()) == &op.getInputMutable();
  loops.loop(bounds.rows, [&](Value at) {
    row = at;
    findWeight();
    if (overwrites)
      copyInput();
    loops.loop(bounds.heads, [&](Value head) {
      body.head = head;
      loops.loop(bounds.columns, [&](Value at) {
        column = at;
        storeElement();
      });
    });
  });
}

void gnn::tile::scalar::buildLoops(GemmOp op, Loops &loops,
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
      : op(op), loops(loops), b(loops.b), bounds(bounds),
        body(op, b, loops.arrays) {}

  void run();

private:
  Positions findRows();
  Value load(unsigned side, Value row, Value column) {
    return loops.load(op->getOperand(side), body.indices(side, row, column));
  }
  Value sum(Value left, Value right);
  Value sumOfSide(Value column);
  Positions columnsOfSums();

  OuterOp op;
  Loops &loops;
  IndexBuilder &b;
  const Bounds &bounds;
  OuterBody body;
  Positions rows;
};
} // namespace

Positions OuterLoops::findRows() {
  if (bounds.summed.begin)
    return bounds.summed;
  if (!op.getTypes()->isFixed())
    return loops.arrays.elementsOf(b, *op.getTypes(), op.getRows(), body.type);
  int64_t perType = op.getTypes()->getCount();
  Value begin = b.mul(body.type, perType);
  return {begin, b.add(begin, perType)};
}

/// Over the rows of the type, and over heads that the output does not have.
Value OuterLoops::sum(Value left, Value right) {
  auto overRows = [&](ValueRange first) {
    return loops.loop(rows, first, [&](Value row, ValueRange sum) {
      Value x = load(0, row, left), y = load(1, row, right);
      return SmallVector<Value>{multiplyAdd(loops, sum.front(), x, y)};
    });
  };
  if (!op.sumsHeads())
    return overRows(loops.zero()).front();
  auto ofHead = [&](Value head, ValueRange sum) {
    body.head = head;
    return overRows(sum);
  };
  return loops.loop(loops.range(op.getHeads()), loops.zero(), ofHead).front();
}

Value OuterLoops::sumOfSide(Value column) {
  auto ofRow = [&](Value row, ValueRange sum) {
    Value term = loops.widen(load(op.getSummedSide(), row, column));
    return SmallVector<Value>{arith::AddFOp::create(b, sum.front(), term)};
  };
  return loops.loop(rows, loops.zero(), ofRow).front();
}

/// Those of the first columns of the other side compute the sums.
Positions OuterLoops::columnsOfSums() {
  Positions own = bounds.columns, other = bounds.leftColumns;
  if (op.getSumsLeft())
    std::swap(own, other);
  return {own.begin, arith::SelectOp::create(b, b.isZero(other.begin), own.end,
                                             own.begin)};
}

void OuterLoops::run() {
  Type element = getElementTypeOrSelf(op.getOutput().getType());
  Positions sums = op.getSums() ? columnsOfSums() : Positions();
  bool hasHeads = op.getHeads() && !op.sumsHeads();
  loops.loop(bounds.rows, [&](Value type) {
    body.type = op.getTypes() ? type : Value();
    rows = findRows();
    loops.loop(hasHeads ? bounds.heads : loops.range(1), [&](Value head) {
      body.head = head;
      loops.loop(bounds.leftColumns, [&](Value left) {
        loops.loop(bounds.columns, [&](Value right) {
          loops.store(loops.narrow(sum(left, right), element), op.getOutput(),
                      body.indicesOfOutput(left, right));
        });
      });
    });
    if (op.getSums())
      loops.loop(sums, [&](Value column) {
        loops.store(loops.narrow(sumOfSide(column), element), op.getSums(),
                    body.indicesOfSums(column));
      });
  });
}

void gnn::tile::scalar::buildLoops(OuterOp op, Loops &loops,
                                   const Bounds &bounds) {
  OuterLoops(op, loops, bounds).run();
}
