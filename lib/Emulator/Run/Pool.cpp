//===- Pool.cpp - Threads that run the blocks of launches -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Workers take blocks in ascending order. After a fault they finish only blocks
// below it, so that the lowest faulty block is always the one told.
//
//===----------------------------------------------------------------------===//

#include "Pool.h"

#include "GNN/Runtime/ThreadPool.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cfenv>
#include <chrono>
#include <numeric>

using namespace gnn::emulator;

Pool::Pool(unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    workers.push_back(std::make_unique<Worker>());
}

void Pool::runBlocks(Worker &worker, Run &run, const Progress *progress) {
  // Rounding and subnormals as on the GPU, whatever the caller's thread has.
  fenv_t environment;
  std::fegetenv(&environment);
  std::fesetenv(FE_DFL_ENV);
  auto told = std::chrono::steady_clock::now();
  if (!worker.begin(run.frame))
    run.outOfMemory = true;
  while (!run.outOfMemory && !run.cancelled) {
    int64_t begin = run.next.fetch_add(run.chunk);
    int64_t end = std::min(begin + run.chunk, run.blocks);
    if (begin >= run.blocks || begin > run.faulty)
      break;
    for (int64_t block = begin; block < end && block <= run.faulty; ++block) {
      const Fault &fault = worker.run(block);
      if (fault.kind == FaultKind::None)
        continue;
      std::lock_guard<std::mutex> lock(run.mutex);
      if (block < run.faulty) {
        run.faulty = block;
        run.fault = fault;
      }
    }
    run.done += end - begin;
    auto now = std::chrono::steady_clock::now();
    if (progress && *progress && now - told > std::chrono::milliseconds(200)) {
      told = now;
      if (!(*progress)(run.done, run.blocks))
        run.cancelled = true;
    }
  }
  std::fesetenv(&environment);
  std::lock_guard<std::mutex> lock(run.mutex);
  run.loads.resize(worker.getLoads().size());
  for (auto [sum, own] : llvm::zip_equal(run.loads, worker.getLoads()))
    sum += own;
}

void Pool::place(const std::array<int64_t, 3> &block) {
  if (block == positionsOf)
    return;
  positionsOf = block;
  positions.clear();
  for (int32_t z = 0; z < block[2]; ++z)
    for (int32_t y = 0; y < block[1]; ++y)
      for (int32_t x = 0; x < block[0]; ++x)
        positions.push_back({x, y, z, 0});
  identity.resize(positions.size());
  std::iota(identity.begin(), identity.end(), 0);
}

void Pool::launch(Run &run, const Progress &progress) {
  std::lock_guard<std::mutex> one(launching);
  place(run.frame.block);
  run.frame.positions = positions.data();
  run.frame.identity = identity.data();
  const std::array<int64_t, 3> &grid = run.frame.grid;
  run.blocks = grid[0] * grid[1] * grid[2];
  run.chunk = std::clamp<int64_t>(run.blocks / (8 * workers.size()), 1, 64);
  auto count = static_cast<unsigned>(
      std::clamp<int64_t>(run.blocks, 1, static_cast<int64_t>(workers.size())));
  runtime::runOnThreads(
      count,
      [&](unsigned worker) {
        runBlocks(*workers[worker], run, worker == 0 ? &progress : nullptr);
      },
      count);
}
