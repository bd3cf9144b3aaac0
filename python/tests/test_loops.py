# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models written as loops over edges and nodes give what their op form gives."""

import re
import subprocess

import numpy as np
import pytest

from conftest import ROOT
from gnn_mlir import models
from support import cases, errors
from support.graphs import ODD, named

# Each: the function of the same name in op form, for a graph and features.
MODELS = {
    "rgcn-loops": ("rgcn", lambda g, f: models.rgcn(
        g.num_edge_types, (f, f), node_types=g.num_node_types)),
    "hector-rgat-loops": ("rgat", lambda g, f: models.hector_rgat(
        g.num_edge_types, (f, f), node_types=g.num_node_types)),
    "hgt-loops": ("hgt", lambda g, f: models.hgt(
        g.num_node_types, g.num_edge_types, (f, f), 4)),
}


def opt(gnn_opt, text, passes):
    """The text after some passes."""
    result = subprocess.run(
        [gnn_opt, f"--pass-pipeline=builtin.module({passes})"], input=text,
        text=True, capture_output=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


RAISE = "gnn-verify-graph-form,func.func(gnn-raise-loops),canonicalize,cse"


def example(name, graph, features):
    """An example for as many types as the graph has, and these features."""
    text = (ROOT / "examples" / f"{name}.mlir").read_text()
    edge_types, node_types = graph.num_edge_types, graph.num_node_types
    text = re.sub(r"edge_types = \d+", f"edge_types = {edge_types}", text)
    text = re.sub(r"node_types = \d+", f"node_types = {node_types}", text)
    text = re.sub(r"tensor<\d+(x[^>]*#(edge|node)_type>)",
                  lambda m: f"tensor<{edge_types if m[2] == 'edge' else node_types}"
                            f"{m[1]}", text)
    return re.sub(r"(?<!\d)64(?!\d)", str(features), text)


def check(run, text, function, bound, inputs, expected):
    out = run(text, function, bound, inputs)
    for name, value in expected.items():
        errors.check(name, out[name], value)


@pytest.mark.parametrize("graph", ODD)
@pytest.mark.parametrize("name", MODELS)
def test_loop_form(name, graph, gnn_opt, run):
    features = 64 if name == "hgt-loops" else 33
    bound = named(graph)
    called, model = MODELS[name]
    function, = model(bound, features).functions.values()
    graphs = function.bind(bound)
    inputs = cases.make_inputs(function, graphs, "positive")
    expected = function.evaluate(graphs, inputs)
    text = opt(gnn_opt, example(name, bound, features), RAISE)
    assert "gnn.for_" not in text
    check(run, text, called, graphs, inputs, expected)


# -- What stays a loop, and what was never raised -------------------------------

HEADER = """
#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>
!e = !gnn.row<@g, edge>
!n = !gnn.row<@g, node>
!edge = tensor<?x5xf32, #edge>
!node = tensor<?x5xf32, #node>
gnn.graph @g square {node_types = NODE_TYPES, edge_types = EDGE_TYPES}
"""

# The sum over sources that differ from the destination, of what is above the
# score of the edge, else of half the score.
CHOICE = HEADER + """
func.func @f(%x: !node {gnn.name = "x"}, %s: !edge {gnn.name = "s"})
    -> (!node {gnn.name = "sum"}, !edge {gnn.name = "chosen"}, !node {gnn.name = "out"}) {
  %sum, %chosen, %out = gnn.for_edges %e in @g -> (!node, !edge, !node) {
    %u = gnn.follow %e via src : !e -> !n
    %v = gnn.follow %e via dst : !e -> !n
    %i = gnn.row_number %u : !n -> tensor<i32>
    %j = gnn.row_number %v : !n -> tensor<i32>
    %other = arith.cmpi ne, %i, %j : tensor<i32>
    %zero = arith.constant dense<0.0> : tensor<f32>
    %one = arith.constant dense<1.0> : tensor<f32>
    %keep = arith.select %other, %one, %zero : tensor<i1>, tensor<f32>
    %x_u = gnn.read %x[%u] : (!node, !n) -> tensor<5xf32>
    %s_e = gnn.read %s[%e] : (!edge, !e) -> tensor<5xf32>
    %above = arith.cmpf ogt, %x_u, %s_e : tensor<5xf32>
    %half = arith.constant dense<0.5> : tensor<5xf32>
    %less = arith.mulf %s_e, %half : tensor<5xf32>
    %pick = arith.select %above, %x_u, %less : tensor<5xi1>, tensor<5xf32>
    %wide = gnn.row_broadcast %keep : tensor<f32> -> tensor<5xf32>
    %m = arith.mulf %wide, %pick : tensor<5xf32>
    gnn.yield sum %m via dst, %m, max %m via src : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
  }
  return %sum, %chosen, %out : !node, !edge, !node
}
"""


def choice(graph, x, s):
    x, s = x.astype(np.float64), s.astype(np.float64)
    u, v = graph.edge_src, graph.edge_dst
    m = np.where(x[u] > s, x[u], s * 0.5) * (u != v)[:, None]
    total = np.zeros_like(x)
    np.add.at(total, v, m)
    highest = np.full_like(x, -np.inf)
    np.maximum.at(highest, u, m)
    return {"sum": total, "chosen": m,
            "out": np.where(np.isinf(highest), 0.0, highest)}


# The softmax of scores over the edges into a node, in one loop over nodes, with
# the product of the sum and the node's features; and the mean over its outgoing
# edges in another.
NESTED = HEADER + """
func.func @f(%x: !node {gnn.name = "x"}, %s: !edge {gnn.name = "s"})
    -> (!edge {gnn.name = "softmax"}, tensor<?xf32, #node> {gnn.name = "dot"}, !node {gnn.name = "mean"}) {
  %a, %d = gnn.for_nodes %n in @g -> (!edge, tensor<?xf32, #node>) {
    %highest = gnn.for_incoming %e of %n : !n -> (tensor<5xf32>) {
      %s_e = gnn.read %s[%e] : (!edge, !e) -> tensor<5xf32>
      gnn.yield max %s_e : tensor<5xf32>
    }
    %power, %sum = gnn.for_incoming %e of %n : !n -> (!edge, tensor<5xf32>) {
      %s_e = gnn.read %s[%e] : (!edge, !e) -> tensor<5xf32>
      %shifted = arith.subf %s_e, %highest : tensor<5xf32>
      %p = math.exp %shifted : tensor<5xf32>
      gnn.yield %p, sum %p : tensor<5xf32>, tensor<5xf32>
    }
    %quotient = gnn.for_incoming %e of %n : !n -> (!edge) {
      %p = gnn.read %power[%e] : (!edge, !e) -> tensor<5xf32>
      %q = arith.divf %p, %sum : tensor<5xf32>
      gnn.yield %q : tensor<5xf32>
    }
    %x_n = gnn.read %x[%n] : (!node, !n) -> tensor<5xf32>
    %dot = gnn.row_dot %sum, %x_n : (tensor<5xf32>, tensor<5xf32>) -> tensor<f32>
    gnn.yield %quotient, %dot : !edge, tensor<f32>
  }
  %m = gnn.for_nodes %n in @g -> (!node) {
    %x_n = gnn.read %x[%n] : (!node, !n) -> tensor<5xf32>
    %mean = gnn.for_outgoing %e of %n : !n -> (tensor<5xf32>) {
      %s_e = gnn.read %s[%e] : (!edge, !e) -> tensor<5xf32>
      %x_v = gnn.read %x[%e] via dst : (!node, !e) -> tensor<5xf32>
      %p = arith.mulf %s_e, %x_v : tensor<5xf32>
      %q = arith.addf %p, %x_n : tensor<5xf32>
      gnn.yield mean %q : tensor<5xf32>
    }
    gnn.yield %mean : tensor<5xf32>
  }
  return %a, %d, %m : !edge, tensor<?xf32, #node>, !node
}
"""


def nested(graph, x, s):
    x, s = x.astype(np.float64), s.astype(np.float64)
    u, v = graph.edge_src, graph.edge_dst
    highest = np.full_like(x, -np.inf)
    np.maximum.at(highest, v, s)
    power = np.exp(s - highest[v])
    total = np.zeros_like(x)
    np.add.at(total, v, power)
    mean, degree = np.zeros_like(x), np.zeros(len(x))
    np.add.at(mean, u, s * x[v] + x[u])
    np.add.at(degree, u, 1)
    return {"softmax": power / total[v], "dot": (total * x).sum(1),
            "mean": mean / np.maximum(degree, 1)[:, None]}


# The sum over edges, of the source's own sum over its incoming edges: two hops.
TWO_HOPS = HEADER + """
func.func @f(%x: !node {gnn.name = "x"}, %s: !edge {gnn.name = "s"}) -> (!node {gnn.name = "out"}) {
  %y = gnn.for_nodes %n in @g -> (!node) {
    %far = gnn.for_incoming %e of %n : !n -> (tensor<5xf32>) {
      %u = gnn.follow %e via src : !e -> !n
      %x_u = gnn.read %x[%u] : (!node, !n) -> tensor<5xf32>
      %near = gnn.for_incoming %i of %u : !n -> (tensor<5xf32>) {
        %x_w = gnn.read %x[%i] via src : (!node, !e) -> tensor<5xf32>
        %p = arith.mulf %x_w, %x_u : tensor<5xf32>
        gnn.yield sum %p : tensor<5xf32>
      }
      %s_e = gnn.read %s[%e] : (!edge, !e) -> tensor<5xf32>
      %m = arith.mulf %near, %s_e : tensor<5xf32>
      gnn.yield sum %m : tensor<5xf32>
    }
    gnn.yield %far : tensor<5xf32>
  }
  return %y : !node
}
"""


def two_hops(graph, x, s):
    x, s = x.astype(np.float64), s.astype(np.float64)
    near, far = np.zeros_like(x), np.zeros_like(x)
    np.add.at(near, graph.edge_dst, x[graph.edge_src] * x[graph.edge_dst])
    np.add.at(far, graph.edge_dst, near[graph.edge_src] * s)
    return {"out": far}


# Conditions of a node, by its features and by its number, in the loop over the
# edges into it and behind that.
CONDITION = HEADER + """
func.func @f(%x: !node {gnn.name = "x"}, %s: !edge {gnn.name = "s"}) -> (!node {gnn.name = "out"}) {
  %y = gnn.for_nodes %n in @g -> (!node) {
    %zero = arith.constant dense<0.0> : tensor<5xf32>
    %one = arith.constant dense<1.0> : tensor<5xf32>
    %three = arith.constant dense<3> : tensor<i32>
    %x_n = gnn.read %x[%n] : (!node, !n) -> tensor<5xf32>
    %large = arith.cmpf ogt, %x_n, %one : tensor<5xf32>
    %chosen = arith.select %large, %x_n, %zero : tensor<5xi1>, tensor<5xf32>
    %i = gnn.row_number %n : !n -> tensor<i32>
    %few = arith.cmpi slt, %i, %three : tensor<i32>
    %sum = gnn.for_incoming %e of %n : !n -> (tensor<5xf32>) {
      %x_u = gnn.read %x[%e] via src : (!node, !e) -> tensor<5xf32>
      %s_e = gnn.read %s[%e] : (!edge, !e) -> tensor<5xf32>
      %m = arith.select %large, %x_u, %s_e : tensor<5xi1>, tensor<5xf32>
      %f1 = arith.constant dense<1.0> : tensor<f32>
      %f2 = arith.constant dense<2.0> : tensor<f32>
      %f = arith.select %few, %f1, %f2 : tensor<i1>, tensor<f32>
      %w = gnn.row_broadcast %f : tensor<f32> -> tensor<5xf32>
      %p = arith.mulf %w, %m : tensor<5xf32>
      gnn.yield sum %p : tensor<5xf32>
    }
    %out = arith.addf %sum, %chosen : tensor<5xf32>
    gnn.yield %out : tensor<5xf32>
  }
  return %y : !node
}
"""


def condition(graph, x, s):
    x, s = x.astype(np.float64), s.astype(np.float64)
    u, v = graph.edge_src, graph.edge_dst
    factor = np.where(np.arange(len(x)) < 3, 1.0, 2.0)
    out = np.where(x > 1, x, 0.0)
    np.add.at(out, v, factor[v][:, None] * np.where(x[v] > 1, x[u], s))
    return {"out": out}


LOOPS = {"choice": (CHOICE, choice, "both"), "condition": (CONDITION, condition, "both"),
         "nested": (NESTED, nested, "both"), "two-hops": (TWO_HOPS, two_hops, "raised")}


@pytest.mark.parametrize("graph", ("rows-1", "rows-31", "no-edges", "empty",
                                   "hub", "one-type-each"))
@pytest.mark.parametrize("form", ("raised", "as loops"))
@pytest.mark.parametrize("name", LOOPS)
def test_loops(name, form, graph, gnn_opt, run):
    text, reference, forms = LOOPS[name]
    if forms != "both" and form != forms:
        pytest.skip("no traversal walks two hops")
    bound = named(graph)
    text = text.replace("NODE_TYPES", str(bound.num_node_types)).replace(
        "EDGE_TYPES", str(bound.num_edge_types))
    text = opt(gnn_opt, text, RAISE if form == "raised" else
               "gnn-verify-graph-form,convert-gnn-to-gnn-tile")
    rng = np.random.default_rng(3)
    x = (rng.random((bound.num_nodes, 5)) + 0.5).astype(np.float32)
    s = (rng.random((bound.num_edges, 5)) + 0.5).astype(np.float32)
    check(run, text, "f", {"g": bound}, {"x": x, "s": s},
          reference(bound, x, s))
