# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""RGAT twice: as PyG's RGATConv defines it, and as Hector (Wu et al.) does.

Both give each edge type its own weight. PyG scores an edge with two matrices
shared by all types, each of which sees all heads; Hector with two vectors an edge
type, head by head.
"""

from .. import types
from ..program import Module
from . import layers
from .rgcn import relation_weights


def _ends(f, x, weight, x_dst=None):
    """x W[r] at both ends of each edge: source, destination."""
    x_dst = x if x_dst is None else x_dst
    source = f.typed_linear(f.gather(x, "edge", via="src"), weight)
    target = f.typed_linear(f.gather(x_dst, "edge", via="dst"), weight)
    return source.named("h_src"), target.named("h_dst")


def _attend(f, score, h, over, negative_slope):
    """The sum over incoming edges of h, weighted with the softmax of scores."""
    score = f.activation("leaky_relu", score, alpha=negative_slope)
    attention = f.edge_softmax(score, over=over).named("attention")
    message = f.apply("mul", "edge", attention, h).named("message")
    return f.aggregate("sum", message, h.graph.dst, via="dst")


def rgat_layer(f, x, out, heads=1, bases=None, prefix="", concat=True,
               negative_slope=0.2, attention="across-relation", bias=True,
               x_dst=None):
    """PyG's RGATConv with additive self-attention. `out` is the size of one
    head. On a bipartite graph destinations have rows of `x_dst`."""
    over = {"across-relation": "dst", "within-relation": "dst_pair"}
    if attention not in over:
        raise ValueError(f"attention: expected {' or '.join(over)}, got "
                         f"{attention!r}")
    layers.describe(f, prefix, "rgat", heads=heads, concat=concat,
                    negative_slope=negative_slope, attention=attention)
    size = heads * out
    weight = relation_weights(f, x.graph, x.features[0], size, bases, prefix)
    query = f.input(prefix + "query", types.weight(size, heads))
    key = f.input(prefix + "key", types.weight(size, heads))
    source, target = _ends(f, x, weight, x_dst)
    score = f.linear(target, query) + f.linear(source, key)
    y = _attend(f, score.named("score"), f.reshape(source, heads, out),
                over[attention], negative_slope)
    y = layers.join_heads(f, y, concat)
    return layers.add_bias(f, y, prefix + "bias") if bias else y


def rgat(edge_types, features=(64, 64), heads=1, bases=None, concat=True,
         negative_slope=0.2, attention="across-relation", bias=True,
         node_types=1):
    """PyG's RGATConv, stacked with relu. `features` are the sizes of the input
    and of one head of each layer; all layers but the last concatenate."""
    features = layers.check_features(features)
    types.integer("heads", heads, 1)
    return layers.stacked(
        f"{_text(heads)}.", "rgat", features,
        lambda f, x, out, prefix, last: rgat_layer(
            f, x, out, heads, bases, prefix, concat or not last, negative_slope,
            attention, bias), node_types=node_types, edge_types=edge_types)


def _text(heads):
    return (f"RGAT as PyG's RGATConv, {heads} heads: h = x W[r] at both\n"
            "ends of an edge of type r, score = leaky_relu(h[v] Q +\n"
            "h[u] K), softmax over the edges into v")


def rgat_blocks(edge_types, features=(64, 64, 64), heads=1, bases=None,
                negative_slope=0.2, attention="across-relation", bias=True,
                node_types=1):
    """RGATConv over sampled blocks, one bipartite graph a layer, as `sage_blocks`;
    all layers concatenate heads."""
    features = layers.check_features(features)
    types.integer("heads", heads, 1)
    module = Module(_text(heads) + layers.blocks_text(features))
    f = module.function("rgat")
    f.output("out", layers.block_stack(
        module, f, features, lambda x, x_dst, out, prefix: rgat_layer(
            f, x, out, heads, bases, prefix, True, negative_slope, attention, bias,
            x_dst), node_types, edge_types))
    return module


def hector_rgat_layer(f, x, out, heads=1, prefix="", negative_slope=0.2):
    """Hector's RGAT. `out` is the size of one head; heads are concatenated."""
    g = x.graph
    weight = relation_weights(f, g, x.features[0], heads * out, prefix=prefix)
    vectors = [f.input(prefix + name, g.rows("edge_type", heads, out))
               for name in ("att_src", "att_dst")]
    h = [f.reshape(end, heads, out) for end in _ends(f, x, weight)]
    scores = [f.sddmm("edge", end, a) for end, a in zip(h, vectors)]
    y = _attend(f, (scores[0] + scores[1]).named("score"), h[0], "dst",
                negative_slope)
    return layers.join_heads(f, y, concat=True)


def hector_rgat(edge_types, features=(64, 64), heads=1, negative_slope=0.2,
                node_types=1):
    """Hector's RGAT, stacked with relu."""
    features = layers.check_features(features)
    return layers.stacked(
        f"RGAT as Hector has it, {heads} heads: h = x W[r] at both\n"
        "ends of an edge of type r, score = leaky_relu(h[u] . s[r] +\n"
        "h[v] . d[r]), softmax over the edges into v.", "rgat", features,
        lambda f, x, out, prefix, last: hector_rgat_layer(
            f, x, out, heads, prefix, negative_slope),
        node_types=node_types, edge_types=edge_types)
