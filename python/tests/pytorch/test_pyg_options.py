# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every option of PyG's layers is carried with PyG's numbers, or refused by name."""

import inspect

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir import models
from gnn_mlir.pytorch import pyg
from test_pyg import check, inputs, random_graph, randomize, with_loops

torch = pytest.importorskip("torch")
nn = pytest.importorskip("torch_geometric.nn")


def mlp(*between, bias=True):
    return torch.nn.Sequential(torch.nn.Linear(6, 6, bias=bias),
                               *(between or [torch.nn.ReLU()]),
                               torch.nn.Linear(6, 6))


def norm(eps=1e-5):
    module = gnn_mlir.Module()
    f = module.function("norm")
    x = f.input("x", module.graph("g").rows("node", 6))
    f.output("out", models.batch_norm(f, x, "", eps))
    return module


def product(bias=True):
    module = gnn_mlir.Module()
    f = module.function("product")
    x = f.input("x", module.graph("g").rows("node", 6))
    w, b = (f.input("weight", gnn_mlir.weight(6, 6)),
            f.input("bias", gnn_mlir.weight(6)) if bias else None)
    f.output("out", f.linear(x, w, b))
    return module


META = (["a"], [("a", str(r), "a") for r in range(3)])

# PyG's class, arguments that make a layer of 6 features, and the same of ours.
LAYERS = {
    "GCNConv": (nn.GCNConv, (6, 6), lambda **o: models.gcn((6, 6), **o)),
    "SGConv": (nn.SGConv, (6, 6), lambda hops=1, **o: models.sgc(6, 6, hops, **o)),
    "SAGEConv": (nn.SAGEConv, (6, 6), lambda **o: models.sage((6, 6), **o)),
    "GINConv": (nn.GINConv, (), lambda **o: models.gin((6, 6), **o)),
    "GATConv": (nn.GATConv, (6, 6), lambda **o: models.gat((6, 6), **o)),
    "GATv2Conv": (nn.GATv2Conv, (6, 6), lambda **o: models.gatv2((6, 6), **o)),
    "TransformerConv": (nn.TransformerConv, (6, 6),
                        lambda **o: models.transformer((6, 6), **o)),
    "RGCNConv": (nn.RGCNConv, (6, 6, 3), lambda **o: models.rgcn(3, (6, 6), **o)),
    "FastRGCNConv": (nn.FastRGCNConv, (6, 6, 3),
                     lambda **o: models.rgcn(3, (6, 6), **o)),
    "RGATConv": (nn.RGATConv, (6, 6, 3), lambda **o: models.rgat(3, (6, 6), **o)),
    "HGTConv": (nn.HGTConv, (6, 6, META),
                lambda heads=1: models.hgt(1, 3, (6, 6), heads)),
    "BatchNorm": (nn.BatchNorm, (6,), norm),
    "BatchNorm1d": (torch.nn.BatchNorm1d, (6,), norm),
    "Linear": (torch.nn.Linear, (6, 6), product),
}

