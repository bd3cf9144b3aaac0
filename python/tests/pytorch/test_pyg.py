# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models in float64 equal PyG's own layers with copied weights."""

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir import models
from gnn_mlir.pytorch import pyg

torch = pytest.importorskip("torch")
nn = pytest.importorskip("torch_geometric.nn")

TOLERANCE = 1e-10


def random_graph(seed=0, nodes=40, edges=300, edge_types=5):
    """Parallel edges, self loops, an edge type and some nodes without edges."""
    rng = np.random.default_rng(seed)
    src = rng.integers(0, nodes - 4, edges)
    dst = rng.integers(3, nodes, edges) ** 2 // nodes
    dst[:10] = src[:10]
    types = rng.integers(0, edge_types - 1, edges)
    return gnn_mlir.Graph(src, dst, nodes, edge_type=types,
                          num_edge_types=edge_types)


def randomize(module, seed=0):
    """PyG starts biases at 0 and some weights at 1, which would hide faults."""
    generator = torch.Generator().manual_seed(seed)
    module = module.double().eval()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator,
                                        dtype=torch.float64) * 0.4)
    return module


def check(module, graph, x, convs, expected):
    function, = module.functions.values()
    out = function.evaluate(graph, {"x": x, **pyg.weights(module, *convs)})["out"]
    expected = expected.detach().numpy()
    assert out.shape == expected.shape
    assert np.linalg.norm(out - expected) <= TOLERANCE * np.linalg.norm(expected)


def inputs(graph, size, seed=1):
    x = np.random.default_rng(seed).standard_normal((graph.num_nodes, size))
    edges = torch.tensor(np.stack([graph.edge_src, graph.edge_dst]).astype(int))
    return x, torch.tensor(x), edges, torch.tensor(graph.edge_type.astype(int))


def with_loops(graph):
    return gnn_mlir.add_self_loops(gnn_mlir.merge_types(graph), "replace", 0)


@pytest.mark.parametrize("self_loops", [True, False])
@pytest.mark.parametrize("bias", [True, False])
def test_gcn(self_loops, bias):
    graph = random_graph()
    conv = randomize(nn.GCNConv(7, 5, add_self_loops=self_loops, bias=bias))
    x, tx, edges, _ = inputs(graph, 7)
    own = with_loops(graph) if self_loops else gnn_mlir.merge_types(graph)
    check(models.gcn((7, 5), self_loops, bias), own, x, [conv], conv(tx, edges))


def test_gcn_two_layers():
    graph = random_graph(2)
    convs = [randomize(nn.GCNConv(7, 6), 0), randomize(nn.GCNConv(6, 3), 1)]
    x, tx, edges, _ = inputs(graph, 7)
    check(models.gcn((7, 6, 3)), with_loops(graph), x, convs,
          convs[1](convs[0](tx, edges).relu(), edges))


@pytest.mark.parametrize("hops", [1, 3])
def test_sgc(hops):
    graph = random_graph()
    conv = randomize(nn.SGConv(7, 5, K=hops))
    x, tx, edges, _ = inputs(graph, 7)
    check(models.sgc(7, 5, hops), with_loops(graph), x, [conv], conv(tx, edges))


@pytest.mark.parametrize("aggregation", ["mean", "max", "sum"])
def test_sage(aggregation):
    graph = random_graph()
    convs = [randomize(nn.SAGEConv(7, 6, aggr=aggregation), 0),
             randomize(nn.SAGEConv(6, 5, aggr=aggregation), 1)]
    x, tx, edges, _ = inputs(graph, 7)
    own = gnn_mlir.merge_types(graph)
    check(models.sage((7, 6), aggregation), own, x, convs[:1],
          convs[0](tx, edges))
    check(models.sage((7, 6, 5), aggregation), own, x, convs,
          convs[1](convs[0](tx, edges).relu(), edges))


