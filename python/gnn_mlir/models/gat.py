# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GAT (Velickovic et al., 2018) as PyG's GATConv defines it.

With `self_loops` (PyG's add_self_loops) its graph needs one at each node:
`add_self_loops(graph, "replace", 0)`.
"""

from .. import types
from . import layers


def gat_layer(f, x, out, heads=1, prefix="", concat=True, negative_slope=0.2,
              bias=True, self_loops=True, residual=False):
    """y[v] = sum over u -> v of a[u, v] h[u], where h = x W by head and a is the
    softmax over edges into v of leaky_relu(h[u] . s + h[v] . d). `out` is the
    size of one head. With `residual` x[v] R is added. `self_loops` is a fact of
    the graph, for `pyg.weights`."""
    layers.describe(f, prefix, "gat", heads=heads, concat=concat,
                    negative_slope=negative_slope, self_loops=self_loops)
    weight = f.input(prefix + "weight", types.weight(*x.features, heads * out))
    source = f.input(prefix + "att_src", types.weight(heads, out))
    target = f.input(prefix + "att_dst", types.weight(heads, out))
    h = f.reshape(f.linear(x, weight), heads, out).named("h")
    score = f.apply("add", "edge", f.dot(h, source), f.dot(h, target), "src",
                    "dst").named("score")
    score = f.activation("leaky_relu", score, alpha=negative_slope)
    attention = f.edge_softmax(score, over="dst").named("attention")
    message = f.apply("mul", "edge", attention, h, rhs_via="src").named("message")
    y = f.aggregate("sum", message, x.graph.dst, via="dst")
    y = layers.join_heads(f, y, concat)
    y = layers.add_residual(f, y, x, prefix) if residual else y
    return layers.add_bias(f, y, prefix + "bias") if bias else y


def gat(features=(64, 64), heads=1, concat=True, negative_slope=0.2, bias=True,
        self_loops=True, residual=False):
    """PyG's GATConv, stacked with relu. `features` are the sizes of the input and
    of one head of each layer; all layers but the last concatenate their heads, and
    the last does where `concat`, else it takes their mean."""
    features = layers.check_features(features)
    types.integer("heads", heads, 1)
    return layers.stacked(
        f"GAT with {heads} heads: additive attention over the edges\n"
        "into each node" + layers.loops_text(self_loops), "gat", features,
        lambda f, x, out, prefix, last: gat_layer(
            f, x, out, heads, prefix, concat or not last, negative_slope, bias,
            self_loops, residual), self_loops=self_loops)
