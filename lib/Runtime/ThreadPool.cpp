//===- ThreadPool.cpp - Threads of the host -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Runtime/ThreadPool.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

using namespace gnn::runtime;

/// How long a thread that is done looks for more work without sleep, from which
/// it wakes slowly: the next kernel comes soon.
static constexpr std::chrono::microseconds kPatience(50);

/// Whether this thread is in a body.
static thread_local bool isInBody = false;

/// Waits as long as patience lasts.
template <typename IsThere> static void watch(IsThere isThere) {
  auto end = std::chrono::steady_clock::now() + kPatience;
  while (!isThere() && std::chrono::steady_clock::now() <= end)
    ;
}

namespace {
/// The threads of a process. They are never joined, as they may be in use when
/// the process ends.
class ThreadPool {
public:
  /// False in the child of a fork: the threads stayed with the parent, and
  /// locks are as they were, so that the pool can neither run nor be destroyed.
  bool isOfThisProcess() const { return ::getpid() == process; }

  /// Calls body(0) on this thread and body(1) to body(count - 1) on those that
  /// are awake first, which may be this one again, and waits for all of them.
  void run(unsigned count, const std::function<void(unsigned)> &body);

private:
  /// The calls of one caller: those from `next` to under `end` nobody has
  /// begun, and `running` are not done.
  struct Run {
    const std::function<void(unsigned)> &body;
    unsigned next, end;
    /// Changed under the lock, and watched without it.
    std::atomic<unsigned> running;
    std::exception_ptr thrown;
    Run *after; // in the list
  };

  void startThreads(unsigned count);
  void serve();
  void call(Run &run, unsigned number);
  void callNext(Run &run, std::unique_lock<std::mutex> &lock);

  const pid_t process = ::getpid();
  std::mutex mutex;
  std::condition_variable wake, finished;
  /// Those with calls that nobody has begun, a list in the order in which they
  /// came.
  Run *first = nullptr;
  /// How many runs there were. Changed under the lock, and watched without it.
  std::atomic<uint64_t> begun{0};
  unsigned threads = 0;
  bool isFull = false;
};
} // namespace

/// Starts threads until there are `count`, or as many as the system allows.
void ThreadPool::startThreads(unsigned count) {
  try {
    for (; threads < count && !isFull; ++threads)
      std::thread([this] { serve(); }).detach();
  } catch (const std::exception &) { // of the system, or of memory
    isFull = true;                   // Those that there are do all the work.
  }
}

void ThreadPool::call(Run &run, unsigned number) {
  isInBody = true;
  try {
    run.body(number);
  } catch (...) {
    std::lock_guard<std::mutex> lock(mutex);
    if (!run.thrown)
      run.thrown = std::current_exception();
  }
  isInBody = false;
}

/// Makes the next call of a run, without the lock.
void ThreadPool::callNext(Run &run, std::unique_lock<std::mutex> &lock) {
  unsigned number = run.next++;
  if (run.next == run.end) {
    Run **place = &first;
    while (*place != &run)
      place = &(*place)->after;
    *place = run.after;
  }
  lock.unlock();
  call(run, number);
  lock.lock();
  if (--run.running == 0)
    finished.notify_all();
}

void ThreadPool::serve() {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    if (!first) {
      uint64_t known = begun;
      lock.unlock();
      watch([&] { return begun != known; });
      lock.lock();
    }
    wake.wait(lock, [&] { return first; });
    callNext(*first, lock);
  }
}

void ThreadPool::run(unsigned count,
                     const std::function<void(unsigned)> &body) {
  Run own{body, /*next=*/1, count, /*running=*/count - 1, nullptr, nullptr};
  std::unique_lock<std::mutex> lock(mutex);
  startThreads(count - 1);
  Run **place = &first;
  while (*place)
    place = &(*place)->after;
  *place = &own;
  ++begun;
  lock.unlock();
  // One by one: a thread that wakes for nothing costs as much as one that
  // works.
  for (unsigned i = 1; i < count; ++i)
    wake.notify_one();
  call(own, 0);
  lock.lock();
  // Waking may take longer than the work.
  while (own.next < own.end)
    callNext(own, lock);
  lock.unlock();
  watch([&] { return own.running == 0; });
  lock.lock();
  finished.wait(lock, [&] { return own.running == 0; });
  if (own.thrown)
    std::rethrow_exception(own.thrown);
}

//===----------------------------------------------------------------------===//
// The pool of the process
//===----------------------------------------------------------------------===//

unsigned gnn::runtime::numCores() {
  return std::clamp(std::thread::hardware_concurrency(), 1u, kMaxThreads);
}

/// By OMP_NUM_THREADS, or the number of cores.
static unsigned defaultThreads() {
  long count = 0;
  if (const char *text = std::getenv("OMP_NUM_THREADS"))
    count = std::strtol(text, nullptr, 10);
  return count < 1 ? numCores()
                   : static_cast<unsigned>(std::min<long>(count, kMaxThreads));
}

namespace {
struct SharedPool {
  std::atomic<unsigned> threads{defaultThreads()};
  std::mutex mutex;
  ThreadPool *pool = nullptr;
};

/// Never destroyed, as its pool is not.
SharedPool &shared() {
  static auto *state = new SharedPool();
  return *state;
}

/// So that the child of a fork does not find it locked by a thread that stayed
/// with the parent.
const int heldOverForks = ::pthread_atfork([] { shared().mutex.lock(); },
                                           [] { shared().mutex.unlock(); },
                                           [] { shared().mutex.unlock(); });

/// The pool, made at the first use, and anew in the child of a fork.
ThreadPool &poolHere() {
  SharedPool &state = shared();
  std::lock_guard<std::mutex> lock(state.mutex);
  if (!state.pool || !state.pool->isOfThisProcess())
    state.pool = new ThreadPool();
  return *state.pool;
}
} // namespace

unsigned gnn::runtime::numThreads() { return shared().threads; }

void gnn::runtime::setNumThreads(unsigned count) {
  shared().threads = count ? std::min(count, kMaxThreads) : defaultThreads();
}

void gnn::runtime::runOnThreads(unsigned count,
                                const std::function<void(unsigned)> &body,
                                unsigned threads) {
  threads = std::min({count, threads, kMaxThreads});
  if (threads <= 1 || isInBody) {
    for (unsigned number = 0; number < count; ++number)
      body(number);
    return;
  }
  poolHere().run(threads, [&](unsigned thread) {
    for (unsigned number = thread; number < count; number += threads)
      body(number);
  });
}
