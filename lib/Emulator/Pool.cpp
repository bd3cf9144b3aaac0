//===- Pool.cpp - Threads that run the blocks of launches -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Workers take blocks in ascending order. After a fault they finish only blocks
// below it, so that the lowest faulty block is always the one told.
//
//===----------------------------------------------------------------------===//

#include "Pool.h"

#include <unistd.h>

#include <algorithm>
#include <cfenv>
#include <chrono>
#include <numeric>

using namespace gnn::emulator;

Pool::Pool(unsigned count) : process(::getpid()) {
  for (unsigned i = 0; i < count; ++i)
    workers.push_back(std::make_unique<Worker>());
  for (unsigned i = 1; i < count; ++i)
    threads.emplace_back([this, i] { serve(i); });
}

Pool::~Pool() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
  }
  wake.notify_all();
  for (std::thread &thread : threads)
    thread.join();
}

bool Pool::isOfThisProcess() const { return ::getpid() == process; }

void Pool::serve(size_t worker) {
  uint64_t seen = 0;
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    wake.wait(lock, [&] { return stopping || generation != seen; });
    if (stopping)
      return;
    seen = generation;
    if (worker > helpers)
      continue;
    Run &current = *run;
    lock.unlock();
    runBlocks(*workers[worker], current, nullptr);
    lock.lock();
    if (--running == 0)
      finished.notify_all();
  }
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
    if (progress && now - told > std::chrono::milliseconds(200)) {
      told = now;
      if (!(*progress)(run.done, run.blocks))
        run.cancelled = true;
    }
  }
  std::fesetenv(&environment);
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
  size_t count = std::min<int64_t>(workers.size() - 1, run.blocks - 1);
  if (count > 0) {
    std::lock_guard<std::mutex> lock(mutex);
    this->run = &run;
    helpers = running = count;
    ++generation;
  }
  if (count > 0)
    wake.notify_all();
  runBlocks(*workers[0], run, progress ? &progress : nullptr);
  std::unique_lock<std::mutex> lock(mutex);
  finished.wait(lock, [&] { return running == 0; });
}
