# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs of tensors: what is bound to them has the bits of what is bound to their `Graph`."""

import itertools
import logging
import pathlib
import re
import weakref

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import gnn_mlir
from gnn_mlir import capi, devices, models, structure_keys
from gnn_mlir.pytorch import device_build, tensor_graph

pytestmark = pytest.mark.usefixtures("compiler")

DEF = (pathlib.Path(__file__).resolve().parents[3] /
       "include/GNN/Lattice/RowSpaces.def").read_text()


def table(macro):
    return [re.findall(r'"[^"]*"|\w+', row) for row in re.findall(
        rf"^{macro}\((.*)\)$", DEF, re.M)]


SPACES = {name: text.strip('"') for name, text, *_ in
          table("GNN_ROW_SPACE") + table("GNN_END_SPACE")}
ORDER_NAMES = {name: text.strip('"') for name, text in table("GNN_ORDER")}
ORDERS = {}
for space, order, _ in [(row[0], row[1], row[2:]) for row in table("GNN_ORDER_OF")]:
    ORDERS.setdefault(SPACES[space], []).append(ORDER_NAMES[order])
STEPS = [(SPACES[a], SPACES[b]) for a, b in table("GNN_MAP")]


def ordered(space):
    return [space + (f".{order}" if order else "") for order in ORDERS[space]]


MAPS = [f"map {a} {b}" for start, end in STEPS + [(s, s) for s in ORDERS]
        for a in ordered(start) for b in ordered(end)]
GROUPS = [f"{SPACES[g]} {SPACES[s]}" + (f".{ORDER_NAMES[o]}" if ORDER_NAMES[o] else "")
          for g, s, o, _ in table("GNN_GROUPS")]
GROUPS += [f"graph {elements}" for space in ORDERS for elements in ordered(space)]
KEYS = MAPS + [f"rows {group}" for group in GROUPS] + [
    f"{kind} {group} {size}" for kind in ("tiles", "tile_rows", "long_tiles",
                                          "long_tile_rows")
    for group in GROUPS for size in (1, 3)]
STREAMS = [f"stream {group} {text.split()[2]}" for group in GROUPS for text in MAPS
           if text.split()[1] == group.split()[1]]
KEYS += STREAMS[::11] + [f"filled {group}" for group in GROUPS] + [
    f"{kind} {group} {size}" for kind in ("shares", "cut_rows")
    for group in GROUPS for size in (64, 128)]
COUNTS = [f"count {space}" for space in SPACES.values()] + [
    f"max_row {group}" for group in GROUPS] + [
    f"{kind} {group} {size}" for kind in ("tile_count", "long_tile_count",
                                          "long_element_count")
    for group in GROUPS for size in (1, 3)] + [
    f"{kind} {group} {size}" for kind in ("piece_count", "cut_row_count")
    for group in GROUPS for size in (64, 128)]


def request_of(keys, counts):
    """The request of a function to a graph."""
    request = structure_keys.Request("g")
    for text in keys:
        request.add_structure(text)
    for text in counts:
        request.add_count(text)
    request.finish()
    return request


def random_graph(seed, nodes, edges, types=1, node_types=1, bipartite=0, hub=False):
    """The arguments of both kinds of graphs; the last types do not occur."""
    rng = np.random.default_rng(seed)
    src = rng.integers(0, max(1, nodes), edges)
    dst = rng.integers(0, max(1, bipartite or nodes), edges)
    if hub:
        src[::2], dst[1::3] = 0, nodes - 1
    kinds = rng.integers(0, max(1, types - 1), edges)
    given = {"edge_type": kinds, "num_edge_types": types, "num_node_types": node_types}
    of = [rng.integers(0, max(1, node_types - 1), n) for n in (nodes, bipartite)]
    if bipartite:
        given.update(num_src_nodes=nodes, num_dst_nodes=bipartite, src_node_type=of[0],
                     dst_node_type=of[1])
    else:
        given.update(num_nodes=nodes, node_type=of[0])
    return src, dst, given


