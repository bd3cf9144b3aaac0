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

  /// The array of a structure that the template names.
  mlir::Value get(const StructureKey &key) const { return byKey.at(key); }
  /// The row that an access leads to from row `row` of `from`; or several, from
  /// a vector of rows.
  mlir::Value reach(IndexBuilder &b, AtAttr at, RowDomain from,
                    mlir::Value row) const;

  /// From `begin` to `end`, which is not one of them.
  struct Range {
    mlir::Value begin, end;
  };
  /// The elements of a group.
  Range elementsOf(IndexBuilder &b, RowDomain groups, RowDomain elements,
                   mlir::Value group) const;
  /// The first entry of a row of `tiles`: the group, its begin and its end.
  static mlir::Value firstOfTile(IndexBuilder &b, mlir::Value tile) {
    return b.mul(tile, 3);
  }

private:
  std::map<StructureKey, mlir::Value> byKey;
};

} // namespace gnn::tile

#endif // GNN_LIB_TRANSFORMS_UTILS_INDEXARRAYS_H
