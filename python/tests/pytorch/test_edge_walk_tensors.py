# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The structures of walks by edges and of shards of sources that kernels build of tensors, held
against those of the host; gradients of such walks by autograd."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import gnn_mlir  # noqa: E402
import test_source_shards as shards  # noqa: E402
from gnn_mlir import capi, devices, structure_keys  # noqa: E402
from gnn_mlir.pytorch import device_build  # noqa: E402
from test_edge_walk_results import GRAPHS, check  # noqa: E402
from test_edge_walks import KEYS, graph  # noqa: E402,F401


def on_device(graph, types):
    """The graph with edge types, of the host and of tensors, and a request of all KEYS."""
    kinds = np.arange(len(graph.edge_src), dtype=np.int32) % types
    typed = gnn_mlir.Graph(graph.edge_src, graph.edge_dst, graph.num_nodes, edge_type=kinds,
                           num_edge_types=types)
    tensors = gnn_mlir.TensorGraph(
        (torch.tensor(graph.edge_src), torch.tensor(graph.edge_dst)), graph.num_nodes,
        edge_type=torch.tensor(kinds), num_edge_types=types)
    request = structure_keys.Request("g")
    for key in KEYS:
        request.add_structure(key)
    request.finish()
    return capi.NativeGraph.of(typed), tensors, request


@pytest.mark.parametrize("types", [1, 3])
def test_kernels_make_the_same(graph, types, compiler):
    native, tensors, request = on_device(graph, types)
    builder = device_build.Builder.make({"g": request}, devices.open_device("emulator"))
    build = device_build.Build(builder, {"g": tensors}, None)
    for key in KEYS:
        assert np.array_equal(build.structure("g", key).numpy(), native.structure(key)), key
    for text in request.counts:
        assert build.count("g", text) == native.count(text), text


@pytest.mark.parametrize("kind, end", [("square", "src"), ("square", "dst"),
                                       ("bipartite", "src")])
@pytest.mark.parametrize("edge_walks", [0, 1])
@pytest.mark.parametrize("target", ["emulator", "cpu"])
def test_tensors_make_the_same_graph(target, kind, end, edge_walks, compiler):
    """By kernels on the emulator, by the host for cores."""
    graph = shards.graph_of(kind)
    package, bound = shards.run(shards.program(shards.BODIES["sum"], kind, end), graph, target=target,
                         passes={"edge-walks": edge_walks})
    inputs = shards.inputs_of(graph)
    sizes = {"num_nodes": graph.num_nodes} if kind == "square" else {
        "num_src_nodes": graph.num_src_nodes, "num_dst_nodes": graph.num_dst_nodes}
    tensors = gnn_mlir.TensorGraph((torch.tensor(graph.edge_src), torch.tensor(graph.edge_dst)),
                                   **sizes)
    of_tensors = package.bind(tensors)
    given = {name: torch.tensor(value) for name, value in inputs.items()}
    assert np.array_equal(of_tensors(given).numpy(), bound(inputs))


def test_gradients_of_a_choice_of_weights():
    """The gradient by a row of an edge is a chosen weight times what all features share."""
    module, graph = gnn_mlir.Module(), GRAPHS["shares"]
    g, f = module.graph("g"), module.function("f")
    x = f.input("x", g.rows("node", 8))
    weight, other = (f.input(name, g.rows("edge")) for name in "wz")
    chosen = f.reshape(f.where(weight > 0, weight, weight * 0.5), 1)
    message = f.gather(x, "edge", via="src") * chosen * f.reshape(other, 1)
    f.output("y", f.aggregate("mean", message, "node", via="dst"))
    rng = np.random.default_rng(3)
    shapes = {"x": (graph.num_nodes, 8), "w": graph.num_edges, "z": graph.num_edges}
    given = {name: torch.tensor(rng.standard_normal(shape), dtype=torch.float32)
             for name, shape in shapes.items()}
    ours = {name: value.clone().requires_grad_() for name, value in given.items()}
    layer = gnn_mlir.compile(module, target="emulator", passes={"edge-walks": 1}, gradients=True)
    layer(graph, ours).sum().backward()
    ends = [torch.tensor(end, dtype=torch.int64) for end in (graph.edge_src, graph.edge_dst)]
    right = {name: value.double().requires_grad_() for name, value in given.items()}
    weights = torch.where(right["w"] > 0, right["w"], right["w"] * 0.5) * right["z"]
    degrees = torch.bincount(ends[1], minlength=graph.num_nodes).clamp(min=1)
    total = torch.zeros(graph.num_nodes, 8, dtype=torch.float64).index_add(
        0, ends[1], right["x"][ends[0]] * weights[:, None])
    (total / degrees[:, None]).sum().backward()
    for name in given:
        check(ours[name].grad.numpy(), right[name].grad.numpy())
