# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Walks by edges: the structures, held against their definitions, and kernels of all forms against NumPy in float64."""

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir import capi, models

SHARE = 64


def graph_of(degrees, nodes=None, seed=0):
    """A graph whose nodes have so many in-edges, in a random order of edges."""
    rng = np.random.default_rng(seed)
    dst = np.repeat(np.arange(len(degrees)), degrees)
    nodes = nodes or len(degrees)
    src = rng.integers(0, max(nodes, 1), len(dst))
    order = rng.permutation(len(dst))
    return gnn_mlir.Graph(src[order].astype(np.int32), dst[order].astype(np.int32), nodes)


# Rows at, before and behind the borders of shares and blocks; hubs; rows without elements
# at both ends; one row alone, and none.
DEGREES = {
    "none": [0, 0, 0], "one": [0, 1, 0], "share": [64], "block": [64, 1024, 64],
    "shares": [63, 1, 64, 65, 127, 1, 0, 128], "hub": [3, 5000, 0, 2, 4000, 1],
    "blocks": [1024, 0, 1024, 1023, 1, 2048, 1],
    "mixed": list(np.random.default_rng(1).integers(0, 40, 300)) + [3000, 0, 0],
}


@pytest.fixture(scope="module", params=list(DEGREES))
def graph(request):
    return graph_of(DEGREES[request.param])


def rows_of(graph):
    degrees = np.bincount(graph.edge_dst, minlength=graph.num_nodes)
    return np.concatenate([[0], np.cumsum(degrees)]).astype(np.int64)


