# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs of tensors: the structures that kernels build have the bits of the host's."""

import re
import shutil
import subprocess
import sys
import threading
from ctypes import byref, c_int64, c_void_p

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import gnn_mlir
from gnn_mlir import capi, devices, structure_keys
from gnn_mlir.graph_functions import add_self_loops
from gnn_mlir.pytorch import device_build
from gnn_mlir.reference_derived import loop_places
from gnn_mlir.signatures import Buffer
from conftest import ROOT
from test_tensor_graph import (COUNTS, GRAPHS, KEYS, ORDERS, STREAMS, both, random_graph,
                               request_of)

pytestmark = pytest.mark.usefixtures("compiler")


def by_kernels(graph, keys, counts, device="emulator"):
    """The structures by kernels; None where they do not build all of them."""
    request = request_of(keys, counts)
    device = devices.open_device(device)
    builder = device_build.Builder.make({"g": request}, device)
    stream = torch.cuda.current_stream() if graph.device.type == "cuda" else None
    return builder and device_build.Build(builder, {"g": graph}, stream)


@pytest.fixture(scope="module")
def built_by_kernels():
    """Keys and counts that kernels build."""
    edges = gnn_mlir.TensorGraph(torch.tensor([[0, 1], [1, 1]]), 2)
    return ([text for text in KEYS if by_kernels(edges, [text], [])],
            [text for text in COUNTS if by_kernels(edges, [], [text])])


def check_kernels(host, graph, keys, counts, device="emulator"):
    counts = [c for c in counts if c != "count node" or host.square]
    native, build = capi.NativeGraph.of(host), by_kernels(graph, keys, counts, device)
    for text in keys:
        np.testing.assert_array_equal(build.structure("g", text).cpu().numpy(),
                                      native.structure(text), text)
    assert {c: build.count("g", c) for c in counts} == {c: native.count(c) for c in counts}


def test_steps_in_another_order(built_by_kernels):
    """Each is an error that says what came before."""
    builder = device_build.Builder.make({"g": request_of(built_by_kernels[0][:300], [])},
                                             devices.open_device("emulator"))
    graph = gnn_mlir.TensorGraph(torch.tensor([[0, 1], [1, 1]]), 2)
    (given, held), sizes, handle = (device_build._device_graphs({"g": graph}),
                                    (c_int64 * 2)(), c_void_p())
    capi.call("gnnBuildCreate", builder.handle, given, 1, byref(handle), sizes)
    build, size = device_build.Build.__new__(device_build.Build), c_int64()
    capi._Handle.__init__(build, handle.value)
    memory = [torch.empty(max(1, number), dtype=torch.int64) for number in (*sizes, 1000)]
    scratch, numbers, room = (device_build._buffer(x) for x in memory)
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
        for given, got in ((Buffer(), "null"), (Buffer(room.data, 3), "3")):
            with pytest.raises(gnn_mlir.GNNError, match=f"expected .* bytes, got {got}$"):
                capi.call(name, build.handle, *[given if x in (numbers, room) else x
                                                for x in steps[name]])
        capi.call(name, build.handle, *steps[name])
        before = name
    assert len(held) == 2


CONSTANTS = {
    "include/GNN/Lattice/Lattice.h": [
        "elements = 64", "mostOfBlock = 1", "sharesTogether = 32", "wordsTogether = 4", "Inside = 1",
        "HasTail = 2", "Crosses = 4", "Whole = 8", "Span, NumFields"],
    "lib/Runtime/BuildKernels.h": ['"move", 8'],
    "lib/Runtime/GraphBuild.h": ["kTimes, kDivided", "Filled,\n    Cut"],
    "lib/Runtime/GraphGroups.cpp": ["kCutPairs, kEnds"],
    "lib/Runtime/KernelCall.h": ["kThreads = 256"],
    "lib/Runtime/KernelLaunches.cpp": ["kRowsOfThread = 8"],
    "lib/Runtime/RadixSort.cpp": ["kTile = 2048", "kBits = 8", "kFew = 32"]}


