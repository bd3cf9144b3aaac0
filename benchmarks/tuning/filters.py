# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The filters of schedules on stores: how many measured schedules each removes, and whether the
fastest goes with them.

    python benchmarks/tuning/filters.py benchmarks/tuning/stores/h200/training --chip h200 [--graphs]

Schedules that pass are those that gnn-opt lists with the filter. With --graphs the cells' graphs are
made, so that rows count for `balance`; without, it goes by columns alone. Writes Markdown: by filter
the schedules that it removes of what the list has without filters, the cells whose fastest schedule
goes, and the loss: what the fastest of the rest takes longer.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np

import rule_gaps
import stores

FILTERS = ("registers", "utilization", "balance")
ALL = ", ".join(FILTERS)


def list_schedules(store, tool, chip, filters, graph):
    """The schedules of the store's template that pass."""
    options = f"filter={filters}" if filters else ""
    if graph and "balance" in filters:
        options += f" graph={graph}"
    done = subprocess.run(
        [tool, str(store.module), "-o", "/dev/null", f"--gnn-attach-target=chip={chip}",
         "--gnn-graph-pipeline", "--gnn-tile-pipeline",
         f"--gnn-tile-list-schedules={options}" if options else "--gnn-tile-list-schedules"],
        capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{store.path}: {done.stderr.strip()[:2000]}")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return {canonical(line["schedule"]) for line in lines if matches(line, store.first)}


def matches(line, first):
    return all(line[k] == first[k] for k in ("template", "domain", "accesses", "types", "body"))


def canonical(schedule):
    return json.dumps(schedule, sort_keys=True)


def make_graphs(found):
    """Yields stores with the files of their graphs, each of which is made once."""
    import cells
    import gnn_mlir
    of = {cell.name: cell for cell in (*cells.TRAINING, *cells.NAMED)}
    with tempfile.TemporaryDirectory() as folder:
        held = None
        for store in sorted(found, key=lambda s: s.cell.split("/")[0]):
            graph = of[store.cell].graph
            path = pathlib.Path(folder) / f"{graph.name}.npz"
            if graph.name != held:
                for old in pathlib.Path(folder).glob("*.npz"):
                    old.unlink()
                gnn_mlir.sort_edges(graph.load(None))[0].save(path)
                held = graph.name
            yield store, path


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("stores", nargs="+", help="folders of stores")
    parser.add_argument("--chip", required=True)
    parser.add_argument("--graphs", action="store_true")
    parser.add_argument("--tool", default=shutil.which("gnn-opt"), help="gnn-opt")
    args = parser.parse_args()
    found = stores.find_stores(args.stores)
    rows = {name: [] for name in (*FILTERS, ALL)}
    unlisted = 0
    for store, graph in make_graphs(found) if args.graphs else ((s, None) for s in found):
        _, rule, others = next(rule_gaps.read(store))
        ratios = {canonical(line["schedule"]): line["ratio"] for line in (rule, *others)}
        known = list_schedules(store, args.tool, args.chip, "", graph)
        unlisted += sum(one not in known for one in ratios)
        ratios = {one: ratio for one, ratio in ratios.items() if one in known}
        best = min(ratios.values())
        chosen = canonical(rule["schedule"])
        passes = {name: list_schedules(store, args.tool, args.chip, name, graph)
                  for name in FILTERS}
        passes[ALL] = set.intersection(*passes.values())
        for name, passing in passes.items():
            left = [ratio for one, ratio in ratios.items() if one in passing]
            loss = min(left) / best - 1 if left else np.inf
            rows[name].append((len(ratios), len(left), loss, store.cell,
                               chosen in known and chosen not in passing, len(known),
                               len(passing)))
    print(f"{len(found)} cells; {unlisted} measured schedules are not listed\n\n"
          "| filter | measured | removed | listed | removed | fastest removed | lost over 2% | "
          "worst loss | the rule's removed |\n" + "| --- " * 9 + "|")
    for name, of in rows.items():
        count, kept = sum(r[0] for r in of), sum(r[1] for r in of)
        listed, passing = sum(r[5] for r in of), sum(r[6] for r in of)
        worst = max(of, key=lambda r: r[2])
        print(f"| {name} | {count} | {(count - kept) / count:.1%} | {listed} | "
              f"{(listed - passing) / listed:.1%} | {sum(r[2] > 0 for r in of)} | "
              f"{sum(r[2] > 0.02 for r in of)} | {worst[2]:.1%} ({worst[3]}) | "
              f"{sum(r[4] for r in of)} |")


if __name__ == "__main__":
    main()
