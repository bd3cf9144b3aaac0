# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention alone, forward and backward, on graphs without types: GATv2 and scaled dot
products, one head, of rows that are there. benchmarks/training.py runs it.

Peers: turbo-gnn, where it is importable (its kernels end the process that captures
them), and for dot products torch with cuSPARSE. GATv2 by torch would store several rows
of features for each edge.
"""

import datetime
import importlib
import math

import numpy as np
import torch

import gnn_mlir
import synthetic
import training
from gnn_mlir import types
from race import Contender
from tables import markdown, number, write
from torch_layers import Incidence

GRAPHS = ("products", "proteins")
CHECKED = ("products:0.0001",)
SLOPE = 0.2


def gatv2(features):
    """y[v] = Σ a[e] source[u], a the softmax of leaky_relu(source[u] + target[v]) . att
    over the edges into v."""
    module = gnn_mlir.Module()
    g = module.graph("g")
    f = module.function("gatv2")
    source, target = (f.input(name, g.rows("node", 1, features))
                      for name in ("source", "target"))
    att = f.input("att", types.weight(1, features))
    both = f.apply("add", "edge", source, target, "src", "dst")
    score = f.dot(f.activation("leaky_relu", both, alpha=SLOPE), att)
    return _attend(f, score, source)


def dot(features):
    """The same with the softmax of query[v] . key[u] / √features, of values."""
    module = gnn_mlir.Module()
    g = module.graph("g")
    f = module.function("dot")
    query, key, value = (f.input(name, g.rows("node", 1, features))
                         for name in ("query", "key", "value"))
    score = f.sddmm("edge", query, key, "dst", "src") * (1 / math.sqrt(features))
    return _attend(f, score, value)


def _attend(f, score, rows):
    softmax = f.edge_softmax(score, over="dst")
    message = f.apply("mul", "edge", softmax, rows, rhs_via="src")
    f.output("out", f.aggregate("sum", message, "node", via="dst"))
    return f.module


KINDS = {"gatv2": gatv2, "dot": dot}


class _Dot(torch.autograd.Function):
    """Dot-product attention of rows, by cuSPARSE."""

    @staticmethod
    def forward(ctx, query, key, value, edges):
        scale = 1 / math.sqrt(query.shape[1])
        softmax = edges.softmax(edges.dots(query, key).mul_(scale))
        out = edges.sum(softmax, value)
        ctx.save_for_backward(query, key, value, softmax, out)
        ctx.edges, ctx.scale = edges, scale
        return out

    @staticmethod
    def backward(ctx, g):
        query, key, value, softmax, out = ctx.saved_tensors
        edges = ctx.edges
        dl = edges.softmax_back(softmax, edges.dots(g, value),
                                (g * out).sum(1)).mul_(ctx.scale)
        return (edges.sum(dl, key), edges.sum_back(dl, query),
                edges.sum_back(softmax, g), None)


def reference(kind, graph, inputs, up):
    """Output and gradients by torch's autograd in float64."""
    src, dst = (torch.tensor(a, dtype=torch.int64)
                for a in (graph.edge_src, graph.edge_dst))
    given = {k: torch.tensor(v, dtype=torch.float64).squeeze(1).requires_grad_()
             if k != "att" else torch.tensor(v, dtype=torch.float64).requires_grad_()
             for k, v in inputs.items()}
    if kind == "gatv2":
        both = given["source"][src] + given["target"][dst]
        score = torch.nn.functional.leaky_relu(both, SLOPE) @ given["att"][0]
        rows = given["source"]
    else:
        score = (given["query"][dst] * given["key"][src]).sum(1) / math.sqrt(
            up.shape[-1])
        rows = given["value"]
    weight = torch.exp(score)
    total = torch.zeros(graph.num_nodes, dtype=torch.float64).index_add(0, dst, weight)
    out = torch.zeros_like(rows).index_add(
        0, dst, rows[src] * (weight / total[dst]).unsqueeze(1))
    out.backward(torch.tensor(up, dtype=torch.float64).squeeze(1))
    return {"out": out.detach().numpy().reshape(up.shape),
            **{f"d_{k}": v.grad.numpy().reshape(inputs[k].shape)
               for k, v in given.items()}}


