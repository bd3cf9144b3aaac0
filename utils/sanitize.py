#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs kernels on a GPU under compute-sanitizer, and checks their numbers as well.

    utils/sanitize.py [--tools memcheck,racecheck,synccheck,initcheck]
        [--forward all] [--gradients rgcn,rgat,hgt,gatv2,sage-mean] [--draws 3]
        [--graphs rows-33,hub-700] [--sizes 7x3] [--passes edge-walks=1]
        [--jobs 4] [--plant]

--forward names ops and models of python/tests/support/cases.py, held against the float64
reference; --gradients names those whose forward and backward passes run, held against
the emulator: with the schedules that are chosen, and with --draws others for each
kernel, of all that are legal. "" is none. --passes are switches of both. Cases are
shared out to --jobs processes for each tool.

Tensors are torch's, each in an allocation of its own, so that memcheck sees a float
past its end; of the workspace, which is one, it sees the end alone. initcheck finds
what is read of workspace and outputs before it is written. --plant halves the memory
of every input, which memcheck has to find: it fails where a run is clean. Needs the library
(GNN_MLIR_BUILD or GNN_MLIR_LIBRARY), torch, a GPU, and the CUDA toolkit's
compute-sanitizer.
"""

import argparse
import concurrent.futures
import itertools
import os
import pathlib
import random
import subprocess
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "python/tests")]

import gnn_mlir  # noqa: E402
from support import cases, errors, graphs, schedules  # noqa: E402

# Beside those of the tests: rows that whole blocks walk.
HUBS = {"hub-700": lambda: graphs.hub(700, 33)}
TOOLS = {"memcheck": ["--padding", "4096"], "racecheck": [], "synccheck": [],
         "initcheck": []}


class OnGPU:
    device, target = "cuda", None  # The emulator too, which says what is right.

    def __init__(self, planted=False):
        self.planted = planted

    def place(self, arrays):
        import torch
        found = {name: torch.tensor(x, device="cuda") for name, x in arrays.items()}
        for x in found.values() if self.planted else ():
            storage = x.untyped_storage()
            storage.resize_(storage.nbytes() // 2)
        return found


class OnEmulator:
    device = target = "emulator"

    @staticmethod
    def place(arrays):
        return arrays


def as_array(value):
    return np.asarray(value.cpu() if hasattr(value, "cpu") else value)


def check_names(what, names, known):
    wrong = sorted(set(names) - set(known))
    if wrong:
        raise ValueError(f"expected {what} out of {', '.join(sorted(known))}, got "
                         f"{', '.join(wrong)}")


def parse_passes(text):
    found = {}
    for part in filter(None, text.split(",")):
        name, equals, found[name] = part.partition("=")
        if not equals:
            raise ValueError(f"expected passes as SWITCH=VALUE, got {part!r}")
    return found


def find_cases(options):
    """(subject, graph, features, heads, draw): `draw` is None for forward passes
    alone, and counts schedules from 0, which is what is chosen."""
    subjects = {"all": [s for s in cases.SUBJECTS if s != "sage-blocks"], "": []}
    forward, gradients = (subjects.get(text, text.split(",")) for text in (
        options.forward, options.gradients))
    check_names("subjects", {*forward, *gradients}, cases.SUBJECTS)
    check_names("graphs", options.graphs.split(","), {*cases.GRAPHS, *HUBS})
    asked = [(s, None) for s in forward]
    asked += [(s, draw) for s in gradients for draw in range(1 + options.draws)]
    for graph, size, (subject, draw) in itertools.product(
            options.graphs.split(","), options.sizes.split(","), asked):
        features, heads = map(int, size.split("x"))
        heads = heads if subject in cases.WITH_HEADS else 1
        if cases.allowed({"subject": subject, "graph": graph, "features": features,
                          "heads": heads}):
            yield subject, graph, features, heads, draw


def check_forward(program, machine):
    def run(text, function, bound, inputs):
        layer = gnn_mlir.compile(text, function, target=machine.target, chip=machine.chip,
                                 passes=machine.passes)
        binding = layer.bind(bound, machine.device)
        out = binding(machine.place(inputs))
        out = out if isinstance(out, dict) else {binding.outputs[0].name: out}
        return {name: as_array(value) for name, value in out.items()}
    cases.check(program, run)


# Where scores nearly cancel, no arithmetic of fp32 gives many digits of a gradient: it
# may be as far off as this many times what tensor cores change of it, and where they
# change nothing as CANCELLING. The terms of some rows cancel to nothing but rounding, so
# that gradients are held as a whole, where no wrong row of such small graphs can hide.
ILL_CONDITIONED, CANCELLING = 8, 4 * errors.TOTAL


def check_gradients(program, machine, draw, name):
    """Forward and backward pass with gradients of all that has one."""
    function = program.function
    bound = {g: program.graphs[g] for g in function.graphs()}
    options = {"graph": bound, "gradients": True, "chip": machine.chip,
               "passes": machine.passes}
    chosen = schedules.draw(
        schedules.by_kernel(gnn_mlir.list_schedules(function, target=machine.target, **options)),
        random.Random(f"{name} {draw}")) if draw else None
    layer = gnn_mlir.compile(function, target=machine.target, schedules=chosen, **options)
    others = [gnn_mlir.compile(function, target="emulator", **{
        **options, "passes": {**machine.passes, "tensor-cores": on}}) for on in (False, True)]

    def forward(layer, device, place):
        out, tape = layer.bind(bound, device).forward(place(program.inputs))
        return out if isinstance(out, dict) else {next(iter(function.outputs)): out}, tape

    expected, right = forward(layer, "emulator", dict)
    found, tape = forward(layer, machine.device, machine.place)
    rng = np.random.default_rng(0)
    up = {n: rng.standard_normal(x.shape).astype(np.float32) for n, x in expected.items()}
    without, with_cores = (forward(other, "emulator", dict)[1].gradients(up)
                           for other in others)
    for n, value in expected.items():
        errors.check(n, as_array(found[n]), value)
    ours = tape.gradients(machine.place(up))
    for n, value in right.gradients(up).items():
        change = errors.error(with_cores[n], without[n])
        errors.check("d_" + n, as_array(ours[n]), value,
                     max(CANCELLING, ILL_CONDITIONED * change), by_row=np.inf)


def run_here(options, machine):
    """Runs this process's share of the cases; the number of those that failed."""
    part, parts = map(int, options.part.split("/"))
    failed = 0
    for subject, graph, features, heads, draw in list(find_cases(options))[part::parts]:
        name = f"{subject} {graph} {features}x{heads}"
        print(f"{name}, {'forward' if draw is None else f'gradients, schedules {draw}'}",
              flush=True)
        try:
            program = cases.build(subject, HUBS[graph]() if graph in HUBS else graph,
                                  features, heads)
            if draw is None:
                check_forward(program, machine)
            else:
                check_gradients(program, machine, draw, name)
        except (AssertionError, RuntimeError, ValueError) as error:
            failed += 1
            print(f"FAILED: {error}", flush=True)
    return failed


