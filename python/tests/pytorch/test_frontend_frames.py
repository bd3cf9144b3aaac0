# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No call runs in eager unnoticed: what dynamo marks code objects with in one call, or for
another torch.compile, leaves a compiled model as it was, and a call that captures nothing is
told of."""

import contextlib
import copy
import io
import itertools
import logging
import re
import sys
import threading

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

import gnn_mlir  # noqa: E402
import zoo  # noqa: E402
from gnn_mlir.pytorch.frontend import capture  # noqa: E402
from gnn_mlir.pytorch.frontend.calls import dispatch, frames, progress  # noqa: E402
from gnn_mlir.pytorch.frontend.tracing import intercept  # noqa: E402
from test_frontend_dispatch import EDGES, Layer, X  # noqa: E402
from torch_geometric.index import index2ptr  # noqa: E402
from torch_geometric.nn.attention import PerformerAttention  # noqa: E402

fresh = pytest.fixture(autouse=True)(zoo.forget_captures)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = Layer()

    def forward(self, x, edge_index):
        return self.layer(x, edge_index).relu()


class Broken(Net):
    """The layer is a frame by itself."""

    def forward(self, x, edge_index):
        torch._dynamo.graph_break()
        return self.layer(x, edge_index).relu()


class Counting:
    """A backend of torch.compile: how many graphs it was given, and how often they ran."""

    def __init__(self):
        self.graphs = self.runs = 0

    def __call__(self, module, inputs):
        self.graphs += 1

        def run(*args):
            self.runs += 1
            return module.forward(*args)
        return run


def given(nodes):
    return torch.randn(nodes, 4), torch.randint(0, nodes, (2, 3 * nodes))


def beyond_its_limit(model, sizes=range(5, 9)):
    """Another torch.compile of the class that has met dynamo's limit."""
    other = torch.compile(model, backend="eager", dynamic=False)
    with torch._dynamo.config.patch(recompile_limit=2):
        for nodes in sizes:
            other(*given(nodes))
    return other


def is_captured(model, graphs=1, fullgraph=False):
    """Whether each of two calls is right, and the first of them captures all of it."""
    before = len(capture._made)
    compiled = capture.compile_module(model, fullgraph=fullgraph)
    for _ in range(2):
        torch.testing.assert_close(compiled(X, EDGES), model(X, EDGES))
    assert len(capture._made) == before + graphs
    assert gnn_mlir.explain(compiled).startswith(f"{type(model).__name__}: {graphs} captured graph")


# -- Transforms around a call ----------------------------------------------------------------

TRANSFORMS = [lambda f: torch.vmap(f)(X.expand(3, -1, -1)),
              lambda f: torch.func.grad(lambda x: f(x).square().sum())(X),
              lambda f: torch.func.jvp(f, (X,), (X.cos(),))[1]]


@pytest.mark.parametrize("transform", zoo.with_slow(TRANSFORMS, TRANSFORMS[2:]))
def test_a_transform_around_a_call(transform, caplog):
    """Runs in torch, which is said; what is called without it is captured."""
    model = Net()
    compiled = capture.compile_module(model)
    wanted = transform(lambda x: model(x, EDGES))
    for _ in range(2):
        torch.testing.assert_close(transform(lambda x: compiled(x, EDGES)), wanted)
    said = "captured nothing and ran in torch: torch.vmap or another transform"
    assert [said in record.message for record in caplog.records
            if record.levelname == "WARNING"] == [True]
    assert gnn_mlir.explain(compiled).startswith(
        f"Net: 0 captured graphs\n2 calls {said} of torch.func around the call")
    torch.testing.assert_close(compiled(X, EDGES), model(X, EDGES))
    assert len(capture._made) == 1 and "1 captured graph\n" in gnn_mlir.explain(compiled)
    torch.testing.assert_close(transform(lambda x: compiled(x, EDGES)), wanted)
    is_captured(Net(), fullgraph=True)
    whole = capture.compile_module(model, fullgraph=True)
    with pytest.raises(capture.CaptureError, match="Net: torch.vmap or another transform"):
        transform(lambda x: whole(x, EDGES))


