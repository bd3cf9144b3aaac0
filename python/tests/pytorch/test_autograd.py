# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of compiled functions: of arrays, and under torch's autograd, on the
emulator. Code that torch differentiates itself is the reference."""

import concurrent.futures
import copy
import pickle

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir import gradients, models, running
from gnn_mlir.pytorch import pyg
from support import errors

torch = pytest.importorskip("torch")

from processes import in_processes  # noqa: E402
from torch.autograd import forward_ad  # noqa: E402

# y = gelu(mean of x at sources W), z = tanh(x U), n = 2 i, along edges of one graph.
PROGRAM = """
#node = #gnn.rows<@g, node>
#edge = #gnn.rows<@g, edge>
gnn.graph @g square {node_types = 1, edge_types = 1}
func.func @f(%x: tensor<?x4xf32, #node> {gnn.name = "x"},
             %w: tensor<4x4xf32> {gnn.name = "w"}, %u: tensor<4x4xf32> {gnn.name = "u"},
             %i: tensor<?xi32, #node> {gnn.name = "i"})
    -> (tensor<?x4xf32, #node> {gnn.name = "y"}, tensor<?x4xf32, #node> {gnn.name = "z"},
        tensor<?xi32, #node> {gnn.name = "n"}) {
  %e = gnn.gather %x via src : tensor<?x4xf32, #node> -> tensor<?x4xf32, #edge>
  %m = gnn.aggregate mean %e via dst : tensor<?x4xf32, #edge> -> tensor<?x4xf32, #node>
  %h = gnn.linear %m, %w : (tensor<?x4xf32, #node>, tensor<4x4xf32>) -> tensor<?x4xf32, #node>
  %y = gnn.activation gelu %h : tensor<?x4xf32, #node>
  %k = gnn.linear %x, %u : (tensor<?x4xf32, #node>, tensor<4x4xf32>) -> tensor<?x4xf32, #node>
  %z = gnn.activation tanh %k : tensor<?x4xf32, #node>
  %n = arith.addi %i, %i : tensor<?xi32, #node>
  return %y, %z, %n : tensor<?x4xf32, #node>, tensor<?x4xf32, #node>, tensor<?xi32, #node>
}
"""
NODES, EDGES = 9, 20
SRC, DST = np.random.default_rng(0).integers(0, NODES, (2, EDGES))


def reference(x, w, u, i):
    """The meaning of PROGRAM in torch."""
    mean = torch.zeros(NODES, NODES, dtype=x.dtype)
    mean.index_put_((torch.tensor(DST), torch.tensor(SRC)),
                    torch.ones(EDGES, dtype=x.dtype), accumulate=True)
    mean = mean / mean.sum(1, keepdim=True).clamp(min=1)
    return {"y": torch.nn.functional.gelu(mean @ x @ w), "z": torch.tanh(x @ u), "n": 2 * i}


@pytest.fixture(scope="module")
def graph():
    return gnn_mlir.Graph(SRC, DST, NODES)


@pytest.fixture(scope="module")
def layer(compiler):
    return gnn_mlir.compile(PROGRAM, target="emulator", gradients=True)


def arrays(seed=0):
    rng = np.random.default_rng(seed)
    make = lambda *shape: rng.standard_normal(shape).astype(np.float32)
    return {"x": make(NODES, 4), "w": make(4, 4), "u": make(4, 4),
            "i": np.arange(NODES, dtype=np.int32)}


def tensors(seed=0, needed="xwu"):
    return {name: torch.from_numpy(array).requires_grad_(name in needed)
            for name, array in arrays(seed).items()}


def expected(cotangents, inputs=None):
    """Gradients of x, w and u by torch in float64; None: nothing leads there."""
    inputs = {name: torch.as_tensor(value).detach().double()
              for name, value in (inputs or arrays()).items()}
    for name in "xwu":
        inputs[name].requires_grad_()
    outputs = reference(**inputs)
    given = [name for name, value in cotangents.items() if value is not None]
    found = torch.autograd.grad(
        [outputs[name] for name in given], [inputs[name] for name in "xwu"],
        [torch.as_tensor(cotangents[name]).double() for name in given],
        allow_unused=True)
    return dict(zip("xwu", found))


def check(found, wanted):
    """Holds what is found against torch; zeros where nothing leads."""
    assert found
    for name, value in found.items():
        exact = 0 * np.asarray(value) if wanted[name] is None else wanted[name].numpy()
        errors.check(name, np.asarray(value), exact)


D = {name: np.random.default_rng(seed).standard_normal((NODES, 4)).astype(np.float32)
     for name, seed in (("y", 1), ("z", 2))}


# -- Arrays --------------------------------------------------------------------------


def test_gradients_of_arrays(layer, graph):
    found = layer.gradients(graph, arrays(), D)
    assert list(found) == ["x", "w", "u"]
    assert all(isinstance(value, np.ndarray) for value in found.values())
    check(found, expected(D))


def test_gradients_of_tensors_without_a_graph(layer, graph):
    found = layer.gradients(graph, tensors(), {n: torch.from_numpy(d)
                                               for n, d in D.items()})
    assert all(isinstance(value, torch.Tensor) and not value.requires_grad
               for value in found.values())
    check(found, expected(D))


def test_a_tape_gives_gradients_again(layer, graph):
    outputs, tape = layer.forward(graph, arrays())
    for name, value in layer(graph, arrays()).items():
        np.testing.assert_array_equal(outputs[name], value)
    first, second = tape.gradients(D), tape.gradients({n: 2 * d for n, d in D.items()})
    for name in first:
        np.testing.assert_array_equal(2 * first[name], second[name])


def test_a_tape_keeps_what_was(layer, graph):
    inputs = arrays()
    _, tape = layer.forward(graph, inputs)
    expected = tape.gradients(D)
    outputs, tape = layer.forward(graph, inputs)
    for value in (*outputs.values(), *inputs.values()):
        value *= 3
    found = tape.gradients(D)
    assert all((found[n] == expected[n]).all() for n in expected)


@pytest.mark.parametrize("changed", ["x", "z"])
def test_a_tape_finds_changes_of_tensors(layer, graph, changed):
    inputs = {name: torch.tensor(value) for name, value in arrays().items()}
    outputs, tape = layer.forward(graph, inputs)
    given = {name: torch.tensor(value) for name, value in D.items()}
    tape.gradients(given)
    {**inputs, **outputs}[changed].mul_(3)
    with pytest.raises(RuntimeError, match=f"expected '{changed}' as it was in the "
                                           "forward pass"):
        tape.gradients(given)


def test_a_tape_copies_inference_tensors(layer, graph):
    """They have no version by which a change is found."""
    _, tape = layer.forward(graph, arrays())
    expected = tape.gradients(D)
    with torch.inference_mode():
        inputs = {name: torch.tensor(value) for name, value in arrays().items()}
        outputs, tape = layer.forward(graph, inputs)
        for value in (*outputs.values(), *inputs.values()):
            value.mul_(3)
        found = tape.gradients({name: torch.tensor(value) for name, value in D.items()})
    assert all((found[n].numpy() == expected[n]).all() for n in expected)


@pytest.mark.parametrize("given", ["y", "z"])
def test_outputs_without_a_gradient_are_not_computed(layer, graph, given, monkeypatch):
    def no_zeros(*_):
        raise AssertionError("expected a backward pass of its own")
    monkeypatch.setattr(gradients, "_zeros", no_zeros)
    cotangents = {given: D[given]}
    found = layer.gradients(graph, arrays(), cotangents, wrt=["w", "u"])
    assert list(found) == ["w", "u"]
    check(found, expected(cotangents))
    assert expected(cotangents)["u" if given == "y" else "w"] is None
    passes = layer.differentiated._made[("w", "u"), (given,)]
    assert passes.given == (given,) and f"d_{given}" not in passes.kept
    other = ({"y", "z"} - {given}).pop()
    assert other not in passes.kept
    # None says the same as leaving it out.
    again = layer.gradients(graph, arrays(), {**cotangents, other: None}, ["w", "u"])
    np.testing.assert_array_equal(again["w"], found["w"])


def test_a_saved_value_without_a_key_is_not_known_elsewhere(compiler):
    layer = gnn_mlir.compile(PROGRAM, target="emulator", gradients=True)
    find = layer.differentiated
    forward, other = find.find(), find.find(given=["y"])
    assert other is not forward and find.find_backward(forward, ["y"]) is other
    saved = [spec for passes in (forward, other) for spec in passes.kept.values()
             if spec.get("role") == "saved"]
    assert saved
    for spec in saved:
        del spec["key"]
    assert find.find_backward(forward, ["y"]) is forward


def test_bindings_give_gradients(layer, graph):
    binding = layer.bind(graph)
    found = binding.gradients(arrays(), D)
    for name, value in layer.gradients(graph, arrays(), D).items():
        np.testing.assert_array_equal(found[name], value)
    inputs = tensors()
    out = binding(inputs)
    (out["y"].sum() + out["z"].sum()).backward()
    ones = dict.fromkeys(D, np.ones((NODES, 4)))
    check({name: inputs[name].grad for name in "xwu"}, expected(ones))


def test_some_inputs(compiler, graph):
    layer = gnn_mlir.compile(PROGRAM, target="emulator", gradients=["u"])
    found = layer.gradients(graph, arrays(), {"z": D["z"]})
    assert list(found) == ["u"]
    check(found, expected({"z": D["z"]}))
    with pytest.raises(ValueError, match="expected inputs of u, .* got 'x'"):
        layer.gradients(graph, arrays(), D, wrt=["x"])
    with pytest.raises(ValueError, match="f: 'w' requires a gradient, and gradients were "
                                         "compiled for u: compile with it in `gradients`"):
        layer(graph, tensors(needed="wu"))
    by_name = gnn_mlir.compile(PROGRAM, target="emulator", gradients={"f": ["w", "u"]})
    assert list(by_name.gradients(graph, arrays(), D)) == ["w", "u"]
    layer = by_name.differentiated
    assert layer.find(["u"]).wrt == ("u",) and len(layer._made) == 2


def test_what_is_wrong(compiler, layer, graph):
    for bad in ("x", [], {"f": ()}):
        with pytest.raises(ValueError, match="gradients: expected True, a list of inputs "
                           "that is not empty, or a dict of these by function, got "):
            gnn_mlir.compile(PROGRAM, gradients=bad)
    with pytest.raises(gnn_mlir.CompileError, match="with respect to inputs of .*, "
                                                    "x, w, u, got 'v'") as caught:
        gnn_mlir.compile(PROGRAM, gradients=["v"])
    assert 'gnn.gradients = ["v"]' in caught.value.reproducer
    with pytest.raises(ValueError, match="^gradients: expected one of f, got 'g'$"):
        gnn_mlir.compile(PROGRAM, gradients={"g": True})
    with pytest.raises(ValueError, match=r"^gradients: expected inputs of sage \(x, weight, "
                                         r"bias, root\), got 'w'$"):
        gnn_mlir.compile(models.sage((4, 2)), gradients=["x", "w"])
    plain = gnn_mlir.compile(PROGRAM, target="emulator")
    with pytest.raises(ValueError, match="compiled with gradients=True, got one "
                                         "without"):
        plain.gradients(graph, arrays(), D)
    for bad in (D["y"], {}, {"y": None}):
        with pytest.raises(ValueError, match=r"dict of gradients of outputs \(y, z\), got "
                                             r"(ndarray of float32 of shape \(9, 4\)|\{)"):
            layer.gradients(graph, arrays(), bad)
    for bad in ("w", 5, []):
        message = rf"f: expected a list of inputs \(x, w, u\), got {bad!r}".replace("[", "\\[")
        with pytest.raises(ValueError, match=message):
            layer.gradients(graph, arrays(), D, wrt=bad)
        with pytest.raises(ValueError, match=message):
            layer.memory(graph, wrt=bad)
    with pytest.raises(ValueError, match="gradients of outputs y, z, got 'n'"):
        layer.gradients(graph, arrays(), {"n": D["y"]})
    with pytest.raises(ValueError, match=r"^the gradient of 'y' \(input 'd_y'\): expected "
                                         r"shape \(9, 4\), got \(8, 4\)"):
        layer.gradients(graph, arrays(), {"y": D["y"][1:]})


def test_several_threads_compile_once(compiler, graph, monkeypatch):
    layer = gnn_mlir.compile(PROGRAM, target="emulator", gradients=True)
    made, make = [], layer.differentiated._compile
    monkeypatch.setattr(layer.differentiated, "_compile",
                        lambda text: made.append(text) or make(text))
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: layer.gradients(graph, arrays(), D, ["u"])["u"],
                              range(4)))
    assert made == ["f: u -> y z"]
    for value in found:
        np.testing.assert_array_equal(value, found[0])


def test_memory_is_known_before_a_run(layer, graph, monkeypatch):
    """By what it is for; it is what a run takes."""
    known = layer.memory(graph)
    row = 16 * NODES
    assert known["call"]["output"] == known["forward"]["output"] == 2 * row + 4 * NODES
    assert known["forward"]["saved"] >= row  # of gelu
    assert known["backward"]["gradient"] == row + 2 * 64
    assert layer.memory(graph, wrt=["u"])["backward"]["gradient"] == 64
    taken, take = [], running._aligned
    monkeypatch.setattr(running, "_aligned",
                        lambda size, *more: taken.append(size) or take(size, *more))
    inputs = {name: take(array.nbytes).view(array.dtype).reshape(array.shape)
              for name, array in {**arrays(), **D}.items()}
    for name, array in {**arrays(), **D}.items():
        inputs[name][...] = array
    cotangents = {name: inputs.pop(name) for name in D}
    for run, name in ((lambda: layer(graph, inputs), "call"),
                      (lambda: layer.forward(graph, inputs), "forward")):
        taken.clear()
        _, tape = run(), None
        assert sum(taken) == sum(known[name].values())
    _, tape = layer.forward(graph, inputs)
    taken.clear()
    tape.gradients(cotangents)
    assert sum(taken) == sum(known["backward"].values())
    made = known["forward"]["output"] + known["forward"]["saved"]
    assert sum(known["peak"].values()) == max(sum(known["forward"].values()),
                                              made + sum(taken))
    assert known["peak"]["saved"] == known["forward"]["saved"]
    plain = gnn_mlir.compile(PROGRAM, target="emulator").memory(graph)
    assert plain == {"call": known["call"], "peak": known["call"]}


def test_low_memory_saves_less(compiler, layer, graph):
    low = gnn_mlir.compile(PROGRAM, target="emulator", gradients=True,
                           passes={"memory": "low"})
    saved = [one.memory(graph)["forward"]["saved"] for one in (low, layer)]
    assert saved[0] < saved[1]
    check(low.gradients(graph, arrays(), D), expected(D))


# -- torch ---------------------------------------------------------------------------


@pytest.mark.parametrize("needed", ["xwu", "x", "w", "wu"])
def test_gradients_of_tensors(layer, graph, needed):
    inputs = tensors(needed=needed)
    out = layer(graph, inputs)
    assert out["y"].requires_grad and not out["n"].requires_grad
    assert torch.equal(out["n"], 2 * inputs["i"])
    torch.autograd.backward([out["y"], out["z"]],
                            [torch.from_numpy(D["y"]), torch.from_numpy(D["z"])])
    wanted = expected(D)
    for name in "xwu":
        if name in needed:
            errors.check(name, inputs[name].grad.numpy(), wanted[name].numpy())
        else:
            assert inputs[name].grad is None


def test_one_output_is_enough(layer, graph):
    inputs = tensors(needed="u")
    layer(graph, inputs)["z"].backward(torch.from_numpy(D["z"]))
    check({"u": inputs["u"].grad}, expected({"z": D["z"]}))
    assert (("u",), ("z",)) in layer.differentiated._made


def test_without_gradients_the_function_itself_runs(layer, graph, monkeypatch):
    names, run = [], gnn_mlir.capi.BoundFunction.run
    monkeypatch.setattr(
        gnn_mlir.capi.BoundFunction, "run",
        lambda self, *addresses: names.append(self.name) or run(self, *addresses))
    with torch.no_grad():
        assert not layer(graph, tensors())["y"].requires_grad
    with torch.inference_mode():
        layer(graph, tensors())
    assert not layer(graph, tensors(needed=""))["y"].requires_grad
    assert names == ["f", "f", "f"]
    layer(graph, tensors())
    assert names[3:] == ["f_forward"]


def test_arrays_among_tensors(layer, graph):
    inputs = {**tensors(needed="w"), "x": arrays()["x"]}
    layer(graph, inputs)["y"].backward(torch.from_numpy(D["y"]))
    check({"w": inputs["w"].grad}, expected({"y": D["y"]}))


@pytest.mark.parametrize("changed", ["x", "z"])
def test_changes_in_place_are_caught(layer, graph, changed):
    """An input or an output that the backward pass reads."""
    inputs = tensors(needed="wu")
    out = layer(graph, inputs)
    with torch.no_grad():
        (inputs if changed == "x" else out)[changed].add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out["z"].sum().backward()


@pytest.mark.parametrize("enabled", [True, False])
def test_tangents_are_refused(layer, graph, enabled):
    inputs = tensors(needed="wu")
    with forward_ad.dual_level(), torch.set_grad_enabled(enabled):
        assert layer(graph, inputs)["z"].isfinite().all()
        inputs["w"] = forward_ad.make_dual(inputs["w"].detach(), torch.ones_like(inputs["w"]))
        with pytest.raises(ValueError, match="expected 'w' without a tangent"):
            layer(graph, inputs)


ONCE = "f: expected to be differentiated once, got a second derivative"


@pytest.mark.parametrize("output", "yz")
def test_there_is_no_second_derivative(layer, graph, output):
    """However it is asked for: y is linear in w, and not in x; z is linear in nothing."""
    inputs = tensors()
    leaves = [inputs[name] for name in "xwu"]
    first = torch.autograd.grad(layer(graph, inputs)[output].sum(), leaves,
                                create_graph=True)
    for ask in (lambda loss: (loss + inputs["u"].sum()).backward(),
                lambda loss: torch.autograd.grad(loss, leaves),
                lambda loss: torch.autograd.grad(loss, leaves, allow_unused=True),
                lambda loss: torch.autograd.grad(loss, inputs["w"], allow_unused=True)):
        for gradient in first:
            with pytest.raises(RuntimeError, match=ONCE):
                ask(gradient.square().sum())
    # Values of gradients that do not lead to the inputs are differentiated.
    scale = torch.ones((), requires_grad=True)
    found, = torch.autograd.grad((scale * first[0]).sum(), scale)
    assert torch.equal(found, first[0].detach().sum())


def test_gradients_that_are_views(layer, graph):
    """The gradient of a sum is one number, expanded; that of a transpose is not
    contiguous."""
    inputs = tensors(needed="u")
    weight = torch.arange(NODES * 4.).reshape(4, NODES)
    (layer(graph, inputs)["z"].t() * weight).sum().backward()
    check({"u": inputs["u"].grad}, expected({"z": weight.t()}))
    inputs = tensors(needed="u")
    layer(graph, inputs)["z"].sum().backward()
    check({"u": inputs["u"].grad}, expected({"z": torch.ones(NODES, 4)}))


@pytest.mark.parametrize("reentrant", [False, True])
def test_checkpoints(layer, graph, reentrant):
    from torch.utils.checkpoint import checkpoint
    inputs = tensors(needed="xu")

    def block(x):
        return layer(graph, {**inputs, "x": x * 1})["z"]
    checkpoint(block, inputs["x"], use_reentrant=reentrant).backward(
        torch.from_numpy(D["z"]))
    wanted = expected({"z": D["z"]})
    check({name: inputs[name].grad for name in "xu"}, wanted)


def test_autocast_computes_in_float32(layer, graph):
    inputs = tensors(needed="xu")
    with torch.autocast("cpu", torch.bfloat16):
        x = inputs["x"] @ torch.eye(4)
        assert x.dtype == torch.bfloat16
        out = layer(graph, {**inputs, "x": x})["z"]
    assert out.dtype == torch.float32
    out.backward(torch.from_numpy(D["z"]))
    exact = {**arrays(), "x": x.detach().float()}
    wanted = expected({"z": D["z"]}, exact)
    check({"u": inputs["u"].grad}, wanted)
    assert torch.allclose(inputs["x"].grad.double(), wanted["x"], rtol=0.02, atol=0.02)
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        layer(graph, {**inputs, "x": x})


def test_copies_and_packages(layer, graph, tmp_path):
    """A package has the gradients that it was compiled with: others come of these,
    with zeros for outputs without a gradient."""
    assert copy.deepcopy(layer) is layer
    layer.save(tmp_path / "f.gnnpkg")
    for again in (pickle.loads(pickle.dumps(layer)),
                  gnn_mlir.load(tmp_path / "f.gnnpkg")):
        assert again.name == "f"
        inputs = tensors(needed="u")
        again(graph, inputs)["z"].backward(torch.from_numpy(D["z"]))
        check({"u": inputs["u"].grad}, expected({"z": D["z"]}))
        assert inputs["x"].grad is None
        check(again.gradients(graph, arrays(), {"y": D["y"]}), expected({"y": D["y"]}))
    part = gnn_mlir.load(tmp_path / "f.gnnpkg", "f_backward")
    assert part.input_names[-2:] == ["d_y", "d_z"]


def test_training_of_rgcn_is_that_of_pyg(compiler):
    """The same steps of Adam on the same weights."""
    nn = pytest.importorskip("torch_geometric.nn")
    torch.manual_seed(0)
    kinds = np.random.default_rng(1).integers(0, 3, EDGES)
    graph = gnn_mlir.Graph(SRC, DST, NODES, edge_type=kinds)
    conv = nn.RGCNConv(5, 6, 3, bias=False)
    model = models.rgcn(3, (5, 6), bias=False)
    layer = gnn_mlir.compile(model, target="emulator", gradients=True, graph=graph)
    ours = {name: torch.nn.Parameter(torch.from_numpy(array.copy()))
            for name, array in pyg.weights(model, conv).items()}
    x, goal = torch.randn(NODES, 5), torch.randn(NODES, 6)
    edges = torch.tensor(np.stack([SRC, DST]))

    def train(parameters, run):
        optimizer = torch.optim.Adam(parameters, lr=0.01)
        losses = []
        for _ in range(5):
            optimizer.zero_grad()
            loss = (run() - goal).square().mean()
            loss.backward()
            optimizer.step()
            losses.append(float(loss.detach()))
        return losses
    theirs = train(conv.parameters(), lambda: conv(x, edges, torch.tensor(kinds)))
    found = train(ours.values(), lambda: layer(graph, {"x": x, **ours}))
    assert found[-1] < found[0]
    np.testing.assert_allclose(found, theirs, rtol=1e-5)
    for name, array in pyg.weights(model, conv).items():
        np.testing.assert_allclose(ours[name].detach().numpy(), array, atol=1e-5)


LAYERS = {"gcn": (models.gcn, "GCNConv", {}), "gat": (models.gat, "GATConv", {"heads": 2}),
          "sage": (models.sage, "SAGEConv", {"aggr": "max"}),
          "gatv2": (models.gatv2, "GATv2Conv", {"heads": 2}),
          "transformer": (models.transformer, "TransformerConv", {"heads": 2}),
          "rgat": (models.rgat, "RGATConv", {})}


@pytest.mark.parametrize("name", [pytest.param(
    name, marks=pytest.mark.slow if name in ("gcn", "gatv2") else ()) for name in LAYERS])
def test_gradients_of_layers_are_those_of_pyg(compiler, name):
    nn = pytest.importorskip("torch_geometric.nn")
    torch.manual_seed(0)
    make, conv, options = LAYERS[name]
    typed = [3] if name == "rgat" else []
    conv = getattr(nn, conv)(5, 6, *typed, **options)
    model = make(*typed, (5, 6), **{{"aggr": "aggregation"}.get(option, option): value
                                    for option, value in options.items()})
    kinds = np.random.default_rng(1).integers(0, 3, EDGES)
    graph = gnn_mlir.Graph(SRC, DST, NODES, edge_type=kinds if typed else None)
    if name in ("gcn", "gat", "gatv2"):
        graph = gnn_mlir.add_self_loops(graph, "replace", 0)
    layer = gnn_mlir.compile(model, target="emulator", gradients=True, graph=graph)
    weights = {name: torch.tensor(array).requires_grad_()
               for name, array in pyg.weights(model, conv).items()}
    x = torch.randn(NODES, 5).requires_grad_()
    theirs = conv(x, torch.tensor(np.stack([SRC, DST])), *(
        [torch.tensor(kinds)] if typed else []))
    ours = layer(graph, {"x": x, **weights})
    d = torch.randn_like(theirs)
    parameters = list(conv.parameters())
    of_x, *of_parameters = torch.autograd.grad(theirs, [x, *parameters], d,
                                               materialize_grads=True)
    with torch.no_grad():  # Where a weight was, its gradient goes the same way.
        for parameter, gradient in zip(parameters, of_parameters):
            parameter.copy_(gradient)
    found = torch.autograd.grad(ours, [x, *weights.values()], d)
    for value, wanted in zip(found, [of_x.numpy(), *pyg.weights(model, conv).values()]):
        np.testing.assert_allclose(value.numpy(), wanted, atol=2e-5)
    assert len(found) == 1 + len(weights) > 2


def test_inputs_by_node_type(compiler):
    """Dicts by node type: their gradients are such dicts."""
    module = gnn_mlir.Module()
    g = module.graph("g", node_types=2)
    f = module.function("joined")
    (_, a), (_, b) = f.typed_input("x", g, {0: 3, 1: 4})
    w, v = f.input("w", gnn_mlir.weight(3, 4)), f.input("v", gnn_mlir.weight(4, 4))
    f.output("out", a @ w + b @ v)
    graph = gnn_mlir.Graph([0, 1], [1, 2], node_type=[0, 1, 0],
                           node_type_names=["user", "item"])
    layer = gnn_mlir.compile(module, target="emulator", gradients=True)
    rng = np.random.default_rng(0)
    make = lambda *shape: rng.standard_normal(shape).astype(np.float32)
    parts = {"user": make(2, 3), "item": make(1, 4)}
    weights = {"w": make(3, 4), "v": make(4, 4)}
    d = make(3, 4)
    found = layer.gradients(graph, {"x": parts, **weights}, {"out": d}, wrt=["x", "v"])
    assert list(found) == ["v", "x"] and list(found["x"]) == ["user", "item"]
    errors.check("user", found["x"]["user"], d[[0, 2]] @ weights["w"].T)
    errors.check("item", found["x"]["item"], d[[1]] @ weights["v"].T)
    features = {name: torch.nn.Parameter(torch.from_numpy(part))
                for name, part in parts.items()}
    layer(graph, {"x": features, **weights}).backward(torch.from_numpy(d))
    for name, part in features.items():
        np.testing.assert_allclose(part.grad.numpy(), found["x"][name], atol=1e-6)
        part.grad = None
    compiled = torch.compile(lambda parts: layer(graph, {
        "x": parts, **{n: torch.from_numpy(a) for n, a in weights.items()}}),
        backend="aot_eager")
    compiled(features).backward(torch.from_numpy(d))
    for name, part in features.items():
        np.testing.assert_allclose(part.grad.numpy(), found["x"][name], atol=1e-6)


# -- Several processes ---------------------------------------------------------------


def _train_in_process(rank, packed):
    """One of two processes that train on parts of the loss."""
    layer, graph = pickle.loads(packed)

    class Step(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.u = torch.nn.Parameter(torch.from_numpy(arrays()["u"]))

        def forward(self):
            return layer(graph, {**tensors(rank, needed=""), "u": self.u})["z"]
    model = torch.nn.parallel.DistributedDataParallel(Step())
    model().backward(torch.from_numpy(D["z"]))
    return model.module.u.grad.numpy()


def test_two_processes(layer, graph, tmp_path):
    found = in_processes(_train_in_process, tmp_path, pickle.dumps((layer, graph)))
    each = [expected({"z": D["z"]}, {**arrays(rank), "u": arrays()["u"]})["u"]
            for rank in range(2)]
    for rank in range(2):
        check({"u": found[rank]}, {"u": (each[0] + each[1]) / 2})
