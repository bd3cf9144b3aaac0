# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One layer of each model on real graphs, beside PyTorch Geometric's.

    python benchmarks/layers.py --data FOLDER [--features 64] [--heads 4]
        [--graphs aifb,fb15k237] [--models rgcn,rgat] [--output FILE]

Same graph, same weights, same process, fp32 (TF32 off). Times are medians by CUDA
events after warm-up, of calls as a user makes them and of replays of a CUDA graph.
Memory is what a call allocates beyond its inputs, its output included. Errors are
||out - ref|| / ||ref|| against PyG's layer in float64 on the same GPU. With
--output there are FILE.json, with all numbers, and FILE.md, a table.
"""

import argparse
import datetime
import json
import pathlib
import statistics
import subprocess
import sys

import numpy as np
import torch
import torch_geometric
import torch_geometric.nn as nn

import gnn_mlir
from gnn_mlir import models, pyg


class Edges:
    """A graph as PyG's layers take it."""

    def __init__(self, graph):
        as_tensor = lambda a: torch.tensor(np.asarray(a, np.int64)).cuda()
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


def median_ms(run, repeats=20):
    for _ in range(3):
        run()
    times = []
    for _ in range(repeats):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        run()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    return statistics.median(times)


def replay_ms(run):
    """Median of replays of a CUDA graph; None where `run` cannot be captured."""
    try:
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            run()
        torch.cuda.current_stream().wait_stream(stream)
        captured = torch.cuda.CUDAGraph()
        with torch.cuda.graph(captured):
            run()
    except RuntimeError:
        torch.cuda.synchronize()
        return None
    return median_ms(captured.replay)


def memory_mib(run):
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    out = run()
    torch.cuda.synchronize()
    del out
    return (torch.cuda.max_memory_allocated() - before) / 2**20


def measure(run):
    return {"ms": median_ms(run), "graph_ms": replay_ms(run),
            "mib": memory_mib(run)}


def error(out, reference):
    return float((out.double() - reference).norm() / reference.norm())


def bench(name, graph, f, heads):
    torch.manual_seed(0)
    module, own, conv, call = LAYERS[name](graph, f, heads)
    conv.eval()
    for parameter in conv.parameters():  # PyG starts biases at 0.
        torch.nn.init.normal_(parameter, std=f ** -0.5)
    weights = {k: torch.tensor(v, dtype=torch.float32).cuda()
               for k, v in pyg.weights(module, conv).items()}
    conv, edges = conv.cuda(), Edges(graph)
    x = torch.randn(graph.num_nodes, f).cuda()
    layer = gnn_mlir.compile(module, target="cuda")
    inputs = {"x": x, **weights}
    ours = lambda: layer(own, inputs)
    theirs = lambda: call(conv, x, edges)
    with torch.no_grad():
        row = {"ours": measure(ours)}
        row["ours"]["bits_repeat"] = bool(torch.equal(ours(), ours()))
        try:
            row["pyg"] = measure(theirs)
            out, peer = ours(), theirs()
            reference = call(conv.double(), x.double(), edges)
            row["ours"]["error"] = error(out, reference)
            row["pyg"]["error"] = error(peer, reference)
        except torch.cuda.OutOfMemoryError:
            row["pyg"] = None
    return row


def load(folder, name):
    graph = gnn_mlir.Graph.load(folder / f"{name}.npz")
    undirected = name in ("cora", "citeseer", "pubmed", "soc-epinions")
    return graph if undirected else gnn_mlir.add_inverses(graph)


def number(value, digits=3):
    return "-" if value is None else f"{value:.{digits}f}"


def driver():
    command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    return subprocess.run(command, capture_output=True, text=True,
                          check=False).stdout.strip()


def table(result):
    """The results as Markdown."""
    text = (f"# One layer, {result['features']} to {result['features']} features, "
            f"inference, fp32\n\n{result['date']}, {result['gpu']}, driver "
            f"{result['driver']}, CUDA {result['cuda']}, torch "
            f"{result['torch']}, torch-geometric {result['torch_geometric']}, "
            f"gnn-mlir {result['gnn_mlir']}. Medians of 20 calls; \"graph\": of "
            f"replays of a CUDA graph (-: cannot be captured). GAT and RGAT have "
            f"{result['heads']} heads. MiB: what a call allocates, its output "
            f"included.\n\n")
    text += ("| graph | edges | layer | ours, ms | in a graph | MiB | error | PyG, "
             "ms | in a graph | MiB | error | PyG / ours |\n" + "|---" * 12 + "|\n")
    for row in result["rows"]:
        cells = [row["graph"], f"{row['edges']:,}", row["layer"]]
        for side in ("ours", "pyg"):
            found = row[side] or {}
            cells += [number(found.get("ms")), number(found.get("graph_ms")),
                      number(found.get("mib"), 1),
                      f"{found['error']:.1e}" if "error" in found else "-"]
        ratio = row["pyg"] and row["pyg"]["ms"] / row["ours"]["ms"]
        text += "| " + " | ".join([*cells, number(ratio, 1)]) + " |\n"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--graphs", default="aifb,mutag,fb15k237,wn18rr,wordnet30")
    parser.add_argument("--models", default=",".join(LAYERS))
    parser.add_argument("--features", type=int, default=64)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--output", type=pathlib.Path)
    options = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = False
    result = {"date": datetime.date.today().isoformat(),
              "gpu": torch.cuda.get_device_name(), "torch": torch.__version__,
              "cuda": torch.version.cuda, "gnn_mlir": gnn_mlir.__version__,
              "torch_geometric": torch_geometric.__version__, "driver": driver(),
              "python": sys.version.split()[0], "features": options.features,
              "heads": options.heads, "rows": []}
    print(f"{'graph':<12}{'layer':<11}{'ours ms':>9}{'graph':>9}{'MiB':>9}"
          f"{'error':>10}   {'PyG ms':>9}{'graph':>9}{'MiB':>9}{'error':>10}")
    for name in options.graphs.split(","):
        graph = load(options.data, name)
        for layer in options.models.split(","):
            row = bench(layer, graph, options.features, options.heads)
            row.update(graph=name, layer=layer, nodes=graph.num_nodes,
                       edges=graph.num_edges, edge_types=graph.num_edge_types)
            result["rows"].append(row)
            text = f"{name:<12}{layer:<11}"
            for side in ("ours", "pyg"):
                found = row[side] or {}
                text += (f"{number(found.get('ms')):>9}"
                         f"{number(found.get('graph_ms')):>9}"
                         f"{number(found.get('mib'), 1):>9}"
                         f"{found.get('error', float('nan')):>10.1e}   ")
            print(text, flush=True)
            torch.cuda.empty_cache()
    if options.output:
        text = json.dumps(result, indent=1) + "\n"
        options.output.with_suffix(".json").write_text(text)
        options.output.with_suffix(".md").write_text(table(result))


if __name__ == "__main__":
    main()
