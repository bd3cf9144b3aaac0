# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scripts of benchmarks that print tables, on tiny graphs: they run, and the columns that
need no GPU are as they should be. The scripts themselves check results."""

import pytest

import gnn_mlir



def tables(text):
    """Rows as dicts, of all tables that were printed."""
    rows, header = [], None
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if not line.startswith("|"):
            header = None
        elif header is None:
            header = cells
        elif not cells[0].startswith("---"):
            rows.append(dict(zip(header, cells, strict=True)))
    return rows


@pytest.fixture
def table(benchmarks, compiler, capsys):
    def run(script, arguments):
        benchmarks(script).main(arguments.split())
        return tables(capsys.readouterr().out)
    return run


def pieces(rows):
    whole, split = rows
    assert int(split["kernels"]) == int(whole["kernels"]) + 1
    assert (whole["lengths"], split["lengths"]) == ("", "8")


def without_passes(rows):
    chosen, off = (row for row in rows if "way" in row)
    assert off["way"] == "online-softmax=0" and off["kernels"] != chosen["kernels"]


def in_products(rows):
    apart, _, together = rows
    assert (apart["that sum and multiply"], together["that sum and multiply"]) == ("0", "1")
    assert int(together["kernels"]) == int(apart["kernels"]) - 1
    assert float(together["workspace, MiB"]) <= float(apart["workspace, MiB"])


def beside_torch(rows):
    assert [row["way"] for row in rows] == ["whole", "tiles", "torch"]
    assert rows[0]["columns a block"] == "8" and rows[2]["kernels"] == ""


def two_steps(rows):
    kernels = {row["way"]: row["kernels"] for row in rows[:4]}
    assert kernels == {"split": "2", "by 1024": "2", "whole": "1", "torch": ""}


def with_peers(rows):
    assert [(row["layer"], row["way"]) for row in rows] == [
        ("gatv2", "ours"), ("gatv2", "torch, by edges"), ("dot", "ours"),
        ("dot", "torch, by edges"), ("dot", "torch")]


def beside_pyg(rows):
    """Every form that PyG has of a layer, and what torch has by hand."""
    forms = {layer: {row["way"] for row in rows if row["layer"] == layer}
             for layer in ("rgcn", "sage", "gcn")}
    plain = {"ours", "PyG", "PyG, CSR"}
    assert forms == {"rgcn": {"ours", "PyG", "PyG, fast", "torch", "torch, gathered"},
                     "sage": plain, "gcn": plain | {"PyG, cached", "PyG, CSR, cached"}}


def passes_of_training(rows):
    """The predicted memory is that allocated; without gradients of x it is less."""
    of_ours = [row for row in rows if row.get("way") == "ours"]
    assert [row["layer"] for row in of_ours] == ["rgcn", "rgat", "hgt"]
    for row in of_ours:
        assert float(row["predicted"]) > float(row["saved, MiB"]) >= 0
    assert {row["way"] for row in rows if row.get("layer") == "hgt"} == {
        "ours", "PyG", "torch", "torch, gathered"}
    kernels = [row["kernel"] for row in rows if "kernel" in row]
    assert any("_backward_" in kernel for kernel in kernels)


def without_x(rows):
    assert [row["way"] for row in rows] == ["ours", "PyG", "PyG, fast"]


def of_switches(rows):
    chosen, alone, fewer = (row for row in rows if "way" in row)
    assert int(chosen["kernels"]) < int(fewer["kernels"])
    rows_of = [int(row["rows of products"].replace(",", "")) for row in (chosen, alone)]
    assert 0 < rows_of[0] <= rows_of[1]
    assert any("kernel" in row and row["ms"] == "-" for row in rows)


@pytest.mark.slow
@pytest.mark.parametrize("check, arguments", [
    (pieces, "long-rows --graphs mutag:0.01 --layers gcn --ways whole long-rows=8"),
    (without_passes, "walks --graphs mutag:0.01 --layers rgat --ways all online-softmax=0"),
    (in_products, "sums-in-products --graphs mutag:0.01 --layers gcn"),
    (beside_torch, "columns --graphs reddit:0.001"),
    (two_steps, "weight-gradients --graphs mag:0.0005 --layers db"),
    (with_peers, "attention --graphs products:0.00003 --training"),
    (beside_pyg, "layers --graphs mag:0.00002 --layers rgcn sage gcn"),
    (passes_of_training, "layers --graphs mag:0.00002 --layers rgcn rgat hgt --training --profile"),
    (without_x, "layers --graphs aifb:0.01 --layers rgcn --training --without x --peers PyG"),
    (of_switches, "passes --graphs mutag:0.01 --layers rgcn --ways all none fuse=false --profile"),
], ids=lambda value: value.partition(" ")[0] if isinstance(value, str) else "")
def test_experiments_on_the_emulator(table, check, arguments):
    pytest.importorskip("torch_geometric")
    rows = table("experiment", f"{arguments} --features 8 --device emulator")
    assert all(0 <= float(row["error"]) < 1e-5 for row in rows if "error" in row
               and "CSR" not in row["way"])  # Which has no edge twice.
    check(rows)


@pytest.mark.slow
def test_wrong_results_stop_an_experiment(benchmarks, table, monkeypatch):
    layers = benchmarks("experiment_layers").WEIGHT_GRADIENTS
    real = layers["db"]
    monkeypatch.setitem(layers, "db", lambda *of: (*real(*of)[:2], {
        "torch": lambda dy: 1.001 * dy.sum(0, keepdim=True)}))
    with pytest.raises(SystemExit, match="db, split: expected an error of at most 1e-04"):
        table("experiment", "weight-gradients --graphs mag:0.0005 --layers db --ways split "
              "--features 8 --device emulator")


@pytest.mark.slow
@pytest.mark.parametrize("arguments, message", [
    ("--ways fuse", "--ways: expected some of all, .*or switches .* got fuse"),
    ("--layers gin", "2")])
def test_what_experiments_do_not_have(table, arguments, message):
    with pytest.raises(SystemExit, match=message):
        table("experiment", f"passes {arguments} --device emulator")


def test_layers_on_a_cpu(table):
    """Times are of calls; a mean over graphs is below the rows."""
    pytest.importorskip("torch_geometric")
    rows = table(
        "experiment", "layers --graphs aifb:0.01 mag:0.00002 --layers sage --peers PyG "
        "--features 8 --rounds 2 --slower 1000 --device cpu")
    found, means = ([row for row in rows if key in row] for key in ("ms", "graphs"))
    assert [row["way"] for row in found] == ["ours", "PyG", "PyG, CSR"] * 2
    for row in found:
        assert 0 < float(row["least"]) <= float(row["ms"])
    assert (means[0]["way"], means[0]["graphs"], means[0]["gain"]) == ("ours", "2", "1.00")
    assert means[1]["way"] == "PyG" and float(means[1]["gain"]) > 0


@pytest.mark.slow
def test_binding_on_the_emulator(table):
    before = gnn_mlir.get_num_threads()
    rows = table("binding", "--graphs am:0.0001 --models gcn --threads 1,2 --repeats 1 "
                 "--device emulator --features 8")
    assert gnn_mlir.get_num_threads() == before
    assert [row["threads"] for row in rows] == ["1", "2"]
    for row in rows:
        assert float(row["compile"]) > float(row["statistics"]) > 0


@pytest.mark.slow
def test_structures_of_tensors_on_the_cpu(table):
    row, = table("binding", "--tensors --models rgcn --edges 50 --types 2 --repeats 1 "
                 "--features 8 --device cpu --parts")
    assert (row["types"], row["launches"], row["by"]) == ("2", "-", "torch")
    assert float(row["training"]) > 0 and float(row["host"]) > 0
