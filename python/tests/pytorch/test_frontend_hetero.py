# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""HeteroConv as one op while torch traces: equal layers are traced once, and what torch would
guard of them is seen to change."""

import copy
import gc

import pytest

torch = pytest.importorskip("torch")
pyg = pytest.importorskip("torch_geometric.nn")

import zoo  # noqa: E402
from gnn_mlir.pytorch.frontend import capture  # noqa: E402
from gnn_mlir.pytorch.frontend.relations import merging  # noqa: E402
from gnn_mlir.pytorch.frontend.runtime import packing, program_calls, reads  # noqa: E402
from gnn_mlir.pytorch.frontend.tracing import hetero, intercept, templates  # noqa: E402

fresh = pytest.fixture(autouse=True)(zoo.forget_captures)
hetero.install()
RELS = zoo.RELS
D = 8


def conv(kind="sage", **named):
    if kind == "sage":
        return pyg.SAGEConv((D, D), D, **named)
    return pyg.GATConv((D, D), D // 2, heads=2, add_self_loops=False, **named)


class Model(torch.nn.Module):
    """Two layers: of the first all are equal, of the second none of authors."""

    def __init__(self):
        super().__init__()
        self.first = pyg.HeteroConv({r: conv() for r in RELS})
        self.last = pyg.HeteroConv({r: conv("gat" if "author" in r else "sage") for r in RELS},
                                   aggr="mean")

    def forward(self, x, edges):
        return self.last({kind: rows.relu() for kind, rows in self.first(x, edges).items()},
                         edges)


def given(nodes=40):
    x, edges = zoo.Inputs(nodes=nodes).hetero()
    return {kind: torch.randn(len(rows), D) for kind, rows in x.items()}, edges


@pytest.fixture
def counts(monkeypatch):
    """How many layers are traced, and captures are made."""
    found = {"traced": 0, "captured": 0}
    traced, lowered = templates.Template.__init__, capture.lower

    def count(name, own):
        def counted(*args):
            found[name] += 1
            return own(*args)
        return counted
    monkeypatch.setattr(templates.Template, "__init__", count("traced", traced))
    monkeypatch.setattr(capture, "lower", count("captured", lowered))
    return found


def check(model, compiled, inputs):
    """Results and gradients as eager's."""
    found = []
    for run in (model, compiled):
        for parameter in model.parameters():
            parameter.grad = None
        made = run(*inputs)
        sum(rows.square().sum() for rows in made.values()).backward()
        found.append(made | {name: p.grad for name, p in model.named_parameters()})
    eager, ours = found
    assert list(eager) == list(ours)
    for name, value in eager.items():
        if value is None or ours[name] is None:
            assert ours[name] is None or not ours[name].any(), name
            assert value is None or not value.any(), name
        else:
            torch.testing.assert_close(ours[name], value, rtol=1e-4, atol=1e-4, msg=name)


def test_equal_layers_are_traced_once(counts):
    """Layers of two node types, and those of one: two of SAGEConv, one of GATConv. What
    changes later is as eager has it, captured anew where a graph depends on it."""
    torch.manual_seed(0)
    model, inputs = Model(), given()
    compiled = capture.compile_module(model)
    check(model, compiled, inputs)
    assert counts == {"traced": 3, "captured": 1}
    check(model, compiled, given(30))
    first, last = (list(layer.convs.values()) for layer in (model.first, model.last))

    def values():
        first[0].lin_l.weight = torch.nn.Parameter(torch.randn(D, D))
        first[1].lin_r.weight.data.mul_(2)
        last[0].bias.data = torch.randn(D)
        model.load_state_dict(copy.deepcopy(model.state_dict()), assign=True)

    def ids():
        for pair in inputs[1].values():
            pair.copy_(pair.flip(1))
    for change in (values, ids):
        change()
        check(model, compiled, inputs)
        assert counts["captured"] == 1, change
    last[0].negative_slope = 0.9
    first[0].lin_l.bias.requires_grad_(False)
    check(model, compiled, inputs)
    assert counts["captured"] == 2
    last[0].negative_slope = 0.2
    first[0].lin_l.bias.requires_grad_(True)
    check(model, compiled, inputs)
    assert counts["captured"] == 2  # What was captured for it.


class Minus(pyg.SAGEConv):
    def message(self, x_j):
        return -x_j


def hooked(module):
    module.convs[RELS[0]].lin_l.register_forward_pre_hook(lambda *args: None)


def of_messages(module):
    module.convs[RELS[0]].register_message_forward_hook(lambda *args: None)


def subclass(module):
    module.convs[RELS[0]] = Minus((D, D), D)


def changed_class(module):
    module.convs[RELS[0]].__class__ = Minus


