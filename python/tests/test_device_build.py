# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs of tensors: the structures that kernels build have the bits of the host's."""

from ctypes import byref, c_int64, c_void_p

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import gnn_mlir
from gnn_mlir import capi, devices, device_build, structure_keys, tensor_graph
from test_tensor_graph import (COUNTS, GRAPHS, KEYS, ORDERS, both, needs_schema,
                               random_graph, request_of)

pytestmark = pytest.mark.usefixtures("compiler")


def by_kernels(graph, keys, counts, device="emulator", chip=None):
    """What kernels build of that; None where they do not build all of it."""
    request = request_of(keys, counts)
    device = devices.open_device(device)
    builder = device_build.Builder.make({"g": request}, device, chip)
    stream = torch.cuda.current_stream() if graph.device.type == "cuda" else None
    return builder and device_build.Build(builder, {"g": graph}, stream)


@pytest.fixture(scope="module")
def built_by_kernels():
    """Keys and counts that kernels build."""
    edges = gnn_mlir.TensorGraph(torch.tensor([[0, 1], [1, 1]]), 2)
    return ([text for text in KEYS if by_kernels(edges, [text], [])],
            [text for text in COUNTS if by_kernels(edges, [], [text])])


def check_kernels(host, graph, keys, counts, device="emulator", chip=None):
    counts = [c for c in counts if c != "count node" or host.square]
    native, build = capi.NativeGraph.of(host), by_kernels(graph, keys, counts, device, chip)
    for text in keys:
        np.testing.assert_array_equal(build.structure("g", text).cpu().numpy(),
                                      native.structure(text), text)
    assert {c: build.count("g", c) for c in counts} == {c: native.count(c) for c in counts}


def test_steps_in_another_order(built_by_kernels):
    """Each is an error that says what came before."""
    builder = device_build.Builder.make({"g": request_of(built_by_kernels[0], [])},
                                             devices.open_device("emulator"))
    graph = gnn_mlir.TensorGraph(torch.tensor([[0, 1], [1, 1]]), 2)
    (given, held), sizes, handle = (device_build._device_graphs({"g": graph}),
                                    (c_int64 * 2)(), c_void_p())
    capi.call("gnnBuildCreate", builder.handle, given, 1, byref(handle), sizes)
    build, size = device_build.Build.__new__(device_build.Build), c_int64()
    capi._Handle.__init__(build, handle.value)
    memory = [torch.empty(max(1, number), dtype=torch.int64) for number in (*sizes, 1000)]
    scratch, numbers, room = (x.data_ptr() for x in memory)
    steps = {
        "gnnBuildCount": (scratch, numbers, None, byref(size)),
        "gnnBuildFill": (room, None), "gnnBuildNumber": (b"g", b"", byref(size))}
    before = "gnnBuildCreate"
    for name in steps:
        for other in steps:
            if other != name:
                with pytest.raises(gnn_mlir.GNNError, match=f"got one after {before}"):
                    capi.call(other, build.handle, *steps[other])
        if name == "gnnBuildNumber":
            break
        with pytest.raises(gnn_mlir.GNNError, match="expected memory, got null"):
            capi.call(name, build.handle, *[None if x in (numbers, room) else x
                                            for x in steps[name]])
        capi.call(name, build.handle, *steps[name])
        before = name
    assert len(held) == 2


# More rows than a block of a sum has, and blocks of edges that are not full.
LARGE = dict(nodes=2777, edges=6001, types=5, node_types=3, hub=True)


@pytest.mark.parametrize("name", [*GRAPHS, "large"])
def test_same_bits(name, built_by_kernels, monkeypatch):
    monkeypatch.setitem(GRAPHS, "large", LARGE)
    keys, counts = built_by_kernels
    assert len(keys) > 350 and len(counts) > 150
    for form in [(torch.int64, True, True), (torch.int32, False, True),
                 (torch.int64, False, False)][:1 if name == "large" else 3]:
        check_kernels(*both(name, *form), keys, counts)


def test_expanded_columns(built_by_kernels):
    """One number for all edges, which is in memory once."""
    dst, kinds = torch.tensor([3, 1, 4, 1, 5]), torch.tensor([2]).expand(5)
    made = [gnn_mlir.TensorGraph((torch.tensor([3]).expand(5), dst), 6, edge_type=kinds,
                                 num_edge_types=4)]
    host = gnn_mlir.Graph(np.full(5, 3), dst.numpy(), num_nodes=6, num_edge_types=4,
                          edge_type=np.full(5, 2))
    check_kernels(host, made[0], *built_by_kernels)


