# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs beside what torch and PyG compute in float64."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
nn = pytest.importorskip("torch_geometric.nn")

import gnn_mlir  # noqa: E402
from gnn_mlir import Module, types  # noqa: E402
from support import errors  # noqa: E402
from test_attention import ODD  # noqa: E402
from test_training import GRAPH, normalized  # noqa: E402


def _multiplicative(graph, heads, dim, size, out):
    """PyG's RGATConv with multiplicative self-attention as its listing has it:
    weights [heads, dim], messages [heads, dim, out]."""
    module = Module()
    g = module.graph_like("g", graph)
    f = module.function("rgat")
    x = f.input("x", g.rows("node", size))
    weight = f.input("weight", g.rows("edge_type", size, heads * out))
    ends = [f.typed_linear(f.gather(x, "edge", end), weight)
            for end in ("dst", "src")]
    query, key = (f.linear(end, f.input(name, types.weight(heads * out, heads * dim)))
                  for name, end in zip(("query", "key"), ends))
    weights = f.reshape(f.edge_softmax(query * key), heads, dim)
    rows = f.reshape(ends[1], heads, out)
    rows = f.reshape(f.concat(*[rows] * dim), heads, dim, out)
    message = f.apply("mul", "edge", weights, rows)
    total = f.aggregate("sum", message, "node", "dst")
    f.output("out", f.reshape(total, heads * dim * out))
    return f


@pytest.mark.parametrize("heads, dim", [(1, 1), (2, 1), (2, 3)])
def test_three_feature_dimensions(compiler, heads, dim):
    graph, size, out = ODD["multi"](), 7, 4
    conv = nn.RGATConv(size, out, 3, heads=heads, dim=dim, bias=False,
                       attention_mode="multiplicative-self-attention").double()
    rng = np.random.default_rng(3)
    x = rng.standard_normal((graph.num_nodes, size))
    edges = torch.tensor(np.stack([graph.edge_src, graph.edge_dst]).astype(int))
    expected = conv(torch.tensor(x), edges, torch.tensor(graph.edge_type.astype(int)))
    inputs = {"x": x, **{name: getattr(conv, of).detach().numpy() for name, of in (
        ("weight", "weight"), ("query", "q"), ("key", "k"))}}
    f = _multiplicative(graph, heads, dim, size, out)
    np.testing.assert_allclose(f.evaluate(graph, inputs)["out"],
                               expected.detach().numpy(), rtol=1e-10, atol=1e-12)
    for fuse in (True, False):
        layer = gnn_mlir.compile(f, target="emulator",
                                 passes={"fuse-attention": fuse})
        found = layer(graph, {k: v.astype(np.float32) for k, v in inputs.items()})
        np.testing.assert_allclose(found, expected.detach().numpy(), rtol=1e-4,
                                   atol=1e-5)


def by_torch(inputs, momentum, eps):
    """The result of torch.nn.BatchNorm1d in training, in float64."""
    x = torch.tensor(inputs["x"], dtype=torch.float64)
    flat = x.reshape(len(x), -1)
    norm = torch.nn.BatchNorm1d(flat.shape[1], eps, momentum, dtype=torch.float64)
    with torch.no_grad():
        for to, name in ((norm.running_mean, "mean"), (norm.running_var, "variance"),
                         (norm.weight, "gamma"), (norm.bias, "beta")):
            to.copy_(torch.tensor(inputs[name]).reshape(-1))
        out = norm.train()(flat)
    shape = inputs["mean"].shape
    return {"out": out.reshape(x.shape).numpy(),
            "new_mean": norm.running_mean.reshape(shape).numpy(),
            "new_variance": norm.running_var.reshape(shape).numpy()}


CASES = [("node", (7,), 0.1, 1e-5), ("edge", (16,), 0.3, 1e-3),
         ("dst_pair", (3, 5), 1.0, 1e-5), ("node", (2,), 0.0, 0.5)]


@pytest.mark.parametrize("space,features,momentum,eps", CASES)
def test_batch_norm_in_training_is_torchs(space, features, momentum, eps, compiler):
    f = normalized(GRAPH, space, *features, momentum=momentum, eps=eps)
    inputs = f.random_inputs(GRAPH, seed=3)
    inputs["x"] = inputs["x"] * 3 + 5
    inputs["variance"] = np.abs(inputs["variance"]) + 0.5
    expected = by_torch(inputs, momentum, eps)
    meant = f.evaluate(GRAPH, inputs)
    for name, value in expected.items():
        np.testing.assert_allclose(meant[name], value, rtol=1e-12, atol=1e-13)
    found = gnn_mlir.compile(f)(GRAPH, inputs)
    for name, value in expected.items():
        errors.check(name, found[name], value, 1e-6, 1e-5)
