# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GCN (Kipf and Welling, 2017) and SGC (Wu et al., 2019) as PyG defines them.

With `self_loops` (PyG's add_self_loops) their graph needs one at each node:
`add_self_loops(graph, "replace", 0)`.
"""

from dataclasses import dataclass
from typing import Optional

from .. import types
from ..program import Module, Value
from . import layers


@dataclass(frozen=True)
class Norm:
    """The weights of edges, None for 1 each, and how they were made."""

    weight: Optional[Value]
    self_loops: bool = False


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
    norm = f.apply("mul", "edge", scale, scale, "src", "dst").named("norm")
    return Norm(norm, self_loops)


def propagate(f, x, norm):
    """y[v] = sum over edges u -> v of norm * x[u]."""
    if norm.weight is None:
        message = f.gather(x, "edge", via="src").named("message")
    else:
        message = f.apply("mul", "edge", norm.weight, x,
                          rhs_via="src").named("message")
    return f.aggregate("sum", message, x.graph.dst, via="dst")


def gcn_layer(f, x, out, norm, prefix="", bias=True):
    """y[v] = sum over u -> v of norm * x[u] W + b, where `norm` is `gcn_norm`'s,
    or Norm(None) for a plain sum."""
    layers.describe(f, prefix, "gcn", self_loops=norm.self_loops,
                    normalize=norm.weight is not None)
    weight = f.input(prefix + "weight", types.weight(*x.features, out))
    y = propagate(f, f.linear(x, weight).named("h"), norm)
    return layers.add_bias(f, y, prefix + "bias") if bias else y


def gcn(features=(64, 64), self_loops=None, bias=True, normalize=True):
    """PyG's GCNConv, stacked with relu. `features` are the sizes of the input and
    of each layer. Without `normalize` the sum is plain, and needs no self loops,
    which are for a norm alone."""
    features = layers.check_features(features)
    self_loops = normalize if self_loops is None else self_loops
    if self_loops and not normalize:
        raise ValueError("self_loops: expected False without normalize, got True")
    module = Module("GCN: y[v] = sum over edges u -> v of\n  x[u] W"
                    + (" / sqrt(degree(u) degree(v))" if normalize else "")
                    + (" + b" if bias else "")
                    + layers.loops_text(self_loops))
    g = module.graph("g", self_loops=self_loops)
    f = module.function("gcn")
    x = f.input("x", g.rows("node", features[0]))
    norm = gcn_norm(f, g, self_loops) if normalize else Norm(None)
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
                    "layer" + layers.loops_text(self_loops))
    g = module.graph("g", self_loops=self_loops)
    f = module.function("sgc")
    x = f.input("x", g.rows("node", in_features))
    norm = gcn_norm(f, g, self_loops)
    layers.describe(f, "", "sgc", self_loops=self_loops, hops=hops)
    for _ in range(hops):
        x = propagate(f, x, norm)
    weight = f.input("weight", types.weight(in_features, out_features))
    bias = f.input("bias", types.weight(out_features)) if bias else None
    f.output("out", f.linear(x, weight, bias))
    return module
