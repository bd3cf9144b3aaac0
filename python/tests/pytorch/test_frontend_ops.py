# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops on rows of nodes and edges within a model: each is part of one program for graphs of two
sizes, with the results and gradients of eager float64."""

import copy

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

import beside_eager  # noqa: E402
import zoo  # noqa: E402
from gnn_mlir.pytorch.frontend import capture  # noqa: E402
from torch import nn  # noqa: E402
from torch_geometric.nn import LEConv  # noqa: E402
from torch_geometric.utils import add_self_loops, remove_self_loops, scatter  # noqa: E402

SIZE = 6
fresh = pytest.fixture(autouse=True)(zoo.forget_captures)


class Model(nn.Module):
    """An op on rows of a layer and weights of edges."""

    def __init__(self, op):
        super().__init__()
        torch.manual_seed(0)
        self.conv, self.lin, self.op = LEConv(SIZE, SIZE), nn.Linear(SIZE, SIZE), op

    def forward(self, x, edges, weights, mask):
        return self.op(self, self.conv(x, edges), edges, weights, mask)


def onto(values, edges, x):
    return scatter(values, edges[1], 0, x.size(0))


def masked_edges(m, x, edges, weights, mask):
    """Loops have infinite numbers, which must reach no gradient."""
    loops = edges[0] == edges[1]
    weights = weights.clone()
    weights[loops] -= 1
    weights[~loops] = (weights[~loops] * 3).tanh()
    rows, away = x[edges[0]], 1 / (edges[0] - edges[1])
    rows[loops] = 0.5
    rows[~loops] = m.lin(rows[~loops] * away[~loops].unsqueeze(1)).relu() + m.lin.bias
    return onto(rows * weights.unsqueeze(1), edges, x)


def masked_nodes(m, x, edges, weights, mask):
    made = x.clone()
    made[mask] = m.lin(x[mask]).relu() + x[mask] * 2
    high = made[:, 0] > 0.2
    made[high] += made[high].sigmoid() * m.lin.bias
    return onto(made[edges[0]], edges, x)


def loops_behind_edges(m, x, edges, weights, mask):
    total = scatter(weights, edges[0], 0, x.size(0))
    more, _ = add_self_loops(edges, num_nodes=x.size(0))
    made = onto(torch.cat([-weights, total]).unsqueeze(1) * x[more[0]], more, x)
    kept, weights = remove_self_loops(edges, weights)
    more, _ = add_self_loops(kept, num_nodes=x.size(0))
    return made + onto(torch.cat([weights, total]).unsqueeze(1) * x[more[0]], more, x)


def repeated(m, x, edges, weights, mask):
    heads = x.view(-1, 1, 2, 3).repeat(1, 2, 1, 2)
    first = x[:, :2].repeat(3, 1, 2)
    return onto(heads[edges[0]].flatten(1), edges, x), first * first.sum(0)


def angles(m, x, edges, weights, mask):
    """Angles of vectors between nodes, which are 0 at loops."""
    one, two = x[:, :3][edges[1]], x[:, :3][edges[0]] - x[:, :3][edges[1]]
    made = torch.linalg.cross(one, two)
    angle = torch.atan2(torch.cross(one, two, dim=1).norm(dim=1), (one * two).sum(1))
    other = torch.atan2(weights, angle - 1)
    pairs = torch.linalg.cross(x.view(-1, 3, 2), m.lin.weight[:3, :2].unsqueeze(0), dim=1).flatten(1)
    return onto(torch.cat([made, angle.unsqueeze(1), other.unsqueeze(1)], 1), edges, x), pairs


def parts_behind_each_other(m, x, edges, weights, mask):
    """Parts of each row, for products that take one row of features, or several."""
    parts = torch.stack([x, m.lin(x), x.sin()], 1)[edges[0]]
    made = m.lin(parts.view(-1, SIZE)).relu().view(-1, 3 * SIZE)
    groups = parts.view(-1, 2, 3).transpose(0, 1).contiguous() @ m.lin.weight.view(2, 3, SIZE)
    groups = groups.transpose(0, 1).contiguous().view(edges.size(1), 3, -1)
    return onto(torch.cat([made, groups.sum(1)], 1), edges, x)


def attention_of_each_row(m, x, edges, weights, mask):
    """Of heads over three parts, in torch's order of dimensions."""
    parts = torch.stack([x, m.lin(x), x.sin()], 1)
    query, key = (one.view(one.size(0), -1, 2, 3).transpose(1, 2).contiguous() for one in (
        parts[edges[1], -1:], parts[edges[0]]))
    score = (query @ key.transpose(-2, -1)).softmax(-1)
    made = (score @ key).transpose(1, 2).reshape(-1, SIZE)
    matrices = x.view(-1, 2, 3)
    return onto(made, edges, x), matrices @ matrices.mT


@pytest.mark.parametrize("op", [
    attention_of_each_row, pytest.param(parts_behind_each_other, marks=zoo.since(
        "2.13", "is asked for sizes by hstack")), masked_edges, masked_nodes,
    loops_behind_edges, repeated, angles])
def test_ops(op):
    model = Model(op)
    exact, compiled = copy.deepcopy(model).double(), capture.compile_module(model, fullgraph=True)
    for nodes, edges in (19, 70), (8, 31):
        rng = torch.Generator().manual_seed(nodes)
        ids = torch.randint(nodes, (2, edges), generator=rng)
        ids[1, ::5] = ids[0, ::5]
        given = (torch.randn(nodes, SIZE, generator=rng), ids,
                 torch.rand(edges, generator=rng), torch.arange(nodes) % 3 == 0), {}
        beside_eager.compare(*beside_eager.run(exact, exact, *beside_eager.converted(
            given, dtype=torch.float64)), *beside_eager.run(compiled, model, *given))
    assert [len(made.calls) for made in capture._made] == [1]
