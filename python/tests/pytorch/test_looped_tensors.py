# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Self loops as PyG changes them, and graphs of tensors with other loops."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
utils = pytest.importorskip("torch_geometric.utils")

import gnn_mlir  # noqa: E402
from gnn_mlir import Module  # noqa: E402
from gnn_mlir.graph_functions import LOOPS, add_self_loops  # noqa: E402
from test_looped import GRAPHS, loop_places  # noqa: E402


def test_as_in_pyg():
    graph = GRAPHS["several-loops"]
    index = torch.tensor(np.stack([graph.edge_src, graph.edge_dst])).long()
    rows = torch.arange(graph.num_edges, dtype=torch.float64)
    nodes = np.full(graph.num_nodes, -1.0)
    for loops, names in {"remove": ["remove_self_loops"], "add": ["add_self_loops"],
                         "replace": ["remove_self_loops", "add_self_loops"],
                         "remaining": ["add_remaining_self_loops"]}.items():
        ends, values = index, rows
        for name in names:
            more = {} if name.startswith("remove") else {
                "fill_value": -1.0, "num_nodes": graph.num_nodes}
            ends, values = getattr(utils, name)(ends, values, **more)
        looped = add_self_loops(graph, loops, 0)
        np.testing.assert_array_equal(ends, [looped.edge_src, looped.edge_dst])
        got = np.r_[rows, nodes][loop_places(graph, loops)]
        np.testing.assert_array_equal(values, got)


@pytest.mark.parametrize("loops", LOOPS)
@pytest.mark.parametrize("name", GRAPHS)
def test_graphs_of_tensors(name, loops, compiler):
    """They have the results of graphs of the host."""
    graph = GRAPHS[name]
    module = Module()
    g = module.graph_like("g", graph)
    s = module.looped_graph("s", g, loops, g.edge_types)
    f = module.function("f")
    e, n = f.input("e", g.rows("edge", 4)), f.input("n", g.rows("node", 4))
    rows = f.restrict_rows(e * e, s) if loops == "remove" else f.extend_edges(
        f.linear(e, f.input("w", gnn_mlir.weight(4, 4))), n, s)
    a = f.edge_softmax(rows, "dst_pair")
    f.output("a", a)
    f.output("sum", f.rebind_rows(f.aggregate("sum", a, "node", "src"), g, "node"))
    f.output("back", f.expand_rows(a * a, g) + e)
    f.output("kept", f.restrict_rows(f.gather(n, "src_pair"), s) if loops == "remove"
             else f.loop_rows(a))
    layer = gnn_mlir.compile(f, target="cpu")
    inputs = {k: torch.tensor(v) for k, v in f.random_inputs(graph).items()}
    ends = np.stack([graph.edge_src, graph.edge_dst])
    given = gnn_mlir.TensorGraph(
        torch.tensor(ends), graph.num_nodes, edge_type=torch.tensor(graph.edge_type),
        num_edge_types=graph.num_edge_types)
    expected = layer(graph, inputs)
    for key, found in layer(given, inputs).items():
        np.testing.assert_array_equal(found, expected[key])
        np.testing.assert_allclose(found, f.evaluate(graph, {
            k: v.numpy() for k, v in inputs.items()})[key], rtol=1e-5, atol=1e-6)
