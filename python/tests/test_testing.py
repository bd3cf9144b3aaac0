# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The harness itself: cases that cover, inputs that are fair, errors that show."""

import collections
import itertools
import subprocess

import numpy as np
import pytest

import gnn_mlir
from support import cases, covering, errors, graphs, op_cases


def test_pairwise_covers_all_that_is_allowed():
    factors = {"a": range(5), "b": "wxyz", "c": (True, False), "d": range(3)}

    def allowed(case):
        return case["a"] != 3 or case["b"] == "w"

    found = covering.pairwise(factors, allowed)
    full = list(covering.product(factors, allowed))
    assert all(allowed(case) for case in found)
    for one, other in itertools.combinations(factors, 2):
        assert {(c[one], c[other]) for c in found} == {
            (c[one], c[other]) for c in full}
    assert len(found) < len(full) / 2
    assert found == covering.pairwise(factors, allowed)
    fewer = covering.pairwise(factors, allowed, of="d")
    assert len(fewer) < len(found)
    for name in "abc":
        assert {(c[name], c["d"]) for c in fewer} == {(c[name], c["d"]) for c in full}


def test_covering_set_has_every_model_on_data_sets():
    found = cases.covering_set()
    assert len({tuple(case.values()) for case in found}) == len(found)
    on_graphs = {(c["subject"], c["graph"]) for c in found}
    relational = [model for model in cases.MODELS if model.startswith(cases.RELATIONAL)]
    assert len(relational) > 10
    assert on_graphs >= set(itertools.product(cases.MODELS, ("aifb", "cora", "acm")))
    assert on_graphs >= set(itertools.product(relational, ("aifb", "cora", "acm", "mutag")))
    assert {c["subject"] for c in found if c["graph"] == "fb15k237"} == {
        "rgcn", "rgat", "hgt", "compgcn-sub"}
    assert on_graphs >= set(itertools.product(cases.SUBJECTS, {*graphs.ODD} - {"rows-31"}))


def test_covering_set_has_every_size():
    """Each class for each subject; each size on graphs of each schema, for several subjects."""
    found = cases.covering_set()
    sizes = {size: sizes for sizes in cases.SIZES for size in sizes}
    assert sorted(sizes) == sorted(cases.FEATURES)
    assert {(c["subject"], sizes[c["features"]]) for c in found} == set(
        itertools.product(cases.SUBJECTS, cases.SIZES))
    assert {(c["subject"], c["heads"]) for c in found} >= set(
        itertools.product(cases.WITH_HEADS, cases.HEADS))
    seen = collections.Counter((c["graph"], c["features"]) for c in found)
    for graph in ("rows-33", "users-items", "empty-types", "one-type-each"):
        assert min(seen[graph, size] for size in cases.FEATURES) >= 2, graph
    assert min(seen["rows-1000", size] for size in (1, 3, 7, 16, 33, 64)) >= 2


def test_graphs_of_one_schema_have_as_many_types():
    for names in graphs.OF_ONE_SCHEMA:
        found = [graphs.named(name) for name in names]
        assert len({(graph.num_node_types, graph.num_edge_types) for graph in found}) == 1


SMALL = [c for c in cases.covering_set() if c["graph"] not in graphs.DATA_SETS]


@pytest.mark.parametrize("subject", cases.SUBJECTS)
def test_fp32_can_meet_the_limits(subject, request):
    """A result whose every op is rounded to fp32 is far from the limits, so that
    a correct kernel is as well."""
    mine = [c for c in SMALL if c["subject"] == subject]
    for case in mine if request.config.getoption("--all") else mine[::3]:
        program = cases.build(**case)

        def run(text, function, bound, inputs):
            return program.function.evaluate(bound, inputs, storage=np.float32)

        total, by_row = cases.check(program, run)
        assert total <= errors.TOTAL / 5, case
        assert by_row <= errors.BY_ROW / 2, case


def rgcn():
    return cases.build("rgcn", "rows-1000", 16, 1)


def test_one_wrong_row_does_not_hide():
    program = rgcn()

    def run(text, function, bound, inputs):
        out = program.function.evaluate(bound, inputs)
        smallest = np.argmin(np.linalg.norm(out["out"], axis=1))
        out["out"][smallest] *= 1.0005
        return out

    with pytest.raises(AssertionError, match="out: expected an error by row of at "
                       "most 0.0001, got 0.0005; 1 of 1000 rows are off, row"):
        cases.check(program, run)


@pytest.mark.parametrize("fault", [
    lambda x: x * 1.0001, lambda x: x + 1e-3, lambda x: x[::-1],
    lambda x: np.where(np.arange(len(x))[:, None] == 7, np.nan, x),
    lambda x: np.where(np.arange(len(x))[:, None] == 7, 0, x)])
def test_faults_show(fault):
    program = rgcn()

    def run(text, function, bound, inputs):
        out = program.function.evaluate(bound, inputs)
        return {"out": fault(out["out"])}

    with pytest.raises(AssertionError, match="expected an error"):
        cases.check(program, run)


def test_missing_outputs_and_shapes_show():
    program = rgcn()
    with pytest.raises(AssertionError, match="expected outputs out, got "):
        cases.check(program, lambda *arguments: {})
    with pytest.raises(ValueError, match="expected shape .1000, 16., got"):
        cases.check(program, lambda *arguments: {"out": np.zeros((1000, 15))})