def shares_by_hand(rows, block):
    """The fields of each share, element by element."""
    group = np.repeat(np.arange(len(rows) - 1), np.diff(rows))
    filled = np.flatnonzero(np.diff(rows))
    count, found = len(group), []
    for share in range(-(-count // block) * block // SHARE):
        first = share * SHARE
        if first >= count:
            found.append([0, 0, 0, 0])
            continue
        last = min(first + SHARE, count) - 1
        end = (first // block + 1) * block  # The end of its block.
        head, tail = group[first], group[last]
        is_inside = first > 0 and group[first - 1] == head
        in_tail = np.flatnonzero(group == tail)
        has_tail = in_tail[0] >= first and in_tail[-1] > last
        in_head = np.flatnonzero(group == head)
        flags = is_inside + 2 * has_tail + 4 * (has_tail and in_tail[-1] >= end)
        flags += 8 * (in_head[0] < end - block and in_head[-1] >= end)
        heads = min(in_tail[-1], end - 1) // SHARE - share if has_tail else 0
        span = min(in_head[-1], end - 1) // SHARE - share + 1 if is_inside else 0
        found.append([np.searchsorted(filled, head), flags, heads, span])
    return np.array(found, np.int32).reshape(-1)


@pytest.mark.parametrize("block", [64, 512, 1024])
def test_structures_are_as_defined(graph, block):
    native, rows = capi.NativeGraph.of(graph), rows_of(graph)
    count = len(graph.edge_src)
    order = np.argsort(graph.edge_dst, kind="stable")
    stream = np.zeros(count + (1 << 14), np.int32)
    stream[:count] = graph.edge_src[order]
    stream[rows[1:][np.diff(rows) > 0] - 1] |= np.int32(-1 << 31)
    whole = len(stream) // 2048 * 2048
    stream[:whole] = stream[:whole].reshape(-1, 32, 16, 4).transpose(0, 2, 1, 3).reshape(-1)
    assert np.array_equal(native.structure("stream dst edge.in_rows src"), stream)
    filled = np.zeros(graph.num_nodes + 3, np.int32)
    has = np.flatnonzero(np.diff(rows))
    filled[:len(has)] = has
    assert np.array_equal(native.structure("filled dst edge.in_rows"), filled)
    assert np.array_equal(native.structure(f"shares dst edge.in_rows {block}"),
                          shares_by_hand(rows, block))
    cut = []
    for group, (begin, end) in enumerate(zip(rows, rows[1:])):
        if begin == end:
            cut.append([group, 0, 0])
        elif begin // block != (end - 1) // block:
            cut.append([group, 2 * (begin // block) + 1, 2 * ((end - 1) // block) + 1])
    assert np.array_equal(native.structure(f"cut_rows dst edge.in_rows {block}"),
                          np.array(cut, np.int32).reshape(-1))
    assert native.count(f"cut_row_count dst edge.in_rows {block}") == len(cut)
    assert native.count(f"piece_count dst edge.in_rows {block}") == 2 * -(-count // block)


def test_blocks_are_powers_of_two(graph):
    with pytest.raises(capi.GNNError, match="expected blocks of a power of two from 64 to 16384 "
                                            "elements, got 96"):
        capi.NativeGraph.of(graph).structure("shares dst edge.in_rows 96")


KEYS = ("stream dst edge.in_rows src", "stream dst edge.in_rows edge",
        "stream dst edge.in_rows edge.in_rows", "stream src_pair edge.src_pairs dst",
        "filled dst edge.in_rows", "filled dst dst_pair.by_node",
        "shares dst edge.in_rows 64", "shares dst edge.in_rows 1024",
        "shares src_pair edge.src_pairs 128", "cut_rows dst edge.in_rows 64",
        "cut_rows dst dst_pair.by_node 64", "cut_rows src_pair edge.src_pairs 128",
        "stream src edge.out_rows dst_pair", "filled src edge.out_rows",
        "shares src edge.out_rows 16384", "cut_rows src edge.out_rows 64",
        "stream dst_pair edge.dst_pairs edge", "filled dst_pair edge.dst_pairs",
        "shares dst_pair edge.dst_pairs 64", "cut_rows dst_pair edge.dst_pairs 64",
        "cut_rows dst_pair edge.dst_pairs 1024", "shares dst dst_pair.by_node 64")


def program(body, inputs, outputs, features, heads=1, schedule=""):
    """One traversal on nodes and their in-edges. `inputs` and `outputs`: (type of rows, shape
    behind them, access) each."""
    def typed(space, shape):
        text = "x".join(map(str, ("?", *shape)))
        return (f"tensor<{text}xf32>", f"tensor<{text}xf32> {{gnn.rows = #gnn.rows<@g, {space}>}}")

    args = ", ".join(f"%a{i}: {typed(*one[:2])[1]}" for i, one in enumerate(inputs))
    results = [typed(*one[:2]) for one in outputs]
    empty = "\n".join(
        f"%n{i} = gnn_tile.count @g count {'edge' if one[0] == 'edge' else 'dst'} : index\n"
        f"%o{i} = tensor.empty(%n{i}) : {typed(*one[:2])[0]}" for i, one in enumerate(outputs))
    at = [", ".join(f"#gnn_tile.at<{one[2]}>" for one in those) for those in (inputs, outputs)]
    names = [", ".join(f"%{c}{i}" for i in range(len(those)))
             for c, those in (("a", inputs), ("o", outputs), ("y", outputs))]
    kinds = [", ".join(typed(*one[:2])[0] for one in those) for those in (inputs, outputs)]
    values = ", ".join(f"%v{i}: f32" for i in range(len(inputs)))
    return f"""
gnn.graph @g square {{node_types = 1, edge_types = 1}}
func.func @f({args}) -> ({", ".join(one[1] for one in results)}) {{
  {empty}
  %y:{len(outputs)} = gnn_tile.traverse @g <dst, edge.in_rows, heads = {heads},
      features = {features}> ins({names[0]} : {kinds[0]}) at [{at[0]}]
      outs({names[1]} : {kinds[1]}) at [{at[1]}] {schedule} {{
  ^bb0({values}):
    {body}
  }} -> {kinds[1]}
  return {", ".join(f"%y#{i}" for i in range(len(outputs)))} : {kinds[1]}
}}"""


X, WEIGHT, SCALE = ("node", "element -> src : feature"), ("edge", "element -> edge"), (
    "node", "group")
SUM = "%s = gnn_tile.reduce sum [element] {} : f32\ngnn_tile.yield %s : f32"


def sums(graph, values):
    found = np.zeros((graph.num_nodes, *values.shape[1:]))
    np.add.at(found, graph.edge_dst, values)
    return found


def extremes(graph, values, better):
    found = np.zeros((graph.num_nodes, *values.shape[1:]))
    for node in np.unique(graph.edge_dst):
        found[node] = better(values[graph.edge_dst == node], axis=0)
    return found


def attention(graph, x, z):
    """Scores are dots of rows at both ends, and weigh that at the source."""
    scores = np.sum(x[graph.edge_src] * z[graph.edge_dst], axis=1) / 8
    highest = extremes(graph, scores, np.max)
    powers = np.exp(scores - highest[graph.edge_dst])[:, None]
    total = sums(graph, powers * x[graph.edge_src])
    return total / np.maximum(sums(graph, powers), 1) + highest[:, None]


def sizes(graph):
    return np.bincount(graph.edge_dst, minlength=graph.num_nodes)[:, None]


# Bodies: their text, inputs and outputs behind the first one, and the reference.
BODIES = {
    "sum": (SUM.format("%v0"), [], None, lambda g, x: sums(g, x[g.edge_src])),
    "mean": (SUM.replace("sum", "mean", 1).format("%v0"), [], None,
             lambda g, x: sums(g, x[g.edge_src]) / np.maximum(sizes(g), 1)),
    "max": (SUM.replace("sum", "max", 1).format("%v0"), [], None,
            lambda g, x: extremes(g, x[g.edge_src], np.max)),
    "min": (SUM.replace("sum", "min", 1).format("%v0"), [], None,
            lambda g, x: extremes(g, x[g.edge_src], np.min)),
    "weighted": ("%m = arith.mulf %v0, %v1 : f32\n" + SUM.format("%m"), [WEIGHT], None,
                 lambda g, x, w: sums(g, x[g.edge_src] * w[:, None])),
    "of the group": ("%m = arith.mulf %v0, %v1 : f32\n" + SUM.format("%m"), [SCALE], None,
                     lambda g, x, z: sums(g, x[g.edge_src]) * z[:, None]),
    "size": ("%n = gnn_tile.size : f32\n%t = gnn_tile.reduce sum [element] %v0 : f32\n"
             "%s = arith.addf %t, %n : f32\ngnn_tile.yield %s : f32", [], None,
             lambda g, x: sums(g, x[g.edge_src]) + sizes(g)),
    "size of an element's group": (
        "%n = gnn_tile.size : f32\n%q = arith.divf %v0, %n : f32\n" + SUM.format("%q"), [],
        None, lambda g, x: sums(g, x[g.edge_src]) / np.maximum(sizes(g), 1)),
    "two": ("%s = gnn_tile.reduce sum [element] %v0 : f32\n"
            "%t = gnn_tile.reduce max [element] %v0 : f32\n"
            "%u = arith.addf %s, %t : f32\ngnn_tile.yield %u : f32", [], None,
            lambda g, x: sums(g, x[g.edge_src]) + extremes(g, x[g.edge_src], np.max)),
    "attention": ("%p = arith.mulf %v0, %v1 : f32\n"
                  "%d = gnn_tile.reduce sum [feature] %p : f32\n"
                  "%eighth = arith.constant 0.125 : f32\n%one = arith.constant 1.0 : f32\n"
                  "%s = arith.mulf %d, %eighth : f32\n"
                  "%m, %z, %t = gnn_tile.softmax_sum %s, %one, %v0 : f32\n"
                  "%n = arith.maximumf %z, %one : f32\n%q = arith.divf %t, %n : f32\n"
                  "%y = arith.addf %q, %m : f32\ngnn_tile.yield %y : f32",
                  [("node", "group : feature")], None, attention),
    "dot": ("%p = arith.mulf %v0, %v1 : f32\n%s = gnn_tile.reduce sum [feature] %p : f32\n"
            "gnn_tile.yield %s : f32", [("node", "group : feature")], ("edge", "element -> edge"),
            lambda g, x, z: np.sum(x[g.edge_src] * z[g.edge_dst], axis=1)),
}


# Sums over features of a group, which are computed before its elements are walked.
GROUP_SUMS = {
    "sum of the group": ("%d = gnn_tile.reduce sum [feature] %v1 : f32\n"
                         "%m = arith.mulf %v0, %d : f32\n" + SUM.format("%m"),
                         [("node", "group : feature")], None,
                         lambda g, x, z: sums(g, x[g.edge_src]) * z.sum(1)[:, None]),
    "its row too": ("%p = arith.mulf %v1, %v1 : f32\n"
                    "%d = gnn_tile.reduce sum [feature] %p : f32\n"
                    "%m = arith.mulf %v0, %d : f32\n%n = arith.mulf %m, %v1 : f32\n"
                    "%k = gnn_tile.reduce max [element] %v0 : f32\n"
                    "%s = gnn_tile.reduce sum [element] %n : f32\n"
                    "%y = arith.addf %s, %k : f32\ngnn_tile.yield %y : f32",
                    [("node", "group : feature")], None,
                    lambda g, x, z: sums(g, x[g.edge_src]) * z * (z * z).sum(1)[:, None]
                    + extremes(g, x[g.edge_src], np.max)),
}


def run(graph, name, features, stop_at=None, schedule="schedule <row_walk = by_edges>",
        passes=None, joined=None):
    """The result and the reference. `joined`: how the pieces of rows are, of which statistics
    are known then."""
    body, inputs, output, reference = {**BODIES, **GROUP_SUMS}[name]

    def whole(one):
        return one[0], (features,) if "feature" in one[1] else (), one[1]

    output = output or ("node", "group : feature")
    layer = gnn_mlir.compile(
        program(body, [whole(one) for one in (X, *inputs)], [whole(output)], features,
                schedule=schedule), target="emulator", stop_at=stop_at, passes=passes,
        graph=graph if joined else None)
    assert not joined or joined in layer.package.plan()["functions"][0]["steps"][1]["schedule"]
    by_edges = not stop_at and passes and layer.package.plan()["functions"][0]["structures"]
    assert not by_edges or any("stream" in one["key"] for one in by_edges)
    rng = np.random.default_rng(2)
    rows = {"node": graph.num_nodes, "edge": len(graph.edge_src)}
    given = [rng.standard_normal((rows[space], *shape)).astype(np.float32)
             for space, shape, _ in map(whole, (X, *inputs))]
    bound = layer.bind(graph)
    inputs = {f"arg{i}": one for i, one in enumerate(given)}
    out = bound(inputs)
    assert np.array_equal(out, bound(inputs)), "other bits in a second run"
    return out, reference(graph, *(one.astype(np.float64) for one in given))


def check(found, expected):
    assert not np.isnan(found).any()
    scale = np.abs(expected).max() if expected.size else 1
    assert found.shape == expected.shape
    if found.size:
        assert np.abs(found - expected).max() <= 2e-6 * max(scale, 1e-30)


@pytest.mark.parametrize("name", list(BODIES))
def test_bodies_are_as_numpy(graph, name):
    check(*run(graph, name, 64))


@pytest.mark.parametrize("stop_at", [None, "structured", "loops"])
@pytest.mark.parametrize("name", list(GROUP_SUMS))
def test_sums_over_features_of_a_group(graph, name, stop_at):
    check(*run(graph, name, 40, stop_at=stop_at, schedule="", passes={"edge-walks": 1}))


@pytest.mark.parametrize("features", [1, 2, 3, 8, 41, 96, 256, 300])
@pytest.mark.parametrize("name", ["sum", "dot", "of the group", "attention"])
def test_widths(name, features):
    check(*run(graph_of(DEGREES["mixed"]), name, features))


@pytest.mark.parametrize("stop_at", ["structured", "scheduled", "blocked", "loops"])
@pytest.mark.parametrize("name", ["mean", "max", "weighted", "of the group", "two", "dot",
                                  "attention"])
def test_forms_are_as_numpy(name, stop_at):
    check(*run(graph_of(DEGREES["hub"]), name, 32, stop_at=stop_at))


@pytest.mark.parametrize("fields", [
    "in_flight = 1", "in_flight = 4, rows_per_block = 8", "lanes = 8", "lanes = 32",
    "columns_per_block = 32, lanes = 8", "vector = 1, lanes = 32", "vector = 2, in_flight = 16"])
@pytest.mark.parametrize("name", ["mean", "of the group", "attention"])
def test_schedules(name, fields):
    order = ("columns_per_block", "vector", "lanes", "in_flight", "rows_per_block")
    if name == "attention" and "columns" in fields:
        pytest.skip("a reduction over features needs all of a row")
    fields = sorted(fields.split(", "), key=lambda one: order.index(one.split(" ")[0]))
    schedule = f"schedule <{', '.join(fields)}, row_walk = by_edges>"
    check(*run(graph_of(DEGREES["mixed"]), name, 64, schedule=schedule))


@pytest.mark.parametrize("name", ["mean", "max", "attention"])
def test_blocks_join_hubs(name):
    """A row of hundreds of pieces is joined by all teams of a block, beside short ones."""
    fields = "vector = 1, lanes = 32, in_flight = {}, rows_per_block = 2, row_walk = by_edges"
    for degrees, in_flight, joined in (([5, 9000, 0, 8300, 3, 200, 1], 4, "by_length"),
                                       ([0, 129, 8450, 70], 1, "by_length"),
                                       ([5, 8000, 0, 8000, 3, 200, 1], 4, "row_walk = team")):
        check(*run(graph_of(degrees), name, 32, joined=joined,
                   schedule=f"schedule <{fields.format(in_flight)}>"))


def test_cores_have_rows_of_their_own():
    """A walk by edges is left as it is where a core walks its rows."""
    graph = graph_of(DEGREES["mixed"])
    for layer in (models.gat((8, 8)), models.gatv2((8, 8)), models.transformer((8, 8))):
        texts = [gnn_mlir.compile(layer, target="cpu", passes={"edge-walks": setting}, graph=graph)
                 .package.kernels("mlir") for setting in (0, 1)]
        assert texts[0] == texts[1]


STATES = """
gnn.graph @g square {{node_types = 1, edge_types = 1}}
func.func @states(%x: tensor<?x{shape}xf32> {{gnn.rows = #gnn.rows<@g, node>}})
    -> ({results}) {{
  %n = gnn_tile.count @g count dst : index
  %y = tensor.empty(%n) : tensor<?x{shape}xf32>
  %z = tensor.empty(%n) : tensor<?x{shape}x{second}>
  %o:2 = gnn_tile.traverse @g <dst, edge.in_rows, heads = {heads}, features = {features}>
      ins(%x : tensor<?x{shape}xf32>) at [#gnn_tile.at<element -> src : head, feature>]
      outs(%y, %z : tensor<?x{shape}xf32>, tensor<?x{shape}x{second}>)
      at [#gnn_tile.at<group : head, feature>, #gnn_tile.at<group : head, feature>] {{
  ^bb0(%v: f32):
    {body}
  }} -> tensor<?x{shape}xf32>, tensor<?x{shape}x{second}>
  return %o#0, %o#1 : tensor<?x{shape}xf32>, tensor<?x{shape}x{second}>
}}"""

ARGUMENT = """%e = gnn_tile.index #gnn_tile.at<element -> edge>
    %m, %a = gnn_tile.arg_reduce max %v, %e : f32
    gnn_tile.yield %m, %a : f32, i32"""
SOFTMAX = """%lowest = arith.constant 0xFF7FFFFF : f32
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %nothing = arith.mulf %v, %zero : f32
    %count = arith.addf %nothing, %one : f32
    %max, %sum = gnn_tile.fold %v, %count identity %lowest, %zero : f32, f32 {
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
    gnn_tile.yield %max, %sum : f32, f32"""


@pytest.mark.parametrize("heads, features", [(1, 64), (4, 8), (3, 5)])
@pytest.mark.parametrize("body", ["argument", "softmax"])
def test_states_of_several_values(graph, body, heads, features):
    """The largest value and the first edge that has it, and the state of a softmax: what
    shares and blocks cut is combined as a whole."""
    second = "i32" if body == "argument" else "f32"
    shape = f"{heads}x{features}"
    rows = "{gnn.rows = #gnn.rows<@g, node>}"
    text = STATES.format(
        shape=shape, heads=heads, features=features, second=second,
        body=ARGUMENT if body == "argument" else SOFTMAX,
        results=f"tensor<?x{shape}xf32> {rows}, tensor<?x{shape}x{second}> {rows}")
    rng = np.random.default_rng(6)
    # Few different values, so that several edges have the largest one.
    x = rng.integers(-9, 9, (graph.num_nodes, heads, features)).astype(np.float32) / 4
    layer = gnn_mlir.compile(text, target="emulator", passes={"edge-walks": 1})
    plan, = layer.package.plan()["functions"]
    assert "by_edges" in plan["steps"][0]["schedule"]
    found = list(layer.bind(graph)({"arg0": x}).values())
    values = x.astype(np.float64)[graph.edge_src]
    top = np.zeros(x.shape) if body == "argument" else np.full(
        x.shape, np.finfo(np.float32).min, np.float64)
    other = np.full(x.shape, -1.0 if body == "argument" else 0.0)
    for node in np.unique(graph.edge_dst):
        edges = np.flatnonzero(graph.edge_dst == node)
        top[node] = values[edges].max(axis=0)
        other[node] = (edges[values[edges].argmax(axis=0)] if body == "argument"
                       else np.exp(values[edges] - top[node]).sum(axis=0))
    assert np.array_equal(found[0].astype(np.float64), top)
    check(found[1].astype(np.float64), other)


DOT = """
gnn.graph @g square {{node_types = 1, edge_types = 1}}
func.func @dot(%x: tensor<?x{shape}xf32> {{gnn.rows = #gnn.rows<@g, node>}},
               %z: tensor<?x{shape}xf32> {{gnn.rows = #gnn.rows<@g, node>}})
    -> (tensor<?x{heads}xf32> {{gnn.rows = #gnn.rows<@g, edge>}}) {{
  %n = gnn_tile.count @g count edge : index
  %init = tensor.empty(%n) : tensor<?x{heads}xf32>
  %s = gnn_tile.traverse @g <edge, heads = {heads}, features = {features}>
      ins(%x, %z : tensor<?x{shape}xf32>, tensor<?x{shape}xf32>)
      at [#gnn_tile.at<group -> src : head, feature>, #gnn_tile.at<group -> dst : head, feature>]
      outs(%init : tensor<?x{heads}xf32>) at [#gnn_tile.at<group : head>] {{
  ^bb0(%xv: f32, %zv: f32):
    %p = arith.mulf %xv, %zv : f32
    %d = gnn_tile.reduce sum [feature] %p : f32
    gnn_tile.yield %d : f32
  }} -> tensor<?x{heads}xf32>
  return %s : tensor<?x{heads}xf32>
}}"""


@pytest.mark.parametrize("heads, features", [(1, 16), (4, 8), (2, 33), (8, 64)])
def test_dots_by_destination(graph, heads, features):
    """Those of edges become those of destinations, with the same result."""
    text = DOT.format(shape=f"{heads}x{features}", heads=heads, features=features)
    rng, shape = np.random.default_rng(5), (graph.num_nodes, heads, features)
    x, z = (rng.standard_normal(shape).astype(np.float32) for _ in range(2))
    layer = gnn_mlir.compile(text, target="emulator", passes={"edge-walks": 1})
    plan, = layer.package.plan()["functions"]
    assert all("by_edges" in step["schedule"] for step in plan["steps"])
    found = layer.bind(graph)({"arg0": x, "arg1": z})
    check(found, np.sum(x.astype(np.float64)[graph.edge_src] * z[graph.edge_dst], axis=2))


@pytest.mark.parametrize("features", [(64,), (4, 16)])
def test_dots_are_written_where_they_are_read(graph, features):
    """In the user's order by the walk itself; a second reader has it read a copy."""
    def module(twice):
        made = gnn_mlir.Module()
        f = made.function("f")
        g = made.graph("g")
        x, z = (f.input(name, g.rows("node", *features)) for name in "xz")
        dot = f.dot(f.gather(x, "edge", via="src"), f.gather(z, "edge", via="dst"))
        f.output("out", dot)
        if twice:
            f.output("sum", f.aggregate("sum", dot, "node", via="dst"))
        return made

    rng = np.random.default_rng(5)
    x, z = (rng.standard_normal((graph.num_nodes, *features)).astype(np.float32)
            for _ in range(2))
    expected = np.sum(x.astype(np.float64)[graph.edge_src] * z[graph.edge_dst], axis=-1)
    layer = gnn_mlir.compile(module(False), target="emulator", passes={"edge-walks": 1})
    step, = layer.package.plan()["functions"][0]["steps"]
    assert "by_edges" in step["schedule"]
    check(layer.bind(graph)({"x": x, "z": z}), expected)
    layer = gnn_mlir.compile(module(True), target="emulator", passes={"edge-walks": 1})
    found = layer.bind(graph)({"x": x, "z": z})
    check(found["out"], expected)
    check(found["sum"], sums(graph, expected))


def test_the_switch_takes_all_that_can(graph):
    module = models.sage((16, 16), "mean")
    given = next(iter(module.functions.values())).random_inputs(graph, 1)
    ways = [gnn_mlir.compile(module, target="emulator", passes={"edge-walks": n}, graph=graph)
            for n in (0, 1)]
    plans = [one.package.plan()["functions"][0]["steps"] for one in ways]
    taken = [sum("by_edges" in step.get("schedule", "") for step in plan) for plan in plans]
    assert taken[0] == 0 and taken[1] > 0
    by_rows, by_edges = (one.bind(graph)(given) for one in ways)
    check(by_edges, by_rows.astype(np.float64))


@pytest.mark.parametrize("kind", ["max", "min"])
@pytest.mark.parametrize("walk, is_sorted", [(0, False), (1, False), (1, True)])
@pytest.mark.parametrize("features", [1, 2, 33])
def test_of_equals_the_first_edge_is_the_extreme(graph, kind, walk, is_sorted, features):
    """Few values, so that most are equal to others: NaN beyond all, 0 and -0 alike, infinite ones
    that begin a row. Sorted edges are their positions, at which the states of a walk by edges
    start."""
    if is_sorted:
        graph, _ = gnn_mlir.sort_edges(graph)
    module = gnn_mlir.Module()
    g, f = module.graph("g", dst_sorted=is_sorted), module.function("f")
    value, at = f.aggregate(kind, f.gather(f.input("x", g.rows("node", features)), "edge",
                                           via="src"), "node", via="dst", argument=True)
    f.output("value", value)
    f.output("at", at)
    few = np.array([-np.inf, -np.inf, np.inf, np.inf, 0.0, -0.0, 1.0, np.nan], np.float32)
    rng = np.random.default_rng(features)
    x = few[rng.integers(0, len(few) - (features == 2), (graph.num_nodes, features))]
    found = gnn_mlir.compile(module, target="emulator", passes={"edge-walks": walk})(
        graph, {"x": x})
    at = np.full(x.shape, -1)
    better = np.greater if kind == "max" else np.less
    for edge, (src, dst) in enumerate(zip(graph.edge_src, graph.edge_dst)):
        known = x[graph.edge_src[at[dst]], np.arange(features)]
        wins = (at[dst] < 0) | ~np.isnan(known) & (np.isnan(x[src]) | better(x[src], known))
        at[dst] = np.where(wins, edge, at[dst])
    assert np.array_equal(found["at"], at)
    expected = np.zeros_like(x)
    if len(graph.edge_src):
        expected = np.where(at < 0, 0, x[graph.edge_src[at], np.arange(features)])
    assert np.array_equal(found["value"], expected, equal_nan=True)


def test_blocked_is_as_nothing_said():
    """The steps beside a walk by edges go by rows, and have none of its fields."""
    graph = graph_of(DEGREES["mixed"])
    schedule = "schedule <row_walk = by_edges, distribution = blocked{}>"
    found, expected = run(graph, "sum", 8, schedule=schedule.format(""))
    check(found, expected)
    assert np.array_equal(found, run(graph, "sum", 8)[0])
    body, _, _, reference = BODIES["sum"]
    text = program(body, [X[:1] + ((8,),) + X[1:]], [("node", (8,), "group : feature")], 8,
                   schedule=schedule.format(", merge = atomic"))
    x = np.random.default_rng(2).standard_normal((graph.num_nodes, 8)).astype(np.float32)
    layer = gnn_mlir.compile(text, target="emulator")
    check(layer(graph, {"arg0": x}), reference(graph, x.astype(np.float64)))
