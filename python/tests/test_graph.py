# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs: what they refuse, their files, and graphs made from graphs."""

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir import Graph
from naive import graphs

REFUSED = {
    "edge_src: expected ids from 0 to 2, got 3 at 1":
        lambda: Graph([0, 3], [0, 1], 3),
    "edge_dst: expected ids from 0 to 2, got -1 at 0":
        lambda: Graph([0, 1], [-1, 1], 3),
    r"edge_dst: expected shape \(2,\), got shape \(1,\)":
        lambda: Graph([0, 1], [0], 3),
    "edge_src: expected integers, got float64": lambda: Graph([0.5], [0], 3),
    "edge_src: expected no ids, as there are no nodes, got 0 at 0":
        lambda: Graph([0], [0], 0),
    "edge_type: expected ids from 0 to 1, got 2 at 0":
        lambda: Graph([0], [0], 3, edge_type=[2], num_edge_types=2),
    "edge_type_names: expected 1 names, got 2":
        lambda: Graph([0], [0], 3, num_edge_types=1, edge_type_names=["a", "b"]),
    "num_node_types: expected 0 to 65535, got 65536":
        lambda: Graph([], [], 0, num_node_types=65536),
    "expected at least 1 type for 3 rows, got 0":
        lambda: Graph([], [], 3, num_node_types=0),
    "schema: edge 0 of edge type 0: expected a destination of node type 0, got 1":
        lambda: Graph([0], [1], 2, node_type=[0, 1], schema=[(0, 0)]),
    "schema: expected 1 entries, got 2":
        lambda: Graph([0], [0], 1, schema=[(0, 0), (0, 0)]),
    "expected both num_src_nodes and num_dst_nodes":
        lambda: Graph([], [], num_src_nodes=1),
    "node rows belong to square graphs":
        lambda: Graph([], [], num_src_nodes=1, num_dst_nodes=1).count("node"),
    "a path from edge types to node types needs a schema":
        lambda: Graph([], [], 1).map("edge_type", "node_type", "src"),
}


# Values of a kind that nothing can be made of.
REFUSED.update({
    "edge_src: expected 1 dimension": lambda: Graph(None, [0], 3),
    r"edge_dst: expected shape \(2,\)": lambda: Graph([0, 1], None, 3),
    "expected an array or equally long lists": lambda: Graph([[0], [0, 1]], [0], 3),
    "number of nodes: expected an integer, got '3'": lambda: Graph([], [], "3"),
    "number of nodes: expected an integer, got 2.5": lambda: Graph([], [], 2.5),
    "num_edge_types: expected an integer, got 'a'":
        lambda: Graph([], [], 1, num_edge_types="a"),
    r"node_type: expected shape \(1,\), got shape \(\)":
        lambda: Graph([], [], node_type=3),
    "edge_type: expected integers, got float64":
        lambda: Graph([0], [0], 1, edge_type=[0.5]),
    "edge_type_names: expected a list of texts, got 'a'":
        lambda: Graph([], [], 1, edge_type_names="a"),
    "edge_type_names: expected a list of texts, got 3":
        lambda: Graph([], [], 1, edge_type_names=3),
    r"node_type_names: expected a list of texts, got \[None\]":
        lambda: Graph([], [], 1, node_type_names=[None]),
    "schema: expected a pair of node types for each edge type, got 3":
        lambda: Graph([], [], 1, schema=3),
    r"schema: expected a pair of node types for each edge type, got \[0\]":
        lambda: Graph([], [], 1, schema=[0]),
    r"schema: expected a pair .*, got \[\(0, None\)\]":
        lambda: Graph([], [], 1, schema=[(0, None)]),
    r"schema: expected a pair .*, got \[\(0, 0.5\)\]":
        lambda: Graph([], [], 1, schema=[(0, 0.5)]),
    r"schema: expected node types from -1 to 0, got \[\(0, 1\)\]":
        lambda: Graph([], [], 1, schema=[(0, 1)]),
    r"arrays: expected a dict by name, got \[1\]":
        lambda: Graph([], [], 1, arrays=[1]),
    "num_nodes: expected a dict, got 3": lambda: Graph.from_hetero(3, {}),
    "edge_index: expected a dict, got None": lambda: Graph.from_hetero({}, None),
    "num_nodes of a: expected an integer, got None":
        lambda: Graph.from_hetero({"a": None}, {}),
    r"edge_index: expected keys \(source type, name, destination type\), got 'a'":
        lambda: Graph.from_hetero({"a": 1}, {"a": [[0], [0]]}),
    "add_self_loops: expected a Graph, got None":
        lambda: gnn_mlir.add_self_loops(None),
    "expected an edge type from 0 to 1, a new one, got 'a'":
        lambda: gnn_mlir.add_self_loops(Graph([], [], 1), edge_type="a"),
    "sort_edges: expected a Graph, got 3": lambda: gnn_mlir.sort_edges(3),
    "refine_types: expected a Graph, got 3": lambda: gnn_mlir.refine_types(3),
    "merge_types: expected a Graph, got 3": lambda: gnn_mlir.merge_types(3),
    "degrees: expected a Graph, got 3": lambda: gnn_mlir.degrees(3),
    "degrees: expected end src or dst, got 'node'":
        lambda: gnn_mlir.degrees(Graph([], [], 1), "node"),
    r"src_ids: expected a permutation of 1 ids, got int64 of shape \(2,\)":
        lambda: gnn_mlir.renumber(Graph([], [], 1), [0, 1]),
})


