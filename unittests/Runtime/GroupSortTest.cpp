//===- GroupSortTest.cpp - Sorts against std::sort ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GroupSort.h"
#include "Parallel.h"
#include "Testing.h"

#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>

using namespace gnn::runtime;
using namespace gnn::runtime::testing;

namespace {
using Array = std::vector<int32_t>;

Array plain(const Indices &values) {
  return Array(values.begin(), values.end());
}

/// Keys of one form, (major, minor) by element.
struct Keys {
  const char *name;
  int64_t numMajor, numMinor;
  Array major, minor;
};

/// Runs a body with each number of threads, and sets the number back.
template <typename Body> void withThreads(Body body) {
  for (unsigned threads : {1, 2, 7}) {
    setNumThreads(threads);
    body();
  }
  setNumThreads(0);
}

/// Keys that lie close, far apart, on hubs, in clusters.
std::vector<Keys> allKeys(size_t count) {
  std::mt19937 random(static_cast<unsigned>(count));
  auto below = [&](int64_t limit) {
    return static_cast<int32_t>(random() % static_cast<uint64_t>(limit));
  };
  auto skewed = [&](int64_t limit) {
    double u = static_cast<double>(below(1 << 30)) / (1 << 30);
    return static_cast<int32_t>(u * u * u * static_cast<double>(limit));
  };
  constexpr int32_t kFar = INT32_MAX;
  std::vector<Keys> all = {
      {"uniform", 1, 100000, {}, {}},
      {"few", 1, 3, {}, {}},
      {"one", 1, 1, {}, {}},
      {"far apart", 1, kFar, {}, {}},
      {"skewed", 30, 200000, {}, {}},
      {"hub", 4, 5000, {}, {}},
      {"many types", 20000, 1000, {}, {}},
      {"empty types", 65535, kFar, {}, {}},
      {"clusters", 2, kFar, {}, {}},
      {"descending", 1, 400000, {}, {}},
      {"ascending", 1, 400000, {}, {}},
      {"own range", 7, 70000, {}, {}},
  };
  for (Keys &keys : all) {
    std::string name = keys.name;
    for (size_t i = 0; i < count; ++i) {
      int32_t major = below(keys.numMajor);
      int32_t minor = below(keys.numMinor);
      if (name == "skewed") {
        major = skewed(keys.numMajor);
        minor = skewed(keys.numMinor);
      } else if (name == "hub" && i % 3) {
        minor = 4711;
      } else if (name == "empty types") {
        major = major / 4096 * 4096;
      } else if (name == "clusters") {
        minor = below(50) + (i % 2 ? kFar - 50 : 7);
      } else if (name == "descending") {
        minor = static_cast<int32_t>(keys.numMinor - 1 -
                                     int64_t(i) % keys.numMinor);
      } else if (name == "ascending") {
        minor = static_cast<int32_t>(7 + i / 2 * 2);
      } else if (name == "own range") {
        minor = 10000 * major + below(10000);
      }
      keys.major.push_back(major);
      keys.minor.push_back(minor);
    }
  }
  return all;
}

const size_t kCounts[] = {0, 1, 5, 1000, 100000, 300000};
} // namespace

TEST(GroupSort, RowsAreStable) {
  for (size_t count : kCounts)
    for (const Keys &keys : allKeys(count)) {
      // Pointers to all rows would fill the memory.
      if (keys.numMinor > 1 << 24)
        continue;
      Array order(count), rows(static_cast<size_t>(keys.numMinor) + 1, 0);
      std::iota(order.begin(), order.end(), 0);
      std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
        int32_t keyA = keys.minor[static_cast<size_t>(a)];
        int32_t keyB = keys.minor[static_cast<size_t>(b)];
        return keyA != keyB ? keyA < keyB : a < b;
      });
      for (int32_t minor : keys.minor)
        ++rows[static_cast<size_t>(minor) + 1];
      std::partial_sum(rows.begin(), rows.end(), rows.begin());
      Array values;
      for (int32_t element : order)
        values.push_back(keys.major[static_cast<size_t>(element)]);
      withThreads([&] {
        SortKeys given{keys.minor, keys.numMinor};
        RowSort sorted(given);
        EXPECT_TRUE(plain(sorted.order()) == order) << keys.name << count;
        EXPECT_TRUE(plain(sorted.apply(keys.major)) == values)
            << keys.name << count;
        EXPECT_TRUE(plain(sorted.takeRows()) == rows) << keys.name << count;
      });
    }
}

