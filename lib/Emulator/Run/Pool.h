//===- Pool.h - Threads that run the blocks of launches ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_LIB_EMULATOR_RUN_POOL_H
#define GNN_LIB_EMULATOR_RUN_POOL_H

#include "Worker.h"

#include <unistd.h>

#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
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
  /// Elements that threads have loaded of each argument.
  std::vector<int64_t> loads;
};

/// Workers, of which the launching thread has the first.
class Pool {
public:
  using Progress = std::function<bool(int64_t done, int64_t all)>;

  explicit Pool(unsigned count);

  /// False in the child of a fork, where a launch may never end that was of
  /// another thread of the parent.
  bool isOfThisProcess() const { return ::getpid() == process; }

  /// Runs all blocks of the frame's grid, one launch after the other. Sets the
  /// frame's positions.
  void launch(Run &run, const Progress &progress);

private:
  void runBlocks(Worker &worker, Run &run, const Progress *progress);
  void place(const std::array<int64_t, 3> &block);

  const pid_t process = ::getpid();
  std::vector<std::unique_ptr<Worker>> workers;
  /// The positions of the threads of a block, whose extents are `positionsOf`.
  std::vector<ThreadPosition> positions;
  std::array<int64_t, 3> positionsOf = {0, 0, 0};
  std::vector<uint32_t> identity;
  std::mutex launching;
};

} // namespace gnn::emulator

#endif // GNN_LIB_EMULATOR_RUN_POOL_H
