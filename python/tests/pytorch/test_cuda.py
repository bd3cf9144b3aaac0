# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Torch tensors on a GPU: the current stream, torch's allocator, graph capture."""

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir import models
from support import errors
from support.graphs import random_graph

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(not torch.cuda.is_available(),
                                reason="torch sees no GPU")


@pytest.fixture(scope="module")
def graph():
    return random_graph(1000, 6000, 3, 4, seed=1)


@pytest.fixture(scope="module")
def rgcn(compiler):
    return gnn_mlir.compile(models.rgcn(4, (32, 48), node_types=3))


@pytest.fixture
def inputs(rgcn, graph):
    return rgcn.source.random_inputs(graph)


def on_gpu(inputs):
    return {k: torch.from_numpy(v).cuda() for k, v in inputs.items()}


def capture(run, warm=0):
    """A CUDA graph of a run, what it gives at each replay, and what so many runs
    before it gave, on the other stream that autograd wants them on."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        before = [run() for _ in range(warm)]
    torch.cuda.current_stream().wait_stream(stream)
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        out = run()
    return captured, out, before


def test_tensors_of_a_gpu_run_there(rgcn, graph, inputs):
    out = rgcn(graph, on_gpu(inputs))
    assert out.is_cuda and out.dtype == torch.float32
    errors.check("out", out.cpu().numpy(),
                 rgcn.source.evaluate(graph, inputs)["out"])


def test_views_that_start_anywhere(rgcn, graph, inputs):
    """Kernels load 16 bytes at once; a view may start at any float."""
    tensors = on_gpu(inputs)
    expected = rgcn(graph, tensors)
    x = tensors["x"]
    room = torch.zeros(x.numel() + 1, device=x.device)
    view = room[1:].view_as(x)
    view.copy_(x)
    assert view.data_ptr() % 16
    assert torch.equal(rgcn(graph, {**tensors, "x": view}), expected)


def test_arrays_go_there_and_back(rgcn, graph, inputs):
    out = rgcn.bind(graph, "cuda")(inputs)
    assert isinstance(out, np.ndarray)
    np.testing.assert_array_equal(out, rgcn(graph, on_gpu(inputs)).cpu().numpy())


def test_current_stream_orders_the_run(rgcn, graph, inputs):
    """Work on the stream before the run is done before, also where nobody
    waits."""
    expected = rgcn(graph, on_gpu(inputs)).cpu()
    tensors = on_gpu({**inputs, "x": np.zeros_like(inputs["x"])})
    host = torch.from_numpy(inputs["x"]).pin_memory()
    stream = torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(50_000_000)
        tensors["x"].copy_(host, non_blocking=True)
        out = rgcn(graph, tensors)
        assert not stream.query()
        out = out.clone()
    stream.synchronize()
    assert torch.equal(out.cpu(), expected)


def test_a_run_is_captured_in_a_graph(rgcn, graph, inputs):
    tensors = on_gpu(inputs)
    expected = rgcn(graph, tensors).clone()
    binding = rgcn.bind(graph, "cuda")
    captured, out, _ = capture(lambda: binding(tensors))
    out.zero_()
    captured.replay()
    torch.cuda.synchronize()
    assert torch.equal(out, expected)
    tensors["x"].mul_(2)
    captured.replay()
    torch.cuda.synchronize()
    assert torch.equal(out, rgcn(graph, tensors))


def test_a_replay_reads_the_offset_of_dropout(compiler, graph):
    module = gnn_mlir.Module()
    f = module.function("f")
    x = f.input("x", module.graph_like("g", graph).rows("node", 8))
    f.output("out", f.dropout(x, 0.5, 7, f.input("offset", gnn_mlir.types.I64)))
    dropped = gnn_mlir.compile(f)
    ones = torch.ones(graph.num_nodes, 8, device="cuda")
    expected = [dropped(graph, {"x": ones, "offset": n}) for n in (0, 4000)]
    assert not torch.equal(*expected)
    offset = torch.zeros((), dtype=torch.int64, device="cuda")
    binding = dropped.bind(graph, "cuda")
    captured, out, _ = capture(lambda: binding({"x": ones, "offset": offset}))
    for value, right in zip((0, 4000), expected):
        offset.fill_(value)
        captured.replay()
        torch.cuda.synchronize()
        assert torch.equal(out, right)
        meant = f.evaluate(graph, {"x": ones.cpu(), "offset": value})["out"]
        np.testing.assert_array_equal(out.cpu().numpy(), meant)


def test_inputs_on_two_devices_are_refused(rgcn, graph, inputs):
    mixed = on_gpu(inputs)
    mixed["bias"] = mixed["bias"].cpu()
    with pytest.raises(ValueError, match="expected all inputs on one device"):
        rgcn(graph, mixed)


def test_profiles_have_times(rgcn, graph, inputs):
    report = rgcn.bind(graph, "cuda").profile(on_gpu(inputs), 3)
    assert report["measured_runs"] == 3
    assert all(step["milliseconds"] > 0 for step in report["steps"])


# -- Training ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def trained(compiler, graph):
    """A layer with gradients, and the names of its weights."""
    layer = gnn_mlir.compile(models.rgcn(4, (32, 48), node_types=3, bias=False),
                             gradients=True, graph=graph)
    return layer, [name for name in layer.input_names if name != "x"]


def step_of(trained, graph, inputs, **options):
    """(model's weights, one step of training them on the GPU, which gives its loss)."""
    layer, names = trained
    tensors = on_gpu(inputs)
    weights = {name: torch.nn.Parameter(tensors[name]) for name in names}
    goal = torch.ones_like(layer(graph, tensors))
    optimizer = torch.optim.Adam(weights.values(), lr=0.01, fused=True, **options)

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = (layer(graph, {"x": tensors["x"], **weights}) - goal).square().mean()
        loss.backward()
        optimizer.step()
        return loss.detach()
    return weights, step


@pytest.fixture
def trained_inputs(trained, graph):
    return trained[0].source.random_inputs(graph)


def test_gradients_are_those_of_the_emulator(trained, graph, trained_inputs):
    layer, _ = trained
    tensors = {name: value.requires_grad_()
               for name, value in on_gpu(trained_inputs).items()}
    out = layer(graph, tensors)
    d = np.random.default_rng(0).standard_normal(out.shape).astype(np.float32)
    out.backward(torch.from_numpy(d).cuda())
    found = layer.gradients(graph, trained_inputs, {"out": d})
    for name, value in found.items():
        errors.check(name, tensors[name].grad.cpu().numpy(), value.astype(np.float64))


def test_a_step_neither_waits_nor_copies(trained, graph, trained_inputs):
    _, step = step_of(trained, graph, trained_inputs)
    step()
    torch.cuda.synchronize()
    torch.cuda.set_sync_debug_mode("error")
    try:
        torch.cuda._sleep(100_000_000)
        step()
        assert not torch.cuda.current_stream().query()
    finally:
        torch.cuda.set_sync_debug_mode("default")


def test_a_whole_step_is_captured(trained, graph, trained_inputs):
    """Forward, loss, backward and torch's fused Adam; capturing allows no memory but
    of torch's allocator, and nothing that waits."""
    expected, eager = step_of(trained, graph, trained_inputs)
    losses = [float(eager()) for _ in range(6)]
    weights, step = step_of(trained, graph, trained_inputs, capturable=True)
    captured, loss, before = capture(step, warm=2)
    found = [float(value) for value in before]
    for _ in range(4):
        captured.replay()
        found.append(float(loss))
    np.testing.assert_allclose(found, losses, rtol=1e-4)
    for name, weight in weights.items():
        np.testing.assert_allclose(weight.detach().cpu(), expected[name].detach().cpu(),
                                   atol=1e-4)


def test_memory_of_a_step_is_known(trained, graph, trained_inputs):
    """The most that torch is asked for is what was said before; its allocator rounds
    that up to blocks."""
    layer, _ = trained
    known = layer.memory(graph, device="cuda")
    tensors = {name: value.requires_grad_()
               for name, value in on_gpu(trained_inputs).items()}
    d = torch.ones(layer(graph, tensors).shape, device="cuda")
    torch.cuda.synchronize()
    layer(graph, tensors).backward(d)  # binds, and makes what torch makes once
    for value in tensors.values():
        value.grad = None

    def peak(run):
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_stats(), torch.cuda.memory_allocated()
        result = run()
        torch.cuda.synchronize()
        asked = (torch.cuda.memory_stats()["requested_bytes.all.peak"] -
                 before[0]["requested_bytes.all.current"])
        rounded = torch.cuda.max_memory_allocated() - before[1]
        assert asked <= rounded <= asked + (2 << 20)
        return result, asked
    out, asked = peak(lambda: layer(graph, tensors))
    assert asked == sum(known["forward"].values())
    _, asked = peak(lambda: torch.autograd.grad(out, list(tensors.values()), d))
    assert asked == sum(known["backward"].values())


def test_torch_compile_of_a_step(trained, graph, trained_inputs):
    layer, names = trained
    tensors = on_gpu(trained_inputs)
    weights = [tensors[name].requires_grad_() for name in names]

    def loss(x):
        out = layer(graph, {"x": torch.relu(x), **dict(zip(names, weights))})
        return out.square().mean()
    expected = torch.autograd.grad(loss(tensors["x"]), weights)
    compiled = torch.compile(loss, backend="aot_eager", fullgraph=True)
    for ours, other in zip(torch.autograd.grad(compiled(tensors["x"]), weights),
                           expected):
        assert torch.allclose(ours, other)


@pytest.mark.parametrize("model", ["rgcn", "rgat", "hgt"])
def test_same_bits_in_100_runs(compiler, model):
    """Forward and backward pass, launched in order and as a CUDA graph."""
    graph = random_graph(3000, 40000, 3, 4, seed=2)
    module = (models.hgt(3, 4, (32, 32), schema=graph.schema) if model == "hgt" else
              getattr(models, model)(4, (32, 32), node_types=3))
    layer = gnn_mlir.compile(module, gradients=True, graph=graph)
    given = on_gpu(layer.source.random_inputs(graph))

    def step():  # autograd waits for the stream on which a leaf was made
        inputs = {name: value.detach().requires_grad_()
                  for name, value in given.items()}
        out = layer(graph, inputs)
        return out, *torch.autograd.grad(out, list(inputs.values()), torch.cos(out))
    expected = [value.clone() for value in step()]
    same = lambda found: all(map(torch.equal, found, expected))
    assert all(same(step()) for _ in range(100))
    captured, found, _ = capture(step, warm=1)
    for _ in range(100):
        captured.replay()
        assert same(found)
