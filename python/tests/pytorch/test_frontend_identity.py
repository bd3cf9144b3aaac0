# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Structures kept of ids and matrices are found for what they were made of alone, by all
threads and streams."""

import contextlib

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

import zoo  # noqa: E402
from gnn_mlir.pytorch.frontend import capture  # noqa: E402
from gnn_mlir.pytorch.frontend.calls import arguments  # noqa: E402
from gnn_mlir.pytorch.frontend.runtime import streams  # noqa: E402
from gnn_mlir.pytorch.frontend.runtime.graph_cache import Structures  # noqa: E402
from gnn_mlir.pytorch.frontend.tracing import adjacency  # noqa: E402
from gnn_mlir.pytorch.tensor_graph import TensorGraph  # noqa: E402

fresh = pytest.fixture(autouse=True)(zoo.forget_captures)
NODES, EDGES = 9, 30
X = torch.randn(NODES, 4, generator=torch.Generator().manual_seed(0))


def ids(edges=EDGES):
    return torch.randint(0, NODES, (2, edges))


def summed(x, edges):
    return torch.zeros_like(x).index_add(0, edges[1], x[edges[0]])


# Each gives ids, or a matrix, and changes them between.

def given_as_data():
    edges = ids()
    for _ in range(3):
        yield edges.copy_(ids()).data
        yield edges.copy_(ids()).detach()


def other_data():
    edges = ids()
    for _ in range(10):
        edges.data = ids()
        edges.data = ids()
        yield edges


def set_to_others():
    edges = ids()
    for _ in range(3):
        yield edges.set_(ids())


def resized():
    edges = ids()
    yield edges
    yield edges.resize_(2, EDGES // 2)
    yield edges.resize_(2, 10 * EDGES).random_(0, NODES)
    edges.untyped_storage().resize_(0)
    edges.untyped_storage().resize_(8 * edges.numel())
    yield edges.random_(0, NODES)


def parts_of_one():
    whole = ids(3 * EDGES)
    for _ in range(2):
        for i in range(3):
            yield whole[:, i * EDGES:][:, :EDGES]
        with torch.inference_mode():
            whole.random_(0, NODES)


def views():
    whole, one = ids().t().contiguous(), ids(1)
    for _ in range(2):
        yield whole.random_(0, NODES).t()
        yield one.random_(0, NODES).expand(2, EDGES)


def test_other_ids():
    model = capture.compile_module(summed)
    for form in (given_as_data, other_data, set_to_others, resized, parts_of_one, views):
        for edges in form():
            torch.testing.assert_close(model(X, edges), summed(X, edges), msg=form.__name__)


def matrix(layout=torch.sparse_coo):
    made = torch.sparse_coo_tensor(ids(), torch.rand(EDGES), (NODES, NODES),
                                   check_invariants=True)
    return made if layout is torch.sparse_coo else made.to_sparse(layout=layout)


class SparseTensor(adjacency.SparseTensor):
    """A matrix that makes its vectors at each call."""

    def __init__(self):
        self.edges = None

    def coo(self):
        return self.edges[0].clone(), self.edges[1].clone(), None

    def sparse_sizes(self):
        return NODES, NODES


@pytest.mark.parametrize("layout", [torch.sparse_coo, torch.sparse_csr])
def test_other_matrices(layout):
    """Made and changed in and out of inference mode, too."""
    def model(x, adj):
        return adj @ x
    call = capture.compile_module(model)
    for mode in (torch.no_grad, torch.inference_mode):
        with mode():
            adj = matrix(layout)
        for change in (lambda: None, lambda: adj.mul_(2), lambda: setattr(adj, "data", matrix(layout)),
                       lambda: (adj._values() if layout is torch.sparse_coo else adj.values()).mul_(2)):
            with mode():
                change()
                torch.testing.assert_close(call(X, adj), model(X, adj))
    adj = matrix(layout)
    with torch.inference_mode():
        first = arguments.convert(adj)._pair
    assert arguments.convert(adj)._pair is first and not first.is_inference()


def test_vectors_that_are_made_at_each_call():
    """What is kept holds them: their addresses are not those of others."""
    adj = SparseTensor()
    for _ in range(20):
        adj.edges = ids()
        found = arguments.convert(adj)._pair
        assert torch.equal(found, adj.edges.flip(0))


def test_graphs_of_other_memory():
    edges = ids()
    graph = TensorGraph(edges, NODES)
    graph._check_unchanged()
    edges.data = ids()
    graph._check_unchanged()  # It holds views of what it was given.
    graph._src.data = ids()[0]
    with pytest.raises(RuntimeError, match="changed in place"):
        graph._check_unchanged()


# -- Streams, by what stands for them on a host -------------------------------------------------

class Stream:
    """A stream, and what it is asked for."""

    def __init__(self, number):
        self.cuda_stream, self.waits, self.held = number, [], []

    def record_event(self):
        return self, "is there"

    def wait_event(self, event):
        self.waits.append(event)


@pytest.fixture
def current(monkeypatch):
    """The current stream, in a list."""
    found = [Stream(0)]
    monkeypatch.setattr(streams, "is_on_gpu", lambda x: True)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda device: found[0])
    monkeypatch.setattr(torch.cuda, "device", lambda device: contextlib.nullcontext())
    monkeypatch.setattr(torch.cuda, "is_current_stream_capturing", lambda: False)
    monkeypatch.setattr(torch._C, "_cuda_getCurrentRawStream",
                        lambda index: found[0].cuda_stream, raising=False)
    monkeypatch.setattr(torch.Tensor, "record_stream",
                        lambda self, stream: stream.held.append(self), raising=False)
    return found


def test_other_streams_wait_for_what_is_kept(current):
    first, other = current[0], Stream(1)
    edges, adj = ids(), matrix(torch.sparse_csr)
    calls = [lambda made=Structures(lambda x: (x * 2, 7), [], [0], True): made(edges)[1:],
             lambda: (lambda one: (one._pair, one._value))(arguments.convert(adj))]
    for call in calls:
        current[0] = first
        made = call()
        assert call()[0] is made[0] and not first.waits
        current[0] = other
        found = call()
        assert found[0] is made[0] and other.waits.pop() == (first, "is there")
        assert all(any(x is one for one in other.held) for x in found) and not other.waits