def test_errors():
    assert errors.error([[3.0, 4.0]], [[3.0, 4.5]]) == pytest.approx(
        0.5 / np.hypot(3, 4.5))
    assert errors.row_error([[1.0], [1e-3]], [[1.0], [2e-3]]) == pytest.approx(
        0.5, rel=1e-3)
    assert errors.error(np.zeros((0, 3)), np.zeros((0, 3))) == 0
    assert errors.row_error([[0.0], [1.0]], [[0.0], [1.0]]) == 0
    assert errors.error([[1.0]], [[0.0]]) == np.inf
    same = np.array([[np.nan, np.inf, 1.0]])
    assert errors.row_error(same, same) == 0
    assert errors.row_error(same, [[0.0, np.inf, 1.0]]) == np.inf
    with pytest.raises(AssertionError, match="expected other integers, 3 at .1,., "
                       "got 4"):
        errors.check("argument", np.array([1, 4]), np.array([1, 3]))


def test_random_rounding():
    """Up to one unit in the last place, each element by itself."""
    rounded = errors.random_rounding(0)
    x = np.full(1000, 1 / 12)
    found = rounded(x)
    unit = 2.0 ** -27  # of numbers from 1/16 to 1/8
    assert found.dtype == np.float32 and np.abs(found - x).max() <= unit
    assert 2 <= len(np.unique(found)) <= 3
    assert np.array_equal(rounded(np.zeros(3)), np.zeros(3))
    assert np.array_equal(rounded(np.array([np.inf, -np.inf])), [np.inf, -np.inf])
    assert np.array_equal(errors.random_rounding(0)(x), found)  # By its seed.


def test_furthest():
    expected = np.array([1.0, 1.0, np.inf, np.nan, 2.0])
    found = errors.furthest(expected, [[1.1, 0.8, np.inf, np.nan, 2.0],
                                       [0.95, 1.1, 3e38, np.nan, np.inf],
                                       [1.0, 1.0, np.inf, np.nan, np.nan]])
    np.testing.assert_array_equal(found, [1.1, 0.8, 3e38, np.nan, np.inf])
    assert errors.furthest(np.array(1.0), [1.5, 0.0]) == 0.0


@pytest.mark.parametrize("name", graphs.DATA_SETS)
def test_made_graphs_have_the_shape_of_the_data_sets(name):
    made = graphs.made(name)
    again = graphs.made(name)
    assert np.array_equal(made.edge_src, again.edge_src)
    expected = {"aifb": (8285, 29043, 22, 45, 1240),
                "mutag": (23644, 74227, 115, 23, 6781),
                "fb15k237": (14541, 310116, 1, 237, 7124),
                "cora": (2708, 10556, 1, 1, 168),
                "acm": (11246, 17426, 3, 2, 1841)}[name]
    assert (made.num_nodes, made.num_edges, made.num_node_types,
            made.num_edge_types) == expected[:4]
    most = made.statistics()["in_degree_max"]
    assert 0.8 * expected[4] < most < 1.25 * expected[4]
    if graphs.data_folder():
        real = graphs._data_set(name)
        assert real.statistics()["in_degree_max"] == expected[4]


def test_odd_graphs_are_odd():
    graph = graphs.named("rows-1000")
    pairs = list(zip(graph.edge_src, graph.edge_dst, graph.edge_type))
    assert len(set(pairs)) < len(pairs)
    assert (graph.edge_src == graph.edge_dst).any()
    assert (gnn_mlir.degrees(graph) == 0).any()
    assert (gnn_mlir.degrees(graph, "src") == 0).any()
    assert 0 in np.bincount(graph.edge_type, minlength=17)
    assert (np.diff(graph.edge_dst) < 0).any()
    assert graphs.named("hub").statistics()["in_degree_max"] >= 50000
    assert graphs.named("hub").statistics()["out_degree_max"] >= 50000


def test_sampled_blocks():
    graph = graphs.named("rows-1000")
    blocks, nodes = graphs.sample_blocks(graph, [5, 3, 900], (4, 2))
    assert blocks[1].num_dst_nodes == 3
    assert blocks[0].num_dst_nodes == blocks[1].num_src_nodes
    assert blocks[0].num_src_nodes == len(nodes)
    assert nodes[:3].tolist() == [5, 3, 900]
    assert gnn_mlir.degrees(blocks[0]).max() <= 4
    known = set(zip(graph.edge_src.tolist(), graph.edge_dst.tolist(),
                    graph.edge_type.tolist()))
    for s, d, t in zip(blocks[0].edge_src, blocks[0].edge_dst,
                       blocks[0].edge_type):
        assert (int(nodes[s]), int(nodes[d]), int(t)) in known


def test_every_family_of_ops_parses(gnn_opt):
    texts = [op_cases.build(name, graphs.named(graph), 7, 3 if name in
                            op_cases.WITH_HEADS else 1).text()
             for name, graph in itertools.product(op_cases.OPS, ("rows-31", "users-items"))]
    result = subprocess.run([gnn_opt, "-", "--split-input-file"], text=True,
                            input="\n// -----\n".join(texts), capture_output=True, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("// -----") == len(texts) - 1 > 50
