# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program with no pass, with all, with each one off and with each one alone."""

import concurrent.futures
import json
import os

import numpy as np

from gnn_mlir import capi, targets
from gnn_mlir.compiler import CompiledFunction, compile as compile_program
from . import errors

# The switches of passes (docs/Passes.md), in their order.
SWITCHES = ("raise-loops", "linear-reorder", "compact", "order-aggregate",
            "fuse-attention", "fold-normalization", "join-sums", "move-scales",
            "compute-in-heads", "merge-bias", "fuse", "sum-rows-first", "merge-sums",
            "hoist-factors", "group-edges", "separate-group-sums", "split-sums",
            "write-in-place", "use-edge-order")

# Those that change what gradients are computed by, and nothing in programs without.
OF_GRADIENTS = ("sum-rows-first", "merge-sums")

# Those that act on walks by edges, which the cost model chooses on large graphs only.
OF_EDGE_WALKS = ("group-edges", "separate-group-sums")

# Elements above which rows are walked in pieces: graphs are too small for the cost
# model to split any.
PIECES = 3

# Ranges of nodes that edges gather, which the cost model cuts on large graphs alone.
SHARDS = 3

# Ops that keep a loop's products out of it. Loops with these have no traversal.
RAISE = "raise-loops"


def variants(raised=False):
    """The `passes` of each way to compile, by name. With `raised` no way leaves out
    what makes ops of loops: not every loop has a traversal as it is."""
    kept = {RAISE} if raised else set()
    switches = [name for name in SWITCHES if name not in kept]
    none = dict.fromkeys(switches, False)
    found = {"all": {}, "none": none}
    for name in switches:
        walks = {"edge-walks": 1} if name in OF_EDGE_WALKS else {}
        found[f"without {name}"] = {name: False, **walks}
        found[f"only {name}"] = {**none, name: True, **walks}
    found["all by rows"] = {"cost": "rows"}
    found["all in pieces"] = {"long-rows": PIECES}
    found["all by edges"] = {"edge-walks": 1}
    for number, name in enumerate(("apart", "in one walk", "in each walk")):
        found[f"numbers of edges {name}"] = {"edge-numbers": number}
    found["rows by degree"] = {"row-orders": 1, "edge-walks": 0}
    found["rows by degree in windows"] = {"row-orders": 2, "edge-walks": 0}
    found["two walks of softmax"] = {"online-softmax": 0}
    found["copies gathered"] = {"gather-copies": 1, "edge-walks": 0}
    found["all in shards"] = {"source-shards": SHARDS}
    found["sums in products"] = {"sums-in-products": True}
    return found


# The ways to compile that are taken without statistics as well, where a program
# is compiled for graphs.
WITHOUT_STATISTICS = ("all", "all by rows")

PARTS = 4  # The others among them, of which one number has one.


def some(number, raised=False):
    """The names of some ways: with all passes, with none, and a part of the others, in turn by
    a number. Those of `PARTS` numbers in a row are all."""
    others = [*variants(raised), *(f"{name}, no statistics" for name in WITHOUT_STATISTICS)][2:]
    return ["all", "none", *others[number % PARTS::PARTS]]


def compile_all(text, names=None, graphs=None, raised=False, target=targets.EMULATOR):
    """(names, package) of each different result of compiling a program in these
    ways, for these graphs by name where given. Raises Failure where one does not
    compile."""
    def compiled(way):
        name, passes, graphs = way
        try:
            return compile_program(text, target=target, passes=passes,
                                   graph=graphs).package
        except (capi.GNNError, ValueError) as error:
            raise Failure(name, f"does not compile: {error}") from error

    ways = [(name, passes, graphs) for name, passes in variants(raised).items()]
    if graphs:
        ways += [(f"{name}, no statistics", passes, None)
                 for name, passes, _ in ways if name in WITHOUT_STATISTICS]
    ways = [way for way in ways if names is None or way[0] in names]
    packages = {}
    for (name, *_), package in zip(ways, _all_at_once(compiled, ways)):
        key = package.kernels("mlir"), json.dumps(package.plan(), sort_keys=True)
        packages.setdefault(key, ([], package))[0].append(name)
    return list(packages.values())


