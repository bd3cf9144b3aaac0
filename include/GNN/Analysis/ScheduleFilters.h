//===- ScheduleFilters.h - Schedules that cannot be the best ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The constraints of LO-SpMM (3.2 to 3.4), by which a tuner excludes candidates
// before it compiles them: each is a function of a schedule, the GPU, and the
// rows of the graph.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_ANALYSIS_SCHEDULEFILTERS_H
#define GNN_ANALYSIS_SCHEDULEFILTERS_H

#include "GNN/Dialect/Tile/IR/TraverseLayout.h"

#include <map>

namespace gnn {

/// `Registers`: a thread does not spill, and a block has room for its
/// registers. `Utilization`: warps are whole, and more than half of the
/// multiprocessors have a block. `Balance`: blocks have similar numbers of
/// elements, and few columns are padding.
enum class ScheduleFilter { Registers, Utilization, Balance };

llvm::StringRef name(ScheduleFilter filter);
std::optional<ScheduleFilter> findScheduleFilter(llvm::StringRef name);
/// "registers, utilization, balance".
std::string listScheduleFilters();

/// The facts of a schedule that filters need. An unknown number is 0, and does
/// not exclude a schedule.
struct Candidate {
  /// Registers that a thread needs, and its limit.
  int64_t registers = 0, mostRegisters = 0;
  /// The same for a block.
  int64_t blockRegisters = 0, mostOfBlock = 0;
  int64_t threads = 0, warp = 0;
  /// Blocks of a launch, M/M1 x N/N1 of equation (1), of which the last ones
  /// may be parts; and multiprocessors.
  double blocks = 0, processors = 0;
  /// COV_row: the coefficient of variation of the elements of blocks.
  double rowVariation = 0;
  /// WASTE_col: the share of padding in the columns that lanes compute.
  double columnWaste = 0;
};

/// TH_row and TH_col.
inline constexpr double mostRowVariation = 0.25, mostColumnWaste = 0.25;

bool passes(ScheduleFilter filter, const Candidate &candidate);
/// The degree of violation of a filter; at most 1 for schedules that pass.
double weigh(ScheduleFilter filter, const Candidate &candidate);

/// The places of the candidates that pass, in order. If none passes, they are
/// those of the smallest violation.
llvm::SmallVector<size_t> keepPassing(ScheduleFilter filter,
                                      llvm::ArrayRef<Candidate> candidates);

/// The coefficient of variation of the numbers of elements of blocks, with this
/// number of rows each: `begins` are the first elements of rows and the end of
/// the last one, `order` the rows in the order of blocks (empty: memory order).
/// Rows of more than `longest` elements, if that is not 0, are pieces and count
/// without elements.
double countRowVariation(llvm::ArrayRef<int32_t> begins,
                         llvm::ArrayRef<int32_t> order, int64_t rowsOfBlock,
                         int64_t longest = 0);

/// The share of padding if `features` columns are taken this many at a time.
double countColumnWaste(int64_t features, int64_t columns);

/// The groups of a traversal in a graph.
struct BoundRows {
  llvm::ArrayRef<int32_t> begins;
  /// For each `TakenOrder`; empty for memory order.
  std::array<llvm::ArrayRef<int32_t>, 3> orders;
};

/// Describes the candidates of one traversal.
class CandidatesOf {
public:
  /// `rows`: null if the graph is unknown.
  CandidatesOf(tile::TraverseOp op, const BoundRows *rows);
  Candidate describe(const tile::TraverseSchedule &schedule);

private:
  double countVariation(const tile::TraverseSchedule &schedule,
                        const tile::TraverseLayout &layout);

  tile::TraverseFacts facts;
  const BoundRows *rows;
  double numGroups = 0, numElements = 0;
  /// By order and rows of a block.
  std::map<std::pair<int64_t, int64_t>, double> variations;
};

/// The candidate of a product of this number of rows (0: unknown) and columns.
Candidate describeProduct(mlir::Operation *op, tile::GemmScheduleAttr schedule,
                          int64_t registers, double rows, int64_t columns);

} // namespace gnn

#endif // GNN_ANALYSIS_SCHEDULEFILTERS_H
