# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every model with no pass, with all, with each one off and with each one alone, for
the statistics of the graph and without: within 1e-5 a layer of float64 and of what it
is without passes. A model is compiled on one graph in a part of these ways; on each graph in
all with --all."""

import pytest

from support import cases, errors, graphs, variants

# All odd graphs, and fewer edges at the hub than where kernels are tested.
GRAPHS = {**graphs.ODD, "hub": lambda: graphs.hub(3000, 40)}
# One for each model: preparing kernels for few features takes half as long.
FEATURES = (33, 5)


def covering():
    """(model, graph, features, number of the ways): another graph and part of the ways for the
    next model, another size after each turn of the graphs, which shifts the parts as well."""
    names = list(GRAPHS)
    for i, model in enumerate(cases.MODELS):
        turn = i // len(names)
        yield model, names[i % len(names)], FEATURES[turn % len(FEATURES)], i + turn


def full_product():
    for model in cases.MODELS:
        for graph in GRAPHS:
            yield model, graph, FEATURES[0], None


def pytest_generate_tests(metafunc):
    if "model" in metafunc.fixturenames:
        everything = metafunc.config.getoption("--all")
        metafunc.parametrize("model, graph, features, number", list(
            full_product() if everything else covering()))


def test_passes_keep_results(model, graph, features, number, compiler):
    heads = 3 if model in cases.WITH_HEADS else 1
    program = cases.build(model, GRAPHS[graph](), features, heads)
    variants.check_program(program, errors.TOTAL * program.layers,
                           errors.BY_ROW * program.layers,
                           None if number is None else variants.some(number))


CONDITIONS = [("rows-31", 7, 1), ("rows-31", 5, 3), ("users-items", 33, 1), ("no-edges", 5, 3)]


@pytest.mark.parametrize("number", range(len(CONDITIONS)))
def test_passes_keep_conditions(number, compiler):
    """Conditions have no buffers, whatever is fused with whatever."""
    assert len(CONDITIONS) >= variants.PARTS
    program = cases.build("op-conditions", *CONDITIONS[number])
    variants.check_program(program, errors.TOTAL, errors.BY_ROW, variants.some(number))


def test_each_model_sees_other_graphs():
    found = list(covering())
    assert len(set(found)) == len(found)
    assert [m for m, *_ in found] == list(cases.MODELS)
    for graph in GRAPHS:
        assert {size for _, g, size, _ in found if g == graph} == {*FEATURES}
    for features in FEATURES:
        assert {number % variants.PARTS for *_, size, number in found if size == features} == {
            *range(variants.PARTS)}


def test_statistics_are_left_out_as_well(compiler, monkeypatch):
    """The ways with statistics and without give different code where these decide."""
    program = cases.build("rgcn", GRAPHS["hub"](), 16, 1)
    text = program.function.module.text()
    names = [name for names, _ in variants.compile_all(
        text, graphs=program.graphs) for name in names]
    assert {"all", "all by rows", "all, no statistics",
            "all by rows, no statistics"} <= set(names)
    assert len(names) == len(set(names))
    given = []
    compile_program = variants.compile_program
    monkeypatch.setattr(variants, "compile_program", lambda *a, graph, **k: (
        given.append(graph), compile_program(*a, graph=graph, **k))[1])
    variants.compile_all(text, ["all", "all, no statistics"], program.graphs)
    assert sorted(graph is None for graph in given) == [False, True]