TEST(GroupSort, GroupsAreThoseThatOccur) {
  for (size_t count : kCounts)
    for (const Keys &keys : allKeys(count)) {
      std::vector<std::pair<int32_t, int32_t>> all, distinct;
      for (size_t i = 0; i < count; ++i)
        all.emplace_back(keys.major[i], keys.minor[i]);
      distinct = all;
      std::sort(distinct.begin(), distinct.end());
      distinct.erase(std::unique(distinct.begin(), distinct.end()),
                     distinct.end());
      Array major, minor, begin(distinct.size() + 1, 0), ofElement;
      for (const auto &[one, other] : distinct) {
        major.push_back(one);
        minor.push_back(other);
      }
      for (const auto &key : all) {
        auto group = std::lower_bound(distinct.begin(), distinct.end(), key) -
                     distinct.begin();
        ofElement.push_back(static_cast<int32_t>(group));
        ++begin[static_cast<size_t>(group) + 1];
      }
      std::partial_sum(begin.begin(), begin.end(), begin.begin());
      withThreads([&] {
        SortKeys given{keys.minor, keys.numMinor, keys.major, keys.numMajor};
        Groups groups = findGroups(given);
        EXPECT_TRUE(plain(groups.major) == major) << keys.name << count;
        EXPECT_TRUE(plain(groups.minor) == minor) << keys.name << count;
        EXPECT_TRUE(plain(groups.begin) == begin) << keys.name << count;
        EXPECT_TRUE(plain(groups.ofElement) == ofElement) << keys.name << count;
      });
    }
}

TEST(ThreadPool, RunsEachOnceAndThrows) {
  for (unsigned threads : {1u, 3u, 5u}) {
    std::vector<std::atomic<int>> of(5);
    auto self = std::this_thread::get_id();
    runOnThreads(
        5,
        [&](unsigned number) {
          ++of[number];
          EXPECT_TRUE(number || std::this_thread::get_id() == self);
        },
        threads);
    for (const std::atomic<int> &calls : of)
      EXPECT_EQ(calls, 1);
  }
  EXPECT_THROW(runOnThreads(
                   4,
                   [](unsigned number) {
                     if (number == 2)
                       throw std::bad_alloc();
                   },
                   4),
               std::bad_alloc);
  std::atomic<unsigned> calls{0};
  runOnThreads(5, [&](unsigned) { ++calls; }, 5);
  EXPECT_EQ(calls, 5u);
}

/// A call ends while bodies of another one have the threads.
TEST(ThreadPool, CallersDoNotWaitForEachOther) {
  std::atomic<int> waiting{0};
  std::atomic<bool> isDone{false};
  std::atomic<bool> wasDone{true};
  std::thread other([&] {
    runOnThreads(
        2,
        [&](unsigned) {
          ++waiting;
          for (int tries = 0; !isDone && tries < 10000; ++tries)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          if (!isDone)
            wasDone = false;
        },
        2);
  });
  while (waiting < 1)
    std::this_thread::yield();
  std::atomic<unsigned> calls{0};
  for (int again = 0; again < 100; ++again)
    runOnThreads(3, [&](unsigned) { ++calls; }, 3);
  isDone = true;
  other.join();
  EXPECT_TRUE(wasDone);
  EXPECT_EQ(calls, 300u);
}

/// Many callers, each of whose calls is made once.
TEST(ThreadPool, CallersShareTheThreads) {
  std::vector<std::thread> callers;
  std::vector<size_t> sums(6, 0);
  for (size_t &sum : sums)
    callers.emplace_back([&sum] {
      for (unsigned again = 0; again < 500; ++again) {
        std::vector<unsigned> found(5, 0);
        runOnThreads(5, [&](unsigned number) { found[number] += number; }, 4);
        sum += std::accumulate(found.begin(), found.end(), size_t(0));
      }
    });
  for (std::thread &caller : callers)
    caller.join();
  for (size_t sum : sums)
    EXPECT_EQ(sum, 5000u);
}

TEST(ThreadPool, WorksInTheChildOfAFork) {
  setNumThreads(3);
  std::atomic<int> calls{0};
  runOnThreads(3, [&](unsigned) { ++calls; });
  EXPECT_EQ(calls, 3);
  pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20); // rather than wait for threads that stayed with the parent
    runOnThreads(3, [&](unsigned) { ++calls; });
    ::_exit(calls == 6 ? 0 : 1);
  }
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  setNumThreads(0);
}

/// Where the system gives no more threads, those that there are do the work.
TEST(ThreadPool, WorksWithFewerThreads) {
  pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    std::vector<unsigned> numbers;
    numbers.reserve(3000);
    rlimit none = {1, 1}; // no address space for a stack
    if (::setrlimit(RLIMIT_AS, &none))
      ::_exit(2);
    std::atomic<int> calls{0};
    for (int again = 0; again < 2; ++again)
      runOnThreads(1000, [&](unsigned) { ++calls; }, 1000);
    // A thread makes the calls of each that was asked for, one after another.
    // The C library may have kept stacks of earlier threads.
    std::mutex mutex;
    bool isAlone = true;
    const std::thread::id here = std::this_thread::get_id();
    runOnThreads(
        3000,
        [&](unsigned number) {
          std::lock_guard<std::mutex> lock(mutex);
          isAlone &= std::this_thread::get_id() == here;
          numbers.push_back(number);
        },
        3000);
    if (isAlone && numbers[1] != kMaxThreads)
      ::_exit(5);
    std::sort(numbers.begin(), numbers.end());
    for (unsigned i = 0; i < 3000; ++i)
      if (numbers.size() != 3000 || numbers[i] != i)
        ::_exit(6);
    ::_exit(calls == 2000 ? 0 : 4);
  }
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0)
      << WEXITSTATUS(status);
}

