# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cells of benchmarks/frontend.py in processes of their own, one for each model and graph.

Processes of a wave compile at once; then they are measured one after another, while the
others wait for their turn. A process that dies or takes too long costs its own rows."""

import gc
import multiprocessing
import os
import tempfile
import time
from multiprocessing import connection

import frontend_cells
import frontend_models


def _work(options, text, name, pipe):
    """In the process of one model and graph."""
    left_out, rows, work = None, [], None
    try:
        frontend_cells.quiet()
        work = frontend_cells.Work(frontend_cells.Bench(options), text, name)
        pipe.send(("rows", work.rows))
        work.compile()
        gc.collect()
        gc.freeze()  # Objects that compilers leave are not looked at again.
    except Exception as error:
        left_out = frontend_cells.why(error)
    pipe.send(("ready", left_out))
    pipe.recv()
    if not left_out:
        for row in work.measure():
            pipe.send(("row", row))
    pipe.send(("end", None))


def _unknown(options, text, name):
    """Rows of a graph that was not loaded."""
    return [{"graph": text, "source": "-", "model": name, "mode": mode,
             "group": frontend_models.MODELS[name][0], "nodes": None, "edges": None,
             "relations": None} for mode in frontend_cells.modes(options)]


class _Job:
    """A process, and the rows that are still to come from it."""

    def __init__(self, options, text, name, folder):
        self.rows, self.left_out = _unknown(options, text, name), None
        # First calls find nothing that others have compiled.
        own = os.path.join(folder, f"{text.replace(':', '-')}-{name}")
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = own
        os.environ["TRITON_CACHE_DIR"] = os.path.join(own, "triton")
        os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=_work, daemon=True, args=(
            options, text, name, other))
        self.process.start()
        other.close()

    def receive(self):
        """The next thing that it says: (what, value), or None at its end."""
        try:
            said, value = self.pipe.recv()
        except (EOFError, OSError):
            self.process.join(5)
            self.left_out = f"its process ended with {self.process.exitcode}"
            return None
        if said == "rows":
            self.rows = value
        return said, value

    def stop(self, wait=0):
        """Ends the process, which gets so many seconds to end by itself."""
        self.process.join(wait)
        self.process.kill()
        self.process.join(10)
        self.pipe.close()


def _compile(jobs, seconds):
    """Waits until all jobs are ready for their turn; those that are not get a reason."""
    waiting, until = {job.pipe: job for job in jobs}, time.monotonic() + seconds
    while waiting and (left := until - time.monotonic()) > 0:
        for pipe in connection.wait(list(waiting), left):
            said = waiting[pipe].receive()
            if said is None or said[0] == "ready":
                job = waiting.pop(pipe)
                job.left_out = job.left_out or said and said[1]
    for job in waiting.values():
        job.left_out = f"not compiled after {seconds:g} s"
        job.stop()


def _measure(job, seconds, save):
    """Saves the rows of a job."""
    until = time.monotonic() + seconds
    try:
        if not job.left_out:
            job.pipe.send("go")
    except OSError:
        job.left_out = "its process ended"
    while not job.left_out and job.rows:
        if not job.pipe.poll(max(0, until - time.monotonic())):
            job.left_out = f"over {seconds:g} s"
        elif (said := job.receive()) and said[0] == "row":
            del job.rows[0]
            save(said[1])


def run(options, save):
    """All cells, some at a time. Waves are of models in their order."""
    until = time.monotonic() + 60 * options.minutes
    tasks = [(text, name) for name in options.models for text in options.graphs
             if frontend_cells.is_measured(options, text, name)]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        while tasks:
            jobs, wave, tasks = [], tasks[:options.jobs], tasks[options.jobs:]
            try:
                if time.monotonic() > until:
                    for row in (row for task in wave for row in _unknown(options, *task)):
                        save({**row, "ways": {}, "left_out": "no time left"})
                    continue
                jobs = [_Job(options, *task, folder) for task in wave]
                began = time.monotonic()
                _compile(jobs, options.wave)
                print(f"{len(jobs)} compiled in {time.monotonic() - began:.0f} s",
                      flush=True)
                for job in jobs:
                    if time.monotonic() > until:
                        job.left_out = job.left_out or "no time left"
                    _measure(job, options.cell, save)
                    job.stop(wait=0 if job.left_out else 5)
                    for row in job.rows:
                        save({**row, "ways": {}, "left_out": job.left_out})
            finally:
                for job in jobs:
                    job.process.kill()
