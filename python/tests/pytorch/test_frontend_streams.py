# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors that the front end keeps are read on other streams of a GPU when they are there, and
their memory is used for nothing else before they are done."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")
if not torch.cuda.is_available():
    pytest.skip("needs a GPU", allow_module_level=True)

import zoo  # noqa: E402
from gnn_mlir.pytorch import device_build  # noqa: E402
from gnn_mlir.pytorch.frontend import capture  # noqa: E402
from gnn_mlir.pytorch.frontend.calls import arguments  # noqa: E402
from gnn_mlir.pytorch.frontend.runtime.graph_cache import Structures  # noqa: E402

fresh = pytest.fixture(autouse=True)(zoo.forget_captures)
CYCLES = 200_000_000  # A tenth of a second.


def test_structures(monkeypatch):
    """Kernels that fill them are slow, in memory that is 0 before: a wrong result, and no
    wrong address, where the other stream does not wait."""
    case = zoo.CASES["RGCNConv"]
    model = case.make().eval().cuda()
    compiled = capture.compile_module(model, fullgraph=True)

    def given(seed):
        return [x.cuda() for x in case.inputs(zoo.Inputs(500, 20000, seed))]
    own_call, own_empty = device_build.capi.call, torch.empty

    def call(name, *args):
        if name == "gnnBuildFill":
            torch.cuda._sleep(CYCLES)
        return own_call(name, *args)

    def empty(*sizes, **kwargs):
        made = own_empty(*sizes, **kwargs)
        return made.zero_() if kwargs.get("dtype") is torch.uint8 else made
    with torch.no_grad():
        compiled(*given(0))  # Compiles.
        monkeypatch.setattr(device_build.capi, "call", call)
        monkeypatch.setattr(torch, "empty", empty)
        edges, stream = given(1), torch.cuda.Stream()
        torch.cuda.synchronize()
        first = compiled(*edges)
        assert not torch.cuda.current_stream().query()  # It is slow.
        with torch.cuda.stream(stream):
            other = compiled(*edges)
        torch.cuda.synchronize()
        assert torch.equal(first, other)
        torch.testing.assert_close(first, model(*edges), atol=1e-4, rtol=1e-4)


def _of_ids():
    """What of ids alone is kept with structures; no copy to the host is between."""
    made = Structures(lambda ids: (ids * 2 + 1,), [], [0], True)
    ids = torch.arange(1 << 20, device="cuda")
    return lambda: made(ids)[1], ids * 2 + 1


def _of_matrix():
    """What a sparse matrix is made to. The slow work begins behind the copy to the host."""
    size = 1 << 20
    matrix = torch.sparse_csr_tensor(
        torch.arange(size + 1, device="cuda"), torch.arange(size, device="cuda"),
        torch.arange(size, device="cuda", dtype=torch.float32) + 2, (size, size))
    return lambda: arguments.convert(matrix)._value, matrix.values().clone()


@pytest.mark.parametrize("make", [_of_ids, _of_matrix])
def test_kept_tensors(make, monkeypatch):
    """Are waited for, and held until the other stream has read them."""
    find, expected = make()
    one, other = torch.cuda.Stream(), torch.cuda.Stream()
    own = torch.Tensor.clone

    def clone(x):  # Of values of a matrix.
        torch.cuda._sleep(CYCLES)
        return own(x)
    with torch.cuda.stream(one):
        spoilt = [torch.full_like(expected, -1) for _ in range(4)]
        torch.cuda.synchronize()
        del spoilt  # What is made next is there.
        monkeypatch.setattr(torch.Tensor, "clone", clone)
        if make is _of_ids:
            torch.cuda._sleep(CYCLES)
        found = find()
        monkeypatch.undo()
        assert not one.query()
    with torch.cuda.stream(other):
        assert find().data_ptr() == found.data_ptr()
        torch.cuda._sleep(CYCLES)
        read = found + 0
    del find, found
    arguments._known.clear()
    with torch.cuda.stream(one):
        spoilt = [torch.full_like(expected, -1) for _ in range(4)]
    torch.cuda.synchronize()
    assert torch.equal(read, expected) and spoilt
