# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GraphGym's design (You et al., 2020): a layer before, message passing with batch
norm and residuals, a layer after."""

from .. import types
from ..program import Module
from . import layers
from .gcn import gcn_layer, gcn_norm


def batch_norm(f, x, prefix, eps=1e-5):
    """Batch norm of inference, with the inputs mean, variance, gamma and beta behind `prefix`."""
    layers.describe(f, prefix, "batch_norm", eps=eps)
    weights = [f.input(prefix + name, types.weight(*x.features))
               for name in ("mean", "variance", "gamma", "beta")]
    return f.batch_norm(x, *weights, eps)


def graphgym(in_features=64, out_features=64, hidden=256, gnn_layers=3):
    """As GraphGym builds it with GCNConv, batch norm, relu and "skipsum":
    linear, then `gnn_layers` times x + relu(norm(gcn(x))), then linear. A linear
    layer before a norm has no bias."""
    if gnn_layers < 1:
        raise ValueError(f"gnn_layers: expected at least 1, got {gnn_layers}")
    module = Module(f"GraphGym: linear, {gnn_layers} GCN layers with batch norm,\n"
                    "relu and residual, linear" + layers.loops_text(True))
    g = module.graph("g", self_loops=True)
    f = module.function("graphgym")
    x = f.input("x", g.rows("node", in_features))
    norm = gcn_norm(f, g)
    f.comment("Before.")
    h = layers.linear(f, x, hidden, "pre_", bias=False)
    h = f.activation("relu", batch_norm(f, h, "pre_norm_"))
    for i in range(gnn_layers):
        f.comment(f"Layer {i + 1}.")
        prefix = f"layer{i + 1}_"
        y = gcn_layer(f, h, hidden, norm, prefix, bias=False)
        h = h + f.activation("relu", batch_norm(f, y, prefix + "norm_"))
    f.comment("After.")
    f.output("out", layers.linear(f, h, out_features, "post_"))
    return module
