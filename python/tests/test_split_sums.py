# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums over types and the graph in two steps: the numbers, and their bits."""

import re

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir.compiler import compile as compile_program
from support import cases, errors, graphs

# A long type among short ones and one without edges.
LONG = graphs.random_graph(60, 500, 3, 5, seed=3)
# The first is no multiple of 16, the second one row a tile.
ROWS = (37, 1, 16)


def tiles(package):
    """The index arrays of tiles that the plan of a package names."""
    return {s["key"] for f in package.plan()["functions"] for s in f["structures"]
            if s["key"].startswith("tile_rows")}


def split(rows, found=None, **device):
    """A `run` for `cases.check` with tiles of so many rows."""
    def run(text, function, bound, inputs):
        compiled = compile_program(text, function, target="emulator",
                                   passes={"sum-rows": rows})
        if found is not None:
            found.update(tiles(compiled.package))
        binding = compiled.bind(bound)
        out = binding(inputs)
        return out if isinstance(out, dict) else {binding.outputs[0].name: out}
    return run


@pytest.mark.parametrize("subject, features, heads", [
    ("op-outer", 3, 1), ("op-outer", 33, 2), ("op-outer", 130, 1), ("op-sum", 16, 2),
    ("op-mean", 33, 1), ("op-extremes", 3, 1), ("op-derived", 16, 1),
    ("op-weights", 16, 1)])
@pytest.mark.parametrize("rows", ROWS)
def test_ops_on_a_long_type(compiler, subject, features, heads, rows):
    found = set()
    cases.check(cases.build(subject, LONG, features, heads), split(rows, found))
    assert bool(found) == (subject != "op-weights")
    assert all(key.endswith(f" {rows}") for key in found)


@pytest.mark.parametrize("graph", ["empty", "no-edges", "rows-1", "empty-types",
                                   "users-items", "no-destinations"])
@pytest.mark.parametrize("subject", ["op-outer", "op-mean", "op-extremes"])
def test_ops_on_odd_graphs(compiler, subject, graph):
    cases.check(cases.build(subject, graph, 16, 1), split(16))


FOLD = """
gnn.graph @g square {node_types = 3, edge_types = 5}

// The logarithm of a sum of powers, less its size.
func.func @f(%x: tensor<?xf32> {gnn.rows = #gnn.rows<@g, node>}) -> tensor<1xf32> {
  %init = tensor.empty() : tensor<1xf32>
  %y = gnn_tile.traverse @g <graph, src>
      ins(%x : tensor<?xf32>) at [#gnn_tile.at<element>]
      outs(%init : tensor<1xf32>) at [#gnn_tile.at<group>] {
  ^bb0(%v: f32):
    %lowest = arith.constant 0xFF7FFFFF : f32
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %max, %sum = gnn_tile.fold %v, %one identity %lowest, %zero : f32, f32 {
    ^bb0(%m0: f32, %z0: f32, %m1: f32, %z1: f32):
      %m = arith.maximumf %m0, %m1 : f32
      %d0 = arith.subf %m0, %m : f32
      %d1 = arith.subf %m1, %m : f32
      %e0 = math.exp %d0 : f32
      %e1 = math.exp %d1 : f32
      %p0 = arith.mulf %z0, %e0 : f32
      %p1 = arith.mulf %z1, %e1 : f32
      %t = arith.addf %p0, %p1 : f32
      gnn_tile.yield %m, %t : f32, f32
    }
    %log = math.log %sum : f32
    %all = arith.addf %max, %log : f32
    %n = gnn_tile.size : f32
    %o = arith.subf %all, %n : f32
    gnn_tile.yield %o : f32
  } -> tensor<1xf32>
  return %y : tensor<1xf32>
}
"""


def test_fold(compiler):
    x = np.random.default_rng(1).standard_normal(LONG.num_nodes).astype(np.float32)
    found = set()
    out, = split(7, found)(FOLD, "f", {"g": LONG}, {"arg0": 4 * x}).values()
    assert found == {"tile_rows graph src 7"}
    wide = 4 * x.astype(np.float64)
    expected = np.log(np.exp(wide).sum()) - len(x)
    assert out[0] == pytest.approx(expected, rel=1e-5)