def _turbo(graph, device):
    """turbo-gnn's module and graph, or None and why not."""
    try:
        turbo = importlib.import_module("turbo_gnn")
    except ImportError as error:
        return None, f"not there: {error}"
    nodes, both = graph.num_nodes, []
    src, dst = (torch.tensor(a, dtype=torch.int64, device=device)
                for a in (graph.edge_src, graph.edge_dst))
    for row, col in ((dst, src), (src, dst)):
        order = torch.argsort(row * nodes + col)
        begin = torch.zeros(nodes + 1, dtype=torch.int32, device=device)
        begin[1:] = torch.bincount(row, minlength=nodes).cumsum(0)
        both += [begin, col[order].int()]
    structure = turbo.AdjacencyForwardBackwardWithNodeBuckets.from_csr(*both)
    return turbo, structure.to(device)


def peers_of(kind, graph, inputs, up, device):
    """{name: (step to time, output and gradients by name) or why not}."""
    tensors = {k: torch.tensor(v, device=device).requires_grad_()
               for k, v in inputs.items()}
    up = torch.tensor(up, device=device)
    calls = {"torch": "not there: rows of features for each edge"}
    if kind == "dot":
        src, dst = (torch.tensor(a, dtype=torch.int64, device=device)
                    for a in (graph.edge_src, graph.edge_dst))
        edges = Incidence(dst, src, graph.num_nodes, graph.num_nodes)
        calls["torch"] = lambda: _Dot.apply(*(tensors[k].squeeze(1) for k in (
            "query", "key", "value")), edges).unsqueeze(1)
    turbo, structure = _turbo(graph, device)
    if turbo is None:
        calls["turbo-gnn"] = structure
    elif kind == "gatv2":
        calls["turbo-gnn"] = lambda: turbo.gatv2_aggr(
            structure, tensors["target"], tensors["source"], tensors["att"],
            negative_slope=SLOPE)
    else:
        q, k, v = (tensors[name] for name in ("query", "key", "value"))
        calls["turbo-gnn"] = lambda: turbo.graph_transformer_aggr(
            structure, q.view(len(q), -1), q, k, v, scale=1 / math.sqrt(q.shape[-1]))

    def pair(call):
        def step():
            out = call()
            return torch.autograd.grad(out, list(tensors.values()), up.view(out.shape))

        def named():
            out = call()
            found = torch.autograd.grad(out, list(tensors.values()), up.view(out.shape))
            return {"out": out.detach().view(up.shape),
                    **dict(zip((f"d_{k}" for k in tensors), found))}
        return step, named

    return {name: call if isinstance(call, str) else pair(call)
            for name, call in calls.items()}


def load(text):
    name, _, scale = text.partition(":")
    return synthetic.homogeneous(name, float(scale or 1))


def _prepare(kind, graph, features):
    """A program, its inputs and a gradient of its output."""
    module = KINDS[kind](features)
    function, = module.functions.values()
    rng = np.random.default_rng(1)
    up = rng.standard_normal((graph.num_nodes, 1, features), dtype=np.float32)
    return module, function.random_inputs(graph, 1), up


def check(graphs, features, machine):
    """Worst errors against float64: {graph: {kind: {who: error}}}."""
    found = {}
    for text in graphs:
        graph = load(text)
        for kind in KINDS:
            module, given, up = _prepare(kind, graph, features)
            expected = reference(kind, graph, given, up)
            inputs, there = training.our_inputs(given, up, machine)
            ours = training.Ours(module, graph, list(given), machine)
            errors = {"ours": training.worst_error(ours.step(inputs, there), expected)}
            for name, peer in peers_of(kind, graph, given, up, machine.device).items():
                if not isinstance(peer, str):
                    errors[name] = training.worst_error(peer[1](), expected)
            found.setdefault(text, {})[kind] = errors
            print(f"{text:<18}{kind:<6}" + ", ".join(
                f"{who} {error:.1e}" for who, error in errors.items()), flush=True)
    return found


