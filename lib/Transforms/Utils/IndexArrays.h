//===- IndexArrays.h - The index arrays of a template -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_TRANSFORMS_UTILS_INDEXARRAYS_H
#define GNN_LIB_TRANSFORMS_UTILS_INDEXARRAYS_H

#include "IndexBuilder.h"

#include "GNN/Dialect/Tile/IR/Tile.h"

#include <map>

namespace gnn::tile {

/// The index arrays that a template reads, by what the graph calls them, and
/// the rows that they lead to.
class IndexArrays {
public:
  IndexArrays() = default; // none
  /// `arrays`: in the order of the structures of `op`.
  IndexArrays(TileOpInterface op, mlir::ValueRange arrays);
  /// Those that are asked for, made by `host`.
  IndexArrays(TileOpInterface op, mlir::OpBuilder host)
      : op(op), host(std::move(host)) {}

  mlir::Value get(const StructureKey &key);
  /// The row that an access leads to from row `row` of `from`; or several, from
  /// a vector of rows.
  mlir::Value reach(IndexBuilder &b, AtAttr at, RowDomain from,
                    mlir::Value row);

  /// From `begin` to `end`, which is not one of them.
  struct ElementRange {
    mlir::Value begin, end;
  };
  /// The elements of a group.
  ElementRange elementsOf(IndexBuilder &b, RowDomain groups, RowDomain elements,
                          mlir::Value group);
  /// The word at a position of the stream of rows of `target` in a walk by
  /// edges, and the row that it has.
  mlir::Value wordAt(IndexBuilder &b, TraverseOp op, RowDomain target,
                     mlir::Value position);
  /// The words of `count` elements of a share from the one at `offset` on,
  /// which is a multiple of `count`. With `once`, caches may evict first
  /// what is loaded.
  llvm::SmallVector<mlir::Value> wordsOf(IndexBuilder &b, TraverseOp op,
                                         RowDomain target, mlir::Value share,
                                         mlir::Value offset, int64_t count,
                                         bool once = false);
  static mlir::Value rowOfWord(IndexBuilder &b, mlir::Value word);
  /// The first entry of a row of `tiles`: the group, its begin and its end.
  static mlir::Value firstOfTile(IndexBuilder &b, mlir::Value tile) {
    return b.mul(tile, 3);
  }

private:
  /// The group that the element at a position is of, by its pointers.
  mlir::Value search(IndexBuilder &b, const StructureKey &rows,
                     mlir::Value position);

  TileOpInterface op;
  std::optional<mlir::OpBuilder> host;
  std::map<StructureKey, mlir::Value> byKey;
};

/// Where an operand lies of which `at` leads to `row`, at a head and a column:
/// those of its dimensions that it has.
llvm::SmallVector<mlir::Value> getIndices(IndexBuilder &b, AtAttr at,
                                          mlir::Value row, mlir::Value head,
                                          mlir::Value column);
/// The same by the values of the dimensions, null of those that it has not.
llvm::SmallVector<mlir::Value>
getIndices(llvm::ArrayRef<mlir::Value> dimensions);

} // namespace gnn::tile

#endif // GNN_LIB_TRANSFORMS_UTILS_INDEXARRAYS_H