# Options of PyG's layer, and those of the model: the numbers are the same.
CARRIED = [
    ("GCNConv", {"add_self_loops": False}, {"self_loops": False}),
    ("GCNConv", {"normalize": False}, {"normalize": False}),
    ("GCNConv", {"bias": False}, {"bias": False}),
    ("GCNConv", {"aggr": "sum"}, {}),
    ("GCNConv", {"aggr": "add", "aggr_kwargs": {}}, {}),
    ("SGConv", {"K": 3}, {"hops": 3}),
    ("SGConv", {"add_self_loops": False}, {"self_loops": False}),
    ("SGConv", {"bias": False}, {"bias": False}),
    ("SGConv", {"aggr_kwargs": {}}, {}),
    *[("SAGEConv", {"aggr": kind}, {"aggregation": ours}) for kind, ours in (
        ("add", "sum"), ("sum", "sum"), ("mean", "mean"), ("max", "max"),
        ("min", "min"))],
    ("SAGEConv", {"normalize": True}, {"normalize": True}),
    ("SAGEConv", {"root_weight": False}, {"root_weight": False}),
    ("SAGEConv", {"project": True}, {"project": True}),
    ("SAGEConv", {"bias": False}, {"bias": False}),
    ("SAGEConv", {"aggr_kwargs": {}}, {}),
    ("GINConv", {"nn": mlp()}, {}),
    ("GINConv", {"nn": mlp(bias=False)}, {}),
    ("GINConv", {"nn": mlp(), "eps": 0.25}, {"eps": 0.25}),
    ("GINConv", {"nn": mlp(), "eps": 0.1}, {"train_eps": True}),
    ("GINConv", {"nn": mlp(), "train_eps": True}, {"train_eps": True}),
    ("GINConv", {"nn": mlp(), "aggr_kwargs": {}}, {}),
    *[(conv, *case) for conv in ("GATConv", "GATv2Conv") for case in [
        ({"heads": 3}, {"heads": 3}),
        ({"heads": 3, "concat": False}, {"heads": 3, "concat": False}),
        ({"negative_slope": 0.5}, {"negative_slope": 0.5}),
        ({"dropout": 0.5}, {}),
        ({"add_self_loops": False}, {"self_loops": False}),
        ({"fill_value": 2.0}, {}),
        ({"bias": False}, {"bias": False}),
        ({"heads": 2, "residual": True}, {"heads": 2, "residual": True}),
        ({"heads": 2, "concat": False, "residual": True, "bias": False},
         {"heads": 2, "concat": False, "residual": True, "bias": False}),
        ({"aggr_kwargs": {}}, {})]],
    ("GATv2Conv", {"share_weights": True}, {"share_weights": True}),
    ("TransformerConv", {"heads": 3}, {"heads": 3}),
    ("TransformerConv", {"heads": 3, "concat": False},
     {"heads": 3, "concat": False}),
    ("TransformerConv", {"beta": True}, {"beta": True}),
    ("TransformerConv", {"dropout": 0.5}, {}),
    ("TransformerConv", {"bias": False}, {"bias": False}),
    ("TransformerConv", {"root_weight": False}, {"root_weight": False}),
    ("TransformerConv", {"aggr_kwargs": {}}, {}),
    *[(conv, *case) for conv in ("RGCNConv", "FastRGCNConv") for case in [
        ({"num_bases": 2}, {"bases": 2}),
        ({"num_blocks": 2}, {"diagonal_blocks": 2}),
        ({"aggr": "add"}, {"aggregation": "sum"}),
        ({"root_weight": False}, {"root_weight": False}),
        ({"bias": False}, {"bias": False}),
        ({"aggr_kwargs": {}}, {})]],
    ("RGATConv", {"num_bases": 2}, {"bases": 2}),
    ("RGATConv", {"attention_mechanism": "within-relation"},
     {"attention": "within-relation"}),
    ("RGATConv", {"heads": 3}, {"heads": 3}),
    ("RGATConv", {"heads": 3, "concat": False}, {"heads": 3, "concat": False}),
    ("RGATConv", {"negative_slope": 0.5}, {"negative_slope": 0.5}),
    ("RGATConv", {"dropout": 0.5}, {}),
    ("RGATConv", {"bias": False}, {"bias": False}),
    ("RGATConv", {"aggr_kwargs": {}}, {}),
    ("HGTConv", {"heads": 3}, {"heads": 3}),
    ("HGTConv", {"aggr_kwargs": {}}, {}),
    *[(norm, *case) for norm in ("BatchNorm", "BatchNorm1d") for case in [
        ({"eps": 0.1}, {"eps": 0.1}), ({"momentum": 0.3}, {}),
        ({"affine": False}, {})]],
    ("BatchNorm", {"allow_single_element": True}, {}),
    ("BatchNorm1d", {"bias": False}, {}),
    ("Linear", {"bias": False}, {"bias": False}),
]

_MESSAGES = {"flow": "target_to_source", "node_dim": 1, "decomposed_layers": 2}
_ATTENTION = {"heads": 2, "concat": False, "negative_slope": 0.5}

