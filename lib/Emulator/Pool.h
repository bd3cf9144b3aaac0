//===- Pool.h - Threads that run the blocks of launches ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_EMULATOR_POOL_H
#define GNN_LIB_EMULATOR_POOL_H

#include "Worker.h"

#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace gnn::emulator {

/// A launch as the workers share it.
struct Run {
  LaunchFrame frame;
  int64_t blocks = 0, chunk = 1;
  std::atomic<int64_t> next{0}, done{0};
  /// The lowest faulty block.
  std::atomic<int64_t> faulty{std::numeric_limits<int64_t>::max()};
  std::atomic<bool> outOfMemory{false}, cancelled{false};
  std::mutex mutex;
  Fault fault;
};

/// Workers, one a thread, of which the launching thread is the first.
class Pool {
public:
  using Progress = std::function<bool(int64_t done, int64_t all)>;

  explicit Pool(unsigned count);
  ~Pool();

  /// False in the child of a fork: the threads stayed with the parent, and
  /// locks are as they were, so that the pool can neither run nor be destroyed.
  bool isOfThisProcess() const;

  /// Runs all blocks of the frame's grid, one launch after the other. Sets the
  /// frame's positions.
  void launch(Run &run, const Progress &progress);

private:
  void serve(size_t worker);
  void runBlocks(Worker &worker, Run &run, const Progress *progress);
  void place(const std::array<int64_t, 3> &block);

  const pid_t process;
  std::vector<std::unique_ptr<Worker>> workers;
  std::vector<std::thread> threads;
  /// Of the threads of a block, whose extents are `positionsOf`.
  std::vector<ThreadPosition> positions;
  std::array<int64_t, 3> positionsOf = {0, 0, 0};
  std::vector<uint32_t> identity;
  std::mutex launching;

  // The threads wait for a new generation of `run`.
  std::mutex mutex;
  std::condition_variable wake, finished;
  Run *run = nullptr;
  uint64_t generation = 0;
  size_t helpers = 0, running = 0;
  bool stopping = false;
};

} // namespace gnn::emulator

#endif // GNN_LIB_EMULATOR_POOL_H
