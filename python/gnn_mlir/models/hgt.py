# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""HGT (Hu et al., 2020) as PyG's HGTConv defines it.

PyG gives no output for node types that no edge type leads to; here their rows are
those of nodes without edges.
"""

import math

from ..program import Module
from . import layers


def hgt_layer(f, parts, out, heads=1, prefix="", widths=None):
    """`parts` are the node features, a list of (width, value) over all nodes; one
    entry where all node types have one width, else `widths` has that of each type.
    `out` is the size of all heads together.

    Where a node type's features are as many as `out`, the result is mixed with
    them by sigmoid(skip). The skip of another type is not read."""
    layers.describe(f, prefix, "hgt")
    g = parts[0][1].graph
    size = layers.head_size(out, heads)

    def by_node(name):
        bias = f.input(f"{prefix}{name}_bias", g.rows("node_type", out))
        h = layers.project(f, parts, out, f"{prefix}{name}_weight")
        h = h + f.gather(bias, "node")
        return f.reshape(h, heads, size).named(name)

    key, query, value = by_node("key"), by_node("query"), by_node("value")

    def by_edge(h, name):
        weight = f.input(f"{prefix}{name}_relation",
                         g.rows("edge_type", heads, size, size))
        return f.typed_linear(f.gather(h, "edge", via="src"), weight)

    prior = f.input(prefix + "prior", g.rows("edge_type", heads))
    score = f.sddmm("edge", query, by_edge(key, "key"), lhs_via="dst")
    score = f.apply("mul", "edge", score, prior) * (1 / math.sqrt(size))
    attention = f.edge_softmax(score.named("score"), over="dst")
    message = f.apply("mul", "edge", attention.named("attention"),
                      by_edge(value, "value")).named("message")
    y = f.reshape(f.aggregate("sum", message, "node", via="dst"), out)

    weight = f.input(prefix + "out_weight", g.rows("node_type", out, out))
    bias = f.input(prefix + "out_bias", g.rows("node_type", out))
    y = f.typed_linear(f.activation("gelu", y), weight, bias=bias)
    same = dict(parts).get(out)
    if same is None:
        return y
    skip = f.activation("sigmoid", f.input(prefix + "skip", g.rows("node_type")))
    if len(parts) > 1:
        mixed = [float(widths[t] == out) for t in range(g.node_types)]
        skip = (skip * f.constant(mixed, skip.type) +
                f.constant([1 - one for one in mixed], skip.type))
    mix = f.gather(skip, "node")
    return same + f.apply("mul", "node", mix, y - same)


def hgt(node_types, edge_types, features=(64, 64), heads=1, in_features=None,
        schema=None):
    """PyG's HGTConv, stacked as it is. `features` are the sizes of the input and
    of each layer, all heads together. `in_features` instead of the first is a dict
    from node type to width. Where a `schema` gives each edge type its node types,
    as `refine_types` makes it, projections can be multiplied into its weights."""
    features = layers.check_features(features)
    module = Module(f"HGT with {heads} heads: key, query and value projected by\n"
                    "node type, key and value by edge type, softmax over the\n"
                    "edges into a node, gelu, projection by node type, and the\n"
                    "input mixed in where it has as many features.")
    g = module.graph("g", node_types=node_types, edge_types=edge_types,
                     schema=schema)
    f = module.function("hgt")
    parts = layers.node_features(f, g, in_features or features[0])
    for i, out in enumerate(features[1:], 1):
        if len(features) > 2:
            f.comment(f"Layer {i}.")
        prefix = f"layer{i}_" if len(features) > 2 else ""
        parts = [(out, hgt_layer(f, parts, out, heads, prefix, in_features))]
    f.output("out", parts[0][1])
    return module
