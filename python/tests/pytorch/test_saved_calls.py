# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of saved models: what they were captured with holds, and what else is given is an error."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
nn = pytest.importorskip("torch_geometric.nn")

import gnn_mlir
from gnn_mlir.pytorch.frontend import CaptureError
from saved_cases import Between, arrays, by_type, check_equal, homogeneous, made, weighted

pytestmark = pytest.mark.usefixtures("compiler")


class Branches(Between):
    """Of sizes, an argument that is no tensor, and one that may be left out."""

    def forward(self, x, edge_index, weight=None, scale=0.5):
        h = self.first(x, edge_index) * scale
        if x.size(0) > 20:
            h = h * 2
        if weight is not None and weight.size(0) == edge_index.size(1):
            h = h + 1
        return h


def exported(tmp_path, model, *args, **kwargs):
    gnn_mlir.export(model, args, tmp_path / "model.gnnpkg", kwargs, targets="cpu")
    return gnn_mlir.load(tmp_path / "model.gnnpkg")


def test_conditions_on_sizes(tmp_path):
    """A branch that the model took for the sizes of the example is taken for no others."""
    model = Branches().eval()
    x, ids, weight = weighted(1)
    found = exported(tmp_path, model, x, ids)
    with torch.no_grad():
        check_equal(found(arrays(x), arrays(ids)), model(x, ids), close=True)
    other, edges = homogeneous(2, nodes=9)
    with pytest.raises(ValueError, match=r"^Branches: expected x.size\(0\) > 20, as of the arguments that "
                       r"the model was saved for, got x.size\(0\) = 9$"):
        found(arrays(other), arrays(edges))
    with pytest.raises(CaptureError, match="a condition on sizes cannot be saved"):
        exported(tmp_path, model, x, ids, weight)  # Of a tensor that is not read.


def test_the_last_call_is_saved(tmp_path):
    """And an export is of its own arguments."""
    model = Branches().eval()
    compiled, (x, ids, weight) = gnn_mlir.compile(model, target="cpu"), weighted(1)
    with torch.no_grad():
        compiled(x, ids)
        compiled(x, ids, weight)
        expected = compiled(x, ids)
    assert len(compiled.captures.report()) == 2
    for save in (compiled.save, lambda path: gnn_mlir.export(compiled, (x, ids), path)):
        save(tmp_path / "m.gnnpkg")
        check_equal(gnn_mlir.load(tmp_path / "m.gnnpkg")(arrays(x), arrays(ids)), expected)


def test_constants(tmp_path):
    x, ids = homogeneous(1)
    model = Branches().eval()
    found = exported(tmp_path, model, x, ids, scale=3.0)
    given = arrays(x), arrays(ids)
    with torch.no_grad():
        check_equal(found(*given, scale=3.0), model(x, ids, scale=3.0), close=True)
    for wrong in ({}, {"scale": 2.0}, {"scale": 3}):
        with pytest.raises(ValueError, match=r"expected scale=3.0, with which it was saved, got "):
            found(*given, **wrong)
    found = exported(tmp_path, model, x, ids)
    np.testing.assert_array_equal(found(*given), found(*given, scale=0.5)) if (
        "scale" in found.manifest["signature"]["constants"]) else found(*given)


class Several(Between):
    def forward(self, data, other):
        h = self.first(data.x, data.edge_index)
        return [h, (self.last(other["x"], other["edge_index"]),)]


def test_data_lists_and_tuples(tmp_path):
    """Data of PyG are dicts of their attributes where torch is not."""
    from torch_geometric.data import Data
    (x, ids), (other, edges) = homogeneous(1), homogeneous(2, nodes=31, edges=50)
    model = Several().eval()
    given = Data(x=x, edge_index=ids), {"x": other, "edge_index": edges}
    found = exported(tmp_path, model, *given)
    out = found({"x": arrays(x), "edge_index": arrays(ids)}, arrays(given[1]))
    with torch.no_grad():
        expected = model(*given)
    assert type(out) is list and type(out[1]) is tuple
    check_equal(out[0], expected[0], close=True)
    check_equal(out[1][0], expected[1][0], close=True)


class Points(Between):
    def forward(self, *given):
        return self.first(*given)


class Keys(Between):
    def forward(self, x, edge_index):
        return {0: self.first(x, edge_index)}


class Pair(Between):
    def forward(self, x, y, edge_index):
        return self.first(x, edge_index) + y[:, :9]


