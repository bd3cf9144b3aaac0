//===- ScheduleFilters.h - Schedules that cannot be the best ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The constraints of LO-SpMM (3.2 to 3.4), by which a tuner leaves candidates
// out before it compiles them: each is a function of a schedule, the GPU, and
// the rows of the graph.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_ANALYSIS_SCHEDULEFILTERS_H
#define GNN_ANALYSIS_SCHEDULEFILTERS_H

#include "GNN/Dialect/Tile/IR/TraverseLayout.h"

#include <map>

namespace gnn {

/// `Registers`: a thread spills none, and a block has all of its own.
/// `Utilization`: warps are whole, and more than half of the multiprocessors
/// have a block. `Balance`: blocks have about as many elements each, and few
/// columns are padding.
enum class ScheduleFilter { Registers, Utilization, Balance };

llvm::StringRef name(ScheduleFilter filter);
std::optional<ScheduleFilter> findScheduleFilter(llvm::StringRef name);
/// "registers, utilization, balance".
std::string listScheduleFilters();

/// The facts of a schedule that filters need. A number of which nothing is
/// known is 0, and keeps no schedule from passing.
struct Candidate {
  /// Registers that a thread needs, and that it may have.
  int64_t registers = 0, mostRegisters = 0;
  /// The same of a block.
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
/// How bad it is by a filter; of those that pass at most 1.
double weigh(ScheduleFilter filter, const Candidate &candidate);

/// The places of the candidates that pass, in order. Where none does, they are
/// those of the least bad.
llvm::SmallVector<size_t> keepPassing(ScheduleFilter filter,
                                      llvm::ArrayRef<Candidate> candidates);

/// The coefficient of variation of the elements that blocks have, of so many
/// rows each: `begins` are the first elements of rows and the end of the last
/// one, `order` the rows as blocks take them (empty: as they lie). Rows of more
/// than `longest` elements, if that is not 0, are pieces and have none.
double countRowVariation(llvm::ArrayRef<int32_t> begins,
                         llvm::ArrayRef<int32_t> order, int64_t rowsOfBlock,
                         int64_t longest = 0);

/// The share of padding where `features` columns are taken so many at a time.
double countColumnWaste(int64_t features, int64_t columns);

/// The groups of a traversal as a graph has them.
struct BoundRows {
  llvm::ArrayRef<int32_t> begins;
  /// By each `TakenOrder`; that of rows as they lie is empty.
  std::array<llvm::ArrayRef<int32_t>, 3> orders;
};

/// Describes the candidates of one traversal.
class CandidatesOf {
public:
  /// `rows`: null where the graph is not known.
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

/// The candidate of a product of so many rows (0: not known) and columns.
Candidate describeProduct(mlir::Operation *op, tile::GemmScheduleAttr schedule,
                          int64_t registers, double rows, int64_t columns);

} // namespace gnn

#endif // GNN_ANALYSIS_SCHEDULEFILTERS_H