def method(module):
    module.convs[RELS[0]].message = lambda x_j: -x_j


def forward(module):
    module.convs[RELS[0]].forward = lambda x, edge_index: x[1]


def one_of_two(module):
    module.convs[RELS[0]].lin_r = module.convs[RELS[0]].lin_l


def parameter_of_a_class(module):
    module.convs[RELS[0]].lin_l.weight = type("Own", (torch.nn.Parameter,), {})(
        torch.randn(D, D))


def buffer(module):
    lin = module.convs[RELS[0]].lin_l
    del lin.weight
    lin.register_buffer("weight", torch.randn(D, D))


def attribute(module):
    module.convs[RELS[0]].normalize = True


def training(module):
    module.eval()


def child(module):
    module.convs[RELS[0]].lin_l = pyg.Linear(D, D, bias=False)


def equal_child(module):
    module.convs[RELS[0]].lin_l = pyg.Linear(D, D)


def equal_layer(module):
    module.convs[RELS[0]] = conv()


def no_bias(module):
    module.convs[RELS[0]].lin_l.bias = None


def frozen(module):
    module.convs[RELS[0]].lin_l.weight.requires_grad_(False)


def dtype(module):
    module.convs[RELS[0]].lin_l.weight.data = torch.randn(D, D).double()


def shape(module):
    module.convs[RELS[0]].lin_l.weight.data = torch.randn(D + 1, D)


def aggregation(module):
    module.convs[RELS[0]].aggr_module = pyg.aggr.SumAggregation()


@pytest.mark.parametrize("change, is_known", [
    *((change, False) for change in (hooked, of_messages, subclass, changed_class, method, forward,
                                     one_of_two, parameter_of_a_class, buffer)),
    *((change, True) for change in (attribute, training, child, equal_child, equal_layer,
                                    no_bias, frozen, dtype, shape, aggregation))])
def test_changes_are_another_version(change, is_known):
    module = Model().first
    layer = hetero.Layer(module)
    assert layer.holds() and layer.signatures is not None
    version = module._captured_as
    assert layer.holds()
    change(module)
    assert not layer.holds()
    layer.settle()
    assert module._captured_as != version
    assert (layer.signatures is not None) == is_known
    assert layer.holds() or not is_known


def test_layers_are_traced_as_copies():
    """The layers themselves may be called by other threads."""
    layer = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU())
    layer.append(layer[0])
    before = [own[name] for own, name in templates.parameters(layer)]
    values = [torch.zeros(3, 2), torch.ones(3)]
    made = templates._with(layer, values)
    assert all(a is b for (own, name), b in zip(templates.parameters(layer), before)
               for a in [own[name]])
    assert made[0] is made[2] is not layer[0] and made[0].bias is values[1]
    assert torch.equal(made[:2](torch.rand(4, 2)), torch.ones(4, 3))


def test_versions_come_back():
    module = Model().first
    layer = hetero.Layer(module)
    version = module._captured_as
    with torch.inference_mode():
        assert layer.holds() or layer.settle() is None and layer.holds()
    assert layer.holds() and module._captured_as == version
    module.eval()
    layer.settle()
    other = module._captured_as
    module.train()
    layer.settle()
    assert module._captured_as == version != other
    own, pyg.SAGEConv.message = pyg.SAGEConv.message, lambda self, x_j: x_j
    try:
        assert not layer.holds()
    finally:
        pyg.SAGEConv.message = own


def test_sizes_that_tracing_assumes_are_not_shared(counts, monkeypatch):
    """Where a layer asks for the number of its edges, each is traced."""
    class Asks(pyg.SAGEConv):
        def forward(self, x, edge_index):
            out = super().forward(x, edge_index)
            return out if edge_index.size(1) != 7 else -out
    own = hetero.kinds

    def kinds():
        layers, taken = own()
        return layers | {Asks}, taken | {Asks}
    monkeypatch.setattr(hetero, "kinds", kinds)
    torch.manual_seed(0)
    x, edges = given()
    relations = [RELS[0], RELS[2]]
    edges = {relation: edges[relation] for relation in relations}
    edges[relations[1]] = edges[relations[1]][:, :7]
    model = pyg.HeteroConv({r: Asks((D, D), D) for r in relations})
    compiled = capture.compile_module(model, fullgraph=True)
    with torch.no_grad():
        made, wanted = compiled(x, edges), model(x, edges)
    for kind, rows in wanted.items():
        torch.testing.assert_close(made[kind], rows, rtol=1e-4, atol=1e-4)
    assert 2 <= counts["traced"] <= 3


class OfOne(torch.nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x, edges):
        return self.layer(x, edges)


