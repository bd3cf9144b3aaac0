# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GIN (Xu et al., 2019) as PyG's GINConv defines it, with a network of two linear
layers and a relu between them."""

from .. import types
from . import layers


def gin_layer(f, x, hidden, out, prefix="", eps=0.0, train_eps=False):
    """y[v] = relu(((1 + eps) x[v] + sum over u -> v of x[u]) W1 + b1) W2 + b2.
    With `train_eps` eps is an input [1]."""
    layers.describe(f, prefix, "gin", eps=None if train_eps else eps,
                    train_eps=train_eps)
    message = f.gather(x, "edge", via="src").named("message")
    near = f.aggregate("sum", message, x.graph.dst, via="dst")
    if train_eps:
        factor = f.reshape(f.input(prefix + "eps", types.weight(1)))
        h = near + x + x * f.broadcast(factor, x.type)
    else:
        h = near + (x if eps == 0 else x * (1 + eps))
    for i, (size, next_size) in enumerate(((x.features[0], hidden),
                                           (hidden, out))):
        weight = f.input(f"{prefix}weight{i + 1}", types.weight(size, next_size))
        bias = f.input(f"{prefix}bias{i + 1}", types.weight(next_size))
        h = f.linear(h, weight, bias)
        h = f.activation("relu", h) if i == 0 else h
    return h


def gin(features=(64, 64), hidden=None, eps=0.0, train_eps=False):
    """PyG's GINConv, stacked with relu. `hidden` is the size inside each layer's
    network, as large as its output where not given. With `train_eps` eps is an
    input of each layer."""
    features = layers.check_features(features)
    return layers.stacked(
        "GIN: y[v] = mlp((1 + eps) x[v] + sum over edges u -> v of "
        f"x[u]), eps = {'an input' if train_eps else eps}.", "gin", features,
        lambda f, x, out, prefix, last: gin_layer(
            f, x, hidden or out, out, prefix, eps, train_eps))
