//===- ThreadPool.h - Threads of the host -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_THREADPOOL_H
#define GNN_RUNTIME_THREADPOOL_H

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace gnn::runtime {

/// Threads that wait for work, of which the calling thread is the first. Runs
/// of several callers come one after the other.
class ThreadPool {
public:
  /// `count` threads with the caller's, at least 1. Starts the others, or as
  /// many of them as the system allows. For `patience` after its last work a
  /// thread looks for more without sleep, from which it wakes slowly.
  explicit ThreadPool(unsigned count, std::chrono::microseconds patience =
                                          std::chrono::microseconds(0));
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  unsigned size() const { return static_cast<unsigned>(threads.size()) + 1; }

  /// False in the child of a fork: the threads stayed with the parent, and
  /// locks are as they were, so that the pool can neither run nor be destroyed.
  bool isOfThisProcess() const;

  /// Calls body(0) on this thread and body(1) to body(count - 1) on those that
  /// are awake first, which may be this one again, and waits for all of them.
  /// `count` is at most size(). Bodies run nothing on the pool themselves.
  /// Throws what one of them threw.
  void run(unsigned count, const std::function<void(unsigned)> &body);

private:
  void serve();
  bool watch(const std::function<bool()> &isThere) const;
  void callNext(std::unique_lock<std::mutex> &lock);
  void call(unsigned worker);

  const pid_t process;
  const std::chrono::microseconds patience;
  std::vector<std::thread> threads;
  std::mutex launching;

  // The threads wait for calls of `body` that nobody has begun: those from
  // `next` to under `end`. `running` are not done.
  std::mutex mutex;
  std::condition_variable wake, finished;
  const std::function<void(unsigned)> *body = nullptr;
  unsigned next = 0, end = 0;
  /// Changed under the lock, and watched without it.
  std::atomic<unsigned> running{0};
  std::atomic<uint64_t> runs{0};
  bool stopping = false;
  std::exception_ptr thrown;
};

/// Threads on which graphs are checked, sorted and uploaded, and PTX is made;
/// results have the same bits for any number. As many as the host has cores, at
/// most kMaxThreads, unless set.
constexpr unsigned kMaxThreads = 32;
unsigned numThreads();

/// 0: the number that it is at first. At most kMaxThreads.
void setNumThreads(unsigned count);

} // namespace gnn::runtime

#endif // GNN_RUNTIME_THREADPOOL_H