@pytest.mark.parametrize("aggregation", ["mean", "max"])
def test_sage_blocks(aggregation):
    rng, counts = np.random.default_rng(3), (50, 20, 8)
    blocks, edges = {}, []
    for i in range(2):
        src = rng.integers(0, counts[i], 90)
        dst = rng.integers(0, counts[i + 1] - 1, 90)
        blocks[f"block{i + 1}"] = gnn_mlir.Graph(
            src, dst, num_src_nodes=counts[i], num_dst_nodes=counts[i + 1])
        edges.append(torch.tensor(np.stack([src, dst])))
    convs = [randomize(nn.SAGEConv(7, 6, aggr=aggregation), 0),
             randomize(nn.SAGEConv(6, 5, aggr=aggregation), 1)]
    x = rng.standard_normal((50, 7))
    h = torch.tensor(x)
    h = convs[0]((h, h[:20]), edges[0]).relu()
    check(models.sage_blocks((7, 6, 5), aggregation), blocks, x, convs,
          convs[1]((h, h[:8]), edges[1]))


@pytest.mark.parametrize("eps", [0.0, 0.25])
def test_gin(eps):
    graph = random_graph()
    mlp = torch.nn.Sequential(torch.nn.Linear(7, 9), torch.nn.ReLU(),
                              torch.nn.Linear(9, 5))
    conv = randomize(nn.GINConv(mlp, eps=eps))
    x, tx, edges, _ = inputs(graph, 7)
    check(models.gin((7, 5), 9, eps), gnn_mlir.merge_types(graph), x, [conv],
          conv(tx, edges))


@pytest.mark.parametrize("heads", [1, 3])
@pytest.mark.parametrize("concat", [True, False])
@pytest.mark.parametrize("self_loops", [True, False])
def test_gat(heads, concat, self_loops):
    graph = random_graph()
    conv = randomize(nn.GATConv(7, 5, heads=heads, concat=concat,
                                add_self_loops=self_loops))
    x, tx, edges, _ = inputs(graph, 7)
    own = with_loops(graph) if self_loops else gnn_mlir.merge_types(graph)
    check(models.gat((7, 5), heads, concat, self_loops=self_loops), own, x, [conv],
          conv(tx, edges))


def test_gat_two_layers():
    graph = random_graph()
    convs = [randomize(nn.GATConv(7, 4, heads=3), 0),
             randomize(nn.GATConv(12, 5, heads=3, concat=False), 1)]
    x, tx, edges, _ = inputs(graph, 7)
    check(models.gat((7, 4, 5), 3, concat=False), with_loops(graph), x, convs,
          convs[1](convs[0](tx, edges).relu(), edges))


@pytest.mark.parametrize("heads", [1, 3])
@pytest.mark.parametrize("concat", [True, False])
@pytest.mark.parametrize("share", [True, False])
@pytest.mark.parametrize("self_loops", [True, False])
def test_gatv2(heads, concat, share, self_loops):
    graph = random_graph()
    conv = randomize(nn.GATv2Conv(7, 5, heads=heads, concat=concat,
                                  share_weights=share, add_self_loops=self_loops))
    x, tx, edges, _ = inputs(graph, 7)
    own = with_loops(graph) if self_loops else gnn_mlir.merge_types(graph)
    check(models.gatv2((7, 5), heads, concat, share_weights=share,
                       self_loops=self_loops), own, x, [conv], conv(tx, edges))


def test_gatv2_two_layers_without_bias():
    graph = random_graph()
    convs = [randomize(nn.GATv2Conv(7, 4, heads=3, bias=False), 0),
             randomize(nn.GATv2Conv(12, 5, heads=3, concat=False, bias=False), 1)]
    x, tx, edges, _ = inputs(graph, 7)
    check(models.gatv2((7, 4, 5), 3, concat=False, bias=False), with_loops(graph),
          x, convs, convs[1](convs[0](tx, edges).relu(), edges))


@pytest.mark.parametrize("heads", [1, 3])
@pytest.mark.parametrize("concat", [True, False])
@pytest.mark.parametrize("root", ["add", "gate", "none"])
@pytest.mark.parametrize("bias", [True, False])
def test_transformer(heads, concat, root, bias):
    graph = random_graph()
    options = {"concat": concat, "beta": root == "gate", "bias": bias,
               "root_weight": root != "none"}
    conv = randomize(nn.TransformerConv(7, 5, heads=heads, **options))
    x, tx, edges, _ = inputs(graph, 7)
    check(models.transformer((7, 5), heads, **options),
          gnn_mlir.merge_types(graph), x, [conv], conv(tx, edges))


