# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""More than 2^31 elements: rows times features need 64 bits. GPU only."""

import os

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir import Module

FEATURES, NODES, EDGES = 64, 35_000_003, 36_000_001


@pytest.mark.skipif(os.environ.get("GNN_TEST_TARGET") != "cuda",
                    reason="needs 40 GB on a GPU: GNN_TEST_TARGET=cuda")
def test_more_elements_than_31_bits():
    torch = pytest.importorskip("torch")
    assert NODES * FEATURES > 2**31 and EDGES * FEATURES > 2**31
    # Node v has an edge from the node that lies opposite, the last one another.
    src = np.append(np.arange(NODES)[::-1],
                    np.arange(EDGES - NODES)).astype(np.int32)
    dst = np.append(np.arange(NODES),
                    np.full(EDGES - NODES, NODES - 1)).astype(np.int32)
    graph = gnn_mlir.Graph(src, dst, NODES)
    module = Module()
    g = module.graph_like("g", graph)
    f = module.function("large")
    x = f.input("x", g.rows("node", FEATURES))
    messages = f.gather(x, "edge", via="src")
    f.output("messages", messages)
    f.output("sums", f.aggregate("sum", messages, "node", via="dst"))
    generator = torch.Generator("cuda").manual_seed(1)
    x = torch.randint(-4, 5, (NODES, FEATURES), generator=generator,
                      device="cuda").float()  # Sums are exact.
    out = gnn_mlir.compile(f, target="cuda")(graph, {"x": x})
    rows = torch.arange(0, EDGES, 9973, device="cuda")
    rows = torch.cat([rows, torch.arange(EDGES - 5, EDGES, device="cuda")])
    source = torch.from_numpy(src).cuda().long()
    assert torch.equal(out["messages"][rows], x[source[rows]])
    assert torch.equal(out["sums"][:-1], x.flip(0)[:-1])
    last = x[0].double() + x[:EDGES - NODES].double().sum(0)
    assert torch.equal(out["sums"][-1].double(), last)