@pytest.mark.parametrize("file", CONSTANTS)
def test_kernels_have_the_numbers_of_the_library(file, tmp_path):
    """Another number in a source of the library is another one in the text of the kernels, or no
    text; and that is made again where the source changes."""
    for source in CONSTANTS:
        (tmp_path / source).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / source, tmp_path / source)
    shutil.copytree(ROOT / "lib/Runtime/Kernels", tmp_path / "lib/Runtime/Kernels")
    cmake = (ROOT / "lib/Runtime/CMakeLists.txt").read_text(encoding="utf-8")
    assert file.rpartition("/")[2] in cmake[cmake.index("DEPENDS Kernels/"):].partition("COMMENT")[0]

    def text():
        return subprocess.run([sys.executable, "-B", tmp_path / "lib/Runtime/Kernels/build_kernels.py"],
                              capture_output=True).stdout
    before, original = text(), (ROOT / file).read_text(encoding="utf-8")
    assert before
    for old in CONSTANTS[file]:
        assert original.count(old) == 1, old
        new = re.sub(r"\d+$", lambda number: str(2 * int(number[0])), old)
        if new == old:
            new = re.sub(r"(\w+)(,\s*)(\w+)", r"\3\2\1", old)
        (tmp_path / file).write_text(original.replace(old, new), encoding="utf-8")
        assert text() != before, old


def test_a_device_without_kernels():
    """The CPU has none of a GPU, and no library makes others there."""
    with pytest.raises(gnn_mlir.GNNError, match="kernels for cpu: .* expected one thread a block"):
        device_build.Builder.make({"g": request_of(["map edge.in_rows src"], [])},
                                  devices.open_device("cpu"))


def test_problems():
    """The gravest one of a graph, as text: C has no graph on the host to ask."""
    request = request_of(["rows dst edge.in_rows"], [])
    request.self_loops = request.dst_sorted = True
    device = devices.open_device("emulator")
    builder = device_build.Builder.make({"g": request}, device)
    cases = {
        ((0, 1, 1), (0, 1, 1)): "expected one self loop at each node, got more or fewer",
        ((1, 0, 0), (1, 0, 1)): "expected edges sorted by destination, got another order",
        ((1, 0, 2), (1, 0, 1)): "expected ids below the numbers of nodes and types, got others",
        ((1, 1, 0), (1, 1, 0)): "expected one self loop at each node, got more or fewer",
        ((0, 1, 1), (0, 0, 1)): None}
    for ends, expected in cases.items():
        build = device_build.Build(
            builder, {"g": gnn_mlir.TensorGraph(torch.tensor(ends), 2)}, None)
        found = capi.library().gnnBuildProblem(build.handle)
        assert found == (expected and f"graph 'g': {expected}".encode())
        assert build.is_good == (expected is None)


