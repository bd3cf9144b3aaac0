# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures schedules of the kernels that walk edges, into a store that searches replay.

    python benchmarks/tuning/collect.py --store cells.jsonl [--budget SECONDS] [--search NAME]
        [--seed N] [--target cuda] GRAPH/OP/WIDTH...

A cell is a graph of benchmarks/cases.py ("reddit", "reddit:0.01", FILE.npz), an operator (sum,
weighted-sum, mean, max, dot, or one of attention) and a number of features. Measured is the
slowest kernel of the cell, by `gnn_mlir.tune`, and each measurement is a line of the store
under the name of the cell (docs/Tuning.md). A table of what was found is printed."""

import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import cases  # noqa: E402
import gnn_mlir  # noqa: E402

OPS = {**cases.sums_of(gnn_mlir, (*cases.REDUCTIONS, "dot")),
       **{op: lambda g, f, op=op: (cases.attention(gnn_mlir, op, 1, f), g)
          for op in cases.ATTENTION}}


def read_cell(text):
    """The parts of a cell."""
    graph, op, width = text.rsplit("/", 2)
    if op not in OPS or not width.isdigit():
        raise argparse.ArgumentTypeError(
            f"expected GRAPH/OP/WIDTH with an OP of {', '.join(OPS)}; got {text!r}")
    return graph, op, int(width)


def show(name, timed, dropped, best, done):
    if sys.stderr.isatty():
        print(f"\r{done:4.0%} {name}: {timed} measured, {dropped} dropped, best {best:.2f} ",
              end="", file=sys.stderr)


def measure(cell, options):
    """Tunes the slowest kernel of a cell."""
    graph_name, op, width = cell
    module, graph = OPS[op](gnn_mlir.merge_types(cases.load(graph_name)[1]), width)
    settings = dict(target=options.target, progress=show)
    # A budget too small to search anything in still times each kernel as it is.
    times = gnn_mlir.tune(module, graph, budget=1e-3, **settings).templates
    slowest = max(times, key=lambda one: one["milliseconds"])["number"]
    name = f"{graph_name}/{op}/{width}"
    found = gnn_mlir.tune(module, graph, op=slowest, budget=options.budget, search=options.search,
                          seed=options.seed, store=options.store, cell=name, **settings)
    print(f"{name}\n{found}", flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cells", nargs="+", type=read_cell, metavar="GRAPH/OP/WIDTH")
    parser.add_argument("--store", required=True)
    parser.add_argument("--budget", type=float, default=60)
    parser.add_argument("--search", default="exhaustive")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--target", default="cuda")
    options = parser.parse_args()
    for cell in options.cells:
        measure(cell, options)


if __name__ == "__main__":
    main()
