# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GCN (Kipf and Welling, 2017) and SGC (Wu et al., 2019) as PyG defines them.

Both expect a graph with self loops: `add_self_loops(graph, "replace", 0)`.
"""

from .. import types
from ..program import Module
from . import layers


def gcn_norm(f, graph, self_loops=True):
    """1 / sqrt(deg(src) deg(dst)) for each edge, deg counting incoming edges.
    Without `self_loops` a source without incoming edges has weight 0."""
    degree = f.degree(graph, "edge", graph.dst, via="dst").named("degree")
    if self_loops:
        scale = f.elementwise("math.rsqrt", degree)
    else:
        one = f.constant(1.0, degree.type)
        root = f.elementwise("math.rsqrt",
                             f.elementwise("arith.maximumf", degree, one))
        scale = root * f.elementwise("arith.minimumf", degree, one)
    scale.named("scale")
    return f.apply("mul", "edge", scale, scale, "src", "dst").named("norm")


def propagate(f, x, norm):
    """y[v] = sum over edges u -> v of norm * x[u]."""
    message = f.apply("mul", "edge", norm, x, rhs_via="src").named("message")
    return f.aggregate("sum", message, x.graph.dst, via="dst")


def gcn_layer(f, x, out, norm, prefix="", bias=True):
    """y[v] = sum over u -> v of norm * x[u] W + b."""
    weight = f.input(prefix + "weight", types.weight(*x.features, out))
    y = propagate(f, f.linear(x, weight).named("h"), norm)
    return layers.add_bias(f, y, prefix + "bias") if bias else y


def gcn(features=(64, 64), self_loops=True, bias=True):
    """PyG's GCNConv, stacked with relu. `features` are the sizes of the input and
    of each layer."""
    features = layers.check_features(features)
    module = Module("GCN: y[v] = sum over edges u -> v of\n"
                    "  x[u] W / sqrt(degree(u) degree(v)) + b,\n"
                    "on a graph where each node has one self loop.")
    g = module.graph("g")
    f = module.function("gcn")
    x = f.input("x", g.rows("node", features[0]))
    norm = gcn_norm(f, g, self_loops)
    y = layers.stack(f, x, [
        lambda h, prefix, out=out: gcn_layer(f, h, out, norm, prefix, bias)
        for out in features[1:]])
    f.output("out", y)
    return module


def sgc(in_features=64, out_features=64, hops=2, self_loops=True, bias=True):
    """PyG's SGConv with K = `hops`: propagation without weights, then one."""
    if hops < 1:
        raise ValueError(f"hops: expected at least 1, got {hops}")
    module = Module(f"SGC: {hops} hops of GCN's propagation, then one linear\n"
                    "layer, on a graph where each node has one self loop.")
    g = module.graph("g")
    f = module.function("sgc")
    x = f.input("x", g.rows("node", in_features))
    norm = gcn_norm(f, g, self_loops)
    for _ in range(hops):
        x = propagate(f, x, norm)
    weight = f.input("weight", types.weight(in_features, out_features))
    bias = f.input("bias", types.weight(out_features)) if bias else None
    f.output("out", f.linear(x, weight, bias))
    return module
