# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a layer became slower: this version of the compiler beside another one.

    python benchmarks/versions.py --other FOLDER --graphs aifb.npz,mutag.npz,am,mag
        [--models rgcn,rgat,hgt,gat,gcn] [--features 64,256] [--rounds 20] [--training]
        [--output FILE]

FOLDER has the other version's Python package, as gnn_mlir_other, and its library,
libGNN.so, with the libGNNCompiler.so.* of a build that has one. Both compile a layer
with all passes for the graph, each with its own compiler and runtime, in one process;
graphs and layers are those of benchmarks/cases.py. Beside the layers there are sum,
weighted-sum and dot: over the edges into a node, and a score for each edge. Each is
bound twice, the second time in the other order, and a round runs all four in an order
of its own. Times are medians over rounds of replays of a CUDA graph; the ratio is the
median over rounds of this version by the other, and the spread how far the two bindings
of one version are apart in the worst of five blocks of rounds. Errors are
||this - other|| / ||other||. On the emulator there are no times. With --training, a
layer's forward pass and its backward pass to all inputs, from one gradient of the output.
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
import torch

import gnn_mlir
from cases import layers_of, load, sums_of
from race import Contender, device, open_machine
from tables import number, write

SLOWER = 1.03


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


def own_graph(version, graph):
    """A graph of a version's own class."""
    return version.Graph(
        graph.edge_src, graph.edge_dst, graph.num_nodes,
        edge_type=graph.edge_type, num_edge_types=graph.num_edge_types,
        node_type=graph.src_node_type, num_node_types=graph.num_node_types,
        schema=graph.schema)


class Step:
    """The forward and the backward pass of a layer, bound; called as a layer is."""

    def __init__(self, version, module, graph, machine):
        (own, function), = module.functions.items()
        signature, body = module.text().split(") {\n", 1)
        wrt = ", ".join(f'"{name}"' for name in function.inputs)
        text = f"{signature}) attributes {{gnn.gradients = [{wrt}]}} {{\n{body}"
        package = version.compile(text, own, target=machine.target, graph=graph).package
        self.passes = [
            version.compiler.CompiledFunction(package, f"{own}_{suffix}").bind(
                graph, machine.target) for suffix in ("forward", "backward")]

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


def bound_layer(version, module, graph, machine, training):
    """The function that is called and timed."""
    if training:
        return Step(version, module, graph, machine)
    return version.compile(module, target=machine.target, graph=graph).bind(
        graph, machine.target)


def bench(versions, model, graphs, features, machine, training=False):
    """The numbers of one layer: times of all bindings, ratio, spread, error."""
    entered, outputs, inputs, kernels, layers = {}, {}, None, {}, {}
    pool = machine.new_pool()
    for name, version in versions.items():
        of_version = {**layers_of(version), **sums_of(version)}
        layers[name] = of_version[model](graphs[name], features)
    # Where a buffer lies may cost more than a pass: the second time the other way round.
    for again, order in (("", versions), (" again", reversed(versions))):
        for name in order:
            module, graph = layers[name]
            if inputs is None:
                function, = module.functions.values()
                inputs = {k: torch.tensor(v, device=machine.device)
                          for k, v in function.random_inputs(graph, 1).items()}
            layer = bound_layer(versions[name], module, graph, machine, training)
            outputs[name] = np.asarray(layer(inputs).cpu(), np.float64)
            kernels[name] = len(layer.report()["steps"])
            one = machine.enter(name + again, lambda layer=layer: layer(inputs), pool=pool)
            if not isinstance(one, Contender):
                raise SystemExit(f"{model}, {name}: {one['skipped']}")
            entered[name + again] = one
    row = {"kernels": kernels, "slower": False,
           "error": float(np.linalg.norm(outputs["this"] - outputs["other"]) /
                          np.linalg.norm(outputs["other"]))}
    machine.race(list(entered.values()))
    if machine.target != "emulator":
        compare(row, versions, {name: one.times for name, one in entered.items()})
    return row


def block_medians(ratios, blocks=5):
    """Medians of ratios over blocks of rounds."""
    size = max(1, len(ratios) // blocks)
    return [statistics.median(ratios[i:i + size])
            for i in range(0, len(ratios) - size + 1, size)]


def compare(row, versions, times):
    """Adds times, ratio and spread."""
    def ratios(a, b):
        return [x / y for x, y in zip(times[a], times[b])]

    spread = max(abs(r - 1) for name in versions
                 for r in block_medians(ratios(name + " again", name)))
    for name in versions:
        row[f"{name} ms"] = statistics.median(times[name] + times[name + " again"])
    row["ratio"] = statistics.median(ratios("this", "other") +
                                     ratios("this again", "other again"))
    row["spread"] = spread
    row["slower"] = row["ratio"] > max(SLOWER, 1 + spread)


def table(result):
    about = ", ".join(f"{k} {v}" for k, v in result["about"].items())
    timed = "a CUDA graph's replay" if "CUDA" in result["about"] else "a call"
    text = (f"# This version and {result['other']}, one layer of F to F features, "
            f"{result['pass']}, fp32\n\n{result['date']}, "
            f"{about}. Milliseconds of {timed}, medians of "
            f"{result['rounds']} rounds in which both versions run in turn, each bound "
            f"twice. Slower: by more than {SLOWER - 1:.0%} and more than the "
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
    parser.add_argument("--device", type=device, default="cuda")
    parser.add_argument("--output", type=pathlib.Path)
    options = parser.parse_args(arguments)
    # All take part in every round, so that ratios are of the same round.
    machine = open_machine(options.device, options.rounds, 1e9)
    versions = {"other": load_other(options.other.resolve()), "this": gnn_mlir}
    random.seed(0)
    result = {"date": datetime.date.today().isoformat(), "about": machine.about(),
              "other": options.name,
              "pass": "training" if options.training else "inference",
              "rounds": options.rounds, "cases": []}
    for text in options.graphs.split(","):
        name, graph = load(text)
        graphs = {"this": graph, "other": own_graph(versions["other"], graph)}
        for model, features in itertools.product(
                options.models.split(","), map(int, options.features.split(","))):
            row = bench(versions, model, graphs, features, machine, options.training)
            result["cases"].append({"graph": name, "layer": model, "features": features,
                                    "edges": graph.num_edges, **row})
            print(name, model, features, *(f"{k} {v}" for k, v in row.items()),
                  flush=True)
            write(options.output, result, table)
    print(table(result))


if __name__ == "__main__":
    main()
