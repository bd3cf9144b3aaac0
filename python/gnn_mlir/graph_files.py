# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graph files: .npz archives of plain arrays (docs/Structures.md has their form).

The library reads the graph, so that a file means the same to every tool; what else
a file holds is read by NumPy."""

import io
import os
import zipfile

import numpy as np

from . import capi, files, paths

_GRAPH_ARRAYS = ("edge_src", "edge_dst", "edge_type", "node_type",
                 "edge_type_names", "node_type_names", "dst_node_type",
                 "schema")


def read(path):
    """The graph of a file, as the library has it, and the other arrays by name."""
    os.stat(paths.encoded(path))  # No file is Python's own error.
    try:
        native = capi.NativeGraph.load(path)
    except capi.GNNError as error:
        raise ValueError(str(error)) from None
    try:
        with np.load(path, allow_pickle=False) as file:
            files.check_memory(path, sum(entry.file_size for entry in file.zip.infolist()))
            return native, {name: file[name] for name in file.files
                            if name not in _GRAPH_ARRAYS}
    except (zipfile.BadZipFile, ValueError, EOFError) as error:
        raise ValueError(f"{path}: expected plain arrays, got: {error}") from error


def write(graph, path):
    """Writes a graph and its `arrays`."""
    arrays = {"edge_src": graph.edge_src, "edge_dst": graph.edge_dst}
    if graph.num_edge_types != 1:
        arrays["edge_type"] = graph.edge_type.astype(
            np.int16 if graph.num_edge_types < 1 << 15 else np.int32)
    arrays["node_type"] = graph.src_node_type
    if not graph.square:
        arrays["dst_node_type"] = graph.dst_node_type
    if graph.schema is not None:
        arrays["schema"] = np.array(graph.schema, np.int32).reshape(-1, 2)
    node_types = np.concatenate([graph.src_node_type, graph.dst_node_type])
    for kind, types, count in (
            ("edge", graph.edge_type, graph.num_edge_types),
            ("node", node_types, graph.num_node_types)):
        names = getattr(graph, kind + "_type_names")
        if names is None and count != max(1, types.max(initial=-1) + 1):
            # Names tell the number of types where members do not.
            names = [f"{kind} type {i}" for i in range(count)]
        if names is not None:
            arrays[kind + "_type_names"] = np.array(names, str)
    for name, array in graph.arrays.items():
        _check_rows(name, np.asanyarray(array), graph)
    arrays.update(graph.arrays)
    write_npz(path, arrays)


def _check_rows(name, array, graph):
    """Raises ValueError where an array that `read` knows is not what it expects."""
    if name not in ("label", "train_mask", "val_mask", "test_mask", "edge_split"):
        return
    rows = graph.num_edges if name == "edge_split" else graph.num_src_nodes
    if array.shape != (rows,):
        raise ValueError(f"{name}: expected shape {(rows,)}, got {array.shape}")
    if array.dtype.kind not in ("iub" if name.endswith("mask") else "iu"):
        raise ValueError(f"{name}: expected integers, got {array.dtype}")


def write_npz(path, arrays):
    """Writes arrays as a compressed .npz whose bytes depend on them alone."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for name, array in arrays.items():
            entry = zipfile.ZipInfo(name + ".npy", (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            with file.open(entry, "w", force_zip64=True) as out:
                np.lib.format.write_array(out, np.asanyarray(array),
                                          allow_pickle=False)
    files.write(path, packed.getvalue())
