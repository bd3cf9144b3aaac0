# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether schedules that are tuned on a synthetic graph hold on the graph whose statistics it has.

    python benchmarks/tuning/twins.py soc-epinions/dot/32 n200000-d64-v1.5-l0.8/copy_u/64 \\
        --data DATA

Measures the same random schedules of each cell on the graph, once more on the graph, on its twin,
which gnn-tune makes of the statistics, on the graph with its sources in a random order (degrees
stay, near edges do not), and on as many random edges. Writes Markdown: how the order of the times
of each agrees with that of the graph (Spearman's coefficient), and how much longer its fastest
schedule takes on the graph than the graph's fastest. The second measurement of the graph shows the
part that noise has.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import cells  # noqa: E402
import gnn_mlir  # noqa: E402
import rule_gaps  # noqa: E402
import stores  # noqa: E402
import synthetic  # noqa: E402


def shuffle(graph):
    sources = np.random.default_rng(1).permutation(graph.edge_src)
    return gnn_mlir.Graph(sources, graph.edge_dst, graph.num_nodes)


def draw(graph):
    ends = np.random.default_rng(1).integers(0, graph.num_nodes, (2, len(graph.edge_dst)))
    return gnn_mlir.Graph(ends[0], np.sort(ends[1]), graph.num_nodes)


# By what is measured: the graph that gnn-tune gets; the twin is its own.
SIDES = {"graph again": lambda graph: graph, "twin": lambda graph: None, "shuffled": shuffle,
         "random": draw}


def load(known, data):
    """The graph of a cell, which may be one of synthetic.made."""
    made = re.fullmatch(r"n\d+-d\d+-v.*", known.name)
    graph = synthetic.made(known.name) if made else known.load(data)
    return gnn_mlir.sort_edges(graph)[0]


def measure(cell, module, graph, args):
    """By template: the milliseconds of each schedule."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        path, store = folder / "cell.mlir", folder / "cell.jsonl"
        path.write_text(module.text())
        command = [args.tool, str(path), "--function", next(iter(module.functions)), "--cell",
                   cell.name, "--search=random", "--seed=1", "--filter=", "--budget",
                   f"{args.budget:g}s", "--store", str(store), "--out", str(folder / "found.jsonl")]
        if graph is not None:
            graph.save(folder / "graph.npz")
            command += ["--graph", str(folder / "graph.npz")]
        if args.target:
            command.append(f"--target={args.target}")
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{cell.name}: {done.stderr.strip()[-2000:]}")
        return {template: {str(sorted(line["schedule"].items())): line["milliseconds"]
                           for line in (rule, *others)}
                for template, rule, others in rule_gaps.read(stores.Store(store))}


def compare(of_graph, of_side):
    """The number of schedules that both have, Spearman's coefficient, and how much longer the
    fastest of the side takes on the graph."""
    common = [schedule for schedule in of_graph if schedule in of_side]
    if len(common) < 2:
        return len(common), np.nan, np.nan
    graph, side = (np.array([of[s] for s in common]) for of in (of_graph, of_side))
    ranks = [np.argsort(np.argsort(times)) for times in (graph, side)]
    return len(common), np.corrcoef(*ranks)[0, 1], graph[np.argmin(side)] / graph.min() - 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("cells", nargs="+", help="GRAPH/OPERATOR/FEATURES, as cells.py has them")
    parser.add_argument("--data", help="folder of data sets")
    parser.add_argument("--budget", type=float, default=4, help="seconds of one measurement")
    parser.add_argument("--target", help="cuda or cpu; by default what there is")
    parser.add_argument("--tool", help="gnn-tune")
    args = parser.parse_args()
    args.tool = stores.find_tool(args.tool)
    print("| cell | template | measured on | schedules | Spearman | its fastest on the graph |\n"
          "| --- | --- | --- | --- | --- | --- |")
    for name in args.cells:
        graph_name, operator, features = name.split("/")
        cell = cells.Cell(cells.Known(graph_name), operator, int(features))
        graph = load(cell.graph, args.data)
        module = cell.module(graph)
        of_graph = measure(cell, module, graph, args)
        for side, make in SIDES.items():
            of_side = measure(cell, module, make(graph), args)
            for template, times in of_graph.items():
                count, agrees, lost = compare(times, of_side.get(template, {}))
                print(f"| {name} | {template} | {side} | {count} | {agrees:.3f} | {lost:+.1%} |",
                      flush=True)


if __name__ == "__main__":
    main()
