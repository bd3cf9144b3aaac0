# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The numbers of GraphAGILE that `benchmarks/overlay.py` holds ours to: closed forms, sizes,
transfers, and simulated times of the layers that the closed form M0 counts."""

import statistics

import numpy as np
import pytest

import gnn_mlir
from gnn_mlir import overlay


@pytest.fixture(name="paper", scope="module")
def _paper(benchmarks):
    return benchmarks("overlay_paper")


@pytest.fixture(name="layers", scope="module")
def _layers(benchmarks):
    return benchmarks("overlay_layers")


@pytest.fixture(name="script", scope="module")
def _script(benchmarks):
    return benchmarks("overlay")


def cells(paper):
    return [(model, name) for model in paper.MODELS for name in paper.NAMES]


# Closed forms and counts, all of which are exact.


def test_m0_as_printed(paper, layers, script):
    wrong = {cell: layers.closed_form(*cell) for cell in cells(paper)
             if not script.rounded_as(layers.closed_form(*cell), paper.M0[cell[0]][cell[1]])}
    assert not wrong


def test_errors_of_m0(paper, layers):
    """Median 11%; 21 cells within 5%, 33 within 20%. Within 10% are 28, two of which (b3 and b8
    on PU) the issue's 26 leaves out, as its table rounds them to 10."""
    errors = [abs(layers.closed_form(model, name) / paper.TIMES[model][name][2] - 1)
              for model, name in cells(paper)]
    assert statistics.median(errors) == pytest.approx(0.11, abs=0.01)
    assert [sum(error <= most for error in errors) for most in (.05, .1, .2)] == [21, 28, 33]


def test_closed_form_of_shared_memory(paper, layers):
    found = [layers.closed_form("b2", name, memory="shared") for name in paper.NAMES]
    assert found == pytest.approx([6.69, 2.55, 9.42, 43.2, 334, 567, 2740], rel=0.002)


def test_transfers(paper):
    assert [paper.transfer(name) for name in paper.NAMES] == pytest.approx(
        [1.566, .495, 1.269, 6.009, 62.03, 29.97, 140.57], rel=0.001)
    for name in paper.NAMES:
        printed = statistics.median(paper.printed_transfer(m, name) for m in paper.MODELS)
        assert paper.transfer(name, paper.edges(name)) == pytest.approx(printed, rel=0.01)


def test_transfer_of_a_program(paper, layers):
    program = layers.program("b1", "CO")
    report = program.simulate(layers.cut("CO"), memory="ideal")
    assert 1e3 * report.transfer_seconds == pytest.approx(paper.transfer("CO"))


def test_formula_of_table_viii(paper):
    off = [(model, name) for model, name in cells(paper)
           if abs(paper.formula_size(model, name) - paper.SIZES[model][name]) > 0.0016]
    assert off == [("b4", "RE")]
    assert round(paper.formula_size("b4", "RE"), 3) == .475
    assert paper.formula_bytes("b1", "CO") == 559_104
    assert paper.formula_bytes("b1", "FL") == 202_752


def test_rows_of_blocks(paper, layers):
    found = {name: (cut.n1, cut.blocks) for name in paper.NAMES for cut in [layers.cut(name)]}
    assert found == {"CI": (112, 30), "CO": (96, 29), "PU": (624, 32), "FL": (2800, 32),
                     "RE": (7296, 32), "YE": (16304, 44), "AP": (16368, 96)}


def test_layer_1_by_tiles(layers):
    """Example E: 28 tiles of 8,598 cycles and one of 2,866 on 8 processing elements."""
    report = layers.program("b1", "CO").simulate(layers.cut("CO"), **layers.BARE)
    assert report.layers[0]["cycles"] == 34_392


# Simulated times: all cells of quick models, and some of others.

QUICK = ("b1", "b2", "b7")


@pytest.mark.parametrize("model", QUICK)
def test_ideal_beside_m0_and_the_paper(model, paper, layers, script):
    for name in paper.NAMES:
        program, cut = layers.program(model, name), layers.cut(name)
        m0 = layers.closed_form(model, name)
        bare = program.simulate(cut, **layers.BARE).seconds * 1e3
        slack = .135 if name in ("CI", "CO") else .075 if (model, name) == ("b1", "YE") else .02
        assert m0 <= bare <= (1 + slack) * m0, name
        ideal = program.simulate(cut, **layers.IDEAL).seconds * 1e3
        assert ideal >= bare
        if not script.reason(model, name):
            printed = paper.TIMES[model][name][2]
            assert ideal == pytest.approx(printed, rel=script.tolerance(model, name)), name
        shared = program.simulate(cut).seconds * 1e3
        assert shared >= max(ideal, layers.closed_form(model, name, memory="shared")), name


