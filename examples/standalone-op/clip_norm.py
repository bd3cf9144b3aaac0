# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the op on the emulator and checks it against its meaning in NumPy.

    python clip_norm.py build/ClipNorm.so
"""

import pathlib
import sys

import gnn_mlir
import numpy as np


def clip_norm(rows, limit):
    """The reference of `extra.clip_norm`."""
    norm = np.linalg.norm(rows, axis=-1, keepdims=True)
    return rows * np.minimum(1, limit / np.where(norm == 0, limit, norm))


def expected(graph, x):
    """The result of @clipped of clip-norm.mlir."""
    sums = np.zeros_like(x, float)
    np.add.at(sums, np.asarray(graph.edge_dst), x[np.asarray(graph.edge_src)])
    return clip_norm(sums, 1.5)


def main(plugin):
    program = pathlib.Path(__file__).with_name("clip-norm.mlir").read_text()
    clipped = gnn_mlir.compile(program, plugins=[plugin], gradients=True)
    rng = np.random.default_rng(0)
    # Node 0 has no incoming edge: its row is zeros.
    graph = gnn_mlir.Graph(rng.integers(0, 20, 60), rng.integers(1, 20, 60), 20)
    x = rng.standard_normal((20, 8), np.float32)
    out = clipped(graph, {"x": x})
    np.testing.assert_allclose(out, expected(graph, x), rtol=1e-5, atol=1e-6)
    print("clip_norm: as the reference,",
          int((np.linalg.norm(out, axis=1) > 1.499).sum()), "rows clipped")
    up, v = rng.standard_normal((2, 20, 8), np.float32)
    found = clipped.gradients(graph, {"x": x}, {"out": up})["x"]
    step = 1e-6 * v.astype(float)
    change = (expected(graph, x + step) - expected(graph, x - step)) / 2e-6
    np.testing.assert_allclose((found * v).sum(), (change * up).sum(), rtol=1e-4)
    print("its gradient: as differences of the reference")


if __name__ == "__main__":
    main(sys.argv[1])
