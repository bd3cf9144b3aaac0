# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The runtime through its C API says of graphs what Python says."""

import ctypes
import gc
import os
import re
import subprocess
import sys
import weakref

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir import Graph
from naive import graphs

GRAPHS = graphs()
SQUARE = [n for n, g in GRAPHS.items() if g.square]


@pytest.fixture(params=GRAPHS, ids=lambda name: name.replace(" ", "-"))
def pair(request, capi):
    graph = GRAPHS[request.param]
    return graph, capi.NativeGraph.of(graph)


def same(native, graph):
    """Whether a graph of the library is the same as one of Python."""
    found = Graph(**native.arrays())
    for name in ("square", "num_src_nodes", "num_dst_nodes", "num_edge_types",
                 "num_node_types", "edge_type_names", "node_type_names",
                 "schema"):
        assert (getattr(found, name) or None) == (getattr(graph, name) or None)
    for name in ("edge_src", "edge_dst", "edge_type", "src_node_type",
                 "dst_node_type"):
        np.testing.assert_array_equal(getattr(found, name), getattr(graph, name))
    return True


def test_copies(pair):
    graph, native = pair
    assert same(native, graph)


def test_counts(pair):
    graph, native = pair
    for space in ("edge", "src_pair", "dst_pair", "src", "dst", "edge_type"):
        assert native.count(f"count {space}") == graph.count(space)


# Structures, and the paths whose groups or maps they are.
ROWS = {"rows dst edge.in_rows": ("edge", "dst", "dst"),
        "rows src edge.out_rows": ("edge", "src", "src"),
        "rows dst_pair edge.dst_pairs": ("edge", "dst_pair", None),
        "rows src_pair edge.src_pairs": ("edge", "src_pair", None),
        "rows edge_type src_pair": ("src_pair", "edge_type", None),
        "rows edge_type dst_pair": ("dst_pair", "edge_type", None),
        "rows dst dst_pair.by_node": ("dst_pair", "dst", None),
        "rows src src_pair.by_node": ("src_pair", "src", None),
        "rows src_node_type src.by_type": ("src", "node_type", "src")}

MAPS = {"map edge src": ("edge", "src", "src"),
        "map edge dst": ("edge", "dst", "dst"),
        "map edge src_pair": ("edge", "src_pair", None),
        "map edge dst_pair": ("edge", "dst_pair", None),
        "map edge edge_type": ("edge", "edge_type", None),
        "map edge src_node_type": ("edge", "node_type", "src"),
        "map edge dst_node_type": ("edge", "node_type", "dst"),
        "map src_pair src": ("src_pair", "src", None),
        "map dst_pair dst": ("dst_pair", "dst", None),
        "map src_pair edge_type": ("src_pair", "edge_type", None),
        "map dst_pair dst_node_type": ("dst_pair", "node_type", None),
        "map src src_node_type": ("src", "node_type", None),
        "map dst dst_node_type": ("dst", "node_type", None)}


def on(graph, path):
    """A path as Python has it: square graphs have node rows."""
    source, target, via = path
    if not graph.square:
        return source, target, via if target == "node_type" and (
            source == "edge") else None
    node = {"src": "node", "dst": "node"}
    ambiguous = source == "edge" and target in ("src", "dst", "node_type")
    return node.get(source, source), node.get(target, target), (
        via if ambiguous else None)


@pytest.mark.parametrize("key", ROWS)
def test_rows(pair, key):
    graph, native = pair
    order, begin = graph.groups(*on(graph, ROWS[key]))
    assert native.structure(key).tolist() == begin.tolist()
    elements = key.split()[2]
    if "." in elements:
        space = elements.split(".")[0]
        ids = native.structure(f"map {elements} {space}")
        assert ids.tolist() == order.tolist()


@pytest.mark.parametrize("key", MAPS)
def test_maps(pair, key):
    graph, native = pair
    assert native.structure(key).tolist() == graph.map(
        *on(graph, MAPS[key])).tolist()


FUNCTIONS = {
    "replace loops": (lambda n: n.derived("gnnGraphAddSelfLoops", True, -1),
                      lambda g: gnn_mlir.add_self_loops(g)),
    "add loops": (lambda n: n.derived("gnnGraphAddSelfLoops", False, 0),
                  lambda g: gnn_mlir.add_self_loops(g, "add", 0)),
    "inverses": (lambda n: n.derived("gnnGraphAddInverses"),
                 gnn_mlir.add_inverses),
    "refine": (lambda n: n.derived("gnnGraphRefineTypes"), gnn_mlir.refine_types),
    "merge": (lambda n: n.derived("gnnGraphMergeTypes", True, True),
              gnn_mlir.merge_types),
}


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("name", SQUARE)
def test_graph_functions(capi, function, name):
    if name == "empty" and function == "add loops":
        pytest.skip("there is no edge type 0")
    graph = GRAPHS[name]
    named = Graph(graph.edge_src, graph.edge_dst, edge_type=graph.edge_type,
                  node_type=graph.node_type, schema=graph.schema,
                  num_node_types=graph.num_node_types,
                  edge_type_names=[f"e{i}" for i in range(graph.num_edge_types)],
                  node_type_names=[f"n{i}" for i in range(graph.num_node_types)])
    native, python = FUNCTIONS[function]
    for one in (graph, named):
        try:
            expected = python(one)
        except ValueError as error:  # A self loop that breaks the schema.
            assert "expected a" in str(error)
            with pytest.raises(capi.GNNError, match="expected a"):
                native(capi.NativeGraph.of(one))
            continue
        assert same(native(capi.NativeGraph.of(one)), expected)


