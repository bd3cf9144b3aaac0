//===- ThreadPool.h - Threads of the host -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_THREADPOOL_H
#define GNN_RUNTIME_THREADPOOL_H

#include <functional>

namespace gnn::runtime {

/// Threads on which graphs are checked, sorted and uploaded, code is made, and
/// blocks of kernels run on the CPU; results have the same bits for any number.
/// At first as many as OMP_NUM_THREADS says, or as the host has cores.
constexpr unsigned kMaxThreads = 1024;
unsigned numThreads();

/// The cores that this process may use, at most kMaxThreads.
unsigned numCores();

/// 0: the number that it is at first. At most kMaxThreads.
void setNumThreads(unsigned count);

/// Calls body(0) to body(count - 1) on `threads` threads, at most kMaxThreads,
/// of which this one is the first and calls body(0), and waits for all of them.
/// The others belong to the process, and whoever is in such a call shares them:
/// those who came first have them first, and who has none does its work alone.
/// A call within a body is on that body's thread. Throws what one of the bodies
/// threw. A body must not leave by longjmp, as a crash that is recovered from
/// does: recover within the body.
void runOnThreads(unsigned count, const std::function<void(unsigned)> &body,
                  unsigned threads = numThreads());

} // namespace gnn::runtime

#endif // GNN_RUNTIME_THREADPOOL_H
