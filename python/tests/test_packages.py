# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packages of every version of the plan, as they are stored in test/Packages, and packages
whose plan does not fit its kernels: each runs right or is one error."""

import copy
import io
import json
import struct
import subprocess
import sys
import zipfile

import numpy as np
import pytest

import gnn_mlir
from conftest import ROOT
from gnn_mlir import capi, models, signatures

STORED = ROOT / "test/Packages/Inputs"
VERSIONS = range(1, len(list(STORED.glob("plan-v*.json"))) + 1)
TARGETS = "emulator", "cpu"


def packed(entries):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return out.getvalue()


def unpacked(package):
    with zipfile.ZipFile(io.BytesIO(package.to_bytes())) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


#
# Stored packages
#


# A weight behind 16 bytes that nothing reads: a package's constants from version 8 on.
CONSTANTS = np.arange(-4, 12, dtype="<f4")


def stored(version):
    entries = {"plan.json": (STORED / f"plan-v{version}.json").read_text(),
               "kernels.mlir": (STORED / "kernels.mlir").read_text()}
    if version >= 8:
        entries["constants.bin"] = CONSTANTS.tobytes()
    return capi.Package.from_bytes(packed(entries))


@pytest.fixture(name="graph", scope="module")
def graph_fixture(compiler):
    rng = np.random.default_rng(3)
    src, dst = rng.integers(0, 9, (2, 301))
    return gnn_mlir.Graph(src, np.minimum(dst, 7), 9, num_edge_types=2,
                          edge_type=rng.integers(0, 2, 301))


def sums(graph, x, kept):
    out = np.zeros((graph.num_nodes, x.shape[1]))
    np.add.at(out, graph.edge_dst[kept], x[graph.edge_src[kept]])
    return out


def layer(graph, x, w):
    """As the stored program computes it, in float64."""
    return np.tanh(sums(graph, x.astype(np.float64), slice(None)) @ w)


def expected(graph, inputs):
    """The outputs of each stored function, by names."""
    x, w = inputs["x"].astype(np.float64), inputs["w"].astype(np.float64)
    y = layer(graph, x, w)
    d_l = inputs["d_y"] * (1 - y * y)
    d_s = d_l @ w.T
    back = np.zeros_like(x)
    np.add.at(back, graph.edge_src, d_s[graph.edge_dst])
    loops = graph.edge_src == graph.edge_dst
    return {"layer": {"y": y}, "layer_forward": {"y": y},
            "layer_backward": {"d_x": back, "d_w": sums(graph, x, slice(None)).T @ d_l},
            "picked": {"y": sums(graph, x, graph.edge_type == 0)},
            "looped_sum": {"y": sums(graph, x, ~loops) + x},
            "fixed": {"y": x @ CONSTANTS[4:].reshape(4, 3)},
            "streamed": {"y": sums(graph, x, slice(None)), "pieces": pieces(graph)},
            "ordered": {"y": np.stack([inputs["c"][np.sort(graph.edge_dst) == v].sum(
                0, np.float64) for v in range(graph.num_nodes)])}}


def pieces(graph):
    """Of the edges of each node, in blocks of 128 edges by destination; 0 in one block."""
    ends = np.cumsum(np.r_[0, np.bincount(graph.edge_dst, minlength=graph.num_nodes)])
    return [2 * ((end - 1) // 128 - begin // 128) if begin < end else 0
            for begin, end in zip(ends, ends[1:])]


@pytest.mark.parametrize("version, target", [*((version, "emulator") for version in VERSIONS),
                                             (VERSIONS[-1], "cpu")])
def test_stored_packages(graph, version, target):
    package = stored(version)
    names = set(package.functions)
    assert "layer" in names and ("looped_sum" in names) == (version >= 7)
    assert ("fixed" in names) == (version >= 8)
    assert ({"streamed", "ordered"} <= names) == (version >= 9)
    device = getattr(capi.Device, target)()
    rng = np.random.default_rng(0)
    given = {"x": rng.standard_normal((9, 4)), "w": rng.standard_normal((4, 3)),
             "d_y": rng.standard_normal((9, 3)), "c": rng.standard_normal((301, 4))}
    given = {name: array.astype(np.float32) for name, array in given.items()}
    wanted, saved, (in_order, _) = expected(graph, given), {}, gnn_mlir.sort_edges(graph)
    for name in sorted(names, key=lambda name: name.endswith("backward")):
        if name == "ordered":
            with pytest.raises(gnn_mlir.GNNError, match="expected edges sorted by destination"):
                capi.BoundFunction(package, name, [graph], device)
        bound = capi.BoundFunction(package, name, [in_order if name == "ordered" else graph],
                                   device)
        inputs = [saved.get(i.name, given.get(i.name)) for i in bound.inputs]
        outputs = dict(zip((o.name for o in bound.outputs),
                           gnn_mlir.running.on_host(bound, inputs, bound.run)))
        if name.endswith("forward"):
            saved = outputs
        for output, value in wanted[name].items():
            np.testing.assert_allclose(outputs[output], value, 1e-5, 1e-5, err_msg=name)
        if version >= 6 and name != "layer" and name.startswith("layer"):
            what = {f["name"]: f for f in package.plan()["functions"]}[name]
            assert what["gradient_of"] == "layer" and name.endswith(what["pass"])


def test_stored_plans_are_of_their_versions():
    """Each is the text of that version, and is written as one of the last."""
    last = stored(VERSIONS[-1]).plan()["version"]
    assert last == VERSIONS[-1], f"expected a plan-v{last}.json"
    for version in VERSIONS:
        text = json.loads((STORED / f"plan-v{version}.json").read_text())
        assert text["version"] == version
        assert stored(version).plan()["version"] == last


#
# Plans that do not fit
#


def test_streams_of_version_8_are_refused():
    """Their words lay in another order."""
    module = gnn_mlir.Module()
    f, g = module.function("f"), module.graph("g")
    x = f.input("x", g.rows("node", 8))
    f.output("out", f.aggregate("sum", f.gather(x, "edge", via="src"), "node", via="dst"))
    entries = unpacked(gnn_mlir.compile(module, target="emulator",
                                        passes={"edge-walks": 1}).package)
    assert b"stream dst" in entries["plan.json"]
    capi.Package.from_bytes(packed(entries))
    entries["plan.json"] = entries["plan.json"].replace(b'"version": 9', b'"version": 8')
    with pytest.raises(gnn_mlir.GNNError, match="version: expected 9 or later of a plan with "
                                                "'stream' structures.*got 8; compile it again"):
        capi.Package.from_bytes(packed(entries))


@pytest.fixture(name="made", scope="module", params=TARGETS)
def made_fixture(compiler, request):
    """(entries of a package, a graph, inputs, the device)."""
    graph = gnn_mlir.Graph([0, 1, 1], [1, 0, 2], 3)
    compiled = gnn_mlir.compile(models.sage((4, 4)), target=request.param)
    return (unpacked(compiled.package), graph, compiled.source.random_inputs(graph),
            request.param)


def places(plan, *kinds):
    """Arguments of the first function that are of some kinds: (list, index)."""
    return [(step["args"], i) for step in plan["functions"][0]["steps"]
            for i, arg in enumerate(step["args"]) if any(kind in arg for kind in kinds)]


def error_of(made, edit, folder):
    """The message of running a package whose plan is edited; its inputs stay."""
    entries, graph, inputs, _ = made
    plan = json.loads(entries["plan.json"])
    edit(plan)
    path = folder / "edited.gnnpkg"
    path.write_bytes(packed({**entries, "plan.json": json.dumps(plan)}))
    before = copy.deepcopy(inputs)
    with pytest.raises(gnn_mlir.GNNError) as error:
        gnn_mlir.load(path)(graph, inputs)
    for name, array in before.items():
        np.testing.assert_array_equal(inputs[name], array)
    return str(error.value)


def replaced(kind, other):
    def edit(plan):
        args, i = places(plan, kind)[0]
        args[i] = dict(other)
    return edit


@pytest.mark.parametrize("edit, problem", [
    (replaced("structure", {"i64": 0}), "expected memory, got a number"),
    (replaced("input", {"i64": 0}), "expected memory, got a number"),
    (replaced("output", {"i64": 0}), "expected memory, got a number (i64)"),
    (replaced("structure", {"input": 0}), "expected memory of i32, got f32 (input)"),
    (replaced("i64", {"input": 0}), "expected a number, got memory"),
    (replaced("i64", {"i32": 0}), "expected an argument of 8 bytes"),
    (replaced("output", {"input": 0}), "as the kernel writes there, got input"),
    (lambda plan: places(plan, "structure")[0][0].pop(), "arguments, got"),
    (lambda plan: places(plan, "structure")[0][0].append({"i64": 0}), "arguments, got")])
def test_arguments_of_another_kind(made, edit, problem, tmp_path):
    assert problem in error_of(made, edit, tmp_path)


def test_writes_into_an_input(made, tmp_path):
    """Where the plan says that what is written is the input."""
    def edit(plan):
        for args, i in places(plan, "workspace", "output"):
            if args[i].get("written"):
                args[i] = {"input": 0}
                return
    message = error_of(made, edit, tmp_path)
    assert "as the kernel writes there, got input" in message or "expected a step" in message


@pytest.mark.parametrize("count, problem", [
    (4, "expected 20 bytes, got 16"), (1 << 20, "expected 4194308 bytes, got 16"),
    (1 << 40, "grid x: expected 1 to 2147483647, got"),
    ((1 << 62) + 1, "expected a result of 64 bits, got mul of"),
    (-1, "expected bytes inside a workspace of 0, got -16"),
    (-(1 << 63), "expected a result of 64 bits, got mul of")])
def test_counts_that_do_not_fit(made, count, problem, tmp_path):
    """Counts of rows and edges are compared with the memory there is."""
    plan = json.loads(made[0]["plan.json"])
    counts = [i for i, e in enumerate(plan["functions"][0]["exprs"]) if e["op"] == "count"]
    assert counts

    def edit(plan):
        plan["functions"][0]["exprs"][counts[0]] = {"op": "const", "value": count}
    assert problem in error_of(made, edit, tmp_path)


def test_kernels_nested_deep(made, tmp_path):
    entries, graph, inputs, _ = made
    deep = "module {" * 20000 + "}" * 20000
    for kernels, problem in ((deep, "levels of nesting"),
                             ("ML\xefR".encode("latin-1") + b"\0" * 20, "got bytecode")):
        path = tmp_path / "deep.gnnpkg"
        path.write_bytes(packed({**entries, "kernels.mlir": kernels}))
        with pytest.raises(gnn_mlir.GNNError, match=problem):
            gnn_mlir.load(path)(graph, inputs)


def test_plans_nested_deep():
    deep = '{"version": ' + "[" * 100000 + "]" * 100000 + "}"
    with pytest.raises(gnn_mlir.GNNError, match="levels of nesting"):
        capi.Package.from_bytes(packed({"plan.json": deep}))


def test_an_entry_of_more_than_the_limit():
    """A package of 4 GiB, by what its archive says of an entry; at once, and of a kind of its
    own."""
    plan = (STORED / "plan-v1.json").read_text()
    data = bytearray(packed({"plan.json": plan, "kernels.mlir": ""}))
    size = struct.pack("<I", 2**32 - 16)
    for signature, place in (b"PK\x03\x04", 22), (b"PK\x01\x02", 24):  # Of a header, its size.
        header = data.rindex(signature)
        data[header + place:header + place + 4] = size
    with pytest.raises(gnn_mlir.GNNError, match=(
            r"^package: expected at most 4294967296 bytes of all entries together, got more "
            r"with '[\w.]+'$")) as caught:
        capi.Package.from_bytes(bytes(data))
    assert caught.value.kind == signatures.LIMIT


def test_kernels_that_no_parser_survives(compiler, tmp_path):
    """Nested by aliases and operators, and with vectors longer than memory; a process of its
    own may crash."""
    def aliases(first, other, use, number=50000):
        lines = [f"{first[0]}a0 = {first[1:]}"]
        lines += [f"{first[0]}a{i} = {other % (first[0] + f'a{i - 1}')}"
                  for i in range(1, number)]
        return "\n".join((*lines, use % (first[0] + f"a{number - 1}")))
    texts = (aliases("#[1]", "[%s]", "module attributes {m.a = %s} {}"),
             aliases("!i1", "tuple<%s>", "module attributes {m.a = %s} {}"),
             aliases('#loc("a")', 'loc(callsite(%s at "b"))', "module {} loc(%s)"),
             f"module attributes {{m.a = affine_map<(d0) -> ({'-' * 100000}d0)>}} {{}}")
    wide = "2x4611686018427387904xf32>"
    texts += tuple(
        f"module {{ func.func @f(%a: f32, %b: vector<2xf32>) {{ {op} return }} }}"
        for op in (f"%0 = vector.from_elements %a, %a : vector<{wide}",
                   f"%0 = tensor.from_elements %a, %a : tensor<{wide}",
                   f"%0:2 = vector.to_elements %b : vector<{wide}"))
    entries = unpacked(gnn_mlir.compile(models.sage((4, 4)), target="cpu").package)
    paths = [tmp_path / f"{i}.gnnpkg" for i in range(len(texts))]
    for path, text in zip(paths, texts):
        path.write_bytes(packed({**entries, "kernels.mlir": text}))
    code = ("import gnn_mlir, sys\n"
            "g = gnn_mlir.Graph([0, 1, 1], [1, 0, 2], 3)\n"
            "for path in sys.argv[1:]:\n"
            "    try: gnn_mlir.load(path).bind(g)\n"
            "    except gnn_mlir.GNNError as error: print(error)\n")
    result = subprocess.run([sys.executable, "-c", code, *paths], capture_output=True,
                            text=True, timeout=100, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("expected at most 200 levels of nesting") == len(texts) - 3
    assert result.stdout.count(f"of at most 1024 elements, got vector<{wide}") == 2
    assert result.stdout.count(f"of at most 1024 elements, got tensor<{wide}") == 1
