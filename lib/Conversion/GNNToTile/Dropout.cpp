//===- Dropout.cpp - Random features without a mask -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3",
// SC 2011): a word is a function of its number, so that every lane makes its
// own and the backward pass makes them again.
//
//===----------------------------------------------------------------------===//

#include "OpLowerings.h"

#include "GNN/Dialect/GNN/IR/GNNFeatureOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include <array>

using namespace mlir;
using namespace gnn;
using tile::Anchor;
using tile::AtAttr;

namespace {
/// 32-bit words in 64-bit arithmetic.
struct Philox {
  OpBuilder &b;
  Location loc;

  Value constant(int64_t value) {
    return arith::ConstantIntOp::create(b, loc, value, 64);
  }
  Value low(Value x) {
    return arith::AndIOp::create(b, loc, x, constant(0xFFFFFFFF));
  }
  Value high(Value x) {
    return arith::ShRUIOp::create(b, loc, x, constant(32));
  }
  Value exclusiveOr(Value x, Value y, Value z) {
    return arith::XOrIOp::create(b, loc, arith::XOrIOp::create(b, loc, x, y),
                                 z);
  }
  /// The four words of a 64-bit counter under a 64-bit key.
  std::array<Value, 4> words(Value counter, Value key);
};
} // namespace

std::array<Value, 4> Philox::words(Value counter, Value key) {
  Value zero = constant(0);
  std::array<Value, 4> c{low(counter), high(counter), zero, zero};
  Value k0 = low(key), k1 = high(key);
  for (int round = 0; round < 10; ++round) {
    Value p0 = arith::MulIOp::create(b, loc, c[0], constant(0xD2511F53));
    Value p1 = arith::MulIOp::create(b, loc, c[2], constant(0xCD9E8D57));
    c = {exclusiveOr(high(p1), c[1], k0), low(p1),
         exclusiveOr(high(p0), c[3], k1), low(p0)};
    k0 = low(arith::AddIOp::create(b, loc, k0, constant(0x9E3779B9)));
    k1 = low(arith::AddIOp::create(b, loc, k1, constant(0xBB67AE85)));
  }
  return c;
}

/// The word of element `n`.
static Value emitWord(OpBuilder &b, Location loc, Value n, Value seed,
                      Value offset) {
  Philox philox{b, loc};
  Value counter = arith::AddIOp::create(
      b, loc, offset, arith::ShRUIOp::create(b, loc, n, philox.constant(2)));
  std::array<Value, 4> words = philox.words(counter, seed);
  Value part = arith::AndIOp::create(b, loc, n, philox.constant(3));
  Value word = words[3];
  for (int64_t i : {2, 1, 0}) {
    Value mine = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, part,
                                       philox.constant(i));
    word = arith::SelectOp::create(b, loc, mine, words[i], word);
  }
  return word;
}

static LogicalResult lowerDropout(DropoutOp op, Lowering &lowering) {
  LoweredRows result = lowering.describe(op.getType());
  SmallVector<int64_t> full(result.features);
  int64_t size = sizeOf(full);
  if (!full.empty())
    result.features = {size};
  LoweredRows input = lowering.reshape(op.getLoc(), lowering.get(op.getInput()),
                                       result.features);
  // Elements are counted in the user's order of the rows.
  tile::RowDomain user = result.getDomain().getNatural();
  auto row = AtAttr::get(op.getContext(), Anchor::Group,
                         user == result.getDomain() ? tile::RowDomain() : user,
                         false, false, 0);
  auto column = AtAttr::get(op.getContext(), Anchor::All, {}, false, true, 0);
  double p = op.getP().convertToDouble();
  auto dropped = static_cast<int64_t>(p * 4294967296.0);
  auto emit = [&](OpBuilder &b, Location loc, ValueRange args) -> Value {
    Type i32 = b.getI32Type(), i64 = b.getI64Type();
    auto number = [&](AtAttr at) -> Value {
      return arith::ExtSIOp::create(b, loc, i64,
                                    tile::IndexOp::create(b, loc, i32, at));
    };
    Value n = arith::MulIOp::create(
        b, loc, number(row), arith::ConstantIntOp::create(b, loc, size, 64));
    if (!full.empty())
      n = arith::AddIOp::create(b, loc, n, number(column));
    Value kept = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::uge,
        emitWord(b, loc, n, args[1], args[2]),
        arith::ConstantIntOp::create(b, loc, dropped, 64));
    Type type = args[0].getType();
    auto constant = [&](double value) -> Value {
      return arith::ConstantOp::create(
          b, loc, b.getFloatAttr(cast<FloatType>(type), value));
    };
    Value scaled = arith::DivFOp::create(b, loc, args[0], constant(1 - p));
    return arith::SelectOp::create(b, loc, kept, scaled, constant(0));
  };
  lowering.setRowwise(op, result, result.features,
                      {lowering.leading(input, result),
                       lowering.trailing(lowering.get(op.getSeed()), 0),
                       lowering.trailing(lowering.get(op.getOffset()), 0)},
                      emit);
  return success();
}

void gnn::registerDropoutLowering(DialectRegistry &registry) {
  registerLowerings<GNNDialect, lowerDropout>(registry);
}
