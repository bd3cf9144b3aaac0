//===- ScheduleFilters.cpp - Schedules that cannot be the best ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Analysis/ScheduleFilters.h"

#include "GNN/Analysis/Targets.h"
#include "GNN/Dialect/GNN/IR/Target.h"
#include "GNN/Dialect/Tile/IR/ProductLayout.h"
#include "GNN/Dialect/Tile/IR/Registers.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace gnn;
using namespace gnn::tile;

//===----------------------------------------------------------------------===//
// Filters
//===----------------------------------------------------------------------===//

static constexpr StringLiteral names[] = {"registers", "utilization",
                                          "balance"};

StringRef gnn::name(ScheduleFilter filter) {
  return names[static_cast<size_t>(filter)];
}

std::optional<ScheduleFilter> gnn::findScheduleFilter(StringRef name) {
  const auto *found = llvm::find(names, name);
  if (found == std::end(names))
    return std::nullopt;
  return static_cast<ScheduleFilter>(found - names);
}

std::string gnn::listScheduleFilters() {
  return llvm::join(ArrayRef<StringLiteral>(names), ", ");
}

static double divide(double number, double by) {
  return number && by ? number / by : 0;
}

double gnn::weigh(ScheduleFilter filter, const Candidate &candidate) {
  auto share = [](int64_t number, int64_t most) {
    return divide(static_cast<double>(number), static_cast<double>(most));
  };
  switch (filter) {
  case ScheduleFilter::Registers:
    return std::max(share(candidate.registers, candidate.mostRegisters),
                    share(candidate.blockRegisters, candidate.mostOfBlock));
  case ScheduleFilter::Utilization: {
    int64_t warp = std::max<int64_t>(candidate.warp, 1);
    return std::max(
        share(llvm::alignTo(candidate.threads, warp), candidate.threads),
        divide(candidate.processors, 2 * candidate.blocks));
  }
  case ScheduleFilter::Balance:
    return std::max(candidate.rowVariation / mostRowVariation,
                    candidate.columnWaste / mostColumnWaste);
  }
  llvm_unreachable("all filters are handled");
}

/// As many blocks as half of the multiprocessors are too few.
bool gnn::passes(ScheduleFilter filter, const Candidate &candidate) {
  bool hasBlocks = filter != ScheduleFilter::Utilization || !candidate.blocks ||
                   !candidate.processors ||
                   2 * candidate.blocks > candidate.processors;
  return hasBlocks && weigh(filter, candidate) <= 1;
}

SmallVector<size_t> gnn::keepPassing(ScheduleFilter filter,
                                     ArrayRef<Candidate> candidates) {
  SmallVector<size_t> kept, leastBad;
  double least = 0;
  for (auto [i, candidate] : llvm::enumerate(candidates)) {
    if (passes(filter, candidate))
      kept.push_back(i);
    double bad = weigh(filter, candidate);
    if (leastBad.empty() || bad < least)
      leastBad.clear();
    if (leastBad.empty() || bad == least) {
      least = bad;
      leastBad.push_back(i);
    }
  }
  return kept.empty() ? leastBad : kept;
}

double gnn::countRowVariation(ArrayRef<int32_t> begins, ArrayRef<int32_t> order,
                              int64_t rowsOfBlock, int64_t longest) {
  auto rows = static_cast<int64_t>(begins.size()) - 1;
  double sum = 0, squares = 0, blocks = 0;
  for (int64_t first = 0; first < rows; first += rowsOfBlock) {
    double elements = 0;
    for (int64_t at = first; at < std::min(first + rowsOfBlock, rows); ++at) {
      int64_t row = order.empty() ? at : order[at];
      int64_t length = int64_t(begins[row + 1]) - begins[row];
      elements += static_cast<double>(longest && length > longest ? 0 : length);
    }
    ++blocks;
    sum += elements;
    squares += elements * elements;
  }
  if (sum == 0)
    return 0;
  double mean = sum / blocks;
  return std::sqrt(std::max(squares / blocks - mean * mean, 0.0)) / mean;
}

double gnn::countColumnWaste(int64_t features, int64_t columns) {
  auto taken = static_cast<int64_t>(llvm::alignTo(features, columns));
  return static_cast<double>(taken - features) / static_cast<double>(taken);
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

/// What a thread needs, and what fields and the target leave it.
static void setRegisters(Candidate &candidate, int64_t registers,
                         const RegisterFields &fields,
                         const TargetLimits &limits) {
  BlockRegisters block(registers, fields, limits, candidate.threads);
  candidate.registers = registers;
  candidate.mostRegisters = block.mostOfThread;
  candidate.blockRegisters = block.ofBlock;
  candidate.mostOfBlock = block.mostOfBlock;
}

CandidatesOf::CandidatesOf(TraverseOp op, const BoundRows *rows)
    : facts(op), rows(rows) {
  facts.processors = getFigures(op).processors;
  if (rows) {
    numGroups = static_cast<double>(rows->begins.size() - 1);
    numElements = rows->begins.back();
  }
}

/// Equal shares differ by what the last one lacks alone.
double CandidatesOf::countVariation(const TraverseSchedule &schedule,
                                    const TraverseLayout &layout) {
  if (!rows || !facts.hasElements || layout.rowWalk == RowWalk::ByEdges)
    return 0;
  int64_t ofBlock = schedule.getBlockPositions();
  auto order = static_cast<int64_t>(layout.rowOrder);
  auto [known, isNew] = variations.try_emplace({order, ofBlock}, 0);
  if (isNew)
    known->second = countRowVariation(rows->begins,
                                      rows->orders[static_cast<size_t>(order)],
                                      ofBlock, facts.longLength);
  return known->second;
}

Candidate CandidatesOf::describe(const TraverseSchedule &schedule) {
  TraverseLayout layout = layOut(schedule, facts);
  Candidate candidate;
  candidate.threads = layout.threads();
  candidate.warp = layout.isOneLane ? 1 : layout.warp;
  candidate.processors = facts.processors;
  if (!layout.isOneLane)
    setRegisters(candidate, layout.registers, RegisterFields(schedule),
                 facts.limits);
  bool byEdges = layout.rowWalk == RowWalk::ByEdges;
  int64_t columns = std::min(schedule.columnsPerBlock, facts.features);
  // Tiles of columns that are reduced are launches.
  double tiles = facts.reducesFeatures ? 1 : divide(facts.features, columns);
  candidate.blocks =
      divide(byEdges ? numElements : numGroups, schedule.getBlockPositions()) *
      tiles;
  candidate.rowVariation = countVariation(schedule, layout);
  int64_t ofTile = layout.chunks * layout.featureLanes * layout.vector;
  int64_t heads = facts.headsOfBlock(schedule);
  double used = (1 - countColumnWaste(columns, ofTile)) *
                (1 - countColumnWaste(facts.features, columns)) *
                (1 - countColumnWaste(heads, layout.headLanes));
  candidate.columnWaste = 1 - used;
  return candidate;
}

Candidate gnn::describeProduct(Operation *op, GemmScheduleAttr schedule,
                               int64_t registers, double rows,
                               int64_t columns) {
  Candidate candidate;
  candidate.threads = ProductLayout::threads;
  TargetLimits limits = getBlockLimits(op);
  candidate.warp = limits.lanes;
  candidate.processors = getFigures(op).processors;
  setRegisters(candidate, registers, RegisterFields(schedule), limits);
  candidate.blocks =
      divide(rows, ProductLayout::rows) * divide(columns, schedule.getN());
  candidate.columnWaste = countColumnWaste(columns, schedule.getN());
  return candidate;
}