@pytest.mark.parametrize("model, name", [("b3", "RE"), ("b4", "AP"), ("b6", "CI"), ("b8", "RE")])
def test_ideal_beside_the_paper(model, name, paper, layers, script):
    assert not script.reason(model, name)
    report = layers.program(model, name).simulate(layers.cut(name), **layers.IDEAL)
    assert 1e3 * report.seconds == pytest.approx(paper.TIMES[model][name][2], rel=.07)


@pytest.mark.parametrize("model", ["b1", "b2", "b3", "b6", "b7", "b8"])
def test_signs_of_gains(model, paper, script):
    found = script.gains(model, "CO")
    assert found["overlap_shared"] > 0
    assert (found["fusion_shared"] > 0) == (model != "b7")
    assert (found["order_shared"] > 0) == (model in paper.ORDER_M0)


def test_averages_of_the_order(paper, layers, script):
    for model, expected in paper.ORDER_M0.items():
        gains = [script.gain(layers.closed_form(model, name, False, paper.GRAPHS[name][1]),
                             layers.closed_form(model, name, edges=paper.GRAPHS[name][1]))
                 for name in paper.NAMES]
        assert statistics.mean(gains) == pytest.approx(expected, abs=1)


def test_layers_mean_what_a_program_computes(layers):
    """The lists of layers are programs with values, too."""
    given = [("linear", 20, 16, ()), ("aggregate", 16, 16, ("relu",)), ("vector_add", 16, 16, ())]
    rng = np.random.default_rng(0)
    src, dst = rng.integers(0, 50, (2, 120)).astype(np.int32)
    graph = gnn_mlir.Graph(src, dst, num_nodes=50)
    program = overlay.compile(layers.text(given), graph=graph)
    x, w, a = rng.random((50, 20)), rng.random((20, 16)) - .5, rng.random(120)
    out = program.run(graph, {"x": x, "w0": w, "a": a})
    h = x @ w
    summed = np.zeros((50, 16))
    np.add.at(summed, dst, a[:, None] * h[src])
    np.testing.assert_allclose(out, np.maximum(summed, 0) + h, rtol=1e-4, atol=1e-5)


# Counts of subshards, and the script on little.


@pytest.mark.parametrize("kind", ["uniform", "rmat"])
@pytest.mark.parametrize("loops", [False, True])
def test_counts_of_subshards(kind, loops, benchmarks):
    counts = benchmarks("synthetic").subshards(kind, 1000, 12_345, 96, loops)
    assert counts.shape == (11, 11) and counts.sum() == 12_345 + 1000 * loops
    if loops:
        counts -= benchmarks("synthetic").subshards(kind, 1000, 12_345, 96)
        assert np.diag(counts).tolist() == [96] * 10 + [40] and counts.sum() == 1000
    elif kind == "uniform":
        assert np.ptp(counts[:10, :10].astype(int)) <= 1
        assert counts[10, 0] == pytest.approx(counts[0, 0] * 40 / 96, abs=2)
    else:
        assert counts[0, 0] > 20 * counts[9, 9]


def test_counts_of_rmat(benchmarks):
    """One step of R-MAT where there are two blocks of a power of two."""
    subshards = benchmarks("synthetic").subshards
    assert subshards("rmat", 1024, 1000, 512).tolist() == [[570, 190], [190, 50]]
    # Ids from 768 on are left out, and with them half of the upper half.
    counts = subshards("rmat", 768, 10 ** 6, 256)
    kept = np.array([.76, .24]).repeat(2) * np.array([.76, .24, .76, .24])
    assert counts.sum(axis=1) / 1e6 == pytest.approx(
        kept[:3] / kept[:3].sum(), abs=0.06)


def test_wrong_kind_of_counts(benchmarks):
    with pytest.raises(ValueError, match="expected one of uniform, rmat, got 'even'"):
        benchmarks("synthetic").subshards("even", 10, 10, 16)


def test_script(script, tmp_path, monkeypatch):
    monkeypatch.delenv("GNN_TEST_DATA", raising=False)
    assert script.main(["--models", "b1", "--graphs", "CO",
                        "--output", str(tmp_path / "page")]) == 0
    page = (tmp_path / "page.md").read_text()
    assert "All targets that this script checks are met." in page
    assert "| b1 | CO | 0.103 | 0.1032 | +0.2% |" in page
    assert "## Values" in page and "## T_LoC by phase" in page
    assert "measured" not in page


def test_missed_target(script, monkeypatch, capsys):
    monkeypatch.setattr(script, "collect", lambda *_: {"problems": ["b1 CO"]})
    monkeypatch.setattr(script.overlay_tables, "page", lambda result: "page")
    assert script.main([]) == 1
    assert capsys.readouterr().out == "page\n"
