# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs that are declared with their edges sorted by destination: binding one whose edges
are not is an error, wherever its structures are built."""

import re

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir import Graph, GNNError, Module, TensorGraph, signatures
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


def tensors(src, dst, nodes, **given):
    torch = pytest.importorskip("torch")
    return TensorGraph(torch.tensor(np.array([src, dst], np.int64).reshape(2, -1)), nodes,
                       **given)


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
    for name, (src, dst, nodes) in SORTED.items():
        graph = Graph(src, dst, nodes)
        inputs = f.random_inputs(graph)
        out = layer(graph, inputs)
        check(f, graph, inputs, out)
        built = tensors(src, dst, nodes)
        for key, value in rows_of(layer(built, inputs)).items():
            np.testing.assert_array_equal(value, rows_of(out)[key], f"{name} {key}")
        assert bool(built._builds) == (target == "emulator")


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", UNSORTED)
def test_graphs_that_are_not_sorted(target, name):
    """One error on the host and where tensors are, and of the reference; a line of it sorts
    the edges."""
    src, dst, nodes, what = UNSORTED[name]
    f, graph = attention(), Graph(src, dst, nodes)
    layer = gnn_mlir.compile(f.module, target=target)
    inputs = attention(False).random_inputs(graph)
    message = message_of(lambda: layer(graph, inputs))
    assert what in message and message_of(lambda: layer.bind(graph)) == message
    for run in (f.evaluate, lambda graph, _: f.random_inputs(graph)):
        assert what in message_of(lambda run=run: run(graph, inputs))
    built = tensors(src, dst, nodes)
    for _ in range(2):
        assert message_of(lambda: layer(built, inputs)) == message
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
    assert what in message_of(lambda: layer(tensors(*wrong), inputs))


@pytest.mark.parametrize("target", TARGETS)
def test_another_function_of_the_graph(target):
    """A graph that was built for a function without the declaration is not taken for checked."""
    plain, declared = (gnn_mlir.compile(attention(dst_sorted).module, target=target)
                       for dst_sorted in (False, True))
    *wrong, what = UNSORTED["last edge"]
    good = SORTED["multi-edges"]
    for one in (good, wrong):
        graph = tensors(*one)
        inputs = plain.source.random_inputs(graph.to_graph())
        out = rows_of(plain(graph, inputs))
        if one is wrong:
            assert what in message_of(lambda: declared(graph, inputs))
            for key, value in rows_of(plain(graph, inputs)).items():  # As before.
                np.testing.assert_array_equal(value, out[key])
        else:
            for key, value in rows_of(declared(graph, inputs)).items():
                np.testing.assert_allclose(value, out[key], 1e-5, 1e-6)


def test_what_was_built_is_not_built_again(monkeypatch):
    """A graph that has all that a function needs is checked alone, once; what a new build has
    too is dropped."""
    from gnn_mlir.pytorch import device_build
    made, build = [], device_build.Build
    monkeypatch.setattr(device_build, "Build", lambda builder, *given: (
        made.append(builder), build(builder, *given))[1])

    def others(dst_sorted):  # A part of what `attention` needs.
        module = Module()
        f = module.function("f")
        g = module.graph("g", dst_sorted=dst_sorted)
        f.output("d", f.aggregate("sum", f.input("s", g.rows("edge", 2)), g.dst, via="dst"))
        return f

    def compiled(f):
        return gnn_mlir.compile(f.module, target="emulator", passes={"use_edge_order": False})
    plain, declared = compiled(attention(False)), compiled(attention())
    small, small_declared = compiled(others(False)), compiled(others(True))

    def call(layer, graph):
        inputs = layer.source.random_inputs(Graph(*SORTED["multi-edges"]))
        return layer(graph, inputs)
    graph = tensors(*SORTED["multi-edges"])
    for layer in (small, small_declared):
        call(layer, graph)
    assert len(made) == 1 and len(graph._builds) == 1
    first = graph._builds[0][0]
    call(plain, graph)
    assert len(made) == 2 and [one for one, _ in graph._builds] != [first]
    assert len(graph._builds) == 1
    # Functions bound to the first one stay.
    np.testing.assert_array_equal(call(small_declared, graph), call(small, graph))
    call(declared, graph)
    assert len(made) == 2 and graph.__dict__["is_dst_sorted"] is True
    # Facts that a build has found are not looked for again.
    graph = tensors(*SORTED["multi-edges"])
    call(declared, graph)
    assert len(made) == 3 and graph.__dict__["is_dst_sorted"] is True
    # One whose edges are not sorted is refused, and nothing is built for it either.
    *wrong, what = UNSORTED["two edges"]
    graph = tensors(*wrong)
    call_of = attention(False).random_inputs(graph.to_graph())
    plain(graph, call_of)
    for _ in range(2):
        assert what in message_of(lambda: declared(graph, call_of))
    assert len(made) == 4 and graph.is_dst_sorted is False


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("form", ["dense", "steps"])
def test_ids_of_each_form(bits, form):
    """Kernels read the given ids where they lie."""
    torch = pytest.importorskip("torch")
    layer = gnn_mlir.compile(attention().module, target="emulator")
    dtype = getattr(torch, f"int{bits}")
    for name, (src, dst, nodes, *what) in {**SORTED, **UNSORTED}.items():
        ends = torch.tensor(np.array([src, dst], np.int64).reshape(2, -1)).to(dtype)
        if form == "steps":  # Between ids of one end lie those of the other, and others.
            room = torch.full((ends.shape[1], 3), 7, dtype=dtype)
            room[:, ::2] = ends.T
            ends = room[:, 0], room[:, 2]
        graph = TensorGraph(ends, nodes)
        inputs = attention(False).random_inputs(graph.to_graph())
        if what:
            assert what[0] in message_of(lambda: layer(graph, inputs))
        else:
            check(layer.source, graph.to_graph(), inputs, layer(graph, inputs))
        assert bool(graph._builds) == (not what), name


@pytest.mark.parametrize("target", TARGETS)
def test_passes_of_gradients(target):
    torch = pytest.importorskip("torch")
    layer = gnn_mlir.compile(attention().module, target=target, gradients=True)

    def gradients(src, dst, nodes):
        graph = tensors(src, dst, nodes)
        inputs = {k: torch.tensor(v, requires_grad=True)
                  for k, v in layer.source.random_inputs(graph.to_graph()).items()}
        results = []
        for one in (graph, graph.to_graph()):
            out = layer(one, inputs)
            loss = sum(value.square().sum() for value in out.values())
            results.append(torch.autograd.grad(loss, inputs.values()))
        return results
    assert all(map(torch.equal, *gradients(*SORTED["multi-edges"])))
    *wrong, what = UNSORTED["two edges"]
    assert what in message_of(lambda: gradients(*wrong))


@pytest.mark.parametrize("target", TARGETS)
def test_types_and_bipartite_graphs(target):
    """With a schema torch builds the structures, on the emulator too."""
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(5)
    for declared in ({"edge_types": 3}, {"edge_types": 2, "schema": [(0, 0), (0, 0)]},
                     {"square": False}, {"self_loops": True}):
        f = attention(**declared)
        layer = gnn_mlir.compile(f.module, target=target)
        types, square = declared.get("edge_types", 1), declared.get("square", True)
        src, dst = rng.integers(0, 7, 40), np.sort(rng.integers(0, 7, 40))
        if "self_loops" in declared:
            ends = np.c_[np.c_[src, dst][src != dst].T, [np.arange(7)] * 2]
            src, dst = ends[:, np.argsort(ends[1], kind="stable")]
        sizes = {"num_nodes": 7} if square else {"num_src_nodes": 7, "num_dst_nodes": 7}
        kinds = rng.integers(0, types, len(src))

        def graphs(src, dst, kinds):
            yield Graph(src, dst, edge_type=kinds, num_edge_types=types, **sizes)
            yield TensorGraph((torch.tensor(src), torch.tensor(dst)), num_edge_types=types,
                              edge_type=torch.tensor(kinds), **sizes)
        host, built = graphs(src, dst, kinds)
        inputs = f.random_inputs(host)
        out = rows_of(layer(host, inputs))
        check(f, host, inputs, out)
        for key, value in rows_of(layer(built, inputs)).items():
            np.testing.assert_array_equal(value, out[key])
        by_kernels = target == "emulator" and "schema" not in declared
        assert bool(built._builds) == by_kernels
        at = int(np.flatnonzero(dst[1:] != dst[:-1])[2])
        for column in (src, dst, kinds):
            column[[at, at + 1]] = column[[at + 1, at]]
        host, built = graphs(src, dst, kinds)
        message = message_of(lambda: layer(host, inputs))
        assert f"edge {at + 1} to node {dst[at + 1]} behind edge {at}" in message
        assert message_of(lambda: layer(built, inputs)) == message


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("edges", [2047, 2048, 2049, 6001])
def test_one_edge_among_many(target, edges):
    """At any place: blocks of a scan have 2048 rows."""
    f = attention()
    layer = gnn_mlir.compile(f.module, target=target)
    rng = np.random.default_rng(edges)
    nodes = edges + 1
    src, dst = rng.integers(0, nodes, edges), np.arange(1, nodes)
    inputs = f.random_inputs(Graph(src, dst, nodes))
    good = tensors(src, dst, nodes)
    check(f, good.to_graph(), inputs, layer(good, inputs))
    for at in (1, 255, 2046, 2047, 2048, edges - 1):
        if at < edges:
            wrong = dst.copy()
            wrong[at] = 0
            assert f"edge {at} to node 0" in message_of(
                lambda: layer(tensors(src, wrong, nodes), inputs))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind", ["types", "loops"])
def test_parents_of_derived_graphs(target, kind):
    """A function that walks the derived graph alone checks its parent."""
    torch = pytest.importorskip("torch")
    module = Module()
    g = module.graph("g", edge_types=2, dst_sorted=True)
    s = (module.derived_graph("s", g, [1]) if kind == "types" else
         module.looped_graph("s", g, "replace", 0))
    f = module.function("f")
    x = f.rebind_rows(f.input("x", g.rows("node", 4)), s, "node")
    y = f.aggregate("sum", f.gather(x, "edge", via="src"), "node", via="dst")
    f.output("y", f.rebind_rows(y, g, "node"))
    layer = gnn_mlir.compile(module, target=target)
    src, dst, nodes = SORTED["multi-edges"]
    kinds = np.array([1, 0, 1, 1, 0, 1, 1, 0, 1])
    graph = Graph(src, dst, nodes, edge_type=kinds)
    inputs = f.random_inputs(graph)
    built = tensors(src, dst, nodes, edge_type=torch.tensor(kinds), num_edge_types=2)
    for one in (graph, built):
        errors.check("y", np.asarray(layer(one, inputs)), f.evaluate(graph, inputs)["y"])
    assert bool(built._builds) == (target == "emulator" and kind == "loops")
    # The edges of type 1 are sorted; the parent's are not.
    dst = [0, 4, 0, 0, 2, 2, 2, 4, 4]
    wrong = Graph(src, dst, nodes, edge_type=kinds)
    message = message_of(lambda: layer(wrong, inputs))
    assert "edge 2 to node 0 behind edge 1 to node 4" in message
    built = tensors(src, dst, nodes, edge_type=torch.tensor(kinds), num_edge_types=2)
    assert message_of(lambda: layer(built, inputs)) == message


def test_one_wait(monkeypatch):
    """The comparisons of torch come with the counts."""
    pytest.importorskip("torch")
    from gnn_mlir.pytorch import copies
    waits, wait = [], copies.Transfer.wait
    monkeypatch.setattr(copies.Transfer, "wait", lambda self: (
        waits.append(self._host is not None), wait(self)))
    counts = []
    for dst_sorted in (False, True):
        f = attention(dst_sorted)
        graph = tensors(*SORTED["multi-edges"])
        gnn_mlir.compile(f.module, target="cpu")(graph, f.random_inputs(graph.to_graph()))
        counts.append(list(waits))
        waits.clear()
    assert counts[0] == counts[1] != []


def test_wrong_ids_are_told_first():
    """They are no order."""
    f = attention()
    for target in TARGETS:
        layer = gnn_mlir.compile(f.module, target=target)
        graph = tensors([0, 1, 2], [1, 9, 0], 3)
        with pytest.raises(ValueError, match="edge_dst: expected ids from 0 to 2, got 9 at 1"):
            layer(graph, f.random_inputs(Graph([0, 1, 2], [0, 1, 2], 3)))
