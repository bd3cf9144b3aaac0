# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One layer of each model on real graphs, beside PyTorch Geometric's.

    python benchmarks/layers.py --data FOLDER [--features 64] [--heads 4]
        [--graphs aifb,fb15k237] [--models rgcn,rgat] [--output FILE]

Same graph, same weights, same process, fp32 (TF32 off). Ours and PyG's take turns
(benchmarks/race.py): times are medians over rounds of calls as a user makes them, and
of replays of a CUDA graph. Memory is what a call allocates beyond its inputs, its
output included. Errors are ||out - ref|| / ||ref|| against PyG's layer in float64. On
the emulator there are no times. With --output there are FILE.json, with all numbers,
and FILE.md, a table.
"""

import argparse
import datetime
import pathlib
import random
import sys

import numpy as np
import torch
import torch_geometric
import torch_geometric.nn as nn

import gnn_mlir
from gnn_mlir import models, pyg
from race import Contender, OnEmulator, OnGPU, device
from tables import markdown, number, write


class Edges:
    """A graph as PyG's layers take it."""

    def __init__(self, graph, device):
        as_tensor = lambda a: torch.tensor(np.asarray(a, np.int64), device=device)
        self.index = torch.stack([as_tensor(graph.edge_src),
                                  as_tensor(graph.edge_dst)])
        self.type = as_tensor(graph.edge_type)


def looped(graph):
    return gnn_mlir.add_self_loops(gnn_mlir.merge_types(graph), "replace", 0)


def plain(conv, model, prepare):
    """A layer without types: PyG's adds its own self loops."""
    def build(graph, f, heads):
        own = prepare(graph)
        return model(f, heads), own, conv(f, heads), lambda c, x, e: c(x, e.index)
    return build


def typed(conv, model):
    def build(graph, f, heads):
        r = graph.num_edge_types
        return (model(graph, f, heads), graph, conv(r, f, heads),
                lambda c, x, e: c(x, e.index, e.type))
    return build


