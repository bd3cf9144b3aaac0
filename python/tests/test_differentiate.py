# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions that gnn-differentiate makes give the gradients of families of ops,
models and random programs: held against central differences of the meaning."""

import collections
import functools
import importlib.util

import numpy as np
import pytest
from conftest import ROOT

from support import gradient_cases, gradient_faults, gradients

SEEDS, ALL_SEEDS, BLOCK = 150, 5000, 10


def pytest_generate_tests(metafunc):
    everything = metafunc.config.getoption("--all")
    if "case" in metafunc.fixturenames:
        found = (gradient_cases.full_product() if everything else
                 gradient_cases.covering_set())
        metafunc.parametrize("case, number", [pytest.param(case, i, id="-".join(
            map(str, case.values()))) for i, case in enumerate(found)])
    if "first_seed" in metafunc.fixturenames:
        metafunc.parametrize("first_seed", range(0, ALL_SEEDS if everything else SEEDS,
                                                 BLOCK))


SIZE = 60


@functools.lru_cache(maxsize=2)
def differentiated(gnn_opt, everything, block):
    """So many cases in a row, and what gnn-opt makes of them in one run."""
    cases = (gradient_cases.full_product() if everything else
             gradient_cases.covering_set())[block * SIZE:][:SIZE]
    programs = [gradient_cases.build(case["subject"], case["graph"], case["heads"])
                for case in cases]
    return list(zip(cases, programs, gradients.differentiate_all(gnn_opt, [
        (program.function, gradients.PIPELINES[case["pipeline"]])
        for case, program in zip(cases, programs)])))


def test_gradients(case, number, gnn_opt, pytestconfig):
    same, program, made = differentiated(gnn_opt, pytestconfig.getoption("--all"),
                                         number // SIZE)[number % SIZE]
    assert same == case
    report = gradient_cases.check(gnn_opt, case["subject"], program,
                                  gradients.PIPELINES[case["pipeline"]], made=made)
    assert not report.failed and not report.refused and not report.open
    assert report.checked


def documented_ops():
    """The operands of each op whose gradient is in its description."""
    spec = importlib.util.spec_from_file_location(
        "check_gradients", ROOT / "utils/check-gradients.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {"gnn." + mnemonic: operands
            for _, mnemonic, says, operands in module.find_ops(ROOT) if says != "none"}


def test_each_documented_gradient_has_a_case():
    """One with all operands, those that may be left out too. A rule that gives an
    operand nothing is an error there."""
    most = collections.Counter()
    for case in gradient_cases.full_product():
        subject, graph, heads, pipeline = case.values()
        if graph != "schema" and heads == 1 and pipeline == "alone":
            lines = gradient_cases.build(subject, graph, heads).function._lines
            for op in (line for line in lines if not isinstance(line, str)):
                head = op.head.split()[0]
                most[head] = max(most[head], len(op.operands))
    known = documented_ops()
    assert len(known) > 30
    assert {op for op, operands in known.items() if most[op] < len(operands)} == set()


# Reasons to refuse random programs: loops that stay, and that no input is of
# floating point features.
REFUSED = {"gnn.for_edges", "gnn.for_nodes", "func.func"}

# How many of a block at most, where it is more than one; by the first seed.
MOST_REFUSED = {10: 2, 20: 2, 30: 5}


def test_gradients_of_random_programs(first_seed, gnn_opt, request):
    everything = request.config.getoption("--all")
    report = gradient_cases.check_seeds(
        gnn_opt, range(first_seed, first_seed + BLOCK),
        gradient_cases.RANDOM_PIPELINES if everything else None)
    assert not report.failed
    assert set(report.reasons()) <= REFUSED
    if everything:
        assert len(report.refused) <= len(report.checked)
        assert len(report.open) <= len(report.checked) / 5
    else:
        assert len(report.refused) <= MOST_REFUSED.get(first_seed, 1)
        assert not report.open
    assert max(report.checked.values()) > 0


# -- Faults in what the pass makes are found -----------------------------------------

FAULTY = ("gcn", "sage-mean", "gat", "rgcn", "rgat", "compgcn-mul-two-layers")


def changes(made, faulty, program):
    """Whether the gradients are others with the fault, by more than rounding."""
    function, graphs, inputs = program.function, program.graphs, program.inputs
    given = {n: graphs[n] for n in function.graphs()}
    rng = np.random.default_rng(0)
    out = function.evaluate(graphs, inputs)
    cotangents = {n: rng.standard_normal(out[n].shape)
                  for n in gradients.float_outputs(function)}
    try:
        wrong = faulty.gradients(given, inputs, cotangents)
    except ValueError:  # It does not even fit.
        return False
    right = made.gradients(given, inputs, cotangents)
    return any(np.linalg.norm(wrong[n] - x) > 1e-2 * np.linalg.norm(x)
               for n, x in right.items())


@pytest.mark.parametrize("fault", gradient_faults.FAULTS)
def test_planted_faults_are_found(fault, gnn_opt):
    found = 0
    for model in FAULTY:
        program = gradient_cases.build(model, "square", 1)
        made = gradients.differentiate(gnn_opt, program.function, None,
                                       gradients.PIPELINES["between the passes"])
        for faulty in gradient_faults.FAULTS[fault](made):
            if not changes(made, faulty, program):
                continue
            with pytest.raises(gradients.Failure, match="error"):
                gradients.check(program.function, program.graphs, program.inputs,
                                faulty)
            found += 1
    assert found >= 3


def test_a_refusal_names_the_op(gnn_opt):
    program = gradient_cases.build("graphgym-three-layers", "square", 1)
    with pytest.raises(gradients.Refused, match="'gnn.batch_norm' op has no gradient"):
        gradients.differentiate(gnn_opt, program.function, list(
            program.function.inputs))


def test_one_run_makes_all_that_are_not_refused(gnn_opt, monkeypatch):
    names = ("gcn", "graphgym-three-layers", "rgcn", "gat")
    functions = [gradient_cases.build(name, "square", 1).function for name in names]
    expected = [gradients.differentiate(gnn_opt, f, pipeline=gradients.PIPELINES[
        "between the passes"]) for f in functions]
    monkeypatch.setattr(gradients, "trainable", lambda function: list(function.inputs))
    alone, differentiate = [], gradients.differentiate
    monkeypatch.setattr(gradients, "differentiate", lambda gnn_opt, function, **how: (
        alone.append(function), differentiate(gnn_opt, function, **how))[1])
    found = gradients.differentiate_all(gnn_opt, [
        (f, gradients.PIPELINES["between the passes"]) for f in functions])
    assert alone == [functions[1]]
    assert isinstance(found[1], gradients.Refused) and "'gnn.batch_norm' op has" in str(found[1])
    for i in (0, 2, 3):
        for end in "forward", "backward":
            one, other = (getattr(made, end) for made in (found[i], expected[i]))
            assert one.name == other.name and str(one.body) == str(other.body)


def test_reports_are_added(gnn_opt):
    """Programs that fail, are refused, or are right, each by its name."""
    program = gradient_cases.build("graphgym-three-layers", "square", 1)
    function = program.function
    pipelines = {"right": gradients.PIPELINES["alone"],
                 "failed": ("--gnn-compact", ),
                 "refused": ("--gnn-differentiate=function=none",)}
    report = gradient_cases.Report()
    for name, pipeline in pipelines.items():
        report += gradient_cases.check(gnn_opt, name, program, pipeline, 1)
    assert list(report.checked) == ["right"]
    assert report.failed == {"failed": f"expected a function {function.name}_forward, "
                                       f"got {function.name}"}
    assert list(report.refused) == ["refused"]
    assert sum(report.reasons().values()) == 1