# Options that are not as in the model made by default.
REFUSED = [
    *[(conv, {option: value}) for conv in LAYERS if conv.endswith("Conv")
      for option, value in _MESSAGES.items()],
    *[(conv, {"aggr": value}) for conv in ("GCNConv", "SGConv", "GINConv",
                                           "GATConv", "GATv2Conv",
                                           "TransformerConv", "RGATConv")
      for value in ("max", ["sum", "max"], None)],
    *[("SAGEConv", {"aggr": value}) for value in ("max", "add", "median", None)],
    *[(conv, {"aggr": value}) for conv in ("RGCNConv", "FastRGCNConv")
      for value in ("max", "add")],
    ("GCNConv", {"improved": True}),
    ("GCNConv", {"cached": True}),
    ("SGConv", {"cached": True}),
    ("GCNConv", {"normalize": False}),
    ("GCNConv", {"add_self_loops": False}),
    ("SGConv", {"add_self_loops": False}),
    ("SGConv", {"K": 3}),
    ("SAGEConv", {"normalize": True}),
    ("SAGEConv", {"project": True}),
    ("GINConv", {"eps": 0.5}),
    ("GINConv", {"nn": mlp(torch.nn.Tanh())}),
    ("GINConv", {"nn": mlp(torch.nn.ReLU(), torch.nn.ReLU())}),
    ("GINConv", {"nn": torch.nn.Linear(6, 6)}),
    *[(conv, {option: value}) for conv in ("GATConv", "GATv2Conv", "RGATConv")
      for option, value in _ATTENTION.items()],
    ("GATConv", {"in_channels": (6, 6)}),
    ("TransformerConv", {"heads": 2}),
    ("TransformerConv", {"concat": False}),
    ("GATConv", {"add_self_loops": False}),
    ("GATv2Conv", {"add_self_loops": False}),
    *[(conv, {"edge_dim": 4}) for conv in ("GATConv", "GATv2Conv",
                                           "TransformerConv", "RGATConv")],
    ("RGATConv", {"num_blocks": 2}),
    ("RGATConv", {"mod": "additive"}),
    ("RGATConv", {"attention_mechanism": "within-relation"}),
    ("RGATConv", {"attention_mode": "multiplicative-self-attention"}),
    ("RGATConv", {"dim": 2, "attention_mode": "multiplicative-self-attention"}),
    ("BatchNorm", {"eps": 0.1}),
    ("BatchNorm1d", {"eps": 0.1}),
    ("BatchNorm", {"track_running_stats": False}),
    ("BatchNorm1d", {"track_running_stats": False}),
]

# Sizes, which a run checks, and what names no number.
_UNTRIED = {"in_channels", "out_channels", "num_features", "in_features",
            "out_features", "num_relations", "metadata", "device", "dtype",
            "weight_initializer", "bias_initializer", "is_sorted"}


def make(name, options):
    """The layer of PyG, with random weights and statistics."""
    cls, arguments, _ = LAYERS[name]
    if name == "GINConv":
        options = {"nn": mlp(), **options}
    if "in_channels" in options:
        options, arguments = {}, (options["in_channels"], *arguments[1:])
    conv = randomize(cls(*arguments, **options))
    for buffer_name, buffer in conv.named_buffers():
        if "running" in buffer_name:
            buffer.copy_(torch.rand(6, dtype=torch.float64) + 0.5)
    return conv


def options_of(cls):
    """All options of a class, with those that its base takes by **kwargs."""
    parameters = dict(inspect.signature(cls.__init__).parameters)
    if parameters.pop("kwargs", None) is not None:
        parameters.update(inspect.signature(nn.MessagePassing.__init__).parameters)
    return set(parameters) - {"self"}


@pytest.mark.parametrize("name", LAYERS)
def test_the_table_has_every_option(name):
    layer = pyg._LAYERS[name]
    listed = [*layer.same.values(), *layer.only, *layer.shown, *layer.free]
    expected = options_of(LAYERS[name][0])
    if name == "Linear":
        expected |= options_of(nn.Linear)
    if name == "BatchNorm":
        expected |= options_of(torch.nn.BatchNorm1d)
    if name == "BatchNorm1d":
        expected |= options_of(nn.BatchNorm)
    if name == "HGTConv":  # It sets aggr and node_dim itself.
        listed = [o for o in listed if o in expected]
    assert sorted(listed) == sorted(expected), "in one of the four, once"


@pytest.mark.parametrize("name", LAYERS)
def test_every_option_is_tried(name):
    tried = {option for conv, options, *_ in CARRIED + REFUSED if conv == name
             for option in options}
    untried = options_of(LAYERS[name][0]) - tried - _UNTRIED
    if name == "HGTConv":
        untried -= {"aggr"}
    assert not untried


