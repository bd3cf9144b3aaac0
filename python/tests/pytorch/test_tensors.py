# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of torch as the inputs of compiled functions, and as the ids of a `Graph`; data of PyG
in its place."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import gnn_mlir  # noqa: E402
from gnn_mlir import Graph  # noqa: E402
from test_bad_values import graph, inputs, layer, program  # noqa: E402,F401
from test_training import GRAPH, dropped, ones  # noqa: E402


def test_tensors_in_tensors_out(layer, graph, inputs):
    out = layer(graph, {k: torch.from_numpy(v) for k, v in inputs.items()})
    assert isinstance(out, torch.Tensor)
    np.testing.assert_array_equal(out.numpy(), layer(graph, inputs))


def test_cores_give_tensors(program, graph, inputs, compiler):
    function = gnn_mlir.compile(program, target="cpu")
    given = function(graph, {name: torch.from_numpy(array) for name, array in inputs.items()})
    assert torch.equal(given, torch.from_numpy(np.asarray(function(graph, inputs))))


def test_tensors_that_are_views(layer, graph, inputs):
    x = torch.from_numpy(inputs["x"])
    expected = layer(graph, inputs)
    negative = torch.complex(torch.zeros_like(x), -x).conj().imag
    assert negative.is_neg()
    for view in (negative, x.T.contiguous().T, x.clone().requires_grad_()):
        out = layer(graph, {**inputs, "x": view})
        np.testing.assert_array_equal(out.numpy(), expected)


def test_tensors_of_other_types(layer, graph, inputs):
    x = torch.from_numpy(inputs["x"])
    with pytest.raises(ValueError, match="'x': expected float32, got bfloat16"):
        layer(graph, {**inputs, "x": x.bfloat16()})
    with pytest.raises(ValueError, match="'x': expected a dense tensor, got "
                                         "torch.sparse_coo"):
        layer(graph, {**inputs, "x": x.to_sparse()})


def test_torch_arrays():
    graph = Graph(torch.tensor([0, 1]), torch.tensor([1, 1]), 2)
    assert graph.edge_src.dtype == np.int32


def test_join_types():
    graph = Graph([], [], 5, node_type=[1, 0, 2, 2, 0], num_node_types=4)
    parts = graph.split_types(torch.arange(10.0).reshape(5, 2))
    assert parts[2].tolist() == [[4, 5], [6, 7]] and len(parts[3]) == 0
    del parts[0]
    joined = graph.join_types(parts, 2)
    assert joined.tolist() == [[0, 1], [0, 0], [4, 5], [6, 7], [0, 0]]


def test_integers_are_those_of_tensors(compiler):
    f = dropped()
    compiled = gnn_mlir.compile(f)
    expected = compiled(GRAPH, ones(f, seed=3, offset=4))
    inputs = ones(f, seed=torch.tensor(3), offset=torch.tensor(4))
    assert np.array_equal(compiled(GRAPH, inputs), expected)
    inputs = ones(f, seed=3, offset=4)
    found = compiled(GRAPH, {**inputs, "x": torch.from_numpy(inputs["x"])})
    assert np.array_equal(found.numpy(), expected)


@pytest.mark.parametrize("make", ["Data", "HeteroData"])
def test_graphs_of_pyg_have_to_be_made(layer, program, graph, inputs, make):
    data = getattr(pytest.importorskip("torch_geometric.data"), make)()
    message = f"got .*a {make} of PyG, of which gnn_mlir.Graph.from_pyg makes a Graph$"
    for call in (lambda: layer(data, inputs), lambda: layer.memory([data]),
                 lambda: program.evaluate(data, inputs), lambda: program.bind({"g": data}),
                 lambda: gnn_mlir.compile(program, graph=data),
                 lambda: gnn_mlir.add_inverses(data)):
        with pytest.raises(ValueError, match=message):
            call()