def randomize_norm(module, seed=0):
    rng = torch.Generator().manual_seed(seed)
    module = randomize(module, seed)
    module.running_mean.copy_(torch.randn(module.num_features, generator=rng,
                                          dtype=torch.float64))
    module.running_var.copy_(0.5 + torch.rand(module.num_features, generator=rng,
                                              dtype=torch.float64))
    return module


def test_graphgym():
    """Against GraphGym's own wrapper of layers, put together as its stages are.
    Activations are not in it: GraphGym has them only with yacs."""
    layer = pytest.importorskip("torch_geometric.graphgym.models.layer")
    from types import SimpleNamespace as Batch

    def wrapped(name, size, out, seed):
        found = layer.GeneralLayer(name, layer.LayerConfig(
            has_batchnorm=True, dim_in=size, dim_out=out, has_l2norm=False,
            has_act=False))
        randomize_norm(found.post_layer[0], seed)
        randomize(found.layer, seed + 10)
        return found.eval()

    graph = random_graph()
    pre = wrapped("linear", 7, 6, 0)
    convs = [wrapped("gcnconv", 6, 6, i + 1) for i in range(3)]
    post = randomize(torch.nn.Linear(6, 4), 5)
    named = {"pre": pre.layer.model, "pre_norm": pre.post_layer[0], "post": post}
    for i, conv in enumerate(convs, 1):
        named[f"layer{i}"] = conv.layer.model
        named[f"layer{i}_norm"] = conv.post_layer[0]
    x, tx, edges, _ = inputs(graph, 7)
    h = pre(Batch(x=tx, edge_index=edges)).x.relu()
    for conv in convs:
        h = h + conv(Batch(x=h, edge_index=edges)).x.relu()
    expected = post(h).detach().numpy()
    function = models.graphgym(7, 4, 6).functions["graphgym"]
    out = function.evaluate(
        with_loops(graph), {"x": x, **pyg.weights(function, **named)})["out"]
    assert np.linalg.norm(out - expected) <= TOLERANCE * np.linalg.norm(expected)


class CompGCNConv(nn.MessagePassing):
    """The paper's layer as PyG's users write it; PyG has none."""

    def __init__(self, size, out, composition, aggregation):
        super().__init__(aggr=aggregation)
        self.composition = composition
        for name, shape in (("weight", (2, size, out)), ("loop", (size,)),
                            ("loop_weight", (size, out)), ("bias", (out,)),
                            ("relation_weight", (size, out))):
            setattr(self, name, torch.nn.Parameter(torch.empty(shape)))

    def compose(self, x, z):
        return x - z if self.composition == "sub" else x * z

    def forward(self, x, z, edges, types, direction):
        near = self.propagate(edges, x=x, z=z[types], way=direction[types])
        own = self.compose(x, self.loop) @ self.loop_weight
        return near + own + self.bias, z @ self.relation_weight

    def message(self, x_j, z, way):
        return torch.einsum("ei,eio->eo", self.compose(x_j, z), self.weight[way])


@pytest.mark.parametrize("composition", ["sub", "mul"])
@pytest.mark.parametrize("aggregation", ["mean", "sum"])
@pytest.mark.parametrize("sizes", [(7, 5), (7, 6, 5)])
def test_compgcn(composition, aggregation, sizes):
    graph = gnn_mlir.add_inverses(random_graph())
    relations = graph.num_edge_types
    convs = [randomize(CompGCNConv(a, b, composition, aggregation), i)
             for i, (a, b) in enumerate(zip(sizes, sizes[1:]))]
    x, h, edges, types = inputs(graph, 7)
    z = np.random.default_rng(3).standard_normal((relations, 7))
    way = torch.arange(relations) // (relations // 2)
    given = {"x": x, "z": z, "direction": np.eye(2)[way.numpy()]}
    tz = torch.tensor(z)
    for i, conv in enumerate(convs, 1):
        prefix = f"layer{i}_" if len(convs) > 1 else ""
        given.update({prefix + name: p.detach().numpy()
                      for name, p in conv.named_parameters()})
        h, tz = conv(h if i == 1 else h.relu(), tz, edges, types, way)
    out = models.compgcn(relations, sizes, composition, aggregation).functions[
        "compgcn"].evaluate(graph, given)
    for name, expected in (("out", h), ("z_out", tz)):
        expected = expected.detach().numpy()
        assert np.linalg.norm(out[name] - expected) <= (
            TOLERANCE * np.linalg.norm(expected))