def _all_at_once(function, items):
    """function(item) of each, in their order, on all cores."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(function, items))


class Failure(AssertionError):
    """A program that a variant gets wrong."""

    def __init__(self, variant, message):
        super().__init__(f"{variant}: {message}")
        self.variant = variant


def comparable(expected, rounded):
    """The elements that an output is held to. Others fp32 cannot store: there is a
    number in float64, and none in what `rounded` shows."""
    if np.issubdtype(expected.dtype, np.integer):
        return np.ones(expected.shape, bool)
    return (np.isfinite(expected) & np.isfinite(rounded)) | (
        rounded == expected) | (np.isnan(rounded) & np.isnan(expected))


def limits(out, expected, rounded):
    """The error of floats that are held, and the largest that is no fault: 1e-5 over the
    whole result, beyond what storing each op's values in float32 may make of it, which
    is what `rounded` shows, and beyond as many roundings of terms near 1, which an op
    adds up inside and which may cancel."""
    held = comparable(expected, rounded)
    difference, finite = errors.differences(out[held], expected[held])
    noise, _ = errors.differences(rounded[held], expected[held])
    return np.linalg.norm(difference), (
        1e-5 * np.linalg.norm(finite) + 30 * np.linalg.norm(noise) +
        30 * 2.0 ** -23 * np.sqrt(finite.size))


def share(out, expected, rounded):
    """The error of a result, as a share of what it may be."""
    error, limit = limits(*(np.asarray(x, np.float64) for x in (out, expected, rounded)))
    return error / limit if error else 0.0


def deviation(out, expected, rounded):
    """The fault of an output; None where it has none.

    The error is within its `limits`. NaN and infinities are to be where they are
    expected."""
    if out.shape != expected.shape:
        return f"expected shape {expected.shape}, got {out.shape}"
    if np.issubdtype(expected.dtype, np.integer):
        wrong = int((out != expected).sum())
        return f"{wrong} integers differ" if wrong else None
    held = comparable(expected, rounded)
    if not held.any():
        return None
    error, limit = limits(out, expected, rounded)
    if error <= limit:
        return None
    difference, finite = errors.differences(out[held], expected[held])
    size = np.linalg.norm(finite)
    worst = tuple(np.argwhere(held)[np.argmax(np.abs(difference))])
    return (f"expected an error of at most {limit / max(size, 1e-30):.2g}, got "
            f"{error / max(size, 1e-30):.2g}; at {tuple(map(int, worst))} expected "
            f"{expected[worst]:.6g}, got {out[worst]:.6g}")


def outputs(package, function, graphs, inputs, device, variant):
    """The results of a package, by name."""
    try:
        bound = CompiledFunction(package, function).bind(graphs, device)
        out = bound({i.name: inputs[i.name] for i in bound.inputs})
    except capi.GNNError as error:
        raise Failure(variant, f"does not run: {error}") from error
    return out if isinstance(out, dict) else {bound.outputs[0].name: out}


def check_program(program, total, by_row, names=None):
    """Runs a `cases.Program` in all ways, or those of `names`, and holds it against
    float64 and against the way without passes, by `errors.check`."""
    function, graphs = program.function, program.graphs
    expected = function.evaluate(graphs, program.inputs)
    for graph in graphs.values():
        capi.NativeGraph.of(graph)
    packages = compile_all(function.module.text(), names, graphs)
    found = _all_at_once(lambda item: outputs(
        item[1], function.name, graphs, program.inputs,
        capi.Device.emulator(checked=False), item[0][0]), packages)
    plain, = (out for (names, _), out in zip(packages, found) if "none" in names)
    for (names, _), out in zip(packages, found):
        for name in expected:
            for reference in (expected[name], plain[name]):
                try:
                    errors.check(name, out[name], reference, total, by_row)
                except AssertionError as error:
                    raise Failure(names[0], str(error)) from error
    return len(packages)


def check(recorded, names=None, target=targets.EMULATOR):
    """Runs a recorded program in all ways, or those of `names`, and holds all
    results against float64. Raises `Failure`. Returns how many differed.

    In one program of ten the emulator runs the first package with every access checked
    and threads in a random order."""
    made = recorded.build()
    function, inputs = made.function, made.inputs()
    with np.errstate(all="ignore"):
        expected = function.evaluate(recorded.graph, inputs)
        rounded = function.evaluate(recorded.graph, inputs, storage=np.float32)
    packages = compile_all(function.module.text(), names,
                           raised=recorded.is_raised, target=target)
    capi.NativeGraph.of(recorded.graph)  # Made once, not by each thread.

    def run(item):
        number, (variant, package) = item
        careful = number == 0 and recorded.seed % 10 == 0
        device = target if target != targets.EMULATOR else capi.Device.emulator(
            checked=careful, seed=recorded.seed if careful else None)
        out = outputs(package, "f", recorded.graph, inputs, device, variant[0])
        for name, value in expected.items():
            wrong = deviation(out[name], np.asarray(value),
                              np.asarray(rounded[name]))
            if wrong:
                raise Failure(variant[0], f"{name}: {wrong}")

    _all_at_once(run, list(enumerate(packages)))
    return len(packages)