@pytest.mark.parametrize("message", REFUSED)
def test_refused(message):
    with pytest.raises(ValueError, match=message):
        REFUSED[message]()


def test_from_hetero():
    graph = Graph.from_hetero(
        {"paper": 3, "author": 2},
        {("author", "writes", "paper"): [[0, 1], [2, 0]],
         ("paper", "cites", "paper"): np.zeros((2, 0), int)})
    assert graph.edge_src.tolist() == [3, 4]
    assert graph.edge_dst.tolist() == [2, 0]
    assert graph.schema == ((1, 0), (0, 0))
    assert graph.edge_type_names[0] == "author writes paper"
    assert graph.node_type.tolist() == [0, 0, 0, 1, 1]
    assert graph.split_types(np.arange(5))["author"].tolist() == [3, 4]
    with pytest.raises(ValueError, match="expected ids from 0 to 1, got 2 at 0"):
        Graph.from_hetero({"a": 2}, {("a", "r", "a"): [[2], [0]]})
    with pytest.raises(ValueError, match="expected a node type of a, got 'b'"):
        Graph.from_hetero({"a": 2}, {("a", "r", "b"): [[1], [0]]})


def test_join_and_split_types():
    graph = Graph([], [], 5, node_type=[1, 0, 2, 2, 0], num_node_types=4)
    x = np.arange(10.0).reshape(5, 2)
    parts = graph.split_types(x)
    assert parts[2].tolist() == [[4, 5], [6, 7]] and len(parts[3]) == 0
    with pytest.raises(ValueError, match="expected rows of all 5 nodes, got 2; the outputs "
                                         r"of a mini-batch .* blocks\[-1\].split_types"):
        graph.split_types(x[:2])
    with pytest.raises(ValueError, match="space: expected node, src or dst, got 'edge'"):
        graph.split_types(x, "edge")
    assert (graph.join_types(parts, 2) == x).all()
    del parts[0]
    assert graph.join_types(parts, 2).tolist() == [[0, 1], [0, 0], [4, 5], [6, 7], [0, 0]]


def test_names():
    graph = Graph([], [], 2, edge_type_names=["a", "b"])
    assert graph.find_edge_type("b") == 1
    with pytest.raises(ValueError, match="expected an edge type of a, b, got 'c'"):
        graph.find_edge_type("c")
    with pytest.raises(ValueError, match="the graph has no node type names"):
        graph.find_node_type("c")


def edges(graph):
    return list(zip(graph.edge_src.tolist(), graph.edge_dst.tolist(),
                    graph.edge_type.tolist()))


def test_add_self_loops():
    graph = Graph([0, 1, 1, 2], [1, 1, 1, 0], 3, edge_type=[0, 1, 1, 1],
                  edge_type_names=["a", "b"])
    replaced = gnn_mlir.add_self_loops(graph)
    assert edges(replaced) == [(0, 1, 0), (2, 0, 1)] + [(v, v, 2)
                                                        for v in range(3)]
    assert replaced.edge_type_names == ("a", "b", "self_loop")
    assert edges(gnn_mlir.add_self_loops(graph, edge_type=2)) == edges(replaced)
    added = gnn_mlir.add_self_loops(graph, "add", 1)
    assert edges(added) == edges(graph) + [(v, v, 1) for v in range(3)]
    assert added.num_edge_types == 2
    with pytest.raises(ValueError, match="expected a square graph"):
        gnn_mlir.add_self_loops(graphs()["bipartite"])


def test_self_loops_beside_one_edge_type():
    """They are of that type, unless a new one is asked for."""
    graph = Graph([0, 1, 1, 2], [1, 1, 2, 0], 3, edge_type_names=["a"])
    looped = gnn_mlir.add_self_loops(graph)
    assert edges(looped) == [(0, 1, 0), (1, 2, 0), (2, 0, 0)] + [(v, v, 0) for v in range(3)]
    assert looped.edge_type_names == ("a",)
    looped = gnn_mlir.add_self_loops(graph, edge_type=1)
    assert edges(looped)[3:] == [(v, v, 1) for v in range(3)]
    assert looped.edge_type_names == ("a", "self_loop")


