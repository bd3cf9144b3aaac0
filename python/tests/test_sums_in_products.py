# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums in the block of their product: the numbers in every form, bits and costs."""

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir.compiler import compile as compile_program
from support import cases, errors, gradient_cases, gradients, graphs

ON = {"sums-in-products": True}


def _graph():
    """Two full tiles of rows and a part of one; node 0 with most edges into it, nodes
    without any, parallel edges, self loops; types of few edges, and two of none."""
    rng = np.random.default_rng(3)
    nodes = 150
    src = np.r_[rng.integers(0, nodes, 900), rng.integers(0, nodes, 400), np.arange(20)]
    dst = np.r_[rng.integers(0, 120, 900), np.zeros(400, int), np.arange(20)]
    src[:30], dst[:30] = src[30:60], dst[30:60]
    types = rng.choice([0, 1, 1, 1, 3], len(src))
    types[:3] = 4
    return gnn_mlir.Graph(src, dst, nodes, edge_type=types, num_edge_types=6)


GRAPH = _graph()

HEAD = """
gnn.graph @g square {{node_types = 1, edge_types = 6}}
#node = #gnn.rows<@g, node>
#edge = #gnn.rows<@g, edge>
#pair = #gnn.rows<@g, dst_pair>
#type = #gnn.rows<@g, edge_type>
"""

#: A weighted sum, a product, a bias and an activation.
GCN = HEAD + """
func.func @f(%x: tensor<?x{k}xf32, #node> {{gnn.name = "x"}}, %a: tensor<?xf32, #edge> {{gnn.name = "a"}},
    %w: tensor<{k}x{n}xf32> {{gnn.name = "w"}}, %b: tensor<{n}xf32> {{gnn.name = "b"}}) -> tensor<?x{n}xf32, #node> {{
  %m = gnn.apply mul %a, %x via src : (tensor<?xf32, #edge>, tensor<?x{k}xf32, #node>) -> tensor<?x{k}xf32, #edge>
  %s = gnn.aggregate sum %m via dst : tensor<?x{k}xf32, #edge> -> tensor<?x{k}xf32, #node>
  %h = gnn.linear %s, %w : (tensor<?x{k}xf32, #node>, tensor<{k}x{n}xf32>) -> tensor<?x{n}xf32, #node>
  %bias = gnn.broadcast %b : tensor<{n}xf32> -> tensor<?x{n}xf32, #node>
  %o = arith.addf %h, %bias : tensor<?x{n}xf32, #node>
  %y = gnn.activation relu %o : tensor<?x{n}xf32, #node>
  return %y : tensor<?x{n}xf32, #node>
}}
"""

#: A mean, and a product of the row itself that is added.
SAGE = HEAD + """
func.func @f(%x: tensor<?x{k}xf32, #node> {{gnn.name = "x"}}, %w: tensor<{k}x{n}xf32> {{gnn.name = "w"}},
    %root: tensor<{k}x{n}xf32> {{gnn.name = "root"}}) -> tensor<?x{n}xf32, #node> {{
  %m = gnn.gather %x via src : tensor<?x{k}xf32, #node> -> tensor<?x{k}xf32, #edge>
  %s = gnn.aggregate mean %m via dst : tensor<?x{k}xf32, #edge> -> tensor<?x{k}xf32, #node>
  %h = gnn.linear %s, %w : (tensor<?x{k}xf32, #node>, tensor<{k}x{n}xf32>) -> tensor<?x{n}xf32, #node>
  %r = gnn.linear %x, %root : (tensor<?x{k}xf32, #node>, tensor<{k}x{n}xf32>) -> tensor<?x{n}xf32, #node>
  %y = arith.addf %h, %r : tensor<?x{n}xf32, #node>
  return %y : tensor<?x{n}xf32, #node>
}}
"""

#: A mean by (destination, type), a weight for each type.
RGCN = HEAD + """
func.func @f(%x: tensor<?x{k}xf32, #node> {{gnn.name = "x"}}, %w: tensor<6x{k}x{n}xf32, #type> {{gnn.name = "w"}})
    -> tensor<?x{n}xf32, #node> {{
  %m = gnn.gather %x via src : tensor<?x{k}xf32, #node> -> tensor<?x{k}xf32, #edge>
  %s = gnn.aggregate mean %m : tensor<?x{k}xf32, #edge> -> tensor<?x{k}xf32, #pair>
  %h = gnn.typed_linear %s, %w : (tensor<?x{k}xf32, #pair>, tensor<6x{k}x{n}xf32, #type>) -> tensor<?x{n}xf32, #pair>
  %y = gnn.aggregate sum %h : tensor<?x{n}xf32, #pair> -> tensor<?x{n}xf32, #node>
  return %y : tensor<?x{n}xf32, #node>
}}
"""

