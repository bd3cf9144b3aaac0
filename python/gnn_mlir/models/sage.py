# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GraphSAGE (Hamilton et al., 2017) as PyG's SAGEConv defines it."""

from .. import types
from ..program import Module
from . import layers


def sage_layer(f, x_src, x_dst, out, prefix="", aggregation="mean", bias=True,
               normalize=False, root_weight=True, project=False):
    """y[v] = aggregation over u -> v of x[u], times W, plus x[v] R + b. With
    `project` x[u] is relu(x[u] P + p); with `normalize` y[v] has length 1."""
    layers.describe(f, prefix, "sage", aggregation=aggregation,
                    normalize=normalize, project=project)
    if project:
        x_src = f.activation("relu", layers.linear(f, x_src, *x_src.features,
                                                   prefix + "project_"))
    message = f.gather(x_src, "edge", via="src").named("message")
    near = f.aggregate(aggregation, message, x_src.graph.dst, via="dst")
    weight = f.input(prefix + "weight", types.weight(*x_src.features, out))
    bias = f.input(prefix + "bias", types.weight(out)) if bias else None
    y = f.linear(near, weight, bias)
    if root_weight:
        root = f.input(prefix + "root", types.weight(*x_dst.features, out))
        y = y + f.linear(x_dst, root)
    if normalize:
        square = f.elementwise("arith.maximumf", f.dot(y, y), f.constant(
            1e-24, y.type.with_features()))
        y = y * f.broadcast(f.elementwise("math.rsqrt", square), y.type)
    return y


def sage(features=(64, 64), aggregation="mean", bias=True, normalize=False,
         root_weight=True, project=False):
    """PyG's SAGEConv with aggregation mean, max, min or sum, stacked with relu."""
    features = layers.check_features(features)
    return layers.stacked(
        f"GraphSAGE: y[v] = ({aggregation} over edges u -> v of x[u])"
        " W" + (" + x[v] R" if root_weight else "") + (" + b" if bias else "")
        + (",\nwhere u gives relu(x[u] P + p)" if project else "")
        + (",\ndivided by its length" if normalize else "") + ".", "sage", features,
        lambda f, x, out, prefix, last: sage_layer(
            f, x, x, out, prefix, aggregation, bias, normalize, root_weight, project))


def sage_blocks(features=(64, 64, 64), aggregation="mean", bias=True):
    """SAGEConv over sampled blocks, one bipartite graph a layer.

    The destinations of a block are its first sources, and the sources of the next
    block are the destinations of the one before."""
    features = layers.check_features(features)
    module = Module(f"GraphSAGE: y[v] = ({aggregation} over edges u -> v of x[u])"
                    " W + x[v] R" + (" + b" if bias else "")
                    + layers.blocks_text(features))
    f = module.function("sage")
    f.output("out", layers.block_stack(
        module, f, features, lambda x, x_dst, out, prefix: sage_layer(
            f, x, x_dst, out, prefix, aggregation, bias)))
    return module