def test_weights_of_rows_are_summed_at_once(monkeypatch):
    """Of node types with one to four relations into them. Gradients have memory of their
    own, parameters of rows that a loss does not read have none where they are stacked, and
    sizes are read without torch's wrappers."""
    torch.manual_seed(0)
    names = "abc"
    relations = [(src, str(i), dst) for dst, count in zip(names, (4, 2, 1))
                 for i, src in zip(range(count), names * 2)]
    model = OfOne(pyg.HeteroConv({one: conv() for one in relations}))
    inputs = ({name: torch.randn(9, D) for name in names},
              {one: torch.randint(9, (2, 20)) for one in relations})
    compiled = capture.compile_module(model)
    check(model, compiled, inputs)
    targets = [node.target for node in capture._made[-1].graph.nodes]
    aten = torch.ops.aten
    assert not {reads.gate, reads.stacked, aten.add.Tensor, aten.sum.dim_IntList,
                aten.zeros.default}.intersection(targets)
    assert sum(isinstance(target, packing.Packed) for target in targets) == 1
    places = [(x.grad.data_ptr(), x.grad.nbytes) for x in model.parameters()]
    places.sort()
    assert all(begin + size <= end for (begin, size), (end, _) in zip(places, places[1:]))
    monkeypatch.setattr(torch._dynamo.utils, "call_size", None)
    check(model, compiled, inputs)
    for run in (model, compiled):
        model.zero_grad()
        run(*inputs)["b"].sum().backward()
        assert {one[-1] for one, layer in zip(relations, model.layer.convs.values())
                for x in layer.parameters() if x.grad is not None} == {"b"}


class OverNodes(torch.nn.Module):
    """What follows a layer is over all nodes of a type, or asks how many there are: no op on
    rows of all types."""

    def __init__(self, function):
        super().__init__()
        self.layer, self.function = pyg.HeteroConv({r: conv() for r in RELS}), function

    def forward(self, x, edges):
        return {kind: self.function(rows) for kind, rows in self.layer(x, edges).items()}


@pytest.mark.parametrize("function", [
    lambda rows: rows.softmax(0),
    lambda rows: torch.add((rows * 100).clamp(max=rows.size(0)), rows, alpha=rows.size(0))])
def test_what_is_over_the_nodes_of_a_type(function):
    """Nothing of the model is kept when it is gone."""
    before = {*hetero._uses}
    model, (x, edges) = OverNodes(function), given()
    expected, found = model(x, edges), capture.compile_module(model)(x, edges)
    assert len(capture._made) == 1
    for kind, rows in expected.items():
        torch.testing.assert_close(found[kind], rows, atol=1e-5, rtol=1e-4)
    made = {*hetero._uses} - before
    assert made
    del model
    torch._dynamo.reset()
    gc.collect()
    assert made.isdisjoint(hetero._uses)


class TwoLayers(torch.nn.Module):
    """The second layer has the relations among what the first gives rows to."""

    def __init__(self, relations):
        super().__init__()
        self.first = pyg.HeteroConv({one: conv() for one in relations})
        kinds = {dst for *_, dst in relations}
        self.last = pyg.HeteroConv({one: conv() for one in relations if one[0] in kinds})

    def forward(self, x, edges):
        x = {kind: rows.relu() for kind, rows in self.first(x, edges).items()}
        return self.last(x, {one: ids for one, ids in edges.items() if one[0] in x})


@pytest.mark.parametrize("has_gradient", [False, True])
def test_bytes_of_features_that_are_joined(monkeypatch, has_gradient):
    """Sources of papers and authors, and destinations of papers and fields, are rows of one
    tensor, unless gradients of them are asked for. Sizes are odd: its parts are anywhere."""
    torch.manual_seed(0)
    rows = {"paper": 41, "author": 63, "field": 7}
    relations = [("author", "writes", "paper"), ("paper", "cites", "paper"),
                 ("paper", "has", "field")]
    model = TwoLayers(relations)
    inputs = ({kind: torch.randn(n, D, requires_grad=has_gradient) for kind, n in rows.items()},
              {one: torch.stack([torch.randint(rows[end], (50,)) for end in one[::2]])
               for one in relations})
    given, own = [], program_calls.Call.__call__

    def call(self, structures, *tensors):
        given.append((self, structures, tensors))
        return own(self, structures, *tensors)
    monkeypatch.setattr(program_calls.Call, "__call__", call)
    compiled = capture.compile_module(model)
    check(model, compiled, inputs)
    program, structures, tensors = given[-1]
    joined = {x.untyped_storage().data_ptr(): x.untyped_storage().nbytes() for x in tensors
              if x.dim() == 2 and len(x) > len(relations)}
    read = sum(rows.values()) + has_gradient * rows["paper"]
    assert sum(joined.values()) == 4 * D * read
    known = program.function.memory({name: structures[name] for name in program.graph_names},
                                    wrt=list(program.wrt))
    # Rows of destinations; what is made and kept of them, of each relation's apart.
    made, of_relations = rows["paper"] + rows["field"], 2 * rows["paper"] + rows["field"]
    assert known["forward"]["output"] == 4 * D * made
    assert known["forward"]["saved"] <= 4 * D * (made + 2 * of_relations) + 1024
    assert known["forward"]["workspace"] <= 4 * D * (made + 2 * of_relations) + 4096


