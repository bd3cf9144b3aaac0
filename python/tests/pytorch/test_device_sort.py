# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sort of graphs of tensors, by kernels: edges in the order of their destinations."""

import re

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import gnn_mlir
from gnn_mlir import devices, structure_keys
from gnn_mlir.pytorch import device_build
from conftest import ROOT
from test_device_build import by_kernels

TILE, FEW = (int(re.search(rf"\bk{name} = (\d+)", (
    ROOT / "lib/Runtime/RadixSort.cpp").read_text(encoding="utf-8"))[1]) for name in ("Tile", "Few"))

pytestmark = pytest.mark.usefixtures("compiler")

FORMS = {
    "random": lambda rng, size, limit: rng.integers(0, limit, size),
    "few": lambda rng, size, limit: rng.choice([0, limit // 2, limit - 1], size),
    "equal": lambda rng, size, limit: np.full(size, limit - 1),
    "in order": lambda rng, size, limit: np.arange(size) * limit // size,
    "reversed": lambda rng, size, limit: np.arange(size)[::-1] * limit // size,
    "highest bit": lambda rng, size, limit: limit - 1 - rng.integers(0, min(9, limit), size),
}


def check(ids, limit, device="emulator"):
    """Stable: edges of one destination are in the order that they were given in."""
    ends = torch.tensor(np.stack([np.zeros_like(ids), ids]))
    graph = gnn_mlir.TensorGraph(ends.to("cuda" if device.startswith("cuda") else "cpu"), limit)
    key = "map edge.in_rows edge"
    found = by_kernels(graph, [key], [], device).structure("g", key)
    np.testing.assert_array_equal(found.cpu().numpy(), np.argsort(ids, kind="stable"))


def ids_of(form, size, limit):
    return FORMS[form](np.random.default_rng(size), size, limit).astype(np.int64)


@pytest.mark.parametrize("size", [0, 1, 31, TILE - 1, TILE, TILE + 1, 3 * TILE + 40])
@pytest.mark.parametrize("form", FORMS)
def test_order(form, size):
    """Keys of one digit up to four, in one tile and several."""
    for limit in (1, 255, 40000, 1 << 24) if size < 3 * TILE else (300,):
        if size:
            check(ids_of(form, size, limit), limit)
    if not size:
        check(np.zeros(0, np.int64), 5)


@pytest.mark.parametrize("form", ["random", "equal"])
def test_many_tiles(form):
    """Sums over the tiles of a digit take a launch of their own."""
    size = (FEW + 1) * TILE + 5
    check(ids_of(form, size, 1000), 1000)
    check(ids_of(form, FEW * TILE, 200), 200)
    check(ids_of(form, 129 * TILE + 1, 200), 200)  # More than a warp takes at a time.


def test_four_digits():
    check(ids_of("random", 2 * TILE, 1 << 30), 1 << 30)


def test_sorts_side_by_side():
    """More than one launch takes, of different sizes and numbers of digits; some have no
    keys."""
    rng, key = np.random.default_rng(1), "map edge.in_rows edge"
    sizes = {f"g{i}": (size, limit) for i, (size, limit) in enumerate(
        [(5, 3), (0, 1 << 20), (TILE + 9, 70000), (300, 1 << 17), (40, 256), (TILE, 257),
         (0, 2), (3 * TILE, 90), (7, 7), (1, 1), (100, 1 << 25), (2 * TILE + 1, 3), (0, 1)])}
    ids = {name: rng.integers(0, limit, size) for name, (size, limit) in sizes.items()}
    graphs = {name: gnn_mlir.TensorGraph(
        torch.tensor(np.stack([np.zeros_like(dst), dst])), sizes[name][1])
        for name, dst in ids.items()}
    requests = {name: structure_keys.Request(name) for name in graphs}
    for request in requests.values():
        request.add_structure(key)
        request.finish()
    device = devices.open_device("emulator")
    build = device_build.Build(device_build.Builder.make(requests, device), graphs, None)
    for name, dst in ids.items():
        np.testing.assert_array_equal(build.structure(name, key).numpy(),
                                      np.argsort(dst, kind="stable"), name)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
@pytest.mark.parametrize("size", [1, TILE, TILE + 1, FEW * TILE, FEW * TILE + 1, 1 << 20,
                                  5000017])
def test_order_on_a_gpu(size):
    for form in FORMS:
        for limit in (1, 255, 40000, 1 << 24):
            check(ids_of(form, size, limit), limit, "cuda:0")
