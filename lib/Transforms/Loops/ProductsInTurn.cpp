//===- ProductsInTurn.cpp - Products on the core of a CPU -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A panel of 4 rows by all columns of the range stays in vector registers while
// the summed dimension goes by: of the right side a row of vectors, of the left
// one scalar a row.
//
//===----------------------------------------------------------------------===//

#include "../Blocks/Blocks.h"

#include "GNN/Dialect/Tile/IR/FormAttributes.h"
#include "GNN/Dialect/Tile/IR/ProductLayout.h"
#include "GNN/Transforms/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

namespace gnn {
#define GEN_PASS_DEF_PRODUCTSINTURN
#include "GNN/Transforms/Passes.h.inc"
} // namespace gnn

/// Rows of a panel, and columns of a vector.
static constexpr int64_t panelRows = 4, width = 16;

/// Bytes of a weight that may be copied so that its columns lie side by side:
/// what a block of any target may have of its own.
static constexpr int64_t mostCopied = 48 << 10;

namespace {
/// Columns of the range that one vector has.
struct Piece {
  Value column;
  Value mask; // those that are there; null: all
};

/// What gemm and outer share.
class InTurn {
public:
  InTurn(TileOpInterface op, ValueRange arrays)
      : b(op->getLoc(), op), vector(VectorType::get({width}, b.getF32Type())) {
    for (auto [key, array] : llvm::zip_equal(op.getStructures(), arrays))
      indexArrays[key.str()] = array;
  }

  ImplicitLocOpBuilder b;

protected:
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value add(Value x, int64_t y) { return y ? add(x, index(y)) : x; }
  Value less(Value x, Value y) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, x, y);
  }
  Value zero() { return arith::ConstantOp::create(b, b.getZeroAttr(vector)); }
  Value broadcast(Value value) {
    return vector::BroadcastOp::create(b, vector, value);
  }
  Value loadIndex(Value array, Value at) {
    return arith::IndexCastOp::create(b, b.getIndexType(),
                                      memref::LoadOp::create(b, array, at));
  }
  /// The row that an access leads to from row `row` of `from`.
  Value reach(AtAttr at, RowDomain from, Value row) {
    if (!at.getSpace() || !needsMap(from, at.getSpace()))
      return row;
    Value array = indexArrays.at(getMapKey(from, at.getSpace()).str());
    if (from.isTiles()) // (group, begin, end)
      row = arith::MulIOp::create(b, row, index(3));
    return loadIndex(array, row);
  }
  /// The columns from `first` on, of `tile` at most; `size` there are.
  SmallVector<Piece> piecesOf(Value first, int64_t tile, int64_t size) {
    SmallVector<Piece> pieces;
    tile = std::min(tile, size);
    for (int64_t i = 0; i < tile; i += width) {
      Piece piece{add(first, i), Value()};
      if (size % std::min(tile, size) || tile % width)
        piece.mask = vector::CreateMaskOp::create(
            b, VectorType::get({width}, b.getI1Type()),
            Value(arith::SubIOp::create(b, index(size), piece.column)));
      pieces.push_back(piece);
    }
    return pieces;
  }
  Value load(Value memref, ValueRange indices, Value mask) {
    if (mask)
      return vector::MaskedLoadOp::create(b, vector, memref, indices, mask,
                                          zero());
    return vector::LoadOp::create(b, vector, memref, indices);
  }
  void store(Value value, Value memref, ValueRange indices, Value mask) {
    if (mask)
      vector::MaskedStoreOp::create(b, memref, indices, mask, value);
    else
      vector::StoreOp::create(b, value, memref, indices);
  }
  /// Loops from `begin` to `end` and adds to `sums`, which `body` gives anew.
  SmallVector<Value>
  loop(Value begin, Value end, ValueRange sums,
       function_ref<SmallVector<Value>(Value, ValueRange)> body) {
    auto made = scf::ForOp::create(b, begin, end, index(1), sums);
    OpBuilder::InsertionGuard restore(b);
    b.setInsertionPointToEnd(made.getBody());
    scf::YieldOp::create(
        b, body(made.getInductionVar(), made.getRegionIterArgs()));
    return made.getResults();
  }
  void forEach(Value end, int64_t step, function_ref<void(Value)> body) {
    auto made = scf::ForOp::create(b, index(0), end, index(step));
    OpBuilder::InsertionGuard restore(b);
    b.setInsertionPoint(made.getBody()->getTerminator());
    body(made.getInductionVar());
  }
  void where(Value condition, function_ref<void()> body) {
    OpBuilder::InsertionGuard restore(b);
    if (condition)
      b.setInsertionPointToStart(
          scf::IfOp::create(b, condition, /*withElseRegion=*/false)
              .thenBlock());
    body();
  }
  /// Adds the products of a column of scalars and a row of vectors.
  SmallVector<Value> multiply(ArrayRef<Value> left, ArrayRef<Value> right,
                              ValueRange sums) {
    SmallVector<Value> next;
    for (auto [i, scalar] : llvm::enumerate(left)) {
      Value factor = broadcast(scalar);
      for (auto [j, row] : llvm::enumerate(right))
        next.push_back(
            math::FmaOp::create(b, factor, row, sums[i * right.size() + j]));
    }
    return next;
  }

  VectorType vector;
  std::map<std::string, Value> indexArrays;
};

