# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches that a device may not be done with, and what lives until it is."""

import collections
import threading

# (launch, what it holds): `launch.is_done()` says whether it is, and False where that may not be
# asked.
_launches = collections.deque()
_lock = threading.Lock()


def hold(launch, held):
    """Keeps `held` until a launch is seen to be done, by a later one or by `let_go`."""
    with _lock:
        _launches.append((launch, held))
        while _launches and _launches[0][0].is_done():
            _launches.popleft()


def let_go():
    """Lets go of what launches hold that are done. For finalizers, which may run anywhere: within
    a launch, and under a capture, where no event may be asked."""
    if not _launches or not _lock.acquire(blocking=False):
        return
    try:
        launches = list(_launches)  # They go when the lock is free again.
        _launches.clear()
        _launches.extend(one for one in launches if not one[0].is_done())
    finally:
        _lock.release()
