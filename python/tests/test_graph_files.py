# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graph files: what they mean, which is the same to Python, to the C API and to
gnn-run."""

import ctypes
import io
import os
import re
import subprocess
import zipfile

import numpy as np
import pytest

from conftest import find_tool
from gnn_mlir import Graph, add_self_loops
from naive import graphs

# The beginning of every case.
GRAPH = {"edge_src": np.int32([0, 1, 2, 2]), "edge_dst": np.int32([1, 2, 0, 1]),
         "node_type": np.int16([0, 1, 1])}
NONE = np.zeros(0, np.int32)
EMPTY = {"edge_src": NONE, "edge_dst": NONE}
FEATURES = {"feat_indptr": np.int32([0, 2, 2, 3]),
            "feat_indices": np.int32([1, 3, 0]), "feat_dim": np.int32(4)}


def changed(graph=(), **arrays):
    """The arrays of a file; None leaves one out."""
    arrays = {**GRAPH, **dict(graph), **arrays}
    return {name: array for name, array in arrays.items() if array is not None}


def features(**arrays):
    return changed(FEATURES, **arrays)


# The meaning of files.
READ = {
    "one edge type where none is given": (changed(), {"num_edge_types": 1}),
    "as many types as the largest id says": (
        changed(edge_type=np.int64([0, 5, 1, 1])),
        {"num_edge_types": 6, "num_node_types": 2}),
    "as many types as names": (
        changed(edge_type=np.uint8([0, 0, 1, 1]),
                edge_type_names=np.array(["a", "b", "c"])),
        {"num_edge_types": 3, "edge_type_names": ("a", "b", "c")}),
    "names beyond ASCII": (changed(node_type_names=np.array(["Ä", "\u7bc0\U0001f600"])),
                           {"node_type_names": ("Ä", "\u7bc0\U0001f600")}),
    "no edges": (changed(EMPTY), {"num_edges": 0, "num_edge_types": 1,
                                  "num_node_types": 2}),
    "no edges, with types": (changed(EMPTY, edge_type=NONE), {"num_edge_types": 1}),
    "no edges, with names": (
        changed(EMPTY, edge_type=NONE, edge_type_names=np.array(["a", "b"])),
        {"num_edge_types": 2}),
    "no nodes": (changed(EMPTY, node_type=NONE),
                 {"num_src_nodes": 0, "num_node_types": 1, "num_edge_types": 1}),
    "no types": (changed(EMPTY, node_type=NONE, edge_type=NONE,
                         node_type_names=np.zeros(0, "<U1"),
                         edge_type_names=np.zeros(0, "<U1")),
                 {"num_node_types": 0, "num_edge_types": 0}),
    "two ends": (changed(dst_node_type=np.int8([2, 0, 0, 0])),
                 {"square": False, "num_src_nodes": 3, "num_dst_nodes": 4,
                  "num_node_types": 3}),
    "a schema": (changed(schema=np.int64([[-1, 1]]), edge_dst=np.int32([1, 2, 2, 1])),
                 {"schema": ((-1, 1),)}),
    **{f"ids of {dtype}": (changed(edge_src=GRAPH["edge_src"].astype(dtype)),
                           {"edge_src": [0, 1, 2, 2]})
       for dtype in ("i1", "i2", "i8", "u1", "u2", "u4", "u8")},
    "features": (features(), {"features": [[0, 1, 0, 1], [0] * 4, [1, 0, 0, 0]]}),
    "features with values": (
        features(feat_data=np.float64([0.5, -1, 3])),
        {"features": [[0, 0.5, 0, -1], [0] * 4, [3, 0, 0, 0]]}),
    "a column twice": (
        features(feat_indices=np.int32([1, 1, 0]), feat_data=np.float32([1, 2, 3])),
        {"features": [[0, 3, 0, 0], [0] * 4, [3, 0, 0, 0]]}),
    "no columns": (features(feat_indptr=np.int32([0, 0, 0, 0]), feat_indices=NONE,
                            feat_dim=np.int32([0])), {"features": [[], [], []]}),
    "features of both ends": (features(dst_node_type=np.int8([0, 0, 0])),
                              {"features": [[0, 1, 0, 1], [0] * 4, [1, 0, 0, 0]]}),
    "labels and masks": (changed(label=np.int8([-1, 0, 1]),
                                 label_names=np.array(["a", "b"]),
                                 train_mask=np.array([True, False, False]),
                                 edge_split=np.int64([0, 1, 2, 2])), {}),
    "arrays of other names": (changed(time=np.float16([1, 2])), {}),
}

# Contents that files may not have, and their errors.
REFUSED = {
    **{f"no {name}": (changed(**{name: None}), f"array '{name}', got none")
       for name in GRAPH},
    "a source that is no node": (changed(edge_src=np.int32([0, 1, 3, 2])),
                                 "source of edge 2: expected 0 <= id < 3, got 3"),
    "a negative destination": (changed(edge_dst=np.int32([0, 1, -1, 2])),
                               "destination of edge 2: expected 0 <= id < 3, got -1"),
    "a negative type": (changed(edge_type=np.int32([0, -1, 0, 0])), "got -1"),
    "ids of 64 bits": (changed(edge_src=np.int64([0, 1 << 32, 0, 0])),
                       "edge_src: element 1: expected an integer of 32 bits"),
    "ids of unsigned 64 bits": (changed(edge_src=np.uint64([0, 1 << 63, 0, 0])),
                                "edge_src: element 1: expected an integer"),
    "ids that are floats": (changed(edge_src=np.float32([0, 1, 2, 2])),
                            "edge_src: expected integers, got f32"),
    "no ids that are floats": (changed(EMPTY, edge_src=np.zeros(0)),
                               "edge_src: expected integers, got f64"),
    "ids that are bool": (changed(edge_src=np.array([True, False, True, True])),
                          "edge_src: expected integers, got i1"),
    "ids of the other byte order": (changed(edge_src=np.array([0, 1, 2, 2], ">i4")),
                                    "edge_src: expected an element type of"),
    "objects": (changed(edge_src=np.array([0, None, 2, 2])),
                "edge_src: expected an element type of"),
    "ids in two dimensions": (changed(edge_src=np.int32([[0, 1], [2, 2]])),
                              "edge_src: expected one dimension, got i32[2x2]"),
    "another length": (changed(edge_type=np.int32([0])),
                       "edge_type: expected 4 elements, got 1"),
    "too few names": (changed(node_type_names=np.array(["a"])),
                      "node_type: expected ids under 1"),
    "names without types": (changed(edge_type_names=np.array(["a", "b"])),
                            "expected an array 'edge_type' for 2 edge types"),
    "names that are numbers": (changed(node_type_names=np.int32([1, 2])),
                               "node_type_names: expected text, got i32[2]"),
    "a schema of another shape": (changed(schema=np.int32([0, 1])),
                                  "schema: expected a shape of 1x2, got i32[2]"),
    "a schema of floats": (changed(schema=np.float32([[0, 1]])),
                           "schema: expected integers"),
    "a schema that edges break": (changed(schema=np.int32([[0, 1]])),
                                  "expected a source of node type 0, got 1"),
    "no feat_dim": (features(feat_dim=None), "'feat_dim' beside feat_indptr"),
    "a feat_dim of two": (features(feat_dim=np.int32([4, 4])),
                          "feat_dim: expected one integer"),
    "a column that is not there": (features(feat_indices=np.int32([1, 4, 0])),
                                   "feat_indices 1: expected 0 <= column < 4, got 4"),
    "a negative column": (features(feat_indices=np.int32([1, -1, 0])), "got -1"),
    "rows of too few nodes": (features(feat_indptr=np.int32([0, 2, 3])),
                              "feat_indptr: expected 4 elements, got 3"),
    "rows that step down": (features(feat_indptr=np.int32([0, 2, 1, 3])),
                            "feat_indptr: expected 0 first and no step down, got 1"),
    "too few values": (features(feat_data=np.float32([1])),
                       "feat_data: expected 3 elements, got 1"),
    "values that are text": (features(feat_data=np.array(["1", "2", "3"])),
                             "feat_data: expected numbers, got text"),
    "too few labels": (changed(label=np.int32([1])),
                       "label: expected 3 elements, got 1"),
    "too few in a mask": (changed(val_mask=np.array([True])),
                          "val_mask: expected 3 elements, got 1"),
    "too few in a split": (changed(edge_split=np.int32([1])),
                           "edge_split: expected 4 elements, got 1"),
}


def facts(graph):
    """The graph as text and lists, which compare."""
    return {name: value.tolist() if isinstance(value, np.ndarray) else value
            for name in ("square", "num_src_nodes", "num_dst_nodes", "num_edges",
                         "num_node_types", "num_edge_types", "node_type_names",
                         "edge_type_names", "schema", "edge_src", "edge_dst",
                         "edge_type", "src_node_type", "dst_node_type")
            for value in [getattr(graph, name)]}


def library_features(capi, path):
    """The features as the library reads them; None: the file has none."""
    library, file = capi.library(), ctypes.c_void_p()
    capi.call("gnnGraphFileLoad", os.fsencode(path), ctypes.byref(file))
    try:
        width = library.gnnGraphFileFeatureDim(file)
        if width < 0:
            return None
        graph = capi.NativeGraph(library.gnnGraphFileGraph(file))
        x = np.zeros((library.gnnGraphNumNodes(graph.handle, 0), width), np.float32)
        capi.call("gnnGraphFileFeatures", file, 0, x.ctypes.data, x.size)
        return x
    finally:
        library.gnnGraphFileRelease(file)


@pytest.fixture(scope="module")
def gnn_run():
    tool = find_tool("gnn-run")
    if tool is None:
        pytest.skip("gnn-run is not built")

    def run(path, *options):
        return subprocess.run([tool, "--stats", path, *options], capture_output=True,
                              text=True, check=False)

    return run


@pytest.mark.parametrize("name", READ)
def test_read_alike(capi, gnn_run, tmp_path, name):
    arrays, expected = READ[name]
    path = tmp_path / "g.npz"
    np.savez(path, **arrays)
    graph = Graph.load(path)
    found = facts(graph)
    assert facts(Graph(**capi.NativeGraph.load(path).arrays())) == found
    result = gnn_run(path)
    assert result.stdout.strip() == capi.NativeGraph.of(
        Graph(**capi.NativeGraph.load(path).arrays())).stats()
    expected = dict(expected)
    if "feat_dim" in arrays:
        x = graph.features()
        np.testing.assert_array_equal(library_features(capi, path), x)
        assert x.dtype == np.float32 and x.tolist() == expected.pop("features")
    else:
        assert library_features(capi, path) is None
    assert {key: found[key] for key in expected} == expected
    for key in arrays.keys() - GRAPH.keys() - {
            "edge_type", "dst_node_type", "schema", "node_type_names",
            "edge_type_names"}:
        np.testing.assert_array_equal(graph.arrays[key], arrays[key])
    graph.save(tmp_path / "again.npz")
    assert facts(Graph.load(tmp_path / "again.npz")) == found


@pytest.mark.parametrize("types", [1, 2])
def test_self_loops_alike(capi, gnn_run, tmp_path, types):
    """Beside one edge type and beside several: by the tool, the C API and Python."""
    graph = Graph([0, 1, 2, 2], [1, 2, 2, 0], 3, edge_type=np.arange(4) % types)
    graph.save(tmp_path / "g.npz")
    looped = add_self_loops(graph)
    assert looped.num_edge_types == 2 * types - 1
    native = capi.NativeGraph.of(graph).derived("gnnGraphAddSelfLoops", True, -1)
    assert facts(Graph(**native.arrays())) == facts(looped)
    assert gnn_run(tmp_path / "g.npz", "--add-self-loops").stdout.strip() == looped.stats()


@pytest.mark.parametrize("name", REFUSED)
def test_refused_alike(capi, gnn_run, tmp_path, name):
    arrays, message = REFUSED[name]
    path = tmp_path / "g.npz"
    np.savez(path, **arrays)
    with pytest.raises(ValueError) as python:
        Graph.load(path)
    with pytest.raises(capi.GNNError) as library:
        capi.NativeGraph.load(path)
    result = gnn_run(path)
    assert result.returncode == 1
    assert str(python.value) == str(library.value) == result.stderr.strip(
        ).removeprefix("gnn-run: error: ")
    assert str(path) in str(python.value) and message in str(python.value)


def test_objects_beside_the_graph_are_refused(capi, tmp_path):
    np.savez(tmp_path / "g.npz", **changed(extra=np.array([None])))
    with pytest.raises(ValueError, match="g.npz: expected plain arrays, got"):
        Graph.load(tmp_path / "g.npz")


def test_no_file_is_an_error_of_the_system(tmp_path):
    with pytest.raises(FileNotFoundError, match="nothing.npz"):
        Graph.load(tmp_path / "nothing.npz")


def repack(path, sizes):
    """Has the archive say other sizes of its entries."""
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("comment", "")
        for entry in archive.filelist:
            entry.file_size = sizes.get(entry.filename, entry.file_size)


@pytest.mark.parametrize("size, message, hint", [
    (1 << 36, "at most [0-9]+ bytes, got 68719476736", " \\(--max-bytes allows more\\)"),
    (100, "100 bytes, as the archive says, got more", "")])
def test_sizes_are_not_believed(capi, gnn_run, tmp_path, size, message, hint):
    """Neither more than the machine has, nor less than there is."""
    path = tmp_path / "g.npz"
    np.savez_compressed(path, **changed())
    repack(path, {"edge_src.npy": size})
    with pytest.raises(ValueError, match=f"entry 'edge_src.npy': expected {message}"):
        Graph.load(path)
    result = gnn_run(path)
    assert result.returncode == 1 and len(result.stderr.splitlines()) == 1
    assert re.search(f"edge_src.npy': expected {message}{hint}$", result.stderr)


def test_what_numpy_reads_has_a_limit(capi, tmp_path):
    path = tmp_path / "g.npz"
    np.savez_compressed(path, **changed(time=np.zeros(3)))
    repack(path, {"time.npy": 1 << 46})
    with pytest.raises(ValueError, match="g.npz: expected at most [0-9]+ bytes, got 7"):
        Graph.load(path)
    nodes = 1 << 14
    graph = Graph([], [], nodes, arrays={
        "feat_indptr": np.zeros(nodes + 1, np.int32), "feat_indices": NONE,
        "feat_dim": (1 << 31) - 1})
    with pytest.raises(ValueError, match="features: expected at most [0-9]+ bytes, got 1"):
        graph.features()


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("name", ["edge_src.npy", "edge_src"])
def test_an_array_is_there_once(capi, gnn_run, tmp_path, name):
    """NumPy reads the last one, other readers the first."""
    path, stream = tmp_path / "g.npz", io.BytesIO()
    np.savez(path, **changed())
    np.save(stream, np.int32([2, 2, 2, 2]))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(name, stream.getvalue())
    message = "g.npz: expected .* once, got .*edge_src.npy'"
    with pytest.raises(ValueError, match=message):
        Graph.load(path)
    assert re.search(message, gnn_run(path).stderr)


def test_no_archive_is_refused(capi, tmp_path):
    (tmp_path / "bad.npz").write_bytes(b"PK\3\4 not really")
    with pytest.raises(ValueError, match="expected a zip archive.*bad.npz"):
        Graph.load(tmp_path / "bad.npz")


@pytest.mark.parametrize("arrays, message", [
    ({"feat_dim": 2}, "feat_indices: expected ids from 0 to 1, got 3 at 1"),
    ({"feat_dim": 1.5}, "feat_dim: expected an integer, got 1.5"),
    ({"feat_indptr": [0, 2, 1, 3]}, "feat_indptr: expected 0 first and no step down"),
    ({"feat_indptr": [0, 3]}, r"feat_indptr: expected shape \(4,\)"),
    ({"feat_data": [1.0]}, r"feat_data: expected shape \(3,\), got shape \(1,\)")])
def test_features_of_no_file_are_checked(arrays, message):
    graph = Graph([0], [1], 3, arrays={**FEATURES, **arrays})
    with pytest.raises(ValueError, match=message):
        graph.features()


def test_save_and_load(tmp_path):
    graph = Graph([2, 0], [1, 1], 3, edge_type=[1, 0], node_type=[0, 1, 1],
                  edge_type_names=["a", "b"], node_type_names=["c", "d"],
                  arrays={"feat_indptr": [0, 1, 1, 3], "feat_indices": [1, 0, 2],
                          "feat_dim": np.int32(4), "label": [3, 4, 5]})
    graph.save(tmp_path / "a.npz")
    loaded = Graph.load(tmp_path / "a.npz")
    assert loaded.edge_src.tolist() == [2, 0]
    assert loaded.edge_type_names == ("a", "b")
    assert loaded.arrays["label"].tolist() == [3, 4, 5]
    assert loaded.features().tolist() == [[0, 1, 0, 0], [0] * 4, [1, 0, 1, 0]]
    loaded.save(tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.npz", "b.npz"]


def test_files_keep_both_ends_and_the_schema(tmp_path):
    graph = Graph([2, 0], [0, 1], num_src_nodes=3, num_dst_nodes=2,
                  src_node_type=[0, 1, 1], dst_node_type=[2, 0],
                  edge_type=[1, 0], schema=[(0, 0), (1, 2)])
    graph.save(tmp_path / "g.npz")
    loaded = Graph.load(tmp_path / "g.npz")
    assert not loaded.square
    assert (loaded.num_src_nodes, loaded.num_dst_nodes) == (3, 2)
    assert loaded.src_node_type.tolist() == [0, 1, 1]
    assert loaded.dst_node_type.tolist() == [2, 0]
    assert loaded.schema == ((0, 0), (1, 2))
    assert loaded.num_node_types == 3


@pytest.mark.parametrize("name", ["one node", "no edges", "empty", "schema"])
def test_files_keep_empty_types(tmp_path, name):
    graph = graphs()[name]
    graph.save(tmp_path / "g.npz")
    loaded = Graph.load(tmp_path / "g.npz")
    assert loaded.num_edge_types == graph.num_edge_types
    assert loaded.num_node_types == graph.num_node_types


@pytest.mark.parametrize("arrays, message", [
    ({"label": np.zeros(4, int)}, r"label: expected shape \(3,\), got \(4,\)"),
    ({"label": np.zeros(3)}, "label: expected integers, got float64"),
    ({"edge_split": np.zeros(3, int)}, r"edge_split: expected shape \(2,\), got \(3,\)"),
    ({"train_mask": np.zeros(3)}, "train_mask: expected integers, got float64")])
def test_what_no_file_may_have_is_not_saved(tmp_path, arrays, message):
    with pytest.raises(ValueError, match=message):
        Graph([0, 1], [1, 2], 3, arrays=arrays).save(tmp_path / "g.npz")
    assert not list(tmp_path.iterdir())
    fine = {"label": np.zeros(3, int), "train_mask": np.ones(3, bool), "other": np.ones(5)}
    Graph([0, 1], [1, 2], 3, arrays=fine).save(tmp_path / "g.npz")
