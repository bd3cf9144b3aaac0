# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs on random small graphs: every op of the builder along every path,
and the chains that the passes on whole graphs act on.

`random_program(seed)` is a `recorded.Recorded`; the same seed gives the same.
"""

import random

import numpy as np

from gnn_mlir import spaces
from gnn_mlir.graph import Graph
from gnn_mlir.graph_functions import derive, sort_edges
from . import graphs, random_chains, random_loops, random_ops, random_self_loops
from .recorded import Building, Call, Recorded, draw

_LARGEST = 100.0  # Values beyond are no operands: they would hide errors.


def _with_schema(rng, node_types, edge_types, seed):
    """A graph each of whose edge types has one node type at either end."""
    draw, size = np.random.default_rng(seed), rng.choice((3, 17, 40))
    types = draw.integers(0, node_types, size)
    schema, ends, kinds = [], [], []
    for r in range(edge_types):
        pair = draw.integers(0, node_types, 2)
        schema.append(tuple(pair))
        nodes = [np.flatnonzero(types == t) for t in pair]
        count = draw.integers(0, 40) if all(map(len, nodes)) else 0
        if count:
            ends.append([draw.choice(n, count) for n in nodes])
            kinds += [r] * count
    ends = np.concatenate(ends, 1) if ends else np.zeros((2, 0), int)
    order = draw.permutation(len(kinds))
    return Graph(ends[0][order], ends[1][order], size, node_type=types,
                 edge_type=np.array(kinds, int)[order], schema=schema,
                 num_node_types=node_types, num_edge_types=edge_types)


def random_graph(rng):
    """A small graph: no rows or types of a kind, one, or some."""
    kinds, labels = rng.choice((1, 1, 2, 3, 9)), rng.choice((1, 1, 2, 6))
    seed, skew = rng.randrange(1000), rng.choice((0, 0.7, 1.5))
    return rng.choice((
        lambda: graphs.random_graph(0, 0, rng.choice((0, labels)),
                                    rng.choice((0, kinds))),
        lambda: graphs.random_graph(33, 0, labels, rng.choice((0, kinds)), seed),
        lambda: graphs.random_graph(1, 3, labels, kinds, seed),
        lambda: graphs.hub(200, rng.choice((3, 20)), kinds, seed),
        lambda: graphs.random_graph(40, 90, labels, kinds, seed, skew,
                                    rng.choice((0, 1, 20))),
        lambda: graphs.random_graph(20, 70, labels, kinds, seed, skew, 30),
        lambda: _with_schema(rng, labels, kinds, seed),
        lambda: _with_schema(rng, labels, kinds, seed),
        *[lambda: graphs.random_graph(rng.choice((5, 31, 64)), rng.choice(
            (4, 64, 200)), labels, kinds, seed, skew)] * 4))()


class Growing:
    """Calls with what each gives in float64, so that no operand grows beyond
    measure."""

    def __init__(self, seed):
        self.rng, self.seed = random.Random(seed), seed
        self.graph = random_graph(self.rng)
        self.dst_sorted = seed % 3 == 1
        if self.dst_sorted:
            self.graph, _ = sort_edges(self.graph)
        self.graphs = {"g": self.graph}
        self.made = Building(self.graph, seed, dst_sorted=self.dst_sorted)
        self.calls, self.arrays, self.pool, self.extra = [], {}, [], []
        self.heads, self.size = self.rng.randint(1, 3), self.rng.randint(1, 12)
        self.src, self.dst = self.made.g.src, self.made.g.dst
        self.spaces = [s for s in spaces.SPACES if s not in (
            ("src", "dst") if self.made.g.square else ("node",))]

    def call(self, kind, *operands, arguments=()):
        """Adds a call and returns its number. Raises ValueError or IndexError
        where the builder refuses it."""
        number, call = len(self.calls), Call(kind, operands, tuple(arguments))
        lines = self.made.function._lines
        before = len(lines)
        self.made.add(number, call)
        for name, graph in self.made.function.module.graphs.items():
            if name not in self.graphs:
                self.graphs[name] = derive(self.graph, graph.parent_types, graph.loops,
                                           graph.loop_type)
        for op in lines[before:]:
            with np.errstate(all="ignore"):
                found = op.meaning(self.graphs,
                                   *[self._array(v) for v in op.operands])
            found = found if isinstance(found, tuple) else (found,)
            self.arrays.update(zip(map(id, op.results), found))
        self.calls.append(call)
        return number

    def _array(self, value):
        if id(value) in self.arrays:
            return self.arrays[id(value)]
        return draw(value, value.name, self.graph, self.seed)

    def value(self, number):
        return self.made.value(number)

    def is_tame(self, number):
        """Whether a value may be an operand."""
        array = np.abs(np.asarray(self._array(self.value(number)), np.float64))
        with np.errstate(all="ignore"):
            return bool(array.max(initial=0) < _LARGEST)

    def input(self, space, *shape):
        """An input of rows; a weight where `space` is None."""
        return self.call("input", arguments=(space, shape))

    def weight(self, number, *out, space=None):
        """A weight for the last features of a value: [that many, *out]."""
        return self.input(space, (number, -1), *out)

    def like(self, number, space=None):
        """A weight or typed rows with the features of a value."""
        count = len(self.value(number).features)
        return self.input(space, *[(number, axis) for axis in range(count)])

    def rows(self, space=None, features=None):
        """A value of that type, mostly a recent one; else a new input."""
        found = [n for n in self.pool if space in (None, self.value(n).space) and
                 features in (None, self.value(n).features)]
        if found and self.rng.random() > 0.25:
            return found[max(self.rng.randrange(len(found)) for _ in range(2))]
        if features is None:
            features = self.rng.choice((
                (), (self.heads,), (self.size,), (self.size,), (self.size,),
                (self.heads, self.size)))
        number = self.input(space or self.rng.choice(self.spaces), *features)
        self.pool.append(number)
        return number

    def via(self, source, target):
        ambiguous = spaces.is_ambiguous(source, target)
        return self.rng.choice(("src", "dst")) if ambiguous else None

    def finer(self, space):
        return self.rng.choice([s for s in self.spaces
                                if s != space and spaces.leads(s, space)])

    def coarser(self, space, itself=False):
        return self.rng.choice([s for s in self.spaces if spaces.leads(space, s)
                                and (itself or s != space)])

    def coin(self, share=0.5):
        return self.rng.random() < share


_PARTS = ((random_chains.CHAINS, 8), (random_ops.OPS, 14), ((random_loops.loop,), 4))


def _grow(t, ops, parts):
    """Calls until there are so many ops."""
    for _ in range(40 * ops):
        made = t.made.function
        if sum(not isinstance(line, str) for line in made._lines) >= ops:
            break
        try:
            steps, = t.rng.choices(*zip(*parts))
            number = t.rng.choice(steps)(t)
        except (ValueError, IndexError):  # The builder has no such op.
            continue
        if len(t.value(number).features) <= 2 and t.is_tame(number):
            t.pool.append(number)


def random_program(seed, ops=22):
    """A program of at least so many ops on a random graph; its results need most
    of them. One in five goes on with graphs with other self loops."""
    t = Growing(seed)
    _grow(t, ops, _PARTS)
    if seed % 5 == 2:
        _grow(t, ops + 12, ((random_self_loops.SELF_LOOPS, 1),))
    used = {i for call in t.calls for i in call.operands}
    inputs = {i for i, call in enumerate(t.calls) if call.kind == "input"}
    results = [(i, 0) for i in range(len(t.calls)) if i not in used | inputs]
    results += [(n, 0) for n in t.pool if n not in inputs and t.coin(0.15)]
    results = sorted({*results, *t.extra}) or [(t.rows(), 0)]
    t.rng.shuffle(results)
    return Recorded(t.graph, tuple(t.calls), tuple(results), seed,
                    stats=t.coin(), dst_sorted=t.dst_sorted)