LAYERS = {
    "gcn": plain(lambda f, h: nn.GCNConv(f, f),
                 lambda f, h: models.gcn((f, f)), looped),
    "sage": plain(lambda f, h: nn.SAGEConv(f, f),
                  lambda f, h: models.sage((f, f), "mean"), gnn_mlir.merge_types),
    "gat": plain(lambda f, h: nn.GATConv(f, f // h, h),
                 lambda f, h: models.gat((f, f // h), h), looped),
    "rgcn": typed(lambda r, f, h: nn.RGCNConv(f, f, r),
                  lambda g, f, h: models.rgcn(g.num_edge_types, (f, f),
                                              node_types=g.num_node_types)),
    "rgcn-fast": typed(lambda r, f, h: nn.FastRGCNConv(f, f, r),
                       lambda g, f, h: models.rgcn(
                           g.num_edge_types, (f, f),
                           node_types=g.num_node_types)),
    "rgat": typed(lambda r, f, h: nn.RGATConv(f, f // h, r, heads=h),
                  lambda g, f, h: models.rgat(g.num_edge_types, (f, f // h), h,
                                              node_types=g.num_node_types)),
}


def found_of(entered, way):
    """What a race found of a contender, or what kept it out."""
    one = entered[way]
    return one.found if isinstance(one, Contender) else one


def error(out, reference):
    out = torch.as_tensor(out).to(reference)
    return float((out - reference).norm() / reference.norm())


def bench(name, graph, f, heads, machine):
    """The numbers of one layer on one graph."""
    torch.manual_seed(0)
    module, own, conv, call = LAYERS[name](graph, f, heads)
    conv.eval()
    for parameter in conv.parameters():  # PyG starts biases at 0.
        torch.nn.init.normal_(parameter, std=f ** -0.5)
    conv, edges = conv.to(machine.device), Edges(graph, machine.device)
    # Drawn on the host: a capture that failed leaves the GPU's generator in an odd state.
    x = torch.randn(graph.num_nodes, f).to(machine.device)
    inputs = {"x": x, **{k: torch.tensor(v, dtype=torch.float32, device=machine.device)
                         for k, v in pyg.weights(module, conv).items()}}
    layer = gnn_mlir.compile(module, target=machine.target).bind(own, machine.place)
    runs = {"ours": lambda: layer(inputs), "pyg": lambda: call(conv, x, edges)}
    pool, row = machine.new_pool(), {}
    with torch.no_grad():
        # A capture that fails leaves its memory in an odd state.
        entered = {who: {"calls": machine.enter(who, run, capture=False),
                         "replays": machine.enter(
                             who, run, pool=pool if who == "ours" else None)}
                   for who, run in runs.items()}
        machine.race([c for ways in entered.values() for c in ways.values()
                      if isinstance(c, Contender)])
        for who, ways in entered.items():
            calls, replays = (found_of(ways, way) for way in ("calls", "replays"))
            row[who] = {"ms": calls.get("ms"), "mib": calls.get("mib"),
                        "graph_ms": replays.get("ms") if replays["captured"] else None,
                        "spread": calls.get("spread"),
                        "graph_spread": replays.get("spread"),
                        "skipped": calls.get("skipped")}
        reference = call(conv.double(), x.double(), edges)
        conv.float()
        for who, run in runs.items():
            if row[who]["skipped"] is None:
                row[who]["error"] = error(run(), reference)
        outs = [torch.as_tensor(runs["ours"]()) for _ in range(2)]
        row["ours"]["bits_repeat"] = torch.equal(*outs)
    return row


def load(folder, name):
    graph = gnn_mlir.Graph.load(folder / f"{name}.npz")
    undirected = name in ("cora", "citeseer", "pubmed", "soc-epinions")
    return graph if undirected else gnn_mlir.add_inverses(graph)


def cells(found):
    """The numbers of ours or of PyG's."""
    return [number(found["ms"]), number(found["graph_ms"]), number(found["mib"], 1),
            f"{found['error']:.1e}" if "error" in found else found["skipped"]]


def table(result):
    """The results as Markdown."""
    about = ", ".join(f"{k} {v}" for k, v in result["about"].items())
    lines = []
    for row in result["rows"]:
        ours, theirs = row["ours"]["ms"], row["pyg"]["ms"]
        spreads = [row[who][key] for who in ("ours", "pyg")
                   for key in ("spread", "graph_spread") if row[who][key] is not None]
        lines.append([row["graph"], f"{row['edges']:,}", row["layer"],
                      *cells(row["ours"]), *cells(row["pyg"]),
                      number(theirs / ours if ours and theirs else None, 1),
                      f"{100 * max(spreads):.1f}%" if spreads else "-"])
    return (f"# One layer, {result['features']} to {result['features']} features, "
            f"inference, fp32\n\n{result['date']}, {about}. Medians of "
            f"{result['rounds']} rounds; \"graph\": of replays of a CUDA graph (-: "
            f"cannot be captured). GAT and RGAT have {result['heads']} heads. MiB: what "
            "a call allocates, its output included. spread: the middle 80% of rounds "
            "beside the median, the largest.\n\n" + markdown(
                ["graph", "edges", "layer", "ours, ms", "in a graph", "MiB", "error",
                 "PyG, ms", "in a graph", "MiB", "error", "PyG / ours", "spread"],
                lines))


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.
                                     RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--graphs", default="aifb,mutag,fb15k237,wn18rr,wordnet30")
    parser.add_argument("--models", default=",".join(LAYERS))
    parser.add_argument("--features", type=int, default=64)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--device", type=device, default="cuda")
    parser.add_argument("--output", type=pathlib.Path)
    options = parser.parse_args(arguments)
    torch.backends.cuda.matmul.allow_tf32 = False
    random.seed(0)
    machine = OnGPU(options.rounds) if options.device == "cuda" else OnEmulator()
    result = {"date": datetime.date.today().isoformat(),
              "about": {**machine.about(), "gnn-mlir": gnn_mlir.__version__,
                        "torch-geometric": torch_geometric.__version__},
              "python": sys.version.split()[0], "features": options.features,
              "heads": options.heads, "rounds": options.rounds, "rows": []}
    for name in options.graphs.split(","):
        graph = load(options.data, name)
        for layer in options.models.split(","):
            row = bench(layer, graph, options.features, options.heads, machine)
            result["rows"].append({"graph": name, "layer": layer,
                                   "nodes": graph.num_nodes, "edges": graph.num_edges,
                                   "edge_types": graph.num_edge_types, **row})
            print(f"{name:<12}{layer:<11}" + "   ".join(
                ", ".join(cells(row[who])) for who in ("ours", "pyg")), flush=True)
            write(options.output, result, table)
            if machine.target == "cuda":
                torch.cuda.empty_cache()
    print(table(result))


if __name__ == "__main__":
    main()
