# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls past torch's wrappers: what dynamo would see change is seen, and what it would run
is run."""

import copy
import gc
import pickle
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

import zoo  # noqa: E402
from gnn_mlir.pytorch.frontend import capture  # noqa: E402
from gnn_mlir.pytorch.frontend.calls import dispatch  # noqa: E402
from gnn_mlir.pytorch.frontend.runtime import graph_cache  # noqa: E402
from gnn_mlir.pytorch.frontend.tracing import intercept  # noqa: E402
from torch._dynamo import convert_frame  # noqa: E402
from torch.fx import _symbolic_trace  # noqa: E402
from torch_geometric import EdgeIndex, nn as pyg  # noqa: E402

fresh = pytest.fixture(autouse=True)(zoo.forget_captures)
EDGES = torch.randint(0, 9, (2, 30), generator=torch.Generator().manual_seed(0))
X = torch.randn(9, 4, generator=torch.Generator().manual_seed(1))


class Layer(torch.nn.Module):
    """A sum over edges, quick to capture."""

    def __init__(self):
        super().__init__()
        self.weight, self.kind = torch.nn.Parameter(torch.randn(4, 4)), "sum"

    def forward(self, x, edge_index):
        rows = (x @ self.weight)[edge_index[0]]
        made = torch.zeros_like(x).index_add(0, edge_index[1], rows)
        return made if self.kind == "sum" else -made


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.scale = Layer(), 2.0
        self.register_buffer("shift", torch.ones(4))

    def forward(self, x, edge_index, times=1, *, plus=None):
        out = self.layer(x, edge_index) * self.scale * times + self.shift
        return out if plus is None else {"out": out + plus}


@pytest.fixture
def found(monkeypatch):
    """How many calls went past torch's wrappers."""
    counts, own = [0], dispatch._Captured.find

    def find(self, args, kwargs):
        run = own(self, args, kwargs)
        counts[0] += run is not None
        return run
    monkeypatch.setattr(dispatch._Captured, "find", find)
    return counts


def check(model, compiled, *args, **kwargs):
    """One call as eager; gives what it made."""
    with torch.no_grad():
        wanted, made = model(*args, **kwargs), compiled(*args, **kwargs)
    torch.testing.assert_close(made, wanted, rtol=1e-4, atol=1e-4)
    return made


def test_what_changes_is_seen(found):
    """Each change is right at once, and the second call with it is past the wrappers, of
    the captures that there are."""
    model = Model().eval()
    compiled = capture.compile_module(model)
    check(model, compiled, X, EDGES)
    assert found == [0]
    check(model, compiled, X, EDGES)
    assert found == [1]

    def attribute():
        model.scale = 3.0

    def weights():
        model.load_state_dict({name: x + 1 for name, x in model.state_dict().items()})

    def data():
        model.layer.weight.data.mul_(2)
        model.shift.data = torch.zeros(4)

    def parameter():
        model.layer.weight = torch.nn.Parameter(torch.randn(4, 4))

    def layer():
        model.layer = Layer()

    def inner():
        model.layer.kind = "minus"

    def training():
        model.train()

    def buffer():
        model.shift = torch.full((1,), 5.0)
    for change in (attribute, weights, data, parameter, layer, inner, training, buffer):
        change()
        check(model, compiled, X, EDGES)
        before = found[0]
        check(model, compiled, X, EDGES)
        assert found[0] == before + 1, change
    graphs = len(capture._made)
    check(model, compiled, X[:8], EDGES.clamp(max=7))
    assert len(capture._made) == graphs


def test_arguments_by_name_and_default(found):
    model = Model().eval()
    compiled = capture.compile_module(model)
    for _ in range(2):
        check(model, compiled, X, EDGES)
        check(model, compiled, X, edge_index=EDGES)
        check(model, compiled, X, EDGES, 1)
        check(model, compiled, X, EDGES, times=3)
        made = check(model, compiled, edge_index=EDGES, x=X, plus=X)
    assert list(made) == ["out"] and found[0] >= 5
    for wrong in (dict(), dict(other=1), dict(x=X), dict(edges=EDGES)):
        with pytest.raises(TypeError, match="argument"):
            compiled(X, **wrong)
    for name, other in (("__defaults__", (4,)), ("__kwdefaults__", {"plus": X})):
        kept = getattr(Model.forward, name)
        setattr(Model.forward, name, other)
        try:
            check(model, compiled, X, EDGES)
        finally:
            setattr(Model.forward, name, kept)


