# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs through the command-line tools, for the harness of `cases`."""

import copy
import pathlib
import subprocess
import tempfile

import numpy as np


def _with_names(graph):
    """The graph with a name for each type: files tell their number by them."""
    graph = copy.copy(graph)
    graph.edge_type_names = tuple(
        f"edge type {i}" for i in range(graph.num_edge_types))
    graph.node_type_names = tuple(
        f"node type {i}" for i in range(graph.num_node_types))
    return graph


def run_by_tool(gnn_run, *options):
    """A `run` for `cases.check` that calls gnn-run, with files in between.

    `gnn_run` is the path of the tool, `options` are more of its options. A run
    that fails raises AssertionError with what the tool said. Square graphs only:
    the file form has one set of nodes."""
    def run(text, function, graphs, inputs):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "module.mlir").write_text(text)
            command = [gnn_run, folder / "module.mlir", "--function", function,
                       "--output", folder / "out", *options]
            for name, graph in graphs.items():
                _with_names(graph).save(folder / f"{name}.npz")
                command += ["--graph", f"{name}={folder / name}.npz"]
            for name, array in inputs.items():
                np.save(folder / f"{name}.npy", np.ascontiguousarray(array))
                command += ["--input", f"{name}={folder / name}.npy"]
            result = subprocess.run([str(word) for word in command], text=True,
                                    capture_output=True, check=False)
            if result.returncode != 0:
                raise AssertionError(result.stderr.strip() or result.stdout)
            return {p.stem: np.load(p) for p in (folder / "out").glob("*.npy")}
    return run