@pytest.mark.parametrize("model, arguments, words", [
    (Points, homogeneous, "arguments of forward that have names"),
    (Keys, homogeneous, "dicts with keys of text, got dict"),
    (Pair, lambda seed: (homogeneous(seed)[0], *homogeneous(seed)), None),
    (Branches, lambda seed: (*homogeneous(seed), None, torch.nn.ReLU()), None)])
def test_calls_without_names(tmp_path, model, arguments, words):
    given = arguments(1)
    if model is Pair:
        given, words = (given[1], given[1], given[2]), "got one for argument x and argument y"
    if model is Branches:
        given, words = (*given[:3], 1j), "got scale of complex|complex"
    with pytest.raises(Exception, match=words):
        gnn_mlir.export(model().eval(), given, tmp_path / "m.gnnpkg", targets="cpu")
    assert not (tmp_path / "m.gnnpkg").exists()


class Optional(Between):
    def forward(self, x, edge_index, k=2.0, weight=None):
        h = self.first(x, edge_index)
        h = h if k is None else h * k
        return h if weight is None else h.relu()


def test_none_and_defaults(tmp_path):
    model, (x, ids) = Optional().eval(), homogeneous(1)
    given = arrays(x), arrays(ids)
    found = exported(tmp_path, model, x, ids, None)
    with torch.no_grad():
        check_equal(found(*given, None), model(x, ids, None), close=True)
    with pytest.raises(ValueError, match="expected k=None, with which it was saved, got 2.0"):
        found(*given)
    found = exported(tmp_path, model, x, ids)
    np.testing.assert_array_equal(found(*given), found(*given, 2.0))
    with pytest.raises(ValueError, match="expected k=2.0, with which it was saved, got None"):
        found(*given, None)


def test_tensors_whose_values_are_not_read(tmp_path):
    model, (x, ids, weight) = Optional().eval(), weighted(1)
    found, given = exported(tmp_path, model, x, ids, 2.0, weight), (arrays(x), arrays(ids))
    with torch.no_grad():
        check_equal(found(*given, 2.0, arrays(weight)), model(x, ids, 2.0, weight), close=True)
    for wrong in ((), (2.0,), (2.0, arrays(weight)[:, None]), (2.0, arrays(ids))):
        with pytest.raises(ValueError, match="expected weight of float32 and of 1 dimensions, as it "
                           "was saved, got"):
            found(*given, *wrong)


class Parts(Between):
    """Ends of edges by their numbers, with a parameter by the name of an argument."""

    def __init__(self):
        super().__init__()
        self.x = torch.nn.Parameter(torch.randn(23, 9))
        self.k = torch.nn.Parameter(torch.ones(9))

    def forward(self, x, ei):
        return torch.zeros_like(x).index_add(0, ei[1], x[ei[0]]) + self.first(self.x, ei) * self.k ** 3


def test_rows_of_edges_by_number(tmp_path):
    model, (x, ids) = Parts().eval(), homogeneous(1)
    found = exported(tmp_path, model, x, ids)
    with torch.no_grad():
        check_equal(found(arrays(x), arrays(ids)), model(x, ids), close=True)
    with pytest.raises(CaptureError, match="got one for parameter x and argument x"):
        exported(tmp_path, model, model.x, ids)
    with pytest.raises(CaptureError, match="gradients: expected parameters that the program reads as "
                       "they are, got k|gradients: .*k"):
        gnn_mlir.export(model, (x, ids), tmp_path / "m.gnnpkg", targets="cpu", gradients=True)


class Pooled(Between):
    def forward(self, x, edge_index, batch):
        return nn.global_add_pool(self.first(x, edge_index), batch)


class Noise(Between):
    def forward(self, x, edge_index):
        return self.first(x + torch.randn_like(x), edge_index)


