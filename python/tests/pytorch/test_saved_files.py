# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of saved models that are not sound."""

import io
import json
import os
import zipfile

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch_geometric")

import gnn_mlir
from gnn_mlir import saved as saved_module
from saved_cases import arrays, saved  # noqa: F401

pytestmark = pytest.mark.usefixtures("compiler")


def rewritten(path, change):
    """The file with other entries; `change` is given them by name."""
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    change(entries)
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in entries.items():
            archive.writestr(name, data)


def without(name):
    return lambda entries: entries.pop(name)


def replaced(a, b):
    def change(entries):
        text = entries["model.json"].decode()
        assert a in text
        entries["model.json"] = text.replace(a, b, 1).encode()
    return change


def signed(edit):
    """A change of the part of the manifest that says how the model is called."""
    def change(entries):
        manifest = json.loads(entries["model.json"])
        edit(manifest["signature"])
        entries["model.json"] = json.dumps(manifest).encode()
    return change


@pytest.mark.parametrize("change, words", [
    (without("parameters/first.bias.npy"), "expected an entry 'parameters/first.bias.npy', got none"),
    (without("packages/cpu.gnnpkg"), "expected an entry 'packages/cpu.gnnpkg', got none"),
    (replaced('"version": 1', '"version": 2'), "version: expected 1, got 2"),
    (replaced('"role": "ids"', '"role": "id"'), r"arguments\[1\].role: expected features or ids"),
    (replaced('"row": 0', '"row": 2'), "expected a row of 'edge_index', got 2"),
    (replaced('"value": ".result_0"', '"value": ".result_9"'), "expected the name of a result"),
    (replaced('"graphs": [', '"graphs": {"a": ['), "parse error|expected an array"),
    (replaced('"square": true', '"square": false'), "num_dst"),
    (replaced('14', '13'), "expected f32|parameter 'first.bias': expected f32"),
    (signed(lambda signature: signature.update(unused={"batch": 3})),
     "^signature.unused.batch: expected a dtype and a rank, got 3$"),
    (signed(lambda signature: signature.update(unused={"batch": {"dtype": "int64"}})),
     "^signature.unused.batch: expected a dtype and a rank, got "),
    (signed(lambda signature: signature.clear()), "^signature.arguments: expected names, got None$"),
])
def test_files_that_are_not_sound(saved, change, words):
    path, _, arguments = saved("gcn")
    rewritten(path, change)
    with pytest.raises(gnn_mlir.GNNError, match=words) as raised:
        gnn_mlir.load(path)(*map(arrays, arguments(1)))
    assert "\n" not in str(raised.value)


def test_damaged_manifests(saved):
    """Whatever stands there, the library says one line or runs."""
    path, _, arguments = saved("rgcn")
    given, rng = list(map(arrays, arguments(1))), np.random.default_rng(1)
    with zipfile.ZipFile(path) as archive:
        text = archive.read("model.json")
    refused = 0
    for _ in range(60):
        data = bytearray(text)
        for at in rng.integers(0, len(data), 2):
            data[at] = rng.choice(list(b'0123456789-"[]{},x'))
        rewritten(path, lambda entries: entries.update({"model.json": bytes(data)}))
        try:
            gnn_mlir.load(path)(*given)
        except (gnn_mlir.GNNError, ValueError) as error:
            refused += 1
            assert "\n" not in str(error)
    assert refused > 20


@pytest.mark.parametrize("dtype, given, words", [
    ("bf16", np.float32, "^x: expected a type of f32, i32, i64, got bf16$"),
    ("i8", np.int8, "^x: expected a type of f32, i32, i64, got i8$"),
    ("i32", np.int32, "'x': expected rows as of f32.*, got i32"),
    ("i32", np.float32, "^x: expected int32 of shape .*, got float32 of shape")])
def test_features_of_other_types(saved, dtype, given, words):
    path, _, arguments = saved("gcn")
    rewritten(path, replaced('"dtype": "f32",\n   "role": "features"',
                             f'"dtype": "{dtype}",\n   "role": "features"'))
    x, edge_index = map(arrays, arguments(1))
    with pytest.raises((gnn_mlir.GNNError, ValueError), match=words):
        gnn_mlir.load(path)(x.astype(given), edge_index)


@pytest.mark.parametrize("kinds, gpu, compiler, found", [
    (["emulator", "cpu"], False, True, "emulator"), (["emulator", "cpu"], False, False, "cpu"),
    (["cpu", "cuda"], True, False, "cuda"), (["cuda", "cpu"], False, False, "cpu"),
    (["cuda"], False, True, "cuda"), (["emulator"], True, False, "emulator")])
