# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of many random programs, in as many processes as there are cores, and in
parts: what became of each seed is a line of a file, and seeds in it are not run again.

    python python/tests/gradient_seeds.py --seeds 0..5000 --results seeds.jsonl

Gradients are interpreted, and held against differences; errors are relative. With
--target, kernels give outputs and gradients, and are held against what is interpreted;
errors are shares of the largest that is allowed. The last line adds up all that is in
the file, which is to be of one kind.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import shutil
import sys
import time
import traceback

from gnn_mlir import targets
from support import gradient_cases


def run(gnn_opt, seed, everything=False, target=None):
    """The outcome of a seed, by one pipeline or by each: "programs" by their names,
    each "right", "refused", "wrong" or "crashed", and why. Raises nothing."""
    pipelines = gradient_cases.RANDOM_PIPELINES if everything else None
    try:
        report = (gradient_cases.check_on(gnn_opt, [seed], target) if target else
                  gradient_cases.check_seeds(gnn_opt, [seed], pipelines))
    except Exception:  # Whatever it is, the other seeds run.
        text = traceback.format_exc(limit=-3)
        return {"seed": seed, "programs": {f"seed {seed}": ["crashed", text]}}
    programs = {name: ["right", error] for name, error in report.checked.items()}
    programs.update({name: ["refused", gradient_cases.refused_op(text)]
                     for name, text in report.refused.items()})
    for name, text in report.failed.items():
        kind = "crashed" if "crashes" in text else "wrong"
        programs[name] = [kind, text]
    return {"seed": seed, "programs": programs, "open": report.open}


def read(path):
    """The results in a file by seed; a line that was cut off is none."""
    found = {}
    if path.exists():
        for line in path.read_text().splitlines():
            try:
                result = json.loads(line)
            except ValueError:
                continue
            found[result["seed"]] = result
    return found


def summary(results, target=None):
    """Programs, and how many were refused for which op, wrong and crashed; `target`: where
    kernels ran, whose errors are shares."""
    programs = [p for r in results for p in r["programs"].values()]
    kinds = collections.Counter(kind for kind, _ in programs)
    reasons = collections.Counter(why for kind, why in programs if kind == "refused")
    refused = ", ".join(f"{why} {n}" for why, n in sorted(reasons.items()))
    worst = max((error for kind, error in programs if kind == "right"), default=0.0)
    opened = sum(len(r.get("open", ())) for r in results)
    return (f"{len(programs)} programs of {len(results)} seeds: {kinds['right']} right "
            f"(largest error {worst:.2g}{' of what is allowed' if target else ''}, {opened} inputs held to nothing), "
            f"{kinds['refused']} refused ({refused or 'none'}), {kinds['wrong']} wrong, "
            f"{kinds['crashed']} crashed")


def failures(results):
    """(program, what is wrong) of those that are wrong or crashed."""
    return [(name, why) for r in results for name, (kind, why) in r["programs"].items()
            if kind in ("wrong", "crashed")]


def run_all(gnn_opt, seeds, path, jobs=None, everything=False, seconds=None,
            target=None):
    """Runs the seeds that the file does not have, until so many seconds are over,
    and returns the results of all that it has then."""
    found = read(path)
    left = iter([s for s in seeds if s not in found])
    end = time.monotonic() + (float("inf") if seconds is None else seconds)
    jobs = jobs or os.cpu_count()
    with path.open("a") as file, concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        if file.tell() and not path.read_text().endswith("\n"):
            file.write("\n")  # Behind a line that was cut off.
        waiting = set()

        def start():
            for seed in left:
                if time.monotonic() < end:
                    waiting.add(pool.submit(run, gnn_opt, seed, everything, target))
                return

        for _ in range(2 * jobs):
            start()
        while waiting:
            done, waiting = concurrent.futures.wait(
                waiting, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                result = future.result()
                found[result["seed"]] = result
                file.write(json.dumps(result) + "\n")
                for name, why in failures([result]):
                    print(f"{name}: {why}", flush=True)
                start()
            file.flush()
    return [found[seed] for seed in sorted(found)]


def find_gnn_opt():
    """gnn-opt in the build that GNN_MLIR_BUILD names, else in the PATH."""
    build = os.environ.get("GNN_MLIR_BUILD")
    return shutil.which("gnn-opt", path=build and os.path.join(build, "bin"))


def parse_range(text):
    first, _, last = text.partition("..")
    if not (first.isdigit() and last.isdigit() and int(first) < int(last)):
        raise argparse.ArgumentTypeError(
            f"expected A..B, from A to B without B, got {text!r}")
    return range(int(first), int(last))


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seeds", type=parse_range, required=True, metavar="A..B")
    parser.add_argument("--results", type=pathlib.Path, required=True,
                        help="the file that has them and gets more")
    parser.add_argument("--gnn-opt", default=find_gnn_opt())
    parser.add_argument("--jobs", type=int, help="processes; all cores if left out")
    parser.add_argument("--all", action="store_true",
                        help="each program by every pipeline, not by one")
    parser.add_argument("--seconds", type=float, help="start no seed after these")
    parser.add_argument("--target", choices=targets.ALL,
                        help="run kernels there")
    options = parser.parse_args(arguments)
    if options.gnn_opt is None:
        parser.error("expected gnn-opt in GNN_MLIR_BUILD or the PATH, got none")
    results = run_all(options.gnn_opt, options.seeds, options.results, options.jobs,
                      options.all, options.seconds, options.target)
    print(summary(results, options.target))
    return bool(failures(results))


if __name__ == "__main__":
    sys.exit(main())
