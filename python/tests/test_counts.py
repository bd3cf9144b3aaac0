# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exact counts: rows through products on real graphs, and the complexity of
GraphAGILE's models. Each is computed here from the graph or by hand, and held
against the IR that the compiler gives where rows are the only cost."""

import functools
import os

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir import models
from support import graphs, ir_counts, variants

# Graph: edges, source pairs, and the smaller kind of pairs type by type.
TABLE = {
    "fb15k237": (620_232, 161_922, 64_014),
    "debian-bookworm": (2_076_414, 590_200, 303_004),
    "debian-files": (11_657_490, 6_153_958, 733_760),
    "mutag": (148_454, 76_387, 22_962),
    "aifb": (58_086, 26_425, 16_140),
    "lastfm": (453_410, 45_159, 27_004),
    "wn18": (302_884, 180_779, 101_056),
    "wordnet30": (1_142_986, 712_809, 495_348),
}


def load(name):
    folder = graphs.data_folder()
    if folder is None:
        pytest.skip("GNN_TEST_DATA is not set")
    path = os.path.join(folder, name + ".npz")
    if not os.path.exists(path):
        pytest.skip(f"there is no {path}")
    return gnn_mlir.Graph.load(path)


@functools.lru_cache(maxsize=None)
def statistics(name):
    """The `#gnn.stats` of a graph with its inverses, and its types. Counted
    here, and not by the graph's own function. The inverse of an edge type comes as
    many types later."""
    graph = load(name)
    kinds = graph.edge_type.astype(np.int64)

    def pairs(ends):
        found = np.zeros((graph.num_edge_types, graph.num_nodes), bool)
        found[kinds, ends] = True
        return np.count_nonzero(found, axis=1).tolist()

    edges = np.bincount(kinds, minlength=graph.num_edge_types).tolist()
    sources, destinations = pairs(graph.edge_src), pairs(graph.edge_dst)
    return {"src_nodes": graph.num_nodes, "dst_nodes": graph.num_nodes,
            "edges": 2 * graph.num_edges, "type_edges": edges + edges,
            "src_pairs": sources + destinations,
            "dst_pairs": destinations + sources}, graph.num_node_types


def with_statistics(module, stats):
    """The text of a model whose graph's declaration carries statistics."""
    text = module.text()
    found = ", ".join(f"{k} = {v}" for k, v in stats.items())
    head, brace, rest = text.partition("}\n\nfunc.func")
    assert brace
    return f"{head}, stats = #gnn.stats<{found}>{brace}{rest}"


def compiled(module, stats, **passes):
    """The graph stage of a model, with rows as the only cost."""
    given = {k.replace("_", "-"): v for k, v in passes.items()}
    given["cost"] = "rows"
    return ir_counts.Program(ir_counts.graph_stage(
        with_statistics(module, stats), given))


def off(*but):
    """All switches off but these."""
    return {name.replace("-", "_"): name in but for name in variants.SWITCHES}


def layers(stats, node_types):
    """One 64 to 64 layer of each relational model."""
    r = len(stats["type_edges"])
    return {"rgcn": models.rgcn(r, (64, 64), node_types=node_types),
            "rgat": models.rgat(r, (64, 64), node_types=node_types),
            "hector-rgat": models.hector_rgat(r, (64, 64), node_types=node_types),
            "hgt": models.hgt(node_types, r, (64, 64), heads=4)}


LAYERS = ("rgcn", "rgat", "hector-rgat", "hgt")


@functools.lru_cache(maxsize=None)
def layer_on(name, model, but=None):
    """A layer on a graph after all passes, or after those of `but` alone; compiled once."""
    stats, node_types = statistics(name)
    return compiled(layers(stats, node_types)[model], stats, **({} if but is None else off(*but)))


@pytest.mark.parametrize("name", TABLE)
def test_pairs_of_real_graphs(name):
    stats, _ = statistics(name)
    less = np.minimum(stats["src_pairs"], stats["dst_pairs"])
    assert (stats["edges"], sum(stats["src_pairs"]), less.sum()) == TABLE[name]


@pytest.mark.parametrize("name", ["aifb", "mutag"])
def test_statistics_of_a_graph(name):
    stats, _ = statistics(name)
    found = gnn_mlir.add_inverses(load(name)).statistics()
    assert {k: found[k] for k in stats} == stats


@pytest.mark.parametrize("name", TABLE)
def test_rgcn_rows_without_passes(name, compiler):
    program = layer_on(name, "rgcn", ())
    assert program.product_rows(statistics(name)[0], "typed_linear") == TABLE[name][0]


@pytest.mark.parametrize("name", TABLE)
def test_rgcn_rows_compact_alone(name, compiler):
    program = layer_on(name, "rgcn", ("compact",))
    assert program.product_rows(statistics(name)[0], "typed_linear") == TABLE[name][1]


@pytest.mark.parametrize("name", TABLE)
def test_rgcn_rows_of_all_passes(name, compiler):
    program = layer_on(name, "rgcn")
    assert program.product_rows(statistics(name)[0], "typed_linear") == TABLE[name][2]


