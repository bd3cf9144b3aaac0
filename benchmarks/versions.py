# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a layer became slower: this version of the compiler beside another one.

    python benchmarks/versions.py --other FOLDER --graphs aifb.npz,mutag.npz,am,mag
        [--models rgcn,rgat,hgt,gat,gcn] [--features 64,256] [--rounds 20] [--training]
        [--output FILE]

FOLDER has the other version's Python package, as gnn_mlir_other, and its library,
libGNN.so, with the libGNNCompiler.so.* of a build that has one. Both compile a layer
with all passes for the graph, each with its own compiler and runtime, in one process;
graphs are those of benchmarks/ablation.py and synthetic.py's without types. Beside the
layers there are sum, weighted-sum and dot: over the edges into a node, and a score for
each edge. Each is bound twice, the second time in
the other order, and a round runs all four in an order of its own. Times are medians
over rounds of replays of a CUDA graph; the ratio is the median over rounds of this
version by the other, and the spread how far the two bindings of one version are apart
in the worst of five blocks of rounds. Errors are ||this - other|| / ||other||. On the
emulator there are no times. With --training, a layer's forward pass and its backward
pass to all inputs, from one gradient of the output.
"""

import argparse
import datetime
import importlib
import itertools
import os
import pathlib
import random
import statistics
import sys
import tempfile

import numpy as np

import ablation
import gnn_mlir
import synthetic
from ablation import block_medians
from tables import number, write


def copy_libraries(folder, to):
    """Copies the libraries of `folder` to the folder `to`. The loader takes a library
    for one that it has opened under the same name, so that the copied libGNN.so needs a
    compiler of another name. A static build has its compiler in libGNN.so."""
    old, new = b"libGNNCompiler.so", b"libGNNOtherOne.so"
    assert len(old) == len(new)  # in place: no offsets move
    for path in (folder / "libGNN.so", *folder.glob("libGNNCompiler.so.*")):
        name = path.name.replace(old.decode(), new.decode())
        (to / name).write_bytes(path.read_bytes().replace(old, new))


def load_other(folder):
    """The other version's package, with its own libraries."""
    sys.path.insert(0, str(folder))
    named = os.environ.get("GNN_MLIR_LIBRARY")
    gnn_mlir.capi.has_compiler()  # opens this version's library
    with tempfile.TemporaryDirectory() as to:
        copy_libraries(folder, pathlib.Path(to))
        os.environ["GNN_MLIR_LIBRARY"] = str(pathlib.Path(to) / "libGNN.so")
        other = importlib.import_module("gnn_mlir_other")
        assert other.capi.has_compiler()
    if named is None:
        del os.environ["GNN_MLIR_LIBRARY"]
    else:
        os.environ["GNN_MLIR_LIBRARY"] = named
    return other


def layers_of(version):
    """The layers of benchmarks/ablation.py by this version's models and graphs."""
    def own(graph):
        return version.Graph(
            graph.edge_src, graph.edge_dst, graph.num_nodes,
            edge_type=graph.edge_type, num_edge_types=graph.num_edge_types,
            node_type=graph.src_node_type, num_node_types=graph.num_node_types,
            schema=graph.schema)

    def looped(graph):
        return version.add_self_loops(version.merge_types(graph), "replace", 0)

    def hgt(graph, f):
        graph = version.refine_types(graph)
        return version.models.hgt(graph.num_node_types, graph.num_edge_types, (f, f),
                                  heads=4, schema=graph.schema), graph

    typed = {"rgcn": version.models.rgcn, "rgat": version.models.rgat}
    made = {name: lambda g, f, model=model: (
        model(g.num_edge_types, (f, f), node_types=g.num_node_types), g)
        for name, model in typed.items()}
    made["hgt"] = hgt
    made["gat"] = lambda g, f: (version.models.gat((f, f)), looped(g))
    made["gcn"] = lambda g, f: (version.models.gcn((f, f)), looped(g))
    for name in ("sum", "weighted-sum", "dot"):
        made[name] = lambda g, f, name=name: (of_edges(version, name, f), g)
    return own, made


def of_edges(version, name, features):
    """A sum over the edges into each node, or a score for each edge."""
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


def load(text):
    """(name, graph) of a file or of a made graph, with types or without."""
    name, _, scale = text.partition(":")
    if name in synthetic.WITHOUT_TYPES:
        return text, synthetic.homogeneous(name, float(scale or 1))
    return ablation.load(text)


class Step:
    """The forward and the backward pass of a layer, bound; called as a layer is."""

    def __init__(self, version, module, graph, device):
        (own, function), = module.functions.items()
        signature, body = module.text().split(") {\n", 1)
        wrt = ", ".join(f'"{name}"' for name in function.inputs)
        text = f"{signature}) attributes {{gnn.gradients = [{wrt}]}} {{\n{body}"
        package = version.compile(text, own, target=device.target, graph=graph).package
        self.passes = [
            version.compiler.CompiledFunction(package, f"{own}_{suffix}").bind(
                graph, device.target) for suffix in ("forward", "backward")]

    def __call__(self, inputs):
        """The last gradient."""
        known = dict(inputs)
        for bound in self.passes:
            out = bound({info.name: known[info.name] for info in bound.inputs})
            known |= out if isinstance(out, dict) else {bound.outputs[0].name: out}
            known.setdefault("d_out", known["out"])
        return known[self.passes[-1].outputs[-1].name]

    def report(self):
        return {"steps": [step for bound in self.passes
                          for step in bound.report()["steps"]]}