GRAPHS = {"random": dict(nodes=20, edges=90, types=4, node_types=3),
          "no types": dict(nodes=13, edges=41), "hub": dict(
              nodes=30, edges=201, types=3, node_types=2, hub=True),
          "bipartite": dict(nodes=17, bipartite=5, edges=60, types=3, node_types=4),
          "wide": dict(nodes=4, bipartite=29, edges=33, types=2, node_types=2),
          "no edges": dict(nodes=5, edges=0, types=3, node_types=2),
          "no nodes": dict(nodes=0, edges=0, types=2, node_types=2),
          "one node": dict(nodes=1, edges=4, types=2),
          "one edge": dict(nodes=3, edges=1, types=2, node_types=2)}


def both(name, dtype=torch.int64, index=True, typed=True):
    src, dst, given = random_graph(1, **GRAPHS[name])
    if not typed:
        given = {k: v for k, v in given.items() if k[:4] == "num_" or k[-5:] == "nodes"}
    tensors = {k: torch.tensor(v, dtype=dtype) if isinstance(v, np.ndarray) else v
               for k, v in given.items()}
    edges = [torch.tensor(src, dtype=dtype), torch.tensor(dst, dtype=dtype)]
    return (gnn_mlir.Graph(src, dst, **given),
            gnn_mlir.TensorGraph(torch.stack(edges) if index else edges, **tensors))


def relational(types=3):
    return models.rgcn(types, (4, 4))


MODELS = {"rgcn": (models.rgcn(4, (4, 4)), "cpu"), "rgat": (models.rgat(4, (4, 4)), "emulator"),
          "hgt": (models.hgt(3, 4, (4, 4), heads=2), "cpu")}


@pytest.mark.parametrize("name", MODELS)
def test_functions_and_gradients(name):
    program, target = MODELS[name]
    layer = gnn_mlir.compile(program, target=target, gradients=True)
    src, dst, given = random_graph(3, 20, 90, 4, 3 if name == "hgt" else 1)
    host = gnn_mlir.Graph(src, dst, **given)
    graph = gnn_mlir.TensorGraph((torch.tensor(src), torch.tensor(dst)), **{
        k: torch.tensor(v) if isinstance(v, np.ndarray) else v for k, v in given.items()})
    inputs = {k: torch.tensor(v, requires_grad=True)
              for k, v in layer.source.random_inputs(host).items()}
    results = []
    for one in (host, graph):
        out = layer(one, inputs)
        results.append([out, *torch.autograd.grad(out.square().sum(), inputs.values())])
        arrays = {k: v.detach().numpy() for k, v in inputs.items()}
        results[-1].append(torch.tensor(layer.bind(one)(arrays)))
        _, tape = layer.bind(one).forward(arrays)
        results[-1].append(torch.tensor(tape.gradients({"out": out.detach().numpy()})["x"]))
    for expected, got in zip(*results):
        assert torch.equal(expected, got)
    assert layer.memory(host) == layer.memory(graph)
    # One for the passes, which the function itself needs no more than.
    builds = [weakref.ref(build) for build, _ in graph._builds]
    assert len(builds) == (target == "emulator")
    del graph, one, out, tape, _, results, expected, got  # All that may hold them.
    assert not any(build() for build in builds)


def test_blocks():
    layer = gnn_mlir.compile(models.sage_blocks((4, 4, 2)), target="cpu", gradients=True)
    edges = [([0, 4, 5, 2], [0, 1, 2, 2], 6, 3), ([0, 2], [0, 0], 3, 1)]
    host = [gnn_mlir.Graph(s, d, num_src_nodes=n, num_dst_nodes=m) for s, d, n, m in edges]
    graphs = [gnn_mlir.TensorGraph(torch.tensor([s, d]), num_src_nodes=n, num_dst_nodes=m)
              for s, d, n, m in edges]
    inputs = {k: torch.tensor(v, requires_grad=True)
              for k, v in layer.source.random_inputs(host).items()}
    found = [torch.autograd.grad(layer(g, inputs).square().sum(), inputs.values())
             for g in (host, graphs)]
    assert all(map(torch.equal, *found))
    with pytest.raises(ValueError, match="expected graphs of one kind"):
        layer([host[0], graphs[1]], inputs)
    for batch in layer.prefetch([(graphs,), (graphs,)]):
        assert torch.isfinite(layer(batch[0], inputs)).all()