def test_mean_of_all_elements(compiler):
    """Not the mean of means: the last tile of a type is shorter."""
    import gnn_mlir
    module = gnn_mlir.Module()
    g = module.graph_like("g", LONG)
    f = module.function("f")
    x = f.input("x", g.rows("edge", 2))
    f.output("out", f.aggregate("mean", x, "edge_type"))
    values = np.zeros((LONG.num_edges, 2), np.float32)
    last = [np.flatnonzero(LONG.edge_type == t)[-1:] for t in range(5)]
    values[np.concatenate(last)] = 1
    out = split(16)(module.text(), "f", {"g": LONG}, {"x": values})["out"]
    counts = np.bincount(LONG.edge_type, minlength=5)
    expected = np.where(counts > 0, 1 / np.maximum(counts, 1), 0)
    errors.check("out", out, np.repeat(expected[:, None], 2, 1), 1e-6, 1e-6)
    assert 0 in counts and max(counts) > 48


def test_bits_do_not_depend_on_the_order_of_threads(compiler):
    program = cases.build("op-outer", LONG, 33, 1)
    function = program.function
    compiled = compile_program(function.module.text(), function.name,
                               target="emulator", passes={"sum-rows": 16})
    assert tiles(compiled.package)
    outs = [compiled.bind(program.graphs, compiler.Device.emulator(seed=seed))(
        program.inputs) for seed in (None, 1, 2)]
    for name, value in outs[0].items():
        for other in outs[1:]:
            assert np.array_equal(value.view(np.int32), other[name].view(np.int32))


def test_statistics_decide(compiler):
    """Short types stay whole on a graph that is known."""
    text = cases.build("op-outer", LONG, 16, 1).function.module.text()
    known = compile_program(text, target="emulator", graph=LONG)
    unknown = compile_program(text, target="emulator")
    assert not tiles(known.package)
    assert "tile_rows edge_type src_pair 1024" in tiles(unknown.package)


@pytest.mark.parametrize("rows", [-1, 2**31, "many"])
def test_rows_that_are_none(compiler, rows):
    with pytest.raises(ValueError, match="^passes: sum-rows: expected a number of rows, "
                                         f"got '{rows}'$"):
        compile_program(FOLD, target="emulator", passes={"sum-rows": rows})


# For which a walk over the rows of destinations gives those of all edges, too.
LARGE = ("#gnn.stats<src_nodes = 100000, dst_nodes = 100000, edges = 20000000, "
         "type_edges = [20000000], src_pairs = [100000], dst_pairs = [100000], "
         "in_degree_squares = 4000000000, in_degree_max = 400, out_degree_squares = 4000000000, "
         "out_degree_max = 400, src_pair_max = [400], dst_pair_max = [400]>")


@pytest.mark.parametrize("kind", ["sum", "mean", "max", "min"])
def test_rows_without_edges_are_no_part_of_all_edges(kind):
    module = gnn_mlir.Module()
    g, f = module.graph("g"), module.function("f")
    x, z = (f.input(name, g.rows("node", 64)) for name in "xz")
    rows = f.gather(x, "edge", via="src")
    f.output("sum", f.aggregate("sum", rows, "node", via="dst"))
    f.output("all", f.aggregate(kind, f.apply("mul", "edge", rows, z, rhs_via="dst"), "graph"))
    rng = np.random.default_rng(0)
    graph = gnn_mlir.Graph(rng.integers(0, 40, 300), rng.integers(0, 20, 300), 40)
    x, z = 1 + rng.random((2, 40, 64), np.float32)
    x = x if kind == "min" else -x
    text = re.sub(r"(?m)^(gnn\.graph @\w+ \w+ \{.*)\}$",
                  lambda line: f"{line[1]}, stats = {LARGE}}}", module.text())
    found = gnn_mlir.compile(text, target="emulator").bind(graph)({"x": x, "z": z})["all"]
    products = x[graph.edge_src].astype(np.float64) * z[graph.edge_dst]
    np.testing.assert_allclose(found[0], getattr(products, kind)(axis=0), rtol=1e-5)
