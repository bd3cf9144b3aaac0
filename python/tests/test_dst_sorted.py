# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs that are declared with their edges sorted by destination: binding one whose edges
are not is an error."""

import re

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir import GNNError, Graph, Module, signatures
from support import errors, graphs

pytestmark = pytest.mark.usefixtures("compiler")

TARGETS = ("cpu", "emulator")
# (src, dst, nodes)
SORTED = {
    "multi-edges": ([1, 0, 0, 2, 3, 3, 3, 0, 4], [0, 0, 0, 0, 2, 2, 2, 4, 4], 5),
    "no edges": ([], [], 3),
    "no nodes": ([], [], 0),
    "one edge": ([2], [1], 3),
    "one node": ([0, 0, 0], [0, 0, 0], 1),
    "two edges": ([1, 0], [1, 1], 2),
}
# With what the error says of each.
UNSORTED = {
    "two edges": ([0, 0], [1, 0], 2, "edge 1 to node 0 behind edge 0 to node 1"),
    "last edge": ([1, 0, 2, 0], [0, 3, 3, 2], 4, "edge 3 to node 2 behind edge 2 to node 3"),
    "first edge": ([1, 0, 2, 0], [1, 0, 2, 3], 4, "edge 1 to node 0 behind edge 0 to node 1"),
    "descending": ([0, 1, 2], [2, 1, 0], 3, "edge 1 to node 1 behind edge 0 to node 2"),
    "by source": ([0, 0, 1, 1], [0, 2, 1, 1], 3, "edge 2 to node 1 behind edge 1 to node 2"),
}
PROBLEM = r"graph 'g': expected edges sorted by destination, got "


def attention(dst_sorted=True, **declared):
    """Rows of sources by a softmax of scores over edges, and their maximum: rows of edges
    that are read and written."""
    module = Module()
    g = module.graph("g", dst_sorted=dst_sorted, **declared)
    f = module.function("f")
    x, s = f.input("x", g.rows(g.src, 6)), f.input("s", g.rows("edge"))
    a = f.edge_softmax(s, over="dst")
    f.output("a", a)
    f.output("y", f.spmm("mul", "sum", g.dst, x, a, lhs_via="src", via="dst"))
    f.output("m", f.aggregate("max", f.gather(x, "edge", via="src"), g.dst, via="dst"))
    return f


def rows_of(x):
    return {name: np.asarray(value) for name, value in x.items()}


def check(f, graph, inputs, out):
    expected = f.evaluate(graph, inputs)
    for name, found in rows_of(out).items():
        errors.check(name, found, expected[name], 1e-5, 1e-4)


def message_of(run):
    with pytest.raises((GNNError, ValueError), match=PROBLEM) as refused:
        run()
    if refused.type is GNNError:
        assert refused.value.kind == signatures.EDGE_ORDER
    return str(refused.value)


def test_declarations():
    module = Module()
    g = module.graph("g", edge_types=2, dst_sorted=True)
    part = module.derived_graph("part", g, [1])
    assert g.text().endswith("{node_types = 1, edge_types = 2, dst_sorted}")
    assert "dst_sorted" not in part.text() and "dst_sorted" not in module.graph("h").text()
    like = module.graph_like("like", Graph([0], [1], 2), dst_sorted=True)
    assert like.dst_sorted and not module.graph_like("other", Graph([0], [1], 2)).dst_sorted


def drawn(nodes, edges, is_sorted, seed=0):
    rng = np.random.default_rng(seed)
    src, dst = rng.integers(0, nodes, (2, edges))
    return Graph(src, np.sort(dst) if is_sorted else dst, nodes)


def orders_of(layer):
    return {graph["name"]: graph.get("dst_sorted", False)
            for plan in layer.package.plan()["functions"] for graph in plan["graphs"]}


def test_declarations_like_graphs():
    for edges, is_sorted, expected in ((64, True, True), (64, False, None), (63, True, None)):
        graph, module = drawn(9, edges, is_sorted), Module()
        assert graph.is_dst_sorted is is_sorted
        assert module.graph_like("g", graph).dst_sorted is expected
        for said in (True, False):
            assert module.graph_like(f"is_{said}", graph, dst_sorted=said).dst_sorted is said
    assert Graph([], [], 2).is_dst_sorted and Graph([0], [1], 2).is_dst_sorted


@pytest.mark.parametrize("target", TARGETS)
def test_compilation_for_a_graph(target):
    """It takes the order from its graph where the program does not say it, and its result is
    for graphs of that order alone."""
    graphs = {"sorted": drawn(9, 64, True), "drawn": drawn(9, 64, False),
              "few": drawn(9, 63, True)}
    for said in (None, False, True):
        f = attention(said)
        text = f.module.text()
        for name, graph in graphs.items():
            if said and name == "drawn":
                continue
            for given in (graph, [graph], {"g": graph}):
                layer = gnn_mlir.compile(f, target=target, graph=given)
                expected = said or (said is None and name == "sorted")
                assert orders_of(layer) == {"g": expected}
            inputs = attention(False).random_inputs(graph)
            check(f, graph, inputs, layer(graph, inputs))
            other = graphs["drawn"]
            inputs = attention(False).random_inputs(other)
            if expected:
                message = message_of(lambda layer=layer: layer(other, inputs))
                assert "edge 1 to node 1 behind edge 0 to node 7" in message
            else:
                check(f, other, inputs, layer(other, inputs))
        assert f.module.text() == text and f.module.graphs["g"].dst_sorted is said
        assert orders_of(gnn_mlir.compile(text, target=target, graph=graphs["few"])) == {
            "g": bool(said)}
    # IR as text says it itself.
    layer = gnn_mlir.compile(attention(None).module.text(), target=target,
                             graph=graphs["sorted"])
    assert orders_of(layer) == {"g": False}


def test_compilation_for_several_graphs():
    """Each has its own order, a derived graph none; passes of gradients, and what is compiled
    for them later, have that of the program."""
    module = Module()
    a, b = module.graph("a"), module.graph("b")
    loops = module.looped_graph("loops", b, "replace", 0)
    f = module.function("f")
    x, w = f.input("x", a.rows("node", 4)), f.input("w", a.rows("edge"))
    y = f.spmm("mul", "sum", a.dst, x, w, lhs_via="src", via="dst")
    y = f.rebind_rows(f.rebind_rows(y, b, "node"), loops, "node")
    y = f.aggregate("sum", f.gather(y, "edge", via="src"), "node", via="dst")
    f.output("y", f.rebind_rows(y, b, "node"))
    graphs = {(is_sorted, seed): drawn(9, 80, is_sorted, seed)
              for is_sorted in (False, True) for seed in (0, 1)}
    for first in (False, True):
        for second in (False, True):
            given = [graphs[first, 0], graphs[second, 1]]
            made = [gnn_mlir.compile(f, target="cpu", graph=given, gradients=["x"])
                    for _ in range(2)]
            for layer in made:
                assert orders_of(layer) == {"a": first, "b": second}
            assert made[0].package.plan() == made[1].package.plan()
            assert made[0].package.kernels("mlir") == made[1].package.kernels("mlir")
            inputs = f.random_inputs(given)
            errors.check("y", np.asarray(made[0](given, inputs)),
                         f.evaluate(given, inputs)["y"], 1e-5, 1e-4)
    assert not any(one.dst_sorted for one in module.graphs.values())


@pytest.mark.parametrize("target", TARGETS)
def test_rows_of_types_in_outer_products(target):
    """The rows are read by the types of edges and nodes, where the products are sums over
    these types too."""
    graph = graphs.named("sorted")
    module = Module()
    g = module.graph_like("g", graph, stats=True)
    f = module.function("f")
    for types, rows in (("edge_type", "edge"), ("node_type", "node")):
        x = f.gather(f.input(types, g.rows(types, 4)), rows)
        f.output("d_" + types, f.typed_outer(x, f.input(rows, g.rows(rows, 3)), types))
    inputs = f.random_inputs(graph)
    layer = gnn_mlir.compile(f, target=target)
    assert orders_of(layer) == {"g": True}
    check(f, graph, inputs, layer(graph, inputs))


@pytest.mark.parametrize("target", TARGETS)
def test_sorted_graphs(target):
    f = attention()
    layer = gnn_mlir.compile(f.module, target=target)
    for given in SORTED.values():
        graph = Graph(*given)
        inputs = f.random_inputs(graph)
        check(f, graph, inputs, layer(graph, inputs))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", UNSORTED)
def test_graphs_that_are_not_sorted(target, name):
    """One error of the library and of the reference; a line of it sorts the edges."""
    src, dst, nodes, what = UNSORTED[name]
    f, graph = attention(), Graph(src, dst, nodes)
    layer = gnn_mlir.compile(f.module, target=target)
    inputs = attention(False).random_inputs(graph)
    message = message_of(lambda: layer(graph, inputs))
    assert what in message and message_of(lambda: layer.bind(graph)) == message
    for run in (f.evaluate, lambda graph, _: f.random_inputs(graph)):
        assert what in message_of(lambda run=run: run(graph, inputs))
    line = re.search(r"gnn_mlir\.\w+\(.*\)", message).group()
    made, edges = eval(line, {"gnn_mlir": gnn_mlir, "graph": graph})
    inputs["s"] = inputs["s"][edges]
    check(f, made, inputs, layer(made, inputs))


def test_a_package_of_a_file(tmp_path):
    f = attention()
    gnn_mlir.compile(f.module, target="cpu").save(tmp_path / "f.gnnpkg")
    layer = gnn_mlir.load(tmp_path / "f.gnnpkg")
    good = Graph(*SORTED["multi-edges"])
    inputs = f.random_inputs(good)
    check(f, good, inputs, layer(good, inputs))
    *wrong, what = UNSORTED["by source"]
    inputs = attention(False).random_inputs(Graph(*wrong))
    assert what in message_of(lambda: layer(Graph(*wrong), inputs))