def test_sort_edges():
    """By destination; those of one keep their order."""
    graph = Graph([0, 1, 1, 2, 0], [2, 1, 2, 0, 1], 3, edge_type=[0, 1, 1, 0, 1],
                  edge_type_names=["a", "b"], node_type=[0, 1, 0], schema=[(0, 0), (-1, -1)])
    made, places = gnn_mlir.sort_edges(graph)
    assert edges(made) == [(2, 0, 0), (1, 1, 1), (0, 1, 1), (0, 2, 0), (1, 2, 1)]
    assert places.tolist() == [3, 1, 4, 0, 2]
    assert made.edge_type_names == ("a", "b") and made.schema == graph.schema
    assert edges(graph)[0] == (0, 2, 0)
    again, places = gnn_mlir.sort_edges(made)
    assert again is made and places.tolist() == [0, 1, 2, 3, 4]
    made, places = gnn_mlir.sort_edges(Graph([], [], 2))
    assert made.num_edges == 0 and places.shape == (0,)
    made, _ = gnn_mlir.sort_edges(graphs()["bipartite"])
    assert not made.square and (np.diff(made.edge_dst) >= 0).all()


def test_add_inverses():
    graph = graphs()["schema"]
    both = gnn_mlir.add_inverses(graph)
    assert edges(both) == edges(graph) + [(d, s, t + 3)
                                          for s, d, t in edges(graph)]
    assert both.schema == ((0, 1), (2, 0), (1, 1), (1, 0), (0, 2), (1, 1))


@pytest.mark.parametrize("name", ["multigraph", "sparse", "bipartite", "empty",
                                  "no edges"])
def test_refine_types(name):
    graph = graphs()[name]
    fine = gnn_mlir.refine_types(graph)
    triples = [(t, graph.src_node_type[s], graph.dst_node_type[d])
               for s, d, t in edges(graph)]
    number = {triple: i for i, triple in enumerate(sorted(set(triples)))}
    assert fine.edge_type.tolist() == [number[t] for t in triples]
    assert fine.schema == tuple(t[1:] for t in number)


def test_numbers_of_one():
    assert repr(gnn_mlir.Graph([0], [0], 1)) == "Graph(1 node of 1 type, 1 edge of 1 type)"
    assert repr(gnn_mlir.Graph([0, 1], [0, 0], num_src_nodes=2, num_dst_nodes=1, num_edge_types=3)
                ) == "Graph(2 source and 1 destination node of 1 type, 2 edges of 3 types)"


def test_select_edges():
    for graph in graphs().values():
        kept = np.arange(graph.num_edges) % 3 > 0
        some = gnn_mlir.select_edges(graph, kept)
        assert edges(some) == [e for e, k in zip(edges(graph), kept) if k]
        assert (some.num_edge_types, some.num_node_types, some.schema, repr(some)[:20]) == (
            graph.num_edge_types, graph.num_node_types, graph.schema, repr(graph)[:20])
    with pytest.raises(ValueError, match=r"select_edges: expected bool of shape "
                       r"\(3,\), got int64 of shape \(2,\)"):
        gnn_mlir.select_edges(gnn_mlir.Graph([0, 1, 2], [0, 0, 1], 3), [0, 2])
    assert gnn_mlir.select_edges(gnn_mlir.Graph([], [], 2), []).num_nodes == 2


def test_merge_renumber_degrees():
    graph = graphs()["multigraph"]
    merged = gnn_mlir.merge_types(graph)
    assert (merged.num_edge_types, merged.num_node_types) == (1, 1)
    ids = np.random.default_rng(0).permutation(9)
    moved = gnn_mlir.renumber(graph, ids)
    assert edges(moved) == [(ids[s], ids[d], t) for s, d, t in edges(graph)]
    assert moved.node_type[ids].tolist() == graph.node_type.tolist()
    assert gnn_mlir.degrees(moved, "src", 2)[ids].tolist() == [
        sum(s == v and t == 2 for s, _, t in edges(graph)) for v in range(9)]
    with pytest.raises(ValueError, match="expected a permutation of 9 ids"):
        gnn_mlir.renumber(graph, np.zeros(9, int))


def test_statistics():
    stats = graphs()["schema"].statistics()
    assert stats["type_edges"] == [3, 0, 1]
    assert stats["src_pairs"] == [2, 0, 1] and stats["dst_pairs"] == [2, 0, 1]
    assert stats["in_degree_max"] == 2 and stats["out_degree_squares"] == 6
    assert stats["src_pair_max"] == [2, 0, 1] and stats["dst_pair_max"] == [2, 0, 1]