@pytest.mark.parametrize("name", TABLE)
@pytest.mark.parametrize("model", ["rgat", "hector-rgat"])
def test_rgat_scores_never_on_edge_rows(name, model, compiler):
    """Products with weights, and dots with vectors of a type, run on pairs, nodes
    or types."""
    program = layer_on(name, model)
    products = program.products()
    assert products
    assert not [op.text for op in products if op.types[0].space == "edge"]
    dots = [op for op in program.ops if op.name in ("dot", "sddmm")]
    assert not [op.text for op in dots if op.types[-1].space == "edge"]


@pytest.mark.parametrize("name", TABLE)
def test_stated_rows(name, compiler, record_property, capsys):
    """Rows through products of RGAT and HGT, before and after: no more than
    before."""
    stats, _ = statistics(name)
    for model in LAYERS:
        before = layer_on(name, model, ()).product_rows(stats)
        after = layer_on(name, model).product_rows(stats)
        record_property(model, f"{before} -> {after}")
        with capsys.disabled():
            print(f"\n{name} {model}: {before:,} -> {after:,} rows", end="")
        assert after <= before


# -- GraphAGILE's models ---------------------------------------------------------

# All but GraphGym's, of those that it is measured on (Zhang et al., 2023, table V).
GRAPHAGILE = ("b1", "b2", "b3", "b4", "b5", "b6", "b7")
# Nodes, edges (both directions), features, classes.
PLANETOID = {"cora": (2708, 10_556, 1433, 7), "citeseer": (3327, 9_104, 3703, 6)}


def complexity(model, v, e, f, c):
    """Equations (10) to (13) applied by hand, with the cheaper order of each
    aggregation and the product beside it."""
    loops = e + v  # GCN, GAT and SGC add a loop at each node.

    def linear(f1, f2):
        return 2 * f1 * f2 * v

    def aggregate(size, edges=e):
        return 2 * size * edges

    gcn_or_gat = {
        "b1": [(f, 16), (16, c)],
        "b2": [(f, 128), (128, c)],
        "b6": [(f, 64), (64, c)],
    }
    if model in gcn_or_gat:  # f1 > f2 throughout: (13).
        return sum(linear(f1, f2) + aggregate(f2, loops)
                   for f1, f2 in gcn_or_gat[model])
    if model in ("b3", "b4"):  # (13), and the product of the node itself.
        hidden = {"b3": 128, "b4": 256}[model]
        return (2 * linear(f, hidden) + aggregate(hidden) +
                2 * linear(hidden, c) + aggregate(c))
    if model == "b5":
        # (13) in the first layer, either order in the others, where f1 = f2. Each
        # layer has a second product.
        first = linear(f, 128) + aggregate(128) + linear(128, 128)
        inner = aggregate(128) + linear(128, 128) + linear(128, 128)
        last = aggregate(128) + linear(128, 128) + linear(128, c)
        return first + 3 * inner + last
    assert model == "b7"  # (13) twice: the product comes before both hops.
    return linear(f, c) + 2 * aggregate(c, loops)


def planetoid_stats(name):
    v, e, _, _ = PLANETOID[name]
    return lambda loops: {
        "src_nodes": v, "dst_nodes": v, "edges": e + v * loops,
        "type_edges": [e + v * loops], "src_pairs": [v], "dst_pairs": [v]}


@pytest.mark.parametrize("name", PLANETOID)
def test_sizes_of_planetoid(name):
    graph = load(name)
    features, labels = graph.arrays["feat_dim"], graph.arrays["label"]
    assert (graph.num_nodes, graph.num_edges, int(features),
            int(labels.max()) + 1) == PLANETOID[name]


@pytest.mark.parametrize("name", PLANETOID)
@pytest.mark.parametrize("model", GRAPHAGILE)
def test_complexity_after_reordering(name, model, compiler):
    v, e, f, c = PLANETOID[name]
    stats = planetoid_stats(name)(model in ("b1", "b2", "b6", "b7"))
    program = compiled(models.graphagile(model, f, c), stats, **off(
        "linear-reorder", "order-aggregate"))
    found = program.product_flops(stats) + program.aggregate_flops(stats)
    assert found == complexity(model, v, e, f, c)


@pytest.fixture(scope="module")
def debian_files():
    return gnn_mlir.add_inverses(load("debian-files"))


@pytest.mark.parametrize("name, most", [("rgcn", 2014), ("rgat", 1602), ("hgt", 3701)])
def test_workspace_of_debian_files(compiler, debian_files, name, most):
    """MiB of a layer of 64 to 64. A tensor of 64 features an edge would be 2,846;
    HGT has one of keys and one of values, 1,502 each, on pairs."""
    graph = debian_files
    if name == "hgt":
        graph = gnn_mlir.refine_types(graph)
        module = models.hgt(graph.num_node_types, graph.num_edge_types, (64, 64), 4,
                            schema=graph.schema)
    else:
        module = getattr(models, name)(graph.num_edge_types, (64, 64),
                                       node_types=graph.num_node_types)
    bound = gnn_mlir.compile(module, target="emulator", graph=graph).bind(graph)
    assert bound.workspace_bytes / 2**20 <= most
