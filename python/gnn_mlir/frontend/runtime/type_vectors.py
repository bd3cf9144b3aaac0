# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The vectors of types of a model's graphs, made by as few launches as one of them: a
sampled batch has new ones in each step."""

import itertools

import torch

from ..functional.lowering import GETITEM
from ..tracing.vocabulary import OPS, direct, upload


def made_together(like, *counts):
    """Of several lists of counts: each number as often as its count says."""
    ends = list(itertools.accumulate(itertools.chain(*counts)))
    numbers = [i for of in counts for i in range(len(of))]
    ends, numbers = upload([ends, numbers], like.device)
    sizes = list(map(sum, counts))
    found = torch.searchsorted(ends, torch.arange(sum(sizes), device=like.device), right=True)
    return numbers.index_select(0, found).split(sizes)


def join(graph):
    """Makes one call of all `type_rows` of a graph whose counts no other of them says."""
    target, before = direct(OPS.type_rows.default), set()
    nodes = [node for node in graph.nodes if node.target is target]
    depends = {}

    def is_late(node):
        if node not in depends:
            depends[node] = node.target is target or any(map(is_late, node.all_input_nodes))
        return depends[node]
    nodes = [node for node in nodes if not any(map(is_late, _counts(node)))]
    some = next((node for node in graph.nodes if node.op == "placeholder" and isinstance(
        node.meta.get("val"), torch.Tensor)), None)
    if len(nodes) < 2 or some is None:
        return
    first = nodes[0]
    for node in graph.nodes:
        if node is first:
            break
        before.add(node)

    def move(node):
        if node not in before:
            before.add(node)
            for other in node.all_input_nodes:
                move(other)
            first.prepend(node)
    for node in nodes:
        for count in _counts(node):
            move(count)
    places = {}
    for node in nodes:
        places.setdefault(tuple(node.args[1]), len(places))
    with graph.inserting_before(first):
        made = graph.call_function(made_together, (some, *map(list, places)))
        parts = [graph.call_function(GETITEM, (made, i)) for i in range(len(places))]
    for node in nodes:
        node.replace_all_uses_with(parts[places[tuple(node.args[1])]])
    for node in reversed(nodes):
        graph.erase_node(node)


def _counts(node):
    return [count for count in node.args[1] if isinstance(count, torch.fx.Node)]