def run_under(tool, part, options, arguments):
    """Whether a share of the cases is clean under a tool, and what was said."""
    command = ["compute-sanitizer", "--tool", tool, *TOOLS[tool], "--error-exitcode",
               "9", sys.executable, __file__, *arguments, "--part",
               f"{part}/{options.jobs}"]
    environment = {**os.environ, "PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}
    found = subprocess.run(command, env=environment, capture_output=True, text=True,
                           check=False)
    return found.returncode == 0, found.stdout + found.stderr


def main(arguments=None):
    arguments = sys.argv[1:] if arguments is None else arguments
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.
                                     RawDescriptionHelpFormatter)
    parser.add_argument("--tools", default=",".join(TOOLS))
    parser.add_argument("--forward", default="all")
    parser.add_argument("--gradients", default="rgcn,rgat,hgt,gatv2,sage-mean")
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--graphs", default="rows-33,hub-700")
    parser.add_argument("--sizes", default="7x3", help="features x heads")
    parser.add_argument("--passes", default="", metavar="SWITCH=VALUE,...")
    parser.add_argument("--jobs", type=int, default=4, help="processes a tool")
    parser.add_argument("--plant", action="store_true")
    parser.add_argument("--chip", default="sm_90")
    parser.add_argument("--part", metavar="I/N",
                        help="run this share of the cases here, without a sanitizer")
    parser.add_argument("--device", choices=("cuda", "emulator"), default="cuda")
    options = parser.parse_args(arguments)
    try:
        check_names("tools", options.tools.split(","), TOOLS)
        if options.plant and options.tools != "memcheck":
            raise ValueError("expected --plant with --tools memcheck alone, which finds "
                             "it")
        passes = parse_passes(options.passes)
        count, failed = len(list(find_cases(options))), 0
        if not count:
            raise ValueError("expected cases, got none")
    except ValueError as error:
        parser.error(str(error))
    options.jobs = min(options.jobs, count)  # A share of none would be clean.
    machine = OnGPU(options.plant) if options.device == "cuda" else OnEmulator()
    machine.chip = options.chip if options.device == "cuda" else None
    machine.passes = passes
    if options.part:
        return 1 if run_here(options, machine) else 0
    with concurrent.futures.ThreadPoolExecutor() as pool:
        jobs = {pool.submit(run_under, tool, part, options, arguments): (tool, part)
                for tool in options.tools.split(",") for part in range(options.jobs)}
        for job in concurrent.futures.as_completed(jobs):
            clean, said = job.result()
            failed += not clean
            if clean == options.plant:
                print(*jobs[job], "FAILED\n", said[:20000])
    print(f"{count} cases under {options.tools}: {len(jobs) - failed} of {len(jobs)} "
          "runs clean")
    return 1 if failed != (len(jobs) if options.plant else 0) else 0


if __name__ == "__main__":
    sys.exit(main())
