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

/// The part of a row in a tile: this number of features of this number of
/// heads.
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
  /// The time of all such tiles of a row, with their additional launches,
  /// without terms that do not depend on them.
  double seconds(ColumnTile tile, ColumnTile row) const;
  /// Whether the gathered rows of a tile stay in the L2.
  bool fits(ColumnTile tile) const;
  /// The tile that is better than `whole` columns of all heads of `row`, or
  /// these; with the vectors and lanes of `schedule`.
  ColumnTile choose(ColumnTile row, const tile::TraverseSchedule &schedule,
                    int64_t whole) const;

private:
  /// The same if elements are walked independently of groups.
  double secondsByEdges(ColumnTile tile) const;

  /// A table from which elements gather rows: one column of it.
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
  /// Bytes that each element reads for any tile: ids.
  double idBytes = 0;
  /// Bytes of numbers of an element, in all or for each head: scores.
  double scoreBytes = 0, headScoreBytes = 0;
  /// Bytes of the results of an element to which tiles of columns add.
  double resultBytes = 0;
  bool joins = false;         ///< a kernel joins the pieces of rows
  bool writesInOrder = false; ///< results of elements, as they are walked
  llvm::SmallVector<Table> tables;
};

} // namespace gnn

#endif // GNN_ANALYSIS_COLUMNTILES_H
