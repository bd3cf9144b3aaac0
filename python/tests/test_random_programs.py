# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random straight-line programs on random small graphs, against float64.

Values are used often, returned twice or not at all; features and heads are odd.
Each program runs fused with threads in a random order, and unfused. A failure names
its seed: `random_program(seed)` is the program.
"""

import random

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir import capi, spaces, types
from gnn_mlir.program import Module
from gnn_mlir.testing import graphs

PROGRAMS = 40
_REDUCE = ("sum", "mean", "max", "min")


def random_graph(rng):
    kinds, labels = rng.choice((1, 2, 3, 9)), rng.choice((1, 2, 6))
    seed = rng.randrange(1000)
    return rng.choice((
        lambda: graphs.random_graph(0, 0, labels, kinds),
        lambda: graphs.random_graph(1, 3, labels, kinds, seed),
        lambda: graphs.random_graph(33, 0, labels, kinds, seed),
        lambda: graphs.hub(400, rng.choice((3, 20)), kinds, seed),
        lambda: graphs.random_graph(40, 90, labels, kinds, seed,
                                    dst_nodes=rng.choice((0, 1, 20))),
        lambda: graphs.random_graph(rng.choice((5, 31, 64)),
                                    rng.choice((4, 64, 300)), labels, kinds, seed,
                                    rng.choice((0, 0.7, 1.5)))))()


class Builder:
    """A function that grows by one random op after another."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.graph = random_graph(self.rng)
        module = Module()
        self.g = module.graph_like("g", self.graph)
        self.f = module.function("f")
        self.values, self.results = [], []
        self.heads, self.size = self.rng.randint(1, 4), self.rng.randint(1, 20)
        other = ("src", "dst") if self.g.square else ("node",)
        self.spaces = [s for s in spaces.SPACES if s not in other]

    def input(self, space, *features):
        name = f"x{len(self.f.inputs)}"
        return self.f.input(name, self.g.rows(space, *features) if space else
                            types.weight(*features))

    def rows(self, space=None, features=None):
        """A value of that type, mostly a recent one; else a new input."""
        found = [v for v in self.values if space in (None, v.space) and
                 features in (None, v.features)]
        if found and self.rng.random() > 0.25:
            return found[max(self.rng.randrange(len(found)) for _ in range(2))]
        if features is None:
            features = self.rng.choice((
                (), (self.heads,), (self.size,), (self.heads, self.size)))
        value = self.input(space or self.rng.choice(self.spaces), *features)
        self.values.append(value)
        return value

    def via(self, source, target):
        ambiguous = spaces.is_ambiguous(source, target)
        return self.rng.choice(("src", "dst")) if ambiguous else None

    def finer(self, space):
        return self.rng.choice([s for s in self.spaces
                                if s != space and spaces.leads(s, space)])

    def coarser(self, space, itself=False):
        return self.rng.choice([s for s in self.spaces if spaces.leads(space, s)
                                and (itself or s != space)])

    # Each gives a value.

    def gather(self):
        x = self.rows()
        space = self.finer(x.space)
        return self.f.gather(x, space, self.via(space, x.space))

    def aggregate(self):
        x = self.rows()
        space = self.coarser(x.space)
        return self.f.aggregate(self.rng.choice(_REDUCE), x, space,
                                self.via(x.space, space))

    def extreme(self):
        x = self.rows()
        x, space = self.input(x.space, *x.features), self.coarser(x.space)
        value, index = self.f.aggregate(self.rng.choice(_REDUCE[2:]), x, space,
                                        self.via(x.space, space), argument=True)
        self.results.append(index)
        return value

    def operands(self, space, same=False):
        """Two values that rows of `space` lead to, with their paths."""
        x = self.rows(self.coarser(space, itself=True))
        keep = len(x.features) if same else self.rng.randint(0, len(x.features))
        y = self.rows(self.coarser(space, itself=True), x.features[:keep])
        return x, y, self.via(space, x.space), self.via(space, y.space)

    def apply(self):
        space = self.rng.choice(("edge", "edge", "src_pair", self.g.src))
        kind = self.rng.choice(("add", "sub", "mul"))
        return self.f.apply(kind, space, *self.operands(space))

    def spmm(self):
        space = self.coarser("edge")
        return self.f.spmm(self.rng.choice(("add", "sub", "mul")),
                           self.rng.choice(_REDUCE), space,
                           *self.operands("edge"), self.via("edge", space))

    def sddmm(self):
        return self.f.sddmm("edge", *self.operands("edge", same=True))

    def softmax(self):
        x = self.rows(self.rng.choice(("edge", "edge", "src_pair")))
        ends = ("src", "dst", "src_pair", "dst_pair")
        return self.f.edge_softmax(x, self.rng.choice(
            ends if x.space == "edge" else ends[:1]))

    def linear(self):
        x, out = self.rows(), self.rng.randint(1, 20)
        heads = x.features[:-1] if self.rng.random() < 0.6 else ()
        w, bias = (*heads, *x.features[-1:], out), (*x.features[:-1], out)
        by = self.rng.choice((None, "edge_type", "node_type"))
        bias = self.input(by, *bias) if self.rng.random() < 0.5 else None
        if by is None:
            return self.f.linear(x, self.input(None, *w), bias)
        return self.f.typed_linear(x, self.input(by, *w), self.via(x.space, by),
                                   bias)

    def outer(self):
        x = self.rows()
        y = self.rows(x.space, (*x.features[:-1], 3))
        heads = len(x.features) == 2 and self.rng.random() < 0.5
        if self.rng.random() < 0.5:
            self.results.append(self.f.outer(x, y, heads))
        by = self.rng.choice(("edge_type", "node_type"))
        return self.f.typed_outer(x, y, by, self.via(x.space, by), heads)

    def activation(self):
        kind = self.rng.choice(("relu", "elu", "sigmoid", "tanh", "gelu", "swish"))
        return self.f.activation(kind, self.rows(),
                                 alpha=0.3 if kind == "elu" else None)

    def arithmetic(self):
        x = self.rows()
        y = self.rows(x.space, x.features)
        return self.rng.choice((
            lambda: x + y, lambda: x - y, lambda: x * y, lambda: 1 - x,
            lambda: self.f.elementwise("arith.maximumf", x, y),
            lambda: x / (self.f.elementwise("math.absf", y) + 1.5)))()

    def concat(self):
        x = self.rows()
        like = [v for v in self.values if v.space == x.space and v.features and
                v.features[:-1] == x.features[:-1] and v.features[-1] < 40]
        return self.f.concat(x, self.rng.choice(like))

    def slice(self):
        x = self.rows()
        begin = self.rng.randrange(x.features[-1])
        return self.f.slice(x, begin, self.rng.randint(1, x.features[-1] - begin))

    def reshape(self):
        x = self.rows()
        return self.f.reshape(x, int(np.prod(x.features)))

    def reduce(self):
        reduce = self.rng.choice((self.f.reduce_heads, self.f.reduce_features))
        return reduce(self.rng.choice(_REDUCE), self.rows())

    def broadcast(self):
        x = self.rows()
        return self.f.broadcast(x, x.type.with_features(*x.features, self.size))

    def rowwise(self):
        x = self.rows()
        if self.rng.random() < 0.5:
            return self.f.layer_norm(x, eps=0.1)
        return self.f.outer_rows(x, self.rows(x.space, (3,)))

    STEPS = (gather, aggregate, aggregate, extreme, apply, spmm, sddmm, softmax,
             softmax, linear, linear, outer, activation, arithmetic, arithmetic,
             concat, slice, reshape, reduce, broadcast, rowwise)

    def grow(self, steps):
        for _ in range(steps):
            try:
                value = self.rng.choice(self.STEPS)(self)
            except (ValueError, IndexError):  # The builder has no such op.
                continue
            if len(value.features) <= 2:
                self.values.append(value)
        self.results += [v for v in self.values if self.rng.random() < 0.3]
        self.results += self.values[-1:] or [self.rows()]
        self.rng.shuffle(self.results)
        for i, value in enumerate(self.results[:8]):
            self.f.output(f"out{i}", value)
        return self.f, self.graph