@pytest.mark.parametrize("target", ["cpu", "emulator"])
def test_bad_ids(target):
    layer = gnn_mlir.compile(relational(), target=target)
    src, dst, given = random_graph(6, 20, 90, 3)
    good = dict(edge_type=given["edge_type"], num_edge_types=3, num_nodes=20)
    inputs = layer.source.random_inputs(gnn_mlir.Graph(src, dst, **good))
    for dtype, (place, value) in itertools.product(
            (torch.int32, torch.int64),
            [("src", -1), ("src", 20), ("dst", 1 << 30), ("type", 3), ("type", -5),
             ("dst", (1 << 32) + 1)]):
        if value >= 1 << 31 and dtype == torch.int32:
            continue
        arrays = {"src": src.copy(), "dst": dst.copy(), "type": given["edge_type"].copy()}
        arrays[place][7] = value
        tensors = {k: torch.tensor(v, dtype=dtype) for k, v in arrays.items()}
        graph = gnn_mlir.TensorGraph((tensors["src"], tensors["dst"]), 20, num_edge_types=3,
                                     edge_type=tensors["type"])
        for _ in range(2):
            with pytest.raises(ValueError, match=f"edge_{place}: expected ids from 0 to "
                                                 f".*, got {value} at 7"):
                layer(graph, inputs)


@pytest.mark.parametrize("target", ["cpu", "emulator"])
def test_promises_of_declarations(target):
    layer = gnn_mlir.compile(models.gat((4, 4)), target=target)
    edges = torch.tensor([[0, 1, 2, 0, 1, 2], [1, 2, 0, 0, 1, 2]])
    inputs = layer.source.random_inputs(gnn_mlir.Graph(*edges, 3))
    good = gnn_mlir.TensorGraph(edges, 3)
    np.testing.assert_array_equal(layer(good, inputs), layer(good.to_graph(), inputs))
    assert bool(good._builds) == (target == "emulator")
    for wrong in (edges[:, :5], torch.cat([edges, edges[:, 3:4]], 1)):
        graphs = gnn_mlir.TensorGraph(wrong, 3), gnn_mlir.Graph(*wrong, 3)
        messages = []
        for graph in graphs:
            with pytest.raises(capi.GNNError) as raised:
                layer(graph, inputs)
            messages.append(str(raised.value))
        assert messages[0] == messages[1] and "one self loop" in messages[0]


@pytest.mark.parametrize("target", ["cpu", "emulator"])
def test_declared_schema(target):
    module = gnn_mlir.Module()
    g = module.graph("g", edge_types=2, node_types=2, schema=[(0, 1), (1, -1)])
    f = module.function("f")
    x = f.input("x", g.rows("node", 4))
    f.output("out", f.aggregate("sum", f.gather(x, "edge", via="src"), "node", via="dst"))
    layer = gnn_mlir.compile(module, target=target)
    edges, types = torch.tensor([[0, 1, 2], [2, 3, 0]]), torch.tensor([0, 0, 1, 1])
    given = dict(num_nodes=4, num_node_types=2, node_type=types)
    inputs = {"x": np.ones((4, 4), np.float32)}
    for kinds, count, good in (([0, 0, 1], 2, True), ([0, 1, 1], 2, False), ([0, 0, 1], 3, False),
                               ([0, 0, 0], 1, False)):
        results = []
        given.update(edge_type=torch.tensor(kinds), num_edge_types=count)
        graphs = gnn_mlir.TensorGraph(edges, **given), gnn_mlir.Graph(*edges, **given)
        for graph in graphs:
            try:
                results.append(layer(graph, inputs).tolist())
            except capi.GNNError as error:
                results.append(str(error))
        assert results[0] == results[1] and isinstance(results[0], list) == good
        assert bool(graphs[0]._builds) == (good and target == "emulator")


