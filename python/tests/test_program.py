# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs: their text, which the compiler parses, their checks and meaning."""

import re
import subprocess

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir import Module, reference, weight
from conftest import ROOT
from naive import graphs


def every_op():
    """A function that uses each op at least once, on a graph with a schema."""
    module = Module("Every op of the dialect.")
    g = module.graph("g", 3, 3, schema=[(0, 1), (2, 0), (1, 1)])
    b = module.graph("b", 3, 4, square=False)
    f = module.function("every_op")
    x = f.input("x", g.rows("node", 4))
    heads = f.input("heads", g.rows("node", 2, 4))
    e = f.input("e", g.rows("edge", 2))
    w = f.input("w", weight(4, 6))
    wb = f.input("wb", weight(6))
    wh = f.input("wh", weight(2, 4, 3))
    wt = f.input("wt", g.rows("edge_type", 4, 6))
    wtb = f.input("wtb", g.rows("edge_type", 6))
    wn = f.input("wn", g.rows("node_type", 4, 6))
    c = f.input("c", g.rows("edge_type", 5))
    bases = f.input("bases", weight(5, 4, 6))
    vector = f.input("vector", weight(2, 4))
    four = [f.input(f"four{i}", weight(4)) for i in range(4)]
    users = f.input("users", b.rows("src", 4))
    outputs = []

    def keep(*values):
        outputs.extend(values)

    xe = f.gather(x, "edge", via="src")
    keep(xe, f.gather(wtb, "dst_pair"), f.gather(wn, "edge_type", via="dst"))
    for kind in ("sum", "mean", "max", "min"):
        keep(f.aggregate(kind, e, "node", via="dst"))
        keep(f.reduce_heads(kind, heads), f.reduce_features(kind, heads))
    top, at = f.aggregate("max", xe, "src_pair", argument=True)
    keep(top, at, f.pick(top, at, "edge"))
    for over, size in (("heads", 4), ("features", 2)):
        keep(f.pick_feature(f.constant(1.0, heads.type.with_features(size)), heads,
                            "max", over))
    keep(f.degree(g, "edge", "node", via="dst"), f.degree(g, "dst_pair", "graph"))
    part = f.restrict_rows(e, module.derived_graph("some", g, [0, 2]))
    keep(f.prefix_rows(users), f.extend_rows(f.prefix_rows(users)),
         f.rebind_rows(x, b, "src"), part, f.expand_rows(part, g))
    loops = f.aggregate("sum", e, "node", via="dst")
    looped = f.extend_edges(e, loops, module.looped_graph(
        "looped", g, loop_type=g.edge_types))
    keep(looped, f.loop_rows(looped))
    keep(f.linear(x, w, wb), f.linear(heads, wh), f.linear(x, wh))
    keep(f.typed_linear(xe, wt, bias=wtb), f.typed_linear(x, wn),
         f.typed_linear(xe, wn, via="dst"))
    keep(f.outer(x, f.linear(x, w)), f.outer(x, heads, heads=True))
    keep(f.typed_outer(xe, e, "edge_type"),
         f.typed_outer(xe, e, "node_type", via="src"))
    combined = f.weight_combine(c, bases)
    keep(combined, f.weight_product(combined, wtb),
         f.typed_linear(f.typed_linear(xe, wt), f.weight_transpose(wt)))
    for kind in ("add", "sub", "mul", "div"):
        keep(f.apply(kind, "edge", heads, e, lhs_via="src"))
    keep(f.apply("copy", "edge", x, lhs_via="dst"))
    keep(f.sddmm("edge", heads, heads, "src", "dst"))
    keep(f.spmm("mul", "sum", "node", heads, e, lhs_via="src", via="dst"),
         f.spmm("copy", "mean", "dst_pair", x, lhs_via="src"))
    keep(f.edge_softmax(e, over="dst"), f.edge_softmax(e, over="src_pair"))
    ends = [(heads, "src"), (heads, "dst")]
    prior = f.input("prior", g.rows("edge_type", 2))
    keep(f.attention("node", [(e, None)], lambda body, s: s, heads,
                     value_via="src"),
         f.attention("node", [*ends, (vector, None)],
                     lambda body, a, b, by: body.dot(body.activation(
                         "leaky_relu", a + b, alpha=0.1), by), heads, "src", "dst",
                     factor=e),
         f.attention("dst_pair", [*ends, (prior, None)],
                     lambda body, a, b, p: body.dot(
                         a, body.broadcast(p, *a.features) * b) * 0.5, heads,
                     value_via="src", stored=True))
    keep(f.dot(heads, vector), f.dot(x, x), f.outer_rows(x, x))
    for kind in ("relu", "sigmoid", "tanh", "gelu", "swish", "exp"):
        keep(f.activation(kind, x))
    keep(f.activation("leaky_relu", x, alpha=0.2),
         f.activation("elu", x, alpha=1), f.activation("prelu", x, four[0]))
    keep(f.batch_norm(x, four[0], f.input("variance", weight(4)), *four[2:]),
         f.layer_norm(x), f.layer_norm(heads, four[0], four[1], eps=1e-3))
    keep(f.dropout(x, 0.25, seed=7, offset=3))
    keep(f.broadcast(e, g.rows("edge", 2, 5)), f.broadcast(wb, g.rows("node", 6)))
    keep(f.concat(x, x), f.slice(x, 1, 2), f.reshape(heads, 8), f.pad(x, 1, 9))
    keep(f.sum_rows(heads), f.sum_rows(heads, four[0].type),
         f.weight_outer(w, wt, weight(6, 6)),
         f.weight_outer(wt, f.input("wv", g.rows("edge_type", 4)), wtb.type),
         f.weight_outer(wt, wt, g.rows("edge_type", 2, 3, 3), by_heads=True),
         f.weight_outer(w, w, weight(2, 3, 3), by_heads=True))
    keep(x + 1.5, 2 - x, -x, x / 3, x * x,
         f.elementwise("math.rsqrt", f.elementwise("math.exp", x)))
    for i, value in enumerate(outputs):
        f.output(f"out{i}", value)
    return module


