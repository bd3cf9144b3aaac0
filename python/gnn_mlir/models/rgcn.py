# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""RGCN (Schlichtkrull et al., 2018) as PyG's RGCNConv defines it."""

from .. import types
from ..program import Module
from . import layers


def relation_weights(f, graph, size, out, bases=None, prefix="",
                     diagonal_blocks=None):
    """A weight [size, out] for each edge type: an input, or with `bases` a sum of
    that many shared ones (basis decomposition). With
    `diagonal_blocks` it is 0 but for so many blocks n on its diagonal,
    [n, size / n, out / n]."""
    if diagonal_blocks is not None:
        n = diagonal_blocks
        if bases is not None:
            raise ValueError("expected bases or diagonal_blocks, got both")
        if n < 1 or size % n or out % n:
            raise ValueError(f"diagonal_blocks: expected a divisor of {size} and {out} "
                             f"features, got {n}")
        return f.input(prefix + "weight", graph.rows("edge_type", n, size // n, out // n))
    if bases is None:
        return f.input(prefix + "weight", graph.rows("edge_type", size, out))
    coefficients = f.input(prefix + "coefficients",
                           graph.rows("edge_type", bases))
    basis = f.input(prefix + "bases", types.weight(bases, size, out))
    return f.weight_combine(coefficients, basis).named("weight")


def rgcn_layer(f, x, out, bases=None, prefix="", aggregation="mean",
               root_weight=True, bias=True, diagonal_blocks=None, x_dst=None):
    """y[v] = sum over edge types r of (mean over edges u -> v of type r of
    x[u] W[r]) + x[v] R + b. On a bipartite graph x[v] are rows of `x_dst`."""
    if aggregation not in ("mean", "sum"):
        raise ValueError("aggregation: expected mean or sum, which commute with "
                         f"the weights, got {aggregation!r}")
    layers.describe(f, prefix, "rgcn", aggregation=aggregation)
    g = x.graph
    size = x.features[0]
    weight = relation_weights(f, g, size, out, bases, prefix, diagonal_blocks)
    h = x if diagonal_blocks is None else f.reshape(  # A head a block.
        x, diagonal_blocks, size // diagonal_blocks)
    message = f.typed_linear(f.gather(h, "edge", via="src"), weight)
    by_type = f.aggregate(aggregation, message.named("message"), "dst_pair")
    y = f.aggregate("sum", by_type, g.dst)
    y = f.reshape(y, out) if diagonal_blocks else y
    if root_weight:
        root = f.input(prefix + "root", types.weight(size, out))
        y = y + f.linear(x if x_dst is None else x_dst, root)
    return layers.add_bias(f, y, prefix + "bias") if bias else y


def rgcn(edge_types, features=(64, 64), bases=None, aggregation="mean",
         root_weight=True, bias=True, node_types=1, diagonal_blocks=None):
    """PyG's RGCNConv, stacked with relu: `features` are the widths of the input
    and of each layer. `print(gnn_mlir.compile(...))` lists the inputs."""
    features = layers.check_features(features)
    return layers.stacked(
        _text(aggregation, root_weight, bias)
        + (f",\nwhere W[r] is a sum of {bases} bases." if bases else
           f",\nwhere W[r] has {diagonal_blocks} blocks on its diagonal."
           if diagonal_blocks else "."), "rgcn", features,
        lambda f, x, out, prefix, last: rgcn_layer(
            f, x, out, bases, prefix, aggregation, root_weight, bias, diagonal_blocks),
        node_types=node_types, edge_types=edge_types)


def _text(aggregation, root_weight, bias):
    return ("RGCN: y[v] = sum over edge types r of\n"
            f"  ({aggregation} over edges u -> v of type r of x[u] W[r])"
            + (" + x[v] R" if root_weight else "") + (" + b" if bias else ""))


def rgcn_blocks(edge_types, features=(64, 64, 64), bases=None, aggregation="mean",
                root_weight=True, bias=True, node_types=1):
    """RGCNConv over sampled blocks, one bipartite graph a layer, as `sage_blocks`."""
    features = layers.check_features(features)
    module = Module(_text(aggregation, root_weight, bias) + layers.blocks_text(features))
    f = module.function("rgcn")
    f.output("out", layers.block_stack(
        module, f, features, lambda x, x_dst, out, prefix: rgcn_layer(
            f, x, out, bases, prefix, aggregation, root_weight, bias, x_dst=x_dst),
        node_types, edge_types))
    return module