def bound_layer(version, module, graph, device, training):
    """What is called and timed."""
    if training:
        return Step(version, module, graph, device)
    return version.compile(module, target=device.target, graph=graph).bind(
        graph, device.target)


def bench(versions, model, graphs, features, device, rounds, repeats=3,
          training=False):
    """The numbers of one layer: times of all bindings, ratio, spread, error."""
    prepared, outputs, inputs, kernels, layers = {}, {}, None, {}, {}
    for name, version in versions.items():
        layers[name] = layers_of(version)[1][model](graphs[name], features)
    # Where a buffer lies may cost more than a pass: the second time the other way round.
    for again, order in (("", versions), (" again", reversed(versions))):
        for name in order:
            own, graph = layers[name]
            if inputs is None:
                function, = own.functions.values()
                inputs = device.inputs(function.random_inputs(graph, 1))
            layer = bound_layer(versions[name], own, graph, device, training)
            outputs[name] = np.asarray(device.run(layer, inputs), np.float64)
            kernels[name] = len(layer.report()["steps"])
            prepared[name + again] = device.prepare(layer, inputs)
    row = {"kernels": kernels, "slower": False,
           "error": float(np.linalg.norm(outputs["this"] - outputs["other"]) /
                          np.linalg.norm(outputs["other"]))}
    if device.target == "cuda":
        compare(row, versions, prepared, device, rounds, repeats)
    return row


def compare(row, versions, prepared, device, rounds, repeats):
    """Adds times, ratio and spread."""
    times = {name: [] for name in prepared}
    for _ in range(rounds):
        for name in random.sample(list(prepared), len(prepared)):
            times[name].append(device.time(prepared[name], repeats))

    def ratios(a, b):
        return [x / y for x, y in zip(times[a], times[b])]

    spread = max(abs(r - 1) for name in versions
                 for r in block_medians(ratios(name + " again", name)))
    for name in versions:
        row[f"{name} ms"] = statistics.median(times[name] + times[name + " again"])
    row["ratio"] = statistics.median(ratios("this", "other") +
                                     ratios("this again", "other again"))
    row["spread"] = spread
    row["slower"] = row["ratio"] > max(ablation.SLOWER, 1 + spread)


def table(result):
    about = ", ".join(f"{k} {v}" for k, v in result["about"].items())
    text = (f"# This version and {result['other']}, one layer of F to F features, "
            f"{result['pass']}, fp32\n\n{result['date']}, "
            f"{about}. Milliseconds of a CUDA graph's replay, medians of "
            f"{result['rounds']} rounds in which both versions run in turn, each bound "
            f"twice. Slower: by more than {ablation.SLOWER - 1:.0%} and more than the "
            "spread.\n\n"
            "| graph | layer | F | edges | other | this | this / other | spread | kernels, "
            "other | this | difference | slower |\n" + "|---" * 12 + "|\n")
    for row in result["cases"]:
        text += (f"| {row['graph']} | {row['layer']} | {row['features']} | "
                 f"{row['edges']:,} | "
                 f"{number(row.get('other ms'), 4)} | {number(row.get('this ms'), 4)} | "
                 f"{number(row.get('ratio'))} | {number(row.get('spread'))} | "
                 f"{row['kernels']['other']} | "
                 f"{row['kernels']['this']} | {row['error']:.0e} | "
                 f"{'yes' if row['slower'] else ''} |\n")
    return text


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--other", type=pathlib.Path, required=True)
    parser.add_argument("--name", default="the other", help="what the other version is")
    parser.add_argument("--graphs", required=True)
    parser.add_argument("--models", default="rgcn,rgat,hgt,gat,gcn")
    parser.add_argument("--features", default="64")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--training", action="store_true",
                        help="time the forward and the backward pass")
    parser.add_argument("--device", choices=("cuda", "emulator"), default="cuda")
    parser.add_argument("--output", type=pathlib.Path)
    options = parser.parse_args(arguments)
    device = ablation.OnGPU() if options.device == "cuda" else ablation.OnEmulator()
    versions = {"other": load_other(options.other.resolve()), "this": gnn_mlir}
    random.seed(0)
    result = {"date": datetime.date.today().isoformat(), "about": device.about(),
              "other": options.name,
              "pass": "training" if options.training else "inference",
              "rounds": options.rounds, "cases": []}
    for text in options.graphs.split(","):
        name, graph = load(text)
        graphs = {"this": graph, "other": layers_of(versions["other"])[0](graph)}
        for model, features in itertools.product(
                options.models.split(","), map(int, options.features.split(","))):
            row = bench(versions, model, graphs, features, device, options.rounds,
                        training=options.training)
            result["cases"].append({"graph": name, "layer": model, "features": features,
                                    "edges": graph.num_edges, **row})
            print(name, model, features, *(f"{k} {v}" for k, v in row.items()),
                  flush=True)
            write(options.output, result, table)
    print(table(result))


if __name__ == "__main__":
    main()
