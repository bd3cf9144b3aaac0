//===- ThreadPool.h - Threads of the host -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_RUNTIME_THREADPOOL_H
#define GNN_RUNTIME_THREADPOOL_H

#include <functional>

namespace gnn::runtime {

/// The number of threads that check, sort and upload graphs, generate code, and
/// run blocks of kernels on the CPU. Results have the same bits for any number.
/// The default is OMP_NUM_THREADS, or else the number of cores.
constexpr unsigned kMaxThreads = 1024;
unsigned numThreads();

/// The cores that this process may use, at most kMaxThreads.
unsigned numCores();

/// 0 restores the default. At most kMaxThreads.
void setNumThreads(unsigned count);

/// Calls body(0) to body(count - 1) on `threads` threads, at most kMaxThreads,
/// and waits for all of them. The calling thread is the first, and calls
/// body(0). The other threads belong to the process, and concurrent calls share
/// them: earlier calls get them first, and a call that gets none does its work
/// alone. A call within a body runs on the thread of that body. An exception of
/// a body is thrown again. A body must not leave by longjmp, as the recovery
/// from a crash does: recover within the body.
void runOnThreads(unsigned count, const std::function<void(unsigned)> &body,
                  unsigned threads = numThreads());

} // namespace gnn::runtime

#endif // GNN_RUNTIME_THREADPOOL_H
