# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cost model of walks, with the figures that are shipped, orders what was measured on large
graphs (benchmarks/results), and benchmarks/walk_figures.py has that model and finds its
constants."""

import itertools
import json

import pytest

from conftest import ROOT

# Times of the kernels as they are, those that the constants were fitted to, and those before.
MEASURED, FITTED, BEFORE = (json.loads(
    (ROOT / f"benchmarks/results/2026-11-{day}-h200-walks.json").read_text())
    for day in (30, 29, 28))
GRAPHS = {**BEFORE["graphs"], **MEASURED["graphs"]}
CLOSE = 0.06


def same_work(case):
    return tuple(case[key] for key in ("graph", "op", "heads", "features", "training"))


def differ(group):
    """Whether one takes more time than another by more than CLOSE."""
    times = [sum(case["ms"]) for case in group]
    return max(times) > (1 + CLOSE) * min(times)


GROUPS = [group for _, cases in itertools.groupby(MEASURED["cases"], same_work)
          for group in [list(cases)] if differ(group)]


@pytest.fixture(scope="module")
def figures(benchmarks, compiler):
    """The script."""
    return benchmarks("walk_figures")


def seconds(figures, gnn_opt, case, chip="h200"):
    """By the model; None where other kernels are made of the case than were measured."""
    lines, _ = figures.costs(case, GRAPHS[case["graph"]], chip, gnn_opt)
    same = sum(line["launches"] for line in lines) == len(case["ms"])
    return sum(line["seconds"] for line in lines) if same else None


@pytest.mark.parametrize(
    "group", GROUPS, ids=lambda group: "-".join(map(str, same_work(group[0]))))
def test_ways_come_in_the_order_that_was_measured(figures, gnn_opt, group):
    """Ways of the same work, of which one takes more time than another by more than CLOSE."""
    model = [seconds(figures, gnn_opt, case) for case in group]
    compared = 0
    for (one, first), (other, second) in itertools.permutations(
            [(case, cost) for case, cost in zip(group, model) if cost], 2):
        if all("edge-numbers=1" in case["passes"] for case in (one, other)):
            continue  # Of numbers in another order the model has less: KNOWN.
        if sum(one["ms"]) > (1 + CLOSE) * sum(other["ms"]):
            assert first > second, (one["passes"], other["passes"])
            compared += 1
    assert compared


# (graph, op, heads, features, gradients): the domains of walks by edges that are chosen, each
# with its tiles.
CHOSEN = {
    ("reddit", "sum", 0, 32, False): [("<dst,", 1)],
    ("reddit", "sum", 0, 64, False): [("<dst,", 2)],
    ("reddit", "sum", 0, 128, False): [("<dst,", 4)],
    ("reddit", "weighted-sum", 0, 64, False): [("<dst,", 2)],
    ("reddit", "dot", 0, 64, False): [("<dst,", 2)],
    ("reddit", "dot", 0, 128, False): [("<dst,", 4)],
    ("products", "dot", 0, 64, False): [("<dst,", 1)],
    ("proteins", "sum", 0, 64, False): [("<dst,", 1)],
    ("products", "sum", 0, 64, False): [("<dst,", 1)],
    ("products", "weighted-sum", 0, 64, False): [("<dst,", 1)],
    ("reddit", "gatv2", 1, 64, False): [("<dst_pair,", 1)],
    ("reddit", "gatv2", 8, 16, False): [("<dst,", 4)],  # shards took 0.96 of that
    ("reddit", "dot-attention", 1, 64, False): [("<dst_pair,", 1)],
    ("reddit", "additive", 1, 64, False): [("<dst_pair,", 1)],
    ("products", "gatv2", 1, 64, False): [("<dst,", 1)],
    ("products", "dot-attention", 1, 64, False): [("<dst,", 1)],
    ("products", "additive", 1, 64, False): [("<dst,", 1)],
    ("reddit", "gatv2", 1, 64, True): [("<dst_pair,", 1), ("<src_pair,", 1)],
    ("reddit", "dot-attention", 1, 64, True): [("<dst_pair,", 1), ("<src_pair,", 1)],
    ("reddit", "additive", 1, 64, True): [("<dst_pair,", 1), ("<src,", 1)],  # shards: 0.97
    ("products", "gatv2", 1, 64, True): [("<dst,", 1), ("<src,", 1)],
}
# Cases measured on an H200 alone.
OF_H200 = (("reddit", "additive", 1, 64, True),)


@pytest.mark.parametrize("chip", ("h200", "h100"))
@pytest.mark.parametrize("work", CHOSEN, ids=lambda work: "-".join(map(str, work)))
def test_what_is_chosen(figures, gnn_opt, work, chip):
    """Columns in tiles where the L2 has them and not the rows, shards of sources where rows are
    needed whole, neither where sources are local or all rows fit."""
    if chip == "h100" and work in OF_H200:
        pytest.skip("it was not measured there")
    graph, op, heads, features, training = work
    case = {"graph": graph, "op": op, "heads": heads, "features": features,
            "training": training, "passes": "", "dst_sorted": op == "dot"}
    lines, _ = figures.costs(case, GRAPHS[graph], chip, gnn_opt)
    walks = [(line["domain"].removeprefix("#gnn_tile.domain"), line["walk"]["tiles"])
             for line in lines if line.get("walk", {"elements": 0})["elements"] > 1e7]
    assert [(domain[:len(known)], tiles) for (domain, tiles), (known, _) in
            zip(walks, CHOSEN[work])] == CHOSEN[work]
    assert len(walks) == len(CHOSEN[work])


@pytest.fixture(scope="module")
def walks(figures, gnn_opt):
    return figures.walks_of(MEASURED, "h200", gnn_opt)


@pytest.fixture(scope="module")
def shipped(figures):
    return figures.figures_of("h200")


def test_the_script_has_the_model_of_the_compiler(figures, walks, shipped):
    assert len(walks) > 90
    for walk in walks:
        assert figures.walk_seconds(shipped, walk) == pytest.approx(walk["seconds"], 1e-5)


# Walks for which the model has less time: GATv2 on local rows, and gradients whose numbers of
# edges come from memory, in another order than that of the walk.
KNOWN = {"products gatv2:1x64 ": 0.26, "products gatv2:8x16 ": 0.38, "products gatv2:1x64:t ": 0.23,
         "products dot-attention:1x64:t ": 0.25, "reddit gatv2:1x64:t ": 0.3,
         "reddit additive:1x64:t ": 0.45, "products additive:1x64:t ": 0.23}


def test_walks_are_as_measured(figures, walks, shipped):
    assert figures.error_of(shipped, walks) < 0.085
    for walk in walks:
        most = next((most for name, most in KNOWN.items() if walk["name"].startswith(name)), 0.2)
        assert figures.walk_seconds(shipped, walk) == pytest.approx(
            walk["measured"], most), walk["name"]


def test_what_was_fitted_stays(figures, gnn_opt, walks, shipped):
    """The entries are what the script prints of the times that they were fitted to, and nearly as
    good for those of the kernels as they are as the best."""
    found = figures.fit(shipped, figures.walks_of(FITTED, "h200", gnn_opt))
    for name, value in found.items():
        assert value == pytest.approx(shipped[name], 0.06), name
    best = {**shipped, **figures.fit(shipped, walks)}
    assert figures.error_of(shipped, walks) < 1.06 * figures.error_of(best, walks)


def test_constants_are_found(figures, walks, shipped):
    """From wrong ones, of times that the model gives: about as good as those."""
    made = [{**walk, "measured": figures.walk_seconds(shipped, walk)} for walk in walks]
    wrong = {**shipped, "knee": 8, "crowdedSlots": 30, "missWait": 0.1, "nearGather": 1.2}
    before = figures.error_of(wrong, made)
    found = {**wrong, **figures.fit(wrong, made)}
    assert before > 0.08
    assert figures.error_of(found, made) < 0.02
    assert found["knee"] == pytest.approx(shipped["knee"], 0.15)
    assert found["nearGather"] == pytest.approx(shipped["nearGather"], 0.1)


def test_entries(figures, shipped):
    lines = figures.entries(shipped).splitlines()
    assert [line.split("(")[1].split(",")[0] for line in lines] == list(figures.FITTED)
    text = (ROOT / "include/GNN/Analysis/Kernels.def").read_text()
    assert all(line in text for line in lines)
