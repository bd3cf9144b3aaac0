# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Several rows of a team (M1 of LO-SpMM 3.1): sums, weighted sums and means of rows whose edges
are merged by source, in every form, against NumPy in float64."""

import json

import numpy as np
import pytest

import gnn_mlir

PROGRAM = """
gnn.graph @g square {{node_types = 1, edge_types = 3}}
func.func @f(%x: tensor<?x{features}xf32> {{gnn.rows = #gnn.rows<@g, node>}},
             %w: tensor<?xf32> {{gnn.rows = #gnn.rows<@g, edge>}})
    -> (tensor<?x{features}xf32> {{gnn.rows = #gnn.rows<@g, {rows}>}},
        tensor<?x{features}xf32> {{gnn.rows = #gnn.rows<@g, {rows}>}},
        tensor<?xf32> {{gnn.rows = #gnn.rows<@g, {rows}>}}) {{
  %n = gnn_tile.count @g count {groups} : index
  %o0 = tensor.empty(%n) : tensor<?x{features}xf32>
  %o1 = tensor.empty(%n) : tensor<?x{features}xf32>
  %o2 = tensor.empty(%n) : tensor<?xf32>
  %y:3 = gnn_tile.traverse @g <{groups}, {elements}, features = {features}>
      ins(%x, %w : tensor<?x{features}xf32>, tensor<?xf32>)
      at [#gnn_tile.at<element -> {other} : feature>, #gnn_tile.at<element -> edge>]
      outs(%o0, %o1, %o2 : tensor<?x{features}xf32>, tensor<?x{features}xf32>, tensor<?xf32>)
      at [#gnn_tile.at<group : feature>, #gnn_tile.at<group : feature>, #gnn_tile.at<group>]
      schedule <{schedule}> {{
  ^bb0(%v: f32, %a: f32):
    %m = arith.mulf %v, %a : f32
    %s = gnn_tile.reduce sum [element] %m : f32
    %p = gnn_tile.reduce mean [element] %v : f32
    %t = gnn_tile.reduce sum [element] %a : f32
    gnn_tile.yield %s, %p, %t : f32, f32, f32
  }} -> tensor<?x{features}xf32>, tensor<?x{features}xf32>, tensor<?xf32>
  return %y#0, %y#1, %y#2 : tensor<?x{features}xf32>, tensor<?x{features}xf32>, tensor<?xf32>
}}"""
GROUPS = {
    "destinations": dict(groups="dst", elements="edge.in_rows", other="src", rows="node"),
    "sources": dict(groups="src", elements="edge.out_rows", other="dst", rows="node"),
    "destination pairs": dict(groups="dst_pair", elements="edge.dst_pairs", other="src",
                              rows="dst_pair"),
}
# Teams of a warp and of parts of one, odd widths, elements by several lanes, rows in every
# order, tiles of columns, and a number of rows that tiles do not divide.
WAYS = {
    "warps": (64, "vector = 2, lanes = 32, rows_per_team = 4"),
    "two rows": (7, "lanes = 8, element_lanes = 1, rows_per_team = 2"),
    "lanes of elements": (16, "vector = 4, lanes = 4, element_lanes = 8, rows_per_team = 3"),
    "one lane": (1, "lanes = 1, element_lanes = 1, rows_per_block = 64, rows_per_team = 8"),
    "one at a time": (33, "in_flight = 1, rows_per_team = 5"),
    "by degree": (16, "lanes = 4, row_order = by_degree, rows_per_team = 4"),
    "windows of degrees": (16, "row_order = degree_windows, rows_per_team = 4"),
    "columns": (64, "columns_per_block = 32, lanes = 8, rows_per_team = 4"),
    "all rows": (4, "lanes = 1, rows_per_team = 16"),
}


def graph_of(nodes=203, edges=3001, seed=0):
    """Rows without edges, a hub, self loops, multi-edges, and rows that share sources."""
    rng = np.random.default_rng(seed)
    src, dst = ((nodes * rng.random(edges) ** 2).astype(np.int32) for _ in range(2))
    dst[:500] = nodes - 2
    src[:40] = src[0]
    dst[600:640], src[600:640] = 5, 7
    dst[700:760] = src[700:760]
    dst[dst % 11 == 4] = 3
    order = rng.permutation(edges)
    return gnn_mlir.Graph(src[order], dst[order], nodes,
                          edge_type=rng.integers(0, 3, edges).astype(np.int32),
                          num_edge_types=3)


def inputs_of(graph, features):
    rng = np.random.default_rng(features)
    normal = lambda *shape: rng.standard_normal(shape).astype(np.float32)  # noqa: E731
    return {"arg0": normal(graph.num_nodes, features), "arg1": normal(graph.num_edges)}


def ends(graph, name):
    """For each edge, its group and the node that it leads to; the number of groups."""
    own, other = graph.edge_dst, graph.edge_src
    if name == "sources":
        own, other = other, own
    if "pairs" not in name:
        return own, other, graph.num_nodes
    codes, own = np.unique(graph.edge_type * np.int64(graph.num_nodes) + own,
                           return_inverse=True)
    return own, other, len(codes)


def expected(graph, name, inputs):
    x, w = (value.astype(np.float64) for value in inputs.values())
    own, other, count = ends(graph, name)
    sums, means, weights = (np.zeros((count, x.shape[1])), np.zeros((count, x.shape[1])),
                            np.zeros(count))
    np.add.at(sums, own, x[other] * w[:, None])
    np.add.at(means, own, x[other])
    np.add.at(weights, own, w)
    return sums, means / np.maximum(1, np.bincount(own, minlength=count))[:, None], weights


def compiled(name, features, schedule, target="emulator", **options):
    text = PROGRAM.format(features=features, schedule=schedule, **GROUPS[name])
    return gnn_mlir.compile(text, target=target, **options)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", GROUPS)
def test_rows_are_as_numpy(name, way):
    graph, (features, schedule) = graph_of(), WAYS[way]
    inputs = inputs_of(graph, features)
    found = compiled(name, features, schedule).bind(graph)(inputs)
    for own, right in zip(found.values(), expected(graph, name, inputs)):
        np.testing.assert_allclose(own, right, rtol=2e-5, atol=2e-4)


@pytest.mark.parametrize("form", ["structured", "scheduled", "blocked", "loops"])
def test_forms(form):
    graph = graph_of()
    inputs = inputs_of(graph, 8)
    layer = compiled("destinations", 8, "rows_per_team = 3", stop_at=form)
    for own, right in zip(layer.bind(graph)(inputs).values(),
                          expected(graph, "destinations", inputs)):
        np.testing.assert_allclose(own, right, rtol=2e-5, atol=2e-4)


@pytest.mark.parametrize("features, fields", [(8, {"rows_per_team": 2}), (20, {"rows_per_team": 4}),
                                              (16, {"rows_per_team": 3, "rows_per_block": 5})])
def test_cores(features, fields):
    """A core takes the rows of a team together, too."""
    graph = graph_of()
    inputs = inputs_of(graph, features)
    text = PROGRAM.format(features=features, schedule="", **GROUPS["destinations"])
    text = text.replace("      schedule <>", "")
    lines = [json.loads(json.dumps(line)) for line in
             gnn_mlir.list_schedules(text, target="cpu", vary=["rows_per_team"])]
    line, = [one for one in lines if one["schedule"].get("rows_per_team") == 2]
    line["schedule"] = fields
    line.pop("layout", None)
    layer = gnn_mlir.compile(text, target="cpu", schedules=[line])
    for own, right in zip(layer.bind(graph)(inputs).values(),
                          expected(graph, "destinations", inputs)):
        np.testing.assert_allclose(own, right, rtol=2e-5, atol=2e-4)


def test_special_numbers():
    """A source that is infinite or no number is in no row that it has no edge to."""
    graph = gnn_mlir.Graph(np.int32([0, 1, 1, 2, 3]), np.int32([0, 0, 1, 2, 3]), 4,
                           edge_type=np.zeros(5, np.int32), num_edge_types=3)
    x = np.float32([[1, 2], [np.inf, 3], [np.nan, -np.inf], [4, 5]])
    found = compiled("destinations", 2, "rows_per_team = 4").bind(graph)(
        {"arg0": x, "arg1": np.ones(5, np.float32)})
    np.testing.assert_array_equal(list(found.values())[0],
                                  [[np.inf, 5], [np.inf, 3], [np.nan, -np.inf], [4, 5]])


def test_order_of_sums():
    """Rows are added up in the order of sources, which the number of rows does not change."""
    graph = graph_of()
    inputs = inputs_of(graph, 32)
    own, other, _ = ends(graph, "destinations")
    order = np.lexsort((np.arange(len(own)), other, own))
    sums = np.zeros((graph.num_nodes, 32), np.float32)
    for edge in order:
        sums[own[edge]] += np.float32(inputs["arg0"][other[edge]])
    for rows in (2, 5, 16):
        layer = compiled("destinations", 32, f"element_lanes = 1, rows_per_team = {rows}",
                         passes={"sum-runs": 0})
        found = list(layer.bind(graph)(inputs).values())[1]
        counts = np.maximum(1, np.bincount(own, minlength=graph.num_nodes))
        np.testing.assert_allclose(found, sums / counts[:, None].astype(np.float32), rtol=3e-7)


HEADS = """
gnn.graph @g square {{node_types = 1, edge_types = 3}}
func.func @f(%x: tensor<?x4x8xf32> {{gnn.rows = #gnn.rows<@g, node>}},
             %w: tensor<?x4xf32> {{gnn.rows = #gnn.rows<@g, edge>}},
             %r: tensor<?x4xf32> {{gnn.rows = #gnn.rows<@g, node>}})
    -> (tensor<?x4x8xf32> {{gnn.rows = #gnn.rows<@g, node>}}) {{
  %n = gnn_tile.count @g count dst : index
  %o = tensor.empty(%n) : tensor<?x4x8xf32>
  %y = gnn_tile.traverse @g <dst, edge.in_rows, heads = 4, features = 8>
      ins(%x, %w, %r, %r : tensor<?x4x8xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>)
      at [#gnn_tile.at<element -> src : head, feature>, #gnn_tile.at<element -> edge : head>,
          #gnn_tile.at<group : head>, #gnn_tile.at<element -> src : head>]
      outs(%o : tensor<?x4x8xf32>) at [#gnn_tile.at<group : head, feature>]
      schedule <{schedule}> {{
  ^bb0(%v: f32, %a: f32, %own: f32, %other: f32):
    %b = arith.addf %a, %own : f32
    %c = arith.mulf %b, %other : f32
    %m = arith.mulf %v, %c : f32
    %s = gnn_tile.reduce sum [element] %m : f32
    %z = gnn_tile.size : f32
    %t = arith.addf %s, %z : f32
    gnn_tile.yield %t : f32
  }} -> tensor<?x4x8xf32>
  return %y : tensor<?x4x8xf32>
}}"""


@pytest.mark.parametrize("schedule", ["rows_per_team = 4", "lanes = 2, head_lanes = 2, "
                                      "element_lanes = 2, rows_per_team = 3",
                                      "heads_per_block = 2, rows_per_team = 2"])
def test_heads(schedule):
    """Numbers of rows, of edges and of sources, and a result of how many edges a row has."""
    graph, rng = graph_of(), np.random.default_rng(4)
    x, w, r = (rng.standard_normal(shape).astype(np.float32) for shape in
               ((graph.num_nodes, 4, 8), (graph.num_edges, 4), (graph.num_nodes, 4)))
    found = gnn_mlir.compile(HEADS.format(schedule=schedule), target="emulator").bind(graph)(
        {"arg0": x, "arg1": w, "arg2": r})
    src, dst = graph.edge_src, graph.edge_dst
    right = np.zeros(x.shape)
    x, w, r = (value.astype(np.float64) for value in (x, w, r))
    np.add.at(right, dst, x[src] * ((w + r[dst]) * r[src])[:, :, None])
    right += np.bincount(dst, minlength=len(x))[:, None, None]
    np.testing.assert_allclose(found, right, rtol=2e-5, atol=2e-4)


MEAN = """
#node = #gnn.rows<@g, node>
gnn.graph @g square {node_types = 1, edge_types = 3}
func.func @f(%x: tensor<?x16xf32, #node>) -> tensor<?x16xf32, #node> {
  %m = gnn.gather %x via src : tensor<?x16xf32, #node> -> tensor<?x16xf32, #gnn.rows<@g, edge>>
  %y = gnn.aggregate mean %m via dst
      : tensor<?x16xf32, #gnn.rows<@g, edge>> -> tensor<?x16xf32, #node>
  return %y : tensor<?x16xf32, #node>
}"""


@pytest.mark.parametrize("order", ["natural", "by_degree"])
def test_long_rows_have_their_pieces(order, tmp_path):
    """Rows of more than 9 edges are made of parts, and no edge of theirs is merged."""
    graph, passes = graph_of(), {"long-rows": 9, "edge-walks": 0}
    saved = tmp_path / "saved.jsonl"
    gnn_mlir.compile(MEAN, target="emulator", passes=passes, save_schedules=str(saved))
    lines = [json.loads(line) for line in saved.read_text().splitlines()]
    of_pieces, of_rows = sorted(lines, key=lambda line: "long_tiles" not in line["domain"])
    of_rows["schedule"] = {"row_order": order, "rows_per_team": 4}
    layer = gnn_mlir.compile(MEAN, target="emulator", passes=passes, schedules=lines)
    plan, = layer.package.plan()["functions"]
    taken = "dst" if order == "natural" else "dst.by_degree"
    keys = {one["key"] for one in plan["structures"]}
    assert f"merged {taken} edge.in_rows src 4 9" in keys
    x = inputs_of(graph, 16)["arg0"]
    right = np.zeros(x.shape)
    np.add.at(right, graph.edge_dst, x.astype(np.float64)[graph.edge_src])
    degrees = np.bincount(graph.edge_dst, minlength=len(x))
    assert degrees.max() > 500 and (degrees == 0).any()
    np.testing.assert_allclose(layer.bind(graph)({"arg0": x}),
                               right / np.maximum(1, degrees)[:, None], rtol=2e-5, atol=2e-5)


def test_structures():
    """What entries say is read nowhere else."""
    layer = compiled("destinations", 8, "row_order = by_degree, rows_per_team = 4")
    plan, = layer.package.plan()["functions"]
    assert {one["key"] for one in plan["structures"]} == {
        "map dst.by_degree dst", "rows dst edge.in_rows", "map edge.in_rows edge",
        "merged_rows dst.by_degree edge.in_rows src 4", "merged dst.by_degree edge.in_rows src 4"}


def test_sums_in_products():
    """A sum of several rows a team stays a kernel of its own."""
    text = """
gnn.graph @g square {node_types = 1, edge_types = 1}
func.func @f(%x: tensor<?x64xf32> {gnn.rows = #gnn.rows<@g, node>}, %w: tensor<64x64xf32>)
    -> (tensor<?x64xf32> {gnn.rows = #gnn.rows<@g, node>}) {
  %n = gnn_tile.count @g count dst : index
  %o = tensor.empty(%n) : tensor<?x64xf32>
  %y = gnn_tile.traverse @g <dst, edge.in_rows, features = 64>
      ins(%x : tensor<?x64xf32>) at [#gnn_tile.at<element -> src : feature>]
      outs(%o : tensor<?x64xf32>) at [#gnn_tile.at<group : feature>] schedule <SCHEDULE> {
  ^bb0(%v: f32):
    %s = gnn_tile.reduce sum [element] %v : f32
    gnn_tile.yield %s : f32
  } -> tensor<?x64xf32>
  %p = tensor.empty(%n) : tensor<?x64xf32>
  %z = gnn_tile.gemm @g rows dst ins(%y, %w : tensor<?x64xf32>, tensor<64x64xf32>)
      at <group : feature> extras at [] outs(%p : tensor<?x64xf32>) at <group : feature> {
  ^bb0(%v: f32):
    gnn_tile.yield %v : f32
  } -> tensor<?x64xf32>
  return %z : tensor<?x64xf32>
}"""
    rng = np.random.default_rng(1)
    src, dst = (rng.integers(0, 100, 900).astype(np.int32) for _ in range(2))
    graph = gnn_mlir.Graph(src, dst, 100)
    x, w = (rng.standard_normal(shape).astype(np.float32) for shape in ((100, 64), (64, 64)))
    right = np.zeros(x.shape)
    np.add.at(right, dst, x.astype(np.float64)[src])
    for schedule, kernels in (("row_walk = team", 1), ("rows_per_team = 4", 2),
                              ("row_walk = team, max_registers = 64", 2),
                              ("row_walk = team, processor_blocks = 2", 2)):
        layer = gnn_mlir.compile(text.replace("SCHEDULE", schedule), target="emulator",
                                 passes={"sums-in-products": True})
        assert len(layer.package.plan()["functions"][0]["steps"]) == kernels, schedule
        np.testing.assert_allclose(layer.bind(graph)({"arg0": x, "arg1": w}), right @ w,
                                   rtol=1e-4, atol=1e-3)


def loads_of(layer, graph, inputs):
    """The elements that threads load of the first input, in one run."""
    bound = layer.bind(graph)
    bound(inputs)
    plan, = layer.package.plan()["functions"]
    place = plan["steps"][0]["args"].index({"input": 0})
    return bound.report()["steps"][0]["loads"][place]


def entries_of(graph, rows, order=None):
    """Different sources of each `rows` rows, each as often as one of them has edges from it."""
    order = np.arange(graph.num_nodes) if order is None else order
    place = np.empty(graph.num_nodes, np.int64)
    place[order] = np.arange(graph.num_nodes)
    edges, counts = np.unique(np.stack([graph.edge_dst, graph.edge_src]), axis=1,
                              return_counts=True)
    most = {}
    for dst, src, count in zip(*edges, counts):
        tile = place[dst] // rows, src
        most[tile] = max(most.get(tile, 0), count)
    return sum(most.values())


@pytest.mark.parametrize("rows", [2, 3, 8])
@pytest.mark.parametrize("order", ["natural", "by_degree"])
def test_shared_sources_are_loaded_once(order, rows):
    """As the emulator counts loads: a lane has each feature of an entry once."""
    graph, features = graph_of(), 32
    inputs = inputs_of(graph, features)
    schedule = f"lanes = 8, element_lanes = 1, in_flight = 1, row_order = {order}"
    alone = loads_of(compiled("destinations", features, f"{schedule}, row_walk = team"),
                     graph, inputs)
    assert alone == graph.num_edges * features
    degrees = np.bincount(graph.edge_dst, minlength=graph.num_nodes)
    taken = np.argsort(-degrees, kind="stable") if order == "by_degree" else None
    expected = entries_of(graph, rows, taken) * features
    assert loads_of(compiled("destinations", features, f"{schedule}, rows_per_team = {rows}"),
                    graph, inputs) == expected
    assert expected < alone


def test_rows_alike():
    """Rows of equal neighbours take the loads of one."""
    nodes, rows = 64, 4
    src = np.concatenate([np.random.default_rng(i).choice(nodes, 10, replace=False)
                          for i in np.repeat(np.arange(nodes // rows), rows)]).astype(np.int32)
    graph = gnn_mlir.Graph(src, np.repeat(np.arange(nodes), 10).astype(np.int32), nodes,
                           num_edge_types=3, edge_type=np.zeros(len(src), np.int32))
    inputs = inputs_of(graph, 16)
    for count, share in ((1, 1), (2, 2), (4, 4)):
        layer = compiled("destinations", 16, "element_lanes = 1, in_flight = 1, row_walk = team, "
                                             f"rows_per_team = {count}")
        assert loads_of(layer, graph, inputs) * share == graph.num_edges * 16


def test_graph_of_tensors():
    """Kernels build no merged rows: the host does, of what a graph on a device gives it."""
    torch = pytest.importorskip("torch")
    graph, features = graph_of(), 16
    inputs = inputs_of(graph, features)
    layer = compiled("destinations", features, "row_order = by_degree, rows_per_team = 4")
    ends = torch.stack([torch.tensor(graph.edge_src), torch.tensor(graph.edge_dst)])
    of_tensors = gnn_mlir.TensorGraph(ends, graph.num_nodes, num_edge_types=3,
                                      edge_type=torch.tensor(graph.edge_type))
    given = {name: torch.tensor(value) for name, value in inputs.items()}
    for own, right in zip(layer.bind(of_tensors)(given).values(),
                          layer.bind(graph)(inputs).values()):
        assert np.array_equal(np.asarray(own), right)