def test_what_cannot_be_saved_is_named(tmp_path):
    """With its line."""
    x, ids = homogeneous(1)
    with pytest.raises(CaptureError, match=r"^torch.Tensor.item at .*test_saved_calls.py:\d+ \(return "
                       r"nn.global_add_pool\(.*\): a number of rows that values say, as of pooled batches, "
                       "cannot be saved$"):
        exported(tmp_path, Pooled(), x, ids, torch.arange(len(x)) // 4)
    with pytest.raises(CaptureError, match=r"^torch.randn_like at .*test_saved_calls.py:\d+ \(return .*\): "
                       "random numbers cannot be saved$"):
        exported(tmp_path, Noise(), x, ids)


class Collision(Between):
    def forward(self, x, edge_index):
        h = self.first(x, edge_index)
        return {"a": {"b": h}, "a.b": self.last(h.relu(), edge_index)}


def changed(model, change):
    compiled = gnn_mlir.compile(model.eval(), target="cpu")
    with torch.no_grad():
        compiled(*homogeneous(1))
    change(compiled)
    return compiled


@pytest.mark.parametrize("change, words", [
    (lambda c: c.register_forward_hook(lambda *_: None), "without hooks of its own"),
    (lambda c: c._orig_mod.double(), r"parameter first.\S+: expected torch.float32 of shape .*, as it "
     "was captured, got torch.float64"),
    (lambda c: setattr(c._orig_mod, "first", nn.GCNConv(9, 9)), "parameter first.lin_l.weight: "
     "expected .*got none"),
    (lambda c: setattr(c._orig_mod, "first", nn.SAGEConv(9, 5)), "got torch.float32 of shape")])
def test_models_that_changed(tmp_path, change, words):
    compiled = changed(Branches(), change)
    with pytest.raises(CaptureError, match=words):
        compiled.save(tmp_path / "m.gnnpkg")
    assert not (tmp_path / "m.gnnpkg").exists()


@pytest.mark.parametrize("options, words", [
    ({"targets": []}, "targets: expected different names of targets"),
    ({"targets": [None]}, "targets: expected"), ({"targets": 3}, "targets: expected"),
    ({"targets": ["cpu", "cpu"]}, "targets: expected different"),
    ({"targets": "cpu", "chip": "h100"}, "chip: expected none for a CPU"),
    ({"gradients": "yes"}, "gradients: expected True or False, got 'yes'")])
def test_wrong_options(tmp_path, options, words):
    with pytest.raises(ValueError, match=words):
        gnn_mlir.export(Branches(), homogeneous(1), tmp_path / "m.gnnpkg", **options)
    assert not (tmp_path / "m.gnnpkg").exists()


def test_results_of_one_name(tmp_path):
    with pytest.raises(CaptureError, match="results of different names, got two of a.b"):
        exported(tmp_path, Collision(), *homogeneous(1))


def test_a_bound_model_takes_its_features_alone(tmp_path):
    x, ids = homogeneous(1)
    bound = exported(tmp_path, Branches(), x, ids).bind(arrays(x), arrays(ids))
    x = arrays(x)
    for args, named in (((), {}), ((x, x), {}), ((x,), {"x": x}), ((x,), {"edge_index": arrays(ids)})):
        with pytest.raises(ValueError, match="Branches: expected x, each once, got"):
            bound(*args, **named)
    for args, named in (((x, arrays(ids)), {}), ((x,), {"edge_index": arrays(ids)})):
        with pytest.raises(ValueError, match=": a bound model takes features alone$"):
            bound(*args, **named)
    with pytest.raises(ValueError, match="expected x, each once, got 2 by position: a bound model takes"):
        bound(x, x)


def test_lists_are_no_arrays(tmp_path):
    x, ids = map(arrays, homogeneous(1))
    model = exported(tmp_path, Branches(), *homogeneous(1))
    for wrong in (x.tolist(), [], (x,)):
        words = rf"^x: expected an array or a tensor, f32\[.*9\], got a {type(wrong).__name__}$"
        for call in (lambda: model(wrong, ids), lambda: model.bind(wrong, ids),
                     lambda: model.bind(x, ids)(wrong)):
            with pytest.raises(ValueError, match=words):
                call()
    with pytest.raises(ValueError, match=r"^edge_index: expected .*, i64\[2, \?\], got a list$"):
        model(x, ids.tolist())


def test_types_of_nodes_and_edges_that_are_missing(tmp_path):
    model, (x, edges) = made("hetero-sage")[0], by_type(1)
    model = exported(tmp_path, model, x, edges)
    given = {key: arrays(one) for key, one in x.items()}, {key: arrays(one) for key, one in edges.items()}
    del given[0]["author"]
    with pytest.raises(ValueError, match=r"^x_dict: expected features of node type 'author', f32\[\?, 5\], "
                       "got those of paper, venue$"):
        model(*given)
    with pytest.raises(ValueError, match="^x_dict: expected features of node type 'paper', .*, got none$"):
        model({}, given[1])
    del given[1]["paper", "has", "author"]
    with pytest.raises(ValueError, match=r"^edge_index_dict: expected edges of the relation \('paper', 'has', "
                       r"'author'\), i64"):
        model({key: arrays(one) for key, one in x.items()}, given[1])


def test_arguments_of_one_name(tmp_path):
    """Keys that are spelled alike are not taken one for the other."""
    model, (x, ids) = Between().first.eval(), homogeneous(1)
    saved = exported(tmp_path, model, x, ids)
    twice = {"a": x, ("a",): x}
    for run in (lambda: saved(twice, ids), lambda: saved.bind(x, ids)(twice)):
        with pytest.raises(ValueError, match="expected arguments of different names, got two of 'x.a'$"):
            run()


# -- Tensors of other kinds ------------------------------------------------------------------


@pytest.fixture(name="plain", scope="module")
def plain_fixture(compiler, tmp_path_factory):
    """A saved model without conditions, its arguments and its result."""
    model, given = Between().first.eval(), homogeneous(1)
    found = exported(tmp_path_factory.mktemp("plain"), model, *given)
    return found, given, found(*given)


def ragged(x):
    return torch.nested.nested_tensor([x[:1], x[:2]])


@pytest.mark.parametrize("change, got", [
    (lambda x: x.to("meta"), "expected a tensor with values, got one on the meta device, which has none"),
    (lambda x: x.to_sparse(), "expected a dense tensor, got torch.sparse_coo"),
    (lambda x: x.to_sparse_csr(), "expected a dense tensor, got torch.sparse_csr"),
    (ragged, r"expected an array or a tensor, \w+\[.*\], got a nested tensor"),
    (lambda x: np.ma.masked_array(x.numpy(), x.numpy() > 1), "expected an array without a mask, got one with it")])
@pytest.mark.parametrize("which", (0, 1))
def test_tensors_that_are_not_dense(plain, change, got, which):
    """Ids and features, to a call and to a binding."""
    model, given, _ = plain
    names = model.manifest["signature"]["arguments"]
    wrong = [change(x) if i == which else x for i, x in enumerate(given)]
    for call in model, model.bind:
        with pytest.raises(ValueError, match=f"^{names[which]}: {got}$"):
            call(*wrong)


@pytest.mark.parametrize("change, got", [
    (lambda x: x.to("meta"), "is bound to the cpu, expected inputs on the CPU, got them on meta:0"),
    (lambda x: x.to_sparse(), "input 'x': expected a dense tensor, got torch.sparse_coo"),
    (ragged, "input 'x': expected a dense tensor, got a nested one"),
    (lambda x: np.ma.masked_array(x.numpy()), "input 'x': expected an array without a mask")])
def test_bound_models_take_dense_tensors(plain, change, got):
    model, (x, ids), _ = plain
    with pytest.raises(ValueError, match=got):
        model.bind(x, ids)(change(x))


def test_tensors_with_the_negative_bit(plain):
    """Such a view holds the negative of what lies in its memory."""
    model, (x, ids), expected = plain
    negated = torch._neg_view(-x), torch._neg_view(-ids)
    assert all(one.is_neg() for one in negated)
    for given in ((negated[0], ids), (x, negated[1]), negated):
        np.testing.assert_array_equal(model(*given), expected)
        np.testing.assert_array_equal(model.bind(*given)(given[0]), expected)
    with pytest.raises(ValueError, match=r"^x: expected float32 of shape \[\?, 9\], got complex64"):
        model(x.to(torch.complex64).conj(), ids)


def test_graphs_without_nodes(plain):
    model, (x, ids), _ = plain
    assert model(x[:0], ids[:, :0]).shape == (0, 9)
    with pytest.raises(ValueError, match="^argument 'edge_index': expected no ids, as there "
                       f"are no nodes, got {int(ids[0, 0])} at 0$"):
        model(x[:0], ids)


def test_many_names_in_an_error(plain):
    """Some of them, and how many others there are."""
    model, (x, ids), _ = plain
    many = {f"k{i}": x for i in range(300)}
    first = ", ".join(f"{{0}}k{i}" for i in range(12))
    with pytest.raises(ValueError, match=f"expected x: .*, got {first.format('x.')} and 289 others$"):
        model(many, ids)
    with pytest.raises(ValueError, match=f"expected x, each once, got {first.format('')} and 288 others$"):
        model.bind(x, ids)(**many)
    with pytest.raises(ValueError, match="expected x, each once, got nothing$"):
        model.bind(x, ids)(None)


class Foreign:
    """An array of another library, with a layout that is none of torch's."""

    layout, device = "row major", "cpu"

    def __init__(self, array):
        self.array, self.shape, self.dtype = array, array.shape, array.dtype

    def __array__(self, *_, **__):
        return self.array


def test_arrays_of_other_libraries(plain):
    model, given, expected = plain
    np.testing.assert_array_equal(model(*(Foreign(x.numpy()) for x in given)), expected)
