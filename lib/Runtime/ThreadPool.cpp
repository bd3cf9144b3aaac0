//===- ThreadPool.cpp - Threads of the host -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Runtime/ThreadPool.h"

#include "Parallel.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <system_error>

using namespace gnn::runtime;

/// Whether this thread is in a body that a pool runs.
static thread_local bool isInBody = false;

ThreadPool::ThreadPool(unsigned count, std::chrono::microseconds patience)
    : process(::getpid()), patience(patience) {
  threads.reserve(count);
  try {
    for (unsigned i = 1; i < count; ++i)
      threads.emplace_back([this] { serve(); });
  } catch (const std::system_error &) {
    // A limit on threads or memory: those that there are do all the work.
  }
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
  isInBody = true;
  try {
    (*body)(worker);
  } catch (...) {
    std::lock_guard<std::mutex> lock(mutex);
    if (!thrown)
      thrown = std::current_exception();
  }
  isInBody = false;
}

/// Makes the next call, without the lock.
void ThreadPool::callNext(std::unique_lock<std::mutex> &lock) {
  unsigned worker = next++;
  lock.unlock();
  call(worker);
  lock.lock();
  --running;
}

/// Waits as long as patience lasts, without a lock.
bool ThreadPool::watch(const std::function<bool()> &isThere) const {
  if (patience.count() == 0)
    return false;
  auto end = std::chrono::steady_clock::now() + patience;
  while (!isThere())
    if (std::chrono::steady_clock::now() > end)
      return false;
  return true;
}

void ThreadPool::serve() {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    if (next >= end && !stopping) {
      uint64_t known = runs;
      lock.unlock();
      watch([&] { return runs != known; });
      lock.lock();
    }
    wake.wait(lock, [&] { return stopping || next < end; });
    if (stopping)
      return;
    callNext(lock);
    if (running == 0)
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
    next = 1;
    end = count;
    running = count - 1;
    ++runs;
  }
  // One by one: a thread that wakes for nothing costs as much as one that
  // works.
  for (unsigned i = 1; i < count; ++i)
    wake.notify_one();
  call(0);
  std::unique_lock<std::mutex> lock(mutex);
  // Waking may take longer than the work.
  while (next < end)
    callNext(lock);
  lock.unlock();
  watch([&] { return running == 0; });
  lock.lock();
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
  /// The threads that the pool was to have.
  unsigned asked = 0;
};

SharedPool &shared() {
  static auto *state = new SharedPool();
  return *state;
}

/// So that the child of a fork does not find it locked by a thread that stayed
/// with the parent.
const int heldOverForks = ::pthread_atfork([] { shared().mutex.lock(); },
                                           [] { shared().mutex.unlock(); },
                                           [] { shared().mutex.unlock(); });

/// The pool, made anew after a fork or with another number of threads. A run
/// that uses the last one keeps it.
std::shared_ptr<ThreadPool> poolHere() {
  SharedPool &state = shared();
  std::lock_guard<std::mutex> lock(state.mutex);
  unsigned count = numThreads();
  if (state.pool && !state.pool->isOfThisProcess())
    new std::shared_ptr<ThreadPool>(std::move(state.pool)); // It cannot go.
  if (!state.pool || state.asked != count)
    state.pool = std::make_shared<ThreadPool>(count);
  state.asked = count;
  return state.pool;
}
} // namespace

unsigned gnn::runtime::numThreads() { return shared().threads; }

void gnn::runtime::setNumThreads(unsigned count) {
  shared().threads = count ? std::min(count, kMaxThreads) : shared().cores;
}

void gnn::runtime::runOnThreads(unsigned count,
                                const std::function<void(unsigned)> &body) {
  if (count == 1 || isInBody) {
    for (unsigned worker = 0; worker < count; ++worker)
      body(worker);
    return;
  }
  std::shared_ptr<ThreadPool> pool = poolHere();
  // Someone may have set fewer threads meanwhile.
  unsigned threads = std::min(count, pool->size());
  pool->run(threads, [&](unsigned thread) {
    for (unsigned worker = thread; worker < count; worker += threads)
      body(worker);
  });
}