class Counted:
    """What `tensor_graph._copies` is called with."""

    def __init__(self, monkeypatch):
        self.graphs, self._copies = [], tensor_graph._copies
        monkeypatch.setattr(tensor_graph, "_copies", self)

    def __call__(self, graphs):
        self.graphs.append(list(graphs))
        return self._copies(graphs)


def test_one_copy_to_the_host(monkeypatch, caplog):
    """Ids are copied once for all functions of a package, and what the host builds is told."""
    module = gnn_mlir.Module()
    g = module.graph("g", edge_types=2)
    part = module.derived_graph("part", g, [1])
    f = module.function("f")
    x = f.rebind_rows(f.input("x", g.rows("node", 4)), part, "node")
    y = f.aggregate("sum", f.gather(x, "edge", via="src"), "node", via="dst")
    f.output("out", f.rebind_rows(y, g, "node"))
    layer = gnn_mlir.compile(module, target="emulator", gradients=True)
    edges = torch.tensor([[0, 1, 2], [2, 3, 0]])
    copied, x = Counted(monkeypatch), torch.ones((4, 4), requires_grad=True)
    with caplog.at_level(logging.INFO, "gnn_mlir"):
        for _ in range(2):
            graph = gnn_mlir.TensorGraph(edges, 4, num_edge_types=2,
                                         edge_type=torch.tensor([0, 0, 1]))
            for _ in range(2):
                layer(graph, {"x": x}).sum().backward()
            assert copied.graphs == [[graph]]
            copied.graphs.clear()
    told = [one for one in caplog.messages if "built on the host" in one]
    assert len(told) == 1 and told[0].endswith("kernels do not build all of part")


def test_keys_that_kernels_do_not_build():
    requests = {"g": request_of(["map edge.in_rows src", "tiles dst_node_type edge.dst_types 3"],
                               [])}
    assert list(device_build._left_out(requests, devices.open_device("emulator"))) == [
        "tiles dst_node_type edge.dst_types 3 of g",
        "tile_count dst_node_type edge.dst_types 3 of g"]


def test_keys_of_64_bits(caplog):
    """More than 2^32 pairs of a node and a type."""
    src, dst, given = random_graph(2, 20, 50, 4)
    src, dst, kinds = src + 39980, dst * 2000, given["edge_type"] * 29999
    sizes = dict(num_nodes=80000, num_edge_types=60000)
    module = gnn_mlir.Module()
    g = module.graph("g", edge_types=60000)
    f = module.function("f")
    f.output("out", f.edge_softmax(f.input("x", g.rows("edge", 4)), "dst_pair"))
    layer = gnn_mlir.compile(module, target="emulator")
    x = {"x": np.random.default_rng(0).random((50, 4), np.float32)}
    host = gnn_mlir.Graph(src, dst, edge_type=kinds, **sizes)
    with caplog.at_level(logging.INFO, "gnn_mlir"):
        for dtype in (torch.int32, torch.int64):
            graph = gnn_mlir.TensorGraph(torch.tensor(np.stack([src, dst]), dtype=dtype), **sizes,
                                         edge_type=torch.tensor(kinds, dtype=dtype))
            np.testing.assert_array_equal(layer(graph, x), layer(host, x))
    told = [one for one in caplog.messages if "built on the host" in one]
    assert len(told) == 1 and "sorts by more than 32 bits" in told[0]


class Stream:
    """A stream of a GPU, which tells when it is waited for."""

    def __init__(self, seen):
        self._seen = seen

    def record_event(self):
        self._seen.append("event")
        return self

    def synchronize(self):
        self._seen.append("wait")