def test_every_op_parses_and_has_a_meaning(gnn_opt):
    module = every_op()
    text = module.text()
    result = subprocess.run([gnn_opt, "--verify-roundtrip", "-"], input=text,
                            capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    function = module.functions["every_op"]
    bound = {"g": graphs()["schema"],
             "b": gnn_mlir.Graph([3, 0], [1, 1], num_src_nodes=4,
                                 num_dst_nodes=2, num_node_types=3,
                                 num_edge_types=4)}
    bound = function.bind(bound)
    inputs = function.random_inputs(bound)
    inputs["variance"] = np.abs(inputs["variance"])
    out = function.evaluate(bound, inputs)
    for name, value in function.outputs.items():
        graph = bound.get(getattr(value.type.graph, "name", None))
        assert out[name].shape == tuple(value.type.shape(graph)), name
        assert np.isfinite(out[name]).all() or out[name].dtype == np.int32


def test_every_op_of_the_dialect_is_used():
    """The .td files name the ops: each is in the program above, so that it has a
    method and a meaning."""
    folder = ROOT / "include/GNN/Dialect/GNN/IR"
    declared = re.findall(r'GNN_(?:Row)?Op<"(\w+)"',
                          "".join(p.read_text() for p in folder.glob("*.td")))
    if not declared:
        pytest.skip("the dialect's .td files are not here")
    text = every_op().text()
    missing = [name for name in declared
               if not re.search(rf"gnn\.{name}\b", text)]
    assert not missing
    assert not [n for n in declared if n != "graph" and not hasattr(reference, n)]


def test_text():
    module = Module("Says what it does.")
    g = module.graph("g", edge_types=3)
    f = module.function("layer")
    x = f.input("x", g.rows("node", 64))
    f.comment("One message an edge.")
    m = f.gather(x, "edge", via="src").named("message")
    f.output("out", f.aggregate("sum", m, "node", via="dst") * 0.5)
    assert module.text() == """\
// Says what it does.

#edge = #gnn.rows<@g, edge>
#node = #gnn.rows<@g, node>

gnn.graph @g square {node_types = 1, edge_types = 3}

func.func @layer(
    %x: tensor<?x64xf32, #node> {gnn.name = "x"})
    -> (tensor<?x64xf32, #node> {gnn.name = "out"}) {
  // One message an edge.
  %message = gnn.gather %x via src : tensor<?x64xf32, #node> -> tensor<?x64xf32, #edge>
  %0 = gnn.aggregate sum %message via dst : tensor<?x64xf32, #edge> -> tensor<?x64xf32, #node>
  %1 = arith.constant dense<0.5> : tensor<f32>
  %2 = gnn.broadcast %1 : tensor<f32> -> tensor<?x64xf32, #node>
  %3 = arith.mulf %0, %2 : tensor<?x64xf32, #node>
  return %3 : tensor<?x64xf32, #node>
}
"""


def test_statistics_of_a_graph_parse(gnn_opt):
    module = Module()
    g = module.graph_like("g", graphs()["schema"], stats=True)
    f = module.function("copy")
    f.output("out", f.input("x", g.rows("node")))
    result = subprocess.run([gnn_opt, "-"], input=module.text(), text=True,
                            capture_output=True)
    assert result.returncode == 0, result.stderr
    assert "in_degree_max" in result.stdout


def small():
    module = Module()
    g = module.graph("g", node_types=2, edge_types=3)
    f = module.function("f")
    return module, g, f, f.input("x", g.rows("node", 4))


REFUSED = {
    "gather: a row of node does not lead to one row of edge":
        lambda f, g, x: f.gather(f.gather(x, "edge", via="src"), "node"),
    "gather: from edge to node there are two paths, expected via":
        lambda f, g, x: f.gather(x, "edge"),
    "aggregate: expected a kind of sum, mean, max, min, got 'median'":
        lambda f, g, x: f.aggregate("median", x, "graph"),
    "aggregate: only max and min have an argument, got sum":
        lambda f, g, x: f.aggregate("sum", x, "graph", argument=True),
    "a square graph has no src rows, expected node or node":
        lambda f, g, x: g.rows("src", 4),
    "linear: expected 4 input features in weight, got 5":
        lambda f, g, x: f.linear(x, f.input("w", weight(5, 2))),
    "linear: expected a weight without a row space":
        lambda f, g, x: f.linear(x, f.input("w", g.rows("edge_type", 4, 2))),
    r"linear: expected a bias \(2,\), got tensor<3xf32>":
        lambda f, g, x: f.linear(x, f.input("w", weight(4, 2)),
                                 f.input("b", weight(3))),
    "typed_linear: expected weights over edge_type or node_type":
        lambda f, g, x: f.typed_linear(x, f.input("w", weight(4, 2))),
    "typed_linear: a row of node does not lead to one row of edge_type":
        lambda f, g, x: f.typed_linear(x, f.input("w", g.rows("edge_type", 4, 2))),
    "gather: from edge_type to node_type expected a schema":
        lambda f, g, x: f.gather(f.input("w", g.rows("node_type", 2)),
                                 "edge_type", via="src"),
    "edge_softmax: node rows are not in one group over dst":
        lambda f, g, x: f.edge_softmax(x),
    "reshape: expected 4 features a row, got 6":
        lambda f, g, x: f.reshape(x, 2, 3),
    "slice: expected a part of 4 features, got 3 at 2":
        lambda f, g, x: f.slice(x, 2, 3),
    "apply: expected features that begin with":
        lambda f, g, x: f.apply("add", "edge", x, f.input("e", g.rows("edge", 3)),
                                lhs_via="src"),
    "apply: expected one operand for copy and two for other kinds":
        lambda f, g, x: f.apply("add", "edge", x, lhs_via="src"),
    "activation: expected alpha for leaky_relu and elu only":
        lambda f, g, x: f.activation("relu", x, alpha=1.0),
    "dropout: expected p from 0 to under 1, got 1":
        lambda f, g, x: f.dropout(x, 1, 0),
    "arith.addf: expected operands of one type, got .*; gather takes rows to another space first":
        lambda f, g, x: x + f.gather(x, "edge", via="src"),
    "there is an input 'x' already": lambda f, g, x: f.input("x", weight(1)),
    "f: input: expected an identifier as a name, got 'a b'":
        lambda f, g, x: f.input("a b", weight(1)),
    "prefix_rows: expected src rows, got node": lambda f, g, x: f.prefix_rows(x),
    "rebind_rows: expected another graph than g":
        lambda f, g, x: f.rebind_rows(x, g, "node"),
    "weight_combine: expected 5 bases, got 2":
        lambda f, g, x: f.weight_combine(f.input("c", g.rows("edge_type", 5)),
                                         f.input("b", weight(2, 4, 4))),
    "expected positive integers as feature sizes": lambda f, g, x: g.rows("node", 0),
    "expected 2 widths, one for each node type":
        lambda f, g, x: f.typed_input("y", g, {0: 4}),
}


@pytest.mark.parametrize("message", REFUSED)
def test_refused(message):
    _, g, f, x = small()
    with pytest.raises(ValueError, match=message):
        REFUSED[message](f, g, x)


@pytest.mark.parametrize("first", ["a", "loops"])
def test_lists_of_graphs(first, compiler):
    """They are in the order in which a function names graphs first, derived ones for their
    parents, here and once compiled."""
    module = Module()
    g = {"a": module.graph("a"), "b": module.graph("b")}
    g["loops"] = module.looped_graph("loops", g["b"], "replace", 0)
    f = module.function("f")
    names = sorted(["a", "loops"], key=lambda name: name != first)
    for name, x in [(name, f.input("x" + name, g[name].rows("node", 4))) for name in names]:
        f.output("y" + name, f.aggregate("sum", f.gather(x, "edge", via="src"), "node",
                                         via="dst"))
    expected = ["a", "b"] if first == "a" else ["b", "a"]
    assert list(f.graphs()) == expected
    assert gnn_mlir.compile(f, target="cpu").graph_names == expected


def test_rows_of_two_graphs_never_meet():
    module, g, f, x = small()
    other = module.graph("h", node_types=2, edge_types=3)
    y = f.input("y", other.rows("node", 4))
    with pytest.raises(ValueError, match="dot: .*node rows|expected rows of one "
                       "graph, got rows of g, h"):
        f.dot(x, y)


def test_values_of_another_function_are_refused():
    module, g, f, x = small()
    other = module.function("other")
    with pytest.raises(ValueError, match="other: expected a value of this "
                       "function"):
        other.gather(x, "edge", via="src")


def test_evaluate_names_what_is_wrong():
    module, g, f, x = small()
    f.output("out", x + 1.0)
    graph = gnn_mlir.Graph([0], [1], 3, num_node_types=2, num_edge_types=3)
    x = np.zeros((3, 4))
    with pytest.raises(ValueError, match="f: expected an input 'x', got none"):
        f.evaluate(graph, {})
    with pytest.raises(ValueError, match="f: expected inputs x, got 'y'"):
        f.evaluate(graph, {"x": x, "y": x})
    with pytest.raises(ValueError, match=r"f: input 'x': expected shape \(3, 4\), "
                       r"got \(3, 5\)"):
        f.evaluate(graph, {"x": np.zeros((3, 5))})
    with pytest.raises(ValueError, match="graph 'g': expected 3 edge types, got 1; all "
                       "edges of the graph are of type 0"):
        f.evaluate(gnn_mlir.Graph([0], [1], 3, num_node_types=2), {"x": x})
    assert (f.evaluate(graph, {"x": x})["out"] == 1).all()


def test_values_without_features(compiler):
    """Weights that are one number, and rows of one, mean what is compiled."""
    del compiler  # skips where nothing is built
    module = Module()
    g = module.graph("g", edge_types=2)
    f = module.function("f")
    x, e = f.input("x", g.rows("node")), f.input("e", g.rows("edge"))
    w, v = f.input("w", weight()), f.input("v", weight(4))
    condition, one = w > 0, weight()
    norm = f.batch_norm_training(x, w, abs(w) + 1, w, w)
    values = [
        w * 0.5, 2 - w, w / (w * w + 1), abs(w) ** 2.0, -w, v * w, x * w, x * v, x * 2,
        f.constant(1.5, one), f.broadcast(w, one), f.broadcast(w, weight(3, 4)),
        f.broadcast(w, g.rows("node", 4)), f.broadcast_to(w, one), f.reshape(w, 1, 1),
        f.reshape(f.reshape(w, 1)), f.elementwise("math.exp", w),
        f.elementwise("arith.maximumf", w, 1.0), f.where(condition, w, 2.0),
        f.where(condition & (w < 1), x, 2.0),
        f.where(f.broadcast_to(condition, g.rows("node", 2).with_dtype("i1")), 1.0, 0.0),
        f.sum_rows(x) * w, f.sum_rows(w), f.sum_rows(v, one), f.dropout(x, 0.5, 7),
        f.aggregate("mean", e, "node", via="dst") * w, f.edge_softmax(e, over="dst"), *norm]
    for i, value in enumerate(values):
        f.output(f"o{i}", value)
    graph = gnn_mlir.Graph([0, 1, 2, 2], [1, 1, 0, 2], 4, edge_type=[0, 1, 1, 0])
    inputs = f.random_inputs(graph)
    expected = f.evaluate(graph, inputs)
    found = gnn_mlir.compile(module, target="cpu")(graph, inputs)
    for i, value in enumerate(values):
        array = expected[f"o{i}"]
        rows = () if value.space is None else (4,)  # edges as well as nodes
        assert array.shape == rows + value.features, i
        np.testing.assert_allclose(found[f"o{i}"], array, rtol=1e-5, atol=1e-6, err_msg=str(i))


def test_rows_that_are_rebound_must_be_as_many():
    module = Module()
    a, b = (module.graph(n, square=False) for n in "ab")
    f = module.function("f")
    f.output("out", f.rebind_rows(f.input("x", a.rows("dst", 2)), b, "src"))
    blocks = {n: gnn_mlir.Graph([0], [0], num_src_nodes=3, num_dst_nodes=2)
              for n in "ab"}
    with pytest.raises(ValueError, match="expected as many src rows of b as dst "
                       "rows of a, 2, got 3"):
        f.evaluate(blocks, {"x": np.zeros((2, 2))})


def test_typed_inputs_by_number_and_name():
    module = Module()
    g = module.graph("g", node_types=3)
    f = module.function("f")
    parts = f.typed_input("x", g, {0: 2, 1: 5, 2: 2})
    assert [width for width, _ in parts] == [2, 5]
    f.output("two", parts[0][1])
    f.output("five", parts[1][1])
    graph = gnn_mlir.Graph([], [], 4, node_type=[2, 0, 1, 0],
                           node_type_names=["a", "b", "c"])
    rows = {"c": np.full((1, 2), 3.0), "a": np.array([[1.0, 1], [2, 2]]),
            "b": np.full((1, 5), 7.0)}
    out = f.evaluate(graph, {"x": rows})
    assert out["two"][:, 0].tolist() == [3, 1, 0, 2]
    assert out["five"][:, 0].tolist() == [0, 0, 7, 0]
    by_number = f.evaluate(graph, {"x": dict(zip((2, 0, 1), rows.values()))})
    assert np.array_equal(by_number["two"], out["two"])
    del rows["b"]
    with pytest.raises(ValueError, match="input 'x': expected features of node "
                       "type 1, got c, a"):
        f.evaluate(graph, {"x": rows})
    rows["b"] = np.zeros((2, 5))
    with pytest.raises(ValueError, match=r"node type 1: expected shape \(1, 5\), "
                       r"got \(2, 5\)"):
        f.evaluate(graph, {"x": rows})
