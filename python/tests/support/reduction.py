# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a failing program small: fewer results, ops replaced by inputs or by an
operand, smaller features, a smaller graph, as long as it still fails."""

import time

import numpy as np

from gnn_mlir.graph import Graph
from .recorded import Call, made_of


def reduce(recorded, fails, seconds=60.0):
    """A smaller program for which `fails` is still true. Programs that cannot be
    built do not fail."""
    end = time.monotonic() + seconds
    seen = set()

    def still(candidate):
        if time.monotonic() > end:
            return False
        key = candidate.calls, candidate.results, candidate.stats, id(
            candidate.graph)
        if key in seen:
            return False
        seen.add(key)
        try:
            return fails(candidate)
        except (ValueError, IndexError):
            return False

    graphs = []  # Keeps graphs, and so their ids, alive.
    while True:
        for step in (_results, _whole, _ops, _loops, _sizes, _graph, _stats):
            for candidate in step(recorded):
                graphs.append(candidate.graph)
                if still(candidate):
                    recorded = candidate
                    break
            else:
                continue
            break
        else:
            return compact(recorded)


def compact(recorded):
    """The same without calls that no result needs. Inputs keep their values:
    these go by the number of the call, so calls stay where they are."""
    needed = set(recorded.needed())
    return recorded.replace(calls=tuple(
        call if i in needed else Call("input", (), (None, (1,)))
        for i, call in enumerate(recorded.calls)))


def _results(recorded):
    """One result alone; then all but one."""
    if len(recorded.results) > 1:
        for result in recorded.results:
            yield recorded.replace(results=(result,))
        for i in range(len(recorded.results)):
            yield recorded.replace(results=recorded.results[:i] +
                                   recorded.results[i + 1:])


def _whole(recorded):
    """The whole graph instead of those that are derived from it."""
    for i in recorded.needed():
        call = recorded.calls[i]
        if call.kind in ("rebind_rows", "restrict_rows", "expand_rows", "extend_edges"):
            recorded = _instead(recorded, i, call.operands[0])
        elif call.kind == "loop_rows":
            recorded = _with(recorded, i, Call("aggregate", call.operands, (
                "sum", "node", "dst")))
        elif call.kind == "input":
            recorded = _with(recorded, i, Call("input", (), call.arguments[:2]))
    yield recorded


def _ops(recorded):
    """A result or an operand earlier in the program; ops become inputs or one of
    their operands."""
    values = recorded.build().results
    for i in recorded.needed():
        call = recorded.calls[i]
        if call.kind == "input":
            continue
        value = values[i][0]
        if any(i == result for result, _ in recorded.results) and len(
                recorded.results) == 1:
            for operand in call.operands:
                if recorded.calls[operand].kind != "input":
                    yield recorded.replace(results=((operand, 0),))
        if value.type.dtype == "f32":
            yield _with(recorded, i, Call("input", (), (
                value.space, value.features, made_of(value.graph))))
        for operand in call.operands:
            if values[operand][0].type == value.type:
                yield _instead(recorded, i, operand)


def _loops(recorded):
    """A loop of one yield; then with a step that an input or an earlier value is read
    for."""
    for i in recorded.needed():
        call = recorded.calls[i]
        if call.kind != "loop":
            continue
        over, steps, yields, plain = call.arguments
        if len(yields) > 1:
            for j, kept in enumerate(yields):
                results = tuple((c, 0 if c == i else which)
                                for c, which in recorded.results
                                if (c, which) == (i, j) or c != i)
                if results:
                    yield _with(recorded, i, Call("loop", call.operands, (
                        over, steps, (kept,), plain))).replace(results=results)
        for smaller in _bodies(steps, yields):
            yield _with(recorded, i, Call("loop", call.operands, (
                over, *smaller, plain)))


def _bodies(steps, yields):
    """Smaller bodies: an earlier value is yielded or read instead of a later one."""
    for j, (ref, *rest) in enumerate(yields):
        if ref[0] == 0:
            for earlier in steps[ref[1]][1]:
                yield steps, (*yields[:j], (earlier, *rest), *yields[j + 1:])
    for j, (kind, refs, arguments) in enumerate(steps):
        for k, ref in enumerate(refs):
            for earlier in steps[ref[1]][1] if ref[0] == 0 else ():
                yield (*steps[:j], (kind, (*refs[:k], earlier, *refs[k + 1:]),
                                    arguments), *steps[j + 1:]), yields
        if kind == "inner":
            for smaller in _bodies(*arguments[2:]):
                yield (*steps[:j], (kind, refs, (*arguments[:2], *smaller)),
                       *steps[j + 1:]), yields


def _with(recorded, number, call):
    calls = list(recorded.calls)
    calls[number] = call
    return recorded.replace(calls=tuple(calls))


def _instead(recorded, number, other):
    """Reads `other` where `number` was read."""
    def swap(i):
        return other if i == number else i

    return recorded.replace(
        calls=tuple(Call(c.kind, tuple(map(swap, c.operands)), c.arguments)
                    for c in recorded.calls),
        results=tuple((swap(i), 0 if i == number else which)
                      for i, which in recorded.results))


def _sizes(recorded):
    """Feature sizes of inputs, wherever they occur."""
    needed = set(recorded.needed())
    inputs = [c for i, c in enumerate(recorded.calls)
              if i in needed and c.kind == "input"]
    sizes = {n for c in inputs for n in c.arguments[1] if isinstance(n, int)}
    for size in sorted(sizes, reverse=True):
        for smaller in sorted({1, size // 2, size - 1}):
            if 0 < smaller < size:
                yield recorded.replace(calls=tuple(
                    Call(c.kind, (), (c.arguments[0], tuple(
                        smaller if n == size else n for n in c.arguments[1]),
                        *c.arguments[2:]))
                    if c.kind == "input" else c for c in recorded.calls))


def _graph(recorded):
    """Fewer edges, then no nodes without edges, then fewer types."""
    graph = recorded.graph
    edges, piece = np.arange(graph.num_edges), graph.num_edges
    while piece > 1:
        piece = -(-piece // 2)
        for begin in range(0, graph.num_edges, piece):
            kept = np.r_[edges[:begin], edges[begin + piece:]]
            if len(kept) < graph.num_edges:
                yield recorded.replace(graph=_rebuilt(graph, edges=kept))
        if piece == 1:
            break
    if graph.num_edges == 1:
        yield recorded.replace(graph=_rebuilt(graph, edges=edges[:0]))
    for end in ("src", "dst"):
        count = graph.num_src_nodes if end == "src" else graph.num_dst_nodes
        used = graph.ends(end)
        if graph.square:
            used = np.r_[graph.edge_src, graph.edge_dst]
        for kept in (np.unique(used), np.union1d(used, np.arange(count // 2))):
            if len(kept) < count:
                yield recorded.replace(graph=_rebuilt(graph, nodes={end: kept}))
    if graph.num_edge_types > 1:
        yield recorded.replace(graph=_rebuilt(graph, edge_types=1))
    if graph.num_node_types > 1:
        yield recorded.replace(graph=_rebuilt(graph, node_types=1))
    if graph.schema is not None:
        yield recorded.replace(graph=_rebuilt(graph, schema=False))


def _rebuilt(graph, edges=None, nodes=None, edge_types=None, node_types=None,
             schema=True):
    """The graph with some of its edges or nodes, or with merged types."""
    edges = np.arange(graph.num_edges) if edges is None else edges
    kept = {end: np.arange(count) for end, count in (
        ("src", graph.num_src_nodes), ("dst", graph.num_dst_nodes))}
    kept.update(nodes or {})
    if graph.square and nodes:
        kept = dict.fromkeys(kept, next(iter(nodes.values())))
    place = {end: np.searchsorted(kept[end], graph.ends(end)[edges])
             for end in kept}
    kinds = {end: graph.node_types_at(end)[kept[end]] * (node_types is None)
             for end in kept}
    own = dict(num_nodes=len(kept["src"]), node_type=kinds["src"]) if (
        graph.square) else dict(
            num_src_nodes=len(kept["src"]), num_dst_nodes=len(kept["dst"]),
            src_node_type=kinds["src"], dst_node_type=kinds["dst"])
    keeps = schema and edge_types is None and node_types is None
    return Graph(place["src"], place["dst"],
                 edge_type=graph.edge_type[edges] * (edge_types is None),
                 num_edge_types=edge_types or graph.num_edge_types,
                 num_node_types=node_types or graph.num_node_types,
                 schema=graph.schema if keeps else None, **own)


def _stats(recorded):
    if recorded.stats:
        yield recorded.replace(stats=False)


def describe(recorded):
    """The program as IR and the graph as a call, to paste."""
    graph = recorded.graph
    ends = (f"num_nodes={graph.num_nodes}, node_type={graph.node_type.tolist()}"
            if graph.square else
            f"num_src_nodes={graph.num_src_nodes}, "
            f"num_dst_nodes={graph.num_dst_nodes}, "
            f"src_node_type={graph.src_node_type.tolist()}, "
            f"dst_node_type={graph.dst_node_type.tolist()}")
    return (f"{recorded.build().function.module.text()}\n"
            f"Graph({graph.edge_src.tolist()}, {graph.edge_dst.tolist()}, {ends}, "
            f"edge_type={graph.edge_type.tolist()}, "
            f"num_edge_types={graph.num_edge_types}, "
            f"num_node_types={graph.num_node_types}, schema={graph.schema})")
