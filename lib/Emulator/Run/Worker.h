//===- Worker.h - Runs the threads of a block -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One worker runs one block at a time. Threads that wait for each other are
// fibers; switches happen only where a thread waits. Between two waits threads
// run one after the other, in order or in an order drawn from a seed.
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_EMULATOR_RUN_WORKER_H
#define GNN_LIB_EMULATOR_RUN_WORKER_H

#include "Program.h"

#include <boost/context/detail/fcontext.hpp>

#include <array>
#include <optional>
#include <vector>

namespace gnn::emulator {

class Worker;

/// A fault and its place. Turned into text by describeFault.
struct Fault {
  FaultKind kind = FaultKind::None;
  uint32_t site = 0;
  int64_t block[3] = {0, 0, 0};
  uint32_t thread = 0;
  /// The other party of a race or an absence: a key of a shadow cell or a
  /// linear thread.
  uint32_t other = 0;
  bool otherExited = false;
  uint32_t otherSite = 0;
  int64_t values[3 + 2 * maxRank] = {};
};

/// A launch, the same for all its blocks.
struct LaunchFrame {
  const CompiledKernel *kernel = nullptr;
  std::array<int64_t, 3> grid, block;
  int64_t dynamicSharedBytes = 0;
  void **arguments = nullptr;
  const int64_t *argumentBytes = nullptr;
  bool checked = true;
  std::optional<uint64_t> seed;
  const ThreadPosition *positions = nullptr;
  /// 0, 1, 2, ... of the block's threads.
  const uint32_t *identity = nullptr;
};

/// A suspended fiber and whose it is.
struct Slot {
  boost::context::detail::fcontext_t context = nullptr;
  Worker *worker = nullptr;
};

/// The request of a lane to its warp.
struct Request {
  enum Kind { Shuffle, Ballot, LoadMatrix, Mma } kind = Shuffle;
  uint32_t site = 0;
  // Shuffle; Ballot: the vote, and then all of them.
  uint64_t bits = 0;
  uint32_t offset = 0, width = 0, mode = 0;
  uint32_t valid = 0;
  // LoadMatrix: the row this lane points at. Mma: A, B, C. Both: the result.
  const char *source = nullptr;
  char *result = nullptr;
  uint32_t shape = 0;
  bool transpose = false;
};

/// A thread of the block.
struct Lane : Slot {
  enum State { Fresh, Ready, AtRequest, AtBarrier, Exited } state = Fresh;
  /// The barrier it waits at.
  uint32_t site = 0;
  /// Barriers of its warp that it has passed.
  uint32_t warpBarriers = 0;
  Request request;

  /// Has it wait for its warp. The caller says what for.
  Request &ask(Request::Kind kind, uint32_t at) {
    state = AtRequest;
    request.kind = kind;
    request.site = at;
    return request;
  }
};

/// Asynchronous copies of a thread that have not landed.
struct CopyQueue {
  struct Copy {
    char *destination;
    const char *source;
    uint32_t bytes, sourceBytes;
  };
  std::vector<Copy> copies;
  /// Number of copies up to the end of each group.
  std::vector<size_t> groups;
};

/// Memory for the fibers' stacks, mapped once and reused.
class StackPool {
public:
  ~StackPool();
  /// Room for `count` stacks of `bytes`; false where there is no memory.
  bool reserve(size_t count, size_t bytes);
  /// The upper end of a stack. Ends are spread over cache sets.
  char *top(size_t index) const;
  size_t size() const { return stackBytes - spread; }

private:
  static constexpr size_t spread = 4096;
  char *memory = nullptr;
  size_t capacity = 0, stackBytes = 0;
};

class Worker : public KernelContext {
public:
  Worker();
  Worker(const Worker &) = delete;
  ~Worker();

  /// Prepares for blocks of a launch; false where there is no memory.
  bool begin(const LaunchFrame &frame);
  /// Runs block number `linear`; the fault is None where all went well.
  const Fault &run(int64_t linear);
  /// What its threads have loaded of each argument since `begin`.
  llvm::ArrayRef<int64_t> getLoads() const { return loaded; }

  // Requests of compiled code, always on the running thread's fiber.
  void barrier(uint32_t site);
  uint64_t shuffle(uint32_t site, uint64_t bits, uint32_t offset,
                   uint32_t width, uint32_t mode);
  uint32_t ballot(uint32_t site, uint32_t vote);
  void warpBarrier(uint32_t site);
  void loadMatrix(uint32_t site, const char *row, char *result, uint32_t tiles,
                  bool transpose);
  void mma(uint32_t site, const char *operands, char *result, uint32_t k);
  void asyncCopy(uint32_t site, char *destination, const char *source,
                 int64_t bytes, int64_t elements, int64_t elementBytes);
  void asyncCommit();
  void asyncWait(uint32_t groups);
  void shadowAccess(uint32_t site, const char *address, int64_t bytes,
                    FaultKind kind);
  /// Ends the block. The values are in the context.
  [[noreturn]] void fail(uint32_t site, FaultKind kind);

private:
  friend void enterFiber(boost::context::detail::transfer_t transfer);

  uint32_t thread() const { return key & threadMask; }
  bool isChecked() const { return shadow != nullptr; }

  // Worker.cpp: fibers and blocks
  void nextEpoch();
  void startLane(uint32_t lane, boost::context::detail::fcontext_t &target);
  void switchTo(boost::context::detail::fcontext_t target, Slot &self);
  void yield(Slot &self);
  [[noreturn]] void exitLane();
  void runListed();
  void runPlain();
  void runFibers();
  bool runWarp(uint32_t first, uint32_t count);
  bool releaseBarrier();
  void drawOrder(uint32_t *list, uint32_t count);
  void dropCopies();

  // Warp.cpp: what a warp does together
  bool resolve(uint32_t first, uint32_t count, bool &resolved);
  bool shuffleWarp(uint32_t first, uint32_t count, uint32_t width);
  void ballotWarp(uint32_t first);
  bool loadMatrixWarp(uint32_t first);
  void mmaWarp(uint32_t first);
  bool blame(FaultKind kind, uint32_t thread, uint32_t site);
  bool blameAbsent(uint32_t thread, uint32_t site, uint32_t other);

  // Shadow.cpp
  void land(const CopyQueue::Copy &copy);
  ShadowCell *cellOf(const char *address) const;
  uint32_t warpBarriersOf(uint32_t thread) const;
  /// False, with the fault, where the access races.
  bool touch(uint32_t site, uint32_t key, const char *address, int64_t bytes,
             FaultKind kind);

  const LaunchFrame *frame = nullptr;
  const CompiledKernel *kernel = nullptr;
  Fault fault;
  uint64_t random = 0;
  Slot scheduler;
  /// Where fibers that never run again leave their context.
  Slot grave;
  std::vector<Lane> lanes;
  std::vector<CopyQueue> queues;
  std::vector<uint32_t> drawn;
  /// Lanes to run before the scheduler is asked again.
  std::vector<uint32_t> list;
  size_t cursor = 0;
  std::vector<uint32_t> warps;
  StackPool stacks;
  std::vector<int64_t> loaded;
  std::vector<char> sharedMemory;
  int64_t sharedBytes = 0;
  std::vector<ShadowCell> shadowMemory;
};

/// One line: op, location, kernel, what, block and thread.
std::string describeFault(const Fault &fault, const LaunchFrame &frame,
                          llvm::ArrayRef<Site> sites);

} // namespace gnn::emulator

#endif // GNN_LIB_EMULATOR_RUN_WORKER_H
