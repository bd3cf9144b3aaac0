//===- RowOrders.h - The cost of an order of rows ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows that are walked together wait for the longest of them. An order by
// degree puts rows of the same length together, and moves rows away from their
// neighbours in memory.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_ANALYSIS_ROWORDERS_H
#define GNN_ANALYSIS_ROWORDERS_H

#include "GNN/Analysis/RowStatistics.h"
#include "GNN/Dialect/Tile/IR/TraverseLayout.h"

#include <limits>
#include <string>

namespace gnn {

/// How the lengths of rows are spread: as a logarithmic normal distribution,
/// whose few long rows are those of graphs.
class RowSpread {
public:
  /// For rows with `lengths` and a sum of squares `squares`. If the sum is
  /// unknown (0), it is estimated from the longest row: the value at which this
  /// length is the expected maximum of that many rows.
  explicit RowSpread(const RowLengths &lengths, double squares = 0);

  /// The variance of a length over the square of the mean.
  double getVariance() const;

  /// The elements that are expected of the longest of `rows` rows, of each of
  /// which no more than `most` are counted.
  double
  expectLongest(double rows,
                double most = std::numeric_limits<double>::infinity()) const;

  /// The time of `together` rows that wait for each other, relative to that of
  /// rows of equal length: the expected longest of them over the mean.
  ///
  /// In the natural order the lengths of adjacent rows are independent. In an
  /// order by degree, the lengths of the n rows of a window descend from the
  /// longest. So the total time that rows wait for each other is at most that
  /// of the longest:
  ///
  ///     1 + (together - 1) / n * expectLongest(n) / mean
  ///
  /// `by_degree` is one window of all rows. Elements of a row beyond `most` are
  /// walked by other teams, and no row waits for them.
  double
  expectIdle(tile::TakenOrder order, double together,
             double most = std::numeric_limits<double>::infinity()) const;

private:
  double mean, rows;
  /// The deviation of the logarithm.
  double deviation;
};

/// Chooses the order of the rows of a traversal whose schedule has all other
/// fields. `setting` is 0 for memory order, 1 for order by degree and 2 for
/// order by degree within windows, if the traversal can have it; -1 takes the
/// fastest by the statistics of the graph. `why` gets the reason for memory
/// order, or the gain.
tile::TakenOrder chooseRowOrder(tile::TraverseOp op, int64_t setting,
                                std::string &why);

} // namespace gnn

#endif // GNN_ANALYSIS_ROWORDERS_H
