# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tensors that a model's graphs of several types are made of, vectors of types and the
joined edges of relations, by as few launches as one of them: a sampled batch has new ones in
each step."""

import itertools

import torch

from ... import device_build
from ..analysis.values import GETITEM
from ..tracing.vocabulary import OPS, direct, upload
from . import graph_cache

_READ = (torch.int64, torch.int32)


def made_together(like, vectors, pairs, wide):
    """Vectors of types, then edges [2, edges].

    `vectors` are lists of counts: each number as often as its count says. `pairs` are
    arguments of `typed_edges`, whose relations are the position of their vector. Where kernels
    write them they are int32, but int64 at the positions `wide`."""
    columns = _columns(vectors, pairs, like.device) if graph_cache.is_built_there(like) else None
    if columns is not None:
        made = device_build.written(columns, like.device)
        if made is not None:
            made = [x if len(x) > 1 else x[0] for x in made]
            return [x.long() if i in wide else x for i, x in enumerate(made)]
    made = list(_vectors(like, vectors))
    typed_edges = direct(OPS.typed_edges.default)
    return made + [typed_edges(*pair[:-1], made[pair[-1]]) for pair in pairs]


def _vectors(like, counts):
    ends = list(itertools.accumulate(itertools.chain(*counts)))
    numbers = [i for of in counts for i in range(len(of))]
    ends, numbers = upload([ends, numbers], like.device)
    sizes = list(map(sum, counts))
    found = torch.searchsorted(ends, torch.arange(sum(sizes), device=like.device), right=True)
    return numbers.index_select(0, found).split(sizes)


def _columns(vectors, pairs, device):
    """The argument of `device_build.written`: of each tensor its rows, and of each row its
    parts, (count, base, ids or None, limit). None where edges are not what their vector
    says, one relation behind another, or not what kernels read."""
    made = [[[(count, number, None, 0) for number, count in enumerate(counts)]]
            for counts in vectors]
    for edges, src_types, dst_types, src_counts, dst_counts, place in pairs:
        given = [pair for pair in edges if pair.shape[1]]
        relations = [i for i, count in enumerate(vectors[place]) if count]
        if [pair.shape[1] for pair in given] != [vectors[place][i] for i in relations] or any(
                pair.shape[0] != 2 or pair.device != device or pair.dtype not in _READ
                for pair in given):
            return None
        made.append([
            [(pair.shape[1], begins[types[i]], pair[end], counts[types[i]])
             for i, pair in zip(relations, given)]
            for end, (types, counts, begins) in enumerate((
                (src_types, src_counts, _begins(src_counts)),
                (dst_types, dst_counts, _begins(dst_counts))))])
    return made


def _begins(counts):
    return [0, *itertools.accumulate(counts)]


def join(graph, wide):
    """Makes one call of all `type_rows` and `typed_edges` of a graph that depend on none but
    those. The nodes `wide`, and what torch's ops read, stay int64."""
    vector, edge = map(direct, (OPS.type_rows.default, OPS.typed_edges.default))
    depends = {}

    def is_late(node):
        if node not in depends:
            depends[node] = node.target in (vector, edge) or any(
                map(is_late, node.all_input_nodes))
        return depends[node]

    def given(node):
        """The inputs of a node, besides the vector of relations."""
        return [x for x in node.all_input_nodes if x is not (
            node.args[-1] if node.target is edge else node.args[0])]
    vectors = [node for node in graph.nodes if node.target is vector and not any(
        map(is_late, given(node)))]
    pairs = [node for node in graph.nodes if node.target is edge and node.args[-1] in vectors
             and not any(map(is_late, given(node)))]
    some = next((node for node in graph.nodes if node.op == "placeholder" and isinstance(
        node.meta.get("val"), torch.Tensor)), None)
    if not vectors or some is None:
        return
    nodes = [*vectors, *pairs]
    before = set(itertools.takewhile(lambda node: node not in nodes, graph.nodes))
    first = next(node for node in graph.nodes if node in nodes)

    def move(node):
        if node not in before:
            before.add(node)
            for other in node.all_input_nodes:
                move(other)
            first.prepend(node)
    for node in nodes:
        for other in given(node):
            move(other)
    places = {}
    for node in vectors:
        places.setdefault(tuple(node.args[1]), len(places))
    at = {node: places[tuple(node.args[1])] for node in vectors}
    at |= {node: len(places) + i for i, node in enumerate(pairs)}
    wide = sorted({at[node] for node in nodes if node in wide or any(
        user.op != "output" and user.target not in (edge, vector, torch.ops.aten.sym_size.int)
        for user in node.users)})
    with graph.inserting_before(first):
        made = graph.call_function(made_together, (
            some, [list(counts) for counts in places],
            [(*node.args[:-1], at[node.args[-1]]) for node in pairs], wide))
        parts = [graph.call_function(GETITEM, (made, i))
                 for i in range(len(places) + len(pairs))]
    for node in nodes:
        node.replace_all_uses_with(parts[at[node]], lambda user: user not in nodes)
    for node in reversed(nodes):
        graph.erase_node(node)
