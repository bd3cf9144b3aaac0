# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled functions in graphs of torch.compile, on the emulator."""

import warnings

import pytest

import gnn_mlir
from test_autograd import (DST, NODES, PROGRAM, SRC, graph, layer,  # noqa: F401
                           tensors, torch)


def test_torch_compile_has_no_graph_break(layer, graph):
    from torch._dynamo.testing import CompileCounterWithBackend
    inputs = tensors(needed="")
    torch._dynamo.reset()

    class Step(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = torch.nn.Parameter(torch.eye(4) + 0.1)

        def forward(self, graph, x):
            for _ in range(2):
                out = layer(graph, {**inputs, "x": x @ inputs["u"], "w": self.w})
                x = out["y"].sin() + out["z"]
            return x
    model, counter = Step(), CompileCounterWithBackend("aot_eager")
    compiled = torch.compile(model, backend=counter, fullgraph=True)
    x = inputs["x"].clone().requires_grad_()

    def differentiate(run):
        return torch.autograd.grad(run(graph, x).square().sum(), [x, model.w])
    for ours, eager in zip(differentiate(compiled), differentiate(model)):
        assert torch.equal(ours, eager)
    assert counter.frame_count == 1
    differentiate(compiled)
    assert counter.frame_count == 1
    with torch.no_grad():
        assert torch.equal(compiled(graph, x), model(graph, x))
    # Another graph is another program for torch.
    other = gnn_mlir.Graph(DST, SRC, NODES)
    assert torch.equal(compiled(other, x), model(other, x))
    assert not torch.equal(compiled(other, x), compiled(graph, x))
    with torch.autocast("cpu", torch.bfloat16):
        assert compiled(graph, x).dtype == torch.float32
    binding = layer.bind(graph)
    bound = torch.compile(lambda x: binding({**inputs, "x": 2 * x})["z"],
                          backend="aot_eager", fullgraph=True)
    with torch.no_grad():
        assert torch.equal(bound(x), layer(graph, {**inputs, "x": 2 * x})["z"])


@pytest.mark.parametrize("needed", [
    "w", pytest.param("xw", marks=pytest.mark.slow), "wu"])
def test_a_loaded_package_gives_gradients_of_some_inputs(layer, graph, needed, tmp_path):
    """Its backward pass gives those of all."""
    layer.save(tmp_path / "f.gnnpkg")
    loaded = gnn_mlir.load(tmp_path / "f.gnnpkg", "f")
    torch._dynamo.reset()
    inputs = tensors(needed=needed)

    def differentiate(run):
        return torch.autograd.grad(run(inputs)["y"].square().sum() + run(inputs)["z"].sum(),
                                   [inputs[name] for name in needed])
    compiled = torch.compile(lambda inputs: loaded(graph, inputs), backend="aot_eager",
                             fullgraph=True)
    for ours, eager in zip(differentiate(compiled),
                           differentiate(lambda inputs: layer(graph, inputs))):
        torch.testing.assert_close(ours, eager)


def test_what_torch_compiled_outlives_no_graph(layer):
    from gnn_mlir.pytorch import custom_ops
    graph = gnn_mlir.Graph(SRC, DST, NODES)
    handle = f"{layer._token} {graph._token}"
    values = [tensors()[name] for name in layer.input_names]
    assert len(torch.ops.gnn_mlir.call(handle, "u", values)) == 3 + len(
        layer.differentiated.find(["u"]).saved)
    torch.library.opcheck(custom_ops._call, (handle, "u", values))
    del graph
    with pytest.raises(ValueError, match="to live as long as what torch.compile made"):
        torch.ops.gnn_mlir.call(handle, "u", values)


def test_torch_compile_has_no_second_derivative(layer, graph):
    """Where torch keeps our op. AOTAutograd has an error of its own, or constants."""
    inputs = tensors(needed="")
    run = torch.compile(lambda u: layer(graph, {**inputs, "u": u})["z"], backend="eager",
                        fullgraph=True)
    u = torch.ones(4, 4, requires_grad=True)
    first, = torch.autograd.grad(run(u).sum(), u, create_graph=True)
    with pytest.raises(RuntimeError, match="f: expected to be differentiated once, got a "
                                           "second derivative"):
        torch.autograd.grad(first.sum(), u, allow_unused=True)


def test_torch_compile_of_a_function_without_gradients(compiler, graph):
    plain = gnn_mlir.compile(PROGRAM, target="emulator")
    inputs = tensors()
    run = torch.compile(lambda x: plain(graph, {**inputs, "x": x})["y"],
                        backend="aot_eager", fullgraph=True)
    assert not run(inputs["x"]).requires_grad
    with pytest.warns(UserWarning, match="f: 'x' requires a gradient, but the function "
                                         "has none"):
        assert torch.equal(run(inputs["x"]), plain(graph, inputs)["y"])
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("error")
        plain(graph, inputs)
    with pytest.raises(Exception, match="expected inputs x, w, u, i, got 'v'"):
        torch.compile(lambda x: plain(graph, {**inputs, "v": x})["y"],
                      backend="aot_eager", fullgraph=True)(inputs["x"])
