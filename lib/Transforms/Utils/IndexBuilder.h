//===- IndexBuilder.h - Index arithmetic and accesses -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_UTILS_INDEXBUILDER_H
#define GNN_LIB_TRANSFORMS_UTILS_INDEXBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace gnn::tile {

/// A builder with short names for index arithmetic, of scalars or of two
/// vectors of one shape, for loops and for accesses. Upstream's ArithBuilder
/// has neither constants nor loads, and no conditions that may be missing.
class IndexBuilder : public mlir::ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  mlir::Value index(int64_t value) {
    return mlir::arith::ConstantIndexOp::create(*this, value);
  }
  /// Half of the registers of an index.
  mlir::Value number32(int64_t value) {
    return mlir::arith::ConstantIntOp::create(*this, value, 32);
  }
  mlir::Value add(mlir::Value x, mlir::Value y) {
    return mlir::arith::AddIOp::create(*this, x, y);
  }
  /// `x` itself where `y` is 0.
  mlir::Value add(mlir::Value x, int64_t y) {
    return y ? add(x, indexLike(x, y)) : x;
  }
  mlir::Value sub(mlir::Value x, mlir::Value y) {
    return mlir::arith::SubIOp::create(*this, x, y);
  }
  mlir::Value mul(mlir::Value x, int64_t y) {
    return mlir::arith::MulIOp::create(*this, x, indexLike(x, y));
  }
  mlir::Value min(mlir::Value x, mlir::Value y) {
    return mlir::arith::MinSIOp::create(*this, x, y);
  }
  mlir::Value less(mlir::Value x, mlir::Value y) {
    return mlir::arith::CmpIOp::create(*this, mlir::arith::CmpIPredicate::slt,
                                       x, y);
  }
  mlir::Value isZero(mlir::Value x) {
    return mlir::arith::CmpIOp::create(*this, mlir::arith::CmpIPredicate::eq, x,
                                       index(0));
  }
  /// Two conditions, of which null ones hold always.
  mlir::Value both(mlir::Value x, mlir::Value y) {
    if (!x || !y)
      return x ? x : y;
    return mlir::arith::AndIOp::create(*this, x, y);
  }
  mlir::Value toI32(mlir::Value x) {
    return mlir::arith::IndexCastOp::create(*this, getI32Type(), x);
  }
  using Values = llvm::SmallVector<mlir::Value>;
  /// A loop in steps of `step` that carries `inits`, for which `body` gives the
  /// next values by the induction variable. Returns what is left of them.
  Values loop(mlir::Value begin, mlir::Value end, mlir::Value step,
              mlir::ValueRange inits,
              llvm::function_ref<Values(mlir::Value, mlir::ValueRange)> body);
  /// A loop that carries nothing.
  void loop(mlir::Value begin, mlir::Value end, mlir::Value step,
            llvm::function_ref<void(mlir::Value)> body);
  /// A branch like `op` of other types: `fill` builds in each of its blocks
  /// what one of `op` does, and gives what it yields.
  mlir::FailureOr<Values>
  branchLike(mlir::scf::IfOp op, mlir::Value condition, mlir::TypeRange types,
             llvm::function_ref<mlir::FailureOr<Values>(mlir::Block &)> fill);
  /// Builds `body` in a branch, unless `condition` is null and holds always.
  void where(mlir::Value condition, llvm::function_ref<void()> body);

  /// `x` in each of `count` entries.
  mlir::Value splat(mlir::Value x, int64_t count);
  /// An entry of an array of integers; of several entries where `at` is a
  /// vector.
  mlir::Value loadIndex(mlir::Value array, mlir::Value at);
  /// `width` elements side by side, a scalar where it is 1. `isAligned`: they
  /// lie on a boundary of their size.
  mlir::Value loadVector(mlir::Value memref, mlir::ValueRange indices,
                         int64_t width, bool isAligned = true);
  void storeVector(mlir::Value value, mlir::Value memref,
                   mlir::ValueRange indices, bool isAligned = true);

  /// A constant of the type of `x`, in each entry where that is a vector.
  mlir::Value indexLike(mlir::Value x, int64_t value);
};

/// Builds at another location for as long as this stands.
class LocationScope {
public:
  LocationScope(mlir::ImplicitLocOpBuilder &b, mlir::Location loc)
      : b(b), before(b.getLoc()) {
    b.setLoc(loc);
  }
  ~LocationScope() { b.setLoc(before); }
  LocationScope(const LocationScope &) = delete;

private:
  mlir::ImplicitLocOpBuilder &b;
  mlir::Location before;
};

} // namespace gnn::tile

#endif // GNN_LIB_TRANSFORMS_UTILS_INDEXBUILDER_H