@pytest.mark.parametrize("edges", [1, 2046, 2047, 2048, 5000])
def test_schema(edges):
    """One edge that does not obey, at either end and at any place, and all of them."""
    rng, nodes = np.random.default_rng(edges), 60
    src, dst = rng.integers(0, nodes, (2, edges))
    types, kinds = np.arange(nodes) % 3, rng.integers(0, 4, edges)
    schema = [(0, 1), (2, -1), (-1, 0), (-1, -1)]
    device = devices.open_device("emulator")
    request = request_of(["rows dst edge.in_rows"], [])
    request.schema = schema
    builder = device_build.Builder.make({"g": request}, device)
    for kind, (begin, end) in enumerate(schema):
        src[kinds == kind] += (begin - src[kinds == kind]) % 3 if begin >= 0 else 0
        dst[kinds == kind] += (end - dst[kinds == kind]) % 3 if end >= 0 else 0
    src, dst = src % nodes, dst % nodes

    def problem(src, dst, kinds, types=types, dtype=torch.int64):
        build = device_build.Build(builder, {"g": gnn_mlir.TensorGraph(
            (torch.tensor(src, dtype=dtype), torch.tensor(dst, dtype=dtype)), nodes,
            edge_type=torch.tensor(kinds, dtype=dtype), num_edge_types=4, num_node_types=3,
            node_type=None if types is None else torch.tensor(types, dtype=dtype))}, None)
        return capi.library().gnnBuildProblem(build.handle)
    wrong = b"graph 'g': expected edges that obey the declared schema, got others"
    ids = b"graph 'g': expected ids below the numbers of nodes and types, got others"
    assert problem(src, dst, kinds) is problem(src, dst, kinds, dtype=torch.int32) is None
    for at in {0, edges // 2, edges - 1}:
        for kind, end in ((0, 0), (0, 1), (1, 0), (2, 1)):
            given = [src.copy(), dst.copy(), kinds.copy()]
            given[0][at], given[1][at], given[2][at] = 3 * 5 + 2 * (kind == 1), 4, kind
            given[1][at] -= kind == 2
            assert problem(*given) is None
            given[end][at] += 1
            assert problem(*given) == problem(*given, dtype=torch.int32) == wrong
            given[end][at] = nodes + (1 << 32)
            assert problem(*given) == ids
    assert problem(src, dst, np.full(edges, 1), types=None) == wrong
    assert problem(src, dst, np.full(edges, 2), types=None) is None
    assert problem(src, dst, kinds, types=np.full(nodes, 3)) == ids


def test_an_order_that_is_known():
    """A build that did not check it is told; what is no graph of it, or not built, is refused."""
    module = gnn_mlir.Module()
    f = module.function("f")
    x = f.input("x", module.graph("g", dst_sorted=True).rows("node", 4))
    f.output("y", f.aggregate("sum", f.gather(x, "edge", via="src"), "node", via="dst"))
    package = gnn_mlir.compile(f, target="emulator").package
    requests = structure_keys.requests(package, ("f",))
    checked = dict(requests)
    device = devices.open_device("emulator")
    checking = device_build.Builder.make(checked, device)
    requests["g"].dst_sorted = False
    plain = device_build.Builder.make(requests, device)
    assert plain.covers(checking) and checking.covers(plain)
    graph = gnn_mlir.TensorGraph(torch.tensor([[0, 1], [1, 1]]), 2)
    build = device_build.Build(plain, {"g": graph}, None)
    with pytest.raises(gnn_mlir.GNNError, match="got a graph that was not checked for it"):
        build.bind(package, ["f"])
    with pytest.raises(gnn_mlir.GNNError, match="expected a graph that is built and not "
                                                "derived, got 'h'"):
        build.bind(package, ["f"], ["h"])
    bound, = build.bind(package, ["f"], ["g"])
    assert bound.name == "f" and build.bind(package, ["f"])


# More rows than a block of a sum has, and blocks of edges that are not full.
LARGE = dict(nodes=2777, edges=6001, types=5, node_types=3, hub=True)


@pytest.mark.parametrize("name", [*GRAPHS, "large"])
def test_same_bits(name, built_by_kernels, monkeypatch):
    monkeypatch.setitem(GRAPHS, "large", LARGE)
    keys, counts = built_by_kernels
    assert len(keys) > 350 and len(counts) > 150
    assert {"long_tiles dst_pair edge.dst_pairs 3", "tile_rows src_pair edge.src_pairs 1"} < {*keys}
    for form in [(torch.int64, True, True), (torch.int32, False, True),
                 (torch.int64, False, False)][:1 if name == "large" else 3]:
        check_kernels(*both(name, *form), keys, counts)


@pytest.mark.parametrize("types", [1, 3])
def test_windows_of_rows_by_degree(types, monkeypatch):
    """Three windows of nodes and pairs, the last of which is not full; a hub in the last."""
    monkeypatch.setitem(GRAPHS, "windows", dict(
        nodes=9000, edges=16001, types=types, node_types=2, hub=True))
    keys = [f"map {space}.{order} {space}" for space in ("src", "dst", "src_pair", "dst_pair")
            for order in ("by_degree", "degree_windows")]
    host, graph = both("windows")
    check_kernels(host, graph, keys, [])
    check_kernels(host, graph, keys[3:4], [])  # Its parts were not asked for.
    order = capi.NativeGraph.of(host).structure("map dst.degree_windows dst")
    assert list(order).index(8999) == 8192


def test_all_streams():
    edges = gnn_mlir.TensorGraph(torch.tensor([[0, 1], [1, 1]]), 2)
    keys = [text for text in STREAMS if by_kernels(edges, [text], [])]
    assert len(keys) > 220
    check_kernels(*both("hub"), keys, [])


def stream_by_hand(ends, words):
    """Word by word, each at the place that the documentation gives."""
    stream = np.zeros(len(words) + (1 << 14), np.int32)
    for p, word in enumerate(words):
        word = int(word) - (1 << 31) * (p + 1 in ends)
        share, turn, rest = p // 64, p % 64 // 4, p % 4
        stream[share // 32 * 2048 + turn * 128 + share % 32 * 4 + rest] = word
    return stream


@pytest.mark.parametrize("edges", [0, 1, 63, 64, 65, 2047, 2048, 2049, 8192, 20000])
def test_streams_of_sizes(edges, monkeypatch):
    """The host's and those of kernels are as defined: zeros are at all other places,
    which for most sizes lie between words, too. Memory to build in has none before."""
    monkeypatch.setattr(torch, "empty", lambda *shape, new=torch.empty, **given: new(
        *shape, **given).fill_(77))
    rng, nodes = np.random.default_rng(edges), max(2, edges // 7)
    src, dst = rng.integers(1, nodes, edges), rng.integers(0, nodes, edges) // 2
    keys = ["stream dst edge.in_rows src", "stream dst edge.in_rows edge.in_rows"]
    host = gnn_mlir.Graph(src, dst, num_nodes=nodes)
    graph = gnn_mlir.TensorGraph(torch.tensor(np.stack([src, dst])), nodes)
    ends = set(np.cumsum(np.bincount(dst, minlength=nodes)).tolist())
    order = np.argsort(dst, kind="stable")
    native, build = capi.NativeGraph.of(host), by_kernels(graph, keys, [])
    for text, words in zip(keys, (src[order], np.arange(edges))):
        expected = stream_by_hand(ends, words)
        np.testing.assert_array_equal(native.structure(text), expected, "host")
        np.testing.assert_array_equal(build.structure("g", text).numpy(), expected, "kernels")


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


def derived_on_host(graph, loops, loop_type, shards):
    """The graph of the edges that a derived one has, and the rows of these in its parent."""
    places = np.arange(graph.num_edges)
    if loops:
        places = loop_places(graph, loops)
        graph = add_self_loops(graph, loops, loop_type)
    if shards:
        count, end = shards
        ids = graph.edge_src if end == "src" else graph.edge_dst
        graph = gnn_mlir.Graph(
            graph.edge_src, graph.edge_dst, graph.num_nodes, num_edge_types=count,
            edge_type=ids.astype(np.int64) * count // graph.num_nodes,
            node_type=graph.src_node_type, num_node_types=graph.num_node_types)
    return graph, places


@pytest.mark.parametrize("loops, loop_type, shards", [
    ("remove", None, None), ("add", 0, None), ("add", 4, None), ("replace", 2, None),
    ("replace", 4, None), (None, None, (3, "src")), (None, None, (64, "dst")),
    ("remove", None, (4, "dst")), ("replace", 0, (4, "src")), ("add", 4, (2, "dst"))])
def test_derived_graphs(loops, loop_type, shards):
    """A graph with other self loops, or ranges of nodes as edge types, as the host builds it
    of its edges; edges with other loops have no order of their own, but the parent's with the
    loops behind."""
    src, dst, given = random_graph(9, 25, 310, 4, 3)
    src[::7] = dst[::7]  # Those that are taken out lie in two blocks of 64 and of 128.
    made = {"src": (src, dst, given), "no types": (src, dst, {"num_nodes": 25}),
            "no edges": (src[:0], dst[:0], {**given, "edge_type": given["edge_type"][:0]})}
    maps = [f"map edge.{order} parent_edge" for order in ORDERS["edge"] if order]
    maps += ["map dst parent_loop"] * (loop_type is not None)
    for name, (src, dst, given) in made.items():
        if name == "no types" and loop_type:
            continue
        graph = gnn_mlir.TensorGraph((torch.tensor(src), torch.tensor(dst)), **{
            k: torch.tensor(v) if isinstance(v, np.ndarray) else v for k, v in given.items()})
        parent, device = structure_keys.Request("g"), devices.open_device("emulator")
        parent.finish()

        def request(keys, counts=()):
            one = structure_keys.Request("looped")
            one.parent, one.loops, one.loop_type, one.shards = "g", loops, loop_type, shards
            for text in keys:
                one.add_structure(text)
            for text in counts:
                one.add_count(text)
            one.finish()
            return {"g": parent, "looped": one}
        keys = [text for text in KEYS + maps if device_build.Builder.make(
            request([text]), device)]
        counts = ["count parent_edge"] * bool(loops) + [
            text for text in COUNTS if device_build.Builder.make(request([], [text]), device)]
        assert len(keys) > 280 and ("map edge.in_rows parent_edge" in keys) == bool(loops)
        assert any("edge_type" in text.split()[-1] for text in keys) != bool(shards)
        requests = request(keys, counts)
        build = device_build.Build(device_build.Builder.make(requests, device),
                                        {"g": graph}, None)
        host, places = derived_on_host(gnn_mlir.Graph(src, dst, **given), loops, loop_type, shards)
        native, new = capi.NativeGraph.of(host), 25 if loop_type is not None else 0
        for text in keys:
            expected = len(src) + np.arange(25) if text == "map dst parent_loop" else (
                places[native.structure(text.replace("parent_edge", "edge"))]
                if text.endswith(" parent_edge") else native.structure(text))
            np.testing.assert_array_equal(build.structure("looped", text).numpy(), expected,
                                          f"{name} {text}")
        for text in counts:
            assert build.count("looped", text) == (
                len(src) + new if text == "count parent_edge" else native.count(text)), text


def test_sorts_that_are_together_more_than_32_bits():
    """Each has keys of 31 bits, and all of them together of 33."""
    rng, types, nodes = np.random.default_rng(3), 2000, 1 << 20
    src, dst = rng.integers(0, nodes, (2, 300))
    kinds = rng.integers(0, types, 300)
    src[:4], dst[:4] = [0, nodes - 1] * 2, [nodes - 1, 0] * 2
    kinds[:4] = [0, 0, types - 1, types - 1]
    graph = gnn_mlir.TensorGraph(torch.tensor(np.stack([src, dst])), nodes, num_edge_types=types,
                                 edge_type=torch.tensor(kinds))
    host = gnn_mlir.Graph(src, dst, num_nodes=nodes, num_edge_types=types, edge_type=kinds)
    keys = [f"map {a} {b}" for end in ("src", "dst") for a, b in (
        ("edge", f"{end}_pair"), (f"{end}_pair", end), (f"{end}_pair", "edge_type"),
        (f"edge.{end}_pairs", "src"), (f"{end}_pair.by_node", f"{end}_pair"))]
    check_kernels(host, graph, [*keys, "map edge.in_rows src", "map edge.out_rows dst"],
                  ["count src_pair", "count dst_pair"])


def test_numbers_are_in_memory_of_the_thread(built_by_kernels):
    """It is used again; threads do not share it."""
    host, graph = both("random")
    for _ in range(2):
        check_kernels(host, graph, *built_by_kernels)
    kept, made = device_build._counted_on_host(1, False), []
    assert device_build._counted_on_host(len(kept), False) is kept
    other = threading.Thread(target=lambda: made.append(
        device_build._counted_on_host(1, False)))
    other.start()
    other.join()
    assert made[0].data_ptr() != kept.data_ptr()
    larger = device_build._counted_on_host(len(kept) + 1, False)
    assert len(larger) > len(kept) and device_build._counted_on_host(1, False) is larger


def test_threads_that_build_at_once():
    """Builds of one builder, which keeps memory for the next: each has its own
    bits."""
    cases = [both(name) for name in GRAPHS][:4]
    keys = ["map edge.in_rows src", "rows dst edge.in_rows", "map src_pair src",
            "tiles dst edge.in_rows 4"]
    builder = device_build.Builder.make({"g": request_of(keys, [])},
                                        devices.open_device("emulator"))
    wrong = []

    def work(number):
        try:
            for repeat in range(5):
                host, graph = cases[(number + repeat) % len(cases)]
                build, native = device_build.Build(builder, {"g": graph}, None), \
                    capi.NativeGraph.of(host)
                for text in keys:
                    np.testing.assert_array_equal(build.structure("g", text).numpy(),
                                                  native.structure(text), text)
        except BaseException as error:  # To be raised in the main thread.
            wrong.append(error)
    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong


def test_more_keys_than_kernels_sort():
    """A sort of keys of more than 32 bits is left to the host."""
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
    check_kernels(host, graph, *built_by_kernels, "cuda:0")
