# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch Geometric's relational layers, of one head, on a `gnn_mlir.Graph` with a
schema whose nodes lie by type."""

import numpy as np
import torch
import torch_geometric.nn as nn


def _hetero_names(graph):
    nodes = [f"n{i}" for i in range(graph.num_node_types)]
    edges = [(nodes[s], f"r{i}", nodes[d]) for i, (s, d) in enumerate(graph.schema)]
    return nodes, edges


# By the names of peers; the first is what others must equal.
LAYERS = {
    "rgcn": {"PyG": lambda g, f: nn.RGCNConv(f, f, g.num_edge_types, is_sorted=True),
             "PyG, fast": lambda g, f: nn.FastRGCNConv(f, f, g.num_edge_types,
                                                       is_sorted=True)},
    "rgat": {"PyG": lambda g, f: nn.RGATConv(f, f, g.num_edge_types)},
    "hgt": {"PyG": lambda g, f: nn.HGTConv(f, f, _hetero_names(g), heads=1)},
}


class Edges:
    """A graph as PyG's layers take it: edges by type."""

    def __init__(self, graph, device):
        order = np.argsort(graph.edge_type, kind="stable")
        ends = np.stack([graph.edge_src, graph.edge_dst]).astype(np.int64)[:, order]
        self.index = torch.tensor(ends, device=device)
        self.type = torch.tensor(graph.edge_type[order], dtype=torch.int64,
                                 device=device)
        sizes = np.bincount(graph.edge_type, minlength=graph.num_edge_types)
        nodes = np.bincount(graph.src_node_type, minlength=graph.num_node_types)
        self.node_sizes, first = nodes.tolist(), np.r_[0, np.cumsum(nodes)]
        self.names, kinds = _hetero_names(graph)
        self.of = {}
        for kind, part, (s, d) in zip(kinds, self.index.split(sizes.tolist(), 1),
                                      graph.schema):
            shift = torch.tensor([[first[s]], [first[d]]], device=device)
            self.of[kind] = part - shift

    def call(self, conv, x):
        """Outputs of all nodes that the layer gives any for."""
        if not isinstance(conv, nn.HGTConv):
            return conv(x, self.index, self.type)
        out = conv(dict(zip(self.names, x.split(self.node_sizes))), self.of)
        return torch.cat([out[n] for n in self.names if out.get(n) is not None])
