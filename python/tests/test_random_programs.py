# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs compiled with no pass, all, each one off and each one alone give
the same numbers, to 1e-5 of float64. A program is compiled in a part of these ways, in
others than the next one; in each with --all.

A failure names its seed and the way to compile, and prints a reduced case:
`random_programs.random_program(seed)` is the program, `variants.check` runs it.
"""

import functools
import re

import numpy as np
import pytest
from conftest import ROOT

from gnn_mlir import reference
from gnn_mlir.compiler import compile as compile_program
from support import random_programs, reduction, variants

PROGRAMS, ALL_PROGRAMS = 100, 2000
RUN = 24  # Of the programs, without --all.


def pytest_generate_tests(metafunc):
    if "program_seed" in metafunc.fixturenames:
        count = ALL_PROGRAMS if metafunc.config.getoption("--all") else RUN
        metafunc.parametrize("program_seed", range(count))


def fails_as(failure):
    """Whether a program fails in the same variant."""
    def fails(recorded):
        try:
            variants.check(recorded, [failure.variant])
        except variants.Failure:
            return True
        return False
    return fails


def report(recorded, failure):
    """The words of a failure of a program."""
    fails, small = fails_as(failure), recorded
    if fails(recorded):  # Else it is a matter of the order of threads.
        small = reduction.reduce(recorded, fails)
        try:
            variants.check(small, [failure.variant])
        except variants.Failure as reduced:
            failure = reduced
    return (f"seed {recorded.seed}, {failure}\nreduced, with inputs of seed "
            f"{recorded.seed}:\n{reduction.describe(small)}")


def test_random_program(compiler, program_seed, pytestconfig):
    recorded = random_programs.random_program(program_seed)
    try:
        variants.check(recorded, None if pytestconfig.getoption("--all") else
                       variants.some(program_seed, recorded.is_raised))
    except variants.Failure as failure:
        message = report(recorded, failure)
        pytest.fail(message, pytrace=False)


@functools.lru_cache(maxsize=None)
def programs():
    return [random_programs.random_program(seed) for seed in range(PROGRAMS)]


def ops_of_dialect():
    """The ops of the dialect that stand in functions, from its definitions."""
    found = set()
    for path in (ROOT / "include/GNN/Dialect/GNN/IR").glob("*.td"):
        found |= set(re.findall(r'^def GNN_\w+Op : \w+<"(\w+)"', path.read_text(),
                                re.M))
    return {"gnn." + name for name in found - {"graph"}}


def test_programs_have_all_ops_of_the_dialect():
    text = "".join(p.build().function.text() for p in programs())
    known = ops_of_dialect()
    assert len(known) > 40
    assert known <= set(re.findall(r"gnn\.\w+", text))
    assert set(re.findall(r"(?:arith|tensor)\.\w+", text)) >= {
        "arith.cmpf", "arith.select", "arith.sitofp", "tensor.concat",
        "tensor.extract_slice", "tensor.expand_shape", "tensor.collapse_shape"}
    elementwise = {name for name in reference.ELEMENTWISE if name != "arith.xori"}
    assert elementwise <= set(re.findall(r"(?:arith|math)\.\w+", text))
    assert {"olt", "ole", "ogt", "oge", "oeq", "une"} <= set(
        re.findall(r"arith.cmpf (\w+)", text))
    assert "transposed" in text


@functools.lru_cache(maxsize=None)
def without_passes(number, **how):
    """The kernels of a program without passes; compiled once for all that are compared."""
    recorded = programs()[number]
    return compile_program(recorded.build().function.module.text(), target="emulator",
                           stop_at=how.pop("stop_at"), passes={
        **variants.variants(recorded.is_raised)["none"], **how}).package.kernels("mlir")


@pytest.mark.parametrize("switch", [
    switch for switch in variants.SWITCHES if switch not in variants.OF_GRADIENTS])
def test_each_pass_has_something_to_do(switch, compiler):
    """Some of the programs come out otherwise where one pass alone is on."""
    changed = 0
    for number, recorded in enumerate(programs()):
        ways = variants.variants(recorded.is_raised)
        if f"only {switch}" not in ways:
            continue
        more = {"cost": "rows", "fuse": True}
        if switch == "fuse":
            more.pop("fuse")
        if switch in variants.OF_EDGE_WALKS:
            more["edge-walks"] = 1
        # Most leave other templates; one leaves other buffers.
        stop_at = None if switch == "write-in-place" else "structured"
        alone = compile_program(
            recorded.build().function.module.text(), target="emulator", stop_at=stop_at,
            passes={**ways[f"only {switch}"], **more}).package.kernels("mlir")
        changed += alone != without_passes(number, stop_at=stop_at, **more)
        if changed == 2:
            break
    assert changed == 2


def test_loops_of_both_kinds():
    """Loops that only raise-loops makes compile, and others; more loops than one."""
    loops = [[c for c in p.calls if c.kind == "loop"] for p in programs()]
    assert sum(p.is_raised for p in programs()) >= 10
    assert sum(any(c.arguments[-1] for c in found) and not p.is_raised
               for p, found in zip(programs(), loops)) >= 5
    assert sum(len(found) > 1 for found in loops) >= 5


def _meaning(recorded):
    """The program, its inputs, and what it gives in float64 and stored as float32."""
    made = recorded.build()
    inputs = made.inputs()
    with np.errstate(all="ignore"):
        return (made, inputs, made.function.evaluate(recorded.graph, inputs),
                made.function.evaluate(recorded.graph, inputs, storage=np.float32))


def test_few_results_are_not_held():
    """Elements that float32 cannot store are held to nothing."""
    held = total = 0
    for recorded in programs():
        _, _, expected, rounded = _meaning(recorded)
        for name, value in expected.items():
            found = variants.comparable(np.asarray(value), np.asarray(rounded[name]))
            held, total = held + found.sum(), total + found.size
    assert total > 50_000
    assert total - held <= 1e-3 * total


def test_deviation_holds_each_element():
    """One element that is not finite does not hide the others, and has to be so."""
    expected = np.array([[1.0, np.nan], [np.inf, 2.0], [1e300, 3.0]])
    with np.errstate(over="ignore"):
        rounded = expected.astype(np.float32)  # Has no 1e300.
    assert variants.deviation(rounded, expected, rounded) is None
    for at, wrong in (((0, 0), 1.1), ((0, 1), 0.0), ((1, 0), -np.inf),
                      ((1, 0), np.nan), ((1, 1), np.nan), ((2, 1), np.inf)):
        out = rounded.copy()
        out[at] = wrong
        message = variants.deviation(out, expected, rounded)
        assert f"at {at} expected" in message
    out = rounded.copy()
    out[2, 0] = 7.0
    assert variants.deviation(out, expected, rounded) is None
    assert "expected shape" in variants.deviation(out[:2], expected, rounded)


def test_switches_are_those_of_the_compiler(compiler):
    """Each pass that can be left out is, and the compiler takes all ways."""
    text = (ROOT / "include/GNN/Pipelines/Pipelines.h").read_text()
    # Those of gradients and schedules leave out no pass.
    text = text[text.index("struct GraphSwitches"):text.index("struct ScheduleSwitches")]
    assert re.findall(r'Option<bool> \w+\{\s*\*this,\s*"([\w-]+)"', text) == list(
        variants.SWITCHES)
    recorded = random_programs.random_program(0, ops=3).replace(stats=True)
    text = recorded.build().function.module.text()
    found = [name for names, _ in variants.compile_all(text) for name in names]
    assert len(found) == 2 * len(variants.SWITCHES) + 14


@pytest.mark.parametrize("raised", [False, True])
def test_programs_in_a_row_see_all_ways(raised):
    parts = [variants.some(number, raised) for number in range(5, 5 + variants.PARTS)]
    assert {*variants.variants(raised)} | {f"{name}, no statistics" for name in (
        variants.WITHOUT_STATISTICS)} == set().union(*parts)
    for i, part in enumerate(parts):
        assert part[:2] == ["all", "none"] and len(part) == len(set(part)) < 16
        assert all(set(part) & set(other) == {"all", "none"} for other in parts[:i])


def test_programs_have_all_spaces():
    found, types = set(), set()
    for seed in range(PROGRAMS):
        recorded = random_programs.random_program(seed)
        function = recorded.build().function
        lines = [op for op in function._lines if not isinstance(op, str)]
        found.update(v.space for op in lines for v in op.results)
        types.add((recorded.graph.num_edge_types, recorded.graph.num_node_types))
        again = random_programs.random_program(seed)
        assert (again.calls, again.results) == (recorded.calls, recorded.results)
    assert found >= {"edge", "src_pair", "dst_pair", "src", "dst", "node",
                     "edge_type", "node_type", "graph"}
    for axis in (0, 1):
        assert {0, 1, 2} <= {t[axis] for t in types}


def test_programs_are_long():
    lengths = []
    for recorded in programs():
        function = recorded.build().function
        lengths.append(sum(not isinstance(op, str) for op in function._lines))
    assert np.median(lengths) >= 20


# -- The harness finds faults ----------------------------------------------------

# What each function of the reference is turned into, where the fault shows in the
# IR as "gnn." and the name.
_FAULTS = {
    "edge_softmax": lambda right: lambda *a: right(*a) * 1.001,
    "typed_linear": lambda right: lambda graph, x, w, *a: right(
        graph, x, np.roll(w, 1, 0), *a),
    "linear": lambda right: lambda x, w, *a: right(x, np.asarray(w) * 1.001, *a),
    "batch_norm": lambda right: lambda x, mean, variance, *a: right(
        x, mean, variance + 1e-2, *a),
    "concat": lambda right: lambda *a: right(*a[::-1]),
    "dropout": lambda right: lambda x, p, seed, offset: right(
        x, p, seed, offset + 1),
    "weight_combine": lambda right: lambda c, b: right(c, b) * 0.999,
    "sddmm": lambda right: lambda *a: right(*a) + 1e-3,
    "extend_edges": lambda right: lambda g, edges, nodes, loops: right(
        g, edges, nodes * 1.001, loops),
}


def _differs(monkeypatch, name):
    """Whether a program's meaning changes with the fault: what running it on a
    compiler with that fault would show, without one."""
    right = getattr(reference, name)

    def fails(recorded):
        made, inputs, expected, rounded = _meaning(recorded)
        with np.errstate(all="ignore"):
            monkeypatch.setattr(reference, name, _FAULTS[name](right))
            try:
                found = made.function.evaluate(recorded.graph, inputs)
            finally:
                monkeypatch.setattr(reference, name, right)
        return any(variants.deviation(np.asarray(found[n]), np.asarray(expected[n]),
                                      np.asarray(rounded[n])) for n in expected)
    return fails


@pytest.mark.parametrize("name", _FAULTS)
def test_a_planted_fault_is_reduced_to_its_op(name, monkeypatch):
    fails = _differs(monkeypatch, name)
    found = (p for p in map(random_programs.random_program, range(300))
             if fails(p))
    recorded = next(found)
    small = reduction.reduce(recorded, fails)
    assert fails(small)
    ops = [call.kind for i, call in enumerate(small.calls)
           if i in small.needed() and call.kind != "input"]
    text = reduction.describe(small)
    assert f"gnn.{name} " in text, text
    assert len(ops) <= 2, text
    assert small.graph.num_edges <= 4, text


def test_a_fault_of_the_compiler_is_reported(compiler, monkeypatch):
    """The whole way: a program whose reference is wrong fails with its seed, its
    variant, and one op."""
    right = reference.edge_softmax
    monkeypatch.setattr(reference, "edge_softmax",
                        lambda *a: right(*a) * np.float64(1.01))
    for seed in range(100):
        recorded = random_programs.random_program(seed, ops=8)
        if not any(call.kind == "edge_softmax" for call in recorded.calls):
            continue
        try:
            variants.check(recorded, ["all"])
        except variants.Failure as failure:
            message = report(recorded, failure)
            break
    assert message.startswith(f"seed {seed}, all: out")
    assert "expected an error of at most" in message
    ops = [line for line in message.splitlines() if " = gnn." in line]
    assert len(ops) == 1 and "gnn.edge_softmax" in ops[0], message


def test_programs_that_do_not_compile_are_failures(compiler, monkeypatch):
    recorded = random_programs.random_program(1)
    monkeypatch.setattr(variants, "variants", lambda raised: {"odd": {"no-pass": True}})
    with pytest.raises(variants.Failure, match="odd: does not compile.*no-pass"):
        variants.check(recorded)
