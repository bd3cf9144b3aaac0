# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether cache hints pay: kernels of walks over edges, with their PTX edited.

    python benchmarks/ptx_hints.py [--graphs products-uniform products reddit] [--data FOLDER]
        [--ops sum weighted-sum dot gatv2] [--widths 8 64 1x64]
        [--hints stores-cs words-first ...]

Each op is compiled for the statistics of the graph, and its package once more for each hint,
with other cache operators on its loads and stores. All take turns on torch's current GPU
(benchmarks/race.py), beside a second binding of the kernels as they are. Times are
milliseconds of a CUDA graph's replay, medians of 12 rounds. Another result is an error. A
hint that changes nothing of a kernel has no time.
"""

import argparse
import os
import pathlib
import re
import sys
import tempfile
import zipfile

import torch

import cases
import gnn_mlir
from race import open_machine
from sparse import cells, graphs
from tables import line, markdown, number

LOAD = re.compile(r"ld\.global\.nc\.(v\d\.)?b32(\s+[^;]*\[(%rd\d+)(?:\+-?\d+)?\]);")
STORE = re.compile(r"st\.global\.(v\d\.)?b32(\s+\[[^\]]*\], [^;]*);")
# Where words of edges are read from: twice, 128 words apart.
WORDS = re.compile(r"ld\.global\.nc\.\S+\s[^;]*\[(%rd\d+)\+512\]")


def _with_policy(ptx, kind, share="1.0"):
    """Declares %policy, by which the L2 keeps a share of the lines, in each kernel."""
    return re.sub(r"(?m)^(\.visible \.entry[^{]*\{(?:\n\s*\.(?:reg|shared)[^\n]*|\n[ \t]*(?://[^\n]*)?)*)",
                  rf"\1\n\t.reg .b64 %policy;\n\tcreatepolicy.fractional.L2::{kind}.b64 "
                  rf"%policy, {share};\n", ptx)


def _stores(operator, policy=""):
    def edit(ptx):
        return STORE.sub(lambda m: f"st.global.{operator}.{m[1] or ''}b32{m[2]}{policy};", ptx)
    return edit


def _loads(operators, ofWords, policy=""):
    """Loads of words, or the others of vectors: rows."""
    def edit(ptx):
        words = set(WORDS.findall(ptx))
        return LOAD.sub(lambda m: m[0] if (m[3] in words) != ofWords or not (m[1] or ofWords)
                        else f"ld.global.nc.{operators}.{m[1] or ''}b32{m[2]}{policy};", ptx)
    return edit


_HINT = "L2::cache_hint"
HINTS = {
    "stores-cs": _stores("cs"),
    "stores-first": lambda ptx: _stores(_HINT, ", %policy")(_with_policy(ptx, "evict_first")),
    "words-first": lambda ptx: _loads(f"L1::no_allocate.{_HINT}", True, ", %policy")(
        _with_policy(ptx, "evict_first")),
    "rows-past-l1": _loads("L1::no_allocate", False),
    "rows-last": lambda ptx: _loads(_HINT, False, ", %policy")(
        _with_policy(ptx, "evict_last", "0.25")),
    "rows-128": _loads("L2::128B", False),
    "rows-256": _loads("L2::256B", False),
}


def edited(path, hint):
    """The path of the package with a hint; None where that changes nothing."""
    to = path.with_name(f"{path.stem}-{hint}.gnnpkg")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(to, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name.endswith(".ptx"):
                ptx = data.decode()
                data = HINTS[hint](ptx).encode()
                if data == ptx.encode():
                    return None
            new.writestr(name, data)
    return to


def _inputs(package, edges):
    """Random tensors by name."""
    function, = package.plan()["functions"]
    rows = {"edge": edges.count}
    return {one["name"]: torch.randn(
        [rows.get(one["space"], edges.nodes) if size < 0 else size for size in one["shape"]],
        device=edges.device) for one in function["inputs"]}


def bench(machine, edges, op, width, hints):
    """Milliseconds by hint, of the kernels as they are first."""
    heads, features = width if isinstance(width, tuple) else (None, width)
    make = cases.attention if op in cases.ATTENTION else cases.of_edges
    module = make(gnn_mlir, op, *((heads, features) if heads else (features,)), dst_sorted=True)
    compiled = gnn_mlir.compile(module, target="cuda", graph=edges.graph)
    given, pool, entered, first = _inputs(compiled.package, edges), machine.new_pool(), {}, None
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "kernels.gnnpkg"
        compiled.package.save(path)
        for name in ["as they are", *hints, "again"]:
            package = edited(path, name) if name in HINTS else path
            if package is None:
                continue
            bound = gnn_mlir.load(package).bind(edges.graph, "cuda")
            found = bound(given)
            found = found["out"] if isinstance(found, dict) else found
            first = found if first is None else first
            if not torch.equal(found, first):
                raise SystemExit(f"{op} {width}, {name}: expected the same bits")
            entered[name] = machine.enter(name, lambda bound=bound: bound(given), pool=pool)
    machine.race(list(entered.values()))
    return {name: one.found["ms"] for name, one in entered.items()}


def main(arguments=None):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", nargs="+", default=["products-uniform", "products", "reddit"])
    parser.add_argument("--data", default=os.environ.get("GNN_TEST_DATA"))
    parser.add_argument("--ops", nargs="+", default=["sum", "weighted-sum", "dot", "gatv2"])
    parser.add_argument("--widths", nargs="+", type=cells.width, default=[8, 64, (1, 64)])
    parser.add_argument("--hints", nargs="+", choices=HINTS, default=list(HINTS))
    options = parser.parse_args(arguments)
    machine = open_machine("cuda", 12, 0.4)
    names = ["as they are", "again", *options.hints]
    print(", ".join(f"{key} {value}" for key, value in machine.about().items()), end="\n\n")
    print(markdown(["graph", "op", "F", *names]), end="")
    for graph in options.graphs:
        edges = graphs.Edges(graph, graphs.load(graph, options.data), machine.device)
        for op in options.ops:
            for width in options.widths:
                if (op in cases.ATTENTION) != isinstance(width, tuple):
                    continue
                found = bench(machine, edges, op, width, options.hints)
                text = "x".join(map(str, width)) if isinstance(width, tuple) else str(width)
                print(line([graph, op, text, *(number(found.get(name), 4) for name in names)]),
                      end="", flush=True)


if __name__ == "__main__":
    sys.exit(main())
