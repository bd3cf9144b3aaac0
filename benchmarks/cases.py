# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers and graphs by name. A layer is a function of a graph and a number of features,
and gives a module and the graph that it is for."""

import pathlib

import gnn_mlir
import synthetic


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


def sums_of(version):
    """Sums over the edges into each node, and a score for each edge."""
    return {name: lambda g, f, name=name: (of_edges(version, name, f), g)
            for name in ("sum", "weighted-sum", "dot")}


def of_edges(version, name, features):
    module = version.Module()
    g = module.graph("g")
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
    f.output("out", f.aggregate("sum", rows, "node", via="dst"))
    return module


LAYERS = layers_of(gnn_mlir)
