//===- Watchdog.cpp - Work that may never end -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GNN/Tune/Watchdog.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/thread.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>

using namespace gnn::tune;

/// The stack of a thread that may compile: nested IR is walked recursively.
static constexpr unsigned stackBytes = 64u << 20;

static std::atomic<int> abandoned = 0;

/// Ends the process with the status that it is about to have, before globals
/// are destroyed that an abandoned thread uses.
static void endProcess(int status, void *) {
  if (!hasAbandonedThreads())
    return;
  std::fflush(nullptr);
  std::_Exit(status);
}

namespace {
/// What a thread and its watcher share.
struct Watched {
  std::mutex mutex;
  std::condition_variable changed;
  std::chrono::steady_clock::time_point begin =
      std::chrono::steady_clock::now();
  bool isDone = false, isAbandoned = false;

  bool restart() {
    std::lock_guard<std::mutex> lock(mutex);
    begin = std::chrono::steady_clock::now();
    return !isAbandoned;
  }
  void finish() {
    std::lock_guard<std::mutex> lock(mutex);
    isDone = true;
    abandoned -= isAbandoned;
    changed.notify_one();
  }
  /// Whether it is done, after that or when its time is over.
  bool wait(std::chrono::duration<double> seconds) {
    std::unique_lock<std::mutex> lock(mutex);
    while (!isDone) {
      auto left = begin + seconds - std::chrono::steady_clock::now();
      isAbandoned = left.count() <= 0;
      if (isAbandoned) {
        ++abandoned;
        // Again for each: what is registered last runs first.
        ::on_exit(endProcess, nullptr);
        return false;
      }
      // In steps, as no clock counts to infinity.
      changed.wait_for(lock, std::min<std::chrono::duration<double>>(
                                 left, std::chrono::hours(1)));
    }
    return true;
  }
};
} // namespace

bool gnn::tune::runWatched(
    double seconds, std::function<void(const RestartClock &restart)> work) {
  auto watched = std::make_shared<Watched>();
  llvm::thread thread(std::optional<unsigned>(stackBytes),
                      [watched, work = std::move(work)]() mutable {
                        work([&] { return watched->restart(); });
                        work = nullptr; // what it holds is gone when it is done
                        watched->finish();
                      });
  if (watched->wait(std::chrono::duration<double>(seconds))) {
    thread.join();
    return true;
  }
  thread.detach();
  return false;
}

std::string gnn::tune::describeHang(double seconds, const std::string &beside) {
  return llvm::formatv("runs for more than {0:f1} s{1}, and is given up: the "
                       "device may be busy with it until this process ends",
                       seconds, beside);
}

bool gnn::tune::hasAbandonedThreads() { return abandoned > 0; }
