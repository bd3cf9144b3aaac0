# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One layer of each model on the cores of a CPU, beside every form that PyTorch
Geometric has of it.

    python benchmarks/cores.py --data FOLDER [--graphs cora,mutag,fb15k237,wordnet30]
        [--models rgcn,rgat,hgt,gcn,gat,sage,gin] [--features 64] [--heads 1]
        [--threads 2] [--rounds 15] [--calm LOAD] [--output FILE]

Inference, fp32, all programs of a graph in one process. Forms of PyG: the layers
themselves and those of the same meaning, each on an edge_index and, where the layer
takes it, on a CSR adjacency; GCN with and without cached normalization. A round runs
all programs of a layer in an order of its own; a turn is one run that is not timed, so
that threads and caches are those of the program, and then several that are. Times are of
calls as a user makes them: the median of a turn's, and over rounds the median and the
least, which is what is left where a machine has other work. PyG's fastest form is that of
the least time. A form that takes five times as long as the best gets three turns, one
that takes twenty times as long one. With
--calm a layer begins when the machine's load is below, or after five minutes. Errors are ||out - ref|| / ||ref|| against PyG's layer in
float64. With --output there are FILE.json, with all numbers, and FILE.md, a table; a
FILE.json that is there is added to.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import random
import statistics
import sys
import time

import numpy as np
import torch
import torch_geometric
import torch_geometric.nn as nn

import gnn_mlir
from gnn_mlir import capi, models, pyg
from race import summary
from tables import markdown, number, write

# Forms that take so many times as long as the best have few turns, or one.
SLOW, FEW, HOPELESS = 5.0, 3, 20.0


def looped(graph):
    return gnn_mlir.add_self_loops(gnn_mlir.merge_types(graph), "replace", 0)


def _tensor(array):
    return torch.tensor(np.asarray(array, np.int64))


class Edges:
    """A graph as PyG's layers take it. Edges lie by destination where they have no
    types, else by type: what its kernels do best with."""

    def __init__(self, graph, typed):
        key = graph.edge_type if typed else graph.edge_dst
        order = np.argsort(key, kind="stable")
        self.index = torch.stack([_tensor(graph.edge_src[order]),
                                  _tensor(graph.edge_dst[order])])
        self.type = _tensor(graph.edge_type[order])
        if not typed:  # An edge that is there twice stays so.
            counts = np.bincount(graph.edge_dst, minlength=graph.num_nodes)
            self.csr = torch.sparse_csr_tensor(
                _tensor(np.r_[0, np.cumsum(counts)]), self.index[0],
                torch.ones(self.index.shape[1]), (graph.num_nodes,) * 2)


class HeteroEdges:
    """The same by types of nodes and edges, for HGTConv."""

    def __init__(self, graph):
        order = np.argsort(graph.edge_type, kind="stable")
        ends = np.stack([graph.edge_src, graph.edge_dst])[:, order]
        sizes = np.bincount(graph.edge_type, minlength=graph.num_edge_types)
        self.sizes = np.bincount(graph.src_node_type,
                                 minlength=graph.num_node_types).tolist()
        first = np.r_[0, np.cumsum(self.sizes)]
        self.nodes, edges = self.names(graph)
        self.of = {}
        parts = np.split(ends, np.cumsum(sizes)[:-1], 1)
        for kind, part, (s, d) in zip(edges, parts, graph.schema):
            self.of[kind] = _tensor(part - np.array([[first[s]], [first[d]]]))

    @staticmethod
    def names(graph):
        nodes = [f"n{i}" for i in range(graph.num_node_types)]
        return nodes, [(nodes[s], f"r{i}", nodes[d])
                       for i, (s, d) in enumerate(graph.schema)]

    def call(self, conv, x):
        out = conv(dict(zip(self.nodes, x.split(self.sizes))), self.of)
        return torch.cat([out[n] for n in self.nodes])


def plain(module, prepare, make, csr=True, cached=False):
    """A layer without types. PyG's adds its own self loops."""
    def build(graph, f, heads):
        own, edges = prepare(graph), Edges(gnn_mlir.merge_types(graph), False)
        forms = {"edge_index": lambda conv, x: conv(x, edges.index)}
        if csr:
            forms["CSR"] = lambda conv, x: conv(x, edges.csr)
        convs = {"": make(f, heads)}
        if cached:
            convs[", cached"] = lambda base: nn.GCNConv(f, f, cached=True)
        return module(own, f, heads), own, convs, forms
    return build


def typed(module, make, more=None):
    def build(graph, f, heads):
        edges = Edges(graph, True)
        convs = {"": make(graph, f, heads)}
        if more:
            convs[", fast"] = lambda base: more(graph, f)
        return module(graph, f, heads), graph, convs, {
            "edge_index": lambda conv, x: conv(x, edges.index, edges.type)}
    return build