TEST(ThreadPool, LoopsInLoops) {
  withThreads([&] {
    std::atomic<size_t> sum{0};
    runOnThreads(4, [&](unsigned) {
      forRanges(100000, [&](size_t begin, size_t end) { sum += end - begin; });
    });
    EXPECT_EQ(sum, 400000u);
  });
}

TEST(ThreadPool, NumbersOfThreads) {
  unsigned first = numThreads();
  EXPECT_GE(first, 1u);
  EXPECT_LE(first, kMaxThreads);
  setNumThreads(3);
  EXPECT_EQ(numThreads(), 3u);
  EXPECT_EQ(partsOf(1000 * kItemsOfThread), 3u);
  EXPECT_EQ(partsOf(kItemsOfThread), 1u);
  std::set<std::thread::id> threads;
  std::mutex mutex;
  runOnThreads(8, [&](unsigned) {
    std::lock_guard<std::mutex> lock(mutex);
    threads.insert(std::this_thread::get_id());
  });
  EXPECT_LE(threads.size(), 3u);
  EXPECT_TRUE(threads.count(std::this_thread::get_id()));
  setNumThreads(2000);
  EXPECT_EQ(numThreads(), kMaxThreads);
  setNumThreads(0);
  EXPECT_EQ(numThreads(), first);
}

TEST(Parallel, FindsTheFirst) {
  withThreads([&] {
    for (size_t count : {0, 1, 5000, 400000}) {
      EXPECT_EQ(findFirst(count, [](size_t) { return false; }), count);
      for (size_t bad : {size_t(0), count / 3, count - 1}) {
        if (count == 0)
          continue;
        EXPECT_EQ(
            findFirst(count,
                      [&](size_t i) { return i == bad || i > bad + 20000; }),
            bad);
      }
    }
  });
}

/// A part that finds one late does not hide an earlier one.
TEST(Parallel, FindsTheFirstOfParts) {
  setNumThreads(2);
  constexpr size_t kCount = 300000, kEarly = 7, kLate = 250000;
  std::atomic<bool> isLateSeen{false};
  EXPECT_EQ(findFirst(kCount,
                      [&](size_t i) {
                        auto wait = [](int milliseconds) {
                          std::this_thread::sleep_for(
                              std::chrono::milliseconds(milliseconds));
                        };
                        if (i == kLate) {
                          isLateSeen = true;
                          wait(100);
                        }
                        for (int tries = 0;
                             i == kEarly && !isLateSeen && tries < 1000;
                             ++tries)
                          wait(1);
                        return i == kEarly || i == kLate;
                      }),
            kEarly);
  setNumThreads(0);
}

TEST(HostMemory, IsUsedAgainWithinAScope) {
  constexpr size_t kBytes = size_t(32) << 20;
  HostMemoryScope outer;
  void *first = allocateHost(kBytes);
  freeHost(first, kBytes);
  {
    HostMemoryScope inner;
    EXPECT_EQ(allocateHost(kBytes - 1000), first);
    freeHost(first, kBytes - 1000);
  }
  void *larger = allocateHost(2 * kBytes);
  EXPECT_NE(larger, first);
  void *smaller = allocateHost(kBytes / 2);
  EXPECT_NE(smaller, first);
  EXPECT_EQ(allocateHost(kBytes), first);
  freeHost(smaller, kBytes / 2);
  freeHost(larger, 2 * kBytes);
  freeHost(first, kBytes);
}

/// However long scopes overlap, not all that is freed is kept.
TEST(HostMemory, KeepsSoMuch) {
  constexpr size_t kBytes = size_t(24) << 20;
  constexpr size_t kCount = 100;
  HostMemoryScope scope;
  size_t before = ::mallinfo2().hblkhd;
  std::vector<void *> blocks;
  for (size_t i = 0; i < kCount; ++i) // whose pages nobody touches
    blocks.push_back(allocateHost(kBytes));
  // Memory that other tests have freed may serve for some.
  EXPECT_GE(::mallinfo2().hblkhd - before, (kCount - 10) * kBytes);
  for (void *block : blocks)
    freeHost(block, kBytes);
  size_t kept = ::mallinfo2().hblkhd - before;
  EXPECT_GE(kept, size_t(512) << 20);
  EXPECT_LE(kept, size_t(1200) << 20);
}
