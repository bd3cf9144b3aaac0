# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GATv2 (Brody et al., 2022) as PyG's GATv2Conv defines it.

With `self_loops` (PyG's add_self_loops) its graph needs one at each node:
`add_self_loops(graph, "replace", 0)`.
"""

from .. import types
from . import layers


def gatv2_layer(f, x, out, heads=1, prefix="", concat=True, negative_slope=0.2,
                bias=True, share_weights=False, self_loops=True,
                residual=False):
    """y[v] = sum over u -> v of a[u, v] s[u], where s = x W and t = x T by head and
    a is the softmax over edges into v of leaky_relu(s[u] + t[v]) . att. `out` is
    the size of one head; `share_weights` takes T = W. With `residual` x[v] R is
    added. `self_loops` is a fact of the graph, for `pyg.weights`."""
    layers.describe(f, prefix, "gatv2", heads=heads, concat=concat,
                    negative_slope=negative_slope, self_loops=self_loops)

    def project(name):
        return f.reshape(layers.linear(f, x, heads * out, prefix + name, bias),
                         heads, out)

    source = project("src_").named("h_src")
    target = source if share_weights else project("dst_").named("h_dst")
    vector = f.input(prefix + "att", types.weight(heads, out))
    both = f.apply("add", "edge", source, target, "src", "dst").named("both")
    both = f.activation("leaky_relu", both, alpha=negative_slope)
    score = f.dot(both, vector).named("score")
    attention = f.edge_softmax(score, over="dst").named("attention")
    message = f.apply("mul", "edge", attention, source,
                      rhs_via="src").named("message")
    y = f.aggregate("sum", message, x.graph.dst, via="dst")
    y = layers.join_heads(f, y, concat)
    y = layers.add_residual(f, y, x, prefix) if residual else y
    return layers.add_bias(f, y, prefix + "bias") if bias else y


def gatv2(features=(64, 64), heads=1, concat=True, negative_slope=0.2, bias=True,
          share_weights=False, self_loops=True, residual=False):
    """PyG's GATv2Conv, stacked with relu. `features` are the sizes of the input
    and of one head of each layer; all layers but the last concatenate their heads,
    and the last does where `concat`, else it takes their mean."""
    features = layers.check_features(features)
    types.integer("heads", heads, 1)
    return layers.stacked(
        f"GATv2 with {heads} heads: the leaky relu comes before the\n"
        "product with the attention vector" + layers.loops_text(self_loops), "gatv2",
        features, lambda f, x, out, prefix, last: gatv2_layer(
            f, x, out, heads, prefix, concat or not last, negative_slope, bias,
            share_weights, self_loops, residual), self_loops=self_loops)
