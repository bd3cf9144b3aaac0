//===- ThreadPool.cpp - Threads of the host -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Runtime/ThreadPool.h"

#include "Parallel.h"

#include <unistd.h>

#include <algorithm>
#include <memory>

using namespace gnn::runtime;

ThreadPool::ThreadPool(unsigned count) : process(::getpid()) {
  for (unsigned i = 1; i < count; ++i)
    threads.emplace_back([this, i] { serve(i); });
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
  }
  wake.notify_all();
  for (std::thread &thread : threads)
    thread.join();
}

bool ThreadPool::isOfThisProcess() const { return ::getpid() == process; }

void ThreadPool::call(unsigned worker) {
  try {
    (*body)(worker);
  } catch (...) {
    std::lock_guard<std::mutex> lock(mutex);
    if (!thrown)
      thrown = std::current_exception();
  }
}

void ThreadPool::serve(unsigned worker) {
  uint64_t seen = 0;
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    wake.wait(lock, [&] { return stopping || generation != seen; });
    if (stopping)
      return;
    seen = generation;
    if (worker > helpers)
      continue;
    lock.unlock();
    call(worker);
    lock.lock();
    if (--running == 0)
      finished.notify_all();
  }
}

void ThreadPool::run(unsigned count,
                     const std::function<void(unsigned)> &function) {
  std::lock_guard<std::mutex> one(launching);
  {
    std::lock_guard<std::mutex> lock(mutex);
    body = &function;
    thrown = nullptr;
    helpers = running = count - 1;
    ++generation;
  }
  if (count > 1)
    wake.notify_all();
  call(0);
  std::unique_lock<std::mutex> lock(mutex);
  finished.wait(lock, [&] { return running == 0; });
  if (std::exception_ptr first = std::exchange(thrown, nullptr))
    std::rethrow_exception(first);
}

//===----------------------------------------------------------------------===//
// The pool of the library
//===----------------------------------------------------------------------===//

namespace {
/// Never destroyed: threads may be in use when the process ends.
struct SharedPool {
  const unsigned cores =
      std::clamp(std::thread::hardware_concurrency(), 1u, kMaxThreads);
  std::atomic<unsigned> threads{cores};
  std::mutex mutex;
  std::shared_ptr<ThreadPool> pool;
};

SharedPool &shared() {
  static auto *state = new SharedPool();
  return *state;
}

/// The pool, made anew after a fork or with another number of threads. A run
/// that uses the last one keeps it.
std::shared_ptr<ThreadPool> poolHere() {
  SharedPool &state = shared();
  std::lock_guard<std::mutex> lock(state.mutex);
  unsigned count = numThreads();
  if (state.pool && !state.pool->isOfThisProcess())
    new std::shared_ptr<ThreadPool>(std::move(state.pool)); // It cannot go.
  if (!state.pool || state.pool->size() != count)
    state.pool = std::make_shared<ThreadPool>(count);
  return state.pool;
}
} // namespace

unsigned gnn::runtime::numThreads() { return shared().threads; }

void gnn::runtime::setNumThreads(unsigned count) {
  shared().threads = count ? std::min(count, kMaxThreads) : shared().cores;
}

void gnn::runtime::runOnThreads(unsigned count,
                                const std::function<void(unsigned)> &body) {
  if (count == 1)
    return body(0);
  std::shared_ptr<ThreadPool> pool = poolHere();
  // Someone may have set fewer threads meanwhile.
  unsigned threads = std::min(count, pool->size());
  pool->run(threads, [&](unsigned thread) {
    for (unsigned worker = thread; worker < count; worker += threads)
      body(worker);
  });
}
