//===- ProductMma.cpp - Products on tensor cores --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A float is a tf32 number and what that leaves, itself one but for its last
// bit. Three of the four products of such parts are added by mma.sync; the
// fourth is below the last bit of the sum. Tensor cores cut sums off rather
// than round them, so that a sum there is short and its steps are added on the
// general cores (Ootomo and Yokota, IJHPCA 2022, section 3).
//
// With g = lane / 4 and t = lane % 4, an m16n8k8 has rows g and g + 8 and
// depths t and t + 4 of the left operand in a lane, depths t and t + 4 and
// column g of the right one, and of the sum rows g and g + 8 and columns 2t and
// 2t + 1. Which rows, columns and depths of a tile these are is ours to say. A
// lane takes 4 depths side by side, 4t to 4t + 3 of 16, where the permutation
// of staged arrays (gnn_tile.array) puts lanes into different banks; rows
// 2g and 2g + 1 of the warp's, and columns 2g and 2g + 1 of 16, each a load of
// two values.
//
//===----------------------------------------------------------------------===//

#include "Distribution.h"

#include "GNN/Dialect/Tile/IR/ProductForms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

LogicalResult Distribution::checkFragments(ContractOp op) {
  SpreadAttr fragments = getFragmentSpread(op.getContext());
  if (op.getSpread() == fragments)
    return success();
  InFlightDiagnostic diag = op.emitOpError(
      "cannot be multiplied on tensor cores: expected sums spread as ");
  return diag << fragments << ", got " << op.getSpread();
}

/// `across` as the thread finds it permuted at all of its depths.
Value Distribution::permuted(const Staged &side, Spread spread, Value across) {
  int64_t permutation = permutationOf(side.array);
  if (permutation <= 1)
    return across;
  // Depths begin at 4t, which is the column that the thread begins at.
  Value turn = arith::AndIOp::create(b, placeOf(spread).second,
                                     b.index(4 * (permutation - 1)));
  return bitXor(across, b.mul(turn, 2));
}

namespace {
/// The two tf32 numbers that a float is split into: the nearest one, and what
/// that leaves of it.
enum TF32 { High, Low };
struct Split {
  Value high, low;
};
} // namespace

/// The nearest tf32 number, of halves the one away from 0, has 13 bits less.
/// Tensor cores cut the last bits of the rest off.
static Split split(ImplicitLocOpBuilder &b, Value x) {
  Type i32 = b.getI32Type();
  auto bits = [&](uint32_t value) -> Value {
    return arith::ConstantOp::create(b,
                                     b.getIntegerAttr(i32, APInt(32, value)));
  };
  Value word = arith::BitcastOp::create(b, i32, x);
  word = arith::AddIOp::create(b, word, bits(0x1000));
  word = arith::AndIOp::create(b, word, bits(0xffffe000));
  Value high = arith::BitcastOp::create(b, x.getType(), word);
  return {high, arith::SubFOp::create(b, x, high)};
}

/// The operand of mma.sync with those values.
static Value makeFragment(ImplicitLocOpBuilder &b, ArrayRef<Value> values) {
  auto type = VectorType::get({int64_t(values.size()), 1}, b.getF32Type());
  Value fragment = arith::ConstantOp::create(b, b.getZeroAttr(type));
  for (auto [i, value] : llvm::enumerate(values))
    fragment = vector::InsertOp::create(b, value, fragment,
                                        ArrayRef<int64_t>{int64_t(i), 0});
  return fragment;
}

/// Adds the products of 16 depths from `from` on, 8 at a time.
SmallVector<Value> Distribution::addFragments(const Staged &left,
                                              const Staged &right,
                                              Spread spread, ValueRange sums,
                                              Value from, Value rightFrom) {
  auto [row, column] = placeOf(spread);
  Value depth = b.add(from, column);
  Value rightDepth = from == rightFrom ? depth : b.add(rightFrom, column);
  Value rows = permuted(left, spread, row);
  Value first =
      permuted(right, spread,
               arith::AndIOp::create(b, row, b.index(fragmentColumns - 1)));
  int64_t pairs = sums.size() / spread.eachRows();
  // Two values of two depths side by side, by part, value, depth.
  using SplitValues = std::array<std::array<std::array<Value, 2>, 2>, 2>;
  auto read = [&](const Staged &side, Value depth, int64_t k, Value across) {
    SplitValues values;
    for (int64_t i = 0; i < 2; ++i) {
      Value two =
          b.loadVector(scalar(side.array), {b.add(depth, k + i), across}, 2);
      for (int64_t e = 0; e < 2; ++e) {
        Split value = split(b, vector::ExtractOp::create(b, two, e));
        values[High][e][i] = value.high;
        values[Low][e][i] = value.low;
      }
    }
    return values;
  };
  Values next(sums);
  for (int64_t k = 0; k < fragmentDepth / 4; k += 2) {
    SplitValues x = read(left, depth, k, rows);
    Value lefts[2];
    for (TF32 part : {High, Low})
      lefts[part] = makeFragment(
          b, {x[part][0][0], x[part][1][0], x[part][0][1], x[part][1][1]});
    for (int64_t pair = 0; pair < pairs; ++pair) {
      // The permutation reaches into the next pair.
      Value columns =
          pair % 2 ? bitXor(first, b.index(fragmentColumns)) : first;
      SplitValues y = read(right, rightDepth, k,
                           b.add(columns, pair / 2 * 2 * fragmentColumns));
      for (int64_t e = 0; e < 2; ++e) { // fragments, whose columns lie in turns
        Value sum = zero(VectorType::get({2, 2}, b.getF32Type()));
        // Small products first.
        for (auto [l, r] : {std::pair(Low, High), {High, Low}, {High, High}})
          sum = nvgpu::MmaSyncOp::create(b, lefts[l], makeFragment(b, y[r][e]),
                                         sum, ArrayRef<int64_t>{16, 8, 8},
                                         /*tf32Enabled=*/true);
        for (int64_t i = 0; i < 2; ++i) { // rows
          Value &part = next[i * pairs + pair];
          for (int64_t j = 0; j < 2; ++j) { // columns
            int64_t at = 2 * j + e;
            Value value = arith::AddFOp::create(
                b, vector::ExtractOp::create(b, part, at),
                vector::ExtractOp::create(b, sum, ArrayRef<int64_t>{i, j}));
            part = vector::InsertOp::create(b, value, part, at);
          }
        }
      }
    }
  }
  return next;
}
