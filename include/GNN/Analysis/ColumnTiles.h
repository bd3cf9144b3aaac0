//===- ColumnTiles.h - Costs of tiles of columns ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_ANALYSIS_COLUMNTILES_H
#define GNN_ANALYSIS_COLUMNTILES_H

#include "GNN/Analysis/CostModel.h"
#include "GNN/Dialect/Tile/IR/TraverseLayout.h"

namespace gnn {

/// The part of a row that a tile takes: so many features of so many heads.
struct ColumnTile {
  int64_t heads, columns;

  bool operator==(ColumnTile other) const {
    return heads == other.heads && columns == other.columns;
  }
};

/// The costs of gathers for all tiles of a traversal's rows, each of which
/// walks the elements again.
class TileCosts {
public:
  TileCosts(const CostModel &model, tile::TraverseOp op,
            const tile::TraverseFacts &facts, StatsAttr stats, bool isByEdges);

  /// Whether elements gather rows at all.
  bool hasTables() const { return !tables.empty(); }
  /// The time of all such tiles of a row, with the launches that they take
  /// beside the first, but for what does not depend on them.
  double seconds(ColumnTile tile, ColumnTile row) const;
  /// Whether what a tile gathers of all rows stays in the L2.
  bool fits(ColumnTile tile) const;
  /// The tile that is better than `whole` columns of all heads of `row`, or
  /// these; it goes with the vectors and lanes of `schedule`.
  ColumnTile choose(ColumnTile row, const tile::TraverseSchedule &schedule,
                    int64_t whole) const;

private:
  /// The same where elements are walked by themselves.
  double secondsByEdges(ColumnTile tile) const;

  /// One that elements gather rows from: one column of it.
  struct Table {
    GatherWork ofColumn;
    bool hasHeads;

    GatherWork gatherOf(ColumnTile tile) const {
      GatherWork gather = ofColumn;
      gather.rowBytes *=
          static_cast<double>(tile.columns * (hasHeads ? tile.heads : 1));
      return gather;
    }
  };

  const CostModel &model;
  tile::TraverseOp op;
  const tile::TraverseFacts &facts;
  StatsAttr stats;
  bool isByEdges;
  double groups = 0, elements = 0;
  /// Bytes that each element reads whatever the tile: ids.
  double idBytes = 0;
  /// Bytes of numbers that an element has, in all or for each head: scores.
  double scoreBytes = 0, headScoreBytes = 0;
  /// Bytes of the results of an element to which tiles of columns add.
  double resultBytes = 0;
  bool joins = false;         ///< a kernel joins the pieces of rows
  bool writesInOrder = false; ///< results of elements, as they are walked
  llvm::SmallVector<Table> tables;
};

} // namespace gnn

#endif // GNN_ANALYSIS_COLUMNTILES_H
