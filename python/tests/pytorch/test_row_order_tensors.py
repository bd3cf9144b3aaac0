# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Orders of rows that are built of tensors."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import gnn_mlir  # noqa: E402


@pytest.mark.parametrize("orders", [1, 2])
def test_orders_of_any_number_of_nodes_on_a_device(orders):
    """Orders are structures, which begin where kernels expect them."""
    module = gnn_mlir.Module()
    g, f = module.graph("g"), module.function("f")
    f.output("y", f.aggregate("sum", f.gather(f.input("x", g.rows("node", 4)), "edge", via="src"),
                              "node", via="dst"))
    layer = gnn_mlir.compile(module, target="emulator",
                             passes={"row-orders": orders, "edge-walks": 0})
    for nodes in (1, 2, 3, 5, 4097):
        ids = np.array([np.zeros(nodes, int), np.arange(nodes)])
        x = np.random.default_rng(nodes).standard_normal((nodes, 4)).astype(np.float32)
        y = layer(gnn_mlir.TensorGraph(torch.tensor(ids), nodes), {"x": x})
        assert np.array_equal(np.asarray(y), x[ids[0]]), nodes
