# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers, walks over edges and graphs by name. A layer is a function of a graph and a number
of features, and gives a module and the graph that it is for."""

import math
import os
import pathlib

import gnn_mlir
import synthetic

os.environ.setdefault("GNN_MLIR_CACHE", "off")  # Compilations are timed, too.


def load(text):
    """(name, graph) of a file, to which inverse relations are added, or of a graph of
    benchmarks/synthetic.py, with types or without ("am:0.01" is a hundredth of am)."""
    if text.endswith(".npz"):
        path = pathlib.Path(text)
        graph = gnn_mlir.Graph.load(path)
        undirected = path.stem in ("cora", "citeseer", "pubmed", "soc-epinions")
        return path.stem, graph if undirected else gnn_mlir.add_inverses(graph)
    name, _, scale = text.partition(":")
    make = synthetic.homogeneous if name in synthetic.WITHOUT_TYPES else synthetic.graph
    return text, make(name, float(scale or 1))


def looped(graph, version=gnn_mlir):
    return version.add_self_loops(version.merge_types(graph), "replace", 0)


def layers_of(version):
    """The layers by the models of a version of this project, for graphs of its own."""
    def hgt(graph, f):
        graph = version.refine_types(graph)
        return version.models.hgt(graph.num_node_types, graph.num_edge_types, (f, f),
                                  heads=4, schema=graph.schema), graph

    typed = {"rgcn": version.models.rgcn, "rgat": version.models.rgat}
    made = {name: lambda g, f, model=model: (
        model(g.num_edge_types, (f, f), node_types=g.num_node_types), g)
        for name, model in typed.items()}
    made["hgt"] = hgt
    made["gat"] = lambda g, f: (version.models.gat((f, f)), looped(g, version))
    made["gcn"] = lambda g, f: (version.models.gcn((f, f)), looped(g, version))
    return made


def sums_of(version, names=("sum", "weighted-sum", "dot")):
    """Reductions over the edges into each node, and a score for each edge ("dot")."""
    return {name: lambda g, f, name=name: (of_edges(version, name, f), g) for name in names}


REDUCTIONS = ("sum", "weighted-sum", "mean", "max", "min", "argmax")
ATTENTION = ("gatv2", "dot-attention", "additive")
SLOPE = 0.2


def of_edges(version, name, features, **declared):
    """One of REDUCTIONS of rows x of sources over the edges into a node (weighted-sum: times
    w of the edge; argmax: the maximum, and as `at` the edge that has it), or dot, of x at the
    source and z at the destination of each edge. `declared` is what is said of the graph."""
    module = version.Module()
    g = module.graph("g", **declared)
    f = module.function(name.replace("-", "_"))
    x = f.input("x", g.rows("node", features))
    if name == "dot":
        z = f.input("z", g.rows("node", features))
        f.output("out", f.dot(f.gather(x, "edge", via="src"),
                              f.gather(z, "edge", via="dst")))
        return module
    if name == "weighted-sum":
        w = f.input("w", g.rows("edge"))
        rows = f.apply("mul", "edge", w, x, rhs_via="src")
    else:
        rows = f.gather(x, "edge", via="src")
    if name == "argmax":
        out, at = f.aggregate("max", rows, "node", via="dst", argument=True)
        f.output("out", out)
        f.output("at", at)
        return module
    kind = "sum" if name == "weighted-sum" else name
    f.output("out", f.aggregate(kind, rows, "node", via="dst"))
    return module


def attention(version, name, heads, features, **declared):
    """Rows of sources, weighted by the softmax of scores over the edges into a node, by head.
    Scores of ATTENTION: leaky_relu(source[u] + target[v]) . att, of source; query[v] . key[u] /
    sqrt(features), of value; leaky_relu(source_score[u] + target_score[v]), of source.
    `declared` is what is said of the graph."""
    module = version.Module()
    g = module.graph("g", **declared)
    f = module.function(name.replace("-", "_"))

    def rows(name, *sizes):
        return f.input(name, g.rows("node", heads, *sizes))

    if name == "dot-attention":
        query, key, values = (rows(n, features) for n in ("query", "key", "value"))
        score = f.sddmm("edge", query, key, "dst", "src") * (1 / math.sqrt(features))
    else:
        values = rows("source", features)
        if name == "gatv2":
            ends = values, rows("target", features)
        else:
            ends = rows("source_score"), rows("target_score")
        score = f.activation("leaky_relu", f.apply("add", "edge", *ends, "src", "dst"),
                             alpha=SLOPE)
    if name == "gatv2":
        score = f.dot(score, f.input("att", version.weight(heads, features)))
    message = f.apply("mul", "edge", f.edge_softmax(score, over="dst"), values, rhs_via="src")
    f.output("out", f.aggregate("sum", message, "node", via="dst"))
    return module


LAYERS = layers_of(gnn_mlir)
