# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts of random programs on graphs with other self loops than the program's, which
begin and end with rows of the program's graph. As `random_ops`."""

from gnn_mlir.graph_functions import LOOPS
from .random_ops import REDUCE


def _other_loops(t):
    """The arguments of `recorded` for such a graph: how, and the type of new self
    loops."""
    if not t.made.g.square:
        raise ValueError("expected a square graph")
    loops, kinds = t.rng.choice(LOOPS), t.graph.num_edge_types
    if loops == "remove":
        return loops, 0
    return loops, kinds if t.graph.schema or t.coin() else t.rng.randrange(kinds)


def _edges(t, loops, features):
    """Edge rows of such a graph: of edges and nodes, of an end, or new ones."""
    kind = t.rng.choice(("extend", "extend", "extend", "end", "input"))
    if kind == "end":
        nodes = t.call("rebind_rows", t.rows("node", features),
                       arguments=(loops, "node"))
        return t.call("gather", nodes, arguments=("edge", t.rng.choice(("src", "dst"))))
    if kind == "input":
        return t.call("input", arguments=("edge", features, loops))
    edges = t.rows("edge", features)
    if loops[0] == "remove":
        return t.call("restrict_rows", edges, arguments=(loops,))
    return t.call("extend_edges", edges, t.rows("node", features), arguments=(loops,))


def _features(t):
    return t.rng.choice(((), (t.heads,), (t.size,), (t.heads, t.size)))


def _to_nodes(t, edges, reduce):
    """Edge rows as node rows of the program's graph: by an end, or by pairs."""
    end = t.rng.choice(("src", "dst", "dst"))
    if t.coin(0.3):
        edges = t.call("aggregate", edges, arguments=(reduce, end + "_pair", None))
        nodes = t.call("aggregate", edges, arguments=("sum", "node", None))
    else:
        nodes = t.call("aggregate", edges, arguments=(reduce, "node", end))
    return t.call("rebind_rows", nodes, arguments=(None, "node"))


def rows_of_loops(t):
    """Edge rows of edges and of new self loops, as rows of edges or nodes again."""
    loops = _other_loops(t)
    edges = _edges(t, loops, _features(t))
    if t.coin():
        edges = t.call("activation", edges, arguments=("tanh", None))
    if t.coin(0.3):
        edges = t.call("mul", edges, _edges(t, loops, t.value(edges).features))
    kind = t.rng.choice(("loops", "loops", "loops", "edges", "nodes"))
    if kind == "loops" and loops[0] != "remove":
        return t.call("loop_rows", edges)
    if kind == "edges":
        return t.call("expand_rows", edges, arguments=(None,))
    return _to_nodes(t, edges, t.rng.choice(REDUCE))


def weighted_sum(t):
    """GCN's: edges have weights, whose sum at their ends divides them."""
    loops = _other_loops(t)
    weight = t.call("smooth", _edges(t, loops, ()), arguments=("tanh", "sqrt"))
    total = t.call("aggregate", weight, arguments=("sum", "node", "dst"))
    norm = t.call("smooth", total, arguments=("rsqrt",))
    for end in ("src", "dst"):
        weight = t.call("apply", weight, norm, arguments=("mul", "edge", None, end))
    x = t.call("rebind_rows", t.rows("node", (t.size,)), arguments=(loops, "node"))
    y = t.call("apply", weight, x, arguments=("mul", "edge", None, "src"))
    return _to_nodes(t, y, "sum")


def attention(t):
    """GAT's with features of edges, of which self loops have others; heads side by side
    or their mean."""
    loops, heads = _other_loops(t), t.rng.choice(((), (t.heads,)))
    side = t.call("rebind_rows", t.rows("node", heads), arguments=(loops, "node"))
    score = t.call("apply", _edges(t, loops, heads), side, arguments=(
        "add", "edge", None, t.rng.choice(("src", "dst"))))
    score = t.call("activation", score, arguments=("leaky_relu", 0.2))
    weight = t.call("edge_softmax", score, arguments=(
        t.rng.choice(("dst", "dst", "src", "dst_pair")),))
    x = t.call("rebind_rows", t.rows("node", (*heads, t.size)),
               arguments=(loops, "node"))
    y = _to_nodes(t, t.call("apply", weight, x, arguments=(
        "mul", "edge", None, "src")), "sum")
    if not heads:
        return y
    if t.coin():
        return t.call("reduce_heads", y, arguments=("mean",))
    return t.call("flatten", y)


def relational(t):
    """A weight of each type, of which new self loops may have one of their own."""
    loops = _other_loops(t)
    x = t.call("rebind_rows", t.rows("node", (t.size,)), arguments=(loops, "node"))
    rows = t.call("gather", x, arguments=(
        ("edge", "src") if t.coin() else ("src_pair", None)))
    weight = t.call("input", arguments=("edge_type", ((x, -1), 3), loops))
    rows = t.call("typed_linear", rows, weight, arguments=(None,))
    if t.value(rows).space == "src_pair":
        rows = t.call("gather", rows, arguments=("edge", None))
    return _to_nodes(t, rows, t.rng.choice(REDUCE))


SELF_LOOPS = (rows_of_loops, rows_of_loops, rows_of_loops, weighted_sum, attention, relational)