@pytest.mark.parametrize("name,options,ours", CARRIED, ids=str)
def test_carried(name, options, ours):
    conv, module = make(name, options), LAYERS[name][2](**ours)
    graph = random_graph(edge_types=3)
    x, tx, edges, types = inputs(graph, 6)
    if name == "HGTConv":
        index = {edge: edges[:, types == r] for r, edge in enumerate(META[1])}
        expected = conv({"a": tx}, index)["a"]
    elif name.startswith("Batch") or name == "Linear":
        expected = conv(tx)
    else:
        typed = name in ("RGCNConv", "FastRGCNConv", "RGATConv")
        expected = conv(tx, edges, *([types] if typed else []))
    decl = module.graphs["g"]
    own = graph if decl.edge_types > 1 else gnn_mlir.merge_types(graph)
    check(module, with_loops(graph) if decl.self_loops else own, x, [conv], expected)


@pytest.mark.parametrize("name,options", REFUSED, ids=str)
def test_refused(name, options):
    module = LAYERS[name][2]()
    try:
        conv = make(name, options)
    except TypeError as error:  # PyG's layer sets it itself.
        assert "multiple values" in str(error)
        return
    option = next(iter(options))
    with pytest.raises(ValueError, match=rf"^{name}: expected {option} = .*, got "):
        pyg.weights(module, conv)


def test_a_model_that_is_not_default_refuses_the_default():
    with pytest.raises(ValueError, match=r"GATConv: expected negative_slope = 0.5 "
                                         r"as in the model, got 0.2"):
        pyg.weights(models.gat((6, 6), negative_slope=0.5), nn.GATConv(6, 6))


def test_numbers_that_float32_rounds_are_equal():
    assert pyg.weights(models.gin((6, 6), eps=0.1), nn.GINConv(mlp(), eps=0.1))


def test_layers_in_training():
    """Dropout and statistics of a batch are for training, which is not compiled."""
    with pytest.raises(ValueError, match=r"GATConv: expected dropout = 0.0 or a "
                                         r"layer in eval\(\), got 0.5"):
        pyg.weights(models.gat((6, 6)), nn.GATConv(6, 6, dropout=0.5))
    with pytest.raises(ValueError, match=r"BatchNorm: expected a layer in eval\(\)"):
        pyg.weights(LAYERS["BatchNorm"][2](), nn.BatchNorm(6))


def test_layers_in_the_wrong_place():
    with pytest.raises(ValueError, match="expected a layer of GCNConv.*ChebConv"):
        pyg.weights(models.gcn((4, 4)), nn.ChebConv(4, 4, 2))
    with pytest.raises(ValueError, match="SAGEConv: expected a layer gcn as in gcn, got "
                                         "sage"):
        pyg.weights(models.gcn((4, 4)), nn.SAGEConv(4, 4))
    with pytest.raises(ValueError, match=r"a layer gcn as in gcn \(layer2\), got sage"):
        pyg.weights(models.gcn((4, 4, 4)), nn.GCNConv(4, 4), nn.SAGEConv(4, 4))
    for convs, wanted in ((2, "1 layer"), (1, "3 layers"), (2, "3 layers")):
        model = models.gcn((4,) * (1 + int(wanted[0])))
        with pytest.raises(ValueError, match=f"^gcn: expected {wanted} of PyG, got "
                                             f"{convs}$"):
            pyg.weights(model, *[nn.GCNConv(4, 4)] * convs)
    with pytest.raises(ValueError, match=r"GCNConv: expected the name of a layer of gcn "
                                         r"\(none\), got pre"):
        pyg.weights(models.gcn((4, 4)), pre=nn.GCNConv(4, 4))
    with pytest.raises(ValueError, match="expected a module of one function, got 0"):
        pyg.weights(gnn_mlir.Module(), nn.GCNConv(4, 4))


def test_weights_that_the_model_lacks():
    """Names and shapes are checked where weights are given."""
    x = np.zeros((40, 6))
    graph = gnn_mlir.merge_types(random_graph())
    for conv, module, message in (
            (nn.SAGEConv(6, 6, root_weight=False), models.sage((6, 6)), "'root'"),
            (nn.RGCNConv(6, 6, 1, num_bases=2), models.rgcn(1, (6, 6)),
             "'coefficients'"),
            (nn.SAGEConv(6, 5), models.sage((6, 6)), "shape")):
        function, = module.functions.values()
        with pytest.raises(ValueError, match=f"expected.*{message}"):
            function.evaluate(graph, {"x": x, **pyg.weights(module, conv)})