@pytest.mark.parametrize("blocks", [1, 2, 4])
@pytest.mark.parametrize("aggregation", ["mean", "sum"])
@pytest.mark.parametrize("kind", ["RGCNConv", "FastRGCNConv"])
def test_rgcn_with_blocks_on_the_diagonal(blocks, aggregation, kind):
    graph = random_graph()
    conv = randomize(getattr(nn, kind)(8, 12, 5, num_blocks=blocks,
                                       aggr=aggregation))
    x, tx, edges, types = inputs(graph, 8)
    check(models.rgcn(5, (8, 12), aggregation=aggregation, diagonal_blocks=blocks), graph,
          x, [conv], conv(tx, edges, types))


@pytest.mark.parametrize("bases", [None, 2])
@pytest.mark.parametrize("aggregation", ["mean", "sum"])
def test_rgcn(bases, aggregation):
    graph = random_graph()
    conv = randomize(nn.RGCNConv(7, 5, 5, num_bases=bases, aggr=aggregation))
    x, tx, edges, types = inputs(graph, 7)
    check(models.rgcn(5, (7, 5), bases, aggregation), graph, x, [conv],
          conv(tx, edges, types))


def test_rgcn_two_layers():
    graph = random_graph()
    convs = [randomize(nn.RGCNConv(7, 6, 5), 0), randomize(nn.RGCNConv(6, 3, 5), 1)]
    x, tx, edges, types = inputs(graph, 7)
    check(models.rgcn(5, (7, 6, 3)), graph, x, convs,
          convs[1](convs[0](tx, edges, types).relu(), edges, types))


@pytest.mark.parametrize("heads", [1, 3])
@pytest.mark.parametrize("concat", [True, False])
@pytest.mark.parametrize("attention", ["across-relation", "within-relation"])
@pytest.mark.parametrize("bases", [None, 2])
def test_rgat(heads, concat, attention, bases):
    graph = random_graph()
    conv = randomize(nn.RGATConv(7, 4, 5, heads=heads, concat=concat,
                                 attention_mechanism=attention, num_bases=bases))
    x, tx, edges, types = inputs(graph, 7)
    check(models.rgat(5, (7, 4), heads, bases, concat, attention=attention),
          graph, x, [conv], conv(tx, edges, types))


def hetero(widths, seed=0):
    """An academic graph; nothing leads to node type "venue"."""
    rng = np.random.default_rng(seed)
    nodes = {"paper": 20, "author": 15, "venue": 4}
    triples = {("author", "writes", "paper"): 60, ("paper", "cites", "paper"): 70,
               ("venue", "prints", "paper"): 20, ("paper", "by", "author"): 30}
    edges = {t: np.stack([rng.integers(0, nodes[t[0]], n),
                          rng.integers(0, nodes[t[2]] - 1, n)])
             for t, n in triples.items()}
    x = {t: rng.standard_normal((n, widths[t])) for t, n in nodes.items()}
    return gnn_mlir.Graph.from_hetero(nodes, edges), edges, x


@pytest.mark.parametrize("heads", [1, 4])
@pytest.mark.parametrize("widths", [(8, 8, 8), (8, 5, 12), (6, 6, 6)])
def test_hgt(heads, widths):
    widths = dict(zip(("paper", "author", "venue"), widths))
    graph, edges, x = hetero(widths)
    conv = randomize(nn.HGTConv(widths, 8, (list(widths), list(edges)), heads))
    expected = conv({t: torch.tensor(a) for t, a in x.items()},
                    {t: torch.tensor(e) for t, e in edges.items()})
    several = len(set(widths.values())) > 1
    module = models.hgt(3, 4, (widths["paper"], 8), heads,
                        dict(enumerate(widths.values())) if several else None)
    given = x if several else np.concatenate(list(x.values()))
    out = module.functions["hgt"].evaluate(
        graph, {"x": given, **pyg.weights(module, conv)})["out"]
    out = graph.split_types(out)
    assert sorted(expected) == ["author", "paper"]
    for name, rows in expected.items():
        rows = rows.detach().numpy()
        assert np.linalg.norm(out[name] - rows) <= (
            TOLERANCE * np.linalg.norm(rows))


