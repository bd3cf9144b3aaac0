# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs whose gradients are checked: families of ops along every path, models,
and random programs by seed, each by pipelines that differentiate it."""

import collections
import dataclasses
import re

import numpy as np

from gnn_mlir import capi, graph_functions
from . import (cases, covering, gradients, graphs, op_cases, random_programs,
               variants)

GRAPHS = {
    "square": graphs.random_graph(13, 40, 2, 3, seed=3),
    "schema": graph_functions.refine_types(graphs.random_graph(13, 40, 2, 2, seed=4)),
    "bipartite": graphs.random_graph(14, 30, 2, 3, seed=5, dst_nodes=9)}

# Nothing here has a gradient.
WITHOUT_INPUTS = {"op-degree"}

SUBJECTS = tuple(s for s in cases.SUBJECTS if s not in WITHOUT_INPUTS)
FACTORS = {"subject": SUBJECTS, "graph": tuple(GRAPHS), "heads": (1, 2),
           "pipeline": ("alone", "between the passes", "before the passes")}


def allowed(case):
    """Heads where there are heads, and models on a square graph."""
    subject, graph, heads, _ = case.values()
    return (heads == 1 or subject in cases.WITH_HEADS) and (
        graph == "square" or subject in op_cases.OPS)


def covering_set():
    return covering.pairwise(FACTORS, allowed)


def full_product():
    return list(covering.product({**FACTORS, "pipeline": tuple(gradients.PIPELINES)},
                                 allowed))


def build(subject, graph, heads):
    """A program of few features, with inputs without ties, and such that no divisor
    is near 0."""
    program = cases.build(subject, GRAPHS[graph], 4 * heads if (
        subject in cases.MODELS) else 4, heads)
    inputs = gradients.smooth_inputs(program.function, program.graphs, 1)
    if op_cases.INPUTS.get(subject) == "positive":
        inputs = {name: x if np.issubdtype(x.dtype, np.integer) else np.abs(x) + 0.5
                  for name, x in inputs.items()}
    return dataclasses.replace(program, inputs=inputs)


def random_program(seed, ops=14):
    """A random program and the inputs that are its own, without ties."""
    recorded = random_programs.random_program(seed, ops)
    made = recorded.build()
    rng = np.random.default_rng(seed)
    inputs = {name: x + 1e-2 * rng.standard_normal(x.shape) * (
        not made.function.inputs[name].positive) for name, x in made.inputs().items()}
    return cases.Program(made.function, {"g": recorded.graph}, inputs)


# Loops become ops first. One seed takes one of them, or each.
RANDOM_PIPELINES = {
    "of loops": gradients.PIPELINES["of loops"],
    "between the passes": gradients.PIPELINES["between the passes"],
    "of loops, before the passes": (
        *gradients.PIPELINES["of loops"], "--gnn-graph-pipeline"),
}


@dataclasses.dataclass
class Report:
    """The outcome of programs, by name; reports of other programs are added."""

    checked: dict = dataclasses.field(default_factory=dict)  # The largest error.
    refused: dict = dataclasses.field(default_factory=dict)  # The words of gnn-opt.
    failed: dict = dataclasses.field(default_factory=dict)
    open: list = dataclasses.field(default_factory=list)  # Inputs held to nothing.

    def __add__(self, other):
        return Report({**self.checked, **other.checked},
                      {**self.refused, **other.refused},
                      {**self.failed, **other.failed}, self.open + other.open)

    def reasons(self):
        """How often each op was refused."""
        return collections.Counter(map(refused_op, self.refused.values()))


def refused_op(text):
    """The op that gnn-opt refuses, or all that it says."""
    return (re.findall(r"error: '([\w.]+)'", text) or [text])[0]


def check(gnn_opt, name, program, pipeline, directions=3, made=None):
    """The report of one program. `made` is what `gradients.differentiate_all` gave for it,
    where that ran."""
    function, report = program.function, Report()
    try:
        if made is None:
            made = gradients.differentiate(gnn_opt, function, pipeline=pipeline)
        if isinstance(made, Exception):
            raise made
        found = gradients.check(function, program.graphs, program.inputs, made,
                                directions)
    except gradients.Refused as error:
        report.refused[name] = str(error)
    except (gradients.Failure, ValueError) as error:
        report.failed[name] = str(error)
    else:
        report.open = [f"{name}: {n}" for n, error in found.items() if error is None]
        report.checked[name] = max([0.0, *[e for e in found.values() if e is not None]])
    return report


def check_seeds(gnn_opt, seeds, pipelines=None):
    """The report of random programs: each by all of these pipelines, or by one that
    its seed picks."""
    names = list(RANDOM_PIPELINES)
    programs = [(seed, pipeline, random_program(seed)) for seed in seeds
                for pipeline in pipelines or [names[seed % len(names)]]]
    made = gradients.differentiate_all(gnn_opt, [
        (program.function, RANDOM_PIPELINES[pipeline]) for _, pipeline, program in programs])
    report = Report()
    for (seed, pipeline, program), one in zip(programs, made):
        report += check(gnn_opt, f"seed {seed}, {pipeline}", program,
                        RANDOM_PIPELINES[pipeline], directions=1, made=one)
    return report


def check_on(gnn_opt, seeds, target):
    """The report of what random programs give on a target, against float64: outputs, by
    a way to compile that the seed picks, and outputs and gradients of the functions
    that a pipeline makes, which it picks too."""
    report, names = Report(), list(RANDOM_PIPELINES)
    for seed in seeds:
        recorded = random_programs.random_program(seed)
        ways = list(variants.variants(recorded.is_raised))
        way, pipeline = ways[seed % len(ways)], names[seed % len(names)]
        try:
            variants.check(recorded, [way], target)
            report.checked[f"seed {seed}, {way}"] = 0.0
        except variants.Failure as error:
            report.failed[f"seed {seed}, {way}"] = str(error)
        report += check_gradients_on(gnn_opt, f"seed {seed}, {pipeline}",
                                     random_program(seed), RANDOM_PIPELINES[pipeline],
                                     target)
    return report


def check_gradients_on(gnn_opt, name, program, pipeline, target):
    """The report of the kernels of one program. Its errors are shares of what an error
    may be."""
    function, report = program.function, Report()
    arguments = gnn_opt, function, None, pipeline
    try:
        with np.errstate(all="ignore"):
            report.checked[name] = gradients.check_kernels(
                gradients.text(*arguments), function, program.graphs, program.inputs,
                gradients.differentiate(*arguments), target=target,
                share=variants.share)
    except gradients.Refused as error:
        report.refused[name] = str(error)
    except (gradients.Failure, capi.GNNError, ValueError) as error:
        report.failed[name] = str(error)
    return report
