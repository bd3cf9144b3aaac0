# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CompGCN (Vashishth et al., 2020): a message composes the source with an
embedding of the edge's relation, which the layer transforms as well.

Edge types have a direction each (the paper's: as given, inverse), and each
direction its own weight. Loops have a weight and an embedding besides and need
no edges.
"""

from .. import types
from ..program import Module
from . import layers

_COMPOSITIONS = ("sub", "mul")


def compgcn_layer(f, x, z, out, direction, prefix="", composition="sub",
                  aggregation="mean", bias=True):
    """y[v] = aggregation over u -> v of type r of (x[u] op z[r]) W[dir(r)]
            + (x[v] op loop) L + b, and z' = z Z for relations.

    `z` are the embeddings, rows of edge types as wide as `x`; `direction` says
    [edge type, direction] by 1 and 0. Returns (y, z')."""
    if composition not in _COMPOSITIONS:
        raise ValueError("composition: expected one of "
                         f"{', '.join(_COMPOSITIONS)}, got {composition!r}")
    if aggregation not in ("mean", "sum"):
        raise ValueError("aggregation: expected mean or sum, got "
                         f"{aggregation!r}")
    g, size = x.graph, x.features[0]
    bases = f.input(prefix + "weight",
                    types.weight(direction.features[0], size, out))
    weight = f.weight_combine(direction, bases).named("by_relation")
    message = f.apply(composition, "edge", x, z, "src").named("composed")
    message = f.typed_linear(message, weight).named("message")
    y = f.aggregate(aggregation, message, g.dst, via="dst")

    loop = f.broadcast(f.input(prefix + "loop", types.weight(size)), x.type)
    own = x - loop if composition == "sub" else x * loop
    y = y + f.linear(own, f.input(prefix + "loop_weight",
                                  types.weight(size, out)))
    y = layers.add_bias(f, y, prefix + "bias") if bias else y
    relation = f.input(prefix + "relation_weight", types.weight(size, out))
    return y, f.linear(z, relation)


def compgcn(edge_types, features=(64, 64), composition="sub",
            aggregation="mean", bias=True, directions=2, node_types=1):
    """CompGCN, stacked with relu. Results are `out` and the relations' `z_out`.

    The input `direction` gives each edge type its direction; for a graph of
    `add_inverses` it is 1 in the first column for the first half of the types and
    in the second for the others."""
    features = layers.check_features(features)
    sign = {"sub": "-", "mul": "*"}.get(composition, composition)
    module = Module(f"CompGCN: y[v] = {aggregation} over edges u -> v of type r of\n"
                    f"  (x[u] {sign} z[r]) W[direction(r)], plus (x[v] {sign} loop)"
                    " L" + (" + b" if bias else "") + ";\nrelations become z Z.")
    g = module.graph("g", node_types=node_types, edge_types=edge_types)
    f = module.function("compgcn")
    x = f.input("x", g.rows("node", features[0]))
    z = f.input("z", g.rows("edge_type", features[0]))
    direction = f.input("direction", g.rows("edge_type", directions))

    def layer(h, prefix, out):
        nonlocal z
        h, z = compgcn_layer(f, h, z, out, direction, prefix, composition,
                             aggregation, bias)
        return h

    y = layers.stack(f, x, [lambda h, prefix, out=out: layer(h, prefix, out)
                            for out in features[1:]])
    f.output("out", y)
    f.output("z_out", z)
    return module