TEXTS = {"gcn": GCN, "sage": SAGE, "rgcn": RGCN}
#: The switches that keep sums in front of products.
AS_WRITTEN = {"order-aggregate": False}


def sums(values, rows, count):
    total = np.zeros((count, values.shape[1]))
    np.add.at(total, rows, values)
    return total


def reference(name, graph, x, w, a=None, b=None, root=None):
    """In float64, edge by edge."""
    x, w = x.astype(np.float64), w.astype(np.float64)
    src, dst, kind, nodes = (graph.edge_src, graph.edge_dst, graph.edge_type,
                             graph.num_nodes)
    if name == "gcn":
        return np.maximum(sums(a[:, None] * x[src], dst, nodes) @ w + b, 0)
    sizes = np.bincount(dst, minlength=nodes)
    if name == "sage":
        return sums(x[src], dst, nodes) / np.maximum(sizes, 1)[:, None] @ w + x @ root
    of_type = [np.flatnonzero(kind == t) for t in range(len(w))]
    return sum(sums(x[src[e]], dst[e], nodes)
               / np.maximum(np.bincount(dst[e], minlength=nodes), 1)[:, None] @ w[t]
               for t, e in enumerate(of_type))


def values(binding, seed=0):
    rng = np.random.default_rng(seed)
    return {i.name: rng.standard_normal(i.shape).astype(np.float32)
            for i in binding.inputs}


def fused(package):
    """How many kernels have the schedules of a sum and of a product."""
    return sum("row_walk" in step.get("schedule", "") and "kind = " in step["schedule"]
               for f in package.plan()["functions"] for step in f["steps"])


def run(text, graph, device=None, passes=(), **options):
    """(inputs, output, package) of a program with sums in products."""
    compiled = compile_program(text, **{"target": "emulator", **options},
                               passes={**AS_WRITTEN, **ON, **dict(passes)})
    binding = compiled.bind({"g": graph}, device)
    inputs = values(binding)
    return inputs, binding(inputs), compiled.package


FORMS = {"emulator": {}, "blocked": {"stop_at": "blocked"}, "loops": {"stop_at": "loops"},
         "general cores": {"passes": {"tensor-cores": False}},
         "pieces": {"passes": {"long-rows": 5}},
         "cpu": {"target": "cpu", "device": "cpu"}}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("k, n", [(7, 5), (16, 64), (64, 64), (64, 150), (100, 33)])
@pytest.mark.parametrize("name", TEXTS)
def test_all_forms(compiler, name, k, n, form):
    inputs, out, package = run(TEXTS[name].format(k=k, n=n), GRAPH, **FORMS[form])
    assert fused(package) == (form != "cpu")
    errors.check("out", out, reference(name, GRAPH, **inputs))


@pytest.mark.parametrize("graph", ["empty", "no-edges", "rows-1", "rows-33", "hub",
                                   "sparse"])
@pytest.mark.parametrize("name", TEXTS)
def test_odd_graphs(compiler, name, graph):
    graph = graphs.named(graph)
    kind = graph.edge_type % 6
    kind[kind == 2] = 1
    graph = gnn_mlir.Graph(graph.edge_src, graph.edge_dst, graph.num_nodes,
                           edge_type=kind, num_edge_types=6)
    inputs, out, package = run(TEXTS[name].format(k=16, n=8), graph)
    assert fused(package) == 1
    errors.check("out", out, reference(name, graph, **inputs))


