# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Torch tensors on a GPU: the current stream, torch's allocator, graph capture."""

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir import models
from gnn_mlir.testing import errors
from gnn_mlir.testing.graphs import random_graph

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
    """What is on the stream before the run is done before, also where nobody
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
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        out = binding(tensors)
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
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        out = binding({"x": ones, "offset": offset})
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
