# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The time of each kernel of a bound function: medians of ten runs, by events around each
launch. Kernels run one after another, and a short one takes what a launch takes."""

from tables import markdown, number


def measure(bound, inputs, runs=10):
    """The launches of a bound function, in order: times, where the device has a timer, and what the
    launches move and compute."""
    return [{"kernel": step["kernel"], "ms": step.get("milliseconds"),
             "grid": step["grid"], "mb_read": step["bytes_read"] / 1e6,
             "mb_written": step["bytes_written"] / 1e6, "gflop": step["flops"] / 1e9}
            for step in bound.profile(inputs, runs)["steps"]]


def total(steps):
    """Milliseconds of all kernels, None without a timer."""
    times = [step["ms"] for step in steps]
    return None if None in times else sum(times)


def table(steps):
    """One line a launch."""
    return markdown(
        ["kernel", "ms", "grid", "MB read", "written", "Gflop"],
        [[step["kernel"], number(step["ms"], 4), " x ".join(map(str, step["grid"])),
          number(step["mb_read"], 1), number(step["mb_written"], 1),
          number(step["gflop"])] for step in steps])
