# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A model of PyG that is trained, saved, and given batches to serve.

    python examples/serve/train.py OUT [--epochs 30] [--targets cpu cuda]

OUT/model.gnnpkg is the model, OUT/batches.npz two batches for serve.py and serve.c: the first has
a graph and features, the second other features of the same nodes. OUT/expected.npz has what the
model gives in PyTorch. Made data stand for yours; docs/Serving.md explains the steps.
"""

import argparse
import pathlib

import numpy as np
import torch
from torch_geometric.nn import GATConv, SAGEConv

import gnn_mlir

CLASSES, WIDTH = 5, 32


class Classifier(torch.nn.Module):
    """SAGE and GAT with batch norm and dropout."""

    def __init__(self, features):
        super().__init__()
        self.first, self.last = SAGEConv(features, 64), GATConv(64, CLASSES, heads=1)
        self.norm = torch.nn.BatchNorm1d(64)

    def forward(self, x, edge_index):
        h = self.norm(self.first(x, edge_index)).relu()
        h = torch.nn.functional.dropout(h, 0.5, self.training)
        return self.last(h, edge_index)


def made_data(nodes=2000, edges=12000):
    """Features that say little of a node's class; its neighbours are mostly of its own."""
    rng = torch.Generator().manual_seed(0)
    label = torch.randint(0, CLASSES, (nodes,), generator=rng)
    order, ends = label.argsort(), torch.randint(0, nodes, (2, edges), generator=rng)
    near = order[(torch.randint(0, nodes // CLASSES, (edges,), generator=rng) +
                  label[ends[0]] * (nodes // CLASSES)).clamp(max=nodes - 1)]
    ends[1] = torch.where(torch.rand(edges, generator=rng) < 0.7, near, ends[1])
    x = torch.randn(nodes, WIDTH, generator=rng)
    x[:, :CLASSES] += torch.nn.functional.one_hot(label, CLASSES)
    return x, ends, label


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--targets", nargs="+", default=["cpu"])
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    x, edge_index, label = made_data()
    model = gnn_mlir.compile(Classifier(x.shape[1]))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(options.epochs):
        model.train()
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x, edge_index), label)
        loss.backward()
        optimizer.step()
        if epoch % 10 == 9:
            print(f"epoch {epoch + 1}: loss {loss.item():.3f}")
    gnn_mlir.export(model, (x, edge_index), options.out / "model.gnnpkg",
                    targets=options.targets)
    batches = [x, x + 0.5 * torch.randn(x.shape, generator=torch.Generator().manual_seed(1))]
    np.savez(options.out / "batches.npz", **{
        "0/edge_index": edge_index.numpy(), **{f"{i}/x": one.numpy()
                                               for i, one in enumerate(batches)}})
    model.eval()
    with torch.no_grad():
        np.savez(options.out / "expected.npz", **{
            str(i): model(one, edge_index).numpy() for i, one in enumerate(batches)})


if __name__ == "__main__":
    main()
