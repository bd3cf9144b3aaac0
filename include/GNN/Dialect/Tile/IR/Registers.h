//===- Registers.h - Registers of a block's threads -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bounds that a schedule sets on the registers of a kernel, for
// traversals and products alike.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_DIALECT_TILE_IR_REGISTERS_H
#define GNN_DIALECT_TILE_IR_REGISTERS_H

#include "GNN/Dialect/GNN/IR/TargetFields.h"
#include "GNN/Dialect/Tile/IR/ScheduleFields.h"

namespace gnn::tile {

/// Registers that a thread has at most; more is spilled.
inline constexpr int64_t mostRegisters = 255;
/// The same at least, which ptxas raises others to.
inline constexpr int64_t fewestRegisters = 24;

/// Registers of a thread that are given at a time.
inline constexpr int64_t givenTogether = 8;

/// The registers of a multiprocessor that a thread occupies if it uses this
/// number: a warp gets multiples of 256.
int64_t countGiven(int64_t registers);

/// A bound for threads with this estimate of registers, with some to spare.
int64_t boundFor(int64_t estimate);

/// The bounds that ptxas gets: fields of schedules, 0 if open.
struct RegisterFields {
  int64_t processorBlocks = 0; ///< `.minnctapersm`
  int64_t maxRegisters = 0;    ///< `.maxnreg`

  explicit RegisterFields(const TraverseSchedule &schedule)
      : processorBlocks(schedule.processorBlocks),
        maxRegisters(schedule.maxRegisters) {}
  /// Those of a template's schedule; none of a core.
  explicit RegisterFields(mlir::Attribute schedule);
  bool areOpen() const { return !processorBlocks && !maxRegisters; }
};

/// The registers of a block.
struct BlockRegisters {
  /// `registers`: what a thread needs, by an estimate.
  BlockRegisters(int64_t registers, const RegisterFields &fields,
                 const TargetLimits &limits, int64_t threads);

  int64_t mostOfThread; ///< more is spilled
  int64_t ofBlock;      ///< taken of a multiprocessor
  int64_t mostOfBlock;  ///< that a multiprocessor has; 0: not known
  /// Whether a block can be launched.
  bool haveRoom() const { return !mostOfBlock || ofBlock <= mostOfBlock; }
};

/// Empty if a GPU with these limits can honour them for blocks of this number
/// of threads (0: unknown); else the field and the reason.
std::string explainRefusal(const RegisterFields &fields,
                           const TargetLimits &limits, int64_t threads);

} // namespace gnn::tile

#endif // GNN_DIALECT_TILE_IR_REGISTERS_H