@pytest.mark.parametrize("name", LAYERS)
def test_weights_go_back(name):
    cls, arguments, make = LAYERS[name]
    ours, theirs = (randomize(cls(*arguments or (mlp(),)), seed) for seed in (0, 1))
    wanted = pyg.weights(make(), ours)
    pyg.load_weights(make(), {k: torch.tensor(v) for k, v in wanted.items()}, theirs.train())
    found = pyg.weights(make(), theirs.eval())
    for key, value in wanted.items():
        np.testing.assert_array_equal(found[key], value)


def test_weights_of_several_layers_go_back_or_nothing_does():
    model = models.gatv2((6, 3, 6), heads=2, concat=False, share_weights=True)

    def make(seed):
        return [randomize(nn.GATv2Conv(6, size, heads=2, concat=size == 3,
                                       share_weights=True), seed) for size in (3, 6)]
    wanted, convs = pyg.weights(model, *make(0)), make(1)
    before = pyg.weights(model, *convs)
    for change, message in (
            ({"layer2_bias": None}, "expected a weight 'layer2_bias', got layer1_src"),
            ({"layer2_att": np.ones(3)}, r"layer2_att: expected shape \(2, 6\) as in "
             r"GATv2Conv, got \(3,\)"),
            ({"other": np.ones(3)}, "expected weights .*, got 'other'")):
        values = {k: v for k, v in {**wanted, **change}.items() if v is not None}
        with pytest.raises(ValueError, match=message):
            pyg.load_weights(model, values, *convs)
        for key, value in pyg.weights(model, *convs).items():
            np.testing.assert_array_equal(value, before[key])
    pyg.load_weights(model, wanted, *convs)
    for key, value in pyg.weights(model, *convs).items():
        np.testing.assert_array_equal(value, wanted[key])
    gin = nn.GINConv(mlp(bias=False))
    values = pyg.weights(models.gin((6, 6)), gin)
    values["bias1"] = values["bias1"] + 1
    with pytest.raises(ValueError, match="bias1: expected what GINConv has without such"):
        pyg.load_weights(models.gin((6, 6)), values, gin)


def test_what_is_no_model_and_no_dict():
    model, conv = models.gcn((6, 6)), randomize(nn.GCNConv(6, 6))
    values = pyg.weights(model, conv)
    with pytest.raises(ValueError, match="model: expected a module or a function, got GCN"):
        pyg.weights(conv, model)
    with pytest.raises(ValueError, match="values: expected a dict by name, got a list of "):
        pyg.load_weights(model, list(values.values()), conv)
    layer = gnn_mlir.compile(model)
    assert list(pyg.weights(layer, conv)) == list(values)
    pyg.load_weights(layer, values, conv)
    two, tied = models.gcn((6, 6, 6)), randomize(nn.GCNConv(6, 6))
    values = pyg.weights(two, tied, tied)
    pyg.load_weights(two, values, tied, tied)
    values["layer2_bias"] = values["layer2_bias"] + 1
    with pytest.raises(ValueError, match="layer2: expected the weights that the same layer"):
        pyg.load_weights(two, values, tied, tied)


@pytest.mark.parametrize("model, convs, message", [
    (lambda: models.rgcn(4, (6, 6)), lambda: [nn.RGCNConv(6, 6, 3)],
     r"rgcn: expected weight of shape \(4, 6, 6\) as in the model, got \(3, 6, 6\)$"),
    (lambda: models.gat((6, 6), heads=2), lambda: [nn.GATConv(6, 3, heads=2)],
     "as in the model, got .*; features are those of one head$"),
    (lambda: models.gat((6, 6, 6)), lambda: [[nn.GATConv(6, 6)] * 2],
     r"gat: expected layers of PyG, each an argument \(\*layers\), got a list"),
    (lambda: models.sage((6, 6)), lambda: [nn.SAGEConv(-1, 6)],
     "SAGEConv: expected a layer that knows its sizes, got lin_l.weight without")])
def test_layers_of_other_shapes(model, convs, message):
    with pytest.raises(ValueError, match=message):
        pyg.weights(model(), *convs())