class Called:
    def __init__(self, model):
        self.model = model

    def __call__(self, x, edge_index):
        return self.model(x, edge_index)


@pytest.mark.parametrize("of", [lambda model: model, lambda model: model.forward, Called],
                         ids=["model", "bound method", "object"])
def test_a_mode_of_torch_around_a_call(of, caplog):
    """torch traces nothing within a mode."""
    class Mode(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {}))
    model = of(Net())
    compiled, whole = (capture.compile_module(model, fullgraph=full) for full in (False, True))
    with Mode():
        torch.testing.assert_close(compiled(X, EDGES), model(X, EDGES))
        with pytest.raises(capture.CaptureError, match=r"^\w+: torch captures nothing .*: "):
            whole(X, EDGES)
    assert "1 call captured nothing and ran in torch: " in gnn_mlir.explain(compiled)
    assert "a call captured nothing" in caplog.text
    assert not intercept.is_on()
    for one in (compiled, whole):
        torch.testing.assert_close(one(X, EDGES), model(X, EDGES))
    assert len(capture._made) == 2


@pytest.mark.parametrize("fullgraph", [False, True])
def test_a_forward_that_torch_is_not_to_compile(fullgraph):
    class Disabled(Net):
        @torch.compiler.disable
        def forward(self, x, edge_index):
            return super().forward(x, edge_index)
    model = Disabled()
    compiled = capture.compile_module(model, fullgraph=fullgraph)
    if fullgraph:
        with pytest.raises(capture.CaptureError, match="Disabled: torch.compiler.disable"):
            compiled(X, EDGES)
    else:
        torch.testing.assert_close(compiled(X, EDGES), model(X, EDGES))
        assert "ran in torch: torch.compiler.disable" in gnn_mlir.explain(compiled)
    assert not intercept.is_on()


def test_what_is_eager_by_choice_is_no_warning(caplog):
    compiled = capture.compile_module(Net())
    with torch.compiler.set_stance("force_eager"):
        compiled(X, EDGES)
    assert not [one for one in caplog.records if one.levelname == "WARNING"]
    assert "1 call captured nothing and ran in torch: torch.compiler.set_stance" in (
        gnn_mlir.explain(compiled))
    compiled(X, EDGES)
    assert len(capture._made) == 1
    torch._dynamo.reset()
    assert gnn_mlir.explain(capture.compile_module(Net())).startswith("Net: nothing is captured yet")


def test_dropped_captures_are_no_missing_calls():
    compiled = capture.compile_module(Broken())
    compiled(X, EDGES)
    torch._dynamo.reset()
    assert gnn_mlir.explain(compiled) == (
        "Broken: nothing is captured now: torch has dropped all that was")


# -- Other compilations of the class -----------------------------------------------------------

@pytest.mark.parametrize("fullgraph", zoo.with_slow([False, True], {False}))
def test_a_class_that_has_met_the_limit(fullgraph):
    other = beyond_its_limit(Net())
    is_captured(Net(), fullgraph=fullgraph)
    other(*given(12))
    is_captured(Net(), fullgraph=fullgraph)


def test_hooks_of_a_class_that_has_met_the_limit():
    """Where torch calls the module, whose code others have too."""
    model = Net()
    model.register_forward_hook(lambda module, args, out: out + 1)
    beyond_its_limit(Net())
    compiled = capture.compile_module(model)
    torch.testing.assert_close(compiled(X, EDGES), model(X, EDGES))
    assert len(capture._made) == 1


def test_a_layer_behind_a_break_that_has_met_the_limit():
    beyond_its_limit(Layer())
    is_captured(Broken())
    compiled = capture.compile_module(Broken())
    compiled(X, EDGES)
    before = len(capture._made)
    compiled.eval()
    beyond_its_limit(Layer(), range(20, 24))
    compiled(X, EDGES)
    assert len(capture._made) == before