class GemmInTurn : public InTurn {
public:
  GemmInTurn(GemmOp op, const ProductLayout &layout)
      : InTurn(op, op.getIndexArrays()), op(op), layout(layout) {}

  void run();

private:
  SmallVector<Value> at(Value row, bool hasHead, Value column) {
    SmallVector<Value> indices;
    if (row)
      indices.push_back(row);
    if (hasHead)
      indices.push_back(op.getHead());
    if (column)
      indices.push_back(column);
    return indices;
  }
  void copyWeight();
  Value loadWeight(Value k, const Piece &piece);
  Value loadExtra(unsigned number, Value row, const Piece &piece);
  void storeRow(Value row, const Piece &piece, Value sum);

  GemmOp op;
  const ProductLayout &layout;
  SmallVector<Piece> pieces;
  Value copied; // of a transposed weight, [in, columns]
};

class OuterInTurn : public InTurn {
public:
  OuterInTurn(OuterOp op, const ProductLayout &layout)
      : InTurn(op, op.getIndexArrays()), op(op), layout(layout) {}

  void run();

private:
  AtAttr at(unsigned side) { return cast<AtAttr>(op.getInputsAt()[side]); }
  SmallVector<Value> indicesOf(unsigned side, Value row, Value column);
  SmallVector<Value>
  sumRows(ValueRange sums,
          function_ref<SmallVector<Value>(Value, ValueRange)> body);
  SmallVector<Value> loadRight(Value row);
  void storeSums();

  OuterOp op;
  const ProductLayout &layout;
  SmallVector<Piece> pieces;
  Value head;
};
} // namespace

//===----------------------------------------------------------------------===//
// gemm
//===----------------------------------------------------------------------===//

static Value getWeightRow(GemmOp op) {
  return op.getWeightRow() ? op.getWeightRow() : op.getTypeRow();
}

