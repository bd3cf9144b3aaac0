# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The graph transformer layer (Shi et al., 2021) as PyG's TransformerConv defines
it: dot-product attention over the edges into each node."""

import math

from .. import types
from . import layers


def transformer_layer(f, x, out, heads=1, prefix="", concat=True, beta=False,
                      root_weight=True, bias=True):
    """y[v] = sum over u -> v of a[u, v] value[u] + x[v] R, where a is the softmax
    over edges into v of query[v] . key[u] / sqrt(out), by head. `out` is the size
    of one head. With `beta` the two parts are mixed by a gate in [0, 1] instead of
    added."""
    layers.describe(f, prefix, "transformer", heads=heads, concat=concat)

    def project(name):
        return f.reshape(layers.linear(f, x, heads * out, f"{prefix}{name}_",
                                       bias), heads, out).named(name)

    query, key, value = project("query"), project("key"), project("value")
    score = f.sddmm("edge", query, key, "dst", "src") * (1 / math.sqrt(out))
    attention = f.edge_softmax(score.named("score"), over="dst")
    message = f.apply("mul", "edge", attention.named("attention"), value,
                      rhs_via="src").named("message")
    y = f.aggregate("sum", message, x.graph.dst, via="dst")
    y = layers.join_heads(f, y, concat)
    if not root_weight:
        return y
    root = layers.linear(f, x, *y.features, prefix + "root_", bias)
    if not beta:
        return y + root
    gate = f.input(prefix + "beta", types.weight(3 * y.features[0], 1))
    gate = f.linear(f.concat(y, root, y - root), gate)
    gate = f.reshape(f.activation("sigmoid", gate)).named("gate")
    return y + f.apply("mul", x.graph.dst, gate, root - y)


def transformer(features=(64, 64), heads=1, concat=True, beta=False,
                root_weight=True, bias=True):
    """PyG's TransformerConv, stacked with relu. `features` are the sizes of the
    input and of one head of each layer; all layers but the last concatenate their
    heads, and the last does where `concat`, else it takes their mean."""
    features = layers.check_features(features)
    types.integer("heads", heads, 1)
    own = "mixed by a gate with" if beta else "plus"
    return layers.stacked(
        f"Graph transformer with {heads} heads: softmax of query .\n"
        "key over the edges into each node, which weighs values"
        + (f",\n{own} a projection of the node." if root_weight else "."),
        "transformer", features, lambda f, x, out, prefix, last: transformer_layer(
            f, x, out, heads, prefix, concat or not last, beta, root_weight, bias))