#: Rows by degree, each by its team however long it is: the schedule of the sum is given.
TEAMS = HEAD + """
func.func @f(%x: tensor<?x{k}xf32> {{gnn.name = "x", gnn.rows = #node}}, %w: tensor<{k}x{n}xf32> {{gnn.name = "w"}})
    -> (tensor<?x{n}xf32> {{gnn.rows = #node}}) {{
  %c = gnn_tile.count @g count dst : index
  %none = tensor.empty(%c) : tensor<?x{k}xf32>
  %s = gnn_tile.traverse @g <dst, edge.in_rows, features = {k}>
      ins(%x : tensor<?x{k}xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%none : tensor<?x{k}xf32>) at [#gnn_tile.at<group : feature>]
      schedule <row_order = by_degree, row_walk = team> {{
  ^bb0(%v: f32):
    %sum = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %sum : f32
  }} -> tensor<?x{k}xf32>
  %init = tensor.empty(%c) : tensor<?x{n}xf32>
  %y = gnn_tile.gemm @g rows dst ins(%s, %w : tensor<?x{k}xf32>, tensor<{k}x{n}xf32>)
      at <group : feature> extras at [] outs(%init : tensor<?x{n}xf32>) at <group : feature> {{
  ^bb0(%p: f32):
    gnn_tile.yield %p : f32
  }} -> tensor<?x{n}xf32>
  return %y : tensor<?x{n}xf32>
}}
"""


@pytest.mark.parametrize("form", ["emulator", "blocked", "loops"])
def test_rows_by_degree(compiler, form):
    """They are taken as they lie, and all threads wait for them."""
    inputs, out, package = run(TEAMS.format(k=24, n=12), GRAPH, **FORMS[form])
    assert fused(package) == 1
    x, w = (inputs[name].astype(np.float64) for name in ("x", "w"))
    errors.check("out", out,
                 sums(x[GRAPH.edge_src], GRAPH.edge_dst, GRAPH.num_nodes) @ w)


@pytest.mark.parametrize("name", TEXTS)
def test_bits_do_not_depend_on_the_order_of_threads(compiler, name):
    text = TEXTS[name].format(k=20, n=12)
    first, *others = [run(text, GRAPH, compiler.Device.emulator(seed=seed))[1]
                      for seed in (None, 1, 2)]
    for other in others:
        np.testing.assert_array_equal(first.view(np.int32), other.view(np.int32))


def test_a_launch_and_memory_less(compiler):
    """Rows that stay in the block are neither written nor read, and have no place."""
    text = GCN.format(k=64, n=32)
    reports, workspaces = [], []
    for passes in {}, ON:
        compiled = compile_program(text, target="emulator", passes={**AS_WRITTEN, **passes})
        binding = compiled.bind({"g": GRAPH})
        binding(values(binding))
        reports.append(binding.report())
        workspaces.append(binding.workspace_bytes)
    apart, together = reports
    assert len(together["steps"]) == len(apart["steps"]) - 1
    total = [{key: sum(step[key] for step in report["steps"]) for key in
              ("bytes_read", "bytes_written", "flops")} for report in reports]
    rows = 4 * 64 * GRAPH.num_nodes
    assert total[0]["bytes_read"] - total[1]["bytes_read"] >= rows
    assert total[0]["bytes_written"] - total[1]["bytes_written"] == rows
    assert total[0]["flops"] == total[1]["flops"]
    assert workspaces[0] - workspaces[1] == -(-rows // 256) * 256


@pytest.mark.parametrize("case", [
    ("gin", "rows-1000", 16, 1), ("sage-mean", "rows-1000", 33, 1),
    ("sage-max", "rows-33", 7, 1), ("graphgym-three-layers", "rows-33", 5, 1),
    ("rgcn", "rows-1000", 16, 1), ("sgc", "sparse", 16, 1),
    ("gcn-two-layers", "rows-33", 3, 1)], ids=lambda case: "-".join(map(str, case)))
@pytest.mark.parametrize("form", ["emulator", "blocked", "loops"])
def test_models(compiler, case, form):
    program = cases.build(*case)

    def run_model(text, function, bound, inputs):
        compiled = compile_program(text, function, passes=ON,
                                   **{"target": "emulator", **FORMS[form]})
        binding = compiled.bind(bound)
        out = binding(inputs)
        return out if isinstance(out, dict) else {binding.outputs[0].name: out}

    cases.check(program, run_model)


@pytest.mark.parametrize("subject", ["gin", "sage-mean", "rgcn"])
def test_gradients(subject, gnn_opt, compiler):
    program = gradient_cases.build(subject, "square", 1)
    pipeline = gradients.PIPELINES["after the passes"]
    made = gradients.differentiate(gnn_opt, program.function, None, pipeline)
    text = gradients.text(gnn_opt, program.function, None, pipeline)
    gradients.check_kernels(text, program.function, program.graphs, program.inputs, made,
                            passes=ON)
