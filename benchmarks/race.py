# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times of several programs that take turns: each is warm and, where that goes, a CUDA
graph; a round runs all of them in an order of its own."""

import argparse
import math
import os
import pathlib
import platform
import random
import statistics
import subprocess
import time
import types

import torch

from gnn_mlir import capi, in_flight

MIB = 2**20
# A CUDA graph makes no program faster than this, unless its calls take less than so many
# milliseconds.
_GAIN, _CALL = 10, 5.0
# Runs in one CUDA graph, at most.
_MOST = 200


def device(name):
    """The device that --device names, for argparse."""
    if name not in ("cuda", "cpu", "emulator"):
        raise argparse.ArgumentTypeError(f"expected cuda, cpu or emulator, got {name}")
    if name == "cuda" and not torch.cuda.is_available():
        raise argparse.ArgumentTypeError("expected cpu or emulator, since torch finds no "
                                         "GPU, got cuda")
    return name


class Contender:
    """One program: how it runs, and what was found of it so far."""

    def __init__(self, name, run, found, count=1):
        """`run` runs it `count` times."""
        self.name, self.run, self.found, self.count = name, run, found, count
        self.times = []


def quantile(values, share):
    values = sorted(values)
    return values[round(share * (len(values) - 1))]


def summary(times):
    """The median, and the spread: the middle 80% beside the median."""
    middle = statistics.median(times)
    return {"ms": middle, "rounds": len(times), "least": min(times),
            "spread": (quantile(times, 0.9) - quantile(times, 0.1)) / middle}


def takes_part(number, turns, rounds):
    """Whether one of `turns` turns, evenly spread over the rounds, is this round."""
    return (number + 1) * turns // rounds > number * turns // rounds


def out_of_memory(error):
    """The words of torch's error on the size."""
    return "out of memory: " + str(error).partition(". ")[2].partition(". ")[0]


