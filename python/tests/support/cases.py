# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numeric test cases: a program, the graphs it is bound to, and its inputs.

A case is held against the reference by any `run(text, function, graphs, inputs)`
that gives outputs by name: the emulator, the GPU, or a stand-in.
"""

import collections
import itertools
from dataclasses import dataclass

import numpy as np

from gnn_mlir import models, targets, types
from gnn_mlir.graph_functions import add_self_loops, merge_types
from gnn_mlir.program import Function
from . import covering, errors, graphs, op_cases

FEATURES = (1, 3, 7, 16, 33, 64, 100, 128, 257)
HEADS = (1, 3, 8)


@dataclass(frozen=True)
class Program:
    """A function with what it is run on. Tolerances are those of its depth."""

    function: Function
    graphs: dict
    inputs: dict
    layers: int = 1


def _untyped(graph):
    return merge_types(graph)


def _looped(graph):
    return add_self_loops(merge_types(graph), "replace", 0)


def _typed(model):
    """A model over edge types, on the graph as it is."""
    def build(graph, features, heads):
        module = model(graph, features, _head(features, heads), heads)
        return module, graph
    return build


def _plain(model, prepare):
    """A model that knows no types."""
    def build(graph, features, heads):
        return model(features, _head(features, heads), heads), prepare(graph)
    return build


def _head(features, heads):
    """The size of a head, so that all together have about as many features."""
    return -(-features // heads)


def _rgcn_diagonal(graph, features, heads):
    """A block for each head."""
    size = heads * _head(features, heads)
    return models.rgcn(graph.num_edge_types, (size, 2 * heads), diagonal_blocks=heads,
                       node_types=graph.num_node_types), graph


def _sage_blocks(graph, features, heads):
    seeds = np.arange(0, graph.num_nodes, 3)[:300]
    blocks, _ = graphs.sample_blocks(_untyped(graph), seeds, (4, 3))
    bound = {f"block{i + 1}": block for i, block in enumerate(blocks)}
    return models.sage_blocks((features, features, 5), "mean"), bound


def _hgt_widths(graph, features, heads):
    widths = {t: (features, features + 2, 5)[t % 3]
              for t in range(graph.num_node_types)}
    return models.hgt(graph.num_node_types, graph.num_edge_types,
                      (features, heads * _head(features, heads)), heads,
                      widths), graph


# Each takes (graph, features, heads) and gives a module and what it is bound to.
MODELS = {
    "gcn": _plain(lambda f, d, h: models.gcn((f, d)), _looped),
    "gcn-without-loops": _plain(
        lambda f, d, h: models.gcn((f, d), self_loops=False), _untyped),
    "gcn-two-layers": _plain(lambda f, d, h: models.gcn((f, 19, d)), _looped),
    "sgc": _plain(lambda f, d, h: models.sgc(f, d, 2), _looped),
    "sage-mean": _plain(lambda f, d, h: models.sage((f, d), "mean"), _untyped),
    "sage-max": _plain(lambda f, d, h: models.sage((f, d), "max"), _untyped),
    "sage-blocks": _sage_blocks,
    "gin": _plain(lambda f, d, h: models.gin((f, d), 21, 0.25), _untyped),
    "gat": _plain(lambda f, d, h: models.gat((f, d), h), _looped),
    "gat-mean": _plain(lambda f, d, h: models.gat((f, d), h, concat=False),
                       _looped),
    "gatv2": _plain(lambda f, d, h: models.gatv2((f, d), h), _looped),
    "transformer": _plain(lambda f, d, h: models.transformer((f, d), h), _untyped),
    "transformer-gate": _plain(lambda f, d, h: models.transformer(
        (f, d), h, concat=False, beta=True), _untyped),
    "graphgym-three-layers": _plain(lambda f, d, h: models.graphgym(f, d, 24),
                                    _looped),
    "rgcn": _typed(lambda g, f, d, h: models.rgcn(
        g.num_edge_types, (f, d), node_types=g.num_node_types)),
    "rgcn-bases": _typed(lambda g, f, d, h: models.rgcn(
        g.num_edge_types, (f, d), bases=2, node_types=g.num_node_types)),
    "rgcn-diagonal": _rgcn_diagonal,
    "rgcn-two-layers": _typed(lambda g, f, d, h: models.rgcn(
        g.num_edge_types, (f, 18, d), node_types=g.num_node_types)),
    "rgat": _typed(lambda g, f, d, h: models.rgat(
        g.num_edge_types, (f, d), h, node_types=g.num_node_types)),
    "rgat-within-relation": _typed(lambda g, f, d, h: models.rgat(
        g.num_edge_types, (f, d), h, concat=False, node_types=g.num_node_types,
        attention="within-relation")),
    "hector-rgat": _typed(lambda g, f, d, h: models.hector_rgat(
        g.num_edge_types, (f, d), h, node_types=g.num_node_types)),
    "compgcn-sub": _typed(lambda g, f, d, h: models.compgcn(
        g.num_edge_types, (f, d), "sub", node_types=g.num_node_types)),
    "compgcn-mul-two-layers": _typed(lambda g, f, d, h: models.compgcn(
        g.num_edge_types, (f, 17, d), "mul", "sum", node_types=g.num_node_types)),
    "hgt": _typed(lambda g, f, d, h: models.hgt(
        g.num_node_types, g.num_edge_types, (f, h * d), h)),
    "hgt-widths": _hgt_widths,
}

WITH_HEADS = {"gat", "gat-mean", "gatv2", "transformer", "transformer-gate",
               "rgcn-diagonal", "rgat", "rgat-within-relation", "hector-rgat", "hgt",
               "hgt-widths", *op_cases.WITH_HEADS}

RELATIONAL = ("rgcn", "rgat", "hector", "compgcn", "hgt")
SUBJECTS = (*MODELS, *op_cases.OPS)
GRAPHS = (*graphs.DATA_SETS, *graphs.ODD, *graphs.BIPARTITE)

FACTORS = {"subject": SUBJECTS, "graph": GRAPHS, "features": FEATURES,
           "heads": HEADS}


def allowed(case):
    """Whether a case makes sense: heads where there are heads, square graphs for
    models, 16 features on data sets, few on other graphs that the emulator takes long for; 3 for
    single ops on the largest two, and 1 on the hub."""
    subject, graph, features, heads = (case[name] for name in FACTORS)
    if heads != 1 and subject not in WITH_HEADS:
        return False
    if graph in graphs.BIPARTITE and subject in MODELS:
        return False
    if graph in graphs.DATA_SETS:
        few = graph in ("fb15k237", "mutag") and subject in op_cases.OPS
        return features == (3 if few else 16)
    few = (1,) if subject in op_cases.OPS else (1, 16, 33)
    return (graph != "hub" or features in few) and (
        graph != "rows-1000" or features <= 64)


# Sizes that kernels treat alike, but for how often: those of a class take turns in the
# covering set.
SIZES = ((1,), (3, 7), (16, 64, 128), (33, 100, 257))


def covering_set():
    """Cases for every change: each subject on each graph, with each class of sizes and each
    number of heads; other classes and heads on a graph for the next subject. A program runs
    on all graphs of a schema, and is compiled once. Single ops are on none of the data sets,
    models whose edges have no types are not on those of many types, and the largest has one
    model of each family. One graph is left out that is as another one, but of 31 rows."""
    def is_kept(case):
        subject, graph = case["subject"], case["graph"]
        return allowed(case) and not (
            subject in op_cases.OPS and graph in graphs.DATA_SETS
            or graph == "mutag" and not subject.startswith(RELATIONAL)
            or graph == "fb15k237" and subject not in ("rgcn", "rgat", "hgt", "compgcn-sub"))

    schemas = {names[0]: names for names in graphs.OF_ONE_SCHEMA}
    others = {name for names in schemas.values() for name in names[1:]} | {"rows-31"}
    # The first takes all sizes, the last one some.
    places = [*schemas, *sorted((name for name in GRAPHS if name not in (
        *schemas, *others, *graphs.DATA_SETS)), key=lambda name: name == "rows-1000")]
    taken, found = collections.Counter(), []
    for number, subject in enumerate(SUBJECTS):
        left, turn = dict.fromkeys(SIZES), itertools.count(number)

        def add(graph, sizes, heads=None):
            """The case with the size of these that the graph has had least, if there is one."""
            if heads is None:
                heads = HEADS[next(turn) % len(HEADS)] if subject in WITH_HEADS else 1
            kept = [case for size in sizes if is_kept(case := {
                "subject": subject, "graph": graph, "features": size, "heads": heads})]
            if not kept:
                return False
            case = min(kept, key=lambda case: taken[graph, case["features"]])
            taken[graph, case["features"]] += 1
            found.extend(here for name in schemas.get(graph, [graph])
                         if is_kept(here := {**case, "graph": name}))
            return True

        for place, graph in enumerate(places):
            first = (number + place) % len(SIZES)
            in_turn = sorted(SIZES[first:] + SIZES[:first], key=lambda sizes: sizes not in left)
            left.pop(next((sizes for sizes in in_turn if add(graph, sizes)), None), None)
        for sizes in left:
            add(places[0], sizes)
        # Inputs of as many heads, so that models of no types are one program on
        # all.
        heads = HEADS[next(turn) % len(HEADS)] if subject in WITH_HEADS else 1
        for graph in graphs.DATA_SETS:
            add(graph, FEATURES, heads)
    on = {(case["subject"], case["graph"]) for case in found}
    # A large graph, on which not all sizes are.
    found += [{"subject": subject, "graph": "hub", "heads": 1,
               "features": 1 if subject in op_cases.OPS else 16}
              for subject in SUBJECTS if (subject, "hub") not in on]
    return found


# The CPU, and forms that the emulator runs without the passes behind them.
FORMS = ("structured", "scheduled", "blocked", "loops")
WAYS = (targets.CPU, *FORMS)


def covering_ways():
    """Cases with the `way` that they run: each pair of a way and another factor, of the graphs
    that are no data sets, whose kernels are those of the odd graphs."""
    return covering.pairwise({**FACTORS, "way": WAYS, "graph": [
        graph for graph in GRAPHS if graph not in graphs.DATA_SETS]}, allowed, of="way")


def full_product():
    """All cases."""
    return list(covering.product(FACTORS, allowed))


def build(subject, graph, features, heads, seed=0):
    """The program of a case; `graph` is a name, or a graph."""
    bound = graphs.named(graph) if isinstance(graph, str) else graph
    if graph == "hub" and subject in op_cases.OF_MANY_RESULTS:
        bound = graphs.smaller_hub()
    if subject in op_cases.OPS:
        module = op_cases.build(subject, bound, features, heads)
        bound = dict.fromkeys(module.graphs, bound)
    else:
        module, bound = MODELS[subject](bound, features, heads)
    function, = module.functions.values()
    bound = function.bind(bound)  # A dict by name.
    kind = op_cases.INPUTS.get(subject)
    if kind is None:
        kind = "normal" if _head(features, heads) >= 16 else "positive"
    layers = 2 if "two-layers" in subject or "sage-blocks" in subject else 1
    layers = 3 if "three-layers" in subject else layers
    return Program(function, bound, make_inputs(function, bound, kind, seed),
                   layers)


# Inputs whose sign matters where all others are positive.
_SIGNED = ("att_src", "att_dst", "query", "prior", "skip")


def make_inputs(function, bound, kind, seed=0):
    """float32 inputs by name.

    "normal": as `Function.random_inputs`. A row of few features can then come out
    near 0, with an error that is large beside it though no sum is wrong, so there
    are two more kinds. "dyadic": signed multiples of 1/8, whose sums and products
    fp32 keeps without error. "positive": from 0.5 to 1.5, so that sums never
    cancel, except for attention vectors."""
    inputs = function.random_inputs(bound, seed)
    if kind == "normal":
        return inputs
    rng = np.random.default_rng(seed + 1)
    for name, x in inputs.items():
        value = function.inputs[name]
        if value.type == types.I64:
            continue
        weight = value.space is None or value.type.is_typed
        matrix = weight and len(value.features) >= 2
        scale = np.sqrt(value.features[-2]) if matrix else 1.0
        if kind == "dyadic":
            x = rng.integers(-8, 9, x.shape) / 8
            scale = 2.0 ** np.ceil(np.log2(scale))
        elif not name.endswith(_SIGNED):
            x = rng.random(x.shape) + 0.5
        inputs[name] = (x / scale).astype(np.float32)
    return inputs


def check(program, run):
    """Runs a program and holds all outputs against the reference. Returns the
    largest errors, in all and by row."""
    function = program.function
    expected = function.evaluate(program.graphs, program.inputs)
    given = {name: program.graphs[name] for name in function.graphs()}
    out = run(function.module.text(), function.name, given, program.inputs)
    if sorted(out) != sorted(expected):
        raise AssertionError(f"expected outputs {', '.join(expected)}, got "
                             f"{', '.join(out)}")
    worst = 0.0, 0.0
    for name, value in expected.items():
        found = errors.check(name, out[name], value,
                             errors.TOTAL * program.layers,
                             errors.BY_ROW * program.layers)
        worst = tuple(map(max, worst, found))
    return worst
