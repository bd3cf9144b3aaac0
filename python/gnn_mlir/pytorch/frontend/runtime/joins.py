# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Features of node types that programs read as the rows of both ends of a graph: one copy.

The sources of a layer may be other types than its destinations. Where the last types of one
join are the first of another, both are rows of one tensor.
"""

import operator

import torch


def share(graph, inputs, is_program):
    """Writes joins of some of `inputs` that programs alone read, of which one ends as another
    begins, as one. No input may have a gradient: the gradient of each part would be as large
    as the whole."""
    found = [node for node in graph.nodes if node.target is torch.cat and len(node.args) == 1 and
             set(node.args[0]) <= inputs and all(map(is_program, node.users))]
    while found:
        first = found.pop(0)
        for other in found:
            pair = next(((a, b) for a, b in ((first, other), (other, first))
                         if _overlap(a.args[0], b.args[0])), None)
            if pair is not None:
                found.remove(other)
                _write(graph, first, *pair)
                break


def _overlap(first, last):
    """How many of the first of `last` are the last of `first`."""
    return next((n for n in range(min(len(first), len(last)), 0, -1)
                 if first[-n:] == last[:n]), 0)


def _write(graph, place, *pair):
    first, last = (list(node.args[0]) for node in pair)
    count = _overlap(first, last)
    with graph.inserting_before(place):
        both = graph.call_function(overlapping, (
            len(first) - count, len(first), *first, *last[count:]))
        parts = [graph.call_function(operator.getitem, (both, i)) for i in range(2)]
    for node, part in zip(pair, parts):
        node.replace_all_uses_with(part)
        graph.erase_node(node)


def overlapping(begin, end, *parts):
    """Tensors behind each other: those before `end`, and those from `begin` on."""
    whole, sizes = torch.cat(parts), [len(part) for part in parts]
    return whole[:sum(sizes[:end])], whole[sum(sizes[:begin]):]