def test_hgt_of_several_widths_has_no_weights_that_pyg_has_not():
    """A parameter that is not PyG's is 0 and stays it: no gradient, no part of a
    penalty."""
    widths = {"paper": 8, "author": 5, "venue": 12}
    graph, edges, x = hetero(widths)
    conv = randomize(nn.HGTConv(widths, 8, (list(widths), list(edges)), 2))
    module = models.hgt(3, 4, (8, 8), 2, dict(enumerate(widths.values())))
    weights = pyg.weights(module, conv)
    read = [value for name, value in conv.named_parameters() if name not in (
        "skip.author", "skip.venue")]
    np.testing.assert_allclose(
        sum(np.square(w, dtype=float).sum() for w in weights.values()),
        sum(p.detach().double().square().sum().item() for p in read))
    found = gnn_mlir.compile(module, gradients=list(weights)).gradients(
        graph, {"x": {t: rows.astype(np.float32) for t, rows in x.items()}, **{
            name: w.astype(np.float32) for name, w in weights.items()}},
        {"out": np.ones((graph.num_nodes, 8), np.float32)})
    for name, weight in weights.items():
        assert not found[name][weight == 0].any(), name
    assert weights["skip"][0] != 0 and found["skip"][0] != 0
    assert found["skip"][1:].tolist() == [0, 0] == weights["skip"][1:].tolist()


def test_a_hetero_data_of_edges_alone():
    from torch_geometric.data import HeteroData
    data = HeteroData()
    data["a", "w", "p"].edge_index = torch.tensor([[0], [1]])
    with pytest.raises(ValueError, match="expected num_nodes or features of 'a', got none"):
        gnn_mlir.Graph.from_pyg(data)


def same(graph, other):
    assert graph.num_nodes == other.num_nodes and graph.schema == other.schema
    for name in ("edge_src", "edge_dst", "edge_type", "node_type"):
        np.testing.assert_array_equal(getattr(graph, name), getattr(other, name))
    for name in ("node_type_names", "edge_type_names", "num_node_types",
                 "num_edge_types"):
        assert getattr(graph, name) == getattr(other, name)


def test_graphs_of_data():
    from torch_geometric.data import Data
    edges = torch.tensor([[0, 3, 1], [2, 2, 0]])
    same(gnn_mlir.Graph.from_pyg(Data(edge_index=edges, num_nodes=5)),
         gnn_mlir.Graph([0, 3, 1], [2, 2, 0], 5))
    data = Data(x=torch.zeros(4, 2), edge_index=edges, y=torch.zeros(4),
                edge_type=torch.tensor([0, 2, 1]), node_type=torch.tensor([1, 0, 0, 1]))
    same(gnn_mlir.Graph.from_pyg(data),
         gnn_mlir.Graph([0, 3, 1], [2, 2, 0], 4, edge_type=[0, 2, 1],
                        node_type=[1, 0, 0, 1]))


def test_graphs_of_hetero_data():
    from torch_geometric.data import HeteroData
    graph, edges, x = hetero({"paper": 3, "author": 3, "venue": 3})
    data = HeteroData()
    for name, rows in x.items():
        data[name].x = torch.tensor(rows)
    for triple, ends in edges.items():
        data[triple].edge_index = torch.tensor(ends)
    same(gnn_mlir.Graph.from_pyg(data), graph)
    data["paper", "lacks", "venue"].edge_attr = torch.zeros(2)
    with pytest.raises(ValueError, match="expected an edge_index of .*lacks.*, got "
                                         "edge_attr"):
        gnn_mlir.Graph.from_pyg(data)


def test_what_is_no_graph_of_pyg():
    from torch_geometric.data import Data
    with pytest.raises(ValueError, match="expected an edge_index, got x"):
        gnn_mlir.Graph.from_pyg(Data(x=torch.zeros(3, 1)))
    for other in (None, torch.zeros(2, 3), {"edge_index": torch.zeros(2, 3)}):
        with pytest.raises(ValueError, match="expected a Data or HeteroData of PyG"):
            gnn_mlir.Graph.from_pyg(other)