def test_one_key_alone(built_by_kernels):
    """Nothing counts on another that was asked for, nor on rows that lie side by side."""
    host, graph = both("random")
    ends = torch.stack([graph.ends(end) for end in ("src", "dst")], 1)
    graph = gnn_mlir.TensorGraph(
        (ends[:, 0], ends[:, 1]), host.num_nodes, num_edge_types=4, num_node_types=3,
        edge_type=graph.edge_type, node_type=graph.node_types_at("src"))
    for text in built_by_kernels[0][::3]:
        check_kernels(host, graph, [text], [])


@pytest.mark.parametrize("loops, loop_type", [("remove", None), ("add", 0), ("add", 4),
                                              ("replace", 2), ("replace", 4)])
def test_other_loops(loops, loop_type):
    """A graph with other self loops, as torch builds it; its edges have no order of their
    own, but the parent's with the loops behind."""
    src, dst, given = random_graph(9, 25, 120, 4, 3)
    src[::7] = dst[::7]
    made = {"src": (src, dst, given), "no types": (src, dst, {"num_nodes": 25}),
            "no edges": (src[:0], dst[:0], {**given, "edge_type": given["edge_type"][:0]})}
    maps = [f"map edge.{order} parent_edge" for order in ORDERS["edge"] if order]
    maps += ["map dst parent_loop"] * (loops != "remove")
    for name, (src, dst, given) in made.items():
        if name == "no types" and loop_type:
            continue
        graph = gnn_mlir.TensorGraph((torch.tensor(src), torch.tensor(dst)), **{
            k: torch.tensor(v) if isinstance(v, np.ndarray) else v for k, v in given.items()})
        parent, device = structure_keys.Request("g"), devices.open_device("emulator")
        parent.finish()

        def request(keys, counts=()):
            one = structure_keys.Request("looped")
            one.parent, one.loops, one.loop_type = "g", loops, loop_type
            for text in keys:
                one.add_structure(text)
            for text in counts:
                one.add_count(text)
            one.finish()
            return {"g": parent, "looped": one}
        keys = [text for text in KEYS + maps if device_build.Builder.make(
            request([text]), device)]
        counts = ["count parent_edge", *(text for text in COUNTS if not needs_schema(
            text) and device_build.Builder.make(request([], [text]), device))]
        assert len(keys) > 280 and "map edge.in_rows parent_edge" in keys
        requests = request(keys, counts)
        build = device_build.Build(device_build.Builder.make(requests, device),
                                        {"g": graph}, None)
        structures = graph._start()
        tensor_graph._build(None, (), {"g": parent}, {"g": structures}, {})
        one = requests["looped"]
        derived = tensor_graph._Derived(structures, one)
        derived = type(structures)(derived, structures, (derived.edges, None))
        tensor_graph._build(None, (), {"looped": one}, {"looped": derived}, {})
        for text in keys:
            np.testing.assert_array_equal(build.structure("looped", text).numpy(),
                                          derived.made[text].numpy(), f"{name} {text}")
        for text in counts:
            assert build.count("looped", text) == derived.count(
                text, structure_keys.parse(text)), text


def test_more_keys_than_kernels_sort():
    """Keys of more than 32 bits are left to torch."""
    graph = gnn_mlir.TensorGraph(torch.tensor([[1], [2]]), 1 << 20, num_edge_types=60000,
                                 edge_type=torch.tensor([1]))
    assert not by_kernels(graph, ["map src_pair src"], []).is_good


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
@pytest.mark.parametrize("name", [*GRAPHS, "large"])
def test_same_bits_on_a_gpu(name, built_by_kernels, monkeypatch):
    monkeypatch.setitem(GRAPHS, "large", LARGE)
    host, _ = both(name)
    src, dst, given = random_graph(1, **GRAPHS[name])
    graph = gnn_mlir.TensorGraph(torch.tensor(np.stack([src, dst])).cuda(), **{
        k: torch.tensor(v).cuda() if isinstance(v, np.ndarray) else v
        for k, v in given.items()})
    check_kernels(host, graph, *built_by_kernels, "cuda:0", "sm_80")