@pytest.mark.parametrize("ours_is_first, model, function", zoo.with_slow(
    itertools.product((True, False), (Net, Broken), (True, False)),
    {(True, Net, True), (False, Net, False), (True, Broken, False), (False, Broken, True)}))
def test_a_benchmark_beside_another_compiler(model, ours_is_first, function):
    """Both are recompiled again and again, and each call of both runs what was compiled."""
    if function and model is Broken and torch.__version__ < "2.13":
        pytest.skip("torch before 2.13 has one limit for both behind a graph break")
    model, backend = model(), Counting()
    if function:
        own = model

        def model(x, edge_index):
            return own(x, edge_index)
    both = [lambda: capture.compile_module(model),
            lambda: torch.compile(model, backend=backend, dynamic=False)]
    both = [make() for make in both] if ours_is_first else [
        make() for make in both[::-1]][::-1]
    with torch._dynamo.config.patch(recompile_limit=5):
        for number in range(4):
            for compiled in both[::1 if ours_is_first else -1]:
                before = backend.runs
                x, edges = given(10 + number)
                with torch.set_grad_enabled(number % 2 == 0):
                    torch.testing.assert_close(compiled(x, edges), model(x, edges))
                assert backend.runs == before + (compiled is both[1])
    assert backend.graphs == 4 and len(capture._made) == 2


# -- Calls that fail --------------------------------------------------------------------------

class Raising(Net):
    def forward(self, x, edge_index):
        if x.shape[0] == 5:
            raise KeyError("five")
        return super().forward(x, edge_index)


def failing_backend(monkeypatch):
    def fail(*args, **kwargs):
        raise ValueError("no")
    monkeypatch.setattr(capture, "backend", fail)


@pytest.mark.parametrize("model, wrong, before", zoo.with_slow([
    (Net, (X, EDGES.double()), None), (Net, (X, None), None), (Raising, given(5), None),
    (Broken, (X, EDGES.double()), None), (Net, (X, EDGES), failing_backend)],
    {(Net, (X, None), None)}))
def test_a_call_that_fails_leaves_nothing(model, wrong, before, monkeypatch):
    """Neither the model nor its layers run in eager or in pieces behind it."""
    model = model()
    compiled = capture.compile_module(model)
    with monkeypatch.context() as patched:
        if before is not None:
            before(patched)
        with pytest.raises(Exception):
            compiled(*wrong)
    count = len(capture._made)
    torch.testing.assert_close(compiled(X, EDGES), model(X, EDGES))
    assert len(capture._made) == count + 1
    is_captured(Layer(), fullgraph=True)
    is_captured(type(model)())


def test_a_model_that_torch_cannot_trace(caplog, monkeypatch):
    """Is tried again, but not for ever."""
    monkeypatch.setattr(frames, "_ATTEMPTS", 2)

    class Generated(torch.nn.Module):
        def forward(self, x, edges):
            yield x.sin()
    model = Generated()
    compiled = capture.compile_module(model)
    for _ in range(4):
        torch.testing.assert_close(next(compiled(X, EDGES)), X.sin())
    text = gnn_mlir.explain(compiled)
    assert "2 calls captured nothing and ran in torch: Attempt to trace generator" in text
    assert "2 calls captured nothing and ran in torch: 2 calls in a row captured nothing, the " in text
    warnings = [one.message for one in caplog.records if one.levelname == "WARNING"]
    assert len(warnings) == 3 and "generator" in warnings[0]
    assert warnings[1].startswith("Generated: 2 calls in a row captured nothing: what is not")


class Trying(Net):
    """Catches the error of sizes that do not fit."""

    count = 3

    def forward(self, x, edge_index):
        try:
            return self.layer(x[:, :self.count], edge_index).relu()
        except RuntimeError:
            return self.layer(x, edge_index).relu()


