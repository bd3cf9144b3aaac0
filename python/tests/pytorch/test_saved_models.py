# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Captured models as files: the same bits without torch, on graphs of any size, and what is
refused."""

import concurrent.futures
import copy
import os
import pathlib
import pickle
import re
import subprocess
import sys
import zipfile

import numpy as np
import pytest

torch = pytest.importorskip("torch")
nn = pytest.importorskip("torch_geometric.nn")

import gnn_mlir
from gnn_mlir import devices
from gnn_mlir.pytorch.frontend import CaptureError
from saved_cases import (MODELS, Between, arrays, by_type, check_equal, homogeneous, made,
                         saved, typed)  # noqa: F401

pytestmark = pytest.mark.usefixtures("compiler")


@pytest.mark.parametrize("name", MODELS)
def test_the_same_bits_without_torch(saved, name):
    """And the model's results in torch, on other graphs of other sizes too."""
    path, compiled, arguments = saved(name)
    model = gnn_mlir.load(path)
    sizes = {"scale": 3} if arguments is by_type else {"nodes": 57, "edges": 1}
    for given in (arguments(1), arguments(7), arguments(2, **sizes)):
        with torch.no_grad():
            expected, eager = compiled(*given), compiled._orig_mod(*given)
        found = model(*map(arrays, given))
        check_equal(found, expected, close=arguments is by_type)  # Layers of rows are torch's there.
        check_equal(found, eager, close=True)


def test_parameters_have_the_names_of_the_model(saved):
    path, compiled, _ = saved("sage")
    model, own = gnn_mlir.load(path), compiled._orig_mod.state_dict()
    known = {name for name in own if not name.endswith("num_batches_tracked")}
    assert set(model.parameters) == known
    with np.load(path) as file:
        for name in known:
            np.testing.assert_array_equal(file[f"parameters/{name}"], own[name].numpy())
            np.testing.assert_array_equal(model.parameters[name], own[name].numpy())


def test_parameters_that_a_program_reads_as_one(saved):
    """Those that lie one behind another have their names; what torch computes has its own."""
    path, compiled, _ = saved("hetero-sage")
    own, found = dict(compiled._orig_mod.named_parameters()), gnn_mlir.load(path).parameters
    assert any(len(one.get("parameters", ())) > 1 for call in gnn_mlir.load(path).manifest["calls"]
               for one in call["inputs"])
    for name, value in found.items():
        assert name.startswith("computed.") or np.array_equal(value, own[name].detach().numpy())


