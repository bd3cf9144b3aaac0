# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures schedules of cells on the device at hand, by gnn-tune, into one store a cell.

    python benchmarks/tuning/measure.py named --out benchmarks/tuning/stores/h200 \\
        --data DATA --seconds 540

Says beforehand how long it may take, ends in that time, and goes on where it ended when it is
called again: a cell that has its store is skipped. Beside each store lies the module, which has
the statistics of the graph: with both, searches are replayed and features listed without the
graph and without the device.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import cells  # noqa: E402
import gnn_mlir  # noqa: E402
import stores  # noqa: E402

# Seconds that gnn-tune may take for a cell, and how it goes through the list: the cells that
# searches are compared on at equal distances, those to train on by chance, and those that are
# tuned live as gnn-tune goes by default.
PLANS = {"named": (120, "exhaustive"), "training": (8, "random"), "widths": (40, "exhaustive"),
         "lanes": (10, "random"), "dots": (8, "random"), "live": (10, "coordinate"),
         "cpu-training": (12, "random"), "cpu-test": (12, "random")}
# A cell is begun only where its budget and so many seconds for its graph are left.
GRAPH_SECONDS = {"named": 50, "training": 8, "widths": 40, "lanes": 8,
                 "dots": 8, "live": 40, "cpu-training": 5, "cpu-test": 5}


def write_atomically(path, write):
    part = path.with_name(path.name + ".part")
    write(part)
    os.replace(part, path)


class Measurement:
    """One call of this script."""

    def __init__(self, args):
        self.args = args
        self.end = time.monotonic() + args.seconds
        self.out = pathlib.Path(args.out)
        self.scratch = pathlib.Path(args.scratch or tempfile.mkdtemp(prefix="gnn-graphs-"))
        self.held = None, None
        self.out.mkdir(parents=True, exist_ok=True)
        self.scratch.mkdir(parents=True, exist_ok=True)

    def left(self):
        return self.end - time.monotonic()

    def graph(self, cell):
        """The graph and the file of a cell; one graph is held."""
        name, graph = self.held
        path = self.scratch / f"{cell.graph.name}.npz"
        if name != cell.graph.name:
            if name is not None:
                (self.scratch / f"{name}.npz").unlink(missing_ok=True)
            graph, _ = gnn_mlir.sort_edges(cell.graph.load(self.args.data))
            self.held = cell.graph.name, graph
            graph.save(path)
        return graph, path

    def measure(self, cell, seconds, search):
        """Whether the store is whole."""
        graph, path = self.graph(cell)
        module = cell.module(graph)
        text = self.out / f"{cell.file}.mlir"
        write_atomically(text, lambda to: to.write_text(module.text()))
        store = self.out / f"{cell.file}.jsonl"
        part = store.with_name(store.name + ".part")
        part.unlink(missing_ok=True)
        command = [self.args.tool, str(text), "--function", next(iter(module.functions)),
                   "--graph", str(path), "--cell", cell.name, "--search", search,
                   "--seed", "1", "--budget", f"{seconds:g}s", "--store", str(part),
                   "--out", os.devnull]
        if search != "coordinate":  # a store has all that the list has
            command.append("--filter=")
        if self.args.target:
            command.append(f"--target={self.args.target}")
        try:
            done = subprocess.run(command, capture_output=True, text=True,
                                  timeout=max(self.left(), 1))
        except subprocess.TimeoutExpired:
            print(f"{cell.name}: cut off; it is measured anew next time", flush=True)
            return False
        if done.returncode:
            print(f"{cell.name}: {done.stderr.strip()[-2000:]}", flush=True)
            return False
        print(f"{cell.name}\n{done.stdout}", end="", flush=True)
        os.replace(part, store)
        return True

    def run(self):
        wanted = [c for c in cells.SETS[self.args.set] if self.args.only in c.name]
        seconds, search = PLANS[self.args.set]
        if self.args.budget:
            seconds = self.args.budget
        todo = [c for c in wanted if not (self.out / f"{c.file}.jsonl").exists()]
        need = seconds + GRAPH_SECONDS[self.args.set]
        print(f"{len(todo)} of {len(wanted)} cells are left: at most "
              f"{len(todo) * need / 60:.0f} minutes", flush=True)
        failed = 0
        for cell in todo:
            held = self.held[0] == cell.graph.name
            if self.left() < need - held * GRAPH_SECONDS[self.args.set]:
                print("the rest is for the next call", flush=True)
                break
            failed += not self.measure(cell, seconds, search)
        left = sum(not (self.out / f"{c.file}.jsonl").exists() for c in wanted)
        print(f"{left} cells are left, {failed} have failed", flush=True)
        return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("set", choices=cells.SETS)
    parser.add_argument("--out", required=True, help="folder of stores")
    parser.add_argument("--data", help="folder of data sets (soc-epinions.npz)")
    parser.add_argument("--seconds", type=float, default=540, help="that this call may take")
    parser.add_argument("--budget", type=float, help="seconds of one cell")
    parser.add_argument("--only", default="", help="cells that have this in their names")
    parser.add_argument("--scratch", help="folder for graphs; by default a new one")
    parser.add_argument("--target", help="cuda or cpu; by default what there is")
    parser.add_argument("--tool", help="gnn-tune")
    args = parser.parse_args()
    args.tool = stores.find_tool(args.tool)
    return Measurement(args).run()


if __name__ == "__main__":
    sys.exit(main())