def test_errors_are_raised(capi):
    native = capi.NativeGraph.of(GRAPHS["schema"])
    with pytest.raises(capi.GNNError, match="expected"):
        native.structure("rows nothing edge")
    with pytest.raises(capi.GNNError, match="expected"):
        capi.Package.from_bytes(b"not a package")


def test_handles_are_released(capi, monkeypatch):
    released = []
    real = capi.library().gnnGraphRelease
    monkeypatch.setattr(capi.library(), "gnnGraphRelease",
                        lambda handle: (released.append(handle), real(handle)))
    graph = Graph([0], [0], 1)
    handle = capi.NativeGraph.of(graph).handle
    assert capi.NativeGraph.of(graph).handle == handle
    del graph
    assert released == [handle]


def test_cuda_is_optional(capi):
    count = ctypes.c_int()
    try:
        capi.call("gnnCudaDeviceCount", ctypes.byref(count))
    except capi.GNNError as error:
        assert "expected" in str(error)


def test_library_names_what_it_looked_for(monkeypatch):
    from gnn_mlir import capi
    monkeypatch.setenv("GNN_MLIR_LIBRARY", "/nowhere/libGNN.so")
    with pytest.raises(capi.GNNError, match="expected a library, got /nowhere"):
        capi.find_library()
    monkeypatch.delenv("GNN_MLIR_LIBRARY")
    monkeypatch.setenv("GNN_MLIR_BUILD", "/nowhere")
    with pytest.raises(capi.GNNError, match="/nowhere/lib/libGNN.so.*got none"):
        capi.find_library()


def test_the_newest_library_is_found(monkeypatch, tmp_path):
    """Not one in the folder that was changed last."""
    from gnn_mlir import capi
    for name in ("GNN_MLIR_LIBRARY", "GNN_MLIR_BUILD"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(capi, "__file__", str(tmp_path / "python/gnn_mlir/capi.py"))
    paths = [tmp_path / f"build/{build}/lib/libGNN.so" for build in ("ci", "dev", "other")]
    for path, time in zip(paths, (1000, 3000, 2000)):
        path.parent.mkdir(parents=True)
        path.touch()
        os.utime(path, (time, time))
        os.utime(path.parents[1], (5000 - time, 5000 - time))
    assert capi.find_library() == str(paths[1])


def test_a_library_of_another_version(monkeypatch, capi):
    found = capi.find_library()
    monkeypatch.setitem(capi.PLAIN, "gnnOfTomorrow", (None,))
    with pytest.raises(capi.GNNError, match=re.escape(
            f"{found}: expected a library of this version of gnn_mlir, got one without "
            "gnnOfTomorrow: build it again, or name the build folder of another by "
            "GNN_MLIR_BUILD")):
        capi.library.__wrapped__()


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i4",
                                   ">u8"])
def test_ids_of_all_kinds(capi, dtype):
    ids = np.array([3, 0, 9, 2, 100], dtype)
    for given in (ids, ids[::2]):
        graph = Graph(given, given, 101)
        assert graph.edge_src.dtype == np.int32
        np.testing.assert_array_equal(graph.edge_src, given.astype(np.int64))
    worst = np.iinfo(dtype).max
    with pytest.raises(ValueError, match=f"from 0 to 100, got {worst} at 1"):
        Graph(np.array([1, worst], dtype), np.array([0, 0], dtype), 101)
    if np.iinfo(dtype).min < 0:
        worst = np.iinfo(dtype).min
        with pytest.raises(ValueError, match=f"from 0 to 100, got {worst} at 0"):
            Graph(np.array([worst, 1], dtype), np.array([0, 0], dtype), 101)


def test_numbers_of_threads(capi):
    first = gnn_mlir.get_num_threads()
    assert first == int(os.environ.get("OMP_NUM_THREADS") or os.cpu_count())
    try:
        gnn_mlir.set_num_threads(3)
        assert gnn_mlir.get_num_threads() == 3
        for wrong in (-1, 1025, "two", 1.5):
            with pytest.raises(ValueError, match="number of threads: "):
                gnn_mlir.set_num_threads(wrong)
        assert gnn_mlir.get_num_threads() == 3
    finally:
        gnn_mlir.set_num_threads(0)
    assert gnn_mlir.get_num_threads() == first


def test_all_share_their_threads(compiler):
    """Code, blocks on the emulator and on the CPU, and sorts of edges: whatever comes behind the
    first starts no thread that the most demanding one had not."""
    script = """
import os, sys
import numpy as np
import gnn_mlir
edges = np.random.default_rng(1).integers(0, 3000, (2, 600_000)).astype(np.int32)
threads = lambda: len(os.listdir("/proc/self/task"))
before, numbers, kept = threads(), [], []
for target in "emulator", "cpu", "emulator", "cpu":
    graph = gnn_mlir.Graph(*edges[:, :5000 if target == "emulator" else None], 3000)
    layer = gnn_mlir.compile(gnn_mlir.models.sage((8, 5)), target=target)
    bound = layer.bind(graph)
    bound(layer.source.random_inputs(graph))
    kept.append(bound)
    numbers.append(threads() - before)
assert max(numbers) < max(4, os.cpu_count()), numbers
"""
    subprocess.run([sys.executable, "-c", script], check=True,
                   env={**os.environ, "OMP_NUM_THREADS": "4"})


def test_arrays_live_as_long_as_the_library_uses_them(compiler):
    layer = gnn_mlir.compile(gnn_mlir.models.gin((4, 4)), target="emulator")
    graph = Graph([0, 1], [1, 2], 3)
    array = weakref.ref(graph.edge_src)
    bound = gnn_mlir.capi.BoundFunction(layer.package, layer.name, [graph],
                                        gnn_mlir.devices.open_device())
    del graph
    gc.collect()
    assert array() is not None
    del bound
    gc.collect()
    assert array() is None