def test_what_torch_does_at_calls_of_modules(found):
    """Hooks, stances, another forward and what is traced are torch's."""
    model = Model().eval()
    compiled = capture.compile_module(model)
    for _ in range(2):
        plain = check(model, compiled, X, EDGES)
    assert found == [1]
    seen = []
    hooks = [lambda: model.register_forward_hook(lambda m, args, out: out + 1),
             lambda: model.register_forward_pre_hook(lambda m, args: (args[0] + 1, args[1])),
             lambda: torch.nn.modules.module.register_module_forward_hook(
                 lambda m, args, out: seen.append(m))]
    for hook in hooks:
        handle = hook()
        check(model, compiled, X, EDGES)
        handle.remove()
    assert model in seen
    for hook in (compiled.register_forward_hook, compiled.register_forward_pre_hook):
        seen.clear()
        handle = hook(lambda module, *_: seen.append(module))
        check(model, compiled, X, EDGES)
        handle.remove()
        check(model, compiled, X, EDGES)
        assert seen == [compiled]
    with torch.compiler.set_stance("force_eager"):
        count = found[0]
        check(model, compiled, X, EDGES)
        assert found == [count]
    model.forward = lambda x, edge_index: x
    assert check(model, compiled, X, EDGES) is X
    del model.forward
    torch.testing.assert_close(check(model, compiled, X, EDGES), plain)
    assert found == [count + 1]
    with torch.autocast("cpu", torch.bfloat16):
        assert torch.allclose(compiled(X, EDGES).float(), plain, atol=0.1)


def test_what_torch_does_around_calls(found):
    """Hooks of all modules are run, another backend is taken, and a trace is refused."""
    model, seen = Model().eval(), []
    compiled = capture.compile_module(model)
    for _ in range(2):
        check(model, compiled, X, EDGES)
    handle = torch.nn.modules.module.register_module_forward_hook(
        lambda module, args, out: seen.append(module))
    compiled(X, EDGES)
    handle.remove()
    assert seen == [model.layer, model, compiled]
    with torch.compiler.set_stance("default", force_backend="eager"):
        check(model, compiled, X, EDGES)
    with pytest.raises(RuntimeError, match="torch.jit.trace a dynamo-optimized function"):
        torch.jit.trace(compiled, (X, EDGES))
    assert found == [1]


def test_another_code_of_a_class_is_run(monkeypatch):
    """A forward that is replaced behind a capture, and a call that is more than forward."""
    class Replaced(Model):
        """A class that no other test has."""

    class Added(Model):
        def __call__(self, *args):
            return super().__call__(*args) + 1
    model, other = Replaced().eval(), Added().eval()
    compiled, added = capture.compile_module(model), capture.compile_module(other)
    for _ in range(3):
        check(model, compiled, X, EDGES)
        check(other, added, X, EDGES)
    monkeypatch.setattr(Replaced, "forward", lambda self, x, edge_index: x * self.scale)
    check(model, compiled, X, EDGES)


@pytest.mark.parametrize("layer", [pyg.GCNConv, pyg.GATConv])
def test_layers_of_pyg_are_past_the_wrappers(found, layer):
    """Their guards ask whether the front end traces."""
    model = layer(4, 4).eval()
    compiled = capture.compile_module(model)
    for _ in range(2):
        check(model, compiled, X, EDGES)
    assert found == [1]


def test_a_trace_in_another_thread_is_awaited():
    """While it lasts torch refuses calls of all threads."""
    model, began = Model().eval(), threading.Event()

    def trace():
        with convert_frame.compile_lock, pytest.MonkeyPatch.context() as patch:
            patch.setattr(_symbolic_trace, "_is_fx_tracing_flag", True)
            began.set()
            time.sleep(0.2)
    thread = threading.Thread(target=trace)
    thread.start()
    began.wait()
    check(model, capture.compile_module(model), X, EDGES)
    thread.join()


def test_a_forward_with_cells(found):
    """As `super` has one."""
    class Scaled(Model):
        def forward(self, x, edge_index):
            return super().forward(x, edge_index) * 2
    model = Scaled().eval()
    compiled = capture.compile_module(model)
    for _ in range(3):
        check(model, compiled, X, EDGES)
    assert found == [2]


def test_models_of_one_class_do_not_meet(found):
    """The code of a class has captures of all its models; each runs its own."""
    models = [Model().eval() for _ in range(2)]
    models[1].scale = 5.0
    compiled = [capture.compile_module(model) for model in models]
    for _ in range(2):
        for one, other in zip(models, compiled):
            check(one, other, X, EDGES)
    assert found == [2]
    again = copy.deepcopy(compiled[0])
    models[0].layer.weight.data.zero_()
    check(models[0], compiled[0], X, EDGES)
    assert not torch.equal(again(X, EDGES), compiled[0](X, EDGES))