def bench(kind, graph, features, machine):
    """All numbers of one kind of attention on one graph."""
    module, given, up = _prepare(kind, graph, features)
    inputs, there = training.our_inputs(given, up, machine)
    pool = machine.new_pool()
    plain = gnn_mlir.compile(module, target=machine.target, graph=graph).bind(
        graph, machine.place)
    passes = training.Ours(module, graph, list(given), machine)
    ours = {"training": machine.enter("training", lambda: passes.step(inputs, there),
                                      None, pool),
            "inference": machine.enter("inference", lambda: plain(inputs), None, pool)}
    for name, entered in ours.items():
        if isinstance(entered, dict):
            raise RuntimeError(f"{kind}: {name}: {entered['skipped']}")
    peers = {}
    for name, peer in peers_of(kind, graph, given, up, machine.device).items():
        peers[name] = ({"skipped": peer} if isinstance(peer, str) else
                       machine.enter(name, peer[0], capture=name != "turbo-gnn"))
        if isinstance(peers[name], dict):
            print(f"  {name}: {peers[name]['skipped']}", flush=True)
    machine.race([c for c in (*ours.values(), *peers.values())
                  if isinstance(c, Contender)])
    found = lambda c: c.found if isinstance(c, Contender) else c
    return training.compare({
        "kernels": passes.kernels(), **passes.memory(),
        "ours": {name: found(c) for name, c in ours.items()},
        "peers": {name: found(c) for name, c in peers.items()}})


def table(result):
    """The results as Markdown."""
    about = ", ".join(f"{k} {v}" for k, v in result["about"].items())
    text = (f"# Attention alone, one head of {result['features']}, forward and "
            f"backward, fp32\n\n{result['date']}, {about}. Milliseconds, medians over "
            f"{result['rounds']} rounds in which all take turns; *: of calls, since it "
            "cannot be captured.\n\n")
    mib = lambda found: number(found.get("mib"), 1)
    return text + markdown(
        ["graph", "edges", "attention", "training", "inference",
         "training / inference", "torch", "turbo-gnn", "best peer / ours",
         "predicted, MiB", "MiB", "torch, MiB", "turbo-gnn, MiB"],
        [[row["graph"], f"{row['edges']:,}", row["kind"],
          *(training.time_cell(row["ours"][k]) for k in ("training", "inference")),
          number(row["to_inference"], 2),
          *(training.time_cell(row["peers"][k]) for k in ("torch", "turbo-gnn")),
          number(row["ratio"], 2), number(row["predicted_mib"], 1),
          mib(row["ours"]["training"]),
          *(mib(row["peers"][k]) for k in ("torch", "turbo-gnn"))]
         for row in result["rows"]])


def main(options, machine):
    graphs = (options.graphs or ",".join(
        CHECKED if options.check else GRAPHS)).split(",")
    if options.check:
        found = check(graphs, options.features, machine)
        training.expect_small(error for of_graph in found.values()
                              for errors in of_graph.values()
                              for error in errors.values())
        return
    result = {"date": datetime.date.today().isoformat(),
              "about": {**machine.about(), "gnn-mlir": gnn_mlir.__version__},
              "features": options.features, "rounds": options.rounds, "rows": []}
    for text in graphs:
        graph = load(text)
        for kind in KINDS:
            print(f"{text} {kind}: {graph.num_edges} edges", flush=True)
            result["rows"].append({"graph": text, "kind": kind,
                                   "edges": graph.num_edges,
                                   **bench(kind, graph, options.features, machine)})
            write(options.output, result, table)
    print(table(result))
