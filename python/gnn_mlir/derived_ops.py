# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops between rows of derived graphs and those of their parents."""

from . import reference
from .ops import _arrow, _require, _rows, checked


def _looped(op, graph, parent):
    """Raises ValueError unless `graph` is `parent` with new self loops."""
    _require(parent is not None and graph.parent == parent and
             graph.loop_type is not None, op,
             "expected a graph with new self loops" +
             (f" derived from {parent.name}" if parent else "") + f", got {graph.name}")


@checked
class DerivedOps:
    """Methods of a function: rows of graphs that are made of edges of
    others."""

    def restrict_rows(self, x, graph):
        """The rows of edges, pairs or edge types that a derived graph has."""
        _rows("restrict_rows", x)
        kinds = ("edge", "edge_type", "src_pair", "dst_pair")
        _require(x.space in kinds, "restrict_rows",
                 f"expected rows of {', '.join(kinds)}, got {x.space}")
        _require(graph.parent is not None and graph.parent.name == x.graph.name,
                 "restrict_rows", "expected a graph derived from "
                 f"{x.graph.name}, got {graph.name}")
        _require(graph.loop_type is None, "restrict_rows", "expected a graph without "
                 f"new self loops, got {graph.name}: extend_edges gives rows there")
        result = graph.rows(x.space, *x.features).with_dtype(x.type.dtype)
        space, name = x.space, x.graph.name
        return self._record(
            "gnn.restrict_rows", "{}", _arrow(x, result), [x], [result],
            lambda g, a: reference.restrict_rows(g[name], a, space,
                                                 graph.parent_types, graph.loops))

    def expand_rows(self, x, graph):
        """Rows of a derived graph among those of its parent, which are 0 else."""
        _rows("expand_rows", x)
        kinds = ("edge", "edge_type", "src_pair", "dst_pair")
        _require(x.space in kinds, "expand_rows",
                 f"expected rows of {', '.join(kinds)}, got {x.space}")
        part = x.graph
        _require(part.parent is not None and part.parent.name == graph.name,
                 "expand_rows", f"expected rows of a graph derived from "
                 f"{graph.name}, got rows of {part.name}")
        _require(x.space == "edge" or part.loop_type is None, "expand_rows",
                 f"expected edge rows of {part.name}, which has new self loops, got "
                 f"{x.space}")
        result = graph.rows(x.space, *x.features).with_dtype(x.type.dtype)
        space, name = x.space, graph.name
        return self._record(
            "gnn.expand_rows", "{}", _arrow(x, result), [x], [result],
            lambda g, a: reference.expand_rows(g[name], a, space,
                                               part.parent_types, part.loops))

    def extend_edges(self, edges, nodes, graph):
        """Rows of the edges of a graph with new self loops: those of its parent's
        edges, and for a new loop the row of its node."""
        for x, space in ((edges, "edge"), (nodes, "node")):
            _rows("extend_edges", x)
            _require(x.space == space, "extend_edges",
                     f"expected {space} rows, got {x.space}")
        _looped("extend_edges", graph, edges.graph)
        _require(nodes.graph == edges.graph and nodes.features == edges.features,
                 "extend_edges", f"expected node rows of {edges.graph.name} with features "
                 f"{edges.features}, got {nodes.features} of {nodes.graph.name}")
        result = graph.rows("edge", *edges.features)
        name, loops = edges.graph.name, graph.loops
        return self._record(
            "gnn.extend_edges", "{}, {}", lambda spell: (
                f"{spell(edges.type)}, {spell(nodes.type)} -> {spell(result)}"),
            [edges, nodes], [result],
            lambda g, a, b: reference.extend_edges(g[name], a, b, loops))

    def loop_rows(self, x):
        """The rows of new self loops as rows of the parent's nodes, which are 0 where
        a node has no new one."""
        _rows("loop_rows", x)
        _require(x.space == "edge", "loop_rows", f"expected edge rows, got {x.space}")
        _looped("loop_rows", x.graph, x.graph.parent)
        result = x.graph.parent.rows("node", *x.features)
        name, loops = x.graph.parent.name, x.graph.loops
        return self._record("gnn.loop_rows", "{}", _arrow(x, result), [x], [result],
                            lambda g, a: reference.loop_rows(g[name], a, loops))
