//===- ScalarLoops.h - Templates as loops of scalars ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each template is the loops that its definition names, and nothing else: no
// schedule, no vectors, no threads. Other lowerings are held to what these
// compute.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_CONVERSION_TILETOSCALARLOOPS_SCALARLOOPS_H
#define GNN_LIB_CONVERSION_TILETOSCALARLOOPS_SCALARLOOPS_H

#include "../../Transforms/Utils/IndexArrays.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace gnn::tile::scalar {

using Positions = IndexArrays::ElementRange;

/// The part that a template computes: all of its rows, heads and columns, or
/// those of its range.
struct Bounds {
  Positions rows, heads, columns;
  /// The columns of the left side of an outer, and the rows that are summed
  /// where all types have the same.
  Positions leftColumns = {}, summed = {};
  /// All groups of a walk by edges, whose rows are elements.
  Positions groups = {};
};

/// Builds the loops of one template.
class Loops {
public:
  /// At `body`, in a block that arrays of the thread are at the beginning of.
  Loops(IndexBuilder body, mlir::Block *block, IndexArrays arrays)
      : b(std::move(body)), arrays(std::move(arrays)), block(block) {}

  IndexBuilder b;
  IndexArrays arrays;

  Positions range(int64_t end) { return range(b.index(end)); }
  Positions range(mlir::Value end) { return {b.index(0), end}; }
  /// At most `most` positions from `begin` on, before `end`.
  Positions range(mlir::Value begin, int64_t most, mlir::Value end) {
    return {begin, b.min(b.add(begin, most), end)};
  }
  /// One position.
  Positions at(mlir::Value position) { return {position, b.add(position, 1)}; }

  /// A loop that carries `inits`; gives what is left of them.
  llvm::SmallVector<mlir::Value>
  loop(Positions range, mlir::ValueRange inits,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value,
                                                         mlir::ValueRange)>
           body) {
    return b.loop(range.begin, range.end, b.index(1), inits, body);
  }
  void loop(Positions range, llvm::function_ref<void(mlir::Value)> body) {
    b.loop(range.begin, range.end, b.index(1), body);
  }
  mlir::Value load(mlir::Value buffer, mlir::ValueRange indices) {
    return mlir::memref::LoadOp::create(b, buffer, indices);
  }
  void store(mlir::Value value, mlir::Value buffer, mlir::ValueRange indices) {
    mlir::memref::StoreOp::create(b, value, buffer, indices);
  }
  /// An array of one thread.
  mlir::Value array(llvm::ArrayRef<int64_t> shape, mlir::Type element) {
    mlir::OpBuilder::InsertionGuard restore(b);
    b.setInsertionPointToStart(block);
    return mlir::memref::AllocaOp::create(
        b, mlir::MemRefType::get(shape, element));
  }

  /// 0 to begin a sum of floats with: an f64, so that a sum of many rows is no
  /// worse than one whose parts are added up first.
  mlir::Value zero() {
    return mlir::arith::ConstantOp::create(b, b.getF64FloatAttr(0));
  }
  /// A float as a term of such a sum, and the sum as an element of `type`.
  mlir::Value widen(mlir::Value value) {
    mlir::Type type = b.getF64Type();
    return value.getType() == type
               ? value
               : mlir::arith::ExtFOp::create(b, type, value);
  }
  mlir::Value narrow(mlir::Value sum, mlir::Type type) {
    return sum.getType() == type ? sum
                                 : mlir::arith::TruncFOp::create(b, type, sum);
  }

private:
  mlir::Block *block;
};

/// Builds what a template computes.
void buildLoops(TraverseOp op, Loops &loops, const Bounds &bounds);
void buildLoops(GemmOp op, Loops &loops, const Bounds &bounds);
void buildLoops(OuterOp op, Loops &loops, const Bounds &bounds);

} // namespace gnn::tile::scalar

#endif // GNN_LIB_CONVERSION_TILETOSCALARLOOPS_SCALARLOOPS_H
