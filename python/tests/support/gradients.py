# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds what gnn-differentiate makes against central differences, in float64.

    made = gradients.differentiate(gnn_opt, function)
    gradients.check(function, graphs, inputs, made)     # raises Failure

`@f_forward` and `@f_backward` are evaluated by `interpreter`, differences are of
`Function.evaluate`: nothing is shared but the meaning of single ops.
"""

import bisect
import itertools
import re
import subprocess

import numpy as np

from gnn_mlir import capi, targets
from gnn_mlir.compiler import CompiledFunction, compile as compile_program
from . import errors, generic_ir, interpreter

# Where the pass stands among the options of gnn-opt.
PASS = "--gnn-differentiate=function={function} wrt={wrt}"
PIPELINES = {
    "alone": (PASS,),
    "of loops": ("--gnn-raise-loops", PASS),
    "after the passes": ("--gnn-graph-pipeline", PASS),
    "between the passes": ("--gnn-graph-pipeline", PASS, "--gnn-graph-pipeline"),
    "before the passes": (PASS, "--gnn-graph-pipeline"),
}

# Steps of the differences: at a kink, a smaller one is on one side of it.
STEPS = (1e-6, 1e-7, 3e-8)
LIMIT = 2e-5

# Ways to round, at random, by which it is known how a gradient is conditioned.
RANDOM_ROUNDINGS = 4


class Failure(AssertionError):
    """A gradient that is wrong, or functions that are not as agreed."""


class Refused(Exception):
    """The error of gnn-opt on a program that it does not differentiate."""


class Differentiated:
    """The functions `name`_forward and `name`_backward of an `interpreter.Module`,
    held to their contract: names, roles, and what is passed on."""

    def __init__(self, module, name, wrt):
        self.name, self.wrt = name, list(wrt)
        for end in ("", "_forward", "_backward"):
            if name + end not in module.functions:
                raise Failure(f"expected a function {name + end}, got "
                              f"{', '.join(module.functions)}")
        self.function = module.functions[name]
        self.forward = module.functions[name + "_forward"]
        self.backward = module.functions[name + "_backward"]
        self._check_forward()
        self._check_backward()

    @property
    def saved(self):
        return self.forward.results[len(self.function.results):]

    def _expect(self, what, expected, got):
        if expected != got:
            raise Failure(f"{self.name}: expected {what} {expected}, got {got}")

    def _check_forward(self):
        for function, which in ((self.forward, "forward"), (self.backward, "backward")):
            self._expect(f"gnn.gradient_of at {function.name}", self.name,
                         function.attributes.get("gnn.gradient_of"))
            self._expect(f"gnn.pass at {function.name}", which,
                         function.attributes.get("gnn.pass"))
            for name, _, more in (*function.arguments, *function.results):
                self._expect(f"gnn.of of {name}", name.removeprefix("d_") if (
                    more.get("gnn.role") == "gradient") else None, more.get("gnn.of"))
        arguments = [(n, t) for n, t, _ in self.function.arguments]
        self._expect("arguments of the forward function",
                     [(n, t, "input") for n, t in arguments],
                     [(n, t, a.get("gnn.role")) for n, t, a in self.forward.arguments])
        results = [(n, t, "output") for n, t, _ in self.function.results]
        results += [(f"saved_{i}", t, "saved") for i, (_, t, _) in enumerate(self.saved)]
        self._expect("results of the forward function", results,
                     [(n, t, a.get("gnn.role")) for n, t, a in self.forward.results])

    def _check_backward(self):
        """Each argument is one that is known by its name, and inputs come before
        outputs, saved values and gradients; each saved value is taken."""
        known = {n: (t, "input") for n, t, _ in self.function.arguments}
        for n, t, _ in self.function.results:
            known.setdefault(n, (t, "output"))
            known["d_" + n] = t, "gradient"
        known.update({n: (t, "saved") for n, t, _ in self.saved})
        roles = ["input", "output", "saved", "gradient"]
        found = []
        for name, kind, more in self.backward.arguments:
            self._expect(f"argument {name} of the backward function",
                         known.get(name), (kind, more.get("gnn.role")))
            found.append(roles.index(more["gnn.role"]))
        self._expect("arguments in the order of their roles", sorted(found), found)
        names = [name for name, *_ in self.backward.arguments]
        self._expect("saved values to be taken", [], [
            n for n, *_ in self.saved if n not in names])
        types = {n: t for n, t, _ in self.function.arguments}
        self._expect("results of the backward function",
                     [("d_" + n, types[n], "gradient") for n in self.wrt],
                     [(n, t, a.get("gnn.role")) for n, t, a in self.backward.results])

    def run_forward(self, graphs, inputs, storage=None):
        """The outputs and the saved values by name."""
        return self.forward.evaluate(graphs, inputs, storage)

    def run_backward(self, graphs, inputs, forward, cotangents, storage=None):
        """The gradients by the names of inputs. `forward` is what `run_forward`
        gave, `cotangents` are by the names of outputs."""
        given = {**forward, **inputs,
                 **{"d_" + n: array for n, array in cotangents.items()}}
        needed = {n: given[n] for n, *_ in self.backward.arguments}
        found = self.backward.evaluate(graphs, needed, storage)
        return {n.removeprefix("d_"): array for n, array in found.items()}

    def gradients(self, graphs, inputs, cotangents, storage=None):
        forward = self.run_forward(graphs, inputs, storage)
        return self.run_backward(graphs, inputs, forward, cotangents, storage)


def trainable(function):
    """The names of inputs that a gradient can be asked for: all but those that the
    running statistics of gnn.batch_norm depend on."""
    from_inputs = {id(v): {n} for n, v in function.inputs.items()}
    fixed = set()
    for op in function._lines:
        if isinstance(op, str):
            continue
        of = [from_inputs.get(id(v), set()) for v in op.operands]
        if op.head == "gnn.batch_norm":
            fixed |= of[1] | of[2]
        for value in op.results:
            from_inputs[id(value)] = set().union(*of)
    return [n for n, v in function.inputs.items()
            if n not in fixed and v.type.dtype == "f32"]


def options(function, wrt, pipeline=PIPELINES["alone"]):
    """Options of gnn-opt that differentiate a function of a program."""
    return [option.format(function=function.name, wrt=",".join(wrt))
            for option in pipeline]


def _run(gnn_opt, function, wrt, pipeline, *more):
    command = [str(gnn_opt), "-", *options(function, wrt, pipeline), *more]
    result = subprocess.run(command, input=function.module.text(), text=True,
                            capture_output=True, check=False)
    if result.returncode < 0 or "PLEASE submit a bug report" in result.stderr:
        raise Failure(f"gnn-opt crashes: {result.stderr[:2000]}")
    if result.returncode:
        raise Refused(result.stderr.strip())
    return result.stdout


def differentiate(gnn_opt, function, wrt=None, pipeline=PIPELINES["alone"]):
    """The functions that gnn-opt makes of a program by a pipeline: its options, with
    PASS among them. `wrt` are names of inputs, all that are `trainable` if left out.
    Raises Refused."""
    wrt = trainable(function) if wrt is None else wrt
    text = _run(gnn_opt, function, wrt, pipeline, *generic_ir.OPTIONS)
    return Differentiated(interpreter.read(text), function.name, wrt)


def _passes(function, wrt, pipeline):
    """A pipeline of `PIPELINES` as text."""
    words = [option.removeprefix("--").partition("=")
             for option in options(function, wrt, pipeline)]
    return ",".join("func.func(gnn-raise-loops)" if name == "gnn-raise-loops" else
                    name + (f"{{{more}}}" if more else "") for name, _, more in words)


def differentiate_all(gnn_opt, programs):
    """The result of `differentiate` for each (function, pipeline), or the Refused or Failure
    that it raises. One run of gnn-opt makes all that it takes."""
    texts = [
        f"{function.module.text()}\n{{-# external_resources: {{mlir_reproducer: {{pipeline: "
        f'"builtin.module({_passes(function, trainable(function), pipeline)})", '
        "disable_threading: true, verify_each: true}} #-}\n// -----\n"
        for function, pipeline in programs]
    result = subprocess.run(
        [str(gnn_opt), "-", "--split-input-file", "--run-reproducer", *generic_ir.OPTIONS],
        input="".join(texts)[:-len("// -----\n")], text=True, capture_output=True, check=False)
    ends = list(itertools.accumulate(text.count("\n") for text in texts))
    refused = {bisect.bisect_left(ends, int(line)) for line in re.findall(
        r"^<stdin>:(\d+):\d+: error: ", result.stderr, re.M)}
    taken = [i for i in range(len(programs)) if i not in refused]
    try:
        modules = interpreter.read_all(result.stdout)
    except ValueError:
        modules = []  # Read one by one, it is that program's failure.
    made = dict(zip(taken, modules)) if len(modules) == len(taken) else {}

    def one(i, function, pipeline):
        try:
            if i not in made:  # For what gnn-opt says of it.
                return differentiate(gnn_opt, function, pipeline=pipeline)
            return Differentiated(made[i], function.name, trainable(function))
        except (Refused, Failure, ValueError) as error:
            return error
    return [one(i, *program) for i, program in enumerate(programs)]


def text(gnn_opt, function, wrt=None, pipeline=PIPELINES["alone"]):
    """The module with the functions as a compiler takes it."""
    wrt = trainable(function) if wrt is None else wrt
    return _run(gnn_opt, function, wrt, pipeline)


def smooth_inputs(function, graphs, seed=0):
    """float64 inputs, no two elements of which are alike: there are no ties."""
    rng = np.random.default_rng(seed)
    made = function.random_inputs(graphs, seed)
    return {name: x if np.issubdtype(x.dtype, np.integer) else x + (
        1e-3 * rng.standard_normal(x.shape) * (not function.inputs[name].positive))
        for name, x in made.items()}


def float_outputs(function):
    return [n for n, v in function.outputs.items() if v.type.dtype == "f32"]


class _Program:
    """The function that differences are taken of."""

    def __init__(self, function, graphs, inputs):
        self.function, self.graphs, self.inputs = function, graphs, inputs
        self.base = self.evaluate({})
        self.names = float_outputs(function)

    def evaluate(self, changed):
        with np.errstate(all="ignore"):
            return self.function.evaluate(self.graphs, {**self.inputs, **changed})

    def random_cotangents(self, rng):
        """Where a result is not finite, its gradient is not asked for."""
        return {n: np.where(np.isfinite(self.base[n]),
                            rng.standard_normal(np.shape(self.base[n])), 0.0)
                for n in self.names}

    def along(self, name, direction, cotangents, step):
        """The central difference of <outputs, cotangents>."""
        sides = []
        for s in (step, -step):
            out = self.evaluate({name: self.inputs[name] + s * direction})
            sides.append(sum(float(np.sum(out[n] * c, where=c != 0))
                             for n, c in cotangents.items()))
        return (sides[0] - sides[1]) / (2 * step)

    def size(self, cotangents):
        return sum(float(np.sum(np.abs(self.base[n] * c), where=c != 0))
                   for n, c in cotangents.items())


def check(function, graphs, inputs, made, directions=3, seed=0, limit=LIMIT):
    """Holds the gradients against differences along some directions; the largest
    error of each input, None where no difference is finite. Raises Failure."""
    program = _Program(function, graphs, inputs)
    given = {n: g for n, g in function.bind(graphs).items() if n in function.graphs()}
    _check_forward(made, given, program)
    rng, worst, details = np.random.default_rng(seed), {}, {}
    for _ in range(directions):
        cotangents = program.random_cotangents(rng)
        found = made.gradients(given, inputs, cotangents)
        for name in made.wrt:
            direction = rng.standard_normal(np.shape(inputs[name]))
            error, detail = _error(program, name, direction, cotangents, found[name],
                                   limit)
            if error is not None and not error <= worst.get(name, -1.0):
                worst[name], details[name] = error, detail
    wrong = [f"d_{name}: error {worst[name]:.2g}, {details[name]}"
             for name in worst if not worst[name] <= limit]
    if wrong:
        raise Failure(f"{function.name}: " + "; ".join(wrong))
    return {name: worst.get(name) for name in made.wrt}


def _check_forward(made, graphs, program):
    found = made.run_forward(graphs, program.inputs)
    for name, expected in program.base.items():
        difference, finite = errors.differences(found[name], expected)
        if not np.linalg.norm(difference) <= 1e-7 * np.linalg.norm(finite):
            raise Failure(f"{made.name}: the forward function gives another {name}")


def _error(program, name, direction, cotangents, gradient, limit):
    """The least error over the steps of the difference along a direction."""
    with np.errstate(all="ignore"):
        slope = float((np.asarray(gradient) * direction).sum())
    length = float(np.linalg.norm(gradient) * np.linalg.norm(direction))
    best, detail = None, ""
    for step in STEPS:
        difference = program.along(name, direction, cotangents, step)
        if not np.isfinite(difference):
            continue
        scale = max(abs(difference), abs(slope), 1e-3 * length,
                    2e-5 * program.size(cotangents), 1e-7)
        error = abs(difference - slope) / scale
        error = error if np.isfinite(error) else np.inf
        if best is None or error < best:
            best = error
            detail = f"expected {difference:.6g} along a direction, got {slope:.6g}"
        if best <= limit:
            break
    return best, detail


def check_kernels(module_text, function, graphs, inputs, made, passes=None, seed=0,
                  device=None, target=targets.EMULATOR, share=None):
    """Compiles the functions of a module for a target and holds outputs and gradients,
    by kernels on it or a device, against the interpreted ones. Returns the largest share
    of what an error may be. Raises Failure.

    Some gradients are 0 but for rounding, and a saturated softmax has small ones of
    large terms: the error may be 1e-5 of the result and besides 4 times what rounding
    each op's values to float32 makes of it, to nearest and at random, or what `share`
    says of a result, an expected and a rounded one. Sums inside of an op have errors of
    their own, and passes make other ops: random programs need more than 4 times."""
    package = compile_program(module_text, function.name, target=target,
                              passes=passes).package
    if device is None:
        device = capi.Device.emulator(checked=False) if target == targets.EMULATOR else target
    given = {n: g for n, g in function.bind(graphs).items() if n in function.graphs()}
    inputs = {n: np.asarray(x, np.float32) for n, x in inputs.items()}
    program = _Program(function, graphs, inputs)
    cotangents = {n: x.astype(np.float32) for n, x in program.random_cotangents(
        np.random.default_rng(seed)).items()}

    def by_kernels(end, values):
        bound = CompiledFunction(package, function.name + end).bind(given, device)
        out = bound({i.name: values[i.name] for i in bound.inputs})
        return out if isinstance(out, dict) else {bound.outputs[0].name: out}

    def everything(storage=None):
        forward = made.run_forward(given, inputs, storage)
        found = made.run_backward(given, inputs, forward, cotangents, storage)
        return {**{n: forward[n] for n in program.names},
                **{"d_" + n: array for n, array in found.items()}}

    out = by_kernels("_forward", inputs)
    out.update(by_kernels("_backward", {
        **out, **inputs, **{"d_" + n: c for n, c in cotangents.items()}}))
    worst, rounded = 0.0, [everything(storage) for storage in (
        np.float32, *map(errors.random_rounding, range(RANDOM_ROUNDINGS)))]
    for name, expected in everything().items():
        found = (share or _share)(out[name], expected, errors.furthest(
            expected, [one[name] for one in rounded]))
        if not found <= 1:
            raise Failure(f"{function.name}: {name} by kernels: error {found:.3g} times "
                          "what it may be")
        worst = max(worst, found)
    return worst


def _share(out, expected, rounded):
    """The error of what kernels gave, as a share of what it may be."""
    held = np.isfinite(expected) & np.isfinite(rounded)
    difference, finite = errors.differences(out, np.where(held, expected, out))
    noise = np.linalg.norm((np.asarray(rounded, np.float64) - expected)[held])
    error = np.linalg.norm(difference)
    return error / (1e-5 * np.linalg.norm(finite) + 4 * noise) if error else 0.0