def test_breaks_and_resets_are_dynamos(found):
    class Breaks(Model):
        def forward(self, x, edge_index):
            out = super().forward(x, edge_index)
            torch._dynamo.graph_break()
            return super().forward(out, edge_index)
    model = Breaks().eval()
    compiled = capture.compile_module(model)
    for _ in range(3):
        check(model, compiled, X, EDGES)
    assert found == [0]
    model = Model().eval()
    compiled = capture.compile_module(model)
    for _ in range(2):
        check(model, compiled, X, EDGES)
    torch._dynamo.reset()
    assert compiled.captures.count() == 1
    check(model, compiled, X, EDGES)
    assert found == [1] and compiled.captures.count() == 2


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies_are_compiled_alike(found, copied):
    """Of a model that is captured: with its options, for arguments that torch cannot trace,
    and past the wrappers."""
    model = Model().eval()
    compiled = capture.compile_module(model, fullgraph=True, target="cpu")
    check(model, compiled, X, EDGES)
    again = copied(compiled)
    assert type(again) is type(compiled) and again._orig_mod is not model
    check(again._orig_mod, again, X, EdgeIndex(EDGES, sparse_size=(9, 9)))
    assert len(capture._made) == 2 and capture._made[1].options == {"target": "cpu"}
    check(again._orig_mod, again, X, EDGES)
    assert found == [1]
    again.layer.weight.data.zero_()
    check(model, compiled, X, EDGES)
    check(again._orig_mod, again, X, EDGES)


def test_a_compiled_model_is_as_torchs():
    """The result of `torch.compile` has the model's attributes, parameters and
    modes."""
    models = [Model(), Model()]
    models[1].load_state_dict(models[0].state_dict())
    for model, made in zip(models, (torch.compile(models[0], backend="eager"),
                                    capture.compile_module(models[1]))):
        assert isinstance(made, torch._dynamo.OptimizedModule) and made._orig_mod is model
        assert {*made.state_dict()} == {"_orig_mod.layer.weight", "_orig_mod.shift"}
        assert [name for name, _ in made.named_parameters()] == ["_orig_mod.layer.weight"]
        assert made.layer is model.layer and "scale" in dir(made)
        made.scale, made.extra = 3.0, 1
        assert model.scale == 3.0 and model.extra == 1
        del made.extra
        assert not hasattr(model, "extra") and not hasattr(made, "extra")
        assert not made.eval().training and not model.layer.training
        assert made.train() is made and model.layer.training
        made.load_state_dict({name: x + 1 for name, x in made.state_dict().items()})
        assert made.to(torch.float64) is made and model.shift.dtype == torch.float64
        made.float().requires_grad_(False)
        assert not model.layer.weight.requires_grad
        made.register_forward_hook(lambda m, args, out: out + 1)
        with pytest.raises(TypeError, match="Model does not support len"):
            len(made)
        model.out = made(X, EDGES)
    torch.testing.assert_close(models[1].out, models[0].out)


def test_calls_of_several_threads(monkeypatch):
    """First ones and later ones, of more graphs than are kept, with gradients and without.
    The switch is of a thread, and off when all have ended."""
    monkeypatch.setattr(graph_cache, "KEPT", 2)
    model = Layer()
    compiled = capture.compile_module(model)
    graphs = [(EDGES + i) % 9 for i in range(4)]
    wanted = [(out, *torch.autograd.grad(out.sum(), model.weight))
              for out in (model(X, edges) for edges in graphs)]

    def call(number):
        expected = wanted[number % 4]
        with torch.set_grad_enabled(number % 8 < 4):
            out = compiled(X, graphs[number % 4])
            torch.testing.assert_close(out.detach(), expected[0].detach())
            if out.requires_grad:
                torch.testing.assert_close(
                    torch.autograd.grad(out.sum(), model.weight), expected[1:])
        return True
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(4) as pool:
            assert all(pool.map(call, range(200), timeout=100))
            assert not any(pool.map(lambda _: intercept.is_on(), range(20)))
    finally:
        sys.setswitchinterval(before)
    with ThreadPoolExecutor(1) as pool:
        back = intercept.turn_on()
        try:
            assert intercept.is_on() and not pool.submit(intercept.is_on).result(60)
        finally:
            back()
    assert not intercept.is_on()


def test_many_models_of_a_class():
    """Each has its own code, however many there are."""
    for _ in range(10):
        layer = Layer()
        with torch.no_grad():
            assert torch.allclose(capture.compile_module(layer)(X, EDGES), layer(X, EDGES),
                                  atol=1e-5)
    assert len(capture._made) == 10


@pytest.mark.parametrize("is_on", [True, False])
def test_a_capture_leaves_the_garbage_collector_alone(monkeypatch, is_on):
    """It is the process's, which other threads share."""
    during, own = [], capture.backend

    def backend(*args, **kwargs):
        during.append(gc.isenabled())
        return own(*args, **kwargs)
    monkeypatch.setattr(capture, "backend", backend)
    (gc.enable if is_on else gc.disable)()
    try:
        capture.compile_module(Model())(X, EDGES)
        assert during == [is_on] and gc.isenabled() == is_on
    finally:
        gc.enable()
