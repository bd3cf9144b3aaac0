//===- Context.h - A running kernel's view of its block ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one layout that compiled kernels and the scheduler share. Compiled code
// reads and writes the fields by their offsets.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_EMULATOR_RUN_CONTEXT_H
#define GNN_LIB_EMULATOR_RUN_CONTEXT_H

#include <cstdint>

namespace gnn::emulator {

/// Where a thread is in its block.
struct ThreadPosition {
  int32_t x, y, z, unused;
};

/// A thread at a time: the barrier epoch in the high bits, the linear thread in
/// the low ones. Epochs only grow, so that old shadow cells need no clearing.
constexpr uint32_t threadBits = 11;
constexpr uint32_t threadMask = (1u << threadBits) - 1;
/// Stands for several readers in one epoch.
constexpr uint32_t manyThreads = threadMask;
/// Stands for atomic writers, which do not race among themselves.
constexpr uint32_t atomicThread = threadMask - 1;
/// `written` of a cell that an asynchronous copy has still to land in.
constexpr uint32_t pendingCell = ~0u;
constexpr uint32_t maxEpoch = (1u << (32 - threadBits)) - 2;

/// Who last touched a granule of shared memory: keys as above.
/// Within an epoch, threads of one warp wait for each other at its barriers:
/// how many the warp had passed, and of the readers which warp it was.
struct ShadowCell {
  uint32_t written, read;
  uint32_t writtenAfter, readAfter, readWarp;
};
/// Stands for readers of several warps.
constexpr uint32_t manyWarps = ~0u;

inline constexpr uint32_t warpSize = 32; // threads
/// Behind the modes of gpu.shuffle: of a lane of the own part of the warp.
inline constexpr uint32_t shuffleInParts = 4;

/// Dimensions of memory.
constexpr unsigned maxRank = 8;

/// The kinds of faults; the values say where.
enum class FaultKind : uint32_t {
  None,
  /// values: rank, count, first index outside of the last dimension or -1, then
  /// (index, extent) a dimension.
  OutOfBounds,
  /// values: address, alignment.
  Misaligned,
  /// values: byte offset in shared memory.
  RaceRead,
  RaceWrite,
  RaceAtomic,
  DivisionByZero,
  DivisionOverflow,
  /// values: argument, bytes asked for, bytes passed.
  ArgumentTooShort,
  /// values: bytes asked for by a view, bytes there.
  ViewTooLarge,
  /// values: dimension, offset, size, stride, extent.
  SubviewOutside,
  /// The other thread has exited or waits elsewhere.
  AbsentThread,
  /// values: the other thread's width.
  ShuffleWidthDiffers,
  /// values: lane, width.
  ShuffleInactiveLane,
  /// values: width.
  ShuffleWidth,
  /// values: lane read from.
  ShuffleNoLane,
  /// values: lanes of the warp.
  PartialWarp,
  /// values: elements of the source, bytes of one, bytes of the destination.
  AsyncCopySize,
};

/// The facts of an access that are known when it is compiled, in the bits of a
/// number.
struct AccessKind {
  /// Bytes of an element.
  uint64_t bytes : 16;
  /// The address is a multiple of 2 to the power of this.
  uint64_t alignment : 8;
  /// The FaultKind of a race; None where the memory is not shared.
  uint64_t race : 8;
  /// The address is that of the element; else of the memory, whose dimensions
  /// lie one after the other.
  uint64_t ofElement : 1;
  /// Lanes are accessed each by itself.
  uint64_t byLane : 1;
  /// One more than the argument that is loaded from; 0: none is.
  uint64_t loaded : 16;
};

struct KernelContext {
  int64_t blockId[3];
  int64_t blockDim[3];
  int64_t gridDim[3];
  /// The block's shared memory: static attributions, then dynamic bytes.
  char *shared;
  int64_t dynamicSharedBytes;
  ShadowCell *shadow;
  /// Bytes behind each pointer argument; the greatest int64 where unknown.
  const int64_t *argumentBytes;
  /// Elements that threads have loaded of each argument.
  int64_t *loads;
  /// Linear threads in the order in which a plain kernel runs them.
  const uint32_t *order;
  const ThreadPosition *positions;
  int64_t numThreads;
  /// The epoch, shifted; a plain kernel adds its threads.
  uint32_t epoch;
  /// The running thread's key.
  uint32_t key;
  /// The `valid` result of the last shuffle.
  uint32_t valid;
  int64_t values[3 + 2 * maxRank];
};

} // namespace gnn::emulator

#endif // GNN_LIB_EMULATOR_RUN_CONTEXT_H
