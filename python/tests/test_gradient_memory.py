# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The memory that training keeps: of an edge a few numbers, and never a row of
features."""

import json
import math
import re
import subprocess

import numpy as np
import pytest

import gnn_mlir
from conftest import find_tool
from gnn_mlir import compiler_capi
from gnn_mlir.gradients import Passes
from support import cases, gradients, graphs

GRAPH = graphs.random_graph(13, 40, 2, 3, seed=3)
# As many as PyG's default of heads, and far fewer than there are features.
MOST_NUMBERS = 16


def with_gradients(function):
    """The text of a program, with gradients of all that is trained."""
    text = function.module.text()
    begin = text.index(f"func.func @{function.name}(")
    end = text.index(" {\n", begin)
    names = ", ".join(f'"{name}"' for name in gradients.trainable(function))
    return f"{text[:end]} attributes {{gnn.gradients = [{names}]}}{text[end:]}"


def edge_buffers(text):
    """(function, features) of each buffer of edges in a workspace, and of each value
    of edges that is saved."""
    for part in text.split("func.func ")[1:]:
        name = part.split("(")[0]
        counts = dict(re.findall(r"(%\w+) = gnn_tile.count @\w+ count (\w+)", part))
        for count, shape in re.findall(
                r"memref\.view .*?\]\[(%\w+)\] : .* to memref<\?((?:x\d+)*)x\w+>", part):
            if counts.get(count) == "edge":
                yield name, math.prod(map(int, shape.split("x")[1:]))
        for shape, more in re.findall(
                r"memref<\?((?:x\d+)*)x\w+> \{([^{}]*)\}", part.split("\n")[0]):
            if "edge>" in more and '"saved' in more:
                yield name, math.prod(map(int, shape.split("x")[1:]))


@pytest.mark.parametrize("model", cases.MODELS)
def test_no_row_of_features_for_an_edge(compiler, model):
    function = cases.build(model, GRAPH, 64, 1).function
    result = subprocess.run(
        [find_tool("gnn-opt"), "-", "--gnn-graph-pipeline", "--gnn-tile-pipeline"],
        input=with_gradients(function), text=True, capture_output=True, check=False)
    assert not result.returncode, result.stderr
    assert f"@{function.name}_backward" in result.stdout
    wide = [found for found in edge_buffers(result.stdout)
            if found[1] > MOST_NUMBERS]
    assert not wide


def test_a_row_of_features_is_found(compiler):
    """The result is one for each edge, and two ops of other kinds read it: so it is
    stored, and the test above would see it."""
    text = """
    #edge = #gnn.rows<@g, edge>
    #node = #gnn.rows<@g, node>
    gnn.graph @g square {node_types = 1, edge_types = 1}
    func.func @f(%x: tensor<?x64xf32, #node>, %w: tensor<64x64xf32>)
        -> (tensor<?x64xf32, #node>, tensor<64x64xf32>) {
      %0 = gnn.gather %x via src : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
      %1 = gnn.linear %0, %w : (tensor<?x64xf32, #edge>, tensor<64x64xf32>) -> tensor<?x64xf32, #edge>
      %2 = gnn.aggregate sum %1 via dst : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #node>
      %3 = gnn.outer %1, %1 : (tensor<?x64xf32, #edge>, tensor<?x64xf32, #edge>) -> tensor<64x64xf32>
      return %2, %3 : tensor<?x64xf32, #node>, tensor<64x64xf32>
    }"""
    made = subprocess.run([find_tool("gnn-opt"), "-", "--gnn-tile-pipeline"], input=text,
                          text=True, capture_output=True, check=True).stdout
    assert ("@f", 64) in list(edge_buffers(made))


class Altered:
    """A package whose saved values have other keys."""

    def __init__(self, package):
        self._plan = json.loads(json.dumps(package.plan()))
        for function in self._plan["functions"]:
            for tensor in [*function["inputs"], *function["outputs"]]:
                if "key" in tensor:
                    tensor["key"] = "0" * 16

    def plan(self):
        return self._plan


def test_a_backward_pass_reads_the_values_that_it_knows(compiler):
    """Another backward pass of a function, compiled later, reads what was saved where
    the same ops compute it, and not what has its name alone."""
    m = gnn_mlir.Module()
    f = m.function("f")
    x = f.input("x", m.graph("g").rows("node", 4))
    y = f.activation("tanh", f.linear(x, f.input("w", gnn_mlir.weight(4, 4))))
    f.output("y", y)
    f.output("z", f.activation("gelu", f.linear(y, f.input("u", gnn_mlir.weight(4, 4)))))
    both, one = (Passes(compiler_capi.compile_text(m.text(), "m.mlir", gradients=asked), "f")
                 for asked in ("f: x w u", "f: x w u -> z"))
    assert both.saved and one.given == ("z",)
    assert all(re.fullmatch("[0-9a-f]{16}", spec["key"]) for spec in both.saved.values())
    assert one.serves(both)
    assert not Passes(Altered(one.package), "f").serves(both)


def test_each_pass_has_its_graphs_by_name():
    """A backward pass that reads the second graph first."""
    m = gnn_mlir.Module()
    a, b = m.graph("a"), m.graph("b")
    f = m.function("f")
    x, z = f.input("x", a.rows("node", 2)), f.input("z", b.rows("node", 2))
    h = f.aggregate("sum", f.gather(x, "edge", via="src"), "node", via="dst")
    y = f.rebind_rows(h, b, "node") * z
    f.output("y", f.aggregate("sum", f.gather(y, "edge", via="src"), "node", via="dst"))
    layer = gnn_mlir.compile(f, target="emulator", gradients=True)
    orders = [layer.package.signature(name)["graphs"] for name in ("f", "f_backward")]
    assert orders == [["a", "b"], ["b", "a"]]
    ends = {"a": ([0, 0, 1], [1, 2, 2]), "b": ([2, 1, 0], [0, 0, 1])}
    found = {name: gnn_mlir.Graph(*pair, 3) for name, pair in ends.items()}
    dense = {name: np.zeros((3, 3)) for name in ends}
    for name, (src, dst) in ends.items():
        np.add.at(dense[name], (dst, src), 1)
    rng = np.random.default_rng(0)
    x, z, up = (rng.standard_normal((3, 2)).astype(np.float32) for _ in range(3))
    got = layer.gradients(found, {"x": x, "z": z}, {"y": up})
    back = dense["b"].T @ up
    np.testing.assert_allclose(got["x"], dense["a"].T @ (back * z), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(got["z"], back * (dense["a"] @ x), rtol=1e-5, atol=1e-6)


def test_results_of_first_rows_are_not_made_of_all():
    """Destinations are the first of the sources: no result of theirs is written over
    rows of all."""
    m = gnn_mlir.Module()
    f = m.function("f")
    x = f.input("x", m.graph("g", square=False).rows("src", 16))
    w, u = (f.input(name, gnn_mlir.weight(16, 16)) for name in "wu")
    a = f.activation("relu", x)
    f.output("p", f.linear(f.prefix_rows(a), w))
    f.output("q", f.linear(a, u))
    rng = np.random.default_rng(0)
    x, w, u = (rng.standard_normal(shape).astype(np.float32)
               for shape in ((7, 16), (16, 16), (16, 16)))
    got = gnn_mlir.compile(m, target="emulator")(
        gnn_mlir.Graph([0, 5, 6], [0, 1, 2], num_src_nodes=7, num_dst_nodes=3),
        {"x": x, "w": w, "u": u})
    a = np.maximum(x, 0)
    np.testing.assert_allclose(got["p"], a[:3] @ w, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(got["q"], a @ u, rtol=1e-4, atol=1e-5)


def test_a_product_in_place_has_schedules_of_its_own():
    """A product that is written over its input has all columns in a block; one of the
    same shape that is not may have fewer."""
    model = gnn_mlir.models.gin((64, 64, 64))
    lines = gnn_mlir.list_schedules(model, vary=["n"], target="emulator")
    gnn_mlir.compile(model, target="emulator", schedules=lines[:1])
    for line in lines:
        if line["template"] == "gemm":
            gnn_mlir.compile(model, target="emulator", schedules=[line])