def by_node_type(graph):
    """The same graph with its nodes by type."""
    order = np.argsort(graph.src_node_type, kind="stable")
    place = np.argsort(order)
    return gnn_mlir.Graph(
        place[graph.edge_src], place[graph.edge_dst], graph.num_nodes,
        edge_type=graph.edge_type, num_edge_types=graph.num_edge_types,
        node_type=graph.src_node_type[order], num_node_types=graph.num_node_types)


def hgt(graph, f, heads):
    """Ours and PyG's on nodes that lie by type, edge types refined to pairs of these."""
    graph = gnn_mlir.refine_types(by_node_type(graph))
    module = models.hgt(graph.num_node_types, graph.num_edge_types, (f, f), heads,
                        schema=graph.schema)
    edges = HeteroEdges(graph)
    conv = nn.HGTConv(f, f, HeteroEdges.names(graph), heads=heads)
    return module, graph, {"": conv}, {"edge_index": edges.call}


LAYERS = {
    "rgcn": typed(lambda g, f, h: models.rgcn(g.num_edge_types, (f, f),
                                              node_types=g.num_node_types),
                  lambda g, f, h: nn.RGCNConv(f, f, g.num_edge_types),
                  lambda g, f: nn.FastRGCNConv(f, f, g.num_edge_types)),
    "rgat": typed(lambda g, f, h: models.rgat(g.num_edge_types, (f, f // h), h,
                                              node_types=g.num_node_types),
                  lambda g, f, h: nn.RGATConv(f, f // h, g.num_edge_types, heads=h)),
    "hgt": hgt,
    "gcn": plain(lambda g, f, h: models.gcn((f, f)), looped,
                 lambda f, h: nn.GCNConv(f, f), cached=True),
    "gat": plain(lambda g, f, h: models.gat((f, f // h), h), looped,
                 lambda f, h: nn.GATConv(f, f // h, h)),
    "sage": plain(lambda g, f, h: models.sage((f, f), "mean"), gnn_mlir.merge_types,
                  lambda f, h: nn.SAGEConv(f, f)),
    "gin": plain(lambda g, f, h: models.gin((f, f)), gnn_mlir.merge_types,
                 lambda f, h: nn.GINConv(torch.nn.Sequential(
                     torch.nn.Linear(f, f), torch.nn.ReLU(), torch.nn.Linear(f, f)))),
}


class Contender:
    def __init__(self, run):
        self.run, self.times = run, []
        run()
        self.once = self._time()

    def _time(self):
        begin = time.perf_counter()
        self.run()
        return 1e3 * (time.perf_counter() - begin)

    def turn(self):
        """One run for nothing, and those that fit 30 ms, 1 to 20."""
        if self.once < 500:
            self.run()
        count = max(1, min(20, int(30 / self.once)))
        self.times.append(statistics.median(self._time() for _ in range(count)))


def contenders_of(convs, forms, x):
    """PyG's forms by name, and why others cannot run."""
    base, found, refused = convs[""], {}, {}
    for suffix, make in convs.items():
        for form, call in forms.items():
            conv = base
            if suffix:  # One for each form: it keeps what it has cached.
                conv = make(base).eval()
                conv.load_state_dict(base.state_dict())
            name = type(conv).__name__ + ", " + form + suffix.replace(", fast", "")
            try:
                found[name] = Contender(lambda conv=conv, call=call: call(conv, x))
            except Exception as error:  # A form that the layer does not take.
                refused[name] = f"{type(error).__name__}: {str(error)[:100]}"
    return found, refused


def race(contenders, rounds):
    best = min(c.once for c in contenders)
    for number in range(rounds):
        for one in random.sample(contenders, len(contenders)):
            turns = rounds if one.once <= SLOW * best else (
                FEW if one.once <= HOPELESS * best else 1)
            if number < turns:
                one.turn()


def bench(name, graph, f, heads, rounds, device):
    """The numbers of one layer on one graph, by program."""
    torch.manual_seed(0)
    module, own, convs, forms = LAYERS[name](graph, f, heads)
    base = convs[""].eval()
    for parameter in base.parameters():  # PyG starts biases at 0.
        torch.nn.init.normal_(parameter, std=f ** -0.5)
    x = torch.randn(graph.num_nodes, f)
    inputs = {"x": x, **{k: torch.tensor(v, dtype=torch.float32)
                         for k, v in pyg.weights(module, base).items()}}
    began = time.perf_counter()
    compiled = gnn_mlir.compile(module, target="cpu", graph=own)
    layer = compiled.bind(own, device)
    compile_s = time.perf_counter() - began
    with torch.no_grad():
        theirs, refused = contenders_of(convs, forms, x)
        runs = {"ours": Contender(lambda: layer(inputs)), **theirs}
        race(list(runs.values()), rounds)
        found = {who: {**summary(one.times), "least": min(one.times)}
                 for who, one in runs.items()}
        reference = forms["edge_index"](base.double(), x.double())
        base.float()
        for who, one in runs.items():
            out = torch.as_tensor(one.run()).double()
            found[who]["error"] = float((out - reference).norm() / reference.norm())
            if who != "ours" and found[who]["error"] > 1e-4:
                refused[who] = f"another result: {found.pop(who)['error']:.1e}"
    return {"runs": found, "refused": refused, "compile_s": compile_s}


def load(folder, name):
    graph = gnn_mlir.Graph.load(folder / f"{name}.npz")
    undirected = name in ("cora", "citeseer", "pubmed", "soc-epinions")
    return graph if undirected else gnn_mlir.add_inverses(graph)


def best_of(row):
    """PyG's fastest form and its time."""
    return min(((who, one) for who, one in row["runs"].items() if who != "ours"),
               key=lambda pair: pair[1]["least"])


def wait_for(load, seconds=300):
    """Until the machine is calm."""
    end = time.monotonic() + seconds
    while load is not None and os.getloadavg()[0] > load and time.monotonic() < end:
        time.sleep(2)


def table(result):
    lines = []
    for row in result["rows"]:
        ours, (who, best) = row["runs"]["ours"], best_of(row)
        others = "; ".join(f"{name} {number(one['least'], 2)}" for name, one in
                           row["runs"].items() if name not in ("ours", who))
        lines.append([row["graph"], row["layer"], number(ours["ms"], 2),
                      number(ours["least"], 2), f"{100 * ours['spread']:.0f}%",
                      number(best["ms"], 2), number(best["least"], 2),
                      f"{100 * best['spread']:.0f}%", who,
                      number(best["least"] / ours["least"], 1), f"{ours['error']:.0e}",
                      others or "-"])
    about = ", ".join(f"{k} {v}" for k, v in result["about"].items())
    return (f"# One layer on a CPU, {result['features']} to {result['features']} "
            f"features, inference, fp32\n\n{result['date']}, `benchmarks/cores.py`; "
            f"{about}; {result['threads']} threads each, {result['heads']} head. The "
            f"load of the machine before each row was {result['load']}. Medians of "
            f"{result['rounds']} rounds (forms of PyG that take over {SLOW:.0f} times the "
            f"best: {FEW}, {HOPELESS:.0f} times: 1) and the least, milliseconds a call; spread: the middle 80% of "
            "rounds beside the median; the ratio is of the least times. mutag, fb15k237 and wordnet30 have inverse edges.\n\n" +
            markdown(["graph", "layer", "ours, ms", "least", "spread", "PyG's fastest, ms",
                      "least", "spread", "which is", "PyG / ours", "error of ours",
                      "other forms of PyG, least ms"], lines))


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        found = [line.partition(":")[2].strip() for line in file
                 if line.startswith("model name")]
    return f"{len(found)} cores of {found[0]}" if found else platform.machine()


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.
                                     RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--graphs", default="cora,mutag,fb15k237,wordnet30")
    parser.add_argument("--models", default=",".join(LAYERS))
    parser.add_argument("--features", type=int, default=64)
    parser.add_argument("--heads", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--calm", type=float, metavar="LOAD")
    parser.add_argument("--output", type=pathlib.Path)
    options = parser.parse_args(arguments)
    torch.set_num_threads(options.threads)
    random.seed(0)
    device = capi.Device.cpu(options.threads)
    result = {"date": datetime.date.today().isoformat(),
              "about": {"on": processor(), "torch": torch.__version__,
                        "torch-geometric": torch_geometric.__version__,
                        "Python": sys.version.split()[0]},
              "features": options.features, "heads": options.heads,
              "threads": options.threads, "rounds": options.rounds, "rows": []}
    file = options.output and options.output.with_suffix(".json")
    if file and file.exists():
        result["rows"] = json.loads(file.read_text())["rows"]
    for name in options.graphs.split(","):
        graph = load(options.data, name)
        for layer in options.models.split(","):
            wait_for(options.calm)
            load_before = os.getloadavg()[0]
            row = {"graph": name, "layer": layer, "nodes": graph.num_nodes,
                   "edges": graph.num_edges, "edge_types": graph.num_edge_types,
                   "load": load_before, **bench(layer, graph, options.features,
                                                options.heads, options.rounds, device)}
            result["rows"] = [r for r in result["rows"]
                              if (r["graph"], r["layer"]) != (name, layer)] + [row]
            loads = [r["load"] for r in result["rows"]]
            result["load"] = f"{min(loads):.1f} to {max(loads):.1f}"
            write(options.output, result, table)
            who, best = best_of(row)
            ours = row["runs"]["ours"]
            print(f"{name:<10}{layer:<6}{ours['least']:9.3f} ms, {best['least']:9.3f} ms of "
                  f"{who}: {best['least'] / ours['least']:.2f}, error {ours['error']:.1e}, "
                  f"compiled in {row['compile_s']:.2f} s, load {load_before:.1f}"
                  f"{'; ' + str(row['refused']) if row['refused'] else ''}", flush=True)
    print(table(result))


if __name__ == "__main__":
    main()