def test_the_device_of_arrays(monkeypatch, kinds, gpu, compiler, found):
    """One that is there; else the error is of the first."""
    monkeypatch.setattr(saved_module.devices, "has_gpu", lambda: gpu)
    monkeypatch.setattr(saved_module.capi, "has_compiler", lambda: compiler)
    assert saved_module._first(kinds) == found


def test_the_signature_is_an_object(saved):
    path, _, _ = saved("gcn")

    def change(entries):
        manifest = json.loads(entries["model.json"])
        entries["model.json"] = json.dumps({**manifest, "signature": 3}).encode()
    rewritten(path, change)
    with pytest.raises(gnn_mlir.GNNError, match="^signature: expected an object, got 3$"):
        gnn_mlir.load(path)


def test_packages_are_no_models(saved, tmp_path):
    path, _, _ = saved("gcn")
    with zipfile.ZipFile(path) as archive:
        (tmp_path / "cpu.gnnpkg").write_bytes(archive.read("packages/cpu.gnnpkg"))
    assert isinstance(gnn_mlir.load(tmp_path / "cpu.gnnpkg"), gnn_mlir.CompiledFunction)
    with pytest.raises(ValueError, match="function: expected none of a saved model"):
        gnn_mlir.load(path, "forward")
    with pytest.raises(ValueError, match="device: expected none of a package"):
        gnn_mlir.load(tmp_path / "cpu.gnnpkg", device="cpu")


def test_what_load_takes(saved, tmp_path):
    path, _, arguments = saved("gcn")
    given = list(map(arrays, arguments(1)))
    for one in (str(path), os.fsencode(path)):
        np.testing.assert_array_equal(gnn_mlir.load(one)(*given), gnn_mlir.load(path)(*given))
    data = path.read_bytes()
    for wrong, got in ((None, "got None"), (3, "got 3"), (True, "got True"), ([path], r"got \["),
                       (io.BytesIO(data), "got <_io.BytesIO"), (bytearray(data), "got bytearray"),
                       (data, f"got {len(data)} bytes of an archive"), ("", "got an empty one")):
        with pytest.raises(ValueError, match=f"^path: expected a path, {got}") as raised:
            gnn_mlir.load(wrong)
        assert len(str(raised.value)) < 300
    with pytest.raises(ValueError, match=r"^path: expected a path without null characters, got 'a\\x00b'$"):
        gnn_mlir.load("a\0b")
    with pytest.raises(ValueError, match=r"^path: expected a path that the file system can spell, "
                                         r"got '\\ud800'$"):
        gnn_mlir.load("\ud800")
    with pytest.raises(ValueError, match=f"^path: expected a file, got the folder '{tmp_path}'$"):
        gnn_mlir.load(tmp_path)
    with pytest.raises(FileNotFoundError, match=f"No such file or directory: '{tmp_path}/none'$"):
        gnn_mlir.load(tmp_path / "none")


def test_files_of_other_kinds(tmp_path):
    """One sentence says what is there. Damaged archives are the library's to judge."""
    path = tmp_path / "model.pt"
    def tensors(new):
        return lambda: torch.save({"w": torch.ones(3)}, path, _use_new_zipfile_serialization=new)
    def archive():
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("a.txt", "a")
    for write, got in (
            (tensors(True), "a file of torch.save"), (tensors(False), "a file of torch.save"),
            (lambda: np.savez(path.open("wb"), x=np.ones(3)), "an .npz file of arrays"),
            (archive, "a zip archive without model.json and plan.json"),
            (lambda: path.write_text("text"), "a file that is no zip archive"),
            (lambda: path.write_bytes(b""), "an empty file")):
        write()
        with pytest.raises(ValueError, match=f"^{path}: expected a file of gnn_mlir.export or "
                           f"compiled.save, got {got}$"):
            gnn_mlir.load(path)
    path.write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(gnn_mlir.GNNError, match="zip"):
        gnn_mlir.load(path)


def test_what_save_takes(saved, tmp_path, monkeypatch):
    """A name ends at no null character."""
    monkeypatch.chdir(tmp_path)
    path, compiled, _ = saved("gcn")
    package = gnn_mlir.compile(gnn_mlir.models.gcn((4, 5)), target="cpu")
    known = sorted(os.listdir())
    for wrong in (None, io.BytesIO(), 3, "", "a\0b"):
        for save in compiled.save, package.save:
            with pytest.raises(ValueError, match="^path: expected a path"):
                save(wrong)
    assert sorted(os.listdir()) == known