def test_a_branch_of_except_is_taken(caplog):
    model = Trying()
    compiled = capture.compile_module(model)
    for _ in range(2):
        torch.testing.assert_close(compiled(X, EDGES), model(X, EDGES))
    assert "Trying: a call captured nothing and ran in torch: " in caplog.text
    assert "[?, 3]" in caplog.text and "test_frontend_dispatch.py:" in caplog.text
    with pytest.raises(ValueError, match=r"test_frontend_dispatch.py:\d+"):
        capture.compile_module(model, fullgraph=True)(X, EDGES)


class TryingBehind(Trying):
    """Writes before a graph break, and torch fails to trace the rest."""

    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x, edge_index):
        self.calls.add_(1)
        torch._dynamo.graph_break()
        return super().forward(x, edge_index) + self.calls


def test_frames_behind_a_break_that_torch_cannot_trace(caplog, monkeypatch):
    """Eager runs them, and nothing that is before the break twice; the layer in them is captured
    by itself. A call that fails leaves nothing."""
    monkeypatch.setattr(frames, "_ATTEMPTS", 2)
    model = TryingBehind()
    compiled = capture.compile_module(copy.deepcopy(model))
    with pytest.raises(RuntimeError, match="mat1 and mat2 shapes cannot be multiplied"):
        compiled(X[:, :2], EDGES)
    assert "fails to trace" not in gnn_mlir.explain(compiled)
    compiled.calls.zero_()
    for calls in range(1, 4):
        torch.testing.assert_close(compiled(X, EDGES), model(X, EDGES))
        assert compiled.calls == model.calls == calls
    text = gnn_mlir.explain(compiled)
    assert "left to torch: torch fails to trace it: " in text and "[?, 3]" in text
    assert len(capture._made) == 1
    told = [one.message.partition("left to torch: ")[2] for one in caplog.records]
    assert sorted(filter(None, told)) == sorted(re.findall("left to torch: (.*)", text))
    assert "TryingBehind: forward failed to be traced in 2 calls: it runs in torch" in caplog.text


class Choosing(TryingBehind):
    """A number of a tensor behind a graph break says which rows the layer has."""

    def forward(self, x, edge_index):
        self.calls.add_(1)
        torch._dynamo.graph_break()
        rows = [x, x.sin()][int(edge_index[0, 0]) % 2]
        return self.layer(rows, edge_index) + self.calls


def test_numbers_behind_a_break_that_torch_cannot_go_on_with():
    """The frame is traced again, and its graph breaks at the number."""
    model = Choosing()
    compiled = capture.compile_module(copy.deepcopy(model))
    for calls in range(1, 4):
        torch.testing.assert_close(compiled(X, EDGES), model(X, EDGES))
        assert compiled.calls == model.calls == calls
    assert "Tensor.item()" in gnn_mlir.explain(compiled) and len(capture._made) == 1
    with pytest.raises(capture.CaptureError, match=(
            rf"^Could not extract .* at {__file__}:\d+ \(.*which is allowed without fullgraph")):
        capture.compile_module(lambda x, e: model.layer([x, x][int(e[0, 0]) % 2], e),
                               fullgraph=True)(X, EDGES)


def test_hooks_before_a_forward_that_torch_cannot_trace(monkeypatch, caplog):
    """They run once, as what is before a break does."""
    monkeypatch.setattr(frames, "_ATTEMPTS", 2)
    model, calls = Trying(), []
    model.register_forward_pre_hook(lambda *_: calls.append(1))
    compiled = capture.compile_module(model)
    for _ in range(3):
        compiled(X, EDGES)
    assert len(calls) == 3
    assert "Trying: forward failed to be traced in 2 calls: it runs in torch" in caplog.text