def test_the_same_model_gives_the_same_bytes(tmp_path):
    model, arguments = made("gat")
    for name in ("a", "b"):
        gnn_mlir.export(model, arguments(1), tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_an_export_leaves_modes_as_they_are(tmp_path):
    model, arguments = made("gcn")
    model.train()
    model.last.eval()
    gnn_mlir.export(model, arguments(1), tmp_path / "model.gnnpkg")
    assert model.training and model.norm.training and not model.last.training
    with torch.no_grad():
        check_equal(gnn_mlir.load(tmp_path / "model.gnnpkg")(*map(arrays, arguments(4))),
                    model.eval()(*arguments(4)), close=True)


LAYERS = {  # That read no mode, so torch runs the capture of one mode in the other too.
    "GCNConv": (lambda: nn.GCNConv(9, 4), homogeneous),
    "SAGEConv": (lambda: nn.SAGEConv(9, 4), homogeneous),
    "GINConv": (lambda: nn.GINConv(torch.nn.Linear(9, 4)), homogeneous),
    "GraphConv": (lambda: nn.GraphConv(9, 4), homogeneous),
    "RGCNConv": (lambda: nn.RGCNConv(9, 4, 3), typed),
    "FastRGCNConv": (lambda: nn.FastRGCNConv(9, 4, 3), typed)}


def export(compiled, given, path):
    gnn_mlir.export(compiled, given, path)


def save(compiled, given, path):
    compiled.eval()(*given)
    compiled.save(path)


def tune_and_export(compiled, given, path):
    gnn_mlir.tune(compiled, *given, budget=0.3)
    gnn_mlir.export(compiled, given, path)


@pytest.mark.parametrize("write", [export, save, tune_and_export])
@pytest.mark.parametrize("name", LAYERS)
def test_a_call_in_training_mode_comes_first(tmp_path, name, write):
    layer, arguments = LAYERS[name]
    compiled, given = gnn_mlir.compile(layer(), target="cpu"), arguments(1)
    with torch.no_grad():
        compiled(*given)
        write(compiled, given, tmp_path / "model.gnnpkg")
        assert compiled.captures.count() == 1
        other = arguments(5)
        check_equal(gnn_mlir.load(tmp_path / "model.gnnpkg")(*map(arrays, other)),
                    compiled(*other))


@pytest.mark.parametrize("write", [export, save, tune_and_export])
def test_no_mask_of_training_is_saved(tmp_path, write):
    """Calls in training mode before and after those in evaluation mode, which have their own
    captures; dropout within a layer and between two."""
    class Dropped(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.last = nn.GATConv(9, 12, dropout=0.5), nn.SAGEConv(12, 4)

        def forward(self, x, edge_index):
            h = torch.nn.functional.dropout(self.first(x, edge_index), 0.5, self.training)
            return self.last(h, edge_index)

    compiled, given = gnn_mlir.compile(Dropped(), target="cpu"), homogeneous(1)
    with torch.no_grad():
        compiled(*given)
        write(compiled, given, tmp_path / "model.gnnpkg")
        compiled.train()(*given)
        compiled.save(tmp_path / "again.gnnpkg")
        expected = compiled._orig_mod.eval()(*homogeneous(5))
    for name in "model.gnnpkg", "again.gnnpkg":
        check_equal(gnn_mlir.load(tmp_path / name)(*map(arrays, homogeneous(5))), expected,
                    close=True)


WITHOUT_TORCH = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("torch", "torch_geometric"):
            raise ImportError("no torch")
sys.meta_path.insert(0, Blocked())
import numpy as np
import gnn_mlir
model = gnn_mlir.load(sys.argv[1])
with np.load(sys.argv[2]) as given:
    np.save(sys.argv[3], model(given["x"], edge_index=given["edge_index"]))
assert "torch" not in sys.modules
"""


def test_bound_models_and_keywords(saved):
    path, _, arguments = saved("gcn-weights")
    model = gnn_mlir.load(path)
    x, ids, weight = map(arrays, arguments(1))
    expected = model(x, ids, weight)
    bound = model.bind(x, ids, edge_weight=weight)
    np.testing.assert_array_equal(bound(x, weight), expected)
    np.testing.assert_array_equal(bound(edge_weight=weight, x=x), expected)
    np.testing.assert_array_equal(model(x, edge_weight=weight, edge_index=ids.astype(np.int32)),
                                  expected)
    with pytest.raises(ValueError, match="Convolutions: expected x, edge_weight, each once, got x"):
        bound(x)


def test_ids_that_are_written_to_are_other_ids(saved):
    """A model stays bound to the graphs of its last calls, which it knows by their values."""
    path, _, arguments = saved("gcn")
    model, (x, ids) = gnn_mlir.load(path), map(arrays, arguments(1))
    first = model(x, ids, None)
    ids[0, :20] = 1
    other = model(x, ids)
    assert not np.array_equal(first, other)
    np.testing.assert_array_equal(other, gnn_mlir.load(path)(x, ids))


def test_edges_in_any_order(tmp_path):
    """A model that was called with sorted edges has kernels for these, and takes others."""
    model, _ = made("gcn")
    x, ids = homogeneous(1)
    ids = ids[:, ids[1].argsort(stable=True)]
    compiled = gnn_mlir.compile(model, target="cpu")
    with torch.no_grad():
        expected = compiled(x, ids)
    compiled.save(tmp_path / "model.gnnpkg")
    found = gnn_mlir.load(tmp_path / "model.gnnpkg")
    images = found.manifest["calls"][0]["images"]
    assert [bool(one["dst_sorted"]) for one in images] == [True, False]
    check_equal(found(arrays(x), arrays(ids)), expected)
    other = ids[:, torch.randperm(ids.shape[1], generator=torch.Generator().manual_seed(1))]
    with torch.no_grad():
        check_equal(found(arrays(x), arrays(other)), model(x, other), close=True)


def test_a_file_has_the_schedules_of_the_model(tmp_path):
    """Those of a ranker or of records, as they run before the model is saved."""
    ranker = pathlib.Path(__file__).parents[3] / "test/Tools/Inputs/ranker.txt"
    x, ids = torch.randn(30, 8), torch.randint(30, (2, 90))
    plans = []
    for options in {}, {"schedule_rule": f"ranked:{ranker}"}:
        model = gnn_mlir.compile(nn.GCNConv(8, 4).eval(), target="cpu", **options)
        gnn_mlir.export(model, (x, ids), tmp_path / "model.gnnpkg")
        with zipfile.ZipFile(tmp_path / "model.gnnpkg") as file:
            plans.append(file.read("packages/cpu.gnnpkg"))
    assert plans[0] != plans[1]


def test_one_file_for_several_targets(saved):
    path, compiled, arguments = saved("gcn", targets=["cpu", "emulator"], chip="h100")
    model, given = gnn_mlir.load(path), arguments(1)
    assert model.targets == ["cpu", "emulator"]
    with torch.no_grad():
        expected = compiled._orig_mod(*given)
    given = list(map(arrays, given))
    for device in ("cpu", "emulator"):
        there = gnn_mlir.load(path, device=device)
        check_equal(there(*given), expected, close=True)
        np.testing.assert_array_equal(there(*given), there.bind(*given)(given[0]))
        assert there.bind(*given).device.kind == device
    np.testing.assert_array_equal(model(*given), gnn_mlir.load(path, device="cpu")(*given))


def test_the_wrong_device(saved):
    path, _, arguments = saved("gcn", targets="cuda", chip="h100")
    given = list(map(arrays, arguments(1)))
    for device in ("cpu", "emulator"):
        with pytest.raises(ValueError, match=rf"^{path}: saved for cuda \(sm_90\); got device='{device}', "
                           rf"for which gnn_mlir.export saves with targets=\['cuda', '{device}'\]$"):
            gnn_mlir.load(path, device=device)
    if not devices.has_gpu():
        model = gnn_mlir.load(path)
        for call in model, model.bind, model.program, gnn_mlir.load(path, device="cuda:0"):
            with pytest.raises(ValueError, match=rf"^{path}: saved for cuda \(sm_90\); got cpu, as this "
                               "machine has no GPU$"):
                call(*given)


def test_a_gpu_for_a_model_of_the_cpu(saved, monkeypatch):
    path, _, arguments = saved("gcn")
    with pytest.raises(ValueError, match=rf"^{path}: saved for cpu; got device='cuda:1', for which"):
        gnn_mlir.load(path, device="cuda:1")
    model = gnn_mlir.load(path)
    monkeypatch.setattr(devices, "place", lambda *_: "cuda:0")  # As of tensors there.
    with pytest.raises(ValueError, match="saved for cpu; got tensors on cuda:0, for which"):
        model(*map(arrays, arguments(1)))


def test_gradients_on_request(saved):
    """The pair of passes of the program, whose inputs have the names of the plan."""
    path, compiled, arguments = saved("sage", gradients=True)
    x, ids = arguments(1)
    function, graphs, inputs = gnn_mlir.load(path).program(arrays(x), arrays(ids))
    out = function(graphs, inputs)
    cotangent = np.ones_like(out)
    found = function.gradients(graphs, inputs, {function.output_names[0]: cotangent})
    model = compiled._orig_mod
    model.zero_grad()
    model(x.requires_grad_(), ids).backward(torch.from_numpy(cotangent))
    names = {one["name"]: one.get("parameters", ["x"])[0]
             for one in gnn_mlir.load(path).manifest["calls"][0]["inputs"]}
    own = {**{name: one.grad for name, one in model.named_parameters()}, "x": x.grad}
    compared = 0
    for name, value in found.items():
        if own.get(names[name]) is not None:
            np.testing.assert_allclose(value, own[names[name]], rtol=2e-4, atol=2e-5)
            compared += 1
    assert compared == 1 + len(list(model.parameters()))


# -- Refused ---------------------------------------------------------------------------------


def test_a_call_comes_first():
    compiled = gnn_mlir.compile(made("gcn")[0])
    with pytest.raises(CaptureError, match="Convolutions: expected a call in evaluation mode "
                       "before the model is saved.*gnn_mlir.export.*got none: the model has not been called$"):
        compiled.save("never.gnnpkg")
    compiled.train()
    compiled(*homogeneous(1))
    with pytest.raises(CaptureError, match="got only calls in training mode"):
        compiled.save("never.gnnpkg")
    assert not os.path.exists("never.gnnpkg")


class Behind(Between):
    def forward(self, x, edge_index):
        return torch.cumsum(self.first(x, edge_index), 0)


class Before(Between):
    def forward(self, x, edge_index):
        return self.first(torch.cumsum(x, 0), edge_index)


class Filtered(Between):
    def forward(self, x, edge_index):
        return self.first(x, edge_index[:, edge_index[0] > 2])


class Breaks(Between):
    def forward(self, x, edge_index):
        h = self.first(x, edge_index)
        print(end="")
        torch._dynamo.graph_break()
        return self.last(h, edge_index)


class Draws(Between):
    def forward(self, x, edge_index):
        return self.first(torch.nn.functional.dropout(x, 0.5), edge_index)


def test_parts_that_were_captured_in_training_mode(tmp_path):
    """Calls in evaluation mode run these parts: none of them is the model."""
    class Ends(Breaks):
        def forward(self, x, edge_index):
            super().forward(x, edge_index)
            return self.first(x, edge_index)

    for model in Breaks(), Ends():
        compiled = gnn_mlir.compile(model)
        with torch.no_grad():
            compiled(*homogeneous(1))
        with pytest.raises(CaptureError, match="expected one program of the whole model to save, "
                           "got a part that is left to torch"):
            gnn_mlir.export(compiled, homogeneous(1), tmp_path / "model.gnnpkg")
        assert not (tmp_path / "model.gnnpkg").exists()


@pytest.mark.parametrize("model, words", [
    (Between, "linalg_qr|qr"), (Behind, "cumsum"), (Before, "cumsum"),
    (Filtered, "expected graphs of|ids|edges"), (Breaks, "left to torch"),
    (Draws, "random numbers")])
def test_models_that_are_not_one_program(tmp_path, model, words):
    path = tmp_path / "model.gnnpkg"
    with pytest.raises(CaptureError, match=words):
        gnn_mlir.export(model(), homogeneous(1), path)
    assert not path.exists()


class OfIds(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.RGCNConv(23, 4, 3)

    def forward(self, ids, edge_index, edge_type):
        return self.first(ids, edge_index, edge_type)


def test_ids_that_the_arguments_do_not_have(tmp_path):
    """The error names the op, or the layer, and its line in the model."""
    path, (_, edges, kinds) = tmp_path / "model.gnnpkg", typed(1)
    for model, given, op, code in (
            (OfIds(), (None, edges, kinds), "RGCNConv of ids of nodes", "self.first(ids, edge_index"),
            (OfIds(), (torch.arange(23), edges, kinds), "RGCNConv of ids of nodes", "self.first(ids"),
            (Filtered(), homogeneous(1), "torch.Tensor.index", "self.first(x, edge_index[:, ")):
        with pytest.raises(CaptureError, match=rf"^{op} at {__file__}:\d+ \(return {re.escape(code)}.*"
                           r"\) cannot be saved: expected graphs of edges as arguments have them$"):
            gnn_mlir.export(model, given, path)
        assert not path.exists()


def test_torch_export_names_save():
    compiled, given = gnn_mlir.compile(made("gcn")[0]), homogeneous(1)
    for strict in (False, True):
        with pytest.raises(Exception, match="save"):
            torch.export.export(compiled, given, strict=strict)
    with torch.no_grad():
        compiled(*given)


@pytest.mark.parametrize("arguments, words", [
    (lambda x, ids: (x[:, :5], ids), r"x: expected float32 of shape \[\?, 9\], got float32 of "
     r"shape \[23, 5\]"),
    (lambda x, ids: (x.astype(np.float64), ids), "x: expected float32 .*got float64"),
    (lambda x, ids: (x, ids.astype(np.float32)), "edge_index: expected int64 or int32"),
    (lambda x, ids: (x, ids[0]), r"edge_index: expected .*\[2, \?\], got int64 of shape \[90\]"),
    (lambda x, ids: (x,), "expected edge_index: i64"),
    (lambda x, ids: (x, ids, x), "expected no edge_weight, which it was saved without"),
    (lambda x, ids: (x, ids, None, x), "expected at most 3 arguments"),
    (lambda x, ids: ([1, 2], ids), "x: expected|expected x: f32"),
    (lambda x, ids: (x, ids + 5), r"argument 'edge_index': expected ids from 0 to 22, got 2\d at"),
    (lambda x, ids: (x, ids - 30), r"argument 'edge_index': expected ids from 0 to 22, got -")])
def test_wrong_arguments(saved, arguments, words):
    path, _, make = saved("gcn")
    with pytest.raises((ValueError, gnn_mlir.GNNError), match=words):
        gnn_mlir.load(path)(*arguments(*map(arrays, make(1))))


def test_edges_without_types(saved):
    path, _, arguments = saved("rgcn")
    x, ids, kinds = map(arrays, arguments(1))
    with pytest.raises(ValueError, match=r"expected edge_index.size\(1\) == edge_type.size\(0\), as of "
                       r"the arguments that the model was saved for, got edge_index.size\(1\) = 90, "
                       r"edge_type.size\(0\) = 89$"):
        gnn_mlir.load(path)(x, ids, kinds[:-1])
    with pytest.raises(ValueError, match="^argument 'edge_type': .*got 7"):
        gnn_mlir.load(path)(x, ids, np.where(np.arange(90) == 4, 7, kinds))


def test_what_export_takes(tmp_path):
    model, arguments = made("gcn")
    with pytest.raises(ValueError, match="args: expected a tuple of arguments, got"):
        gnn_mlir.export(model, list(arguments(1)), tmp_path / "m")
    with pytest.raises(ValueError, match="model: expected a torch.nn.Module, got"):
        gnn_mlir.export(gnn_mlir.models.gcn(), arguments(1), tmp_path / "m")
    with pytest.raises(ValueError, match="target: expected one of"):
        gnn_mlir.export(model, arguments(1), tmp_path / "m", targets=["tpu"])
    assert not (tmp_path / "m").exists()


def test_a_process_without_torch(saved, tmp_path):
    path, compiled, arguments = saved("gat")
    x, ids = arguments(6)
    np.savez(tmp_path / "given.npz", x=arrays(x), edge_index=arrays(ids))
    subprocess.run([sys.executable, "-c", WITHOUT_TORCH, path, tmp_path / "given.npz",
                    tmp_path / "out.npy"], check=True)
    with torch.no_grad():
        check_equal(np.load(tmp_path / "out.npy"), compiled(x, ids))


def test_calls_of_several_threads(saved):
    """On different graphs: each gets its own result."""
    path, _, arguments = saved("gcn")
    model = gnn_mlir.load(path)
    given = [list(map(arrays, arguments(seed))) for seed in range(6)]
    expected = [gnn_mlir.load(path)(*one) for one in given]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for _ in range(10):
            for found, known in zip(pool.map(lambda one: model(*one), given), expected):
                np.testing.assert_array_equal(found, known)


def test_a_loaded_model_belongs_to_its_process(saved):
    model = gnn_mlir.load(saved("gcn")[0])
    with pytest.raises(TypeError, match="cannot pickle .*load the file there"):
        pickle.dumps(model)
    assert copy.copy(model) is model


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
@pytest.mark.parametrize("name", MODELS)
def test_on_a_gpu(name, tmp_path):
    """The bits of the compiled model there, of arrays and of tensors, and in a CUDA graph."""
    def there(value):
        return {key: there(one) for key, one in value.items()} if isinstance(value, dict) else (
            value.cuda())

    model, arguments = made(name)
    compiled, given = gnn_mlir.compile(model.cuda()), list(map(there, arguments(1)))
    with torch.no_grad():
        expected = compiled(*given)
    expected = {key: one.cpu() for key, one in expected.items()} if isinstance(
        expected, dict) else expected.cpu()
    compiled.save(tmp_path / "m.gnnpkg", targets=["cuda", "cpu"])
    found = gnn_mlir.load(tmp_path / "m.gnnpkg")
    close = arguments is by_type
    check_equal(found(*map(arrays, arguments(1))), expected, close)
    out = found(*given)
    assert all(one.is_cuda for one in (out.values() if isinstance(out, dict) else [out]))
    check_equal({key: one.cpu().numpy() for key, one in out.items()} if isinstance(out, dict) else (
        out.cpu().numpy()), expected, close)
    if isinstance(given[0], dict) or isinstance(out, dict):
        return
    bound, graph = found.bind(*given), torch.cuda.CUDAGraph()
    features = [given[0], *given[2:]]
    bound(*features)
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        captured = bound(*features)
    graph.replay()
    check_equal(captured.cpu().numpy(), expected)
