# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""gnn-run on bad input: exit code 1, one error that says what was expected and
what came, and no file written. Empty input is not bad."""

import io
import os
import pathlib
import resource
import subprocess
import zipfile

import numpy as np
import pytest
from conftest import BUILD, find_tool

from gnn_mlir import reference

PROGRAM = """
#node = #gnn.rows<@g, node>
#edge = #gnn.rows<@g, edge>
gnn.graph @g square {node_types = 1, edge_types = 2}
func.func @layer(
    %x: tensor<?x8xf32, #node> {gnn.name = "x"},
    %w: tensor<2x8x4xf32, #gnn.rows<@g, edge_type>> {gnn.name = "w"})
    -> (tensor<?x4xf32, #node> {gnn.name = "sum"},
        tensor<?x4xf32, #node> {gnn.name = "max"}) {
  %e = gnn.gather %x via src : tensor<?x8xf32, #node> -> tensor<?x8xf32, #edge>
  %m = gnn.typed_linear %e, %w : (tensor<?x8xf32, #edge>, tensor<2x8x4xf32, #gnn.rows<@g, edge_type>>) -> tensor<?x4xf32, #edge>
  %s = gnn.aggregate sum %m via dst : tensor<?x4xf32, #edge> -> tensor<?x4xf32, #node>
  %t = gnn.aggregate max %m via dst : tensor<?x4xf32, #edge> -> tensor<?x4xf32, #node>
  return %s, %t : tensor<?x4xf32, #node>, tensor<?x4xf32, #node>
}
"""

GRAPH = {"edge_src": np.int32([0, 1, 2, 2]), "edge_dst": np.int32([1, 2, 0, 1]),
         "edge_type": np.int16([0, 1, 1, 0]), "node_type": np.int16([0, 0, 0]),
         "edge_type_names": np.array(["likes", "knows"]),
         "node_type_names": np.array(["person"])}


class Files:
    """A folder with a program, a graph and inputs, and gnn-run over it."""

    def __init__(self, folder, tool):
        self.folder, self.tool = folder, tool
        (folder / "layer.mlir").write_text(PROGRAM)
        self.graph()
        self.input("x", np.ones((3, 8), np.float32))
        self.input("w", np.ones((2, 8, 4), np.float32))

    def graph(self, name="g.npz", **arrays):
        np.savez(self.folder / name, **{
            key: array for key, array in {**GRAPH, **arrays}.items()
            if array is not None})

    def input(self, name, array):
        np.save(self.folder / f"{name}.npy", array)

    def run(self, *options, function="layer", graph="g.npz", inputs=("x", "w"),
            program="layer.mlir", before=None):
        command = [self.tool, program, "--function", function, "--output", "out",
                   *(["--graph", graph] if graph else []), *options]
        for name in inputs:
            command += ["--input", f"{name}={name}.npy"]
        return subprocess.run(command, cwd=self.folder, text=True, timeout=120,
                              capture_output=True, check=False,
                              preexec_fn=before)

    def outputs(self, *options, **keywords):
        """Runs, and gives what was written."""
        result = self.run(*options, **keywords)
        assert result.returncode == 0, result.stderr
        return {path.stem: np.load(path)
                for path in (self.folder / "out").glob("*.npy")}

    def fails(self, *options, says, **keywords):
        """Runs into one error that has all of `says`, and leaves no file."""
        before = sorted(self.folder.rglob("*"))
        result = self.run(*options, **keywords)
        errors = [line for line in result.stderr.splitlines() if "error:" in line]
        assert result.returncode == 1, result.stderr
        assert len(errors) == 1, result.stderr
        for words in says:
            assert words in errors[0]
        assert sorted(self.folder.rglob("*")) == before


@pytest.fixture
def files(tmp_path):
    tool = find_tool("gnn-run")
    if tool is None:
        if BUILD:
            pytest.fail(f"there is no gnn-run in {BUILD}/bin")
        pytest.skip("gnn-run is not built")
    return Files(tmp_path, tool)


def test_good_input(files):
    out = files.outputs()
    np.testing.assert_array_equal(out["sum"], np.repeat([[8], [16], [8]], 4, 1))
    np.testing.assert_array_equal(out["max"], np.full((3, 4), 8))


@pytest.mark.parametrize("option", ["--passes=fuse=false", "--unchecked", "--shuffle=7"])
def test_options_that_change_no_number(files, option):
    """Those below show that the options do something."""
    plain, out = files.outputs(), files.outputs(option)
    for name, array in plain.items():
        np.testing.assert_array_equal(out[name], array)


def kernels(files, *options):
    """The kernels of a report, which follow its head."""
    lines = files.run("--report", *options).stdout.splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("kernel "))
    return [line.split()[0] for line in lines[head + 1:]
            if ": f32[" not in line and not line.startswith("    ")]


def test_passes_are_switched(files):
    """Fused, the product gathers its rows itself, and both reductions over the same
    edges are one walk."""
    assert len(kernels(files)) == 2
    assert len(kernels(files, "--passes=fuse=false")) == 4


def test_gradients(files):
    """The backward pass of the sum; what is printed says what each output is."""
    files.input("d_sum", np.ones((3, 4), np.float32))
    options = "--gradients=layer: x -> sum", "--input", "d_sum=d_sum.npy"
    result = files.run(*options, function="layer_backward", inputs=("w",))
    assert result.returncode == 0, result.stderr
    assert "d_x (gradient): f32[3, 8]" in result.stdout
    found = np.load(files.folder / "out/d_x.npy")
    np.testing.assert_array_equal(found, np.repeat([[4], [4], [8]], 8, 1))
    files.run("--gradients=layer: x", function="layer_forward")
    out = files.outputs()
    for name in ("sum", "max"):
        np.testing.assert_array_equal(np.load(files.folder / f"out/{name}.npy"),
                                      out[name])


def test_bad_gradients(files):
    files.fails("--gradients=other: x",
                says=["gradients: expected one of layer, got 'other'"])
    files.fails("--gradients=layer: y",
                says=["expected gradients with respect to inputs of floating point features, x, w, got 'y'"])


# Each thread writes its number to the same word: a race, which the last one wins.
RACE = """
module attributes {gpu.container_module} {
  gpu.module @last_kernels {
    gpu.func @last(%y: memref<64xf32> {llvm.align = 16 : i64, llvm.noalias})
        workgroup(%s: memref<1xi32, #gpu.address_space<workgroup>>)
        kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c0 = arith.constant 0 : index
      %thread = gpu.thread_id x
      %number = arith.index_cast %thread : index to i32
      memref.store %number, %s[%c0] : memref<1xi32, #gpu.address_space<workgroup>>
      gpu.barrier
      %last = memref.load %s[%c0] : memref<1xi32, #gpu.address_space<workgroup>>
      %value = arith.sitofp %last : i32 to f32
      memref.store %value, %y[%thread] : memref<64xf32>
      gpu.return
    }
  }
  func.func @last(%y: memref<64xf32> {bufferize.result, gnn.name = "y"}) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @last_kernels::@last blocks in (%c1, %c1, %c1)
        threads in (%c64, %c1, %c1) args(%y : memref<64xf32>)
    return
  }
}
"""


def test_accesses_are_checked_unless_told_not_to(files):
    (files.folder / "race.mlir").write_text(RACE)
    race = {"program": "race.mlir", "function": "last", "graph": None, "inputs": ()}
    files.fails("--target=emulator", **race, says=[
        "last: kernel 'last': 'memref.store' op at ", ": writes shared memory at byte 0",
        "no barrier between", "thread (1, 0, 0)"])
    plain = files.outputs("--unchecked", **race)["y"]
    np.testing.assert_array_equal(plain, np.full(64, 63))
    winners = set()
    for seed in range(4):
        drawn = files.outputs("--unchecked", f"--shuffle={seed}", **race)["y"]
        again = files.outputs("--unchecked", f"--shuffle={seed}", **race)["y"]
        np.testing.assert_array_equal(drawn, again)
        winners.update(drawn.tolist())
    assert len(winners) > 1


def with_edge_types(files, count):
    """The program for so many edge types, each with a weight of ones."""
    (files.folder / "layer.mlir").write_text(
        PROGRAM.replace("edge_types = 2", f"edge_types = {count}")
        .replace("tensor<2x8x4", f"tensor<{count}x8x4"))
    files.input("w", np.ones((count, 8, 4), np.float32))


def test_added_inverses(files):
    """Each edge type has one more for its inverse; here only degrees count."""
    with_edge_types(files, 4)
    out = files.outputs("--add-inverses")
    np.testing.assert_array_equal(out["sum"], np.repeat([[16], [24], [24]], 4, 1))


def test_added_self_loops(files):
    """Of the one edge type there is; the self loop of node 2 is not doubled."""
    with_edge_types(files, 1)
    files.graph(edge_dst=np.int32([1, 2, 0, 2]), edge_type=np.int16([0, 0, 0, 0]),
                edge_type_names=np.array(["likes"]))
    out = files.outputs("--add-self-loops")
    np.testing.assert_array_equal(out["sum"], np.full((3, 4), 16))


def test_self_loops_that_a_model_needs(files):
    """The error names the option that makes them."""
    with_edge_types(files, 1)
    program = files.folder / "layer.mlir"
    program.write_text(program.read_text().replace(
        "edge_types = 1}", "edge_types = 1, self_loops}"))
    files.graph(edge_type=np.int16([0, 0, 0, 0]),
                edge_type_names=np.array(["likes"]))
    files.fails(says=["expected one self loop at each node, got 0 at node 0",
                      "--add-self-loops"])
    assert set(files.outputs("--add-self-loops")) == {"sum", "max"}


def test_edges_in_an_order_that_is_declared(files):
    """The program says so itself; gnn-run gives the error of binding."""
    with_edge_types(files, 1)
    program = files.folder / "layer.mlir"
    program.write_text(program.read_text().replace(
        "edge_types = 1}", "edge_types = 1, dst_sorted}"))
    names, types = np.array(["likes"]), np.int16([0, 0, 0, 0])
    files.graph(edge_dst=np.int32([1, 2, 0, 2]), edge_type=types, edge_type_names=names)
    files.fails(says=["graph 'g': expected edges sorted by destination, got edge 2 to node 0 "
                      "behind edge 1 to node 2"])
    files.graph(edge_dst=np.int32([0, 2, 2, 2]), edge_type=types, edge_type_names=names)
    np.testing.assert_array_equal(files.outputs()["sum"], np.repeat([[8], [0], [24]], 4, 1))


def test_refined_types(files):
    """Two node types at the ends of one edge type make it several, each with a
    weight of its own: in the order of their node types."""
    with_edge_types(files, 3)
    files.input("w", np.repeat(np.float32([1, 10, 100]), 32).reshape(3, 8, 4))
    program = files.folder / "layer.mlir"
    program.write_text(program.read_text().replace("node_types = 1", "node_types = 2"))
    files.graph(edge_dst=np.int32([1, 2, 0, 2]), edge_type=np.int16([0, 0, 0, 0]),
                edge_type_names=np.array(["likes"]),
                node_type=np.int16([0, 1, 1]),
                node_type_names=np.array(["person", "place"]))
    files.fails(says=["expected 3 edge types", "got 1"])
    out = files.outputs("--refine-types")
    # From 2 to 0: place to person; 0 to 1: person to place; 1, 2 to 2: in places.
    np.testing.assert_array_equal(out["sum"], np.repeat([[80], [8], [1600]], 4, 1))


def test_added_self_loops_are_a_type_beside_several(files):
    files.fails("--add-self-loops", says=[
        "expected 2 edge types, got 3: '", "' has 2, and --add-inverses, --add-self-loops"])
    with_edge_types(files, 1)
    files.fails("--add-self-loops", says=[
        "expected 1 edge types, got 3: '", "' has 2, and --add-inverses, --add-self-loops"])


def test_memory_that_a_run_may_take(files):
    files.graph(node_type=np.zeros(1 << 20, np.int8))
    files.fails("--weights=random:1", "--max-bytes=9000000", inputs=(),
                says=["expected at most 9000000 bytes of inputs, outputs and workspace, got ",
                      "(--max-bytes allows more)"])
    files.fails("--weights=random:1", "--max-bytes=1000000", inputs=(),
                says=["g.npz", "node_type", "expected at most ", "(--max-bytes allows more)"])
    assert files.run("--weights=random:1", inputs=()).returncode == 0


# Graph files.

def test_no_file(files):
    files.fails(graph="missing.npz", says=["missing.npz", "No such file"])


def test_no_zip(files):
    (files.folder / "g.npz").write_bytes(b"edge_src")
    files.fails(says=["expected a zip archive", "g.npz"])


@pytest.mark.parametrize("part", [0, 0.5, 0.99])
def test_truncated_zip(files, part):
    data = (files.folder / "g.npz").read_bytes()
    (files.folder / "g.npz").write_bytes(data[:int(len(data) * part)])
    files.fails(says=["expected a zip archive", "g.npz"])


@pytest.mark.parametrize("at, width, says", [
    (20, 4, "expected a zip archive, got 'g.npz', whose directory leads out of the file"),
    (42, 3, "g.npz: entry 'edge_src.npy': expected its bytes, got: a place outside of the archive")])
def test_directory_that_leads_elsewhere(files, at, width, says):
    data = bytearray((files.folder / "g.npz").read_bytes())
    at += data.index(b"PK\x01\x02")
    data[at:at + width] = b"\xff" * width
    (files.folder / "g.npz").write_bytes(data)
    files.fails(says=[says])


def test_corrupt_entry(files):
    data = bytearray((files.folder / "g.npz").read_bytes())
    at = data.index(GRAPH["edge_dst"].tobytes())
    data[at] ^= 0xff
    (files.folder / "g.npz").write_bytes(data)
    files.fails(says=["g.npz", "edge_dst", "CRC"])


def test_truncated_array(files):
    stream = io.BytesIO()
    np.save(stream, GRAPH["edge_src"])
    with zipfile.ZipFile(files.folder / "g.npz", "a") as archive:
        archive.writestr("label.npy", stream.getvalue()[:-4])
    files.fails(says=["g.npz", "label", "expected 16 bytes", "got 12"])


@pytest.mark.parametrize("name", ["edge_src", "edge_dst", "node_type"])
def test_missing_array(files, name):
    files.graph(**{name: None})
    files.fails(says=[f"expected an array '{name}'", "got none"])


@pytest.mark.parametrize("array, says", [
    (np.float32([0, 1, 2, 2]), ["edge_src", "expected integers", "f32"]),
    (np.array(["a", "b", "c", "d"]), ["edge_src", "expected integers", "text"]),
    (np.int32([[0, 1], [2, 2]]), ["edge_src", "expected one dimension", "2x2"]),
    (np.int64([0, 1, 2, 1 << 40]), ["edge_src", "32 bits", str(1 << 40)]),
    (np.complex64([0, 1, 2, 2]), ["edge_src", "element type", "<c8"])])
def test_wrong_type(files, array, says):
    files.graph(edge_src=array)
    files.fails(says=says)


@pytest.mark.parametrize("name, ids, says", [
    ("edge_src", [0, 1, -1, 2], ["source", "edge 2", "0 <= id < 3", "got -1"]),
    ("edge_src", [0, 1, 3, 2], ["source", "edge 2", "0 <= id < 3", "got 3"]),
    ("edge_dst", [9, 1, 0, 2], ["destination", "edge 0", "0 <= id < 3", "got 9"]),
    ("edge_type", [0, 1, 2, 0], ["edge_type", "under 2", "got 2"]),
    ("edge_type", [0, 1, -2, 0], ["edge 2", "0 <= id < 2", "got -2"])])
def test_wrong_ids(files, name, ids, says):
    files.graph(**{name: np.int32(ids)})
    files.fails(says=says)


def test_mismatched_lengths(files):
    files.graph(edge_dst=np.int32([1, 2, 0]))
    files.fails(says=["edge_dst", "expected 4 elements", "got 3"])


def test_other_types_than_the_program(files):
    files.graph(edge_type_names=np.array(["likes", "knows", "owes"]))
    files.fails(says=["expected 2 edge types", "got 3"])


def test_unknown_graph(files):
    files.fails(graph="h=g.npz", says=["expected --graph g=FILE.npz", "h=g.npz"])


@pytest.mark.parametrize("options", [(), ("--graph", "g.npz", "--graph", "g.npz")])
def test_number_of_graphs(files, options):
    files.fails(*options, graph=None,
                says=["--graph once for each graph", f"got {len(options) // 2}"])


# Inputs.

@pytest.mark.parametrize("array, got", [
    (np.ones((4, 8), np.float32), "f32[4x8]"),
    (np.ones((3, 9), np.float32), "f32[3x9]"),
    (np.ones(24, np.float32), "f32[24]"),
    (np.ones((3, 8), np.float64), "f64[3x8]")])
def test_shapes_that_do_not_fit(files, array, got):
    files.input("x", array)
    files.fails(says=["input 'x'", "expected f32[3, 8]", f"got {got}"])


def test_missing_input(files):
    files.fails(inputs=["x"], says=["expected --input w", "[2, 8, 4]", "neither"])


def test_unknown_input(files):
    files.fails("--input", "y=x.npy", says=["one of x, w", "got 'y'"])


def test_input_without_a_file(files):
    files.fails("--input=x", inputs=["w"], says=["--input: expected NAME=FILE, got 'x'"])


def test_input_twice(files):
    files.fails("--input", "x=random:1", says=["expected --input x once"])


@pytest.mark.parametrize("source", ["random:", "random:1.5", "random:-1"])
def test_random_without_a_seed(files, source):
    files.fails("--input", f"x={source}", inputs=["w"],
                says=["input 'x'", "expected random:SEED", f"got '{source}'"])
    files.fails("--weights", source,
                says=["--weights", "expected random:SEED", f"got '{source}'"])


@pytest.mark.parametrize("source", ["graph:label", "features", "x.txt"])
def test_unknown_source(files, source):
    files.fails("--input", f"x={source}", inputs=["w"],
                says=["input 'x'", "FILE.npy, graph:feat or random:SEED", source])


def test_no_features(files):
    files.fails("--input", "x=graph:feat", inputs=["w"],
                says=["input 'x'", "the graph file has no features"])


def test_features_of_another_size(files):
    files.graph(feat_indptr=np.int32([0, 1, 1, 2]), feat_indices=np.int32([2, 9]),
                feat_dim=np.int32([10]))
    files.fails("--input", "x=graph:feat", inputs=["w"],
                says=["input 'x'", "expected 8 features a node in the graph file, got 10"])


@pytest.mark.parametrize("content, says", [
    (None, ["x.npy", "No such file"]),
    (b"", ["x.npy", "expected a .npy array", "0 bytes"]),
    (b"\x93NUMPY\x01\x00\xff\xff{}", ["x.npy", "expected a header of 65535"])])
def test_broken_array(files, content, says):
    (files.folder / "x.npy").unlink()
    if content is not None:
        (files.folder / "x.npy").write_bytes(content)
    files.fails(says=["input 'x'", *says])


# The program and the options.

def test_unknown_function(files):
    files.fails(function="layers", says=["expected one of the functions layer",
                                         "got 'layers'"])


def test_no_program(files):
    files.fails(program="none.mlir", says=["none.mlir", "No such file"])


def test_program_that_does_not_parse(files):
    (files.folder / "layer.mlir").write_text(PROGRAM.replace("via src :", "via up :"))
    files.fails(says=["layer.mlir:10:", "expected", "one of: src, dst"])


def test_program_that_does_not_verify(files):
    (files.folder / "layer.mlir").write_text(
        PROGRAM.replace("2x8x4xf32", "3x8x4xf32"))
    files.fails(says=["layer.mlir:", "expected 2", "got 3"])


def test_program_that_has_no_kernel(files):
    (files.folder / "layer.mlir").write_text(PROGRAM.replace("f32", "bf16"))
    files.fails(says=["layer.mlir:", "f32", "bf16"])


def test_explained_schedules(files):
    """What --explain does not know of is no option with it."""
    result = files.run("--explain", "--schedules=none.jsonl")
    assert result.returncode == 1
    assert result.stderr.startswith("gnn-run: error: --explain: expected no --schedules")


@pytest.mark.parametrize("option, says", [
    ("--target=tpu", ["--target: expected one of the targets cuda, emulator, cpu", "got 'tpu'"]),
    ("--shuffle=often", ["--shuffle", "often"]),
    ("--shuffle=-3", ["--shuffle", "-3"])])
def test_unknown_value(files, option, says):
    result = files.run(option)
    assert result.returncode == 1
    line, = result.stderr.splitlines()
    for words in says:
        assert words in line
    assert not (files.folder / "out").exists()


@pytest.mark.skipif(pathlib.Path("/dev/nvidia0").exists(), reason="has a GPU")
def test_no_gpu(files):
    files.fails("--target", "cuda", says=["CUDA"])


# Outputs.

@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_folder_without_permission(files):
    (files.folder / "out").mkdir(mode=0o500)
    files.fails(says=["cannot write to the folder 'out'", "ermission denied"])


def test_a_file_where_the_folder_goes(files):
    (files.folder / "out").write_text("")
    files.fails(says=["cannot write to the folder 'out'", "ot a directory"])


def test_all_outputs_or_none(files):
    """The second output cannot be written, so the first is not either."""
    (files.folder / "out" / "max.npy").mkdir(parents=True)
    files.fails(says=["cannot write 'out/max.npy'"])


def test_a_run_without_room_leaves_nothing(files):
    """No room in the middle of the second output; a file is 128 bytes and data."""
    program = files.folder / "layer.mlir"
    program.write_text(PROGRAM.replace("tensor<?x4xf32, #node>, tensor<?x4xf32, #node>\n",
                                       "tensor<?x4xf32, #node>, tensor<?x8xf32, #node>\n")
                       .replace('(tensor<?x4xf32, #node> {gnn.name = "max"})',
                                '(tensor<?x8xf32, #node> {gnn.name = "max"})')
                       .replace("%s, %t :", "%s, %x :")
                       .replace('tensor<?x4xf32, #node> {gnn.name = "max"}',
                                'tensor<?x8xf32, #node> {gnn.name = "max"}'))
    assert {a.shape for a in files.outputs().values()} == {(3, 4), (3, 8)}
    for path in (files.folder / "out").iterdir():
        path.unlink()
    limit = 128 + 3 * 4 * 4
    result = files.run(before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE,
                                                         (limit, limit)))
    assert result.returncode == 1 and "cannot write 'out/max.npy'" in result.stderr
    assert not list((files.folder / "out").iterdir())


@pytest.mark.parametrize("name", ["../sum", "deep/sum", "/tmp/gnn-run-sum"])
def test_outputs_stay_in_the_folder(files, name):
    (files.folder / "layer.mlir").write_text(PROGRAM.replace('"sum"', f'"{name}"'))
    files.fails(says=[f"'{name}'", "expected a name without '/'"])


# Empty input is legal.

def test_no_edges(files):
    files.graph(edge_src=np.int32([]), edge_dst=np.int32([]),
                edge_type=np.int16([]))
    out = files.outputs()
    assert all((array == np.zeros((3, 4))).all() for array in out.values())
    assert len(out) == 2


def test_no_nodes(files):
    files.graph(edge_src=np.int32([]), edge_dst=np.int32([]),
                edge_type=np.int16([]), node_type=np.int16([]))
    files.input("x", np.ones((0, 8), np.float32))
    assert {array.shape for array in files.outputs().values()} == {(0, 4)}


def test_no_types(files):
    empty = {name: array[:0] for name, array in GRAPH.items()}
    files.graph(**empty)
    (files.folder / "layer.mlir").write_text(
        PROGRAM.replace("node_types = 1, edge_types = 2",
                        "node_types = 0, edge_types = 0")
        .replace("tensor<2x8x4", "tensor<0x8x4"))
    files.input("x", np.ones((0, 8), np.float32))
    files.input("w", np.ones((0, 8, 4), np.float32))
    assert {array.shape for array in files.outputs().values()} == {(0, 4)}


def test_nan_propagates(files):
    x = np.ones((3, 8), np.float32)
    x[0, 5] = np.nan
    files.input("x", x)
    for array in files.outputs().values():
        np.testing.assert_array_equal(np.isnan(array),
                                      np.repeat([[0], [1], [0]], 4, 1))


def test_integers_are_inputs(files):
    """The seed and the offset of a dropout."""
    rows = "tensor<?x8xf32, #gnn.rows<@g, node>>"
    (files.folder / "drop.mlir").write_text(f"""
gnn.graph @g square {{node_types = 1, edge_types = 2}}
func.func @drop(%x: {rows} {{gnn.name = "x"}}, %s: i64 {{gnn.name = "seed"}},
                %o: i64 {{gnn.name = "offset"}}) -> ({rows} {{gnn.name = "y"}}) {{
  %y = gnn.dropout %x p = 0.5 seed %s offset %o : {rows}
  return %y : {rows}
}}
""")
    given = {"program": "drop.mlir", "function": "drop",
             "inputs": ("x", "seed", "offset")}
    files.input("seed", np.array(2 ** 40, np.int64))
    found = []
    for offset in (-1, 3, -1):
        files.input("offset", np.array(offset, np.int64))
        found.append(files.outputs(**given)["y"])
        np.testing.assert_array_equal(found[-1], reference.dropout(
            np.ones((3, 8)), 0.5, 2 ** 40, offset))
    assert not np.array_equal(found[0], found[1])
    files.input("seed", np.array(1, np.int32))
    files.fails(says=["'seed'", "i64", "i32"], **given)