def test_copies_from_a_gpu(monkeypatch):
    """All tensors of all graphs are under way before the one wait, each once, on the current
    stream and to pinned memory."""
    graphs, seen = [both(name)[1] for name in ("random", "bipartite")], []
    empty, copy = torch.empty, torch.Tensor.copy_
    monkeypatch.setattr(tensor_graph.targets, "is_gpu", lambda device: True)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda device: Stream(seen))

    def pinned(shape, dtype, device, pin_memory):
        assert device == "cpu" and pin_memory
        return empty(shape, dtype=dtype)

    def copied(to, given, non_blocking):
        assert non_blocking
        seen.append("copy")
        return copy(to, given)
    monkeypatch.setattr(torch, "empty", pinned)
    monkeypatch.setattr(torch.Tensor, "copy_", copied)
    hosts = tensor_graph._copies(graphs)
    assert seen == ["copy"] * (4 + 5) + ["event", "wait"]
    for host, name in zip(hosts, ("random", "bipartite")):
        right, _ = both(name)
        for array in ("edge_src", "edge_dst", "edge_type", "src_node_type", "dst_node_type"):
            np.testing.assert_array_equal(getattr(host, array), getattr(right, array))


def test_wrong_arguments():
    edges = torch.tensor([[0, 1], [1, 2]])
    for match, arguments, given in [
            ("expected num_nodes", (edges,), {}),
            ("expected int32 or int64, got float32", (edges.float(), 3), {}),
            (r"expected shape \(2, edges\), got \(3, 2\)", (edges.new_zeros(3, 2), 3), {}),
            ("expected a tensor", (([0, 1], [1, 2]), 3), {}),
            (r"edge_type: expected shape \(2,\), got \(3,\)", (edges, 3),
             {"edge_type": torch.zeros(3, dtype=torch.int64)}),
            (r"node_type: expected shape \(3,\), got \(2,\)", (edges, 3),
             {"node_type": torch.zeros(2, dtype=torch.int64)}),
            ("expected a tensor on cpu, where the edges are", (edges, 3),
             {"edge_type": torch.zeros(2, dtype=torch.int64, device="meta")}),
            ("expected no ids, as there are no nodes", (edges, 0), {})]:
        with pytest.raises(ValueError, match=match):
            gnn_mlir.TensorGraph(*arguments, **given)
    layer = gnn_mlir.compile(models.sage((4, 4)), target="cpu")
    graph = gnn_mlir.TensorGraph(edges, 3, num_edge_types=2)
    with pytest.raises(capi.GNNError, match="expected 1 edge types, got 2"):
        layer(graph, layer.source.random_inputs(gnn_mlir.Graph(*edges, 3)))
    graph = gnn_mlir.TensorGraph(edges, 3)
    edges += 0
    with pytest.raises(RuntimeError, match="changed in place"):
        layer.bind(graph)
    graph = gnn_mlir.TensorGraph(torch.zeros(2, 4, dtype=torch.int64, device="meta"), 3)
    with pytest.raises(ValueError, match="expected tensors on the cpu"):
        layer.bind(graph, "cpu")


def test_rows_by_node_type():
    model = models.hgt(2, 2, (8, 8), heads=2, in_features={0: 8, 1: 6})
    layer = gnn_mlir.compile(model, target="cpu")
    edges, types = torch.tensor([[0, 3, 4], [3, 0, 1]]), torch.tensor([0, 0, 1, 1, 0])
    given = dict(edge_type=torch.tensor([0, 1, 1]), node_type=types, num_edge_types=2,
                 num_node_types=2)
    host = gnn_mlir.Graph(*edges, 5, **given)
    graph = gnn_mlir.TensorGraph(edges, 5, **given)
    inputs = {k: torch.tensor(v) for k, v in layer.source.random_inputs(host).items()}
    inputs = {k: v for k, v in inputs.items() if not k.startswith("x_")}
    inputs["x"] = {0: torch.rand(3, 8), 1: torch.rand(2, 6)}
    out = layer(graph, inputs)
    assert torch.equal(out, layer(host, inputs))
    parts = [one.split_types(out) for one in (host, graph)]
    assert all(torch.equal(parts[0][t], parts[1][t]) for t in range(2))


