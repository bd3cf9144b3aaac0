# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An argument that is no batch is a ValueError that says what was expected."""

import pytest

import gnn_mlir
from test_minibatches import GRAPH, as_data, hetero_batch, torch


@pytest.mark.parametrize("change, message", [
    ({"layers": 0}, "layers: expected an integer from 1 to 65535, got 0"),
    ({"layers": 10**30}, "layers: expected an integer from 1 to 65535, got 10000000"),
    ({"layers": "2"}, "layers: expected an integer, got '2'"),
    ({"seeds": None}, "seeds: expected a number of nodes, got None"),
    ({"seeds": 121}, "seeds: expected an integer from 0 to 120, got 121"),
    ({"seeds": -1}, "seeds: expected an integer from 0 to 120, got -1"),
    ({"seeds": 1.5}, "seeds: expected an integer, got 1.5"),
    ({"batch": gnn_mlir.Graph([], [], num_src_nodes=2, num_dst_nodes=1)},
     "blocks: expected a square graph, got a bipartite one"),
    ({"num_node_types": 2}, "num_node_types: expected none for a Graph, which has its "
                            "types, got 2"),
    ({"batch": 3}, "expected a Data or HeteroData of PyG, got 3")])
def test_what_is_no_batch_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        gnn_mlir.blocks(**{"batch": GRAPH, "layers": 2, "seeds": 3, **change})


def test_data(compiler):
    data = as_data(GRAPH, [0])
    for number in ("2", 2.5):
        with pytest.raises(ValueError, match="num_edge_types: expected an integer, got "
                                             f"{number!r}"):
            gnn_mlir.blocks(data, 2, 1, num_edge_types=number)
    data.edge_index = torch.zeros(3, 3, dtype=torch.int64)
    with pytest.raises(ValueError, match=r"edge_index: expected shape \(2, edges\), got "
                                         r"\(3, 3\)"):
        gnn_mlir.blocks(data, 2, 1)


def test_hetero_data(compiler):
    data = hetero_batch()
    for number in ("1", 1.5, None):
        with pytest.raises(ValueError, match="seeds of paper: expected an integer, got "
                                             f"{number!r}"):
            gnn_mlir.blocks(data, 1, {"paper": number})
    for kind in data.edge_types:
        del data[kind]
    with pytest.raises(ValueError, match="a HeteroData with types of edges, got types of "
                       "nodes alone"):
        gnn_mlir.blocks(data, 1, {"paper": 1})


def test_lists_in_the_place_of_tuples(compiler):
    layer = gnn_mlir.compile("""
gnn.graph @g square {node_types = 1, edge_types = 1}
func.func @copied(%x: tensor<?xf32, #gnn.rows<@g, node>>)
    -> tensor<?xf32, #gnn.rows<@g, node>> {
  return %x : tensor<?xf32, #gnn.rows<@g, node>>
}""")
    with pytest.raises(ValueError, match="batches: expected graphs, or a tuple that begins "
                                         "with them, got a list of Graph, Tensor"):
        next(layer.prefetch([[GRAPH, torch.zeros(3)]]))
