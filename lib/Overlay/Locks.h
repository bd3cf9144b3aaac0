//===- Locks.h - Full and empty buffers -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_OVERLAY_LOCKS_H
#define GNN_LIB_OVERLAY_LOCKS_H

#include "Buffers.h"

namespace gnn::overlay {

/// The mutexes of a processing element in program order. What waits for a bit
/// that nothing before it can change waits for ever: a later instruction is not
/// issued, or waits behind it.
class Locks {
public:
  /// Takes the buffers of an instruction, and gives back those that it unlocks.
  runtime::Error step(const Instruction &instruction, const BufferUse &use) {
    if (BufferSet missing = use.reads & ~full)
      return missing & unlocked
                 ? runtime::failure("deadlock: it waits until ",
                                    nameOf(missing),
                                    " is full, which was filled without a lock")
                 : runtime::failure("deadlock: it waits until ",
                                    nameOf(missing),
                                    " is full, which nothing has filled");
    if (BufferSet taken = use.fills & full)
      return instruction.lock
                 ? runtime::failure("deadlock: it waits until ", nameOf(taken),
                                    " is empty, which nothing unlocks")
                 : runtime::failure("expected a lock: it overwrites ",
                                    nameOf(taken), ", which is locked");
    unlocked &= ~use.fills;
    if (instruction.lock) {
      if (!use.fills)
        return runtime::failure("expected no lock of an instruction that fills "
                                "no buffer");
      full |= use.fills;
    } else {
      unlocked |= use.fills;
    }
    for (uint64_t bit : {WeightBit, EdgeBit, FeatureBit, OutputBit}) {
      if (!(instruction.unlock & bit))
        continue;
      BufferSet given = buffersOfBits(bit) & (use.reads | use.fills);
      if (!given)
        return runtime::failure("expected it to unlock what it reads, got ",
                                nameOf(buffersOfBits(bit)));
      full &= ~given;
    }
    return {};
  }

  /// Checks the end of a tile, where all are empty.
  runtime::Error finish() const {
    if (full)
      return runtime::failure("expected all buffers unlocked at the end of the "
                              "tile, got ",
                              nameOf(full), " locked");
    return {};
  }

private:
  BufferSet full = 0;
  /// Filled, but not locked.
  BufferSet unlocked = 0;
};

} // namespace gnn::overlay

#endif // GNN_LIB_OVERLAY_LOCKS_H
