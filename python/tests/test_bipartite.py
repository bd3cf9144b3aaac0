# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs on bipartite graphs, the destinations of which are the first sources."""

import numpy as np
import pytest

import gnn_mlir
from support import errors


def attention_of_prefix(f, g):
    x = f.input("x", g.rows("src", 4))
    return f.edge_softmax(f.dot(f.gather(f.prefix_rows(x), "edge", via="dst"),
                                f.gather(x, "edge", via="src")))


def sum_beside_extended(f, g):
    x = f.input("x", g.rows("src", 4))
    near = f.aggregate("sum", f.gather(x, "edge", via="src"), "dst", via="dst")
    return f.extend_rows(near) + x


@pytest.mark.parametrize("build", [attention_of_prefix, sum_beside_extended])
@pytest.mark.parametrize("sizes", [(5, 2, 9), (70, 3, 40), (5, 0, 0)])
def test_a_kernel_reads_a_value_and_its_first_rows(compiler, build, sizes):
    """The emulator holds each access to the rows that it is by."""
    sources, targets, edges = sizes
    module = gnn_mlir.Module()
    declared, function = module.graph("g", square=False), module.function("f")
    function.output("y", build(function, declared))
    rng = np.random.default_rng(3)
    graph = gnn_mlir.Graph(rng.integers(0, sources, edges),
                           rng.integers(0, max(targets, 1), edges),
                           num_src_nodes=sources, num_dst_nodes=targets)
    layer = gnn_mlir.compile(function, target="emulator", gradients=True)
    inputs = {n: x.astype(np.float32) for n, x in function.random_inputs(graph).items()}
    found, tape = layer.forward(graph, inputs)
    assert errors.error(found, function.evaluate(graph, inputs)["y"]) < 1e-5
    up = rng.standard_normal(found.shape).astype(np.float32)
    gradient, step = tape.gradients({"y": up})["x"], 1e-6
    direction = rng.standard_normal(gradient.shape)
    sides = [(function.evaluate(graph, {"x": inputs["x"] + s * direction})["y"] * up).sum()
             for s in (step, -step)]
    assert (gradient * direction).sum() == pytest.approx(
        (sides[0] - sides[1]) / (2 * step), abs=1e-3)