class OnGPU:
    """Prepares programs on torch's current GPU, and lets them race there."""

    target = place = device = "cuda"

    def __init__(self, rounds=20, seconds=1.5, slower=5.0, least=5, shortest=0.0, flush=False):
        """A program gets as many turns as fit into `seconds`, at least `least`; one that
        takes `slower` times as long as the best so far gets none. A turn is as many runs as
        take some `shortest` milliseconds. With `flush` other memory is written before each
        turn, so that the L2 has nothing of a program; a turn is one run then."""
        self.rounds, self.seconds, self.slower = rounds, seconds, slower
        self.least, self.shortest, self._other = least, 0.0 if flush else shortest, None
        if flush:
            size = 4 * torch.cuda.get_device_properties(
                torch.cuda.current_device()).L2_cache_size
            self._other = torch.empty(size, dtype=torch.uint8, device="cuda")

    def new_pool(self):
        """Memory that captured programs may share, since one runs after another."""
        return torch.cuda.graph_pool_handle()

    def _time(self, run, repeats=1):
        times = []
        for _ in range(repeats):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            if self._other is not None:
                self._other.fill_(1)
            begin.record()
            run()
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end))
        return statistics.median(times)

    def memory_mib(self, run):
        """The most that a run has allocated at once, beyond what was there."""
        torch.cuda.synchronize()
        in_flight.let_go()  # what finished runs of ours have used
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        run()
        torch.cuda.synchronize()
        return (torch.cuda.max_memory_allocated() - before) / MIB

    def _capture(self, run, pool, count=1):
        """A CUDA graph of `count` runs, or None where `run` cannot be captured."""
        captured, current = torch.cuda.CUDAGraph(), torch.cuda.current_stream()
        try:
            stream = torch.cuda.Stream()
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                run()
            torch.cuda.current_stream().wait_stream(stream)
            torch.cuda.empty_cache()
            with torch.cuda.graph(captured, pool=pool):
                for _ in range(count):
                    out = run()
        except RuntimeError:  # Lack of memory is one too.
            captured = out = None
            torch.cuda.set_stream(current)
            torch.cuda.synchronize()
            torch.cuda.empty_cache()
            return None
        captured.keeps = run, out
        return captured

    def _captured(self, run, pool, once, found):
        """The function timed in place of a program whose call takes `once`, the time of a run, and
        how many runs it is."""
        ready, count = run, 1
        for _ in range(2):  # A call may take longer than a replay: the first says how long.
            runs = min(_MOST, max(1, int(self.shortest / max(once, 1e-6))))
            if found["captured"] and runs < 2 * count:
                break
            graph = self._capture(run, pool, runs)
            found["captured"] = graph is not None
            ready, count = (graph.replay, runs) if graph else (run, 1)
            ready()
            once = self._time(ready) / count
            if not graph:
                break
        return ready, once, count

    def enter(self, name, run, best=None, pool=None, capture=True):
        """A contender, or what kept it out as a dict with "skipped". `best` is the
        least time so far. Without `capture` its calls are timed."""
        began, found = time.monotonic(), {"captured": False}
        limit = math.inf if best is None else self.slower * best
        try:
            run()
            found["mib"] = self.memory_mib(run)
            ready, once, count = run, self._time(run), 1
            if capture and once <= max(_GAIN * limit, _CALL):
                ready, once, count = self._captured(run, pool, once, found)
        except torch.OutOfMemoryError as error:
            found["skipped"] = out_of_memory(error)
        if "skipped" in found:
            torch.cuda.empty_cache()
            return found
        found["entry_s"] = time.monotonic() - began
        if once > limit:
            found["skipped"] = f"{once:.4g} ms, {once / best:.1f} times the best"
            found["once_ms"] = once
            return found
        contender = Contender(name, ready, found, count)
        contender.once = once
        return contender

    def race(self, contenders):
        """Gives each contender its times."""
        turns = {c.name: max(self.least, min(self.rounds, int(
            1e3 * self.seconds / (c.once * c.count)))) for c in contenders}
        for number in range(self.rounds):
            for c in random.sample(contenders, len(contenders)):
                if takes_part(number, min(turns[c.name], self.rounds), self.rounds):
                    c.times.append(self._time(
                        c.run, 3 if c.once * c.count < 20 else 1) / c.count)
        for c in contenders:
            c.found.update(summary(c.times))

    def about(self):
        command = ["nvidia-smi", "--query-gpu=driver_version",
                   "--format=csv,noheader"]
        driver = subprocess.run(command, capture_output=True, text=True,
                                check=False).stdout.strip()
        return {"device": torch.cuda.get_device_name(), "driver": driver,
                "torch": torch.__version__, "CUDA": torch.version.cuda}


def processor():
    """Its name in /proc/cpuinfo."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    return next((line.partition(":")[2].strip() for line in lines
                 if line.startswith("model name")), platform.processor() or "CPU")


class OnCPU(OnGPU):
    """The same on the cores of the CPU: times are of calls, as many as take 30 ms, after one
    by which threads and caches are those of the program."""

    target = device = "cpu"

    def __init__(self, *turns):
        super().__init__(*turns)
        self.place = capi.Device.cpu(torch.get_num_threads())

    def new_pool(self):
        return None

    def _time(self, run, repeats=1):
        run()
        times = []
        while len(times) < 20 and (not times or sum(times) < 30):
            begin = time.perf_counter()
            run()
            times.append(1e3 * (time.perf_counter() - begin))
        return statistics.median(times)

    def memory_mib(self, run):
        return None

    def _capture(self, run, pool, count=1):
        """Calls are what is timed."""
        return types.SimpleNamespace(replay=run)

    def about(self):
        return {"device": f"{os.cpu_count()} cores of {processor()}",
                "threads": torch.get_num_threads(), "torch": torch.__version__}


class OnEmulator:
    """Runs each program once, and times nothing."""

    target, device = "emulator", "cpu"

    def __init__(self):
        self.place = capi.Device.emulator(checked=False)

    def new_pool(self):
        return None

    def enter(self, name, run, best=None, pool=None, capture=True):
        run()
        contender = Contender(name, run, {"captured": False})
        contender.once = None
        return contender

    def race(self, contenders):
        pass

    def about(self):
        return {"device": "emulator", "torch": torch.__version__}


def open_machine(name, *turns):
    """Where programs run that take such turns, by what --device says."""
    return OnEmulator() if name == "emulator" else {"cuda": OnGPU, "cpu": OnCPU}[name](*turns)
