# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of the classes of torch_geometric.nn with the options that PyG's own tests have. A case
has the name `Class(options)(arguments)`."""

import dataclasses

import torch
import zoo
from pyg_calls import CALLS
from torch import nn
from torch_geometric import nn as pyg
from torch_geometric import utils
from torch_geometric.data import Data
from torch_geometric.nn import aggr

D, OUT, FEW = 16, 8, 4


def mlp(*sizes):
    """Linear layers with ReLU between them."""
    layers = [nn.Linear(*pair) for pair in zip(sizes, sizes[1:])]
    return nn.Sequential(*[one for layer in layers for one in (layer, nn.ReLU())][:-1])


class EdgeModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.mlp = mlp(2 * D + 3 + FEW, OUT)

    def forward(self, src, dst, edge_attr, u, batch):
        return self.mlp(torch.cat([src, dst, edge_attr, u[batch]], 1))


class NodeModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = mlp(D + OUT, OUT), mlp(D + OUT + FEW, OUT)

    def forward(self, x, edge_index, edge_attr, u, batch):
        src, dst = edge_index
        out = self.one(torch.cat([x[src], edge_attr], 1))
        out = utils.scatter(out, dst, 0, x.size(0), "mean")
        return self.two(torch.cat([x, out, u[batch]], 1))


class GlobalModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.mlp = mlp(FEW + OUT, OUT)

    def forward(self, x, edge_index, edge_attr, u, batch):
        out = utils.scatter(x, batch, 0, u.size(0), "mean")
        return self.mlp(torch.cat([u, out], 1))


NAMES = {name: value for module in (pyg.models, aggr, pyg) for name, value in vars(
    module).items()} | dict(
        torch=torch, nn=nn, pyg=pyg, aggr=aggr, mlp=mlp, D=D, OUT=OUT, FEW=FEW, META=zoo.META,
        RELS=zoo.RELS, EdgeModel=EdgeModel, NodeModel=NodeModel, GlobalModel=GlobalModel)


def arguments(inputs):
    """Arguments of calls by name: x and z of n nodes, y of m others; ei and ei2 among
    nodes, gi within graphs, bi to the others, h to hyperedges, mi of meshes; w, e, t of edges,
    gw, ge of gi's; batch of B graphs, in order."""
    rng = torch.Generator().manual_seed(inputs.seed)
    n, m, graphs, edges = inputs.nodes, inputs.nodes // 2, 4, inputs.edges

    def rows(*shape):
        return torch.randn(*shape, generator=rng)

    def ids(high, *shape):
        return torch.randint(0, high, shape, generator=rng)

    src, dst = ids(n, edges), ids(n, edges)
    dst = torch.where(dst == src, (dst + 1) % n, dst)  # PyG overwrites weights of loops.
    batch = ids(graphs, n).sort()[0]
    batch[0], batch[-1] = 0, graphs - 1
    within = batch[src] == batch[dst]
    features, relations = inputs.hetero()
    x, x0, inner = inputs.x, rows(n, D), torch.stack([src, dst])[:, within]
    return dict(
        n=n, m=m, B=graphs, x=x, x0=x0, y=rows(m, OUT), z=rows(n, OUT), x50=rows(50, D),
        many=rows(n, 3, D), xs=[x, x0, rows(n, D)], soft=rows(n, FEW).softmax(-1),
        ei=torch.stack([src, dst]), ei2=torch.stack([dst, src.roll(1)]), gi=inner,
        bi=torch.stack([src, dst % m]), h=torch.stack([src, dst % (m // 2)]),
        mi=torch.stack([torch.arange(n).repeat_interleave(4), ids(n, 4 * n)]),
        few=ids(20, 2, edges), le=ids(20, 2, 30), w=inputs.edge_weight, e=rows(edges, 3),
        e2=torch.rand(edges, 2, generator=rng), t=ids(FEW, edges),
        gw=inputs.edge_weight[within], ge=rows(edges, 3)[within], kind=ids(3, n), batch=batch,
        index=ids(m, n), sorted=ids(m, n).sort()[0], label=ids(FEW, n), mask=ids(2, n) == 1,
        names=ids(20, n), pos=inputs.position, pos2=rows(m, 3),
        normal=nn.functional.normalize(rows(n, 3)), hw=torch.rand(m // 2, generator=rng),
        normal2=nn.functional.normalize(rows(m, 3)), hx=rows(m // 2, D), u=rows(graphs, FEW),
        two=torch.tensor(2.0), twos=torch.linspace(1.5, 2, graphs), xd=features, ed=relations,
        data=Data(x=rows(n, 20), y=rows(n, 51), y_graph=rows(graphs, 11), edge_index=inner,
                  batch=batch))


@dataclasses.dataclass
class Case:
    model: str
    call: str
    why: str = ""  # Why it is not whole.
    is_quick: bool = False  # Whether it runs without --all.

    @property
    def name(self):
        return f"{self.model}({self.call})"

    def make(self, seed=0):
        torch.manual_seed(seed)
        return eval(self.model, dict(NAMES))

    def inputs(self, inputs):
        """Positional arguments, and those by name."""
        given = arguments(inputs)
        return eval(f"call({self.call})", {
            "torch": torch, "pyg": pyg, "OUT": OUT,
            "call": lambda *args, **named: (args, named), **given})


def _read(text):
    for line in text.strip().splitlines():
        code, _, why = line[line.startswith("+"):].strip().partition("  -- ")
        if line[:2] in ("  ", "+ "):
            yield Case(model, code, why or of_model, line[0] == "+")
        else:
            model, of_model = code, why


CASES = {case.name: case for case in _read(CALLS)}
