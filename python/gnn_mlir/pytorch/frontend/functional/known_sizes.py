# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sizes of computed values, read from inputs that have them.

A layer that is traced by itself asks its inputs for their sizes, and behind another layer
these are values of a program. A program that needs such a number would have to wait for the
one that computes the value, although an input, or ids that no program computes, has as many
rows: by torch's symbols, of which those that a guard has made equal are one.
"""

import torch

from ..analysis.values import has_gradient, is_random, symbols_of

aten = torch.ops.aten


def rewrite(graph):
    """Rewrites a functional graph in place: a size is read where the graph has it first. Those
    that nothing has that is known before the programs run stay as they are."""
    known = _Known(graph)
    for node in list(graph.nodes):
        if node.target == aten.sym_size.int and (size := known.read(node)) is not None:
            node.replace_all_uses_with(size)
            graph.erase_node(node)
        elif known.is_before(node):
            known.add(node)


class _Known:
    """The sizes that are known before any program has run: those of inputs, and of what is
    made of integers and of such sizes alone."""

    def __init__(self, graph):
        self._graph, self._sizes, self._before = graph, {}, set()
        self._last = next((node for node in reversed(graph.nodes)
                           if node.op == "placeholder"), None)

    def is_before(self, node):
        """Whether a node has such sizes."""
        if node.op == "placeholder":
            return True
        return node.op == "call_function" and not is_random(node) and (
            not has_gradient(node.meta.get("val"))) and all(
                x in self._before or x.op == "placeholder" and node.target == aten.sym_size.int
                for x in node.all_input_nodes)

    def add(self, node):
        """Notes such a node, with the sizes that no node before it has."""
        value = node.meta.get("val")
        if not has_gradient(value):
            self._before.add(node)
        if isinstance(value, torch.SymInt):
            self._sizes.setdefault(symbols_of(value), node)
        elif isinstance(value, torch.Tensor):
            for dim, size in enumerate(value.shape):
                self._sizes.setdefault(symbols_of(size), (node, dim))

    def read(self, node):
        """The node of the size that another node asks for, or None where it is that node or
        there is none."""
        size = symbols_of(node.meta["val"])
        found = self._sizes.get(size) if size is not None else None
        if isinstance(found, tuple):
            x, dim = found
            if (x, dim) == node.args:
                self._sizes[size] = node
                return None
            with self._graph.inserting_after(self._last if x.op == "placeholder" else x):
                made = self._graph.call_function(aten.sym_size.int, (x, dim))
            made.meta = {**node.meta, "val": x.meta["val"].shape[dim]}
            self._before.add(made)
            found = self._sizes[size] = made
        return found
