# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs of tensors that are declared with their edges sorted by destination: binding one whose
edges are not is an error, wherever its structures are built."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import gnn_mlir  # noqa: E402
from gnn_mlir import Graph, Module, TensorGraph  # noqa: E402
from gnn_mlir.pytorch import device_build  # noqa: E402
from support import errors  # noqa: E402
from test_dst_sorted import (SORTED, TARGETS, UNSORTED, attention, check,  # noqa: E402
                             message_of, rows_of)

pytestmark = pytest.mark.usefixtures("compiler")


def tensors(src, dst, nodes, **given):
    return TensorGraph(torch.tensor(np.array([src, dst], np.int64).reshape(2, -1)), nodes,
                       **given)


@pytest.mark.parametrize("target", TARGETS)
def test_sorted_graphs(target):
    """The results have the bits of those on the same graph of arrays."""
    f = attention()
    layer = gnn_mlir.compile(f.module, target=target)
    for name, given in SORTED.items():
        graph, built = Graph(*given), tensors(*given)
        inputs = f.random_inputs(graph)
        expected = rows_of(layer(graph, inputs))
        for key, value in rows_of(layer(built, inputs)).items():
            np.testing.assert_array_equal(value, expected[key], f"{name} {key}")
        assert bool(built._builds) == (target == "emulator")


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", UNSORTED)
def test_graphs_that_are_not_sorted(target, name):
    """The error is that of the same graph of arrays."""
    *given, _ = UNSORTED[name]
    layer, graph, built = gnn_mlir.compile(attention().module, target=target), Graph(
        *given), tensors(*given)
    inputs = attention(False).random_inputs(graph)
    message = message_of(lambda: layer(graph, inputs))
    for _ in range(2):
        assert message_of(lambda: layer(built, inputs)) == message


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
    """Kernels check a schema and the order of edges."""
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
        assert bool(built._builds) == (target == "emulator")
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


def test_wrong_ids_are_told_first():
    """They are no order."""
    f = attention()
    for target in TARGETS:
        layer = gnn_mlir.compile(f.module, target=target)
        graph = tensors([0, 1, 2], [1, 9, 0], 3)
        with pytest.raises(ValueError, match="edge_dst: expected ids from 0 to 2, got 9 at 1"):
            layer(graph, f.random_inputs(Graph([0, 1, 2], [0, 1, 2], 3)))
