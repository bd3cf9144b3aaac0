# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernels that walk edges, beside a gather and beside peers.

    python benchmarks/sparse [--ops sum weighted-sum mean max min argmax dot dot-shuffled gatv2
        dot-attention additive growth ablation small] [--graphs reddit proteins products cora]
        [--widths 32 64 8x16] [--modes forward training] [--quick] [--peers cuSPARSE torch]
        [--library NAME=FILE.so] [--tuned edge-walks=0] [--data FOLDER] [--minutes 8]
        [--earlier RUN.json ...] [--commit TEXT] [--target cuda] [--output FILE]

Each graph has a process of its own. In it what computes the same takes turns
(benchmarks/race.py): the kernels of the compiler as they come, for the statistics of the graph;
the limit, a gather of the rows in the order of the edges by the best tiles of columns, which
writes nothing, and one that reads and writes in order what the op does
(benchmarks/sparse/limit.py); and the peers of benchmarks/sparse/peers.py. Times
are medians of replays of CUDA graphs, of at least ten rounds (*: of calls, where it cannot be
captured); of a graph whose rows stay in the L2 once more with the L2 flushed. A peer that takes
--slower times as long as the best has none. Each result is held against float64, by torch, on
some 100,000 edges with those of the longest rows first; ours is the same in two runs.

Suites: sums over the edges into a node, dots of both ends of an edge (in the order of the rows,
and drawn), attention of rows that are projected, and with their own graphs growth, ablation
(each pass off) and small (an op over an empty kernel). --ops are ops, or suites. Graphs are made
ones of benchmarks/cases.py ("products" is local), scaled as "reddit:0.01", drawn ones, with
other numbers of edges and of those into a node as "uniform-10k:8:400", and files of --data, by
default of $GNN_TEST_DATA, with the inverse of each edge unless they are undirected. Programs
declare edges in the order of the rows (dst_sorted).
Nothing is tuned: --tuned adds rows with other switches, marked so.

--minutes ends a run between two cells. --earlier are results of runs of the same commit on the
same kind of device: their cells are not measured again, and stand with the others; with
--minutes 0 they are put together alone. --output writes FILE.json after each graph, and then
FILE.md and FILE-OP.svg. On the emulator and the CPU results are checked, and nothing is timed.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import time

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent))  # The modules that benchmarks share come first.

from sparse import cells, results, tables  # noqa: E402


def _width(text):
    try:
        return cells.width(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _commit():
    found = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=FOLDER, check=False,
                           capture_output=True, text=True)
    return found.stdout.strip() or None


def parse(arguments):
    parser = argparse.ArgumentParser(prog="sparse", description=__doc__, formatter_class=argparse.
                                     RawDescriptionHelpFormatter)
    parser.add_argument("--ops", nargs="+", choices=cells.OPS, default=[])
    parser.add_argument("--graphs", nargs="+")
    parser.add_argument("--widths", nargs="+", type=_width, default=[])
    parser.add_argument("--modes", nargs="+", choices=("forward", "training"))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--peers", nargs="*", default=[""], help="those whose names begin so")
    parser.add_argument("--library", nargs="+", default=[], metavar="NAME=FILE")
    parser.add_argument("--tuned", nargs="+", default=[], metavar="SWITCH=VALUE,...")
    parser.add_argument("--data", type=pathlib.Path, default=os.environ.get("GNN_TEST_DATA"))
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=0.5, help="of turns, a program")
    parser.add_argument("--slower", type=float, default=5.0)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--earlier", nargs="+", type=pathlib.Path, default=[])
    parser.add_argument("--commit", default=_commit())
    parser.add_argument("--target", choices=("cuda", "cpu", "emulator"), default="cuda")
    parser.add_argument("--output", type=pathlib.Path)
    options = parser.parse_args(arguments)
    if options.commit is None:
        parser.error("argument --commit: expected what is measured, since this is no checkout of "
                     "git, got none")
    for name in ("library", "tuned"):
        for text in getattr(options, name):
            if not all("=" in part for part in text.split(",")):
                parser.error(f"argument --{name}: expected NAME=VALUE, got {text}")
    if options.rounds < 10:
        parser.error(f"argument --rounds: expected at least 10, got {options.rounds}")
    if options.quick:
        options.ops = options.ops or list(cells.QUICK_OPS)
        options.widths = options.widths or list(cells.QUICK_WIDTHS)
        options.modes = options.modes or ["forward"]
    options.modes = options.modes or ["forward", "training"]
    return options


def chosen(options):
    """{graph: cells} to measure."""
    graphs = options.graphs or (["reddit", "products"] if options.quick else
                                cells.default_graphs(options.data))
    return cells.select(graphs, bool(options.graphs), options.ops, options.widths,
                        options.modes)


def measure(todo, options, result, save):
    """The result with that of cells to measure, {graph: cells}."""
    from race import device
    from sparse import runs
    try:
        device(options.target)
    except argparse.ArgumentTypeError as error:
        sys.exit(f"error: argument --target: {error}")
    until = time.monotonic() + 60 * options.minutes
    like = result and {**result, "rows": []}

    def joined(new):
        return results.together([result, new]) if result else new

    for graph, found in todo.items():
        if (seconds := until - time.monotonic()) < 0:
            print(f"no time left for {graph}", flush=True)
        elif len(todo) == 1:
            made = []
            runs.run_graph(graph, found, options, seconds, like,
                           lambda new: (made.append(new), save(joined(new))))
            result = joined(made[-1]) if made else result
        elif made := runs.run_apart(graph, found, options, seconds, like):
            result = joined(made)
            save(result)
    return result


def main(arguments=None):
    options = parse(arguments)
    try:
        earlier = [results.read(path) for path in options.earlier]
        result = results.together(earlier) if earlier else None
    except (ValueError, OSError) as error:
        sys.exit(f"error: {error}")
    todo = {} if options.minutes <= 0 else {
        graph: [cell for cell in found if not results.has(result, cell.key())]
        for graph, found in chosen(options).items()}
    todo = {graph: found for graph, found in todo.items() if found}

    def save(found):
        if options.output:
            results.write(options.output.with_suffix(".json"), found)

    try:
        result = measure(todo, options, result, save) if todo else result
    except ValueError as error:
        sys.exit(f"error: {error}")
    if result is None:
        sys.exit("error: expected something to measure, got no cell")
    if options.output:
        save(result)
        for file, text in tables.files(result, options.output.stem).items():
            options.output.with_name(file).write_text(text)
    print(tables.table(result))
    if wrong := results.wrong(result):
        sys.exit("error: wrong results of ours: " + "; ".join(wrong))


if __name__ == "__main__":
    main()
