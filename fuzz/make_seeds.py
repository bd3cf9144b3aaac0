#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the first inputs of the fuzzers: make_seeds.py FOLDER makes
FOLDER/npz, FOLDER/package, FOLDER/mlir and FOLDER/plan. Inputs the fuzzers found
are kept beside them."""

import io
import json
import struct
import sys
import zipfile
from pathlib import Path

NAMES = ["edge_src", "edge_dst", "edge_type", "node_type", "dst_node_type",
         "edge_type_names", "schema", "node_type_names", "feat_indptr",
         "feat_indices", "feat_data", "feat_dim", "label", "label_names",
         "train_mask", "edge_split"]


def npy(descr, shape, data):
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + data


def ints(code, *values):
    descr = {"b": "|i1", "h": "<i2", "i": "<i4", "q": "<i8", "H": "<u2",
             "f": "<f4", "?": "|b1"}[code]
    return npy(descr, f"({len(values)},)", struct.pack(f"<{len(values)}{code}", *values))


def names(*strings):
    width = max(map(len, strings))
    data = b"".join(s.ljust(width, "\0").encode("utf-32-le") for s in strings)
    return npy(f"<U{width}", f"({len(strings)},)", data)


def zipped(entries):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def npz(arrays):
    return b"z" + zipped({name + ".npy": data for name, data in arrays.items()})


def listed(arrays):
    return b"a" + b"".join(
        struct.pack("<BH", NAMES.index(name), len(data)) + data
        for name, data in arrays.items())


GRAPH = {
    "edge_src": ints("i", 0, 1, 2, 2), "edge_dst": ints("i", 1, 1, 0, 1),
    "edge_type": ints("h", 0, 0, 1, 1), "node_type": ints("h", 0, 0, 1),
    "edge_type_names": names("cites", "wrote"),
    "node_type_names": names("paper", "author"),
    "feat_indptr": ints("i", 0, 2, 3, 3), "feat_indices": ints("H", 0, 4, 3),
    "feat_data": ints("f", 1.5, 2, -1), "feat_dim": npy("<i4", "()", b"\5\0\0\0"),
    "label": ints("i", 1, 0, -1), "label_names": names("a", "b"),
    "train_mask": ints("?", 1, 0, 0), "edge_split": ints("b", 0, 1, 2, 0),
}

PLAN = {
    "version": 1, "target": {"chip": "sm_90", "features": "+ptx80"},
    "functions": [{
        "name": "f",
        "graphs": [{"name": "g", "square": True, "node_types": 1,
                    "edge_types": 2, "schema": [[0, -1], [-1, -1]]}],
        "inputs": [{"name": "x", "graph": "g", "space": "src",
                    "shape": [-1, 3], "dtype": "f32"},
                   {"name": "w", "graph": "", "space": "none",
                    "shape": [2, 3, 3], "dtype": "f32"}],
        "outputs": [{"name": "y", "graph": "g", "space": "dst_pair",
                     "shape": [-1, 3], "dtype": "i64"}],
        "exprs": [{"op": "count", "graph": "g", "of": "count dst"},
                  {"op": "const", "value": 256},
                  {"op": "count", "graph": "g", "of": "tile_count dst edge.in_rows 2"},
                  {"op": "count", "graph": "g", "of": "max_row edge_type src_pair"},
                  {"op": "mul", "args": [0, 1]}, {"op": "ceildiv", "args": [4, 1]},
                  {"op": "floordiv", "args": [4, 2]}, {"op": "max", "args": [2, 3]},
                  {"op": "const", "value": 1}, {"op": "sub", "args": [8, 8]}],
        "requires": [{"op": "le", "args": [8, 0], "expected": "a node"},
                     {"op": "eq", "args": [9, 9], "expected": "nothing"}],
        "structures": [{"graph": "g", "key": "rows dst edge.in_rows"},
                       {"graph": "g", "key": "tiles dst_pair edge.dst_pairs 16"},
                       {"graph": "g", "key": "map edge.in_rows edge.src_pairs"},
                       {"graph": "g", "key": "rows graph src.by_degree"},
                       {"graph": "g", "key": "tile_rows src edge.out_rows 3"}],
        "workspace": 4,
        "steps": [{"kernel": "k", "grid": [5, 8, 8], "block": [1, 8, 8],
                   "shared": 1,
                   "args": [{"input": 0}, {"output": 0},
                            {"workspace": 1, "bytes": 1}, {"structure": 0},
                            {"i32": 2}, {"i64": 3}],
                   "reads": 0, "writes": 1, "flops": -1},
                  {"kernel": "k2", "grid": [9, 8, 8], "block": [1, 8, 8],
                   "args": []}]}]}


def derived():
    """The same on a graph of one of the edge types."""
    function = dict(PLAN["functions"][0], derived=[
        {"name": "s", "of": "g", "types": [1], "schema": [[-1, -1]]}])
    function["structures"] = [dict(s, graph="s") for s in function["structures"]]
    function["structures"][2] = {
        "graph": "s", "key": "map edge.in_rows parent_edge.src_pairs"}
    return json.dumps(dict(PLAN, version=2, functions=[function]))


def npz_seeds():
    yield "graph", npz(GRAPH)
    yield "arrays", listed(GRAPH)
    smallest = {key: GRAPH[key] for key in ("edge_src", "edge_dst", "node_type")}
    yield "smallest", listed(smallest)
    empty = {key: ints("i") for key in smallest}
    yield "empty", listed(empty)
    bipartite = dict(GRAPH, dst_node_type=ints("h", 0, 0),
                     schema=npy("<i4", "(2, 2)", struct.pack("<4i", 0, 0, 1, -1)))
    yield "bipartite", listed(bipartite)
    yield "negative-id", listed(dict(GRAPH, edge_src=ints("i", 0, -1, 2, 2)))
    yield "large-id", listed(dict(GRAPH, edge_dst=ints("q", 0, 1, 2, 1 << 40)))
    yield "lengths", listed(dict(GRAPH, edge_dst=ints("i", 0, 1)))
    yield "dtype", listed(dict(GRAPH, edge_src=ints("f", 0, 1, 2, 2)))
    yield "huge-shape", listed(dict(GRAPH, label=npy("<i4", "(99999999999,)", b"")))
    yield "bomb", npz(dict(GRAPH, label=npy("<i4", "(3,)", bytes(3 << 20))))
    yield "truncated", npz(GRAPH)[:-100]
    yield "npy", b"n" + npy("<f8", "(1, 2)", struct.pack("<2d", 1, 2))
    yield "npy-text", b"n" + names("ab", "")
    yield "npy-fortran", b"n" + npy("<f4", "(1, 1)", b"abcd").replace(b"False", b"True ")


def package_seeds():
    text = json.dumps(PLAN)
    yield "plan", b"p" + text.encode()
    yield "plan-spaced", b"p" + json.dumps(PLAN, indent=1).encode()
    yield "version", b"p" + text.replace('"version": 1', '"version": 3').encode()
    yield "derived", b"p" + derived().encode()
    yield "index", b"p" + text.replace('"args": [0, 1]', '"args": [0, 99]').encode()
    yield "overflow", b"p" + text.replace("256", "9223372036854775807").encode()
    yield "zero-block", b"p" + text.replace('"block": [1', '"block": [9').encode()
    yield "bipartite", b"p" + text.replace("true", "false").encode()
    package = zipped({"plan.json": text, "kernels.ptx": "// none\n"})
    yield "package", b"z" + package
    yield "package-truncated", b"z" + package[:-40]
    yield "package-entry", b"z" + zipped({"plan.json": text, "other": ""})
    constant = text.replace('"version": 1', '"version": 8, "constants": 16').replace(
        '{"input": 0}', '{"constant": 0, "bytes": 16}')
    yield "constants", b"p" + constant.encode()
    yield "package-constants", b"z" + zipped({
        "plan.json": constant, "kernels.ptx": "", "constants.bin": 16 * "x"})
    yield "package-no-plan", b"z" + zipped({"kernels.ptx": ""})
    yield "package-nested", b"z" + zipped({"plan.json": "[" * 50000})


LAYER = """#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 2, edge_types = 3}
func.func @f(%x: tensor<?x4xf32, #node> {gnn.name = "x"},
             %w: tensor<3x4x5xf32, #gnn.rows<@g, edge_type>>)
    -> tensor<?x5xf32, #node> {
  %m = gnn.gather %x via src : tensor<?x4xf32, #node> -> tensor<?x4xf32, #edge>
  %h = gnn.typed_linear %m, %w : (tensor<?x4xf32, #edge>, tensor<3x4x5xf32, #gnn.rows<@g, edge_type>>) -> tensor<?x5xf32, #edge>
  %y = gnn.aggregate sum %h via dst : tensor<?x5xf32, #edge> -> tensor<?x5xf32, #node>
  return %y : tensor<?x5xf32, #node>
}
"""


def mlir_seeds():
    """A layer, and what is wrong with it; the examples are seeds besides."""
    edits = {
        "layer": ("", ""), "no-graph": ("gnn.graph @g square", "gnn.graph @h square"),
        "no-types": ("edge_types = 3", "edge_types = 0"),
        "many-types": ("edge_types = 3", "edge_types = 65536"),
        "too-many-types": ("edge_types = 3", "edge_types = 99999999999999999999"),
        "bipartite": ("square", "bipartite"), "no-features": ("?x4x", "?x0x"),
        "wide": ("x5x", "x4611686018427387904x"), "rank-1": ("?x5x", "?x"),
        "half": ("f32", "f16"), "integers": ("f32", "i32"),
        "unknown-space": (", edge>", ", hyperedge>"),
        "unknown-op": ("gnn.gather", "gnn.scatter"),
        "no-encoding": (", #node> {", "> {"), "static-rows": ("?x4x", "7x4x"),
        "two-results": ("return %y", "return %y, %y"),
        "no-name": ('gnn.name = "x"', "gnn.name = 7"),
        "zero-byte": ("via src", "via\0src"), "string": ('"x"', '"x'),
        "external": ("{gnn.name", "{llvm.noalias, gnn.name")}
    for name, (old, new) in edits.items():
        yield name, LAYER.replace(old, new).encode()
    yield "truncated", LAYER[:-120].encode()
    yield "empty", b""
    yield "nested", b"func.func private @f() attributes {a = " + b"[" * 3000
    yield "no-results", b"func.func @f() {\n  return\n}\n"
    yield "declared", LAYER.replace("@f", "@h").encode() + (
        b"func.func private @f(tensor<?xf32, #node>)\n")
    yield "called", LAYER.replace("return", "call @f(%x, %w) : (tensor<?x4xf32, "
                                  "#node>, tensor<3x4x5xf32, #gnn.rows<@g, "
                                  "edge_type>>) -> tensor<?x5xf32, #node>\n"
                                  "  return").encode()
    yield "kernels", (b"gpu.module @k {\n  gpu.func @f(%x: memref<4xf32>) kernel "
                      b"{\n    gpu.return\n  }\n}\n")


def plan_seeds():
    """Plans of the stored kernels, with one edit each; those that are stored are seeds
    besides."""
    path = Path(__file__).parents[1] / "test/Packages/Inputs/plan-v8.json"
    text = path.read_text()

    def edited(edit, name="layer"):
        plan = json.loads(text)
        plan["functions"] = [f for f in plan["functions"] if f["name"] == name]
        edit(plan["functions"][0])
        return json.dumps(plan).encode()

    def argument(step, index, other, name="layer"):
        def edit(function):
            function["steps"][step]["args"][index] = other
        return edited(edit, name)

    def count(of, value):
        def edit(function):
            for expr in function["exprs"]:
                if expr.get("of") == of:
                    expr.clear()
                    expr.update(op="const", value=value)
        return edited(edit)

    def grid(function):
        function["exprs"].append({"op": "const", "value": 65535})
        for step in function["steps"]:
            step["grid"] = [len(function["exprs"]) - 1] * 3

    yield "number-for-memory", argument(1, 1, {"i64": 0})
    yield "memory-for-number", argument(1, 0, {"input": 0})
    yield "narrow-number", argument(1, 0, {"i32": 0})
    yield "written-input", argument(0, 3, {"input": 0})
    yield "written-structure", argument(0, 3, {"structure": 0})
    yield "other-structure", argument(1, 1, {"structure": 1})
    for name, index, offset, size in (("written-constant", 3, 0, 48),
                                      ("constant-for-number", 0, 0, 48),
                                      ("constant-for-rows", 1, 0, 64),
                                      ("short-constant", 2, 16, 44)):
        yield name, argument(0, index, {"constant": offset, "bytes": size}, "fixed")
    for of in "dst", "edge", "src":
        for power in 10, 40, 61, 63:
            yield f"{of}-{power}", count(f"count {of}", (1 << power) - (power == 63))
        yield f"{of}-negative", count(f"count {of}", -1)
    yield "grid", edited(grid)


def main():
    for kind, seeds in (("npz", npz_seeds()), ("package", package_seeds()),
                        ("mlir", mlir_seeds()), ("plan", plan_seeds())):
        folder = Path(sys.argv[1]) / kind
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in seeds:
            (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
