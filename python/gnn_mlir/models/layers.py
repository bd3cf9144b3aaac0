# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Common parts of the models: biases, stacks of layers, typed inputs."""

from collections.abc import Iterable

from .. import types
from ..program import Module


def add_bias(f, x, name):
    """x + an input `name`, one bias a feature for all rows."""
    bias = f.input(name, types.weight(*x.features))
    return x + f.broadcast(bias, x.type)


def add_residual(f, y, x, prefix):
    """y + x R, with R an input `prefix`residual."""
    weight = f.input(prefix + "residual", types.weight(*x.features, *y.features))
    return y + f.linear(x, weight)


def linear(f, x, out, prefix, bias=True):
    """x W + b, with inputs `prefix`weight and `prefix`bias."""
    weight = f.input(prefix + "weight", types.weight(*x.features, out))
    bias = f.input(prefix + "bias", types.weight(out)) if bias else None
    return f.linear(x, weight, bias)


def describe(f, prefix, kind, **options):
    """Keeps what the layer with that prefix is: `pyg.weights` takes layers with
    the same options only."""
    f.layers[prefix] = kind, options


def stack(f, x, layers, activation="relu"):
    """Runs `layers`, functions of (x, prefix), with an activation between them.

    Weights of layer i get the prefix "layer<i>_", those of a single layer none.
    """
    for i, layer in enumerate(layers):
        prefix = f"layer{i + 1}_" if len(layers) > 1 else ""
        if len(layers) > 1:
            f.comment(f"Layer {i + 1}.")
        x = layer(x, prefix)
        if i + 1 < len(layers):
            x = f.activation(activation, x)
    return x


def stacked(text, name, features, layer, **graph):
    """A module with layers of these sizes on the nodes of a graph that is declared so, and
    relu between them. `layer` is a function of (f, x, size of the output, prefix, whether
    it is the last one)."""
    module = Module(text)
    g = module.graph("g", **graph)
    f = module.function(name)
    x = f.input("x", g.rows("node", features[0]))
    last = len(features) - 1
    f.output("out", stack(f, x, [
        lambda h, prefix, out=out, i=i: layer(f, h, out, prefix, i == last)
        for i, out in enumerate(features[1:], 1)]))
    return module


def block_stack(module, f, features, layer, node_types=1, edge_types=1):
    """Runs layers over sampled blocks, one bipartite graph a layer, from an input x at
    the sources of the first one. `layer` is a function of (x at sources, x at
    destinations, size of the output, prefix)."""
    blocks = [module.graph(f"block{i}", square=False, node_types=node_types,
                           edge_types=edge_types) for i in range(1, len(features))]
    x = f.input("x", blocks[0].rows("src", features[0]))

    def over(block, out):
        def run(h, prefix):
            if h.graph is not block:
                h = f.rebind_rows(h, block, "src")
            return layer(h, f.prefix_rows(h), out, prefix)
        return run
    return stack(f, x, [over(block, out) for block, out in zip(blocks, features[1:])])


def blocks_text(features):
    """The end of a model's description."""
    return (f",\nover {len(features) - 1} sampled blocks: the destinations of a block "
            "are its first\nsources, and the sources of the next.")


def loops_text(self_loops):
    """The end of a model's description."""
    return (",\non a graph where each node has one self loop." if self_loops else
            ".")


def check_features(features):
    """The sizes of a stack: input, hidden layers, output."""
    if isinstance(features, str) or not isinstance(features, Iterable):
        raise ValueError("features: expected sizes of input and output at least, such as "
                         f"(16, 8), got {features!r}")
    features = tuple(features)
    if len(features) < 2:
        raise ValueError("features: expected sizes of input and output at least, "
                         f"got {features}")
    return tuple(types.integer("features", size, 1) for size in features)


def head_size(out, heads):
    """The features of one head, where all heads together have `out`."""
    if heads < 1 or out % heads:
        raise ValueError(f"expected heads that divide {out} features, got {heads}")
    return out // heads


def join_heads(f, x, concat):
    """[rows, heads, d] to [rows, heads * d], or to the mean over heads."""
    if concat:
        return f.reshape(x, x.features[0] * x.features[1])
    return f.reduce_heads("mean", x)


def node_features(f, graph, in_features, name="x"):
    """The node features of a model as a list of (width, value) over all nodes.

    `in_features` is one width for all nodes, or a dict from node type to width:
    then the input is a dict by node type, and there is one value for each width,
    0 at nodes of other widths."""
    if not isinstance(in_features, dict):
        return [(in_features, f.input(name, graph.rows("node", in_features)))]
    return f.typed_input(name, graph, in_features)


def project(f, parts, out, name):
    """One typed projection a width, added up. The weights are inputs `name`, or
    `name`_<width> where there are several widths."""
    total = None
    for width, x in parts:
        weight = f.input(name if len(parts) == 1 else f"{name}_{width}",
                         x.graph.rows("node_type", width, out))
        y = f.typed_linear(x, weight)
        total = y if total is None else total + y
    return total