def test_functions_of_derived_graphs():
    module = gnn_mlir.Module()
    g = module.graph("g", edge_types=4)
    part = module.derived_graph("part", g, [0, 2])
    f = module.function("f")
    x, n = f.input("x", g.rows("node", 4)), f.input("n", g.rows("edge"))
    w = f.input("w", g.rows("edge_type", 4, 4))

    def layer(x, w, n):
        pairs = f.typed_linear(f.gather(x, "src_pair"), w)
        return f.spmm("mul", "sum", "node", pairs, n, via="dst")
    f.output("whole", layer(x, w, n))
    f.output("inside", f.rebind_rows(layer(
        f.rebind_rows(x, part, "node"), f.restrict_rows(w, part),
        f.restrict_rows(n, part)), g, "node"))
    layer = gnn_mlir.compile(module, target="cpu", gradients=True)
    src, dst, given = random_graph(7, 20, 90, 5)
    given = {"num_nodes": 20, "num_edge_types": 4, "edge_type": given["edge_type"]}
    host = gnn_mlir.Graph(src, dst, **given)
    graph = gnn_mlir.TensorGraph(torch.tensor(np.stack([src, dst])), **{
        **given, "edge_type": torch.tensor(given["edge_type"])})
    inputs = {k: torch.tensor(v, requires_grad=True)
              for k, v in f.random_inputs(host).items()}
    results = []
    for one in (host, graph):
        out = layer(one, inputs)
        loss = out["whole"].square().sum() + out["inside"].sum()
        results.append([*out.values(), *torch.autograd.grad(loss, inputs.values())])
    assert all(map(torch.equal, *results))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
def test_on_a_gpu():
    """The same bits there, and wrong ids are an error."""
    layer = gnn_mlir.compile(relational(), target="cuda", gradients=True)
    src, dst, given = random_graph(8, 300, 90000, 3)
    kinds = torch.tensor(given["edge_type"]).cuda()
    edges = torch.tensor(np.stack([src, dst])).cuda()
    host = gnn_mlir.Graph(*edges, 300, edge_type=kinds, num_edge_types=3)
    inputs = {k: torch.tensor(v).cuda().requires_grad_()
              for k, v in layer.source.random_inputs(host).items()}
    expected = layer(host, inputs)
    for stream in (torch.cuda.current_stream(), torch.cuda.Stream()):
        graph = gnn_mlir.TensorGraph(edges, 300, edge_type=kinds, num_edge_types=3)
        layer.bind(graph)  # On the current stream, which the run has to follow.
        torch.cuda.synchronize()
        graph = gnn_mlir.TensorGraph(edges, 300, edge_type=kinds, num_edge_types=3)
        binding = layer.bind(graph)
        with torch.cuda.stream(stream):
            out = binding(inputs)
            out.sum().backward()
        torch.cuda.synchronize()
        assert torch.equal(out, expected)
    wrong = edges.clone()
    wrong[1, 77] = 1 << 40
    with pytest.raises(ValueError, match=f"edge_dst: expected .* got {1 << 40} at 77"):
        layer(gnn_mlir.TensorGraph(wrong, 300, edge_type=kinds, num_edge_types=3), inputs)
    assert torch.equal(layer(graph, inputs), expected)  # The GPU is as it was.
    with pytest.raises(ValueError, match="expected tensors on the cuda:0"):
        layer(gnn_mlir.TensorGraph(edges.cpu(), 300, edge_type=kinds.cpu(),
                                   num_edge_types=3), inputs)
