# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Messages to a user on a compiled model: `gnn_mlir.explain`, the log, and errors of what
cannot be compiled."""

import gc
import logging
import os
import pathlib
import re
import weakref

import pytest

torch = pytest.importorskip("torch")
pyg = pytest.importorskip("torch_geometric.nn")

import gnn_mlir  # noqa: E402
import zoo  # noqa: E402
from gnn_mlir.pytorch.frontend import capture, places  # noqa: E402
from gnn_mlir.pytorch.frontend.tracing import hetero  # noqa: E402

X = torch.randn(9, 8)
EDGES = torch.tensor([[0, 1, 2, 0], [1, 2, 3, 3]])

fresh = pytest.fixture(autouse=True)(zoo.forget_captures)


def told(caplog):
    """Lines of the log on captures, but their beginnings and ends."""
    return [one for one in caplog.records if one.name == "gnn_mlir" and not re.search(
        ": (a capture begins|the capture (took|failed))", one.getMessage())]


class Split(torch.nn.Module):
    """Two programs."""

    def __init__(self):
        super().__init__()
        self.first, self.last = pyg.SAGEConv(8, 4), pyg.GCNConv(4, 4)

    def forward(self, x, edge_index):
        h = self.first(x, edge_index)
        h = torch.linalg.qr(h)[0]
        return self.last(h, edge_index)


@pytest.mark.parametrize("place", ["share/gnn-mlir/examples/serve/train.py", "../probe/train.py"])
def test_models_beside_the_package_are_captured(place):
    """Examples of a wheel lie in its folder, and paths may lead through it."""
    text = ("class Net(torch.nn.Module):\n"
            "    def __init__(self):\n"
            "        super().__init__()\n"
            "        self.layer = pyg.SAGEConv(8, 4)\n"
            "    def forward(self, x, edge_index):\n"
            "        return self.layer(x, edge_index)\n")
    names = {"torch": torch, "pyg": pyg}
    folder = os.path.dirname(os.path.abspath(gnn_mlir.__file__))
    exec(compile(text, os.path.join(folder, place), "exec"), names)  # pylint: disable=exec-used
    model = gnn_mlir.compile(names["Net"](), fullgraph=True)
    torch.testing.assert_close(model(X, EDGES), names["Net"].forward(model, X, EDGES))
    assert gnn_mlir.explain(model).startswith("Net: 1 captured graph\n1: 1 program")


class Read(Split):
    def forward(self, x, edge_index):
        h = self.first(x, edge_index)
        return self.last(h * h.sum().item(), edge_index)


def test_a_number_that_splits_a_model():
    """It is no rows, but what is between the programs, and no size."""
    model = gnn_mlir.compile(Read())
    model(X, EDGES)
    left = (f"left to torch: torch.scalar_tensor at {__file__}:"
            f"{Read.forward.__code__.co_firstlineno + 2}: a number that Python reads of a tensor")
    text = gnn_mlir.explain(model)
    assert text.startswith("Read: 1 captured graph\n1: 2 programs, 1 op left to torch\n")
    assert left in text
    with pytest.raises(gnn_mlir.pytorch.frontend.CaptureError, match="a number that Python reads of a tensor as s"):
        gnn_mlir.compile(Read(), fullgraph=True)(X, EDGES)


def test_a_model_in_two_programs(caplog):
    model = gnn_mlir.compile(Split())
    assert gnn_mlir.explain(model) == (
        "Split: nothing is captured yet: calls of the model, such as model(...), are compiled, "
        "other methods are not, and it has not been called")
    with caplog.at_level(logging.INFO, "gnn_mlir"):
        model(X, EDGES).sum().backward()
    text = gnn_mlir.explain(model)
    assert text.startswith("Split: 1 captured graph\n1: 2 programs, 1 op left to torch\n")
    assert "\n    forward of training: 2 kernels\n    backward of training: " in text
    assert text == gnn_mlir.explain(model, x=X, edge_index=EDGES) == str(model.captures)
    names = gnn_mlir.explain(model, kernels=True)
    assert ("\n    forward of training: 2 kernels\n      forward_forward_0_linear\n"
            "      forward_forward_1_") in names and "\n      forward_backward_0_" in names
    assert [line for line in names.splitlines() if not line.startswith(" " * 6)] == (
        text.splitlines())
    left = f"left to torch: torch.linalg.qr at {__file__}:{Split.forward.__code__.co_firstlineno + 2}"
    assert left in text and left in caplog.text
    assert [record.levelname for record in told(caplog)] == ["WARNING"]
    one, = model.captures.report()
    assert [len(program.kernels) for program in one.programs] == [2, 2]
    assert one.programs[1].kernels["forward of training"][0] == "forward_forward_0_linear"
    assert one.programs[0].graphs == {"g1": (1, 1)} or len(one.programs[0].graphs) == 1
    assert one.programs[1].sources["forward of training"] == ["", ""]
    outer = weakref.ref(gnn_mlir.pytorch.frontend.capture._made[-1])
    del model
    torch._dynamo.reset()
    gc.collect()
    assert outer() is None


def test_schedules_of_a_model_are_reported():
    """By the kernels that no rule has laid out."""
    ranker = pathlib.Path(__file__).parents[3] / "test/Tools/Inputs/ranker.txt"
    model = gnn_mlir.compile(pyg.GCNConv(8, 4).eval(), schedule_rule=f"ranked:{ranker}")
    with torch.no_grad():
        text = gnn_mlir.explain(model, X, EDGES)
    count, laid_out = re.search(
        r"\n    without gradients: (\d) kernels, (\d) with schedules of model ranker.txt$", text).groups()
    assert 0 < int(laid_out) < int(count)
    names = gnn_mlir.explain(model, kernels=True)
    assert len(re.findall(r"^      \w+, schedule from model ranker.txt$", names, re.MULTILINE)) == (
        int(laid_out))


def test_tables_of_embeddings_are_named():
    """Their rows are types of nodes in the program."""
    class Embedded(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.conv = torch.nn.Embedding(20, 8), pyg.GCNConv(8, 4)

        def forward(self, ids, edge_index):
            return self.conv(self.table(ids), edge_index)
    model = gnn_mlir.compile(Embedded().eval())
    with torch.no_grad():
        text = gnn_mlir.explain(model, torch.arange(len(X)) % 20, EDGES)
    assert re.search(r"  program on \w+ of 20 node types \(rows of the embedding table_weight\) and "
                     "1 edge type\n", text)
    program = gnn_mlir.explain(model.captures.report()[0].programs[0].text)
    assert "\nforward, before\n  node_type of g: rows of the table table_weight\n" in program
    with torch.no_grad():
        assert "embedding" not in gnn_mlir.explain(gnn_mlir.compile(pyg.GCNConv(8, 4)), X, EDGES)


def test_kernels_that_are_launched_again():
    program = gnn_mlir.pytorch.frontend.report.Program("", {"g": (1, 2)}, {
        "forward of training": ["forward_forward_0_linear", "forward_forward_1_aggregate",
                                "forward_forward_2_linear"],
        "backward of training": ["forward_backward_0_linear", "forward_backward_1_linear"],
        "without gradients": ["forward_0_linear"]}, {
        "forward of training": ["forward_forward_0_linear", "forward_forward_1_aggregate",
                                "forward_forward_0_linear"],
        "backward of training": ["forward_backward_0_linear", "forward_forward_0_linear"],
        "without gradients": ["forward_0_linear"]}, {
        "forward of training": ["", "file f:2", ""], "backward of training": ["", ""],
        "without gradients": ["file f:2"]})
    assert str(program) == """\
  program on g of 1 node type and 2 edge types
    forward of training: 3 kernels, 2 different, 1 with schedules of file f:2
    backward of training: 2 kernels
    without gradients: 1 kernel, 1 with schedules of file f:2"""
    assert program.as_text(kernels=True) == """\
  program on g of 1 node type and 2 edge types
    forward of training: 3 kernels, 2 different, 1 with schedules of file f:2
      forward_forward_0_linear
      forward_forward_1_aggregate, schedule from file f:2
      forward_forward_2_linear, which runs forward_forward_0_linear
    backward of training: 2 kernels
      forward_backward_0_linear
      forward_backward_1_linear, which runs forward_forward_0_linear
    without gradients: 1 kernel, 1 with schedules of file f:2
      forward_0_linear, schedule from file f:2"""


class Relational(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = pyg.RGCNConv(8, 8, 3), pyg.RGCNConv(8, 4, 3)

    def forward(self, x, edge_index, edge_type):
        return self.last(self.first(x, edge_index, edge_type).relu(), edge_index, edge_type)


TYPES = torch.tensor([0, 1, 2, 1])
WRONG = {
    "ids of floats": (X, EDGES.float(), TYPES), "ids of bool": (X, EDGES.bool(), TYPES),
    "three rows": (X, EDGES[[0, 1, 1]], TYPES), "swapped": (EDGES, X, TYPES),
    "transposed": (X, EDGES.t().contiguous(), TYPES), "double": (X.double(), EDGES, TYPES)}


def is_refused(model, given, caplog, recwarn):
    with caplog.at_level(logging.INFO, "gnn_mlir"), pytest.raises(ValueError, match="expected"):
        model(*given)
    assert not told(caplog)
    assert not [one for one in recwarn if "torch.float" in str(one.message)]
    assert not model.captures.untold


@pytest.mark.parametrize("name", zoo.with_slow(WRONG, {"ids of bool"}))
def test_errors_of_arguments_come_alone(name, caplog, recwarn):
    """At the first call."""
    is_refused(gnn_mlir.compile(Relational()), WRONG[name], caplog, recwarn)


def test_errors_of_arguments_come_alone_behind_a_call(caplog, recwarn):
    """Which gives the same as before when all are refused."""
    model = gnn_mlir.compile(Relational())
    expected = model(X, EDGES, TYPES)
    for given in WRONG.values():
        is_refused(model, given, caplog, recwarn)
    assert torch.equal(model(X, EDGES, TYPES), expected)


def test_what_a_call_has_to_tell(caplog):
    """Where it succeeds, and where the model itself raises."""
    double = gnn_mlir.compile(pyg.SAGEConv(8, 4).double())
    with caplog.at_level(logging.INFO, "gnn_mlir"):
        with pytest.warns(UserWarning, match="got torch.float64"):
            double(X.double(), EDGES)
        assert ["SAGEConv: a graph is left to torch: expected fea" in one.message for one in
                told(caplog)] == [True]
        caplog.clear()

        @gnn_mlir.compile
        def raising(x):
            y = x.sum() + 1
            torch._dynamo.graph_break()
            raise RuntimeError(f"of the model, {y.dim()}")
        with pytest.raises(RuntimeError, match="of the model, 0"):
            raising(X)
        assert [one.message for one in told(caplog)] == [
            "raising: a graph is left to torch: it has no gather and no sum over edges"]


def test_torch_compile_is_told_of_what_breaks_fewer_graphs(caplog):
    """The self loops of GATConv have sizes that values say."""
    model = torch.compile(pyg.GATConv(8, 4), backend=capture.backend)
    with caplog.at_level(logging.WARNING, "gnn_mlir"):
        model(X, EDGES)
    assert {one.message for one in told(caplog)} == {
        "torch.compile: a graph is left to torch: it has no gather and no sum over edges; "
        "gnn_mlir.compile(model) breaks fewer graphs than torch.compile(model, backend='gnn_mlir')"}


def test_numbers_stay():
    """Those of graphs that torch dropped are not given again."""
    model = gnn_mlir.compile(pyg.SAGEConv(8, 4))
    model(X, EDGES)
    torch._dynamo.reset()
    text = gnn_mlir.explain(model, X, EDGES)
    assert text.startswith("SAGEConv: 1 captured graph\n2: 1 program, ")


def test_modes_and_equal_lines():
    class Twice(torch.nn.Module):
        """Two ops in one line that torch computes, in each mode."""

        def __init__(self):
            super().__init__()
            self.conv, self.last = pyg.SAGEConv(8, 4), torch.nn.Linear(8, 4)

        def forward(self, x, edge_index, y):
            return self.conv(x, edge_index), self.last(y), self.last(-y)
    model, given = gnn_mlir.compile(Twice()), (X, EDGES, torch.randn(5, 8))
    assert gnn_mlir.explain(model, *given).startswith("Twice: 1 captured graph\n1: 1 program")
    with torch.no_grad():
        text = gnn_mlir.explain(model.eval(), *given)
    assert "\n1 (training): 1 program" in text and "\n2 (evaluation): 1 program" in text
    assert text.count("\n  left to torch, 2 times: torch.nn.functional.linear at ") == 2
    assert len(model.captures.report()[0].left) == 2


def test_what_cannot_be_whole():
    with pytest.raises(gnn_mlir.pytorch.frontend.CaptureError, match=(
            r"^torch\.linalg\.qr at \S+test_frontend_report\.py:\d+ \(h = torch\.linalg\.qr"
            r"\(h\)\[0\]\) cannot be compiled with what is around it: gnn_mlir has no op for it; "
            r"without fullgraph=True torch runs it$")):
        gnn_mlir.compile(Split(), fullgraph=True)(X, EDGES)
    dense = torch.nn.Linear(8, 4)
    with pytest.raises(gnn_mlir.pytorch.frontend.CaptureError, match="no gather and no sum"):
        gnn_mlir.compile(dense, fullgraph=True)(X)
    model = gnn_mlir.compile(dense)
    assert torch.equal(model(X), dense(X))
    assert gnn_mlir.explain(model).endswith(
        "1: left to torch: it has no gather and no sum over edges")


def test_by_torch_compile():
    """fullgraph means the same, and the report is there; in functions too, and of breaks."""
    capture.register()  # As the entry point of an installed package does.
    split = Split()
    with pytest.raises(Exception, match="torch.linalg.qr at .* cannot be compiled"):
        torch.compile(split, backend="gnn_mlir", fullgraph=True)(X, EDGES)
    compiled = torch.compile(split, backend="gnn_mlir")
    text = gnn_mlir.explain(compiled, X, EDGES)
    assert text.startswith("Split: ") and "program on g of 1 node type" in text

    @gnn_mlir.compile
    def broken(x, edge_index):
        h = split.first(x, edge_index)
        torch._dynamo.graph_break()
        return split.last(h, edge_index)
    text = gnn_mlir.explain(broken, X, EDGES)
    assert text.startswith("broken: 2 captured graphs\n")
    assert text.count("a graph break behind it: ") == 1 and __file__ in text
    assert gnn_mlir.compile(broken) is broken and gnn_mlir.compile(
        gnn_mlir.compile(compiled)) is compiled


def test_places_are_lines_of_the_model():
    """Code that torch generates, as for `to_hetero`, has none, nor has gnn_mlir's own: then it is
    the line that calls it, if there is one."""
    class Sorted(torch.nn.Module):
        def forward(self, x, edge_index):
            h = x.new_zeros(x.shape).index_add(0, edge_index[1], x[edge_index[0]])
            return torch.sort(h, 0)[0]

    class Calling(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = torch.fx.symbolic_trace(Sorted())

        def forward(self, x, edge_index):
            return self.inner(x, edge_index)
    model = Calling()
    line = Calling.forward.__code__.co_firstlineno + 1
    for one, where in (model.inner, ""), (model, f" at {__file__}:{line}"):
        text = gnn_mlir.explain(gnn_mlir.compile(one), X, EDGES)
        assert f"left to torch: torch.sort{where}: " in text


def test_places_of_frames():
    def named(*files):
        return str(places.place_in("\n".join(f'File "{one}", line 7, in forward' for one in files)))
    own, of_torch, of_pyg = hetero.__file__, torch.nn.__file__, pyg.__file__
    assert named("model.py", of_pyg, own) == named("model.py", of_torch, own) == "model.py:7"
    assert named(of_torch, of_pyg, own) == named(of_pyg, of_torch) == f"{of_pyg}:7"
    assert named(of_torch, own, "<eval_with_key>.3") == f"{of_torch}:7"
    assert named(own, "<eval_with_key>.3") == ""


def test_inputs_have_the_names_of_the_user():
    """Arguments and parameters of modules, layers by relation too; else numbers."""
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.convs = torch.nn.ModuleList([pyg.GCNConv(8, 4)])
            self.by_type = pyg.HeteroConv({("a", "to", "b"): pyg.SAGEConv((4, 8), 4),
                                           ("b", "of", "b"): pyg.SAGEConv(8, 4)})
            self.seed = torch.nn.Parameter(torch.ones(3, 4))

        def forward(self, x, more, edges):
            h = self.convs[0](x, edges) * self.seed[0] * self.seed[1:].sum()
            return self.by_type({"a": h, "b": more["b"]}, {
                ("a", "to", "b"): edges, ("b", "of", "b"): edges})["b"]
    compiled = gnn_mlir.compile(Model(), fullgraph=True)
    compiled(X, {"b": X.clone()}, EDGES)
    text = compiled.captures.report()[0].programs[0].text
    names = re.findall(r'%\w+: \S+(?: #\w+>)? \{gnn.name = "(\w+)"\}', text)
    assert {"x", "more_b", "convs_0_lin_weight", "convs_0_bias", "a_to_b_lin_l_weight",
            "a_to_b_lin_r_weight"} <= set(names)
    assert sum(re.fullmatch(r"in\d+", name) is not None for name in names) == 2


def test_inputs_with_names_of_programs():
    """As those of results, of gradients and of what is saved for these."""
    @gnn_mlir.compile(fullgraph=True)
    def compiled(out0, d_out0, saved_0, seed, edges):
        h = torch.zeros_like(out0).index_add(0, edges[1], (out0 * d_out0)[edges[0]])
        return torch.nn.functional.dropout(h.sigmoid() * saved_0.sigmoid() * seed, 0.0)
    given = [X.clone().requires_grad_() for _ in range(4)]
    compiled(*given, EDGES).sum().backward()
    text = compiled.captures.report()[0].programs[0].text
    assert all(f'"{name}_2"' in text for name in ("out0", "d_out0", "saved_0", "seed"))


def test_functions_and_decorators():
    @gnn_mlir.compile(fullgraph=True)
    def neighbours(x, edge_index):
        """Sums."""
        return x.new_zeros(x.shape).index_add(0, edge_index[1], x[edge_index[0]])
    assert neighbours.__doc__ == "Sums."
    assert torch.equal(neighbours(X, EDGES)[3], X[0] + X[2])
    assert gnn_mlir.explain(neighbours).startswith("neighbours: 1 captured graph\n1: 1 program,")


@pytest.mark.parametrize("call, message", [
    (lambda: gnn_mlir.compile(Split), "an instance.*got the class Split"),
    (lambda: gnn_mlir.compile(Split(), gradients=True), "gradients: expected none for a PyT"),
    (lambda: gnn_mlir.compile(gnn_mlir.compile(Split()), fullgraph=True), "is not compiled, as"),
    (lambda: gnn_mlir.compile(Split(), target="gpu"), "target: expected one of cuda, emulator, cpu, "),
    (lambda: gnn_mlir.explain(Split()), "expected a compiled model, got Split"),
    (lambda: gnn_mlir.explain(gnn_mlir.compile(Split()), target="cpu"), "target: expected none"),
    (lambda: gnn_mlir.explain(gnn_mlir.compile(Split()), dot="model.dot"), (
        "got 'model.dot'; gnn_mlir.explain takes it with the text of a program, as that of "
        r"model.captures.report\(\)\[0\].programs\[0\].text"))])
def test_bad_arguments(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_unknown_options():
    with pytest.raises(ValueError, match=r"^mode: expected an option of PyTorch models \(target, "
                                         r"chip, passes, keep_phases, tuned, schedule_rule, fullgraph\) or of programs "
                                         r"\(target, "):
        gnn_mlir.compile(Split(), mode="max-autotune")
    with pytest.raises(ValueError, match="^kernels: expected for compiled PyTorch models alone$"):
        gnn_mlir.explain("", kernels=True)
    for function in (gnn_mlir.explain, gnn_mlir.list_schedules):
        with pytest.raises(ValueError, match=rf"^foo: expected an option of {function.__name__} "
                                             r"\(target, chip, passes, "):
            function("", foo=1)


def test_lazy_layers():
    """The first call is eager, the second is one program."""
    lazy = pyg.HeteroConv({("a", "to", "b"): pyg.SAGEConv((-1, -1), 4),
                           ("b", "of", "a"): pyg.SAGEConv((-1, -1), 4)})
    model = gnn_mlir.compile(lazy, fullgraph=True)
    given = {"a": X, "b": X}, {("a", "to", "b"): EDGES, ("b", "of", "a"): EDGES.flip(0)}
    first = model(*given)
    assert not model.captures.report()
    second = model(*given)
    assert [len(one.programs) for one in model.captures.report()] == [1]
    for name, rows in first.items():
        torch.testing.assert_close(second[name], rows)


def test_the_page_shows_it():
    page = (pathlib.Path(__file__).parents[3] / "docs/Frontend.md").read_text()
    example, = re.findall(r"^```text\n(Model: .*?)\n```$", page, re.M | re.S)
    names = {}
    exec(re.search(r"^```python\n(.*?)^```$", page, re.M | re.S)[1], names)
    assert gnn_mlir.explain(names["compiled"]) == example
