# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of captured layers have as few kernels as those written by hand."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

import gnn_mlir  # noqa: E402
import zoo  # noqa: E402
import zoo_table  # noqa: E402
from gnn_mlir import models  # noqa: E402

D, H, R = zoo.SIZE, zoo.HEADS, zoo.RELATIONS
BY_HAND = {
    "GCNConv": (models.gcn, (D, D)), "SAGEConv-mean": (models.sage, (D, D)),
    "GINConv": (models.gin, (D, D), {"train_eps": True}),
    "GATConv": (models.gat, (D, D // H), {"heads": H}),
    "GATv2Conv": (models.gatv2, (D, D // H), {"heads": H}),
    "TransformerConv": (models.transformer, (D, D // H), {"heads": H, "beta": True}),
    "RGCNConv": (models.rgcn, R, (D, D)),
    "RGCNConv-bases": (models.rgcn, R, (D, D), {"bases": 2}),
    "RGATConv": (models.rgat, R, (D, D)), "HGTConv": (models.hgt, 3, R, (D, D), {"heads": H})}

#: The gate of features put side by side is read in more parts than by hand.
MORE_IN_TRAINING = {"TransformerConv": 2}


def graph_of(module):
    """The graph of the zoo, of as many types as a module declares."""
    inputs, decl = zoo.Inputs(), module.graphs["g"]
    graph = gnn_mlir.Graph(
        *inputs.edge_index, inputs.nodes, edge_type=inputs.edge_type % decl.edge_types,
        num_edge_types=decl.edge_types, node_type=inputs.node_type % decl.node_types,
        num_node_types=decl.node_types)
    return gnn_mlir.add_self_loops(graph, "replace", 0) if decl.self_loops else graph


@pytest.mark.parametrize("name", BY_HAND)
def test_as_few_kernels_as_by_hand(name):
    make, *given = BY_HAND[name]
    named = given.pop() if isinstance(given[-1], dict) else {}
    module = make(*given, **named)
    function, = module.functions.values()
    compiled = gnn_mlir.compile(function, graph=graph_of(module), target="cpu",
                                gradients=list(function.inputs))
    counts = {plan["name"]: sum("kernel" in step for step in plan["steps"])
              for plan in compiled.package.plan()["functions"]}
    call = counts.pop(function.name)
    _, whole, found, training, _ = (
        cell.strip() for cell in zoo_table.committed()[name].strip("|").split("|"))
    assert whole == "yes" and int(found) <= call
    assert int(training) <= sum(counts.values()) + MORE_IN_TRAINING.get(name, 0)