def random_program(seed):
    """A function and the graph to bind it to."""
    return Builder(seed).grow(random.Random(seed).choice((3, 8, 16, 24)))


def check(out, expected, rounded):
    """Within what float32 gives: `rounded` is the reference with each op's values
    in float32."""
    if np.issubdtype(expected.dtype, np.integer):
        np.testing.assert_array_equal(out, expected)
        return
    if not expected.size or not np.abs(expected).max() < 1e12:
        return
    noise = np.abs(np.asarray(rounded, np.float64) - expected).max()
    size = np.sqrt(np.mean(expected ** 2))
    np.testing.assert_allclose(out, expected, rtol=1e-4,
                               atol=2e-5 * size + 30 * noise + 1e-6)


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_random_program(compiler, seed):
    function, graph = random_program(seed)
    inputs = function.random_inputs(graph, seed)
    with np.errstate(all="ignore"):
        expected = function.evaluate(graph, inputs)
        rounded = function.evaluate(graph, inputs, storage=np.float32)
    for fuse in (True, False):
        compiled = gnn_mlir.compile(function, target="emulator", fuse=fuse)
        device = capi.Device.emulator(seed=seed if fuse else None)
        bound = compiled.bind({"g": graph}, device)
        out = bound({name: inputs[name] for name in compiled.input_names})
        if len(expected) == 1:
            out = {next(iter(expected)): out}
        for name, value in expected.items():
            check(out[name], np.asarray(value), rounded[name])