class Siblings(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = Trying(), Trying()
        self.two.count = 4

    def forward(self, x, edge_index):
        torch._dynamo.graph_break()
        return self.two(self.one(x, edge_index), edge_index)


def test_another_module_of_a_class_that_torch_cannot_trace(monkeypatch):
    monkeypatch.setattr(frames, "_ATTEMPTS", 1)
    model = Siblings()
    compiled = capture.compile_module(model)
    for mode in torch.enable_grad, torch.enable_grad, torch.no_grad:
        with mode():
            torch.testing.assert_close(compiled(X, EDGES), model(X, EDGES))
    last = capture._made[-1].raiser.graph.nodes
    assert any(node.target == torch.ops.aten.relu.default for node in last)


def test_stand_ins_behind_a_break_that_torch_cannot_trace():
    """Eager would take other branches on what stands for a sparse matrix."""
    adj = torch.sparse_coo_tensor(EDGES, torch.ones(EDGES.shape[1]), (len(X), len(X)))

    def tried(x, adj):
        torch._dynamo.graph_break()
        with contextlib.suppress(RuntimeError):
            x = x @ torch.ones(3, 8)
        return adj @ x if type(adj) is torch.Tensor else x
    compiled = capture.compile_module(tried)
    with pytest.raises(ValueError, match="reduction dim"):
        compiled(X, adj)


def test_calls_between_that_are_captured(monkeypatch):
    """Only calls in a row that capture nothing leave the model to torch."""
    monkeypatch.setattr(frames, "_ATTEMPTS", 2)

    class Sometimes(Trying):
        def forward(self, x, edge_index):
            return super().forward(x, edge_index) if self.training else self.layer(x, edge_index)
    model = Sometimes()
    compiled = capture.compile_module(model)
    for training in True, False, True:
        model.train(training)
        torch.testing.assert_close(compiled(X, EDGES), model(X, EDGES))
    model.eval()
    with torch.no_grad():
        compiled(X, EDGES)
    assert len(capture._made) == 2


class Attending(torch.nn.Module):
    """Writes to a view of which torch's own tracing takes another layout."""

    def __init__(self):
        super().__init__()
        self.attention = PerformerAttention(4, heads=2, head_channels=2)

    def forward(self, x, edge_index):
        mask = torch.ones(1, x.shape[0], dtype=torch.bool)
        h = torch.zeros_like(x).index_add(0, edge_index[1], x[edge_index[0]])
        return self.attention(h[None], mask=mask)


def test_what_torch_cannot_make_functional_is_torchs(caplog):
    model = Attending().eval()
    compiled = capture.compile_module(model)
    torch.testing.assert_close(compiled(X, EDGES), model(X, EDGES))
    assert "left to torch: torch cannot trace what it writes to: Cannot view" in caplog.text


@pytest.mark.parametrize("function", [False, True])
def test_tensors_without_data_are_named(function):
    model = (lambda x, edges: Layer.forward(model, x, edges)) if function else Net().to("meta")
    if function:
        model.weight, model.kind = torch.ones(4, 4, device="meta"), "sum"
    with pytest.raises(ValueError, match="x: expected a tensor with data, got one on the device "
                       "meta"):
        capture.compile_module(model)(X.to("meta"), EDGES.to("meta"))


class Mine(Exception):
    pass


class OfModel(Net):
    def forward(self, x, edge_index):
        out = super().forward(x, edge_index)
        if x.shape[0] == 5:
            raise Mine("five rows")
        if x.shape[0] == 6:
            raise AssertionError("six rows")
        if x.shape[0] == 7:
            return {}["seven rows"]
        if x.shape[0] == 8:
            try:
                return x @ x
            except RuntimeError:
                raise Mine("eight rows") from None
        return out


@pytest.mark.parametrize("fullgraph", [False, True])
@pytest.mark.parametrize("called", [False, True])
def test_exceptions_of_a_model_pass(fullgraph, called):
    compiled = capture.compile_module(OfModel(), fullgraph=fullgraph)
    if called:
        compiled(X, EDGES)
    for nodes, kind, text in ((5, Mine, "five"), (6, AssertionError, "six"), (7, KeyError, "seven"),
                              (8, Mine, "eight")):
        with pytest.raises(kind, match=text) as raised:
            compiled(*given(nodes))
        assert type(raised.value) is kind
    if not called:
        compiled(X, EDGES)
    before = len(capture._made)
    compiled(X, EDGES)
    assert len(capture._made) == before and (not fullgraph or before == 1)


# -- Captures without an end ------------------------------------------------------------------

class Scaled(Net):
    def forward(self, x, edge_index, scale):
        return self.layer(x, edge_index) * scale


@pytest.mark.parametrize("fullgraph", [False, True])
def test_a_number_that_differs_in_each_call(fullgraph, monkeypatch, caplog):
    """Is a capture for each value, until there are too many."""
    monkeypatch.setattr(frames, "LIMIT", 3)
    model = Scaled()
    compiled = capture.compile_module(model, fullgraph=fullgraph)
    for number in range(3):
        torch.testing.assert_close(compiled(X, EDGES, 1.5 + number),
                                   model(X, EDGES, 1.5 + number))
    said = (r"Scaled.*: forward \(.*test_frontend_frames.py:\d+\) was captured 3 times already, "
            r"the last time for scale == 3.5, which is not so in this call")
    assert not [one for one in caplog.records if one.levelname == "WARNING"]
    if fullgraph:
        with pytest.raises(capture.CaptureError, match=said):
            compiled(X, EDGES, 9.)
    else:
        for _ in range(2):
            torch.testing.assert_close(compiled(X, EDGES, 9.), model(X, EDGES, 9.))
        message, = (one for one in caplog.records if one.levelname == "WARNING")
        assert re.search(said, message.message)
    compiled(X, EDGES, 2.5)  # One that is captured.
    assert len(capture._made) == 3


def of_pointers(x, edges):
    """Sums by where the edges of each node begin."""
    end, order = edges[1].sort()
    rows = x[edges[0][order]]
    degree = index2ptr(end, x.size(0)).diff()
    return torch.zeros_like(x).index_add(0, end, rows) / degree.clamp(min=1)[:, None]


def test_numbers_of_nodes_in_pointers_are_symbols():
    compiled = capture.compile_module(of_pointers)
    for nodes in (9, 14, 30):
        for dtype in (torch.int64, torch.int32):
            x, edges = given(nodes)
            torch.testing.assert_close(compiled(x, edges.to(dtype)), of_pointers(x, edges))
    assert len(capture._made) == 2


# -- The log ---------------------------------------------------------------------------------

class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("stream, after, seen", [
    (Terminal, 0.0, True), (Terminal, 60.0, False), (io.StringIO, 0.0, False)])
def test_a_bar_on_a_terminal(monkeypatch, stream, after, seen):
    """It is there while a first call compiles, for more than a second, and goes away."""
    monkeypatch.setattr(sys, "stderr", stream())
    monkeypatch.setattr(progress, "_FIRST", after)
    monkeypatch.setattr(progress, "_EACH", 0.01)
    compiled = capture.compile_module(Net())
    compiled(X, EDGES)
    text = sys.stderr.getvalue()
    assert bool(re.match(r"\rNet: compiling \[=====               \] 0 s\rNet: compiling \[ =====", text)) == seen
    assert not seen or re.search(r"\r +\r$", text)
    compiled(X, EDGES)
    with pytest.raises(ValueError):
        compiled(X, EDGES.double())
    assert not seen or re.search(r"\r +\r$", sys.stderr.getvalue())
    assert not [one for one in threading.enumerate() if "_show" in one.name]


def test_captures_begin_and_end_in_the_log(caplog):
    compiled = capture.compile_module(Net())
    with caplog.at_level(logging.INFO, "gnn_mlir"):
        compiled(X, EDGES)
        first, *_, last = (one.message for one in caplog.records if one.name == "gnn_mlir")
        assert first == "Net: a capture begins" and last.startswith("Net: the capture took ")
        caplog.clear()
        compiled(X, EDGES)
        assert not caplog.records
        with pytest.raises(ValueError):
            compiled(X, EDGES.double())
    assert [one.message.partition(" 0")[0] for one in caplog.records] == [
        "Net: a capture begins", "Net: the capture failed after"]
