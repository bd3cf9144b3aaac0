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

#include "GNN/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace gnn::tile::scalar {

/// From `begin` to `end`, which is not one of them.
struct Positions {
  mlir::Value begin, end;
};

/// What a template computes: all of its rows, heads and columns, or those of
/// its range.
struct Bounds {
  Positions rows, heads, columns;
  /// Of an outer, the columns of its left side.
  Positions leftColumns = {};
};

using LoopBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    mlir::OpBuilder &, mlir::Value, mlir::ValueRange)>;

/// Short names for loops, loads and index arithmetic of one template.
class Loops {
public:
  /// Builds what the host knows at `host`, the loops at `body`, and arrays at
  /// `front`. `arrays`: the index arrays of an op that is on a range, whose
  /// buffers have their extents.
  Loops(TileOpInterface op, mlir::OpBuilder host, mlir::OpBuilder body,
        mlir::OpBuilder front, std::optional<mlir::ValueRange> arrays)
      : loc(op.getLoc()), body(body), op(op), host(host), front(front),
        arrays(arrays) {}

  mlir::Location loc;
  mlir::OpBuilder body;

  mlir::Value index(int64_t value);
  Positions range(int64_t end) { return {index(0), index(end)}; }
  /// At most `most` positions from `begin` on, before `end`.
  Positions range(mlir::Value begin, int64_t most, mlir::Value end);
  /// One position.
  Positions at(mlir::Value position) {
    return {position, add(body, position, 1)};
  }

  /// The number of rows of a domain.
  mlir::Value count(RowDomain rows);
  /// An index array of the graph: on a range, that which the op names.
  mlir::Value structure(const StructureKey &key);
  /// A buffer with the extent of `rows`, where it is dynamic.
  mlir::Value view(mlir::Value buffer, RowDomain rows);
  /// An array of one thread.
  mlir::Value array(llvm::ArrayRef<int64_t> shape, mlir::Type element);

  /// A loop that carries `init`; gives what is left of it.
  llvm::SmallVector<mlir::Value> loop(mlir::OpBuilder &builder, Positions range,
                                      mlir::ValueRange init, LoopBody body);
  mlir::Value load(mlir::OpBuilder &builder, mlir::Value buffer,
                   mlir::ValueRange indices);
  void store(mlir::OpBuilder &builder, mlir::Value value, mlir::Value buffer,
             mlir::ValueRange indices);
  mlir::Value add(mlir::OpBuilder &builder, mlir::Value a, int64_t b);
  mlir::Value mul(mlir::OpBuilder &builder, mlir::Value a, int64_t b);

  /// 0 to begin a sum of floats with: an f64, so that a sum of many rows is no
  /// worse than one whose parts are added up first.
  mlir::Value zero(mlir::OpBuilder &builder);
  /// A float as a term of such a sum, and the sum as an element of `type`.
  mlir::Value widen(mlir::OpBuilder &builder, mlir::Value value);
  mlir::Value narrow(mlir::OpBuilder &builder, mlir::Value sum,
                     mlir::Type type);

  /// The row that an access reaches from row `row` of `from`.
  mlir::Value reach(mlir::OpBuilder &builder, AtAttr at, RowDomain from,
                    mlir::Value row);
  /// The positions of the elements of a group.
  Positions elements(mlir::OpBuilder &builder, RowDomain groups,
                     RowDomain elements, mlir::Value group);

private:
  mlir::Value loadIndex(mlir::OpBuilder &builder, mlir::Value array,
                        mlir::Value at);

  TileOpInterface op;
  mlir::OpBuilder host;
  /// In front of all loops.
  mlir::OpBuilder front;
  std::optional<mlir::ValueRange> arrays;
};

/// The arithmetic of a region, of those of its values that are asked for:
/// `mapping` holds its arguments.
mlir::Value cloneValue(mlir::OpBuilder &builder, mlir::Value value,
                       mlir::IRMapping &mapping);

/// The same in loops, in front of each template.
void lowerTraverse(TraverseOp op, Loops &loops, const Bounds &bounds);
void lowerGemm(GemmOp op, Loops &loops, const Bounds &bounds);
void lowerOuter(OuterOp op, Loops &loops, const Bounds &bounds);

} // namespace gnn::tile::scalar

#endif // GNN_LIB_CONVERSION_TILETOSCALARLOOPS_SCALARLOOPS_H
