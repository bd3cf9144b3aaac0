# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random chains of linear ops, which gnn-linear-reorder and the passes on the
ends of layers rewrite, against float64. Without statistics and with them, so that both what pays
and what does not is tried."""

import random
import subprocess

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir import types
from gnn_mlir.program import Module
from support import cases, graphs

ENDS = ("gnn-fold-normalization{{cost={0}}},gnn-join-sums{{cost={0}}},"
        "gnn-move-scales{{cost={0}}},gnn-compute-in-heads,gnn-merge-bias")
PASSES = ("func.func(gnn-fold-normalization{{cost={0}}},gnn-linear-reorder{{cost={0}}})",
          "canonicalize,cse", f"func.func({ENDS})", "canonicalize,cse")


class Chain:
    """A function that is one chain, from an input or two to one output."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        graph = graphs.random_graph(self.rng.choice((5, 40)),
                                    self.rng.choice((0, 7, 120)), 3, 4, seed)
        if self.rng.random() < 0.5:
            graph = gnn_mlir.refine_types(graph)
        self.graph = graph
        module = Module()
        self.g = module.graph_like("g", graph, stats=self.rng.random() < 0.5)
        self.f = module.function("f")
        self.products = 0

    def weight(self, *shape):
        return self.f.input(f"w{len(self.f.inputs)}", types.weight(*shape))

    def typed(self, space, *shape):
        return self.f.input(f"w{len(self.f.inputs)}", self.g.rows(space, *shape))

    def start(self, features):
        return self.f.input(f"x{len(self.f.inputs)}",
                            self.g.rows("node", *features))

    def types_of(self, x):
        """(types, via) by which rows of x can be multiplied."""
        return {"node": [("node_type", None)],
                "edge": [("edge_type", None), ("node_type", "src"),
                         ("node_type", "dst")],
                "src_pair": [("edge_type", None), ("node_type", None)],
                "dst_pair": [("edge_type", None), ("node_type", None)]}[x.space]

    def product(self, x):
        self.products += 1
        out, heads = self.rng.choice((1, 2, 4, 6)), x.features[:-1]
        if not heads and self.rng.random() < 0.2:
            heads = (2,)
        if heads and x.features[:-1] and self.rng.random() < 0.3:
            heads = ()
        shape = (*heads, x.features[-1], out)
        with_bias = self.rng.random() < 0.4
        full = (*(heads or x.features[:-1]), out)
        if self.rng.random() < 0.4:
            bias = self.weight(*full) if with_bias else None
            return self.f.linear(x, self.weight(*shape), bias)
        space, via = self.rng.choice(self.types_of(x))
        bias = self.typed(space, *full) if with_bias else None
        return self.f.typed_linear(x, self.typed(space, *shape), via, bias)

    def score(self, x):
        self.products += 1
        if self.rng.random() < 0.5:
            return self.f.dot(x, self.weight(*x.features))
        space, via = self.rng.choice(self.types_of(x))
        return self.f.sddmm(x.space, x, self.typed(space, *x.features),
                            rhs_via=via)

    def move(self, x):
        if x.space == "node":
            space, via = self.rng.choice((("edge", "src"), ("edge", "dst"),
                                          ("src_pair", None), ("dst_pair", None)))
            return self.f.gather(x, space, via)
        if x.space == "edge":
            space, via = self.rng.choice((("node", "src"), ("node", "dst"),
                                          ("dst_pair", None)))
            return self.f.aggregate(self.rng.choice(("sum", "mean")), x, space, via)
        if self.rng.random() < 0.5:
            return self.f.gather(x, "edge")
        return self.f.aggregate("sum", x, "node")

    def shape(self, x):
        if len(x.features) == 1 and x.features[0] % 2 == 0:
            return self.f.reshape(x, 2, x.features[0] // 2)
        if len(x.features) == 2:
            return self.f.reshape(x, x.features[0] * x.features[1])
        return x

    def add(self, x):
        if self.rng.random() < 0.5:
            return x + self.f.broadcast(self.weight(*x.features), x.type)
        space, via = self.rng.choice(self.types_of(x))
        return x + self.f.gather(self.typed(space, *x.features), x.space, via)

    def part(self, x):
        size = self.rng.randint(1, x.features[-1])
        return self.f.slice(x, self.rng.randint(0, x.features[-1] - size), size)

    def join(self, x):
        other = self.product(x)
        return self.f.concat(
            x, other if other.features[:-1] == x.features[:-1] else x)

    def scale(self, x):
        factor = self.f.input(f"x{len(self.f.inputs)}", self.g.rows(x.space))
        return self.f.apply("mul", x.space, factor, x)

    def normalize(self, x):
        w = [self.weight(*x.features) for _ in range(4)]
        w[1] = self.f.elementwise("arith.mulf", w[1], w[1])
        return self.f.batch_norm(x, *w, eps=0.5)

    def build(self):
        x = self.start((4,))
        steps = [self.product, self.move, self.shape, self.add, self.part,
                 self.join, self.scale, self.normalize]
        weights = [6, 3, 3, 2, 1, 1, 1, 1]
        kept = []
        for _ in range(self.rng.randint(3, 8)):
            x = self.rng.choices(steps, weights)[0](x)
            if self.rng.random() < 0.1:
                kept.append(x)
        x = self.score(x) if self.rng.random() < 0.4 else self.product(x)
        self.f.output("out", x)
        for i, value in enumerate(kept):
            self.f.output(f"kept{i}", value)
        bound = {"g": self.graph}
        return cases.Program(self.f, bound,
                             self.f.random_inputs(bound, self.rng.randrange(99)),
                             layers=2 + self.products)


@pytest.mark.parametrize("seed", range(24))
def test_chain(seed, gnn_opt, run):
    cost = random.Random(seed).choice(("rows", "full"))
    passes = ",".join(PASSES).format(cost)

    def rewritten(text, *others):
        result = subprocess.run(
            [gnn_opt, "-", f"--pass-pipeline=builtin.module({passes})"],
            input=text, text=True, capture_output=True, check=False)
        assert result.returncode == 0, result.stderr
        return run(result.stdout, *others)

    program = Chain(seed).build()
    cases.check(program, run)
    cases.check(program, rewritten)


def test_chains_are_rewritten(gnn_opt):
    """Most of these chains have something to do, or this tests nothing."""
    texts = [Chain(seed).build().function.module.text() for seed in range(20)]
    command = [gnn_opt, "-", "--remarks-filter=gnn-.*", "--remark-format=emitRemark",
               "--pass-pipeline=builtin.module(func.func(gnn-linear-reorder))"]
    said = [subprocess.run(command, input=text, text=True, capture_output=True,
                           check=True).stderr for text in texts]
    assert np.mean(["[Passed] Reordered" in words for words in said]) > 0.25
