//===- Watchdog.h - Work that may never end ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef GNN_TUNE_WATCHDOG_H
#define GNN_TUNE_WATCHDOG_H

#include <functional>
#include <string>

namespace gnn::tune {

/// How long a candidate may compile, or one of its runs take: so many seconds
/// and so many times what the chosen schedule takes.
struct Patience {
  double seconds = 10, timesOfChosen = 100;

  double limit(double ofChosen) const {
    return seconds + timesOfChosen * ofChosen;
  }
};

/// Restarts the clock of a watched thread. False once its work is given up:
/// then it has to return, and nobody reads what it writes.
using RestartClock = std::function<bool()>;

/// Runs `work` on a thread of its own. True when it is done; false once
/// `seconds` have passed since its beginning or its last call of `restart`.
/// Then the thread continues to the next such call, and all that it uses has to
/// stay: if it is still at work when the process exits, files of C are flushed,
/// but globals are not destroyed, and functions of `atexit` that were
/// registered before are not called. Only glibc has the `on_exit` that this
/// needs, and globals that are made after the thread was given up are destroyed
/// nevertheless.
bool runWatched(double seconds,
                std::function<void(const RestartClock &restart)> work);

/// The end of an error about a kernel that is given up: "runs for more
/// than 10.0 s, and is given up: ...". `beside` stands behind the limit.
std::string describeHang(double seconds, const std::string &beside = "");

/// Whether a thread that `runWatched` gave up is still at work: the process
/// must not unload what it uses, nor call `llvm_shutdown`.
bool hasAbandonedThreads();

} // namespace gnn::tune

#endif // GNN_TUNE_WATCHDOG_H
