//===- Worker.cpp - Fibers and blocks -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread that waits switches straight to the next one of the list; the
// scheduler is asked when the list is done. A fiber that fails or exits is left
// where it is: compiled kernels own nothing, so nothing needs unwinding.
//
//===----------------------------------------------------------------------===//

#include "Worker.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <numeric>

using namespace gnn::emulator;
using boost::context::detail::fcontext_t;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

//===----------------------------------------------------------------------===//
// StackPool
//===----------------------------------------------------------------------===//

StackPool::~StackPool() {
  if (memory)
    munmap(memory, capacity * stackBytes);
}

bool StackPool::reserve(size_t count, size_t bytes) {
  bytes = (bytes + spread + 4095) / 4096 * 4096;
  if (memory && count <= capacity && bytes <= stackBytes)
    return true;
  if (memory)
    munmap(memory, capacity * stackBytes);
  capacity = std::max(count, capacity);
  stackBytes = std::max(bytes, stackBytes);
  // Pages that no fiber touches cost nothing.
  void *mapped =
      mmap(nullptr, capacity * stackBytes, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  memory = mapped == MAP_FAILED ? nullptr : static_cast<char *>(mapped);
  if (!memory)
    capacity = stackBytes = 0;
  return memory != nullptr;
}

char *StackPool::top(size_t index) const {
  // Equal ends modulo the page size would all fall into one set of the cache.
  size_t offset = index * 192 % spread / 64 * 64;
  return memory + (index + 1) * stackBytes - offset;
}

//===----------------------------------------------------------------------===//
// Fibers
//===----------------------------------------------------------------------===//

namespace gnn::emulator {
/// The first function of each fiber.
void enterFiber(transfer_t transfer) {
  Slot *from = static_cast<Slot *>(transfer.data);
  from->context = transfer.fctx;
  Worker *worker = from->worker;
  worker->kernel->function(worker, worker->frame->arguments);
  worker->exitLane();
}
} // namespace gnn::emulator

Worker::Worker() : KernelContext() {
  scheduler.worker = this;
  grave.worker = this;
}

Worker::~Worker() = default;

void Worker::startLane(uint32_t lane, fcontext_t &target) {
  if (lanes[lane].state == Lane::Fresh)
    lanes[lane].context =
        make_fcontext(stacks.top(lane), stacks.size(), enterFiber);
  lanes[lane].state = Lane::Ready;
  key = epoch | lane;
  target = lanes[lane].context;
}

void Worker::switchTo(fcontext_t target, Slot &self) {
  transfer_t transfer = jump_fcontext(target, &self);
  static_cast<Slot *>(transfer.data)->context = transfer.fctx;
}

void Worker::yield(Slot &self) {
  fcontext_t target = scheduler.context;
  if (cursor < list.size())
    startLane(list[cursor++], target);
  switchTo(target, self);
}

void Worker::exitLane() {
  if (kernel->needsFibers)
    lanes[thread()].state = Lane::Exited;
  yield(grave);
  __builtin_unreachable(); // nobody has the context of the grave
}

void Worker::runListed() {
  cursor = 0;
  yield(scheduler);
}

void Worker::fail(uint32_t site, FaultKind kind) {
  blame(kind, thread(), site);
  std::copy(std::begin(values), std::end(values), std::begin(fault.values));
  if (kind == FaultKind::RaceRead || kind == FaultKind::RaceWrite ||
      kind == FaultKind::RaceAtomic) {
    const char *address = reinterpret_cast<const char *>(values[0]);
    ShadowCell cell = *cellOf(address);
    fault.values[0] = address - shared;
    bool isWriter =
        cell.written == pendingCell || (cell.written ^ key) - 1 < threadMask;
    fault.other = isWriter ? cell.written : cell.read;
    fault.values[1] = isWriter;
  }
  switchTo(scheduler.context, grave);
  __builtin_unreachable();
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

bool Worker::begin(const LaunchFrame &newFrame) {
  frame = &newFrame;
  kernel = frame->kernel;
  for (int i = 0; i < 3; ++i) {
    blockDim[i] = frame->block[i];
    gridDim[i] = frame->grid[i];
  }
  numThreads = frame->block[0] * frame->block[1] * frame->block[2];
  dynamicSharedBytes = frame->dynamicSharedBytes;
  argumentBytes = frame->argumentBytes;
  loaded.assign(kernel->signature.parameters().size(), 0);
  loads = loaded.data();
  positions = frame->positions;
  order = frame->identity;

  constexpr size_t alignment = 256;
  sharedBytes = kernel->staticSharedBytes + dynamicSharedBytes;
  if (sharedMemory.size() < sharedBytes + alignment)
    sharedMemory.resize(sharedBytes + alignment);
  shared = sharedMemory.data();
  shared += -reinterpret_cast<uintptr_t>(shared) % alignment;
  if (shadowMemory.size() < static_cast<size_t>(sharedBytes) + 1)
    shadowMemory.resize(sharedBytes + 1);

  // Room for what compiled code spills and for the entries it calls.
  // Kernels that hold thousands of vectors have large frames; what is not used
  // takes no memory.
  size_t stackBytes =
      512 * 1024 + 2 * (kernel->privateBytes + kernel->valueBytes);
  bool fibers = kernel->needsFibers;
  if (fibers && lanes.size() < static_cast<size_t>(numThreads)) {
    lanes.resize(numThreads);
    for (Lane &lane : lanes)
      lane.worker = this;
  }
  if (queues.size() < static_cast<size_t>(numThreads))
    queues.resize(numThreads);
  drawn.resize(numThreads);
  return stacks.reserve(fibers ? numThreads : 1, stackBytes);
}

void Worker::nextEpoch() {
  uint32_t next = (epoch >> threadBits) + 1;
  if (next > maxEpoch) {
    for (ShadowCell &cell : shadowMemory) {
      cell.read = 0;
      if (cell.written != pendingCell)
        cell.written = 0;
    }
    next = 1;
  }
  epoch = next << threadBits;
}

/// The next number of a splitmix64 sequence.
static uint64_t draw(uint64_t &state) {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

void Worker::drawOrder(uint32_t *items, uint32_t count) {
  for (uint32_t i = count; i > 1; --i)
    std::swap(items[i - 1], items[draw(random) % i]);
}

void Worker::dropCopies() {
  if (!kernel->hasAsyncCopies)
    return;
  bool isPending = false;
  for (int64_t i = 0; i < numThreads; ++i) {
    isPending |= !queues[i].copies.empty();
    queues[i].copies.clear();
    queues[i].groups.clear();
  }
  if (isPending)
    std::fill(shadowMemory.begin(), shadowMemory.end(), ShadowCell{});
}

const Fault &Worker::run(int64_t linear) {
  fault.kind = FaultKind::None;
  blockId[0] = linear % gridDim[0];
  blockId[1] = linear / gridDim[0] % gridDim[1];
  blockId[2] = linear / gridDim[0] / gridDim[1];
  if (frame->seed)
    random = *frame->seed * 0xd1342543de82ef95 + linear;
  // All ones are a NaN in every float type and -1 as an index.
  std::memset(shared, 0xff, sharedBytes);
  shadow = frame->checked ? shadowMemory.data() : nullptr;
  list.clear();
  cursor = 0;
  nextEpoch();
  if (kernel->needsFibers)
    runFibers();
  else
    runPlain();
  dropCopies();
  return fault;
}

void Worker::runPlain() {
  if (frame->seed) {
    std::iota(drawn.begin(), drawn.end(), 0);
    drawOrder(drawn.data(), numThreads);
    order = drawn.data();
  }
  key = epoch;
  switchTo(make_fcontext(stacks.top(0), stacks.size(), enterFiber), scheduler);
}

void Worker::runFibers() {
  uint32_t warpCount = (numThreads + warpSize - 1) / warpSize;
  warps.resize(warpCount);
  std::iota(warps.begin(), warps.end(), 0);
  for (int64_t i = 0; i < numThreads; ++i)
    lanes[i].state = Lane::Fresh;
  do {
    if (frame->seed)
      drawOrder(warps.data(), warpCount);
    for (uint32_t warp : warps) {
      uint32_t first = warp * warpSize;
      if (!runWarp(first, std::min<uint32_t>(warpSize, numThreads - first)))
        return;
    }
  } while (releaseBarrier());
}

bool Worker::runWarp(uint32_t first, uint32_t count) {
  bool again = true;
  while (again) {
    list.clear();
    for (uint32_t lane = first; lane < first + count; ++lane)
      if (lanes[lane].state <= Lane::Ready)
        list.push_back(lane);
    if (frame->seed)
      drawOrder(list.data(), list.size());
    if (!list.empty())
      runListed();
    if (fault.kind != FaultKind::None || !resolve(first, count, again))
      return false;
  }
  return true;
}

bool Worker::releaseBarrier() {
  Lane *end = lanes.data() + numThreads;
  Lane *waiting = std::find_if(lanes.data(), end, [](const Lane &lane) {
    return lane.state == Lane::AtBarrier;
  });
  if (waiting == end)
    return false;
  for (Lane *lane = lanes.data(); lane != end; ++lane)
    if (lane->state != Lane::AtBarrier || lane->site != waiting->site)
      return blameAbsent(waiting - lanes.data(), waiting->site,
                         lane - lanes.data());
  for (Lane *lane = lanes.data(); lane != end; ++lane)
    lane->state = Lane::Ready;
  nextEpoch();
  return true;
}

void Worker::barrier(uint32_t site) {
  Lane &lane = lanes[thread()];
  lane.state = Lane::AtBarrier;
  lane.site = site;
  yield(lane);
}
