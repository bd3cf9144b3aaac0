//===- Shadow.cpp - Asynchronous copies and races in shared memory --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each granule of shared memory remembers its last writer and readers, and
// since which barrier. Two threads that meet in one epoch race, unless they are
// of one warp and have waited for each other since.
//
//===----------------------------------------------------------------------===//

#include "Worker.h"

#include <cstring>

using namespace gnn::emulator;

ShadowCell *Worker::cellOf(const char *address) const {
  return shadow + ((address - shared) >> kernel->granuleShift);
}

/// How many barriers of its warp a thread has passed; none where kernels have
/// none and threads run one after the other.
uint32_t Worker::warpBarriersOf(uint32_t thread) const {
  return thread < lanes.size() ? lanes[thread].warpBarriers : 0;
}

/// Whether another thread left `cell` in the epoch of `key`.
static bool meets(uint32_t cell, uint32_t key) {
  return (cell ^ key) - 1 < threadMask;
}

bool Worker::touch(uint32_t site, uint32_t key, const char *address,
                   int64_t bytes, FaultKind kind) {
  if (bytes <= 0)
    return true;
  uint32_t warp = (key & threadMask) / warpSize;
  uint32_t passed = warpBarriersOf(key & threadMask);
  auto isOfWarp = [&](uint32_t cell) {
    return (cell & threadMask) / warpSize == warp;
  };
  ShadowCell *last = cellOf(address + bytes - 1);
  for (ShadowCell *cell = cellOf(address); cell <= last; ++cell) {
    bool isRead = kind == FaultKind::RaceRead;
    bool isAtomic = kind == FaultKind::RaceAtomic;
    uint32_t atomicKey = (key & ~threadMask) | atomicThread;
    bool writer = cell->written == pendingCell || meets(cell->written, key);
    if (isAtomic && cell->written == atomicKey)
      writer = false;
    bool wasWritten = cell->written != pendingCell &&
                      (cell->written & threadMask) < atomicThread &&
                      isOfWarp(cell->written) && cell->writtenAfter < passed;
    writer &= !wasWritten;
    bool reader = !isRead && meets(cell->read, key) &&
                  !(cell->readWarp == warp && cell->readAfter < passed);
    if (writer || reader) {
      blame(kind, key & threadMask, site);
      fault.values[0] = address - shared;
      fault.values[1] = writer;
      fault.other = writer ? cell->written : cell->read;
      return false;
    }
    if (!isRead) {
      cell->written = isAtomic ? atomicKey : key;
      cell->writtenAfter = passed;
      continue;
    }
    bool isFirst = (cell->read ^ key) > threadMask; // of its epoch
    cell->readWarp = isFirst || cell->readWarp == warp ? warp : manyWarps;
    cell->readAfter = passed;
    cell->read = meets(cell->read, key) ? key | manyThreads : key;
  }
  return true;
}

void Worker::shadowAccess(uint32_t site, const char *address, int64_t bytes,
                          FaultKind kind) {
  if (touch(site, key, address, bytes, kind))
    return;
  switchTo(scheduler.context, grave);
}

void Worker::asyncCopy(uint32_t site, char *destination, const char *source,
                       int64_t bytes, int64_t elements, int64_t elementBytes) {
  if (elements < 0 || elements > bytes / elementBytes) {
    values[0] = elements;
    values[1] = elementBytes;
    values[2] = bytes;
    fail(site, FaultKind::AsyncCopySize);
  }
  int64_t sourceBytes = elements * elementBytes;
  if (isChecked()) {
    shadowAccess(site, destination, bytes, FaultKind::RaceWrite);
    ShadowCell *last = cellOf(destination + bytes - 1);
    for (ShadowCell *cell = cellOf(destination); cell <= last; ++cell)
      cell->written = pendingCell;
  }
  queues[thread()].copies.push_back({destination, source,
                                     static_cast<uint32_t>(bytes),
                                     static_cast<uint32_t>(sourceBytes)});
}

void Worker::asyncCommit() {
  CopyQueue &queue = queues[thread()];
  queue.groups.push_back(queue.copies.size());
}

void Worker::land(const CopyQueue::Copy &copy) {
  std::memcpy(copy.destination, copy.source, copy.sourceBytes);
  std::memset(copy.destination + copy.sourceBytes, 0,
              copy.bytes - copy.sourceBytes);
  if (!isChecked())
    return;
  ShadowCell *last = cellOf(copy.destination + copy.bytes - 1);
  for (ShadowCell *cell = cellOf(copy.destination); cell <= last; ++cell) {
    cell->written = key;
    cell->writtenAfter = warpBarriersOf(thread());
  }
}

void Worker::asyncWait(uint32_t groups) {
  CopyQueue &queue = queues[thread()];
  if (queue.groups.size() <= groups)
    return;
  size_t landing = queue.groups.size() - groups;
  size_t landed = queue.groups[landing - 1];
  for (size_t i = 0; i < landed; ++i)
    land(queue.copies[i]);
  queue.copies.erase(queue.copies.begin(), queue.copies.begin() + landed);
  queue.groups.erase(queue.groups.begin(), queue.groups.begin() + landing);
  for (size_t &end : queue.groups)
    end -= landed;
}