@pytest.mark.parametrize("apart", [True, False])
def test_bytes_of_few_relations(monkeypatch, apart):
    """Where rows are many, each relation reads the rows that the model gives, and at most two
    tensors of rows are stored beside the result; else rows by relation are stored."""
    if apart:
        monkeypatch.setattr(merging, "MANY", 0)
    torch.manual_seed(0)
    rows = {"paper": 400, "author": 600, "field": 70}
    relations = [("author", "writes", "paper"), ("paper", "cites", "paper"),
                 ("paper", "has", "field")]
    model = TwoLayers(relations)
    inputs = ({kind: torch.randn(n, D) for kind, n in rows.items()},
              {one: torch.stack([torch.randint(rows[end], (3000,)) for end in one[::2]])
               for one in relations})
    given, own = [], program_calls.Call.__call__

    def call(self, structures, *tensors):
        given.append((self, structures, tensors))
        return own(self, structures, *tensors)
    monkeypatch.setattr(program_calls.Call, "__call__", call)
    compiled = capture.compile_module(model, target="emulator")
    with torch.no_grad():
        expected, found = model(*inputs), compiled(*inputs)
    for kind, value in expected.items():
        torch.testing.assert_close(found[kind], value, rtol=1e-4, atol=1e-4)
    (program, structures, tensors), = given
    theirs = {x.untyped_storage().data_ptr() for x in inputs[0].values()}
    assert apart == (theirs == {x.untyped_storage().data_ptr() for x in tensors
                                if x.dim() == 2 and len(x) > D})
    known = program.function.memory({name: structures[name] for name in program.graph_names})
    made = 4 * D * (rows["paper"] + rows["field"])
    assert known["call"]["output"] == made
    # Beside two of them rows of pieces of long sums.
    assert apart == (known["call"]["workspace"] <= 2.2 * made)


class HgtRows(torch.nn.Module):
    """The rows of all types behind each other, in the order of the results."""

    def __init__(self, relations):
        super().__init__()
        self.conv = pyg.HGTConv(D, D, (["a", "b"], relations), 2)

    def forward(self, x, edges):
        return {"all": torch.cat(list(self.conv(x, edges).values()))}


@pytest.mark.parametrize("names", zoo.with_slow(["ab", "ba", "bza"], {"ab", "ba"}))
def test_hgt_of_types_in_another_order(names):
    """Results are in the order of the layer's types, of which some input may be none."""
    torch.manual_seed(0)
    relations = [("a", "ab", "b"), ("b", "ba", "a")]
    model = HgtRows(relations)
    inputs = ({name: torch.randn(3 + i, D) for i, name in enumerate(names)},
              {one: torch.randint(3, (2, 9)) for one in relations})
    check(model, capture.compile_module(model), inputs)


class Added(torch.nn.Module):
    """Two layers, and between them rows of two types, so that these are as many."""

    def __init__(self, relations):
        super().__init__()
        self.first, self.last = (pyg.HeteroConv({
            r: pyg.GATConv((D, D), D, add_self_loops=False) for r in relations})
            for _ in range(2))

    def forward(self, x, edges):
        x = self.first(x, edges)
        return self.last({**x, "a": x["a"] + x["b"]}, edges)


@pytest.mark.parametrize("others", zoo.with_slow([6, 5], {5}))
def test_types_that_are_known_to_be_as_many_between_equal_layers(others):
    torch.manual_seed(0)
    relations = [("a", "ab", "b"), ("b", "ba", "a"), ("b", "bc", "c"), ("c", "ca", "a")]
    model = Added(relations)
    compiled = capture.compile_module(model)
    for count, others in ((6, others), (7, 7), (7, 3), (1, 7), (7, 1)):
        counts = {"a": count, "b": count, "c": others}
        check(model, compiled, (
            {kind: torch.randn(n, D) for kind, n in counts.items()},
            {r: torch.stack([torch.randint(counts[end], (9,)) for end in (r[0], r[2])])
             for r in relations}))