/// A transposed weight has its rows, not its columns, side by side.
void GemmInTurn::copyWeight() {
  int64_t columns = llvm::alignTo(std::min(layout.columns, op.getOut()), width);
  auto space = gpu::AddressSpaceAttr::get(
      b.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  copied = memref::AllocaOp::create(
      b,
      MemRefType::get({op.getIn(), columns}, b.getF32Type(),
                      MemRefLayoutAttrInterface(), space),
      b.getI64IntegerAttr(64));
  Value left =
      arith::SubIOp::create(b, index(op.getOut()), op.getFirstColumn());
  forEach(arith::MinSIOp::create(b, left, index(columns)), 1, [&](Value n) {
    forEach(index(op.getIn()), 1, [&](Value k) {
      SmallVector<Value> from = at(getWeightRow(op), op.weightHasHeads(),
                                   add(op.getFirstColumn(), n));
      from.push_back(k);
      Value value = memref::LoadOp::create(b, op.getWeight(), from);
      memref::StoreOp::create(b, value, copied, ValueRange{k, n});
    });
  });
}

Value GemmInTurn::loadWeight(Value k, const Piece &piece) {
  if (copied)
    return load(
        copied,
        {k, arith::SubIOp::create(b, piece.column, op.getFirstColumn())},
        piece.mask);
  SmallVector<Value> indices = at(getWeightRow(op), op.weightHasHeads(), k);
  indices.push_back(piece.column);
  return load(op.getWeight(), indices, piece.mask);
}

Value GemmInTurn::loadExtra(unsigned number, Value row, const Piece &piece) {
  AtAttr access = op.getExtraAt(number);
  Value reached;
  if (access.getAnchor() != Anchor::All)
    reached = op.getTypes() && access.getSpace() == *op.getTypes()
                  ? op.getTypeRow()
              : op.getWeights() && access.getSpace() == *op.getWeights()
                  ? op.getWeightRow()
                  : reach(access, op.getRows(), row);
  Value column =
      access.getFeature() ? add(piece.column, access.getOffset()) : Value();
  SmallVector<Value> indices = at(reached, access.getHead(), column);
  Value extra = op.getExtras()[number];
  if (access.getFeature())
    return load(extra, indices, piece.mask);
  return broadcast(memref::LoadOp::create(b, extra, indices));
}

/// Computes the body on columns of a row, and stores them.
void GemmInTurn::storeRow(Value row, const Piece &piece, Value sum) {
  Block &body = op.getBody().front();
  IRMapping mapping;
  mapping.map(body.getArgument(0), sum);
  for (unsigned x = 0; x < op.getExtras().size(); ++x)
    mapping.map(body.getArgument(1 + x), loadExtra(x, row, piece));
  auto widen = [&](Value value) -> Value {
    if (isa<VectorType>(value.getType()))
      return value;
    return vector::BroadcastOp::create(
        b, VectorType::get({width}, value.getType()), value);
  };
  for (Operation &inner : body.without_terminator()) {
    if (isa<arith::ConstantOp>(inner)) {
      b.clone(inner, mapping);
      continue;
    }
    SmallVector<Value> operands;
    for (Value operand : inner.getOperands())
      operands.push_back(widen(mapping.lookup(operand)));
    OperationState state(
        inner.getLoc(), inner.getName(), operands,
        {VectorType::get({width}, inner.getResult(0).getType())},
        inner.getAttrs());
    mapping.map(inner.getResult(0), b.create(state)->getResult(0));
  }
  Value result = widen(mapping.lookup(body.getTerminator()->getOperand(0)));
  AtAttr access = op.getOutputAt();
  store(result, op.getOutput(),
        at(reach(access, op.getRows(), row), access.getHead(),
           add(piece.column, access.getOffset())),
        piece.mask);
}

void GemmInTurn::run() {
  if (op.getTransposed())
    copyWeight();
  pieces = piecesOf(op.getFirstColumn(), layout.columns, op.getOut());
  AtAttr access = op.getInputAt();
  Value count = op.getRowCount();
  Value last = arith::SubIOp::create(b, count, index(1));
  forEach(count, panelRows, [&](Value first) {
    SmallVector<Value> rows, inputs, inside;
    for (int64_t i = 0; i < panelRows; ++i) {
      Value number = add(first, i);
      inside.push_back(i ? less(number, count) : Value());
      rows.push_back(
          add(op.getFirstRow(), arith::MinSIOp::create(b, number, last)));
      inputs.push_back(reach(access, op.getRows(), rows.back()));
    }
    SmallVector<Value> sums(panelRows * pieces.size(), zero());
    sums = loop(index(0), index(op.getIn()), sums,
                [&](Value k, ValueRange before) {
                  SmallVector<Value> left, right;
                  for (const Piece &piece : pieces)
                    right.push_back(loadWeight(k, piece));
                  for (Value row : inputs)
                    left.push_back(memref::LoadOp::create(
                        b, op.getInput(),
                        at(row, access.getHead(), add(k, access.getOffset()))));
                  return multiply(left, right, before);
                });
    // All rows are read before one is written, which may be the same.
    for (int64_t i = 0; i < panelRows; ++i)
      where(inside[i], [&] {
        for (auto [j, piece] : llvm::enumerate(pieces))
          storeRow(rows[i], piece, sums[i * pieces.size() + j]);
      });
  });
}

//===----------------------------------------------------------------------===//
// outer
//===----------------------------------------------------------------------===//

SmallVector<Value> OuterInTurn::indicesOf(unsigned side, Value row,
                                          Value column) {
  SmallVector<Value> indices{reach(at(side), op.getRows(), row)};
  if (at(side).getHead())
    indices.push_back(head);
  indices.push_back(add(column, at(side).getOffset()));
  return indices;
}

/// Over all rows, of one head after the other where they are summed.
SmallVector<Value>
OuterInTurn::sumRows(ValueRange sums,
                     function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  Value end = add(op.getFirstRow(), op.getRowCount());
  if (!op.sumsHeads()) {
    head = op.getHead();
    return loop(op.getFirstRow(), end, sums, body);
  }
  return loop(index(0), index(op.getHeads()), sums,
              [&](Value number, ValueRange before) {
                head = number;
                return loop(op.getFirstRow(), end, before, body);
              });
}

SmallVector<Value> OuterInTurn::loadRight(Value row) {
  SmallVector<Value> values;
  for (const Piece &piece : pieces)
    values.push_back(
        load(op.getRight(), indicesOf(1, row, piece.column), piece.mask));
  return values;
}

/// The block of the first columns of the left side adds up the right one.
void OuterInTurn::storeSums() {
  SmallVector<Value> sums(pieces.size(), zero());
  sums = sumRows(sums, [&](Value row, ValueRange before) {
    SmallVector<Value> next;
    for (auto [sum, value] : llvm::zip(before, loadRight(row)))
      next.push_back(arith::AddFOp::create(b, sum, value));
    return next;
  });
  for (auto [piece, sum] : llvm::zip(pieces, sums)) {
    SmallVector<Value> indices{piece.column};
    if (op.getTypeRow())
      indices.insert(indices.begin(), op.getTypeRow());
    store(sum, op.getSums(), indices, piece.mask);
  }
}

void OuterInTurn::run() {
  int64_t in = cast<ShapedType>(op.getLeft().getType()).getShape().back();
  int64_t out = cast<ShapedType>(op.getRight().getType()).getShape().back();
  pieces = piecesOf(op.getRightColumn(), layout.columns, out);
  Value left = op.getLeftColumn();
  Value count = arith::MinSIOp::create(
      b, arith::SubIOp::create(b, index(in), left), index(ProductLayout::rows));
  Value last = index(in - 1);
  forEach(count, panelRows, [&](Value first) {
    SmallVector<Value> columns, inside;
    for (int64_t i = 0; i < panelRows; ++i) {
      Value number = add(left, add(first, i));
      inside.push_back(i ? less(number, index(in)) : Value());
      columns.push_back(arith::MinSIOp::create(b, number, last));
    }
    SmallVector<Value> sums(panelRows * pieces.size(), zero());
    sums = sumRows(sums, [&](Value row, ValueRange before) {
      SmallVector<Value> values;
      for (Value column : columns)
        values.push_back(
            memref::LoadOp::create(b, op.getLeft(), indicesOf(0, row, column)));
      return multiply(values, loadRight(row), before);
    });
    for (int64_t i = 0; i < panelRows; ++i)
      where(inside[i], [&] {
        for (auto [j, piece] : llvm::enumerate(pieces)) {
          SmallVector<Value> indices;
          if (op.getTypeRow())
            indices.push_back(op.getTypeRow());
          if (op.getHead())
            indices.push_back(op.getHead());
          indices.append({columns[i], piece.column});
          store(sums[i * pieces.size() + j], op.getOutput(), indices,
                piece.mask);
        }
      });
  });
  if (!op.getSums())
    return;
  where(less(left, index(1)), [&] { storeSums(); });
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Why a product stays as it is; empty where it does not.
static std::string explainRefusal(GemmOp op, const ProductLayout &layout) {
  if (!op.getTransposed() ||
      op.getIn() * llvm::alignTo(std::min(layout.columns, op.getOut()), width) *
              4 <=
          mostCopied)
    return "";
  return "a transposed weight of " + std::to_string(op.getIn()) + " x " +
         std::to_string(op.getOut()) + " is too large to be copied";
}
static std::string explainRefusal(OuterOp, const ProductLayout &) { return ""; }

namespace {
struct ProductsInTurn : gnn::impl::ProductsInTurnBase<ProductsInTurn> {
  void runOnOperation() override {
    SmallVector<Operation *> products;
    getOperation()->walk([&](Operation *op) {
      if (isa<GemmOp, OuterOp>(op))
        products.push_back(op);
    });
    for (Operation *op : products) {
      auto gemm = dyn_cast<GemmOp>(op);
      if (failed(gemm ? lower<GemmInTurn>(gemm)
                      : lower<OuterInTurn>(cast<OuterOp>(op))))
        return signalPassFailure();
    }
  }

private:
  template <typename Lowering, typename ProductOp>
  LogicalResult lower(ProductOp op) {
    if (!op.isOnRange())
      return success();
    auto named = [&](StringRef name) {
      return remark::RemarkOpts::name(name).category(getArgument());
    };
    auto blocks = dyn_cast<scf::ForallOp>(op->getParentOp());
    if (!blocks)
      return op.emitOpError("expected a product in a loop over blocks, got '")
             << op->getParentOp()->getName() << "'";
    FailureOr<ProductLayout> layout = getLayout(op);
    if (failed(layout))
      return failure();
    if (std::string why = explainRefusal(op, *layout); !why.empty()) {
      remark::missed(op.getLoc(), named("Lowered")) << why;
      return success();
    }
    remark::passed(op.getLoc(), named("Lowered"))
        << ("panels of " + Twine(panelRows) + " rows in vectors of " +
            Twine(width))
               .str();
    Lowering(op, *layout).run();
    blocks->setAttr(attribute::threads,
                    IntegerAttr::get(IntegerType::get(&getContext(), 64), 1));
    op.erase();
    return success();
  }
};
} // namespace
